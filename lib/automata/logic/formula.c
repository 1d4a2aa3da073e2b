#include "automata/logic/formula_reader.h"

enum { DEEPEST = 200 };

typedef ThAutomatonReader Reader;
typedef ThAutomatonReaderVariable Variable;
typedef ThAutomatonReaderDefinition Definition;

/* Each returns the number of a part, or -1. */
static int read_equivalence(Reader *r);

int th_automaton_reader_fail(const Reader *r, const char *what)
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

/* Neither of two.  C gives no order to what is made for one call, here and below it needs one:
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

bool th_automaton_reader_take(Reader *r, const char *sign)
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
    return th_automaton_reader_take(r, sign) || th_automaton_reader_take(r, other);
}

/* A word of the logic, which no letter of small letters goes on. */
static bool take_word(Reader *r, const char *word)
{
    const char *before = r->at;
    if (th_automaton_reader_take(r, word) && !(*r->at >= 'a' && *r->at <= 'z'))
        return true;
    r->at = before;
    return false;
}

/* Reads a name in single quotes, in which two of them are one; false if it is none. */
static bool take_quoted(Reader *r, ThText *name)
{
    for (const char *at = r->at + 1; *at; at++) {
        if (*at == '\'' && *++at != '\'') {
            r->at = name->size > 0 ? at : r->at;
            return name->size > 0;
        }
        th_text_add_bytes(name, at, 1);
    }
    return false;
}

/* The number of a letter, a character or a name in single quotes. */
static int read_name(Reader *r)
{
    ThText quoted TH_OWNED(th_text_free) = {0};
    size_t n = th_utf8_next(r->at, strlen(r->at), NULL);
    const char *name = r->at, *before = name;
    if (*r->at == '\'') {
        if (!take_quoted(r, &quoted))
            return th_automaton_reader_fail(r, "a name in single quotes was expected");
        name = quoted.data;
        n = quoted.size;
    } else {
        r->at += n;
    }
    size_t letters = r->f->letters;
    int letter = th_automaton_formula_letter(r->f, name, n, r->err);
    bool one = n == th_utf8_next(name, n, NULL);
    if (!r->counts || letter < (int)letters || (!r->known && one))
        return letter;
    r->at = before;
    return th_automaton_reader_fail(r, "this letter is not in the alphabet");
}

static int read_letter(Reader *r)
{
    if (!*r->at)
        return th_automaton_reader_fail(r, "a formula was expected, not the end");
    if (strchr(r->counts ? "|&()<->!#*+=;" : "|&()<->!", *r->at) ||
        (*r->at >= 'A' && *r->at <= 'Z'))
        return th_automaton_reader_fail(r, "a letter, an operator or ( was expected");
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
        return th_automaton_reader_fail(r, set ? "the name of a set was expected, with a capital"
                                               : "the name of a position was expected, as x");
    for (int i = r->variables - 1; i >= 0; i--)
        if (r->variable[i].n == n && memcmp(r->variable[i].name, r->at, n) == 0) {
            r->at += n;
            return i;
        }
    return th_automaton_reader_fail(
        r, "this variable is not bound: exists or forall must stand before it");
}

/* x, or x + 1; *more gets the number. */
static int read_term(Reader *r, int *more)
{
    enum { MOST = 100 };
    int x = read_variable(r, false);
    *more = 0;
    if (x < 0 || !th_automaton_reader_take(r, "+"))
        return x;
    skip(r);
    if (*r->at < '0' || *r->at > '9')
        return th_automaton_reader_fail(r, "a number was expected");
    const char *number = r->at;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
        *more = *more * 10 + (*r->at - '0');
        if (*more > MOST) {
            r->at = number;
            return th_automaton_reader_fail(r, "the number is too large: 100 at most");
        }
    }
    return x;
}

/* (x) behind the name of a predicate. */
static int read_argument(Reader *r)
{
    if (!th_automaton_reader_take(r, "("))
        return th_automaton_reader_fail(r, "( was expected");
    int x = read_variable(r, false);
    return x < 0 || th_automaton_reader_take(r, ")")
               ? x
               : th_automaton_reader_fail(r, ") was expected");
}

/* How x + a and y + b compare. */
static int read_comparison(Reader *r, int x, int a)
{
    static const char *const signs[] = {"<=", ">=", "!=", "<", ">", "="};
    size_t sign = 0;
    int b, y, by;
    while (sign < sizeof signs / sizeof *signs && !th_automaton_reader_take(r, signs[sign]))
        sign++;
    if (sign == sizeof signs / sizeof *signs)
        return th_automaton_reader_fail(r, "< <= = != >= > or in was expected");
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
        return th_automaton_reader_fail(r, "a formula was expected, not the end");
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
        return th_automaton_reader_fail(r, "exists, forall, a variable, Qa(x) or ( was expected");
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
    if (take_word(r, "exists") || take_word(r, "ex") || th_automaton_reader_take(r, "∃"))
        return true;
    *every = take_word(r, "forall") || take_word(r, "all") || th_automaton_reader_take(r, "∀");
    return *every;
}

/* The rest of exists x Y. …, which reaches as far as it can. */
static int read_quantified(Reader *r, bool every)
{
    int before = r->variables;
    while (skip(r), name_length(r) > 0) {
        if (r->variables == TH_AUTOMATON_MOST_VARIABLES)
            return th_automaton_reader_fail(r, "more than 12 variables in the scope of each other");
        r->variable[r->variables++] = (Variable){r->at, name_length(r)};
        r->at += name_length(r);
    }
    if (r->variables == before)
        return th_automaton_reader_fail(r, "a variable was expected: x of positions, X of sets");
    if (!th_automaton_reader_take(r, ".") && !th_automaton_reader_take(r, ":"))
        return th_automaton_reader_fail(r, "a variable or . was expected");
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
            return th_automaton_reader_fail(r, "this name is defined already") > 0;
        th_automaton_reader_take(r, "=");
        if ((d.part = read_equivalence(r)) < 0)
            return false;
        if (!th_automaton_reader_take(r, ";"))
            return th_automaton_reader_fail(r, "an operator or ; was expected") > 0;
        if (!th_grow(&r->definition, &r->definition_cap, r->definitions + 1, sizeof d, r->err))
            return false;
        r->definition[r->definitions++] = d;
    }
    return true;
}

/* ---- operators ------------------------------------------------------------------------------- */

static int read_atom(Reader *r)
{
    int x;
    bool counted = r->counted;
    if (r->counts && !counted && th_automaton_reader_at_sum(r))
        return th_automaton_reader_inequality(r);
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
    return x < 0 || th_automaton_reader_take(r, ")")
               ? x
               : th_automaton_reader_fail(r, ") was expected");
}

int th_automaton_reader_unary(Reader *r)
{
    skip(r);
    bool every, negated = strncmp(r->at, "¬", 2) == 0;
    char sign = negated ? '!' : *r->at;
    if (r->depth > DEEPEST)
        return th_automaton_reader_fail(r, "brackets and operators are too deep");
    if (r->positions && take_quantifier(r, &every))
        return read_quantified(r, every);
    if (!sign || !strchr(r->positions ? "!" : "!XNYZFGPH", sign))
        return read_atom(r);
    r->at += negated ? 2 : 1;
    r->depth++;
    int x = th_automaton_reader_unary(r);
    r->depth--;
    return x < 0 ? -1 : unary(r, sign, x);
}

static int read_temporal(Reader *r)
{
    int x = th_automaton_reader_unary(r);
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
        return th_automaton_reader_fail(&r, "an operator or the end was expected") > 0;
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
