/* writing_options.h - what the commands share in which a model writes on behind a prompt. */
#pragma once

#include "commands/modelling.h"

/* Rows of option tables: how much of a text a model sees, and that with what is drawn of it. */
#define SH_WINDOW_OPTIONS                                                                          \
    SH_OPTION_ROW("window", TH_INT, NULL, 1, 1e9, NULL,                                            \
                  "of a model: symbols that it looks back at, at most; else it looks at all"),     \
        SH_OPTION_ROW("hop", TH_INT, NULL, 1, 1e9, NULL,                                           \
                      "of a model: so many of the oldest leave the window at once; default: a "    \
                      "25th of it")
#define SH_WRITING_OPTIONS                                                                         \
    SH_OPTION_ROW("temperature", TH_REAL, "0", 0, 1e6, NULL,                                       \
                  "of a model: 0 takes the likeliest symbol; else one is drawn, from the logits "  \
                  "divided by this"),                                                              \
        SH_OPTION_ROW("top_k", TH_INT, NULL, 1, 1e6, NULL,                                         \
                      "of a model: a symbol is drawn from so many of the likeliest (temperature "  \
                      "1 if not given)"),                                                          \
        SH_WINDOW_OPTIONS

/* What they say; most and end are left to the caller. */
ThGenerateSettings sh_writing_settings(const ShSession *s, const ThOptions *o);
void sh_set_window(ThGenerateSettings *how, const ThOptions *o); /* of SH_WINDOW_OPTIONS alone */

/* Parts of evaluate.  Counts what a model writes at a length; where it was told the true text, too
 * (`forced`), the rest of *x stays as it is.  Then a table of n ≥ 1 lengths, and their means. */
bool sh_score_written(const ThLabTrialsPlan *trials, int length, bool forced, ThScore *x,
                      ThError *err);
void sh_print_written(ShSession *s, const ThScore *score, size_t n, bool forced);
void sh_summarize_written(ShSession *s, const ThScore *score, size_t n, bool forced);
