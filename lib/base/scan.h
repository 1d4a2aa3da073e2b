/* scan.h - the tokens of definition blocks and expressions, with their positions.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/memory.h"

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
TH_RELEASES_VALUE(th_tokens_free, ThTokens)

/* View of the text of a word or string; "" for other tokens. */
const char *th_token_text(const ThTokens *t, const ThToken *token);

/* A token as an error message shows it: one line, cut where it is long. */
enum { TH_TOKEN_SHOWN = 64 };
const char *th_token_show(const ThTokens *t, const ThToken *token, char buffer[TH_TOKEN_SHOWN]);

/* Is it a word or a string? */
bool th_token_is_name(const ThToken *token);

/* Says in an error that `token` is not what had to follow: "expected WANTED before 'x'".  Returns
 * false, always. */
bool th_token_unexpected(const ThTokens *t, const ThToken *token, const char *wanted, ThError *err);

/* An error at `token`: what stands before it, the token as th_token_show shows it, what stands
 * after it.  Returns false, always. */
bool th_token_fail(const ThTokens *t, const ThToken *token, const char *before, const char *after,
                   ThError *err);

/* Checks that words can be written with a symbol that is named so: whole characters, or words
 * between blanks.  Notes in *blank and *wide the first symbol that is a blank character and the
 * first one of several characters (NULL before): they exclude each other, wherever they stand. */
bool th_token_symbol(const ThTokens *t, const ThToken *token, const ThToken **blank,
                     const ThToken **wide, ThError *err);

/* A statement of a block: the tokens first … end - 1, one at least and none of them a separator
 * (the end of a line or a semicolon).  *end is a token too. */
typedef struct {
    const ThToken *first, *end;
} ThStatement;

/* Moves *s to the next statement, from zero to the first one; false where there is none left. */
bool th_statement_next(const ThTokens *t, ThStatement *s);

/* Does an arrow stand anywhere in it? */
bool th_statement_has_arrow(ThStatement s);

/* Which of n keywords it begins with; n where it begins with none or has an arrow: a transition
 * or a rule may begin with any name. */
int th_statement_keyword(const ThTokens *t, ThStatement s, const char *const *keyword, int n);
