/* contract.h - a loss on what a proof needs: that a model's map takes sets into sets.
 *
 * `certify` looks for a set around the centre of every label (proof/labels.h) so that the map F of
 * two vectors takes each pair of sets into the set of their product.  Here the sets are balls
 * around running centres.  Of every pair two points are known that F takes far from the product's
 * centre: each step moves them to where it takes them farther, and the parameters against it.  (The
 * power method on the derivatives of F, one step of it for each of training: after Miyato et al.
 * 2018, Virtual Adversarial Training.)
 *
 * Of a recurrent network a pair is a state of the automaton behind the symbol that led to it, and
 * the next symbol.  Centres behind one symbol are kept as spread as they were, and those of a
 * tree's labels of one kind with different functions no nearer to each other than the nearest such
 * pair of either was: else the shortest way to contract is to make them one.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "lab/train.h"
#include "models/attention/routing.h"

typedef struct ThTrainContract ThTrainContract;

typedef struct {
    double weight, radius; /* balls of radius to 4 radius */
    int shards;            /* that work at the same time */
} ThTrainContractHow;

/* Returns new: for a bound model, which is borrowed.  TH_EVALUE where certify could say nothing of
 * model or task, TH_ELIMIT where there are too many functions; TH_ENOMEM. */
ThTrainContract *th_train_contract_new(const ThModel *m, const ThTask *t,
                                       const ThTrainContractHow *how, ThError *err);
void th_train_contract_free(ThTrainContract *c); /* NULL is fine */

/* Of one shard's run, with what its batch computed: returns the tape's loss with that of the
 * shard's pairs added, as far as its slopes go; its value means nothing. */
ThVar th_train_contract_add(ThTrainContract *c, ThTape *t, const ThModelRouting *routing, int shard,
                            ThRng *r, ThVar loss);

/* After the backward pass of that tape: moves the points. */
void th_train_contract_turn(ThTrainContract *c, const ThTape *t, int shard);

/* After all shards of a step: moves the centres. */
void th_train_contract_step(ThTrainContract *c);

/* What it knows, as numbers, for the same training to go on from: how many, writing, and taking
 * them.  False: they are about other pairs or vectors, and nothing is taken. */
size_t th_train_contract_size(const ThTrainContract *c);
void th_train_contract_write(const ThTrainContract *c, double *to);
bool th_train_contract_read(ThTrainContract *c, const double *from, size_t n);

/* Fills pairs, farthest and far of *to with what was seen since the last report. */
void th_train_contract_report(ThTrainContract *c, ThTrainLevels *to);
