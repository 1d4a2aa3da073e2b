#include "inspect/patch.h"

#include <math.h>

#include "inspect/state_functions.h"
#include "inspect/routing_path.h"
#include "models/ablation.h"

/* Two tapes: the string whose vectors are taken, and the one that gets them. */
typedef struct {
    const ThModel *m;
    ThTape *given, *run;
    int layer, row; /* of the tape's value, that is replaced by `vector` */
    const float *vector;
    ThModelTrace *from; /* of the string on `given` */
} Patcher;

static bool open_patcher(Patcher *p, const ThModel *m, ThError *err)
{
    *p = (Patcher){.m = m};
    p->given = th_model_tape(m, TH_TAPE_FLOAT, 2, err);
    p->run = p->given ? th_model_tape(m, TH_TAPE_FLOAT, 2, err) : NULL;
    return p->run != NULL;
}

static void close_patcher(Patcher *p)
{
    th_model_trace_free(p->from);
    th_tape_free(p->given);
    th_tape_free(p->run);
}

static bool take_from(Patcher *p, int *token, int length, ThError *err)
{
    th_model_trace_free(p->from);
    p->from = th_model_trace_on(p->m, p->given, token, length, err);
    return p->from != NULL;
}

static ThVar see(void *context, ThTape *t, ThVar v, const char *name, int index)
{
    const Patcher *p = context;
    const char *level = p->m->kind->level ? p->m->kind->level : "state";
    bool here = index == p->layer && strcmp(name, level) == 0;
    return here ? th_model_put_row(t, v, p->row, th_tape_rows(t, v), p->vector) : v;
}

/* The last logits of a string in which row `row` of a layer is row `of` of the string that vectors
 * are taken from. */
static bool run_patched(Patcher *p, const ThBatch *b, const int at[3], double *logit, ThError *err)
{
    ThVar all = th_model_level(p->m, p->given, at[0]);
    int before = p->from->layer[at[0]].before;
    p->layer = at[0];
    p->row = before + at[1];
    p->vector = th_tape_floats(p->given, all) +
                (size_t)(before + at[2]) * (size_t)th_tape_cols(p->given, all);
    th_tape_begin(p->run, TH_TAPE_NO_GRADIENT);
    th_tape_watch(p->run, &(ThTapeWatch){see, p});
    ThVar z = th_model_forward(p->m, p->run, b, &(ThModelForward){.share = false});
    th_tape_watch(p->run, NULL);
    if (!th_tape_ok(p->run, err))
        return false;
    int n = p->m->signature.n_classes;
    const float *last =
        th_tape_floats(p->run, z) + (size_t)(th_tape_rows(p->run, z) - 1) * (size_t)n;
    for (int c = 0; c < n; c++)
        logit[c] = (double)last[c];
    return true;
}

/* ---- answers ---- */

bool th_inspect_same_answer(const ThSignature *s, const double *a, const double *b)
{
    if (s->target != TH_TARGET_BITS)
        return th_score_class(a, s->n_classes) == th_score_class(b, s->n_classes);
    for (int c = 0; c < s->n_classes; c++)
        if ((a[c] > 0) != (b[c] > 0))
            return false;
    return true;
}

double th_inspect_probability(const ThSignature *s, const double *logit, const double *answer)
{
    int n = s->n_classes, best = th_score_class(answer, n);
    double p = 1, sum = 0;
    if (s->target == TH_TARGET_BITS) {
        for (int c = 0; c < n; c++)
            p /= 1 + exp(answer[c] > 0 ? -logit[c] : logit[c]);
        return p;
    }
    for (int c = 0; c < n; c++)
        sum += exp(logit[c] - logit[best]);
    return 1 / sum;
}

/* ---- one pair of strings ---- */

static bool is_about(const ThModel *m, const ThModelTraceLayer *l, int row, int first, int last)
{
    return l->last[row] == last && (!m->kind->combine || l->first[row] == first);
}

static int row_about(const ThModel *m, const ThModelTraceLayer *l, int first, int last)
{
    for (int i = 0; i < l->n_rows; i++)
        if (is_about(m, l, i, first, last))
            return i;
    return -1;
}

static bool add_row(ThInspectPatch *to, Patcher *p, const ThBatch *b, const ThModelTraceLayer *l,
                    const int at[3], ThError *err)
{
    size_t have = (size_t)to->n_rows;
    double *logit = th_alloc((size_t)to->n_classes, sizeof *logit, err);
    if (!logit || !th_grow(&to->row, &have, have + 1, sizeof *to->row, err)) {
        free(logit);
        return false;
    }
    to->row[to->n_rows++] = (ThInspectLensRow){at[0], l->first[at[1]], l->last[at[1]], logit};
    return run_patched(p, b, at, logit, err);
}

static bool patch_layer(ThInspectPatch *to, Patcher *p, const ThBatch *b, const ThModelTrace *trace,
                        const ThInspectPatchWhich *w, int layer, ThStop *stop, ThError *err)
{
    const ThModelTraceLayer *l = &trace->layer[layer], *other = &p->from->layer[layer];
    for (int i = 0; i < l->n_rows; i++) {
        int of = i;
        if (w->last >= 0 && !is_about(p->m, l, i, w->first, w->last))
            continue;
        if (w->last >= 0)
            of = w->of_last < 0 ? row_about(p->m, other, w->first, w->last)
                                : row_about(p->m, other, w->of_first, w->of_last);
        if (of >= 0 && (th_stopped(stop, err) || !add_row(to, p, b, l, (int[]){layer, i, of}, err)))
            return false;
    }
    return true;
}

static bool fits(const ThModel *m, const ThModelTrace *from, const ThModelTrace *to,
                 const ThInspectPatchWhich *w, ThError *err)
{
    if (m->signature.pairs)
        return th_fail(err, TH_EVALUE, "the model reads the sides of a pair by themselves");
    if (to->n_layers == 0 || (!m->kind->combine && to->n_layers == 1))
        return th_fail(err, TH_EVALUE,
                       "the vectors of this %s are read by nothing but its answer: there is no "
                       "later level",
                       m->kind->name);
    if (w->last < 0 && from->length != to->length)
        return th_fail(err, TH_EVALUE, "the strings have %d and %d symbols", from->length,
                       to->length) ||
               th_hint(err, "segment= names a vector that both have");
    return true;
}

static double *last_answer(const ThModelTrace *t, ThError *err)
{
    size_t n = (size_t)t->n_classes;
    return th_copy(t->output + (size_t)(t->n_outputs - 1) * n, n, sizeof *t->output, err);
}

static bool patch_all(ThInspectPatch *to, Patcher *p, const ThBatch *b,
                      const ThInspectPatchWhich *w, ThStop *stop, ThError *err)
{
    ThModelTrace *trace TH_OWNED(th_model_trace_free) = th_model_trace(p->m, b->token, b->T, err);
    bool ok = trace && fits(p->m, p->from, trace, w, err);
    to->length = b->T;
    to->n_classes = p->m->signature.n_classes;
    to->n_layers = ok ? trace->n_layers : 0;
    if (ok && p->from->n_layers < to->n_layers)
        to->n_layers = p->from->n_layers;
    to->source = ok ? last_answer(p->from, err) : NULL;
    to->target = ok ? last_answer(trace, err) : NULL;
    ok = to->source && to->target;
    for (int i = 0; ok && i < to->n_layers; i++)
        if (w->layer < 0 || w->layer == i)
            ok = patch_layer(to, p, b, trace, w, i, stop, err);
    if (ok && to->n_rows == 0) {
        ok = th_fail(err, TH_EVALUE, "no vector of the model is about that alone in both strings");
        th_hint(err, "trace lists the vectors of a string with what each is about");
    }
    return ok;
}

ThInspectPatch *th_inspect_patch(const ThModel *m, const ThTaskWord *from, const ThTaskWord *to,
                                 const ThInspectPatchWhich *which, ThStop *stop, ThError *err)
{
    if (!th_model_need_levels(m, err))
        return NULL;
    ThInspectPatch *out = th_alloc(1, sizeof *out, err);
    int *source TH_OWNED(free) = th_copy(from->token, (size_t)from->n, sizeof *source, err);
    int *target TH_OWNED(free) = th_copy(to->token, (size_t)to->n, sizeof *target, err);
    Patcher p = {0};
    ThBatch b = {.B = 1, .T = to->n, .token = target};
    bool ok = out && source && target && open_patcher(&p, m, err) &&
              take_from(&p, source, from->n, err) && patch_all(out, &p, &b, which, stop, err);
    close_patcher(&p);
    return TH_KEEP_IF(ok, out, th_inspect_patch_free);
}

void th_inspect_patch_free(ThInspectPatch *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->n_rows; i++)
        free(p->row[i].logit);
    TH_FREE(p->row, p->source, p->target, p);
}

/* ---- pairs of a task ---- */

typedef struct {
    const ThTask *task;
    Patcher patcher;
    ThFunctions *function;
    ThBatch from, to, mixed; /* mixed: `to` with a segment of `from` */
    ThInspectCause *cause;
    int n;
    ThStop *stop;
} Causes;

/* Is it what the task wants of the mixed string?  -1: it wants nothing there. */
static int is_right(const Causes *c, const double *logit)
{
    const ThSignature *s = &c->task->signature;
    int n = s->n_classes, last = s->target == TH_TARGET_FINAL ? 0 : c->mixed.T - 1;
    const int *want = c->mixed.target + (s->target == TH_TARGET_BITS ? last * n : last);
    if (*want < 0)
        return -1;
    if (s->target != TH_TARGET_BITS)
        return th_score_class(logit, n) == *want;
    for (int k = 0; k < n; k++)
        if ((logit[k] > 0) != want[k])
            return 0;
    return 1;
}

static bool replace_one(Causes *c, const int at[3], double *logit, ThError *err)
{
    const ThModelTraceLayer *l = &c->patcher.from->layer[at[0]];
    int first = l->first[at[1]], n = l->last[at[1]] - first + 1;
    memcpy(c->mixed.token, c->to.token, (size_t)c->to.T * sizeof *c->to.token);
    memcpy(c->mixed.token + first, c->from.token + first, (size_t)n * sizeof *c->to.token);
    th_task_label(c->task, &c->mixed);
    int one = th_functions_index(c->function, c->from.token + first, n, err);
    int two = th_functions_index(c->function, c->to.token + first, n, err);
    if (one < 0 || two < 0 || !run_patched(&c->patcher, &c->to, at, logit, err))
        return false;
    int right = is_right(c, logit);
    ThInspectCause *to = &c->cause[at[0]];
    if (right >= 0 && one == two) {
        to->same++;
        to->same_right += right;
    } else if (right >= 0) {
        to->other++;
        to->other_right += right;
    }
    return true;
}

static bool make_room(Causes *c, ThError *err)
{
    if (c->cause)
        return true;
    c->n = c->patcher.from->n_layers;
    c->cause = th_alloc((size_t)c->n, sizeof *c->cause, err);
    return c->cause != NULL;
}

static bool replace_each(Causes *c, double *logit, ThError *err)
{
    if (!take_from(&c->patcher, c->from.token, c->from.T, err) || !make_room(c, err))
        return false;
    const ThModelTrace *t = c->patcher.from;
    ThPath *path TH_OWNED(th_path_free) = th_path_of_trace(t, err);
    bool ok = path != NULL;
    for (int l = 0; ok && l < t->n_layers; l++)
        for (int i = 0; ok && i < t->layer[l].n_rows; i++)
            if (path->row[l][i])
                ok = !th_stopped(c->stop, err) && replace_one(c, (int[]){l, i, i}, logit, err);
    return ok;
}

static bool sample(Causes *c, const ThInspectPairs *pairs, int pair, ThError *err)
{
    ThRng r = th_rng(pairs->seed, "inspect.patch", (uint64_t)pair);
    return th_task_sample(c->task, &r, pairs->length, &c->from, err) &&
           th_task_sample(c->task, &r, pairs->length, &c->to, err) &&
           th_task_sample(c->task, &r, pairs->length, &c->mixed, err) &&
           ((c->from.T == c->to.T && c->mixed.T == c->to.T) ||
            th_fail(err, TH_EVALUE, "the strings of this task differ in length"));
}

ThInspectCause *th_inspect_causes(const ThModel *m, const ThTask *t, const ThDfa *machine,
                                  const ThInspectPairs *pairs, ThStop *stop, int *n, ThError *err)
{
    Causes c = {.task = t, .stop = stop, .from = {.B = 1}, .to = {.B = 1}, .mixed = {.B = 1}};
    if (!m->kind->combine)
        return th_null(
            th_fail(err, TH_EVALUE,
                    "no vector of a model of kind %s stands for a segment of the string alone",
                    m->kind->name));
    if (t->kind->ragged)
        return th_null(th_fail(err, TH_EVALUE, "the strings of this task differ in length"));
    double *logit TH_OWNED(free) = th_alloc((size_t)m->signature.n_classes, sizeof *logit, err);
    c.function = th_functions_new(machine, err);
    bool ok = logit && c.function && open_patcher(&c.patcher, m, err);
    for (int i = 0; ok && i < pairs->pairs; i++)
        ok = sample(&c, pairs, i, err) && replace_each(&c, logit, err);
    close_patcher(&c.patcher);
    th_functions_free(c.function);
    th_batch_free(&c.from);
    th_batch_free(&c.to);
    th_batch_free(&c.mixed);
    *n = c.n;
    if (ok)
        return c.cause;
    free(c.cause);
    return NULL;
}
