/* receptive_field.h - how far back the gradient of a prediction reaches.
 *
 * RegularGPT (Chi et al. 2023, §7.2 and Fig. 4): the norms of the gradient with respect to every
 * position's embedding, normalised, cumulated from the last position backwards, averaged over
 * strings.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

typedef struct {
    int length, strings;
    double *cumulative; /* (length): c[m] = mean share of the norm at positions ≥ m; c[0] = 1 */
    int *token;         /* (length): the first of the strings */
    double reach;       /* shortest suffix that carries 99 %, as a share of the length */
} ThField;

/* Returns new.  Draws `strings` strings from (seed, purpose).  Uses the gradient
 * of the winning logit: the loss of a confident model is flat, its logits are not.  Errors:
 * TH_EVALUE for a model that is not bound or does not fit the task, TH_ENUMERIC where the gradient
 * vanishes altogether.
 */
ThField *th_field(const ThModel *m, const ThTask *t, int length, int strings, uint64_t seed,
                  ThStop *stop, ThError *err);

/* Returns new: the same for given strings of one length ≥ 1, in the model's symbols. */
ThField *th_field_of(const ThModel *m, int *const *word, int n, int length, ThStop *stop,
                     ThError *err);
void th_field_free(ThField *f); /* NULL is fine */
TH_RELEASES(th_field_free, ThField)
