/* Sums of counts in formulas: #a - 2*#(b & Y a) <= 1. */
#include "automata/logic/formula_reader.h"

typedef ThAutomatonReader Reader;

enum { MOST_TERMS = 64, MOST_NUMBER = 100000 };

typedef struct {
    ThAutomatonTerm term[2 * MOST_TERMS];
    int n, by;
} Sum;

bool th_automaton_reader_at_sum(const Reader *r)
{
    static const char *const behind[] = {"*", "#", "+", "<=", ">=", "!=", "<", ">", "=", "≤", "≥"};
    const char *s = r->at + strspn(r->at, " \t\n");
    size_t digits = strspn(s, "0123456789");
    if (*s == '-' || *s == '#')
        return true;
    s += digits;
    s += strspn(s, " \t\n");
    if (digits == 0 || strncmp(s, "->", 2) == 0 || strncmp(s, "<->", 3) == 0)
        return false;
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        if (strncmp(s, behind[i], strlen(behind[i])) == 0)
            return true;
    return *s == '-';
}

/* The number that stands here, or 1; *given: there was one. */
static int read_number(Reader *r, bool *given)
{
    int x = 0;
    r->at += strspn(r->at, " \t\n");
    const char *number = r->at;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        x = x * 10 + (*r->at - '0');
        if (x > MOST_NUMBER) {
            r->at = number;
            return th_automaton_reader_fail(r, "the number is too large: 100000 at most");
        }
    }
    *given = r->at > number;
    return *given ? x : 1;
}

/* #x, 3*#x or 3, of one sign. */
static bool add_summand(Reader *r, Sum *s, int sign)
{
    bool given = false, counted = r->counted, times;
    int x = read_number(r, &given);
    if (x < 0)
        return false;
    times = given && th_automaton_reader_take(r, "*");
    if (!th_automaton_reader_take(r, "#")) {
        if (!given || times)
            return th_automaton_reader_fail(r, given ? "# was expected"
                                                     : "a number or # was expected") > 0;
        s->by += sign * x;
        return (s->by <= MOST_NUMBER && s->by >= -MOST_NUMBER) ||
               th_automaton_reader_fail(r, "the numbers are too large: 100000 at most, in all") > 0;
    }
    if (s->n == MOST_TERMS)
        return th_automaton_reader_fail(r, "more than 64 counts in a sum") > 0;
    r->counted = true;
    int of = th_automaton_reader_unary(r);
    r->counted = counted;
    s->term[s->n++] = (ThAutomatonTerm){of, sign * x};
    return of >= 0;
}

static bool read_sum(Reader *r, Sum *s)
{
    int sign = th_automaton_reader_take(r, "-") ? -1 : 1;
    while (add_summand(r, s, sign)) {
        r->at += strspn(r->at, " \t\n");
        if ((*r->at != '+' && *r->at != '-') || r->at[1] == '>')
            return true;
        sign = *r->at++ == '-' ? -1 : 1;
    }
    return false;
}

static int opposite(Reader *r, int x)
{
    return th_automaton_formula_not(r->f, x, r->err);
}

/* sign * (the sum) <= most. */
static int at_most(Reader *r, const Sum *s, int sign, int most)
{
    ThAutomatonTerm term[2 * MOST_TERMS];
    for (int i = 0; i < s->n; i++)
        term[i] = (ThAutomatonTerm){s->term[i].part, sign * s->term[i].by};
    return th_automaton_formula_counts(r->f, term, s->n, most, r->err);
}

/* How two sums compare: x <= y and x > y are one count and its negation. */
int th_automaton_reader_inequality(Reader *r)
{
    static const char *const signs[] = {"<=", "≤", ">=", "≥", "!=", "≠", "<", ">", "="};
    enum { AT_MOST = 0, AT_LEAST = 2, UNEQUAL = 4, LESS = 6, MORE, EQUAL, SIGNS };
    Sum x = {.n = 0}, y = {.n = 0};
    int sign = 0;
    if (!read_sum(r, &x))
        return -1;
    while (sign < SIGNS && !th_automaton_reader_take(r, signs[sign]))
        sign++;
    if (sign == SIGNS)
        return th_automaton_reader_fail(r, "< <= = != >= or > was expected");
    if (!read_sum(r, &y))
        return -1;
    for (int i = 0; i < y.n; i++)
        x.term[x.n++] = (ThAutomatonTerm){y.term[i].part, -y.term[i].by};
    int most = y.by - x.by, below, above;
    sign &= sign < LESS ? ~1 : ~0;
    switch (sign) {
    case AT_MOST:
        return at_most(r, &x, 1, most);
    case MORE:
        return opposite(r, at_most(r, &x, 1, most));
    case LESS:
        return at_most(r, &x, 1, most - 1);
    case AT_LEAST:
        return opposite(r, at_most(r, &x, 1, most - 1));
    default: /* the numbers of parts follow the order in which they are made */
        below = at_most(r, &x, 1, most);
        above = at_most(r, &x, -1, -most);
        most = th_automaton_formula_part(r->f, (ThAutomatonPart){TH_AUTOMATON_AND, below, above, 0},
                                         r->err);
        return sign == UNEQUAL ? opposite(r, most) : most;
    }
}
