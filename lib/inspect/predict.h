/* predict.h - what is known of which architecture learns which regular languages, and learns them
 * for strings longer than those of its training, by the algebra of the language.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_INSPECT_PREDICT_H
#define TH_INSPECT_PREDICT_H

#include "automata/algebra/varieties.h"
#include "automata/core/automaton.h"
#include "base/text.h"

typedef enum { TH_INSPECT_NO, TH_INSPECT_UNKNOWN, TH_INSPECT_YES } ThInspectVerdict;

/* A minimal machine's language. */
typedef struct {
    int states, size; /* of the machine, of its monoid */
    const ThVarieties *algebra;
    unsigned named; /* which of those that the papers measure it is; 0: none */
} ThInspectLanguage;

/* What is known of the language of an acceptor whose monoid has `size` elements: *l borrows
 * algebra.  Two symbols may stand in either order.  TH_ENOMEM. */
bool th_inspect_language(ThInspectLanguage *l, const ThDfa *d, const ThVarieties *algebra, int size,
                         ThError *err);

typedef struct {
    const char *kind;                 /* of a model */
    const char *options;              /* "key=value key=value": one of small size */
    ThInspectVerdict learns, extends; /* strings as in training; longer ones, too */
    const char *why, *source; /* in a few words; authors, year and theorem or table, or "" */
} ThInspectPrediction;

/* How many there are, and number i of them, for a language. */
size_t th_inspect_predictions(void);
ThInspectPrediction th_inspect_predict(size_t i, const ThInspectLanguage *l);

/* Whether counts of symbols, of positions by what was counted before them, and comparisons of these
 * with constants decide the language: piecewise testable ones, and those of thresholds on how often
 * symbols occur.  Where neither holds it is not known. */
ThInspectVerdict th_inspect_counting(const ThInspectLanguage *l);

/* Appends what is known and was measured of models on a language whose machine has so many states;
 * no promise about a training. */
void th_inspect_meaning(ThText *t, const ThVarieties *v, int states);

#endif
