/* decoder.h - layers of a decoder, computed as numbers with radii, for proofs that go through
 * cases.
 *
 * A number is that of real numbers and of any run in an arithmetic that rounds by `unit`, whatever
 * order sums are taken in, to within a radius.  Rows are positions of a string, of which head h
 * sees h + 1; or they are symbols, each of which stands for all positions that hold it, and heads
 * see them all, as often as `share` says.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_PROOF_CHECK_DECODER_H
#define TH_PROOF_CHECK_DECODER_H

#include "models/model.h"

/* What a run has lies within `off` of `at`. */
typedef struct {
    double at, off;
} ThProofNumber;

/* Of points, where `at` rounds as one more run does: half of the first unit is a double run's. */
static const double TH_PROOF_POINT_UNITS[] = {0x1p-51, 0x1p-24 * (1 + 0x1p-20)};

typedef struct {
    const ThModel *m;
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
    ThProofNumber number[]; /* where all these are */
} ThProofDecoder;

/* y (d) <- layer norm of x (d); to (n) <- the softmax of n numbers. */
void th_proof_number_norm(const ThProofNumber *x, int d, double unit, const float *gain,
                          const float *offset, ThProofNumber *y);
void th_proof_number_softmax(const ThProofNumber *logit, int n, double unit, ThProofNumber *to);

/* Is it a bound transformer or gpt with this position=, and else with such options alone of which
 * it is known here what they do? */
bool th_proof_decoder_known(const ThModel *m, const char *position);

/* Returns new: the model, and room for so many rows.  TH_ENOMEM. */
ThProofDecoder *th_proof_decoder_new(const ThModel *m, int rows, double slack, ThError *err);

/* f->x <- n embedded symbols; and what a layer makes of n rows. */
void th_proof_decoder_embed(ThProofDecoder *f, const int *symbol, int n);
void th_proof_decoder_layer(const ThProofDecoder *f, int layer, int n);

/* f->logit <- what is read off a row. */
void th_proof_decoder_read(const ThProofDecoder *f, int row);

/* The class whose logit is surely the greatest, or -1; *lead <- by how much it leads at least. */
int th_proof_decoder_surely(const ThProofDecoder *f, double *lead);

#endif
