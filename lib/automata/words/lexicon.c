/* Words are added in order, so that everything that the next word does not share is finished, and
 * replaced by an equal state if there is one.  Finished states lie in one array of arcs. */
#include "automata/words/lexicon.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/text.h"

enum { LONGEST = 1000000 }; /* symbols of a word: what is longer is no list of words */

typedef struct {
    int symbol, to;
} Arc;

/* A word as text: its lines in the order of bytes are the words in the order of symbols. */
typedef struct {
    const char *text;
    size_t size;
} Line;

/* A state on the way of the last word, whose arcs may still become more. */
typedef struct {
    Arc *arc;
    size_t n, cap;
    bool accept;
} Open;

typedef struct {
    Line *line;
    size_t n_lines, line_cap;
    bool blanks;
    ThIntern symbol; /* names with their ends, in order of bytes */
    Open *open;      /* the states of the last word so far */
    size_t n_open, open_cap;
    Arc *arc; /* arcs of finished states, end to end */
    size_t n_arcs, arc_cap;
    size_t *first; /* (states + 1) */
    bool *accept;
    size_t n, first_cap, accept_cap;
    ThHashTable table; /* of the finished states */
    ThError *err;
} Words;

static void words_free(Words *w)
{
    for (size_t i = 0; i < w->open_cap; i++)
        free(w->open[i].arc);
    free(w->line);
    th_intern_free(&w->symbol);
    free(w->open);
    free(w->arc);
    free(w->first);
    free(w->accept);
    th_hash_free(&w->table);
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
        if (!th_grow(&w->line, &w->line_cap, w->n_lines + 1, sizeof *w->line, w->err))
            return false;
        w->line[w->n_lines++] = (Line){c, n};
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

static int compare_names(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Puts the names into the order of their bytes. */
static bool sort_symbols(Words *w)
{
    size_t n = w->symbol.n, index;
    char **name = th_alloc(n, sizeof *name, w->err);
    ThIntern sorted = {0};
    bool good = name != NULL;
    for (size_t i = 0; good && i < n; i++)
        name[i] = (char *)w->symbol.bytes + (i ? w->symbol.end[i - 1] : 0);
    if (good)
        qsort(name, n, sizeof *name, compare_names);
    for (size_t i = 0; good && i < n; i++)
        good = th_intern(&sorted, name[i], strlen(name[i]) + 1, &index, w->err);
    free(name);
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

static uint64_t hash_of(const Arc *arc, size_t n, bool accept)
{
    uint64_t h = accept + 2 * n;
    for (size_t i = 0; i < n; i++)
        h = th_hash_mix(h ^ ((uint64_t)(uint32_t)arc[i].symbol << 32 | (uint32_t)arc[i].to));
    return th_hash_mix(h);
}

/* Is the open state the same as state q? */
static bool equal(const Words *w, const Open *o, size_t q)
{
    return w->first[q + 1] - w->first[q] == o->n && w->accept[q] == o->accept &&
           (o->n == 0 || memcmp(w->arc + w->first[q], o->arc, o->n * sizeof *o->arc) == 0);
}

static bool add_state(Words *w, const Open *o)
{
    if (w->n >= INT32_MAX - 1)
        return th_fail(w->err, TH_ELIMIT, "too many states");
    if (!th_grow(&w->arc, &w->arc_cap, w->n_arcs + o->n + 1, sizeof *w->arc, w->err) ||
        !th_grow(&w->first, &w->first_cap, w->n + 2, sizeof *w->first, w->err) ||
        !th_grow(&w->accept, &w->accept_cap, w->n + 1, sizeof *w->accept, w->err))
        return false;
    if (o->n)
        memcpy(w->arc + w->n_arcs, o->arc, o->n * sizeof *o->arc);
    w->first[w->n] = w->n_arcs;
    w->n_arcs += o->n;
    w->first[w->n + 1] = w->n_arcs;
    w->accept[w->n++] = o->accept;
    return true;
}

/* The number of a state equal to the open one, which is new if there is none; -1 on failure. */
static int finish_state(Words *w, const Open *o)
{
    if (!th_hash_reserve(&w->table, w->err))
        return -1;
    ThHashSeek s = th_hash_seek(hash_of(o->arc, o->n, o->accept));
    for (uint32_t q; (q = th_hash_next(&w->table, &s)) != TH_HASH_END;)
        if (equal(w, o, q))
            return (int)q;
    if (!add_state(w, o))
        return -1;
    th_hash_put(&w->table, &s, w->n - 1);
    return (int)w->n - 1;
}

/* Finishes the open states behind the first `depth` symbols of the last word. */
static bool finish_behind(Words *w, size_t depth)
{
    for (; w->n_open > depth + 1; w->n_open--) {
        int q = finish_state(w, &w->open[w->n_open - 1]);
        Open *before = &w->open[w->n_open - 2];
        if (q < 0)
            return false;
        before->arc[before->n - 1].to = q;
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
    w->open[w->n_open].n = 0;
    w->open[w->n_open++].accept = false;
    return true;
}

/* Appends the symbol to the last open state. */
static bool extend(Words *w, int symbol)
{
    Open *o = &w->open[w->n_open - 1];
    if (!th_grow(&o->arc, &o->cap, o->n + 1, sizeof *o->arc, w->err))
        return false;
    o->arc[o->n++] = (Arc){symbol, -1};
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
        shared = shared && depth + 1 < w->n_open && o->arc[o->n - 1].symbol == symbol;
        if (shared)
            continue;
        if (!finish_behind(w, depth) || !extend(w, symbol))
            return false;
    }
    if (!finish_behind(w, depth))
        return false;
    w->open[depth].accept = true;
    return true;
}

/* ---- the result ---- */

/* Numbers the states breadth first from the root in number[], and lists them in order[]. */
static int number_states(const Words *w, int root, int *number, int *order)
{
    int n = 0;
    for (size_t q = 0; q < w->n; q++)
        number[q] = -1;
    number[root] = 0;
    order[n++] = root;
    for (int i = 0; i < n; i++) {
        for (size_t j = w->first[order[i]]; j < w->first[order[i] + 1]; j++) {
            int to = w->arc[j].to;
            if (number[to] < 0) {
                number[to] = n;
                order[n++] = to;
            }
        }
    }
    return n;
}

static void fill_names(const Words *w, ThAutomaton *a)
{
    char *at = a->names;
    for (int i = 0; i < a->n_symbols; i++) {
        a->symbol[i] = at;
        at = stpcpy(at, th_intern_at(&w->symbol, (size_t)i, NULL)) + 1;
    }
    for (int q = 0; q < a->n_states; q++) {
        a->state[q] = at;
        at += sprintf(at, "q%d", q) + 1;
        a->moore[q] = TH_AUTOMATON_NO_OUTPUT;
    }
}

static ThAutomaton *assemble(const Words *w, int root)
{
    int *number = th_alloc(w->n, sizeof *number, w->err);
    int *order = th_alloc(w->n, sizeof *order, w->err);
    ThAutomaton *a = NULL;
    if (number && order) {
        ThAutomaton sizes = {.n_symbols = (int)w->symbol.n,
                             .n_states = number_states(w, root, number, order),
                             .n_arcs = w->n_arcs};
        a = th_automaton_alloc(&sizes, w->symbol.size + 12 * w->n, w->err);
    }
    size_t n = 0;
    for (int q = 0; a && q < a->n_states; q++) {
        a->first[q] = n;
        a->accept[q] = w->accept[order[q]];
        for (size_t j = w->first[order[q]]; j < w->first[order[q] + 1]; j++)
            a->arc[n++] =
                (ThAutomatonArc){q, w->arc[j].symbol, number[w->arc[j].to], TH_AUTOMATON_NO_OUTPUT};
    }
    if (a) {
        a->first[a->n_states] = n;
        a->start[0] = true;
        fill_names(w, a);
    }
    free(number);
    free(order);
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
