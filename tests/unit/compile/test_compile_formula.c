/* test_compile_formula.c - star-free and counting languages as models with hard attention: all
 * minimal machines of up to three states over two letters, and drawn ones, on all short words; what
 * the checker says of them, and of models of which a weight was changed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/classes.h"
#include "automata/logic/formula.h"
#include "automata/regex/regex.h"
#include "compile/compare_words.h"
#include "compile/compile_formula.h"
#include "given.h"
#include "lab/evaluate.h"
#include "proof/check/check.h"
#include "proof/check/hard.h"
#include "proof/check/program.h"
#include "sanitized.h"

static char letter[][2] = {"a", "b", "c"};
static char *letters[] = {letter[0], letter[1], letter[2]};

static ThTask *task_of(const ThDfa *d)
{
    ThAutomaton *a TH_OWNED(th_automaton_free) = th_automaton_from_dfa(d, letters, NULL);
    ThTask *t = th_task_new(th_task_kind("recognize"), NULL, &(ThTaskSource){.automaton = a}, NULL);
    assert_non_null(t);
    return t;
}

static bool is_right(const ThModel *m, const ThTask *t, ThProofHard *h)
{
    ThError err = {0};
    const ThProofAsked asked = {&t->signature, t->machine, NULL, 0, NULL};
    ThProofClaim *c TH_OWNED(th_proof_claim_free) = th_proof_claim_new(m, &asked, NULL, &err);
    assert_non_null(c);
    return th_proof_hard(m, c, 4000, NULL, h, &err) && h->right;
}

static bool agrees(const ThModel *m, const ThTask *t, int words)
{
    ThCompileTrial trial = {.words = words, .drawn = 3, .length = 60};
    return th_compile_try(m, t, &trial, NULL) && trial.right;
}

/* Whether there is a model, which is right; soft: of words of up to so many symbols. */
static bool try_one(const ThTask *t, bool counting, int soft)
{
    ThError err = {0};
    ThCompileFormulaSize size;
    ThProofHard h;
    ThCompileFormulaHow how = {.counting = counting, .soft = soft};
    ThModel *m TH_OWNED(th_model_free) = th_compile_formula(t, &how, &size, &err);
    if (!m)
        assert_int_equal(err.code, TH_EVALUE);
    if (m && !is_right(m, t, &h))
        fail_msg("%s", h.why);
    assert_true(!m || soft == 0 || (h.lengths[0] == soft && h.lengths[2] == soft && h.off < 0.02));
    assert_true(!m || agrees(m, t, 250));
    return m != NULL;
}

typedef struct {
    int machines, past, counts;
} Found;

static void try_machine(const ThDfa *d, Found *found)
{
    ThClassReport *r TH_OWNED(th_class_report_free) =
        th_class_report(d, letters, 20000, NULL, NULL);
    ThTask *t = task_of(d);
    bool past = try_one(t, false, 0), counts = try_one(t, true, 0);
    assert_int_equal(try_one(t, false, 60), past);
    assert_int_equal(past, r->verdict[TH_CLASS_STAR_FREE].is == TH_CLASS_YES);
    assert_int_equal(counts, r->verdict[TH_CLASS_CRASP].is == TH_CLASS_YES);
    found->machines++;
    found->past += past;
    found->counts += counts;
    th_task_free(t);
}

static void test_small(void **state)
{
    Found found = {0};
    (void)state;
    for (int n = 1; n <= 3; n++)
        for (long k = 0, tables = n == 1   ? 1
                                  : n == 2 ? 16
                                           : 729;
             k < tables << n; k += SANITIZED ? 11 : 1 + n / 3) {
            ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(n, 2, 2, NULL);
            long left = k >> n;
            for (int i = 0; i < 2 * n; i++, left /= n)
                d->next[i] = (int)(left % n);
            for (int q = 0; q < n; q++)
                d->label[q] = k >> q & 1;
            ThDfa *m TH_OWNED(th_dfa_free) = th_dfa_minimize(d, NULL, NULL);
            if (m->n_states == n &&
                memcmp(m->next, d->next, sizeof *m->next * (size_t)(2 * n)) == 0)
                try_machine(m, &found);
        }
    assert_true(SANITIZED || (found.machines == 540 && found.past == 93 && found.counts == 44));
}

static ThDfa *machine_of(const char *pattern)
{
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        th_regex_automaton(pattern, letters, 3, 0, NULL, NULL);
    ThDfa *any TH_OWNED(th_dfa_free) = th_automaton_dfa(a, 0, NULL, NULL);
    return th_dfa_minimize(any, NULL, NULL);
}

/* Several components, entered in several states, and two rounds of counting. */
static void test_known(void **state)
{
    static const char *const known[] = {"(ab|ba)*c(ac|ba)*.*", "(a(a(ab)*b)*b)*",
                                        "(ab)*c(ab)*",         "a*b*c*",
                                        "b*a(bab|c)*",         "a(bc)*|b(cb)*c"};
    Found found = {0};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThDfa *d TH_OWNED(th_dfa_free) = machine_of(known[i]);
        try_machine(d, &found);
    }
    assert_true(found.past == 6 && found.counts >= 5);
}

/* Of a model that was changed, what is proved is true. */
static void test_forged(void **state)
{
    static const char *const known[] = {"(ab)*", "(ab)*c*", "a*b*c*"};
    enum { ALL = SANITIZED ? 48 : 240 };
    int accepted = 0, refused = 0;
    (void)state;
    for (int turn = 0; turn < ALL; turn++) {
        ThRng r = th_rng(9, "forged", (uint64_t)turn);
        ThDfa *d TH_OWNED(th_dfa_free) = machine_of(known[turn % 3]);
        ThTask *t = task_of(d);
        ThCompileFormulaHow how = {.counting = turn / 3 % 3 == 1,
                                   .soft = turn / 3 % 3 == 2 ? 60 : 0};
        ThCompileFormulaSize size;
        ThProofHard h;
        ThModel *m = th_compile_formula(t, &how, &size, NULL);
        float *w = m->params.value;
        size_t i = 0;
        do
            i = (size_t)below(&r, (int)m->params.total);
        while (w[i] == 0 && below(&r, 20) > 0);
        static const float change[] = {0, -1, 0.5F, 2, 0.1F};
        w[i] = w[i] != 0 ? w[i] * change[below(&r, 5)] : change[1 + below(&r, 4)];
        bool right = is_right(m, t, &h) && (!how.soft || h.lengths[2] >= how.soft);
        if (right && !agrees(m, t, 1000))
            fail_msg("turn %d: what is false was proved", turn);
        accepted += right;
        refused += !right;
        th_model_free(m);
        th_task_free(t);
    }
    assert_true(accepted > ALL / 12 && refused > ALL / 3);
}

/* A model of "two a's or more" in which the sum of a's begins farther from zero, so that it is
 * "n or more": what is large as a sum may be small beside what it begins with. */
static void test_beginning(void **state)
{
    enum { MOST = 12 };
    ThTask *t[MOST + 1] = {NULL};
    ThText text TH_OWNED(th_text_free) = {0};
    (void)state;
    for (int n = 1; n <= MOST; n++) {
        th_text_add(&text, "(b|c)*a");
        ThText pattern TH_OWNED(th_text_free) = {0};
        th_text_printf(&pattern, "%s.*", text.data);
        ThDfa *d TH_OWNED(th_dfa_free) = machine_of(pattern.data);
        t[n] = task_of(d);
    }
    ThCompileFormulaHow how = {.counting = true};
    ThCompileFormulaSize size;
    ThProofHard h;
    ThModel *m TH_OWNED(th_model_free) = th_compile_formula(t[2], &how, &size, NULL);
    float *begins = NULL;
    for (size_t i = 0; i < m->params.total && !begins; i++)
        begins = m->params.value[i] == 1.5F ? m->params.value + i : NULL;
    assert_non_null(begins);
    for (int is = 2; is <= MOST; is++) {
        *begins = (float)is - 0.5F;
        for (int said = 2; said <= MOST; said++)
            if (is_right(m, t[said], &h) != (said == is))
                fail_msg("%d or more: said to be %d or more: %s", is, said, h.why);
    }
    for (int n = 1; n <= MOST; n++)
        th_task_free(t[n]);
}

/* ---- soft attention -------------------------------------------------------------------------- */

enum { N = 200 };

/* What a model says to a word of letters, after its last one. */
static int said(const ThModel *m, const char *word)
{
    int symbol[N], n = (int)strlen(word);
    float logit[2];
    void *state = m->kind->open(m, 1, NULL);
    assert_true(state && n <= N);
    for (int i = 0; i < n; i++)
        symbol[i] = word[i] - 'a';
    assert_true(m->kind->feed(state, symbol, n, logit, NULL));
    m->kind->close(state);
    return logit[1] > logit[0];
}

/* Keys that count `by` count `to` from now on. */
static void sharpen(ThModel *m, float by, float to)
{
    for (size_t i = 0; i < m->params.total; i++)
        if (m->params.value[i] == by || m->params.value[i] == -by)
            m->params.value[i] *= to / by;
}

/* Of a word with an a and then b's the a must count as much as all positions behind it: how much is
 * enough is proved, and one percent less is wrong. */
static void test_steep(void **state)
{
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of("ab*");
    ThTask *t = task_of(d);
    ThCompileFormulaSize size;
    ThProofHard h;
    char word[N + 1];
    float is = 4 * N, proved = 0, wrong = 0;
    ThCompileFormulaHow how = {.soft = N};
    ThModel *m TH_OWNED(th_model_free) = th_compile_formula(t, &how, &size, NULL);
    (void)state;
    for (float to = is; to > 0.98F * is; is = to, to -= 0.5F) {
        sharpen(m, is, to);
        bool right = true, is_proved = is_right(m, t, &h) && h.lengths[2] >= N;
        for (int n = N; n > 0; n -= N / 4) {
            memset(word, 'b', N);
            word[0] = 'a';
            word[n] = '\0';
            right = right && said(m, word) == 1;
        }
        proved = is_proved ? to : proved;
        wrong = right || wrong > 0 ? wrong : to;
        assert_true(right || !is_proved);
    }
    assert_true(wrong > 0 && wrong < proved && proved < wrong * 1.01F && proved < 0.999F * 4 * N);
    th_task_free(t);
}

/* The position before is told from the present one by its sign: by as much as is proved, and wrong
 * by half of it. */
static void test_before(void **state)
{
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of(".*ab");
    ThTask *t = task_of(d);
    ThCompileFormulaSize size;
    ThProofHard h;
    int found[2] = {0};
    (void)state;
    for (int turn = 0; turn < 10; turn++) {
        ThCompileFormulaHow how = {.soft = 60};
        ThModel *m TH_OWNED(th_model_free) = th_compile_formula(t, &how, &size, NULL);
        for (size_t i = 0; i < m->params.total; i++)
            if (m->params.value[i] == -4)
                m->params.value[i] += 0.25F * (float)turn;
        bool is_proved = is_right(m, t, &h) && h.lengths[2] >= 60, right = agrees(m, t, 250);
        assert_true(right || !is_proved);
        found[0] += is_proved;
        found[1] += right;
    }
    assert_true(found[0] == 6 && found[1] >= 8 && found[1] < 10);
    th_task_free(t);
}

/* A certificate is about a length, and no greater one; and about these weights. */
static void test_length(void **state)
{
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of("(a(ab)*b)*");
    ThTask *t = task_of(d);
    ThCompileFormulaSize size;
    ThCompileFormulaHow how = {.soft = N};
    ThModel *m TH_OWNED(th_model_free) = th_compile_formula(t, &how, &size, NULL);
    const ThProofAsked asked = {&t->signature, t->machine, NULL, 0, NULL};
    ThProofClaim *claim TH_OWNED(th_proof_claim_free) = th_proof_claim_new(m, &asked, NULL, NULL);
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        ThProofChecked k;
        double length = turn == 0 ? N : turn == 1 ? N + 1 : turn == 2 ? 0 : N;
        ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
            th_proof_certificate_by(TH_PROOF_BY_TABLE, m, claim, length, NULL);
        if (turn == 3)
            m->params.value[m->params.total / 2] += 0.25F;
        assert_true(th_proof_check(c, m, claim, NULL, &k, NULL));
        assert_int_equal(k.holds, turn == 0);
    }
    th_task_free(t);
}

/* ---- programs that count --------------------------------------------------------------------- */

static const char *const programs[] = {
    "below = #b > #a; empty | F (last & #a = #b & #below = 0)",
    "F (last & #a = #b & #(a & #b > 0) = 0)",
    "F (last & #(b & #c = 0) = #b & #(a & #(b | c) = 0) = #a & #a = #b & #b = #c)",
    "F (last & 2*#a - 3*#b + #c < 2 & !c)",
    "a & F (last & #a >= #b)",
    "F (c & #a > #b) & F (last & b)",
    "F (last & (a | #(b | #a > #c) > 2*#c))"};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Whether a model says what a formula does of all words of up to n letters, by its definition. */
static bool follows(const ThModel *m, const char *text, int n)
{
    ThAutomatonFormula f = {0};
    int word[12] = {0}, answer[12];
    bool same = true;
    assert_true(th_automaton_formula_letters(&f, letters, 3, NULL));
    assert_true(th_automaton_counting_read(&f, text, NULL));
    for (int length = 1; length <= n && same; length++)
        for (long k = 0, all = lround(pow(3, length)); k < all && same; k++) {
            bool is;
            long left = k;
            for (int i = 0; i < length; i++, left /= 3)
                word[i] = (int)(left % 3);
            assert_true(th_automaton_formula_judge(&f, word, length, &is, NULL, NULL));
            assert_true(th_lab_predict(m, word, length, answer, NULL));
            same = answer[0] == is;
        }
    th_automaton_formula_free(&f);
    return same;
}

static bool holds(const ThModel *m, const char *made, const char *said)
{
    ThProofChecked k;
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        th_proof_certificate_program(m, made, NULL);
    assert_true(th_proof_check_program(c, m, &m->signature, said, &k, NULL));
    return k.holds;
}

static ThTask *any_task(void)
{
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of("a");
    return task_of(d);
}

static void test_programs(void **state)
{
    ThTask *t = any_task();
    ThCompileFormulaSize size;
    ThError err = {0};
    (void)state;
    for (int i = 0; i < PROGRAMS; i++) {
        ThModel *m TH_OWNED(th_model_free) = th_compile_counting(programs[i], t, NULL, &size, &err);
        if (!m)
            fail_msg("%s: %s", programs[i], err.msg);
        for (int j = 0; j < PROGRAMS; j++)
            assert_int_equal(holds(m, programs[j], programs[j]), i == j);
        assert_false(holds(m, programs[(i + 1) % PROGRAMS], programs[i]));
        assert_true(follows(m, programs[i], SANITIZED ? 5 : 7));
        for (int p = th_params_find(&m->params, "head"); p < m->params.n; p++)
            for (int k = 0; k < m->params.item[p].rows * m->params.item[p].cols; k++)
                m->params.value[m->params.item[p].offset + (size_t)k] *= -1;
        assert_false(holds(m, programs[i], programs[i]));
    }
    assert_null(th_compile_counting("F (last & #(b & Y a) = 1)", t, NULL, &size, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_task_free(t);
}

/* Of a program that was changed, what is proved is true. */
static void test_forged_programs(void **state)
{
    enum { ALL = SANITIZED ? 70 : 350 };
    static const float change[] = {0, -1, 0.5F, 2, 3};
    int accepted = 0, refused = 0;
    ThTask *t = any_task();
    (void)state;
    for (int turn = 0; turn < ALL; turn++) {
        ThRng r = th_rng(11, "forged", (uint64_t)turn);
        const char *text = programs[turn % PROGRAMS];
        ThCompileFormulaSize size;
        ThModel *m TH_OWNED(th_model_free) = th_compile_counting(text, t, NULL, &size, NULL);
        float *w = m->params.value;
        size_t i = 0;
        do
            i = (size_t)below(&r, (int)m->params.total);
        while (w[i] == 0 && below(&r, 20) > 0);
        w[i] = w[i] != 0 ? w[i] * change[below(&r, 5)] : change[1 + below(&r, 4)];
        bool right = holds(m, text, text);
        if (right && !follows(m, text, 6))
            fail_msg("turn %d: what is false was proved", turn);
        accepted += right;
        refused += !right;
    }
    assert_true(accepted > ALL / 20 && refused > ALL / 3);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),          cmocka_unit_test(test_known),
        cmocka_unit_test(test_forged),         cmocka_unit_test(test_beginning),
        cmocka_unit_test(test_steep),          cmocka_unit_test(test_before),
        cmocka_unit_test(test_length),         cmocka_unit_test(test_programs),
        cmocka_unit_test(test_forged_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
