#include "automata/algebra/strictly.h"

#include "base/symbols.h"

/* ---- strictly local -------------------------------------------------------------------------- */

/* Pairs p < q of live states, by number p·n + q; an arc leads to a pair of live different states.
 */
typedef struct {
    const ThDfa *d;
    bool *live;
    int *longest; /* way from a pair on; NEW, OPEN: not known yet */
} Pairs;
enum { NEW = -1, OPEN = -2 };

/* The pair that a leads to, or -1. */
static int next_pair(const Pairs *p, int pair, int a)
{
    int n = p->d->n_states, k = p->d->n_symbols;
    int x = p->d->next[pair / n * k + a], y = p->d->next[pair % n * k + a];
    if (x == y || !p->live[x] || !p->live[y])
        return -1;
    return x < y ? x * n + y : y * n + x;
}

/* The word of a loop that begins behind stack[from]. */
static bool take_loop(const Pairs *p, const int *stack, const int *symbol, int from, int to,
                      ThDfaStrictLoop *loop, ThError *err)
{
    loop->p = stack[from] / p->d->n_states;
    loop->q = stack[from] % p->d->n_states;
    loop->length = to - from + 1;
    loop->word = th_copy(symbol + from, (size_t)loop->length, sizeof *symbol, err);
    return loop->word != NULL;
}

/* Depth first from a pair: fills in the longest ways, or finds a loop.  1, 0: a loop, -1: error. */
static int explore(const Pairs *p, int root, int *stack, int *symbol, ThDfaStrictLoop *loop,
                   ThError *err)
{
    int top = 0;
    stack[0] = root;
    symbol[0] = -1;
    p->longest[root] = OPEN;
    while (top >= 0) {
        int pair = stack[top], to = -1;
        while (to < 0 && ++symbol[top] < p->d->n_symbols)
            to = next_pair(p, pair, symbol[top]);
        if (to >= 0 && p->longest[to] == OPEN) {
            int from = 0;
            while (stack[from] != to)
                from++;
            return take_loop(p, stack, symbol, from, top, loop, err) ? 0 : -1;
        }
        if (to >= 0 && p->longest[to] == NEW) {
            p->longest[to] = OPEN;
            stack[++top] = to;
            symbol[top] = -1;
        } else if (to < 0) {
            int most = 0;
            for (int a = 0; a < p->d->n_symbols; a++)
                if ((to = next_pair(p, pair, a)) >= 0 && p->longest[to] >= most)
                    most = p->longest[to] + 1;
            p->longest[pair] = most;
            top--;
        }
    }
    return 1;
}

int th_dfa_strictly_local(const ThDfa *d, int of, ThDfaStrictLoop *loop, ThError *err)
{
    size_t n = (size_t)d->n_states;
    int k = 1, found = 1;
    Pairs p = {d, th_alloc(n, sizeof *p.live, err), th_alloc(n * n, sizeof *p.longest, err)};
    int *stack TH_OWNED(free) = th_alloc(n * n, sizeof *stack, err),
               *symbol = th_alloc(n * n, sizeof *symbol, err);
    *loop = (ThDfaStrictLoop){0};
    bool ok = p.live && p.longest && stack && symbol && th_dfa_leads_to(d, of, 1, p.live, err);
    for (size_t i = 0; ok && i < n * n; i++)
        p.longest[i] = NEW;
    for (int i = 0; ok && found == 1 && i < (int)(n * n); i++) {
        int x = i / d->n_states, y = i % d->n_states;
        if (x >= y || !p.live[x] || !p.live[y])
            continue;
        if (p.longest[i] == NEW)
            found = explore(&p, i, stack, symbol, loop, err);
        k = found == 1 && p.longest[i] + 2 > k ? p.longest[i] + 2 : k;
    }
    TH_FREE(p.live, p.longest, symbol);
    return !ok || found < 0 ? -1 : found == 0 ? 0 : k;
}

/* ---- listing words ----------------------------------------------------------------------------
 */

enum { MOST_WORDS = 4096, MOST_LENGTH = 64 };

/* Words of one length, and the next one's. */
typedef struct {
    int *word[2];
    size_t n[2];
    int length; /* of word[0] */
    bool full;
} Level;

static bool level_begin(Level *l, ThError *err)
{
    *l = (Level){.n = {1, 0}};
    for (int i = 0; i < 2; i++)
        l->word[i] = th_alloc((size_t)MOST_WORDS * MOST_LENGTH, sizeof(int), err);
    return l->word[0] && l->word[1];
}

/* Keeps a word for the next level. */
static void level_keep(Level *l, const int *word)
{
    l->full = l->full || l->n[1] == MOST_WORDS || l->length + 1 == MOST_LENGTH;
    if (!l->full)
        memcpy(l->word[1] + MOST_LENGTH * l->n[1]++, word, ((size_t)l->length + 1) * sizeof *word);
}

static void level_next(Level *l)
{
    int *was = l->word[0];
    l->word[0] = l->word[1];
    l->word[1] = was;
    l->n[0] = l->n[1];
    l->n[1] = 0;
    l->length++;
}

static void level_end(Level *l)
{
    TH_FREE(l->word[0], l->word[1]);
}

typedef struct {
    const ThDfa *d;
    int of;
    const bool *live;
    char *const *symbol;
    ThText *text;
    int written, most;
} List;

static void write_word(List *l, const char *before, const int *word, int n, const char *after)
{
    if (l->written++ >= l->most)
        return;
    th_text_printf(l->text, "%s%s", l->written > 1 ? " " : "", before);
    th_symbols_write(l->text, l->symbol, l->d->n_symbols, word, n);
    th_text_add(l->text, n == 0 && !*before && !*after ? "ε" : after);
}

/* ---- forbidden factors ------------------------------------------------------------------------
 */

static int walk(const List *l, int q, const int *word, int n)
{
    return n < 0 ? q : th_dfa_walk(l->d, q, word, (size_t)n);
}

/* No word of the language has this factor; none begins so; none ends so. */
static bool never(const List *l, const int *word, int n)
{
    for (int q = 0; q < l->d->n_states; q++)
        if (l->live[q] && l->live[walk(l, q, word, n)])
            return false;
    return true;
}

static bool never_first(const List *l, const int *word, int n)
{
    return !l->live[walk(l, l->d->start, word, n)];
}

static bool never_last(const List *l, const int *word, int n)
{
    for (int q = 0; q < l->d->n_states; q++)
        if (l->live[q] && l->d->label[walk(l, q, word, n)] == l->of)
            return false;
    return true;
}

/* Writes what is forbidden of a word and of none of its parts, in a strictly k-local language; true
 * if a longer word can be. */
static bool look_at_factor(List *l, const int *w, int n, int k)
{
    bool begin = never_first(l, w, n), end = never_last(l, w, n);
    if (never(l, w, n)) {
        if (n == 0 || (!never(l, w, n - 1) && !never(l, w + 1, n - 1)))
            write_word(l, "", w, n, "");
        return false;
    }
    if (begin && n > 0 && n < k && !never_first(l, w, n - 1))
        write_word(l, ">", w, n, "");
    if (end && n > 0 && n < k && !never_last(l, w + 1, n - 1))
        write_word(l, "", w, n, "<");
    if (!begin && !end && n < k - 1 && l->d->label[walk(l, l->d->start, w, n)] != l->of)
        write_word(l, ">", w, n, "<");
    return n < k;
}

bool th_dfa_forbidden_factors(const ThDfa *d, int of, int k, char *const *symbol, int most,
                              ThText *t, ThStop *stop, ThError *err)
{
    Level v;
    bool *live TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *live, err);
    bool ok = level_begin(&v, err) && live && th_dfa_leads_to(d, of, 1, live, err);
    List l = {d, of, live, symbol, t, 0, most};
    if (ok)
        v.n[0] = look_at_factor(&l, v.word[0], 0, k);
    for (; ok && v.n[0] > 0 && !v.full && l.written <= most; level_next(&v))
        for (size_t i = 0; ok && i < v.n[0]; i++)
            for (int a = 0; a < d->n_symbols && l.written <= most; a++) {
                int *word = v.word[0] + MOST_LENGTH * i;
                word[v.length] = a;
                if (look_at_factor(&l, word, v.length + 1, k))
                    level_keep(&v, word);
                ok = !th_stopped(stop, err);
            }
    th_text_add(t, v.full || l.written > most ? " …" : l.written ? "" : "nothing");
    level_end(&v);
    return ok;
}

/* ---- forbidden subsequences -------------------------------------------------------------------
 */

/* Is a word outside though all that deleting one symbol makes of it are inside? */
static bool is_least_outside(const List *l, const int *w, int n)
{
    int shorter[MOST_LENGTH];
    for (int i = 0; i < n; i++) {
        memcpy(shorter, w, (size_t)i * sizeof *w);
        memcpy(shorter + i, w + i + 1, (size_t)(n - 1 - i) * sizeof *w);
        if (l->d->label[walk(l, l->d->start, shorter, n - 1)] != l->of)
            return false;
    }
    return true;
}

bool th_dfa_forbidden_subsequences(const ThDfa *d, int of, int *k, char *const *symbol, int most,
                                   ThText *t, ThStop *stop, ThError *err)
{
    Level v;
    List l = {d, of, NULL, symbol, t, 0, most};
    bool ok = level_begin(&v, err);
    *k = 1;
    if (ok && d->label[d->start] != of) {
        write_word(&l, "", v.word[0], 0, "");
        v.n[0] = 0;
    }
    for (; ok && v.n[0] > 0 && !v.full; level_next(&v))
        for (size_t i = 0; ok && i < v.n[0]; i++) {
            int *word = v.word[0] + MOST_LENGTH * i, q = walk(&l, d->start, word, v.length);
            for (int a = 0; a < d->n_symbols; a++) {
                int to = d->next[q * d->n_symbols + a];
                word[v.length] = a;
                if (to != q && d->label[to] == of) {
                    level_keep(&v, word);
                } else if (to != q && is_least_outside(&l, word, v.length + 1)) {
                    write_word(&l, "", word, v.length + 1, "");
                    *k = v.length + 1;
                }
            }
            ok = !th_stopped(stop, err);
        }
    *k = v.full ? 0 : *k;
    th_text_add(t, v.full || l.written > most ? " …" : l.written ? "" : "nothing");
    level_end(&v);
    return ok;
}
