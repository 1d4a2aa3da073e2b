/* Words are added in order, so that everything that the next word does not share is finished, and
 * replaced by an equal state if there is one. */
#include "automata/words/lexicon.h"

#include "base/intern.h"

enum { LONGEST = 1000000 }; /* symbols of a word: what is longer is no list of words */

/* A word as text: its lines in the order of bytes are the words in the order of symbols. */
typedef struct {
    const char *text;
    size_t size;
} Line;

/* A state on the way of the last word, whose arcs may still become more: whether it accepts, and a
 * symbol and a state for each arc. */
typedef struct {
    int *item;
    size_t n, cap;
} Open;

typedef struct {
    Line *line;
    size_t n_lines, line_cap;
    bool blanks;
    ThIntern symbol; /* names with their ends, in order of bytes */
    Open *open;      /* the states of the last word so far */
    size_t n_open, open_cap;
    ThIntern state; /* that are finished: the items that they had when they were open */
    size_t n_arcs;  /* of these */
    ThError *err;
} Words;

static void words_free(Words *w)
{
    for (size_t i = 0; i < w->open_cap; i++)
        free(w->open[i].item);
    TH_FREE(w->line, w->open);
    th_intern_free(&w->symbol);
    th_intern_free(&w->state);
}

/* ---- lines ---- */

/* Leaves one blank between names, so that the order of bytes is that of names; the new size. */
static size_t squeeze(char *line, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        bool blank = line[i] == ' ' || line[i] == '\t';
        if (!blank)
            line[n++] = line[i];
        else if (n > 0 && line[n - 1] != ' ')
            line[n++] = ' ';
    }
    return n > 0 && line[n - 1] == ' ' ? n - 1 : n;
}

static bool split_lines(Words *w, char *text, size_t size)
{
    if (!th_utf8_valid(text, size) || memchr(text, '\0', size))
        return th_fail(w->err, TH_EVALUE, "the words are not valid UTF-8");
    for (char *c = text, *end = text + size; c < end;) {
        char *stop = memchr(c, '\n', (size_t)(end - c));
        stop = stop ? stop : end;
        size_t n = (size_t)(stop - c);
        n -= n > 0 && c[n - 1] == '\r';
        if (n == 2 && memcmp(c, "\"\"", n) == 0)
            n = 0; /* as words are listed */
        if (!TH_APPEND(w->line, w->n_lines, w->line_cap, w->err, (Line){c, n}))
            return false;
        w->blanks = w->blanks || memchr(c, ' ', n) || memchr(c, '\t', n);
        c = stop + 1;
    }
    if (w->n_lines == 0)
        return th_fail(w->err, TH_EVALUE, "there are no words");
    for (size_t i = 0; w->blanks && i < w->n_lines; i++)
        w->line[i].size = squeeze(text + (w->line[i].text - text), w->line[i].size);
    return true;
}

/* The next symbol of a line: its bytes; *at moves behind it.  0 at the end. */
static size_t next_symbol(const Words *w, const char **at, const char *end)
{
    while (w->blanks && *at < end && (**at == ' ' || **at == '\t'))
        ++*at;
    if (*at >= end)
        return 0;
    const char *start = *at;
    if (!w->blanks) {
        *at += (unsigned char)*start < 0x80 ? 1 : th_utf8_next(start, (size_t)(end - start), NULL);
        return (size_t)(*at - start);
    }
    while (*at < end && **at != ' ' && **at != '\t')
        ++*at;
    return (size_t)(*at - start);
}

/* Puts the names into the order of their bytes. */
static bool sort_symbols(Words *w)
{
    size_t n = w->symbol.n, index;
    char **name TH_OWNED(free) = th_alloc(n, sizeof *name, w->err);
    ThIntern sorted = {0};
    bool good = name != NULL;
    for (size_t i = 0; good && i < n; i++)
        name[i] = (char *)w->symbol.bytes + (i ? w->symbol.end[i - 1] : 0);
    if (good)
        qsort(name, n, sizeof *name, th_compare_names);
    for (size_t i = 0; good && i < n; i++)
        good = th_intern(&sorted, name[i], strlen(name[i]) + 1, &index, w->err);
    th_intern_free(&w->symbol);
    w->symbol = sorted;
    return good;
}

static bool collect_symbols(Words *w, ThStop *stop)
{
    bool seen[128] = {false};
    char name[1024];
    for (size_t i = 0; i < w->n_lines; i++) {
        const char *at = w->line[i].text, *end = at + w->line[i].size;
        if (i % 4096 == 4095 && th_stopped_at(stop, i, "words", w->err))
            return false;
        size_t length = 0;
        for (size_t n, index; (n = next_symbol(w, &at, end)) > 0;) {
            if (length++ == LONGEST)
                return th_fail_at(w->err, TH_ELIMIT, (int)i + 1, 1,
                                  "a word of more than a million symbols");
            if (n == 1 && seen[(unsigned char)at[-1]])
                continue;
            if (n >= sizeof name)
                return th_fail(w->err, TH_EVALUE, "the name of a symbol is too long");
            memcpy(name, at - n, n);
            name[n] = '\0';
            if (n == 1)
                seen[(unsigned char)*name] = true;
            if (!th_intern(&w->symbol, name, n + 1, &index, w->err))
                return false;
        }
    }
    return sort_symbols(w);
}

static int compare_lines(const void *x, const void *y)
{
    const Line *a = x, *b = y;
    size_t n = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->text, b->text, n);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* ---- states ---- */

/* The number of a state equal to the open one, which is new if there is none; -1 on failure. */
static int finish_state(Words *w, const Open *o)
{
    size_t index, before = w->state.n;
    if (before >= INT32_MAX - 1)
        th_fail(w->err, TH_ELIMIT, "too many states");
    else if (th_intern(&w->state, o->item, o->n * sizeof *o->item, &index, w->err)) {
        w->n_arcs += index == before ? o->n / 2 : 0;
        return (int)index;
    }
    return -1;
}

/* Finishes the open states behind the first `depth` symbols of the last word. */
static bool finish_behind(Words *w, size_t depth)
{
    for (; w->n_open > depth + 1; w->n_open--) {
        int q = finish_state(w, &w->open[w->n_open - 1]);
        Open *before = &w->open[w->n_open - 2];
        if (q < 0)
            return false;
        before->item[before->n - 1] = q;
    }
    return true;
}

static bool open_state(Words *w)
{
    size_t cap = w->open_cap;
    if (!th_grow(&w->open, &w->open_cap, w->n_open + 1, sizeof *w->open, w->err))
        return false;
    if (w->open_cap > cap)
        memset(w->open + cap, 0, (w->open_cap - cap) * sizeof *w->open);
    Open *o = &w->open[w->n_open++];
    if (!th_grow(&o->item, &o->cap, 1, sizeof *o->item, w->err))
        return false;
    o->item[0] = false;
    o->n = 1;
    return true;
}

/* Appends the symbol to the last open state. */
static bool extend(Words *w, int symbol)
{
    Open *o = &w->open[w->n_open - 1];
    if (!th_grow(&o->item, &o->cap, o->n + 2, sizeof *o->item, w->err))
        return false;
    o->item[o->n++] = symbol;
    o->item[o->n++] = -1;
    return open_state(w);
}

static bool add_word(Words *w, const Line *line, const int *ascii)
{
    const char *at = line->text, *end = at + line->size;
    bool shared = true;
    size_t depth = 0;
    char name[1024];
    for (size_t n; (n = next_symbol(w, &at, end)) > 0; depth++) {
        int symbol = n == 1 ? ascii[(unsigned char)at[-1]] : -1;
        if (symbol < 0) {
            memcpy(name, at - n, n);
            name[n] = '\0';
            symbol = (int)th_intern_find(&w->symbol, name, n + 1);
        }
        const Open *o = &w->open[depth];
        shared = shared && depth + 1 < w->n_open && o->item[o->n - 2] == symbol;
        if (shared)
            continue;
        if (!finish_behind(w, depth) || !extend(w, symbol))
            return false;
    }
    if (!finish_behind(w, depth))
        return false;
    w->open[depth].item[0] = true;
    return true;
}

/* ---- the result ---- */

/* Symbol and state of each arc; *accepts: of the state. */
static const int *arcs_of(const Words *w, int q, size_t *n, bool *accepts)
{
    size_t bytes;
    const int *item = th_intern_at(&w->state, (size_t)q, &bytes);
    *n = bytes / sizeof *item / 2;
    *accepts = item[0];
    return item + 1;
}

/* Numbers the states breadth first from the root in number[], and lists them in order[]. */
static int number_states(const Words *w, int root, int *number, int *order)
{
    int n = 0;
    size_t arcs;
    bool accepts;
    memset(number, -1, w->state.n * sizeof *number);
    number[root] = 0;
    order[n++] = root;
    for (int i = 0; i < n; i++) {
        const int *arc = arcs_of(w, order[i], &arcs, &accepts);
        for (size_t j = 0; j < arcs; j++) {
            int to = arc[2 * j + 1];
            if (number[to] < 0) {
                number[to] = n;
                order[n++] = to;
            }
        }
    }
    return n;
}

static ThAutomaton *assemble(const Words *w, int root)
{
    int *number TH_OWNED(free) = th_alloc(w->state.n, sizeof *number, w->err);
    int *order TH_OWNED(free) = th_alloc(w->state.n, sizeof *order, w->err);
    char **symbol TH_OWNED(free) = th_alloc(w->symbol.n, sizeof *symbol, w->err);
    ThAutomaton *a = NULL;
    for (size_t i = 0; symbol && i < w->symbol.n; i++)
        symbol[i] = (char *)w->symbol.bytes + (i ? w->symbol.end[i - 1] : 0);
    if (number && order && symbol) {
        ThAutomaton sizes = {.n_symbols = (int)w->symbol.n,
                             .n_states = number_states(w, root, number, order),
                             .n_arcs = w->n_arcs};
        a = th_automaton_named(&sizes, symbol, NULL, w->err);
    }
    size_t n = 0;
    for (int q = 0; a && q < a->n_states; q++) {
        a->first[q] = n;
        size_t arcs;
        const int *arc = arcs_of(w, order[q], &arcs, &a->accept[q]);
        for (; arcs > 0; arcs--, arc += 2)
            a->arc[n++] = (ThAutomatonArc){q, arc[0], number[arc[1]], TH_AUTOMATON_NO_OUTPUT};
    }
    if (a) {
        a->first[a->n_states] = n;
        a->start[0] = true;
    }
    return a;
}

static bool add_words(Words *w, ThStop *stop)
{
    enum { SYMBOLS = 1 << 16 };
    int ascii[128];
    size_t symbols = 0;
    for (int c = 0; c < 128; c++) {
        char name[2] = {(char)c, '\0'};
        size_t index = th_intern_find(&w->symbol, name, 2);
        ascii[c] = index == SIZE_MAX ? -1 : (int)index;
    }
    qsort(w->line, w->n_lines, sizeof *w->line, compare_lines);
    if (!open_state(w))
        return false;
    for (size_t i = 0; i < w->n_lines; i++) {
        symbols += w->line[i].size + 1; /* in bytes */
        if (!add_word(w, &w->line[i], ascii) ||
            (symbols > SYMBOLS && th_stopped_at(stop, i, "words", w->err)))
            return false;
        symbols = symbols > SYMBOLS ? 0 : symbols;
    }
    return finish_behind(w, 0);
}

ThAutomaton *th_automaton_of_words(char *text, size_t size, ThStop *stop, ThError *err)
{
    Words w = {.err = err};
    ThAutomaton *a = NULL;
    if (split_lines(&w, text, size) && collect_symbols(&w, stop) && add_words(&w, stop)) {
        int root = finish_state(&w, &w.open[0]);
        a = root < 0 ? NULL : assemble(&w, root);
    }
    words_free(&w);
    return a;
}
