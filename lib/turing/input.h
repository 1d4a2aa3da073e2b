/* input.h - the words that a machine starts on, as text. */
#ifndef TH_TURING_INPUT_H
#define TH_TURING_INPUT_H

#include "turing/machine.h"

/* The words on the tapes of a machine. */
typedef struct {
    int *word[TH_MOST_TAPES]; /* NULL: blank */
    int length[TH_MOST_TAPES];
} ThTapeWords;

/* Reads an input: the word of the first tape, or those of several tapes separated by | where that
 * is no symbol.  Errors: TH_EVALUE with the column. */
bool th_turing_tape_words_read(ThTapeWords *w, const ThTuring *m, const char *input, ThError *err);
void th_turing_tape_words_free(ThTapeWords *w);

#endif
