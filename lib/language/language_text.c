#include "language/language_text.h"

static bool is_sign(const char *text)
{
    return strcmp(text, "epsilon") == 0 || strcmp(text, "eps") == 0 || th_is_empty_word_sign(text);
}

const char *th_language_token_text(const ThLanguageText *p, const ThToken *t)
{
    return th_token_text(&p->tokens, t);
}

bool th_language_token_fail(ThLanguageText *p, const ThToken *t, const char *before,
                            const char *after)
{
    return th_token_fail(&p->tokens, t, before, after, p->err);
}

bool th_language_is_empty_sign(const ThLanguageText *p, const ThToken *t)
{
    return t->kind == TH_TOKEN_WORD && is_sign(th_language_token_text(p, t));
}

int th_language_token_symbol(ThLanguageText *p, const ThToken *t)
{
    char mark[2] = {t->kind, '\0'};
    bool name = th_token_is_name(t);
    const char *text = name ? th_language_token_text(p, t) : mark;
    int known = p->l->n_symbols;
    if (t->kind == TH_TOKEN_ARROW || t->kind == TH_TOKEN_END || t->kind == '\n' || !*text) {
        th_token_unexpected(&p->tokens, t, "a symbol", p->err);
        return -1;
    }
    if (th_language_is_empty_sign(p, t)) {
        th_language_token_fail(p, t, "", " is the empty word, and no symbol");
        th_hint(p->err, "in quotes it is one: \"%s\"", text);
        return -1;
    }
    if (name && !th_token_symbol(&p->tokens, t, &p->blank, &p->wide, p->err))
        return -1;
    int a = th_language_symbol(p->l, text, p->err);
    if (a < known || !p->declared)
        return a;
    th_language_token_fail(p, t, "symbol ", " is not in the alphabet");
    return -1;
}

static bool read_alphabet(ThLanguageText *p, ThStatement s)
{
    if (p->declared)
        return th_language_token_fail(p, s.first, "", " is given twice");
    for (const ThToken *t = s.first + 1; t < s.end; t++) {
        int known = p->l->n_symbols, a = th_language_token_symbol(p, t);
        if (a < 0)
            return false;
        if (a < known)
            return th_language_token_fail(p, t, "symbol ", " is listed twice");
    }
    p->declared = true;
    return true;
}

static bool check_symbols(const ThLanguageText *p)
{
    return !(p->blank && p->wide) ||
           th_fail_at(p->err, TH_EPARSE, p->blank->line, p->blank->col,
                      "a blank symbol and one of several characters exclude each other");
}

bool th_language_unexpected(ThLanguageText *p, const ThToken *t, const char *wanted)
{
    return th_token_unexpected(&p->tokens, t, wanted, p->err);
}

bool th_language_end(ThLanguageText *p, ThStatement s, const ThToken *t)
{
    return t == s.end || th_language_unexpected(p, t, "the end of the statement");
}

bool th_language_once(ThLanguageText *p, ThStatement s, bool *given)
{
    bool before = *given;
    *given = true;
    return !before || th_language_token_fail(p, s.first, "", " is given twice");
}

bool th_language_read_state(ThLanguageText *p, ThIntern *states, const ThToken *t, int *q)
{
    size_t index = 0;
    const char *name = th_language_token_text(p, t);
    if (!th_token_is_name(t))
        return th_language_unexpected(p, t, "a state");
    bool ok = th_intern(states, name, strlen(name) + 1, &index, p->err);
    *q = (int)index;
    return ok;
}

bool th_language_read_block(ThLanguageText *p, const char *text, ThLanguagePass *const *pass,
                            int passes, void *context)
{
    bool ok = th_tokens_read(&p->tokens, text, p->err);
    for (int i = -1; ok && i < passes; i++)
        for (ThStatement s = {0}; ok && th_statement_next(&p->tokens, &s);) {
            int k = th_statement_keyword(&p->tokens, s, p->keyword, p->n_keywords);
            bool alphabet = k < p->n_keywords && strcmp(p->keyword[k], "alphabet") == 0;
            ok = i >= 0 ? pass[i](context, k, s) : !alphabet || read_alphabet(p, s);
        }
    return ok && check_symbols(p);
}

bool th_language_fail_at_end(ThLanguageText *p, const char *what)
{
    const ThToken *end = &p->tokens.token[p->tokens.n - 1];
    return th_fail_at(p->err, TH_EPARSE, end->line, end->col, "%s", what);
}

void th_language_write_symbol(ThText *t, const char *name)
{
    bool mark = strlen(name) == 1 && strchr("()[]&+*?!=<>^~%@:.-", *name);
    if (mark || (th_is_word(name) && !is_sign(name)))
        th_text_add(t, name);
    else
        th_text_quoted(t, name);
}

void th_language_write_alphabet(ThText *t, const ThLanguage *l)
{
    th_text_statement(t, "alphabet", l->symbol, l->n_symbols, th_language_write_symbol);
}
