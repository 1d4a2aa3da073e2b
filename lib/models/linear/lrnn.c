/* The block-diagonal linear recurrence whose transition is a function of the input (Fan, Chi,
 * Rudnicky and Ramadge 2024): x_k = A(u_k) x_{k-1} + v(u_k), A of blocks along the diagonal, each
 * from a network of two layers and then made so small that the state stays bounded. */
#include "models/linear/linear.h"

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

static ThModelLinearOutput run(ThTape *t, const ThOptions *o, const int *param,
                               const ThModelLinearInput *in)
{
    int b = (int)th_option_int(o, "block");
    bool centred = th_option_choice(o, "norm") == NORM_CODE;
    ThVar r = network(t, in->x, param + UP, param + BLOCKS);
    ThVar a = th_op_bound_blocks(t, r, b, th_option_real(o, "p"), centred);
    ThVar v = network(t, in->x, param + VALUE_UP, param + VALUE);
    ThScan scan = {in->B, in->T, in->length, in->index, in->index};
    ThVar x = th_op_scan_blocks(t, a, v, in->start, b, &scan);
    return (ThModelLinearOutput){x, x};
}

static const ThModelLinearLayer layer = {
    .state = state_size, .blocks = blocks, .add = add, .start = start, .run = run};

const ThModelKind th_model_lrnn = {
    .name = "lrnn",
    .summary = "linear recurrence with blocks that depend on the input",
    .source = "Fan, Chi, Rudnicky and Ramadge 2024 (Advancing Regular Language Reasoning in Linear "
              "Recurrent Neural Networks)",
    .detail =
        "x_k = A(u_k) x_{k-1} + v(u_k): A has blocks along its diagonal, which a network of two "
        "layers makes of the input, as another does v; x_0 is learned.  The paper bounds each "
        "column, its code subtracts the columns' means and divides the block: norm= chooses.  "
        "Above p=1 neither keeps the state bounded: a block of b rows can make it b^(1-1/p) times "
        "as large with a symbol, √2 for 8 and 1.2, so that long strings can leave the range of "
        "floats; p=1 cannot.  To count is to permute: that has columns of norm 1, but 1.35 without "
        "their means (8 rows), so that norm=code makes a counter forget, by 1 or 2 % a symbol.  "
        "The paper uses layers=1, and layers=3 for modular arithmetic.",
    .options = options,
    .check = check,
    .part = &layer,
    .advance = th_model_linear_advance,
    TH_MODEL_LINEAR_KIND,
};
