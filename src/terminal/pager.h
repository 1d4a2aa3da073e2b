/* pager.h - long listings on a terminal, and child processes of the shell. */
#pragma once

#include <sys/types.h>

#include "session.h"

/* True if a long listing would be shown through a pager: an interactive session whose output is the
 * terminal. */
bool sh_pager_wanted(const ShSession *s);

/* May commands of the shell be run?  TH_EUSAGE. */
bool sh_shell_allowed(const ShSession *s, ThError *err);

/* Prints text, through the pager if it is longer than the screen. */
void sh_page(ShSession *s, const char *text);

/* A shell command that reads what is written to the stream. */
typedef struct {
    FILE *stream;
    pid_t pid;
} ShPipe;

bool sh_pipe_open(ShPipe *p, const char *command, ThError *err);

/* Waits for its end; returns its exit status, or 128 plus the signal that ended it.  *left: it did
 * not read all. */
int sh_pipe_close(ShPipe *p, bool *left);

/* Runs a shell command with `input` on its standard input, or the session's own where input is
 * NULL; *status gets its exit status, or 128 plus the signal that ended it. */
bool sh_run_shell(const char *command, const char *input, int *status, ThError *err);
