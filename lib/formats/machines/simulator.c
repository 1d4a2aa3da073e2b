/* turingmachinesimulator.com: lines `name: …`, `init: q`, `accept: q,…`; // begins a comment; a
 * rule is two lines, `q,read…` and `q,write…,move…`, with the parts of each tape in turn. */

#include "formats/notes.h"
#include "formats/machines/machine_fit.h"
#include "formats/machines/machine_read.h"
#include "formats/format_table.h"

typedef struct {
    ThFormatImport im;
    ThFormatLines l;
    ThFormatField name, init, accept; /* values of the header; s == NULL: not there */
    bool half;                        /* the first line of a rule was read */
    int half_line;
    ThTmRule rule;
    ThError *err;
} Reader;

/* ---- the header ------------------------------------------------------------------------------ */

/* The value of a line `KEY: VALUE`, in *value; *known: it is one. */
static bool read_key(Reader *r, const char *key, ThFormatField *value, bool *known)
{
    ThFormatLines *l = &r->l;
    ThFormatField line = l->field[0];
    size_t n = strlen(key);
    *known = false;
    if (l->n == 0 || !th_format_field_starts(line, key))
        return true;
    const char *c = line.s + n, *end = l->begin + l->size;
    while (c < end && (*c == ' ' || *c == '\t'))
        c++;
    if (c >= end || *c != ':')
        return true;
    *known = true;
    if (value->s)
        return th_format_lines_fail(l, line.s, r->err, "%s: is given twice", key);
    for (c++; c < end && strchr(" \t", *c);)
        c++;
    while (end > c && strchr(" \t\r", end[-1]))
        end--;
    *value = (ThFormatField){c, (size_t)(end - c)};
    return true;
}

static bool read_header(Reader *r, bool *known)
{
    return read_key(r, "name", &r->name, known) &&
           (*known || read_key(r, "init", &r->init, known)) &&
           (*known || read_key(r, "accept", &r->accept, known));
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool read_symbol(Reader *r, int i, int *s)
{
    ThFormatField f = r->l.field[i];
    char shown[TH_FORMAT_FIELD_SHOWN];
    if (!th_format_field_single(f))
        return th_format_lines_fail(&r->l, f.s, r->err, "a symbol is a single character, not %s",
                                    th_format_field_show(f, shown));
    *s = th_format_import_symbol(&r->im, f);
    return *s >= 0;
}

static bool read_state(Reader *r, int *q)
{
    ThFormatField f = r->l.field[0];
    if (f.n == 0)
        return th_format_lines_fail(&r->l, f.s, r->err, "expected a state");
    *q = th_format_import_state(&r->im, f);
    return *q >= 0;
}

/* q,r1,…,rk; the first rule tells k. */
static bool read_case(Reader *r)
{
    ThTm *m = &r->im.b.m;
    if (m->n_tapes == 0)
        m->n_tapes = r->l.n - 1;
    if (m->n_tapes < 1 || m->n_tapes > TH_TM_MOST_TAPES)
        return th_format_lines_fail(&r->l, r->l.field[0].s, r->err,
                                    "expected a state and what 1 to %d tapes read, between commas",
                                    TH_TM_MOST_TAPES);
    if (r->l.n != m->n_tapes + 1)
        return th_format_lines_fail(
            &r->l, r->l.field[0].s, r->err,
            "expected %d parts between commas, a state and what each tape reads; found %d",
            m->n_tapes + 1, r->l.n);
    r->rule = (ThTmRule){0};
    r->half_line = r->l.line;
    bool ok = read_state(r, &r->rule.from);
    for (int t = 0; ok && t < m->n_tapes; t++)
        ok = read_symbol(r, 1 + t, &r->rule.read[t]);
    return ok;
}

/* q,w1,…,wk,m1,…,mk */
static bool read_action(Reader *r)
{
    int k = r->im.b.m.n_tapes;
    if (r->l.n != 2 * k + 1)
        return th_format_lines_fail(&r->l, r->l.field[0].s, r->err,
                                    "expected %d parts between commas, a state, what each tape "
                                    "writes and how it moves; found %d",
                                    2 * k + 1, r->l.n);
    bool ok = read_state(r, &r->rule.to);
    for (int t = 0; ok && t < k; t++) {
        ThFormatField move = r->l.field[1 + k + t];
        r->rule.move[t] = th_format_field_move(move);
        if (r->rule.move[t] < -1)
            return th_format_lines_fail(&r->l, move.s, r->err, "expected a move: <, > or -");
        ok = read_symbol(r, 1 + t, &r->rule.write[t]);
    }
    return ok && th_format_import_rule(&r->im, &r->rule, r->half_line, 1);
}

static size_t code_size(const ThFormatLines *l)
{
    for (size_t i = 0; i + 1 < l->size; i++)
        if (l->begin[i] == '/' && l->begin[i + 1] == '/')
            return i;
    return l->size;
}

static bool read_line(Reader *r)
{
    bool known;
    r->l.size = code_size(&r->l);
    th_format_lines_cut(&r->l, r->l.size, ',');
    if (r->l.n == 1 && r->l.field[0].n == 0)
        return true;
    if (!read_header(r, &known))
        return false;
    if (known)
        return !r->half ||
               th_format_lines_fail(&r->l, r->l.begin, r->err,
                                    "the rule of line %d has no second line", r->half_line);
    r->half = !r->half;
    return r->half ? read_case(r) : read_action(r);
}

static bool read_text(Reader *r, const char *text, size_t size)
{
    bool ok = th_format_lines_start(&r->l, text, size, r->err);
    while (ok && th_format_lines_next(&r->l))
        ok = read_line(r);
    if (ok && r->half)
        return th_fail_at(r->err, TH_EPARSE, r->half_line, 1, "the rule has no second line");
    if (ok && !r->init.s)
        return th_fail_at(r->err, TH_EPARSE, 1, 1, "no line `init: STATE`");
    if (r->im.b.m.n_tapes == 0) /* no rules: it stops where it starts */
        r->im.b.m.n_tapes = 1;
    return ok;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* The states of the list accept. */
static bool read_accepts(Reader *r)
{
    ThFormatLines list = {0};
    const char *c = r->accept.s, *end = c ? c + r->accept.n : NULL;
    while (c && c < end) {
        const char *comma = memchr(c, ',', (size_t)(end - c));
        list.begin = c;
        th_format_lines_cut(&list, (size_t)((comma ? comma : end) - c), ',');
        int q = list.field[0].n ? th_format_import_state(&r->im, list.field[0]) : 0;
        if (q < 0)
            return false;
        if (list.field[0].n)
            r->im.b.m.role[q] = TH_TM_ACCEPTS;
        c = comma ? comma + 1 : end;
    }
    return true;
}

static bool set_start(Reader *r, const ThFormatMachineReading *how)
{
    if (!how->start && r->init.n == 0)
        return th_fail(r->err, TH_EVALUE, "the line init: names no state");
    char *init TH_OWNED(free) = th_strndup(r->init.s, r->init.n, r->err);
    if (!init)
        return false;
    r->im.b.m.start = th_format_import_start(&r->im, how->start ? how->start : init);
    return r->im.b.m.start >= 0;
}

static ThTm *read_machine(const char *text, size_t size, const ThFormatMachineReading *how,
                          ThText *notes, ThError *err)
{
    Reader r = {.im = {.notes = notes, .err = err}, .err = err};
    char shown[TH_FORMAT_FIELD_SHOWN];
    r.im.b.m.missing = TH_TM_MISSING_REJECT;
    r.im.b.m.blank = th_format_import_symbol(&r.im, (ThFormatField){"_", 1});
    bool ok = read_text(&r, text, size) && read_accepts(&r) && set_start(&r, how) &&
              th_format_import_reject_left(&r.im);
    if (ok && r.name.n)
        th_format_note(notes, "its title was left out: %s", th_format_field_show(r.name, shown));
    return th_format_import_finish(&r.im, ok);
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *symbol_of(const ThTm *m, int s)
{
    return s == m->blank ? "_" : m->symbol[s];
}

static void write_rule(ThText *t, const ThTm *m, const ThTmRule *r)
{
    th_text_printf(t, "\n%s", m->state[r->from]);
    for (int k = 0; k < m->n_tapes; k++)
        th_text_printf(t, ",%s", symbol_of(m, r->read[k]));
    th_text_printf(t, "\n%s", m->state[r->to]);
    for (int k = 0; k < m->n_tapes; k++)
        th_text_printf(t, ",%s", symbol_of(m, r->write[k] == TH_TM_ANY ? r->read[k] : r->write[k]));
    for (int k = 0; k < m->n_tapes; k++)
        th_text_add(t, r->move[k] < 0 ? ",<" : r->move[k] ? ",>" : ",-");
    th_text_add(t, "\n");
}

/* A name that a reader would take for something else. */
static bool check_states(const ThTm *m, ThError *err)
{
    for (int q = 0; q < m->n_states; q++) {
        const char *name = m->state[q];
        size_t n = strlen(name);
        if (strstr(name, "//") || strchr(name, ':') || name[0] == ' ' || name[n - 1] == ' ')
            return th_fail(
                err, TH_EVALUE,
                "the format of turingmachinesimulator.com cannot have the state \"%.60s\"", name);
    }
    for (size_t i = 0; i < m->n_rules; i++)
        if (m->rule[i].from == m->start || m->rule[i].to == m->start)
            return true;
    return m->role[m->start] != TH_TM_REJECTS ||
           th_fail(err, TH_EVALUE, "no rule names the start state, %.60s, which rejects",
                   m->state[m->start]);
}

static bool write_machine(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err)
{
    static const ThFormatFit fit = {
        .format = "the format of turingmachinesimulator.com",
        .can = FIT_STAYS | FIT_ACCEPTS | FIT_SINGLE,
        .most_tapes = TH_TM_MOST_TAPES,
        .blank = "_",
        .no_symbol = ", \t",
        .no_state = ",\t",
        .missing = TH_TM_MISSING_REJECT,
    };
    ThTm *fitting TH_OWNED(th_tm_free) = th_format_machine_fit(m, &fit, notes, err);
    bool ok = fitting && check_states(fitting, err);
    if (ok) {
        bool more = false;
        th_text_printf(to, "name: %s\ninit: %s\naccept: ", name, fitting->state[fitting->start]);
        for (int q = 0; q < fitting->n_states; q++) {
            if (fitting->role[q] != TH_TM_ACCEPTS && fitting->role[q] != TH_TM_HALTS)
                continue;
            th_text_printf(to, more ? ",%s" : "%s", fitting->state[q]);
            more = true;
        }
        th_text_add(to, "\n");
        for (size_t i = 0; i < fitting->n_rules; i++)
            write_rule(to, fitting, &fitting->rule[i]);
    }
    return ok;
}

/* ---- recognising ----------------------------------------------------------------------------- */

static int likely(const ThFormatLook *look, bool *sure)
{
    static const char *const keys[] = {"init:", "name:", "accept:", "init :"};
    *sure = true;
    for (size_t i = 0; look->line && i < sizeof keys / sizeof *keys; i++)
        if (th_format_field_starts((ThFormatField){look->line, look->n_line}, keys[i]))
            return 80;
    return 0;
}

const ThFormat th_format_simulator = {
    .name = "simulator",
    .title = "a program of turingmachinesimulator.com",
    .looks = "turingmachinesimulator.com, with lines init: and accept:",
    .read_machine = read_machine,
    .write_machine = write_machine,
    .likely = likely,
};
