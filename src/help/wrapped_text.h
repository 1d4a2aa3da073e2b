/* wrapped_text.h - text in lines that fit the screen. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* What text for people is written on. */
typedef struct {
    FILE *out;
    int width;     /* columns of a line */
    bool terminal; /* the text goes there */
} ShSheet;

/* As wide as the terminal on standard output where the text goes there, else 78 columns. */
ShSheet sh_sheet(FILE *out, bool terminal);

/* Prints text in lines, the first of which begins at `column`; an empty line separates paragraphs.
 * A line that begins with a blank is an item of a list. */
void sh_wrap_from(const ShSheet *to, int column, int indent, const char *text);
void sh_wrap(const ShSheet *to, int indent, const char *text);

/* Prints a line of prose; what is too long goes on two columns farther to the right. */
void sh_wrap_line(const ShSheet *to, const char *text);

/* Prints a line of a list: a name, and what it is in columns behind it. */
void sh_wrap_row(const ShSheet *to, const char *name, const char *summary);
