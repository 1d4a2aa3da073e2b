/* literature.h - what papers measured and proved of which model learns which language: the tables
 * that predict and monoid speak from.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_INSPECT_LITERATURE_H
#define TH_INSPECT_LITERATURE_H

#include "inspect/predict.h"

/* What a language must be for a row to hold, besides being one of those that the row names. */
typedef enum {
    TH_LITERATURE_ANY,
    TH_LITERATURE_PERIODIC,
    TH_LITERATURE_GROUP
} ThLiteratureCondition;

/* The languages of the papers' tables are bits. */
typedef struct {
    const char *name; /* of an automaton that comes with the program */
    int n, argument[2];
    unsigned language;
} ThLiteratureLanguage;

typedef struct {
    const char *kind; /* of a model */
    ThLiteratureCondition of;
    unsigned languages; /* 0: any */
    ThInspectVerdict learns, extends;
    const char *why, *source;
} ThLiteratureRow;

typedef struct {
    const char *kind, *options; /* a small model, "key=value key=value" */
} ThLiteratureModel;

/* Each ends with a row whose first entry is NULL.  The first row of a kind whose condition holds,
 * and that names the language or none, is what is said. */
extern const ThLiteratureLanguage th_literature_languages[];
extern const ThLiteratureRow th_literature_rows[];
extern const ThLiteratureModel th_literature_models[];

#endif
