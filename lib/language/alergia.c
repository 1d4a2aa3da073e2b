#include <math.h>

#include "language/distribution_impl.h"
#include "language/learn_distribution.h"

/* A tree of words, of which merged states are left: count (n, k + 1) of what follows, the last one
 * of ends; son (n, k), -1: none. */
typedef struct {
    int k;
    size_t n, cap_son, cap_count, cap_all;
    int *son;
    long long *count, *all;
    double bound; /* sqrt(ln(2 / alpha) / 2) */
    long long tests;
    int *stack; /* pairs of states */
    size_t cap_stack;
} Tree;

static void free_tree(Tree *t)
{
    TH_FREE(t->son, t->count, t->all, t->stack);
}

static bool add_state(Tree *t, ThError *err)
{
    size_t n = t->n + 1, k = (size_t)t->k;
    if (n * (k + 1) > (size_t)1 << 26)
        return th_fail(err, TH_ELIMIT, "the tree of all words has more than %zu states", t->n);
    if (!th_grow(&t->son, &t->cap_son, n * k + 1, sizeof *t->son, err) ||
        !th_grow(&t->count, &t->cap_count, n * (k + 1), sizeof *t->count, err) ||
        !th_grow(&t->all, &t->cap_all, n, sizeof *t->all, err))
        return false;
    memset(t->son + t->n * k, 0xff, k * sizeof *t->son);
    memset(t->count + t->n * (k + 1), 0, (k + 1) * sizeof *t->count);
    t->all[t->n++] = 0;
    return true;
}

static bool add_word(Tree *t, const int *word, size_t n, ThError *err)
{
    size_t q = 0, k = (size_t)t->k;
    for (size_t i = 0; i < n; i++) {
        size_t a = (size_t)word[i];
        t->all[q]++;
        t->count[q * (k + 1) + a]++;
        if (t->son[q * k + a] < 0) {
            if (!add_state(t, err))
                return false;
            t->son[q * k + a] = (int)t->n - 1;
        }
        q = (size_t)t->son[q * k + a];
    }
    t->all[q]++;
    t->count[q * (k + 1) + k]++;
    return true;
}

/* Do the shares of what follows two states differ by no more than chance allows? */
static bool alike(Tree *t, size_t x, size_t y)
{
    size_t k = (size_t)t->k + 1;
    double n = (double)t->all[x], m = (double)t->all[y],
           most = t->bound * (1 / sqrt(n) + 1 / sqrt(m));
    for (size_t a = 0; a < k; a++, t->tests++)
        if (fabs((double)t->count[x * k + a] / n - (double)t->count[y * k + a] / m) >= most)
            return false;
    return true;
}

/* Goes through a state x and a tree y side by side: are they compatible, or, with `fold`, adds the
 * tree to the state. */
static bool pairs(Tree *t, int x, int y, bool fold, bool *same, ThError *err)
{
    size_t n = 2, k = (size_t)t->k;
    *same = true;
    if (!th_grow(&t->stack, &t->cap_stack, 2, sizeof *t->stack, err))
        return false;
    t->stack[0] = x;
    t->stack[1] = y;
    while (n > 0 && *same) {
        size_t q = (size_t)t->stack[n -= 2], p = (size_t)t->stack[n + 1];
        *same = fold || alike(t, q, p);
        for (size_t a = 0; fold && a <= k; a++)
            t->count[q * (k + 1) + a] += t->count[p * (k + 1) + a];
        t->all[q] += fold ? t->all[p] : 0;
        for (size_t a = 0; *same && a < k; a++) {
            int *to = &t->son[q * k + a], from = t->son[p * k + a];
            if (from < 0 || *to < 0) {
                *to = fold && from >= 0 ? from : *to;
                continue;
            }
            if (!th_grow(&t->stack, &t->cap_stack, n + 2, sizeof *t->stack, err))
                return false;
            t->stack[n++] = *to;
            t->stack[n++] = from;
        }
    }
    return true;
}

/* States that stay, in order; settled[q]: q's number among them, or -1. */
typedef struct {
    int *state, *settled, n;
} Settled;

/* The edge to the most frequent state that is not settled, from one that is; NULL: there is none.
 */
static int *next_edge(const Tree *t, const Settled *s)
{
    int *best = NULL;
    for (int i = 0; i < s->n; i++)
        for (int a = 0; a < t->k; a++) {
            int *son = &t->son[(size_t)s->state[i] * (size_t)t->k + (size_t)a];
            if (*son >= 0 && s->settled[*son] < 0 && (!best || t->all[*son] > t->all[*best]))
                best = son;
        }
    return best;
}

static bool merge_all(Tree *t, Settled *s, ThStop *stop, ThError *err)
{
    memset(s->settled, 0xff, t->n * sizeof *s->settled);
    s->settled[0] = 0;
    s->n = 1;
    for (int *edge; (edge = next_edge(t, s));) {
        bool same = false;
        int blue = *edge;
        for (int i = 0; !same && i < s->n; i++) {
            if (th_stopped(stop, err) || !pairs(t, s->state[i], blue, false, &same, err))
                return false;
            if (!same)
                continue;
            *edge = s->state[i];
            if (!pairs(t, s->state[i], blue, true, &same, err))
                return false;
        }
        if (!same) {
            s->settled[blue] = s->n;
            s->state[s->n++] = blue;
        }
    }
    return true;
}

static ThLanguage *language_of(const Tree *t, const Settled *s, char *const *symbol, ThError *err)
{
    ThDistribution d = {.n = s->n};
    size_t k = (size_t)t->k;
    bool ok = true;
    for (int i = 0; ok && i < s->n; i++)
        for (size_t q = (size_t)s->state[i], a = 0; ok && a <= k; a++) {
            double share = (double)t->count[q * (k + 1) + a] / (double)t->all[q];
            ok = th_grow(&d.move, &d.cap, d.moves + 1, sizeof *d.move, err);
            if (ok && share > 0)
                d.move[d.moves++] =
                    (ThDistributionMove){.from = i,
                                         .symbol = a < k ? (int)a : -1,
                                         .to = a < k ? s->settled[t->son[q * k + a]] : 0,
                                         .p = share};
        }
    ThLanguage *l = ok ? th_distribution_build(symbol, t->k, &d, err) : NULL;
    free(d.move);
    return l;
}

ThLanguage *th_distribution_alergia(const ThWordsSample *words, char *const *symbol, double alpha,
                                    ThDistributionMerging *report, ThStop *stop, ThError *err)
{
    Tree t = {.k = words->n_symbols, .bound = sqrt(log(2 / alpha) / 2)};
    Settled s = {0};
    bool ok = words->n > 0 || th_fail(err, TH_EVALUE, "there are no words");
    ok = ok && add_state(&t, err);
    for (size_t i = 0; ok && i < words->n; i++)
        ok = add_word(&t, words->symbol + words->start[i], words->start[i + 1] - words->start[i],
                      err);
    report->tree = t.n;
    ok = ok && (s.state = th_alloc(t.n, sizeof *s.state, err)) &&
         (s.settled = th_alloc(t.n, sizeof *s.settled, err)) && merge_all(&t, &s, stop, err);
    report->tests = t.tests;
    ThLanguage *l = ok ? language_of(&t, &s, symbol, err) : NULL;
    TH_FREE(s.state, s.settled);
    free_tree(&t);
    return l;
}
