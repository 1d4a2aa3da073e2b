#include "automata/algebra/testable.h"

#include "base/hash.h"

enum { MOST_PIECES = 1024, MOST_NODES = 20000 };

/* What is seen of words, with the state that they lead to: nodes of a graph. */
typedef struct {
    const ThDfa *d;
    int k, t;
    size_t pieces, bytes; /* counted pieces; bytes of a profile: they, and what `factors` has */
    unsigned char *profile;
    int *state; /* of a node */
    size_t n, cap, state_cap;
    ThHashTable table; /* of profiles: their nodes */
    bool differ;
} Graph;

/* Behind the counts: length up to k, and the numbers of the first and last k-1 symbols. */
typedef struct {
    int length, begin, end;
} Ends;

static int radix(const Graph *g, int digits)
{
    int x = 1;
    for (int i = 0; i < digits; i++)
        x *= g->d->n_symbols;
    return x;
}

static void read_factor(const Graph *g, unsigned char *p, int a)
{
    Ends e;
    memcpy(&e, p + g->pieces, sizeof e);
    int symbols = g->d->n_symbols;
    if (e.length >= g->k - 1) {
        unsigned char *count = &p[e.end * symbols + a];
        *count = (unsigned char)(*count < g->t ? *count + 1 : g->t);
    } else {
        e.begin = e.begin * symbols + a;
    }
    e.length += e.length < g->k;
    e.end = (e.end * symbols + a) % radix(g, g->k - 1);
    memcpy(p + g->pieces, &e, sizeof e);
}

/* Subwords of j symbols stand behind the shorter ones; that of none is always there. */
static void read_subsequence(const Graph *g, unsigned char *p, int a)
{
    int symbols = g->d->n_symbols, to = (int)g->pieces;
    for (int j = g->k; j > 0; j--) {
        int n = radix(g, j - 1), from = to - n * symbols - n;
        for (int i = 0; i < n; i++)
            if (p[from + i])
                p[to - n * symbols + i * symbols + a] = 1;
        to -= n * symbols;
    }
}

/* Adds the node, which is the last one already, unless it is there. */
static bool keep(Graph *g, ThError *err)
{
    const unsigned char *p = g->profile + g->n * g->bytes;
    if (!th_hash_reserve(&g->table, err))
        return false;
    ThHashSeek s = th_hash_seek(th_hash_bytes(p, g->bytes));
    for (uint32_t x; (x = th_hash_next(&g->table, &s)) != TH_HASH_END;) {
        if (memcmp(g->profile + x * g->bytes, p, g->bytes) != 0)
            continue;
        if (g->state[x] == g->state[g->n])
            return true;
        g->differ = g->differ || g->d->label[g->state[x]] != g->d->label[g->state[g->n]];
    }
    th_hash_put(&g->table, &s, g->n++);
    return true;
}

static bool reserve(Graph *g, ThError *err)
{
    return th_grow(&g->profile, &g->cap, (g->n + 1) * g->bytes, 1, err) &&
           th_grow(&g->state, &g->state_cap, g->n + 1, sizeof *g->state, err);
}

static bool explore(Graph *g, void (*read)(const Graph *, unsigned char *, int), ThStop *stop,
                    ThError *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < g->n && !g->differ && g->n <= MOST_NODES; i++)
        for (int a = 0; ok && a < g->d->n_symbols; a++) {
            ok = reserve(g, err) && !th_stopped(stop, err);
            if (!ok)
                break;
            unsigned char *p = g->profile + g->n * g->bytes;
            memcpy(p, g->profile + i * g->bytes, g->bytes);
            read(g, p, a);
            g->state[g->n] = g->d->next[g->state[i] * g->d->n_symbols + a];
            ok = keep(g, err);
        }
    return ok;
}

static int suffice(Graph *g, bool factors, ThStop *stop, ThError *err)
{
    size_t n = 1, sum = 1;
    for (int j = 0; j < g->k && sum <= MOST_PIECES; j++) {
        n *= (size_t)g->d->n_symbols;
        sum += n;
    }
    g->pieces = factors ? n : sum;
    g->bytes = g->pieces + (factors ? sizeof(Ends) : 0);
    if (g->pieces > MOST_PIECES)
        return -1;
    bool ok = reserve(g, err);
    if (ok) {
        memset(g->profile, 0, g->bytes);
        g->profile[0] = !factors;
        g->state[0] = g->d->start;
        ok = keep(g, err) && explore(g, factors ? read_factor : read_subsequence, stop, err);
    }
    TH_FREE(g->profile, g->state);
    th_hash_free(&g->table);
    return !ok || (!g->differ && g->n > MOST_NODES) ? -1 : !g->differ;
}

int th_dfa_factors_suffice(const ThDfa *d, int k, int t, ThStop *stop, ThError *err)
{
    Graph g = {.d = d, .k = k, .t = t};
    return suffice(&g, true, stop, err);
}

int th_dfa_subsequences_suffice(const ThDfa *d, int k, ThStop *stop, ThError *err)
{
    Graph g = {.d = d, .k = k, .t = 1};
    return suffice(&g, false, stop, err);
}
