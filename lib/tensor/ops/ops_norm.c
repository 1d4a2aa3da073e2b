/* Layer normalisation, and noise. */
#include <math.h>

#include "tensor/kernels/kernels.h"
#include "tensor/tape/tape_impl.h"

enum { A, B, GAIN, OFFSET };

/* ---- fast ---- */

static ThKernelLayerNorm arrange(ThTape *t, const ThTapeNode *n)
{
    return (ThKernelLayerNorm){.a = th_tape_in_float(t, n, A),
                               .b = th_tape_in_float(t, n, B),
                               .gain = th_tape_in_float(t, n, GAIN),
                               .offset = th_tape_in_float(t, n, OFFSET),
                               .y = n->value,
                               .mean = n->saved,
                               .rstd = n->saved ? (float *)n->saved + n->rows : NULL,
                               .n = n->rows,
                               .d = n->cols};
}

static void norm_forward(ThTape *t, ThTapeNode *n)
{
    n->saved = th_tape_take(t, 2 * (size_t)n->rows, sizeof(float));
    ThKernelLayerNorm l = arrange(t, n);
    if (n->saved)
        th_kernel_layer_norm(&l);
}

static void norm_backward(ThTape *t, ThTapeNode *n)
{
    ThKernelLayerNorm forward = arrange(t, n);
    ThKernelLayerNormBack l = {.forward = &forward, .dy = n->grad};
    l.dgain = th_tape_grad_float_zeroed(t, n, GAIN);
    l.doffset = th_tape_grad_float_zeroed(t, n, OFFSET);
    l.da = th_tape_grad_float(t, n, A, &l.beta_a);
    l.db = n->in[B] < 0 ? NULL : th_tape_grad_float(t, n, B, &l.beta_b);
    if (l.dgain && l.doffset && l.da && (l.db || !forward.b))
        th_kernel_layer_norm_back(&l);
}

/* ---- reference ---- */

typedef struct {
    double *normal; /* (rows, cols): the normalised rows before gain and offset */
    double *rstd;   /* (rows): reciprocal standard deviations */
} Saved;

static Saved *save(ThTape *t, ThTapeNode *n)
{
    Saved *s = n->saved = th_tape_take(t, 1, sizeof *s);
    if (!s)
        return NULL;
    s->normal = th_tape_take(t, th_tape_size(n), sizeof(double));
    s->rstd = th_tape_take(t, (size_t)n->rows, sizeof(double));
    return s->normal && s->rstd ? s : NULL;
}

static void norm_forward_double(ThTape *t, ThTapeNode *n)
{
    const double *a = th_tape_in_double(t, n, A), *b = th_tape_in_double(t, n, B);
    const double *gain = th_tape_in_double(t, n, GAIN), *offset = th_tape_in_double(t, n, OFFSET);
    Saved *s = save(t, n);
    double *y = n->value, *normal = s ? s->normal : NULL, *rstd = s ? s->rstd : NULL;
    int d = n->cols;
    for (int i = 0; s && i < n->rows; i++) {
        double mean = 0, variance = 0;
        for (int j = 0; j < d; j++)
            mean += (a[i * d + j] + (b ? b[i * d + j] : 0)) / d;
        for (int j = 0; j < d; j++) {
            normal[i * d + j] = a[i * d + j] + (b ? b[i * d + j] : 0) - mean;
            variance += normal[i * d + j] * normal[i * d + j] / d;
        }
        rstd[i] = 1 / sqrt(variance + 1e-5);
        for (int j = 0; j < d; j++) {
            normal[i * d + j] *= rstd[i];
            y[i * d + j] = normal[i * d + j] * gain[j] + offset[j];
        }
    }
}

static void norm_backward_double(ThTape *t, ThTapeNode *n)
{
    const Saved *s = n->saved;
    const double *dy = n->grad, *normal = s->normal, *rstd = s->rstd;
    const double *gain = th_tape_in_double(t, n, GAIN);
    double *da = th_tape_grad_double(t, n, A);
    double *db = n->in[B] < 0 ? NULL : th_tape_grad_double(t, n, B);
    double *dgain = th_tape_grad_double(t, n, GAIN), *doffset = th_tape_grad_double(t, n, OFFSET);
    int d = n->cols;
    for (int i = 0; da && dgain && doffset && i < n->rows; i++) {
        double mean = 0, project = 0;
        for (int j = 0; j < d; j++) {
            double g = dy[i * d + j] * gain[j];
            mean += g / d;
            project += g * normal[i * d + j] / d;
            dgain[j] += dy[i * d + j] * normal[i * d + j];
            doffset[j] += dy[i * d + j];
        }
        for (int j = 0; j < d; j++) {
            double dx = dy[i * d + j] * gain[j] - mean - normal[i * d + j] * project;
            da[i * d + j] += rstd[i] * dx;
            if (db)
                db[i * d + j] += rstd[i] * dx;
        }
    }
}

static const ThOp op_norm = {"layer norm", norm_forward, norm_backward, norm_forward_double,
                             norm_backward_double};

ThVar th_op_layer_norm(ThTape *t, ThVar a, ThVar b, ThVar gain, ThVar offset)
{
    int rows = th_tape_rows(t, a), cols = th_tape_cols(t, a);
    if ((b >= 0 && (th_tape_rows(t, b) != rows || th_tape_cols(t, b) != cols)) ||
        th_tape_cols(t, gain) != cols || th_tape_cols(t, offset) != cols)
        return th_tape_fail(t, TH_EVALUE, "layer norm: shapes do not fit (%d,%d)", rows, cols);
    return th_tape_op(t, &op_norm, rows, cols, (ThVar[]){a, b, gain, offset}, 4, NULL, 0);
}

/* ---- noise ---- */

typedef struct {
    double deviation;
    ThRng *rng;
} Noise;

static void noise_forward(ThTape *t, ThTapeNode *n)
{
    const Noise *noise = n->args;
    const float *a = th_tape_in_float(t, n, 0);
    float *y = n->value;
    size_t size = th_tape_size(n), half = (size + 1) / 2;
    uint64_t *bits = th_tape_take(t, half, sizeof *bits);
    float *normal = th_tape_take(t, 2 * half, sizeof *normal);
    if (!bits || !normal)
        return;
    for (size_t i = 0; i < half; i++)
        bits[i] = th_rng_next(noise->rng);
    th_kernel_normals(normal, normal + half, bits, half);
    for (size_t i = 0; i < size; i++)
        y[i] = a[i] + (float)noise->deviation * normal[i];
}

static void noise_backward(ThTape *t, ThTapeNode *n)
{
    th_tape_pass_back(t, n, 0, n->grad);
}

static void noise_forward_double(ThTape *t, ThTapeNode *n)
{
    const Noise *noise = n->args;
    const double *a = th_tape_in_double(t, n, 0);
    double *y = n->value;
    for (size_t i = 0; i < th_tape_size(n); i++)
        y[i] = a[i] + noise->deviation * th_rng_normal(noise->rng);
}

static const ThOp op_noise = {"noise", noise_forward, noise_backward, noise_forward_double,
                              noise_backward};

ThVar th_op_noise(ThTape *t, ThVar a, double deviation, ThRng *r)
{
    Noise noise = {deviation, r};
    return th_tape_op(t, &op_noise, th_tape_rows(t, a), th_tape_cols(t, a), &a, 1, &noise,
                      sizeof noise);
}
