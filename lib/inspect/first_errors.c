#include "inspect/first_errors.h"

/* The true text, of which the prompt is the beginning. */
typedef struct {
    const ThLabTrial *trial;
    int n, separator;
} Text;

static Text text_of(const ThTask *t, const ThLabTrial *y)
{
    return (Text){y, y->prompt.n + y->truth.n, th_task_separator(t)};
}

static int symbol_at(const Text *x, int i)
{
    int n = x->trial->prompt.n;
    return i < n ? x->trial->prompt.token[i] : x->trial->truth.token[i - n];
}

static int line_begin(const Text *x, int at)
{
    while (at > 0 && symbol_at(x, at - 1) != x->separator)
        at--;
    return at;
}

static int line_end(const Text *x, int at)
{
    while (at < x->n && symbol_at(x, at) != x->separator)
        at++;
    return at;
}

/* The most symbols before a place, within its line, that stand before another place of it too; no
 * more than `most` are looked for. */
static int repeated_before(const Text *x, int at, int most)
{
    int begin = line_begin(x, at), end = line_end(x, at), best = 0;
    for (int other = begin + 1; other <= end && best < most; other++) {
        int n = 0, nearest = other < at ? other : at;
        while (other != at && n < most && n < nearest - begin &&
               symbol_at(x, other - 1 - n) == symbol_at(x, at - 1 - n))
            n++;
        best = n > best ? n : best;
    }
    return best;
}

/* What the task calls a slip, but for ends and separators, of which every task has the same. */
static const char *kind_of(const Text *x, const ThInspectSlip *s, const char *kind)
{
    int end = x->trial->truth.token[x->trial->truth.n - 1];
    if (s->found == end && s->expected != end)
        return "early end";
    if (s->expected == end && s->found >= 0)
        return "late end";
    return (s->found == x->separator) != (s->expected == x->separator) ? "separator" : kind;
}

ThInspectSlip th_inspect_slip(const ThTask *t, int length, const ThLabTrial *y)
{
    Text x = text_of(t, y);
    ThInspectSlip s = {.length = length,
                       .kind = "right",
                       .at = y->truth.n,
                       .places = y->truth.n,
                       .expected = -1,
                       .found = -1};
    if (y->verdict.right)
        return s;
    s.at = y->verdict.at < y->truth.n ? y->verdict.at : y->truth.n - 1;
    int at = y->prompt.n + s.at;
    s.expected = y->truth.token[s.at];
    s.found = y->verdict.at < y->said.n ? y->said.token[y->verdict.at] : -1;
    s.kind = kind_of(&x, &s, y->verdict.kind);
    s.line = 1;
    for (int i = 0; i < at; i++)
        s.line += symbol_at(&x, i) == x.separator;
    s.column = at - line_begin(&x, at) + 1;
    s.repeated = repeated_before(&x, at, x.n);
    return s;
}

int th_inspect_repeats(const ThTask *t, const ThLabTrial *y, int n)
{
    Text x = text_of(t, y);
    int repeats = 0;
    for (int i = 0; i < y->truth.n; i++)
        repeats += repeated_before(&x, y->prompt.n + i, n) >= n;
    return repeats;
}
