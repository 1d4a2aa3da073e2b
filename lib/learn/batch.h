/* batch.h - what a task hands to a model: strings with their targets.
 *
 * A batch is a rectangle of B rows and T columns.  Where rows differ in length, `length` says how
 * many symbols each has, and the cells behind them are padding: token 0, target -1.  No model's
 * answer depends on padding.
 *
 * Targets of a row are a block of th_batch_answers numbers:
 *
 *     TH_TARGET_FINAL  1            the class of the string, answered at position length-1
 *     TH_TARGET_EVERY  T            the class at every position
 *     TH_TARGET_BITS   T*n_classes  0 or 1 for every class at every position
 *
 * -1 is a target that is not scored (for TH_TARGET_BITS: of all classes of a position).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "learn/signature.h"

/* Zero-initialised it is empty.  Arrays belong to the batch, and th_batch_free frees them, unless
 * its maker says that it is a view. */
typedef struct {
    int B, T;       /* rows; columns, the longest row */
    int *token;     /* (B,T) */
    int *target;    /* (B, th_batch_answers); models do not read it */
    int *length;    /* (B), each in 1 … T; NULL: all T */
    int *edits;     /* (B), a view: room for the edits that made a near miss, else 0; may be NULL */
    size_t n_token; /* room in token; set by th_batch_reserve, as the next two are */
    size_t n_target, n_length;
} ThBatch;

/* True if a batch of B strings of T tokens has at most INT_MAX of them, which tasks, models and
 * operations count on; else false and TH_EVALUE. */
bool th_batch_fits(int B, int T, ThError *err);

/* Numbers in the target of a row; rows of the logits that answer a batch: B for TH_TARGET_FINAL,
 * B*T otherwise. */
size_t th_batch_answers(const ThSignature *s, const ThBatch *b);
int th_batch_outputs(const ThSignature *s, const ThBatch *b);

/* Views of row i, which has th_batch_length symbols. */
int th_batch_length(const ThBatch *b, int i);
int *th_batch_token(const ThBatch *b, int i);
int *th_batch_target(const ThSignature *s, const ThBatch *b, int i);

/* Whether a row is this word. */
bool th_batch_holds(const ThBatch *b, const int *word, int length);

/* Makes room for b->B rows of b->T columns; with `ragged` b->length has room too and is set to T,
 * otherwise it becomes NULL.  What the arrays held is lost.  TH_ENOMEM, TH_EVALUE (th_batch_fits):
 * the batch can still be freed. */
bool th_batch_reserve(ThBatch *b, const ThSignature *s, bool ragged, ThError *err);

/* Writes padding behind every row. */
void th_batch_pad(ThBatch *b, const ThSignature *s);

/* Makes T the longest row, moving rows together; b->length becomes NULL where all are of one
 * length.  A batch without lengths stays as it is. */
void th_batch_trim(ThBatch *b, const ThSignature *s);

/* Copies the rows of `from` over those of `to` from row `at` on; `to` was reserved as ragged and
 * with at least as many columns. */
void th_batch_put(ThBatch *to, const ThSignature *s, int at, const ThBatch *from);

/* Makes `to` the rows of one batch and, behind them, those of another: a ragged one.  Either may
 * have no rows.  Errors as th_batch_reserve. */
bool th_batch_join(ThBatch *to, const ThSignature *s, const ThBatch *first, const ThBatch *second,
                   ThError *err);

/* A view of rows first … first+n-1. */
ThBatch th_batch_slice(const ThBatch *b, const ThSignature *s, int first, int n);

void th_batch_free(ThBatch *b); /* leaves *b zero-initialised */
TH_RELEASES_VALUE(th_batch_free, ThBatch)
