#include "tasks/epoch.h"

#include "base/rng.h"

enum { ROUNDS = 6, LEAST_HALF = 4 /* bits; over fewer values a network makes few permutations */ };

typedef struct {
    uint64_t key[ROUNDS];
    int half; /* bits of each half of a value */
} Network;

/* The finalizer of MurmurHash3 (Appleby 2011). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 33);
}

static uint64_t pass(const Network *w, uint64_t value)
{
    uint64_t mask = (UINT64_C(1) << w->half) - 1;
    uint64_t left = value >> w->half, right = value & mask;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t next = left ^ (mix(right ^ w->key[i]) & mask);
        left = right;
        right = next;
    }
    return left << w->half | right;
}

long long th_task_epoch(uint64_t seed, long long n, long long place)
{
    Network w = {.half = LEAST_HALF};
    ThRng r = th_rng(seed, "task.epoch", (uint64_t)(place / n));
    for (int i = 0; i < ROUNDS; i++)
        w.key[i] = th_rng_next(&r);
    while (w.half < 31 && (INT64_C(1) << 2 * w.half) < n)
        w.half++;
    uint64_t value = (uint64_t)(place % n);
    do
        value = pass(&w, value);
    while (value >= (uint64_t)n);
    return (long long)value;
}
