/* shell.h - the loop: lines to statements, statements to commands, errors to standard error. */
#ifndef TH_SHELL_H
#define TH_SHELL_H

#include "session_impl.h"

typedef enum { TH_LINE, TH_LINES_END, TH_LINE_DROPPED } ThLineResult;

/* Where lines come from: a file, a text, or the prompt. */
typedef struct ThSource {
    const char *name; /* in diagnostics */
    bool prompt;      /* errors are told without a file name */
    /* Puts the next line, with its newline, into *line (grown with realloc) and its length into *n;
     * `continued` says that a bracket or string is open. */
    ThLineResult (*next)(struct ThSource *src, bool continued, char **line, size_t *cap, size_t *n);
    void *context;
} ThSource;

/* Runs everything that a source gives.  False if a command failed (and stopped it, unless the
 * session keeps going); the errors have been printed. */
bool th_shell_run(ThSession *s, ThSource *src);
bool th_shell_file(ThSession *s, FILE *in, const char *name);
bool th_shell_text(ThSession *s, const char *text, const char *name);

/* Runs a script file from within a command.  Errors of its commands have been printed where they
 * happened: then err has a code and no message. */
bool th_source(ThSession *s, const char *path, ThError *err);

/* Runs one statement. */
bool th_execute(ThSession *s, const ThStatement *st, ThError *err);

/* Prints an error that belongs to no source text. */
void th_print_error(const ThSession *s, const ThError *err);

#endif
