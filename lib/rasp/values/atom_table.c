#include "rasp/values/atom_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

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

/* The slot where a list is, or where it would go. */
static size_t slot_of(const ThRaspAtomTable *t, const ThRaspAtoms *p, const ThRaspAtom *key)
{
    for (size_t s = hash_of(t, p, key) & (t->n_slots - 1);; s = (s + 1) & (t->n_slots - 1))
        if (!t->slot[s] || same(t, p, t->key + (t->slot[s] - 1) * t->width, key))
            return s;
}

uint32_t th_rasp_atom_table_find(const ThRaspAtomTable *t, const ThRaspAtoms *p,
                                 const ThRaspAtom *key)
{
    return t->n ? t->slot[slot_of(t, p, key)] - 1 : UINT32_MAX;
}

static bool double_slots(ThRaspAtomTable *t, const ThRaspAtoms *p, ThError *err)
{
    size_t n_slots = t->n_slots ? 2 * t->n_slots : 16;
    uint32_t *slot = th_alloc(n_slots, sizeof *slot, err);
    if (!slot)
        return false;
    free(t->slot);
    t->slot = slot;
    t->n_slots = n_slots;
    for (size_t i = 0; i < t->n; i++) {
        size_t s = hash_of(t, p, t->key + i * t->width) & (n_slots - 1);
        while (slot[s])
            s = (s + 1) & (n_slots - 1);
        slot[s] = (uint32_t)(i + 1);
    }
    return true;
}

bool th_rasp_atom_table_add(ThRaspAtomTable *t, const ThRaspAtoms *p, const ThRaspAtom *key,
                            uint32_t *index, ThError *err)
{
    if (2 * t->n >= t->n_slots && !double_slots(t, p, err))
        return false;
    size_t s = slot_of(t, p, key);
    if (t->slot[s]) {
        *index = t->slot[s] - 1;
        return true;
    }
    if (!th_grow(&t->key, &t->cap, (t->n + 1) * t->width, sizeof *t->key, err))
        return false;
    memcpy(t->key + t->n * t->width, key, t->width * sizeof *key);
    *index = (uint32_t)t->n++;
    t->slot[s] = (uint32_t)t->n;
    return true;
}

void th_rasp_atom_table_free(ThRaspAtomTable *t)
{
    free(t->key);
    free(t->slot);
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
