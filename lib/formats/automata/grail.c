
#include "formats/automata/automaton_files.h"

/* Grail+ instructions, `(START) |- q`, `q symbol r`, `q -| (FINAL)`. */
static bool write(ThFormatOutput *out, const ThAutomaton *a, const char *name TH_UNUSED,
                  ThText *notes TH_UNUSED, ThError *err)
{
    ThText *to = &out->text;
    if (!th_format_automaton_no_outputs(a, "Grail", err))
        return false;
    for (int i = 0; i < a->n_symbols; i++)
        if (!*a->symbol[i] || strpbrk(a->symbol[i], " \t\r\n"))
            return th_fail(err, TH_EVALUE, "Grail cannot hold the symbol \"%.60s\"", a->symbol[i]);
    for (int q = 0; q < a->n_states; q++)
        if (a->start[q])
            th_text_printf(to, "(START) |- %d\n", q);
    for (size_t i = 0; i < a->n_arcs; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        th_text_printf(to, "%d ", arc->from);
        th_text_add(to, arc->symbol == TH_AUTOMATON_EPSILON ? "@epsilon" : a->symbol[arc->symbol]);
        th_text_printf(to, " %d\n", arc->to);
    }
    for (int q = 0; q < a->n_states; q++)
        if (a->accept[q])
            th_text_printf(to, "%d -| (FINAL)\n", q);
    return true;
}

const ThFormat th_format_grail = {
    .name = "grail",
    .title = "instructions of Grail+",
    .extension = ".grail",
    .summary = "Grail+: an automaton without outputs",
    .write_automaton = write,
};
