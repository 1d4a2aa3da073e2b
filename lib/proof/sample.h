/* sample.h - vectors that a model's tree can hold, each with its label and how it came about.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "proof/labels.h"
#include "proof/map.h"

typedef struct {
    int dim, n, first; /* vectors; how many of them are of the lowest level */
    double *z;         /* (n, dim) */
    int *label;        /* (n) */
    int *x, *y; /* (n): its children: vectors of the level below, or symbols; x -1: nothing */
} ThProofSample;

/* Fills *s, also where it fails, for th_proof_sample_free: all of the lowest level, then
 * `per_level` of each of `levels` levels more, drawn so that all labels that a level can have get a
 * share. TH_ENOMEM, TH_EINTERRUPTED. */
typedef struct {
    int levels, per_level;
    uint64_t seed;
} ThProofSampleShape;
bool th_proof_sample(const ThProofMap *f, const ThProofLabels *l, const ThProofSampleShape *shape,
                     ThStop *stop, ThProofSample *s, ThError *err);
void th_proof_sample_free(ThProofSample *s);
TH_RELEASES_VALUE(th_proof_sample_free, ThProofSample)

/* For those who choose otherwise.  Makes *s a sample of none with room for n (also where it fails,
 * for th_proof_sample_free); adds a vector, to be computed; computes those from `from` on, whose
 * children are rows of z, the ones without an earlier child standing in front; adds and computes
 * the lowest level.  TH_ENOMEM, TH_EINTERRUPTED. */
bool th_proof_sample_take(ThProofSample *s, size_t n, int dim, ThError *err);
void th_proof_sample_add(ThProofSample *s, int label, int x, int y);
bool th_proof_sample_compute(const ThProofMap *f, ThProofSample *s, int from, const double *z,
                             ThStop *stop, ThError *err);
bool th_proof_sample_lowest(const ThProofMap *f, const ThProofLabels *l, ThProofSample *s,
                            ThError *err);

/* Returns new: the *length symbols below vector i. */
int *th_proof_sample_word(const ThProofSample *s, int i, int *length, ThError *err);

/* The centre of a small ball around the vectors of a label; false: it has none.  Raises *reach,
 * unless NULL, to the greatest distance of one of them from it. */
bool th_proof_sample_centre(const ThProofSample *s, int label, double *centre, double *reach);

/* Fills centre (labels, dim) with the centres of small balls around the vectors of every label, and
 * raises *reach to the greatest distance of a vector from its own. */
bool th_proof_centres(const ThProofMap *f, const ThProofLabels *l, const ThProofSample *s,
                      double *centre, double *reach, ThError *err);
