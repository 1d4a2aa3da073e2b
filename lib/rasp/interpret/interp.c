/* interp.c - the interpreter: its life, its names, and statements. */
#include "rasp/interpret/interp.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- errors and names ------------------------------------------------------------------------ */

bool th_rasp_error(ThRasp *r, ThErrc code, const char *format, ...)
{
    char message[sizeof r->err->msg];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return th_fail_at(r->err, code, r->line, r->col, "%s", message);
}

void th_rasp_here(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    const ThRaspNode *n = &f->program->tree.node[node];
    if (f->program->library)
        return;
    if (f->program != r->top) {
        r->inside = (ThRaspInside){f->program->where, n->line, n->col};
        return;
    }
    r->inside = (ThRaspInside){0};
    r->line = n->line;
    r->col = n->col;
}

bool th_rasp_name_id(ThRasp *r, const char *name, uint32_t *id)
{
    size_t index = 0;
    if (!th_intern(&r->names, name, strlen(name) + 1, &index, r->err))
        return false;
    *id = (uint32_t)index;
    return true;
}

const char *th_rasp_id_name(const ThRasp *r, uint32_t id)
{
    return th_intern_at(&r->names, id, NULL);
}

static bool look(const ThRasp *r, const ThRaspScope *scope, const char *name, ThRaspValue *v)
{
    size_t id = th_intern_find(&r->names, name, strlen(name) + 1);
    const ThRaspBinding *b = id == SIZE_MAX ? NULL : th_rasp_scope_find(scope, (uint32_t)id);
    if (b)
        *v = b->value;
    return b != NULL;
}

bool th_rasp_lookup_base(const ThRasp *r, const char *name, ThRaspValue *v)
{
    return look(r, r->base, name, v);
}

bool th_rasp_lookup(const ThRasp *r, const char *name, ThRaspValue *v)
{
    return look(r, r->global, name, v) || look(r, r->base, name, v);
}

const char *th_rasp_name_at(const ThRasp *r, size_t i)
{
    const ThRaspScope *scopes[] = {r->global, r->base};
    for (int k = 0; k < 2; k++)
        for (size_t j = 0; j < scopes[k]->n; j++)
            if (scopes[k]->item[j].there && i-- == 0)
                return th_rasp_id_name(r, scopes[k]->item[j].name);
    return NULL;
}

bool th_rasp_name_ok(const char *name, ThError *err)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (n == 0 || name[n] || (name[0] >= '0' && name[0] <= '9'))
        return th_fail(err, TH_EUSAGE, "'%.100s' cannot be a name in RASP", name) ||
               th_hint(err,
                       "names are made of letters, digits and _, and do not begin with a digit");
    if (th_rasp_is_reserved(name))
        return th_fail(err, TH_EUSAGE, "'%s' is a reserved name of RASP", name);
    return true;
}

void th_rasp_keep(const ThRaspValue *v)
{
    th_rasp_retain(*v);
}

void th_rasp_give_up(ThRasp *r, const ThRaspValue *v)
{
    th_rasp_release(&r->heap, *v);
}

bool th_rasp_define(ThRasp *r, const char *name, const ThRaspValue *v, ThError *err)
{
    uint32_t id;
    r->err = err;
    return th_rasp_name_ok(name, err) && th_rasp_name_id(r, name, &id) &&
           th_rasp_scope_set(&r->heap, r->global, id, th_rasp_retain(*v), err);
}

void th_rasp_undefine(ThRasp *r, const char *name)
{
    size_t id = th_intern_find(&r->names, name, strlen(name) + 1);
    ThRaspBinding *b = id == SIZE_MAX ? NULL : th_rasp_scope_find(r->global, (uint32_t)id);
    if (!b)
        return;
    b->there = false;
    th_rasp_release(&r->heap, b->value);
}

/* ---- programs -------------------------------------------------------------------------------- */

static bool number_names(ThRasp *r, ThRaspTree *t)
{
    for (size_t i = 0; i < t->n; i++) {
        ThRaspNode *n = &t->node[i];
        uint32_t id;
        if (n->kind != TH_RASP_R_NAME && n->kind != TH_RASP_R_DEF && n->kind != TH_RASP_R_NAMED)
            continue;
        if (!th_rasp_name_id(r, t->text + n->text, &id))
            return false;
        n->number.integer = id;
    }
    return true;
}

/* What a program's one statement defines: "f", or "f of raspl". */
static bool name_program(ThRasp *r, ThRaspProgram *p, ThError *err)
{
    int32_t first = p->tree.node[p->tree.root].first;
    bool def = first >= 0 && p->tree.node[first].kind == TH_RASP_R_DEF;
    bool console = strcmp(p->label, "console") == 0;
    ThText t = {0};
    th_text_add(&t, def ? th_rasp_text(&p->tree, first) : "a function");
    if (!console)
        th_text_printf(&t, " of %s", p->label);
    char *name TH_OWNED(free) = th_text_take(&t, err);
    return name && th_rasp_name_id(r, name, &p->where);
}

ThRaspProgram *th_rasp_program(ThRasp *r, ThRaspTree *t, const char *text, size_t n,
                               const char *label, ThError *err)
{
    r->err = err;
    ThRaspProgram *p =
        (ThRaspProgram *)th_rasp_object(&r->heap, TH_RASP_OBJECT_PROGRAM, sizeof *p, err);
    if (!p) {
        th_rasp_tree_free(t);
        return NULL;
    }
    p->tree = *t;
    *t = (ThRaspTree){0};
    p->text = th_strndup(text, n, err);
    p->label = th_strdup(label, err);
    if (p->text && p->label && name_program(r, p, err) && number_names(r, &p->tree) &&
        th_rasp_charge(&r->heap, &p->head, n * 4, err))
        return p;
    th_rasp_object_release(&r->heap, &p->head);
    return NULL;
}

/* ---- undoing --------------------------------------------------------------------------------- */

/* Notes what a binding is, unless this statement has done so already. */
static bool note(ThRasp *r, ThRaspScope *scope, uint32_t name, const ThRaspBinding *b)
{
    if (b && b->saved == r->serial)
        return true;
    if (!th_grow(&r->undo, &r->cap_undo, r->n_undo + 1, sizeof *r->undo, r->err))
        return false;
    ThRaspUndo *u = &r->undo[r->n_undo++];
    *u = (ThRaspUndo){scope, name, b != NULL, {0}};
    if (b)
        u->before = th_rasp_retain(b->value);
    scope->head.refs++;
    return true;
}

bool th_rasp_set_global(ThRasp *r, ThRaspScope *scope, uint32_t name, ThRaspValue v)
{
    if (!note(r, scope, name, th_rasp_scope_find(scope, name))) {
        th_rasp_release(&r->heap, v);
        return false;
    }
    if (!th_rasp_scope_set(&r->heap, scope, name, v, r->err))
        return false;
    th_rasp_scope_find(scope, name)->saved = r->serial;
    return true;
}

/* Forgets the journal from entry `from` on; puts the old values back unless `keep`. */
static void settle(ThRasp *r, size_t from, bool keep)
{
    while (r->n_undo > from) {
        ThRaspUndo u = r->undo[--r->n_undo];
        ThRaspBinding *b = keep ? NULL : th_rasp_scope_find(u.scope, u.name);
        if (b) {
            ThRaspValue after = b->value;
            b->there = u.was_there;
            b->value = u.before;
            th_rasp_release(&r->heap, after);
        } else if (u.was_there) {
            th_rasp_release(&r->heap, u.before);
        }
        th_rasp_object_release(&r->heap, &u.scope->head);
    }
}

static void forget_shown(ThRasp *r, size_t from)
{
    while (r->n_shown > from)
        th_rasp_release(&r->heap, r->shown[--r->n_shown].value);
}

/* ---- the value of a new name ----------------------------------------------------------------- */

static ThRaspExample *example_for(ThRasp *r, const ThRaspValue *v)
{
    return &r->example[v->kind == TH_RASP_VALUE_SELECTOR];
}

static bool refuse(ThRasp *r, ThRaspRun *run, ThRaspSop sop)
{
    ThRaspSop failed = th_rasp_run_failed(run);
    if (failed == TH_RASP_NO_SOP)
        failed = sop;
    const ThRaspPlace *p = failed < r->n_places ? &r->place[failed] : NULL;
    if (p && p->serial == r->serial && r->err && r->err->line == 0 && p->line > 0) {
        r->err->line = p->line;
        r->err->col = p->col;
        r->inside = p->inside.line > 0 ? p->inside : r->inside;
    }
    if (!r->err || r->err->code == TH_EINTERRUPTED)
        return false;
    ThText t TH_OWNED(th_text_free) = {0};
    th_rasp_write_elements(r, th_rasp_run_input(run), &t);
    return th_hint(r->err, "that is on the example %.60s%s; set example changes it",
                   th_text_string(&t), t.size > 60 ? "…" : "");
}

/* A new s-op or selector must have a value on the example. */
static bool check_node(ThRasp *r, const ThRaspValue *v)
{
    ThRaspRun *run = example_for(r, v)->run;
    if (!run)
        return true;
    if (v->kind == TH_RASP_VALUE_SOP)
        return th_rasp_run_value(run, v->as.sop, r->stop, r->err) || refuse(r, run, v->as.sop);
    ThRaspSop before = th_rasp_nodes(r->graph), width = th_rasp_width(r->graph, v->as.sop, r->err);
    bool ok = width != TH_RASP_NO_SOP &&
              (th_rasp_run_value(run, width, r->stop, r->err) || refuse(r, run, v->as.sop));
    th_rasp_rewind(r->graph, before);
    return ok;
}

bool th_rasp_check(ThRasp *r, const ThRaspValue *v)
{
    if (th_rasp_is_node(v))
        return check_node(r, v);
    size_t n;
    const ThRaspValue *held = th_rasp_held(v, &n);
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = th_rasp_check(r, &held[i]);
    return ok;
}

bool th_rasp_is_global(const ThRasp *r, const ThRaspScope *s)
{
    return s->parent == r->base;
}

static bool name_node(ThRasp *r, const char *name, const ThRaspValue *v)
{
    return !th_rasp_is_node(v) || th_rasp_name_of(r->graph, v->as.sop) ||
           th_rasp_name(r->graph, v->as.sop, name, r->err);
}

bool th_rasp_bind(ThRasp *r, const ThRaspFrame *f, int32_t node, ThRaspValue v)
{
    const char *name = th_rasp_text(&f->program->tree, node);
    uint32_t id = (uint32_t)f->program->tree.node[node].number.integer;
    bool ok = true;
    th_rasp_here(r, f, node);
    if (th_rasp_is_reserved(name) && !f->program->library)
        ok = th_rasp_error(r, TH_EVALUE, "'%s' is a reserved name", name);
    if (ok && f->scope == r->global && r->host.may_define)
        ok = r->host.may_define(r->host.context, name, r->err);
    ok = ok && name_node(r, name, &v);
    if (ok && th_rasp_is_global(r, f->scope)) {
        ok = th_rasp_check(r, &v);
        if (ok)
            return th_rasp_set_global(r, f->scope, id, v);
    }
    if (ok)
        return th_rasp_scope_set(&r->heap, f->scope, id, v, r->err);
    th_rasp_release(&r->heap, v);
    return false;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Tells the host what has been defined, and shows what there is to show. */
static bool announce(ThRasp *r, size_t undo, size_t shown, ThError *err)
{
    bool ok = true;
    for (size_t i = undo; ok && i < r->n_undo; i++) {
        const ThRaspUndo *u = &r->undo[i];
        const ThRaspBinding *b = th_rasp_scope_find(u->scope, u->name);
        const char *name = th_rasp_id_name(r, u->name);
        if (u->scope == r->global && b && r->host.defined && strcmp(name, "out") != 0)
            ok = r->host.defined(r->host.context, name, &b->value, err);
    }
    for (size_t i = shown; ok && i < r->n_shown; i++) {
        ThRaspShown s = {r->shown[i].as, th_rasp_id_name(r, r->shown[i].name), r->shown[i].value};
        ok = r->host.show(r->host.context, &s, err);
    }
    return ok;
}

/* Adds where in a function it was. */
static void tell_inside(const ThRasp *r, ThError *err)
{
    size_t n = strlen(err->msg);
    if (r->inside.line > 0)
        snprintf(err->msg + n, sizeof err->msg - n, ", in %s at line %d, column %d",
                 th_rasp_id_name(r, r->inside.where), r->inside.line, r->inside.col);
}

bool th_rasp_guard(ThRasp *r, bool (*body)(ThRasp *r, const void *context), const void *context,
                   ThError *err)
{
    size_t undo = r->n_undo, shown = r->n_shown;
    ThRaspSop nodes = th_rasp_nodes(r->graph);
    r->err = err;
    r->serial++;
    r->line = r->col = 0;
    r->inside = (ThRaspInside){0};
    bool ok = body(r, context);
    r->err = err;
    if (!ok && err && err->code == TH_OK)
        th_fail(err, TH_ENOMEM, "out of memory");
    if (!ok && err && err->line == 0) {
        err->line = r->line;
        err->col = r->col;
    }
    if (!ok && err)
        tell_inside(r, err);
    bool told = !ok || announce(r, undo, shown, err);
    forget_shown(r, shown);
    settle(r, undo, ok);
    if (!ok) {
        th_rasp_rewind(r->graph, nodes);
        r->n_places = nodes < r->n_places ? nodes : r->n_places;
    }
    r->inside = (ThRaspInside){0};
    r->line = r->col = 0; /* what fails outside of statements has no place */
    return ok && told;
}

typedef struct {
    const ThRaspFrame *frame;
    int32_t node;
} Statement;

static bool statement_body(ThRasp *r, const void *context)
{
    const Statement *s = context;
    return th_rasp_do(r, s->frame, s->node);
}

bool th_rasp_statement(ThRasp *r, const ThRaspFrame *f, int32_t node, ThError *err)
{
    Statement s = {f, node};
    r->top = f->program;
    return th_rasp_guard(r, statement_body, &s, err);
}

/* Runs the statements of a tree, which is taken over. */
static bool run(ThRasp *r, ThRaspTree *t, const char *text, size_t n, ThStop *stop, ThError *err)
{
    ThRaspProgram *p = th_rasp_program(r, t, text, n, "console", err);
    if (!p)
        return false;
    ThRaspFrame f = {p, r->global};
    bool ok = true;
    r->stop = stop;
    for (int32_t s = p->tree.node[p->tree.root].first; ok && s >= 0; s = p->tree.node[s].next)
        ok = th_rasp_statement(r, &f, s, err);
    r->stop = NULL;
    r->err = NULL;
    r->top = NULL;
    th_rasp_object_release(&r->heap, &p->head);
    return ok;
}

bool th_rasp_run_tree(ThRasp *r, const ThRaspTree *t, const char *text, size_t n, ThStop *stop,
                      ThError *err)
{
    ThRaspTree copy;
    return th_rasp_tree_copy(&copy, t, err) && run(r, &copy, text, n, stop, err);
}

bool th_rasp_execute(ThRasp *r, const char *text, bool prompt, bool lines, ThStop *stop,
                     ThError *err)
{
    ThRaspDialect d = {.grammar = r->grammar, .prompt = prompt, .lines = lines};
    ThRaspTree t = {0};
    size_t n = strlen(text);
    if (th_rasp_parse(&t, text, n, d, err))
        return run(r, &t, text, n, stop, err);
    th_rasp_tree_free(&t);
    return false;
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool start_examples(ThRasp *r, ThError *err)
{
    ThRaspAtom hello;
    if (!th_rasp_atom_string(&r->atoms, "hello", 5, &hello, err))
        return false;
    for (int i = 0; i < 2; i++) {
        r->example[i].value = th_rasp_atom_value(hello);
        r->example[i].on = true;
        r->example[i].run = th_rasp_run_on(r, &r->example[i].value, err);
        if (!r->example[i].run)
            return false;
    }
    return true;
}

ThRasp *th_rasp_new(const ThRaspHost *host, ThError *err)
{
    ThRasp *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    r->err = err;
    r->heap.limit = TH_RASP_HEAP_BYTES;
    r->graph = th_rasp_graph_new(&r->atoms, err);
    r->base = r->graph ? th_rasp_scope_new(&r->heap, NULL, err) : NULL;
    bool ok = r->base && th_rasp_install_builtins(r) && th_rasp_load_library(r, err);
    r->global = ok ? th_rasp_environment(r, err) : NULL;
    ok = r->global && start_examples(r, err);
    r->err = NULL;
    if (host)
        r->host = *host;
    return TH_KEEP_IF(ok, r, th_rasp_free);
}

void th_rasp_free(ThRasp *r)
{
    if (!r)
        return;
    for (int i = 0; i < 2; i++)
        th_rasp_run_free(r->example[i].run);
    th_rasp_graph_free(r->graph); /* its functions are objects of the heap */
    th_rasp_heap_free(&r->heap);
    th_rasp_atoms_free(&r->atoms);
    th_intern_free(&r->names);
    TH_FREE(r->beside, r->place, r->undo, r->shown, r);
}

/* ---- small ----------------------------------------------------------------------------------- */

void th_rasp_set_grammar(ThRasp *r, const ThRaspGrammar *g)
{
    r->grammar = g;
}

ThRaspGraph *th_rasp_graph(ThRasp *r)
{
    return r->graph;
}

ThRaspRun *th_rasp_example_run(ThRasp *r, int which)
{
    return r->example[which == TH_RASP_FOR_SELECTORS].run;
}

const char *th_rasp_function_source(const ThRaspValue *v, size_t *size)
{
    const ThRaspFunction *f =
        v->kind == TH_RASP_VALUE_FUNCTION ? (const ThRaspFunction *)v->as.object : NULL;
    if (!f || !f->program)
        return NULL;
    const ThRaspNode *n = &f->program->tree.node[f->node];
    *size = (size_t)(n->to - n->from);
    return f->program->text + n->from;
}
