/* Recurrences by maps and a diagonal: gradients against differences, where the maps stay as they
 * are and where their softmax moves, floats against doubles, and automata, which are exact. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "operation.h"

enum { N = 3, K = 2, T = 4, B = 2, WIDE = 2 * N, SIZE = N * N };

static float choice[B * T * K], matrices[K * SIZE];
static const int ragged[B] = {4, 2}, symbol[B * T] = {1, 0, 2, 2, 0, 1, 1, 0};

static int prepare(void **state)
{
    (void)state;
    ThRng r = th_rng(3, "maps", 0);
    for (int i = 0; i < B * T * K; i++)
        choice[i] = (float)th_rng_normal(&r);
    for (int i = 0; i < K * SIZE; i++)
        matrices[i] = (float)th_rng_normal(&r);
    return 0;
}

/* ---- the maps as they are ---- */

static ThVar build(ThTape *t, const ThVar *in, const void *how)
{
    ThOpOneHot s = *(const ThOpOneHot *)how;
    s.choice = th_tape_constant(t, s.row ? 3 : B * T, K, choice);
    s.matrices = th_tape_constant(t, K, SIZE, matrices);
    s.diagonal = in[0];
    s.added = in[1];
    s.start = in[2];
    return th_op_scan_one_hot(t, &s);
}

static void test_gradients(void **state)
{
    (void)state;
    static const ThOpOneHot how[] = {{B, T, NULL, NULL, true, 0, 0, 0, 0, 0},
                                     {B, T, ragged, NULL, false, 0, 0, 0, 0, 0},
                                     {B, T, ragged, symbol, true, 0, 0, 0, 0, 0}};
    for (int i = 0; i < 3; i++) {
        int rows = how[i].row ? 3 : B * T;
        check_operation(&(Operation){.name = "one-hot scan",
                                     .shape = {{rows, WIDE}, {rows, WIDE}, {i ? B : 1, WIDE}},
                                     .build = build,
                                     .how = &how[i]});
    }
    Operation o = {.build = build, .how = &how[0], .shape = {{B * T, WIDE}, {5, WIDE}, {1, WIDE}}};
    assert_non_null(strstr(misfit_of(&o), "do not fit 2 strings of 4"));
}

/* ---- their softmax ---- */

/* P for a row of choices: hard, or softmax. */
static void matrix_of(const double *c, const double *all, bool columns, bool hard, double *p)
{
    double m[SIZE] = {0};
    for (int i = 0; i < K * SIZE; i++)
        m[i % SIZE] += c[i / SIZE] * all[i];
    for (int j = 0; j < N; j++) {
        int best = 0, at[N];
        double sum = 0;
        for (int i = 0; i < N; i++) {
            at[i] = columns ? i * N + j : j * N + i;
            sum += exp(m[at[i]]);
            best = m[at[i]] > m[at[best]] ? i : best;
        }
        for (int i = 0; i < N; i++)
            p[at[i]] = hard ? i == best : exp(m[at[i]]) / sum;
    }
}

typedef struct {
    double c[B * T * K], all[K * SIZE], diagonal[B * T * WIDE], added[B * T * WIDE], start[WIDE];
    double seed[B * T * WIDE];
    double moved[B * T][SIZE]; /* hard less softmax, which stays while the softmax moves */
    bool columns;
} Plain;

static double weighed(const Plain *x)
{
    double sum = 0;
    double complex h[N];
    for (int p = 0; p < B * T; p++) {
        double soft[SIZE];
        double complex next[N];
        matrix_of(x->c + p * K, x->all, x->columns, false, soft);
        for (int i = 0; i < N && p % T == 0; i++)
            h[i] = x->start[i] + (double complex)I * x->start[N + i];
        for (int i = 0; i < N; i++) {
            double complex z = 0;
            for (int j = 0; j < N; j++)
                z += (soft[i * N + j] + x->moved[p][i * N + j]) * h[j];
            const double *d = x->diagonal + p * WIDE, *b = x->added + p * WIDE;
            next[i] =
                (d[i] + (double complex)I * d[N + i]) * z + b[i] + (double complex)I * b[N + i];
            sum +=
                x->seed[p * WIDE + i] * creal(next[i]) + x->seed[p * WIDE + N + i] * cimag(next[i]);
        }
        memcpy(h, next, sizeof h);
    }
    return sum;
}

/* Takes numbers from a parameter. */
static void take(const ThParams *p, int index, double *to)
{
    for (int i = 0; i < p->item[index].rows * p->item[index].cols; i++)
        to[i] = (double)th_params_at(p, index)[i];
}

static void check_slopes(const ThParams *p, int index, Plain *x, double *numbers, const double *got)
{
    for (int i = 0; i < p->item[index].rows * p->item[index].cols; i++) {
        double kept = numbers[i], h = 1e-5;
        numbers[i] = kept + h;
        double up = weighed(x);
        numbers[i] = kept - h;
        double slope = (up - weighed(x)) / (2 * h), g = got[p->item[index].offset + (size_t)i];
        numbers[i] = kept;
        if (!(fabs(slope - g) <= 1e-7 * (1 + fabs(slope))))
            fail_msg("operand %d, %d: %g is not %g", index, i, g, slope);
    }
}

static void check_straight_through(bool columns)
{
    static const struct {
        const char *name;
        int rows, cols;
    } shape[] = {
        {"c", B * T, K}, {"m", K, SIZE}, {"d", B * T, WIDE}, {"b", B * T, WIDE}, {"s", 1, WIDE}};
    ThParams p = {0};
    ThVar v[2];
    ThTape *t[2];
    for (int i = 0; i < 5; i++)
        th_params_add(&p, shape[i].name, shape[i].rows, shape[i].cols, TH_INIT_NORMAL, 1, NULL);
    assert_true(th_params_allocate(&p, 8, NULL, NULL));
    Plain x = {.columns = columns};
    double *to[] = {x.c, x.all, x.diagonal, x.added, x.start};
    for (int i = 0; i < 5; i++)
        take(&p, i, to[i]);
    ThRng r = th_rng(4, "seed", 0);
    for (int i = 0; i < B * T * WIDE; i++)
        x.seed[i] = th_rng_normal(&r);
    for (int i = 0; i < B * T; i++) {
        double soft[SIZE];
        matrix_of(x.c + i * K, x.all, columns, true, x.moved[i]);
        matrix_of(x.c + i * K, x.all, columns, false, soft);
        for (int k = 0; k < SIZE; k++)
            x.moved[i][k] -= soft[k];
    }
    for (int mode = 0; mode < 2; mode++) {
        t[mode] = th_tape_new(mode ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT, &p, NULL);
        th_tape_begin(t[mode], TH_TAPE_GRADIENT);
        v[mode] = th_op_scan_one_hot(t[mode],
                                     &(ThOpOneHot){B, T, NULL, NULL, columns, th_param(t[mode], 0),
                                                   th_param(t[mode], 1), th_param(t[mode], 2),
                                                   th_param(t[mode], 3), th_param(t[mode], 4)});
        assert_true(th_tape_backward(t[mode], v[mode], x.seed, NULL));
    }
    const double *g = th_tape_gradient_double(t[1]);
    for (int i = 0; i < 5; i++)
        check_slopes(&p, i, &x, to[i], g);
    for (size_t i = 0; i < p.total; i++)
        assert_true(fabs((double)th_tape_gradient(t[0])[i] - g[i]) <= 2e-5 * (1 + fabs(g[i])));
    th_tape_free(t[0]);
    th_tape_free(t[1]);
    th_params_free(&p);
}

static void test_straight_through(void **state)
{
    (void)state;
    check_straight_through(true);
    check_straight_through(false);
}

/* Sums of matrices above what an exponential holds: in doubles, too, slopes are numbers. */
static void test_great_sums(void **state)
{
    (void)state;
    static const float one[1] = {1}, great[SIZE] = {2000, 3, 5, 1999.5F, 9, 1, 8, 4, 2};
    ThParams p = {0};
    th_params_add(&p, "m", 1, SIZE, TH_INIT_ZERO, 0, NULL);
    assert_true(th_params_allocate(&p, 8, NULL, NULL));
    memcpy(th_params_at(&p, 0), great, sizeof great);
    float ones[WIDE] = {1, 1, 1}, start[WIDE] = {1, 2, 4};
    double seed[WIDE] = {1, 2, 3};
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p, NULL);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThVar v = th_op_scan_one_hot(
        t, &(ThOpOneHot){1, 1, NULL, NULL, true, th_tape_constant(t, 1, 1, one), th_param(t, 0),
                         th_tape_constant(t, 1, WIDE, ones), th_tape_constant(t, 1, WIDE, ones),
                         th_tape_constant(t, 1, WIDE, start)});
    assert_true(th_tape_backward(t, v, seed, NULL));
    const double *g = th_tape_gradient_double(t);
    /* of column 0 rows 0 and 1 share nearly all: e^0.5 to one */
    double first = 1 / (1 + exp(-0.5));
    assert_true(fabs(g[0] - first * (1 - first) * (1 - 2)) < 1e-9);
    for (int i = 0; i < SIZE; i++)
        assert_true(isfinite(g[i]));
    th_tape_free(t);
    th_params_free(&p);
}

/* ---- automata ---- */

/* A table of 5 states and 3 symbols as matrices, which a word walks through for 500 symbols. */
static void test_automaton(void **state)
{
    (void)state;
    enum { STATES = 5, SYMBOLS = 3, LONG = 500, ROW = 2 * STATES };
    static const int next[SYMBOLS][STATES] = {{1, 2, 3, 4, 0}, {0, 0, 2, 2, 4}, {3, 1, 4, 0, 2}};
    float one[SYMBOLS * SYMBOLS] = {0}, all[SYMBOLS * STATES * STATES] = {0};
    float diagonal[SYMBOLS * ROW] = {0}, nothing[SYMBOLS * ROW] = {0}, start[ROW] = {1};
    int word[LONG];
    double y[LONG * ROW];
    ThRng r = th_rng(5, "word", 0);
    for (int i = 0; i < LONG; i++)
        word[i] = (int)th_rng_below(&r, SYMBOLS);
    for (int s = 0; s < SYMBOLS; s++) {
        one[s * SYMBOLS + s] = 1;
        for (int q = 0; q < STATES; q++) {
            all[(s * STATES + next[s][q]) * STATES + q] = 1;
            diagonal[s * ROW + q] = 1;
        }
    }
    ThParams none = {0};
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &none, NULL);
    ThVar v = th_op_scan_one_hot(
        t, &(ThOpOneHot){1, LONG, NULL, word, true, th_tape_constant(t, SYMBOLS, SYMBOLS, one),
                         th_tape_constant(t, SYMBOLS, STATES * STATES, all),
                         th_tape_constant(t, SYMBOLS, ROW, diagonal),
                         th_tape_constant(t, SYMBOLS, ROW, nothing),
                         th_tape_constant(t, 1, ROW, start)});
    th_tape_read(t, v, y);
    for (int i = 0, q = 0; i < LONG; i++) {
        q = next[word[i]][q];
        for (int k = 0; k < ROW; k++)
            assert_true(y[i * ROW + k] == (k == q));
    }
    th_tape_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_straight_through),
        cmocka_unit_test(test_great_sums),
        cmocka_unit_test(test_automaton),
    };
    return cmocka_run_group_tests_name("one-hot scan", tests, prepare, NULL);
}
