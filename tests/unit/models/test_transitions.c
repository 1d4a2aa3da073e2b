/* Transitions of linear recurrences: they move the states as the models do, whatever the model. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "models/linear/transitions.h"

enum { SYMBOLS = 3, LENGTH = 7 };

static const int word[LENGTH] = {2, 0, 1, 1, 0, 2, 1};

/* Follows the states by the transitions alone. */
static void check_states(const ThModelTransitions *t, const char *kind)
{
    size_t n = (size_t)t->size;
    for (int k = 0; k < t->blocks; k++) {
        double *x = malloc(n * sizeof *x), *next = malloc(n * sizeof *next);
        memcpy(x, t->start + (size_t)k * n, n * sizeof *x);
        for (int i = 0; i < t->length; i++) {
            size_t at = (size_t)(i * t->blocks + k) * n;
            for (size_t r = 0; r < n; r++) {
                next[r] = t->v[at + r];
                for (size_t c = 0; c < n; c++)
                    next[r] += t->a[(at + r) * n + c] * x[c];
                if (!(fabs(next[r] - t->state[at + r]) <= 1e-10 * (1 + fabs(next[r]))))
                    fail_msg("%s, symbol %d: %g is not %g", kind, i, next[r], t->state[at + r]);
            }
            memcpy(x, next, n * sizeof *x);
        }
        free(x);
        free(next);
    }
}

static void test_all_kinds(void **state)
{
    (void)state;
    size_t n, found = 0;
    const ThModelKind *const *kinds = th_model_kinds(&n);
    for (size_t i = 0; i < n; i++) {
        if (!kinds[i]->transitions)
            continue;
        ThModel *m = bound(kinds[i]->name, "dim=8 layers=2", TH_TARGET_FINAL, SYMBOLS);
        for (int layer = 0; layer < 2; layer++) {
            ThError err = {0};
            ThModelTransitions *t = th_model_transitions(m, layer, word, LENGTH, &err);
            if (!t)
                fail_msg("%s: %s", kinds[i]->name, err.msg);
            assert_int_equal(t->length, LENGTH);
            check_states(t, kinds[i]->name);
            th_model_transitions_free(t);
        }
        th_model_free(m);
        found++;
    }
    assert_true(found >= 3);
}

/* Complex numbers are pairs of real ones: λ = p + qi is the matrix p, -q; q, p. */
static void test_complex(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = bound("lru", "dim=4 state=5", TH_TARGET_FINAL, SYMBOLS);
    ThModelTransitions *t = th_model_transitions(m, 0, word, 1, &err);
    assert_non_null(t);
    const float *size = th_params_at(&m->params, th_params_find(&m->params, "layer0.size"));
    const float *phase = th_params_at(&m->params, th_params_find(&m->params, "layer0.phase"));
    assert_int_equal(t->blocks, 5);
    assert_int_equal(t->size, 2);
    for (int k = 0; k < 5; k++) {
        double complex lambda =
            cexp(-exp((double)size[k]) + (double complex)I * exp((double)phase[k]));
        const double *a = t->a + k * 4;
        assert_true(fabs(a[0] - creal(lambda)) < 1e-12 && fabs(a[3] - creal(lambda)) < 1e-12);
        assert_true(fabs(a[1] + cimag(lambda)) < 1e-12 && fabs(a[2] - cimag(lambda)) < 1e-12);
    }
    th_model_transitions_free(t);
    th_model_free(m);
}

static void refused(const char *kind, int layer, int symbol, int length)
{
    ThError err = {0};
    ThModel *m = bound(kind, "dim=8", TH_TARGET_FINAL, SYMBOLS);
    assert_null(th_model_transitions(m, layer, &symbol, length, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_model_free(m);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("gru", 0, 0, 1);
    refused("lru", 1, 0, 1);
    refused("lru", -1, 0, 1);
    refused("lru", 0, SYMBOLS, 1);
    refused("lru", 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_complex),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
