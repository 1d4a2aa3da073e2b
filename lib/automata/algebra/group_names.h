/* group_names.h - groups by name: permutations that make them.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_AUTOMATA_ALGEBRA_GROUP_NAMES_H
#define TH_AUTOMATA_ALGEBRA_GROUP_NAMES_H

#include "automata/algebra/group.h"

typedef struct {
    int *generator, degree, n; /* (n, degree), to be freed */
} ThGroupGenerators;

/* Adds those of a name as th_automaton_group takes it, on points of their own, to `all`, which is
 * empty at first; _ and blanks may stand as th_group_facts writes them.  TH_EPARSE with line 1 and
 * the column; all->generator may be set then, too. */
bool th_group_generators(const char *name, ThGroupGenerators *all, ThError *err);

/* Returns new: the group of a name; TH_ELIMIT beyond `limit` elements. */
ThGroup *th_group_named(const char *name, size_t limit, ThStop *stop, ThError *err);

/* Calls take(context, name) for names without x of groups with so many elements until it returns
 * false. */
void th_group_each_name(size_t order, bool (*take)(void *context, const char *name), void *context);

#endif
