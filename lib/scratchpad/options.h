/* options.h - the options of the kinds of scratchpads, as rows of tables: a kind's own table and
 * that of the command which makes it hold the same rows.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_SCRATCHPAD_OPTIONS_H
#define TH_SCRATCHPAD_OPTIONS_H

#include "base/option.h"

/* clang-format off */

#define TH_PAD_OPTIONS_ADDITION                                                                        \
    {"digits", TH_RANGE, "2..50", 1, 100000, NULL, "digits of operands that are drawn"},           \
    {"second", TH_RANGE, NULL, 1, 100000, NULL,                                                    \
     "digits of the second operand; default: drawn from digits= as well"},                         \
    {"style", TH_CHOICE, "compact", 0, 0,                                                          \
     "compact|verbose|plain|reversed|blanks|hints|reversed-hints", "the layout"},                  \
    {"final-carry", TH_CHOICE, "line", 0, 0, "line|fold",                                          \
     "whether a last carry gets a line of its own or only goes into the answer"},                  \
    {"blanks", TH_REAL, "0.3", 0, 1, NULL,                                                         \
     "style=blanks: how likely a blank is between two digits of an operand"},                      \
    {"comments", TH_FLAG, "yes", 0, 0, NULL,                                                       \
     "style=verbose: explain each line behind a #; never in data sets"}

#define TH_PAD_OPTIONS_MULTIPLICATION                                                                  \
    {"digits", TH_RANGE, "2..50", 1, 100000, NULL, "digits of first operands that are drawn"},     \
    {"multiplier", TH_INT, "3", 1, 10000, NULL, "digits of second operands that are drawn"},       \
    {"style", TH_CHOICE, "compact", 0, 0, "compact|verbose|plain|reversed", "the layout"},         \
    {"flush", TH_CHOICE, "digit", 0, 0, "digit|once",                                              \
     "whether the last carry goes into the result a digit a line, or at once"},                    \
    {"comments", TH_FLAG, "yes", 0, 0, NULL,                                                       \
     "style=verbose: explain each line behind a #; never in data sets"}

#define TH_PAD_OPTIONS_SGD                                                                             \
    {"examples", TH_RANGE, "1..50", 1, 10000, NULL, "points of a problem that is drawn"},          \
    {"strict", TH_CHOICE, "hidden", 0, 0, "hidden|from-tokens|requantise",                         \
     "what is computed with: the real numbers behind the data's tokens; the tokens' values, the "  \
     "weights being kept exactly; or nothing but tokens, all results being rounded to them"},      \
    {"quantiser", TH_CHOICE, "hundredths", 0, 0, "hundredths|points",                              \
     "what a token is: a hundredth, or one of 200 points from -1 to 1, 2/199 apart"},              \
    {"noise", TH_REAL, "0", 0, 1, NULL, "standard deviation of noise on drawn labels"},            \
    {"radius", TH_REAL, "0.5", 0, 1, NULL, "the true weights are drawn from a disc so large"},     \
    {"rate", TH_REAL, "0.5", 0, 1, NULL, "the learning rate"},                                     \
    {"style", TH_CHOICE, "turing", 0, 0, "turing|plain",                                           \
     "with the steps, or the answer right after the data"}

#define TH_PAD_OPTIONS_MACHINE                                                                         \
    {"length", TH_RANGE, "2..50", 1, 100000, NULL, "cells of tapes that are drawn"},               \
    {"steps", TH_INT, NULL, 1, 1000000, NULL,                                                      \
     "steps at most; default: 1 on a tape that is drawn, 1000 on an input"},                       \
    {"single", TH_FLAG, "no", 0, 0, NULL, "each step of the run on an input by itself"},           \
    {"edge", TH_CHOICE, NULL, 0, 0, "stay|extend|avoid",                                           \
     "what a move beyond the cells shown does: the head stays; a blank cell is added; such tapes " \
     "are drawn again.  Default: stay on a tape that is drawn, extend on an input"},               \
    {"names", TH_CHOICE, "auto", 0, 0, "auto|paper|own",                                           \
     "names: a1 for symbols, b1 under the head, s1 for states; or the machine's own, [ ] marking " \
     "the head.  auto: the paper's where the machine has a1 and s1"},                              \
    {"transitions", TH_FLAG, "yes", 0, 0, NULL, "write the transition between configurations"},    \
    {"state", TH_CHOICE, "front", 0, 0, "front|head",                                              \
     "where the state stands: in front of the tape and a bar, or right before the scanned cell"},  \
    {"comma", TH_FLAG, "yes", 0, 0, NULL, "write ~ between the parts of a transition"},            \
    {"style", TH_CHOICE, "compact", 0, 0, "compact|verbose",                                       \
     "one line, <|SEP|> separating configurations; or a line for each"}

#define TH_PAD_OPTIONS_COPY                                                                            \
    {"length", TH_RANGE, "2..50", 1, 100000, NULL, "letters of strings that are drawn"},           \
    {"variant", TH_CHOICE, "copy", 0, 0, "copy|prefix|suffix|duplicate",                           \
     "copy the string; or what follows a part of it that is named before or after it; or copy a "  \
     "string in which a part occurs twice"},                                                       \
    {"ngram", TH_INT, "3", 1, 1000, NULL, "letters of that part"},                                 \
    {"answer", TH_INT, "0", 0, 100000, NULL,                                                       \
     "letters asked for behind the part; 0: all up to the end of the string"},                     \
    {"letters", TH_INT, "26", 1, 26, NULL, "size of the alphabet"}

/* clang-format on */

#endif
