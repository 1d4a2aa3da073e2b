/* viz_write.c - Turing machines as turingmachine.io has them. */
#include "formats/machines/viz.h"

#include "formats/machines/machine_fit.h"
#include "formats/machines/machine_read.h"

/* Without quotes where every reader takes it for the same text. */
static bool is_bare(const char *s)
{
    static const char *const words[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};
    size_t n = strlen(s), digits = strspn(s, "0123456789");
    ThFormatField f = {s, n};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (th_format_field_is(f, words[i]))
            return false;
    if (digits > 0)
        return n == 1 || (digits == n && n < 15 && *s != '0');
    for (size_t i = 0; i < n; i++) {
        bool letter = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z');
        if (!letter && (i == 0 || !strchr("0123456789_", s[i])))
            return false;
    }
    return n > 0;
}

static void write_scalar(ThText *t, const char *s)
{
    th_text_add(t, is_bare(s) ? "" : "'");
    for (const char *c = s; *c; c++)
        th_text_add_bytes(t, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    th_text_add(t, is_bare(s) ? "" : "'");
}

static bool same_action(const ThTmRule *a, const ThTmRule *b)
{
    bool keep = a->write[0] == TH_TM_ANY || a->write[0] == a->read[0];
    bool keeps = b->write[0] == TH_TM_ANY || b->write[0] == b->read[0];
    return a->from == b->from && a->to == b->to && a->move[0] == b->move[0] &&
           (keep ? keeps : !keeps && a->write[0] == b->write[0]);
}

static void write_action(ThText *t, const ThTm *m, const ThTmRule *r)
{
    const char *move = r->move[0] < 0 ? "L" : "R";
    bool keeps = r->write[0] == TH_TM_ANY || r->write[0] == r->read[0];
    bool stays = r->to == TH_TM_ANY || r->to == r->from;
    if (keeps && stays) {
        th_text_add(t, move);
        return;
    }
    th_text_add(t, "{");
    if (!keeps) {
        th_text_add(t, "write: ");
        write_scalar(t, m->symbol[r->write[0]]);
        th_text_add(t, ", ");
    }
    th_text_add(t, move);
    if (!stays) {
        th_text_add(t, ": ");
        write_scalar(t, m->state[r->to]);
    }
    th_text_add(t, "}");
}

/* One line for neighbours with the same action. */
static size_t write_rule(ThText *t, const ThTm *m, size_t i, size_t end)
{
    const ThTmRule *r = &m->rule[m->order[i]];
    enum { MOST_LISTED = 40 }; /* a key of YAML has at most 1024 characters */
    size_t after = i + 1;
    while (after < end && after < i + MOST_LISTED && same_action(r, &m->rule[m->order[after]]))
        after++;
    th_text_add(t, after > i + 1 ? "      [" : "      ");
    for (size_t k = i; k < after; k++) {
        th_text_add(t, k > i ? ", " : "");
        write_scalar(t, m->symbol[m->rule[m->order[k]].read[0]]);
    }
    th_text_add(t, after > i + 1 ? "]: " : ": ");
    write_action(t, m, r);
    th_text_add(t, "\n");
    return after;
}

static bool check_lengths(const ThTm *m, ThError *err)
{
    enum { LONGEST = 250 }; /* a key of YAML has at most 1024 characters */
    for (int q = 0; q < m->n_states; q++)
        if (th_utf8_length(m->state[q]) > LONGEST)
            return th_fail(err, TH_EVALUE, "a name of a state is too long for YAML");
    return true;
}

bool th_format_viz_write(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err)
{
    static const ThFormatFit fit = {
        .format = "the format of turingmachine.io",
        .can = FIT_ROLE_NAMES | FIT_SINGLE | FIT_LISTED,
        .most_tapes = 1,
        .no_symbol = "",
        .no_state = "",
        .missing = TH_TM_MISSING_HALT,
    };
    ThTm *x TH_OWNED(th_tm_free) = th_format_machine_fit(m, &fit, notes, err);
    if (!x || !check_lengths(x, err))
        return false;
    th_text_add(to, "name: ");
    write_scalar(to, name);
    th_text_add(to, "\nsource code: |\n  blank: ");
    write_scalar(to, x->symbol[x->blank]);
    th_text_add(to, "\n  start state: ");
    write_scalar(to, x->state[x->start]);
    th_text_add(to, "\n  table:\n");
    for (int q = 0; q < x->n_states; q++) {
        th_text_add(to, "    ");
        write_scalar(to, x->state[q]);
        th_text_add(to, ":\n");
        for (size_t i = x->order_end[q]; i < x->order_end[q + 1];)
            i = write_rule(to, x, i, x->order_end[q + 1]);
    }
    return true;
}
