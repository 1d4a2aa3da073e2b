#include "automata/count.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct ThWordCount {
    const ThDfa *d;
    int length;
    double *log; /* (length + 1, n_states) */
};

static double *row(const ThWordCount *c, int length)
{
    return c->log + (size_t)length * (size_t)c->d->n_states;
}

/* log Σ_a exp(of[next(q, a)]), with the greatest term taken out so that nothing overflows. */
static double log_sum(const ThDfa *d, int q, const double *of)
{
    const int *next = d->next + (size_t)q * (size_t)d->n_symbols;
    double greatest = -HUGE_VAL;
    for (int a = 0; a < d->n_symbols; a++)
        greatest = fmax(greatest, of[next[a]]);
    if (greatest == -HUGE_VAL)
        return -HUGE_VAL;
    double sum = 0;
    for (int a = 0; a < d->n_symbols; a++)
        sum += exp(of[next[a]] - greatest);
    return greatest + log(sum);
}

ThWordCount *th_words_count(const ThDfa *d, const bool *wanted, int length, ThError *err)
{
    size_t n = (size_t)d->n_states;
    ThWordCount *c = th_alloc(1, sizeof *c, err);
    if (!c)
        return NULL;
    *c = (ThWordCount){.d = d, .length = length};
    c->log = th_alloc(n, ((size_t)length + 1) * sizeof *c->log, err);
    if (!c->log) {
        free(c);
        return NULL;
    }
    for (int q = 0; q < d->n_states; q++)
        c->log[q] = wanted[q] ? 0 : -HUGE_VAL;
    for (int k = 1; k <= length; k++)
        for (int q = 0; q < d->n_states; q++)
            row(c, k)[q] = log_sum(d, q, row(c, k - 1));
    return c;
}

double th_words_log(const ThWordCount *c, int q, int length)
{
    return row(c, length)[q];
}

double th_words_next(const ThWordCount *c, int q, int length, int a)
{
    double here = row(c, length)[q];
    int to = c->d->next[(size_t)q * (size_t)c->d->n_symbols + (size_t)a];
    return here == -HUGE_VAL ? 0 : exp(row(c, length - 1)[to] - here);
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
        free(c->log);
    free(c);
}

static void step_set(const ThDfa *d, const bool *from, bool *to)
{
    memset(to, 0, (size_t)d->n_states * sizeof *to);
    for (int q = 0; q < d->n_states; q++)
        for (int a = 0; from[q] && a < d->n_symbols; a++)
            to[d->next[(size_t)q * (size_t)d->n_symbols + (size_t)a]] = true;
}

bool th_dfa_reach(const ThDfa *d, int length, ThReached *seen, void *context, ThError *err)
{
    size_t n = (size_t)d->n_states;
    bool *sets = th_alloc(2 * n, sizeof *sets, err);
    if (!sets)
        return false;
    sets[d->start] = true;
    for (int k = 0; k <= length; k++) {
        bool *now = sets + (size_t)(k % 2) * n;
        if (!seen(context, k, now))
            break;
        step_set(d, now, sets + (size_t)((k + 1) % 2) * n);
    }
    free(sets);
    return true;
}
