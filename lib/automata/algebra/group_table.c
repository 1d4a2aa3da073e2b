#include "automata/algebra/group_table.h"

bool th_group_table_new(ThGroupTable *t, int n, ThError *err)
{
    size_t size = (size_t)n;
    *t = (ThGroupTable){.n = n};
    t->product = th_alloc(size * size, sizeof *t->product, err);
    t->inverse = th_alloc(size, sizeof *t->inverse, err);
    t->order = th_alloc(size, sizeof *t->order, err);
    return t->product && t->inverse && t->order;
}

void th_group_table_free(ThGroupTable *t)
{
    TH_FREE(t->product, t->inverse, t->order);
    *t = (ThGroupTable){0};
}

void th_group_table_finish(ThGroupTable *t)
{
    for (int x = 0; x < t->n; x++) {
        int last = 0, order = 1;
        for (int y = x; y != 0; y = th_group_times(t, y, x), order++)
            last = y;
        t->order[x] = order;
        t->inverse[x] = last;
    }
}

/* right[x, a]: element x, then generator a. */
static bool multiply_by_generators(const ThGroup *g, int *right, ThError *err)
{
    size_t degree = 0, gens = th_group_generators_of(g, &degree);
    int *by TH_OWNED(free) = th_alloc(degree + 1, sizeof *by, err);
    for (size_t x = 0; by && x < th_group_order(g); x++)
        for (size_t a = 0; a < gens; a++) {
            for (size_t i = 0; i < degree; i++)
                by[i] = th_group_generator(g, a)[th_group_element(g, x)[i]];
            right[x * gens + a] = (int)th_group_find(g, by);
        }
    return by != NULL;
}

/* Columns of generators are looked up; that of y a is that of y, then that of a. */
static bool fill_products(ThGroupTable *t, const ThGroup *g, ThError *err)
{
    size_t n = (size_t)t->n, degree = 0, gens = th_group_generators_of(g, &degree), found = 1;
    int *right TH_OWNED(free) = th_alloc(n * (gens + 1), sizeof *right, err);
    size_t *queue TH_OWNED(free) = th_alloc(n, sizeof *queue, err);
    bool *seen TH_OWNED(free) = th_alloc(n, sizeof *seen, err);
    if (!right || !queue || !seen || !multiply_by_generators(g, right, err))
        return false;
    seen[0] = true;
    for (size_t x = 0; x < n; x++)
        t->product[x * n] = (int)x;
    for (size_t i = 0; i < found; i++)
        for (size_t a = 0; a < gens; a++) {
            size_t y = queue[i], z = (size_t)right[y * gens + a];
            for (size_t x = 0; x < n && !seen[z]; x++)
                t->product[x * n + z] = right[(size_t)t->product[x * n + y] * gens + a];
            if (!seen[z])
                queue[found++] = z;
            seen[z] = true;
        }
    return true;
}

bool th_group_table_of(ThGroupTable *t, const ThGroup *g, ThError *err)
{
    bool ok = th_group_table_new(t, (int)th_group_order(g), err) && fill_products(t, g, err);
    if (ok)
        th_group_table_finish(t);
    return ok;
}

/* ---- embeddings ------------------------------------------------------------------------------ */

typedef struct {
    ThGroupEmbedding *e;
    int *queue; /* (from->n) */
    ThStop *stop;
    ThError *err;
} Search;

/* Do the first n images make an embedding of what the first n generators generate? */
static bool is_embedding(const Search *s, int n)
{
    const ThGroupEmbedding *e = s->e;
    int found = 1;
    for (int x = 1; x < e->from->n; x++)
        e->map[x] = -1;
    e->map[0] = s->queue[0] = 0;
    for (int i = 0; i < found; i++, *e->budget -= n)
        for (int a = 0; a < n; a++) {
            int y = th_group_times(e->from, s->queue[i], e->generator[a]);
            int z = th_group_times(e->to, e->map[s->queue[i]], e->image[a]);
            bool new = e->map[y] < 0;
            if (new ? z == 0 : z != e->map[y])
                return false;
            e->map[y] = z;
            if (new)
                s->queue[found++] = y;
        }
    return true;
}

/* Returns whether to go on. */
static bool find_images(const Search *s, int i)
{
    const ThGroupEmbedding *e = s->e;
    if (i == e->n)
        return e->take(e->context);
    for (int x = 0; x < e->to->n; x++) {
        if (e->to->order[x] != e->from->order[e->generator[i]] ||
            (e->may && !e->may(e->context, i, x)))
            continue;
        *e->budget -= i + 1;
        e->image[i] = x;
        if (*e->budget < 0 || th_stopped(s->stop, s->err) ||
            (is_embedding(s, i + 1) && !find_images(s, i + 1)))
            return false;
    }
    return true;
}

bool th_group_embeddings(ThGroupEmbedding *e, ThStop *stop, ThError *err)
{
    size_t n = (size_t)e->from->n;
    int *queue TH_OWNED(free) = th_alloc(n, sizeof *queue, err);
    e->image = th_alloc((size_t)e->n + 1, sizeof *e->image, err);
    e->map = th_alloc(n, sizeof *e->map, err);
    if (queue && e->image && e->map)
        find_images(&(Search){e, queue, stop, err}, 0);
    TH_FREE(e->image, e->map);
    e->image = e->map = NULL;
    return queue && !(stop && *stop);
}
