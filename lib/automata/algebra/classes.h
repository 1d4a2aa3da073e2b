/* classes.h - to which classes of regular languages a language belongs, how that is decided, and a
 * witness for every answer.
 *
 *     ThClassReport *r = th_class_report(minimal, symbol, 20000, stop, &err);
 *     if (r->verdict[TH_CLASS_CRASP].is == TH_CLASS_NO)
 *         puts(r->verdict[TH_CLASS_CRASP].witness);
 *     th_class_report_free(r);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/dfa.h"

/* In the order of the table: a class stands before those that contain it. */
typedef enum {
    TH_CLASS_COFINITE,
    TH_CLASS_DEFINITE,
    TH_CLASS_REVERSE_DEFINITE,
    TH_CLASS_GENERALIZED_DEFINITE,
    TH_CLASS_SL,
    TH_CLASS_COSL,
    TH_CLASS_SP,
    TH_CLASS_COSP,
    TH_CLASS_LT,
    TH_CLASS_LTT,
    TH_CLASS_PT,
    TH_CLASS_SIGMA1,
    TH_CLASS_PI1,
    TH_CLASS_PLT,
    TH_CLASS_TSL,
    TH_CLASS_TLT,
    TH_CLASS_TLTT,
    TH_CLASS_TPLT,
    TH_CLASS_R,
    TH_CLASS_L,
    TH_CLASS_DA,
    TH_CLASS_FO2,
    TH_CLASS_SIGMA2,
    TH_CLASS_PI2,
    TH_CLASS_CRASP,
    TH_CLASS_R_INFINITY,
    TH_CLASS_STAR_FREE,
    TH_CLASS_GROUP,
    TH_CLASS_R_GROUP,
    TH_CLASS_SOLVABLE,
    TH_CLASS_REGULAR,
    TH_CLASS_COUNT
} ThClass;

enum { TH_CLASS_COVERS = 4 };
typedef struct {
    const char *key, *name, *meaning, *source;
    int above[TH_CLASS_COVERS]; /* the least classes of the table that contain it; -1: no more */
} ThClassKind;

typedef enum { TH_CLASS_NO, TH_CLASS_YES, TH_CLASS_UNKNOWN } ThClassAnswer;

typedef struct {
    ThClassAnswer is;
    int k, threshold; /* of what pieces the language speaks, 0: not so, or not known */
    char *witness;    /* no: where the class's law breaks; yes: constraints, if any; else why not
                         known.  Never NULL */
} ThClassVerdict;

typedef struct {
    int monoid; /* its size; 0: more elements than were to be looked at */
    int period; /* least common multiple of the cycles that symbols make, or of as many as fit */
    int tier;   /* symbols that are not the identity on the states: those the T classes look at */
    ThClassVerdict verdict[TH_CLASS_COUNT];
} ThClassReport;

/* What the table says of a class; and whether one is contained in another, by the table. */
const ThClassKind *th_class_kind(int which);
bool th_class_within(int which, int other);

/* Returns new: all verdicts on the language of a minimal complete acceptor.  Where the monoid has
 * more than `elements` elements, only what the machine itself shows is decided, and what follows
 * from it.  Errors: TH_ENOMEM, TH_EINTERRUPTED. */
ThClassReport *th_class_report(const ThDfa *d, char *const *symbol, size_t elements, ThStop *stop,
                               ThError *err);
void th_class_report_free(ThClassReport *r); /* NULL is fine */
TH_RELEASES(th_class_report_free, ThClassReport)
