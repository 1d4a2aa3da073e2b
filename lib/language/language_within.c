/* The members of a language among those of another, from which they are drawn. */
#include <math.h>

#include "language/language_kind.h"

typedef struct {
    ThLanguage *inner, *outer; /* over the same symbols */
} Within;

static void free_data(void *data)
{
    Within *w = data;
    th_language_free(w->inner);
    th_language_free(w->outer);
    free(w);
}

static bool member(const ThLanguage *l, ThLanguageWord word, ThStop *stop, ThLanguageAnswer *answer,
                   ThError *err)
{
    const Within *w = l->data;
    return th_language_member(w->outer, word, stop, answer, err) &&
           (*answer == TH_LANGUAGE_NO || th_language_member(w->inner, word, stop, answer, err));
}

typedef struct {
    const ThLanguage *l;
    ThLanguageWords *outer;
    int length;
    ThStop *stop;
} Words;

static void *words(const ThLanguage *l, int length, ThStop *stop, ThError *err)
{
    const Within *own = l->data;
    Words *w = th_alloc(1, sizeof *w, err);
    if (!w)
        return NULL;
    *w = (Words){l, th_language_words(own->outer, length, stop, err), length, stop};
    return TH_KEEP_IF(w->outer, w, free);
}

/* How many of them the inner language has is not known, unless there are none. */
static double log_words(const void *own)
{
    double outer = th_language_words_log(((const Words *)own)->outer);
    return outer == -HUGE_VAL ? outer : (double)NAN;
}

static bool draw(const void *own, ThRng *r, int *word, ThError *err)
{
    enum { IN_A_ROW = 1000 };
    const Words *w = own;
    for (int i = 0; i < IN_A_ROW; i++) {
        ThLanguageAnswer answer;
        if (th_stopped(w->stop, err) || !th_language_draw(w->outer, r, word, err) ||
            !th_language_member(w->l, (ThLanguageWord){word, w->length}, w->stop, &answer, err))
            return false;
        if (answer == TH_LANGUAGE_YES)
            return true;
    }
    return th_fail(err, TH_EVALUE,
                   "none of %d words of length %d drawn from the other language is "
                   "a word of this one",
                   IN_A_ROW, w->length);
}

static void free_words(void *own)
{
    Words *w = own;
    th_language_words_free(w->outer);
    free(w);
}

/* A word is read as one of the outer language, and in the end asked of both; numbers need every one
 * tried. */
static void *start_reading(const ThLanguage *l, ThError *err)
{
    return th_language_reader(((const Within *)l->data)->outer, NULL, err);
}

static bool push(void *reading, int symbol, bool *alive, ThError *err)
{
    return th_language_push(reading, symbol, alive, err);
}

static void pop(void *reading)
{
    th_language_pop(reading);
}

static void stop_reading(void *reading)
{
    th_language_reader_free(reading);
}

static void identify(ThText *t, const ThLanguage *l)
{
    const Within *w = l->data;
    th_language_identify(t, w->inner);
    th_language_identify(t, w->outer);
}

/* Prefixes of the outer language need not be prefixes of the inner one. */
static const ThLanguageKind kind = {
    .name = "part",
    .free_data = free_data,
    .identify = identify,
    .member = member,
    .read = start_reading,
    .push = push,
    .pop = pop,
    .stop_reading = stop_reading,
    .words = words,
    .log_words = log_words,
    .draw = draw,
    .free_words = free_words,
};

ThLanguage *th_language_within(const ThLanguage *inner, const ThLanguage *outer, ThError *err)
{
    ThLanguage *l = th_language_new(&kind, err);
    Within *w = l ? th_alloc(1, sizeof *w, err) : NULL;
    bool ok = w && (inner->n_symbols == outer->n_symbols ||
                    th_fail(err, TH_EVALUE, "the alphabets of the two languages differ"));
    if (w) {
        l->data = w;
        l->may_not_answer = inner->may_not_answer || outer->may_not_answer;
        *w = (Within){th_language_share(inner), th_language_share(outer)};
    }
    for (int i = 0; ok && i < outer->n_symbols; i++)
        ok = th_language_symbol(l, outer->symbol[i], err) >= 0 &&
             (strcmp(inner->symbol[i], outer->symbol[i]) == 0 ||
              th_fail(err, TH_EVALUE, "the alphabets of the two languages differ in their order"));
    return TH_KEEP_IF(ok, l, th_language_free);
}
