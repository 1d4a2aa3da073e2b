/* memory.h - allocation that reports failure, growing arrays, and the bump arena.
 *
 * Everything a th_*_new or th_alloc returns is freed by its pair; sizes are checked for overflow.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include <string.h>

#include "base/error.h"
#include "base/owned.h"

/* Returns new: n zeroed elements of the given size (never NULL for n = 0), or NULL and TH_ENOMEM.
 * Freed with free(). */
void *th_alloc(size_t n, size_t size, ThError *err);

/* Returns new: a copy of n elements, or of a string with its end.  NULL and TH_ENOMEM. */
void *th_copy(const void *from, size_t n, size_t size, ThError *err);
char *th_strdup(const char *text, ThError *err);
char *th_strndup(const char *text, size_t n, ThError *err);

/* Makes room for `need` elements in a malloc'ed array: grows *array geometrically, updates *cap.
 * On failure the array is left as it was.  New elements are not initialised. */
bool th_grow(void *array, size_t *cap, size_t need, size_t size, ThError *err);

/* Appends a value to such an array of n elements, which has one more then.  Is false where it did
 * not grow.  The value comes last, for it may have commas: TH_APPEND(p->item, p->n, p->cap, err,
 * (Item){name, 0}). */
#define TH_APPEND(array, n, cap, err, ...)                                                         \
    (th_grow(&(array), &(cap), (size_t)(n) + 1, sizeof *(array), err) &&                           \
     ((array)[(n)++] = __VA_ARGS__, true))

/* Frees each of some pointers, as free() does. */
#define TH_FREE(...) th_free_all((void *[]){__VA_ARGS__}, sizeof(void *[]){__VA_ARGS__})
void th_free_all(void *all[], size_t bytes); /* so many bytes of pointers */

/* Frees an array of n pointers, and each of them; NULL is fine. */
#define TH_FREE_EACH(array, n) th_free_each((array), (size_t)(n))
void th_free_each(void *array, size_t n);

/* The end of a constructor: x where all went well; else x is freed, and the value is NULL. */
#define TH_KEEP_IF(ok, x, free) ((ok) ? (x) : ((free)(x), NULL))

/* A bump arena: many allocations, one free.  Blocks are kept on reset, so a loop that allocates the
 * same amount in every turn calls malloc in its first turn only.  Not thread-safe: one each. */
typedef struct ThArena ThArena;
ThArena *th_arena_new(ThError *err);

/* Returns a view that lives until the next reset: n elements, 64-byte aligned, not initialised.
 * NULL when memory runs out, or the limit would be passed. */
void *th_arena_take(ThArena *a, size_t n, size_t size);
void th_arena_reset(ThArena *a);
void th_arena_limit(ThArena *a, size_t bytes); /* to hold at most; 0: no limit */
size_t th_arena_bytes(const ThArena *a);       /* bytes held, used or not */
void th_arena_free(ThArena *a);                /* NULL is fine */
