/* Languages that can only be asked about words: Turing machines, s-ops, and parts of others. */
#include <gsl/gsl_cdf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "language/any_language.h"
#include "base/symbols.h"
#include "turing/tm_run.h"

static ThLanguage *block(const char *kind, const char *text)
{
    ThError err = {0};
    ThLanguage *l = th_language_parse(kind, text, &err);
    if (!l)
        fail_msg("%s: %s", text, err.msg);
    return l;
}

static ThLanguage *machine(const char *text, const char *letters, uint64_t steps)
{
    ThError err = {0};
    char letter[4][2] = {{0}}, *name[4];
    ThLanguageAlphabet alphabet = {name, (int)strlen(letters)};
    for (int i = 0; i < alphabet.n; i++) {
        letter[i][0] = letters[i];
        name[i] = letter[i];
    }
    ThTm *m = th_tm_parse(text, &err);
    ThLanguage *l = m ? th_language_of_machine(m, &alphabet, steps, NULL, &err) : NULL;
    if (!l)
        fail_msg("%s: %s", text, err.msg);
    th_tm_free(m);
    return l;
}

static const char PAIRS[] = "S -> a S b | eps";
static const char ABC[] = "counters 2; accept p r where 0 0; p a -> p / +1 0; p b -> q / -1 +1\n"
                          "q b -> q / -1 +1; q c where 0 + -> r / 0 -1; r c -> r / 0 -1";

/* The first a and the last b are rubbed out. */
static const char PAIRS_MACHINE[] =
    "start s; accept y; tape two-way; s a -> _ R r; s _ -> S y; r a,b -> R r; r _ -> L e\n"
    "e b -> _ L l; l a,b -> L l; l _ -> R s";

/* One a, one b and one c are crossed out at a time. */
static const char ABC_MACHINE[] =
    "start s; accept y; tape two-way; s a -> X R t; s Y -> R v; s _ -> S y\n"
    "t a,Y -> R t; t b -> Y R u; u b,Z -> R u; u c -> Z L w; w a,b,Y,Z -> L w; w X -> R s\n"
    "v Y,Z -> R v; v _ -> S y";

/* Guesses the middle of a word and its mirror image, with two tapes. */
static const char PALINDROMES[] =
    "start s; accept y; nondeterministic; tapes 2\n"
    "s a | _ -> R | a R s; s b | _ -> R | b R s; s a | _ -> S | L m; s b | _ -> S | L m\n"
    "s _ | _ -> S | L m; m a | a -> R | L m; m b | b -> R | L m; m _ | _ -> S | S y";

static void same(ThLanguage *a, ThLanguage *b, int to, long long unknown)
{
    ThError err = {0};
    ThLanguageDifference d;
    if (!th_language_compare(a, b, (ThLanguageLengths){0, to}, &d, NULL, &err))
        fail_msg("%s", err.msg);
    assert_false(d.differ);
    assert_int_equal(d.unknown, unknown);
    th_language_free(a);
    th_language_free(b);
}

static void test_machines(void **state)
{
    (void)state;
    same(machine(PAIRS_MACHINE, "ab", 1000), block("grammar", PAIRS), 12, 0);
    same(machine(ABC_MACHINE, "abc", 1000), block("counters", ABC), 9, 0);
    same(machine(PALINDROMES, "ab", 1000), block("grammar", "S -> a S a | b S b | eps"), 7, 0);
}

/* Without an accepting state a machine accepts by halting. */
static void test_halting(void **state)
{
    (void)state;
    same(machine("start s; halt h; s a -> R s; s b -> S t; t b -> S t; s _ -> S h", "ab", 1000),
         block("grammar", "alphabet a b; S -> a S | eps"), 5, 0);
}

static bool count_answers(void *context, ThLanguageWord word, ThLanguageAnswer answer)
{
    (void)word;
    ((long long *)context)[answer]++;
    return true;
}

/* What a machine does not decide within the steps is neither yes nor no. */
static void test_no_answer(void **state)
{
    (void)state;
    ThError err = {0};
    long long answers[3] = {0};
    ThLanguage *l = machine(PAIRS_MACHINE, "ab", 3);
    assert_true(th_language_may_not_answer(l));
    assert_true(th_language_each(l, 4, 0, count_answers, answers, NULL, NULL, &err));
    assert_int_equal(answers[TH_LANGUAGE_YES], 0);
    assert_int_equal(answers[TH_LANGUAGE_UNKNOWN], 8); /* those that begin with a */
    th_language_free(l);
}

/* The next of the words of a and b, in order of length. */
static void next_word(int *word, int *n)
{
    int i = *n - 1;
    for (; i >= 0 && word[i]; i--)
        word[i] = 0;
    if (i >= 0)
        word[i] = 1;
    else
        word[(*n)++] = 0;
}

/* Is a word of a and b accepted within a thousand steps, by running? */
static bool runs_to_yes(const ThTm *m, const int *word, int n)
{
    ThError err = {0};
    ThTmRunning r = {0};
    int input[16];
    for (int i = 0; i < n; i++)
        input[i] = th_symbols_find(m->symbol, m->n_symbols, word[i] ? "b" : "a");
    ThTmTapeWords words = {.word = {input}, .length = {n}};
    assert_true(th_tm_running_start_words(&r, m, &words, &err));
    assert_true(th_tm_running_go(&r, 1000, (ThTmRunLimits){1000, UINT64_MAX}, NULL, &err));
    bool accepts = false;
    for (int q = 0; q < m->n_states; q++)
        accepts = accepts || m->role[q] == TH_TM_ACCEPTS;
    bool yes = r.verdict == TH_TM_ACCEPTED || (!accepts && r.verdict == TH_TM_HALTED);
    th_tm_running_free(&r);
    return yes;
}

/* Does the language have the words of up to 7 symbols that its machine accepts?  How many of both
 * kinds there are is added to answers. */
static void same_as_running(const ThLanguage *l, const char *text, long long answers[2])
{
    ThError err = {0};
    ThTm *m = th_tm_parse(text, &err);
    assert_false(th_language_may_not_answer(l));
    int word[9], n = 0;
    for (; n < 8; next_word(word, &n)) {
        ThLanguageAnswer says;
        assert_true(th_language_member(l, (ThLanguageWord){word, n}, NULL, &says, &err));
        bool yes = runs_to_yes(m, word, n);
        if ((says == TH_LANGUAGE_YES) != yes)
            fail_msg("a word of %d symbols:\n%s", n, text);
        answers[yes]++;
    }
    th_tm_free(m);
}

/* A machine that only reads to the right is an automaton, stays, decisions in between and blanks
 * behind the word included. */
static void test_reading_machine(void **state)
{
    (void)state;
    static const char *const text[] = {
        "start s; accept y accepted; reject n; s a -> S t; t a -> R u; s b -> R s; u a -> R "
        "accepted\n"
        "u b -> S w; w b -> R s; u _ -> R v; v _ -> S y",
        "start s; accept y; s a -> R t; t a -> R s; t b -> R t; s b -> S s; s _ -> R s; t _ -> S y",
        "start s; s a -> R t; t b -> R s; t _ -> R t",
        "start s; accept y; s _ -> S y; s a -> R t; t a,b -> R t"}; /* never in s again */
    long long answers[2] = {0};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        ThLanguage *l = machine(text[i], "ab", 1);
        same_as_running(l, text[i], answers);
        th_language_free(l);
    }
    ThAutomaton *none;
    ThLanguage *l = machine(PAIRS_MACHINE, "ab", 200);
    assert_true(th_language_automaton(l, &none, NULL, NULL));
    assert_null(none);
    th_language_free(l);
}

/* A machine that only reads, whatever way it goes, is an automaton: what it accepts within more
 * steps than there are states and cells that it can come to.  Some stop far from where they began.
 */
static void test_two_way(void **state)
{
    (void)state;
    static const char *const edge[] = {"two-way", "one-way edge=stay", "one-way edge=reject"};
    ThRng r = th_rng(7, "two way", 0);
    long long answers[2] = {0}, many = 0;
    for (int n = 0; n < 300; n++) {
        ThError err = {0};
        ThAutomaton *a;
        ThText t = {0};
        int states = 1 + n % 5;
        th_text_printf(&t, "start q0; accept y; alphabet a b _; tape %s\nz a -> S y\n",
                       edge[n % 3]);
        for (int i = 0; i < 3 * states; i++) {
            int to = (int)th_rng_below(&r, (uint64_t)states + 1);
            if (th_rng_below(&r, 8))
                th_text_printf(&t, "q%d %c -> %c %c%.*d\n", i / 3, "ab_"[i % 3],
                               "LLRRRS"[th_rng_below(&r, 6)], to < states ? 'q' : 'y', to < states,
                               to < states ? to : 0);
        }
        ThLanguage *l = machine(t.data, "ab", 1000);
        assert_true(th_language_automaton(l, &a, NULL, &err));
        assert_non_null(a);
        many += a->n_states > states + 2;
        same_as_running(l, t.data, answers);
        th_text_free(&t);
        th_language_free(l);
        th_automaton_free(a);
    }
    if (!(many > 12 && answers[0] > 10000 && answers[1] > 10000))
        fail_msg("%lld %lld %lld", many, answers[0], answers[1]);
}

static ThLanguage *program(const char *source, ThError *err)
{
    char a[] = "a", b[] = "b", *name[] = {a, b};
    ThLanguageAlphabet alphabet = {name, 2};
    return th_language_of_program(source, "x", &alphabet, err);
}

static const char MORE[] =
    "w = aggregate(select(0, 0, ==), indicator(tokens == \"a\"));\nx = w > 0.5;\n";

/* More a than b in the whole word; the empty word does not belong to it, nor to the counters. */
static void test_program(void **state)
{
    (void)state;
    ThError err = {0};
    ThLanguage *l = program(MORE, &err);
    if (!l)
        fail_msg("%s", err.msg);
    same(l,
         block("counters", "alphabet a b; accept p where +; p a -> p / +1; p b where + -> p / -1\n"
                           "p b where 0 -> n / +1; n b -> n / +1; n a where + -> n / -1\n"
                           "n a where 0 -> p / +1"),
         8, 0);
    assert_null(program("x = tokens;\n", &err));
    assert_int_equal(err.code, TH_EVALUE);
}

/* Words of a part are drawn from the whole, all with the same probability. */
static void test_within(void **state)
{
    (void)state;
    enum { LENGTH = 8, DRAWS = 5000 };
    ThError err = {0};
    ThLanguage *inner = block("grammar", "alphabet a b; S -> a a S | b S | eps");
    ThLanguage *outer = block("grammar", "S -> a S b S | eps");
    ThLanguage *l = th_language_within(inner, outer, &err);
    assert_non_null(l);
    long long answers[3] = {0};
    assert_true(th_language_each(l, LENGTH, 0, count_answers, answers, NULL, NULL, &err));
    ThLanguageWords *w = th_language_words(l, LENGTH, NULL, &err);
    ThRng r = th_rng(4, "test.within", 0);
    int seen[1 << LENGTH] = {0}, word[LENGTH];
    for (int i = 0; i < DRAWS; i++) {
        int x = 0;
        assert_true(th_language_draw(w, &r, word, &err));
        for (int k = 0; k < LENGTH; k++)
            x = 2 * x + word[k];
        seen[x]++;
    }
    double words = (double)answers[TH_LANGUAGE_YES], want = DRAWS / words, chi = 0;
    int different = 0;
    for (int x = 0; x < 1 << LENGTH; x++)
        if (seen[x]) {
            different++;
            chi += (seen[x] - want) * (seen[x] - want) / want;
        }
    assert_int_equal(different, answers[TH_LANGUAGE_YES]);
    assert_true(different > 2 && gsl_cdf_chisq_Q(chi, words - 1) > 1e-3);
    th_language_words_free(w);
    th_language_free(l);
    th_language_free(inner);
    th_language_free(outer);
}

/* Machines are asked about all words a little longer: as far as that goes, what may follow is what
 * Earley's algorithm finds in a grammar; and where a word has no answer it is not known. */
static void test_next(void **state)
{
    (void)state;
    enum { LONGEST = 4 };
    ThError err = {0};
    ThLanguage *l[] = {machine(PAIRS_MACHINE, "ab", 1000), block("grammar", PAIRS),
                       machine(PAIRS_MACHINE, "ab", 12)};
    assert_int_equal(th_language_ahead(l[0]), 9);
    assert_int_equal(th_language_ahead(l[1]), 0);
    for (int bits = 1; bits < 2 << LONGEST; bits++) {
        bool next[2][3], same = true;
        for (int k = 0; k < 2; k++) {
            ThLanguageReader *r = th_language_reader(l[k], NULL, &err);
            int length = 0;
            while (bits >> (length + 1))
                length++;
            while (length-- > 0)
                assert_true(th_language_push(r, bits >> length & 1, NULL, &err));
            assert_true(th_language_next(r, LONGEST + 1, next[k], &err));
            th_language_reader_free(r);
        }
        for (int a = 0; a < 3; a++)
            same = same && next[0][a] == next[1][a];
        if (!same)
            fail_msg("behind the bits %x", (unsigned)bits);
    }
    ThLanguageReader *r = th_language_reader(l[0], NULL, &err);
    bool next[3];
    assert_true(th_language_next(r, 1, next, &err)); /* ab is found, one symbol further */
    assert_true(next[0] && !next[1] && next[2]);
    assert_true(th_language_next(r, 0, next, &err));
    assert_true(!next[0] && !next[1] && next[2]);
    th_language_reader_free(r);
    r = th_language_reader(l[2], NULL, &err); /* aaabbb takes longer than that */
    for (int i = 0; i < 3; i++)
        assert_true(th_language_push(r, 0, NULL, &err));
    assert_false(th_language_next(r, 3, next, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_language_reader_free(r);
    for (int i = 0; i < 3; i++)
        th_language_free(l[i]);
}

/* Names of the states after every prefix; frees the language. */
static void tracks(ThLanguage *l, const char *word, const char *want)
{
    enum { MOST = 16 };
    ThError err = {0};
    int symbol[MOST], at[MOST], n = (int)strlen(word), n_names;
    char **name;
    ThText said = {0};
    for (int i = 0; i < n; i++)
        symbol[i] = word[i] - 'a';
    assert_true(th_language_states(l, &name, &n_names, &err));
    assert_true(th_language_track(l, (ThLanguageWord){symbol, n}, at, NULL, &err));
    for (int i = 0; i < n; i++)
        th_text_printf(&said, "%s%s", i ? " " : "", at[i] < 0 ? "-" : name[at[i]]);
    assert_string_equal(said.data, want);
    th_text_free(&said);
    for (int i = 0; i < n_names; i++)
        free(name[i]);
    free(name);
    th_language_free(l);
}

static void no_states(ThLanguage *l)
{
    ThError err = {0};
    char **name;
    int n;
    assert_false(th_language_states(l, &name, &n, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_null(name);
    th_language_free(l);
}

static void test_track(void **state)
{
    (void)state;
    tracks(block("counters", ABC), "aabbca", "p:+0 p:+0 q:++ q:0+ r:0+ sink");
    tracks(block("counters", "alphabet a b; accept sink; sink a -> sink"), "ab", "sink:0 sink");
    tracks(block("counters", "alphabet a b; counters 0; accept sink; sink a -> sink"), "ab",
           "sink sink'");
    /* what reads nothing comes before the next symbol; of what is left nothing is on top */
    tracks(block("pushdown", "start p; empty; p a epsilon -> p X; p b X -> q epsilon\n"
                             "q b X -> q epsilon; q epsilon Z -> r epsilon; r c epsilon -> r"),
           "aabbcc", "p:X p:X q:X q:Z r:empty r:empty");
    tracks(block("pushdown", "start p; accept p; p a epsilon -> q; q epsilon epsilon -> q X\n"
                             "p b Z -> p Z"),
           "bab", "p:Z q:Z -");
    /* goes to the end and back; stops in e where an a is last */
    tracks(machine(PAIRS_MACHINE, "ab", 1000), "aaba", "r r r r");
    tracks(machine(PAIRS_MACHINE, "ab", 1000), "ba", "s s");
    tracks(machine("start p; accept y; p a -> R q; q b -> L m; m a -> R n; n b -> R p; p _ -> S y",
                   "ab", 1000),
           "abab", "q p q p");
    tracks(machine("start p; accept y; p a -> R p; p b -> S b; b b -> S p; p _ -> S y", "ab", 50),
           "aba", "p - -");
    no_states(block("grammar", PAIRS));
    no_states(machine(PALINDROMES, "ab", 100));
    no_states(block("pushdown", "start p; accept p; p a epsilon -> p X; p epsilon X -> p epsilon"));
    no_states(block("pushdown", "start p; accept p; p a X -> p; p a X Y -> p epsilon"));
}

typedef struct {
    long long number[100];
    uint64_t stage[100];
    int n;
} Order;

static bool note_found(void *context, ThLanguageWord word, uint64_t stage)
{
    Order *o = context;
    long long number = 0;
    for (int i = 0; i < word.n; i++)
        number = 2 * number + word.symbol[i] + 1;
    o->number[o->n] = number + 1;
    o->stage[o->n++] = stage;
    return o->n < 100;
}

/* Words that end in a, each accepted after one step more than it has symbols: number i is found at
 * stage i, but for the shortest; the order is that of a search that runs them all again. */
static void test_dovetailing(void **state)
{
    (void)state;
    ThError err = {0};
    Order o = {{0}, {0}, 0};
    ThLanguage *l = machine("start s; accept y; s a -> R t; s b -> R s; t a -> R t; t b -> R s\n"
                            "t _ -> S y",
                            "ab", 130);
    assert_true(th_language_enumerate(l, note_found, &o, NULL, &err));
    int n = 0;
    for (uint64_t stage = 1; stage <= 130; stage++)
        for (uint64_t i = 1; i <= stage; i++) {
            uint64_t length = 0, steps;
            while ((2ull << length) - 1 < i)
                length++;
            steps = length + 1;
            bool ends = i > 1 && i % 2 == 0; /* 1 is the empty word, 2 a, 3 b, 4 aa … */
            if (!ends || (steps > i ? steps : i) != stage)
                continue;
            assert_int_equal(o.number[n], i);
            assert_int_equal(o.stage[n++], stage);
        }
    assert_int_equal(o.n, n);
    th_language_free(l);
    l = block("grammar", PAIRS);
    assert_false(th_language_enumerate(l, note_found, &o, NULL, &err));
    th_language_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines),  cmocka_unit_test(test_halting),
        cmocka_unit_test(test_no_answer), cmocka_unit_test(test_reading_machine),
        cmocka_unit_test(test_two_way),   cmocka_unit_test(test_program),
        cmocka_unit_test(test_within),    cmocka_unit_test(test_next),
        cmocka_unit_test(test_track),     cmocka_unit_test(test_dovetailing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
