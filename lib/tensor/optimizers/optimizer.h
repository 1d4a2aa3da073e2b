/* optimizer.h - the update rules, as a table.
 *
 * A rule is one file, optimizer_NAME.c, with one constant ThOptimizer, and one line in
 * optimizers.def.  What it remembers between steps lies in slots as large as the block of
 * parameters.  Most rules treat every element by itself; one that is `whole` is handed whole
 * matrices.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "tensor/tape/params.h"

enum { TH_OPTIMIZER_SLOTS = 4 }; /* at most */

typedef struct ThOptimizer ThOptimizer;

/* One step; a rule uses what it has a use for. */
typedef struct {
    const ThOptimizer *rule;
    double rate; /* learning rate of this step */
    double beta1, beta2, eps;
    double momentum;
    double decay;   /* weight decay; parameters whose table row says so */
    double clip;    /* the gradient is multiplied by this first: global-norm clipping */
    long long step; /* of this update, from 1: bias correction */
    ThStop *stop;   /* ends preparations; NULL: nothing does */
} ThOptimizerUpdate;

/* What a rule is called on: a run of elements of one parameter, or, where rows is not 0, a hidden
 * matrix (rows, cols) whose rows begin `stride` elements apart.  All are views. */
typedef struct {
    float *w, *g, *slot[TH_OPTIMIZER_SLOTS];
    size_t n; /* elements of a run */
    int rows, cols, stride;
    bool decays;
    float *scratch; /* as many floats as the rule asked for */
} ThOptimizerRun;

struct ThOptimizer {
    const char *name, *summary, *source;
    int slots;       /* that it needs, at most TH_OPTIMIZER_SLOTS */
    bool whole;      /* hidden matrices come whole, and every other parameter as one run */
    double momentum; /* the default */
    /* The slow part of updating a hidden matrix, which changes nothing but scratch and such slots
     * as the update begins by setting, so that it can be stopped; NULL: there is none. */
    void (*prepare)(const ThOptimizerUpdate *u, const ThOptimizerRun *r);
    void (*update)(const ThOptimizerUpdate *u, const ThOptimizerRun *r); /* may use up g */
    size_t (*scratch)(int rows, int cols); /* floats for a hidden matrix; NULL: none */
};

const ThOptimizer *const *th_optimizer_all(size_t *n);  /* the registry, in manual order */
const ThOptimizer *th_optimizer_find(const char *name); /* view, or NULL */

/* Their names as the choices of an option: "adam|adamw|…", after a first bar that
 * TH_OPTIMIZER_CHOICES skips. */
extern const char th_optimizer_choices[];
#define TH_OPTIMIZER_CHOICES (th_optimizer_choices + 1)

/* Where a step finds its numbers.  slot has rule->slots arrays of params->total, zero before the
 * first step; the gradient is used up; scratch has th_optimizer_scratch floats of this thread's
 * own. */
typedef struct {
    ThParams *params;
    float *const *slot;
    float *gradient, *scratch;
} ThOptimizerState;

/* What goes before th_optimizer_update, for the same parts; all of them are to be done before the
 * first update.  Where u->stop was set meanwhile, no update may follow. */
void th_optimizer_prepare(const ThOptimizerUpdate *u, const ThOptimizerState *s, int part,
                          int parts);

/* Does the part `part` of `parts` of a step.  The parts may run in parallel and in any order, and
 * how many there are changes no result of a rule that is whole; other rules are cut into slices of
 * the block. */
void th_optimizer_update(const ThOptimizerUpdate *u, const ThOptimizerState *s, int part,
                         int parts);

/* Floats of scratch that each part needs, a multiple of 16; 0 for most rules. */
size_t th_optimizer_scratch(const ThOptimizer *rule, const ThParams *p);
