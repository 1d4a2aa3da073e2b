/* Distributions in files of other programs.
 *
 * AALpy's graphs have three forms of labels: `IN/OUT:P` of a stochastic Mealy machine, `IN:P` of a
 * Markov decision process and `P` of a Markov chain, whose states say their outputs.  A word is the
 * outputs on the way; a state that is never left stands for its end. */
#include <ctype.h>
#include <math.h>

#include "base/symbols.h"
#include "formats/automata/automaton_files.h"
#include "formats/notes.h"

/* Where the number from 0 to 1 begins in which a label ends, alone or behind a mark; NULL: none.
 * *point: with a point in it. */
static const char *probability_of(const char *label, double *p, bool *point)
{
    const char *from = label + strlen(label);
    char *end;
    while (from > label && !strchr(":/,;( \n", from[-1]))
        from--;
    *p = strtod(from, &end);
    *point = *point || memchr(from, '.', (size_t)(end - from));
    end += *end == ')';
    return end > from && !*end && isdigit((unsigned char)*from) && *p >= 0 && *p <= 1 ? from : NULL;
}

static const char *label_of(const ThDotGraph *g, const ThDotEdge *e)
{
    return e->label == SIZE_MAX ? "" : g->text + e->label;
}

static bool between_states(const ThDotGraph *g, const ThDotEdge *e)
{
    return th_dot_is_state(g, e->from) && th_dot_is_state(g, e->to);
}

bool th_dot_is_stochastic(const ThDotGraph *g)
{
    bool point = false;
    double p;
    for (size_t i = 0; i < g->n_edges; i++)
        if (between_states(g, &g->edge[i]) && !probability_of(label_of(g, &g->edge[i]), &p, &point))
            return false;
    return point;
}

bool th_format_scale(ThDistribution *d, double rounding, ThText *notes, ThError *err)
{
    double *sum TH_OWNED(free) = th_alloc(2 * (size_t)d->n + 1, sizeof *sum, err);
    bool all = sum != NULL, scaled = false;
    for (size_t i = 0; sum && i < d->moves; i++) {
        sum[d->move[i].from] += d->move[i].p;
        sum[d->n + d->move[i].from] += rounding;
    }
    for (size_t i = 0; sum && i < d->moves; i++) {
        double all_of = sum[d->move[i].from], most = sum[d->n + d->move[i].from];
        bool near = fabs(all_of - 1) <= most + 1e-12;
        all = all && near;
        scaled = scaled || (near && fabs(all_of - 1) > 1e-9);
        d->move[i].p /= near ? all_of : 1;
    }
    if (scaled && notes)
        th_format_note(notes, "probabilities are rounded there: they were scaled to add up to one");
    return all;
}

/* A graph that becomes a distribution. */
typedef struct {
    const ThDotGraph *g;
    ThDistribution d;
    int *number; /* (nodes): of a state; -1: none; END: it is never left */
    char **symbol;
    int n_symbols;
    char *input; /* that all edges have; NULL: none yet */
} Graph;

enum { END = -2 };

/* A piece of a label, without blanks; new. */
static char *piece(const char *from, const char *to, ThError *err)
{
    while (from < to && strchr(" \n", *from))
        from++;
    while (to > from && strchr(" \n:", to[-1]))
        to--;
    return th_strndup(from, (size_t)(to - from), err);
}

/* Numbers the states, the start first. */
static bool number_states(Graph *x, ThError *err)
{
    const ThDotGraph *g = x->g;
    int start = -1;
    x->number = th_alloc(g->id.n + 1, sizeof *x->number, err);
    for (size_t i = 0; x->number && i < g->id.n; i++)
        x->number[i] = th_dot_is_state(g, (int)i) ? END : -1;
    for (size_t i = 0; x->number && i < g->n_edges; i++) {
        const ThDotEdge *e = &g->edge[i];
        if (between_states(g, e) && e->from != e->to)
            x->number[e->from] = 0; /* it is left */
        if (start < 0 && !th_dot_is_state(g, e->from) && th_dot_is_state(g, e->to))
            start = e->to;
    }
    for (int i = -1; x->number && i < (int)g->id.n; i++) {
        int q = i < 0 ? start : i;
        size_t index;
        if (q < 0 || x->number[q] == -1 || x->number[q] == END || (i >= 0 && q == start))
            continue;
        const char *id = th_intern_at(&g->id, (size_t)q, NULL);
        x->number[q] = x->d.n++;
        if (!th_intern(&x->d.state, id, strlen(id) + 1, &index, err))
            return false;
    }
    return x->number;
}

/* The symbol of an edge, new: what it says behind a slash, or the label of the state it leads to;
 * before it stands the input, of which there is one. */
static char *symbol_of(Graph *x, const ThDotEdge *e, const char *end, ThError *err)
{
    const char *label = label_of(x->g, e), *slash = memchr(label, '/', (size_t)(end - label));
    const ThDotNode *to = &x->g->node[e->to];
    const char *id = th_intern_at(&x->g->id, (size_t)e->to, NULL);
    char *input TH_OWNED(free) = piece(label, slash ? slash : end, err);
    if (input && x->input && strcmp(input, x->input) != 0)
        return th_null(th_fail_at(
            err, TH_EVALUE, e->line, 1,
            "a distribution has no inputs, and the graph has several: '%.40s' and '%.40s'",
            x->input, input));
    if (!x->input) {
        x->input = input;
        input = NULL;
    }
    return slash ? piece(slash + 1, end, err) : th_strdup(to->label ? to->label : id, err);
}

static bool add_edge(Graph *x, const ThDotEdge *e, ThError *err)
{
    bool point = false;
    ThDistributionMove m = {.from = x->number[e->from], .symbol = -1, .line = e->line, .col = 1};
    const char *end = probability_of(label_of(x->g, e), &m.p, &point);
    char *symbol TH_OWNED(free) = symbol_of(x, e, end, err);
    if (!symbol || m.from < 0 || m.p <= 0)
        return symbol != NULL;
    if (x->number[e->to] >= 0) {
        m.to = x->number[e->to];
        m.symbol = th_symbols_find(x->symbol, x->n_symbols, symbol);
        if (m.symbol < 0) {
            x->symbol[m.symbol = x->n_symbols++] = symbol;
            symbol = NULL;
        }
    }
    x->d.move[x->d.moves++] = m;
    return true;
}

ThLanguage *th_dot_distribution(const ThFormatInput *in, ThText *notes, ThError *err)
{
    ThDotGraph g = {0};
    ThLanguage *l = NULL;
    if (!th_dot_graph_read(&g, in->text, err))
        return NULL;
    Graph x = {.g = &g};
    if (th_dot_is_stochastic(&g)) {
        x.symbol = th_alloc(g.n_edges + 1, sizeof *x.symbol, err);
        x.d.move = th_alloc(g.n_edges + 1, sizeof *x.d.move, err);
        bool ok = x.symbol && x.d.move && number_states(&x, err);
        for (size_t i = 0; ok && i < g.n_edges; i++)
            ok = !between_states(&g, &g.edge[i]) || add_edge(&x, &g.edge[i], err);
        if (ok) {
            th_format_scale(&x.d, .005, notes, err); /* AALpy writes two digits */
            l = th_distribution_build(x.symbol, x.n_symbols, &x.d, err);
        }
    }
    for (int a = 0; a < x.n_symbols; a++)
        free(x.symbol[a]);
    th_intern_free(&x.d.state);
    TH_FREE(x.symbol, x.d.move, x.number, x.input);
    th_dot_graph_free(&g);
    return l;
}

const ThDistribution *th_format_probabilities(const ThLanguage *l, ThError *err)
{
    if (!th_language_is_distribution(l))
        return th_null(
            th_fail(err, TH_EUSAGE, "such a file holds an automaton or a distribution") ||
            th_hint(err, "a .th or .jff file holds grammars and stacks, .th all"));
    const ThDistribution *d = th_distribution_of(l, err);
    if (!d->weights)
        return d;
    return th_null(
        th_fail(err, TH_EVALUE, "weights below 0 cannot be written: they are no probabilities") ||
        th_hint(err, "a .th file holds them"));
}

bool th_dot_write_distribution(ThFormatOutput *out, const ThLanguage *l, ThText *notes,
                               ThError *err)
{
    ThText *t = &out->text;
    const ThDistribution *d = th_format_probabilities(l, err);
    if (!d)
        return false;
    for (int a = 0; a < l->n_symbols; a++)
        if (strpbrk(l->symbol[a], "/: \"\n\\"))
            return th_fail(err, TH_EVALUE, "the graph cannot hold the symbol \"%.60s\"",
                           l->symbol[a]);
    th_text_add(t, "digraph distribution {\n");
    for (int q = 0; q <= d->n; q++)
        th_text_printf(t, "  q%d [label=\"q%d\"];\n", q, q);
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *m = &d->move[i];
        bool end = m->symbol < 0;
        th_text_printf(t, "  q%d -> q%d [label=\"next/%s:", m->from, end ? d->n : m->to,
                       end ? "end" : l->symbol[m->symbol]);
        th_text_real(t, m->p);
        th_text_add(t, "\"];\n");
    }
    th_text_printf(t, "  q%d -> q%d [label=\"next/end:1.0\"];\n", d->n, d->n);
    th_text_add(t, "  __start0 [label=\"\", shape=none];\n  __start0 -> q0 [label=\"\"];\n}\n");
    th_format_note(notes, "a stochastic Mealy machine of AALpy: its input is next, q%d is the end",
                   d->n);
    return true;
}
