/* RASP's values, and its evaluator against one that does what the definition says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "rasp/evaluate/differ.h"
#include "rasp/evaluate/rasp_run.h"
#include "rasp/graph/rasp_graph.h"
#include "rasp/values/number.h"

#include "rasp_random.h"

/* ---- atoms ----------------------------------------------------------------------------------- */

static ThRaspAtom text(ThRaspAtoms *p, const char *s)
{
    ThRaspAtom a;
    assert_true(th_rasp_atom_string(p, s, strlen(s), &a, NULL));
    return a;
}

static void shows(const ThRaspAtoms *p, ThRaspAtom a, const char *wanted)
{
    ThText t = {0};
    th_rasp_atom_write(p, a, &t);
    assert_non_null(t.data);
    assert_string_equal(t.data, wanted);
    th_text_free(&t);
}

/* a op b, shown; an error as "!". */
static void gives(ThRaspAtoms *p, ThRaspAtom a, ThRaspBinary op, ThRaspAtom b, const char *wanted)
{
    ThError err = {0};
    ThRaspAtom z;
    if (th_rasp_atom_binary(p, op, a, b, &z, &err)) {
        shows(p, z, wanted);
    } else {
        assert_true(err.code && err.msg[0]);
        assert_string_equal("!", wanted);
    }
}

static void test_operators(void **state)
{
    (void)state;
    ThRaspAtoms p = {0};
    ThRaspAtom abc = text(&p, "abc"), b = text(&p, "b");
    gives(&p, th_rasp_int(7), TH_RASP_OP_DIV, th_rasp_int(2), "3.5");
    gives(&p, th_rasp_int(6), TH_RASP_OP_DIV, th_rasp_int(2), "3.0");
    gives(&p, th_rasp_int(0), TH_RASP_OP_DIV, th_rasp_int(-5), "-0.0");
    gives(&p, th_rasp_int(7), TH_RASP_OP_MOD, th_rasp_int(-3), "-2");
    gives(&p, th_rasp_int(-7), TH_RASP_OP_MOD, th_rasp_int(3), "2");
    gives(&p, th_rasp_int(INT64_MIN), TH_RASP_OP_MOD, th_rasp_int(-1), "0");
    gives(&p, th_rasp_float(-7.5), TH_RASP_OP_MOD, th_rasp_int(2), "0.5");
    gives(&p, th_rasp_int(2), TH_RASP_OP_POW, th_rasp_int(10), "1024");
    gives(&p, th_rasp_int(2), TH_RASP_OP_POW, th_rasp_int(62), "4611686018427387904");
    gives(&p, th_rasp_int(-2), TH_RASP_OP_POW, th_rasp_int(63), "-9223372036854775808");
    gives(&p, th_rasp_int(2), TH_RASP_OP_POW, th_rasp_int(63), "!");
    gives(&p, th_rasp_int(2), TH_RASP_OP_POW, th_rasp_int(-1), "0.5");
    gives(&p, th_rasp_int(1), TH_RASP_OP_POW, th_rasp_int(INT64_MAX), "1");
    gives(&p, th_rasp_int(0), TH_RASP_OP_POW, th_rasp_int(-1), "!");
    gives(&p, th_rasp_int(-8), TH_RASP_OP_POW, th_rasp_float(0.5), "!");
    gives(&p, th_rasp_float(1e200), TH_RASP_OP_MUL, th_rasp_float(1e200), "!");
    gives(&p, th_rasp_int(INT64_MAX), TH_RASP_OP_ADD, th_rasp_int(1), "!");
    gives(&p, th_rasp_int(1), TH_RASP_OP_DIV, th_rasp_int(0), "!");
    gives(&p, th_rasp_int(1), TH_RASP_OP_MOD, th_rasp_float(0), "!");
    gives(&p, th_rasp_bool(true), TH_RASP_OP_ADD, th_rasp_bool(true), "2");
    gives(&p, abc, TH_RASP_OP_ADD, b, "abcb");
    gives(&p, b, TH_RASP_OP_MUL, th_rasp_int(3), "bbb");
    gives(&p, th_rasp_int(-1), TH_RASP_OP_MUL, abc, "");
    gives(&p, abc, TH_RASP_OP_MUL, th_rasp_int(INT64_MAX), "!");
    gives(&p, abc, TH_RASP_OP_ADD, th_rasp_int(1), "!");
    gives(&p, abc, TH_RASP_OP_LT, b, "True");
    gives(&p, abc, TH_RASP_OP_LT, th_rasp_int(1), "!");
    gives(&p, abc, TH_RASP_OP_EQ, th_rasp_int(1), "False");
    gives(&p, th_rasp_int(1), TH_RASP_OP_EQ, th_rasp_float(1), "True");
    gives(&p, th_rasp_bool(true), TH_RASP_OP_EQ, th_rasp_float(1), "True");
    gives(&p, th_rasp_int((int64_t)1 << 53 | 1), TH_RASP_OP_EQ, th_rasp_float(0x1p53), "False");
    gives(&p, th_rasp_int(INT64_MAX), TH_RASP_OP_LT, th_rasp_float(0x1p63), "True");
    gives(&p, th_rasp_int(0), TH_RASP_OP_OR, abc, "abc");
    gives(&p, th_rasp_int(0), TH_RASP_OP_AND, abc, "0");
    th_rasp_atoms_free(&p);
}

static void test_text_of_numbers(void **state)
{
    (void)state;
    ThRaspAtoms p = {0};
    shows(&p, th_rasp_float(0.1), "0.1");
    shows(&p, th_rasp_float(1.0 / 3), "0.3333333333333333");
    shows(&p, th_rasp_float(1e15), "1000000000000000.0");
    shows(&p, th_rasp_float(1e16), "1e+16");
    shows(&p, th_rasp_float(0.0001), "0.0001");
    shows(&p, th_rasp_float(0.00001), "1e-05");
    shows(&p, th_rasp_float(123456.789), "123456.789");
    shows(&p, th_rasp_float(5e-324), "5e-324");
    shows(&p, th_rasp_float(100), "100.0");
    ThRaspAtom pair[] = {th_rasp_int(1), text(&p, "a")}, z;
    assert_true(th_rasp_atom_tuple(&p, pair, 2, &z, NULL));
    shows(&p, z, "(1, 'a')");
    assert_true(th_rasp_atom_tuple(&p, &z, 1, &z, NULL));
    shows(&p, z, "((1, 'a'),)");
    th_rasp_atoms_free(&p);
}

static void converts(ThRaspAtoms *p, ThRaspAtom a, ThRaspAtomKind kind, const char *wanted)
{
    ThRaspAtom z;
    ThError err = {0};
    if (th_rasp_atom_convert(p, a, kind, &z, &err))
        shows(p, z, wanted);
    else
        assert_string_equal("!", wanted);
}

static void test_conversions(void **state)
{
    (void)state;
    ThRaspAtoms p = {0};
    converts(&p, text(&p, " -12 "), TH_RASP_ATOM_INT, "-12");
    converts(&p, text(&p, "1.5"), TH_RASP_ATOM_INT, "!");
    converts(&p, text(&p, "x"), TH_RASP_ATOM_INT, "!");
    converts(&p, text(&p, ""), TH_RASP_ATOM_INT, "!");
    converts(&p, text(&p, "9223372036854775808"), TH_RASP_ATOM_INT, "!");
    converts(&p, text(&p, "-9223372036854775808"), TH_RASP_ATOM_INT, "-9223372036854775808");
    converts(&p, text(&p, "1e3"), TH_RASP_ATOM_FLOAT, "1000.0");
    converts(&p, text(&p, "inf"), TH_RASP_ATOM_FLOAT, "!");
    converts(&p, text(&p, "0x10"), TH_RASP_ATOM_FLOAT, "!");
    converts(&p, text(&p, "1e999"), TH_RASP_ATOM_FLOAT, "!");
    converts(&p, th_rasp_float(-2.7), TH_RASP_ATOM_INT, "-2");
    converts(&p, th_rasp_float(1e300), TH_RASP_ATOM_INT, "!");
    converts(&p, text(&p, "0"), TH_RASP_ATOM_BOOL, "True");
    converts(&p, text(&p, ""), TH_RASP_ATOM_BOOL, "False");
    converts(&p, th_rasp_bool(true), TH_RASP_ATOM_STRING, "True");
    converts(&p, th_rasp_bool(true), TH_RASP_ATOM_INT, "1");
    ThRaspAtom z;
    assert_true(th_rasp_atom_unary(&p, TH_RASP_OP_ROUND, th_rasp_float(2.5), &z, NULL));
    assert_int_equal(z.cell.i, 2);
    assert_true(th_rasp_atom_unary(&p, TH_RASP_OP_ROUND, th_rasp_float(3.5), &z, NULL));
    assert_int_equal(z.cell.i, 4);
    assert_false(th_rasp_atom_unary(&p, TH_RASP_OP_ROUND, th_rasp_float(1e19), &z, NULL));
    assert_false(th_rasp_atom_unary(&p, TH_RASP_OP_NEGATE, th_rasp_int(INT64_MIN), &z, NULL));
    th_rasp_atoms_free(&p);
}

static void test_pool_goes_back(void **state)
{
    (void)state;
    ThRaspAtoms p = {0};
    ThRaspAtom a, b, pair[2];
    char name[20];
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "s%d", i);
        text(&p, name);
    }
    ThRaspAtomsMark mark = th_rasp_atoms_mark(&p);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) {
            snprintf(name, sizeof name, "t%d", i);
            pair[0] = text(&p, name);
            pair[1] = th_rasp_int(i);
            assert_int_equal(pair[0].cell.i, 50 + i);
            assert_true(th_rasp_atom_tuple(&p, pair, 2, &a, NULL));
            assert_int_equal(a.cell.i, i);
        }
        th_rasp_atoms_rewind(&p, mark);
        assert_int_equal(text(&p, "s49").cell.i, 49);
        assert_int_equal(p.string.n, 50);
    }
    /* Equal, though not the same: a tuple with 1.0 and one with 1. */
    pair[0] = th_rasp_int(1);
    assert_true(th_rasp_atom_tuple(&p, pair, 1, &a, NULL));
    pair[0] = th_rasp_float(1);
    assert_true(th_rasp_atom_tuple(&p, pair, 1, &b, NULL));
    assert_true(a.cell.i != b.cell.i && th_rasp_atom_equal(&p, a, b));
    assert_int_equal(th_rasp_atom_hash(&p, a), th_rasp_atom_hash(&p, b));
    for (int i = 0; i < 63; i++)
        assert_true(th_rasp_atom_tuple(&p, &a, 1, &a, NULL));
    assert_false(th_rasp_atom_tuple(&p, &a, 1, &a, NULL));
    th_rasp_atoms_free(&p);
}

/* ---- means ----------------------------------------------------------------------------------- */

static double random_float(ThRng *r)
{
    switch (th_rng_below(r, 4)) {
    case 0:
        return ldexp((double)th_rng_below(r, 100) - 50, -(int)th_rng_below(r, 4));
    case 1:
        return (double)th_rng_below(r, 100) / 3;
    case 2:
        return ldexp(th_rng_normal(r), (int)th_rng_below(r, 300) - 150);
    default:
        return ldexp(th_rng_normal(r), (int)th_rng_below(r, 2000) - 1070);
    }
}

static void test_exact_sums(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "test.rasp.sums", 0);
    for (int turn = 0; turn < 3000; turn++) {
        ThRaspSum s = {0};
        size_t n = 1 + th_rng_below(&r, 9);
        mpq_t sum, one;
        mpq_inits(sum, one, NULL);
        for (size_t i = 0; i < n; i++) {
            double x = random_float(&r);
            if (turn % 7 == 0)
                x = ldexp(x < 0 ? -1 : 1, -1074 + (int)th_rng_below(&r, 3));
            mpq_set_d(one, x);
            mpq_add(sum, sum, one);
            th_rasp_sum_add(&s, x);
        }
        mpq_set_ui(one, n, 1);
        mpq_div(sum, sum, one);
        double wanted = mpq_sgn(sum) ? naive_nearest(sum) : 0;
        double got = th_rasp_sum_mean(&s, n);
        if (got != wanted)
            print_error("turn %d n %zu: %a, not %a\n", turn, n, got, wanted);
        assert_true(got == wanted);
        mpq_clears(sum, one, NULL);
    }
}

static void test_quotients(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "test.rasp.quotients", 0);
    mpq_t q;
    mpq_init(q);
    for (int turn = 0; turn < 20000; turn++) {
        int64_t a = (int64_t)(th_rng_next(&r) >> th_rng_below(&r, 64));
        int64_t b = (int64_t)(th_rng_next(&r) >> th_rng_below(&r, 64));
        if (!b || !a)
            continue;
        mpz_set_si(mpq_numref(q), a);
        mpz_set_si(mpq_denref(q), b);
        mpq_canonicalize(q);
        assert_true(th_rasp_ratio(a, b) == naive_nearest(q));
    }
    /* Next to the middle between two floats, so near that only the remainder shows on which side.
     */
    for (int k = 40; k < 62; k++) {
        uint64_t b = ((uint64_t)1 << k) + 1;
        ThRaspWide middle = (((ThRaspWide)1 << 53) + 1) * (ThRaspWide)b;
        assert_true(th_rasp_wide_ratio(middle, 0, b) == 0x1p53);
        assert_true(th_rasp_wide_ratio(middle + 1, 0, b) == 0x1p53 + 2);
        assert_true(th_rasp_wide_ratio(middle - 1, 0, b) == 0x1p53);
        assert_true(th_rasp_wide_ratio(-middle - 1, 0, b) == -0x1p53 - 2);
    }
    mpq_clear(q);
}

/* ---- random programs ------------------------------------------------------------------------- */

static void test_random_programs(void **state)
{
    (void)state;
    size_t failed = 0, compared = 0;
    const char *asked = getenv("PEERS");
    int programs = asked && atoi(asked) > 0 ? atoi(asked) : 1500;
    for (int seed = 0; seed < programs; seed++) {
        Fight f = {.rng = th_rng((uint64_t)seed, "test.rasp.programs", 0)};
        size_t n = 1 + die(&f, die(&f, 4) ? 12 : 90);
        bool agree = fight(&f, n, 60);
        if (!agree)
            print_error("program %d, node %u\n", seed, th_rasp_nodes(f.g) - 1);
        assert_true(agree);
        failed += f.failed;
        compared += f.compared;
        fight_free(&f);
    }
    print_message("%d programs, %zu values as by definition, %zu errors\n", programs, compared,
                  failed);
    assert_true(compared > (size_t)programs * 20);
}

/* ---- on which inputs two differ -------------------------------------------------------------- */

/* The value of a node on an input, as text; errors are all the same. */
static char *outcome(ThRaspGraph *g, ThRaspSop node, const ThRaspSeq *input)
{
    ThText t = {0};
    ThError err = {0};
    ThRaspRun *run = th_rasp_run_new(g, input, 0, &err);
    th_text_add(&t, "");
    if (!th_rasp_run_check(run, node, NULL, &err)) {
        th_text_add(&t, "error");
    } else if (th_rasp_is_selector(g, node)) {
        uint8_t *cell = th_rasp_run_grid(run, node, NULL, &err);
        for (size_t k = 0; k < input->n * input->n; k++)
            th_text_printf(&t, "%d", cell[k]);
        free(cell);
    } else {
        const ThRaspSeq *v = th_rasp_run_value(run, node, NULL, &err);
        for (size_t i = 0; i < v->n; i++) {
            /* By ==, numbers of all kinds are one. */
            ThRaspAtom a = th_rasp_seq_at(v, i), x;
            if (a.kind < TH_RASP_ATOM_STRING &&
                th_rasp_atom_convert(th_rasp_atoms(g), a, TH_RASP_ATOM_FLOAT, &x, NULL))
                a = x.cell.x == 0 ? th_rasp_float(0) : x;
            th_rasp_atom_write(th_rasp_atoms(g), a, &t);
            th_text_add(&t, ",");
        }
    }
    th_rasp_run_free(run);
    return th_text_take(&t, NULL);
}

/* The first input of lengths 1 … 3 over 0 1 2 on which two nodes differ, tried one by one. */
static bool first_difference(ThRaspGraph *g, ThRaspSop a, ThRaspSop b, ThRaspSeq *input,
                             uint64_t *tried)
{
    *tried = 0;
    for (size_t n = 1; n <= 3; n++)
        for (int64_t k = 0; k < (n == 1 ? 3 : n == 2 ? 9 : 27); k++) {
            ThRaspAtom x[3];
            int64_t rest = k;
            for (size_t i = n; i-- > 0; rest /= 3)
                x[i] = th_rasp_int(rest % 3);
            assert_true(th_rasp_seq_of(x, n, input, NULL));
            ++*tried;
            char *one = outcome(g, a, input), *other = outcome(g, b, input);
            bool differ = strcmp(one, other) != 0;
            free(one);
            free(other);
            if (differ)
                return true;
            th_rasp_seq_free(input);
        }
    return false;
}

static void test_differences(void **state)
{
    (void)state;
    const ThRaspAtom letter[] = {th_rasp_int(0), th_rasp_int(1), th_rasp_int(2)};
    int different = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        Fight f = {.rng = th_rng(seed, "test.rasp.differences", 0)};
        f.g = th_rasp_graph_new(&f.atoms, NULL);
        th_rasp_tokens(f.g, TH_RASP_AS_IS, NULL);
        th_rasp_indices(f.g, NULL);
        th_rasp_constant(f.g, th_rasp_int(1), NULL);
        for (int k = 0; k < 40; k++)
            random_node(&f);
        for (int k = 0; k < 12; k++) {
            bool selectors = die(&f, 4) == 0;
            ThRaspSop a = pick(&f, selectors), b = a == TH_RASP_NO_SOP ? a : pick(&f, selectors);
            ThRaspDifferOf d;
            ThError err = {0};
            ThRaspSeq input = {0};
            uint64_t tried;
            if (b == TH_RASP_NO_SOP)
                continue;
            bool wanted = first_difference(f.g, a, b, &input, &tried);
            assert_true(
                th_rasp_differ(f.g, a, b, &(ThRaspDifferInputs){letter, 3, 0, 3}, &d, NULL, &err));
            assert_int_equal(d.differ, wanted);
            assert_int_equal(d.inputs, tried);
            assert_int_equal(d.input.n, input.n);
            for (size_t i = 0; i < input.n; i++)
                assert_int_equal(d.input.cell[i].i, input.cell[i].i);
            different += wanted;
            th_rasp_differ_free(&d);
            th_rasp_seq_free(&input);
        }
        th_rasp_graph_free(f.g);
        th_rasp_atoms_free(&f.atoms);
    }
    print_message("%d differences found\n", different);
    assert_true(different > 300);
}

/* A row of more than 64 columns is compared to its end. */
static void test_wide_rows(void **state)
{
    (void)state;
    ThRaspAtoms atoms = {0};
    ThRaspGraph *g = th_rasp_graph_new(&atoms, NULL);
    ThRaspSop indices = th_rasp_indices(g, NULL);
    ThRaspSop one = th_rasp_select(g, indices, th_rasp_constant(g, th_rasp_int(65), NULL),
                                   TH_RASP_OP_LT, false, NULL);
    ThRaspSop other = th_rasp_select(g, indices, th_rasp_constant(g, th_rasp_int(67), NULL),
                                     TH_RASP_OP_LT, false, NULL);
    const ThRaspAtom letter = th_rasp_int(0);
    for (size_t length = 65; length <= 66; length++) {
        ThRaspDifferOf d;
        assert_true(th_rasp_differ(g, one, other, &(ThRaspDifferInputs){&letter, 1, length, length},
                                   &d, NULL, NULL));
        assert_int_equal(d.differ, length == 66);
        th_rasp_differ_free(&d);
    }
    th_rasp_graph_free(g);
    th_rasp_atoms_free(&atoms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),       cmocka_unit_test(test_text_of_numbers),
        cmocka_unit_test(test_conversions),     cmocka_unit_test(test_pool_goes_back),
        cmocka_unit_test(test_exact_sums),      cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_differences),
        cmocka_unit_test(test_wide_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
