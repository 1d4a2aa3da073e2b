/* A grammar without what no word needs, its form with at most two variables on the right, and one
 * in which no variable derives itself alone. */

#include "base/intern.h"
#include "language/grammar.h"

/* ---- useless variables ----------------------------------------------------------------------- */

static bool all_productive(const ThGrammar *g, const ThGrammarRule *r, const bool *productive)
{
    for (int i = 0; i < r->n; i++) {
        int x = g->right[r->first + i];
        if (x >= 0 && !productive[x])
            return false;
    }
    return true;
}

static void find_productive(const ThGrammar *g, bool *productive)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < g->n_rules; i++) {
            bool *left = &productive[g->rule[i].left];
            if (!*left && all_productive(g, &g->rule[i], productive))
                *left = more = true;
        }
    }
}

static void find_reachable(const ThGrammar *g, const bool *productive, bool *reachable)
{
    reachable[0] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < g->n_rules; i++) {
            const ThGrammarRule *r = &g->rule[i];
            if (!reachable[r->left] || !all_productive(g, r, productive))
                continue;
            for (int k = 0; k < r->n; k++) {
                int x = g->right[r->first + k];
                if (x >= 0 && !reachable[x])
                    reachable[x] = more = true;
            }
        }
    }
}

static void name_useless(ThGrammar *g, const bool *productive, const bool *reachable)
{
    for (int v = 0; v < g->n_variables; v++) {
        int line = 0;
        for (size_t i = 0; i < g->n_rules && line == 0; i++)
            line = g->rule[i].left == v ? g->rule[i].line : 0;
        if (!productive[v])
            th_text_printf(&g->remarks, "%s%s, line %d: derives no word",
                           g->remarks.size ? "; " : "left out: ", g->variable[v], line);
        else if (!reachable[v])
            th_text_printf(&g->remarks, "%s%s, line %d: is not reached from the start",
                           g->remarks.size ? "; " : "left out: ", g->variable[v], line);
    }
}

bool th_grammar_reduce(ThGrammar *g, ThError *err)
{
    size_t n = (size_t)g->n_variables;
    bool *productive TH_OWNED(free) = th_alloc(n, sizeof *productive, err);
    bool *reachable TH_OWNED(free) = th_alloc(n, sizeof *reachable, err);
    g->used = th_alloc(g->n_rules, sizeof *g->used, err);
    bool ok = productive && reachable && g->used;
    if (ok) {
        find_productive(g, productive);
        find_reachable(g, productive, reachable);
        name_useless(g, productive, reachable);
    }
    for (size_t i = 0; ok && i < g->n_rules; i++)
        if (reachable[g->rule[i].left] && all_productive(g, &g->rule[i], productive))
            g->used[g->n_used++] = g->rule[i];
    if (ok && !productive[0]) {
        ok = th_fail_at(err, TH_EVALUE, g->rule[0].line, g->rule[0].col,
                        "the grammar has no words: no word comes out of %s", g->variable[0]) ||
             th_hint(err, "every variable needs a rule that ends");
    }
    return ok;
}

/* ---- two variables on the right -------------------------------------------------------------- */

void th_grammar_pairs_free(ThGrammarPairs *p)
{
    TH_FREE(p->rule, p->order, p->nullable, p->by_order, p->first);
    *p = (ThGrammarPairs){0};
}

static bool add(ThGrammarPairs *p, ThGrammarPair r, ThError *err)
{
    if (!th_grow(&p->rule, &p->cap, p->n + 1, sizeof r, err))
        return false;
    p->rule[p->n++] = r;
    return true;
}

/* The variable that is made for a right side of one terminal, or of two variables, which has only
 * this rule; -1 without memory. */
static int made_for(const ThGrammar *g, ThGrammarPairs *p, ThGrammarPair right, ThError *err)
{
    for (size_t i = 0; i < p->n; i++) {
        const ThGrammarPair *r = &p->rule[i];
        if (r->left >= g->n_variables && r->n == right.n && r->b == right.b && r->c == right.c)
            return r->left;
    }
    right.left = p->n_variables;
    return add(p, right, err) ? p->n_variables++ : -1;
}

/* A symbol of a right side as a variable. */
static int as_variable(const ThGrammar *g, ThGrammarPairs *p, int x, ThError *err)
{
    return x >= 0 ? x : made_for(g, p, (ThGrammarPair){.n = -1, .b = ~x}, err);
}

static bool split_rule(const ThGrammar *g, ThGrammarPairs *p, const ThGrammarRule *r, ThError *err)
{
    const int *x = g->right + r->first;
    if (r->n == 0)
        return add(p, (ThGrammarPair){.left = r->left}, err);
    if (r->n == 1)
        return add(p, (ThGrammarPair){r->left, x[0] >= 0 ? 1 : -1, x[0] >= 0 ? x[0] : ~x[0], 0},
                   err);
    int rest = as_variable(g, p, x[r->n - 1], err);
    for (int i = r->n - 2; rest >= 0 && i > 0; i--) {
        int b = as_variable(g, p, x[i], err);
        rest = b < 0 ? -1 : made_for(g, p, (ThGrammarPair){.n = 2, .b = b, .c = rest}, err);
    }
    int b = rest >= 0 ? as_variable(g, p, x[0], err) : -1;
    return b >= 0 && add(p, (ThGrammarPair){r->left, 2, b, rest}, err);
}

static void find_nullable(ThGrammarPairs *p)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < p->n; i++) {
            const ThGrammarPair *r = &p->rule[i];
            bool empty = r->n == 0 || (r->n == 1 && p->nullable[r->b]) ||
                         (r->n == 2 && p->nullable[r->b] && p->nullable[r->c]);
            if (empty && !p->nullable[r->left])
                p->nullable[r->left] = more = true;
        }
    }
}

/* Does the rule derive a variable alone that has no place in the order yet? */
static bool waits(const ThGrammarPairs *p, const ThGrammarPair *r, const bool *placed)
{
    bool empty = r->n == 2 && !p->cut, b = r->n == 1 || (empty && p->nullable[r->c]);
    return (b && !placed[r->b]) || (empty && p->nullable[r->b] && !placed[r->c]);
}

static bool all_wait_for_none(const ThGrammarPairs *p, int v, const bool *placed)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->rule[i].left == v && waits(p, &p->rule[i], placed))
            return false;
    return true;
}

/* The variables in order; returns how many could be placed. */
static int place_all(ThGrammarPairs *p, bool *placed)
{
    int n = 0;
    for (bool more = true; more;) {
        more = false;
        for (int v = 0; v < p->n_variables; v++)
            if (!placed[v] && all_wait_for_none(p, v, placed)) {
                p->order[n++] = v;
                placed[v] = more = true;
            }
    }
    return n;
}

/* Those that are not placed lie on a cycle or above one: following them leads into it. */
static void name_cycle(ThGrammar *g, const bool *placed)
{
    const ThGrammarPairs *p = &g->pairs;
    int v = 0;
    while (placed[v])
        v++;
    for (int step = 0; step < 2 * p->n_variables || v >= g->n_variables; step++) {
        size_t i = 0;
        while (p->rule[i].left != v || !waits(p, &p->rule[i], placed))
            i++;
        const ThGrammarPair *r = &p->rule[i];
        bool b = (r->n == 1 || p->nullable[r->c]) && !placed[r->b];
        v = b ? r->b : r->c;
    }
    size_t i = 0;
    while (g->used[i].left != v)
        i++;
    th_text_printf(&g->remarks, "%s%s, line %d, derives itself alone, in infinitely many trees",
                   g->remarks.size ? "; " : "", g->variable[v], g->used[i].line);
}

/* ---- without cycles -------------------------------------------------------------------------- */

static bool keep(ThIntern *rules, ThGrammarPair r, ThError *err)
{
    size_t index;
    return th_intern(rules, &r, sizeof r, &index, err);
}

/* A rule without the empty word: of two variables, one of which may derive it, the other alone. */
static bool keep_parts(const ThGrammarPairs *p, ThIntern *rules, ThGrammarPair r, ThError *err)
{
    if (r.n == 2 && p->nullable[r.b] && !keep(rules, (ThGrammarPair){r.left, 1, r.c, 0}, err))
        return false;
    if (r.n == 2 && p->nullable[r.c] && !keep(rules, (ThGrammarPair){r.left, 1, r.b, 0}, err))
        return false;
    return r.n == 0 || keep(rules, r, err);
}

/* Marks what leads to a variable by rules of one variable, or what it leads to. */
static void mark_from(const ThIntern *rules, int v, bool back, bool *mark)
{
    mark[v] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < rules->n; i++) {
            const ThGrammarPair *r = th_intern_at(rules, i, NULL);
            int from = back ? r->b : r->left, to = back ? r->left : r->b;
            if (r->n == 1 && mark[from] && !mark[to])
                mark[to] = more = true;
        }
    }
}

/* as[v]: the first of the variables that derive each other alone: their words are the same. */
static bool join_variables(const ThIntern *rules, int n, int *as, ThError *err)
{
    bool *to TH_OWNED(free) = th_alloc(2 * (size_t)n, sizeof *to, err);
    for (int v = 0; v < n; v++)
        as[v] = -1;
    for (int v = 0; to && v < n; v++) {
        if (as[v] >= 0)
            continue;
        memset(to, 0, 2 * (size_t)n);
        mark_from(rules, v, false, to);
        mark_from(rules, v, true, to + n);
        for (int w = v; w < n; w++)
            as[w] = to[w] && to[n + w] ? v : as[w];
    }
    return to != NULL;
}

/* Puts the rules in the place of those of p, joined variables being one.  The start may derive the
 * empty word: what stands on the right is a copy of it, its number the last one. */
static bool take_rules(ThGrammarPairs *p, const ThIntern *rules, const int *as, ThError *err)
{
    ThIntern joined TH_OWNED(th_intern_free) = {0};
    int copy = p->n_variables++;
    bool ok = !p->nullable[0] || keep(&joined, (ThGrammarPair){0}, err);
    for (size_t i = 0; ok && i < rules->n; i++) {
        ThGrammarPair r;
        memcpy(&r, th_intern_at(rules, i, NULL), sizeof r);
        r.left = as[r.left];
        r.b = r.n > 0 ? as[r.b] : r.b;
        r.c = r.n > 1 ? as[r.c] : 0;
        if (r.n == 1 && r.b == r.left)
            continue;
        r.b = r.n > 0 && r.b == 0 ? copy : r.b;
        r.c = r.n > 1 && r.c == 0 ? copy : r.c;
        ok = keep(&joined, r, err);
        if (ok && r.left == 0) {
            r.left = copy;
            ok = keep(&joined, r, err);
        }
    }
    p->n = 0;
    for (size_t i = 0; ok && i < joined.n; i++)
        ok = add(p, *(const ThGrammarPair *)th_intern_at(&joined, i, NULL), err);
    return ok;
}

static bool cut_cycles(ThGrammarPairs *p, ThError *err)
{
    ThIntern rules TH_OWNED(th_intern_free) = {0};
    int *as TH_OWNED(free) = th_alloc((size_t)p->n_variables, sizeof *as, err);
    bool ok = as != NULL;
    for (size_t i = 0; ok && i < p->n; i++)
        ok = keep_parts(p, &rules, p->rule[i], err);
    p->cut = true;
    return ok && join_variables(&rules, p->n_variables, as, err) && take_rules(p, &rules, as, err);
}

static bool sort_rules(ThGrammarPairs *p, ThError *err)
{
    p->by_order = th_alloc(p->n, sizeof *p->by_order, err);
    p->first = th_alloc((size_t)p->n_variables + 1, sizeof *p->first, err);
    if (!p->by_order || !p->first)
        return false;
    size_t n = 0;
    for (int i = 0; i < p->n_variables; i++) {
        p->first[i] = n;
        for (size_t k = 0; k < p->n; k++)
            if (p->rule[k].left == p->order[i])
                p->by_order[n++] = k;
    }
    p->first[p->n_variables] = n;
    return true;
}

bool th_grammar_binarise(ThGrammar *g, ThError *err)
{
    ThGrammarPairs *p = &g->pairs;
    p->n_variables = g->n_variables;
    for (size_t i = 0; i < g->n_used; i++)
        if (!split_rule(g, p, &g->used[i], err))
            return false;
    size_t n = (size_t)p->n_variables + 1;
    p->order = th_alloc(n, sizeof *p->order, err);
    p->nullable = th_alloc(n, sizeof *p->nullable, err);
    bool *placed TH_OWNED(free) = th_alloc(n, sizeof *placed, err);
    bool ok = p->order && p->nullable && placed;
    if (!ok)
        return false;
    find_nullable(p);
    if (place_all(p, placed) < p->n_variables) {
        name_cycle(g, placed);
        ok = cut_cycles(p, err);
        memset(placed, 0, n * sizeof *placed);
        place_all(p, placed);
    }
    return ok && sort_rules(p, err) && th_grammar_look_ahead(p, err);
}
