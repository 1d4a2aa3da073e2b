/* hash.h - 64-bit hashing and the hash table; no result's order ever comes from it.
 *
 * The table holds no things.  It knows the numbers that things have in an array of their owner, and
 * finds those that have a hash; the owner compares.  So things may be rows, ranges of a block or
 * several arrays side by side, which move as they grow.  (uthash.h wants a handle inside of each
 * thing, and things that stay where they are.)
 *
 *     if (!th_hash_reserve(&t, &err))                   // before the search: room for one more
 *         return false;
 *     ThHashSeek s = th_hash_seek(hash_of(key));
 *     for (uint32_t i; (i = th_hash_next(&t, &s)) != TH_HASH_END;)
 *         if (equal(array[i], key))
 *             return i;
 *     array[n] = key;
 *     th_hash_put(&t, &s, n++);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/memory.h"

/* A bijection of 64-bit words whose output bits all depend on all input bits. */
static inline uint64_t th_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

uint64_t th_hash_bytes(const void *bytes, size_t n);
uint64_t th_hash_text(const char *text);

/* ---- the table: open addressing, linear probing (Knuth, volume 3, 6.4) ------------------------
 */

#define TH_HASH_END UINT32_MAX

/* The lower half of a hash, above a number + 1; 0: empty.  The lowest bits of the hash say where
 * its search begins, so that no thing has to be looked at to double the table. */
typedef uint64_t ThHashSlot;

static inline ThHashSlot th_hash_slot(uint32_t hash, size_t number)
{
    return (uint64_t)hash << 32 | (uint32_t)(number + 1);
}

/* Zero-initialised it is empty. */
typedef struct {
    ThHashSlot *slot;
    size_t n, n_slots; /* entries; a power of two, or 0 */
} ThHashTable;

/* Where a search stands. */
typedef struct {
    size_t at;
    uint32_t hash;
} ThHashSeek;

/* At least half of the slots are always empty. */
static inline bool th_hash_full(const ThHashTable *t)
{
    return 2 * t->n >= t->n_slots;
}

/* Doubles the table, or more while it is small.  TH_ENOMEM; TH_ELIMIT beyond 2^31 slots; *t is then
 * as it was. */
bool th_hash_grow(ThHashTable *t, ThError *err);

/* Makes sure that one entry more fits.  Errors: th_hash_grow. */
static inline bool th_hash_reserve(ThHashTable *t, ThError *err)
{
    return !th_hash_full(t) || th_hash_grow(t, err);
}

/* The beginning of a search: the lower 32 bits of the hash have to be good. */
static inline ThHashSeek th_hash_seek(uint64_t hash)
{
    return (ThHashSeek){(size_t)(uint32_t)hash, (uint32_t)hash};
}

/* The number of the next entry with the hash that is sought (or with one whose lower half is the
 * same), or TH_HASH_END: there is none any more. */
static inline uint32_t th_hash_next(const ThHashTable *t, ThHashSeek *s)
{
    if (t->n_slots == 0)
        return TH_HASH_END;
    for (;; s->at++) {
        ThHashSlot slot = t->slot[s->at & (t->n_slots - 1)];
        if (slot == 0)
            return TH_HASH_END;
        if (slot >> 32 == s->hash) {
            s->at++;
            return (uint32_t)slot - 1;
        }
    }
}

/* Adds a number where a search has come to TH_HASH_END, in a table that had room before the search
 * and has not been changed since. */
static inline void th_hash_put(ThHashTable *t, const ThHashSeek *s, size_t number)
{
    t->slot[s->at & (t->n_slots - 1)] = th_hash_slot(s->hash, number);
    t->n++;
}

/* Adds a number whatever there is with the same hash.  Errors: th_hash_grow. */
bool th_hash_add(ThHashTable *t, uint64_t hash, size_t number, ThError *err);

/* Takes out an entry that is there. */
void th_hash_remove(ThHashTable *t, uint64_t hash, size_t number);

void th_hash_clear(ThHashTable *t); /* takes out all, keeps the room */
void th_hash_free(ThHashTable *t);  /* leaves *t empty */
TH_RELEASES_VALUE(th_hash_free, ThHashTable)

/* How many slots a table needs in which there will never be more than `most` entries: for slots
 * that the caller lends, zeroed, in place of th_hash_reserve and th_hash_free. */
size_t th_hash_slots_for(size_t most);
