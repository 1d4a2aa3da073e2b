/* tm_tape.h - a tape of cells in memory, which grows around its head.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "turing/tm_machine.h"

typedef struct {
    uint16_t *cell; /* (size), allocated around the visited cells; owned */
    size_t size;
    int64_t base;            /* position of cell[0]; the head starts at position 0 */
    int64_t head, low, high; /* where it is, and the ends of where it was */
    uint64_t left, right;    /* cells that are not blank on either side of the head */
} ThTmTape;

/* Starts with a word (NULL and 0: blank) from position 0 on, the head at 0.  TH_ENOMEM. */
bool th_tm_tape_start(ThTmTape *t, const int *word, int length, int blank, ThError *err);
void th_tm_tape_free(ThTmTape *t);

/* Makes the tape as long again on the side on which the head has left it. */
bool th_tm_tape_grow(ThTmTape *t, int blank, ThError *err);

/* The scanned cell. */
static inline uint16_t *th_tm_tape_scanned(const ThTmTape *t)
{
    return &t->cell[t->head - t->base];
}

/* Moves the head by -1, 0 or 1, which takes constant time.  TH_ENOMEM, before anything changes. */
static inline bool th_tm_tape_move(ThTmTape *t, int move, int blank, ThError *err)
{
    if (move == 0)
        return true;
    bool mark = *th_tm_tape_scanned(t) != blank;
    t->head += move;
    if ((uint64_t)(t->head - t->base) >= t->size && !th_tm_tape_grow(t, blank, err)) {
        t->head -= move;
        return false;
    }
    bool next = *th_tm_tape_scanned(t) != blank;
    t->left = move > 0 ? t->left + mark : t->left - next;
    t->right = move > 0 ? t->right - next : t->right + mark;
    t->low = t->head < t->low ? t->head : t->low;
    t->high = t->head > t->high ? t->head : t->high;
    return true;
}

/* The symbol at a position; blank outside what is allocated. */
int th_tm_tape_at(const ThTmTape *t, int64_t position, int blank);

/* First and last position that is not blank; where all is blank they are 0 and -1.  Returns how
 * many are not blank.  Linear in the cells between them and the head. */
uint64_t th_tm_tape_extent(const ThTmTape *t, int blank, int64_t *first, int64_t *last);

/* Appends cells first … last of a tape by the rule of words (base/symbols.h). */
void th_tm_tape_write(ThText *t, const ThTm *m, const ThTmTape *tape, int64_t first, int64_t last);
