/* names.h - what the symbols and states of a machine are called in a scratchpad. */
#ifndef TH_SCRATCHPAD_NAMES_H
#define TH_SCRATCHPAD_NAMES_H

#include "base/text.h"
#include "turing/machine.h"

/* A symbol, a symbol under the head, a state. */
typedef enum { TH_NAME_SYMBOL, TH_NAME_MARKED, TH_NAME_STATE } ThNamed;

/* True if names= ("auto", "paper", "own") means the paper's names for a machine: auto does where
 * the machine has them, or has names that a scratchpad cannot show. */
bool th_names_paper(const ThTuring *m, const char *names);

/* Sets *t to a name: a1, b1, s1; or the machine's own. */
void th_name(const ThTuring *m, bool paper, ThNamed what, int i, ThText *t);

#endif
