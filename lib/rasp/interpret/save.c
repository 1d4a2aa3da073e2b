/* save.c - names as source: which others are wanted with them, and in which order. */

#include "rasp/graph/graph_impl.h"
#include "rasp/interpret/save_impl.h"

enum { DEEPEST = 40 }; /* scopes that are made again inside each other */

/* ---- names ----------------------------------------------------------------------------------- */

bool th_rasp_saver_taken(const ThRaspSaver *s, const char *name)
{
    size_t id = th_intern_find(&s->r->names, name, strlen(name) + 1);
    return th_rasp_is_reserved(name) || (id < s->n_flags && s->flag[id] & TH_RASP_NAME_TAKEN);
}

static bool same_value(const ThRaspValue *a, const ThRaspValue *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == TH_RASP_VALUE_ATOM)
        return a->as.atom.kind == b->as.atom.kind && a->as.atom.cell.id == b->as.atom.cell.id;
    return th_rasp_is_object(a->kind) ? a->as.object == b->as.object : a->as.sop == b->as.sop;
}

const char *th_rasp_saver_global(const ThRaspSaver *s, const ThRaspFunction *f)
{
    ThRaspValue v, wanted = {TH_RASP_VALUE_FUNCTION, {.object = (ThRaspObject *)(uintptr_t)f}};
    size_t id = th_intern_find(&s->r->names, f->name, strlen(f->name) + 1);
    const ThRaspBinding *b = id == SIZE_MAX ? NULL : th_rasp_scope_find(s->r->global, (uint32_t)id);
    bool base = th_rasp_lookup_base(s->r, f->name, &v) && same_value(&v, &wanted);
    return base || f->builtin || (b && same_value(&b->value, &wanted)) ? f->name : NULL;
}

/* Where a name that a function looks up is found. */
typedef enum { OUTSIDE, GLOBAL, LOCAL } Where;

static Where look_up(const ThRaspSaver *s, const ThRaspFunction *f, uint32_t id, ThRaspValue *v)
{
    const ThRasp *r = s->r;
    for (const ThRaspScope *scope = f->scope; scope && scope != r->base; scope = scope->parent) {
        const ThRaspBinding *b = th_rasp_scope_find(scope, id);
        const ThRaspBinding *g = th_rasp_scope_find(r->global, id);
        if (!b)
            continue;
        *v = b->value;
        if (!g || !same_value(&g->value, v))
            return LOCAL;
        return th_rasp_is_own_tokens(r, id, v) ? OUTSIDE : GLOBAL;
    }
    return OUTSIDE;
}

/* ---- what is wanted -------------------------------------------------------------------------- */

static bool want(ThRaspSaver *s, uint32_t id)
{
    if (s->flag[id] & TH_RASP_NAME_WANTED)
        return true;
    if (th_rasp_scope_find(s->r->base, id))
        return th_fail(s->err, TH_EUSAGE,
                       "'%s' is a name of RASP's library, too, and cannot be saved",
                       th_rasp_id_name(s->r, id)) ||
               th_hint(s->err, "rename it");
    if (!th_grow(&s->wanted, &s->cap_wanted, s->n_wanted + 1, sizeof id, s->err))
        return false;
    s->flag[id] |= TH_RASP_NAME_WANTED | TH_RASP_NAME_TAKEN;
    s->wanted[s->n_wanted++] = id;
    return true;
}

static bool visit(ThRaspSaver *s, const ThRaspValue *v, int depth);

static bool visit_names(ThRaspSaver *s, const ThRaspFunction *f, int depth)
{
    uint32_t *name;
    size_t n;
    bool ok = th_rasp_free_names(f, &name, &n, s->err);
    if (!ok)
        return false;
    for (size_t i = 0; ok && i < n; i++) {
        ThRaspValue v = {0};
        Where where = look_up(s, f, name[i], &v);
        s->flag[name[i]] |= TH_RASP_NAME_TAKEN;
        ok = where == GLOBAL ? want(s, name[i]) : where == LOCAL ? visit(s, &v, depth + 1) : true;
    }
    free(name);
    return ok;
}

static bool visit_function(ThRaspSaver *s, const ThRaspFunction *f, int depth)
{
    uint32_t id;
    if (f->builtin || s->seen_function[f->id])
        return true;
    if (depth > DEEPEST)
        return th_fail(s->err, TH_ELIMIT, "functions that functions hold are more than %d deep",
                       DEEPEST);
    s->seen_function[f->id] = 1;
    const char *name = th_rasp_saver_global(s, f);
    if (name && f->scope != s->r->base && !(th_rasp_name_id(s->r, name, &id) && want(s, id)))
        return false;
    return f->scope == s->r->base || visit_names(s, f, depth);
}

static bool visit_nodes(ThRaspSaver *s, ThRaspSop node, int depth)
{
    const ThRaspGraph *g = s->r->graph;
    bool ok = true;
    enum { PENDING = 1, SEEN = 2 };
    s->seen_node[node] |= PENDING;
    for (size_t i = (size_t)node + 1; ok && i-- > 0;) {
        const ThRaspNodeInfo *info = th_rasp_node(g, (ThRaspSop)i);
        if (s->seen_node[i] != PENDING)
            continue;
        s->seen_node[i] |= SEEN;
        for (size_t k = 0; k < info->n_args; k++)
            s->seen_node[th_rasp_arg(g, (ThRaspSop)i, k)] |= PENDING;
        if (info->kind == TH_RASP_NODE_MAP || info->kind == TH_RASP_NODE_MATCH)
            ok = visit_function(s, th_rasp_called(th_rasp_function(g, info->table)), depth);
    }
    return ok;
}

static bool visit(ThRaspSaver *s, const ThRaspValue *v, int depth)
{
    bool ok = true;
    size_t n;
    const ThRaspValue *held = th_rasp_held(v, &n);
    if (th_rasp_is_node(v))
        return visit_nodes(s, v->as.sop, depth);
    if (v->kind == TH_RASP_VALUE_FUNCTION)
        return visit_function(s, th_rasp_function_of(v), depth);
    for (size_t i = 0; ok && i < n; i++)
        ok = visit(s, &held[i], depth);
    return ok;
}

/* ---- closures -------------------------------------------------------------------------------- */

static const ThRaspLocal *nearest(const ThRaspSaver *s, uint32_t id)
{
    for (size_t i = s->n_local; i-- > 0;)
        if (s->local[i].name == id)
            return &s->local[i];
    return NULL;
}

static bool add_local(ThRaspSaver *s, const ThRaspFunction *f, uint32_t id)
{
    ThRaspValue v = {0};
    Where where = look_up(s, f, id, &v);
    const ThRaspLocal *l = nearest(s, id);
    if (l && where != OUTSIDE && same_value(&l->value, &v))
        return true;
    if (l && where != LOCAL)
        return th_fail(s->err, TH_EUSAGE, "what is called '%s' here and there cannot be saved",
                       th_rasp_id_name(s->r, id));
    if (where != LOCAL)
        return true;
    if (!th_grow(&s->local, &s->cap_local, s->n_local + 1, sizeof *l, s->err))
        return false;
    s->local[s->n_local++] = (ThRaspLocal){id, v};
    return true;
}

static bool add_locals(ThRaspSaver *s, const ThRaspFunction *f)
{
    uint32_t *name;
    size_t n;
    if (!th_rasp_free_names(f, &name, &n, s->err))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = add_local(s, f, name[i]);
    free(name);
    return ok;
}

bool th_rasp_saver_gather(ThRaspSaver *s, const ThRaspFunction *f)
{
    size_t i = s->n_local;
    bool ok = add_locals(s, f);
    for (; ok && i < s->n_local; i++) {
        const ThRaspFunction *beside = th_rasp_function_of(&s->local[i].value);
        if (beside && beside != f && beside->scope == f->scope)
            ok = add_locals(s, beside);
    }
    return ok;
}

/* ---- in order -------------------------------------------------------------------------------- */

typedef struct {
    uint32_t name;
    ThRaspValue value;
    uint64_t node; /* one more than the last node that it holds; 0: none */
    size_t place;
} Entry;

static uint64_t last_node(const ThRaspValue *v)
{
    uint64_t last = 0;
    size_t n;
    const ThRaspValue *held = th_rasp_held(v, &n);
    if (th_rasp_is_node(v))
        return (uint64_t)v->as.sop + 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t at = last_node(&held[i]);
        last = at > last ? at : last;
    }
    return last;
}

/* What holds no s-ops first: those may call it. */
static int by_need(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static Entry *entries(ThRaspSaver *s)
{
    const ThRaspScope *global = s->r->global;
    Entry *e = th_alloc(s->n_wanted, sizeof *e, s->err);
    for (size_t i = 0; e && i < s->n_wanted; i++) {
        const ThRaspBinding *b = th_rasp_scope_find(global, s->wanted[i]);
        e[i] =
            (Entry){.name = s->wanted[i], .value = b->value, .place = (size_t)(b - global->item)};
        e[i].node = last_node(&b->value);
    }
    if (e)
        qsort(e, s->n_wanted, sizeof *e, by_need);
    return e;
}

/* S-ops are checked on the example where they are defined: it must be one on which they have a
 * value. */
static bool write_example(ThRaspSaver *s, const Entry *e, ThRaspValueKind kind)
{
    ThRaspRun *run TH_OWNED(th_rasp_run_free) = th_rasp_run_on_text(s->r, "hello", s->err);
    bool fails = false;
    if (!run)
        return false;
    for (size_t i = 0; i < s->n_wanted && !fails; i++) {
        ThError ignored = {0};
        fails = e[i].value.kind == kind &&
                !th_rasp_run_check(run, e[i].value.as.sop, s->r->stop, &ignored);
    }
    bool selector = kind == TH_RASP_VALUE_SELECTOR;
    if (!fails)
        return true;
    th_text_add(s->t, selector ? "set selector example " : "set s-op example ");
    bool ok = th_rasp_saver_plain(s, &s->r->example[selector].value);
    th_text_add(s->t, "\n");
    return ok;
}

static bool write_all(ThRaspSaver *s)
{
    Entry *e TH_OWNED(free) = entries(s);
    bool ok =
        e && write_example(s, e, TH_RASP_VALUE_SOP) && write_example(s, e, TH_RASP_VALUE_SELECTOR);
    for (size_t i = 0; ok && i < s->n_wanted; i++) {
        const char *name = th_rasp_id_name(s->r, e[i].name);
        ok = th_rasp_saver_define(s, name, &e[i].value);
        if (th_rasp_is_node(&e[i].value) && !s->top[e[i].value.as.sop])
            s->top[e[i].value.as.sop] = name;
    }
    return ok;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The names of the library are taken, and its s-ops are known by them. */
static void know_library(ThRaspSaver *s)
{
    const ThRaspScope *base = s->r->base;
    for (size_t i = 0; i < base->n; i++) {
        const ThRaspValue *v = &base->item[i].value;
        s->flag[base->item[i].name] |= TH_RASP_NAME_TAKEN;
        if (th_rasp_is_node(v))
            s->top[v->as.sop] = th_rasp_id_name(s->r, base->item[i].name);
    }
}

static bool saver_begin(ThRaspSaver *s, ThRasp *r, ThText *t, ThError *err)
{
    size_t nodes = th_rasp_nodes(r->graph);
    *s = (ThRaspSaver){.r = r, .t = t, .err = err, .n_flags = r->names.n};
    r->err = err;
    s->flag = th_alloc(s->n_flags, 1, err);
    s->seen_node = th_alloc(nodes, 1, err);
    s->seen_function = th_alloc(r->functions + 1, 1, err);
    s->top = th_alloc(nodes, sizeof *s->top, err);
    if (!s->flag || !s->seen_node || !s->seen_function || !s->top)
        return false;
    know_library(s);
    return true;
}

static bool saver_end(ThRaspSaver *s, bool ok)
{
    TH_FREE(s->flag, s->wanted, s->seen_node, s->seen_function, s->top, s->local);
    s->r->err = NULL;
    return ok && (!s->t->failed || th_fail(s->err, TH_ENOMEM, "out of memory"));
}

bool th_rasp_save(ThRasp *r, const char *const *name, size_t n, ThText *t, ThError *err)
{
    ThRaspSaver s;
    bool ok = saver_begin(&s, r, t, err);
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t id;
        ok = th_rasp_name_id(r, name[i], &id);
        bool known = ok && id < s.n_flags;
        if (known && !th_rasp_scope_find(r->global, id) && th_rasp_scope_find(r->base, id))
            ok = th_fail(err, TH_EUSAGE, "'%s' belongs to RASP's library", name[i]);
        else if (ok && !(known && th_rasp_scope_find(r->global, id)))
            ok = th_fail(err, TH_EUSAGE, "'%s' has no value any more", name[i]);
        ok = ok && want(&s, id);
    }
    for (size_t i = 0; ok && i < s.n_wanted; i++)
        ok = visit(&s, &th_rasp_scope_find(r->global, s.wanted[i])->value, 0);
    return saver_end(&s, ok && write_all(&s));
}

bool th_rasp_write_definition(ThRasp *r, const char *name, const ThRaspValue *v, ThText *t,
                              ThError *err)
{
    ThRaspSaver s;
    bool ok = saver_begin(&s, r, t, err) && visit(&s, v, 0) && th_rasp_saver_define(&s, name, v);
    return saver_end(&s, ok);
}
