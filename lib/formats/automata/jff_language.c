/* JFLAP's pushdown automata and grammars: their texts are those of blocks here, symbols being
 * single characters. */
#include <libxml/tree.h>
#include <stdio.h>

#include "formats/automata/automaton_files.h"
#include "formats/machines/jff_records.h"
#include "formats/machines/jff_xml.h"
#include "formats/notes.h"
#include "language/grammar.h"
#include "language/pushdown_impl.h"

/* Appends each character in quotes; nothing: `empty`. */
static void add_characters(ThText *t, const char *text, const char *empty)
{
    char symbol[8];
    th_text_add(t, *text ? "" : empty);
    for (size_t size; *text; text += size) {
        size = th_utf8_next(text, strlen(text), NULL);
        snprintf(symbol, sizeof symbol, "%.*s", (int)size, text);
        th_text_add(t, " ");
        th_text_quoted(t, symbol);
    }
}

/* ---- pushdown automata ----------------------------------------------------------------------- */

typedef struct {
    ThText text;
    ThIntern id, name; /* states in order, and the names that are taken */
    int made;          /* states between the symbols of one transition */
} Reader;

/* The name of a state, in quotes: its own if no other has it. */
static bool name_state(Reader *r, xmlNode *n, ThText *to, ThError *err)
{
    char *id TH_OWNED(free) = NULL, *name TH_OWNED(free) = NULL;
    size_t index, known = r->name.n;
    if (!th_jff_attribute(n, "id", &id, err))
        return th_jff_fail(err, n, "a state without an id");
    th_jff_attribute(n, "name", &name, err);
    char *own TH_OWNED(free) = th_printed(err, "q%s", id);
    const char *typed = name && *name ? name : own;
    bool ok = own && th_intern(&r->name, typed, strlen(typed) + 1, &index, err);
    if (ok && index < known) {
        typed = own;
        ok = th_intern(&r->name, own, strlen(own) + 1, &index, err);
    }
    th_text_quoted(to, ok ? typed : "");
    known = r->id.n;
    return ok && th_intern(&r->id, id, strlen(id) + 1, &index, err) &&
           (index == known || th_jff_fail(err, n, "two states have the same id"));
}

static bool read_states(Reader *r, const xmlNode *in, ThText *names, ThError *err)
{
    const char *start = NULL;
    ThText accept TH_OWNED(th_text_free) = {0};
    bool ok = true;
    for (xmlNode *n = in->children; ok && n; n = n->next) {
        if (!th_jff_is_element(n, "state"))
            continue;
        size_t from = names->size;
        ok = name_state(r, n, names, err);
        const char *name = names->data ? names->data + from : "";
        if (ok && th_jff_child(n, "initial") && !start) {
            th_text_printf(&r->text, "start %s\n", name);
            start = "";
        }
        if (ok && th_jff_child(n, "final"))
            th_text_printf(&accept, "accept %s\n", name);
        th_text_add(names, "\n");
    }
    th_text_printf(&r->text, "bottom Z\n%s", accept.data ? accept.data : "empty\n");
    return ok && (start || th_fail(err, TH_EVALUE, "no state is initial"));
}

/* The line of a state in the list of names. */
static bool put_state(Reader *r, const ThText *names, const xmlNode *n, const char *which,
                      ThError *err)
{
    char *id TH_OWNED(free) = th_jff_content(th_jff_child(n, which), err);
    size_t index = id ? th_intern_find(&r->id, id, strlen(id) + 1) : SIZE_MAX;
    const char *line = th_text_string(names);
    if (index == SIZE_MAX)
        return th_jff_fail(err, n, "a transition from or to a state that is not there");
    for (size_t i = 0; i < index; i++)
        line = strchr(line, '\n') + 1;
    th_text_printf(&r->text, "%.*s", (int)strcspn(line, "\n"), line);
    return true;
}

/* Of several symbols that are read at once the others are read by states of their own. */
static bool read_transition(Reader *r, const ThText *names, const xmlNode *n, ThError *err)
{
    char *read TH_OWNED(free) = th_jff_content(th_jff_child(n, "read"), err),
               *pop TH_OWNED(free) = th_jff_content(th_jff_child(n, "pop"), err),
               *push TH_OWNED(free) = th_jff_content(th_jff_child(n, "push"), err);
    if (!read || !pop || !push || !put_state(r, names, n, "from", err))
        return false;
    size_t size = *read ? th_utf8_next(read, strlen(read), NULL) : 0;
    char *rest = read + size, first[8];
    snprintf(first, sizeof first, "%.*s", (int)size, read);
    add_characters(&r->text, first, " epsilon");
    add_characters(&r->text, pop, " epsilon");
    th_text_add(&r->text, " -> ");
    if (*rest)
        th_text_printf(&r->text, "\"between%d\"", ++r->made);
    else if (!put_state(r, names, n, "to", err))
        return false;
    add_characters(&r->text, push, " epsilon");
    while (*rest) {
        size = th_utf8_next(rest, strlen(rest), NULL);
        snprintf(first, sizeof first, "%.*s", (int)size, rest);
        rest += size;
        th_text_printf(&r->text, "\n\"between%d\"", r->made);
        add_characters(&r->text, first, "");
        th_text_add(&r->text, " -> ");
        if (*rest)
            th_text_printf(&r->text, "\"between%d\"", ++r->made);
        else if (!put_state(r, names, n, "to", err))
            return false;
    }
    th_text_add(&r->text, "\n");
    return true;
}

static bool read_pushdown(Reader *r, const xmlNode *structure, ThText *notes, ThError *err)
{
    const xmlNode *inside = th_jff_child(structure, "automaton");
    ThText names TH_OWNED(th_text_free) = {0};
    inside = inside ? inside : structure;
    bool ok = read_states(r, inside, &names, err);
    for (const xmlNode *n = inside->children; ok && n; n = n->next)
        ok = !th_jff_is_element(n, "transition") || read_transition(r, &names, n, err);
    if (ok && !strstr(r->text.data, "\naccept "))
        th_format_note(notes, "no state is final: it accepts with an empty stack");
    return ok;
}

/* ---- grammars -------------------------------------------------------------------------------- */

/* Rules stand on the lines of their elements, so that errors and notes name these. */
static bool read_grammar(ThText *t, const xmlNode *structure, ThError *err)
{
    bool ok = true;
    long line = 1;
    for (const xmlNode *n = structure->children; ok && n; n = n->next) {
        if (!th_jff_is_element(n, "production"))
            continue;
        char *left TH_OWNED(free) = th_jff_content(th_jff_child(n, "left"), err),
                   *right TH_OWNED(free) = th_jff_content(th_jff_child(n, "right"), err);
        ok = left && right;
        if (ok && (left[0] == '\0' || left[1] != '\0' || left[0] < 'A' || left[0] > 'Z'))
            return th_jff_fail(err, n, "on the left of a rule stands no capital letter alone");
        if (!ok)
            break;
        th_text_add(t, t->size ? ";" : "");
        for (; line < xmlGetLineNo(n); line++)
            th_text_add(t, "\n");
        add_characters(t, left, "");
        th_text_add(t, " ->");
        add_characters(t, right, " epsilon");
    }
    return ok;
}

ThLanguage *th_jff_language(const ThFormatInput *in, ThText *notes, ThError *err)
{
    Reader r = {0};
    ThError own = {0};
    ThLanguage *l = NULL;
    xmlDoc *doc = th_jff_parse(in->text, in->size, NULL); /* the reader of automata says why not */
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    bool plain = root && !doc->intSubset && !doc->extSubset;
    char *type TH_OWNED(free) = plain ? th_jff_content(th_jff_child(root, "type"), err) : NULL;
    bool stack = type && strcmp(type, "pda") == 0, grammar = type && strcmp(type, "grammar") == 0;
    bool ok = (stack && read_pushdown(&r, root, notes, err)) ||
              (grammar && read_grammar(&r.text, root, err));
    if (ok && r.text.data)
        l = th_language_parse(stack ? "pushdown" : "grammar", r.text.data, &own);
    if (ok && !l)
        th_fail_at(err, own.code ? own.code : TH_EVALUE, grammar ? own.line : 0,
                   grammar && own.line, "%s", own.code ? own.msg : "it has no rules");
    if (ok && !l && *own.hint)
        th_hint(err, "%s", own.hint);
    if (l && th_language_remarks(l))
        th_format_note(notes, "%s", th_language_remarks(l));
    xmlFreeDoc(doc);
    th_text_free(&r.text);
    th_intern_free(&r.id);
    th_intern_free(&r.name);
    return l;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* An element of symbols, each of which has to be one character. */
static bool write_symbols(ThText *to, const char *element, const char *const *symbol, int n,
                          ThError *err)
{
    th_text_printf(to, n ? "<%s>" : "<%s/>", element);
    for (int i = 0; i < n; i++) {
        size_t size = strlen(symbol[i]);
        if (size == 0 || th_utf8_next(symbol[i], size, NULL) != size || *symbol[i] <= ' ')
            return th_fail(err, TH_EVALUE, "JFLAP's symbols are single characters, not \"%.60s\"",
                           symbol[i]);
        th_jff_write_text(to, symbol[i]);
    }
    if (n)
        th_text_printf(to, "</%s>", element);
    return true;
}

/* The letters of the variables, the start being S: a letter that is a variable's name is its own.
 * False: there are not enough. */
static bool name_variables(const ThLanguage *l, char (*letter)[2], ThError *err)
{
    const ThGrammar *g = l->data;
    bool taken[26] = {false};
    for (int s = 0; s < l->n_symbols; s++)
        if (l->symbol[s][0] >= 'A' && l->symbol[s][0] <= 'Z')
            return th_fail(err, TH_EVALUE,
                           "JFLAP takes capital letters for variables, and '%.60s' is none",
                           l->symbol[s]);
    for (int own = 1; own >= 0; own--)
        for (int i = 0; i < g->n_variables; i++) {
            const char *name = g->variable[i];
            char c = name[0] >= 'A' && name[0] <= 'Z' && !name[1] ? name[0] : 0;
            for (int k = 0; !own && !c && k < 26; k++)
                c = (char)(!taken[(18 + k) % 26] ? 'A' + (18 + k) % 26 : 0);
            if (!c && !own)
                return th_fail(err, TH_ELIMIT, "a .jff file has room for 26 variables");
            if (!letter[i][0])
                letter[i][0] = c;
            if (c)
                taken[c - 'A'] = true;
        }
    return true;
}

static bool write_grammar(ThText *to, const ThLanguage *l, ThText *notes, ThError *err)
{
    const ThGrammar *g = l->data;
    char(*letter)[2] TH_OWNED(free) = th_alloc((size_t)g->n_variables, sizeof *letter, err);
    const char **right TH_OWNED(free) = th_alloc(g->n_right + 1, sizeof *right, err);
    bool ok = letter && right && name_variables(l, letter, err);
    for (int i = 0; ok && i < g->n_variables; i++)
        if (strcmp(letter[i], g->variable[i]) != 0)
            th_format_note(notes, "%s is %s in the file", g->variable[i], letter[i]);
    for (int others = 0; others < 2; others++) /* JFLAP's start is on the left of the first rule */
        for (size_t i = 0; ok && i < g->n_rules; i++) {
            const ThGrammarRule *r = &g->rule[i];
            if ((r->left != 0) != others)
                continue;
            for (int k = 0; k < r->n; k++) {
                int x = g->right[r->first + k];
                right[k] = x < 0 ? l->symbol[~x] : letter[x];
            }
            th_text_printf(to, "  <production><left>%s</left>", letter[r->left]);
            ok = write_symbols(to, "right", right, r->n, err);
            th_text_add(to, "</production>\n");
        }
    return ok;
}

static bool write_part(ThText *to, const char *element, const ThPushdown *d, ThPushdownPart part,
                       ThError *err)
{
    const char **symbol TH_OWNED(free) = th_alloc((size_t)part.n + 1, sizeof *symbol, err);
    for (int i = 0; symbol && i < part.n; i++)
        symbol[i] = th_pushdown_symbol(d, d->stack[part.from + i]);
    return symbol && write_symbols(to, element, symbol, part.n, err);
}

static bool write_pushdown(ThText *to, const ThLanguage *l, ThError *err)
{
    const ThPushdown *d = l->data;
    if (strcmp(th_pushdown_symbol(d, 0), "Z") != 0)
        return th_fail(err, TH_EVALUE, "JFLAP's stack has Z at its bottom, and this one %.60s",
                       th_pushdown_symbol(d, 0));
    for (size_t q = 0; q < d->state.n; q++) {
        th_jff_open_state(to, (int)q, th_pushdown_state(d, (int)q));
        th_text_printf(to, "%s%s</state>\n", q ? "" : "<initial/>",
                       d->accepts[q] ? "<final/>" : "");
    }
    bool ok = true;
    for (size_t i = 0; ok && i < d->n_rules; i++) {
        const ThPushdownRule *r = &d->rule[i];
        const char *read = r->symbol < 0 ? "" : l->symbol[r->symbol];
        th_text_printf(to, "    <transition><from>%d</from><to>%d</to>", r->from, r->to);
        ok = write_symbols(to, "read", &read, r->symbol >= 0, err) &&
             write_part(to, "pop", d, r->pop, err) && write_part(to, "push", d, r->push, err);
        th_text_add(to, "</transition>\n");
    }
    return ok;
}

bool th_jff_write_language(ThFormatOutput *out, const ThLanguage *l, ThText *notes, ThError *err)
{
    bool stack = l->kind == &th_language_kind_pushdown;
    if (!stack && l->kind != &th_language_kind_grammar)
        return th_fail(err, TH_EUSAGE,
                       "of languages a .jff file holds grammars and pushdown automata");
    th_text_printf(&out->text,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<structure>\n  <type>%s</type>\n",
                   stack ? "pda" : "grammar");
    th_text_add(&out->text, stack ? "  <automaton>\n" : "");
    bool ok = stack ? write_pushdown(&out->text, l, err) : write_grammar(&out->text, l, notes, err);
    th_text_add(&out->text, stack ? "  </automaton>\n</structure>\n" : "</structure>\n");
    return ok;
}
