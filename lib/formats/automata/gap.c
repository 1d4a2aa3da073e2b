
#include "base/symbols.h"
#include "formats/automata/automaton_files.h"

/* A letter for every symbol: the symbols themselves where each is one plain character, else a, b,
 * c, …; @ is the empty move. */
static bool own_letters(const ThAutomaton *a)
{
    bool own = th_symbols_single(a->symbol, a->n_symbols);
    for (int i = 0; own && i < a->n_symbols; i++)
        own = (unsigned char)a->symbol[i][0] > ' ' && (unsigned char)a->symbol[i][0] < 0x7f &&
              !strchr("\"\\@", a->symbol[i][0]);
    return own;
}

static bool has_empty_moves(const ThAutomaton *a)
{
    for (size_t i = 0; i < a->n_arcs; i++)
        if (a->arc[i].symbol == TH_AUTOMATON_EPSILON)
            return true;
    return false;
}

/* Where a state goes by a symbol: 0 for nowhere, a state, or a list. */
static void write_targets(ThText *t, const ThAutomaton *a, int q, int symbol, bool lists)
{
    int n = 0;
    th_text_add(t, lists ? "[" : "");
    for (size_t i = a->first[q]; i < a->first[q + 1]; i++)
        if (a->arc[i].symbol == symbol)
            th_text_printf(t, "%s%d", n++ ? "," : "", a->arc[i].to + 1);
    th_text_add(t, lists ? "]" : n ? "" : "0");
}

static void write_marked(ThText *t, const bool *mark, int n)
{
    bool first = true;
    th_text_add(t, "[");
    for (int q = 0; q < n; q++) {
        if (mark[q])
            th_text_printf(t, "%s%d", first ? "" : ",", q + 1);
        first = first && !mark[q];
    }
    th_text_add(t, "]");
}

static void write_letters(ThText *t, const ThAutomaton *a, bool own, bool empty)
{
    th_text_add(t, "\"");
    for (int i = 0; i < a->n_symbols; i++) {
        char letter[2] = {(char)('a' + i), '\0'};
        th_text_add(t, own ? a->symbol[i] : letter);
    }
    th_text_add(t, empty ? "@\"" : "\"");
}

static bool write(ThFormatOutput *out, const ThAutomaton *a, const char *name,
                  ThText *notes TH_UNUSED, ThError *err)
{
    ThText *to = &out->text;
    enum { LETTERS = 26 };
    bool own = own_letters(a), empty = has_empty_moves(a);
    bool lists = !th_automaton_deterministic(a);
    if (!th_format_automaton_no_outputs(a, "a record of GAP", err))
        return false;
    if (!own && a->n_symbols > LETTERS)
        return th_fail(err, TH_EVALUE, "a record of GAP has letters for %d symbols at most",
                       LETTERS);
    if (a->n_states == 0)
        return th_fail(err, TH_EVALUE, "a record of GAP has one state at least");
    th_text_printf(to, "# %s; needs the package Automata\n", name);
    for (int i = 0; !own && i < a->n_symbols; i++) {
        ThText symbol TH_OWNED(th_text_free) = {0};
        th_text_symbol(&symbol, a->symbol[i]);
        th_text_printf(to, "# %c: %s\n", 'a' + i, th_text_string(&symbol));
        to->failed = to->failed || symbol.failed;
    }
    th_text_printf(to, "Automaton(\"%s\", %d, ",
                   empty   ? "epsilon"
                   : lists ? "nondet"
                           : "det",
                   a->n_states);
    write_letters(to, a, own, empty);
    th_text_add(to, ", [");
    for (int symbol = 0; symbol < a->n_symbols + empty; symbol++) {
        th_text_add(to, symbol ? ",\n  [" : "\n  [");
        for (int q = 0; q < a->n_states; q++) {
            th_text_add(to, q ? ", " : "");
            write_targets(to, a, q, symbol == a->n_symbols ? TH_AUTOMATON_EPSILON : symbol,
                          lists || empty);
        }
        th_text_add(to, "]");
    }
    th_text_add(to, "], ");
    write_marked(to, a->start, a->n_states);
    th_text_add(to, ", ");
    write_marked(to, a->accept, a->n_states);
    th_text_add(to, ");\n");
    return true;
}

const ThFormat th_format_gap = {
    .name = "gap",
    .title = "a record of GAP",
    .extension = ".g",
    .summary = "a record of GAP's package Automata",
    .write_automaton = write,
};
