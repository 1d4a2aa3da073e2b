/* check_copy.c - copied strings, and what follows a part of one. */

#include "scratchpad/checker.h"

typedef struct {
    const char *s;
    size_t n;
} Part;

/* Where a part first stands in a string of letters, or SIZE_MAX; it may hold any bytes. */
static bool find(Part in, Part part, size_t *at, ThError *err)
{
    char *string TH_OWNED(free) = th_strndup(in.s, in.n, err),
                 *text TH_OWNED(free) = th_strndup(part.s, part.n, err);
    bool ok = string && text, letters = ok && part.n > 0 && strlen(text) == part.n;
    const char *found = letters ? strstr(string, text) : NULL;
    *at = found ? (size_t)(found - string) : SIZE_MAX;
    return ok;
}

/* Letters up to a mark.  False where another character comes first. */
static bool letters(const ThPadChecking *k, size_t *at, const char *marks, Part *part,
                    ThPadChecked *c)
{
    *part = (Part){k->text + *at, 0};
    while (*at + part->n < k->end && part->s[part->n] >= 'a' && part->s[part->n] <= 'z')
        part->n++;
    *at += part->n;
    bool end = *at >= k->end;
    if (!end && k->text[*at] && strchr(marks, k->text[*at]))
        return true;
    return !th_pad_slip_wanted(c, end ? TH_PAD_SLIP_EARLY_END : TH_PAD_SLIP_FORMAT, *at, marks,
                               k->text + *at, end ? 0 : 1);
}

/* The answer at `at` must be `wanted`, and a full stop. */
static void compare(const ThPadChecking *k, size_t at, Part wanted, ThPadChecked *c)
{
    size_t i = 0, left = k->end - at;
    while (i < wanted.n && i < left && k->text[at + i] == wanted.s[i])
        i++;
    bool stop = i == wanted.n && i < left && k->text[at + i] == '.';
    if (stop && i + 1 == left)
        return;
    i += stop;
    const char *expected = stop ? "" : i < wanted.n ? wanted.s + i : ".";
    size_t n = stop ? 0 : 1;
    bool end = i >= left;
    char found = '\0';
    if (!end)
        found = k->text[at + i];
    bool letter = found >= 'a' && found <= 'z';
    ThPadSlip slip = end            ? TH_PAD_SLIP_EARLY_END
                     : stop         ? TH_PAD_SLIP_FORMAT
                     : letter       ? TH_PAD_SLIP_COPY
                     : found == '.' ? TH_PAD_SLIP_EARLY_END
                                    : TH_PAD_SLIP_FORMAT;
    th_pad_slip_at(c, slip, at + i, expected, n, &found, !end);
}

/* What follows the part in the string: all, or as many letters as are asked for. */
static bool follow(const ThPadChecking *k, Part in, Part part, size_t at, size_t answer,
                   ThPadChecked *c, ThError *err)
{
    size_t found, asked = (size_t)th_option_int(k->options, "answer");
    if (!find(in, part, &found, err))
        return false;
    if (found == SIZE_MAX) {
        th_pad_slip_wanted(c, TH_PAD_SLIP_FORMAT, at, "a part of the string", part.s, part.n);
        return true;
    }
    Part wanted = {in.s + found + part.n, in.n - found - part.n};
    if (asked > 0 && asked < wanted.n)
        wanted.n = asked;
    compare(k, answer, wanted, c);
    return true;
}

static bool check_suffix(const ThPadChecking *k, Part in, size_t at, ThPadChecked *c, ThError *err)
{
    size_t n = (size_t)th_option_int(k->options, "ngram"), left = k->end - at;
    c->style = "suffix";
    c->slip = TH_PAD_SLIP_NONE;
    if (left < n) {
        th_pad_slip_wanted(c, TH_PAD_SLIP_EARLY_END, k->end, "the part asked for", "", 0);
        return true;
    }
    return follow(k, in, (Part){k->text + at, n}, at, at + n, c, err);
}

bool th_pad_check_copy(const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    Part first, second;
    size_t at = k->begin;
    c->style = "copy";
    if (k->text[at] != '$')
        return th_pad_slip_wanted(c, TH_PAD_SLIP_FORMAT, at, "$", k->text + at, 1);
    at++;
    size_t begin = at;
    if (!letters(k, &at, "|", &first, c))
        return true;
    size_t middle = ++at;
    bool two = letters(k, &at, "|", &second, &(ThPadChecked){.style = ""});
    if (two || k->layout == TH_PAD_PREFIX) {
        c->style = "prefix";
        return !two ? letters(k, &middle, "|", &second, c) || true
                    : follow(k, second, first, begin, at + 1, c, err);
    }
    if (k->layout == TH_PAD_SUFFIX)
        return check_suffix(k, first, middle, c, err);
    compare(k, middle, first, c);
    if (c->slip == TH_PAD_SLIP_NONE || k->layout >= 0)
        return true;
    ThPadChecked suffix = *c;
    if (!check_suffix(k, first, middle, &suffix, err))
        return false;
    if (suffix.slip == TH_PAD_SLIP_NONE)
        *c = suffix;
    return true;
}
