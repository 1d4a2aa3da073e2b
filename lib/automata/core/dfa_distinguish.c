/* Breadth-first search over pairs of states that the same word reaches, in which a pair is skipped
 * once it follows from earlier ones (same union-find class).
 *
 * The word found is still the first of all: if a skipped pair, reached by u, differs on w, then one
 * of the earlier pairs that imply it, reached by some u' before u, differs on w as well, and u'w
 * comes before uw. */
#include "automata/core/dfa.h"

#include "base/memory.h"

typedef struct {
    int p, q;   /* states of the two machines, those of the second numbered from n_a on */
    int parent; /* index of the pair before, or -1 */
    int symbol; /* that led from there */
} Pair;

typedef struct {
    const ThDfa *a, *b;
    Pair *pair; /* (n_a + n_b): every pair but the first merges two classes */
    int n;
    int *up; /* (n_a + n_b): union-find */
} Search;

static int find(int *up, int x)
{
    while (up[x] != x) {
        up[x] = up[up[x]];
        x = up[x];
    }
    return x;
}

/* Adds a pair unless it is known.  Returns false if its classes differ: the search is over. */
static bool visit(Search *s, int p, int q, int parent, int symbol)
{
    int x = find(s->up, p), y = find(s->up, q);
    if (x == y)
        return true;
    if (x < y)
        s->up[y] = x;
    else
        s->up[x] = y;
    s->pair[s->n++] = (Pair){p, q, parent, symbol};
    return s->a->label[p] == s->b->label[q - s->a->n_states];
}

typedef enum { SAME, DIFFERENT, STOPPED } Outcome;

/* Where the machines differ, the last pair shows it. */
static Outcome search(Search *s, ThStop *stop, ThError *err)
{
    size_t k = (size_t)s->a->n_symbols;
    int n_a = s->a->n_states;
    if (!visit(s, s->a->start, n_a + s->b->start, -1, -1))
        return DIFFERENT;
    for (int i = 0; i < s->n; i++) {
        if (i % 4096 == 4095 && th_stopped_at(stop, (size_t)s->n, "pairs of states", err))
            return STOPPED;
        size_t p = (size_t)s->pair[i].p * k, q = (size_t)(s->pair[i].q - n_a) * k;
        for (size_t c = 0; c < k; c++) {
            if (!visit(s, s->a->next[p + c], n_a + s->b->next[q + c], i, (int)c))
                return DIFFERENT;
        }
    }
    return SAME;
}

static int *word_to_last(const Search *s, int *length, ThError *err)
{
    int n = 0;
    for (int i = s->n - 1; s->pair[i].parent >= 0; i = s->pair[i].parent)
        n++;
    int *word = th_alloc((size_t)n, sizeof *word, err);
    if (!word)
        return NULL;
    *length = n;
    for (int i = s->n - 1; s->pair[i].parent >= 0; i = s->pair[i].parent)
        word[--n] = s->pair[i].symbol;
    return word;
}

int *th_dfa_distinguish(const ThDfa *a, const ThDfa *b, int *length, ThStop *stop, ThError *err)
{
    *length = 0;
    if (a->n_symbols != b->n_symbols) {
        th_fail(err, TH_EVALUE, "the alphabets differ: %d and %d symbols", a->n_symbols,
                b->n_symbols);
        return NULL;
    }
    if (b->n_states > INT32_MAX - a->n_states) {
        th_fail(err, TH_ELIMIT, "too many states to compare");
        return NULL;
    }
    size_t n = (size_t)a->n_states + (size_t)b->n_states;
    Search s = {.a = a, .b = b};
    s.pair = th_alloc(n, sizeof *s.pair, err);
    s.up = th_alloc(n, sizeof *s.up, err);
    int *word = NULL;
    if (s.pair && s.up) {
        for (size_t i = 0; i < n; i++)
            s.up[i] = (int)i;
        Outcome outcome = search(&s, stop, err);
        if (outcome == DIFFERENT)
            word = word_to_last(&s, length, err);
        else if (outcome == SAME)
            *length = -1;
    }
    TH_FREE(s.pair, s.up);
    return word;
}
