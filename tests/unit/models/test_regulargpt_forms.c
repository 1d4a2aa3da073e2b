/* The other forms of RegularGPT: the pre-norm block written out again, and what the weights of
 * every form start from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"

enum { D = 8, HEADS = 2, WIDTH = D / HEADS, HIDDEN = 4 * D, MOST = 32 };

static ThModel *bound(const char *settings, const ThTask *t, uint64_t seed)
{
    ThModel *m = made_model("regulargpt", settings);
    assert_true(th_model_bind(m, &t->signature, seed, NULL));
    return m;
}

static const float *parameter(const ThModel *m, const char *name)
{
    int index = th_params_find(&m->params, name);
    if (index < 0)
        fail_msg("there is no %s", name);
    return th_params_at(&m->params, index);
}

/* ---- the pre-norm block, one chunk at a time ------------------------------------------------- */

/* y = x w + b, with w (n, cols). */
static void multiply(const ThModel *m, const char *name, const double *x, int n, int cols,
                     double *y)
{
    char bias[64];
    snprintf(bias, sizeof bias, "%s_bias", name);
    const float *w = parameter(m, name), *b = parameter(m, bias);
    for (int j = 0; j < cols; j++) {
        y[j] = (double)b[j];
        for (int k = 0; k < n; k++)
            y[j] += x[k] * (double)w[k * cols + j];
    }
}

static void norm(const ThModel *m, const char *name, const double *x, double *y)
{
    char gain[64], offset[64];
    snprintf(gain, sizeof gain, "%s.gain", name);
    snprintf(offset, sizeof offset, "%s.offset", name);
    double mean = 0, variance = 0;
    for (int j = 0; j < D; j++)
        mean += x[j] / D;
    for (int j = 0; j < D; j++)
        variance += (x[j] - mean) * (x[j] - mean) / D;
    for (int j = 0; j < D; j++)
        y[j] = (x[j] - mean) / sqrt(variance + 1e-5) * (double)parameter(m, gain)[j] +
               (double)parameter(m, offset)[j];
}

/* The last of C vectors attends to all of them. */
static void attend(const ThModel *m, double (*z)[D], int C, double *mixed)
{
    double q[D], kv[MOST][2 * D];
    const float *relative = parameter(m, "layer0.attention.relative");
    multiply(m, "layer0.attention.query", z[C - 1], D, D, q);
    for (int j = 0; j < C; j++)
        multiply(m, "layer0.attention.key_value", z[j], D, 2 * D, kv[j]);
    for (int h = 0; h < HEADS; h++) {
        double e[MOST], sum = 0;
        for (int j = 0; j < C; j++) {
            double dot = 0;
            for (int k = h * WIDTH; k < (h + 1) * WIDTH; k++)
                dot += q[k] * kv[j][k];
            sum += e[j] = exp(dot / sqrt(WIDTH) + (double)relative[h * C + C - 1 - j]);
        }
        for (int k = h * WIDTH; k < (h + 1) * WIDTH; k++) {
            mixed[k] = 0;
            for (int j = 0; j < C; j++)
                mixed[k] += e[j] / sum * kv[j][D + k];
        }
    }
}

static void combine(const ThModel *m, double (*chunk)[D], int C, double *to)
{
    double z[MOST][D], mixed[D], o[D], v[D], up[HIDDEN], down[D];
    for (int j = 0; j < C; j++)
        norm(m, "layer0.norm1", chunk[j], z[j]);
    attend(m, z, C, mixed);
    multiply(m, "layer0.attention.output", mixed, D, D, o);
    for (int j = 0; j < D; j++)
        to[j] = chunk[C - 1][j] + o[j];
    norm(m, "layer0.norm2", to, v);
    multiply(m, "layer0.feed_forward.up", v, D, HIDDEN, up);
    for (int j = 0; j < HIDDEN; j++)
        up[j] = up[j] * 0.5 * erfc(-up[j] * M_SQRT1_2);
    multiply(m, "layer0.feed_forward.down", up, HIDDEN, D, down);
    for (int j = 0; j < D; j++)
        to[j] += down[j];
}

static void written_out(const ThModel *m, const int *token, int T, int C, double *z)
{
    double h[2 * MOST][D], last[D];
    for (int i = 0; i < T; i++)
        for (int j = 0; j < D; j++)
            h[i][j] = sqrt(D) * (double)parameter(m, "embedding")[token[i] * D + j];
    int n = T;
    do {
        int pads = (C - n % C) % C;
        memmove(h[pads], h[0], (size_t)n * sizeof *h);
        for (int i = 0; i < pads; i++)
            for (int j = 0; j < D; j++)
                h[i][j] = (double)parameter(m, "pad")[j];
        n = (n + pads) / C;
        for (int i = 0; i < n; i++) {
            double y[D];
            combine(m, h + i * C, C, y);
            memcpy(h[i], y, sizeof y);
        }
    } while (n > 1);
    norm(m, "final_norm", h[0], last);
    multiply(m, "head", last, D, m->signature.n_classes, z);
}

static void test_pre_norm_written_out(void **state)
{
    (void)state;
    ThTask *t = made_task("cycle_navigation", "", NULL);
    for (int C = 2; C <= 4; C++) {
        char settings[60];
        snprintf(settings, sizeof settings, "dim=8 heads=2 norm=pre chunk=%d", C);
        ThModel *m = bound(settings, t, 1);
        ThRng r = th_rng(2, "test.parameters", 0);
        for (size_t i = 0; i < m->params.total; i++)
            m->params.value[i] = (float)(0.7 * th_rng_normal(&r));
        for (int T = 1; T <= 27; T++) {
            int token[MOST];
            double expected[8], answer[8];
            for (int i = 0; i < T; i++)
                token[i] = below(&r, t->signature.n_symbols);
            written_out(m, token, T, C, expected);
            ThTape *tape = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
            th_tape_begin(tape, TH_TAPE_NO_GRADIENT);
            th_tape_read(tape,
                         th_model_forward(m, tape, &(ThBatch){.B = 1, .T = T, .token = token},
                                          &(ThModelForward){.share = true}),
                         answer);
            for (int c = 0; c < m->signature.n_classes; c++)
                if (!(fabs(answer[c] - expected[c]) <= 1e-10))
                    fail_msg("C %d, T %d: %.12g, not %.12g", C, T, answer[c], expected[c]);
            th_tape_free(tape);
        }
        th_model_free(m);
    }
    th_task_free(t);
}

/* ---- what weights start from ----------------------------------------------------------------- */

static double deviation(const ThModel *m, const char *name)
{
    int index = th_params_find(&m->params, name);
    assert_true(index >= 0);
    int n = m->params.item[index].rows * m->params.item[index].cols;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += pow((double)th_params_at(&m->params, index)[i], 2) / n;
    return sqrt(sum);
}

static void expect(const ThModel *m, const char *name, double expected, double apart)
{
    double got = deviation(m, name);
    if (!(fabs(got - expected) <= apart * expected))
        fail_msg("%s has deviation %g, not %g", name, got, expected);
}

/* Deviations of the weights of a layer; `shrink` is that of what is added to the residual. */
static void check_layer(const ThModel *m, int layer, double by_width, double by_hidden,
                        double shrink)
{
    static const char *const names[] = {"attention.query", "attention.key_value",
                                        "attention.output", "feed_forward.up", "feed_forward.down"};
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "layer%d.%s", layer, names[i]);
        expect(m, name, (i == 4 ? by_hidden : by_width) * (i == 2 || i == 4 ? shrink : 1), 0.06);
    }
}

/* As GPT-2 has it, 0.02; what is added to the residual 1/√(2·6·K) of that. */
static void test_start_of_pre_norm(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    for (int K = 1; K <= 3; K += 2) {
        char settings[60];
        snprintf(settings, sizeof settings, "dim=64 norm=pre thickness=%d", K);
        ThModel *m = bound(settings, t, 1);
        for (int k = 0; k < K; k++)
            check_layer(m, k, 0.02, 0.02, 1 / sqrt(12.0 * K));
        expect(m, "embedding", 0.02, 0.3);
        expect(m, "pad", 0.02, 0.4);
        th_model_free(m);
    }
    th_task_free(t);
}

/* Normal by fan-in, the same shrink, embeddings that are as wide as the pad after √dim. */
static void test_start_of_wide(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    for (int K = 1; K <= 3; K += 2) {
        char settings[60];
        snprintf(settings, sizeof settings, "dim=64 init=wide thickness=%d", K);
        ThModel *m = bound(settings, t, 1);
        for (int k = 0; k < K; k++)
            check_layer(m, k, 1.0 / 8, 1.0 / 16, 1 / sqrt(12.0 * K));
        expect(m, "embedding", 1.0 / 8, 0.3);
        expect(m, "pad", 1, 0.4);
        assert_true(deviation(m, "layer0.attention.relative") == 0);
        th_model_free(m);
    }
    th_task_free(t);
}

/* As released: truncated normal by fan-in, whose deviation is 0.88, and nothing shrunk. */
static void test_start_as_released(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound("dim=64 thickness=2", t, 1);
    for (int k = 0; k < 2; k++)
        check_layer(m, k, 0.8796 / 8, 0.8796 / 16, 1);
    th_model_free(m);
    th_task_free(t);
}

/* ---- what a trace says ----------------------------------------------------------------------- */

/* The segment that each vector of the tree has read: with chunks of 2 those of Fig. 1; where levels
 * have two layers, each layer reads one chunk further back. */
static void check_segments(const char *settings, const int *first, int n_layers)
{
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound(settings, t, 1);
    ThModelTrace *trace = th_model_trace(m, (int[]){0, 1, 1, 0, 1, 0, 0, 1}, 8, NULL);
    assert_non_null(trace);
    assert_int_equal(trace->n_layers, n_layers);
    for (int l = 0; l < n_layers; l++) {
        const ThModelTraceLayer *layer = &trace->layer[l];
        assert_int_equal(layer->last[layer->n_rows - 1], 7);
        assert_int_equal(layer->first[layer->n_rows - 1], first[l]);
    }
    th_model_trace_free(trace);
    th_model_free(m);
    th_task_free(t);
}

static void test_segments(void **state)
{
    (void)state;
    check_segments("dim=8 heads=2", (int[]){6, 4, 0}, 3);
    check_segments("dim=8 heads=2 form=dilated", (int[]){6, 4, 0}, 3);
    check_segments("dim=8 heads=2 form=dilated thickness=2", (int[]){6, 5, 3, 1, 0, 0}, 6);
    check_segments("dim=8 heads=2 form=dilated chunk=3", (int[]){5, 0}, 2);
}

/* In front of the string stands a pad, or nothing. */
static void test_missing_keys(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    for (int mask = 0; mask < 2; mask++) {
        ThModel *m = bound(mask ? "dim=8 heads=2 missing=mask" : "dim=8 heads=2", t, 1);
        ThModelTrace *trace = th_model_trace(m, (int[]){0, 1, 1}, 3, NULL);
        assert_non_null(trace);
        assert_int_equal(trace->layer[0].key[1], mask ? TH_MODEL_KEY_MASKED : TH_MODEL_KEY_PAD);
        assert_true((trace->layer[0].weight[1] == 0) == (mask == 1));
        th_model_trace_free(trace);
        th_model_free(m);
    }
    th_task_free(t);
}

/* With queries of 0 only the relative scalars decide, which are each head's own. */
static void test_weights_by_head(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound("dim=8 heads=2", t, 1);
    int query = th_params_find(&m->params, "layer0.attention.query");
    int relative = th_params_find(&m->params, "layer0.attention.relative");
    assert_true(query >= 0 && relative >= 0);
    memset(th_params_at(&m->params, query), 0, D * D * sizeof(float));
    memcpy(th_params_at(&m->params, relative), (const float[]){0, 1, 0, 3}, 4 * sizeof(float));
    ThModelTrace *trace = th_model_trace(m, (int[]){0, 1, 1, 0, 1, 1}, 6, NULL);
    assert_non_null(trace);
    const ThModelTraceLayer *l = &trace->layer[0];
    assert_int_equal(l->n_rows, 3);
    for (int i = 0; i < 12; i++) {
        double odds = exp(i < 6 ? 1 : 3), expected = (i % 2 ? odds : 1) / (1 + odds);
        assert_true(fabs(l->weight[i] - expected) < 1e-6);
    }
    th_model_trace_free(trace);
    th_model_free(m);
    th_task_free(t);
}

/* Every coordinate is read, and written, about as often as any other. */
static void test_wires(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound("dim=16 heads=2 fan=3 hidden=8", t, 1);
    static const char *const ends[] = {"layer0.feed_forward.from", "layer0.feed_forward.to"};
    for (int i = 0; i < 2; i++) {
        enum { DIM = 16 };
        const ThParam *p = &m->params.item[th_params_find(&m->params, ends[i])];
        int n = p->rows * p->cols, count[DIM] = {0};
        for (int k = 0; k < n; k++) {
            float at = parameter(m, ends[i])[k];
            assert_true(at >= 0 && at < DIM && at == floorf(at));
            count[(int)at]++;
        }
        for (int k = 0; k < DIM; k++)
            assert_true(fabs(count[k] - (double)n / DIM) <= 4.5 * sqrt((double)n / DIM));
    }
    th_model_free(m);
    th_task_free(t);
}

/* What is no number has a nearest centre too, which would hide it. */
static void test_snap_of_no_number(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = bound("dim=8 heads=2 codebook=4", t, 1);
    const int word[3] = {0, 1, 1};
    ThError err = {0};
    ThModelTrace *trace = th_model_trace(m, word, 3, &err);
    assert_non_null(trace);
    th_model_trace_free(trace);
    th_params_at(&m->params, th_params_find(&m->params, "layer0.norm2.offset"))[5] = NAN;
    assert_null(th_model_trace(m, word, 3, &err));
    assert_int_equal(err.code, TH_ENUMERIC);
    assert_non_null(strstr(err.msg, "snap"));
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pre_norm_written_out),
        cmocka_unit_test(test_start_of_pre_norm),
        cmocka_unit_test(test_start_of_wide),
        cmocka_unit_test(test_start_as_released),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_missing_keys),
        cmocka_unit_test(test_weights_by_head),
        cmocka_unit_test(test_wires),
        cmocka_unit_test(test_snap_of_no_number),
    };
    return cmocka_run_group_tests_name("regulargpt forms", tests, NULL, NULL);
}
