#include "rasp/values/atom_table.h"

static uint64_t hash_of(const ThRaspAtomTable *t, const ThRaspAtoms *p, const ThRaspAtom *key)
{
    uint64_t h = 0;
    for (size_t k = 0; k < t->width; k++) {
        uint64_t one = t->strict ? key[k].cell.id + ((uint64_t)key[k].kind << 56)
                                 : th_rasp_atom_hash(p, key[k]);
        h = th_hash_mix(h ^ one);
    }
    return h;
}

static bool same(const ThRaspAtomTable *t, const ThRaspAtoms *p, const ThRaspAtom *a,
                 const ThRaspAtom *b)
{
    for (size_t k = 0; k < t->width; k++) {
        bool equal = t->strict ? a[k].kind == b[k].kind && a[k].cell.id == b[k].cell.id
                               : th_rasp_atom_equal(p, a[k], b[k]);
        if (!equal)
            return false;
    }
    return true;
}

/* The number of the list that a search finds, or TH_HASH_END. */
static uint32_t find(const ThRaspAtomTable *t, const ThRaspAtoms *p, ThHashSeek *s,
                     const ThRaspAtom *key)
{
    uint32_t i;
    while ((i = th_hash_next(&t->table, s)) != TH_HASH_END)
        if (same(t, p, t->key + i * t->width, key))
            break;
    return i;
}

uint32_t th_rasp_atom_table_find(const ThRaspAtomTable *t, const ThRaspAtoms *p,
                                 const ThRaspAtom *key)
{
    ThHashSeek s = th_hash_seek(t->n ? hash_of(t, p, key) : 0);
    return find(t, p, &s, key);
}

bool th_rasp_atom_table_add(ThRaspAtomTable *t, const ThRaspAtoms *p, const ThRaspAtom *key,
                            uint32_t *index, ThError *err)
{
    if (!th_hash_reserve(&t->table, err))
        return false;
    ThHashSeek s = th_hash_seek(hash_of(t, p, key));
    *index = find(t, p, &s, key);
    if (*index != TH_HASH_END)
        return true;
    if (!th_grow(&t->key, &t->cap, (t->n + 1) * t->width, sizeof *t->key, err))
        return false;
    memcpy(t->key + t->n * t->width, key, t->width * sizeof *key);
    *index = (uint32_t)t->n++;
    th_hash_put(&t->table, &s, *index);
    return true;
}

void th_rasp_atom_table_free(ThRaspAtomTable *t)
{
    free(t->key);
    th_hash_free(&t->table);
    *t = (ThRaspAtomTable){0};
}

/* Merges from[0 … half-1] and from[half … n-1], each sorted, into to[0 … n-1]. */
typedef struct {
    const uint32_t *from;
    uint32_t *to;
    size_t half, n;
} Halves;

static bool merge(const ThRaspAtoms *p, const ThRaspAtom *atom, Halves h, ThError *err)
{
    const uint32_t *from = h.from;
    size_t i = 0, j = h.half;
    for (size_t k = 0; k < h.n; k++) {
        int order = i == h.half ? 1 : -1;
        if (i < h.half && j < h.n &&
            !th_rasp_atom_compare(p, atom[from[i]], atom[from[j]], &order, err))
            return false;
        h.to[k] = order <= 0 ? from[i++] : from[j++];
    }
    return true;
}

bool th_rasp_atoms_sort(const ThRaspAtoms *p, const ThRaspAtom *atom, size_t n, uint32_t *order,
                        uint32_t *spare, ThError *err)
{
    uint32_t *from = order, *to = spare;
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t a = 0; a < n; a += 2 * width) {
            size_t left = n - a;
            Halves h = {from + a, to + a, width < left ? width : left,
                        2 * width < left ? 2 * width : left};
            if (!merge(p, atom, h, err))
                return false;
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, n * sizeof *order);
    return true;
}
