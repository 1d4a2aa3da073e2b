/* task.h - tasks: where labelled strings come from.
 *
 * A task kind is one file with one constant ThTaskKind, and one line in kinds.def.  A task is
 * an alphabet, a set of classes, a sampler of strings of a wanted length, and a machine that says
 * what the label of any string is: samplers draw strings, the machine labels them.
 */
#ifndef TH_TASKS_TASK_H
#define TH_TASKS_TASK_H

#include "automata/core/automaton.h"
#include "automata/core/dfa.h"
#include "base/error.h"
#include "base/option.h"
#include "base/rng.h"
#include "learn/batch.h"

typedef struct ThTask ThTask;

typedef struct {
    const char *name, *summary, *source; /* source: paper and section */
    const char *detail;                  /* how strings are drawn, what chance level to expect */
    bool takes_automaton;                /* `task t = KIND AUTOMATON` */
    const ThOptionSpec *options;         /* ends with a NULL name; NULL: none */
    /* Fills t->signature, t->machine and t->bits.  `a` is NULL unless takes_automaton. */
    bool (*init)(ThTask *t, const ThAutomaton *a, ThError *err);
    /* The length of the strings drawn when `length` is asked for; NULL: the same. */
    int (*length)(const ThTask *t, int length);
    /* Draws a batch of b->B strings of b->T tokens (a length that `length` returned) into b->token.
     * Labels are computed from the machine afterwards, by th_task_sample. */
    bool (*draw)(const ThTask *t, ThRng *r, ThBatch *b, ThError *err);
    /* What th_task_chance returns for a length that `length` returned. */
    double (*chance)(const ThTask *t, int length);
} ThTaskKind;

struct ThTask {
    const ThTaskKind *kind;
    ThOptions options;
    ThSignature signature;
    /* Its class after a string (TH_TARGET_FINAL) or prefix (TH_TARGET_EVERY) is the label; the
     * class signature.n_classes, where it has one, means that there is nothing to answer. */
    ThDfa *machine;
    int *bits; /* TH_TARGET_BITS: (n_states, n_classes) of 0 and 1, equal rows in equal machine
                  classes; else NULL */
};

const ThTaskKind *const *th_task_kinds(size_t *n); /* the registry, in manual order */
const ThTaskKind *th_task_kind(const char *name);  /* view, or NULL */

/* Returns new.  options must have been initialised from kind->options; they are copied. */
ThTask *th_task_new(const ThTaskKind *kind, const ThOptions *options, const ThAutomaton *a,
                    ThError *err);
ThTask *th_task_copy(const ThTask *t, ThError *err); /* returns new */
void th_task_free(ThTask *t);                        /* NULL is fine */

/* The length of strings drawn for a wanted length ≥ 1 (modular arithmetic has odd lengths only). */
int th_task_length(const ThTask *t, int length);

/* Fills a batch: b->B set by the caller, b->T set to th_task_length(t, length); b->token and
 * b->target are (re)allocated, NULL at first, and freed by th_batch_free.  The strings depend on *r
 * only; several threads may draw from one task. */
bool th_task_sample(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err);

/* Computes b->target of given tokens (B, T set). */
void th_task_label(const ThTask *t, ThBatch *b);

/* The accuracy of the best answer that does not read the string, for the length wanted: exact for
 * the distribution that the sampler draws from.  NaN only if memory runs out. */
double th_task_chance(const ThTask *t, int length);

#endif
