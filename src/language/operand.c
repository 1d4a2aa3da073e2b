#include "language/operand.h"

#include <stdarg.h>

#include "base/file.h"
#include "formats.h"
#include "language/automaton_hints.h"
#include "rasp.h"
#include "object_kinds.h"

bool sh_fail_operand(ThError *err, const ShOperand *o, ThErrc code, const char *format, ...)
{
    char message[sizeof(ThError)];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return th_fail_at(err, code, o->line, o->col, "%s", message);
}

bool sh_error_inside(ThError *err, const ShOperand *o)
{
    if (!err || err->code == TH_OK)
        return false;
    if (err->line == 0 && err->col == 0) {
        err->line = o->line;
        err->col = o->col;
        return false;
    }
    if (err->line <= 1)
        err->col += o->col - 1 + o->quoted;
    err->line = o->line + (err->line > 0 ? err->line - 1 : 0);
    return false;
}

bool sh_try_file(const ShSession *s, const ThOptions *o, const char *option, ThError *err)
{
    const char *path = th_option_text(o, option);
    return !path || sh_session_is_silent(s) || th_file_try(path, err) ||
           th_option_error(o, option, err);
}

bool sh_error_in_file(ThError *err, const char *path, const ThError *own)
{
    if (own->line > 0)
        th_fail(err, own->code, "%s:%d:%d: %s", path, own->line, own->col, own->msg);
    else
        th_fail(err, own->code, "%s", own->msg);
    return own->hint[0] ? th_hint(err, "%s", own->hint) : false;
}

typedef struct {
    ShSession *s;
    ThAutomaton **made; /* (n): of languages that are regular */
    size_t n, cap;
} Finder;

/* The automaton of a language that knows itself to be regular, as a right-linear grammar does. */
static const ThAutomaton *regular(Finder *f, const ThLanguage *l)
{
    ThAutomaton *a = NULL;
    if (!th_language_automaton(l, &a, sh_stop(f->s), NULL) || !a ||
        !th_grow(&f->made, &f->cap, f->n + 1, sizeof(ThAutomaton *), NULL)) {
        th_automaton_free(a);
        return NULL;
    }
    f->made[f->n++] = a;
    return a;
}

static const ThAutomaton *find_automaton(void *context, const char *name)
{
    Finder *f = context;
    const ShObject *o = sh_find(f->s, name);
    return !o                        ? NULL
           : o->kind == SH_AUTOMATON ? o->as.automaton
           : o->kind == SH_LANGUAGE  ? regular(f, o->as.language)
                                     : NULL;
}

ThAutomaton *sh_automaton_within(ShSession *s, const char *text, size_t most_states, ThError *err)
{
    Finder f = {.s = s};
    ThAutomatonScope scope = {find_automaton, &f, most_states};
    ThAutomaton *a = th_automaton_expression(text, &scope, sh_stop(s), err);
    for (size_t i = 0; i < f.n; i++)
        th_automaton_free(f.made[i]);
    free(f.made);
    return a;
}

ThAutomaton *sh_automaton_value(ShSession *s, const ShOperand *o, ThError *err)
{
    ThAutomaton *a =
        sh_automaton_within(s, o->text, (size_t)sh_setting_int(s, "limit-states"), err);
    if (a)
        return a;
    char *meant TH_OWNED(free) = err && (err->code == TH_EPARSE || err->code == TH_EVALUE)
                                     ? sh_automaton_meant(s, o->text)
                                     : NULL;
    if (meant) {
        *err->hint = '\0';
        th_hint(err, "did you mean %s?", meant);
    }
    return th_null(sh_error_inside(err, o));
}

/* ---- where an operand ends ------------------------------------------------------------------- */

static bool is_mark(const ShLexer *lx, const ShToken *t, char mark)
{
    return t->type == T_MARK && lx->text.data[t->start] == mark;
}

/* Does a word join two automata where it begins?  A | by itself begins a pipe. */
static bool joins(const ShLexer *lx, const ShToken *t)
{
    const char *word = lx->text.data + t->start;
    size_t n = t->end - t->start;
    if (t->type != T_WORD)
        return false;
    return *word == '&' || (*word == '|' && n > 1) || (*word == '-' && n == 1);
}

/* Does a word end with an operator, so that an automaton follows? */
static bool ends_open(const ShLexer *lx, const ShToken *t)
{
    char last = lx->text.data[t->end - 1];
    return last == '&' || last == '|' || last == '~' || (last == '-' && t->end == t->start + 1);
}

/* Behind a word: the arguments of a call, a pattern and its alphabet. */
static size_t behind_word(const ShLexer *lx, size_t at, size_t to)
{
    const ShToken *t = lx->token;
    const char *end = lx->text.data + t[at].end;
    const char *word;
    bool quoted = false; /* a text in quotes follows, as behind regex and ~regex */
    for (size_t i = 0; (word = th_automaton_notation(i)); i++) {
        size_t n = strlen(word);
        quoted = quoted || (t[at].end - t[at].start >= n && memcmp(end - n, word, n) == 0);
    }
    size_t next = at + 1;
    if (next < to && is_mark(lx, &t[next], '(') && t[next].start == t[at].end)
        return t[next].match + 1;
    if (!quoted || next == to || t[next].type != T_STRING)
        return next;
    next++;
    return next + 1 < to && sh_lexeme_is(lx, &t[next], "over") ? next + 2 : next;
}

static size_t expression_end(const ShLexer *lx, size_t from, size_t to)
{
    const ShToken *t = lx->token;
    bool open = true; /* an automaton is still to come */
    size_t at = from;
    while (at < to && (open || joins(lx, &t[at]))) {
        if (t[at].type == T_WORD) {
            open = ends_open(lx, &t[at]);
            at = open ? at + 1 : behind_word(lx, at, to);
        } else if (is_mark(lx, &t[at], '(')) {
            at = t[at].match + 1;
            open = false;
        } else {
            break;
        }
    }
    return at > from ? at : from + 1;
}

size_t sh_operand_end(const ShArg *arg, const ShLexer *lx, size_t from, size_t to)
{
    const ShToken *t = &lx->token[from];
    if (arg->flags & A_NAMED)
        return from + 1;
    if (arg->kind == A_OBJECT || arg->kind == A_AUTOMATON || arg->kind == A_LANGUAGE ||
        arg->kind == A_PROGRAM)
        return expression_end(lx, from, to);
    if (arg->kind == A_TASK && from + 1 < to && is_mark(lx, t + 1, '(') && t[1].start == t->end)
        return t[1].match + 1;
    return from + 1;
}

/* ---- what it means --------------------------------------------------------------------------- */

/* An automaton's value; *tried: it looks like one, so that errors are about that. */
static ThAutomaton *automaton_of(ShSession *s, const ShOperand *o, bool *tried, ThError *err)
{
    *tried = !o->quoted && (!th_is_word(o->text) || th_automaton_builtin(o->text));
    return *tried ? sh_automaton_value(s, o, err) : NULL;
}

/* Did the reading of an operand fail because it is something else?  Not where work was cut. */
static bool is_misread(const ThError *err)
{
    return err->code == TH_EPARSE || err->code == TH_EVALUE || err->code == TH_EUSAGE;
}

static bool is_further(const ThError *a, const ThError *b)
{
    return a->line > b->line || (a->line == b->line && a->col > b->col);
}

bool sh_program_value(ShSession *s, const ShOperand *o, ThRaspSop *node, ShKind *kind, ThError *err)
{
    ThRaspValue v = {0};
    ThError own = {0};
    ThRasp *r = is_misread(err) ? sh_session_rasp(s, &own) : NULL;
    if (!r || !th_rasp_evaluate(r, o->text, &v, sh_stop(s), &own)) {
        sh_error_inside(&own, o);
        if (own.code && is_further(&own, err))
            *err = own;
        return false;
    }
    *err = (ThError){0};
    *kind = sh_rasp_object_kind(&v);
    *node = v.as.sop;
    return *kind == SH_S_OP || *kind == SH_SELECTOR ||
           sh_fail_operand(err, o, TH_EUSAGE, "'%s' is %s, no s-op and no selector", o->text,
                           sh_a_kind(*kind));
}

static ThTm *machine_of(ShSession *s, const ShOperand *o, bool *tried, ThError *err)
{
    bool digit = *o->text >= '0' && *o->text <= '9';
    *tried = (digit && o->quoted) || ((digit || o->quoted) && sh_is_machine_text(o->text));
    ThTm *m = *tried ? sh_machine_of_text(s, o->text, err) : NULL;
    if (*tried && !m)
        sh_error_inside(err, o);
    return m;
}

/* The inside of a text in quotes, which it is cut to; any other text as it is. */
static const char *unquote(char *text)
{
    size_t n = strlen(text);
    if (n < 2 || text[0] != '"' || text[n - 1] != '"')
        return text;
    text[n - 1] = '\0';
    return text + 1;
}

/* The first part of a text, up to a comma outside of brackets and strings. */
static char *cut_first(char **text)
{
    int depth = 0;
    bool quoted = false;
    char *p = *text, *first = *text;
    for (; *p && (depth > 0 || quoted || *p != ','); p++) {
        quoted = quoted != (*p == '"');
        depth += !quoted && *p == '(' ? 1 : !quoted && *p == ')' ? -1 : 0;
    }
    *text = *p ? p + 1 : p;
    *p = '\0';
    return first;
}

bool sh_read_arguments(char *text, const ThOptionSpec *specs, ThOptions *o, char **first,
                       ThError *err)
{
    if (first)
        *first = cut_first(&text);
    char *rest = text;
    for (char *word; (word = strtok_r(rest, ", \t\n", &rest));) {
        char *equals = strchr(word, '=');
        if (!equals && (!specs || !specs->name))
            return th_fail(err, TH_EUSAGE, "too many arguments in parentheses");
        if (equals)
            *equals++ = '\0';
        if (!th_options_set(o, equals ? word : specs++->name, unquote(equals ? equals : word), err))
            return false;
    }
    return true;
}

/* KIND or KIND(…); the text is changed. */
static ThTask *task_of(ShSession *s, const ShOperand *o, char *text, ThError *err)
{
    char *inside = text + strcspn(text, "("), *first = NULL;
    size_t n = strlen(inside);
    if (n > 0 && inside[n - 1] == ')')
        inside[n - 1] = '\0';
    if (n > 0)
        *inside++ = '\0';
    const ThTaskKind *kind = th_task_kind(text);
    ThOptions options TH_OWNED(th_options_free) = {0};
    bool takes = kind && (kind->takes_automaton || kind->takes_file || kind->takes_program ||
                          kind->takes_pad || kind->takes_language);
    if (!kind)
        th_fail(err, TH_EUSAGE, "no task is named '%s', nor a kind of tasks", text);
    char *pad TH_OWNED(free) =
        kind && kind->takes_pad ? th_strndup(inside, strcspn(inside, " ,"), err) : NULL;
    const ThPadKind *named = pad ? th_pad_kind(pad) : NULL;
    bool ok = kind && th_options_init(&options, kind->options, err) &&
              (!named || th_options_add(&options, named->options, err)) &&
              sh_read_arguments(inside, kind->options, &options, takes ? &first : NULL, err);
    ShOperand source = {.text = first ? unquote(first) : "", .line = o->line, .col = o->col};
    return ok ? sh_task_of(s, kind, &options, &source, 1, err) : NULL;
}

static ThTask *task_value(ShSession *s, const ShOperand *o, bool *tried, ThError *err)
{
    size_t n = strcspn(o->text, "(");
    char *text TH_OWNED(free) = th_strdup(o->text, err),
               *name TH_OWNED(free) = text ? th_strndup(text, n, err) : NULL;
    *tried = name && (o->text[n] || th_task_kind(name));
    ThTask *t = *tried ? task_of(s, o, text, err) : NULL;
    if (*tried && !t && err)
        err->line = err->col = 0;
    return t;
}

/* An automaton or a language where a task is wanted: the task to recognize it.  *tried: that is
 * what stands there. */
static ShObject *make_recognize(ShSession *s, const ShOperand *o, bool *tried, ThError *err)
{
    const ShObject *a = sh_find(s, o->text);
    *tried = a && (a->kind == SH_AUTOMATON || a->kind == SH_LANGUAGE);
    ThText text TH_OWNED(th_text_free) = {0};
    th_text_printf(&text, "recognize(%s)", o->text);
    char *name TH_OWNED(free) = *tried ? th_text_take(&text, err) : NULL;
    ShOperand whole = {.text = name, .line = o->line, .col = o->col};
    bool task;
    ThTask *t = name ? task_value(s, &whole, &task, err) : NULL;
    return t ? sh_object_of(s, SH_TASK, name, t, err) : NULL;
}

static ShObject *make_object(ShSession *s, const ShOperand *o, ShKind kind, void *value,
                             ThError *err)
{
    return value ? sh_object_of(s, kind, o->text, value, err) : NULL;
}

/* What is no automaton, but an s-op or a selector. */
static ShObject *make_program(ShSession *s, const ShOperand *o, ThError *err)
{
    ShKind kind;
    ThRaspSop node;
    if (th_is_word(o->text) || !sh_program_value(s, o, &node, &kind, err))
        return NULL;
    ShObject *made = sh_object_of(s, kind, o->text, NULL, err);
    if (made)
        made->as.node = node;
    return made;
}

/* Makes the object that an operand describes; *tried as above. */
static ShObject *make(ShSession *s, const ShOperand *o, bool *tried, ThError *err)
{
    ShObject *made = NULL;
    *tried = false;
    if (o->kind == A_OBJECT || o->kind == A_AUTOMATON || o->kind == A_LANGUAGE)
        made = make_object(s, o, SH_AUTOMATON, automaton_of(s, o, tried, err), err);
    if (!*tried && (o->kind == A_OBJECT || o->kind == A_LANGUAGE) &&
        (made = make_object(s, o, SH_LANGUAGE, th_language_named(o->text, err), err)))
        return made;
    if (*tried && !made && o->kind == A_OBJECT)
        return make_program(s, o, err);
    if (!*tried && (o->kind == A_OBJECT || o->kind == A_LANGUAGE || o->kind == A_MACHINE))
        return make_object(s, o, SH_MACHINE, machine_of(s, o, tried, err), err);
    if (o->kind == A_TASK)
        return make_object(s, o, SH_TASK, task_value(s, o, tried, err), err);
    return made;
}

/* The kind of object that an operand names, or -1: there are several. */
static int kind_wanted(ShArgKind operand)
{
    return operand == A_AUTOMATON ? SH_AUTOMATON
           : operand == A_MACHINE ? SH_MACHINE
           : operand == A_TASK    ? SH_TASK
           : operand == A_MODEL   ? SH_MODEL
                                  : -1;
}

bool sh_operand_takes(ShArgKind operand, ShKind kind)
{
    bool language =
        kind == SH_AUTOMATON || kind == SH_LANGUAGE || kind == SH_MACHINE || kind == SH_S_OP;
    return operand == A_OBJECT || (operand == A_LANGUAGE && language) ||
           (int)kind == kind_wanted(operand);
}

static bool is_language(const ShOperand *o, ThError *err)
{
    ShKind kind = o->object->kind;
    if (sh_operand_takes(A_LANGUAGE, kind))
        return true;
    th_fail(err, TH_EUSAGE, "'%s' is %s, and no language", o->text, sh_a_kind(kind));
    return th_hint(err, "languages are automata, grammars, machines and s-ops with truth values");
}

/* A grammar and the like where an automaton is wanted; NULL: none of it is known. */
static ShObject *make_regular(ShSession *s, const ShOperand *o, ThError *err)
{
    const ShObject *l = sh_find(s, o->text);
    ThAutomaton *a = NULL;
    if (l && l->kind == SH_LANGUAGE && !th_language_automaton(l->as.language, &a, sh_stop(s), err))
        return NULL;
    return make_object(s, o, SH_AUTOMATON, a, err);
}

bool sh_operand_resolve(ShSession *s, ShOperand *o, bool named, ThError *err)
{
    bool tried = false;
    if (!named && o->kind == A_TASK && sh_find(s, o->text))
        o->object = o->own = make_recognize(s, o, &tried, err);
    else if (!named && o->kind == A_AUTOMATON && sh_find(s, o->text))
        o->object = o->own = make_regular(s, o, err);
    else if (!named && !sh_find(s, o->text))
        o->object = o->own = make(s, o, &tried, err);
    if (!tried && !o->object)
        o->object = sh_need_object(s, o->text, kind_wanted(o->kind), err);
    return o->object && (o->kind != A_LANGUAGE || is_language(o, err));
}
