#include "lab/balance.h"

#include "automata/algebra/monoid.h"

enum { MOST_FUNCTIONS = 4096, MOST_LEAVES = 1 << 20, LONGEST = 1 << 20 };

/* Pairs of numbers, sorted by a function: those of f are first[f] … first[f+1]-1. */
typedef struct {
    int n, *left, *right, *first;
} Pairs;

/* A function is an element of the monoid of the task's automaton and the acceptor of its strings,
 * side by side. */
struct ThTrainBalance {
    int chunk, n_symbols, n; /* n: functions */
    int levels;
    int *product; /* (n, n): -1 where no part of a string has it */
    Pairs leaf;   /* by function: words of `chunk` symbols, as numbers to the base n_symbols */
    Pairs *split; /* (levels, chunk): of the level's functions those of all but one child, and that
                     child; the first level has none, and of the others the first child */
    int *word;    /* of a full tree */
};

/* ---- sorting ---- */

/* Room for n pairs of which count[f] have function f; count becomes where the next of f goes. */
static bool take_pairs(Pairs *p, int n, int functions, int *count, ThError *err)
{
    p->n = n;
    p->left = th_alloc((size_t)n, sizeof *p->left, err);
    p->right = th_alloc((size_t)n, sizeof *p->right, err);
    p->first = th_alloc((size_t)functions + 1, sizeof *p->first, err);
    if (!p->left || !p->right || !p->first)
        return false;
    for (int f = 0; f < functions; f++) {
        p->first[f + 1] = p->first[f] + count[f];
        count[f] = p->first[f];
    }
    return true;
}

static void free_pairs(Pairs *p)
{
    TH_FREE(p->left, p->right, p->first);
}

static void put(Pairs *p, int *next, int function, int left, int right)
{
    int at = next[function]++;
    p->left[at] = left;
    p->right[at] = right;
}

/* ---- what occurs ---- */

/* Which functions (m->size) parts of strings have before which and behind which there are whole
 * chunks; the domain's states stand in the monoid behind others. */
static bool find_live(const ThMonoid *m, const ThDfa *domain, int chunk, bool *live, ThError *err)
{
    int n = domain ? domain->n_states : 0, first = m->n_states - n;
    bool *aligned TH_OWNED(free) = th_alloc((size_t)n, sizeof *aligned, err);
    bool ok = aligned && (!domain || th_dfa_leads_to(domain, 1, chunk, aligned, err));
    for (int x = 0; ok && x < m->size; x++) {
        live[x] = !domain;
        for (int q = 0; q < n && !live[x]; q++)
            live[x] = aligned[q] && aligned[th_monoid_image(m, x, first + q) - first];
    }
    return ok;
}

static bool fill_products(ThTrainBalance *b, const ThMonoid *m, const bool *live, ThError *err)
{
    b->product = th_alloc((size_t)b->n * (size_t)b->n, sizeof *b->product, err);
    for (int i = 0; b->product && i < b->n * b->n; i++) {
        int x = th_monoid_product(m, i / b->n, i % b->n);
        b->product[i] = live[x] ? x : -1;
    }
    return b->product != NULL;
}

/* ---- levels ---- */

/* The function of a word by its number, the last symbol being the last digit. */
static int of_word(const ThMonoid *m, int chunk, int number)
{
    return chunk == 0 ? 0
                      : m->right[of_word(m, chunk - 1, number / m->n_symbols) * m->n_symbols +
                                 number % m->n_symbols];
}

/* `has` becomes the functions of leaves. */
static bool fill_leaves(ThTrainBalance *b, const ThMonoid *m, const bool *live, bool *has,
                        ThError *err)
{
    long long words = 1;
    for (int c = 0; c < b->chunk; c++)
        if ((words *= b->n_symbols) > MOST_LEAVES)
            return th_fail(err, TH_ELIMIT, "there are more than %d strings of %d symbols",
                           MOST_LEAVES, b->chunk);
    int *count TH_OWNED(free) = th_alloc((size_t)b->n, sizeof *count, err), n = 0;
    for (int w = 0; count && w < words; w++) {
        int f = of_word(m, b->chunk, w);
        has[f] = live[f];
        count[f] += live[f];
        n += live[f];
    }
    bool ok = count && take_pairs(&b->leaf, n, b->n, count, err);
    for (int w = 0; ok && w < words; w++) {
        int f = of_word(m, b->chunk, w);
        if (live[f])
            put(&b->leaf, count, f, w, 0);
    }
    return ok;
}

/* All pairs of what is in `before` and in `child`; `before` becomes what they make. */
static bool fill_split(ThTrainBalance *b, Pairs *to, bool *before, const bool *child, ThError *err)
{
    int *count TH_OWNED(free) = th_alloc((size_t)b->n, sizeof *count, err), n = 0;
    for (int i = 0; count && i < b->n * b->n; i++)
        if (before[i / b->n] && child[i % b->n] && b->product[i] >= 0) {
            count[b->product[i]]++;
            n++;
        }
    bool ok = count && take_pairs(to, n, b->n, count, err);
    for (int i = 0; ok && i < b->n * b->n; i++)
        if (before[i / b->n] && child[i % b->n] && b->product[i] >= 0)
            put(to, count, b->product[i], i / b->n, i % b->n);
    for (int f = 0; ok && f < b->n; f++)
        before[f] = to->first[f + 1] > to->first[f];
    return ok && (n > 0 || th_fail(err, TH_EVALUE, "no long strings have parts of whole chunks"));
}

static Pairs *split_of(const ThTrainBalance *b, int level, int child)
{
    return &b->split[level * b->chunk + child];
}

static bool fill_levels(ThTrainBalance *b, const ThMonoid *m, const bool *live, ThError *err)
{
    bool *before TH_OWNED(free) = th_alloc((size_t)b->n, sizeof *before, err);
    bool *child TH_OWNED(free) = th_alloc((size_t)b->n, sizeof *child, err);
    b->split = th_alloc((size_t)b->levels * (size_t)b->chunk, sizeof *b->split, err);
    bool ok = before && child && b->split && fill_leaves(b, m, live, before, err);
    for (int level = 1; ok && level < b->levels; level++) {
        memcpy(child, before, (size_t)b->n * sizeof *child);
        for (int c = 1; ok && c < b->chunk; c++)
            ok = fill_split(b, split_of(b, level, c), before, child, err);
    }
    return ok;
}

/* ---- making ---- */

static bool fill(ThTrainBalance *b, const ThDfa *machine, const ThDfa *words, ThError *err)
{
    ThDfa *both TH_OWNED(th_dfa_free) = th_dfa_beside(machine, words, err);
    ThMonoid *m TH_OWNED(th_monoid_free) =
        both ? th_monoid_new(both, MOST_FUNCTIONS, NULL, err) : NULL;
    b->n = m ? m->size : 0;
    bool *live TH_OWNED(free) = m ? th_alloc((size_t)b->n, sizeof *live, err) : NULL;
    return live && find_live(m, words, b->chunk, live, err) && fill_products(b, m, live, err) &&
           fill_levels(b, m, live, err);
}

ThTrainBalance *th_train_balance_new(const ThTask *t, int chunk, int longest, ThError *err)
{
    if (longest > LONGEST)
        return th_null(
            th_fail(err, TH_ELIMIT, "parts of more than %d symbols are too long", LONGEST));
    ThTrainBalance *b = th_alloc(1, sizeof *b, err);
    const ThDfa *machine = b ? th_task_machine(t, err) : NULL;
    ThDfa *words TH_OWNED(th_dfa_free) = NULL;
    ThDfa *minimal TH_OWNED(th_dfa_free) = machine ? th_dfa_minimize(machine, NULL, err) : NULL;
    size_t size = (size_t)chunk;
    bool ok = minimal && th_task_words(t, &words, err);
    if (ok) {
        b->chunk = chunk;
        b->n_symbols = minimal->n_symbols;
        for (b->levels = 1; size < (size_t)longest; b->levels++)
            size *= (size_t)chunk;
        b->word = th_alloc(size, sizeof *b->word, err);
        ok = b->word && fill(b, minimal, words, err);
    }
    return TH_KEEP_IF(ok, b, th_train_balance_free);
}

void th_train_balance_free(ThTrainBalance *b)
{
    if (!b)
        return;
    for (int i = 0; b->split && i < b->levels * b->chunk; i++)
        free_pairs(&b->split[i]);
    free_pairs(&b->leaf);
    TH_FREE(b->split, b->product, b->word, b);
}

/* ---- drawing ---- */

/* A place among the pairs of function f, or for -1 among all. */
static int draw_place(const Pairs *p, ThRng *r, int f)
{
    int from = f < 0 ? 0 : p->first[f], end = f < 0 ? p->n : p->first[f + 1];
    return from + (int)th_rng_below(r, (uint64_t)(end - from));
}

static void write_leaf(const ThTrainBalance *b, int number, int *to)
{
    for (int c = b->chunk - 1; c >= 0; c--, number /= b->n_symbols)
        to[c] = number % b->n_symbols;
}

/* Writes symbols that have function f, or for -1 any. */
static void write_node(const ThTrainBalance *b, ThRng *r, int level, int size, int f, int *to)
{
    if (level == 0) {
        write_leaf(b, b->leaf.left[draw_place(&b->leaf, r, f)], to);
        return;
    }
    int part = size / b->chunk;
    for (int c = b->chunk - 1; c > 0; c--) {
        const Pairs *p = split_of(b, level, c);
        int at = draw_place(p, r, f);
        write_node(b, r, level - 1, part, p->right[at], to + c * part);
        f = p->left[at];
    }
    write_node(b, r, level - 1, part, f, to);
}

void th_train_balance_draw(ThTrainBalance *b, ThRng *r, int n, int *to)
{
    int level = 0, size = b->chunk;
    for (; size < n; level++)
        size *= b->chunk;
    write_node(b, r, level, size, -1, b->word);
    memcpy(to, b->word + size - n, (size_t)n * sizeof *to);
}
