#include "rasp/values/column.h"

bool th_rasp_column_new(ThRaspSeq *s, size_t n, bool constant, ThError *err)
{
    *s = (ThRaspSeq){.n = n, .constant = constant};
    s->cell = th_alloc(constant ? 1 : n, sizeof *s->cell, err);
    return s->cell != NULL;
}

bool th_rasp_column_widen(ThRaspSeq *s, size_t i, ThRaspAtomKind k, ThError *err)
{
    bool number = k == TH_RASP_ATOM_INT || k == TH_RASP_ATOM_FLOAT;
    if (s->kind == TH_RASP_ATOM_MIXED && number)
        return true;
    if (!number || (s->kind != TH_RASP_ATOM_INT && s->kind != TH_RASP_ATOM_FLOAT))
        return th_fail(err, TH_EVALUE, "a sequence of %s and %s", th_rasp_atom_kind_plural(s->kind),
                       th_rasp_atom_kind_plural(k)) ||
               th_hint(err, "all elements have one type; ints and floats may be mixed");
    s->is_float = th_alloc(s->constant ? 1 : s->n, 1, err);
    if (!s->is_float)
        return false;
    memset(s->is_float, s->kind == TH_RASP_ATOM_FLOAT, i);
    s->kind = TH_RASP_ATOM_MIXED;
    return true;
}
