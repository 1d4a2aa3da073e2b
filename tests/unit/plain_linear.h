/* plain_linear.h - the layers of linear recurrences as plain loops over numbers.  After plain.h and
 * whole.h. */
#ifndef TEST_UNIT_PLAIN_LINEAR_H
#define TEST_UNIT_PLAIN_LINEAR_H

#include <complex.h>
#include <math.h>
#include <string.h>

enum { DIM = 6, MOST = 64 };

static void rectify(double *x, int n)
{
    for (int k = 0; k < n; k++)
        x[k] = fmax(0, x[k]);
}

/* A layer: from all inputs to all outputs. */
typedef void PlainLayer(const ThModel *m, const char *layer, double u[LENGTH][DIM],
                        double y[LENGTH][DIM]);

static double column_norm(const double *block, int b, int column, double p)
{
    double sum = 0;
    for (int i = 0; i < b; i++)
        sum += pow(fabs(block[i * b + column]), p);
    return pow(sum, 1 / p);
}

static void bound_block(double *block, int b, bool paper)
{
    const double p = 1.2;
    double greatest = 0;
    for (int j = 0; j < b; j++) {
        double mean = 0;
        for (int i = 0; i < b; i++)
            mean += block[i * b + j] / b;
        for (int i = 0; i < b && !paper; i++)
            block[i * b + j] -= mean;
        double norm = column_norm(block, b, j, p);
        greatest = fmax(greatest, norm);
        for (int i = 0; i < b && paper; i++)
            block[i * b + j] /= fmax(1, norm);
    }
    for (int i = 0; i < b * b && !paper; i++)
        block[i] /= greatest;
}

static void plain_lrnn(const ThModel *m, const char *layer, double u[LENGTH][DIM],
                       double y[LENGTH][DIM])
{
    enum { BLOCK = 3, WIDE = DIM * BLOCK };
    bool paper = strcmp(th_option_text(&m->options, "norm"), "paper") == 0;
    double x[DIM];
    for (int k = 0; k < DIM; k++)
        x[k] = (double)find(m, layer, "start")[k];
    for (int i = 0; i < LENGTH; i++) {
        double up[WIDE], a[WIDE], v[DIM], next[DIM];
        affine(m, layer, "transition.up", u[i], DIM, WIDE, up);
        rectify(up, WIDE);
        affine(m, layer, "transition.blocks", up, WIDE, WIDE, a);
        affine(m, layer, "value.up", u[i], DIM, DIM, up);
        rectify(up, DIM);
        affine(m, layer, "value.down", up, DIM, DIM, v);
        for (int h = 0; h < DIM / BLOCK; h++) {
            double *block = a + h * BLOCK * BLOCK;
            bound_block(block, BLOCK, paper);
            for (int r = 0; r < BLOCK; r++) {
                next[h * BLOCK + r] = v[h * BLOCK + r];
                for (int c = 0; c < BLOCK; c++)
                    next[h * BLOCK + r] += block[r * BLOCK + c] * x[h * BLOCK + c];
            }
        }
        memcpy(x, next, sizeof x);
        memcpy(y[i], x, sizeof x);
    }
}

/* GELU, and a linear map of which one half gates the other. */
static void mix_channels(const ThModel *m, const char *layer, const double *sum, double *y)
{
    double read[DIM], both[2 * DIM];
    for (int c = 0; c < DIM; c++)
        read[c] = sum[c] * 0.5 * (1 + erf(sum[c] / sqrt(2)));
    affine(m, layer, "gate", read, DIM, 2 * DIM, both);
    for (int k = 0; k < DIM; k++)
        y[k] = both[k] / (1 + exp(-both[DIM + k]));
}

static void plain_lru(const ThModel *m, const char *layer, double u[LENGTH][DIM],
                      double y[LENGTH][DIM])
{
    enum { STATES = 5 };
    double complex x[STATES] = {0};
    const float *in = find(m, layer, "input"), *out = find(m, layer, "output");
    for (int i = 0; i < LENGTH; i++) {
        double read[DIM];
        for (int k = 0; k < DIM; k++)
            read[k] = (double)find(m, layer, "skip")[k] * u[i][k];
        for (int n = 0; n < STATES; n++) {
            double complex lambda =
                cexp(-exp((double)find(m, layer, "size")[n]) +
                     (double complex)I * exp((double)find(m, layer, "phase")[n]));
            double complex b = 0;
            for (int k = 0; k < DIM; k++)
                b += u[i][k] * ((double)in[k * 2 * STATES + n] +
                                (double complex)I * (double)in[k * 2 * STATES + STATES + n]);
            x[n] = lambda * x[n] + sqrt(1 - cabs(lambda) * cabs(lambda)) * b;
            for (int k = 0; k < DIM; k++)
                read[k] += creal(x[n]) * (double)out[n * DIM + k] +
                           cimag(x[n]) * (double)out[(STATES + n) * DIM + k];
        }
        mix_channels(m, layer, read, y[i]);
    }
}

/* By the kernel K_l = 2 Re Σ C B̄ Ā^l of each channel. */
static void plain_s4d(const ThModel *m, const char *layer, double u[LENGTH][DIM],
                      double y[LENGTH][DIM])
{
    enum { MODES = 2 };
    for (int i = 0; i < LENGTH; i++) {
        double read[DIM];
        for (int c = 0; c < DIM; c++) {
            double step = exp((double)find(m, layer, "step")[c]), sum = 0;
            for (int n = 0; n < MODES; n++) {
                int at = c * MODES + n;
                double complex a = -exp((double)find(m, layer, "decay")[at]) +
                                   (double complex)I * (double)find(m, layer, "frequency")[at];
                double complex out =
                    (double)find(m, layer, "output.real")[at] +
                    (double complex)I * (double)find(m, layer, "output.imaginary")[at];
                for (int l = 0; l <= i; l++)
                    sum += 2 * creal(out * (cexp(step * a) - 1) / a * cexp(step * a * l)) *
                           u[i - l][c];
            }
            read[c] = sum + (double)find(m, layer, "skip")[c] * u[i][c];
        }
        mix_channels(m, layer, read, y[i]);
    }
}

/* Solves a x = b for complex numbers; a and b are spent, x is left in b. */
static void solve(int n, double complex *a, double complex *b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(a[i * n + k]) > cabs(a[pivot * n + k]))
                pivot = i;
        for (int j = 0; j <= n; j++) {
            double complex *from = j < n ? a + k * n + j : b + k;
            double complex *to = j < n ? a + pivot * n + j : b + pivot, kept = *from;
            *from = *to;
            *to = kept;
        }
        for (int i = 0; i < n; i++) {
            double complex by = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (int j = 0; j < n; j++)
                a[i * n + j] -= by * a[k * n + j];
            b[i] -= by * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        b[k] /= a[k * n + k];
}

enum { HALF = 2, WHOLE = 2 * HALF };

/* Number k of a channel, of which the second half is the first's conjugate. */
static double complex number(const ThModel *m, const char *layer, const char *const name[2], int c,
                             int k)
{
    int at = c * HALF + k % HALF;
    double complex z = (double)find(m, layer, name[0])[at] +
                       (double complex)I * (double)find(m, layer, name[1])[at];
    return k < HALF ? z : conj(z);
}

/* x becomes what the bilinear rule makes of x' = A x + B u, with the matrix A = Λ - P P*; it reads
 * *drive, the B of the discrete step, too. */
static void bilinear_step(const ThModel *m, const char *layer, int c, double u, double complex *x,
                          double complex *drive)
{
    static const char *const P[] = {"rank_one.real", "rank_one.imaginary"},
                             *const input[] = {"input.real", "input.imaginary"},
                             *const lambda[] = {"decay", "frequency"};
    double half = exp((double)find(m, layer, "step")[c]) / 2;
    double complex left[WHOLE * WHOLE], again[WHOLE * WHOLE], to[WHOLE];
    for (int i = 0; i < WHOLE; i++) {
        double complex b = number(m, layer, input, c, i);
        to[i] = x[i] + 2 * half * b * u;
        drive[i] = 2 * half * b;
        for (int j = 0; j < WHOLE; j++) {
            double complex a = -number(m, layer, P, c, i) * conj(number(m, layer, P, c, j));
            double complex own = number(m, layer, lambda, c, i);
            if (i == j)
                a += -exp(creal(own)) + (double complex)I * cimag(own);
            to[i] += half * a * x[j];
            left[i * WHOLE + j] = again[i * WHOLE + j] = (i == j) - half * a;
        }
    }
    solve(WHOLE, left, to);
    solve(WHOLE, again, drive);
    memcpy(x, to, sizeof to);
}

/* By dense matrices; liquid_s4 adds the products of the state and what the input adds to it. */
static void plain_s4(const ThModel *m, const char *layer, double u[LENGTH][DIM],
                     double y[LENGTH][DIM])
{
    static const char *const output[] = {"output.real", "output.imaginary"};
    bool liquid = strcmp(m->kind->name, "liquid_s4") == 0;
    double complex x[DIM][WHOLE] = {0};
    for (int i = 0; i < LENGTH; i++) {
        double read[DIM];
        for (int c = 0; c < DIM; c++) {
            double complex drive[WHOLE], old[WHOLE];
            memcpy(old, x[c], sizeof old);
            bilinear_step(m, layer, c, u[i][c], x[c], drive);
            read[c] = (double)find(m, layer, "skip")[c] * u[i][c];
            for (int k = 0; k < WHOLE; k++) {
                x[c][k] += liquid ? drive[k] * u[i][c] * old[k] : 0;
                read[c] += creal(number(m, layer, output, c, k) * x[c][k]);
            }
        }
        mix_channels(m, layer, read, y[i]);
    }
}

/* y = x w, the parameter having in rows. */
static void product(const ThModel *m, const char *layer, const char *name, const double *x, int in,
                    int out, double *y)
{
    const float *w = find(m, layer, name);
    for (int j = 0; j < out; j++) {
        y[j] = 0;
        for (int k = 0; k < in; k++)
            y[j] += x[k] * (double)w[k * out + j];
    }
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Number j of row i of x convolved with a kernel of four rows, which sees no more than there is. */
static double convolved(const ThModel *m, const char *layer, const double *x, int cols, int i,
                        int j)
{
    double sum = 0;
    for (int l = 0; l < 4 && l <= i; l++)
        sum += (double)find(m, layer, "convolution")[l * cols + j] * x[(i - l) * cols + j];
    return sum;
}

enum { DELTA_HEADS = 2, DELTA_SIZE = DIM / DELTA_HEADS, MOST_STEPS = 2 };

/* Of a head: a row q, k or v of 3, after SiLU, divided by its length if `unit`. */
static void delta_row(const double *seen, int from, bool unit, double *to)
{
    double square = 1e-6;
    for (int j = 0; j < DELTA_SIZE; j++) {
        to[j] = seen[from + j] * sigmoid(seen[from + j]);
        square += to[j] * to[j];
    }
    for (int j = 0; unit && j < DELTA_SIZE; j++)
        to[j] /= sqrt(square);
}

/* One head at one position: seen holds q, then the keys, then the values. */
static void delta_head(const ThModel *m, const char *layer, int head, const double *seen,
                       const double *rate, double S[DELTA_SIZE][DELTA_SIZE], double *y)
{
    int steps = (int)th_option_int(&m->options, "steps");
    double q[DELTA_SIZE], k[DELTA_SIZE], v[DELTA_SIZE], mean = 1e-5;
    delta_row(seen, head * DELTA_SIZE, true, q);
    for (int step = 0; step < steps; step++) {
        int at = DIM + step * DIM + head * DELTA_SIZE;
        delta_row(seen, at, true, k);
        delta_row(seen, at + steps * DIM, false, v);
        for (int i = 0; i < DELTA_SIZE; i++) {
            double said = 0;
            for (int j = 0; j < DELTA_SIZE; j++)
                said += S[i][j] * k[j];
            for (int j = 0; j < DELTA_SIZE; j++)
                S[i][j] -= 2 * sigmoid(rate[step * DELTA_HEADS + head]) * (said - v[i]) * k[j];
        }
    }
    for (int i = 0; i < DELTA_SIZE; i++) {
        y[i] = 0;
        for (int j = 0; j < DELTA_SIZE; j++)
            y[i] += S[i][j] * q[j] / sqrt(DELTA_SIZE);
        mean += y[i] * y[i] / DELTA_SIZE;
    }
    for (int i = 0; i < DELTA_SIZE; i++)
        y[i] *= (double)find(m, layer, "read.gain")[i] / sqrt(mean);
}

static void plain_delta(const ThModel *m, const char *layer, double u[LENGTH][DIM],
                        double y[LENGTH][DIM])
{
    enum { MOST_SEEN = DIM * (1 + 2 * MOST_STEPS) };
    int steps = (int)th_option_int(&m->options, "steps"), cols = DIM * (1 + 2 * steps);
    double S[DELTA_HEADS][DELTA_SIZE][DELTA_SIZE] = {0}, all[LENGTH * MOST_SEEN];
    for (int i = 0; i < LENGTH; i++) {
        double *row = all + i * cols, seen[MOST_SEEN], rate[DELTA_HEADS * MOST_STEPS], read[DIM];
        product(m, layer, "query", u[i], DIM, DIM, row);
        product(m, layer, "key", u[i], DIM, steps * DIM, row + DIM);
        product(m, layer, "value", u[i], DIM, steps * DIM, row + DIM + steps * DIM);
        product(m, layer, "rate", u[i], DIM, steps * DELTA_HEADS, rate);
        for (int j = 0; j < cols; j++)
            seen[j] = convolved(m, layer, all, cols, i, j);
        for (int head = 0; head < DELTA_HEADS; head++)
            delta_head(m, layer, head, seen, rate, S[head], read + head * DELTA_SIZE);
        product(m, layer, "output", read, DIM, DIM, y[i]);
    }
}

static void plain_mamba(const ThModel *m, const char *layer, double u[LENGTH][DIM],
                        double y[LENGTH][DIM])
{
    enum { CHANNELS = 2 * DIM, STATES = 3, SELECT = 1 + 2 * STATES };
    bool negative = strcmp(th_option_text(&m->options, "eigenvalues"), "signed") == 0;
    double h[STATES][CHANNELS] = {0}, in[LENGTH * CHANNELS];
    for (int i = 0; i < LENGTH; i++) {
        double x[CHANNELS], gate[CHANNELS], select[SELECT], time[CHANNELS], read[CHANNELS];
        product(m, layer, "input", u[i], DIM, CHANNELS, in + i * CHANNELS);
        product(m, layer, "gate", u[i], DIM, CHANNELS, gate);
        for (int c = 0; c < CHANNELS; c++) {
            x[c] = convolved(m, layer, in, CHANNELS, i, c) +
                   (double)find(m, layer, "convolution_bias")[c];
            x[c] *= sigmoid(x[c]);
        }
        product(m, layer, "select", x, CHANNELS, SELECT, select);
        affine(m, layer, "time", select, 1, CHANNELS, time);
        for (int c = 0; c < CHANNELS; c++) {
            double step = log1p(exp(time[c]));
            read[c] = (double)find(m, layer, "skip")[c] * x[c];
            for (int n = 0; n < STATES; n++) {
                double a = exp(-step * exp((double)find(m, layer, "decay")[n * CHANNELS + c]));
                h[n][c] = (negative ? 2 * a - 1 : a) * h[n][c] + step * x[c] * select[1 + n];
                read[c] += h[n][c] * select[1 + STATES + n];
            }
            read[c] *= gate[c] * sigmoid(gate[c]);
        }
        product(m, layer, "output", read, CHANNELS, DIM, y[i]);
    }
}

/* A column or row of the sum of matrices: where its greatest number is. */
static int greatest(const double *sum, int n, int first, int step)
{
    int best = 0;
    for (int k = 1; k < n; k++)
        best = sum[first + k * step] > sum[first + best * step] ? k : best;
    return best;
}

/* Adds P x for a row of choices. */
static void mapped(const ThModel *m, const char *layer, const double *choice, int n,
                   const double complex *x, double complex *z)
{
    bool columns = strcmp(th_option_text(&m->options, "one_hot"), "column") == 0;
    double sum[MOST] = {0};
    for (int k = 0; k < (int)th_option_int(&m->options, "dictionary"); k++)
        for (int i = 0; i < n * n; i++)
            sum[i] += choice[k] * (double)find(m, layer, "dictionary")[k * n * n + i];
    for (int j = 0; j < n; j++) {
        if (columns)
            z[greatest(sum, n, j, n)] += x[j];
        else
            z[j] += x[greatest(sum, n, j * n, 1)];
    }
}

/* The sigmoid of number j of a network of two layers with GELU. */
static void share_of(const ThModel *m, const char *layer, const char *name, const double *u, int n,
                     double *y)
{
    char up_name[32], down[32];
    double up[MOST];
    snprintf(up_name, sizeof up_name, "%s.up", name);
    snprintf(down, sizeof down, "%s.down", name);
    affine(m, layer, up_name, u, DIM, 2 * n, up);
    for (int k = 0; k < 2 * n; k++)
        up[k] *= 0.5 * (1 + erf(up[k] / sqrt(2)));
    affine(m, layer, down, up, 2 * n, n, y);
    for (int k = 0; k < n; k++)
        y[k] = sigmoid(y[k]);
}

static void plain_pd(const ThModel *m, const char *layer, double u[LENGTH][DIM],
                     double y[LENGTH][DIM])
{
    enum { STATES = 3, CHOICES = 2 };
    double complex x[STATES] = {1};
    for (int i = 0; i < LENGTH; i++) {
        double choice[CHOICES], size[STATES], phase[STATES], in[2 * STATES], read[2 * STATES],
            sum = 0;
        double complex z[STATES] = {0};
        product(m, layer, "select", u[i], DIM, CHOICES, choice);
        for (int k = 0; k < CHOICES; k++)
            sum += exp(choice[k]);
        for (int k = 0; k < CHOICES; k++)
            choice[k] = exp(choice[k]) / sum;
        mapped(m, layer, choice, STATES, x, z);
        share_of(m, layer, "size", u[i], STATES, size);
        share_of(m, layer, "phase", u[i], STATES, phase);
        product(m, layer, "input", u[i], DIM, 2 * STATES, in);
        for (int n = 0; n < STATES; n++) {
            x[n] = size[n] * cexp(2 * acos(-1) * phase[n] * (double complex)I) * z[n] + in[n] +
                   (double complex)I * in[STATES + n];
            read[n] = creal(x[n]);
            read[STATES + n] = cimag(x[n]);
        }
        affine(m, layer, "output", read, 2 * STATES, DIM, y[i]);
        for (int k = 0; k < DIM; k++)
            y[i][k] += (double)find(m, layer, "skip")[k] * u[i][k];
    }
}

#endif
