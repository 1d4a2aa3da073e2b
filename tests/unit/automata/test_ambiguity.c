/* How ambiguous automata are, against counting the ways of words: of those that are told, and of
 * all words of growing length, whose greatest number of ways is followed exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/build.h"
#include "automata/regex/regex.h"
#include "automata/words/ambiguity.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/symbols.h"
#include "given.h"

enum { STATES = 4, TURNS = 20000, LONG = 64, FRONT = 3000 };

static char *const letters[] = {(char[]){"a"}, (char[]){"b"}};

/* ---- the oracle: numbers of ways ---- */

typedef struct {
    double way[STATES];
} Vector;

/* The ways of a word, by numbers of symbols, through an automaton without empty moves. */
static double ways_of(const ThAutomaton *a, const int *word, int length)
{
    double here[64] = {0}, next[64];
    assert_in_range(a->n_states, 0, 64);
    for (int q = 0; q < a->n_states; q++)
        here[q] = a->start[q];
    for (int i = 0; i < length; i++) {
        memset(next, 0, sizeof next);
        for (size_t j = 0; j < a->n_arcs; j++)
            if (a->arc[j].symbol == word[i])
                next[a->arc[j].to] += here[a->arc[j].from];
        memcpy(here, next, sizeof here);
    }
    double n = 0;
    for (int q = 0; q < a->n_states; q++)
        n += a->accept[q] ? here[q] : 0;
    return n;
}

static double ways_of_text(const ThAutomaton *a, const char *text)
{
    int length, *word = th_symbols_read(a->symbol, a->n_symbols, text, &length, NULL);
    assert_non_null(word);
    double n = ways_of(a, word, length);
    free(word);
    return n;
}

static bool is_below(const Vector *x, const Vector *y, int n)
{
    for (int q = 0; q < n; q++)
        if (x->way[q] > y->way[q])
            return false;
    return true;
}

/* Adds a vector unless another is as great everywhere, and drops those below it. */
static bool add(Vector *front, int *size, const Vector *v, int n)
{
    for (int i = 0; i < *size; i++)
        if (is_below(v, &front[i], n))
            return true;
    int kept = 0;
    for (int i = 0; i < *size; i++)
        if (!is_below(&front[i], v, n))
            front[kept++] = front[i];
    front[kept++] = *v;
    *size = kept;
    return kept < FRONT;
}

/* most[l] = the greatest number of ways of a word of l symbols, l = 0 … LONG; false where too many
 * vectors have to be followed. */
static bool greatest(const ThAutomaton *a, double most[LONG + 1])
{
    static Vector front[2][FRONT];
    int size[2] = {1, 0};
    memset(&front[0][0], 0, sizeof front[0][0]);
    for (int q = 0; q < a->n_states; q++)
        front[0][0].way[q] = a->start[q];
    for (int l = 0;; l++) {
        const Vector *here = front[l % 2];
        Vector *next = front[(l + 1) % 2];
        most[l] = 0;
        for (int i = 0; i < size[l % 2]; i++) {
            double n = 0;
            for (int q = 0; q < a->n_states; q++)
                n += a->accept[q] ? here[i].way[q] : 0;
            most[l] = n > most[l] ? n : most[l];
        }
        if (l == LONG)
            return true;
        size[(l + 1) % 2] = 0;
        for (int i = 0; i < size[l % 2]; i++) {
            for (int c = 0; c < a->n_symbols; c++) {
                Vector v = {{0}};
                for (size_t j = 0; j < a->n_arcs; j++)
                    if (a->arc[j].symbol == c)
                        v.way[a->arc[j].to] += here[i].way[a->arc[j].from];
                if (!add(next, &size[(l + 1) % 2], &v, a->n_states))
                    return false;
            }
        }
    }
}

/* The greatest number of ways of words up to l symbols. */
static double up_to(const double *most, int l)
{
    double m = 0;
    for (int i = 0; i <= l; i++)
        m = most[i] > m ? most[i] : m;
    return m;
}

/* ---- what is told ---- */

/* part[0] part[1]^n part[2] … has the ways that were promised. */
static void assert_growing(const ThAutomaton *a, const ThWordsAmbiguity *x)
{
    for (int n = 1; n <= 6; n++) {
        ThText t = {0};
        for (int i = 0; i < 2 * x->n_loops + 1; i++)
            for (int turn = 0; turn < (i % 2 ? n : 1); turn++)
                th_text_add(&t, x->part[i]);
        double promised = 1;
        for (int i = 0; i < n && !x->degree; i++)
            promised *= 2;
        for (int i = 0; i < x->degree; i++)
            promised *= n;
        double ways = ways_of_text(a, t.data ? t.data : "");
        if (ways < promised)
            fail_msg("%s has %g ways, not %g", t.data, ways, promised);
        th_text_free(&t);
    }
}

static void assert_consistent(const ThAutomaton *a, const ThWordsAmbiguity *x)
{
    assert_int_equal(x->kind != TH_WORDS_UNAMBIGUOUS, x->word != NULL);
    assert_int_equal(x->kind == TH_WORDS_POLYNOMIALLY_AMBIGUOUS, x->degree > 0);
    assert_int_equal(x->n_loops, x->kind == TH_WORDS_EXPONENTIALLY_AMBIGUOUS ? 1 : x->degree);
    if (x->word)
        assert_true(ways_of_text(a, x->word) >= 2);
    if (x->most_word)
        assert_true((size_t)ways_of_text(a, x->most_word) == x->most);
    assert_int_equal(x->most > 0, x->kind == TH_WORDS_FINITELY_AMBIGUOUS);
    if (x->n_loops)
        assert_growing(a, x);
}

/* From l to 2l symbols a number that grows like a power of degree d gets about 2^d times greater.
 */
static void assert_growth(const double *most, const ThWordsAmbiguity *x, const char *what)
{
    double half = up_to(most, LONG / 2), whole = up_to(most, LONG), power = 1;
    for (int i = 0; i < x->degree; i++)
        power *= 2;
    if (x->kind == TH_WORDS_UNAMBIGUOUS && whole > 1)
        fail_msg("%s: unambiguous, and a word has %g ways", what, whole);
    if (x->kind == TH_WORDS_FINITELY_AMBIGUOUS && whole != (double)x->most)
        fail_msg("%s: %zu ways at most, not %g", what, x->most, whole);
    if (x->kind == TH_WORDS_POLYNOMIALLY_AMBIGUOUS &&
        (whole < 0.66 * power * half || whole > 1.5 * power * half))
        fail_msg("%s: degree %d, and %g ways become %g", what, x->degree, half, whole);
    if (x->kind == TH_WORDS_EXPONENTIALLY_AMBIGUOUS && whole < 11 * half)
        fail_msg("%s: exponential, and %g ways become %g", what, half, whole);
}

/* ---- the tests ---- */

static ThAutomaton *random_automaton(ThRng *r, int seed)
{
    ThAutomatonBuild b = {0};
    int n = 1 + below(r, STATES), arcs = 1 + below(r, 3 * n + 2);
    th_automaton_build_symbol(&b, "a");
    th_automaton_build_symbol(&b, "b");
    for (int q = 0; q < n; q++) {
        char name[16];
        snprintf(name, sizeof name, "%d", q);
        th_automaton_build_state(&b, name);
        if (below(r, 3) == 0 || q == n - 1)
            th_automaton_build_accept(&b, q);
        if (below(r, 5) == 0 || q == 0)
            th_automaton_build_start(&b, q);
    }
    /* Most go forwards: chains of components are what degrees come from. */
    for (int k = 0; k < arcs; k++) {
        int from = below(r, n), to = from + below(r, n - from);
        if (seed % 3 == 0)
            to = below(r, n);
        th_automaton_build_arc(&b, (ThAutomatonArc){from, below(r, 2), to, TH_AUTOMATON_NO_OUTPUT});
    }
    return th_automaton_build_finish(&b, NULL);
}

static void test_growth(void **state)
{
    (void)state;
    int met[4] = {0}, degrees[STATES] = {0}, left_out = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        ThRng r = th_rng(41, "growth", (uint64_t)turn);
        ThAutomaton *a = random_automaton(&r, turn);
        ThWordsAmbiguity x;
        double most[LONG + 1];
        char what[32];
        snprintf(what, sizeof what, "automaton %d", turn);
        assert_true(th_automaton_ambiguity(a, 0, NULL, &x, NULL));
        assert_consistent(a, &x);
        if (greatest(a, most))
            assert_growth(most, &x, what);
        else
            left_out++;
        met[x.kind]++;
        degrees[x.degree]++;
        th_words_ambiguity_free(&x);
        th_automaton_free(a);
    }
    for (int i = 0; i < 4; i++)
        assert_true(met[i] > 100);
    assert_true(degrees[1] > 100 && degrees[2] > 10 && degrees[3] > 0);
    assert_in_range(left_out, 0, TURNS / 20);
}

static void test_known(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        ThWordsAmbiguityKind kind;
        int degree;
        size_t most;
    } known[] = {{"(a|b)*ab", TH_WORDS_UNAMBIGUOUS, 0, 0},
                 {"a|a|a", TH_WORDS_FINITELY_AMBIGUOUS, 0, 3},
                 {"a*|a*b*|b*a*", TH_WORDS_FINITELY_AMBIGUOUS, 0, 3},
                 {"(a|b)?(a|b)?(a|b)?(a|b)?", TH_WORDS_FINITELY_AMBIGUOUS, 0, 6},
                 {"a*a*", TH_WORDS_POLYNOMIALLY_AMBIGUOUS, 1, 0},
                 {"a*a*a*a*a*a*", TH_WORDS_POLYNOMIALLY_AMBIGUOUS, 5, 0},
                 {"a*a*(ba*a*)", TH_WORDS_POLYNOMIALLY_AMBIGUOUS, 2, 0},
                 {"a*a*|b*b*b*", TH_WORDS_POLYNOMIALLY_AMBIGUOUS, 2, 0},
                 {"(a|b)*a(a|b)*b(a|b)*a(a|b)*", TH_WORDS_POLYNOMIALLY_AMBIGUOUS, 3, 0},
                 {"a*ba*", TH_WORDS_UNAMBIGUOUS, 0, 0},
                 {"(a*a*b)*", TH_WORDS_EXPONENTIALLY_AMBIGUOUS, 0, 0},
                 {"a*a*b(a|aa)*", TH_WORDS_EXPONENTIALLY_AMBIGUOUS, 0, 0},
                 {"[]", TH_WORDS_UNAMBIGUOUS, 0, 0},
                 {"()", TH_WORDS_UNAMBIGUOUS, 0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThAutomaton *a = th_regex_automaton(known[i].pattern, letters, 2, 0, NULL, NULL);
        ThWordsAmbiguity x;
        assert_non_null(a);
        assert_true(th_automaton_ambiguity(a, 0, NULL, &x, NULL));
        if (x.kind != known[i].kind || x.degree != known[i].degree || x.most != known[i].most)
            fail_msg("%s: kind %d, degree %d, %zu ways", known[i].pattern, x.kind, x.degree,
                     x.most);
        assert_consistent(a, &x);
        th_words_ambiguity_free(&x);
        th_automaton_free(a);
    }
}

/* Where the vectors are too many the number of ways stays open; where the automaton is large the
 * answer is refused; and a request to stop ends it. */
static void test_limits(void **state)
{
    (void)state;
    ThWordsAmbiguity x;
    ThError err = {0};
    ThAutomaton *a =
        th_regex_automaton("(a|b)*a(a|b){8}|(a|b)*b(a|b){8}", letters, 2, 0, NULL, NULL);
    assert_true(th_automaton_ambiguity(a, 10, NULL, &x, NULL));
    assert_int_equal(x.kind, TH_WORDS_UNAMBIGUOUS);
    th_automaton_free(a);
    a = th_regex_automaton("(a|b)*a(a|b){8}|(a|b)*a(a|b){7}a", letters, 2, 0, NULL, NULL);
    assert_true(th_automaton_ambiguity(a, 10, NULL, &x, NULL));
    assert_int_equal(x.kind, TH_WORDS_FINITELY_AMBIGUOUS);
    assert_int_equal(x.most, 0);
    th_words_ambiguity_free(&x);
    assert_true(th_automaton_ambiguity(a, 0, NULL, &x, NULL));
    assert_int_equal(x.most, 2);
    th_words_ambiguity_free(&x);
    volatile sig_atomic_t stop = 1;
    assert_false(th_automaton_ambiguity(a, 0, &stop, &x, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    th_automaton_free(a);
    err = (ThError){0};
    a = th_regex_automaton("(a|b)*a(a|b){5000}", letters, 2, 0, NULL, NULL);
    assert_false(th_automaton_ambiguity(a, 0, NULL, &x, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_automaton_free(a);
}

/* Of the words with the most ways a shortest one is told. */
static void test_shortest_of_the_most(void **state)
{
    (void)state;
    ThAutomaton *a = parse("start p; accept q r s t; p a -> q; p a -> r; q b -> s; r b -> t");
    ThWordsAmbiguity x;
    assert_true(th_automaton_ambiguity(a, 0, NULL, &x, NULL));
    assert_int_equal(x.kind, TH_WORDS_FINITELY_AMBIGUOUS);
    assert_int_equal(x.most, 2);
    assert_string_equal(x.word, "a");
    assert_string_equal(x.most_word, "a");
    th_words_ambiguity_free(&x);
    th_automaton_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_growth),
                                       cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_shortest_of_the_most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
