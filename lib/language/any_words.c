/* Words of a length, of any kind of language: counted and drawn as the kind does, listed where
 * there are few strings to try, else drawn and rejected. */
#include <math.h>

#include "language/language_kind.h"

/* ---- words of a length, counted -------------------------------------------------------------- */

enum { IN_A_ROW = 1000 };

struct ThLanguageWords {
    const ThLanguage *l;
    int length;
    ThStop *stop;
    void *own;      /* of kinds that count */
    bool listed;    /* else, and where own cannot draw; else they are drawn and rejected */
    bool many;      /* own has drawn words of too many trees, and there are too many to list */
    uint16_t *list; /* (n, length) */
    size_t n, cap;
    ThError problem; /* of listing */
};

static bool note(void *context, ThLanguageWord word, ThLanguageAnswer answer)
{
    ThLanguageWords *w = context;
    size_t m = (size_t)w->length;
    if (answer != TH_LANGUAGE_YES)
        return true;
    if (!th_grow(&w->list, &w->cap, (w->n + 1) * m, sizeof *w->list, &w->problem))
        return false;
    for (size_t i = 0; i < m; i++)
        w->list[w->n * m + i] = (uint16_t)word.symbol[i];
    w->n++;
    return true;
}

/* Lists all words, unless there are more than `most` strings and prefixes to try. */
static bool list_words(ThLanguageWords *w, long long most, ThError *err)
{
    ThError *own = &w->problem;
    w->listed =
        th_language_each(w->l, w->length, most, note, w, NULL, w->stop, own) && own->code == TH_OK;
    return w->listed || own->code == TH_ELIMIT || th_fail(err, own->code, "%s", own->msg);
}

ThLanguageWords *th_language_words(const ThLanguage *l, int length, ThStop *stop, ThError *err)
{
    ThError own = {0};
    ThLanguageWords *w = th_alloc(1, sizeof *w, err);
    if (!w)
        return NULL;
    l = th_language_asked(l);
    *w = (ThLanguageWords){.l = l, .length = length, .stop = stop};
    w->own = l->kind->words ? l->kind->words(l, length, stop, &own) : NULL;
    if (own.code)
        th_fail(err, own.code, "%s", own.msg);
    if (w->own || (!own.code && list_words(w, TH_LANGUAGE_MOST_TRIED, err)))
        return w;
    th_language_words_free(w);
    return NULL;
}

void th_language_words_free(ThLanguageWords *w)
{
    if (!w)
        return;
    if (w->own)
        w->l->kind->free_words(w->own);
    TH_FREE(w->list, w);
}

double th_language_words_log(const ThLanguageWords *w)
{
    if (w->own)
        return w->l->kind->log_words(w->own);
    return !w->listed ? (double)NAN : w->n ? log((double)w->n) : -HUGE_VAL;
}

/* Uniform strings until one is a member, or, with `outside`, none. */
static bool reject(const ThLanguage *l, ThRng *r, ThLanguageWord word, int *to, bool outside,
                   bool *found, ThStop *stop, ThError *err)
{
    ThLanguageAnswer answer;
    *found = false;
    for (int i = 0; i < IN_A_ROW && !*found; i++) {
        for (int k = 0; k < word.n; k++)
            to[k] = (int)th_rng_below(r, (uint64_t)l->n_symbols);
        if (th_stopped(stop, err) || !th_language_member(l, word, stop, &answer, err))
            return false;
        *found = outside ? answer != TH_LANGUAGE_YES : answer == TH_LANGUAGE_YES;
    }
    return true;
}

static bool counts_some(const ThLanguage *l, int length, ThStop *stop)
{
    void *own = length >= 0 ? l->kind->words(l, length, stop, NULL) : NULL;
    bool some = own && l->kind->log_words(own) > -HUGE_VAL;
    if (own)
        l->kind->free_words(own);
    return some;
}

/* Names the nearest lengths that have words, where they can be counted: each takes a table. */
static bool no_words(const ThLanguageWords *w, ThError *err)
{
    const int FARTHEST = w->length < 2000 ? 32 : 64000 / w->length;
    int below = 1, above = 1;
    th_fail(err, TH_EVALUE, "there are no words of length %d", w->length);
    if (!w->own)
        return false;
    while (below < FARTHEST && !counts_some(w->l, w->length - below, w->stop))
        below++;
    while (above < FARTHEST && !counts_some(w->l, w->length + above, w->stop))
        above++;
    if (below < FARTHEST && above < FARTHEST)
        return th_hint(err, "there are some of length %d and %d", w->length - below,
                       w->length + above);
    if (below < FARTHEST || above < FARTHEST)
        return th_hint(err, "there are some of length %d",
                       w->length + (above < FARTHEST ? above : -below));
    return false;
}

static bool draw_listed(const ThLanguageWords *w, ThRng *r, int *word, ThError *err)
{
    if (w->n == 0)
        return no_words(w, err);
    const uint16_t *from = w->list + th_rng_below(r, w->n) * (size_t)w->length;
    for (int i = 0; i < w->length; i++)
        word[i] = from[i];
    return true;
}

/* By counting; where words of too many trees were rejected, from a list, or strings are tried. */
static bool draw_own(ThLanguageWords *w, ThRng *r, int *word, ThError *err)
{
    enum { FEW = 10000 };
    ThError own = {0};
    ThLanguageWord to = {word, w->length};
    bool found = false;
    if (th_language_words_log(w) == -HUGE_VAL)
        return no_words(w, err);
    if (w->many && !reject(w->l, r, to, word, false, &found, w->stop, err))
        return false;
    if (found || w->l->kind->draw(w->own, r, word, &own))
        return true;
    bool all = w->length * log(w->l->n_symbols) <= log(TH_LANGUAGE_MOST_TRIED);
    bool many = own.code == TH_ELIMIT && !w->many;
    if (many && !list_words(w, all ? TH_LANGUAGE_MOST_TRIED : FEW, err))
        return false;
    if (w->listed)
        return draw_listed(w, r, word, err);
    if (many) {
        w->many = true;
        return draw_own(w, r, word, err);
    }
    th_fail(err, own.code, "%s", own.msg);
    return own.hint[0] ? th_hint(err, "%s", own.hint) : false;
}

bool th_language_draw(ThLanguageWords *w, ThRng *r, int *word, ThError *err)
{
    bool found;
    if (w->listed)
        return draw_listed(w, r, word, err);
    if (w->own)
        return draw_own(w, r, word, err);
    if (!reject(w->l, r, (ThLanguageWord){word, w->length}, word, false, &found, w->stop, err))
        return false;
    return found ||
           th_fail(err, TH_EVALUE, "none of %d strings of length %d that were drawn is a word",
                   IN_A_ROW, w->length);
}

bool th_language_draw_outside(const ThLanguage *l, ThRng *r, int length, int *word, bool *found,
                              ThStop *stop, ThError *err)
{
    return reject(l, r, (ThLanguageWord){word, length}, word, true, found, stop, err);
}

/* ---- counting -------------------------------------------------------------------------------- */

typedef struct {
    mpz_t *n;
    long long open;
} Counted;

static bool count_one(void *context, ThLanguageWord word TH_UNUSED, ThLanguageAnswer answer)
{
    Counted *c = context;
    if (answer == TH_LANGUAGE_YES)
        mpz_add_ui(*c->n, *c->n, 1);
    c->open += answer == TH_LANGUAGE_UNKNOWN;
    return true;
}

bool th_language_count(const ThLanguage *l, int lo, int hi, ThLanguageCounted *seen, void *context,
                       char **total, ThStop *stop, ThError *err)
{
    mpz_t *n TH_OWNED(free) = th_alloc((size_t)hi + 1, sizeof *n, err);
    l = th_language_asked(l);
    if (!n)
        return false;
    for (int i = 0; i <= hi; i++)
        mpz_init(n[i]);
    mpz_t sum;
    mpz_init(sum);
    bool known = false, go_on = true;
    bool ok = !l->kind->count || l->kind->count(l, hi, n, &known, stop, err);
    for (int i = lo; ok && go_on && i <= hi; i++) {
        Counted c = {&n[i], 0};
        if (!known)
            ok = th_language_each(l, i, TH_LANGUAGE_MOST_TRIED, count_one, &c, NULL, stop, err);
        char *digits = ok ? mpz_get_str(NULL, 10, n[i]) : NULL;
        go_on = ok && seen(context, i, digits, c.open);
        mpz_add(sum, sum, n[i]);
        free(digits);
    }
    if (total)
        *total = ok && go_on ? mpz_get_str(NULL, 10, sum) : NULL;
    mpz_clear(sum);
    for (int i = 0; i <= hi; i++)
        mpz_clear(n[i]);
    return ok;
}
