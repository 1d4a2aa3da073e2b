/* Formulas of machines that never come back to a state that they left: what was visited says all,
 * and `once in the past` is the only operator that reaches far. */

#include "automata/core/components.h"
#include "automata/logic/cascade.h"

typedef struct {
    ThAutomatonFormula *f;
    const ThDfa *d;
    int *visited; /* (n_states): part: the state was reached, by this position's letter or before */
    int *present; /* the same, and not left */
    ThError *err;
} Ordered;

static int next(const Ordered *o, int q, int a)
{
    return o->d->next[q * o->d->n_symbols + a];
}

/* The state was so before this position; the start is visited from the beginning. */
static int before(Ordered *o, int part, int q)
{
    if (q != o->d->start)
        return th_automaton_formula_previous(o->f, part, o->err);
    int not = th_automaton_formula_not(o->f, part, o->err);
    return th_automaton_formula_not(o->f, th_automaton_formula_previous(o->f, not, o->err), o->err);
}

/* The letter here leads from p to q, or, with q -1, away. */
static int leads(Ordered *o, int p, int q)
{
    int sum = th_automaton_formula_false(o->f, o->err);
    for (int a = 0; a < o->d->n_symbols; a++)
        if (q < 0 ? next(o, p, a) != p : next(o, p, a) == q)
            sum = th_automaton_formula_or(o->f, sum, th_automaton_formula_is(o->f, a, o->err),
                                          o->err);
    return sum;
}

static bool leads_nowhere_else(const Ordered *o, int p, int q)
{
    for (int a = 0; a < o->d->n_symbols; a++)
        if (next(o, p, a) != p && next(o, p, a) != q)
            return false;
    return true;
}

static int once(Ordered *o, int part)
{
    return th_automaton_formula_since(o->f, th_automaton_formula_truth(o->f, o->err), part, o->err);
}

/* In the order of the states: those that lead to q are done. */
static bool visit(Ordered *o, int q)
{
    ThAutomatonFormula *f = o->f;
    int enters = th_automaton_formula_false(f, o->err);
    for (int p = 0; p < o->d->n_states; p++) {
        int letters = p == q ? -1 : leads(o, p, q);
        if (p == q || letters == th_automaton_formula_false(f, o->err))
            continue;
        int from = leads_nowhere_else(o, p, q) ? o->visited[p] : o->present[p];
        enters = th_automaton_formula_or(
            f, enters, th_automaton_formula_and(f, letters, before(o, from, p), o->err), o->err);
    }
    o->visited[q] = q == o->d->start ? th_automaton_formula_truth(f, o->err) : once(o, enters);
    int here = before(o, o->visited[q], q); /* first: which part is there earlier is seen */
    int leaves = once(o, th_automaton_formula_and(f, leads(o, q, -1), here, o->err));
    o->present[q] = th_automaton_formula_and(f, o->visited[q],
                                             th_automaton_formula_not(f, leaves, o->err), o->err);
    return o->visited[q] >= 0 && o->present[q] >= 0;
}

/* Visits the states that lead to q, and q. */
static bool visit_to(Ordered *o, int q)
{
    bool ok = true;
    for (int p = 0; ok && o->visited[q] < 0 && p < o->d->n_states; p++)
        for (int a = 0; ok && a < o->d->n_symbols; a++)
            if (p != q && next(o, p, a) == q)
                ok = visit_to(o, p);
    return ok && (o->visited[q] >= 0 || visit(o, q));
}

static int find_whole(Ordered *o)
{
    int accepting = 0, sum = th_automaton_formula_false(o->f, o->err);
    for (int q = 0; q < o->d->n_states; q++) {
        if (!visit_to(o, q))
            return -1;
        accepting += o->d->label[q] == 1;
    }
    bool inside = 2 * accepting <= o->d->n_states;
    for (int q = 0; q < o->d->n_states; q++)
        if ((o->d->label[q] == 1) == inside)
            sum = th_automaton_formula_or(o->f, sum, o->present[q], o->err);
    return inside ? sum : th_automaton_formula_not(o->f, sum, o->err);
}

bool th_automaton_formula_ordered(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                                  ThError *err)
{
    size_t n = (size_t)d->n_states;
    Ordered o = {.f = f, .d = d, .err = err};
    int *component TH_OWNED(free) = th_alloc(n, sizeof *component, err);
    int *states TH_OWNED(free) = component ? th_alloc(2 * n, sizeof *states, err) : NULL;
    if (!states || !th_automaton_formula_letters(f, symbol, d->n_symbols, err))
        return false;
    int components = th_automaton_components(d->next, d->n_states, d->n_symbols, component, err);
    if (components < 0)
        return false;
    if (components < d->n_states)
        return th_fail(err, TH_EVALUE, "the machine comes back to a state that it left");
    o.visited = states;
    o.present = states + n;
    for (size_t q = 0; q < n; q++)
        o.visited[q] = -1;
    f->whole = find_whole(&o);
    return f->whole >= 0;
}

bool th_automaton_formula_of(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                             size_t limit, ThStop *stop, ThError *err)
{
    ThError own = {0};
    if (th_automaton_formula_ordered(f, d, symbol, &own))
        return true;
    if (own.code != TH_EVALUE)
        return th_fail(err, own.code, "%s", own.msg);
    return th_automaton_formula_cascade(f, d, symbol, limit, stop, err);
}
