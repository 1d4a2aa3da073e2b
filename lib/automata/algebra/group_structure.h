/* group_structure.h - what a small group is made of: direct factors, a cyclic normal subgroup with
 * a cyclic complement, invariants.  All is seen in the table of products, so that what is found is
 * so.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_AUTOMATA_ALGEBRA_GROUP_STRUCTURE_H
#define TH_AUTOMATA_ALGEBRA_GROUP_STRUCTURE_H

#include "automata/algebra/group.h"

enum { TH_GROUP_STRUCTURE_MOST = 2000 }; /* elements */

typedef struct {
    ThGroup *factor[2]; /* G is their direct product, the second one abelian where it can be; NULL:
                         * none was found among the normal subgroups tried, or there is none */
    ThGroup *inverted;  /* all elements outside this one of half the size are involutions: it is
                         * abelian and they invert it; or NULL */
    bool simple;
    int normal, complement, r; /* x of order `normal`, y of order `complement` make the group,
                                * their powers meet in the identity, and y^-1 x y = x^r; normal
                                * is the largest, r the least that there are.  0: none */
    int classes, centre;
} ThGroupStructure;

/* Fills *s, also after errors; to be freed.  TH_EINTERRUPTED, TH_ENOMEM; TH_ELIMIT for groups with
 * more elements than above.  O(n^2) time and memory, and more for many normal subgroups, of which
 * no more than a few hundred are looked at. */
bool th_group_structure(const ThGroup *g, ThGroupStructure *s, ThStop *stop, ThError *err);
void th_group_structure_free(ThGroupStructure *s);

/* Whether an isomorphism was found before *budget, from which the elements of all groups made on
 * the way are taken, came to its end. */
bool th_group_isomorphic(const ThGroup *g, const ThGroup *h, long *budget, ThStop *stop,
                         ThError *err);

#endif
