/* until_impl.h - what the files of a training until proved share.
 *
 * Internal: a part of until_proved.h.
 */
#pragma once

#include "lab/contract.h"
#include "lab/until_proved.h"
#include "proof/sample.h"

enum {
    TH_TRAIN_JOINED = 48 /* words that join a batch, at most */
};

/* What is claimed, and what vectors can stand for. */
typedef struct {
    ThProofClaim *claim;
    ThProofLabels *labels; /* of a tree; NULL: a cell's are the machine's states */
} ThTrainClaim;
bool th_train_claim_new(ThTrainClaim *c, const ThTrainProving *how, ThError *err);
void th_train_claim_free(ThTrainClaim *c);

/* Samples vectors that trees can hold and fills mixed, reach and gap.  Words of up to 64 symbols
 * whose vectors are taken for something else join the model's batches; *words is how many. */
bool th_train_measure(const ThTrainProving *how, const ThTrainClaim *c, ThModelStage *to,
                      ThError *err);

/* A word joins the batches of a model, labelled by the task; of too many the first ones leave.
 * TH_ENOMEM. */
bool th_train_join(ThModel *m, const ThTask *t, const int *word, int length, ThError *err);

/* A training until proved. */
typedef struct {
    const ThTrainProving *how;
    ThTrainClaim claim;
    ThTrainProof *to;
} ThTrainRun;

/* Makes *r one, for th_train_claim_free of its claim also after a failure: TH_EVALUE and TH_ELIMIT
 * where there are no such proofs. */
bool th_train_run_open(ThTrainRun *r, const ThTrainProving *how, ThTrainProof *to, ThError *err);

/* Does stages until there is a proof, or no steps are left. */
bool th_train_stages(ThTrainRun *r, ThError *err);

/* Asks the prover for balls, and for ellipsoids where these nearly close, and the checker about
 * what it finds; fills *r->to, and verdict and excess of *to. */
bool th_train_ask(ThTrainRun *r, ThModelStage *to, ThError *err);

/* What comes next. */
typedef struct {
    ThTrainStage stage;
    long long steps;
    double strength; /* of the stage's loss, beside what the table says, */
    double rate;     /* and of the learning rate */
    double radius;   /* of a contraction's balls; 0: as options have it */
    int longest;     /* of strings, from one symbol on */
} ThTrainPlan;
ThTrainPlan th_train_plan(const ThTrainRun *r);

/* Fills *o with the options of a stage: those given, and the stage's own.  TH_ENOMEM. */
bool th_train_stage_options(const ThTrainRun *r, const ThTrainPlan *p, ThOptions *o, ThError *err);
