/* test_star_free.c - formulas of star-free languages, as parts, against the machine on all short
 * words; and as text, read again: of all minimal machines of up to three states over two letters,
 * and of drawn ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/classes.h"
#include "automata/logic/cascade.h"
#include "automata/logic/ltl.h"
#include "automata/logic/star_free.h"
#include "automata/regex/regex.h"
#include "given.h"

enum { LENGTH = 7, MOST_PARTS = 4000 };

static char letter[][2] = {"a", "b", "c"};
static char *letters[] = {letter[0], letter[1], letter[2]};

/* Whether the whole is true at the last position, by going through all of them. */
static bool holds(const ThAutomatonFormula *f, const int *word, int n)
{
    static bool now[MOST_PARTS], was[MOST_PARTS];
    assert_true(f->n <= MOST_PARTS);
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < f->n; k++) {
            ThAutomatonPart p = f->part[k];
            now[k] = p.is == TH_AUTOMATON_TRUE       ? true
                     : p.is == TH_AUTOMATON_LETTER   ? word[i] == p.x
                     : p.is == TH_AUTOMATON_NOT      ? !now[p.x]
                     : p.is == TH_AUTOMATON_AND      ? now[p.x] && now[p.y]
                     : p.is == TH_AUTOMATON_PREVIOUS ? i > 0 && was[p.x]
                                                     : now[p.y] || (i > 0 && now[p.x] && was[k]);
        }
        memcpy(was, now, f->n * sizeof *was);
    }
    return now[f->whole];
}

/* Returns how many words were tried. */
static int compare_parts(const ThDfa *d, bool ordered)
{
    ThAutomatonFormula f = {0};
    ThError err = {0};
    bool made = ordered ? th_automaton_formula_ordered(&f, d, letters, &err)
                        : th_automaton_formula_cascade(&f, d, letters, 0, NULL, &err);
    int tried = 0, n = 0, word[LENGTH + 1] = {0};
    assert_true(made || err.code == TH_EVALUE);
    while (made && next_word(word, &n, d->n_symbols, LENGTH)) {
        if (n > 0 && holds(&f, word, n) != (th_dfa_class(d, word, (size_t)n) == 1))
            fail_msg("wrong on a word of %d letters", n);
        tried++;
    }
    th_automaton_formula_free(&f);
    return tried;
}

/* Whether it is star-free, by what the table of classes says. */
static bool compare_text(const ThDfa *d)
{
    ThError err = {0};
    ThClassReport *r TH_OWNED(th_class_report_free) =
        th_class_report(d, letters, 20000, NULL, NULL);
    bool star_free = r->verdict[TH_CLASS_STAR_FREE].is == TH_CLASS_YES;
    char *text TH_OWNED(free) = th_automaton_star_free(d, letters, 0, NULL, &err);
    if (!star_free) {
        assert_null(text);
        assert_int_equal(err.code, TH_EVALUE);
        return false;
    }
    if (!text)
        fail_msg("%s", err.msg);
    int length = 0;
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        th_automaton_ltl(text, letters, d->n_symbols, 0, NULL, &err);
    ThDfa *back TH_OWNED(th_dfa_free) = a ? th_automaton_acceptor(a, 0, NULL, &err) : NULL;
    int *word TH_OWNED(free) = back ? th_dfa_distinguish(back, d, &length, NULL, &err) : NULL;
    if (!back || word)
        fail_msg("%s is another language", text);
    return true;
}

/* Every complete machine of n states over two letters, that is minimal and numbered as such. */
static void for_all(int n, void each(const ThDfa *d, int *count), int *count)
{
    long tables = 1;
    for (int i = 0; i < 2 * n; i++)
        tables *= n;
    for (long k = 0; k < tables << n; k++) {
        ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(n, 2, 2, NULL);
        long left = k >> n;
        for (int i = 0; i < 2 * n; i++, left /= n)
            d->next[i] = (int)(left % n);
        for (int q = 0; q < n; q++)
            d->label[q] = k >> q & 1;
        ThDfa *m TH_OWNED(th_dfa_free) = th_dfa_minimize(d, NULL, NULL);
        if (m->n_states == n && memcmp(m->next, d->next, (size_t)(2 * n) * sizeof *m->next) == 0 &&
            memcmp(m->label, d->label, (size_t)n * sizeof *m->label) == 0)
            each(d, count);
    }
}

/* Machines; star-free ones; those with parts of the second kind. */
static void try_all(const ThDfa *d, int *count)
{
    bool star_free = compare_text(d);
    count[0]++;
    count[1] += star_free;
    assert_int_equal(compare_parts(d, false) > 0, star_free);
    count[2] += compare_parts(d, true) > 0;
}

static void test_small(void **state)
{
    int count[3] = {0};
    (void)state;
    for (int n = 1; n <= 3; n++)
        for_all(n, try_all, count);
    assert_int_equal(count[0], 2 + 24 + 1028);
    assert_int_equal(count[1], 174);
    assert_true(count[2] > 50 && count[2] < count[1]);
}

static void test_drawn(void **state)
{
    int count[3] = {0};
    (void)state;
    for (int turn = 0; turn < 4000 && count[1] < 150; turn++) {
        ThRng r = th_rng(3, "star-free", (uint64_t)turn);
        int n = 4 + turn % 3, k = 2 + turn % 2;
        ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(n, k, 2, NULL);
        int favourite[] = {below(&r, n), below(&r, n), below(&r, n)};
        for (int i = 0; i < n * k; i++)
            d->next[i] = below(&r, 3) ? favourite[i % k] : below(&r, 2) ? below(&r, n) : i / k;
        for (int q = 0; q < n; q++)
            d->label[q] = below(&r, 2);
        ThDfa *m TH_OWNED(th_dfa_free) = th_dfa_minimize(d, NULL, NULL);
        if (m->n_states > 3)
            try_all(m, count);
    }
    assert_true(count[1] >= 100 && count[2] >= 10);
}

/* What is short is said shortly. */
static void test_short(void **state)
{
    static const char *const known[][2] = {{"a.*", "a"},
                                           {".*a.*", "F a"},
                                           {".*aa.*", "F (a & Y a)"},
                                           {".*a.*b.*c.*", "F (Y P (Y P a & b) & c)"},
                                           {"[]", "false"},
                                           {".*", "empty | true"}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThAutomaton *a TH_OWNED(th_automaton_free) =
            th_regex_automaton(known[i][0], letters, 3, 0, NULL, NULL);
        ThDfa *any TH_OWNED(th_dfa_free) = th_automaton_dfa(a, 0, NULL, NULL),
                   *d TH_OWNED(th_dfa_free) = th_dfa_minimize(any, NULL, NULL);
        char *text TH_OWNED(free) = th_automaton_star_free(d, letters, 0, NULL, NULL);
        assert_string_equal(text, known[i][1]);
    }
}

/* Symbols with quotes are read again: th_automaton_star_free checks it. */
static void test_quotes(void **state)
{
    char names[][3] = {"w'", "'"}, *symbol[] = {names[0], names[1]};
    int next[] = {1, 2, 2, 0, 2, 2};
    (void)state;
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(3, 2, 2, NULL);
    memcpy(d->next, next, sizeof next);
    d->label[0] = 1;
    ThDfa *m TH_OWNED(th_dfa_free) = th_dfa_minimize(d, NULL, NULL);
    char *text TH_OWNED(free) = th_automaton_star_free(m, symbol, 0, NULL, NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "'w'''"));
    assert_non_null(strstr(text, "''''"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_drawn),
                                       cmocka_unit_test(test_short), cmocka_unit_test(test_quotes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
