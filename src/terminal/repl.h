/* repl.h - the prompt. */
#pragma once

#include "session_impl.h"

/* Runs an interactive session on the terminal until it is left.  The init file is read first where
 * `init` says so. */
void sh_repl(ShSession *s, bool init);

/* Keeps what was typed while a command read from the terminal, for the prompt to read first. */
void sh_type_ahead(const char *text, size_t n);

/* For a command: lets an empty line at the prompt, if it is the next one, stand for `command`,
 * which is taken over (NULL is fine).  Nothing without a prompt. */
void sh_offer_again(ShSession *s, char *command);
