#include "proof/check/nearest.h"

#include <math.h>

enum { MOST = 48 }; /* neighbours of a centre that are known */

/* Another centre of the same kind, and how far away it is. */
typedef struct {
    double far;
    int label;
} Neighbour;

struct ThProofNearest {
    const ThProofLabels *l;
    const double *centre;
    int dim;
    Neighbour *near; /* (n, MOST): nearest first */
    int *n_near;     /* (n) */
    int *first;      /* (n): of the labels that share a centre */
    Neighbour *room; /* (n) */
};

ThProofNearest *th_proof_nearest_new(const ThProofLabels *l, const double *centre, int dim,
                                     ThError *err)
{
    ThProofNearest *s = th_alloc(1, sizeof *s, err);
    size_t n = (size_t)l->n;
    if (!s)
        return NULL;
    s->l = l;
    s->centre = centre;
    s->dim = dim;
    s->near = th_alloc(n * MOST, sizeof *s->near, err);
    s->n_near = th_alloc(n, sizeof *s->n_near, err);
    s->first = th_alloc(n, sizeof *s->first, err);
    s->room = th_alloc(n, sizeof *s->room, err);
    return TH_KEEP_IF(s->near && s->n_near && s->first && s->room, s, th_proof_nearest_free);
}

void th_proof_nearest_free(ThProofNearest *s)
{
    if (s)
        TH_FREE(s->near, s->n_near, s->first, s->room, s);
}

static const double *centre_of(const ThProofNearest *s, int i)
{
    return s->centre + (size_t)i * (size_t)s->dim;
}

/* Labels of which no strings but those of a domain know that they differ share a centre. */
static bool same_centre(const ThProofNearest *s, int i, int j)
{
    return s->l->kind[i] == s->l->kind[j] &&
           memcmp(centre_of(s, i), centre_of(s, j), (size_t)s->dim * sizeof *s->centre) == 0;
}

/* The square of the distance of two vectors, or a lower bound of it that is `enough`. */
static double square_distance(const double *a, const double *b, int dim, double enough)
{
    enum { AT_ONCE = 8 };
    double square = 0;
    for (int from = 0; from < dim && square < enough; from += AT_ONCE)
        for (int k = from; k < dim && k < from + AT_ONCE; k++)
            square += (a[k] - b[k]) * (a[k] - b[k]);
    return square;
}

static int by_distance(const void *a, const void *b)
{
    const Neighbour *x = a, *y = b;
    return x->far != y->far ? (x->far > y->far) - (x->far < y->far) : x->label - y->label;
}

void th_proof_nearest_update(ThProofNearest *s)
{
    for (int i = 0; i < s->l->n; i++) {
        int n = 0;
        for (s->first[i] = 0; !same_centre(s, i, s->first[i]);)
            s->first[i]++;
        for (int j = 0; j < s->l->n; j++)
            if (s->l->kind[j] == s->l->kind[i] && !same_centre(s, i, j))
                s->room[n++] = (Neighbour){
                    sqrt(square_distance(centre_of(s, i), centre_of(s, j), s->dim, HUGE_VAL)), j};
        qsort(s->room, (size_t)n, sizeof *s->room, by_distance);
        s->n_near[i] = n;
        memcpy(s->near + (size_t)i * MOST, s->room,
               (size_t)(n < MOST ? n : MOST) * sizeof *s->room);
    }
}

int th_proof_nearest_first(const ThProofNearest *s, int label)
{
    return s->first[label];
}

/* The two nearest centres so far, as squares of distances. */
typedef struct {
    const ThProofNearest *s;
    const double *z;
    double near, next;
    int label;
} Search;

static void offer(Search *x, int label)
{
    label = x->s->first[label];
    if (label == x->label)
        return;
    double square = square_distance(x->z, centre_of(x->s, label), x->s->dim, x->next);
    bool nearer = square < x->near || (square == x->near && label < x->label);
    if (square < x->next)
        x->next = nearer ? x->near : square;
    if (nearer) {
        x->near = square;
        x->label = label;
    }
}

/* Looks at the neighbours of the first centre, as long as one can be among the two nearest; false:
 * so can some that are not known. */
static bool look_around(Search *x, int guess)
{
    const double spare = 1e-9; /* more than what distances round */
    int n = x->s->n_near[guess];
    offer(x, guess);
    double own = sqrt(x->near);
    for (int i = 0; i < n && i < MOST; i++) {
        const Neighbour *b = &x->s->near[(size_t)guess * MOST + (size_t)i];
        if (b->far * (1 - spare) - own > sqrt(x->next) * (1 + spare))
            return true;
        offer(x, b->label);
    }
    return n <= MOST;
}

int th_proof_nearest_find(const ThProofNearest *s, const double *z, ThProofKind kind, int guess,
                          double *margin)
{
    Search x = {s, z, HUGE_VAL, HUGE_VAL, -1};
    bool told = guess >= 0 && s->l->kind[guess] == kind && look_around(&x, guess);
    for (int i = 0; !told && i < s->l->n; i++)
        if (s->l->kind[i] == kind)
            offer(&x, i);
    double rounds = (s->dim + 8) * 0x1p-50; /* here, and where a run looks for the nearest */
    *margin = x.next < HUGE_VAL || isnan(x.next)
                  ? sqrt(x.next) - sqrt(x.near) - rounds * (sqrt(x.next) + sqrt(x.near))
                  : HUGE_VAL;
    return x.label;
}
