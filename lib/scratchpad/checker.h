/* checker.h - what the checks of the kinds share. */
#ifndef TH_SCRATCHPAD_CHECKER_H
#define TH_SCRATCHPAD_CHECKER_H

#include "scratchpad/check.h"

/* A text without its marks of beginning and end, and without white space around it. */
typedef struct {
    const char *text;
    size_t begin, end; /* bytes of text */
    const ThCheckRules *rules;
} ThChecking;

/* Sets a slip; what was expected and found are cut to fit.  Returns true, always. */
bool th_slip_at(ThChecked *c, ThSlip slip, size_t offset, const char *expected, size_t n_expected,
                const char *found, size_t n_found);

/* The same with a word of constant text expected. */
bool th_slip_wanted(ThChecked *c, ThSlip slip, size_t offset, const char *expected,
                    const char *found, size_t n_found);

/* A text as one character a token: blanks, comments and newlines taken out. */
typedef struct {
    char *s;
    size_t n, cap;
    size_t *offset; /* (n): where each stood; NULL: at begin + i */
    size_t offset_cap, begin;
    size_t end;    /* offset of the end */
    size_t closed; /* verbose: how many characters stand before </scratch>; 0: not seen */
} ThPlainText;

/* Words between blanks and newlines; a newline is a word where `newlines` is set. */
typedef struct {
    size_t at, size;
} ThWord;
typedef struct {
    ThWord *word;
    size_t n, cap;
} ThWordList;
bool th_words_read(ThWordList *w, const ThChecking *k, bool newlines, ThError *err);
bool th_word_is(const ThChecking *k, const ThWord *w, const char *text);

/* The checks.  Each sets c->style, and c->slip if there is one.  False on TH_ENOMEM only. */
bool th_check_steps(const ThChecking *k, char sign, ThChecked *c, ThError *err);
bool th_check_sum(const ThChecking *k, char sign, ThChecked *c, ThError *err);
bool th_check_sgd(const ThChecking *k, ThChecked *c, ThError *err);
bool th_check_machine(const ThChecking *k, ThChecked *c, ThError *err);
bool th_check_copy(const ThChecking *k, ThChecked *c, ThError *err);

/* The text of a compact or verbose computation.  False where there is a slip, or on TH_ENOMEM. */
bool th_plain_text(ThPlainText *t, const ThChecking *k, bool verbose, ThChecked *c, ThError *err);

static inline size_t th_plain_offset(const ThPlainText *t, size_t i)
{
    return i >= t->n ? t->end : t->offset ? t->offset[i] : t->begin + i;
}

#endif
