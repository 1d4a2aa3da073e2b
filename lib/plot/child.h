/* child.h - running gnuplot and dot: a program that reads one text and writes another.
 *
 * No shell takes part.  The program gets the caller's environment with the C locale in UTF-8, a
 * process group of its own (Ctrl-C is for us, not for a window it left open), and the default
 * action for signals.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/stop.h"
#include "base/text.h"

typedef struct {
    const char *const *argv; /* NULL-ended; argv[0] is looked for in PATH */
    const char *input;       /* what it reads on standard input */
    ThStop *stop;            /* ends the program and fails with TH_EINTERRUPTED */
    ThText output, messages; /* returned: its standard output and its standard error */
    int status;              /* returned: exit status; 128 + signal where one ended it */
} ThPlotChild;

/* Runs the program to its end.  Errors: TH_EIO, also when it is not installed (*missing is set).
 * An exit status that is not 0 is no error here.  output and messages are the caller's to free. */
bool th_plot_child_run(ThPlotChild *c, bool *missing, ThError *err);
