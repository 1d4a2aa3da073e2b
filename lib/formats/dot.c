#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "automata/core/build.h"
#include "base/memory.h"
#include "base/scan.h"
#include "formats/dot_graph.h"
#include "formats/exchange.h"
#include "formats/rows.h"

typedef struct {
    ThDotGraph g;
    ThAutomatonBuild build;
    int *state; /* (nodes): number in build, or -1 */
} Builder;

static bool is_invisible(const char *shape)
{
    static const char *const name[] = {"none", "point", "plaintext", "plain"};
    for (int i = 0; shape && i < 4; i++) {
        if (strcmp(shape, name[i]) == 0)
            return true;
    }
    return false;
}

static bool no_state(const Builder *b, int node)
{
    const ThDotNode *n = &b->g.node[node];
    const char *id = th_intern_at(&b->g.id, (size_t)node, NULL);
    return !n->mentioned || n->invisible || is_invisible(n->shape) ||
           strncmp(id, "__start", 7) == 0;
}

/* The first of a character between two places, or NULL; quotes protect what is inside. */
static const char *find_bare(const char *from, const char *to, char wanted)
{
    bool quoted = false;
    for (const char *s = from; s < to; s++) {
        if (*s == '\\' && quoted && s + 1 < to)
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (!quoted && *s == wanted)
            return s;
    }
    return NULL;
}

static const char *find_bar(const char *label)
{
    return find_bare(label, label + strlen(label), '|');
}

static bool is_record(const ThDotNode *n)
{
    return n->shape && (strcmp(n->shape, "record") == 0 || strcmp(n->shape, "Mrecord") == 0) &&
           n->label && find_bar(n->label);
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
    const char *end = label + strlen(label), *bar = find_bar(label);
    const char *open = strchr(label, '{'), *close = strrchr(label, '}');
    part[0] = open && open < bar ? open + 1 : label;
    part[1] = bar;
    part[2] = bar + 1;
    part[3] = close && close > bar ? close : end;
}

/* Are all labels of states different, none empty?  Then they are the names. */
static bool labels_are_names(const Builder *b)
{
    ThIntern seen = {0};
    bool good = true;
    for (size_t i = 0; good && i < b->g.id.n; i++) {
        const ThDotNode *n = &b->g.node[i];
        if (no_state(b, (int)i))
            continue;
        size_t before = seen.n, index;
        const char *label = n->label ? n->label : th_intern_at(&b->g.id, i, NULL), *part[4];
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

static bool make_states(Builder *b, ThError *err)
{
    bool labels = labels_are_names(b);
    b->state = th_alloc(b->g.id.n, sizeof *b->state, err);
    if (!b->state)
        return false;
    for (size_t i = 0; i < b->g.id.n; i++) {
        const ThDotNode *n = &b->g.node[i];
        const char *id = th_intern_at(&b->g.id, i, NULL), *part[4] = {0};
        b->state[i] = -1;
        if (no_state(b, (int)i))
            continue;
        bool record = is_record(n);
        const char *text = labels && n->label ? n->label : id;
        if (record)
            record_parts(n->label, part);
        char *name = record && labels ? name_of(part[0], part[1], err) : th_strdup(text, err);
        char *output = record && name ? name_of(part[2], part[3], err) : NULL;
        if (name && (output || !record)) {
            b->state[i] = th_automaton_build_state(&b->build, name);
            if (record && *output)
                th_automaton_build_moore(&b->build, b->state[i],
                                         th_automaton_build_output(&b->build, output));
            if (n->peripheries > 1 || (n->shape && strcmp(n->shape, "doublecircle") == 0))
                th_automaton_build_accept(&b->build, b->state[i]);
        }
        free(name);
        free(output);
        if (b->state[i] < 0)
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

bool th_dot_is_empty_word(const char *name, const char *from)
{
    return *from != '"' && (!*name || strcmp(name, "eps") == 0 || strcmp(name, "ε") == 0 ||
                            strcmp(name, "epsilon") == 0 || strcmp(name, "λ") == 0);
}

static const char *label_of(const Builder *b, const ThDotEdge *e)
{
    return e->label == SIZE_MAX ? "" : b->g.text + e->label;
}

static bool add_arc(Builder *b, const ThDotEdge *e, const char *from, const char *to, ThError *err)
{
    trim(&from, &to);
    const char *slash = to - from == 1 ? NULL : find_bare(from, to, '/');
    char *in = name_of(from, slash ? slash : to, err);
    char *out = slash && in ? name_of(slash + 1, to, err) : NULL;
    bool ok = in && (out || !slash);
    if (ok && (!th_utf8_valid(in, strlen(in)) || (out && !th_utf8_valid(out, strlen(out)))))
        ok = th_fail_at(err, TH_EPARSE, e->line, 1, "a label that is not UTF-8");
    if (ok) {
        ThAutomatonArc arc = {b->state[e->from], TH_AUTOMATON_EPSILON, b->state[e->to],
                              TH_AUTOMATON_NO_OUTPUT};
        if (from != to && !th_dot_is_empty_word(in, from))
            arc.symbol = th_automaton_build_symbol(&b->build, in);
        if (out && *out)
            arc.output = th_automaton_build_output(&b->build, out);
        th_automaton_build_arc(&b->build, arc);
    }
    free(in);
    free(out);
    return ok;
}

static bool make_arcs(Builder *b, ThError *err)
{
    for (size_t i = 0; i < b->g.n_edges; i++) {
        const ThDotEdge *e = &b->g.edge[i];
        if (b->state[e->from] < 0 && b->state[e->to] >= 0)
            th_automaton_build_start(&b->build, b->state[e->to]);
        if (b->state[e->from] < 0 || b->state[e->to] < 0)
            continue;
        const char *s = label_of(b, e);
        const char *end = s + strlen(s);
        bool commas = end - s > 1 && !find_bare(s, end, '/');
        for (;; s++) {
            const char *stop = piece_end(s, commas);
            bool last = *stop == '\0';
            if (!add_arc(b, e, s, stop, err))
                return false;
            if (last)
                break;
            s = stop + (*stop == '\\');
        }
    }
    return true;
}

/* ---- what is no finite automaton ---- */

/* Does a label end in a number from 0 to 1, alone or behind a mark?  *point: with a point in it. */
static bool ends_in_probability(const char *label, bool *point)
{
    const char *from = label + strlen(label);
    char *end;
    while (from > label && !strchr(":/,;( \n", from[-1]))
        from--;
    double p = strtod(from, &end);
    *point = *point || memchr(from, '.', (size_t)(end - from));
    end += *end == ')';
    return end > from && !*end && isdigit((unsigned char)*from) && p >= 0 && p <= 1;
}

static bool is_stochastic(const Builder *b)
{
    bool point = false;
    for (size_t i = 0; i < b->g.n_edges; i++) {
        const ThDotEdge *e = &b->g.edge[i];
        if (b->state[e->from] >= 0 && b->state[e->to] >= 0 &&
            !ends_in_probability(label_of(b, e), &point))
            return false;
    }
    return point;
}

/* A label that says what happens to a stack. */
static bool is_pushdown(const char *label)
{
    const char *end = label + strlen(label), *slash = find_bare(label, end, '/');
    const char *act = slash ? slash + 1 + strspn(slash + 1, " ") : "";
    bool arrow = strstr(label, "->") || strstr(label, "→");
    return strncmp(act, "push(", 5) == 0 || strncmp(act, "pop(", 4) == 0 ||
           strncmp(act, "('", 2) == 0 || (arrow && find_bare(label, end, ',') && label[1]);
}

static bool fail_kind(const ThDotEdge *e, const char *kind, ThError *err)
{
    th_fail_at(err, TH_EVALUE, e->line, 1, "the graph is of %s", kind);
    return th_hint(err, "finite automata, Mealy and Moore machines can be read");
}

static bool check_kind(const Builder *b, ThError *err)
{
    bool *branch = th_alloc(b->g.id.n, sizeof *branch, err);
    bool good = branch != NULL;
    if (good && is_stochastic(b))
        good = fail_kind(b->g.edge, "a stochastic automaton: its labels end in probabilities", err);
    for (size_t i = 0; good && i < b->g.n_edges; i++)
        branch[b->g.edge[i].to] = b->state[b->g.edge[i].to] < 0;
    for (size_t i = 0; good && i < b->g.n_edges; i++) {
        const ThDotEdge *e = &b->g.edge[i];
        if (branch[e->from])
            good = fail_kind(e, "an automaton whose transitions branch at points", err);
        else if (is_pushdown(label_of(b, e)))
            good = fail_kind(e, "a pushdown automaton: a label speaks of a stack", err);
    }
    free(branch);
    return good;
}

/* ---- the whole ---- */

static bool make_alphabet(Builder *b, ThError *err)
{
    ThTokens t = {0};
    bool ok = !b->g.alphabet || th_tokens_read(&t, b->g.alphabet, err);
    for (size_t i = 0; ok && i < t.n; i++) {
        if (t.token[i].kind == TH_TOKEN_WORD || t.token[i].kind == TH_TOKEN_STRING)
            th_automaton_build_symbol(&b->build, th_token_text(&t, &t.token[i]));
    }
    th_tokens_free(&t);
    return ok;
}

/* What the picture leaves open: where the automaton starts, and where a transducer accepts. */
static void complete(Builder *b, ThText *notes)
{
    bool start = false, accept = false, outputs = b->build.output.n > 0;
    size_t n = b->build.failed ? 0 : b->build.state.n;
    for (size_t q = 0; q < n; q++) {
        start = start || b->build.info[q].start;
        accept = accept || b->build.info[q].accept;
    }
    if (!start && !b->build.failed) {
        th_automaton_build_start(&b->build,
                                 n > 0 ? 0 : th_automaton_build_state(&b->build, "start"));
        th_format_exchange_note(notes, n > 0 ? "no edge marks a start: the first state is it"
                                             : "there is no state: a new one leads nowhere");
    }
    if (!accept && outputs) {
        for (size_t q = 0; q < n; q++)
            th_automaton_build_accept(&b->build, (int)q);
    } else if (!accept) {
        th_format_exchange_note(notes, "no state accepts");
    }
}

ThAutomaton *th_dot_read(const char *text, ThText *notes, ThError *err)
{
    Builder b = {0};
    ThAutomaton *a = NULL;
    if (!th_dot_graph_read(&b.g, text, err))
        return NULL;
    if (make_alphabet(&b, err) && make_states(&b, err) && check_kind(&b, err) &&
        make_arcs(&b, err)) {
        complete(&b, notes);
        a = th_format_exchange_checked(th_automaton_build_finish(&b.build, err), err);
    }
    free(b.state);
    th_automaton_build_free(&b.build);
    th_dot_graph_free(&b.g);
    return a;
}

/* ---- the row ---- */

static ThAutomaton *read(const ThFormatInput *in, ThText *notes, ThError *err)
{
    return th_dot_read(in->text, notes, err);
}

static bool write(ThFormatOutput *to, const ThAutomaton *a, const char *name, ThText *notes,
                  ThError *err)
{
    (void)notes;
    return th_dot_write(&to->text, a, name, err);
}

const ThFormat th_format_dot = {
    .name = "dot",
    .title = "a graph of Graphviz",
    .extension = ".dot",
    .summary = "Graphviz, as AutomataWiki has it: an automaton",
    .text = true,
    .read_automaton = read,
    .write_automaton = write,
};
