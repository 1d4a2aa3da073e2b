/* The distance of two states is the length of a shortest word that merges them.  It is found for
 * all pairs at once, backwards from the pairs that one symbol merges; where it is infinite for one
 * pair there is no reset word, and where it is finite for all there is one. */
#include "automata/words/reset.h"

#include "automata/core/word_tree.h"

enum { MOST_STATES = 4096, FAR = -1 };

typedef struct {
    const ThDfa *d;
    ThStop *stop;
    ThError *err;
    int *word, length; /* so far */
    size_t cap;
} Search;

static int after(const ThDfa *d, int q, int symbol)
{
    return d->next[q * d->n_symbols + symbol];
}

static bool add(Search *s, int symbol)
{
    return TH_APPEND(s->word, s->length, s->cap, s->err, symbol);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* Returns new: the states that a symbol leads to q are from[at[i]] … from[at[i + 1] - 1], where i
 * is symbol * n + q; `from` lies behind the n_symbols * n + 1 numbers of `at`. */
static size_t *predecessors(const ThDfa *d, ThError *err)
{
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols, cells = n * k;
    size_t *at = th_alloc(2 * cells + 2, sizeof *at, err);
    for (size_t i = 0; at && i < cells; i++)
        at[i % k * n + (size_t)d->next[i] + 1]++;
    for (size_t i = 0; at && i < cells; i++)
        at[i + 1] += at[i];
    for (size_t i = cells;
         at && i-- > 0;) /* the last first: each list ends where the next begins */
        at[cells + --at[i % k * n + (size_t)d->next[i] + 1] + 1] = i / k;
    /* every end has become the beginning of its list: at[i + 1] is that of i now */
    if (at)
        memmove(at, at + 1, cells * sizeof *at);
    if (at)
        at[cells] = cells;
    return at;
}

/* first[p * n + q]: the symbol to begin with so that p and q come together soonest; FAR: they never
 * do.  Backwards, breadth first, every pair and symbol once. */
static bool nearest_symbols(Search *s, int *first)
{
    const ThDfa *d = s->d;
    size_t n = (size_t)d->n_states, known = 0;
    size_t *at TH_OWNED(free) = predecessors(d, s->err);
    size_t *queue TH_OWNED(free) = th_alloc(n * n, sizeof *queue, s->err);
    if (!at || !queue)
        return false;
    const size_t *from = at + n * (size_t)d->n_symbols + 1;
    for (size_t i = 0; i < n * n; i++) {
        first[i] = FAR;
        if (i / n == i % n)
            queue[known++] = i;
    }
    for (size_t done = 0; done < known; done++) {
        if (done % 4096 == 0 && th_stopped(s->stop, s->err))
            return false;
        for (int a = 0; a < d->n_symbols; a++) {
            const size_t *p = at + (size_t)a * n + queue[done] / n;
            const size_t *q = at + (size_t)a * n + queue[done] % n;
            for (size_t i = p[0]; i < p[1]; i++) {
                for (size_t j = q[0]; j < q[1]; j++) {
                    size_t pair = from[i] * n + from[j];
                    if (from[i] == from[j] || first[pair] != FAR)
                        continue;
                    first[pair] = a;
                    queue[known++] = pair;
                }
            }
        }
    }
    return true;
}

/* ---- one pair after the other ---------------------------------------------------------------- */

/* How many symbols merge two states; -1: none do. */
static int merging(const ThDfa *d, const int *first, int p, int q)
{
    int length = 0;
    for (int a; p != q; length++) {
        a = first[p * d->n_states + q];
        if (a == FAR)
            return -1;
        p = after(d, p, a);
        q = after(d, q, a);
    }
    return length;
}

/* Leads the n states of a set by a symbol; the set has no state twice, before and after. */
static int lead(const ThDfa *d, int *set, int n, bool *seen, int symbol)
{
    int kept = 0;
    memset(seen, 0, (size_t)d->n_states * sizeof *seen);
    for (int i = 0; i < n; i++) {
        int q = after(d, set[i], symbol);
        if (!seen[q])
            set[kept++] = q;
        seen[q] = true;
    }
    return kept;
}

static bool greedy(Search *s, const int *first, int *state)
{
    const ThDfa *d = s->d;
    int n = d->n_states;
    int *set TH_OWNED(free) = th_alloc((size_t)n, sizeof *set, s->err);
    bool *seen TH_OWNED(free) = th_alloc((size_t)n, sizeof *seen, s->err);
    for (int q = 0; set && q < n; q++)
        set[q] = q;
    while (set && seen && n > 1) {
        int p = 0, q = 0, best = INT32_MAX;
        if (th_stopped(s->stop, s->err))
            return false;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                int length = merging(d, first, set[i], set[j]);
                if (length >= best)
                    continue;
                best = length;
                p = set[i];
                q = set[j];
            }
        }
        while (p != q) {
            int a = first[p * d->n_states + q];
            n = lead(d, set, n, seen, a);
            p = after(d, p, a);
            q = after(d, q, a);
            if (!add(s, a))
                return false;
        }
    }
    *state = set ? set[0] : 0;
    return set && seen;
}

/* ---- all sets -------------------------------------------------------------------------------- */

/* Breadth first from the set of all states, until one has a single state; *found says so, else
 * there were too many sets. */
static bool exact(Search *s, size_t max_sets, bool *found, int *state)
{
    const ThDfa *d = s->d;
    size_t n = (size_t)d->n_states;
    ThWordTree sets TH_OWNED(th_word_tree_free) = {0};
    unsigned char *next TH_OWNED(free) = th_alloc(n, 1, s->err);
    if (!next)
        return false;
    memset(next, 1, n);
    bool ok = th_word_tree_meet(&sets, next, n, 0, -1, s->err);
    for (size_t i = 0; ok && n > 1 && i < sets.n && sets.n <= max_sets; i++) {
        for (int a = 0; a < d->n_symbols; a++) {
            const unsigned char *set = th_intern_at(&sets.met, i, NULL);
            size_t before = sets.n, size = 0;
            memset(next, 0, n);
            for (size_t q = 0; q < n; q++)
                if (set[q])
                    next[after(d, (int)q, a)] = 1;
            if (th_stopped_at(s->stop, sets.n, "sets", s->err) ||
                !th_word_tree_meet(&sets, next, n, i, a, s->err))
                return false;
            for (size_t q = 0; sets.n > before && q < n; q++) {
                size += next[q];
                *state = next[q] ? (int)q : *state;
            }
            if (size == 1) {
                *found = true;
                s->word = th_word_tree_word(&sets, before, &s->length, s->err);
                return s->word != NULL;
            }
        }
    }
    *found = n == 1;
    return ok;
}

bool th_dfa_reset_word(const ThDfa *d, size_t max_sets, ThStop *stop, ThDfaReset *r, ThError *err)
{
    Search s = {.d = d, .stop = stop, .err = err};
    size_t pairs = (size_t)d->n_states * (size_t)d->n_states;
    *r = (ThDfaReset){.apart = {-1, -1}};
    if (d->n_states > MOST_STATES)
        return th_fail(err, TH_ELIMIT, "reset words are found for up to %d states, this has %d",
                       MOST_STATES, d->n_states);
    int *first TH_OWNED(free) = th_alloc(pairs, sizeof *first, err);
    if (!first || !nearest_symbols(&s, first))
        return false;
    for (size_t i = 0; i < pairs; i++) {
        r->apart[0] = (int)(i / (size_t)d->n_states);
        r->apart[1] = (int)(i % (size_t)d->n_states);
        if (first[i] == FAR && r->apart[0] != r->apart[1])
            return true;
    }
    r->apart[0] = r->apart[1] = -1;
    bool ok = exact(&s, max_sets, &r->shortest, &r->state);
    if (ok && !r->shortest)
        ok = greedy(&s, first, &r->state);
    if (ok && !s.word) /* one state: the empty word */
        ok = th_grow(&s.word, &s.cap, 1, sizeof *s.word, err);
    r->word = TH_KEEP_IF(ok, s.word, free);
    r->length = s.length;
    return ok;
}
