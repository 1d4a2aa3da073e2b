#include "rasp/evaluate/ranks.h"

enum { POLL = 4096 };

/* Numbers the keys in order of their first positions. */
static bool number(ThRaspRanks *r, const ThRaspAtoms *p, const ThRaspSeq *keys, ThStop *stop,
                   ThError *err)
{
    r->table.width = 1;
    for (size_t i = 0; i < r->n; i++) {
        ThRaspAtom a = th_rasp_seq_at(keys, i);
        if (i % POLL == 0 && th_stopped(stop, err))
            return false;
        if (!th_rasp_atom_table_add(&r->table, p, &a, &r->rank[i], err))
            return false;
    }
    r->m = (uint32_t)r->table.n;
    return true;
}

/* From numbers to ranks: the number k becomes of_table[k]. */
static bool renumber(ThRaspRanks *r, const ThRaspAtoms *p, ThError *err)
{
    uint32_t *order TH_OWNED(free) = th_alloc(2 * (size_t)r->m, sizeof *order, err);
    bool ok = order &&
              (!r->ordered || th_rasp_atoms_sort(p, r->table.key, r->m, order, order + r->m, err));
    for (uint32_t k = 0; ok && k < r->m; k++)
        r->of_table[r->ordered ? order[k] : k] = k;
    for (size_t i = 0; ok && i < r->n; i++)
        r->rank[i] = r->of_table[r->rank[i]];
    return ok;
}

/* Finds the first positions of the keys and so the keys themselves. */
static void collect(ThRaspRanks *r, const ThRaspSeq *keys)
{
    for (size_t i = r->n; i-- > 0;)
        r->position[r->rank[i]] = (uint32_t)i;
    for (size_t k = 0; k < r->m; k++)
        r->value[k] = th_rasp_seq_at(keys, r->position[k]);
}

/* The positions by their ranks. */
static bool sort_positions(ThRaspRanks *r, ThError *err)
{
    size_t *start TH_OWNED(free) = th_alloc(r->m + (size_t)1, sizeof *start, err);
    for (size_t i = 0; start && i < r->n; i++)
        start[r->rank[i] + 1]++;
    for (size_t k = 0; start && k < r->m; k++)
        start[k + 1] += start[k];
    for (size_t i = 0; start && i < r->n; i++)
        r->order[start[r->rank[i]]++] = (uint32_t)i;
    return start != NULL;
}

static bool fill(ThRaspRanks *r, const ThRaspAtoms *p, const ThRaspSeq *keys, ThError *err)
{
    r->of_table = th_alloc(r->m, sizeof *r->of_table, err);
    r->position = th_alloc(r->m, sizeof *r->position, err);
    r->value = th_alloc(r->m, sizeof *r->value, err);
    r->order = th_alloc(r->n, sizeof *r->order, err);
    if (!r->of_table || !r->position || !r->value || !r->order || !renumber(r, p, err))
        return false;
    collect(r, keys);
    return sort_positions(r, err);
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
    if (!r->rank || !number(r, p, keys, stop, err) || !fill(r, p, keys, err)) {
        th_rasp_ranks_free(r);
        return NULL;
    }
    return r;
}

void th_rasp_ranks_free(ThRaspRanks *r)
{
    if (!r)
        return;
    th_rasp_atom_table_free(&r->table);
    TH_FREE(r->rank, r->position, r->value, r->order, r->of_table, r);
}

/* How many keys are less than an x that is none. */
static bool search(const ThRaspRanks *r, const ThRaspAtoms *p, ThRaspAtom x, uint32_t *below,
                   ThError *err)
{
    uint32_t a = 0, b = r->m;
    int order = 1;
    while (a < b) {
        uint32_t mid = a + (b - a) / 2;
        if (!th_rasp_atom_compare(p, r->value[mid], x, &order, err))
            return false;
        if (order < 0)
            a = mid + 1;
        else
            b = mid;
    }
    *below = a;
    return true;
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
    uint32_t number = th_rasp_atom_table_find(&r->table, p, &x);
    if (number != TH_HASH_END) {
        *below = r->of_table[number];
        *upto = *below + 1;
        return true;
    }
    bool ok = !r->ordered || search(r, p, x, below, err);
    *upto = *below;
    return ok;
}

size_t th_rasp_ranks_bytes(const ThRaspRanks *r)
{
    size_t of_key = sizeof *r->value + sizeof *r->position + sizeof *r->of_table;
    return r->n * (sizeof *r->rank + sizeof *r->order) + r->m * (of_key + 2 * sizeof *r->table.key);
}
