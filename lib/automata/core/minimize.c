
#include "automata/core/state_classes.h"

static ThAutomaton *minimize_acceptor(const ThAutomaton *a, size_t max_states, ThStop *stop,
                                      ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, max_states, stop, err);
    ThDfa *m TH_OWNED(th_dfa_free) = d ? th_dfa_minimize(d, stop, err) : NULL;
    return m ? th_automaton_from_dfa(m, a->symbol, err) : NULL;
}

ThAutomaton *th_automaton_minimize(const ThAutomaton *a, size_t max_states, ThStop *stop,
                                   ThError *err)
{
    if (!th_automaton_transducer(a))
        return minimize_acceptor(a, max_states, stop, err);
    ThAutomatonClasses c TH_OWNED(th_automaton_classes_free) = {0};
    ThDfa *d TH_OWNED(th_dfa_free) = NULL, *m TH_OWNED(th_dfa_free) = NULL;
    ThAutomaton *result = NULL;
    ThAutomaton *t TH_OWNED(th_automaton_free) = th_automaton_trim(a, err);
    if (t && th_automaton_classes_of(&c, t, err))
        d = th_automaton_classes_dfa(t, c.of_state, c.n_classes, err);
    if (d)
        m = th_dfa_minimize(d, stop, err);
    if (m)
        result = th_automaton_classes_automaton(m, &c, a->symbol, a, err);
    return result;
}
