/* Selectors as polynomials.
 *
 * A cell of a selector is 0 or 1, so not a is 1 - a, a and b is a b, and a or b is a + b - a b: any
 * combination is a sum of products of its selects with integer coefficients (inclusion and
 * exclusion), and what can be added up over each product can be added up over the selector.  The
 * greatest of several values cannot be taken back, so for it the selector is written as a union of
 * products instead, negations pushed down to the selects.
 */
#include <stdlib.h>

#include "rasp/evaluate/run_impl.h"

static const ThRaspTerm one = {0, 1};

static void add_term(ThRaspTerms *s, ThRaspTerm t, bool sum)
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
    if (s->n == TH_RASP_TERMS)
        s->n = -1;
    if (s->n >= 0)
        s->term[s->n++] = t;
}

/* *s += factor · a */
static void add_terms(ThRaspTerms *s, const ThRaspTerms *a, int factor, bool sum)
{
    if (a->n < 0)
        s->n = -1;
    for (int k = 0; s->n >= 0 && k < a->n; k++)
        add_term(s, (ThRaspTerm){a->term[k].literals, factor * a->term[k].sign}, sum);
}

/* *s += factor · a · b */
static void add_product(ThRaspTerms *s, const ThRaspTerms *a, const ThRaspTerms *b, int factor,
                        bool sum)
{
    if (a->n < 0 || b->n < 0)
        s->n = -1;
    for (int k = 0; s->n >= 0 && k < a->n; k++)
        for (int l = 0; s->n >= 0 && l < b->n; l++)
            add_term(s,
                     (ThRaspTerm){a->term[k].literals | b->term[l].literals,
                                  factor * a->term[k].sign * b->term[l].sign},
                     sum);
}

static void multiply(ThRaspTerms *s, uint64_t literals)
{
    for (int k = 0; k < s->n; k++)
        s->term[k].literals |= literals;
}

static uint64_t literal(int match, int part)
{
    return (uint64_t)1 << (1 + TH_RASP_N_PARTS * match + part);
}

/* The cells of a part, and those that it lacks (among the causal ones, if it is causal). */
typedef struct {
    ThRaspTerms yes, no;
    bool causal; /* has a causal select in it */
} Part;

static void write_leaf(Part *p, int match, bool except, bool causal, bool sum)
{
    ThRaspTerms in = {1, {{literal(match, TH_RASP_PART_IN), 1}}};
    ThRaspTerms out = {
        2, {{literal(match, TH_RASP_PART_BELOW), 1}, {literal(match, TH_RASP_PART_ABOVE), 1}}};
    if (sum)
        out = (ThRaspTerms){2, {one, {literal(match, TH_RASP_PART_IN), -1}}};
    p->yes = except ? out : in;
    p->no = except ? in : out;
    p->causal = causal;
    if (causal)
        multiply(&p->yes, TH_RASP_CAUSAL);
}

/* Unions (b is a where there is one part only): the complement of a selector with causal parts that
 * is not causal itself would need the cells right of the diagonal, which no term selects. */
static void write_union(Part *p, const ThRaspNodeInfo *node, const Part *a, const Part *b)
{
    p->causal = a->causal || b->causal;
    if (node->kind == TH_RASP_NODE_OTHER) {
        p->yes = a->no;
        p->no = a->yes;
        if (a->causal && !node->causal)
            p->yes.n = -1;
        if (node->causal)
            multiply(&p->yes, TH_RASP_CAUSAL);
    } else if (node->kind == TH_RASP_NODE_BOTH) {
        add_product(&p->yes, &a->yes, &b->yes, 1, false);
        add_terms(&p->no, &a->no, 1, false);
        add_terms(&p->no, &b->no, 1, false);
    } else {
        add_terms(&p->yes, &a->yes, 1, false);
        add_terms(&p->yes, &b->yes, 1, false);
        add_product(&p->no, &a->no, &b->no, 1, false);
    }
}

static void write_sum(Part *p, const ThRaspNodeInfo *node, const Part *a, const Part *b)
{
    if (node->kind == TH_RASP_NODE_OTHER) {
        add_term(&p->yes, (ThRaspTerm){node->causal ? TH_RASP_CAUSAL : 0, 1}, true);
        add_terms(&p->yes, &a->yes, -1, true);
    } else if (node->kind == TH_RASP_NODE_BOTH) {
        add_product(&p->yes, &a->yes, &b->yes, 1, true);
    } else {
        add_terms(&p->yes, &a->yes, 1, true);
        add_terms(&p->yes, &b->yes, 1, true);
        add_product(&p->yes, &a->yes, &b->yes, -1, true);
    }
}

static const Part *part_of(const Part *part, const ThRaspSop *list, ThRaspSop canonical)
{
    while (*list != canonical) {
        list++;
        part++;
    }
    return part;
}

bool th_rasp_formula(ThRaspFormula *f, ThRaspRun *r, ThRaspSop selector, bool sum, ThError *err)
{
    enum { PARTS = 256 };
    size_t n;
    f->n_matches = 0;
    f->terms.n = -1;
    ThRaspSop *list = th_rasp_run_collect(r, selector, TH_RASP_PARTS, &n, err);
    if (!list)
        return false;
    Part *part = n <= PARTS ? th_alloc(n, sizeof *part, err) : NULL;
    bool fits = part != NULL;
    for (size_t k = 0; fits && k < n; k++) {
        const ThRaspNodeInfo *node = th_rasp_node(r->g, list[k]);
        const ThRaspMatch *m = r->slot[list[k]].match;
        if (m) {
            fits = !m->table && f->n_matches < TH_RASP_MATCHES;
            if (!fits)
                break;
            write_leaf(&part[k], f->n_matches, m->except, node->causal, sum);
            f->match[f->n_matches++] = m;
            continue;
        }
        const Part *a = part_of(part, list, th_rasp_run_arg(r, list[k], 0));
        const Part *b = node->n_args > 1 ? part_of(part, list, th_rasp_run_arg(r, list[k], 1)) : a;
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
