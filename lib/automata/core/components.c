#include "automata/core/components.h"

/* Tarjan's algorithm with a stack of its own: paths are as long as there are nodes. */
typedef struct {
    const int *next;
    int k;
    int *found, *low; /* (n): order of discovery from 1, 0: not yet; least one reached */
    int *path, *arc;  /* (n): the path that is followed, and the arc that each waits for */
    int *waiting;     /* (n): nodes whose component is not complete */
    int n_path, n_waiting, n_found, n_components;
    int *component; /* -1: not yet known */
} Search;

static void enter(Search *s, int v)
{
    s->found[v] = s->low[v] = ++s->n_found;
    s->path[s->n_path] = v;
    s->arc[s->n_path++] = 0;
    s->waiting[s->n_waiting++] = v;
}

static void leave(Search *s)
{
    int v = s->path[--s->n_path];
    if (s->low[v] == s->found[v]) {
        int w;
        do {
            w = s->waiting[--s->n_waiting];
            s->component[w] = s->n_components;
        } while (w != v);
        s->n_components++;
    }
    if (s->n_path > 0) {
        int up = s->path[s->n_path - 1];
        s->low[up] = s->low[v] < s->low[up] ? s->low[v] : s->low[up];
    }
}

static void explore(Search *s, int root)
{
    enter(s, root);
    while (s->n_path > 0) {
        int v = s->path[s->n_path - 1], a = s->arc[s->n_path - 1]++;
        if (a == s->k) {
            leave(s);
            continue;
        }
        int w = s->next[(size_t)v * (size_t)s->k + (size_t)a];
        if (w < 0 || s->component[w] >= 0)
            continue;
        if (s->found[w] == 0)
            enter(s, w);
        else if (s->found[w] < s->low[v])
            s->low[v] = s->found[w];
    }
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
static int search(Search *s, int n, int start, ThError *err)
{
    size_t size = (size_t)n;
    int **const array[] = {&s->found, &s->low, &s->path, &s->arc, &s->waiting};
    bool ok = true;
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = th_alloc(size, sizeof(int), err);
        ok = ok && *array[i];
    }
    for (int v = 0; ok && v < n; v++)
        s->component[v] = -1;
    for (int v = start < 0 ? 0 : start; ok && v < (start < 0 ? n : start + 1); v++)
        if (s->component[v] < 0)
            explore(s, v);
    if (ok && start < 0)
        number_by_first(s->component, n, s->found);
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        free(*array[i]);
    return ok ? s->n_components : -1;
}

int th_automaton_components(const int *next, int n, int k, int *component, ThError *err)
{
    return search(&(Search){.next = next, .k = k, .component = component}, n, -1, err);
}

int th_automaton_components_from(const int *next, int n, int k, int start, int *component,
                                 ThError *err)
{
    return search(&(Search){.next = next, .k = k, .component = component}, n, start, err);
}
