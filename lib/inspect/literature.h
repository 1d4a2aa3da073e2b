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
    TH_INSPECT_OF_ANY,
    TH_INSPECT_OF_PERIODIC,
    TH_INSPECT_OF_GROUP
} ThInspectPaperCondition;

/* The languages of the papers' tables are bits. */
typedef struct {
    const char *name; /* of an automaton that comes with the program */
    int n, argument[2];
    unsigned language;
} ThInspectPaperLanguage;

typedef struct {
    const char *kind; /* of a model */
    ThInspectPaperCondition of;
    unsigned languages; /* 0: any */
    ThInspectVerdict learns, extends;
    const char *why, *source;
} ThInspectPaperRow;

typedef struct {
    const char *kind, *options; /* a small model, "key=value key=value" */
} ThInspectPaperModel;

/* Each ends with a row whose first entry is NULL.  The first row of a kind whose condition holds,
 * and that names the language or none, is what is said. */
extern const ThInspectPaperLanguage th_inspect_paper_languages[];
extern const ThInspectPaperRow th_inspect_paper_rows[];
extern const ThInspectPaperModel th_inspect_paper_models[];

#endif
