#include "help/wrapped_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

enum { USUAL = 78, NARROWEST = 40 };

ShSheet sh_sheet(FILE *out, bool terminal)
{
    struct winsize w = {0};
    bool known = terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0;
    int width = !known ? USUAL : w.ws_col - 2 < NARROWEST ? NARROWEST : w.ws_col - 2;
    return (ShSheet){out, width, known};
}

/* The first line has `left` columns in front, if it does not begin farther to the right. */
static void lay(const ShSheet *to, int column, int left, int indent, const char *text)
{
    FILE *out = to->out;
    bool fresh = true; /* nothing of the line has been printed yet */
    int hang = indent;
    while (*text) {
        if (*text == '\n') {
            fputc('\n', out);
            text++;
            column = 0;
            left = hang = indent;
            fresh = true;
            continue;
        }
        if (fresh && *text == ' ') {
            left = indent + 2;
            hang = indent + 4;
            text += strspn(text, " ");
            continue;
        }
        size_t n = strcspn(text, " \n");
        char *word TH_OWNED(free) = th_printed(NULL, "%.*s", (int)n, text);
        int columns = word ? th_utf8_width(word) : 0;
        if (!fresh && column + 1 + columns > to->width) {
            fputc('\n', out);
            column = 0;
            left = hang;
            fresh = true;
        }
        if (fresh && column < left)
            column += fprintf(out, "%*s", left - column, "");
        else if (!fresh)
            column += fprintf(out, " ");
        fputs(word ? word : "", out);
        fresh = false;
        column += columns;
        text += n;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void sh_wrap_from(const ShSheet *to, int column, int indent, const char *text)
{
    lay(to, column, indent, indent, text);
}

void sh_wrap_line(const ShSheet *to, const char *text)
{
    enum { HANG = 2 };
    lay(to, 0, 0, *text == ' ' ? 0 : HANG, text); /* one that begins with a blank hangs by itself */
}

void sh_wrap(const ShSheet *to, int indent, const char *text)
{
    sh_wrap_from(to, 0, indent, text);
}

void sh_wrap_row(const ShSheet *to, const char *name, const char *summary)
{
    fprintf(to->out, "  %s  ", name);
    sh_wrap_from(to, th_utf8_width(name) + 4, 22, summary);
}
