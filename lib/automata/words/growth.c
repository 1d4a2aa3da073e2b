/* How fast a language grows: strongly connected components of the useful states.  A component
 * that is more than a cycle makes the growth exponential; otherwise the degree is one less than the
 * most cycles on a path (Szilard, Yu, Zhang and Shallit 1992). */
#include <math.h>

#include "automata/core/components.h"
#include "automata/words/growth.h"

typedef struct {
    const ThDfa *d;
    bool *useful;   /* (n): on a way from the start to class 1 */
    int *component; /* (n): those that a component leads to have smaller numbers; -1: none */
    int n_components;
} Components;

static int target(const Components *c, int q, size_t a)
{
    return c->d->next[(size_t)q * (size_t)c->d->n_symbols + a];
}

/* Orders the reachable states by component in `order`, component i from head[i + 1] on; returns how
 * many there are. */
static int by_component(const Components *c, int *order, int *head)
{
    int n = 0;
    for (int q = 0; q < c->d->n_states; q++)
        if (c->component[q] >= 0)
            head[c->component[q] + 1]++;
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
    c.useful = th_alloc(n, sizeof *c.useful, err);
    c.component = th_alloc(n, sizeof *c.component, err);
    bool good = c.useful && c.component && order && head && through && x && y;
    if (good)
        c.n_components = th_automaton_components_from(d->next, d->n_states, d->n_symbols, d->start,
                                                      c.component, err);
    good = good && c.n_components >= 0;
    if (good)
        count = by_component(&c, order, head);
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
    TH_FREE(c.useful, c.component, order, head, through, x, y);
    return good;
}
