/* ragged.h - strings of different lengths for an architecture that knows rectangles only.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_MODELS_RAGGED_H
#define TH_MODELS_RAGGED_H

#include "models/model.h"

/* What th_model_forward returns for a batch with lengths, by the model's forward on the strings of
 * each length together.  Rows of logits that stand for padding are zeros. */
ThVar th_model_by_length(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how);

#endif
