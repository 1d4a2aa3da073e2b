/* worst.h - the search for the point at which a bound is nearest to being wrong.  Coordinates go in
 * parts, each of which is a point of a unit ball; from several beginnings, coordinate by coordinate
 * with steps that halve. */
#ifndef TEST_UNIT_WORST_H
#define TEST_UNIT_WORST_H

#include <math.h>
#include <string.h>

#include "base/rng.h"

enum { WORST_PARTS = 4, WORST_MOST = 64 };

typedef struct {
    int n, part[WORST_PARTS]; /* numbers of each */
} WorstPlace;

/* What is to become great; of a place. */
typedef double WorstValue(const void *given, const double *z);

/* Parts that are longer than 1 get length 1. */
static void worst_into(const WorstPlace *p, double *z)
{
    for (int i = 0, at = 0; i < p->n; at += p->part[i++]) {
        double square = 0;
        for (int k = 0; k < p->part[i]; k++)
            square += z[at + k] * z[at + k];
        for (int k = 0; square > 1 && k < p->part[i]; k++)
            z[at + k] /= sqrt(square);
    }
}

/* A corner of axes, or any place on the surface. */
static int worst_begin(const WorstPlace *p, ThRng *r, bool axes, double *z)
{
    int n = 0;
    for (int i = 0; i < p->n; n += p->part[i++]) {
        int axis = (int)th_rng_below(r, (uint64_t)p->part[i]);
        for (int k = 0; k < p->part[i]; k++)
            z[n + k] = axes && k != axis ? 0 : th_rng_normal(r);
        if (axes)
            z[n + axis] = z[n + axis] > 0 ? 1 : -1;
    }
    worst_into(p, z);
    return n;
}

static double worst_climb(WorstValue *f, const void *given, const WorstPlace *p, double *z, int n)
{
    double best = f(given, z), other[WORST_MOST];
    for (double step = 0.5; step > 2e-4;) {
        double before = best;
        for (int i = 0; i < 2 * n; i++) {
            memcpy(other, z, (size_t)n * sizeof *z);
            other[i / 2] += i % 2 ? step : -step;
            worst_into(p, other);
            double value = f(given, other);
            if (!(value > best))
                continue;
            best = value;
            memcpy(z, other, (size_t)n * sizeof *z);
        }
        step = best > before + 1e-4 * fabs(before) ? step : step / 2;
    }
    return best;
}

/* The greatest value that is found. */
static double worst(WorstValue *f, const void *given, const WorstPlace *p, int begins,
                    uint64_t seed)
{
    ThRng r = th_rng(seed, "worst", 0);
    double most = -HUGE_VAL, z[WORST_MOST];
    for (int i = 0; i < begins; i++) {
        int n = worst_begin(p, &r, i % 2 == 0, z);
        most = fmax(most, worst_climb(f, given, p, z, n));
    }
    return most;
}

#endif
