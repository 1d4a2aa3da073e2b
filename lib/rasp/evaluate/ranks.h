/* ranks.h - the keys of a selection by their order.
 *
 * The keys of all positions are numbered by their rank among the different keys.  A row of a
 * selection by == < <= > >= is then an interval of ranks, and one by != the rest of one.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/stop.h"
#include "rasp/values/atom_table.h"

typedef struct {
    size_t n;              /* positions */
    uint32_t m;            /* different keys */
    uint32_t *rank;        /* (n) */
    uint32_t *position;    /* (m): the first position with the key of a rank */
    ThRaspAtom *value;     /* (m): the keys, in order */
    bool ordered;          /* ranks follow the order of keys; else only equality holds */
    uint32_t *order;       /* (n): the positions by their ranks */
    ThRaspAtomTable table; /* the keys in order of their first positions, */
    uint32_t *of_table;    /* (m): and their ranks */
} ThRaspRanks;

/* Which keys are the same: equal ones (then tuples are not put into an order, which costs
 * comparisons; other kinds always are); equal ones, in order; only those of the same kind, too (as
 * a function may tell 1 from 1.0; then nothing can be found). */
typedef enum {
    TH_RASP_BY_EQUALITY,
    TH_RASP_BY_ORDER,
    TH_RASP_BY_IDENTITY,
    TH_RASP_N_RANKS_BY
} ThRaspRanksBy;

/* Returns new: the ranks of a sequence.
 * Errors: TH_EVALUE for tuples without a common order, TH_ENOMEM, TH_EINTERRUPTED. */
ThRaspRanks *th_rasp_ranks_new(const ThRaspAtoms *p, const ThRaspSeq *keys, ThRaspRanksBy by,
                               ThStop *stop, ThError *err);
void th_rasp_ranks_free(ThRaspRanks *r); /* NULL is fine */

/* *below: how many of the different keys are less than x; *upto: less or equal.  Where there is no
 * order, of the kinds or of the ranks, they differ exactly if x is a key, which has rank *below.
 * Errors: TH_EVALUE for an x without a common order with the keys, if these are ordered tuples. */
bool th_rasp_ranks_find(const ThRaspRanks *r, const ThRaspAtoms *p, ThRaspAtom x, uint32_t *below,
                        uint32_t *upto, ThError *err);

size_t th_rasp_ranks_bytes(const ThRaspRanks *r); /* memory held, about */
