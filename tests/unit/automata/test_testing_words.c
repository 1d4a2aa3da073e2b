/* Words that test, against brute force: every machine of up to four states over two letters,
 * Cerny's automata, and roots and halves word by word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/operations/halves.h"
#include "automata/regex/regex.h"
#include "automata/words/conformance.h"
#include "automata/words/reset.h"
#include "base/symbols.h"
#include "given.h"

static ThAutomaton *language(const char *regex)
{
    ThError err = {0};
    char a_name[] = "a", b_name[] = "b";
    ThAutomaton *a = th_regex_automaton(regex, (char *[]){a_name, b_name}, 2, 0, NULL, &err);
    if (!a)
        fail_msg("%s: %s", regex, err.msg);
    return a;
}

static ThDfa *minimal(const char *regex)
{
    ThAutomaton *a TH_OWNED(th_automaton_free) = language(regex);
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, 0, NULL, NULL);
    ThDfa *least = th_dfa_minimize(d, NULL, NULL);
    assert_non_null(least);
    return least;
}

/* ---- conformance ---- */

static bool passes(const ThDfa *d, const ThDfa *other, const ThDfaWords *test)
{
    for (size_t i = 0; i < test->n; i++) {
        const ThDfaWord *w = &test->word[i];
        if (th_dfa_class(d, w->symbol, (size_t)w->length) !=
            th_dfa_class(other, w->symbol, (size_t)w->length))
            return false;
    }
    return true;
}

static bool equivalent(const ThDfa *a, const ThDfa *b)
{
    int length;
    int *word TH_OWNED(free) = th_dfa_distinguish(a, b, &length, NULL, NULL);
    return word == NULL;
}

/* Makes m the next machine of its number of states: first its transitions, then its classes. */
static bool next_machine(ThDfa *m)
{
    return th_symbols_next(m->next, m->n_states * m->n_symbols, m->n_states) ||
           th_symbols_next(m->label, m->n_states, m->n_classes);
}

static ThDfaWords test_of(const ThDfa *d, int max_states, bool whole)
{
    ThError err = {0};
    ThDfaWords words;
    ThDfaTest how = {.max_states = max_states, .whole = whole, .most = 100000};
    if (!th_dfa_test_words(d, &how, &words, &err))
        fail_msg("%s", err.msg);
    return words;
}

/* Of all machines of max_states states, those that pass are equivalent: and there are some. */
static void only_equivalent_pass(const char *regex, int max_states, bool whole)
{
    ThDfa *d TH_OWNED(th_dfa_free) = minimal(regex);
    ThDfaWords words TH_OWNED(th_dfa_words_free) = test_of(d, max_states, whole);
    ThDfa *m TH_OWNED(th_dfa_free) = th_dfa_new(max_states, 2, 2, NULL);
    int passed = 0;
    do {
        if (!passes(d, m, &words))
            continue;
        passed++;
        if (!equivalent(d, m))
            fail_msg("%s: another machine of %d states passes", regex, max_states);
    } while (next_machine(m));
    assert_true(passed > 0);
}

static const char *const languages[] = {
    "(ab)*", "(b*ab*ab*a)*b*", "(a|b)*", "a(a|b)*", "(a|b)*ab", "b*(ab*ab*)*", "a|b", "(a|bb)*",
};

static void test_machines_of_three_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        ThDfa *d TH_OWNED(th_dfa_free) = minimal(languages[i]);
        if (d->n_states > 3)
            continue;
        only_equivalent_pass(languages[i], 3, true);
        only_equivalent_pass(languages[i], 3, false);
    }
}

static void test_machines_of_four_states(void **state)
{
    (void)state;
    only_equivalent_pass("(ab)*", 4, false);
    only_equivalent_pass("(b*ab*ab*a)*b*", 4, false);
    only_equivalent_pass("a|b", 4, false);
}

/* A test is no larger than it must be: with any one word less that has to be asked, some machine
 * that is another passes.  Which words those are is found among machines of three states. */
static void test_no_test_is_asked_in_vain(void **state)
{
    (void)state;
    ThDfa *d TH_OWNED(th_dfa_free) = minimal("(ab)*");
    ThDfaWords words TH_OWNED(th_dfa_words_free) = test_of(d, 3, false);
    int needed = 0;
    for (size_t i = 0; i < words.n; i++) {
        ThDfaWord left_out = words.word[i];
        bool fooled = false;
        words.word[i] = words.word[i ? 0 : 1];
        ThDfa *m TH_OWNED(th_dfa_free) = th_dfa_new(3, 2, 2, NULL);
        do
            fooled = passes(d, m, &words) && !equivalent(d, m);
        while (!fooled && next_machine(m));
        words.word[i] = left_out;
        needed += fooled;
    }
    assert_true(needed >= 7); /* of ten: each of these alone keeps a machine away */
}

static void test_sizes_of_tests(void **state)
{
    (void)state;
    static const struct {
        const char *regex;
        int states;
        size_t w, wp;
    } known[] = {{"(ab)*", 3, 11, 10}, {"(ab)*", 4, 23, 22}, {"(b*ab*ab*a)*b*", 5, 47, 40}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThDfa *d TH_OWNED(th_dfa_free) = minimal(known[i].regex);
        ThDfaWords w TH_OWNED(th_dfa_words_free) = test_of(d, known[i].states, true);
        ThDfaWords wp TH_OWNED(th_dfa_words_free) = test_of(d, known[i].states, false);
        assert_int_equal(w.n, known[i].w);
        assert_int_equal(wp.n, known[i].wp);
    }
    ThError err = {0};
    ThDfaWords none;
    ThDfa *d TH_OWNED(th_dfa_free) = minimal("(ab)*");
    assert_false(th_dfa_test_words(d, &(ThDfaTest){.max_states = 2, .most = 9}, &none, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_dfa_words_free(&none);
    err = (ThError){0};
    assert_false(th_dfa_test_words(d, &(ThDfaTest){.max_states = 3, .most = 9}, &none, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_dfa_words_free(&none);
    assert_true(th_dfa_test_words(d, &(ThDfaTest){.max_states = 3, .most = 10}, &none, &err));
    th_dfa_words_free(&none);
}

/* Access words lead where they should, and what tells a state does. */
static void test_states_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        ThDfa *d TH_OWNED(th_dfa_free) = minimal(languages[i]);
        ThDfaTells t TH_OWNED(th_dfa_tells_free) = {0};
        assert_true(th_dfa_tells(d, NULL, &t, NULL));
        assert_true(t.apart.n <= (size_t)(d->n_states > 1 ? d->n_states - 1 : 1));
        for (int q = 0; q < d->n_states; q++) {
            ThDfaWord w = t.access.word[q];
            assert_int_equal(th_dfa_walk(d, d->start, w.symbol, (size_t)w.length), q);
            for (int p = 0; p < d->n_states; p++) {
                bool told = p == q;
                for (size_t k = 0; k < t.apart.n; k++) {
                    ThDfaWord v = t.apart.word[k];
                    told |= t.tells[(size_t)q * t.apart.n + k] &&
                            d->label[th_dfa_walk(d, p, v.symbol, (size_t)v.length)] !=
                                d->label[th_dfa_walk(d, q, v.symbol, (size_t)v.length)];
                }
                assert_true(told);
            }
        }
    }
}

/* ---- reset words ---- */

/* A cycle of n states, and a symbol that moves the first of them only. */
static ThDfa *cerny(int n)
{
    ThDfa *d = th_dfa_new(n, 2, 2, NULL);
    for (int q = 0; q < n; q++) {
        d->next[2 * q] = (q + 1) % n;
        d->next[2 * q + 1] = q == n - 1 ? 0 : q;
    }
    return d;
}

static void resets(const ThDfa *d, const ThDfaReset *r)
{
    for (int q = 0; q < d->n_states; q++)
        assert_int_equal(th_dfa_walk(d, q, r->word, (size_t)r->length), r->state);
}

static void test_cerny(void **state)
{
    (void)state;
    static const int greedy[] = {0, 0, 1, 4, 10, 17, 27, 43, 62};
    for (int n = 2; n <= 8; n++) {
        ThDfa *d TH_OWNED(th_dfa_free) = cerny(n);
        ThDfaReset r;
        assert_true(th_dfa_reset_word(d, 1 << 20, NULL, &r, NULL));
        assert_true(r.shortest);
        assert_int_equal(r.length, (n - 1) * (n - 1));
        resets(d, &r);
        free(r.word);
        assert_true(th_dfa_reset_word(d, 1, NULL, &r, NULL));
        assert_true(n == 2 || !r.shortest);
        assert_true(r.length >= (n - 1) * (n - 1) && r.length <= greedy[n] + 3);
        resets(d, &r);
        free(r.word);
    }
}

/* The first in length and order of all words up to 4 symbols that reset; NULL: none. */
static int *first_reset(const ThDfa *d, int *length)
{
    for (*length = 0; *length <= 4; ++*length) {
        int *word = th_alloc((size_t)*length + 1, sizeof *word, NULL);
        do {
            int q = 0, to = th_dfa_walk(d, 0, word, (size_t)*length);
            while (q < d->n_states && th_dfa_walk(d, q, word, (size_t)*length) == to)
                q++;
            if (q == d->n_states)
                return word;
        } while (th_symbols_next(word, *length, d->n_symbols));
        free(word);
    }
    return NULL;
}

/* All machines of three states: shortest words are at most four long. */
static void test_all_resets_of_three_states(void **state)
{
    (void)state;
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(3, 2, 2, NULL);
    int with = 0, without = 0;
    do {
        int length;
        int *first TH_OWNED(free) = first_reset(d, &length);
        ThDfaReset r;
        assert_true(th_dfa_reset_word(d, 100, NULL, &r, NULL));
        assert_int_equal(r.word != NULL, first != NULL);
        if (first) {
            assert_int_equal(r.length, length);
            assert_memory_equal(r.word, first, (size_t)length * sizeof *first);
            resets(d, &r);
        } else {
            ThDfa a = *d, b = *d; /* the two named stay apart: after every word to six symbols */
            int word[6] = {0};
            a.start = r.apart[0];
            b.start = r.apart[1];
            do
                assert_true(th_dfa_walk(d, a.start, word, 6) != th_dfa_walk(d, b.start, word, 6));
            while (th_symbols_next(word, 6, 2));
        }
        *(first ? &with : &without) += 1;
        free(r.word);
    } while (th_symbols_next(d->next, 6, 3));
    assert_true(with > 100 && without > 100);
}

static void test_of_one_state(void **state)
{
    (void)state;
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(1, 0, 1, NULL);
    ThDfaReset r;
    assert_true(th_dfa_reset_word(d, 100, NULL, &r, NULL));
    assert_true(r.word && r.length == 0 && r.shortest);
    free(r.word);
    ThDfaWords words TH_OWNED(th_dfa_words_free) = test_of(d, 3, false);
    assert_int_equal(words.n, 1);
}

/* ---- roots and halves ---- */

static bool some_half(const ThDfa *d, int *word, int length)
{
    memset(word + length, 0, (size_t)length * sizeof *word);
    do {
        if (th_dfa_class(d, word, (size_t)(2 * length)) == 1)
            return true;
    } while (th_symbols_next(word + length, length, d->n_symbols));
    return false;
}

static void test_roots_and_halves(void **state)
{
    (void)state;
    static const char *const of[] = {"(ab)*",     "(aab)*",      "a*b*",   "(b*ab*ab*a)*b*",
                                     "(a|b)*abb", "b(a|b)*a|bb", "(a|ba)*"};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ThAutomatonWork w = {0};
        ThAutomaton *a TH_OWNED(th_automaton_free) = language(of[i]);
        ThDfa *d TH_OWNED(th_dfa_free) = minimal(of[i]);
        ThAutomaton *root TH_OWNED(th_automaton_free) = th_automaton_root(a, w, NULL);
        ThAutomaton *half TH_OWNED(th_automaton_free) = th_automaton_half(a, w, NULL);
        ThDfa *r TH_OWNED(th_dfa_free) = th_automaton_acceptor(root, 0, NULL, NULL);
        ThDfa *h TH_OWNED(th_dfa_free) = th_automaton_acceptor(half, 0, NULL, NULL);
        for (int length = 0; length <= 6; length++) {
            int word[12] = {0};
            do {
                assert_int_equal(th_dfa_class(h, word, (size_t)length), some_half(d, word, length));
                memcpy(word + length, word, (size_t)length * sizeof *word);
                assert_int_equal(th_dfa_class(r, word, (size_t)length),
                                 th_dfa_class(d, word, (size_t)(2 * length)));
            } while (th_symbols_next(word, length, 2));
        }
        ThError err = {0};
        assert_null(th_automaton_half(a, (ThAutomatonWork){.max_states = 1}, &err));
        assert_int_equal(err.code, TH_ELIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines_of_three_states),
        cmocka_unit_test(test_machines_of_four_states),
        cmocka_unit_test(test_no_test_is_asked_in_vain),
        cmocka_unit_test(test_sizes_of_tests),
        cmocka_unit_test(test_states_are_told_apart),
        cmocka_unit_test(test_cerny),
        cmocka_unit_test(test_all_resets_of_three_states),
        cmocka_unit_test(test_of_one_state),
        cmocka_unit_test(test_roots_and_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
