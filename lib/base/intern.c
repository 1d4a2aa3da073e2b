#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

static size_t start_of(const ThIntern *t, size_t i)
{
    return i ? t->end[i - 1] : 0;
}

/* The slot where a string is, or where it would go.  There is always an empty slot. */
static size_t slot_of(const ThIntern *t, uint64_t hash, const void *bytes, size_t size)
{
    uint32_t low = (uint32_t)hash;
    for (size_t s = (hash >> 32) & (t->n_slots - 1);; s = (s + 1) & (t->n_slots - 1)) {
        if (!t->slot[s].index)
            return s;
        if (t->slot[s].hash != low)
            continue;
        size_t i = t->slot[s].index - 1, start = start_of(t, i);
        if (t->end[i] - start == size && memcmp(t->bytes + start, bytes, size) == 0)
            return s;
    }
}

/* Doubles the table.  Slots keep only half of the hash, so the strings are hashed again. */
static bool double_slots(ThIntern *t, ThError *err)
{
    size_t n_slots = t->n_slots ? 2 * t->n_slots : 16;
    ThInternSlot *slot = th_alloc(n_slots, sizeof *slot, err);
    if (!slot)
        return false;
    for (size_t i = 0; i < t->n; i++) {
        size_t start = start_of(t, i);
        uint64_t hash = th_hash_bytes(t->bytes + start, t->end[i] - start);
        size_t s = (hash >> 32) & (n_slots - 1);
        while (slot[s].index)
            s = (s + 1) & (n_slots - 1);
        slot[s] = (ThInternSlot){(uint32_t)hash, (uint32_t)(i + 1)};
    }
    free(t->slot);
    t->slot = slot;
    t->n_slots = n_slots;
    return true;
}

bool th_intern(ThIntern *t, const void *bytes, size_t size, size_t *index, ThError *err)
{
    if (t->n + t->n / 2 >= t->n_slots && !double_slots(t, err))
        return false;
    uint64_t hash = th_hash_bytes(bytes, size);
    size_t s = slot_of(t, hash, bytes, size);
    if (t->slot[s].index) {
        *index = t->slot[s].index - 1;
        return true;
    }
    if (t->n >= UINT32_MAX - 1)
        return th_fail(err, TH_ELIMIT, "more than %zu states", t->n);
    /* One byte more: an empty string must have an address, too. */
    if (!th_grow(&t->bytes, &t->cap, t->size + size + 1, 1, err) ||
        !th_grow(&t->end, &t->end_cap, t->n + 1, sizeof *t->end, err))
        return false;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->end[t->n] = t->size;
    *index = t->n++;
    t->slot[s] = (ThInternSlot){(uint32_t)hash, (uint32_t)t->n};
    return true;
}

size_t th_intern_find(const ThIntern *t, const void *bytes, size_t size)
{
    if (!t->n)
        return SIZE_MAX;
    size_t s = slot_of(t, th_hash_bytes(bytes, size), bytes, size);
    return t->slot[s].index ? t->slot[s].index - 1 : SIZE_MAX;
}

const void *th_intern_at(const ThIntern *t, size_t i, size_t *size)
{
    size_t start = start_of(t, i);
    if (size)
        *size = t->end[i] - start;
    return t->bytes + start;
}

/* The string that came last lies at the end of its chain of probes, so that its slot can simply be
 * emptied: no other string's chain runs through it. */
void th_intern_rewind(ThIntern *t, size_t n)
{
    while (t->n > n) {
        size_t i = --t->n, start = start_of(t, i);
        uint64_t hash = th_hash_bytes(t->bytes + start, t->end[i] - start);
        size_t s = (hash >> 32) & (t->n_slots - 1);
        while (t->slot[s].index != i + 1)
            s = (s + 1) & (t->n_slots - 1);
        t->slot[s] = (ThInternSlot){0};
        t->size = start;
    }
}

void th_intern_free(ThIntern *t)
{
    free(t->slot);
    free(t->end);
    free(t->bytes);
    *t = (ThIntern){0};
}
