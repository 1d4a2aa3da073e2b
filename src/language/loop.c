#include "language/loop.h"

#include "rasp.h"
#include "shell.h"

/* ---- what stands in front of a body ---------------------------------------------------------- */

size_t sh_find_body(const ShStatement *st, size_t at)
{
    const ShToken *t = st->lexer->token;
    while (at < st->to && !t[at].body)
        at = t[at].match > at ? t[at].match + 1 : at + 1;
    return at;
}

size_t sh_behind_bodies(const ShStatement *st, size_t at)
{
    for (size_t open = at; (open = sh_find_body(st, open)) < st->to;)
        at = open = st->lexer->token[open].match + 1;
    return at;
}

bool sh_nothing_left(const ShStatement *st, size_t at, const char *what, ThError *err)
{
    if (at >= st->to)
        return true;
    const ShToken *t = &st->lexer->token[at];
    const char *text = st->lexer->text.data + t->start;
    if (t->type == T_OPTION)
        return th_fail_at(err, TH_EUSAGE, t->line, t->col, "%s has no option %.*s", what,
                          (int)(t->value - t->start - 1), text) ||
               th_hint(err, "see help %s", what);
    return th_fail_at(err, TH_EUSAGE, t->line, t->col, "unexpected '%.*s' behind the '}'",
                      (int)(t->end - t->start), text) ||
           th_hint(err, "the next command stands on a line of its own, or behind a ;");
}

size_t sh_find_option(const ShStatement *st, size_t from, size_t to)
{
    const ShToken *t = st->lexer->token;
    while (from < to && t[from].type != T_OPTION)
        from = t[from].match > from ? t[from].match + 1 : from + 1;
    return from < to ? from : to;
}

char *sh_body_header(const ShStatement *st, size_t from, size_t to, ShOperand *o, ThError *err)
{
    const ShToken *word = &st->lexer->token[from - 1], *first = &st->lexer->token[from];
    *o = (ShOperand){.line = first->line, .col = first->col};
    if (to == st->to)
        return th_null(th_fail_at(err, TH_EUSAGE, word->line, word->col,
                                  "expected '{' behind this '%.*s'", (int)(word->end - word->start),
                                  st->lexer->text.data + word->start));
    char *text = sh_lex_source(st->lexer, first->start, st->lexer->token[to].start, err);
    o->text = text;
    return text;
}

/* ---- lists and turns ------------------------------------------------------------------------- */

/* NAME, … in LIST: views of the header. */
typedef struct {
    const char *name[SH_MOST_NAMES];
    size_t name_size[SH_MOST_NAMES];
    int n_names;
    const char *list;
    size_t size;
} Clause;

typedef struct {
    ShSession *s;
    const ShLoop *loop;
    const ShOperand *header;
    Clause clause[SH_MOST_CLAUSES];
    int n;
    ShLoopNames names;
    ThError *err;
} Loop;

/* What a clause goes through: numbers, or values of RASP, or the arguments of a script. */
typedef struct {
    enum { NUMBERS, VALUES, ARGUMENTS } kind;
    size_t n;
    ThRange range;
    ThRaspValue list; /* kept */
} Turns;

/* Gives the error a position in the header. */
static bool place_at(const Loop *l, const char *at)
{
    int line = 1, col = 1;
    for (const char *c = l->header->text; c < at; c++) {
        line += *c == '\n';
        col = *c == '\n' ? 1 : col + (((unsigned char)*c & 0xc0) != 0x80);
    }
    l->err->line = line;
    l->err->col = col;
    return sh_error_inside(l->err, l->header);
}

static bool fail_at(const Loop *l, const char *at, const char *message)
{
    th_fail(l->err, TH_EUSAGE, "%s", message);
    return place_at(l, at);
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* Reads NAME, … in; *p moves behind it. */
static bool read_names(const char **p, Clause *c)
{
    const char *at = *p;
    *c = (Clause){0};
    for (;;) {
        at = skip_blanks(at);
        size_t n = 0;
        while (sh_is_name_byte((unsigned char)at[n]))
            n++;
        if (n == 0 || c->n_names == SH_MOST_NAMES)
            return false;
        c->name[c->n_names] = at;
        c->name_size[c->n_names++] = n;
        at = skip_blanks(at + n);
        if (*at != ',')
            break;
        at++;
    }
    if (strncmp(at, "in", 2) != 0 || sh_is_name_byte((unsigned char)at[2]))
        return false;
    *p = at + 2;
    return true;
}

/* The list goes up to the comma before the next clause. */
static const char *list_end(const char *p)
{
    Clause next;
    int depth = 0;
    bool quoted = false;
    for (; *p; p++) {
        const char *behind = p + 1;
        if (quoted && *p == '\\' && p[1])
            behind = ++p + 1;
        else
            quoted = quoted != (*p == '"');
        depth += !quoted && strchr("([{", *p) ? 1 : !quoted && strchr(")]}", *p) ? -1 : 0;
        if (*p == ',' && !quoted && depth == 0 && read_names(&behind, &next))
            return p;
    }
    return p;
}

static bool read_clauses(Loop *l)
{
    const char *p = l->header->text;
    for (;;) {
        Clause *c = &l->clause[l->n];
        if (l->n == SH_MOST_CLAUSES)
            return fail_at(l, p, "too many variables in one loop");
        if (!read_names(&p, c))
            return fail_at(l, skip_blanks(p), "expected NAME in LIST here");
        c->list = skip_blanks(p);
        p = list_end(c->list);
        c->size = (size_t)(p - c->list);
        while (c->size > 0 && strchr(" \t\r\n", c->list[c->size - 1]))
            c->size--;
        if (c->size == 0)
            return fail_at(l, c->list, "expected a range or a list behind 'in'");
        l->n++;
        if (!*p)
            return true;
        p++;
    }
}

/* A list as RASP reads it: bare words in it are strings. */
static void quote_words(ThText *to, const char *text)
{
    bool quoted = false;
    while (*text) {
        size_t n = 0;
        while (sh_is_name_byte((unsigned char)text[n]))
            n++;
        bool word = n > 0 && !quoted && (*text < '0' || *text > '9') && text[n] != '(' &&
                    !(n == 4 && memcmp(text, "True", 4) == 0) &&
                    !(n == 5 && memcmp(text, "False", 5) == 0);
        if (n == 0 && *text == '$')
            n = 1 +
                strspn(text + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        bool escape = quoted && *text == '\\' && text[1];
        n = n ? n : 1 + (size_t)escape;
        quoted = quoted != (*text == '"');
        th_text_add(to, word ? "\"" : "");
        th_text_add_bytes(to, text, n);
        th_text_add(to, word ? "\"" : "");
        text += n;
    }
}

/* Returns new: the text with the variables in its strings replaced; those outside of them are
 * values of RASP. */
static char *insert_in_strings(const Loop *l, const char *text)
{
    ThText to = {0};
    bool ok = true;
    while (ok && *text) {
        size_t n = strcspn(text, "\"");
        th_text_add_bytes(&to, text, n);
        text += n;
        for (n = *text != '\0'; text[0] && text[n] && text[n] != '"'; n++)
            n += text[n] == '\\' && text[n + 1];
        n += text[0] && text[n];
        char *string TH_OWNED(free) = th_strndup(text, n, l->err);
        ok = string && sh_insert(l->s, string, &to, l->err);
        text += n;
    }
    if (ok)
        return th_text_take(&to, l->err);
    th_text_free(&to);
    return NULL;
}

/* Evaluates a list of RASP. */
static bool read_values(const Loop *l, const char *text, Turns *t)
{
    ThText source TH_OWNED(th_text_free) = {0};
    ThRasp *r = sh_session_rasp(l->s, l->err);
    char *inserted TH_OWNED(free) = r ? insert_in_strings(l, text) : NULL;
    if (inserted && *text == '[' && !strstr(text, " for "))
        quote_words(&source, inserted);
    else
        th_text_add(&source, inserted ? inserted : "");
    char *list TH_OWNED(free) = inserted ? th_text_take(&source, l->err) : NULL;
    bool ok = list && th_rasp_evaluate(r, list, &t->list, sh_stop(l->s), l->err);
    if (ok && t->list.kind != TH_RASP_VALUE_LIST) {
        th_fail(l->err, TH_EVALUE, "this is no list");
        ok = th_hint(l->err, "a loop goes through a range, 1..5, or a list, [a, b]");
    }
    if (!ok)
        return false;
    th_rasp_keep(&t->list);
    t->kind = VALUES;
    t->n = th_rasp_length(&t->list);
    return true;
}

static bool is_range(const char *text)
{
    return *text != '[' && *text != '"' && strstr(text, "..");
}

static bool read_turns(const Loop *l, const Clause *c, Turns *t)
{
    ThText inserted TH_OWNED(th_text_free) = {0};
    size_t n;
    char *text TH_OWNED(free) = th_strndup(c->list, c->size, l->err);
    const char *name = text ? sh_insertion(text, &n) : NULL;
    bool ok = text != NULL;
    *t = (Turns){0};
    if (ok && name && n == 4 && memcmp(name, "args", 4) == 0) {
        *t = (Turns){.kind = ARGUMENTS, .n = l->s->n_args};
    } else if (ok && name) {
        text[n + (size_t)(name - text)] = '\0'; /* the brace */
        ok = read_values(l, name, t);
    } else if (ok && is_range(text)) {
        ok = sh_insert(l->s, text, &inserted, l->err) &&
             th_range_parse(&t->range, inserted.data, l->err);
        t->n = ok ? th_range_count(t->range) : 0;
    } else if (ok) {
        ok = read_values(l, text, t);
    }
    if (!ok && l->err && l->err->code)
        place_at(l, c->list); /* where inside of it is not known after the insertion */
    return ok;
}

/* Gives the variables of a clause their values of turn i. */
static bool set_names(const Loop *l, const Clause *c, const Turns *t, size_t i)
{
    ThRaspValue v = {.kind = TH_RASP_VALUE_ATOM};
    char name[SH_NAME];
    bool several = c->n_names > 1;
    if (t->kind == NUMBERS)
        v.as.atom = th_rasp_int(t->range.lo + (long long)i * t->range.step);
    else if (t->kind == VALUES)
        v = th_rasp_element(&t->list, i);
    if (several && (v.kind != TH_RASP_VALUE_LIST || th_rasp_length(&v) != (size_t)c->n_names))
        return fail_at(l, c->list,
                       "an element of this list has not as many values as there are names");
    for (int k = 0; k < c->n_names; k++) {
        ThRaspValue part = several ? th_rasp_element(&v, (size_t)k) : v;
        snprintf(name, sizeof name, "%.*s", (int)c->name_size[k], c->name[k]);
        bool ok = t->kind == ARGUMENTS
                      ? sh_variable_read(l->s, name, l->s->args[i], l->err)
                      : sh_session_rasp(l->s, l->err) && sh_variable_set(l->s, name, &part, l->err);
        if (!ok)
            return sh_error_inside(l->err, l->header);
    }
    return true;
}

/* "kind = lstm" */
static void write_turn(const Loop *l, const Clause *c, ThText *t)
{
    char name[SH_NAME];
    for (int k = 0; k < c->n_names; k++) {
        snprintf(name, sizeof name, "%.*s", (int)c->name_size[k], c->name[k]);
        ShFigureValue v = sh_variable(l->s, name);
        th_text_printf(t, "%s%s = ", k ? ", " : "", name);
        sh_variable_write(t, &v);
    }
}

static bool run_clause(const Loop *l, int k);

static bool run_turn(const Loop *l, int k, const Turns *t, size_t i)
{
    const Clause *c = &l->clause[k];
    ThText text TH_OWNED(th_text_free) = {0};
    if (!set_names(l, c, t, i))
        return false;
    write_turn(l, c, &text);
    ShTurn turn = {l->s->turn, th_text_string(&text)};
    l->s->turn = &turn;
    bool ok = run_clause(l, k + 1);
    l->s->turn = turn.outer;
    return ok;
}

/* Every list is read anew in each turn of those before it. */
static bool run_clause(const Loop *l, int k)
{
    Turns t;
    if (k == l->n)
        return l->loop->turn(l->loop->context, &l->names, l->err);
    bool ok = read_turns(l, &l->clause[k], &t);
    for (size_t i = 0; ok && i < t.n && !l->s->leaving && !l->s->broken_pipe; i++)
        ok = run_turn(l, k, &t, i);
    if (t.kind == VALUES)
        th_rasp_give_up(l->s->rasp, &t.list);
    return ok;
}

static void note_names(Loop *l)
{
    for (int k = 0; k < l->n; k++)
        for (int i = 0; i < l->clause[k].n_names; i++)
            snprintf(l->names.name[l->names.n++], SH_NAME, "%.*s", (int)l->clause[k].name_size[i],
                     l->clause[k].name[i]);
}

bool sh_loop(ShSession *s, const ShLoop *loop, ThError *err)
{
    Loop l = {.s = s, .loop = loop, .header = loop->header, .err = err};
    if (!read_clauses(&l))
        return false;
    note_names(&l);
    return run_clause(&l, 0);
}
