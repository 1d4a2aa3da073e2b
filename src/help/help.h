/* help.h - what help prints; the manual is made from the same parts. */
#pragma once

#include "family.h"
#include "help/document.h"

/* Prints a topic, or the first screen for "".  TH_EUSAGE for an unknown topic, with the nearest. */
bool sh_help(const ShSheet *to, const char *topic, ThError *err);

/* What help says of a command; of a kind, where c is the command whose second word it is, or NULL;
 * of an automaton that is built in; on one of sh_help_topics. */
void sh_help_command(ShDocument *d, const ShCommand *c);
void sh_help_kind(ShDocument *d, const ShFamily *f, const ShKindRow *k, const ShCommand *c);
void sh_help_topic(ShDocument *d, const char *topic);

/* What help of a session is written on: its listing, as wide as the terminal that it goes to. */
ShSheet sh_session_sheet(ShSession *s); /* commands/general.c */

/* Prints what mentions the text, one line each; false if nothing does. */
bool sh_apropos(const ShSheet *to, const char *text);

/* Topics that are no commands, ending with NULL. */
extern const char *const sh_help_topics[];

/* Hands over the names of all that there is help on, as they are typed, some more than once. */
typedef void ShHelpName(void *context, const char *name);
void sh_help_names(ShHelpName *with, void *context);

/* Is there help on a topic?  Also on words of other programs. */
bool sh_help_knows(const char *topic);

/* Says so where there is none, with the nearest name; returns false. */
bool sh_help_unknown(const char *topic, ThError *err);

/* Appends a form's operands as the synopsis shows them; form is 1 or 2. */
void sh_synopsis(ThText *t, const ShCommand *c, int form);

/* The same of a kind, as it is typed. */
void sh_kind_synopsis(ThText *t, const ShFamily *f, const ShKindRow *k);

/* "integer from 1 to 8", "one of a|b", …: what an option takes. */
void sh_option_values(ThText *t, const ThOptionSpec *spec);

/* The names and shapes of the weights of other programs. */
void sh_help_exchange(ShDocument *d);

/* Prints a section of guides.txt; false: there is none of that name. */
bool sh_put_guide(ShDocument *d, const char *name);

/* Prints what an option takes, and where: of "lr", or of "train_lr" that of one command or kind; a
 * name of before is that of now.  to may be NULL: nothing is printed.  False where there is none.
 */
bool sh_help_option(const ShSheet *to, const char *topic);

/* A function or an s-op of RASP that is always there: its name, how it is written, what it is. */
typedef struct {
    char name[32], call[96], summary[96];
} ShRaspTopic;

/* The next one; *at is NULL before the first.  False: there is no other. */
bool sh_rasp_topic_next(const char **at, ShRaspTopic *t);
