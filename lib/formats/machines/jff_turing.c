/* Turing machines of JFLAP.  https://www.jflap.org */
#include <libxml/tree.h>

#include "formats/machines/jff_xml.h"
#include "formats/machines/jff_records.h"

typedef struct {
    ThJff *j;
    const char *at, *end; /* what was looked at for places */
    int at_line, at_col;
    int line, col; /* where the element was found */
    bool typed;
    ThError *err;
} Reader;

static void free_records(ThJff *j)
{
    th_intern_free(&j->text);
    TH_FREE(j->machine, j->state, j->transition);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void move_to(Reader *r, const char *to)
{
    for (const char *c = r->at; c < to; c++) {
        r->at_col += ((unsigned char)*c & 0xc0) != 0x80;
        if (*c != '\n')
            continue;
        r->at_line++;
        r->at_col = 1;
    }
    r->at = to;
}

/* Goes past what ends with `close`. */
static void skip(Reader *r, const char *close)
{
    size_t n = strlen(close);
    const char *c = r->at;
    while ((size_t)(r->end - c) >= n && memcmp(c, close, n) != 0)
        c++;
    move_to(r, (size_t)(r->end - c) >= n ? c + n : r->end);
}

static bool ahead(const Reader *r, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
}

/* To the next start tag: elements are gone through in the order of the file, all of them. */
static void find_place(Reader *r)
{
    const char *c;
    while (r->at < r->end && (c = memchr(r->at, '<', (size_t)(r->end - r->at)))) {
        move_to(r, c);
        if (ahead(r, "<!--"))
            skip(r, "-->");
        else if (ahead(r, "<![CDATA["))
            skip(r, "]]>");
        else if (ahead(r, "<?"))
            skip(r, "?>");
        else if (ahead(r, "</") || ahead(r, "<!"))
            skip(r, ">");
        else
            break;
    }
    r->line = r->at_line;
    r->col = r->at_col;
    if (r->at < r->end)
        move_to(r, r->at + 1);
}

static bool fail_here(const Reader *r, const char *what)
{
    return th_fail_at(r->err, TH_EPARSE, r->line, r->col, "%s", what);
}

/* ---- records --------------------------------------------------------------------------------- */

static bool keep(Reader *r, const char *text, int *number)
{
    size_t index = 0;
    if (!text || !th_intern(&r->j->text, text, strlen(text) + 1, &index, r->err))
        return false;
    *number = (int)index;
    return true;
}

static bool keep_attribute(Reader *r, xmlNode *n, const char *name, int *number)
{
    char *value TH_OWNED(free) = NULL;
    *number = -1;
    return !th_jff_attribute(n, name, &value, r->err) || keep(r, value, number);
}

static bool too_many(const Reader *r, size_t n)
{
    if (n < TH_FORMAT_MOST_IMPORTED)
        return false;
    th_fail_at(r->err, TH_ELIMIT, r->line, r->col, "more than %d elements of a kind",
               TH_FORMAT_MOST_IMPORTED);
    return true;
}

static bool add_machine(Reader *r, int parent, const char *tag, int *index)
{
    ThJff *j = r->j;
    int text = -1;
    if (too_many(r, j->n_machines) || (tag && !keep(r, tag, &text)) ||
        !th_grow(&j->machine, &j->machine_cap, j->n_machines + 1, sizeof *j->machine, r->err))
        return false;
    *index = (int)j->n_machines;
    j->machine[j->n_machines++] = (ThJffMachine){.parent = parent,
                                                 .tag = text,
                                                 .first = -1,
                                                 .last = -1,
                                                 .initial = -1,
                                                 .line = r->line,
                                                 .col = r->col};
    return true;
}

static bool add_state(Reader *r, xmlNode *n, int machine, int *index)
{
    ThJff *j = r->j;
    ThJffState s = {.machine = machine,
                    .tag = -1,
                    .inside = -1,
                    .line = r->line,
                    .col = r->col,
                    .next = -1,
                    .first = -1,
                    .last = -1};
    if (too_many(r, j->n_states) || !keep_attribute(r, n, "id", &s.id) ||
        !keep_attribute(r, n, "name", &s.name) ||
        !th_grow(&j->state, &j->state_cap, j->n_states + 1, sizeof *j->state, r->err))
        return false;
    if (s.id < 0)
        return fail_here(r, "a state without an id");
    ThJffMachine *m = &j->machine[machine];
    *index = (int)j->n_states;
    s.local = m->n_states++;
    j->state[j->n_states++] = s;
    if (m->last < 0)
        m->first = *index;
    else
        j->state[m->last].next = *index;
    m->last = *index;
    return true;
}

static bool add_transition(Reader *r, xmlNode *n, int machine, int *index)
{
    ThJff *j = r->j;
    ThJffTransition t = {
        .machine = machine, .from = -1, .to = -1, .line = r->line, .col = r->col, .next = -1};
    if (too_many(r, j->n_transitions) ||
        !th_grow(&j->transition, &j->transition_cap, j->n_transitions + 1, sizeof *j->transition,
                 r->err))
        return false;
    memset(t.read, 0xff, sizeof t.read); /* -1 */
    memset(t.write, 0xff, sizeof t.write);
    memset(t.move, 0xff, sizeof t.move);
    char *block TH_OWNED(free) = NULL;
    t.block = th_jff_attribute(n, "block", &block, r->err) && strcmp(block, "true") == 0;
    *index = (int)j->n_transitions;
    j->transition[j->n_transitions++] = t;
    return true;
}

/* ---- elements -------------------------------------------------------------------------------- */

typedef bool Enter(Reader *r, xmlNode *n, int index); /* of the machine, state or transition */

static bool each_child(Reader *r, const xmlNode *n, int index, Enter *enter)
{
    for (xmlNode *c = n->children; c; c = c->next) {
        if (c->type != XML_ELEMENT_NODE)
            continue;
        find_place(r);
        if (!enter(r, c, index))
            return false;
    }
    return true;
}

static bool pass(Reader *r, xmlNode *n, int index)
{
    return each_child(r, n, index, pass);
}

/* Returns new: the text of an element, of which blanks alone are none. */
static char *content(Reader *r, xmlNode *n)
{
    char *text = th_jff_content(n, r->err);
    if (text && strcmp(text, " ") == 0)
        *text = '\0';
    pass(r, n, 0);
    return text;
}

static bool keep_content(Reader *r, xmlNode *n, int *number)
{
    char *text TH_OWNED(free) = content(r, n);
    return keep(r, text, number);
}

/* Sets *tape to the number in the attribute tape, from 0; without one, 0. */
static bool read_tape(Reader *r, xmlNode *n, int *tape)
{
    char *value TH_OWNED(free) = NULL;
    const char *text = th_jff_attribute(n, "tape", &value, r->err) ? value : "1";
    if (text[0] < '1' || text[0] > '0' + TH_TM_MOST_TAPES || text[1])
        return fail_here(r, "the attribute tape is a number, 1 to 5");
    *tape = text[0] - '1';
    if (*tape >= r->j->n_tapes)
        r->j->n_tapes = *tape + 1;
    return true;
}

static bool read_move(Reader *r, xmlNode *n, int *to)
{
    char *text TH_OWNED(free) = content(r, n);
    int move = text ? th_format_field_move((ThFormatField){text, strlen(text)}) : -2;
    if (move < -1)
        return fail_here(r, "expected a move: L, R or S");
    *to = move + 1;
    return true;
}

static bool in_transition(Reader *r, xmlNode *n, int transition)
{
    ThJffTransition *t = &r->j->transition[transition];
    bool read = th_jff_is_element(n, "read"), write = th_jff_is_element(n, "write");
    bool move = th_jff_is_element(n, "move");
    int tape = 0;
    if ((read || write || move) && !read_tape(r, n, &tape))
        return false;
    if (move)
        return read_move(r, n, &t->move[tape]);
    int *to = read                           ? &t->read[tape]
              : write                        ? &t->write[tape]
              : th_jff_is_element(n, "from") ? &t->from
              : th_jff_is_element(n, "to")   ? &t->to
                                             : NULL;
    return to ? keep_content(r, n, to) : pass(r, n, 0);
}

static bool read_tapes(Reader *r, xmlNode *n)
{
    char *text TH_OWNED(free) = content(r, n);
    if (!text || text[0] < '1' || text[0] > '0' + TH_TM_MOST_TAPES || text[1])
        return fail_here(r, "a machine has 1 to 5 tapes");
    if (text[0] - '0' > r->j->n_tapes)
        r->j->n_tapes = text[0] - '0';
    return true;
}

static Enter in_state;

static bool in_machine(Reader *r, xmlNode *n, int machine)
{
    int index = -1;
    if (th_jff_is_element(n, "state") || th_jff_is_element(n, "block"))
        return add_state(r, n, machine, &index) && each_child(r, n, index, in_state);
    if (th_jff_is_element(n, "transition"))
        return add_transition(r, n, machine, &index) && each_child(r, n, index, in_transition);
    if (th_jff_is_element(n, "tapes"))
        return read_tapes(r, n);
    if (th_jff_is_element(n, "note"))
        return pass(r, n, 0);
    return add_machine(r, machine, (const char *)n->name, &index) &&
           each_child(r, n, index, in_machine);
}

static bool in_state(Reader *r, xmlNode *n, int state)
{
    ThJffState *s = &r->j->state[state];
    if (th_jff_is_element(n, "tag"))
        return keep_content(r, n, &s->tag);
    if (th_jff_is_element(n, "initial")) {
        ThJffMachine *m = &r->j->machine[s->machine];
        if (m->initial >= 0 && m->initial != state)
            return fail_here(r, "a second initial state");
        m->initial = state;
    }
    s->final = s->final || th_jff_is_element(n, "final");
    if (!th_jff_is_element(n, "automaton"))
        return pass(r, n, 0);
    if (s->inside >= 0)
        return fail_here(r, "a second automaton in a block");
    return add_machine(r, s->machine, NULL, &s->inside) && each_child(r, n, s->inside, in_machine);
}

static bool read_type(Reader *r, xmlNode *n)
{
    char *text TH_OWNED(free) = content(r, n);
    r->typed = true;
    if (!text || strcmp(text, "turing") == 0)
        return text;
    th_fail_at(r->err, TH_EVALUE, r->line, r->col, "the file holds a structure of type %.60s",
               *text ? text : "fa");
    return th_hint(r->err, "as a machine, turing can be read");
}

static bool in_structure(Reader *r, xmlNode *n, int machine)
{
    ThJff *j = r->j;
    if (th_jff_is_element(n, "type"))
        return read_type(r, n);
    if (th_jff_is_element(n, "tapes"))
        return read_tapes(r, n);
    bool whole = th_jff_is_element(n, "automaton");
    bool bare = th_jff_is_element(n, "state") || th_jff_is_element(n, "block") ||
                th_jff_is_element(n, "transition");
    if (!whole && !bare)
        return pass(r, n, 0);
    if (j->n_machines > 0 && (whole || !j->bare))
        return fail_here(r, whole && !j->bare ? "a second automaton"
                                              : "states inside and outside of <automaton>");
    if (j->n_machines == 0 && !add_machine(r, -1, NULL, &machine))
        return false;
    j->bare = bare;
    return whole ? each_child(r, n, machine, in_machine) : in_machine(r, n, machine);
}

/* ---- documents ------------------------------------------------------------------------------- */

static bool read_document(Reader *r, const xmlDoc *doc)
{
    const xmlNode *structure = xmlDocGetRootElement(doc);
    if (doc->intSubset)
        return fail_here(r, "a document with a DOCTYPE is not read");
    find_place(r);
    if (!structure || !th_jff_is_element(structure, "structure"))
        return fail_here(r, "expected a JFLAP file: an element <structure>");
    if (!each_child(r, structure, 0, in_structure))
        return false;
    if (r->typed && r->j->n_states > 0)
        return true;
    r->line = r->col = 1;
    return fail_here(r, r->typed ? "no states" : "no element <type>");
}

bool th_jff_is_turing(const char *text, size_t size)
{
    ThError err = {0};
    xmlDoc *doc = th_jff_parse(text, size, &err);
    const xmlNode *in = doc && !doc->intSubset ? xmlDocGetRootElement(doc) : NULL;
    const xmlNode *type =
        in && th_jff_is_element(in, "structure") ? th_jff_child(in, "type") : NULL;
    char *said TH_OWNED(free) = type ? th_jff_content(type, &err) : NULL;
    xmlFreeDoc(doc);
    return said && strcmp(said, "turing") == 0;
}

ThTm *th_jff_turing_read(const char *text, size_t size, const ThFormatMachineReading *how,
                         ThText *notes, ThError *err)
{
    ThJff j = {.n_tapes = 1};
    Reader r = {.j = &j,
                .at = text,
                .end = text + size,
                .at_line = 1,
                .at_col = 1,
                .line = 1,
                .col = 1,
                .err = err};
    xmlDoc *doc = th_jff_parse(text, size, err);
    ThTm *m = doc && read_document(&r, doc) ? th_jff_build(&j, how, notes, err) : NULL;
    xmlFreeDoc(doc);
    free_records(&j);
    return m;
}
