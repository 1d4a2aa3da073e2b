/* text.h - strings that grow, UTF-8 stepping, and the nearest of several names.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include <stdarg.h>

#include "base/memory.h"

/* A string that grows.  Zero-initialised it is empty; data is NULL or ends with a zero byte.
 * Appending never fails at once: memory running out sets `failed`, and th_text_take reports it. */
typedef struct {
    char *data;
    size_t size, cap;
    bool failed;
} ThText;

void th_text_add(ThText *t, const char *text);
void th_text_add_bytes(ThText *t, const char *bytes, size_t n);
void th_text_printf(ThText *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void th_text_vprintf(ThText *t, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Appends a number as results print it: "%.6g" in the C locale. */
void th_text_number(ThText *t, double x);

/* Appends text in double quotes, with escapes; a $ that a reader would insert a variable for, too.
 */
void th_text_quoted(ThText *t, const char *text);

/* Reads an escape of a string, \n \t \\ \" \$ or \u{…}, just behind its backslash, and appends
 * what it stands for (to: NULL for nothing).  Returns its bytes; 0: it is none. */
size_t th_escape_read(const char *s, const char *end, ThText *to);

/* Appends the inside of a string with its escapes read; what is none stays as it is. */
void th_text_unescape(ThText *to, const char *s, size_t n);

/* Appends n bytes of text for people to look at: what a terminal or a page would obey instead of
 * showing it (control characters but newline and tab, marks that turn the direction of writing)
 * becomes \u{…}, and bytes that are no UTF-8 become ?. */
void th_text_shown(ThText *t, const char *text, size_t n);

/* Appends text as the language writes it: bare where it is a word, else in double quotes with
 * escapes. */
void th_text_symbol(ThText *t, const char *symbol);

/* Appends a number with as many digits, from six on, as it takes to be read back as the same. */
void th_text_real(ThText *t, double x);

/* Appends a statement of a block: its word and names, each written by `write`. */
void th_text_statement(ThText *t, const char *word, char *const *name, int n,
                       void (*write)(ThText *t, const char *name));

/* Returns a view of the string so far, "" where there is none. */
static inline const char *th_text_string(const ThText *t)
{
    return t->data ? t->data : "";
}

/* Returns new: the finished string, never NULL unless memory ran out (NULL and TH_ENOMEM); t is
 * empty again. */
char *th_text_take(ThText *t, ThError *err);

/* Returns new: what printf writes; NULL and TH_ENOMEM. */
char *th_printed(ThError *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
void th_text_free(ThText *t);
TH_RELEASES_VALUE(th_text_free, ThText)

/* Bytes of the UTF-8 character at `s` (at most n bytes long), or 0 if the bytes are not valid
 * UTF-8 or n is 0.  *point gets the code point where point is not NULL. */
size_t th_utf8_next(const char *s, size_t n, int32_t *point);

/* True if all n bytes are valid UTF-8. */
bool th_utf8_valid(const char *s, size_t n);

/* True if a text has these last bytes. */
bool th_ends_with(const char *text, const char *end);

/* Characters in a valid UTF-8 string, and the columns that it takes on a terminal. */
size_t th_utf8_length(const char *s);
int th_utf8_width(const char *s);

/* True if the whole text is one word of the language: letters, digits, _ and other characters that
 * have no meaning of their own. */
bool th_is_word(const char *text);

/* True of ε and λ, which books write for the empty word: the language asks which is meant. */
bool th_is_empty_word_sign(const char *text);

/* For qsort: the order of strings by their bytes, of which it gets the addresses. */
int th_compare_names(const void *a, const void *b);

/* Returns a view: the entry of names (n of them) nearest to `name`, or NULL if none is near (edit
 * distance with transpositions at most a third of the length, rounded up).  Where none is, the only
 * one that begins with `name`, of three characters at least. */
const char *th_nearest(const char *name, const char *const *names, size_t n);
