#include "proof/matrix.h"

#include <math.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_sort_vector.h>

static void product(CBLAS_TRANSPOSE_t ta, CBLAS_TRANSPOSE_t tb, const double *a, const double *b,
                    double *c, ThProofSizes s, double beta)
{
    if (s.m == 0 || s.n == 0 || s.k == 0)
        return;
    size_t m = (size_t)s.m, k = (size_t)s.k, n = (size_t)s.n;
    gsl_matrix_const_view va = ta == CblasTrans ? gsl_matrix_const_view_array(a, k, m)
                                                : gsl_matrix_const_view_array(a, m, k);
    gsl_matrix_const_view vb = tb == CblasTrans ? gsl_matrix_const_view_array(b, n, k)
                                                : gsl_matrix_const_view_array(b, k, n);
    gsl_matrix_view vc = gsl_matrix_view_array(c, m, n);
    gsl_blas_dgemm(ta, tb, 1, &va.matrix, &vb.matrix, beta, &vc.matrix);
}

void th_proof_multiply(const double *a, const double *b, double *c, ThProofSizes s)
{
    product(CblasNoTrans, CblasNoTrans, a, b, c, s, 0);
}

void th_proof_multiply_add(const double *a, const double *b, double *c, ThProofSizes s)
{
    product(CblasNoTrans, CblasNoTrans, a, b, c, s, 1);
}

void th_proof_transposed_multiply(const double *a, const double *b, double *c, ThProofSizes s)
{
    product(CblasTrans, CblasNoTrans, a, b, c, s, 0);
}

void th_proof_multiply_transposed(const double *a, const double *b, double *c, ThProofSizes s)
{
    product(CblasNoTrans, CblasTrans, a, b, c, s, 0);
}

void th_proof_row_times(const double *v, const double *m, double *to, int rows, int cols)
{
    product(CblasNoTrans, CblasNoTrans, v, m, to, (ThProofSizes){1, rows, cols}, 0);
}

void th_proof_times_column(const double *m, const double *v, double *to, int rows, int cols)
{
    product(CblasNoTrans, CblasNoTrans, m, v, to, (ThProofSizes){rows, cols, 1}, 0);
}

void th_proof_transpose(double *m, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double other = m[i * n + j];
            m[i * n + j] = m[j * n + i];
            m[j * n + i] = other;
        }
}

double th_proof_trace(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i * n + i];
    return sum;
}

double th_proof_dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

double th_proof_length(const double *a, int n)
{
    return sqrt(th_proof_dot(a, a, n));
}

double th_proof_length_between(const double *a, const double *b, int n)
{
    double square = 0;
    for (int k = 0; k < n; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square);
}

double th_proof_power_bound(const double *a, int n, double *scratch)
{
    enum { SQUARINGS = 4 };
    double trace = th_proof_trace(a, n);
    if (!(trace > 0))
        return trace < 0 ? 0 : trace; /* not a number stays that */
    double *from = scratch, *to = scratch + (size_t)n * (size_t)n;
    for (int i = 0; i < n * n; i++)
        from[i] = a[i] / trace;
    for (int k = 0; k < SQUARINGS; k++) {
        th_proof_multiply(from, from, to, (ThProofSizes){n, n, n});
        double *other = from;
        from = to;
        to = other;
    }
    return trace * pow(th_proof_trace(from, n), 1.0 / (1 << SQUARINGS));
}

bool th_proof_eigen(double *a, int n, double *value, double *vectors, ThError *err)
{
    size_t size = (size_t)n;
    gsl_matrix_view matrix = gsl_matrix_view_array(a, size, size);
    gsl_vector_view values = gsl_vector_view_array(value, size);
    int status = GSL_ENOMEM;
    for (size_t i = 0; i < size * size; i++)
        if (!isfinite(a[i]))
            return th_fail(err, TH_ENUMERIC, "a matrix of the proof is not finite");
    if (vectors) {
        gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(size);
        gsl_matrix_view to = gsl_matrix_view_array(vectors, size, size);
        status = work ? gsl_eigen_symmv(&matrix.matrix, &values.vector, &to.matrix, work) : status;
        if (work)
            gsl_eigen_symmv_free(work);
        if (status == 0)
            gsl_eigen_symmv_sort(&values.vector, &to.matrix, GSL_EIGEN_SORT_VAL_ASC);
    } else {
        gsl_eigen_symm_workspace *work = gsl_eigen_symm_alloc(size);
        status = work ? gsl_eigen_symm(&matrix.matrix, &values.vector, work) : status;
        if (work)
            gsl_eigen_symm_free(work);
        if (status == 0)
            gsl_sort_vector(&values.vector);
    }
    if (status == 0)
        return true;
    return status == GSL_ENOMEM ? th_fail(err, TH_ENOMEM, "out of memory for eigenvalues")
                                : th_fail(err, TH_ENUMERIC, "eigenvalues do not converge");
}

bool th_proof_invert(const double *a, int n, const ThProofInverse *to, ThError *err)
{
    memcpy(to->work, a, (size_t)n * (size_t)n * sizeof *a);
    if (!th_proof_eigen(to->work, n, to->value, to->other, err))
        return false;
    if (!(to->value[0] > 0))
        return th_fail(err, TH_ENUMERIC, "the matrix of an ellipsoid is not positive");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            to->work[i * n + k] = to->other[i * n + k] / to->value[k];
    th_proof_multiply_transposed(to->work, to->other, to->inverse, (ThProofSizes){n, n, n});
    return true;
}

double th_proof_logistic(double x)
{
    return 1 / (1 + exp(-x));
}
