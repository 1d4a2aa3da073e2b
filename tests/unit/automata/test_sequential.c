/* test_sequential.c - drawn transducers: are they functions, by all words up to a length; and what
 * is made of them that writes while it reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/nfa.h"
#include "automata/operations/sequential.h"
#include "base/rng.h"
#include "given.h"

enum { LENGTH = 5, WRITTEN = 9, MOST = 16 };

static char a_[] = "a", b_[] = "b", x_[] = "x", y_[] = "y";
static char *symbols[] = {a_, b_}, *outputs[] = {x_, y_};

static ThAutomaton *draw(ThRng *r)
{
    ThNfa n = {0};
    ThError err = {0};
    int states = 2 + (int)th_rng_below(r, 3), arcs = states + 1 + (int)th_rng_below(r, 4);
    for (int q = 0; q < states; q++)
        th_nfa_state(&n,
                     (q == 0 ? TH_NFA_START : 0) |
                         (q == states - 1 || th_rng_below(r, 4) == 0 ? TH_NFA_ACCEPT : 0),
                     &err);
    for (int i = 0; i < arcs; i++) {
        ThAutomatonArc arc = {(int)th_rng_below(r, (uint64_t)states),
                              (int)th_rng_below(r, 9) / 4 - (th_rng_below(r, 8) == 0 ? 1 : 0),
                              (int)th_rng_below(r, (uint64_t)states), (int)th_rng_below(r, 3) - 1};
        arc.symbol = arc.symbol > 1 ? 1 : arc.symbol;
        assert_true(th_nfa_arc(&n, arc, &err));
    }
    return th_nfa_finish(&n, &(ThNfaNames){symbols, outputs, 2, 2}, true, &err);
}

/* Whether the transducer can write `out` for a word. */
static bool writes(const ThAutomaton *t, const int *word, int n, const int *out, int m)
{
    bool can[MOST][LENGTH * 8 + 2][WRITTEN * 8 + 2] = {{{false}}};
    assert_true(t->n_states <= MOST && n <= LENGTH * 8 && m <= WRITTEN * 8);
    for (int q = 0; q < t->n_states; q++)
        can[q][0][0] = t->start[q];
    for (int i = 0; i <= n; i++)
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t k = 0; k < t->n_arcs; k++)
                for (int j = 0; j <= m; j++) {
                    ThAutomatonArc a = t->arc[k];
                    int to = i + (a.symbol != TH_AUTOMATON_EPSILON),
                        at = j + (a.output != TH_AUTOMATON_NO_OUTPUT);
                    bool fits = can[a.from][i][j] && (to == i || (i < n && word[i] == a.symbol)) &&
                                (at == j || (j < m && out[j] == a.output));
                    if (fits && !can[a.to][to][at])
                        can[a.to][to][at] = changed = true;
                }
        }
    for (int q = 0; q < t->n_states; q++)
        if (t->accept[q] && can[q][n][m])
            return true;
    return false;
}

/* How many words of at most WRITTEN outputs are written for a word; the last in *out. */
static int count_written(const ThAutomaton *t, const int *word, int n, int *out, int *m)
{
    int found = 0, length = 0, next[WRITTEN + 1] = {0};
    do {
        if (!writes(t, word, n, next, length))
            continue;
        found++;
        *m = length;
        memcpy(out, next, sizeof next);
    } while (next_word(next, &length, 2, n + 3 < WRITTEN ? n + 3 : WRITTEN));
    return found;
}

/* The words that are written for short ones: at most one, and by `s`, if there is one, the same. */
static void check_function(const ThAutomaton *t, const ThAutomaton *s)
{
    int n = 0, word[LENGTH + 1] = {0}, m, out[WRITTEN + 1], k, same[WRITTEN + 1];
    do {
        int found = count_written(t, word, n, out, &m);
        assert_true(found <= 1);
        if (s && n < LENGTH)
            assert_int_equal(count_written(s, word, n, same, &k), found);
        if (s && n < LENGTH && found)
            assert_true(k == m && memcmp(out, same, (size_t)m * sizeof *out) == 0);
    } while (next_word(word, &n, 2, 3));
}

/* One way for a word, but for chains and what is written at the end. */
static void check_shape(const ThAutomaton *s)
{
    for (int q = 0; q < s->n_states; q++)
        for (size_t i = s->first[q]; i + 1 < s->first[q + 1]; i++)
            assert_true(s->arc[i].symbol != s->arc[i + 1].symbol);
}

static void test_drawn(void **state)
{
    (void)state;
    enum { DRAWN = 1500 };
    ThRng r = th_rng(3, "transducers", 0);
    int functions = 0, sequential = 0, twofold = 0;
    for (int i = 0; i < DRAWN; i++) {
        ThError err = {0};
        ThAutomaton *t = draw(&r);
        ThAutomatonTwofold two = {0};
        assert_true(th_automaton_twofold(t, NULL, (ThAutomatonWork){0}, &two, &err));
        ThAutomaton *s = th_automaton_sequential(t, (ThAutomatonWork){0}, &err);
        if (two.found) {
            assert_null(s);
            assert_true(writes(t, two.word, two.n, two.out[0], two.n_out[0]));
            assert_true(writes(t, two.word, two.n, two.out[1], two.n_out[1]));
            assert_true(two.n_out[0] != two.n_out[1] ||
                        memcmp(two.out[0], two.out[1], (size_t)two.n_out[0] * sizeof(int)) != 0);
            twofold++;
        } else {
            check_function(t, s && s->n_states <= MOST ? s : NULL);
            functions++;
        }
        if (s) {
            ThAutomatonTwofold other = {0};
            check_shape(s);
            assert_true(th_automaton_twofold(t, s, (ThAutomatonWork){0}, &other, &err));
            assert_false(other.found);
            th_automaton_twofold_free(&other);
            sequential++;
        }
        th_automaton_twofold_free(&two);
        th_automaton_free(s);
        th_automaton_free(t);
    }
    assert_true(functions > 200 && twofold > 200 && sequential > 100 && sequential < functions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
