/* green.h - Green's relations of a transition monoid.
 *
 * Two elements are R-related when each is the other times something on the right, L-related on the
 * left, H-related when both, D-related (here the same as J) when linked by a chain of these.  A
 * D-class is an egg-box: its R-classes are rows, its L-classes columns, its H-classes the cells,
 * all of one size.  A cell with an idempotent is a group.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/monoid.h"

typedef struct {
    int first;      /* its first element */
    int n_r, n_l;   /* rows and columns */
    int h_size;     /* elements of every cell */
    int n_groups;   /* cells that are groups: idempotents in it; 0: the class is not regular */
    int idempotent; /* the first, or -1 */
    int depth;      /* length of the longest chain of classes above it */
} ThGreenDClass;

/* Classes are numbered: D-classes from the identity's downwards by depth, then by first elements;
 * rows and columns inside their D-class by first elements. */
typedef struct {
    int n_r, n_l, n_h, n_d;
    int *d, *row, *column;  /* (size): class of an element, its row and column in there */
    ThGreenDClass *d_class; /* (n_d) */
    int *order, *start;     /* (size), (n_d + 1): elements by class, row, column, number; the
                               elements of class d are order[start[d]] … order[start[d+1]-1] */
    int n_idempotents, n_regular;
    int depth; /* greatest of a class */
} ThGreen;

/* Returns new.  Linear in size · symbols, for the strongly connected components of the Cayley
 * graphs, plus size · states for the idempotents. */
ThGreen *th_green_new(const ThMonoid *m, ThStop *stop, ThError *err);
void th_green_free(ThGreen *g); /* NULL is fine */
TH_RELEASES(th_green_free, ThGreen)

/* Elements of a cell: *n gets class[d].h_size; a view into order. */
const int *th_green_cell(const ThGreen *g, int d, int row, int column, int *n);

/* The order of D-classes without what follows from the rest: pairs (above, below), 2·n numbers,
 * returned new.  TH_ELIMIT beyond 1000 classes: cubic. */
int *th_green_covers(const ThGreen *g, const ThMonoid *m, size_t *n, ThError *err);
