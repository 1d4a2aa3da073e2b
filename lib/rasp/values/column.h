/* column.h - building a sequence element by element, of one type.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/values/value.h"

/* *s becomes a new sequence of n elements to be filled in order, or of one for all. */
bool th_rasp_column_new(ThRaspSeq *s, size_t n, bool constant, ThError *err);

/* Makes the column, with its first i elements, one that takes kind k, if there is such a one. */
bool th_rasp_column_widen(ThRaspSeq *s, size_t i, ThRaspAtomKind k, ThError *err);

/* Sets element i; all before it are set.  Errors: TH_EVALUE for another type than theirs. */
static inline bool th_rasp_column_put(ThRaspSeq *s, size_t i, ThRaspAtom a, ThError *err)
{
    if (a.kind != s->kind) {
        if (i == 0)
            s->kind = a.kind;
        else if (!th_rasp_column_widen(s, i, a.kind, err))
            return false;
        if (s->is_float)
            s->is_float[i] = a.kind == TH_RASP_ATOM_FLOAT;
    }
    s->cell[i] = a.cell;
    return true;
}
