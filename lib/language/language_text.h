/* language_text.h - what the blocks of languages have in common: terminals and the alphabet.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/intern.h"
#include "base/scan.h"
#include "language/language_kind.h"

/* A block that is being read. */
typedef struct {
    ThTokens tokens;
    ThLanguage *l;
    const char *const *keyword; /* (n_keywords): the words that statements may begin with */
    int n_keywords;
    bool declared;               /* an alphabet has been given */
    const ThToken *blank, *wide; /* see th_token_symbol */
    ThError *err;
} ThLanguageText;

const char *th_language_token_text(const ThLanguageText *p, const ThToken *t);

/* An error at a token, see th_token_fail.  Returns false, always. */
bool th_language_token_fail(ThLanguageText *p, const ThToken *t, const char *before,
                            const char *after);

/* Is it one of the signs of the empty word: eps, epsilon, ε, λ? */
bool th_language_is_empty_sign(const ThLanguageText *p, const ThToken *t);

/* The symbol that a token is, a name or a mark such as a bracket, which is added if there is no
 * alphabet; -1 and an error. */
int th_language_token_symbol(ThLanguageText *p, const ThToken *t);

/* Errors: what is `wanted` did not come; the statement goes on at t, or has been given before. */
bool th_language_unexpected(ThLanguageText *p, const ThToken *t, const char *wanted);
bool th_language_end(ThLanguageText *p, ThStatement s, const ThToken *t);
bool th_language_once(ThLanguageText *p, ThStatement s, bool *given);

/* The number of a state's name, which is added with its end if it is new. */
bool th_language_read_state(ThLanguageText *p, ThIntern *states, const ThToken *t, int *q);

/* The inside of a block: every statement goes through all passes, with the number of its keyword,
 * or n_keywords.  Alphabets have been read before. */
typedef bool ThLanguagePass(void *context, int keyword, ThStatement s);
bool th_language_read_block(ThLanguageText *p, const char *text, ThLanguagePass *const *pass,
                            int passes, void *context);

/* An error where the block ends.  Returns false, always. */
bool th_language_fail_at_end(ThLanguageText *p, const char *what);

/* Append a symbol as it is read back, and the statement of the alphabet. */
void th_language_write_symbol(ThText *t, const char *name);
void th_language_write_alphabet(ThText *t, const ThLanguage *l);
