#include "language/smallest.h"

#include "base/intern.h"
#include "base/symbols.h"
#include "language/any_language.h"

/* What values are: truth values, tokens, numbers (times UNIT, so that means of up to 15 are whole),
 * and the positions that every position selects. */
enum { NOTHING, TRUTH, TOKEN, NUMBER, SELECTOR };
enum { UNIT = 360360, MOST_ROWS = 4096, MOST_LETTERS = 60, MOST_CHECKED = 20000, MOST_LENGTH = 20 };
enum { B = 1 << TH_LANGUAGE_BRASP, C = 1 << TH_LANGUAGE_CRASP, R = 1 << TH_LANGUAGE_RASP };

typedef enum {
    LETTER,
    TRUE_,
    TOKENS,
    INDICES,
    LENGTH,
    ONE,
    NOT,
    AND,
    OR,
    PLUS,
    MINUS,
    LESS,
    AT_MOST,
    SAME,
    HEAD, /* of eight: | 1 leftmost | 2 later positions | 4 true where nothing is selected */
    COUNT = HEAD + 8,
    SELECT_SAME,
    SELECT_LESS,
    SELECT_AT_MOST,
    WIDTH,
    MEAN
} Code;

/* How an operator is written, with $ and % for its operands. */
typedef struct {
    Code code;
    unsigned dialects;
    int result, x, y;
    bool symmetric;
    const char *text;
} Operator;

#define SELECTED(mask) "aggregate(select($, True, ==) and " mask ", %, "
static const Operator operators[] = {
    {LETTER, B | C | R, TRUTH, 0, 0, 0, "tokens == "},
    {TRUE_, B | C, TRUTH, 0, 0, 0, "full(indices, True)"},
    {TOKENS, R, TOKEN, 0, 0, 0, "tokens"},
    {INDICES, R, NUMBER, 0, 0, 0, "indices"},
    {LENGTH, R, NUMBER, 0, 0, 0, "length"},
    {ONE, C | R, NUMBER, 0, 0, 0, "1"},
    {NOT, B | C | R, TRUTH, TRUTH, 0, 0, "(not $)"},
    {AND, B | C | R, TRUTH, TRUTH, TRUTH, 1, "($ and %)"},
    {OR, B | C | R, TRUTH, TRUTH, TRUTH, 1, "($ or %)"},
    {HEAD, B, TRUTH, TRUTH, TRUTH, 0, SELECTED("_before") "False, rightmost)"},
    {HEAD + 1, B, TRUTH, TRUTH, TRUTH, 0, SELECTED("_before") "False, leftmost)"},
    {HEAD + 2, B, TRUTH, TRUTH, TRUTH, 0, SELECTED("_after") "False, rightmost)"},
    {HEAD + 3, B, TRUTH, TRUTH, TRUTH, 0, SELECTED("_after") "False, leftmost)"},
    {HEAD + 4, B, TRUTH, TRUTH, TRUTH, 0, SELECTED("_before") "True, rightmost)"},
    {HEAD + 5, B, TRUTH, TRUTH, TRUTH, 0, SELECTED("_before") "True, leftmost)"},
    {HEAD + 6, B, TRUTH, TRUTH, TRUTH, 0, SELECTED("_after") "True, rightmost)"},
    {HEAD + 7, B, TRUTH, TRUTH, TRUTH, 0, SELECTED("_after") "True, leftmost)"},
    {COUNT, C, NUMBER, TRUTH, 0, 0, "sel_width(select($, True, ==, causal))"},
    {PLUS, C | R, NUMBER, NUMBER, NUMBER, 1, "($ + %)"},
    {MINUS, C | R, NUMBER, NUMBER, NUMBER, 0, "($ - %)"},
    {AT_MOST, C | R, TRUTH, NUMBER, NUMBER, 0, "($ <= %)"},
    {LESS, C | R, TRUTH, NUMBER, NUMBER, 0, "($ < %)"},
    {SAME, C | R, TRUTH, NUMBER, NUMBER, 1, "($ == %)"},
    {SELECT_SAME, R, SELECTOR, TOKEN, TOKEN, 1, "select($, %, ==)"},
    {SELECT_SAME, R, SELECTOR, TRUTH, TRUTH, 0, "select($, %, ==)"},
    {SELECT_SAME, R, SELECTOR, NUMBER, NUMBER, 0, "select($, %, ==)"},
    {SELECT_LESS, R, SELECTOR, NUMBER, NUMBER, 0, "select($, %, <)"},
    {SELECT_AT_MOST, R, SELECTOR, NUMBER, NUMBER, 0, "select($, %, <=)"},
    {NOT, R, SELECTOR, SELECTOR, 0, 0, "(not $)"},
    {AND, R, SELECTOR, SELECTOR, SELECTOR, 1, "($ and %)"},
    {OR, R, SELECTOR, SELECTOR, SELECTOR, 1, "($ or %)"},
    {WIDTH, R, NUMBER, SELECTOR, 0, 0, "sel_width($)"},
    {MEAN, R, NUMBER, SELECTOR, NUMBER, 0, "aggregate($, %)"},
    {MEAN, R, NUMBER, SELECTOR, TRUTH, 0, "aggregate($, indicator(%))"},
};
enum { OPERATORS = sizeof operators / sizeof *operators };

/* A program, by its last operator: letters stand in x. */
typedef struct {
    int op, x, y;
} Node;

typedef struct {
    const ThDfa *d;
    char *const *symbol;
    const ThLanguageSmallestHow *how;
    const int *more;            /* longer words: their lengths, symbols behind each; 0 at the end */
    int length, rows;           /* of the longest word; of all */
    int *token, *first, *size;  /* (rows): of every row's word, where it begins, and its length */
    bool *due;                  /* (rows): at the end of a word, is it accepted? */
    int32_t *made, *operand[2]; /* the value that is being looked at, and of what it is made */
    unsigned char *packed; /* a value as it is kept: its type, bytes, or of numbers all of it */
    ThIntern values;       /* all of them */
    Node *node;            /* (values.n) */
    size_t cap;
    size_t begin[65]; /* values of s nodes stand from begin[s] to begin[s + 1] */
    long long found;  /* the program that is right, or -1 */
    bool full, keeps; /* no more room; not in the last round, where only what is right counts */
    int tried, rough; /* how many nodes are tried; and where a number was first too large, or a mean
                         no whole number: 0 is nowhere */
    ThError *err;
} Work;

/* ---- words ----------------------------------------------------------------------------------- */

static void free_words(Work *w)
{
    th_intern_free(&w->values);
    TH_FREE(w->token, w->first, w->size, w->due, w->made, w->operand[0], w->operand[1], w->packed,
            w->node);
    w->node = NULL;
    w->cap = 0;
}

static void write_word(Work *w, const int *word, int n, int *row)
{
    int q = w->d->start;
    for (int i = 0; i < n; i++) {
        w->token[*row + i] = word[i];
        w->first[*row + i] = *row;
        w->size[*row + i] = n;
        q = w->d->next[q * w->d->n_symbols + word[i]];
    }
    *row += n;
    w->due[*row - 1] = w->d->label[q] == 1;
}

static bool make_room(Work *w, int most)
{
    double rows = 0, words = 1;
    w->length = most;
    for (int n = 1; n <= most; n++)
        rows += n * (words *= w->d->n_symbols);
    for (const int *m = w->more; *m; m += *m + 1) {
        w->length = *m > w->length ? *m : w->length;
        rows += *m;
    }
    if (rows > MOST_ROWS)
        return th_fail(w->err, TH_ELIMIT, "words of up to %d symbols have %.0f of them, over %d",
                       most, rows, MOST_ROWS);
    w->rows = (int)rows;
    size_t room = (size_t)w->rows;
    w->token = th_alloc(room, sizeof *w->token, w->err);
    w->first = th_alloc(room, sizeof *w->first, w->err);
    w->size = th_alloc(room, sizeof *w->size, w->err);
    w->due = th_alloc(room, sizeof *w->due, w->err);
    size_t cells = room * (size_t)w->length;
    w->made = th_alloc(cells, sizeof *w->made, w->err);
    for (int i = 0; i < 2; i++)
        w->operand[i] = th_alloc(cells, sizeof *w->made, w->err);
    w->packed = th_alloc(1 + cells, sizeof *w->made, w->err);
    return w->token && w->first && w->size && w->due && w->made && w->operand[0] && w->operand[1] &&
           w->packed;
}

static bool list_words(Work *w, int most)
{
    int at = 0;
    if (!make_room(w, most))
        return false;
    for (int n = 1; n <= most; n++) {
        int word[MOST_LENGTH] = {0};
        do
            write_word(w, word, n, &at);
        while (th_symbols_next(word, n, w->d->n_symbols));
    }
    for (const int *m = w->more; *m; m += *m + 1)
        write_word(w, m + 1, *m, &at);
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int type_of(const Work *w, size_t i)
{
    return *(const unsigned char *)th_intern_at(&w->values, i, NULL);
}

static size_t cells_of(const Work *w, int type)
{
    return (size_t)w->rows * (type == SELECTOR ? (size_t)w->length : 1);
}

/* Writes what was made as it is kept; returns how many bytes these are. */
static size_t pack(Work *w, int type)
{
    size_t n = cells_of(w, type);
    w->packed[0] = (unsigned char)type;
    if (type == NUMBER)
        memcpy(w->packed + 1, w->made, n * sizeof *w->made);
    for (size_t i = 0; type != NUMBER && i < n; i++)
        w->packed[1 + i] = (unsigned char)w->made[i];
    return 1 + n * (type == NUMBER ? sizeof *w->made : 1);
}

/* Value i as an operand, until the next one in its place. */
static const int32_t *unpack(const Work *w, int i, int place)
{
    const unsigned char *from = th_intern_at(&w->values, (size_t)i, NULL);
    int32_t *to = w->operand[place];
    size_t n = cells_of(w, *from);
    if (*from == NUMBER)
        memcpy(to, from + 1, n * sizeof *to);
    for (size_t k = 0; *from != NUMBER && k < n; k++)
        to[k] = from[1 + k];
    return to;
}

/* The truth value at the end of what a position selects. */
static int32_t head(const Work *w, Code code, int row, const int32_t *x, const int32_t *y)
{
    int first = w->first[row], end = first + w->size[row] - 1;
    bool leftmost = code & 1, later = code & 2;
    int low = later ? row + 1 : first, high = later ? end : row - 1;
    for (int i = 0; i <= high - low; i++) {
        int j = leftmost ? low + i : high - i;
        if (x[j])
            return y[j];
    }
    return (code & 4) != 0;
}

/* What an operator gives at a row; of a selector at row / length, for a key. */
static int at_leaf(const Work *w, Code code, int letter, int row)
{
    switch (code) {
    case LETTER:
        return w->token[row] == letter;
    case TOKENS:
        return w->token[row];
    case INDICES:
        return UNIT * (row - w->first[row]);
    case LENGTH:
        return UNIT * w->size[row];
    default:
        return code == ONE ? UNIT : 1;
    }
}

static int64_t of_pair(Code code, int64_t x, int64_t y)
{
    switch (code) {
    case NOT:
        return !x;
    case AND:
        return x && y;
    case OR:
        return x || y;
    case PLUS:
        return x + y;
    case MINUS:
        return x - y;
    case LESS:
    case SELECT_LESS:
        return x < y;
    case AT_MOST:
    case SELECT_AT_MOST:
        return x <= y;
    default:
        return x == y;
    }
}

/* How many positions a row selects, or the mean of what they have. */
static int64_t gathered(Work *w, Code code, int row, const int32_t *x, const int32_t *y, int unit)
{
    int64_t sum = 0, n = 0;
    for (int j = 0; j < w->size[row]; j++)
        if (x[row * w->length + j]) {
            n++;
            sum += code == MEAN ? (int64_t)y[w->first[row] + j] * unit : 0;
        }
    if (n > 0 && sum % n != 0 && w->rough == 0)
        w->rough = w->tried;
    return code == WIDTH ? UNIT * n : n ? sum / n : 0;
}

static int counted(const Work *w, int row, const int32_t *x)
{
    int n = 0;
    for (int j = w->first[row]; j <= row; j++)
        n += x[j];
    return UNIT * n;
}

static int64_t at_row(Work *w, const Operator *o, int row, const int32_t *x, const int32_t *y)
{
    if (o->code >= HEAD && o->code < COUNT)
        return head(w, o->code - HEAD, row, x, y);
    if (o->code == COUNT)
        return counted(w, row, x);
    if (o->code >= WIDTH)
        return gathered(w, o->code, row, x, y, o->y == TRUTH ? UNIT : 1);
    return of_pair(o->code, x[row], y ? y[row] : 0);
}

/* Makes the value of an operator; false: a number is too large for it. */
static bool evaluate(Work *w, const Operator *o, int letter, const int32_t *x, const int32_t *y)
{
    int32_t *to = w->made;
    if (o->result == SELECTOR) {
        bool parts = o->x == SELECTOR;
        for (int i = 0; i < w->rows * w->length; i++) {
            int row = i / w->length, j = i % w->length, key = w->first[row] + j;
            bool there = j < w->size[row];
            to[i] = there && of_pair(o->code, x[parts ? i : key], y ? y[parts ? i : row] : 0);
        }
        return true;
    }
    for (int row = 0; row < w->rows; row++) {
        int64_t z = x ? at_row(w, o, row, x, y) : at_leaf(w, o->code, letter, row);
        if (z > INT32_MAX || z < INT32_MIN) {
            w->rough = w->rough ? w->rough : w->tried;
            return false;
        }
        to[row] = (int32_t)z;
    }
    return true;
}

static bool is_right(const Work *w)
{
    for (int row = 0; row < w->rows; row++)
        if (row - w->first[row] == w->size[row] - 1 && (w->made[row] != 0) != w->due[row])
            return false;
    return true;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Keeps a program that is like none before it; where there is no room, if it is right. */
static bool take(Work *w, Node n)
{
    const Operator *o = &operators[n.op];
    size_t before = w->values.n, at;
    const int32_t *x = o->x ? w->operand[0] : NULL, *y = o->y ? unpack(w, n.y, 1) : NULL;
    bool made = evaluate(w, o, n.x, x, y), right = made && o->result == TRUTH && is_right(w);
    if (!made || !(w->keeps || right))
        return true;
    if (!th_intern(&w->values, w->packed, pack(w, o->result), &at, w->err) ||
        !th_grow(&w->node, &w->cap, w->values.n, sizeof *w->node, w->err))
        return false;
    if (w->values.n == before)
        return true;
    w->node[at] = n;
    if (right)
        w->found = (long long)at;
    w->full = w->values.size > w->how->memory;
    w->keeps = w->keeps && !w->full;
    return true;
}

/* All programs whose last operator is `op`, and whose operands have a and b nodes. */
static bool combine(Work *w, int op, int a, int b)
{
    const Operator *o = &operators[op];
    size_t first = o->y ? w->begin[b] : 0, end = o->y ? w->begin[b + 1] : 1;
    for (size_t x = w->begin[a]; x < w->begin[a + 1]; x++) {
        if (type_of(w, x) != o->x)
            continue;
        if (th_stopped(w->how->stop, w->err))
            return false;
        unpack(w, (int)x, 0);
        for (size_t y = first; y < end; y++) {
            if (o->y && (type_of(w, y) != o->y || (o->symmetric && y > x)))
                continue;
            if (!take(w, (Node){op, (int)x, (int)y}))
                return false;
            if (w->found >= 0)
                return true;
        }
    }
    return true;
}

/* All programs of n nodes whose last operator is `op`. */
static bool extend(Work *w, int op, int n)
{
    const Operator *o = &operators[op];
    bool ok = true;
    if (!o->x)
        for (int a = 0; ok && n == 1 && a < (o->code == LETTER ? w->d->n_symbols : 1); a++)
            ok = take(w, (Node){op, a, 0});
    else if (!o->y)
        return n < 2 || combine(w, op, n - 1, 0);
    for (int a = 1; ok && o->x && a < n - 1 && w->found < 0; a++)
        ok = combine(w, op, a, n - 1 - a);
    return ok;
}

/* Are programs of n nodes made of values that are right?  A number of a nodes is in none of a + 1.
 */
static bool is_sure(const Work *w, int n)
{
    return !w->full && (w->rough == 0 || n <= w->rough + 1);
}

/* Programs in the order of their nodes; *none is how many nodes were exhausted. */
static bool search(Work *w, int *none)
{
    w->found = -1;
    *none = 0;
    for (int n = 1; n <= w->how->nodes && w->found < 0 && is_sure(w, n); n++) {
        w->begin[n] = w->values.n;
        w->tried = n;
        w->keeps = n < w->how->nodes;
        for (int op = 0; op < OPERATORS && w->found < 0; op++) {
            bool asked = operators[op].dialects & 1U << w->how->dialect;
            if (asked && (w->keeps || operators[op].result == TRUTH) && !extend(w, op, n))
                return false;
        }
        w->begin[n + 1] = w->values.n;
        *none = w->found < 0 ? n : n - 1;
    }
    return true;
}

/* Of all that binds operands only not binds more closely than the == of a letter. */
static void write_node(const Work *w, ThText *t, int i)
{
    Node n = w->node[i];
    const Operator *o = &operators[n.op];
    bool apart = o->code == NOT && operators[w->node[n.x].op].code == LETTER;
    for (const char *c = o->text; *c; c++)
        if (*c == '$' || *c == '%') {
            th_text_add(t, apart ? "(" : "");
            write_node(w, t, *c == '$' ? n.x : n.y);
            th_text_add(t, apart ? ")" : "");
        } else
            th_text_printf(t, "%c", *c);
    if (o->code == LETTER)
        th_text_quoted(t, w->symbol[n.x]);
}

static int nodes_of(const Work *w, int i)
{
    const Operator *o = &operators[w->node[i].op];
    return 1 + (o->x ? nodes_of(w, w->node[i].x) : 0) + (o->y ? nodes_of(w, w->node[i].y) : 0);
}

static char *write_program(const Work *w)
{
    static const char *const mask[] = {"_before", "_after"};
    ThText it TH_OWNED(th_text_free) = {0}, all = {0};
    write_node(w, &it, (int)w->found);
    for (int i = 0; i < 2 && it.data; i++)
        if (strstr(it.data, mask[i]))
            th_text_printf(&all, "%s = select(indices, indices, %s);\n", mask[i], i ? ">" : "<");
    th_text_printf(&all, "it = %s;\n", it.data ? it.data : "");
    return th_text_take(&all, w->err);
}

/* ---- the check ------------------------------------------------------------------------------- */

/* Whether the program, run by the interpreter, is right on all words of n symbols, and if not the
 * first on which it is not. */
static bool check_length(const Work *w, const ThLanguage *l, int n, int *word, bool *right)
{
    memset(word, 0, (size_t)n * sizeof *word);
    do {
        ThLanguageAnswer answer;
        if (th_stopped(w->how->stop, w->err) ||
            !th_language_member(l, (ThLanguageWord){word, n}, w->how->stop, &answer, w->err))
            return false;
        bool due = th_dfa_class(w->d, word, (size_t)n) == 1;
        *right = (answer == TH_LANGUAGE_YES) == due;
    } while (*right && th_symbols_next(word, n, w->d->n_symbols));
    return true;
}

static bool check(const Work *w, ThLanguageSmallest *x, int *more, bool *right)
{
    ThLanguageAlphabet alphabet = {w->symbol, w->d->n_symbols};
    ThLanguage *l = th_language_of_program(x->program, "it", &alphabet, w->err);
    double words = 0, all = 1;
    bool ok = l != NULL;
    *right = true;
    for (int n = 1; ok && *right; n++) {
        words += all *= alphabet.n;
        if (n == MOST_LENGTH || (n > x->length && words > MOST_CHECKED))
            break;
        ok = check_length(w, l, n, more + 1, right);
        *more = *right ? 0 : n;
        x->checked = *right ? n : 0;
    }
    th_language_free(l);
    return ok;
}

/* One search among the words that there are; *right: nothing longer speaks against what it found,
 * or it found nothing.  Else the word that does stands in *more. */
static bool attempt(Work *w, ThLanguageSmallest *x, int *more, bool *right)
{
    bool ok = list_words(w, x->length) && search(w, &x->none);
    x->values = (long long)w->values.n;
    x->full = w->full && w->found < 0;
    x->rough = w->found < 0 && !is_sure(w, x->none + 1) && !w->full && x->none < w->how->nodes;
    *right = ok && w->found < 0;
    if (!ok || *right)
        return ok;
    x->program = write_program(w);
    x->nodes = nodes_of(w, (int)w->found);
    if (!x->program || !check(w, x, more, right))
        return false;
    if (!*right)
        free(x->program), x->program = NULL;
    return true;
}

bool th_language_smallest(ThLanguageSmallest *x, const ThDfa *d, char *const *symbol,
                          const ThLanguageSmallestHow *how, ThError *err)
{
    enum { MOST_MORE = 64 };
    int more[(MOST_MORE + 1) * (MOST_LENGTH + 1)] = {0}, *end = more;
    bool ok = true, right = false;
    *x = (ThLanguageSmallest){.length = how->length};
    if (d->n_symbols == 0)
        return th_fail(err, TH_EVALUE, "there are no symbols that words could have");
    if (d->n_symbols > MOST_LETTERS || how->nodes > 63 || how->length >= MOST_LENGTH)
        return th_fail(err, TH_ELIMIT, "more than %d symbols, 63 nodes or length %d", MOST_LETTERS,
                       MOST_LENGTH - 1);
    while (ok && !right) {
        Work w = {.d = d, .symbol = symbol, .how = how, .more = more, .err = err};
        if (x->longer == MOST_MORE)
            return th_fail(err, TH_ELIMIT, "%d programs were wrong on longer words", MOST_MORE);
        ok = attempt(&w, x, end, &right);
        free_words(&w);
        end += *end + (*end > 0);
        x->longer += ok && !right;
    }
    return ok;
}

void th_language_smallest_free(ThLanguageSmallest *x)
{
    free(x->program);
    *x = (ThLanguageSmallest){0};
}
