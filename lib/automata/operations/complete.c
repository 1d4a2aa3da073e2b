#include <stdio.h>

#include "automata/core/build.h"
#include "automata/operations/operations.h"
#include "base/symbols.h"

/* A name that no state has. */
static void sink_name(const ThAutomaton *a, char name[32])
{
    snprintf(name, 32, "sink");
    for (int turn = 2; th_symbols_find(a->state, a->n_states, name) >= 0; turn++)
        snprintf(name, 32, "sink%d", turn);
}

static ThAutomaton *with_sink(const ThAutomaton *a, const bool *has, ThError *err)
{
    ThAutomatonBuild b = {0};
    char name[32];
    sink_name(a, name);
    for (int i = 0; i < a->n_symbols; i++)
        th_automaton_build_symbol(&b, a->symbol[i]);
    for (int i = 0; i < a->n_outputs; i++)
        th_automaton_build_output(&b, a->output[i]);
    for (int q = 0; q < a->n_states; q++) {
        th_automaton_build_state(&b, a->state[q]);
        if (a->start[q])
            th_automaton_build_start(&b, q);
        if (a->accept[q])
            th_automaton_build_accept(&b, q);
        th_automaton_build_moore(&b, q, a->moore[q]);
    }
    for (size_t i = 0; i < a->n_arcs; i++)
        th_automaton_build_arc(&b, a->arc[i]);
    int sink = th_automaton_build_state(&b, name);
    bool started = false;
    for (int q = 0; q < a->n_states; q++)
        started = started || a->start[q];
    if (!started)
        th_automaton_build_start(&b, sink);
    for (int q = 0; q <= a->n_states; q++) {
        for (int c = 0; c < a->n_symbols; c++)
            if (q == a->n_states || !has[(size_t)q * (size_t)a->n_symbols + (size_t)c])
                th_automaton_build_arc(&b, (ThAutomatonArc){q, c, sink, TH_AUTOMATON_NO_OUTPUT});
    }
    return th_automaton_build_finish(&b, err);
}

ThAutomaton *th_automaton_complete(const ThAutomaton *a, ThError *err)
{
    size_t cells = (size_t)a->n_states * (size_t)a->n_symbols, full = 0;
    bool *has TH_OWNED(free) = th_alloc(cells, sizeof *has, err);
    if (!has)
        return NULL;
    for (size_t i = 0; i < a->n_arcs; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        if (arc->symbol == TH_AUTOMATON_EPSILON)
            continue;
        bool *cell = &has[(size_t)arc->from * (size_t)a->n_symbols + (size_t)arc->symbol];
        full += !*cell;
        *cell = true;
    }
    ThAutomaton *c =
        full == cells && a->n_states ? th_automaton_copy(a, err) : with_sink(a, has, err);
    return c;
}
