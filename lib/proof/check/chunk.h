/* chunk.h - what one level of a RegularGPT does with the vectors of a chunk, in double precision
 * and straight from the weights, for models that attend without content.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/model.h"

enum { TH_PROOF_CHILDREN = 64 }; /* of a node, at most */

static const double TH_PROOF_WIDER = 1 + 1e-9; /* rounding of double sums */

/* Where a run rounds: at the means that a layer norm of children, between the layers and at the end
 * takes off, behind these norms, in the sum over children, and in the feed-forward layer.  The end
 * of a model with norm=pre is the norm before the answers. */
enum {
    TH_PROOF_IN_MEAN,
    TH_PROOF_IN,
    TH_PROOF_SUM,
    TH_PROOF_BETWEEN_MEAN,
    TH_PROOF_BETWEEN,
    TH_PROOF_UNITS,
    TH_PROOF_OUT_MEAN,
    TH_PROOF_OUT,
    TH_PROOF_ROUNDINGS
};

/* A matrix by its entries that are not zero, row by row. */
typedef struct {
    int rows;
    int *first; /* (rows + 1) */
    int *col;
    double *value;
} ThProofSparse;

/* What the check needs of the model, in double. */
typedef struct {
    const ThModel *m;
    int dim, heads, chunk, hidden, classes;
    bool pre, gelu;
    ThProofSparse child[TH_PROOF_CHILDREN]; /* (chunk): what a child adds to the sum, the
                                                   residual of the latest left out */
    double spread[TH_PROOF_CHILDREN];       /* (chunk): norm of that, with the residual */
    double *constant;                       /* (dim): what biases add */
    double *size;                           /* (dim + 1, dim): sums of the magnitudes of what all
                                               children add, and of what biases do */
    double unit;                            /* of the arithmetic: a rounding, relative */
    double noise[TH_PROOF_ROUNDINGS];       /* how far the steps of a run are off, at most */
    ThProofSparse up, down; /* rows are hidden units: what they read, what they write */
    const float *up_bias;   /* (hidden), a view of the model's */
    double *slope;          /* (hidden): norm of what a unit reads */
    ThProofSparse readers;  /* rows are coordinates: units that rest unless one is far from 0 */
    int *awake;             /* (hidden): those that never rest, n_always, then who was woken */
    int n_always, n_awake;
    double murmur;     /* what all that rest may add */
    double *touched;   /* (dim, dim): zeros between uses */
    double *x, *u, *v; /* (chunk, dim), (dim), (dim) */
    char *state;       /* (hidden): how a unit is, all over the ball */
    double *centre;    /* (elements, dim) */
} ThProofChunk;

/* Reads a model; elements: vectors that there is to be room for in centre.  TH_EVALUE if it is none
 * of thickness 1 that learns a pad, or its queries are not zero; TH_ENOMEM.  *f is to be freed in
 * any case. */
bool th_proof_chunk_read(ThProofChunk *f, const ThModel *m, int elements, ThError *err);
void th_proof_chunk_free(ThProofChunk *f);

/* From now on what is combined counts as made in arithmetic that rounds by `unit`, in sums of any
 * order, of children within `each` of so many centres.  TH_ENOMEM. */
bool th_proof_chunk_round(ThProofChunk *f, double unit, int elements, double each, ThError *err);

/* Is it a bound regulargpt that th_proof_chunk_read takes: one that was compiled? */
bool th_proof_chunk_fits(const ThModel *m);

/* View of a parameter; NULL: the model has none of that name. */
float *th_proof_chunk_weights(const ThModel *m, const char *name);

/* Layer norm of x in place; what lay within *radius of it lies within *radius afterwards. */
void th_proof_chunk_normalise(const ThProofChunk *f, double *x, const char *gain_name,
                              const char *offset_name, double *radius);

/* v = the combination of the children in f->x, the latest first; what lies within `each` of them is
 * combined to what lies within the radius returned, rounding included. */
double th_proof_chunk_combine(ThProofChunk *f, double each);
