/* regex_write.c - terms as patterns in the notation of regex_parse.c. */

#include "automata/regex/term.h"

typedef struct {
    const ThRegexTerms *t;
    ThText *to;
    char *const *symbol;
    int n_symbols;
    bool *mentioned;
} Writer;

typedef enum { IN_UNION, IN_CONCAT, IN_REPEAT } Place;

static void write_term(Writer *w, int term, Place place);

static void write_character(Writer *w, const char *c, size_t n, const char *special)
{
    if (*c == '\n' || *c == '\t')
        th_text_add(w->to, *c == '\n' ? "\\n" : "\\t");
    else if ((unsigned char)*c < 0x20 || *c == 0x7f)
        th_text_printf(w->to, "\\u{%x}", (unsigned)*c);
    else
        th_text_printf(w->to, "%s%.*s", strchr(special, *c) ? "\\" : "", (int)n, c);
}

static void write_symbol(Writer *w, int symbol, const char *special)
{
    const char *name = w->symbol[symbol];
    size_t size = strlen(name);
    w->mentioned[symbol] = true;
    if (size > 0 && th_utf8_next(name, size, NULL) == size) {
        th_text_add(w->to, th_is_empty_word_sign(name) ? "\\" : "");
        write_character(w, name, size, special);
        return;
    }
    th_text_add(w->to, "'");
    while (size > 0) {
        size_t n = th_utf8_next(name, size, NULL);
        n = n ? n : 1;
        write_character(w, name, n, "'\\\"");
        name += n;
        size -= n;
    }
    th_text_add(w->to, "'");
}

/* The code point of a symbol of one character, or -2: no neighbour of any. */
static int32_t point_of(const Writer *w, int symbol)
{
    int32_t point = -2;
    const char *name = w->symbol[symbol];
    size_t size = strlen(name);
    return size > 0 && th_utf8_next(name, size, &point) == size ? point : -2;
}

static void write_set(Writer *w, const int *symbol, int n)
{
    static const char special[] = "]^-[\\'\"";
    if (n == 1) {
        write_symbol(w, symbol[0], "|&-~*+?{}()[].'\\\" ");
        return;
    }
    if (n == w->n_symbols && n > 2) {
        th_text_add(w->to, ".");
        return;
    }
    th_text_add(w->to, "[");
    for (int i = 0; i < n; i++) {
        int last = i;
        while (last + 1 < n && point_of(w, symbol[last]) >= 0 &&
               point_of(w, symbol[last + 1]) == point_of(w, symbol[last]) + 1)
            w->mentioned[symbol[++last]] = true;
        write_symbol(w, symbol[i], special);
        if (last > i + 1) {
            th_text_add(w->to, "-");
            i = last - 1;
        }
        if (last > i)
            write_symbol(w, symbol[++i], special);
    }
    th_text_add(w->to, "]");
}

/* (x(x(x)?)?)? is x{0,3}: the count, and x; or 0. */
static int optional_run(const ThRegexTerms *t, int term, int *x)
{
    int run = 0, n;
    for (*x = -1; term >= 0; run++) {
        ThRegexTermKind kind;
        const int *child = th_regex_term_children(t, term, &n, &kind);
        if (kind != TH_REGEX_TERM_UNION || n != 2 || child[0] != TH_REGEX_TERM_WORD)
            return 0;
        int inside = child[1];
        child = th_regex_term_children(t, inside, &n, &kind);
        if (kind == TH_REGEX_TERM_CONCAT && n != 2)
            return 0;
        int factor = kind == TH_REGEX_TERM_CONCAT ? child[0] : inside;
        if (*x >= 0 && factor != *x)
            return 0;
        *x = factor;
        term = kind == TH_REGEX_TERM_CONCAT ? child[1] : -1;
    }
    return run;
}

static void write_alternatives(Writer *w, int term, const int *child, int n, Place place)
{
    int x, run = optional_run(w->t, term, &x);
    if (run > 2) {
        write_term(w, x, IN_REPEAT);
        th_text_printf(w->to, "{0,%d}", run);
        return;
    }
    bool optional = child[0] == TH_REGEX_TERM_WORD;
    bool several = n - optional > 1, brackets = several && (optional || place > IN_UNION);
    th_text_add(w->to, brackets ? "(" : "");
    for (int i = optional; i < n; i++) {
        th_text_add(w->to, i > optional ? "|" : "");
        write_term(w, child[i], several ? IN_UNION : IN_REPEAT);
    }
    th_text_add(w->to, brackets ? ")" : "");
    th_text_add(w->to, optional ? "?" : "");
}

/* How many factors from i on are x, where x is factor i. */
static int run_of(const int *child, int n, int i)
{
    int run = 1;
    while (i + run < n && child[i + run] == child[i])
        run++;
    return run;
}

/* Factors i … i + k - 1 that are followed by their own star: k, or 0. */
static int plus_of(const ThRegexTerms *t, const int *child, int n, int i)
{
    for (int j = i + 1; j < n; j++) {
        int inner = th_regex_term_inside(t, child[j]), m;
        ThRegexTermKind kind;
        if (inner < 0)
            continue;
        const int *part = th_regex_term_children(t, inner, &m, &kind);
        if (kind == TH_REGEX_TERM_CONCAT && m == j - i &&
            memcmp(part, child + i, (size_t)m * sizeof *part) == 0)
            return m;
    }
    return 0;
}

static void write_run(Writer *w, int factor, int run, bool more)
{
    size_t length = w->t->info[factor].length;
    bool counted = run > 1 && (size_t)run * length > length + 4;
    int single = counted ? 0 : run - 1;
    for (int i = 0; i < single; i++)
        write_term(w, factor, IN_CONCAT);
    write_term(w, factor, counted || more ? IN_REPEAT : IN_CONCAT);
    if (counted)
        th_text_printf(w->to, more ? "{%d,}" : "{%d}", run);
    else if (more)
        th_text_add(w->to, "+");
}

static void write_factors(Writer *w, const int *child, int n, Place place)
{
    th_text_add(w->to, place == IN_REPEAT ? "(" : "");
    for (int i = 0; i < n;) {
        int several = plus_of(w->t, child, n, i), run = run_of(child, n, i);
        if (several > 0) {
            write_term(w, th_regex_term_inside(w->t, child[i + several]), IN_REPEAT);
            th_text_add(w->to, "+");
            i += several + 1;
            continue;
        }
        int x = -1, most = i + run < n ? optional_run(w->t, child[i + run], &x) : 0;
        if (most > 0 && x == child[i]) {
            write_term(w, x, IN_REPEAT);
            th_text_printf(w->to, "{%d,%d}", run, run + most);
            i += run + 1;
            continue;
        }
        bool more = i + run < n && th_regex_term_inside(w->t, child[i + run]) == child[i];
        write_run(w, child[i], run, more);
        i += run + more;
    }
    th_text_add(w->to, place == IN_REPEAT ? ")" : "");
}

static void write_term(Writer *w, int term, Place place)
{
    ThRegexTermKind kind;
    int n;
    const int *child = th_regex_term_children(w->t, term, &n, &kind);
    if (kind == TH_REGEX_TERM_IS_NONE || kind == TH_REGEX_TERM_IS_WORD)
        th_text_add(w->to, kind == TH_REGEX_TERM_IS_NONE ? "[]" : "()");
    else if (kind == TH_REGEX_TERM_SET)
        write_set(w, child, n);
    else if (kind == TH_REGEX_TERM_CONCAT)
        write_factors(w, child, n, place);
    else if (kind == TH_REGEX_TERM_UNION)
        write_alternatives(w, term, child, n, place);
    if (kind != TH_REGEX_TERM_STAR)
        return;
    write_term(w, child[0], IN_REPEAT);
    th_text_add(w->to, "*");
}

void th_regex_term_write(const ThRegexTerms *t, ThText *to, int term, char *const *symbol,
                         int n_symbols, bool *mentioned)
{
    Writer w = {t, to, symbol, n_symbols, mentioned};
    write_term(&w, term, IN_UNION);
}
