/* Selectors by the kinds of their rows, and what is gathered by them. */

#include "language/program_impl.h"

typedef ThLanguageCase Case;
typedef ThLanguageSelection Row;
typedef ThLanguageValue Value;
typedef ThLanguageWork Work;

/* ---- selectors ---- */

static bool add_row(Work *w, Value *v, const Row *r)
{
    if (r->when < 0)
        return false;
    for (int c = 0; c < CLASSES; c++)
        if (r->key[c] < 0)
            return false;
    if (r->when == th_language_untrue(w))
        return true;
    for (size_t i = 0; i < v->n; i++)
        if (memcmp(v->row[i].key, r->key, sizeof r->key) == 0)
            return (v->row[i].when = th_language_or(w, v->row[i].when, r->when)) >= 0;
    if (v->n >= MOST_CASES)
        return th_fail(w->err, TH_ELIMIT, "a selector has more than %d kinds of rows", MOST_CASES);
    if (!th_grow(&v->row, &v->cap, v->n + 1, sizeof *v->row, w->err))
        return false;
    v->row[v->n++] = *r;
    return true;
}

static bool is_place(Work *w, const Case *c)
{
    return c->n == 1 && th_language_term(w, c, 0).part == th_language_truth(w) &&
           th_language_term(w, c, 0).by == 1;
}

/* Positions by how far they are: those with distance + key op query. */
static bool add_distances(Work *w, Value *v, ThRaspBinary op, int64_t key, int64_t query,
                          bool causal)
{
    Row r = {.when = th_language_truth(w)};
    int64_t at = query - key;
    if (at < -NEAR || at > NEAR)
        return th_language_refuse(w, "a position that is more than 4 away");
    for (int c = 0; c < CLASSES; c++) {
        ThRaspAtom z;
        if (!th_rasp_atom_binary(w->atoms, op, th_rasp_int(c - HERE), th_rasp_int(at), &z, w->err))
            return false;
        r.key[c] = z.cell.i && !(causal && c > HERE) ? th_language_truth(w) : th_language_untrue(w);
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
            return th_language_refuse(w, "a function of counts") - 1;
        if (!f->call(f->context, w->atoms, (ThRaspAtom[]){key->atom, query->atom}, 2, &z, w->err))
            return -1;
        return th_rasp_atom_true(w->atoms, z) ? th_language_truth(w) : th_language_untrue(w);
    }
    Value v TH_OWNED(th_language_value_free) = {0};
    if (query->n)
        return th_language_refuse(w, "a count that is compared with what other positions have") - 1;
    if (!th_language_take_pair(w, info->op, key, query, th_language_truth(w), &v))
        return -1;
    int is = th_language_untrue(w);
    for (size_t i = 0; i < v.n; i++)
        is = th_rasp_atom_true(w->atoms, v.list[i].atom) ? th_language_or(w, is, v.list[i].when)
                                                         : is;
    return is;
}

bool th_language_take_select(Work *w, ThRaspSop node, Value *v)
{
    const Value *key = th_language_argument(w, node, 0), *query = th_language_argument(w, node, 1);
    const ThRaspNodeInfo *info = th_rasp_node(w->g, node);
    if (info->kind == TH_RASP_NODE_SELECT && key->n == 1 && query->n == 1 &&
        is_place(w, key->list) && is_place(w, query->list))
        return add_distances(w, v, info->op, key->list->by, query->list->by, info->causal);
    for (size_t i = 0; i < query->n; i++) {
        Row r = {.when = query->list[i].when};
        int is = th_language_untrue(w);
        for (size_t j = 0; j < key->n && is >= 0; j++) {
            int one = selects(w, node, &key->list[j], &query->list[i]);
            is = th_language_or(w, is, one < 0 ? one : th_language_and(w, key->list[j].when, one));
        }
        for (int c = 0; c < CLASSES; c++)
            r.key[c] = info->causal && c > HERE && is >= 0 ? th_language_untrue(w) : is;
        if (!add_row(w, v, &r))
            return false;
    }
    return true;
}

bool th_language_take_both(Work *w, ThRaspSop node, Value *v)
{
    const Value *x = th_language_argument(w, node, 0), *y = th_language_argument(w, node, 1);
    bool both = th_rasp_node(w->g, node)->kind == TH_RASP_NODE_BOTH;
    for (size_t i = 0; i < x->n; i++)
        for (size_t j = 0; j < y->n; j++) {
            Row r = {.when = th_language_and(w, x->row[i].when, y->row[j].when)};
            for (int c = 0; c < CLASSES; c++)
                r.key[c] = (both ? th_language_and : th_language_or)(w, x->row[i].key[c],
                                                                     y->row[j].key[c]);
            if (!add_row(w, v, &r))
                return false;
        }
    return true;
}

bool th_language_take_other(Work *w, ThRaspSop node, Value *v)
{
    const Value *x = th_language_argument(w, node, 0);
    bool causal = th_rasp_node(w->g, node)->causal;
    for (size_t i = 0; i < x->n; i++) {
        Row r = x->row[i];
        for (int c = 0; c < CLASSES; c++)
            r.key[c] = causal && c > HERE ? th_language_untrue(w) : th_language_not(w, r.key[c]);
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
    int is = th_language_and(w, s->key, x);
    if (is >= 0 && s->far)
        is = th_language_until(w, th_language_truth(w), is, s->from > 0);
    return is < 0 ? is : th_language_moved(w, is, s->from);
}

/* The position of a step that is selected and stands rightmost, or leftmost, has x. */
static int end(Work *w, const Step *s, int x, bool rightmost)
{
    bool ahead = s->from > 0, nearest = s->far && rightmost != ahead;
    int is = th_language_and(w, s->key, x);
    if (!s->far || s->key == th_language_untrue(w) || x == th_language_truth(w))
        return some(w, s, x);
    th_language_note(&w->p->picks, w->at);
    if (nearest)
        is = th_language_until(w, th_language_not(w, s->key), is, ahead);
    else
        is = th_language_until(
            w, th_language_truth(w),
            th_language_and(
                w, is,
                th_language_not(w, th_language_moved(
                                       w, th_language_until(w, th_language_truth(w), s->key, ahead),
                                       ahead ? 1 : -1))),
            ahead);
    return is < 0 ? is : th_language_moved(w, is, s->from);
}

/* Notes what a row's steps look at. */
static void note_steps(Work *w, const Step *step, int n)
{
    for (int i = 0; i < n; i++)
        if (step[i].key != th_language_untrue(w)) {
            if (step[i].from > 0)
                th_language_note(&w->p->ahead, w->at);
            if (step[i].from && (!step[i].far || step[i].from < -1 || step[i].from > 1))
                th_language_note(&w->p->near, w->at);
        }
}

/* How a row's value is found: by the end of what is selected, or as the greatest or least. */
static bool take_row(Work *w, const Row *r, const Value *from, ThRaspReduction how, Value *v,
                     int *any)
{
    Step step[CLASSES];
    int n, none = th_language_truth(w);
    find_steps(r, step, &n);
    note_steps(w, step, n);
    *any = th_language_untrue(w);
    for (int i = 0; i < n; i++)
        *any = th_language_or(w, *any, some(w, &step[i], th_language_truth(w)));
    bool extreme = how == TH_RASP_REDUCE_MAX || how == TH_RASP_REDUCE_MIN;
    for (int i = 0; i < n && !extreme; i++) {
        const Step *s = &step[how == TH_RASP_REDUCE_LEFTMOST ? n - 1 - i : i];
        for (size_t k = 0; k < from->n; k++) {
            int is = end(w, s, from->list[k].when, how != TH_RASP_REDUCE_LEFTMOST);
            if (!th_language_add_atom(w, v,
                                      th_language_and(w, r->when, th_language_and(w, none, is)),
                                      from->list[k].atom))
                return false;
        }
        none = th_language_and(w, none, th_language_not(w, some(w, s, th_language_truth(w))));
    }
    for (size_t k = 0; k < from->n && extreme; k++) {
        int is = th_language_untrue(w), better = is, order = 0;
        for (size_t l = 0; l < from->n; l++) {
            if (!th_rasp_atom_compare(w->atoms, from->list[l].atom, from->list[k].atom, &order,
                                      w->err))
                return false;
            bool above = how == TH_RASP_REDUCE_MAX ? order > 0 : order < 0;
            for (int i = 0; i < n && (l == k || above); i++) {
                int one = some(w, &step[i], from->list[l].when);
                *(l == k ? &is : &better) = th_language_or(w, l == k ? is : better, one);
            }
        }
        ThRaspAtom z = from->list[k].atom;
        z.kind = z.kind == TH_RASP_ATOM_BOOL ? TH_RASP_ATOM_INT : z.kind;
        if (!th_language_add_atom(
                w, v,
                th_language_and(w, r->when, th_language_and(w, is, th_language_not(w, better))), z))
            return false;
    }
    return *any >= 0;
}

/* Whether at most one position of a row is selected. */
static bool selects_one(Work *w, const Row *r)
{
    int classes = 0;
    for (int c = 0; c < CLASSES; c++)
        if (r->key[c] != th_language_untrue(w))
            classes += c == 0 || c == CLASSES - 1 ? 2 : 1;
    return classes <= 1;
}

bool th_language_take_aggregate(Work *w, ThRaspSop node, Value *v)
{
    const ThRaspNodeInfo info = *th_rasp_node(w->g, node);
    const Value *rows = th_language_argument(w, node, 0);
    const Value *from = th_language_argument(w, node, 1);
    Value whole TH_OWNED(th_language_value_free) = {0};
    for (size_t k = 0; k < from->n; k++) {
        Case c = from->list[k];
        if (c.n)
            return th_language_refuse(w, "what another position has counted");
        if (info.op == TH_RASP_REDUCE_MEAN_INT && c.atom.kind == TH_RASP_ATOM_BOOL)
            c.atom.kind = TH_RASP_ATOM_INT;
        if (!th_language_add_case(w, &whole, c))
            return false;
    }
    for (size_t i = 0; i < rows->n; i++) {
        int any = -1;
        if (info.op <= TH_RASP_REDUCE_MEAN_INT && whole.n > 1 && !selects_one(w, &rows->row[i]))
            return th_language_refuse(w, "a mean of several values");
        if (!take_row(w, &rows->row[i], &whole, info.op, v, &any) ||
            !th_language_add_atom(
                w, v, th_language_and(w, rows->row[i].when, th_language_not(w, any)), info.atom))
            return false;
    }
    return true;
}

/* The count of a row: that of the key of all that is far, and what is different nearby. */
static bool count_row(Work *w, const Row *r, int c, int when, Case sum, Value *v)
{
    while (c <= HERE && r->key[c] == r->key[0])
        c++;
    if (when < 0 || when == th_language_untrue(w))
        return when >= 0;
    if (c > HERE) {
        sum.when = when;
        sum.atom = th_rasp_int(sum.by);
        return th_language_add_case(w, v, sum);
    }
    int is = th_language_moved(w, r->key[c], c - HERE),
        would = th_language_moved(w, r->key[0], c - HERE);
    int more = th_language_and(w, is, th_language_not(w, would)),
        less = th_language_and(w, would, th_language_not(w, is));
    Case up = sum, down = sum;
    up.by++;
    down.by--;
    if (c < HERE)
        th_language_note(&w->p->near, w->at);
    if (!count_row(w, r, c + 1, th_language_and(w, when, more), up, v) ||
        !count_row(w, r, c + 1, th_language_and(w, when, less), down, v))
        return false;
    int not_less =
        th_language_not(w, less); /* not in the call below, in which it has no place in order */
    return count_row(
        w, r, c + 1,
        th_language_and(w, when, th_language_and(w, th_language_not(w, more), not_less)), sum, v);
}

bool th_language_take_width(Work *w, ThRaspSop node, Value *v)
{
    const Value *rows = th_language_argument(w, node, 0);
    for (size_t i = 0; i < rows->n; i++) {
        const Row *r = &rows->row[i];
        Case sum = {.first = (int)w->terms};
        for (int c = HERE + 1; c < CLASSES; c++)
            if (r->key[c] != th_language_untrue(w))
                return th_language_refuse(w, "a count of later positions");
        if (r->key[0] != th_language_untrue(w) && !th_language_add_term(w, &sum, r->key[0], 1))
            return false;
        w->terms += (size_t)sum.n;
        if (!count_row(w, r, 1, r->when, sum, v))
            return false;
    }
    return true;
}
