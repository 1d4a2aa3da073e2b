/* rules.h - runs of machines by rules that are proved on the way: steps beyond any count.
 *
 * The tape is runs of equal words, with exponents of any size.  Where the same tape comes again and
 * again but for exponents, what becomes of these is worked out with letters in their place; if each
 * only grows or shrinks by a number (Ligocki's proof system; macro machines of Marxen and Buntrock
 * 1990), all repetitions are one move.  Where none shrinks, the machine never stops.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/closed/closed.h"

typedef struct {
    bool stops, never; /* neither: the moves did not suffice */
    int length;        /* cells of a word */
    uint64_t moves, rules;
    char *steps, *nonblank; /* of one that stops, in decimal; else NULL */
} ThTmRuled;

/* Tries words of 1 to `longest` cells on a blank tape for a few thousand moves each, and those with
 * which most steps were made for so many.  *r is to be freed.
 * Errors: TH_ENOMEM, TH_EINTERRUPTED. */
bool th_tm_ruled(ThTmRuled *r, const ThTmTable *t, int longest, uint64_t moves, ThStop *stop,
                 ThError *err);
void th_tm_ruled_free(ThTmRuled *r);

/* Appends decimal digits, or "~10^709.0" where there are more than 40. */
void th_tm_big_write(ThText *t, const char *digits);
