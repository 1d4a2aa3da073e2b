/* What a model expects of words against sums over all words: the model is another distribution. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "given.h"
#include "lab/foretell.h"
#include "language/probability.h"

static const char truth[] = "q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
                            "r a 0.4 -> r; r b 0.35 -> q; accept r 0.25";
static const char guess[] = "s a 0.5 -> s; s b 0.25 -> s; accept s 0.25";

static ThLanguage *distributed(const char *text)
{
    ThError err = {0};
    ThLanguage *l = th_language_parse("distribution", text, &err);
    if (!l)
        fail_msg("%s", err.msg);
    return l;
}

static bool bind(ThModel *m, ThError *err)
{
    m->layout = th_alloc(1, 1, err);
    return m->layout && th_params_add(&m->params, "unused", 1, 1, TH_INIT_ZERO, 0, err) >= 0;
}

/* The logits are what the guess says, and something that makes no difference. */
static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    (void)how;
    int n = m->signature.n_classes, rows = b->B * b->T;
    float *z = th_tape_take(t, (size_t)rows * (size_t)n, sizeof *z);
    double *p = calloc((size_t)(b->T * n), sizeof *p);
    ThLanguage *l = distributed(guess);
    for (int i = 0; z && i < b->B; i++) {
        ThLanguageWord word = {b->token + i * b->T + 1, b->T - 1};
        assert_int_equal(b->token[i * b->T], n - 1);
        assert_true(th_distribution_next(l, word, p, NULL));
        for (int k = 0; k < b->T * n; k++)
            z[i * b->T * n + k] = (float)(log(p[k]) + i);
    }
    free(p);
    th_language_free(l);
    return th_tape_constant(t, rows, n, z);
}

static const ThModelKind guessing = {.name = "guessing",
                                     .summary = "",
                                     .source = "",
                                     .bind = bind,
                                     .forward = forward,
                                     .causal = true};

static ThTask *task_of(const char *text, ThError *err)
{
    ThLanguage *l = distributed(text);
    ThTask *t =
        th_task_new(th_task_kind("distribution"), NULL, &(ThTaskSource){.language = l}, err);
    th_language_free(l);
    return t;
}

/* The figures of a length, by all its words. */
static ThLabForetold by_words(const ThLanguage *p, const ThLanguage *q, int n)
{
    ThLabForetold x = {.length = n + 1};
    for (int w = 0; w < 1 << n; w++) {
        int word[16];
        double a, b;
        for (int k = 0; k < n; k++)
            word[k] = w >> k & 1;
        assert_true(th_distribution_log(p, (ThLanguageWord){word, n}, &a, NULL));
        assert_true(th_distribution_log(q, (ThLanguageWord){word, n}, &b, NULL));
        x.probability += exp(a);
        x.cross -= exp(a) * b / log(2);
        x.entropy -= exp(a) * a / log(2);
        x.variation += fmax(0, exp(a) - exp(b));
    }
    x.cross /= x.probability;
    x.entropy /= x.probability;
    return x;
}

static ThLabForetold told(const ThModel *m, const ThTask *t, int length, long long most)
{
    ThError err = {0};
    ThLabForetold x;
    ThTaskForetold which = {.length = length, .most = most};
    if (!th_lab_foretell(m, t, which, 1, &x, NULL, &err))
        fail_msg("%s", err.msg);
    return x;
}

static void near(double a, double b, double apart)
{
    if (!(fabs(a - b) <= apart))
        fail_msg("%.17g is not %.17g", a, b);
}

static void all_and_some(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = task_of(truth, &err);
    ThLanguage *p = distributed(truth), *q = distributed(guess);
    ThModel *m = th_model_new(&guessing, &(ThOptions){0}, &err);
    assert_true(t && m && th_model_bind(m, &t->signature, 1, &err));
    double divergence = 0, variation = 0;
    for (int n = 0; n <= 60; n++) {
        ThLabForetold x = told(m, t, n + 1, 1 << 9);
        assert_true(x.all == (n <= 9) && x.strings == (n <= 9 ? 1 << n : 1 << 9));
        divergence += x.probability * (x.cross - x.entropy);
        variation += x.variation;
        if (n > 11)
            continue;
        ThLabForetold y = by_words(p, q, n);
        near(x.probability, y.probability, 1e-9);
        near(x.entropy, y.entropy, 1e-6); /* is known where words are drawn, too */
        near(x.cross, y.cross, n <= 9 ? 1e-5 : 0.1);
        near(x.variation, y.variation, n <= 9 ? 1e-6 : 0.1 * y.variation);
    }
    near(divergence, .107965, .003);
    near(variation, .14076, .002);
    th_model_free(m);
    th_task_free(t);
    th_language_free(p);
    th_language_free(q);
}

/* After b only a may come, which the guess does not expect most; an even number of words is read as
 * it is drawn. */
static void what_is_possible(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = task_of("alphabet a b; q b 1 -> r; r b 0.5 -> q; accept r 0.5", &err);
    ThModel *m = th_model_new(&guessing, &(ThOptions){0}, &err);
    assert_true(t && m && th_model_bind(m, &t->signature, 1, &err));
    ThLabForetold x = told(m, t, 4, 100);
    assert_int_equal(x.strings, 1); /* bbb */
    near(x.accuracy, 0, 0);
    near(x.entropy, 2, 1e-9);
    near(x.cross, 8, 1e-5);
    assert_int_equal(th_task_length(t, 3), 2);
    th_model_free(m);
    th_task_free(t);
    assert_null(task_of("q . 0.5 -> q; accept q 0.5", &err));
    assert_string_equal(err.msg, "the symbol . stands for the end of a word");
}

/* Training reads words by their probability among those of its lengths. */
static void studied(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = task_of(truth, &err);
    ThBatch b = {.B = 20000};
    ThRng r = th_rng(1, "studied", 0);
    ThRange lengths = {2, 4, 1};
    double of[4] = {0}, first = 0;
    assert_true(t && t->kind->study(t, &r, &lengths, &b, &err));
    assert_int_equal(b.T, 4);
    for (int i = 0; i < b.B; i++) {
        const int *row = th_batch_token(&b, i), *target = th_batch_target(&t->signature, &b, i);
        int n = 0;
        while (target[n] != 2)
            n++;
        of[n]++;
        first += target[0] == 0;
        assert_int_equal(row[0], 2);
        for (int k = 0; k < b.T; k++)
            assert_int_equal(target[k], k < n ? row[k + 1] : k == n ? 2 : -1);
    }
    double all = .175 + .1385 + .108025;
    near(of[1] / b.B, .175 / all, .015);
    near(of[2] / b.B, .1385 / all, .015);
    near(of[3] / b.B, .108025 / all, .015);
    near(first / b.B, (.1 + .0885 + .06705) / all, .03);
    lengths = (ThRange){2000, 3000, 1};
    assert_false(t->kind->study(t, &r, &lengths, &b, &err));
    th_batch_free(&b);
    th_task_free(t);
}

/* Says that every class is as likely as any other. */
static ThVar say_nothing(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    (void)how;
    size_t size = (size_t)(b->B * b->T) * (size_t)m->signature.n_classes;
    float *z = th_tape_take(t, size, sizeof *z);
    return th_tape_constant(t, b->B * b->T, m->signature.n_classes, z);
}

static const ThModelKind nothing = {.name = "nothing",
                                    .summary = "",
                                    .source = "",
                                    .bind = bind,
                                    .forward = say_nothing,
                                    .causal = true};

/* RegBench's strings: .816 bits a symbol, found by another program from 400 of them; of 19 classes
 * a uniform guess is 1 - k / 19 away from one of k moves. */
static void in_context(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = th_task_new(th_task_kind("in_context"), NULL, NULL, &err);
    ThModel *m = th_model_new(&nothing, &(ThOptions){0}, &err);
    assert_true(t && m && th_model_bind(m, &t->signature, 1, &err));
    ThLabForetold x = told(m, t, 300, 2000);
    assert_true(isnan(x.probability) && !x.all);
    near(x.entropy, .816, .03);
    near(x.cross, log2(19), 1e-5);
    assert_true(x.variation > 16. / 19 && x.variation < 18. / 19 && x.accuracy < .25);
    th_model_free(m);
    /* One state's moves are as likely as each other; a bar is never asked for, and leads back. */
    enum { T = 100, K = 19 };
    ThBatch b = {.B = 20, .T = T};
    double p[20 * T * K];
    ThRng r = th_rng(2, "in context", 0);
    ThTaskForetold which = {.length = T, .most = 20};
    assert_true(th_batch_reserve(&b, &t->signature, false, NULL));
    assert_true(t->kind->foretell(t, &r, &which, &b, p, NULL));
    for (int i = 0; i < b.B; i++) {
        const int *row = th_batch_token(&b, i), *target = th_batch_target(&t->signature, &b, i);
        double *first = p + i * T * K;
        for (int k = 0; k < T; k++) {
            double *at = first + k * K, sum = 0;
            int moves = 0;
            for (int c = 0; c < K; c++) {
                sum += at[c];
                moves += at[c] > 0;
            }
            assert_int_equal(target[k] < 0, k + 1 < T ? row[k + 1] == K - 1 : target[k] < 0);
            assert_true(target[k] < 0 || (moves >= 1 && moves <= 3 && at[target[k]] == 1. / moves));
            assert_true(target[k] < 0 || fabs(sum - 1) < 1e-12);
            if (row[k] == K - 1)
                assert_memory_equal(at, first, K * sizeof *at);
        }
    }
    th_batch_free(&b);
    th_task_free(t);
}

/* Training has as many strings as automata; tests have others. */
static void in_context_sets(void **state)
{
    (void)state;
    ThError err = {0};
    ThOptions o = {0};
    const ThTaskKind *kind = th_task_kind("in_context");
    set_all(&o, kind->options, "automata=3");
    ThTask *t = th_task_new(kind, &o, NULL, &err);
    ThBatch b = {.B = 100, .T = 30}, other = {.B = 100, .T = 30};
    ThRng r = th_rng(1, "in context", 0);
    int different = 0, known = 0;
    assert_true(kind->study(t, &r, &(ThRange){30, 30, 1}, &b, &err));
    assert_true(th_task_sample(t, &r, 30, &other, &err));
    for (int i = 0; i < 100; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || !memcmp(b.token + 30 * i, b.token + 30 * k, 30 * sizeof *b.token);
        different += !again;
        for (int k = 0; k < 100; k++)
            known += !memcmp(other.token + 30 * i, b.token + 30 * k, 30 * sizeof *b.token);
    }
    assert_int_equal(different, 3);
    assert_int_equal(known, 0);
    th_batch_free(&b);
    th_batch_free(&other);
    th_task_free(t);
    th_options_free(&o);
    set_all(&o, kind->options, "letters=3 symbols=2..4");
    assert_null(th_task_new(kind, &o, NULL, &err));
    assert_string_equal(err.msg, "there are 3 letters");
    th_options_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_and_some),    cmocka_unit_test(what_is_possible),
        cmocka_unit_test(studied),         cmocka_unit_test(in_context),
        cmocka_unit_test(in_context_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
