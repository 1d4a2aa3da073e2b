/* signature.h - what is asked and how it is answered: a task and a model fit together where their
 * signatures are equal.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/memory.h"

typedef enum {
    TH_TARGET_FINAL, /* one class for the whole string, read at its last position */
    TH_TARGET_EVERY, /* one class at every position */
    TH_TARGET_BITS   /* n_classes independent yes/no answers at every position (k-hot) */
} ThTarget;

/* Where the symbols of a task's strings stand in what the strings are about: two symbols that play
 * the same part, digits of one place in two numbers for instance, have one place. */
typedef struct ThSignature ThSignature;
typedef struct {
    const char *kind; /* whose they are, a name that lives as long as the program; NULL: the task
                         gives none */
    int layout;       /* and of which of its layouts */
    /* place (n) <- the place of each symbol, from 1, 0 for none, at most n; line (n) <- the number
     * of its line, from 0.  What follows a symbol that is answered does not change its own. */
    bool (*set)(const ThSignature *s, const int *token, int n, int *place, int *line, ThError *err);
} ThSignaturePlaces;

/* The names of input symbols and of output classes.  Token i is symbol[i]. */
struct ThSignature {
    ThTarget target;
    bool next;  /* the answers are the symbols that follow, so a model may not look ahead; classes
                   are symbols then */
    bool pairs; /* TH_TARGET_FINAL: a string is two that are compared, with the last symbol of the
                   alphabet between them, which neither has */
    int n_symbols, n_classes;
    ThSignaturePlaces places; /* of a model: those that it reads */
    char **symbol;            /* (n_symbols) */
    char **label;             /* (n_classes); for TH_TARGET_BITS the name of each bit */
};

/* Deep copy into *to (zeroed on failure). */
bool th_signature_copy(ThSignature *to, const ThSignature *from, ThError *err);
void th_signature_free(ThSignature *s); /* leaves *s zero-initialised */
TH_RELEASES_VALUE(th_signature_free, ThSignature)

/* True if equal in every field, but for places that the model does not read; else false, and
 * TH_EVALUE says in words what differs. */
bool th_signature_match(const ThSignature *model, const ThSignature *task, ThError *err);
