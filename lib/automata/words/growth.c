/* How fast a language grows: strongly connected components of the useful states, in one pass of
 * Tarjan's algorithm (1972).  A component that is more than a cycle makes the growth exponential;
 * otherwise the degree is one less than the most cycles on a path (Szilard, Yu, Zhang and Shallit
 * 1992). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "automata/words/growth.h"
#include "automata/words/words.h"
#include "base/memory.h"

typedef struct {
    const ThDfa *d;
    bool *useful;   /* (n): on a way from the start to class 1 */
    int *component; /* (n): components in reverse topological order; -1: none yet */
    int *low, *index, *stack, *call;
    int n_components, depth, n_calls, clock;
    size_t *edge; /* (n): calls: the next arc to look at */
} Components;

static int target(const Components *c, int q, size_t a)
{
    return c->d->next[(size_t)q * (size_t)c->d->n_symbols + a];
}

static bool components_alloc(Components *c, ThError *err)
{
    size_t n = (size_t)c->d->n_states;
    int **const array[] = {&c->component, &c->low, &c->index, &c->stack, &c->call};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = th_alloc(n, sizeof(int), err);
        if (!*array[i])
            return false;
    }
    c->useful = th_alloc(n, sizeof *c->useful, err);
    c->edge = th_alloc(n, sizeof *c->edge, err);
    return c->useful && c->edge;
}

static void components_free(Components *c)
{
    int *const array[] = {c->component, c->low, c->index, c->stack, c->call};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        free(array[i]);
    free(c->useful);
    free(c->edge);
}

/* Takes the component of q off the stack. */
static void close_component(Components *c, int q)
{
    int p;
    do {
        p = c->stack[--c->depth];
        c->component[p] = c->n_components;
    } while (p != q);
    c->n_components++;
}

static void open_state(Components *c, int q)
{
    c->index[q] = c->low[q] = ++c->clock;
    c->stack[c->depth++] = q;
    c->call[c->n_calls++] = q;
    c->edge[q] = 0;
}

/* Components of what is reachable from the start, without recursion. */
static void find_components(Components *c)
{
    size_t k = (size_t)c->d->n_symbols;
    memset(c->component, -1, (size_t)c->d->n_states * sizeof *c->component);
    open_state(c, c->d->start);
    while (c->n_calls > 0) {
        int q = c->call[c->n_calls - 1];
        if (c->edge[q] < k) {
            int to = target(c, q, c->edge[q]++);
            if (c->index[to] == 0)
                open_state(c, to);
            else if (c->component[to] < 0 && c->index[to] < c->low[q])
                c->low[q] = c->index[to];
            continue;
        }
        c->n_calls--;
        if (c->low[q] == c->index[q])
            close_component(c, q);
        if (c->n_calls > 0 && c->low[q] < c->low[c->call[c->n_calls - 1]])
            c->low[c->call[c->n_calls - 1]] = c->low[q];
    }
}

/* Orders the reachable states by component in `order`, component i from head[i + 1] on; returns how
 * many there are. */
static int by_component(const Components *c, int *order, int *head)
{
    int n = 0;
    for (int q = 0; q < c->d->n_states; q++) {
        if (c->component[q] >= 0)
            head[c->component[q] + 1]++;
    }
    for (int i = 0; i < c->n_components; i++)
        head[i + 1] += head[i];
    for (int q = c->d->n_states; q-- > 0;) {
        if (c->component[q] >= 0) {
            order[--head[c->component[q] + 1]] = q;
            n++;
        }
    }
    return n;
}

/* What is known of a component: the most cycles, and the longest word, on a way through it to
 * acceptance. */
typedef struct {
    bool useful, cyclic;
    int cycles, longest;
} Through;

/* The component whose states are order[0 … size - 1]; those that it leads to are known. */
static Through look_through(Components *c, const int *order, int size, const Through *known,
                            bool *branches)
{
    Through t = {.longest = -1};
    size_t k = (size_t)c->d->n_symbols, inside = 0;
    for (int i = 0; i < size; i++) {
        int q = order[i];
        if (c->d->label[q] == 1) {
            t.useful = true;
            t.longest = t.longest < 0 ? 0 : t.longest;
        }
        for (size_t a = 0; a < k; a++) {
            int other = c->component[target(c, q, a)];
            if (other == c->component[q]) {
                inside++;
            } else if (known[other].useful) {
                t.useful = true;
                t.cycles = known[other].cycles > t.cycles ? known[other].cycles : t.cycles;
                t.longest =
                    known[other].longest + 1 > t.longest ? known[other].longest + 1 : t.longest;
            }
        }
    }
    t.cyclic = inside > 0;
    t.cycles += t.useful && t.cyclic;
    *branches = t.useful && inside > (size_t)size;
    for (int i = 0; i < size; i++)
        c->useful[order[i]] = t.useful;
    return t;
}

/* The largest eigenvalue of the transitions inside one component: bounds by Collatz and Wielandt on
 * A + 1, which is primitive. */
static double eigenvalue(const Components *c, const int *order, int size, double *x, double *y)
{
    size_t k = (size_t)c->d->n_symbols;
    double least = 0, most = 0;
    for (int i = 0; i < size; i++)
        x[order[i]] = 1;
    for (int turn = 0; turn < 20000; turn++) {
        double sum = 0;
        least = HUGE_VAL;
        most = 0;
        for (int i = 0; i < size; i++) {
            int q = order[i];
            y[q] = x[q];
            for (size_t a = 0; a < k; a++) {
                int to = target(c, q, a);
                y[q] += c->component[to] == c->component[q] ? x[to] : 0;
            }
            least = fmin(least, y[q] / x[q]);
            most = fmax(most, y[q] / x[q]);
            sum += y[q];
        }
        if (most - least < 1e-12 * most)
            break;
        for (int i = 0; i < size; i++)
            x[order[i]] = y[order[i]] * size / sum;
    }
    return (least + most) / 2 - 1;
}

static void summarize(const Components *c, const Through *t, ThWordsGrowth *g)
{
    const Through *first = &t[c->component[c->d->start]];
    g->empty = !first->useful;
    g->finite = g->empty || first->cycles == 0;
    g->longest = g->finite ? first->longest : -1;
    g->degree = g->finite || g->exponential ? 0 : first->cycles - 1;
    if (!g->finite && !g->exponential)
        g->rate = 1;
}

bool th_dfa_growth(const ThDfa *d, ThWordsGrowth *g, ThStop *stop, ThError *err)
{
    size_t n = (size_t)d->n_states;
    Components c = {.d = d};
    int count = 0;
    *g = (ThWordsGrowth){0};
    int *order = th_alloc(n, sizeof *order, err), *head = th_alloc(n + 2, sizeof *head, err);
    Through *through = th_alloc(n, sizeof *through, err);
    double *x = th_alloc(n, sizeof *x, err), *y = th_alloc(n, sizeof *y, err);
    bool good = components_alloc(&c, err) && order && head && through && x && y;
    if (good) {
        find_components(&c);
        count = by_component(&c, order, head);
    }
    for (int i = 0; good && i < c.n_components; i++) {
        bool branches;
        const int *states = order + head[i + 1];
        int size = (i + 1 < c.n_components ? head[i + 2] : count) - head[i + 1];
        through[i] = look_through(&c, states, size, through, &branches);
        if (branches) {
            g->exponential = true;
            g->rate = fmax(g->rate, eigenvalue(&c, states, size, x, y));
        }
        good = !th_stopped_at(stop, (size_t)i, "components", err);
    }
    if (good)
        summarize(&c, through, g);
    components_free(&c);
    free(order);
    free(head);
    free(through);
    free(x);
    free(y);
    return good;
}
