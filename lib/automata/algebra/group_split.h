/* group_split.h - a name of a group with an abelian normal subgroup that has a complement.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/algebra/group_structure.h"

/* Writes "(N : H, r = ...)", (TH_GROUP_NAME), how generators of H, as th_group_named(H) has them,
 * act on those of N: matrices, the rows of which are images.  N is the one of the least rank with
 * a complement, a cyclic H before others, then the largest; the matrices are the least for any
 * generators of both.  Leaves `name` as it is where there is none, H has no name, the name is too
 * long, or the search for it. */
bool th_group_split_name(const ThGroup *g, const ThGroupStructure *s, char *name, ThStop *stop,
                         ThError *err);
