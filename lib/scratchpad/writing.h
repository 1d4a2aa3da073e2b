/* writing.h - what several kinds of scratchpad are written with.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "scratchpad/scratchpad.h"

#define KIND(name) extern const ThPadKind th_pad_##name;
#include "scratchpad/kinds.def"
#undef KIND

/* Adds each word of a list (separated by blanks) to the vocabulary. */
bool th_pad_add_tokens(ThPad *p, const char *list, ThError *err);
bool th_pad_add_token(ThPad *p, const char *token, ThError *err);

/* Empties e and makes room for `size` bytes and an end.  Returns where to write, or NULL: TH_ELIMIT
 * for more than 2^30 bytes (or SIZE_MAX), TH_ENOMEM. */
char *th_pad_example_begin(ThPadExample *e, size_t size, ThError *err);

/* Sets what was written up to `end`. */
void th_pad_example_end(ThPadExample *e, const char *end, size_t question, size_t answer);

/* TH_ENOMEM if something that was appended to e->text is lost, TH_ELIMIT if it is too long. */
bool th_pad_example_good(const ThPadExample *e, ThError *err);

/* A number of the range, uniformly. */
long long th_pad_draw_from(ThRange range, ThRng *r);

/* An operand of decimal digits.  False, TH_EVALUE and the column if it is not. */
bool th_pad_digits_ok(const char *text, ThError *err);
void th_pad_draw_digits(char *to, size_t n, ThRng *r);

/* The letter that stands for a digit under the head: a for 0 … j for 9. */
static inline char th_pad_letter_of(char digit)
{
    return (char)(digit - '0' + 'a');
}

static inline char *th_pad_put(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to + n;
}

/* An operand with the head on its last digit: the digits before it as they are, the last as a
 * letter; ^ where it has none. */
static inline char *th_pad_put_operand(char *to, const char *digits, size_t n)
{
    if (n == 0) {
        *to++ = '^';
        return to;
    }
    to = th_pad_put(to, digits, n - 1);
    *to++ = th_pad_letter_of(digits[n - 1]);
    return to;
}

/* Writes into e the verbose layout (Hou et al., Figures 2 and 4) of a compact scratchpad. */
bool th_pad_verbose(ThPadExample *e, const char *compact, size_t size, bool comments, ThError *err);

/* The layouts of sums and products, in the order in which their style= lists them. */
#define TH_PAD_STYLES_SUM "compact|verbose|plain|reversed"
typedef enum {
    TH_PAD_COMPACT,
    TH_PAD_VERBOSE,
    TH_PAD_PLAIN,
    TH_PAD_REVERSED,
    TH_PAD_STYLES_SUM_COUNT,
    TH_PAD_BLANKS = TH_PAD_STYLES_SUM_COUNT, /* these of sums only */
    TH_PAD_HINTS,
    TH_PAD_REVERSED_HINTS
} ThPadSumStyle;

/* Where the sources contradict each other, a check takes either way, or one of them: in the order
 * of its options final-carry= and flush=. */
typedef enum { TH_PAD_CARRY_EITHER, TH_PAD_CARRY_LINE, TH_PAD_CARRY_FOLD } ThPadFinalCarry;
typedef enum { TH_PAD_FLUSH_EITHER, TH_PAD_FLUSH_DIGIT, TH_PAD_FLUSH_ONCE } ThPadFlush;

typedef struct {
    const char *x, *y, *z; /* digits */
    size_t nx, ny, nz;
    char sign;
} ThPadSum;

/* Views of two operands that `what` is asked for; TH_EUSAGE, TH_EVALUE: they are not. */
bool th_pad_sum_operands(ThPadSum *s, ThPadOperands *o, const char *what, ThError *err);

/* Writes into e operands and result in a layout without steps (Hou et al., Appendix B); blanks are
 * drawn from r with the given rate. */
bool th_pad_sum_write(ThPadExample *e, const ThPadSum *s, ThPadSumStyle style, double rate,
                      ThRng *r, ThError *err);

/* Copies the operands into *room (new) and lets *s point there: x filled up with zeros to nx
 * digits, y to ny. */
bool th_pad_sum_fill(ThPadSum *s, size_t nx, size_t ny, char **room, ThError *err);

/* Whether they are to be filled up, as the options say. */
bool th_pad_sum_filled(const ThPad *p);

/* False, TH_EUSAGE, where hints= does not go with the layout or with fill=no. */
bool th_pad_sum_places_fit(const ThPad *p, ThError *err);

/* As ThPadKind's places, counted from the left; the carry of a line has that of the next digit. */
void th_pad_sum_places(int layout, const ThPadPiece *token, size_t n, int *place);

/* One digit d of the first operand of a product: product (k + 1) becomes d·m, with m of k digits,
 * and carry (k + 1, the first of which is 0) the digits of product + carry before its last, which
 * is returned. */
char th_pad_product_step(int d, const char *m, size_t k, char *product, char *carry);

/* The most tokens: of an operand of n digits in line k behind the question, of such a layout with
 * operands and result of up to n+1 digits; and those that the verbose layout has besides. */
static inline size_t th_pad_operand_most(size_t n, size_t k)
{
    return n >= k ? n + 1 - k : 1;
}
size_t th_pad_sum_most(size_t n);
enum { TH_PAD_VERBOSE_MARKS = 16 };

/* Appends the hint of place k: a … z, aa …. */
void th_pad_hint_letters(ThText *t, size_t k);
