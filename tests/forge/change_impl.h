/* change_impl.h - what the files of changes share. */
#ifndef TESTS_FORGE_CHANGE_IMPL_H
#define TESTS_FORGE_CHANGE_IMPL_H

#include "change.h"

/* Says what is done, and where. */
void change_note(Change *x, const char *what, long at);

/* Uniform in 0 … n-1. */
int change_below(Change *x, int n);

/* A number that was `was`: nudged, negated, 0, not finite, `other`. */
double change_number(Change *x, double was, double other);

/* Of models: so many weights; one class is said always, or never, or hardly told from another; the
 * state of an lrnn shrinks; units that cancel are added; numbers of hard attention become other
 * multiples of 1/4. */
void change_weights(Change *x, int n);
void change_read_out(Change *x);
void change_shrink(Change *x);
void change_cancelling(Change *x);
void change_hard(Change *x);

/* Of soft attention: the scores of a layer are another multiple of themselves. */
void change_steep(Change *x);

/* All classes are as likely. */
void change_to_ties(Change *x);

/* Of "two a's or more" by means: the sum of a's begins so that it is n or more. */
void change_beginning(Change *x, int n);

#endif
