/* configuration.h - configurations of a run as lines of text, written fast enough for millions.
 *
 *     ThTmConfigurationWriter w;
 *     th_tm_configuration_writer(&w, m, TH_TM_SHOW_HEAD, 60, &err);
 *     th_tm_configuration_line(&text, &w, &running);        // 12  q3  01[1]0
 *     th_tm_configuration_writer_free(&w);
 *
 * Symbols are joined by the rule of words (base/symbols.h); several tapes are separated by " | ".
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/tm_run.h"

typedef enum {
    TH_TM_SHOW_HEAD,  /* 01[1]0: brackets around the scanned cell */
    TH_TM_SHOW_STATE, /* 01q310: the state before the scanned cell */
    TH_TM_SHOW_CARET, /* 0110 and, on a second line, ^ under the scanned cell */
    TH_TM_SHOW_RUNS /* 1^12 0 <A 1^5: in runs; A> scans the symbol after it, <A the one before it */
} ThTmConfigurationForm;

typedef struct {
    const ThTm *machine; /* borrowed */
    ThTmConfigurationForm form;
    int width; /* cells, or runs of equal cells, that are shown around the head; 0: all */
    bool single, bytes;
    size_t *length; /* (n_symbols): bytes of the symbols' names */
    int *columns;   /* (n_symbols): what they take on a terminal */
    char *byte;     /* (n_symbols): the names, where each is one byte */
    size_t most;    /* bytes of the longest name */
    size_t *state_length;
} ThTmConfigurationWriter;

bool th_tm_configuration_writer(ThTmConfigurationWriter *w, const ThTm *m,
                                ThTmConfigurationForm form, int width, ThError *err);
void th_tm_configuration_writer_free(ThTmConfigurationWriter *w);
TH_RELEASES_VALUE(th_tm_configuration_writer_free, ThTmConfigurationWriter)

/* Appends the tapes in the form; ".." stands for what is not blank beyond the width.  For
 * TH_TM_SHOW_CARET two lines, the second beginning with `indent` blanks.  Linear in what is shown.
 */
void th_tm_configuration_write(ThText *t, const ThTmConfigurationWriter *w, const ThTmRunning *r,
                               int indent);

/* Appends one configuration, without a writer. */
void th_tm_running_write(ThText *t, const ThTmRunning *r, ThTmConfigurationForm form, int width);

/* As th_tm_configuration_write, after the step and (where the form does not have it) the state,
 * with the ends of the lines. */
void th_tm_configuration_line(ThText *t, const ThTmConfigurationWriter *w, const ThTmRunning *r);
