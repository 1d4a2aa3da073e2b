#include "turing/tape_words.h"

#include "base/symbols.h"

/* Where symbols are single characters a blank is none, as in the input of an automaton, unless it
 * is a symbol of its own; beside the | between tapes it is nothing. */
static char *without_blanks(const ThTm *m, const char *part, size_t n, bool several, ThError *err)
{
    bool single = th_symbols_single(m->symbol, m->n_symbols) &&
                  th_symbols_find(m->symbol, m->n_symbols, " ") < 0;
    while (several && single && n > 0 && part[n - 1] == ' ')
        n--;
    const char *blank = single ? memchr(part, ' ', n) : NULL;
    if (!blank)
        return th_strndup(part, n, err);
    char *before TH_OWNED(free) = th_strndup(part, (size_t)(blank - part), err);
    if (before)
        th_fail_at(err, TH_EVALUE, 1, (int)th_utf8_length(before) + 1,
                   "a blank is no symbol of the machine");
    th_hint(err, "symbols of one character stand side by side, 1011; an empty cell is written %s",
            m->symbol[m->blank]);
    return NULL;
}

/* Takes the mark of the head out of a text; *at: the bytes before it, SIZE_MAX where there is none.
 */
static bool take_mark(const ThTm *m, char *text, size_t *at, ThError *err)
{
    char *mark = th_symbols_find(m->symbol, m->n_symbols, "*") < 0 ? strchr(text, '*') : NULL;
    *at = mark ? (size_t)(mark - text) : SIZE_MAX;
    if (!mark)
        return true;
    if (strchr(mark + 1, '*'))
        return th_fail(err, TH_EVALUE, "the head cannot start at two places") ||
               th_hint(err, "a * stands before the cell on which it starts");
    memmove(mark, mark + 1, strlen(mark));
    return true;
}

/* The symbols before the mark. */
static bool read_head(const ThTm *m, char *text, size_t at, int *head, ThError *err)
{
    char *before TH_OWNED(free) = at == SIZE_MAX ? NULL : th_strndup(text, at, err);
    int *word = before ? th_symbols_read(m->symbol, m->n_symbols, before, head, err) : NULL;
    free(word);
    return at == SIZE_MAX || word;
}

static bool read_part(ThTmTapeWords *w, const ThTm *m, int tape, const char *part, size_t n,
                      int column, ThError *err)
{
    ThError inner = {0};
    size_t at = SIZE_MAX;
    char *text TH_OWNED(free) = without_blanks(m, part, n, m->n_tapes > 1, &inner);
    bool ok = text && take_mark(m, text, &at, &inner);
    w->word[tape] =
        ok ? th_symbols_read(m->symbol, m->n_symbols, text, &w->length[tape], &inner) : NULL;
    ok = w->word[tape] && read_head(m, text, at, &w->head[tape], &inner);
    bool behind = text && inner.col > 0 && at < strlen(text) && inner.col > (int)at;
    if (ok)
        return true;
    if (inner.col > 0)
        th_fail_at(err, inner.code, 1, inner.col + column + behind, "%s", inner.msg);
    else
        th_fail(err, inner.code, "%s", inner.msg);
    return th_hint(err, "%s", inner.hint);
}

bool th_tm_tape_words_read(ThTmTapeWords *w, const ThTm *m, const char *input, ThError *err)
{
    bool several = m->n_tapes > 1 && th_symbols_find(m->symbol, m->n_symbols, "|") < 0;
    const char *part = input;
    *w = (ThTmTapeWords){0};
    for (int t = 0;; t++) {
        part += t > 0 && *part == ' ';
        const char *end = several ? strchr(part, '|') : NULL;
        size_t n = end ? (size_t)(end - part) : strlen(part);
        char *before = th_strndup(input, (size_t)(part - input), err);
        int column = before ? (int)th_utf8_length(before) : 0;
        free(before);
        bool ok = before != NULL;
        if (ok && t == m->n_tapes)
            ok = th_fail_at(err, TH_EVALUE, 1, column, "words for more than the %d tapes", t);
        ok = ok && read_part(w, m, t, part, n, column, err);
        if (!ok) {
            th_tm_tape_words_free(w);
            return false;
        }
        if (!end)
            return true;
        part = end + 1;
    }
}

bool th_tm_tape_words_at_start(const ThTmTapeWords *w, ThError *err)
{
    for (int t = 0; t < TH_TM_MOST_TAPES; t++)
        if (w->head[t] > 0)
            return th_fail(err, TH_EVALUE,
                           "the head has to start on the first cell here: without a *");
    return true;
}

void th_tm_tape_words_free(ThTmTapeWords *w)
{
    for (int t = 0; t < TH_TM_MOST_TAPES; t++)
        free(w->word[t]);
    *w = (ThTmTapeWords){0};
}
