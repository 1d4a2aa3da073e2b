#include "tasks/data/records.h"

#include <jansson.h>

#include "base/file.h"
#include "base/text.h"

enum { MOST_CELLS = 256 };
enum { ALIGNED = ' ' }; /* the separator of tables for people: two blanks, or more */

static const size_t MOST_BYTES = (size_t)1 << 30;

/* A place in the file. */
typedef struct {
    const char *at, *end, *line_start;
    int line;
} Place;

typedef struct {
    const ThTaskRecordShape *shape;
    char separator; /* a comma, a tab, or ALIGNED */
    bool either;    /* a row without a tab is aligned */
    Place place;
    ThTaskCell cell[MOST_CELLS]; /* of the present row */
    int n_cells;
    int input, label; /* the columns; -1: no row has been read yet */
    int other;        /* -1: there is none */
    ThTaskRecords *records;
    ThTaskRow row; /* takes the rows instead; NULL: none */
    void *context;
    ThError *err;
} Reader;

/* The column of a place, in characters from 1. */
static int column(const Place *p, const char *at)
{
    int col = 1;
    for (const char *c = p->line_start; c < at; c++)
        col += (*c & 0xc0) != 0x80;
    return col;
}

static bool fail_here(Reader *r, const char *at, const char *what)
{
    return th_fail_at(r->err, TH_EVALUE, r->place.line, column(&r->place, at), "%s", what);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Refuses what is no text, with the place of the first such byte. */
static bool check_text(Reader *r)
{
    Place *p = &r->place;
    while (p->at < p->end) {
        size_t n = r->shape->bytes ? 1 : th_utf8_next(p->at, (size_t)(p->end - p->at), NULL);
        unsigned char c = (unsigned char)*p->at;
        if (r->shape->bytes && c == 0)
            return fail_here(r, p->at, "a zero byte");
        if (n == 0)
            return fail_here(r, p->at, "this is no valid UTF-8");
        if (!r->shape->bytes && ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f))
            return fail_here(r, p->at, "a control character");
        p->at += n;
        if (c == '\n') {
            p->line++;
            p->line_start = p->at;
        }
    }
    return true;
}

static void new_line(Place *p)
{
    p->line++;
    p->line_start = p->at;
}

/* Passes a line's end, "\n" or "\r\n"; false where there is none. */
static bool end_of_line(Place *p)
{
    const char *at = p->at;
    if (at < p->end && *at == '\r')
        at++;
    if (at < p->end && *at != '\n')
        return false;
    p->at = at < p->end ? at + 1 : at;
    new_line(p);
    return true;
}

static bool add_record(Reader *r, ThTaskRecord record)
{
    ThTaskRecords *to = r->records;
    return TH_APPEND(to->item, to->n, to->cap, r->err, record);
}

/* ---- columns --------------------------------------------------------------------------------- */

static size_t separator_at(const Reader *r, const char *at)
{
    if (r->separator != ALIGNED)
        return at < r->place.end && *at == r->separator;
    size_t n = strspn(at, " ");
    return n > 1 || strchr("\r\n", at[n]) ? n : 0;
}

static bool plain_cell(Reader *r, ThText *to)
{
    const char *from = r->place.at;
    while (r->place.at < r->place.end && !separator_at(r, r->place.at) && *r->place.at != '\n' &&
           *r->place.at != '\r') {
        if (r->separator == ',' && *r->place.at == '"')
            return fail_here(r, r->place.at, "a quote inside a field that does not begin with one");
        r->place.at++;
    }
    th_text_add_bytes(to, from, (size_t)(r->place.at - from));
    return true;
}

/* After the opening quote; doubled quotes stand for one. */
static bool quoted_cell(Reader *r, ThText *to)
{
    Place *p = &r->place, open = *p;
    for (p->at++; p->at < p->end; p->at++) {
        if (*p->at == '"' && (p->at + 1 == p->end || p->at[1] != '"')) {
            p->at++;
            if (p->at < p->end && *p->at != ',' && *p->at != '\r' && *p->at != '\n')
                return fail_here(r, p->at, "text behind a closing quote");
            return true;
        }
        p->at += *p->at == '"';
        th_text_add_bytes(to, p->at, 1);
        if (*p->at == '\n') {
            p->line++;
            p->line_start = p->at + 1;
        }
    }
    *p = open;
    return fail_here(r, p->at, "a quote that is never closed");
}

static bool read_cell(Reader *r)
{
    Place *p = &r->place;
    if (r->n_cells == MOST_CELLS)
        return fail_here(r, p->at, "too many columns");
    ThTaskCell *c = &r->cell[r->n_cells];
    *c = (ThTaskCell){.line = p->line, .col = column(p, p->at)};
    ThText text = {0};
    bool quoted = r->separator == ',' && p->at < p->end && *p->at == '"';
    if (!(quoted ? quoted_cell(r, &text) : plain_cell(r, &text))) {
        th_text_free(&text);
        return false;
    }
    c->text = th_text_take(&text, r->err);
    r->n_cells += c->text != NULL;
    return c->text != NULL;
}

static void drop_cells(Reader *r)
{
    for (int i = 0; i < r->n_cells; i++)
        free(r->cell[i].text);
    r->n_cells = 0;
}

/* Reads the cells of a row; the place is behind its end. */
static bool read_cells(Reader *r)
{
    drop_cells(r);
    if (r->either)
        r->separator = r->place.at[strcspn(r->place.at, "\t\n")] == '\t' ? '\t' : ALIGNED;
    if (!read_cell(r))
        return false;
    for (size_t n; (n = separator_at(r, r->place.at)) > 0;) {
        r->place.at += n;
        bool end = r->separator == ALIGNED && strchr("\r\n", *r->place.at);
        if (!end && !read_cell(r))
            return false;
    }
    return end_of_line(&r->place) || fail_here(r, r->place.at, "a carriage return within a line");
}

static int find_cell(const Reader *r, const char *name)
{
    for (int i = 0; i < r->n_cells; i++)
        if (strcmp(r->cell[i].text, name) == 0)
            return i;
    return -1;
}

static bool no_column(Reader *r, const char *name)
{
    ThText names TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < r->n_cells; i++)
        th_text_printf(&names, "%s'%s'", i ? ", " : "", r->cell[i].text);
    return th_fail_at(r->err, TH_EVALUE, r->cell[0].line, 1, "no column '%s'", name) ||
           th_hint(r->err, "the columns are %.120s", names.data ? names.data : "");
}

/* Of a file without a header: the column that a number stands for, or -1. */
static int numbered_cell(const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);
    return *name && !*end && number >= 1 && number <= MOST_CELLS ? (int)number - 1 : -1;
}

/* Looks at the first row; *is_header says whether it was the columns' names. */
static bool choose_columns(Reader *r, bool *is_header)
{
    const ThTaskRecordShape *shape = r->shape;
    const char *missing = NULL, *word = NULL, *name[] = {shape->input, shape->label, shape->other};
    int *column[] = {&r->input, &r->label, &r->other};
    for (int i = 0; i < 3 && name[i]; i++) {
        *column[i] = find_cell(r, name[i]);
        if (i == 1 && *column[i] < 0 && shape->or_label)
            *column[i] = find_cell(r, shape->or_label);
        missing = *column[i] < 0 && !missing ? name[i] : missing;
        word = numbered_cell(name[i]) < 0 ? name[i] : word;
    }
    bool numbers = !word;
    *is_header = shape->header == TH_TASK_HEADER_YES ||
                 (shape->header == TH_TASK_HEADER_AUTO && !missing && !numbers);
    if (*is_header)
        return !missing || no_column(r, missing);
    if (shape->other && word)
        return no_column(r, word);
    for (int i = 0; numbers && i < 3 && name[i]; i++)
        *column[i] = numbered_cell(name[i]);
    if (numbers)
        return true;
    r->input = shape->label_first;
    r->label = !shape->label_first;
    if (r->n_cells <= 2)
        return true;
    return th_fail_at(r->err, TH_EVALUE, r->cell[2].line, r->cell[2].col,
                      "a column too many, and no header that names '%s' and '%s'", shape->input,
                      shape->label) ||
           th_hint(r->err, "input= and label= choose the columns by their names or numbers");
}

/* Makes a record of the present row. */
static bool take_row(Reader *r)
{
    const ThTaskCell *last = &r->cell[r->n_cells - 1];
    bool label = r->label >= r->n_cells;
    if (label || r->input >= r->n_cells || r->other >= r->n_cells)
        return th_fail_at(r->err, TH_EVALUE, last->line, last->col, "the row has no %s",
                          label                    ? "label"
                          : r->input >= r->n_cells ? "input"
                                                   : "other input") ||
               th_hint(r->err, "%s separate the columns",
                       r->separator == ',' ? "commas"
                       : r->either         ? "tabs, or two blanks and more,"
                                           : "tabs");
    ThTaskCell none = {0};
    ThTaskCell *input = &r->cell[r->input], *label_cell = &r->cell[r->label];
    ThTaskCell *other = r->other < 0 ? &none : &r->cell[r->other];
    ThTaskRecord record = {.input = input->text,
                           .label = label_cell->text,
                           .other = other->text,
                           .line = input->line,
                           .input_col = input->col,
                           .label_col = label_cell->col,
                           .other_col = other->col};
    if (!add_record(r, record))
        return false;
    input->text = label_cell->text = other->text = NULL;
    return true;
}

static bool read_columns(Reader *r)
{
    while (r->place.at < r->place.end) {
        if (end_of_line(&r->place))
            continue;
        bool header = false;
        if (r->row) {
            if (!read_cells(r) || !r->row(r->context, r->cell, r->n_cells, r->err))
                return false;
            continue;
        }
        if (!read_cells(r) || (r->input < 0 && !choose_columns(r, &header)) ||
            (!header && !take_row(r)))
            return false;
    }
    return true;
}

/* ---- JSON lines ------------------------------------------------------------------------------ */

static bool add_value(ThText *to, const json_t *value)
{
    if (json_is_string(value)) {
        th_text_add(to, json_string_value(value));
        return strlen(json_string_value(value)) == json_string_length(value);
    }
    if (!json_is_number(value) && !json_is_boolean(value))
        return false;
    char *text TH_OWNED(free) = json_dumps(value, JSON_ENCODE_ANY);
    th_text_add(to, text ? text : "");
    return text != NULL;
}

/* Returns new: a member as text; NULL and an error. */
static char *member(Reader *r, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    ThText text = {0};
    bool ok = value != NULL;
    if (json_is_array(value)) {
        for (size_t i = 0; ok && i < json_array_size(value); i++) {
            th_text_add(&text, i ? " " : "");
            ok = add_value(&text, json_array_get(value, i));
        }
    } else if (value) {
        ok = add_value(&text, value);
    }
    if (ok)
        return th_text_take(&text, r->err);
    th_text_free(&text);
    return th_null(th_fail_at(r->err, TH_EVALUE, r->place.line, 1,
                              value ? "'%s' is no text, number or list of these" : "no member '%s'",
                              name));
}

static bool take_object(Reader *r, const char *line, size_t n)
{
    json_error_t error;
    json_t *object = json_loadb(line, n, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object)) {
        json_decref(object);
        int col = object || error.column < 1 ? 1 : error.column;
        return th_fail_at(r->err, TH_EVALUE, r->place.line, col, "%s",
                          object ? "this is no object" : error.text);
    }
    const ThTaskRecordShape *shape = r->shape;
    ThTaskRecord record = {.line = r->place.line, .input_col = 1, .label_col = 1, .other_col = 1};
    record.input = member(r, object, shape->input);
    record.label = record.input ? member(r, object, shape->label) : NULL;
    record.other = record.label && shape->other ? member(r, object, shape->other) : NULL;
    json_decref(object);
    if (record.label && (record.other || !shape->other) && add_record(r, record))
        return true;
    TH_FREE(record.input, record.label, record.other);
    return false;
}

static bool read_objects(Reader *r)
{
    Place *p = &r->place;
    while (p->at < p->end) {
        const char *line = p->at, *newline = memchr(line, '\n', (size_t)(p->end - line));
        size_t n = (size_t)((newline ? newline : p->end) - line);
        if (strspn(line, " \t\r") < n && !take_object(r, line, n))
            return false;
        p->at = newline ? newline + 1 : p->end;
        new_line(p);
    }
    return true;
}

/* ---- by extension ---------------------------------------------------------------------------- */

typedef struct {
    const char *extension;
    char separator;
    bool (*read)(Reader *r);
} Format;

static const Format *format_of(const char *path, ThError *err)
{
    static const Format formats[] = {{".tsv", '\t', read_columns},
                                     {".txt", ALIGNED, read_columns},
                                     {".csv", ',', read_columns},
                                     {".jsonl", 0, read_objects}};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t m = strlen(formats[i].extension);
        if (n > m && strcmp(path + n - m, formats[i].extension) == 0)
            return &formats[i];
    }
    return th_null(th_fail(err, TH_EUSAGE, "'%s' is no name of labelled data", path) ||
                   th_hint(err, "labelled data are read from .tsv, .txt, .csv and .jsonl files"));
}

/* Reads n bytes with a zero behind them. */
static bool read_text(Reader *r, const Format *format, const char *text, size_t n)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some programs begin UTF-8 with it */
    const char *start = text + (n >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0);
    Place begin = {start, text + n, start, 1};
    r->separator = format->separator;
    r->either = format->separator == ALIGNED;
    r->place = begin;
    bool ok = check_text(r);
    r->place = begin;
    ok = ok && format->read(r);
    drop_cells(r);
    return ok;
}

bool th_task_records_parse(ThTaskRecords *records, const char *text, size_t n,
                           const ThTaskRecordShape *shape, ThError *err)
{
    const Format *format = format_of(shape->path, err);
    Reader r = {.shape = shape, .input = -1, .other = -1, .records = records, .err = err};
    return format && read_text(&r, format, text, n);
}

bool th_task_rows_read(const char *path, ThTaskRow row, void *context, ThError *err)
{
    ThTaskRecordShape shape = {.path = path};
    Reader r = {.shape = &shape, .row = row, .context = context, .err = err};
    const Format *format = format_of(path, err);
    if (format && !format->separator)
        return th_fail(err, TH_EUSAGE, "'%s' has no columns: .csv, .tsv and .txt files have", path);
    size_t n;
    char *text TH_OWNED(free) = format ? th_file_read(path, MOST_BYTES, &n, err) : NULL;
    return text && read_text(&r, format, text, n);
}

bool th_task_records_read(ThTaskRecords *records, const ThTaskRecordShape *shape, ThError *err)
{
    size_t n;
    if (th_task_is_folder(shape->path))
        return th_task_records_folder(records, shape, MOST_BYTES, err);
    char *text TH_OWNED(free) =
        format_of(shape->path, err) ? th_file_read(shape->path, MOST_BYTES, &n, err) : NULL;
    return text && th_task_records_parse(records, text, n, shape, err);
}

void th_task_records_free(ThTaskRecords *r)
{
    for (size_t i = 0; i < r->n; i++) {
        TH_FREE(r->item[i].input, r->item[i].label, r->item[i].other);
    }
    free(r->item);
    *r = (ThTaskRecords){0};
}
