/* linear_impl.h - what a layer of a linear recurrence makes of a state, as numbers with radii.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/check/decoder.h"
#include "proof/check/linear_steps.h"

typedef enum { TH_PROOF_BLOCKS, TH_PROOF_MAPS, TH_PROOF_PRODUCTS } ThProofLinearKind;

/* A recurrence: parts of its states are runs of `part` numbers, `parts` a layer. */
typedef struct {
    const ThModel *m;
    ThProofLinearKind kind;
    int dim, layers, n_symbols, n_classes;
    int parts, part; /* of a layer's state; of pd_ssm one part, whose first half is real */
    int block, heads, steps, dictionary;
    bool by_columns; /* one_hot=column of pd_ssm */
    double power;
    int arithmetic;
    double unit, slack;
    bool sure; /* nothing was met that may go either way */
    int room;  /* of the widest rows */
    ThProofNumber *x, *u, *y, *wide, *wider, *extra;
    const double *radius; /* (layers, parts) */
    /* What a step makes of a layer's state. */
    ThProofNumber *after;   /* (parts * part): without what is handed on of the radii */
    double *norm;           /* (parts): ρ */
    ThProofNumber number[]; /* where all these are */
} ThProofLinear;

/* Returns new: room for steps of a model that th_proof_has_steps.  TH_ENOMEM. */
ThProofLinear *th_proof_linear_new(const ThModel *m, double slack, ThError *err);

/* to (layers, parts * part) <- the state before the first symbol. */
void th_proof_linear_start(const ThProofLinear *f, double *to);

/* f->x <- an embedded symbol; f->after, f->norm <- what layer i makes of its state `before`, and
 * f->x what it hands on; f->wide <- the logits, (n_classes). */
void th_proof_linear_embed(ThProofLinear *f, int symbol);
void th_proof_linear_layer(ThProofLinear *f, int i, const double *before);
void th_proof_linear_read(ThProofLinear *f);

/* The norm in which a part's radius is: of n numbers, or of what they are off by. */
double th_proof_linear_size(const ThProofLinear *f, const double *x, int n);

/* What a function of libm, of its vectors or of the program's own may be off by, in roundings. */
enum { TH_PROOF_FUNCTION = 16 };

/* A parameter of a layer, or of none where it is -1; NULL: there is none. */
const float *th_proof_linear_weights(const ThProofLinear *f, int layer, const char *name);

/* Its magnitude at most; and does a product with it round? */
double th_proof_linear_most(ThProofNumber x);
bool th_proof_linear_is_zero(ThProofNumber x);
bool th_proof_linear_is_sign(ThProofNumber x);

/* Magnitudes that a run has to hold, so that they can be squared and added up in it: of others
 * nothing is sure. */
void th_proof_linear_hold(ThProofLinear *f, double size);

/* Arithmetic: what sums of n things of a size round, some of which are products that do; a matrix
 * with a bias; functions, in place; rows divided by the root of their squares times `share` and a
 * small number; and a network of two layers at f->u. */
double th_proof_linear_rounding(ThProofLinear *f, int n, bool products, double size);
void th_proof_linear_times(ThProofLinear *f, const ThProofNumber *x, int from, const float *w,
                           const float *bias, int to, ThProofNumber *y);
ThProofNumber th_proof_linear_add(ThProofLinear *f, ThProofNumber x, ThProofNumber y);
void th_proof_linear_relu(ThProofNumber *x, int n);
ThProofNumber th_proof_linear_sigmoid(const ThProofLinear *f, ThProofNumber x);
void th_proof_linear_silu(const ThProofLinear *f, ThProofNumber *x, int n);
double th_proof_linear_length(const ThProofNumber *x, int n, bool of_errors);
void th_proof_linear_divide(ThProofLinear *f, ThProofNumber *x, int n, double share,
                            double epsilon);
void th_proof_linear_network(ThProofLinear *f, int layer, const char *name, const char *down,
                             int hidden, int to, ThProofNumber *y);
