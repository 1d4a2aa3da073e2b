/* Answering all rows of a plan: columns come in their order, rows are asked in between.  Where a
 * row selects one code, codes are buckets; where it selects an interval of them, and everything is
 * there from the start, prefix sums; else a Fenwick tree (1994), or for the greatest value a
 * complete binary tree. */
#include <stdlib.h>
#include <string.h>

#include "rasp/evaluate/run_impl.h"

enum { POLL = 1 << 16 };

static bool no_memory(size_t n, ThError *err)
{
    return th_fail(err, TH_ENOMEM, "out of memory (%zu elements)", n);
}

static ThRaspTally of_column(ThRaspAddends v, size_t j)
{
    ThRaspTally t = {1, (int64_t)j, 0};
    size_t at = v.constant ? 0 : j;
    if (v.narrow)
        t.value = v.narrow[at].i;
    else if (v.wide)
        t.value = v.wide[at];
    return t;
}

static void add(ThRaspTally *t, ThRaspTally x, int factor)
{
    t->count += factor * x.count;
    t->where += factor * x.where;
    t->value += factor * x.value;
}

static void fenwick_add(ThRaspTally *tree, size_t n, size_t at, ThRaspTally x)
{
    for (size_t k = at + 1; k <= n; k += k & -k)
        add(&tree[k], x, 1);
}

/* The sum of the first n. */
static ThRaspTally fenwick_sum(const ThRaspTally *tree, size_t n)
{
    ThRaspTally t = {0};
    for (size_t k = n; k; k -= k & -k)
        add(&t, tree[k], 1);
    return t;
}

static ThRaspTally *tallies(ThArena *arena, size_t n, ThError *err)
{
    ThRaspTally *t = th_arena_take(arena, n, sizeof *t);
    if (t)
        memset(t, 0, n * sizeof *t);
    else
        no_memory(n, err);
    return t;
}

static void tally_candidates(const ThRaspPlan *plan, ThRaspAddends v, int sign, ThRaspTally *tally)
{
    for (size_t i = 0; i < plan->n; i++)
        if (plan->candidate[i] != UINT32_MAX)
            add(&tally[i], of_column(v, plan->candidate[i]), sign);
}

/* Everything is there before the first row is asked, and rows select intervals. */
static bool tally_prefixes(const ThRaspPlan *plan, ThRaspAddends v, int sign, ThRaspTally *tally,
                           ThArena *arena, ThError *err)
{
    ThRaspTally *upto = tallies(arena, (size_t)plan->n_codes + 1, err);
    if (!upto)
        return false;
    for (size_t j = 0; j < plan->n; j++)
        add(&upto[plan->code[j] + 1], of_column(v, j), 1);
    for (size_t k = 0; k < plan->n_codes; k++)
        add(&upto[k + 1], upto[k], 1);
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->hi[i] <= plan->lo[i])
            continue;
        add(&tally[i], upto[plan->hi[i]], sign);
        add(&tally[i], upto[plan->lo[i]], -sign);
    }
    return true;
}

bool th_rasp_plan_tally(const ThRaspPlanning *how, const ThRaspPlan *plan, ThRaspAddends v,
                        int sign, ThRaspTally *tally, ThError *err)
{
    ThArena *arena = how->arena;
    if (plan->candidate) {
        tally_candidates(plan, v, sign, tally);
        return true;
    }
    if (!plan->until && !plan->points)
        return tally_prefixes(plan, v, sign, tally, arena, err);
    size_t n_codes = plan->n_codes, there = 0;
    ThRaspTally *sum = tallies(arena, n_codes + 1, err);
    if (!sum)
        return false;
    for (size_t e = 0; e < plan->n_events; e++) {
        size_t i = plan->row ? plan->row[e] : e, until = plan->until ? plan->until[e] : plan->n;
        uint32_t lo = plan->lo[i], hi = plan->hi[i];
        int factor = plan->sign ? sign * plan->sign[e] : sign;
        if (e % POLL == 0 && th_stopped(how->stop, err))
            return false;
        for (; there < until; there++) {
            size_t j = plan->order ? plan->order[there] : there;
            if (plan->points)
                add(&sum[plan->code[j]], of_column(v, j), 1);
            else
                fenwick_add(sum, n_codes, plan->code[j], of_column(v, j));
        }
        if (hi <= lo)
            continue;
        if (plan->points) {
            add(&tally[i], sum[lo], factor);
        } else {
            add(&tally[i], fenwick_sum(sum, hi), factor);
            add(&tally[i], fenwick_sum(sum, lo), -factor);
        }
    }
    return true;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The greatest of the leaves lo … hi-1 of a tree whose n leaves begin at n. */
static uint32_t greatest_in(const uint32_t *tree, size_t n, size_t lo, size_t hi)
{
    uint32_t best = 0;
    for (lo += n, hi += n; lo < hi; lo /= 2, hi /= 2) {
        if (lo & 1)
            best = greater(best, tree[lo++]);
        if (hi & 1)
            best = greater(best, tree[--hi]);
    }
    return best;
}

static void raise_leaf(uint32_t *tree, size_t n, size_t at, uint32_t x)
{
    for (size_t k = at + n; k && tree[k] < x; k /= 2)
        tree[k] = x;
}

bool th_rasp_plan_greatest(const ThRaspPlan *plan, const uint32_t *score, uint32_t *best,
                           ThArena *arena, ThStop *stop, ThError *err)
{
    for (size_t i = 0; plan->candidate && i < plan->n; i++)
        if (plan->candidate[i] != UINT32_MAX)
            best[i] = greater(best[i], score[plan->candidate[i]] + 1);
    if (plan->candidate)
        return true;
    size_t n_codes = plan->n_codes, there = 0, room = plan->points ? n_codes : 2 * n_codes;
    uint32_t *top = th_arena_take(arena, room, sizeof *top);
    if (!top)
        return no_memory(room, err);
    memset(top, 0, room * sizeof *top);
    for (size_t e = 0; e < plan->n_events; e++) {
        size_t i = plan->row ? plan->row[e] : e, until = plan->until ? plan->until[e] : plan->n;
        uint32_t lo = plan->lo[i], hi = plan->hi[i];
        if (e % POLL == 0 && th_stopped(stop, err))
            return false;
        for (; there < until; there++) {
            size_t j = plan->order ? plan->order[there] : there;
            if (plan->points)
                top[plan->code[j]] = greater(top[plan->code[j]], score[j] + 1);
            else
                raise_leaf(top, n_codes, plan->code[j], score[j] + 1);
        }
        if (hi > lo)
            best[i] = greater(best[i], plan->points ? top[lo] : greatest_in(top, n_codes, lo, hi));
    }
    return true;
}
