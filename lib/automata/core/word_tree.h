/* word_tree.h - what a search has met, each by the first word that led there: the word of one that
 * was met before, and a symbol more.
 *
 *     ThWordTree t = {0};
 *     bool ok = th_word_tree_meet(&t, first, size, 0, -1, &err);
 *     for (size_t i = 0; ok && i < t.n; i++)
 *         ok = th_word_tree_meet(&t, to, size, i, symbol, &err);   // and so each symbol
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "automata/core/dfa.h"
#include "base/intern.h"

typedef struct {
    size_t before;
    int symbol; /* -1: a root, whose word is empty */
} ThWordStep;

/* Zero-initialised it is empty. */
typedef struct {
    ThIntern met; /* bytes that say what was met, by the same number; empty where add was used */
    ThWordStep *step;
    size_t n, cap;
} ThWordTree;

/* Adds number n; false on TH_ENOMEM.  `meet` does unless the same bytes were met before. */
bool th_word_tree_add(ThWordTree *t, size_t before, int symbol, ThError *err);
bool th_word_tree_meet(ThWordTree *t, const void *bytes, size_t size, size_t before, int symbol,
                       ThError *err);

/* Meets the states of a machine that can be reached. */
bool th_word_tree_states(ThWordTree *t, const ThDfa *d, ThError *err);

/* Returns new: the word that led to a number, *length symbols; NULL, TH_ENOMEM and *length = 0. */
int *th_word_tree_word(const ThWordTree *t, size_t at, int *length, ThError *err);

void th_word_tree_free(ThWordTree *t); /* leaves *t empty */
TH_RELEASES_VALUE(th_word_tree_free, ThWordTree)
