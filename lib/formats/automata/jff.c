#include <libxml/tree.h>
#include <stdio.h>

#include "automata/core/build.h"
#include "base/scan.h"
#include "formats/automata/automaton_files.h"
#include "formats/machines/jff_xml.h"
#include "formats/notes.h"
#include "formats/machines/jff_records.h"

typedef enum { FA, MEALY, MOORE } Type;

typedef struct {
    ThAutomatonBuild b;
    ThIntern id; /* of states */
    int *state;  /* (ids): number in b */
    size_t state_cap;
    Type type;
    bool symbols; /* labels are symbols, not words: the file says so */
    bool words, renamed;
    int n_between; /* states made for words */
    bool start;
    ThText *notes;
} Reader;

/* ---- states ---- */

static bool name_taken(const Reader *r, const char *name)
{
    return th_intern_find(&r->b.state, name, strlen(name) + 1) != SIZE_MAX;
}

/* A state of its own under this name, or under one like it. */
static int fresh_state(Reader *r, const char *name)
{
    if (!name_taken(r, name))
        return th_automaton_build_state(&r->b, name);
    ThText t TH_OWNED(th_text_free) = {0};
    r->renamed = true;
    for (size_t i = r->b.state.n;; i++) {
        t.size = 0;
        th_text_printf(&t, "%s_%zu", name, i);
        if (t.failed || !name_taken(r, t.data))
            break;
    }
    int q = t.failed ? -1 : th_automaton_build_state(&r->b, t.data);
    r->b.failed = r->b.failed || t.failed;
    return q;
}

static bool set_output(Reader *r, const xmlNode *n, int q, ThError *err)
{
    const xmlNode *output = th_jff_child(n, "output");
    char *text TH_OWNED(free) = r->type == MOORE && output ? th_jff_content(output, err) : NULL;
    if (text && *text)
        th_automaton_build_moore(&r->b, q, th_automaton_build_output(&r->b, text));
    return text || r->type != MOORE || !output;
}

static bool read_state(Reader *r, xmlNode *n, ThError *err)
{
    char *id = NULL, *name = NULL;
    size_t index, before = r->id.n;
    if (th_jff_child(n, "automaton") || th_jff_child(n, "block"))
        return th_jff_fail(err, n, "an automaton inside a state cannot be read");
    if (!th_jff_attribute(n, "id", &id, err))
        return th_jff_fail(err, n, "a state without an id");
    th_jff_attribute(n, "name", &name, err);
    bool ok = th_intern(&r->id, id, strlen(id) + 1, &index, err) &&
              (index == before || th_jff_fail(err, n, "two states have the same id")) &&
              th_grow(&r->state, &r->state_cap, before + 1, sizeof *r->state, err);
    if (ok && name && *name) {
        r->state[index] = fresh_state(r, name);
    } else if (ok) {
        ThText t TH_OWNED(th_text_free) = {0};
        th_text_printf(&t, "q%s", id);
        r->state[index] = t.failed ? -1 : fresh_state(r, t.data);
        r->b.failed = r->b.failed || t.failed;
    }
    TH_FREE(id, name);
    if (!ok || r->b.failed)
        return ok;
    int q = r->state[index];
    if (th_jff_child(n, "initial")) {
        th_automaton_build_start(&r->b, q);
        r->start = true;
    }
    if (th_jff_child(n, "final") || r->type != FA)
        th_automaton_build_accept(&r->b, q);
    return set_output(r, n, q, err);
}

/* ---- transitions ---- */

static bool find_state(const Reader *r, const xmlNode *n, const char *which, int *q, ThError *err)
{
    const xmlNode *c = th_jff_child(n, which);
    char *id TH_OWNED(free) = c ? th_jff_content(c, err) : NULL;
    size_t index = id ? th_intern_find(&r->id, id, strlen(id) + 1) : SIZE_MAX;
    if (index == SIZE_MAX || !r->state)
        return th_jff_fail(err, n, "a transition from or to a state that is not there");
    *q = r->state[index];
    return true;
}

/* A word as a path through new states. */
static void add_word(Reader *r, int from, int to, const char *word)
{
    int length = 0, q = from;
    for (const char *c = word; *c && !r->b.failed; length++) {
        size_t size = th_utf8_next(c, strlen(c), NULL);
        char symbol[8];
        snprintf(symbol, sizeof symbol, "%.*s", (int)size, c);
        c += size;
        int next = to;
        if (*c) {
            char name[32];
            snprintf(name, sizeof name, "between%d", ++r->n_between);
            next = fresh_state(r, name);
        }
        if (!r->b.failed)
            th_automaton_build_arc(&r->b,
                                   (ThAutomatonArc){q, th_automaton_build_symbol(&r->b, symbol),
                                                    next, TH_AUTOMATON_NO_OUTPUT});
        q = next;
    }
    r->words = r->words || length > 1;
}

static bool read_transition(Reader *r, const xmlNode *n, ThError *err)
{
    int from = 0, to = 0;
    if (!find_state(r, n, "from", &from, err) || !find_state(r, n, "to", &to, err))
        return false;
    char *in TH_OWNED(free) = th_jff_content(th_jff_child(n, "read"), err),
             *out TH_OWNED(free) = th_jff_content(th_jff_child(n, "transout"), err);
    bool ok = in && out;
    if (ok && r->type == FA && !r->symbols && *in) {
        add_word(r, from, to, in);
    } else if (ok) {
        ThAutomatonArc arc = {from, TH_AUTOMATON_EPSILON, to, TH_AUTOMATON_NO_OUTPUT};
        if (*in)
            arc.symbol = th_automaton_build_symbol(&r->b, in);
        if (r->type == MEALY && *out)
            arc.output = th_automaton_build_output(&r->b, out);
        th_automaton_build_arc(&r->b, arc);
    }
    return ok;
}

/* ---- documents ---- */

/* What this program notes beside an automaton: its alphabet, in order. */
static bool read_alphabet(Reader *r, const xmlNode *n, ThError *err)
{
    ThTokens t TH_OWNED(th_tokens_free) = {0};
    const char *text = n->content ? (const char *)n->content : "";
    if (strncmp(text, "alphabet", 8) != 0)
        return true;
    r->symbols = true;
    bool ok = th_tokens_read(&t, text + 8, NULL) ||
              th_jff_fail(err, n, "the alphabet of the file cannot be read");
    for (size_t i = 0; ok && i < t.n; i++)
        if (th_token_is_name(&t.token[i]))
            th_automaton_build_symbol(&r->b, th_token_text(&t, &t.token[i]));
    return ok;
}

static bool read_type(Reader *r, const xmlNode *structure, ThError *err)
{
    const xmlNode *n = th_jff_child(structure, "type");
    char *type TH_OWNED(free) = th_jff_content(n, err);
    bool ok = type != NULL;
    if (ok && (!*type || strcmp(type, "fa") == 0))
        r->type = FA;
    else if (ok && strcmp(type, "mealy") == 0)
        r->type = MEALY;
    else if (ok && strcmp(type, "moore") == 0)
        r->type = MOORE;
    else if (ok) {
        ok = th_fail_at(err, TH_EVALUE, (int)xmlGetLineNo(n), 1,
                        "the file holds a structure of type %.60s", type);
        th_hint(err, "fa, pda, mealy, moore, turing and grammar can be read");
    }
    return ok;
}

/* States first: transitions may stand in front of them. */
static bool read_automaton(Reader *r, const xmlNode *in, ThError *err)
{
    for (xmlNode *n = in->children; n; n = n->next) {
        if (n->type == XML_PI_NODE && strcmp((const char *)n->name, "tapehead") == 0 &&
            !read_alphabet(r, n, err))
            return false;
        if (th_jff_is_element(n, "block"))
            return th_jff_fail(err, n, "building blocks cannot be read");
        if (th_jff_is_element(n, "state") && !read_state(r, n, err))
            return false;
        if (r->b.failed)
            return th_fail(err, TH_ENOMEM, "out of memory for an automaton");
    }
    for (const xmlNode *n = in->children; n; n = n->next)
        if (th_jff_is_element(n, "transition") && !read_transition(r, n, err))
            return false;
    return true;
}

static bool read_document(Reader *r, const xmlDoc *doc, ThError *err)
{
    const xmlNode *structure = xmlDocGetRootElement(doc);
    if (doc->intSubset || doc->extSubset)
        return th_fail(err, TH_EPARSE, "a document with a DOCTYPE is not read");
    if (!structure || !th_jff_is_element(structure, "structure"))
        return th_fail_at(err, TH_EPARSE, 1, 1, "expected a JFLAP file: an element <structure>");
    if (xmlHasProp(structure, (const xmlChar *)"type"))
        return th_fail_at(err, TH_EVALUE, 1, 1,
                          "the file was written by JFLAP 8, whose format is another") ||
               th_hint(err, "JFLAP 7 writes files that can be read");
    if (!read_type(r, structure, err))
        return false;
    const xmlNode *inside = th_jff_child(structure, "automaton");
    if (inside && th_jff_child(structure, "state"))
        return th_jff_fail(err, inside, "states inside and outside of <automaton>");
    if (inside && th_jff_child(inside, "automaton"))
        return th_jff_fail(err, inside, "an automaton inside an automaton");
    return read_automaton(r, inside ? inside : structure, err);
}

/* An automaton has a start: where the file has none, one from which nothing is accepted. */
static void complete(Reader *r)
{
    int q = r->start ? -1 : fresh_state(r, "start");
    if (q >= 0 && !r->b.failed)
        th_automaton_build_start(&r->b, q);
}

static void write_notes(const Reader *r)
{
    if (!r->start)
        th_format_note(r->notes, "no state is initial: a new one is, which leads nowhere");
    if (r->words)
        th_format_note(r->notes, "labels of several characters became paths through %d new state%s",
                       r->n_between, r->n_between == 1 ? "" : "s");
    if (r->renamed)
        th_format_note(r->notes, "states with the same name got numbers");
}

/* Finite automata, Mealy and Moore machines.  A label of several characters is a word in a finite
 * automaton, read through new states, unless the file was written here. */
static ThAutomaton *read(const ThFormatInput *in, ThText *notes, ThError *err)
{
    Reader r = {.notes = notes};
    ThAutomaton *a = NULL;
    xmlDoc *doc = th_jff_parse(in->text, in->size, err);
    if (doc && read_document(&r, doc, err)) {
        complete(&r);
        write_notes(&r);
        a = th_format_automaton_checked(th_automaton_build_finish(&r.b, err), err);
    }
    xmlFreeDoc(doc);
    th_automaton_build_free(&r.b);
    th_intern_free(&r.id);
    free(r.state);
    return a;
}

/* Can XML hold the name, and will it come back?  Blanks at the ends would be taken for layout. */
static bool check_names(char *const *name, int n, ThError *err)
{
    for (int i = 0; i < n; i++) {
        size_t size = strlen(name[i]);
        bool bad = size == 0 || strstr(name[i], "?>") ||
                   (size > 1 && (name[i][0] == ' ' || name[i][size - 1] == ' '));
        for (size_t j = 0; j < size; j++)
            bad = bad || (unsigned char)name[i][j] < ' ' || name[i][j] == 0x7f;
        if (bad)
            return th_fail(err, TH_EVALUE, "a .jff file cannot hold the name \"%.60s\"", name[i]);
    }
    return true;
}

static void write_element(ThText *t, const char *element, const char *text)
{
    th_text_printf(t, "<%s>", element);
    th_jff_write_text(t, text);
    th_text_printf(t, "</%s>", element);
}

static void write_state(ThText *to, const ThAutomaton *a, int q, int start)
{
    th_jff_open_state(to, q, a->state[q]);
    if (q == start)
        th_text_add(to, "<initial/>");
    if (a->accept[q] && !th_automaton_transducer(a))
        th_text_add(to, "<final/>");
    if (th_automaton_moore(a))
        write_element(to, "output",
                      a->moore[q] == TH_AUTOMATON_NO_OUTPUT ? "" : a->output[a->moore[q]]);
    th_text_add(to, "</state>\n");
}

static void write_transition(ThText *to, const ThAutomaton *a, const ThAutomatonArc *arc)
{
    th_text_printf(to, "    <transition><from>%d</from><to>%d</to>", arc->from, arc->to);
    if (arc->symbol == TH_AUTOMATON_EPSILON)
        th_text_add(to, "<read/>");
    else
        write_element(to, "read", a->symbol[arc->symbol]);
    if (th_automaton_mealy(a))
        write_element(to, "transout",
                      arc->output == TH_AUTOMATON_NO_OUTPUT ? "" : a->output[arc->output]);
    th_text_add(to, "</transition>\n");
}

/* JFLAP has one initial state, and machines with outputs have no final ones. */
static bool check_shape(const ThAutomaton *a, int *starts, ThError *err)
{
    bool moore = th_automaton_moore(a), mealy = th_automaton_mealy(a);
    *starts = 0;
    if (moore && mealy)
        return th_fail(err, TH_EVALUE,
                       "a .jff file holds outputs of states or of transitions, not both");
    for (int q = 0; q < a->n_states; q++) {
        *starts += a->start[q];
        if ((moore || mealy) && !a->accept[q])
            return th_fail(err, TH_EVALUE,
                           "in a .jff file a machine with outputs accepts in every "
                           "state, and %.60s does not",
                           a->state[q]);
    }
    return check_names(a->symbol, a->n_symbols, err) && check_names(a->output, a->n_outputs, err) &&
           check_names(a->state, a->n_states, err);
}

static void write_alphabet(ThText *to, const ThAutomaton *a)
{
    th_text_add(to, "    <?tapehead alphabet");
    for (int i = 0; i < a->n_symbols; i++) {
        th_text_add(to, " ");
        th_text_symbol(to, a->symbol[i]);
    }
    th_text_add(to, "?>\n");
}

static bool write(ThFormatOutput *out, const ThAutomaton *a, const char *name,
                  ThText *notes TH_UNUSED, ThError *err)
{
    (void)name;
    ThText *to = &out->text;
    int starts, start = 0;
    if (!check_shape(a, &starts, err))
        return false;
    while (start < a->n_states && !a->start[start])
        start++;
    th_text_add(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<structure>\n  <type>");
    th_text_add(to, th_automaton_moore(a) ? "moore" : th_automaton_mealy(a) ? "mealy" : "fa");
    th_text_add(to, "</type>\n  <automaton>\n");
    write_alphabet(to, a);
    for (int q = 0; q < a->n_states; q++)
        write_state(to, a, q, starts > 1 ? -1 : start);
    if (starts > 1)
        th_text_printf(to,
                       "    <state id=\"%d\" name=\"start\"><x>20</x><y>20</y><initial/></state>\n",
                       a->n_states);
    for (int q = 0; starts > 1 && q < a->n_states; q++) {
        if (a->start[q])
            write_transition(
                to, a,
                &(ThAutomatonArc){a->n_states, TH_AUTOMATON_EPSILON, q, TH_AUTOMATON_NO_OUTPUT});
    }
    for (size_t i = 0; i < a->n_arcs; i++)
        write_transition(to, a, &a->arc[i]);
    th_text_add(to, "  </automaton>\n</structure>\n");
    return true;
}

/* ---- the row --------------------------------------------------------------------------------- */

static int likely(const ThFormatLook *look, bool *sure)
{
    *sure = true;
    return look->size > 0 && *look->text == '<' ? 100 : 0;
}

const ThFormat th_format_jflap = {
    .name = "jflap",
    .title = "a Turing machine of JFLAP",
    .looks = "JFLAP, with several tapes, blocks, !x and ~",
    .extension = ".jff",
    .summary = "JFLAP: a finite or pushdown automaton, a Mealy, Moore or Turing machine, a grammar",
    .read_automaton = read,
    .read_language = th_jff_language,
    .write_automaton = write,
    .write_language = th_jff_write_language,
    .read_machine = th_jff_turing_read,
    .write_machine = th_jff_turing_write,
    .likely = likely,
    .holds_machine = th_jff_is_turing,
};
