#include "models/linear/state_space.h"

#include <math.h>

bool th_model_space_check(const ThOptions *o, ThError *err)
{
    return th_option_int(o, "state") % 2 == 0 ||
           th_fail(err, TH_EUSAGE, "state=%lld is odd: its numbers come in complex pairs",
                   th_option_int(o, "state"));
}

int th_model_space_modes(const ThOptions *o)
{
    return (int)th_option_int(o, "state") / 2;
}

int th_model_space_state(const ThOptions *o)
{
    return 2 * th_model_space_modes(o) * (int)th_option_int(o, "dim");
}

/* ln Δ is uniform between ln 0.001 and ln 0.1. */
static double draw_step(ThRng *r, int row TH_UNUSED, int col TH_UNUSED)
{
    return log(0.001) + th_rng_uniform(r) * log(100);
}

void th_model_space_add(ThModelBuilder *b, int *param, ThParamDraw *frequency, const double *given)
{
    const ThOptions *o = &b->m->options;
    int d = (int)th_option_int(o, "dim"), n = th_model_space_modes(o);
    double deviation = sqrt(0.5);
    param[TH_MODEL_SPACE_DECAY] = th_model_build(b, "decay", d, n, TH_INIT_CONSTANT, log(0.5));
    param[TH_MODEL_SPACE_FREQUENCY] = frequency
                                          ? th_model_build_drawn(b, "frequency", d, n, frequency)
                                          : th_model_build_row(b, "frequency", d, n, given);
    param[TH_MODEL_SPACE_STEP] = th_model_build_drawn(b, "step", d, 1, draw_step);
    param[TH_MODEL_SPACE_OUTPUT] =
        th_model_build(b, "output.real", d, n, TH_INIT_NORMAL, deviation);
    param[TH_MODEL_SPACE_OUTPUT + 1] =
        th_model_build(b, "output.imaginary", d, n, TH_INIT_NORMAL, deviation);
    param[TH_MODEL_SPACE_SKIP] = th_model_build(b, "skip", 1, d, TH_INIT_NORMAL, 1);
    th_model_linear_map(b, "gate", d, 2 * d, param + TH_MODEL_SPACE_GATE);
}

ThModelComplex th_model_complex_times(ThTape *t, ThModelComplex a, ThModelComplex b)
{
    return (ThModelComplex){th_op_subtract(t, th_op_multiply(t, a.real, b.real),
                                           th_op_multiply(t, a.imaginary, b.imaginary)),
                            th_op_add(t, th_op_multiply(t, a.real, b.imaginary),
                                      th_op_multiply(t, a.imaginary, b.real))};
}

ThModelComplex th_model_complex_inverse(ThTape *t, ThModelComplex a)
{
    ThVar square =
        th_op_add(t, th_op_map(t, a.real, TH_MAP_SQUARE), th_op_map(t, a.imaginary, TH_MAP_SQUARE));
    return (ThModelComplex){th_op_divide(t, a.real, square),
                            th_op_scale(t, th_op_divide(t, a.imaginary, square), -1)};
}

ThModelComplex th_model_space_eigenvalues(ThTape *t, const int *param)
{
    ThVar decay = th_op_map(t, th_param(t, param[TH_MODEL_SPACE_DECAY]), TH_MAP_EXP);
    return (ThModelComplex){th_op_scale(t, decay, -1),
                            th_param(t, param[TH_MODEL_SPACE_FREQUENCY])};
}

ThVar th_model_space_step(ThTape *t, const int *param)
{
    return th_op_map(t, th_param(t, param[TH_MODEL_SPACE_STEP]), TH_MAP_EXP);
}

/* Real and imaginary parts of some (dim, n) numbers, behind each other in one row. */
static ThVar in_row(ThTape *t, const ThModelComplex *all, int n)
{
    ThVar part[6];
    int size = th_tape_rows(t, all->real) * th_tape_cols(t, all->real);
    for (int i = 0; i < n; i++) {
        part[2 * i] = th_op_reshape(t, all[i].real, 1, size);
        part[2 * i + 1] = th_op_reshape(t, all[i].imaginary, 1, size);
    }
    return th_op_beside(t, part, 2 * n);
}

/* The matrix of th_op_state_space. */
static ThVar modes_of(ThTape *t, const int *param, const ThModelSpaceStep *s)
{
    ThModelComplex output = {th_param(t, param[TH_MODEL_SPACE_OUTPUT]),
                             th_param(t, param[TH_MODEL_SPACE_OUTPUT + 1])};
    ThVar plain = in_row(t, (ThModelComplex[]){s->a, s->b, output}, 3);
    if (s->w.real < 0)
        return plain;
    ThVar one = in_row(t, (ThModelComplex[]){s->w, s->v}, 2);
    return th_op_beside(t, (ThVar[]){plain, one}, 2);
}

/* What every channel answers to 1, 0, 0, …: (T, dim). */
static ThVar impulse_answer(ThTape *t, ThVar modes, ThOpStateSpace how, int d)
{
    float *impulse = th_tape_take(t, (size_t)how.T * (size_t)d, sizeof *impulse);
    for (int i = 0; impulse && i < how.T * d; i++)
        impulse[i] = i < d;
    how.B = 1;
    how.length = NULL;
    return impulse ? th_op_state_space(t, th_tape_constant(t, how.T, d, impulse), modes, -1, &how)
                   : -1;
}

/* GELU, and a linear map to twice the width, of which one half gates the other. */
static ThVar mixed(ThTape *t, const int *param, ThVar y)
{
    return th_op_gated_half(
        t, th_model_linear_apply(t, th_op_map(t, y, TH_MAP_GELU), param + TH_MODEL_SPACE_GATE));
}

/* What every channel answers to 1, 0, 0, …, with what its input adds to its output at once. */
static ThVar kernel_of(ThTape *t, const int *param, ThVar modes, const ThOpStateSpace *how, int d)
{
    int *at = th_tape_take(t, (size_t)how->T, sizeof *at);
    for (int i = 0; at && i < how->T; i++)
        at[i] = i == 0 ? 0 : -1;
    ThVar answer = at ? impulse_answer(t, modes, *how, d) : -1;
    return th_op_add(t, answer,
                     th_op_rows(t, th_param(t, param[TH_MODEL_SPACE_SKIP]), at, how->T, 1));
}

ThModelLinearOutput th_model_space_run(ThTape *t, const int *param, const ThModelLinearInput *in,
                                       const ThModelSpaceStep *step, bool products)
{
    int d = th_tape_cols(t, in->x), n = th_tape_cols(t, step->a.real);
    ThVar u = th_model_linear_rows(t, in, in->x), modes = modes_of(t, param, step), y, state = -1;
    ThOpStateSpace how = {in->B, in->T, n, in->length, products, in->states};
    if (!in->states && !products) {
        y = th_op_convolve(t, u, kernel_of(t, param, modes, &how, d), in->B, in->T);
        return (ThModelLinearOutput){-1, mixed(t, param, y)};
    }
    y = th_op_state_space(t, u, modes, in->start, &how);
    if (in->states)
        state = th_op_columns(t, y, d, 2 * d * n);
    y = in->states ? th_op_columns(t, y, 0, d) : y;
    ThVar skip = th_op_times_row(t, u, th_param(t, param[TH_MODEL_SPACE_SKIP]));
    return (ThModelLinearOutput){state, mixed(t, param, th_op_add(t, y, skip))};
}
