/* pager.h - long listings on a terminal, and child processes of the shell. */
#ifndef SH_PAGER_H
#define SH_PAGER_H

#include "session.h"

/* True if a long listing would be shown through a pager: an interactive session whose output is the
 * terminal. */
bool sh_pager_wanted(const ShSession *s);

/* Prints text, through the pager if it is longer than the screen. */
void sh_page(ShSession *s, const char *text);

/* Runs a shell command with `input` on its standard input, or the session's own where input is
 * NULL; *status gets its exit status, or 128 plus the signal that ended it. */
bool sh_run_shell(const char *command, const char *input, int *status, ThError *err);

#endif
