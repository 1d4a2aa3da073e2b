/* variables.h - what $NAME stands for: the user's variables, the arguments of a script, and the
 * figures of the last result.
 *
 * A variable is a constant of RASP that the user has defined (x = 3): a number, a truth value, a
 * string or a list.  Its names come before the script's arguments ($1, $2, …, $args, $nargs), and
 * these before the figures.
 */
#pragma once

#include "session_impl.h"

/* What a name stands for; kind 0: nothing.  The text of a string, and of a list ('l', with blanks
 * between its elements), is a view until the next call. */
ShFigureValue sh_variable(ShSession *s, const char *name);

/* What stands behind $: the i-th name of the user's variables, what a script was given, and the
 * figures; view, NULL past the end. */
const char *sh_variable_name(ShSession *s, size_t i);

/* Returns new: the text of element i of a variable that is a list, or NULL past its end. */
char *sh_variable_item(ShSession *s, const char *name, size_t i);

/* Appends a value as it is inserted: a real variable so that it is read back the same. */
void sh_variable_write(ThText *t, const ShFigureValue *v);

/* The name in a text that is nothing but $NAME or ${NAME}, of n bytes; NULL if it is not. */
const char *sh_insertion(const char *text, size_t *n);

/* Appends a source text, words and strings in their quotes, with the variables in it replaced:
 * $NAME and ${NAME}; $$ is a dollar sign, and so is \$ in a string.  Values in strings get the
 * escapes that they need there.  Errors, with their place in the text: TH_EVALUE for a name that
 * stands for nothing, TH_EPARSE for a ${ without a name and a }. */
bool sh_insert(ShSession *s, const char *text, ThText *to, ThError *err);

/* Appends what a string means: the same for what stands between its quotes, escapes read. */
bool sh_insert_string(ShSession *s, const char *inside, ThText *to, ThError *err);

/* Before a command of the system's shell: puts the variables that it speaks of, as $NAME or
 * ${NAME}, into the environment.  The text of the command stays as it is, so that no value is ever
 * read as a command.  What the environment has already, names in capitals and $1 are left alone.
 * *names gets what sh_unexport takes out again. */
void sh_export(ShSession *s, const char *command, ThText *names);
void sh_unexport(ThText *names);

/* Does a word of n bytes name a variable that holds a list, as $NAME, or also bare? */
enum { SH_NAME = 64 };
bool sh_names_list(ShSession *s, const char *word, size_t n, bool bare, char name[SH_NAME]);

/* Defines or replaces a variable.  Errors: TH_EUSAGE and TH_EVALUE for a name that cannot be one.
 */
bool sh_variable_set(ShSession *s, const char *name, const ThRaspValue *v, ThError *err);

/* The same with the value that a text looks like: an integer, another number, or a string. */
bool sh_variable_read(ShSession *s, const char *name, const char *text, ThError *err);

/* For the interpreter: sets *a to what $NAME stands for, where that is one value. */
bool sh_variable_atom(ShSession *s, const char *name, ThRaspAtom *a, ThError *err);
