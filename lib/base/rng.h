/* rng.h - random streams that are named by what they are for.
 *
 * There is no hidden state: a stream is a plain value derived from (seed, purpose, index), so step
 * k of a training draws the same numbers whether it follows step k-1 or a checkpoint, and no
 * generator state has to be saved.
 *
 *     ThRng r = th_rng(seed, "train.batch", step);
 *     size_t die = th_rng_below(&r, 6);
 *
 * What is drawn by th_rng_below alone can also be gone through, all of it, by the same code:
 *
 *     ThRngWalk w = {0};
 *     do {
 *         ThRng die = th_rng_walk(&w);
 *         uint64_t two[] = {th_rng_below(&die, 6), th_rng_below(&die, 6)};
 *         printf("%d %d", (int)two[0], (int)two[1]);
 *     } while (th_rng_walk_next(&w) && !w.failed);
 *     th_rng_walk_free(&w);
 *
 * The generator is xoshiro256** (Blackman and Vigna 2018), seeded by SplitMix64: 32 bytes of state,
 * where GSL's generators carry kilobytes and cost microseconds to seed.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A walk through all that could be drawn, in the order of the choices: zero-initialised it is
 * before the first. */
typedef struct {
    uint64_t *choice, *of; /* (n): of a drawing, and how many there were of each */
    size_t n, at, choice_cap, of_cap;
    bool rejected;    /* what was drawn last would have been drawn anew: it does not count */
    bool uncountable; /* it took numbers of which there is no end: the walk is none */
    bool failed;      /* out of memory, likewise */
} ThRngWalk;

typedef struct {
    uint64_t s[4];
    ThRngWalk *walk; /* NULL: what is drawn is random */
} ThRng;

/* The stream of a seed, a purpose and an index; other arguments give unrelated streams. */
ThRng th_rng(uint64_t seed, const char *purpose, uint64_t index);
uint64_t th_rng_next(ThRng *r);                     /* 64 random bits */
uint64_t th_rng_below(ThRng *r, uint64_t n);        /* uniform on 0 … n-1, exactly; n ≥ 1 */
bool th_rng_hits(ThRng *r, uint64_t m, uint64_t n); /* m times of n; in a walk one choice of two */
double th_rng_uniform(ThRng *r);                    /* uniform on [0,1) */
double th_rng_normal(ThRng *r); /* mean 0, variance 1; Marsaglia's polar method */

/* The stream of the drawing that the walk is at; borrows the walk. */
ThRng th_rng_walk(ThRngWalk *w);

/* To the next drawing, which differs in the last choice that can; false: that was the last. */
bool th_rng_walk_next(ThRngWalk *w);
void th_rng_walk_free(ThRngWalk *w);

/* For code that draws until something fits, before it draws anew: true if it must give up, for in a
 * walk what does not fit is left out. */
bool th_rng_rejects(ThRng *r);
