/* signature.h - what is asked and how it is answered: a task and a model fit together where their
 * signatures are equal.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_LEARN_SIGNATURE_H
#define TH_LEARN_SIGNATURE_H

#include "base/memory.h"

typedef enum {
    TH_TARGET_FINAL, /* one class for the whole string, read at its last position */
    TH_TARGET_EVERY, /* one class at every position */
    TH_TARGET_BITS   /* n_classes independent yes/no answers at every position (k-hot) */
} ThTarget;

/* The names of input symbols and of output classes.  Token i is symbol[i]. */
typedef struct {
    ThTarget target;
    bool next;  /* the answers are the symbols that follow, so a model may not look ahead; classes
                   are symbols then */
    bool pairs; /* TH_TARGET_FINAL: a string is two that are compared, with the last symbol of the
                   alphabet between them, which neither has */
    int n_symbols, n_classes;
    char **symbol; /* (n_symbols) */
    char **label;  /* (n_classes); for TH_TARGET_BITS the name of each bit */
} ThSignature;

/* Deep copy into *to (zeroed on failure). */
bool th_signature_copy(ThSignature *to, const ThSignature *from, ThError *err);
void th_signature_free(ThSignature *s); /* leaves *s zero-initialised */
TH_RELEASES_VALUE(th_signature_free, ThSignature)

/* True if equal in every field; else false, and TH_EVALUE says in words what differs. */
bool th_signature_match(const ThSignature *model, const ThSignature *task, ThError *err);

#endif
