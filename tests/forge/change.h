/* change.h - what the forger does to a subject: to its certificate, its weights, what is asked. */
#ifndef TESTS_FORGE_CHANGE_H
#define TESTS_FORGE_CHANGE_H

#include "base/rng.h"
#include "subject.h"

typedef enum {
    IN_FILE,    /* of JSON: anything; sections doubled, dropped, of another certificate */
    IN_HEADER,  /* format, kind, slack and sizes in it, of a model that is wrong */
    IN_NUMBERS, /* centres, radii, matrices, maps, answers, the automaton */
    IN_WEIGHTS,
    IN_READ_OUT,
    IN_CLAIM,    /* names, automaton, domain, which positions are asked */
    IN_SLACK,    /* more is asked for than was proved */
    PERMUTATION, /* of answers or symbols, of claim and certificate */
    WIDENING,    /* of the domain, of a model that is wrong outside of it */
    CANCELLING,  /* units that cancel */
    CHANGE_KINDS
} ChangeKind;

extern const char *const change_kind_name[CHANGE_KINDS];

typedef struct {
    uint64_t number;
    ChangeKind kind;
    bool first; /* one of those that are tried with every subject before all else */
    ThRng r;
    const char *path; /* of a file that may be written */
    const Subject *all, *s;
    ThModel *m;           /* s->model, whose weights come back, or one of its own */
    ThProofClaim *claim;  /* s->claim, or one of its own; NULL: what is asked is no claim */
    ThSignature asked;    /* borrowed names */
    const ThDfa *machine; /* what is asked */
    ThDfa *other;         /* the same, if it is one of its own */
    const ThDfa *domain;
    ThDfa *strings;          /* the same */
    SubjectFormula formula;  /* of PROGRAM: what is claimed */
    double longest, certain; /* what was accepted is said of so long words; and of runs */
    bool changed, anew;      /* model or claim is; the certificate is to be made */
    char what[400], why[400];
} Change;

/* How many kinds are tried first. */
enum { CHANGE_FIRST = 10 };

/* Sets what a change begins with; what `change_make` has taken is given back by `change_undo`. */
void change_begin(Change *x, const Subject *all, const Subject *s, uint64_t number);
void change_undo(Change *x);

/* Changes it.  Returns new: the certificate; NULL: there is none, or the subject's kind of proof
 * takes none. */
ThProofCertificate *change_make(Change *x);

/* Returns new: that of the subject. */
ThProofCertificate *change_nothing(Change *x);

#endif
