/* words.c - commands about the words of a language: which, how many, at random, the first ones, and
 * how fast they become more. */
#include <limits.h>
#include <math.h>

#include "commands/languages/languages.h"
#include "commands/plots/plots.h"

/* The minimal machine of an automaton's language. */
static ThDfa *machine_of(ShSession *s, const ThAutomaton *a, ThError *err)
{
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, limit, sh_stop(s), err);
    return d ? th_dfa_minimize(d, sh_stop(s), err) : NULL;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const ThOptionSpec words_options[] = {
    {"length", TH_RANGE, NULL, 0, 1e6, NULL,
     "lengths of the words; all of them where it is left out"},
    {"most", TH_INT, NULL, 1, 1e9, NULL, "words to print; 20 where there is no length, else 1000"},
    {"random", TH_INT, "0", 0, 1e9, NULL,
     "words to draw, every word of each length with the same probability; 0: the words in order"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random numbers start; the setting seed"},
    {"order", TH_CHOICE, "length", 0, 0, "length|found",
     "of a machine: found lists words as a search finds them that runs the first n words for n "
     "steps each, n = 1, 2, ... up to steps=; of an enumerator, as it prints them"},
    TH_LANGUAGE_ALPHABET_OPTION,
    TH_LANGUAGE_STEPS_OPTION,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* Prints at most `most` words; *cut says whether there are more. */
static bool list_words(ShSession *s, const ThAutomaton *a, const ThDfa *d, ThRange range,
                       long long most, bool *cut, ThError *err)
{
    bool good = true;
    long long printed = 0;
    for (long long from = range.lo; good && from <= range.hi && !*cut; from += range.step) {
        int to = (int)(range.step == 1 ? range.hi : from), length;
        const int *word;
        ThWordsList *l TH_OWNED(th_word_list_free) = th_word_list(d, (int)from, to, err);
        ThError failed = {0};
        for (; l && !*cut && th_word_list_next(l, &word, &length, sh_stop(s), &failed); printed++) {
            *cut = printed == most;
            if (!*cut)
                sh_print_word(s, a->symbol, a->n_symbols, (ThLanguageWord){word, length});
        }
        good = l && !failed.code;
        if (failed.code)
            th_fail(err, failed.code, "%s", failed.msg);
        if (range.step == 1)
            break;
    }
    return good;
}

/* The number of words, and what is to be said where not all are printed (cut). */
static bool say_count(ShSession *s, const ThDfa *d, ThRange range, long long most, bool cut,
                      ThError *err)
{
    ThWordsGrowth g;
    char *digits TH_OWNED(free) = NULL;
    bool all = range.hi == INT_MAX - 1;
    if (!th_dfa_growth(d, &g, sh_stop(s), err))
        return false;
    sh_result_flag(s, "finite", g.finite);
    if (cut && all && !g.finite)
        sh_say(s, "... the first %lld of infinitely many\n", most);
    if (all && !g.finite)
        return true;
    int hi = all ? g.longest : (int)range.hi;
    ThWordCounting how = {.lo = (int)range.lo, .hi = hi, .stop = sh_stop(s)};
    if (range.step == 1 && !th_dfa_count(d, &how, &digits, err))
        return false;
    if (digits)
        sh_result_digits(s, "count", digits);
    if (cut && digits)
        sh_say(s, "... the first %lld of %s\n", most, digits);
    else if (cut)
        sh_say(s, "... the first %lld; there are more\n", most);
    else if (digits && strcmp(digits, "0") == 0)
        sh_say(s, "no words\n");
    return true;
}

SH_COMMAND(
    words, .group = "automata", .summary = "list the words of an automaton, in order or at random",
    .detail =
        "In length-lexicographic order: shorter words first, and words of one length in the order "
        "of the alphabet.  random=N draws N words of each length instead, every word with "
        "exactly the same probability.\n\n"
        "With order=found the words of a Turing machine come as they are found by running the "
        "first n words for n steps each, for n = 1, 2, ...: every word that it accepts comes some "
        "time, and nothing is decided about others.\n\n"
        "$count is the number of words of these lengths, also where not all are printed; "
        "a last line says so then.",
    .example = "automaton e = regex \"(a|b)*ab\"\n"
               "words e length=2..3\n"
               "#> ab\n"
               "#> aab\n"
               "#> bab\n"
               "words e length=100 random=5 > \"random.txt\"\n"
               "words e most=4\n"
               "#> ab\n"
               "#> aab\n"
               "#> bab\n"
               "#> aaab\n"
               "#> ... the first 4 of infinitely many",
    .results = "count finite", .args = {{A_LANGUAGE, "A", 0}}, .options = words_options,
    .flags = C_PAGED)
{
    ThAutomaton *own TH_OWNED(th_automaton_free) = NULL;
    bool needs;
    if (th_option_choice(&call->options, "order"))
        return sh_find_words(s, call, err);
    if (!sh_needs_language(s, call, &needs, &own, err))
        return false;
    const ThAutomaton *a = own ? own : call->operand[0].object->as.automaton;
    if (needs || th_option_int(&call->options, "random") > 0)
        return sh_words_language(s, call, needs ? NULL : a, err);
    bool given = th_option_given(&call->options, "length");
    ThRange range = {0, INT_MAX - 1, 1};
    if (given)
        range = th_option_range(&call->options, "length");
    long long most = given ? 1000 : 20;
    if (th_option_given(&call->options, "most"))
        most = th_option_int(&call->options, "most");
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of(s, a, err);
    bool good = d != NULL, cut = false;
    sh_table(s, "words", "word:s length:i");
    if (good) {
        ThWordsGrowth g;
        ThRange finite = range;
        good = th_dfa_growth(d, &g, sh_stop(s), err);
        if (good && g.finite && g.longest < range.hi)
            finite.hi = g.longest;
        good = good && list_words(s, a, d, finite, most, &cut, err) &&
               say_count(s, d, range, most, cut, err);
    }
    sh_table_end(s);
    return good;
}

/* ---- count ----------------------------------------------------------------------------------- */

static const ThOptionSpec count_options[] = {
    {"length", TH_RANGE, "0..10", 0, 1e6, NULL, "lengths of the words"},
    TH_LANGUAGE_ALPHABET_OPTION,
    TH_LANGUAGE_STEPS_OPTION,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

typedef struct {
    ShSession *s;
    ThRange range;
} CountTable;

static bool count_row(void *context, int length, const char *digits)
{
    const CountTable *t = context;
    if ((length - t->range.lo) % t->range.step == 0)
        sh_row(t->s, (long long)length, digits);
    return true;
}

/* Words about the growth, and its figures. */
static void say_growth(ShSession *s, const ThWordsGrowth *g)
{
    sh_results(s, "finite:b longest:i rate:r degree:i", g->finite, (long long)g->longest, g->rate,
               (long long)g->degree);
    if (g->empty)
        sh_say(s, "it has no words\n");
    else if (g->finite)
        sh_say(s, "finite; the longest words have length %d\n", g->longest);
    else if (g->exponential)
        sh_say(s, "infinite; the number of words grows like %.6g^n\n", g->rate);
    else if (g->degree == 0)
        sh_say(s, "infinite; the number of words of a length is bounded\n");
    else
        sh_say(s, "infinite; the number of words grows like n^%d\n", g->degree);
}

SH_COMMAND(count, .group = "automata", .summary = "count the words of an automaton by length",
           .detail = "Exactly, however large the numbers are.  Of a grammar trees are counted; "
                     "where a word of up to 12 symbols has two, all words are tried.  Below the "
                     "table of an automaton stands whether the language is finite, and if not, how "
                     "fast it grows: the largest eigenvalue of the transitions ($rate), or, where "
                     "that is 1, the degree of the polynomial that bounds the number of words of "
                     "length n ($degree).  $total is the sum over these lengths, $longest the "
                     "length of the longest word of a finite language, else -1.",
           .example = "automaton e = regex \"~(.*aa.*)\" over \"ab\"\n"
                      "count e length=0..4\n"
                      "#> length  words\n"
                      "#>      0  1\n"
                      "#>      1  2\n"
                      "#>      2  3\n"
                      "#>      3  5\n"
                      "#>      4  8\n"
                      "#> infinite; the number of words grows like 1.61803^n",
           .results = "total finite longest rate degree", .args = {{A_LANGUAGE, "A", 0}},
           .options = count_options, .flags = C_PAGED)
{
    CountTable t = {s, th_option_range(&call->options, "length")};
    ThAutomaton *own TH_OWNED(th_automaton_free) = NULL;
    bool needs;
    if (!sh_needs_language(s, call, &needs, &own, err))
        return false;
    if (needs)
        return sh_count_language(s, call, err);
    const ThAutomaton *a = own ? own : call->operand[0].object->as.automaton;
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of(s, a, err);
    ThWordsGrowth g;
    char *total TH_OWNED(free) = NULL;
    bool good = d && th_dfa_growth(d, &g, sh_stop(s), err);
    if (good) {
        sh_table(s, "lengths", "length:i words:n");
        ThWordCounting how = {(int)t.range.lo, (int)t.range.hi, count_row, &t, sh_stop(s)};
        good = th_dfa_count(d, &how, t.range.step == 1 ? &total : NULL, err);
        sh_table_end(s);
    }
    if (good)
        say_growth(s, &g);
    if (good && total)
        sh_result_digits(s, "total", total);
    return good;
}

/* ---- shortest -------------------------------------------------------------------------------- */

/* The first word of a class, as text; NULL if there is none. */
static bool first_word(const ThAutomaton *a, const ThDfa *d, int label, char **text, ThError *err)
{
    int length, *word TH_OWNED(free) = th_dfa_shortest(d, label, &length, err);
    *text = word ? th_symbols_text(a->symbol, a->n_symbols, word, length, err) : NULL;
    return *text || length < 0;
}

static void say_first(ShSession *s, const char *what, const char *word)
{
    sh_say(s, "%s %s\n", what, !word ? "no word" : *word ? word : "the empty word");
}

SH_COMMAND(shortest, .group = "automata",
           .summary = "find the shortest word that is accepted, and the shortest that is rejected",
           .detail = "Among the shortest ones the first in the order of the alphabet.  $empty and "
                     "$universal tell whether there is no such word.  Of a language that is not "
                     "known to be regular words are tried in order, up to two million for one that "
                     "is accepted and up to 250,000 for one that is rejected.",
           .example = "automaton e = regex \"(a|b)*ab\"\n"
                      "shortest e\n"
                      "#> accepts ab\n"
                      "#> rejects the empty word",
           .results = "accepted rejected empty universal", .args = {{A_LANGUAGE, "A", 0}},
           .options = sh_language_options)
{
    ThAutomaton *own TH_OWNED(th_automaton_free) = NULL;
    bool needs;
    if (!sh_needs_language(s, call, &needs, &own, err))
        return false;
    if (needs)
        return sh_shortest_language(s, call, err);
    const ThAutomaton *a = own ? own : call->operand[0].object->as.automaton;
    char *accepted TH_OWNED(free) = NULL, *rejected TH_OWNED(free) = NULL;
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of(s, a, err);
    bool good = d && first_word(a, d, 1, &accepted, err) && first_word(a, d, 0, &rejected, err);
    if (good) {
        sh_results(s, "accepted:s rejected:s empty:b universal:b", accepted, rejected, !accepted,
                   !rejected);
        say_first(s, "accepts", accepted);
        say_first(s, "rejects", rejected);
    }
    return good;
}

/* ---- ambiguity ------------------------------------------------------------------------------- */

/* A word as the user would type it; ε for the empty one. */
static const char *shown_word(const char *word)
{
    return word && *word ? word : "ε";
}

/* Returns new: b (ab)^n a: the words that are accepted in more and more ways; NULL: none, or no
 * memory. */
static char *growing_words(const ThWordsAmbiguity *a, ThError *err)
{
    ThText t = {0};
    for (int i = 0; a->n_loops && i < 2 * a->n_loops + 1; i++) {
        if (i % 2 == 0 && !*a->part[i])
            continue;
        th_text_add(&t, t.size ? " " : "");
        th_text_printf(&t, i % 2 ? "(%s)^n" : "%s", a->part[i]);
    }
    return t.size ? th_text_take(&t, err) : NULL;
}

static void say_ambiguity(ShSession *s, const ThWordsAmbiguity *a, const char *growing)
{
    static const char *const ways[] = {"", "finitely", "polynomially", "exponentially"};
    if (a->kind == TH_WORDS_UNAMBIGUOUS) {
        sh_say(s, "unambiguous\n");
        return;
    }
    sh_say(s, "%s ambiguous", ways[a->kind]);
    if (a->kind == TH_WORDS_POLYNOMIALLY_AMBIGUOUS)
        sh_say(s, " of degree %d", a->degree);
    sh_say(s, ": %s is accepted in two ways\n", shown_word(a->word));
    if (a->most > 2)
        sh_say(s, "  %s in %zu, and no word in more\n", shown_word(a->most_word), a->most);
    else if (a->most == 2)
        sh_say(s, "  no word in more\n");
    else if (a->kind == TH_WORDS_FINITELY_AMBIGUOUS)
        sh_say(s, "  to find the most ways any word has takes more steps than limit-states\n");
    if (growing && a->kind == TH_WORDS_EXPONENTIALLY_AMBIGUOUS)
        sh_say(s, "  %s in at least 2^n\n", growing);
    else if (growing)
        sh_say(s, a->degree > 1 ? "  %s in at least n^%d\n" : "  %s in at least n\n", growing,
               a->degree);
}

SH_COMMAND(
    ambiguity, .group = "automata",
    .summary = "tell in how many ways an automaton accepts its words",
    .detail = "Unambiguous: in one way at most.  Otherwise the number of ways is bounded "
              "(finitely ambiguous), grows like a power of the length (polynomially; the degree "
              "is the exponent) or faster (exponentially).  Shown are a shortest word that is "
              "accepted in two ways, and the greatest number of ways of any word, or words with "
              "a loop or several, whose ways grow with the times n that each is gone through.  "
              "The criteria are those of Weber and Seidl (1991).  Ways that differ in empty moves "
              "only count as one.\n\n"
              "$ambiguity is none, finite, polynomial or exponential, $degree that of the power, "
              "$ways the greatest number (0: it has none, or it was not found), $growing the "
              "words with loops.\n\n"
              "A grammar is unambiguous where a parser that sees one symbol ahead is never in "
              "doubt (LR(1), Knuth 1965).  Beyond that it cannot be decided: all words of up to 12 "
              "symbols are looked at, as far as they are not too many.  $ambiguity is none, "
              "ambiguous or unknown then.",
    .example = "automaton e = regex \"(a|b)*a(a|b)*b(a|b)*\"\n"
               "ambiguity e\n"
               "#> polynomially ambiguous of degree 2: aab is accepted in two ways\n"
               "#>   a (aa)^n (ba)^n in at least n^2\n"
               "automaton d = determinize(e)\n"
               "ambiguity d\n"
               "#> unambiguous",
    .results = "ambiguity word degree ways growing", .args = {{A_LANGUAGE, "A", 0}})
{
    if (call->operand[0].object->kind != SH_AUTOMATON)
        return sh_ambiguity_language(s, call, err);
    static const char *const name[] = {"none", "finite", "polynomial", "exponential"};
    ThWordsAmbiguity found;
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    ThError own = {0};
    if (!th_automaton_ambiguity(call->operand[0].object->as.automaton, limit, sh_stop(s), &found,
                                err))
        return sh_error_inside(err, &call->operand[0]);
    char *growing TH_OWNED(free) = growing_words(&found, &own);
    sh_results(s, "ambiguity:s word:s degree:i ways:i growing:s", name[found.kind],
               found.word ? found.word : "", (long long)found.degree,
               (long long)(found.kind == TH_WORDS_UNAMBIGUOUS ? 1 : (long long)found.most),
               growing ? growing : "");
    say_ambiguity(s, &found, growing);
    th_words_ambiguity_free(&found);
    return true;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static const ThOptionSpec growth_options[] = {
    {"length", TH_RANGE, "0..20", 0, 10000, NULL, "lengths of the words"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

typedef struct {
    double *log10;
    ThRange range;
    size_t n;
} GrowthPoints;

/* Decimal digits as a logarithm, which has no upper bound; -1 for none. */
static double log_of(const char *digits)
{
    char head[24];
    size_t size = strlen(digits), kept = size < 17 ? size : 17;
    if (strcmp(digits, "0") == 0)
        return -1;
    snprintf(head, sizeof head, "%.*s", (int)kept, digits);
    return log10(strtod(head, NULL)) + (double)(size - kept);
}

static bool growth_point(void *context, int length, const char *digits)
{
    GrowthPoints *p = context;
    if ((length - p->range.lo) % p->range.step == 0)
        p->log10[p->n++] = log_of(digits);
    return true;
}

SH_PLOT(
    plot_growth, .summary = "draw how many words an automaton has by length",
    .detail =
        "The number of words of each length on a logarithmic scale, beside the number of all words "
        "over the alphabet; lengths without words have no point.  count prints the numbers.",
    .example = "automaton e = regex \"~(.*aa.*)\" over \"ab\"\n"
               "plot growth e > \"growth.svg\"",
    .results = "finite rate degree", .args = {{A_AUTOMATON, "A", 0}}, .options = growth_options)
{
    const ShObject *o = call->operand[0].object;
    GrowthPoints p = {.range = th_option_range(&call->options, "length")};
    ThDfa *d TH_OWNED(th_dfa_free) = machine_of(s, o->as.automaton, err);
    ThWordsGrowth g;
    p.log10 = d ? th_alloc(th_range_count(p.range), sizeof *p.log10, err) : NULL;
    ThWordCounting how = {(int)p.range.lo, (int)p.range.hi, growth_point, &p, sh_stop(s)};
    bool good =
        p.log10 && th_dfa_growth(d, &g, sh_stop(s), err) && th_dfa_count(d, &how, NULL, err);
    if (good) {
        sh_results(s, "finite:b rate:r degree:i", g.finite, g.rate, (long long)g.degree);
        good = th_plot_growth(f, o->name, p.log10, p.range, d->n_symbols, &g, err) ||
               sh_error_inside(err, &call->operand[0]);
    }
    free(p.log10);
    return good;
}
