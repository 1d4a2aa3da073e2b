/* How the rows of one product of selects are answered together.
 *
 * Every select asks for an interval of the ranks of its keys.  Intervals over the same keys are
 * intersected.  Where all are single ranks (as those of ==), keys fall into groups, and groups of
 * several selects into groups of pairs.  What is left is an interval in no, one or two dimensions
 * besides the group; j ≤ i of causal selection is one, too, and so is one over ascending keys.  One
 * dimension becomes the place of a key in a row of codes (with its group: one after the other), the
 * other the time at which a key comes: a row is asked when the keys below its bound are there, and
 * if it has a lower bound, a second time, to be subtracted.
 */
#include <stdlib.h>
#include <string.h>

#include "rasp/evaluate/run_impl.h"

enum { SLACK = 64 };
#define NOWHERE UINT32_MAX

typedef struct {
    const ThRaspRanks *keys;
    const uint32_t *lo, *hi;
    bool point, full, prefix, suffix; /* in all rows; empty rows are prefix and suffix, too */
    bool rising; /* rows select the first so many columns, never fewer than the row before */
} Dimension;

typedef struct {
    size_t n;
    ThArena *arena;
    Dimension d[TH_RASP_MATCHES];
    int n_dimensions;
    bool causal;
    const uint32_t *code, *lo, *hi; /* as in a plan; NULL: one code for all */
    uint32_t n_codes;
} Draft;

static uint32_t *room(const Draft *x, size_t n, ThError *err)
{
    uint32_t *p = th_arena_take(x->arena, n, sizeof *p);
    if (!p)
        th_fail(err, TH_ENOMEM, "out of memory (%zu elements of %zu bytes)", n, sizeof *p);
    return p;
}

static uint32_t *filled(const Draft *x, uint32_t value, ThError *err)
{
    uint32_t *p = room(x, x->n, err);
    for (size_t i = 0; p && i < x->n; i++)
        p[i] = value;
    return p;
}

/* Adds the dimension of a literal, or intersects it with the one over the same keys. */
static bool add_literal(Draft *x, const ThRaspMatch *m, int part, ThError *err)
{
    const uint32_t *lo = m->lo, *hi = m->hi;
    if (part == TH_RASP_PART_BELOW) {
        hi = m->lo;
        lo = filled(x, 0, err);
    } else if (part == TH_RASP_PART_ABOVE) {
        lo = m->hi;
        hi = filled(x, m->keys->m, err);
    }
    if (!lo || !hi)
        return false;
    for (int k = 0; k < x->n_dimensions; k++) {
        Dimension *d = &x->d[k];
        if (d->keys != m->keys)
            continue;
        uint32_t *a = room(x, x->n, err), *b = room(x, x->n, err);
        for (size_t i = 0; a && b && i < x->n; i++) {
            a[i] = d->lo[i] > lo[i] ? d->lo[i] : lo[i];
            b[i] = d->hi[i] < hi[i] ? d->hi[i] : hi[i];
        }
        d->lo = a;
        d->hi = b;
        return a && b;
    }
    x->d[x->n_dimensions++] = (Dimension){.keys = m->keys, .lo = lo, .hi = hi};
    return true;
}

static void classify(Dimension *d, size_t n)
{
    d->point = d->full = d->prefix = d->suffix = d->rising = true;
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
        bool empty = d->hi[i] <= d->lo[i];
        uint32_t lo = empty ? 0 : d->lo[i], hi = empty ? 0 : d->hi[i];
        d->point &= hi <= lo + 1;
        d->prefix &= lo == 0;
        d->suffix &= empty || hi == d->keys->m;
        d->full &= lo == 0 && hi == d->keys->m;
        d->rising &= hi >= last;
        last = hi;
    }
    d->rising &= d->prefix && d->keys->ascending;
}

static void remove_dimension(Draft *x, int k)
{
    x->n_dimensions--;
    memmove(&x->d[k], &x->d[k + 1], (size_t)(x->n_dimensions - k) * sizeof x->d[k]);
}

/* Columns up to i, over keys that ascend from column to column, are an interval of these keys. */
static bool absorb_causal(Draft *x, ThError *err)
{
    for (int k = 0; x->causal && k < x->n_dimensions; k++) {
        Dimension *d = &x->d[k];
        if (!d->keys->ascending || d->point)
            continue;
        uint32_t *hi = room(x, x->n, err);
        if (!hi)
            return false;
        for (size_t i = 0; i < x->n; i++)
            hi[i] = d->hi[i] < i + 1 ? d->hi[i] : (uint32_t)(i + 1);
        d->hi = hi;
        x->causal = false;
        classify(d, x->n);
    }
    return true;
}

/* Where the keys of a select by == are all different, a row has one candidate, which is asked about
 * everything else. */
static bool plan_candidates(Draft *x, const Dimension *only, ThRaspPlan *plan, ThError *err)
{
    uint32_t *candidate = room(x, x->n, err);
    if (!candidate)
        return false;
    for (size_t i = 0; i < x->n; i++) {
        uint32_t j = only->hi[i] > only->lo[i] ? only->keys->position[only->lo[i]] : NOWHERE;
        if (j != NOWHERE && x->causal && j > i)
            j = NOWHERE;
        for (int k = 0; j != NOWHERE && k < x->n_dimensions; k++) {
            const Dimension *d = &x->d[k];
            if (d->keys->rank[j] < d->lo[i] || d->keys->rank[j] >= d->hi[i])
                j = NOWHERE;
        }
        candidate[i] = j;
    }
    plan->candidate = candidate;
    return true;
}

/* The first of n sorted values that is not less than x. */
static uint32_t place(const uint64_t *value, size_t n, uint64_t x)
{
    size_t a = 0, b = n;
    while (value && a < b) {
        size_t mid = a + (b - a) / 2;
        if (value[mid] < x)
            a = mid + 1;
        else
            b = mid;
    }
    return (uint32_t)a;
}

/* Numbers the pairs of a column's code and its rank that occur: into code.  *pair gets them in
 * order. */
static bool number_pairs(const Draft *x, const Dimension *d, uint32_t *code, uint64_t **pair,
                         size_t *n_pairs, ThError *err)
{
    ThRaspCoded *a = th_arena_take(x->arena, 2 * x->n, sizeof *a);
    uint64_t *all = th_arena_take(x->arena, x->n, sizeof *all);
    if (!a || !all)
        return th_fail(err, TH_ENOMEM, "out of memory (%zu elements)", x->n);
    for (size_t j = 0; j < x->n; j++)
        a[j] = (ThRaspCoded){(uint64_t)x->code[j] * d->keys->m + d->keys->rank[j], (uint32_t)j};
    const ThRaspCoded *sorted = th_rasp_sort_coded(a, a + x->n, x->n);
    size_t m = 0;
    for (size_t j = 0; j < x->n; j++) {
        if (!j || sorted[j].code != sorted[j - 1].code)
            all[m++] = sorted[j].code;
        code[sorted[j].at] = (uint32_t)(m - 1);
    }
    *pair = all;
    *n_pairs = m;
    return true;
}

/* Adds a dimension to the codes, whose rows so far select one code each. */
static bool compose(Draft *x, const Dimension *d, ThError *err)
{
    if (!x->code) {
        x->code = d->keys->rank;
        x->lo = d->lo;
        x->hi = d->hi;
        x->n_codes = d->keys->m;
        return true;
    }
    uint32_t *code = room(x, x->n, err), *lo = room(x, x->n, err), *hi = room(x, x->n, err);
    if (!code || !lo || !hi)
        return false;
    uint64_t width = d->keys->m, product = x->n_codes * width, *pair = NULL;
    bool dense = product <= 4 * x->n + SLACK;
    size_t n_pairs = (size_t)product;
    if (!dense && !number_pairs(x, d, code, &pair, &n_pairs, err))
        return false;
    for (size_t j = 0; dense && j < x->n; j++)
        code[j] = (uint32_t)(x->code[j] * width + d->keys->rank[j]);
    for (size_t i = 0; i < x->n; i++) {
        bool empty = x->hi[i] <= x->lo[i] || d->hi[i] <= d->lo[i];
        uint64_t start = x->lo[i] * width;
        lo[i] = empty ? 0 : (uint32_t)(start + d->lo[i]);
        hi[i] = empty ? 0 : (uint32_t)(start + d->hi[i]);
        if (!empty && !dense) {
            lo[i] = place(pair, n_pairs, start + d->lo[i]);
            hi[i] = place(pair, n_pairs, start + d->hi[i]);
        }
    }
    x->code = code;
    x->lo = lo;
    x->hi = hi;
    x->n_codes = (uint32_t)n_pairs;
    return true;
}

/* Rows are asked from top to bottom, row i when its first until[i] columns are there. */
static bool time_by_columns(const Draft *x, const Dimension *rising, ThRaspPlan *plan, ThError *err)
{
    uint32_t *until = room(x, x->n, err);
    if (!until)
        return false;
    for (size_t i = 0; i < x->n; i++) {
        bool empty = rising && rising->hi[i] <= rising->lo[i];
        until[i] = empty ? 0 : rising ? rising->hi[i] : (uint32_t)(i + 1);
    }
    plan->n_events = x->n;
    plan->until = until;
    return true;
}

/* The number of columns with a rank below each: start[m] is n. */
static uint32_t *starts(const Draft *x, const ThRaspRanks *keys, ThError *err)
{
    uint32_t *start = room(x, (size_t)keys->m + 1, err);
    if (!start)
        return NULL;
    memset(start, 0, ((size_t)keys->m + 1) * sizeof *start);
    for (size_t j = 0; j < x->n; j++)
        start[keys->rank[j] + 1]++;
    for (size_t k = 0; k < keys->m; k++)
        start[k + 1] += start[k];
    return start;
}

/* The columns by rank, smallest first; or greatest first. */
static uint32_t *columns_by_rank(const Draft *x, const ThRaspRanks *keys, const uint32_t *start,
                                 bool backwards, ThError *err)
{
    uint32_t *order = room(x, x->n, err), *next = room(x, keys->m, err);
    if (!order || !next)
        return NULL;
    memcpy(next, start, keys->m * sizeof *next);
    for (size_t j = 0; j < x->n; j++) {
        uint32_t at = next[keys->rank[j]]++;
        order[backwards ? x->n - 1 - at : at] = (uint32_t)j;
    }
    return order;
}

/* An event before it is put into its place. */
typedef struct {
    uint32_t row, until;
    int8_t sign;
} Event;

/* Sorts the events by their times into the plan. */
static bool sort_events(const Draft *x, const Event *event, size_t n, ThRaspPlan *plan,
                        ThError *err)
{
    uint32_t *next = room(x, x->n + 2, err), *row = room(x, n, err), *until = room(x, n, err);
    int8_t *sign = th_arena_take(x->arena, n, 1);
    if (!next || !row || !until || !sign)
        return th_fail(err, TH_ENOMEM, "out of memory (%zu elements)", n);
    memset(next, 0, (x->n + 2) * sizeof *next);
    for (size_t e = 0; e < n; e++)
        next[event[e].until + 1]++;
    for (size_t k = 0; k <= x->n; k++)
        next[k + 1] += next[k];
    for (size_t e = 0; e < n; e++) {
        uint32_t at = next[event[e].until]++;
        row[at] = event[e].row;
        until[at] = event[e].until;
        sign[at] = event[e].sign;
    }
    plan->n_events = n;
    plan->row = row;
    plan->until = until;
    plan->sign = sign;
    return true;
}

/* Columns come by their keys; a row is asked when those below its upper bound are there, and those
 * below its lower bound are subtracted.  Backwards, when those from its lower bound on are. */
static bool time_by_keys(const Draft *x, const Dimension *d, bool backwards, ThRaspPlan *plan,
                         ThError *err)
{
    uint32_t *start = starts(x, d->keys, err);
    plan->order = start ? columns_by_rank(x, d->keys, start, backwards, err) : NULL;
    Event *event = th_arena_take(x->arena, 2 * x->n, sizeof *event);
    if (!plan->order || !event)
        return th_fail(err, TH_ENOMEM, "out of memory (%zu elements)", x->n);
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++) {
        if (d->hi[i] <= d->lo[i])
            continue;
        uint32_t low = start[d->lo[i]], high = start[d->hi[i]];
        event[n++] = (Event){(uint32_t)i, backwards ? (uint32_t)x->n - low : high, 1};
        if (!backwards && low)
            event[n++] = (Event){(uint32_t)i, low, -1};
    }
    return sort_events(x, event, n, plan, err);
}

/* Removes dimensions without effect, joins the groups; *candidate is one whose rows select at most
 * one column. */
static bool simplify(Draft *x, int *candidate, ThError *err)
{
    *candidate = -1;
    for (int k = x->n_dimensions; k-- > 0;) {
        classify(&x->d[k], x->n);
        if (x->d[k].full)
            remove_dimension(x, k);
    }
    for (int k = 0; k < x->n_dimensions; k++)
        if (x->d[k].point && x->d[k].keys->m == x->n)
            *candidate = k;
    if (*candidate >= 0)
        return true;
    if (!absorb_causal(x, err))
        return false;
    for (int k = x->n_dimensions; k-- > 0;) {
        Dimension d = x->d[k];
        if (!d.point)
            continue;
        remove_dimension(x, k);
        if (!compose(x, &d, err))
            return false;
    }
    return true;
}

/* Which of one or two dimensions is to be time; -1: none need be; -2: none can be. */
static int choose_time(const Draft *x, bool sum)
{
    for (int k = 0; k < x->n_dimensions; k++)
        if (x->d[k].rising && (x->n_dimensions == 2 || x->code))
            return k;
    if (x->n_dimensions < 2)
        return -1;
    for (int k = 0; k < x->n_dimensions; k++)
        if (sum || x->d[k].prefix || x->d[k].suffix)
            return k;
    return -2;
}

/* All dimensions but one are in the codes already. */
static bool finish(Draft *x, ThRaspPlan *plan, ThError *err)
{
    bool points = !x->n_dimensions;
    if (x->n_dimensions && !compose(x, &x->d[0], err))
        return false;
    if (!x->code) {
        x->code = x->lo = filled(x, 0, err);
        x->hi = filled(x, 1, err);
        x->n_codes = 1;
        if (!x->code || !x->hi)
            return false;
    }
    plan->code = x->code;
    plan->lo = x->lo;
    plan->hi = x->hi;
    plan->n_codes = x->n_codes;
    plan->points = points;
    if (!plan->until)
        plan->n_events = x->n;
    return true;
}

bool th_rasp_plan(const ThRaspPlanning *how, ThRaspTerm term, ThRaspPlan *plan, bool *possible,
                  ThError *err)
{
    const ThRaspFormula *f = how->f;
    bool sum = how->sum;
    Draft x = {.n = plan->n, .arena = how->arena, .causal = term.literals & TH_RASP_CAUSAL};
    *possible = true;
    *plan = (ThRaspPlan){.n = x.n};
    for (int k = 0; k < f->n_matches * TH_RASP_N_PARTS; k++)
        if (term.literals >> (1 + k) & 1 &&
            !add_literal(&x, f->match[k / TH_RASP_N_PARTS], k % TH_RASP_N_PARTS, err))
            return false;
    int only, time;
    if (th_stopped(how->stop, err) || !simplify(&x, &only, err))
        return false;
    if (only >= 0)
        return plan_candidates(&x, &x.d[only], plan, err);
    *possible = x.n_dimensions + x.causal <= 2;
    if (!*possible)
        return true;
    if (x.causal)
        return time_by_columns(&x, NULL, plan, err) && finish(&x, plan, err);
    time = choose_time(&x, sum);
    *possible = time != -2;
    if (time < 0)
        return !*possible || finish(&x, plan, err);
    Dimension d = x.d[time];
    remove_dimension(&x, time);
    bool ok = d.rising ? time_by_columns(&x, &d, plan, err)
                       : time_by_keys(&x, &d, !sum && !d.prefix, plan, err);
    return ok && finish(&x, plan, err);
}
