/* trials.h - a model goes on behind prompts of a task, and the task judges what it writes.
 *
 *     ThLabTrials t;
 *     if (th_lab_trials(&plan, &t, &err))
 *         …                                             // t.item[0] to t.item[t.n - 1]
 *     th_lab_trials_free(&t);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "lab/generate.h"
#include "tasks/task.h"

/* A prompt, what the drawn string has behind it, and what the model wrote; both of these with the
 * end symbol, if it came to that. */
typedef struct {
    ThTaskWord prompt, truth, said;
    bool answer; /* the answer is right, however it was reached */
    ThTaskVerdict verdict;
} ThLabTrial;

typedef struct {
    int n;
    ThLabTrial *item; /* (n) */
    int *memory;      /* of their words */
} ThLabTrials;

typedef struct {
    const ThModel *model; /* borrowed */
    const ThTask *task;
    ThGenerateSettings how; /* end is the last of the true text; most 0: twice as long as that */
    uint64_t seed;          /* of the strings */
    const ThBatch *given;   /* where not NULL, these strings, samples of them; none are drawn */
    int length, samples, threads;
    ThStop *stop; /* may be NULL */
} ThLabTrialsPlan;

/* True if the task asks for texts that can be judged. */
bool th_lab_can_try(const ThTask *t);

/* Draws strings as evaluation does, or takes those that are given, has the model write behind their
 * prompts, several at a time, and judges.  Fills *to, freed by th_lab_trials_free (zeroed on
 * failure).  TH_EVALUE if the task has nothing to judge; TH_EINTERRUPTED; else as th_generate_open
 * and th_generate_step. */
bool th_lab_trials(const ThLabTrialsPlan *plan, ThLabTrials *to, ThError *err);
void th_lab_trials_free(ThLabTrials *t);
TH_RELEASES_VALUE(th_lab_trials_free, ThLabTrials)

/* One string: splits a drawn row into a prompt, up to the first place that asks for a symbol, and
 * the symbols that are asked for behind it.  Views into the batch. */
void th_lab_split(const ThTask *t, const ThBatch *b, int row, ThTaskWord *prompt,
                  ThTaskWord *truth);
