/* checker.h - what the checks of the kinds share. */
#ifndef TH_SCRATCHPAD_CHECKER_H
#define TH_SCRATCHPAD_CHECKER_H

#include "scratchpad/check.h"

/* A text without its marks of beginning and end, and without white space around it. */
typedef struct {
    const char *text;
    size_t begin, end; /* bytes of text */
    const ThPadCheckRules *rules;
} ThPadChecking;

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

/* The checks.  Each sets c->style, and c->slip if there is one.  False on TH_ENOMEM only. */
bool th_pad_check_steps(const ThPadChecking *k, char sign, ThPadChecked *c, ThError *err);
bool th_pad_check_sum(const ThPadChecking *k, char sign, ThPadChecked *c, ThError *err);
bool th_pad_check_sgd(const ThPadChecking *k, ThPadChecked *c, ThError *err);
bool th_pad_check_machine(const ThPadChecking *k, ThPadChecked *c, ThError *err);
bool th_pad_check_copy(const ThPadChecking *k, ThPadChecked *c, ThError *err);

#endif
