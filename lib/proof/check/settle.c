#include "proof/check/settle.h"

#include "base/rng.h"
#include "proof/check/nearest.h"

enum { MOST = 48, AT_ONCE = 512, ROUNDS = 16 };

/* What the map takes x, -1: nothing, and y to should be `into`. */
typedef struct {
    int x, y, into;
} Entry;

typedef struct {
    const ThProofMap *f;
    const ThProofLabels *l;
    double *centre; /* borrowed */
    Entry *entry;   /* (n): those without an earlier child stand in front */
    int n;
    double *lowest;    /* (lowest, dim): what symbols come to, which no centre changes */
    int n_lowest;      /* rows of it, */
    int *lowest_label; /* and their labels */
    double *x, *y, *z; /* (AT_ONCE, dim) */
    double *mean;      /* (labels, dim) */
    int *met;          /* (labels) */
    ThProofNearest *nearest;
    int wrong; /* entries, in the last round */
} Settle;

/* ---- centres as a model holds them ---- */

/* Labels that share a centre get the mean of theirs. */
static void share_centres(const ThProofLabels *l, int d, double *centre)
{
    for (int i = 0; i < l->n; i++) {
        double *mean = centre + i * d;
        int n = 1, first = th_proof_labels_first(l, i);
        if (first < i)
            memcpy(mean, centre + first * d, (size_t)d * sizeof *mean);
        for (int j = i + 1; first == i && j < l->n; j++) {
            if (!th_proof_labels_alike(l, i, j))
                continue;
            n++;
            for (int k = 0; k < d; k++)
                mean[k] += (centre[j * d + k] - mean[k]) / n;
        }
    }
}

void th_proof_settle_round(const ThProofLabels *l, int dim, double *centre)
{
    share_centres(l, dim, centre);
    for (int i = 0; i < l->n * dim; i++)
        centre[i] = (double)(float)centre[i];
}

/* ---- the entries ---- */

/* Draws up to MOST entries of every label, each as likely as another (Vitter's algorithm R). */
static void draw_entries(Settle *s, ThRng *r, Entry *of_label)
{
    const ThProofLabels *l = s->l;
    for (int x = -1; x < l->n; x++)
        for (int y = 0; y < l->n; y++) {
            int into = th_proof_labels_product(l, x, y);
            if (into < 0)
                continue;
            uint64_t n = (uint64_t)s->met[into]++, at = n < MOST ? n : th_rng_below(r, n + 1);
            if (at < MOST)
                of_label[(uint64_t)into * MOST + at] = (Entry){x, y, into};
        }
}

static void list_entries(Settle *s, const Entry *of_label)
{
    for (int odd = 1; odd >= 0; odd--)
        for (int i = 0; i < s->l->n * MOST; i++)
            if (i % MOST < s->met[i / MOST] && (of_label[i].x < 0) == (odd == 1))
                s->entry[s->n++] = of_label[i];
}

static bool choose_entries(Settle *s, uint64_t seed, ThError *err)
{
    size_t most = (size_t)s->l->n * MOST;
    ThRng r = th_rng(seed, "proof.settle", 0);
    Entry *of_label TH_OWNED(free) = th_alloc(most, sizeof *of_label, err);
    s->entry = th_alloc(most, sizeof *s->entry, err);
    if (!of_label || !s->entry)
        return false;
    draw_entries(s, &r, of_label);
    list_entries(s, of_label);
    return true;
}

static bool find_lowest(Settle *s, ThError *err)
{
    const ThProofLabels *l = s->l;
    int k = l->n_symbols, d = s->f->dim;
    s->lowest = th_alloc((size_t)(k * k + k) * (size_t)d, sizeof *s->lowest, err);
    s->lowest_label = th_alloc((size_t)(k * k + k), sizeof *s->lowest_label, err);
    for (int i = 0; s->lowest && s->lowest_label && i < k * k + k; i++) {
        int a = i / k - 1, b = i % k, into = a < 0 ? l->single[b] : l->pair[a * k + b];
        if (into < 0)
            continue;
        s->lowest_label[s->n_lowest] = into;
        if (!th_proof_map_apply(s->f, a < 0 ? NULL : s->f->leaf + a * d, s->f->leaf + b * d, 1,
                                s->lowest + s->n_lowest++ * d, err))
            return false;
    }
    return s->lowest && s->lowest_label;
}

/* ---- a round ---- */

static void take_in(Settle *s, int label, const double *z)
{
    int d = s->f->dim, n = ++s->met[label];
    double margin;
    int at = th_proof_nearest_find(s->nearest, z, s->l->kind[label], label, &margin);
    s->wrong += at != th_proof_nearest_first(s->nearest, label);
    for (int k = 0; k < d; k++)
        s->mean[label * d + k] += (z[k] - s->mean[label * d + k]) / n;
}

/* Some entries from `first` on, of one sort; returns how many, 0 after a failure. */
static int apply_some(Settle *s, int first, ThError *err)
{
    size_t d = (size_t)s->f->dim;
    bool odd = s->entry[first].x < 0;
    int n = 0;
    while (n < AT_ONCE && first + n < s->n && (s->entry[first + n].x < 0) == odd) {
        const Entry *e = &s->entry[first + n];
        if (!odd)
            memcpy(s->x + (size_t)n * d, s->centre + (size_t)e->x * d, d * sizeof *s->x);
        memcpy(s->y + (size_t)n * d, s->centre + (size_t)e->y * d, d * sizeof *s->y);
        n++;
    }
    return th_proof_map_apply(s->f, odd ? NULL : s->x, s->y, n, s->z, err) ? n : 0;
}

/* Counts the entries that are wrong, and finds the means. */
static bool look(Settle *s, ThStop *stop, ThError *err)
{
    int d = s->f->dim;
    s->wrong = 0;
    memset(s->met, 0, (size_t)s->l->n * sizeof *s->met);
    memset(s->mean, 0, (size_t)s->l->n * (size_t)d * sizeof *s->mean);
    th_proof_nearest_update(s->nearest);
    for (int i = 0; i < s->n_lowest; i++)
        take_in(s, s->lowest_label[i], s->lowest + i * d);
    for (int first = 0, n; first < s->n; first += n) {
        n = th_stopped(stop, err) ? 0 : apply_some(s, first, err);
        if (n == 0)
            return false;
        for (int i = 0; i < n; i++)
            take_in(s, s->entry[first + i].into, s->z + i * d);
    }
    return true;
}

static bool settle(Settle *s, ThStop *stop, ThError *err)
{
    size_t d = (size_t)s->f->dim, size = (size_t)s->l->n * d * sizeof *s->centre;
    double *best TH_OWNED(free) = th_alloc(size, 1, err);
    int least = -1;
    for (int round = 0; best && round < ROUNDS; round++) {
        if (!look(s, stop, err))
            return false;
        if (least >= 0 && s->wrong >= least)
            break;
        least = s->wrong;
        memcpy(best, s->centre, size);
        for (int i = 0; i < s->l->n; i++)
            if (s->met[i] > 0)
                memcpy(s->centre + (size_t)i * d, s->mean + (size_t)i * d, d * sizeof *s->mean);
        th_proof_settle_round(s->l, (int)d, s->centre);
    }
    if (best)
        memcpy(s->centre, best, size);
    return best != NULL;
}

bool th_proof_settle(const ThProofMap *f, const ThProofLabels *l, uint64_t seed, double *centre,
                     ThStop *stop, ThError *err)
{
    size_t d = (size_t)f->dim, rows = AT_ONCE * d;
    Settle s = {.f = f, .l = l, .centre = centre};
    s.x = th_alloc(rows, sizeof *s.x, err);
    s.y = th_alloc(rows, sizeof *s.y, err);
    s.z = th_alloc(rows, sizeof *s.z, err);
    s.mean = th_alloc((size_t)l->n * d, sizeof *s.mean, err);
    s.met = th_alloc((size_t)l->n, sizeof *s.met, err);
    s.nearest = th_proof_nearest_new(l, centre, f->dim, err);
    bool ok = s.x && s.y && s.z && s.mean && s.met && s.nearest && choose_entries(&s, seed, err) &&
              find_lowest(&s, err) && settle(&s, stop, err);
    th_proof_nearest_free(s.nearest);
    TH_FREE(s.entry, s.lowest, s.lowest_label, s.x, s.y, s.z, s.mean, s.met);
    return ok;
}
