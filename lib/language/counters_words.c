/* Words of a machine with counters: dynamic programming over state, counters and symbols left.
 *
 * Vectors of counters have numbers: with s_i = c_1 + … + c_i, that of c is the sum of the binomials
 * (s_i + i - 1 choose i), so that those with sums up to S are the first (S + k choose k) of them.
 */
#include <math.h>

#include "language/counters.h"

#define MOST_CELLS 5e7 /* of a table: 400 MB */
#define MOST_SUMS  1e9 /* steps of an exact count */

/* ---- vectors of counters --------------------------------------------------------------------- */

/* rank[i * (most + 1) + s] = (s + i choose i + 1): what s_(i+1) = s adds to the number of a vector.
 */
typedef struct {
    int k, most; /* the greatest sum */
    double *rank;
} Numbering;

static bool number_vectors(Numbering *v, int k, int most, ThError *err)
{
    *v = (Numbering){k, most, NULL};
    v->rank = th_alloc((size_t)(k + 1) * ((size_t)most + 2), sizeof *v->rank, err);
    for (int i = 0; v->rank && i <= k; i++)
        for (int s = 0; s <= most + 1; s++) {
            double *x = &v->rank[(size_t)i * ((size_t)most + 2) + (size_t)s];
            *x = s == 0   ? 0
                 : i == 0 ? s
                          : x[-1] + v->rank[(size_t)(i - 1) * ((size_t)most + 2) + (size_t)s];
        }
    return v->rank != NULL;
}

static double rank_of(const Numbering *v, int i, int s)
{
    return v->rank[(size_t)i * ((size_t)v->most + 2) + (size_t)s];
}

/* How many vectors have a sum up to `sum`, which is below v->most. */
static double vectors(const Numbering *v, int sum)
{
    return v->k == 0 ? 1 : rank_of(v, v->k - 1, sum + 1);
}

/* The number of a vector; false where its sum is above `sum`. */
static bool number_of(const Numbering *v, const int *counter, int sum, size_t *number)
{
    double x = 0;
    int s = 0;
    for (int i = 0; i < v->k && s <= sum; i++) {
        s += counter[i];
        x += s <= sum ? rank_of(v, i, s) : 0;
    }
    *number = (size_t)x;
    return s <= sum;
}

/* The next vector in the order of the numbers. */
static void next_vector(int k, int *counter)
{
    int low = counter[0], i = 0;
    while (i + 1 < k && counter[i + 1] == 0)
        i++;
    counter[0] = 0;
    counter[i] = low + 1;
    if (i + 1 < k)
        counter[i + 1]--;
}

/* ---- words of a length ----------------------------------------------------------------------- */

/* of[first[m] + q * width[m] + number]: words of m symbols that lead from there to acceptance,
 * times 2^-exponent[m]. */
typedef struct {
    const ThCounters *c;
    int length, n_symbols;
    ThStop *stop;
    Numbering v;
    int *sum;      /* (length + 1): the greatest sum of counters with m symbols left */
    size_t *first; /* (length + 2) */
    double *of;
    double exponent; /* of the whole word */
} Words;

void th_counters_free_words(void *words)
{
    Words *w = words;
    TH_FREE(w->v.rank, w->sum, w->first, w->of, w);
}

/* What can be there after length - m symbols, and can be emptied by m more where it must be. */
static int greatest_sum(const Words *w, int m)
{
    double up = (double)w->c->up * (w->length - m), down = (double)w->c->down * m;
    double most = w->c->empties && down < up ? down : up;
    return most > 1e6 ? 1000000 : (int)most;
}

/* Numbers the vectors of all layers. */
static bool make_layers(Words *w, ThError *err)
{
    int most = 0;
    w->sum = th_alloc((size_t)w->length + 1, sizeof *w->sum, err);
    for (int m = 0; w->sum && m <= w->length; m++) {
        w->sum[m] = greatest_sum(w, m);
        most = w->sum[m] > most ? w->sum[m] : most;
    }
    return w->sum && number_vectors(&w->v, w->c->k, most + 1, err);
}

/* How many cells a layer has. */
static double cells_of(const Words *w, int m)
{
    return w->c->n_states * vectors(&w->v, w->sum[m]);
}

static bool make_room(Words *w, ThError *err)
{
    double cells = 0;
    w->first = th_alloc((size_t)w->length + 2, sizeof *w->first, err);
    if (!w->first || !make_layers(w, err))
        return false;
    for (int m = 0; m <= w->length; m++) {
        w->first[m] = (size_t)cells;
        cells += cells_of(w, m);
        if (cells > MOST_CELLS)
            return th_fail(err, TH_ELIMIT,
                           "words of length %d take too large a table: %d counters, %d states",
                           w->length, w->c->k, w->c->n_states);
    }
    w->first[w->length + 1] = (size_t)cells;
    w->of = th_alloc((size_t)cells, sizeof *w->of, err);
    return w->of != NULL;
}

/* The cell of a configuration in layer m; false outside of the table. */
static bool cell_of(const Words *w, const ThCountersAt *x, int m, size_t *cell)
{
    size_t number;
    if (x->state < 0 || !number_of(&w->v, x->counter, w->sum[m], &number))
        return false;
    *cell = (size_t)x->state * (size_t)vectors(&w->v, w->sum[m]) + number;
    return true;
}

/* Words of m symbols from a configuration, in units of layer m; 0 outside of the table. */
static double words_from(const Words *w, const ThCountersAt *x, int m)
{
    size_t cell;
    return cell_of(w, x, m, &cell) ? w->of[w->first[m] + cell] : 0;
}

/* Fills a layer from the one below; *greatest: the greatest cell. */
static void fill_layer(Words *w, int m, double *greatest)
{
    size_t width = (size_t)vectors(&w->v, w->sum[m]);
    ThCountersAt x = {0};
    *greatest = 0;
    for (size_t i = 0; i < width; i++) {
        for (x.state = 0; x.state < w->c->n_states; x.state++) {
            double n = m == 0 && th_counters_accept(w->c, &x);
            for (int a = 0; m > 0 && a < w->n_symbols; a++) {
                ThCountersAt y = th_counters_step(w->c, w->n_symbols, &x, a);
                n += words_from(w, &y, m - 1);
            }
            w->of[w->first[m] + (size_t)x.state * width + i] = n;
            *greatest = n > *greatest ? n : *greatest;
        }
        if (w->c->k > 0)
            next_vector(w->c->k, x.counter);
    }
}

/* Divides a layer by a power of two, so that numbers stay in range. */
static void scale_layer(Words *w, int m, double greatest)
{
    int e = 0;
    frexp(greatest, &e);
    if (e < 500)
        return;
    double by = ldexp(1, -e);
    for (size_t i = w->first[m]; i < w->first[m + 1]; i++)
        w->of[i] *= by;
    w->exponent += e;
}

void *th_counters_words(const ThLanguage *l, int length, ThStop *stop, ThError *err)
{
    Words *w = th_alloc(1, sizeof *w, err);
    if (!w)
        return NULL;
    *w = (Words){.c = l->data, .length = length, .n_symbols = l->n_symbols, .stop = stop};
    bool ok = make_room(w, err);
    for (int m = 0; ok && m <= length; m++) {
        double greatest;
        ok = !th_stopped(stop, err);
        if (!ok)
            break;
        fill_layer(w, m, &greatest);
        scale_layer(w, m, greatest);
    }
    if (ok)
        return w;
    th_counters_free_words(w);
    return NULL;
}

double th_counters_log_words(const void *words)
{
    const Words *w = words;
    double n = words_from(w, &(ThCountersAt){0}, w->length);
    return n > 0 ? log(n) + w->exponent * log(2.0) : -HUGE_VAL;
}

bool th_counters_draw(const void *words, ThRng *r, int *word, ThError *err TH_UNUSED)
{
    const Words *w = words;
    ThCountersAt x = {0};
    for (int m = w->length; m > 0; m--) {
        double all = 0, left;
        int last = 0;
        for (int a = 0; a < w->n_symbols; a++) {
            ThCountersAt y = th_counters_step(w->c, w->n_symbols, &x, a);
            all += words_from(w, &y, m - 1);
        }
        left = th_rng_uniform(r) * all;
        for (int a = 0; a < w->n_symbols && left >= 0; a++) {
            ThCountersAt y = th_counters_step(w->c, w->n_symbols, &x, a);
            double n = words_from(w, &y, m - 1);
            last = n > 0 ? a : last;
            left -= n;
        }
        word[w->length - m] = last;
        x = th_counters_step(w->c, w->n_symbols, &x, last);
    }
    return true;
}

/* ---- exact numbers --------------------------------------------------------------------------- */

/* The same layers, of which only two are there. */
static void count_layer(const Words *w, int m, mpz_t *below, mpz_t *layer)
{
    size_t width = (size_t)vectors(&w->v, w->sum[m]), cell;
    ThCountersAt x = {0};
    for (size_t i = 0; i < width; i++) {
        for (x.state = 0; x.state < w->c->n_states; x.state++) {
            mpz_t *n = &layer[(size_t)x.state * width + i];
            mpz_set_ui(*n, m == 0 && th_counters_accept(w->c, &x));
            for (int a = 0; m > 0 && a < w->n_symbols; a++) {
                ThCountersAt y = th_counters_step(w->c, w->n_symbols, &x, a);
                if (cell_of(w, &y, m - 1, &cell))
                    mpz_add(*n, *n, below[cell]);
            }
        }
        if (w->c->k > 0)
            next_vector(w->c->k, x.counter);
    }
}

bool th_counters_count(const ThLanguage *l, int hi, mpz_t *n, bool *known, ThStop *stop,
                       ThError *err)
{
    Words w = {.c = l->data, .length = hi, .n_symbols = l->n_symbols};
    double cells = 0, sums = 0;
    bool ok = make_layers(&w, err);
    for (int m = 0; ok && m <= hi; m++) {
        cells = fmax(cells, cells_of(&w, m));
        sums += cells_of(&w, m) * l->n_symbols;
        ok = (sums <= MOST_SUMS && cells <= MOST_CELLS) ||
             th_fail(err, TH_ELIMIT, "words of length %d have too many counts", hi);
    }
    size_t room = ok ? (size_t)cells : 0;
    mpz_t *layer TH_OWNED(free) = ok ? th_alloc(2 * room, sizeof *layer, err) : NULL;
    for (size_t i = 0; layer && i < 2 * room; i++)
        mpz_init(layer[i]);
    *known = layer != NULL;
    for (int m = 0; *known && m <= hi && (*known = !th_stopped(stop, err)); m++) {
        mpz_t *now = layer + (m % 2 ? room : 0);
        count_layer(&w, m, layer + (m % 2 ? 0 : room), now);
        mpz_set(n[m], now[0]);
    }
    for (size_t i = 0; layer && i < 2 * room; i++)
        mpz_clear(layer[i]);
    TH_FREE(w.v.rank, w.sum);
    return *known;
}
