#include "rasp.h"

#include "terminal/confirm.h"
#include "terminal/diagnostics.h"
#include "language/variables.h"

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
    if (r && !th_is_word(o->name)) {
        v->kind = o->kind == SH_S_OP ? TH_RASP_VALUE_SOP : TH_RASP_VALUE_SELECTOR;
        v->as.sop = o->as.node;
        return true;
    }
    return r && (th_rasp_lookup(r, o->name, v) ||
                 th_fail(err, TH_EUSAGE, "'%s' has no value any more", o->name));
}

/* ---- inputs ---------------------------------------------------------------------------------- */

ThRaspAtom *sh_rasp_read_input(ThRasp *r, const char *text, ShRaspTokens as, size_t *n,
                               ThError *err)
{
    ThRaspAtoms *p = th_rasp_atoms(th_rasp_graph(r));
    ThRaspAtom *atom = NULL;
    size_t cap = 0;
    bool characters = as == SH_TOKENS_CHARACTERS, ok = true;
    *n = 0;
    for (size_t i = 0, end = strlen(text), size; ok && i < end; i += size) {
        size_t blanks = characters ? 0 : strspn(text + i, " \t\n");
        i += blanks;
        size = characters ? th_utf8_next(text + i, end - i, NULL) : strcspn(text + i, " \t\n");
        if (size == 0)
            break;
        ThRaspAtom a;
        ok = th_rasp_atom_string(p, text + i, size, &a, err) &&
             (as != SH_TOKENS_INTS || th_rasp_atom_convert(p, a, TH_RASP_ATOM_INT, &a, err)) &&
             th_grow(&atom, &cap, *n + 1, sizeof a, err);
        if (ok)
            atom[(*n)++] = a;
    }
    if (ok && *n > 0)
        return atom;
    free(atom);
    if (ok)
        th_fail(err, TH_EVALUE, "an input has one token at least");
    return NULL;
}

ThRaspRun *sh_rasp_run_on(ThRasp *r, const char *text, ShRaspTokens as, ThError *err)
{
    size_t n;
    ThRaspSeq input TH_OWNED(th_rasp_seq_free) = {0};
    if (as == SH_TOKENS_CHARACTERS)
        return th_rasp_run_on_text(r, text, err);
    ThRaspAtom *atom TH_OWNED(free) = sh_rasp_read_input(r, text, as, &n, err);
    bool ok = atom && th_rasp_seq_of(atom, n, &input, err);
    return ok ? th_rasp_run_new(th_rasp_graph(r), &input, 0, err) : NULL;
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
    char *text TH_OWNED(free) = th_text_take(&t, NULL);
    return text ? json_string(text) : NULL;
}

void sh_rasp_sequence_figures(ShSession *s, const ThRaspSeq *q, bool elements)
{
    ThRasp *r = s->rasp;
    ThText t = {0};
    th_rasp_write_elements(r, q, &t);
    char *text TH_OWNED(free) = th_text_take(&t, NULL);
    sh_results(s, "output:s type:s length:i", text ? text : "", th_rasp_atom_kind_plural(q->kind),
               (long long)q->n);
    if (s->out.format != SH_FORMAT_JSON || !elements)
        return;
    json_t *list = json_array();
    for (size_t i = 0; list && i < q->n; i++)
        json_array_append_new(list, json_atom(r, th_rasp_seq_at(q, i)));
    sh_output_member(s, "elements", list);
}

static void atom_figure(ShSession *s, ThRaspAtom a)
{
    ThText t TH_OWNED(th_text_free) = {0};
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
}

void sh_rasp_write_cells(const uint8_t *cell, size_t n, ThText *t)
{
    for (size_t i = 0; i < n * n; i++)
        th_text_printf(t, "%s%d", i > 0 && i % n == 0 ? " " : "", cell[i] != 0);
}

void sh_rasp_grid_figures(ShSession *s, const uint8_t *cell, size_t n)
{
    ThText t = {0};
    sh_rasp_write_cells(cell, n, &t);
    char *text TH_OWNED(free) = th_text_take(&t, NULL);
    sh_results(s, "output:s length:i", text ? text : "", (long long)n);
}

static void selector_figure(ShSession *s, const ThRaspValue *v)
{
    enum { WIDEST = 256 };
    ThRaspRun *run = th_rasp_example_run(s->rasp, TH_RASP_FOR_SELECTORS);
    size_t n = th_rasp_run_input(run)->n;
    uint8_t *cell TH_OWNED(free) =
        n <= WIDEST ? th_rasp_run_grid(run, v->as.sop, sh_stop(s), NULL) : NULL;
    if (cell)
        sh_rasp_grid_figures(s, cell, n);
}

/* Returns new: the elements of a list, of which some may be lists. */
static json_t *json_list(const ThRasp *r, const ThRaspValue *list)
{
    json_t *all = json_array();
    for (size_t i = 0; i < th_rasp_length(list); i++) {
        ThRaspValue v = th_rasp_element(list, i);
        json_array_append_new(all, v.kind == TH_RASP_VALUE_LIST   ? json_list(r, &v)
                                   : v.kind == TH_RASP_VALUE_ATOM ? json_atom(r, v.as.atom)
                                                                  : json_null());
    }
    return all;
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
        sh_rasp_grid_figures(s, cell, n);
    } else if (q) {
        sh_rasp_sequence_figures(s, q, true);
    } else if (v->kind == TH_RASP_VALUE_SOP) {
        ThRaspRun *run = th_rasp_example_run(s->rasp, TH_RASP_FOR_SOPS);
        q = th_rasp_run_value(run, v->as.sop, sh_stop(s), NULL);
        if (q)
            sh_rasp_sequence_figures(s, q, true);
    } else if (v->kind == TH_RASP_VALUE_SELECTOR) {
        selector_figure(s, v);
    } else {
        th_rasp_write_value(s->rasp, v, &t);
        sh_result_text(s, "output", th_text_string(&t));
        th_text_free(&t);
        if (v->kind == TH_RASP_VALUE_LIST && s->out.format == SH_FORMAT_JSON)
            sh_output_member(s, "elements", json_list(s->rasp, v));
    }
}

/* Has a name been given to a constant?  Then the figures of the result before can still be read, so
 * that several of them can be kept. */
static bool is_variable(const ThRaspShown *shown)
{
    return (shown->value.kind == TH_RASP_VALUE_ATOM || shown->value.kind == TH_RASP_VALUE_LIST) &&
           strcmp(shown->name, "out") != 0;
}

static bool host_show(void *context, const ThRaspShown *shown, ThError *err)
{
    ShSession *s = context;
    FILE *out = sh_out(s);
    ThText t TH_OWNED(th_text_free) = {0};
    bool ok = th_rasp_write(s->rasp, shown, &t, sh_stop(s), err);
    bool quiet = s->bodies > 0 && shown->as == TH_RASP_SHOWN_RESULT;
    if (ok && out && !quiet)
        fputs(th_text_string(&t), out);
    if (!ok || shown->as == TH_RASP_SHOWN_NAME)
        return ok;
    s->out.keeps = shown->as == TH_RASP_SHOWN_RESULT && is_variable(shown);
    s->out.no_tables = strcmp(shown->name, "out") != 0; /* definitions are no table */
    sh_result_text(s, "name", shown->name);
    sh_rasp_figures(s, &shown->value);
    return true;
}

static bool host_may_define(void *context, const char *name, ThError *err)
{
    const ShObject *o = sh_find(context, name);
    if (!o || sh_is_rasp(o->kind))
        return true;
    return th_fail(err, TH_EVALUE, "'%s' is %s", name, sh_a_kind(o->kind)) ||
           th_hint(err, "drop %s gives the name free", name);
}

static bool host_defined(void *context, const char *name, const ThRaspValue *v, ThError *err)
{
    return sh_define_rasp(context, name, sh_rasp_object_kind(v), err);
}

static void host_failed(void *context, const char *path, const ThError *err)
{
    ShSession *s = context;
    fflush(stdout);
    sh_progress_erase(s);
    char *where TH_OWNED(free) = th_printed(NULL, "%s:%d:%d: ", path, err->line, err->col);
    sh_print_error_in(s, where ? where : "", err);
}

static bool host_draw(void *context, ThRaspSop sop, const ThRaspSeq *input, ThError *err)
{
    return sh_draw_rasp(context, sop, input, err);
}

static bool host_insert(void *context, const char *name, ThRaspAtom *value, ThError *err)
{
    return sh_variable_atom(context, name, value, err);
}

static bool host_insert_text(void *context, const char *inside, ThText *to, ThError *err)
{
    return sh_insert_string(context, inside, to, err);
}

static void host_leave(void *context)
{
    ShSession *s = context;
    s->leaving = sh_confirm_leave(s);
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
                       .insert = host_insert,
                       .insert_text = host_insert_text,
                       .leave = host_leave};
    if (!s->rasp)
        s->rasp = th_rasp_new(&host, err);
    if (s->rasp)
        th_rasp_set_grammar(s->rasp, sh_session_grammar(s));
    return s->rasp;
}

/* ---- statements ------------------------------------------------------------------------------ */

ThRaspDialect sh_rasp_dialect(const ShSession *s)
{
    return (ThRaspDialect){.grammar = sh_session_grammar(s), .lines = true, .prompt = true};
}

/* A word by itself has been read as a command's, and has no tree yet. */
static bool read_word(ShSession *s, ThRaspTree *t, ThError *err)
{
    const ShLexer *lx = s->now.lexer;
    const ShToken *word = &lx->token[s->now.from];
    ThRaspSource src = {.text = lx->text.data,
                        .n = word->end,
                        .at = word->start,
                        .line = word->line,
                        .col = word->col,
                        .stop = sh_stop(s)};
    return th_rasp_parse_one(t, &src, sh_rasp_dialect(s), err);
}

static bool do_statement(ShSession *s, const ShCall *call TH_UNUSED, ThError *err)
{
    const ShLexer *lx = s->now.lexer;
    const ShToken *t = &lx->token[s->now.from];
    ThRaspTree word TH_OWNED(th_rasp_tree_free) = {0};
    ThRasp *r = sh_session_rasp(s, err);
    size_t n = t->end - t->start;
    char *text TH_OWNED(free) = r ? th_strndup(lx->text.data + t->start, n, err) : NULL;
    return text && (t->type == T_RASP || read_word(s, &word, err)) &&
           th_rasp_run_tree(r, t->type == T_RASP ? &lx->tree[t->value] : &word, text, n, sh_stop(s),
                            err);
}

bool sh_load_rasp(ShSession *s, const char *path, ThError *err)
{
    ThRasp *r = sh_session_rasp(s, err);
    if (r)
        th_rasp_set_folder(r, s->script);
    return r && th_rasp_load(r, path, sh_stop(s), err);
}

const ShCommand sh_rasp_statement_command = {.name = "statement", .run = do_statement};
