/* run_impl.h - what the parts of the evaluator share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/evaluate/ranks.h"
#include "rasp/evaluate/rasp_run.h"
#include "rasp/graph/graph_impl.h"
#include "rasp/values/number.h"

/* The rows of one select: row i selects the keys with ranks lo[i] … hi[i]-1, or all but those. */
typedef struct {
    const ThRaspRanks *keys;
    uint32_t *lo, *hi; /* (n) */
    bool except;
    /* Of a function: bit k of row query[i] of the table says whether row i selects the keys of rank
     * k. */
    uint64_t *table; /* (queries, words); NULL: an operator selects */
    size_t words;
    uint32_t *query; /* (n) */
} ThRaspMatch;

/* What is known of a class of nodes. */
typedef struct {
    uint64_t serial; /* the node's, or the rest is of another that is forgotten */
    ThRaspSeq value; /* s-ops; cell is NULL until evaluated */
    bool borrowed;   /* value belongs to the input */
    bool checked;    /* selectors: can be evaluated */
    uint32_t mark;   /* the collection in which it was last seen */
    ThRaspRanks *ranks[TH_RASP_N_RANKS_BY];
    ThRaspMatch *match; /* TH_RASP_NODE_SELECT, TH_RASP_NODE_MATCH */
} ThRaspSlot;

struct ThRaspRun {
    ThRaspGraph *g;
    ThRaspAtoms *atoms;
    ThRaspSeq input;
    size_t n; /* elements of the input */
    ThRaspSlot *slot;
    size_t cap;
    size_t bytes, limit;
    ThRaspSop failed;
    uint32_t mark; /* the last collection */
};

/* View of the value of an evaluated class. */
static inline const ThRaspSeq *th_rasp_run_value_of(const ThRaspRun *r, ThRaspSop canonical)
{
    return &r->slot[canonical].value;
}

/* The class of a node's argument i. */
static inline ThRaspSop th_rasp_run_arg(const ThRaspRun *r, ThRaspSop node, size_t i)
{
    return th_rasp_node(r->g, th_rasp_arg(r->g, node, i))->canonical;
}

/* Counts memory that a run keeps.  Errors: TH_ELIMIT. */
bool th_rasp_run_charge(ThRaspRun *r, size_t bytes, ThError *err);

/* Evaluate one class whose arguments are evaluated: everything but aggregates and widths; those;
 * the rows of a select. */
bool th_rasp_run_elements(ThRaspRun *r, ThRaspSop canonical, ThRaspSeq *value, ThStop *stop,
                          ThError *err);
bool th_rasp_run_aggregate(ThRaspRun *r, ThRaspSop canonical, ThRaspSeq *value, ThStop *stop,
                           ThError *err);
bool th_rasp_run_match(ThRaspRun *r, ThRaspSop canonical, ThStop *stop, ThError *err);
void th_rasp_match_free(ThRaspMatch *m); /* NULL is fine */

/* The ranks of an evaluated class, made when first asked for. */
const ThRaspRanks *th_rasp_run_ranks(ThRaspRun *r, ThRaspSop canonical, ThRaspRanksBy by,
                                     ThStop *stop, ThError *err);

/* Returns new: classes that a class depends on, in ascending order, itself last; *n of them, freed
 * with free().  TH_RASP_PENDING: those that must be evaluated for it; TH_RASP_PARTS: the selectors
 * that a selector is made of. */
typedef enum { TH_RASP_PENDING, TH_RASP_PARTS } ThRaspCollect;
ThRaspSop *th_rasp_run_collect(ThRaspRun *r, ThRaspSop canonical, ThRaspCollect what, size_t *n,
                               ThError *err);

/* A selector row by row: bit j of a row says whether it selects the j-th element of its input. */
typedef struct {
    const ThRaspRun *run;
    ThRaspSop *part;
    size_t n_parts;
    uint32_t (*arg)[2]; /* (n_parts): which parts a part joins */
    size_t words;       /* of a row */
    uint64_t *bits;     /* (n_parts, words) */
} ThRaspRows;
bool th_rasp_rows_open(ThRaspRows *rows, ThRaspRun *r, ThRaspSop selector, ThError *err);
const uint64_t *th_rasp_rows_row(ThRaspRows *rows, size_t i); /* view until the next row */
void th_rasp_rows_close(ThRaspRows *rows);

/* What a row selects. */
typedef struct {
    int64_t count;    /* of cells */
    size_t last;      /* column, of those that have values */
    ThRaspWide value; /* the sum */
} ThRaspTally;
