#include "automata/core/nfa.h"

#include "automata/core/build.h"

int th_nfa_state(ThNfa *n, int mark, ThError *err)
{
    size_t limit = n->max_states ? n->max_states : INT32_MAX - 1;
    if (n->n_states >= limit) {
        th_fail(err, TH_ELIMIT, "the automaton has more than %zu states", limit);
        return -1;
    }
    if (!th_grow(&n->mark, &n->state_cap, n->n_states + 1, 1, err))
        return -1;
    n->mark[n->n_states] = (unsigned char)mark;
    return (int)n->n_states++;
}

bool th_nfa_arc(ThNfa *n, ThAutomatonArc arc, ThError *err)
{
    return TH_APPEND(n->arc, n->n_arcs, n->arc_cap, err, arc);
}

bool th_nfa_add(ThNfa *n, const ThAutomaton *a, const int *symbol, int *offset, ThError *err)
{
    *offset = (int)n->n_states;
    for (int q = 0; q < a->n_states; q++) {
        int mark = (a->start[q] ? TH_NFA_START : 0) | (a->accept[q] ? TH_NFA_ACCEPT : 0);
        if (th_nfa_state(n, mark, err) < 0)
            return false;
    }
    for (size_t i = 0; i < a->n_arcs; i++) {
        ThAutomatonArc arc = a->arc[i];
        arc.from += *offset;
        arc.to += *offset;
        arc.output = TH_AUTOMATON_NO_OUTPUT;
        if (arc.symbol != TH_AUTOMATON_EPSILON && symbol)
            arc.symbol = symbol[arc.symbol];
        if (!th_nfa_arc(n, arc, err))
            return false;
    }
    return true;
}

/* Returns new: the automaton as it is, with its names. */
static ThAutomaton *assemble(const ThNfa *n, const ThNfaNames *names, ThError *err)
{
    ThAutomaton sizes = {.n_symbols = names->n_symbols,
                         .n_outputs = names->n_outputs,
                         .n_states = (int)n->n_states,
                         .n_arcs = n->n_arcs};
    ThAutomaton *a = th_automaton_named(&sizes, names->symbol, names->output, err);
    if (!a)
        return NULL;
    for (int q = 0; q < a->n_states; q++) {
        a->start[q] = n->mark[q] & TH_NFA_START;
        a->accept[q] = n->mark[q] & TH_NFA_ACCEPT;
    }
    if (n->n_arcs)
        memcpy(a->arc, n->arc, n->n_arcs * sizeof *a->arc);
    return TH_KEEP_IF(th_automaton_sort(a, err), a, th_automaton_free);
}

ThAutomaton *th_nfa_finish(ThNfa *n, const ThNfaNames *names, bool good, ThError *err)
{
    ThAutomaton *trimmed = NULL;
    ThAutomaton *a TH_OWNED(th_automaton_free) = good ? assemble(n, names, err) : NULL;
    TH_FREE(n->mark, n->arc);
    *n = (ThNfa){.max_states = n->max_states};
    if (a)
        trimmed = th_automaton_trim(a, err);
    if (trimmed && trimmed->n_states > 0) /* the first name is not before that of the old q0 */
        th_automaton_number_states(trimmed, trimmed->state[0]);
    return trimmed;
}
