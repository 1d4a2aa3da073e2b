/* turingmachine.io, turing-machine-viz: YAML with the keys input, blank, start state, table and
 * synonyms, or a document of that site: YAML with the keys name, positions and source code, a text
 * that is such YAML again.  The table maps a state to a map from symbols, or a list of symbols, to
 * an action: L, R, {write: a, R: q}, or a synonym of one.  A state without rules halts.
 * https://github.com/aepsilon/turing-machine-viz */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/notes.h"
#include "formats/machines/machine_fit.h"
#include "formats/machines/machine_read.h"
#include "formats/format_table.h"
#include "formats/machines/yaml.h"

typedef struct {
    ThFormatImport im;
    ThYaml y;
    int input, blank, start, table, synonyms; /* nodes; -1: not there */
    ThIntern names;                           /* of synonyms */
    int *action;                              /* (names): node */
    size_t action_cap;
    bool from_bar; /* the blank is a space, called _ */
    ThError *err;
} Reader;

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool fail_node(const Reader *r, int node, const char *what)
{
    const ThYamlNode *n = &r->y.node[node];
    return th_fail_at(r->err, TH_EPARSE, n->line, n->col, "%s", what);
}

static const ThYamlNode *node_at(const Reader *r, int node)
{
    return &r->y.node[node];
}

static ThFormatField field_of(const Reader *r, int node)
{
    return (ThFormatField){th_yaml_text(&r->y, node), node_at(r, node)->n};
}

static bool fail_shown(const Reader *r, int node, const char *what)
{
    char shown[TH_FORMAT_FIELD_SHOWN];
    const ThYamlNode *n = node_at(r, node);
    return th_fail_at(r->err, TH_EPARSE, n->line, n->col, "%s %s", what,
                      th_format_field_show(field_of(r, node), shown));
}

static bool is_scalar(const Reader *r, int node)
{
    return node_at(r, node)->kind == TH_YAML_SCALAR;
}

static bool text_is(const Reader *r, int node, const char *text)
{
    return is_scalar(r, node) && strcmp(th_yaml_text(&r->y, node), text) == 0;
}

/* Nothing, or a null. */
static bool is_null(const Reader *r, int node)
{
    const ThYamlNode *n = node_at(r, node);
    return is_scalar(r, node) && n->plain &&
           (n->n == 0 || text_is(r, node, "~") || text_is(r, node, "null"));
}

/* The entries of a map or list by number; -1 at the end. */
static int entry_node(const Reader *r, int entry)
{
    return r->y.entry[entry].node;
}

static int entry_next(const Reader *r, int entry)
{
    return r->y.entry[entry].next;
}

/* ---- the parts of the file ------------------------------------------------------------------- */

static bool read_keys(Reader *r)
{
    struct {
        const char *name;
        int *node;
    } keys[] = {{"input", &r->input}, {"blank", &r->blank},       {"start state", &r->start},
                {"table", &r->table}, {"synonyms", &r->synonyms}, {"source code", NULL},
                {"name", NULL},       {"positions", NULL}};
    enum { N_KEYS = sizeof keys / sizeof *keys };
    if (node_at(r, 0)->kind != TH_YAML_MAP)
        return fail_node(r, 0, "expected the keys blank, start state and table");
    for (int e = node_at(r, 0)->first; e >= 0; e = entry_next(r, entry_next(r, e))) {
        int key = entry_node(r, e);
        size_t k = 0;
        char shown[TH_FORMAT_FIELD_SHOWN];
        while (k < N_KEYS && !text_is(r, key, keys[k].name))
            k++;
        if (k == N_KEYS || !keys[k].node) {
            th_format_note(r->im.notes, "the key %s was left out",
                           th_format_field_show(field_of(r, key), shown));
            continue;
        }
        if (*keys[k].node >= 0)
            return fail_shown(r, key, "a second key");
        *keys[k].node = entry_node(r, entry_next(r, e));
    }
    if (r->blank < 0 || r->start < 0 || r->table < 0)
        return th_fail_at(r->err, TH_EPARSE, 1, 1, "no key %s",
                          r->blank < 0   ? "blank"
                          : r->start < 0 ? "start state"
                                         : "table");
    return true;
}

/* The name of a synonym in the table, or SIZE_MAX. */
static size_t find_synonym(const Reader *r, int node)
{
    return th_intern_find(&r->names, th_yaml_text(&r->y, node), node_at(r, node)->n);
}

static bool read_synonyms(Reader *r)
{
    if (r->synonyms < 0 || is_null(r, r->synonyms))
        return true;
    if (node_at(r, r->synonyms)->kind != TH_YAML_MAP)
        return fail_node(r, r->synonyms, "expected synonyms with their actions");
    for (int e = node_at(r, r->synonyms)->first; e >= 0; e = entry_next(r, entry_next(r, e))) {
        int key = entry_node(r, e);
        size_t before = r->names.n, index = 0;
        if (!is_scalar(r, key))
            return fail_node(r, key, "expected a synonym");
        if (text_is(r, key, "L") || text_is(r, key, "R"))
            return fail_shown(r, key, "no synonym can be called");
        if (!th_intern(&r->names, th_yaml_text(&r->y, key), node_at(r, key)->n, &index, r->err) ||
            !th_grow(&r->action, &r->action_cap, r->names.n, sizeof *r->action, r->err))
            return false;
        if (index < before)
            return fail_shown(r, key, "a second synonym");
        r->action[index] = entry_node(r, entry_next(r, e));
    }
    return true;
}

/* All states, in order: a rule may lead to one that comes later. */
static bool read_states(Reader *r)
{
    if (node_at(r, r->table)->kind != TH_YAML_MAP)
        return fail_node(r, r->table, "expected a table of states");
    for (int e = node_at(r, r->table)->first; e >= 0; e = entry_next(r, entry_next(r, e))) {
        int key = entry_node(r, e), before = r->im.b.m.n_states;
        if (!is_scalar(r, key) || node_at(r, key)->n == 0)
            return fail_node(r, key, "expected the name of a state");
        if (text_is(r, key, "<<") && node_at(r, key)->plain)
            return fail_node(r, key, "merge keys are not read");
        int q = th_format_import_state(&r->im, field_of(r, key));
        if (q < 0)
            return false;
        if (q < before)
            return fail_shown(r, key, "a second state");
    }
    return true;
}

static int find_state(const Reader *r, int node)
{
    return is_scalar(r, node) ? th_tm_find_state(&r->im.b, th_yaml_text(&r->y, node)) : -1;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* The blank may be a space; the language calls that _ where it can. */
static bool read_symbol(Reader *r, int node, int *s)
{
    ThFormatField f = field_of(r, node);
    if (!is_scalar(r, node) || !th_format_field_single(f))
        return is_scalar(r, node) ? fail_shown(r, node, "a symbol is a single character, not")
                                  : fail_node(r, node, "expected a symbol");
    if (r->from_bar && f.n == 1 && *f.s == ' ')
        f = (ThFormatField){"_", 1};
    *s = th_format_import_symbol(&r->im, f);
    return *s >= 0;
}

static bool any_bar(const Reader *r)
{
    for (size_t i = 0; i < r->y.n; i++)
        if (text_is(r, (int)i, "_"))
            return true;
    return false;
}

static bool read_blank(Reader *r)
{
    r->from_bar = text_is(r, r->blank, " ") && !any_bar(r);
    if (r->from_bar)
        th_format_note(r->im.notes, "the blank, a space, is called _");
    return read_symbol(r, r->blank, &r->im.b.m.blank);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* The state behind L or R; nothing: the state stays. */
static bool read_target(Reader *r, int node, ThTmRule *rule)
{
    if (is_null(r, node))
        return true;
    rule->to = find_state(r, node);
    if (rule->to >= 0)
        return true;
    return is_scalar(r, node) ? fail_shown(r, node, "the table has no state")
                              : fail_node(r, node, "expected a state");
}

/* {write: a, R: q} */
static bool read_map(Reader *r, int node, ThTmRule *rule)
{
    bool moved = false, written = false;
    for (int e = node_at(r, node)->first; e >= 0; e = entry_next(r, entry_next(r, e))) {
        int key = entry_node(r, e), value = entry_node(r, entry_next(r, e));
        if (text_is(r, key, "L") || text_is(r, key, "R")) {
            if (moved)
                return fail_node(r, key, "a second move");
            moved = true;
            rule->move[0] = *th_yaml_text(&r->y, key) == 'L' ? -1 : 1;
            if (!read_target(r, value, rule))
                return false;
        } else if (text_is(r, key, "write")) {
            if (written)
                return fail_node(r, key, "a second key write");
            written = true;
            if (!read_symbol(r, value, &rule->write[0]))
                return false;
        } else {
            return fail_shown(r, key, "expected write, L or R, not");
        }
    }
    return moved || fail_node(r, node, "an action moves: L or R is missing");
}

/* What stands behind a symbol; a synonym's own action is no synonym. */
static bool read_action(Reader *r, int node, ThTmRule *rule)
{
    for (int depth = 0; depth < 2; depth++) {
        if (node_at(r, node)->kind == TH_YAML_MAP)
            return read_map(r, node, rule);
        if (text_is(r, node, "L") || text_is(r, node, "R")) {
            rule->move[0] = text_is(r, node, "L") ? -1 : 1;
            return true;
        }
        size_t synonym = is_scalar(r, node) ? find_synonym(r, node) : SIZE_MAX;
        if (synonym == SIZE_MAX || depth == 1)
            break;
        node = r->action[synonym];
    }
    return is_scalar(r, node) ? fail_shown(r, node, "expected an action, L or R, not")
                              : fail_node(r, node, "expected an action, L or R");
}

static bool add_rule(Reader *r, int symbol, int key, ThTmRule rule)
{
    const ThYamlNode *n = node_at(r, key);
    return read_symbol(r, symbol, &rule.read[0]) &&
           th_format_import_rule(&r->im, &rule, n->line, n->col);
}

/* A symbol or a list of symbols, and what to do. */
static bool read_rule(Reader *r, int from, int key, int value)
{
    ThTmRule rule = {.from = from, .to = from, .write = {TH_TM_ANY}};
    if (!read_action(r, value, &rule))
        return false;
    if (node_at(r, key)->kind != TH_YAML_LIST)
        return add_rule(r, key, key, rule);
    if (node_at(r, key)->first < 0)
        return fail_node(r, key, "an empty list of symbols");
    for (int e = node_at(r, key)->first; e >= 0; e = entry_next(r, e))
        if (!add_rule(r, entry_node(r, e), key, rule))
            return false;
    return true;
}

static bool read_rules(Reader *r)
{
    for (int e = node_at(r, r->table)->first; e >= 0; e = entry_next(r, entry_next(r, e))) {
        int q = find_state(r, entry_node(r, e)), rules = entry_node(r, entry_next(r, e));
        if (is_null(r, rules))
            continue;
        if (node_at(r, rules)->kind != TH_YAML_MAP)
            return fail_node(r, rules, "expected symbols with their actions");
        for (int k = node_at(r, rules)->first; k >= 0; k = entry_next(r, entry_next(r, k)))
            if (!read_rule(r, q, entry_node(r, k), entry_node(r, entry_next(r, k))))
                return false;
    }
    return true;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static bool set_roles(Reader *r)
{
    ThTm *m = &r->im.b.m;
    bool *left = th_format_import_left(&r->im);
    for (int q = 0; left && q < m->n_states; q++) {
        ThTmRole role = th_format_role_of_name(m->state[q]);
        if (left[q])
            continue;
        m->role[q] = role == TH_TM_RUNS ? TH_TM_HALTS : role;
        if (role == TH_TM_ACCEPTS || role == TH_TM_REJECTS)
            th_format_note(r->im.notes, "the state %.60s %s", m->state[q],
                           role == TH_TM_ACCEPTS ? "accepts" : "rejects");
        if (role == TH_TM_ACCEPTS)
            m->missing = TH_TM_MISSING_REJECT;
    }
    free(left);
    if (m->missing == TH_TM_MISSING_REJECT)
        th_format_note(r->im.notes, "where no rule applies it rejects");
    return left != NULL;
}

static bool set_start(Reader *r, const ThFormatMachineReading *how)
{
    if (how->start) {
        r->im.b.m.start = th_format_import_start(&r->im, how->start);
        return r->im.b.m.start >= 0;
    }
    r->im.b.m.start = find_state(r, r->start);
    if (r->im.b.m.start >= 0)
        return true;
    return is_scalar(r, r->start) ? fail_shown(r, r->start, "the table has no state")
                                  : fail_node(r, r->start, "expected a state");
}

static void note_input(const Reader *r)
{
    char shown[TH_FORMAT_FIELD_SHOWN];
    if (r->input >= 0 && is_scalar(r, r->input) && node_at(r, r->input)->n > 0)
        th_format_note(r->im.notes, "its input was left out: %s",
                       th_format_field_show(field_of(r, r->input), shown));
}

/* The text of a document's source code, of which the file's key tells the line; NULL: it is none.
 */
static const char *source_of(Reader *r, int *line)
{
    int name = -1, source = -1;
    if (r->y.n == 0 || node_at(r, 0)->kind != TH_YAML_MAP)
        return NULL;
    for (int e = node_at(r, 0)->first; e >= 0; e = entry_next(r, entry_next(r, e))) {
        int key = entry_node(r, e), value = entry_node(r, entry_next(r, e));
        if (text_is(r, key, "table"))
            return NULL;
        if (text_is(r, key, "name"))
            name = value;
        if (text_is(r, key, "source code") && is_scalar(r, value))
            source = value;
    }
    char shown[TH_FORMAT_FIELD_SHOWN];
    if (source < 0)
        return NULL;
    if (name >= 0 && is_scalar(r, name))
        th_format_note(r->im.notes, "its title was left out: %s",
                       th_format_field_show(field_of(r, name), shown));
    *line = node_at(r, source)->line;
    return th_yaml_text(&r->y, source);
}

/* Reads the YAML, and where it is a document, the YAML in it: places count in the file then, as if
 * the source code stood below its key, as the site writes it. */
static bool read_document(Reader *r, const char *text, size_t size)
{
    enum { INDENT = 2 };
    ThYaml inner = {0};
    ThError own = {0};
    int above = 0;
    if (!th_yaml_read(&r->y, text, size, r->err))
        return false;
    const char *source = source_of(r, &above);
    if (!source)
        return true;
    bool ok = th_yaml_read(&inner, source, strlen(source), &own);
    if (!ok)
        th_fail_at(r->err, own.code, own.line + above, own.col + INDENT, "%s", own.msg);
    th_yaml_free(&r->y);
    r->y = inner;
    for (size_t i = 0; i < r->y.n; i++) {
        r->y.node[i].line += above;
        r->y.node[i].col += INDENT;
    }
    return ok;
}

static ThTm *read_machine(const char *text, size_t size, const ThFormatMachineReading *how,
                          ThText *notes, ThError *err)
{
    Reader r = {.im = {.notes = notes, .err = err, .b.m.n_tapes = 1},
                .input = -1,
                .blank = -1,
                .start = -1,
                .table = -1,
                .synonyms = -1,
                .err = err};
    bool ok = read_document(&r, text, size) && read_keys(&r) && read_synonyms(&r) &&
              read_states(&r) && read_blank(&r) && set_start(&r, how) && read_rules(&r) &&
              set_roles(&r);
    if (ok)
        note_input(&r);
    th_yaml_free(&r.y);
    th_intern_free(&r.names);
    free(r.action);
    return th_format_import_finish(&r.im, ok);
}

/* ---- writing --------------------------------------------------------------------------------- */

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

/* Characters that YAML folds, or does not take as they are, stand as escapes in double quotes. */
static bool write_escaped(ThText *t, const char *s)
{
    bool odd = false;
    int32_t c = 0;
    for (size_t i = 0, k; (k = th_utf8_next(s + i, strlen(s + i), &c)) > 0; i += k)
        odd = odd || (c >= 0x7f && c <= 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
              (c & 0xfffe) == 0xfffe;
    if (!odd)
        return false;
    th_text_add(t, "\"");
    for (size_t i = 0, k; (k = th_utf8_next(s + i, strlen(s + i), &c)) > 0; i += k)
        th_text_printf(t, c < 0x80 && c != '"' && c != '\\' ? "%c" : "\\U%08x", (unsigned)c);
    th_text_add(t, "\"");
    return true;
}

static void write_scalar(ThText *t, const char *s)
{
    if (write_escaped(t, s))
        return;
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
    enum { LONGEST = 250 }; /* an escape may take ten characters of the 1024 of a key */
    for (int q = 0; q < m->n_states; q++)
        if (th_utf8_length(m->state[q]) > LONGEST)
            return th_fail(err, TH_EVALUE, "a name of a state is too long for YAML");
    return true;
}

static bool write_machine(ThText *to, const ThTm *m, const char *name, ThText *notes, ThError *err)
{
    static const ThFormatFit fit = {
        .format = "the format of turingmachine.io",
        .can = FIT_ROLE_NAMES | FIT_SINGLE | FIT_LISTED,
        .most_tapes = 1,
        .no_symbol = "",
        .no_state = "",
        .missing = TH_TM_MISSING_HALT,
    };
    ThTm *x = th_format_machine_fit(m, &fit, notes, err);
    if (!x || !check_lengths(x, err)) {
        th_tm_free(x);
        return false;
    }
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
    th_tm_free(x);
    return true;
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
    .write_machine = write_machine,
    .likely = likely,
};
