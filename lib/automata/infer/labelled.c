#include "automata/infer/labelled.h"

#include "base/intern.h"
#include "base/text.h"

typedef struct {
    const char *at;
    size_t size;
    int col;
} Field;

typedef struct {
    size_t first, n; /* fields of the word */
    int line, label;
    size_t start, length; /* symbols, in order of first mention */
} Line;

typedef struct {
    Field *field;
    size_t n_fields, field_cap;
    Line *line;
    size_t n_lines, line_cap;
    bool single; /* characters are symbols */
    ThIntern symbol, label;
    int *word;
    size_t n_word, word_cap;
    int *rank; /* (symbols): place in the alphabet */
} Reader;

static void reader_free(Reader *r)
{
    TH_FREE(r->field, r->line, r->word, r->rank);
    th_intern_free(&r->symbol);
    th_intern_free(&r->label);
}

/* ---- lines and fields ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Splits a line at its blanks. */
static bool split_line(Reader *r, const char *s, const char *end, int line, ThError *err)
{
    int col = 1;
    while (s < end) {
        if (is_blank(*s)) {
            s++, col++;
            continue;
        }
        Field f = {.at = s, .col = col};
        for (; s < end && !is_blank(*s); col++) {
            int32_t point;
            size_t size = th_utf8_next(s, (size_t)(end - s), &point);
            if (size == 0)
                return th_fail_at(err, TH_EPARSE, line, col, "a byte that is not UTF-8");
            if (point < ' ' || point == 0x7f)
                return th_fail_at(err, TH_EPARSE, line, col, "a control character");
            s += size;
        }
        f.size = (size_t)(s - f.at);
        if (!TH_APPEND(r->field, r->n_fields, r->field_cap, err, f))
            return false;
    }
    return true;
}

static bool field_is(const Field *f, const char *text)
{
    return f->size == strlen(text) && memcmp(f->at, text, f->size) == 0;
}

/* A comment, or what stands above a table of a task's strings. */
static bool is_no_word(const Field *f, size_t n, int line)
{
    bool heading = line == 1 && n == 2 && field_is(f, "input") && field_is(f + 1, "answer");
    return n == 0 || field_is(f, "#") || heading;
}

/* Takes note of one line: its word and the name of its label. */
static bool add_line(Reader *r, size_t first, int number, ThError *err)
{
    size_t n = r->n_fields - first, label;
    if (is_no_word(r->field + first, n, number)) {
        r->n_fields = first;
        return true;
    }
    const Field *name_field = &r->field[r->n_fields - 1];
    char *name TH_OWNED(free) = th_strndup(name_field->at, name_field->size, err);
    bool ok = name && th_intern(&r->label, name, name_field->size + 1, &label, err) &&
              th_grow(&r->line, &r->line_cap, r->n_lines + 1, sizeof *r->line, err);
    if (!ok)
        return false;
    Line l = {.first = first, .n = n - 1, .line = number, .label = (int)label};
    if (l.n == 1 && field_is(&r->field[first], "\"\""))
        l.n = 0;
    if (l.n > 1)
        r->single = false;
    r->line[r->n_lines++] = l;
    return true;
}

static bool read_lines(Reader *r, const char *text, ThError *err)
{
    int number = 1;
    for (const char *s = text; *s; number++) {
        size_t size = strcspn(s, "\n"), first = r->n_fields;
        if (!split_line(r, s, s + size, number, err) || !add_line(r, first, number, err))
            return false;
        s += size + (s[size] == '\n');
    }
    if (r->n_lines == 0)
        return th_fail_at(err, TH_EPARSE, 1, 1, "no labelled words");
    return true;
}

/* ---- symbols ---- */

/* The given alphabet comes first, so that its symbols have the first numbers. */
static bool read_alphabet(Reader *r, const char *alphabet, ThError *err)
{
    for (const char *s = alphabet; *s;) {
        size_t size = strcspn(s, " \t\n"), index;
        char *name = th_strndup(s, size, err);
        bool ok = name && (size == 0 || th_intern(&r->symbol, name, size + 1, &index, err));
        if (name && th_utf8_next(name, size, NULL) != size && size)
            r->single = false;
        free(name);
        if (!ok)
            return false;
        s += size + (s[size] != '\0');
    }
    return true;
}

static bool add_symbol(Reader *r, const Line *l, const char *at, size_t size, int col, bool fixed,
                       ThError *err)
{
    char *name TH_OWNED(free) = th_strndup(at, size, err);
    size_t index = name ? th_intern_find(&r->symbol, name, size + 1) : 0;
    bool ok = name != NULL;
    if (ok && index == SIZE_MAX && fixed)
        ok = th_fail_at(err, TH_EVALUE, l->line, col, "symbol \"%.40s\" is not in the alphabet",
                        name);
    if (ok && index == SIZE_MAX)
        ok = th_intern(&r->symbol, name, size + 1, &index, err);
    if (!ok || !th_grow(&r->word, &r->word_cap, r->n_word + 1, sizeof *r->word, err))
        return false;
    r->word[r->n_word++] = (int)index;
    return true;
}

static bool read_word(Reader *r, Line *l, bool fixed, ThError *err)
{
    l->start = r->n_word;
    for (size_t i = 0; i < l->n; i++) {
        const Field *f = &r->field[l->first + i];
        int col = f->col;
        for (size_t at = 0, size; at < f->size; at += size, col++) {
            size = r->single ? th_utf8_next(f->at + at, f->size - at, NULL) : f->size;
            if (!add_symbol(r, l, f->at + at, size, col, fixed, err))
                return false;
        }
    }
    l->length = r->n_word - l->start;
    return true;
}

static const char *name_at(const ThIntern *t, size_t i)
{
    return th_intern_at(t, i, NULL);
}

typedef struct {
    const char *name;
    size_t index;
} Named;

static int by_name(const void *x, const void *y)
{
    const Named *a = x, *b = y;
    return strcmp(a->name, b->name);
}

/* Numbers the symbols: as given, or in the order of their bytes. */
static bool rank_symbols(Reader *r, bool fixed, ThError *err)
{
    size_t n = r->symbol.n;
    Named *order TH_OWNED(free) = th_alloc(n, sizeof *order, err);
    r->rank = th_alloc(n, sizeof *r->rank, err);
    if (!order || !r->rank)
        return false;
    for (size_t i = 0; i < n; i++)
        order[i] = (Named){name_at(&r->symbol, i), i};
    if (!fixed)
        qsort(order, n, sizeof *order, by_name);
    for (size_t i = 0; i < n; i++)
        r->rank[order[i].index] = (int)i;
    for (size_t i = 0; i < r->n_word; i++)
        r->word[i] = r->rank[r->word[i]];
    return true;
}

/* ---- classes ---- */

/* 1 or 0 for a label that accepts or rejects, else -1. */
static int verdict(const char *label)
{
    static const char *const name[2][5] = {{"0", "-", "reject", "no", "false"},
                                           {"1", "+", "accept", "yes", "true"}};
    for (int i = 0; i < 10; i++)
        if (strcmp(label, name[i / 5][i % 5]) == 0)
            return i / 5;
    return -1;
}

static bool copy_names(char ***to, int *n, const ThIntern *from, const int *rank, ThError *err)
{
    *to = th_alloc(from->n, sizeof **to, err);
    if (!*to)
        return false;
    *n = (int)from->n;
    for (size_t i = 0; i < from->n; i++) {
        size_t at = rank ? (size_t)rank[i] : i;
        if (!((*to)[at] = th_strdup(name_at(from, i), err)))
            return false;
    }
    return true;
}

static bool name_classes(ThWordsLabelled *l, Reader *r, ThError *err)
{
    enum { MOST = 256 };
    if (r->label.n > MOST)
        return th_fail(err, TH_ELIMIT, "%zu different labels are too many: at most %d", r->label.n,
                       MOST) ||
               th_hint(err, "the last field of every line is its label");
    l->language = true;
    for (size_t i = 0; i < r->label.n; i++)
        l->language = l->language && verdict(name_at(&r->label, i)) >= 0;
    if (!l->language)
        return copy_names(&l->label, &l->sample.n_classes, &r->label, NULL, err);
    for (size_t i = 0; i < r->n_lines; i++)
        r->line[i].label = verdict(name_at(&r->label, (size_t)r->line[i].label));
    l->label = th_alloc(2, sizeof *l->label, err);
    l->sample.n_classes = l->label ? 2 : 0;
    return l->label && (l->label[0] = th_strdup("reject", err)) &&
           (l->label[1] = th_strdup("accept", err));
}

/* ---- the sample ---- */

typedef struct {
    const int *word;
    size_t length;
    int label, line, col;
} Entry;

static int by_word(const void *x, const void *y)
{
    const Entry *a = x, *b = y;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (size_t i = 0; i < a->length; i++)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static bool same_word(const Entry *a, const Entry *b)
{
    return a->length == b->length &&
           (a->length == 0 || memcmp(a->word, b->word, a->length * sizeof *a->word) == 0);
}

/* Of several contradictions the first in the text is told. */
static bool check_labels(const ThWordsLabelled *l, const Entry *e, size_t n, ThError *err)
{
    size_t found = 0;
    for (size_t i = 1; i < n; i++)
        if (same_word(&e[i - 1], &e[i]) && e[i - 1].label != e[i].label &&
            (!found || e[i].line < e[found].line))
            found = i;
    if (!found)
        return true;
    th_fail_at(err, TH_EVALUE, e[found].line, e[found].col,
               "the word has the label %.60s here and %.60s in line %d", l->label[e[found].label],
               l->label[e[found - 1].label], e[found - 1].line);
    return th_hint(err, "where labels may be wrong, allow for it: noise=0.05");
}

static bool fill_sample(ThWordsLabelled *l, const Entry *e, size_t n, size_t symbols, ThError *err)
{
    ThWordsSample *s = &l->sample;
    s->symbol = th_alloc(symbols, sizeof *s->symbol, err);
    s->start = th_alloc(n + 1, sizeof *s->start, err);
    s->label = th_alloc(n, sizeof *s->label, err);
    if (!s->symbol || !s->start || !s->label)
        return false;
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        if (e[i].length)
            memcpy(s->symbol + s->start[i], e[i].word, e[i].length * sizeof *s->symbol);
        s->start[i + 1] = s->start[i] + e[i].length;
        s->label[i] = e[i].label;
    }
    return true;
}

static bool make_sample(ThWordsLabelled *l, const Reader *r, bool consistent, ThError *err)
{
    Entry *e TH_OWNED(free) = th_alloc(r->n_lines, sizeof *e, err);
    if (!e)
        return false;
    for (size_t i = 0; i < r->n_lines; i++) {
        const Line *x = &r->line[i];
        e[i] = (Entry){r->word + x->start, x->length, x->label, x->line, r->field[x->first].col};
    }
    qsort(e, r->n_lines, sizeof *e, by_word);
    return (!consistent || check_labels(l, e, r->n_lines, err)) &&
           fill_sample(l, e, r->n_lines, r->n_word, err);
}

bool th_words_labelled_read(ThWordsLabelled *l, const char *text, const char *alphabet,
                            bool consistent, ThError *err)
{
    Reader r = {.single = true};
    *l = (ThWordsLabelled){0};
    bool ok = read_lines(&r, text, err) && (!alphabet || read_alphabet(&r, alphabet, err));
    for (size_t i = 0; ok && i < r.n_lines; i++)
        ok = read_word(&r, &r.line[i], alphabet != NULL, err);
    ok = ok && th_grow(&r.word, &r.word_cap, r.n_word + 1, sizeof *r.word, err) &&
         rank_symbols(&r, alphabet != NULL, err) &&
         copy_names(&l->symbol, &l->sample.n_symbols, &r.symbol, r.rank, err) &&
         name_classes(l, &r, err) && make_sample(l, &r, consistent, err);
    reader_free(&r);
    return ok;
}

void th_words_labelled_free(ThWordsLabelled *l)
{
    TH_FREE_EACH(l->symbol, l->sample.n_symbols);
    TH_FREE_EACH(l->label, l->sample.n_classes);
    th_words_sample_free(&l->sample);
    *l = (ThWordsLabelled){0};
}
