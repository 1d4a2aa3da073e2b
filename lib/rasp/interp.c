/* interp.c - the interpreter: its life, its names, and statements. */
#include "rasp/interp.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

bool th_rasp_here(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    if (f->program != r->top)
        return false;
    r->line = f->program->tree.node[node].line;
    r->col = f->program->tree.node[node].col;
    return true;
}

bool th_rasp_name_id(ThRasp *r, const char *name, uint32_t *id)
{
    size_t index;
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

bool th_rasp_is_library(const ThRasp *r, const char *name)
{
    ThRaspValue v;
    return !look(r, r->global, name, &v) && look(r, r->base, name, &v);
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
    if (n == 0 || name[n] || (name[0] >= '0' && name[0] <= '9')) {
        th_fail(err, TH_EUSAGE, "'%.100s' cannot be a name in RASP", name);
        return th_hint(err,
                       "names are made of letters, digits and _, and do not begin with a digit");
    }
    if (th_rasp_is_reserved(name))
        return th_fail(err, TH_EUSAGE, "'%s' is a reserved name of RASP", name);
    return true;
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
        if (n->kind != TH_R_NAME && n->kind != TH_R_DEF && n->kind != TH_R_NAMED)
            continue;
        if (!th_rasp_name_id(r, t->text + n->text, &id))
            return false;
        n->number.integer = id;
    }
    return true;
}

ThRaspProgram *th_rasp_program(ThRasp *r, const char *text, size_t n, ThRaspDialect d,
                               const char *label, ThError *err)
{
    r->err = err;
    ThRaspProgram *p = (ThRaspProgram *)th_rasp_object(&r->heap, TH_OBJECT_PROGRAM, sizeof *p, err);
    if (!p)
        return NULL;
    p->text = th_strndup(text, n, err);
    p->label = th_strdup(label, err);
    d.modern = r->modern;
    bool ok = p->text && p->label && th_rasp_parse(&p->tree, p->text, n, d, err) &&
              number_names(r, &p->tree) && th_rasp_charge(&r->heap, &p->head, n * 4, err);
    if (ok)
        return p;
    th_rasp_object_release(&r->heap, &p->head);
    return NULL;
}

/* ---- undoing --------------------------------------------------------------------------------- */

bool th_rasp_set_global(ThRasp *r, ThRaspScope *scope, uint32_t name, ThRaspValue v)
{
    const ThRaspBinding *b = th_rasp_scope_find(scope, name);
    ThRaspUndo u = {scope, name, b != NULL, {0}};
    if (b)
        u.before = th_rasp_retain(b->value);
    if (!th_grow(&r->undo, &r->cap_undo, r->n_undo + 1, sizeof u, r->err)) {
        if (b)
            th_rasp_release(&r->heap, u.before);
        th_rasp_release(&r->heap, v);
        return false;
    }
    scope->head.refs++;
    r->undo[r->n_undo++] = u;
    return th_rasp_scope_set(&r->heap, scope, name, v, r->err);
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
    return &r->example[v->kind == TH_VALUE_SELECTOR];
}

static bool refuse(ThRasp *r, ThRaspRun *run, ThSop sop)
{
    ThSop failed = th_rasp_run_failed(run);
    if (failed == TH_NO_SOP)
        failed = sop;
    const ThRaspPlace *p = failed < r->n_places ? &r->place[failed] : NULL;
    if (p && p->serial == r->serial && r->err && r->err->line == 0 && p->line > 0) {
        r->err->line = p->line;
        r->err->col = p->col;
    }
    if (!r->err || r->err->code == TH_EINTERRUPTED)
        return false;
    ThText t = {0};
    th_rasp_write_elements(r, th_rasp_run_input(run), &t);
    th_hint(r->err, "that is on the example %.60s%s; set example changes it", t.data ? t.data : "",
            t.size > 60 ? "…" : "");
    th_text_free(&t);
    return false;
}

/* A new s-op or selector must have a value on the example. */
static bool check_node(ThRasp *r, const ThRaspValue *v)
{
    ThRaspRun *run = example_for(r, v)->run;
    if (!run)
        return true;
    if (v->kind == TH_VALUE_SOP)
        return th_rasp_run_value(run, v->as.sop, r->stop, r->err) || refuse(r, run, v->as.sop);
    ThSop before = th_rasp_nodes(r->graph), width = th_rasp_width(r->graph, v->as.sop, r->err);
    bool ok = width != TH_NO_SOP &&
              (th_rasp_run_value(run, width, r->stop, r->err) || refuse(r, run, v->as.sop));
    th_rasp_rewind(r->graph, before);
    return ok;
}

static bool check_value(ThRasp *r, const ThRaspValue *v)
{
    if (v->kind == TH_VALUE_SOP || v->kind == TH_VALUE_SELECTOR)
        return check_node(r, v);
    bool ok = true;
    if (v->kind == TH_VALUE_LIST)
        for (size_t i = 0; ok && i < th_rasp_length(v); i++)
            ok = check_value(r, &((const ThRaspList *)v->as.object)->item[i]);
    if (v->kind == TH_VALUE_DICT)
        for (size_t i = 0; ok && i < th_rasp_length(v); i++)
            ok = check_value(r, &((const ThRaspDict *)v->as.object)->value[i]);
    return ok;
}

static bool is_global(const ThRasp *r, const ThRaspScope *s)
{
    return s->parent == r->base;
}

static bool name_node(ThRasp *r, const char *name, const ThRaspValue *v)
{
    if (v->kind != TH_VALUE_SOP && v->kind != TH_VALUE_SELECTOR)
        return true;
    return th_rasp_name_of(r->graph, v->as.sop) || th_rasp_name(r->graph, v->as.sop, name, r->err);
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
    if (ok && is_global(r, f->scope)) {
        ok = check_value(r, &v);
        if (ok)
            return th_rasp_set_global(r, f->scope, id, v);
    }
    if (ok)
        return th_rasp_scope_set(&r->heap, f->scope, id, v, r->err);
    th_rasp_release(&r->heap, v);
    return false;
}

/* ---- statements ------------------------------------------------------------------------------ */

static const ThRaspNode *at(const ThRaspFrame *f, int32_t node)
{
    return &f->program->tree.node[node];
}

static size_t siblings(const ThRaspFrame *f, int32_t node)
{
    size_t n = 0;
    for (; node >= 0; node = at(f, node)->next)
        n++;
    return n;
}

/* Notes something to be shown once the statement has succeeded. */
bool th_rasp_to_show(ThRasp *r, ThRaspShownAs as, uint32_t name, ThRaspValue v)
{
    if (!r->host.show)
        return true;
    if (!th_grow(&r->shown, &r->cap_shown, r->n_shown + 1, sizeof *r->shown, r->err))
        return false;
    r->shown[r->n_shown++] = (ThRaspToShow){as, name, th_rasp_retain(v)};
    return true;
}

static bool to_show(ThRasp *r, const ThRaspFrame *f, ThRaspShownAs as, uint32_t name, ThRaspValue v)
{
    return r->plain > 0 || f->scope != r->global || th_rasp_to_show(r, as, name, v);
}

static bool do_expression(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    int32_t e = at(f, node)->first;
    uint32_t out = 0, name;
    ThRaspValue v;
    if (!th_rasp_eval(r, f, e, &v))
        return false;
    bool ok = th_rasp_name_id(r, "out", &out);
    name = at(f, e)->kind == TH_R_NAME ? (uint32_t)at(f, e)->number.integer : out;
    bool applied = v.kind == TH_VALUE_SEQUENCE || v.kind == TH_VALUE_GRID;
    th_rasp_here(r, f, node);
    ok = ok && (!is_global(r, f->scope) || check_value(r, &v)) &&
         to_show(r, f, applied ? TH_SHOWN_APPLICATION : TH_SHOWN_RESULT, name, v);
    if (ok && is_global(r, f->scope))
        return th_rasp_set_global(r, f->scope, out, v);
    th_rasp_release(&r->heap, v);
    return ok;
}

/* The values right of `=`, as many as there are names: new values in *v, *n of them. */
static bool right_side(ThRasp *r, const ThRaspFrame *f, int32_t values, size_t wanted,
                       ThRaspValue *v, size_t *n)
{
    size_t given = siblings(f, at(f, values)->first);
    ThRaspValue list;
    bool ok = true;
    for (int32_t e = at(f, values)->first; ok && given == wanted && e >= 0; e = at(f, e)->next)
        ok = th_rasp_eval(r, f, e, &v[*n]) && ++*n;
    if (!ok || given == wanted)
        return ok;
    if (wanted == 1)
        return th_rasp_values(r, f, values, v) && ++*n;
    if (given > 1) {
        th_rasp_here(r, f, values);
        return th_rasp_error(r, TH_EVALUE, "%zu names cannot take %zu values", wanted, given);
    }
    if (!th_rasp_eval(r, f, at(f, values)->first, &list))
        return false;
    if (!th_rasp_is_list(&list) || th_rasp_length(&list) != wanted) {
        th_rasp_here(r, f, values);
        if (th_rasp_is_list(&list))
            ok = th_rasp_error(r, TH_EVALUE, "%zu names cannot take a list of %zu values", wanted,
                               th_rasp_length(&list));
        else
            ok = th_rasp_error(r, TH_EVALUE, "%zu names cannot take %s", wanted,
                               th_rasp_what(&list));
    }
    for (size_t i = 0; ok && i < wanted; i++)
        v[(*n)++] = th_rasp_retain(th_rasp_element(&list, i));
    th_rasp_release(&r->heap, list);
    return ok;
}

static bool do_assign(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    int32_t names = at(f, node)->first, values = at(f, names)->next;
    size_t wanted = siblings(f, at(f, names)->first), n = 0, i = 0;
    ThRaspValue *v = th_alloc(wanted, sizeof *v, r->err);
    bool ok = v && right_side(r, f, values, wanted, v, &n);
    for (int32_t name = at(f, names)->first; ok && name >= 0; name = at(f, name)->next, i++) {
        ok = to_show(r, f, TH_SHOWN_RESULT, (uint32_t)at(f, name)->number.integer, v[i]);
        if (ok)
            ok = th_rasp_bind(r, f, name, v[i]);
        else
            th_rasp_release(&r->heap, v[i]);
    }
    while (i < n)
        th_rasp_release(&r->heap, v[i++]);
    free(v);
    return ok;
}

bool th_rasp_values(ThRasp *r, const ThRaspFrame *f, int32_t values, ThRaspValue *v)
{
    int32_t first = at(f, values)->first;
    if (at(f, first)->next < 0)
        return th_rasp_eval(r, f, first, v);
    ThRaspList *l = th_rasp_list_new(&r->heap, siblings(f, first), r->err);
    bool ok = l != NULL;
    for (int32_t e = first; ok && e >= 0; e = at(f, e)->next) {
        ThRaspValue element;
        ok = th_rasp_eval(r, f, e, &element) && th_rasp_list_add(&r->heap, l, element, r->err);
    }
    if (ok)
        *v = (ThRaspValue){TH_VALUE_LIST, {.object = &l->head}};
    else if (l)
        th_rasp_object_release(&r->heap, &l->head);
    return ok;
}

static bool do_definition(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    const char *name = th_rasp_text(&f->program->tree, node);
    uint32_t id = (uint32_t)at(f, node)->number.integer;
    ThRaspValue v;
    for (int32_t p = at(f, at(f, node)->first)->first; p >= 0; p = at(f, p)->next) {
        const char *parameter = th_rasp_text(&f->program->tree, p);
        th_rasp_here(r, f, p);
        if (th_rasp_is_reserved(parameter) && !f->program->library)
            return th_rasp_error(r, TH_EVALUE, "'%s' is a reserved name", parameter);
    }
    if (!th_rasp_new_function(r, f, node, name, &v))
        return false;
    if (!to_show(r, f, TH_SHOWN_RESULT, id, v)) {
        th_rasp_release(&r->heap, v);
        return false;
    }
    return th_rasp_bind(r, f, node, v);
}

static bool loop_body(ThRasp *r, const ThRaspFrame *f, void *context)
{
    const int32_t *body = context;
    return th_rasp_block(r, f, *body, NULL);
}

static bool do_for(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    int32_t names = at(f, node)->first, list_node = at(f, names)->next;
    int32_t body = at(f, list_node)->next;
    ThRaspValue list;
    if (!th_rasp_eval(r, f, list_node, &list))
        return false;
    th_rasp_here(r, f, list_node);
    r->plain++;
    bool ok = th_rasp_each(r, f, names, list, loop_body, &body);
    r->plain--;
    th_rasp_release(&r->heap, list);
    return ok;
}

static bool do_draw(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    int32_t e = at(f, node)->first, input_node = at(f, e)->next;
    ThRaspValue sop, input, v = {0};
    uint32_t out = 0;
    if (!th_rasp_eval(r, f, e, &sop))
        return false;
    bool ok = input_node < 0 || th_rasp_eval(r, f, input_node, &input);
    if (ok && input_node < 0)
        input = th_rasp_retain(r->example[0].value);
    if (ok) {
        th_rasp_here(r, f, node);
        if (sop.kind != TH_VALUE_SOP || (input_node >= 0 && at(f, input_node)->next >= 0))
            ok = th_rasp_error(r, TH_EVALUE, "draw takes an s-op, and perhaps an input");
        ok = ok && th_rasp_on_input(r, &sop, &input, &v) && th_rasp_name_id(r, "out", &out) &&
             to_show(r, f, TH_SHOWN_APPLICATION, out, v);
        ThRaspRun *run = ok && r->host.draw ? th_rasp_run_on(r, &input, r->err) : NULL;
        if (ok && r->host.draw)
            ok = run && r->host.draw(r->host.context, sop.as.sop, th_rasp_run_input(run), r->err);
        th_rasp_run_free(run);
        th_rasp_release(&r->heap, v);
        th_rasp_release(&r->heap, input);
    }
    th_rasp_release(&r->heap, sop);
    return ok;
}

static bool do_load(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    if (!is_global(r, f->scope) || r->plain > 0)
        return th_rasp_error(r, TH_EVALUE, "load stands outside of functions and loops");
    return th_rasp_load_file(r, th_rasp_text(&f->program->tree, node), f->scope);
}

static bool set_example(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    ThRaspValue v;
    if (!th_rasp_eval(r, f, at(f, node)->first, &v))
        return false;
    th_rasp_here(r, f, node);
    ThRaspRun *run[2] = {NULL, NULL};
    bool ok = true;
    for (int i = 0; ok && i < 2; i++)
        if (at(f, node)->op & 1 << i)
            ok = (run[i] = th_rasp_run_on(r, &v, r->err)) != NULL;
    for (int i = 0; i < 2; i++) {
        if (!ok || !run[i]) {
            th_rasp_run_free(run[i]);
            continue;
        }
        th_rasp_run_free(r->example[i].run);
        th_rasp_release(&r->heap, r->example[i].value);
        r->example[i].run = run[i];
        r->example[i].value = th_rasp_retain(v);
    }
    th_rasp_release(&r->heap, v);
    return ok;
}

static bool show_example(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    static const char *const names[] = {"s-op", "selector"};
    uint32_t id;
    for (int i = 0; i < 2; i++)
        if ((at(f, node)->op & 1 << i) &&
            !(th_rasp_name_id(r, names[i], &id) &&
              to_show(r, f, TH_SHOWN_EXAMPLE, id, r->example[i].value)))
            return false;
    return true;
}

static bool do_prompt(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    const ThRaspNode *n = at(f, node);
    switch (n->kind) {
    case TH_R_SET_EXAMPLE:
        return set_example(r, f, node);
    case TH_R_SHOW_EXAMPLE:
        return show_example(r, f, node);
    case TH_R_EXAMPLES:
        for (int i = 0; i < 2; i++)
            if (n->op & 1 << i)
                r->example[i].on = n->number.integer;
        return true;
    case TH_R_FULL_DISPLAY:
        r->full_display = n->number.integer;
        return true;
    default:
        if (r->host.leave)
            r->host.leave(r->host.context);
        return true;
    }
}

static bool run_statement(ThRasp *r, const ThRaspFrame *f, int32_t node)
{
    th_rasp_here(r, f, node);
    switch (at(f, node)->kind) {
    case TH_R_EXPRESSION:
        return do_expression(r, f, node);
    case TH_R_ASSIGN:
        return do_assign(r, f, node);
    case TH_R_DEF:
        return do_definition(r, f, node);
    case TH_R_FOR:
        return do_for(r, f, node);
    case TH_R_DRAW:
        return do_draw(r, f, node);
    case TH_R_LOAD:
        return do_load(r, f, node);
    default:
        return do_prompt(r, f, node);
    }
}

bool th_rasp_block(ThRasp *r, const ThRaspFrame *f, int32_t block, ThRaspValue *returned)
{
    bool ok = true;
    r->plain++;
    for (int32_t s = at(f, block)->first; ok && s >= 0; s = at(f, s)->next)
        ok = at(f, s)->kind == TH_R_RETURN ? th_rasp_values(r, f, at(f, s)->first, returned)
                                           : run_statement(r, f, s);
    r->plain--;
    return ok;
}

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

bool th_rasp_guard(ThRasp *r, bool (*body)(ThRasp *r, const void *context), const void *context,
                   ThError *err)
{
    size_t undo = r->n_undo, shown = r->n_shown;
    ThSop nodes = th_rasp_nodes(r->graph);
    r->err = err;
    r->serial++;
    r->kept = false;
    r->line = r->col = 0;
    bool ok = body(r, context);
    r->err = err;
    if (!ok && err && err->code == TH_OK)
        th_fail(err, TH_ENOMEM, "out of memory");
    if (!ok && err && err->line == 0) {
        err->line = r->line;
        err->col = r->col;
    }
    bool keep = ok || r->kept;
    ThError late = {0};
    bool told = !keep || announce(r, undo, shown, ok ? err : &late);
    forget_shown(r, shown);
    settle(r, undo, keep);
    if (!keep) {
        th_rasp_rewind(r->graph, nodes);
        r->n_places = nodes < r->n_places ? nodes : r->n_places;
    }
    return ok && told;
}

typedef struct {
    const ThRaspFrame *frame;
    int32_t node;
} Statement;

static bool statement_body(ThRasp *r, const void *context)
{
    const Statement *s = context;
    return run_statement(r, s->frame, s->node);
}

bool th_rasp_statement(ThRasp *r, const ThRaspFrame *f, int32_t node, ThError *err)
{
    Statement s = {f, node};
    r->top = f->program;
    return th_rasp_guard(r, statement_body, &s, err);
}

bool th_rasp_execute(ThRasp *r, const char *text, bool prompt, bool lines, ThStop *stop,
                     ThError *err)
{
    ThRaspDialect d = {.prompt = prompt, .lines = lines};
    ThRaspProgram *p = th_rasp_program(r, text, strlen(text), d, "console", err);
    if (!p)
        return false;
    ThRaspFrame f = {p, r->global};
    bool ok = true;
    r->stop = stop;
    for (int32_t s = at(&f, p->tree.root)->first; ok && s >= 0; s = at(&f, s)->next)
        ok = th_rasp_statement(r, &f, s, err);
    r->stop = NULL;
    r->err = NULL;
    r->top = NULL;
    th_rasp_object_release(&r->heap, &p->head);
    return ok;
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool start_examples(ThRasp *r, ThError *err)
{
    ThAtom hello;
    if (!th_atom_string(&r->atoms, "hello", 5, &hello, err))
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
    if (ok)
        return r;
    th_rasp_free(r);
    return NULL;
}

void th_rasp_free(ThRasp *r)
{
    if (!r)
        return;
    for (int i = 0; i < 2; i++)
        th_rasp_run_free(r->example[i].run);
    th_rasp_graph_free(r->graph); /* its functions are objects of the heap */
    th_rasp_heap_free(&r->heap);
    th_atoms_free(&r->atoms);
    th_intern_free(&r->names);
    free(r->beside);
    free(r->place);
    free(r->undo);
    free(r->shown);
    free(r);
}

/* ---- small ----------------------------------------------------------------------------------- */

void th_rasp_set_modern(ThRasp *r, bool modern)
{
    r->modern = modern;
}

ThRaspGraph *th_rasp_graph(ThRasp *r)
{
    return r->graph;
}

ThRaspValue th_rasp_example(const ThRasp *r, int which)
{
    return r->example[which == TH_RASP_FOR_SELECTORS].value;
}

ThRaspRun *th_rasp_example_run(ThRasp *r, int which)
{
    return r->example[which == TH_RASP_FOR_SELECTORS].run;
}

bool th_rasp_examples_on(const ThRasp *r, int which)
{
    return r->example[which == TH_RASP_FOR_SELECTORS].on;
}

bool th_rasp_full_display(const ThRasp *r)
{
    return r->full_display;
}

const char *th_rasp_function_source(const ThRaspValue *v, size_t *size)
{
    const ThRaspFunction *f =
        v->kind == TH_VALUE_FUNCTION ? (const ThRaspFunction *)v->as.object : NULL;
    if (!f || !f->program)
        return NULL;
    const ThRaspNode *n = &f->program->tree.node[f->node];
    *size = (size_t)(n->to - n->from);
    return f->program->text + n->from;
}
