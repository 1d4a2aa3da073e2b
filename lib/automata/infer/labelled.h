/* labelled.h - words with their labels, as a text file holds them.
 *
 * A line is a word and its label, separated by blanks: the last field is the label, those before it
 * are the word.  If some word of the text has several fields, fields are symbols ("s1 a6 L 1");
 * else the characters of the field are ("abba 1").  A line with a label only, or with "" for the
 * word, is about the empty word.  Empty lines, and lines that are # or begin with # and a blank,
 * mean nothing.
 *
 * Where every label is one of 1 + accept yes true and 0 - reject no false, the words are those of a
 * language; else labels are the names of any classes.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/infer/rpni.h"

typedef struct {
    ThWordsSample
        sample; /* the shortest words first, in symbol order; of a language, class 1 accepts */
    bool language;
    char **symbol; /* in the order of their bytes, or as given */
    char **label;  /* in order of appearance; reject and accept for a language */
} ThWordsLabelled;

/* Fills *l, to be freed also after a failure.  alphabet: the symbols, separated by blanks, or NULL:
 * those that are used.  consistent: one word with two labels is an error.
 * Errors: TH_EPARSE with line and column; TH_EVALUE with a position for a symbol outside the
 * alphabet and for contradicting labels; TH_ENOMEM. */
bool th_words_labelled_read(ThWordsLabelled *l, const char *text, const char *alphabet,
                            bool consistent, ThError *err);
void th_words_labelled_free(ThWordsLabelled *l);
TH_RELEASES_VALUE(th_words_labelled_free, ThWordsLabelled)
