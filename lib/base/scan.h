/* scan.h - the tokens of definition blocks and expressions, with their positions. */
#ifndef TH_SCAN_H
#define TH_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Punctuation is its own kind: ',', '/', '(', '&', … and so is the end of a line, '\n'. */
enum { TH_TOKEN_END = 0, TH_TOKEN_WORD = 'w', TH_TOKEN_STRING = 's', TH_TOKEN_ARROW = 'a' };

typedef struct {
    char kind;
    int line, col; /* from 1, col in characters */
    size_t text;   /* of words and strings: offset into ThTokens.text */
} ThToken;

/* Zero-initialised it is empty. */
typedef struct {
    ThToken *token; /* the last one is TH_TOKEN_END */
    size_t n, cap;
    char *text; /* texts of words and strings (escapes resolved), each with its end */
    size_t text_size, text_cap;
} ThTokens;

/* A string behind the word regex keeps its escapes, for the parser of patterns.
 * Errors: TH_EPARSE with a position, for bytes that are no UTF-8, control characters, bad escapes
 * and strings without an end. */
bool th_tokens_read(ThTokens *t, const char *text, ThError *err);
void th_tokens_free(ThTokens *t);

/* View of the text of a word or string; "" for other tokens. */
const char *th_token_text(const ThTokens *t, const ThToken *token);

/* A token as an error message shows it: one line, cut where it is long. */
enum { TH_TOKEN_SHOWN = 64 };
const char *th_token_show(const ThTokens *t, const ThToken *token, char buffer[TH_TOKEN_SHOWN]);

/* Says in an error that `token` is not what had to follow: "expected WANTED before 'x'".  Returns
 * false, always. */
bool th_token_unexpected(const ThTokens *t, const ThToken *token, const char *wanted, ThError *err);

#endif
