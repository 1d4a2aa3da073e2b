/* Near misses, and two languages compared. */
#include <limits.h>

#include "language/language_kind.h"

/* ---- near misses ----------------------------------------------------------------------------- */

typedef struct {
    int *word, n;
    int n_symbols;
    ThLanguageLengths lengths;
} Edited;

static void put_in(Edited *e, int at, int symbol)
{
    memmove(e->word + at + 1, e->word + at, (size_t)(e->n - at) * sizeof *e->word);
    e->word[at] = symbol;
    e->n++;
}

static int take_out(Edited *e, int at)
{
    int symbol = e->word[at];
    memmove(e->word + at, e->word + at + 1, (size_t)(e->n - at - 1) * sizeof *e->word);
    e->n--;
    return symbol;
}

static void edit_once(Edited *e, ThRng *r)
{
    enum { INSERT, REPLACE, DELETE, MOVE } may[4];
    int n_may = 0;
    bool fixed = e->lengths.lo == e->lengths.hi;
    if (e->n < e->lengths.hi)
        may[n_may++] = INSERT;
    if (e->n > 0 && e->n_symbols > 1)
        may[n_may++] = REPLACE;
    if (e->n > e->lengths.lo)
        may[n_may++] = DELETE;
    if (fixed && e->n > 1)
        may[n_may++] = MOVE;
    if (n_may == 0)
        return;
    int what = (int)may[th_rng_below(r, (uint64_t)n_may)];
    int places = e->n + (what == INSERT);
    int at = (int)th_rng_below(r, (uint64_t)places);
    if (what == INSERT) {
        put_in(e, at, (int)th_rng_below(r, (uint64_t)e->n_symbols));
    } else if (what == REPLACE) {
        int other = (int)th_rng_below(r, (uint64_t)e->n_symbols - 1);
        e->word[at] = other + (other >= e->word[at]);
    } else {
        int symbol = take_out(e, at);
        if (what == MOVE)
            put_in(e, (int)th_rng_below(r, (uint64_t)e->n + 1), symbol);
    }
}

bool th_language_near_miss(const ThLanguage *l, ThRng *r, ThLanguageLengths lengths, int *word,
                           int *n, int *edits, ThStop *stop, ThError *err)
{
    enum { PROPOSALS = 100 };
    int *member TH_OWNED(free) = th_copy(word, (size_t)*n, sizeof *member, err);
    bool ok = member != NULL;
    *edits = 0;
    for (int i = 0; ok && *edits == 0 && i < PROPOSALS; i++) {
        Edited e = {word, *n, l->n_symbols, lengths};
        ThLanguageAnswer answer;
        int k = 1;
        while (th_rng_below(r, 2))
            k++;
        memcpy(word, member, (size_t)*n * sizeof *word);
        for (int j = 0; j < k; j++)
            edit_once(&e, r);
        ok = !th_stopped(stop, err) &&
             th_language_member(l, (ThLanguageWord){word, e.n}, stop, &answer, err);
        if (ok && answer == TH_LANGUAGE_NO) {
            *edits = k;
            *n = e.n;
        }
    }
    return ok;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The symbol of b that is named as each of a; false where the alphabets are not the same. */
static bool match_symbols(const ThLanguage *a, const ThLanguage *b, int *map, ThError *err)
{
    bool same = a->n_symbols == b->n_symbols;
    for (int i = 0; same && i < a->n_symbols; i++) {
        map[i] = 0;
        while (map[i] < b->n_symbols && strcmp(a->symbol[i], b->symbol[map[i]]) != 0)
            map[i]++;
        same = map[i] < b->n_symbols;
    }
    if (same)
        return true;
    ThText x TH_OWNED(th_text_free) = {0}, y TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < a->n_symbols; i++)
        th_text_printf(&x, "%s%s", i ? " " : "", a->symbol[i]);
    for (int i = 0; i < b->n_symbols; i++)
        th_text_printf(&y, "%s%s", i ? " " : "", b->symbol[i]);
    return th_fail(err, TH_EVALUE, "the alphabets differ: %.100s, and %.100s",
                   x.data ? x.data : "none", y.data ? y.data : "none");
}

typedef struct {
    ThLanguageReader *reader[2];
    const int *map;
    int *word, length, n_symbols;
    ThLanguageDifference *d;
    long long left;
    ThStop *stop;
} Pair;

static bool ask_both(Pair *p, ThError *err)
{
    ThLanguageAnswer *x = p->d->answer;
    if (!th_language_accepts(p->reader[0], &x[0], err) ||
        !th_language_accepts(p->reader[1], &x[1], err))
        return false;
    bool open = x[0] == TH_LANGUAGE_UNKNOWN || x[1] == TH_LANGUAGE_UNKNOWN;
    p->d->unknown += open;
    p->d->differ = !open && x[0] != x[1];
    p->d->n = p->length;
    return true;
}

/* Reads one symbol in both; *go_on: it is viable in one of them. */
static bool push_both(Pair *p, int a, bool *go_on, ThError *err)
{
    bool viable[2];
    if (!th_language_push(p->reader[0], a, &viable[0], err))
        return false;
    if (!th_language_push(p->reader[1], p->map[a], &viable[1], err)) {
        th_language_pop(p->reader[0]);
        return false;
    }
    *go_on = viable[0] || viable[1];
    return true;
}

static void pop_both(Pair *p)
{
    th_language_pop(p->reader[0]);
    th_language_pop(p->reader[1]);
}

/* All words of a length, depth first; where one differs the readers stay inside of it. */
static bool compare_length(Pair *p, ThError *err)
{
    int depth = 0, *word = p->word;
    bool ok = true, go_on;
    if (p->length == 0)
        return ask_both(p, err);
    word[0] = -1;
    while (ok && depth >= 0 && !p->d->differ) {
        if (++word[depth] == p->n_symbols) {
            if (--depth >= 0)
                pop_both(p);
            continue;
        }
        if (p->left-- == 0)
            return th_fail(err, TH_ELIMIT, "there are too many words of length %d to compare all",
                           p->length);
        ok = !th_stopped(p->stop, err) && push_both(p, word[depth], &go_on, err);
        if (!ok)
            break;
        if (go_on && depth + 1 < p->length) {
            word[++depth] = -1;
            continue;
        }
        ok = !go_on || ask_both(p, err);
        pop_both(p);
    }
    return ok;
}

/* Adds the number of words of a length; -1: they are too many to be told. */
static void add_words(long long *n, int symbols, int length)
{
    long long of_length = 1, most = LLONG_MAX / 4;
    for (int i = 0; i < length && of_length >= 0; i++)
        of_length = symbols && of_length > most / symbols ? -1 : of_length * symbols;
    *n = *n < 0 || of_length < 0 || *n > most - of_length ? -1 : *n + of_length;
}

bool th_language_compare(const ThLanguage *a, const ThLanguage *b, ThLanguageLengths lengths,
                         ThLanguageDifference *d, ThStop *stop, ThError *err)
{
    *d = (ThLanguageDifference){0};
    int *map TH_OWNED(free) = th_alloc((size_t)a->n_symbols, sizeof *map, err);
    int *word = th_alloc((size_t)lengths.hi + 1, sizeof *word, err);
    Pair p = {.map = map,
              .word = word,
              .n_symbols = a->n_symbols,
              .d = d,
              .left = 100000000,
              .stop = stop};
    bool ok = map && word && match_symbols(a, b, map, err) &&
              (p.reader[0] = th_language_reader(a, stop, err)) &&
              (p.reader[1] = th_language_reader(b, stop, err));
    for (p.length = lengths.lo; ok && !d->differ && p.length <= lengths.hi; p.length++) {
        ok = compare_length(&p, err);
        add_words(&d->words, a->n_symbols, p.length);
    }
    th_language_reader_free(p.reader[0]);
    th_language_reader_free(p.reader[1]);
    if (ok && d->differ)
        d->word = word;
    else
        free(word);
    return ok;
}
