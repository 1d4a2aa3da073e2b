/* group_names.h - groups by name: permutations that make them.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/group.h"

typedef struct {
    int *generator, degree, n; /* (n, degree), to be freed */
} ThGroupGenerators;

/* Adds those of a name to `all`, which is empty at first.  The names: Zn (also Cn), Dn (of 2n
 * elements), Sn, An, Qn (n = 4m, generalised quaternions), SDn and Mn (n = 2^k elements), Fn (p m
 * elements, p prime, m dividing p - 1: the x -> ax + b with a^m = 1), Hep (matrices of three rows
 * with 1 in the diagonal and 0 below it), SL(2,q), PSL(2,q), GL(2,q), PGL(2,q), PΓL(2,q),
 * AGL(1,q), AΓL(1,q) with q a power of a prime (Γ may be Gamma), and M10; products A x B and A wr
 * B, where B moves copies of A as it moves its own points; Dih(N); and (N : H, r = M; ...) with a
 * matrix for every generator of H, rows after commas: N is a product of cyclic groups, the rows are
 * the images of its generators under y^-1 x y.  _ and blanks may stand as th_group_facts writes
 * them.  TH_EPARSE with line 1 and the column; all->generator may be set then, too. */
bool th_group_generators(const char *name, ThGroupGenerators *all, ThError *err);

/* Returns new: the group of a name; TH_ELIMIT beyond `limit` elements. */
ThGroup *th_group_named(const char *name, size_t limit, ThStop *stop, ThError *err);

/* Calls take(context, name) for members of families with so many elements, and for wreath products
 * of them, until it returns false. */
void th_group_each_name(size_t order, bool (*take)(void *context, const char *name), void *context);
