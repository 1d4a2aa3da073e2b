/* state.h - a model that reads one string symbol by symbol and says after each what it makes of it:
 * what generation is made of.
 *
 *     ThModelState *s = th_model_open(m, TH_MODEL_CACHED, &err);
 *     th_model_feed(s, prompt, n, logits, &err)            // (n_classes), after the last symbol
 *     th_model_feed(s, &next, 1, logits, &err) …
 *     th_model_close(s);
 *
 * Cached, a Transformer keeps keys and values and a recurrent network its state, so a symbol costs
 * one position; uncached, and for architectures that keep nothing, the whole string is run again.
 * Both say the same up to rounding.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_MODELS_STATE_H
#define TH_MODELS_STATE_H

#include "models/model.h"

typedef struct ThModelState ThModelState;
typedef enum { TH_MODEL_CACHED, TH_MODEL_UNCACHED } ThModelCache;

/* Returns new; the model is borrowed, and not to be trained meanwhile.  TH_EVALUE if it is not
 * bound, or if its answers depend on symbols that are still to come; TH_ENOMEM. */
ThModelState *th_model_open(const ThModel *m, ThModelCache cache, ThError *err);

/* Reads n ≥ 1 symbols more and fills logits (n_classes), the answer after the last.  TH_EVALUE for
 * a symbol outside the alphabet or a string that the model cannot read (a table of positions that
 * ends), TH_ENOMEM: the state is as it was. */
bool th_model_feed(ThModelState *s, const int *token, int n, float *logits, ThError *err);

/* Forgets the n oldest symbols: afterwards all is as if only the others had been read, which is
 * what they cost at the next feed.  For a recurrent network, too: its state begins anew.  n is 0 …
 * th_model_length. */
void th_model_drop(ThModelState *s, int n);

int th_model_length(const ThModelState *s); /* symbols read and not dropped */
bool th_model_cached(const ThModelState *s);
void th_model_close(ThModelState *s); /* NULL is fine */

#endif
