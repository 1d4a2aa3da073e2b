/* run_impl.h - what the parts of the evaluator share.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_RASP_EVALUATE_RUN_IMPL_H
#define TH_RASP_EVALUATE_RUN_IMPL_H

#include "base/memory.h"
#include "rasp/evaluate/ranks.h"
#include "rasp/evaluate/rasp_run.h"
#include "rasp/graph/graph_impl.h"
#include "rasp/values/number.h"

/* The rows of one select: row i selects the keys with ranks lo[i] … hi[i]-1, or all but those. */
typedef struct {
    const ThRaspRanks *keys;
    uint32_t *lo, *hi; /* (n) */
    bool except;
    /* Where a function selects no such interval: bit k of row query[i] of the table says whether
     * row i selects the keys of rank k. */
    uint64_t *table; /* (queries, words), or NULL */
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
    size_t n;      /* elements of all inputs */
    size_t length; /* of one input: they lie end to end */
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

/* What a row selects, added up; also with signs. */
typedef struct {
    int64_t count, where; /* cells; sum of their columns */
    ThRaspWide value;
} ThRaspTally;

/* A part of a selector's rows that is a conjunction: bits of the literals, see formula.c. */
enum { TH_RASP_TERMS = 48, TH_RASP_MATCHES = 20 };
enum { TH_RASP_PART_IN, TH_RASP_PART_BELOW, TH_RASP_PART_ABOVE, TH_RASP_N_PARTS };
#define TH_RASP_CAUSAL ((uint64_t)1)
typedef struct {
    uint64_t literals; /* TH_RASP_CAUSAL, or bit 1 + TH_RASP_N_PARTS · match + part */
    int sign;
} ThRaspTerm;
typedef struct {
    int n; /* -1: cannot be written so */
    ThRaspTerm term[TH_RASP_TERMS];
} ThRaspTerms;
typedef struct {
    const ThRaspMatch *match[TH_RASP_MATCHES];
    int n_matches;
    ThRaspTerms terms;
} ThRaspFormula;

/* Writes a selector as a sum of terms with signs (for counting), or as a union of terms.  Where
 * that takes too many, terms.n is -1. */
bool th_rasp_formula(ThRaspFormula *f, ThRaspRun *r, ThRaspSop selector, bool sum, ThError *err);

/* How one term is evaluated for all rows at once, see plan.c. */
typedef struct {
    size_t n;
    const uint32_t
        *candidate;       /* (n): the only column that row i may select, or UINT32_MAX; else: */
    const uint32_t *code; /* (n): where the key of a column lies among n_codes */
    uint32_t n_codes;
    const uint32_t *lo,
        *hi;     /* (n): row i selects the codes lo … hi-1 of the columns that are there */
    bool points; /* hi ≤ lo + 1 */
    const uint32_t *order; /* (n): columns come in this order; NULL: from left to right */
    size_t n_events;
    const uint32_t *row;   /* (n_events): which row is asked; NULL: event e is row e */
    const uint32_t *until; /* (n_events): after how many columns, ascending; NULL: after all */
    const int8_t *sign;    /* (n_events): NULL: all 1 */
} ThRaspPlan;

/* Plans a term; `sum` allows events with signs.  Views into the arena.  *possible is false for
 * terms that need more than two dimensions. */
typedef struct {
    const ThRaspFormula *f;
    bool sum;
    ThArena *arena;
    ThStop *stop;
} ThRaspPlanning;
bool th_rasp_plan(const ThRaspPlanning *how, ThRaspTerm term, ThRaspPlan *plan, bool *possible,
                  ThError *err);

/* Adds a term's tallies to those of the rows.  value(s) of column j: value[j], or 0 where NULL. */
typedef struct {
    const ThRaspCell *narrow; /* ints */
    const ThRaspWide *wide;   /* else; both NULL: no values */
    bool constant;
} ThRaspAddends;
bool th_rasp_plan_tally(const ThRaspPlanning *how, const ThRaspPlan *plan, ThRaspAddends v,
                        int sign, ThRaspTally *tally, ThError *err);

/* best[i] becomes the greatest of best[i] and of 1 + score[j] over the columns j of row i. */
bool th_rasp_plan_greatest(const ThRaspPlan *plan, const uint32_t *score, uint32_t *best,
                           ThArena *arena, ThStop *stop, ThError *err);

#endif
