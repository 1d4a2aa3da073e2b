/* Batches: their shapes, and that a string's answer and gradient are the same in a ragged batch as
 * alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "learn/score.h"
#include "models/model.h"

static char name[3][2] = {"a", "b", "c"}, *names[] = {name[0], name[1], name[2]};

static ThSignature signature(ThTarget target)
{
    return (ThSignature){
        .target = target, .n_symbols = 3, .n_classes = 3, .symbol = names, .label = names};
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        ThTarget target;
        size_t answers;
        int outputs;
    } rows[] = {{TH_TARGET_FINAL, 1, 4}, {TH_TARGET_EVERY, 5, 20}, {TH_TARGET_BITS, 15, 20}};
    for (size_t i = 0; i < 3; i++) {
        ThSignature s = signature(rows[i].target);
        ThBatch b = {.B = 4, .T = 5};
        assert_true(th_batch_reserve(&b, &s, false, NULL));
        assert_null(b.length);
        assert_int_equal(th_batch_answers(&s, &b), rows[i].answers);
        assert_int_equal(th_batch_outputs(&s, &b), rows[i].outputs);
        assert_ptr_equal(th_batch_token(&b, 2), b.token + 10);
        assert_ptr_equal(th_batch_target(&s, &b, 3), b.target + 3 * rows[i].answers);
        ThBatch part = th_batch_slice(&b, &s, 1, 2);
        assert_int_equal(part.B, 2);
        assert_ptr_equal(part.token, b.token + 5);
        assert_ptr_equal(part.target, b.target + rows[i].answers);
        th_batch_free(&b);
    }
}

static void test_too_large(void **state)
{
    (void)state;
    ThSignature s = signature(TH_TARGET_FINAL);
    ThBatch b = {.B = 1 << 16, .T = 1 << 15};
    ThError err = {0};
    assert_false(th_batch_reserve(&b, &s, true, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_batch_free(&b);
}

/* Rows of 2, 4 and 1 symbols in 6 columns, numbered so that each cell is known. */
static void fill(ThBatch *b, const ThSignature *s)
{
    static const int length[] = {2, 4, 1};
    *b = (ThBatch){.B = 3, .T = 6};
    assert_true(th_batch_reserve(b, s, true, NULL));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(b->length[i], 6);
        b->length[i] = length[i];
        for (int k = 0; k < 6; k++) {
            th_batch_token(b, i)[k] = 10 * i + k;
            if (s->target != TH_TARGET_FINAL)
                th_batch_target(s, b, i)[k] = k == 0 ? -1 : 10 * i + k;
        }
        if (s->target == TH_TARGET_FINAL)
            *th_batch_target(s, b, i) = i;
    }
}

static void test_padding(void **state)
{
    (void)state;
    ThSignature s = signature(TH_TARGET_EVERY);
    ThBatch b;
    fill(&b, &s);
    th_batch_pad(&b, &s);
    th_batch_trim(&b, &s);
    assert_int_equal(b.T, 4);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            bool padding = k >= b.length[i];
            assert_int_equal(th_batch_token(&b, i)[k], padding ? 0 : 10 * i + k);
            assert_int_equal(th_batch_target(&s, &b, i)[k], padding || k == 0 ? -1 : 10 * i + k);
        }
    }
    assert_int_equal(th_score_answers(&s, &b), 1 + 3 + 0);
    assert_int_equal(prompt_of(&s, &b, 1), 2);
    assert_int_equal(prompt_of(&s, &b, 2), 1); /* nothing is asked: all of it is given */
    ThBatch whole = {.B = 5, .T = 7};
    assert_true(th_batch_reserve(&whole, &s, true, NULL));
    th_batch_put(&whole, &s, 2, &b);
    assert_int_equal(whole.length[3], 4);
    assert_int_equal(th_batch_token(&whole, 3)[3], 13);
    assert_int_equal(th_batch_target(&s, &whole, 4)[0], -1);
    th_batch_free(&whole);
    th_batch_free(&b);
}

/* Where all rows are of one length, no lengths are left. */
static void test_trim_to_rectangle(void **state)
{
    (void)state;
    ThSignature s = signature(TH_TARGET_FINAL);
    ThBatch b;
    fill(&b, &s);
    b.length[0] = b.length[1] = b.length[2] = 3;
    th_batch_trim(&b, &s);
    assert_null(b.length);
    assert_int_equal(b.T, 3);
    assert_int_equal(th_batch_token(&b, 2)[2], 22);
    assert_int_equal(*th_batch_target(&s, &b, 2), 2);
    assert_int_equal(prompt_of(&s, &b, 0), 3);
    th_batch_free(&b);
}

/* ---- models ---------------------------------------------------------------------------------- */

static ThModel *new_model(const char *kind, const char *settings, ThTarget target)
{
    ThOptions o = {0};
    const ThModelKind *k = th_model_kind(kind);
    char text[128], *rest = text;
    strcpy(text, settings);
    assert_true(th_options_init(&o, k->options, NULL));
    for (char *w; (w = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(w, '=');
        *equals = '\0';
        assert_true(th_options_set(&o, w, equals + 1, NULL));
    }
    ThModel *m = th_model_new(k, &o, NULL);
    th_options_free(&o);
    ThSignature s = signature(target);
    assert_true(th_model_bind(m, &s, 7, NULL));
    return m;
}

static void random_rows(ThBatch *b, const ThSignature *s, uint64_t seed)
{
    enum { ROWS = 6, MOST = 9 };
    static const int length[ROWS] = {3, 9, 1, 4, 9, 3};
    ThRng r = th_rng(seed, "test.batch", 0);
    *b = (ThBatch){.B = ROWS, .T = MOST};
    assert_true(th_batch_reserve(b, s, true, NULL));
    memcpy(b->length, length, sizeof length);
    for (int i = 0; i < ROWS * MOST; i++)
        b->token[i] = below(&r, 3);
    size_t n = ROWS * th_batch_answers(s, b);
    for (size_t i = 0; i < n; i++)
        b->target[i] = s->target == TH_TARGET_BITS ? below(&r, 2) : below(&r, 4) - 1;
    th_batch_pad(b, s);
}

/* Logits, loss and gradient of a batch in double precision. */
typedef struct {
    double loss, *z, *gradient;
} Run;

static Run run(const ThModel *m, const ThBatch *b, ThTapePrecision precision, bool share)
{
    ThTape *t = th_tape_new(precision, &m->params, NULL);
    ThError err = {0};
    Run r = {0};
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThVar z = th_model_forward(m, t, b, &(ThModelForward){.share = share});
    ThVar loss = th_loss_of_batch(t, z, &m->signature, b, 0.25);
    if (!th_tape_backward(t, loss, NULL, &err))
        fail_msg("%s", err.msg);
    size_t n = (size_t)th_tape_rows(t, z) * (size_t)th_tape_cols(t, z), total = m->params.total;
    r.z = calloc(n, sizeof *r.z);
    r.gradient = calloc(total, sizeof *r.gradient);
    th_tape_read(t, z, r.z);
    th_tape_read(t, loss, &r.loss);
    for (size_t i = 0; i < total; i++)
        r.gradient[i] = precision == TH_TAPE_DOUBLE ? th_tape_gradient_double(t)[i]
                                                    : (double)th_tape_gradient(t)[i];
    th_tape_free(t);
    return r;
}

static void free_run(Run *r)
{
    free(r->z);
    free(r->gradient);
}

/* A row of a batch as a batch. */
static ThBatch alone(const ThBatch *b, const ThSignature *s, int i)
{
    ThBatch one = th_batch_slice(b, s, i, 1);
    one.T = th_batch_length(b, i);
    one.length = NULL;
    return one;
}

static void check_ragged(const ThModel *m, ThTapePrecision precision, bool share)
{
    const ThSignature *s = &m->signature;
    double tolerance = precision == TH_TAPE_DOUBLE ? 1e-11 : 2e-5, loss = 0;
    ThBatch b;
    random_rows(&b, s, 3);
    Run all = run(m, &b, precision, share);
    double *sum = calloc(m->params.total, sizeof *sum);
    for (int i = 0; i < b.B; i++) {
        ThBatch one = alone(&b, s, i);
        Run r = run(m, &one, precision, share);
        size_t n = (size_t)th_batch_outputs(s, &one) * 3;
        const double *z =
            all.z + (s->target == TH_TARGET_FINAL ? (size_t)i : (size_t)(i * b.T)) * 3;
        for (size_t k = 0; k < n; k++)
            assert_true(fabs(z[k] - r.z[k]) <= tolerance * (1 + fabs(r.z[k])));
        for (size_t k = 0; k < m->params.total; k++)
            sum[k] += r.gradient[k];
        loss += r.loss;
        free_run(&r);
    }
    assert_true(fabs(loss - all.loss) <= tolerance * (1 + fabs(loss)));
    for (size_t k = 0; k < m->params.total; k++)
        assert_true(fabs(sum[k] - all.gradient[k]) <= tolerance * (1 + fabs(sum[k])));
    free(sum);
    free_run(&all);
    th_batch_free(&b);
}

static void test_ragged_models(void **state)
{
    (void)state;
    static const char *const models[][2] = {
        {"rnn", "dim=6"},
        {"lstm", "dim=6"},
        {"gru", "dim=6"},
        {"transformer", "dim=8 heads=2 layers=2"},
        {"transformer", "dim=8 heads=2 layers=2 causal=yes position=none"},
        {"regulargpt", "dim=8 heads=2 chunk=2"},
        {"regulargpt", "dim=8 heads=2 chunk=3 thickness=2 norm=pre form=dilated missing=mask"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        for (int target = TH_TARGET_FINAL; target <= TH_TARGET_BITS; target++) {
            ThModel *m = new_model(models[i][0], models[i][1], (ThTarget)target);
            for (int mode = 0; mode < 4; mode++)
                check_ragged(m, mode & 1 ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT, mode & 2);
            th_model_free(m);
        }
    }
}

/* What stands in padding changes nothing, and padding is not scored. */
static void test_padding_is_not_read(void **state)
{
    (void)state;
    ThModel *m = new_model("lstm", "dim=6", TH_TARGET_EVERY);
    ThBatch b;
    random_rows(&b, &m->signature, 5);
    Run before = run(m, &b, TH_TAPE_FLOAT, true);
    for (int i = 0; i < b.B; i++)
        for (int k = b.length[i]; k < b.T; k++)
            th_batch_token(&b, i)[k] = 2;
    Run after = run(m, &b, TH_TAPE_FLOAT, true);
    assert_true(before.loss == after.loss);
    assert_memory_equal(before.gradient, after.gradient, m->params.total * sizeof *before.gradient);
    free_run(&before);
    free_run(&after);
    th_batch_free(&b);
    th_model_free(m);
}

static void expect_failure(const ThModel *m, const ThBatch *b)
{
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &m->params, NULL);
    ThError err = {0};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    assert_int_equal(th_model_forward(m, t, b, &(ThModelForward){.share = true}), -1);
    assert_false(th_tape_ok(t, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_tape_free(t);
}

static void test_refused_batches(void **state)
{
    (void)state;
    ThModel *m = new_model("gru", "dim=4", TH_TARGET_EVERY);
    ThBatch b;
    random_rows(&b, &m->signature, 5);
    b.length[2] = 0;
    expect_failure(m, &b);
    b.length[2] = 10;
    expect_failure(m, &b);
    th_batch_free(&b);
    th_model_free(m);
}

/* ---- looking ahead --------------------------------------------------------------------------- */

/* Whether the outputs up to a position change with what stands behind it. */
static bool looks_ahead(const ThModel *m)
{
    int token[2][7] = {{0, 1, 2, 1, 0, 0, 1}, {0, 1, 2, 1, 2, 1, 2}}, target[7] = {0};
    Run r[2];
    for (int i = 0; i < 2; i++)
        r[i] = run(m, &(ThBatch){.B = 1, .T = 7, .token = token[i], .target = target},
                   TH_TAPE_DOUBLE, true);
    bool differ = memcmp(r[0].z, r[1].z, 4 * 3 * sizeof *r[0].z) != 0;
    free_run(&r[0]);
    free_run(&r[1]);
    return differ;
}

static void test_causal(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings;
        bool causal;
    } rows[] = {{"rnn", "dim=6", true},
                {"lstm", "dim=6", true},
                {"gru", "dim=6", true},
                {"regulargpt", "dim=8 heads=2", true},
                {"regulargpt", "dim=8 heads=2 chunk=3 thickness=2 missing=mask", true},
                {"transformer", "dim=8 heads=2 layers=2 causal=yes", true},
                {"transformer", "dim=8 heads=2 layers=2", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThModel *m = new_model(rows[i].kind, rows[i].settings, TH_TARGET_EVERY);
        assert_int_equal(th_model_causal(m), rows[i].causal);
        assert_int_equal(looks_ahead(m), !rows[i].causal);
        th_model_unbind(m);
        ThSignature s = signature(TH_TARGET_EVERY);
        ThError err = {0};
        s.next = true;
        assert_int_equal(th_model_bind(m, &s, 1, &err), rows[i].causal);
        assert_int_equal(err.code, rows[i].causal ? TH_OK : TH_EUSAGE);
        assert_int_equal(m->bound, rows[i].causal);
        th_model_free(m);
    }
}

/* ---- losses and scores ----------------------------------------------------------------------- */

static void test_signature_next(void **state)
{
    (void)state;
    ThSignature a = signature(TH_TARGET_EVERY), b = signature(TH_TARGET_EVERY), c = {0};
    ThError err = {0};
    b.next = true;
    assert_true(th_signature_match(&a, &a, NULL));
    assert_false(th_signature_match(&a, &b, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_true(th_signature_copy(&c, &b, NULL));
    assert_true(c.next);
    th_signature_free(&c);
}

/* Two strings of three columns, the second with two symbols; class 0 is always the answer. */
static void test_scores(void **state)
{
    (void)state;
    const float z[18] = {1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 9, 0, 0};
    int token[6] = {0}, target[6] = {0, 0, -1, -1, 0, -1}, length[] = {3, 2};
    ThSignature s = signature(TH_TARGET_EVERY);
    ThBatch b = {.B = 2, .T = 3, .token = token, .target = target, .length = length};
    ThParams none = {0};
    assert_true(th_params_add(&none, "x", 1, 1, TH_INIT_ZERO, 0, NULL) == 0);
    assert_true(th_params_allocate(&none, 1, NULL, NULL));
    ThTape *t = th_tape_new(TH_TAPE_FLOAT, &none, NULL);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar v = th_tape_constant(t, 6, 3, z);
    long long strings;
    assert_int_equal(th_score_answers(&s, &b), 3);
    assert_int_equal(th_score_right(t, v, &s, &b), 2);
    assert_int_equal(th_score_exact(t, v, &s, &b, &strings), 1);
    assert_int_equal(strings, 2);
    double loss, wrong = log(2 + exp(1)), right = wrong - 1;
    th_tape_read(t, th_loss_of_batch(t, v, &s, &b, 2), &loss);
    assert_true(fabs(loss - 2 * (2 * right + wrong)) < 1e-5);
    s.target = TH_TARGET_FINAL;
    ThVar rows = th_tape_constant(t, 2, 3, z);
    th_tape_read(t, th_loss_of_batch(t, rows, &s, &b, 3), &loss);
    assert_true(fabs(loss - 3 * (right + wrong)) < 1e-5);
    th_tape_free(t);
    th_params_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),          cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_padding),         cmocka_unit_test(test_trim_to_rectangle),
        cmocka_unit_test(test_ragged_models),   cmocka_unit_test(test_padding_is_not_read),
        cmocka_unit_test(test_refused_batches), cmocka_unit_test(test_causal),
        cmocka_unit_test(test_signature_next),  cmocka_unit_test(test_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
