#include "base/rng.h"

#include <math.h>

#include "base/hash.h"

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

ThRng th_rng(uint64_t seed, const char *purpose, uint64_t index)
{
    uint64_t x = th_hash_mix(th_hash_text(purpose) ^ th_hash_mix(seed) ^ th_hash_mix(~index));
    ThRng r = {0};
    for (int i = 0; i < 4; i++)
        r.s[i] = splitmix(&x);
    return r;
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t th_rng_next(ThRng *r)
{
    if (r->walk)
        r->walk->uncountable = true;
    uint64_t *s = r->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* The choice of a walk, the first of those that it has not come to. */
static uint64_t choose(ThRngWalk *w, uint64_t n)
{
    if (n == 1 || w->failed)
        return 0;
    if (w->at == w->n) {
        w->failed = !th_grow(&w->choice, &w->choice_cap, w->n + 1, sizeof *w->choice, NULL) ||
                    !th_grow(&w->of, &w->of_cap, w->n + 1, sizeof *w->of, NULL);
        if (w->failed)
            return 0;
        w->choice[w->n] = 0;
        w->of[w->n++] = n;
    }
    return w->choice[w->at++];
}

uint64_t th_rng_below(ThRng *r, uint64_t n)
{
    if (r->walk)
        return choose(r->walk, n);
    uint64_t x;
    do
        x = th_rng_next(r);
    while (x < n && x < -n % n); /* draws below 2^64 mod n would favour small results */
    return x % n;
}

bool th_rng_hits(ThRng *r, uint64_t m, uint64_t n)
{
    if (r->walk)
        return m > 0 && (m >= n || choose(r->walk, 2) == 0);
    return th_rng_below(r, n) < m;
}

double th_rng_uniform(ThRng *r)
{
    return (double)(th_rng_next(r) >> 11) * 0x1p-53;
}

double th_rng_normal(ThRng *r)
{
    double u, v, s;
    do {
        u = 2 * th_rng_uniform(r) - 1;
        v = 2 * th_rng_uniform(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s);
}

ThRng th_rng_walk(ThRngWalk *w)
{
    ThRng r = th_rng(0, "walk", 0);
    w->at = 0;
    w->rejected = false;
    r.walk = w;
    return r;
}

bool th_rng_walk_next(ThRngWalk *w)
{
    w->n = w->at;
    while (w->n > 0 && w->choice[w->n - 1] + 1 == w->of[w->n - 1])
        w->n--;
    if (w->n > 0)
        w->choice[w->n - 1]++;
    return w->n > 0;
}

void th_rng_walk_free(ThRngWalk *w)
{
    free(w->choice);
    free(w->of);
    *w = (ThRngWalk){0};
}

bool th_rng_rejects(ThRng *r)
{
    if (r->walk)
        r->walk->rejected = true;
    return r->walk != NULL;
}
