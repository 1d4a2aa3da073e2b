/* write_sgd.h - steps of stochastic gradient descent in the tokens of Turing Programs.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdbool.h>

enum { TH_PAD_SGD_TOKENS = 200 }; /* a0 … a199 stand for numbers from -1 to 1 */

/* Tokens of a unit: a100 is 0, and a token stands for the nearest multiple of 1/100 or of 2/199.
 * The published example fits these and no other rounding; the second is that of 200 points from -1
 * to 1, equally far apart.  In the order of the option quantiser=. */
typedef enum { TH_PAD_SGD_HUNDREDTHS, TH_PAD_SGD_POINTS } ThPadSgdQuantiser;
double th_pad_sgd_scale(ThPadSgdQuantiser quantiser);

/* The token of a number, and the number that a token stands for. */
int th_pad_sgd_token(double value, double scale);
double th_pad_sgd_value(int token, double scale);

/* Hou et al. compute with real numbers of which the tokens are shown only; the others make the
 * scratchpad a function of its tokens.  In the order of the option strict=. */
typedef enum { TH_PAD_SGD_HIDDEN, TH_PAD_SGD_FROM_TOKENS, TH_PAD_SGD_REQUANTISE } ThPadSgdStrict;

/* In the order of the option style=. */
typedef enum { TH_PAD_SGD_TURING, TH_PAD_SGD_PLAIN, TH_PAD_SGD_STEPS } ThPadSgdStyle;

typedef struct {
    double x[2], y;
} ThPadSgdPoint;

/* The weights; at first 0.  rate is multiplied by 2, the factor of the square's gradient. */
typedef struct {
    ThPadSgdStrict strict;
    bool parts; /* the parts of prediction and step are results, too: style=steps */
    double rate, scale, w[2];
} ThPadSgd;

/* The tokens of a line: products of weights and coordinates, their sum, the prediction; the error,
 * by 2 and the rate, its products with the coordinates, the step; and the weights. */
typedef struct {
    int product[2], prediction, error, step[2], weight[2];
} ThPadSgdLine;

/* Takes a step on a point, whose numbers are rounded to tokens unless they are hidden. */
ThPadSgdLine th_pad_sgd_step(ThPadSgd *s, const ThPadSgdPoint *point);

/* The numbers of a word a0 … a199 of n bytes, or -1. */
int th_pad_sgd_word(const char *word, unsigned long n);
