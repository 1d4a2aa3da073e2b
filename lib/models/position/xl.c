/* The relative positions of Transformer-XL (Dai et al. 2019, section 3.3): the logit of query i and
 * key j is ((q_i + u)·k_j + (q_i + v)·R(i-j) W_R)/√d_h with u, v and W_R of each layer. */
#include <math.h>

#include "models/position/position.h"

enum { RELATIVE, U, V };

static bool check(const ThPosition *p, ThError *err)
{
    return p->dim % 2 == 0 ||
           th_fail(err, TH_EUSAGE, "position=xl pairs sines with cosines: dim=%d must be even",
                   p->dim);
}

static void bind_layer(ThPosition *p, int *param, ThModelBuilder *b)
{
    int d = p->dim;
    param[RELATIVE] = th_model_build_matrix(b, "attention.relative", d, d);
    param[U] = th_model_build(b, "attention.content_bias", 1, d, TH_INIT_NORMAL, 0.02);
    param[V] = th_model_build(b, "attention.position_bias", 1, d, TH_INIT_NORMAL, 0.02);
}

/* R (2T-1, d): row T-1+j-i holds the sines, then the cosines, of the distance i-j at frequencies
 * that fall geometrically from 1 to 1/10000. */
static ThVar distances(const ThPosition *p, ThTape *t, int T)
{
    int d = p->dim, half = d / 2;
    size_t rows = 2 * (size_t)T - 1, width = (size_t)d;
    float *r = th_tape_take(t, rows * width, sizeof *r);
    for (int k = 0; r && k < half; k++) {
        double frequency = pow(10000, -2.0 * k / d);
        for (int delta = 0; delta < T; delta++) {
            float sine = (float)sin(delta * frequency), cosine = (float)cos(delta * frequency);
            float *after = r + (size_t)(T - 1 - delta) * width + k;
            float *before = r + (size_t)(T - 1 + delta) * width + k;
            before[0] = -sine;
            after[0] = sine;
            before[half] = after[half] = cosine;
        }
    }
    return r ? th_tape_constant(t, (int)rows, d, r) : -1;
}

static void at_attention(const ThPosition *p, ThTape *t, int layer, ThVar distance,
                         ThOpAttention *how)
{
    how->u = th_param(t, p->layer[layer][U]);
    how->v = th_param(t, p->layer[layer][V]);
    how->xl = th_op_linear(t, distance, th_param(t, p->layer[layer][RELATIVE]), -1);
}

/* (q + v)·R(i-j) beside the product with the key. */
static int pair(const ThPosition *p)
{
    return p->dim;
}

const ThPositionKind th_position_xl = {
    .name = "xl",
    .summary = "Transformer-XL's: sines and cosines of the distance, by content and by place",
    .source = "Dai et al. 2019, section 3.3",
    .causal = true,
    .full = true,
    .check = check,
    .bind_layer = bind_layer,
    .prepare = distances,
    .pair = pair,
    .at_attention = at_attention,
};
