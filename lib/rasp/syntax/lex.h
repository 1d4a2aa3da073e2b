/* lex.h - the tokens of RASP source; internal to lib/rasp.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/syntax/syntax.h"

typedef enum {
    TH_RASP_LEX_END,
    TH_RASP_LEX_NAME,
    TH_RASP_LEX_INT,
    TH_RASP_LEX_REAL,
    TH_RASP_LEX_STRING,
    TH_RASP_LEX_INSERTED, /* $x */
    TH_RASP_LEX_BAD,      /* no token: the error is told when it is wanted */
    TH_RASP_LEX_EQ = 256, /* == ; single characters are their own kind */
    TH_RASP_LEX_NE,
    TH_RASP_LEX_LE,
    TH_RASP_LEX_GE
} ThRaspLexKind;

typedef struct {
    int kind;
    size_t start, end; /* bytes; of a string those between its quotes */
    int line, col;
    size_t after; /* bytes: behind it, its quote with it */
    int after_col;
    int64_t integer;
    double real;
} ThRaspLexeme;

/* Reads the next token and moves behind it.  Errors: TH_EPARSE with a position for characters that
 * no token begins with, strings without an end, numbers out of range. */
bool th_rasp_lex(ThRaspSource *lx, ThRaspLexeme *t, ThError *err);
