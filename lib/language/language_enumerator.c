/* A machine that prints words, and what it has printed within its steps as a language; and the
 * words of any kind that finds some by itself. */
#include <inttypes.h>

#include "base/intern.h"
#include "base/symbols.h"
#include "language/language_kind.h"
#include "turing/tm_run.h"

bool th_language_enumerate(const ThLanguage *l, ThLanguageFound *seen, void *context, ThStop *stop,
                           ThError *err)
{
    if (l->kind->enumerate)
        return l->kind->enumerate(l, seen, context, stop, err);
    th_fail(err, TH_EVALUE, "languages of the kind %s are not searched for words", l->kind->name);
    return th_hint(err, "machines are, by dovetailing, and what enumerators print");
}

typedef struct {
    ThTm *machine;
    int print; /* the state */
    uint64_t steps;
    int *symbol;      /* (n_symbols): the machine's */
    bool stopped;     /* it prints no more */
    ThIntern printed; /* words as numbers of the language's symbols */
    uint64_t *after;  /* (printed.n): steps */
    size_t after_cap;
} Enumerator;

static void free_data(void *data)
{
    Enumerator *e = data;
    th_tm_free(e->machine);
    th_intern_free(&e->printed);
    TH_FREE(e->symbol, e->after, e);
}

static bool member(const ThLanguage *l, ThLanguageWord word, ThStop *stop TH_UNUSED,
                   ThLanguageAnswer *answer, ThError *err TH_UNUSED)
{
    const Enumerator *e = l->data;
    const int *symbols = word.n ? word.symbol : &word.n; /* no pointer to nothing */
    bool printed =
        th_intern_find(&e->printed, symbols, (size_t)word.n * sizeof *symbols) != SIZE_MAX;
    *answer = printed ? TH_LANGUAGE_YES : e->stopped ? TH_LANGUAGE_NO : TH_LANGUAGE_UNKNOWN;
    return true;
}

static bool enumerate(const ThLanguage *l, ThLanguageFound *seen, void *context, ThStop *stop,
                      ThError *err)
{
    const Enumerator *e = l->data;
    for (size_t i = 0; i < e->printed.n; i++) {
        size_t size;
        const int *word = th_intern_at(&e->printed, i, &size);
        if (th_stopped(stop, err))
            return false;
        if (!seen(context, (ThLanguageWord){word, (int)(size / sizeof *word)}, e->after[i]))
            break;
    }
    return true;
}

static void identify(ThText *t, const ThLanguage *l)
{
    const Enumerator *e = l->data;
    th_text_printf(t, "%" PRIu64 " steps, printing in %s\n", e->steps, e->machine->state[e->print]);
    th_tm_write(t, e->machine, "");
}

static const ThLanguageKind kind = {
    .name = "enumerator",
    .may_not_answer = true,
    .free_data = free_data,
    .identify = identify,
    .member = member,
    .enumerate = enumerate,
};

/* ---- printing -------------------------------------------------------------------------------- */

/* The word on the last tape, if all of its symbols are the language's. */
static bool print(ThLanguage *l, const ThTmRunning *r, int **word, size_t *cap, ThError *err)
{
    enum { MOST_BYTES = 1 << 28 };
    Enumerator *e = l->data;
    const ThTmTape *t = &r->tape[e->machine->n_tapes - 1];
    int n = 0, a = 0, s, blank = e->machine->blank;
    for (; a < l->n_symbols && (s = th_tm_tape_at(t, n, blank)) != blank; n++) {
        for (a = 0; a < l->n_symbols && e->symbol[a] != s; a++)
            ;
        if (!th_grow(word, cap, (size_t)n + 1, sizeof **word, err))
            return false;
        (*word)[n] = a;
    }
    size_t known = e->printed.n, i;
    if (a == l->n_symbols)
        return true;
    if (!th_intern(&e->printed, n ? *word : &n, (size_t)n * sizeof n, &i, err))
        return false;
    if (e->printed.size > MOST_BYTES)
        return th_fail(err, TH_ELIMIT, "the words that are printed take too much memory");
    return i < known || (th_grow(&e->after, &e->after_cap, i + 1, sizeof *e->after, err) &&
                         (e->after[i] = r->steps, true));
}

static bool run(ThLanguage *l, ThStop *stop, ThError *err)
{
    Enumerator *e = l->data;
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    ThTmRunLimits limits = {e->steps, UINT64_MAX};
    int *word TH_OWNED(free) = NULL;
    size_t cap = 0;
    bool ok = th_tm_running_start_words(&r, e->machine, &(ThTmTapeWords){0}, err);
    for (bool more = ok; ok && more; more = ok && r.verdict == TH_TM_GOES_ON) {
        ok = (r.state != e->print || print(l, &r, &word, &cap, err)) &&
             th_tm_running_go(&r, 1, limits, stop, err);
    }
    e->stopped = ok && r.verdict <= TH_TM_ENDLESS;
    if (ok && e->stopped && r.state == e->print)
        ok = print(l, &r, &word, &cap, err);
    return ok;
}

ThLanguage *th_language_of_enumerator(const ThTm *m, const char *state,
                                      const ThLanguageAlphabet *alphabet, uint64_t steps,
                                      ThStop *stop, ThError *err)
{
    ThLanguage *l = th_language_new(&kind, err);
    Enumerator *e = l ? th_alloc(1, sizeof *e, err) : NULL;
    bool ok = e != NULL;
    if (ok) {
        *e = (Enumerator){.steps = steps, .print = th_symbols_find(m->state, m->n_states, state)};
        l->data = e;
        ok = (e->print >= 0 || th_fail(err, TH_EVALUE, "the machine has no state '%s'", state)) &&
             (!m->branching || th_fail(err, TH_EVALUE, "an enumerator has no choice of rules")) &&
             (e->machine = th_tm_copy(m, err)) &&
             th_language_machine_symbols(l, m, alphabet, &e->symbol, err) && run(l, stop, err);
    }
    return TH_KEEP_IF(ok, l, th_language_free);
}
