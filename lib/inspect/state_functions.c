#include "inspect/state_functions.h"

#include "base/intern.h"
#include "base/symbols.h"

enum { MOST_SEARCHED = 20000, LONGEST_WORD = 24 };

struct ThFunctions {
    const ThDfa *machine;
    ThIntern map;  /* (n_states) ints each */
    ThIntern word; /* by the same number: a word that induces it, ints */
};

ThFunctions *th_functions_new(const ThDfa *machine, ThError *err)
{
    ThFunctions *f = th_alloc(1, sizeof *f, err);
    if (f)
        f->machine = machine;
    return f;
}

int th_functions_count(const ThFunctions *f)
{
    return (int)f->map.n;
}

static size_t map_size(const ThFunctions *f)
{
    return (size_t)f->machine->n_states * sizeof(int);
}

/* The number of a function; where it is new, remembers the word. */
static bool add(ThFunctions *f, const int *map, const int *word, int length, size_t *index,
                ThError *err)
{
    size_t known = f->map.n, same;
    if (!th_intern(&f->map, map, map_size(f), index, err))
        return false;
    return *index < known || th_intern(&f->word, word, (size_t)length * sizeof *word, &same, err);
}

int th_functions_index(ThFunctions *f, const int *word, int length, ThError *err)
{
    const ThDfa *d = f->machine;
    size_t index = 0;
    int *map TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *map, err);
    if (!map)
        return -1;
    for (int q = 0; q < d->n_states; q++)
        map[q] = th_dfa_walk(d, q, word, (size_t)length);
    bool ok = add(f, map, word, length, &index, err);
    return ok ? (int)index : -1;
}

/* Buffers of the search below. */
typedef struct {
    int *from, *map; /* (n_states) */
    int *word;       /* grows */
    size_t cap;
} Scratch;

/* Adds the functions of a word followed by each symbol; the word's own function is s->from. */
static bool extend(ThFunctions *all, Scratch *s, int length, ThError *err)
{
    const ThDfa *d = all->machine;
    size_t index;
    for (int a = 0; a < d->n_symbols; a++) {
        for (int q = 0; q < d->n_states; q++)
            s->map[q] = d->next[(size_t)s->from[q] * d->n_symbols + a];
        s->word[length] = a;
        if (!add(all, s->map, s->word, length + 1, &index, err))
            return false;
    }
    return true;
}

/* Breadth first over the semigroup, until all wanted functions have been met. */
static bool search(ThFunctions *all, const ThFunctions *wanted, Scratch *s, ThStop *stop,
                   ThError *err)
{
    size_t missing = wanted->map.n, size;
    for (int q = 0; q < all->machine->n_states; q++)
        s->from[q] = q;
    if (!th_grow(&s->word, &s->cap, 1, sizeof *s->word, err) || !extend(all, s, 0, err))
        return false;
    for (size_t i = 0; i < all->map.n && all->map.n < MOST_SEARCHED; i++) {
        memcpy(s->from, th_intern_at(&all->map, i, NULL), map_size(all));
        missing -= th_intern_find(&wanted->map, s->from, map_size(all)) != SIZE_MAX;
        if (missing == 0)
            break;
        const int *word = th_intern_at(&all->word, i, &size);
        int length = (int)(size / sizeof *word);
        if (!th_grow(&s->word, &s->cap, (size_t)length + 1, sizeof *s->word, err))
            return false;
        memcpy(s->word, word, size);
        if (!extend(all, s, length, err) || th_stopped(stop, err))
            return false;
    }
    return true;
}

static char *spell(const ThIntern *words, size_t i, char *const *symbol, int n_symbols,
                   ThError *err)
{
    ThText t = {0};
    size_t size;
    const int *word = th_intern_at(words, i, &size);
    int length = (int)(size / sizeof *word);
    int shown = length < LONGEST_WORD ? length : LONGEST_WORD;
    th_symbols_write(&t, symbol, n_symbols, word, shown);
    if (shown < length)
        th_text_add(&t, "…");
    return th_text_take(&t, err);
}

static bool spell_all(ThFunctions *f, ThFunctions *all, char **words, char *const *symbol,
                      ThError *err)
{
    for (size_t i = 0; i < f->map.n; i++) {
        size_t shortest = th_intern_find(&all->map, th_intern_at(&f->map, i, NULL), map_size(f));
        bool met = shortest != SIZE_MAX;
        words[i] = spell(met ? &all->word : &f->word, met ? shortest : i, symbol,
                         f->machine->n_symbols, err);
        if (!words[i])
            return false;
    }
    return true;
}

char **th_functions_words(ThFunctions *f, char *const *symbol, ThStop *stop, ThError *err)
{
    size_t n_states = (size_t)f->machine->n_states;
    ThFunctions *all TH_OWNED(th_functions_free) = th_functions_new(f->machine, err);
    char **words = th_alloc(f->map.n, sizeof *words, err);
    Scratch s = {.from = th_alloc(n_states, sizeof(int), err),
                 .map = th_alloc(n_states, sizeof(int), err)};
    bool ok = all && words && s.from && s.map && search(all, f, &s, stop, err) &&
              spell_all(f, all, words, symbol, err);
    TH_FREE(s.from, s.map, s.word);
    if (ok)
        return words;
    TH_FREE_EACH(words, f->map.n);
    return NULL;
}

void th_functions_free(ThFunctions *f)
{
    if (!f)
        return;
    th_intern_free(&f->map);
    th_intern_free(&f->word);
    free(f);
}
