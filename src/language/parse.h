/* parse.h - a statement's tokens to the call of a command. */
#pragma once

#include "session_impl.h"

typedef struct {
    ShCall call;
    size_t cap;
    ShOperand *operand; /* call.operand, owned with its texts */
    char *redirect;
} ShParsed;

/* The command that a statement's first words name, *words of them; NULL and TH_EUSAGE, with the
 * nearest name. */
const ShCommand *sh_parse_command(const ShStatement *st, size_t *words, ThError *err);

/* Says that a command's first word is followed by none of its second words, if it has any.  Returns
 * false, always. */
bool sh_fail_second_word(const char *word, const ShStatement *st, ThError *err);

/* What is said with a second word, as compare models, needs none where the first operand behind so
 * many words names an object of its kind: then the command with it, else c. */
const ShCommand *sh_command_by_kind(ShSession *s, const ShStatement *st, const ShCommand *c,
                                    size_t words);

/* Reads operands, options and redirection.  p is zeroed by the caller and freed by it in any case.
 */
bool sh_parse_call(ShSession *s, const ShStatement *st, const ShCommand *c, size_t words,
                   ShParsed *p, ThError *err);

/* Reads options and redirection that stand in a part of a statement, for a call that has its
 * command, and perhaps options, already. */
bool sh_parse_rest(ShSession *s, const ShStatement *part, ShParsed *p, ThError *err);
void sh_parsed_free(ShParsed *p);
TH_RELEASES_VALUE(sh_parsed_free, ShParsed)
