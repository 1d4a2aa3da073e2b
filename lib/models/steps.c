/* What a model looked at whose block is applied again and again: a layer for each application. */
#include "models/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool trace_step(const ThModelAttention *a, int first, const ThTape *t, int length, int step,
                       ThModelTraceLayer *to, ThError *err)
{
    int d = a->dim, heads = a->heads;
    int keys = length + 2 * first;
    ThModelTraceLayer shape = {.n_rows = length, .dim = d, .n_heads = heads, .n_keys = keys};
    size_t n = (size_t)keys, cells = (size_t)heads * n * n;
    double *state = th_alloc(n * (size_t)d, sizeof *state, err);
    double *weight = th_alloc(cells, sizeof *weight, err);
    bool ok = state && weight && th_model_trace_rows(to, &shape, err);
    if (ok) {
        th_tape_read(t, th_tape_find(t, "state", step), state);
        th_tape_read(t, th_tape_find(t, "attention", step), weight);
        memcpy(to->state, state + first * d, (size_t)length * (size_t)d * sizeof *state);
    }
    for (int i = 0; ok && i < length; i++) {
        to->last[i] = i;
        for (int j = 0; j < keys; j++) {
            int at = j - first;
            to->key[i * keys + j] = at < 0 || at >= length ? TH_MODEL_KEY_PAD
                                    : a->causal && at > i  ? TH_MODEL_KEY_MASKED
                                                           : at;
        }
        for (int head = 0; head < heads; head++)
            memcpy(to->weight + ((size_t)head * (size_t)length + (size_t)i) * n,
                   weight + ((size_t)head * n + (size_t)(i + first)) * n, n * sizeof *weight);
    }
    free(state);
    free(weight);
    return ok;
}

bool th_model_steps_trace(const ThModelAttention *a, int ends, const ThTape *t, int length,
                          ThModelTrace *out, ThError *err)
{
    int n = 0;
    while (th_tape_find(t, "state", n) >= 0)
        n++;
    bool ok = th_model_trace_layers(out, n, err);
    for (int i = 0; ok && i < n; i++)
        ok = trace_step(a, ends, t, length, i, &out->layer[i], err);
    return ok;
}
