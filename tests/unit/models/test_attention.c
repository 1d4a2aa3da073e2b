/* What modifies attention: lengths, segments, windows, biases, last queries, rotations; one by one
 * and together.
 *
 * Oracles: central differences of the double version and the double version for the float one
 * (operation.h); the formula, written out again with a mask of T times T; and identities between
 * modifiers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "operation_case.h"

enum { MOST_T = 40, MOST_B = 4 };

/* Inputs: q, kv, then u, v, xl where relative, then the bias. */
typedef struct {
    ThOpAttention a;
    bool relative;
} Attend;

static ThVar build(ThTape *t, const void *how)
{
    const Attend *a = how;
    ThOpAttention full = a->a;
    ThRng r = th_rng(1, "dropout", 0);
    int next = 2;
    full.rng = full.dropout > 0 ? &r : NULL; /* the same weights every time */
    full.u = a->relative ? th_param(t, next++) : -1;
    full.v = a->relative ? th_param(t, next++) : -1;
    full.xl = a->relative ? th_param(t, next++) : -1;
    if (full.biased != TH_TAPE_BIAS_NONE)
        full.bias = th_param(t, next);
    return th_op_attention(t, th_param(t, 0), th_param(t, 1), &full);
}

/* `spare`: positions that xl and the bias know beyond T; each: a full bias for every string. */
typedef struct {
    int queries, d, spare;
    bool each;
} Shape;

static void add_shape(Case *c, int rows, int cols)
{
    c->shape[c->n][0] = rows;
    c->shape[c->n++][1] = cols;
}

static Case case_of(const Attend *a, const Shape *s)
{
    Case c = {.build = build, .how = a};
    int m = a->a.T + s->spare, heads = a->a.heads;
    add_shape(&c, a->a.B * s->queries, s->d);
    add_shape(&c, a->a.B * a->a.T, 2 * s->d);
    if (a->relative) {
        add_shape(&c, 1, s->d);
        add_shape(&c, 1, s->d);
        add_shape(&c, 2 * m - 1, s->d);
    }
    if (a->a.biased == TH_TAPE_BIAS_DISTANCE)
        add_shape(&c, heads, a->a.causal ? m : 2 * m - 1);
    if (a->a.biased == TH_TAPE_BIAS_FULL)
        add_shape(&c, (s->each ? a->a.B : 1) * heads * m, m);
    return c;
}

/* ---- the formula ---- */

static bool sees(const ThOpAttention *a, int b, int head, int i, int j)
{
    int length = a->length ? a->length[b] : a->T;
    if (a->across)
        return j < length;
    bool seen = i >= 0 && i < length && j < length;
    seen = seen && (!a->causal || j <= i);
    if (a->window && a->window[head])
        seen = seen && i - j < a->window[head] && j - i < a->window[head];
    int low = i < j ? i : j, high = i < j ? j : i;
    for (int k = low; seen && a->segment && k < high; k++)
        seen = a->segment[b * a->T + k] == a->segment[b * a->T + k + 1];
    return seen;
}

static double added(const Attend *how, const Shape *s, const ThParams *p, int b, int head, int i,
                    int j)
{
    const ThOpAttention *a = &how->a;
    const float *bias = th_params_at(p, how->relative ? 5 : 2);
    int m = a->T + s->spare;
    if (a->biased == TH_TAPE_BIAS_DISTANCE)
        return (double)bias[head * (a->causal ? m : 2 * m - 1) + m - 1 + j - i];
    return (double)bias[(((s->each ? b * a->heads : 0) + head) * m + i) * m + j];
}

static double product(const Attend *how, const Shape *s, const ThParams *p, const float *q,
                      const float *k, int head, int distance)
{
    int width = s->d / how->a.heads, m = how->a.T + s->spare;
    double sum = 0;
    for (int c = head * width; c < (head + 1) * width; c++) {
        double u = 0, v = 0, r = 0;
        if (how->relative) {
            u = (double)th_params_at(p, 2)[c];
            v = (double)th_params_at(p, 3)[c];
            r = (double)th_params_at(p, 4)[(m - 1 - distance) * s->d + c];
        }
        sum += ((double)q[c] + u) * (double)k[c] + ((double)q[c] + v) * r;
    }
    return sum / sqrt(width);
}

/* Weights and result of one query of one head. */
static void plain_query(const Attend *how, const Shape *s, const ThParams *p, int b, int head,
                        int row, double *w, double *y)
{
    const ThOpAttention *a = &how->a;
    int length = a->length ? a->length[b] : a->T, width = s->d / a->heads;
    int i = s->queries == a->T ? row : length - s->queries + row;
    const float *q = th_params_at(p, 0) + (b * s->queries + row) * s->d;
    const float *kv = th_params_at(p, 1) + b * a->T * 2 * s->d;
    double sum = 0;
    for (int j = 0; j < a->T; j++) {
        w[j] = 0;
        if (!sees(a, b, head, i, j))
            continue;
        double logit = product(how, s, p, q, kv + j * 2 * s->d, head, i - j);
        logit += a->biased ? added(how, s, p, b, head, i, j) : 0;
        sum += w[j] = exp(logit);
    }
    for (int c = head * width; c < (head + 1) * width; c++)
        y[c] = 0;
    for (int j = 0; j < a->T && sum > 0; j++) {
        w[j] /= sum;
        for (int c = head * width; c < (head + 1) * width; c++)
            y[c] += w[j] * (double)kv[j * 2 * s->d + s->d + c];
    }
}

static void check_formula(const Attend *a, const Shape *s)
{
    ThError err = {0};
    ThParams p = {0};
    Case c = case_of(a, s);
    make_inputs(&c, &p);
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, &err);
        th_tape_keep_named(t, true);
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        ThVar y = build(t, a);
        if (!th_tape_ok(t, &err))
            fail_msg("%s", err.msg);
        double value[MOST_B * MOST_T * 16], expected[16] = {0}, w[MOST_T];
        double *weight = th_alloc((size_t)(MOST_B * MOST_T * MOST_T * 4), sizeof *weight, NULL);
        th_tape_read(t, y, value);
        th_tape_read(t, th_tape_find(t, "attention", a->a.tag), weight);
        double bound = precision == TH_TAPE_FLOAT ? 1e-5 : 1e-12;
        for (int b = 0; b < a->a.B; b++) {
            for (int row = 0; row < s->queries; row++) {
                for (int head = 0; head < a->a.heads; head++) {
                    plain_query(a, s, &p, b, head, row, w, expected);
                    int at = (b * a->a.heads + head) * s->queries + row;
                    for (int j = 0; j < a->a.T; j++)
                        assert_close(weight[at * a->a.T + j], w[j], bound);
                }
                for (int k = 0; k < s->d; k++)
                    assert_close(value[(b * s->queries + row) * s->d + k], expected[k], bound);
            }
        }
        free(weight);
        th_tape_free(t);
    }
    th_params_free(&p);
}

/* Against the formula, finite differences and the float version. */
static void check_both(const Attend *a, const Shape *s)
{
    Case c = case_of(a, s);
    check_formula(a, s);
    check(&c);
}

/* ---- every modifier ---- */

/* Runs of 1, 3, 2, …; the same number stands in two of a string's runs. */
static const int segments[MOST_B * MOST_T] = {
    0, 1, 1, 1, 2, 2, 0, 0, 0, 0, 0, 3, 3, 4, 4, 4, 4, 4, 4, 4,
    0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
};

static void test_lengths(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        Attend a = {
            {.B = 4, .T = 7, .heads = 2, .causal = mode & 1, .length = (const int[]){3, 7, 0, 1}},
            mode & 2};
        check_both(&a, &(Shape){7, 6, 0, false});
        check_both(&a, &(Shape){1, 6, 0, false});
        check_both(&a, &(Shape){4, 6, 0, false}); /* some strings are shorter than that */
    }
}

/* Queries that are no positions, fewer and more than keys; a string without keys answers 0. */
static void test_across(void **state)
{
    (void)state;
    for (int queries = 1; queries <= 9; queries += 4) {
        Attend a = {{.B = 4, .T = 4, .heads = 2, .across = true}, false};
        check_both(&a, &(Shape){queries, 6, 0, false});
        a.a.length = (const int[]){3, 4, 0, 1};
        check_both(&a, &(Shape){queries, 6, 0, false});
    }
}

static void test_segments(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        Attend a = {{.B = 2, .T = 20, .heads = 2, .causal = mode & 1, .segment = segments},
                    mode & 2};
        check_both(&a, &(Shape){20, 6, 0, false});
        check_both(&a, &(Shape){9, 6, 0, false});
        a.a.length = (const int[]){20, 11};
        check_both(&a, &(Shape){20, 6, 0, false});
        check_both(&a, &(Shape){12, 6, 0, false});
    }
}

/* Narrow windows take a way of their own, wide ones and none the products: here all in one. */
static void test_windows(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        Attend a = {
            {.B = 2, .T = 20, .heads = 4, .causal = mode & 1, .window = (const int[]){1, 4, 0, 17}},
            mode & 2};
        check_both(&a, &(Shape){20, 8, 0, false});
        check_both(&a, &(Shape){3, 8, 0, false});
    }
    for (int width = 16; width <= 32; width *= 2) {
        Attend a = {{.B = 1, .T = 24, .heads = 1, .causal = true, .window = (const int[]){3}},
                    false};
        Case c = case_of(&a, &(Shape){24, width, 0, false});
        check(&c);
    }
}

/* Strings long enough that causal queries come in parts, the last of them short; all heads of
 * another kind, of widths that are whole vectors and that are not. */
static void test_parts(void **state)
{
    (void)state;
    enum { PLAIN, WHOLE, RAGGED, RELATIVE };
    for (int mode = PLAIN; mode <= RELATIVE; mode++) {
        Attend a = {{.B = mode == RAGGED ? 2 : 1,
                     .T = 70,
                     .heads = 3,
                     .causal = mode != WHOLE,
                     .length = mode == RAGGED ? (const int[]){70, 66} : NULL,
                     .window = mode == RELATIVE ? NULL : (const int[]){3, 0, 17},
                     .biased = mode == RELATIVE ? TH_TAPE_BIAS_NONE : TH_TAPE_BIAS_DISTANCE},
                    mode == RELATIVE};
        Case c = case_of(&a, &(Shape){70, 3 * 16, 0, false});
        check(&c);
        c = case_of(&a, &(Shape){67, 3 * 11, 1, false});
        check(&c);
        a.a.dropout = 0.3;
        if (mode == RAGGED)
            check(&c);
    }
}

/* Heads of whole vectors take a way of their own where nothing but lengths and a causal mask
 * modifies them: one part and several, with rows and keys that do not fill vectors. */
static void test_whole_vectors(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        Attend a = {{.B = 1 + (mode & 1),
                     .T = 66,
                     .heads = 2 - (mode & 1),
                     .causal = mode & 2,
                     .length = mode & 1 ? (const int[]){65, 66} : NULL},
                    false};
        Case c = case_of(&a, &(Shape){mode == 2 ? 65 : 66, mode & 1 ? 80 : 32, 0, false});
        check(&c);
    }
    for (int mode = 0; mode < 2; mode++) {
        Attend a = {
            {.B = 4, .T = 40, .heads = 1, .causal = mode, .length = (const int[]){3, 40, 0, 17}},
            false};
        check_both(&a, &(Shape){40, 16, 0, false});
        a.a.causal = false;
        a.a.across = true;
        check_both(&a, &(Shape){23, 16, 0, false});
        a.a.dropout = 0.3;
        Case c = case_of(&a, &(Shape){23, 16, 0, false});
        check(&c);
    }
}

/* Logits some hundreds apart: all but a few weights are 0, and none is more than 1. */
static void test_far_logits(void **state)
{
    (void)state;
    enum { T = 40, WIDE = 16 };
    for (int causal = 0; causal < 2; causal++) {
        ThError err = {0};
        ThParams p = {0};
        Attend a = {{.B = 1, .T = T, .heads = 1, .causal = causal}, false};
        Case c = case_of(&a, &(Shape){T, WIDE, 0, false});
        double value[2][T * WIDE];
        make_inputs(&c, &p);
        for (int i = 0; i < T * WIDE; i++)
            th_params_at(&p, 0)[i] *= 300;
        for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
            ThTape *t = th_tape_new(precision, &p, &err);
            th_tape_begin(t, TH_TAPE_NO_GRADIENT);
            th_tape_read(t, build(t, &a), value[precision == TH_TAPE_DOUBLE]);
            assert_true(th_tape_ok(t, &err));
            th_tape_free(t);
        }
        for (int i = 0; i < T * WIDE; i++)
            assert_close(value[0][i], value[1][i], 1e-3);
        th_params_free(&p);
    }
}

static void test_biases(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        Attend a = {{.B = 2, .T = 9, .heads = 2, .causal = mode & 1}, mode & 2};
        for (int spare = 0; spare < 4; spare += 3) {
            a.a.biased = TH_TAPE_BIAS_DISTANCE;
            check_both(&a, &(Shape){9, 6, spare, false});
            check_both(&a, &(Shape){2, 6, spare, false});
            a.a.biased = TH_TAPE_BIAS_FULL;
            check_both(&a, &(Shape){9, 6, spare, false});
            check_both(&a, &(Shape){2, 6, spare, true});
            check_both(&a, &(Shape){9, 6, spare, true});
        }
    }
}

static void test_everything(void **state)
{
    (void)state;
    for (int mode = 0; mode < 16; mode++) {
        Attend a = {{.B = 2,
                     .T = 20,
                     .heads = 2,
                     .causal = mode & 1,
                     .length = (const int[]){14, 20},
                     .segment = mode & 8 ? segments : NULL,
                     .window = (const int[]){5, mode & 4 ? 0 : 12},
                     .biased = mode & 4 ? TH_TAPE_BIAS_DISTANCE : TH_TAPE_BIAS_FULL},
                    mode & 2};
        check_both(&a, &(Shape){20, 6, 2, mode & 8});
        check_both(&a, &(Shape){6, 6, 2, mode & 1});
    }
}

/* A bias that is a constant gives the same values and gets no gradient. */
static void test_constant_bias(void **state)
{
    (void)state;
    enum { T = 6, D = 4 };
    ThError err = {0};
    ThParams p = {0};
    Attend a = {{.B = 1, .T = T, .heads = 2, .causal = true, .biased = TH_TAPE_BIAS_DISTANCE},
                false};
    Case c = case_of(&a, &(Shape){T, D, 0, false});
    make_inputs(&c, &p);
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, &err);
    double value[2][T * D], gradient[2 * T], seed[T * D];
    for (int i = 0; i < T * D; i++)
        seed[i] = i;
    for (int constant = 0; constant < 2; constant++) {
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThOpAttention how = a.a;
        how.u = how.v = how.xl = -1;
        how.bias = constant ? th_tape_constant(t, 2, T, th_params_at(&p, 2)) : th_param(t, 2);
        ThVar y = th_op_attention(t, th_param(t, 0), th_param(t, 1), &how);
        th_tape_read(t, y, value[constant]);
        assert_true(th_tape_backward(t, y, seed, &err));
        th_tape_read_gradient(t, how.bias, gradient);
        for (int i = 0; constant && i < 2 * T; i++)
            assert_true(gradient[i] == 0);
    }
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    th_tape_free(t);
    th_params_free(&p);
}

/* Keys outside windows, segments and lengths do not matter at all: not a number there changes
 * nothing. */
static void test_masked_keys_are_not_read(void **state)
{
    (void)state;
    enum { T = 24, D = 4 };
    ThError err = {0};
    ThParams p = {0};
    Attend a = {{.B = 1, .T = T, .heads = 1, .causal = true, .window = (const int[]){3}}, false};
    Case c = case_of(&a, &(Shape){T, D, 0, false});
    make_inputs(&c, &p);
    float *kv = th_params_at(&p, 1);
    for (int i = 0; i < 2 * D; i++)
        kv[9 * 2 * D + i] = NAN;
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, &err);
    double value[T * D];
    th_tape_read(t, build(t, &a), value);
    for (int i = 0; i < T; i++)
        assert_int_equal(isnan(value[i * D]) != 0, i >= 9 && i < 12);
    th_tape_free(t);
    th_params_free(&p);
}

/* The queries from … to-1 of a causal string, which see its first `to` keys: values and gradients,
 * added where they belong among those of the whole string. */
static void add_queries(const Attend *whole, const ThParams *all, int from, int to, double *value,
                        double *gradient)
{
    ThError err = {0};
    ThParams p = {0};
    Attend a = *whole;
    int d = all->item[0].cols;
    a.a.T = to;
    Case c = case_of(&a, &(Shape){to - from, d, whole->a.T - to, false});
    make_inputs(&c, &p);
    for (int i = 0; i < p.n; i++)
        memcpy(th_params_at(&p, i), th_params_at(all, i) + (i == 0 ? from * d : 0),
               (size_t)p.item[i].rows * (size_t)p.item[i].cols * sizeof(float));
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, &err);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThVar y = build(t, &a);
    th_tape_read(t, y, value + from * d);
    assert_true(th_tape_backward(t, y, value + from * d, &err));
    for (int i = 0; i < p.n; i++)
        for (size_t k = 0; k < (size_t)p.item[i].rows * (size_t)p.item[i].cols; k++)
            gradient[all->item[i].offset + (i == 0 ? (size_t)(from * d) : 0) + k] +=
                (double)th_tape_gradient(t)[p.item[i].offset + k];
    th_tape_free(t);
    th_params_free(&p);
}

/* A run that is long enough to come in parts, between which it can be stopped, is what its halves
 * are, which are not. */
static void test_long_runs(void **state)
{
    (void)state;
    enum { T = 256, D = 4200 };
    for (int relative = 0; relative < 2; relative++) {
        ThParams p = {0};
        Attend a = {{.B = 1, .T = T, .heads = 1, .causal = true}, relative};
        Case c = case_of(&a, &(Shape){T, D, 0, false});
        make_inputs(&c, &p);
        double *value[2], *gradient[2];
        for (int k = 0; k < 2; k++) {
            value[k] = th_alloc((size_t)T * D, sizeof(double), NULL);
            gradient[k] = th_alloc(p.total, sizeof(double), NULL);
            memset(gradient[k], 0, p.total * sizeof(double));
        }
        add_queries(&a, &p, 0, T, value[0], gradient[0]);
        add_queries(&a, &p, 0, T / 2, value[1], gradient[1]);
        add_queries(&a, &p, T / 2, T, value[1], gradient[1]);
        assert_near(value[0], value[1], (size_t)T * D);
        for (int i = 0; i < p.n; i++)
            assert_near(gradient[0] + p.item[i].offset, gradient[1] + p.item[i].offset,
                        (size_t)p.item[i].rows * (size_t)p.item[i].cols);
        for (int k = 0; k < 2; k++) {
            free(value[k]);
            free(gradient[k]);
        }
        th_params_free(&p);
    }
}

static void test_misfits(void **state)
{
    (void)state;
    enum { T = 4, D = 4 };
    static const struct {
        int length, window;
        ThTapeBias biased;
        bool causal;
        int queries;
    } bad[] = {
        {5, 0, TH_TAPE_BIAS_NONE, true, T},     {-1, 0, TH_TAPE_BIAS_NONE, true, T},
        {T, -1, TH_TAPE_BIAS_NONE, true, T},    {T, 0, TH_TAPE_BIAS_DISTANCE, false, T},
        {T, 0, TH_TAPE_BIAS_FULL, true, T},     {T, 0, TH_TAPE_BIAS_NONE, true, T + 1},
        {T, 0, TH_TAPE_BIAS_DISTANCE, true, T},
    };
    ThError err = {0};
    ThParams p = {0};
    make_inputs(&(Case){.n = 5, .shape = {{T, D}, {T, 2 * D}, {1, 4}, {1, 3}, {T + 1, D}}}, &p);
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, &err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar q = th_param(t, bad[i].queries == T ? 0 : 4);
        ThOpAttention how = {.B = 1,
                             .T = T,
                             .heads = 1,
                             .causal = bad[i].causal,
                             .u = -1,
                             .v = -1,
                             .xl = -1,
                             .length = &bad[i].length,
                             .window = &bad[i].window,
                             .biased = bad[i].biased,
                             .bias = bad[i].causal ? th_param(t, 3) : th_param(t, 2)};
        err = (ThError){0};
        assert_int_equal(th_op_attention(t, q, th_param(t, 1), &how), -1);
        assert_false(th_tape_ok(t, &err));
        assert_int_equal(err.code, TH_EVALUE);
    }
    th_tape_free(t);
    th_params_free(&p);
}

/* ---- rotations ---- */

static ThVar build_rotation(ThTape *t, const void *how)
{
    return th_op_rotate(t, th_param(t, 0), how);
}

static void test_rotation_gradients(void **state)
{
    (void)state;
    static const int position[] = {0, 3, 4, 90, 2, 1, 0, 7, 7, 512, 5, 6};
    for (int mode = 0; mode < 8; mode++) {
        ThOpRotation how = {.columns = 12,
                            .heads = 2,
                            .turned = 4,
                            .neighbours = mode & 1,
                            .base = 10000,
                            .decay = mode & 2 ? -1.0 / 512 : 0,
                            .position = mode & 4 ? position : NULL,
                            .T = 6,
                            .first = 2};
        check(&(Case){1, {{12, 12}}, build_rotation, &how});
        check(&(Case){1, {{12, 17}}, build_rotation, &how});
        how.turned = 6;
        check(&(Case){1, {{12, 12}}, build_rotation, &how});
    }
}

/* Rows turned as `how` says. */
static void rotate(const ThOpRotation *how, const float *x, int rows, double *to)
{
    ThError err = {0};
    ThParams p = {0};
    th_params_add(&p, "none", 1, 1, TH_INIT_ZERO, 0, &err);
    assert_true(th_params_allocate(&p, 1, NULL, &err));
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p, &err);
    th_tape_read(t, th_op_rotate(t, th_tape_constant(t, rows, 4, x), how), to);
    th_tape_free(t);
    th_params_free(&p);
}

/* Rows of Su et al. 2021 in both pairings, and of Sun et al. 2022; a product depends on the
 * distance only. */
static void test_rotation_values(void **state)
{
    (void)state;
    static const float x[] = {1, 2, 3, 4};
    static const float q[] = {0.3f, -0.2f, 0.5f, 0.1f}, k[] = {-0.4f, 0.6f, 0.2f, 0.7f};
    static const double expected[2][4] = {{-3.144039, 1.919605, -0.339143, 4.039197},
                                          {-2.234742, 0.077004, 2.919405, 4.059196}};
    static const int queries[] = {7, 14}, keys[] = {3, 10};
    double y[4], a[4], b[4];
    for (int neighbours = 0; neighbours < 2; neighbours++) {
        ThOpRotation how = {.columns = 4,
                            .heads = 1,
                            .turned = 4,
                            .neighbours = neighbours,
                            .base = 10000,
                            .position = (const int[]){2}};
        rotate(&how, x, 1, y);
        for (int j = 0; j < 4; j++)
            assert_close(y[j], expected[neighbours][j], 1e-6);
        /* The same by the columns that start anew after T rows: the last of five is the second. */
        static const float five[20] = {[16] = 1, 2, 3, 4};
        double all[20];
        how.position = NULL;
        how.first = 1;
        how.T = 3;
        rotate(&how, five, 5, all);
        for (int j = 0; j < 4; j++)
            assert_close(all[16 + j], expected[neighbours][j], 1e-6);
    }
    for (int i = 0; i < 4; i++) {
        bool decays = i & 2;
        ThOpRotation how = {.columns = 4,
                            .heads = 1,
                            .turned = 4,
                            .neighbours = decays,
                            .base = 10000,
                            .decay = decays ? 1.0 / 512 : 0,
                            .position = &queries[i & 1]};
        rotate(&how, q, 1, a);
        how.position = &keys[i & 1];
        how.decay = -how.decay;
        rotate(&how, k, 1, b);
        double sum = 0;
        for (int j = 0; j < 4; j++)
            sum += a[j] * b[j];
        assert_close(sum, decays ? 0.262833 : -0.241654, 1e-6);
    }
}

/* ---- dropped weights ---- */

enum { KEYS = 32, PARTS = 2 };

/* With queries of zeros all keys weigh the same, and with values that are unit vectors each column
 * of a result is a weight, as it is used. */
static void fill_for_weights(ThParams *p)
{
    float *q = th_params_at(p, 0), *kv = th_params_at(p, 1);
    memset(q, 0, sizeof *q * KEYS * KEYS * PARTS * PARTS);
    memset(kv, 0, sizeof *kv * 2 * KEYS * KEYS * PARTS * PARTS);
    for (int row = 0; row < PARTS * KEYS; row++)
        for (int head = 0; head < PARTS; head++)
            kv[(row * 2 + 1) * PARTS * KEYS + head * KEYS + row % KEYS] = 1;
}

static void read_weights(ThTape *t, ThRng *r, double rate, double *w)
{
    ThError err = {0};
    ThOpAttention a = {.B = PARTS, .T = KEYS, .heads = PARTS, .dropout = rate, .rng = r};
    a.u = a.v = a.xl = -1;
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar y = th_op_attention(t, th_param(t, 0), th_param(t, 1), &a);
    assert_true(th_tape_ok(t, &err));
    th_tape_read(t, y, w);
}

/* How many of the weights are dropped; the others are what they were over 1 - rate. */
static int count_dropped(const double *w, int n, double rate)
{
    int dropped = 0;
    for (int i = 0; i < n; i++) {
        dropped += w[i] == 0;
        assert_close(w[i] * KEYS * (1 - rate), w[i] != 0, 1e-5);
    }
    return dropped;
}

static void test_dropped_weights(void **state)
{
    (void)state;
    const double rate = 0.25;
    static double w[2][PARTS * KEYS * PARTS * KEYS];
    const int all = PARTS * KEYS * PARTS * KEYS;
    ThError err = {0};
    ThParams p = {0};
    make_inputs(
        &(Case){.n = 2, .shape = {{PARTS * KEYS, PARTS * KEYS}, {PARTS * KEYS, 2 * PARTS * KEYS}}},
        &p);
    fill_for_weights(&p);
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, &err);
        ThRng r = th_rng(1, "dropout", 0);
        read_weights(t, &r, rate, w[0]);
        read_weights(t, &r, rate, w[1]);
        for (int i = 0; i < 2; i++) { /* 1024 of 4096, within five deviations */
            int dropped = count_dropped(w[i], all, rate);
            assert_in_range(dropped, 1024 - 140, 1024 + 140);
        }
        assert_true(memcmp(w[0], w[1], sizeof w[0]) != 0);
        for (int i = 1; i < 2 * PARTS * KEYS; i++) /* queries and heads have weights of their own */
            assert_true(memcmp(w[0], w[0] + i * KEYS, KEYS * sizeof *w[0]) != 0);
        th_tape_free(t);
    }
    th_params_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_across),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_whole_vectors),
        cmocka_unit_test(test_far_logits),
        cmocka_unit_test(test_biases),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_constant_bias),
        cmocka_unit_test(test_masked_keys_are_not_read),
        cmocka_unit_test(test_long_runs),
        cmocka_unit_test(test_misfits),
        cmocka_unit_test(test_dropped_weights),
        cmocka_unit_test(test_rotation_gradients),
        cmocka_unit_test(test_rotation_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
