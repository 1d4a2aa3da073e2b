#include "terminal/graphics.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "terminal/repl.h"

/* kitty's question whether a picture of one dot could be shown (an answer says OK), and what every
 * terminal answers, last: its device attributes, of which 4 is sixel. */
static const char question[] = "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c";

typedef struct {
    char text[1024];
    size_t n;
} Answer;

/* Where the device attributes begin, if they are complete. */
static const char *attributes(const Answer *a)
{
    const char *from = strstr(a->text, "\033[?");
    return from && strspn(from + 3, "0123456789;") + 3 < strlen(from) ? from : NULL;
}

static void listen(Answer *a)
{
    const double patience = 1;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    for (double end = sh_clock() + patience, left; (left = end - sh_clock()) > 0;) {
        if (poll(&in, 1, (int)(1000 * left) + 1) <= 0)
            return;
        ssize_t got = read(STDIN_FILENO, a->text + a->n, sizeof a->text - 1 - a->n);
        if (got <= 0)
            return;
        a->n += (size_t)got;
        a->text[a->n] = '\0';
        if (attributes(a) || a->n + 1 == sizeof a->text)
            return;
    }
}

/* Is a number among those between ; and ; up to the end? */
static bool has_attribute(const char *at, int wanted)
{
    for (at += 3; *at >= '0' && *at <= '9'; at += *at == ';') {
        char *end;
        if (strtol(at, &end, 10) == wanted)
            return true;
        at = end;
    }
    return false;
}

/* What is no answer was typed, or pasted. */
static void keep_typed(const Answer *a)
{
    for (const char *c = a->text; *c; c++) {
        const char *end = NULL;
        if (strncmp(c, "\033_G", 3) == 0 && (end = strstr(c, "\033\\")) != NULL)
            c = end + 1;
        else if (c == attributes(a))
            c += 3 + strspn(c + 3, "0123456789;");
        else
            sh_type_ahead(c, 1);
    }
}

static unsigned ask(void)
{
    Answer a = {.n = 0};
    struct termios before, raw;
    const char *term = getenv("TERM");
    bool deaf = !term || !*term || strcmp(term, "dumb") == 0 || strcmp(term, "linux") == 0;
    if (deaf || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &before) != 0)
        return 0;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    fflush(stdout);
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0)
        return 0;
    if (write(STDOUT_FILENO, question, sizeof question - 1) == sizeof question - 1)
        listen(&a);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    keep_typed(&a);
    const char *device = attributes(&a);
    bool kitty = strstr(a.text, "\033_Gi=31;OK") != NULL;
    return (device && has_attribute(device, 4) ? SH_GRAPHICS_SIXEL : 0) |
           (kitty ? SH_GRAPHICS_KITTY : 0);
}

unsigned sh_terminal_graphics(void)
{
    static bool asked;
    static unsigned shows;
    if (!asked)
        shows = ask();
    asked = true;
    return shows;
}
