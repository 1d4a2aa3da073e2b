#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "session_impl.h"

json_t *sh_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

void sh_table_free(ShTable *t)
{
    for (size_t i = 0; i < t->n_cells; i++)
        free(t->cell[i]);
    free(t->cell);
    json_decref(t->rows);
    *t = (ShTable){0};
}

void sh_table(ShSession *s, const char *name, const char *columns)
{
    ShTable *t = &s->out.table;
    sh_table_free(t);
    t->open = true;
    snprintf(t->name, sizeof t->name, "%s", name);
    for (const char *c = columns; *c && t->n_columns < SH_MOST_COLUMNS;) {
        size_t n = strcspn(c, ":");
        ShColumn *column = &t->column[t->n_columns++];
        snprintf(column->name, sizeof column->name, "%.*s", (int)n, c);
        column->kind = c[n] ? c[n + 1] : 's';
        c += n + strcspn(c + n, " ");
        c += strspn(c, " ");
    }
    if (s->out.format == SH_FORMAT_JSON && !(t->rows = json_array()))
        s->out.failed = true;
}

static void add_cell(ShSession *s, ShTable *t, char *text)
{
    if (!text || !th_grow(&t->cell, &t->cap, t->n_cells + 1, sizeof *t->cell, NULL)) {
        free(text);
        s->out.failed = true;
        return;
    }
    t->cell[t->n_cells++] = text;
}

char *sh_number_text(double x, ShOutputFormat format)
{
    ThText t = {0};
    if (isnan(x))
        th_text_add(&t, format == SH_FORMAT_TEXT ? "-" : "");
    else
        th_text_number(&t, x);
    return th_text_take(&t, NULL);
}

char *sh_integer_text(long long value)
{
    ThText t = {0};
    th_text_printf(&t, "%lld", value);
    return th_text_take(&t, NULL);
}

const char *sh_flag_text(bool value, ShOutputFormat format)
{
    if (format == SH_FORMAT_TEXT)
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
        return sh_json_number(va_arg(*args, double));
    case 'b':
        return json_boolean(va_arg(*args, int));
    default:
        return json_string(va_arg(*args, const char *));
    }
}

static char *text_cell(char kind, ShOutputFormat format, va_list *args)
{
    switch (kind) {
    case 'i':
        return sh_integer_text(va_arg(*args, long long));
    case 'r':
        return sh_number_text(va_arg(*args, double), format);
    case 'b':
        return th_strdup(sh_flag_text(va_arg(*args, int) != 0, format), NULL);
    default:
        return th_strdup(va_arg(*args, const char *), NULL);
    }
}

static void row_cell(ShSession *s, json_t *row, const ShColumn *c, va_list *args)
{
    if (!row)
        add_cell(s, &s->out.table, text_cell(c->kind, s->out.format, args));
    else if (json_object_set_new(row, c->name, json_cell(c->kind, args)) != 0)
        s->out.failed = true;
}

void sh_row(ShSession *s, ...)
{
    ShTable *t = &s->out.table;
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

static void print_line(FILE *out, const ShTable *t, const int *width, char *const *cell)
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
static void align_points(ShSession *s, ShTable *t, int column)
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
static void print_aligned(ShSession *s, FILE *out, ShTable *t)
{
    enum { WIDEST = 200 };
    for (int i = 0; i < t->n_columns; i++)
        if (t->column[i].kind == 'r')
            align_points(s, t, i);
    int width[SH_MOST_COLUMNS] = {0};
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

void sh_csv_cell(FILE *out, const char *text, bool last)
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

static void print_csv(ShSession *s, const ShTable *t)
{
    FILE *out = sh_data_stream(&s->out);
    if (s->out.tables)
        fputc('\n', out);
    for (int i = 0; i < t->n_columns; i++)
        sh_csv_cell(out, t->column[i].name, i + 1 == t->n_columns);
    for (size_t i = 0; i < t->n_cells; i++)
        sh_csv_cell(out, t->cell[i], (i + 1) % (size_t)t->n_columns == 0);
    s->out.tables = true;
}

void sh_table_end(ShSession *s)
{
    ShTable *t = &s->out.table;
    sh_progress_erase(s);
    if (s->out.format == SH_FORMAT_JSON) {
        sh_output_member(s, t->name, json_incref(t->rows));
    } else if (s->out.format == SH_FORMAT_CSV) {
        print_csv(s, t);
    } else if (t->n_cells > 0) {
        print_aligned(s, sh_listing(s), t);
    }
    sh_table_free(t);
}
