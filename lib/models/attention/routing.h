/* routing.h - which vectors RegularGPT computes, and from which.
 *
 * At level l a position attends to those at distances 0, s, 2s, … (C-1)s with s = Cˡ (Chi et al.
 * 2023, Eq. 1).  Where only the last position answers, all that matters is the tree of Fig. 1 below
 * it: T/C + T/C² + … vectors instead of T·log T.  And since a vector is a function of the
 * symbols below it, equal strings of symbols need one vector in the whole batch: over two symbols
 * level 0 has at most four.  A ThModelRouting lists the distinct vectors of every stage by the rows
 * of the stage before; a stage is one application of one of the K sub-layers.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "learn/batch.h"
#include "tensor/tape/tape.h"

enum { TH_MODEL_ROUTE_PAD = -1, TH_MODEL_ROUTE_MASKED = -2 };

typedef struct {
    int C, K;
    int levels;    /* at least */
    bool collapse; /* only the chunks' right ends go on to the next level (the released form); else
                      every position does (the form of the paper) */
    bool mask;     /* a missing child is masked instead of being the pad vector */
    bool every;    /* every position answers; needs !collapse */
} ThModelRoutingShape;

/* The positions of a stage, the same for all strings of a length. */
typedef struct {
    int level, sub;
    bool ends_level; /* the last sub-layer of its level */
    int n;
    int *position; /* (n): position in the string, -1 for a pad's own vector */
    int *key;      /* (n, C): index among the positions of the stage before, or TH_ROUTE_*; key 0 is
                      the position itself */
} ThModelSchedule;

/* ⌈log_C T⌉, at least 1, in integers; and the levels that a shape has for length T. */
int th_model_routing_depth(int T, int C);
int th_model_routing_levels(const ThModelRoutingShape *shape, int T);

/* How far before its own position a vector of this stage has read: every sub-layer of level l adds
 * (C-1)·Cˡ.  Above INT_MAX it is no longer counted. */
long long th_model_routing_span(const ThModelRoutingShape *shape, const ThModelSchedule *s);

/* Returns a view of arena memory: the stages for length T, *n of them, or NULL (out of memory). */
ThModelSchedule *th_model_routing_schedule(ThArena *a, const ThModelRoutingShape *shape, int T,
                                           int *n);

/* A stage over a batch. */
typedef struct {
    int number;   /* of the stage, from 0 */
    int n;        /* distinct vectors */
    int n_before; /* rows of the stage before; row n_before is the pad vector */
    bool uses_pad;
    int n_self;    /* distinct rows that ask */
    int *self;     /* (n_self): rows of the stage before */
    int *query;    /* (n): which of them asks */
    int *key;      /* (n, C): rows of the stage before; -1 masked */
    bool identity; /* query[i] = i for all i, and n = n_self */
    ThVar output;  /* (n, dim): the vectors, before noise; -1 until the architecture runs */
    int n_done;    /* rows that answer for strings whose last stage this is; none of a rectangle */
    int *done;     /* (n_done) */
} ThModelRoutingStage;

typedef struct ThModelRouting {
    int n_inputs;
    int *input; /* (n_inputs): token of each input row */
    int n_stages;
    const ThModelSchedule *schedule; /* (n_stages): of the longest strings */
    ThModelRoutingStage *stage;      /* (n_stages) */
    int n_outputs;
    int *output; /* (n_outputs), one a string, or one a position: rows of the last stage; where
                    strings differ in length, rows of all that is done, stage after stage, and -1
                    for padding */
} ThModelRouting;

/* Fills *r with views of arena memory.  With `share` equal vectors are listed once, and the input
 * rows are the n_symbols symbols; otherwise input row b*T + i is position i of string b, and rows
 * follow strings and positions in order.  Strings of other lengths have stages of their own, which
 * are computed together, so that equal vectors are shared among all.  O(B · positions · C).  False:
 * out of memory. */
bool th_model_routing_build(ThArena *a, const ThModelRoutingShape *shape, const ThBatch *b,
                            int n_symbols, bool share, ThModelRouting *r);

/* Positions first … end - 1 of B strings, of which position p of string b has row p*B + b. */
typedef struct {
    int B, first, end;
} ThModelRoutingSpan;

/* Fills *s with a stage of the dilated form at these positions only, when the stage before has all
 * up to `end`.  Returns a view of arena memory: the n_before rows of that stage which this one
 * reads, and by whose place here it names them; or NULL (out of memory). */
const int *th_model_routing_next(ThArena *a, const ThModelRoutingShape *shape,
                                 const ThModelRoutingSpan *span, int number,
                                 ThModelRoutingStage *s);
