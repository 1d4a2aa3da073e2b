/* What is seen inside models, and changed there: named values against plain loops over the weights,
 * silenced parts against weights set to zero, read-outs and replaced vectors against whole runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "inspect/lens.h"
#include "inspect/mean_activation.h"
#include "inspect/patch.h"
#include "lab/evaluate.h"
#include "models/ablation.h"
#include "models/state.h"

enum { D = 4, H = 2, WIDE = 16, LENGTH = 4, CLASSES = 4 };

static const struct {
    const char *kind, *settings;
    bool heads; /* it has attention */
} models[] = {{"regulargpt", "dim=8 heads=2", true},
              {"regulargpt", "dim=8 heads=2 norm=pre thickness=2", true},
              {"transformer", "dim=8 heads=2 layers=2", true},
              {"transformer", "dim=8 heads=2 layers=2 position=rope causal=yes", true},
              {"gpt", "dim=8 heads=2 layers=2", true},
              {"gpt", "dim=8 heads=2 layers=2 block=neox position=alibi", true},
              {"gpt", "dim=8 heads=2 layers=2 block=llama mlp_width=11", true},
              {"bare", "dim=8 heads=2 layers=2", true},
              {"universal", "dim=8 heads=2 halt=none steps=3", true},
              {"universal", "dim=8 heads=2 halt=none steps=3 pool=end", true},
              {"rnn", "dim=8", false},
              {"lstm", "dim=8", false},
              {"gru", "dim=8", false},
              {"lrnn", "dim=8 layers=2", false},
              {"mamba", "dim=8 layers=2 state=4", false}};
enum { MODELS = sizeof models / sizeof *models };

static const int word[LENGTH] = {0, 2, 1, 3}, other[LENGTH] = {3, 3, 0, 2};

static void assert_same(const double *a, const double *b, int n, double bound_of, const char *what)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= bound_of * (1 + fabs(b[i]))))
            fail_msg("%s: %.9g at %d is not %.9g", what, a[i], i, b[i]);
}

static void logits_of(const ThModel *m, const int *w, double *z)
{
    ThError err = {0};
    if (!th_lab_logits(m, w, LENGTH, z, &err))
        fail_msg("%s", err.msg);
}

static float *weights(ThModel *m, const char *name)
{
    int i = th_params_find(&m->params, name);
    assert_true(i >= 0);
    return m->params.value + m->params.item[i].offset;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void times(const double *x, int rows, const float *w, int cols, double *y)
{
    for (int j = 0; j < cols; j++) {
        y[j] = 0;
        for (int i = 0; i < rows; i++)
            y[j] += x[i] * (double)w[i * cols + j];
    }
}

static void norm_sum(const double *a, const double *b, const float *gain, const float *offset,
                     double *y)
{
    double mean = 0, square = 0;
    for (int i = 0; i < D; i++)
        mean += (a[i] + b[i]) / D;
    for (int i = 0; i < D; i++)
        square += pow(a[i] + b[i] - mean, 2) / D;
    for (int i = 0; i < D; i++)
        y[i] = (a[i] + b[i] - mean) / sqrt(square + 1e-5) * (double)gain[i] + (double)offset[i];
}

/* What a level of RegularGPT computes of two vectors, by name. */
typedef struct {
    double query[D], key[2][2 * D], attention[H][2], heads[D], attended[D], feed_forward[D],
        state[D];
} Level;

static void attend(ThModel *m, const double *left, const double *right, Level *l)
{
    const float *relative = weights(m, "layer0.attention.relative");
    times(right, D, weights(m, "layer0.attention.query"), D, l->query);
    times(right, D, weights(m, "layer0.attention.key_value"), 2 * D, l->key[0]);
    times(left, D, weights(m, "layer0.attention.key_value"), 2 * D, l->key[1]);
    for (int h = 0; h < H; h++) {
        double e[2];
        for (int k = 0; k < 2; k++) {
            e[k] = (double)relative[h * 2 + k];
            for (int i = h * D / H; i < (h + 1) * D / H; i++)
                e[k] += l->query[i] * l->key[k][i] / sqrt(D / H);
        }
        for (int k = 0; k < 2; k++)
            l->attention[h][k] = exp(e[k]) / (exp(e[0]) + exp(e[1]));
        for (int i = h * D / H; i < (h + 1) * D / H; i++)
            l->heads[i] =
                l->attention[h][0] * l->key[0][D + i] + l->attention[h][1] * l->key[1][D + i];
    }
    times(l->heads, D, weights(m, "layer0.attention.output"), D, l->attended);
}

static void run_level(ThModel *m, const double *left, const double *right, Level *l)
{
    double u[D], up[WIDE];
    attend(m, left, right, l);
    norm_sum(l->attended, right, weights(m, "layer0.norm1.gain"), weights(m, "layer0.norm1.offset"),
             u);
    times(u, D, weights(m, "layer0.feed_forward.up"), WIDE, up);
    for (int i = 0; i < WIDE; i++)
        up[i] = fmax(0, up[i] + (double)weights(m, "layer0.feed_forward.up_bias")[i]);
    times(up, WIDE, weights(m, "layer0.feed_forward.down"), D, l->feed_forward);
    for (int i = 0; i < D; i++)
        l->feed_forward[i] += (double)weights(m, "layer0.feed_forward.down_bias")[i];
    norm_sum(l->feed_forward, u, weights(m, "layer0.norm2.gain"), weights(m, "layer0.norm2.offset"),
             l->state);
}

static void check_value(const ThTape *t, const char *name, int index, int row, const double *want,
                        int n)
{
    double all[64];
    ThVar v = th_tape_find(t, name, index);
    assert_true(v >= 0 && th_tape_rows(t, v) * th_tape_cols(t, v) <= 64);
    th_tape_read(t, v, all);
    assert_same(all + row * th_tape_cols(t, v), want, n, 1e-5, name);
}

static void check_level(const ThTape *t, int index, int row, const Level *l)
{
    check_value(t, "query", index, row, l->query, D);
    check_value(t, "key", index, 2 * row + 1, l->key[0], D);
    check_value(t, "value", index, 2 * row + 1, l->key[0] + D, D);
    check_value(t, "key", index, 2 * row, l->key[1], D);
    for (int h = 0; h < H; h++)
        check_value(t, "attention", index, H * row + h, l->attention[h], 2);
    check_value(t, "heads", index, row, l->heads, D);
    check_value(t, "attended", index, row, l->attended, D);
    check_value(t, "feed_forward", index, row, l->feed_forward, D);
    check_value(t, "state", index, row, l->state, D);
}

static void test_values_are_those_of_the_weights(void **state)
{
    (void)state;
    ThModel *m = bound("regulargpt", "dim=4 heads=2 hidden=4", TH_TARGET_FINAL, CLASSES);
    ThTape *t = th_model_tape(m, TH_TAPE_FLOAT, 1, NULL);
    int token[LENGTH];
    memcpy(token, word, sizeof token);
    ThModelTrace *trace = th_model_trace_on(m, t, token, LENGTH, NULL);
    assert_non_null(trace);
    double x[LENGTH][D], z[CLASSES];
    for (int i = 0; i < LENGTH; i++) {
        for (int j = 0; j < D; j++)
            x[i][j] = (double)weights(m, "embedding")[word[i] * D + j] * sqrt(D);
        check_value(t, "embedding", -1, i, x[i], D);
    }
    Level a, b, top;
    run_level(m, x[0], x[1], &a);
    run_level(m, x[2], x[3], &b);
    run_level(m, a.state, b.state, &top);
    check_level(t, 0, 0, &a);
    check_level(t, 0, 1, &b);
    check_level(t, 1, 0, &top);
    times(top.state, D, weights(m, "head"), CLASSES, z);
    for (int c = 0; c < CLASSES; c++)
        z[c] += (double)weights(m, "head_bias")[c];
    check_value(t, "logits", -1, 0, z, CLASSES);
    assert_same(trace->output, z, CLASSES, 1e-5, "output");
    th_model_trace_free(trace);
    th_tape_free(t);
    th_model_free(m);
}

/* ---- silenced parts -------------------------------------------------------------------------- */

static ThModel *without(const ThModel *m, ThModelAblation a)
{
    ThError err = {0};
    ThModel *c = th_model_copy(m, &err);
    assert_non_null(c);
    if (!th_model_ablation_fit(m, &a, &err) || !th_model_ablate(c, &a, &err))
        fail_msg("%s", err.msg);
    return c;
}

/* In every output matrix the rows of a head. */
static void clear_head(ThModel *m, int head)
{
    int cleared = 0;
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        const char *end = strstr(p->name, "attention.output");
        if (!end || strcmp(end, "attention.output") != 0)
            continue;
        size_t size = (size_t)(p->rows / 2 * p->cols);
        memset(m->params.value + p->offset + (size_t)head * size, 0, size * sizeof(float));
        cleared++;
    }
    assert_true(cleared > 0);
}

static void test_silent_head_is_one_without_output(void **state)
{
    (void)state;
    double a[LENGTH * CLASSES], b[LENGTH * CLASSES], c[LENGTH * CLASSES];
    for (int i = 0; i < MODELS; i++) {
        if (!models[i].heads)
            continue;
        for (int head = 0; head < 2; head++) {
            ThModel *m = bound(models[i].kind, models[i].settings, TH_TARGET_FINAL, CLASSES);
            ThModelAblation part = {.part = TH_MODEL_HEAD, .layer = -1, .number = head};
            ThModel *silent = without(m, part), *copy = th_model_copy(silent, NULL);
            logits_of(m, word, c);
            clear_head(m, head);
            logits_of(m, word, a);
            logits_of(silent, word, b);
            assert_same(b, a, CLASSES, 1e-5, models[i].settings);
            logits_of(copy, word, b);
            assert_same(b, a, CLASSES, 1e-5, "a copy");
            assert_true(fabs(a[0] - c[0]) > 1e-4);
            th_model_free(m);
            th_model_free(silent);
            th_model_free(copy);
        }
    }
}

/* Of a word in which every symbol occurs once, the position is the symbol. */
static void test_silent_position_is_a_symbol_without_embedding(void **state)
{
    (void)state;
    double a[LENGTH * CLASSES], b[LENGTH * CLASSES];
    for (int i = 0; i < MODELS; i++) {
        ThModel *m = bound(models[i].kind, models[i].settings, TH_TARGET_FINAL, CLASSES);
        int table = th_params_find(&m->params, "embedding");
        if (table >= 0) {
            ThModel *silent = without(m, (ThModelAblation){.part = TH_MODEL_POSITION, .number = 1});
            const ThParam *p = &m->params.item[table];
            memset(m->params.value + p->offset + word[1] * p->cols, 0,
                   (size_t)p->cols * sizeof(float));
            logits_of(m, word, a);
            logits_of(silent, word, b);
            assert_same(b, a, CLASSES, 1e-5, models[i].settings);
            th_model_free(silent);
        }
        th_model_free(m);
    }
}

/* The read-out of zeros, and of the mean: what the answer says whatever is read. */
static void test_silent_level_says_nothing(void **state)
{
    (void)state;
    ThModel *m = bound("regulargpt", "dim=8 heads=2", TH_TARGET_FINAL, CLASSES);
    ThModelAblation a = {.part = TH_MODEL_LEVEL, .layer = 1};
    double z[CLASSES], bias[CLASSES];
    ThModel *silent = without(m, a);
    logits_of(silent, word, z);
    for (int c = 0; c < CLASSES; c++)
        bias[c] = (double)weights(m, "head_bias")[c];
    assert_same(z, bias, CLASSES, 1e-6, "zeros");
    th_model_free(silent);
    float mean[8];
    for (int i = 0; i < 8; i++)
        mean[i] = 0.1f * (float)i;
    assert_true(th_model_ablation_fit(m, &a, NULL));
    a.mean = mean;
    assert_true(th_model_ablate(m, &a, NULL));
    logits_of(m, word, z);
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < 8; i++)
            bias[c] += (double)(mean[i] * weights(m, "head")[i * CLASSES + c]);
    assert_same(z, bias, CLASSES, 1e-5, "mean");
    th_model_free(m);
}

/* Batches, shared or ragged, and reading symbol by symbol leave the same parts silent. */
static void test_silence_however_it_is_run(void **state)
{
    (void)state;
    ThModelAblation parts[] = {{.part = TH_MODEL_LEVEL, .layer = 0},
                               {.part = TH_MODEL_POSITION, .number = 2}};
    int tokens[2 * (LENGTH + 1)] = {0, 2, 1, 3, 0, 0, 2, 1, 3, 1}, length[2] = {LENGTH, LENGTH + 1};
    for (int i = 0; i < MODELS; i++) {
        for (int k = 0; k < 2; k++) {
            double z[2 * CLASSES], alone[CLASSES];
            ThModel *m = bound(models[i].kind, models[i].settings, TH_TARGET_FINAL, CLASSES);
            ThModel *silent = without(m, parts[k]);
            ThTape *t = th_model_tape(silent, TH_TAPE_FLOAT, 1, NULL);
            ThBatch b = {.B = 2, .T = LENGTH + 1, .token = tokens, .length = length};
            ThVar v = th_model_forward(silent, t, &b, &(ThModelForward){.share = true});
            assert_true(th_tape_ok(t, NULL));
            th_tape_read(t, v, z);
            logits_of(silent, word, alone);
            assert_same(z, alone, CLASSES, 1e-5, models[i].settings);
            if (th_model_causal(m)) {
                float last[CLASSES];
                ThModelState *s = th_model_open(silent, TH_MODEL_CACHED, 1, NULL);
                assert_non_null(s);
                assert_false(th_model_cached(s));
                assert_true(th_model_feed(s, word, LENGTH, last, NULL));
                for (int c = 0; c < CLASSES; c++)
                    assert_true(fabs((double)last[c] - alone[c]) < 1e-5);
                th_model_close(s);
            }
            th_tape_free(t);
            th_model_free(silent);
            th_model_free(m);
        }
    }
}

static void test_parts_that_are_not_there(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = bound("gpt", "dim=8 heads=2 layers=2", TH_TARGET_FINAL, CLASSES);
    ThModel *r = bound("rnn", "dim=8", TH_TARGET_FINAL, CLASSES);
    assert_false(th_model_ablation_fit(
        m, &(ThModelAblation){.part = TH_MODEL_HEAD, .layer = 0, .number = 2}, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    assert_false(
        th_model_ablation_fit(m, &(ThModelAblation){.part = TH_MODEL_LEVEL, .layer = 2}, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    assert_false(
        th_model_ablation_fit(r, &(ThModelAblation){.part = TH_MODEL_HEAD, .layer = -1}, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    ThModel *silent = without(m, (ThModelAblation){.part = TH_MODEL_LEVEL});
    assert_true(th_model_whole(m, "a file", &err));
    assert_false(th_model_whole(silent, "a file", &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_model_free(silent);
    th_model_free(m);
    th_model_free(r);
}

/* ---- read-outs and replaced vectors ---------------------------------------------------------- */

static void test_last_row_of_lens_is_the_answer(void **state)
{
    (void)state;
    int pooled = 0;
    double z[LENGTH * CLASSES];
    for (int i = 0; i < 2 * MODELS; i++) {
        ThTarget target = i % 2 ? TH_TARGET_EVERY : TH_TARGET_FINAL;
        ThModel *m = bound(models[i / 2].kind, models[i / 2].settings, target, CLASSES);
        int rows = target == TH_TARGET_FINAL ? 1 : LENGTH;
        logits_of(m, word, z);
        ThInspectLens *l = th_inspect_lens(m, word, LENGTH, NULL);
        assert_non_null(l);
        assert_true(l->n_rows >= rows && l->row[l->n_rows - 1].last == LENGTH - 1);
        bool pools = l->n_rows == l->n_layers; /* one answer for all vectors of a layer */
        pooled += pools;
        for (int k = 0; pools && k < l->n_rows; k++)
            assert_true(l->row[k].layer == k && l->row[k].first == 0 &&
                        l->row[k].last == LENGTH - 1);
        for (int k = 0; k < rows; k++)
            assert_same(l->row[l->n_rows - 1 - k].logit, z + (rows - 1 - k) * CLASSES, CLASSES,
                        1e-6, models[i / 2].settings);
        th_inspect_lens_free(l);
        th_model_free(m);
    }
    assert_true(pooled > 0);
}

/* Of a model that pools its vectors no one of them is the answer's. */
static void check_patch(const ThModel *m, bool pools, const char *settings)
{
    const ThInspectPatchWhich all = {-1, -1, -1, -1, -1};
    const ThTaskWord same = {word, LENGTH}, from = {other, LENGTH};
    double z[LENGTH * CLASSES], source[LENGTH * CLASSES];
    logits_of(m, word, z);
    logits_of(m, other, source);
    ThInspectPatch *p = th_inspect_patch(m, &same, &same, &all, NULL, NULL);
    assert_non_null(p);
    for (int i = 0; i < p->n_rows; i++)
        assert_same(p->row[i].logit, z, CLASSES, 1e-6, settings); /* products may round otherwise */
    th_inspect_patch_free(p);
    p = th_inspect_patch(m, &from, &same, &all, NULL, NULL);
    assert_non_null(p);
    assert_same(p->source, source, CLASSES, 1e-6, settings);
    if (!pools)
        assert_same(p->row[p->n_rows - 1].logit, source, CLASSES, 1e-6, settings);
    th_inspect_patch_free(p);
}

static void test_patch(void **state)
{
    (void)state;
    ThError err = {0};
    const ThInspectPatchWhich all = {-1, -1, -1, -1, -1};
    for (int i = 0; i < MODELS; i++) {
        ThModel *m = bound(models[i].kind, models[i].settings, TH_TARGET_FINAL, CLASSES);
        bool pools = strcmp(models[i].kind, "universal") == 0;
        if (strchr(models[i].settings, ' ') == NULL) {
            assert_null(th_inspect_patch(m, &(ThTaskWord){word, LENGTH},
                                         &(ThTaskWord){word, LENGTH}, &all, NULL, &err));
            assert_int_equal(err.code, TH_EVALUE);
            err = (ThError){0};
        } else {
            check_patch(m, pools, models[i].settings);
        }
        th_model_free(m);
    }
}

/* A segment of RegularGPT is all that goes into a vector: with the vector of another string's
 * segment it answers what it answers when the segment itself is replaced. */
static void test_vector_stands_for_its_segment(void **state)
{
    (void)state;
    ThModel *m = bound("regulargpt", "dim=8 heads=2", TH_TARGET_FINAL, CLASSES);
    const int mixed[LENGTH] = {3, 3, 1, 3}, moved[LENGTH] = {0, 2, 3, 3};
    double z[CLASSES];
    ThInspectPatchWhich w = {0, 0, 1, -1, -1};
    ThTaskWord from = {other, LENGTH}, to = {word, LENGTH};
    ThInspectPatch *p = th_inspect_patch(m, &from, &to, &w, NULL, NULL);
    assert_non_null(p);
    assert_int_equal(p->n_rows, 1);
    logits_of(m, mixed, z);
    assert_same(p->row[0].logit, z, CLASSES, 1e-6, "the same place");
    th_inspect_patch_free(p);
    w = (ThInspectPatchWhich){0, 2, 3, 0, 1};
    p = th_inspect_patch(m, &from, &to, &w, NULL, NULL);
    assert_non_null(p);
    logits_of(m, moved, z);
    assert_same(p->row[0].logit, z, CLASSES, 1e-6, "another place");
    th_inspect_patch_free(p);
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_those_of_the_weights),
        cmocka_unit_test(test_silent_head_is_one_without_output),
        cmocka_unit_test(test_silent_position_is_a_symbol_without_embedding),
        cmocka_unit_test(test_silent_level_says_nothing),
        cmocka_unit_test(test_silence_however_it_is_run),
        cmocka_unit_test(test_parts_that_are_not_there),
        cmocka_unit_test(test_last_row_of_lens_is_the_answer),
        cmocka_unit_test(test_patch),
        cmocka_unit_test(test_vector_stands_for_its_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
