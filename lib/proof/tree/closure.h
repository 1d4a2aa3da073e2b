/* closure.h - are the clusters of a model's vectors closed under its map, level after level?
 *
 * The vectors of one level are made of those of the level below.  Of these as many representatives
 * of every label as are wanted are kept: the one farthest from the middle of its cluster, then
 * always that which is farthest from all that were chosen (Gonzalez 1985), so that the edges of a
 * cluster are followed.  All pairs of them are multiplied, or as many random ones as are allowed.
 * A product is wrong if another cluster of its kind is nearer than its own; wrong ones are not
 * followed further.  What is found wrong has a string that shows it; that nothing is found proves
 * nothing.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "proof/labels.h"
#include "proof/map.h"

typedef struct {
    int levels;      /* ≥ 1 */
    int keep;        /* representatives of a label, at most; ≥ 1 */
    long long pairs; /* products of a level, at most; ≥ 1 */
    size_t limit;    /* elements of the semigroup at most */
    uint64_t seed;
} ThProofClosureHow;

typedef struct {
    long long visited;  /* products that were computed */
    bool all;           /* they are all of the representatives below, else random ones */
    long long wrong;    /* of them lie in the cluster of another label */
    int kept;           /* representatives */
    int clusters;       /* of labels that some vector is nearest to */
    double purity;      /* share of vectors with their cluster's most frequent element */
    double radius;      /* greatest distance of a vector from the middle of its label's */
    double gap;         /* least distance of two such middles, of one kind and two elements */
    double at, between; /* greatest |Jx| + |Jy| where middles meet; and half way to their nearest
                           neighbours */
} ThProofClosureLevel;

/* Two labels that meet, at the last level: what is made of them, and how F is there.  A pair is far
 * from a proof where spread is not small beside gap, or `at` is not below 1. */
typedef struct {
    int x, y, into;     /* labels; x -1: nothing */
    double spread;      /* greatest distance of a product from the middle of its label's; NaN: none
                           was computed */
    double gap;         /* from that middle to the nearest other one of its kind; infinite: none */
    double at, between; /* |Jx| + |Jy| at the middles; and the greater one of half way from either
                           to its nearest neighbour */
} ThProofClosurePair;

typedef struct {
    ThProofClosureLevel *level; /* (levels) */
    int levels, n_pairs;
    ThProofClosurePair *pair; /* (n_pairs): those whose middles are known */
    ThProofLabels *labels;
    int first; /* the first level with a wrong product, from 0; -1: none */
    /* A string that leads to one there (NULL: none, or no string has such a root), its class, and
     * what the model says: where any of these strings is answered wrong, such a one. */
    int *word, length, right, said;
} ThProofClosure;

/* spread as a share of half the gap: beyond 1 products can be nearer to another middle.  NaN as
 * spread is, 0 where there is no other middle, infinite where one is the same. */
double th_proof_closure_share(const ThProofClosurePair *p);

/* Returns new.  Classes of the machine from n_classes on ask for nothing (right is -1).  Errors as
 * th_proof_certify has. */
ThProofClosure *th_proof_closure(const ThModel *m, const ThDfa *machine,
                                 const ThProofClosureHow *how, ThStop *stop, ThError *err);
void th_proof_closure_free(ThProofClosure *c); /* NULL is fine */
TH_RELEASES(th_proof_closure_free, ThProofClosure)
