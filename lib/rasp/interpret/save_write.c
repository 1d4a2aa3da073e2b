/* save_write.c - values as source that makes them again.
 *
 * An s-op is written as its graph: a node that is needed once stands where it is needed, the others
 * get names in the body of a function, so that nothing else is defined.  A function is written as
 * its source; where it was made in a scope that is gone, in a function that makes that scope again.
 */

#include "rasp/graph/describe.h"
#include "rasp/graph/graph_impl.h"
#include "rasp/interpret/save_impl.h"

enum { TALLEST = 12 }; /* nodes without names inside each other */

/* A function that nodes call or a list holds, and how that is written. */
typedef struct {
    const ThRaspFunction *f;
    char *text; /* owned */
    int uses;
    bool defined; /* a statement of its own defines it */
} Called;

/* How one value is written. */
typedef struct {
    ThRaspLabels label;
    uint8_t *uses, *height; /* by node; uses: 0, 1, or 2 for more */
    ThRaspSop *helper;      /* nodes with names of their own, which own the labels */
    size_t n_helpers, cap_helpers;
    Called *called;
    size_t n_called, cap_called;
    ThIntern own; /* names */
} Plan;

static void plan_free(Plan *p)
{
    for (size_t i = 0; i < p->n_helpers; i++)
        free(p->label.node[p->helper[i]]);
    for (size_t i = 0; i < p->n_called; i++)
        free(p->called[i].text);
    TH_FREE(p->label.node, p->label.function, p->uses, p->height, p->helper, p->called);
    th_intern_free(&p->own);
}
TH_RELEASES_VALUE(plan_free, Plan)

/* ---- text ------------------------------------------------------------------------------------ */

static void begin_line(ThRaspSaver *s)
{
    th_text_printf(s->t, "%*s", 4 * s->indent, "");
}

static void open_block(ThRaspSaver *s, const char *name)
{
    begin_line(s);
    th_text_printf(s->t, "def %s() {\n", name);
    s->indent++;
}

/* Behind the function's value: it is called, and gives way to what it gives. */
static void close_block(ThRaspSaver *s, const char *name)
{
    s->indent--;
    begin_line(s);
    th_text_add(s->t, "}\n");
    begin_line(s);
    th_text_printf(s->t, "%s = %s();\n", name, name);
}

/* Returns new: a name that nothing else has: like, or like_2, …; _1, … if like is "". */
static char *new_name(ThRaspSaver *s, ThIntern *own, const char *like)
{
    for (size_t i = 1;; i++) {
        ThText t = {0};
        size_t before = own->n, index = 0;
        th_text_add(&t, like);
        if (i > 1 || !*like)
            th_text_printf(&t, "_%zu", i);
        char *name = th_text_take(&t, s->err);
        if (!name || !th_intern(own, name, strlen(name) + 1, &index, s->err)) {
            free(name);
            return NULL;
        }
        if (index == before && !th_rasp_saver_taken(s, name))
            return name;
        free(name);
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool is_lambda(const ThRaspFunction *f)
{
    return !f->builtin && f->program->tree.node[f->node].kind == TH_RASP_R_LAMBDA;
}

/* Does the source mean the same under every grammar? */
static bool is_plain(const ThRaspFunction *f, const char *source, size_t size)
{
    size_t n;
    const ThRaspGrammar *all = th_rasp_grammars(&n);
    bool same = true;
    for (size_t i = 0; same && i < n; i++) {
        ThRaspDialect d = {.grammar = &all[i], .lines = true};
        ThRaspSource src = {.text = source, .n = size, .line = 1, .col = 1};
        ThRaspTree t TH_OWNED(th_rasp_tree_free) = {0};
        ThError ignored = {0};
        same = th_rasp_parse_one(&t, &src, d, &ignored);
        int32_t node = same ? t.node[t.root].first : -1;
        if (same && t.node[node].kind == TH_RASP_R_EXPRESSION)
            node = t.node[node].first;
        same = same && th_rasp_tree_same(&f->program->tree, f->node, &t, node);
    }
    return same;
}

/* Returns new: the function as it was written, or with all its brackets. */
static char *source_of(const ThRaspFunction *f, ThError *err)
{
    const ThRaspNode *n = &f->program->tree.node[f->node];
    const char *source = f->program->text + n->from;
    size_t size = (size_t)(n->to - n->from);
    ThText t = {0};
    if (is_plain(f, source, size))
        th_text_add_bytes(&t, source, size);
    else
        th_rasp_tree_write(&f->program->tree, f->node, &t);
    return th_text_take(&t, err);
}

/* `def NAME(…) { … }` or `NAME = …;`. */
static bool write_function(ThRaspSaver *s, const char *name, const ThRaspFunction *f)
{
    char *source TH_OWNED(free) =
        f->builtin ? th_strdup(f->builtin->name, s->err) : source_of(f, s->err);
    begin_line(s);
    if (source && (f->builtin || is_lambda(f)))
        th_text_printf(s->t, "%s = %s;\n", name, source);
    else if (source)
        th_text_printf(s->t, "def %s%s\n", name, strchr(source, '('));
    return source != NULL;
}

/* Functions of one scope stand beside each other, and see each other. */
static bool define_local(ThRaspSaver *s, const ThRaspLocal *l, const ThRaspFunction *of)
{
    const ThRaspFunction *f = th_rasp_function_of(&l->value);
    const char *name = th_rasp_id_name(s->r, l->name);
    return f && f->scope == of->scope ? write_function(s, name, f)
                                      : th_rasp_saver_define(s, name, &l->value);
}

/* A function that makes what f looks up, and f, and gives f. */
static bool write_closure(ThRaspSaver *s, const char *name, const ThRaspFunction *f, size_t from)
{
    ThIntern own TH_OWNED(th_intern_free) = {0};
    char *inner TH_OWNED(free) = NULL;
    bool ok = true;
    s->closures++;
    open_block(s, name);
    for (size_t i = from, to = s->n_local; ok && i < to; i++) {
        ThRaspLocal l = s->local[i];
        ok = define_local(s, &l, f);
        if (ok && th_rasp_function_of(&l.value) == f && !inner)
            ok = (inner = th_strdup(th_rasp_id_name(s->r, l.name), s->err)) != NULL;
    }
    if (ok && !inner) {
        inner = new_name(s, &own, is_lambda(f) ? "" : f->name);
        ok = inner && write_function(s, inner, f);
    }
    begin_line(s);
    th_text_printf(s->t, "return %s;\n", inner ? inner : "");
    close_block(s, name);
    s->closures--;
    return ok;
}

static bool define_function(ThRaspSaver *s, const char *name, const ThRaspFunction *f)
{
    size_t from = s->n_local;
    bool ok = f->builtin || th_rasp_saver_gather(s, f);
    if (ok)
        ok = s->n_local == from ? write_function(s, name, f) : write_closure(s, name, f, from);
    s->n_local = from;
    return ok;
}

/* ---- planning: functions --------------------------------------------------------------------- */

static Called *called_of(Plan *p, const ThRaspFunction *f)
{
    for (size_t i = 0; i < p->n_called; i++)
        if (p->called[i].f == f)
            return &p->called[i];
    return NULL;
}

static bool call(ThRaspSaver *s, Plan *p, const ThRaspFunction *f)
{
    Called *c = called_of(p, f);
    if (!c) {
        if (!th_grow(&p->called, &p->cap_called, p->n_called + 1, sizeof *c, s->err))
            return false;
        c = &p->called[p->n_called++];
        *c = (Called){.f = f};
    }
    c->uses++;
    return true;
}

static bool looks_nothing_up(ThRaspSaver *s, const ThRaspFunction *f, bool *nothing)
{
    size_t from = s->n_local;
    bool ok = th_rasp_saver_gather(s, f);
    *nothing = s->n_local == from;
    s->n_local = from;
    return ok;
}

/* A name that there is; the source of a lambda that stands in one place; else a new name. */
static bool name_function(ThRaspSaver *s, Plan *p, Called *c)
{
    const ThRaspFunction *f = c->f;
    bool inside = s->closures > 0 && !f->builtin && f->scope != s->r->base;
    const char *known = inside ? NULL : th_rasp_saver_global(s, f);
    bool nothing = false;
    if (known) {
        c->text = th_strdup(known, s->err);
    } else if (is_lambda(f) && c->uses == 1 && !looks_nothing_up(s, f, &nothing)) {
        return false;
    } else if (nothing) {
        c->text = source_of(f, s->err);
    } else {
        c->defined = true;
        c->text = new_name(s, &p->own, is_lambda(f) ? "" : f->name);
    }
    return c->text != NULL;
}

/* ---- planning: nodes ------------------------------------------------------------------------- */

static void use(Plan *p, ThRaspSop node)
{
    if (p->uses[node] < 2)
        p->uses[node]++;
}

/* Nodes and functions that a value holds. */
static bool mark(ThRaspSaver *s, Plan *p, const ThRaspValue *v)
{
    bool ok = true;
    size_t n;
    const ThRaspValue *held = th_rasp_held(v, &n);
    if (th_rasp_is_node(v))
        use(p, v->as.sop);
    if (v->kind == TH_RASP_VALUE_FUNCTION)
        return call(s, p, th_rasp_function_of(v));
    for (size_t i = 0; ok && i < n; i++)
        ok = mark(s, p, &held[i]);
    return ok;
}

static bool has_function(const ThRaspNodeInfo *info)
{
    return info->kind == TH_RASP_NODE_MAP || info->kind == TH_RASP_NODE_MATCH;
}

/* From the last node to the first: what needs what, up to what has been written. */
static bool mark_needed(ThRaspSaver *s, Plan *p, const char *name)
{
    const ThRaspGraph *g = s->r->graph;
    for (size_t i = th_rasp_nodes(g); i-- > 0;) {
        const ThRaspNodeInfo *info = th_rasp_node(g, (ThRaspSop)i);
        const char *known = s->top[i];
        if (!p->uses[i])
            continue;
        if (known && (s->closures == 0 || th_rasp_is_reserved(known)) && strcmp(known, name) != 0) {
            p->label.node[i] = (char *)(uintptr_t)known;
            continue;
        }
        for (size_t k = 0; k < info->n_args; k++)
            use(p, th_rasp_arg(g, (ThRaspSop)i, k));
        if (has_function(info) && !call(s, p, th_rasp_called(th_rasp_function(g, info->table))))
            return false;
    }
    return true;
}

static bool is_leaf(const ThRaspNodeInfo *info)
{
    return info->kind == TH_RASP_NODE_TOKENS || info->kind == TH_RASP_NODE_INDICES ||
           info->kind == TH_RASP_NODE_CONSTANT;
}

/* Gives a node a name, if it is to have one: it is needed twice, has one in the program, or stands
 * above many others. */
static bool name_node(ThRaspSaver *s, Plan *p, ThRaspSop node, bool root)
{
    const ThRaspGraph *g = s->r->graph;
    const char *like = th_rasp_name_of(g, node);
    uint8_t height = 0;
    for (size_t k = 0; k < th_rasp_node(g, node)->n_args; k++) {
        uint8_t below = p->height[th_rasp_arg(g, node, k)];
        height = below > height ? below : height;
    }
    p->height[node] = (uint8_t)(height + 1);
    if (root || (p->uses[node] < 2 && !like && height < TALLEST))
        return true;
    p->height[node] = 0;
    if (!th_grow(&p->helper, &p->cap_helpers, p->n_helpers + 1, sizeof node, s->err))
        return false;
    p->label.node[node] = new_name(s, &p->own, like ? like : "");
    if (p->label.node[node])
        p->helper[p->n_helpers++] = node;
    return p->label.node[node] != NULL;
}

static bool make_plan(ThRaspSaver *s, Plan *p, const char *name, const ThRaspValue *v)
{
    const ThRaspGraph *g = s->r->graph;
    size_t n = th_rasp_nodes(g);
    p->label.node = th_alloc(n, sizeof *p->label.node, s->err);
    p->label.function = th_alloc(n, sizeof *p->label.function, s->err);
    p->uses = th_alloc(n, 1, s->err);
    p->height = th_alloc(n, 1, s->err);
    bool ok = p->label.node && p->label.function && p->uses && p->height && mark(s, p, v) &&
              mark_needed(s, p, name);
    for (size_t i = 0; ok && i < p->n_called; i++)
        ok = name_function(s, p, &p->called[i]);
    for (ThRaspSop i = 0; ok && i < n; i++) {
        const ThRaspNodeInfo *info = th_rasp_node(g, i);
        bool root = th_rasp_is_node(v) && v->as.sop == i;
        if (!p->uses[i] || p->label.node[i] || is_leaf(info))
            continue;
        if (has_function(info))
            p->label.function[i] =
                called_of(p, th_rasp_called(th_rasp_function(g, info->table)))->text;
        ok = name_node(s, p, i, root);
    }
    return ok;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool write_value(ThRaspSaver *s, Plan *p, const ThRaspValue *v);

static bool write_atom(ThRaspSaver *s, ThRaspAtom a)
{
    return th_rasp_atom_source(&s->r->atoms, a, s->t, s->err);
}

static bool write_list(ThRaspSaver *s, Plan *p, const ThRaspValue *v)
{
    bool ok = true;
    th_text_add(s->t, "[");
    for (size_t i = 0; ok && i < th_rasp_length(v); i++) {
        ThRaspValue e = th_rasp_element(v, i);
        th_text_add(s->t, i ? ", " : "");
        ok = write_value(s, p, &e);
    }
    th_text_add(s->t, "]");
    return ok;
}

static bool write_dict(ThRaspSaver *s, Plan *p, const ThRaspDict *d)
{
    bool ok = true;
    th_text_add(s->t, "{");
    for (size_t i = 0; ok && i < d->n; i++) {
        th_text_add(s->t, i ? ", " : "");
        ok = write_atom(s, d->key[i]);
        th_text_add(s->t, ": ");
        ok = ok && write_value(s, p, &d->value[i]);
    }
    th_text_add(s->t, "}");
    return ok;
}

/* `([…])`, behind what is applied to these elements. */
static bool write_input(ThRaspSaver *s, const ThRaspSeq *q)
{
    bool ok = true;
    th_text_add(s->t, "([");
    for (size_t i = 0; ok && i < q->n; i++) {
        th_text_add(s->t, i ? ", " : "");
        ok = write_atom(s, th_rasp_seq_at(q, i));
    }
    th_text_add(s->t, "])");
    return ok;
}

/* A selector that has these cells, on the input that it had. */
static bool write_grid(ThRaspSaver *s, const ThRaspGrid *g)
{
    th_text_add(s->t, "select(indices, indices, lambda k, q: [");
    for (size_t i = 0; i < g->n; i++) {
        th_text_add(s->t, i ? ", [" : "[");
        for (size_t k = 0; k < g->n; k++)
            th_text_printf(s->t, "%s%d", k ? ", " : "", g->cell[i * g->n + k] != 0);
        th_text_add(s->t, "]");
    }
    th_text_add(s->t, "][q][k])");
    return write_input(s, &g->input);
}

static bool write_node(ThRaspSaver *s, Plan *p, ThRaspSop node)
{
    if (!p->label.node[node])
        return th_rasp_write_node(s->r->graph, node, &p->label, s->t, s->err);
    th_text_add(s->t, p->label.node[node]);
    return true;
}

static bool write_value(ThRaspSaver *s, Plan *p, const ThRaspValue *v)
{
    switch (v->kind) {
    case TH_RASP_VALUE_ATOM:
        return write_atom(s, v->as.atom);
    case TH_RASP_VALUE_LIST:
        return write_list(s, p, v);
    case TH_RASP_VALUE_DICT:
        return write_dict(s, p, (const ThRaspDict *)v->as.object);
    case TH_RASP_VALUE_SEQUENCE:
        th_text_add(s->t, "tokens_asis");
        return write_input(s, th_rasp_sequence(v));
    case TH_RASP_VALUE_GRID:
        return write_grid(s, (const ThRaspGrid *)v->as.object);
    case TH_RASP_VALUE_FUNCTION:
        th_text_add(s->t, called_of(p, th_rasp_function_of(v))->text);
        return true;
    default:
        return write_node(s, p, v->as.sop);
    }
}

/* ---- definitions ----------------------------------------------------------------------------- */

static bool define_helpers(ThRaspSaver *s, Plan *p)
{
    bool ok = true;
    for (size_t i = 0; ok && i < p->n_called; i++)
        if (p->called[i].defined)
            ok = define_function(s, p->called[i].text, p->called[i].f);
    for (size_t i = 0; ok && i < p->n_helpers; i++) {
        begin_line(s);
        th_text_printf(s->t, "%s = ", p->label.node[p->helper[i]]);
        ok = th_rasp_write_node(s->r->graph, p->helper[i], &p->label, s->t, s->err);
        th_text_add(s->t, ";\n");
    }
    return ok;
}

static bool define_value(ThRaspSaver *s, const char *name, const ThRaspValue *v)
{
    Plan p = {0};
    bool ok = make_plan(s, &p, name, v), block = p.n_helpers > 0;
    for (size_t i = 0; i < p.n_called; i++)
        block = block || p.called[i].defined;
    if (ok && block) {
        open_block(s, name);
        ok = define_helpers(s, &p);
    }
    begin_line(s);
    if (block)
        th_text_add(s->t, "return ");
    else
        th_text_printf(s->t, "%s = ", name);
    ok = ok && write_value(s, &p, v);
    th_text_add(s->t, ";\n");
    if (block)
        close_block(s, name);
    plan_free(&p);
    return ok;
}

bool th_rasp_saver_define(ThRaspSaver *s, const char *name, const ThRaspValue *v)
{
    const ThRaspFunction *f = th_rasp_function_of(v);
    return f ? define_function(s, name, f) : define_value(s, name, v);
}

bool th_rasp_saver_plain(ThRaspSaver *s, const ThRaspValue *v)
{
    Plan p TH_OWNED(plan_free) = {0};
    return make_plan(s, &p, "", v) && write_value(s, &p, v);
}
