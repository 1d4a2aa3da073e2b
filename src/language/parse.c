#include "language/parse.h"

#include <stdarg.h>

#include "family.h"
#include "help/glossary.h"
#include "help/synonyms.h"
#include "language/operand.h"
#include "language/variables.h"

static const ShToken *token(const ShStatement *st, size_t i)
{
    return &st->lexer->token[i];
}

__attribute__((format(printf, 4, 5))) static bool fail_token(ThError *err, const ShToken *t,
                                                             ThErrc code, const char *format, ...)
{
    char message[sizeof(ThError)];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return th_fail_at(err, code, t->line, t->col, "%s", message);
}

/* Positions an error that has none at a token.  Returns false. */
static bool place(ThError *err, const ShToken *t)
{
    if (err && err->code && err->line == 0) {
        err->line = t->line;
        err->col = t->col;
    }
    return false;
}

/* ---- operands -------------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    const ShStatement *st;
    const ShCommand *command;
    const ShArg *args;
    ShParsed *p;
    size_t at;      /* token */
    bool plain;     /* it takes no options: KEY=VALUE is a word */
    ShKindRow kind; /* the kind that an operand has named; its name is NULL until then */
} ShBinder;

static bool is_open(const ShLexer *lx, const ShToken *t, const char *bracket)
{
    return t->type == T_MARK && sh_lexeme_is(lx, t, bracket);
}

static bool is_redirect(const ShLexer *lx, const ShToken *t)
{
    return t->type == T_PIPE || is_open(lx, t, ">") || is_open(lx, t, ">>");
}

static bool is_option(const ShBinder *b, const ShToken *t)
{
    return t->type == T_OPTION && !b->plain;
}

static ShOperand *add_operand(ShBinder *b, ShArgKind kind, const ShToken *t, ThError *err)
{
    ShParsed *p = b->p;
    if (!th_grow(&p->operand, &p->cap, (size_t)p->call.n + 1, sizeof *p->operand, err))
        return NULL;
    p->call.operand = p->operand;
    ShOperand *o = &p->operand[p->call.n++];
    *o = (ShOperand){.kind = kind, .quoted = t->type == T_STRING, .line = t->line, .col = t->col};
    return o;
}

/* Returns new: a source with the variables in it. */
static char *inserted_source(const ShBinder *b, const ShToken *t, size_t start, size_t end,
                             ThError *err)
{
    ThText inserted = {0};
    char *source TH_OWNED(free) = sh_lex_source(b->st->lexer, start, end, err);
    ShOperand o = {.line = t->line, .col = t->col + (int)(start - t->start)};
    bool ok = source && (sh_insert(b->s, source, &inserted, err) || sh_error_inside(err, &o));
    if (ok)
        return th_text_take(&inserted, err);
    th_text_free(&inserted);
    return NULL;
}

/* Returns new: the text of a word or string, or of an option's value. */
static char *token_text(const ShBinder *b, const ShToken *t, ThError *err)
{
    bool value = t->type == T_OPTION && !b->plain;
    char *source = inserted_source(b, t, value ? t->value : t->start, t->end, err);
    ThText text = {0};
    if (!source || *source != '"')
        return source;
    th_text_unescape(&text, source + 1, strlen(source) - 2);
    free(source);
    return th_text_take(&text, err);
}

static bool add_raw(ShBinder *b, ShArgKind kind, size_t to, ThError *err)
{
    const ShToken *first = token(b->st, b->at), *last = token(b->st, to - 1);
    ShOperand *o = add_operand(b, kind, first, err);
    if (!o)
        return false;
    o->quoted = false;
    o->text = kind == A_RAW ? sh_lex_source(b->st->lexer, first->start, last->end, err)
                            : inserted_source(b, first, first->start, last->end, err);
    b->at = to;
    return o->text || place(err, first);
}

static bool bind_block(ShBinder *b, const ShArg *arg, ThError *err)
{
    const ShToken *open = token(b->st, b->at);
    if (!is_open(b->st->lexer, open, "{"))
        return fail_token(err, open, TH_EUSAGE, "expected '{'");
    const ShToken *close = token(b->st, open->match);
    ShOperand *o = add_operand(b, arg->kind, open, err);
    if (!o)
        return false;
    o->col++;
    o->text = sh_lex_source(b->st->lexer, open->end, close->start, err);
    b->at = open->match + 1;
    return o->text != NULL;
}

/* Everything up to the end, to an option or to the redirection, whole brackets at a time. */
static size_t expression_end(const ShBinder *b)
{
    const ShLexer *lx = b->st->lexer;
    size_t i = b->at;
    while (i < b->st->to) {
        const ShToken *t = token(b->st, i);
        if (is_option(b, t) || is_redirect(lx, t))
            break;
        bool opens = t->type == T_MARK && strchr("([{", lx->text.data[t->start]);
        i = opens ? t->match + 1 : i + 1;
    }
    return i;
}

static bool takes_text(const ShArg *args)
{
    for (int i = 0; i < 8 && args[i].kind != A_NONE; i++)
        if (args[i].kind == A_TEXT)
            return true;
    return false;
}

static bool start_options(ShBinder *b, ThError *err)
{
    ThOptions *o = &b->p->call.options;
    const ShKindRow *kind = b->kind.name ? &b->kind : NULL;
    const ThOptionSpec *specs;
    th_options_free(o);
    for (size_t i = 0; (specs = sh_command_options(b->command, kind, i)); i++)
        if (!th_options_add(o, specs, err))
            return false;
    b->plain = o->n == 0 && takes_text(b->args);
    return true;
}

/* KIND(4, key=2): what stands in the parentheses, in the statement or in a variable. */
static bool bind_arguments(ShBinder *b, char *inside, ThError *err)
{
    const ShToken *kind = token(b->st, b->at - 1);
    bool called = b->at < b->st->to && is_open(b->st->lexer, token(b->st, b->at), "(");
    char *text TH_OWNED(free) = NULL;
    if (!called && !inside)
        return true;
    if (called) {
        const ShToken *open = token(b->st, b->at);
        text = inserted_source(b, open, open->end, token(b->st, open->match)->start, err);
        b->at = open->match + 1;
    }
    bool ok = (text || inside) && sh_read_arguments(called ? text : inside, b->kind.options,
                                                    &b->p->call.options, NULL, err);
    return ok || place(err, kind);
}

static bool bind_word(ShBinder *b, const ShArg *arg, ThError *err);

/* The operand that belongs to a kind. */
static bool bind_source(ShBinder *b, ShArgKind takes, ThError *err)
{
    size_t end = expression_end(b);
    const ShToken *last = token(b->st, b->at - 1);
    const char *kind = b->p->operand[b->p->call.n - 1].text;
    if (end > b->at && takes == A_FILE)
        return bind_word(b, &(ShArg){A_FILE, "FILE", 0}, err);
    if (end > b->at && takes == A_PAD_KIND)
        return bind_word(b, &(ShArg){A_PAD_KIND, "KIND", 0}, err);
    if (end > b->at)
        return add_raw(b, takes, end, err);
    return fail_token(err, last, TH_EUSAGE,
                      takes == A_FILE       ? "%s needs the name of a file"
                      : takes == A_RAW      ? "%s needs the name of an s-op or a language"
                      : takes == A_PAD_KIND ? "%s needs a kind of scratchpad"
                                            : "%s needs an automaton: a name or an expression",
                      kind);
}

/* A variable may hold a kind with its arguments: "dyck(depth=2)".  They are cut off. */
static char *cut_arguments(char *text)
{
    size_t n = strlen(text);
    char *open = strchr(text, '(');
    if (!open || text[n - 1] != ')')
        return NULL;
    text[n - 1] = '\0';
    *open = '\0';
    return open + 1;
}

/* A kind that another takes has that one's options besides, and no texts for operands. */
static void place_inside(ShKindRow *kind, const ShKindRow *outer)
{
    kind->outer = outer->options;
    for (int i = 0; i < 8; i++)
        if (kind->args[i].kind == A_TEXT)
            kind->args[i].kind = A_NONE;
}

/* Does an automaton begin with a word, or a language? */
static bool begins_language(const ShBinder *b, const char *word)
{
    const ShObject *o = sh_find(b->s, word);
    return o ? o->kind == SH_AUTOMATON || o->kind == SH_LANGUAGE
             : *word == '~' || th_automaton_builtin(word) || strcmp(word, "regex") == 0;
}

static bool bind_kind(ShBinder *b, ShOperand *o, char *text, ThError *err)
{
    const ShFamily *f = sh_family_of(o->kind);
    char *inside = cut_arguments(text);
    ShKindRow kind;
    bool known = sh_family_find(f, text, &kind);
    if (!known && o->kind == A_TASK_KIND && begins_language(b, text)) {
        /* Its task is to recognize it, as where a task is wanted; the source is read again. */
        free(text);
        o->text = text = th_strdup("recognize", err);
        b->at--;
        known = text && sh_family_find(f, text, &kind);
    }
    if (!known)
        return text && sh_family_unknown(f, text, err);
    if (b->kind.name)
        place_inside(&kind, &b->kind);
    b->kind = kind;
    if (!start_options(b, err))
        return false;
    if (kind.takes.kind != A_NONE)
        return bind_source(b, kind.takes.kind, err);
    return f->second_word || bind_arguments(b, inside, err);
}

/* Takes an operand's text over and finds what it means for its kind. */
static bool settle_operand(ShBinder *b, const ShArg *arg, char *text, ThError *err)
{
    ShOperand *o = &b->p->operand[b->p->call.n - 1];
    o->text = text;
    if (!text)
        return false;
    if (o->kind == A_NEW)
        return sh_name_ok(text, err);
    if (sh_family_of(o->kind))
        return bind_kind(b, o, text, err);
    if (o->kind >= A_OBJECT && o->kind <= A_MODEL)
        return sh_operand_resolve(b->s, o, arg->flags & A_NAMED, err);
    return true;
}

/* Does a token name a variable that holds a list? */
static bool is_list(const ShBinder *b, const ShToken *t, bool bare, char name[SH_NAME])
{
    return t->type == T_WORD &&
           sh_names_list(b->s, b->st->lexer->text.data + t->start, t->end - t->start, bare, name);
}

/* A list of machines: the name of a variable or of a file. */
static bool bind_machines(ShBinder *b, ThError *err)
{
    char name[SH_NAME];
    const ShToken *t = token(b->st, b->at);
    bool variable = is_list(b, t, true, name);
    if (!variable && !memchr(b->st->lexer->text.data + t->start, '.', t->end - t->start))
        return fail_token(err, t, TH_EUSAGE, "expected the name of a file or of a list");
    ShOperand *o = add_operand(b, A_LIST, t, err);
    b->at++;
    if (o)
        o->text = variable ? th_strdup(name, err) : token_text(b, t, err);
    return (o && o->text) || place(err, t);
}

/* Every element of a list is an operand of its own: `run p $args`. */
static bool bind_list(ShBinder *b, const ShArg *arg, const char *name, ThError *err)
{
    const ShToken *t = token(b->st, b->at);
    bool ok = true;
    char *text;
    for (size_t i = 0; ok && (text = sh_variable_item(b->s, name, i)); i++) {
        ok = add_operand(b, arg->kind, t, err) != NULL;
        if (!ok)
            free(text);
        ok = ok && settle_operand(b, arg, text, err);
    }
    b->at++;
    return ok || place(err, t);
}

/* `set seed=3`: a key and its value. */
static bool bind_setting(ShBinder *b, const ShArg *arg, const ShToken *t, ThError *err)
{
    const ShLexer *lx = b->st->lexer;
    ShOperand *key = add_operand(b, arg->kind, t, err);
    if (!key)
        return false;
    key->text = th_strndup(lx->text.data + t->start, t->value - t->start - 1, err);
    ShOperand *value = add_operand(b, A_TEXT, t, err);
    if (!value)
        return false;
    value->col += (int)(t->value - t->start);
    b->plain = false;
    value->text = token_text(b, t, err);
    b->plain = true;
    b->at++;
    return b->p->operand[b->p->call.n - 2].text && value->text;
}

static bool bind_word(ShBinder *b, const ShArg *arg, ThError *err)
{
    char list[SH_NAME];
    const ShToken *t = token(b->st, b->at);
    if (arg->kind == A_SETTING && t->type == T_OPTION)
        return bind_setting(b, arg, t, err);
    bool group = is_open(b->st->lexer, t, "(") &&
                 sh_operand_end(arg, b->st->lexer, b->at, b->st->to) > b->at + 1;
    if (t->type != T_WORD && t->type != T_STRING && !group && !(t->type == T_OPTION && b->plain))
        return fail_token(err, t, TH_EUSAGE, "expected %s", arg->name);
    if (arg->kind == A_LIST)
        return bind_machines(b, err);
    if ((arg->flags & A_REPEATED) && is_list(b, t, false, list))
        return bind_list(b, arg, list, err);
    size_t end = sh_operand_end(arg, b->st->lexer, b->at, b->st->to);
    char *text = end == b->at + 1
                     ? token_text(b, t, err)
                     : inserted_source(b, t, t->start, token(b->st, end - 1)->end, err);
    ShOperand *o = text ? add_operand(b, arg->kind, t, err) : NULL;
    if (!o) {
        free(text);
        return place(err, t);
    }
    b->at = end;
    return settle_operand(b, arg, text, err) || place(err, t);
}

static bool bind_one(ShBinder *b, const ShArg *arg, ThError *err)
{
    const ShToken *t = token(b->st, b->at);
    switch (arg->kind) {
    case A_KEYWORD:
        if (t->type == T_STRING || !sh_lexeme_is(b->st->lexer, t, arg->name))
            return fail_token(err, t, TH_EUSAGE, "expected '%s'", arg->name);
        b->at++;
        return true;
    case A_BLOCK:
        return bind_block(b, arg, err);
    case A_RAW:
        return add_raw(b, arg->kind, b->st->to, err);
    case A_AUTOMATON_EXPRESSION:
        if (expression_end(b) == b->at)
            return fail_token(err, t, TH_EUSAGE, "expected %s", arg->name);
        return add_raw(b, arg->kind, expression_end(b), err);
    default:
        return bind_word(b, arg, err);
    }
}

/* Refuses an option that another program calls so, or that belongs to a model's definition; true:
 * there is nothing to say of it. */
static bool known_elsewhere(const ShBinder *b, const ShToken *t, const char *key, ThError *err)
{
    const char *here = sh_option_here(key, &b->p->call.options);
    ThError own = {0};
    fail_token(&own, t, TH_EUSAGE, "unknown option '%s'", key);
    if (here)
        th_hint(&own, "it is %s= here", here);
    if (strcmp(b->p->call.command->name, "compile") == 0 && strcmp(key, "domain") == 0)
        th_hint(&own,
                "compile proves of all strings; certify MODEL on TASK domain=A of those of A");
    for (int i = 0; !here && i < b->p->call.n; i++) {
        const ShObject *o = b->p->operand[i].object;
        const ThOptions *of = o && o->kind == SH_MODEL ? &o->as.model->options : NULL;
        const char *name = of && th_option_known(of, key) ? key : of ? sh_option_here(key, of) : "";
        if (name && *name)
            th_hint(&own, "it belongs to the definition: model %s = %s %s=...", o->name,
                    o->as.model->kind->name, name);
    }
    ShTerm term;
    if (!*own.hint && sh_term(key, &term))
        th_hint(&own, "%s: %s", term.is, term.here);
    if (err && *own.hint)
        *err = own;
    return !*own.hint;
}

static bool bind_option(ShBinder *b, ThError *err)
{
    const ShLexer *lx = b->st->lexer;
    const ShToken *t = token(b->st, b->at);
    char *key TH_OWNED(free) = th_strndup(lx->text.data + t->start, t->value - t->start - 1, err);
    char *text TH_OWNED(free) = key ? token_text(b, t, err) : NULL;
    ThOptions *o = &b->p->call.options;
    bool ok = text != NULL;
    if (ok && th_option_known(o, key) && th_option_given(o, key))
        ok = fail_token(err, t, TH_EUSAGE, "the option %s is given twice", key);
    ok = ok && (th_option_known(o, key) || known_elsewhere(b, t, key, err)) &&
         (th_options_set_at(o, key, text, t->line, t->col, err) || place(err, t));
    b->at++;
    return ok;
}

/* What the shell runs is its own: it finds the variables in its environment, see sh_export. */
static bool bind_pipe(ShBinder *b, ThError *err)
{
    const ShLexer *lx = b->st->lexer;
    const ShToken *t = token(b->st, b->at);
    const char *from = lx->text.data + t->start + 1, *end = lx->text.data + t->end;
    while (from < end && strchr(" \t\r", *from))
        from++;
    if (from == end)
        return fail_token(err, t, TH_EUSAGE, "expected a shell command after '|'");
    b->p->redirect = th_strndup(from, (size_t)(end - from), err);
    b->p->call.pipe = b->p->redirect;
    b->at++;
    return b->p->redirect != NULL;
}

static bool bind_redirect(ShBinder *b, ThError *err)
{
    const ShToken *mark = token(b->st, b->at);
    if (mark->type == T_PIPE)
        return bind_pipe(b, err);
    if (b->at + 1 >= b->st->to)
        return fail_token(err, mark, TH_EUSAGE, "expected a file name after '>'");
    const ShToken *t = token(b->st, b->at + 1);
    if (t->type != T_WORD && t->type != T_STRING)
        return fail_token(err, t, TH_EUSAGE, "expected a file name after '>'");
    if (b->at + 2 < b->st->to)
        return fail_token(err, token(b->st, b->at + 2), TH_EUSAGE,
                          "nothing may follow the file name after '>'") ||
               th_hint(err, "operands and options stand before the '>'");
    b->p->redirect = token_text(b, t, err);
    b->p->call.redirect = b->p->redirect;
    b->p->call.append = mark->end - mark->start == 2;
    b->at += 2;
    if (b->p->redirect && !*b->p->redirect)
        return fail_token(err, t, TH_EUSAGE, "the file name after '>' is empty");
    return b->p->redirect != NULL;
}

/* Operands that are still to be typed after arg i if every optional one is left out. */
static int still_needed(const ShArg *args, int i)
{
    int n = 0;
    for (i++; i < 8 && args[i].kind != A_NONE; i++)
        n += !(args[i].flags & A_OPTIONAL);
    return n;
}

/* Tokens ahead that could be operands. */
static int words_ahead(const ShBinder *b)
{
    int n = 0;
    for (size_t i = b->at; i < b->st->to && !is_redirect(b->st->lexer, token(b->st, i)); i++) {
        const ShToken *t = token(b->st, i);
        n += !is_option(b, t);
        if (t->type == T_MARK && strchr("([{", b->st->lexer->text.data[t->start]))
            i = t->match;
    }
    return n;
}

static bool bind_options(ShBinder *b, ThError *err)
{
    while (b->at < b->st->to && is_option(b, token(b->st, b->at)))
        if (!bind_option(b, err))
            return false;
    return true;
}

/* What an operand is whose name, A or P, does not say it: ": a language". */
static const char *what_is(const ShArg *arg)
{
    static const char *const what[] = {[A_AUTOMATON] = ": an automaton",
                                       [A_AUTOMATON_EXPRESSION] = ": an automaton",
                                       [A_LANGUAGE] = ": an automaton or another language",
                                       [A_MACHINE] = ": a machine",
                                       [A_MODEL] = ": a model",
                                       [A_OBJECT] = ": any object"};
    bool listed = !arg->name[1] && arg->kind < sizeof what / sizeof *what;
    return listed && what[arg->kind] ? what[arg->kind] : "";
}

static bool missing(const ShBinder *b, const ShArg *arg, ThError *err)
{
    const ShToken *last = token(b->st, b->at > b->st->from ? b->at - 1 : b->st->from);
    const char *quote = arg->kind == A_KEYWORD ? "'" : "";
    const ShFamily *f = sh_family_of_command(b->command);
    int width = 0;
    for (size_t i = last->start; i < last->end; i++)
        width += ((unsigned char)b->st->lexer->text.data[i] & 0xc0) != 0x80;
    int col = last->col + width;
    if (f && arg->kind == f->arg)
        return sh_family_not_followed(f, err) || place(err, last);
    if (arg->kind == A_BLOCK)
        return th_fail_at(err, TH_EUSAGE, last->line, col, "expected '=' or '{'");
    const ShArg *form = b->command->args2;
    const char *other = arg == b->command->args && form->kind > A_KEYWORD ? form->name : NULL;
    bool two = other && strcmp(other, arg->name) != 0;
    return th_fail_at(err, TH_EUSAGE, last->line, col, "%s%s%s%s%s is missing%s", quote, arg->name,
                      quote, two ? " or " : "", two ? other : "", two ? "" : what_is(arg));
}

static bool skips(const ShBinder *b, const ShArg *arg, int i)
{
    if (!(arg->flags & A_OPTIONAL))
        return false;
    if (words_ahead(b) <= still_needed(b->args, i))
        return true;
    const ShToken *t = token(b->st, b->at);
    return arg->kind == A_KEYWORD && !sh_lexeme_is(b->st->lexer, t, arg->name);
}

/* `task t=parity`: an option where a name was due. */
static bool definition_without_blanks(const ShToken *t, ThError *err)
{
    return fail_token(err, t, TH_EUSAGE, "expected a name to define") ||
           th_hint(err, "a definition is written with blanks around its '='");
}

static bool bind_args(ShBinder *b, ThError *err)
{
    for (int i = 0; i < 8 && b->args[i].kind != A_NONE; i++) {
        const ShArg *arg = &b->args[i];
        bool raw = arg->kind == A_RAW;
        if (arg->kind == A_NEW && b->at < b->st->to && token(b->st, b->at)->type == T_OPTION)
            return definition_without_blanks(token(b->st, b->at), err);
        if (!raw && !bind_options(b, err))
            return false;
        bool end = b->at == b->st->to || (!raw && is_redirect(b->st->lexer, token(b->st, b->at)));
        if (end && (arg->flags & A_OPTIONAL))
            continue;
        if (end)
            return missing(b, arg, err);
        if (skips(b, arg, i))
            continue;
        do {
            if (!bind_one(b, arg, err) || (!raw && !bind_options(b, err)))
                return false;
        } while ((arg->flags & A_REPEATED) && words_ahead(b) > still_needed(b->args, i));
        if (sh_family_of(arg->kind) && b->kind.args[0].kind != A_NONE) {
            b->args = b->kind.args; /* the kind's own operands */
            i = -1;
        }
    }
    return true;
}

static bool bind_rest(ShBinder *b, ThError *err)
{
    if (!bind_options(b, err))
        return false;
    if (b->at < b->st->to && is_redirect(b->st->lexer, token(b->st, b->at)) &&
        !bind_redirect(b, err))
        return false;
    if (b->at == b->st->to)
        return true;
    const ShToken *t = token(b->st, b->at);
    const char *text = b->st->lexer->text.data + t->start;
    int size = (int)(t->end - t->start);
    const ShToken *next = b->at + 1 < b->st->to ? token(b->st, b->at + 1) : NULL;
    const char *sign = next ? b->st->lexer->text.data + next->start : "";
    bool option = *sign == '=' && *text != '=';
    bool empty = option && next->start == t->end && strchr(" \t\n#;}", sign[1]);
    fail_token(err, t, TH_EUSAGE, empty ? "%.*s= has no value" : "unexpected '%.*s'", size, text);
    if (option)
        th_hint(err, "an option is written KEY=VALUE, without blanks");
    return false;
}

/* Tries one form of a command; *reached tells how far it got. */
static bool bind_form(ShBinder *b, size_t words, int form, size_t *reached, ThError *err)
{
    b->args = form == 1 ? b->command->args : b->command->args2;
    b->kind = (ShKindRow){0};
    b->at = b->st->from + words;
    b->p->call.command = b->command;
    b->p->call.form = form;
    bool ok = start_options(b, err) && bind_args(b, err) && bind_rest(b, err);
    *reached = b->at;
    return ok;
}

bool sh_parse_call(ShSession *s, const ShStatement *st, const ShCommand *c, size_t words,
                   ShParsed *p, ThError *err)
{
    c = sh_command_by_kind(s, st, c, words);
    ShBinder b = {.s = s, .st = st, .command = c, .p = p};
    ThError first = {0}, second = {0};
    char list[SH_NAME];
    size_t reached = 0, again = 0;
    bool listed = (c->flags & C_LISTS) && st->from + words < st->to &&
                  is_list(&b, token(st, st->from + words), true, list);
    if (!listed && bind_form(&b, words, 1, &reached, &first))
        return true;
    bool cut = first.code == TH_EINTERRUPTED || first.code == TH_ELIMIT; /* not misread */
    if (c->args2[0].kind != A_NONE && !cut) {
        sh_parsed_free(p);
        if (bind_form(&b, words, 2, &again, &second))
            return true;
    }
    if (err && err->code == TH_OK)
        *err = again > reached ? second : first;
    if (err && strcmp(c->name, "plot") == 0 && !(p->call.n > 0 && p->operand[0].object)) {
        *err = (ThError){0};
        return sh_fail_second_word(c->name, st, err);
    }
    char typed[SH_COMMAND_NAME];
    const char *kind = sh_family_of_command(c) && b.kind.name ? b.kind.name : "";
    if (err && err->code == TH_EUSAGE)
        th_hint(err, "see help %s%s%s", sh_command_typed(c, typed), *kind ? " " : "", kind);
    return false;
}

bool sh_parse_rest(ShSession *s, const ShStatement *part, ShParsed *p, ThError *err)
{
    ShBinder b = {.s = s, .st = part, .command = p->call.command, .p = p, .at = part->from};
    return bind_rest(&b, err);
}

void sh_parsed_free(ShParsed *p)
{
    for (int i = 0; i < p->call.n; i++) {
        char *text TH_OWNED(free) = NULL;
        memcpy(&text, &p->operand[i].text, sizeof text);
        sh_object_free(p->operand[i].own);
    }
    TH_FREE(p->operand, p->redirect);
    th_options_free(&p->call.options);
    *p = (ShParsed){0};
}
