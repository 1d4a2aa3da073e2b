#include "inspect/position_profile.h"

#include <math.h>

#include "models/attention/attention.h"

void th_inspect_positions_free(ThInspectPositions *p)
{
    if (!p)
        return;
    TH_FREE(p->logit, p);
}

/* What is looked at: one layer's encoding, on a tape in double precision. */
typedef struct {
    const ThPosition *p;
    ThTape *t;
    int n, layer;
    ThPositionSpan span;
    ThPositionRows rows;
} View;

static ThVar filled(ThTape *t, int rows, int cols, float with)
{
    float *value = th_tape_take(t, (size_t)rows * (size_t)cols, sizeof *value);
    for (int i = 0; value && i < rows * cols; i++)
        value[i] = with;
    return value ? th_tape_constant(t, rows, cols, value) : -1;
}

/* Returns new: a value in double precision, or NULL. */
static double *numbers(const ThTape *t, ThVar v, ThError *err)
{
    size_t n = (size_t)th_tape_rows(t, v) * (size_t)th_tape_cols(t, v);
    double *to = th_tape_ok(t, err) ? th_alloc(n, sizeof *to, err) : NULL;
    if (to)
        th_tape_read(t, v, to);
    return to;
}

/* The first columns of rows of q and k, cut into heads: their products over the root of a part. */
static void multiply(const double *q, const double *k, int k_width, const View *v, int heads,
                     double *to)
{
    int width = v->p->dim / heads;
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < v->n; i++)
            for (int j = 0; j < v->n; j++, to++)
                for (int c = h * width; c < (h + 1) * width; c++)
                    *to += q[(size_t)i * (size_t)v->p->dim + (size_t)c] *
                           k[(size_t)j * (size_t)k_width + (size_t)c] / sqrt(width);
}

static bool added_vectors(const View *v, double *to, ThError *err)
{
    ThVar x = filled(v->t, v->n, v->p->dim, 0);
    double *row TH_OWNED(free) = numbers(v->t, th_position_at_input(v->p, v->t, x, &v->rows), err);
    if (row)
        multiply(row, row, v->p->dim, v, 1, to);
    return row != NULL;
}

static bool turned_vectors(const View *v, double *to, ThError *err)
{
    ThVar one = filled(v->t, v->n, v->p->dim, 1), two = filled(v->t, v->n, 2 * v->p->dim, 1);
    double *q TH_OWNED(free) =
        numbers(v->t, th_position_at_queries(v->p, v->t, one, &v->rows), err);
    double *k TH_OWNED(free) =
        q ? numbers(v->t, th_position_at_keys(v->p, v->t, two, &v->rows), err) : NULL;
    if (k)
        multiply(q, k, 2 * v->p->dim, v, v->p->heads, to);
    return k != NULL;
}

/* Transformer-XL's: the part of the logit that does not depend on the query. */
static bool relative(const View *v, const ThOpAttention *how, double *to, ThError *err)
{
    double *place TH_OWNED(free) = numbers(v->t, how->v, err),
                  *row TH_OWNED(free) = numbers(v->t, how->xl, err);
    int d = v->p->dim, width = d / v->p->heads;
    for (int h = 0; place && row && h < v->p->heads; h++)
        for (int i = 0; i < v->n; i++)
            for (int j = 0; j < v->n; j++, to++)
                for (int c = h * width; c < (h + 1) * width; c++)
                    *to += place[c] * row[(size_t)(v->n - 1 + j - i) * (size_t)d + (size_t)c] /
                           sqrt(width);
    return place && row;
}

static bool bias(const View *v, const ThOpAttention *how, double *to, ThError *err)
{
    size_t n = (size_t)v->n, columns = (size_t)th_tape_cols(v->t, how->bias);
    double *from TH_OWNED(free) = numbers(v->t, how->bias, err);
    bool full = how->biased == TH_TAPE_BIAS_FULL;
    for (size_t h = 0; from && h < (size_t)v->p->heads; h++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++, to++)
                if (full || j <= i || !v->p->causal)
                    *to =
                        full ? from[(h * n + i) * columns + j] : from[h * columns + n - 1 + j - i];
    return from != NULL;
}

/* What no query sees: keys behind it where the attention is causal, or beyond a window. */
static void mask(const View *v, int heads, const int *window, double *to)
{
    const double masked = -1e29; /* windows of drawn positions are biases below that */
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < v->n; i++)
            for (int j = 0; j < v->n; j++, to++)
                if ((v->p->causal && j > i) || (window && window[h] && i - j >= window[h]) ||
                    *to < masked)
                    *to = -HUGE_VAL;
}

static bool fill(const View *v, ThInspectPositions *to, ThError *err)
{
    const ThPositionKind *kind = v->p->kind;
    ThOpAttention how = {.bias = -1, .u = -1, .v = -1, .xl = -1};
    th_position_at_attention(v->p, v->t, v->layer, &v->span, &how);
    bool ok = th_tape_ok(v->t, err);
    to->what = "added to the logit";
    if (kind->at_input)
        to->what = "product of the vectors";
    if (kind->at_queries)
        to->what = "logit of ones";
    if (kind->at_input)
        ok = ok && added_vectors(v, to->logit, err);
    if (kind->at_queries)
        ok = ok && turned_vectors(v, to->logit, err);
    if (how.xl >= 0)
        ok = ok && relative(v, &how, to->logit, err);
    if (how.biased != TH_TAPE_BIAS_NONE)
        ok = ok && bias(v, &how, to->logit, err);
    if (ok)
        mask(v, to->heads, how.window, to->logit);
    return ok;
}

/* A view, or NULL and an error. */
static const ThPosition *position_of(const ThModel *m, int layer, ThError *err)
{
    const ThModelAttention *a = m->layout;
    if (m->kind->forward != th_model_attention_forward)
        th_fail(err, TH_EVALUE, "a model of kind %s has no positional encoding", m->kind->name);
    else if (!m->bound)
        th_fail(err, TH_EVALUE, "the model has not been trained yet, so it has no parameters");
    else if (layer < 0 || layer >= a->layers)
        th_fail(err, TH_EVALUE, "there is no layer %d among %d", layer + 1, a->layers);
    else
        return &a->position;
    return NULL;
}

ThInspectPositions *th_inspect_positions(const ThModel *m, int layer, int n, ThError *err)
{
    const ThPosition *p = position_of(m, layer, err);
    ThTape *t TH_OWNED(th_tape_free) = p ? th_model_tape(m, TH_TAPE_DOUBLE, 1, err) : NULL;
    ThInspectPositions *to = t ? th_alloc(1, sizeof *to, err) : NULL;
    if (!to)
        return NULL;
    to->n = n;
    to->heads = p->kind->at_input ? 1 : p->heads;
    to->logit = th_alloc((size_t)to->heads * (size_t)n * (size_t)n, sizeof *to->logit, err);
    View v = {.p = p, .t = t, .n = n, .layer = layer, .span = {.B = 1, .T = n}};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    th_position_prepare(p, t, NULL, NULL, &v.span);
    v.rows = (ThPositionRows){.n = n, .T = n, .position = v.span.place};
    bool ok = to->logit && th_tape_ok(t, err) && fill(&v, to, err);
    return TH_KEEP_IF(ok, to, th_inspect_positions_free);
}

bool th_inspect_position_cost(const ThModel *m, ThInspectPositionCost *to)
{
    const ThModelAttention *a = m->layout;
    if (m->kind->forward != th_model_attention_forward || !m->bound)
        return false;
    const ThPosition *p = &a->position;
    int windowed = th_position_windowed(p) < a->layers ? th_position_windowed(p) : a->layers;
    long long layers = a->layers, width = a->dim / a->heads, far = 0, near = 0;
    int window[1024] = {0}; /* as many as the option heads allows */
    if (p->kind->windows)
        p->kind->windows(p, window);
    for (int h = 0; h < a->heads; h++) {
        far += layers - (window[h] ? windowed : 0);
        near += window[h] * windowed;
    }
    long long own = p->kind->pair ? p->kind->pair(p) : 0;
    bool once = p->kind->bind_bias && p->tied;
    *to = (ThInspectPositionCost){.name = p->kind->name,
                                  .numbers = p->numbers,
                                  .pair = 2 * width * far + own * (once ? 1 : layers),
                                  .window = 2 * width * near};
    if (a->causal && th_position_stays(p))
        to->kept = 2 * layers * a->dim * (long long)sizeof(float);
    return true;
}
