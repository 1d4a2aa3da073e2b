#include "automata/words/words.h"

#include <gmp.h>
#include <math.h>

#include "automata/core/word_tree.h"

static int step(const ThDfa *d, int q, int a)
{
    return d->next[(size_t)q * (size_t)d->n_symbols + (size_t)a];
}

/* ---- the first word ---- */

int *th_dfa_shortest(const ThDfa *d, int label, int *length, ThError *err)
{
    ThWordTree t TH_OWNED(th_word_tree_free) = {0};
    bool ok = th_word_tree_states(&t, d, err);
    for (size_t i = 0; ok && i < t.n; i++) {
        int q;
        memcpy(&q, th_intern_at(&t.met, i, NULL), sizeof q);
        if (d->label[q] == label)
            return th_word_tree_word(&t, i, length, err);
    }
    *length = ok ? -1 : 0;
    return NULL;
}

/* ---- all words in order ---- */

struct ThWordsList {
    const ThDfa *d;
    int hi, length;
    bool inside;          /* a word of this length has been given */
    unsigned char *alive; /* (rows, n_states): does a word of exactly k symbols accept from q? */
    size_t rows, row_cap;
    int *word, *state; /* (length), (length + 1) */
    size_t word_cap, state_cap;
};

ThWordsList *th_word_list(const ThDfa *d, int lo, int hi, ThError *err)
{
    ThWordsList *l = th_alloc(1, sizeof *l, err);
    if (l)
        *l = (ThWordsList){.d = d, .hi = hi, .length = lo};
    return l;
}

void th_word_list_free(ThWordsList *l)
{
    if (!l)
        return;
    TH_FREE(l->alive, l->word, l->state, l);
}

static bool alive(const ThWordsList *l, int k, int q)
{
    return l->alive[(size_t)k * (size_t)l->d->n_states + (size_t)q];
}

/* Makes the rows up to k. */
static bool fill_rows(ThWordsList *l, int k, ThError *err)
{
    size_t n = (size_t)l->d->n_states;
    for (; l->rows <= (size_t)k; l->rows++) {
        if (n * (l->rows + 1) > (size_t)1 << 32)
            return th_fail(err, TH_ELIMIT, "the words are too long for so many states");
        if (!th_grow(&l->alive, &l->row_cap, n * (l->rows + 1), 1, err))
            return false;
        unsigned char *row = l->alive + l->rows * n;
        for (int q = 0; q < l->d->n_states; q++) {
            row[q] = l->rows == 0 && l->d->label[q] == 1;
            for (int a = 0; l->rows > 0 && !row[q] && a < l->d->n_symbols; a++)
                row[q] = (row - n)[step(l->d, q, a)];
        }
    }
    return true;
}

/* Completes the word from position i on with the first symbols that can be. */
static void complete(ThWordsList *l, int i)
{
    for (; i < l->length; i++) {
        int a = 0;
        while (!alive(l, l->length - i - 1, step(l->d, l->state[i], a)))
            a++;
        l->word[i] = a;
        l->state[i + 1] = step(l->d, l->state[i], a);
    }
}

/* The next word of the same length. */
static bool advance(ThWordsList *l)
{
    for (int i = l->length - 1; i >= 0; i--) {
        for (int a = l->word[i] + 1; a < l->d->n_symbols; a++) {
            int to = step(l->d, l->state[i], a);
            if (!alive(l, l->length - i - 1, to))
                continue;
            l->word[i] = a;
            l->state[i + 1] = to;
            complete(l, i + 1);
            return true;
        }
    }
    return false;
}

/* The first word of this length. */
static bool begin_length(ThWordsList *l, ThError *err)
{
    size_t size = (size_t)l->length + 1;
    if (!fill_rows(l, l->length, err) ||
        !th_grow(&l->word, &l->word_cap, size, sizeof *l->word, err) ||
        !th_grow(&l->state, &l->state_cap, size, sizeof *l->state, err))
        return false;
    l->inside = alive(l, l->length, l->d->start);
    l->state[0] = l->d->start;
    if (l->inside)
        complete(l, 0);
    return true;
}

bool th_word_list_next(ThWordsList *l, const int **word, int *length, ThStop *stop, ThError *err)
{
    if (th_stopped(stop, err))
        return false;
    if (l->inside && !advance(l)) {
        l->inside = false;
        l->length++;
    } else if (!l->inside && l->length <= l->hi && !begin_length(l, err)) {
        return false;
    }
    while (!l->inside && l->length <= l->hi) {
        if (!begin_length(l, err) || th_stopped(stop, err))
            return false;
        l->length += !l->inside;
    }
    *word = l->word;
    *length = l->length;
    return l->inside;
}

/* ---- counting ---- */

/* GMP ends the program where memory runs out; so it has to be there before. */
static bool have_room(size_t n, int length, int n_symbols, ThError *err)
{
    double bytes = (double)length * log2(n_symbols + 1.0) / 8 + 64;
    void *room =
        bytes * (double)n < (double)(SIZE_MAX / 4) ? malloc((size_t)(bytes * (double)n)) : NULL;
    bool good = room != NULL;
    free(room);
    return good || th_fail(err, TH_ENOMEM, "out of memory for the numbers of words");
}

static mpz_t *new_numbers(size_t n, ThError *err)
{
    mpz_t *number = th_alloc(n, sizeof *number, err);
    for (size_t i = 0; number && i < n; i++)
        mpz_init(number[i]);
    return number;
}

static void free_numbers(mpz_t *number, size_t n)
{
    for (size_t i = 0; number && i < n; i++)
        mpz_clear(number[i]);
    free(number);
}

/* Adds up how many words lead to each state, one symbol further. */
static void count_on(const ThDfa *d, mpz_t *from, mpz_t *to)
{
    for (int q = 0; q < d->n_states; q++)
        mpz_set_ui(to[q], 0);
    for (int q = 0; q < d->n_states; q++)
        for (int a = 0; mpz_sgn(from[q]) && a < d->n_symbols; a++)
            mpz_add(to[step(d, q, a)], to[step(d, q, a)], from[q]);
}

/* Tells one length; false to stop. */
static bool tell(const ThDfa *d, mpz_t *now, int length, mpz_t total, const ThWordCounting *how)
{
    mpz_t sum;
    mpz_init(sum);
    for (int q = 0; q < d->n_states; q++)
        if (d->label[q] == 1)
            mpz_add(sum, sum, now[q]);
    mpz_add(total, total, sum);
    char *digits TH_OWNED(free) = mpz_get_str(NULL, 10, sum);
    bool more = digits && (!how->seen || how->seen(how->context, length, digits));
    mpz_clear(sum);
    return more;
}

bool th_dfa_count(const ThDfa *d, const ThWordCounting *how, char **total, ThError *err)
{
    size_t n = (size_t)d->n_states;
    int hi = how->hi;
    mpz_t *from = new_numbers(n, err), *to = new_numbers(n, err), all;
    bool good = from && to && have_room(2 * n + 2, hi, d->n_symbols, err);
    mpz_init(all);
    if (good)
        mpz_set_ui(from[d->start], 1);
    for (int k = 0; good && k <= hi; k++) {
        if (k >= how->lo && !tell(d, from, k, all, how))
            break;
        if (k == hi)
            break;
        count_on(d, from, to);
        mpz_t *swap = from;
        from = to;
        to = swap;
        good = !th_stopped_at(how->stop, (size_t)k + 1, "lengths", err);
    }
    if (good && total) {
        *total = mpz_get_str(NULL, 10, all);
        good = *total || th_fail(err, TH_ENOMEM, "out of memory for a number");
    }
    mpz_clear(all);
    free_numbers(from, n);
    free_numbers(to, n);
    return good;
}

/* ---- sampling ---- */

struct ThWordSampler {
    const ThDfa *d;
    int length;
    mpz_t *count; /* (length + 1, n_states): words of k symbols that accept from q */
    size_t n_counts;
};

static mpz_t *row(const ThWordSampler *w, int k)
{
    return w->count + (size_t)k * (size_t)w->d->n_states;
}

static bool fill_counts(ThWordSampler *w, ThStop *stop, ThError *err)
{
    const ThDfa *d = w->d;
    size_t limbs = 0;
    for (int k = 0; k <= w->length; k++) {
        mpz_t *here = row(w, k);
        for (int q = 0; q < d->n_states; q++) {
            if (k == 0)
                mpz_set_ui(here[q], d->label[q] == 1);
            for (int a = 0; k > 0 && a < d->n_symbols; a++)
                mpz_add(here[q], here[q], row(w, k - 1)[step(d, q, a)]);
            limbs += mpz_size(here[q]) + 2;
        }
        if (limbs > (size_t)1 << 27)
            return th_fail(err, TH_ELIMIT, "counting the words of %d symbols takes over a GiB",
                           w->length);
        if (th_stopped_at(stop, (size_t)k, "lengths", err))
            return false;
    }
    return true;
}

ThWordSampler *th_word_sampler(const ThDfa *d, int length, ThStop *stop, ThError *err)
{
    size_t n = (size_t)d->n_states;
    if (n > ((size_t)1 << 26) / ((size_t)length + 1))
        return th_null(
            th_fail(err, TH_ELIMIT, "counting the words of %d symbols takes over a GiB", length));
    ThWordSampler *w = th_alloc(1, sizeof *w, err);
    if (!w)
        return NULL;
    *w = (ThWordSampler){.d = d, .length = length, .n_counts = n * ((size_t)length + 1)};
    w->count = new_numbers(w->n_counts, err);
    bool good = w->count && have_room(w->n_counts, length / 2, d->n_symbols, err) &&
                fill_counts(w, stop, err);
    if (good && mpz_sgn(row(w, length)[d->start]) == 0)
        good = th_fail(err, TH_EVALUE, "it has no word of length %d", length);
    return TH_KEEP_IF(good, w, th_word_sampler_free);
}

void th_word_sampler_free(ThWordSampler *w)
{
    if (w)
        free_numbers(w->count, w->n_counts);
    free(w);
}

/* A uniform number below `limit`: as many random bits as it has, until they are below it. */
static bool draw_below(mpz_t x, const mpz_t limit, ThRng *r, ThError *err)
{
    size_t bits = mpz_sizeinbase(limit, 2), words = (bits + 63) / 64;
    uint64_t *random TH_OWNED(free) = th_alloc(words, sizeof *random, err);
    if (!random)
        return false;
    do {
        for (size_t i = 0; i < words; i++)
            random[i] = th_rng_next(r);
        mpz_import(x, words, -1, sizeof *random, 0, 0, random);
        mpz_fdiv_r_2exp(x, x, bits);
    } while (mpz_cmp(x, limit) >= 0);
    return true;
}

bool th_word_sample(const ThWordSampler *w, ThRng *r, int *word, ThError *err)
{
    mpz_t x;
    mpz_init(x);
    int q = w->d->start;
    bool good = draw_below(x, row(w, w->length)[q], r, err);
    for (int i = 0; good && i < w->length; i++) {
        int a = 0;
        mpz_t *rest = row(w, w->length - i - 1);
        for (; mpz_cmp(x, rest[step(w->d, q, a)]) >= 0; a++)
            mpz_sub(x, x, rest[step(w->d, q, a)]);
        word[i] = a;
        q = step(w->d, q, a);
    }
    mpz_clear(x);
    return good;
}
