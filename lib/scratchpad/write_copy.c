/* write_copy.c - strings to be copied, in whole or from a part that is named (the tasks that
 * Hard-ALiBi was tested on: Jelassi et al. 2024, "Repeat After Me"). */

#include "scratchpad/hints.h"
#include "scratchpad/writing.h"

static const ThOptionSpec options[] = {
    {"length", TH_RANGE, "2..50", 1, 100000, NULL, "letters of strings that are drawn"},
    {"variant", TH_CHOICE, "copy", 0, 0, "copy|prefix|suffix|duplicate",
     "copy the string; or what follows a part of it that is named before or after it; or copy a "
     "string in which a part occurs twice"},
    {"ngram", TH_INT, "3", 1, 1000, NULL, "letters of that part"},
    {"answer", TH_INT, "0", 0, 100000, NULL,
     "letters asked for behind the part; 0: all up to the end of the string"},
    {"letters", TH_INT, "26", 1, 26, NULL, "size of the alphabet"},
    TH_PAD_HINTS_OPTIONS,
    {0}};

static const ThOptionSpec check_options[] = {
    {"ngram", TH_INT, "3", 1, 1000, NULL, "of copies with variant=suffix"},
    {"answer", TH_INT, "0", 0, 100000, NULL, "of copies: letters asked for; 0: all"},
    {0}};

enum { TRIES = 1000 };

static bool asks_for_part(ThPadCopy variant)
{
    return variant == TH_PAD_PREFIX || variant == TH_PAD_SUFFIX;
}

static bool init(ThPad *p, ThError *err)
{
    int letters = (int)th_option_int(&p->options, "letters");
    bool ok = true;
    for (int i = 0; ok && i < letters; i++)
        ok = th_pad_add_token(p, (const char[]){(char)('a' + i), '\0'}, err);
    p->separator = "|";
    /* These are its marks of beginning and end: $ is no other token than <|BOS|>. */
    return ok && th_pad_add_tokens(p, "$ | . *", err);
}

/* True if the n letters at `at` stand nowhere else in the string.  Linear for short parts. */
static bool unique(const char *text, size_t size, size_t at, size_t n)
{
    for (size_t i = 0; i + n <= size; i++)
        if (i != at && memcmp(text + i, text + at, n) == 0)
            return false;
    return true;
}

/* Where a part that stands in the string once, with letters behind it to ask for, begins: drawn, or
 * SIZE_MAX where none was found. */
static size_t choose_part(const char *text, size_t size, size_t n, size_t answer, ThRng *r)
{
    size_t behind = answer > 0 ? answer : 1;
    if (size < n + behind)
        return SIZE_MAX;
    for (int i = 0; i < TRIES; i++) {
        size_t at = th_rng_below(r, size - n - behind + 1);
        if (unique(text, size, at, n))
            return at;
        if (th_rng_rejects(r))
            break;
    }
    return SIZE_MAX;
}

static bool no_part(size_t n, size_t size, ThError *err)
{
    return th_fail(err, TH_EVALUE,
                   "no part of %zu letters that occurs once was found in one of %zu", n, size) ||
           th_hint(err, "longer parts (ngram=), shorter answers (answer=) or more letters help");
}

/* $STR|STR. or, of a part, $PART|STR|REST. and $STR|PARTREST. */
static bool put(const ThPad *p, const char *text, size_t size, ThRng *r, ThPadExample *e,
                ThError *err)
{
    ThPadCopy variant = (ThPadCopy)th_option_choice(&p->options, "variant");
    size_t n = (size_t)th_option_int(&p->options, "ngram");
    size_t wanted = (size_t)th_option_int(&p->options, "answer"), at = 0;
    bool part = asks_for_part(variant);
    if (part && (at = choose_part(text, size, n, wanted, r)) == SIZE_MAX)
        return no_part(n, size, err);
    size_t rest = part ? at + n : 0, asked = part && wanted > 0 ? wanted : size - rest;
    char *to = th_pad_example_begin(e, 2 * size + n + 8, err);
    if (!to)
        return false;
    char *begin = to;
    *to++ = '$';
    if (variant == TH_PAD_PREFIX) {
        to = th_pad_put(to, text + at, n);
        *to++ = '|';
    }
    to = th_pad_put(to, text, size);
    *to++ = '|';
    if (variant == TH_PAD_SUFFIX)
        to = th_pad_put(to, text + at, n);
    size_t answer = (size_t)(to - begin);
    to = th_pad_put(to, text + rest, asked);
    *to++ = '.';
    th_pad_example_end(e, to, answer, answer);
    return true;
}

static bool write(const ThPad *p, ThPadOperands *o, ThRng *r, ThPadExample *e, ThError *err)
{
    int letters = (int)th_option_int(&p->options, "letters");
    if (o->n != 1)
        return th_fail(err, TH_EUSAGE, "one string is copied");
    size_t size = strlen(o->text[0]);
    for (size_t i = 0; i < size; i++)
        if (o->text[0][i] < 'a' || o->text[0][i] >= 'a' + letters)
            return th_fail_at(err, TH_EVALUE, 1, (int)i + 1,
                              "a string to be copied is made of the letters a to %c",
                              'a' + letters - 1);
    if (size == 0)
        return th_fail(err, TH_EVALUE, "a string to be copied has letters");
    return put(p, o->text[0], size, r, e, err);
}

/* Writes one part of the string over another, so that a part occurs twice. */
static bool duplicate(char *text, size_t size, size_t n, ThRng *r, ThError *err)
{
    if (size < 2 * n)
        return th_fail(err, TH_EVALUE, "a string of %zu letters has no two parts of %zu", size, n);
    size_t from = th_rng_below(r, size - 2 * n + 1);
    size_t to = from + n + th_rng_below(r, size - from - 2 * n + 1);
    memcpy(text + to, text + from, n);
    return true;
}

static bool draw(const ThPad *p, const ThRange *sizes, ThRng *r, ThPadExample *e, ThError *err)
{
    const ThOptions *o = &p->options;
    uint64_t letters = (uint64_t)th_option_int(o, "letters");
    size_t ngram = (size_t)th_option_int(o, "ngram");
    ThPadCopy variant = (ThPadCopy)th_option_choice(o, "variant");
    /* No shorter string has such parts. */
    long long least = variant == TH_PAD_COPY        ? 1
                      : variant == TH_PAD_DUPLICATE ? 2 * (long long)ngram
                                                    : (long long)ngram + 1;
    long long asked = th_option_int(o, "answer");
    if (asks_for_part(variant) && asked > 1)
        least += asked - 1;
    if (sizes->lo + sizes->step * (long long)(th_range_count(*sizes) - 1) < least)
        return th_fail(err, TH_EVALUE, "these strings have at least %lld letters", least);
    long long length = th_pad_draw_from(*sizes, r);
    while (length < least)
        length = th_pad_draw_from(*sizes, r);
    char *text TH_OWNED(free) = th_alloc((size_t)length, 1, err);
    if (!text)
        return false;
    for (long long i = 0; i < length; i++)
        text[i] = (char)('a' + th_rng_below(r, letters));
    return (variant != TH_PAD_DUPLICATE || duplicate(text, (size_t)length, ngram, r, err)) &&
           put(p, text, (size_t)length, r, e, err);
}

static size_t most(const ThPad *p, size_t n)
{
    bool part = asks_for_part((ThPadCopy)th_option_choice(&p->options, "variant"));
    return 2 * n + 3 + (part ? 1 : 0);
}

static bool places_fit(const ThPad *p, ThError *err)
{
    return !asks_for_part((ThPadCopy)th_option_choice(&p->options, "variant")) ||
           th_fail(err, TH_EUSAGE, "hints= is of whole copies, variant=copy or duplicate");
}

/* A letter of the copy has the place of the one that it is a copy of. */
static void places(int layout TH_UNUSED, const ThPadPiece *token, size_t n, int *place)
{
    int next = 1;
    for (size_t i = 0; i < n; i++) {
        bool letter = *token[i].s >= 'a' && *token[i].s <= 'z';
        place[i] = letter ? next : 0;
        next = letter ? next + 1 : 1;
    }
}

/* ---- reading back ---------------------------------------------------------------------------- */

static bool recognise(const ThPadChecking *k)
{
    return k->end - k->begin > 1 && k->text[k->begin] == '$' &&
           !th_pad_check_is_space(k->text[k->begin + 1]);
}

const ThPadKind th_pad_copy = {
    .name = "copy",
    .summary = "write a string and its copy",
    .source = "Jelassi et al. 2024; Hou et al. 2024, Section 2.3",
    .detail =
        "The tasks on which Hard-ALiBi was tested: $STR|STR. is to be copied in whole; "
        "variant=prefix asks for what follows a part, $PART|STR|REST., variant=suffix names the "
        "part last, $STR|PARTREST., and variant=duplicate copies a string in which a part occurs "
        "twice.  The part is drawn among those that occur once.  Only answers are scored.",
    .example = "scratchpad copy tapehead\n"
               "#> $tapehead|tapehead.\n"
               "scratchpad copy tapehead variant=prefix ngram=2 seed=3\n"
               "#> $ea|tapehead|d.",
    .operand = {"STRING", NULL},
    .options = options,
    .layout = "variant",
    .check_options = check_options,
    .padding = "*",
    .own_ends = true,
    .context = 220,
    .init = init,
    .write = write,
    .draw = draw,
    .most = most,
    .size = "length",
    .recognise = recognise,
    .check = th_pad_check_copy,
    .places = places,
    .places_fit = places_fit,
    .bars = true,
    .answers_only = true,
};
