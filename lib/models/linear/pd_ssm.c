/* PD-SSM (Terzić et al. 2025): x' = D P x + B u, where D is a complex diagonal and P has one 1 in
 * every column, as the map of a deterministic automaton.  P comes from a sum of matrices, weighed
 * by the input: the greatest number in every column counts, and it learns by their softmax. */
#include <math.h>

#include "models/linear/linear.h"

static const ThOptionSpec options[] = {
    TH_MODEL_LINEAR_OPTIONS,
    {"state", TH_INT, "64", 1, 1024, NULL, "complex numbers in the state"},
    {"dictionary", TH_INT, "8", 1, 1024, NULL, "matrices of which the input chooses"},
    {"one_hot", TH_CHOICE, "column", 0, 0, "column|row",
     "what has one 1: column, as in the paper, where states go; row, as in its code, where they "
     "come from"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { SELECT, DICTIONARY, SIZE_UP, SIZE = SIZE_UP + 2, PHASE_UP = SIZE + 2, PHASE = PHASE_UP + 2 };
enum { INPUT = PHASE + 2, OUTPUT, SKIP = OUTPUT + 2 };

static int state_size(const ThOptions *o)
{
    return 2 * (int)th_option_int(o, "state");
}

static ThModelLinearBlocks blocks(const ThOptions *o)
{
    return (ThModelLinearBlocks){
        .blocks = 1, .size = (int)th_option_int(o, "state"), .complex = true};
}

static void add(ThModelBuilder *b, int *param)
{
    const ThOptions *o = &b->m->options;
    int d = (int)th_option_int(o, "dim"), n = (int)th_option_int(o, "state");
    int K = (int)th_option_int(o, "dictionary");
    param[SELECT] = th_model_build(b, "select", d, K, TH_INIT_UNIFORM, 1 / sqrt(d));
    param[DICTIONARY] = th_model_build(b, "dictionary", K, n * n, TH_INIT_NORMAL, 1 / sqrt(n));
    th_model_linear_map(b, "size.up", d, 2 * n, param + SIZE_UP);
    th_model_linear_map(b, "size.down", 2 * n, n, param + SIZE);
    th_model_linear_map(b, "phase.up", d, 2 * n, param + PHASE_UP);
    th_model_linear_map(b, "phase.down", 2 * n, n, param + PHASE);
    param[INPUT] = th_model_build(b, "input", d, 2 * n, TH_INIT_NORMAL, 1 / sqrt(2.0 * n));
    th_model_linear_map(b, "output", 2 * n, d, param + OUTPUT);
    param[SKIP] = th_model_build(b, "skip", 1, d, TH_INIT_NORMAL, 1 / sqrt(d));
}

/* The first of the unit vectors. */
static ThVar start(ThTape *t, const int *param)
{
    int n = th_tape_cols(t, th_param(t, param[INPUT]));
    float *x = th_tape_take(t, (size_t)n, sizeof *x);
    for (int j = 0; x && j < n; j++)
        x[j] = j == 0;
    return x ? th_tape_constant(t, 1, n, x) : -1;
}

/* The sigmoid of a network of two layers. */
static ThVar share(ThTape *t, ThVar u, const int *first, const int *second)
{
    ThVar up = th_op_linear_gelu(t, u, th_param(t, first[0]), th_param(t, first[1]));
    return th_op_map(t, th_model_linear_apply(t, up, second), TH_MAP_SIGMOID);
}

/* D = r exp(iφ), its real parts beside its imaginary ones. */
static ThVar diagonal(ThTape *t, ThVar u, const int *param)
{
    ThVar size = share(t, u, param + SIZE_UP, param + SIZE);
    ThVar phase = th_op_scale(t, share(t, u, param + PHASE_UP, param + PHASE), 2 * acos(-1));
    ThVar part[] = {th_op_multiply(t, size, th_op_map(t, phase, TH_MAP_COS)),
                    th_op_multiply(t, size, th_op_map(t, phase, TH_MAP_SIN))};
    return th_op_beside(t, part, 2);
}

static ThModelLinearOutput run(ThTape *t, const ThOptions *o, const int *param,
                               const ThModelLinearInput *in)
{
    ThVar u = in->x, select = th_op_linear(t, u, th_param(t, param[SELECT]), -1);
    ThVar x = th_op_scan_one_hot(
        t, &(ThOpOneHot){.B = in->B,
                         .T = in->T,
                         .length = in->length,
                         .row = in->index,
                         .by_columns = th_option_choice(o, "one_hot") == 0,
                         .choice = th_op_softmax(t, select),
                         .matrices = th_param(t, param[DICTIONARY]),
                         .diagonal = diagonal(t, u, param),
                         .added = th_op_linear(t, u, th_param(t, param[INPUT]), -1),
                         .start = in->start});
    ThVar skip = th_op_times_row(t, u, th_param(t, param[SKIP]));
    ThVar y = th_model_linear_apply(t, x, param + OUTPUT);
    return (ThModelLinearOutput){x, th_op_add(t, y, th_model_linear_rows(t, in, skip))};
}

static const ThModelLinearLayer layer = {.state = state_size,
                                         .blocks = blocks,
                                         .add = add,
                                         .start = start,
                                         .run = run,
                                         .norm_after = true};

static const char *changed(const ThOptions *o TH_UNUSED)
{
    return "layer norm stood before the layers, and the head had two";
}

const ThModelKind th_model_pd_ssm = {
    .name = "pd_ssm",
    .summary = "linear recurrence by maps of states and a complex diagonal",
    .source = "Terzić et al. 2025 (Structured Sparse Transition Matrices to Enable State Tracking "
              "in State-Space Models)",
    .detail = "x' = D P x + B u from the first unit vector: P has one 1 in every column, so that "
              "one-hot states stay so, and any automaton of as many states is exact in one layer.  "
              "P comes from a dictionary by hard choice and learns by the softmax: its gradient is "
              "not a slope.  As its authors have it, layer norm is behind each layer, there is no "
              "residual around any, and the head is linear; the paper uses layers=2 dim=128 "
              "state=128, and dropout, which is not here.",
    .changed = changed,
    .options = options,
    .part = &layer,
    TH_MODEL_LINEAR_KIND,
};
