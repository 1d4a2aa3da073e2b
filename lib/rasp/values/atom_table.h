/* atom_table.h - finding lists of atoms among those seen before.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/values/value.h"

/* Lists of `width` atoms each, numbered in order of first arrival. */
typedef struct {
    size_t width, n;
    bool strict;     /* 1, 1.0 and True are three things, not one */
    ThRaspAtom *key; /* (n, width) */
    size_t cap;
    ThHashTable table;
} ThRaspAtomTable;

/* The number of a list, or UINT32_MAX. */
uint32_t th_rasp_atom_table_find(const ThRaspAtomTable *t, const ThRaspAtoms *p,
                                 const ThRaspAtom *key);

/* The same, adding it if it is new: then *index is the n of before. */
bool th_rasp_atom_table_add(ThRaspAtomTable *t, const ThRaspAtoms *p, const ThRaspAtom *key,
                            uint32_t *index, ThError *err);
void th_rasp_atom_table_free(ThRaspAtomTable *t);
TH_RELEASES_VALUE(th_rasp_atom_table_free, ThRaspAtomTable)

/* Sorts distinct atoms by th_rasp_atom_compare.  *order gets their numbers, smallest first, and
 * `spare` is room for n more.  Errors: TH_EVALUE where two have no common order. */
bool th_rasp_atoms_sort(const ThRaspAtoms *p, const ThRaspAtom *atom, size_t n, uint32_t *order,
                        uint32_t *spare, ThError *err);
