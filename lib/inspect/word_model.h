/* word_model.h - a model of next symbols as a distribution over words.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "language/any_language.h"
#include "models/model.h"

/* What the model expects behind the prefixes that were asked for is remembered. */
typedef struct ThInspectWordModel ThInspectWordModel;

/* Returns new; the model is borrowed.  TH_EVALUE where it was not trained on words whose ends are
 * the last symbol of its alphabet, `.`, as the task distribution makes them. */
ThInspectWordModel *th_inspect_word_model(const ThModel *m, ThStop *stop, ThError *err);
void th_inspect_word_model_free(ThInspectWordModel *w); /* NULL is fine */
TH_RELEASES(th_inspect_word_model_free, ThInspectWordModel)

/* The symbols of its words: those of the model but the last one. */
char *const *th_inspect_word_symbols(const ThInspectWordModel *w, int *n);

/* Sets *p to the probability of a word.  Errors of the model's run; TH_ELIMIT where too many
 * prefixes would have to be remembered. */
bool th_inspect_word_probability(ThInspectWordModel *w, ThLanguageWord word, double *p,
                                 ThError *err);

/* Draws a word: *word, of room *cap, grows as by th_grow.  TH_ELIMIT beyond 1,000 symbols. */
bool th_inspect_word_draw(ThInspectWordModel *w, ThRng *r, int **word, size_t *cap, int *n,
                          ThError *err);
