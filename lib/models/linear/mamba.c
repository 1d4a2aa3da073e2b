/* The selective state space model of Mamba (Gu and Dao 2023, section 3): for every channel a real
 * diagonal whose time step, input and output depend on the input.  With signed eigenvalues
 * (Grazzi et al. 2025) the diagonal reaches from -1 to 1. */
#include <math.h>

#include "models/linear/linear.h"

static const ThOptionSpec options[] = {
    TH_MODEL_LINEAR_OPTIONS,
    {"state", TH_INT, "16", 1, 1024, NULL, "numbers in the state of a channel"},
    {"expand", TH_INT, "2", 1, 16, NULL, "channels within a layer, in widths"},
    {"eigenvalues", TH_CHOICE, "positive", 0, 0, "signed|positive",
     "of the transition: exp(ΔA), or 2 exp(ΔA) - 1"},
    {"rank", TH_INT, NULL, 1, 65536, NULL,
     "numbers that the time step is made of, dim / 16 if not given"},
    TH_MODEL_LINEAR_DECODER,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { IN, GATE, SHORT, SHORT_BIAS, SELECT, TIME, TIME_BIAS, DECAY, SKIP, OUTPUT };
enum { WIDTH = 4 }; /* of the convolution */

typedef struct {
    int d, channels, states, rank;
} Sizes;

static Sizes sizes_of(const ThOptions *o)
{
    int d = (int)th_option_int(o, "dim");
    return (Sizes){.d = d,
                   .channels = d * (int)th_option_int(o, "expand"),
                   .states = (int)th_option_int(o, "state"),
                   .rank = (int)th_option_int_or(o, "rank", (d + 15) / 16)};
}

static int state_size(const ThOptions *o)
{
    Sizes z = sizes_of(o);
    return z.channels * (z.states + WIDTH - 1);
}

static ThModelLinearBlocks blocks(const ThOptions *o)
{
    Sizes z = sizes_of(o);
    return (ThModelLinearBlocks){.blocks = z.channels * z.states, .size = 1};
}

/* A_n = -(n + 1), of which the logarithm is learned. */
static double draw_decay(ThRng *r TH_UNUSED, int row, int col TH_UNUSED)
{
    return log(row + 1);
}

/* Softplus of it is log-uniform between 0.001 and 0.1. */
static double draw_time(ThRng *r, int row TH_UNUSED, int col TH_UNUSED)
{
    return log(expm1(exp(log(0.001) + th_rng_uniform(r) * log(100))));
}

static int matrix(ThModelBuilder *b, const char *name, int rows, int cols)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_UNIFORM, 1 / sqrt(rows));
    th_param_hidden(&b->m->params, index, 1);
    return index;
}

static void add(ThModelBuilder *b, int *param)
{
    Sizes z = sizes_of(&b->m->options);
    param[IN] = matrix(b, "input", z.d, z.channels);
    param[GATE] = matrix(b, "gate", z.d, z.channels);
    param[SHORT] =
        th_model_build(b, "convolution", WIDTH, z.channels, TH_INIT_UNIFORM, 1 / sqrt(WIDTH));
    param[SHORT_BIAS] =
        th_model_build(b, "convolution_bias", 1, z.channels, TH_INIT_UNIFORM, 1 / sqrt(WIDTH));
    param[SELECT] = matrix(b, "select", z.channels, z.rank + 2 * z.states);
    param[TIME] = matrix(b, "time", z.rank, z.channels);
    param[TIME_BIAS] = th_model_build_drawn(b, "time_bias", 1, z.channels, draw_time);
    param[DECAY] = th_model_build_drawn(b, "decay", z.states, z.channels, draw_decay);
    param[SKIP] = th_model_build_vector(b, "skip", z.channels, TH_INIT_ONE);
    param[OUTPUT] = matrix(b, "output", z.channels, z.d);
}

/* h <- exp(ΔA) h + (Δ x) Bᵀ, read by C; what comes before `start`, the state's first columns. */
static ThVar selective_scan(ThTape *t, const ThOptions *o, const int *param,
                            const ThModelLinearInput *in, ThVar x)
{
    Sizes z = sizes_of(o);
    ThVar select = th_op_linear(t, x, th_param(t, param[SELECT]), -1);
    ThVar low = th_op_columns(t, select, 0, z.rank);
    ThVar time =
        th_op_map(t, th_op_linear(t, low, th_param(t, param[TIME]), th_param(t, param[TIME_BIAS])),
                  TH_MAP_SOFTPLUS);
    ThOpFastWeights w = {
        .B = in->B,
        .T = in->T,
        .heads = 1,
        .rows = z.states,
        .cols = z.channels,
        .steps = 1,
        .length = in->length,
        .negative = th_option_choice(o, "eigenvalues") == 0,
        .states = in->states,
        .k = th_op_columns(t, select, z.rank, z.states),
        .q = th_op_columns(t, select, z.rank + z.states, z.states),
        .v = th_op_multiply(t, time, x),
        .rate = -1,
        .keep = -1,
        .time = time,
        .decay = th_op_scale(t, th_op_map(t, th_param(t, param[DECAY]), TH_MAP_EXP), -1),
        .start = in->start < 0 ? -1 : th_op_columns(t, in->start, 0, z.channels * z.states)};
    return th_op_fast_weights(t, &w);
}

static ThModelLinearOutput run(ThTape *t, const ThOptions *o, const int *param,
                               const ThModelLinearInput *in)
{
    Sizes z = sizes_of(o);
    int n = z.channels * z.states, D = z.channels;
    ThVar before = in->start < 0 ? -1 : th_op_columns(t, in->start, n, (WIDTH - 1) * D), state = -1;
    ThVar u = th_op_linear(t, in->x, th_param(t, param[IN]), -1);
    ThModelLinearConvolved c = th_model_linear_convolve(t, in, th_model_linear_rows(t, in, u),
                                                        th_param(t, param[SHORT]), before);
    ThVar x = th_op_map(t, th_op_add_row(t, c.output, th_param(t, param[SHORT_BIAS])), TH_MAP_SILU);
    ThVar y = selective_scan(t, o, param, in, x);
    if (in->states) {
        state = th_op_beside(t, (ThVar[]){th_op_columns(t, y, D, n), c.recent}, 2);
        y = th_op_columns(t, y, 0, D);
    }
    y = th_op_add(t, y, th_op_times_row(t, x, th_param(t, param[SKIP])));
    ThVar gate = th_op_map(t, th_op_linear(t, in->x, th_param(t, param[GATE]), -1), TH_MAP_SILU);
    y = th_op_multiply(t, y, th_model_linear_rows(t, in, gate));
    return (ThModelLinearOutput){state, th_op_linear(t, y, th_param(t, param[OUTPUT]), -1)};
}

static const ThModelLinearLayer layer = {
    .state = state_size, .blocks = blocks, .add = add, .run = run};

const ThModelKind th_model_mamba = {
    .name = "mamba",
    .summary = "selective state space model: a real diagonal that depends on the input",
    .source = "Gu and Dao 2023 (Mamba: Linear-Time Sequence Modeling with Selective State Spaces), "
              "section 3; signed eigenvalues from Grazzi et al. 2025",
    .detail =
        "A convolution over four symbols and SiLU make x; time step Δ, input B and output C "
        "are linear in it; h <- exp(ΔA) h + Δ B x, y = C h + D x, gated by another map of the "
        "input.  Positive eigenvalues cannot count modulo 2 without end; signed ones can, but "
        "not modulo 3.",
    .options = options,
    .check = th_model_linear_check,
    .part = &layer,
    TH_MODEL_LINEAR_KIND,
};
