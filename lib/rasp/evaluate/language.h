/* language.h - an s-op as what gives every word an answer: its value at the word's last position.
 *
 * An s-op whose values are truth values is a language so.  The empty word has no last position.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "rasp/evaluate/rasp_run.h"

/* Borrowed throughout; letters are numbered. */
typedef struct {
    ThRaspGraph *graph;
    ThRaspSop sop;
    const ThRaspAtom *letter;
    ThStop *stop;
} ThRaspWords;

/* Returns new: the atoms of letters by their names.  NULL; TH_ELIMIT, TH_ENOMEM. */
ThRaspAtom *th_rasp_letters(ThRaspGraph *g, char *const *name, int n, ThError *err);

/* Returns new: a run on a word of n ≥ 1 letters.  NULL and TH_ENOMEM. */
ThRaspRun *th_rasp_run_on_word(const ThRaspWords *w, const int *word, int n, ThError *err);

/* Is a word of n ≥ 1 letters in the language?  Errors: TH_EVALUE where the value is no truth value,
 * and those of th_rasp_run_value. */
bool th_rasp_accepts(const ThRaspWords *w, const int *word, int n, bool *accepts, ThError *err);
