#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "pager.h"
#include "session_impl.h"

/* ---- figures --------------------------------------------------------------------------------- */

static void free_figures(ThFigures *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->item[i].text);
    free(f->item);
    *f = (ThFigures){0};
}

static ThFigureEntry *find_figure(const ThFigures *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->item[i].name, name) == 0)
            return &f->item[i];
    return NULL;
}

static void add_member(ThSession *s, const char *name, json_t *value)
{
    ThOutput *o = &s->out;
    if (!o->object && value) {
        o->object = json_object();
        json_t *command = o->object ? json_string("") : NULL;
        if (command && o->command) {
            char typed[64];
            size_t n = 0;
            for (const char *c = o->command->name; *c && n < sizeof typed - 1; c++)
                typed[n++] = *c == '_' ? ' ' : *c;
            typed[n] = '\0';
            json_string_set(command, typed);
        }
        if (json_object_set_new(o->object, "command", command) != 0)
            o->failed = true;
    }
    if (!value || json_object_set_new(o->object, name, value) != 0)
        o->failed = true;
}

static json_t *json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *json_figure(const ThFigureEntry *e)
{
    switch (e->kind) {
    case 'i':
        return json_integer(e->integer);
    case 'b':
        return json_boolean(e->integer);
    case 'r':
        return json_number(e->real);
    default:
        return json_string(e->text);
    }
}

/* Takes the value's text over. */
static void set_figure(ThSession *s, const ThFigureEntry *value)
{
    ThFigures *f = &s->out.pending;
    ThFigureEntry *e = find_figure(f, value->name);
    if (s->out.format == TH_FORMAT_JSON)
        add_member(s, value->name, json_figure(value));
    if (!e && !th_grow(&f->item, &f->cap, f->n + 1, sizeof *f->item, NULL)) {
        s->out.failed = true;
        free(value->text);
        return;
    }
    if (e)
        free(e->text);
    else
        e = &f->item[f->n++];
    *e = *value;
}

static void name_entry(ThFigureEntry *e, const char *name)
{
    snprintf(e->name, sizeof e->name, "%s", name);
}

void th_result_int(ThSession *s, const char *name, long long value)
{
    ThFigureEntry e = {.kind = 'i', .integer = value, .real = (double)value};
    name_entry(&e, name);
    set_figure(s, &e);
}

void th_result_real(ThSession *s, const char *name, double value)
{
    ThFigureEntry e = {.kind = 'r', .real = value};
    name_entry(&e, name);
    set_figure(s, &e);
}

void th_result_flag(ThSession *s, const char *name, bool value)
{
    ThFigureEntry e = {.kind = 'b', .integer = value, .real = value};
    name_entry(&e, name);
    set_figure(s, &e);
}

void th_result_text(ThSession *s, const char *name, const char *value)
{
    ThFigureEntry e = {.kind = 's', .text = th_strdup(value, NULL)};
    name_entry(&e, name);
    if (e.text)
        set_figure(s, &e);
    else
        s->out.failed = true;
}

ThFigureValue th_result_value(const ThSession *s, const char *name)
{
    const ThFigureEntry *e = find_figure(&s->out.figures, name);
    if (!e)
        return (ThFigureValue){0};
    return (ThFigureValue){e->kind, e->integer, e->real, e->text};
}

/* ---- text ------------------------------------------------------------------------------------ */

FILE *th_out(ThSession *s)
{
    return s->out.format == TH_FORMAT_TEXT ? th_listing(s) : NULL;
}

void th_say(ThSession *s, const char *format, ...)
{
    FILE *out = th_out(s);
    if (!out)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
}

FILE *th_listing(ThSession *s)
{
    ThOutput *o = &s->out;
    th_progress_erase(s);
    bool paged = o->command && (o->command->flags & C_PAGED) && th_pager_wanted(s);
    if (o->format != TH_FORMAT_JSON && !paged)
        return o->stream;
    if (!o->listing)
        o->listing = open_memstream(&o->listing_text, &o->listing_size);
    if (!o->listing)
        o->failed = true;
    return o->listing ? o->listing : o->stream;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void free_table(ThTable *t)
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
    free_table(t);
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

static char *number_text(double x, ThOutputFormat format)
{
    ThText t = {0};
    if (isnan(x))
        th_text_add(&t, format == TH_FORMAT_TEXT ? "-" : "");
    else
        th_text_number(&t, x);
    return th_text_take(&t, NULL);
}

static char *integer_text(long long value)
{
    ThText t = {0};
    th_text_printf(&t, "%lld", value);
    return th_text_take(&t, NULL);
}

static const char *flag_text(bool value, ThOutputFormat format)
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
        return json_number(va_arg(*args, double));
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
        return integer_text(va_arg(*args, long long));
    case 'r':
        return number_text(va_arg(*args, double), format);
    case 'b':
        return th_strdup(flag_text(va_arg(*args, int) != 0, format), NULL);
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

/* Gives the numbers of a column as many digits after the point as the longest has, so that the
 * points stand in one line. */
static void align_points(ThSession *s, ThTable *t, int column)
{
    int most = 0;
    size_t step = (size_t)t->n_columns;
    for (size_t i = (size_t)column; i < t->n_cells; i += step) {
        int d = decimals(t->cell[i]);
        most = d > most ? d : most;
    }
    for (size_t i = (size_t)column; i < t->n_cells; i += step) {
        int d = decimals(t->cell[i]);
        if (d < 0 || d == most)
            continue;
        ThText text = {0};
        th_text_printf(&text, "%s%s%.*s", t->cell[i], d ? "" : ".", most - d, "000000000000");
        char *padded = th_text_take(&text, NULL);
        if (!padded) {
            s->out.failed = true;
            return;
        }
        free(t->cell[i]);
        t->cell[i] = padded;
    }
}

static void print_aligned(ThSession *s, FILE *out, ThTable *t)
{
    for (int i = 0; i < t->n_columns; i++)
        if (t->column[i].kind == 'r')
            align_points(s, t, i);
    int width[TH_MOST_COLUMNS] = {0};
    for (int i = 0; i < t->n_columns; i++)
        width[i] = th_utf8_width(t->column[i].name);
    for (size_t i = 0; i < t->n_cells; i++) {
        int w = th_utf8_width(t->cell[i]);
        int *most = &width[i % (size_t)t->n_columns];
        *most = w > *most ? w : *most;
    }
    print_line(out, t, width, NULL);
    for (size_t i = 0; i + (size_t)t->n_columns <= t->n_cells; i += (size_t)t->n_columns)
        print_line(out, t, width, &t->cell[i]);
}

static void print_csv_cell(FILE *out, const char *text, bool last)
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
        print_csv_cell(out, t->column[i].name, i + 1 == t->n_columns);
    for (size_t i = 0; i < t->n_cells; i++)
        print_csv_cell(out, t->cell[i], (i + 1) % (size_t)t->n_columns == 0);
    s->out.tables = true;
}

void th_table_end(ThSession *s)
{
    ThTable *t = &s->out.table;
    th_progress_erase(s);
    if (s->out.format == TH_FORMAT_JSON) {
        add_member(s, t->name, json_incref(t->rows));
    } else if (s->out.format == TH_FORMAT_CSV) {
        print_csv(s, t);
    } else if (t->n_cells > 0) {
        print_aligned(s, th_listing(s), t);
    }
    free_table(t);
}

/* ---- progress -------------------------------------------------------------------------------- */

/* Prints as much of a text as fits in one line of the terminal. */
static void print_fitting(FILE *out, const char *text)
{
    struct winsize w = {0};
    bool known = ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > 1;
    int left = known ? w.ws_col - 1 : 79;
    while (*text) {
        char c[8];
        size_t n = th_utf8_next(text, strlen(text), NULL);
        snprintf(c, sizeof c, "%.*s", n ? (int)n : 1, text);
        left -= th_utf8_width(c);
        if (left < 0)
            return;
        fputs(c, out);
        text += n ? n : 1;
    }
}

void th_progress(ThSession *s, const char *format, ...)
{
    ThOutput *o = &s->out;
    double now = th_clock();
    if (!th_setting_flag(s, "progress") || !isatty(STDERR_FILENO) ||
        (o->progress_shown && now - o->progress_time < 0.1))
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    o->progress_shown = true;
    o->progress_time = now;
    fflush(stdout);
    fputs("\r", stderr);
    print_fitting(stderr, text);
    fputs("\033[K", stderr);
    fflush(stderr);
}

void th_progress_erase(ThSession *s)
{
    if (!s->out.progress_shown)
        return;
    s->out.progress_shown = false;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* ---- around a command ------------------------------------------------------------------------ */

static void forget(ThOutput *o)
{
    free_figures(&o->pending);
    free_table(&o->table);
    json_decref(o->object);
    o->object = NULL;
    if (o->listing)
        fclose(o->listing);
    free(o->listing_text);
    o->listing = NULL;
    o->listing_text = NULL;
    o->tables = o->failed = false;
}

void th_output_begin(ThSession *s, const ThCommand *command)
{
    forget(&s->out);
    s->out.command = command;
}

static void print_figures_csv(ThSession *s)
{
    const ThFigures *f = &s->out.pending;
    for (size_t i = 0; i < f->n; i++)
        print_csv_cell(s->out.stream, f->item[i].name, i + 1 == f->n);
    for (size_t i = 0; i < f->n; i++) {
        const ThFigureEntry *e = &f->item[i];
        char *text = e->kind == 'i'   ? integer_text(e->integer)
                     : e->kind == 'r' ? number_text(e->real, TH_FORMAT_CSV)
                                      : NULL;
        print_csv_cell(s->out.stream,
                       text             ? text
                       : e->kind == 's' ? e->text
                                        : flag_text(e->integer != 0, TH_FORMAT_CSV),
                       i + 1 == f->n);
        free(text);
    }
}

static size_t without_newline(const char *text)
{
    size_t n = strlen(text);
    return n > 0 && text[n - 1] == '\n' ? n - 1 : n;
}

static void finish_listing(ThSession *s)
{
    ThOutput *o = &s->out;
    if (!o->listing)
        return;
    bool ok = fclose(o->listing) == 0;
    o->listing = NULL;
    if (!ok)
        o->failed = true;
    else if (o->format == TH_FORMAT_JSON)
        add_member(s, "text", json_stringn(o->listing_text, without_newline(o->listing_text)));
    else
        th_page(s, o->listing_text);
}

bool th_output_end(ThSession *s, bool ok, ThError *err)
{
    ThOutput *o = &s->out;
    th_progress_erase(s);
    if (ok) {
        finish_listing(s);
        if (o->format == TH_FORMAT_JSON && o->object) {
            if (json_dumpf(o->object, o->stream, JSON_COMPACT | JSON_REAL_PRECISION(15)) != 0)
                o->failed = true;
            fputc('\n', o->stream);
        } else if (o->format == TH_FORMAT_CSV && !o->tables && o->pending.n > 0) {
            print_figures_csv(s);
        }
        if (o->pending.n > 0) {
            free_figures(&o->figures);
            o->figures = o->pending;
            o->pending = (ThFigures){0};
        }
    }
    bool failed = o->failed;
    forget(o);
    o->command = NULL;
    return failed ? th_fail(err, TH_ENOMEM, "out of memory") : ok;
}

void th_output_free(ThOutput *o)
{
    forget(o);
    free_figures(&o->figures);
}
