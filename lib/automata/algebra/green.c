#include "automata/algebra/green.h"

#include "automata/core/components.h"

enum { MOST_COVERED = 1000 };

/* While classes are found: numbers of R-, L- and D-classes by first elements. */
typedef struct {
    const ThMonoid *m;
    ThGreen *g;
    int *r, *l, *d; /* (size) */
    int *renumber;  /* (n_d): from the order of first elements to the final one */
    ThStop *stop;
} Work;

/* ---- D-classes ------------------------------------------------------------------------------- */

static int root_of(int *up, int x)
{
    while (up[x] != x)
        x = up[x] = up[up[x]];
    return x;
}

/* D-classes are the R-classes that L-classes join. */
static bool join(Work *w, ThError *err)
{
    ThGreen *g = w->g;
    int size = w->m->size;
    int *up TH_OWNED(free) = th_alloc((size_t)g->n_r, sizeof *up, err);
    int *row_of_l TH_OWNED(free) = th_alloc((size_t)g->n_l, sizeof *row_of_l, err);
    int *number TH_OWNED(free) = th_alloc((size_t)g->n_r, sizeof *number, err);
    bool ok = up && row_of_l && number;
    for (int i = 0; ok && i < g->n_r; i++)
        up[i] = i;
    for (int i = 0; ok && i < g->n_l; i++)
        row_of_l[i] = -1;
    for (int x = 0; ok && x < size; x++) {
        int *other = &row_of_l[w->l[x]];
        if (*other < 0)
            *other = w->r[x];
        int a = root_of(up, *other), b = root_of(up, w->r[x]);
        up[a < b ? b : a] = a < b ? a : b;
    }
    for (int x = 0; ok && x < size; x++) { /* number + 1; 0: none yet */
        int root = root_of(up, w->r[x]);
        if (!number[root])
            number[root] = ++g->n_d;
        w->d[x] = number[root] - 1;
    }
    return ok;
}

/* Elements by D-class, stable: a counting sort.  start (n_d + 1) is filled. */
static void sort_by_class(const int *d, int size, int n_d, int *start, int *order)
{
    memset(start, 0, ((size_t)n_d + 1) * sizeof *start);
    for (int x = 0; x < size; x++)
        start[d[x] + 1]++;
    for (int i = 0; i < n_d; i++)
        start[i + 1] += start[i];
    for (int x = 0; x < size; x++)
        order[start[d[x]]++] = x;
    for (int i = n_d; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

/* Calls for every arc of the two Cayley graphs that leaves a class. */
typedef void Leaving(void *context, int from, int to);

static void each_arc(const ThMonoid *m, const int *d, int x, Leaving *call, void *context)
{
    for (int a = 0; a < m->n_symbols; a++) {
        size_t i = (size_t)x * (size_t)m->n_symbols + (size_t)a;
        if (d[m->right[i]] != d[x])
            call(context, d[x], d[m->right[i]]);
        if (d[m->left[i]] != d[x])
            call(context, d[x], d[m->left[i]]);
    }
}

typedef struct {
    int *missing, *depth, *queue;
    int n;
} Depths;

static void count_arc(void *context, int from TH_UNUSED, int to)
{
    Depths *w = context;
    w->missing[to]++;
}

static void pass_arc(void *context, int from, int to)
{
    Depths *w = context;
    if (w->depth[from] >= w->depth[to])
        w->depth[to] = w->depth[from] + 1;
    if (--w->missing[to] == 0)
        w->queue[w->n++] = to;
}

/* Classes from above to below, each after all that are above it; depth (n_d) must be zero. */
static bool find_depths(Work *w, int *depth, ThError *err)
{
    ThGreen *g = w->g;
    Depths work = {.depth = depth};
    work.missing = th_alloc((size_t)g->n_d, sizeof *work.missing, err);
    work.queue = th_alloc((size_t)g->n_d, sizeof *work.queue, err);
    bool ok = work.missing && work.queue;
    for (int x = 0; ok && x < w->m->size; x++)
        each_arc(w->m, w->d, x, count_arc, &work);
    if (ok)
        work.queue[work.n++] = 0; /* the identity's: everything else lies below it */
    for (int i = 0; ok && i < work.n; i++)
        for (int j = g->start[work.queue[i]]; j < g->start[work.queue[i] + 1]; j++)
            each_arc(w->m, w->d, g->order[j], pass_arc, &work);
    TH_FREE(work.missing, work.queue);
    return ok;
}

/* Renumbers by depth, then by first elements. */
static bool order_classes(Work *w, ThError *err)
{
    ThGreen *g = w->g;
    int *depth TH_OWNED(free) = th_alloc((size_t)g->n_d, sizeof *depth, err),
               *first TH_OWNED(free) = NULL;
    sort_by_class(w->d, w->m->size, g->n_d, g->start, g->order);
    bool ok = depth && find_depths(w, depth, err);
    for (int i = 0; ok && i < g->n_d; i++)
        g->depth = depth[i] > g->depth ? depth[i] : g->depth;
    first = ok ? th_alloc((size_t)g->depth + 2, sizeof *first, err) : NULL;
    ok = first != NULL;
    for (int i = 0; ok && i < g->n_d; i++)
        first[depth[i] + 1]++;
    for (int i = 0; ok && i < g->depth; i++)
        first[i + 1] += first[i];
    for (int i = 0; ok && i < g->n_d; i++) {
        w->renumber[i] = first[depth[i]]++;
        g->d_class[w->renumber[i]].depth = depth[i];
    }
    for (int x = 0; ok && x < w->m->size; x++)
        g->d[x] = w->renumber[w->d[x]];
    return ok;
}

/* ---- rows, columns, idempotents -------------------------------------------------------------- */

/* Numbers the R-classes (or L-classes) inside their D-classes, by first elements. */
static bool number_lines(const Work *w, const int *line, int n_lines, int *number, ThError *err)
{
    ThGreen *g = w->g;
    bool rows = number == g->row;
    int *seen = th_alloc((size_t)n_lines, sizeof *seen, err);
    for (int x = 0; seen && x < w->m->size; x++) {
        ThGreenDClass *d_class = &g->d_class[g->d[x]];
        int *count = rows ? &d_class->n_r : &d_class->n_l;
        if (!seen[line[x]])
            seen[line[x]] = ++*count;
        number[x] = seen[line[x]] - 1;
    }
    free(seen);
    return seen != NULL;
}

static bool find_idempotents(Work *w, ThError *err)
{
    ThGreen *g = w->g;
    for (int i = 0; i < g->n_d; i++)
        g->d_class[i].first = g->d_class[i].idempotent = -1;
    for (int x = 0; x < w->m->size; x++) {
        ThGreenDClass *d_class = &g->d_class[g->d[x]];
        if (x % 4096 == 4095 && th_stopped(w->stop, err))
            return false;
        if (d_class->first < 0)
            d_class->first = x;
        if (!th_monoid_idempotent(w->m, x))
            continue;
        if (d_class->n_groups++ == 0) {
            d_class->idempotent = x;
            g->n_regular++;
        }
        g->n_idempotents++;
    }
    return true;
}

/* Sorts the elements of every class by row, then column: cells are runs of h_size. */
static bool sort_cells(Work *w, ThError *err)
{
    ThGreen *g = w->g;
    int size = w->m->size;
    int *fill TH_OWNED(free) = th_alloc((size_t)g->n_h + 1, sizeof *fill, err);
    int *cell TH_OWNED(free) = th_alloc((size_t)g->n_d, sizeof *cell, err);
    bool ok = fill && cell;
    for (int d = 1; ok && d < g->n_d; d++)
        cell[d] = cell[d - 1] + g->d_class[d - 1].n_r * g->d_class[d - 1].n_l;
    sort_by_class(g->d, size, g->n_d, g->start, g->order);
    for (int d = 0; ok && d < g->n_d; d++) {
        ThGreenDClass *d_class = &g->d_class[d];
        d_class->h_size = (g->start[d + 1] - g->start[d]) / (d_class->n_r * d_class->n_l);
    }
    for (int x = 0; ok && x < size; x++) {
        int d = g->d[x], i = g->row[x] * g->d_class[d].n_l + g->column[x];
        g->order[g->start[d] + i * g->d_class[d].h_size + fill[cell[d] + i]++] = x;
    }
    return ok;
}

static void count_cells(ThGreen *g)
{
    for (int d = 0; d < g->n_d; d++)
        g->n_h += g->d_class[d].n_r * g->d_class[d].n_l;
}

static bool find_classes(Work *w, ThError *err)
{
    const ThMonoid *m = w->m;
    ThGreen *g = w->g;
    g->n_r = th_automaton_components(m->right, m->size, m->n_symbols, w->r, err);
    g->n_l = g->n_r < 0 ? -1 : th_automaton_components(m->left, m->size, m->n_symbols, w->l, err);
    if (g->n_l < 0 || th_stopped(w->stop, err) || !join(w, err))
        return false;
    g->d_class = th_alloc((size_t)g->n_d, sizeof *g->d_class, err);
    g->start = th_alloc((size_t)g->n_d + 1, sizeof *g->start, err);
    w->renumber = th_alloc((size_t)g->n_d, sizeof *w->renumber, err);
    if (!g->d_class || !g->start || !w->renumber || !order_classes(w, err) ||
        !number_lines(w, w->r, g->n_r, g->row, err) ||
        !number_lines(w, w->l, g->n_l, g->column, err) || !find_idempotents(w, err))
        return false;
    count_cells(g);
    return sort_cells(w, err);
}

ThGreen *th_green_new(const ThMonoid *m, ThStop *stop, ThError *err)
{
    size_t size = (size_t)m->size;
    Work w = {.m = m, .stop = stop};
    w.g = th_alloc(1, sizeof *w.g, err);
    if (!w.g)
        return NULL;
    w.r = th_alloc(size, sizeof *w.r, err);
    w.l = th_alloc(size, sizeof *w.l, err);
    w.d = th_alloc(size, sizeof *w.d, err);
    w.g->d = th_alloc(size, sizeof *w.g->d, err);
    w.g->row = th_alloc(size, sizeof *w.g->row, err);
    w.g->column = th_alloc(size, sizeof *w.g->column, err);
    w.g->order = th_alloc(size, sizeof *w.g->order, err);
    bool ok = w.r && w.l && w.d && w.g->d && w.g->row && w.g->column && w.g->order &&
              find_classes(&w, err);
    TH_FREE(w.r, w.l, w.d, w.renumber);
    return TH_KEEP_IF(ok, w.g, th_green_free);
}

void th_green_free(ThGreen *g)
{
    if (!g)
        return;
    TH_FREE(g->d, g->row, g->column, g->d_class, g->order, g->start, g);
}

const int *th_green_cell(const ThGreen *g, int d, int row, int column, int *n)
{
    const ThGreenDClass *c = &g->d_class[d];
    *n = c->h_size;
    return g->order + g->start[d] + (row * c->n_l + column) * c->h_size;
}

/* ---- the order of classes -------------------------------------------------------------------- */

typedef struct {
    bool *below; /* (n_d, n_d): i lies above j, first by arcs, then by chains of arcs */
    int n;
} Order;

static void mark_arc(void *context, int from, int to)
{
    Order *o = context;
    o->below[(size_t)from * (size_t)o->n + (size_t)to] = true;
}

/* Classes below have higher numbers, so that chains close from the bottom upwards. */
static void close_order(Order *o)
{
    size_t n = (size_t)o->n;
    for (size_t i = n; i-- > 0;)
        for (size_t j = i + 1; j < n; j++)
            if (o->below[i * n + j])
                for (size_t k = j + 1; k < n; k++)
                    o->below[i * n + k] |= o->below[j * n + k];
}

static bool covers(const Order *o, size_t i, size_t j)
{
    size_t n = (size_t)o->n;
    for (size_t k = i + 1; k < j; k++)
        if (o->below[i * n + k] && o->below[k * n + j])
            return false;
    return o->below[i * n + j];
}

int *th_green_covers(const ThGreen *g, const ThMonoid *m, size_t *n, ThError *err)
{
    *n = 0;
    if (g->n_d > MOST_COVERED)
        return th_null(th_fail(err, TH_ELIMIT, "%d classes are too many to put in order", g->n_d));
    size_t n_d = (size_t)g->n_d, cap = 0;
    Order o = {.n = g->n_d};
    o.below = th_alloc(n_d * n_d, sizeof *o.below, err);
    int *pair = NULL;
    bool ok = o.below && th_grow(&pair, &cap, 2, sizeof *pair, err);
    for (int x = 0; ok && x < m->size; x++)
        each_arc(m, g->d, x, mark_arc, &o);
    if (ok)
        close_order(&o);
    for (size_t i = 0; ok && i < n_d; i++)
        for (size_t j = i + 1; ok && j < n_d; j++) {
            if (!covers(&o, i, j))
                continue;
            ok = th_grow(&pair, &cap, 2 * *n + 2, sizeof *pair, err);
            if (!ok)
                break;
            pair[2 * *n] = (int)i;
            pair[2 * (*n)++ + 1] = (int)j;
        }
    free(o.below);
    if (ok)
        return pair;
    free(pair);
    return NULL;
}
