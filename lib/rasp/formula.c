/* Selectors as polynomials.
 *
 * A cell of a selector is 0 or 1, so not a is 1 - a, a and b is a b, and a or b is a + b - a b: any
 * combination is a sum of products of its selects with integer coefficients (inclusion and
 * exclusion), and what can be added up over each product can be added up over the selector.  The
 * greatest of several values cannot be taken back, so for it the selector is written as a union of
 * products instead, negations pushed down to the selects.
 */
#include <stdlib.h>
#include <string.h>

#include "rasp/run_impl.h"

static const ThTerm one = {0, 1};

static void add_term(ThTerms *s, ThTerm t, bool sum)
{
    for (int k = 0; k < s->n; k++) {
        uint64_t common = s->term[k].literals & t.literals;
        if (!sum && common == s->term[k].literals)
            return; /* a larger product holds these cells already */
        if (!sum && common == t.literals) {
            s->term[k--] = s->term[--s->n];
            continue;
        }
        if (s->term[k].literals != t.literals)
            continue;
        s->term[k].sign += t.sign;
        if (!s->term[k].sign)
            s->term[k] = s->term[--s->n];
        return;
    }
    if (s->n == TH_TERMS)
        s->n = -1;
    if (s->n >= 0)
        s->term[s->n++] = t;
}

/* *s += factor · a */
static void add_terms(ThTerms *s, const ThTerms *a, int factor, bool sum)
{
    if (a->n < 0)
        s->n = -1;
    for (int k = 0; s->n >= 0 && k < a->n; k++)
        add_term(s, (ThTerm){a->term[k].literals, factor * a->term[k].sign}, sum);
}

/* *s += factor · a · b */
static void add_product(ThTerms *s, const ThTerms *a, const ThTerms *b, int factor, bool sum)
{
    if (a->n < 0 || b->n < 0)
        s->n = -1;
    for (int k = 0; s->n >= 0 && k < a->n; k++)
        for (int l = 0; s->n >= 0 && l < b->n; l++)
            add_term(s,
                     (ThTerm){a->term[k].literals | b->term[l].literals,
                              factor * a->term[k].sign * b->term[l].sign},
                     sum);
}

static void multiply(ThTerms *s, uint64_t literals)
{
    for (int k = 0; k < s->n; k++)
        s->term[k].literals |= literals;
}

static uint64_t literal(int match, int part)
{
    return (uint64_t)1 << (1 + TH_N_PARTS * match + part);
}

/* The cells of a part, and those that it lacks (among the causal ones, if it is causal). */
typedef struct {
    ThTerms yes, no;
    bool causal; /* has a causal select in it */
} Part;

static void write_leaf(Part *p, int match, bool except, bool causal, bool sum)
{
    ThTerms in = {1, {{literal(match, TH_PART_IN), 1}}};
    ThTerms out = {2, {{literal(match, TH_PART_BELOW), 1}, {literal(match, TH_PART_ABOVE), 1}}};
    if (sum)
        out = (ThTerms){2, {one, {literal(match, TH_PART_IN), -1}}};
    p->yes = except ? out : in;
    p->no = except ? in : out;
    p->causal = causal;
    if (causal)
        multiply(&p->yes, TH_CAUSAL);
}

/* Unions (b is a where there is one part only): the complement of a selector with causal parts that
 * is not causal itself would need the cells right of the diagonal, which no term selects. */
static void write_union(Part *p, const ThNodeInfo *node, const Part *a, const Part *b)
{
    p->causal = a->causal || b->causal;
    if (node->kind == TH_NODE_OTHER) {
        p->yes = a->no;
        p->no = a->yes;
        if (a->causal && !node->causal)
            p->yes.n = -1;
        if (node->causal)
            multiply(&p->yes, TH_CAUSAL);
    } else if (node->kind == TH_NODE_BOTH) {
        add_product(&p->yes, &a->yes, &b->yes, 1, false);
        add_terms(&p->no, &a->no, 1, false);
        add_terms(&p->no, &b->no, 1, false);
    } else {
        add_terms(&p->yes, &a->yes, 1, false);
        add_terms(&p->yes, &b->yes, 1, false);
        add_product(&p->no, &a->no, &b->no, 1, false);
    }
}

static void write_sum(Part *p, const ThNodeInfo *node, const Part *a, const Part *b)
{
    if (node->kind == TH_NODE_OTHER) {
        add_term(&p->yes, (ThTerm){node->causal ? TH_CAUSAL : 0, 1}, true);
        add_terms(&p->yes, &a->yes, -1, true);
    } else if (node->kind == TH_NODE_BOTH) {
        add_product(&p->yes, &a->yes, &b->yes, 1, true);
    } else {
        add_terms(&p->yes, &a->yes, 1, true);
        add_terms(&p->yes, &b->yes, 1, true);
        add_product(&p->yes, &a->yes, &b->yes, -1, true);
    }
}

static const Part *part_of(const Part *part, const ThSop *list, ThSop class)
{
    while (*list != class) {
        list++;
        part++;
    }
    return part;
}

bool th_formula(ThFormula *f, ThRaspRun *r, ThSop selector, bool sum, ThError *err)
{
    enum { PARTS = 256 };
    size_t n;
    f->n_matches = 0;
    f->terms.n = -1;
    ThSop *list = th_run_collect(r, selector, TH_PARTS, &n, err);
    if (!list)
        return false;
    Part *part = n <= PARTS ? th_alloc(n, sizeof *part, err) : NULL;
    bool fits = part != NULL;
    for (size_t k = 0; fits && k < n; k++) {
        const ThNodeInfo *node = th_rasp_node(r->g, list[k]);
        const ThMatch *m = r->slot[list[k]].match;
        if (m) {
            fits = !m->table && f->n_matches < TH_MATCHES;
            if (!fits)
                break;
            write_leaf(&part[k], f->n_matches, m->except, node->causal, sum);
            f->match[f->n_matches++] = m;
            continue;
        }
        const Part *a = part_of(part, list, th_run_arg(r, list[k], 0));
        const Part *b = node->n_args > 1 ? part_of(part, list, th_run_arg(r, list[k], 1)) : a;
        if (sum)
            write_sum(&part[k], node, a, b);
        else
            write_union(&part[k], node, a, b);
    }
    if (fits)
        f->terms = part[n - 1].yes;
    bool ok = part || n > PARTS;
    free(part);
    free(list);
    return ok;
}
