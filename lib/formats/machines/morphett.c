/* jsturing, morphett.info/turing: `state symbol new-symbol l|r|* new-state [!]`, ; begins a
 * comment. https://morphett.info/turing/turing.html, and the words of a clone: s < > = left right
 * stay same else, halting in accept and reject.  What the page asks for beside the program is noted
 * in comments: `; initial state: q`, `; variant: 1`. */
#include <strings.h>

#include "formats/notes.h"
#include "formats/machines/machine_fit.h"
#include "formats/machines/machine_read.h"
#include "formats/format_table.h"

typedef struct {
    ThFormatImport im;
    ThFormatLines l;
    int variant;         /* 0 two-way, 1 left-bounded, 2 nondeterministic */
    ThFormatField start; /* of a comment; s == NULL: none */
    bool same_state;     /* some rule leaves a state called same: it is no word for "unchanged" */
    bool clone;
    ThError *err;
} Reader;

enum { STATE, SYMBOL, NEW_SYMBOL, MOVE, NEW_STATE, PAUSE };

static bool is_wild(ThFormatField f)
{
    return f.n == 1 && *f.s == '*';
}

static bool fail_field(const Reader *r, int i, const char *what)
{
    char shown[TH_FORMAT_FIELD_SHOWN];
    return th_format_lines_fail(&r->l, r->l.field[i].s, r->err, "%s, not %s", what,
                                th_format_field_show(r->l.field[i], shown));
}

/* ---- comments -------------------------------------------------------------------------------- */

/* What stands behind `; KEY:`. */
static bool comment_value(const ThFormatLines *l, const char *key, ThFormatField *value)
{
    const char *c = l->begin, *end = l->begin + l->size;
    size_t n = strlen(key);
    while (c < end && (*c == ';' || *c == ' '))
        c++;
    if ((size_t)(end - c) < n || memcmp(c, key, n) != 0)
        return false;
    for (c += n; c < end && *c == ' ';)
        c++;
    while (end > c && strchr(" \t\r", end[-1]))
        end--;
    *value = (ThFormatField){c, (size_t)(end - c)};
    return end > c;
}

static void read_comment(Reader *r, bool variant)
{
    ThFormatField value;
    if (comment_value(&r->l, "initial state:", &value) && !memchr(value.s, ' ', value.n))
        r->start = value;
    if (variant && comment_value(&r->l, "variant:", &value) && *value.s >= '0' && *value.s <= '2' &&
        (value.n == 1 || value.s[1] == ' '))
        r->variant = *value.s - '0';
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool read_state(Reader *r, int i, int *q)
{
    ThFormatField f = r->l.field[i];
    *q = TH_TM_ANY;
    if (is_wild(f))
        return true;
    if (i == NEW_STATE && !r->same_state && th_format_field_is(f, "same")) {
        r->clone = true;
        return true;
    }
    *q = th_format_import_state(&r->im, f);
    return *q >= 0;
}

static bool read_symbol(Reader *r, int i, int *s)
{
    ThFormatField f = r->l.field[i];
    *s = TH_TM_ANY;
    if (is_wild(f))
        return true;
    if (th_format_field_is(f, i == SYMBOL ? "else" : "same")) {
        r->clone = true;
        return true;
    }
    if (!th_format_field_single(f))
        return fail_field(r, i, "a symbol is a single character");
    *s = th_format_import_symbol(&r->im, f);
    return *s >= 0;
}

static bool read_rule(Reader *r)
{
    ThFormatLines *l = &r->l;
    ThTmRule rule = {0};
    if (l->n < 5)
        return th_format_lines_fail(
            l, l->field[l->n - 1].s, r->err,
            "expected state, symbol, new symbol, direction and new state; the line "
            "ends after %d of them",
            l->n);
    rule.pause = l->n > 5 && l->field[PAUSE].n == 1 && *l->field[PAUSE].s == '!';
    if (l->n > 5 + rule.pause)
        return fail_field(r, 5 + rule.pause, "expected the end of the line or !");
    rule.move[0] = th_format_field_move(l->field[MOVE]);
    if (rule.move[0] < -1)
        return fail_field(r, MOVE, "expected the direction l, r or *");
    return read_state(r, STATE, &rule.from) && read_symbol(r, SYMBOL, &rule.read[0]) &&
           read_symbol(r, NEW_SYMBOL, &rule.write[0]) && read_state(r, NEW_STATE, &rule.to) &&
           th_format_import_rule(&r->im, &rule, l->line, 1);
}

static size_t code_size(const ThFormatLines *l)
{
    const char *comment = memchr(l->begin, ';', l->size);
    return comment ? (size_t)(comment - l->begin) : l->size;
}

/* What must be known before the first rule: the notes in comments, and what `same` is. */
static bool look_ahead(Reader *r, const char *text, size_t size, bool variant)
{
    if (!th_format_lines_start(&r->l, text, size, r->err))
        return false;
    while (th_format_lines_next(&r->l)) {
        size_t n = code_size(&r->l);
        th_format_lines_cut(&r->l, n, 0);
        r->same_state = r->same_state || (r->l.n > 0 && th_format_field_is(r->l.field[0], "same"));
        if (r->l.n == 0 && n < r->l.size)
            read_comment(r, variant);
    }
    return true;
}

static bool read_rules(Reader *r, const char *text, size_t size)
{
    bool ok = th_format_lines_start(&r->l, text, size, r->err);
    while (ok && th_format_lines_next(&r->l)) {
        th_format_lines_cut(&r->l, code_size(&r->l), 0);
        ok = r->l.n == 0 || read_rule(r);
    }
    if (ok && r->im.b.m.n_rules == 0)
        return th_fail_at(r->err, TH_EPARSE, 1, 1, "the file holds no rule");
    return ok;
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* States that stop by their name; those of the clone only where no rule leaves them. */
static bool set_roles(Reader *r)
{
    ThTm *m = &r->im.b.m;
    bool *left TH_OWNED(free) = th_format_import_left(&r->im);
    for (int q = 0; left && q < m->n_states; q++) {
        ThFormatField name = {m->state[q], strlen(m->state[q])};
        bool word = th_format_field_is(name, "accept") || th_format_field_is(name, "reject");
        if (th_format_field_starts(name, "halt") || (word && !left[q]))
            m->role[q] = th_format_role_of_name(m->state[q]);
        if (m->role[q] == TH_TM_ACCEPTS || m->role[q] == TH_TM_REJECTS)
            th_format_note(r->im.notes, "the state %.60s %s", m->state[q],
                           m->role[q] == TH_TM_ACCEPTS ? "accepts" : "rejects");
    }
    return left != NULL;
}

static bool set_start(Reader *r, const ThFormatMachineReading *how)
{
    ThTm *m = &r->im.b.m;
    char *noted TH_OWNED(free) = r->start.s ? th_strndup(r->start.s, r->start.n, r->err) : NULL;
    const char *name = how->start ? how->start : noted;
    bool any = false;
    for (size_t i = 0; i < m->n_rules; i++)
        any = any || m->rule[i].from == TH_TM_ANY;
    /* Rules for any state need not name the first. */
    if (any)
        th_format_import_state(&r->im,
                               (ThFormatField){name ? name : "0", strlen(name ? name : "0")});
    int q = name ? th_format_import_start(&r->im, name) : th_tm_find_state(&r->im.b, "0");
    for (size_t i = 0; !name && q < 0 && i < m->n_rules; i++) {
        q = m->rule[i].from;
        if (q >= 0)
            th_format_note(r->im.notes, "there is no state 0: it starts in %s, the first",
                           m->state[q]);
    }
    if (r->start.s && !how->start && q >= 0)
        th_format_note(r->im.notes, "a comment says that it starts in %s", noted);
    m->start = q;
    return q >= 0 || th_fail(r->err, TH_EVALUE, "no state to start in");
}

static ThTm *read_machine(const char *text, size_t size, const ThFormatMachineReading *how,
                          ThText *notes, ThError *err)
{
    static const char *const said[] = {"", "left-bounded", "nondeterministic"};
    Reader r = {.im = {.notes = notes, .err = err, .b.m.n_tapes = 1}, .err = err};
    r.variant = how->variant > 0 ? how->variant - 1 : 0;
    bool ok = look_ahead(&r, text, size, how->variant == 0);
    r.im.twice = r.variant == 2 ? TH_FORMAT_TWICE_CHOICE : TH_FORMAT_TWICE_REPLACES;
    r.im.b.m.nondeterministic = r.variant == 2;
    r.im.b.m.edge = r.variant == 1 ? TH_TM_EDGE_STAY : TH_TM_TWO_WAY;
    r.im.b.m.missing = TH_TM_MISSING_STEP;
    r.im.b.m.blank = th_format_import_symbol(&r.im, (ThFormatField){"_", 1});
    ok = ok && read_rules(&r, text, size) && set_start(&r, how) && set_roles(&r);
    if (ok && how->variant == 0 && r.variant > 0)
        th_format_note(notes, "a comment says that it is %s", said[r.variant]);
    if (ok && r.clone)
        th_format_note(notes, "same and else are read as *");
    return th_format_import_finish(&r.im, ok);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_symbol(ThText *t, const ThTm *m, int s)
{
    th_text_printf(t, " %s", s == TH_TM_ANY ? "*" : s == m->blank ? "_" : m->symbol[s]);
}

static void write_rule(ThText *t, const ThTm *m, const ThTmRule *r)
{
    th_text_add(t, r->from == TH_TM_ANY ? "*" : m->state[r->from]);
    write_symbol(t, m, r->read[0]);
    write_symbol(t, m, r->write[0]);
    th_text_add(t, r->move[0] < 0 ? " l " : r->move[0] ? " r " : " * ");
    th_text_add(t, r->to == TH_TM_ANY ? "*" : m->state[r->to]);
    th_text_add(t, r->pause ? " !\n" : "\n");
}

/* The page takes the start state and the variant from fields beside the program. */
static void write_comments(ThText *t, const ThTm *m, const char *name, ThText *notes)
{
    th_text_printf(t, "; %s\n", name);
    if (strcmp(m->state[m->start], "0") != 0) {
        th_text_printf(t, "; initial state: %s\n", m->state[m->start]);
        th_format_note(notes, "jsturing asks for the initial state, %s: a comment says so",
                       m->state[m->start]);
    }
    if (m->nondeterministic || m->edge == TH_TM_EDGE_STAY) {
        th_text_printf(t, "; variant: %d (%s)\n", m->nondeterministic ? 2 : 1,
                       m->nondeterministic ? "nondeterministic" : "left-bounded tape");
        th_format_note(notes, "jsturing asks for the variant, %s: a comment says so",
                       m->nondeterministic ? "nondeterministic" : "left-bounded tape");
    }
}

/* `same` as the next state means something else, unless a rule leaves that state. */
static bool check_same(const ThTm *m, ThError *err)
{
    bool left = false, used = false;
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        left = left || (r->from != TH_TM_ANY && strcasecmp(m->state[r->from], "same") == 0);
        used = used || (r->to != TH_TM_ANY && strcasecmp(m->state[r->to], "same") == 0);
    }
    return left || !used ||
           th_fail(err, TH_EVALUE,
                   "in the format of jsturing the next state cannot be called same");
}

static bool check_start(const ThTm *m, ThError *err)
{
    for (size_t i = 0; i < m->n_rules; i++)
        if (m->rule[i].from == m->start || m->rule[i].from == TH_TM_ANY ||
            m->rule[i].to == m->start)
            return true;
    return th_fail(err, TH_EVALUE, "no rule names the start state, %.60s", m->state[m->start]);
}

static bool write_machine(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err)
{
    static const ThFormatFit fit = {
        .format = "the format of jsturing",
        .can = FIT_WILDCARDS | FIT_STAYS | FIT_EDGE_STAYS | FIT_CHOICE | FIT_PAUSES |
               FIT_ROLE_NAMES | FIT_HALT_NAMES | FIT_NO_BLANKS | FIT_SINGLE,
        .most_tapes = 1,
        .blank = "_",
        .no_symbol = ";* \t",
        .no_state = ";* \t",
        .missing = TH_TM_MISSING_STEP,
    };
    if (m->nondeterministic && m->edge != TH_TM_TWO_WAY)
        return th_fail(err, TH_EVALUE,
                       "jsturing has no nondeterministic machine with a one-way tape");
    if (m->n_rules == 0)
        return th_fail(err, TH_EVALUE, "a program of jsturing has at least one rule");
    ThTm *fitting TH_OWNED(th_tm_free) = th_format_machine_fit(m, &fit, notes, err);
    if (!fitting || !check_same(fitting, err) || !check_start(fitting, err))
        return false;
    write_comments(to, fitting, name, notes);
    for (size_t i = 0; i < fitting->n_rules; i++)
        write_rule(to, fitting, &fitting->rule[i]);
    return true;
}

/* ---- recognising ----------------------------------------------------------------------------- */

/* Is the line, without its comment, a rule of jsturing?  1: yes; 0: it is empty; -1: no. */
static int like_morphett(ThFormatLines *l, bool *halts)
{
    const char *comment = memchr(l->begin, ';', l->size);
    th_format_lines_cut(l, comment ? (size_t)(comment - l->begin) : l->size, 0);
    const ThFormatField *f = l->field;
    if (l->n == 0)
        return 0;
    if (l->n < 5 || l->n > 6 || th_format_field_move(f[3]) < -1 ||
        (l->n == 6 && !th_format_field_is(f[5], "!")) ||
        !(th_format_field_single(f[1]) || th_format_field_is(f[1], "else")) ||
        !(th_format_field_single(f[2]) || th_format_field_is(f[2], "same")))
        return -1;
    *halts = *halts || th_format_field_starts(f[4], "halt");
    return 1;
}

/* Most of the lines are rules. */
static int likely(const ThFormatLook *look, bool *sure)
{
    int lines[3] = {0};
    bool halts = false;
    ThFormatLines l;
    if (!look->line || !th_format_lines_start(&l, look->head, look->n_head, NULL))
        return 0;
    while (th_format_lines_next(&l))
        lines[1 + like_morphett(&l, &halts)]++;
    *sure = lines[2] > 0 && lines[0] == 0 && halts;
    return lines[2] > lines[0] ? 50 : 0;
}

const ThFormat th_format_morphett = {
    .name = "morphett",
    .title = "a program of jsturing (morphett.info)",
    .looks = "jsturing, lines `state symbol new-symbol l|r|* new-state`",
    .extension = ".tm",
    .summary = "a Turing machine in any format that is recognised; saved as jsturing has it",
    .shared = true,
    .read_machine = read_machine,
    .write_machine = write_machine,
    .likely = likely,
};
