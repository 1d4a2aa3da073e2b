/* An automaton as a language: the minimal machine, which reads, counts and draws. */
#include <math.h>

#include "automata/words/log_count.h"
#include "automata/words/words.h"
#include "language/language_kind.h"

typedef struct {
    ThAutomaton *automaton;
    ThDfa *machine;
    bool *alive; /* (n_states): acceptance can be reached */
} Automaton;

static void free_data(void *data)
{
    Automaton *a = data;
    th_automaton_free(a->automaton);
    th_dfa_free(a->machine);
    TH_FREE(a->alive, a);
}

/* A state of a minimal machine is alive unless it is the sink that rejects. */
static void mark_alive(Automaton *a)
{
    const ThDfa *d = a->machine;
    for (int q = 0; q < d->n_states; q++) {
        a->alive[q] = d->label[q] == 1;
        for (int i = 0; i < d->n_symbols; i++)
            a->alive[q] = a->alive[q] || d->next[(size_t)q * (size_t)d->n_symbols + (size_t)i] != q;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    const Automaton *a;
    int *state, n;
    size_t cap;
} Reading;

static void *start_reading(const ThLanguage *l, ThError *err)
{
    const Automaton *a = l->data;
    Reading *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    r->a = a;
    if (!th_grow(&r->state, &r->cap, 1, sizeof *r->state, err)) {
        free(r);
        return NULL;
    }
    r->state[0] = a->machine->start;
    return r;
}

static bool push(void *reading, int symbol, bool *viable, ThError *err)
{
    Reading *r = reading;
    if (!th_grow(&r->state, &r->cap, (size_t)r->n + 2, sizeof *r->state, err))
        return false;
    int q = th_dfa_walk(r->a->machine, r->state[r->n], &symbol, 1);
    r->state[++r->n] = q;
    *viable = r->a->alive[q];
    return true;
}

static void pop(void *reading)
{
    ((Reading *)reading)->n--;
}

static bool accepts(void *reading, ThLanguageAnswer *answer, ThError *err TH_UNUSED)
{
    const Reading *r = reading;
    *answer = r->a->machine->label[r->state[r->n]] ? TH_LANGUAGE_YES : TH_LANGUAGE_NO;
    return true;
}

static void stop_reading(void *reading)
{
    Reading *r = reading;
    TH_FREE(r->state, r);
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct {
    double log;
    ThWordSampler *sampler; /* NULL where there are no words */
} Words;

static void free_words(void *words)
{
    Words *w = words;
    th_word_sampler_free(w->sampler);
    free(w);
}

static void *count_words(const ThLanguage *l, int length, ThStop *stop, ThError *err)
{
    const ThDfa *d = ((const Automaton *)l->data)->machine;
    bool *wanted TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *wanted, err);
    Words *w = wanted ? th_alloc(1, sizeof *w, err) : NULL;
    for (int q = 0; w && q < d->n_states; q++)
        wanted[q] = d->label[q] == 1;
    ThWordCount *c TH_OWNED(th_words_free) = w ? th_words_count(d, wanted, length, err) : NULL;
    if (c) {
        w->log = th_words_log(c, d->start, length);
        w->sampler = w->log > -HUGE_VAL ? th_word_sampler(d, length, stop, err) : NULL;
    }
    if (!w || (c && (w->sampler || w->log == -HUGE_VAL)))
        return w;
    free_words(w);
    return NULL;
}

static double log_words(const void *words)
{
    return ((const Words *)words)->log;
}

static bool draw(const void *words, ThRng *r, int *word, ThError *err)
{
    return th_word_sample(((const Words *)words)->sampler, r, word, err);
}

static bool note_count(void *context, int length, const char *digits)
{
    mpz_t *n = context;
    return mpz_set_str(n[length], digits, 10) == 0;
}

static bool count(const ThLanguage *l, int hi, mpz_t *n, bool *known, ThStop *stop, ThError *err)
{
    ThWordCounting how = {0, hi, note_count, n, stop};
    *known = true;
    return th_dfa_count(((const Automaton *)l->data)->machine, &how, NULL, err);
}

static bool automaton(const ThLanguage *l, ThAutomaton **a, ThStop *stop TH_UNUSED, ThError *err)
{
    *a = th_automaton_copy(((const Automaton *)l->data)->automaton, err);
    return *a != NULL;
}

static void identify(ThText *t, const ThLanguage *l)
{
    th_automaton_write(t, ((const Automaton *)l->data)->automaton, "");
}

static const ThLanguageKind kind = {
    .name = "automaton",
    .knows_prefixes = true,
    .free_data = free_data,
    .identify = identify,
    .read = start_reading,
    .push = push,
    .pop = pop,
    .accepts = accepts,
    .stop_reading = stop_reading,
    .words = count_words,
    .log_words = log_words,
    .draw = draw,
    .free_words = free_words,
    .count = count,
    .automaton = automaton,
};

ThLanguage *th_language_of_automaton(const ThAutomaton *a, size_t most_states, ThStop *stop,
                                     ThError *err)
{
    ThLanguage *l = th_language_new(&kind, err);
    Automaton *own = l ? th_alloc(1, sizeof *own, err) : NULL;
    if (!own) {
        th_language_free(l);
        return NULL;
    }
    l->data = own;
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, most_states, stop, err);
    own->machine = d ? th_dfa_minimize(d, stop, err) : NULL;
    own->automaton = own->machine ? th_automaton_copy(a, err) : NULL;
    own->alive =
        own->automaton ? th_alloc((size_t)own->machine->n_states, sizeof *own->alive, err) : NULL;
    bool ok = own->alive != NULL;
    for (int i = 0; ok && i < a->n_symbols; i++)
        ok = th_language_symbol(l, a->symbol[i], err) == i;
    if (ok)
        mark_alive(own);
    else
        th_language_free(l);
    return ok ? l : NULL;
}
