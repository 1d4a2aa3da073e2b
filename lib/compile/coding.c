#include "compile/coding.h"

ThCompileCoding th_compile_coding(const ThDfa *machine, const ThMonoid *monoid, int factors)
{
    int n = machine->n_states;
    ThCompileCoding matrices = {machine, NULL, factors, n * n, n, factors + 1, n};
    if (!monoid)
        return matrices;
    return (ThCompileCoding){machine, monoid, factors, monoid->size, 1, factors, monoid->size};
}

double th_compile_terms(const ThCompileCoding *c)
{
    double n = 1;
    for (int i = 0; i < c->indices; i++)
        n *= c->range;
    return n;
}

bool th_compile_next(const ThCompileCoding *c, int *index)
{
    for (int i = c->indices - 1; i >= 0; i--) {
        if (++index[i] < c->range)
            return true;
        index[i] = 0;
    }
    return false;
}

ThCompileTerm th_compile_term(const ThCompileCoding *c, const int *index)
{
    ThCompileTerm t = {.out = index[0]};
    if (c->monoid) {
        for (int f = 0; f < c->factors; f++)
            t.in[f] = index[f];
        for (int f = 1; f < c->factors; f++)
            t.out = th_monoid_product(c->monoid, t.out, index[f]);
        return t;
    }
    for (int f = 0; f < c->factors; f++)
        t.in[f] = index[f] * c->range + index[f + 1];
    t.out = index[0] * c->range + index[c->factors];
    return t;
}

void th_compile_encode(const ThCompileCoding *c, int symbol, float value, float *to)
{
    const ThDfa *d = c->machine;
    if (c->monoid) {
        to[symbol < 0 ? 0 : c->monoid->right[symbol]] = value;
        return;
    }
    for (int q = 0; q < d->n_states; q++)
        to[q * d->n_states + (symbol < 0 ? q : d->next[q * d->n_symbols + symbol])] = value;
}

int th_compile_state(const ThCompileCoding *c, int x)
{
    int n = c->machine->n_states, start = c->machine->start;
    if (c->monoid)
        return th_monoid_image(c->monoid, x, start);
    return x / n == start ? x % n : -1;
}
