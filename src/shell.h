/* shell.h - the loop: lines to statements, statements to commands, errors to standard error. */
#pragma once

#include "session_impl.h"

typedef enum { SH_LINE, SH_LINES_END, SH_LINES_LOST, SH_LINES_LONG, SH_LINE_DROPPED } ShLineResult;

/* Where lines come from: a file, a text, or the prompt. */
typedef struct ShSource {
    const char *name; /* in diagnostics */
    bool prompt;      /* errors are told without a file name */
    /* Puts the next line, with its newline, into *line (grown with realloc) and its length into *n;
     * `continued` says that a bracket or string is open.  SH_LINES_LOST: memory ran out;
     * SH_LINES_LONG: a line has no end. */
    ShLineResult (*next)(struct ShSource *src, bool continued, char **line, size_t *cap, size_t *n);
    void *context;
} ShSource;

/* Runs everything that a source gives.  False if a command failed (and stopped it, unless the
 * session keeps going); the errors have been printed. */
bool sh_shell_run(ShSession *s, ShSource *src);
bool sh_shell_file(ShSession *s, FILE *in, const char *name);
bool sh_shell_text(ShSession *s, const char *text, const char *name);

/* Runs a script file from within a command.  Errors of its commands have been printed where they
 * happened: then err has a code and no message. */
bool sh_source(ShSession *s, const char *path, ThError *err);

/* Returns new: the path; or, where there is no such file, but one beside the script that is being
 * run, that one's. */
char *sh_beside_script(const ShSession *s, const char *path, ThError *err);

/* Runs the statements between two tokens, the braces of a body, in order.  False where one fails;
 * the error says in which turn of the loops around it. */
bool sh_run_body(ShSession *s, const ShLexer *lx, size_t open, size_t close, ThError *err);

/* A turn of a loop, as an error in it names it: "x = 3". */
typedef struct ShTurn {
    const struct ShTurn *outer;
    const char *text;
} ShTurn;

/* Runs one statement. */
bool sh_execute(ShSession *s, const ShStatement *st, ThError *err);
