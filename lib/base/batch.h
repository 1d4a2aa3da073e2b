/* batch.h - what a task hands to a model: strings of one length with their targets, and the
 * signature that says whether the two fit together. */
#ifndef TH_BASE_BATCH_H
#define TH_BASE_BATCH_H

#include <stdbool.h>

#include "base/error.h"

typedef enum {
    TH_TARGET_FINAL, /* one class for the whole string, read at the last position */
    TH_TARGET_EVERY, /* one class at every position */
    TH_TARGET_BITS   /* n_classes independent yes/no answers at every position (k-hot) */
} ThTarget;

/* The interface of a task: names of input symbols and of output classes.  Token i is symbol[i]. */
typedef struct {
    ThTarget target;
    int n_symbols, n_classes;
    char **symbol; /* (n_symbols) */
    char **label;  /* (n_classes); for TH_TARGET_BITS the name of each bit */
} ThSignature;

/* Deep copy into *to (zeroed on failure). */
bool th_signature_copy(ThSignature *to, const ThSignature *from, ThError *err);
void th_signature_free(ThSignature *s); /* leaves *s zero-initialised */

/* True if equal in every field; else false, and TH_EVALUE says in words what differs. */
bool th_signature_match(const ThSignature *model, const ThSignature *task, ThError *err);

/* True if a batch of B strings of T tokens has at most INT_MAX of them, which tasks, models and
 * operations count on; else false and TH_EVALUE. */
bool th_batch_fits(int B, int T, ThError *err);

/* B strings of T tokens, or of length[b] and padding behind them.  target is (B) for
 * TH_TARGET_FINAL; (B,T) for TH_TARGET_EVERY, where -1 is a position that is not scored;
 * (B,T,n_classes) of 0 and 1 for TH_TARGET_BITS. */
typedef struct {
    int B, T;
    int *token; /* (B,T) */
    int *target;
    const int *length; /* (B), 1 … T; NULL: all T */
} ThBatch;

#endif
