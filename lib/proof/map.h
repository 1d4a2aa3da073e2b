/* map.h - what a RegularGPT with two children a node does, as one map of two vectors.
 *
 * With C = 2 and K = 1 all levels share F: the vector of a node is F(x, y), x being the earlier
 * child and y the later one, and the answer to a string is read off the vector of its root.  What
 * is proved of F for sets of vectors holds for strings of every length.  Here F is written down
 * once more, in double precision and apart from the tape, straight from the weights.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

/* Matrices are row-major and act on row vectors from the right, as in the model. */
typedef struct {
    int dim, heads, hidden, n_symbols, n_classes;
    bool mask;                                 /* a missing child is masked, else it is `pad` */
    double *query, *key, *value, *output;      /* (dim, dim) */
    double *relative;                          /* (heads): of the earlier child over the later */
    double *relative_size;                     /* (heads): the larger magnitude of the two */
    double *gain1, *offset1, *gain2, *offset2; /* (dim) */
    double *up, *up_bias;                      /* (dim, hidden), (hidden) */
    double *down, *down_bias;                  /* (hidden, dim), (dim) */
    double *leaf;                              /* (n_symbols, dim) */
    double *pad;                               /* (dim) */
    double *head, *head_bias;                  /* (dim, n_classes), (n_classes) */
    double *snap;                              /* (n_snap, dim): where vectors snap to */
    int n_snap, n_edge;                        /* the last n_edge are for the left edge */
    uint64_t digest;                           /* of all weights of the model, bit for bit */
} ThProofMap;

/* What is added to the mean square in a layer norm. */
static const double TH_PROOF_EPSILON = 1e-5;

/* Returns new.  TH_EVALUE if the model is not bound, or its map is not of this form: regulargpt
 * with arity=2 layers_per_level=1 norm=post and ReLU.  TH_ENUMERIC if a weight is larger than 1000.
 */
ThProofMap *th_proof_map_new(const ThModel *m, ThError *err);

/* The same; of a model whose vectors snap, too: they do so after F. */
ThProofMap *th_proof_map_of_snapping(const ThModel *m, ThError *err);
void th_proof_map_free(ThProofMap *f); /* NULL is fine */
TH_RELEASES(th_proof_map_free, ThProofMap)

/* out = F(x, y), all (n, dim); x NULL: the earlier child is missing.  TH_ENOMEM. */
bool th_proof_map_apply(const ThProofMap *f, const double *x, const double *y, int n, double *out,
                        ThError *err);

/* The logits (n_classes) that are read off a vector. */
void th_proof_map_logits(const ThProofMap *f, const double *z, double *logits);
