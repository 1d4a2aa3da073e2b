/* chunks.h - strings that are read a chunk at a time, with a memory of some slots between chunks:
 * what the Temporal Latent Bottleneck and its recurrent form share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/attention/encoder.h"

enum { TH_MODEL_MOST_UPDATES = 8 };
enum { TH_MODEL_CUT_FIXED, TH_MODEL_CUT_EQUAL }; /* cut= */

typedef struct {
    ThModelCross reads;
    ThModelNorm norm;
    ThModelNetwork feed_forward;
} ThModelUpdate;

/* How strings are cut, and the memory: indices into the parameter table. */
typedef struct {
    int rows, slots; /* symbols of a chunk at most; vectors of the memory */
    bool equal;      /* chunks are about as long as each other */
    int pool;        /* of the slots, as TH_MODEL_POOL_… */
    int through;     /* chunks that gradients go back together; 0: all */
    int updates;
    ThModelUpdate update[TH_MODEL_MOST_UPDATES];
    int memory; /* before the first chunk */
    ThModelNorm norm;
} ThModelChunks;

/* Options, for tables of options. */
#define TH_MODEL_CHUNK_OPTIONS                                                                     \
    TH_MODEL_OPTION("chunk", TH_INT, "10", 1, 65536, NULL, "symbols that are read together"),      \
        TH_MODEL_OPTION("slots", TH_INT, "10", 1, 65536, NULL, "vectors of the memory"),           \
        TH_MODEL_OPTION("updates", TH_INT, "1", 1, TH_MODEL_MOST_UPDATES, NULL,                    \
                        "layers by which the memory reads a chunk, each with weights of its own"), \
        TH_MODEL_OPTION("memory_mlp_ratio", TH_INT, "1", 1, 64, NULL,                              \
                        "width of their feed-forward layers, in multiples of dim"),                \
        TH_MODEL_OPTION(                                                                           \
            "memory_start", TH_REAL, "0.5", 0, 1000, NULL,                                         \
            "deviation of the memory before the first chunk; from 0 all slots stay the same"),     \
        TH_MODEL_OPTION(                                                                           \
            "tbptt", TH_INT, "0", 0, 1000000, NULL,                                                \
            "before every so many chunks no gradient goes back through the memory; 0: "            \
            "it always does"),                                                                     \
        TH_MODEL_OPTION(                                                                           \
            "cut", TH_CHOICE, "fixed", 0, 0, "fixed|equal",                                        \
            "fixed: only the last chunk may be shorter; equal: all are about as long"),            \
        TH_MODEL_OPTION(                                                                           \
            "pool", TH_CHOICE, "mean", 0, 0, "mean|last",                                          \
            "what one answer a string is read from: the mean of the slots, or the last")

/* As th_model_encoder_check; TH_EUSAGE, too, where cuts depend on symbols that a causal model must
 * not know of. */
bool th_model_chunks_check(const ThOptions *o, ThError *err);

/* Reads the options and lists the memory and what updates it. */
void th_model_chunks_build(ThModelChunks *c, ThModelBuilder *b, int dim);

/* Chunks in a string of n symbols, and the length of all but the last. */
int th_model_chunk_count(const ThModelChunks *c, int n);
int th_model_chunk_length(const ThModelChunks *c, int n);

/* A pass through strings of rows x (B*T, d); the rest is made by th_model_reading_begin, which
 * fails where memory runs out, as the others do. */
typedef struct {
    const ThModel *m;
    const ThModelChunks *c;
    const ThModelEncoder *e;
    ThTape *t;
    ThRng *rng;
    ThModelStrings strings;
    ThVar x;
    ThVar memory;       /* (B*slots, d) */
    bool each;          /* each position is answered, and what is remembered at the end is not */
    ThVar made;         /* the answers so far, a chunk behind the other; -1: none */
    int n_made, *place; /* their number; (B*T): where that of a position is, -1 for none */
} ThModelReading;

bool th_model_reading_begin(ThModelReading *r);

/* A chunk of the strings that have it, and which these are. */
typedef struct {
    int number;
    ThModelStrings strings;
    int *string; /* (strings.B) */
    ThVar x;
} ThModelChunk;

/* False behind the last chunk, too. */
bool th_model_reading_next(const ThModelReading *r, int number, ThModelChunk *k);

/* What the strings of a chunk remember, (strings.B*slots, d). */
ThVar th_model_reading_recall(const ThModelReading *r, const ThModelChunk *k);

/* Takes what became of the rows of a chunk, and lets the memory that was there `before` read it;
 * for inspections that is step `tag`, and those behind it. */
bool th_model_reading_store(ThModelReading *r, const ThModelChunk *k, int tag, ThVar before,
                            ThVar made);

/* The logits; where they are read from the memory, that is tagged "memory". */
ThVar th_model_reading_answer(const ThModelReading *r);
