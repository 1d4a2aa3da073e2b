/* Recurrent layers and full attention, and the models made of them.
 *
 * Three oracles: central differences of the double version, the double version for the float one,
 * and formulas written out again here, one number at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "operation_case.h"
#include "tensor/tape/params.h"
#include "tensor/tape/tape.h"

/* ---- recurrent layers ---- */

enum { V = 5 };

static const int tokens[] = {2, 0, 1, 4, 4, 3, 1, 0, 2, 2, 1, 3, 0, 0, 4, 1, 2, 3,
                             4, 1, 0, 2, 1, 1, 3, 4, 0, 2, 3, 1, 1, 2, 0, 4, 3, 2};

static ThVar build_rnn(ThTape *t, const void *how)
{
    return th_op_rnn(t, th_param(t, 0), th_param(t, 1), how);
}

static ThVar build_rnn_tanh(ThTape *t, const void *how)
{
    return th_op_rnn_tanh(t, th_param(t, 0), th_param(t, 1), how);
}

static ThVar build_lstm(ThTape *t, const void *how)
{
    return th_op_lstm(t, th_param(t, 0), th_param(t, 1), how, 1.0);
}

static ThVar build_gru(ThTape *t, const void *how)
{
    return th_op_gru(t, th_param(t, 0), th_param(t, 1), th_param(t, 2), how);
}

static void check_recurrent(int B, int T, int H)
{
    for (int mode = 0; mode < 4; mode++) {
        ThOpSequence s = {.B = B, .T = T, .index = mode & 1 ? tokens : NULL, .every = mode & 2};
        int rows = mode & 1 ? V : B * T;
        check(&(Case){2, {{rows, H}, {H, H}}, build_rnn, &s});
        check(&(Case){2, {{rows, H}, {H, H}}, build_rnn_tanh, &s});
        check(&(Case){2, {{rows, 4 * H}, {H, 4 * H}}, build_lstm, &s});
        check(&(Case){3, {{rows, 3 * H}, {H, 3 * H}, {1, H}}, build_gru, &s});
    }
}

static void test_recurrent_gradients(void **state)
{
    (void)state;
    check_recurrent(1, 1, 1);
    check_recurrent(3, 1, 4);
    check_recurrent(1, 7, 3);
    check_recurrent(4, 9, 6);
    check_recurrent(2, 5, 19);
    check_recurrent(2, 3, 32);
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* One string, one number at a time; x, wh, bh as the operation gets them. */
static void plain_states(char kind, const ThParams *p, const int *token, int T, double *h)
{
    int H = p->item[1].rows, width = p->item[1].cols;
    const float *x = th_params_at(p, 0), *wh = th_params_at(p, 1);
    double c[8] = {0}, z[32], u[32];
    for (int j = 0; j < H; j++)
        h[j] = 0;
    for (int i = 0; i < T; i++) {
        for (int g = 0; g < width; g++) {
            u[g] = 0;
            for (int k = 0; k < H; k++)
                u[g] += h[k] * (double)wh[k * width + g];
            z[g] = (double)x[token[i] * width + g] + u[g];
        }
        for (int j = 0; j < H; j++) {
            if (kind == 'r') {
                h[j] = z[j] > 0 ? z[j] : 0;
            } else if (kind == 't') {
                h[j] = tanh(z[j]);
            } else if (kind == 'l') {
                c[j] = logistic(z[2 * H + j] + 1) * c[j] + logistic(z[j]) * tanh(z[H + j]);
                h[j] = logistic(z[3 * H + j]) * tanh(c[j]);
            } else {
                double bias = (double)th_params_at(p, 2)[j], update = logistic(z[j]);
                double n = tanh((double)x[token[i] * width + 2 * H + j] +
                                logistic(z[H + j]) * (u[2 * H + j] + bias));
                h[j] = (1 - update) * h[j] + update * n;
            }
        }
    }
}

static void check_states(char kind, const Case *c, const ThOpSequence *s)
{
    ThError err = {0};
    ThParams p = {0};
    make_inputs(c, &p);
    int H = p.item[1].rows;
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, &err);
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        double value[64], expected[8];
        th_tape_read(t, c->build(t, s), value);
        for (int b = 0; b < s->B; b++) {
            plain_states(kind, &p, s->index + b * s->T, s->T, expected);
            for (int j = 0; j < H; j++)
                assert_close(value[b * H + j], expected[j],
                             precision == TH_TAPE_FLOAT ? 1e-4 * (1 + fabs(expected[j])) : 1e-12);
        }
        th_tape_free(t);
    }
    th_params_free(&p);
}

static void test_recurrent_states(void **state)
{
    (void)state;
    enum { H = 5 };
    ThOpSequence s = {.B = 3, .T = 11, .index = tokens};
    check_states('r', &(Case){2, {{V, H}, {H, H}}, build_rnn, NULL}, &s);
    check_states('t', &(Case){2, {{V, H}, {H, H}}, build_rnn_tanh, NULL}, &s);
    check_states('l', &(Case){2, {{V, 4 * H}, {H, 4 * H}}, build_lstm, NULL}, &s);
    check_states('g', &(Case){3, {{V, 3 * H}, {H, 3 * H}, {1, H}}, build_gru, NULL}, &s);
}

/* ---- attention ---- */

typedef struct {
    ThOpAttention a;
    bool drops, relative; /* the same weights every time */
} Attend;

static ThVar build_attention(ThTape *t, const void *how)
{
    const Attend *a = how;
    ThOpAttention full = a->a;
    ThRng r = th_rng(3, "dropout", 0);
    full.rng = a->drops ? &r : NULL;
    full.dropout = 0.4;
    full.u = a->relative ? th_param(t, 2) : -1;
    full.v = a->relative ? th_param(t, 3) : -1;
    full.xl = a->relative ? th_param(t, 4) : -1;
    return th_op_attention(t, th_param(t, 0), th_param(t, 1), &full);
}

static void check_attention(int B, int T, int heads, int d)
{
    for (int mode = 0; mode < 16; mode++) {
        Attend a = {{.B = B, .T = T, .heads = heads, .causal = mode & 1}, mode & 8, mode & 2};
        int queries = mode & 4 ? B : B * T;
        check(&(Case){a.relative ? 5 : 2,
                      {{queries, d}, {B * T, 2 * d}, {1, d}, {1, d}, {2 * T - 1, d}},
                      build_attention,
                      &a});
    }
}

static void test_attention_gradients(void **state)
{
    (void)state;
    check_attention(1, 1, 1, 1);
    check_attention(3, 1, 2, 4);
    check_attention(2, 3, 1, 3);
    check_attention(2, 7, 2, 6);
    check_attention(1, 16, 4, 8);
    check_attention(2, 19, 1, 5);
}

/* So many weights that they are not kept but computed twice: the gradients of the float version
 * must not depend on that. */
static void test_attention_recomputed(void **state)
{
    (void)state;
    enum { B = 1, T = 750, HEADS = 32, D = 32 };
    ThError err = {0};
    for (int relative = 0; relative < 2; relative++) {
        Attend a = {{.B = B, .T = T, .heads = HEADS}, false, relative};
        Case c = {relative ? 5 : 2,
                  {{B * T, D}, {B * T, 2 * D}, {1, D}, {1, D}, {2 * T - 1, D}},
                  build_attention,
                  &a};
        ThParams p = {0};
        make_inputs(&c, &p);
        double *seed = th_alloc(B * T * D, sizeof *seed, NULL), *expected = NULL;
        for (size_t i = 0; i < B * T * D; i++)
            seed[i] = (double)(i % 7) - 3;
        for (ThTapePrecision precision = TH_TAPE_DOUBLE;; precision = TH_TAPE_FLOAT) {
            ThTape *t = th_tape_new(precision, &p, &err);
            th_tape_begin(t, TH_TAPE_GRADIENT);
            ThVar y = build_attention(t, &a);
            assert_true(th_tape_backward(t, y, seed, &err));
            if (precision == TH_TAPE_DOUBLE)
                expected = th_copy(th_tape_gradient_double(t), p.total, sizeof *expected, NULL);
            for (int i = 0; precision == TH_TAPE_FLOAT && i < p.n; i++) {
                size_t size = (size_t)p.item[i].rows * (size_t)p.item[i].cols;
                double *fast = th_alloc(size, sizeof *fast, NULL);
                th_tape_read_gradient(t, th_param(t, i), fast);
                assert_near(fast, expected + p.item[i].offset, size);
                free(fast);
            }
            th_tape_free(t);
            if (precision == TH_TAPE_FLOAT)
                break;
        }
        free(expected);
        free(seed);
        th_params_free(&p);
    }
}

/* Weights of Transformer-XL for T = 3 from the formula, one head, two strings. */
static void test_relative_weights(void **state)
{
    (void)state;
    enum { B = 2, T = 3, D = 4 };
    ThError err = {0};
    Attend a = {{.B = B, .T = T, .heads = 1, .tag = 7}, false, true};
    Case c = {5, {{B * T, D}, {B * T, 2 * D}, {1, D}, {1, D}, {2 * T - 1, D}}, NULL, NULL};
    ThParams p = {0};
    make_inputs(&c, &p);
    const float *q = th_params_at(&p, 0), *kv = th_params_at(&p, 1), *u = th_params_at(&p, 2);
    const float *v = th_params_at(&p, 3), *r = th_params_at(&p, 4);
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &p, &err);
        th_tape_keep_named(t, true);
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        build_attention(t, &a);
        ThVar kept = th_tape_find(t, "attention", 7);
        assert_int_equal(th_tape_rows(t, kept), B * T);
        assert_int_equal(th_tape_cols(t, kept), T);
        double weight[B * T * T];
        th_tape_read(t, kept, weight);
        for (int row = 0; row < B * T; row++) {
            double e[T], sum = 0;
            for (int j = 0; j < T; j++) {
                const float *key = kv + (row / T * T + j) * 2 * D;
                const float *relative = r + (T - 1 - (row % T - j)) * D;
                double logit = 0;
                for (int k = 0; k < D; k++)
                    logit += (double)((q[row * D + k] + u[k]) * key[k] +
                                      (q[row * D + k] + v[k]) * relative[k]);
                sum += e[j] = exp(logit / 2);
            }
            for (int j = 0; j < T; j++)
                assert_close(weight[row * T + j], e[j] / sum, 1e-6);
        }
        th_tape_free(t);
    }
    th_params_free(&p);
}

static void test_misfits(void **state)
{
    (void)state;
    ThError err = {0};
    ThParams p = {0};
    make_inputs(&(Case){3, {{6, 4}, {6, 8}, {4, 16}}, NULL, NULL}, &p);
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &p, &err);
    for (int i = 0; i < 5; i++) {
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar x = th_param(t, 0), y = th_param(t, 1), w = th_param(t, 2), made = 0;
        ThOpAttention full = {.B = 2,
                              .T = i == 0 ? 2 : 3,
                              .heads = i == 1 ? 3 : 2,
                              .u = -1,
                              .v = -1,
                              .xl = i == 2 ? x : -1};
        if (i < 3)
            made = th_op_attention(t, x, y, &full);
        else if (i == 3)
            made = th_op_lstm(t, y, w, &(ThOpSequence){.B = 2, .T = 3}, 0);
        else
            made = th_op_rnn(
                t, x, x,
                &(ThOpSequence){
                    .B = 2, .T = 3, .index = (const int[]){0, 1, 2, 3, 4, 6}, .every = true});
        err = (ThError){0};
        assert_int_equal(made, -1);
        assert_false(th_tape_ok(t, &err));
        assert_int_equal(err.code, TH_EVALUE);
    }
    th_tape_free(t);
    th_params_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recurrent_gradients), cmocka_unit_test(test_recurrent_states),
        cmocka_unit_test(test_attention_gradients), cmocka_unit_test(test_attention_recomputed),
        cmocka_unit_test(test_relative_weights),    cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
