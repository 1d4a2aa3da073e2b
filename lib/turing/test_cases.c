#include "turing/test_cases.h"

enum { MOST_FIELDS = 3 };

typedef struct {
    const char *s;
    int line, col;
    ThError *err;
} Reader;

typedef struct {
    char *text;
    int col;
} Field;

static bool fail_here(const Reader *r, const char *what)
{
    return th_fail_at(r->err, TH_EPARSE, r->line, r->col, "%s", what);
}

static bool at_line_end(const Reader *r)
{
    return *r->s == '\0' || *r->s == '\n' || (r->s[0] == '\r' && (r->s[1] == '\n' || !r->s[1]));
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Takes one character over; a byte that begins none is an error. */
static bool take(Reader *r, ThText *t)
{
    size_t n = th_utf8_next(r->s, strnlen(r->s, 4), NULL);
    if (n == 0)
        return fail_here(r, "not valid UTF-8");
    if (t)
        th_text_add_bytes(t, r->s, n);
    r->s += n;
    r->col++;
    return true;
}

static bool skip_blanks(Reader *r)
{
    while (*r->s == ' ' || *r->s == '\t')
        if (!take(r, NULL))
            return false;
    return true;
}

static bool read_quoted(Reader *r, ThText *t)
{
    Reader open = *r;
    if (!take(r, NULL))
        return false;
    while (!at_line_end(r)) {
        bool quote = *r->s == '"';
        if (quote && r->s[1] != '"')
            return take(r, NULL) && skip_blanks(r) &&
                   (at_line_end(r) || *r->s == ',' || fail_here(r, "expected , behind the quote"));
        if ((quote && !take(r, NULL)) || !take(r, t))
            return false;
    }
    return fail_here(&open, "a quote without an end");
}

static bool read_bare(Reader *r, ThText *t)
{
    while (!at_line_end(r) && *r->s != ',') {
        if (*r->s == '"')
            return fail_here(r, "a quote within a field: write \"\" in a field in quotes");
        if (!take(r, t))
            return false;
    }
    while (t->size > 0 && strchr(" \t", t->data[t->size - 1]))
        t->data[--t->size] = '\0';
    return true;
}

static bool read_field(Reader *r, Field *f)
{
    ThText t TH_OWNED(th_text_free) = {0};
    if (!skip_blanks(r))
        return false;
    f->col = r->col + (*r->s == '"');
    bool ok = *r->s == '"' ? read_quoted(r, &t) : read_bare(r, &t);
    f->text = ok ? th_text_take(&t, r->err) : NULL;
    return f->text != NULL;
}

/* ---- cases ----------------------------------------------------------------------------------- */

typedef struct {
    const char *word, *also;
    ThTmVerdict verdict;
    bool limit;
} Expected;

static const Expected expected[] = {
    {"accept", "accepted", TH_TM_ACCEPTED, false}, {"reject", "rejected", TH_TM_REJECTED, false},
    {"halt", "halted", TH_TM_HALTED, false},       {"edge", NULL, TH_TM_AT_EDGE, false},
    {"endless", NULL, TH_TM_ENDLESS, false},       {"limit", NULL, TH_TM_GOES_ON, true},
};
enum { N_EXPECTED = sizeof expected / sizeof *expected };

const char *th_tm_test_expected(const ThTmTestCase *c)
{
    size_t i = 0;
    while (expected[i].verdict != c->verdict || expected[i].limit != c->limit)
        i++;
    return expected[i].word;
}

bool th_tm_test_fulfilled(const ThTmTestCase *c, ThTmVerdict v)
{
    return c->limit ? v >= TH_TM_OUT_OF_STEPS : v == c->verdict;
}

static bool read_verdict(const Reader *r, const Field *f, ThTmTestCase *to)
{
    const char *words[N_EXPECTED];
    for (size_t i = 0; i < N_EXPECTED; i++) {
        const Expected *e = &expected[i];
        words[i] = e->word;
        if (strcmp(f->text, e->word) != 0 && (!e->also || strcmp(f->text, e->also) != 0))
            continue;
        to->verdict = e->verdict;
        to->limit = e->limit;
        return true;
    }
    const char *near = th_nearest(f->text, words, N_EXPECTED);
    th_fail_at(r->err, TH_EPARSE, r->line, f->col, "'%.60s' is no verdict", f->text);
    return near ? th_hint(r->err, "did you mean %s?", near)
                : th_hint(r->err, "accept, reject, halt, edge, endless or limit");
}

/* Turns the fields of a line into a case; takes over what it keeps. */
static bool add_case(ThTmTestCases *c, const Reader *r, Field *f, int n)
{
    ThTmTestCase x = {.line = r->line, .col = f[0].col};
    if (n < 2)
        return fail_here(r, "expected , and a verdict behind the input");
    if (r->line == 1 && strcmp(f[1].text, "verdict") == 0)
        return true;
    if (!read_verdict(r, &f[1], &x) ||
        !th_grow(&c->item, &c->cap, c->n + 1, sizeof *c->item, r->err))
        return false;
    x.input = f[0].text;
    x.tape = n > 2 ? f[2].text : NULL;
    f[0].text = NULL;
    if (n > 2)
        f[2].text = NULL;
    c->item[c->n++] = x;
    return true;
}

static bool read_line(ThTmTestCases *c, Reader *r)
{
    Field f[MOST_FIELDS] = {0};
    int n = 0;
    bool more = true, ok = skip_blanks(r);
    if (ok && at_line_end(r))
        return true;
    while (ok && more) {
        if (n == MOST_FIELDS) {
            ok = fail_here(r, "more than the three fields input, verdict and tape");
            break;
        }
        ok = read_field(r, &f[n++]);
        more = ok && *r->s == ',';
        ok = ok && (!more || take(r, NULL));
    }
    ok = ok && add_case(c, r, f, n);
    for (int i = 0; i < MOST_FIELDS; i++)
        free(f[i].text);
    return ok;
}

bool th_tm_test_cases_read(ThTmTestCases *c, const char *text, ThError *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    ThError own = {0};
    Reader r = {.s = text, .line = 1, .err = err ? err : &own};
    *c = (ThTmTestCases){0};
    if (strncmp(text, mark, strlen(mark)) == 0)
        r.s += strlen(mark);
    while (*r.s) {
        r.col = 1;
        if (!read_line(c, &r)) {
            th_tm_test_cases_free(c);
            return false;
        }
        r.s += *r.s == '\r';
        r.s += *r.s == '\n';
        r.line++;
    }
    return true;
}

void th_tm_test_cases_free(ThTmTestCases *c)
{
    for (size_t i = 0; i < c->n; i++)
        TH_FREE(c->item[i].input, c->item[i].tape);
    free(c->item);
    *c = (ThTmTestCases){0};
}
