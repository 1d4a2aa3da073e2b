/* test_proof_bare.c - bare models that were made to be taken for right: sums of scores that a float
 * rounds, and sums of counts that a double rounds.  What they say, or what their sums are by hand,
 * is not what is claimed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "compile/weights.h"
#include "models/ablation.h"
#include "proof/check/hard.h"
#include "proof/check/program.h"

static char letter[][2] = {"a", "b"};
static char *letters[] = {letter[0], letter[1]};

static ThTask *task_of(ThDfa *d)
{
    ThAutomaton *a TH_OWNED(th_automaton_free) = th_automaton_from_dfa(d, letters, NULL);
    ThTask *t = th_task_new(th_task_kind("recognize"), NULL, &(ThTaskSource){.automaton = a}, NULL);
    assert_non_null(t);
    return t;
}

static ThTask *all_words(void)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(1, 2, 2, NULL);
    d->label[0] = 1;
    return task_of(d);
}

static ThTask *words_to_b(void)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(2, 2, 2, NULL);
    d->next[1] = d->next[3] = d->label[1] = 1;
    return task_of(d);
}

/* A model all of whose weights are zero. */
static ThModel *blank(const ThTask *t, const char *const *option, int n)
{
    ThOptions o TH_OWNED(th_options_free) = {0};
    assert_true(th_options_init(&o, th_model_kind("bare")->options, NULL));
    assert_true(th_options_set(&o, "causal", "yes", NULL));
    for (int i = 0; i < n; i += 2)
        assert_true(th_options_set(&o, option[i], option[i + 1], NULL));
    ThModel *m = th_compile_blank("bare", &o, &t->signature, NULL, NULL);
    assert_non_null(m);
    return m;
}

static void put(ThModel *m, const char *name, int row, int column, float x)
{
    int p = th_params_find(&m->params, name);
    assert_true(p >= 0);
    th_params_at(&m->params, p)[row * m->params.item[p].cols + column] = x;
}

/* ---- scores ---------------------------------------------------------------------------------- */

enum { DIM = 256, BEGINS = 0, SEEN, OUT, IS_FIRST, PLACE, IS_LETTER };

/* The beginning is seen, whose score is more by 42 1/4 / 16; the letter's value is 15/4 of what it
 * should be, so that the head sees 0.24963 of nothing, of which units make nothing.  A score is a
 * large number, and DIM - 3 times `small`, which a float leaves out: then it is more than 1/4. */
static ThModel *scores_of(const ThTask *t, float small)
{
    static const char *const options[] = {"dim",       "256",    "heads",    "1",       "layers",
                                          "1",         "hidden", "2",        "longest", "2",
                                          "attention", "soft",   "position", "learned"};
    ThModel *m = blank(t, options, sizeof options / sizeof *options);
    const float score = 42.25F, all = 8;
    put(m, "embedding", 2, BEGINS, 1);
    for (int i = 0; i < 2; i++) {
        put(m, "embedding", i, IS_LETTER, 1);
        put(m, "position", i, PLACE, 1);
    }
    put(m, "position", 0, IS_FIRST, 1);
    put(m, "layer0.attention.key_value", PLACE, 0, 0x1p17F);
    put(m, "layer0.attention.query_bias", 0, 0, 3.5F);
    for (int c = 1; c < DIM - 2; c++) {
        put(m, "layer0.attention.key_value", IS_FIRST, c, 1);
        put(m, "layer0.attention.query_bias", 0, c, small);
    }
    put(m, "layer0.attention.key_value", IS_FIRST, DIM - 2, 1);
    put(m, "layer0.attention.query_bias", 0, DIM - 2, all - (DIM - 3) * small);
    put(m, "layer0.attention.key_value", BEGINS, DIM - 1, 1);
    put(m, "layer0.attention.query_bias", 0, DIM - 1, score - all);
    put(m, "layer0.attention.key_value", IS_LETTER, DIM, 3.75F);
    put(m, "layer0.attention.output", 0, SEEN, 1);
    for (int u = 0; u < 2; u++) {
        put(m, "layer0.feed_forward.up", SEEN, u, 2);
        put(m, "layer0.feed_forward.up_bias", 0, u, -0.5F - (float)u);
        put(m, "layer0.feed_forward.down", u, OUT, u ? -1 : 1);
    }
    put(m, "head", OUT, 0, 0x1p17F);
    put(m, "head_bias", 0, 1, 0.25F);
    return m;
}

static int said(const ThModel *m, const int *word, int n)
{
    float logit[2];
    void *state = m->kind->open(m, 1, NULL);
    for (int i = 0; i < n; i++)
        assert_true(state && m->kind->feed(state, word + i, 1, logit, NULL));
    m->kind->close(state);
    return logit[1] > logit[0];
}

static double length_of(const ThModel *m, const ThTask *t)
{
    ThProofHard h;
    const ThProofAsked asked = {&t->signature, t->machine, NULL, 0, NULL};
    ThProofClaim *c TH_OWNED(th_proof_claim_free) = th_proof_claim_new(m, &asked, NULL, NULL);
    assert_true(c && th_proof_hard(m, c, 100, NULL, &h, NULL));
    return h.right ? h.lengths[2] : -1;
}

static void test_scores(void **state)
{
    static const float small[] = {0, 0x1p-6F * (1 - 0x1p-10F)};
    ThTask *t = all_words();
    (void)state;
    for (int rounds = 0; rounds < 2; rounds++) {
        ThModel *m TH_OWNED(th_model_free) = scores_of(t, small[rounds]);
        int right = said(m, (int[]){0}, 1);
        assert_true(rounds || right);
        assert_true(length_of(m, t) == (rounds ? -1 : 1));
    }
    th_task_free(t);
}

/* ---- ties ------------------------------------------------------------------------------------ */

/* Of classes that are equal a run says the first: where that is right nothing is wrong, but no
 * answer is ahead. */
static void test_ties(void **state)
{
    static const char *const options[] = {"dim",       "2",         "heads",    "1",
                                          "layers",    "1",         "hidden",   "1",
                                          "attention", "rightmost", "position", "none"};
    (void)state;
    for (int all = 0; all < 2; all++) {
        ThTask *t = all ? all_words() : words_to_b();
        ThModel *m TH_OWNED(th_model_free) = blank(t, options, sizeof options / sizeof *options);
        const ThProofAsked asked = {&t->signature, t->machine, NULL, 0, NULL};
        ThProofClaim *c TH_OWNED(th_proof_claim_free) = th_proof_claim_new(m, &asked, NULL, NULL);
        ThProofHard h;
        assert_int_equal(said(m, (int[]){0}, 1), 0);
        assert_true(c && th_proof_hard(m, c, 100, NULL, &h, NULL));
        assert_false(h.right);
        assert_int_equal(h.wrong, all);
        assert_string_equal(h.why, all ? "the answer to a is not accept"
                                       : "the answer to a is perhaps not reject");
        th_task_free(t);
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Every letter's score is 22/16 more than that of the one before, or 1 more, so that others pull at
 * the last one's value.  Of many, b is 1 and a is 0: behind bbbb it is seen to 0.24975, and to
 * 0.252 behind five.  Or letters are 0 and the beginning is 1, of which the first sees 0.27. */
static ThModel *keys_of(const ThTask *t, bool begins)
{
    static const char *const options[] = {"dim",       "16",     "heads",    "1",       "layers",
                                          "1",         "hidden", "2",        "longest", "9",
                                          "attention", "soft",   "position", "learned"};
    ThModel *m = blank(t, options, sizeof options / sizeof *options);
    put(m, "embedding", 2, BEGINS, 1);
    put(m, "embedding", 1, IS_LETTER, 1);
    for (int i = 0; i < 9; i++)
        put(m, "position", i, PLACE, (float)i);
    put(m, "layer0.attention.key_value", PLACE, 0, 1);
    put(m, "layer0.attention.query_bias", 0, 0, begins ? 4 : 5.5F);
    put(m, "layer0.attention.key_value", BEGINS, 1, 1);
    put(m, "layer0.attention.query_bias", 0, 1, begins ? 0 : -256);
    put(m, "layer0.attention.key_value", begins ? BEGINS : IS_LETTER, 16, 1);
    put(m, "layer0.attention.output", 0, SEEN, 1);
    for (int u = 0; u < 2; u++) {
        put(m, "layer0.feed_forward.up", SEEN, u, 2);
        put(m, "layer0.feed_forward.up_bias", 0, u, -0.5F - (float)u);
        put(m, "layer0.feed_forward.down", u, OUT, u ? -1 : 1);
    }
    put(m, "head", OUT, !begins, 0x1p17F);
    put(m, "head_bias", 0, begins, 0.25F);
    return m;
}

static void test_keys(void **state)
{
    (void)state;
    for (int begins = 0; begins < 2; begins++) {
        ThTask *t = begins ? all_words() : words_to_b();
        ThModel *m TH_OWNED(th_model_free) = keys_of(t, begins);
        if (begins) {
            assert_int_equal(said(m, (int[]){0}, 1), 0);
        } else {
            assert_int_equal(said(m, (int[]){1, 1, 1, 0}, 4), 0);
            assert_int_equal(said(m, (int[]){1, 1, 1, 1, 0}, 5), 1);
        }
        assert_true(length_of(m, t) == (begins ? 0 : 4));
        th_task_free(t);
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Of heads of 32 numbers the sign is taken of 1/2 + large + 2 #a - large - #a, which never is less
 * than 0; in doubles 2 #a are lost where large is 2^54 times #a. */
static ThModel *sums_of(const ThTask *t, bool large)
{
    enum { D = 64, LARGE = 1, ONE, MINUS, LESS, MORE, SAYS };
    static const char *const options[] = {"dim",       "64",      "heads",    "2",
                                          "layers",    "2",       "hidden",   "2",
                                          "attention", "average", "position", "none"};
    ThModel *m = blank(t, options, sizeof options / sizeof *options);
    const char *values = "layer0.attention.key_value", *output = "layer0.attention.output",
               *keys = "layer1.attention.key_value", *query = "layer1.attention.query";
    const float most = large ? 0x1p18F : 1, by = large ? 128 : 1;
    put(m, "embedding", 2, BEGINS, 1);
    put(m, "embedding", 0, 10, 1);
    for (int i = 0; i < 16; i++) {
        put(m, values, 10, D + i, most);
        put(m, output, i, LARGE, by);
        put(m, output, i, MINUS, -by);
    }
    put(m, values, 10, D + 16, 1);
    put(m, output, 16, ONE, 2);
    put(m, output, 16, LESS, -1);
    put(m, values, BEGINS, D + 17, 0.5F);
    put(m, output, 17, MORE, 1);
    for (int i = 0; i < 3; i++) { /* one after the other */
        put(m, keys, BEGINS, i, i == 1 ? 1 : most);
        put(m, query, LARGE + i, i, i == 1 ? 1 : by);
    }
    put(m, keys, BEGINS, 3, 1);
    put(m, query, LESS, 3, 1);
    put(m, query, MORE, 3, 1);
    put(m, keys, BEGINS, D, 1);
    put(m, "layer1.attention.output", 0, SAYS, 1);
    put(m, "head", SAYS, 1, 2);
    put(m, "head_bias", 0, 1, -1);
    return m;
}

static bool holds(const ThModel *m, const char *formula)
{
    ThProofChecked k;
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        th_proof_certificate_program(m, formula, NULL);
    assert_true(th_proof_check_program(c, m, &m->signature, formula, &k, NULL));
    return k.holds;
}

static void test_sums(void **state)
{
    ThTask *t = all_words();
    (void)state;
    for (int large = 0; large < 2; large++) {
        ThModel *m TH_OWNED(th_model_free) = sums_of(t, large);
        assert_false(holds(m, "F (last & #a <= 0)"));
        assert_int_equal(holds(m, "F (last & 0 <= #a)"), !large);
    }
    th_task_free(t);
}

/* ---- what is not in the weights, or no number ------------------------------------------------ */

static int refused(const ThModel *m, const char *formula)
{
    ThProofChecked k;
    ThError err = {0};
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        th_proof_certificate_program(m, formula, NULL);
    bool ok = th_proof_check_program(c, m, &m->signature, formula, &k, &err);
    return ok ? TH_OK : err.code;
}

/* Of a model with a silent part weights do not say what it does; nothing times infinity is no
 * number in a run, also where a proof has no use for it. */
static void test_whole(void **state)
{
    static const char formula[] = "F (last & 0 <= #a)";
    ThTask *t = all_words();
    (void)state;
    for (int i = 0; i < 3; i++) {
        ThModel *m TH_OWNED(th_model_free) = sums_of(t, false);
        ThModelAblation silent = {.part = TH_MODEL_LEVEL};
        if (i == 1)
            assert_true(th_model_ablation_fit(m, &silent, NULL) &&
                        th_model_ablate(m, &silent, NULL));
        if (i == 2)
            put(m, "layer0.feed_forward.up", 40, 0, -INFINITY);
        assert_int_equal(refused(m, formula), i == 0 ? TH_OK : i == 1 ? TH_EVALUE : TH_ENUMERIC);
    }
    th_task_free(t);
}

/* ---- lengths that are said ------------------------------------------------------------------- */

/* What is written of a length is no more than it, and not much less. */
static void test_said(void **state)
{
    (void)state;
    ThRng r = th_rng(5, "lengths", 0);
    char text[32];
    for (int i = 0; i < 20000; i++) {
        double length = exp(th_rng_uniform(&r) * 680), said;
        snprintf(text, sizeof text, "%.15g", th_proof_sure_length(length));
        said = strtod(text, NULL);
        if (!(said <= length && said >= 0.99 * floor(length)))
            fail_msg("%.17g is written as %s", length, text);
        assert_true(length >= 1e15 || said == floor(length));
        snprintf(text, sizeof text, "%.6g", th_proof_sure_result(length));
        said = strtod(text, NULL);
        if (!(said <= length && said >= 0.99 * floor(length)))
            fail_msg("%.17g is a result of %s", length, text);
        assert_true(length >= 1e6 || said == floor(length));
    }
    assert_true(isinf(th_proof_sure_result(HUGE_VAL)));
    assert_true(th_proof_sure_result(0x1p20) == 1048570);
    assert_true(isinf(th_proof_sure_length(HUGE_VAL)));
    assert_true(th_proof_sure_length(0x1p34) == 0x1p34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_said),   cmocka_unit_test(test_whole),
                                       cmocka_unit_test(test_scores), cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_sums),   cmocka_unit_test(test_ties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
