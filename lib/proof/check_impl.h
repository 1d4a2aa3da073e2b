/* check_impl.h - what the files of the checker share: the present set, and small algebra.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_PROOF_CHECK_IMPL_H
#define TH_PROOF_CHECK_IMPL_H

#include "base/memory.h"
#include "proof/check.h"
#include "proof/check_bounds.h"

/* A matrix A: its inverse, and what the heads make of it. */
typedef struct {
    const double *a;      /* (d, d), or NULL: the identity */
    double *inverse;      /* (d, d), NULL with a */
    double stretch;       /* |A⁻¹| */
    double *way;          /* (heads, d, d): rows of A through values and outputs, centred */
    double *spread;       /* (heads, d, d): wayᵀ way */
    double *query, *key;  /* (d, d): A times the model's */
    double *least, *most; /* (heads): range of the quadratic form of query and key */
} ThProofCheckShape;

struct ThProofBounds {
    const ThProofMap *f;
    int d, n_shapes;
    ThArena *arena;
    bool failed;
    ThProofCheckShape *shape;
    double *cross; /* (n_shapes of x, of y, heads): |query keyᵀ| */
    /* The present set: centre, 2d + n_box generators as rows (those of x, those of y, boxes), and
     * an ellipsoid. */
    int n_box;
    double *c, *g, *q;
    double *kx, *ky, *hull, *work, *factor;                /* (d, d) */
    double *v, *w, *query, *key, *gap, *along_x, *along_y; /* (d) */
    double *pre, *half, *slope, *spread;                   /* (hidden); (heads) */
    double *wide;                                          /* (rows, hidden), or (rows, d) */
};

/* The set becomes y with what attention adds to it; its layer norm; the feed-forward layer's. */
void th_proof_check_attend(ThProofBounds *b, const ThProofEllipsoid *x, const ThProofEllipsoid *y);
void th_proof_check_normalise(ThProofBounds *b, const double *gain, const double *offset);
void th_proof_check_feed(ThProofBounds *b);

/* b->kx, b->ky <- Gram matrices of the set; the norms of the parts, of x, y, q and boxes. */
void th_proof_check_measure(ThProofBounds *b, double norm[4]);

/* b->hull <- Σ parts / their sizes + Σ box boxᵀ / |box|, for the sizes given of x, y and q. */
void th_proof_check_gather(ThProofBounds *b, const double size[3]);

/* Half the diagonal of the smallest upright box around the set, moved by `off` from its centre. */
double th_proof_check_corner(const ThProofBounds *b, const double *off);

/* rows (n, d) <- rows M, M (d, d) in b->work. */
void th_proof_check_map(ThProofBounds *b, double *rows, int n);

void th_proof_check_times(const double *a, const double *b, double *out, int n, int k,
                          int m); /* out (n, m) = a (n, k) b (k, m) */
double th_proof_check_inner(const double *a, const double *b, int n);
double th_proof_check_size(const double *a, int n);
double th_proof_check_diagonal(const double *k, int d); /* its sum */
void th_proof_check_outer(const double *rows, int n, int d, double by,
                          double *out); /* out (d, d) += by · Σ rowᵀ row over n rows */
void th_proof_check_centre(double *rows, int n, int d); /* takes every row's mean off it */
void th_proof_check_flip(double *k, int d);             /* transposes it */

/* An upper bound of the largest eigenvalue of a symmetric matrix; k + shift·1 has no negative ones.
 * And of the norm of a matrix whose Gram matrix k is. */
double th_proof_check_top(ThProofBounds *b, const double *k, double shift);
double th_proof_check_norm(ThProofBounds *b, const double *k);

/* to <- the inverse of a symmetric positive matrix to twelve places; false: it is none.  What is
 * missing of it is far below what is added to bounds. */
bool th_proof_check_invert(ThProofBounds *b, const double *a, double *to);

/* What a certificate says of itself and of the model that it is about.  False, and why, where file
 * and model do not belong together, or something was changed. */
typedef struct {
    int dim, n_symbols, n_classes;
    uint64_t weights;
} ThProofCheckedModel;
bool th_proof_check_papers(const ThProofCertificate *c, const ThProofCheckedModel *m,
                           ThProofChecked *out);

#endif
