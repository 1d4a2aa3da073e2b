/* train_impl.h - what the files of a training share.
 *
 * Internal: a part of train.h.
 */
#pragma once

#include "base/pool.h"
#include "lab/balance.h"
#include "lab/contract.h"
#include "lab/meaning.h"
#include "lab/pull.h"
#include "lab/product_table.h"
#include "lab/validation.h"

/* One thread's part of a step: some strings of the batch, on a tape of its own. */
typedef struct {
    ThTape *tape;
    ThBatch batch; /* views of the trainer's batch */
    int drawn;     /* rows of it that were drawn; the others have joined them */
    ThRng noise;
    double loss;
    long long right;
    double squares; /* of the summed gradient's slice */
    double size;    /* the same of the parameters' */
    ThError err;
} Shard;

struct ThTrainer {
    ThModel *model;
    const ThTask *task;
    ThPool *pool;
    Shard *shard;  /* (n_shards) */
    ThTape **tape; /* (n_shards): theirs */
    int n_shards;
    int curriculum, schedule;
    int batch_size;
    int part; /* 0: whole strings; else parts of longer ones, which end a multiple of so many
                 symbols before their end */
    int length, least; /* of the present batch's longest and its shortest strings */
    bool fresh;        /* the trainer bound the model, and no step has been done yet */
    bool joins;        /* the words of the last comparison join every batch */
    bool whole;        /* the present batch is drawn from all lengths, whatever the bound */
    ThBatch drawn, both, batch;    /* those of the task; with words that joined; a view of either */
    ThTrainValidation *validation; /* NULL: none */
    ThTrainPull *pull;             /* NULL: none */
    ThTrainMeaning *meaning;       /* NULL: none */
    ThTrainContract *contract;     /* NULL: none */
    ThTrainTable *table;           /* NULL: none */
    ThTrainBalance *balance;       /* where strings come from; NULL: from the task */
    ThRange lengths;
    double full, threshold, growth;
    long long first, last_step; /* of this training: steps before it, and those after it */
    long long warmup;
    double rate, max_norm, noise, ramp;
    ThOptimizerUpdate update;
    float *scratch; /* of the update rule: scratch_size floats for every shard */
    size_t scratch_size;
    long long answers; /* that the present batch asks for, */
    long long scored;  /* and those of its strings that were drawn */
    double step_loss, step_accuracy;
};

/* The options segments, curriculum and schedule, in the order of their words. */
enum { SEGMENTS_NONE, SEGMENTS_DRAWN, SEGMENTS_BALANCED };
enum { CURRICULUM_UNIFORM, CURRICULUM_FIXED, CURRICULUM_ADAPTIVE, CURRICULUM_PACED };
enum { SCHEDULE_CONSTANT, SCHEDULE_LINEAR, SCHEDULE_COSINE, SCHEDULE_ROOT };

/* The share of this training's steps that is done. */
double th_train_share_done(const ThTrainer *tr);

/* The lengths that the curriculum has come to. */
ThRange th_train_lengths(const ThTrainer *tr);

/* Draws or takes the strings of the next step, with those that join them, and cuts them into the
 * shards' parts.  Errors are those of the task, TH_EVALUE, TH_ENOMEM. */
bool th_train_draw(ThTrainer *tr, ThError *err);

/* What losses beside that of the answers have of their own: makes room for it in
 * the model (TH_ENOMEM); moves it after a step and writes it down; takes it back if it is about
 * them, or they begin anew. */
bool th_train_reserve_kept(ThTrainer *tr, ThError *err);
void th_train_move_kept(ThTrainer *tr);
void th_train_recall_kept(ThTrainer *tr);

/* The parameters become `value` (params.total); the optimiser knows nothing of others. */
void th_train_put_back(ThModel *m, const float *value);

/* Sets those of "key=value key=value" that are not given.  As th_options_set. */
bool th_train_set_words(ThOptions *o, const char *words, ThError *err);
