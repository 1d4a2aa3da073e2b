#include "models/model.h"

#include <stdio.h>

#include "base/registry.h"
#include "models/ablation.h"

#define MODEL(id) extern const ThModelKind th_model_##id;
#include "models/kinds.def"
#undef MODEL

static const ThModelKind *const kinds[] = {
#define MODEL(id) &th_model_##id,
#include "models/kinds.def"
#undef MODEL
};

TH_REGISTRY(ThModelKind, kinds, th_model_kinds, th_model_kind)

static bool take_preset(ThOptions *o, const char *values, ThError *err)
{
    char text[128], *rest = text;
    snprintf(text, sizeof text, "%s", values);
    for (char *pair; (pair = strtok_r(rest, " ", &rest));) {
        char *value = strchr(pair, '=');
        *value++ = 0;
        if (!th_option_given(o, pair) && !th_options_set(o, pair, value, err))
            return false;
    }
    return true;
}

static bool follow_size(ThOptions *o, const ThModelKind *kind, ThError *err)
{
    for (const ThModelPreset *p = kind->presets; p && p->size; p++)
        if (strcmp(th_option_text(o, "size"), p->size) == 0 && !take_preset(o, p->values, err))
            return false;
    return true;
}

ThModel *th_model_new(const ThModelKind *kind, const ThOptions *options, ThError *err)
{
    ThModel *m = th_alloc(1, sizeof *m, err);
    if (!m)
        return NULL;
    m->kind = kind;
    ThOptions *own = &m->options;
    if (th_options_copy(own, options, err) && follow_size(own, kind, err) &&
        (!kind->check || kind->check(own, err)))
        return m;
    th_options_free(own);
    free(m);
    return NULL;
}

static void free_training(ThModelTraining *t)
{
    free(t->optimizer);
    for (int k = 0; k < TH_OPTIMIZER_SLOTS; k++)
        free(t->moment[k]);
    TH_FREE(t->task, t->answers, t->made_on, t->history, t->validation, t->comparison, t->stage);
    th_batch_free(&t->joined);
    TH_FREE(t->best, t->pull);
    *t = (ThModelTraining){0};
}

void th_model_free(ThModel *m)
{
    if (!m)
        return;
    free_training(&m->training);
    th_params_free(&m->params);
    th_signature_free(&m->signature);
    th_options_free(&m->options);
    TH_FREE(m->layout, m->scores);
    for (size_t i = 0; i < m->n_ablations; i++)
        free(m->ablation[i].mean);
    TH_FREE(m->ablation, m);
}

void th_model_unbind(ThModel *m)
{
    free_training(&m->training);
    th_params_free(&m->params);
    th_signature_free(&m->signature);
    free(m->layout);
    m->layout = NULL;
    m->bound = false;
}

bool th_model_causal(const ThModel *m)
{
    for (size_t i = 0; i < m->options.n; i++)
        if (strcmp(m->options.item[i].spec->name, "causal") == 0)
            return th_option_flag(&m->options, "causal");
    return m->kind->causal;
}

bool th_model_fail_infinite(const ThModel *m, ThError *err)
{
    th_fail(err, TH_ENUMERIC, "the model's output is not a finite number");
    return m->kind->transitions &&
           th_hint(err, "where eigenvalues of its transitions are above 1, long strings make its "
                        "state larger than floats can be: spectrum shows them");
}

bool th_model_affords(const ThModel *m, double bytes, const char *what, ThError *err)
{
    const double mebibyte = 1 << 20;
    if (!m->bounds || m->bounds->memory == 0 || bytes <= (double)m->bounds->memory)
        return true;
    return th_fail(err, TH_ELIMIT, "%s would take %.0f MiB of memory, and there may be %.0f", what,
                   bytes / mebibyte, (double)m->bounds->memory / mebibyte) ||
           th_hint(err, "set limit-memory changes the limit");
}

ThTape *th_model_tape(const ThModel *m, ThTapePrecision precision, int tapes, ThError *err)
{
    ThTape *t = th_tape_new(precision, &m->params, err);
    if (t)
        th_tape_bound(t, m->bounds, tapes);
    return t;
}

ThTape *th_model_run_tape(const ThModel *m, int tapes, ThError *err)
{
    return th_model_tape(m, m->bounds ? m->bounds->runs : TH_TAPE_FLOAT, tapes, err);
}

/* Only with places=coupled does a model read what the task gives. */
static bool reads_places(const ThOptions *o)
{
    return th_option_known(o, "places") && th_option_given(o, "places") &&
           strcmp(th_option_text(o, "places"), "coupled") == 0;
}

bool th_model_bind(ThModel *m, const ThSignature *s, uint64_t seed, ThError *err)
{
    if (m->bound)
        return th_signature_match(&m->signature, s, err);
    if (s->next && !th_model_causal(m))
        return th_fail(err, TH_EUSAGE,
                       "the task asks for the symbols that follow, and this %s looks ahead",
                       m->kind->name) ||
               th_hint(err, "make the model with causal=yes, where it has that option");
    if (!th_signature_copy(&m->signature, s, err))
        return false;
    if (!reads_places(&m->options))
        m->signature.places = (ThSignaturePlaces){0};
    if (!m->kind->bind(m, err) ||
        !th_model_affords(m, (double)m->params.total * sizeof(float), "the parameters", err) ||
        !th_params_allocate(&m->params, seed, m->bounds ? m->bounds->stop : NULL, err)) {
        th_model_unbind(m);
        return false;
    }
    m->training.seed = seed;
    m->bound = true;
    return true;
}

bool th_model_size(const ThModel *m, const ThSignature *s, size_t *numbers, ThError *err)
{
    ThModel *c TH_OWNED(th_model_free) = th_model_new(m->kind, &m->options, err);
    bool ok = c && th_signature_copy(&c->signature, s, err) && c->kind->bind(c, err);
    *numbers = ok ? th_params_count(&c->params) : 0;
    return ok;
}

static bool copy_floats(float **to, const float *from, size_t n, ThError *err)
{
    if (!from)
        return true;
    *to = th_params_floats(n, err);
    if (!*to)
        return false;
    memcpy(*to, from, n * sizeof *from);
    return true;
}

static bool copy_text(char **to, const char *from, ThError *err)
{
    *to = from ? th_strdup(from, err) : NULL;
    return *to || !from;
}

static bool copy_training(ThModelTraining *to, const ThModelTraining *from, size_t total,
                          const ThSignature *s, ThError *err)
{
    *to = *from;
    to->optimizer = to->task = to->answers = to->made_on = NULL;
    for (int k = 0; k < TH_OPTIMIZER_SLOTS; k++)
        to->moment[k] = NULL;
    to->history = NULL;
    to->validation = NULL;
    to->comparison = NULL;
    to->stage = NULL;
    to->joined = (ThBatch){0};
    to->best = NULL;
    to->pull = NULL;
    to->cap_history = from->n_history;
    to->cap_validations = from->n_validations;
    to->cap_comparisons = from->n_comparisons;
    to->cap_stages = from->n_stages;
    if (!copy_text(&to->optimizer, from->optimizer, err) ||
        !copy_text(&to->task, from->task, err) || !copy_text(&to->answers, from->answers, err) ||
        !copy_text(&to->made_on, from->made_on, err))
        return false;
    for (int k = 0; k < TH_OPTIMIZER_SLOTS; k++)
        if (!copy_floats(&to->moment[k], from->moment[k], total, err))
            return false;
    to->history = th_copy(from->history, from->n_history, sizeof *from->history, err);
    to->validation = th_copy(from->validation, from->n_validations, sizeof *from->validation, err);
    to->comparison = th_copy(from->comparison, from->n_comparisons, sizeof *from->comparison, err);
    to->stage = th_copy(from->stage, from->n_stages, sizeof *from->stage, err);
    return to->history && to->validation && to->comparison && to->stage &&
           th_batch_join(&to->joined, s, &from->joined, &(ThBatch){0}, err) &&
           copy_floats(&to->best, from->best, total, err) &&
           (!from->pull || (to->pull = th_copy(from->pull, from->n_pull, sizeof *to->pull, err)));
}

const double *th_model_centres(const ThModel *m, int n, int dim)
{
    const ThModelTraining *t = &m->training;
    size_t size = (size_t)n * (size_t)dim;
    return t->n_centres == n && t->n_pull >= size ? t->pull + t->n_pull - size : NULL;
}

ThModel *th_model_copy(const ThModel *m, ThError *err)
{
    ThModel *c = th_model_new(m->kind, &m->options, err);
    if (c)
        c->bounds = m->bounds;
    if (!c || !m->bound)
        return c;
    bool ok = th_model_bind(c, &m->signature, m->training.seed, err) &&
              copy_training(&c->training, &m->training, m->params.total, &m->signature, err);
    for (size_t i = 0; ok && i < m->n_ablations; i++)
        ok = th_model_ablate(c, &m->ablation[i], err);
    if (!ok) {
        th_model_free(c);
        return NULL;
    }
    memcpy(c->params.value, m->params.value, m->params.total * sizeof *m->params.value);
    return c;
}

/* Fails the tape on a batch that the model cannot read. */
static bool check_batch(const ThModel *m, ThTape *t, const ThBatch *b)
{
    ThError err = {0};
    if (!th_batch_fits(b->B, b->T, &err)) {
        th_tape_fail(t, err.code, "%s", err.msg);
        return false;
    }
    for (int i = 0; i < b->B * b->T; i++) {
        if (b->token[i] < 0 || b->token[i] >= m->signature.n_symbols) {
            th_tape_fail(t, TH_EVALUE, "symbol number %d of an alphabet of %d", b->token[i],
                         m->signature.n_symbols);
            return false;
        }
    }
    for (int i = 0; b->length && i < b->B; i++) {
        if (b->length[i] < 1 || b->length[i] > b->T) {
            th_tape_fail(t, TH_EVALUE, "a string of %d symbols in %d columns", b->length[i], b->T);
            return false;
        }
    }
    return true;
}

ThVar th_model_forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    if (!check_batch(m, t, b))
        return -1;
    return th_tape_note(t, th_model_run(m, t, b, how), "logits", -1);
}

static void free_layer(ThModelTraceLayer *l)
{
    TH_FREE(l->first, l->last, l->state, l->key, l->weight);
}

void th_model_trace_free(ThModelTrace *t)
{
    if (!t)
        return;
    for (int i = 0; t->layer && i < t->n_layers; i++)
        free_layer(&t->layer[i]);
    TH_FREE(t->layer, t->output, t);
}

bool th_model_trace_layers(ThModelTrace *trace, int n, ThError *err)
{
    trace->layer = th_alloc((size_t)n, sizeof *trace->layer, err);
    trace->n_layers = trace->layer ? n : 0;
    return trace->layer != NULL;
}

bool th_model_trace_rows(ThModelTraceLayer *l, const ThModelTraceLayer *shape, ThError *err)
{
    size_t rows = (size_t)shape->n_rows, keys = rows * (size_t)shape->n_keys;
    *l = *shape;
    l->first = th_alloc(rows, sizeof *l->first, err);
    l->last = th_alloc(rows, sizeof *l->last, err);
    l->state = th_alloc(rows * (size_t)shape->dim, sizeof *l->state, err);
    l->key = keys ? th_alloc(keys, sizeof *l->key, err) : NULL;
    l->weight = keys ? th_alloc(keys * (size_t)shape->n_heads, sizeof *l->weight, err) : NULL;
    return l->first && l->last && l->state && (!keys || (l->key && l->weight));
}

ThVar th_model_priced(ThTape *t, ThVar loss, double scale)
{
    ThVar cost = th_tape_find(t, "cost", -1);
    return cost < 0 ? loss : th_op_add(t, loss, th_op_scale(t, cost, scale));
}

bool th_model_need_levels(const ThModel *m, ThError *err)
{
    return m->kind->answer ||
           th_fail(err, TH_EVALUE,
                   "the layers of a model of kind %s do not hand on all positions at once",
                   m->kind->name);
}

ThVar th_model_level(const ThModel *m, const ThTape *t, int layer)
{
    return th_tape_find(t, m->kind->level ? m->kind->level : "state", layer);
}

/* Fills what there is to see of a string that was run. */
static bool read_trace(const ThModel *m, const ThTape *t, ThVar z, ThModelTrace *to, ThError *err)
{
    to->n_classes = m->signature.n_classes;
    to->n_outputs = th_tape_rows(t, z);
    to->output = th_alloc((size_t)to->n_outputs * (size_t)to->n_classes, sizeof *to->output, err);
    if (!to->output)
        return false;
    th_tape_read(t, z, to->output);
    return !m->kind->trace || m->kind->trace(m, t, to->length, to, err);
}

ThModelTrace *th_model_trace_on(const ThModel *m, ThTape *t, int *token, int length, ThError *err)
{
    if (length < 1)
        return th_null(th_fail(err, TH_EVALUE, "a model reads at least one symbol"));
    ThModelTrace *trace = th_alloc(1, sizeof *trace, err);
    if (!trace)
        return NULL;
    trace->length = length;
    th_tape_keep_named(t, true);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar z = th_model_forward(m, t, &(ThBatch){.B = 1, .T = length, .token = token},
                               &(ThModelForward){.share = false});
    return TH_KEEP_IF(th_tape_ok(t, err) && read_trace(m, t, z, trace, err), trace,
                      th_model_trace_free);
}

ThModelTrace *th_model_trace(const ThModel *m, const int *token, int length, ThError *err)
{
    if (!m->bound)
        return th_null(
            th_fail(err, TH_EVALUE, "the model has not been trained yet, so it has no alphabet"));
    ThTape *t TH_OWNED(th_tape_free) = th_model_run_tape(m, 1, err);
    int *copy TH_OWNED(free) = th_copy(token, (size_t)length, sizeof *token, err);
    return t && copy ? th_model_trace_on(m, t, copy, length, err) : NULL;
}
