/* rng.h - random streams that are named by what they are for.
 *
 * There is no hidden state: a stream is a plain value derived from (seed, purpose, index), so step
 * k of a training draws the same numbers whether it follows step k-1 or a checkpoint, and no
 * generator state has to be saved.
 *
 *     ThRng r = th_rng(seed, "train.batch", step);
 *     size_t die = th_rng_below(&r, 6);
 *
 * The generator is xoshiro256** (Blackman and Vigna 2018), seeded by SplitMix64: 32 bytes of state,
 * where GSL's generators carry kilobytes and cost microseconds to seed.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#ifndef TH_BASE_RNG_H
#define TH_BASE_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t s[4];
} ThRng;

/* The stream of a seed, a purpose and an index; other arguments give unrelated streams. */
ThRng th_rng(uint64_t seed, const char *purpose, uint64_t index);
uint64_t th_rng_next(ThRng *r);              /* 64 random bits */
uint64_t th_rng_below(ThRng *r, uint64_t n); /* uniform on 0 … n-1, exactly; n ≥ 1 */
double th_rng_uniform(ThRng *r);             /* uniform on [0,1) */
double th_rng_normal(ThRng *r);              /* mean 0, variance 1; Marsaglia's polar method */

#endif
