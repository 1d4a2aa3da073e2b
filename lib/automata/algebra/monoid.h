/* monoid.h - the transition monoid of a machine: the maps of states that words induce.
 *
 * Elements are numbered in the order of their shortest words (shorter first, then by symbols);
 * element 0 is the identity, the map of the empty word.  Maps act from the right: the product xy
 * is x first, then y.
 *
 *     ThMonoid *m = th_monoid_new(minimal, 1000000, stop, &err);
 *     int ab = m->right[m->right[a] * m->n_symbols + b];      // 1·a is m->right[a]
 *     th_monoid_free(m);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"
#include "base/hash.h"

typedef struct {
    int n_states, n_symbols;
    int size;
    int *right;             /* (size, n_symbols): x·a, the right Cayley graph */
    int *left;              /* (size, n_symbols): a·x, the left Cayley graph */
    int *prefix;            /* (size): the element of the shortest word without its last symbol */
    int *last;              /* (size): that symbol; -1 for the identity */
    int *length;            /* (size): of the shortest word */
    unsigned char *map;     /* (size, n_states) numbers of `width` bytes; read by th_monoid_image */
    int width;              /* 1, 2 or 4 */
    ThHashTable table;      /* of the maps */
    size_t cap;             /* room for elements */
    unsigned char *scratch; /* one map, for products: a monoid is used by one thread at a time */
} ThMonoid;

/* Returns new: all elements, by Froidure and Pin's algorithm (1997), in which most products cost
 * no look at the states.  TH_ELIMIT beyond `limit` elements (0: no limit but 2^30); TH_ELIMIT,
 * TH_ENOMEM and TH_EINTERRUPTED say how many there were. */
ThMonoid *th_monoid_new(const ThDfa *d, size_t limit, ThStop *stop, ThError *err);
void th_monoid_free(ThMonoid *m); /* NULL is fine */
TH_RELEASES(th_monoid_free, ThMonoid)

/* Where element x takes state q. */
int th_monoid_image(const ThMonoid *m, int x, int q);

/* The product of two elements.  O(n_states). */
int th_monoid_product(const ThMonoid *m, int x, int y);

/* The element with this map, (n_states), or -1. */
int th_monoid_find(const ThMonoid *m, const int *map);

/* Writes the shortest word of x, length[x] symbols. */
void th_monoid_word(const ThMonoid *m, int x, int *word);

bool th_monoid_idempotent(const ThMonoid *m, int x);
