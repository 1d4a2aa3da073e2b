/* The vanilla Transformer and the recurrent models: their sizes as published, their answers against
 * the papers' formulas written out again here, and their gradients against central differences. */
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
#include "models/model.h"

/* cmocka compares floats only. */
static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}
/* Returns new: a model bound to an alphabet; settings are "key=value" up to NULL. */
static ThModel *make(const char *kind, const char *const *settings, ThTarget target, int symbols,
                     int classes)
{
    ThError err = {0};
    const ThModelKind *k = th_model_kind(kind);
    assert_non_null(k);
    ThOptions o = {0};
    assert_true(th_options_init(&o, k->options, &err));
    for (; *settings; settings++) {
        char text[64], *value;
        strcpy(text, *settings);
        value = strchr(text, '=');
        *value = 0;
        assert_true(th_options_set(&o, text, value + 1, &err));
    }
    ThModel *m = th_model_new(k, &o, &err);
    th_options_free(&o);
    if (!m)
        fail_msg("%s", err.msg);
    char letter[9][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"}, *names[9];
    for (int i = 0; i < 9; i++)
        names[i] = letter[i];
    ThSignature s = {.target = target,
                     .n_symbols = symbols,
                     .n_classes = classes,
                     .symbol = names,
                     .label = names};
    assert_true(th_model_bind(m, &s, 1, &err));
    return m;
}

/* ---- sizes ---- */

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings[6];
        size_t sizes[3]; /* even pairs, cycle navigation, modular arithmetic */
    } published[] = {
        {"rnn", {"dim=256"}, {67330, 68357, 69893}},
        {"lstm", {"dim=256"}, {266754, 268549, 274693}},
        {"transformer", {"dim=256", "heads=8"}, {4275202, 4276229, 4277765}},
        {"transformer", {"dim=64", "heads=8", "layers=5"}, {270082, 0, 0}},
    };
    static const int tasks[3][2] = {{2, 2}, {3, 5}, {9, 5}};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        for (int k = 0; k < 3 && published[i].sizes[k]; k++) {
            ThModel *m = make(published[i].kind, published[i].settings, TH_TARGET_FINAL,
                              tasks[k][0], tasks[k][1]);
            assert_int_equal(th_params_count(&m->params), published[i].sizes[k]);
            th_model_free(m);
        }
    }
    /* Without positions: d²+2d less a layer. */
    ThModel *m = make("transformer", (const char *[]){"dim=256", "heads=8", "position=none", NULL},
                      TH_TARGET_FINAL, 2, 2);
    assert_int_equal(th_params_count(&m->params), 4275202 - 5 * 66048);
    th_model_free(m);
}

static void test_options(void **state)
{
    (void)state;
    ThError err = {0};
    const ThModelKind *k = th_model_kind("transformer");
    ThOptions o = {0};
    assert_true(th_options_init(&o, k->options, &err));
    assert_true(th_options_set(&o, "dim", "9", &err));
    assert_null(th_model_new(k, &o, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    err = (ThError){0};
    assert_true(th_options_set(&o, "heads", "3", &err));
    assert_null(th_model_new(k, &o, &err)); /* odd, and position=xl */
    assert_int_equal(err.code, TH_EUSAGE);
    err = (ThError){0};
    assert_true(th_options_set(&o, "position", "none", &err));
    ThModel *m = th_model_new(k, &o, &err);
    assert_non_null(m);
    th_model_free(m);
    th_options_free(&o);
}

/* ---- answers by formula ---- */

enum { SYMBOLS = 3, CLASSES = 4, LENGTH = 7, DIM = 6, WIDEST = 4 * DIM };

static const int word[LENGTH] = {2, 0, 1, 1, 2, 0, 2};

/* Every number random, so that no bias or gain hides behind 0 or 1. */
static void scatter(ThModel *m)
{
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        ThRng r = th_rng(9, p->name, 1);
        for (int k = 0; k < p->rows * p->cols; k++)
            m->params.value[p->offset + (size_t)k] = (float)(0.4 * th_rng_normal(&r));
    }
}

static const float *find(const ThModel *m, const char *layer, const char *name)
{
    char full[96] = "";
    strcat(strcat(full, layer), name);
    int index = th_params_find(&m->params, full);
    if (index < 0)
        fail_msg("no parameter %s", full);
    return m->params.value + m->params.item[index].offset;
}

/* y = x w + b for one row. */
static void affine(double *y, const double *x, int in, const float *w, const float *b, int out)
{
    double sum[WIDEST];
    for (int j = 0; j < out; j++) {
        sum[j] = b ? (double)b[j] : 0;
        for (int k = 0; k < in; k++)
            sum[j] += x[k] * (double)w[k * out + j];
    }
    memcpy(y, sum, (size_t)out * sizeof *y);
}

static void rectify(double *x, int n)
{
    for (int j = 0; j < n; j++)
        x[j] = x[j] > 0 ? x[j] : 0;
}

static void normalise(double *x, const float *gain, const float *offset)
{
    double mean = 0, variance = 0;
    for (int j = 0; j < DIM; j++)
        mean += x[j] / DIM;
    for (int j = 0; j < DIM; j++)
        variance += (x[j] - mean) * (x[j] - mean) / DIM;
    for (int j = 0; j < DIM; j++)
        x[j] = (x[j] - mean) / sqrt(variance + 1e-5) * (double)gain[j] + (double)offset[j];
}

static double distance_feature(int delta, int k)
{
    int pair = k % (DIM / 2);
    double angle = delta * pow(10000, -2.0 * pair / DIM);
    return k < DIM / 2 ? sin(angle) : cos(angle);
}

typedef struct {
    bool causal, relative;
    int heads;
} Plain;

/* Row i of one layer's attention over h, before the output product. */
static void plain_attention(const ThModel *m, const Plain *how, const char *layer,
                            double h[LENGTH][DIM], int i, double *o)
{
    const float *wq = find(m, layer, "attention.query"),
                *wkv = find(m, layer, "attention.key_value");
    double q[DIM], kv[LENGTH][2 * DIM], r[LENGTH][DIM];
    affine(q, h[i], DIM, wq, NULL, DIM);
    for (int j = 0; j < LENGTH; j++) {
        double feature[DIM];
        affine(kv[j], h[j], DIM, wkv, NULL, 2 * DIM);
        for (int k = 0; k < DIM; k++)
            feature[k] = distance_feature(i - j, k);
        if (how->relative)
            affine(r[j], feature, DIM, find(m, layer, "attention.relative"), NULL, DIM);
    }
    int width = DIM / how->heads, seen = how->causal ? i + 1 : LENGTH;
    for (int c = 0; c < DIM; c++) {
        int head = c / width * width;
        double sum = 0;
        o[c] = 0;
        for (int j = 0; j < seen; j++) {
            double logit = 0;
            for (int k = head; k < head + width; k++) {
                if (how->relative)
                    logit +=
                        (q[k] + (double)find(m, layer, "attention.content_bias")[k]) * kv[j][k] +
                        (q[k] + (double)find(m, layer, "attention.position_bias")[k]) * r[j][k];
                else
                    logit += q[k] * kv[j][k];
            }
            double e = exp(logit / sqrt(width));
            sum += e;
            o[c] += e * kv[j][DIM + c];
        }
        o[c] /= sum;
    }
}

static void plain_layer(const ThModel *m, const Plain *how, const char *layer,
                        double h[LENGTH][DIM])
{
    double next[LENGTH][DIM];
    for (int i = 0; i < LENGTH; i++) {
        double o[DIM], u[DIM], f[WIDEST];
        plain_attention(m, how, layer, h, i, o);
        affine(u, o, DIM, find(m, layer, "attention.output"), NULL, DIM);
        for (int k = 0; k < DIM; k++)
            u[k] += h[i][k];
        normalise(u, find(m, layer, "norm1.gain"), find(m, layer, "norm1.offset"));
        affine(f, u, DIM, find(m, layer, "feed_forward.up"), find(m, layer, "feed_forward.up_bias"),
               4 * DIM);
        rectify(f, 4 * DIM);
        affine(next[i], f, 4 * DIM, find(m, layer, "feed_forward.down"),
               find(m, layer, "feed_forward.down_bias"), DIM);
        for (int k = 0; k < DIM; k++)
            next[i][k] += u[k];
        normalise(next[i], find(m, layer, "norm2.gain"), find(m, layer, "norm2.offset"));
    }
    memcpy(h, next, sizeof next);
}

static void plain_transformer(const ThModel *m, const Plain *how, double z[LENGTH][CLASSES])
{
    double h[LENGTH][DIM];
    for (int i = 0; i < LENGTH; i++)
        for (int k = 0; k < DIM; k++)
            h[i][k] = sqrt(DIM) * (double)find(m, "", "embedding")[word[i] * DIM + k];
    plain_layer(m, how, "layer0.", h);
    plain_layer(m, how, "layer1.", h);
    for (int i = 0; i < LENGTH; i++)
        affine(z[i], h[i], DIM, find(m, "", "head"), find(m, "", "head_bias"), CLASSES);
}

/* Compares the last position's logits, or all, with and without sharing, in both precisions. */
static void assert_answers(const ThModel *m, double expected[LENGTH][CLASSES])
{
    ThError err = {0};
    ThBatch b = {.B = 1, .T = LENGTH, .token = (int *)(uintptr_t)word};
    int rows = m->signature.target == TH_TARGET_FINAL ? 1 : LENGTH;
    for (int mode = 0; mode < 4; mode++) {
        ThTape *t = th_tape_new(mode & 1 ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT, &m->params, &err);
        assert_non_null(t);
        ThVar z = m->kind->forward(m, t, &b, &(ThModelForward){.share = mode & 2});
        if (!th_tape_ok(t, &err))
            fail_msg("%s", err.msg);
        assert_int_equal(th_tape_rows(t, z), rows);
        double value[LENGTH * CLASSES];
        th_tape_read(t, z, value);
        for (int i = 0; i < rows * CLASSES; i++)
            assert_close(value[i], expected[LENGTH - rows + i / CLASSES][i % CLASSES],
                         mode & 1 ? 1e-9 : 1e-4);
        th_tape_free(t);
    }
}

static void test_transformer_answers(void **state)
{
    (void)state;
    for (int mode = 0; mode < 8; mode++) {
        Plain how = {mode & 1, mode & 2, 2};
        const char *const settings[] = {"dim=6",
                                        "heads=2",
                                        "layers=2",
                                        how.causal ? "causal=yes" : "causal=no",
                                        how.relative ? "position=xl" : "position=none",
                                        NULL};
        ThModel *m = make("transformer", settings, mode & 4 ? TH_TARGET_FINAL : TH_TARGET_EVERY,
                          SYMBOLS, CLASSES);
        double z[LENGTH][CLASSES];
        scatter(m);
        plain_transformer(m, &how, z);
        assert_answers(m, z);
        th_model_free(m);
    }
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static void one_hot(double *x, int symbol)
{
    for (int k = 0; k <= SYMBOLS; k++)
        x[k] = k == symbol;
}

static void rnn_step(const ThModel *m, const double *x, double *h)
{
    double in[DIM];
    affine(in, x, SYMBOLS + 1, find(m, "", "input"), find(m, "", "input_bias"), DIM);
    affine(h, h, DIM, find(m, "", "recurrent"), find(m, "", "recurrent_bias"), DIM);
    for (int j = 0; j < DIM; j++)
        h[j] = fmax(0, h[j] + in[j]);
}

static void lstm_step(const ThModel *m, const double *x, double *h, double *c)
{
    double in[WIDEST], z[WIDEST];
    affine(in, x, SYMBOLS + 1, find(m, "", "input"), find(m, "", "bias"), 4 * DIM);
    affine(z, h, DIM, find(m, "", "recurrent"), NULL, 4 * DIM);
    for (int j = 0; j < 4 * DIM; j++)
        z[j] += in[j];
    for (int j = 0; j < DIM; j++) {
        c[j] = logistic(z[2 * DIM + j] + 1) * c[j] + logistic(z[j]) * tanh(z[DIM + j]);
        h[j] = logistic(z[3 * DIM + j]) * tanh(c[j]);
    }
}

static void gru_step(const ThModel *m, const double *x, double *h)
{
    double in[WIDEST], u[WIDEST];
    affine(in, x, SYMBOLS + 1, find(m, "", "input"), find(m, "", "input_bias"), 3 * DIM);
    affine(u, h, DIM, find(m, "", "recurrent"), NULL, 3 * DIM);
    for (int j = 0; j < DIM; j++) {
        double z = logistic(in[j] + u[j]), r = logistic(in[DIM + j] + u[DIM + j]);
        double n =
            tanh(in[2 * DIM + j] + r * (u[2 * DIM + j] + (double)find(m, "", "candidate_bias")[j]));
        h[j] = (1 - z) * h[j] + z * n;
    }
}

static void test_recurrent_answers(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rnn", "lstm", "gru"};
    for (int mode = 0; mode < 6; mode++) {
        int kind = mode % 3;
        ThModel *m = make(kinds[kind], (const char *[]){"dim=6", NULL},
                          mode < 3 ? TH_TARGET_FINAL : TH_TARGET_EVERY, SYMBOLS, CLASSES);
        double z[LENGTH][CLASSES], h[DIM] = {0}, c[DIM] = {0}, x[SYMBOLS + 1], out[DIM];
        scatter(m);
        for (int i = 0; i < LENGTH; i++) {
            one_hot(x, word[i]);
            if (kind == 0)
                rnn_step(m, x, h);
            else if (kind == 1)
                lstm_step(m, x, h, c);
            else
                gru_step(m, x, h);
            memcpy(out, h, sizeof out);
            rectify(out, DIM);
            affine(z[i], out, DIM, find(m, "", "head"), find(m, "", "head_bias"), CLASSES);
        }
        assert_answers(m, z);
        th_model_free(m);
    }
}

/* ---- gradients ---- */

static double loss_of(const ThModel *m, ThTape *t, const ThBatch *b, ThTapeMode mode, bool share)
{
    ThError err = {0};
    th_tape_begin(t, mode);
    ThVar z = m->kind->forward(m, t, b, &(ThModelForward){.share = share});
    double loss;
    ThVar v = m->signature.target == TH_TARGET_BITS
                  ? th_op_binary_cross_entropy(t, z, b->target, th_tape_rows(t, z), 0.5)
                  : th_op_cross_entropy(t, z, b->target, th_tape_rows(t, z), 0.5);
    if (!th_tape_ok(t, &err))
        fail_msg("%s", err.msg);
    th_tape_read(t, v, &loss);
    if (mode == TH_TAPE_GRADIENT)
        assert_true(th_tape_backward(t, v, NULL, &err));
    return loss;
}

static void check_differences(const ThModel *m, ThTape *t, const ThBatch *b, const double *gradient)
{
    double *w = th_tape_params_double(t);
    ThRng r = th_rng(2, "coordinates", 0);
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        for (int k = 0; k < 4; k++) {
            size_t at = p->offset + th_rng_below(&r, (uint64_t)p->rows * (uint64_t)p->cols);
            double old = w[at], h = 1e-6;
            w[at] = old + h;
            double up = loss_of(m, t, b, TH_TAPE_NO_GRADIENT, true);
            w[at] = old - h;
            double down = loss_of(m, t, b, TH_TAPE_NO_GRADIENT, true);
            w[at] = old;
            double expected = (up - down) / (2 * h);
            assert_close(gradient[at], expected, 1e-7 + 1e-5 * fabs(expected));
        }
    }
}

/* The gradient on a tape, as doubles, returned new. */
static double *gradient_of(const ThModel *m, ThTapePrecision precision, const ThBatch *b,
                           bool share)
{
    ThError err = {0};
    ThTape *t = th_tape_new(precision, &m->params, &err);
    loss_of(m, t, b, TH_TAPE_GRADIENT, share);
    double *g = th_alloc(m->params.total, sizeof *g, NULL);
    for (size_t i = 0; i < m->params.total; i++)
        g[i] = precision == TH_TAPE_FLOAT ? (double)th_tape_gradient(t)[i]
                                          : th_tape_gradient_double(t)[i];
    if (precision == TH_TAPE_DOUBLE && share)
        check_differences(m, t, b, g);
    th_tape_free(t);
    return g;
}

static double relative_distance(const double *a, const double *b, const ThParams *p)
{
    double apart = 0, size = 0;
    for (int i = 0; i < p->n; i++) {
        for (size_t k = 0; k < (size_t)p->item[i].rows * (size_t)p->item[i].cols; k++) {
            size_t at = p->item[i].offset + k;
            apart += (a[at] - b[at]) * (a[at] - b[at]);
            size += b[at] * b[at];
        }
    }
    return sqrt(apart / size);
}

static void check_model(const char *kind, const char *const *settings, ThTarget target, int T)
{
    enum { B = 3 };
    ThModel *m = make(kind, settings, target, SYMBOLS, CLASSES);
    int token[B * LENGTH], target_of[B * LENGTH * CLASSES];
    ThRng r = th_rng(4, "batch", 0);
    for (int i = 0; i < B * T; i++)
        token[i] = (int)th_rng_below(&r, SYMBOLS);
    for (int i = 0; i < B * T * CLASSES; i++)
        target_of[i] = (int)th_rng_below(&r, target == TH_TARGET_BITS ? 2 : CLASSES);
    ThBatch b = {.B = B, .T = T, .token = token, .target = target_of};
    scatter(m);
    double *exact = gradient_of(m, TH_TAPE_DOUBLE, &b, true);
    double *unshared = gradient_of(m, TH_TAPE_DOUBLE, &b, false);
    double *fast = gradient_of(m, TH_TAPE_FLOAT, &b, true);
    assert_true(relative_distance(unshared, exact, &m->params) < 1e-10);
    assert_true(relative_distance(fast, exact, &m->params) < 1e-4);
    free(exact);
    free(unshared);
    free(fast);
    th_model_free(m);
}

static void test_gradients(void **state)
{
    (void)state;
    for (ThTarget target = TH_TARGET_FINAL; target <= TH_TARGET_BITS; target++) {
        for (int T = 1; T <= LENGTH; T += 3) {
            check_model("rnn", (const char *[]){"dim=5", NULL}, target, T);
            check_model("lstm", (const char *[]){"dim=5", NULL}, target, T);
            check_model("gru", (const char *[]){"dim=5", NULL}, target, T);
            check_model("transformer",
                        (const char *[]){"dim=6", "heads=3", "layers=2", "hidden=2", NULL}, target,
                        T);
            check_model("transformer",
                        (const char *[]){"dim=4", "heads=2", "layers=1", "position=none",
                                         "causal=yes", NULL},
                        target, T);
        }
    }
}

/* ---- inspection ---- */

static void test_traces(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m =
        make("transformer", (const char *[]){"dim=6", "heads=2", "layers=3", "causal=yes", NULL},
             TH_TARGET_FINAL, SYMBOLS, CLASSES);
    ThModelTrace *trace = th_model_trace(m, word, LENGTH, &err);
    assert_non_null(trace);
    assert_int_equal(trace->n_layers, 3);
    assert_int_equal(trace->layer[1].n_rows, LENGTH);
    assert_int_equal(trace->layer[2].n_rows, 1);
    for (int l = 0; l < 3; l++) {
        const ThModelTraceLayer *y = &trace->layer[l];
        assert_int_equal(y->last[y->n_rows - 1], LENGTH - 1);
        for (int row = 0; row < 2 * y->n_rows; row++) {
            double sum = 0;
            for (int j = 0; j < LENGTH; j++) {
                bool masked = y->key[row % y->n_rows * LENGTH + j] == TH_MODEL_KEY_MASKED;
                assert_int_equal(masked, j > y->last[row % y->n_rows]);
                assert_true(!masked || y->weight[row * LENGTH + j] == 0);
                sum += y->weight[row * LENGTH + j];
            }
            assert_close(sum, 1, 1e-5);
        }
    }
    th_model_trace_free(trace);
    th_model_free(m);
    m = make("gru", (const char *[]){"dim=6", NULL}, TH_TARGET_FINAL, SYMBOLS, CLASSES);
    trace = th_model_trace(m, word, LENGTH, &err);
    assert_non_null(trace);
    assert_int_equal(trace->layer[0].n_rows, LENGTH);
    /* The state after three symbols is that of the word cut there. */
    ThModelTrace *cut = th_model_trace(m, word, 3, &err);
    for (int j = 0; j < 6; j++)
        assert_close(trace->layer[0].state[2 * 6 + j], cut->layer[0].state[2 * 6 + j], 1e-6);
    th_model_trace_free(cut);
    th_model_trace_free(trace);
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_transformer_answers),
        cmocka_unit_test(test_recurrent_answers),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
