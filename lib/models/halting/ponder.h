/* ponder.h - a block that is applied to strings until a small network says that it is enough.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/attention/encoder.h"

enum { TH_MODEL_HALT_NONE, TH_MODEL_HALT_TOKEN, TH_MODEL_HALT_GLOBAL };

/* When block 0 of an encoder has been applied often enough. */
typedef struct {
    int halt;        /* nothing stops before `steps`; every position by itself; or the string */
    int steps, from; /* most applications; the first state that may get mass */
    bool transition; /* the decision sees the state behind the block, too */
    double threshold, ponder;
    ThModelNetwork network;
} ThModelThinker;

/* Its options but halt, for tables of options. */
#define TH_MODEL_THINK_OPTIONS(most, moved)                                                        \
    TH_MODEL_OPTION("steps", TH_INT, most, 1, 64, NULL, "how often the block is applied at most"), \
        TH_MODEL_OPTION("transition", TH_FLAG, moved, 0, 0, NULL,                                  \
                        "whether the decision to stop sees the state behind the block, too"),      \
        TH_MODEL_OPTION(                                                                           \
            "threshold", TH_REAL, "0.999", 0, 2, NULL,                                             \
            "stop where so much of the mass would have been given away; beyond 1 never"),          \
        TH_MODEL_OPTION("ponder", TH_REAL, "0.01", 0, 1000, NULL,                                  \
                        "weight in the loss of how often the block was applied"),                  \
        TH_MODEL_OPTION(                                                                           \
            "halt_from", TH_INT, "0", 0, 1, NULL,                                                  \
            "first state that may get mass: 0 the embedded symbols, 1 what the block makes of "    \
            "them")

/* Reads the options, and lists the network where something stops. */
void th_model_thinker_build(ThModelThinker *k, ThModelBuilder *b, int halt, int dim);

/* Whether a string stops as a whole: where halting is global and nothing may be seen ahead. */
bool th_model_thinks_by_string(const ThModelThinker *k, const ThModelEncoder *e);

/* Some strings that are thought about. */
typedef struct {
    ThModelStrings strings;
    ThVar x, memory; /* states (B*T, d); for a block that reads memory keys and values, as many for
                        every string; else -1 */
    const ThModelCopies *of; /* what the states are copies of, or NULL */
    const int *wanted;       /* (B): the row of each string whose mean is wanted, -1 for none, where
                                strings stop as a whole; NULL: all rows */
    int number;              /* of the first step, for inspections */
    const float *price; /* (B): of an application to a string, or the mean over its positions */
    ThRng *rng;
    const char *name; /* the states are tagged by it where names are kept */
} ThModelThought;

/* The states by their masses (B*T, d), or (B, d) of the rows that are wanted.  What they cost is
 * added to *cost, which is -1 for none. */
ThVar th_model_think(const ThModelThinker *k, const ThModelEncoder *e, ThTape *t,
                     const ThModelThought *about, ThVar *cost);
