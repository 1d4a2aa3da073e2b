#include "base/intern.h"

static size_t start_of(const ThIntern *t, size_t i)
{
    return i ? t->end[i - 1] : 0;
}

/* The number of the string that a search finds, or TH_HASH_END. */
static uint32_t find(const ThIntern *t, ThHashSeek *s, const void *bytes, size_t size)
{
    uint32_t i;
    while ((i = th_hash_next(&t->table, s)) != TH_HASH_END) {
        size_t start = start_of(t, i);
        if (t->end[i] - start == size && memcmp(t->bytes + start, bytes, size) == 0)
            break;
    }
    return i;
}

bool th_intern(ThIntern *t, const void *bytes, size_t size, size_t *index, ThError *err)
{
    if (!th_hash_reserve(&t->table, err))
        return false;
    ThHashSeek s = th_hash_seek(th_hash_bytes(bytes, size));
    uint32_t found = find(t, &s, bytes, size);
    if (found != TH_HASH_END) {
        *index = found;
        return true;
    }
    /* One byte more: an empty string must have an address, too. */
    if (!th_grow(&t->bytes, &t->cap, t->size + size + 1, 1, err) ||
        !th_grow(&t->end, &t->end_cap, t->n + 1, sizeof *t->end, err))
        return false;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->end[t->n] = t->size;
    th_hash_put(&t->table, &s, t->n);
    *index = t->n++;
    return true;
}

size_t th_intern_find(const ThIntern *t, const void *bytes, size_t size)
{
    if (!t->n)
        return SIZE_MAX;
    ThHashSeek s = th_hash_seek(th_hash_bytes(bytes, size));
    uint32_t found = find(t, &s, bytes, size);
    return found != TH_HASH_END ? found : SIZE_MAX;
}

const void *th_intern_at(const ThIntern *t, size_t i, size_t *size)
{
    size_t start = start_of(t, i);
    if (size)
        *size = t->end[i] - start;
    return t->bytes + start;
}

void th_intern_rewind(ThIntern *t, size_t n)
{
    while (t->n > n) {
        size_t i = --t->n, start = start_of(t, i);
        th_hash_remove(&t->table, th_hash_bytes(t->bytes + start, t->end[i] - start), i);
        t->size = start;
    }
}

void th_intern_free(ThIntern *t)
{
    th_hash_free(&t->table);
    TH_FREE(t->end, t->bytes);
    *t = (ThIntern){0};
}
