
#include "rasp/values/column.h"

static bool too_long(size_t n, ThError *err)
{
    return th_fail(err, TH_ELIMIT, "a sequence of %zu elements: the longest has %d", n,
                   TH_RASP_SEQ_MAX);
}

bool th_rasp_seq_of(const ThRaspAtom *atom, size_t n, ThRaspSeq *s, ThError *err)
{
    ThRaspSeq new;
    if (n > TH_RASP_SEQ_MAX)
        return too_long(n, err);
    if (!th_rasp_column_new(&new, n, false, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!th_rasp_column_put(&new, i, atom[i], err)) {
            th_rasp_seq_free(&new);
            return false;
        }
    *s = new;
    return true;
}

bool th_rasp_seq_of_text(ThRaspAtoms *p, const char *text, size_t size, ThRaspSeq *s, ThError *err)
{
    if (!th_utf8_valid(text, size))
        return th_fail(err, TH_EVALUE, "the input is not valid UTF-8");
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    if (n > TH_RASP_SEQ_MAX)
        return too_long(n, err);
    ThRaspSeq new = {.kind = TH_RASP_ATOM_STRING, .n = n};
    if (!(new.cell = th_alloc(n, sizeof *new.cell, err)))
        return false;
    for (size_t i = 0, at = 0; i < n; i++) {
        size_t bytes = th_utf8_next(text + at, size - at, NULL);
        ThRaspAtom a;
        if (!th_rasp_atom_string(p, text + at, bytes, &a, err)) {
            th_rasp_seq_free(&new);
            return false;
        }
        new.cell[i] = a.cell;
        at += bytes;
    }
    if (!n)
        new.kind = TH_RASP_ATOM_INT;
    *s = new;
    return true;
}

bool th_rasp_seq_copy(const ThRaspSeq *from, ThRaspSeq *s, ThError *err)
{
    ThRaspSeq new = *from;
    size_t n = from->constant ? 1 : from->n;
    new.cell = th_copy(from->cell, n, sizeof *from->cell, err);
    new.is_float = from->is_float ? th_copy(from->is_float, n, 1, err) : NULL;
    if (!new.cell || (from->is_float && !new.is_float)) {
        th_rasp_seq_free(&new);
        return false;
    }
    *s = new;
    return true;
}

void th_rasp_seq_free(ThRaspSeq *s)
{
    TH_FREE(s->cell, s->is_float);
    *s = (ThRaspSeq){0};
}

bool th_rasp_seq_uniform(const ThRaspAtoms *p, const ThRaspSeq *s)
{
    ThRaspAtom first = th_rasp_seq_at(s, 0);
    for (size_t i = 1; i < (s->constant ? 1 : s->n); i++) {
        ThRaspAtom a = th_rasp_seq_at(s, i);
        if (a.kind != first.kind || !th_rasp_atom_equal(p, a, first))
            return false;
    }
    return true;
}
