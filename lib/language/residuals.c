/* A word is known by its row: what each ending makes of it, endings by length and in order, so that
 * the first place where two rows differ is the shortest ending that tells them apart. */
#include "language/residuals.h"

#include "base/intern.h"

void th_language_residuals_free(ThLanguageResiduals *r)
{
    TH_FREE(r->word, r->size, r->ending, r->ending_size, r->up_to);
    *r = (ThLanguageResiduals){0};
}

/* All words up to twice the length, by their numbers in order of length and symbols: those behind a
 * word that have one length stand side by side. */
typedef struct {
    size_t symbols, endings; /* words of up to `length` */
    int length;
    unsigned char *member; /* is each one? */
    bool open;             /* some word got no answer */
    unsigned char *row;    /* (endings) */
    ThIntern rows;
} Work;

/* The number of words below a length; more than can be tried: 0. */
static size_t words_below(size_t symbols, int length)
{
    size_t n = 0;
    for (int i = 0; i < length; i++)
        if ((n = n * symbols + 1) > TH_LANGUAGE_MOST_TRIED)
            return 0;
    return n;
}

static bool note(void *context, ThLanguageWord word, ThLanguageAnswer answer)
{
    Work *w = context;
    size_t at = 0;
    for (int i = 0; i < word.n; i++)
        at = at * w->symbols + (size_t)word.symbol[i];
    w->member[words_below(w->symbols, word.n) + at] = 1;
    w->open = answer == TH_LANGUAGE_UNKNOWN;
    return !w->open;
}

/* Fills the row of the at-th word of n symbols. */
static void fill_row(Work *w, int n, size_t at)
{
    size_t power = 1, below = 0;
    for (int m = 0; m <= w->length; m++, below += power, power *= w->symbols)
        memcpy(w->row + below, w->member + words_below(w->symbols, n + m) + at * power, power);
}

/* The at-th of all words. */
static int word_at(const Work *w, size_t at, int *word)
{
    int n = 0;
    for (size_t power = 1; at >= power; power *= w->symbols, n++)
        at -= power;
    for (int i = n; w->symbols > 0 && i-- > 0; at /= w->symbols) /* without symbols n is 0 */
        word[i] = (int)(at % w->symbols);
    return n;
}

/* Adds a word whose row is new: the last of the rows. */
static bool add_word(const Work *w, ThLanguageResiduals *r, size_t at, size_t cap[4], ThError *err)
{
    size_t n = (size_t)r->n + 1, width = (size_t)w->length, differ = 0, begin = (n - 1) * width;
    if (!th_grow(&r->word, &cap[0], n * (width + 1), sizeof *r->word, err) ||
        !th_grow(&r->ending, &cap[1], n * (width + 1), sizeof *r->ending, err) ||
        !th_grow(&r->size, &cap[2], n, sizeof *r->size, err) ||
        !th_grow(&r->ending_size, &cap[3], n, sizeof *r->ending_size, err))
        return false;
    const unsigned char *row = th_intern_at(&w->rows, n - 1, NULL);
    const unsigned char *before = r->n ? th_intern_at(&w->rows, n - 2, NULL) : row;
    while (r->n && row[differ] == before[differ])
        differ++;
    r->size[r->n] = word_at(w, at, r->word + begin);
    r->ending_size[r->n] = r->n ? word_at(w, differ, r->ending + begin) : 0;
    r->n++;
    return true;
}

static bool all_words(Work *w, const ThLanguage *l, ThLanguageResiduals *r, ThStop *stop,
                      ThError *err)
{
    size_t cap[4] = {0}, index, at = 0, power = 1;
    bool ok = true;
    for (int n = 0; ok && n <= 2 * w->length; n++)
        ok = th_language_each(l, n, 0, note, w, NULL, stop, err) &&
             (!w->open ||
              th_fail(err, TH_EVALUE, "a word of up to %d symbols gets no answer", 2 * w->length));
    for (int n = 0; ok && n <= w->length; n++, power *= w->symbols) {
        for (size_t x = 0; ok && x < power; x++, at++) {
            fill_row(w, n, x);
            ok = !th_stopped(stop, err) && th_intern(&w->rows, w->row, w->endings, &index, err) &&
                 (index < (size_t)r->n || add_word(w, r, at, cap, err));
        }
        r->up_to[n] = r->n;
    }
    return ok;
}

bool th_language_residuals(const ThLanguage *l, int length, ThStop *stop, ThLanguageResiduals *r,
                           ThError *err)
{
    int symbols;
    Work w = {0};
    *r = (ThLanguageResiduals){0};
    th_language_symbols(l, &symbols);
    w.symbols = (size_t)symbols;
    w.length = symbols > 0 ? length : 0; /* without symbols there is the empty word alone */
    w.endings = words_below(w.symbols, w.length + 1);
    if (w.endings == 0 || w.endings * w.endings > TH_LANGUAGE_MOST_TRIED)
        return th_fail(err, TH_ELIMIT, "words of up to %d symbols have more than %d endings in all",
                       length, TH_LANGUAGE_MOST_TRIED);
    r->up_to = th_alloc((size_t)length + 1, sizeof *r->up_to, err);
    w.row = th_alloc(w.endings, 1, err);
    w.member = th_alloc(w.endings * w.endings, 1, err);
    bool ok = r->up_to && w.row && w.member && all_words(&w, l, r, stop, err);
    for (int n = w.length + 1; ok && n <= length; n++)
        r->up_to[n] = r->n;
    th_intern_free(&w.rows);
    TH_FREE(w.row, w.member);
    return ok;
}
