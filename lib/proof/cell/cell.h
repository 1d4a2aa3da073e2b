/* cell.h - one step of a recurrent network, as a map of a state and a symbol.
 *
 * What is proved of it for sets of states holds for strings of every length.  The step is written
 * down here once more, in double precision and apart from the tape, straight from the weights.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

typedef enum { TH_PROOF_RNN, TH_PROOF_LSTM, TH_PROOF_GRU, TH_PROOF_LRNN } ThProofCellKind;

/* With x = input[symbol] and p = x + h recurrent, in `gates` parts of `width` each:
 *
 *     rnn   h' = max(0, p), or tanh(p) where `hyperbolic` is set
 *     lstm  c' = σ(p2) c + σ(p0) tanh(p1), h' = σ(p3) tanh(c')
 *     gru   h' = h + σ(p0) (n - h), n = tanh(x2 + σ(p1) (candidate + (h recurrent)2))
 *
 * In a layer above the first x = input[n_symbols + layer - 1] + (h' of the layer below) below.  Of
 * the last one logits are max(0, h) head + head_bias, or h head + head_bias where `linear` is set,
 * or max(0, h inner + inner_bias) head + head_bias where there are `units`; rows of inner that
 * belong to no h of the last layer are 0. Of an lrnn of one layer, where N is the layer norm,
 *
 *     h' = transition[symbol] h + input[symbol]
 *
 * and logits max(0, N(h) inner + inner_bias) head + head_bias. */
typedef struct {
    ThProofCellKind kind;
    int layers, width, gates; /* no gates: lrnn */
    int parts;                /* of a layer's work: the gates, and of a gru what its n reads */
    int own, dim; /* numbers of a layer's state: h, and behind it c of an lstm; and of all layers */
    bool hyperbolic, linear;
    int units; /* of a hidden layer in the head, of an lrnn `width`; 0: none */
    int n_symbols, n_classes;
    double *input; /* (n_symbols + layers - 1, gates width), biases included: those of a layer above
                      stand behind the symbols */
    double *input_size;                       /* the same of magnitudes; NULL: lrnn */
    double *recurrent;                        /* (layers, width, gates width) */
    double *below;                            /* (layers - 1, width, gates width) */
    double *candidate;                        /* (layers, width): of a gru */
    double *start;                            /* (dim): the state before the first symbol */
    double *transition;                       /* (n_symbols, dim, dim): of an lrnn, from here */
    double *transition_off[2], *input_off[2]; /* of the same sizes: how far those of runs in double
                                                 and in single precision are off, at most */
    double *gain, *offset;                    /* (dim); to here */
    double *inner, *inner_bias;               /* (dim, units), (units) */
    double *head, *head_bias;                 /* (units or width, n_classes), (n_classes) */
    uint64_t digest;                          /* of all weights of the model, bit for bit */
} ThProofCell;

/* Is the model of a kind that th_proof_cell_new takes? */
bool th_proof_is_cell(const ThModel *m);

/* Returns new.  TH_EVALUE if the model is not bound, or no rnn, lstm, gru or lrnn of one layer, or
 * the head of the first three has hyperbolic tangents, or a hidden layer other than head=linear's
 * of rectified units; TH_ENUMERIC if a weight is larger than 1000. */
ThProofCell *th_proof_cell_new(const ThModel *m, ThError *err);
void th_proof_cell_free(ThProofCell *f); /* NULL is fine */
TH_RELEASES(th_proof_cell_free, ThProofCell)

/* to (dim) <- the next state.  p (layers, parts, width) <- what goes into the gates, of a gru what
 * its n reads of h, and behind it of all else. */
void th_proof_cell_apply(const ThProofCell *f, const double *state, int symbol, double *p,
                         double *to);

/* How many numbers p has: 1 at least. */
size_t th_proof_cell_room(const ThProofCell *f);

/* A layer's biases and what a symbol adds: its row of `input`. */
int th_proof_cell_row(const ThProofCell *f, int layer, int symbol);

/* Of a layer of a gru: the part that a column of `below` goes to; of others that of its gate. */
int th_proof_cell_part(const ThProofCell *f, int column);

/* The logits (n_classes) that are read off a state. */
void th_proof_cell_logits(const ThProofCell *f, const double *state, double *logits);
