/* tape_words.h - the words that a machine starts on, as text.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/tm_machine.h"

/* The words on the tapes of a machine. */
typedef struct {
    int *word[TH_TM_MOST_TAPES]; /* NULL: blank */
    int length[TH_TM_MOST_TAPES];
    int head[TH_TM_MOST_TAPES]; /* the cell of the word on which the head starts */
} ThTmTapeWords;

/* Reads an input: the word of the first tape, or those of several tapes separated by | where that
 * is no symbol.  Where every symbol is one character a blank is refused, unless it is one of them.
 * Where * is no symbol, the head starts behind one: 10*11.  Errors: TH_EVALUE with the column. */
bool th_tm_tape_words_read(ThTmTapeWords *w, const ThTm *m, const char *input, ThError *err);

/* Do all heads start on the first cell?  Else TH_EVALUE: what is asked for is not done with others.
 */
bool th_tm_tape_words_at_start(const ThTmTapeWords *w, ThError *err);
void th_tm_tape_words_free(ThTmTapeWords *w);
TH_RELEASES_VALUE(th_tm_tape_words_free, ThTmTapeWords)
