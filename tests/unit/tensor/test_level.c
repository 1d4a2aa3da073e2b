/* The kernels of every level that this processor has, against those that are compiled for all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "given.h"
#include "sanitized.h"
#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"
#include "tensor/kernels/kernels_elementwise.h"
#include "tensor/kernels/level.h"

enum { N = 77 };

/* Some numbers of every kind of kernel: what they are does not matter, that levels agree does. */
typedef struct {
    float softmax[N], gelu[N], silu[N], sum[N], product[N * N];
    double squares;
} Figures;

static void fill(ThRng *r, float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (float)(2 * th_rng_uniform(r) - 1);
}

static Figures figures(void)
{
    static float x[N * N];
    Figures f = {0};
    ThRng r = th_rng(7, "levels", 0);
    fill(&r, x, N * N);
    memcpy(f.softmax, x, sizeof f.softmax);
    th_kernel_softmax(f.softmax, N);
    th_kernel_gelu(f.gelu, x, N);
    th_kernel_map(TH_MAP_SILU)->forward(f.silu, x, N);
    th_kernel_column_sums(f.sum, x, N, N, 0);
    f.squares = th_kernel_sum_squares(x, N * N);
    ThBlasGemm g = {.m = N, .n = N, .k = N, .lda = N, .ldb = N, .ldc = N};
    th_blas_gemm_nn(&g, x, x, f.product);
    return f;
}

static const char *const levels[] = {"plain", "v3", "v4"};

static void all_levels_compute_the_same(void **state)
{
    (void)state;
    char *before = strdup(th_kernel_level());
    ThError err = {0};
    assert_true(th_kernel_choose("plain", &err));
    Figures wanted = figures();
    const float *w = (const float *)&wanted;
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        if (!th_kernel_choose(levels[k], NULL))
            continue;
        assert_string_equal(th_kernel_level(), levels[k]);
        assert_true(th_kernel_is_wide() == (strcmp(levels[k], "v4") == 0));
        Figures got = figures();
        const float *x = (const float *)&got;
        for (size_t i = 0; i < offsetof(Figures, squares) / sizeof(float); i++)
            assert_true(fabsf(x[i] - w[i]) <= 1e-5f * (1 + fabsf(w[i])));
        assert_true(fabs(got.squares - wanted.squares) <= 1e-6 * wanted.squares);
    }
    assert_true(th_kernel_choose(before, &err));
    free(before);
}

/* The sums of a long row are in another order at every level: were the choice not heard, no bit
 * would differ.  Under sanitizers nothing is reordered, and levels may agree. */
enum { REORDERED = !SANITIZED };

static void levels_are_different_code(void **state)
{
    (void)state;
    enum { LONG = 4099 };
    static float x[LONG];
    char *before = strdup(th_kernel_level());
    ThRng r = th_rng(8, "levels", 0);
    fill(&r, x, LONG);
    double sum[3];
    int n = 0;
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        if (th_kernel_choose(levels[k], NULL)) {
            float to = 0;
            th_kernel_product_row_sums(&to, x, x + 1, 1, LONG - 1, 0);
            sum[n++] = (double)to;
        }
    assert_true(th_kernel_choose(before, NULL));
    free(before);
    for (int i = 1; i < n; i++)
        assert_true(!REORDERED || sum[i] != sum[i - 1]);
}

static void an_unknown_level_changes_nothing(void **state)
{
    (void)state;
    const char *before = th_kernel_level();
    ThError err = {0};
    assert_false(th_kernel_choose("v9", &err));
    assert_int_equal(err.code, TH_EUSAGE);
    assert_non_null(strstr(err.msg, "\"v9\""));
    assert_string_equal(th_kernel_level(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_levels_compute_the_same),
                                       cmocka_unit_test(levels_are_different_code),
                                       cmocka_unit_test(an_unknown_level_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
