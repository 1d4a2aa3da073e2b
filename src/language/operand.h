/* operand.h - operands that are values: names of objects, or expressions in their place.
 *
 * Where a command wants an automaton, it takes an expression; where it wants a machine, its text in
 * a format that is known; where it wants a task, a kind with its options in parentheses; where it
 * wants any object, all of these, and an expression of RASP that makes an s-op or a selector.
 */
#pragma once

#include "session_impl.h"

/* The token behind the operand that begins at a token: the longest expression that can stand there
 * without being taken for several operands, or one token.  A | between blanks ends it. */
size_t sh_operand_end(const ShArg *arg, const ShLexer *lx, size_t from, size_t to);

/* May an operand of this kind name an object of that one? */
bool sh_operand_takes(ShArgKind operand, ShKind kind);

/* Finds the object that an operand names, or makes the one that it describes, which the operand
 * owns then.  Errors have positions in the operand, or none. */
bool sh_operand_resolve(ShSession *s, ShOperand *o, bool named, ThError *err);

/* Reads as an expression of RASP what could not be read as an automaton, for which *err says why.
 * If it is an s-op or a selector, there is no error any more; else it is that of the reading that
 * came further. */
bool sh_program_value(ShSession *s, const ShOperand *o, ThRaspSop *node, ShKind *kind,
                      ThError *err);

/* Reads the inside of KIND(4, key=2): the options of the table in order, or by name.  *first, where
 * it is not NULL, gets what stands before the first comma, which is no option then.  The text is
 * changed. */
bool sh_read_arguments(char *text, const ThOptionSpec *specs, ThOptions *o, char **first,
                       ThError *err);

/* Returns new: the value of an automaton expression of no more than so many states, or NULL and an
 * error in the text. */
ThAutomaton *sh_automaton_within(ShSession *s, const char *text, size_t most_states, ThError *err);
