/* ablation.h - parts of a model that are silenced: what they compute is replaced by zeros or by a
 * mean, wherever the model is run.  The parameters stay as they are, so that whatever reads those
 * alone is not about the ablated model (th_model_whole).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

typedef enum {
    TH_MODEL_HEAD,    /* what a head of attention makes, before the output matrix */
    TH_MODEL_LEVEL,   /* the vectors that a layer hands on */
    TH_MODEL_POSITION /* the embedded symbol at a position */
} ThModelPart;

struct ThModelAblation {
    ThModelPart part;
    int layer;       /* from 0, of a head or level; -1: every layer's */
    int number;      /* of the head or position, from 0 */
    int first, cols; /* columns; set by th_model_ablation_fit */
    float *mean;     /* (cols): what stands there; own; NULL: zeros */
};

/* Sets the columns.  TH_EVALUE where the bound model has no such part. */
bool th_model_ablation_fit(const ThModel *m, ThModelAblation *a, ThError *err);

/* Silences a part that fits from now on, besides those that are silent; *a is copied.  TH_ENOMEM.
 */
bool th_model_ablate(ThModel *m, const ThModelAblation *a, ThError *err);

/* Whether it is about the value of this name on a tape of the model's. */
bool th_model_ablation_meets(const ThModel *m, const ThModelAblation *a, const char *name,
                             int index);

/* TH_EVALUE where a part is silenced: `what` asks for the parameters alone. */
bool th_model_whole(const ThModel *m, const char *what, ThError *err);

/* v, but with `row` (one of v's width) in the place of row `first` of each `each` rows. */
ThVar th_model_put_row(ThTape *t, ThVar v, int first, int each, const float *row);

/* For th_model_forward and those that call it by parts: the architecture's own forward pass, with
 * what is silenced. */
ThVar th_model_run(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how);
