/* first_words.c - which command a statement is a call of. */

#include "language/parse.h"
#include "help/glossary.h"
#include "help/synonyms.h"

static const ShToken *token(const ShStatement *st, size_t i)
{
    return &st->lexer->token[i];
}

/* The C name made of some words; "" if there are fewer. */
static void join_words(const ShStatement *st, size_t words, char *name, size_t size)
{
    name[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < words; i++) {
        const ShToken *t = st->from + i < st->to ? token(st, st->from + i) : NULL;
        size_t n = t ? t->end - t->start : 0;
        if (!t || t->type != T_WORD || used + n + 2 > size) {
            name[0] = '\0';
            return;
        }
        if (i > 0)
            name[used++] = '_';
        memcpy(name + used, st->lexer->text.data + t->start, n);
        used += n;
        name[used] = '\0';
    }
}

static bool unknown_command(const char *word, const ShToken *t, ThError *err)
{
    size_t n;
    const ShCommand *const *commands = sh_commands(&n);
    const char **names TH_OWNED(free) = th_alloc(n, sizeof *names, err);
    if (!names)
        return false;
    for (size_t i = 0; i < n; i++)
        names[i] = commands[i]->name;
    const char *near = th_nearest(word, names, n);
    char typed[SH_COMMAND_NAME];
    th_fail_at(err, TH_EUSAGE, t->line, t->col, "unknown command '%s'", word);
    ShSynonym known;
    ShTerm term;
    if (sh_synonym(word, &known))
        th_hint(err, "%s", known.see);
    else if (sh_term(word, &term))
        th_hint(err, "%s: %s", term.is, term.here);
    else if (*word == '$')
        th_hint(err, "NAME = VALUE defines a variable, $NAME inserts it");
    else if (strcmp(word, "else") == 0)
        th_hint(err, "else stands on the line of the } before it");
    else if (th_rasp_is_reserved(word))
        th_hint(err, "%s is a word of RASP: see help rasp", word);
    else if (near)
        th_hint(err, "did you mean %s?", sh_command_typed(sh_command(near), typed));
    else
        th_hint(err, "help lists the commands");
    return false;
}

/* `plot` alone, or with a word that is none of its views. */
bool sh_fail_second_word(const char *word, const ShStatement *st, ThError *err)
{
    ThText list TH_OWNED(th_text_free) = {0};
    size_t n, length = strlen(word);
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++)
        if (strncmp(commands[i]->name, word, length) == 0 && commands[i]->name[length] == '_')
            th_text_printf(&list, "%s%s", list.size ? ", " : "", commands[i]->name + length + 1);
    if (list.size > 0) {
        bool more = st->from + 1 < st->to;
        const ShToken *t = token(st, st->from + more);
        th_fail_at(err, TH_EUSAGE, t->line, t->col, "%s is followed by one of %s", word, list.data);
        th_hint(err, "see help %s", word);
    }
    return false;
}

const ShCommand *sh_parse_command(const ShStatement *st, size_t *words, ThError *err)
{
    char name[64];
    const ShToken *first = token(st, st->from);
    for (*words = 3; *words > 0; (*words)--) {
        join_words(st, *words, name, sizeof name);
        const ShCommand *c = *name ? sh_command(name) : NULL;
        if (c)
            return c;
    }
    if (!*name)
        return th_null(
            th_fail_at(err, TH_EUSAGE, first->line, first->col, "a command begins with a word"));
    sh_fail_second_word(name, st, err);
    unknown_command(name, first, err);
    return NULL;
}

/* The kind of object that an operand names; -1: any, or none. */
static int kind_named(ShArgKind kind)
{
    return kind == A_MODEL ? SH_MODEL : kind == A_MACHINE ? SH_MACHINE : -1;
}

/* The object that a word of a statement names; NULL: none. */
static const ShObject *object_at(ShSession *s, const ShStatement *st, size_t at)
{
    const ShToken *t = at < st->to ? token(st, at) : NULL;
    char *name TH_OWNED(free) = t && t->type == T_WORD ? th_strndup(st->lexer->text.data + t->start,
                                                                    t->end - t->start, NULL)
                                                       : NULL;
    return name ? sh_find(s, name) : NULL;
}

/* `compare A MODEL` is compare MODEL A: its tokens change places. */
static void put_model_first(ShSession *s, const ShStatement *st, size_t at)
{
    ShToken *t = st->lexer->token;
    for (size_t k = at + 1; k < st->to; k++) {
        const ShObject *o = object_at(s, st, k);
        bool last = k + 1 == st->to || t[k + 1].type == T_OPTION || t[k + 1].type == T_MARK ||
                    t[k + 1].type == T_PIPE || object_at(s, st, k + 1) == NULL;
        if (!o || o->kind != SH_MODEL || !last)
            continue;
        ShToken model = t[k];
        for (size_t i = k; i > at; i--) {
            t[i] = t[i - 1];
            t[i].match += t[i].match >= at && t[i].match < k;
        }
        t[at] = model;
        return;
    }
}

/* Is the word the name of a built-in automaton or of a language of the library? */
static bool is_built_in(const ShStatement *st, size_t at)
{
    const ShToken *t = at < st->to ? token(st, at) : NULL;
    if (!t || t->type != T_WORD)
        return false;
    char *name TH_OWNED(free) =
        th_strndup(st->lexer->text.data + t->start, t->end - t->start, NULL);
    ThLanguage *l TH_OWNED(th_language_free) = name ? th_language_named(name, NULL) : NULL;
    return name && (l || th_automaton_builtin(name));
}

const ShCommand *sh_command_by_kind(ShSession *s, const ShStatement *st, const ShCommand *c,
                                    size_t words)
{
    size_t n, length = strlen(c->name), at = st->from + words;
    const ShCommand *const *all = sh_commands(&n);
    const ShObject *o = object_at(s, st, at);
    if (strcmp(c->name, "compare") == 0 && !(o && o->kind == SH_MODEL)) {
        put_model_first(s, st, at);
        o = object_at(s, st, at);
    }
    const ShObject *second = object_at(s, st, at + 1);
    /* A machine beside a language, or an expression of several words, is one. */
    bool several =
        at + 2 < st->to && (token(st, at + 2)->type == T_STRING ||
                            token(st, at + 2)->type == T_WORD || token(st, at + 2)->type == T_MARK);
    if (o && o->kind == SH_MACHINE &&
        (second ? second->kind == SH_LANGUAGE || second->kind == SH_AUTOMATON
                : several || is_built_in(st, at + 1)))
        return c;
    for (size_t i = 0; o && i < n; i++)
        if ((all[i]->flags & C_BY_KIND) && strncmp(all[i]->name, c->name, length) == 0 &&
            all[i]->name[length] == '_' && kind_named(all[i]->args[0].kind) == (int)o->kind)
            c = all[i];
    return c;
}
