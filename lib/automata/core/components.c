/* Tarjan 1972, with a stack of its own: paths are as long as there are nodes. */
#include "automata/core/components.h"

typedef struct {
    uint32_t node;
    ThAutomatonCursor at;
} Frame;

static const uint32_t UNKNOWN = UINT32_MAX;

typedef struct {
    const ThAutomatonGraph *g;
    uint32_t *found, *low; /* (nodes): order of discovery from 1, 0: not yet; least one reached */
    uint32_t *component;   /* (nodes): UNKNOWN until it is complete */
    Frame *path;
    uint32_t *waiting; /* nodes whose component is not complete */
    size_t n_path, path_cap, n_waiting, waiting_cap;
    uint32_t n_found, n_components;
    ThAutomatonComponent *tell;
    void *context;
    bool ended;
} Tarjan;

static bool enter(Tarjan *s, size_t node, ThError *err)
{
    if (!th_grow(&s->path, &s->path_cap, s->n_path + 1, sizeof *s->path, err) ||
        !th_grow(&s->waiting, &s->waiting_cap, s->n_waiting + 1, sizeof *s->waiting, err))
        return false;
    s->found[node] = s->low[node] = ++s->n_found;
    s->path[s->n_path++] = (Frame){(uint32_t)node, {0, 0}};
    s->waiting[s->n_waiting++] = (uint32_t)node;
    return true;
}

static void complete_component(Tarjan *s, uint32_t root)
{
    size_t first = s->n_waiting;
    do {
        s->component[s->waiting[--first]] = s->n_components;
    } while (s->waiting[first] != root);
    s->ended = !s->tell(s->context, (int)s->n_components, s->waiting + first, s->n_waiting - first,
                        s->component);
    s->n_waiting = first;
    s->n_components++;
}

static void leave(Tarjan *s)
{
    uint32_t v = s->path[--s->n_path].node;
    if (s->low[v] == s->found[v])
        complete_component(s, v);
    if (s->n_path > 0) {
        uint32_t up = s->path[s->n_path - 1].node;
        s->low[up] = s->low[v] < s->low[up] ? s->low[v] : s->low[up];
    }
}

static bool explore(Tarjan *s, size_t root, ThError *err)
{
    bool good = enter(s, root, err);
    for (size_t steps = 1; good && s->n_path > 0 && !s->ended; steps++) {
        Frame *top = &s->path[s->n_path - 1];
        size_t to, v = top->node;
        int symbol;
        if (!s->g->next(s->g->graph, v, &top->at, &to, &symbol))
            leave(s);
        else if (s->found[to] == 0)
            good = enter(s, to, err);
        else if (s->component[to] == UNKNOWN && s->found[to] < s->low[v])
            s->low[v] = s->found[to];
        good = good && (steps % 4096 || !th_stopped(s->g->stop, err));
    }
    return good;
}

bool th_automaton_components_of(const ThAutomatonGraph *g, const uint32_t *root, size_t n,
                                ThAutomatonComponent *tell, void *context, ThError *err)
{
    Tarjan s = {.g = g, .tell = tell, .context = context};
    s.found = th_alloc(g->nodes, sizeof *s.found, err);
    s.low = th_alloc(g->nodes, sizeof *s.low, err);
    s.component = th_alloc(g->nodes, sizeof *s.component, err);
    bool good = s.found && s.low && s.component;
    for (size_t i = 0; good && i < g->nodes; i++)
        s.component[i] = UNKNOWN;
    for (size_t i = 0; good && i < n && !s.ended; i++)
        good = s.found[root[i]] || explore(&s, root[i], err);
    TH_FREE(s.found, s.low, s.component, s.path, s.waiting);
    return good;
}

/* ---- tables ---- */

typedef struct {
    const int *next;
    int k, *component, n_components;
} Table;

static bool next_entry(const void *table, size_t node, ThAutomatonCursor *c, size_t *to,
                       int *symbol)
{
    const Table *t = table;
    while (c->symbol < t->k) {
        int next = t->next[node * (size_t)t->k + (size_t)c->symbol];
        *symbol = c->symbol++;
        *to = (size_t)next;
        if (next >= 0)
            return true;
    }
    return false;
}

static bool note(void *table, int number, const uint32_t *node, size_t n, const uint32_t *component)
{
    Table *t = table;
    (void)component;
    for (size_t i = 0; i < n; i++)
        t->component[node[i]] = number;
    t->n_components = number + 1;
    return true;
}

static void number_by_first(int *component, int n, int *number)
{
    int next = 0;
    for (int v = 0; v < n; v++)
        number[v] = -1;
    for (int v = 0; v < n; v++) {
        if (number[component[v]] < 0)
            number[component[v]] = next++;
        component[v] = number[component[v]];
    }
}

/* From a node: components are numbered in the order in which they are complete.  From all (-1):
 * by their first nodes. */
static int search(Table *t, int n, int start, ThError *err)
{
    uint32_t *root TH_OWNED(free) = th_alloc((size_t)n, sizeof *root, err);
    int *number TH_OWNED(free) = th_alloc((size_t)n, sizeof *number, err);
    ThAutomatonGraph g = {t, next_entry, (size_t)n, NULL};
    for (int v = 0; v < n; v++)
        t->component[v] = -1;
    for (int v = 0; root && v < n; v++)
        root[v] = (uint32_t)(start < 0 ? v : start);
    if (!root || !number ||
        !th_automaton_components_of(&g, root, start < 0 ? (size_t)n : 1, note, t, err))
        return -1;
    if (start < 0)
        number_by_first(t->component, n, number);
    return t->n_components;
}

int th_automaton_components(const int *next, int n, int k, int *component, ThError *err)
{
    return search(&(Table){next, k, component, 0}, n, -1, err);
}

int th_automaton_components_from(const int *next, int n, int k, int start, int *component,
                                 ThError *err)
{
    return search(&(Table){next, k, component, 0}, n, start, err);
}
