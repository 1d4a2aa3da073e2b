/* turingmachine.io, turing-machine-viz: lines `KEY: VALUE` with the keys input, blank, start state,
 * table and synonyms, or a document of that site, which has such lines below its key source code.
 * Below the table there is a line for each state, below that one for each symbol or list of symbols
 * with its action: L, R, {write: a, R: q}, or a synonym of one.  A state without rules halts.
 *
 * That is YAML as the site's own machines are written: what YAML has beyond it (anchors and
 * aliases, tags, values that begin in the next line) is refused.
 * https://github.com/aepsilon/turing-machine-viz */
#include <limits.h>

#include "formats/notes.h"
#include "formats/machines/machine_read.h"
#include "formats/machines/viz.h"

/* Where reading stands in a line. */
typedef struct {
    const char *begin, *c, *end; /* of the line; what is left of it */
    int line;
} Place;

typedef enum { OTHER, BLANK, START, INPUT, SYNONYMS, TABLE, SOURCE, TITLE, N_KEYS } Key;

typedef struct {
    ThFormatImport im;
    ThFormatLines l;
    Place at;
    int indent;  /* of the line */
    ThText word; /* the scalar that was read last */
    const char *word_at;
    bool quoted; /* it stood in quotes */
    bool rules;  /* the second time through: the states are known */
    bool seen[N_KEYS];
    bool document;     /* with the machine below its key source code */
    Key key;           /* the last one, whose lines these are */
    int base, states;  /* the indents of keys and of the states of the table; -1: not known */
    int from;          /* the state whose rules come */
    const char *start; /* that was asked for, or NULL */
    ThIntern names;    /* of synonyms */
    Place *action;     /* (names) */
    size_t action_cap;
    char blank[8], title[TH_FORMAT_FIELD_SHOWN], input[TH_FORMAT_FIELD_SHOWN];
    bool bars;     /* some symbol is _ */
    bool from_bar; /* the blank is a space, called _ */
    ThError *err;
} Reader;

/* ---- scalars --------------------------------------------------------------------------------- */

static bool fail_at(const Reader *r, const char *at, const char *what)
{
    const ThFormatLines l = {.begin = r->at.begin, .line = r->at.line};
    return th_format_lines_fail(&l, at, r->err, "%s", what);
}

static ThFormatField word_of(const Reader *r)
{
    return (ThFormatField){r->word.data, r->word.size};
}

/* Fails at the last scalar and shows it. */
static bool fail_word(const Reader *r, const char *what)
{
    const ThFormatLines l = {.begin = r->at.begin, .line = r->at.line};
    char shown[TH_FORMAT_FIELD_SHOWN];
    return th_format_lines_fail(&l, r->word_at, r->err, "%s %s", what,
                                th_format_field_show(word_of(r), shown));
}

static bool word_is(const Reader *r, const char *text)
{
    return strcmp(r->word.data, text) == 0;
}

/* Nothing, or a null. */
static bool is_null(const Reader *r)
{
    return !r->quoted && (r->word.size == 0 || word_is(r, "~") || word_is(r, "null"));
}

/* Goes past blanks and a comment; true where the line goes on. */
static bool more(Reader *r)
{
    Place *p = &r->at;
    while (p->c < p->end && strchr(" \t\r", *p->c))
        p->c++;
    if (p->c < p->end && *p->c == '#' && (p->c == p->begin || strchr(" \t", p->c[-1])))
        p->c = p->end;
    return p->c < p->end;
}

static bool take(Reader *r, char c)
{
    if (!more(r) || *r->at.c != c)
        return false;
    r->at.c++;
    return true;
}

static bool read_quoted(Reader *r)
{
    const char *c = r->at.c, *end = r->at.end;
    char quote = *c++;
    r->quoted = true;
    for (; c < end; c++) {
        bool pair = end - c > 1 && (quote == '"' ? *c == '\\' : *c == '\'' && c[1] == '\'');
        if (pair && !strchr("\\\"'", c[1]))
            return fail_at(r, c, "of the escapes only \\\\ and \\\" are read");
        if (!pair && *c == quote) {
            r->at.c = c + 1;
            return true;
        }
        c += pair;
        th_text_add_bytes(&r->word, c, 1);
    }
    return fail_at(r, r->word_at, "the quotes are not closed");
}

/* A text in quotes, or up to what ends it: a colon with a blank behind it, a comment, and between
 * brackets also a comma or bracket. */
static bool read_scalar(Reader *r, bool inside)
{
    r->word.size = 0;
    r->quoted = false;
    th_text_add(&r->word, "");
    bool any = more(r);
    const char *c = r->word_at = r->at.c, *end = r->at.end;
    if (any && (*c == '\'' || *c == '"'))
        return read_quoted(r);
    if (any && strchr("&*!|>%@`?", *c))
        return fail_at(r, c,
                       "of YAML only texts, lists and maps of one line are read; a symbol "
                       "like this one stands in quotes");
    while (c < end && !(inside && strchr(",[]{}", *c)) &&
           !(*c == ':' && (c + 1 == end || strchr(inside ? " \t\r,]}" : " \t\r", c[1]))) &&
           !(*c == '#' && strchr(" \t", c[-1])))
        c++;
    r->at.c = c;
    while (c > r->word_at && strchr(" \t\r", c[-1]))
        c--;
    th_text_add_bytes(&r->word, r->word_at, (size_t)(c - r->word_at));
    return !r->word.failed || th_fail(r->err, TH_ENOMEM, "out of memory for a machine");
}

static bool expect(Reader *r, char c, const char *what)
{
    return take(r, c) || fail_at(r, r->at.c, what);
}

/* Goes past a comma; *open: there is more before the bracket that closes. */
static bool go_on(Reader *r, char close, bool *open)
{
    *open = !take(r, close);
    if (*open && !expect(r, ',', close == ']' ? "expected , or ]" : "expected , or }"))
        return false;
    *open = *open && !take(r, close);
    return true;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static int find_state(const Reader *r)
{
    return th_tm_find_state(&r->im.b, r->word.data);
}

/* The blank may be a space; the language calls that _ where it can.  s NULL: it is only looked at.
 */
static bool read_symbol(Reader *r, int *s)
{
    if (!read_scalar(r, true))
        return false;
    if (!th_format_field_single(word_of(r)))
        return fail_word(r, "a symbol is a single character, not");
    r->bars = r->bars || word_is(r, "_");
    if (!r->rules || !s)
        return true;
    *s = th_format_import_symbol(&r->im, r->from_bar && word_is(r, " ") ? (ThFormatField){"_", 1}
                                                                        : word_of(r));
    return *s >= 0;
}

/* The state behind L or R; nothing: the state stays. */
static bool read_target(Reader *r, ThTmRule *rule)
{
    if (!take(r, ':'))
        return true;
    if (!read_scalar(r, true))
        return false;
    if (is_null(r) || !r->rules)
        return true;
    rule->to = find_state(r);
    return rule->to >= 0 || fail_word(r, "the table has no state");
}

/* Behind {: write: a, R: q} */
static bool read_map(Reader *r, const char *at, ThTmRule *rule)
{
    bool moved = false, written = false, open = !take(r, '}');
    while (open) {
        if (!read_scalar(r, true))
            return false;
        if (word_is(r, "L") || word_is(r, "R")) {
            if (moved)
                return fail_at(r, r->word_at, "a second move");
            moved = true;
            rule->move[0] = *r->word.data == 'L' ? -1 : 1;
            if (!read_target(r, rule))
                return false;
        } else if (word_is(r, "write")) {
            if (written)
                return fail_at(r, r->word_at, "a second key write");
            written = true;
            if (!expect(r, ':', "expected : and a symbol") || !read_symbol(r, &rule->write[0]))
                return false;
        } else {
            return fail_word(r, "expected write, L or R, not");
        }
        if (!go_on(r, '}', &open))
            return false;
    }
    return moved || fail_at(r, at, "an action moves: L or R is missing");
}

/* L, R or {…}, or a synonym, whose own action is none; inside: of a map of rules. */
static bool read_action(Reader *r, bool inside, ThTmRule *rule)
{
    Place back = {0};
    bool ok = true;
    while (true) {
        bool any = more(r);
        const char *at = r->at.c;
        if (any && take(r, '{')) {
            ok = read_map(r, at, rule);
            break;
        }
        if (!read_scalar(r, inside))
            return false;
        if (r->word.size == 0)
            return fail_at(r, at, "expected an action, L or R");
        if (word_is(r, "L") || word_is(r, "R")) {
            rule->move[0] = *r->word.data == 'L' ? -1 : 1;
            break;
        }
        size_t synonym = th_intern_find(&r->names, r->word.data, r->word.size);
        if (r->rules && (synonym == SIZE_MAX || back.begin))
            return fail_word(r, "expected an action, L or R, not");
        if (!r->rules)
            break;
        back = r->at;
        r->at = r->action[synonym];
    }
    if (back.begin)
        r->at = back;
    return ok;
}

/* Goes past a symbol or a list of symbols; with a rule, adds it for each. */
static bool read_symbols(Reader *r, ThTmRule *rule)
{
    bool any = more(r);
    const char *at = r->at.c;
    bool list = any && take(r, '['), open = !list || !take(r, ']');
    if (!open)
        return fail_at(r, at, "an empty list of symbols");
    ThFormatLines l = {.begin = r->at.begin, .line = r->at.line};
    while (open) {
        if (!read_symbol(r, rule ? &rule->read[0] : NULL))
            return false;
        if (rule && !th_format_import_rule(&r->im, rule, l.line, th_format_lines_column(&l, at)))
            return false;
        open = list;
        if (list && !go_on(r, ']', &open))
            return false;
    }
    return true;
}

/* SYMBOLS: ACTION, which is read first, as the places of both may be wrong. */
static bool read_rule(Reader *r, bool inside)
{
    ThTmRule rule = {.from = r->from, .to = r->from, .write = {TH_TM_ANY}};
    Place symbols = r->at, after;
    if (!read_symbols(r, NULL) || !expect(r, ':', "expected : and an action") ||
        !read_action(r, inside, &rule))
        return false;
    after = r->at;
    r->at = symbols;
    bool ok = !r->rules || read_symbols(r, &rule);
    r->at = after;
    return ok;
}

/* The name of a state; its rules may stand behind it, between braces. */
static bool read_state(Reader *r)
{
    int before = r->im.b.m.n_states;
    if (!read_scalar(r, false))
        return false;
    if (r->word.size == 0)
        return fail_at(r, r->word_at, "expected the name of a state");
    if (word_is(r, "<<") && !r->quoted)
        return fail_at(r, r->word_at, "merge keys are not read");
    r->from = r->rules ? find_state(r) : th_format_import_state(&r->im, word_of(r));
    if (r->from < 0)
        return false;
    if (!r->rules && r->from < before)
        return fail_word(r, "a second state");
    if (!expect(r, ':', "expected : behind a state"))
        return false;
    bool open = take(r, '{');
    if (!open)
        return read_scalar(r, false) &&
               (is_null(r) || fail_word(r, "expected symbols with their actions, not"));
    open = !take(r, '}');
    while (open)
        if (!read_rule(r, true) || !go_on(r, '}', &open))
            return false;
    return true;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static bool pass_over(Reader *r)
{
    r->at.c = r->at.end;
    return true;
}

static bool read_synonym(Reader *r)
{
    size_t before = r->names.n, index = 0;
    ThTmRule rule;
    if (r->rules)
        return pass_over(r);
    if (!read_scalar(r, false))
        return false;
    if (word_is(r, "L") || word_is(r, "R"))
        return fail_word(r, "no synonym can be called");
    if (!th_intern(&r->names, r->word.data, r->word.size, &index, r->err) ||
        !th_grow(&r->action, &r->action_cap, r->names.n, sizeof *r->action, r->err))
        return false;
    if (index < before)
        return fail_word(r, "a second synonym");
    if (!expect(r, ':', "expected : behind a synonym"))
        return false;
    r->action[index] = r->at;
    return read_action(r, false, &rule);
}

static bool read_blank(Reader *r)
{
    if (!read_scalar(r, false))
        return false;
    if (!th_format_field_single(word_of(r)))
        return fail_word(r, "a symbol is a single character, not");
    memcpy(r->blank, r->word.data, r->word.size + 1);
    return true;
}

static bool read_start(Reader *r)
{
    if (!read_scalar(r, false))
        return false;
    r->im.b.m.start = r->start ? th_format_import_start(&r->im, r->start) : find_state(r);
    return r->im.b.m.start >= 0 || r->start || fail_word(r, "the table has no state");
}

/* A value that is only noted, afterwards. */
static bool keep_value(Reader *r, char shown[TH_FORMAT_FIELD_SHOWN])
{
    if (!read_scalar(r, false))
        return false;
    if (r->word.size)
        th_format_field_show(word_of(r), shown);
    return true;
}

/* What stands behind a key: of some the first time, of some the second. */
static bool read_value(Reader *r)
{
    switch (r->key) {
    case BLANK:
        return r->rules ? pass_over(r) : read_blank(r);
    case START:
        return r->rules ? read_start(r) : pass_over(r);
    case INPUT:
        return r->rules ? pass_over(r) : keep_value(r, r->input);
    case TITLE:
        return r->rules || r->base > 0 ? pass_over(r) : keep_value(r, r->title);
    case SOURCE:
        r->document = true;
        return take(r, '|') ? pass_over(r)
                            : fail_at(r, r->at.c, "expected | and the source code below it");
    case TABLE:
    case SYNONYMS:
        if (take(r, '{'))
            return expect(r, '}', "expected lines below the key");
        return read_scalar(r, false) && (is_null(r) || fail_word(r, "expected lines below, not"));
    default:
        return pass_over(r);
    }
}

static bool read_key(Reader *r)
{
    static const char *const names[] = {
        [BLANK] = "blank", [START] = "start state",  [INPUT] = "input", [SYNONYMS] = "synonyms",
        [TABLE] = "table", [SOURCE] = "source code", [TITLE] = "name"};
    if (!read_scalar(r, false))
        return false;
    r->key = N_KEYS;
    while (--r->key > OTHER && !word_is(r, names[r->key]))
        continue;
    if (r->seen[r->key] && r->key != OTHER)
        return fail_word(r, "a second key");
    r->seen[r->key] = true;
    if ((r->key == OTHER || r->key == TITLE) && r->rules && !(r->document && r->base == 0)) {
        char shown[TH_FORMAT_FIELD_SHOWN];
        th_format_note(r->im.notes, "the key %s was left out",
                       th_format_field_show(word_of(r), shown));
    }
    return expect(r, ':', "expected KEY: VALUE") && read_value(r);
}

static bool read_line(Reader *r)
{
    bool deeper = r->indent > r->base;
    if (r->key == SOURCE && deeper) {
        r->base = r->indent;
        deeper = false;
    }
    if (r->indent < r->base) { /* behind the source code of a document */
        r->base = INT_MAX;
        return pass_over(r);
    }
    if (!deeper)
        return read_key(r);
    if (r->key == SYNONYMS)
        return read_synonym(r);
    if (r->key != TABLE)
        return pass_over(r);
    r->states = r->states < 0 ? r->indent : r->states;
    if (r->indent < r->states)
        return fail_at(r, r->at.c, "less indented than the state before it");
    return r->indent == r->states ? read_state(r) : read_rule(r, false);
}

/* All lines, once for what must be known and once for the rules. */
static bool read_lines(Reader *r, const char *text, size_t size)
{
    bool ok = th_format_lines_start(&r->l, text, size, r->err);
    r->key = OTHER;
    r->base = 0;
    r->states = -1;
    memset(r->seen, 0, sizeof r->seen);
    while (ok && th_format_lines_next(&r->l)) {
        r->at = (Place){r->l.begin, r->l.begin, r->l.begin + r->l.size, r->l.line};
        while (r->at.c < r->at.end && *r->at.c == ' ')
            r->at.c++;
        r->indent = (int)(r->at.c - r->at.begin);
        if (!more(r))
            continue;
        if (r->at.c > r->at.begin + r->indent)
            return fail_at(r, r->at.begin + r->indent, "a tab before the text of a line");
        ok = read_line(r);
        if (ok && more(r))
            ok = fail_at(r, r->at.c, "expected the end of the line");
    }
    return ok;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static bool check_keys(Reader *r)
{
    const bool *seen = r->seen;
    if (!seen[BLANK] || !seen[START] || !seen[TABLE])
        return th_fail_at(r->err, TH_EPARSE, 1, 1, "no key %s",
                          !seen[BLANK]   ? "blank"
                          : !seen[START] ? "start state"
                                         : "table");
    if (r->document && *r->title)
        th_format_note(r->im.notes, "its title was left out: %s", r->title);
    r->from_bar = strcmp(r->blank, " ") == 0 && !r->bars;
    if (r->from_bar)
        th_format_note(r->im.notes, "the blank, a space, is called _");
    const char *name = r->from_bar ? "_" : r->blank;
    r->im.b.m.blank = th_format_import_symbol(&r->im, (ThFormatField){name, strlen(name)});
    r->rules = true;
    return r->im.b.m.blank >= 0;
}

static ThTm *read_machine(const char *text, size_t size, const ThFormatMachineReading *how,
                          ThText *notes, ThError *err)
{
    Reader r = {
        .im = {.notes = notes, .err = err, .b.m.n_tapes = 1}, .start = how->start, .err = err};
    bool ok = read_lines(&r, text, size) && check_keys(&r) && read_lines(&r, text, size) &&
              th_format_import_stopping(&r.im, "", false);
    if (ok && r.im.b.m.missing == TH_TM_MISSING_REJECT)
        th_format_note(notes, "where no rule applies it rejects");
    if (ok && *r.input)
        th_format_note(notes, "its input was left out: %s", r.input);
    th_text_free(&r.word);
    th_intern_free(&r.names);
    free(r.action);
    return th_format_import_finish(&r.im, ok);
}

/* ---- recognising ----------------------------------------------------------------------------- */

/* A key, in quotes or not, anywhere. */
static bool has_key(const char *text, size_t size, const char *key)
{
    size_t n = strlen(key);
    for (const char *c = text, *end = text + size; end - c > (ptrdiff_t)n; c++) {
        c = memchr(c, *key, (size_t)(end - c) - n);
        if (!c)
            return false;
        if (memcmp(c, key, n) != 0)
            continue;
        const char *after = c + n;
        while (after < end && strchr("\"' ", *after))
            after++;
        if (after < end && *after == ':')
            return true;
    }
    return false;
}

static int likely(const ThFormatLook *look, bool *sure)
{
    *sure = look->line != NULL;
    if (!has_key(look->text, look->size, "start state"))
        return 0;
    /* A document begins as a program of turingmachinesimulator.com may. */
    return has_key(look->text, look->size, "source code") ? 90 : 70;
}

const ThFormat th_format_viz = {
    .name = "viz",
    .title = "a machine of turingmachine.io",
    .looks = "turingmachine.io, YAML",
    .extension = ".yaml",
    .summary = "turingmachine.io (turing-machine-viz): a Turing machine",
    .read_machine = read_machine,
    .write_machine = th_format_viz_write,
    .likely = likely,
};
