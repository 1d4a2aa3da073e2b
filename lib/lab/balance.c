#include "lab/balance.h"

#include <stdlib.h>
#include <string.h>

#include "automata/algebra/monoid.h"
#include "base/memory.h"

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
    for (int f = 0, at = 0; p->first && f <= functions; f++) {
        int more = f < functions ? count[f] : 0;
        p->first[f] = at;
        if (f < functions)
            count[f] = at;
        at += more;
    }
    return p->left && p->right && p->first;
}

static void free_pairs(Pairs *p)
{
    free(p->left);
    free(p->right);
    free(p->first);
}

static void put(Pairs *p, int *next, int function, int left, int right)
{
    int at = next[function]++;
    p->left[at] = left;
    p->right[at] = right;
}

/* ---- what occurs ---- */

/* The states of an acceptor from which whole chunks lead to acceptance. */
static bool find_aligned(const ThDfa *d, int chunk, bool *aligned, ThError *err)
{
    /* (states, chunk): acceptance comes after so many symbols, and whole chunks. */
    bool *after = th_alloc((size_t)d->n_states * (size_t)chunk, sizeof *after, err);
    if (!after)
        return false;
    for (int q = 0; q < d->n_states; q++)
        after[q * chunk] = d->label[q] == 1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < d->n_states * d->n_symbols; i++) {
            int q = i / d->n_symbols;
            for (int c = 0; c < chunk; c++)
                if (after[d->next[i] * chunk + c] && !after[q * chunk + (c + 1) % chunk])
                    more = after[q * chunk + (c + 1) % chunk] = true;
        }
    }
    for (int q = 0; q < d->n_states; q++)
        aligned[q] = after[q * chunk];
    free(after);
    return true;
}

typedef struct {
    const ThMonoid *m;
    const bool *aligned; /* of the states from `from` on; NULL: all strings are meant */
    int from;
} Domain;

/* Whether a part of a string, before which and behind which there are whole chunks, is that. */
static bool occurs(const Domain *d, int x)
{
    for (int q = d->from; d->aligned && q < d->m->n_states; q++)
        if (d->aligned[q - d->from] && d->aligned[th_monoid_image(d->m, x, q) - d->from])
            return true;
    return !d->aligned;
}

static bool fill_products(ThTrainBalance *b, const Domain *d, ThError *err)
{
    b->n = d->m->size;
    b->product = th_alloc((size_t)b->n * (size_t)b->n, sizeof *b->product, err);
    for (int i = 0; b->product && i < b->n * b->n; i++) {
        int x = th_monoid_product(d->m, i / b->n, i % b->n);
        b->product[i] = occurs(d, x) ? x : -1;
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

static bool fill_leaves(ThTrainBalance *b, const Domain *d, bool *has, ThError *err)
{
    long long words = 1;
    for (int c = 0; c < b->chunk; c++)
        if ((words *= b->n_symbols) > MOST_LEAVES)
            return th_fail(err, TH_ELIMIT, "there are more than %d strings of %d symbols",
                           MOST_LEAVES, b->chunk);
    int *count = th_alloc((size_t)b->n, sizeof *count, err), n = 0;
    for (int w = 0; count && w < words; w++) {
        int f = of_word(d->m, b->chunk, w);
        has[f] = occurs(d, f);
        count[f] += has[f];
        n += has[f];
    }
    bool ok = count && take_pairs(&b->leaf, n, b->n, count, err);
    for (int w = 0; ok && w < words; w++) {
        int f = of_word(d->m, b->chunk, w);
        if (has[f])
            put(&b->leaf, count, f, w, 0);
    }
    free(count);
    return ok;
}

/* All pairs of what is in `before` and in `child`; `before` becomes what they make. */
static bool fill_split(ThTrainBalance *b, Pairs *to, bool *before, const bool *child, ThError *err)
{
    int *count = th_alloc((size_t)b->n, sizeof *count, err), n = 0;
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
    free(count);
    return ok && (n > 0 || th_fail(err, TH_EVALUE, "no long strings have parts of whole chunks"));
}

static Pairs *split_of(const ThTrainBalance *b, int level, int child)
{
    return &b->split[level * b->chunk + child];
}

static bool fill_levels(ThTrainBalance *b, const Domain *d, ThError *err)
{
    bool *before = th_alloc((size_t)b->n, sizeof *before, err);
    bool *child = th_alloc((size_t)b->n, sizeof *child, err);
    b->split = th_alloc((size_t)b->levels * (size_t)b->chunk, sizeof *b->split, err);
    bool ok = before && child && b->split && fill_leaves(b, d, before, err);
    for (int level = 1; ok && level < b->levels; level++) {
        memcpy(child, before, (size_t)b->n * sizeof *child);
        for (int c = 1; ok && c < b->chunk; c++)
            ok = fill_split(b, split_of(b, level, c), before, child, err);
    }
    free(before);
    free(child);
    return ok;
}

/* ---- making ---- */

static bool fill(ThTrainBalance *b, const ThDfa *machine, const ThDfa *words, ThError *err)
{
    Domain d = {.from = machine->n_states};
    ThDfa *both = th_dfa_beside(machine, words, err);
    ThMonoid *m = both ? th_monoid_new(both, MOST_FUNCTIONS, NULL, err) : NULL;
    bool *aligned = m && words ? th_alloc((size_t)words->n_states, sizeof *aligned, err) : NULL;
    d.m = m;
    d.aligned = aligned;
    bool ok = m && (aligned || !words) && (!words || find_aligned(words, b->chunk, aligned, err)) &&
              fill_products(b, &d, err) && fill_levels(b, &d, err);
    free(aligned);
    th_monoid_free(m);
    th_dfa_free(both);
    return ok;
}

ThTrainBalance *th_train_balance_new(const ThTask *t, int chunk, int longest, ThError *err)
{
    if (longest > LONGEST) {
        th_fail(err, TH_ELIMIT, "parts of more than %d symbols are too long", LONGEST);
        return NULL;
    }
    ThTrainBalance *b = th_alloc(1, sizeof *b, err);
    const ThDfa *machine = b ? th_task_machine(t, err) : NULL;
    ThDfa *minimal = machine ? th_dfa_minimize(machine, NULL, err) : NULL, *words = NULL;
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
    th_dfa_free(minimal);
    th_dfa_free(words);
    if (ok)
        return b;
    th_train_balance_free(b);
    return NULL;
}

void th_train_balance_free(ThTrainBalance *b)
{
    if (!b)
        return;
    for (int i = 0; b->split && i < b->levels * b->chunk; i++)
        free_pairs(&b->split[i]);
    free_pairs(&b->leaf);
    free(b->split);
    free(b->product);
    free(b->word);
    free(b);
}

/* ---- drawing ---- */

static int below(ThRng *r, int from, int end)
{
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
    const Pairs *p = level > 0 ? split_of(b, level, b->chunk - 1) : &b->leaf;
    int from = f < 0 ? 0 : p->first[f], end = f < 0 ? p->n : p->first[f + 1];
    if (level == 0) {
        write_leaf(b, p->left[below(r, from, end)], to);
        return;
    }
    for (int c = b->chunk - 1; c > 0; c--) {
        p = split_of(b, level, c);
        if (c < b->chunk - 1) {
            from = p->first[f];
            end = p->first[f + 1];
        }
        int at = below(r, from, end);
        write_node(b, r, level - 1, size / b->chunk, p->right[at], to + c * (size / b->chunk));
        f = p->left[at];
    }
    write_node(b, r, level - 1, size / b->chunk, f, to);
}

void th_train_balance_draw(ThTrainBalance *b, ThRng *r, int n, int *to)
{
    int level = 0, size = b->chunk;
    for (; size < n; level++)
        size *= b->chunk;
    write_node(b, r, level, size, -1, b->word);
    memcpy(to, b->word + size - n, (size_t)n * sizeof *to);
}
