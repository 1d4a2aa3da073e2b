/* Breadth-first search over pairs of states that the same word reaches, in which a pair is skipped
 * once it follows from earlier ones (same union-find class).
 *
 * The word found is still the first of all: if a skipped pair, reached by u, differs on w, then one
 * of the earlier pairs that imply it, reached by some u' before u, differs on w as well, and u'w
 * comes before uw. */

#include "automata/core/word_tree.h"

typedef struct {
    int p, q; /* states of the two machines, those of the second numbered from n_a on */
} Pair;

typedef struct {
    const ThDfa *a, *b;
    Pair *pair;      /* (n_a + n_b): every pair but the first merges two classes */
    ThWordTree word; /* of the pairs */
    int *up;         /* (n_a + n_b): union-find */
} Search;

static int find(int *up, int x)
{
    while (up[x] != x) {
        up[x] = up[up[x]];
        x = up[x];
    }
    return x;
}

typedef enum { SAME, DIFFERENT, STOPPED } Outcome;

/* Adds a pair unless it is known; where its classes differ, the search is over. */
static Outcome visit(Search *s, Pair at, size_t before, int symbol, ThError *err)
{
    int x = find(s->up, at.p), y = find(s->up, at.q);
    if (x == y)
        return SAME;
    if (x < y)
        s->up[y] = x;
    else
        s->up[x] = y;
    s->pair[s->word.n] = at;
    if (!th_word_tree_add(&s->word, before, symbol, err))
        return STOPPED;
    return s->a->label[at.p] == s->b->label[at.q - s->a->n_states] ? SAME : DIFFERENT;
}

/* Where the machines differ, the last pair shows it. */
static Outcome search(Search *s, ThStop *stop, ThError *err)
{
    size_t k = (size_t)s->a->n_symbols;
    int n_a = s->a->n_states;
    Outcome o = visit(s, (Pair){s->a->start, n_a + s->b->start}, 0, -1, err);
    for (size_t i = 0; o == SAME && i < s->word.n; i++) {
        if (i % 4096 == 4095 && th_stopped_at(stop, s->word.n, "pairs of states", err))
            return STOPPED;
        size_t p = (size_t)s->pair[i].p * k, q = (size_t)(s->pair[i].q - n_a) * k;
        for (size_t c = 0; o == SAME && c < k; c++)
            o = visit(s, (Pair){s->a->next[p + c], n_a + s->b->next[q + c]}, i, (int)c, err);
    }
    return o;
}

int *th_dfa_distinguish(const ThDfa *a, const ThDfa *b, int *length, ThStop *stop, ThError *err)
{
    *length = 0;
    if (a->n_symbols != b->n_symbols)
        return th_null(th_fail(err, TH_EVALUE, "the alphabets differ: %d and %d symbols",
                               a->n_symbols, b->n_symbols));
    if (b->n_states > INT32_MAX - a->n_states)
        return th_null(th_fail(err, TH_ELIMIT, "too many states to compare"));
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
            word = th_word_tree_word(&s.word, s.word.n - 1, length, err);
        else if (outcome == SAME)
            *length = -1;
    }
    TH_FREE(s.pair, s.up);
    th_word_tree_free(&s.word);
    return word;
}
