#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "pager.h"
#include "session_impl.h"
#include "signals.h"

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

void th_output_member(ThSession *s, const char *name, json_t *value)
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

static json_t *json_figure(const ThFigureEntry *e)
{
    switch (e->kind) {
    case 'i':
        return json_integer(e->integer);
    case 'b':
        return json_boolean(e->integer);
    case 'r':
        return th_json_number(e->real);
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
        th_output_member(s, value->name, json_figure(value));
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
    if (o->stream == stdout && ferror(stdout))
        th_stop_work(); /* what would be printed cannot arrive */
    bool paged = o->command && (o->command->flags & C_PAGED) && th_pager_wanted(s);
    if (o->format != TH_FORMAT_JSON && !paged)
        return o->stream;
    if (!o->listing)
        o->listing = open_memstream(&o->listing_text, &o->listing_size);
    if (!o->listing)
        o->failed = true;
    return o->listing ? o->listing : o->stream;
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
    th_table_free(&o->table);
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
        th_csv_cell(s->out.stream, f->item[i].name, i + 1 == f->n);
    for (size_t i = 0; i < f->n; i++) {
        const ThFigureEntry *e = &f->item[i];
        char *text = e->kind == 'i'   ? th_integer_text(e->integer)
                     : e->kind == 'r' ? th_number_text(e->real, TH_FORMAT_CSV)
                                      : NULL;
        th_csv_cell(s->out.stream,
                    text             ? text
                    : e->kind == 's' ? e->text
                                     : th_flag_text(e->integer != 0, TH_FORMAT_CSV),
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
        th_output_member(s, "text",
                         json_stringn(o->listing_text, without_newline(o->listing_text)));
    else
        th_page(s, o->listing_text);
}

bool th_output_end(ThSession *s, bool ok, ThError *err)
{
    ThOutput *o = &s->out;
    th_progress_erase(s);
    bool answers = ok || (err && err->code == TH_EASSERT && o->pending.n > 0);
    if (answers) {
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
