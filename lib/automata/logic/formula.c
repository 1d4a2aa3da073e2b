#include "automata/logic/formula.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { DEEPEST = 200 };

typedef struct {
    ThAutomatonFormula *f;
    const char *text, *at;
    int depth;
    ThError *err;
} Reader;

/* Each returns the number of a part, or -1. */
static int read_equivalence(Reader *r);

static int fail(const Reader *r, const char *what)
{
    int column = 1;
    for (const char *s = r->text; s < r->at; s++)
        column += (*s & 0xc0) != 0x80;
    th_fail_at(r->err, TH_EPARSE, 1, column, "%s", what);
    return -1;
}

int th_automaton_formula_letter(ThAutomatonFormula *f, const char *name, size_t n, ThError *err)
{
    for (size_t i = 0; i < f->letters; i++)
        if (strlen(f->letter[i]) == n && memcmp(f->letter[i], name, n) == 0)
            return (int)i;
    if (!th_grow(&f->letter, &f->letter_cap, f->letters + 1, sizeof *f->letter, err))
        return -1;
    f->letter[f->letters] = th_strndup(name, n, err);
    return f->letter[f->letters] ? (int)f->letters++ : -1;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Parts that are there already are shared, which keeps automata small. */
static int part(Reader *r, ThAutomatonOperator is, int x, int y)
{
    ThAutomatonFormula *f = r->f;
    if (x < 0 || y < 0)
        return -1;
    for (size_t i = 0; i < f->n; i++)
        if (f->part[i].is == is && f->part[i].x == x && f->part[i].y == y)
            return (int)i;
    if (!th_grow(&f->part, &f->cap, f->n + 1, sizeof *f->part, r->err))
        return -1;
    f->part[f->n] = (ThAutomatonPart){is, x, y};
    return (int)f->n++;
}

static int negation(Reader *r, int x)
{
    if (x >= 0 && r->f->part[x].is == TH_AUTOMATON_NOT)
        return r->f->part[x].x;
    return part(r, TH_AUTOMATON_NOT, x, 0);
}

static int conjunction(Reader *r, int x, int y)
{
    return part(r, TH_AUTOMATON_AND, x, y);
}

static int disjunction(Reader *r, int x, int y)
{
    return negation(r, conjunction(r, negation(r, x), negation(r, y)));
}

static int truth(Reader *r)
{
    return part(r, TH_AUTOMATON_TRUE, 0, 0);
}

static int unary(Reader *r, char sign, int x)
{
    switch (sign) {
    case '!':
        return negation(r, x);
    case 'X':
        return part(r, TH_AUTOMATON_NEXT, x, 0);
    case 'N':
        return negation(r, part(r, TH_AUTOMATON_NEXT, negation(r, x), 0));
    case 'Y':
        return part(r, TH_AUTOMATON_PREVIOUS, x, 0);
    case 'Z':
        return negation(r, part(r, TH_AUTOMATON_PREVIOUS, negation(r, x), 0));
    case 'F':
        return part(r, TH_AUTOMATON_UNTIL, truth(r), x);
    case 'G':
        return negation(r, part(r, TH_AUTOMATON_UNTIL, truth(r), negation(r, x)));
    case 'P':
        return part(r, TH_AUTOMATON_SINCE, truth(r), x);
    default: /* H */
        return negation(r, part(r, TH_AUTOMATON_SINCE, truth(r), negation(r, x)));
    }
}

static int binary(Reader *r, char sign, int x, int y)
{
    switch (sign) {
    case 'U':
        return part(r, TH_AUTOMATON_UNTIL, x, y);
    case 'R':
        return negation(r, part(r, TH_AUTOMATON_UNTIL, negation(r, x), negation(r, y)));
    case 'S':
        return part(r, TH_AUTOMATON_SINCE, x, y);
    default: /* T */
        return negation(r, part(r, TH_AUTOMATON_SINCE, negation(r, x), negation(r, y)));
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static void skip(Reader *r)
{
    r->at += strspn(r->at, " \t\n");
}

static bool take(Reader *r, const char *sign)
{
    skip(r);
    size_t n = strlen(sign);
    if (strncmp(r->at, sign, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* A word of the logic, which no letter of small letters goes on. */
static bool take_word(Reader *r, const char *word)
{
    const char *before = r->at;
    if (take(r, word) && !(*r->at >= 'a' && *r->at <= 'z'))
        return true;
    r->at = before;
    return false;
}

static int read_letter(Reader *r)
{
    size_t n = th_utf8_next(r->at, strlen(r->at), NULL);
    const char *name = r->at;
    if (*r->at == '\'') {
        n = strcspn(++name, "'");
        if (n == 0 || name[n] == '\0')
            return fail(r, "a name in single quotes was expected");
        r->at += n + 2;
    } else if (n == 0 || strchr("|&()<->!", *r->at) || (*r->at >= 'A' && *r->at <= 'Z')) {
        return fail(r, *r->at ? "a letter, an operator or ( was expected"
                              : "a formula was expected, not the end");
    } else {
        r->at += n;
    }
    int letter = th_automaton_formula_letter(r->f, name, n, r->err);
    return part(r, TH_AUTOMATON_LETTER, letter, 0);
}

static int read_atom(Reader *r)
{
    if (take_word(r, "true"))
        return truth(r);
    if (take_word(r, "false"))
        return negation(r, truth(r));
    if (take_word(r, "first"))
        return part(r, TH_AUTOMATON_FIRST, 0, 0);
    if (take_word(r, "last"))
        return negation(r, part(r, TH_AUTOMATON_NEXT, truth(r), 0));
    skip(r);
    if (*r->at != '(')
        return read_letter(r);
    r->at++;
    int x = read_equivalence(r);
    return x < 0 || take(r, ")") ? x : fail(r, ") was expected");
}

static int read_unary(Reader *r)
{
    skip(r);
    char sign = *r->at;
    if (r->depth > DEEPEST)
        return fail(r, "brackets and operators are too deep");
    if (!sign || !strchr("!XNYZFGPH", sign))
        return read_atom(r);
    r->at++;
    r->depth++;
    int x = read_unary(r);
    r->depth--;
    return x < 0 ? -1 : unary(r, sign, x);
}

static int read_temporal(Reader *r)
{
    int x = read_unary(r);
    skip(r);
    char sign = *r->at;
    if (x < 0 || !sign || !strchr("URST", sign))
        return x;
    r->at++;
    int y = read_temporal(r);
    return y < 0 ? -1 : binary(r, sign, x, y);
}

static int read_conjunction(Reader *r)
{
    int x = read_temporal(r);
    while (x >= 0 && take(r, "&")) {
        int y = read_temporal(r);
        x = y < 0 ? -1 : conjunction(r, x, y);
    }
    return x;
}

static int read_disjunction(Reader *r)
{
    int x = read_conjunction(r);
    while (x >= 0 && take(r, "|")) {
        int y = read_conjunction(r);
        x = y < 0 ? -1 : disjunction(r, x, y);
    }
    return x;
}

static int read_implication(Reader *r)
{
    int x = read_disjunction(r);
    if (x < 0 || !take(r, "->"))
        return x;
    int y = read_implication(r);
    return y < 0 ? -1 : disjunction(r, negation(r, x), y);
}

static int read_equivalence(Reader *r)
{
    r->depth++;
    int x = read_implication(r);
    while (x >= 0 && take(r, "<->")) {
        int y = read_implication(r);
        x = y < 0 ? -1
                  : disjunction(r, conjunction(r, x, y),
                                conjunction(r, negation(r, x), negation(r, y)));
    }
    r->depth--;
    return x;
}

bool th_automaton_formula_read(ThAutomatonFormula *f, const char *text, ThError *err)
{
    Reader r = {f, text, text, 0, err};
    int whole = read_equivalence(&r);
    if (whole < 0)
        return false;
    skip(&r);
    if (*r.at)
        return fail(&r, "an operator or the end was expected") > 0;
    /* The whole stands last, also where it is a part that was shared. */
    return conjunction(&r, whole, whole) >= 0;
}

void th_automaton_formula_free(ThAutomatonFormula *f)
{
    for (size_t i = 0; i < f->letters; i++)
        free(f->letter[i]);
    free(f->letter);
    free(f->part);
}
