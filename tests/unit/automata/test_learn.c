/* Learning: what asking finds is the minimal machine, what merging finds agrees with its words, and
 * errors in labels are told or tolerated. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/automaton.h"
#include "automata/expression/expression.h"
#include "automata/infer/labelled.h"
#include "automata/infer/lstar.h"
#include "automata/infer/pac.h"
#include "automata/infer/rpni.h"
#include "base/hash.h"
#include "base/rng.h"

/* ---- oracles ---- */

typedef struct {
    const ThDfa *d;
    long long asked;
    double flip;
} Teacher;

static bool member(void *context, const int *word, int length, int *label, ThError *err)
{
    (void)err;
    Teacher *t = context;
    t->asked++;
    *label = th_dfa_class(t->d, word, (size_t)length);
    uint64_t h = length ? th_hash_mix(th_hash_bytes(word, sizeof *word * (size_t)length)) : ~0ull;
    if ((double)(h >> 11) * 0x1p-53 < t->flip)
        *label = !*label;
    return true;
}

static bool equivalent(void *context, const ThDfa *guess, int **word, int *length, ThError *err)
{
    Teacher *t = context;
    *word = th_dfa_distinguish(t->d, guess, length, NULL, err);
    return true;
}

/* Counterexamples as bad as they come: long, by a random walk, before the shortest one. */
static bool equivalent_long(void *context, const ThDfa *guess, int **word, int *length,
                            ThError *err)
{
    enum { LONG = 200 };
    Teacher *t = context;
    ThRng r = th_rng(7, "long", (uint64_t)t->asked);
    for (int turn = 0; turn < 50; turn++) {
        int *w = calloc(LONG, sizeof *w);
        for (int i = 0; w && i < LONG; i++)
            w[i] = (int)th_rng_below(&r, (uint64_t)t->d->n_symbols);
        if (w && th_dfa_class(t->d, w, LONG) != th_dfa_class(guess, w, LONG)) {
            *word = w;
            *length = LONG;
            return true;
        }
        free(w);
    }
    return equivalent(context, guess, word, length, err);
}

static ThDfa *random_dfa(ThRng *r, int n, int k, int classes)
{
    ThDfa *d = th_dfa_new(n, k, classes, NULL);
    for (int q = 0; q < n; q++)
        d->label[q] = (int)th_rng_below(r, (uint64_t)classes);
    for (int i = 0; i < n * k; i++)
        d->next[i] = (int)th_rng_below(r, (uint64_t)n);
    return d;
}

static void assert_same(const ThDfa *a, const ThDfa *b)
{
    int length = 0, *word = th_dfa_distinguish(a, b, &length, NULL, NULL);
    free(word);
    assert_int_equal(length, -1);
}

/* ---- asking ---- */

/* At most as many guesses as states, and questions within the published bound. */
static void check_learner(const ThDfa *d, ThLstarEquivalent *how)
{
    Teacher t = {.d = d};
    ThLstarOracle o = {d->n_symbols, d->n_classes, &t, member, NULL, how, NULL};
    ThLstarLimits limits = {0};
    ThLstarReport report;
    ThError err = {0};
    ThDfa *least = th_dfa_minimize(d, NULL, NULL),
          *found = th_lstar(&o, &limits, &report, NULL, &err);
    assert_non_null(found);
    assert_same(found, d);
    assert_int_equal(found->n_states, least->n_states);
    assert_true(report.guesses <= least->n_states);
    assert_int_equal(report.asked, t.asked);
    double n = least->n_states, k = d->n_symbols;
    double bound = (n * k + 1) * report.suffixes + n * (2 + log2(report.longest + 1.0));
    assert_true((double)report.asked <= bound);
    assert_true(report.suffixes <= least->n_states);
    th_dfa_free(found);
    th_dfa_free(least);
}

static void test_random_machines(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "learn", 0);
    for (int i = 0; i < 300; i++) {
        int n = 1 + (int)th_rng_below(&r, 30), k = 1 + (int)th_rng_below(&r, 4);
        ThDfa *d = random_dfa(&r, n, k, 2 + i % 3);
        check_learner(d, equivalent);
        check_learner(d, equivalent_long);
        th_dfa_free(d);
    }
}

static ThDfa *machine(const char *expression)
{
    ThError err = {0};
    ThAutomaton *a = th_automaton_expression(expression, &(ThAutomatonScope){0}, NULL, &err);
    assert_non_null(a);
    ThDfa *d = th_automaton_acceptor(a, 0, NULL, &err);
    th_automaton_free(a);
    return d;
}

static void test_limits(void **state)
{
    (void)state;
    ThDfa *d = machine("dyck(1, 8)");
    Teacher t = {.d = d};
    ThLstarOracle o = {d->n_symbols, 2, &t, member, NULL, equivalent, NULL};
    ThLstarReport report;
    ThError err = {0};
    assert_null(th_lstar(&o, &(ThLstarLimits){.states = 5}, &report, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    err = (ThError){0};
    assert_null(th_lstar(&o, &(ThLstarLimits){.queries = 20}, &report, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    err = (ThError){0};
    ThDfa *g = th_lstar(&o, &(ThLstarLimits){.states = 5, .keep_guess = true}, &report, NULL, &err);
    assert_non_null(g);
    assert_true(report.limited && g->n_states <= 5 && err.code == TH_OK);
    th_dfa_free(g);
    volatile sig_atomic_t stop = 1;
    assert_null(th_lstar(&o, &(ThLstarLimits){0}, &report, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    th_dfa_free(d);
}

/* A wrong guess is refuted by a word on which it is wrong; the right one passes. */
static void test_sampling(void **state)
{
    (void)state;
    ThRng r = th_rng(3, "sampled", 0);
    int bad = 0;
    for (int i = 0; i < 100; i++) {
        ThDfa *d = random_dfa(&r, 12, 2, 2);
        Teacher t = {.d = d};
        ThPac s = {.n_symbols = 2,
                   .context = &t,
                   .member = member,
                   .hi = 20,
                   .error = 0.02,
                   .confidence = 0.95,
                   .rng = th_rng((uint64_t)i, "words", 0)};
        ThError err = {0};
        ThDfa *guess = th_dfa_new(1, 2, 2, &err);
        long long wrong = 0;
        int *word = NULL, length = 0;
        assert_true(th_pac_equivalent(&s, guess, &word, &length, &err));
        ThDfa *least = th_dfa_minimize(d, NULL, NULL);
        assert_true(word != NULL || least->n_states == 1);
        if (word)
            assert_int_not_equal(th_dfa_class(d, word, (size_t)length), 0);
        free(word);
        word = NULL;
        assert_true(th_pac_equivalent(&s, d, &word, &length, &err));
        assert_null(word);
        assert_true(th_pac_disagreement(&s, d, 500, &wrong, &err));
        bad += wrong > 0;
        th_dfa_free(least);
        th_dfa_free(guess);
        th_dfa_free(d);
    }
    assert_int_equal(bad, 0);
}

/* The i-th guess is put to ⌈(ln(1/δ) + i ln 2)/ε⌉ words (Angluin 1987, section 3), so that the
 * risks of all guesses together stay below δ. */
static void test_sample_sizes(void **state)
{
    (void)state;
    ThDfa *d = machine("tomita(5)");
    Teacher t = {.d = d};
    ThPac s = {.n_symbols = 2,
               .context = &t,
               .member = member,
               .lo = 3,
               .hi = 20,
               .error = 0.01,
               .confidence = 0.95,
               .rng = th_rng(1, "sizes", 0)};
    ThError err = {0};
    for (int i = 1; i <= 5; i++) {
        long long before = s.drawn;
        int *word = NULL, length = 0;
        assert_true(th_pac_equivalent(&s, d, &word, &length, &err));
        assert_null(word);
        assert_int_equal(s.round, i);
        assert_int_equal(s.drawn - before, (long long)ceil((log(20) + i * log(2)) / 0.01));
    }
    th_dfa_free(d);
}

/* Of all words on which a guess is wrong the shortest is the counterexample; how many are wrong is
 * counted on words drawn afterwards. */
typedef struct {
    int shortest;
    long long asked, wrong;
} Witness;

/* An odd number of 1s, which a guess that rejects all gets wrong. */
static bool odd_member(void *context, const int *word, int length, int *label, ThError *err)
{
    (void)err;
    Witness *w = context;
    int ones = 0;
    for (int i = 0; i < length; i++)
        ones += word[i];
    *label = ones % 2;
    w->asked++;
    w->wrong += *label;
    if (*label && length < w->shortest)
        w->shortest = length;
    return true;
}

static void test_witnesses(void **state)
{
    (void)state;
    ThDfa *none = th_dfa_new(1, 2, 2, NULL);
    for (uint64_t i = 0; i < 20; i++) {
        Witness w = {.shortest = 100};
        ThPac s = {.n_symbols = 2,
                   .context = &w,
                   .member = odd_member,
                   .lo = 5,
                   .hi = 60,
                   .error = 0.1,
                   .confidence = 0.9,
                   .noise = 0.2,
                   .rng = th_rng(i, "witness", 0)};
        ThError err = {0};
        int *word = NULL, length = 0;
        long long wrong = 0;
        assert_true(th_pac_equivalent(&s, none, &word, &length, &err));
        assert_non_null(word);
        assert_int_equal(length, w.shortest);
        int label;
        assert_true(odd_member(&w, word, length, &label, NULL) && label == 1);
        w = (Witness){.shortest = 100};
        assert_true(th_pac_disagreement(&s, none, 400, &wrong, &err));
        assert_int_equal(w.asked, 400);
        assert_int_equal(wrong, w.wrong);
        assert_in_range(wrong, 140, 260);
        /* Half of the words are wrong, so that it passes if so many may be. */
        free(word);
        word = NULL;
        s.noise = 0.99;
        assert_true(th_pac_equivalent(&s, none, &word, &length, &err));
        assert_null(word);
    }
    th_dfa_free(none);
}

/* Lengths are uniform, and so are the symbols. */
static void test_words_drawn(void **state)
{
    (void)state;
    enum { DRAWS = 20000, LO = 2, HI = 9 };
    ThPac s = {.n_symbols = 3, .lo = LO, .hi = HI, .rng = th_rng(4, "drawn", 0)};
    int count[HI + 1] = {0}, symbols[3] = {0}, all = 0, word[HI];
    for (int i = 0; i < DRAWS; i++) {
        int length = th_pac_draw(&s, word);
        assert_in_range(length, LO, HI);
        count[length]++;
        for (int k = 0; k < length; k++, all++)
            symbols[word[k]]++;
    }
    for (int length = LO; length <= HI; length++)
        assert_in_range(count[length], DRAWS / 8 - 250, DRAWS / 8 + 250);
    for (int a = 0; a < 3; a++)
        assert_in_range(symbols[a], all / 3 - 1000, all / 3 + 1000);
}

/* ---- merging ---- */

/* All words up to a length, labelled by a machine; each label is turned with probability flip. */
static ThWordsSample sample_of(const ThDfa *d, int longest, double flip)
{
    Teacher t = {.d = d, .flip = flip};
    ThWordsSample s = {.n_symbols = d->n_symbols, .n_classes = 2};
    size_t k = (size_t)d->n_symbols, n = 1, total = 1;
    for (int i = 0; i < longest; i++)
        total += n *= k;
    s.start = calloc(total + 1, sizeof *s.start);
    s.label = calloc(total, sizeof *s.label);
    s.symbol = calloc(total * (size_t)longest + 1, sizeof *s.symbol);
    n = 1;
    for (int length = 0; length <= longest; length++, n *= k) {
        for (size_t i = 0; i < n; i++) {
            size_t at = s.start[s.n], x = i;
            for (int j = length; j-- > 0; x /= k)
                s.symbol[at + (size_t)j] = (int)(x % k);
            member(&t, s.symbol + at, length, &s.label[s.n], NULL);
            s.start[++s.n] = at + (size_t)length;
        }
    }
    return s;
}

static ThDfa *merge(const ThWordsSample *s, double noise, int most, ThRpniReport *report)
{
    ThRpniOptions o = {.noise = noise, .max_states = most};
    ThError err = {0};
    ThDfa *d = th_rpni(s, &o, report, NULL, &err);
    if (!d)
        fail_msg("%s", err.msg);
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = d->label[q] == 2;
    d->n_classes = 2;
    return d;
}

/* The languages of Tomita 1982 from all words up to length 7. */
static void test_tomita(void **state)
{
    (void)state;
    for (int i = 1; i <= 7; i++) {
        char name[32];
        snprintf(name, sizeof name, "tomita(%d)", i);
        ThDfa *d = machine(name);
        ThWordsSample s = sample_of(d, 7, 0);
        ThRpniReport report;
        ThDfa *found = merge(&s, 0, 0, &report);
        assert_int_equal(report.conflicts, 0);
        assert_same(found, d);
        th_dfa_free(found);
        th_words_sample_free(&s);
        th_dfa_free(d);
    }
}

/* Where two states are as good as each other the one that was kept first is merged into: b could be
 * the start or what follows an a. */
static void note_b(void *context, const ThRpniStep *step)
{
    int *into = context;
    if (step->depth == 1 && step->word[0] == 1)
        *into = step->into;
}

static void test_ties(void **state)
{
    (void)state;
    ThWordsSample s = {.n_symbols = 2,
                       .n_classes = 2,
                       .n = 3,
                       .symbol = (int[]){0, 1, 0, 0, 0},
                       .start = (size_t[]){0, 0, 1, 5},
                       .label = (int[]){0, 1, 1}};
    int into = -2;
    ThRpniOptions o = {.context = &into, .step = note_b};
    ThRpniReport report;
    ThDfa *d = th_rpni(&s, &o, &report, NULL, NULL);
    assert_non_null(d);
    assert_int_equal(into, 0);
    th_dfa_free(d);
}

/* Whatever the words are, the result gives each its label. */
static void test_consistent(void **state)
{
    (void)state;
    ThRng r = th_rng(5, "merge", 0);
    for (int turn = 0; turn < 100; turn++) {
        ThWordsSample s = sample_of(&(ThDfa){1, 2, 2, 0, (int[]){0, 0}, (int[]){0}}, 4, 0);
        for (size_t i = 0; i < s.n; i++)
            s.label[i] = (int)th_rng_below(&r, 2);
        ThRpniReport report;
        ThDfa *d = merge(&s, 0, 0, &report);
        for (size_t i = 0; i < s.n; i++)
            assert_int_equal(th_dfa_class(d, s.symbol + s.start[i], s.start[i + 1] - s.start[i]),
                             s.label[i]);
        th_dfa_free(d);
        th_words_sample_free(&s);
    }
}

/* One label in thirty is wrong, and the machine found is the true one, or wrong on fewer words than
 * the labels were. */
static void test_noise(void **state)
{
    (void)state;
    for (int i = 1; i <= 7; i++) {
        char name[32];
        snprintf(name, sizeof name, "tomita(%d)", i);
        ThDfa *d = machine(name);
        ThWordsSample s = sample_of(d, 10, 0.03);
        ThRpniReport report;
        ThDfa *found = merge(&s, 0.05, 12, &report);
        size_t wrong = 0;
        for (size_t j = 0; j < s.n; j++) {
            const int *word = s.symbol + s.start[j];
            size_t length = s.start[j + 1] - s.start[j];
            wrong += th_dfa_class(found, word, length) != th_dfa_class(d, word, length);
        }
        assert_true(report.states <= 12);
        assert_true((double)wrong <= 0.03 * (double)s.n);
        th_dfa_free(found);
        th_words_sample_free(&s);
        th_dfa_free(d);
    }
}

/* ---- labelled words as text ---- */

static void read_error(const char *text, const char *alphabet, int line, int col)
{
    ThWordsLabelled l;
    ThError err = {0};
    assert_false(th_words_labelled_read(&l, text, alphabet, true, &err));
    th_words_labelled_free(&l);
    assert_int_equal(err.line, line);
    assert_int_equal(err.col, col);
}

static void test_text(void **state)
{
    (void)state;
    ThWordsLabelled l;
    ThError err = {0};
    assert_true(th_words_labelled_read(&l, "# words\nba 1\n1\r\n\n  b\t0", NULL, true, &err));
    assert_true(l.language);
    assert_int_equal(l.sample.n, 3);
    assert_int_equal(l.sample.n_symbols, 2);
    assert_string_equal(l.symbol[0], "a");
    assert_int_equal(l.sample.start[1], 0);
    assert_int_equal(l.sample.label[0], 1);
    assert_int_equal(l.sample.symbol[0], 1);
    assert_int_equal(l.sample.label[1], 0);
    assert_int_equal(l.sample.symbol[1], 1);
    assert_int_equal(l.sample.symbol[2], 0);
    th_words_labelled_free(&l);
    assert_true(th_words_labelled_read(&l, "s1 s2 up\ns2 down\n\"\" up", "s2 s1 s3", true, &err));
    assert_false(l.language);
    assert_int_equal(l.sample.n_symbols, 3);
    assert_string_equal(l.symbol[0], "s2");
    assert_string_equal(l.label[1], "down");
    assert_int_equal(l.sample.start[1], 0);
    th_words_labelled_free(&l);
}

static void test_text_errors(void **state)
{
    (void)state;
    read_error("", NULL, 1, 1);
    read_error("a 1\n# only\nb\x01 1", NULL, 3, 2);
    read_error("\xc3\xa9\xff 1", NULL, 1, 2);
    read_error("ab 1\nac 0", "a b", 2, 2);
    read_error("ab 1\nb 1\n ab 0", NULL, 3, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_machines),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_sampling),
        cmocka_unit_test(test_sample_sizes),
        cmocka_unit_test(test_witnesses),
        cmocka_unit_test(test_words_drawn),
        cmocka_unit_test(test_tomita),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_consistent),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_text_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
