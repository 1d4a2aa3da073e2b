/* group_families.h - families of groups that have names: cyclic, symmetric, linear, affine, ...
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/algebra/group_names.h"

/* Fills *one with the permutations of the group whose name `at` begins with, which is S_5, S5 or
 * SL(2,5); *end is behind it then.  At a text that begins with no such name *end is `at`. */
bool th_group_family(const char *at, const char **end, ThGroupGenerators *one, ThError *err);

/* Calls take(context, name) for the members of families that have so many elements until it
 * returns false; returns whether it never did. */
bool th_group_each_member(size_t order, bool (*take)(void *context, const char *name),
                          void *context);
