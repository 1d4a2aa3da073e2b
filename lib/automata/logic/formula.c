#include "automata/logic/formula.h"

enum { DEEPEST = 200 };

/* A variable that is bound where the reader is. */
typedef struct {
    const char *name;
    size_t n;
} Variable;

/* NAME = …; in front of a temporal formula. */
typedef struct {
    const char *name;
    size_t n;
    int part;
} Definition;

typedef struct {
    ThAutomatonFormula *f;
    const char *text, *at;
    int depth;
    bool positions; /* a sentence, else a temporal formula */
    bool counts;    /* which has sums of counts, and no letters but those it is given, if any */
    bool counted;   /* behind a #, where no sum begins */
    size_t known;   /* letters that it was given */
    Variable variable[TH_AUTOMATON_MOST_VARIABLES];
    int variables;
    Definition *definition;
    size_t definitions, definition_cap;
    ThError *err;
} Reader;

/* Each returns the number of a part, or -1. */
static int read_equivalence(Reader *r);
static int read_unary(Reader *r);

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

static int part_by(Reader *r, ThAutomatonOperator is, int x, int y, int by)
{
    return th_automaton_formula_part(r->f, (ThAutomatonPart){is, x, y, by}, r->err);
}

static int part(Reader *r, ThAutomatonOperator is, int x, int y)
{
    return part_by(r, is, x, y, 0);
}

static int negation(Reader *r, int x)
{
    return th_automaton_formula_not(r->f, x, r->err);
}

static int conjunction(Reader *r, int x, int y)
{
    return part(r, TH_AUTOMATON_AND, x, y);
}

/* Neither of two.  In C no order is given to what is made for one call, here and below it has to be:
 * which part is there first is seen in formulas that are written. */
static int neither(Reader *r, int x, int y)
{
    int not_y = negation(r, y);
    return conjunction(r, negation(r, x), not_y);
}

static int disjunction(Reader *r, int x, int y)
{
    return negation(r, neither(r, x, y));
}

static int truth(Reader *r)
{
    return th_automaton_formula_truth(r->f, r->err);
}

/* Not so that y, with all x before it, or behind it. */
static int unless(Reader *r, ThAutomatonOperator is, int x, int y)
{
    return negation(r, part(r, is, x, y));
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
        x = negation(r, x);
        return unless(r, TH_AUTOMATON_UNTIL, truth(r), x);
    case 'P':
        return part(r, TH_AUTOMATON_SINCE, truth(r), x);
    default: /* H */
        x = negation(r, x);
        return unless(r, TH_AUTOMATON_SINCE, truth(r), x);
    }
}

static int binary(Reader *r, char sign, int x, int y)
{
    switch (sign) {
    case 'U':
        return part(r, TH_AUTOMATON_UNTIL, x, y);
    case 'R':
        y = negation(r, y);
        return unless(r, TH_AUTOMATON_UNTIL, negation(r, x), y);
    case 'S':
        return part(r, TH_AUTOMATON_SINCE, x, y);
    default: /* T */
        y = negation(r, y);
        return unless(r, TH_AUTOMATON_SINCE, negation(r, x), y);
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

/* The same, or the sign of mathematics. */
static bool take_either(Reader *r, const char *sign, const char *other)
{
    return take(r, sign) || take(r, other);
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

/* The number of a letter, a character or a name in single quotes. */
static int read_name(Reader *r)
{
    size_t n = th_utf8_next(r->at, strlen(r->at), NULL);
    const char *name = r->at, *before = name;
    if (*r->at == '\'') {
        n = strcspn(++name, "'");
        if (n == 0 || name[n] == '\0')
            return fail(r, "a name in single quotes was expected");
        r->at += n + 2;
    } else {
        r->at += n;
    }
    size_t letters = r->f->letters;
    int letter = th_automaton_formula_letter(r->f, name, n, r->err);
    bool one = n == th_utf8_next(name, n, NULL);
    if (!r->counts || letter < (int)letters || (!r->known && one))
        return letter;
    r->at = before;
    return fail(r, "this letter is not in the alphabet");
}

static int read_letter(Reader *r)
{
    if (!*r->at)
        return fail(r, "a formula was expected, not the end");
    if (strchr(r->counts ? "|&()<->!#*+=;" : "|&()<->!", *r->at) ||
        (*r->at >= 'A' && *r->at <= 'Z'))
        return fail(r, "a letter, an operator or ( was expected");
    return part(r, TH_AUTOMATON_LETTER, read_name(r), 0);
}

/* ---- positions and sets ---------------------------------------------------------------------- */

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* The bytes of a name of a variable, which begins with a letter, but Q, and is no word of the
 * logic. */
static size_t name_length(const Reader *r)
{
    static const char *const taken[] = {"exists", "forall", "ex",    "all", "in",
                                        "true",   "false",  "first", "last"};
    const char *at = r->at;
    size_t n = 0;
    while (*at != 'Q' && (is_capital(at[n]) || (at[n] >= 'a' && at[n] <= 'z') || at[n] == '_' ||
                          (n > 0 && at[n] >= '0' && at[n] <= '9')))
        n++;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strlen(taken[i]) == n && memcmp(taken[i], at, n) == 0)
            return 0;
    return n;
}

/* The number of a variable that is bound here, the innermost of its name. */
static int read_variable(Reader *r, bool set)
{
    skip(r);
    size_t n = name_length(r);
    if (n == 0 || is_capital(*r->at) != set)
        return fail(r, set ? "the name of a set was expected, with a capital"
                           : "the name of a position was expected, as x");
    for (int i = r->variables - 1; i >= 0; i--)
        if (r->variable[i].n == n && memcmp(r->variable[i].name, r->at, n) == 0) {
            r->at += n;
            return i;
        }
    return fail(r, "this variable is not bound: exists or forall must stand before it");
}

/* x, or x + 1; *more gets the number. */
static int read_term(Reader *r, int *more)
{
    enum { MOST = 100 };
    int x = read_variable(r, false);
    *more = 0;
    if (x < 0 || !take(r, "+"))
        return x;
    skip(r);
    if (*r->at < '0' || *r->at > '9')
        return fail(r, "a number was expected");
    const char *number = r->at;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        *more = *more * 10 + (*r->at - '0');
        if (*more > MOST) {
            r->at = number;
            return fail(r, "the number is too large: 100 at most");
        }
    }
    return x;
}

/* (x) behind the name of a predicate. */
static int read_argument(Reader *r)
{
    if (!take(r, "("))
        return fail(r, "( was expected");
    int x = read_variable(r, false);
    return x < 0 || take(r, ")") ? x : fail(r, ") was expected");
}

/* How x + a and y + b compare. */
static int read_comparison(Reader *r, int x, int a)
{
    static const char *const signs[] = {"<=", ">=", "!=", "<", ">", "="};
    size_t sign = 0;
    int b, y, by;
    while (sign < sizeof signs / sizeof *signs && !take(r, signs[sign]))
        sign++;
    if (sign == sizeof signs / sizeof *signs)
        return fail(r, "< <= = != >= > or in was expected");
    if ((y = read_term(r, &b)) < 0)
        return -1;
    by = a - b;
    int is = -1, not_before = part_by(r, TH_AUTOMATON_BEHIND, x, y, by),
        not_behind = part_by(r, TH_AUTOMATON_BEHIND, y, x, -by);
    switch (*signs[sign]) {
    case '<':
        is = signs[sign][1] ? not_before : negation(r, not_behind);
        break;
    case '>':
        is = signs[sign][1] ? not_behind : negation(r, not_before);
        break;
    default:
        is = conjunction(r, not_before, not_behind);
    }
    return *signs[sign] == '!' ? negation(r, is) : is;
}

static int read_relation(Reader *r)
{
    int more, x;
    if (!*r->at)
        return fail(r, "a formula was expected, not the end");
    if (*r->at == 'Q' && r->at[1] && r->at[1] != '(') {
        r->at++;
        int letter = read_name(r);
        x = letter < 0 ? -1 : read_argument(r);
        return part(r, TH_AUTOMATON_HAS, x, letter);
    }
    if (take_word(r, "first"))
        return part(r, TH_AUTOMATON_BEGINS, read_argument(r), 0);
    if (take_word(r, "last"))
        return part(r, TH_AUTOMATON_ENDS, read_argument(r), 0);
    if (is_capital(*r->at)) {
        int set = read_variable(r, true);
        x = set < 0 ? -1 : read_argument(r);
        return part(r, TH_AUTOMATON_MEMBER, x, set);
    }
    if (name_length(r) == 0)
        return fail(r, "exists, forall, a variable, Qa(x) or ( was expected");
    if ((x = read_term(r, &more)) < 0)
        return -1;
    if (more == 0 && take_word(r, "in"))
        return part(r, TH_AUTOMATON_MEMBER, x, read_variable(r, true));
    return read_comparison(r, x, more);
}

/* Whether a quantifier stands here, which is read; *every: forall. */
static bool take_quantifier(Reader *r, bool *every)
{
    *every = false;
    if (take_word(r, "exists") || take_word(r, "ex") || take(r, "∃"))
        return true;
    *every = take_word(r, "forall") || take_word(r, "all") || take(r, "∀");
    return *every;
}

/* The rest of exists x Y. …, which reaches as far as it can. */
static int read_quantified(Reader *r, bool every)
{
    int before = r->variables;
    while (skip(r), name_length(r) > 0) {
        if (r->variables == TH_AUTOMATON_MOST_VARIABLES)
            return fail(r, "more than 12 variables in the scope of each other");
        r->variable[r->variables++] = (Variable){r->at, name_length(r)};
        r->at += name_length(r);
    }
    if (r->variables == before)
        return fail(r, "a variable was expected: x of positions, X of sets");
    if (!take(r, ".") && !take(r, ":"))
        return fail(r, "a variable or . was expected");
    int x = read_equivalence(r);
    for (x = every ? negation(r, x) : x; r->variables > before;) {
        bool set = is_capital(*r->variable[--r->variables].name);
        x = part(r, set ? TH_AUTOMATON_SOME_SET : TH_AUTOMATON_SOME, r->variables, x);
    }
    return every ? negation(r, x) : x;
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* The bytes of a name of a part: small letters and digits, two at least. */
static size_t part_name(Reader *r)
{
    size_t n = 0;
    skip(r);
    while ((r->at[n] >= 'a' && r->at[n] <= 'z') || (n > 0 && r->at[n] >= '0' && r->at[n] <= '9'))
        n++;
    return n < 2 ? 0 : n;
}

/* The part whose name stands here, which is read; -1: none does. */
static int defined(Reader *r)
{
    size_t n = part_name(r);
    for (size_t i = 0; n && i < r->definitions; i++)
        if (r->definition[i].n == n && memcmp(r->definition[i].name, r->at, n) == 0) {
            r->at += n;
            return r->definition[i].part;
        }
    return -1;
}

/* Reads all of NAME = …; that stand here. */
static bool read_definitions(Reader *r)
{
    size_t n;
    while ((n = part_name(r)) > 0 && r->at[n + strspn(r->at + n, " \t\n")] == '=') {
        Definition d = {r->at, n, 0};
        bool again = defined(r) >= 0;
        r->at = d.name + (again ? 0 : n);
        if (again)
            return fail(r, "this name is defined already") > 0;
        take(r, "=");
        if ((d.part = read_equivalence(r)) < 0)
            return false;
        if (!take(r, ";"))
            return fail(r, "an operator or ; was expected") > 0;
        if (!th_grow(&r->definition, &r->definition_cap, r->definitions + 1, sizeof d, r->err))
            return false;
        r->definition[r->definitions++] = d;
    }
    return true;
}

/* ---- sums of counts -------------------------------------------------------------------------- */

enum { MOST_TERMS = 64, MOST_NUMBER = 100000 };

typedef struct {
    ThAutomatonTerm term[2 * MOST_TERMS];
    int n, by;
} Sum;

/* Is it a sum that stands here, or a digit that is a letter? */
static bool begins_sum(const Reader *r)
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
    skip(r);
    const char *number = r->at;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        x = x * 10 + (*r->at - '0');
        if (x > MOST_NUMBER) {
            r->at = number;
            return fail(r, "the number is too large: 100000 at most");
        }
    }
    *given = r->at > number;
    return *given ? x : 1;
}

/* #x, 3*#x or 3, of one sign. */
static bool add_summand(Reader *r, Sum *s, int sign)
{
    bool given, counted = r->counted, times;
    int x = read_number(r, &given);
    if (x < 0)
        return false;
    times = given && take(r, "*");
    if (!take(r, "#")) {
        if (!given || times)
            return fail(r, given ? "# was expected" : "a number or # was expected") > 0;
        s->by += sign * x;
        return true;
    }
    if (s->n == MOST_TERMS)
        return fail(r, "more than 64 counts in a sum") > 0;
    r->counted = true;
    int of = read_unary(r);
    r->counted = counted;
    s->term[s->n++] = (ThAutomatonTerm){of, sign * x};
    return of >= 0;
}

static bool read_sum(Reader *r, Sum *s)
{
    int sign = take(r, "-") ? -1 : 1;
    while (add_summand(r, s, sign)) {
        skip(r);
        if ((*r->at != '+' && *r->at != '-') || r->at[1] == '>')
            return true;
        sign = *r->at++ == '-' ? -1 : 1;
    }
    return false;
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
static int read_inequality(Reader *r)
{
    static const char *const signs[] = {"<=", "≤", ">=", "≥", "!=", "≠", "<", ">", "="};
    enum { AT_MOST = 0, AT_LEAST = 2, UNEQUAL = 4, LESS = 6, MORE, EQUAL, SIGNS };
    Sum x = {.n = 0}, y = {.n = 0};
    int sign = 0;
    if (!read_sum(r, &x))
        return -1;
    while (sign < SIGNS && !take(r, signs[sign]))
        sign++;
    if (sign == SIGNS)
        return fail(r, "< <= = != >= or > was expected");
    if (!read_sum(r, &y))
        return -1;
    for (int i = 0; i < y.n; i++)
        x.term[x.n++] = (ThAutomatonTerm){y.term[i].part, -y.term[i].by};
    int most = y.by - x.by;
    sign &= sign < LESS ? ~1 : ~0;
    switch (sign) {
    case AT_MOST:
        return at_most(r, &x, 1, most);
    case MORE:
        return negation(r, at_most(r, &x, 1, most));
    case LESS:
        return at_most(r, &x, 1, most - 1);
    case AT_LEAST:
        return negation(r, at_most(r, &x, 1, most - 1));
    default:
        most = conjunction(r, at_most(r, &x, 1, most), at_most(r, &x, -1, -most));
        return sign == UNEQUAL ? negation(r, most) : most;
    }
}

/* ---- operators ------------------------------------------------------------------------------- */

static int read_atom(Reader *r)
{
    int x;
    bool counted = r->counted;
    if (r->counts && !counted && begins_sum(r))
        return read_inequality(r);
    if (take_word(r, "true"))
        return truth(r);
    if (take_word(r, "false"))
        return negation(r, truth(r));
    if (!r->positions && (x = defined(r)) >= 0)
        return x;
    if (!r->positions && take_word(r, "empty"))
        return part(r, TH_AUTOMATON_EMPTY, 0, 0);
    if (!r->positions && take_word(r, "first"))
        return part(r, TH_AUTOMATON_FIRST, 0, 0);
    if (!r->positions && take_word(r, "last"))
        return negation(r, part(r, TH_AUTOMATON_NEXT, truth(r), 0));
    skip(r);
    if (*r->at != '(')
        return r->positions ? read_relation(r) : read_letter(r);
    r->at++;
    r->counted = false;
    x = read_equivalence(r);
    r->counted = counted;
    return x < 0 || take(r, ")") ? x : fail(r, ") was expected");
}

static int read_unary(Reader *r)
{
    skip(r);
    bool every, negated = strncmp(r->at, "¬", 2) == 0;
    char sign = negated ? '!' : *r->at;
    if (r->depth > DEEPEST)
        return fail(r, "brackets and operators are too deep");
    if (r->positions && take_quantifier(r, &every))
        return read_quantified(r, every);
    if (!sign || !strchr(r->positions ? "!" : "!XNYZFGPH", sign))
        return read_atom(r);
    r->at += negated ? 2 : 1;
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
    if (x < 0 || !sign || r->positions || !strchr("URST", sign))
        return x;
    r->at++;
    int y = read_temporal(r);
    return y < 0 ? -1 : binary(r, sign, x, y);
}

static int read_conjunction(Reader *r)
{
    int x = read_temporal(r);
    while (x >= 0 && take_either(r, "&", "∧")) {
        int y = read_temporal(r);
        x = y < 0 ? -1 : conjunction(r, x, y);
    }
    return x;
}

static int read_disjunction(Reader *r)
{
    int x = read_conjunction(r);
    while (x >= 0 && take_either(r, "|", "∨")) {
        int y = read_conjunction(r);
        x = y < 0 ? -1 : disjunction(r, x, y);
    }
    return x;
}

static int read_implication(Reader *r)
{
    int x = read_disjunction(r);
    if (x < 0 || !take_either(r, "->", "→"))
        return x;
    int y = read_implication(r);
    return y < 0 ? -1 : disjunction(r, negation(r, x), y);
}

static int read_equivalence(Reader *r)
{
    r->depth++;
    int x = read_implication(r);
    while (x >= 0 && take_either(r, "<->", "↔")) {
        int y = read_implication(r), none = neither(r, x, y);
        x = disjunction(r, conjunction(r, x, y), none);
    }
    r->depth--;
    return x;
}

static bool read_whole(ThAutomatonFormula *f, const char *text, bool positions, bool counts,
                       ThError *err)
{
    Reader r = {.f = f,
                .text = text,
                .at = text,
                .positions = positions,
                .counts = counts,
                .known = f->letters,
                .err = err};
    int whole = positions || read_definitions(&r) ? read_equivalence(&r) : -1;
    free(r.definition);
    if (whole < 0)
        return false;
    skip(&r);
    if (*r.at)
        return fail(&r, "an operator or the end was expected") > 0;
    f->whole = whole;
    return true;
}

bool th_automaton_formula_read(ThAutomatonFormula *f, const char *text, ThError *err)
{
    return read_whole(f, text, false, false, err);
}

bool th_automaton_counting_read(ThAutomatonFormula *f, const char *text, ThError *err)
{
    return read_whole(f, text, false, true, err);
}

bool th_automaton_sentence_read(ThAutomatonFormula *f, const char *text, ThError *err)
{
    return read_whole(f, text, true, false, err);
}

void th_automaton_formula_free(ThAutomatonFormula *f)
{
    TH_FREE_EACH(f->letter, f->letters);
    TH_FREE(f->part, f->term);
}
