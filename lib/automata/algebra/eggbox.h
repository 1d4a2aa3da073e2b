/* eggbox.h - the words in the cells of an egg-box, as they are printed and drawn.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/green.h"

typedef struct {
    const ThMonoid *m;
    const ThGreen *g;
    char *const *name; /* (size): of the elements */
    const char *mark;  /* follows an idempotent */
    int widest;        /* columns that a cell may have */
} ThEggbox;

/* True if a cell of class d is a group. */
bool th_eggbox_group(const ThEggbox *e, int d, int row, int column);

/* Returns new: the words of a cell, or how many there are where they are too wide. */
char *th_eggbox_cell(const ThEggbox *e, int d, int row, int column, ThError *err);
