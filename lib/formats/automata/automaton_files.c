#include "formats/automata/automaton_files.h"

#include "base/symbols.h"

bool th_format_automaton_no_outputs(const ThAutomaton *a, const char *format, ThError *err)
{
    if (!th_automaton_transducer(a))
        return true;
    th_fail(err, TH_EVALUE, "%s does not hold outputs", format);
    return th_hint(err, ".att, .dot and .jff files hold the outputs of transitions");
}

static bool none_empty(char *const *name, int n)
{
    for (int i = 0; i < n; i++)
        if (!*name[i])
            return false;
    return true;
}

static bool names_fit(const ThAutomaton *a, ThError *err)
{
    bool single = th_symbols_single(a->symbol, a->n_symbols);
    if (!none_empty(a->symbol, a->n_symbols) || !none_empty(a->output, a->n_outputs) ||
        !none_empty(a->state, a->n_states))
        return th_fail(err, TH_EVALUE, "a symbol, output or state has no name");
    if (th_automaton_moore(a) && th_automaton_mealy(a))
        return th_fail(err, TH_EVALUE, "states and transitions have outputs: one kind can be read");
    for (int i = 0; i < a->n_symbols && !single; i++) {
        if (strpbrk(a->symbol[i], " \t\n\r"))
            return th_fail(err, TH_EVALUE,
                           "the symbol \"%.60s\" holds a blank, which separates symbols",
                           a->symbol[i]);
    }
    return true;
}

ThAutomaton *th_format_automaton_checked(ThAutomaton *a, ThError *err)
{
    return TH_KEEP_IF(a && names_fit(a, err), a, th_automaton_free);
}
