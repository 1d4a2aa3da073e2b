/* The block-diagonal linear recurrence whose transition is a function of the input (Fan, Chi,
 * Rudnicky and Ramadge 2024): x_k = A(u_k) x_{k-1} + v(u_k), A of blocks along the diagonal, each
 * from a network of two layers and then made so small that the state stays bounded. */
#include <math.h>

#include "models/linear.h"

static const ThOptionSpec options[] = {
    TH_MODEL_LINEAR_OPTIONS,
    {"block", TH_INT, "8", 1, 1024, NULL, "rows of a block; they divide dim"},
    {"norm", TH_CHOICE, "code", 0, 0, "code|paper",
     "code: columns lose their mean, and the block is divided by the norm of its greatest column; "
     "paper: columns of norm greater than 1 are divided by it"},
    {"p", TH_REAL, "1.2", 1, 100, NULL, "of the norm of a column"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
enum { NORM_CODE, NORM_PAPER }; /* norm= */

enum { UP, BLOCKS = UP + 2, VALUE_UP = BLOCKS + 2, VALUE = VALUE_UP + 2, START = VALUE + 2 };

static bool check(const ThOptions *o, ThError *err)
{
    long long dim = th_option_int(o, "dim"), block = th_option_int(o, "block");
    return dim % block == 0 ||
           th_fail(err, TH_EUSAGE, "dim=%lld cannot be cut into blocks of block=%lld", dim, block);
}

static int state_size(const ThOptions *o)
{
    return (int)th_option_int(o, "dim");
}

static ThModelLinearBlocks blocks(const ThOptions *o)
{
    int d = (int)th_option_int(o, "dim"), b = (int)th_option_int(o, "block");
    return (ThModelLinearBlocks){.blocks = d / b, .size = b};
}

static void add(ThModelBuilder *b, int *param)
{
    const ThOptions *o = &b->m->options;
    int d = (int)th_option_int(o, "dim"), wide = d * (int)th_option_int(o, "block");
    th_model_linear_map(b, "transition.up", d, wide, param + UP);
    th_model_linear_map(b, "transition.blocks", wide, wide, param + BLOCKS);
    th_model_linear_map(b, "value.up", d, d, param + VALUE_UP);
    th_model_linear_map(b, "value.down", d, d, param + VALUE);
    param[START] = th_model_build(b, "start", 1, d, TH_INIT_NORMAL, 1);
}

static ThVar start(ThTape *t, const int *param)
{
    return th_param(t, param[START]);
}

/* Two layers with ReLU between them. */
static ThVar network(ThTape *t, ThVar u, const int *first, const int *second)
{
    ThVar up = th_op_linear_relu(t, u, th_param(t, first[0]), th_param(t, first[1]));
    return th_model_linear_apply(t, up, second);
}

/* (b*b, b): sums the columns of a block that lies row by row; its transpose spreads them again. */
static ThVar column_of(ThTape *t, int b)
{
    float *value = th_tape_take(t, (size_t)(b * b) * (size_t)b, sizeof *value);
    for (int i = 0; value && i < b * b; i++)
        for (int j = 0; j < b; j++)
            value[i * b + j] = i % b == j;
    return value ? th_tape_constant(t, b * b, b, value) : -1;
}

/* x^power of what is positive; 0 counts as 1e-30. */
static ThVar to_power(ThTape *t, ThVar x, double power)
{
    ThVar logarithm = th_op_map(t, th_op_affine(t, x, 1, 1e-30), TH_MAP_LOG);
    return th_op_map(t, th_op_scale(t, logarithm, power), TH_MAP_EXP);
}

/* Blocks (n, b*b) of bounded columns. */
static ThVar bounded(ThTape *t, const ThOptions *o, ThVar r)
{
    int b = (int)th_option_int(o, "block");
    double p = th_option_real(o, "p");
    ThVar column = column_of(t, b);
    bool code = th_option_choice(o, "norm") == NORM_CODE;
    if (code) {
        ThVar mean = th_op_scale(t, th_op_linear(t, r, column, -1), 1.0 / b);
        r = th_op_subtract(t, r, th_op_linear_transposed(t, mean, column));
    }
    ThVar sums = th_op_linear(t, to_power(t, th_op_map(t, r, TH_MAP_ABS), p), column, -1);
    if (code)
        return th_op_times_column(t, r, to_power(t, th_op_row_maxima(t, sums), -1 / p));
    ThVar over = th_op_relu(t, th_op_affine(t, to_power(t, sums, 1 / p), 1, -1));
    ThVar share = th_op_map(t, th_op_affine(t, over, 1, 1), TH_MAP_RECIPROCAL);
    return th_op_multiply(t, r, th_op_linear_transposed(t, share, column));
}

static ThModelLinearOutput run(ThTape *t, const ThOptions *o, const int *param,
                               const ThModelLinearInput *in)
{
    int d = (int)th_option_int(o, "dim"), b = (int)th_option_int(o, "block");
    int rows = th_tape_rows(t, in->x);
    ThVar r = network(t, in->x, param + UP, param + BLOCKS);
    ThVar a = bounded(t, o, th_op_reshape(t, r, rows * (d / b), b * b));
    ThVar v = network(t, in->x, param + VALUE_UP, param + VALUE);
    ThScan scan = {in->B, in->T, in->length, in->index, in->index};
    ThVar x = th_op_scan_blocks(t, th_op_reshape(t, a, rows, d * b), v, in->start, b, &scan);
    return (ThModelLinearOutput){x, x};
}

static const ThModelLinearLayer layer = {
    .state = state_size, .blocks = blocks, .add = add, .start = start, .run = run};

const ThModelKind th_model_lrnn = {
    .name = "lrnn",
    .summary = "linear recurrence with blocks that depend on the input",
    .source = "Fan, Chi, Rudnicky and Ramadge 2024 (Advancing Regular Language Reasoning in Linear "
              "Recurrent Neural Networks)",
    .detail = "x_k = A(u_k) x_{k-1} + v(u_k): A has blocks along its diagonal, which a network of "
              "two layers makes of the input, as another does v; x_0 is learned.  The paper "
              "bounds each column, its code subtracts the columns' means and divides the block: "
              "norm= chooses.  The paper uses layers=1, and layers=3 for modular arithmetic.",
    .options = options,
    .check = check,
    .part = &layer,
    TH_MODEL_LINEAR_KIND,
};
