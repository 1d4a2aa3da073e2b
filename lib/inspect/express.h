/* express.h - what theorems say about which kinds of model can express a regular language, by the
 * classes that it belongs to; and the small models that are trained beside it.
 *
 *     ThInspectExpression e[TH_INSPECT_THEOREMS];
 *     th_inspect_express(d, symbol, report, e, &err);       // e[i].is, e[i].why
 *     th_inspect_express_free(e);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/algebra/classes.h"
#include "automata/algebra/varieties.h"
#include "base/text.h"

/* A theorem: a kind of model under assumptions expresses the languages of a class, or no others, or
 * exactly those.  Its statement was read in the source. */
typedef struct {
    const char *model, *assumptions; /* the arithmetic and what else it supposes */
    const char *kinds;               /* kinds of model here that are nearest, or "" */
    int contains[2], within;         /* classes, or conditions beyond them; -1: none */
    const char *source, *note;       /* how it is done, or under which condition it is not */
} ThInspectTheorem;

enum { TH_INSPECT_THEOREMS = 26 };

/* What follows for a language. */
typedef struct {
    const ThInspectTheorem *theorem;
    ThClassAnswer is;
    char *law; /* "= star-free", "contains ...", "within ..." */
    char *why; /* the witness of the class that decides; never NULL */
} ThInspectExpression;

/* Fills TH_INSPECT_THEOREMS entries for the language of a minimal complete acceptor, of which r is
 * the report.  Their texts are freed by th_inspect_express_free, after an error too.  TH_ENOMEM. */
bool th_inspect_express(const ThDfa *d, char *const *symbol, const ThClassReport *r,
                        ThInspectExpression *e, ThError *err);
void th_inspect_express_free(ThInspectExpression *e);

/* Is a kind of model among those of a list with blanks between them? */
bool th_inspect_names(const char *kinds, const char *kind);

/* Small models, the last of which has no kind: "key=value key=value". */
typedef struct {
    const char *kind, *options;
} ThInspectSmallModel;
extern const ThInspectSmallModel th_inspect_small_models[];

/* Appends what is known and was measured of models on a language whose machine has so many states;
 * no promise about a training. */
void th_inspect_meaning(ThText *t, const ThVarieties *v, int states);
