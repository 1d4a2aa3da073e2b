/* The diagonal state space model S4D-Lin (Gu, Gupta, Goel and Ré 2022, section 4): each channel has
 * a state of its own, complex and diagonal, held for a time that is learned. */
#include <math.h>

#include "models/linear.h"

static const ThOptionSpec options[] = {
    TH_MODEL_LINEAR_OPTIONS,
    {"state", TH_INT, "64", 2, 65536, NULL,
     "numbers in the state of a channel, counted as real ones: half as many complex"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { DECAY, FREQUENCY, STEP, OUTPUT_REAL, OUTPUT_IMAGINARY, SKIP, GATE };

static bool check(const ThOptions *o, ThError *err)
{
    return th_option_int(o, "state") % 2 == 0 ||
           th_fail(err, TH_EUSAGE, "state=%lld is odd: its numbers come in complex pairs",
                   th_option_int(o, "state"));
}

static int modes(const ThOptions *o)
{
    return (int)th_option_int(o, "state") / 2;
}

static int state_size(const ThOptions *o)
{
    return 2 * modes(o) * (int)th_option_int(o, "dim");
}

static ThModelLinearBlocks blocks(const ThOptions *o)
{
    return (ThModelLinearBlocks){.blocks = state_size(o) / 2, .size = 1, .complex = true};
}

/* A_n = -1/2 + i π n. */
static double draw_frequency(ThRng *r, int row, int col)
{
    (void)r, (void)row;
    return acos(-1) * col;
}

/* ln Δ is uniform between ln 0.001 and ln 0.1. */
static double draw_step(ThRng *r, int row, int col)
{
    (void)row, (void)col;
    return log(0.001) + th_rng_uniform(r) * log(100);
}

static void add(ThModelBuilder *b, int *param)
{
    const ThOptions *o = &b->m->options;
    int d = (int)th_option_int(o, "dim"), n = modes(o);
    double deviation = sqrt(0.5);
    param[DECAY] = th_model_build(b, "decay", d, n, TH_INIT_CONSTANT, log(0.5));
    param[FREQUENCY] = th_model_build_drawn(b, "frequency", d, n, draw_frequency);
    param[STEP] = th_model_build_drawn(b, "step", d, 1, draw_step);
    param[OUTPUT_REAL] = th_model_build(b, "output.real", d, n, TH_INIT_NORMAL, deviation);
    param[OUTPUT_IMAGINARY] =
        th_model_build(b, "output.imaginary", d, n, TH_INIT_NORMAL, deviation);
    param[SKIP] = th_model_build(b, "skip", 1, d, TH_INIT_NORMAL, 1);
    th_model_linear_map(b, "gate", d, 2 * d, param + GATE);
}

/* Complex numbers, (d, n) each part. */
typedef struct {
    ThVar real, imaginary;
} Complex;

static Complex times(ThTape *t, Complex a, Complex b)
{
    return (Complex){th_op_subtract(t, th_op_multiply(t, a.real, b.real),
                                    th_op_multiply(t, a.imaginary, b.imaginary)),
                     th_op_add(t, th_op_multiply(t, a.real, b.imaginary),
                               th_op_multiply(t, a.imaginary, b.real))};
}

/* Ā = exp(ΔA) and B̄ = (Ā - 1)/A: the input is held for a time Δ. */
static void discretise(ThTape *t, const int *param, Complex *a, Complex *b)
{
    ThVar real = th_op_scale(t, th_op_map(t, th_param(t, param[DECAY]), TH_MAP_EXP), -1);
    ThVar imaginary = th_param(t, param[FREQUENCY]);
    ThVar step = th_op_map(t, th_param(t, param[STEP]), TH_MAP_EXP);
    ThVar size = th_op_map(t, th_op_times_column(t, real, step), TH_MAP_EXP);
    ThVar angle = th_op_times_column(t, imaginary, step);
    *a = (Complex){th_op_multiply(t, size, th_op_map(t, angle, TH_MAP_COS)),
                   th_op_multiply(t, size, th_op_map(t, angle, TH_MAP_SIN))};
    ThVar square =
        th_op_add(t, th_op_map(t, real, TH_MAP_SQUARE), th_op_map(t, imaginary, TH_MAP_SQUARE));
    Complex inverse = {th_op_divide(t, real, square),
                       th_op_scale(t, th_op_divide(t, imaginary, square), -1)};
    *b = times(t, (Complex){th_op_affine(t, a->real, 1, -1), a->imaginary}, inverse);
}

/* Both parts behind each other in one row. */
static ThVar in_row(ThTape *t, const ThOptions *o, Complex x)
{
    int n = modes(o) * (int)th_option_int(o, "dim");
    return th_op_beside(
        t, (ThVar[]){th_op_reshape(t, x.real, 1, n), th_op_reshape(t, x.imaginary, 1, n)}, 2);
}

/* (d, 2 d n): gives every mode of a channel, in both parts, its channel's number. */
static ThVar to_modes(ThTape *t, const ThOptions *o)
{
    size_t d = (size_t)th_option_int(o, "dim"), n = (size_t)modes(o), cols = 2 * d * n;
    float *value = th_tape_take(t, d * cols, sizeof *value);
    for (size_t i = 0; value && i < d; i++)
        for (size_t j = 0; j < cols; j++)
            value[i * cols + j] = j / n % d == i;
    return value ? th_tape_constant(t, (int)d, (int)cols, value) : -1;
}

/* y = 2 Re Σ C_n x_n + D u, GELU, a linear map to twice the width, of which one half gates the
 * other. */
static ThVar read(ThTape *t, const ThOptions *o, const int *param, const ThModelLinearInput *in,
                  ThVar x, ThVar spread)
{
    int d = (int)th_option_int(o, "dim");
    Complex c = {th_param(t, param[OUTPUT_REAL]),
                 th_op_scale(t, th_param(t, param[OUTPUT_IMAGINARY]), -1)};
    ThVar weighed = th_op_times_row(t, x, th_op_scale(t, in_row(t, o, c), 2));
    ThVar y = th_op_linear_transposed(t, weighed, spread);
    ThVar skip = th_op_times_row(t, in->x, th_param(t, param[SKIP]));
    y = th_op_map(t, th_op_add(t, y, th_model_linear_rows(t, in, skip)), TH_MAP_GELU);
    ThVar both = th_model_linear_apply(t, y, param + GATE);
    return th_op_multiply(t, th_op_columns(t, both, 0, d),
                          th_op_map(t, th_op_columns(t, both, d, d), TH_MAP_SIGMOID));
}

static ThModelLinearOutput run(ThTape *t, const ThOptions *o, const int *param,
                               const ThModelLinearInput *in)
{
    Complex a, b;
    discretise(t, param, &a, &b);
    ThVar spread = to_modes(t, o);
    ThVar u = th_op_times_row(t, th_op_linear(t, in->x, spread, -1), in_row(t, o, b));
    ThScan scan = {in->B, in->T, in->length, NULL, in->index};
    ThVar x = th_op_scan_complex(t, in_row(t, o, a), u, in->start, &scan);
    return (ThModelLinearOutput){x, read(t, o, param, in, x, spread)};
}

static const ThModelLinearLayer layer = {state_size, blocks, add, NULL, run};

static bool bind(ThModel *m, ThError *err)
{
    return th_model_linear_bind(m, &layer, err);
}

const ThModelKind th_model_s4d = {
    .name = "s4d",
    .summary = "diagonal state space model: for each channel a complex diagonal of its own",
    .source = "Gu, Gupta, Goel and Ré 2022, section 4 (S4D-Lin)",
    .detail = "Each channel moves by x_k = exp(ΔA) x_{k-1} + ((exp(ΔA) - 1)/A) u_k, A beginning at "
              "-1/2 + iπn, and is read as 2 Re(C x) + D u; GELU and a gated linear map mix the "
              "channels.  The transition does not depend on the input.",
    .options = options,
    .takes_noise = true,
    .ragged = true,
    .causal = true,
    .check = check,
    .bind = bind,
    .forward = th_model_linear_forward,
    .trace = th_model_linear_trace,
    .transitions = th_model_linear_transitions,
    .open = th_model_linear_open,
    .feed = th_model_linear_feed,
    .reset = th_model_linear_reset,
    .close = th_model_linear_close,
};
