/* first_errors.h - where what a model writes first goes wrong.
 *
 * The theorem on Turing Programs (Hou et al. 2024, section 5) promises a right run where no line
 * has an n-gram twice: what is copied is found by the symbols before it.  So a slip is looked at
 * with the symbols before it: how many of them stand in its line a second time.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "lab/trials.h"

/* The first slip of a string.  Lines end with the task's separator, the first begins the prompt. */
typedef struct {
    int length;       /* of the string, as asked for */
    const char *kind; /* constant: "copy", "carry", …, "separator", "early end"; "right": none */
    int at, places;   /* symbols of the true answer before it, and in all */
    int line, column; /* where it stands, from 1; columns in symbols */
    int repeated;     /* as many symbols right before it stand in its true line again */
    int expected, found; /* symbols; -1: none */
} ThInspectSlip;

ThInspectSlip th_inspect_slip(const ThTask *t, int length, const ThLabTrial *y);

/* Of the places of the true answer, those that have n symbols before them in their line which stand
 * there again: what `repeated` ≥ n is to be compared with. */
int th_inspect_repeats(const ThTask *t, const ThLabTrial *y, int n);
