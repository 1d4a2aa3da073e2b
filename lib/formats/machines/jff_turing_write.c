
#include "formats/machines/jff_records.h"
#include "formats/machines/machine_fit.h"

/* ---- writing ---- */

void th_jff_write_text(ThText *t, const char *text)
{
    for (const char *c = text; *c; c++) {
        const char *entity = *c == '&'   ? "&amp;"
                             : *c == '<' ? "&lt;"
                             : *c == '>' ? "&gt;"
                             : *c == '"' ? "&quot;"
                                         : NULL;
        if (entity)
            th_text_add(t, entity);
        else
            th_text_add_bytes(t, c, 1);
    }
}

void th_jff_open_state(ThText *t, int q, const char *name)
{
    th_text_printf(t, "    <state id=\"%d\" name=\"", q);
    th_jff_write_text(t, name);
    th_text_printf(t, "\"><x>%d</x><y>%d</y>", 100 + 120 * (q % 8), 100 + 120 * (q / 8));
}

/* The attribute that says which tape a part of a label is for. */
static void open_part(ThText *t, const ThTm *m, const char *element, int tape)
{
    th_text_printf(t, "<%s", element);
    if (m->n_tapes > 1)
        th_text_printf(t, " tape=\"%d\"", tape + 1);
}

static void write_symbol(ThText *t, const ThTm *m, const char *element, int tape, int symbol)
{
    open_part(t, m, element, tape);
    if (symbol == m->blank) {
        th_text_add(t, "/>");
        return;
    }
    th_text_add(t, ">");
    th_jff_write_text(t, m->symbol[symbol]);
    th_text_printf(t, "</%s>", element);
}

static void write_transition(ThText *t, const ThTm *m, const ThTmRule *r)
{
    th_text_printf(t, "    <transition><from>%d</from><to>%d</to>", r->from, r->to);
    for (int k = 0; k < m->n_tapes; k++) {
        write_symbol(t, m, "read", k, r->read[k]);
        write_symbol(t, m, "write", k, r->write[k] == TH_TM_ANY ? r->read[k] : r->write[k]);
        open_part(t, m, "move", k);
        th_text_add(t, r->move[k] < 0 ? ">L</move>" : r->move[k] ? ">R</move>" : ">S</move>");
    }
    th_text_add(t, "</transition>\n");
}

static void write_state(ThText *t, const ThTm *m, int q)
{
    th_jff_open_state(t, q, m->state[q]);
    th_text_add(t, q == m->start ? "<initial/>" : "");
    th_text_add(t, m->role[q] == TH_TM_ACCEPTS || m->role[q] == TH_TM_HALTS ? "<final/>" : "");
    th_text_add(t, "</state>\n");
}

bool th_jff_turing_write(ThText *to, const ThTm *m, const char *name TH_UNUSED, ThText *notes,
                         ThError *err)
{
    static const ThFormatFit fit = {
        .format = "a .jff file",
        .can = FIT_STAYS | FIT_ACCEPTS | FIT_SINGLE | FIT_CHOICE | FIT_LISTED,
        .most_tapes = TH_TM_MOST_TAPES,
        .blank = "",
        .no_symbol = "~ ",
        .no_state = "",
        .missing = TH_TM_MISSING_REJECT,
    };
    for (int s = 0; s < m->n_symbols; s++)
        if (s != m->blank && strcmp(m->symbol[s], "□") == 0)
            return th_fail(err, TH_EVALUE,
                           "in a .jff file □ is the blank, and here another symbol");
    ThTm *x TH_OWNED(th_tm_free) = th_format_machine_fit(m, &fit, notes, err);
    if (!x)
        return false;
    th_text_add(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<structure>\n"
                    "  <type>turing</type>\n");
    if (x->n_tapes > 1)
        th_text_printf(to, "  <tapes>%d</tapes>\n", x->n_tapes);
    th_text_add(to, "  <automaton>\n");
    for (int q = 0; q < x->n_states; q++)
        write_state(to, x, q);
    for (size_t i = 0; i < x->n_rules; i++)
        write_transition(to, x, &x->rule[i]);
    th_text_add(to, "  </automaton>\n</structure>\n");
    return true;
}
