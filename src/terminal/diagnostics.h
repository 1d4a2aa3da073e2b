/* diagnostics.h - errors on standard error: where they are, what they say, the line with a caret.
 */
#pragma once

#include "shell.h"

/* Prints an error behind where it is, FILE:LINE:COLUMN:, or of no source text. */
void sh_print_error_in(const ShSession *s, const char *where, const ThError *err);
void sh_print_error(const ShSession *s, const ThError *err);

/* Prints an error of a source with the line that it is about, which *lx has; as json, too, where
 * answers are.  Nothing where it has been told already. */
void sh_diagnose(ShSession *s, const ShSource *src, const ShLexer *lx, const ThError *err);
