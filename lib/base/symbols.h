/* symbols.h - reading and writing words over a list of symbol names.
 *
 * Where every symbol is one character, a word is written as its characters ("abba"); otherwise its
 * symbols are separated by blanks ("s1 a6 L").  The same rule holds for automata, tasks and models.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/text.h"

/* True if all n symbols are single characters. */
bool th_symbols_single(char *const *symbol, int n);

/* Index of a name, or -1. */
int th_symbols_find(char *const *symbol, int n, const char *name);

/* True if two lists have the same names in the same order. */
bool th_symbols_same(char *const *a, int n_a, char *const *b, int n_b);

/* Returns new: the word as indices, *length of them (never NULL for length 0).
 * Errors: TH_EVALUE with the column of the first symbol that is not in the alphabet, and a hint
 * that lists the alphabet; TH_ENOMEM. */
int *th_symbols_read(char *const *symbol, int n, const char *input, int *length, ThError *err);

/* Returns new: the names in a list, in one block with their pointers, freed with free(): those
 * between blanks where there are any, else every character; all of it as one name where `one` is
 * set.  The list must be valid UTF-8. */
char **th_symbols_list(const char *list, bool one, int *n, ThError *err);

/* Appends the word by the same rule. */
void th_symbols_write(ThText *t, char *const *symbol, int n, const int *word, int length);

/* Returns new: that alone; NULL and TH_ENOMEM. */
char *th_symbols_text(char *const *symbol, int n, const int *word, int length, ThError *err);

/* The same with brackets around the symbol at a place, where it has one: "ab[b]a". */
void th_symbols_write_at(ThText *t, char *const *symbol, int n, const int *word, int length,
                         int at);

/* Makes a word of indices the next one of its length, in order; false after the last, which becomes
 * the first. */
bool th_symbols_next(int *word, int length, int n_symbols);
