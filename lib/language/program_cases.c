/* Cases of values, and what is made of two of them. */

#include <assert.h>

#include "language/program_impl.h"

typedef ThLanguageCase Case;
typedef ThLanguageValue Value;
typedef ThLanguageWork Work;

void th_language_value_free(Value *v)
{
    TH_FREE(v->list, v->row);
}

const Value *th_language_argument(const Work *w, ThRaspSop node, size_t i)
{
    return &w->value[th_rasp_arg(w->g, node, i)];
}

bool th_language_refuse(Work *w, const char *what)
{
    return th_fail(w->err, TH_EVALUE, "%s", what);
}

void th_language_note(ThRaspSop *which, ThRaspSop node)
{
    if (*which == TH_RASP_NO_SOP)
        *which = node;
}

/* ---- formulas ---- */

int th_language_truth(Work *w)
{
    return th_automaton_formula_truth(w->f, w->err);
}

int th_language_untrue(Work *w)
{
    return th_automaton_formula_false(w->f, w->err);
}

int th_language_not(Work *w, int x)
{
    return x < 0 ? x : th_automaton_formula_not(w->f, x, w->err);
}

int th_language_and(Work *w, int x, int y)
{
    return th_automaton_formula_and(w->f, x, y, w->err);
}

int th_language_or(Work *w, int x, int y)
{
    return x < 0 || y < 0 ? -1 : th_automaton_formula_or(w->f, x, y, w->err);
}

static int part(Work *w, ThAutomatonOperator is, int x, int y)
{
    return th_automaton_formula_part(w->f, (ThAutomatonPart){is, x, y, 0}, w->err);
}

/* What is true here if x is so d positions farther on. */
int th_language_moved(Work *w, int x, int d)
{
    if (x == th_language_untrue(w))
        return x;
    for (; d < 0; d++)
        x = th_automaton_formula_previous(w->f, x, w->err);
    for (; d > 0; d--)
        x = part(w, TH_AUTOMATON_NEXT, x, 0);
    return x;
}

/* x S y, or x U y. */
int th_language_until(Work *w, int x, int y, bool ahead)
{
    if (y == th_language_untrue(w) || x == th_language_untrue(w) || !ahead)
        return th_automaton_formula_since(w->f, x, y, w->err);
    return part(w, TH_AUTOMATON_UNTIL, x, y);
}

/* ---- cases ---- */

/* The i-th term of a sum. */
ThAutomatonTerm th_language_term(const Work *w, const Case *c, int i)
{
    return w->term ? w->term[c->first + i] : (ThAutomatonTerm){0};
}

static bool same_case(const Work *w, const Case *a, const Case *b)
{
    for (int i = 0; a->n == b->n && i < a->n; i++)
        if (th_language_term(w, a, i).part != th_language_term(w, b, i).part ||
            th_language_term(w, a, i).by != th_language_term(w, b, i).by)
            return false;
    if (a->n || b->n)
        return a->n == b->n && a->by == b->by;
    return a->atom.kind == b->atom.kind && th_rasp_atom_equal(w->atoms, a->atom, b->atom);
}

/* Adds a case, unless it is met nowhere. */
bool th_language_add_case(Work *w, Value *v, Case c)
{
    if (c.when < 0)
        return false;
    if (c.when == th_language_untrue(w))
        return true;
    for (size_t i = 0; i < v->n; i++)
        if (same_case(w, &v->list[i], &c)) {
            v->list[i].ways++;
            return (v->list[i].when = th_language_or(w, v->list[i].when, c.when)) >= 0;
        }
    if (v->n >= MOST_CASES)
        return th_fail(w->err, TH_ELIMIT, "a value has more than %d cases", MOST_CASES);
    if (!th_grow(&v->list, &v->cap, v->n + 1, sizeof *v->list, w->err))
        return false;
    v->list[v->n] = c;
    v->list[v->n++].ways = 1;
    return true;
}

bool th_language_add_atom(Work *w, Value *v, int when, ThRaspAtom atom)
{
    return th_language_add_case(w, v, (Case){.when = when, .atom = atom});
}

static bool add_truth(Work *w, Value *v, int when, int is)
{
    return is >= 0 &&
           th_language_add_atom(w, v, th_language_and(w, when, is), th_rasp_bool(true)) &&
           th_language_add_atom(w, v, th_language_and(w, when, th_language_not(w, is)),
                                th_rasp_bool(false));
}

/* An atom as a number without terms. */
static bool as_number(Work *w, Case *c)
{
    bool whole = c->atom.kind == TH_RASP_ATOM_INT || c->atom.kind == TH_RASP_ATOM_BOOL;
    if (!c->n && !whole)
        return th_language_refuse(w, "a count beside what is no int");
    c->by = c->n ? c->by : c->atom.cell.i;
    return true;
}

/* Adds a multiple of a term to the sum that is being made. */
bool th_language_add_term(Work *w, Case *z, int of, int64_t by)
{
    enum { MOST = 100000 };
    int j = z->first;
    while (j < z->first + z->n && w->term[j].part != of)
        j++;
    bool new = j == z->first + z->n;
    if (new && !th_grow(&w->term, &w->term_cap, (size_t)j + 1, sizeof *w->term, w->err))
        return false;
    by += new ? 0 : w->term[j].by;
    if (by > MOST || by < -MOST)
        return th_fail(w->err, TH_ELIMIT, "a sum of counts has too large numbers");
    w->term[j] = (ThAutomatonTerm){of, (int)by};
    z->n += new;
    if (by == 0)
        w->term[j] = w->term[z->first + --z->n];
    return true;
}

/* The case of a x + b y; where no term is left it is an atom. */
bool th_language_add_sum(Work *w, Value *v, int when, Case x, int64_t a, Case y, int64_t b)
{
    enum { MOST = 1000000 };
    Case z = {.when = when, .first = (int)w->terms};
    if (!as_number(w, &x) || !as_number(w, &y))
        return false;
    for (int i = 0; i < x.n; i++)
        if (!th_language_add_term(w, &z, th_language_term(w, &x, i).part,
                                  a * th_language_term(w, &x, i).by))
            return false;
    for (int i = 0; i < y.n; i++)
        if (!th_language_add_term(w, &z, th_language_term(w, &y, i).part,
                                  b * th_language_term(w, &y, i).by))
            return false;
    if (x.by > MOST || x.by < -MOST || y.by > MOST || y.by < -MOST)
        return th_fail(w->err, TH_ELIMIT, "a sum of counts has too large numbers");
    z.by = x.by * a + y.by * b;
    z.atom = th_rasp_int(z.by);
    w->terms += (size_t)z.n;
    return th_language_add_case(w, v, z);
}

/* That a sum is 0 at most.  How many positions there are up to here is told by looking at them. */
static int at_most_0(Work *w, const Case *z)
{
    const ThAutomatonTerm *t = &w->term[z->first];
    bool place = z->n == 1 && t->part == th_language_truth(w);
    int64_t most = !place ? 0 : t->by > 0 ? -z->by : z->by - 1; /* |by| times the number is that */
    if (z->n == 0)
        return z->by <= 0 ? th_language_truth(w) : th_language_untrue(w);
    if (place) {
        int64_t by = t->by > 0 ? t->by : -(int64_t)t->by;
        int64_t number = most / by;
        int few =
            number > NEAR ? -2
            : number < 1
                ? th_language_untrue(w)
                : th_language_not(w, th_language_moved(w, th_language_truth(w), (int)-number));
        if (few >= -1)
            return t->by > 0 ? few : th_language_not(w, few);
    }
    th_language_note(&w->p->counts, w->at);
    return th_automaton_formula_counts(w->f, t, z->n, (int)-z->by, w->err);
}

/* How x compares with y. */
static bool add_comparison(Work *w, Value *v, int when, ThRaspBinary op, const Case *x,
                           const Case *y)
{
    bool greater = op == TH_RASP_OP_GT || op == TH_RASP_OP_GE;
    bool strict = op == TH_RASP_OP_LT || op == TH_RASP_OP_GT;
    Value both TH_OWNED(th_language_value_free) = {0};
    if (!th_language_add_sum(w, &both, th_language_truth(w), *x, greater ? -1 : 1, *y,
                             greater ? 1 : -1))
        return false;
    assert(both.list && "a sum where what is true is true is a case");
    Case z = both.list[0];
    z.by += strict;
    int is = at_most_0(w, &z);
    if (is >= 0 && (op == TH_RASP_OP_EQ || op == TH_RASP_OP_NE)) {
        Value back TH_OWNED(th_language_value_free) = {0};
        if (!th_language_add_sum(w, &back, th_language_truth(w), z, -1,
                                 (Case){.atom = th_rasp_int(0)}, 0))
            return false;
        assert(back.list && "and so is its opposite");
        is = th_language_and(w, is, at_most_0(w, &back.list[0]));
        is = op == TH_RASP_OP_NE ? th_language_not(w, is) : is;
    }
    return add_truth(w, v, when, is);
}

bool th_language_take_pair(Work *w, ThRaspBinary op, const Case *x, const Case *y, int when,
                           Value *v)
{
    ThRaspAtom z;
    if (!x->n && !y->n)
        return th_rasp_atom_binary(w->atoms, op, x->atom, y->atom, &z, w->err) &&
               th_language_add_atom(w, v, when, z);
    if (op <= TH_RASP_OP_GE)
        return add_comparison(w, v, when, op, x, y);
    if (op == TH_RASP_OP_ADD || op == TH_RASP_OP_SUB)
        return th_language_add_sum(w, v, when, *x, 1, *y, op == TH_RASP_OP_ADD ? 1 : -1);
    bool constant = op == TH_RASP_OP_MUL && (!x->n || !y->n);
    const Case *by = x->n ? y : x;
    if (constant && by->atom.kind == TH_RASP_ATOM_INT && by->atom.cell.i == (int)by->atom.cell.i)
        return th_language_add_sum(w, v, when, x->n ? *x : *y, by->atom.cell.i,
                                   (Case){.atom = th_rasp_int(0)}, 0);
    return th_language_refuse(w, op == TH_RASP_OP_MUL ? "a product of counts"
                                                      : "arithmetic on counts");
}
