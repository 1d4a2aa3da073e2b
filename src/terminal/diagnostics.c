#include "terminal/diagnostics.h"

#include <unistd.h>

#include "help/wrapped_text.h"

static bool coloured(const ShSession *s)
{
    int set = sh_setting_choice(s, "color");
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (set != SH_COLOR_AUTO)
        return set == SH_COLOR_ON;
    return isatty(STDERR_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

/* What an error quotes may come from a file. */
static void print_shown(const ShSession *s, const char *text)
{
    ThText t TH_OWNED(th_text_free) = {0};
    th_text_shown(&t, text, strlen(text));
    fputs(th_text_string(&t), stderr);
    sh_log_text(&s->out, th_text_string(&t), t.size);
}

/* The word in front of a message. */
static void print_label(const ShSession *s, const char *colour, const char *label)
{
    bool bright = coloured(s);
    fprintf(stderr, "%s%s:%s ", bright ? colour : "", label, bright ? "\033[0m" : "");
    sh_log_text(&s->out, label, strlen(label));
    sh_log_text(&s->out, ": ", 2);
}

/* The rest of a line, behind `column` columns; on a terminal that is too narrow in several lines.
 */
static void print_rest(const ShSession *s, int column, const char *text)
{
    ShSheet to = sh_sheet(stderr, true);
    if (isatty(STDERR_FILENO) && column + th_utf8_width(text) > to.width) {
        ThText shown TH_OWNED(th_text_free) = {0};
        th_text_shown(&shown, text, strlen(text));
        sh_wrap_from(&to, column, 2, th_text_string(&shown));
        sh_log_text(&s->out, th_text_string(&shown), shown.size);
        sh_log_text(&s->out, "\n", 1);
        return;
    }
    print_shown(s, text);
    print_shown(s, "\n");
}

static void print_message(const ShSession *s, const char *where, const ThError *err)
{
    print_shown(s, where);
    print_label(s, "\033[1;31m", "error");
    print_rest(s, th_utf8_width(where) + 7, err->msg);
}

static void print_hint(const ShSession *s, const ThError *err)
{
    if (!err->hint[0])
        return;
    print_label(s, "\033[1m", "hint");
    print_rest(s, 6, err->hint);
}

void sh_print_error_in(const ShSession *s, const char *where, const ThError *err)
{
    print_message(s, where, err);
    print_hint(s, err);
}

void sh_print_error(const ShSession *s, const ThError *err)
{
    print_message(s, s->interactive ? "" : "tapehead: ", err);
    print_hint(s, err);
}

static const char *find_line(const ShLexer *lx, int line, size_t *n)
{
    const char *p = lx->text.data, *end = p + lx->text.size;
    for (int i = lx->first_line; p && p < end; i++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        *n = (size_t)((newline ? newline : end) - p);
        if (i == line)
            return p;
        p = newline ? newline + 1 : end;
    }
    return NULL;
}

static bool shows_itself(const char *character)
{
    ThText t TH_OWNED(th_text_free) = {0};
    th_text_shown(&t, character, strlen(character));
    return t.data && strcmp(t.data, character) == 0;
}

/* The source line with a caret under column col; of a long line, the part around it that fits a
 * terminal of 80 columns, with … where it goes on. */
static void print_excerpt(const ShLexer *lx, int line, int col)
{
    enum { BEFORE = 60, SHOWN = 76 };
    size_t n = 0;
    const char *text = find_line(lx, line, &n);
    if (!text || col < 1)
        return;
    ThText caret TH_OWNED(th_text_free) = {0};
    fputs("  ", stderr);
    if (col > BEFORE) {
        fputs("…", stderr);
        th_text_add(&caret, " ");
    }
    int at = 1, last = col > BEFORE ? col - BEFORE + SHOWN - 1 : SHOWN;
    size_t i = 0;
    for (; i < n && at <= last; at++) {
        size_t k = th_utf8_next(text + i, n - i, NULL);
        char c[8] = {0};
        k = k ? k : 1;
        memcpy(c, text + i, k < 5 ? k : 1);
        i += k;
        if (at < col - BEFORE + 1 && col > BEFORE)
            continue;
        bool plain = c[0] != '\t' && shows_itself(c);
        fputs(plain ? c : c[0] == '\t' ? "\t" : "?", stderr);
        for (int w = plain ? th_utf8_width(c) : 1; at < col && w > 0; w--)
            th_text_add(&caret, c[0] == '\t' ? "\t" : " ");
    }
    fprintf(stderr, "%s\n  %s^\n", i < n ? "…" : "", th_text_string(&caret));
}

void sh_diagnose(ShSession *s, const ShSource *src, const ShLexer *lx, const ThError *err)
{
    ThText where TH_OWNED(th_text_free) = {0};
    if (!err->msg[0])
        return; /* told where it happened */
    if (s->out.format == SH_FORMAT_JSON)
        sh_output_error(s, src->name, err);
    if (src->prompt && err->code == TH_EINTERRUPTED) {
        fprintf(stderr, "%s\n", err->msg);
        return;
    }
    if (!src->prompt && err->line > 0)
        th_text_printf(&where, "%s:%d:%d: ", src->name, err->line, err->col);
    else if (!src->prompt)
        th_text_printf(&where, "%s: ", src->name);
    print_message(s, th_text_string(&where), err);
    if (err->line > 0 && err->code != TH_EINTERRUPTED)
        print_excerpt(lx, err->line, err->col);
    print_hint(s, err);
}
