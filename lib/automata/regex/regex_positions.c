/* From a regular expression to its position automaton (Glushkov 1961).  A leaf is a state that all
 * its symbols lead to; a part is what may come first, what may come last, and whether the empty
 * word is among it.  The value of &, - and ~ is a machine, whose states join the others. */
#include "automata/regex/regex.h"

#include "automata/regex/tree.h"

/* Beyond so many transitions, between so many states on either side, a detour over an empty move is
 * shorter. */
enum { HUB_ARCS = 4096, HUB_SIDE = 8 };

/* A symbol that leads into a part, or (symbol unused) a state where it ends. */
typedef struct {
    int symbol, state, next;
} Link;

typedef struct {
    int first, last; /* links; -1: none */
    size_t n;
} List;

typedef struct {
    List in, out;
    bool nullable;
} Part;

typedef struct {
    const ThRegexTree *t;
    const int *number; /* of a symbol of the tree */
    char **name;       /* (k) */
    int k;
    ThDfa **dfa; /* (nodes): minimal machines of &, - and ~ that are known */
    size_t max_states;
    ThStop *stop;
    ThError *err;
} Compiler;

typedef struct {
    Compiler *c;
    ThNfa nfa;
    Link *link;
    size_t n_links, cap;
} Glue;

static const List no_links = {-1, -1, 0};

static bool part_of(Glue *g, int node, Part *part);

/* ---- lists ---- */

static bool append(Glue *g, List *list, int symbol, int state)
{
    if (g->n_links >= INT32_MAX)
        return th_fail(g->c->err, TH_ELIMIT, "the expression is too large");
    if (!th_grow(&g->link, &g->cap, g->n_links + 1, sizeof *g->link, g->c->err))
        return false;
    int i = (int)g->n_links++;
    g->link[i] = (Link){symbol, state, -1};
    if (list->last < 0)
        list->first = i;
    else
        g->link[list->last].next = i;
    list->last = i;
    list->n++;
    return true;
}

/* Moves what is in `more` to the end of `list`. */
static void join(Glue *g, List *list, const List *more)
{
    if (more->first < 0)
        return;
    if (list->last < 0)
        list->first = more->first;
    else
        g->link[list->last].next = more->first;
    list->last = more->last;
    list->n += more->n;
}

static bool fan_out(Glue *g, int from, const List *in)
{
    for (int i = in->first, left = (int)in->n; left > 0; i = g->link[i].next, left--)
        if (!th_nfa_arc(
                &g->nfa,
                (ThAutomatonArc){from, g->link[i].symbol, g->link[i].state, TH_AUTOMATON_NO_OUTPUT},
                g->c->err))
            return false;
    return true;
}

/* Lets what is at `in` follow what ends at `out`.  The lists are read up to their counts, since
 * others may have been joined behind them. */
static bool follow(Glue *g, const List *out, const List *in)
{
    bool hub = out->n > HUB_SIDE && in->n > HUB_SIDE && out->n * in->n > HUB_ARCS;
    int middle = -1;
    if (th_stopped_at(g->c->stop, g->nfa.n_states, "states", g->c->err))
        return false;
    if (hub) {
        middle = th_nfa_state(&g->nfa, 0, g->c->err);
        if (middle < 0 || !fan_out(g, middle, in))
            return false;
    }
    int i = out->first;
    for (size_t left = out->n; left > 0; i = g->link[i].next, left--) {
        ThAutomatonArc empty = {g->link[i].state, TH_AUTOMATON_EPSILON, middle,
                                TH_AUTOMATON_NO_OUTPUT};
        if (!(hub ? th_nfa_arc(&g->nfa, empty, g->c->err) : fan_out(g, g->link[i].state, in)))
            return false;
    }
    return true;
}

/* ---- leaves ---- */

static bool leaf(Glue *g, const ThRegexNode *node, Part *part)
{
    const Compiler *c = g->c;
    bool *has TH_OWNED(free) = th_alloc((size_t)c->k, sizeof *has, c->err);
    int state = -1;
    bool good = has != NULL;
    for (size_t i = 0; good && i < node->n; i++)
        has[c->number[c->t->item[node->symbol + i]]] = true;
    for (int a = 0; good && a < c->k; a++) {
        if (has[a] == node->negated)
            continue;
        if (state < 0) {
            state = th_nfa_state(&g->nfa, 0, c->err);
            good = state >= 0 && append(g, &part->out, 0, state);
        }
        good = good && append(g, &part->in, a, state);
    }
    return good;
}

/* States of d that reach acceptance, as new states; -1 for the others. */
static bool embed_states(Glue *g, const ThDfa *d, int *state, Part *part)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols;
    bool grew = true;
    for (size_t q = 0; q < n; q++)
        state[q] = d->label[q] ? 0 : -1;
    while (grew) {
        grew = false;
        for (size_t q = n; q-- > 0;) {
            for (size_t a = 0; state[q] < 0 && a < k; a++) {
                if (state[d->next[q * k + a]] == 0) {
                    state[q] = 0;
                    grew = true;
                }
            }
        }
    }
    for (size_t q = 0; q < n; q++) {
        if (state[q] < 0)
            continue;
        state[q] = th_nfa_state(&g->nfa, 0, g->c->err);
        if (state[q] < 0 || (d->label[q] && !append(g, &part->out, 0, state[q])))
            return false;
    }
    return true;
}

static bool embed(Glue *g, const ThDfa *d, Part *part)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols;
    int *state TH_OWNED(free) = th_alloc(n, sizeof *state, g->c->err);
    bool good = state && embed_states(g, d, state, part);
    for (size_t i = 0; good && i < n * k; i++) {
        int from = state[i / k], to = state[d->next[i]], a = (int)(i % k);
        if (from < 0 || to < 0)
            continue;
        good =
            th_nfa_arc(&g->nfa, (ThAutomatonArc){from, a, to, TH_AUTOMATON_NO_OUTPUT}, g->c->err) &&
            ((int)(i / k) != d->start || append(g, &part->in, a, to));
    }
    part->nullable = d->label[d->start];
    return good;
}

/* ---- machines of subtrees ---- */

static ThAutomaton *automaton_of(Compiler *c, int node)
{
    Glue g = {.c = c, .nfa = {.max_states = c->max_states}};
    Part part = {no_links, no_links, false};
    int start = th_nfa_state(&g.nfa, TH_NFA_START, c->err);
    bool good = start >= 0 && part_of(&g, node, &part) && fan_out(&g, start, &part.in);
    if (good) {
        int i = part.out.first;
        for (size_t left = part.out.n; left > 0; i = g.link[i].next, left--)
            g.nfa.mark[g.link[i].state] |= TH_NFA_ACCEPT;
        if (part.nullable)
            g.nfa.mark[start] |= TH_NFA_ACCEPT;
    }
    free(g.link);
    return th_nfa_finish(&g.nfa, &(ThNfaNames){.symbol = c->name, .n_symbols = c->k}, good, c->err);
}

static ThDfa *machine_of(Compiler *c, int node)
{
    ThAutomaton *a TH_OWNED(th_automaton_free) = automaton_of(c, node);
    ThDfa *d TH_OWNED(th_dfa_free) =
        a ? th_automaton_acceptor(a, c->max_states, c->stop, c->err) : NULL;
    return d ? th_dfa_minimize(d, c->stop, c->err) : NULL;
}

/* Returns new: the combination of x, consumed, with the machine of a node. */
static ThDfa *combine_take(Compiler *c, ThDfa *x, int node, const bool accept[4])
{
    ThDfa *y TH_OWNED(th_dfa_free) = x ? machine_of(c, node) : NULL;
    ThDfa *product TH_OWNED(th_dfa_free) =
        y ? th_dfa_product(x, y, accept, c->max_states, c->stop, c->err) : NULL;
    ThDfa *m = product ? th_dfa_minimize(product, c->stop, c->err) : NULL;
    th_dfa_free(x);
    return m;
}

/* View: the minimal machine of &, - or ~. */
static const ThDfa *operation(Compiler *c, int node)
{
    static const bool both[4] = {false, false, false, true};
    static const bool less[4] = {false, false, true, false};
    const ThRegexNode *at = &c->t->node[node];
    if (c->dfa[node])
        return c->dfa[node];
    ThDfa *d = machine_of(c, at->first);
    for (int q = 0; d && at->kind == TH_REGEX_NOT && q < d->n_states; q++)
        d->label[q] = !d->label[q];
    for (int i = c->t->node[at->first].next; d && i >= 0; i = c->t->node[i].next)
        d = combine_take(c, d, i, at->kind == TH_REGEX_AND ? both : less);
    c->dfa[node] = d;
    return d;
}

/* ---- parts ---- */

static bool concat(Glue *g, const ThRegexNode *node, Part *part)
{
    const ThRegexNode *all = g->c->t->node;
    if (!part_of(g, node->first, part))
        return false;
    for (int i = all[node->first].next; i >= 0; i = all[i].next) {
        Part next;
        if (!part_of(g, i, &next) || !follow(g, &part->out, &next.in))
            return false;
        if (part->nullable)
            join(g, &part->in, &next.in);
        if (next.nullable)
            join(g, &part->out, &next.out);
        else
            part->out = next.out;
        part->nullable = part->nullable && next.nullable;
    }
    return true;
}

static bool either(Glue *g, const ThRegexNode *node, Part *part)
{
    for (int i = node->first; i >= 0; i = g->c->t->node[i].next) {
        Part next;
        if (!part_of(g, i, &next))
            return false;
        join(g, &part->in, &next.in);
        join(g, &part->out, &next.out);
        part->nullable = part->nullable || next.nullable;
    }
    return true;
}

/* x{m,n} is m copies in a row, then x(x(…)?)?, or a loop. */
static bool repeat(Glue *g, const ThRegexNode *node, Part *part)
{
    bool forever = node->most == TH_REGEX_FOREVER;
    int least = node->least, copies = forever ? (least > 1 ? least : 1) : node->most;
    Part copy;
    part->nullable = least == 0;
    if (copies == 0)
        return true;
    List ends = no_links;
    for (int i = 1; i <= copies; i++) {
        List before = i > 1 ? copy.out : no_links;
        if (!part_of(g, node->first, &copy))
            return false;
        if (copy.nullable) {
            part->nullable = true;
            least = 0;
        }
        if (i == 1)
            part->in = copy.in;
        if (!follow(g, &before, &copy.in) ||
            (i == copies && forever && !follow(g, &copy.out, &copy.in)))
            return false;
        if (i >= least)
            join(g, &ends, &copy.out);
        if (copy.in.n == 0)
            break;
    }
    part->out = ends;
    return true;
}

static bool part_of(Glue *g, int index, Part *part)
{
    const ThRegexNode *node = &g->c->t->node[index];
    *part = (Part){no_links, no_links, node->kind == TH_REGEX_WORD};
    switch (node->kind) {
    case TH_REGEX_WORD:
        return true;
    case TH_REGEX_SET:
        return leaf(g, node, part);
    case TH_REGEX_CONCAT:
        return concat(g, node, part);
    case TH_REGEX_UNION:
        return either(g, node, part);
    case TH_REGEX_REPEAT:
        return repeat(g, node, part);
    default:
        break;
    }
    const ThDfa *d = operation(g->c, index);
    return d && embed(g, d, part);
}

/* ---- the alphabet ---- */

/* Numbers the symbols of the tree: the first n as they are, the others by their names. */
static bool number_symbols(Compiler *c, size_t n, int *number)
{
    size_t k = c->t->symbol.n;
    c->k = (int)k;
    c->name = th_alloc(k, sizeof *c->name, c->err);
    if (!c->name)
        return false;
    for (size_t i = 0; i < k; i++) {
        c->name[i] = th_strdup(th_intern_at(&c->t->symbol, i, NULL), c->err);
        if (!c->name[i])
            return false;
    }
    qsort(c->name + n, k - n, sizeof *c->name, th_compare_names);
    for (size_t i = 0; i < k; i++)
        number[th_intern_find(&c->t->symbol, c->name[i], strlen(c->name[i]) + 1)] = (int)i;
    c->number = number;
    return true;
}

/* A dot, a class with ^ or a complement without any symbol to mean. */
static bool check_alphabet(const ThRegexTree *t, ThError *err)
{
    for (size_t i = 0; t->symbol.n == 0 && i < t->n; i++) {
        const ThRegexNode *node = &t->node[i];
        if (node->negated || node->kind == TH_REGEX_NOT)
            return th_fail_at(err, TH_EVALUE, 1, node->col,
                              "no symbol is known that this could mean") ||
                   th_hint(err, "name the alphabet: regex \"...\" over \"ab\"");
    }
    return true;
}

static void compiler_free(Compiler *c)
{
    TH_FREE_EACH(c->name, c->k);
    for (size_t i = 0; c->dfa && i < c->t->n; i++)
        th_dfa_free(c->dfa[i]);
    free(c->dfa);
}

ThAutomaton *th_regex_automaton(const char *pattern, char *const *alphabet, int n,
                                size_t max_states, ThStop *stop, ThError *err)
{
    ThRegexTree t TH_OWNED(th_regex_tree_free) = {0};
    Compiler c = {.t = &t, .max_states = max_states, .stop = stop, .err = err};
    ThAutomaton *a = NULL;
    int *number TH_OWNED(free) = NULL;
    size_t index;
    bool good = true;
    for (int i = 0; good && i < n; i++)
        good = th_intern(&t.symbol, alphabet[i], strlen(alphabet[i]) + 1, &index, err);
    size_t given = t.symbol.n;
    if (good && th_regex_parse(&t, pattern, err) && check_alphabet(&t, err)) {
        number = th_alloc(t.symbol.n, sizeof *number, err);
        c.dfa = th_alloc(t.n, sizeof(ThDfa *), err);
        if (number && c.dfa && number_symbols(&c, given, number))
            a = automaton_of(&c, t.root);
    }
    compiler_free(&c);
    return a;
}
