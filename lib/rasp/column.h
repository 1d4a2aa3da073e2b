/* column.h - building a sequence element by element, of one type. */
#ifndef TH_RASP_COLUMN_H
#define TH_RASP_COLUMN_H

#include "rasp/value.h"

/* *s becomes a new sequence of n elements to be filled in order, or of one for all. */
bool th_column_new(ThSeq *s, size_t n, bool constant, ThError *err);

/* Makes the column, with its first i elements, one that takes kind k, if there is such a one. */
bool th_column_widen(ThSeq *s, size_t i, ThAtomKind k, ThError *err);

/* Sets element i; all before it are set.  Errors: TH_EVALUE for another type than theirs. */
static inline bool th_column_put(ThSeq *s, size_t i, ThAtom a, ThError *err)
{
    if (a.kind != s->kind) {
        if (i == 0)
            s->kind = a.kind;
        else if (!th_column_widen(s, i, a.kind, err))
            return false;
        if (s->is_float)
            s->is_float[i] = a.kind == TH_ATOM_FLOAT;
    }
    s->cell[i] = a.cell;
    return true;
}

#endif
