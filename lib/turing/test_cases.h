/* test_cases.h - files of tests for a machine: an input and the verdict that is expected, one a
 * line.
 *
 *     input,verdict
 *     1011,accept
 *     "a,b",reject
 *     111,halt,1000
 *
 * Fields are those of CSV (RFC 4180), a field in quotes not spanning lines; blanks around fields
 * without quotes do not count.  A third field is the tape at the end.  Empty lines and a first line
 * whose second field is the word verdict are skipped.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/verdict.h"

typedef struct {
    char *input;
    char *tape; /* NULL: any */
    bool limit; /* any limit is expected, else the verdict */
    ThTmVerdict verdict;
    int line, col; /* of the input, col in characters */
} ThTmTestCase;

typedef struct {
    ThTmTestCase *item;
    size_t n, cap;
} ThTmTestCases;

/* Reads a file's text.  TH_EPARSE with a position, TH_ENOMEM. */
bool th_tm_test_cases_read(ThTmTestCases *c, const char *text, ThError *err);
void th_tm_test_cases_free(ThTmTestCases *c);

/* "accept", "reject", "limit", … as files have it. */
const char *th_tm_test_expected(const ThTmTestCase *c);

/* Does a run that ended so fulfil what is expected of its verdict? */
bool th_tm_test_fulfilled(const ThTmTestCase *c, ThTmVerdict v);
