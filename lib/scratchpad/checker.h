/* checker.h - what the checks of the kinds share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "scratchpad/check_text.h"

/* A text without its marks of beginning and end, and without white space around it. */
typedef struct ThPadChecking {
    const char *text;
    size_t begin, end; /* bytes of text */
    const ThPadCheckRules *rules;
    const ThOptions *options; /* rules->options, or their defaults */
    int layout; /* place of rules->style among the kind's layouts; -1: any, or none of them */
} ThPadChecking;

/* How a text begins: what recognisers ask. */
bool th_pad_check_is_space(char c);
bool th_pad_check_has(const ThPadChecking *k, size_t to,
                      const char *text);                     /* in front of byte `to` */
bool th_pad_check_is_run(const ThPadChecking *k);            /* configurations between <|SEP|> */
bool th_pad_check_is_sum(const ThPadChecking *k, char sign); /* 4324+139 … in any layout */
bool th_pad_check_has_steps(const ThPadChecking *k);         /* of such a sum or product */

/* Sets a slip; what was expected and found are cut to fit.  Returns true, always. */
bool th_pad_slip_at(ThPadChecked *c, ThPadSlip slip, size_t offset, const char *expected,
                    size_t n_expected, const char *found, size_t n_found);

/* The same with a word of constant text expected. */
bool th_pad_slip_wanted(ThPadChecked *c, ThPadSlip slip, size_t offset, const char *expected,
                        const char *found, size_t n_found);

/* Words between blanks and newlines; a newline is a word where `newlines` is set. */
typedef struct {
    size_t at, size;
} ThPadWord;
typedef struct {
    ThPadWord *word;
    size_t n, cap;
} ThPadWordList;
bool th_pad_words_read(ThPadWordList *w, const ThPadChecking *k, bool newlines, ThError *err);
bool th_pad_word_is(const ThPadChecking *k, const ThPadWord *w, const char *text);

/* In the order of the option variant= of copies. */
typedef enum { TH_PAD_COPY, TH_PAD_PREFIX, TH_PAD_SUFFIX, TH_PAD_DUPLICATE } ThPadCopy;

/* The checks, as ThPadKind has them. */
bool th_pad_check_steps(const ThPadChecking *k, char sign, ThPadChecked *c, ThError *err);
bool th_pad_check_sum(const ThPadChecking *k, char sign, ThPadChecked *c, ThError *err);
bool th_pad_check_columns(const ThPadChecking *k, ThPadChecked *c, ThError *err);
bool th_pad_check_sgd(const ThPadChecking *k, ThPadChecked *c, ThError *err);
bool th_pad_check_machine(const ThPadChecking *k, ThPadChecked *c, ThError *err);
bool th_pad_check_copy(const ThPadChecking *k, ThPadChecked *c, ThError *err);
