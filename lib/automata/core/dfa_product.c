#include "automata/core/dfa.h"

#include "base/hash.h"

typedef struct {
    int p, q;
} Pair;

typedef struct {
    const ThDfa *a, *b;
    Pair *pair; /* found so far: states of the product */
    size_t n, cap;
    ThHashTable table; /* of the pairs */
    int *next;         /* rows of the product found so far */
    size_t next_cap;
} Product;

/* The number of a pair, which is added if it is new; -1 and an error where that fails. */
static int number_of(Product *p, Pair at, ThError *err)
{
    if (!th_hash_reserve(&p->table, err))
        return -1;
    ThHashSeek s = th_hash_seek(th_hash_mix((uint64_t)(uint32_t)at.p << 32 | (uint32_t)at.q));
    for (uint32_t i; (i = th_hash_next(&p->table, &s)) != TH_HASH_END;)
        if (p->pair[i].p == at.p && p->pair[i].q == at.q)
            return (int)i;
    if (!th_grow(&p->pair, &p->cap, p->n + 1, sizeof *p->pair, err))
        return -1;
    th_hash_put(&p->table, &s, p->n);
    p->pair[p->n++] = at;
    return (int)p->n - 1;
}

static bool grow_row(Product *p, size_t i, size_t max_states, ThError *err)
{
    size_t k = (size_t)p->a->n_symbols;
    Pair from = p->pair[i];
    if (!th_grow(&p->next, &p->next_cap, (i + 1) * k, sizeof *p->next, err))
        return false;
    for (size_t c = 0; c < k; c++) {
        Pair to = {p->a->next[(size_t)from.p * k + c], p->b->next[(size_t)from.q * k + c]};
        int index = number_of(p, to, err);
        if (index < 0)
            return false;
        p->next[i * k + c] = index;
        if (p->n >= INT32_MAX || (max_states && p->n > max_states))
            return th_fail(err, TH_ELIMIT, "the product has more than %zu states", p->n - 1);
    }
    return true;
}

static ThDfa *finish(Product *p, const bool accept[4], ThError *err)
{
    ThDfa *d = th_dfa_new((int)p->n, 0, 2, err);
    if (!d)
        return NULL;
    for (size_t i = 0; i < p->n; i++)
        d->label[i] = accept[2 * p->a->label[p->pair[i].p] + p->b->label[p->pair[i].q]];
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
    bool good = number_of(&p, (Pair){a->start, b->start}, err) >= 0;
    for (size_t i = 0; good && i < p.n; i++) {
        good = grow_row(&p, i, max_states, err);
        if (i % 4096 == 4095 && th_stopped(stop, NULL))
            good = th_fail(err, TH_EINTERRUPTED, "interrupted at %zu states", p.n);
    }
    ThDfa *d = good ? finish(&p, accept, err) : NULL;
    th_hash_free(&p.table);
    TH_FREE(p.pair, p.next);
    return d;
}
