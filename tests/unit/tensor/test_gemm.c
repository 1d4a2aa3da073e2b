/* Products of matrices, of the sizes that have a kernel of their own and of others, against sums in
 * double precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tensor/kernels/blas.h"

enum { MARGIN = 3, OUTSIDE = 12345, ON_ROW = 3 };

/* Returns new: rows of `cols` numbers and a margin, which holds what must stay. */
static float *matrix(ThRng *r, int rows, int cols)
{
    size_t ld = (size_t)cols + MARGIN;
    float *x = calloc((size_t)rows * ld, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < (size_t)rows * ld; i++)
        x[i] = i % ld < (size_t)cols ? (float)(th_rng_uniform(r) - 0.5) : (float)OUTSIDE;
    return x;
}

static double at(const float *x, int cols, int i, int j)
{
    return (double)x[(size_t)i * (size_t)(cols + MARGIN) + (size_t)j];
}

/* nn, nt, tn, and a b added to the first row of c before. */
static void check(ThRng *r, const int size[3], int form, float beta)
{
    static ThBlasProduct *const product[] = {th_blas_gemm_nn, th_blas_gemm_nt, th_blas_gemm_tn};
    int m = size[0], n = size[1], k = size[2], acols = form == 2 ? m : k, bcols = form == 1 ? k : n;
    float *a = matrix(r, form == 2 ? k : m, acols), *b = matrix(r, form == 1 ? n : k, bcols);
    float *c = matrix(r, m, n), *before = matrix(r, m, n);
    for (int i = 0; i < m * (n + MARGIN); i++)
        before[i] = c[i];
    ThBlasGemm g = {m, n, k, acols + MARGIN, bcols + MARGIN, n + MARGIN, beta};
    if (form == ON_ROW)
        th_blas_gemm_on_row(&g, a, b, before, c, NULL);
    else
        product[form](&g, a, b, c);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = form == ON_ROW ? at(before, n, 0, j) : (double)beta * at(before, n, i, j);
            for (int p = 0; p < k; p++)
                sum += (form == 2 ? at(a, acols, p, i) : at(a, acols, i, p)) *
                       (form == 1 ? at(b, bcols, j, p) : at(b, bcols, p, j));
            assert_true(fabs(at(c, n, i, j) - sum) < 1e-4);
        }
        for (int j = n; j < n + MARGIN; j++)
            assert_true(at(c, n, i, j) == OUTSIDE);
    }
    free(a);
    free(b);
    free(c);
    free(before);
}

static void test_products(void **state)
{
    (void)state;
    static const int size[][3] = {
        {64, 64, 64},   {67, 50, 130}, {64, 48, 1},   {400, 53, 7},  {75, 100, 300}, {81, 65, 64},
        {70, 128, 200}, {3, 5, 2},     {70, 130, 90}, {64, 65, 129}, {100, 300, 40}, {1, 64, 128},
        {5, 512, 300},  {8, 128, 130}, {3, 100, 40},  {32, 70, 20},  {9, 16, 5},     {70, 5, 140},
        {16, 15, 3},    {5, 70, 70},   {8, 33, 200},  {6, 70, 70},   {7, 20, 65},    {80, 5, 64},
        {144, 3, 140},  {2, 40, 90}};
    ThRng r = th_rng(1, "products", 0);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int form = 0; form <= ON_ROW; form++)
            for (int beta = 0; beta < 3; beta++)
                check(&r, size[i], form, (float)beta / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
