/* repl.h - the prompt. */
#ifndef TH_REPL_H
#define TH_REPL_H

#include "session_impl.h"

/* Runs an interactive session on the terminal until it is left.  The init file is read first where
 * `init` says so. */
void th_repl(ThSession *s, bool init);

#endif
