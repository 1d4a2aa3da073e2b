#include <ctype.h>

#include "automata/core/build.h"
#include "base/scan.h"
#include "formats/automata/automaton_files.h"
#include "formats/notes.h"

typedef struct {
    ThDotGraph g;
    ThAutomatonBuild build;
    int *state;   /* (nodes): number in build, or -1 */
    char between; /* the input of a label and its output */
    enum { NAMES, IDS, NAME_SLASH_OUTPUT, OUTPUTS } labels; /* what the labels of states are */
} Builder;

static bool is_invisible(const char *shape)
{
    static const char *const name[] = {"none", "point", "plaintext", "plain"};
    for (int i = 0; shape && i < 4; i++)
        if (strcmp(shape, name[i]) == 0)
            return true;
    return false;
}

bool th_dot_is_state(const ThDotGraph *g, int node)
{
    const ThDotNode *n = &g->node[node];
    const char *id = th_intern_at(&g->id, (size_t)node, NULL);
    return n->mentioned && !n->invisible && !is_invisible(n->shape) &&
           strncmp(id, "__start", 7) != 0;
}

static bool no_state(const Builder *b, int node)
{
    return !th_dot_is_state(&b->g, node);
}

/* The first of a character between two places, or NULL; quotes protect what is inside. */
static const char *find_bare(const char *from, const char *to, char wanted)
{
    bool quoted = false;
    for (const char *s = from; s < to; s++)
        if (*s == '\\' && quoted && s + 1 < to)
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (!quoted && *s == wanted)
            return s;
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
    ThTokens t TH_OWNED(th_tokens_free) = {0};
    if (th_tokens_read(&t, name, NULL) && t.n >= 2 && t.token[0].kind == TH_TOKEN_STRING) {
        char *inside = th_strdup(th_token_text(&t, &t.token[0]), err);
        free(name);
        name = inside;
    }
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
    ThIntern seen TH_OWNED(th_intern_free) = {0};
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
    return good;
}

static bool accepts(const ThDotNode *n)
{
    return n->peripheries > 1 || (n->shape && strcmp(n->shape, "doublecircle") == 0);
}

static const char *label_of(const Builder *b, const ThDotEdge *e)
{
    return e->label == SIZE_MAX ? "" : b->g.text + e->label;
}

static const char *find_between(const Builder *b, const char *label)
{
    return find_bare(label, label + strlen(label), b->between);
}

/* Does anything say which states accept, a state's shape or an edge to no state, or has an edge an
 * output? */
static bool marks_states(const Builder *b)
{
    for (size_t i = 0; i < b->g.id.n; i++)
        if (!no_state(b, (int)i) && (accepts(&b->g.node[i]) || is_record(&b->g.node[i])))
            return true;
    for (size_t i = 0; i < b->g.n_edges; i++) {
        const ThDotEdge *e = &b->g.edge[i];
        bool symbol = label_of(b, e)[0] && !label_of(b, e)[1];
        if (no_state(b, e->to) || (!symbol && find_between(b, label_of(b, e))))
            return true;
    }
    return false;
}

/* What the labels of states are where nothing tells which states accept: names and outputs of a
 * Moore machine, as LearnLib writes them (0 / a), or outputs alone, where they repeat.  False: some
 * have an output, and some none that could be told from a name. */
static bool see_labels(Builder *b, ThError *err)
{
    size_t n = 0, slashes = 0, labels = 0, plain = 0;
    b->labels = labels_are_names(b) ? NAMES : IDS;
    if (marks_states(b) || b->g.alphabet) /* which only tapehead writes: it would say outputs */
        return true;
    for (size_t i = 0; i < b->g.id.n; i++) {
        const char *label = b->g.node[i].label;
        if (no_state(b, (int)i))
            continue;
        n++;
        labels += label && *label;
        if (label && strstr(label, " / "))
            slashes++;
        else
            plain = i;
    }
    if (slashes > 0 && slashes < n)
        return th_fail_at(err, TH_EVALUE, b->g.node[plain].line, 1,
                          "the state %s has no label of the form 'name / output', and others have",
                          (const char *)th_intern_at(&b->g.id, plain, NULL)) ||
               th_hint(err, "a Moore machine's states all say their outputs; of an automaton give "
                            "a state that accepts shape=doublecircle");
    if (n > 0 && slashes == n)
        b->labels = NAME_SLASH_OUTPUT;
    else if (n > 0 && labels == n && b->labels == IDS)
        b->labels = OUTPUTS;
    return true;
}

/* The name of a state and its output of a Moore machine; both owned, *output NULL where it has
 * none. */
static bool read_label(const Builder *b, size_t node, char **name, char **output, ThError *err)
{
    const ThDotNode *n = &b->g.node[node];
    const char *id = th_intern_at(&b->g.id, node, NULL), *part[4] = {0};
    bool record = is_record(n), named = b->labels == NAMES;
    if (record)
        record_parts(n->label, part);
    if (b->labels == NAME_SLASH_OUTPUT) {
        part[0] = n->label;
        part[1] = strstr(n->label, " / ");
        part[2] = part[1] + 3;
        part[3] = n->label + strlen(n->label);
        record = named = true;
    }
    *name = record && named ? name_of(part[0], part[1], err)
                            : th_strdup(named && n->label ? n->label : id, err);
    *output = b->labels == OUTPUTS ? th_strdup(n->label, err)
              : record             ? name_of(part[2], part[3], err)
                                   : NULL;
    return *name && (*output || (!record && b->labels != OUTPUTS));
}

static bool make_states(Builder *b, ThError *err)
{
    b->state = see_labels(b, err) ? th_alloc(b->g.id.n, sizeof *b->state, err) : NULL;
    if (!b->state)
        return false;
    for (size_t i = 0; i < b->g.id.n; i++) {
        char *name = NULL, *output = NULL;
        b->state[i] = -1;
        if (no_state(b, (int)i))
            continue;
        if (read_label(b, i, &name, &output, err)) {
            b->state[i] = th_automaton_build_state(&b->build, name);
            if (output && *output)
                th_automaton_build_moore(&b->build, b->state[i],
                                         th_automaton_build_output(&b->build, output));
            if (accepts(&b->g.node[i]))
                th_automaton_build_accept(&b->build, b->state[i]);
        }
        TH_FREE(name, output);
        if (b->state[i] < 0)
            return false;
    }
    return true;
}

/* Where the bracket at s is closed, in a group of several parts as (0,1); NULL: it is none. */
static const char *end_of_group(const char *s)
{
    static const char open[] = "([{", close[] = ")]}";
    const char *kind = strchr(open, *s), *first = s + 1 + strspn(s + 1, " ");
    int depth = 0;
    if (!*s || !kind || *first == ',')
        return NULL;
    for (; *s && *s != '"' && *s != '\n'; s++) {
        depth += (*s == *kind) - (*s == close[kind - open]);
        if (depth == 0)
            return s;
    }
    return NULL;
}

/* The end of a piece of a label: at `\n`, a line's end, or (in one without outputs) a comma; quotes
 * protect what is inside, and brackets a comma. */
static const char *piece_end(const char *s, bool commas)
{
    bool quoted = false;
    for (; *s; s++) {
        const char *group = quoted ? NULL : end_of_group(s);
        if (group)
            s = group;
        else if (*s == '\\' && quoted && s[1])
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

static bool add_arc(Builder *b, const ThDotEdge *e, const char *from, const char *to, ThError *err)
{
    trim(&from, &to);
    const char *slash = to - from == 1 ? NULL : find_bare(from, to, b->between);
    char *in TH_OWNED(free) = name_of(from, slash ? slash : to, err);
    char *out TH_OWNED(free) = slash && in ? name_of(slash + 1, to, err) : NULL;
    bool ok = in && (out || !slash);
    if (ok && (!th_utf8_valid(in, strlen(in)) || (out && !th_utf8_valid(out, strlen(out)))))
        ok = th_fail_at(err, TH_EPARSE, e->line, 1, "a label that is not UTF-8");
    if (ok) {
        ThAutomatonArc arc = {b->state[e->from], TH_AUTOMATON_EPSILON, b->state[e->to],
                              TH_AUTOMATON_NO_OUTPUT};
        if (from != to && !th_dot_is_empty_word(in, from))
            arc.symbol = th_automaton_build_symbol(&b->build, in);
        if (out && !th_dot_is_empty_word(out, slash + 1 + strspn(slash + 1, " ")))
            arc.output = th_automaton_build_output(&b->build, out);
        th_automaton_build_arc(&b->build, arc);
    }
    return ok;
}

static bool make_arcs(Builder *b, ThError *err)
{
    for (size_t i = 0; i < b->g.n_edges; i++) {
        const ThDotEdge *e = &b->g.edge[i];
        if (b->state[e->from] < 0 && b->state[e->to] >= 0)
            th_automaton_build_start(&b->build, b->state[e->to]);
        if (b->state[e->from] >= 0 && b->state[e->to] < 0)
            th_automaton_build_accept(&b->build, b->state[e->from]);
        if (b->state[e->from] < 0 || b->state[e->to] < 0)
            continue;
        const char *s = label_of(b, e);
        const char *end = s + strlen(s);
        bool commas = end - s > 1 && !find_bare(s, end, b->between);
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

/* What one edge says the graph is of, or NULL. */
static const char *kind_of_edge(const Builder *b, const ThDotEdge *e, bool marked)
{
    const char *label = label_of(b, e);
    if (e->modal || (e->dashed && *label && !marked))
        return "a modal transition system or a process graph: edges of two kinds";
    if (is_pushdown(label))
        return "a pushdown automaton: a label speaks of a stack";
    if ((*label == '<' && strchr(label, '>')) || (b->state[e->to] < 0 && *label))
        return "a weighted automaton: a label has a weight";
    return NULL;
}

/* The first transition that goes on behind a point, or NULL. */
static const ThDotEdge *find_branch(const Builder *b, bool *point)
{
    for (size_t i = 0; i < b->g.n_edges; i++)
        point[b->g.edge[i].to] = b->state[b->g.edge[i].to] < 0;
    for (size_t i = 0; i < b->g.n_edges; i++)
        if (point[b->g.edge[i].from])
            return &b->g.edge[i];
    return NULL;
}

/* What the whole says, or NULL. */
static const char *kind_of_graph(const Builder *b)
{
    size_t starts = 0, bold = 0, boxes = 0, diamonds = 0, moves = 0, bare = 0;
    for (size_t i = 0; i < b->g.n_edges; i++) {
        const ThDotEdge *e = &b->g.edge[i];
        starts += b->state[e->from] < 0 && b->state[e->to] >= 0;
        bold += e->bold;
        moves += b->state[e->from] >= 0 && b->state[e->to] >= 0;
        bare += b->state[e->from] >= 0 && b->state[e->to] >= 0 && e->label == SIZE_MAX;
    }
    for (size_t i = 0; i < b->g.id.n; i++) {
        const char *shape = no_state(b, (int)i) ? NULL : b->g.node[i].shape;
        boxes += shape && (strcmp(shape, "box") == 0 || strcmp(shape, "square") == 0);
        diamonds += shape && strcmp(shape, "diamond") == 0;
    }
    if (moves > 0 && bare == moves && !b->g.alphabet)
        return "edges without labels, which read nothing";
    if (th_dot_is_stochastic(&b->g))
        return "a stochastic automaton: its labels end in probabilities";
    if (b->g.weighted)
        return "a weighted automaton of Vcsn";
    if (boxes > 0 && diamonds > 0)
        return "a game: its nodes are boxes and diamonds, one shape for each player";
    if (starts > 1 && bold > 0)
        return "a system of procedures: bold edges call, and each procedure has a start";
    return NULL;
}

static bool check_kind(const Builder *b, ThError *err)
{
    static const ThDotEdge nowhere = {.line = 1};
    bool *point TH_OWNED(free) = th_alloc(b->g.id.n, sizeof *point, err);
    bool marked = marks_states(b);
    const ThDotEdge *at = b->g.n_edges > 0 ? b->g.edge : &nowhere;
    if (!point)
        return false;
    const char *kind = kind_of_graph(b);
    const ThDotEdge *branch = kind ? NULL : find_branch(b, point);
    if (branch)
        return fail_kind(branch, "an automaton whose transitions branch at points", err);
    for (size_t i = 0; !kind && i < b->g.n_edges; i++)
        kind = kind_of_edge(b, at = &b->g.edge[i], marked);
    return !kind || fail_kind(at, kind, err);
}

/* ---- the whole ---- */

static bool make_alphabet(Builder *b, ThError *err)
{
    ThTokens t TH_OWNED(th_tokens_free) = {0};
    bool ok = !b->g.alphabet || th_tokens_read(&t, b->g.alphabet, err);
    for (size_t i = 0; ok && i < t.n; i++)
        if (t.token[i].kind == TH_TOKEN_WORD || t.token[i].kind == TH_TOKEN_STRING)
            th_automaton_build_symbol(&b->build, th_token_text(&t, &t.token[i]));
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
        th_format_note(notes, n > 0 ? "no edge marks a start: the first state is it"
                                    : "there is no state: a new one leads nowhere");
    }
    bool system = !accept && !outputs && !b->g.alphabet && n > 0;
    if (!accept && (outputs || system))
        for (size_t q = 0; q < n; q++)
            th_automaton_build_accept(&b->build, (int)q);
    if (system)
        th_format_note(notes, "no state is marked as accepting: every state accepts, as in "
                              "a labelled transition system");
    else if (!accept && !outputs)
        th_format_note(notes, "no state accepts");
    if (b->labels == OUTPUTS)
        th_format_note(notes, "the labels of states repeat: they are taken for the outputs "
                              "of a Moore machine");
}

/* Graphviz, in the dialect of AutomataWiki: an edge from an invisible node marks a start,
 * doublecircle accepts, labels are `in` or `in / out`, and `{ name | output }` in Moore machines.
 * Of several labels on one edge each stands in its own line, or between commas. */
static ThAutomaton *read(const ThFormatInput *in, ThText *notes, ThError *err)
{
    Builder b = {0};
    ThAutomaton *a = NULL;
    if (!th_dot_graph_read(&b.g, in->text, err))
        return NULL;
    b.between = b.g.taped ? '|' : '/';
    if (make_alphabet(&b, err) && make_states(&b, err) && check_kind(&b, err) &&
        make_arcs(&b, err)) {
        complete(&b, notes);
        a = th_format_automaton_checked(th_automaton_build_finish(&b.build, err), err);
    }
    free(b.state);
    th_automaton_build_free(&b.build);
    th_dot_graph_free(&b.g);
    return a;
}

const ThFormat th_format_dot = {
    .name = "dot",
    .title = "a graph of Graphviz",
    .extension = ".dot",
    .also = ".gv",
    .summary =
        "Graphviz, as AutomataWiki has it: an automaton; as AALpy has it: a distribution (.gv, "
        "too)",
    .text = true,
    .read_automaton = read,
    .read_language = th_dot_distribution,
    .write_language = th_dot_write_distribution,
    .write_automaton = th_dot_write,
};
