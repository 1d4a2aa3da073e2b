/* Turing machines of JFLAP: the file is read element by element, not as a tree, so that a large one
 * needs little memory.  https://www.jflap.org */
#include <libxml/xmlreader.h>

#include "base/memory.h"
#include "formats/machines/jff_records.h"

typedef enum { NOTHING, STRUCTURE, MACHINE, STATE, TRANSITION, VALUE, SKIPPED } Kind;

enum { MOST_DEPTH = 200 };

typedef struct {
    Kind kind;
    int index;         /* of the machine, state or transition */
    const char *value; /* of VALUE: the element's name */
    int tape;
} Frame;

typedef struct {
    ThJff *j;
    xmlTextReader *xml;
    Frame frame[MOST_DEPTH];
    int depth;
    ThText value;
    const char *at, *end; /* what was looked at for places */
    int at_line, at_col;
    int line, col; /* where the element was found */
    bool turing, typed;
    ThError *err;
} Reader;

static void free_records(ThJff *j)
{
    th_intern_free(&j->text);
    TH_FREE(j->machine, j->state, j->transition);
    *j = (ThJff){0};
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

/* To the next start tag, whose event has just come. */
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
    if (!th_intern(&r->j->text, text, strlen(text) + 1, &index, r->err))
        return false;
    *number = (int)index;
    return true;
}

static bool keep_attribute(Reader *r, const char *name, int *number)
{
    xmlChar *value = xmlTextReaderGetAttribute(r->xml, (const xmlChar *)name);
    *number = -1;
    bool ok = !value || keep(r, (const char *)value, number);
    xmlFree(value);
    return ok;
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

static bool add_state(Reader *r, int machine, int *index)
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
    if (too_many(r, j->n_states) || !keep_attribute(r, "id", &s.id) ||
        !keep_attribute(r, "name", &s.name) ||
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

static bool add_transition(Reader *r, int machine, int *index)
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
    xmlChar *block = xmlTextReaderGetAttribute(r->xml, (const xmlChar *)"block");
    t.block = block && strcmp((const char *)block, "true") == 0;
    xmlFree(block);
    *index = (int)j->n_transitions;
    j->transition[j->n_transitions++] = t;
    return true;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* The number in the attribute tape, from 0; without one, 0. */
static bool read_tape(Reader *r, int *tape)
{
    xmlChar *value = xmlTextReaderGetAttribute(r->xml, (const xmlChar *)"tape");
    const char *text = value ? (const char *)value : "1";
    bool ok = text[0] >= '1' && text[0] <= '0' + TH_TM_MOST_TAPES && !text[1];
    *tape = ok ? text[0] - '1' : 0;
    xmlFree(value);
    if (!ok)
        return fail_here(r, "the attribute tape is a number, 1 to 5");
    if (*tape >= r->j->n_tapes)
        r->j->n_tapes = *tape + 1;
    return true;
}

static const char *among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return *names;
    return NULL;
}

/* The frame of an element inside a machine, or inside <structure>. */
static bool enter_machine(Reader *r, int machine, const char *name, Frame *f)
{
    if (strcmp(name, "state") == 0 || strcmp(name, "block") == 0) {
        f->kind = STATE;
        return add_state(r, machine, &f->index);
    }
    if (strcmp(name, "transition") == 0) {
        f->kind = TRANSITION;
        return add_transition(r, machine, &f->index);
    }
    if (strcmp(name, "tapes") == 0) {
        *f = (Frame){VALUE, machine, "tapes", 0};
        return true;
    }
    f->kind = strcmp(name, "note") == 0 ? SKIPPED : MACHINE;
    return f->kind == SKIPPED || add_machine(r, machine, name, &f->index);
}

static bool enter_structure(Reader *r, const char *name, Frame *f)
{
    static const char *const rules[] = {"state", "block", "transition", NULL};
    ThJff *j = r->j;
    int machine = 0;
    if (strcmp(name, "type") == 0 || strcmp(name, "tapes") == 0) {
        *f = (Frame){VALUE, 0, strcmp(name, "type") == 0 ? "type" : "tapes", 0};
        return true;
    }
    bool whole = strcmp(name, "automaton") == 0, bare = among(name, rules) != NULL;
    if (!whole && !bare) {
        f->kind = SKIPPED;
        return true;
    }
    if (whole && j->n_machines > 0)
        return fail_here(r, j->bare ? "states inside and outside of <automaton>"
                                    : "a second automaton");
    if (bare && j->n_machines > 0 && !j->bare)
        return fail_here(r, "states inside and outside of <automaton>");
    if (j->n_machines == 0 && !add_machine(r, -1, NULL, &machine))
        return false;
    j->bare = bare;
    *f = (Frame){MACHINE, machine, NULL, 0};
    return whole || enter_machine(r, machine, name, f);
}

static bool enter_state(Reader *r, int state, const char *name, Frame *f)
{
    ThJffState *s = &r->j->state[state];
    if (strcmp(name, "initial") == 0) {
        ThJffMachine *m = &r->j->machine[s->machine];
        if (m->initial >= 0 && m->initial != state)
            return fail_here(r, "a second initial state");
        m->initial = state;
    } else if (strcmp(name, "final") == 0) {
        s->final = true;
    } else if (strcmp(name, "tag") == 0) {
        *f = (Frame){VALUE, state, "tag", 0};
        return true;
    } else if (strcmp(name, "automaton") == 0) {
        int machine = -1;
        if (s->inside >= 0)
            return fail_here(r, "a second automaton in a block");
        bool ok = add_machine(r, s->machine, NULL, &machine);
        *f = (Frame){MACHINE, machine, NULL, 0};
        r->j->state[state].inside = machine;
        return ok;
    }
    f->kind = SKIPPED;
    return true;
}

static bool enter_transition(Reader *r, int transition, const char *name, Frame *f)
{
    static const char *const values[] = {"from", "to", "read", "write", "move", NULL};
    const char *value = among(name, values);
    *f = (Frame){value ? VALUE : SKIPPED, transition, value, 0};
    return !value || value[0] == 'f' || value[0] == 't' || read_tape(r, &f->tape);
}

static bool enter(Reader *r, const char *name)
{
    Frame f = {SKIPPED, 0, NULL, 0};
    const Frame *in = r->depth > 0 ? &r->frame[r->depth - 1] : NULL;
    bool ok = true;
    r->value.size = 0;
    if (r->depth == MOST_DEPTH)
        return fail_here(r, "elements are nested too deeply");
    if (!in) {
        f.kind = STRUCTURE;
        ok = strcmp(name, "structure") == 0 ||
             fail_here(r, "expected a JFLAP file: an element <structure>");
    } else if (in->kind == STRUCTURE) {
        ok = enter_structure(r, name, &f);
    } else if (in->kind == MACHINE) {
        ok = enter_machine(r, in->index, name, &f);
    } else if (in->kind == STATE) {
        ok = enter_state(r, in->index, name, &f);
    } else if (in->kind == TRANSITION) {
        ok = enter_transition(r, in->index, name, &f);
    }
    r->frame[r->depth++] = f;
    return ok;
}

/* The text of an element without the blanks around it. */
static const char *trimmed(Reader *r)
{
    static const char blanks[] = " \t\r\n";
    th_text_add(&r->value, "");
    if (r->value.failed)
        return NULL;
    char *from = r->value.data + strspn(r->value.data, blanks), *end = from + strlen(from);
    while (end > from && strchr(blanks, end[-1]))
        end--;
    *end = '\0';
    return from;
}

static bool set_move(Reader *r, ThJffTransition *t, int tape, const char *text)
{
    int move = th_format_field_move((ThFormatField){text, strlen(text)});
    if (move < -1)
        return fail_here(r, "expected a move: L, R or S");
    t->move[tape] = move + 1;
    return true;
}

static bool set_type(Reader *r, const char *text)
{
    r->typed = true;
    r->turing = strcmp(text, "turing") == 0;
    if (r->turing)
        return true;
    th_fail_at(r->err, TH_EVALUE, r->line, r->col, "the file holds a structure of type %.60s",
               *text ? text : "fa");
    return th_hint(r->err, "as a machine, turing can be read");
}

static bool set_tapes(Reader *r, const char *text)
{
    if (text[0] < '1' || text[0] > '0' + TH_TM_MOST_TAPES || text[1])
        return fail_here(r, "a machine has 1 to 5 tapes");
    if (text[0] - '0' > r->j->n_tapes)
        r->j->n_tapes = text[0] - '0';
    return true;
}

/* What an element with text was for. */
static bool set_value(Reader *r, const Frame *f)
{
    const char *text = trimmed(r);
    int number = -1;
    if (!text)
        return th_fail(r->err, TH_ENOMEM, "out of memory for a machine");
    if (strcmp(f->value, "type") == 0)
        return set_type(r, text);
    if (strcmp(f->value, "tapes") == 0)
        return set_tapes(r, text);
    if (!keep(r, text, &number))
        return false;
    if (strcmp(f->value, "tag") == 0) {
        r->j->state[f->index].tag = number;
        return true;
    }
    ThJffTransition *t = &r->j->transition[f->index];
    if (strcmp(f->value, "from") == 0)
        t->from = number;
    else if (strcmp(f->value, "to") == 0)
        t->to = number;
    else if (strcmp(f->value, "read") == 0)
        t->read[f->tape] = number;
    else if (strcmp(f->value, "write") == 0)
        t->write[f->tape] = number;
    else
        return set_move(r, t, f->tape, text);
    return true;
}

static bool leave(Reader *r)
{
    const Frame *f = &r->frame[--r->depth];
    bool ok = f->kind != VALUE || set_value(r, f);
    r->value.size = 0;
    return ok;
}

/* ---- documents ------------------------------------------------------------------------------- */

/* The first error of the parser; its words end with a line end. */
static void on_error(void *context, xmlErrorPtr e)
{
    Reader *r = context;
    const char *said = e->message ? e->message : "not XML";
    if (e->level < XML_ERR_ERROR)
        return;
    th_fail_at(r->err, TH_EPARSE, e->line > 0 ? e->line : 1, e->int2 > 0 ? e->int2 : 1, "%.*s",
               (int)strcspn(said, "\n"), said);
}

static bool take_event(Reader *r)
{
    const char *text;
    switch (xmlTextReaderNodeType(r->xml)) {
    case XML_READER_TYPE_ELEMENT:
        find_place(r);
        return enter(r, (const char *)xmlTextReaderConstLocalName(r->xml)) &&
               (!xmlTextReaderIsEmptyElement(r->xml) || leave(r));
    case XML_READER_TYPE_END_ELEMENT:
        return leave(r);
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
    case XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
        text = (const char *)xmlTextReaderConstValue(r->xml);
        if (text && r->depth > 0 && r->frame[r->depth - 1].kind == VALUE)
            th_text_add(&r->value, text);
        return true;
    case XML_READER_TYPE_DOCUMENT_TYPE:
        return th_fail_at(r->err, TH_EPARSE, r->line, 1, "a document with a DOCTYPE is not read");
    case XML_READER_TYPE_ENTITY_REFERENCE:
        return fail_here(r, "an entity that the file would have to define");
    default:
        return true;
    }
}

static bool open_reader(Reader *r, const char *text, size_t size)
{
    enum { OPTIONS = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING };
    if (size > INT32_MAX)
        return th_fail(r->err, TH_ELIMIT, "the file is too large");
    r->at = text;
    r->end = text + size;
    r->at_line = r->at_col = r->line = r->col = 1;
    r->xml = xmlReaderForMemory(text, (int)size, NULL, NULL, OPTIONS);
    if (!r->xml)
        return th_fail(r->err, TH_ENOMEM, "out of memory for an XML parser");
    xmlTextReaderSetStructuredErrorHandler(r->xml, on_error, r);
    return true;
}

static void close_reader(Reader *r)
{
    xmlFreeTextReader(r->xml);
    th_text_free(&r->value);
}

static bool read_document(Reader *r, const char *text, size_t size)
{
    bool ok = open_reader(r, text, size);
    int more = 1;
    while (ok && (more = xmlTextReaderRead(r->xml)) == 1)
        ok = take_event(r);
    if (ok && more < 0)
        ok = th_fail_at(r->err, TH_EPARSE, r->line, r->col, "not XML");
    if (ok && !r->typed)
        ok = th_fail_at(r->err, TH_EPARSE, 1, 1, "no element <type>");
    if (ok && r->j->n_states == 0)
        ok = th_fail_at(r->err, TH_EPARSE, 1, 1, "no states");
    close_reader(r);
    return ok;
}

bool th_jff_is_turing(const char *text, size_t size)
{
    ThJff j = {.n_tapes = 1};
    ThError err = {0};
    Reader r = {.j = &j, .err = &err};
    bool ok = open_reader(&r, text, size);
    while (ok && !r.typed && xmlTextReaderRead(r.xml) == 1)
        ok = take_event(&r);
    close_reader(&r);
    free_records(&j);
    return r.turing;
}

ThTm *th_jff_turing_read(const char *text, size_t size, const ThFormatMachineReading *how,
                         ThText *notes, ThError *err)
{
    ThJff j = {.n_tapes = 1};
    Reader r = {.j = &j, .err = err};
    ThTm *m = read_document(&r, text, size) ? th_jff_build(&j, how, notes, err) : NULL;
    free_records(&j);
    return m;
}
