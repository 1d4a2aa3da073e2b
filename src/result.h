/* result.h - what a command answers: figures with names, tables, and lines of text.
 *
 * In text format text and tables are printed as they come; in json one object a command holds the
 * figures and the tables as arrays; in csv tables are printed as such, or the figures as one row.
 */
#ifndef TH_RESULT_H
#define TH_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

typedef struct ThSession ThSession;

/* Figures: the variables of assert, echo and json.  A command's first figure clears those of the
 * command before. */
void th_result_int(ThSession *s, const char *name, long long value);
void th_result_real(ThSession *s, const char *name, double value);
void th_result_flag(ThSession *s, const char *name, bool value);
void th_result_text(ThSession *s, const char *name, const char *value);

/* A line (or part of one) of text output; nothing in json and csv. */
void th_say(ThSession *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The stream of the command's output, for long listings in text format; NULL in json and csv. */
FILE *th_out(ThSession *s);

/* The stream for commands whose answer is nothing but text (show, help): in json it becomes the
 * member "text" of the command's object; never NULL. */
FILE *th_listing(ThSession *s);

/* A table: begin with its name and columns, "name:kind" separated by blanks, kind one of i
 * (integer), r (real), s (text), b (flag); then rows, one cell per column in order. */
void th_table(ThSession *s, const char *name, const char *columns);
void th_row(ThSession *s, ...); /* long long, double, const char *, int (flag) as the kinds say */
void th_table_end(ThSession *s);

/* Figures of the last command that set some, by name: 'i', 'r', 'b' or 's' and its value, or 0. */
typedef struct {
    char kind;
    long long integer; /* 'i', and 0 or 1 for 'b' */
    double real;       /* 'i', 'r' and 'b' as a number */
    const char *text;  /* 's': view until the next command */
} ThFigureValue;
ThFigureValue th_result_value(const ThSession *s, const char *name);

/* Progress on standard error, where that is a terminal; redrawn at most ten times a second, and
 * erased before other output. */
void th_progress(ThSession *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
