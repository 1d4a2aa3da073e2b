/* The diagonal state space model S4D-Lin (Gu, Gupta, Goel and Ré 2022, section 4): each channel has
 * a state of its own, complex and diagonal, and its input is held for a time that is learned. */
#include <math.h>

#include "models/linear/state_space.h"

static const ThOptionSpec options[] = {
    TH_MODEL_LINEAR_OPTIONS, TH_MODEL_SPACE_STATE(65536), {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* A_n = -1/2 + i π n. */
static double draw_frequency(ThRng *r TH_UNUSED, int row TH_UNUSED, int col)
{
    return acos(-1) * col;
}

static ThModelLinearBlocks blocks(const ThOptions *o)
{
    return (ThModelLinearBlocks){.blocks = th_model_space_state(o) / 2, .size = 1, .complex = true};
}

static void add(ThModelBuilder *b, int *param)
{
    th_model_space_add(b, param, draw_frequency, NULL);
}

/* Ā = exp(ΔA) and B̄ = (Ā - 1)/A, in which B = 1: the input is held for a time Δ. */
static ThModelLinearOutput run(ThTape *t, const ThOptions *o TH_UNUSED, const int *param,
                               const ThModelLinearInput *in)
{
    ThModelComplex a = th_model_space_eigenvalues(t, param);
    ThVar step = th_model_space_step(t, param);
    ThVar size = th_op_map(t, th_op_times_column(t, a.real, step), TH_MAP_EXP);
    ThVar angle = th_op_times_column(t, a.imaginary, step);
    ThModelSpaceStep s = {.w = {-1, -1}};
    s.a = (ThModelComplex){th_op_multiply(t, size, th_op_map(t, angle, TH_MAP_COS)),
                           th_op_multiply(t, size, th_op_map(t, angle, TH_MAP_SIN))};
    s.b =
        th_model_complex_times(t, (ThModelComplex){th_op_affine(t, s.a.real, 1, -1), s.a.imaginary},
                               th_model_complex_inverse(t, a));
    return th_model_space_run(t, param, in, &s, false);
}

static const ThModelLinearLayer layer = {
    .state = th_model_space_state, .blocks = blocks, .add = add, .run = run};

const ThModelKind th_model_s4d = {
    .name = "s4d",
    .summary = "diagonal state space model: for each channel a complex diagonal of its own",
    .source = "Gu, Gupta, Goel and Ré 2022, section 4 (S4D-Lin)",
    .detail = "Each channel moves by x_k = exp(ΔA) x_{k-1} + ((exp(ΔA) - 1)/A) u_k, A beginning at "
              "-1/2 + iπn, and is read as 2 Re(C x) + D u; GELU and a gated linear map mix the "
              "channels.  The transition does not depend on the input, so that training computes "
              "the same by a convolution.",
    .options = options,
    .check = th_model_space_check,
    .part = &layer,
    TH_MODEL_LINEAR_KIND,
};
