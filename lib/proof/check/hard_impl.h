/* hard_impl.h - what the check of hard attention and that of steep soft attention share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/check/hard.h"

/* The score of a key, by its content, and one of the values beside it. */
typedef struct {
    double score, value;
} ThProofSeen;
enum { TH_PROOF_SEEN = 18 };

/* What a head does, by its weights alone; BEFORE: soft attention to the position before. */
typedef enum {
    TH_PROOF_HARD_LATEST,
    TH_PROOF_HARD_MEAN,
    TH_PROOF_HARD_SIGN,
    TH_PROOF_HARD_BEFORE
} ThProofHardTask;
typedef struct {
    double *query, *query_bias, *key_value, *key_value_bias, *output, *output_bias;
    double *up, *up_bias, *down, *down_bias;
    ThProofHardTask *task; /* (heads) */
    double *key;           /* (dim): of the beginning, for SIGN; and its value */
    double *value;
    int *same; /* (dim): of a number that is summed, the first one that is so, or its negative */
    double *sign;
} ThProofHardLayer;

typedef struct {
    const ThProofClaim *claim;
    int dim, heads, width, layers, hidden, symbols, classes;
    bool average, soft;
    double *embedding, *head, *head_bias;
    ThProofHardLayer *layer;
    bool *mean; /* (dim): the coordinate holds means */
    /* What is remembered: of each layer and head a score and a value, or a sum. */
    int size;
    double *from, *to; /* (size) */
    /* A position: what it holds, and the sums whose means it holds; sums and what is asked of them,
     * z, are there once as they are known and once with large ones as small as they can be. */
    double *x, *sums, *z, *hidden_units, *logits;
    double bound;                     /* sums beyond count as infinite: bound + 1 or more */
    int *digit, *radix, digits, used; /* choices of what comes back from there */
    double least, greatest;           /* |sum| that a sign was taken of; what a step adds to one */
    ThProofHard *out;
    /* Soft attention: */
    int longest;       /* positions that the model knows */
    double *position;  /* (longest, dim) */
    bool *placed;      /* (dim): the coordinate holds a position's numbers, */
    int *seen_by;      /* or what a value of layer and head, (layers, dim), is seen as; else -1 */
    ThProofSeen *seen; /* (layers, dim, TH_PROOF_SEEN): how many there are, what the beginning has,
                          and they */
    bool fits, failed;
    ThError *err;
} ThProofHardRun;

/* Notes why nothing is shown.  Returns false, always. */
bool th_proof_hard_refuse(ThProofHardRun *k, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Is it a multiple of 1/4? */
bool th_proof_hard_on_grid(double x);

/* x (rows) times a column of a matrix, plus a bias: no sum of these products rounds, or refused. */
double th_proof_hard_product(ThProofHardRun *k, const double *x, int rows, const double *matrix,
                             int cols, int column, double bias);

/* Are n columns of the first rows of a matrix zero? */
bool th_proof_hard_is_zero(const double *matrix, int rows, int cols, int first, int n);

/* Reads a model; *k has out, err and what is not of the model, and is to be closed in any case. */
bool th_proof_hard_open(ThProofHardRun *k, const ThModel *m);
void th_proof_hard_close(ThProofHardRun *k);

/* Finds what heads do, and that means are read by signs alone; else k->fits becomes false, with
 * why. */
bool th_proof_hard_sort(ThProofHardRun *k);

/* Behind the beginning: is all that signs are taken of so small that no double rounded it?  These
 * are sums of products of a key, a query, an output and a value, all of them multiples of 1/4. */
bool th_proof_hard_adds_up(ThProofHardRun *k);

/* Up to which length, in arithmetic that rounds by `unit`, the means of sums keep their signs. */
double th_proof_hard_certain(const ThProofHardRun *k, double unit);

/* Finds what the heads of a model with soft attention do, and that units make 0 or 1 of all that
 * they see.  False, with why: they do not. */
bool th_proof_soft_sort(ThProofHardRun *k);

/* Notes the score of a key, and the values of a head beside it. */
void th_proof_soft_note(ThProofHardRun *k, int layer, int head, bool first, double score,
                        const double *value);

/* Behind all that can be remembered: up to which length, at most that of the model, soft attention
 * sees what hard attention does, to less than 1/4: in real numbers, in double, in float.  *off gets
 * the most that it is off by in real numbers there.  TH_ENOMEM, TH_EINTERRUPTED. */
bool th_proof_soft_lengths(ThProofHardRun *k, ThStop *stop, double length[3], double *off);
