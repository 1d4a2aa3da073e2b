/* test_mso.c - automata of sentences about positions and sets against what the sentences say, on
 * all short words, by trying all positions and all sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "automata/logic/ltl.h"
#include "automata/logic/mso.h"
#include "automata/regex/regex.h"
#include "base/rng.h"
#include "base/text.h"

enum { MOST_NODES = 64, LETTERS = 3, LENGTH = 5 };

/* A drawn sentence.  Variables are numbered by the quantifiers around them: even are positions, odd
 * are sets. */
typedef struct {
    struct {
        char sign;
        int x, y, by;
    } node[MOST_NODES];
    int n;
} Tree;

static int set_of(int x)
{
    return x + 1;
}

/* Writes an atom about a bound position, or a quantifier; returns its number. */
static int draw(Tree *t, ThRng *r, int size, int variables, ThText *text)
{
    int me = t->n++;
    int how = variables < 2 ? (int)th_rng_below(r, 2) : 2 + (int)th_rng_below(r, 9);
    if (variables >= 2 && size > 1 && th_rng_below(r, 3) == 0 && variables < 6)
        how = (int)th_rng_below(r, 2);
    if (how < 2) { /* a position and a set, each by exists or forall */
        t->node[me].sign = "EA"[how];
        t->node[me].by = (int)th_rng_below(r, 2);
        const char *word = how ? "forall" : "exists";
        const char *other = t->node[me].by ? "forall" : "exists";
        th_text_printf(text, "(%s x%d. %s X%d. ", word, variables, other, set_of(variables));
        t->node[me].x = draw(t, r, size, variables + 2, text);
        th_text_add(text, ")");
        return me;
    }
    int x = 2 * (int)th_rng_below(r, (uint64_t)variables / 2),
        y = 2 * (int)th_rng_below(r, (uint64_t)variables / 2);
    if (size > 1) {
        t->node[me].sign = "&|>=!"[how % 5];
        if (how % 5 == 4) {
            th_text_add(text, "!");
            t->node[me].x = draw(t, r, size - 1, variables, text);
            return me;
        }
        static const char *const word[] = {"&", "|", "->", "<->"};
        th_text_add(text, "(");
        t->node[me].x = draw(t, r, size / 2, variables, text);
        th_text_printf(text, " %s ", word[how % 5]);
        t->node[me].y = draw(t, r, size - size / 2, variables, text);
        th_text_add(text, ")");
        return me;
    }
    t->node[me].sign = "amflLGe~s"[how - 2];
    t->node[me].x = x;
    t->node[me].y = y;
    t->node[me].by = (int)th_rng_below(r, 3);
    int by = t->node[me].by;
    switch (t->node[me].sign) {
    case 'a':
        th_text_printf(text, "Q%c(x%d)", 'a' + by, x);
        break;
    case 'm':
        th_text_printf(text, "X%d(x%d)", set_of(y), x);
        break;
    case 's':
        th_text_printf(text, "x%d in X%d", x, set_of(y));
        break;
    case 'f':
        th_text_printf(text, "first(x%d)", x);
        break;
    case 'l':
        th_text_printf(text, "last(x%d)", x);
        break;
    case 'L':
        th_text_printf(text, "x%d + %d < x%d", x, by, y);
        break;
    case 'G':
        th_text_printf(text, "x%d >= x%d + %d", x, y, by);
        break;
    case 'e':
        th_text_printf(text, "x%d + %d = x%d", x, by, y);
        break;
    default:
        th_text_printf(text, "x%d + 1 != x%d + %d", x, y, by);
    }
    return me;
}

/* By the definition; value has the positions and sets of bound variables. */
static bool is_true(const Tree *t, int me, const int *w, int n, const int *value, int variables)
{
    int x = t->node[me].x, y = t->node[me].y, by = t->node[me].by, v = value[x], u = value[y];
    switch (t->node[me].sign) {
    case 'E':
    case 'A':
        for (int i = 0; i < n; i++) {
            bool sets = by; /* forall of all, exists of none yet */
            for (int set = 0; set < 1 << n; set++) {
                int more[16];
                memcpy(more, value, sizeof more);
                more[variables] = i;
                more[variables + 1] = set;
                bool is = is_true(t, x, w, n, more, variables + 2);
                sets = by ? sets && is : sets || is;
            }
            if (sets != (t->node[me].sign == 'A'))
                return sets;
        }
        return t->node[me].sign == 'A';
    case '!':
        return !is_true(t, x, w, n, value, variables);
    case '&':
        return is_true(t, x, w, n, value, variables) && is_true(t, y, w, n, value, variables);
    case '|':
        return is_true(t, x, w, n, value, variables) || is_true(t, y, w, n, value, variables);
    case '>':
        return !is_true(t, x, w, n, value, variables) || is_true(t, y, w, n, value, variables);
    case '=':
        return is_true(t, x, w, n, value, variables) == is_true(t, y, w, n, value, variables);
    case 'a':
        return w[v] == by;
    case 'm':
    case 's':
        return value[y + 1] >> v & 1;
    case 'f':
        return v == 0;
    case 'l':
        return v == n - 1;
    case 'L':
        return v + by < u;
    case 'G':
        return v >= u + by;
    case 'e':
        return v + by == u;
    default:
        return v + 1 != u + by;
    }
}

static char letter[][2] = {"a", "b", "c"};
static char *letters[] = {letter[0], letter[1], letter[2]};

static ThDfa *smallest(ThAutomaton *a)
{
    assert_non_null(a);
    ThDfa *d = th_automaton_dfa(a, 0, NULL, NULL), *m = th_dfa_minimize(d, NULL, NULL);
    th_automaton_free(a);
    th_dfa_free(d);
    return m;
}

static void test_meaning(void **state)
{
    (void)state;
    long in = 0, out = 0;
    for (int turn = 0; turn < 250; turn++) {
        ThRng r = th_rng(5, "mso", (uint64_t)turn);
        Tree t = {0};
        ThText text = {0};
        ThError err = {0};
        draw(&t, &r, 1 + turn % 5, 0, &text);
        ThAutomaton *a = th_automaton_mso(text.data, letters, LETTERS, 0, NULL, &err);
        if (!a)
            fail_msg("%s: %s", text.data, err.msg);
        ThDfa *d = smallest(a);
        int most = turn % 10 ? 3 : LENGTH;
        for (int n = 0, all = 1; n <= most; n++, all *= LETTERS)
            for (int k = 0; k < all; k++) {
                int w[LENGTH + 1] = {0}, none[16] = {0};
                for (int i = 0, left = k; i < n; i++, left /= LETTERS)
                    w[i] = left % LETTERS;
                bool is = is_true(&t, 0, w, n, none, 0);
                if ((th_dfa_class(d, w, (size_t)n) == 1) != is)
                    fail_msg("%s on a word of %d letters (%d)", text.data, n, k);
                in += is;
                out += !is;
            }
        th_dfa_free(d);
        th_text_free(&text);
    }
    assert_true(in > 5000 && out > 5000);
}

/* Sentences, and the languages that they are known to be. */
static void test_known(void **state)
{
    static const struct {
        const char *sentence, *pattern;
    } known[] = {
        {"exists x. Qa(x)", ".*a.*"},
        {"forall x y. x < y -> !(Qb(x) & Qa(y))", "[ac]*[bc]*"},
        {"exists x y: y = x + 1 & Qa(x) & Qa(y)", ".*aa.*"},
        {"∀x. last(x) → ¬Qa(x) ∧ ¬Qb(x) ∨ Qb(x)", "(.*[bc])?"},
        {"∃x. last(x) & Qa(x)", ".*a"},
        {"ex x. (all y. x <= y) & Qa(x)", "a.*"},
        {"exists X. (forall x. first(x) -> x in X) & (forall x y. y = x + 1 -> (X(x) <-> !X(y))) & "
         "(forall x. last(x) -> !X(x))",
         "(..)*"},
        {"exists x. Qa(x) & forall y. Qa(y) -> x = y", "[bc]*a[bc]*"},
        {"exists x. exists y. x + 3 = y & Qa(x) & Qb(y)", ".*a..b.*"},
        {"!exists x. true", "()"},
        {"(exists x. Qa(x)) & exists x. Qb(x)", ".*a.*&.*b.*"},
        {"exists x. Qa(x) & exists x. Qb(x)", ".*a.*&.*b.*"},
        {"exists x. exists x. Qb(x) & exists X. X(x)", ".*b.*"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThError err = {0};
        ThAutomaton *a = th_automaton_mso(known[i].sentence, letters, 3, 0, NULL, &err);
        if (!a)
            fail_msg("%s: %s", known[i].sentence, err.msg);
        ThDfa *x = smallest(a),
              *y = smallest(th_regex_automaton(known[i].pattern, letters, 3, 0, NULL, NULL));
        int length = 0;
        int *word = th_dfa_distinguish(x, y, &length, NULL, NULL);
        if (word)
            fail_msg("%s is not %s", known[i].sentence, known[i].pattern);
        th_dfa_free(x);
        th_dfa_free(y);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *sentence, *message;
        int column;
    } bad[] = {
        {"", "a formula was expected, not the end", 1},
        {"exists x. Qa(y)", "this variable is not bound: exists or forall must stand before it",
         14},
        {"(exists x. Qa(x)) & Qb(x)",
         "this variable is not bound: exists or forall must stand before it", 24},
        {"exists x Qa(x)", "a variable or . was expected", 10},
        {"exists . true", "a variable was expected: x of positions, X of sets", 8},
        {"exists x. Q(x)", "the name of a set was expected, with a capital", 11},
        {"exists x X. X(X)", "the name of a position was expected, as x", 15},
        {"exists x X. X < x", "( was expected", 15},
        {"exists x. x in x", "the name of a set was expected, with a capital", 16},
        {"exists x. x + y = x", "a number was expected", 15},
        {"exists x. x + 101 = x", "the number is too large: 100 at most", 15},
        {"exists x. x", "< <= = != >= > or in was expected", 12},
        {"exists x. Q'w(x)", "a name in single quotes was expected", 12},
        {"exists x. (x = x", ") was expected", 17},
        {"exists first. true", "a variable was expected: x of positions, X of sets", 8},
        {"exists a b c d e f g h i j k l m. a = b",
         "more than 12 variables in the scope of each other", 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        assert_null(th_automaton_mso(bad[i].sentence, NULL, 0, 0, NULL, &err));
        if (err.code != TH_EPARSE || err.col != bad[i].column ||
            strcmp(err.msg, bad[i].message) != 0)
            fail_msg("%s: %d: %s", bad[i].sentence, err.col, err.msg);
    }
    ThError err = {0};
    assert_null(th_automaton_mso("exists x y z. x + 30 < y & y + 30 < z & Qa(x)", letters, 3, 40,
                                 NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meaning), cmocka_unit_test(test_known),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
