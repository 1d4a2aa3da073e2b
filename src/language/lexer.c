#include "language/lexer.h"

#include "command.h"
#include "language/statement_kind.h"

void sh_lex_begin(ShLexer *lx, int line)
{
    while (lx->n_trees > 0)
        th_rasp_tree_free(&lx->tree[--lx->n_trees]);
    lx->text.size = 0;
    lx->n = lx->n_open = lx->at = 0;
    lx->control = SIZE_MAX;
    lx->late = false;
    lx->seen = (ShLexPlace){0};
    lx->line = lx->first_line = line;
    lx->col = 1;
}

void sh_lex_free(ShLexer *lx)
{
    sh_lex_begin(lx, 1);
    th_text_free(&lx->text);
    TH_FREE(lx->token, lx->open, lx->tree);
    *lx = (ShLexer){.rasp = lx->rasp};
}

static int peek(const ShLexer *lx, size_t ahead)
{
    size_t at = lx->at + ahead;
    return at < lx->text.size ? (unsigned char)lx->text.data[at] : -1;
}

/* Steps over one character, known to be valid. */
static void step(ShLexer *lx)
{
    bool newline = peek(lx, 0) == '\n';
    size_t k = th_utf8_next(lx->text.data + lx->at, lx->text.size - lx->at, NULL);
    lx->at += k ? k : 1;
    lx->line += newline;
    lx->col = newline ? 1 : lx->col + 1;
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_mark(int c)
{
    return c > 0 && strchr("()[]{}=<>", c);
}

static bool ends_word(int c)
{
    return c < 0 || c == '\n' || is_blank(c) || is_mark(c) || strchr("\";#\\", c);
}

/* Fails at byte i of the text, which has not been read yet. */
static bool fail_ahead(const ShLexer *lx, size_t i, ThError *err, unsigned char c)
{
    int line = lx->line, col = lx->col;
    for (size_t k = lx->at; k < i; k++) {
        bool newline = lx->text.data[k] == '\n';
        line += newline;
        col = newline ? 1 : col + (((unsigned char)lx->text.data[k] & 0xc0) != 0x80);
    }
    if (c >= 0x80)
        return th_fail_at(err, TH_EPARSE, line, col, "this is not UTF-8 text");
    return th_fail_at(err, TH_EPARSE, line, col, "control character U+%04X", c);
}

/* What is fed must be UTF-8 without control characters. */
static bool check_line(const ShLexer *lx, size_t from, ThError *err)
{
    for (size_t i = from; i < lx->text.size;) {
        size_t k = th_utf8_next(lx->text.data + i, lx->text.size - i, NULL);
        unsigned char c = (unsigned char)lx->text.data[i];
        if (k == 0 || (c < 0x20 && (c == 0 || !strchr("\t\n\r\f", c))) || c == 0x7f)
            return fail_ahead(lx, i, err, c);
        i += k;
    }
    return true;
}

static ShToken *add(ShLexer *lx, ShTokenType type, ThError *err)
{
    if (!th_grow(&lx->token, &lx->cap, lx->n + 1, sizeof *lx->token, err))
        return NULL;
    ShToken *t = &lx->token[lx->n++];
    *t = (ShToken){.type = type, .start = lx->at, .end = lx->at, .line = lx->line, .col = lx->col};
    t->last = type == T_END;
    return t;
}

/* Where the first wrong escape of a string's inside stands; SIZE_MAX: all are known. */
static size_t wrong_escape(const char *s, const char *end)
{
    for (const char *p = s; p < end; p++) {
        size_t n = *p == '\\' ? th_escape_read(p + 1, end, NULL) : 0;
        if (*p == '\\' && n == 0)
            return (size_t)(p - s);
        p += n;
    }
    return SIZE_MAX;
}

/* A string behind the word regex: its escapes are those of patterns. */
static bool is_pattern(const ShLexer *lx, size_t at)
{
    const ShToken *t = lx->n > 1 ? &lx->token[lx->n - 2] : NULL;
    return t && t->type == T_WORD && t->end <= at && sh_lexeme_is(lx, t, "regex");
}

/* In a string that begins at `inside`: on to where its lines before ended, which a string of many
 * lines would else be read from at each of them. */
static void go_on(ShLexer *lx, size_t inside)
{
    const ShLexPlace *p = &lx->seen;
    if (p->inside != inside || p->at <= inside || lx->text.data[p->at - 1] != '\n')
        return;
    lx->at = p->at;
    lx->line = p->line;
    lx->col = p->col;
}

/* At a quote: steps over the string. */
static bool skip_string(ShLexer *lx, ThError *err)
{
    int line = lx->line, col = lx->col;
    size_t start = lx->at, bad;
    step(lx);
    size_t inside = lx->at;
    go_on(lx, inside);
    while (peek(lx, 0) >= 0 && peek(lx, 0) != '"') {
        if (peek(lx, 0) == '\\' && peek(lx, 1) >= 0)
            step(lx);
        step(lx);
    }
    size_t end = lx->at;
    if (peek(lx, 0) < 0) {
        lx->seen = (ShLexPlace){inside, lx->at, lx->line, lx->col};
        lx->at = start; /* its token is made when more has come */
        lx->line = line;
        lx->col = col;
        return th_fail_at(err, TH_EINCOMPLETE, line, col, "this string is not closed");
    }
    step(lx);
    bad = is_pattern(lx, start) ? SIZE_MAX
                                : wrong_escape(lx->text.data + inside, lx->text.data + end);
    if (bad == SIZE_MAX)
        return true;
    size_t before = 1;
    for (size_t i = inside; i < inside + bad; i++)
        before += ((unsigned char)lx->text.data[i] & 0xc0) != 0x80;
    return th_fail_at(err, TH_EPARSE, line, col + (int)before, "unknown escape in a string") ||
           th_hint(err, "the escapes are \\n \\t \\\\ \\\" \\$ and \\u{…}");
}

/* ${NAME} belongs to the word that it stands in. */
static size_t insertion_length(const ShLexer *lx)
{
    size_t n = 2;
    if (peek(lx, 0) != '$' || peek(lx, 1) != '{')
        return 0;
    while (sh_is_name_byte(peek(lx, n)))
        n++;
    return peek(lx, n) == '}' ? n + 1 : 0;
}

static void skip_word(ShLexer *lx, const char *also)
{
    for (;;) {
        int c = peek(lx, 0);
        size_t n = insertion_length(lx);
        if (n == 0 && ends_word(c) && !(c > 0 && strchr(also, c)))
            return;
        do
            step(lx);
        while (n > 0 && --n > 0);
    }
}

/* After a word: `=` and a value without a blank make it an option. */
static bool read_value(ShLexer *lx, ShToken *t, ThError *err)
{
    const char *key = lx->text.data + t->start;
    size_t n = lx->at - t->start;
    int next = peek(lx, 1);
    if (peek(lx, 0) != '=' || (next != '"' && ends_word(next)) ||
        strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") < n)
        return true;
    step(lx);
    t->type = T_OPTION;
    t->value = lx->at;
    if (next == '"')
        return skip_string(lx, err);
    skip_word(lx, "=");
    return true;
}

/* ---- statements inside others ---------------------------------------------------------------- */

/* Where statements are read: outside of brackets, or in a body. */
static bool among_statements(const ShLexer *lx)
{
    return lx->n_open == 0 || lx->token[lx->open[lx->n_open - 1]].body;
}

/* Also behind a command that runs the one behind it. */
static bool at_statement(const ShLexer *lx)
{
    return among_statements(lx) && (lx->n == 0 || lx->token[lx->n - 1].last);
}

/* Notes a word that a body follows: for, if, and the else behind a body. */
static void expect_body(ShLexer *lx, bool first)
{
    const ShToken *t = &lx->token[lx->n - 1];
    bool begins =
        first && sh_command_flagged(lx->text.data + t->start, t->end - t->start, C_CONTROL);
    if (begins || (lx->n > 1 && t[-1].body && !t[-1].last && sh_lexeme_is(lx, t, "else")))
        lx->control = lx->n - 1;
}

static bool wants_body(const ShLexer *lx)
{
    return lx->control != SIZE_MAX && among_statements(lx);
}

/* A loop over nothing but statements of RASP is one of RASP itself, if it reads as such. */
static void loop_to_rasp(ShLexer *lx, const ShToken *open)
{
    size_t trees = 0, first = open->value;
    for (const ShToken *t = open + 1; t < &lx->token[lx->n - 1]; t++) {
        trees += t->type == T_RASP;
        if (t->type != T_RASP && t->type != T_END)
            return;
    }
    ShToken *loop = &lx->token[first];
    ThRaspSource src = {.text = lx->text.data,
                        .n = lx->at,
                        .at = loop->start,
                        .line = loop->line,
                        .col = loop->col};
    ThRaspTree tree = {0};
    if (trees == 0 || !th_rasp_parse_one(&tree, &src, *lx->rasp, NULL)) {
        th_rasp_tree_free(&tree);
        return;
    }
    for (; trees > 0; trees--)
        th_rasp_tree_free(&lx->tree[--lx->n_trees]);
    loop->type = T_RASP;
    loop->value = lx->n_trees;
    loop->end = lx->at;
    lx->tree[lx->n_trees++] = tree;
    lx->n = first + 1;
}

/* What the next bytes are behind blanks: the end of a line, statement or body, or of the text. */
static bool at_end_of_statement(const ShLexer *lx, size_t n)
{
    int c = peek(lx, n);
    return c < 0 || strchr("\n;#}", c);
}

/* Behind the } of a body, which ends its statement unless something follows on its line: an else,
 * options, or where the output goes. */
static bool end_body(ShLexer *lx, ThError *err)
{
    const ShToken *open = &lx->token[lx->open[lx->n_open]];
    size_t n = 0;
    lx->token[lx->n - 1].value = open->value;
    while (is_blank(peek(lx, n)) || peek(lx, n) == '\f')
        n++;
    if (!at_end_of_statement(lx, n))
        return true;
    if (lx->rasp && sh_lexeme_is(lx, &lx->token[open->value], "for"))
        loop_to_rasp(lx, open);
    return add(lx, T_END, err) != NULL;
}

static bool read_word(ShLexer *lx, ThError *err)
{
    ShLexer before = *lx;
    bool first = at_statement(lx);
    ShToken *t = add(lx, T_WORD, err);
    if (!t)
        return false;
    bool arrow = peek(lx, 0) == '-' && peek(lx, 1) == '>';
    if (arrow) {
        step(lx);
        step(lx);
    } else {
        skip_word(lx, "");
    }
    if (!read_value(lx, t, err)) {
        lx->n--; /* an open string: the whole option is read again */
        lx->at = before.at;
        lx->line = before.line;
        lx->col = before.col;
        return false;
    }
    t->end = lx->at;
    t->last = first && sh_command_flagged(lx->text.data + t->start, t->end - t->start, C_PREFIX);
    expect_body(lx, first);
    return true;
}

static bool close_bracket(ShLexer *lx, int c, ThError *err)
{
    const char *pairs = c == ')' ? "()" : c == ']' ? "[]" : "{}";
    if (lx->n_open == 0)
        return th_fail_at(err, TH_EPARSE, lx->line, lx->col, "'%c' without '%c' before it", c,
                          pairs[0]);
    ShToken *t = &lx->token[lx->open[lx->n_open - 1]];
    int opened = (unsigned char)lx->text.data[t->start];
    if (opened != pairs[0])
        return th_fail_at(err, TH_EPARSE, lx->line, lx->col,
                          "'%c' closes the '%c' of line %d, column %d", c, opened, t->line, t->col);
    t->match = lx->n;
    lx->n_open--;
    return true;
}

static bool read_mark(ShLexer *lx, ThError *err)
{
    int c = peek(lx, 0);
    if (strchr(")]}", c) && !close_bracket(lx, c, err))
        return false;
    ShToken *t = add(lx, T_MARK, err);
    if (!t)
        return false;
    bool body = c == '{' && wants_body(lx);
    if (strchr("([{", c)) {
        if (!TH_APPEND(lx->open, lx->n_open, lx->cap_open, err, lx->n - 1))
            return false;
    }
    if (body) {
        t->body = t->last = true;
        t->value = lx->control;
        lx->control = SIZE_MAX;
        lx->late = false;
    }
    if (c == '>' && peek(lx, 1) == '>')
        step(lx);
    step(lx);
    t->end = lx->at;
    if (c == '}' && lx->token[lx->open[lx->n_open]].body) {
        t->body = true;
        return end_body(lx, err);
    }
    return true;
}

/* A body may begin on the line behind. */
static bool read_end_before_body(ShLexer *lx, ThError *err)
{
    if (peek(lx, 0) == ';')
        return th_fail_at(err, TH_EPARSE, lx->line, lx->col, "expected '{' before ';'");
    lx->late = true;
    step(lx);
    return true;
}

static bool read_line_end(ShLexer *lx, ThError *err)
{
    if (wants_body(lx))
        return read_end_before_body(lx, err);
    if (among_statements(lx) && !add(lx, T_END, err))
        return false;
    step(lx);
    return true;
}

static bool read_string(ShLexer *lx, ThError *err)
{
    ShToken *t = add(lx, T_STRING, err);
    if (!t)
        return false;
    if (!skip_string(lx, err)) {
        lx->n--;
        return false;
    }
    t->end = lx->at;
    return true;
}

static bool read_shell(ShLexer *lx, ThError *err)
{
    ShToken *t = add(lx, T_SHELL, err);
    if (!t)
        return false;
    while (peek(lx, 0) >= 0 && peek(lx, 0) != '\n')
        step(lx);
    t->end = lx->at;
    return true;
}

/* The token that the statement at hand begins with. */
static size_t statement_start(const ShLexer *lx, bool *bodies)
{
    size_t first = lx->n;
    *bodies = false;
    while (first > 0 && !lx->token[first - 1].last) {
        const ShToken *t = &lx->token[first - 1];
        *bodies = *bodies || t->body;
        first = t->body ? t->value : first - 1;
    }
    return first;
}

/* At a | that ends a command: the shell gets what is behind it.  In definitions it unites automata,
 * and so it does in brackets. */
static bool at_pipe(const ShLexer *lx)
{
    bool bodies;
    if (peek(lx, 0) != '|' || peek(lx, 1) == '|' || !among_statements(lx) || at_statement(lx) ||
        !is_blank(lx->text.data[lx->at - 1]))
        return false;
    const ShToken *t = &lx->token[statement_start(lx, &bodies)];
    unsigned own = bodies ? C_DEFINES : C_DEFINES | C_CONTROL;
    return t->type == T_WORD &&
           !sh_command_flagged(lx->text.data + t->start, t->end - t->start, own);
}

/* To the end of the line, or of the body that it stands in. */
static bool read_pipe(ShLexer *lx, ThError *err)
{
    ShToken *t = add(lx, T_PIPE, err);
    if (!t)
        return false;
    for (int depth = 0, c; (c = peek(lx, 0)) >= 0 && c != '\n'; step(lx)) {
        if (c == '}' && depth == 0 && lx->n_open > 0)
            break;
        depth += (c == '{') - (c == '}');
    }
    t->end = lx->at;
    return true;
}

/* A statement of RASP: all of it is one token. */
static bool read_rasp(ShLexer *lx, ThError *err)
{
    ThRaspSource src = {
        .text = lx->text.data, .n = lx->text.size, .at = lx->at, .line = lx->line, .col = lx->col};
    if (!th_grow(&lx->tree, &lx->cap_trees, lx->n_trees + 1, sizeof *lx->tree, err))
        return false;
    ThRaspTree *tree = &lx->tree[lx->n_trees];
    *tree = (ThRaspTree){0};
    ShToken *t = th_rasp_parse_one(tree, &src, *lx->rasp, err) ? add(lx, T_RASP, err) : NULL;
    if (!t) {
        th_rasp_tree_free(tree);
        return false;
    }
    t->value = lx->n_trees++;
    t->end = lx->at = src.at;
    lx->line = src.line;
    lx->col = src.col;
    return add(lx, T_END, err) != NULL;
}

static bool read_backslash(ShLexer *lx, ThError *err)
{
    size_t skip = peek(lx, 1) == '\r' ? 2 : 1;
    if (peek(lx, skip) != '\n' && peek(lx, skip) >= 0)
        return th_fail_at(err, TH_EPARSE, lx->line, lx->col,
                          "'\\' may only stand in a string or at the end of a line");
    if (lx->at + skip + 1 >= lx->text.size)
        return th_fail_at(err, TH_EINCOMPLETE, lx->line, lx->col,
                          "'\\' continues the line, but nothing follows");
    while (peek(lx, 0) != '\n')
        step(lx);
    step(lx);
    return true;
}

static bool at_rasp(const ShLexer *lx)
{
    return lx->rasp && at_statement(lx) &&
           sh_shape_is_rasp(lx->text.data + lx->at, lx->text.size - lx->at);
}

static bool read_token(ShLexer *lx, ThError *err)
{
    int c = peek(lx, 0);
    if (at_rasp(lx))
        return read_rasp(lx, err);
    if (is_blank(c) || c == '\f') {
        step(lx);
    } else if (c == '#') {
        while (peek(lx, 0) >= 0 && peek(lx, 0) != '\n')
            step(lx);
    } else if (c == '\n' || c == ';') {
        return read_line_end(lx, err);
    } else if (lx->late && c != '{') {
        return th_fail_at(err, TH_EPARSE, lx->line, lx->col, "expected '{' here") ||
               th_hint(err, "what for, if and else run stands in braces: for x in 1..3 { ... }");
    } else if (c == '!' && at_statement(lx)) {
        return read_shell(lx, err);
    } else if (at_pipe(lx)) {
        return read_pipe(lx, err);
    } else if (c == '"') {
        return read_string(lx, err);
    } else if (c == '\\') {
        return read_backslash(lx, err);
    } else if (is_mark(c)) {
        return read_mark(lx, err);
    } else {
        return read_word(lx, err);
    }
    return true;
}

bool sh_lex(ShLexer *lx, const char *line, size_t n, ThError *err)
{
    size_t from = lx->text.size;
    if (lx->first_line == 1 && from == 0 && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
        line += 3; /* a byte order mark */
        n -= 3;
    }
    th_text_add_bytes(&lx->text, line, n);
    if (lx->text.failed)
        return th_fail(err, TH_ENOMEM, "out of memory");
    if (!check_line(lx, from, err))
        return false;
    while (peek(lx, 0) >= 0)
        if (!read_token(lx, err))
            return false;
    if (lx->n_open > 0) {
        const ShToken *t = &lx->token[lx->open[lx->n_open - 1]];
        return th_fail_at(err, TH_EINCOMPLETE, t->line, t->col, "this '%c' is not closed",
                          lx->text.data[t->start]);
    }
    if (wants_body(lx)) {
        const ShToken *t = &lx->token[lx->control];
        return th_fail_at(err, TH_EINCOMPLETE, t->line, t->col, "this '%.*s' has no '{'",
                          (int)(t->end - t->start), lx->text.data + t->start);
    }
    if (lx->n > 0 && lx->token[lx->n - 1].type != T_END)
        return add(lx, T_END, err) != NULL;
    return true;
}

char *sh_lex_source(const ShLexer *lx, size_t start, size_t end, ThError *err)
{
    char *text = th_strndup(lx->text.data + start, end - start, err);
    bool string = false;
    for (char *c = text; c && *c; c++) {
        if (*c == '"')
            string = !string;
        else if (*c == '\\' && string && c[1])
            c++;
        else if (*c == '#' && !string)
            while (*c && *c != '\n')
                *c++ = ' ';
        if (!*c)
            break;
    }
    return text;
}

bool sh_lexeme_is(const ShLexer *lx, const ShToken *t, const char *text)
{
    size_t n = t->end - t->start;
    return t->type != T_STRING && strlen(text) == n &&
           memcmp(lx->text.data + t->start, text, n) == 0;
}
