#include "inspect/routing_path.h"

double th_path_weight(const ThModelTraceLayer *l, int head, int i, int k)
{
    return l->weight[((size_t)head * l->n_rows + i) * l->n_keys + k];
}

double th_path_mean_weight(const ThModelTraceLayer *l, int i, int k)
{
    double sum = 0;
    for (int h = 0; h < l->n_heads; h++)
        sum += th_path_weight(l, h, i, k);
    return sum / l->n_heads;
}

/* True if every row lists all positions in order. */
static bool is_dense(const ThModelTraceLayer *l, int length)
{
    for (int i = 0; i < l->n_rows && l->n_keys == length; i++)
        for (int k = 0; k < length; k++)
            if (l->key[(size_t)i * length + k] != k && l->key[(size_t)i * length + k] >= 0)
                return false;
    return l->n_keys == length;
}

/* Marks the rows of layer l whose positions are wanted, and wants the positions of their keys. */
static void follow(const ThModelTraceLayer *l, bool *row, bool *wanted, bool *below, int length)
{
    for (int p = 0; p < length; p++)
        below[p] = false;
    for (int i = 0; i < l->n_rows; i++) {
        row[i] = wanted[l->last[i]];
        for (int k = 0; row[i] && k < l->n_keys; k++) {
            int key = l->key[(size_t)i * l->n_keys + k];
            if (key >= 0 && key < length)
                below[key] = true;
        }
    }
}

static bool fill(ThPath *r, const ThModelTrace *t, ThError *err)
{
    bool *wanted TH_OWNED(free) = th_alloc((size_t)t->length, sizeof *wanted, err);
    bool *below TH_OWNED(free) = th_alloc((size_t)t->length, sizeof *below, err);
    bool ok = wanted && below;
    if (ok)
        wanted[t->length - 1] = true;
    for (int l = t->n_layers - 1; ok && l >= 0; l--) {
        const ThModelTraceLayer *layer = &t->layer[l];
        r->row[l] = th_alloc((size_t)layer->n_rows, sizeof **r->row, err);
        ok = r->row[l] != NULL;
        if (ok && r->routed) {
            follow(layer, r->row[l], wanted, below, t->length);
            bool *swap = wanted;
            wanted = below;
            below = swap;
        } else if (ok && layer->n_rows > 0) {
            r->row[l][layer->n_rows - 1] = true;
        }
    }
    return ok;
}

ThPath *th_path_of_trace(const ThModelTrace *t, ThError *err)
{
    bool dense = true;
    for (int l = 0; l < t->n_layers; l++) {
        if (!t->layer[l].weight)
            return th_null(th_fail(err, TH_EVALUE, "the model has no attention to show"));
        dense = dense && is_dense(&t->layer[l], t->length);
    }
    if (t->n_layers == 0)
        return th_null(th_fail(err, TH_EVALUE, "the model has no layers to show"));
    ThPath *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    r->routed = !dense;
    r->n_layers = t->n_layers;
    r->row = th_alloc((size_t)t->n_layers, sizeof *r->row, err);
    return TH_KEEP_IF(r->row && fill(r, t, err), r, th_path_free);
}

void th_path_free(ThPath *r)
{
    if (!r)
        return;
    TH_FREE_EACH(r->row, r->n_layers);
    free(r);
}
