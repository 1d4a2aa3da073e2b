/* parse.h - a statement's tokens to the call of a command. */
#ifndef TH_PARSE_H
#define TH_PARSE_H

#include "session_impl.h"

typedef struct {
    ThCall call;
    size_t cap;
    ThOperand *operand; /* call.operand, owned with its texts */
    char *redirect;
} ThParsed;

/* The command that a statement's first words name, *words of them; NULL and TH_EUSAGE, with the
 * nearest name. */
const ThCommand *th_parse_command(const ThStatement *st, size_t *words, ThError *err);

/* Reads operands, options and redirection.  p is zeroed by the caller and freed by it in any case.
 */
bool th_parse_call(ThSession *s, const ThStatement *st, const ThCommand *c, size_t words,
                   ThParsed *p, ThError *err);
void th_parsed_free(ThParsed *p);

#endif
