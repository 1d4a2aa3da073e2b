/* forms_impl.h - how forms are kept (forms.h).
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/check/forms.h"

enum { TH_PROOF_FORM_SYMBOLS = 1 }; /* the constant is before what symbols add */

/* Forms one behind the other, `wide` numbers apart, and their radii. */
typedef struct {
    double *at, *off;
} ThProofFormRow;

struct ThProofForms {
    ThProofDecoder *f;
    const bool *may;
    int n, symbols;
    int rows, *place, *symbol; /* of each row, in the order of places */
    int *first;                /* (n + 1): the first row of a place */
    int own, owns;             /* generators of a row: the first, how many */
    int taken;                 /* of these, by the present row */
    int set, cols;             /* the first generator behind them, and the end of those in use */
    int wide;
    ThProofFormRow x, read, both; /* of all rows: (dim), (dim), (2 dim) */
    ThProofFormRow query, mixed, sum, unit_of,
        keys;                      /* of one; keys: (rows, 2 dim), as it sees them */
    ThProofFormRow logit, terms;   /* (rows); (symbols, dim + 1) */
    ThProofFormRow total;          /* (dim + 1): a head's sums over positions */
    double *matrix, *reach, *most; /* (dim 4 dim and more), (rows, 2 dim), (wide) */
    double *more;                  /* (2 wide): room */
    int *word;
    double number[];
};

static inline double *th_proof_form(const ThProofForms *s, ThProofFormRow r, int i)
{
    return r.at + (size_t)i * (size_t)s->wide;
}

static inline ThProofFormRow th_proof_form_row(const ThProofForms *s, ThProofFormRow r, int i)
{
    return (ThProofFormRow){th_proof_form(s, r, i), r.off + i};
}

/* range <- the least and the greatest value of a form, with its radius.  Returns how far it goes
 * from the constant; `most` returns the sum of all magnitudes, by which it rounds. */
double th_proof_form_range(const ThProofForms *s, const double *v, double off, double range[2]);
double th_proof_form_reach(const ThProofForms *s, const double *v, double off);
double th_proof_form_most(const ThProofForms *s, const double *v, double off);

/* What symbols add to a form is counted from the middle between the least and the greatest. */
void th_proof_form_centre(const ThProofForms *s, double *v);

/* A position's symbol is known. */
void th_proof_form_settle(const ThProofForms *s, double *v, int place, int symbol);

/* A curve that bends one way, within `error` of slope·x + offset over a range: its chord, and the
 * tangent beside it, which touches in `at` with a value there. */
typedef struct {
    double slope, offset, error;
} ThProofFormLine;
ThProofFormLine th_proof_form_line(const double range[2], const double value[2], double slope,
                                   double at, double value_at);

/* Of a unit that bends, in a range around `at`: between a ReLU's chord and the line beside it (GELU
 * is less, by 0.17 at most); or beside GELU's tangent, whose second derivative φ(x)(2 - x²) is
 * within
 * [-0.1081, 0.7979]. */
ThProofFormLine th_proof_form_unit(double at, const double range[2], bool gelu);

/* Queries, or keys, of a place turn as position=rope says. */
void th_proof_forms_turn(const ThProofForms *s, ThProofFormRow x, int place);

/* to (dim) <- what the heads of a layer mix for a row, whose query is q; takes dim generators. */
void th_proof_forms_attend(ThProofForms *s, int layer, int row, ThProofFormRow q,
                           ThProofFormRow to);
