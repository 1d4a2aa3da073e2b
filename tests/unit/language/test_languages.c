/* Grammars and machines with counters against functions that know neither. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "automata/core/automaton.h"
#include "given.h"
#include "language/any_language.h"
#include "language/counters.h"
#include "language/trees.h"
#include "languages.h"
#include "sanitized.h"
#include "turing/tm_machine.h"

enum { LONGEST = 12, WHOLE = SANITIZED ? 9 : 12 }; /* of words; to which all are tried */

/* Returns new: a language over a, b, … so many letters. */
static ThLanguage *given(const char *kind, const char *text, int letters)
{
    ThError err = {0};
    ThText all = {0};
    if (!strstr(text, "alphabet")) {
        th_text_add(&all, "alphabet");
        for (int i = 0; i < letters; i++)
            th_text_printf(&all, " %c", 'a' + i);
        th_text_add(&all, "\n");
    }
    th_text_add(&all, text);
    ThLanguage *l = th_language_parse(kind, all.data, &err);
    if (!l)
        fail_msg("%s: %s", text, err.msg);
    th_text_free(&all);
    return l;
}

static void spell(char *to, ThLanguageWord w)
{
    for (int i = 0; i < w.n; i++)
        to[i] = (char)('a' + w.symbol[i]);
    to[w.n] = '\0';
}

typedef struct {
    size_t row;
    long long members;
} Seen;

static bool check_member(void *context, ThLanguageWord w, ThLanguageAnswer answer)
{
    Seen *s = context;
    char text[LONGEST + 1];
    spell(text, w);
    assert_int_equal(answer, TH_LANGUAGE_YES);
    if (!languages[s->row].want(text, w.n))
        fail_msg("%s has the word %s", languages[s->row].name, text);
    s->members++;
    return true;
}

static long long wanted(size_t row, int n)
{
    int word[LONGEST + 1] = {0};
    char text[LONGEST + 1];
    long long count = 0;
    int k = languages[row].letters, i;
    do {
        spell(text, (ThLanguageWord){word, n});
        count += languages[row].want(text, n);
        for (i = 0; i < n && ++word[i] == k; i++)
            word[i] = 0;
    } while (i < n);
    return count;
}

typedef struct {
    const long long *want;
    const char *name;
} Counts;

static bool check_count(void *context, int length, const char *digits, long long open)
{
    const Counts *c = context;
    assert_int_equal(open, 0);
    if (strtoll(digits, NULL, 10) != c->want[length])
        fail_msg("%s, length %d: %s words, not %lld", c->name, length, digits, c->want[length]);
    return true;
}

/* The members among all words, and their numbers, are those of the function. */
static void check_words(const ThLanguage *l, size_t row, const long long *want)
{
    ThError err = {0};
    for (int n = 0; n <= WHOLE; n++) {
        Seen s = {row, 0};
        assert_true(th_language_each(l, n, 0, check_member, &s, NULL, NULL, &err));
        if (s.members != want[n])
            fail_msg("%s, length %d: %lld members, not %lld", languages[row].name, n, s.members,
                     want[n]);
        ThLanguageWords *w = th_language_words(l, n, NULL, &err);
        assert_non_null(w);
        if (!languages[row].ambiguous) {
            double logarithm = want[n] ? log((double)want[n]) : -HUGE_VAL;
            assert_true(th_language_words_log(w) == logarithm ||
                        fabs(th_language_words_log(w) - logarithm) < 1e-12);
        }
        th_language_words_free(w);
    }
    Counts c = {want, languages[row].name};
    char *total;
    long long all = 0;
    for (int n = 0; n <= WHOLE; n++)
        all += want[n];
    assert_true(th_language_count(l, 0, WHOLE, check_count, &c, &total, NULL, &err));
    assert_int_equal(strtoll(total, NULL, 10), all);
    free(total);
}

static void test_all_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < LANGUAGES; i++) {
        long long want[LONGEST + 1];
        for (int n = 0; n <= WHOLE; n++)
            want[n] = wanted(i, n);
        const char *text[] = {languages[i].grammar, languages[i].counters};
        for (int k = 0; k < 2; k++) {
            ThLanguage *l =
                text[k] ? given(k ? "counters" : "grammar", text[k], languages[i].letters) : NULL;
            if (l)
                check_words(l, i, want);
            th_language_free(l);
        }
    }
}

/* Of those that no counters tell. */
static const struct {
    const char *name, *text;
} machines[] = {
    {"palindromes",
     "start s; accept y; nondeterministic; tapes 2\n"
     "s a | _ -> R | a R s; s b | _ -> R | b R s; s a | _ -> S | L m; s b | _ -> S | L m\n"
     "s a | _ -> R | L m; s b | _ -> R | L m\n"
     "s _ | _ -> S | L m; m a | a -> R | L m; m b | b -> R | L m; m _ | _ -> S | S y"},
    {"even palindromes",
     "start s; accept y; nondeterministic; tapes 2\n"
     "s a | _ -> R | a R s; s b | _ -> R | b R s; s a | _ -> S | L m; s b | _ -> S | L m\n"
     "s _ | _ -> S | L m; m a | a -> R | L m; m b | b -> R | L m; m _ | _ -> S | S y"},
    {"dyck2",
     "start i; accept y; tapes 2; i * | _ -> S | Z R s; s _ | _ -> S | L e; e _ | Z -> S | S y\n"
     "s a | _ -> R | a R s; s b | _ -> S | L p; p b | a -> R | _ S s\n"
     "s c | _ -> R | c R s; s d | _ -> S | L p; p d | c -> R | _ S s"},
    {"marked",
     "start s; accept y; tapes 2; s a | _ -> R | a R s; s b | _ -> R | b R s; s c | _ -> R | L m\n"
     "m a | a -> R | L m; m b | b -> R | L m; m _ | _ -> S | S y"},
    {"list", "start s; accept y; s b -> R t; t a -> R s; t _ -> S y"},
};

static const char *machine_text(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(machines[i].name, name) == 0)
            return machines[i].text;
    return NULL;
}

/* A rule of the machine of counters: what a counter is shows under the head of its tape, which
 * stands as many cells behind a Z.  More than 1 is added in several steps, of which the last reads
 * on. */
static void write_rule(ThText *t, const ThCounters *c, const ThCountersRule *r, const char *symbol)
{
    const char *from = th_intern_at(&c->state, (size_t)r->from, NULL),
               *to = th_intern_at(&c->state, (size_t)r->to, NULL);
    int steps = 1;
    for (int i = 0; i < c->k; i++)
        steps = abs(r->change[i]) > steps ? abs(r->change[i]) : steps;
    for (int s = 0; s < steps; s++) {
        static const char *const test[] = {"*", "Z", "_"};
        char name[64];
        snprintf(name, sizeof name, "%s.%s.%s", from, symbol, to);
        th_text_printf(t, "%s %s", s ? name : from, symbol);
        for (int i = 0; i < c->k; i++)
            th_text_printf(t, " | %s", s < -r->change[i] ? "_" : s ? "*" : test[r->where.test[i]]);
        th_text_printf(t, " -> %s", s + 1 < steps ? "S" : "R");
        for (int i = 0; i < c->k; i++)
            th_text_printf(t, " | %s", s >= abs(r->change[i]) ? "S" : r->change[i] > 0 ? "R" : "L");
        th_text_printf(t, " %s\n", s + 1 < steps ? name : to);
    }
}

static void write_accept(ThText *t, const ThCounters *c, const ThCountersAccept *a)
{
    static const char *const test[] = {"*", "Z", "_"};
    th_text_printf(t, "%s _", (const char *)th_intern_at(&c->state, (size_t)a->state, NULL));
    for (int i = 0; i < c->k; i++)
        th_text_printf(t, " | %s", test[a->where.test[i]]);
    th_text_add(t, " -> S");
    for (int i = 0; i < c->k; i++)
        th_text_add(t, " | S");
    th_text_add(t, " ACCEPT\n");
}

/* Returns new: a Turing machine with a tape for each counter, as a language. */
static ThLanguage *as_machine(size_t row)
{
    ThError err = {0};
    ThText t = {0};
    const char *text = machine_text(languages[row].name);
    char letter[4][2] = {"a", "b", "c", "d"},
         *name[] = {letter[0], letter[1], letter[2], letter[3]};
    ThLanguageAlphabet alphabet = {name, languages[row].letters};
    if (!text) {
        ThLanguage *l = given("counters", languages[row].counters, languages[row].letters);
        const ThCounters *c = l->data;
        th_text_printf(&t, "tapes %d; start START; accept ACCEPT\nSTART *", c->k + 1);
        for (int i = 0; i < c->k; i++)
            th_text_add(&t, " | _");
        th_text_add(&t, " -> S");
        for (int i = 0; i < c->k; i++)
            th_text_add(&t, " | Z S");
        th_text_printf(&t, " %s\n", (const char *)th_intern_at(&c->state, 0, NULL));
        for (size_t i = 0; i < c->n_rules; i++)
            write_rule(&t, c, &c->rule[i], l->symbol[c->rule[i].symbol]);
        for (size_t i = 0; i < c->n_accept; i++)
            write_accept(&t, c, &c->accept[i]);
        th_language_free(l);
        text = t.data;
    }
    ThTm *m = th_tm_parse(text, &err);
    ThLanguage *of = m ? th_language_of_machine(m, &alphabet, 1000, NULL, &err) : NULL;
    if (!of)
        fail_msg("%s: %s\n%s", languages[row].name, err.msg, text);
    th_tm_free(m);
    th_text_free(&t);
    return of;
}

/* Turing machines of all of them: all words of two letters to length 12, fewer of more letters and
 * where there are choices, which are slow. */
static void test_machines(void **state)
{
    (void)state;
    ThError err = {0};
    for (size_t i = 0; i < LANGUAGES; i++) {
        const char *text = machine_text(languages[i].name);
        bool slow = text && strstr(text, "nondeterministic");
        int longest = slow                        ? 9
                      : languages[i].letters == 2 ? WHOLE
                                                  : 12 - 2 * languages[i].letters + 2;
        ThLanguage *l = as_machine(i);
        for (int n = 0; n <= longest; n++) {
            Seen s = {i, 0};
            assert_true(th_language_each(l, n, 0, check_member, &s, NULL, NULL, &err));
            if (s.members != wanted(i, n))
                fail_msg("%s, length %d: %lld members", languages[i].name, n, s.members);
        }
        th_language_free(l);
    }
}

/* Trees by the table of all splits: none of words that are no members; one where the grammar is
 * unambiguous. */
static void test_trees(void **state)
{
    (void)state;
    enum { TO = 8 };
    for (size_t i = 0; i < LANGUAGES; i++) {
        int word[MAX_WORD], n = 0;
        if (!languages[i].grammar)
            continue;
        ThLanguage *l = given("grammar", languages[i].grammar, languages[i].letters);
        double most = 0;
        do {
            char text[TO + 1];
            double trees;
            ThLanguageWord w = {word, n};
            spell(text, w);
            assert_true(th_language_trees(l, w, NULL, &trees, NULL));
            most = trees > most ? trees : most;
            if ((trees > 0) != languages[i].want(text, n))
                fail_msg("%s: %s has %g trees", languages[i].name, text, trees);
        } while (next_word(word, &n, languages[i].letters, languages[i].letters > 3 ? 6 : TO));
        assert_true((most > 1) == languages[i].ambiguous);
        th_language_free(l);
    }
}

/* Can a prefix be completed?  By trying what follows it. */
static bool completes(size_t row, char *text, int n, int most)
{
    if (languages[row].want(text, n))
        return true;
    for (int a = 0; n < most && a < languages[row].letters; a++) {
        text[n] = (char)('a' + a);
        text[n + 1] = '\0';
        if (completes(row, text, n + 1, most)) {
            text[n] = '\0';
            return true;
        }
    }
    text[n] = '\0';
    return false;
}

static void check_next(const ThLanguage *l, size_t row)
{
    enum { TO = 3, FARTHEST = 12 };
    int word[MAX_WORD], n = 0, k = languages[row].letters, most = k > 3 ? 8 : FARTHEST;
    do {
        bool next[5], viable = true;
        char text[FARTHEST + 2];
        ThError err = {0};
        ThLanguageReader *r = th_language_reader(l, NULL, &err);
        for (int i = 0; i < n && viable; i++)
            assert_true(th_language_push(r, word[i], &viable, &err));
        spell(text, (ThLanguageWord){word, n});
        if (viable != completes(row, text, n, most))
            fail_msg("%s: %s is viable: %d", languages[row].name, text, viable);
        if (viable) {
            assert_true(th_language_next(r, 0, next, &err));
            assert_int_equal(next[k], languages[row].want(text, n));
        }
        for (int a = 0; viable && a < k; a++) {
            spell(text, (ThLanguageWord){word, n});
            text[n] = (char)('a' + a);
            text[n + 1] = '\0';
            if (next[a] != completes(row, text, n + 1, most))
                fail_msg("%s: %s may follow: %d", languages[row].name, text, next[a]);
        }
        th_language_reader_free(r);
    } while (next_word(word, &n, k, TO));
}

static void test_next_symbols(void **state)
{
    (void)state;
    for (size_t i = 0; i < LANGUAGES; i++) {
        const char *text[] = {languages[i].grammar, languages[i].counters};
        for (int k = 0; k < 2; k++)
            if (text[k]) {
                ThLanguage *l = given(k ? "counters" : "grammar", text[k], languages[i].letters);
                check_next(l, i);
                th_language_free(l);
            }
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

enum { CELLS = 4096 };

/* The probability of the chi-square of draws among so many words, numbered by their symbols. */
static double drawn_evenly(const ThLanguage *l, int length, size_t words, uint64_t seed)
{
    int k, word[LONGEST];
    double seen[CELLS] = {0}, chi = 0;
    ThError err = {0};
    th_language_symbols(l, &k);
    ThRng r = th_rng(seed, "test.language", 0);
    ThLanguageWords *w = th_language_words(l, length, NULL, &err);
    long draws = 50 * (long)words;
    for (long i = 0; i < draws; i++) {
        size_t x = 0;
        assert_true(th_language_draw(w, &r, word, &err));
        for (int j = 0; j < length; j++)
            x = x * (size_t)k + (size_t)word[j];
        assert_true(x < CELLS);
        seen[x]++;
    }
    size_t different = 0;
    for (size_t x = 0; x < CELLS; x++)
        if (seen[x] > 0) {
            different++;
            chi += (seen[x] - 50) * (seen[x] - 50) / 50;
        }
    if (different != words)
        fail_msg("%zu words of length %d, not %zu", different, length, words);
    th_language_words_free(w);
    return gsl_cdf_chisq_Q(chi, (double)words - 1);
}

static void test_drawing_is_uniform(void **state)
{
    (void)state;
    for (size_t i = 0; i < LANGUAGES; i++) {
        int length = languages[i].letters > 2 ? 5 : 11;
        long long words = wanted(i, length);
        if (words < 2)
            words = wanted(i, ++length);
        const char *text[] = {languages[i].grammar, languages[i].counters};
        for (int k = 0; words > 1 && k < 2; k++) {
            if (!text[k])
                continue;
            ThLanguage *l = given(k ? "counters" : "grammar", text[k], languages[i].letters);
            double p = drawn_evenly(l, length, (size_t)words, 7 + i);
            if (p < 1e-4 || p > 1 - 1e-4)
                fail_msg("%s, %d: p = %g", languages[i].name, k, p);
            th_language_free(l);
        }
    }
}

/* Catalan numbers and their relatives, far beyond what can be tried. */
static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *text;
        int length;
        const char *words;
    } known[] = {
        {"grammar", "S -> \"(\" S \")\" S | eps", 100, "1978261657756160653623774456"},
        {"counters", "accept p where 0; p a -> p / +1; p b -> p / -1", 100,
         "1978261657756160653623774456"},
        {"counters",
         "counters 2; accept p where 0 0; p a -> p / +1 0; p b -> p / -1 0; p c -> p / 0 +1\n"
         "p d -> p / 0 -1",
         20, "987369656"},
        {"counters",
         "counters 3; accept p where 0 0 0; p a -> p / +1 0 0; p b -> p / -1 0 0\n"
         "p c -> p / 0 +1 0; p d -> p / 0 -1 0; p e -> p / 0 0 +1; p f -> p / 0 0 -1",
         12, "1403028"},
        {"counters",
         "counters 4; accept p where 0 0 0 0; p a -> p / +1 0 0 0; p b -> p / -1 0 0 0\n"
         "p c -> p / 0 +1 0 0; p d -> p / 0 -1 0 0; p e -> p / 0 0 +1 0; p f -> p / 0 0 -1 0\n"
         "p g -> p / 0 0 0 +1; p h -> p / 0 0 0 -1",
         12, "11925672"},
        {"counters",
         "start p; accept e; p 0,1 where 0 -> e; p 0,1 where + -> p / -1; p n -> p; p o -> p / +1\n"
         "p t -> p / +2",
         10, "78962"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThError err = {0};
        ThLanguage *l = th_language_parse(known[i].kind, known[i].text, &err);
        assert_non_null(l);
        ThLanguageWords *w = th_language_words(l, known[i].length, NULL, &err);
        assert_non_null(w);
        double want = log(strtod(known[i].words, NULL)), got = th_language_words_log(w);
        if (fabs(want - got) > 1e-9)
            fail_msg("%s: exp %.15g, not exp %.15g", known[i].text, got, want);
        th_language_words_free(w);
        th_language_free(l);
    }
}

static double log_catalan(int n)
{
    return lgamma(2 * n + 1) - lgamma(n + 1) - lgamma(n + 2);
}

/* Many symbols: neither layers nor trees leave the range of numbers, and what is drawn is a word.
 */
static void test_long_words(void **state)
{
    (void)state;
    static int word[500];
    const char *text[] = {"S -> a S b S | c S d S | eps",
                          "counters 2; accept p where 0 0; p a -> p / +1 0; p b -> p / -1 0\n"
                          "p c -> p / 0 +1; p d -> p / 0 -1"};
    for (int k = 0; k < 2; k++) {
        ThError err = {0};
        ThRng r = th_rng(5, "test.language", 1);
        ThLanguage *l = th_language_parse(k ? "counters" : "grammar", text[k], &err);
        ThLanguageWords *w = th_language_words(l, 500, NULL, &err);
        ThLanguageAnswer answer;
        assert_non_null(w);
        /* Catalan(250) times 2^250, and times Catalan(251) */
        double want = log_catalan(250) + (k ? log_catalan(251) : 250 * log(2.0));
        assert_true(fabs(th_language_words_log(w) - want) < 1e-9);
        assert_true(th_language_draw(w, &r, word, &err));
        assert_true(th_language_member(l, (ThLanguageWord){word, 500}, NULL, &answer, &err));
        assert_int_equal(answer, TH_LANGUAGE_YES);
        th_language_words_free(w);
        th_language_free(l);
    }
}

/* ---- outside --------------------------------------------------------------------------------- */

/* Near misses are no members, as long as was said, and K edits have probability 2^-K where any
 * change leads outside. */
static void test_near_misses(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    ThLanguage *l = given("grammar", "S -> a S b | eps", 3);
    ThRng r = th_rng(3, "test.language", 2);
    long count[3] = {0}, shorter = 0, longer = 0;
    for (int i = 0; i < DRAWS; i++) {
        int word[16] = {0, 0, 0, 0, 1, 1, 1, 1}, n = 8, edits;
        bool fixed = i % 2;
        char text[17];
        ThLanguageLengths lengths = {fixed ? 8 : 6, fixed ? 8 : 10};
        assert_true(th_language_near_miss(l, &r, lengths, word, &n, &edits, NULL, NULL));
        assert_true(edits > 0 && n >= lengths.lo && n <= lengths.hi);
        spell(text, (ThLanguageWord){word, n});
        assert_false(is_anbn(text, n));
        count[edits > 2 ? 2 : edits - 1]++;
        shorter += n < 8;
        longer += n > 8;
    }
    assert_in_range(count[0], DRAWS * 0.44, DRAWS * 0.54); /* some single edits do not lead out */
    assert_in_range(count[1], DRAWS * 0.22, DRAWS * 0.31);
    assert_true(shorter > DRAWS / 10 && longer > DRAWS / 10);
    th_language_free(l);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void test_comparing(void **state)
{
    (void)state;
    ThError err = {0};
    ThLanguageDifference d;
    ThLanguage *g = given("grammar", "S -> a S b | T; T -> a a a b a b b b | eps", 2);
    ThLanguage *c = given("counters", languages[0].counters, 2);
    assert_true(th_language_compare(g, c, (ThLanguageLengths){0, 7}, &d, NULL, &err));
    assert_false(d.differ);
    assert_int_equal(d.words, 255);
    assert_true(th_language_compare(g, c, (ThLanguageLengths){0, 8}, &d, NULL, &err));
    assert_true(d.differ && d.n == 8 && d.word[3] == 1 && d.word[4] == 0);
    assert_int_equal(d.answer[0], TH_LANGUAGE_YES);
    free(d.word);
    assert_true(th_language_compare(c, g, (ThLanguageLengths){8, 8}, &d, NULL, &err));
    assert_true(d.differ && d.answer[1] == TH_LANGUAGE_YES);
    free(d.word);
    assert_true(th_language_compare(c, c, (ThLanguageLengths){0, 60}, &d, NULL, &err));
    assert_true(!d.differ && d.words == (1LL << 61) - 1);
    assert_true(th_language_compare(c, c, (ThLanguageLengths){0, 61}, &d, NULL, &err));
    assert_true(!d.differ && d.words == -1);
    th_language_free(c);
    c = given("counters", "alphabet b c; accept p; p b,c -> p", 2);
    assert_false(th_language_compare(g, c, (ThLanguageLengths){0, 3}, &d, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_language_free(g);
    th_language_free(c);
}

/* A right-linear grammar is an automaton, whatever its variables are called. */
static void test_right_linear(void **state)
{
    (void)state;
    ThError err = {0};
    ThLanguageDifference d;
    ThAutomaton *a, *none;
    ThLanguage *g = given("grammar", "S -> a b \"S.1.1\" | b; \"S.1.1\" -> a S | b b a | S", 2);
    assert_true(th_language_automaton(g, &a, NULL, &err));
    assert_non_null(a);
    ThLanguage *l = th_language_of_automaton(a, 0, NULL, &err);
    assert_true(th_language_compare(g, l, (ThLanguageLengths){0, 12}, &d, NULL, &err));
    assert_false(d.differ);
    th_language_free(g);
    g = given("grammar", "S -> S a | b", 2);
    assert_true(th_language_automaton(g, &none, NULL, &err));
    assert_null(none);
    th_language_free(g);
    th_language_free(l);
    th_automaton_free(a);
}

/* What a language is shown as is read back as the same. */
static void test_writing(void **state)
{
    (void)state;
    for (size_t i = 0; i < LANGUAGES; i++) {
        const char *text[] = {languages[i].grammar, languages[i].counters};
        for (int k = 0; k < 2; k++) {
            if (!text[k])
                continue;
            ThError err = {0};
            ThText t = {0}, again = {0};
            const char *kind = k ? "counters" : "grammar";
            ThLanguage *l = given(kind, text[k], languages[i].letters);
            th_language_write(&t, l, "x");
            char *inside = strchr(t.data, '{') + 1;
            *strrchr(inside, '}') = '\0';
            ThLanguage *b = th_language_parse(kind, inside, &err);
            if (!b)
                fail_msg("%s: %s", inside, err.msg);
            th_language_write(&again, b, "x");
            assert_memory_equal(t.data, again.data, strlen(t.data));
            th_language_free(l);
            th_language_free(b);
            th_text_free(&t);
            th_text_free(&again);
        }
    }
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *text, *message;
        int line, col;
    } bad[] = {
        {"grammar", "", "a grammar needs a rule", 1, 1},
        {"grammar", "S -> a S", "the grammar has no words: no word comes out of S", 1, 6},
        {"grammar", "S -> a |", "expected the right side of a rule at the end", 1, 9},
        {"grammar", "S -> aSb | eps", "aSb is one symbol, and no variable", 1, 6},
        {"grammar", "S a -> b", "expected '->' before a", 1, 3},
        {"grammar", "S -> a eps", "eps stands by itself", 1, 8},
        {"grammar", "start T; S -> a", "no rule has T on its left", 1, 7},
        {"grammar", "alphabet a S; S -> a", "S is a variable", 1, 12},
        {"grammar", "alphabet a; S -> a b", "symbol b is not in the alphabet", 1, 20},
        {"grammar", "| a; S -> b", "expected a rule before |", 1, 1},
        {"grammar", "alphabet a a; S -> a", "symbol a is listed twice", 1, 12},
        {"counters", "p a -> p", "no state accepts", 1, 9},
        {"counters", "accept q; p a -> p", "no rule leads to or from state q", 1, 8},
        {"counters", "", "no start state", 1, 1},
        {"counters", "counters 9", "expected a number before 9", 1, 10},
        {"counters", "accept p; p a -> p / +1; p a where 0 -> p", "there are two rules", 1, 26},
        {"counters", "accept p where 1; p a -> p", "expected 0, + or * for each counter", 1, 16},
        {"counters", "counters 2; accept p; p a -> p / +1", "expected a number at the end", 1, 36},
        {"counters", "accept p; p a p", "expected '->' before p", 1, 15},
        {"counters", "accept p; p a -> p +1", "expected '/' or the end of the rule", 1, 20},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        assert_null(th_language_parse(bad[i].kind, bad[i].text, &err));
        if (!strstr(err.msg, bad[i].message) || err.line != bad[i].line || err.col != bad[i].col)
            fail_msg("%s: %d:%d: %s", bad[i].text, err.line, err.col, err.msg);
    }
}

/* What no word needs is left out, and named with its line. */
static void test_useless(void **state)
{
    (void)state;
    ThError err = {0};
    ThLanguage *l = th_language_parse("grammar", "S -> a | b T\nT -> T a\nU -> a\nV -> V a", &err);
    assert_string_equal(
        th_language_remarks(l),
        "left out: T, line 2: derives no word; U, line 3: is not reached from the start; "
        "V, line 4: derives no word");
    int n, word[] = {0};
    bool next[3];
    assert_non_null(th_language_symbols(l, &n));
    assert_int_equal(n, 2);
    ThLanguageReader *r = th_language_reader(l, NULL, &err);
    assert_true(th_language_next(r, 0, next, &err));
    assert_true(next[0] && !next[1] && !next[2]);
    double trees;
    assert_true(th_language_trees(l, (ThLanguageWord){word, 1}, NULL, &trees, &err));
    assert_true(trees == 1);
    th_language_reader_free(r);
    th_language_free(l);
}

/* A variable that derives the empty word, and is wanted again behind itself. */
static void test_empty_twice(void **state)
{
    (void)state;
    ThError err = {0};
    ThLanguage *l = given("grammar", "S -> A A b; A -> a | eps", 2);
    for (int n = 1; n <= 3; n++) {
        int word[] = {0, 0, 0};
        ThLanguageAnswer answer;
        word[n - 1] = 1;
        assert_true(th_language_member(l, (ThLanguageWord){word, n}, NULL, &answer, &err));
        assert_int_equal(answer, TH_LANGUAGE_YES);
    }
    th_language_free(l);
    /* the second A is wanted when the first one's empty rule has been done with */
    l = given("grammar", "S -> A B A c; A -> eps | a; B -> eps | b", 3);
    for (int n = 1; n <= 3; n++) {
        int word[] = {0, 0, 0};
        ThLanguageAnswer answer;
        word[n - 1] = 2;
        assert_true(th_language_member(l, (ThLanguageWord){word, n}, NULL, &answer, &err));
        assert_int_equal(answer, TH_LANGUAGE_YES);
    }
    th_language_free(l);
}

/* Behind a the counters can only grow: with one that is known to lead nowhere, with two it is not
 * known, and never a silent no. */
static void test_prefixes_that_are_not_known(void **state)
{
    (void)state;
    static const char *const text[] = {
        "start p; accept q where 0; p a -> p / +1; p b where 0 -> q",
        "counters 2; start p; accept q where 0 0; p a -> p / +1 0; p b where 0 0 -> q\n"
        "p c -> p / 0 +1"};
    for (int k = 0; k < 2; k++) {
        ThError err = {0};
        bool next[4], viable;
        ThLanguage *l = given("counters", text[k], 3);
        ThLanguageReader *r = th_language_reader(l, NULL, &err);
        assert_true(th_language_push(r, 0, &viable, &err));
        assert_int_equal(viable, k);
        assert_int_equal(th_language_next(r, 0, next, &err), !k);
        assert_int_equal(err.code, k ? TH_ELIMIT : TH_OK);
        th_language_reader_free(r);
        th_language_free(l);
    }
}

/* Too ambiguous to be drawn from: of a list, or an error in the end, not a wait. */
static void test_too_ambiguous(void **state)
{
    (void)state;
    ThError err = {0};
    int word[60];
    ThLanguage *l = th_language_parse("grammar", "S -> S S | a", &err);
    ThLanguageWords *w = th_language_words(l, 20, NULL, &err);
    ThRng r = th_rng(1, "test.language", 3);
    assert_true(fabs(th_language_words_log(w) - log(1767263190.0)) < 1e-12); /* Catalan(19) */
    assert_true(th_language_draw(w, &r, word, &err));
    th_language_words_free(w);
    th_language_free(l);
    l = th_language_parse("grammar", "S -> S S | a | b", &err);
    w = th_language_words(l, 24, NULL, &err);
    assert_true(th_language_draw(w, &r, word, &err)); /* every string is one */
    th_language_words_free(w);
    th_language_free(l);
    l = th_language_parse("grammar", "S -> S S | a b c | a c b", &err);
    w = th_language_words(l, 60, NULL, &err);
    assert_false(th_language_draw(w, &r, word, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_non_null(strstr(err.msg, "too ambiguous"));
    th_language_words_free(w);
    th_language_free(l);
    /* All words of length 8 alike: chi-squared with 255 degrees of freedom, at 10^-4. */
    l = th_language_parse("grammar", "S -> S S | a | b", &err);
    err = (ThError){0};
    w = th_language_words(l, 8, NULL, &err);
    int seen[256] = {0};
    for (int i = 0; i < 25600; i++) {
        int number = 0;
        assert_true(th_language_draw(w, &r, word, &err));
        for (int k = 0; k < 8; k++)
            number = 2 * number + word[k];
        seen[number]++;
    }
    double square = 0;
    for (int k = 0; k < 256; k++)
        square += (seen[k] - 100.) * (seen[k] - 100.) / 100;
    assert_true(square < 345 && square > 180);
    th_language_words_free(w);
    th_language_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_words),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_next_symbols),
        cmocka_unit_test(test_drawing_is_uniform),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_near_misses),
        cmocka_unit_test(test_comparing),
        cmocka_unit_test(test_right_linear),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_useless),
        cmocka_unit_test(test_empty_twice),
        cmocka_unit_test(test_too_ambiguous),
        cmocka_unit_test(test_prefixes_that_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
