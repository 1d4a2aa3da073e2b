/* Scans of linear recurrences: the same numbers in every order; spectra of what is known; what
 * commuting transitions cannot do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "inspect/propositions.h"
#include "inspect/scans.h"

/* Returns new: random transitions that neither grow nor vanish, all of them the same or not, and
 * the states that they make. */
static ThModelTransitions *drawn(int length, int blocks, int size, bool same)
{
    ThModelTransitions *t = th_model_transitions_new(length, blocks, size, NULL);
    ThRng r = th_rng(1, "scans", (uint64_t)length);
    for (int i = 0; i < length * blocks * size * size; i++)
        t->a[i] = same && i >= blocks * size * size ? t->a[i - blocks * size * size]
                                                    : th_rng_normal(&r) / sqrt(size);
    for (int i = 0; i < length * blocks * size; i++)
        t->v[i] = th_rng_normal(&r);
    for (int i = 0; i < blocks * size; i++)
        t->start[i] = th_rng_normal(&r);
    for (int i = 0; i < length * blocks * size; i++) {
        int row = i % (blocks * size), block = i / size;
        const double *before =
            (i < blocks * size ? t->start : t->state + i - row - blocks * size) + row / size * size;
        t->state[i] = t->v[i];
        for (int c = 0; c < size; c++)
            t->state[i] += t->a[(block * size + i % size) * size + c] * before[c];
    }
    return t;
}

static void test_same_numbers(void **state)
{
    (void)state;
    for (int length = 1; length <= 40; length++) {
        ThModelTransitions *t = drawn(length, 2, 3, false);
        for (int which = 0; which < TH_INSPECT_SCANS; which++) {
            ThInspectScanPlan p;
            assert_true(th_inspect_scan_plan(which, length, &p, NULL));
            double *x = th_inspect_scan(&p, t, NULL, NULL);
            for (int i = 0; i < length * 6; i++) {
                if (!p.all && i < (length - 1) * 6)
                    assert_true(isnan(x[i]));
                else if (!(fabs(x[i] - t->state[i]) <= 1e-11 * (1 + fabs(t->state[i]))))
                    fail_msg("%s, length %d: %g is not %g", p.name, length, x[i], t->state[i]);
            }
            free(x);
            th_inspect_scan_plan_free(&p);
        }
        th_model_transitions_free(t);
    }
}

/* One matrix a level serves all positions where the transitions are the same. */
static void test_powers(void **state)
{
    (void)state;
    for (int length = 1; length <= 40; length++) {
        ThModelTransitions *other = drawn(length, 2, 3, false), *t = drawn(length, 2, 3, true);
        ThInspectPowers p;
        assert_int_equal(th_inspect_constant(other), length == 1);
        assert_true(th_inspect_constant(t));
        assert_true(th_inspect_powers(t, &p, NULL, NULL));
        for (int i = 0; i < length * 6; i++)
            if (!(fabs(p.state[i] - t->state[i]) <= 1e-11 * (1 + fabs(t->state[i]))))
                fail_msg("length %d: %g is not %g", length, p.state[i], t->state[i]);
        assert_true(1 << p.levels >= length && (length == 1 || 1 << (p.levels - 1) < length));
        double most = 0;
        for (int i = 0; i < 18; i++)
            most = fmax(most, fabs(t->a[i]));
        assert_true(length == 1 || p.greatest[0] == most);
        th_inspect_powers_free(&p);
        th_model_transitions_free(other);
        th_model_transitions_free(t);
    }
}

static int log2_of(int n)
{
    int k = 0;
    while (1 << k < n)
        k++;
    return k;
}

/* What a round reads no earlier combination of it has written, and it writes no place twice: so its
 * combinations can be made at the same time. */
static void check_rounds(const ThInspectScanPlan *p)
{
    int *written = calloc(64, sizeof *written);
    for (size_t i = 0; i < p->n_steps; i++) {
        const ThInspectScanStep *s = &p->step[i];
        assert_true(s->left < s->right && s->round >= (i ? s[-1].round : 1));
        assert_true(written[s->left] < s->round && written[s->right] < s->round);
        written[s->right] = s->round;
    }
    assert_int_equal(p->rounds, p->n_steps ? p->step[p->n_steps - 1].round : 0);
    free(written);
}

static void test_rounds(void **state)
{
    (void)state;
    enum { SEQUENTIAL, TREE, DILATED, SKLANSKY };
    for (int n = 1; n <= 64; n++) {
        for (int which = 0; which < TH_INSPECT_SCANS; which++) {
            ThInspectScanPlan p;
            assert_true(th_inspect_scan_plan(which, n, &p, NULL));
            check_rounds(&p);
            if (which == SEQUENTIAL)
                assert_int_equal(p.rounds, n - 1);
            else if (which <= SKLANSKY)
                assert_int_equal(p.rounds, log2_of(n));
            if (which <= TREE)
                assert_int_equal(p.n_steps, n - 1);
            if (which == DILATED)
                assert_int_equal(p.n_steps, n * log2_of(n) - (1 << log2_of(n)) + 1);
            th_inspect_scan_plan_free(&p);
        }
    }
}

static void test_automata(void **state)
{
    (void)state;
    ThError err = {0};
    ThAutomaton *a = parse("alphabet a b; start e; e a -> e; e a -> o; o b -> e");
    const int word[] = {0, 0, 1, 1};
    ThModelTransitions *t = th_inspect_automaton_transitions(a, word, 4, &err);
    assert_non_null(t);
    static const double ways[][2] = {{1, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int i = 0; i < 4; i++)
        for (int q = 0; q < 2; q++)
            assert_true(t->state[2 * i + q] == ways[i][q]);
    th_model_transitions_free(t);
    assert_null(th_inspect_automaton_transitions(a, word, 0, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_automaton_free(a);
    a = parse("alphabet a; start e; accept o; e eps -> o");
    err = (ThError){0};
    assert_null(th_inspect_automaton_transitions(a, word, 1, &err));
    assert_non_null(strstr(err.msg, "empty moves"));
    th_automaton_free(a);
}

static void assert_value(const double *x, int n, int i, double real, double imaginary)
{
    if (!(fabs(x[i] - real) < 1e-12 && fabs(x[n + i] - imaginary) < 1e-12))
        fail_msg("%g %+gi is not %g %+gi", x[i], x[n + i], real, imaginary);
}

/* A turn by 0.3, made twice, beside diagonals 0.5 and -1 after 2 and 1. */
static void test_spectrum(void **state)
{
    (void)state;
    ThModelTransitions *t = th_model_transitions_new(2, 2, 2, NULL);
    const double turn[] = {cos(0.3), -sin(0.3), sin(0.3), cos(0.3)};
    for (int i = 0; i < 2; i++)
        memcpy(t->a + i * 8, turn, sizeof turn);
    const double first[] = {2, 0, 0, 1}, second[] = {0.5, 3, 0, -1};
    memcpy(t->a + 4, first, sizeof first);
    memcpy(t->a + 12, second, sizeof second);
    double *x = th_inspect_spectrum(t, NULL);
    assert_non_null(x);
    assert_value(x, 4, 0, 1, 0);
    assert_value(x, 4, 1, cos(0.6), sin(0.6));
    assert_value(x, 4, 2, cos(0.6), -sin(0.6));
    assert_value(x, 4, 3, -1, 0);
    free(x);
    th_model_transitions_free(t);
}

/* Order counts where transitions do not commute: a shear and its transpose. */
static void test_order(void **state)
{
    (void)state;
    ThModelTransitions *t = th_model_transitions_new(2, 1, 2, NULL);
    const double a[] = {0, 1, 0, 0, 2, 0, 0, 3}; /* second times first is 0 2; 0 0 */
    memcpy(t->a, a, sizeof a);
    t->a[2] = 4; /* first: 0 1; 4 0; product 0 2; 12 0 with the values ±√24 */
    double *x = th_inspect_spectrum(t, NULL);
    assert_value(x, 2, 0, sqrt(24), 0);
    assert_value(x, 2, 1, -sqrt(24), 0);
    free(x);
    th_model_transitions_free(t);
}

static void test_propositions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        ThInspectProposition p;
        for (ThInspectTransition kind = TH_INSPECT_FIXED; kind <= TH_INSPECT_DIAGONAL; kind++) {
            assert_true(th_inspect_proposition(kind, 6, seed, &p, NULL));
            assert_true(p.apart > 0.1 && fabs(p.apart - p.equal) < 1e-12 && p.differ < 1e-12);
        }
        assert_true(th_inspect_proposition(TH_INSPECT_DENSE, 6, seed, &p, NULL));
        assert_true(p.differ > 0.1);
        /* Numbers commute. */
        assert_true(th_inspect_proposition(TH_INSPECT_DENSE, 1, seed, &p, NULL));
        assert_true(p.differ < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_numbers), cmocka_unit_test(test_powers),
        cmocka_unit_test(test_rounds),       cmocka_unit_test(test_automata),
        cmocka_unit_test(test_spectrum),     cmocka_unit_test(test_order),
        cmocka_unit_test(test_propositions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
