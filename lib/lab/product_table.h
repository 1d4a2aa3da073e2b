/* product_table.h - a loss on the table of a model: which vectors it takes where.
 *
 * A model whose vectors snap to centres after every level is right on strings of every length if
 * its map F takes the centres of every two labels (proof/labels.h) nearer to the centre of their
 * product than to any other, and what is read off the centres is right (proof/check/quantize.h).
 * Here that is what is learned: of pairs of labels, a part of them those that were farthest from
 * being right, the loss is the cross-entropy of the product among all labels of its kind, by
 * distances from their centres; and that of the answers read off the centres.  The centres are
 * parameters, too: they move by the gradient of the loss as pairs and as products.
 *
 * Strings have no part in it but for those of the lowest level, which give the vectors of symbols.
 *
 * Of a recurrent network the labels are the automaton's states behind a symbol (label_pairs.h), and
 * the pairs are they and the next symbols: the steps of the automaton.  Its states do not snap, so
 * they must come near the centres and stay there: the loss has the squares of their distances, too,
 * and both parts are about the worst steps above all.  Centres as products follow these distances
 * alone, for else they would flee each other to where no step leads; and no number of them is above
 * 0.9, to which gates and hyperbolic tangents can come in one step.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "lab/slopes.h"
#include "lab/train.h"
#include "models/attention/routing.h"

typedef struct ThTrainTable ThTrainTable;

/* Returns new: for a bound model, which is borrowed; the centres are those that the last training
 * left, or those of sampled vectors.  TH_EVALUE where quantize could say nothing of model or task,
 * TH_ELIMIT where there are too many functions; TH_ENOMEM. */
ThTrainTable *th_train_table_new(const ThModel *m, const ThTask *t, double weight, int shards,
                                 ThError *err);
void th_train_table_free(ThTrainTable *p); /* NULL is fine */

/* Of one shard's run, with what its batch computed: returns the tape's loss with that of the
 * shard's pairs added, as far as its slopes go; its value means nothing.  The noise is added to
 * every number of the centres that are paired, so that F learns to take what is near them to their
 * product, too. */
ThVar th_train_table_add(ThTrainTable *p, ThTape *t, const ThModelRouting *routing,
                         const ThTrainShard *how, ThVar loss);

/* After the backward pass of that tape: the slopes by the centres that were paired. */
void th_train_table_turn(ThTrainTable *p, const ThTape *t, int shard);

/* After all shards of a step, at which the parameters moved at this learning rate: moves the
 * centres. */
void th_train_table_step(ThTrainTable *p, double rate);

/* What it knows, as numbers, for the same training to go on from: how many, writing, and taking
 * them.  The centres (n, dim) stand at the end; n is returned by th_train_table_centres.  False:
 * they are about other labels or vectors, and nothing is taken. */
size_t th_train_table_size(const ThTrainTable *p);
int th_train_table_centres(const ThTrainTable *p);
void th_train_table_write(const ThTrainTable *p, double *to);
bool th_train_table_read(ThTrainTable *p, const double *from, size_t n);

/* Of a training that wrote n centres of so many numbers and is undone: they are again those before
 * its first step. */
void th_train_table_undo(ThModelTraining *t, int n, int dim);

/* Fills pairs, farthest and far of *to with what was seen since the last report: how far from the
 * product's centre beside the nearest other one, in units in which 0 and less is right. */
void th_train_table_report(ThTrainTable *p, ThTrainLevels *to);
