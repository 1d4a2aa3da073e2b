/* Linear recurrences: gradients against differences, floats against doubles, and values against the
 * recurrence written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "operation.h"

static void assert_near(double got, double wanted, double apart)
{
    if (!(fabs(got - wanted) <= apart))
        fail_msg("%.9g instead of %.9g", got, wanted);
}

typedef enum { DIAGONAL, COMPLEX, BLOCKS } Form;

typedef struct {
    Form form;
    int k;
    bool start;
    ThScan s;
} How;

static ThVar build(ThTape *t, const ThVar *in, const void *how)
{
    const How *h = how;
    ThVar start = h->start ? in[2] : -1;
    if (h->form == DIAGONAL)
        return th_op_scan(t, in[0], in[1], start, &h->s);
    if (h->form == COMPLEX)
        return th_op_scan_complex(t, in[0], in[1], start, &h->s);
    return th_op_scan_blocks(t, in[0], in[1], start, h->k, &h->s);
}

/* Gradients that other operations have left are added to, and the state may have a name. */
static ThVar build_twice(ThTape *t, const ThVar *in, const void *how)
{
    ThVar y = build(t, in, how);
    th_tape_tag(t, y, "state", 0);
    return th_op_beside(t, (ThVar[]){y, build(t, in, how)}, 2);
}

enum { B = 3, T = 5, N = B * T };
static const int ragged[B] = {5, 0, 2};
static const int symbol[N] = {2, 0, 1, 1, 2, 0, 0, 0, 1, 2, 2, 2, -1, 7, 1};
static const int every_symbol[N] = {2, 0, 1, 1, 2, 0, 0, 0, 1, 2, 2, 2, 0, 1, 1};

static void test_gradients(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int shape[MOST_OPERANDS][2];
        How how;
    } all[] = {
        {"diagonal", {{N, 6}, {N, 6}}, {DIAGONAL, 0, false, {B, T, NULL, NULL, NULL}}},
        {"constant", {{1, 35}, {N, 35}, {1, 35}}, {DIAGONAL, 0, true, {B, T, NULL, NULL, NULL}}},
        {"ragged", {{N, 6}, {N, 6}, {B, 6}}, {DIAGONAL, 0, true, {B, T, ragged, NULL, NULL}}},
        {"by symbol",
         {{3, 6}, {3, 6}, {1, 6}},
         {DIAGONAL, 0, true, {B, T, NULL, every_symbol, every_symbol}}},
        {"one position", {{1, 6}, {1, 6}, {1, 6}}, {DIAGONAL, 0, true, {1, 1, NULL, NULL, NULL}}},
        {"complex", {{N, 6}, {N, 6}, {B, 6}}, {COMPLEX, 0, true, {B, T, NULL, NULL, NULL}}},
        {"complex, constant", {{1, 70}, {N, 70}}, {COMPLEX, 0, false, {B, T, ragged, NULL, NULL}}},
        {"blocks of 2", {{N, 8}, {N, 4}, {1, 4}}, {BLOCKS, 2, true, {B, T, NULL, NULL, NULL}}},
        {"blocks of 3", {{3, 18}, {N, 6}, {B, 6}}, {BLOCKS, 3, true, {B, T, ragged, symbol, NULL}}},
        {"blocks of 4", {{N, 32}, {N, 8}}, {BLOCKS, 4, false, {B, T, ragged, NULL, NULL}}},
        {"blocks of 8",
         {{3, 128}, {3, 16}, {1, 16}},
         {BLOCKS, 8, true, {B, T, ragged, symbol, symbol}}},
        {"twelve blocks of 8",
         {{3, 768}, {N, 96}, {B, 96}},
         {BLOCKS, 8, true, {B, T, ragged, symbol, NULL}}},
        {"three blocks of 8",
         {{3, 192}, {3, 24}},
         {BLOCKS, 8, false, {B, T, NULL, every_symbol, every_symbol}}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Operation o = {.name = all[i].name, .build = build, .how = &all[i].how};
        memcpy(o.shape, all[i].shape, sizeof o.shape);
        check_operation(&o);
        o.build = build_twice;
        check_operation(&o);
    }
}

/* h' = a h + b in complex numbers, from (p + qi)(x + yi) = px - qy + (py + qx)i. */
static void test_complex_values(void **state)
{
    (void)state;
    const float a[] = {0.5f, -0.3f, 0.7f, 0.2f}, b[] = {1, 2, 3, 4, -1, 0, 1, 1, 2, 2, -2, 0.5f};
    double y[12];
    ThParams none = {0};
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &none, NULL);
        ThVar h = th_op_scan_complex(t, th_tape_constant(t, 1, 4, a), th_tape_constant(t, 3, 4, b),
                                     -1, &(ThScan){.B = 1, .T = 3});
        th_tape_read(t, h, y);
        for (int j = 0; j < 2; j++) {
            double p = (double)a[j], q = (double)a[2 + j], re = 0, im = 0;
            for (int i = 0; i < 3; i++) {
                double old = re;
                re = p * re - q * im + (double)b[4 * i + j];
                im = p * im + q * old + (double)b[4 * i + 2 + j];
                assert_near(y[4 * i + j], re, 1e-5);
                assert_near(y[4 * i + 2 + j], im, 1e-5);
            }
        }
        th_tape_free(t);
    }
}

/* Permutations as blocks compute products of a group: of (0 1 2) and (0 1), read symbol after
 * symbol, and a string that has ended stays where it is. */
static void test_permutations(void **state)
{
    (void)state;
    const float table[] = {0, 0, 1, 1, 0, 0, 0, 1, 0,  /* 0 to 1 to 2 to 0 */
                           0, 1, 0, 1, 0, 0, 0, 0, 1}; /* 0 and 1 change places */
    static const int word[] = {0, 1, 0, 0, 0, 1, 0, 1}, length[] = {4, 3};
    static const int at[] = {1, 0, 1, 2, 1, 0, 1, 1}; /* where the walk from 0 is */
    const float start[] = {1, 0, 0}, zero[] = {0, 0, 0};
    double y[24];
    ThParams p = {0};
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, NULL);
        ThVar h =
            th_op_scan_blocks(t, th_tape_constant(t, 2, 9, table), th_tape_constant(t, 1, 3, zero),
                              th_tape_constant(t, 1, 3, start), 3,
                              &(ThScan){.B = 2, .T = 4, .length = length, .a_row = word});
        th_tape_read(t, h, y);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 3; j++)
                assert_near(y[3 * i + j], j == at[i], 0);
        th_tape_free(t);
    }
}

static void test_misfits(void **state)
{
    (void)state;
    static const int beyond[B] = {5, 6, 1}, row_3[N] = {0, 3};
    static const struct {
        int shape[MOST_OPERANDS][2];
        How how;
        const char *message;
    } all[] = {
        {{{N, 6}, {N, 5}}, {DIAGONAL, 0, false, {B, T, NULL, NULL, NULL}}, "a has 6 columns"},
        {{{N, 6}, {9, 6}}, {DIAGONAL, 0, false, {B, T, NULL, NULL, NULL}}, "b has 9 rows"},
        {{{2, 6}, {N, 6}}, {DIAGONAL, 0, false, {B, T, NULL, NULL, NULL}}, "a has 2 rows"},
        {{{N, 6}, {N, 6}, {2, 6}},
         {DIAGONAL, 0, true, {B, T, NULL, NULL, NULL}},
         "the start (2,6) does not fit 3 strings of 6 columns"},
        {{{N, 6}, {N, 6}}, {DIAGONAL, 0, false, {B, T, beyond, NULL, NULL}}, "6 of 5 positions"},
        {{{3, 6}, {N, 6}}, {DIAGONAL, 0, false, {B, T, NULL, row_3, NULL}}, "row 3 of 3 in a"},
        {{{3, 6}, {3, 6}}, {DIAGONAL, 0, false, {B, T, NULL, symbol, symbol}}, "row -1 of 3"},
        {{{N, 5}, {N, 5}}, {COMPLEX, 0, false, {B, T, NULL, NULL, NULL}}, "no complex numbers"},
        {{{N, 10}, {N, 5}}, {BLOCKS, 2, false, {B, T, NULL, NULL, NULL}}, "blocks of 2"},
        {{{N, 10}, {N, 5}}, {BLOCKS, 0, false, {B, T, NULL, NULL, NULL}}, "blocks of 0"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Operation o = {.build = build, .how = &all[i].how};
        memcpy(o.shape, all[i].shape, sizeof o.shape);
        const char *said = misfit_of(&o);
        if (!strstr(said, all[i].message))
            fail_msg("'%s' does not say '%s'", said, all[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_complex_values),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
