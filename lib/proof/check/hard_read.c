/* hard_read.c - the weights of a bare Transformer as doubles, and room for what its run remembers.
 */
#include <stdio.h>

#include "models/ablation.h"
#include "proof/check/hard_impl.h"
#include "proof/map_impl.h"

typedef ThProofHardLayer Layer;
typedef ThProofHardRun Hard;

static double *read(ThProofReader *r, int layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, layer < 0 ? "%.0d%s" : "layer%d.%s", layer < 0 ? 0 : layer, name);
    return th_proof_read_whole(r, full);
}

static bool read_layer(Hard *k, ThProofReader *r, int i)
{
    Layer *l = &k->layer[i];
    const struct {
        const char *name;
        double **to;
    } all[] = {{"attention.query", &l->query},
               {"attention.query_bias", &l->query_bias},
               {"attention.key_value", &l->key_value},
               {"attention.key_value_bias", &l->key_value_bias},
               {"attention.output", &l->output},
               {"attention.output_bias", &l->output_bias},
               {"feed_forward.up", &l->up},
               {"feed_forward.up_bias", &l->up_bias},
               {"feed_forward.down", &l->down},
               {"feed_forward.down_bias", &l->down_bias}};
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        *all[n].to = read(r, i, all[n].name);
    l->task = th_alloc((size_t)k->heads, sizeof *l->task, r->err);
    l->key = th_alloc((size_t)k->dim, sizeof *l->key, r->err);
    l->value = th_alloc((size_t)k->dim, sizeof *l->value, r->err);
    l->same = th_alloc((size_t)k->dim, sizeof *l->same, r->err);
    l->sign = th_alloc((size_t)k->dim, sizeof *l->sign, r->err);
    return !r->failed && l->task && l->key && l->value && l->same && l->sign;
}

static bool read_soft(Hard *k, ThProofReader *r)
{
    size_t numbers = (size_t)k->layers * (size_t)k->dim;
    k->longest = (int)r->m->params.item[th_params_find(&r->m->params, "position")].rows;
    k->position = read(r, -1, "position");
    k->placed = th_alloc((size_t)k->dim, sizeof *k->placed, k->err);
    k->seen_by = th_alloc((size_t)k->dim, sizeof *k->seen_by, k->err);
    k->seen = th_alloc(numbers * TH_PROOF_SEEN, sizeof *k->seen, k->err);
    return k->position && k->placed && k->seen_by && k->seen;
}

static bool read_model(Hard *k, const ThModel *m)
{
    enum { CHOICES = 65 };
    ThProofReader r = {.m = m, .err = k->err};
    size_t d = (size_t)k->dim, size = (size_t)k->size;
    k->layer = th_alloc((size_t)k->layers, sizeof *k->layer, k->err);
    k->mean = th_alloc(d, sizeof *k->mean, k->err);
    k->digit = th_alloc(2 * (size_t)CHOICES, sizeof *k->digit, k->err);
    k->from = th_alloc(2 * size + 5 * d + 4 * d + (size_t)k->hidden + (size_t)k->classes,
                       sizeof *k->from, k->err);
    if (!k->layer || !k->mean || !k->digit || !k->from)
        return false;
    k->radix = k->digit + CHOICES;
    k->to = k->from + size;
    k->x = k->to + size;
    k->sums = k->x + d;
    k->z = k->sums + 2 * d;
    k->logits = k->z + 2 * d;
    k->hidden_units = k->logits + k->classes;
    if (k->soft && !read_soft(k, &r))
        return false;
    k->embedding = read(&r, -1, "embedding");
    k->head = read(&r, -1, "head");
    k->head_bias = read(&r, -1, "head_bias");
    for (int i = 0; i < k->layers; i++)
        if (!read_layer(k, &r, i))
            return false;
    return !r.failed;
}

bool th_proof_hard_open(Hard *k, const ThModel *m)
{
    const ThOptions *o = &m->options;
    k->dim = (int)th_option_int(o, "dim");
    k->heads = (int)th_option_int(o, "heads");
    k->layers = (int)th_option_int(o, "layers");
    k->hidden = (int)th_option_int(o, "hidden");
    k->width = k->dim / k->heads;
    k->symbols = m->signature.n_symbols;
    k->classes = m->signature.n_classes;
    k->average = th_option_choice(o, "attention") == TH_TAPE_AVERAGE;
    k->soft = th_proof_is_soft(m);
    k->size = k->layers * k->heads * (1 + k->width);
    return th_model_whole(m, "a proof", k->err) && th_proof_finite(&m->params, k->err) &&
           read_model(k, m);
}

void th_proof_hard_close(Hard *k)
{
    for (int i = 0; k->layer && i < k->layers; i++) {
        Layer *l = &k->layer[i];
        TH_FREE(l->query, l->query_bias, l->key_value, l->key_value_bias, l->output, l->output_bias,
                l->up, l->up_bias, l->down, l->down_bias, l->task, l->key, l->value, l->same,
                l->sign);
    }
    TH_FREE(k->layer, k->mean, k->digit, k->from, k->embedding, k->head, k->head_bias, k->position,
            k->placed, k->seen_by, k->seen);
}
