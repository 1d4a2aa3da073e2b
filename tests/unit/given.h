/* given.h - what several unit tests start from: random numbers, words, automata from
 * text, words for machines, scratchpads, tasks and models. */
#ifndef TEST_UNIT_GIVEN_H
#define TEST_UNIT_GIVEN_H

#include "automata/core/automaton.h"
#include "base/option.h"
#include "base/rng.h"
#include "lab/train.h"
#include "models/model.h"
#include "scratchpad/scratchpad.h"
#include "tasks/task.h"
#include "turing/tape_words.h"

/* Uniform in 0 … n-1. */
int below(ThRng *r, int n);

/* How many maps of states the words of a machine make, 0 beyond the limit; whether none has a
 * period. */
size_t monoid_size(const ThDfa *d, size_t limit, bool *aperiodic, ThError *err);

/* Symbols of row i up to the first that is scored, with it; all where none is. */
int prompt_of(const ThSignature *s, const ThBatch *b, int i);

/* Makes *word, of *length symbols below k, the next one in length-lexicographic order; false when
 * all up to length `most` have been.  The word has room for `most` symbols, at most MAX_WORD. */
enum { MAX_WORD = 16 };
bool next_word(int *word, int *length, int k, int most);

/* Return new: the automaton of a block's inside, of an expression without names of objects (up to
 * the library's own limit of states).  The test fails where there is an error. */
ThAutomaton *parse(const char *text);
ThAutomaton *evaluate(const char *text);

/* Returns new: uniform words for a machine's tapes, each shorter than `shorter`. */
ThTmTapeWords any_words(ThRng *g, const ThTm *m, int shorter);

/* Returns new: a scratchpad of a kind, with options "key=value key=value"; m may be NULL.  The test
 * fails where there is an error. */
ThPad *made(const char *kind, const char *settings, const ThTm *m);

/* Fills *o from "key=value key=value"; freed with th_options_free. */
void set_all(ThOptions *o, const ThOptionSpec *specs, const char *settings);

/* Return new: a task (of an automaton as `parse` reads it, or NULL); one of a kind of scratchpad,
 * with the options of both; a model, not bound yet. */
ThTask *made_task(const char *kind, const char *settings, const char *automaton);
ThTask *made_pad_task(const char *pad, const char *settings, const ThTm *m);
ThModel *made_model(const char *kind, const char *settings);

/* Returns new: a trainer with the options of train; the test fails where there is an error.  Such a
 * one trains a model to its last step. */
ThTrainer *made_trainer(ThModel *m, const ThTask *t, const char *settings, int threads);
void train_on(ThModel *m, const ThTask *t, const char *settings);

/* What a step by plain gradient descent has more than another one, calculated once more. */
typedef struct {
    const char *what;
    double rate, h; /* h: how far parameters are moved either way */
    double (*loss)(const ThModel *m, const void *x);
    const void *x;
} StepLoss;

/* Fails unless models that made such a step from `before`, a with the loss and b without, differ by
 * its slope: along that way it falls as fast as the way is long.  a's parameters are then `before`
 * again. */
void check_step_slope(ThModel *a, const ThModel *b, const float *before, const StepLoss *of);

#endif
