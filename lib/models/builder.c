#include "models/builder.h"

#include <math.h>
#include <stdio.h>

int th_model_build(ThModelBuilder *b, const char *name, int rows, int cols, ThInit init,
                   double scale)
{
    char full[64];
    if (b->layer < 0)
        snprintf(full, sizeof full, "%s", name);
    else
        snprintf(full, sizeof full, "layer%d.%s", b->layer, name);
    int index = th_params_add(&b->m->params, full, rows, cols, init, scale, b->err);
    b->failed |= index < 0;
    return index;
}

int th_model_build_matrix(ThModelBuilder *b, const char *name, int rows, int cols)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_TRUNCATED, 1 / sqrt(rows));
    th_param_hidden(&b->m->params, index, 1);
    return index;
}

int th_model_build_row(ThModelBuilder *b, const char *name, int rows, int cols, const double *row)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_ZERO, 0);
    b->failed |= index < 0 || !th_param_row(&b->m->params, index, row, b->err);
    return index;
}

int th_model_build_vector(ThModelBuilder *b, const char *name, int cols, ThInit init)
{
    return th_model_build(b, name, 1, cols, init, 0);
}

int th_model_build_drawn(ThModelBuilder *b, const char *name, int rows, int cols, ThParamDraw *draw)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_DRAWN, 0);
    th_param_drawn(&b->m->params, index, draw);
    return index;
}

ThModelBuildName th_model_build_name(const char *name, const char *part)
{
    ThModelBuildName n;
    snprintf(n.text, sizeof n.text, "%s.%s", name, part);
    return n;
}

/* ---- pieces ---- */

static int zeros(ThModelBuilder *b, const char *name, const char *part, int cols)
{
    return th_model_build_vector(b, th_model_build_name(name, part).text, cols, TH_INIT_ZERO);
}

ThModelNorm th_model_build_norm(ThModelBuilder *b, const char *name, int dim)
{
    ThModelNorm n;
    n.gain = th_model_build_vector(b, th_model_build_name(name, "gain").text, dim, TH_INIT_ONE);
    n.offset = zeros(b, name, "offset", dim);
    return n;
}

ThModelNorm th_model_build_rms_norm(ThModelBuilder *b, const char *name, int dim)
{
    ThModelBuildName gain = th_model_build_name(name, "gain");
    return (ThModelNorm){th_model_build_vector(b, gain.text, dim, TH_INIT_ONE), -1};
}

ThVar th_model_norm_sum(ThTape *t, const ThModelNorm *n, ThVar x, ThVar y)
{
    return th_op_layer_norm(t, x, y, th_param(t, n->gain), th_param(t, n->offset));
}

ThVar th_model_norm(ThTape *t, const ThModelNorm *n, ThVar x)
{
    return th_model_norm_sum(t, n, x, -1);
}

ThVar th_model_rms_norm(ThTape *t, ThVar x, int gain, double epsilon)
{
    double d = th_tape_cols(t, x);
    ThVar squares = th_op_row_sums(t, th_op_map(t, x, TH_MAP_SQUARE));
    ThVar root = th_op_map(t, th_op_affine(t, squares, 1 / d, epsilon), TH_MAP_SQRT);
    ThVar normal = th_op_times_column(t, x, th_op_map(t, root, TH_MAP_RECIPROCAL));
    return th_op_times_row(t, normal, th_param(t, gain));
}

int th_model_build_hidden(ThModelBuilder *b, const char *name, int rows, int cols, bool adds)
{
    double by = adds && b->shrink > 0 ? b->shrink : 1;
    return b->matrix ? b->matrix(b, name, rows, cols, by)
                     : th_model_build_matrix(b, name, rows, cols);
}

ThModelNetwork th_model_build_network(ThModelBuilder *b, const char *name, int in, int wide,
                                      int out)
{
    ThModelNetwork n;
    n.up = th_model_build_hidden(b, th_model_build_name(name, "up").text, in, wide, false);
    n.up_bias = zeros(b, name, "up_bias", wide);
    n.down = th_model_build_hidden(b, th_model_build_name(name, "down").text, wide, out, true);
    n.down_bias = zeros(b, name, "down_bias", out);
    return n;
}

ThVar th_model_network(ThTape *t, const ThModelNetwork *n, ThVar x)
{
    ThVar f = th_op_linear_gelu(t, x, th_param(t, n->up), th_param(t, n->up_bias));
    return th_op_linear(t, f, th_param(t, n->down), th_param(t, n->down_bias));
}

/* x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, which is x σ(2 √(2/π) x (1 + 0.044715 x²)). */
ThVar th_model_network_gelu_tanh(ThTape *t, const ThModelNetwork *n, ThVar x)
{
    const double by = 2 * sqrt(2 / M_PI);
    ThVar u = th_op_linear(t, x, th_param(t, n->up), th_param(t, n->up_bias));
    ThVar grown = th_op_affine(t, th_op_map(t, u, TH_MAP_SQUARE), 0.044715 * by, by);
    ThVar f = th_op_multiply(t, u, th_op_map(t, th_op_multiply(t, u, grown), TH_MAP_SIGMOID));
    return th_op_linear(t, f, th_param(t, n->down), th_param(t, n->down_bias));
}

ThVar th_model_network_relu(ThTape *t, const ThModelNetwork *n, ThVar x)
{
    ThVar f = th_op_linear_relu(t, x, th_param(t, n->up), th_param(t, n->up_bias));
    return th_op_linear(t, f, th_param(t, n->down), th_param(t, n->down_bias));
}

ThModelHead th_model_build_head(ThModelBuilder *b, int dim)
{
    int classes = b->m->signature.n_classes;
    ThModelHead h = {.weight = th_model_build_hidden(b, "head", dim, classes, false)};
    th_param_hidden(&b->m->params, h.weight, 0);
    h.bias = th_model_build_vector(b, "head_bias", classes, TH_INIT_ZERO);
    return h;
}

ThVar th_model_head(ThTape *t, const ThModelHead *h, ThVar x)
{
    return th_op_linear(t, x, th_param(t, h->weight), th_param(t, h->bias));
}

ThModelGated th_model_build_gated(ThModelBuilder *b, const char *name, int dim, int wide)
{
    ThModelGated n;
    n.gate = th_model_build_hidden(b, th_model_build_name(name, "gate").text, dim, wide, false);
    n.up = th_model_build_hidden(b, th_model_build_name(name, "up").text, dim, wide, false);
    n.down = th_model_build_hidden(b, th_model_build_name(name, "down").text, wide, dim, true);
    return n;
}

ThVar th_model_gated(ThTape *t, const ThModelGated *n, ThVar x)
{
    ThVar gate = th_op_map(t, th_op_linear(t, x, th_param(t, n->gate), -1), TH_MAP_SILU);
    ThVar up = th_op_linear(t, x, th_param(t, n->up), -1);
    return th_op_linear(t, th_op_multiply(t, gate, up), th_param(t, n->down), -1);
}
