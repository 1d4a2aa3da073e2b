/* A user's own labelled data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"
#include "tasks/kit.h"
#include "tasks/records.h"

enum { MOST_NAMES = 1 << 16, LONGEST_NAME = 4096, LONGEST_ROW = 1000000 };

typedef struct {
    int n, n_train;
    bool words, every;
    size_t *start; /* (n + 1): where a row begins in token, and in answer where there is one a
                      symbol */
    int *token;
    int *answer; /* a class for every symbol, -1 for nothing asked; or for every row */
    int *order;  /* (n): the rows to train on, then those to test on, each by length */
} Data;

static void free_data(void *data)
{
    Data *d = data;
    if (!d)
        return;
    free(d->start);
    free(d->token);
    free(d->answer);
    free(d->order);
    free(d);
}

static void *copy_data(const void *data, ThError *err)
{
    const Data *d = data;
    Data *c = th_copy(d, 1, sizeof *d, err);
    if (!c)
        return NULL;
    size_t n = (size_t)d->n, total = d->start[n];
    c->start = th_copy(d->start, n + 1, sizeof *d->start, err);
    c->token = th_copy(d->token, total, sizeof *d->token, err);
    c->answer = th_copy(d->answer, d->every ? total : n, sizeof *d->answer, err);
    c->order = th_copy(d->order, n, sizeof *d->order, err);
    if (c->start && c->token && c->answer && c->order)
        return c;
    free_data(c);
    return NULL;
}

static int row_length(const Data *d, int row)
{
    return (int)(d->start[row + 1] - d->start[row]);
}

/* ---- items of a text ------------------------------------------------------------------------- */

static const char BLANKS[] = " \t\r\n";

/* The next word or character of a text as [*from, *from + size); 0 at the end. */
static size_t next_item(const char **from, bool words)
{
    if (!words)
        return th_utf8_next(*from, strlen(*from), NULL);
    *from += strspn(*from, BLANKS);
    return strcspn(*from, BLANKS);
}

static size_t count_items(const char *text, bool words)
{
    size_t n = 0;
    for (size_t size; (size = next_item(&text, words)) > 0; n++)
        text += size;
    return n;
}

static bool has_blank(const char *text)
{
    return text[strcspn(text, BLANKS)] != '\0';
}

/* The options tokens and labels, in the order of their words; header is a ThTaskHeader. */
enum { TOKENS_AUTO, TOKENS_CHARACTERS, TOKENS_WORDS };
enum { LABELS_AUTO, LABELS_FINAL, LABELS_EVERY };

/* ---- what the file is taken for -------------------------------------------------------------- */

/* Symbols are words where any input has a blank. */
static bool are_words(const ThTask *t, const ThTaskRecords *r)
{
    int tokens = th_option_choice(&t->options, "tokens");
    bool words = tokens == TOKENS_WORDS;
    for (size_t i = 0; tokens == TOKENS_AUTO && !words && i < r->n; i++)
        words = has_blank(r->item[i].input);
    return words;
}

/* Items of a label are words where symbols are, or any label has a blank; else characters. */
static bool are_label_words(const ThTaskRecords *r, bool words)
{
    if (words)
        return true;
    for (size_t i = 0; i < r->n; i++)
        if (has_blank(r->item[i].label))
            return true;
    return false;
}

/* One label a symbol where every label has as many items as its input has symbols, and that says
 * something: some input has more than one. */
static bool are_every(const ThTask *t, const ThTaskRecords *r, bool words, bool label_words)
{
    int labels = th_option_choice(&t->options, "labels");
    if (labels != LABELS_AUTO)
        return labels == LABELS_EVERY;
    bool telling = false;
    for (size_t i = 0; i < r->n; i++) {
        size_t n = count_items(r->item[i].input, words);
        if (n != count_items(r->item[i].label, label_words))
            return false;
        telling = telling || n > 1;
    }
    return telling;
}

/* ---- reading rows ---------------------------------------------------------------------------- */

typedef struct {
    const ThTaskRecords *records;
    Data *data;
    bool label_words;
    ThIntern symbols, classes;
    size_t cap_token, cap_answer, n_answer;
    ThError *err;
} Loader;

static bool fail_at(Loader *l, const ThTaskRecord *r, bool label, ThErrc code, const char *what)
{
    return th_fail_at(l->err, code, r->line, label ? r->label_col : r->input_col, "%s", what);
}

static bool check_name(Loader *l, const ThTaskRecord *r, bool label, const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)name[i] < 0x20)
            return fail_at(l, r, label, TH_EVALUE, "a control character");
    if (size > LONGEST_NAME)
        return fail_at(l, r, label, TH_ELIMIT, "a name longer than 4096 bytes");
    if (l->symbols.n <= MOST_NAMES && l->classes.n <= MOST_NAMES)
        return true;
    return fail_at(l, r, label, TH_ELIMIT,
                   label ? "more than 65536 classes" : "more than 65536 symbols");
}

static bool add_name(Loader *l, const ThTaskRecord *r, bool label, const char *name, size_t size,
                     int *number)
{
    size_t index;
    if (!th_intern(label ? &l->classes : &l->symbols, name, size, &index, l->err) ||
        !check_name(l, r, label, name, size))
        return false;
    *number = (int)index;
    return true;
}

static bool add_input(Loader *l, const ThTaskRecord *r, size_t *n)
{
    Data *d = l->data;
    const char *at = r->input;
    *n = 0;
    for (size_t size; (size = next_item(&at, d->words)) > 0; at += size, ++*n) {
        size_t to = d->start[d->n] + *n;
        if (*n == LONGEST_ROW)
            return fail_at(l, r, false, TH_ELIMIT, "an input of more than a million symbols");
        if (!th_grow(&d->token, &l->cap_token, to + 1, sizeof *d->token, l->err) ||
            !add_name(l, r, false, at, size, &d->token[to]))
            return false;
    }
    return *n > 0 || fail_at(l, r, false, TH_EVALUE, "the input is empty");
}

static bool add_answer(Loader *l, const ThTaskRecord *r, const char *name, size_t size)
{
    Data *d = l->data;
    bool nothing = d->every && size == 1 && *name == '-';
    if (!th_grow(&d->answer, &l->cap_answer, l->n_answer + 1, sizeof *d->answer, l->err))
        return false;
    int *to = &d->answer[l->n_answer++];
    *to = -1;
    return nothing || add_name(l, r, true, name, size, to);
}

static bool add_label(Loader *l, const ThTaskRecord *r, size_t n_input)
{
    const char *at = r->label + strspn(r->label, BLANKS);
    if (!*at)
        return fail_at(l, r, true, TH_EVALUE, "the label is empty");
    if (!l->data->every) {
        size_t size = strlen(at);
        while (size > 0 && strchr(BLANKS, at[size - 1]))
            size--;
        return add_answer(l, r, at, size);
    }
    size_t n = count_items(at, l->label_words);
    if (n != n_input) {
        th_fail_at(l->err, TH_EVALUE, r->line, r->label_col, "%zu labels for %zu symbols", n,
                   n_input);
        return th_hint(l->err, "labels=final: one label for the whole input");
    }
    for (size_t size; (size = next_item(&at, l->label_words)) > 0; at += size)
        if (!add_answer(l, r, at, size))
            return false;
    return true;
}

static bool load_rows(Loader *l)
{
    Data *d = l->data;
    d->start = th_alloc(l->records->n + 1, sizeof *d->start, l->err);
    for (size_t i = 0; d->start && i < l->records->n; i++) {
        size_t n;
        if (!add_input(l, &l->records->item[i], &n) || !add_label(l, &l->records->item[i], n))
            return false;
        d->start[d->n + 1] = d->start[d->n] + n;
        d->n++;
    }
    return d->start != NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* qsort has no context, so names are sorted together with their numbers. */
typedef struct {
    char *name;
    int number;
} Named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Named *)a)->name, ((const Named *)b)->name);
}

/* Moves the names of a table into a sorted list; *place gets the new number of each. */
static bool sort_names(const ThIntern *names, char ***list, int *n, int **place, ThError *err)
{
    Named *sorted = th_alloc(names->n, sizeof *sorted, err);
    *place = th_alloc(names->n, sizeof **place, err);
    *list = th_alloc(names->n, sizeof **list, err);
    bool ok = sorted && *place && *list;
    for (size_t i = 0; ok && i < names->n; i++) {
        size_t size;
        const char *name = th_intern_at(names, i, &size);
        sorted[i] = (Named){th_strndup(name, size, err), (int)i};
        ok = sorted[i].name != NULL;
    }
    if (ok) {
        qsort(sorted, names->n, sizeof *sorted, by_name);
        for (; *n < (int)names->n; ++*n) {
            (*list)[*n] = sorted[*n].name;
            (*place)[sorted[*n].number] = *n;
        }
    } else {
        for (size_t i = 0; sorted && i < names->n; i++)
            free(sorted[i].name);
    }
    free(sorted);
    return ok;
}

static void renumber(int *number, size_t n, const int *place)
{
    for (size_t i = 0; i < n; i++)
        if (number[i] >= 0)
            number[i] = place[number[i]];
}

static bool name_all(Loader *l, ThSignature *s)
{
    int *symbol = NULL, *label = NULL;
    bool ok = sort_names(&l->symbols, &s->symbol, &s->n_symbols, &symbol, l->err) &&
              sort_names(&l->classes, &s->label, &s->n_classes, &label, l->err);
    if (ok) {
        renumber(l->data->token, l->data->start[l->data->n], symbol);
        renumber(l->data->answer, l->n_answer, label);
    }
    free(symbol);
    free(label);
    return ok;
}

/* ---- parts ----------------------------------------------------------------------------------- */

typedef struct {
    int row, length;
} Ordered;

static int by_length(const void *a, const void *b)
{
    const Ordered *x = a, *y = b;
    return x->length != y->length ? (x->length > y->length) - (x->length < y->length)
                                  : (x->row > y->row) - (x->row < y->row);
}

/* The number of rows to train on: a share, but none and all only where that is asked for. */
static int train_rows(int n, double split)
{
    int rows = (int)(split * n + 0.5);
    if (split > 0 && rows == 0)
        return 1;
    return split < 1 && rows == n && n > 1 ? n - 1 : rows;
}

static bool split_rows(ThTask *t, Data *d, ThError *err)
{
    Ordered *row = th_alloc((size_t)d->n, sizeof *row, err);
    d->order = th_alloc((size_t)d->n, sizeof *d->order, err);
    if (!row || !d->order) {
        free(row);
        return false;
    }
    ThRng r = th_rng((uint64_t)th_option_int(&t->options, "seed"), "task.file.split", 0);
    for (int i = 0; i < d->n; i++) { /* Fisher and Yates, inside out */
        int j = (int)th_rng_below(&r, (uint64_t)i + 1);
        row[i] = row[j];
        row[j] = (Ordered){i, row_length(d, i)};
    }
    d->n_train = train_rows(d->n, th_option_real(&t->options, "split"));
    qsort(row, (size_t)d->n_train, sizeof *row, by_length);
    qsort(row + d->n_train, (size_t)(d->n - d->n_train), sizeof *row, by_length);
    for (int i = 0; i < d->n; i++)
        d->order[i] = row[i].row;
    free(row);
    return true;
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool check_counts(const ThTaskRecords *r, const Loader *l, ThError *err)
{
    if (l->classes.n > 1)
        return true;
    if (l->classes.n == 0)
        return th_fail(err, TH_EVALUE, "the file asks for nothing: every label is -");
    size_t size;
    const char *name = th_intern_at(&l->classes, 0, &size);
    return th_fail_at(err, TH_EVALUE, r->item[0].line, r->item[0].label_col,
                      "every label is '%.*s': there is nothing to learn", (int)size, name);
}

static bool load(ThTask *t, const ThTaskRecords *r, ThError *err)
{
    if (r->n == 0)
        return th_fail(err, TH_EVALUE, "the file has no rows");
    Data *d = t->data = th_alloc(1, sizeof *d, err);
    if (!d)
        return false;
    d->words = are_words(t, r);
    Loader l = {.records = r, .data = d, .label_words = are_label_words(r, d->words), .err = err};
    d->every = are_every(t, r, d->words, l.label_words);
    t->signature.target = d->every ? TH_TARGET_EVERY : TH_TARGET_FINAL;
    bool ok = load_rows(&l) && check_counts(r, &l, err) && name_all(&l, &t->signature) &&
              split_rows(t, d, err);
    th_intern_free(&l.symbols);
    th_intern_free(&l.classes);
    return ok;
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    ThTaskRecordShape shape = {.path = from->file,
                               .input = th_option_text(&t->options, "input"),
                               .label = th_option_text(&t->options, "label"),
                               .header = (ThTaskHeader)th_option_choice(&t->options, "header")};
    ThTaskRecords r = {0};
    bool ok = th_task_records_read(&r, &shape, err) && load(t, &r, err);
    th_task_records_free(&r);
    return ok;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The first place in [from, end) of the order whose row has at least `length` symbols. */
static int first_of_length(const Data *d, int from, int end, int length)
{
    while (from < end) {
        int middle = from + (end - from) / 2;
        if (row_length(d, d->order[middle]) < length)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/* The places of some rows in the order: [*from, return). */
static int find_rows(const Data *d, const ThTaskRows *which, int *from)
{
    bool test = which->part == TH_TASK_TEST;
    int first = test ? d->n_train : 0, end = test ? d->n : d->n_train;
    *from = first_of_length(d, first, end, which->lo);
    return which->hi >= LONGEST_ROW ? end : first_of_length(d, *from, end, which->hi + 1);
}

static long long count(const ThTask *t, const ThTaskRows *which)
{
    int from, end = find_rows(t->data, which, &from);
    return end - from;
}

static void put_row(const ThTask *t, int row, ThBatch *b, int at)
{
    const Data *d = t->data;
    size_t n = (size_t)row_length(d, row), from = d->start[row];
    b->length[at] = (int)n;
    memcpy(th_batch_token(b, at), d->token + from, n * sizeof *d->token);
    memcpy(th_batch_target(&t->signature, b, at), d->answer + (d->every ? from : (size_t)row),
           (d->every ? n : 1) * sizeof *d->answer);
}

static bool take(const ThTask *t, const ThTaskRows *which, const long long *number, ThBatch *b,
                 ThError *err)
{
    const Data *d = t->data;
    int from;
    find_rows(d, which, &from);
    b->T = 1;
    for (int i = 0; i < b->B; i++) {
        int n = row_length(d, d->order[from + (int)number[i]]);
        b->T = n > b->T ? n : b->T;
    }
    if (!th_batch_reserve(b, &t->signature, true, err))
        return false;
    for (int i = 0; i < b->B; i++)
        put_row(t, d->order[from + (int)number[i]], b, i);
    th_batch_pad(b, &t->signature);
    th_batch_trim(b, &t->signature);
    return true;
}

/* Rows of one length from the part to train on, or where there is none, to test on. */
static ThTaskRows of_length(const Data *d, int lo, int hi)
{
    return (ThTaskRows){d->n_train > 0 ? TH_TASK_TRAIN : TH_TASK_TEST, lo, hi};
}

static int drawn_length(const ThTask *t, int length)
{
    const Data *d = t->data;
    ThTaskRows upto = of_length(d, 1, length < LONGEST_ROW ? length : LONGEST_ROW);
    int from, end = find_rows(d, &upto, &from);
    return row_length(d, d->order[end > from ? end - 1 : from]);
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    (void)err;
    ThTaskRows rows = of_length(t->data, length, length);
    int from, end = find_rows(t->data, &rows, &from);
    for (int i = 0; i < b->B; i++) {
        int place = from + (int)th_rng_below(r, (uint64_t)(end - from));
        put_row(t, ((const Data *)t->data)->order[place], b, i);
    }
    return true;
}

static void describe(const ThTask *t, ThText *to)
{
    const Data *d = t->data;
    int shortest = row_length(d, 0), longest = shortest;
    for (int i = 1; i < d->n; i++) {
        int n = row_length(d, i);
        shortest = n < shortest ? n : shortest;
        longest = n > longest ? n : longest;
    }
    th_text_printf(to, "# rows      %d to train on, %d to test on\n", d->n_train,
                   d->n - d->n_train);
    th_text_printf(to, "# inputs    %d to %d %s\n", shortest, longest,
                   d->words ? "words" : "characters");
}

static const ThOptionSpec options[] = {
    {"split", TH_REAL, "0.9", 0, 1, NULL, "share of the rows to train on; the others are tested"},
    {"seed", TH_INT, "1", 0, 9007199254740991.0, NULL, "of the choice of these rows"},
    {"tokens", TH_CHOICE, "auto", 0, 0, "auto|characters|words",
     "what symbols are; auto: words if any input has a blank"},
    {"labels", TH_CHOICE, "auto", 0, 0, "auto|final|every",
     "one for the string, or one a symbol; auto: one a symbol if every label has as many"},
    {"header", TH_CHOICE, "auto", 0, 0, "auto|yes|no",
     "whether the first row has the columns' names; auto: if input= and label= are there"},
    {"input", TH_STRING, "input", 0, 0, NULL, "name of the column or member with the strings"},
    {"label", TH_STRING, "label", 0, 0, NULL, "name of the column or member with the labels"},
    {0},
};

const ThTaskKind th_task_kind_file = {
    .name = "file",
    .summary = "labelled strings of your own, from a .tsv, .csv or .jsonl file",
    .source = "RFC 4180 for .csv; jsonlines.org for .jsonl",
    .detail =
        "task t = file \"data.tsv\".  A row has an input and a label: in .tsv and .txt files with "
        "a "
        "tab between them, in .csv files with a comma and quotes where needed, in .jsonl files as "
        "an object a line, {\"input\": \"abba\", \"label\": \"even\"}.  Without a header the input "
        "comes first.\n\n"
        "Symbols are characters, or words with blanks between; so are the labels where there is "
        "one a symbol, and - asks for nothing.  The alphabet and the classes are those of the "
        "whole file, in byte order.  show tells what the file was taken for.\n\n"
        "The rows are dealt at random into those to train on and those to test on, which depends "
        "on split= and seed= alone.  train takes the former in epochs, every row once in each, in "
        "an order that depends on the seed of the training and the epoch; length= chooses rows by "
        "their length.  evaluate takes all of the latter, a line of the table for every length, "
        "or for bands of lengths: length=1..100:10.  Its chance is the share of the most frequent "
        "class among them.",
    .takes_file = true,
    .ragged = true,
    .options = options,
    .init = init,
    .length = drawn_length,
    .draw = draw,
    .count = count,
    .take = take,
    .describe = describe,
    .copy_data = copy_data,
    .free_data = free_data,
};
