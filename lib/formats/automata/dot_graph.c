/* dot_graph.c - a reader of our own beside Graphviz's library.
 *
 * libcgraph (2.42) was tried in its place, and stays out:
 * - it reports a line and no column ("syntax error in line 1"), prints to stderr unless a hook of
 * the whole process is set, and its scanner ends the process where memory runs out;
 * - scanner, parser and the graph that is read lie in some twenty variables of the library: one
 *   thread may read at a time;
 * - it hands out a finished graph: which text stood in quotes and where an edge stood is lost, and
 *   with it "eps" beside eps and the place of a label that is no list of symbols; in a strict graph
 *   the second of two transitions between the same states replaces the first;
 * - what it could do more (labels in HTML, edges to subgraphs) no automaton needs;
 * - its package for developers brings all of Graphviz and a part of GTK.
 * tests/cli/formats.bats compares what is read with what Graphviz's own gvpr says of the same file.
 */
#include "formats/automata/dot_graph.h"

#include <ctype.h>

#include "base/text.h"

/* ---- tokens ---- */

typedef enum { END, ID, ARROW, LINE, MARK } Kind;

typedef struct {
    Kind kind;
    char mark;
    bool quoted;
    int line, col;
    size_t text; /* of an ID: offset into ThDotGraph.text */
} Token;

/* What `node [...]` and `edge [...]` said last. */
typedef struct {
    ThDotNode node;
    ThDotEdge edge;
} Fallback;

typedef struct {
    const char *at;
    int line, col;
    Token token;
    Fallback fallback, *outer; /* of this subgraph, and (depth) of those around it */
    size_t depth, outer_cap;
    ThDotGraph *g;
} Reader;

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
    if (!th_grow(&r->g->text, &r->g->cap, r->g->size + 1, 1, err))
        return false;
    r->g->text[r->g->size++] = c;
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
        (Token){.kind = MARK, .mark = *r->at, .line = r->line, .col = r->col, .text = r->g->size};
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
    return r->g->text + text;
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

static void style(ThDotNode *n, ThDotEdge *e, const char *v)
{
    if (n && strstr(v, "invis"))
        n->invisible = true;
    if (e) {
        e->bold = strstr(v, "bold") != NULL;
        e->dashed = strstr(v, "dashed") != NULL;
    }
}

/* What the graph says of itself: our own alphabet, or Vcsn's context, CONTEXT, WEIGHTS; in its
 * older files CONTEXT_WEIGHTS. */
static bool of_graph(Reader *r, const char *k, const char *v, ThError *err)
{
    size_t n = strlen(v);
    if (strcmp(k, "comment") == 0 && strncmp(v, "alphabet ", 9) == 0)
        return replace(&r->g->alphabet, v + 9, err);
    if (strcmp(k, "vcsn_context") == 0) {
        r->g->weighted = n > 1 && (v[n - 1] != 'b' || !strchr(" _,", v[n - 2]));
        r->g->taped = strncmp(v, "lat<", 4) == 0;
    }
    return true;
}

/* What an attribute says of a node (n), of an edge (e), or, both NULL, of the graph. */
static bool attribute(Reader *r, ThDotNode *n, ThDotEdge *e, size_t key, size_t value, ThError *err)
{
    const char *k = text_of(r, key), *v = text_of(r, value);
    if (!n && !e)
        return of_graph(r, k, v, err);
    if (n && strcmp(k, "label") == 0)
        return replace(&n->label, v, err);
    if (n && strcmp(k, "shape") == 0)
        return replace(&n->shape, v, err);
    if (n && strcmp(k, "peripheries") == 0)
        n->peripheries = atoi(v);
    if (e && strcmp(k, "label") == 0)
        e->label = value;
    if (e && strcmp(k, "modality") == 0)
        e->modal = true;
    if (strcmp(k, "style") == 0)
        style(n, e, v);
    return true;
}

/* The lists [key=value, …] at the token, if there are any. */
static bool attributes(Reader *r, ThDotNode *n, ThDotEdge *e, ThError *err)
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
                if (!attribute(r, n, e, key, value, err) || !next(r, err))
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
    size_t index, before = r->g->id.n;
    if (r->token.kind != ID)
        return unexpected(r, "a node", err);
    const char *name = text_of(r, r->token.text);
    int line = r->token.line;
    if (!th_grow(&r->g->node, &r->g->node_cap, before + 1, sizeof *r->g->node, err) ||
        !th_intern(&r->g->id, name, strlen(name) + 1, &index, err))
        return false;
    *number = (int)index;
    if (r->g->id.n > before) {
        ThDotNode *n = &r->g->node[index];
        const ThDotNode *usual = &r->fallback.node;
        *n = (ThDotNode){
            .peripheries = usual->peripheries, .line = line, .invisible = usual->invisible};
        if (usual->shape && !replace(&n->shape, usual->shape, err))
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
    if (!th_grow(&r->g->edge, &r->g->edge_cap, r->g->n_edges + 1, sizeof *r->g->edge, err))
        return false;
    r->g->edge[r->g->n_edges++] =
        (ThDotEdge){.from = from, .to = to, .label = SIZE_MAX, .line = r->token.line};
    return true;
}

/* NODE [attributes], NODE -> NODE … [attributes], or NAME = VALUE. */
static bool node_statement(Reader *r, ThError *err)
{
    int from, to;
    size_t key = r->token.text, first = r->g->n_edges;
    ThDotEdge said = r->fallback.edge;
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
    r->g->node[from].mentioned = true;
    if (r->token.kind == LINE)
        return th_fail_at(err, TH_EPARSE, r->token.line, r->token.col,
                          "an automaton needs edges with a direction: ->");
    if (r->token.kind != ARROW)
        return attributes(r, &r->g->node[from], NULL, err);
    while (r->token.kind == ARROW) {
        if (!next(r, err))
            return false;
        if (is_mark(r, '{') || is_word(r, "subgraph"))
            return th_fail_at(err, TH_EPARSE, r->token.line, r->token.col,
                              "edges to a subgraph cannot be read");
        if (!node_at(r, &to, err) || !add_edge(r, from, to, err))
            return false;
        r->g->node[to].mentioned = true;
        from = to;
    }
    if (!attributes(r, NULL, &said, err))
        return false;
    for (size_t i = first; i < r->g->n_edges; i++) {
        ThDotEdge *e = &r->g->edge[i];
        *e = (ThDotEdge){e->from, e->to, said.label, e->line, said.bold, said.dashed, said.modal};
    }
    return true;
}

static bool statement(Reader *r, ThError *err)
{
    if (is_word(r, "node"))
        return next(r, err) && attributes(r, &r->fallback.node, NULL, err);
    if (is_word(r, "edge"))
        return next(r, err) && attributes(r, NULL, &r->fallback.edge, err);
    if (is_word(r, "graph"))
        return next(r, err) && attributes(r, NULL, NULL, err);
    return node_statement(r, err);
}

/* A subgraph begins: what was said of nodes and edges holds in it, too. */
static bool enter(Reader *r, ThError *err)
{
    if (!TH_APPEND(r->outer, r->depth, r->outer_cap, err, r->fallback))
        return false;
    r->fallback.node.label = r->fallback.node.shape = NULL;
    const ThDotNode *usual = &r->outer[r->depth - 1].node;
    return !usual->shape || replace(&r->fallback.node.shape, usual->shape, err);
}

/* What is said in a subgraph ends with it. */
static void leave(Reader *r)
{
    TH_FREE(r->fallback.node.label, r->fallback.node.shape);
    if (r->depth > 0)
        r->fallback = r->outer[--r->depth];
}

/* Statements up to the brace that closes the graph. */
static bool body(Reader *r, ThError *err)
{
    for (;;) {
        if (is_mark(r, ';') || is_mark(r, ',')) {
            if (!next(r, err))
                return false;
        } else if (is_mark(r, '{')) {
            if (!enter(r, err) || !next(r, err))
                return false;
        } else if (is_mark(r, '}')) {
            if (r->depth == 0)
                return true;
            leave(r);
            if (!next(r, err))
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

void th_dot_graph_free(ThDotGraph *g)
{
    for (size_t i = 0; i < g->id.n && g->node; i++)
        TH_FREE(g->node[i].label, g->node[i].shape);
    TH_FREE(g->node, g->edge, g->text, g->alphabet);
    th_intern_free(&g->id);
    *g = (ThDotGraph){0};
}

bool th_dot_graph_read(ThDotGraph *g, const char *text, ThError *err)
{
    *g = (ThDotGraph){0};
    Reader r = {.at = text, .line = 1, .col = 1, .g = g, .fallback.edge.label = SIZE_MAX};
    bool ok = th_utf8_valid(text, strlen(text)) ? read_graph(&r, err)
                                                : th_fail(err, TH_EPARSE, "the file is not UTF-8");
    while (r.depth > 0)
        leave(&r);
    leave(&r);
    free(r.outer);
    if (!ok)
        th_dot_graph_free(g);
    return ok;
}

bool th_dot_is_empty_word(const char *name, const char *from)
{
    return *from != '"' &&
           (!*name || strcmp(name, "eps") == 0 || strcmp(name, "ε") == 0 ||
            strcmp(name, "epsilon") == 0 || strcmp(name, "λ") == 0 || strcmp(name, "\\e") == 0);
}
