#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>

#include "help/help.h"
#include "session_impl.h"

json_t *sh_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *sh_json_value(const ShFigureValue *v)
{
    switch (v->kind) {
    case 'i':
        return json_integer(v->integer);
    case 'b':
        return json_boolean(v->integer);
    case 'r':
        return sh_json_number(v->real);
    default:
        return json_string(v->text ? v->text : "");
    }
}

void sh_table_free(ShTable *t)
{
    TH_FREE_EACH(t->cell, t->n_cells);
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
    if (t->n_columns && t->column[t->n_columns - 1].kind == 'v' && s->out.format == SH_FORMAT_TEXT)
        t->n_columns--;
    if (s->out.format == SH_FORMAT_JSON && !(t->rows = json_array()))
        s->out.failed = true;
}

void sh_table_parts(ShSession *s, const char *const *name, int n)
{
    s->out.table.part = name;
    s->out.table.n_parts = n;
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
    return th_printed(NULL, "%lld", value);
}

const char *sh_flag_text(bool value, ShOutputFormat format)
{
    if (format == SH_FORMAT_TEXT)
        return value ? "yes" : "no";
    return value ? "true" : "false";
}

/* A number where the text is one that json can hold, else the text. */
static json_t *json_digits(const char *text, size_t n)
{
    char *end;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    bool whole = n > 0 && end == text + n && errno == 0 && !isspace((unsigned char)*text);
    return whole ? json_integer(x) : json_stringn(text, n);
}

static json_t *json_list(const char *words)
{
    json_t *list = json_array();
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t n = strcspn(words, " ");
        json_array_append_new(list, json_digits(words, n));
        words += n;
    }
    return list;
}

/* What is not there is no member; a number of things is an integer. */
static bool add_json_parts(json_t *to, const ShTable *t, const double *x)
{
    bool ok = true;
    for (int i = 0; i < t->n_parts; i++) {
        bool whole = x[i] == floor(x[i]) && fabs(x[i]) < 9e15;
        json_t *value = whole ? json_integer((json_int_t)x[i]) : sh_json_number(x[i]);
        ok = isnan(x[i]) ? ok : json_object_set_new(to, t->part[i], value) == 0 && ok;
    }
    return ok;
}

/* Those of a column without a name are members of the row itself. */
static bool set_json_parts(json_t *row, const ShTable *t, const char *name, const double *x)
{
    json_t *parts TH_OWNED(json_decref) = *name ? json_object() : json_incref(row);
    bool ok = parts && add_json_parts(parts, t, x);
    return (!*name || json_object_set(row, name, parts) == 0) && ok;
}

/* The next argument of a row, as the column's kind says. */
static json_t *json_cell(char kind, va_list *args)
{
    const char *text;
    switch (kind) {
    case 'i':
        return json_integer(va_arg(*args, long long));
    case 'r':
        return sh_json_number(va_arg(*args, double));
    case 'b':
        return json_boolean(va_arg(*args, int));
    case 'n':
        text = va_arg(*args, const char *);
        return json_digits(text, strlen(text));
    case 'l':
        return json_list(va_arg(*args, const char *));
    default:
        return json_string(va_arg(*args, const char *));
    }
}

/* NULL where memory has run out, for the cell or for the text that was to be in it. */
static char *text_cell(char kind, ShOutputFormat format, va_list *args)
{
    const char *text;
    switch (kind) {
    case 'i':
        return sh_integer_text(va_arg(*args, long long));
    case 'r':
        return sh_number_text(va_arg(*args, double), format);
    case 'b':
        return th_strdup(sh_flag_text(va_arg(*args, int) != 0, format), NULL);
    default:
        text = va_arg(*args, const char *);
        return text ? th_strdup(text, NULL) : NULL;
    }
}

static void add_parts(ShSession *s, json_t *row, const char *name, const double *x)
{
    ShTable *t = &s->out.table;
    if (row && !set_json_parts(row, t, name, x))
        s->out.failed = true;
    for (int i = 0; !row && i < t->n_parts; i++)
        add_cell(s, t, sh_number_text(x[i], SH_FORMAT_CSV));
}

static void row_cell(ShSession *s, json_t *row, const ShColumn *c, va_list *args)
{
    if (c->kind == 'v')
        add_parts(s, row, c->name, va_arg(*args, const double *));
    else if (!row)
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

/* Returns new. */
static char *value_text(const json_t *v, ShOutputFormat format)
{
    if (json_is_integer(v))
        return sh_integer_text(json_integer_value(v));
    if (json_is_boolean(v))
        return th_strdup(sh_flag_text(json_is_true(v), format), NULL);
    if (json_is_string(v))
        return th_strdup(json_string_value(v), NULL);
    return sh_number_text(json_is_real(v) ? json_real_value(v) : (double)NAN, format);
}

void sh_row_values(ShSession *s, const json_t *values)
{
    ShTable *t = &s->out.table;
    json_t *row = t->rows ? json_object() : NULL;
    for (int i = 0; i < t->n_columns; i++) {
        json_t *v = json_array_get(values, (size_t)i);
        if (!row)
            add_cell(s, t, value_text(v, s->out.format));
        else if (json_object_set(row, t->column[i].name, v) != 0)
            s->out.failed = true;
    }
    if (t->rows && json_array_append_new(t->rows, row) != 0)
        s->out.failed = true;
}

static void pad(FILE *out, int n)
{
    for (; n > 0; n--)
        fputc(' ', out);
}

/* Does a text that begins at a column go beyond the edge of a terminal? */
static bool wraps(const ShSheet *to, int at, const char *text)
{
    enum { LEAST = 16 };
    return to->terminal && at + LEAST <= to->width && !strchr(text, '\n') &&
           at + th_utf8_width(text) > to->width + 1;
}

static void print_line(const ShSheet *to, const ShTable *t, const int *width, char *const *cell)
{
    int at = 0;
    for (int i = 0; i < t->n_columns; i++) {
        const char *text = cell ? cell[i] : t->column[i].name;
        bool left = strchr("snl", t->column[i].kind) != NULL;
        int space = width[i] - th_utf8_width(text);
        if (!left)
            pad(to->out, space);
        if (i + 1 == t->n_columns && t->column[i].kind == 's' && wraps(to, at, text)) {
            sh_wrap_from(to, at, at, text);
            return;
        }
        fputs(text, to->out);
        if (left && i + 1 < t->n_columns)
            pad(to->out, space);
        if (i + 1 < t->n_columns)
            fputs("  ", to->out);
        at += width[i] + 2;
    }
    fputc('\n', to->out);
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
        char *aligned = th_printed(NULL, "%.*f", most, strtod(t->cell[i], NULL));
        if (!aligned) {
            s->out.failed = true;
            return;
        }
        free(t->cell[i]);
        t->cell[i] = aligned;
    }
}

/* A cell of hundreds of characters does not push what follows in the other rows to its right. */
static void print_aligned(ShSession *s, ShTable *t)
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
    ShSheet to = sh_session_sheet(s);
    print_line(&to, t, width, NULL);
    for (size_t i = 0; i + (size_t)t->n_columns <= t->n_cells; i += (size_t)t->n_columns)
        print_line(&to, t, width, &t->cell[i]);
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

void sh_csv_begin(ShOutput *o, FILE *out, char *header)
{
    if (!header) {
        o->failed = true;
    } else if (o->header && !o->tables && strcmp(o->header, header) == 0) {
        free(header);
    } else {
        fputs(o->header ? "\n" : "", out);
        fputs(header, out);
        free(o->header);
        o->header = header;
    }
}

/* Returns new: the names of the columns, as a line. */
static char *header_of(const ShOutput *o, const ShTable *t)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    int last = t->n_columns - 1;
    bool parts = t->column[last].kind == 'v';
    for (size_t i = 0; i < o->about; i++)
        sh_csv_cell(to, o->pending.item[i].name, false);
    for (int i = 0; i <= last - parts; i++)
        sh_csv_cell(to, t->column[i].name, i == last);
    for (int i = 0; parts && i < t->n_parts; i++) {
        char *name TH_OWNED(free) = th_printed(NULL, *t->column[last].name ? "%s(%s)" : "%s%s",
                                               t->column[last].name, t->part[i]);
        sh_csv_cell(to, name ? name : "", i + 1 == t->n_parts);
    }
    return fclose(to) == 0 ? text : NULL;
}

static void print_csv(ShSession *s, const ShTable *t)
{
    ShOutput *o = &s->out;
    FILE *out = sh_data_stream(o);
    size_t step = (size_t)t->n_columns;
    if (o->no_tables)
        return;
    if (t->column[step - 1].kind == 'v')
        step += (size_t)t->n_parts - 1;
    sh_csv_begin(o, out, header_of(o, t));
    o->tables = true;
    for (size_t i = 0; i < t->n_cells; i++) {
        for (size_t k = 0; i % step == 0 && k < o->about; k++)
            sh_csv_figure(out, &o->pending.item[k], false);
        sh_csv_cell(out, t->cell[i], (i + 1) % step == 0);
    }
}

void sh_table_end(ShSession *s)
{
    ShTable *t TH_OWNED(sh_table_free) = &s->out.table;
    sh_progress_erase(s);
    if (s->out.format == SH_FORMAT_JSON)
        sh_output_member(s, t->name, json_incref(t->rows));
    else if (s->out.format == SH_FORMAT_CSV)
        print_csv(s, t);
    else if (t->n_cells > 0)
        print_aligned(s, t);
}
