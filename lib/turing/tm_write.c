
#include "turing/tm_machine.h"

static void write_role(ThText *t, const char *statement, const ThTm *m, ThTmRole role)
{
    bool any = false;
    for (int q = 0; q < m->n_states; q++) {
        if (m->role[q] != role)
            continue;
        if (!any)
            th_text_printf(t, "  %s", statement);
        any = true;
        th_text_add(t, " ");
        th_text_symbol(t, m->state[q]);
    }
    if (any)
        th_text_add(t, "\n");
}

/* Takes note that a reader meets state q next; false if a smaller one is still to come. */
static bool meet(int q, int *n_met)
{
    if (q != TH_TM_ANY && q == *n_met)
        ++*n_met;
    return q < *n_met;
}

/* Does a reader without `states` number the states as they are, and meet all of them? */
static bool states_in_order(const ThTm *m)
{
    int n_met = 0;
    bool in_order = meet(m->start, &n_met);
    for (size_t i = 0; i < m->n_rules; i++)
        in_order = in_order && meet(m->rule[i].from, &n_met) && meet(m->rule[i].to, &n_met);
    return in_order && n_met == m->n_states;
}

static void write_pattern(ThText *t, const ThTm *m, int symbol)
{
    if (symbol == TH_TM_ANY)
        th_text_add(t, "*");
    else
        th_text_symbol(t, m->symbol[symbol]);
}

static void write_actions(ThText *t, const ThTm *m, const ThTmRule *r)
{
    for (int k = 0; k < m->n_tapes; k++) {
        th_text_add(t, k ? " | " : " ");
        if (r->write[k] != TH_TM_ANY) {
            write_pattern(t, m, r->write[k]);
            th_text_add(t, " ");
        }
        th_text_add(t, r->move[k] < 0 ? "L" : r->move[k] ? "R" : "S");
    }
    th_text_add(t, " ");
    if (r->to == TH_TM_ANY)
        th_text_add(t, "*");
    else
        th_text_symbol(t, m->state[r->to]);
    th_text_add(t, r->pause ? " !" : "");
}

/* True if two rules of a machine with one tape differ in what they read only. */
static bool share_line(const ThTm *m, const ThTmRule *a, const ThTmRule *b)
{
    return m->n_tapes == 1 && a->from == b->from && a->to == b->to && a->write[0] == b->write[0] &&
           a->move[0] == b->move[0] && a->pause == b->pause;
}

static void write_case(ThText *t, const ThTm *m, const ThTmRule *r)
{
    if (r->from == TH_TM_ANY)
        th_text_add(t, "*");
    else
        th_text_symbol(t, m->state[r->from]);
    for (int k = 0; k < m->n_tapes; k++) {
        th_text_add(t, k ? " | " : " ");
        write_pattern(t, m, r->read[k]);
    }
}

void th_tm_write_rule(ThText *t, const ThTm *m, size_t rule)
{
    write_case(t, m, &m->rule[rule]);
    th_text_add(t, " ->");
    write_actions(t, m, &m->rule[rule]);
}

static void write_rules(ThText *t, const ThTm *m)
{
    for (size_t i = 0; i < m->n_rules;) {
        const ThTmRule *r = &m->rule[i++];
        th_text_add(t, "  ");
        write_case(t, m, r);
        for (; i < m->n_rules && share_line(m, r, &m->rule[i]); i++) {
            th_text_add(t, ",");
            write_pattern(t, m, m->rule[i].read[0]);
        }
        th_text_add(t, " ->");
        write_actions(t, m, r);
        th_text_add(t, "\n");
    }
}

static bool accepts(const ThTm *m)
{
    for (int q = 0; q < m->n_states; q++)
        if (m->role[q] == TH_TM_ACCEPTS)
            return true;
    return false;
}

static void write_block(ThText *t, const ThTm *m)
{
    static const char *const edges[] = {"two-way", "one-way", "one-way edge=reject",
                                        "one-way edge=error"};
    static const char *const missing[] = {"halt", "reject", "step"};
    th_text_statement(t, "alphabet", m->symbol, m->n_symbols, th_text_symbol);
    th_text_statement(t, "blank", &m->symbol[m->blank], 1, th_text_symbol);
    if (m->n_tapes > 1)
        th_text_printf(t, "  tapes %d\n", m->n_tapes);
    th_text_printf(t, "  tape %s\n", edges[m->edge]);
    if (m->missing != (accepts(m) ? TH_TM_MISSING_REJECT : TH_TM_MISSING_HALT))
        th_text_printf(t, "  missing %s\n", missing[m->missing]);
    th_text_add(t, m->nondeterministic ? "  nondeterministic\n" : "");
    if (!states_in_order(m))
        th_text_statement(t, "states", m->state, m->n_states, th_text_symbol);
    th_text_statement(t, "start", &m->state[m->start], 1, th_text_symbol);
    write_role(t, "halt", m, TH_TM_HALTS);
    write_role(t, "accept", m, TH_TM_ACCEPTS);
    write_role(t, "reject", m, TH_TM_REJECTS);
    write_rules(t, m);
}

void th_tm_write(ThText *t, const ThTm *m, const char *name)
{
    ThText string TH_OWNED(th_text_free) = {0};
    th_text_printf(t, "machine %s ", name);
    if (m->busy_beaver && th_tm_write_bb(&string, m, NULL)) {
        th_text_printf(t, "= \"%s\"\n", string.data);
    } else {
        th_text_add(t, "{\n");
        write_block(t, m);
        th_text_add(t, "}\n");
    }
}
