#include "automata/core/dfa.h"

ThDfa *th_dfa_new(int n_states, int n_symbols, int n_classes, ThError *err)
{
    ThDfa *d = th_alloc(1, sizeof *d, err);
    if (!d)
        return NULL;
    d->n_states = n_states;
    d->n_symbols = n_symbols;
    d->n_classes = n_classes;
    d->next = th_alloc((size_t)n_states * (size_t)n_symbols, sizeof *d->next, err);
    d->label = th_alloc((size_t)n_states, sizeof *d->label, err);
    return TH_KEEP_IF(d->next && d->label, d, th_dfa_free);
}

ThDfa *th_dfa_copy(const ThDfa *d, ThError *err)
{
    ThDfa *c = th_dfa_new(d->n_states, d->n_symbols, d->n_classes, err);
    if (!c)
        return NULL;
    c->start = d->start;
    memcpy(c->next, d->next, sizeof *d->next * (size_t)d->n_states * (size_t)d->n_symbols);
    memcpy(c->label, d->label, sizeof *d->label * (size_t)d->n_states);
    return c;
}

ThDfa *th_dfa_beside(const ThDfa *a, const ThDfa *b, ThError *err)
{
    int k = a->n_symbols, more = b ? b->n_states : 0;
    ThDfa *d = th_dfa_new(a->n_states + more, k, 1, err);
    for (int i = 0; d && i < d->n_states * k; i++)
        d->next[i] = i < a->n_states * k ? a->next[i] : a->n_states + b->next[i - a->n_states * k];
    return d;
}

bool th_dfa_leads_to(const ThDfa *d, int of, int step, bool *from, ThError *err)
{
    /* (n_states, step): after so many symbols more than a multiple. */
    bool *after TH_OWNED(free) = th_alloc((size_t)d->n_states * (size_t)step, sizeof *after, err);
    for (int q = 0; after && q < d->n_states; q++)
        after[q * step] = d->label[q] == of;
    for (bool more = after != NULL; more;) {
        more = false;
        for (int i = 0; i < d->n_states * d->n_symbols; i++)
            for (int c = 0; c < step; c++) {
                bool *here = &after[i / d->n_symbols * step + (c + 1) % step];
                if (after[d->next[i] * step + c] && !*here)
                    more = *here = true;
            }
    }
    for (int q = 0; after && q < d->n_states; q++)
        from[q] = after[q * step];
    return after != NULL;
}

void th_dfa_free(ThDfa *d)
{
    if (!d)
        return;
    TH_FREE(d->next, d->label, d);
}

int th_dfa_walk(const ThDfa *d, int q, const int *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        q = d->next[(size_t)q * (size_t)d->n_symbols + (size_t)word[i]];
    return q;
}

int th_dfa_class(const ThDfa *d, const int *word, size_t length)
{
    return d->label[th_dfa_walk(d, d->start, word, length)];
}

ThDfa *th_dfa_reachable(const ThDfa *d, ThError *err)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols;
    int *number TH_OWNED(free) = th_alloc(n, sizeof *number, err); /* new number + 1, or 0 */
    int *queue TH_OWNED(free) = th_alloc(n, sizeof *queue, err);
    if (!number || !queue)
        return NULL;
    int count = 1;
    queue[0] = d->start;
    number[d->start] = 1;
    for (int i = 0; i < count; i++) {
        const int *row = d->next + (size_t)queue[i] * k;
        for (size_t a = 0; a < k; a++) {
            if (!number[row[a]]) {
                queue[count++] = row[a];
                number[row[a]] = count;
            }
        }
    }
    ThDfa *r = th_dfa_new(count, d->n_symbols, d->n_classes, err);
    for (size_t i = 0; r && i < (size_t)count; i++) {
        const int *row = d->next + (size_t)queue[i] * k;
        r->label[i] = d->label[queue[i]];
        for (size_t a = 0; a < k; a++)
            r->next[i * k + a] = number[row[a]] - 1;
    }
    return r;
}

ThDfa *th_dfa_widen(const ThDfa *d, int n_symbols, const int *from, ThError *err)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols, wide = (size_t)n_symbols;
    bool sink = false;
    for (size_t a = 0; a < wide; a++)
        sink = sink || from[a] < 0;
    ThDfa *w = th_dfa_new(d->n_states + (sink ? 1 : 0), n_symbols, d->n_classes, err);
    if (!w)
        return NULL;
    w->start = d->start;
    memcpy(w->label, d->label, n * sizeof *w->label);
    for (size_t q = 0; q < n; q++)
        for (size_t a = 0; a < wide; a++)
            w->next[q * wide + a] = from[a] < 0 ? (int)n : d->next[q * k + (size_t)from[a]];
    for (size_t a = 0; sink && a < wide; a++)
        w->next[n * wide + a] = (int)n;
    return w;
}
