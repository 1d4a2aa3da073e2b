#include "base/hash.h"

enum { LEAST_SLOTS = 16, SMALL_SLOTS = 1024 };
static const size_t MOST_SLOTS = (size_t)1 << 31;

uint64_t th_hash_bytes(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = th_hash_mix(n + 0x9e3779b97f4a7c15u);
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = th_hash_mix(h ^ w) + 0x9e3779b97f4a7c15u;
    }
    uint64_t w = 0;
    memcpy(&w, p, n);
    return th_hash_mix(h ^ w);
}

uint64_t th_hash_text(const char *text)
{
    return th_hash_bytes(text, strlen(text));
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Brings the entries to the front.  Which slots are empty cannot be foreseen: no branch asks. */
static void gather(ThHashTable *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_slots; i++) {
        ThHashSlot slot = t->slot[i];
        t->slot[n] = slot;
        n += slot != 0;
    }
}

bool th_hash_grow(ThHashTable *t, ThError *err)
{
    if (t->n_slots >= MOST_SLOTS)
        return th_fail(err, TH_ELIMIT, "more than %zu entries in a table", t->n);
    size_t n_slots = t->n_slots < SMALL_SLOTS ? 4 * t->n_slots : 2 * t->n_slots;
    n_slots = n_slots ? n_slots : LEAST_SLOTS;
    ThHashSlot *slot = th_alloc(n_slots, sizeof *slot, err);
    if (!slot)
        return false;
    gather(t);
    for (size_t i = 0; i < t->n; i++) {
        size_t at = (t->slot[i] >> 32) & (n_slots - 1);
        while (slot[at])
            at = (at + 1) & (n_slots - 1);
        slot[at] = t->slot[i];
    }
    free(t->slot);
    t->slot = slot;
    t->n_slots = n_slots;
    return true;
}

bool th_hash_add(ThHashTable *t, uint64_t hash, size_t number, ThError *err)
{
    if (!th_hash_reserve(t, err))
        return false;
    ThHashSeek s = th_hash_seek(hash);
    while (th_hash_next(t, &s) != TH_HASH_END) {
    }
    th_hash_put(t, &s, number);
    return true;
}

/* Knuth's algorithm R: entries behind the gap move into it where their search passes it. */
void th_hash_remove(ThHashTable *t, uint64_t hash, size_t number)
{
    ThHashSlot slot = th_hash_slot((uint32_t)hash, number);
    size_t mask = t->n_slots - 1, gap = (uint32_t)hash & mask;
    while (t->slot[gap] != slot)
        gap = (gap + 1) & mask;
    for (size_t at = (gap + 1) & mask; t->slot[at]; at = (at + 1) & mask) {
        size_t home = (t->slot[at] >> 32) & mask;
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        t->slot[gap] = t->slot[at];
        gap = at;
    }
    t->slot[gap] = 0;
    t->n--;
}

void th_hash_clear(ThHashTable *t)
{
    if (t->n)
        memset(t->slot, 0, t->n_slots * sizeof *t->slot);
    t->n = 0;
}

void th_hash_free(ThHashTable *t)
{
    free(t->slot);
    *t = (ThHashTable){0};
}

size_t th_hash_slots_for(size_t most)
{
    size_t n_slots = LEAST_SLOTS;
    while (2 * most > n_slots)
        n_slots *= 2;
    return n_slots;
}
