/* repl.h - the prompt. */
#ifndef SH_REPL_H
#define SH_REPL_H

#include "session_impl.h"

/* Runs an interactive session on the terminal until it is left.  The init file is read first where
 * `init` says so. */
void sh_repl(ShSession *s, bool init);

#endif
