#include "models/ablation.h"

/* ---- what there is ---- */

/* Where layers are as many on any string there is a last one. */
static bool has_layer(const ThModel *m, const ThModelTrace *t, int layer)
{
    int most = t->n_layers;
    if (m->kind->levels)
        return true;
    if (th_option_known(&m->options, "steps"))
        most = (int)th_option_int(&m->options, "steps");
    return layer < most;
}

static bool fit_head(const ThModelTrace *t, ThModelAblation *a, ThError *err)
{
    const ThModelTraceLayer *l = t->layer;
    if (t->n_layers == 0 || !l->weight)
        return th_fail(err, TH_EVALUE, "the model has no attention");
    if (a->number >= l->n_heads)
        return th_fail(err, TH_EVALUE, "there is no head %d among %d", a->number + 1, l->n_heads);
    a->cols = l->dim / l->n_heads;
    a->first = a->number * a->cols;
    return true;
}

bool th_model_ablation_fit(const ThModel *m, ThModelAblation *a, ThError *err)
{
    if (a->part == TH_MODEL_POSITION && m->signature.pairs)
        return th_fail(err, TH_EVALUE, "the model reads the sides of a pair by themselves");
    if (a->part != TH_MODEL_POSITION && !th_model_need_levels(m, err))
        return false;
    ThTape *t TH_OWNED(th_tape_free) = m->bound ? th_model_tape(m, TH_TAPE_FLOAT, 1, err) : NULL;
    if (!t)
        return th_fail(err, TH_EVALUE, "the model has not been trained yet: it has no parts");
    ThModelTrace *trace TH_OWNED(th_model_trace_free) = th_model_trace_on(m, t, &(int){0}, 1, err);
    bool ok = trace != NULL;
    if (ok && a->part != TH_MODEL_POSITION && !has_layer(m, trace, a->layer))
        ok =
            th_fail(err, TH_EVALUE, "there is no level %d among %d", a->layer + 1, trace->n_layers);
    if (ok && a->part == TH_MODEL_HEAD) {
        ok = fit_head(trace, a, err);
    } else if (ok) {
        bool level = a->part == TH_MODEL_LEVEL;
        a->first = 0;
        a->cols =
            th_tape_cols(t, level ? th_model_level(m, t, 0) : th_tape_find(t, "embedding", -1));
    }
    return ok;
}

bool th_model_ablate(ThModel *m, const ThModelAblation *a, ThError *err)
{
    size_t n = m->n_ablations, have = n;
    ThModelAblation own = *a;
    if (a->mean && !(own.mean = th_copy(a->mean, (size_t)a->cols, sizeof *a->mean, err)))
        return false;
    if (!th_grow(&m->ablation, &have, n + 1, sizeof *m->ablation, err)) {
        free(own.mean);
        return false;
    }
    m->ablation[n] = own;
    m->n_ablations = n + 1;
    return true;
}

bool th_model_whole(const ThModel *m, const char *what, ThError *err)
{
    if (m->n_ablations == 0)
        return true;
    return th_fail(err, TH_EVALUE, "%s would not know what is ablated in this model", what) ||
           th_hint(err, "name the model that it was made of");
}

/* ---- what is put in its place ---- */

bool th_model_ablation_meets(const ThModel *m, const ThModelAblation *a, const char *name,
                             int index)
{
    const char *level = m->kind->level ? m->kind->level : "state";
    if (a->part == TH_MODEL_POSITION)
        return strcmp(name, "embedding") == 0;
    return (a->layer < 0 || a->layer == index) &&
           strcmp(name, a->part == TH_MODEL_HEAD ? "heads" : level) == 0;
}

static ThVar silence_columns(ThTape *t, const ThModelAblation *a, ThVar v)
{
    int cols = th_tape_cols(t, v);
    float *keep = th_tape_take(t, 2 * (size_t)cols, sizeof *keep), *put = keep ? keep + cols : NULL;
    if (!keep)
        return -1;
    for (int i = 0; i < cols; i++) {
        bool silent = i >= a->first && i < a->first + a->cols;
        keep[i] = !silent;
        put[i] = silent && a->mean ? a->mean[i - a->first] : 0;
    }
    v = th_op_times_row(t, v, th_tape_constant(t, 1, cols, keep));
    return a->mean ? th_op_add_row(t, v, th_tape_constant(t, 1, cols, put)) : v;
}

ThVar th_model_put_row(ThTape *t, ThVar v, int first, int each, const float *row)
{
    int rows = th_tape_rows(t, v), *pick = th_tape_take(t, (size_t)rows, sizeof *pick);
    if (!pick)
        return -1;
    for (int i = 0; i < rows; i++)
        pick[i] = i % each == first ? rows : i;
    ThVar put = th_tape_constant(t, 1, th_tape_cols(t, v), row);
    return th_op_rows(t, th_op_stack(t, v, put), pick, rows, 1);
}

/* Of every string the row of a position; some models put rows before the first. */
static ThVar silence_position(ThTape *t, const ThModelAblation *a, const ThBatch *b, ThVar v)
{
    int each = th_tape_rows(t, v) / b->B;
    if (a->number >= b->T)
        return v;
    if (a->mean)
        return th_model_put_row(t, v, each - b->T + a->number, each, a->mean);
    float *zero = th_tape_take(t, (size_t)a->cols, sizeof *zero);
    if (!zero)
        return -1;
    memset(zero, 0, (size_t)a->cols * sizeof *zero);
    return th_model_put_row(t, v, each - b->T + a->number, each, zero);
}

typedef struct {
    const ThModel *m;
    const ThBatch *b;
    const ThTapeWatch *before; /* who watches the tape besides; may be NULL */
} Silence;

static ThVar see(void *context, ThTape *t, ThVar v, const char *name, int index)
{
    const Silence *s = context;
    for (size_t i = 0; i < s->m->n_ablations && v >= 0; i++) {
        const ThModelAblation *a = &s->m->ablation[i];
        if (th_model_ablation_meets(s->m, a, name, index))
            v = a->part == TH_MODEL_POSITION ? silence_position(t, a, s->b, v)
                                             : silence_columns(t, a, v);
    }
    return s->before ? s->before->see(s->before->context, t, v, name, index) : v;
}

ThVar th_model_run(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    if (m->n_ablations == 0)
        return m->kind->forward(m, t, b, how);
    ThModelForward own = *how;
    Silence s = {.m = m, .b = b};
    for (size_t i = 0; i < m->n_ablations; i++)
        own.share = own.share && m->ablation[i].part != TH_MODEL_POSITION;
    s.before = th_tape_watch(t, &(ThTapeWatch){see, &s});
    ThVar z = m->kind->forward(m, t, b, &own);
    th_tape_watch(t, s.before);
    return z;
}
