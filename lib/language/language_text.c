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

bool th_language_read_alphabet(ThLanguageText *p, ThStatement s)
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

bool th_language_check_symbols(ThLanguageText *p)
{
    return !(p->blank && p->wide) ||
           th_fail_at(p->err, TH_EPARSE, p->blank->line, p->blank->col,
                      "a blank symbol and one of several characters exclude each other");
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

bool th_language_each_statement(const ThLanguageText *p, bool (*read)(void *context, ThStatement s),
                                void *context)
{
    for (ThStatement s = {0}; th_statement_next(&p->tokens, &s);)
        if (!read(context, s))
            return false;
    return true;
}
