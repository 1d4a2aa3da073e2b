/* The parser of regular expressions: precedence climbing over characters. */

#include "automata/regex/tree.h"
#include "base/text.h"

enum { MAX_DEPTH = 200, MAX_COUNT = 100000, MAX_SYMBOLS = 4096, MAX_NAME = 256 };

typedef struct {
    ThRegexTree *t;
    const char *s, *end;
    int col, depth;
    ThError *err;
} Parser;

static int parse_union(Parser *p);

/* ---- characters ---- */

static int fail_at(Parser *p, int col, const char *what)
{
    th_fail_at(p->err, TH_EPARSE, 1, col, "%s", what);
    return -1;
}

static void skip_blanks(Parser *p)
{
    for (; p->s < p->end && (*p->s == ' ' || *p->s == '\t' || *p->s == '\n'); p->s++)
        p->col++;
}

/* The character at hand, or 0 at the end; blanks before it are skipped. */
static char peek(Parser *p)
{
    skip_blanks(p);
    return p->s < p->end ? *p->s : '\0';
}

static void advance(Parser *p, size_t bytes)
{
    p->s += bytes;
    p->col++;
}

static bool take(Parser *p, char c)
{
    if (peek(p) != c || p->s >= p->end)
        return false;
    advance(p, 1);
    return true;
}

/* \u{…}, behind the u. */
static bool code_point(Parser *p, int32_t *point)
{
    uint32_t value = 0;
    int col = p->col, digits = 0;
    if (p->s >= p->end || *p->s != '{')
        return fail_at(p, col, "\\u must be followed by {HEXADECIMAL}") >= 0;
    for (advance(p, 1); p->s < p->end && *p->s != '}' && digits < 7; digits++) {
        char c = *p->s;
        if (!strchr("0123456789abcdefABCDEF", c))
            break;
        value = value * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        advance(p, 1);
    }
    bool surrogate = value >= 0xd800 && value < 0xe000;
    if (p->s >= p->end || *p->s != '}' || !digits || !value || value > 0x10ffff || surrogate)
        return fail_at(p, col, "\\u{...} holds no character") >= 0;
    advance(p, 1);
    *point = (int32_t)value;
    return true;
}

/* One character with escapes resolved. */
static bool character(Parser *p, int32_t *point)
{
    if (*p->s != '\\') {
        size_t n = th_utf8_next(p->s, (size_t)(p->end - p->s), point);
        if (!n)
            return fail_at(p, p->col, "not valid UTF-8") >= 0;
        if (*point < 0x20 || *point == 0x7f)
            return fail_at(p, p->col, "control character") >= 0;
        advance(p, n);
        return true;
    }
    int col = p->col;
    advance(p, 1);
    if (p->s >= p->end)
        return fail_at(p, col, "a backslash must be followed by a character") >= 0;
    if (*p->s == 'n' || *p->s == 't') {
        *point = *p->s == 'n' ? '\n' : '\t';
        advance(p, 1);
        return true;
    }
    if (*p->s == 'u') {
        advance(p, 1);
        return code_point(p, point);
    }
    unsigned char c = (unsigned char)*p->s;
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return fail_at(p, col, "unknown escape: \\n, \\t and \\u{...} are known") >= 0;
    size_t n = th_utf8_next(p->s, (size_t)(p->end - p->s), point);
    if (!n)
        return fail_at(p, p->col, "not valid UTF-8") >= 0;
    advance(p, n);
    return true;
}

static size_t encode(int32_t point, char bytes[5])
{
    uint32_t c = (uint32_t)point;
    size_t n = 0;
    if (c < 0x80) {
        bytes[n++] = (char)c;
    } else {
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        bytes[n++] = (char)((0xf0u << (3 - more)) | (c >> (6 * more)));
        for (int i = more - 1; i >= 0; i--)
            bytes[n++] = (char)(0x80u | ((c >> (6 * i)) & 0x3fu));
    }
    bytes[n] = '\0';
    return n;
}

/* ---- nodes ---- */

static int new_node(Parser *p, ThRegexKind kind, int col)
{
    ThRegexTree *t = p->t;
    if (t->n >= INT32_MAX || !th_grow(&t->node, &t->cap, t->n + 1, sizeof *t->node, p->err))
        return -1;
    t->node[t->n] = (ThRegexNode){
        .kind = kind, .col = col, .first = -1, .last = -1, .next = -1, .symbol = t->n_items};
    return (int)t->n++;
}

static void adopt(Parser *p, int parent, int child)
{
    ThRegexNode *node = &p->t->node[parent];
    if (node->first < 0)
        node->first = child;
    else
        p->t->node[node->last].next = child;
    node->last = child;
}

/* A node with one or two children (second -1: one). */
static int parent_of(Parser *p, ThRegexKind kind, int col, int first, int second)
{
    int node = new_node(p, kind, col);
    if (node < 0)
        return -1;
    adopt(p, node, first);
    if (second >= 0)
        adopt(p, node, second);
    return node;
}

/* Adds a symbol to the set that was made last. */
static bool add_symbol(Parser *p, int set, const char *name, size_t size)
{
    ThRegexTree *t = p->t;
    size_t index;
    if (!th_intern(&t->symbol, name, size + 1, &index, p->err) ||
        !th_grow(&t->item, &t->item_cap, t->n_items + 1, sizeof *t->item, p->err))
        return false;
    if (t->symbol.n > MAX_SYMBOLS)
        return th_fail_at(p->err, TH_ELIMIT, 1, t->node[set].col,
                          "the expression has more than %d symbols", MAX_SYMBOLS);
    t->item[t->n_items++] = (int)index;
    t->node[set].n++;
    return true;
}

static bool add_point(Parser *p, int set, int32_t point)
{
    char bytes[5];
    size_t n = encode(point, bytes);
    return add_symbol(p, set, bytes, n);
}

/* ---- sets ---- */

/* 'name' behind the quote. */
static bool quoted_symbol(Parser *p, int set, int col)
{
    char name[MAX_NAME + 8];
    size_t n = 0;
    while (p->s < p->end && *p->s != '\'') {
        int32_t point;
        if (!character(p, &point))
            return false;
        if (n > MAX_NAME)
            return fail_at(p, col, "the name of a symbol is too long") >= 0;
        n += encode(point, name + n);
    }
    if (p->s >= p->end)
        return fail_at(p, col, "quote without an end") >= 0;
    if (n == 0)
        return fail_at(p, col, "a symbol without a name") >= 0;
    advance(p, 1);
    name[n] = '\0';
    return add_symbol(p, set, name, n);
}

static const struct {
    const char *name, *ranges; /* pairs of first and last character */
} named_sets[] = {{"alpha", "AZaz"},     {"digit", "09"},    {"alnum", "09AZaz"},
                  {"upper", "AZ"},       {"lower", "az"},    {"xdigit", "09AFaf"},
                  {"punct", "!/:@[`{~"}, {"blank", "\t\t  "}};

/* [:name:] inside a class, at its bracket. */
static bool named_set(Parser *p, int set)
{
    for (size_t i = 0; i < sizeof named_sets / sizeof *named_sets; i++) {
        size_t n = strlen(named_sets[i].name);
        if ((size_t)(p->end - p->s) < n + 4 || memcmp(p->s + 2, named_sets[i].name, n) != 0 ||
            memcmp(p->s + 2 + n, ":]", 2) != 0)
            continue;
        for (const char *r = named_sets[i].ranges; *r; r += 2)
            for (int32_t c = (unsigned char)r[0]; c <= (unsigned char)r[1]; c++)
                if (!add_point(p, set, c))
                    return false;
        p->s += n + 4;
        p->col += (int)n + 4;
        return true;
    }
    return fail_at(p, p->col,
                   "unknown class: [:alpha:] [:digit:] [:alnum:] [:upper:] [:lower:] [:xdigit:] "
                   "[:punct:] and [:blank:] are known") >= 0;
}

/* a or a-z inside a class. */
static bool set_range(Parser *p, int set)
{
    int col = p->col;
    int32_t from, to;
    if (*p->s == '\'') {
        advance(p, 1);
        return quoted_symbol(p, set, col);
    }
    if (!character(p, &from))
        return false;
    if (p->end - p->s < 2 || p->s[0] != '-' || p->s[1] == ']')
        return add_point(p, set, from);
    advance(p, 1);
    if (!character(p, &to))
        return false;
    if (from > to)
        return fail_at(p, col, "the range is empty: its ends are in the wrong order") >= 0;
    for (int32_t c = from; c <= to; c++) {
        if (c >= 0xd800 && c < 0xe000)
            c = 0xe000;
        if (!add_point(p, set, c))
            return false;
    }
    return true;
}

/* A class, behind its bracket. */
static int parse_class(Parser *p, int col)
{
    int set = new_node(p, TH_REGEX_SET, col);
    if (set < 0)
        return -1;
    if (p->s < p->end && *p->s == '^') {
        p->t->node[set].negated = true;
        advance(p, 1);
    }
    while (p->s < p->end && *p->s != ']') {
        bool named = p->end - p->s > 1 && p->s[0] == '[' && p->s[1] == ':';
        if (!(named ? named_set(p, set) : set_range(p, set)))
            return -1;
    }
    if (p->s >= p->end)
        return fail_at(p, col, "'[' without its ']'");
    advance(p, 1);
    return set;
}

/* ---- expressions ---- */

static int parse_group(Parser *p, int col)
{
    int inside = parse_union(p);
    if (inside < 0)
        return -1;
    return take(p, ')') ? inside : fail_at(p, col, "'(' without its ')'");
}

/* True where a sequence of symbols ends. */
static bool at_end(Parser *p)
{
    char c = peek(p);
    return p->s >= p->end || (c && strchr("|-&)", c));
}

/* What ~, & and - are applied to is missing. */
static int fail_missing(Parser *p)
{
    fail_at(p, p->col, "an operand is missing here");
    th_hint(p->err, "() is the empty word; \\ before an operator makes it a symbol");
    return -1;
}

/* A letter that stands for itself; of those that books write for the empty word it is asked which
 * is meant. */
static bool letter(Parser *p, int set)
{
    enum { EPSILON = 0x3b5, LAMBDA = 0x3bb };
    bool escaped = *p->s == '\\';
    int32_t point;
    int col = p->col;
    if (!character(p, &point))
        return false;
    if (escaped || (point != EPSILON && point != LAMBDA))
        return add_point(p, set, point);
    fail_at(p, col, "the empty word is written ()");
    return th_hint(p->err, "\\ before the letter makes it a symbol");
}

static int parse_atom(Parser *p)
{
    char c = peek(p);
    int col = p->col, set;
    if (at_end(p))
        return fail_missing(p);
    switch (c) {
    case '(':
        advance(p, 1);
        return parse_group(p, col);
    case '[':
        advance(p, 1);
        return parse_class(p, col);
    case '*':
    case '+':
    case '?':
    case '{':
        return fail_at(p, col, "there is nothing to repeat here");
    case ']':
    case '}':
        return fail_at(p, col, "a bracket that was not opened; \\ before it makes it a symbol");
    default:
        break;
    }
    set = new_node(p, TH_REGEX_SET, col);
    if (set < 0)
        return -1;
    bool good = true;
    if (c == '.' || c == '\'') {
        advance(p, 1);
        p->t->node[set].negated = c == '.';
        good = c == '.' || quoted_symbol(p, set, col);
    } else {
        good = letter(p, set);
    }
    return good ? set : -1;
}

static bool number(Parser *p, int *value)
{
    int col = p->col;
    *value = 0;
    if (peek(p) < '0' || peek(p) > '9')
        return fail_at(p, p->col, "expected a number") >= 0;
    while (peek(p) >= '0' && peek(p) <= '9') {
        *value = 10 * *value + (*p->s - '0');
        if (*value > MAX_COUNT)
            return fail_at(p, col, "a count is at most 100000") >= 0;
        advance(p, 1);
    }
    return true;
}

/* {m}, {m,} or {m,n}, behind the bracket. */
static bool parse_counts(Parser *p, ThRegexNode *repeat, int col)
{
    if (!number(p, &repeat->least))
        return false;
    repeat->most = repeat->least;
    if (take(p, ',')) {
        repeat->most = TH_REGEX_FOREVER;
        if (peek(p) != '}' && !number(p, &repeat->most))
            return false;
    }
    if (!take(p, '}'))
        return fail_at(p, col, "'{' without its '}'") >= 0;
    if (repeat->most != TH_REGEX_FOREVER && repeat->most < repeat->least)
        return fail_at(p, col, "the first count is larger than the second") >= 0;
    return true;
}

static int parse_postfix(Parser *p)
{
    int node = parse_atom(p);
    for (int deep = 0; node >= 0; deep++) {
        char c = peek(p);
        int col = p->col;
        if (!c || !strchr("*+?{", c))
            break;
        if (deep + p->depth >= MAX_DEPTH)
            return fail_at(p, col, "repetitions are nested too deeply");
        advance(p, 1);
        ThRegexNode counts = {.least = c == '+', .most = c == '?' ? 1 : TH_REGEX_FOREVER};
        if (c == '{' && !parse_counts(p, &counts, col))
            return -1;
        node = parent_of(p, TH_REGEX_REPEAT, col, node, -1);
        if (node >= 0) {
            p->t->node[node].least = counts.least;
            p->t->node[node].most = counts.most;
        }
    }
    return node;
}

static int parse_not(Parser *p)
{
    bool negate = false;
    peek(p);
    int col = p->col;
    while (take(p, '~'))
        negate = !negate;
    int node = parse_postfix(p);
    return node < 0 || !negate ? node : parent_of(p, TH_REGEX_NOT, col, node, -1);
}

/* Any number of operands of one kind, which keeps the tree flat.  None is the empty word, but only
 * beside a bar: what & and - stand between is written. */
static int parse_concat(Parser *p)
{
    char end = at_end(p) ? peek(p) : '\0';
    if (end == '&' || end == '-')
        return fail_missing(p);
    if (at_end(p))
        return new_node(p, TH_REGEX_WORD, p->col);
    int col = p->col, node = parse_not(p), whole = -1;
    while (node >= 0 && !at_end(p)) {
        int next = parse_not(p);
        if (next >= 0 && whole < 0)
            whole = parent_of(p, TH_REGEX_CONCAT, col, node, -1);
        if (next < 0 || whole < 0)
            return -1;
        adopt(p, whole, next);
        node = next;
    }
    return whole < 0 ? node : whole;
}

static int parse_and(Parser *p)
{
    peek(p);
    int col = p->col, node = parse_concat(p), whole = -1;
    while (node >= 0 && take(p, '&')) {
        int next = at_end(p) ? fail_missing(p) : parse_concat(p);
        if (next >= 0 && whole < 0)
            whole = parent_of(p, TH_REGEX_AND, col, node, -1);
        if (next < 0 || whole < 0)
            return -1;
        adopt(p, whole, next);
        node = next;
    }
    return whole < 0 ? node : whole;
}

static int parse_union(Parser *p)
{
    if (p->depth >= MAX_DEPTH)
        return fail_at(p, p->col, "brackets are nested deeper than 200");
    p->depth++;
    int node = parse_and(p);
    bool flat = false; /* node is a union that was made here */
    for (int deep = 0; node >= 0;) {
        int col = p->col;
        bool bar = take(p, '|');
        if (!bar && !take(p, '-'))
            break;
        int next = !bar && at_end(p) ? fail_missing(p) : parse_and(p);
        if (next < 0)
            return -1;
        if (bar && flat) {
            adopt(p, node, next);
            continue;
        }
        if (++deep + p->depth > MAX_DEPTH)
            return fail_at(p, col, "differences are nested too deeply");
        node = parent_of(p, bar ? TH_REGEX_UNION : TH_REGEX_MINUS, col, node, next);
        flat = bar;
    }
    p->depth--;
    return node;
}

bool th_regex_parse(ThRegexTree *t, const char *pattern, ThError *err)
{
    Parser p = {.t = t, .s = pattern, .end = pattern + strlen(pattern), .col = 1, .err = err};
    if (p.end - p.s > INT32_MAX / 2)
        return th_fail(err, TH_EPARSE, "the expression is too long");
    t->root = parse_union(&p);
    if (t->root < 0)
        return false;
    if (p.s < p.end)
        return fail_at(&p, p.col, "')' without its '('; \\ before it makes it a symbol") >= 0;
    return true;
}

void th_regex_tree_free(ThRegexTree *t)
{
    TH_FREE(t->node, t->item);
    th_intern_free(&t->symbol);
    *t = (ThRegexTree){0};
}
