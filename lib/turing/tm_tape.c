#include "turing/tm_tape.h"

#include "base/symbols.h"

static void fill(uint16_t *cell, size_t n, int symbol)
{
    for (size_t i = 0; i < n; i++)
        cell[i] = (uint16_t)symbol;
}

bool th_tm_tape_start(ThTmTape *t, const int *word, int length, int blank, ThError *err)
{
    enum { BEFORE = 16, AROUND = 64 };
    size_t size = (size_t)length + AROUND;
    *t = (ThTmTape){.size = size, .base = -BEFORE};
    t->cell = th_alloc(size, sizeof *t->cell, err);
    if (!t->cell)
        return false;
    fill(t->cell, size, blank);
    for (int i = 0; i < length; i++) {
        t->cell[i + BEFORE] = (uint16_t)word[i];
        t->right += i > 0 && word[i] != blank;
    }
    return true;
}

void th_tm_tape_free(ThTmTape *t)
{
    free(t->cell);
    *t = (ThTmTape){0};
}

bool th_tm_tape_grow(ThTmTape *t, int blank, ThError *err)
{
    size_t size = 2 * t->size, shift = t->head < t->base ? t->size : 0;
    uint16_t *cell = th_alloc(size, sizeof *cell, err);
    if (!cell)
        return false;
    memcpy(cell + shift, t->cell, t->size * sizeof *cell);
    fill(shift ? cell : cell + t->size, t->size, blank);
    free(t->cell);
    t->cell = cell;
    t->size = size;
    t->base -= (int64_t)shift;
    return true;
}

int th_tm_tape_at(const ThTmTape *t, int64_t position, int blank)
{
    int64_t i = position - t->base;
    return i >= 0 && (uint64_t)i < t->size ? t->cell[i] : blank;
}

uint64_t th_tm_tape_extent(const ThTmTape *t, int blank, int64_t *first, int64_t *last)
{
    bool scanned = *th_tm_tape_scanned(t) != blank;
    uint64_t left = t->left, right = t->right;
    int64_t at = t->head;
    *first = 0;
    *last = -1;
    if (left + right + scanned == 0)
        return 0;
    while (left > 0)
        left -= t->cell[--at - t->base] != blank;
    for (*first = at; !scanned && t->left == 0 && t->cell[*first - t->base] == blank;)
        ++*first;
    at = t->head;
    while (right > 0)
        right -= t->cell[++at - t->base] != blank;
    for (*last = at; t->cell[*last - t->base] == blank;)
        --*last;
    return t->left + t->right + scanned;
}

void th_tm_tape_write(ThText *t, const ThTm *m, const ThTmTape *tape, int64_t first, int64_t last)
{
    bool single = th_symbols_single(m->symbol, m->n_symbols);
    for (int64_t i = first; i <= last; i++) {
        th_text_add(t, i > first && !single ? " " : "");
        th_text_add(t, m->symbol[th_tm_tape_at(tape, i, m->blank)]);
    }
}
