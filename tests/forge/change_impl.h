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
 * state of an lrnn shrinks; units that cancel are added. */
void change_weights(Change *x, int n);
void change_read_out(Change *x);
void change_shrink(Change *x);
void change_cancelling(Change *x);

#endif
