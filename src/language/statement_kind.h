/* statement_kind.h - whose line is it?  Whether a statement is one of RASP is seen by its shape
 * alone: what happens to be defined does not matter, only the words that are commands. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Does a text of n bytes begin with a statement of RASP?  Its first byte is the statement's first
 * character.  These are: an assignment; a literal, a bracket or a sign in front; the words that
 * only RASP begins statements with; a name and behind it `;`, `,`, a bracket or an operator.  A
 * command's word is one of RASP's names only where it is assigned to, or where a bracket or an
 * operator follows without a blank.  All else is a command, a word by itself too. */
bool sh_shape_is_rasp(const char *text, size_t n);
