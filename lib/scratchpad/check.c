#include "scratchpad/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scratchpad/checker.h"
#include "scratchpad/writing.h"

enum { MARK = sizeof TH_PAD_BOS - 1 };
_Static_assert(sizeof TH_PAD_EOS == sizeof TH_PAD_BOS && sizeof TH_PAD_SEP == sizeof TH_PAD_BOS,
               "marks");

const char *th_pad_slip_name(ThPadSlip slip)
{
    static const char *const name[] = {"none", "copy",  "digit",     "carry", "write",
                                       "move", "state", "early end", "format"};
    return name[slip];
}

ThPadCheckRules th_pad_check_rules(void)
{
    ThPadCheckRules rules = {.strict = TH_PAD_SGD_HIDDEN, .rate = 0.5, .tolerance = 2, .ngram = 3};
    rules.scale = th_pad_sgd_scale("hundredths");
    return rules;
}

/* As much of a text as fits, whole characters, none of which controls a terminal. */
static void show(char to[TH_PAD_CHECK_SHOWN], const char *text, size_t n)
{
    static const char newline[] = "newline";
    if (n > 0 && text[0] == '\n') {
        memcpy(to, newline, sizeof newline);
        return;
    }
    size_t k = n < TH_PAD_CHECK_SHOWN ? n : TH_PAD_CHECK_SHOWN - 1;
    while (k > 0 && k < n && ((unsigned char)text[k] & 0xc0) == 0x80)
        k--;
    memcpy(to, text, k);
    to[k] = '\0';
    bool valid = th_utf8_valid(to, k);
    for (size_t i = 0; i < k; i++) {
        unsigned char c = (unsigned char)to[i];
        to[i] = (char)(c < 0x20 || c == 0x7f || (c >= 0x80 && !valid) ? '?' : c);
    }
}

bool th_pad_slip_at(ThPadChecked *c, ThPadSlip slip, size_t offset, const char *expected,
                    size_t n_expected, const char *found, size_t n_found)
{
    c->slip = slip;
    c->offset = offset;
    show(c->expected, expected, n_expected);
    show(c->found, found, n_found);
    return true;
}

bool th_pad_slip_wanted(ThPadChecked *c, ThPadSlip slip, size_t offset, const char *expected,
                        const char *found, size_t n_found)
{
    return th_pad_slip_at(c, slip, offset, expected, strlen(expected), found, n_found);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool th_pad_words_read(ThPadWordList *w, const ThPadChecking *k, bool newlines, ThError *err)
{
    for (size_t i = k->begin; i < k->end;) {
        char c = k->text[i];
        size_t from = i++;
        if (is_space(c) && (c != '\n' || !newlines))
            continue;
        while (c != '\n' && i < k->end && !is_space(k->text[i]))
            i++;
        if (!th_grow(&w->word, &w->cap, w->n + 1, sizeof *w->word, err))
            return false;
        w->word[w->n++] = (ThPadWord){from, i - from};
    }
    return true;
}

bool th_pad_word_is(const ThPadChecking *k, const ThPadWord *w, const char *text)
{
    return w->size == strlen(text) && memcmp(k->text + w->at, text, w->size) == 0;
}

/* ---- recognising ----------------------------------------------------------------------------- */

static bool mark_at(const ThPadChecking *k, size_t at, const char *mark)
{
    return k->end - at >= MARK && memcmp(k->text + at, mark, MARK) == 0;
}

/* Leaves out <|BOS|>, <|EOS|> and white space.  Returns where something follows <|EOS|>, or the
 * size. */
static size_t trim(ThPadChecking *k, size_t size)
{
    size_t extra = size;
    while (k->begin < k->end && is_space(k->text[k->begin]))
        k->begin++;
    if (mark_at(k, k->begin, TH_PAD_BOS))
        k->begin += MARK;
    while (k->begin < k->end && is_space(k->text[k->begin]))
        k->begin++;
    for (size_t i = k->begin; i < size && k->end == size; i++)
        if (k->text[i] == '<' && mark_at(k, i, TH_PAD_EOS))
            k->end = i;
    if (k->end < size) {
        extra = k->end + MARK;
        while (extra < size && is_space(k->text[extra]))
            extra++;
    }
    while (k->end > k->begin && is_space(k->text[k->end - 1]))
        k->end--;
    return extra;
}

/* True if a short text stands between the beginning and a byte. */
static bool has(const ThPadChecking *k, size_t to, const char *text)
{
    size_t n = strlen(text);
    const char *s = k->text + k->begin, *end = k->text + to;
    while ((s = memchr(s, *text, (size_t)(end - s)))) {
        if ((size_t)(end - s) >= n && memcmp(s, text, n) == 0)
            return true;
        s++;
    }
    return false;
}

/* The kind that a text is most like, by how it begins. */
static const ThPadKind *recognise(const ThPadChecking *k)
{
    const char *s = k->text + k->begin;
    size_t n = k->end - k->begin;
    if (n > 1 && s[0] == '$')
        return is_space(s[1]) ? &th_pad_sgd : &th_pad_copy;
    size_t sign = 0;
    while (sign < n && s[sign] != '+' && s[sign] != '*' && s[sign] != '|' && s[sign] != '=')
        sign++;
    bool verbose = n >= 6 && memcmp(s, "Input:", 6) == 0;
    bool digits = n > 0 && (verbose || (s[0] >= '0' && s[0] <= '9') ||
                            (s[0] >= 'a' && s[0] <= 'z' && n > 1 && s[1] >= '0' && s[1] <= '9'));
    size_t bar = sign;
    while (bar < n && s[bar] != '|' && s[bar] != '=' && s[bar] != '\n')
        bar++;
    bool machine = has(k, k->end, TH_PAD_SEP) && has(k, k->begin + bar, " ");
    if (digits && sign < n && !machine && (s[sign] == '+' || s[sign] == '*'))
        return s[sign] == '+' ? &th_pad_addition : &th_pad_multiplication;
    if (machine || has(k, k->end, "| ") || has(k, k->end, "[") || has(k, k->end, "( "))
        return &th_pad_machine;
    return NULL;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* How a text is cut into lines: at newlines, at <|SEP|>, or at bars and <|SEP|>. */
typedef enum { LINES_TEXT, LINES_SEP, LINES_BARS } Lines;

static Lines lines_of(const ThPadChecked *c, const ThPadChecking *k)
{
    if (c->kind == &th_pad_machine)
        return has(k, k->end, TH_PAD_SEP) ? LINES_SEP : LINES_TEXT;
    return strcmp(c->style, "verbose") == 0 ? LINES_TEXT : LINES_BARS;
}

/* The bytes of the end of a line at i, or 0. */
static size_t line_end(const ThPadChecking *k, size_t size, size_t i, Lines lines)
{
    const char *s = k->text + i;
    if (lines == LINES_TEXT)
        return s[0] == '\n';
    if (s[0] == '<' && size - i >= MARK && memcmp(s, TH_PAD_SEP, MARK) == 0)
        return MARK;
    return lines == LINES_BARS && s[0] == '|';
}

static bool special_at(const char *s, size_t left)
{
    return left >= MARK && (memcmp(s, TH_PAD_BOS, MARK) == 0 || memcmp(s, TH_PAD_EOS, MARK) == 0);
}

/* Sets line and column of the slip, and counts the lines. */
static void find_position(const ThPadChecking *k, size_t size, ThPadChecked *c)
{
    Lines lines = lines_of(c, k);
    size_t start = 0, slip_line = 1, at = c->offset;
    c->lines = 1;
    for (size_t i = 0; i < size;) {
        bool special = special_at(k->text + i, size - i);
        size_t n = special ? 0 : line_end(k, size, i, lines);
        i += n ? n : special ? MARK : 1;
        if (n > 0 && i <= at) {
            slip_line++;
            start = i;
        }
        c->lines += n > 0 && i < k->end;
    }
    if (c->slip == TH_PAD_SLIP_NONE)
        return;
    while (lines != LINES_TEXT && start < at && k->text[start] == ' ')
        start++;
    c->line = slip_line;
    c->column = 1;
    for (size_t i = start; i < at; i++)
        c->column += ((unsigned char)k->text[i] & 0xc0) != 0x80;
}

/* ---- misprints ------------------------------------------------------------------------------- */

/* As the paper prints its examples, and wrongly. */
static bool is_misprint(const ThPadChecking *k)
{
    static const char *const known[] = {
        "4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^(0,463)|4463",
        "4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^{(0,463)}|4463",
        "4324*135|432e*135(0540~054,0)|43c*135(0270~032,40)|4d*135(0405~043,740)|"
        "e*135(0540~058,3740)|^**135(0000~000,583740)|583740",
        "4324*135|432e*135(0540~054,0)|43c*135(0270~032,40)|4d*135(0405~043,740)|"
        "e*135(0540~058,3740)|^*135(0000~005,83740)|^**135(0000~000,583740)|583740",
    };
    size_t n = k->end - k->begin;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n == strlen(known[i]) && memcmp(k->text + k->begin, known[i], n) == 0)
            return true;
    return false;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool has_steps(const ThPadChecking *k)
{
    if (k->rules->style)
        return *k->rules->style == 'c' || *k->rules->style == 'v';
    const char *s = k->text + k->begin;
    const char *equals = memchr(s, '=', k->end - k->begin),
               *bar = memchr(s, '|', k->end - k->begin);
    return !equals || (bar && bar < equals) || memcmp(s, "I", 1) == 0;
}

static bool check_kind(const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    if (c->kind == &th_pad_sgd)
        return th_pad_check_sgd(k, c, err);
    if (c->kind == &th_pad_copy)
        return th_pad_check_copy(k, c, err);
    if (c->kind == &th_pad_machine)
        return th_pad_check_machine(k, c, err);
    char sign = c->kind == &th_pad_addition ? '+' : '*';
    return has_steps(k) ? th_pad_check_steps(k, sign, c, err) : th_pad_check_sum(k, sign, c, err);
}

bool th_pad_check(const char *text, size_t size, const ThPadCheckRules *rules, ThPadChecked *c,
                  ThError *err)
{
    ThPadChecking k = {.text = text ? text : "", .end = size, .rules = rules};
    *c = (ThPadChecked){.kind = rules->kind, .style = ""};
    size_t extra = trim(&k, size);
    if (!c->kind)
        c->kind = recognise(&k);
    if (k.begin == k.end)
        th_pad_slip_wanted(c, TH_PAD_SLIP_EARLY_END, k.begin, "a question", "", 0);
    else if (!c->kind)
        th_pad_slip_wanted(c, TH_PAD_SLIP_FORMAT, k.begin, "a scratchpad", text + k.begin,
                           k.end - k.begin);
    else if (!check_kind(&k, c, err))
        return false;
    if (c->slip && is_misprint(&k)) {
        *c = (ThPadChecked){.kind = c->kind, .style = c->style, .misprint = true};
    }
    if (c->slip == TH_PAD_SLIP_NONE && extra < size)
        th_pad_slip_wanted(c, TH_PAD_SLIP_FORMAT, extra, "", text + extra, size - extra);
    find_position(&k, size, c);
    return true;
}
