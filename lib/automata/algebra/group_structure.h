/* group_structure.h - what a small group is made of: normal subgroups, direct factors, invariants.
 * All is seen in the table of products, so that what is found is so.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/algebra/group_table.h"

enum { TH_GROUP_STRUCTURE_MOST = 2000 }; /* elements */

typedef struct {
    bool *inside; /* (elements) */
    int size;
    bool abelian;
} ThGroupNormal;

typedef struct {
    ThGroupTable table;
    ThGroupNormal *normal; /* the first is trivial; no more than a few hundred are looked for */
    int n_normal;
    ThGroup *factor[2]; /* G is their direct product, the second one abelian where it can be; NULL:
                         * none was found among the normal subgroups, or there is none */
    ThGroup *inverted;  /* all elements outside this one of half the size are involutions: it is
                         * abelian and they invert it; or NULL */
    int classes, centre;
} ThGroupStructure;

/* Fills *s, also after errors; to be freed.  TH_EINTERRUPTED, TH_ENOMEM; TH_ELIMIT for groups with
 * more elements than above.  O(n^2) time and memory, and more for many normal subgroups. */
bool th_group_structure(const ThGroup *g, ThGroupStructure *s, ThStop *stop, ThError *err);
void th_group_structure_free(ThGroupStructure *s);

/* Returns new: a normal subgroup as permutations. */
ThGroup *th_group_part(const ThGroup *g, const ThGroupNormal *part, ThStop *stop, ThError *err);

/* Whether an isomorphism was found before *budget, which counts products, came to its end. */
bool th_group_isomorphic(const ThGroup *g, const ThGroup *h, long *budget, ThStop *stop,
                         ThError *err);
