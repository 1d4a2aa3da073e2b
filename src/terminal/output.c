#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "help/wrapped_text.h"
#include "terminal/pager.h"
#include "session_impl.h"
#include "terminal/signals.h"

/* ---- figures --------------------------------------------------------------------------------- */

static void free_figures(ShFigures *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->item[i].text);
    free(f->item);
    *f = (ShFigures){0};
}

void sh_output_forget(ShOutput *o)
{
    free_figures(&o->figures);
}

static ShFigureEntry *find_figure(const ShFigures *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->item[i].name, name) == 0)
            return &f->item[i];
    return NULL;
}

void sh_output_member(ShSession *s, const char *name, json_t *value)
{
    ShOutput *o = &s->out;
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

static ShFigureValue value_of(const ShFigureEntry *e)
{
    return (ShFigureValue){e->kind, e->integer, e->real, e->text};
}

/* Takes the value's text over. */
static void set_figure(ShSession *s, const ShFigureEntry *value)
{
    ShFigures *f = &s->out.pending;
    ShFigureEntry *e = find_figure(f, value->name);
    ShFigureValue shown = value_of(value);
    if (s->out.format == SH_FORMAT_JSON)
        sh_output_member(s, value->name, sh_json_value(&shown));
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

static void name_entry(ShFigureEntry *e, const char *name)
{
    snprintf(e->name, sizeof e->name, "%s", name);
}

void sh_result_int(ShSession *s, const char *name, long long value)
{
    ShFigureEntry e = {.kind = 'i', .integer = value, .real = (double)value};
    name_entry(&e, name);
    set_figure(s, &e);
}

void sh_result_real(ShSession *s, const char *name, double value)
{
    ShFigureEntry e = {.kind = 'r', .real = value};
    name_entry(&e, name);
    set_figure(s, &e);
}

void sh_result_flag(ShSession *s, const char *name, bool value)
{
    ShFigureEntry e = {.kind = 'b', .integer = value, .real = value};
    name_entry(&e, name);
    set_figure(s, &e);
}

void sh_result_text(ShSession *s, const char *name, const char *value)
{
    ShFigureEntry e = {.kind = 's', .text = th_strdup(value ? value : "", NULL)};
    name_entry(&e, name);
    if (e.text)
        set_figure(s, &e);
    else
        s->out.failed = true;
    if (!value && s->out.format == SH_FORMAT_JSON)
        sh_output_member(s, name, json_null());
}

void sh_result_digits(ShSession *s, const char *name, const char *digits)
{
    if (strlen(digits) <= 18)
        sh_result_int(s, name, strtoll(digits, NULL, 10));
    else
        sh_result_text(s, name, digits);
}

void sh_results(ShSession *s, const char *figures, ...)
{
    va_list args;
    va_start(args, figures);
    for (const char *c = figures; *c; c += strspn(c, " ")) {
        char name[sizeof((ShFigureEntry *)0)->name];
        size_t n = strcspn(c, ":");
        snprintf(name, sizeof name, "%.*s", (int)n, c);
        char kind = c[n + 1];
        c += n + 2;
        if (kind == 'i')
            sh_result_int(s, name, va_arg(args, long long));
        else if (kind == 'r')
            sh_result_real(s, name, va_arg(args, double));
        else if (kind == 'b')
            sh_result_flag(s, name, va_arg(args, int));
        else
            sh_result_text(s, name, va_arg(args, const char *));
    }
    va_end(args);
}

void sh_result_about(ShSession *s)
{
    s->out.about = s->out.pending.n;
}

/* Names that figures had before, which scripts go on to ask for. */
static const struct {
    const char *was, *is;
} renamed[] = {
    {"slip", "first_error"}, {"bound", "curriculum_length"}, {"way", "method"},
    {"reach", "extent"},     {"reach", "farthest"},          {"room", "margin"},
};

ShFigureValue sh_result_value(const ShSession *s, const char *name)
{
    const ShFigureEntry *e = find_figure(&s->out.figures, name);
    for (size_t i = 0; !e && i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i].was, name) == 0)
            e = find_figure(&s->out.figures, renamed[i].is);
    return e ? value_of(e) : (ShFigureValue){0};
}

/* ---- text ------------------------------------------------------------------------------------ */

FILE *sh_out(ShSession *s)
{
    return s->out.format == SH_FORMAT_TEXT ? sh_listing(s) : NULL;
}

void sh_say(ShSession *s, const char *format, ...)
{
    FILE *out = sh_out(s);
    if (!out)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
}

void sh_say_folded(ShSession *s, const char *format, ...)
{
    enum { WIDTH = 79 };
    FILE *out = sh_out(s);
    if (!out)
        return;
    ThText t TH_OWNED(th_text_free) = {0};
    va_list args;
    va_start(args, format);
    th_text_vprintf(&t, format, args);
    va_end(args);
    sh_wrap_line(&(ShSheet){.out = out, .width = WIDTH}, th_text_string(&t));
}

void sh_say_once(ShSession *s, const char *text)
{
    int i = 0;
    while (i < SH_MOST_SAID && s->said[i] && s->said[i] != text)
        i++;
    if (i == SH_MOST_SAID || !s->said[i])
        sh_say(s, "%s", text);
    if (i < SH_MOST_SAID)
        s->said[i] = text;
}

const char *sh_plural(long long n)
{
    return n == 1 ? "" : "s";
}

FILE *sh_listing(ShSession *s)
{
    ShOutput *o = &s->out;
    sh_progress_erase(s);
    if ((o->stream == stdout || o->piped) && ferror(o->stream))
        sh_stop_work(); /* what would be printed cannot arrive */
    bool paged = o->command && (o->command->flags & C_PAGED) && sh_pager_wanted(s);
    if (o->format == SH_FORMAT_TEXT && !paged)
        return sh_shown_stream(o);
    if (!o->listing)
        o->listing = open_memstream(&o->listing_text, &o->listing_size);
    if (!o->listing)
        o->failed = true;
    return o->listing ? o->listing : o->stream;
}

bool sh_on_terminal(const ShSession *s)
{
    return s->out.format == SH_FORMAT_TEXT && s->out.stream == stdout && !s->out.piped &&
           isatty(STDOUT_FILENO);
}

void sh_obey(ShSession *s, const char *text)
{
    fflush(sh_listing(s));
    fputs(text, s->out.stream);
    fflush(s->out.stream);
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

void sh_progress(ShSession *s, const char *format, ...)
{
    ShOutput *o = &s->out;
    double now = sh_clock();
    if (!sh_setting_flag(s, "progress") || !isatty(STDERR_FILENO) ||
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
    ThText shown TH_OWNED(th_text_free) = {0};
    th_text_shown(&shown, text, strlen(text));
    fputs("\r", stderr);
    print_fitting(stderr, th_text_string(&shown));
    fputs("\033[K", stderr);
    fflush(stderr);
}

void sh_progress_erase(ShSession *s)
{
    if (!s->out.progress_shown)
        return;
    s->out.progress_shown = false;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* ---- around a command ------------------------------------------------------------------------ */

static void forget(ShOutput *o)
{
    if (o->shown)
        fflush(o->shown);
    free_figures(&o->pending);
    sh_table_free(&o->table);
    json_decref(o->object);
    o->object = NULL;
    if (o->listing)
        fclose(o->listing);
    free(o->listing_text);
    o->listing = NULL;
    o->listing_text = NULL;
    o->tables = o->no_tables = o->failed = o->keeps = false;
    o->about = 0;
}

void sh_output_fresh(ShSession *s)
{
    free(s->out.header);
    s->out.header = NULL;
}

void sh_output_begin(ShSession *s, const ShCommand *command)
{
    forget(&s->out);
    s->out.command = command;
}

void sh_csv_figure(FILE *out, const ShFigureEntry *e, bool last)
{
    char *number TH_OWNED(free) = e->kind == 'i'   ? sh_integer_text(e->integer)
                                  : e->kind == 'r' ? sh_number_text(e->real, SH_FORMAT_CSV)
                                                   : NULL;
    sh_csv_cell(out,
                number           ? number
                : e->kind == 's' ? e->text
                                 : sh_flag_text(e->integer != 0, SH_FORMAT_CSV),
                last);
}

static void print_figures_csv(ShSession *s)
{
    const ShFigures *f = &s->out.pending;
    FILE *out = sh_data_stream(&s->out);
    ThText header = {0};
    for (size_t i = 0; i < f->n; i++)
        th_text_printf(&header, "%s%s", f->item[i].name, i + 1 < f->n ? "," : "\n");
    sh_csv_begin(&s->out, out, th_text_take(&header, NULL));
    for (size_t i = 0; i < f->n; i++)
        sh_csv_figure(out, &f->item[i], i + 1 == f->n);
}

static size_t without_newline(const char *text)
{
    size_t n = strlen(text);
    return n > 0 && text[n - 1] == '\n' ? n - 1 : n;
}

static void page(ShSession *s)
{
    ShOutput *o = &s->out;
    ThText shown = {0};
    th_text_shown(&shown, o->listing_text, o->listing_size);
    char *text TH_OWNED(free) = th_text_take(&shown, NULL);
    sh_log_text(o, text ? text : "", text ? strlen(text) : 0);
    if (text)
        sh_page(s, text);
    else
        o->failed = true;
}

static void finish_listing(ShSession *s)
{
    ShOutput *o = &s->out;
    if (!o->listing)
        return;
    bool ok = fclose(o->listing) == 0;
    o->listing = NULL;
    if (!ok)
        o->failed = true;
    else if (o->format == SH_FORMAT_CSV && (o->tables || o->no_tables || o->pending.n > 0))
        return; /* there is a table */
    else if (o->format == SH_FORMAT_CSV)
        fwrite(o->listing_text, 1, o->listing_size, sh_shown_stream(o));
    else if (o->format == SH_FORMAT_JSON)
        sh_output_member(s, "text",
                         json_stringn(o->listing_text, without_newline(o->listing_text)));
    else
        page(s);
}

bool sh_output_end(ShSession *s, bool ok, ThError *err)
{
    ShOutput *o = &s->out;
    sh_progress_erase(s);
    if (o->shown)
        fflush(o->shown);
    bool answers = ok || (err && err->code == TH_EASSERT && o->pending.n > 0);
    if (answers) {
        finish_listing(s);
        if (o->format == SH_FORMAT_JSON && o->object) {
            FILE *out = sh_data_stream(o);
            if (json_dumpf(o->object, out, JSON_COMPACT | JSON_REAL_PRECISION(s->point ? 17 : 15)))
                o->failed = true;
            fputc('\n', out);
        } else if (o->format == SH_FORMAT_CSV && !o->tables && !o->no_tables && o->pending.n > 0 &&
                   !(o->command && (o->command->flags & C_DEFINES))) {
            print_figures_csv(s);
        }
        if (o->pending.n > 0 && !o->keeps) {
            free_figures(&o->figures);
            o->figures = o->pending;
            o->pending = (ShFigures){0};
        }
    }
    bool failed = o->failed;
    forget(o);
    o->command = NULL;
    return failed ? th_fail(err, TH_ENOMEM, "out of memory") : ok;
}

void sh_output_error(ShSession *s, const char *where, const ThError *err)
{
    json_t *e = json_pack("{s:s, s:s, s:i, s:i, s:s}", "message", err->msg, "source", where, "line",
                          err->line, "column", err->col, "hint", err->hint);
    json_t *answer TH_OWNED(json_decref) = json_pack("{s:o}", "error", e);
    FILE *out = sh_data_stream(&s->out);
    if (answer && json_dumpf(answer, out, JSON_COMPACT) == 0)
        fputc('\n', out);
    fflush(out);
}

void sh_output_free(ShOutput *o)
{
    forget(o);
    free(o->header);
    if (o->shown)
        fclose(o->shown);
    if (o->log)
        fclose(o->log);
    free_figures(&o->figures);
}
