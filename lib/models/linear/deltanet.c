/* DeltaNet (Schlag, Irie and Schmidhuber 2021; Yang et al. 2024) with eigenvalues from -1 to 1
 * (Grazzi et al. 2025), and DeltaProduct, which takes several steps a symbol (Siems et al. 2025).
 * Each head has a matrix S from keys to values, and corrects what it says of a key:
 * S <- S (I - β k kᵀ) + β v kᵀ, y = S q / √d_k: an RMS norm follows, of which the small number that
 * is added to the mean square makes the factor count where states are small. */
#include <math.h>

#include "models/linear/linear.h"

#define OPTIONS(steps)                                                                             \
    TH_MODEL_LINEAR_OPTIONS,                                                                       \
        TH_MODEL_OPTION("heads", TH_INT, "4", 1, 1024, NULL,                                       \
                        "matrices side by side; they divide dim"),                                 \
        TH_MODEL_OPTION("steps", TH_INT, steps, 1, 16, NULL, "corrections for every symbol"),      \
        TH_MODEL_OPTION("eigenvalues", TH_CHOICE, "signed", 0, 0, "signed|positive",               \
                        "of the transition along a key: from -1, or from 0, to 1"),                \
        TH_MODEL_OPTION("convolution", TH_FLAG, "yes", 0, 0, NULL,                                 \
                        "keys, queries and values see the three symbols before, too"),             \
        TH_MODEL_OPTION("gate", TH_FLAG, "no", 0, 0, NULL, "the input gates what is read"),        \
        TH_MODEL_OPTION("forget", TH_FLAG, "no", 0, 0, NULL,                                       \
                        "the input says what share of a head's matrix is kept"),                   \
        TH_MODEL_LINEAR_DECODER
static const ThOptionSpec delta_options[] = {OPTIONS("1"), {0}},
                          product_options[] = {OPTIONS("2"), {0}};

enum { QUERY, KEY, VALUE, RATE, SHORT, GAIN = SHORT + 3, GATE, LOG_DECAY, TIME, BIAS, OUTPUT };
enum { WIDTH = 4 }; /* of the convolutions */

/* What the options say. */
typedef struct {
    int d, heads, size, steps;
    bool convolution, gate, forget;
    double scale, epsilon; /* of rates; of the norm of what is read */
} Sizes;

static Sizes sizes_of(const ThOptions *o)
{
    int d = (int)th_option_int(o, "dim"), heads = (int)th_option_int(o, "heads");
    return (Sizes){.d = d,
                   .heads = heads,
                   .size = d / heads,
                   .steps = (int)th_option_int(o, "steps"),
                   .convolution = th_option_flag(o, "convolution"),
                   .gate = th_option_flag(o, "gate"),
                   .forget = th_option_flag(o, "forget"),
                   .epsilon = th_option_real_or(o, "norm_epsilon", 1e-5),
                   .scale = th_option_choice(o, "eigenvalues") == 0 ? 2 : 1};
}

static bool check(const ThOptions *o, ThError *err)
{
    long long dim = th_option_int(o, "dim"), heads = th_option_int(o, "heads");
    if (dim % heads != 0)
        return th_fail(err, TH_EUSAGE, "dim=%lld cannot be cut into heads=%lld", dim, heads);
    return th_model_linear_check(o, err);
}

/* Columns of queries, keys and values that a convolution sees. */
static int seen(const Sizes *z)
{
    return z->d * (1 + 2 * z->steps);
}

static int matrices(const Sizes *z)
{
    return z->d * z->size;
}

static int state_size(const ThOptions *o)
{
    Sizes z = sizes_of(o);
    return matrices(&z) + (z.convolution ? (WIDTH - 1) * seen(&z) : 0);
}

/* The rows of S, one for each number of a value. */
static ThModelLinearBlocks blocks(const ThOptions *o)
{
    Sizes z = sizes_of(o);
    return (ThModelLinearBlocks){.blocks = z.d, .size = z.size};
}

static double draw_decay(ThRng *r, int row TH_UNUSED, int col TH_UNUSED)
{
    return log(16 * (1 - th_rng_uniform(r)));
}

/* Softplus of it is log-uniform between 0.001 and 0.1. */
static double draw_time(ThRng *r, int row TH_UNUSED, int col TH_UNUSED)
{
    return log(expm1(exp(log(0.001) + th_rng_uniform(r) * log(100))));
}

static int matrix(ThModelBuilder *b, const char *name, int rows, int cols)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_UNIFORM,
                               exp2(-2.5) * sqrt(6.0 / (rows + cols)));
    th_param_hidden(&b->m->params, index, 1);
    return index;
}

static void add(ThModelBuilder *b, int *param)
{
    Sizes z = sizes_of(&b->m->options);
    param[QUERY] = matrix(b, "query", z.d, z.d);
    param[KEY] = matrix(b, "key", z.d, z.steps * z.d);
    param[VALUE] = matrix(b, "value", z.d, z.steps * z.d);
    param[RATE] = matrix(b, "rate", z.d, z.steps * z.heads);
    if (z.convolution)
        param[SHORT] =
            th_model_build(b, "convolution", WIDTH, seen(&z), TH_INIT_UNIFORM, 1 / sqrt(WIDTH));
    param[GAIN] = th_model_build_vector(b, "read.gain", z.size, TH_INIT_ONE);
    if (z.gate)
        param[GATE] = matrix(b, "gate", z.d, z.d);
    if (z.forget) {
        param[LOG_DECAY] = th_model_build_drawn(b, "decay", 1, z.heads, draw_decay);
        param[TIME] = matrix(b, "time", z.d, z.heads);
        param[BIAS] = th_model_build_drawn(b, "time_bias", 1, z.heads, draw_time);
    }
    param[OUTPUT] = matrix(b, "output", z.d, z.d);
}

/* Each run of `size` columns divided by its length. */
static ThVar normalised(ThTape *t, ThVar x, int size)
{
    int rows = th_tape_rows(t, x), cols = th_tape_cols(t, x);
    ThVar each = th_op_reshape(t, x, rows * (cols / size), size);
    ThVar square = th_op_affine(t, th_op_row_sums(t, th_op_map(t, each, TH_MAP_SQUARE)), 1, 1e-6);
    ThVar by = th_op_map(t, th_op_map(t, square, TH_MAP_SQRT), TH_MAP_RECIPROCAL);
    return th_op_reshape(t, th_op_times_column(t, each, by), rows, cols);
}

/* What a head keeps: exp(-exp(decay) softplus(a u + bias)). */
static ThVar kept(ThTape *t, const int *param, ThVar u)
{
    ThVar time = th_op_linear(t, u, th_param(t, param[TIME]), th_param(t, param[BIAS]));
    ThVar decay = th_op_scale(t, th_op_map(t, th_param(t, param[LOG_DECAY]), TH_MAP_EXP), -1);
    return th_op_map(t, th_op_times_row(t, th_op_map(t, time, TH_MAP_SOFTPLUS), decay), TH_MAP_EXP);
}

/* RMS norm of what a head reads, gate, and output projection. */
static ThVar answer(ThTape *t, const Sizes *z, const int *param, ThVar u, ThVar y)
{
    int rows = th_tape_rows(t, y);
    ThVar each = th_op_reshape(t, y, rows * z->heads, z->size);
    y = th_op_reshape(t, th_model_rms_norm(t, each, param[GAIN], z->epsilon), rows, z->d);
    if (z->gate)
        y = th_op_multiply(
            t, y, th_op_map(t, th_op_linear(t, u, th_param(t, param[GATE]), -1), TH_MAP_SILU));
    return th_op_linear(t, y, th_param(t, param[OUTPUT]), -1);
}

static ThVar project(ThTape *t, const int *param, int which, ThVar u)
{
    return th_op_linear(t, u, th_param(t, param[which]), -1);
}

static ThModelLinearOutput run(ThTape *t, const ThOptions *o, const int *param,
                               const ThModelLinearInput *in)
{
    Sizes z = sizes_of(o);
    int d = z.d, wide = z.steps * d, m = matrices(&z);
    ThVar u = in->x, start = in->start;
    ThVar all = th_op_beside(t,
                             (ThVar[]){project(t, param, QUERY, u), project(t, param, KEY, u),
                                       project(t, param, VALUE, u)},
                             3);
    ThModelLinearConvolved c = {th_model_linear_rows(t, in, all), -1};
    if (z.convolution)
        c = th_model_linear_convolve(t, in, c.output, th_param(t, param[SHORT]),
                                     start < 0 ? -1 : th_op_columns(t, start, m, 3 * seen(&z)));
    all = th_op_map(t, c.output, TH_MAP_SILU);
    ThVar rate = th_op_scale(t, th_op_map(t, project(t, param, RATE, u), TH_MAP_SIGMOID), z.scale);
    ThOpFastWeights w = {
        .B = in->B,
        .T = in->T,
        .heads = z.heads,
        .rows = z.size,
        .cols = z.size,
        .steps = z.steps,
        .length = in->length,
        .states = in->states,
        .q = th_op_scale(t, normalised(t, th_op_columns(t, all, 0, d), z.size), 1 / sqrt(z.size)),
        .k = normalised(t, th_op_columns(t, all, d, wide), z.size),
        .v = th_op_columns(t, all, d + wide, wide),
        .rate = th_model_linear_rows(t, in, rate),
        .keep = z.forget ? th_model_linear_rows(t, in, kept(t, param, u)) : -1,
        .time = -1,
        .decay = -1,
        .start = start < 0 ? -1 : th_op_columns(t, start, 0, m)};
    ThVar y = th_op_fast_weights(t, &w), state = -1;
    if (in->states) {
        state = th_op_columns(t, y, d, m);
        y = th_op_columns(t, y, 0, d);
        if (z.convolution)
            state = th_op_beside(t, (ThVar[]){state, c.recent}, 2);
    }
    return (ThModelLinearOutput){state, answer(t, &z, param, th_model_linear_rows(t, in, u), y)};
}

static const ThModelLinearLayer layer = {
    .state = state_size, .blocks = blocks, .add = add, .run = run};

/* Until now queries were not divided. */
static const char *changed(const ThOptions *o TH_UNUSED)
{
    return "what a head reads was not divided by the root of its width";
}

const ThModelKind th_model_deltanet = {
    .name = "deltanet",
    .summary = "linear recurrence that corrects a matrix along a key",
    .source = "Schlag, Irie and Schmidhuber 2021; Yang et al. 2024; Grazzi et al. 2025 (Unlocking "
              "State-Tracking in Linear RNNs Through Negative Eigenvalues)",
    .detail = "For each head S <- S (I - β k kᵀ) + β v kᵀ and y = S q / √(dim / heads): keys and "
              "queries have length 1, β is between 0 and 2, so that the transition has an "
              "eigenvalue from -1 to 1 along the key: at β=2 it is a reflection, which is what "
              "parity needs.  With eigenvalues=positive β ends at 1.",
    .changed = changed,
    .options = delta_options,
    .check = check,
    .part = &layer,
    TH_MODEL_LINEAR_KIND,
};

const ThModelKind th_model_deltaproduct = {
    .name = "deltaproduct",
    .summary = "deltanet with several corrections for every symbol",
    .source = "Siems et al. 2025 (DeltaProduct: Improving State-Tracking in Linear RNNs via "
              "Householder Products)",
    .detail = "The transition of a symbol is a product of `steps` matrices I - β k kᵀ: two "
              "reflections make a rotation, and m-1 of them any permutation of m things.",
    .changed = changed,
    .options = product_options,
    .check = check,
    .part = &layer,
    TH_MODEL_LINEAR_KIND,
};
