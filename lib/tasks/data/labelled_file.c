/* A user's own labelled data. */

#include "base/intern.h"
#include "base/symbols.h"
#include "tasks/task_parts.h"
#include "tasks/data/records.h"
#include "tasks/table.h"

enum { MOST_NAMES = 1 << 16, LONGEST_NAME = 4096 };

/* ---- items of a text ------------------------------------------------------------------------- */

static const char BLANKS[] = " \t\r\n";

/* The options tokens and labels, in the order of their words; header is a ThTaskHeader. */
enum { TOKENS_AUTO, TOKENS_CHARACTERS, TOKENS_WORDS, TOKENS_BYTES };
enum { LABELS_AUTO, LABELS_FINAL, LABELS_EVERY };
enum { INPUT_FIRST, LABEL_FIRST }; /* first= */

/* How a text falls into items: words, characters or bytes, without those of a list of words. */
typedef struct {
    int tokens;
    const char *skip;
} Items;

static size_t next_any(const char **from, int tokens)
{
    if (tokens == TOKENS_BYTES)
        return **from ? 1 : 0;
    if (tokens == TOKENS_CHARACTERS)
        return th_utf8_next(*from, strlen(*from), NULL);
    *from += strspn(*from, BLANKS);
    return strcspn(*from, BLANKS);
}

static bool is_listed(const char *item, size_t size, const char *list)
{
    for (size_t n; (n = next_any(&list, TOKENS_WORDS)) > 0; list += n)
        if (n == size && memcmp(list, item, n) == 0)
            return true;
    return false;
}

/* The next item of a text as [*from, *from + size); 0 at the end. */
static size_t next_item(const char **from, Items items)
{
    size_t size = next_any(from, items.tokens);
    while (size > 0 && is_listed(*from, size, items.skip)) {
        *from += size;
        size = next_any(from, items.tokens);
    }
    return size;
}

static size_t count_items(const char *text, Items items)
{
    size_t n = 0;
    for (size_t size; (size = next_item(&text, items)) > 0; n++)
        text += size;
    return n;
}

static bool has_blank(const char *text)
{
    return text[strcspn(text, BLANKS)] != '\0';
}

/* ---- what the file is taken for -------------------------------------------------------------- */

/* Symbols are words where any input has a blank, else characters. */
static int tokens_of(const ThTask *t, const ThTaskRecords *r)
{
    int tokens = th_option_choice(&t->options, "tokens");
    if (tokens != TOKENS_AUTO)
        return tokens;
    for (size_t i = 0; i < r->n; i++)
        if (has_blank(r->item[i].input) || (r->item[i].other && has_blank(r->item[i].other)))
            return TOKENS_WORDS;
    return TOKENS_CHARACTERS;
}

/* Items of a label are words where symbols are, or any label has a blank; else characters. */
static int label_tokens_of(const ThTaskRecords *r, int tokens)
{
    for (size_t i = 0; i < r->n; i++)
        if (tokens == TOKENS_WORDS || has_blank(r->item[i].label))
            return TOKENS_WORDS;
    return TOKENS_CHARACTERS;
}

/* One label a symbol where every label has as many items as its input has symbols, and that says
 * something: some input has more than one. */
static bool are_every(const ThTask *t, const ThTaskRecords *r, Items inputs, Items answers)
{
    int labels = th_option_choice(&t->options, "labels");
    if (labels != LABELS_AUTO || t->signature.pairs)
        return labels == LABELS_EVERY;
    bool telling = false;
    for (size_t i = 0; i < r->n; i++) {
        size_t n = count_items(r->item[i].input, inputs);
        if (n != count_items(r->item[i].label, answers))
            return false;
        telling = telling || n > 1;
    }
    return telling;
}

/* ---- reading rows ---------------------------------------------------------------------------- */

typedef struct {
    const ThTaskRecords *records;
    ThTaskTable *data;
    Items inputs, answers;
    ThIntern symbols, classes;
    size_t cap_token, cap_answer, n_answer;
    size_t longest; /* symbols of an input that are read */
    ThError *err;
} Loader;

/* Stands for the symbol between two inputs until there is an alphabet. */
enum { BETWEEN = -1 };

static bool fail_at(Loader *l, const ThTaskRecord *r, bool label, ThErrc code, const char *what)
{
    return th_fail_at(l->err, code, r->line, label ? r->label_col : r->input_col, "%s", what);
}

static bool check_name(Loader *l, const ThTaskRecord *r, bool label, const char *name, size_t size)
{
    bool byte = !label && l->inputs.tokens == TOKENS_BYTES; /* which may end a line */
    for (size_t i = 0; i < size && !byte; i++)
        if ((unsigned char)name[i] < 0x20)
            return fail_at(l, r, label, TH_EVALUE, "a control character");
    if (!th_utf8_valid(name, size))
        return fail_at(l, r, label, TH_EVALUE, "this is no valid UTF-8");
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

static bool add_token(Loader *l, size_t at, int token)
{
    ThTaskTable *d = l->data;
    if (!th_grow(&d->token, &l->cap_token, at + 1, sizeof *d->token, l->err))
        return false;
    d->token[at] = token;
    return true;
}

/* Adds the symbols of a text behind the *n that the row has. */
static bool add_text(Loader *l, const ThTaskRecord *r, const char *at, size_t *n)
{
    char byte[TH_TASK_BYTE_NAME];
    const size_t base = l->data->start[l->data->n], before = *n;
    for (size_t size; *n - before < l->longest && (size = next_item(&at, l->inputs)) > 0;
         at += size, ++*n) {
        bool bytes = l->inputs.tokens == TOKENS_BYTES;
        int token = 0;
        if (bytes)
            th_task_byte_name((unsigned char)*at, byte);
        if (*n == TH_TASK_LONGEST_ROW)
            return fail_at(l, r, false, TH_ELIMIT, "an input of more than a million symbols");
        if (!add_name(l, r, false, bytes ? byte : at, bytes ? strlen(byte) : size, &token) ||
            !add_token(l, base + *n, token))
            return false;
    }
    return *n > before || fail_at(l, r, false, TH_EVALUE, "the input is empty");
}

static bool add_input(Loader *l, const ThTaskRecord *r, size_t *n)
{
    *n = 0;
    if (!add_text(l, r, r->input, n))
        return false;
    if (!r->other)
        return true;
    if (!add_token(l, l->data->start[l->data->n] + *n, BETWEEN))
        return false;
    ++*n;
    ThTaskRecord other = *r;
    other.input_col = r->other_col;
    return add_text(l, &other, r->other, n);
}

static bool add_answer(Loader *l, const ThTaskRecord *r, const char *name, size_t size)
{
    ThTaskTable *d = l->data;
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
    size_t n = count_items(at, l->answers);
    if (n != n_input)
        return th_fail_at(l->err, TH_EVALUE, r->line, r->label_col, "%zu labels for %zu symbols", n,
                          n_input) ||
               th_hint(l->err, "labels=final: one label for the whole input");
    for (size_t size; (size = next_item(&at, l->answers)) > 0; at += size)
        if (!add_answer(l, r, at, size))
            return false;
    return true;
}

static bool load_rows(Loader *l)
{
    ThTaskTable *d = l->data;
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
    Named *sorted TH_OWNED(free) = th_alloc(names->n, sizeof *sorted, err);
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
    return ok;
}

static void renumber(int *number, size_t n, const int *place)
{
    for (size_t i = 0; i < n; i++)
        if (number[i] >= 0)
            number[i] = place[number[i]];
}

/* Adds the symbol between the inputs of a pair, which none of them has, behind all others. */
static bool name_between(Loader *l, ThSignature *s)
{
    static const char *const names[] = {",", "|", "<and>", "<between>"};
    size_t cap = 0, known, all = (size_t)s->n_symbols + 1, n = sizeof names / sizeof *names, k = 0;
    while (k < n && th_symbols_find(s->symbol, s->n_symbols, names[k]) >= 0)
        k++;
    if (k == n)
        return th_fail(l->err, TH_EVALUE, "the inputs have all of , | <and> <between> as symbols");
    known = l->data->start[l->data->n];
    if (!th_grow(&s->symbol, &cap, all, sizeof *s->symbol, l->err) ||
        !(s->symbol[s->n_symbols] = th_strdup(names[k], l->err)))
        return false;
    for (size_t i = 0; i < known; i++)
        if (l->data->token[i] == BETWEEN)
            l->data->token[i] = s->n_symbols;
    s->n_symbols++;
    return true;
}

static bool name_all(Loader *l, ThSignature *s)
{
    int *symbol TH_OWNED(free) = NULL, *label TH_OWNED(free) = NULL;
    bool ok = sort_names(&l->symbols, &s->symbol, &s->n_symbols, &symbol, l->err) &&
              sort_names(&l->classes, &s->label, &s->n_classes, &label, l->err);
    if (ok) {
        renumber(l->data->token, l->data->start[l->data->n], symbol);
        renumber(l->data->answer, l->n_answer, label);
    }
    return ok && (!s->pairs || name_between(l, s));
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The number of rows to train on: a share, but none and all only where that is asked for. */
static int train_rows(int n, double split)
{
    int rows = (int)(split * n + 0.5);
    if (split > 0 && rows == 0)
        return 1;
    return split < 1 && rows == n && n > 1 ? n - 1 : rows;
}

static bool split_rows(ThTask *t, ThTaskTable *d, ThError *err)
{
    ThRng r = th_rng((uint64_t)th_option_int(&t->options, "seed"), "task.file.split", 0);
    d->n_train = train_rows(d->n, th_option_real(&t->options, "split"));
    return th_task_table_order(d, &r, err);
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
    ThTaskTable *d = t->data = th_alloc(1, sizeof *d, err);
    if (!d)
        return false;
    static const char *const units[] = {"", "characters", "words", "bytes"};
    int tokens = tokens_of(t, r);
    Loader l = {.records = r,
                .data = d,
                .inputs = {tokens, th_option_text(&t->options, "skip")},
                .answers = {label_tokens_of(r, tokens), ""},
                .longest = (size_t)th_option_int(&t->options, "longest"),
                .err = err};
    t->signature.pairs = r->item[0].other != NULL;
    d->every = are_every(t, r, l.inputs, l.answers);
    d->unit = units[tokens];
    if (d->every && t->signature.pairs)
        return th_fail(err, TH_EUSAGE,
                       "a pair has one label: other= does not go with labels=every");
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
                               .or_label = th_option_given(&t->options, "label") ? NULL : "answer",
                               .other = th_option_text_or(&t->options, "other", NULL),
                               .skip = th_option_text(&t->options, "skip"),
                               .bytes = th_option_choice(&t->options, "tokens") == TOKENS_BYTES,
                               .header = (ThTaskHeader)th_option_choice(&t->options, "header"),
                               .label_first =
                                   th_option_choice(&t->options, "first") == LABEL_FIRST};
    ThTaskRecords r TH_OWNED(th_task_records_free) = {0};
    return th_task_records_read(&r, &shape, err) && load(t, &r, err);
}

static const ThOptionSpec options[] = {
    {"split", TH_REAL, "0.9", 0, 1, NULL, "share of the rows to train on; the others are tested"},
    {"seed", TH_INT, "1", 0, 9007199254740991.0, NULL, "of the choice of these rows"},
    {"tokens", TH_CHOICE, "auto", 0, 0, "auto|characters|words|bytes",
     "what symbols are; auto: words if any input has a blank"},
    {"labels", TH_CHOICE, "auto", 0, 0, "auto|final|every",
     "one for the string, or one a symbol; auto: one a symbol if every label has as many"},
    {"header", TH_CHOICE, "auto", 0, 0, "auto|yes|no",
     "whether the first row has the columns' names; auto: if input= and label= are there"},
    {"first", TH_CHOICE, "input", 0, 0, "input|label", "the first column where there is no header"},
    {"skip", TH_STRING, "", 0, 0, NULL,
     "symbols to leave out of inputs, or folders of a folder, with blanks between"},
    {"longest", TH_INT, "1000000", 1, 1000000, NULL, "inputs are cut behind so many symbols"},
    {"input", TH_STRING, "input", 0, 0, NULL,
     "the column or member with the strings: its name, or its number where there is no header"},
    {"label", TH_STRING, "label", 0, 0, NULL,
     "the column or member with the labels; without it a column answer, as sample writes, will do"},
    {"other", TH_STRING, NULL, 0, 0, NULL,
     "the column or member with a second string, which the label compares with the first"},
    {0},
};

const ThTaskKind th_task_kind_file = {
    .name = "file",
    .summary = "labelled strings of your own, from a .tsv, .csv or .jsonl file",
    .source = "RFC 4180 for .csv; jsonlines.org for .jsonl",
    .detail =
        "task t = file \"data.tsv\".  A row has an input and a label: in .tsv and .txt files with "
        "a tab between them, in .txt files two blanks will do, in .csv files with a comma and "
        "quotes where needed, in .jsonl files as an object a line, {\"input\": \"abba\", "
        "\"label\": \"even\"}.  Without a header the input comes first, or with first=label the "
        "label.\n\n"
        "Symbols are characters, or words with blanks between; so are the labels where there is "
        "one a symbol, and - asks for nothing.  The alphabet and the classes are those of the "
        "whole file, in byte order.  show tells what the file was taken for.  "
        "The published files of ListOps are read with first=label skip=\"( )\", those of the Long "
        "Range Arena with input=Source label=Target skip=\"( )\".\n\n"
        "With other= a row has two inputs that are compared: models that know pairs read each by "
        "itself, with , or | between the two as it is typed.  The pairs of Bowman et al. are "
        "read with label=1 input=2 other=3, the retrieval of the Long Range Arena with label=1 "
        "input=4 other=5 tokens=bytes longest=4096, reviews in rows of label and text with "
        "first=label tokens=bytes longest=4096; with split=1 all rows are to train on, with "
        "split=0 to test on.\n\n"
        "A folder of texts is read as bytes: the folders in it are the classes, their files the "
        "inputs.  task t = file \"aclImdb/train\" tokens=bytes longest=4096 skip=unsup takes the "
        "reviews as the Long Range Arena does.\n\n"
        "The rows are dealt at random into those to train on and those to test on, which depends "
        "on split= and seed= alone.  train takes the former in epochs, every row once in each, in "
        "an order that depends on the seed of the training and the epoch; length= chooses rows by "
        "their length.  evaluate takes all of the latter, a line of the table for every length, "
        "or for bands of lengths: length=1..100:10.  Its chance is the share of the most frequent "
        "class among them.",
    .takes_file = true,
    .options = options,
    .init = init,
    TH_TASK_TABLE,
};
