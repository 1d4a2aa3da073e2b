/* check_sgd.c - stochastic gradient descent, recomputed from the tokens of the data. */
#include <stdio.h>

#include "scratchpad/checker.h"
#include "scratchpad/write_sgd.h"

typedef struct {
    const ThPadChecking *k;
    const ThPadWordList *w;
    size_t at; /* word */
    double scale;
    int tolerance;
    ThPadChecked *c;
} Reader;

static bool slip(Reader *r, ThPadSlip kind, const char *expected, size_t n)
{
    const ThPadWord *w = r->at < r->w->n ? &r->w->word[r->at] : NULL;
    size_t offset = w ? w->at : r->k->end;
    th_pad_slip_at(r->c, w ? kind : TH_PAD_SLIP_EARLY_END, offset, expected, n, r->k->text + offset,
                   w ? w->size : 0);
    return false;
}

static bool is(const Reader *r, const char *text)
{
    return r->at < r->w->n && th_pad_word_is(r->k, &r->w->word[r->at], text);
}

static int number(const Reader *r, size_t at)
{
    if (at >= r->w->n)
        return -1;
    return th_pad_sgd_word(r->k->text + r->w->word[at].at, r->w->word[at].size);
}

/* A mark where more of what stands before it is a slip of that kind, other words one of format. */
static bool mark(Reader *r, const char *text, ThPadSlip kind)
{
    if (is(r, text)) {
        r->at++;
        return true;
    }
    bool more = r->at < r->w->n && (number(r, r->at) >= 0 || is(r, "d"));
    return slip(r, more ? kind : TH_PAD_SLIP_FORMAT, text, strlen(text));
}

/* d X1 X2 , Y of the question. */
static bool read_point(Reader *r, ThPadSgdPoint *p)
{
    double value[3];
    for (int i = 0; i < 3; i++) {
        if (!(i == 0 ? mark(r, "d", TH_PAD_SLIP_FORMAT)
                     : i == 1 || mark(r, ",", TH_PAD_SLIP_FORMAT)))
            return false;
        int token = number(r, r->at);
        if (token < 0)
            return slip(r, TH_PAD_SLIP_FORMAT, "a number", 8);
        value[i] = th_pad_sgd_value(token, r->scale);
        r->at++;
    }
    *p = (ThPadSgdPoint){{value[0], value[1]}, value[2]};
    return true;
}

static bool read_question(Reader *r, ThPadSgdPoint **point, size_t *n, ThError *err)
{
    size_t cap = 0;
    if (!mark(r, "$", TH_PAD_SLIP_FORMAT))
        return false;
    do {
        if (!th_grow(point, &cap, *n + 1, sizeof **point, err) || !read_point(r, *point + *n))
            return false;
        ++*n;
    } while (!is(r, "|") && r->at < r->w->n);
    return mark(r, "|", TH_PAD_SLIP_FORMAT);
}

/* The words of the points from one to another again. */
static bool copied(Reader *r, size_t from_point, size_t to_point)
{
    for (size_t i = 5 * from_point + 1; i <= 5 * to_point; i++, r->at++) {
        const ThPadWord *from = &r->w->word[i], *w = &r->w->word[r->at];
        const char *text = r->k->text + from->at;
        if (r->at < r->w->n && w->size == from->size &&
            memcmp(r->k->text + w->at, text, w->size) == 0)
            continue;
        bool known = r->at < r->w->n && (number(r, r->at) >= 0 || is(r, "d") || is(r, ",") ||
                                         is(r, "yp") || is(r, "|") || is(r, "cur") || is(r, "g"));
        return slip(r, known ? TH_PAD_SLIP_COPY : TH_PAD_SLIP_FORMAT, text, from->size);
    }
    return true;
}

static bool result(Reader *r, int wanted, ThPadSlip kind)
{
    char expected[16];
    int found = number(r, r->at);
    if (found >= 0 && abs(found - wanted) <= r->tolerance) {
        r->at++;
        return true;
    }
    int n = snprintf(expected, sizeof expected, "a%d", wanted);
    return slip(r, found >= 0 ? kind : TH_PAD_SLIP_FORMAT, expected, (size_t)n);
}

static bool two(Reader *r, const int *wanted, ThPadSlip kind)
{
    return result(r, wanted[0], kind) && result(r, wanted[1], kind);
}

static bool results(Reader *r, const ThPadSgdLine *line, bool parts)
{
    return mark(r, "yp", TH_PAD_SLIP_COPY) &&
           (!parts || two(r, line->product, TH_PAD_SLIP_DIGIT)) &&
           result(r, line->prediction, TH_PAD_SLIP_DIGIT) && mark(r, "g", TH_PAD_SLIP_DIGIT) &&
           (!parts || result(r, line->error, TH_PAD_SLIP_DIGIT)) &&
           two(r, line->step, TH_PAD_SLIP_DIGIT) && mark(r, "cur", TH_PAD_SLIP_DIGIT) &&
           two(r, line->weight, TH_PAD_SLIP_STATE) && mark(r, "|", TH_PAD_SLIP_STATE);
}

/* The layout that is asked for, or the one that the text is in.  A line of steps has one point, and
 * more than one number behind yp. */
static ThPadSgdStyle style_of(const Reader *r, size_t n)
{
    enum { WORDS = 5 };
    size_t behind = r->at + (n > 1 ? WORDS : WORDS + 2);
    bool one = behind < r->w->n &&
               (n > 1 ? th_pad_word_is(r->k, &r->w->word[behind], "yp") : number(r, behind) >= 0);
    if (r->k->layout >= 0)
        return (ThPadSgdStyle)r->k->layout;
    return is(r, "cur") ? TH_PAD_SGD_PLAIN : one ? TH_PAD_SGD_STEPS : TH_PAD_SGD_TURING;
}

static const char *const style_name[] = {"turing", "plain", "steps"};

/* The line of point m - 1, of n. */
static bool line(Reader *r, size_t m, const ThPadSgdLine *wanted, ThPadSgdStyle style)
{
    if (style == TH_PAD_SGD_PLAIN)
        return m > 1 ||
               (mark(r, "cur", TH_PAD_SLIP_FORMAT) && two(r, wanted->weight, TH_PAD_SLIP_STATE) &&
                mark(r, "|", TH_PAD_SLIP_STATE));
    bool steps = style == TH_PAD_SGD_STEPS;
    return copied(r, steps ? m - 1 : 0, m) && results(r, wanted, steps);
}

static bool check(Reader *r, ThPadSgdPoint **point, ThError *err)
{
    const ThOptions *o = r->k->options;
    ThPadSgd s = {.rate = th_option_real(o, "rate"), .scale = r->scale};
    s.strict = (ThPadSgdStrict)th_option_choice(o, "strict");
    size_t n = 0;
    if (s.strict == TH_PAD_SGD_HIDDEN) /* what is hidden is nearest to what is shown */
        s.strict = TH_PAD_SGD_FROM_TOKENS;
    if (!read_question(r, point, &n, err))
        return false;
    ThPadSgdStyle style = style_of(r, n);
    r->c->style = style_name[style];
    s.parts = style == TH_PAD_SGD_STEPS;
    for (size_t m = n; m > 0; m--) {
        ThPadSgdLine wanted = th_pad_sgd_step(&s, *point + m - 1);
        if (!line(r, m, &wanted, style))
            return false;
    }
    return r->at == r->w->n || slip(r, TH_PAD_SLIP_FORMAT, "", 0);
}

bool th_pad_check_sgd(const ThPadChecking *k, ThPadChecked *c, ThError *err)
{
    ThPadWordList w = {0};
    ThPadSgdPoint *point TH_OWNED(free) = NULL;
    bool ok = th_pad_words_read(&w, k, false, err);
    if (ok) {
        const ThOptions *o = k->options;
        Reader r = {.k = k, .w = &w, .c = c};
        r.scale = th_pad_sgd_scale((ThPadSgdQuantiser)th_option_choice(o, "quantiser"));
        r.tolerance = th_option_choice(o, "strict") == TH_PAD_SGD_HIDDEN ? 2 : 0;
        if (th_option_given(o, "tolerance"))
            r.tolerance = (int)th_option_int(o, "tolerance");
        c->style = "turing";
        ok = check(&r, &point, err) || c->slip;
    }
    free(w.word);
    return ok;
}
