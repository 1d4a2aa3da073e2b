/* family.h - what comes in kinds: tasks, models, positional encodings, update rules, scratchpads.
 *
 * Each kind is described by a constant in its own file in lib; here the families of kinds look
 * alike, so that parser, completion, help and manual need not know any of them by name.
 */
#pragma once

#include "command.h"

/* One kind; views of constants. */
typedef struct {
    const char *name, *summary;
    const char *detail, *source, *example; /* may be NULL */
    const ThOptionSpec *options;           /* may be NULL */
    const ThOptionSpec *outer;             /* options of the kind that takes this one, or NULL */
    ShArg takes;                           /* the operand right behind the kind, or A_NONE */
    int context;                           /* tokens of a row by default; 0: has none */
    ShArg args[8];                         /* the operands that follow it, up to A_NONE */
} ShKindRow;

typedef struct {
    const char *word;      /* what it is a kind of: "task" */
    const char *topic;     /* the topic of help that lists the kinds */
    const char *before;    /* what stands in front of a kind where it is typed: "task NAME = " */
    size_t (*count)(void); /* of those that are listed */
    size_t (*former)(
        void); /* of names of before behind them, which are read; NULL: there are none */
    ShKindRow (*row)(size_t i); /* in manual order */
    ShArgKind arg;              /* the operand that names a kind; A_NONE: an option does */
    /* The kinds are second words of a command, with operands of their own, and are listed as
     * commands are. */
    bool second_word;
} ShFamily;

const ShFamily *sh_families(size_t *n);

/* The family of kinds that an operand names; view, or NULL. */
const ShFamily *sh_family_of(ShArgKind arg);

/* The family whose kinds are the second words of a command; view, or NULL. */
const ShFamily *sh_family_of_command(const ShCommand *c);

/* Errors of what follows a family's word: it needs one of the kinds; a word names none.  Return
 * false, always. */
bool sh_family_not_followed(const ShFamily *f, ThError *err);
bool sh_family_unknown(const ShFamily *f, const char *word, ThError *err);

/* Sets *row to the kind of that name; false if there is none. */
bool sh_family_find(const ShFamily *f, const char *name, ShKindRow *row);

/* The tables of options that a call takes, in the order in which they are shown: i = 0, 1, … until
 * it returns NULL.  Those of the kind (NULL: none is chosen), the command's, and its further ones.
 */
const ThOptionSpec *sh_command_options(const ShCommand *c, const ShKindRow *kind, size_t i);
