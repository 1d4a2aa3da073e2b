/* state.h - a model that reads strings symbol by symbol and says after each what it makes of them:
 * what generation is made of.
 *
 *     ThModelState *s = th_model_open(m, TH_MODEL_CACHED, B, &err);
 *     th_model_feed(s, prompts, n, logits, &err);         // (B, n_classes), after the last symbols
 *     th_model_feed(s, next, 1, logits, &err);
 *     th_model_close(s);
 *
 * Cached, a Transformer keeps keys and values and a recurrent network its state, so a symbol costs
 * one position; uncached, and for architectures that keep nothing, the whole string is run again.
 * Both say the same up to rounding.  One string of a Transformer that repeats itself is read ahead:
 * what came the last time is tried together with the symbol that is there, for a few symbols cost
 * little more than one; what does not come is forgotten.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

typedef struct ThModelState ThModelState;
typedef enum { TH_MODEL_CACHED, TH_MODEL_UNCACHED } ThModelCache;

/* Returns new: for B ≥ 1 strings, which are as long as each other at any time.  The model is
 * borrowed, and not to be trained meanwhile.  TH_EVALUE if it is not bound, or if its answers
 * depend on symbols that are still to come; TH_ENOMEM. */
ThModelState *th_model_open(const ThModel *m, ThModelCache cache, int B, ThError *err);

/* Reads n ≥ 1 symbols more of each, (B, n), and fills logits (B, n_classes), the answers after the
 * last.  TH_EVALUE for
 * a symbol outside the alphabet or a string that the model cannot read (a table of positions that
 * ends), TH_ENOMEM: the state is as it was. */
bool th_model_feed(ThModelState *s, const int *token, int n, float *logits, ThError *err);

/* Forgets the n oldest symbols of each string: afterwards all is as if only the others had been
 * read, which is what they cost at the next feed.  For a recurrent network, too: its state begins
 * anew.  n is 0 … th_model_length. */
void th_model_drop(ThModelState *s, int n);

int th_model_length(const ThModelState *s); /* symbols of each read and not dropped */
bool th_model_cached(const ThModelState *s);
void th_model_close(ThModelState *s); /* NULL is fine */

/* Goes on with n ≥ 1 of the strings only, given by number in ascending order, which are read anew
 * at the next feed.  TH_ENOMEM: the state is as it was. */
bool th_model_keep(ThModelState *s, const int *which, int n, ThError *err);

/* For architectures: the logits after the last symbols of B strings, (B, n_classes), from those of
 * one position or more of each. */
void th_model_last_logits(const ThTape *t, ThVar z, int B, float *logits);
