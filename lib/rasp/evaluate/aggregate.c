/* aggregate and selector_width, row by row. */
#include <math.h>

#include "rasp/evaluate/run_impl.h"
#include "rasp/values/column.h"

typedef struct {
    ThRaspRun *r;
    ThRaspNodeInfo node;
    ThRaspSop selector;
    const ThRaspSeq *v;       /* NULL for widths */
    bool narrow;              /* ints or bools */
    bool floats;              /* floats, perhaps with ints among them */
    const ThRaspRanks *ranks; /* of the values, for the greatest and the least */
    bool empty;               /* some row selects nothing */
} Work;

static bool is_extreme(const Work *w)
{
    return w->v && (w->node.op == TH_RASP_REDUCE_MAX || w->node.op == TH_RASP_REDUCE_MIN);
}

/* Takes the value at one end of what a row selects. */
static bool is_end(const Work *w)
{
    return w->v && w->node.op >= TH_RASP_REDUCE_RIGHTMOST;
}

static bool is_numeric(const ThRaspSeq *s)
{
    return s->kind != TH_RASP_ATOM_STRING && s->kind != TH_RASP_ATOM_TUPLE;
}

static bool prepare(Work *w, ThStop *stop, ThError *err)
{
    if (!w->v)
        return true;
    if (is_extreme(w)) {
        ThRaspSop values = th_rasp_run_arg(w->r, w->node.canonical, 1);
        return (w->ranks = th_rasp_run_ranks(w->r, values, TH_RASP_BY_ORDER, stop, err));
    }
    if (is_end(w))
        return true;
    w->narrow = w->v->kind == TH_RASP_ATOM_INT || w->v->kind == TH_RASP_ATOM_BOOL;
    w->floats = is_numeric(w->v) && !w->narrow;
    return true;
}

static bool cannot_average(const Work *w, int64_t count, ThError *err)
{
    th_fail(err, TH_EVALUE, "aggregate cannot average %s: a row selects %lld of them",
            th_rasp_atom_kind_plural(w->v->kind), (long long)count);
    if (w->v->kind == TH_RASP_ATOM_BOOL)
        return th_hint(err, "indicator(x) makes 1 and 0 of bools");
    return th_hint(err, "rows may select one at most, unless the values are numbers");
}

/* Truncates toward zero what the causal dialect averages. */
static bool truncated(ThRaspAtom a, ThRaspAtom *z, ThError *err)
{
    *z = a;
    if (a.kind == TH_RASP_ATOM_BOOL)
        z->kind = TH_RASP_ATOM_INT;
    if (a.kind != TH_RASP_ATOM_FLOAT)
        return true;
    if (!(fabs(a.cell.x) < 0x1p63))
        return th_fail(err, TH_ENUMERIC, "a mean of %g does not fit into 64 bits", a.cell.x);
    *z = th_rasp_int((int64_t)a.cell.x);
    return true;
}

/* The value of a row that selects `count` values, the last of them in column `last`.  The mean is
 * called for only if there are several numbers. */
static bool finish_row(Work *w, ThRaspTally t, ThRaspSum *sum, ThRaspAtom *z, ThError *err)
{
    bool whole = w->node.op == TH_RASP_REDUCE_MEAN_INT;
    if (!w->v) {
        *z = th_rasp_int(t.count);
        return true;
    }
    if (!t.count) {
        *z = w->node.atom;
        return w->empty = true;
    }
    if (t.count == 1) {
        *z = th_rasp_seq_at(w->v, t.last);
        return !whole || truncated(*z, z, err);
    }
    if (!is_numeric(w->v) || (w->v->kind == TH_RASP_ATOM_BOOL && !whole))
        return cannot_average(w, t.count, err);
    if (whole && w->narrow)
        *z = th_rasp_int((int64_t)(t.value / t.count));
    else
        *z = th_rasp_float(w->narrow ? th_rasp_wide_ratio(t.value, 0, (uint64_t)t.count)
                                     : th_rasp_sum_mean(sum, (uint64_t)t.count));
    return !whole || truncated(*z, z, err);
}

static bool put(const Work *w, ThRaspSeq *out, size_t i, ThRaspAtom z, ThError *err)
{
    ThError why = {0};
    if (th_rasp_column_put(out, i, z, &why))
        return true;
    th_fail(err, why.code, "%s", why.msg);
    if (w->empty && !w->node.has_default)
        return th_hint(
            err, "rows that select nothing get 0: give aggregate a default of the values' type");
    return why.hint[0] ? th_hint(err, "%s", why.hint) : false;
}

/* The value of a row whose best value has a score, or 0 for none. */
static ThRaspAtom best_of(Work *w, uint32_t best)
{
    if (!best) {
        w->empty = true;
        return w->node.atom;
    }
    ThRaspAtom z =
        w->ranks->value[w->node.op == TH_RASP_REDUCE_MAX ? best - 1 : w->ranks->m - best];
    if (z.kind == TH_RASP_ATOM_BOOL)
        z.kind = TH_RASP_ATOM_INT;
    return z;
}

/* Greater is better: the rank of the value in column j, or its rank from above. */
static uint32_t score_of(const ThRaspRanks *ranks, ThRaspReduction how, size_t j)
{
    uint32_t rank = ranks->rank[j];
    return how == TH_RASP_REDUCE_MAX ? rank : ranks->m - 1 - rank;
}

/* Adds the value in column j to what a row selects. */
static void add_value(const Work *w, size_t j, ThRaspTally *t, ThRaspSum *sum)
{
    ThRaspAtom a = th_rasp_seq_at(w->v, j);
    if (w->narrow)
        t->value += a.cell.i;
    else if (w->floats && a.kind == TH_RASP_ATOM_FLOAT)
        th_rasp_sum_add(sum, a.cell.x);
    else if (w->floats)
        th_rasp_sum_add_int(sum, a.cell.i);
}

/* One row from its bits. */
static bool aggregate_row(Work *w, const uint64_t *bits, size_t words, ThRaspAtom *z, ThError *err)
{
    ThRaspTally t = {0};
    ThRaspSum sum = {0};
    uint32_t best = 0, seen = 0;
    for (size_t k = 0; k < words; k++) {
        t.count += __builtin_popcountll(bits[k]);
        for (uint64_t left = w->v ? bits[k] : 0; left; left &= left - 1) {
            size_t j = 64 * k + (size_t)__builtin_ctzll(left);
            uint32_t score = w->ranks ? score_of(w->ranks, w->node.op, j) + 1 : 0;
            if (!seen++ || w->node.op != TH_RASP_REDUCE_LEFTMOST)
                t.last = j;
            best = score > best ? score : best;
            if (!w->ranks)
                add_value(w, j, &t, &sum);
        }
    }
    t.count = is_end(w) ? t.count > 0 : t.count;
    if (w->ranks) {
        *z = best_of(w, best);
        return true;
    }
    return finish_row(w, t, &sum, z, err);
}

static bool by_rows(Work *w, ThRaspSeq *out, ThStop *stop, ThError *err)
{
    ThRaspRows rows;
    if (!th_rasp_rows_open(&rows, w->r, w->selector, err))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < w->r->n; i++) {
        ThRaspAtom z = {0};
        ok = !th_stopped(stop, err) &&
             aggregate_row(w, th_rasp_rows_row(&rows, i), rows.words, &z, err) &&
             put(w, out, i, z, err);
    }
    th_rasp_rows_close(&rows);
    return ok;
}

bool th_rasp_run_aggregate(ThRaspRun *r, ThRaspSop canonical, ThRaspSeq *value, ThStop *stop,
                           ThError *err)
{
    Work w = {.r = r,
              .node = *th_rasp_node(r->g, canonical),
              .selector = th_rasp_run_arg(r, canonical, 0)};
    if (w.node.kind == TH_RASP_NODE_AGGREGATE)
        w.v = th_rasp_run_value_of(r, th_rasp_run_arg(r, canonical, 1));
    return th_rasp_column_new(value, r->n, false, err) && prepare(&w, stop, err) &&
           by_rows(&w, value, stop, err);
}
