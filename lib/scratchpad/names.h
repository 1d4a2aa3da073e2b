/* names.h - what the symbols and states of a machine are called in a scratchpad.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_SCRATCHPAD_NAMES_H
#define TH_SCRATCHPAD_NAMES_H

#include "base/text.h"
#include "turing/machine.h"

/* A symbol, a symbol under the head, a state. */
typedef enum { TH_PAD_NAME_SYMBOL, TH_PAD_NAME_MARKED, TH_PAD_NAME_STATE } ThPadNamed;

/* In the order of the option names=. */
typedef enum { TH_PAD_NAMES_AUTO, TH_PAD_NAMES_PAPER, TH_PAD_NAMES_OWN } ThTmNames;

/* True if these are the paper's names for a machine: auto is where the machine has them, or has
 * names that a scratchpad cannot show. */
bool th_pad_names_paper(const ThTm *m, ThTmNames names);

/* Sets *t to a name: a1, b1, s1; or the machine's own. */
void th_pad_name(const ThTm *m, bool paper, ThPadNamed what, int i, ThText *t);

#endif
