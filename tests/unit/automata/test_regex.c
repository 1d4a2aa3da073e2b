/* Regular expressions, the algebra and the words of languages against definitions: a matcher that
 * works on the expression itself, sets of all short words, and brute-force counts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>

#include "automata/core/build.h"
#include "automata/expression/functions.h"
#include "automata/operations/shortest_difference.h"
#include "automata/operations/relate.h"
#include "automata/operations/transducer.h"
#include "automata/regex/regex.h"
#include "automata/words/ambiguity.h"
#include "automata/words/growth.h"
#include "automata/words/lexicon.h"
#include "automata/words/words.h"
#include "base/rng.h"
#include "given.h"

enum { LENGTH = 7, WORDS = (1 << (LENGTH + 1)) - 1, TURNS = 400 };

/* A language over {a, b} cut off at LENGTH: a flag for every word.  Word i of length n, its letters
 * the bits of i from the front, is number 2^n - 1 + i: length-lexicographic order. */
typedef struct {
    bool has[WORDS];
} Language;

static int number_of(int length, unsigned bits)
{
    return (1 << length) - 1 + (int)bits;
}

static int length_of(int number)
{
    int n = 0;
    while (number >= (2 << n) - 1)
        n++;
    return n;
}

static unsigned bits_of(int number)
{
    return (unsigned)(number - ((1 << length_of(number)) - 1));
}

static int joined(int x, int y)
{
    int n = length_of(y);
    return length_of(x) + n > LENGTH ? -1
                                     : number_of(length_of(x) + n, (bits_of(x) << n) | bits_of(y));
}

static Language concat_of(const Language *x, const Language *y)
{
    Language z = {{false}};
    for (int i = 0; i < WORDS; i++) {
        for (int j = 0; x->has[i] && j < WORDS; j++) {
            int k = y->has[j] ? joined(i, j) : -1;
            if (k >= 0)
                z.has[k] = true;
        }
    }
    return z;
}

static Language star_of(const Language *x)
{
    Language z = {{true}};
    for (int turn = 0; turn < LENGTH; turn++) {
        Language more = concat_of(&z, x);
        for (int i = 0; i < WORDS; i++)
            z.has[i] = z.has[i] || more.has[i];
    }
    return z;
}

/* ---- random expressions with their languages ---- */

static Language random_regex(ThRng *r, char *text, int depth);

static Language leaf(ThRng *r, char *text)
{
    static const char *const leaves[] = {"a", "b", ".", "[ab]", "[^a]", "()", "[]", "'a'"};
    static const bool a[] = {1, 0, 1, 1, 0, 0, 0, 1}, b[] = {0, 1, 1, 1, 1, 0, 0, 0};
    Language x = {{false}};
    int i = below(r, 10);
    i = i > 7 ? i - 8 : i;
    strcpy(text, leaves[i]);
    x.has[0] = i == 5;
    x.has[1] = a[i];
    x.has[2] = b[i];
    return x;
}

static Language binary(ThRng *r, char *text, int depth)
{
    static const char signs[] = "|-&,";
    char left[2000], right[2000];
    Language x = random_regex(r, left, depth - 1), y = random_regex(r, right, depth - 1);
    int kind = below(r, 6);
    char sign = signs[kind > 3 ? 3 * (kind - 4) : kind];
    if (sign == ',') {
        sprintf(text, "(%s)(%s)", left, right);
        return concat_of(&x, &y);
    }
    sprintf(text, "(%s)%c(%s)", left, sign, right);
    for (int i = 0; i < WORDS; i++)
        x.has[i] = sign == '|'   ? x.has[i] || y.has[i]
                   : sign == '&' ? x.has[i] && y.has[i]
                                 : x.has[i] && !y.has[i];
    return x;
}

static Language counted(const Language *x, int least, int most)
{
    Language z = {{false}}, power = {{true}};
    for (int k = 0; k <= most; k++) {
        for (int i = 0; k >= least && i < WORDS; i++)
            z.has[i] = z.has[i] || power.has[i];
        power = concat_of(&power, x);
    }
    return z;
}

static Language unary(ThRng *r, char *text, int depth)
{
    char inside[2000];
    Language x = random_regex(r, inside, depth - 1);
    int least = below(r, 3), most = least + below(r, 3);
    switch (below(r, 5)) {
    case 0:
        sprintf(text, "(%s)*", inside);
        return star_of(&x);
    case 1:
        sprintf(text, "(%s)+", inside);
        return counted(&x, 1, LENGTH + 1);
    case 2:
        sprintf(text, "~(%s)", inside);
        for (int i = 0; i < WORDS; i++)
            x.has[i] = !x.has[i];
        return x;
    case 3:
        sprintf(text, "(%s){%d,%d}", inside, least, most);
        return counted(&x, least, most);
    default:
        sprintf(text, "(%s){%d,}", inside, least);
        return counted(&x, least, LENGTH + 1 + least);
    }
}

static Language random_regex(ThRng *r, char *text, int depth)
{
    if (depth == 0 || below(r, 6) == 0)
        return leaf(r, text);
    return below(r, 3) == 0 ? unary(r, text, depth) : binary(r, text, depth);
}

static char *const letters[] = {(char[]){"a"}, (char[]){"b"}};

static ThAutomaton *read_regex(const char *text)
{
    ThError err = {0};
    ThAutomaton *a = th_regex_automaton(text, letters, 2, 0, NULL, &err);
    if (!a)
        fail_msg("%s: %d: %s", text, err.col, err.msg);
    return a;
}

/* The language of an automaton over {a, b}. */
static Language language_of(const ThAutomaton *a)
{
    Language x = {{false}};
    ThDfa *d = th_automaton_acceptor(a, 0, NULL, NULL);
    assert_non_null(d);
    assert_int_equal(d->n_symbols, 2);
    for (int i = 0; i < WORDS; i++) {
        int word[LENGTH + 1], n = length_of(i);
        for (int j = 0; j < n; j++)
            word[j] = (bits_of(i) >> (n - 1 - j)) & 1;
        x.has[i] = th_dfa_class(d, word, (size_t)n);
    }
    th_dfa_free(d);
    return x;
}

static void assert_language(const ThAutomaton *a, const Language *x, const char *what)
{
    Language y = language_of(a);
    for (int i = 0; i < WORDS; i++)
        if (x->has[i] != y.has[i])
            fail_msg("%s: word %d of length %d is %s", what, (int)bits_of(i), length_of(i),
                     y.has[i] ? "accepted" : "rejected");
}

static void test_regex_means_what_it_says(void **state)
{
    (void)state;
    char text[8000];
    for (int turn = 0; turn < TURNS; turn++) {
        ThRng r = th_rng(7, "regex", (uint64_t)turn);
        Language x = random_regex(&r, text, 4);
        ThAutomaton *a = read_regex(text);
        assert_language(a, &x, text);
        th_automaton_free(a);
    }
}

/* An expression that is shown has the same language, and equal languages the same expression. */
static void test_shown_regex(void **state)
{
    (void)state;
    char text[8000];
    for (int turn = 0; turn < TURNS; turn++) {
        ThRng r = th_rng(11, "regex", (uint64_t)turn);
        random_regex(&r, text, 4);
        ThAutomaton *a = read_regex(text), *m = th_automaton_minimize(a, 0, NULL, NULL);
        bool whole;
        ThError err = {0};
        char *shown = th_regex_of(a, &whole, 0, NULL, &err);
        assert_non_null(shown);
        char *again = th_regex_of(m, &whole, 0, NULL, &err);
        assert_string_equal(shown, again);
        ThAutomaton *b = read_regex(shown);
        ThAutomatonDifference d;
        assert_true(th_automaton_compare(a, b, 0, NULL, &d, NULL));
        if (!d.equivalent)
            fail_msg("%s is shown as %s, which differs on %s", text, shown, d.word);
        free(d.word);
        free(shown);
        free(again);
        th_automaton_free(a);
        th_automaton_free(b);
        th_automaton_free(m);
    }
}

static void test_short_forms(void **state)
{
    (void)state;
    static const char *const shown[][2] = {{"(b*ab*a)*b*", "(b|ab*a)*"},
                                           {"aaa|aaaa|aaaaa", "a{3,5}"},
                                           {"(a|b)*ab", "[ab]*ab"},
                                           {"ab(ab)*", "(ab)+"},
                                           {"()|aa*", "a*"},
                                           {"a&b", "[]"},
                                           {"a?b?", "a?b?"},
                                           {"(a*b*)*", "[ab]*"}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        bool whole;
        ThAutomaton *a = read_regex(shown[i][0]);
        char *text = th_regex_of(a, &whole, 0, NULL, NULL);
        assert_string_equal(text, shown[i][1]);
        free(text);
        th_automaton_free(a);
    }
}

/* What means something in a pattern is escaped where it is a symbol. */
static void test_odd_symbols(void **state)
{
    (void)state;
    static char name[][4] = {"+", "-", "z", "]", "^", "[", "\\", "'", "\"", ".", "a b"};
    enum { ODD = sizeof name / sizeof *name };
    char *odd[ODD];
    for (int i = 0; i < ODD; i++)
        odd[i] = name[i];
    for (int set = 1; set < 1 << ODD; set++) {
        ThAutomaton *a = NULL, *b;
        ThAutomatonBuild build = {0};
        for (int i = 0; i < ODD; i++)
            th_automaton_build_symbol(&build, odd[i]);
        int p = th_automaton_build_state(&build, "p"), q = th_automaton_build_state(&build, "q");
        th_automaton_build_start(&build, p);
        th_automaton_build_accept(&build, q);
        for (int i = 0; i < ODD; i++)
            if (set >> i & 1)
                th_automaton_build_arc(&build, (ThAutomatonArc){p, i, q, TH_AUTOMATON_NO_OUTPUT});
        a = th_automaton_build_finish(&build, NULL);
        assert_non_null(a);
        bool whole;
        char *shown = th_regex_of(a, &whole, 0, NULL, NULL);
        ThError err = {0};
        b = th_regex_automaton(shown, odd, ODD, 0, NULL, &err);
        if (!b)
            fail_msg("%s: %s", shown, err.msg);
        ThAutomatonDifference d;
        assert_true(th_automaton_compare(a, b, 0, NULL, &d, NULL));
        if (!d.equivalent)
            fail_msg("%s differs on %s", shown, d.word);
        free(d.word);
        free(shown);
        th_automaton_free(a);
        th_automaton_free(b);
    }
}

/* A pattern tells its alphabet by itself if it mentions all symbols and they are in order. */
static void test_whole(void **state)
{
    (void)state;
    static char a[] = "a", b[] = "b", c[] = "c";
    char *const orders[][3] = {{a, b, c}, {b, a, c}, {a, c, b}, {a, b, c}};
    for (int i = 0; i < 4; i++) {
        bool whole = false;
        ThError err = {0};
        ThAutomaton *x = th_regex_automaton(i == 3 ? "ab*" : "ab*c", orders[i], 3, 0, NULL, &err);
        assert_non_null(x);
        char *shown = th_regex_of(x, &whole, 0, NULL, NULL);
        assert_int_equal(whole, i == 0);
        free(shown);
        th_automaton_free(x);
    }
}

/* ---- the algebra ---- */

typedef Language Oracle(const Language *x, const Language *y);

static Language reverse_of(const Language *x, const Language *y)
{
    Language z = {{false}};
    (void)y;
    for (int i = 0; i < WORDS; i++) {
        unsigned bits = 0;
        for (int j = 0; j < length_of(i); j++)
            bits |= ((bits_of(i) >> j) & 1) << (length_of(i) - 1 - j);
        z.has[number_of(length_of(i), bits)] = x->has[i];
    }
    return z;
}

static Language shuffle_of(const Language *x, const Language *y)
{
    Language z = {{false}};
    for (int i = 0; i < WORDS; i++) { /* every way of cutting word i in two */
        int n = length_of(i);
        for (unsigned choice = 0; choice < 1u << n && !z.has[i]; choice++) {
            unsigned part[2] = {0, 0};
            int size[2] = {0, 0};
            for (int j = n - 1; j >= 0; j--) {
                int side = (choice >> j) & 1;
                part[side] = part[side] << 1 | ((bits_of(i) >> j) & 1);
                size[side]++;
            }
            z.has[i] = x->has[number_of(size[0], part[0])] && y->has[number_of(size[1], part[1])];
        }
    }
    return z;
}

static Language concat_oracle(const Language *x, const Language *y)
{
    return concat_of(x, y);
}

static Language star_oracle(const Language *x, const Language *y)
{
    (void)y;
    return star_of(x);
}

static void check_function(const char *name, Oracle *oracle, int n)
{
    const ThAutomatonFunction *f = th_automaton_function(name);
    char left[8000], right[8000], what[16100];
    for (int turn = 0; turn < TURNS / 4; turn++) {
        ThRng r = th_rng(13, name, (uint64_t)turn);
        Language x = random_regex(&r, left, 3), y = random_regex(&r, right, 3);
        ThAutomaton *pair[2] = {read_regex(left), read_regex(right)};
        ThAutomatonFunctionCall call = {.automaton = pair, .n = n};
        ThAutomaton *result = th_automaton_apply(f, &call, (ThAutomatonWork){0, NULL}, NULL);
        assert_non_null(result);
        Language wanted = oracle(&x, &y);
        sprintf(what, "%s of %s and %s", name, left, right);
        assert_language(result, &wanted, what);
        th_automaton_free(result);
        th_automaton_free(pair[0]);
        th_automaton_free(pair[1]);
    }
}

static void test_functions(void **state)
{
    (void)state;
    check_function("concat", concat_oracle, 2);
    check_function("star", star_oracle, 1);
    check_function("reverse", reverse_of, 1);
    check_function("shuffle", shuffle_of, 2);
}

/* Where words are cut, short ones are not enough for an oracle: laws that hold instead. */
static ThAutomaton *apply(const char *name, ThAutomaton *a, ThAutomaton *b)
{
    ThAutomaton *pair[2] = {a, b};
    ThAutomatonFunctionCall call = {.automaton = pair, .n = b ? 2 : 1};
    ThAutomaton *result =
        th_automaton_apply(th_automaton_function(name), &call, (ThAutomatonWork){0, NULL}, NULL);
    assert_non_null(result);
    return result;
}

static void assert_equivalent(const ThAutomaton *a, const ThAutomaton *b, const char *what)
{
    ThAutomatonDifference d;
    assert_true(th_automaton_compare(a, b, 0, NULL, &d, NULL));
    if (!d.equivalent)
        fail_msg("%s differ on '%s'", what, d.word);
    free(d.word);
}

static void test_cutting(void **state)
{
    (void)state;
    char text[8000], what[8100];
    for (int turn = 0; turn < TURNS / 4; turn++) {
        ThRng r = th_rng(17, "cutting", (uint64_t)turn);
        random_regex(&r, text, 4);
        ThAutomaton *a = read_regex(text), *all = read_regex(".*"), *ab = read_regex("ab");
        sprintf(what, "prefixes and quotient of %s", text);
        ThAutomaton *x = apply("prefixes", a, NULL), *y = apply("quotient", a, all);
        assert_equivalent(x, y, what);
        th_automaton_free(x);
        th_automaton_free(y);
        sprintf(what, "suffixes and left quotient of %s", text);
        x = apply("suffixes", a, NULL);
        y = apply("left_quotient", a, all);
        assert_equivalent(x, y, what);
        th_automaton_free(x);
        th_automaton_free(y);
        /* (A·ab)/ab is A */
        ThAutomaton *product = apply("concat", a, ab);
        x = apply("quotient", product, ab);
        assert_equivalent(x, a, text);
        th_automaton_free(x);
        th_automaton_free(product);
        product = apply("concat", ab, a);
        x = apply("left_quotient", product, ab);
        assert_equivalent(x, a, text);
        th_automaton_free(x);
        th_automaton_free(product);
        th_automaton_free(a);
        th_automaton_free(all);
        th_automaton_free(ab);
    }
}

static void test_expressions_agree(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"homomorphism(regex \"(ab)*\", a -> \"xy\", b -> eps)", "regex \"(xy)*\""},
        {"homomorphism(regex \"a|b\", a -> w0)", "regex \"'w0'|b\""},
        {"homomorphism(regex \"ab\", a -> \"p q\")", "regex \"pqb\""},
        {"inverse(regex \"(ab)*\", x -> \"ab\", y -> \"aba\", z -> \"b\")", "regex \"(x|yz)*\""},
        {"inverse(regex \"('w1''w0')*\", p -> \"w1\", q -> \"w0\")", "regex \"(pq)*\""},
        {"homomorphism(regex \"'w1'b\", b -> \"w1\")", "regex \"'w1''w1'\""},
        {"project(compose(regex \"ab*\", regex \"ab|abb\"), output)", "regex \"abb?\""},
        {"project(cycle(5), input)", "cycle(5)"},
        {"quotient(regex \"a*b*\", regex \"bb\")", "regex \"a*b*\""},
        {"quotient(regex \"a*b*\", regex \"bb|c\")", "regex \"a*b*\" over \"abc\""},
        {"~left_quotient(regex \"ab\", regex \"c|a\")", "~regex \"b\" over \"abc\""},
        {"complete(regex \"ab\")", "regex \"ab\""},
        {"regex \"a\" over \"b a\"", "regex \"a\""},
        {"~regex \".*aa.*\" over \"ab\"", "regex \"~(.*aa.*)&.*\" over \"ab\""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ThAutomaton *a = evaluate(pairs[i][0]), *b = evaluate(pairs[i][1]);
        ThAutomaton *x = th_automaton_project(a, false, (ThAutomatonWork){0, NULL}, NULL);
        ThAutomaton *y = th_automaton_project(b, false, (ThAutomatonWork){0, NULL}, NULL);
        assert_equivalent(x, y, pairs[i][0]);
        th_automaton_free(x);
        th_automaton_free(y);
        th_automaton_free(a);
        th_automaton_free(b);
    }
}

static void test_transducers(void **state)
{
    (void)state;
    static const char text[] = "alphabet 0 1\nstart p\naccept p q\np 0 -> p / 1\np 1 -> q / 0\n"
                               "q 0 -> q / 0\nq 1 -> q / 1\n";
    ThAutomaton *t = th_automaton_parse(text, NULL); /* subtracts one, lowest digit first */
    assert_non_null(t);
    ThAutomaton *back = apply("invert", t, NULL), *both = apply("compose", t, back);
    for (int i = 0; i < 64; i++) {
        char word[7];
        for (int j = 0; j < 6; j++)
            word[j] = (char)('0' + ((i >> j) & 1));
        word[6] = '\0';
        ThAutomaton *input = th_automaton_word(t, word, NULL);
        ThAutomaton *output = apply("apply", t, input), *same = apply("apply", both, input);
        ThDfa *d = th_automaton_acceptor(output, 0, NULL, NULL);
        int length, *found = th_dfa_shortest(d, 1, &length, NULL), value = 0;
        assert_int_equal(length, 6);
        for (int j = 0; j < 6; j++)
            value |= (strcmp(output->symbol[found[j]], "1") == 0) << j;
        assert_int_equal(value, (i + 63) % 64);
        assert_equivalent(same, input, word);
        free(found);
        th_dfa_free(d);
        th_automaton_free(input);
        th_automaton_free(output);
        th_automaton_free(same);
    }
    th_automaton_free(t);
    th_automaton_free(back);
    th_automaton_free(both);
}

static void test_relations(void **state)
{
    (void)state;
    char left[8000], right[8000];
    for (int turn = 0; turn < TURNS / 2; turn++) {
        ThRng r = th_rng(19, "relate", (uint64_t)turn);
        random_regex(&r, left, 3);
        random_regex(&r, right, 3);
        ThAutomaton *a = read_regex(left), *b = read_regex(right);
        Language x = language_of(a), y = language_of(b);
        ThAutomatonRelation found;
        assert_true(th_automaton_relate(a, b, 0, NULL, &found, NULL));
        const char *const word[3] = {found.only[0], found.only[1], found.both};
        for (int kind = 0; kind < 3; kind++) {
            int first = 0;
            while (first < WORDS && !(kind == 0   ? x.has[first] && !y.has[first]
                                      : kind == 1 ? y.has[first] && !x.has[first]
                                                  : x.has[first] && y.has[first]))
                first++;
            if (first == WORDS) {
                assert_true(!word[kind] || strlen(word[kind]) > LENGTH);
                continue;
            }
            assert_non_null(word[kind]);
            assert_int_equal(strlen(word[kind]), length_of(first));
            unsigned bits = 0;
            for (const char *c = word[kind]; *c; c++)
                bits = bits << 1 | (*c == 'b');
            assert_int_equal(bits, bits_of(first));
        }
        th_automaton_relation_free(&found);
        th_automaton_free(a);
        th_automaton_free(b);
    }
}

/* ---- words ---- */

static bool keep_digits(void *context, int length, const char *digits)
{
    long long *counts = context;
    counts[length] = strtoll(digits, NULL, 10);
    return true;
}

static void test_words_in_order(void **state)
{
    (void)state;
    char text[8000];
    for (int turn = 0; turn < TURNS / 2; turn++) {
        ThRng r = th_rng(23, "words", (uint64_t)turn);
        random_regex(&r, text, 4);
        ThAutomaton *a = read_regex(text);
        Language x = language_of(a);
        ThDfa *d = th_automaton_acceptor(a, 0, NULL, NULL);
        long long counts[LENGTH + 1], wanted[LENGTH + 1] = {0};
        ThWordsList *l = th_word_list(d, 0, LENGTH, NULL);
        const int *word;
        int length, i = 0;
        while (th_word_list_next(l, &word, &length, NULL, NULL)) {
            unsigned bits = 0;
            for (int j = 0; j < length; j++)
                bits = bits << 1 | (unsigned)word[j];
            for (; i < number_of(length, bits); i++)
                assert_false(x.has[i]);
            assert_true(x.has[i++]);
        }
        for (; i < WORDS; i++)
            assert_false(x.has[i]);
        assert_true(
            th_dfa_count(d, &(ThWordCounting){0, LENGTH, keep_digits, counts, NULL}, NULL, NULL));
        for (i = 0; i < WORDS; i++)
            wanted[length_of(i)] += x.has[i];
        for (int k = 0; k <= LENGTH; k++)
            assert_int_equal(counts[k], wanted[k]);
        th_word_list_free(l);
        th_dfa_free(d);
        th_automaton_free(a);
    }
}

static ThDfa *machine(const char *pattern)
{
    ThAutomaton *a = read_regex(pattern);
    ThDfa *d = th_automaton_acceptor(a, 0, NULL, NULL);
    assert_non_null(d);
    th_automaton_free(a);
    return d;
}

/* Binomial coefficients as the words with k letters a: an exact large number. */
static void test_large_counts(void **state)
{
    (void)state;
    ThDfa *d = machine("(b*a){50}b*");
    char *total = NULL;
    assert_true(th_dfa_count(d, &(ThWordCounting){.lo = 100, .hi = 100}, &total, NULL));
    assert_string_equal(total, "100891344545564193334812497256");
    free(total);
    th_dfa_free(d);
}

/* Every word is as probable as any other: a chi-square test over all of them. */
static void test_uniform(void **state)
{
    (void)state;
    enum { LONG = 10, DRAWS = 40000 };
    static int seen[1 << LONG];
    ThDfa *d = machine("~(.*aa.*)");
    ThWordSampler *w = th_word_sampler(d, LONG, NULL, NULL);
    ThRng r = th_rng(5, "uniform", 0);
    int word[LONG], n = 0;
    for (int i = 0; i < DRAWS; i++) {
        unsigned bits = 0;
        assert_true(th_word_sample(w, &r, word, NULL));
        for (int j = 0; j < LONG; j++)
            bits = bits << 1 | (unsigned)word[j];
        seen[bits]++;
    }
    double chi = 0, mean = DRAWS / 144.0; /* Fibonacci's 12th number */
    for (unsigned bits = 0; bits < 1 << LONG; bits++) {
        bool in = !(~bits & (~bits >> 1) & ((1u << (LONG - 1)) - 1));
        assert_true(in || !seen[bits]);
        n += in;
        chi += in ? (seen[bits] - mean) * (seen[bits] - mean) / mean : 0;
    }
    assert_int_equal(n, 144);
    assert_in_range((int)(1e6 * gsl_cdf_chisq_Q(chi, 143)), 1000, 999000);
    th_word_sampler_free(w);
    ThError err = {0};
    ThDfa *none = machine("aa");
    assert_null(th_word_sampler(none, 3, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_dfa_free(none);
    th_dfa_free(d);
}

static void test_growth(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        bool empty, finite, exponential;
        int longest, degree;
        double rate;
    } known[] = {{"[]", true, true, false, -1, 0, 0},
                 {"()", false, true, false, 0, 0, 0},
                 {"a{3,7}|bb", false, true, false, 7, 0, 0},
                 {"(ab)*", false, false, false, -1, 0, 1},
                 {"a*b*", false, false, false, -1, 1, 1},
                 {"a*ba*ba*", false, false, false, -1, 2, 1},
                 {"~(.*aa.*)", false, false, true, -1, 0, 1.6180339887498949},
                 {".*", false, false, true, -1, 0, 2},
                 {"~(.*aaa.*)", false, false, true, -1, 0, 1.8392867552141612}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThDfa *d = machine(known[i].pattern);
        ThWordsGrowth g;
        assert_true(th_dfa_growth(d, &g, NULL, NULL));
        assert_int_equal(g.empty, known[i].empty);
        assert_int_equal(g.finite, known[i].finite);
        assert_int_equal(g.exponential, known[i].exponential);
        assert_int_equal(g.longest, known[i].longest);
        assert_int_equal(g.degree, known[i].degree);
        assert_true(fabs(g.rate - known[i].rate) < 1e-9);
        th_dfa_free(d);
    }
}

/* ---- ambiguity ---- */

/* Ways in which a word is accepted, counted by hand; no empty moves. */
static long ways(const ThAutomaton *a, int q, unsigned bits, int left)
{
    long sum = left == 0 && a->accept[q];
    for (size_t i = a->first[q]; left > 0 && i < a->first[q + 1]; i++)
        if ((unsigned)a->arc[i].symbol == ((bits >> (left - 1)) & 1))
            sum += ways(a, a->arc[i].to, bits, left - 1);
    return sum;
}

static void test_ambiguity(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        ThWordsAmbiguityKind kind;
        const char *word;
    } known[] = {{"(a|b)*ab", TH_WORDS_UNAMBIGUOUS, NULL},
                 {"a|a", TH_WORDS_FINITELY_AMBIGUOUS, "a"},
                 {"a*b|ab*", TH_WORDS_FINITELY_AMBIGUOUS, "ab"},
                 {".*a.*", TH_WORDS_POLYNOMIALLY_AMBIGUOUS, "aa"},
                 {"a*a*", TH_WORDS_POLYNOMIALLY_AMBIGUOUS, "a"},
                 {"(a|a)*", TH_WORDS_EXPONENTIALLY_AMBIGUOUS, "a"},
                 {"(a*b*)*", TH_WORDS_UNAMBIGUOUS, NULL},
                 {"(a|aa)*", TH_WORDS_EXPONENTIALLY_AMBIGUOUS, "aa"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThAutomaton *a = read_regex(known[i].pattern);
        ThWordsAmbiguity found;
        assert_true(th_automaton_ambiguity(a, 0, NULL, &found, NULL));
        if (found.kind != known[i].kind)
            fail_msg("%s: kind %d", known[i].pattern, found.kind);
        if (known[i].word && strcmp(found.word, known[i].word) != 0)
            fail_msg("%s: %s, not %s", known[i].pattern, found.word, known[i].word);
        th_words_ambiguity_free(&found);
        th_automaton_free(a);
    }
}

/* The word is accepted in two ways and no shorter one is. */
static void test_ambiguous_words(void **state)
{
    (void)state;
    char text[8000];
    for (int turn = 0; turn < TURNS / 2; turn++) {
        ThRng r = th_rng(29, "ambiguity", (uint64_t)turn);
        random_regex(&r, text, 3);
        ThAutomaton *a = read_regex(text);
        ThWordsAmbiguity found;
        assert_true(th_automaton_ambiguity(a, 0, NULL, &found, NULL));
        int shortest = -1;
        for (int i = 0; i < WORDS && shortest < 0; i++) {
            long n = 0;
            for (int q = 0; q < a->n_states; q++)
                n += a->start[q] ? ways(a, q, bits_of(i), length_of(i)) : 0;
            shortest = n > 1 ? length_of(i) : -1;
        }
        assert_int_equal(found.word != NULL, found.kind != TH_WORDS_UNAMBIGUOUS);
        if (shortest >= 0)
            assert_int_equal(strlen(found.word), shortest);
        else
            assert_true(!found.word || strlen(found.word) > LENGTH);
        th_words_ambiguity_free(&found);
        th_automaton_free(a);
    }
}

/* ---- lists of words ---- */

static void test_word_lists(void **state)
{
    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        ThRng r = th_rng(31, "list", (uint64_t)turn);
        Language x = {{false}};
        char list[4000] = "", *at = list;
        for (int i = 0, n = 1 + below(&r, 40); i < n; i++) {
            int w = below(&r, WORDS / 2);
            x.has[w] = true;
            for (int j = length_of(w); j-- > 0;)
                *at++ = (char)('a' + ((bits_of(w) >> j) & 1));
            *at++ = '\n';
        }
        strcpy(at, "ab\n");
        x.has[number_of(2, 1)] = true;
        ThAutomaton *a = th_automaton_of_words(list, strlen(list), NULL, NULL);
        assert_non_null(a);
        assert_language(a, &x, "list of words");
        ThAutomaton *m = th_automaton_minimize(a, 0, NULL, NULL);
        assert_int_equal(m->n_states, a->n_states); /* and numbered alike */
        assert_int_equal(m->n_arcs, a->n_arcs);
        assert_memory_equal(m->arc, a->arc, m->n_arcs * sizeof *m->arc);
        th_automaton_free(a);
        th_automaton_free(m);
    }
    char empty[] = "\"\"\r\nab\n"; /* as words are listed */
    Language x = {{[0] = true}};
    x.has[number_of(2, 1)] = true;
    ThAutomaton *with = th_automaton_of_words(empty, strlen(empty), NULL, NULL);
    assert_language(with, &x, "the empty word in a list");
    th_automaton_free(with);
    char bad[] = "a\n\xff\n";
    ThError err = {0};
    assert_null(th_automaton_of_words(bad, strlen(bad), NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
}

/* ---- limits and bad input ---- */

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        ThErrc code;
        int col;
    } bad[] = {{"a|)", TH_EPARSE, 3},
               {"(a", TH_EPARSE, 1},
               {"[a", TH_EPARSE, 1},
               {"a{2", TH_EPARSE, 2},
               {"a{3,2}", TH_EPARSE, 2},
               {"*a", TH_EPARSE, 1},
               {"a\\", TH_EPARSE, 2},
               {"a\\q", TH_EPARSE, 2},
               {"'ab", TH_EPARSE, 1},
               {"''", TH_EPARSE, 1},
               {"[z-a]", TH_EPARSE, 2},
               {"[[:x:]]", TH_EPARSE, 2},
               {"\\u{d800}", TH_EPARSE, 3},
               {"\xc3", TH_EPARSE, 1},
               {"a}", TH_EPARSE, 2},
               {"a{100001}", TH_EPARSE, 3},
               {"(a{1000}){1000}", TH_ELIMIT, 0},
               {"((){100000}){100000}", TH_OK, 0},
               {"[\\u{100}-\\u{10000}]", TH_ELIMIT, 1},
               {".", TH_OK, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        ThAutomaton *a = th_regex_automaton(bad[i].pattern, letters, 2, 100000, NULL, &err);
        if (err.code != bad[i].code || err.col != bad[i].col || !a != (bad[i].code != TH_OK))
            fail_msg("%s gives %d at %d: %s", bad[i].pattern, err.code, err.col, err.msg);
        th_automaton_free(a);
    }
    char deep[1000];
    memset(deep, '(', 400);
    memset(deep + 400, ')', 400);
    deep[800] = '\0';
    ThError err = {0};
    assert_null(th_regex_automaton(deep, NULL, 0, 0, NULL, &err));
    assert_int_equal(err.code, TH_EPARSE);
    memset(&err, 0, sizeof err);
    assert_null(th_regex_automaton(".", NULL, 0, 0, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    volatile sig_atomic_t stop = 1;
    memset(&err, 0, sizeof err);
    assert_null(th_regex_automaton("(a|b)*a(a|b){18}", NULL, 0, 0, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regex_means_what_it_says),
        cmocka_unit_test(test_shown_regex),
        cmocka_unit_test(test_short_forms),
        cmocka_unit_test(test_odd_symbols),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_cutting),
        cmocka_unit_test(test_expressions_agree),
        cmocka_unit_test(test_transducers),
        cmocka_unit_test(test_relations),
        cmocka_unit_test(test_words_in_order),
        cmocka_unit_test(test_large_counts),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_ambiguity),
        cmocka_unit_test(test_ambiguous_words),
        cmocka_unit_test(test_word_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
