/* lens.h - what a model would answer if it stopped after each level: its read-out, applied to the
 * vectors that every level hands on (the logit lens of nostalgebraist 2020).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

typedef struct {
    int layer, first, last; /* from 0; what the vector is about: positions first … last */
    double *logit;          /* (n_classes): a view of ThInspectLens */
} ThInspectLensRow;

typedef struct {
    int n_rows, n_layers, n_classes;
    ThInspectLensRow *row; /* (n_rows): level by level */
    double *logits;        /* (n_rows, n_classes) */
} ThInspectLens;

/* Returns new: of one string of length ≥ 1.  The model must be bound (TH_EVALUE); TH_ENOMEM. */
ThInspectLens *th_inspect_lens(const ThModel *m, const int *token, int length, ThError *err);
void th_inspect_lens_free(ThInspectLens *l); /* NULL is fine */
TH_RELEASES(th_inspect_lens_free, ThInspectLens)
