/* until_proved.h - training that goes on until a model is proved right on strings of every length.
 *
 * Stages follow each other, each chosen by what is measured of the model after the one before: as
 * long as vectors of some function on the automaton's states are taken for those of another, the
 * functions are learned; then the vectors of each are drawn together; then the map of two vectors
 * is made to contract where it stretches most.  After each stage the prover is asked, as soon as
 * that has a point, and an independent checker after it.  Strings that show what is wrong, or that
 * the worst pair of sets is about, join all batches from then on.
 *
 * Of recurrent networks the vectors are states, those of one state of the automaton behind one
 * symbol belong together.  They are learned by the automaton's steps (product_table.h), and no
 * stage draws them: the map is made to contract at once.
 *
 * A stage's loss can be too strong and make the vectors of different functions one: such a stage is
 * undone, and its loss weaker from then on.
 *
 * Instead of the model itself, the model whose vectors snap to centres (proof/check/quantize.h) can
 * be what is to be proved.  That its table is the automaton's asks for no map that contracts: only
 * that F takes centres near enough to the centres of their products, and that itself is what is
 * learned (product_table.h), in stages of one sort.
 *
 * What is done depends on the model's training (ThModelStage) and its parameters alone: one that is
 * interrupted, saved, loaded and continued gives the bits of one that was not.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "lab/train.h"
#include "proof/check/check.h"
#include "proof/check/quantize.h"

/* ThModelStage.stage. */
typedef enum {
    TH_TRAIN_BEFORE,   /* none: how it stood before the first one */
    TH_TRAIN_LEARN,    /* the functions are told apart */
    TH_TRAIN_DRAW,     /* their vectors are drawn together */
    TH_TRAIN_CONTRACT, /* what stretches most is made flat */
    TH_TRAIN_TABLE,    /* of a model that is to snap, its table is learned */
    TH_TRAIN_STAGES
} ThTrainStage;

const char *th_train_stage_name(ThTrainStage stage); /* "learn"; static */

/* What came of it.  Zero-initialised there is nothing. */
typedef struct {
    ThProof *proof; /* of the model as it is: the prover's word, or NULL where it was not asked */
    ThProofQuantized *table;         /* where the snapped model is asked about, instead */
    ThProofCertificate *certificate; /* that the checker has agreed to, or NULL */
    ThProofChecked checked;          /* what it said of it */
} ThTrainProof;
void th_train_proof_free(ThTrainProof *p); /* leaves *p zero-initialised */
TH_RELEASES_VALUE(th_train_proof_free, ThTrainProof)

/* Model, task and options (of th_train_options: what is given holds in all stages) are borrowed. */
typedef struct {
    ThModel *model;
    const ThTask *task;
    const ThOptions *options;
    int threads;
    long long most; /* steps that the model may have in the end */
    double rate;    /* that learning rates are multiplied by: 1 */
    bool in_double; /* what is to be proved is about runs in double precision */
    bool quantized; /* what is to be proved is the model that th_proof_snapped makes of this one */
    bool resumed;   /* the model is a checkpoint of this same training */
    ThStop *stop;   /* may be NULL */
    void *context;
    /* After each step; may be NULL, and fail by returning false. */
    bool (*stepped)(void *context, const ThTrainer *trainer, ThError *err);
    /* After each stage, and before the first one. */
    void (*staged)(void *context, const ThModelStage *stage, const ThTrainProof *p);
    /* Every `every` steps, after each stage, and when the training is stopped; may be NULL. */
    bool (*save)(void *context, ThError *err);
    long long every;
} ThTrainProving;

/* Trains a bound model.  Fills *to, for th_train_proof_free also after a failure; it is proved
 * where there is a certificate.  TH_EVALUE and TH_EUSAGE for models and tasks of which there are no
 * such proofs or trainings, TH_ELIMIT where there are too many functions, TH_EINTERRUPTED with the
 * model as after the last finished step and saved, and the errors of th_trainer_step. */
bool th_train_until_proved(const ThTrainProving *how, ThTrainProof *to, ThError *err);

/* What a repair came to. */
typedef struct {
    int tries;    /* trainings, from the gentlest on */
    double part;  /* of the way that the last of them went: what was needed */
    double moved; /* how far that is, beside the length of all parameters */
} ThTrainRepaired;

/* Brings a trained model to a proof with as little change as is found: trainings of up to `steps`
 * steps begin at its parameters, each at a larger rate than the one before, until one ends with a
 * proof; then as little of the way as is still proved is gone.  Where none does, or on a failure,
 * the model stays as it was, its training too.  how->most and how->rate are not read.  Errors as of
 * th_train_until_proved. */
bool th_train_repair(const ThTrainProving *how, long long steps, ThTrainProof *to,
                     ThTrainRepaired *repaired, ThError *err);
