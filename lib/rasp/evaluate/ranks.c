#include "rasp/evaluate/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, POLL = 4096 };

static uint64_t code_of_int(int64_t i)
{
    return (uint64_t)i ^ (uint64_t)1 << 63;
}

static uint64_t code_of_float(double x)
{
    ThRaspCell cell = {.x = x == 0 ? 0 : x}; /* -0.0 == 0.0 */
    return cell.id >> 63 ? ~cell.id : cell.id | (uint64_t)1 << 63;
}

ThRaspCoded *th_rasp_sort_coded(ThRaspCoded *a, ThRaspCoded *spare, size_t n)
{
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++)
        differ |= a[i].code ^ a[0].code;
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!(differ >> shift & (DIGITS - 1)))
            continue;
        uint32_t start[DIGITS] = {0};
        for (size_t i = 0; i < n; i++)
            start[a[i].code >> shift & (DIGITS - 1)]++;
        uint32_t sum = 0;
        for (int d = 0; d < DIGITS; d++) {
            uint32_t count = start[d];
            start[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            spare[start[a[i].code >> shift & (DIGITS - 1)]++] = a[i];
        ThRaspCoded *swap = a;
        a = spare;
        spare = swap;
    }
    return a;
}

/* Room for the different keys. */
static bool room_for_keys(ThRaspRanks *r, size_t m, ThError *err)
{
    r->m = (uint32_t)m;
    r->position = th_alloc(m, sizeof *r->position, err);
    r->value = th_alloc(m, sizeof *r->value, err);
    return r->position && r->value;
}

/* Finds the first positions of the keys and so the keys themselves. */
static bool collect(ThRaspRanks *r, const ThRaspSeq *keys, size_t m, ThError *err)
{
    if (!room_for_keys(r, m, err))
        return false;
    r->ascending = true;
    for (size_t i = r->n; i-- > 0;) {
        r->position[r->rank[i]] = (uint32_t)i;
        r->ascending &= r->rank[i] == i;
    }
    for (size_t k = 0; k < m; k++)
        r->value[k] = th_rasp_seq_at(keys, r->position[k]);
    return true;
}

/* Ranks of ints, bools or strings' numbers that lie close together, by a table of all of them.
 * *done is false if they do not. */
static bool rank_narrow(ThRaspRanks *r, const ThRaspSeq *keys, size_t *m, bool *done, ThError *err)
{
    int64_t low = keys->cell[0].i, high = low;
    for (size_t i = 1; i < (keys->constant ? 1 : r->n); i++) {
        int64_t x = keys->cell[i].i;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    uint64_t span = (uint64_t)high - (uint64_t)low;
    *done = span < 4 * r->n + 64;
    if (!*done)
        return true;
    r->narrow = true;
    r->base = low;
    r->span = (size_t)span + 1;
    r->below = th_alloc(r->span + 1, sizeof *r->below, err);
    if (!r->below)
        return false;
    for (size_t i = 0; i < (keys->constant ? 1 : r->n); i++)
        r->below[keys->cell[i].i - low] = 1;
    uint32_t sum = 0;
    for (size_t k = 0; k <= r->span; k++) {
        uint32_t occurs = r->below[k];
        r->below[k] = sum;
        sum += occurs;
    }
    for (size_t i = 0; i < r->n; i++)
        r->rank[i] = r->below[keys->cell[keys->constant ? 0 : i].i - low];
    *m = sum;
    return true;
}

/* True if equal numbers have equal codes: as floats, if some are floats and no int is too long. */
static bool has_codes(const ThRaspSeq *keys)
{
    if (keys->kind != TH_RASP_ATOM_MIXED)
        return keys->kind != TH_RASP_ATOM_STRING && keys->kind != TH_RASP_ATOM_TUPLE;
    const int64_t exact = (int64_t)1 << 53;
    for (size_t i = 0; i < (keys->constant ? 1 : keys->n); i++)
        if (!keys->is_float[i] && (keys->cell[i].i > exact || keys->cell[i].i < -exact))
            return false;
    return true;
}

static uint64_t code_at(const ThRaspSeq *keys, size_t i)
{
    ThRaspAtom a = th_rasp_seq_at(keys, i);
    if (a.kind == TH_RASP_ATOM_FLOAT)
        return code_of_float(a.cell.x);
    return keys->kind == TH_RASP_ATOM_MIXED ? code_of_float((double)a.cell.i)
                                            : code_of_int(a.cell.i);
}

/* Ranks of numbers by sorting them. */
static bool rank_by_sorting(ThRaspRanks *r, const ThRaspSeq *keys, size_t *m, ThError *err)
{
    ThRaspCoded *a = th_alloc(2 * r->n, sizeof *a, err);
    if (!a)
        return false;
    for (size_t i = 0; i < r->n; i++)
        a[i] = (ThRaspCoded){code_at(keys, i), (uint32_t)i};
    const ThRaspCoded *sorted = th_rasp_sort_coded(a, a + r->n, r->n);
    uint32_t k = 0;
    for (size_t i = 0; i < r->n; i++) {
        k += i && sorted[i].code != sorted[i - 1].code;
        r->rank[sorted[i].at] = k;
    }
    free(a);
    *m = (size_t)k + 1;
    return true;
}

/* Ranks of anything by hashing; the different keys are to be sorted afterwards. */
static bool rank_by_hashing(ThRaspRanks *r, const ThRaspAtoms *p, const ThRaspSeq *keys,
                            ThStop *stop, ThError *err)
{
    r->table.width = 1;
    for (size_t i = 0; i < r->n; i++) {
        ThRaspAtom a = th_rasp_seq_at(keys, i);
        if (i % POLL == 0 && th_stopped(stop, err))
            return false;
        if (!th_rasp_atom_table_add(&r->table, p, &a, &r->rank[i], err))
            return false;
    }
    return true;
}

/* Sorts m different keys, numbered so far in some order, and renumbers by rank: where the number k
 * becomes to[k]. */
static bool rank_of_numbers(const ThRaspAtoms *p, const ThRaspAtom *key, size_t m, uint32_t *to,
                            ThError *err)
{
    uint32_t *order = th_alloc(2 * m, sizeof *order, err);
    bool ok = order && th_rasp_atoms_sort(p, key, m, order, order + m, err);
    for (size_t k = 0; ok && k < m; k++)
        to[order[k]] = (uint32_t)k;
    free(order);
    return ok;
}

/* The keys were numbered by a table, or by their numbers in the pool: puts them into their order.
 */
static bool sort_keys(ThRaspRanks *r, const ThRaspAtoms *p, const ThRaspSeq *keys, size_t m,
                      ThError *err)
{
    uint32_t *to = th_alloc(m, sizeof *to, err);
    bool ok = to && collect(r, keys, m, err);
    for (uint32_t k = 0; ok && k < m; k++)
        to[k] = k;
    if (ok && r->ordered)
        ok = rank_of_numbers(p, r->value, m, to, err);
    for (size_t i = 0; ok && i < r->n; i++)
        r->rank[i] = to[r->rank[i]];
    free(r->position);
    free(r->value);
    r->position = NULL;
    r->value = NULL;
    r->of_table = to;
    return ok && collect(r, keys, m, err);
}

/* A string's number leads to its rank. */
static void index_strings(ThRaspRanks *r)
{
    memset(r->below, 0xFF, (r->span + 1) * sizeof *r->below);
    for (uint32_t k = 0; k < r->m; k++)
        r->below[r->value[k].cell.i - r->base] = k;
    free(r->of_table);
    r->of_table = NULL;
}

static bool fill(ThRaspRanks *r, const ThRaspAtoms *p, const ThRaspSeq *keys, ThStop *stop,
                 ThError *err)
{
    size_t m = 0;
    bool done = false;
    if (keys->kind != TH_RASP_ATOM_FLOAT && keys->kind != TH_RASP_ATOM_MIXED &&
        keys->kind != TH_RASP_ATOM_TUPLE && !rank_narrow(r, keys, &m, &done, err))
        return false;
    if (done && keys->kind != TH_RASP_ATOM_STRING)
        return collect(r, keys, m, err);
    if (!done && has_codes(keys) && !(r->table.strict && keys->kind == TH_RASP_ATOM_MIXED))
        return rank_by_sorting(r, keys, &m, err) && collect(r, keys, m, err);
    if (!done && !rank_by_hashing(r, p, keys, stop, err))
        return false;
    if (!sort_keys(r, p, keys, done ? m : r->table.n, err))
        return false;
    if (done)
        index_strings(r);
    return true;
}

ThRaspRanks *th_rasp_ranks_new(const ThRaspAtoms *p, const ThRaspSeq *keys, ThRaspRanksBy by,
                               ThStop *stop, ThError *err)
{
    ThRaspRanks *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    r->n = keys->n;
    r->ordered = by == TH_RASP_BY_ORDER || keys->kind != TH_RASP_ATOM_TUPLE;
    r->table.strict = by == TH_RASP_BY_IDENTITY;
    r->rank = th_alloc(r->n, sizeof *r->rank, err);
    if (!r->rank || th_stopped(stop, err) || !fill(r, p, keys, stop, err)) {
        th_rasp_ranks_free(r);
        return NULL;
    }
    return r;
}

void th_rasp_ranks_free(ThRaspRanks *r)
{
    if (!r)
        return;
    free(r->rank);
    free(r->position);
    free(r->value);
    free(r->below);
    free(r->of_table);
    th_rasp_atom_table_free(&r->table);
    free(r);
}

/* Binary search among the keys. */
static bool search(const ThRaspRanks *r, const ThRaspAtoms *p, ThRaspAtom x, uint32_t *below,
                   uint32_t *upto, ThError *err)
{
    uint32_t a = 0, b = r->m;
    int order = 1;
    while (a < b) {
        uint32_t mid = a + (b - a) / 2;
        if (!th_rasp_atom_compare(p, r->value[mid], x, &order, err))
            return false;
        if (order == 0) {
            *below = mid;
            *upto = mid + 1;
            return true;
        }
        if (order < 0)
            a = mid + 1;
        else
            b = mid;
    }
    *below = *upto = a;
    return true;
}

/* How many keys are below an int. */
static uint32_t narrow_below(const ThRaspRanks *r, int64_t i)
{
    if (i <= r->base)
        return 0;
    uint64_t k = (uint64_t)i - (uint64_t)r->base;
    return k < r->span ? r->below[k] : r->m;
}

static void find_narrow(const ThRaspRanks *r, ThRaspAtom x, uint32_t *below, uint32_t *upto)
{
    double whole = x.kind == TH_RASP_ATOM_FLOAT ? ceil(x.cell.x) : 0;
    int64_t i = x.cell.i;
    if (x.kind == TH_RASP_ATOM_FLOAT) {
        bool fits = whole >= -0x1p63 && whole < 0x1p63;
        i = fits ? (int64_t)whole : whole < 0 ? INT64_MIN : INT64_MAX;
        if (!fits || whole != x.cell.x) {
            *below = *upto = whole >= 0x1p63 ? r->m : narrow_below(r, i);
            return;
        }
    }
    *below = narrow_below(r, i);
    *upto = i == INT64_MAX ? r->m : narrow_below(r, i + 1);
}

bool th_rasp_ranks_find(const ThRaspRanks *r, const ThRaspAtoms *p, ThRaspAtom x, uint32_t *below,
                        uint32_t *upto, ThError *err)
{
    ThRaspAtomKind kind = r->value[0].kind;
    bool text = kind == TH_RASP_ATOM_STRING || kind == TH_RASP_ATOM_TUPLE;
    bool comparable =
        text ? x.kind == kind : x.kind != TH_RASP_ATOM_STRING && x.kind != TH_RASP_ATOM_TUPLE;
    *below = *upto = 0;
    if (!comparable)
        return true;
    if (r->narrow && kind != TH_RASP_ATOM_STRING) {
        find_narrow(r, x, below, upto);
        return true;
    }
    uint32_t rank = UINT32_MAX;
    if (r->narrow) {
        uint64_t k = (uint64_t)x.cell.i - (uint64_t)r->base;
        rank = x.cell.i >= r->base && k < r->span ? r->below[k] : UINT32_MAX;
    } else if (text) {
        rank = th_rasp_atom_table_find(&r->table, p, &x);
        rank = rank == UINT32_MAX ? rank : r->of_table[rank];
    }
    if (rank != UINT32_MAX) {
        *below = rank;
        *upto = rank + 1;
        return true;
    }
    return !r->ordered || search(r, p, x, below, upto, err);
}

size_t th_rasp_ranks_bytes(const ThRaspRanks *r)
{
    return r->n * sizeof *r->rank + r->m * (sizeof *r->value + sizeof *r->position) +
           r->span * sizeof *r->below + r->table.n * 2 * sizeof *r->table.key;
}
