/* test_sequential.c - drawn transducers: are they functions, by all words up to a length; and what
 * is made of them that writes while it reads, or why nothing can be made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/nfa.h"
#include "automata/operations/sequential.h"
#include "base/intern.h"
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

/* ---- twins, by all that one of two states can have written more ---- */

/* Two states that the same word leads to, and what either has written more. */
enum { AHEAD = 24 }; /* states <= 4: beyond 16 some loop makes it more and more */
typedef struct {
    signed char state[2], n[2], more[2][AHEAD];
} Together;

static void write_more(Together *t, int side, int output)
{
    if (output != TH_AUTOMATON_NO_OUTPUT)
        t->more[side][t->n[side]++] = (signed char)output;
    while (t->n[0] > 0 && t->n[1] > 0 && t->more[0][0] == t->more[1][0])
        for (int k = 0; k < 2; k++) {
            memmove(t->more[k], t->more[k] + 1, AHEAD - 1);
            t->more[k][AHEAD - 1] = 0;
            t->n[k]--;
        }
}

static void meet(ThIntern *all, size_t *stack, size_t *n, const Together *t)
{
    ThError err = {0};
    size_t index, before = all->n;
    assert_true(th_intern(all, t, sizeof *t, &index, &err));
    if (index == before)
        stack[(*n)++] = index;
}

/* One state goes on by a transition, the other by one with the same symbol or, of none, not. */
static void go_on(const ThAutomaton *a, Together t, size_t i, size_t j, ThIntern *all,
                  size_t *stack, size_t *n)
{
    const size_t arc[2] = {i, j};
    for (int side = 0; side < 2; side++)
        if (arc[side] < a->n_arcs) {
            t.state[side] = (signed char)a->arc[arc[side]].to;
            write_more(&t, side, a->arc[arc[side]].output);
        }
    meet(all, stack, n, &t);
}

static bool has_twins(const ThAutomaton *a)
{
    enum { MANY = 200000 };
    ThIntern all = {0};
    size_t *stack = calloc(MANY, sizeof *stack), n = 0;
    bool twins = true;
    for (int p = 0; p < a->n_states; p++)
        for (int q = 0; q < a->n_states; q++)
            if (a->start[p] && a->start[q])
                meet(&all, stack, &n, &(Together){.state = {(signed char)p, (signed char)q}});
    while (n > 0 && twins) {
        Together t;
        memcpy(&t, th_intern_at(&all, stack[--n], NULL), sizeof t);
        twins = t.n[0] <= AHEAD - 4 && t.n[1] <= AHEAD - 4;
        for (size_t i = 0; twins && i < a->n_arcs; i++) {
            bool empty = a->arc[i].symbol == TH_AUTOMATON_EPSILON;
            if (empty && a->arc[i].from == t.state[0])
                go_on(a, t, i, a->n_arcs, &all, stack, &n);
            if (empty && a->arc[i].from == t.state[1])
                go_on(a, t, a->n_arcs, i, &all, stack, &n);
            for (size_t j = 0; !empty && j < a->n_arcs; j++)
                if (a->arc[i].from == t.state[0] && a->arc[j].from == t.state[1] &&
                    a->arc[i].symbol == a->arc[j].symbol)
                    go_on(a, t, i, j, &all, stack, &n);
        }
        assert_true(all.n < MANY - 1000);
    }
    th_intern_free(&all);
    free(stack);
    return twins;
}

/* Returns new: of transitions, -1 for no output; state 0 is the start. */
static ThAutomaton *given(int states, int accept, int n_arcs, const int (*arc)[4])
{
    ThNfa n = {0};
    ThError err = {0};
    for (int q = 0; q < states; q++)
        th_nfa_state(&n, (q == 0 ? TH_NFA_START : 0) | (accept >> q & 1 ? TH_NFA_ACCEPT : 0), &err);
    for (int i = 0; i < n_arcs; i++)
        assert_true(
            th_nfa_arc(&n, (ThAutomatonArc){arc[i][0], arc[i][1], arc[i][2], arc[i][3]}, &err));
    return th_nfa_finish(&n, &(ThNfaNames){symbols, outputs, 2, 2}, true, &err);
}

/* Two ways go on writing what they read, or one of them nothing; the last symbol says which it was.
 * There are 2^n sets, or delays, after n symbols, which nobody has to make to tell. */
static void test_many_words(void **state)
{
    (void)state;
    static const int apart[][4] = {{0, 1, 1, 0}, {0, 1, 2, 1}, {1, 0, 1, 0}, {1, 1, 1, 1},
                                   {2, 0, 2, 0}, {2, 1, 2, 1}, {1, 0, 3, 0}, {2, 1, 4, 0}},
                     behind[][4] = {{0, 0, 1, 0},  {0, 1, 1, 1}, {0, 0, 2, -1}, {0, 1, 2, -1},
                                    {1, 0, 1, 0},  {1, 1, 1, 1}, {2, 0, 2, -1}, {2, 1, 2, -1},
                                    {1, 0, 3, -1}, {2, 1, 4, -1}};
    ThAutomaton *t[] = {given(5, 24, 8, apart), given(5, 24, 10, behind)};
    const char *after[] = {"b", "a or after b"};
    for (int i = 0; i < 2; i++) {
        ThError err = {0};
        char says[200];
        snprintf(says, sizeof says,
                 "not sequential: after %s what is to be written depends on more of what follows "
                 "than can be remembered",
                 after[i]);
        assert_null(th_automaton_sequential(t[i], (ThAutomatonWork){1000, NULL}, &err));
        assert_int_equal(err.code, TH_EVALUE);
        assert_string_equal(err.msg, says);
        th_automaton_free(t[i]);
    }
}

/* Behind a, one way has written x and the other y; on the loops behind it neither writes, so that
 * this is all there is to remember. */
static void test_silent(void **state)
{
    (void)state;
    static const int arc[][4] = {{0, 0, 1, 0},  {0, 0, 2, 1},  {1, 0, 1, -1}, {2, 0, 2, -1},
                                 {1, 1, 3, -1}, {2, 1, 4, -1}, {4, 1, 5, -1}};
    ThError err = {0};
    ThAutomatonTwofold two = {0};
    ThAutomaton *t = given(6, 40, 7, arc);
    ThAutomaton *s = th_automaton_sequential(t, (ThAutomatonWork){0}, &err);
    assert_non_null(s);
    assert_true(th_automaton_twofold(t, s, (ThAutomatonWork){0}, &two, &err));
    assert_false(two.found);
    check_function(t, s);
    th_automaton_free(s);
    th_automaton_free(t);
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
            ThAutomaton *useful = th_automaton_trim(t, &err);
            assert_int_equal(s != NULL, has_twins(useful));
            th_automaton_free(useful);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn),
                                       cmocka_unit_test(test_many_words),
                                       cmocka_unit_test(test_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
