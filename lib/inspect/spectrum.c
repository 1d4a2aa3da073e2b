/* Eigenvalues of what a string does to the state of a linear recurrence. */
#include <gsl/gsl_eigen.h>
#include <math.h>

#include "inspect/scans.h"

/* *m becomes A_n … A_1 of one block; room is for another. */
static void product(const ThModelTransitions *t, int block, double *m, double *room)
{
    int n = t->size;
    for (int i = 0; i < n * n; i++)
        m[i] = i % (n + 1) == 0;
    for (int s = 0; s < t->length; s++) {
        const double *a = t->a + (size_t)(s * t->blocks + block) * (size_t)(n * n);
        memset(room, 0, (size_t)(n * n) * sizeof *room);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                for (int j = 0; j < n; j++)
                    room[i * n + j] += a[i * n + k] * m[k * n + j];
        memcpy(m, room, (size_t)(n * n) * sizeof *m);
    }
}

/* Pairs of real and imaginary parts. */
static bool eigenvalues(double *m, int n, double *pair, ThError *err)
{
    gsl_matrix_view matrix = gsl_matrix_view_array(m, (size_t)n, (size_t)n);
    gsl_vector_complex_view to = gsl_vector_complex_view_array(pair, (size_t)n);
    gsl_eigen_nonsymm_workspace *w = gsl_eigen_nonsymm_alloc((size_t)n);
    if (!w)
        return th_fail(err, TH_ENOMEM, "out of memory (eigenvalues of %d rows)", n);
    gsl_eigen_nonsymm_params(0, 1, w);
    int status = gsl_eigen_nonsymm(&matrix.matrix, &to.vector, w);
    gsl_eigen_nonsymm_free(w);
    return status == 0 || th_fail(err, TH_ENUMERIC, "the eigenvalues do not converge");
}

/* By size and then by real part, as far as rounding lets them differ; of conjugates the one with
 * the positive imaginary part first. */
static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b, digits = 1e9;
    double size = round(digits * hypot(y[0], y[1])) - round(digits * hypot(x[0], x[1]));
    double real = round(digits * y[0]) - round(digits * x[0]);
    if (size != 0)
        return size < 0 ? -1 : 1;
    if (real != 0)
        return real < 0 ? -1 : 1;
    return (x[1] < y[1]) - (x[1] > y[1]);
}

double *th_inspect_spectrum(const ThModelTransitions *t, ThError *err)
{
    size_t n = (size_t)t->size, all = (size_t)t->blocks * n;
    double *pair TH_OWNED(free) = th_alloc(2 * all, sizeof *pair, err),
                 *to = th_alloc(2 * all, sizeof *to, err);
    double *room TH_OWNED(free) = th_alloc(2 * n * n, sizeof *room, err);
    bool ok = pair && to && room;
    for (int k = 0; ok && k < t->blocks; k++) {
        product(t, k, room, room + n * n);
        ok = eigenvalues(room, t->size, pair + 2 * (size_t)k * n, err);
    }
    if (ok)
        qsort(pair, all, 2 * sizeof *pair, by_size);
    for (size_t i = 0; ok && i < all; i++) {
        to[i] = pair[2 * i];
        to[all + i] = pair[2 * i + 1];
    }
    return TH_KEEP_IF(ok, to, free);
}
