/* score.h - what counts as a right answer, for training and evaluation alike.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "learn/batch.h"
#include "tensor/tape/tape.h"

/* What an evaluation found at one length. */
typedef struct {
    int length;               /* as asked for; of a data set's rows the greatest */
    int least;                /* the least length; the same but for a data set's rows */
    int tokens;               /* as drawn (modular arithmetic: odd), the most there are */
    long long strings, exact; /* strings with any answer, and those with all right */
    long long n, right;       /* answers scored (strings, or positions) and right ones */
    double accuracy, lo, hi;  /* share, and its 95 % interval (Clopper and Pearson 1934) */
    double chance;            /* of the best answer that does not read the string; NaN: unknown */
    double loss;              /* mean, in nats; of what a model writes none: NaN */
    /* Of what a model writes by itself: strings, those whose answers are right, and those right
     * throughout.  accuracy is that of the answers then.  0: nothing was written. */
    long long written, answered, whole;
} ThScore;

/* Answers that a batch asks for: strings, or positions, that are scored. */
long long th_score_answers(const ThSignature *s, const ThBatch *b);

/* The class with the greatest of n logits, the first of equals. */
int th_score_class(const double *logit, int n);

/* Of float logits (rows, n_classes) on a tape: how many answers are right.  The class with the
 * greatest logit answers (the first of equals); for TH_TARGET_BITS all bits of a position must be
 * right.
 */
long long th_score_right(const ThTape *t, ThVar z, const ThSignature *s, const ThBatch *b);

/* How many strings have all their answers right, and how many have any. */
long long th_score_exact(const ThTape *t, ThVar z, const ThSignature *s, const ThBatch *b,
                         long long *strings);

/* The loss of a batch: mean cross-entropy (for TH_TARGET_BITS the binary one, averaged over bits
 * too) if scale is 1/answers. */
ThVar th_loss_of_batch(ThTape *t, ThVar z, const ThSignature *s, const ThBatch *b, double scale);
