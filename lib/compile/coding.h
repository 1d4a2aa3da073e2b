/* coding.h - functions on states as vectors of zeros and ones, and their products as lists of
 * terms.
 *
 * A function on n states is a matrix with a one in each row (Chi et al. 2023, Lemma 1), or one of
 * the elements of the transition monoid.  In either coding the product of several functions is a
 * sum of terms: where all coordinates of a term are 1, one in each factor, so is a coordinate of
 * the product.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/algebra/monoid.h"

enum { TH_COMPILE_FACTORS = 8 }; /* at most */

typedef struct {
    const ThDfa *machine;
    const ThMonoid *monoid; /* of the machine; NULL: functions are matrices */
    int factors;
    int width, ones;    /* coordinates of a vector, and how many of them are 1 */
    int indices, range; /* a term is given by so many indices, each below range */
} ThCompileCoding;

/* One term: a coordinate in each factor, the earliest first, and one of the product. */
typedef struct {
    int in[TH_COMPILE_FACTORS], out;
} ThCompileTerm;

/* machine and monoid are borrowed; 2 ≤ factors ≤ TH_COMPILE_FACTORS. */
ThCompileCoding th_compile_coding(const ThDfa *machine, const ThMonoid *monoid, int factors);

double th_compile_terms(const ThCompileCoding *c); /* how many there are */

/* Goes to the next term, from all indices 0; false: there was none. */
bool th_compile_next(const ThCompileCoding *c, int *index);
ThCompileTerm th_compile_term(const ThCompileCoding *c, const int *index);

/* Writes `value` where the vector of a symbol's function, or of the identity (symbol -1), has a
 * one. */
void th_compile_encode(const ThCompileCoding *c, int symbol, float value, float *to);

/* The state after the function of coordinate x, from the start; -1 where a one there says nothing
 * about the start. */
int th_compile_state(const ThCompileCoding *c, int x);
