#include "scratchpad/check_text.h"

#include "scratchpad/hints.h"
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

bool th_pad_check_options(ThOptions *o, ThError *err)
{
    size_t n;
    const ThPadKind *const *kinds = th_pad_kinds(&n);
    *o = (ThOptions){0};
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = th_options_add(o, kinds[i]->check_options, err);
    if (!ok)
        th_options_free(o);
    return ok;
}

/* The place of a layout among those of a kind, or -1. */
static int layout_of(const ThPadKind *kind, const char *style)
{
    for (const ThOptionSpec *o = kind->options; kind->layout && o->name; o++)
        if (strcmp(o->name, kind->layout) == 0)
            return th_choice_index(o->choices, style, strlen(style));
    return -1;
}

bool th_pad_style_known(const ThPadKind *kind, const char *style)
{
    size_t n;
    const ThPadKind *const *kinds = th_pad_kinds(&n);
    for (size_t i = 0; i < n; i++)
        if ((!kind || kind == kinds[i]) && layout_of(kinds[i], style) >= 0)
            return true;
    return false;
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

bool th_pad_check_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool th_pad_words_read(ThPadWordList *w, const ThPadChecking *k, bool newlines, ThError *err)
{
    for (size_t i = k->begin; i < k->end;) {
        char c = k->text[i];
        size_t from = i++;
        if (th_pad_check_is_space(c) && (c != '\n' || !newlines))
            continue;
        while (c != '\n' && i < k->end && !th_pad_check_is_space(k->text[i]))
            i++;
        if (!TH_APPEND(w->word, w->n, w->cap, err, (ThPadWord){from, i - from}))
            return false;
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
    while (k->begin < k->end && th_pad_check_is_space(k->text[k->begin]))
        k->begin++;
    if (mark_at(k, k->begin, TH_PAD_BOS))
        k->begin += MARK;
    while (k->begin < k->end && th_pad_check_is_space(k->text[k->begin]))
        k->begin++;
    for (size_t i = k->begin; i < size && k->end == size; i++)
        if (k->text[i] == '<' && mark_at(k, i, TH_PAD_EOS))
            k->end = i;
    if (k->end < size) {
        extra = k->end + MARK;
        while (extra < size && th_pad_check_is_space(k->text[extra]))
            extra++;
    }
    while (k->end > k->begin && th_pad_check_is_space(k->text[k->end - 1]))
        k->end--;
    return extra;
}

bool th_pad_check_has(const ThPadChecking *k, size_t to, const char *text)
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

/* Where the first sign of a sum, or bar, stands: bytes behind the beginning. */
static size_t first_sign(const ThPadChecking *k)
{
    size_t i = k->begin;
    while (i < k->end && !(k->text[i] && strchr("+*|=", k->text[i])))
        i++;
    return i - k->begin;
}

bool th_pad_check_is_run(const ThPadChecking *k)
{
    size_t bar = k->begin + first_sign(k);
    while (bar < k->end && !(k->text[bar] && strchr("|=\n", k->text[bar])))
        bar++;
    return th_pad_check_has(k, k->end, TH_PAD_SEP) && th_pad_check_has(k, bar, " ");
}

bool th_pad_check_is_sum(const ThPadChecking *k, char sign)
{
    const char *s = k->text + k->begin;
    size_t n = k->end - k->begin, at = first_sign(k);
    bool verbose = n >= 6 && memcmp(s, "Input:", 6) == 0;
    bool digits = n > 0 && (verbose || (s[0] >= '0' && s[0] <= '9') ||
                            (s[0] >= 'a' && s[0] <= 'z' && n > 1 && s[1] >= '0' && s[1] <= '9'));
    return digits && at < n && s[at] == sign && !th_pad_check_is_run(k);
}

bool th_pad_check_has_steps(const ThPadChecking *k)
{
    if (k->layout >= 0)
        return k->layout <= TH_PAD_VERBOSE;
    const char *s = k->text + k->begin;
    const char *equals = memchr(s, '=', k->end - k->begin),
               *bar = memchr(s, '|', k->end - k->begin);
    return !equals || (bar && bar < equals) || memcmp(s, "I", 1) == 0;
}

static const ThPadKind *recognise(const ThPadChecking *k)
{
    size_t n;
    const ThPadKind *const *kinds = th_pad_kinds(&n);
    for (size_t i = 0; i < n; i++)
        if (kinds[i]->recognise(k))
            return kinds[i];
    return NULL;
}

/* ---- positions ------------------------------------------------------------------------------- */

/* How a text is cut into lines: at newlines, at <|SEP|>, or at bars and <|SEP|>. */
typedef enum { LINES_TEXT, LINES_SEP, LINES_BARS } Lines;

static Lines lines_of(const ThPadChecked *c, const ThPadChecking *k)
{
    if (c->kind && !c->kind->bars)
        return th_pad_check_has(k, k->end, TH_PAD_SEP) ? LINES_SEP : LINES_TEXT;
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

static bool is_misprint(const ThPadKind *kind, const ThPadChecking *k)
{
    size_t n = k->end - k->begin;
    for (const char *const *known = kind->misprints; known && *known; known++)
        if (n == strlen(*known) && memcmp(k->text + k->begin, *known, n) == 0)
            return true;
    return false;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool check_plain(ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    const ThPadCheckRules *rules = k->rules;
    c->kind = rules->kind ? rules->kind : recognise(k);
    k->layout = c->kind && rules->style ? layout_of(c->kind, rules->style) : -1;
    if (!c->kind)
        th_pad_slip_wanted(c, TH_PAD_SLIP_FORMAT, k->begin, "a scratchpad", k->text + k->begin,
                           k->end - k->begin);
    else if (!c->kind->check(k, c, err))
        return false;
    if (c->slip && c->kind && is_misprint(c->kind, k))
        *c = (ThPadChecked){.kind = c->kind, .style = c->style, .misprint = true};
    return true;
}

/* The text without its marks, and then the marks. */
static bool check_hinted(const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    ThPadHints h TH_OWNED(th_pad_hints_free) = {0};
    if (!th_pad_hints_strip(&h, k, err))
        return false;
    ThPadChecking plain = *k;
    plain.text = th_text_string(&h.plain);
    plain.begin = 0;
    plain.end = h.plain.size;
    if (plain.end == 0)
        th_pad_slip_wanted(c, TH_PAD_SLIP_EARLY_END, 0, "a question", "", 0);
    else if (!check_plain(&plain, c, err))
        return false;
    return th_pad_hints_compare(&h, k, c, err);
}

static bool check(ThPadChecking *k, size_t size, ThPadChecked *c, ThError *err)
{
    size_t extra = trim(k, size);
    if (k->begin == k->end) {
        c->kind = k->rules->kind;
        th_pad_slip_wanted(c, TH_PAD_SLIP_EARLY_END, k->begin, "a question", "", 0);
    } else if (!(th_pad_hints_are_in(k) ? check_hinted(k, c, err) : check_plain(k, c, err))) {
        return false;
    }
    if (c->slip == TH_PAD_SLIP_NONE && extra < size)
        th_pad_slip_wanted(c, TH_PAD_SLIP_FORMAT, extra, "", k->text + extra, size - extra);
    find_position(k, size, c);
    return true;
}

bool th_pad_check(const char *text, size_t size, const ThPadCheckRules *rules, ThPadChecked *c,
                  ThError *err)
{
    ThPadChecking k = {.text = text ? text : "", .end = size, .rules = rules};
    ThOptions usual TH_OWNED(th_options_free) = {0};
    *c = (ThPadChecked){.style = ""};
    if (!rules->options && !th_pad_check_options(&usual, err))
        return false;
    k.options = rules->options ? rules->options : &usual;
    return check(&k, size, c, err);
}
