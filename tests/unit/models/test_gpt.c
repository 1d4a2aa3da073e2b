/* The decoder: its answers by plain loops over the formulas of GPT-2's and GPT-NeoX's blocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "plain.h"

enum { SYMBOLS = 3, LENGTH = 7, DIM = 6, HEADS = 3, WIDTH = DIM / HEADS, WIDE = 2 * DIM };

static int word[LENGTH] = {2, 0, 1, 1, 2, 0, 2};

typedef struct {
    const ThModel *m;
    bool beside, tied;
    int masked; /* heads with a window, as Hard-ALiBi has them */
} Plain;

static void attend(const Plain *p, const char *layer, double h[LENGTH][DIM], int i, double *y)
{
    double q[DIM], kv[LENGTH][2 * DIM], o[DIM], x[DIM];
    for (int j = 0; j <= i; j++) {
        normalise(p->m, layer, "norm1", h[j], DIM, x);
        affine(p->m, layer, "attention.key_value", x, DIM, 2 * DIM, kv[j]);
    }
    affine(p->m, layer, "attention.query", x, DIM, DIM, q);
    for (int c = 0; c < DIM; c++) {
        int head = c / WIDTH;
        double sum = o[c] = 0;
        for (int j = 0; j <= i; j++) {
            double logit = 0;
            if (head < p->masked && i - j >= head + 1)
                continue;
            for (int k = head * WIDTH; k < (head + 1) * WIDTH; k++)
                logit += q[k] * kv[j][k];
            double e = exp(logit / sqrt(WIDTH));
            sum += e;
            o[c] += e * kv[j][DIM + c];
        }
        o[c] /= sum;
    }
    affine(p->m, layer, "attention.output", o, DIM, DIM, y);
}

static void feed_forward(const Plain *p, const char *layer, const double *x, double *y)
{
    double read[DIM], f[WIDE];
    normalise(p->m, layer, "norm2", x, DIM, read);
    affine(p->m, layer, "feed_forward.up", read, DIM, WIDE, f);
    for (int k = 0; k < WIDE; k++)
        f[k] *= 0.5 * (1 + erf(f[k] / sqrt(2)));
    affine(p->m, layer, "feed_forward.down", f, WIDE, DIM, y);
}

static void run_layer(const Plain *p, const char *layer, double h[LENGTH][DIM])
{
    double next[LENGTH][DIM];
    for (int i = 0; i < LENGTH; i++) {
        double attended[DIM], f[DIM], u[DIM];
        attend(p, layer, h, i, attended);
        for (int k = 0; k < DIM; k++)
            u[k] = h[i][k] + attended[k];
        feed_forward(p, layer, p->beside ? h[i] : u, f);
        for (int k = 0; k < DIM; k++)
            next[i][k] = u[k] + f[k];
    }
    memcpy(h, next, sizeof next);
}

static void answer(const Plain *p, double z[LENGTH][SYMBOLS])
{
    double h[LENGTH][DIM], x[DIM];
    const float *table = find(p->m, "", "embedding");
    const float *head = p->tied ? NULL : find(p->m, "", "head");
    for (int i = 0; i < LENGTH; i++)
        for (int k = 0; k < DIM; k++)
            h[i][k] = (double)table[word[i] * DIM + k];
    run_layer(p, "layer0.", h);
    run_layer(p, "layer1.", h);
    for (int i = 0; i < LENGTH; i++) {
        normalise(p->m, "", "final_norm", h[i], DIM, x);
        for (int c = 0; c < SYMBOLS; c++) {
            z[i][c] = 0;
            for (int k = 0; k < DIM; k++)
                z[i][c] += x[k] * (double)(p->tied ? table[c * DIM + k] : head[k * SYMBOLS + c]);
        }
    }
}

static void check(const Plain *p, const char *settings)
{
    ThError err = {0};
    double expected[LENGTH][SYMBOLS], z[LENGTH * SYMBOLS];
    int rows = p->m->signature.target == TH_TARGET_FINAL ? 1 : LENGTH;
    ThBatch b = {.B = 1, .T = LENGTH, .token = word};
    answer(p, expected);
    for (int mode = 0; mode < 4; mode++) {
        ThTape *t = th_tape_new(mode & 1 ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT, &p->m->params, &err);
        ThVar v = p->m->kind->forward(p->m, t, &b, &(ThModelForward){.share = mode & 2});
        if (!th_tape_ok(t, &err))
            fail_msg("%s: %s", settings, err.msg);
        assert_int_equal(th_tape_rows(t, v), rows);
        th_tape_read(t, v, z);
        for (int i = 0; i < rows * SYMBOLS; i++) {
            double value = expected[LENGTH - rows + i / SYMBOLS][i % SYMBOLS];
            if (!(fabs(z[i] - value) <= (mode & 1 ? 1e-9 : 1e-4)))
                fail_msg("%s, %d: %.12g is not %.12g", settings, i, z[i], value);
        }
        th_tape_free(t);
    }
}

static void test_answers(void **state)
{
    (void)state;
    for (int mode = 0; mode < 8; mode++) {
        Plain p = {.beside = mode & 1, .masked = mode & 2 ? 2 : 0};
        char settings[160];
        snprintf(settings, sizeof settings,
                 "dim=6 heads=3 layers=2 hidden=2 block=%s position=%s%s",
                 p.beside ? "neox" : "gpt2", p.masked ? "hard_alibi" : "none",
                 p.masked ? " masked=2" : "");
        ThModel *m = bound("gpt", settings, mode & 4 ? TH_TARGET_FINAL : TH_TARGET_EVERY, SYMBOLS);
        p.m = m;
        check(&p, settings);
        th_model_free(m);
    }
}

/* A model of a task whose answers are the symbols that follow. */
static ThModel *next_symbol_model(const char *head, ThError *err)
{
    char a[] = "a", b[] = "b", c[] = "c", *names[] = {a, b, c};
    ThSignature s = {.target = TH_TARGET_EVERY,
                     .next = true,
                     .n_symbols = SYMBOLS,
                     .n_classes = SYMBOLS,
                     .symbol = names,
                     .label = names};
    ThOptions o = {0};
    const ThModelKind *kind = th_model_kind("gpt");
    static const char *const pairs[][2] = {
        {"dim", "6"}, {"heads", "3"}, {"layers", "2"}, {"hidden", "2"}, {"position", "none"}};
    assert_true(th_options_init(&o, kind->options, err));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_true(th_options_set(&o, pairs[i][0], pairs[i][1], err));
    assert_true(th_options_set(&o, "head", head, err));
    ThModel *m = th_model_new(kind, &o, err);
    th_options_free(&o);
    assert_non_null(m);
    assert_true(th_model_bind(m, &s, 1, err));
    return m;
}

static void test_tied_head(void **state)
{
    (void)state;
    ThError err = {0};
    ThModel *m = next_symbol_model("tied", &err), *own = next_symbol_model("own", &err);
    assert_int_equal(th_params_find(&m->params, "head"), -1);
    assert_true(th_params_find(&own->params, "head") >= 0);
    scatter(m, 0.4);
    check(&(Plain){.m = m, .tied = true}, "head=tied");
    th_model_free(m);
    th_model_free(own);
    /* Classes that are no symbols cannot be read off the embeddings. */
    m = bound("gpt", "dim=6 heads=3", TH_TARGET_FINAL, SYMBOLS);
    ThModel *tied = th_model_new(m->kind, &m->options, &err);
    assert_true(th_options_set(&tied->options, "head", "tied", &err));
    assert_false(th_model_bind(tied, &m->signature, 1, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    assert_false(tied->bound);
    th_model_free(tied);
    th_model_free(m);
}

/* Numbers of Hou et al. 2024, appendix: width 1024, 12 layers. */
static void test_paper_size(void **state)
{
    (void)state;
    ThError err = {0};
    ThOptions o = {0};
    const ThModelKind *kind = th_model_kind("gpt");
    char names[28][2], *name[28];
    for (int i = 0; i < 28; i++) {
        names[i][0] = (char)('A' + i);
        names[i][1] = 0;
        name[i] = names[i];
    }
    ThSignature s = {.target = TH_TARGET_EVERY,
                     .next = true,
                     .n_symbols = 28,
                     .n_classes = 28,
                     .symbol = name,
                     .label = name};
    assert_true(th_options_init(&o, kind->options, &err));
    assert_true(th_options_set(&o, "size", "paper", &err));
    ThModel *m = th_model_new(kind, &o, &err);
    th_options_free(&o);
    assert_true(th_signature_copy(&m->signature, &s, &err));
    assert_true(kind->bind(m, &err));
    /* 12 (12 d² + 13 d), two embeddings, and the last norm. */
    assert_int_equal(m->params.total, 12 * (12 * 1024 * 1024 + 13 * 1024) + 2 * 28 * 1024 + 2048);
    th_model_free(m);
}

/* Dropout works while training only. */
static void check_dropout(const char *kind, const char *settings)
{
    ThError err = {0};
    ThModel *m = bound(kind, settings, TH_TARGET_EVERY, SYMBOLS);
    double z[3][LENGTH * SYMBOLS];
    ThBatch b = {.B = 1, .T = LENGTH, .token = word};
    ThRng r = th_rng(1, "dropout", 0);
    for (int i = 0; i < 3; i++) {
        ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, &err);
        th_tape_read(t, m->kind->forward(m, t, &b, &(ThModelForward){.rng = i == 2 ? &r : NULL}),
                     z[i]);
        th_tape_free(t);
    }
    assert_memory_equal(z[0], z[1], sizeof z[0]);
    assert_memory_not_equal(z[0], z[2], sizeof z[0]);
    th_model_free(m);
}

static void test_dropout(void **state)
{
    (void)state;
    check_dropout("gpt", "dim=6 heads=3 dropout=0.5 position=none");
    check_dropout("gpt", "dim=6 heads=3 attention_dropout=0.5");
    check_dropout("encoder", "dim=8 heads=2 attention_dropout=0.5");
    check_dropout("gated_universal", "dim=8 heads=2 attention_dropout=0.5");
    check_dropout("tlb", "dim=8 heads=2 attention_dropout=0.5 chunk=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_tied_head),
        cmocka_unit_test(test_paper_size),
        cmocka_unit_test(test_dropout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
