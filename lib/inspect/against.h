/* against.h - training against an automaton: now and then the model is compared with it, and the
 * shortest words that it gets wrong, with some neighbours of each, join every batch from then on.
 *
 * The model's training keeps the figures of every comparison, and the words; th_trainer_step takes
 * them where its options name an automaton.
 *
 *     ThInspectAgainst a = {.model = m, .truth = &truth, .length = {1, 40, 1}, .every = 100};
 *     bool ok = th_inspect_against_fits(&truth, &err) && th_inspect_against_begin(&a, false, &err);
 *     while (ok && !th_trainer_done(tr))
 *         ok = th_trainer_step(tr, &err) &&
 *              th_inspect_against_stepped(&a, th_trainer_done(tr), &err);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "inspect/truth.h"

enum {
    TH_INSPECT_AGAINST_WORDS = 2000, /* as long as no more are read, all words of a length are; */
    TH_INSPECT_AGAINST_SAMPLES = 20, /* of each other length so many */
    TH_INSPECT_AGAINST_WRONG = 16,   /* wrong words that join, at most, */
    TH_INSPECT_AGAINST_NEAR = 3,     /* neighbours of each of them, */
    TH_INSPECT_AGAINST_JOINED = 128, /* and all words that have joined; the first ones leave */
    TH_INSPECT_AGAINST_STATES = 40   /* that are counted */
};

/* Model and truth are borrowed. */
typedef struct {
    ThModel *model; /* bound */
    const ThInspectTruth *truth;
    ThRange length;  /* of the words that are compared */
    long long every; /* steps from one comparison to the next */
    ThStop *stop;
} ThInspectAgainst;

/* TH_EVALUE for a truth that does not say which class is due. */
bool th_inspect_against_fits(const ThInspectTruth *t, ThError *err);

/* Before the first step: a training that is not resumed forgets the words of the one before it, and
 * there is a comparison, unless a resumed one has had it.  Errors: those of th_inspect_verify and
 * th_inspect_learn but for TH_ELIMIT: nothing is written down then. */
bool th_inspect_against_begin(const ThInspectAgainst *a, bool resumed, ThError *err);

/* After a step, which was the last or not: a comparison, if one is due. */
bool th_inspect_against_stepped(const ThInspectAgainst *a, bool last, ThError *err);
