#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "automata/build.h"
#include "base/scan.h"
#include "base/memory.h"
#include "formats/exchange.h"

/* ---- tokens ---- */

typedef enum { END, ID, ARROW, LINE, MARK } Kind;

typedef struct {
    Kind kind;
    char mark;
    bool quoted;
    int line, col;
    size_t text; /* of an ID: offset into Reader.text */
} Token;

typedef struct {
    char *label, *shape;
    int peripheries;
    bool invisible, mentioned;
} Node;

typedef struct {
    int from, to;
    size_t label; /* offset into Reader.text, or SIZE_MAX */
    int line;
} Edge;

typedef struct {
    const char *at;
    int line, col;
    Token token;
    char *text; /* of all names, each with its end */
    size_t size, cap;
    ThIntern id;
    Node *node;
    size_t node_cap;
    Edge *edge;
    size_t n_edges, edge_cap;
    Node fallback; /* what `node [...]` said last */
    char *alphabet;
    ThBuild b;
    int *state; /* (nodes): number in b, or -1 */
    bool guessed_start, moore;
} Reader;

static void reader_free(Reader *r)
{
    for (size_t i = 0; i < r->id.n && r->node; i++) {
        free(r->node[i].label);
        free(r->node[i].shape);
    }
    free(r->fallback.label);
    free(r->fallback.shape);
    free(r->node);
    free(r->edge);
    free(r->text);
    free(r->alphabet);
    free(r->state);
    th_intern_free(&r->id);
    th_build_free(&r->b);
}

static void advance(Reader *r, size_t bytes)
{
    for (; bytes > 0; bytes--, r->at++) {
        if (*r->at == '\n') {
            r->line++;
            r->col = 1;
        } else if (((unsigned char)*r->at & 0xc0) != 0x80) {
            r->col++;
        }
    }
}

static bool add_byte(Reader *r, char c, ThError *err)
{
    if (!th_grow(&r->text, &r->cap, r->size + 1, 1, err))
        return false;
    r->text[r->size++] = c;
    return true;
}

static bool skip_blanks(Reader *r, ThError *err)
{
    for (;;) {
        if (isspace((unsigned char)*r->at)) {
            advance(r, 1);
        } else if (*r->at == '#' && r->col == 1) {
            advance(r, strcspn(r->at, "\n"));
        } else if (r->at[0] == '/' && r->at[1] == '/') {
            advance(r, strcspn(r->at, "\n"));
        } else if (r->at[0] == '/' && r->at[1] == '*') {
            const char *end = strstr(r->at + 2, "*/");
            if (!end)
                return th_fail_at(err, TH_EPARSE, r->line, r->col, "a comment without an end");
            advance(r, (size_t)(end + 2 - r->at));
        } else {
            return true;
        }
    }
}

/* A string; \" and \\ are undone, other escapes belong to labels. */
static bool read_string(Reader *r, ThError *err)
{
    int line = r->line, col = r->col;
    r->token.quoted = true;
    for (advance(r, 1); *r->at != '"'; advance(r, 1)) {
        if (!*r->at)
            return th_fail_at(err, TH_EPARSE, line, col, "a string without an end");
        if (r->at[0] == '\\' && r->at[1] == '\n') {
            advance(r, 1);
            continue;
        }
        if (r->at[0] == '\\' && (r->at[1] == '"' || r->at[1] == '\\'))
            advance(r, 1);
        if (!add_byte(r, *r->at, err))
            return false;
    }
    advance(r, 1);
    return add_byte(r, '\0', err);
}

static bool is_id_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

static bool next(Reader *r, ThError *err)
{
    if (!skip_blanks(r, err))
        return false;
    r->token =
        (Token){.kind = MARK, .mark = *r->at, .line = r->line, .col = r->col, .text = r->size};
    if (!*r->at) {
        r->token.kind = END;
    } else if (r->at[0] == '-' && (r->at[1] == '>' || r->at[1] == '-')) {
        r->token.kind = r->at[1] == '>' ? ARROW : LINE;
        advance(r, 2);
    } else if (*r->at == '"') {
        r->token.kind = ID;
        return read_string(r, err);
    } else if (is_id_byte(*r->at) || (*r->at == '-' && is_id_byte(r->at[1]))) {
        r->token.kind = ID;
        do {
            if (!add_byte(r, *r->at, err))
                return false;
            advance(r, 1);
        } while (is_id_byte(*r->at));
        return add_byte(r, '\0', err);
    } else if (strchr("{}[];,=:", *r->at)) {
        advance(r, 1);
    } else if (*r->at == '<') {
        return th_fail_at(err, TH_EPARSE, r->line, r->col, "labels in HTML cannot be read");
    } else {
        return th_fail_at(err, TH_EPARSE, r->line, r->col, "unexpected '%c'", *r->at);
    }
    return true;
}

static bool is_mark(const Reader *r, char mark)
{
    return r->token.kind == MARK && r->token.mark == mark;
}

static const char *text_of(const Reader *r, size_t text)
{
    return r->text + text;
}

static bool is_word(const Reader *r, const char *word)
{
    if (r->token.kind != ID || r->token.quoted)
        return false;
    const char *t = text_of(r, r->token.text);
    for (; *t && tolower((unsigned char)*t) == *word; t++)
        word++;
    return !*t && !*word;
}

static bool unexpected(const Reader *r, const char *wanted, ThError *err)
{
    const Token *t = &r->token;
    if (t->kind == END)
        return th_fail_at(err, TH_EPARSE, t->line, t->col, "expected %s, and the file ends",
                          wanted);
    return th_fail_at(err, TH_EPARSE, t->line, t->col, "expected %s", wanted);
}

/* ---- statements ---- */

static bool replace(char **to, const char *text, ThError *err)
{
    char *copy = th_strdup(text, err);
    if (!copy)
        return false;
    free(*to);
    *to = copy;
    return true;
}

static bool is_invisible(const char *shape)
{
    static const char *const name[] = {"none", "point", "plaintext", "plain"};
    for (int i = 0; shape && i < 4; i++) {
        if (strcmp(shape, name[i]) == 0)
            return true;
    }
    return false;
}

/* What an attribute says of a node (n), of an edge (label), or, both NULL, of the graph. */
static bool attribute(Reader *r, Node *n, size_t *label, size_t key, size_t value, ThError *err)
{
    const char *k = text_of(r, key), *v = text_of(r, value);
    if (n && strcmp(k, "label") == 0)
        return replace(&n->label, v, err);
    if (n && strcmp(k, "shape") == 0)
        return replace(&n->shape, v, err);
    if (n && strcmp(k, "peripheries") == 0)
        n->peripheries = atoi(v);
    if (n && strcmp(k, "style") == 0 && strstr(v, "invis"))
        n->invisible = true;
    if (label && strcmp(k, "label") == 0)
        *label = value;
    if (!n && !label && strcmp(k, "comment") == 0 && strncmp(v, "alphabet ", 9) == 0)
        return replace(&r->alphabet, v + 9, err);
    return true;
}

/* The lists [key=value, …] at the token, if there are any. */
static bool attributes(Reader *r, Node *n, size_t *label, ThError *err)
{
    while (is_mark(r, '[')) {
        if (!next(r, err))
            return false;
        while (!is_mark(r, ']')) {
            size_t key = r->token.text, value;
            if (r->token.kind != ID)
                return unexpected(r, "an attribute or ]", err);
            if (!next(r, err))
                return false;
            if (is_mark(r, '=')) {
                if (!next(r, err))
                    return false;
                value = r->token.text;
                if (r->token.kind != ID)
                    return unexpected(r, "a value", err);
                if (!attribute(r, n, label, key, value, err) || !next(r, err))
                    return false;
            }
            if ((is_mark(r, ',') || is_mark(r, ';')) && !next(r, err))
                return false;
        }
        if (!next(r, err))
            return false;
    }
    return true;
}

/* The number of the node at the token, with its port skipped. */
static bool node_at(Reader *r, int *number, ThError *err)
{
    size_t index, before = r->id.n;
    if (r->token.kind != ID)
        return unexpected(r, "a node", err);
    const char *name = text_of(r, r->token.text);
    if (!th_grow(&r->node, &r->node_cap, before + 1, sizeof *r->node, err) ||
        !th_intern(&r->id, name, strlen(name) + 1, &index, err))
        return false;
    *number = (int)index;
    if (r->id.n > before) {
        Node *n = &r->node[index];
        *n = (Node){.peripheries = r->fallback.peripheries, .invisible = r->fallback.invisible};
        if (r->fallback.shape && !replace(&n->shape, r->fallback.shape, err))
            return false;
    }
    if (!next(r, err))
        return false;
    while (is_mark(r, ':')) {
        if (!next(r, err) || r->token.kind != ID)
            return unexpected(r, "a port", err);
        if (!next(r, err))
            return false;
    }
    return true;
}

static bool add_edge(Reader *r, int from, int to, ThError *err)
{
    if (!th_grow(&r->edge, &r->edge_cap, r->n_edges + 1, sizeof *r->edge, err))
        return false;
    r->edge[r->n_edges++] = (Edge){from, to, SIZE_MAX, r->token.line};
    return true;
}

/* NODE [attributes], NODE -> NODE … [attributes], or NAME = VALUE. */
static bool node_statement(Reader *r, ThError *err)
{
    int from, to;
    size_t key = r->token.text, first = r->n_edges, label = SIZE_MAX;
    if (!node_at(r, &from, err))
        return false;
    if (is_mark(r, '=')) {
        if (!next(r, err))
            return false;
        size_t value = r->token.text;
        if (r->token.kind != ID)
            return unexpected(r, "a value", err);
        return attribute(r, NULL, NULL, key, value, err) && next(r, err);
    }
    r->node[from].mentioned = true;
    if (r->token.kind == LINE)
        return th_fail_at(err, TH_EPARSE, r->token.line, r->token.col,
                          "an automaton needs edges with a direction: ->");
    if (r->token.kind != ARROW)
        return attributes(r, &r->node[from], NULL, err);
    while (r->token.kind == ARROW) {
        if (!next(r, err))
            return false;
        if (is_mark(r, '{') || is_word(r, "subgraph"))
            return th_fail_at(err, TH_EPARSE, r->token.line, r->token.col,
                              "edges to a subgraph cannot be read");
        if (!node_at(r, &to, err) || !add_edge(r, from, to, err))
            return false;
        r->node[to].mentioned = true;
        from = to;
    }
    if (!attributes(r, NULL, &label, err))
        return false;
    for (size_t i = first; i < r->n_edges; i++)
        r->edge[i].label = label;
    return true;
}

static bool statement(Reader *r, ThError *err)
{
    size_t ignored;
    if (is_word(r, "node"))
        return next(r, err) && attributes(r, &r->fallback, NULL, err);
    if (is_word(r, "edge"))
        return next(r, err) && attributes(r, NULL, &ignored, err);
    if (is_word(r, "graph"))
        return next(r, err) && attributes(r, NULL, NULL, err);
    return node_statement(r, err);
}

/* Statements up to the brace that closes the graph; subgraphs are read as if not enclosed. */
static bool body(Reader *r, ThError *err)
{
    for (int depth = 1; depth > 0;) {
        if (is_mark(r, ';') || is_mark(r, ',')) {
            if (!next(r, err))
                return false;
        } else if (is_mark(r, '{') || is_mark(r, '}')) {
            depth += is_mark(r, '{') ? 1 : -1;
            if (depth > 0 && !next(r, err))
                return false;
        } else if (is_word(r, "subgraph")) {
            if (!next(r, err) || (r->token.kind == ID && !next(r, err)))
                return false;
            if (!is_mark(r, '{'))
                return unexpected(r, "{", err);
        } else if (r->token.kind != ID) {
            return unexpected(r, "a statement or }", err);
        } else if (!statement(r, err)) {
            return false;
        }
    }
    return true;
}

static bool read_graph(Reader *r, ThError *err)
{
    if (!next(r, err) || (is_word(r, "strict") && !next(r, err)))
        return false;
    if (is_word(r, "graph"))
        return th_fail_at(err, TH_EPARSE, r->token.line, r->token.col,
                          "an automaton needs edges with a direction: digraph");
    if (!is_word(r, "digraph"))
        return unexpected(r, "digraph", err);
    if (!next(r, err) || (r->token.kind == ID && !next(r, err)))
        return false;
    if (!is_mark(r, '{'))
        return unexpected(r, "{", err);
    return next(r, err) && body(r, err);
}

/* ---- from nodes and edges to an automaton ---- */

static bool no_state(const Reader *r, int node)
{
    const Node *n = &r->node[node];
    const char *id = th_intern_at(&r->id, (size_t)node, NULL);
    return !n->mentioned || n->invisible || is_invisible(n->shape) ||
           strncmp(id, "__start", 7) == 0;
}

static bool is_record(const Node *n)
{
    return n->shape && (strcmp(n->shape, "record") == 0 || strcmp(n->shape, "Mrecord") == 0) &&
           n->label && strchr(n->label, '|');
}

/* Cuts blanks off both ends of a piece of text. */
static void trim(const char **from, const char **to)
{
    while (*from < *to && isspace((unsigned char)**from))
        ++*from;
    while (*to > *from && isspace((unsigned char)(*to)[-1]))
        --*to;
}

/* A piece of a label as a name: the language's quotes are undone. */
static char *name_of(const char *from, const char *to, ThError *err)
{
    trim(&from, &to);
    char *name = th_strndup(from, (size_t)(to - from), err);
    if (!name || *name != '"')
        return name;
    ThTokens t = {0};
    if (th_tokens_read(&t, name, NULL) && t.n >= 2 && t.token[0].kind == TH_TOKEN_STRING) {
        char *inside = th_strdup(th_token_text(&t, &t.token[0]), err);
        free(name);
        name = inside;
    }
    th_tokens_free(&t);
    return name;
}

/* `{ name | output }`: where the parts begin and end. */
static void record_parts(const char *label, const char *part[4])
{
    const char *end = label + strlen(label), *bar = strchr(label, '|');
    const char *open = strchr(label, '{'), *close = strrchr(label, '}');
    part[0] = open && open < bar ? open + 1 : label;
    part[1] = bar;
    part[2] = bar + 1;
    part[3] = close && close > bar ? close : end;
}

/* Are all labels of states different, none empty?  Then they are the names. */
static bool labels_are_names(const Reader *r)
{
    ThIntern seen = {0};
    bool good = true;
    for (size_t i = 0; good && i < r->id.n; i++) {
        const Node *n = &r->node[i];
        if (no_state(r, (int)i))
            continue;
        size_t before = seen.n, index;
        const char *label = n->label ? n->label : th_intern_at(&r->id, i, NULL), *part[4];
        size_t size = strlen(label);
        if (is_record(n)) {
            record_parts(label, part);
            trim(&part[0], &part[1]);
            label = part[0];
            size = (size_t)(part[1] - part[0]);
        }
        good = size > 0 && th_utf8_valid(label, size) && !memchr(label, '\n', size) &&
               th_intern(&seen, label, size, &index, NULL) && seen.n > before;
    }
    th_intern_free(&seen);
    return good;
}

static bool make_states(Reader *r, ThError *err)
{
    bool labels = labels_are_names(r);
    r->state = th_alloc(r->id.n, sizeof *r->state, err);
    if (!r->state)
        return false;
    for (size_t i = 0; i < r->id.n; i++) {
        const Node *n = &r->node[i];
        const char *id = th_intern_at(&r->id, i, NULL), *part[4] = {0};
        r->state[i] = -1;
        if (no_state(r, (int)i))
            continue;
        bool record = is_record(n);
        const char *text = labels && n->label ? n->label : id;
        if (record)
            record_parts(n->label, part);
        char *name = record && labels ? name_of(part[0], part[1], err) : th_strdup(text, err);
        char *output = record && name ? name_of(part[2], part[3], err) : NULL;
        if (name && (output || !record)) {
            r->state[i] = th_build_state(&r->b, name);
            if (record && *output) {
                th_build_moore(&r->b, r->state[i], th_build_output(&r->b, output));
                r->moore = true;
            }
            if (n->peripheries > 1 || (n->shape && strcmp(n->shape, "doublecircle") == 0))
                th_build_accept(&r->b, r->state[i]);
        }
        free(name);
        free(output);
        if (r->state[i] < 0)
            return false;
    }
    return true;
}

/* The end of a piece of a label: at `\n`, a line's end, or (in one without outputs) a comma; quotes
 * protect what is inside. */
static const char *piece_end(const char *s, bool commas)
{
    bool quoted = false;
    for (; *s; s++) {
        if (*s == '\\' && quoted && s[1])
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (!quoted && ((*s == '\\' && s[1] && strchr("nlr", s[1])) || *s == '\n'))
            break;
        else if (!quoted && commas && *s == ',')
            break;
    }
    return s;
}

/* The slash between input and output, or NULL. */
static const char *find_slash(const char *from, const char *to)
{
    bool quoted = false;
    for (const char *s = from; s < to; s++) {
        if (*s == '\\' && quoted && s + 1 < to)
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (!quoted && *s == '/')
            return s;
    }
    return NULL;
}

static bool is_empty_word(const char *name, const char *from)
{
    return *from != '"' && (!*name || strcmp(name, "eps") == 0 || strcmp(name, "ε") == 0 ||
                            strcmp(name, "epsilon") == 0 || strcmp(name, "λ") == 0);
}

static bool add_arc(Reader *r, const Edge *e, const char *from, const char *to, ThError *err)
{
    trim(&from, &to);
    const char *slash = to - from == 1 ? NULL : find_slash(from, to);
    char *in = name_of(from, slash ? slash : to, err);
    char *out = slash && in ? name_of(slash + 1, to, err) : NULL;
    bool ok = in && (out || !slash);
    if (ok && (!th_utf8_valid(in, strlen(in)) || (out && !th_utf8_valid(out, strlen(out)))))
        ok = th_fail_at(err, TH_EPARSE, e->line, 1, "a label that is not UTF-8");
    if (ok) {
        ThArc arc = {r->state[e->from], TH_EPSILON, r->state[e->to], TH_NO_OUTPUT};
        if (from != to && !is_empty_word(in, from))
            arc.symbol = th_build_symbol(&r->b, in);
        if (out && *out)
            arc.output = th_build_output(&r->b, out);
        th_build_arc(&r->b, arc);
    }
    free(in);
    free(out);
    return ok;
}

static bool make_arcs(Reader *r, ThError *err)
{
    for (size_t i = 0; i < r->n_edges; i++) {
        const Edge *e = &r->edge[i];
        if (r->state[e->from] < 0 && r->state[e->to] >= 0)
            th_build_start(&r->b, r->state[e->to]);
        if (r->state[e->from] < 0 || r->state[e->to] < 0)
            continue;
        const char *s = e->label == SIZE_MAX ? "" : text_of(r, e->label);
        const char *end = s + strlen(s);
        bool commas = end - s > 1 && !find_slash(s, end);
        for (;; s++) {
            const char *stop = piece_end(s, commas);
            bool last = *stop == '\0';
            if (!add_arc(r, e, s, stop, err))
                return false;
            if (last)
                break;
            s = stop + (*stop == '\\');
        }
    }
    return true;
}

static bool make_alphabet(Reader *r, ThError *err)
{
    ThTokens t = {0};
    bool ok = !r->alphabet || th_tokens_read(&t, r->alphabet, err);
    for (size_t i = 0; ok && i < t.n; i++) {
        if (t.token[i].kind == TH_TOKEN_WORD || t.token[i].kind == TH_TOKEN_STRING)
            th_build_symbol(&r->b, th_token_text(&t, &t.token[i]));
    }
    th_tokens_free(&t);
    return ok;
}

/* What the picture leaves open: where the automaton starts, and where a transducer accepts. */
static void complete(Reader *r, ThText *notes)
{
    bool start = false, accept = false, outputs = r->b.output.n > 0;
    size_t n = r->b.failed ? 0 : r->b.state.n;
    for (size_t q = 0; q < n; q++) {
        start = start || r->b.info[q].start;
        accept = accept || r->b.info[q].accept;
    }
    if (!start && !r->b.failed) {
        th_build_start(&r->b, n > 0 ? 0 : th_build_state(&r->b, "start"));
        th_exchange_note(notes, n > 0 ? "no edge marks a start: the first state is it"
                                      : "there is no state: a new one leads nowhere");
    }
    if (!accept && outputs) {
        for (size_t q = 0; q < n; q++)
            th_build_accept(&r->b, (int)q);
    } else if (!accept) {
        th_exchange_note(notes, "no state accepts");
    }
}

ThAutomaton *th_dot_read(const char *text, ThText *notes, ThError *err)
{
    Reader r = {.at = text, .line = 1, .col = 1};
    ThAutomaton *a = NULL;
    if (!th_utf8_valid(text, strlen(text))) {
        th_fail(err, TH_EPARSE, "the file is not UTF-8");
        return NULL;
    }
    if (read_graph(&r, err) && make_alphabet(&r, err) && make_states(&r, err) &&
        make_arcs(&r, err)) {
        complete(&r, notes);
        a = th_exchange_checked(th_build_finish(&r.b, err), err);
    }
    reader_free(&r);
    return a;
}

/* ---- writing ---- */

/* A string of the format. */
static void write_string(ThText *t, const char *text)
{
    th_text_add(t, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            th_text_add(t, "\\");
        th_text_add_bytes(t, c, 1);
    }
    th_text_add(t, "\"");
}

/* A symbol so that the reader knows it again: in quotes unless it is a plain word. */
static void add_name(ThText *t, const char *name)
{
    if (is_empty_word(name, name) || strpbrk(name, ",/|{}\\\"") || !th_is_word(name)) {
        ThText quoted = {0};
        th_text_symbol(&quoted, name);
        bool bare = quoted.data && *quoted.data != '"';
        th_text_add(t, bare ? "\"" : "");
        th_text_add(t, quoted.data ? quoted.data : "");
        th_text_add(t, bare ? "\"" : "");
        t->failed = t->failed || quoted.failed;
        th_text_free(&quoted);
    } else {
        th_text_add(t, name);
    }
}

static void write_taken(ThText *to, ThText *from)
{
    write_string(to, from->data ? from->data : "");
    to->failed = to->failed || from->failed;
    th_text_free(from);
}

static void write_node(ThText *to, const ThAutomaton *a, int q, bool all_accept)
{
    ThText label = {0};
    bool accept = a->accept[q] && !all_accept;
    th_text_printf(to, "  s%d [label=", q);
    if (a->moore[q] == TH_NO_OUTPUT) {
        write_string(to, a->state[q]);
        th_text_printf(to, " shape=%s];\n", accept ? "doublecircle" : "circle");
        return;
    }
    th_text_add(&label, "{ ");
    add_name(&label, a->state[q]);
    th_text_add(&label, " | ");
    add_name(&label, a->output[a->moore[q]]);
    th_text_add(&label, " }");
    write_taken(to, &label);
    th_text_printf(to, " shape=record style=rounded%s];\n", accept ? " peripheries=2" : "");
}

static void write_edge(ThText *to, const ThAutomaton *a, const ThArc *arc)
{
    ThText label = {0};
    if (arc->symbol == TH_EPSILON)
        th_text_add(&label, "ε");
    else
        add_name(&label, a->symbol[arc->symbol]);
    if (arc->output != TH_NO_OUTPUT) {
        th_text_add(&label, " / ");
        add_name(&label, a->output[arc->output]);
    }
    th_text_printf(to, "  s%d -> s%d [label=", arc->from, arc->to);
    write_taken(to, &label);
    th_text_add(to, "];\n");
}

bool th_dot_write(ThText *to, const ThAutomaton *a, const char *name, ThError *err)
{
    (void)err;
    ThText alphabet = {0};
    bool all_accept = th_automaton_moore(a) || th_automaton_mealy(a);
    for (int q = 0; q < a->n_states; q++)
        all_accept = all_accept && a->accept[q];
    th_text_add(to, "digraph ");
    write_string(to, name);
    th_text_add(to, " {\n  rankdir=LR;\n  comment=");
    th_text_add(&alphabet, "alphabet");
    for (int i = 0; i < a->n_symbols; i++) {
        th_text_add(&alphabet, " ");
        th_text_symbol(&alphabet, a->symbol[i]);
    }
    th_text_add(&alphabet, a->n_symbols ? "" : " ");
    write_taken(to, &alphabet);
    th_text_add(to, ";\n");
    for (int q = 0, n = 0; q < a->n_states; q++) {
        if (a->start[q])
            th_text_printf(to, "  __start%d [label=\"\" shape=none];\n", n++);
    }
    for (int q = 0; q < a->n_states; q++)
        write_node(to, a, q, all_accept);
    for (int q = 0, n = 0; q < a->n_states; q++) {
        if (a->start[q])
            th_text_printf(to, "  __start%d -> s%d;\n", n++, q);
    }
    for (size_t i = 0; i < a->n_arcs; i++)
        write_edge(to, a, &a->arc[i]);
    th_text_add(to, "}\n");
    return true;
}
