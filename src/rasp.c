#include "rasp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "shell.h"

/* ---- objects --------------------------------------------------------------------------------- */

bool sh_is_rasp(ShKind kind)
{
    return kind >= SH_S_OP && kind <= SH_VALUE;
}

ShKind sh_rasp_object_kind(const ThRaspValue *v)
{
    if (v->kind == TH_RASP_VALUE_SOP)
        return SH_S_OP;
    if (v->kind == TH_RASP_VALUE_SELECTOR)
        return SH_SELECTOR;
    return v->kind == TH_RASP_VALUE_FUNCTION ? SH_FUNCTION : SH_VALUE;
}

bool sh_rasp_value_of(ShSession *s, const ShObject *o, ThRaspValue *v, ThError *err)
{
    ThRasp *r = sh_session_rasp(s, err);
    return r && (th_rasp_lookup(r, o->name, v) ||
                 th_fail(err, TH_EUSAGE, "'%s' has no value any more", o->name));
}

/* ---- the interpreter's host ------------------------------------------------------------------ */

static json_t *json_atom(const ThRasp *r, ThRaspAtom a)
{
    ThText t = {0};
    if (a.kind == TH_RASP_ATOM_INT)
        return json_integer(a.cell.i);
    if (a.kind == TH_RASP_ATOM_BOOL)
        return json_boolean(a.cell.i);
    if (a.kind == TH_RASP_ATOM_FLOAT)
        return sh_json_number(a.cell.x);
    th_rasp_write_element(r, a, &t);
    char *text = th_text_take(&t, NULL);
    json_t *j = text ? json_string(text) : NULL;
    free(text);
    return j;
}

void sh_rasp_sequence_figures(ShSession *s, const ThRaspSeq *q)
{
    ThRasp *r = s->rasp;
    ThText t = {0};
    th_rasp_write_elements(r, q, &t);
    char *text = th_text_take(&t, NULL);
    sh_result_text(s, "output", text ? text : "");
    sh_result_text(s, "type", th_rasp_atom_kind_plural(q->kind));
    sh_result_int(s, "length", (long long)q->n);
    free(text);
    if (s->out.format != SH_FORMAT_JSON)
        return;
    json_t *list = json_array();
    for (size_t i = 0; list && i < q->n; i++)
        json_array_append_new(list, json_atom(r, th_rasp_seq_at(q, i)));
    sh_output_member(s, "elements", list);
}

static void atom_figure(ShSession *s, ThRaspAtom a)
{
    ThText t = {0};
    if (a.kind == TH_RASP_ATOM_INT)
        sh_result_int(s, "output", a.cell.i);
    else if (a.kind == TH_RASP_ATOM_FLOAT)
        sh_result_real(s, "output", a.cell.x);
    else if (a.kind == TH_RASP_ATOM_BOOL)
        sh_result_flag(s, "output", a.cell.i);
    else
        th_rasp_atom_write(th_rasp_atoms(th_rasp_graph(s->rasp)), a, &t);
    if (t.data)
        sh_result_text(s, "output", t.data);
    th_text_free(&t);
}

/* The rows of a grid, 0 and 1, with a blank between rows. */
static void grid_figure(ShSession *s, const uint8_t *cell, size_t n)
{
    ThText t = {0};
    for (size_t i = 0; i < n * n; i++)
        th_text_printf(&t, "%s%d", i > 0 && i % n == 0 ? " " : "", cell[i] != 0);
    char *text = th_text_take(&t, NULL);
    sh_result_text(s, "output", text ? text : "");
    sh_result_int(s, "length", (long long)n);
    free(text);
}

static void selector_figure(ShSession *s, const ThRaspValue *v)
{
    enum { WIDEST = 256 };
    ThRaspRun *run = th_rasp_example_run(s->rasp, TH_RASP_FOR_SELECTORS);
    size_t n = th_rasp_run_input(run)->n;
    uint8_t *cell = n <= WIDEST ? th_rasp_run_grid(run, v->as.sop, sh_stop(s), NULL) : NULL;
    if (cell)
        grid_figure(s, cell, n);
    free(cell);
}

void sh_rasp_figures(ShSession *s, const ThRaspValue *v)
{
    size_t n = 0;
    const ThRaspSeq *q = th_rasp_sequence(v);
    const uint8_t *cell = th_rasp_grid(v, &n, &q);
    ThText t = {0};
    sh_result_text(s, "kind", th_rasp_kind_name(v));
    if (v->kind == TH_RASP_VALUE_ATOM) {
        atom_figure(s, v->as.atom);
    } else if (cell) {
        grid_figure(s, cell, n);
    } else if (q) {
        sh_rasp_sequence_figures(s, q);
    } else if (v->kind == TH_RASP_VALUE_SOP) {
        ThRaspRun *run = th_rasp_example_run(s->rasp, TH_RASP_FOR_SOPS);
        q = th_rasp_run_value(run, v->as.sop, sh_stop(s), NULL);
        if (q)
            sh_rasp_sequence_figures(s, q);
    } else if (v->kind == TH_RASP_VALUE_SELECTOR) {
        selector_figure(s, v);
    } else {
        th_rasp_write_value(s->rasp, v, &t);
        sh_result_text(s, "output", t.data ? t.data : "");
        th_text_free(&t);
    }
}

static bool host_show(void *context, const ThRaspShown *shown, ThError *err)
{
    ShSession *s = context;
    FILE *out = sh_out(s);
    ThText t = {0};
    bool ok = th_rasp_write(s->rasp, shown, &t, sh_stop(s), err);
    if (ok && out)
        fputs(t.data ? t.data : "", out);
    th_text_free(&t);
    if (!ok || shown->as == TH_RASP_SHOWN_NAME)
        return ok;
    sh_result_text(s, "name", shown->name);
    sh_rasp_figures(s, &shown->value);
    return true;
}

static bool host_may_define(void *context, const char *name, ThError *err)
{
    const ShObject *o = sh_find(context, name);
    if (!o || sh_is_rasp(o->kind))
        return true;
    th_fail(err, TH_EVALUE, "'%s' is %s", name, sh_a_kind(o->kind));
    return th_hint(err, "drop %s gives the name free", name);
}

static bool host_defined(void *context, const char *name, const ThRaspValue *v, ThError *err)
{
    ShSession *s = context;
    return sh_define_rasp(s, name, sh_rasp_object_kind(v), s->rasp_source, err);
}

static void host_failed(void *context, const char *path, const ThError *err)
{
    ShSession *s = context;
    fflush(stdout);
    sh_progress_erase(s);
    fprintf(stderr, "%s:%d:%d: error: %s\n", path, err->line, err->col, err->msg);
    if (err->hint[0])
        fprintf(stderr, "hint: %s\n", err->hint);
}

static bool host_draw(void *context, ThRaspSop sop, const ThRaspSeq *input, ThError *err)
{
    return sh_draw_rasp(context, sop, input, err);
}

static void host_leave(void *context)
{
    ShSession *s = context;
    s->leaving = true;
}

const ThRaspGrammar *sh_session_grammar(const ShSession *s)
{
    size_t n;
    return &th_rasp_grammars(&n)[sh_setting_choice(s, "rasp-precedence")];
}

ThRasp *sh_session_rasp(ShSession *s, ThError *err)
{
    ThRaspHost host = {.context = s,
                       .show = host_show,
                       .may_define = host_may_define,
                       .defined = host_defined,
                       .failed = host_failed,
                       .draw = host_draw,
                       .leave = host_leave};
    if (!s->rasp)
        s->rasp = th_rasp_new(&host, err);
    if (s->rasp)
        th_rasp_set_grammar(s->rasp, sh_session_grammar(s));
    return s->rasp;
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool do_statement(ShSession *s, const ShCall *call, ThError *err)
{
    ThRasp *r = sh_session_rasp(s, err);
    if (!r)
        return false;
    s->rasp_source = call->operand[0].text;
    bool ok = th_rasp_execute(r, call->operand[0].text, true, true, sh_stop(s), err);
    s->rasp_source = NULL;
    return ok || sh_error_inside(err, &call->operand[0]);
}

bool sh_load_rasp(ShSession *s, const char *path, ThError *err)
{
    ThRasp *r = sh_session_rasp(s, err);
    ThText t = {0};
    if (r)
        th_rasp_set_folder(r, s->script);
    th_text_printf(&t, "load \"%s\";", path);
    char *source = r ? th_text_take(&t, err) : NULL;
    s->rasp_source = source;
    bool ok = source && th_rasp_load(r, path, sh_stop(s), err);
    s->rasp_source = NULL;
    th_text_free(&t);
    free(source);
    return ok;
}

const ShCommand sh_rasp_statement_command = {.name = "statement", .run = do_statement};

bool sh_rasp_span(void *session, const char *text, size_t n, bool *is, size_t *used, ThError *err)
{
    ShSession *s = session;
    ThRaspDialect d = {.grammar = sh_session_grammar(s), .lines = true, .prompt = true};
    ThRaspTree t = {0};
    *is = sh_rasp_begins(s, text, n);
    bool ok = !*is || th_rasp_parse_one(&t, text, n, d, used, err);
    th_rasp_tree_free(&t);
    return ok;
}

/* ---- whose line is it? ----------------------------------------------------------------------- */

/* The first word of a line and what follows it. */
typedef struct {
    char word[64];
    const char *rest, *end; /* behind the word's blanks */
    bool blank;             /* there were some */
} Line;

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool read_line(const char *text, size_t n, Line *l)
{
    size_t k = 0;
    while (k < n && is_letter(text[k]))
        k++;
    if (k == 0 || k >= sizeof l->word || isdigit((unsigned char)*text))
        return false;
    memcpy(l->word, text, k);
    l->word[k] = '\0';
    size_t from = k;
    while (k < n && (text[k] == ' ' || text[k] == '\t'))
        k++;
    l->blank = k > from;
    l->rest = text + k;
    l->end = text + n;
    return true;
}

static bool word_is(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && memcmp(at, word, n) == 0 &&
           (at + n == end || !is_letter(at[n]));
}

static bool one_of(const char *at, const char *end, const char *const *words)
{
    for (; *words; words++)
        if (word_is(at, end, *words))
            return true;
    return false;
}

static char rest_at(const Line *l, size_t i)
{
    return l->rest + i < l->end ? l->rest[i] : '\0';
}

/* name = …, name, name = …: but not ==. */
static bool assigns(const Line *l)
{
    return (rest_at(l, 0) == '=' && rest_at(l, 1) != '=') || rest_at(l, 0) == ',';
}

/* Is there, inside the parenthesis at hand, a comma that belongs to it? */
static bool has_arguments(const Line *l)
{
    int depth = 0;
    bool string = false;
    for (const char *c = l->rest; c < l->end; c++) {
        if (*c == '"')
            string = !string;
        else if (!string && strchr("([{", *c))
            depth++;
        else if (!string && strchr(")]}", *c) && --depth == 0)
            return false;
        else if (!string && *c == ',' && depth == 1)
            return true;
    }
    return false;
}

/* An operator behind a name, as no command has one. */
static bool operates(const Line *l)
{
    static const char *const words[] = {"if", "and", "or", "in", NULL};
    char a = rest_at(l, 0), b = rest_at(l, 1);
    if (a == '-' || a == '+')
        return b == ' ' || !l->blank;
    if (a == '=' || a == '!')
        return b == '=';
    return (a && strchr("*/%^<>", a)) || (l->blank && one_of(l->rest, l->end, words));
}

static bool at_end(const Line *l)
{
    char c = rest_at(l, 0);
    return c == '\0' || c == ';' || c == '\n' || c == '\r' || c == '#';
}

/* set example, show selector example, examples on, full seq display: RASP's own commands. */
static bool is_prompt_statement(const Line *l)
{
    static const char *const things[] = {"example", "examples", NULL};
    static const char *const states[] = {"on", "off", NULL};
    const char *rest = l->rest;
    bool set = strcmp(l->word, "set") == 0 || strcmp(l->word, "show") == 0;
    if (strcmp(l->word, "full") == 0)
        return l->blank && word_is(rest, l->end, "seq");
    if (strcmp(l->word, "examples") == 0)
        return l->blank && one_of(rest, l->end, states);
    if (strcmp(l->word, "selector") == 0)
        return l->blank && word_is(rest, l->end, "examples");
    if (strcmp(l->word, "s") == 0 && rest + 4 < l->end && memcmp(rest, "-op", 3) == 0)
        return !l->blank && (rest[3] == ' ' || rest[3] == '\t');
    if (!set || !l->blank)
        return false;
    if (word_is(rest, l->end, "selector"))
        rest += strlen("selector");
    else if (word_is(rest, l->end, "s") && l->end - rest > 4 && memcmp(rest, "s-op", 4) == 0)
        rest += strlen("s-op");
    while (rest < l->end && (*rest == ' ' || *rest == '\t'))
        rest++;
    return one_of(rest, l->end, things) && word_is(rest, l->end, "example");
}

/* The first word of a command's name. */
static bool begins_command(const char *word)
{
    size_t n_commands, n = strlen(word);
    const ShCommand *const *commands = sh_commands(&n_commands);
    for (size_t i = 0; i < n_commands; i++) {
        const ShCommand *c = commands[i];
        if (strncmp(c->name, word, n) == 0 && (c->name[n] == '\0' || c->name[n] == '_'))
            return true;
        if (c->alias && strcmp(c->alias, word) == 0)
            return true;
    }
    return false;
}

/* The commands that are themselves written with `=`. */
static bool is_definition(const char *word)
{
    const ShCommand *c = sh_command(word);
    for (int i = 0; c && i < 8; i++)
        if ((c->args[i].kind == A_KEYWORD && strcmp(c->args[i].name, "=") == 0) ||
            (c->args2[i].kind == A_KEYWORD && strcmp(c->args2[i].name, "=") == 0))
            return true;
    return false;
}

/* By itself a command's word is RASP's only where the command cannot stand alone. */
static bool needs_operand(const char *word)
{
    const ShCommand *c = sh_command(word);
    return c && c->args[0].kind != A_NONE && !(c->args[0].flags & A_OPTIONAL);
}

/* A command's word is RASP's where it is assigned to, or is a name of RASP that is used. */
static bool is_rasp_use(ShSession *s, const Line *l)
{
    ThRaspValue v = {0};
    char next = rest_at(l, 0);
    if ((strcmp(l->word, "quit") == 0 || strcmp(l->word, "exit") == 0) && next == '(')
        return true;
    if (assigns(l) && (next == '=' || !l->blank))
        return !is_definition(l->word);
    if (at_end(l))
        return needs_operand(l->word) && sh_find(s, l->word);
    if (next != '(' && next != '[' && !operates(l))
        return false;
    if (!sh_session_rasp(s, NULL) || !th_rasp_lookup(s->rasp, l->word, &v))
        return false;
    if (next == '(')
        return !l->blank || has_arguments(l);
    return (next == '[' && !l->blank) || operates(l);
}

bool sh_rasp_begins(ShSession *s, const char *text, size_t n)
{
    static const char *const words[] = {"def", "for", "not", "draw", "lambda", NULL};
    Line l = {0};
    if (n > 0 && (strchr("([{\"-+", *text) || isdigit((unsigned char)*text)))
        return true;
    if (!read_line(text, n, &l))
        return false;
    if (is_prompt_statement(&l))
        return true;
    if (begins_command(l.word))
        return is_rasp_use(s, &l);
    if (one_of(l.word, l.word + strlen(l.word), words))
        return !at_end(&l);
    ThRaspValue v = {0};
    const ShObject *o = sh_find(s, l.word);
    if (!sh_session_rasp(s, NULL))
        return false;
    bool known = th_rasp_lookup(s->rasp, l.word, &v);
    if (o && !sh_is_rasp(o->kind) && !assigns(&l))
        return false;
    if (known && (at_end(&l) || !is_letter(rest_at(&l, 0)) || operates(&l)))
        return true;
    return assigns(&l) || operates(&l) || rest_at(&l, 0) == '(' || rest_at(&l, 0) == '[';
}
