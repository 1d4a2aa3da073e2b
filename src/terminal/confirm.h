/* confirm.h - what the prompt says and asks around definitions. */
#pragma once

#include "command.h"

/* At the prompt, not in a script: says the size of what has been defined, as `list` does. */
void sh_say_defined(ShSession *s, const char *name);

/* Notes that an object stands in a file as it is: losing it asks nothing. */
void sh_note_saved(ShObject *o);

/* Called before an object is replaced or dropped, by one of another kind, too.  At the prompt it
 * asks about one that is not in a file as it is, unless the same statement has made it: a loop that
 * trains a model in every turn would wait.  Elsewhere it says how much training is lost.  TH_EUSAGE
 * where the answer is no. */
bool sh_confirm_loss(ShSession *s, const ShObject *o, ThError *err);

/* Called before the session is left by quit or Ctrl-D: asks at the prompt where anything is not in
 * a file as it is.  The end of the input is a yes. */
bool sh_confirm_leave(ShSession *s);
