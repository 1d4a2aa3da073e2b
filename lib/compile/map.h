/* map.h - what one level of a RegularGPT does with the vectors of a chunk, in double precision and
 * straight from the weights, for models that attend without content.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_COMPILE_MAP_H
#define TH_COMPILE_MAP_H

#include "compile/weights.h"

enum { TH_COMPILE_CHILDREN = 64 }; /* of a node, at most */

/* A matrix by its entries that are not zero, row by row. */
typedef struct {
    int rows;
    int *first; /* (rows + 1) */
    int *col;
    double *value;
} ThCompileSparse;

/* What the check needs of the model, in double. */
typedef struct {
    const ThModel *m;
    int dim, heads, chunk, hidden, classes;
    bool pre, gelu;
    ThCompileSparse child[TH_COMPILE_CHILDREN]; /* (chunk): what a child adds to the sum, the
                                                   residual of the latest left out */
    double spread[TH_COMPILE_CHILDREN];         /* (chunk): norm of that, with the residual */
    double *constant;                           /* (dim): what biases add */
    ThCompileSparse up, down; /* rows are hidden units: what they read, what they write */
    double *slope;            /* (hidden): norm of what a unit reads */
    ThCompileSparse readers;  /* rows are coordinates: units that rest unless one is far from 0 */
    int *awake;               /* (hidden): those that never rest, n_always, then who was woken */
    int n_always, n_awake;
    double murmur;     /* what all that rest may add */
    double *touched;   /* (dim, dim): zeros between uses */
    double *x, *u, *v; /* (chunk, dim), (dim), (dim) */
    char *state;       /* (hidden): how a unit is, all over the ball */
    double *centre;    /* (elements, dim) */
} ThCompileMap;

/* Reads a model; elements: vectors that there is to be room for in centre.  TH_EVALUE if it is none
 * of thickness 1 that learns a pad, or its queries are not zero; TH_ENOMEM.  *f is to be freed in
 * any case. */
bool th_compile_map_read(ThCompileMap *f, const ThModel *m, int elements, ThError *err);
void th_compile_map_free(ThCompileMap *f);

/* Layer norm of x in place; what lay within *radius of it lies within *radius afterwards. */
void th_compile_normalise(const ThCompileMap *f, double *x, const char *gain_name,
                          const char *offset_name, double *radius);

/* v = the combination of the children in f->x, the latest first; what lies within `each` of them is
 * combined to what lies within the radius returned. */
double th_compile_combine(ThCompileMap *f, double each);

#endif
