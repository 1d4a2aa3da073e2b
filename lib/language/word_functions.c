#include "language/word_functions.h"

#include <stdlib.h>
#include <string.h>

void th_language_same(const int *w, int n, int *to)
{
    for (int i = 0; i < n; i++)
        to[i] = w[i];
}

void th_language_reversed(const int *w, int n, int *to)
{
    for (int i = 0; i < n; i++)
        to[i] = w[n - 1 - i];
}

void th_language_odds_first(const int *w, int n, int *to)
{
    for (int i = 0; i < n; i++)
        *to++ = w[2 * i < n ? 2 * i : 2 * (i - (n + 1) / 2) + 1];
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void th_language_sorted(const int *w, int n, int *to)
{
    th_language_same(w, n, to);
    qsort(to, (size_t)n, sizeof *to, by_number);
}

void th_language_number(mpz_t x, const int *w, int n)
{
    mpz_set_ui(x, 0);
    for (int i = 0; i < n; i++)
        if (w[i])
            mpz_setbit(x, (mp_bitcnt_t)i);
}

void th_language_uniform_number(mpz_t x, const mpz_t most, ThRng *r)
{
    size_t bits = mpz_sizeinbase(most, 2);
    do {
        mpz_set_ui(x, 0);
        for (size_t i = 0; i < bits; i++)
            if (th_rng_below(r, 2))
                mpz_setbit(x, i);
    } while (mpz_cmp(x, most) > 0);
}
