/* result.h - what a command answers: figures with names, tables, and lines of text.
 *
 * In text format text and tables are printed as they come; in json one object a command holds the
 * figures and the tables as arrays; in csv it is all tables, an empty line before each but the
 * first and the names of its columns on top, or else the figures as one row, or else the text;
 * definitions print nothing there.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"

typedef struct ShSession ShSession;

/* Figures: the variables of assert, echo and json.  A command's first figure clears those of the
 * command before. */
void sh_result_int(ShSession *s, const char *name, long long value);
void sh_result_real(ShSession *s, const char *name, double value);
void sh_result_flag(ShSession *s, const char *name, bool value);
void sh_result_text(ShSession *s, const char *name, const char *value); /* NULL: there is none */
/* A number of any size: an integer while it fits, else its digits. */
void sh_result_digits(ShSession *s, const char *name, const char *digits);

/* Several: "name:kind" separated by blanks, kind one of i, r, b and s, and a long long, double, int
 * (a flag) or text for each. */
void sh_results(ShSession *s, const char *figures, ...);

/* The figures that were set until now say what the answer is about: in csv each row of a table
 * begins with them. */
void sh_result_about(ShSession *s);

/* A line (or part of one) of text output; nothing in json and csv. */
void sh_say(ShSession *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line of prose, without its end: what is longer than 79 columns goes on in lines that begin two
 * columns farther than the first. */
void sh_say_folded(ShSession *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What sh_say does, once in a session: a constant text that was said is known by its address. */
void sh_say_once(ShSession *s, const char *text);

/* "" for one, else "s": what stands behind the word for n things. */
const char *sh_plural(long long n);

/* The stream of the command's output, for long listings in text format; NULL in json and csv. */
FILE *sh_out(ShSession *s);

/* The stream for commands whose answer is nothing but text (show, help): in json it becomes the
 * member "text" of the command's object; in csv it is dropped where there are figures; never NULL.
 */
FILE *sh_listing(ShSession *s);

/* Does what the command prints go to a terminal?  And a text that the terminal is to obey, then:
 * elsewhere control characters are shown instead. */
bool sh_on_terminal(const ShSession *s);
void sh_obey(ShSession *s, const char *text);

/* A table: begin with its name and columns, "name:kind" separated by blanks, kind one of i
 * (integer), r (real), s (text), b (flag), n (a number of any size as its digits), l (numbers and
 * words between blanks, in json an array), v (reals, which text leaves out; the last column, whose
 * name may be empty); then rows, one cell per column in order.  Without rows text shows nothing. */
void sh_table(ShSession *s, const char *name, const char *columns);
void sh_row(ShSession *s, ...); /* long long, double, const char *, int (flag), const double *
                                   as the kinds say */

/* The names of the reals of the column v, n of them: views until the table ends.  A real that is
 * not a number is not there. */
void sh_table_parts(ShSession *s, const char *const *name, int n);
void sh_table_end(ShSession *s);

/* Figures of the last command that set some, by name: 'i', 'r', 'b' or 's' and its value, or 0. */
typedef struct {
    char kind;
    long long integer; /* 'i', and 0 or 1 for 'b' */
    double real;       /* 'i', 'r' and 'b' as a number */
    const char *text;  /* 's': view until the next command */
} ShFigureValue;
ShFigureValue sh_result_value(const ShSession *s, const char *name);

/* Progress on standard error, where that is a terminal; redrawn at most ten times a second, and
 * erased before other output. */
void sh_progress(ShSession *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
