#include "base/scan.h"

#include <stdio.h>

#include "base/text.h"

typedef struct {
    ThTokens *t;
    const char *s, *end;
    int line, col;
    ThError *err;
} Scanner;

static bool fail_here(const Scanner *c, const char *what)
{
    return th_fail_at(c->err, TH_EPARSE, c->line, c->col, "%s", what);
}

static bool append(Scanner *c, const char *bytes, size_t n)
{
    ThTokens *t = c->t;
    if (!th_grow(&t->text, &t->text_cap, t->text_size + n, 1, c->err))
        return false;
    memcpy(t->text + t->text_size, bytes, n);
    t->text_size += n;
    return true;
}

static bool add_token(Scanner *c, char kind)
{
    ThTokens *t = c->t;
    return TH_APPEND(t->token, t->n, t->cap, c->err,
                     (ThToken){kind, c->line, c->col, t->text_size});
}

/* Bytes of the character at s if it may stand in a word, else 0. */
static size_t word_character(const Scanner *c, const char *s, bool first)
{
    unsigned char b = (unsigned char)*s;
    if (s >= c->end)
        return 0;
    if (b >= 0x80)
        return th_utf8_next(s, (size_t)(c->end - s), NULL);
    bool letter = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9');
    if (letter || b == '_')
        return 1;
    if (first || (b == '-' && s[1] == '>'))
        return 0;
    return b == '-' || b == '.' || b == '\'';
}

static bool scan_word(Scanner *c)
{
    const char *start = c->s;
    if (!add_token(c, TH_TOKEN_WORD))
        return false;
    for (size_t n; (n = word_character(c, c->s, c->s == start)) > 0; c->s += n)
        c->col++;
    return append(c, start, (size_t)(c->s - start)) && append(c, "", 1);
}

/* The escape at c->s, just behind the backslash. */
static bool scan_escape(Scanner *c)
{
    ThText meant TH_OWNED(th_text_free) = {0};
    size_t n = th_escape_read(c->s, c->end, &meant);
    bool good = meant.failed ? th_fail(c->err, TH_ENOMEM, "out of memory")
                : n > 0      ? append(c, th_text_string(&meant), meant.size)
                : *c->s == 'u'
                    ? fail_here(c, "\\u must be followed by {HEXADECIMAL}, a character's number")
                    : fail_here(c, "unknown escape: \\n \\t \\\\ \\\" \\$ and \\u{...} are known");
    c->s += n;
    c->col += (int)n;
    return good;
}

/* A pattern keeps its backslashes: they mean more to it than to a string. */
static bool is_pattern(const ThTokens *t)
{
    return t->n && t->token[t->n - 1].kind == TH_TOKEN_WORD &&
           strcmp(t->text + t->token[t->n - 1].text, "regex") == 0;
}

static bool scan_string(Scanner *c)
{
    Scanner open = *c;
    bool raw = is_pattern(c->t);
    if (!add_token(c, TH_TOKEN_STRING))
        return false;
    c->s++;
    c->col++;
    while (c->s < c->end && *c->s != '"' && *c->s != '\n') {
        bool good = true;
        if (raw && *c->s == '\\') {
            size_t n = c->s[1] == '"' || c->s[1] == '\\' ? 2 : 1;
            good = append(c, c->s, n);
            c->s += n;
            c->col += (int)n;
        } else if (*c->s == '\\') {
            c->s++;
            c->col++;
            good = scan_escape(c);
        } else {
            size_t n = th_utf8_next(c->s, (size_t)(c->end - c->s), NULL);
            good = n ? append(c, c->s, n) : fail_here(c, "not valid UTF-8");
            c->s += n;
            c->col++;
        }
        if (!good)
            return false;
    }
    if (c->s >= c->end || *c->s == '\n')
        return fail_here(&open, "string without an end");
    c->s++;
    c->col++;
    return append(c, "", 1);
}

static bool scan_line_end(Scanner *c)
{
    bool line = *c->s == '\n';
    if (!add_token(c, *c->s))
        return false;
    c->s++;
    c->line += line;
    c->col = line ? 1 : c->col + 1;
    return true;
}

static bool scan_token(Scanner *c)
{
    unsigned char b = (unsigned char)*c->s;
    if (b == '#') {
        while (c->s < c->end && *c->s != '\n')
            c->s++;
        return true;
    }
    if (b == '\n' || b == ';')
        return scan_line_end(c);
    if (b == '"')
        return scan_string(c);
    if (word_character(c, c->s, true))
        return scan_word(c);
    if (b >= 0x80)
        return fail_here(c, "not valid UTF-8");
    if (b != ' ' && b != '\t' && b != '\r') {
        bool arrow = b == '-' && c->s[1] == '>';
        if (b < 0x20 || b == 0x7f)
            return fail_here(c, "control character");
        if (!add_token(c, arrow ? TH_TOKEN_ARROW : (char)b))
            return false;
        c->s += arrow;
        c->col += arrow;
    }
    c->s++;
    c->col++;
    return true;
}

bool th_tokens_read(ThTokens *t, const char *text, ThError *err)
{
    Scanner c = {.t = t, .s = text, .end = text + strlen(text), .line = 1, .col = 1, .err = err};
    if (c.end - c.s > INT32_MAX)
        return th_fail(err, TH_EPARSE, "the text is too long");
    while (c.s < c.end)
        if (!scan_token(&c))
            return false;
    return add_token(&c, TH_TOKEN_END);
}

void th_tokens_free(ThTokens *t)
{
    TH_FREE(t->token, t->text);
    *t = (ThTokens){0};
}

const char *th_token_text(const ThTokens *t, const ThToken *token)
{
    return th_token_is_name(token) ? t->text + token->text : "";
}

bool th_token_is_name(const ThToken *token)
{
    return token->kind == TH_TOKEN_WORD || token->kind == TH_TOKEN_STRING;
}

const char *th_token_show(const ThTokens *t, const ThToken *token, char buffer[TH_TOKEN_SHOWN])
{
    const char *more = "";
    ThText shown TH_OWNED(th_text_free) = {0};
    if (th_token_is_name(token))
        th_text_symbol(&shown, th_token_text(t, token));
    else if (token->kind == TH_TOKEN_ARROW)
        th_text_add(&shown, "->");
    else
        th_text_add_bytes(&shown, &token->kind, 1);
    size_t size = 0, left = shown.failed ? 0 : shown.size;
    while (left && size < TH_TOKEN_SHOWN - 8) {
        size_t n = th_utf8_next(shown.data + size, left, NULL);
        size += n;
        left -= n;
    }
    if (left)
        more = "...";
    snprintf(buffer, TH_TOKEN_SHOWN, "%.*s%s", (int)size, size ? shown.data : "", more);
    return buffer;
}

bool th_token_unexpected(const ThTokens *t, const ThToken *token, const char *wanted, ThError *err)
{
    char shown[TH_TOKEN_SHOWN];
    int line = token->line, col = token->col;
    if (token->kind == TH_TOKEN_END)
        return th_fail_at(err, TH_EPARSE, line, col, "expected %s at the end", wanted);
    if (token->kind == '\n')
        return th_fail_at(err, TH_EPARSE, line, col, "expected %s before the end of the line",
                          wanted);
    th_fail_at(err, TH_EPARSE, line, col, "expected %s before %s", wanted,
               th_token_show(t, token, shown));
    if (strchr("+*?!=<>[]|&~^%$@:.", token->kind))
        th_hint(err, "a name that is no plain word needs quotes: \"%c\"", token->kind);
    return false;
}

bool th_token_fail(const ThTokens *t, const ThToken *token, const char *before, const char *after,
                   ThError *err)
{
    char shown[TH_TOKEN_SHOWN];
    return th_fail_at(err, TH_EPARSE, token->line, token->col, "%s%s%s", before,
                      th_token_show(t, token, shown), after);
}

bool th_token_symbol(const ThTokens *t, const ThToken *token, const ThToken **blank,
                     const ThToken **wide, ThError *err)
{
    const char *name = th_token_text(t, token);
    bool single = th_utf8_next(name, strlen(name), NULL) == strlen(name);
    bool spaced = strpbrk(name, " \t\n\r") != NULL;
    if (spaced && !single)
        return th_token_fail(t, token, "symbol ", " contains a blank", err);
    if (!single && !*wide)
        *wide = token;
    if (spaced && !*blank)
        *blank = token;
    return true;
}

static bool is_separator(const ThToken *token)
{
    return token->kind == ';' || token->kind == '\n';
}

bool th_statement_next(const ThTokens *t, ThStatement *s)
{
    const ThToken *at = s->end ? s->end : t->token;
    while (is_separator(at))
        at++;
    const ThToken *end = at;
    while (!is_separator(end) && end->kind != TH_TOKEN_END)
        end++;
    *s = (ThStatement){at, end};
    return end > at;
}

bool th_statement_has_arrow(ThStatement s)
{
    while (s.first < s.end && s.first->kind != TH_TOKEN_ARROW)
        s.first++;
    return s.first < s.end;
}

int th_statement_keyword(const ThTokens *t, ThStatement s, const char *const *keyword, int n)
{
    int k = 0;
    if (th_statement_has_arrow(s) || s.first->kind != TH_TOKEN_WORD)
        return n;
    while (k < n && strcmp(th_token_text(t, s.first), keyword[k]) != 0)
        k++;
    return k;
}
