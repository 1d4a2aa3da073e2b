/* check_impl.h - how the checker keeps sets of vectors, and what it does with them.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/cell/cell.h"
#include "proof/map.h"
#include "proof/rounding.h"

/* Added to every bound, relative and absolute: more than what the roots, norms and factors of sets
 * lose.  What products of large numbers lose is in the sets themselves, by `unit`. */
static const double TH_PROOF_SPARE = 1e-9;

/* What the heads make of a shape A (d, d), the rows of which are generators, at radius 1. */
typedef struct {
    const double *shape;                                   /* A, borrowed */
    double *query, *key, *value;                           /* (d, d): A times these weights */
    double *width, *query_width, *key_width, *value_width; /* (d): lengths of columns */
    double *way, *gram;            /* (heads, d, d): values through each head, and their Gram */
    double *query_norm, *key_norm; /* (heads): upper bounds of those of a head's columns */
    double number[];               /* where all these are */
} ThProofCheckWays;

/* An ellipsoid: centre + radius z A over |z| ≤ 1, A symmetric. */
typedef struct {
    const double *centre, *shape, *inverse; /* (d), (d, d): A and its inverse */
    double radius;
    double stretch;               /* |A⁻¹| */
    bool round;                   /* A is the identity */
    const ThProofCheckWays *ways; /* of A; NULL: where they are needed they are made */
} ThProofEllipsoid;

/* The present set: a centre, and generators times numbers.  The first n_part generators go in parts
 * of d, the numbers of which have length 1 at most together; all others are alone, each with a
 * number in [-1, 1].  Every linear step is a product with these rows. */
typedef struct {
    int d, n, n_part;
    double *row;            /* (1 + n, d): the centre, and the generators */
    double *rest, gathered; /* (d, d): what is gathered, and its size */
    double unit;            /* the arithmetic that the map is made in: how far a rounding is off,
                               relative; 0: real numbers */
    double *size[7], *sum_of[7]; /* (wide) each: magnitudes, and sums of magnitudes */
    double *off, *most;          /* (wide) each: what a run is off by, and is at most */
    double *joint, *gram, *factor, *line, *sum, *half, *at, *slope; /* room */
    double *stack[8];                                               /* (1 + d, wide) each */
    double number[];                                                /* where all these are */
} ThProofCheckSet;

/* Returns new: room for `parts` parts and `alone` other generators of d numbers, and for rows of
 * `wide` ≥ d numbers.  TH_ENOMEM. */
ThProofCheckSet *th_proof_check_set_new(int d, int parts, int alone, int wide, ThError *err);

double *th_proof_check_row(const ThProofCheckSet *s, int generator); /* -1: the centre */

/* rows (1 + d, d) <- the centre of an ellipsoid, and its generators. */
void th_proof_check_load(const ThProofEllipsoid *e, int d, double *rows);

void th_proof_check_turn(ThProofCheckSet *s, const double *m); /* every row <- row m */

/* to (cols) <- how far the set reaches from its centre along each column of m (d, cols); NULL:
 * along each coordinate. */
void th_proof_check_widths(ThProofCheckSet *s, const double *m, int cols, double *to);

/* Upper bounds of the distance of vectors of the set from its centre; and of |(v - centre) A⁻¹|
 * over its vectors v, with centre and A of an ellipsoid, which uses the set up.  Not finite where
 * there is none. */
double th_proof_check_reach(ThProofCheckSet *s);
double th_proof_check_distance(ThProofCheckSet *s, const ThProofEllipsoid *into);

/* A sum of parts lies in an ellipsoid: of rows G, with sizes s = √tr(GᵀG), in that of
 * (Σ s) Σ GᵀG / s.  gather adds `by` times n rows; settle writes the sum as d rows, and begins
 * anew. */
void th_proof_check_gather(ThProofCheckSet *s, const double *rows, int n, double by);
void th_proof_check_gather_all(ThProofCheckSet *s, double by); /* each part and other generator */
void th_proof_check_gather_gram(ThProofCheckSet *s, const double *gram, double by); /* by GᵀG */

/* to (d, d) <- the upper half of the Gram matrix of d rows. */
void th_proof_check_gram(ThProofCheckSet *s, const double *rows, double *to);
void th_proof_check_settle(ThProofCheckSet *s, double *rows);

/* A box with half widths off (d) comes to what d rows hold: it lies in the ellipsoid of the
 * diagonal rows √(off Σ off). */
void th_proof_check_blur(ThProofCheckSet *s, const double *off, double *rows);

/* A map of x + e, where all of it is in a range with `at`, and e in a loose one: value + slope (x -
 * at), within error; and within reach of the value alone.  A ReLU's slope is that of its chord, all
 * others' that in `at`. */
typedef enum { TH_PROOF_LOGISTIC, TH_PROOF_TANH, TH_PROOF_RELU, TH_PROOF_INVERSE_ROOT } ThProofBend;
typedef struct {
    double value, slope, error, reach;
} ThProofLine;
ThProofLine th_proof_check_line(ThProofBend bend, double at, const double range[2],
                                const double loose[2]);

/* out (n, m) = a (n, k) b (k, m); and the same where the rows of a are `apart` numbers apart. */
typedef struct {
    int n, k, m;
} ThProofCheckSizes;
void th_proof_check_block(const double *a, int apart, const double *b, double *out,
                          ThProofCheckSizes s);
void th_proof_check_times(const double *a, const double *b, double *out, int n, int k, int m);
double th_proof_check_inner(const double *a, const double *b, int n);
void th_proof_check_centre(double *rows, int n, int d); /* takes every row's mean off it */

/* An upper bound of the norm of a matrix (n, cols) in rows of d numbers; s->gram <- the upper half
 * of its Gram matrix. */
double th_proof_check_norm(ThProofCheckSet *s, const double *rows, int n, int cols);

/* to <- the inverse of a symmetric positive matrix to ten places; false: it is none. */
bool th_proof_check_invert(ThProofCheckSet *s, const double *a, double *to);

/* Of sums in the arithmetic that a set is for. */
static inline double th_proof_check_gamma(const ThProofCheckSet *s, int n)
{
    return th_proof_gamma(s->unit, n);
}

/* *e, a point at an embedded symbol, becomes the box around a run's, which is a product with the
 * root of dim; shape (d, d) is zero but for its diagonal, and borrowed by *e. */
void th_proof_check_leaf(const ThProofCheckSet *s, double *shape, ThProofEllipsoid *e);

/* Returns new: room for what heads make of a shape; and *w becomes that.  TH_ENOMEM. */
ThProofCheckWays *th_proof_check_ways_new(const ThProofMap *f, ThError *err);
void th_proof_check_ways(ThProofCheckSet *s, const ThProofMap *f, const double *shape,
                         ThProofCheckWays *w);

/* The set becomes F(x, y) over two ellipsoids, x NULL: nothing; and by how much the logit of class
 * `right` leads that of another at least, everywhere in one.  The set is for 3 parts and
 * heads + hidden + 3 generators. */
void th_proof_check_tree(ThProofCheckSet *s, const ThProofMap *f, const ThProofEllipsoid *x,
                         const ThProofEllipsoid *y);
double th_proof_check_tree_lead(ThProofCheckSet *s, const ThProofMap *f, const ThProofEllipsoid *e,
                                int right, int other);

/* The same for what a symbol makes of states; for one part and dim + 1 generators. */
void th_proof_check_step(ThProofCheckSet *s, const ThProofCell *f, const ThProofEllipsoid *x,
                         int symbol);
double th_proof_check_step_lead(ThProofCheckSet *s, const ThProofCell *f, const ThProofEllipsoid *e,
                                int right, int other);
