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

enum { TH_GROUP_NAME = 64, TH_GROUP_INVARIANTS = 192 };
/* How many generators there are; *degree gets the number of points.  Views of them and of elements
 * until the next th_group_add. */
size_t th_group_generators_of(const ThGroup *g, size_t *degree);
const int *th_group_generator(const ThGroup *g, size_t i);
const int *th_group_element(const ThGroup *g, size_t i);
size_t th_group_element_order(const ThGroup *g, size_t i);

typedef struct {
    size_t order;
    bool abelian, solvable;
    size_t longest;  /* greatest order of an element */
    size_t exponent; /* least common multiple of their orders */
    /* trivial, Z_n, products of these for other abelian groups, S_n, A_n, D_n (2n elements), Q_8
     * and larger Q_4n.  To order 2,000 also direct products of what has a name, Dih(A) (an abelian
     * group and an involution that inverts it), F_n, SD_n and M_n, (Z_n : Z_m, r = R) where a
     * generator of the second takes x of the first to x^R, SL(2,p), GL(2,p), PSL(2,p), PGL(2,p) and
     * PSL(2,8).  Each determines the group and is proved: by an isomorphism that was found, by its
     * parts in the table of products, or by a theorem.  Else "order N". */
    char name[TH_GROUP_NAME];
    char invariants[TH_GROUP_INVARIANTS]; /* of one without a name, to order 2,000; or "" */
} ThGroupFacts;

bool th_group_facts(const ThGroup *g, ThGroupFacts *f, ThStop *stop, ThError *err);

#endif
