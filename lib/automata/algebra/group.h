/* group.h - small permutation groups: closing under generators, and naming what comes out.
 *
 *     ThGroup *g = th_group_new(3, &err);
 *     th_group_add(g, (int[]){1, 2, 0}, 1000, stop, &err);
 *     ThGroupFacts f;
 *     th_group_facts(g, &f, stop, &err);                     // f.name is "Z_3"
 *     th_group_free(g);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_AUTOMATA_ALGEBRA_GROUP_H
#define TH_AUTOMATA_ALGEBRA_GROUP_H

#include "base/stop.h"

typedef struct ThGroup ThGroup;

/* Returns new: the trivial group on this many points. */
ThGroup *th_group_new(int degree, ThError *err);
void th_group_free(ThGroup *g); /* NULL is fine */

/* Adds a permutation, (degree), as a generator, if it is no element yet, and closes under products.
 * TH_ELIMIT beyond `limit` elements (0: none); the group is unusable then. */
bool th_group_add(ThGroup *g, const int *permutation, size_t limit, ThStop *stop, ThError *err);

size_t th_group_order(const ThGroup *g);

/* The number of a permutation among the elements, or SIZE_MAX; element 0 is the identity. */
size_t th_group_find(const ThGroup *g, const int *permutation);

enum { TH_GROUP_NAME = 64 };
typedef struct {
    size_t order;
    bool abelian, solvable;
    size_t longest;  /* greatest order of an element */
    size_t exponent; /* least common multiple of their orders */
    /* trivial, Z_n, products of these for other abelian groups, S_n, A_n, D_n (2n elements), Q_8
     * and larger Q_4n; to order 2,000 F_n, SL(2,p), PSL(2,p) and products, as th_group_named has
     * them, where an isomorphism was found; else "order N". */
    char name[TH_GROUP_NAME];
} ThGroupFacts;

bool th_group_facts(const ThGroup *g, ThGroupFacts *f, ThStop *stop, ThError *err);

#endif
