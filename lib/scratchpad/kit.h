/* kit.h - what several kinds of scratchpad are written with. */
#ifndef TH_SCRATCHPAD_KIT_H
#define TH_SCRATCHPAD_KIT_H

#include <string.h>

#include "scratchpad/scratchpad.h"

#define KIND(name) extern const ThScratchpadKind th_scratchpad_##name;
#include "scratchpad/kinds.def"
#undef KIND

/* Adds each word of a list (separated by blanks) to the vocabulary. */
bool th_scratchpad_add_tokens(ThScratchpad *p, const char *list, ThError *err);
bool th_scratchpad_add_token(ThScratchpad *p, const char *token, ThError *err);

/* Empties e and makes room for `size` bytes and an end.  Returns where to write, or NULL: TH_ELIMIT
 * for more than 2^30 bytes (or SIZE_MAX), TH_ENOMEM. */
char *th_example_begin(ThExample *e, size_t size, ThError *err);

/* Sets what was written up to `end`. */
void th_example_end(ThExample *e, const char *end, size_t question, size_t answer);

/* TH_ENOMEM if something that was appended to e->text is lost, TH_ELIMIT if it is too long. */
bool th_example_good(const ThExample *e, ThError *err);

/* A number of the range, uniformly. */
long long th_draw_from(ThRange range, ThRng *r);

/* An operand of decimal digits.  False, TH_EVALUE and the column if it is not. */
bool th_digits_ok(const char *text, ThError *err);
void th_draw_digits(char *to, size_t n, ThRng *r);

/* The letter that stands for a digit under the head: a for 0 … j for 9. */
static inline char th_letter_of(char digit)
{
    return (char)(digit - '0' + 'a');
}

static inline char *th_put(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

/* An operand with the head on its last digit: the digits before it as they are, the last as a
 * letter; ^ where it has none. */
static inline char *th_put_operand(char *to, const char *digits, size_t n)
{
    if (n == 0) {
        *to++ = '^';
        return to;
    }
    to = th_put(to, digits, n - 1);
    *to++ = th_letter_of(digits[n - 1]);
    return to;
}

/* Writes into e the verbose layout (Hou et al., Figures 2 and 4) of a compact scratchpad. */
bool th_verbose(ThExample *e, const char *compact, size_t size, bool comments, ThError *err);

/* Writes into e operands and result without steps (Hou et al., Appendix B).  style: "plain",
 * "reversed", "blanks", "hints" or "reversed-hints"; blanks are drawn from r with the given rate.
 */
typedef struct {
    const char *x, *y, *z; /* digits */
    size_t nx, ny, nz;
    char sign;
} ThSum;
bool th_sum_write(ThExample *e, const ThSum *s, const char *style, double rate, ThRng *r,
                  ThError *err);

/* Appends the hint of place k: a … z, aa …. */
void th_hint_letters(ThText *t, size_t k);

#endif
