/* free_names.c - the names that a function looks up outside of itself. */

#include "rasp/interpret/save_impl.h"

typedef struct {
    uint32_t *item;
    size_t n, cap;
} Names;

typedef struct {
    const ThRaspTree *tree;
    Names bound; /* that the function itself has given values, up to where the walk is */
    Names free;
    bool ok;
    ThError *err;
} Walk;

static void walk(Walk *w, int32_t node);

static const ThRaspNode *at(const Walk *w, int32_t node)
{
    return &w->tree->node[node];
}

static uint32_t id_of(const Walk *w, int32_t node)
{
    return (uint32_t)at(w, node)->number.integer;
}

static bool has(const Names *names, uint32_t id)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->item[i] == id)
            return true;
    return false;
}

static void add(Walk *w, Names *names, uint32_t id)
{
    if (has(names, id))
        return;
    w->ok = w->ok && th_grow(&names->item, &names->cap, names->n + 1, sizeof id, w->err);
    if (w->ok)
        names->item[names->n++] = id;
}

static void bind(Walk *w, int32_t names)
{
    for (int32_t p = at(w, names)->first; p >= 0; p = at(w, p)->next)
        add(w, &w->bound, id_of(w, p));
}

static void walk_children(Walk *w, int32_t node)
{
    for (int32_t e = at(w, node)->first; e >= 0; e = at(w, e)->next)
        walk(w, e);
}

/* A loop's names, and those that its body gives values, are not certain to have them behind it. */
static void walk_loop(Walk *w, int32_t names, int32_t list, int32_t body, int32_t more)
{
    size_t bound = w->bound.n;
    walk(w, list);
    bind(w, names);
    walk(w, body);
    if (more >= 0)
        walk(w, more);
    w->bound.n = bound;
}

static void walk_each(Walk *w, int32_t node)
{
    bool dict = at(w, node)->kind == TH_RASP_R_EACH_DICT;
    int32_t element = at(w, node)->first, value = dict ? at(w, element)->next : -1;
    int32_t names = at(w, dict ? value : element)->next;
    walk_loop(w, names, at(w, names)->next, element, value);
}

static void walk_function(Walk *w, int32_t node)
{
    int32_t names = at(w, node)->first;
    size_t bound = w->bound.n;
    for (int32_t p = at(w, names)->first; p >= 0; p = at(w, p)->next)
        walk_children(w, p); /* its default */
    bind(w, names);
    walk(w, at(w, names)->next);
    w->bound.n = bound;
}

static void walk(Walk *w, int32_t node)
{
    const ThRaspNode *n = at(w, node);
    switch ((ThRaspKind)n->kind) {
    case TH_RASP_R_NAME:
        if (!has(&w->bound, id_of(w, node)))
            add(w, &w->free, id_of(w, node));
        break;
    case TH_RASP_R_EACH_LIST:
    case TH_RASP_R_EACH_DICT:
        walk_each(w, node);
        break;
    case TH_RASP_R_LAMBDA:
        walk_function(w, node);
        break;
    case TH_RASP_R_DEF:
        walk_function(w, node);
        add(w, &w->bound, id_of(w, node));
        break;
    case TH_RASP_R_ASSIGN:
        walk(w, at(w, n->first)->next);
        bind(w, n->first);
        break;
    case TH_RASP_R_FOR:
        walk_loop(w, n->first, at(w, n->first)->next, at(w, at(w, n->first)->next)->next, -1);
        break;
    default:
        walk_children(w, node);
    }
}

bool th_rasp_free_names(const ThRaspFunction *f, uint32_t **name, size_t *n, ThError *err)
{
    Walk w = {.tree = &f->program->tree, .ok = true, .err = err};
    walk_function(&w, f->node);
    free(w.bound.item);
    *name = w.free.item;
    *n = w.free.n;
    if (!w.ok)
        free(w.free.item);
    return w.ok;
}
