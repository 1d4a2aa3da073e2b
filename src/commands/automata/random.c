/* random.c - random automata. */

#include "automata/core/random_automaton.h"
#include "base/symbols.h"
#include "commands/modelling.h"
#include "object_kinds.h"
#include "terminal/confirm.h"

static const ThOptionSpec options[] = {
    {"states", TH_INT, "5", 1, 1000000, NULL, "of the automaton, all reachable"},
    {"symbols", TH_INT, "2", 1, 26, NULL, "that it reads: a, b, …"},
    {"alphabet", TH_STRING, NULL, 0, 0, NULL,
     "the symbols instead: a character each, or words with blanks between them"},
    {"deterministic", TH_FLAG, "yes", 0, 0, NULL,
     "at most one transition for each state and symbol"},
    {"arcs", TH_REAL, NULL, 0, 1000000, NULL,
     "transitions for each state and symbol, in the mean; default: 1, a complete automaton, or "
     "1.25 with deterministic=no"},
    {"accepting", TH_REAL, "0.5", 0, 1, NULL, "share of the states that accept"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of what is drawn; default: set seed"},
    {0},
};

/* Returns new: the names of the symbols. */
static char **read_symbols(const ThOptions *o, int *n, ThError *err)
{
    const char *alphabet = th_option_text(o, "alphabet");
    char letters[] = "abcdefghijklmnopqrstuvwxyz";
    if (alphabet && th_option_given(o, "symbols"))
        return th_null(
            th_fail(err, TH_EUSAGE, "symbols= and alphabet= both say what the symbols are"));
    letters[th_option_int(o, "symbols")] = '\0';
    return th_symbols_list(alphabet ? alphabet : letters, false, n, err);
}

SH_COMMAND(random_automaton, .group = "automata", .summary = "define a random automaton",
           .detail =
               "Has as many states as it says, q0 the start, and all can be reached from it; the "
               "number of transitions is arcs times states times symbols, that of accepting states "
               "accepting times states, both rounded.  First a tree is drawn that reaches every "
               "state, then the other transitions, each with the same chance.  The same options "
               "and seed give the same automaton.  minimize says what is left of it.\n\n"
               "With deterministic=no, arcs= and accepting= are the two densities of Tabakov and "
               "Vardi (Experimental evaluation of classical automata constructions, 2005), who "
               "found determinization hardest at 1.25, the default.",
           .example = "random automaton a states=6 symbols=3 seed=4\n"
                      "assert all_states == 6 and all_transitions == 18\n"
                      "random automaton n states=8 deterministic=no accepting=0.25 seed=1\n"
                      "assert all_transitions == 20",
           .results = "states transitions symbols all_states all_transitions",
           .args = {{A_NEW, "NAME", 0}}, .options = options)
{
    const ThOptions *o = &call->options;
    const ShOperand *name = &call->operand[0];
    bool deterministic = th_option_flag(o, "deterministic");
    ThAutomatonDraw d = {.states = (int)th_option_int(o, "states"),
                         .deterministic = deterministic,
                         .arcs = th_option_given(o, "arcs") ? th_option_real(o, "arcs")
                                 : deterministic            ? 1
                                                            : 1.25,
                         .accepting = th_option_real(o, "accepting"),
                         .seed = (uint64_t)sh_seed(s, o)};
    int n = 0;
    char **symbol = read_symbols(o, &n, err);
    ThAutomaton *a = symbol ? th_automaton_random(&d, symbol, n, err) : NULL;
    free(symbol);
    if (!a)
        return false;
    if (!sh_define(s, name->text, SH_AUTOMATON, a, NULL, err))
        return sh_error_inside(err, name);
    sh_automaton_figures(s, a);
    sh_say_defined(s, name->text);
    return true;
}
