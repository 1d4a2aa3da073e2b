#include "automata/core/automaton.h"

/* A symbol or output; quotes keep one named eps apart from the empty move. */
static void write_symbol(ThText *t, const char *name)
{
    if (strcmp(name, "eps") == 0 || th_is_empty_word_sign(name))
        th_text_quoted(t, name);
    else
        th_text_symbol(t, name);
}

/* A state; quotes keep one named like a statement apart from it. */
static void write_state(ThText *t, const char *name)
{
    if (th_automaton_is_keyword(name))
        th_text_quoted(t, name);
    else
        th_text_symbol(t, name);
}

static void write_marked(ThText *t, const char *statement, const ThAutomaton *a, const bool *mark)
{
    th_text_printf(t, "  %s", statement);
    for (int q = 0; q < a->n_states; q++) {
        if (mark[q]) {
            th_text_add(t, " ");
            write_state(t, a->state[q]);
        }
    }
    th_text_add(t, "\n");
}

/* Takes note that a reader meets number i next; false if a smaller one is still to come. */
static bool meet(int i, int *n_met)
{
    if (i == *n_met)
        ++*n_met;
    return i < *n_met;
}

/* Does a reader without `states` number the states as they are, and meet all of them? */
static bool states_in_order(const ThAutomaton *a)
{
    int n_met = 0;
    bool in_order = true;
    for (int q = 0; q < a->n_states; q++)
        in_order = in_order && (!a->start[q] || meet(q, &n_met));
    for (size_t i = 0; i < a->n_arcs; i++)
        in_order = in_order && meet(a->arc[i].from, &n_met) && meet(a->arc[i].to, &n_met);
    return in_order && n_met == a->n_states;
}

static bool outputs_in_order(const ThAutomaton *a)
{
    int n_met = 0;
    bool in_order = true;
    for (int q = 0; q < a->n_states; q++)
        in_order = in_order && (a->moore[q] == TH_AUTOMATON_NO_OUTPUT || meet(a->moore[q], &n_met));
    for (size_t i = 0; i < a->n_arcs; i++)
        in_order = in_order &&
                   (a->arc[i].output == TH_AUTOMATON_NO_OUTPUT || meet(a->arc[i].output, &n_met));
    return in_order && n_met == a->n_outputs;
}

static bool all_accept(const ThAutomaton *a)
{
    for (int q = 0; q < a->n_states; q++)
        if (!a->accept[q])
            return false;
    return true;
}

/* Transitions that differ in the symbol only share a line. */
static void write_arcs(ThText *t, const ThAutomaton *a)
{
    for (size_t i = 0; i < a->n_arcs;) {
        const ThAutomatonArc *arc = &a->arc[i], *end = a->arc + a->n_arcs, *next = arc;
        th_text_add(t, "  ");
        write_state(t, a->state[arc->from]);
        for (; next < end && next->from == arc->from && next->to == arc->to &&
               next->output == arc->output;
             next++) {
            th_text_add(t, next == arc ? " " : ",");
            if (next->symbol == TH_AUTOMATON_EPSILON)
                th_text_add(t, "eps");
            else
                write_symbol(t, a->symbol[next->symbol]);
        }
        th_text_add(t, " -> ");
        write_state(t, a->state[arc->to]);
        if (arc->output != TH_AUTOMATON_NO_OUTPUT) {
            th_text_add(t, " / ");
            write_symbol(t, a->output[arc->output]);
        }
        th_text_add(t, "\n");
        i += (size_t)(next - arc);
    }
}

void th_automaton_write(ThText *t, const ThAutomaton *a, const char *name)
{
    bool transducer = th_automaton_transducer(a);
    th_text_printf(t, "automaton %s {\n", name);
    th_text_statement(t, "alphabet", a->symbol, a->n_symbols, write_symbol);
    if (!outputs_in_order(a))
        th_text_statement(t, "outputs", a->output, a->n_outputs, write_symbol);
    if (!states_in_order(a)) {
        th_text_add(t, "  states");
        for (int q = 0; q < a->n_states; q++) {
            th_text_add(t, " ");
            write_state(t, a->state[q]);
        }
        th_text_add(t, "\n");
    }
    write_marked(t, "start", a, a->start);
    if (!transducer || !all_accept(a))
        write_marked(t, "accept", a, a->accept);
    for (int q = 0; q < a->n_states; q++) {
        if (a->moore[q] == TH_AUTOMATON_NO_OUTPUT)
            continue;
        th_text_add(t, "  output ");
        write_state(t, a->state[q]);
        th_text_add(t, " ");
        write_symbol(t, a->output[a->moore[q]]);
        th_text_add(t, "\n");
    }
    write_arcs(t, a);
    th_text_add(t, "}\n");
}
