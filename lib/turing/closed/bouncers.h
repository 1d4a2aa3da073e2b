/* bouncers.h - machines whose head goes back and forth between ends of the tape that grow in step.
 *
 * A formula is a tape of symbols and of words in brackets, each of which stands for that word any
 * number of times, none included, each its own; behind it all is blank.  From a configuration of a
 * bouncer's formula steps lead to one of the same formula with more, for all numbers at once: what
 * the head goes through in brackets it goes through by a rule that is shown of the word once
 * (bbchallenge's bouncers; Kądziołka and others 2024).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/closed/closed.h"

enum { TH_TM_FORMULA = 600 };

typedef struct {
    uint64_t step;               /* after so many the tape is one of the formula's */
    int side, state, moves;      /* the head is at its right end, 1, or left, 0; and after so many
                                    moves it is one with more */
    char formula[TH_TM_FORMULA]; /* from the far end to the head: digits and (digits) */
} ThTmBouncer;

/* Runs a machine on a blank tape for up to `steps` steps, and *proved whether formulas are found of
 * some that are alike but for growth, and shown to be a bouncer's.  Errors: TH_ENOMEM,
 * TH_EINTERRUPTED. */
bool th_tm_bouncer(ThTmBouncer *b, const ThTmTable *t, uint64_t steps, ThStop *stop, bool *proved,
                   ThError *err);
