#include "automata/algebra/class_witness.h"

#include "base/symbols.h"

void th_class_word(ThText *t, char *const *symbol, int n_symbols, const int *word, int length)
{
    th_symbols_write(t, symbol, n_symbols, word, length);
    th_text_add(t, length == 0 ? "ε" : "");
}

/* ---- shortest words ---------------------------------------------------------------------------
 */

/* Breadth first over states, or pairs of them, of which a number stands for each: where every one
 * was met from. */
typedef struct {
    const ThDfa *d;
    int *from, *symbol, *queue;
    int n;
} Walk;

static bool begin(Walk *w, const ThDfa *d, size_t nodes, int first, ThError *err)
{
    *w = (Walk){.d = d};
    w->from = th_alloc(nodes, sizeof *w->from, err);
    w->symbol = th_alloc(nodes, sizeof *w->symbol, err);
    w->queue = th_alloc(nodes, sizeof *w->queue, err);
    if (!w->from || !w->symbol || !w->queue)
        return false;
    for (size_t i = 0; i < nodes; i++)
        w->from[i] = -1;
    w->from[first] = first;
    w->queue[w->n++] = first;
    return true;
}

static void meet(Walk *w, int node, int from, int a)
{
    if (w->from[node] >= 0)
        return;
    w->from[node] = from;
    w->symbol[node] = a;
    w->queue[w->n++] = node;
}

/* The word to a node, or NULL for -1; frees the walk. */
static int *end(Walk *w, int node, int *length, ThError *err)
{
    int *word = NULL;
    *length = 0;
    if (node >= 0) {
        for (int x = node; w->from[x] != x; x = w->from[x])
            ++*length;
        word = th_alloc((size_t)*length, sizeof *word, err);
        for (int i = *length, x = node; word && i > 0; x = w->from[x])
            word[--i] = w->symbol[x];
    }
    TH_FREE(w->from, w->symbol, w->queue);
    return word;
}

/* Returns new: the shortest word, first in order, that leads one state to another; NULL: none. */
static int *way(const ThDfa *d, int from, int to, int *length, ThError *err)
{
    Walk w;
    int k = d->n_symbols;
    bool ok = begin(&w, d, (size_t)d->n_states, from, err);
    for (int i = 0; ok && i < w.n && w.from[to] < 0; i++)
        for (int a = 0; a < k; a++)
            meet(&w, d->next[w.queue[i] * k + a], w.queue[i], a);
    return end(&w, ok && w.from[to] >= 0 ? to : -1, length, err);
}

/* Returns new: the shortest word that p accepts and q does not, or where both ways will do; NULL if
 * there is none. */
static int *parting(const ThDfa *d, int p, int q, bool both_ways, int *length, ThError *err)
{
    Walk w;
    int n = d->n_states, k = d->n_symbols, found = -1;
    bool ok = begin(&w, d, (size_t)n * (size_t)n, p * n + q, err);
    for (int i = 0; ok && i < w.n && found < 0; i++) {
        int x = w.queue[i] / n, y = w.queue[i] % n;
        if (both_ways ? d->label[x] != d->label[y] : d->label[x] && !d->label[y])
            found = w.queue[i];
        for (int a = 0; a < k; a++)
            meet(&w, d->next[x * k + a] * n + d->next[y * k + a], w.queue[i], a);
    }
    return end(&w, found, length, err);
}

/* ---- words put together ------------------------------------------------------------------------
 */

/* Up to three pieces one after the other. */
typedef struct {
    int *word[3], length[3];
} Pieces;

static void write_pieces(ThText *t, const ThDfa *d, char *const *symbol, const Pieces *p,
                         ThError *err)
{
    int n = 0,
        *word = th_alloc((size_t)p->length[0] + p->length[1] + p->length[2], sizeof *word, err);
    for (int i = 0; word && i < 3; i++)
        for (int j = 0; j < p->length[i]; j++)
            word[n++] = p->word[i][j];
    if (word)
        th_class_word(t, symbol, d->n_symbols, word, n);
    free(word);
}

static void write_named(ThText *t, const char *name, const ThDfa *d, char *const *symbol, int from,
                        int to, ThError *err)
{
    int length, *word TH_OWNED(free) = way(d, from, to, &length, err);
    th_text_add(t, name);
    th_class_word(t, symbol, d->n_symbols, word, length);
}

/* The first state, breadth first, from which the images by two elements part as asked. */
static int parting_state(const ThDfa *d, const ThMonoid *m, int left, int right, bool ordered,
                         Pieces *to, ThError *err)
{
    for (int q = 0; q < d->n_states; q++) {
        int x = th_monoid_image(m, left, q), y = th_monoid_image(m, right, q);
        to->word[2] = x == y ? NULL : parting(d, y, x, !ordered, &to->length[2], err);
        if (to->word[2])
            return q;
    }
    return -1;
}

void th_class_write_parting(ThText *t, const ThDfa *d, char *const *symbol, const ThMonoid *m,
                            int left, int right, bool ordered, ThError *err)
{
    Pieces p = {0};
    int element[] = {right, left};
    int q = parting_state(d, m, left, right, ordered, &p, err);
    if (q < 0)
        return;
    p.word[0] = way(d, d->start, q, &p.length[0], err);
    int last = th_dfa_walk(d, th_monoid_image(m, right, q), p.word[2], (size_t)p.length[2]);
    bool swap = d->label[last] == 0;
    for (int i = 0; i < 2; i++) {
        int x = element[i ^ swap];
        p.length[1] = m->length[x];
        p.word[1] = th_alloc((size_t)p.length[1], sizeof(int), err);
        if (p.word[0] && p.word[1]) {
            th_monoid_word(m, x, p.word[1]);
            th_text_add(t, i ? ", not " : ": accepts ");
            write_pieces(t, d, symbol, &p, err);
        }
        free(p.word[1]);
    }
    TH_FREE(p.word[0], p.word[2]);
}

void th_class_write_loop(ThText *t, const ThDfa *d, char *const *symbol, int p, int q,
                         const int *word, int length, ThError *err)
{
    write_named(t, "x = ", d, symbol, d->start, p, err);
    write_named(t, ", y = ", d, symbol, d->start, q, err);
    th_text_add(t, ", u = ");
    th_class_word(t, symbol, d->n_symbols, word, length);
    th_text_add(t, ": what may follow xu...u and yu...u differs");
}

void th_class_write_deletion(ThText *t, const ThDfa *d, char *const *symbol, int q, int a,
                             bool kept, ThError *err)
{
    int to = d->next[q * d->n_symbols + a];
    Pieces p = {.word = {NULL, &a}};
    p.word[0] = way(d, d->start, q, &p.length[0], err);
    p.word[2] = parting(d, kept ? q : to, kept ? to : q, false, &p.length[2], err);
    for (int i = 0; p.word[0] && p.word[2] && i < 2; i++) {
        p.length[1] = i == kept;
        th_text_add(t, i ? ", not " : "accepts ");
        write_pieces(t, d, symbol, &p, err);
    }
    TH_FREE(p.word[0], p.word[2]);
}

void th_class_write_cycle(ThText *t, const ThDfa *d, char *const *symbol, int p, int q,
                          ThError *err)
{
    write_named(t, "u = ", d, symbol, d->start, p, err);
    write_named(t, ", x = ", d, symbol, p, q, err);
    write_named(t, ", y = ", d, symbol, q, p, err);
    th_text_add(t, ": u and ux lead to two states, uxy back");
}

void th_class_write_merging(ThText *t, const ThDfa *d, char *const *symbol, int p, int q, int a,
                            ThError *err)
{
    write_named(t, "x = ", d, symbol, d->start, p, err);
    write_named(t, ", y = ", d, symbol, d->start, q, err);
    th_text_printf(t, ": after both, which differ, %s leads to one state", symbol[a]);
}
