/* train.h - training, one step at a time.
 *
 * The caller owns the loop, the clock and the interruption:
 *
 *     ThTrainer *tr = th_trainer_new(model, task, &options, threads, &err);
 *     while (!th_trainer_done(tr) && th_trainer_step(tr, &err))
 *         …
 *     th_trainer_free(tr);
 *
 * After any number of steps the model is whole: parameters, optimiser state and step count belong
 * to the last finished step.  A loss that is not finite fails with TH_ENUMERIC and leaves the model
 * as the last good step made it.  Validations that the options ask for follow their step; after the
 * last one the model is what it was at the best, where that is to be kept, and its optimiser
 * begins anew.  A trainer that is freed before its first step is done unbinds a
 * model that it bound.  On the same kernels the same seed and number of threads
 * give the same bits; a training that is interrupted, saved, loaded and continued gives those of
 * one that was not.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

/* The options of `train`.  The trainer leaves report, checkpoint and every to its caller. */
extern const ThOptionSpec th_train_options[];

/* Elements of the automaton's semigroup that trainings for a proof look at, at most; and the seed
 * of the vectors that they have sampled where the model is to snap. */
enum { TH_TRAIN_MOST_FUNCTIONS = 1024, TH_TRAIN_TABLE_SEED = 1 };

typedef struct ThTrainer ThTrainer;

/* Returns new: a trainer on `threads` ≥ 1 threads, as many tapes and as many shards of every batch.
 * Binds the model to the task if it is not bound yet; model and task are borrowed for the trainer's
 * life.  options come from th_train_options.  TH_EVALUE if the model is bound to another alphabet,
 * or if a data set has no rows of the lengths, TH_EUSAGE for an option that the model has no use
 * for, TH_ENOMEM, TH_ELIMIT (threads, or the model's bounds): the model is as it was. */
ThTrainer *th_trainer_new(ThModel *m, const ThTask *t, const ThOptions *options, int threads,
                          ThError *err);

/* For a trainer that has done no step yet: the training is the one in which the model was saved, so
 * that schedules and validations count from its beginning, and the losses
 * beside that of the answers know what they did. */
void th_trainer_resume(ThTrainer *tr);

/* Draws a batch and moves the parameters once.  TH_ENUMERIC, TH_EVALUE (a batch of more than
 * INT_MAX symbols), TH_EINTERRUPTED and TH_ELIMIT (the model's bounds) and TH_ENOMEM leave the
 * model as after the step before; no memory for one more line of history is the exception, the step
 * is done then. */
bool th_trainer_step(ThTrainer *tr, ThError *err);
bool th_trainer_done(const ThTrainer *tr); /* no step is left to do, or no patience */

/* Fills the options that are not given as the recipe says that the option `recipe` names, for a
 * model and a task; to be called before the options are read.  TH_ENOMEM. */
bool th_train_follow_recipe(ThOptions *o, const ThModel *m, const ThTask *t, ThError *err);

/* The best of the validations after step `first`, a view, or NULL: that of the greatest accuracy,
 * of equals the one of the least loss. */
const ThModelValidation *th_train_best(const ThModelTraining *t, long long first);

typedef struct {
    long long step, last_step; /* done so far, and the number to reach */
    double loss, accuracy;     /* running means of the last hundred steps or so */
    int length;                /* of the last batch */
    int longest, asked;        /* the curriculum's present maximum, and what it shall come to */
    double validation; /* mean accuracy of the validation after the last step; NaN: there is none */
} ThTrainerProgress;
ThTrainerProgress th_trainer_progress(const ThTrainer *tr);

/* What centre_loss= and auxiliary_loss= act on, level by level of the tree, and contraction_loss=
 * or table_loss=: vectors since the last report. */
enum { TH_TRAIN_LEVELS = 24 };
typedef struct {
    long long vectors;
    double
        wrong; /* share of which the head of auxiliary_loss= tells another function; NaN: no head */
    double spread, reach; /* distance from the centre: root mean square, greatest */
} ThTrainLevel;
typedef struct {
    int n, functions; /* levels, and functions that have a centre */
    ThTrainLevel level[TH_TRAIN_LEVELS];
    double nearest, mean; /* distance of a centre from its nearest other: least, mean; 0: no two */
    int pairs;            /* that contraction_loss= or table_loss= acts on; 0: there is none */
    double farthest, far; /* how far vectors were from their product's centre, in radii; of
                             table_loss= from being right, which is 0 and less */
} ThTrainLevels;

/* Fills *to and begins to count anew.  False: the training has none of the four. */
bool th_trainer_levels(ThTrainer *tr, ThTrainLevels *to);
size_t th_trainer_bytes(const ThTrainer *tr); /* memory of tapes and gradients */
void th_trainer_free(ThTrainer *tr);          /* NULL is fine */
TH_RELEASES(th_trainer_free, ThTrainer)

/* ---- gradient check -------------------------------------------------------------------------- */

typedef struct {
    char name[64];
    int checked;           /* coordinates compared */
    double analytic_error; /* worst relative error of the double gradient to finite differences */
    double fast_error;     /* relative distance of the float gradient to the double one */
} ThGradcheckRow;
typedef struct {
    int n;
    ThGradcheckRow *row; /* one a parameter */
    double worst, worst_fast;
} ThGradcheck;

typedef struct {
    int length, batch, coordinates; /* coordinates: compared per parameter */
    uint64_t seed;                  /* of the strings and the choice of coordinates */
} ThGradcheckShape;

/* Compares the reference gradient with central differences, and the fast gradient with the
 * reference, on one batch.  Returns new.  An error that is not a number stands for a gradient that
 * is none, so compare with !(worst < bound).  Binds the model if it is not bound yet, and on
 * failure (TH_EVALUE, TH_ENOMEM, the model's bounds) unbinds it again.  Costs up to four forward
 * passes a coordinate.
 */
ThGradcheck *th_gradcheck(ThModel *m, const ThTask *t, const ThGradcheckShape *shape, ThError *err);
void th_gradcheck_free(ThGradcheck *g);
TH_RELEASES(th_gradcheck_free, ThGradcheck)
