#include "automata/algebra/group_split.h"

#include "automata/algebra/group_names.h"
#include "base/text.h"

enum { MOST_WORK = 300000000, MOST_OF_ONE = 30000000 }; /* products */

/* A group as its name makes it. */
typedef struct {
    ThGroup *group;
    ThGroupTable table;
    int *generator, n;
} Named;

static void named_free(Named *x)
{
    th_group_free(x->group);
    th_group_table_free(&x->table);
    free(x->generator);
}

static bool named_of(Named *x, const char *name, ThError *err)
{
    ThGroupGenerators all = {0};
    *x = (Named){0};
    bool ok = th_group_generators(name, &all, err) &&
              (x->group = th_group_named(name, TH_GROUP_STRUCTURE_MOST, NULL, err)) &&
              th_group_table_of(&x->table, x->group, err) &&
              (x->generator = th_alloc((size_t)all.n, sizeof *x->generator, err));
    x->n = all.n;
    for (int i = 0; ok && i < all.n; i++)
        x->generator[i] = (int)th_group_find(x->group, all.generator + i * all.degree);
    free(all.generator);
    return ok;
}

/* What is known of one normal subgroup N. */
typedef struct {
    const ThGroup *g;
    const ThGroupTable *table;
    const ThGroupNormal *normal;
    int *coset, *first;  /* (n), (cosets): of every element, and an element of every one */
    int *member, *place; /* (size), (n): N's elements, and their numbers there */
    ThGroupTable quotient, part;
    char acting[TH_GROUP_NAME], acted[TH_GROUP_NAME]; /* names of the quotient and of N */
    Named h, n;
    int *images; /* (n_images, h.n): of h's generators in the quotient, in all ways */
    size_t n_images, cap;
    bool found;       /* a complement */
    int *vector;      /* (size, n.n): elements of n as vectors */
    int *from;        /* (size): elements of n by those of N */
    int *row, *least; /* (h.n, n.n, n.n) */
    bool any;         /* `least` is set */
    ThGroupEmbedding e;
    long budget;
    ThStop *stop;
    ThError *err;
} Split;

/* ---- tables ---------------------------------------------------------------------------------- */

static bool number_cosets(Split *w)
{
    int n = w->table->n, cosets = 0, members = 0;
    size_t size = (size_t)n;
    w->coset = th_alloc(size, sizeof *w->coset, w->err);
    w->first = th_alloc(size, sizeof *w->first, w->err);
    w->member = th_alloc(size, sizeof *w->member, w->err);
    w->place = th_alloc(size, sizeof *w->place, w->err);
    if (!w->coset || !w->first || !w->member || !w->place)
        return false;
    for (int x = 0; x < n; x++) {
        w->coset[x] = -1;
        if (w->normal->inside[x]) {
            w->place[x] = members;
            w->member[members++] = x;
        }
    }
    for (int x = 0; x < n; x++) {
        if (w->coset[x] >= 0)
            continue;
        for (int i = 0; i < members; i++)
            w->coset[th_group_times(w->table, x, w->member[i])] = cosets;
        w->first[cosets++] = x;
    }
    return true;
}

/* The table of those elements whose numbers are made smaller by `to`. */
static bool fill(Split *w, ThGroupTable *t, int n, const int *element, const int *to)
{
    if (!th_group_table_new(t, n, w->err))
        return false;
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++)
            t->product[x * n + y] = to[th_group_times(w->table, element[x], element[y])];
    th_group_table_finish(t);
    return true;
}

static bool name_of(const ThGroup *g, char *name, ThStop *stop, ThError *err)
{
    ThGroupFacts f;
    bool ok = g && th_group_facts(g, &f, stop, err);
    if (ok)
        memcpy(name, f.name, TH_GROUP_NAME);
    return ok;
}

/* Names the quotient, which moves its own elements. */
static bool name_quotient(Split *w)
{
    const ThGroupTable *q = &w->quotient;
    int *image TH_OWNED(free) = th_alloc((size_t)q->n, sizeof *image, w->err);
    ThGroup *g TH_OWNED(th_group_free) = image ? th_group_new(q->n, w->err) : NULL;
    bool ok = g != NULL;
    for (int x = 1; ok && th_group_order(g) < (size_t)q->n; x++) {
        for (int y = 0; y < q->n; y++)
            image[y] = th_group_times(q, y, x);
        ok = th_group_add(g, image, 0, w->stop, w->err);
    }
    return ok && name_of(g, w->acting, w->stop, w->err);
}

static bool name_part(Split *w)
{
    ThGroup *g TH_OWNED(th_group_free) = th_group_part(w->g, w->normal, w->stop, w->err);
    return name_of(g, w->acted, w->stop, w->err);
}

/* ---- a complement ---------------------------------------------------------------------------- */

static bool take_images(void *context)
{
    Split *w = context;
    size_t n = (size_t)w->h.n;
    if (!th_grow(&w->images, &w->cap, (w->n_images + 1) * n, sizeof *w->images, w->err))
        return false;
    memcpy(w->images + w->n_images++ * n, w->e.image, n * sizeof *w->images);
    return true;
}

static bool may_lift(void *context, int i, int x)
{
    const Split *w = context;
    return w->coset[x] == w->images[i];
}

static bool take_lift(void *context)
{
    ((Split *)context)->found = true;
    return false;
}

static bool search(Split *w, const Named *from, const ThGroupTable *to,
                   bool (*may)(void *context, int i, int x), bool (*take)(void *context))
{
    w->e = (ThGroupEmbedding){.from = &from->table,
                              .to = to,
                              .generator = from->generator,
                              .n = from->n,
                              .may = may,
                              .take = take,
                              .context = w,
                              .budget = &w->budget};
    return th_group_embeddings(&w->e, w->stop, w->err);
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* Cyclic factors move points beside each other. */
static bool fill_vectors(Split *w)
{
    size_t k = (size_t)w->n.n;
    w->vector = th_alloc((size_t)w->n.table.n * k, sizeof *w->vector, w->err);
    for (int x = 0; w->vector && x < w->n.table.n; x++)
        for (int i = 0, point = 0; i < w->n.n; i++) {
            w->vector[(size_t)x * k + (size_t)i] =
                th_group_element(w->n.group, (size_t)x)[point] - point;
            point += w->n.table.order[w->n.generator[i]];
        }
    return w->vector != NULL;
}

/* How the coset of a generator's image acts on a generator of N, as a vector of the basis. */
static const int *row_of(const Split *w, int image, int basis)
{
    int x = th_group_conjugated(w->table, w->member[basis], w->first[image]);
    return w->vector + w->from[w->place[x]] * w->n.n;
}

/* Compares the matrices, row by row, with the least ones that were met, and keeps the lesser. */
static void compare(Split *w, const int *image)
{
    int k = w->n.n, sign = w->any ? 0 : -1;
    for (int g = 0; g < w->h.n; g++)
        for (int i = 0; i < k; i++) {
            int at = (g * k + i) * k;
            const int *row = row_of(w, image[g], w->e.image[i]);
            w->budget -= k;
            for (int j = 0; sign == 0 && j < k; j++)
                sign = row[j] - w->least[at + j];
            if (sign > 0)
                return;
            memcpy(w->row + at, row, (size_t)k * sizeof *row);
        }
    memcpy(w->least, w->row, (size_t)(w->h.n * k * k) * sizeof *w->least);
    w->any = true;
}

/* Goes through all ways in which H acts on this basis. */
static bool take_basis(void *context)
{
    Split *w = context;
    for (int x = 0; x < w->part.n; x++)
        w->from[w->e.map[x]] = x;
    for (size_t i = 0; i < w->n_images && w->budget >= 0; i++)
        compare(w, w->images + i * (size_t)w->h.n);
    return w->budget >= 0;
}

static bool find_matrices(Split *w)
{
    size_t entries = (size_t)w->h.n * (size_t)w->n.n * (size_t)w->n.n;
    w->row = th_alloc(entries, sizeof *w->row, w->err);
    w->least = th_alloc(entries, sizeof *w->least, w->err);
    w->from = th_alloc((size_t)w->part.n, sizeof *w->from, w->err);
    return w->row && w->least && w->from && fill_vectors(w) &&
           search(w, &w->n, &w->part, NULL, take_basis);
}

/* ---- one of them ----------------------------------------------------------------------------- */

static void write_matrices(ThText *t, const Split *w)
{
    int k = w->n.n;
    th_text_printf(t, "(%s : %s, r =", w->acted, w->acting);
    for (int i = 0; i < w->h.n * k * k; i++)
        th_text_printf(t, "%s %d",
                       i == 0             ? ""
                       : i % (k * k) == 0 ? ";"
                       : i % k == 0       ? ","
                                          : "",
                       w->least[i]);
    th_text_add(t, ")");
}

/* `better`: shorter, or else before it in the alphabet. */
static void keep(const Split *w, char *name, char *best)
{
    ThText t TH_OWNED(th_text_free) = {0};
    write_matrices(&t, w);
    if (t.failed || t.size >= TH_GROUP_NAME || !w->any || w->budget < 0)
        return;
    size_t before = strlen(best);
    if (before == 0 || t.size < before || (t.size == before && strcmp(t.data, best) < 0)) {
        memcpy(best, t.data, t.size + 1);
        memcpy(name, t.data, t.size + 1);
    }
}

static bool look(Split *w)
{
    bool ok = number_cosets(w) &&
              fill(w, &w->quotient, w->table->n / w->normal->size, w->first, w->coset) &&
              fill(w, &w->part, w->normal->size, w->member, w->place) && name_quotient(w) &&
              name_part(w);
    if (!ok || strncmp(w->acting, "order", 5) == 0)
        return ok;
    ok = named_of(&w->h, w->acting, w->err) && named_of(&w->n, w->acted, w->err) &&
         search(w, &w->h, &w->quotient, NULL, take_images);
    if (!ok || w->n_images == 0 || !search(w, &w->h, w->table, may_lift, take_lift) || !w->found)
        return ok && !(w->stop && *w->stop);
    return find_matrices(w);
}

static bool try_normal(Split *w, char *name, char *best)
{
    bool ok = look(w);
    if (ok && w->found)
        keep(w, name, best);
    named_free(&w->h);
    named_free(&w->n);
    th_group_table_free(&w->quotient);
    th_group_table_free(&w->part);
    TH_FREE(w->coset, w->first, w->member, w->place, w->images, w->vector, w->from, w->row,
            w->least);
    return ok;
}

/* ---- the order in which they are tried ------------------------------------------------------- */

typedef struct {
    const ThGroupNormal *normal;
    long key;
} Candidate;

/* The most elements of order p, and the identity, are p^rank. */
static int rank_of(const ThGroupTable *t, const ThGroupNormal *n)
{
    int most = 0;
    for (int p = 2; p <= n->size; p++) {
        int count = 1, rank = 0;
        for (int x = 0; x < t->n; x++)
            count += n->inside[x] && t->order[x] == p;
        while (count > 1 && count % p == 0) {
            count /= p;
            rank++;
        }
        most = count == 1 && rank > most ? rank : most;
    }
    return most;
}

/* Is the quotient generated by one coset? */
static bool is_cyclic_by(const ThGroupTable *t, const ThGroupNormal *n)
{
    int most = 0;
    for (int x = 0; x < t->n; x++) {
        int order = 1;
        for (int y = x; !n->inside[y]; y = th_group_times(t, y, x))
            order++;
        most = order > most ? order : most;
    }
    return most == t->n / n->size;
}

static int by_key(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

bool th_group_split_name(const ThGroup *g, const ThGroupStructure *s, char *name, ThStop *stop,
                         ThError *err)
{
    int n = 0;
    long work = MOST_WORK;
    char best[TH_GROUP_NAME] = "";
    Candidate *list TH_OWNED(free) = th_alloc((size_t)s->n_normal, sizeof *list, err);
    for (int i = 1; list && i < s->n_normal; i++) {
        const ThGroupNormal *a = &s->normal[i];
        long key = 2L * rank_of(&s->table, a) + !is_cyclic_by(&s->table, a);
        if (a->abelian)
            list[n++] = (Candidate){a, key * (TH_GROUP_STRUCTURE_MOST + 1) - a->size};
    }
    if (list)
        qsort(list, (size_t)n, sizeof *list, by_key);
    bool ok = list != NULL;
    for (int i = 0; ok && i < n && work > 0; i++) {
        if (best[0] && list[i].key != list[i - 1].key)
            break;
        Split w = {.g = g,
                   .table = &s->table,
                   .normal = list[i].normal,
                   .budget = MOST_OF_ONE,
                   .stop = stop,
                   .err = err};
        ok = try_normal(&w, name, best);
        work -= MOST_OF_ONE - w.budget;
    }
    return ok;
}
