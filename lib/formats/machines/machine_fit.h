/* machine_fit.h - making a machine fit the format that it is written in.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "formats/machines/machine_files.h"

/* What a format can say.  States tell their role by their name (FIT_ROLE_NAMES), or by a list of
 * those that accept (FIT_ACCEPTS): then the others without rules reject. */
enum {
    FIT_WILDCARDS = 1,
    FIT_STAYS = 2,
    FIT_EDGE_STAYS = 4, /* a one-way tape on which a move over the edge stays */
    FIT_CHOICE = 8,     /* several rules for one case */
    FIT_PAUSES = 16,
    FIT_ROLE_NAMES = 32,
    FIT_ACCEPTS = 64,
    FIT_HALT_NAMES = 128, /* a name halt… stops the machine */
    FIT_NO_BLANKS = 256,  /* no blanks inside names */
    FIT_SINGLE = 512,     /* symbols are single characters */
    FIT_LISTED = 1024     /* there is a list of states: none is lost */
};

typedef struct {
    const char *format; /* as in "… holds one tape" */
    unsigned can;
    int most_tapes;
    const char *blank;     /* the only name of the blank, or NULL */
    const char *no_symbol; /* characters that symbols cannot have */
    const char *no_state;  /* characters that names of states cannot have */
    ThTmMissing missing;   /* what happens where no rule applies */
} ThFormatFit;

/* Returns new: a machine that does the same in the terms of the format, with a note on whatever was
 * changed.  TH_EVALUE with the reason where there is none. */
ThTm *th_format_machine_fit(const ThTm *m, const ThFormatFit *fit, ThText *notes, ThError *err);
