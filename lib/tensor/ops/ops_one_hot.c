/* Recurrences whose transition is a matrix of zeros and ones, times a diagonal: the matrix is
 * chosen by the greatest numbers of a sum of matrices, and learned as if their softmax had been
 * taken. */
#include <complex.h>
#include <math.h>

#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels_one_hot.h"
#include "tensor/tape/tape_impl.h"

enum { CHOICE, MATRICES, DIAGONAL, ADDED, START, INPUTS };

static int row_of(const ThOpOneHot *s, int position)
{
    return s->row ? s->row[position] : position;
}

/* The state before a position, real parts and n behind them imaginary ones; NULL: zeros. */
static size_t before(ThTape *t, const ThTapeNode *n, int position, const ThTapeNode **in)
{
    const ThOpOneHot *s = n->args;
    const ThTapeNode *start = th_tape_in(t, n, START);
    size_t wide = (size_t)n->cols;
    *in = position % s->T > 0 ? n : start;
    if (position % s->T > 0)
        return (size_t)(position - 1) * wide;
    return start && start->rows > 1 ? (size_t)(position / s->T) * wide : 0;
}

/* ---- fast ---- */

/* What a map makes of x, or with `back` what it makes of a gradient. */
static void send(const int *map, const float *x, float *to, int n, bool scatters)
{
    if (scatters)
        memset(to, 0, (size_t)n * sizeof *to);
    for (int j = 0; j < n; j++)
        if (scatters)
            to[map[j]] += x[j];
        else
            to[j] = x[map[j]];
}

/* Rows of `choice` whose sums of matrices are looked at together. */
static int chunk_of(int n)
{
    int rows = (1 << 18) / (n * n);
    return rows > 1 ? rows : 1;
}

static void sums(ThTape *t, const ThTapeNode *node, int from, int rows, float *m)
{
    const ThTapeNode *choice = th_tape_in(t, node, CHOICE), *all = th_tape_in(t, node, MATRICES);
    ThBlasGemm g = {rows, all->cols, choice->cols, choice->cols, all->cols, all->cols, 0};
    th_blas_gemm_nn(&g, (const float *)choice->value + (size_t)from * (size_t)choice->cols,
                    all->value, m);
}

static void find_maps(ThTape *t, ThTapeNode *node, int n)
{
    const ThOpOneHot *s = node->args;
    int rows = th_tape_in(t, node, CHOICE)->rows, step = chunk_of(n);
    size_t size = (size_t)n * (size_t)n;
    float *m = th_tape_take(t, (size_t)step * size + (size_t)n, sizeof *m);
    int *map = node->saved = th_tape_take(t, (size_t)rows * (size_t)n, sizeof *map);
    for (int from = 0; m && map && from < rows && th_tape_goes_on(t); from += step) {
        int here = rows - from < step ? rows - from : step;
        sums(t, node, from, here, m);
        for (int i = 0; i < here; i++)
            th_kernel_one_hot(m + (size_t)i * size, n, s->by_columns,
                              map + (size_t)(from + i) * (size_t)n, m + (size_t)step * size);
    }
}

/* z, what is before a position after the map. */
static void mapped(ThTape *t, const ThTapeNode *node, int position, float *z)
{
    const ThOpOneHot *s = node->args;
    int n = node->cols / 2;
    const int *map = (const int *)node->saved + (size_t)row_of(s, position) * (size_t)n;
    const ThTapeNode *in;
    size_t at = before(t, node, position, &in);
    if (!in) {
        memset(z, 0, 2 * (size_t)n * sizeof *z);
        return;
    }
    const float *x = (const float *)in->value + at;
    send(map, x, z, n, s->by_columns);
    send(map, x + n, z + n, n, s->by_columns);
}

static void forward(ThTape *t, ThTapeNode *node)
{
    const ThOpOneHot *s = node->args;
    size_t wide = (size_t)node->cols, n = wide / 2;
    float *z = th_tape_take(t, wide, sizeof *z);
    find_maps(t, node, (int)n);
    for (int p = 0; z && node->saved && p < node->rows; p++) {
        size_t row = (size_t)row_of(s, p) * wide;
        const float *d = th_tape_in_float(t, node, DIAGONAL) + row;
        const float *b = th_tape_in_float(t, node, ADDED) + row;
        float *x = (float *)node->value + (size_t)p * wide;
        if (p % s->T >= th_tape_length(s->length, s->T, p / s->T)) {
            memset(x, 0, wide * sizeof *x);
            continue;
        }
        mapped(t, node, p, z);
        for (size_t j = 0; j < n; j++) {
            x[j] = d[j] * z[j] - d[n + j] * z[n + j] + b[j];
            x[n + j] = d[j] * z[n + j] + d[n + j] * z[j] + b[n + j];
        }
    }
}

/* Backwards through a position: g becomes the gradient of z, and adds to those of d and b. */
static void position_back(const float *d, const float *z, float *dd, float *db, float *g, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        float re = g[j], im = g[n + j];
        db[j] += re;
        db[n + j] += im;
        dd[j] += re * z[j] + im * z[n + j];
        dd[n + j] += im * z[j] - re * z[n + j];
        g[j] = d[j] * re + d[n + j] * im;
        g[n + j] = d[j] * im - d[n + j] * re;
    }
}

/* Gradients of everything but the maps; those of z stay in dz (B*T, 2n), whose rows past the length
 * of a string are zero. */
static void states_back(ThTape *t, ThTapeNode *node, float *dz, float *z)
{
    const ThOpOneHot *s = node->args;
    size_t wide = (size_t)node->cols, n = wide / 2;
    float *dd = th_tape_grad_float_zeroed(t, node, DIAGONAL),
          *db = th_tape_grad_float_zeroed(t, node, ADDED),
          *dstart = node->in[START] < 0 ? NULL : th_tape_grad_float_zeroed(t, node, START);
    memcpy(dz, node->grad, (size_t)node->rows * wide * sizeof *dz);
    for (int p = node->rows - 1; dd && db && p >= 0; p--) {
        float *g = dz + (size_t)p * wide, *to = p % s->T > 0 ? g - wide : NULL;
        if (p % s->T >= th_tape_length(s->length, s->T, p / s->T)) {
            memset(g, 0, wide * sizeof *g);
            continue;
        }
        size_t row = (size_t)row_of(s, p);
        const ThTapeNode *in;
        size_t at = before(t, node, p, &in);
        mapped(t, node, p, z);
        position_back(th_tape_in_float(t, node, DIAGONAL) + row * wide, z, dd + row * wide,
                      db + row * wide, g, n);
        if (!to && dstart)
            to = dstart + at;
        const int *map = (const int *)node->saved + row * n;
        for (size_t part = 0; to && part < wide; part += n) {
            send(map, g + part, z, (int)n, !s->by_columns);
            for (size_t j = 0; j < n; j++)
                to[part + j] += z[j];
        }
    }
}

/* dp (rows, n, n) of the rows from … : z = P x. */
static void maps_back(ThTape *t, const ThTapeNode *node, const float *dz, int from, int rows,
                      float *dp)
{
    const ThOpOneHot *s = node->args;
    size_t wide = (size_t)node->cols, n = wide / 2;
    memset(dp, 0, (size_t)rows * n * n * sizeof *dp);
    int first = s->row ? 0 : from, end = s->row ? node->rows : from + rows;
    for (int p = first; p < end; p++) {
        const ThTapeNode *in;
        size_t at = before(t, node, p, &in);
        int row = row_of(s, p) - from;
        if (row < 0 || row >= rows || !in || p % s->T >= th_tape_length(s->length, s->T, p / s->T))
            continue;
        const float *x = (const float *)in->value + at, *g = dz + (size_t)p * wide;
        th_kernel_two_outer(dp + (size_t)row * n * n, (const float *[]){g, x, g + n, x + n},
                            (int)n);
    }
}

static void choices_back(ThTape *t, ThTapeNode *node, const float *dz)
{
    const ThOpOneHot *s = node->args;
    const ThTapeNode *choice = th_tape_in(t, node, CHOICE), *all = th_tape_in(t, node, MATRICES);
    int n = node->cols / 2, step = chunk_of(n), K = choice->cols, wide = all->cols;
    size_t size = (size_t)wide;
    float *m = th_tape_take(t, 2 * (size_t)step * size + 3 * (size_t)n, sizeof *m);
    float *dp = m ? m + (size_t)step * size : NULL,
          *dc = th_tape_grad_float_zeroed(t, node, CHOICE),
          *dm = th_tape_grad_float_zeroed(t, node, MATRICES);
    for (int from = 0; m && dc && dm && from < choice->rows && th_tape_goes_on(t); from += step) {
        int here = choice->rows - from < step ? choice->rows - from : step;
        size_t at = (size_t)from * (size_t)K;
        sums(t, node, from, here, m);
        maps_back(t, node, dz, from, here, dp);
        for (int i = 0; i < here; i++)
            th_kernel_one_hot_back(m + (size_t)i * size, dp + (size_t)i * size, n, s->by_columns,
                                   dp + (size_t)step * size);
        th_blas_gemm_tn(&(ThBlasGemm){K, wide, here, K, wide, wide, 1},
                        (const float *)choice->value + at, m, dm);
        th_blas_gemm_nt(&(ThBlasGemm){here, K, wide, wide, wide, K, 1}, m, all->value, dc + at);
    }
}

static void backward(ThTape *t, ThTapeNode *node)
{
    size_t wide = (size_t)node->cols;
    float *dz = th_tape_take(t, ((size_t)node->rows + 1) * wide, sizeof *dz);
    if (!dz)
        return;
    states_back(t, node, dz, dz + (size_t)node->rows * wide);
    choices_back(t, node, dz);
}

/* ---- reference ---- */

typedef double complex Number;

/* The sum of matrices of a row and its softmax by columns or rows, (n,n) each. */
static void soft_double(ThTape *t, const ThTapeNode *node, int row, double *m, double *soft)
{
    const ThOpOneHot *s = node->args;
    const ThTapeNode *choice = th_tape_in(t, node, CHOICE);
    const double *c = (const double *)choice->value + row * choice->cols;
    const double *all = th_tape_in_double(t, node, MATRICES);
    int n = node->cols / 2, size = n * n, along = s->by_columns ? n : 1,
        next = s->by_columns ? 1 : n;
    for (int i = 0; i < size; i++) {
        m[i] = 0;
        for (int k = 0; k < choice->cols; k++)
            m[i] += c[k] * all[k * size + i];
    }
    for (int j = 0; j < n; j++) {
        double most = -HUGE_VAL, sum = 0;
        for (int i = 0; i < n; i++)
            most = fmax(most, m[j * next + i * along]);
        for (int i = 0; i < n; i++)
            sum += exp(m[j * next + i * along] - most);
        for (int i = 0; i < n; i++)
            soft[j * next + i * along] = exp(m[j * next + i * along] - most) / sum;
    }
}

/* Whether P has its one at (i,j): the first of the greatest numbers along its column or row. */
static bool chosen(const ThTapeNode *node, const double *m, int i, int j)
{
    const ThOpOneHot *s = node->args;
    int n = node->cols / 2, best = 0;
    for (int k = 1; k < n; k++)
        if (s->by_columns ? m[k * n + j] > m[best * n + j] : m[i * n + k] > m[i * n + best])
            best = k;
    return best == (s->by_columns ? i : j);
}

static Number number(const double *x, int n, int j)
{
    return x[j] + (Number)I * x[n + j];
}

static void add_number(double *to, int n, int j, Number g)
{
    to[j] += creal(g);
    to[n + j] += cimag(g);
}

static void forward_double(ThTape *t, ThTapeNode *node)
{
    const ThOpOneHot *s = node->args;
    int n = node->cols / 2;
    double *m = th_tape_take(t, 2 * (size_t)n * (size_t)n, sizeof *m), *x = node->value;
    for (int p = 0; m && p < node->rows && th_tape_goes_on(t); p++) {
        const ThTapeNode *in;
        size_t at = before(t, node, p, &in);
        int row = row_of(s, p) * node->cols;
        bool moves = p % s->T < th_tape_length(s->length, s->T, p / s->T);
        soft_double(t, node, row_of(s, p), m, m + n * n);
        for (int i = 0; i < n; i++) {
            Number z = 0;
            for (int j = 0; in && j < n; j++)
                if (chosen(node, m, i, j))
                    z += number((const double *)in->value + at, n, j);
            z = number(th_tape_in_double(t, node, DIAGONAL) + row, n, i) * z +
                number(th_tape_in_double(t, node, ADDED) + row, n, i);
            x[p * node->cols + i] = moves ? creal(z) : 0;
            x[p * node->cols + n + i] = moves ? cimag(z) : 0;
        }
    }
}

/* The gradients of a row's choice and of the matrices, given that of P; it is spent. */
static void choice_back_double(ThTape *t, const ThTapeNode *node, int row, const double *soft,
                               double *dp)
{
    const ThOpOneHot *s = node->args;
    const ThTapeNode *choice = th_tape_in(t, node, CHOICE);
    const double *c = (const double *)choice->value + row * choice->cols;
    const double *all = th_tape_in_double(t, node, MATRICES);
    double *dc = th_tape_grad_double(t, node, CHOICE) + row * choice->cols;
    double *dm = th_tape_grad_double(t, node, MATRICES);
    int n = node->cols / 2, size = n * n, along = s->by_columns ? n : 1,
        next = s->by_columns ? 1 : n;
    for (int j = 0; j < n; j++) {
        double mean = 0;
        for (int i = 0; i < n; i++)
            mean += soft[j * next + i * along] * dp[j * next + i * along];
        for (int i = 0; i < n; i++)
            dp[j * next + i * along] -= mean;
    }
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < choice->cols; k++) {
            dc[k] += soft[i] * dp[i] * all[k * size + i];
            dm[k * size + i] += soft[i] * dp[i] * c[k];
        }
    }
}

/* Backwards through position p; g (2n) is the gradient of the state after it, and before (2n) takes
 * that of the state before. */
static void position_back_double(ThTape *t, const ThTapeNode *node, int p, const double *g,
                                 double *to, double *m)
{
    const ThOpOneHot *s = node->args;
    const ThTapeNode *in;
    size_t at = before(t, node, p, &in);
    int n = node->cols / 2, row = row_of(s, p) * node->cols;
    double *soft = m + n * n, *dp = soft + n * n;
    soft_double(t, node, row_of(s, p), m, soft);
    for (int i = 0; i < n; i++) {
        Number z = 0, gi = number(g, n, i);
        Number dz = conj(number(th_tape_in_double(t, node, DIAGONAL) + row, n, i)) * gi;
        for (int j = 0; j < n; j++) {
            Number x = in ? number((const double *)in->value + at, n, j) : 0;
            dp[i * n + j] = creal(conj(x) * dz);
            if (!chosen(node, m, i, j))
                continue;
            z += x;
            if (to)
                add_number(to, n, j, dz);
        }
        add_number(th_tape_grad_double(t, node, ADDED) + row, n, i, gi);
        add_number(th_tape_grad_double(t, node, DIAGONAL) + row, n, i, conj(z) * gi);
    }
    choice_back_double(t, node, row_of(s, p), soft, dp);
}

static void backward_double(ThTape *t, ThTapeNode *node)
{
    const ThOpOneHot *s = node->args;
    size_t n = (size_t)node->cols / 2, wide = 2 * n, size = (size_t)node->rows * wide;
    double *g = th_tape_take(t, size + 3 * n * n, sizeof *g);
    double *dstart = th_tape_grad_double(t, node, START);
    if (g)
        memcpy(g, node->grad, size * sizeof *g);
    for (int p = node->rows - 1; g && p >= 0 && th_tape_goes_on(t); p--) {
        const ThTapeNode *in;
        size_t at = before(t, node, p, &in);
        double *to = p % s->T > 0 ? g + at : dstart ? dstart + at : NULL;
        if (p % s->T < th_tape_length(s->length, s->T, p / s->T))
            position_back_double(t, node, p, g + (size_t)p * wide, to, g + size);
    }
}

static const ThOp op_one_hot = {"one-hot scan", forward, backward, forward_double, backward_double};

/* ---- building ---- */

ThVar th_op_scan_one_hot(ThTape *t, const ThOpOneHot *s)
{
    const ThVar in[INPUTS] = {s->choice, s->matrices, s->diagonal, s->added, s->start};
    int positions = s->B * s->T, rows = th_tape_rows(t, s->choice);
    int wide = th_tape_cols(t, s->added), starts = th_tape_rows(t, s->start);
    bool fits =
        !th_tape_failed(t) && wide % 2 == 0 &&
        th_tape_cols(t, s->matrices) == wide / 2 * (wide / 2) &&
        th_tape_rows(t, s->matrices) == th_tape_cols(t, s->choice) &&
        th_tape_rows(t, s->added) == rows && th_tape_rows(t, s->diagonal) == rows &&
        th_tape_cols(t, s->diagonal) == wide && (s->row || rows == positions) &&
        (s->start < 0 || (th_tape_cols(t, s->start) == wide && (starts == 1 || starts == s->B)));
    for (int p = 0; fits && s->row && p < positions; p++)
        fits = s->row[p] >= 0 && s->row[p] < rows;
    if (!fits)
        return th_tape_fail(t, TH_EVALUE,
                            "one-hot scan: operands do not fit %d strings of %d and a state of %d",
                            s->B, s->T, wide);
    return th_tape_op(t, &op_one_hot, positions, wide, in, INPUTS, s, sizeof *s);
}
