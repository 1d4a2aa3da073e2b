#include "proof/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

/* Where children are drawn from: the vectors of the level below by their labels. */
typedef struct {
    const ThProofMap *f;
    const ThProofLabels *l;
    ThRng r;
    int *order, *start; /* (vectors of a level), (labels + 1): those of label i from start[i] on */
    double *x, *y;      /* (vectors of a level, dim) */
} Draw;

static bool take(ThProofSample *s, size_t n, size_t dim, ThError *err)
{
    s->z = th_alloc(n * dim, sizeof *s->z, err);
    s->label = th_alloc(n, sizeof *s->label, err);
    s->x = th_alloc(n, sizeof *s->x, err);
    s->y = th_alloc(n, sizeof *s->y, err);
    return s->z && s->label && s->x && s->y;
}

static bool take_draw(Draw *d, size_t most, ThError *err)
{
    size_t dim = (size_t)d->f->dim;
    d->order = th_alloc(most, sizeof *d->order, err);
    d->start = th_alloc((size_t)d->l->n + 2, sizeof *d->start, err);
    d->x = th_alloc(most * dim, sizeof *d->x, err);
    d->y = th_alloc(most * dim, sizeof *d->y, err);
    return d->order && d->start && d->x && d->y;
}

static void free_draw(Draw *d)
{
    free(d->order);
    free(d->start);
    free(d->x);
    free(d->y);
}

static void add(ThProofSample *s, int label, int x, int y)
{
    s->label[s->n] = label;
    s->x[s->n] = x;
    s->y[s->n++] = y;
}

/* Computes the vectors from `from` on, whose children are rows of z; those whose earlier child is
 * missing stand in front. */
static bool compute(Draw *d, ThProofSample *s, int from, const double *z, ThError *err)
{
    size_t dim = (size_t)d->f->dim;
    int alone = 0, n = s->n - from;
    for (int i = 0; i < n; i++) {
        if (s->x[from + i] < 0)
            alone++;
        else
            memcpy(d->x + (size_t)i * dim, z + (size_t)s->x[from + i] * dim, dim * sizeof *z);
        memcpy(d->y + (size_t)i * dim, z + (size_t)s->y[from + i] * dim, dim * sizeof *z);
    }
    double *to = s->z + (size_t)from * dim, *rest = to + (size_t)alone * dim;
    size_t past = (size_t)alone * dim;
    return th_proof_map_apply(d->f, NULL, d->y, alone, to, err) &&
           th_proof_map_apply(d->f, d->x + past, d->y + past, n - alone, rest, err);
}

static bool lowest(Draw *d, ThProofSample *s, ThError *err)
{
    int k = d->l->n_symbols;
    for (int a = 0; a < k; a++)
        add(s, d->l->single[a], -1, a);
    for (int i = 0; i < k * k; i++)
        add(s, d->l->pair[i], i / k, i % k);
    s->first = s->n;
    return compute(d, s, 0, d->f->leaf, err);
}

/* Sorts the vectors from … to-1 by their labels. */
static void sort_labels(Draw *d, const ThProofSample *s, int from, int to)
{
    int n = d->l->n;
    memset(d->start, 0, ((size_t)n + 2) * sizeof *d->start);
    for (int i = from; i < to; i++)
        d->start[s->label[i] + 2]++;
    for (int i = 2; i < n + 2; i++)
        d->start[i] += d->start[i - 1];
    for (int i = from; i < to; i++)
        d->order[d->start[s->label[i] + 1]++] = i;
}

/* A vector of the level below: of a random label that it has, with `later` of a complete one. */
static int draw_child(Draw *d, bool later)
{
    for (;;) {
        int label = (int)th_rng_below(&d->r, (uint64_t)d->l->n);
        int n = d->start[label + 1] - d->start[label];
        if (n > 0 && (!later || d->l->kind[label] == TH_PROOF_COMPLETE))
            return d->order[d->start[label] + (int)th_rng_below(&d->r, (uint64_t)n)];
    }
}

/* An eighth of the vectors has no earlier child, and a third of the others is complete. */
static bool next_level(Draw *d, ThProofSample *s, int from, int count, ThError *err)
{
    int begin = s->n;
    sort_labels(d, s, from, begin);
    for (int i = 0; i < count; i++) {
        bool alone = i < count / 8;
        int y = draw_child(d, !alone), x = alone ? -1 : draw_child(d, i % 3 == 0);
        add(s,
            alone ? d->l->alone[s->label[y]] : d->l->product[s->label[x] * d->l->n + s->label[y]],
            x, y);
    }
    return compute(d, s, begin, s->z, err);
}

bool th_proof_sample(const ThProofMap *f, const ThProofLabels *l, const ThProofSampleShape *shape,
                     ThStop *stop, ThProofSample *s, ThError *err)
{
    int k = l->n_symbols, lowest_n = k * k + k, wide = shape->per_level;
    int most = lowest_n > wide ? lowest_n : wide;
    Draw d = {.f = f, .l = l, .r = th_rng(shape->seed, "proof.sample", 0)};
    *s = (ThProofSample){0};
    bool ok =
        take(s, (size_t)lowest_n + (size_t)shape->levels * (size_t)wide, (size_t)f->dim, err) &&
        take_draw(&d, (size_t)most, err) && lowest(&d, s, err);
    for (int i = 0, from = 0; ok && i < shape->levels; i++) {
        int begin = s->n;
        ok = !th_stopped(stop, err) && next_level(&d, s, from, wide, err);
        from = begin;
    }
    free_draw(&d);
    return ok;
}

void th_proof_sample_free(ThProofSample *s)
{
    free(s->z);
    free(s->label);
    free(s->x);
    free(s->y);
    *s = (ThProofSample){0};
}

/* ---- words ---- */

static int count_symbols(const ThProofSample *s, int i)
{
    if (i < s->first)
        return s->x[i] < 0 ? 1 : 2;
    return (s->x[i] < 0 ? 0 : count_symbols(s, s->x[i])) + count_symbols(s, s->y[i]);
}

/* Writes the symbols below i; returns the place behind them. */
static int *spell(const ThProofSample *s, int i, int *to)
{
    bool leaves = i < s->first;
    if (s->x[i] >= 0) {
        if (leaves)
            *to++ = s->x[i];
        else
            to = spell(s, s->x[i], to);
    }
    if (!leaves)
        return spell(s, s->y[i], to);
    *to++ = s->y[i];
    return to;
}

int *th_proof_sample_word(const ThProofSample *s, int i, int *length, ThError *err)
{
    *length = count_symbols(s, i);
    int *word = th_alloc((size_t)*length, sizeof *word, err);
    if (word)
        spell(s, i, word);
    return word;
}

/* ---- centres ---- */

/* The vector of a label that is farthest from a centre, or -1; and its distance, unless NULL. */
static int farthest(const ThProofSample *s, int label, int dim, const double *centre,
                    double *distance)
{
    int far = -1;
    double most = -1;
    for (int i = 0; i < s->n; i++) {
        if (s->label[i] != label)
            continue;
        double square = 0;
        for (int k = 0; k < dim; k++) {
            double off = s->z[i * dim + k] - centre[k];
            square += off * off;
        }
        if (square > most) {
            most = square;
            far = i;
        }
    }
    if (distance)
        *distance = sqrt(fmax(0, most));
    return far;
}

/* The centre of a small ball around the vectors of a label (Bădoiu and Clarkson 2003); false: it
 * has none. */
static bool find_centre(const ThProofSample *s, int label, int dim, double *centre)
{
    enum { STEPS = 60 };
    int n = 0;
    memset(centre, 0, (size_t)dim * sizeof *centre);
    for (int i = 0; i < s->n; i++)
        if (s->label[i] == label) {
            n++;
            for (int k = 0; k < dim; k++)
                centre[k] += (s->z[i * dim + k] - centre[k]) / n;
        }
    for (int step = 0; n > 0 && step < STEPS; step++) {
        int far = farthest(s, label, dim, centre, NULL);
        for (int k = 0; k < dim; k++)
            centre[k] += (s->z[far * dim + k] - centre[k]) / (step + 2);
    }
    return n > 0;
}

/* Labels that no vector was drawn of begin where the centres of two others are taken to. */
static bool fill_missing(const ThProofMap *f, const ThProofLabels *l, double *centre, bool *known,
                         ThError *err)
{
    int d = f->dim;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < l->n * l->n + l->n; i++) {
            int x = i / l->n - 1, y = i % l->n, to = x < 0 ? l->alone[y] : l->product[x * l->n + y];
            if (to < 0 || known[to] || !known[y] || (x >= 0 && !known[x]))
                continue;
            more = known[to] = true;
            if (!th_proof_map_apply(f, x < 0 ? NULL : centre + x * d, centre + y * d, 1,
                                    centre + to * d, err))
                return false;
        }
    }
    return true;
}

bool th_proof_centres(const ThProofMap *f, const ThProofLabels *l, const ThProofSample *s,
                      double *centre, double *reach, ThError *err)
{
    int d = f->dim;
    bool *known = th_alloc((size_t)l->n, sizeof *known, err);
    if (!known)
        return false;
    for (int i = 0; i < l->n; i++) {
        double far = 0;
        known[i] = find_centre(s, i, d, centre + i * d);
        if (known[i])
            farthest(s, i, d, centre + i * d, &far);
        *reach = fmax(*reach, far);
    }
    bool ok = fill_missing(f, l, centre, known, err);
    free(known);
    return ok;
}
