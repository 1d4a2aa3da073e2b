#include "automata/dfa.h"

#include <stdlib.h>
#include <string.h>

#include "automata/intern.h"
#include "base/memory.h"

typedef struct {
    const ThDfa *d;
    ThIntern element; /* maps of states, one after the other; 0 is the identity */
    int *map;         /* (n_states): the element being multiplied */
    int *product;     /* (n_states) */
    int *seen;        /* (n_states): where a walk was last */
} Monoid;

/* True if m^k = m^(k+1) for some k: no cycle of the map is longer than a fixed point. */
static bool without_period(const Monoid *m, const int *map)
{
    int n = m->d->n_states;
    for (int q = 0; q < n; q++)
        m->seen[q] = -1;
    for (int q = 0; q < n; q++) {
        int p = q;
        for (; m->seen[p] < 0; p = map[p])
            m->seen[p] = q;
        if (m->seen[p] == q && map[p] != p)
            return false;
    }
    return true;
}

static bool add(Monoid *m, const int *map, size_t limit, bool *aperiodic, ThError *err)
{
    size_t index, before = m->element.n;
    if (!th_intern(&m->element, map, sizeof *map * (size_t)m->d->n_states, &index, err))
        return false;
    if (index < before)
        return true;
    if (m->element.n > limit)
        return th_fail(err, TH_ELIMIT, "the monoid has more than %zu elements", limit);
    if (*aperiodic)
        *aperiodic = without_period(m, map);
    return true;
}

/* Multiplies every element by every symbol from the right, in order of discovery. */
static bool close_under_symbols(Monoid *m, size_t limit, bool *aperiodic, ThStop *stop,
                                ThError *err)
{
    size_t n = (size_t)m->d->n_states, k = (size_t)m->d->n_symbols;
    for (size_t q = 0; q < n; q++)
        m->map[q] = (int)q;
    if (!add(m, m->map, limit, aperiodic, err))
        return false;
    for (size_t i = 0; i < m->element.n; i++) {
        if (i % 1024 == 1023 && th_stopped(stop, err))
            return false;
        memcpy(m->map, th_intern_at(&m->element, i, NULL), n * sizeof *m->map);
        for (size_t a = 0; a < k; a++) {
            for (size_t q = 0; q < n; q++)
                m->product[q] = m->d->next[(size_t)m->map[q] * k + a];
            if (!add(m, m->product, limit, aperiodic, err))
                return false;
        }
    }
    return true;
}

size_t th_dfa_monoid(const ThDfa *d, size_t limit, bool *aperiodic, ThStop *stop, ThError *err)
{
    Monoid m = {.d = d};
    size_t n = (size_t)d->n_states, size = 0;
    m.map = th_alloc(n, sizeof *m.map, err);
    m.product = th_alloc(n, sizeof *m.product, err);
    m.seen = th_alloc(n, sizeof *m.seen, err);
    *aperiodic = true;
    if (m.map && m.product && m.seen && close_under_symbols(&m, limit, aperiodic, stop, err))
        size = m.element.n;
    th_intern_free(&m.element);
    free(m.map);
    free(m.product);
    free(m.seen);
    return size;
}
