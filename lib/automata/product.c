#include "automata/dfa.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "automata/intern.h"
#include "base/memory.h"

typedef struct {
    int p, q;
} Pair;

typedef struct {
    const ThDfa *a, *b;
    ThIntern pair;
    int *next; /* rows of the product found so far */
    size_t next_cap;
} Product;

static bool grow_row(Product *p, size_t i, size_t max_states, ThError *err)
{
    size_t k = (size_t)p->a->n_symbols;
    Pair from;
    memcpy(&from, th_intern_at(&p->pair, i, NULL), sizeof from);
    if (!th_grow(&p->next, &p->next_cap, (i + 1) * k, sizeof *p->next, err))
        return false;
    for (size_t c = 0; c < k; c++) {
        Pair to = {p->a->next[(size_t)from.p * k + c], p->b->next[(size_t)from.q * k + c]};
        size_t index;
        if (!th_intern(&p->pair, &to, sizeof to, &index, err))
            return false;
        p->next[i * k + c] = (int)index;
    }
    if (p->pair.n > INT32_MAX || (max_states && p->pair.n > max_states))
        return th_fail(err, TH_ELIMIT, "the product has more than %zu states", p->pair.n - 1);
    return true;
}

static ThDfa *finish(Product *p, const bool accept[4], ThError *err)
{
    ThDfa *d = th_dfa_new((int)p->pair.n, 0, 2, err);
    if (!d)
        return NULL;
    for (size_t i = 0; i < p->pair.n; i++) {
        Pair at;
        memcpy(&at, th_intern_at(&p->pair, i, NULL), sizeof at);
        d->class[i] = accept[2 * p->a->class[at.p] + p->b->class[at.q]];
    }
    if (p->next) {
        free(d->next);
        d->next = p->next;
        d->n_symbols = p->a->n_symbols;
        p->next = NULL;
    }
    return d;
}

ThDfa *th_dfa_product(const ThDfa *a, const ThDfa *b, const bool accept[4], size_t max_states,
                      ThStop *stop, ThError *err)
{
    Product p = {.a = a, .b = b};
    Pair start = {a->start, b->start};
    size_t index;
    bool good = th_intern(&p.pair, &start, sizeof start, &index, err);
    for (size_t i = 0; good && i < p.pair.n; i++) {
        good = grow_row(&p, i, max_states, err);
        if (i % 4096 == 4095 && th_stopped(stop, err))
            good = false;
    }
    ThDfa *d = good ? finish(&p, accept, err) : NULL;
    th_intern_free(&p.pair);
    free(p.next);
    return d;
}
