/* confirm.h - what the prompt says and asks around definitions. */
#ifndef SH_CONFIRM_H
#define SH_CONFIRM_H

#include "command.h"

/* At the prompt, not in a script: says the size of what has been defined, as `list` does. */
void sh_say_defined(ShSession *s, const char *name);

/* Called before an object is replaced or dropped.  Of a model that has been trained it says how
 * much training is lost; at the prompt it asks, unless the same statement has made the model: a
 * loop that trains one in every turn would wait.  TH_EUSAGE where the answer is no. */
bool sh_confirm_loss(ShSession *s, const ShObject *o, ThError *err);

#endif
