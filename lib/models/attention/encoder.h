/* encoder.h - what the encoders of Ray Chowdhury and Caragea 2024 are made of, whatever applies
 * their blocks: embedded symbols between ends, blocks with layer norm before each part, and an
 * answer for a string or for each position.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/attention/attention.h"

/* Attention of some rows to others, without positions. */
typedef struct {
    ThModelNorm asks, asked;
    int query, key_value, output;
} ThModelCross;

/* Beside the attention of a string to itself, which stands in ThModelAttention. */
typedef struct {
    ThModelNorm norm1, norm2;
    bool reads_memory, gated;
    ThModelCross memory;
    ThModelNetwork feed_forward, gate;
} ThModelBlock;

enum { TH_MODEL_POOL_MEAN, TH_MODEL_POOL_END }; /* of an empty string zeros */

/* The layout of such a model begins with one. */
typedef struct {
    ThModelAttention attention;
    int ends; /* the parameter: a symbol before a string, and one behind it; -1: none */
    bool
        anew; /* strings are cut, and positions begin anew in every part, which whoever cuts adds */
    double dropout;
    ThModelNorm last; /* of the rows that are answered from; gain -1: none */
    ThModelNetwork answer;
    ThModelBlock block[TH_POSITION_LAYERS]; /* (attention.layers) */
} ThModelEncoder;

/* B strings of T rows each, of which the first length[b] count. */
typedef struct {
    int B, T;
    const int *length;
    const int *place; /* (B,T): where the rows stand, drawn; NULL: at 0 … T-1 */
} ThModelStrings;

/* ---- parameters ---- */

/* The options that all of them have, for tables of options; the default of ends is given. */
#define TH_MODEL_ENCODER_OPTIONS(ended)                                                            \
    TH_MODEL_OPTION("dim", TH_INT, "64", 1, 65536, NULL, "width of the hidden vectors"),           \
        TH_MODEL_OPTION("heads", TH_INT, "4", 1, 1024, NULL, "attention heads; they divide dim"),  \
        TH_MODEL_OPTION("mlp_ratio", TH_INT, "2", 1, 64, NULL,                                     \
                        "width of the feed-forward layers, in multiples of dim"),                  \
        TH_MODEL_OPTION("dropout", TH_REAL, "0", 0, 0.9, NULL,                                     \
                        "while training, share of what each part adds that is dropped"),           \
        TH_MODEL_OPTION("attention_dropout", TH_REAL, "0", 0, 0.9, NULL,                           \
                        "while training, share of the attention's weights that is dropped"),       \
        TH_MODEL_OPTION("causal", TH_FLAG, "no", 0, 0, NULL,                                       \
                        "positions see only those before them and themselves"),                    \
        TH_MODEL_OPTION(                                                                           \
            "ends", TH_FLAG, ended, 0, 0, NULL,                                                    \
            "for one answer a string, a start symbol before it and an end symbol behind it; what " \
            "position= adds to embeddings counts from the first symbol of the string itself"),     \
        TH_MODEL_OPTION("final_norm", TH_FLAG, "no", 0, 0, NULL,                                   \
                        "layer norm of the rows that answers are read from"),                      \
        TH_MODEL_OPTION("position", TH_CHOICE, "xpos", 0, 0, TH_POSITION_CHOICES,                  \
                        "how positions enter: help models says what each is")

/* TH_EUSAGE where these options do not fit together, or the positions not an encoder whose block is
 * applied `again` and again. */
bool th_model_encoder_check(const ThOptions *o, bool again, ThError *err);

/* Uniform within √(6/(rows + cols)), times gain (Glorot and Bengio 2010). */
ThModelBuildMatrix th_model_build_glorot;

/* Read the options and list embeddings of such a deviation and ends; then a block, number b->layer,
 * or the only one where that is -1; then what answers, last. */
void th_model_encoder_begin(ThModelEncoder *e, ThModelBuilder *b, int blocks, double deviation);
void th_model_encoder_block(ThModelEncoder *e, ThModelBuilder *b, bool reads_memory, bool gated);
void th_model_encoder_end(ThModelEncoder *e, ThModelBuilder *b);

/* A network whose answers begin small, biases and all: of a head, and of what says when to stop. */
ThModelNetwork th_model_build_decision(ThModelBuilder *b, const char *name, int in, int dim,
                                       int out);
ThModelCross th_model_build_cross(ThModelBuilder *b, const char *name, int dim);

/* ---- forward ---- */

/* Keys and values that rows of a memory are to others; and what B strings of rows x read from B
 * times as many of them, length[b] of each if that is not NULL, added to x. */
ThVar th_model_cross_keys(ThTape *t, const ThModelCross *c, ThVar memory);
typedef struct {
    int B, heads, tag;
    const int *length;
    double dropout, attention_dropout;
    ThRng *rng;
} ThModelCrossing;
ThVar th_model_cross(ThTape *t, const ThModelCross *c, const ThModelCrossing *how, ThVar x,
                     ThVar key_value);

/* What rows are copies of: row i is number row[i] of the table, or zeros for -1. */
typedef struct {
    ThVar table; /* -1: of nothing */
    const int *row;
} ThModelCopies;

/* The strings of a batch, both sides of its pairs where the signature says that it has such, and
 * their embedded symbols (B*T, d) between the ends; in *of, which may be NULL, what these are
 * copies of, where equal rows may be computed once. */
ThVar th_model_encoder_read(const ThModelEncoder *e, ThTape *t, const ThModel *m, const ThBatch *b,
                            const ThModelForward *how, ThModelStrings *strings, ThModelCopies *of);

/* One application of a block to all rows of some strings. */
typedef struct {
    ThModelStrings strings;
    ThVar h; /* (B*T, d) */
    const ThModelCopies
        *of;        /* what h is copies of, as is what they read from each other; or NULL */
    ThVar from;     /* what they read from each other; -1: h */
    ThVar memory;   /* keys and values of a block that reads memory */
    const int *own; /* (n_own) of the rows: those that are wanted; NULL: all, as it must be for a
                       block that reads memory */
    int n_own, tag; /* tag: number of the step, for inspections */
    int memory_tag;
    ThRng *rng;
} ThModelApplication;
ThVar th_model_encoder_apply(const ThModelEncoder *e, ThTape *t, int block,
                             const ThModelApplication *a);

/* Layer norm with final_norm=yes. */
ThVar th_model_encoder_finish(const ThModelEncoder *e, ThTape *t, ThVar x);

/* The last row of each string (B), -1 of an empty one, in the arena of the tape. */
int *th_model_encoder_last(ThTape *t, const ThModelStrings *s);

/* The mean of the rows of each string, or its last row: (B, d). */
ThVar th_model_encoder_pool(ThTape *t, const ThModelStrings *s, ThVar x, int pool);

/* Logits, of pooled rows or, where each position is asked for, of all. */
ThVar th_model_encoder_answer(const ThModelEncoder *e, ThTape *t, const ThModel *m, ThVar x);
