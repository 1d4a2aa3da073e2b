/* fast_blocks.h - what fast.c is made of: blocks of cells, what they do to a head, and the tape as
 * runs of blocks.  For the files of the fast engine only.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"
#include "turing/fast.h"

enum {
    TH_TM_BLOCK_CELLS = 32,       /* at most, in a block */
    TH_TM_BLOCK_INSIDE = 1 << 16, /* steps inside a block that are worked out ahead */
    TH_TM_EFFORT_MOVE = 4,        /* what a move costs, in steps inside a block */
    TH_TM_EFFORT_BLOCK = 32,      /* what a new block costs */
    TH_TM_BLOCK_ENTRIES = 4       /* from the left or the right, of an inner or of the edge block */
};

enum { TH_TM_LEAVES_LEFT = -1, TH_TM_STOPS, TH_TM_LEAVES_RIGHT, TH_TM_STAYS_LONG, TH_TM_UNKNOWN };

/* What a block does to a head that enters it in a state. */
typedef struct {
    uint32_t out; /* the block afterwards */
    uint32_t steps;
    uint16_t state;
    int8_t how;      /* TH_LEAVES_…, TH_TM_STOPS, TH_TM_STAYS_LONG, TH_TM_UNKNOWN */
    uint8_t verdict; /* TH_TM_STOPS */
    uint8_t at;      /* TH_TM_STOPS: offset of the head */
    uint8_t lo, hi;  /* offsets that the head stood on */
} ThTmBlockMove;

typedef struct {
    uint32_t block;
    uint64_t count;
} ThTmBlockRun;

typedef struct {
    ThTmBlockRun *run;
    size_t n, cap;
} ThTmBlockStack;

struct ThTmFast {
    const ThTm *m;
    int k;               /* cells in a block */
    ThIntern blocks;     /* contents by number; 0 is blank */
    ThTmBlockMove *move; /* (blocks, states, TH_TM_BLOCK_ENTRIES) */
    size_t move_cap;
    ThTmBlockStack left, right; /* what lies beside the head's block, nearest last */
    uint32_t here;              /* the head's block */
    int at;                     /* the head's offset in it */
    int64_t base;               /* position of the block's first cell */
    int64_t low, high;          /* ends of where the head was */
    int state;
    uint64_t steps;
    ThTmVerdict verdict;
    uint64_t effort; /* what the steps have cost; */
    uint64_t spent;  /* with what was worked out once and is kept */
};

typedef struct {
    uint16_t cell[TH_TM_BLOCK_CELLS];
    int at, state, lo, hi;
    uint64_t steps;
    ThTmVerdict verdict; /* TH_TM_GOES_ON while it does, and where the head has left */
} ThTmInside;

/* ---- fast_blocks.c --------------------------------------------------------------------------- */

/* A view of a block's cells, until the next th_tm_block_number. */
const uint16_t *th_tm_block_cells(const ThTmFast *f, uint32_t block);

/* Moves that are kept for each block. */
static inline size_t th_tm_block_moves(const ThTmFast *f)
{
    return (size_t)f->m->n_states * TH_TM_BLOCK_ENTRIES;
}

/* The number of a block's content; a new one gets its moves, unknown as yet.  TH_ENOMEM. */
bool th_tm_block_number(ThTmFast *f, const uint16_t *cell, uint32_t *block, ThError *err);

/* Forgets all blocks, to go on with blocks of k cells; the blank one is number 0. */
bool th_tm_block_restart(ThTmFast *f, int k, ThError *err);

/* Works a move out, into f->move.  A head that leaves in a state that stops is left for single
 * steps. */
bool th_tm_block_move(ThTmFast *f, ThTmBlockMove *to, uint32_t block, int state, int entry,
                      ThError *err);

/* The rule for where the head is, or NULL where the machine stops for want of one. */
const ThTmRule *th_tm_inside_rule(const ThTm *m, ThTmInside *x);

/* Makes a step; edge: the block's first cell is the first of the tape. */
void th_tm_inside_apply(const ThTm *m, ThTmInside *x, const ThTmRule *r, bool edge);
bool th_tm_inside(const ThTmFast *f, const ThTmInside *x); /* has the head not left? */

/* Steps inside the block as long as the head stays in it, at most `most`.  Once a configuration
 * comes back, as many turns of that loop as fit are counted at once (Brent's search for cycles).
 * Returns how many were made one by one. */
uint64_t th_tm_inside_roam(const ThTmFast *f, ThTmInside *x, bool edge, uint64_t most);

/* ---- fast.c and fast_tape.c ------------------------------------------------------------------ */

/* Puts blocks on a stack beside the head.  TH_ENOMEM. */
bool th_tm_runs_push(ThTmBlockStack *s, uint32_t block, uint64_t count, ThError *err);

/* True if more than `most` moves are kept, and blocks can be made shorter. */
bool th_tm_fast_too_many(const ThTmFast *f, size_t most);

/* Forgets what is not on the tape, so that `most` moves are kept at most: where even the tape has
 * too many kinds of blocks, these become shorter. */
bool th_tm_fast_forget(ThTmFast *f, size_t most, ThError *err);
