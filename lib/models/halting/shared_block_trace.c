/* What a model looked at whose block is applied again and again: a layer for each application. */
#include "models/halting/shared_block_trace.h"

#include "models/attention/sentence_pairs.h"

/* Where the positions of the string stand in the rows that the model had. */
typedef struct {
    int ends, T;      /* ends before a string; rows of a string, with its ends */
    int n, length[2]; /* strings: two for a pair */
} Places;

static Places find_places(const ThTape *t, int ends, int length)
{
    Places p = {.ends = ends};
    p.n = th_model_sides_read(t, length, p.length);
    int longest = p.length[0] > p.length[1] ? p.length[0] : p.length[1];
    p.T = (longest > 0 ? longest : 1) + 2 * ends;
    return p;
}

/* Lists the positions that a position sees; returns its row, or -1 for what stands between a pair.
 */
static int find_row(const Places *p, bool causal, int position, int *key)
{
    int side = position > p->length[0], first = side ? p->length[0] + 1 : 0;
    bool between = p->n > 1 && position == p->length[0];
    for (int j = 0; j < p->T; j++) {
        int at = j - p->ends, n = p->length[side];
        bool none = between || j >= n + 2 * p->ends || (causal && first + at > position);
        key[j] = none ? TH_MODEL_KEY_MASKED : at < 0 || at >= n ? TH_MODEL_KEY_PAD : first + at;
    }
    return between ? -1 : side * p->T + p->ends + position - first;
}

static bool trace_step(const ThModelAttention *a, const Places *p, const ThTape *t, int length,
                       int step, ThModelTraceLayer *to, ThError *err)
{
    size_t d = (size_t)a->dim, T = (size_t)p->T, heads = (size_t)a->heads;
    ThModelTraceLayer shape = {
        .n_rows = length, .dim = a->dim, .n_heads = a->heads, .n_keys = p->T};
    double *state TH_OWNED(free) = th_alloc((size_t)p->n * T * d, sizeof *state, err);
    double *weight TH_OWNED(free) = th_alloc((size_t)p->n * heads * T * T, sizeof *weight, err);
    bool ok = state && weight && th_model_trace_rows(to, &shape, err);
    if (ok) {
        th_tape_read(t, th_tape_find(t, "state", step), state);
        th_tape_read(t, th_tape_find(t, "attention", step), weight);
    }
    to->before = p->ends;
    for (int i = 0; ok && i < length; i++) {
        int row = find_row(p, a->causal, i, to->key + (size_t)i * T);
        to->last[i] = i;
        if (row < 0)
            continue;
        size_t string = (size_t)row / T, at = (size_t)row % T;
        memcpy(to->state + (size_t)i * d, state + (size_t)row * d, d * sizeof *state);
        for (size_t head = 0; head < heads; head++)
            memcpy(to->weight + (head * (size_t)length + (size_t)i) * T,
                   weight + ((string * heads + head) * T + at) * T, T * sizeof *weight);
    }
    return ok;
}

bool th_model_steps_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out,
                          ThError *err)
{
    const ThModelEncoder *e = m->layout;
    int n = 0, ends = e->ends < 0 ? 0 : 1;
    while (th_tape_find(t, "state", n) >= 0)
        n++;
    Places p = find_places(t, ends, length);
    bool ok = th_model_trace_layers(out, n, err);
    for (int i = 0; ok && i < n; i++)
        ok = trace_step(&e->attention, &p, t, length, i, &out->layer[i], err);
    return ok;
}
