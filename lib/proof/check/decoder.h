/* decoder.h - layers of a decoder, computed as numbers with radii, for proofs that go through
 * cases.
 *
 * A number is that of real numbers and of any run in an arithmetic that rounds by `unit`, whatever
 * order sums are taken in, to within a radius.  Rows are positions of a string, which heads see as
 * the model's positions say (places.h); or they are symbols, each of which stands for all positions
 * that hold it, and heads see them all, as often as `share` says.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/model.h"

/* What a run has lies within `off` of `at`. */
typedef struct {
    double at, off;
} ThProofNumber;

/* Of points, where `at` rounds as one more run does: half of the first unit is a double run's. */
static const double TH_PROOF_POINT_UNITS[] = {0x1p-51, 0x1p-24 * (1 + 0x1p-20)};

/* What tells positions apart, in the model's own words. */
typedef enum {
    TH_PROOF_NO_PLACES,
    TH_PROOF_ALIBI,
    TH_PROOF_HARD_ALIBI,
    TH_PROOF_SINUSOIDAL,
    TH_PROOF_LEARNED,
    TH_PROOF_ROPE,
    TH_PROOF_XL
} ThProofPlaces;

typedef struct {
    const ThModel *m;
    ThProofPlaces places;
    bool causal;
    int window_heads, window_layers; /* head h < window_heads sees h + 1 in the first layers */
    int longest;                     /* of the rows, at most */
    int dim, heads, layers, hidden, n_symbols, n_classes;
    bool gpt, before, beside, gelu;
    double unit;            /* of the arithmetic */
    double slack;           /* what every vector and logit may be off by besides */
    double scale;           /* of embeddings */
    const double *share[2]; /* (n_symbols): positions of each symbol, or shares of them, at least
                               and at most; NULL: heads have windows */
    double positions;       /* that a run sums over, at most */
    bool apart; /* the first n_symbols rows stand for positions anywhere, which see any shares; so
                   many more for the last one, by its symbol */
    ThProofNumber *x, *read, *query, *both, *mixed, *sum, *unit_of, *logit; /* rows of a string */
    ThProofNumber *by_places; /* of alibi (heads): slopes; of xl (2 longest - 1, dim): what a layer
                                 makes of distances, from the greatest one back to the greatest
                                 one ahead */
    ThProofNumber number[];   /* where all these are */
} ThProofDecoder;

/* y (d) <- layer norm of x (d); to (n) <- the softmax of n numbers. */
void th_proof_number_norm(const ThProofNumber *x, int d, double unit, const float *gain,
                          const float *offset, ThProofNumber *y);
void th_proof_number_softmax(const ThProofNumber *logit, int n, double unit, ThProofNumber *to);

/* Is it a bound transformer or gpt with this position=, or where that is NULL with one that is
 * known here, and else with such options alone of which it is known what they do? */
bool th_proof_decoder_known(const ThModel *m, const char *position);

/* Returns new: the model, and room for so many rows.  TH_ENOMEM. */
ThProofDecoder *th_proof_decoder_new(const ThModel *m, int rows, double slack, ThError *err);

/* View of a parameter of a layer, of layer -1: of the model.  NULL: it has none. */
const float *th_proof_decoder_weights(const ThProofDecoder *f, int layer, const char *name);

/* y (n, to) <- x (n, from) times a matrix, with a bias where there is one. */
void th_proof_decoder_linear(const ThProofDecoder *f, const ThProofNumber *x, const float *w,
                             const float *bias, int n, int from, int to, ThProofNumber *y);

/* f->x <- n embedded symbols; and what a layer makes of n rows. */
void th_proof_decoder_embed(ThProofDecoder *f, const int *symbol, int n);
void th_proof_decoder_layer(const ThProofDecoder *f, int layer, int n);

/* f->logit <- what is read off a row. */
void th_proof_decoder_read(const ThProofDecoder *f, int row);

/* The class whose logit is surely the greatest, or -1; *lead <- by how much it leads at least. */
int th_proof_decoder_surely(const ThProofDecoder *f, double *lead);
