#include "base/memory.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

enum { ALIGNMENT = 64, FIRST_BLOCK = 1 << 16 };

/* Under the address sanitizer what an arena has not given away may not be touched, nor what stands
 * behind each piece, which is given away by itself: an index outside is an error as it is of
 * malloc's memory. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { BEHIND = ALIGNMENT };
#define FORBID(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define ALLOW(p, n)  ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
enum { BEHIND = 0 };
#define FORBID(p, n) ((void)(p), (void)(n))
#define ALLOW(p, n)  ((void)(p), (void)(n))
#endif

void *th_alloc(size_t n, size_t size, ThError *err)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        th_fail(err, TH_ENOMEM, "out of memory (%zu elements of %zu bytes)", n, size);
    return p;
}

void *th_copy(const void *from, size_t n, size_t size, ThError *err)
{
    void *p = th_alloc(n, size, err);
    if (p && n)
        memcpy(p, from, n * size);
    return p;
}

char *th_strndup(const char *text, size_t n, ThError *err)
{
    char *p = th_alloc(n + 1, 1, err);
    if (p)
        memcpy(p, text, n);
    return p;
}

char *th_strdup(const char *text, ThError *err)
{
    return th_strndup(text, strlen(text), err);
}

void th_free_all(void *all[], size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *all; i++)
        free(all[i]);
}

void th_free_each(void *array, size_t n)
{
    void **pointer = array;
    for (size_t i = 0; pointer && i < n; i++)
        free(pointer[i]);
    free(pointer);
}

bool th_grow(void *array, size_t *cap, size_t need, size_t size, ThError *err)
{
    void **slot = array;
    if (need <= *cap)
        return true;
    size_t more = *cap < 8 ? 8 : *cap + *cap / 2;
    if (more < need)
        more = need;
    void *p = more > SIZE_MAX / size ? NULL : realloc(*slot, more * size);
    if (!p)
        return th_fail(err, TH_ENOMEM, "out of memory (%zu elements of %zu bytes)", more, size);
    *slot = p;
    *cap = more;
    return true;
}

typedef struct Block {
    struct Block *next;
    unsigned char *data; /* aligned */
    size_t size, used;
} Block;

struct ThArena {
    Block *first, *current;
    size_t bytes, limit;
};

static Block *new_block(size_t size)
{
    Block *b = malloc(sizeof *b);
    if (!b)
        return NULL;
    b->data = aligned_alloc(ALIGNMENT, size);
    if (!b->data) {
        free(b);
        return NULL;
    }
    b->next = NULL;
    b->size = size;
    b->used = 0;
    FORBID(b->data, size);
    return b;
}

ThArena *th_arena_new(ThError *err)
{
    return th_alloc(1, sizeof(ThArena), err);
}

static bool add_block(ThArena *a, size_t need)
{
    size_t size = a->bytes / 4 < FIRST_BLOCK ? FIRST_BLOCK : a->bytes / 4;
    size_t room = !a->limit ? SIZE_MAX : a->limit > a->bytes ? a->limit - a->bytes : 0;
    if (size < need || size > room)
        size = need;
    if (size > room)
        return false;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* as aligned_alloc demands */
    Block *b = new_block(size);
    if (!b)
        return false;
    if (a->current) {
        b->next = a->current->next;
        a->current->next = b;
    } else {
        a->first = b;
    }
    a->current = b;
    a->bytes += size;
    return true;
}

void *th_arena_take(ThArena *a, size_t n, size_t size)
{
    if (size && n > (SIZE_MAX / 2 - 2 * ALIGNMENT) / size)
        return NULL;
    size_t need = (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + BEHIND;
    if (!need)
        need = ALIGNMENT;
    while (!a->current || a->current->size - a->current->used < need)
        if (a->current && a->current->next)
            a->current = a->current->next;
        else if (!add_block(a, need))
            return NULL;
    void *p = a->current->data + a->current->used;
    a->current->used += need;
    ALLOW(p, n * size);
    return p;
}

void th_arena_reset(ThArena *a)
{
    for (Block *b = a->first; b; b = b->next) {
        FORBID(b->data, b->used);
        b->used = 0;
    }
    a->current = a->first;
}

void th_arena_limit(ThArena *a, size_t bytes)
{
    a->limit = bytes;
}

size_t th_arena_bytes(const ThArena *a)
{
    return a->bytes;
}

void th_arena_free(ThArena *a)
{
    if (!a)
        return;
    for (Block *b = a->first, *next; b; b = next) {
        next = b->next;
        ALLOW(b->data, b->size);
        TH_FREE(b->data, b);
    }
    free(a);
}
