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

/* The words of the first n points again. */
static bool copied(Reader *r, size_t n)
{
    for (size_t i = 1; i <= 5 * n; i++, r->at++) {
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

static bool results(Reader *r, const ThPadSgdLine *line)
{
    return mark(r, "yp", TH_PAD_SLIP_COPY) && result(r, line->prediction, TH_PAD_SLIP_DIGIT) &&
           mark(r, "g", TH_PAD_SLIP_DIGIT) && result(r, line->step[0], TH_PAD_SLIP_DIGIT) &&
           result(r, line->step[1], TH_PAD_SLIP_DIGIT) && mark(r, "cur", TH_PAD_SLIP_DIGIT) &&
           result(r, line->weight[0], TH_PAD_SLIP_STATE) &&
           result(r, line->weight[1], TH_PAD_SLIP_STATE) && mark(r, "|", TH_PAD_SLIP_STATE);
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
    bool plain = is(r, "cur") || r->k->layout == TH_PAD_SGD_PLAIN;
    r->c->style = plain ? "plain" : "turing";
    for (size_t m = n; m > 0; m--) {
        ThPadSgdLine line = th_pad_sgd_step(&s, *point + m - 1);
        if (!plain && (!copied(r, m) || !results(r, &line)))
            return false;
        if (plain && m == 1 &&
            (!mark(r, "cur", TH_PAD_SLIP_FORMAT) || !result(r, line.weight[0], TH_PAD_SLIP_STATE) ||
             !result(r, line.weight[1], TH_PAD_SLIP_STATE) || !mark(r, "|", TH_PAD_SLIP_STATE)))
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
