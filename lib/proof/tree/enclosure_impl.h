/* enclosure_impl.h - what the files of the enclosure share: its room, and a few sums over sets.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/tree/enclosure.h"
#include "proof/matrix.h"

/* A matrix A, and what the maps of attention make of it: for every head h, O_h being the centred
 * way of a vector through its values and outputs. */
typedef struct {
    bool identity;
    double *a, *inverse;  /* (dim, dim) */
    double stretch;       /* the norm of the inverse */
    double *through;      /* (heads, dim, dim): O_h A */
    double *square;       /* (heads, dim, dim): O_h A Aᵀ O_hᵀ */
    double *size;         /* (heads): root of its trace */
    double *query, *key;  /* (dim, dim): rows are those of the heads' queries and keys, of A */
    double *centred;      /* (dim, dim): A without the mean of its columns */
    double *least, *most; /* (heads): of the quadratic form of query and key, 0 between them */
} ThProofMatrix;

struct ThProofEnclosure {
    const ThProofMap *map;
    ThArena *arena;
    bool failed; /* memory ran out */
    int n_shapes;
    ThProofMatrix *shape;
    double *way;      /* (heads, dim, dim): O_h */
    double *bilinear; /* (n_shapes of x, n_shapes of y, heads): norms of query by key */
    ThProofSet set;
    /* Room for what is being computed. */
    double *gram_x, *gram_y, *work, *other, *scratch; /* (dim, dim) but scratch: two of them */
    double *q, *key, *key_gap, *way_x, *way_y, *along_x, *along_y; /* (dim) */
    double *spread;                                                /* (heads) */
    double *wide, *wide_q, *slope, *rise, *half, *pre; /* (hidden, dim) twice; (hidden) */
};

/* e->set <- y with what attention adds to it, centred; x NULL: missing. */
void th_proof_attend(ThProofEnclosure *e, const ThProofBall *x, const ThProofBall *y);

/* e->set <- its layer norm; and the feed-forward layer with its residual, centred. */
void th_proof_normalise(ThProofEnclosure *e, const double *gain, const double *offset);
void th_proof_feed_forward(ThProofEnclosure *e);

/* Takes the mean of every column of a (n, cols) from it. */
void th_proof_centre(double *a, int n, int cols);

/* gram <- G Gᵀ; returns a bound of the spectral norm of g. */
double th_proof_gram(ThProofEnclosure *e, const double *g, double *gram);

/* Σ |box_j|; how far the set reaches from its centre in the direction of coordinate i. */
double th_proof_box_total(const ThProofSet *s);
double th_proof_width(const ThProofSet *s, int i);

/* to += by · Σ box_j box_jᵀ / |box_j|. */
void th_proof_add_boxes(ThProofEnclosure *e, double *to, double by);

/* e->set's blocks <- e->other · block; its boxes too.  The centre stays. */
void th_proof_change(ThProofEnclosure *e);
