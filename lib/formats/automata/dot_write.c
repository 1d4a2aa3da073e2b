
#include "formats/automata/automaton_files.h"

/* A string of the format. */
static void write_string(ThText *t, const char *text)
{
    th_text_add(t, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            th_text_add(t, "\\");
        th_text_add_bytes(t, c, 1);
    }
    th_text_add(t, "\"");
}

/* A symbol so that the reader knows it again: in quotes unless it is a plain word. */
static void add_name(ThText *t, const char *name)
{
    if (th_dot_is_empty_word(name, name) || strpbrk(name, ",/|{}\\\"") || !th_is_word(name)) {
        ThText quoted TH_OWNED(th_text_free) = {0};
        th_text_symbol(&quoted, name);
        bool bare = quoted.data && *quoted.data != '"';
        th_text_add(t, bare ? "\"" : "");
        th_text_add(t, th_text_string(&quoted));
        th_text_add(t, bare ? "\"" : "");
        t->failed = t->failed || quoted.failed;
    } else {
        th_text_add(t, name);
    }
}

static void write_taken(ThText *to, ThText *from)
{
    write_string(to, th_text_string(from));
    to->failed = to->failed || from->failed;
    th_text_free(from);
}

static void write_node(ThText *to, const ThAutomaton *a, int q, bool all_accept)
{
    ThText label = {0};
    bool accept = a->accept[q] && !all_accept;
    th_text_printf(to, "  s%d [label=", q);
    if (a->moore[q] == TH_AUTOMATON_NO_OUTPUT) {
        write_string(to, a->state[q]);
        th_text_printf(to, " shape=%s];\n", accept ? "doublecircle" : "circle");
        return;
    }
    th_text_add(&label, "{ ");
    add_name(&label, a->state[q]);
    th_text_add(&label, " | ");
    add_name(&label, a->output[a->moore[q]]);
    th_text_add(&label, " }");
    write_taken(to, &label);
    th_text_printf(to, " shape=record style=rounded%s];\n", accept ? " peripheries=2" : "");
}

static void write_edge(ThText *to, const ThAutomaton *a, const ThAutomatonArc *arc)
{
    ThText label = {0};
    if (arc->symbol == TH_AUTOMATON_EPSILON)
        th_text_add(&label, "ε");
    else
        add_name(&label, a->symbol[arc->symbol]);
    if (arc->output != TH_AUTOMATON_NO_OUTPUT) {
        th_text_add(&label, " / ");
        add_name(&label, a->output[arc->output]);
    }
    th_text_printf(to, "  s%d -> s%d [label=", arc->from, arc->to);
    write_taken(to, &label);
    th_text_add(to, "];\n");
}

bool th_dot_write(ThFormatOutput *out, const ThAutomaton *a, const char *name,
                  ThText *notes TH_UNUSED, ThError *err TH_UNUSED)
{
    ThText *to = &out->text;
    ThText alphabet = {0};
    bool all_accept = th_automaton_transducer(a);
    for (int q = 0; q < a->n_states; q++)
        all_accept = all_accept && a->accept[q];
    th_text_add(to, "digraph ");
    write_string(to, name);
    th_text_add(to, " {\n  rankdir=LR;\n  comment=");
    th_text_add(&alphabet, "alphabet");
    for (int i = 0; i < a->n_symbols; i++) {
        th_text_add(&alphabet, " ");
        th_text_symbol(&alphabet, a->symbol[i]);
    }
    th_text_add(&alphabet, a->n_symbols ? "" : " ");
    write_taken(to, &alphabet);
    th_text_add(to, ";\n");
    for (int q = 0, n = 0; q < a->n_states; q++)
        if (a->start[q])
            th_text_printf(to, "  __start%d [label=\"\" shape=none];\n", n++);
    for (int q = 0; q < a->n_states; q++)
        write_node(to, a, q, all_accept);
    for (int q = 0, n = 0; q < a->n_states; q++)
        if (a->start[q])
            th_text_printf(to, "  __start%d -> s%d;\n", n++, q);
    for (size_t i = 0; i < a->n_arcs; i++)
        write_edge(to, a, &a->arc[i]);
    th_text_add(to, "}\n");
    return true;
}
