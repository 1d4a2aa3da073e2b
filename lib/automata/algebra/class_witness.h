/* class_witness.h - the words behind verdicts on classes, as text.
 *
 * Words are the shortest that lead where they should, ε if empty.  Memory that runs out is told by
 * err and by the text's own flag.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/algebra/monoid.h"
#include "base/text.h"

void th_class_word(ThText *t, char *const *symbol, int n_symbols, const int *word, int length);

/* ": accepts V, not W" for words V and W that differ in one factor, whose elements are given; with
 * `ordered` W has the first of them. */
void th_class_write_parting(ThText *t, const ThDfa *d, char *const *symbol, const ThMonoid *m,
                            int left, int right, bool ordered, ThError *err);

/* Two states and a word that leads them to themselves or to each other. */
void th_class_write_loop(ThText *t, const ThDfa *d, char *const *symbol, int p, int q,
                         const int *word, int length, ThError *err);

/* A word and the same without one symbol, which is read in state q: the first accepted, or the
 * second with `kept`. */
void th_class_write_deletion(ThText *t, const ThDfa *d, char *const *symbol, int q, int a,
                             bool kept, ThError *err);

/* Ways from a state to another one and back. */
void th_class_write_cycle(ThText *t, const ThDfa *d, char *const *symbol, int p, int q,
                          ThError *err);

/* Two states that a symbol leads to one. */
void th_class_write_merging(ThText *t, const ThDfa *d, char *const *symbol, int p, int q, int a,
                            ThError *err);
