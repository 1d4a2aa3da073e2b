#include "inspect/linkage.h"

#include <math.h>

/* A range of cutting distances must be at least this wide (greatest over least) to tell clusters
 * from the unevenness of one cloud; measured on uniform and normal clouds, which stay below 1.5. */
static const double LEAST_RATIO = 1.7;

/* Distances below these shares of the points' root mean square radius are not told apart, or do not
 * make a range any wider. */
static const double SAME = 1e-9, FINE = 0.05;

typedef struct {
    size_t a, b;
    double length;
} Edge;

typedef struct {
    size_t n, d;    /* distinct points, coordinates */
    double *at;     /* (n,d) */
    double *weight; /* (n): how many points are the same */
    size_t *of;     /* (all points): which distinct point each is */
    double radius;  /* root mean square distance from the mean, of all points */
    Edge *edge;     /* (n-1): minimum spanning tree, ascending */
    size_t *parent; /* (n): union-find */
    double *mass;   /* (n): weight of a root's component */
} Linkage;

static double squared_distance(const double *a, const double *b, size_t d)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static bool measure_radius(Linkage *k, const double *point, size_t n, ThError *err)
{
    double *mean TH_OWNED(free) = th_alloc(k->d, sizeof *mean, err);
    if (!mean)
        return false;
    for (size_t i = 0; i < n * k->d; i++)
        mean[i % k->d] += point[i] / (double)n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += squared_distance(point + i * k->d, mean, k->d);
    k->radius = sqrt(sum / (double)n);
    return isfinite(k->radius) || th_fail(err, TH_ENUMERIC, "a hidden vector is not finite");
}

/* Vectors of equal subwords are equal, so there are far fewer distinct points than points. */
static bool merge_duplicates(Linkage *k, const double *point, size_t n, ThStop *stop, ThError *err)
{
    double same = SAME * k->radius * SAME * k->radius;
    for (size_t i = 0; i < n; i++) {
        const double *p = point + i * k->d;
        size_t j = 0;
        while (j < k->n && squared_distance(p, k->at + j * k->d, k->d) > same)
            j++;
        if (j == k->n) {
            memcpy(k->at + j * k->d, p, k->d * sizeof *p);
            k->n++;
        }
        k->weight[j]++;
        k->of[i] = j;
        if (i % 64 == 0 && th_stopped(stop, err))
            return false;
    }
    return true;
}

static int by_length(const void *a, const void *b)
{
    const Edge *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* Prim 1957. */
static bool span(Linkage *k, ThStop *stop, ThError *err)
{
    double *near TH_OWNED(free) =
        th_alloc(k->n, sizeof *near, err); /* squared distance to the tree; -1: inside */
    size_t *via TH_OWNED(free) = th_alloc(k->n, sizeof *via, err);
    bool ok = near && via;
    for (size_t i = 0; ok && i < k->n; i++)
        near[i] = HUGE_VAL;
    size_t last = 0;
    for (size_t e = 0; ok && e + 1 < k->n; e++) {
        near[last] = -1;
        size_t best = 0;
        for (size_t i = 0; i < k->n; i++) {
            if (near[i] < 0)
                continue;
            double s = squared_distance(k->at + i * k->d, k->at + last * k->d, k->d);
            if (s < near[i]) {
                near[i] = s;
                via[i] = last;
            }
            if (near[best] < 0 || near[i] < near[best])
                best = i;
        }
        k->edge[e] = (Edge){via[best], best, sqrt(near[best])};
        last = best;
        ok = !th_stopped(stop, err);
    }
    if (ok && k->n > 1)
        qsort(k->edge, k->n - 1, sizeof *k->edge, by_length);
    return ok;
}

static size_t root(Linkage *k, size_t i)
{
    while (k->parent[i] != i)
        i = k->parent[i] = k->parent[k->parent[i]];
    return i;
}

static void separate(Linkage *k)
{
    for (size_t i = 0; i < k->n; i++) {
        k->parent[i] = i;
        k->mass[i] = k->weight[i];
    }
}

static void join(Linkage *k, const Edge *e)
{
    size_t a = root(k, e->a), b = root(k, e->b);
    k->parent[b] = a;
    k->mass[a] += k->mass[b];
}

/* Returns the number of edges to join so that the clusters are as the widest range has them; n-1 if
 * there is but one cluster. */
static size_t best_cut(Linkage *k, double least_mass)
{
    size_t n_edges = k->n - 1, best = n_edges, count = 0;
    double widest = LEAST_RATIO, floor = FINE * k->radius;
    separate(k);
    for (size_t i = 0; i < k->n; i++)
        count += k->mass[i] >= least_mass;
    double from = 0; /* the distance from which on the count has been what it is */
    for (size_t e = 0; e < n_edges; e++) {
        size_t a = root(k, k->edge[e].a), b = root(k, k->edge[e].b);
        size_t before = (k->mass[a] >= least_mass) + (k->mass[b] >= least_mass);
        join(k, &k->edge[e]);
        size_t after = k->mass[root(k, a)] >= least_mass;
        if (before == after)
            continue;
        double ratio = k->edge[e].length / fmax(from, floor);
        if (count > 1 && ratio > widest) {
            widest = ratio;
            best = e;
        }
        count += after - before;
        from = k->edge[e].length;
    }
    return best;
}

/* Joins what the cut joins, then every remaining light component to its nearest neighbour. */
static void assign(Linkage *k, size_t cut, double least_mass)
{
    separate(k);
    for (size_t e = 0; e < cut; e++)
        join(k, &k->edge[e]);
    for (size_t e = cut; e + 1 < k->n; e++) {
        const Edge *edge = &k->edge[e];
        if (k->mass[root(k, edge->a)] < least_mass || k->mass[root(k, edge->b)] < least_mass)
            join(k, edge);
    }
}

static bool number(Linkage *k, size_t n, int *cluster, int *n_clusters, ThError *err)
{
    int *name TH_OWNED(free) = th_alloc(k->n, sizeof *name, err);
    if (!name)
        return false;
    *n_clusters = 0;
    for (size_t i = 0; i < n; i++) {
        size_t r = root(k, k->of[i]);
        if (name[r] == 0)
            name[r] = ++*n_clusters;
        cluster[i] = name[r] - 1;
    }
    return true;
}

bool th_linkage(const double *point, size_t n, size_t d, int *cluster, int *n_clusters,
                ThStop *stop, ThError *err)
{
    if (n == 0)
        return th_fail(err, TH_EVALUE, "there are no points to cluster");
    Linkage k = {.d = d,
                 .at = th_alloc(n * d, sizeof *k.at, err),
                 .weight = th_alloc(n, sizeof *k.weight, err),
                 .of = th_alloc(n, sizeof *k.of, err),
                 .edge = th_alloc(n, sizeof *k.edge, err),
                 .parent = th_alloc(n, sizeof *k.parent, err),
                 .mass = th_alloc(n, sizeof *k.mass, err)};
    bool ok = k.at && k.weight && k.of && k.edge && k.parent && k.mass &&
              measure_radius(&k, point, n, err) && merge_duplicates(&k, point, n, stop, err) &&
              span(&k, stop, err);
    if (ok) {
        double least_mass = fmax(4, 0.01 * (double)n);
        assign(&k, best_cut(&k, least_mass), least_mass);
        ok = number(&k, n, cluster, n_clusters, err);
    }
    TH_FREE(k.at, k.weight, k.of, k.edge, k.parent, k.mass);
    return ok;
}
