/* Why the words suffice: behind words up to max_states - n beyond the access words W splits the
 * other machine's states into at least n parts, so that these words reach all of its max_states;
 * one symbol more shows every transition, and where it leads to is known by W, or by what tells
 * that state from the others. */
#include "automata/words/conformance.h"

#include "automata/core/word_tree.h"
#include "base/symbols.h"

void th_dfa_words_free(ThDfaWords *w)
{
    free(w->word);
    th_intern_free(&w->bytes);
    *w = (ThDfaWords){0};
}

void th_dfa_tells_free(ThDfaTells *t)
{
    th_dfa_words_free(&t->access);
    th_dfa_words_free(&t->apart);
    TH_FREE(t->tells);
    *t = (ThDfaTells){0};
}

static int by_length(const void *x, const void *y)
{
    const ThDfaWord *a = x, *b = y;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (int i = 0; i < a->length; i++)
        if (a->symbol[i] != b->symbol[i])
            return a->symbol[i] < b->symbol[i] ? -1 : 1;
    return 0;
}

/* Makes the words of what was interned, in the order of arrival or by length. */
static bool finish(ThDfaWords *w, bool sorted, ThError *err)
{
    w->n = w->bytes.n;
    w->word = th_alloc(w->n, sizeof *w->word, err);
    for (size_t i = 0; w->word && i < w->n; i++) {
        size_t size;
        w->word[i].symbol = th_intern_at(&w->bytes, i, &size);
        w->word[i].length = (int)(size / sizeof(int));
    }
    if (w->word && sorted)
        qsort(w->word, w->n, sizeof *w->word, by_length);
    return w->word != NULL;
}

/* ---- words that are put together ------------------------------------------------------------- */

/* A word that grows at its end. */
typedef struct {
    int *symbol;
    size_t n, cap;
} Line;

static bool put(Line *l, const int *symbol, int n, ThError *err)
{
    if (!th_grow(&l->symbol, &l->cap, l->n + (size_t)n + 1, sizeof *l->symbol, err))
        return false;
    if (n > 0)
        memcpy(l->symbol + l->n, symbol, (size_t)n * sizeof *symbol);
    l->n += (size_t)n;
    return true;
}

static bool keep(ThDfaWords *w, const Line *l, size_t *index, ThError *err)
{
    return th_intern(&w->bytes, l->symbol, l->n * sizeof *l->symbol, index, err);
}

/* ---- access ---------------------------------------------------------------------------------- */

/* Words in order, each longer one after all shorter: the first to reach a state is its own. */
static bool find_access(const ThDfa *d, ThDfaWords *access, ThError *err)
{
    ThWordTree t TH_OWNED(th_word_tree_free) = {0};
    bool ok = th_word_tree_states(&t, d, err);
    for (int q = 0; ok && q < d->n_states; q++) {
        int length;
        size_t index, i = th_intern_find(&t.met, &q, sizeof q);
        int *word TH_OWNED(free) = th_word_tree_word(&t, i, &length, err);
        ok = word && th_intern(&access->bytes, word, (size_t)length * sizeof *word, &index, err);
    }
    return ok && finish(access, false, err);
}

/* ---- telling states apart -------------------------------------------------------------------- */

static int class_after(const ThDfa *d, int q, ThDfaWord w)
{
    return d->label[th_dfa_walk(d, q, w.symbol, (size_t)w.length)];
}

/* Splits the parts of the states by the class after a word; a part is named by its first state.
 * From the last state on, so that those before it still have their old parts. */
static bool split(const ThDfa *d, ThDfaWord w, int *part, ThError *err)
{
    int *said TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *said, err);
    for (int q = 0; said && q < d->n_states; q++)
        said[q] = class_after(d, q, w);
    for (int q = d->n_states; said && q-- > 0;) {
        int p = 0;
        while (part[p] != part[q] || said[p] != said[q])
            p++;
        part[q] = p;
    }
    return said != NULL;
}

/* Adds a word to W that tells p and q apart. */
static bool add_telling(const ThDfa *d, int p, int q, ThStop *stop, Line *l, ThError *err)
{
    ThDfa a = *d, b = *d;
    int length = 0;
    a.start = p;
    b.start = q;
    int *word TH_OWNED(free) = th_dfa_distinguish(&a, &b, &length, stop, err);
    l->n = 0;
    return word && put(l, word, length, err);
}

/* The empty word, then shortest words for two states of one part, until no part has two. */
static bool find_apart(const ThDfa *d, ThStop *stop, ThDfaWords *apart, ThError *err)
{
    int *part TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *part, err);
    Line l = {0};
    size_t index;
    bool ok = part && put(&l, NULL, 0, err);
    for (int q = 0; ok && q < d->n_states;) {
        ok = keep(apart, &l, &index, err) && split(d, (ThDfaWord){l.symbol, (int)l.n}, part, err);
        for (q = 0; ok && q < d->n_states && part[q] == q;)
            q++;
        if (ok && q < d->n_states)
            ok = add_telling(d, part[q], q, stop, &l, err);
    }
    free(l.symbol);
    return ok && finish(apart, true, err);
}

/* How many states not yet gone word i tells from q. */
static int more_told(const int *said, size_t n_words, int n_states, int q, size_t i,
                     const bool *gone)
{
    int more = 0;
    for (int p = 0; p < n_states; p++)
        more += !gone[p] && said[(size_t)p * n_words + i] != said[(size_t)q * n_words + i];
    return more;
}

/* Which of W tell q from all others: the one that does from most, until none is left. */
static bool choose(const int *said, size_t n_words, int n_states, int q, bool *tells, ThError *err)
{
    bool *gone TH_OWNED(free) = th_alloc((size_t)n_states, sizeof *gone, err);
    for (int left = n_states - 1; gone && left > 0;) {
        size_t best = 0;
        int most = 0;
        for (size_t i = 0; i < n_words; i++) {
            int more = more_told(said, n_words, n_states, q, i, gone);
            best = more > most ? i : best;
            most = more > most ? more : most;
        }
        tells[best] = true;
        left -= most;
        for (int p = 0; p < n_states; p++)
            gone[p] |= said[(size_t)p * n_words + best] != said[(size_t)q * n_words + best];
    }
    return gone != NULL;
}

bool th_dfa_tells(const ThDfa *d, ThStop *stop, ThDfaTells *t, ThError *err)
{
    *t = (ThDfaTells){0};
    if (!find_access(d, &t->access, err) || !find_apart(d, stop, &t->apart, err))
        return false;
    size_t n = (size_t)d->n_states, n_words = t->apart.n;
    int *said TH_OWNED(free) = th_alloc(n * n_words, sizeof *said, err);
    t->tells = th_alloc(n * n_words, sizeof *t->tells, err);
    bool ok = said && t->tells;
    for (size_t i = 0; ok && i < n * n_words; i++)
        said[i] = class_after(d, (int)(i / n_words), t->apart.word[i % n_words]);
    for (size_t q = 0; ok && q < n; q++)
        ok = !th_stopped(stop, err) &&
             choose(said, n_words, d->n_states, (int)q, t->tells + q * n_words, err);
    return ok;
}

/* ---- the test -------------------------------------------------------------------------------- */

typedef struct {
    const ThDfa *d;
    const ThDfaTest *how;
    const ThDfaTells *t;
    ThDfaWords *words;
    Line line;
} Work;

/* Every word of W, or those that tell its state, behind the line. */
static bool add_apart(Work *w, bool whole, ThError *err)
{
    const ThDfaWords *apart = &w->t->apart;
    size_t n = w->line.n, index;
    size_t q = (size_t)th_dfa_walk(w->d, w->d->start, w->line.symbol, n);
    for (size_t i = 0; i < apart->n; i++) {
        if (!whole && !w->t->tells[q * apart->n + i])
            continue;
        w->line.n = n;
        if (!put(&w->line, apart->word[i].symbol, apart->word[i].length, err) ||
            !keep(w->words, &w->line, &index, err))
            return false;
        if (w->words->bytes.n > w->how->most)
            return th_fail(err, TH_ELIMIT, "the test has more than %zu words", w->how->most);
    }
    w->line.n = n;
    return !th_stopped_at(w->how->stop, w->words->bytes.n, "words", err);
}

/* Behind every access word and any `more` symbols. */
static bool add_behind(Work *w, int more, bool whole, ThError *err)
{
    int *tail TH_OWNED(free) = th_alloc((size_t)more + 1, sizeof *tail, err);
    if (!tail)
        return false;
    do {
        for (size_t i = 0; i < w->t->access.n; i++) {
            ThDfaWord access = w->t->access.word[i];
            w->line.n = 0;
            if (!put(&w->line, access.symbol, access.length, err) ||
                !put(&w->line, tail, more, err) || !add_apart(w, whole, err))
                return false;
        }
    } while (th_symbols_next(tail, more, w->d->n_symbols));
    return true;
}

bool th_dfa_test_words(const ThDfa *d, const ThDfaTest *how, ThDfaWords *words, ThError *err)
{
    int beyond = how->max_states - d->n_states;
    *words = (ThDfaWords){0};
    if (beyond < 0)
        return th_fail(err, TH_EVALUE, "the machine itself has %d states", d->n_states);
    ThDfaTells t TH_OWNED(th_dfa_tells_free) = {0};
    Work w = {.d = d, .how = how, .t = &t, .words = words};
    bool ok = th_dfa_tells(d, how->stop, &t, err);
    for (int more = 0; ok && more <= beyond + 1; more++)
        ok = (more > 0 && d->n_symbols == 0) ||
             add_behind(&w, more, how->whole || more <= beyond, err);
    free(w.line.symbol);
    return ok && finish(words, true, err);
}
