/* language_text.h - what the blocks of languages have in common: terminals and the alphabet.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_LANGUAGE_LANGUAGE_TEXT_H
#define TH_LANGUAGE_LANGUAGE_TEXT_H

#include "base/scan.h"
#include "language/language_kind.h"

/* A block that is being read. */
typedef struct {
    ThTokens tokens;
    ThLanguage *l;
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

/* The statement `alphabet A B …`. */
bool th_language_read_alphabet(ThLanguageText *p, ThStatement s);

/* Can words be written over the symbols?  TH_EPARSE. */
bool th_language_check_symbols(ThLanguageText *p);

/* Append a symbol as it is read back, and the statement of the alphabet. */
void th_language_write_symbol(ThText *t, const char *name);
void th_language_write_alphabet(ThText *t, const ThLanguage *l);

/* Calls read(context, statement) for every statement, until it returns false. */
bool th_language_each_statement(const ThLanguageText *p, bool (*read)(void *context, ThStatement s),
                                void *context);

#endif
