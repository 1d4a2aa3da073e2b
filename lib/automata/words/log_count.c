#include "automata/words/log_count.h"

#include <limits.h>
#include <math.h>

/* A number m·2^e with 1 ≤ m < 2, or 0: counts outgrow any floating-point range. */
typedef struct {
    double m;
    int e;
} Big;

struct ThWordCount {
    const ThDfa *d;
    int length;
    Big *count; /* (length + 1, n_states) */
};

static Big *row(const ThWordCount *c, int length)
{
    return c->count + (size_t)length * (size_t)c->d->n_states;
}

/* Σ_a of[next(q, a)] */
static Big add_up(const ThDfa *d, int q, const Big *of)
{
    const int *next = d->next + (size_t)q * (size_t)d->n_symbols;
    int top = INT_MIN;
    for (int a = 0; a < d->n_symbols; a++)
        if (of[next[a]].m > 0 && of[next[a]].e > top)
            top = of[next[a]].e;
    if (top == INT_MIN)
        return (Big){0};
    double sum = 0;
    for (int a = 0; a < d->n_symbols; a++)
        if (of[next[a]].m > 0)
            sum += ldexp(of[next[a]].m, of[next[a]].e - top);
    int e;
    double half = frexp(sum, &e);
    return (Big){2 * half, top + e - 1};
}

ThWordCount *th_words_count(const ThDfa *d, const bool *wanted, int length, ThError *err)
{
    size_t n = (size_t)d->n_states;
    ThWordCount *c = th_alloc(1, sizeof *c, err);
    if (!c)
        return NULL;
    *c = (ThWordCount){.d = d, .length = length};
    c->count = th_alloc(n, ((size_t)length + 1) * sizeof *c->count, err);
    if (!c->count) {
        free(c);
        return NULL;
    }
    for (int q = 0; q < d->n_states; q++)
        c->count[q].m = wanted[q];
    for (int k = 1; k <= length; k++)
        for (int q = 0; q < d->n_states; q++)
            row(c, k)[q] = add_up(d, q, row(c, k - 1));
    return c;
}

double th_words_log(const ThWordCount *c, int q, int length)
{
    Big n = row(c, length)[q];
    return n.m > 0 ? log(n.m) + n.e * M_LN2 : -HUGE_VAL;
}

double th_words_next(const ThWordCount *c, int q, int length, int a)
{
    Big here = row(c, length)[q];
    Big there = row(c, length - 1)[c->d->next[(size_t)q * (size_t)c->d->n_symbols + (size_t)a]];
    return there.m > 0 ? ldexp(there.m / here.m, there.e - here.e) : 0;
}

void th_words_draw(const ThWordCount *c, ThRng *r, int *word, int length)
{
    const ThDfa *d = c->d;
    int q = d->start;
    for (int i = 0; i < length; i++) {
        double u = th_rng_uniform(r);
        int chosen = 0;
        for (int a = 0; a < d->n_symbols && u >= 0; a++) {
            double p = th_words_next(c, q, length - i, a);
            if (p > 0)
                chosen = a; /* rounding may leave a little of u: the last possible symbol gets it */
            u -= p;
        }
        word[i] = chosen;
        q = d->next[(size_t)q * (size_t)d->n_symbols + (size_t)chosen];
    }
}

void th_words_free(ThWordCount *c)
{
    if (c)
        free(c->count);
    free(c);
}

static void step_set(const ThDfa *d, const bool *from, bool *to)
{
    memset(to, 0, (size_t)d->n_states * sizeof *to);
    for (int q = 0; q < d->n_states; q++)
        for (int a = 0; from[q] && a < d->n_symbols; a++)
            to[d->next[(size_t)q * (size_t)d->n_symbols + (size_t)a]] = true;
}

bool th_dfa_reach(const ThDfa *d, int length, ThAutomatonReached *seen, void *context, ThError *err)
{
    size_t n = (size_t)d->n_states;
    bool *sets TH_OWNED(free) = th_alloc(2 * n, sizeof *sets, err);
    if (!sets)
        return false;
    sets[d->start] = true;
    for (int k = 0; k <= length; k++) {
        bool *now = sets + (size_t)(k % 2) * n;
        if (!seen(context, k, now))
            break;
        step_set(d, now, sets + (size_t)((k + 1) % 2) * n);
    }
    return true;
}
