/* The linear recurrent unit (Orvieto et al. 2023, section 3): a diagonal of complex numbers within
 * the unit circle, the same for every input; and behind it, as in their networks (appendix A), GELU
 * and a linear map of which one half gates the other. */
#include <math.h>

#include "models/linear/linear.h"

static const ThOptionSpec options[] = {
    TH_MODEL_LINEAR_OPTIONS,
    {"state", TH_INT, "64", 1, 65536, NULL, "complex numbers in the state"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { SIZE, PHASE, INPUT, OUTPUT, SKIP, GATE };

static int state_size(const ThOptions *o)
{
    return 2 * (int)th_option_int(o, "state");
}

static ThModelLinearBlocks blocks(const ThOptions *o)
{
    return (ThModelLinearBlocks){
        .blocks = (int)th_option_int(o, "state"), .size = 1, .complex = true};
}

/* |λ| = exp(-exp(ν)) with |λ|² uniform on (0, 1), and the phase exp(θ) uniform on (0, 2π). */
static double draw_size(ThRng *r, int row TH_UNUSED, int col TH_UNUSED)
{
    return log(-0.5 * log(1 - th_rng_uniform(r) * (1 - 1e-6)) + 1e-7);
}

static double draw_phase(ThRng *r, int row TH_UNUSED, int col TH_UNUSED)
{
    return log(2 * acos(-1) * (1 - th_rng_uniform(r)));
}

static void add(ThModelBuilder *b, int *param)
{
    const ThOptions *o = &b->m->options;
    int d = (int)th_option_int(o, "dim"), n = (int)th_option_int(o, "state");
    param[SIZE] = th_model_build_drawn(b, "size", 1, n, draw_size);
    param[PHASE] = th_model_build_drawn(b, "phase", 1, n, draw_phase);
    param[INPUT] = th_model_build(b, "input", d, 2 * n, TH_INIT_NORMAL, 1 / sqrt(2.0 * d));
    param[OUTPUT] = th_model_build(b, "output", 2 * n, d, TH_INIT_NORMAL, 1 / sqrt(n));
    param[SKIP] = th_model_build(b, "skip", 1, d, TH_INIT_NORMAL, 1);
    th_model_linear_map(b, "gate", d, 2 * d, param + GATE);
}

/* What is added is √(1 - |λ|²) B u; what is read, before the gate, Re(C x) + D u, in which the real
 * and imaginary parts of x have rows of the matrix of their own. */
static ThModelLinearOutput run(ThTape *t, const ThOptions *o TH_UNUSED, const int *param,
                               const ThModelLinearInput *in)
{
    ThVar decay = th_op_map(t, th_param(t, param[SIZE]), TH_MAP_EXP);
    ThVar angle = th_op_map(t, th_param(t, param[PHASE]), TH_MAP_EXP);
    ThVar size = th_op_map(t, th_op_scale(t, decay, -1), TH_MAP_EXP);
    ThVar lambda[] = {th_op_multiply(t, size, th_op_map(t, angle, TH_MAP_COS)),
                      th_op_multiply(t, size, th_op_map(t, angle, TH_MAP_SIN))};
    ThVar rest = th_op_affine(t, th_op_map(t, size, TH_MAP_SQUARE), -1, 1 + 1e-12);
    ThVar gain = th_op_map(t, rest, TH_MAP_SQRT);
    ThVar b = th_op_linear(t, in->x, th_param(t, param[INPUT]), -1);
    b = th_op_times_row(t, b, th_op_beside(t, (ThVar[]){gain, gain}, 2));
    ThScan scan = {in->B, in->T, in->length, NULL, in->index};
    ThVar x = th_op_scan_complex(t, th_op_beside(t, lambda, 2), b, in->start, &scan);
    ThVar skip = th_op_times_row(t, in->x, th_param(t, param[SKIP]));
    ThVar y = th_op_linear(t, x, th_param(t, param[OUTPUT]), -1);
    y = th_op_map(t, th_op_add(t, y, th_model_linear_rows(t, in, skip)), TH_MAP_GELU);
    return (ThModelLinearOutput){x, th_op_gated_half(t, th_model_linear_apply(t, y, param + GATE))};
}

static const ThModelLinearLayer layer = {
    .state = state_size, .blocks = blocks, .add = add, .run = run};

static const char *changed(const ThOptions *o TH_UNUSED)
{
    return "nothing followed the recurrence";
}

const ThModelKind th_model_lru = {
    .name = "lru",
    .summary = "linear recurrent unit: a complex diagonal that no input changes",
    .source = "Orvieto et al. 2023, section 3",
    .detail =
        "x_k = λ x_{k-1} + √(1 - |λ|²) B u_k, y_k = Re(C x_k) + D u_k, in complex numbers, and "
        "then GELU and a gated linear map; "
        "|λ|² begins uniform between 0 and 1, the phase anywhere.  The transition does not "
        "depend on the input, so that order in the input is known by its decay only.",
    .changed = changed,
    .options = options,
    .part = &layer,
    TH_MODEL_LINEAR_KIND,
};
