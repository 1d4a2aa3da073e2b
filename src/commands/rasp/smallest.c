/* smallest.c - the smallest program of a language. */
#include "commands/modelling.h"

static const ThOptionSpec options[] = {
    {"as", TH_CHOICE, "brasp", 0, 0, "brasp|crasp|rasp", "what programs are made of, see above"},
    {"nodes", TH_INT, "10", 1, 60, NULL, "of the largest program that is tried"},
    {"length", TH_INT, "5", 1, 12, NULL, "symbols of the longest word that tells programs apart"},
    {"memory", TH_INT, "256", 1, 65536, NULL, "megabytes for the values of programs"},
    {0}};

static void say(ShSession *s, const ThLanguageSmallest *x)
{
    char longer[40] = "";
    if (x->longer)
        snprintf(longer, sizeof longer, ", and %d longer", x->longer);
    sh_results(s, "found:b nodes:i none:i longer:i checked:i values:i full:b program:s",
               x->program != NULL, (long long)x->nodes, (long long)x->none, (long long)x->longer,
               (long long)x->checked, x->values, x->full, x->program ? x->program : "");
    if (x->program)
        sh_say(s, "%d node%s, right on all words of 1 to %d symbol%s:\n", x->nodes,
               sh_plural(x->nodes), x->checked, sh_plural(x->checked));
    fputs(x->program ? x->program : "", sh_listing(s));
    sh_say_folded(s, "none of fewer than %d node%s is right on all words of 1 to %d symbol%s%s",
                  x->none + 1, sh_plural(x->none + 1), x->length, sh_plural(x->length), longer);
    sh_say_folded(s, "  %lld programs differ on these%s", x->values,
                  x->full    ? "; memory= has no room for more"
                  : x->rough ? "; larger ones have numbers too large or means too fine to compare"
                             : "");
}

SH_COMMAND(smallest, .group = "rasp",
           .summary = "find the smallest program of RASP, B-RASP or C-RASP that tells a language",
           .detail =
               "All programs are made in the order of their nodes, operators and leaves; of those "
               "that are alike at every position of every word of up to length= symbols the first "
               "is kept.  The first that is right at the last position of all these words is run "
               "on longer ones, some 20,000; one that it gets wrong joins those words, and all is "
               "made again.  What no program of so many nodes does on these words none does on "
               "all, so that what is printed as exhausted is; that the program found is right on "
               "every word is known for brasp by show it as ltl and compare.  Ctrl-C ends the "
               "search and says what was exhausted, as memory= does, and numbers that are too "
               "large or means too fine to be compared.\n\n"
               "A letter (tokens == \"a\") is one node, as are full(indices, True), not, and, or.  "
               "brasp: an aggregate by rightmost or leftmost over earlier or later positions that "
               "a truth value selects, with False or True where there is none.  crasp: how often "
               "something was true up to here, 1, +, -, and <=, <, == of two numbers.  rasp: the "
               "same numbers with indices and length, tokens, select of two of a kind by ==, <, <= "
               "(numbers), not, and, or of selectors, sel_width and the mean.",
           .example = "smallest regex \"(a|b)*a(a|b)*b\" as=brasp\n"
                      "assert found and none + 1 == nodes\n"
                      "smallest regex \"a*b*\" as=crasp nodes=6 length=4 > \"none.txt\"",
           .results = "found nodes none longer checked values full program",
           .args = {{A_AUTOMATON_EXPRESSION, "A", 0}}, .options = options, .flags = C_PAGED)
{
    const ThOptions *o = &call->options;
    ThAutomaton *a TH_OWNED(th_automaton_free) = sh_automaton_value(s, &call->operand[0], err);
    if (!a)
        return false;
    size_t most = (size_t)sh_setting_int(s, "limit-states");
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, most, sh_stop(s), err);
    ThLanguageSmallestHow how = {(ThLanguageDialect)th_option_choice(o, "as"),
                                 (int)th_option_int(o, "nodes"), (int)th_option_int(o, "length"),
                                 (size_t)th_option_int(o, "memory") << 20, sh_stop(s)};
    ThLanguageSmallest x TH_OWNED(th_language_smallest_free) = {0};
    if (!d)
        return sh_error_inside(err, &call->operand[0]);
    bool ok = th_language_smallest(&x, d, a->symbol, &how, err);
    if (ok || err->code == TH_EINTERRUPTED)
        say(s, &x);
    return ok || sh_error_inside(err, &call->operand[0]);
}
