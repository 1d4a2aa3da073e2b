/* RegularGPT: who attends to whom, the two forms against each other, sharing against computing
 * everything, parameter counts of the paper's sizes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "models/model.h"
#include "models/attention/routing.h"

static char *symbols[] = {(char[]){"a"}, (char[]){"b"}, (char[]){"c"}};
static char *classes[] = {(char[]){"0"}, (char[]){"1"}, (char[]){"2"}, (char[]){"3"},
                          (char[]){"4"}};

static ThModel *make(const char *options, int n_symbols, int n_classes, ThTarget target)
{
    ThError err = {0};
    const ThModelKind *kind = th_model_kind("regulargpt");
    ThOptions o;
    assert_true(th_options_init(&o, kind->options, &err));
    char text[200], *save = NULL;
    strcpy(text, options);
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(w, '=');
        *eq = '\0';
        assert_true(th_options_set(&o, w, eq + 1, &err));
    }
    ThModel *m = th_model_new(kind, &o, &err);
    th_options_free(&o);
    assert_non_null(m);
    ThSignature s = {.target = target,
                     .n_symbols = n_symbols,
                     .n_classes = n_classes,
                     .symbol = symbols,
                     .label = classes};
    assert_true(th_model_bind(m, &s, 5, &err));
    return m;
}

static void test_depth(void **state)
{
    (void)state;
    static const int table[][3] = {{40, 2, 6},    {500, 2, 9},   {500, 3, 6},  {1, 2, 1},
                                   {125, 5, 3},   {216, 6, 3},   {512, 32, 2}, {2048, 32, 3},
                                   {8192, 64, 3}, {8192, 128, 2}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(th_model_routing_depth(table[i][0], table[i][1]), table[i][2]);
}

/* The tree of the last position, worked out by hand: per level the children of every vector,
 * earliest first, -1 for a pad. */
static void check_tree(int T, int C, const int *children)
{
    char options[40] = "dim=8 heads=2 chunk=2";
    options[strlen(options) - 1] = (char)('0' + C);
    ThModel *m = make(options, 2, 2, TH_TARGET_FINAL);
    int token[16] = {0};
    ThModelTrace *trace = th_model_trace(m, token, T, NULL);
    assert_non_null(trace);
    assert_int_equal(trace->n_layers, th_model_routing_depth(T, C));
    for (int l = 0; l < trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &trace->layer[l];
        for (int i = 0; i < layer->n_rows; i++) {
            for (int k = C - 1; k >= 0; k--)
                assert_int_equal(layer->key[i * C + k], *children++);
            assert_int_equal(layer->last[i], layer->key[i * C]);
            double sum = 0;
            for (int k = 0; k < C; k++)
                sum += layer->weight[i * C + k];
            assert_true(fabs(sum - 1) < 1e-5);
        }
    }
    th_model_trace_free(trace);
    th_model_free(m);
}

static void test_trees(void **state)
{
    (void)state;
    check_tree(7, 2, (int[]){-1, 0, 1, 2, 3, 4, 5, 6, 0, 2, 4, 6, 2, 6});
    check_tree(5, 3, (int[]){-1, 0, 1, 2, 3, 4, -1, 1, 4});
    check_tree(11, 3,
               (int[]){-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1, -1, 1, 4, 7, 10, -1, 1, 10});
    check_tree(1, 2, (int[]){-1, 0});
}

/* Logits of B random strings of length T, in double. */
static void logits(const ThModel *m, const ThBatch *b, bool share, double *z)
{
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
    ThVar v = m->kind->forward(m, t, b, &(ThModelForward){.share = share});
    assert_true(th_tape_ok(t, NULL));
    th_tape_read(t, v, z);
    th_tape_free(t);
}

static double distance(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static ThBatch random_batch(int B, int T, int n_symbols, int *token)
{
    ThRng r = th_rng(11, "strings", (uint64_t)T);
    for (int i = 0; i < B * T; i++)
        token[i] = (int)th_rng_below(&r, (uint64_t)n_symbols);
    return (ThBatch){.B = B, .T = T, .token = token};
}

static double forms_apart(int T, int C, const char *more)
{
    char collapse[100], dilated[100];
    snprintf(collapse, sizeof collapse, "dim=8 heads=2 form=collapse chunk=%d %s", C, more);
    snprintf(dilated, sizeof dilated, "dim=8 heads=2 form=dilated chunk=%d %s", C, more);
    ThModel *a = make(collapse, 2, 2, TH_TARGET_FINAL), *b = make(dilated, 2, 2, TH_TARGET_FINAL);
    int token[256];
    double x[8], y[8];
    ThBatch batch = random_batch(4, T, 2, token);
    logits(a, &batch, true, x);
    logits(b, &batch, true, y);
    th_model_free(a);
    th_model_free(b);
    return distance(x, y, 8);
}

static void test_forms(void **state)
{
    (void)state;
    for (int C = 2; C <= 7; C++)
        for (int T = 1; T <= 60; T++)
            assert_true(forms_apart(T, C, "missing=pad") <= 1e-12);
    /* Thicker levels look across chunks, to what their layers have made of pads, if there are any:
     * the dilated form has the pad itself there. */
    assert_true(forms_apart(5, 2, "thickness=2 missing=pad") > 1e-6);
    for (int K = 1; K <= 4; K++)
        for (int C = 2; C <= 7; C++)
            for (int T = 1; T <= 60; T++) {
                char more[80];
                snprintf(more, sizeof more, "thickness=%d missing=mask norm=%s levels=%d", K,
                         T % 2 ? "pre" : "post", T % 3 ? 1 : 3);
                if (!(forms_apart(T, C, more) <= 1e-11))
                    fail_msg("chunk=%d length %d %s", C, T, more);
            }
}

/* A pad that is masked is another function than a pad that is read, unless there is none. */
static void test_masking(void **state)
{
    (void)state;
    for (int T = 3; T <= 8; T += 5) {
        ThModel *a = make("dim=8 heads=2 missing=pad", 2, 2, TH_TARGET_FINAL);
        ThModel *b = make("dim=8 heads=2 missing=mask", 2, 2, TH_TARGET_FINAL);
        int token[64];
        double x[8], y[8];
        ThBatch batch = random_batch(4, T, 2, token);
        logits(a, &batch, true, x);
        logits(b, &batch, true, y);
        assert_true((distance(x, y, 8) > 1e-6) == (T == 3));
        th_model_free(a);
        th_model_free(b);
    }
}

static void gradient(const ThModel *m, const ThBatch *b, bool share, double *loss, double *g)
{
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThVar z = m->kind->forward(m, t, b, &(ThModelForward){.share = share});
    int rows = th_tape_rows(t, z), target[256];
    for (int i = 0; i < rows; i++)
        target[i] = i % m->signature.n_classes;
    ThVar v = th_op_cross_entropy(t, z, target, rows, 1);
    assert_true(th_tape_backward(t, v, NULL, NULL));
    th_tape_read(t, v, loss);
    memcpy(g, th_tape_gradient_double(t), m->params.total * sizeof *g);
    th_tape_free(t);
}

/* Sharing equal vectors changes neither the answers nor the gradient. */
static void test_sharing(void **state)
{
    (void)state;
    static const char *const options[] = {
        "dim=8 heads=2", "dim=6 heads=3 chunk=3 thickness=2",
        "dim=8 heads=2 norm=pre missing=mask form=dilated thickness=2 chunk=3",
        "dim=8 heads=1 init=wide activation=gelu"};
    static const int lengths[] = {1, 2, 5, 16, 21};
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < 5; i++) {
            ThTarget target = k == 2 ? TH_TARGET_EVERY : TH_TARGET_FINAL;
            ThModel *m = make(options[k], 3, 5, target);
            int token[200];
            ThBatch batch = random_batch(5, lengths[i], 3, token);
            double a, b, *g = calloc(m->params.total, sizeof *g);
            double *h = calloc(m->params.total, sizeof *h);
            gradient(m, &batch, true, &a, g);
            gradient(m, &batch, false, &b, h);
            assert_true(fabs(a - b) < 1e-10);
            assert_true(distance(g, h, (int)m->params.total) < 1e-9);
            free(g);
            free(h);
            th_model_free(m);
        }
    }
}

/* Each prefix's answer is that of the prefix by itself, whatever its length (dilated form). */
static void test_prefixes(void **state)
{
    (void)state;
    ThModel *every = make("dim=8 heads=2 form=dilated", 2, 2, TH_TARGET_EVERY);
    int token[20];
    double all[40], one[40];
    ThBatch batch = random_batch(1, 16, 2, token);
    logits(every, &batch, true, all);
    ThModel *final = make("dim=8 heads=2 form=dilated", 2, 2, TH_TARGET_FINAL);
    batch.T = 16;
    logits(final, &batch, true, one);
    assert_true(distance(all + 30, one, 2) < 1e-12);
    th_model_free(every);
    th_model_free(final);
}

static const char *const language_models[] = {
    "dim=8 heads=2 form=dilated chunk=3",
    "dim=8 heads=2 form=dilated chunk=2 thickness=2 norm=pre missing=mask"};

/* No answer moves before a symbol that is changed, and the one after it does. */
static void test_no_leak(void **state)
{
    (void)state;
    enum { T = 12 };
    for (size_t k = 0; k < 2; k++) {
        ThModel *m = make(language_models[k], 3, 3, TH_TARGET_EVERY);
        int token[T];
        double before[3 * T], after[3 * T];
        ThBatch batch = random_batch(1, T, 3, token);
        logits(m, &batch, true, before);
        for (int i = 0; i < T; i++) {
            int kept = token[i];
            token[i] = (kept + 1) % 3;
            logits(m, &batch, true, after);
            assert_true(distance(before, after, 3 * i) == 0);
            assert_true(distance(before + 3 * i, after + 3 * i, 3) > 0);
            token[i] = kept;
        }
        th_model_free(m);
    }
}

/* With as many levels as the longest string needs, an answer is the same however long the string
 * is: what generation goes on with is what training saw. */
static void test_levels(void **state)
{
    (void)state;
    enum { T = 12 };
    for (size_t k = 0; k < 2; k++) {
        char settings[160];
        for (int levels = 1; levels < 5; levels += 3) {
            snprintf(settings, sizeof settings, "%s levels=%d", language_models[k], levels);
            ThModel *m = make(settings, 3, 3, TH_TARGET_EVERY);
            int token[T];
            double all[3 * T], one[3 * T], worst = 0;
            ThBatch batch = random_batch(1, T, 3, token);
            logits(m, &batch, true, all);
            for (batch.T = 1; batch.T < T; batch.T++) {
                logits(m, &batch, true, one);
                worst = fmax(worst, distance(all, one, 3 * batch.T));
            }
            assert_true(levels > 1 ? worst < 1e-12 : worst > 1e-3);
            th_model_free(m);
        }
    }
    ThModelRoutingShape shape = {.C = 32, .K = 6, .levels = 2};
    assert_int_equal(th_model_routing_levels(&shape, 5), 2);
    assert_int_equal(th_model_routing_levels(&shape, 1024), 2);
    assert_int_equal(th_model_routing_levels(&shape, 1025), 3);
}

static void test_no_symbol_is_lost(void **state)
{
    (void)state;
    ThModel *m = make("dim=8 heads=2 chunk=3", 2, 2, TH_TARGET_FINAL);
    for (int T = 1; T < 30; T++) {
        int token[64];
        double a[2], b[2];
        ThBatch batch = random_batch(1, T, 2, token);
        logits(m, &batch, false, a);
        for (int i = 0; i < T; i++) {
            token[i] ^= 1;
            logits(m, &batch, false, b);
            token[i] ^= 1;
            assert_true(distance(a, b, 2) > 0);
        }
    }
    th_model_free(m);
}

/* ---- the collapse form again, from the text: K = 1, post-norm, ReLU ---- */

enum { D = 8, HEADS = 2, WIDTH = D / HEADS, MOST = 32 };

static const float *parameter(const ThModel *m, const char *name)
{
    int index = th_params_find(&m->params, name);
    assert_true(index >= 0);
    return th_params_at(&m->params, index);
}

/* y = x w + b, with w (n, cols) and b (cols) or NULL. */
static void multiply(const double *x, int n, const float *w, const float *b, int cols, double *y)
{
    for (int j = 0; j < cols; j++) {
        y[j] = b ? (double)b[j] : 0;
        for (int k = 0; k < n; k++)
            y[j] += x[k] * (double)w[k * cols + j];
    }
}

/* x = LN(x + y). */
static void add_and_norm(const ThModel *m, const char *name, double *x, const double *y)
{
    char gain[40], offset[40];
    snprintf(gain, sizeof gain, "layer0.%s.gain", name);
    snprintf(offset, sizeof offset, "layer0.%s.offset", name);
    double mean = 0, variance = 0;
    for (int j = 0; j < D; j++)
        mean += (x[j] += y[j]) / D;
    for (int j = 0; j < D; j++)
        variance += (x[j] - mean) * (x[j] - mean) / D;
    for (int j = 0; j < D; j++)
        x[j] = (x[j] - mean) / sqrt(variance + 1e-5) * (double)parameter(m, gain)[j] +
               (double)parameter(m, offset)[j];
}

/* One chunk of C vectors becomes one. */
static void combine(const ThModel *m, double (*chunk)[D], int C, double *to)
{
    double q[D], kv[MOST][2 * D], mixed[D] = {0}, o[D], up[4 * D], down[D];
    const float *relative = parameter(m, "layer0.attention.relative");
    multiply(chunk[C - 1], D, parameter(m, "layer0.attention.query"), NULL, D, q);
    for (int j = 0; j < C; j++)
        multiply(chunk[j], D, parameter(m, "layer0.attention.key_value"), NULL, 2 * D, kv[j]);
    for (int h = 0; h < HEADS; h++) {
        double e[MOST], sum = 0;
        for (int j = 0; j < C; j++) {
            double dot = 0;
            for (int k = h * WIDTH; k < (h + 1) * WIDTH; k++)
                dot += q[k] * kv[j][k];
            sum += e[j] = exp(dot / sqrt(WIDTH) + (double)relative[h * C + C - 1 - j]);
        }
        for (int j = 0; j < C; j++)
            for (int k = h * WIDTH; k < (h + 1) * WIDTH; k++)
                mixed[k] += e[j] / sum * kv[j][D + k];
    }
    multiply(mixed, D, parameter(m, "layer0.attention.output"), NULL, D, o);
    memcpy(to, chunk[C - 1], D * sizeof *to);
    add_and_norm(m, "norm1", to, o);
    multiply(to, D, parameter(m, "layer0.feed_forward.up"),
             parameter(m, "layer0.feed_forward.up_bias"), 4 * D, up);
    for (int j = 0; j < 4 * D; j++)
        up[j] = fmax(0, up[j]);
    multiply(up, 4 * D, parameter(m, "layer0.feed_forward.down"),
             parameter(m, "layer0.feed_forward.down_bias"), D, down);
    add_and_norm(m, "norm2", to, down);
}

static void written_out(const ThModel *m, const int *token, int T, int C, double *z)
{
    double h[2 * MOST][D];
    const float *pad = parameter(m, "pad");
    for (int i = 0; i < T; i++)
        for (int j = 0; j < D; j++)
            h[i][j] = sqrt(D) * (double)parameter(m, "embedding")[token[i] * D + j];
    int n = T;
    do {
        int pads = (C - n % C) % C;
        memmove(h[pads], h[0], (size_t)n * sizeof *h);
        for (int i = 0; i < pads; i++)
            for (int j = 0; j < D; j++)
                h[i][j] = (double)pad[j];
        n = (n + pads) / C;
        for (int i = 0; i < n; i++) {
            double y[D];
            combine(m, h + i * C, C, y);
            memcpy(h[i], y, sizeof y);
        }
    } while (n > 1);
    multiply(h[0], D, parameter(m, "head"), parameter(m, "head_bias"), 3, z);
}

static void test_written_out(void **state)
{
    (void)state;
    for (int C = 2; C <= 4; C++) {
        char options[40];
        snprintf(options, sizeof options, "dim=8 heads=2 chunk=%d", C);
        ThModel *m = make(options, 3, 3, TH_TARGET_FINAL);
        ThRng r = th_rng(2, "parameters", 0);
        for (size_t i = 0; i < m->params.total; i++)
            m->params.value[i] = (float)(0.7 * th_rng_normal(&r));
        for (int T = 1; T <= 27; T++) {
            int token[MOST];
            double expected[3], answer[3];
            ThBatch b = random_batch(1, T, 3, token);
            written_out(m, token, T, C, expected);
            logits(m, &b, true, answer);
            assert_true(distance(expected, answer, 3) <= 1e-11);
        }
        th_model_free(m);
    }
}

/* The distributions that the released code starts from. */
static void test_initialisers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        ThInit init;
        double scale;
    } rows[] = {{"embedding", TH_INIT_TRUNCATED, 0.02},
                {"pad", TH_INIT_NORMAL, 0.02},
                {"layer0.attention.query", TH_INIT_TRUNCATED, 0.25},
                {"layer0.attention.key_value", TH_INIT_TRUNCATED, 0.25},
                {"layer0.attention.output", TH_INIT_TRUNCATED, 0.25},
                {"layer0.attention.relative", TH_INIT_NORMAL, 0.02},
                {"layer0.norm1.gain", TH_INIT_ONE, 0},
                {"layer0.norm2.offset", TH_INIT_ZERO, 0},
                {"layer0.feed_forward.up", TH_INIT_TRUNCATED, 0.25},
                {"layer0.feed_forward.up_bias", TH_INIT_ZERO, 0},
                {"layer0.feed_forward.down", TH_INIT_TRUNCATED, 0.125},
                {"head", TH_INIT_TRUNCATED, 0.25},
                {"head_bias", TH_INIT_ZERO, 0}};
    ThModel *m = make("dim=16 heads=2", 2, 2, TH_TARGET_FINAL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ThParam *p = &m->params.item[th_params_find(&m->params, rows[i].name)];
        assert_int_equal(p->init, rows[i].init);
        assert_true(fabs(p->scale - rows[i].scale) < 1e-12);
    }
    th_model_free(m);
}

/* What the cluster figure of the paper counts: one string of 500 gives 501 vectors. */
static void test_vectors_of_500(void **state)
{
    (void)state;
    ThModel *m = make("dim=8 heads=2", 2, 2, TH_TARGET_FINAL);
    int token[500] = {0}, vectors = 0;
    static const int rows[] = {250, 125, 63, 32, 16, 8, 4, 2, 1};
    ThModelTrace *trace = th_model_trace(m, token, 500, NULL);
    assert_int_equal(trace->n_layers, 9);
    for (int l = 0; l < 9; l++) {
        assert_int_equal(trace->layer[l].n_rows, rows[l]);
        vectors += trace->layer[l].n_rows;
    }
    assert_int_equal(vectors, 501);
    th_model_trace_free(trace);
    th_model_free(m);
}

/* What a model has whose size= is given, and dim= if it is not NULL. */
static void check_count(const char *size, const char *dim, ThTarget target, int n_symbols,
                        int n_classes, size_t count)
{
    enum { SYMBOLS = 50304 };
    static char *names[SYMBOLS];
    for (int i = 0; i < SYMBOLS; i++)
        names[i] = symbols[0];
    const ThModelKind *kind = th_model_kind("regulargpt");
    ThOptions o;
    size_t numbers;
    assert_true(th_options_init(&o, kind->options, NULL));
    assert_true(th_options_set(&o, "size", size, NULL));
    if (dim)
        assert_true(th_options_set(&o, "dim", dim, NULL));
    ThModel *m = th_model_new(kind, &o, NULL);
    th_options_free(&o);
    ThSignature s = {.target = target,
                     .n_symbols = n_symbols,
                     .n_classes = n_classes,
                     .next = target == TH_TARGET_EVERY,
                     .symbol = names,
                     .label = names};
    assert_true(th_model_size(m, &s, &numbers, NULL));
    assert_int_equal(numbers, count);
    th_model_free(m);
}

/* The paper's 81 million, and the scalars and the pad that it does not count. */
static void test_counts(void **state)
{
    (void)state;
    check_count("paper", NULL, TH_TARGET_FINAL, 2, 2, 790290);
    check_count("paper", NULL, TH_TARGET_FINAL, 3, 5, 791317);
    check_count("paper", NULL, TH_TARGET_FINAL, 9, 5, 792853); /* a blank that never occurs */
    check_count("paper", "64", TH_TARGET_FINAL, 2, 2, 50130);
    check_count("text", NULL, TH_TARGET_EVERY, 50304, 50304, 81162240 + 6 * 12 * 128 + 768);
}

static void test_bad_options(void **state)
{
    (void)state;
    ThError err = {0};
    const ThModelKind *kind = th_model_kind("regulargpt");
    ThOptions o;
    assert_true(th_options_init(&o, kind->options, &err));
    assert_true(th_options_set(&o, "heads", "7", &err));
    assert_null(th_model_new(kind, &o, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    assert_false(th_options_set(&o, "chunk", "1", NULL));
    assert_true(th_options_set(&o, "heads", "4", NULL));
    assert_true(th_options_set(&o, "form", "collapse", NULL));
    ThModel *m = th_model_new(kind, &o, NULL);
    ThSignature s = {.target = TH_TARGET_EVERY,
                     .n_symbols = 2,
                     .n_classes = 2,
                     .symbol = symbols,
                     .label = classes};
    err = (ThError){0};
    assert_false(th_model_bind(m, &s, 1, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    assert_false(m->bound);
    assert_null(th_model_trace(m, (int[]){0}, 1, NULL));
    th_model_free(m);
    th_options_free(&o);
}

static void test_copy(void **state)
{
    (void)state;
    ThModel *m = make("dim=8 heads=2", 2, 2, TH_TARGET_FINAL), *c = th_model_copy(m, NULL);
    assert_non_null(c);
    assert_memory_equal(m->params.value, c->params.value, m->params.total * sizeof(float));
    c->params.value[0] += 1;
    assert_true(m->params.value[0] != c->params.value[0]);
    th_model_free(m);
    th_model_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth),          cmocka_unit_test(test_trees),
        cmocka_unit_test(test_forms),          cmocka_unit_test(test_masking),
        cmocka_unit_test(test_sharing),        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_counts),         cmocka_unit_test(test_no_leak),
        cmocka_unit_test(test_levels),         cmocka_unit_test(test_no_symbol_is_lost),
        cmocka_unit_test(test_bad_options),    cmocka_unit_test(test_copy),
        cmocka_unit_test(test_written_out),    cmocka_unit_test(test_initialisers),
        cmocka_unit_test(test_vectors_of_500),
    };
    return cmocka_run_group_tests_name("regulargpt", tests, NULL, NULL);
}
