/* From an automaton to a regular expression by eliminating states. */

#include "automata/operations/operations.h"
#include "automata/regex/regex.h"
#include "automata/regex/term.h"

enum { MOST_STATES = 4000 };

/* A graph whose edges carry terms; node n - 2 is the start, node n - 1 the end. */
typedef struct {
    ThRegexTerms *t;
    size_t n;
    int *edge;      /* (n, n): a term, TH_REGEX_TERM_NONE where there is none */
    bool *gone;     /* (n) */
    double *weight; /* (n): what eliminating a state would add; -1: to be found */
    const ThAutomaton *a;
    ThRegexEliminationWatch *watch; /* NULL: nobody looks on */
    void *context;
} Graph;

static int *edge(Graph *g, size_t from, size_t to)
{
    return &g->edge[from * g->n + to];
}

static bool graph_alloc(Graph *g, size_t n_states, ThError *err)
{
    g->n = n_states + 2;
    g->edge = th_alloc(g->n * g->n, sizeof *g->edge, err);
    g->gone = th_alloc(g->n, sizeof *g->gone, err);
    g->weight = th_alloc(g->n, sizeof *g->weight, err);
    return g->edge && g->gone && g->weight;
}

/* mirror: the arcs are turned round, and the start and the ends change places. */
static void graph_fill(Graph *g, const ThAutomaton *a, bool mirror)
{
    size_t start = g->n - 2, end = g->n - 1;
    for (size_t q = 0; q + 2 < g->n; q++) {
        if (mirror ? a->accept[q] : a->start[q])
            *edge(g, start, q) = TH_REGEX_TERM_WORD;
        if (mirror ? a->start[q] : a->accept[q])
            *edge(g, q, end) = TH_REGEX_TERM_WORD;
        g->weight[q] = -1;
    }
    for (size_t i = 0; i < a->n_arcs; i++) {
        size_t from = (size_t)a->arc[i].from, to = (size_t)a->arc[i].to;
        int *e = mirror ? edge(g, to, from) : edge(g, from, to);
        int symbol = a->arc[i].symbol;
        *e = th_regex_term_union(g->t, *e,
                                 symbol == TH_AUTOMATON_EPSILON
                                     ? TH_REGEX_TERM_WORD
                                     : th_regex_term_symbol(g->t, symbol));
    }
}

/* How much longer the expressions get: Delgado and Morais 2004; or, plainly, how many edges. */
static double weigh(Graph *g, size_t q, bool plain)
{
    double in = 0, out = 0, in_length = 0, out_length = 0;
    for (size_t p = 0; p < g->n; p++) {
        if (p == q || g->gone[p])
            continue;
        if (*edge(g, p, q) != TH_REGEX_TERM_NONE) {
            in++;
            in_length += (double)g->t->info[*edge(g, p, q)].length;
        }
        if (*edge(g, q, p) != TH_REGEX_TERM_NONE) {
            out++;
            out_length += (double)g->t->info[*edge(g, q, p)].length;
        }
    }
    if (plain)
        return in * out;
    double loop = (double)g->t->info[*edge(g, q, q)].length;
    if (*edge(g, q, q) == TH_REGEX_TERM_NONE)
        loop = 0;
    return in_length * (out - 1) + out_length * (in - 1) + loop * (in * out - 1);
}

/* The state to go next: of least weight, the last one among equals. */
static size_t choose(Graph *g, bool plain)
{
    size_t best = g->n;
    for (size_t q = 0; q + 2 < g->n; q++) {
        if (g->gone[q])
            continue;
        if (g->weight[q] < 0)
            g->weight[q] = weigh(g, q, plain);
        if (best == g->n || g->weight[q] <= g->weight[best])
            best = q;
    }
    return best;
}

static bool eliminate(Graph *g, size_t q, ThError *err)
{
    ThRegexTerms *t = g->t;
    int loop = th_regex_term_star(t, *edge(g, q, q));
    for (size_t p = 0; p < g->n; p++) {
        if (p == q || g->gone[p] || *edge(g, p, q) == TH_REGEX_TERM_NONE)
            continue;
        int in = th_regex_term_concat(t, *edge(g, p, q), loop);
        for (size_t r = 0; r < g->n; r++) {
            if (r == q || g->gone[r] || *edge(g, q, r) == TH_REGEX_TERM_NONE)
                continue;
            int *e = edge(g, p, r);
            *e = th_regex_term_union(t, *e, th_regex_term_concat(t, in, *edge(g, q, r)));
            if (t->info[*e].length >= TH_REGEX_TERM_LONG)
                return th_fail(err, TH_ELIMIT, "the regular expression is longer than %d MiB",
                               TH_REGEX_TERM_LONG >> 20);
        }
    }
    g->gone[q] = true;
    for (size_t p = 0; p < g->n; p++)
        if (*edge(g, p, q) != TH_REGEX_TERM_NONE || *edge(g, q, p) != TH_REGEX_TERM_NONE)
            g->weight[p] = -1;
    return !t->failed || th_fail(err, TH_ENOMEM, "out of memory for a regular expression");
}

static bool write_edge(const void *graph, int from, int to, ThText *label)
{
    const Graph *g = graph;
    int term = g->edge[(size_t)from * g->n + (size_t)to];
    bool *mentioned TH_OWNED(free) = th_alloc((size_t)g->a->n_symbols + 1, sizeof *mentioned, NULL);
    if (g->gone[from] || g->gone[to] || term == TH_REGEX_TERM_NONE)
        return false;
    label->failed |= !mentioned;
    if (term == TH_REGEX_TERM_WORD)
        th_text_add(label, "ε");
    else if (mentioned)
        th_regex_term_write(g->t, label, term, g->a->symbol, g->a->n_symbols, mentioned);
    return true;
}

static bool tell(const Graph *g, int gone, ThError *err)
{
    const ThRegexEliminationStep step = {gone, write_edge, g};
    return !g->watch || g->watch(g->context, &step, err);
}

/* The term of an automaton's language (mirror: of the reverse of it), or -1. */
static int term_of(Graph *g, const ThAutomaton *a, bool mirror, bool plain, ThStop *stop,
                   ThError *err)
{
    int term = -1;
    g->a = a;
    bool good = graph_alloc(g, (size_t)a->n_states, err);
    if (good) {
        graph_fill(g, a, mirror);
        good = tell(g, -1, err);
    }
    for (int left = a->n_states; good && left > 0; left--) {
        size_t q = choose(g, plain);
        good = eliminate(g, q, err) && tell(g, (int)q, err) &&
               !th_stopped_at(stop, (size_t)left, "states left to eliminate", err);
    }
    if (good)
        term = *edge(g, g->n - 2, g->n - 1);
    TH_FREE(g->edge, g->gone, g->weight);
    return term;
}

bool th_regex_elimination(const ThAutomaton *a, ThRegexEliminationWatch *watch, void *context,
                          ThStop *stop, ThError *err)
{
    ThRegexTerms t TH_OWNED(th_regex_terms_free) = {0};
    Graph g = {.t = &t, .watch = watch, .context = context};
    return th_regex_terms_begin(&t, err) && term_of(&g, a, false, false, stop, err) >= 0;
}

/* How hard a pattern is to read: its length, and its operators once more. */
static size_t cost_of(const char *pattern)
{
    size_t cost = 0;
    for (const char *c = pattern; *c; c++)
        cost += strchr("(*+?|", *c) ? 2 : 1;
    return cost;
}

/* Returns new: the pattern, if it is better than `best`, which is consumed. */
static char *write_if_better(ThRegexTerms *t, int term, const ThAutomaton *a, bool *whole,
                             char *best)
{
    ThText text = {0};
    bool *mentioned = th_alloc((size_t)a->n_symbols, sizeof *mentioned, NULL);
    if (!mentioned)
        return best;
    th_text_add(&text, "");
    th_regex_term_write(t, &text, term, a->symbol, a->n_symbols, mentioned);
    char *pattern = th_text_take(&text, NULL);
    if (!pattern || (best && cost_of(pattern) >= cost_of(best))) {
        TH_FREE(pattern, mentioned);
        return best;
    }
    *whole = true;
    for (int i = 0; i < a->n_symbols; i++) {
        bool sorted = i == 0 || strcmp(a->symbol[i - 1], a->symbol[i]) < 0;
        *whole = *whole && mentioned[i] && sorted;
    }
    TH_FREE(mentioned, best);
    return pattern;
}

/* One direction, with both orders of elimination.  A pattern that grows beyond the limit is no
 * candidate. */
static char *try_direction(const ThAutomaton *a, bool mirror, bool *whole, char *best, ThStop *stop,
                           ThError *err)
{
    for (int plain = 0; plain < 2; plain++) {
        ThRegexTerms t TH_OWNED(th_regex_terms_free) = {0};
        ThError failed = {0};
        Graph g = {.t = &t};
        int term =
            th_regex_terms_begin(&t, &failed) ? term_of(&g, a, mirror, plain, stop, &failed) : -1;
        if (term >= 0)
            best = write_if_better(&t, term, a, whole, best);
        else if (!best || failed.code != TH_ELIMIT)
            th_fail(err, failed.code, "%s", failed.msg);
    }
    return best;
}

/* Returns new: the minimal automaton of the reversed language. */
static ThAutomaton *minimal_reverse(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    ThAutomaton *r TH_OWNED(th_automaton_free) = th_automaton_reverse(a, w, err);
    return r ? th_automaton_minimize(r, w.max_states, w.stop, err) : NULL;
}

/* Returns new: the automaton without outputs. */
static ThAutomaton *acceptor_of(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, w.max_states, w.stop, err);
    ThDfa *m TH_OWNED(th_dfa_free) = d ? th_dfa_minimize(d, w.stop, err) : NULL;
    return m ? th_automaton_from_dfa(m, a->symbol, err) : NULL;
}

char *th_regex_of(const ThAutomaton *a, bool *whole, size_t max_states, ThStop *stop, ThError *err)
{
    ThAutomatonWork w = {max_states, stop};
    ThError failed = {0};
    char *best = NULL;
    ThAutomaton *m TH_OWNED(th_automaton_free) = acceptor_of(a, w, err);
    if (m && m->n_states > MOST_STATES)
        th_fail(err, TH_ELIMIT, "a regular expression for %d states would be too long: at most %d",
                m->n_states, MOST_STATES);
    else if (m)
        best = try_direction(m, false, whole, best, stop, &failed);
    /* Backwards there may be far more states; then that is no candidate. */
    w.max_states = m && m->n_states <= MOST_STATES ? 2 * (size_t)m->n_states + 8 : 0;
    ThAutomaton *r TH_OWNED(th_automaton_free) = w.max_states ? minimal_reverse(m, w, NULL) : NULL;
    if (r && r->n_states <= MOST_STATES)
        best = try_direction(r, true, whole, best, stop, &failed);
    if (!best || failed.code == TH_EINTERRUPTED || failed.code == TH_ENOMEM) {
        th_fail(err, failed.code, "%s", failed.msg);
        free(best);
        best = NULL;
    }
    return best;
}
