#include "language/program_formula.h"

#include "automata/logic/formula.h"
#include "rasp/graph/graph_impl.h"

/* Positions are told apart by how far they are from here, up to NEAR: class 0 is all before those,
 * class HERE this one, the last class all behind those. */
enum { NEAR = 4, HERE = NEAR + 1, CLASSES = 2 * NEAR + 3, MOST_CASES = 4096 };

/* A value where `when` is true: an atom, or a number, the sum of n terms and `by`. */
typedef struct {
    int when;
    ThRaspAtom atom;
    int first, n;
    int64_t by;
    int ways; /* that were put together as one case */
} Case;

/* Of rows where `when` is true: what is true of the positions of each class that they select. */
typedef struct {
    int when, key[CLASSES];
} Row;

typedef struct {
    Case *list;
    Row *row;
    size_t n, cap;
} Value;

static void value_free(Value *v)
{
    TH_FREE(v->list, v->row);
}
TH_RELEASES_VALUE(value_free, Value)

typedef struct {
    ThLanguageProgram *p;
    ThAutomatonFormula *f;
    ThRaspGraph *g;
    ThRaspAtoms *atoms;
    Value *value;          /* of all nodes up to the one asked about */
    ThAutomatonTerm *term; /* of cases */
    size_t terms, term_cap;
    ThRaspSop at;
    ThError *err;
} Work;

static bool refuse(Work *w, const char *what)
{
    return th_fail(w->err, TH_EVALUE, "%s", what);
}

static void note(ThRaspSop *which, ThRaspSop node)
{
    if (*which == TH_RASP_NO_SOP)
        *which = node;
}

/* ---- formulas ---- */

static int truth(Work *w)
{
    return th_automaton_formula_truth(w->f, w->err);
}

static int untrue(Work *w)
{
    return th_automaton_formula_false(w->f, w->err);
}

static int not_(Work *w, int x)
{
    return x < 0 ? x : th_automaton_formula_not(w->f, x, w->err);
}

static int and_(Work *w, int x, int y)
{
    return th_automaton_formula_and(w->f, x, y, w->err);
}

static int or_(Work *w, int x, int y)
{
    return x < 0 || y < 0 ? -1 : th_automaton_formula_or(w->f, x, y, w->err);
}

static int part(Work *w, ThAutomatonOperator is, int x, int y)
{
    return th_automaton_formula_part(w->f, (ThAutomatonPart){is, x, y, 0}, w->err);
}

/* What is true here if x is so d positions farther on. */
static int moved(Work *w, int x, int d)
{
    if (x == untrue(w))
        return x;
    for (; d < 0; d++)
        x = th_automaton_formula_previous(w->f, x, w->err);
    for (; d > 0; d--)
        x = part(w, TH_AUTOMATON_NEXT, x, 0);
    return x;
}

/* x S y, or x U y. */
static int until(Work *w, int x, int y, bool ahead)
{
    if (y == untrue(w) || x == untrue(w) || !ahead)
        return th_automaton_formula_since(w->f, x, y, w->err);
    return part(w, TH_AUTOMATON_UNTIL, x, y);
}

/* ---- cases ---- */

/* The i-th term of a sum. */
static ThAutomatonTerm term(const Work *w, const Case *c, int i)
{
    return w->term ? w->term[c->first + i] : (ThAutomatonTerm){0};
}

static bool same_case(const Work *w, const Case *a, const Case *b)
{
    for (int i = 0; a->n == b->n && i < a->n; i++)
        if (term(w, a, i).part != term(w, b, i).part || term(w, a, i).by != term(w, b, i).by)
            return false;
    if (a->n || b->n)
        return a->n == b->n && a->by == b->by;
    return a->atom.kind == b->atom.kind && th_rasp_atom_equal(w->atoms, a->atom, b->atom);
}

/* Adds a case, unless it is met nowhere. */
static bool add_case(Work *w, Value *v, Case c)
{
    if (c.when < 0)
        return false;
    if (c.when == untrue(w))
        return true;
    for (size_t i = 0; i < v->n; i++)
        if (same_case(w, &v->list[i], &c)) {
            v->list[i].ways++;
            return (v->list[i].when = or_(w, v->list[i].when, c.when)) >= 0;
        }
    if (v->n >= MOST_CASES)
        return th_fail(w->err, TH_ELIMIT, "a value has more than %d cases", MOST_CASES);
    if (!th_grow(&v->list, &v->cap, v->n + 1, sizeof *v->list, w->err))
        return false;
    v->list[v->n] = c;
    v->list[v->n++].ways = 1;
    return true;
}

static bool add_atom(Work *w, Value *v, int when, ThRaspAtom atom)
{
    return add_case(w, v, (Case){.when = when, .atom = atom});
}

static bool add_truth(Work *w, Value *v, int when, int is)
{
    return is >= 0 && add_atom(w, v, and_(w, when, is), th_rasp_bool(true)) &&
           add_atom(w, v, and_(w, when, not_(w, is)), th_rasp_bool(false));
}

/* An atom as a number without terms. */
static bool as_number(Work *w, Case *c)
{
    bool whole = c->atom.kind == TH_RASP_ATOM_INT || c->atom.kind == TH_RASP_ATOM_BOOL;
    if (!c->n && !whole)
        return refuse(w, "a count beside what is no int");
    c->by = c->n ? c->by : c->atom.cell.i;
    return true;
}

/* Adds a multiple of a term to the sum that is being made. */
static bool add_term(Work *w, Case *z, int of, int64_t by)
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
static bool add_sum(Work *w, Value *v, int when, Case x, int64_t a, Case y, int64_t b)
{
    enum { MOST = 1000000 };
    Case z = {.when = when, .first = (int)w->terms};
    if (!as_number(w, &x) || !as_number(w, &y))
        return false;
    for (int i = 0; i < x.n; i++)
        if (!add_term(w, &z, term(w, &x, i).part, a * term(w, &x, i).by))
            return false;
    for (int i = 0; i < y.n; i++)
        if (!add_term(w, &z, term(w, &y, i).part, b * term(w, &y, i).by))
            return false;
    if (x.by > MOST || x.by < -MOST || y.by > MOST || y.by < -MOST)
        return th_fail(w->err, TH_ELIMIT, "a sum of counts has too large numbers");
    z.by = x.by * a + y.by * b;
    z.atom = th_rasp_int(z.by);
    w->terms += (size_t)z.n;
    return add_case(w, v, z);
}

/* That a sum is 0 at most.  How many positions there are up to here is told by looking at them. */
static int at_most_0(Work *w, const Case *z)
{
    const ThAutomatonTerm *t = &w->term[z->first];
    bool place = z->n == 1 && t->part == truth(w);
    int64_t most = !place ? 0 : t->by > 0 ? -z->by : z->by - 1; /* |by| times the number is that */
    if (z->n == 0)
        return z->by <= 0 ? truth(w) : untrue(w);
    if (place) {
        int64_t by = t->by > 0 ? t->by : -(int64_t)t->by;
        int64_t number = most / by;
        int few = number > NEAR ? -2
                  : number < 1  ? untrue(w)
                                : not_(w, moved(w, truth(w), (int)-number));
        if (few >= -1)
            return t->by > 0 ? few : not_(w, few);
    }
    note(&w->p->counts, w->at);
    return th_automaton_formula_counts(w->f, t, z->n, (int)-z->by, w->err);
}

/* How x compares with y. */
static bool add_comparison(Work *w, Value *v, int when, ThRaspBinary op, const Case *x,
                           const Case *y)
{
    bool greater = op == TH_RASP_OP_GT || op == TH_RASP_OP_GE;
    bool strict = op == TH_RASP_OP_LT || op == TH_RASP_OP_GT;
    Value both TH_OWNED(value_free) = {0};
    if (!add_sum(w, &both, truth(w), *x, greater ? -1 : 1, *y, greater ? 1 : -1))
        return false;
    Case z = both.list[0];
    z.by += strict;
    int is = at_most_0(w, &z);
    if (is >= 0 && (op == TH_RASP_OP_EQ || op == TH_RASP_OP_NE)) {
        Value back TH_OWNED(value_free) = {0};
        if (!add_sum(w, &back, truth(w), z, -1, (Case){.atom = th_rasp_int(0)}, 0))
            return false;
        is = and_(w, is, at_most_0(w, &back.list[0]));
        is = op == TH_RASP_OP_NE ? not_(w, is) : is;
    }
    return add_truth(w, v, when, is);
}

/* ---- element by element ---- */

static const Value *argument(const Work *w, ThRaspSop node, size_t i)
{
    return &w->value[th_rasp_arg(w->g, node, i)];
}

static bool take_unary(Work *w, ThRaspSop node, Value *v)
{
    const Value *x = argument(w, node, 0);
    ThRaspUnary op = th_rasp_node(w->g, node)->op;
    for (size_t i = 0; i < x->n; i++) {
        Case c = x->list[i];
        ThRaspAtom z;
        if (c.n && (op == TH_RASP_OP_NOT || op == TH_RASP_OP_INDICATOR))
            return refuse(w, "a count as a truth value");
        bool ok =
            c.n ? add_sum(w, v, c.when, c, op == TH_RASP_OP_NEGATE ? -1 : 1,
                          (Case){.atom = th_rasp_int(0)}, 0)
                : th_rasp_atom_unary(w->atoms, op, c.atom, &z, w->err) && add_atom(w, v, c.when, z);
        if (!ok)
            return false;
    }
    return true;
}

static bool take_pair(Work *w, ThRaspBinary op, const Case *x, const Case *y, int when, Value *v)
{
    ThRaspAtom z;
    if (!x->n && !y->n)
        return th_rasp_atom_binary(w->atoms, op, x->atom, y->atom, &z, w->err) &&
               add_atom(w, v, when, z);
    if (op <= TH_RASP_OP_GE)
        return add_comparison(w, v, when, op, x, y);
    if (op == TH_RASP_OP_ADD || op == TH_RASP_OP_SUB)
        return add_sum(w, v, when, *x, 1, *y, op == TH_RASP_OP_ADD ? 1 : -1);
    bool constant = op == TH_RASP_OP_MUL && (!x->n || !y->n);
    const Case *by = x->n ? y : x;
    if (constant && by->atom.kind == TH_RASP_ATOM_INT && by->atom.cell.i == (int)by->atom.cell.i)
        return add_sum(w, v, when, x->n ? *x : *y, by->atom.cell.i, (Case){.atom = th_rasp_int(0)},
                       0);
    return refuse(w, op == TH_RASP_OP_MUL ? "a product of counts" : "arithmetic on counts");
}

static bool take_binary(Work *w, ThRaspSop node, Value *v)
{
    const Value *x = argument(w, node, 0), *y = argument(w, node, 1);
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; j < y->n; j++) {
            int when = and_(w, x->list[i].when, y->list[j].when);
            if (when < 0 || (when != untrue(w) && !take_pair(w, th_rasp_node(w->g, node)->op,
                                                             &x->list[i], &y->list[j], when, v)))
                return false;
        }
    return true;
}

static bool take_choice(Work *w, ThRaspSop node, Value *v)
{
    const Value *condition = argument(w, node, 0);
    for (size_t i = 0; i < condition->n; i++) {
        const Case *c = &condition->list[i];
        if (c->n)
            return refuse(w, "a count as a truth value");
        const Value *from = argument(w, node, th_rasp_atom_true(w->atoms, c->atom) ? 1 : 2);
        for (size_t j = 0; j < from->n; j++) {
            Case z = from->list[j];
            z.when = and_(w, c->when, z.when);
            if (!add_case(w, v, z))
                return false;
        }
    }
    return true;
}

/* What a list, a dictionary, a tuple or a function makes of atoms. */
static bool make_of(Work *w, ThRaspSop node, const ThRaspAtom *x, ThRaspAtom *z)
{
    const ThRaspNodeInfo *info = th_rasp_node(w->g, node);
    if (info->kind == TH_RASP_NODE_TUPLE)
        return th_rasp_atom_tuple(w->atoms, x, info->n_args, z, w->err);
    if (info->kind == TH_RASP_NODE_MAP) {
        const ThRaspFunctionOf *f = th_rasp_function(w->g, info->table);
        return f->call(f->context, w->atoms, x, info->n_args, z, w->err);
    }
    ThRaspTable t = th_rasp_table(w->g, info->table);
    bool member = info->kind == TH_RASP_NODE_MEMBER;
    size_t i = 0;
    if (t.key || member)
        while (i < t.n && !th_rasp_atom_equal(w->atoms, *x, t.key ? t.key[i] : t.value[i]))
            i++;
    else if (x->kind == TH_RASP_ATOM_INT)
        i = (size_t)(x->cell.i + (x->cell.i < 0 ? (int64_t)t.n : 0));
    else
        i = t.n;
    if (!member && i >= t.n)
        return refuse(w, "a value that a table does not have");
    *z = member ? th_rasp_bool(i < t.n) : t.value[i];
    return true;
}

static bool take_tuples(Work *w, ThRaspSop node, size_t k, int when, ThRaspAtom *x, Value *v)
{
    ThRaspAtom z;
    if (when < 0 || when == untrue(w))
        return when >= 0;
    if (k == th_rasp_node(w->g, node)->n_args)
        return make_of(w, node, x, &z) && add_atom(w, v, when, z);
    const Value *from = argument(w, node, k);
    for (size_t i = 0; i < from->n; i++) {
        if (from->list[i].n)
            return refuse(w, "a function of counts");
        x[k] = from->list[i].atom;
        if (!take_tuples(w, node, k + 1, and_(w, when, from->list[i].when), x, v))
            return false;
    }
    return true;
}

static bool take_tokens(Work *w, ThRaspSop node, Value *v)
{
    static const ThRaspAtomKind kind[] = {TH_RASP_ATOM_STRING, TH_RASP_ATOM_STRING,
                                          TH_RASP_ATOM_INT, TH_RASP_ATOM_FLOAT, TH_RASP_ATOM_BOOL};
    for (size_t a = 0; a < w->f->letters; a++) {
        ThRaspAtom s, z;
        const char *name = w->f->letter[a];
        if (!th_rasp_atom_string(w->atoms, name, strlen(name), &s, w->err) ||
            !th_rasp_atom_convert(w->atoms, s, kind[th_rasp_node(w->g, node)->op], &z, w->err) ||
            !add_atom(w, v, th_automaton_formula_is(w->f, (int)a, w->err), z))
            return false;
    }
    return true;
}

/* One less than how many positions there are up to here. */
static bool take_indices(Work *w, Value *v)
{
    if (!th_grow(&w->term, &w->term_cap, w->terms + 1, sizeof *w->term, w->err))
        return false;
    w->term[w->terms] = (ThAutomatonTerm){truth(w), 1};
    return add_case(w, v, (Case){.when = truth(w), .first = (int)w->terms++, .n = 1, .by = -1});
}

/* ---- selectors ---- */

static bool add_row(Work *w, Value *v, const Row *r)
{
    if (r->when < 0)
        return false;
    for (int c = 0; c < CLASSES; c++)
        if (r->key[c] < 0)
            return false;
    if (r->when == untrue(w))
        return true;
    for (size_t i = 0; i < v->n; i++)
        if (memcmp(v->row[i].key, r->key, sizeof r->key) == 0)
            return (v->row[i].when = or_(w, v->row[i].when, r->when)) >= 0;
    if (v->n >= MOST_CASES)
        return th_fail(w->err, TH_ELIMIT, "a selector has more than %d kinds of rows", MOST_CASES);
    if (!th_grow(&v->row, &v->cap, v->n + 1, sizeof *v->row, w->err))
        return false;
    v->row[v->n++] = *r;
    return true;
}

static bool is_place(Work *w, const Case *c)
{
    return c->n == 1 && term(w, c, 0).part == truth(w) && term(w, c, 0).by == 1;
}

/* Positions by how far they are: those with distance + key op query. */
static bool add_distances(Work *w, Value *v, ThRaspBinary op, int64_t key, int64_t query,
                          bool causal)
{
    Row r = {.when = truth(w)};
    int64_t at = query - key;
    if (at < -NEAR || at > NEAR)
        return refuse(w, "a position that is more than 4 away");
    for (int c = 0; c < CLASSES; c++) {
        ThRaspAtom z;
        if (!th_rasp_atom_binary(w->atoms, op, th_rasp_int(c - HERE), th_rasp_int(at), &z, w->err))
            return false;
        r.key[c] = z.cell.i && !(causal && c > HERE) ? truth(w) : untrue(w);
    }
    return add_row(w, v, &r);
}

/* Whether the key's case is selected by the query's, as what is true at the key's position. */
static int selects(Work *w, ThRaspSop node, const Case *key, const Case *query)
{
    const ThRaspNodeInfo *info = th_rasp_node(w->g, node);
    ThRaspAtom z;
    if (info->kind == TH_RASP_NODE_MATCH) {
        const ThRaspFunctionOf *f = th_rasp_function(w->g, info->table);
        if (key->n || query->n)
            return refuse(w, "a function of counts") - 1;
        if (!f->call(f->context, w->atoms, (ThRaspAtom[]){key->atom, query->atom}, 2, &z, w->err))
            return -1;
        return th_rasp_atom_true(w->atoms, z) ? truth(w) : untrue(w);
    }
    Value v TH_OWNED(value_free) = {0};
    if (query->n)
        return refuse(w, "a count that is compared with what other positions have") - 1;
    if (!take_pair(w, info->op, key, query, truth(w), &v))
        return -1;
    int is = untrue(w);
    for (size_t i = 0; i < v.n; i++)
        is = th_rasp_atom_true(w->atoms, v.list[i].atom) ? or_(w, is, v.list[i].when) : is;
    return is;
}

static bool take_select(Work *w, ThRaspSop node, Value *v)
{
    const Value *key = argument(w, node, 0), *query = argument(w, node, 1);
    const ThRaspNodeInfo *info = th_rasp_node(w->g, node);
    if (info->kind == TH_RASP_NODE_SELECT && key->n == 1 && query->n == 1 &&
        is_place(w, key->list) && is_place(w, query->list))
        return add_distances(w, v, info->op, key->list->by, query->list->by, info->causal);
    for (size_t i = 0; i < query->n; i++) {
        Row r = {.when = query->list[i].when};
        int is = untrue(w);
        for (size_t j = 0; j < key->n && is >= 0; j++) {
            int one = selects(w, node, &key->list[j], &query->list[i]);
            is = or_(w, is, one < 0 ? one : and_(w, key->list[j].when, one));
        }
        for (int c = 0; c < CLASSES; c++)
            r.key[c] = info->causal && c > HERE && is >= 0 ? untrue(w) : is;
        if (!add_row(w, v, &r))
            return false;
    }
    return true;
}

static bool combine(Work *w, ThRaspSop node, Value *v)
{
    const Value *x = argument(w, node, 0), *y = argument(w, node, 1);
    bool both = th_rasp_node(w->g, node)->kind == TH_RASP_NODE_BOTH;
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; j < y->n; j++) {
            Row r = {.when = and_(w, x->row[i].when, y->row[j].when)};
            for (int c = 0; c < CLASSES; c++)
                r.key[c] = (both ? and_ : or_)(w, x->row[i].key[c], y->row[j].key[c]);
            if (!add_row(w, v, &r))
                return false;
        }
    return true;
}

static bool invert(Work *w, ThRaspSop node, Value *v)
{
    const Value *x = argument(w, node, 0);
    bool causal = th_rasp_node(w->g, node)->causal;
    for (size_t i = 0; i < x->n; i++) {
        Row r = x->row[i];
        for (int c = 0; c < CLASSES; c++)
            r.key[c] = causal && c > HERE ? untrue(w) : not_(w, r.key[c]);
        if (!add_row(w, v, &r))
            return false;
    }
    return true;
}

/* ---- what is gathered ---- */

/* The positions of a row that are looked at together: one class, or all from one on outwards. */
typedef struct {
    int from; /* distance of the nearest */
    bool far; /* and all beyond */
    int key;
} Step;

/* The steps of a row from the right to the left; *n of them. */
static void find_steps(const Row *r, Step *step, int *n)
{
    int past = NEAR + 1, future = NEAR + 1;
    while (past > 1 && r->key[HERE - past + 1] == r->key[0])
        past--;
    while (future > 1 && r->key[HERE + future - 1] == r->key[CLASSES - 1])
        future--;
    *n = 0;
    for (int d = future; d >= -past; d--)
        step[(*n)++] = (Step){d, d == future || d == -past, r->key[HERE + d]};
}

/* Some position of a step that is selected has x. */
static int some(Work *w, const Step *s, int x)
{
    int is = and_(w, s->key, x);
    if (is >= 0 && s->far)
        is = until(w, truth(w), is, s->from > 0);
    return is < 0 ? is : moved(w, is, s->from);
}

/* The position of a step that is selected and stands rightmost, or leftmost, has x. */
static int end(Work *w, const Step *s, int x, bool rightmost)
{
    bool ahead = s->from > 0, nearest = s->far && rightmost != ahead;
    int is = and_(w, s->key, x);
    if (!s->far || s->key == untrue(w) || x == truth(w))
        return some(w, s, x);
    note(&w->p->picks, w->at);
    if (nearest)
        is = until(w, not_(w, s->key), is, ahead);
    else
        is =
            until(w, truth(w),
                  and_(w, is, not_(w, moved(w, until(w, truth(w), s->key, ahead), ahead ? 1 : -1))),
                  ahead);
    return is < 0 ? is : moved(w, is, s->from);
}

/* Notes what a row's steps look at. */
static void note_steps(Work *w, const Step *step, int n)
{
    for (int i = 0; i < n; i++)
        if (step[i].key != untrue(w)) {
            if (step[i].from > 0)
                note(&w->p->ahead, w->at);
            if (step[i].from && (!step[i].far || step[i].from < -1 || step[i].from > 1))
                note(&w->p->near, w->at);
        }
}

/* How a row's value is found: by the end of what is selected, or as the greatest or least. */
static bool take_row(Work *w, const Row *r, const Value *from, ThRaspReduction how, Value *v,
                     int *any)
{
    Step step[CLASSES];
    int n, none = truth(w);
    find_steps(r, step, &n);
    note_steps(w, step, n);
    *any = untrue(w);
    for (int i = 0; i < n; i++)
        *any = or_(w, *any, some(w, &step[i], truth(w)));
    bool extreme = how == TH_RASP_REDUCE_MAX || how == TH_RASP_REDUCE_MIN;
    for (int i = 0; i < n && !extreme; i++) {
        const Step *s = &step[how == TH_RASP_REDUCE_LEFTMOST ? n - 1 - i : i];
        for (size_t k = 0; k < from->n; k++) {
            int is = end(w, s, from->list[k].when, how != TH_RASP_REDUCE_LEFTMOST);
            if (!add_atom(w, v, and_(w, r->when, and_(w, none, is)), from->list[k].atom))
                return false;
        }
        none = and_(w, none, not_(w, some(w, s, truth(w))));
    }
    for (size_t k = 0; k < from->n && extreme; k++) {
        int is = untrue(w), better = is, order = 0;
        for (size_t l = 0; l < from->n; l++) {
            if (!th_rasp_atom_compare(w->atoms, from->list[l].atom, from->list[k].atom, &order,
                                      w->err))
                return false;
            bool above = how == TH_RASP_REDUCE_MAX ? order > 0 : order < 0;
            for (int i = 0; i < n && (l == k || above); i++) {
                int one = some(w, &step[i], from->list[l].when);
                *(l == k ? &is : &better) = or_(w, l == k ? is : better, one);
            }
        }
        ThRaspAtom z = from->list[k].atom;
        z.kind = z.kind == TH_RASP_ATOM_BOOL ? TH_RASP_ATOM_INT : z.kind;
        if (!add_atom(w, v, and_(w, r->when, and_(w, is, not_(w, better))), z))
            return false;
    }
    return *any >= 0;
}

/* Whether at most one position of a row is selected. */
static bool selects_one(Work *w, const Row *r)
{
    int classes = 0;
    for (int c = 0; c < CLASSES; c++)
        if (r->key[c] != untrue(w))
            classes += c == 0 || c == CLASSES - 1 ? 2 : 1;
    return classes <= 1;
}

static bool take_aggregate(Work *w, ThRaspSop node, Value *v)
{
    const ThRaspNodeInfo info = *th_rasp_node(w->g, node);
    const Value *rows = argument(w, node, 0);
    const Value *from = argument(w, node, 1);
    Value whole TH_OWNED(value_free) = {0};
    for (size_t k = 0; k < from->n; k++) {
        Case c = from->list[k];
        if (c.n)
            return refuse(w, "what another position has counted");
        if (info.op == TH_RASP_REDUCE_MEAN_INT && c.atom.kind == TH_RASP_ATOM_BOOL)
            c.atom.kind = TH_RASP_ATOM_INT;
        if (!add_case(w, &whole, c))
            return false;
    }
    for (size_t i = 0; i < rows->n; i++) {
        int any = -1;
        if (info.op <= TH_RASP_REDUCE_MEAN_INT && whole.n > 1 && !selects_one(w, &rows->row[i]))
            return refuse(w, "a mean of several values");
        if (!take_row(w, &rows->row[i], &whole, info.op, v, &any) ||
            !add_atom(w, v, and_(w, rows->row[i].when, not_(w, any)), info.atom))
            return false;
    }
    return true;
}

/* The count of a row: that of the key of all that is far, and what is different nearby. */
static bool count_row(Work *w, const Row *r, int c, int when, Case sum, Value *v)
{
    while (c <= HERE && r->key[c] == r->key[0])
        c++;
    if (when < 0 || when == untrue(w))
        return when >= 0;
    if (c > HERE) {
        sum.when = when;
        sum.atom = th_rasp_int(sum.by);
        return add_case(w, v, sum);
    }
    int is = moved(w, r->key[c], c - HERE), would = moved(w, r->key[0], c - HERE);
    int more = and_(w, is, not_(w, would)), less = and_(w, would, not_(w, is));
    Case up = sum, down = sum;
    up.by++;
    down.by--;
    if (c < HERE)
        note(&w->p->near, w->at);
    if (!count_row(w, r, c + 1, and_(w, when, more), up, v) ||
        !count_row(w, r, c + 1, and_(w, when, less), down, v))
        return false;
    int not_less = not_(w, less); /* not in the call below, in which it has no place in order */
    return count_row(w, r, c + 1, and_(w, when, and_(w, not_(w, more), not_less)), sum, v);
}

static bool take_width(Work *w, ThRaspSop node, Value *v)
{
    const Value *rows = argument(w, node, 0);
    for (size_t i = 0; i < rows->n; i++) {
        const Row *r = &rows->row[i];
        Case sum = {.first = (int)w->terms};
        for (int c = HERE + 1; c < CLASSES; c++)
            if (r->key[c] != untrue(w))
                return refuse(w, "a count of later positions");
        if (r->key[0] != untrue(w) && !add_term(w, &sum, r->key[0], 1))
            return false;
        w->terms += (size_t)sum.n;
        if (!count_row(w, r, 1, r->when, sum, v))
            return false;
    }
    return true;
}

/* ---- the program ---- */

static bool take(Work *w, ThRaspSop node)
{
    Value *v = &w->value[node];
    ThRaspAtom x[TH_RASP_MAP_ARGS] = {0};
    w->at = node;
    switch (th_rasp_node(w->g, node)->kind) {
    case TH_RASP_NODE_TOKENS:
        return take_tokens(w, node, v);
    case TH_RASP_NODE_INDICES:
        return take_indices(w, v);
    case TH_RASP_NODE_CONSTANT:
        return add_atom(w, v, truth(w), th_rasp_node(w->g, node)->atom);
    case TH_RASP_NODE_UNARY:
        return take_unary(w, node, v);
    case TH_RASP_NODE_BINARY:
        return take_binary(w, node, v);
    case TH_RASP_NODE_CHOICE:
        return take_choice(w, node, v);
    case TH_RASP_NODE_AGGREGATE:
        return take_aggregate(w, node, v);
    case TH_RASP_NODE_WIDTH:
        return take_width(w, node, v);
    case TH_RASP_NODE_SELECT:
    case TH_RASP_NODE_MATCH:
        return take_select(w, node, v);
    case TH_RASP_NODE_BOTH:
    case TH_RASP_NODE_EITHER:
        return combine(w, node, v);
    case TH_RASP_NODE_OTHER:
        return invert(w, node, v);
    default:
        return take_tuples(w, node, 0, truth(w), x, v);
    }
}

/* Of two cases the more complicated is where the other is not. */
static bool tidy(Work *w, Value *v)
{
    if (!v->list || v->n != 2)
        return true;
    int less = v->list[1].ways < v->list[0].ways;
    return (v->list[!less].when = not_(w, v->list[less].when)) >= 0;
}

/* Adds an atom that is a string to the letters. */
static bool mention(Work *w, ThRaspAtom a)
{
    size_t size = 0;
    if (a.kind != TH_RASP_ATOM_STRING)
        return true;
    const char *text = th_rasp_string_at(w->atoms, a, &size);
    return size == 0 || th_automaton_formula_letter(w->f, text, size, w->err) >= 0;
}

static bool find_letters(Work *w, const ThRaspSop *node, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const ThRaspNodeInfo *info = th_rasp_node(w->g, node[i]);
        bool table = info->kind == TH_RASP_NODE_MEMBER || info->kind == TH_RASP_NODE_LOOKUP;
        ThRaspTable t = table ? th_rasp_table(w->g, info->table) : (ThRaspTable){0};
        for (size_t k = 0; ok && k < t.n; k++)
            ok = mention(w, t.key ? t.key[k] : t.value[k]);
        ok = ok && (info->kind != TH_RASP_NODE_CONSTANT || mention(w, info->atom));
    }
    for (const char *a = "ab"; ok && *a && w->f->letters < 2; a++)
        ok = th_automaton_formula_letter(w->f, a, 1, w->err) >= 0;
    return ok;
}

/* What is true where the value is; -1 where it is no truth value. */
static int whole_of(Work *w, const Value *v)
{
    int whole = untrue(w);
    for (size_t i = 0; i < v->n; i++) {
        if (v->list[i].n || v->list[i].atom.kind != TH_RASP_ATOM_BOOL)
            return -1;
        if (v->list[i].atom.cell.i)
            whole = or_(w, whole, v->list[i].when);
    }
    return whole;
}

bool th_language_program(ThLanguageProgram *p, ThRaspGraph *g, ThRaspSop sop, char *const *letter,
                         int n, ThError *err)
{
    const ThRaspSop none = TH_RASP_NO_SOP;
    ThAutomatonFormula f = {0};
    *p = (ThLanguageProgram){NULL, NULL, 0, none, none, none, none, none};
    Work w = {.p = p, .f = &f, .g = g, .atoms = th_rasp_atoms(g), .err = err};
    size_t nodes = 0;
    ThRaspSop *node TH_OWNED(free) = th_rasp_ancestors(g, sop, &nodes, err);
    w.value = node ? th_alloc((size_t)sop + 1, sizeof *w.value, err) : NULL;
    bool ok = w.value && (letter ? th_automaton_formula_letters(&f, letter, n, err)
                                 : find_letters(&w, node, nodes));
    for (size_t i = 0; ok && i < nodes; i++)
        ok = take(&w, node[i]) && tidy(&w, &w.value[node[i]]);
    p->refused = ok ? TH_RASP_NO_SOP : w.at;
    f.whole = ok && !th_rasp_is_selector(g, sop) ? whole_of(&w, &w.value[sop]) : -1;
    if (f.whole >= 0)
        ok = (p->formula = th_automaton_formula_write(&f, false, false, err)) != NULL;
    p->letter = f.letter;
    p->letters = (int)f.letters;
    f.letters = 0;
    f.letter = NULL;
    for (size_t i = 0; w.value && i <= sop; i++)
        value_free(&w.value[i]);
    TH_FREE(w.value, w.term);
    th_automaton_formula_free(&f);
    return ok;
}

void th_language_program_free(ThLanguageProgram *p)
{
    for (int i = 0; i < p->letters; i++)
        free(p->letter[i]);
    TH_FREE(p->formula, p->letter);
    *p = (ThLanguageProgram){0};
}
