/* A word is known by its row: what each ending makes of it, endings by length and in order, so that
 * the first place where two rows differ is the shortest ending that tells them apart. */
#include "language/residuals.h"

#include "base/intern.h"
#include "base/symbols.h"

void th_language_residuals_free(ThLanguageResiduals *r)
{
    TH_FREE(r->word, r->size, r->ending, r->ending_size, r->up_to);
    *r = (ThLanguageResiduals){0};
}

typedef struct {
    const ThLanguage *l;
    ThLanguageReader *reader;
    ThStop *stop;
    int symbols, length;
    size_t endings;
    unsigned char *row; /* (endings) */
    ThIntern rows;
} Work;

/* Words of up to `length` symbols; more than can be tried: 0. */
static size_t words_up_to(int symbols, int length)
{
    size_t sum = 1, power = 1;
    for (int i = 0; i < length; i++) {
        power *= (size_t)symbols;
        sum += power;
        if (sum > TH_LANGUAGE_MOST_TRIED)
            return 0;
    }
    return sum;
}

static bool push(Work *w, const int *word, int n, ThError *err)
{
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = th_language_push(w->reader, word[i], NULL, err);
    return ok;
}

static void pop(Work *w, int n)
{
    while (n-- > 0)
        th_language_pop(w->reader);
}

/* Fills the row of what has been read. */
static bool fill_row(Work *w, int *ending, ThError *err)
{
    size_t at = 0;
    for (int n = 0; n <= w->length; n++) {
        do {
            ThLanguageAnswer answer;
            if (th_stopped(w->stop, err) || !push(w, ending, n, err) ||
                !th_language_accepts(w->reader, &answer, err))
                return false;
            if (answer == TH_LANGUAGE_UNKNOWN)
                return th_fail(err, TH_EVALUE, "a word of up to %d symbols gets no answer",
                               2 * w->length);
            w->row[at++] = (unsigned char)answer;
            pop(w, n);
        } while (th_symbols_next(ending, n, w->symbols));
    }
    return true;
}

/* The at-th ending. */
static int ending_at(const Work *w, size_t at, int *ending)
{
    int n = 0;
    for (size_t power = 1; at >= power; power *= (size_t)w->symbols, n++)
        at -= power;
    for (int i = n; i-- > 0; at /= (size_t)w->symbols)
        ending[i] = (int)(at % (size_t)w->symbols);
    return n;
}

static bool room(ThLanguageResiduals *r, size_t cap[4], int length, ThError *err)
{
    size_t n = (size_t)r->n + 1, width = (size_t)length + 1;
    return th_grow(&r->word, &cap[0], n * width, sizeof *r->word, err) &&
           th_grow(&r->ending, &cap[1], n * width, sizeof *r->ending, err) &&
           th_grow(&r->size, &cap[2], n, sizeof *r->size, err) &&
           th_grow(&r->ending_size, &cap[3], n, sizeof *r->ending_size, err);
}

/* Adds a word whose row is new: the last of the rows. */
static void add_word(const Work *w, ThLanguageResiduals *r, const int *word, int n)
{
    size_t width = (size_t)w->length, differ = 0;
    const unsigned char *row = th_intern_at(&w->rows, (size_t)r->n, NULL);
    const unsigned char *before = r->n ? th_intern_at(&w->rows, (size_t)r->n - 1, NULL) : row;
    while (r->n && row[differ] == before[differ])
        differ++;
    memcpy(r->word + (size_t)r->n * width, word, (size_t)n * sizeof *word);
    r->size[r->n] = n;
    r->ending_size[r->n] = r->n ? ending_at(w, differ, r->ending + (size_t)r->n * width) : 0;
    r->n++;
}

static bool all_words(Work *w, ThLanguageResiduals *r, ThError *err)
{
    int *word TH_OWNED(free) = th_alloc((size_t)w->length + 1, sizeof *word, err);
    int *ending TH_OWNED(free) = th_alloc((size_t)w->length + 1, sizeof *ending, err);
    size_t cap[4] = {0}, index;
    bool ok = word && ending;
    for (int n = 0; ok && n <= w->length; n++) {
        do {
            ok = push(w, word, n, err) && fill_row(w, ending, err) &&
                 th_intern(&w->rows, w->row, w->endings, &index, err) &&
                 room(r, cap, w->length, err);
            if (ok && index == (size_t)r->n)
                add_word(w, r, word, n);
            if (ok)
                pop(w, n);
        } while (ok && th_symbols_next(word, n, w->symbols));
        r->up_to[n] = r->n;
    }
    return ok;
}

bool th_language_residuals(const ThLanguage *l, int length, ThStop *stop, ThLanguageResiduals *r,
                           ThError *err)
{
    Work w = {.l = l, .stop = stop};
    *r = (ThLanguageResiduals){0};
    th_language_symbols(l, &w.symbols);
    w.length = w.symbols > 0 ? length : 0; /* without symbols there is the empty word alone */
    w.endings = words_up_to(w.symbols, length);
    if (w.endings == 0 || w.endings * w.endings > TH_LANGUAGE_MOST_TRIED)
        return th_fail(err, TH_ELIMIT, "words of up to %d symbols have more than %d endings in all",
                       length, TH_LANGUAGE_MOST_TRIED);
    r->up_to = th_alloc((size_t)length + 1, sizeof *r->up_to, err);
    w.row = th_alloc(w.endings, 1, err);
    w.reader = r->up_to && w.row ? th_language_reader(l, stop, err) : NULL;
    bool ok = w.reader && all_words(&w, r, err);
    for (int n = w.length + 1; ok && n <= length; n++)
        r->up_to[n] = r->n;
    th_language_reader_free(w.reader);
    th_intern_free(&w.rows);
    free(w.row);
    return ok;
}
