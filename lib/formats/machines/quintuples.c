/* Plain quintuples, one a line, between commas or blanks, in brackets or not: state, symbol, and in
 * one of three orders the next state, the symbol written and the move.  Lines that begin with # ; %
 * or // are comments; one that says `fields: next-write-move` tells the order. */

#include "formats/notes.h"
#include "formats/machines/machine_fit.h"
#include "formats/machines/machine_read.h"
#include "formats/format_table.h"

typedef struct {
    ThFormatImport im;
    ThFormatLines l;
    ThIntern states, symbols; /* what stands in the first and second column */
    int next, write, move;    /* the columns */
    ThFormatFields said;      /* by a comment */
    ThError *err;
} Reader;

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_comment(const ThFormatLines *l)
{
    size_t i = 0;
    while (i < l->size && strchr(" \t", l->begin[i]))
        i++;
    const char *c = l->begin + i;
    bool pair = l->size - i > 1 && c[0] == '/' && c[1] == '/';
    return i < l->size && (pair || strchr("#;%", *c));
}

static const char *const orders[] = {NULL, "next-write-move", "write-next-move", "write-move-next"};

static void read_comment(Reader *r)
{
    ThFormatLines l = r->l;
    if (!is_comment(&l))
        return;
    th_format_lines_cut(&l, l.size, 0);
    for (int i = 1; i < 4 && l.n >= 3; i++)
        if (th_format_field_is(l.field[1], "fields:") && th_format_field_is(l.field[2], orders[i]))
            r->said = (ThFormatFields)i;
}

static bool at_end(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ';' || c == ',';
}

/* Cuts the line without the brackets around it and what follows them; false where there is none. */
static bool cut(ThFormatLines *l)
{
    static const char open[] = "([{<", close[] = ")]}>";
    const char *c = l->begin, *end = l->begin + l->size;
    if (is_comment(l))
        return false;
    while (c < end && strchr(" \t\r", *c))
        c++;
    const char *last = end;
    while (last > c && at_end(last[-1]))
        last--;
    const char *bracket = c < last ? strchr(open, *c) : NULL;
    if (bracket && last - c > 2 && last[-1] == close[bracket - open]) {
        c++;
        end = last - 1;
    }
    const char *begin = l->begin;
    l->begin = c;
    th_format_lines_cut(l, (size_t)(end - c), memchr(c, ',', (size_t)(end - c)) ? ',' : 0);
    l->begin = begin;
    return l->n > 0 && !(l->n == 1 && l->field[0].n == 0);
}

static bool check_line(Reader *r)
{
    const ThFormatLines *l = &r->l;
    if (l->n != 5)
        return th_format_lines_fail(l, l->field[0].s, r->err, "expected 5 parts, found %d", l->n);
    for (int i = 0; i < 5; i++)
        if (l->field[i].n == 0)
            return th_format_lines_fail(l, l->field[i].s, r->err, "part %d is empty", i + 1);
    return true;
}

/* ---- the order of the columns ---------------------------------------------------------------- */

/* What the lines allow. */
typedef struct {
    bool fourth, last;             /* can be the move, in all lines */
    bool digit_fourth, digit_last; /* or 0 and 1 for it */
    int next_line, write_line;     /* a line that contradicts the one and the other, or 0 */
} Shape;

static bool is_digit_move(ThFormatField f)
{
    return f.n == 1 && (*f.s == '0' || *f.s == '1');
}

static bool known(const ThIntern *t, ThFormatField f)
{
    return th_intern_find(t, f.s, f.n) != SIZE_MAX;
}

/* The symbols and states of the first columns, and which columns can be the move. */
static bool survey(Reader *r, const char *text, size_t size, Shape *shape)
{
    size_t index;
    *shape = (Shape){true, true, true, true, 0, 0};
    if (!th_format_lines_start(&r->l, text, size, r->err))
        return false;
    while (th_format_lines_next(&r->l)) {
        read_comment(r);
        if (!cut(&r->l))
            continue;
        const ThFormatField *f = r->l.field;
        if (!check_line(r) || !th_intern(&r->states, f[0].s, f[0].n, &index, r->err) ||
            !th_intern(&r->symbols, f[1].s, f[1].n, &index, r->err))
            return false;
        bool fourth = th_format_field_move(f[3]) >= -1, last = th_format_field_move(f[4]) >= -1;
        shape->fourth = shape->fourth && fourth;
        shape->last = shape->last && last;
        shape->digit_fourth = shape->digit_fourth && (fourth || is_digit_move(f[3]));
        shape->digit_last = shape->digit_last && (last || is_digit_move(f[4]));
    }
    if (r->states.n == 0)
        return th_fail_at(r->err, TH_EPARSE, 1, 1, "the file holds no rule");
    return true;
}

/* Looks for lines that contradict an order of next state and symbol written. */
static void compare_orders(Reader *r, const char *text, size_t size, Shape *shape)
{
    th_format_lines_start(&r->l, text, size, NULL);
    while (th_format_lines_next(&r->l)) {
        if (!cut(&r->l))
            continue;
        ThFormatField a = r->l.field[2], b = r->l.field[3];
        bool a_state = known(&r->states, a), a_symbol = known(&r->symbols, a);
        bool b_state = known(&r->states, b), b_symbol = known(&r->symbols, b);
        if (!shape->next_line && ((a_symbol && !a_state) || (b_state && !b_symbol)))
            shape->next_line = r->l.line;
        if (!shape->write_line && ((a_state && !a_symbol) || (b_symbol && !b_state)))
            shape->write_line = r->l.line;
    }
}

static bool ambiguous(Reader *r, const char *what)
{
    th_fail(r->err, TH_EVALUE, "the quintuples can be read in two ways: %s", what);
    return th_hint(r->err, "say fields=next-write-move, write-next-move or write-move-next");
}

static void set_columns(Reader *r, ThFormatFields fields)
{
    r->next = fields == TH_FORMAT_FIELDS_NEXT_WRITE_MOVE   ? 2
              : fields == TH_FORMAT_FIELDS_WRITE_NEXT_MOVE ? 3
                                                           : 4;
    r->write = fields == TH_FORMAT_FIELDS_NEXT_WRITE_MOVE ? 3 : 2;
    r->move = fields == TH_FORMAT_FIELDS_WRITE_MOVE_NEXT ? 3 : 4;
}

static bool find_order(Reader *r, const char *text, size_t size, ThFormatFields fields)
{
    Shape shape;
    if (!survey(r, text, size, &shape))
        return false;
    if (!shape.fourth && !shape.last) {
        shape.fourth = shape.digit_fourth;
        shape.last = shape.digit_last;
        if (shape.fourth != shape.last)
            th_format_note(r->im.notes, "the moves 0 and 1 are read as left and right");
    }
    fields = fields == TH_FORMAT_FIELDS_AUTO ? r->said : fields;
    set_columns(r, fields);
    if (fields != TH_FORMAT_FIELDS_AUTO)
        return true;
    if (shape.fourth && shape.last)
        return ambiguous(r, "part 4 and part 5 can both be the move");
    if (!shape.fourth && !shape.last)
        return th_fail(r->err, TH_EVALUE,
                       "neither part 4 nor part 5 of the lines is always a move (L, R, S)");
    if (shape.fourth) {
        set_columns(r, TH_FORMAT_FIELDS_WRITE_MOVE_NEXT);
        return true;
    }
    compare_orders(r, text, size, &shape);
    if (!shape.next_line == !shape.write_line)
        return shape.next_line
                   ? th_fail_at(r->err, TH_EVALUE, shape.next_line, 1,
                                "part 3 is no state if that of line %d is one", shape.write_line)
                   : ambiguous(r, "part 3 and part 4 can both be the next state");
    set_columns(r, shape.next_line ? TH_FORMAT_FIELDS_WRITE_NEXT_MOVE
                                   : TH_FORMAT_FIELDS_NEXT_WRITE_MOVE);
    if (shape.next_line)
        th_format_note(r->im.notes,
                       "part 3 is read as the symbol written, part 4 as the next state");
    return true;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool read_rule(Reader *r)
{
    const ThFormatField *f = r->l.field;
    ThTmRule rule = {0};
    rule.from = th_format_import_state(&r->im, f[0]);
    rule.read[0] = th_format_import_symbol(&r->im, f[1]);
    rule.to = th_format_import_state(&r->im, f[r->next]);
    rule.write[0] = th_format_import_symbol(&r->im, f[r->write]);
    rule.move[0] = th_format_field_move(f[r->move]);
    if (rule.move[0] < -1 && is_digit_move(f[r->move]))
        rule.move[0] = *f[r->move].s == '0' ? -1 : 1;
    if (rule.from < 0 || rule.to < 0 || rule.read[0] < 0 || rule.write[0] < 0)
        return false;
    if (rule.move[0] < -1)
        return th_format_lines_fail(&r->l, f[r->move].s, r->err, "expected a move: L, R or S");
    return th_format_import_rule(&r->im, &rule, r->l.line, 1);
}

static bool read_rules(Reader *r, const char *text, size_t size)
{
    bool ok = th_format_lines_start(&r->l, text, size, r->err);
    while (ok && th_format_lines_next(&r->l))
        ok = !cut(&r->l) || read_rule(r);
    return ok;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* What is taken for the blank, the first that some rule names. */
static const char *const usual[] = {"_", "□", "⊔", "␣", "B", "b", "Δ"};

static bool set_blank(Reader *r, const char *given)
{
    ThTm *m = &r->im.b.m;
    int s = given ? th_tm_find_symbol(&r->im.b, given) : -1;
    if (given && s < 0)
        return th_fail(r->err, TH_EVALUE, "no rule names the blank %.60s", given);
    for (size_t i = 0; s < 0 && i < sizeof usual / sizeof *usual; i++) {
        s = th_tm_find_symbol(&r->im.b, usual[i]);
        if (s >= 0 && i > 0)
            th_format_note(r->im.notes, "the symbol %s is taken for the blank", usual[i]);
    }
    if (s < 0) {
        s = th_format_import_symbol(&r->im, (ThFormatField){"_", 1});
        th_format_note(r->im.notes, "no symbol looks like a blank: it is _, in no rule");
    }
    m->blank = s;
    return s >= 0;
}

static ThTm *read_machine(const char *text, size_t size, const ThFormatMachineReading *how,
                          ThText *notes, ThError *err)
{
    Reader r = {.im = {.notes = notes, .err = err, .b.m.n_tapes = 1}, .err = err};
    bool ok = find_order(&r, text, size, how->fields) && read_rules(&r, text, size) &&
              set_blank(&r, how->blank) &&
              th_format_import_stopping(&r.im, ", which no rule leaves,", true);
    if (ok && how->start)
        ok = (r.im.b.m.start = th_format_import_start(&r.im, how->start)) >= 0;
    else if (ok)
        th_format_note(notes, "it starts in %.60s, the first state", r.im.b.m.state[0]);
    th_intern_free(&r.states);
    th_intern_free(&r.symbols);
    return th_format_import_finish(&r.im, ok);
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *symbol_of(const ThTm *m, int s)
{
    return s == m->blank ? "_" : m->symbol[s];
}

static void write_rules(ThText *t, const ThTm *m, bool start)
{
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        if ((r->from == m->start) != start)
            continue;
        th_text_printf(t, "%s,%s,%s,%s,%s\n", m->state[r->from], symbol_of(m, r->read[0]),
                       m->state[r->to],
                       symbol_of(m, r->write[0] == TH_TM_ANY ? r->read[0] : r->write[0]),
                       r->move[0] < 0 ? "L"
                       : r->move[0]   ? "R"
                                      : "S");
    }
}

static bool names_symbol(const ThTm *m, int s)
{
    for (size_t i = 0; i < m->n_rules; i++)
        if (m->rule[i].read[0] == s || m->rule[i].write[0] == s)
            return true;
    return false;
}

/* Would the reader take another symbol for the blank, as no rule names the machine's? */
static bool blank_is_lost(const ThTm *m)
{
    if (names_symbol(m, m->blank))
        return false;
    for (int s = 0; s < m->n_symbols; s++)
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
            if (s != m->blank && strcmp(m->symbol[s], usual[i]) == 0 && names_symbol(m, s))
                return true;
    return false;
}

static bool write_machine(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err)
{
    static const ThFormatFit fit = {
        .format = "a file of quintuples",
        .can = FIT_STAYS | FIT_ROLE_NAMES | FIT_NO_BLANKS,
        .most_tapes = 1,
        .blank = "_",
        .no_symbol = ",()[]{}<>\t",
        .no_state = ",()[]{}<>#;%/\t",
        .missing = TH_TM_MISSING_HALT,
    };
    ThText t TH_OWNED(th_text_free) = {0};
    ThTm *fitting TH_OWNED(th_tm_free) = th_format_machine_fit(m, &fit, notes, err);
    if (!fitting)
        return false;
    write_rules(&t, fitting, true);
    bool ok = t.size > 0 ||
              th_fail(err, TH_EVALUE, "as quintuples a machine has a rule for its start state");
    if (ok && blank_is_lost(fitting))
        ok = th_fail(err, TH_EVALUE,
                     "as quintuples a machine has a rule with its blank, where another symbol "
                     "looks like one");
    write_rules(&t, fitting, false);
    if (ok) {
        th_text_printf(to, "# %s\n# fields: next-write-move\n", name);
        th_text_add_bytes(to, t.data, t.size);
    }
    to->failed = to->failed || t.failed;
    return ok;
}

/* ---- recognising ----------------------------------------------------------------------------- */

static int like_quintuple(ThFormatLines *l)
{
    const char *c = l->begin, *end = l->begin + l->size;
    while (c < end && strchr(" \t\r", *c))
        c++;
    if (c == end || strchr("#%;", *c) || (end - c > 1 && c[0] == '/' && c[1] == '/'))
        return 0;
    bool comma = memchr(c, ',', (size_t)(end - c)) != NULL;
    th_format_lines_cut(l, l->size, comma ? ',' : 0);
    if (l->n < 5)
        return -1;
    ThFormatField last = l->field[4];
    while (last.n > 1 && strchr(")]}>;, ", last.s[last.n - 1]))
        last.n--;
    bool digit = comma && last.n == 1 && (*last.s == '0' || *last.s == '1');
    return th_format_field_move(l->field[3]) >= -1 || th_format_field_move(last) >= -1 || digit
               ? 1
               : -1;
}

/* Most of the lines are rules. */
static int likely(const ThFormatLook *look, bool *sure)
{
    int lines[3] = {0};
    ThFormatLines l;
    *sure = false;
    if (!look->line || !th_format_lines_start(&l, look->head, look->n_head, NULL))
        return 0;
    while (th_format_lines_next(&l))
        lines[1 + like_quintuple(&l)]++;
    return lines[2] > lines[0] ? 40 : 0;
}

const ThFormat th_format_quintuples = {
    .name = "quintuples",
    .title = "a list of quintuples",
    .looks = "lines `state,symbol,new-state,new-symbol,move`, in some order",
    .read_machine = read_machine,
    .write_machine = write_machine,
    .likely = likely,
};
