#include "automata/core/alphabets.h"

#include "base/symbols.h"

bool th_automaton_alphabets(ThAutomatonAlphabets *u, char *const *a, int n_a, char *const *b,
                            int n_b, ThError *err)
{
    *u = (ThAutomatonAlphabets){0};
    u->name = th_alloc((size_t)n_a + (size_t)n_b, sizeof *u->name, err);
    u->of[0] = th_alloc((size_t)n_a, sizeof *u->of[0], err);
    u->of[1] = th_alloc((size_t)n_b, sizeof *u->of[1], err);
    if (!u->name || !u->of[0] || !u->of[1])
        return false;
    for (int i = 0; i < n_a; i++) {
        u->of[0][i] = i;
        u->name[u->n++] = a[i];
    }
    for (int i = 0; i < n_b; i++) {
        int at = th_symbols_find(u->name, n_a, b[i]);
        if (at < 0) {
            at = u->n++;
            u->name[at] = b[i];
        }
        u->of[1][i] = at;
    }
    return true;
}

void th_automaton_alphabets_free(ThAutomatonAlphabets *u)
{
    TH_FREE(u->name, u->of[0], u->of[1]);
    *u = (ThAutomatonAlphabets){0};
}

ThDfa *th_automaton_widen_take(const ThAutomatonAlphabets *u, int side, ThDfa *d, ThError *err)
{
    int *from TH_OWNED(free) = d ? th_alloc((size_t)u->n, sizeof *from, err) : NULL;
    ThDfa *w = NULL;
    if (from) {
        for (int i = 0; i < u->n; i++)
            from[i] = -1;
        for (int i = 0; i < d->n_symbols; i++)
            from[u->of[side][i]] = i;
        w = th_dfa_widen(d, u->n, from, err);
    }
    th_dfa_free(d);
    return w;
}
