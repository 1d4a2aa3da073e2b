/* forms.h - what a decoder answers to many strings at once, computed as numbers that depend on
 * their symbols.
 *
 * The strings are of one length, and each position holds any of some symbols.  A number of a row is
 * kept as
 *
 *     constant + Σ what the symbol at each position adds + Σ generators times numbers in [-1, 1]
 *
 * and as a radius for what rounds: an affine form, as zonotopes are made of (Ghorbal, Goubault and
 * Putot 2009; of attention Bonaert et al. 2021, Fast and precise certification of transformers).
 * There is a row for every symbol that a position can hold, so that what a row makes of its own
 * symbol is exact; in the first layer a head's mixture is a quotient of two sums over positions, of
 * each of which every term is exact, too.  Otherwise products, exponentials, quotients, roots and
 * bends are lines, and what they miss are generators: of the row until the layer ends, then one a
 * coordinate.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/check/decoder.h"

typedef struct ThProofForms ThProofForms;

/* Returns new: room for strings of up to `longest` symbols.  Borrows a decoder, whose unit it takes
 * and whose rows it uses.  TH_ENOMEM. */
ThProofForms *th_proof_forms_new(ThProofDecoder *f, int longest, ThError *err);
void th_proof_forms_free(ThProofForms *s); /* NULL is fine */
TH_RELEASES(th_proof_forms_free, ThProofForms)

/* Reads all strings of n symbols of which position i holds a symbol a with may[i symbols + a].
 * Cost: as of one string of n·symbols rows, times the numbers in a form. */
void th_proof_forms_read(ThProofForms *s, const bool *may, int n);

/* Of the strings that were read. */
typedef struct {
    double least;   /* the logit of a class leads another by so much, at least; NaN, or not finite:
                       nothing is known */
    int *word;      /* (n), or NULL: the string of which that is so, as far as forms say */
    double *effect; /* (n), or NULL: how much each position's symbol moves it */
} ThProofFormsLead;

/* Fills *to; word and effect are both given, or neither. */
void th_proof_forms_lead(ThProofForms *s, int right, ThProofFormsLead *to);
