/* In every component that a run enters, sums of counts since it entered tell the state, in as many
 * rounds as th_dfa_counting needs.  Counts go on when the run has left, and mean nothing then: only
 * the first time that it seems to leave counts. */
#include "automata/logic/counts.h"

#include "automata/algebra/counting.h"
#include "automata/core/components.h"

/* What a round of one component tells, copied. */
typedef struct {
    int component, n, labels, sums;
    int *state;      /* (n) */
    int *label;      /* (n, n_symbols); -1: the symbol leads out of the component from all states */
    int64_t *weight; /* (sums, labels) */
    int64_t *value;  /* (sums, n) */
} Round;

typedef struct {
    ThAutomatonFormula *f;
    const ThDfa *d;
    int *component;
    Round *round;
    size_t rounds, round_cap;
    int *entered; /* (n_states): part: the run comes into this component here, in this state */
    bool *done;   /* (n_states): of a component */
    int *at;      /* (n_states, n_symbols): part: the run was in the state, and reads the symbol */
    int accepts;
    ThError *err;
} Counts;

static int next(const Counts *c, int q, int a)
{
    return c->d->next[q * c->d->n_symbols + a];
}

static bool stays(const Counts *c, int q, int a)
{
    return c->component[next(c, q, a)] == c->component[q];
}

static int *at(const Counts *c, int q, int a)
{
    return &c->at[q * c->d->n_symbols + a];
}

/* ---- rounds ---- */

static bool keep_round(void *context, const ThDfaCountingRound *r, ThError *err)
{
    Counts *c = context;
    size_t n = (size_t)r->n, k = (size_t)c->d->n_symbols, sums = (size_t)r->sums;
    if (!th_grow(&c->round, &c->round_cap, c->rounds + 1, sizeof *c->round, err))
        return false;
    Round *to = &c->round[c->rounds++];
    *to = (Round){c->component[r->state[0]], r->n, r->labels, r->sums, NULL, NULL, NULL, NULL};
    to->state = th_copy(r->state, n, sizeof *to->state, err);
    to->label = th_copy(r->label, n * k, sizeof *to->label, err);
    to->weight = th_copy(r->weight, sums * (size_t)r->labels, sizeof *to->weight, err);
    to->value = th_copy(r->value, sums * n, sizeof *to->value, err);
    for (size_t i = 0; to->label && i < n * k; i++)
        to->label[i] = r->used[i % k] ? to->label[i] : -1;
    return to->state && to->label && to->weight && to->value;
}

/* ---- counts ---- */

/* The sum of a round is `is` in the end. */
static int compare(Counts *c, const ThAutomatonTerm *term, int n, int64_t is)
{
    enum { MOST = 10000 };
    ThAutomatonTerm *negative TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *negative, c->err);
    for (int i = 0; negative && i < n; i++)
        negative[i] = (ThAutomatonTerm){term[i].part, -term[i].by};
    if (negative && (is > MOST || is < -MOST)) {
        th_fail(c->err, TH_ELIMIT, "the sums of counts are too large");
        return -1;
    }
    int below = negative ? th_automaton_formula_counts(c->f, term, n, (int)is, c->err) : -1,
        above = negative ? th_automaton_formula_counts(c->f, negative, n, (int)-is, c->err) : -1;
    return th_automaton_formula_and(c->f, below, above, c->err);
}

/* There were `most` at most of one part. */
static int at_most(Counts *c, int part, int most)
{
    return th_automaton_formula_counts(c->f, &(ThAutomatonTerm){part, 1}, 1, most, c->err);
}

/* What is counted in a round: where each label is met. */
static bool find_labels(Counts *c, const Round *r, ThAutomatonTerm *label)
{
    for (int l = 0; l < r->labels; l++)
        label[l].part = th_automaton_formula_false(c->f, c->err);
    for (int i = 0; i < r->n; i++)
        for (int a = 0; a < c->d->n_symbols; a++) {
            int l = r->label[i * c->d->n_symbols + a];
            if (l >= 0)
                label[l].part =
                    th_automaton_formula_or(c->f, label[l].part, *at(c, r->state[i], a), c->err);
            if (l >= 0 && label[l].part < 0)
                return false;
        }
    return true;
}

/* Adds what one sum of a round tells to c->at; counts are those with this position's letter. */
static bool tell_apart(Counts *c, const Round *r, int sum, int entry, ThAutomatonTerm *label)
{
    enum { MOST = 1000 };
    const int64_t *weight = r->weight + (size_t)sum * (size_t)r->labels,
                  *value = r->value + (size_t)sum * (size_t)r->n;
    for (int l = 0; l < r->labels; l++) {
        if (weight[l] > MOST || weight[l] < -MOST)
            return th_fail(c->err, TH_ELIMIT, "the sums of counts have too large coefficients");
        label[l].by = (int)weight[l];
    }
    for (int i = 0; i < r->n; i++)
        for (int a = 0; a < c->d->n_symbols; a++) {
            int l = r->label[i * c->d->n_symbols + a], *part = at(c, r->state[i], a);
            int64_t is = value[i] - value[entry] + (l >= 0 ? weight[l] : 0);
            *part = th_automaton_formula_and(c->f, *part, compare(c, label, r->labels, is), c->err);
            if (*part < 0)
                return false;
        }
    return true;
}

static bool take_round(Counts *c, const Round *r, int start)
{
    int entry = 0;
    while (r->state[entry] != start)
        entry++;
    ThAutomatonTerm *label TH_OWNED(free) = th_alloc((size_t)r->labels + 1, sizeof *label, c->err);
    bool ok = label && find_labels(c, r, label);
    for (int sum = 0; ok && sum < r->sums; sum++)
        ok = tell_apart(c, r, sum, entry, label);
    return ok;
}

/* ---- components ---- */

/* The run is in the component that it entered in `start`, before this position, as far as it has
 * not left. */
static int inside(Counts *c, int start)
{
    ThAutomatonFormula *f = c->f;
    int enters = c->entered[start];
    if (start == c->d->start)
        return th_automaton_formula_truth(f, c->err);
    int never = at_most(c, enters, 0), not_now = th_automaton_formula_not(f, enters, c->err);
    return th_automaton_formula_and(f, th_automaton_formula_not(f, never, c->err), not_now, c->err);
}

/* The parts of c->at that lead to q, out of a component; q -1: to any state; or, `in` too, to an
 * accepting one. */
static int leads(Counts *c, int component, int q, bool accepting)
{
    int sum = th_automaton_formula_false(c->f, c->err);
    for (int p = 0; p < c->d->n_states; p++)
        for (int a = 0; c->component[p] == component && a < c->d->n_symbols; a++) {
            bool is = accepting ? c->d->label[next(c, p, a)] == 1
                                : !stays(c, p, a) && (q < 0 || next(c, p, a) == q);
            if (is)
                sum = th_automaton_formula_or(c->f, sum, *at(c, p, a), c->err);
        }
    return sum;
}

static bool take_entry(Counts *c, int start)
{
    ThAutomatonFormula *f = c->f;
    int component = c->component[start], in = inside(c, start);
    for (int q = 0; q < c->d->n_states; q++)
        for (int a = 0; c->component[q] == component && a < c->d->n_symbols; a++)
            *at(c, q, a) =
                th_automaton_formula_and(f, in, th_automaton_formula_is(f, a, c->err), c->err);
    for (size_t i = 0; i < c->rounds; i++)
        if (c->round[i].component == component && !take_round(c, &c->round[i], start))
            return false;
    int leaves = leads(c, component, -1, false), once = at_most(c, leaves, 1),
        first = th_automaton_formula_and(f, leaves, once, c->err),
        stayed = th_automaton_formula_or(f, first, at_most(c, leaves, 0), c->err),
        accepted = th_automaton_formula_and(f, leads(c, component, -1, true), stayed, c->err);
    c->accepts = th_automaton_formula_or(f, c->accepts, accepted, c->err);
    for (int q = 0; q < c->d->n_states && c->accepts >= 0; q++) {
        if (c->component[q] == component)
            continue;
        int comes = th_automaton_formula_and(f, leads(c, component, q, false), once, c->err);
        c->entered[q] = th_automaton_formula_or(f, c->entered[q], comes, c->err);
        if (c->entered[q] < 0)
            return false;
    }
    return c->accepts >= 0;
}

/* After the components that lead to it. */
static bool take_component(Counts *c, int component, ThStop *stop)
{
    const ThDfa *d = c->d;
    bool ok = true;
    if (c->done[component])
        return true;
    c->done[component] = true;
    for (int p = 0; ok && p < d->n_states; p++)
        for (int a = 0; ok && a < d->n_symbols; a++)
            if (c->component[next(c, p, a)] == component && c->component[p] != component)
                ok = take_component(c, c->component[p], stop);
    for (int q = 0; ok && q < d->n_states; q++) {
        bool comes = q == d->start;
        for (int i = 0; i < d->n_states * d->n_symbols; i++)
            comes = comes || (d->next[i] == q && c->component[i / d->n_symbols] != c->component[q]);
        if (c->component[q] == component && comes)
            ok = !th_stopped(stop, c->err) && take_entry(c, q);
    }
    return ok;
}

/* ---- the whole ---- */

static bool prepare(Counts *c, char *const *symbol)
{
    size_t n = (size_t)c->d->n_states, k = (size_t)c->d->n_symbols;
    c->component = th_alloc(n, sizeof *c->component, c->err);
    c->entered = th_alloc(n, sizeof *c->entered, c->err);
    c->done = th_alloc(n, sizeof *c->done, c->err);
    c->at = th_alloc(n * k + 1, sizeof *c->at, c->err);
    if (!c->component || !c->entered || !c->done || !c->at ||
        !th_automaton_formula_letters(c->f, symbol, c->d->n_symbols, c->err) ||
        th_automaton_components(c->d->next, c->d->n_states, c->d->n_symbols, c->component, c->err) <
            0)
        return false;
    c->accepts = th_automaton_formula_false(c->f, c->err);
    for (size_t q = 0; q < n; q++)
        c->entered[q] = c->accepts;
    return c->accepts >= 0;
}

static bool take_all(Counts *c, ThStop *stop)
{
    ThDfaCounting found;
    if (!th_dfa_counting_rounds(c->d, keep_round, c, &found, stop, c->err))
        return false;
    if (found.decided == 0)
        return th_fail(c->err, TH_EVALUE, "no counting tells states q%d and q%d apart", found.p,
                       found.q);
    if (found.decided < 0)
        return th_fail(c->err, TH_ELIMIT, "the sums of counts are too large");
    for (int q = 0; q < c->d->n_states; q++)
        if (!take_component(c, c->component[q], stop))
            return false;
    c->f->whole = c->accepts;
    return true;
}

bool th_automaton_formula_counting(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                                   ThStop *stop, ThError *err)
{
    Counts c = {.f = f, .d = d, .err = err};
    bool ok = prepare(&c, symbol) && take_all(&c, stop);
    for (size_t i = 0; i < c.rounds; i++)
        TH_FREE(c.round[i].state, c.round[i].label, c.round[i].weight, c.round[i].value);
    TH_FREE(c.round, c.component, c.entered, c.done, c.at);
    return ok;
}
