/* machines.h - what the commands that run Turing machines share. */
#pragma once

#include "commands/modelling.h"

/* How examples begin that do something with a machine: it adds 1 to a binary number. */
#define SH_EXAMPLE_MACHINE                                                                         \
    "machine increment {\n"                                                                        \
    "  start right ; halt done\n"                                                                  \
    "  right 0,1 -> R right\n"                                                                     \
    "  right _   -> L carry\n"                                                                     \
    "  carry 1   -> 0 L carry\n"                                                                   \
    "  carry 0,_ -> 1 L done\n"                                                                    \
    "}\n"

/* The options that limit a run.  The step limit lets the longest known run that ends within
 * seconds, of the machine BB(5), end; a machine that goes on is still stopped soon. */
#define SH_RUN_LIMITS SH_RUN_LIMITS_OF("1000000000")
#define SH_RUN_LIMITS_OF(steps)                                                                    \
    SH_OPTION_ROW("steps", TH_INT, steps, 0, 4e18, NULL, "steps that a machine may make"),         \
        SH_OPTION_ROW("cells", TH_INT, "0", 0, 4e18, NULL,                                         \
                      "cells that the heads of a machine may stand on; 0: no limit"),              \
        SH_OPTION_ROW("seconds", TH_REAL, "0", 0, 1e9, NULL,                                       \
                      "time that a machine may take; 0: no limit")

/* The options that say how a configuration is shown; ThTmConfigurationForm has the order of form=.
 */
#define SH_CONFIGURATION_FORMS                                                                     \
    SH_OPTION_ROW("form", TH_CHOICE, "head", 0, 0, "head|state|caret|runs",                        \
                  "how a machine's tape is shown: 01[1]0; the state before the scanned cell, "     \
                  "01q10; a ^ under it; in runs, 1^12 0 <A 1^5"),                                  \
        SH_OPTION_ROW("width", TH_INT, "60", 0, 1e9, NULL,                                         \
                      "cells, or runs of equal cells, of each tape that are shown, around the "    \
                      "head; 0: all")

enum { SH_TAPE_LINE = 72, SH_TAPE_LONGEST = 1 << 16 };

ThTmRunLimits sh_machine_limits(const ShCall *call);

/* The figures of a run: verdict halted accepted steps nonblank cells head state tape. */
void sh_machine_figures(ShSession *s, const ThTm *m, const ThTmFastFigures *x, const char *tape);

/* Says how a run ended: "halted after 8 steps". */
void sh_machine_say_verdict(ShSession *s, const ThTmFastFigures *x);
void sh_machine_say_figures(ShSession *s, const ThTm *m, const ThTmFastFigures *x,
                            const char *tape);

/* The writer that the options form and width ask for. */
bool sh_machine_writer(ThTmConfigurationWriter *w, const ThTm *m, const ThOptions *options,
                       ThError *err);

/* Waits, but not once work should end. */
void sh_wait_seconds(double seconds, ThStop *stop);

/* Goes on with a call's machine by hand, up to n steps, and shows where it stands. */
bool sh_step_on(ShSession *s, const ShCall *call, uint64_t n, ThError *err);

/* How a run ended, and the tape then, which is the caller's; in runs where it is long. */
typedef struct {
    ThTmFastFigures figures;
    ThText tape;
    uint64_t digest; /* of all of it; of a machine with choices 0 */
    bool coded;      /* asks for the digest of what to=binary makes of the tape, in its place */
} ShMachineEnd;

/* Runs to the end or a limit; last->verdict is TH_TM_OUT_OF_TIME where that was it. */
bool sh_machine_go(ShSession *s, ThTmEngine *e, const ThOptions *options, ThTmRunLimits limits,
                   ThTmFastFigures *last, ThError *err);

/* The same for all runs of a call's machine with choices: *end gets those of the run that decides,
 * and where there is none its verdict and the greatest number of steps.  Unless it is quiet it says
 * what it found. */
bool sh_machine_search(ShSession *s, const ShCall *call, const ThTmTapeWords *words, bool quiet,
                       ShMachineEnd *end, ThError *err);

/* Runs a call's machine on an input to its end, or to a limit of the call's options (steps, cells,
 * seconds, configurations); the tape is the caller's also where it fails. */
bool sh_machine_end(ShSession *s, const ShCall *call, const char *input, ShMachineEnd *end,
                    ThError *err);

/* Prints the tree of the runs. */
bool sh_machine_trace_tree(ShSession *s, const ShCall *call, const ThTm *m,
                           const ThTmTapeWords *words, ThError *err);
