#include "terminal/complete.h"

#include <ctype.h>

#include "help/help.h"
#include "language/operand.h"
#include "language/parse.h"
#include "rasp.h"
#include "language/statement_kind.h"
#include "language/variables.h"

typedef struct {
    ShSession *s;
    const char *prefix;
    const ShLexer *lx;
    size_t from, to; /* the statement's tokens before the cursor */
    ShCandidates *out;
} Cursor;

static void offer_n(Cursor *c, const char *text, size_t n, const char *end)
{
    size_t k = strlen(c->prefix);
    if (n < k || memcmp(text, c->prefix, k) != 0)
        return;
    ThText t = {0};
    th_text_add_bytes(&t, text, n);
    th_text_add(&t, end);
    char *item = th_text_take(&t, NULL);
    for (size_t i = 0; item && i < c->out->n; i++) {
        if (strcmp(c->out->item[i], item) == 0) {
            free(item);
            return;
        }
    }
    if (item && th_grow(&c->out->item, &c->out->cap, c->out->n + 1, sizeof item, NULL))
        c->out->item[c->out->n++] = item;
    else
        free(item);
}

static void offer(Cursor *c, const char *text)
{
    offer_n(c, text, strlen(text), "");
}

static const ShToken *token(const Cursor *c, size_t i)
{
    return &c->lx->token[i];
}

static bool token_is(const Cursor *c, size_t i, const char *text)
{
    return i < c->to && sh_lexeme_is(c->lx, token(c, i), text);
}

static void offer_kinds(Cursor *c, const ShFamily *f)
{
    for (size_t i = 0; i < f->count(); i++)
        offer(c, f->row(i).name);
}

/* The first words of commands, or the second words of those that begin with the word typed. */
static void offer_commands(Cursor *c, const char *first)
{
    size_t n, length = first ? strlen(first) : 0;
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++) {
        const char *name = commands[i]->name;
        if (!first)
            offer_n(c, name, strcspn(name, "_"), "");
        else if (strncmp(name, first, length) == 0 && name[length] == '_')
            offer(c, name + length + 1);
        else if (strcmp(name, first) == 0 && sh_family_of_command(commands[i]))
            offer_kinds(c, sh_family_of_command(commands[i]));
    }
}

static void offer_objects(Cursor *c, int kind)
{
    for (size_t i = 0; sh_object_at(c->s, i); i++)
        if (kind < 0 || (int)sh_object_at(c->s, i)->kind == kind)
            offer(c, sh_object_at(c->s, i)->name);
}

static void offer_choices(Cursor *c, const char *choices)
{
    for (const char *p = choices; p && *p;) {
        size_t n = strcspn(p, "|");
        offer_n(c, p, n, "");
        p += n + (p[n] == '|');
    }
}

static void offer_values(Cursor *c, const ThOptionSpec *spec)
{
    if (spec->type == TH_CHOICE)
        offer_choices(c, spec->choices);
    else if (spec->type == TH_FLAG)
        offer_choices(c, "yes|no");
    else if (spec->type == TH_STRING)
        c->out->files = true;
    else if (spec->fallback)
        offer(c, spec->fallback);
}

static void offer_call(Cursor *c, const char *name, bool arguments)
{
    offer_n(c, name, strlen(name), arguments ? "(" : "");
}

/* What expressions know by a name. */
static void offer_expressions(Cursor *c)
{
    size_t n;
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    for (size_t i = 0; i < n; i++)
        offer_call(c, b[i].name, b[i].n_arguments > 0 && !b[i].argument[0].fallback);
    const ThAutomatonFunction *f = th_automaton_functions(&n);
    for (size_t i = 0; i < n; i++)
        offer_call(c, f[i].name, true);
    for (size_t i = 0; th_automaton_notation(i); i++)
        offer(c, th_automaton_notation(i));
}

/* Languages by name; those that are made for a number with the least of them. */
static void offer_languages(Cursor *c)
{
    for (size_t i = 0; th_language_library(i); i++) {
        const ThLanguageRow *row = th_language_library(i);
        offer_n(c, row->name, strlen(row->name) - (row->most > 0), "");
    }
}

/* Kinds of tasks in the place of a task: those that take an operand take it in parentheses. */
static void offer_tasks(Cursor *c)
{
    const ShFamily *f = sh_family_of(A_TASK_KIND);
    for (size_t i = 0; i < f->count(); i++)
        offer_call(c, f->row(i).name, f->row(i).takes.kind != A_NONE);
}

static void offer_automata(Cursor *c)
{
    offer_objects(c, SH_AUTOMATON);
    offer_expressions(c);
}

/* Everything that RASP knows by a name, and the words that begin its statements. */
static void offer_rasp(Cursor *c)
{
    static const char *const words[] = {"def", "for", "draw", "examples", "return", "lambda", NULL};
    ThRasp *r = sh_session_rasp(c->s, NULL);
    for (size_t i = 0; words[i]; i++)
        offer(c, words[i]);
    for (size_t i = 0; r && th_rasp_name_at(r, i); i++) {
        ThRaspValue v = {0};
        th_rasp_lookup(r, th_rasp_name_at(r, i), &v);
        offer_call(c, th_rasp_name_at(r, i), v.kind == TH_RASP_VALUE_FUNCTION);
    }
}

static void offer_settings(Cursor *c)
{
    for (const ThOptionSpec *s = sh_settings; s->name; s++)
        offer(c, s->name);
}

/* The first words of what there is help on. */
static void offer_topic(void *context, const char *name)
{
    offer_n(context, name, strcspn(name, " "), "");
}

/* A bare Tab asks which objects there are, but where there are none, what else there is. */
static bool wants_all(const Cursor *c)
{
    return *c->prefix || c->out->n == 0;
}

static void offer_operand(Cursor *c, const ShArg *arg)
{
    switch (arg->kind) {
    case A_KEYWORD:
        offer(c, arg->name);
        break;
    case A_OBJECT:
        offer_objects(c, -1);
        if (!(arg->flags & A_NAMED) && wants_all(c))
            offer_expressions(c);
        break;
    case A_LANGUAGE:
        offer_objects(c, SH_LANGUAGE);
        offer_objects(c, SH_MACHINE);
        offer_objects(c, SH_S_OP);
        offer_objects(c, SH_AUTOMATON);
        offer_languages(c);
        if (wants_all(c))
            offer_expressions(c);
        break;
    case A_AUTOMATON:
        offer_objects(c, SH_AUTOMATON);
        if (!(arg->flags & A_NAMED) && wants_all(c))
            offer_expressions(c);
        break;
    case A_MACHINE:
        offer_objects(c, SH_MACHINE);
        break;
    case A_PROGRAM:
        offer_objects(c, SH_S_OP);
        offer_objects(c, SH_SELECTOR);
        offer_objects(c, SH_LANGUAGE);
        offer_languages(c);
        break;
    case A_TASK:
        offer_objects(c, SH_TASK);
        if (!(arg->flags & A_NAMED))
            offer_objects(c, SH_AUTOMATON);
        if (wants_all(c))
            offer_tasks(c);
        break;
    case A_MODEL:
        offer_objects(c, SH_MODEL);
        break;
    case A_FILE:
    case A_LIST:
        c->out->files = true;
        break;
    case A_COMMAND:
        sh_help_names(offer_topic, c);
        break;
    case A_SETTING:
        offer_settings(c);
        break;
    case A_KIND:
        for (int k = 0; k < SH_N_KINDS; k++)
            offer(c, sh_kind_name((ShKind)k));
        break;
    case A_AUTOMATON_EXPRESSION:
        offer_automata(c);
        break;
    default:
        if (sh_family_of(arg->kind))
            offer_kinds(c, sh_family_of(arg->kind));
        break;
    }
}

/* ---- where the cursor is --------------------------------------------------------------------- */

/* What the words before the cursor have settled: the form of a command, and a kind. */
typedef struct {
    const ShCommand *command;
    const ShArg *args;
    size_t words;  /* of the statement that come before the operands */
    ShKindRow row; /* its name is NULL where no kind has been named */
} Form;

static bool name_kind(const Cursor *c, const ShFamily *f, size_t at, ShKindRow *row)
{
    char name[64];
    const ShToken *t = token(c, at);
    snprintf(name, sizeof name, "%.*s", (int)(t->end - t->start), c->lx->text.data + t->start);
    if (sh_family_find(f, name, row))
        return true;
    *row = (ShKindRow){0};
    return false;
}

/* Where a kind is a second word that has been typed, its operands are the command's. */
static Form form_of(const Cursor *c, const ShCommand *command, const ShArg *args, size_t words)
{
    Form f = {command, args, words, {0}};
    const ShFamily *family = sh_family_of_command(command);
    if (family && c->from + words < c->to && name_kind(c, family, c->from + words, &f.row)) {
        f.words++;
        f.args = NULL;
    }
    return f;
}

static const ShArg *args_of(const Form *f)
{
    return f->args ? f->args : f->row.args;
}

/* Notes the kind of task or model at a token, if the form has one.  Returns whether it is waiting
 * for its automaton. */
static bool kind_waits(const Cursor *c, Form *f, size_t kind_at)
{
    const ShArg *args = args_of(f);
    for (int i = 0; i < 8 && args[i].kind != A_NONE; i++)
        if (sh_family_of(args[i].kind) && kind_at < c->to)
            return name_kind(c, sh_family_of(args[i].kind), kind_at, &f->row) &&
                   f->row.takes.kind != A_NONE && kind_at + 1 == c->to;
    return false;
}

static const ThOptionSpec *options_of(const Form *f, size_t i)
{
    return sh_command_options(f->command, f->row.name ? &f->row : NULL, i);
}

static void offer_options(Cursor *c, const ThOptionSpec *specs)
{
    for (; specs->name; specs++) {
        bool given = false;
        for (size_t i = c->from; i < c->to; i++) {
            const ShToken *t = token(c, i);
            size_t n = strlen(specs->name);
            given = given || (t->type == T_OPTION && t->value == t->start + n + 1 &&
                              memcmp(c->lx->text.data + t->start, specs->name, n) == 0);
        }
        if (!given)
            offer_n(c, specs->name, strlen(specs->name), "=");
    }
}

/* Walks one form of a command along the tokens typed so far; -1 if they do not fit, else the number
 * of the operand that is due.  *kind_at gets the token of a task or model kind. */
static int operand_due(const Cursor *c, const ShArg *args, size_t at, size_t *kind_at)
{
    int i = 0;
    *kind_at = c->to;
    for (; at < c->to; at++) {
        const ShToken *t = token(c, at);
        if (t->type == T_OPTION)
            continue;
        if (t->type == T_MARK && strchr("([{", c->lx->text.data[t->start]) && t->match > at)
            at = t->match;
        while (i < 8 && args[i].kind == A_KEYWORD && (args[i].flags & A_OPTIONAL) &&
               !token_is(c, at, args[i].name))
            i++;
        if (i >= 8 || args[i].kind == A_NONE)
            return -1;
        if (args[i].kind == A_KEYWORD && !token_is(c, at, args[i].name))
            return -1;
        if (sh_family_of(args[i].kind))
            *kind_at = at;
        bool stays = args[i].kind == A_AUTOMATON_EXPRESSION || args[i].kind == A_RAW ||
                     (args[i].flags & A_REPEATED);
        if (args[i].kind >= A_OBJECT && args[i].kind <= A_TASK)
            at = sh_operand_end(&args[i], c->lx, at, c->to) - 1;
        i += !stays || (args[i].kind == A_TASK_KIND);
        if (*kind_at < at && i > 0 && args[i].kind == A_NONE)
            return i; /* the automaton of a task kind */
    }
    return i;
}

static void offer_setting_value(Cursor *c, size_t at)
{
    for (const ThOptionSpec *s = sh_settings; s->name; s++)
        if (token_is(c, at, s->name))
            offer_values(c, s);
}

static void offer_form(Cursor *c, const ShCommand *command, const ShArg *forms, size_t words)
{
    size_t kind_at;
    Form f = form_of(c, command, forms, words);
    const ShArg *args = args_of(&f);
    const ThOptionSpec *specs;
    int i = operand_due(c, args, c->from + f.words, &kind_at);
    if (i < 0)
        return;
    bool source = kind_waits(c, &f, kind_at);
    bool due = source; /* an operand that cannot be left out */
    for (; !due && i < 8 && args[i].kind != A_NONE; i++) {
        offer_operand(c, &args[i]);
        bool repeated = (args[i].flags & A_REPEATED) && c->from + f.words < c->to;
        due = !(args[i].flags & A_OPTIONAL) && !repeated;
    }
    if (source)
        offer_operand(c, &f.row.takes);
    for (size_t k = 0; !due && (specs = options_of(&f, k)); k++)
        offer_options(c, specs);
    if (strcmp(command->name, "set") == 0 && c->to == c->from + 2)
        offer_setting_value(c, c->from + 1);
}

/* After `key=`: the values that the option takes. */
static void offer_option_value(Cursor *c, const ShCommand *command, size_t words, const char *key,
                               size_t n)
{
    const ShArg *forms[] = {command->args, command->args2};
    for (int form = 0; form < 2; form++) {
        size_t kind_at;
        Form f = form_of(c, command, forms[form], words);
        const ThOptionSpec *s;
        if (operand_due(c, args_of(&f), c->from + f.words, &kind_at) < 0)
            continue;
        kind_waits(c, &f, kind_at);
        for (size_t k = 0; (s = options_of(&f, k)); k++) {
            for (; s->name; s++) {
                if (strlen(s->name) == n && memcmp(s->name, key, n) == 0) {
                    offer_values(c, s);
                    return;
                }
            }
        }
    }
}

/* `time COMMAND` and what follows are completed as COMMAND is. */
static void skip_prefixes(Cursor *c)
{
    while (c->from < c->to && token(c, c->from)->last)
        c->from++;
}

/* The statement before the cursor, whether or not brackets are open in it. */
static bool is_rasp(const Cursor *c)
{
    size_t begin = c->from < c->to ? token(c, c->from)->start : c->lx->text.size;
    return sh_shape_is_rasp(c->lx->text.data + begin, c->lx->text.size - begin);
}

/* `help plot`: what follows is the second word of a command. */
static void offer_second_topic(Cursor *c)
{
    char first[SH_COMMAND_NAME];
    const ShToken *t = token(c, c->from + 1);
    snprintf(first, sizeof first, "%.*s", (int)(t->end - t->start), c->lx->text.data + t->start);
    if (c->to == c->from + 2)
        offer_commands(c, first);
}

static void complete_statement(Cursor *c, const char *line, size_t start)
{
    ShStatement st = {c->lx, c->from, c->to};
    if (c->from == c->to) {
        offer_commands(c, NULL);
        offer_rasp(c);
        return;
    }
    if (is_rasp(c)) {
        offer_rasp(c);
        return;
    }
    size_t words = 0;
    char first[SH_COMMAND_NAME];
    const ShToken *t = token(c, c->from);
    snprintf(first, sizeof first, "%.*s", (int)(t->end - t->start), c->lx->text.data + t->start);
    if (c->to - c->from == 1)
        offer_commands(c, first);
    const ShCommand *command = sh_parse_command(&st, &words, NULL);
    if (t->type == T_SHELL || token_is(c, c->to - 1, ">") || token_is(c, c->to - 1, ">>")) {
        c->out->files = true;
        return;
    }
    if (!command)
        return;
    size_t key = start;
    if (start > 0 && line[start - 1] == '=') {
        for (key = start - 1; key > 0 && !strchr(" \t;", line[key - 1]);)
            key--;
        if (key < start - 1) {
            c->to -= token_is(c, c->to - 1, "=") ? 2 : 0; /* `key` and `=`, without a value yet */
            offer_option_value(c, command, words, line + key, start - 1 - key);
            return;
        }
    }
    if (strcmp(command->name, "help") == 0 && c->to > c->from + 1) {
        offer_second_topic(c);
        return;
    }
    offer_form(c, command, command->args, words);
    if (command->args2[0].kind != A_NONE)
        offer_form(c, command, command->args2, words);
}

/* Inside of KIND( ... ) in the place of a task: its options, and what it is made of. */
static bool offer_arguments(Cursor *c)
{
    ShKindRow row;
    const ShLexer *lx = c->lx;
    if (lx->n_open == 0)
        return false;
    size_t open = lx->open[lx->n_open - 1];
    const ShToken *t = token(c, open);
    bool called = open > c->from && lx->text.data[t->start] == '(' && t[-1].end == t->start;
    if (!called || !name_kind(c, sh_family_of(A_TASK_KIND), open - 1, &row))
        return false;
    if (row.takes.kind != A_NONE)
        offer_operand(c, &row.takes);
    for (const ThOptionSpec *s = row.options; s && s->name; s++)
        offer_n(c, s->name, strlen(s->name), "=");
    return true;
}

/* The name behind a $ or ${ at the end of the line. */
static bool offer_variables(Cursor *c, const char *line, size_t start)
{
    const char *end = line + strlen(line), *name = end;
    while (name > line && (name[-1] == '_' || isalnum((unsigned char)name[-1])))
        name--;
    bool braced = name > line && name[-1] == '{';
    const char *dollar = name - braced - 1;
    if (dollar < line || *dollar != '$' || (dollar > line && dollar[-1] == '$'))
        return false;
    const char *variable;
    for (size_t i = 0; (variable = sh_variable_name(c->s, i)); i++) {
        ThText word TH_OWNED(th_text_free) = {0};
        th_text_add_bytes(&word, line + start,
                          name > line + start ? (size_t)(name - line) - start : 0);
        th_text_printf(&word, "%s%s", variable, braced ? "}" : "");
        if (word.data)
            offer(c, word.data);
    }
    return true;
}

void sh_complete(ShSession *s, const char *line, size_t start, ShCandidates *out)
{
    ShLexer lx TH_OWNED(sh_lex_free) = {0};
    ThError err = {0};
    Cursor c = {.s = s, .prefix = line + start, .lx = &lx, .out = out};
    if (offer_variables(&c, line, start))
        return;
    sh_lex_begin(&lx, 1);
    bool complete = sh_lex(&lx, line, start, &err);
    bool inside = lx.n_open > 0 && lx.token[lx.open[lx.n_open - 1]].body && lx.at == start;
    bool open = !complete && !inside && err.code == TH_EINCOMPLETE;
    c.to = lx.n;
    if (c.to > 0 && lx.token[c.to - 1].type == T_END && lx.token[c.to - 1].start == start)
        c.to--; /* the lexer's own, at the end of the text */
    c.from = c.to;
    while (c.from > 0 && lx.token[c.from - 1].type != T_END &&
           !(lx.token[c.from - 1].body && lx.token[c.from - 1].last))
        c.from--; /* also at the { of a body */
    skip_prefixes(&c);
    if (open && lx.at < start)
        out->files = true; /* inside a string */
    else if (open && is_rasp(&c))
        offer_rasp(&c);
    else if (open && !offer_arguments(&c))
        offer_automata(&c);
    else if (!open && (complete || inside))
        complete_statement(&c, line, start);
}

void sh_candidates_free(ShCandidates *c)
{
    TH_FREE_EACH(c->item, c->n);
    *c = (ShCandidates){0};
}
