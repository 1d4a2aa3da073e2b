#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "session_impl.h"

json_t *th_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

void th_table_free(ThTable *t)
{
    for (size_t i = 0; i < t->n_cells; i++)
        free(t->cell[i]);
    free(t->cell);
    json_decref(t->rows);
    *t = (ThTable){0};
}

void th_table(ThSession *s, const char *name, const char *columns)
{
    ThTable *t = &s->out.table;
    th_table_free(t);
    t->open = true;
    snprintf(t->name, sizeof t->name, "%s", name);
    for (const char *c = columns; *c && t->n_columns < TH_MOST_COLUMNS;) {
        size_t n = strcspn(c, ":");
        ThColumn *column = &t->column[t->n_columns++];
        snprintf(column->name, sizeof column->name, "%.*s", (int)n, c);
        column->kind = c[n] ? c[n + 1] : 's';
        c += n + strcspn(c + n, " ");
        c += strspn(c, " ");
    }
    if (s->out.format == TH_FORMAT_JSON && !(t->rows = json_array()))
        s->out.failed = true;
}

static void add_cell(ThSession *s, ThTable *t, char *text)
{
    if (!text || !th_grow(&t->cell, &t->cap, t->n_cells + 1, sizeof *t->cell, NULL)) {
        free(text);
        s->out.failed = true;
        return;
    }
    t->cell[t->n_cells++] = text;
}

char *th_number_text(double x, ThOutputFormat format)
{
    ThText t = {0};
    if (isnan(x))
        th_text_add(&t, format == TH_FORMAT_TEXT ? "-" : "");
    else
        th_text_number(&t, x);
    return th_text_take(&t, NULL);
}

char *th_integer_text(long long value)
{
    ThText t = {0};
    th_text_printf(&t, "%lld", value);
    return th_text_take(&t, NULL);
}

const char *th_flag_text(bool value, ThOutputFormat format)
{
    if (format == TH_FORMAT_TEXT)
        return value ? "yes" : "no";
    return value ? "true" : "false";
}

/* The next argument of a row, as the column's kind says. */
static json_t *json_cell(char kind, va_list *args)
{
    switch (kind) {
    case 'i':
        return json_integer(va_arg(*args, long long));
    case 'r':
        return th_json_number(va_arg(*args, double));
    case 'b':
        return json_boolean(va_arg(*args, int));
    default:
        return json_string(va_arg(*args, const char *));
    }
}

static char *text_cell(char kind, ThOutputFormat format, va_list *args)
{
    switch (kind) {
    case 'i':
        return th_integer_text(va_arg(*args, long long));
    case 'r':
        return th_number_text(va_arg(*args, double), format);
    case 'b':
        return th_strdup(th_flag_text(va_arg(*args, int) != 0, format), NULL);
    default:
        return th_strdup(va_arg(*args, const char *), NULL);
    }
}

static void row_cell(ThSession *s, json_t *row, const ThColumn *c, va_list *args)
{
    if (!row)
        add_cell(s, &s->out.table, text_cell(c->kind, s->out.format, args));
    else if (json_object_set_new(row, c->name, json_cell(c->kind, args)) != 0)
        s->out.failed = true;
}

void th_row(ThSession *s, ...)
{
    ThTable *t = &s->out.table;
    json_t *row = t->rows ? json_object() : NULL;
    va_list args;
    va_start(args, s);
    for (int i = 0; i < t->n_columns; i++)
        row_cell(s, row, &t->column[i], &args);
    va_end(args);
    if (t->rows && json_array_append_new(t->rows, row) != 0)
        s->out.failed = true;
}

static void pad(FILE *out, int n)
{
    for (; n > 0; n--)
        fputc(' ', out);
}

static void print_line(FILE *out, const ThTable *t, const int *width, char *const *cell)
{
    for (int i = 0; i < t->n_columns; i++) {
        const char *text = cell ? cell[i] : t->column[i].name;
        bool left = t->column[i].kind == 's';
        int space = width[i] - th_utf8_width(text);
        if (!left)
            pad(out, space);
        fputs(text, out);
        if (left && i + 1 < t->n_columns)
            pad(out, space);
        if (i + 1 < t->n_columns)
            fputs("  ", out);
    }
    fputc('\n', out);
}

/* Digits after the point, or -1 for what is no plain number. */
static int decimals(const char *number)
{
    size_t n = strspn(number, "-0123456789");
    const char *point = number + n;
    if (*point == '\0')
        return n > 0 && number[n - 1] != '-' ? 0 : -1;
    n = strspn(point + 1, "0123456789");
    return *point == '.' && point[1 + n] == '\0' ? (int)n : -1;
}

/* Gives the numbers of a column the same digits after the point, at most six, so that the points
 * stand in one line. */
static void align_points(ThSession *s, ThTable *t, int column)
{
    enum { MOST = 6 };
    int most = 0;
    size_t step = (size_t)t->n_columns;
    for (size_t i = (size_t)column; i < t->n_cells; i += step) {
        int d = decimals(t->cell[i]);
        most = d > most ? d : most;
    }
    most = most < MOST ? most : MOST;
    for (size_t i = (size_t)column; i < t->n_cells; i += step) {
        int d = decimals(t->cell[i]);
        if (d < 0 || d == most)
            continue;
        ThText text = {0};
        th_text_printf(&text, "%.*f", most, strtod(t->cell[i], NULL));
        char *aligned = th_text_take(&text, NULL);
        if (!aligned) {
            s->out.failed = true;
            return;
        }
        free(t->cell[i]);
        t->cell[i] = aligned;
    }
}

/* A cell of hundreds of characters does not push what follows in the other rows to its right. */
static void print_aligned(ThSession *s, FILE *out, ThTable *t)
{
    enum { WIDEST = 200 };
    for (int i = 0; i < t->n_columns; i++)
        if (t->column[i].kind == 'r')
            align_points(s, t, i);
    int width[TH_MOST_COLUMNS] = {0};
    for (int i = 0; i < t->n_columns; i++)
        width[i] = th_utf8_width(t->column[i].name);
    for (size_t i = 0; i < t->n_cells; i++) {
        int w = th_utf8_width(t->cell[i]);
        int *most = &width[i % (size_t)t->n_columns];
        *most = w > *most && w <= WIDEST ? w : *most;
    }
    print_line(out, t, width, NULL);
    for (size_t i = 0; i + (size_t)t->n_columns <= t->n_cells; i += (size_t)t->n_columns)
        print_line(out, t, width, &t->cell[i]);
}

void th_csv_cell(FILE *out, const char *text, bool last)
{
    if (strpbrk(text, ",\"\n\r")) {
        fputc('"', out);
        for (; *text; text++) {
            if (*text == '"')
                fputc('"', out);
            fputc(*text, out);
        }
        fputc('"', out);
    } else {
        fputs(text, out);
    }
    fputs(last ? "\n" : ",", out);
}

static void print_csv(ThSession *s, const ThTable *t)
{
    FILE *out = s->out.stream;
    if (s->out.tables)
        fputc('\n', out);
    for (int i = 0; i < t->n_columns; i++)
        th_csv_cell(out, t->column[i].name, i + 1 == t->n_columns);
    for (size_t i = 0; i < t->n_cells; i++)
        th_csv_cell(out, t->cell[i], (i + 1) % (size_t)t->n_columns == 0);
    s->out.tables = true;
}

void th_table_end(ThSession *s)
{
    ThTable *t = &s->out.table;
    th_progress_erase(s);
    if (s->out.format == TH_FORMAT_JSON) {
        th_output_member(s, t->name, json_incref(t->rows));
    } else if (s->out.format == TH_FORMAT_CSV) {
        print_csv(s, t);
    } else if (t->n_cells > 0) {
        print_aligned(s, th_listing(s), t);
    }
    th_table_free(t);
}
