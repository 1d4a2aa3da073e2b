/* evaluate.h - accuracy by length, with its uncertainty.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

typedef struct ThEvaluator ThEvaluator;

/* Returns new.  model must be bound and fit the task (TH_EVALUE); both are borrowed.  threads ≥ 1;
 * TH_ELIMIT if the system gives fewer, TH_ENOMEM. */
ThEvaluator *th_evaluator_new(const ThModel *m, const ThTask *t, long long seed, int threads,
                              ThError *err);

/* Draws `samples` strings of one length, which depend on (seed, length) only, and scores them; the
 * figures do not depend on the number of threads.  Where a string has an answer at every position
 * (TH_TARGET_EVERY; TH_TARGET_BITS, where a position is right if all its bits are), answers within
 * a string depend on each other, so the interval is that of as many answers as there are strings.
 * TH_ENUMERIC if the model's output is not finite. */
bool th_evaluator_length(ThEvaluator *e, int length, int samples, ThScore *score, ThError *err);

/* Scores the rows of a data set that are to be tested on and have lo … hi symbols: all of them, or
 * `samples` ≥ 1 of them, chosen by the seed.  chance is the share of the most frequent class.
 * TH_EVALUE if there are none. */
bool th_evaluator_rows(ThEvaluator *e, int lo, int hi, int samples, ThScore *score, ThError *err);
void th_evaluator_free(ThEvaluator *e); /* NULL is fine */
TH_RELEASES(th_evaluator_free, ThEvaluator)

/* Draws the b->B strings of a length from number `first` on, a multiple of TH_LAB_BLOCK, that
 * evaluation draws: they depend on (seed, length, number) only, of a text those that end windows on
 * (seed, number).  b as th_task_sample. */
enum { TH_LAB_BLOCK = 16 };
typedef struct {
    uint64_t seed;
    int length, first;
} ThLabStrings;
bool th_lab_draw(const ThTask *t, const ThLabStrings *which, ThBatch *b, ThError *err);

/* A walk through all that a task can draw of a length. */
typedef struct {
    int length;
    long long left; /* drawings that may still be made, those that are left out, too */
    bool done;      /* what came was the last */
    ThRngWalk choices;
} ThLabWalk;

/* The next strings of a walk, up to b->B, each once for every way of drawing it; b->B becomes how
 * many there were, 0 where it was done.  TH_ELIMIT where no drawings are left; TH_EVALUE where what
 * is drawn cannot be counted, which w->choices.uncountable tells from the errors of sampling;
 * TH_EINTERRUPTED, TH_ENOMEM. */
bool th_lab_draw_next(const ThTask *t, ThLabWalk *w, ThBatch *b, ThStop *stop, ThError *err);
void th_lab_walk_free(ThLabWalk *w);
TH_RELEASES_VALUE(th_lab_walk_free, ThLabWalk)

/* The outputs of a bound model for one word of length ≥ 1: (outputs, n_classes), with one output
 * for TH_TARGET_FINAL and one a position otherwise.  TH_EVALUE: not bound, an empty word, a symbol
 * number outside the alphabet; TH_ENOMEM. */
bool th_lab_logits(const ThModel *m, const int *token, int length, double *logits, ThError *err);

/* The answers of a bound model to all strings of a batch, as th_lab_predict gives them, on a tape
 * that th_model_tape made: th_batch_outputs of them, those of padding meaning nothing.  Errors as
 * th_model_forward. */
bool th_lab_answer(const ThModel *m, ThTape *tape, const ThBatch *b, int *answer, ThError *err);

/* The class (or, for TH_TARGET_BITS, 0/1 bits) that a bound model gives a word, into answer: 1
 * entry for TH_TARGET_FINAL, length otherwise, times n_classes for TH_TARGET_BITS.  Errors as
 * th_lab_logits. */
bool th_lab_predict(const ThModel *m, const int *token, int length, int *answer, ThError *err);

/* Turns the n logits of one output into probabilities: of the classes, or of each bit. */
void th_lab_probabilities(ThTarget target, double *logits, int n);

/* Appends a set of classes, those whose bit is not 0: {a,b}. */
void th_lab_write_set(const ThSignature *s, const int *bit, ThText *to);
