#include "proof/sample.h"

#include <math.h>

/* Where children are drawn from: the vectors of the level below by their labels. */
typedef struct {
    const ThProofMap *f;
    const ThProofLabels *l;
    ThRng r;
    int *order, *start; /* (vectors of a level), (labels + 1): those of label i from start[i] on */
} Draw;

bool th_proof_sample_take(ThProofSample *s, size_t n, int dim, ThError *err)
{
    *s = (ThProofSample){.dim = dim};
    s->z = th_alloc(n * (size_t)dim, sizeof *s->z, err);
    s->label = th_alloc(n, sizeof *s->label, err);
    s->x = th_alloc(n, sizeof *s->x, err);
    s->y = th_alloc(n, sizeof *s->y, err);
    return s->z && s->label && s->x && s->y;
}

static bool take_draw(Draw *d, size_t most, ThError *err)
{
    d->order = th_alloc(most, sizeof *d->order, err);
    d->start = th_alloc((size_t)d->l->n + 2, sizeof *d->start, err);
    return d->order && d->start;
}

static void free_draw(Draw *d)
{
    TH_FREE(d->order, d->start);
}

void th_proof_sample_add(ThProofSample *s, int label, int x, int y)
{
    s->label[s->n] = label;
    s->x[s->n] = x;
    s->y[s->n++] = y;
}

/* Those from … to-1, all of them with an earlier child, or none. */
static bool compute_block(const ThProofMap *f, ThProofSample *s, int from, int to, const double *z,
                          ThError *err)
{
    int n = to - from;
    bool alone = s->x[from] < 0;
    size_t dim = (size_t)f->dim, size = (size_t)n * dim;
    double *x TH_OWNED(free) = th_alloc(2 * size, sizeof *x, err);
    double *y = x ? x + size : NULL;
    for (int i = 0; x && i < n; i++) {
        if (!alone)
            memcpy(x + (size_t)i * dim, z + (size_t)s->x[from + i] * dim, dim * sizeof *z);
        memcpy(y + (size_t)i * dim, z + (size_t)s->y[from + i] * dim, dim * sizeof *z);
    }
    return x && th_proof_map_apply(f, alone ? NULL : x, y, n, s->z + (size_t)from * dim, err);
}

bool th_proof_sample_compute(const ThProofMap *f, ThProofSample *s, int from, const double *z,
                             ThStop *stop, ThError *err)
{
    enum { AT_ONCE = 8192 };
    bool ok = true;
    for (int to; ok && from < s->n; from = to) {
        for (to = from; to < s->n && to - from < AT_ONCE && (s->x[to] < 0) == (s->x[from] < 0);)
            to++;
        ok = !th_stopped(stop, err) && compute_block(f, s, from, to, z, err);
    }
    return ok;
}

bool th_proof_sample_lowest(const ThProofMap *f, const ThProofLabels *l, ThProofSample *s,
                            ThError *err)
{
    int k = l->n_symbols;
    for (int a = 0; a < k; a++)
        if (l->single[a] >= 0)
            th_proof_sample_add(s, l->single[a], -1, a);
    for (int i = 0; i < k * k; i++)
        if (l->pair[i] >= 0)
            th_proof_sample_add(s, l->pair[i], i / k, i % k);
    s->first = s->n;
    return th_proof_sample_compute(f, s, 0, f->leaf, NULL, err);
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

/* A vector of the level below, which has some: of a random label that it has, with `later` of a
 * complete one. */
static int draw_child(Draw *d, bool later)
{
    for (;;) {
        int label = (int)th_rng_below(&d->r, (uint64_t)d->l->n);
        int n = d->start[label + 1] - d->start[label];
        if (n > 0 && (!later || d->l->kind[label] == TH_PROOF_COMPLETE))
            return d->order[d->start[label] + (int)th_rng_below(&d->r, (uint64_t)n)];
    }
}

/* How many vectors of a level are complete subtrees. */
static int count_complete(const Draw *d)
{
    int complete = 0;
    for (int i = 0; i < d->l->n; i++)
        complete += d->l->kind[i] == TH_PROOF_COMPLETE ? d->start[i + 1] - d->start[i] : 0;
    return complete;
}

/* Adds a vector with random children, or none where such children do not meet. */
static void draw_vector(Draw *d, ThProofSample *s, bool alone, bool complete)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        int y = draw_child(d, !alone), x = alone ? -1 : draw_child(d, complete);
        int label = th_proof_labels_product(d->l, alone ? -1 : s->label[x], s->label[y]);
        if (label < 0)
            continue;
        th_proof_sample_add(s, label, x, y);
        return;
    }
}

/* An eighth of the vectors has no earlier child, and a third of the others is complete. */
static bool next_level(Draw *d, ThProofSample *s, int from, int count, ThStop *stop, ThError *err)
{
    int begin = s->n;
    sort_labels(d, s, from, begin);
    bool pairs = count_complete(d) > 0;
    for (int i = 0; begin > from && i < count; i++)
        if (i < count / 8 || pairs)
            draw_vector(d, s, i < count / 8, i % 3 == 0);
    return th_proof_sample_compute(d->f, s, begin, s->z, stop, err);
}

bool th_proof_sample(const ThProofMap *f, const ThProofLabels *l, const ThProofSampleShape *shape,
                     ThStop *stop, ThProofSample *s, ThError *err)
{
    int k = l->n_symbols, lowest_n = k * k + k, wide = shape->per_level;
    int most = lowest_n > wide ? lowest_n : wide;
    Draw d = {.f = f, .l = l, .r = th_rng(shape->seed, "proof.sample", 0)};
    bool ok = th_proof_sample_take(s, (size_t)lowest_n + (size_t)shape->levels * (size_t)wide,
                                   f->dim, err) &&
              take_draw(&d, (size_t)most, err) && th_proof_sample_lowest(f, l, s, err);
    for (int i = 0, from = 0; ok && i < shape->levels; i++) {
        int begin = s->n;
        ok = next_level(&d, s, from, wide, stop, err);
        from = begin;
    }
    free_draw(&d);
    return ok;
}

void th_proof_sample_free(ThProofSample *s)
{
    TH_FREE(s->z, s->label, s->x, s->y);
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

/* By Bădoiu and Clarkson 2003. */
bool th_proof_sample_centre(const ThProofSample *s, int label, double *centre, double *reach)
{
    enum { STEPS = 60 };
    int n = 0, dim = s->dim;
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
    double far = 0;
    if (n > 0 && reach)
        farthest(s, label, dim, centre, &far);
    if (reach)
        *reach = fmax(*reach, far);
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
            int x = i / l->n - 1, y = i % l->n, to = th_proof_labels_product(l, x, y);
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
    bool *known TH_OWNED(free) = th_alloc((size_t)l->n, sizeof *known, err);
    if (!known)
        return false;
    for (int i = 0; i < l->n; i++)
        known[i] = th_proof_sample_centre(s, i, centre + i * d, reach);
    return fill_missing(f, l, centre, known, err);
}
