/* machines.h - what the commands that run Turing machines share. */
#ifndef TH_COMMANDS_MACHINES_H
#define TH_COMMANDS_MACHINES_H

#include "command.h"
#include "turing/configuration.h"
#include "turing/engine.h"

/* The options that limit a run.  The step limit lets the longest known run that ends within
 * seconds, of the machine BB(5), end; a machine that goes on is still stopped soon. */
#define TH_RUN_LIMITS                                                                              \
    {"steps", TH_INT, "1000000000", 0, 4e18, NULL, "steps that a machine may make"},               \
        {"cells",                                                                                  \
         TH_INT,                                                                                   \
         "0",                                                                                      \
         0,                                                                                        \
         4e18,                                                                                     \
         NULL,                                                                                     \
         "cells that the heads of a machine may stand on; 0: no limit"},                           \
    {                                                                                              \
        "seconds", TH_REAL, "0", 0, 1e9, NULL, "time that a machine may take; 0: no limit"         \
    }

/* The options that say how a configuration is shown. */
#define TH_CONFIGURATION_FORMS                                                                     \
    {"form",                                                                                       \
     TH_CHOICE,                                                                                    \
     "head",                                                                                       \
     0,                                                                                            \
     0,                                                                                            \
     "head|state|caret|runs",                                                                      \
     "how a machine's tape is shown: 01[1]0; the state before the scanned cell, 01q10; a ^ under " \
     "it; in runs, 1^12 0 <A 1^5"},                                                                \
    {                                                                                              \
        "width", TH_INT, "60", 0, 1e9, NULL,                                                       \
            "cells, or runs of equal cells, of each tape that are shown, around the head; 0: all"  \
    }

enum { TH_TAPE_LINE = 72, TH_TAPE_LONGEST = 1 << 16 };

ThRunLimits th_machine_limits(const ThCall *call);

/* The figures of a run: verdict halted accepted steps nonblank cells head state tape. */
void th_machine_figures(ThSession *s, const ThTuring *m, const ThFastFigures *x, const char *tape);

/* Says how a run ended: "halted after 8 steps". */
void th_machine_say_verdict(ThSession *s, const ThFastFigures *x);
void th_machine_say_figures(ThSession *s, const ThTuring *m, const ThFastFigures *x,
                            const char *tape);

/* The writer that the options form and width ask for. */
bool th_machine_writer(ThConfigurationWriter *w, const ThTuring *m, const ThOptions *options,
                       ThError *err);

/* Runs to the end or a limit; last->verdict is TH_OUT_OF_TIME where that was it. */
bool th_machine_go(ThSession *s, ThEngine *e, const ThOptions *options, ThRunLimits limits,
                   ThFastFigures *last, ThError *err);

/* The same for all runs of a machine with choices: *last gets the figures of the run that decides,
 * and where there is none its verdict and the greatest number of steps.  Unless it is quiet it says
 * what it found. */
bool th_machine_search(ThSession *s, const ThCall *call, const ThTuring *m,
                       const ThTapeWords *words, bool quiet, ThFastFigures *last, ThText *tape,
                       ThError *err);

/* Prints the tree of the runs. */
bool th_machine_trace_tree(ThSession *s, const ThCall *call, const ThTuring *m,
                           const ThTapeWords *words, ThError *err);

#endif
