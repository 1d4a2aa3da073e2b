/* bench_scratchpad.c - how many bytes of scratchpads are drawn and checked in a second, on one
 * core; the same work by the definition, a digit at a time, is timed beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scratchpad/check_text.h"

enum { ROUNDS = 7, EXAMPLES = 5000, ROOM = 1 << 16 };

/* Seconds of processor time: other work on the machine takes none of it. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The definition: sprintf for every line, characters appended one by one. */
static size_t plain(const char *x, const char *y, char *to)
{
    static char a[256], b[256], r[256], t[512];
    int carry = 0;
    char *out = to;
    snprintf(a, sizeof a, "%s", x);
    snprintf(b, sizeof b, "%s", y);
    r[0] = '\0';
    out += sprintf(out, "%s+%s|", a, b);
    while (*a || *b || carry) {
        size_t n = strlen(a), m = strlen(b);
        int dx = n ? a[n - 1] - '0' : 0, dy = m ? b[m - 1] - '0' : 0, sum = dx + dy + carry;
        carry = sum / 10;
        snprintf(t, sizeof t, "%d%s", sum % 10, r);
        snprintf(r, sizeof r, "%.255s", t);
        if (n)
            a[n - 1] = '\0';
        if (m)
            b[m - 1] = '\0';
        out += sprintf(out, "%s%c+%s%c(%d,%s)|", a, n ? 'a' + dx : '^', b, m ? 'a' + dy : '^',
                       carry, r);
    }
    out += sprintf(out, "%s", r);
    return (size_t)(out - to);
}

/* Bytes a second of drawing scratchpads of a kind. */
static double drawing(const ThPad *p, unsigned long round)
{
    ThPadExample e = {0};
    size_t bytes = 0;
    double begun = now();
    for (unsigned long i = 0; i < EXAMPLES; i++) {
        ThRng r = th_rng(round, "scratchpad", i);
        if (!th_pad_draw(p, NULL, &r, &e, NULL))
            exit(1);
        bytes += e.text.size;
    }
    double seconds = now() - begun;
    th_pad_example_free(&e);
    return (double)bytes / seconds;
}

static double drawing_tokens(const ThPad *p, unsigned long round)
{
    ThPadExample e = {0};
    int *id = NULL;
    size_t cap = 0, n, question, tokens = 0;
    double begun = now();
    for (unsigned long i = 0; i < EXAMPLES; i++) {
        ThRng r = th_rng(round, "scratchpad", i);
        if (!th_pad_draw(p, NULL, &r, &e, NULL) ||
            !th_pad_encode(p, &e, &id, &cap, &n, &question, NULL))
            exit(1);
        tokens += n;
    }
    double seconds = now() - begun;
    th_pad_example_free(&e);
    free(id);
    return (double)tokens / seconds;
}

static double checking(const ThPad *p, unsigned long round)
{
    ThPadExample e = {0};
    ThPadChecked c;
    ThPadCheckRules rules = {0};
    size_t bytes = 0;
    double seconds = 0;
    for (unsigned long i = 0; i < EXAMPLES; i++) {
        ThRng r = th_rng(round, "scratchpad", i);
        if (!th_pad_draw(p, NULL, &r, &e, NULL))
            exit(1);
        double begun = now();
        if (!th_pad_check(e.text.data, e.text.size, &rules, &c, NULL) || c.slip)
            exit(1);
        seconds += now() - begun;
        bytes += e.text.size;
    }
    th_pad_example_free(&e);
    return (double)bytes / seconds;
}

/* Additions by the definition; the operands are those that are drawn, and so is the text. */
static double by_definition(const ThPad *p, unsigned long round)
{
    static char text[ROOM], x[256];
    ThPadExample e = {0};
    size_t bytes = 0;
    double seconds = 0;
    for (unsigned long i = 0; i < EXAMPLES; i++) {
        ThRng r = th_rng(round, "scratchpad", i);
        if (!th_pad_draw(p, NULL, &r, &e, NULL))
            exit(1);
        snprintf(x, sizeof x, "%.*s", (int)e.question - 1, e.text.data);
        char *y = strchr(x, '+');
        *y++ = '\0';
        double begun = now();
        size_t n = plain(x, y, text);
        seconds += now() - begun;
        if (n != e.text.size || memcmp(text, e.text.data, n) != 0)
            exit(1);
        bytes += n;
    }
    th_pad_example_free(&e);
    return (double)bytes / seconds;
}

static double median(double (*rate)(const ThPad *, unsigned long), const ThPad *p)
{
    double found[ROUNDS];
    for (unsigned long k = 0; k < ROUNDS; k++)
        found[k] = rate(p, k);
    qsort(found, ROUNDS, sizeof *found, compare);
    return 1e-6 * found[ROUNDS / 2];
}

static ThPad *made(const char *kind, const char *option, const char *value, const ThTm *m)
{
    const ThPadKind *k = th_pad_kind(kind);
    ThOptions o = {0};
    if (!th_options_init(&o, k->options, NULL) || !th_options_set(&o, option, value, NULL))
        exit(1);
    ThPad *p = th_pad_new(k, &o, m, NULL);
    th_options_free(&o);
    if (!p)
        exit(1);
    return p;
}

int main(void)
{
    static const char *const kinds[][3] = {{"addition", "digits", "2..100"},
                                           {"multiplication", "digits", "2..100"},
                                           {"sgd", "examples", "1..50"},
                                           {"machine", "length", "2..50"}};
    ThRng r = th_rng(1, "machine", 0);
    ThTm *m = th_tm_random(5, 15, &r, NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ThPad *p = made(kinds[i][0], kinds[i][1], kinds[i][2], m);
        printf("%s, %s=%s|%.0f|%.0f|%.0f", kinds[i][0], kinds[i][1], kinds[i][2],
               median(drawing, p), median(drawing_tokens, p), median(checking, p));
        if (i == 0)
            printf("|%.0f", median(by_definition, p));
        printf("\n");
        fflush(stdout);
        th_pad_free(p);
    }
    th_tm_free(m);
    return 0;
}
