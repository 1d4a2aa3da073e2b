#include <math.h>
#include <stdio.h>
#include <string.h>

#include "change_impl.h"
#include "own.h"

void change_weights(Change *x, int n)
{
    const ThParams *p = &x->m->params;
    x->changed = true;
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)change_below(x, (int)p->total),
               from = (size_t)change_below(x, (int)p->total);
        change_note(x, "weight", (long)at);
        p->value[at] = (float)change_number(x, (double)p->value[at], (double)p->value[from]);
    }
}

static float *weights(const ThModel *m, const char *name)
{
    int i = th_params_find(&m->params, name);
    return i < 0 ? NULL : th_params_at(&m->params, i);
}

/* One class is said whatever comes, or never; or two come near to each other. */
void change_read_out(Change *x)
{
    int n = x->m->signature.n_classes, a = change_below(x, n), b = change_below(x, n);
    float *bias = weights(x->m, "answer_bias"); /* of an lrnn */
    bias = bias ? bias : weights(x->m, "head_bias");
    x->changed = true;
    change_note(x, "head", a);
    if (change_below(x, 2)) {
        bias[a] += change_below(x, 2) ? 100 : -100;
        return;
    }
    bias[a] += 0.5F;
    bias[b] -= 1;
}

/* to <- a number of its own for every symbol, by the embedding. */
static void find_places(const ThModel *m, int d, int *to)
{
    const float *e = weights(m, "embedding");
    for (int s = 0; s < m->signature.n_symbols; s++) {
        to[s] = 0;
        for (int i = 1; i < d; i++)
            to[s] = e[s * d + i] > e[s * d + to[s]] ? i : to[s];
    }
}

/* Of a compiled lrnn whose symbols forget all before: they lead to the first column of their
 * matrix by a share of what the state says, and add the rest. */
static void add_rest(const ThModel *m, double share)
{
    Own o;
    int d = (int)th_option_int(&m->options, "dim"), place[OWN_SYMBOLS];
    float *up = weights(m, "layer0.value.up"), *down = weights(m, "layer0.value.down");
    bool ok = own_read(&o, m);
    find_places(m, d, place);
    for (int i = 0; ok && i < d * d; i++)
        up[i] = i / d == i % d;
    memset(weights(m, "layer0.value.up_bias"), 0, (size_t)d * sizeof *up);
    memset(weights(m, "layer0.value.down_bias"), 0, (size_t)d * sizeof *up);
    memset(down, 0, (size_t)(d * d) * sizeof *down);
    for (int s = 0; ok && s < o.n_symbols; s++)
        down[place[s] * d] = 1;
    Own unit;
    ok = ok && own_read(&unit, m);
    for (int s = 0; ok && s < o.n_symbols; s++)
        for (int i = 0; i < d; i++)
            down[place[s] * d + i] =
                (float)((1 - share) / share * o.matrix[s][i * d] / unit.added[s][0]);
}

/* What a symbol does to the state of a compiled lrnn shrinks, so that it can be proved of some
 * languages; other weights change little. */
void change_shrink(Change *x)
{
    static const char *const name[] = {"layer0.transition.blocks", "layer0.transition.blocks_bias"};
    double by = th_rng_uniform(&x->r), noise = pow(10, -8 * th_rng_uniform(&x->r)) / 3;
    x->changed = true;
    change_note(x, "shrunk, per cent", (long)(100 * by));
    for (int i = 0; i < 2; i++) {
        const ThParam *p = &x->m->params.item[th_params_find(&x->m->params, name[i])];
        for (int k = 0; k < p->rows * p->cols; k++)
            x->m->params.value[p->offset + (size_t)k] *= (float)by;
    }
    if (change_below(x, 4) > 0)
        add_rest(x->m, by);
    for (size_t i = 0; i < x->m->params.total; i++)
        x->m->params.value[i] *= (float)(1 + noise * th_rng_normal(&x->r));
}

void change_hard(Change *x)
{
    static const float by[] = {0, -1, 0.5F, 2, 3, -0.5F};
    const ThParams *p = &x->m->params;
    x->changed = true;
    for (int i = 1 + change_below(x, 3); i > 0; i--) {
        size_t at;
        do
            at = (size_t)change_below(x, (int)p->total);
        while (p->value[at] == 0 && change_below(x, 20) > 0);
        change_note(x, "weight", (long)at);
        p->value[at] = p->value[at] != 0 ? p->value[at] * by[change_below(x, 6)]
                                         : 0.25F * (float)(change_below(x, 33) - 16);
    }
}

void change_steep(Change *x)
{
    static const float by[] = {0.03125F, 0.0625F, 0.125F, 0.25F, 0.5F, 0.75F, 2};
    int layers = (int)th_option_int(&x->m->options, "layers"), which = change_below(x, 7);
    int layer = change_below(x, layers);
    x->changed = true;
    change_note(x, "steepness, 1000", (long)(1000 * by[which]));
    for (int i = 0; i < 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "layer%d.attention.query%s", layer, i ? "_bias" : "");
        const ThParam *p = &x->m->params.item[th_params_find(&x->m->params, name)];
        for (int k = 0; k < p->rows * p->cols; k++)
            x->m->params.value[p->offset + (size_t)k] *= by[which];
    }
}

void change_to_ties(Change *x)
{
    x->changed = true;
    change_note(x, "ties", 0);
    for (int i = 0; i < 2; i++) {
        const ThParam *p =
            &x->m->params.item[th_params_find(&x->m->params, i ? "head_bias" : "head")];
        memset(x->m->params.value + p->offset, 0, (size_t)(p->rows * p->cols) * sizeof(float));
    }
}

void change_beginning(Change *x, int n)
{
    size_t at = 0;
    while (at < x->m->params.total && x->m->params.value[at] != 1.5F)
        at++;
    change_note(x, "a's counted", n);
    if (at < x->m->params.total)
        x->m->params.value[at] = (float)n - 0.5F;
}

/* What hidden units see of two vectors: of symbols, of something drawn. */
static void seen(Change *x, const Own *o, double *u)
{
    double a[OWN_WIDE], b[OWN_WIDE];
    own_leaf(o, change_below(x, o->n_symbols), a);
    own_leaf(o, change_below(x, o->n_symbols), b);
    own_middle(o, change_below(x, 3) == 0 ? NULL : a, b, u);
    for (int i = 0; change_below(x, 2) && i < o->dim; i++)
        u[i] = th_rng_normal(&x->r);
}

/* Pairs of hidden units that cancel to the last bit, and are as large as can be where they fire. */
void change_cancelling(Change *x)
{
    x->m = subject_widened(x->s->model);
    x->changed = true;
    Own o;
    own_read(&o, x->m);
    int d = o.dim, wide = d * (int)th_option_int(&x->m->options, "hidden"), pairs = wide / 4;
    bool together = x->first || change_below(x, 4) > 0, large = x->first || change_below(x, 4) > 0;
    double u[OWN_WIDE], square = 0, share = th_rng_uniform(&x->r);
    int digits = x->s->kind == SETS ? 3 : 4; /* weights of at most 1000 are taken, or any */
    double w = large ? 0.999 * pow(10, digits) : pow(10, digits * th_rng_uniform(&x->r));
    double by = large ? 0.5 * pow(10, digits) : pow(10, digits * th_rng_uniform(&x->r)) / 2;
    float *up = weights(x->m, "layer0.feed_forward.up");
    float *up_bias = weights(x->m, "layer0.feed_forward.up_bias");
    float *down = weights(x->m, "layer0.feed_forward.down");
    seen(x, &o, u);
    for (int i = 0; i < d; i++)
        square += u[i] * u[i];
    change_note(x, "cancelling, 1000 log", (long)(1000 * log10(w * by)));
    for (int k = 0; k < pairs; k++) {
        int h = wide / 2 + k, g = wide / 2 + pairs + k;
        for (int i = 0; i < d; i++) {
            up[i * wide + h] = up[i * wide + g] = (float)(w * u[i] / sqrt(square));
            down[h * d + i] = k > 0 && together ? down[(h - 1) * d + i]
                                                : (float)(by * fmin(2, th_rng_normal(&x->r)));
            down[g * d + i] = -down[h * d + i];
        }
        up_bias[h] = up_bias[g] = (float)(-w * share * sqrt(square));
    }
}
