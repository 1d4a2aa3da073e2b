/* How far two distributions are apart.  Where neither can read a word in two ways, or products of
 * probabilities are summed, pairs of states tell it: equations are solved for them, or, of very
 * many pairs, followed symbol by symbol until what is left is too little to count.  Where a word
 * has several ways, what tells it are the probabilities of all states behind a prefix, by either:
 * what prefixes these are the same of are taken together, as far as there are not too many. */
#include <math.h>

#include "base/symbols.h"
#include "language/distribution_impl.h"

/* ---- two ------------------------------------------------------------------------------------- */

void th_distribution_free_pair(ThDistributionPair *x)
{
    TH_FREE(x->move[0], x->move[1], x->first[0], x->first[1]);
}

bool th_distribution_pair(ThDistributionPair *x, int side, const ThDistribution *d,
                          const int *symbol, ThError *err)
{
    size_t n = 0;
    x->n[side] = d->n;
    x->move[side] = th_alloc(d->moves, sizeof *x->move[side], err);
    x->first[side] = th_alloc((size_t)x->n_symbols + 2, sizeof *x->first[side], err);
    if (!x->move[side] || !x->first[side])
        return false;
    for (int a = 0; a <= x->n_symbols; a++) {
        x->first[side][a] = n;
        for (size_t i = 0; i < d->moves; i++) {
            int s = d->move[i].symbol;
            if (a == (s < 0 ? x->n_symbols : symbol ? symbol[s] : s))
                x->move[side][n++] = d->move[i];
        }
    }
    x->first[side][x->n_symbols + 1] = n;
    return true;
}

/* The vectors of both, side by side, over a symbol: to (n[0] + n[1] + 1) <- from, and their sums;
 * of the end to[0] and to[n[0]] are the sums. */
static void advance(const ThDistributionPair *x, const double *from, int symbol, double *to,
                    double *sum)
{
    memset(to, 0, ((size_t)x->n[0] + (size_t)x->n[1] + 1) * sizeof *to);
    for (int side = 0; side < 2; side++) {
        int begin = side ? x->n[0] : 0;
        sum[side] = 0;
        for (size_t k = x->n[side] ? x->first[side][symbol] : 0;
             x->n[side] && k < x->first[side][symbol + 1]; k++) {
            const ThDistributionMove *m = &x->move[side][k];
            double p = from[begin + m->from] * m->p;
            to[begin + m->to] += p;
            sum[side] += p;
        }
    }
}

/* ---- word by word ---------------------------------------------------------------------------- */

int th_distribution_longest_tried(const ThDistributionPair *x, int hi, double most)
{
    double words = 1, each = x->n_symbols + 1, moves = 0;
    for (int side = 0; side < 2; side++)
        moves += x->n[side] ? (double)x->first[side][x->n_symbols + 1] : 0;
    double work = moves * each;
    int k = 0;
    for (; k <= hi && work <= most; k++) {
        words *= x->n_symbols;
        work += words * moves * each;
    }
    return k - 1;
}

bool th_distribution_each_word(const ThDistributionPair *x, int longest, ThDistributionSeen *seen,
                               void *context, ThStop *stop, ThError *err)
{
    size_t width = (size_t)x->n[0] + (size_t)x->n[1] + 1, rows = (size_t)longest + 2;
    double *v TH_OWNED(free) = th_alloc(rows * width, sizeof *v, err), p[2];
    int *next TH_OWNED(free) = v ? th_alloc(rows, sizeof *next, err) : NULL; /* to be tried */
    bool ok = next != NULL;
    for (int side = 0; ok && side < 2; side++)
        v[side ? x->n[0] : 0] = 1;
    for (int k = 0; ok && k >= 0;) {
        double *at = v + (size_t)k * width;
        if (next[k] == 0) {
            advance(x, at, x->n_symbols, at + width, p);
            seen(context, k, p);
            ok = !th_stopped(stop, err);
        }
        if (k == longest || next[k] == x->n_symbols) {
            next[k--] = 0;
            continue;
        }
        advance(x, at, next[k]++, at + width, p);
        k += p[0] > 0 || p[1] > 0;
    }
    return ok;
}

/* ---- pairs of states ------------------------------------------------------------------------- */

static size_t pair_of(const ThDistributionPair *x, int a, int b)
{
    return (size_t)a * (size_t)x->n[1] + (size_t)b;
}

/* v <- (I - T)^-1 v, for T the moves of pairs of states that read, with the product of their
 * numbers. */
static bool solve(const ThDistributionPair *x, double *v, ThError *err)
{
    size_t n = pair_of(x, x->n[0], 0);
    ThDistributionFactors f TH_OWNED(th_distribution_close_factors) = {NULL, NULL};
    bool ok = th_distribution_open_factors(&f, n);
    for (int s = 0; ok && s < x->n_symbols; s++)
        for (size_t i = x->first[0][s]; i < x->first[0][s + 1]; i++)
            for (size_t k = x->first[1][s]; k < x->first[1][s + 1]; k++) {
                const ThDistributionMove *a = &x->move[0][i], *b = &x->move[1][k];
                *gsl_matrix_ptr(f.a, pair_of(x, a->from, b->from), pair_of(x, a->to, b->to)) -=
                    a->p * b->p;
            }
    ok = ok && th_distribution_factor(&f) && th_distribution_apply_inverse(&f, v);
    return ok || th_fail(err, TH_ENOMEM, "out of memory (%zu pairs of states)", n);
}

/* What pairs weigh a symbol later: `to` <- f T, by way of `half`, in which the first has moved. */
static void move_pairs(const ThDistributionPair *x, const double *f, double *half, double *to)
{
    size_t n = pair_of(x, x->n[0], 0), width = (size_t)x->n[1];
    memset(to, 0, n * sizeof *to);
    for (int s = 0; s < x->n_symbols; s++) {
        memset(half, 0, n * sizeof *half);
        for (size_t i = x->first[0][s]; i < x->first[0][s + 1]; i++) {
            const ThDistributionMove *m = &x->move[0][i];
            const double *from = f + (size_t)m->from * width;
            double *row = half + (size_t)m->to * width;
            for (size_t q = 0; q < width; q++)
                row[q] += m->p * from[q];
        }
        for (size_t q = 0; q < n; q += width)
            for (size_t k = x->first[1][s]; k < x->first[1][s + 1]; k++)
                to[q + (size_t)x->move[1][k].to] +=
                    half[q + (size_t)x->move[1][k].from] * x->move[1][k].p;
    }
}

/* The first entry of (I - T)^-1 gain, all numbers being 0 or more; the rest is what pairs weigh
 * whose gains are missing. */
static bool follow(const ThDistributionPair *x, const double *gain, ThDistributionSum *to,
                   ThStop *stop, ThError *err)
{
    const double MOST = 2e10, LEAST = 1e-20; /* steps of work; what is nothing */
    size_t n = pair_of(x, x->n[0], 0);
    double *room TH_OWNED(free) = th_alloc(3 * n, sizeof *room, err), *f = room;
    double work = (double)x->first[0][x->n_symbols] * x->n[1] +
                  (double)x->first[1][x->n_symbols] * x->n[0] + 2.0 * x->n_symbols * (double)n;
    if (!room)
        return false;
    f[0] = 1;
    *to = (ThDistributionSum){0, 1};
    for (double done = 0; to->rest > LEAST && done < MOST; done += work) {
        if (th_stopped(stop, err))
            return false;
        double *next = f == room ? room + n : room;
        move_pairs(x, f, room + 2 * n, next);
        to->rest = 0;
        for (size_t i = 0; i < n; i++) {
            to->sum += f[i] > 0 ? f[i] * gain[i] : 0;
            to->rest += next[i];
        }
        f = next;
    }
    return true;
}

/* All of it by equations, or by following pairs. */
enum { MOST_SOLVED = 2000 };
static bool add_up(const ThDistributionPair *x, double *gain, ThDistributionSum *to, ThStop *stop,
                   ThError *err)
{
    if (pair_of(x, x->n[0], 0) > MOST_SOLVED)
        return follow(x, gain, to, stop, err);
    bool ok = solve(x, gain, err);
    *to = (ThDistributionSum){ok ? gain[0] : 0, 0};
    return ok;
}

/* The sum over all words of the product of their probabilities: behind any two states it is 1 at
 * most. */
static bool inner(const ThDistribution *p, const ThDistribution *q, int n_symbols,
                  const int *symbol, ThDistributionSum *to, ThStop *stop, ThError *err)
{
    ThDistributionPair x TH_OWNED(th_distribution_free_pair) = {.n_symbols = n_symbols};
    if (!th_distribution_pair(&x, 0, p, NULL, err) || !th_distribution_pair(&x, 1, q, symbol, err))
        return false;
    double *v TH_OWNED(free) = th_alloc(pair_of(&x, p->n, 0), sizeof *v, err);
    for (size_t i = x.first[0][n_symbols]; v && i < p->moves; i++)
        for (size_t k = x.first[1][n_symbols]; k < q->moves; k++)
            v[pair_of(&x, x.move[0][i].from, x.move[1][k].from)] += x.move[0][i].p * x.move[1][k].p;
    return v && add_up(&x, v, to, stop, err);
}

/* ---- the divergence, along one way of the second --------------------------------------------- */

/* best[state (n_symbols + 1) + symbol]: the most probable move of the second, the end being one
 * move; p 0: there is none.  They are the second side of `by`, their numbers being 1. */
static bool choose(const ThDistributionPair *x, ThDistributionMove *best, ThDistributionPair *by,
                   ThError *err)
{
    size_t all = (size_t)x->n_symbols + 1, n = 0;
    by->n[1] = x->n[1];
    by->move[1] = th_alloc((size_t)x->n[1] * all, sizeof *by->move[1], err);
    by->first[1] = th_alloc(all + 1, sizeof *by->first[1], err);
    for (size_t a = 0; by->move[1] && by->first[1] && a < all; a++) {
        for (size_t k = x->first[1][a]; k < x->first[1][a + 1]; k++) {
            ThDistributionMove m = x->move[1][k], *to = &best[(size_t)m.from * all + a];
            m.p += a + 1 == all ? to->p : 0;
            *to = m.p > to->p ? m : *to;
        }
        for (int q = 0; q < x->n[1]; q++)
            if (best[(size_t)q * all + a].p > 0) {
                by->move[1][n] = best[(size_t)q * all + a];
                by->move[1][n++].p = 1;
            }
        by->first[1][a + 1] = n;
    }
    return by->move[1] && by->first[1];
}

/* What a step from a pair of states adds where the second goes by those moves; HUGE_VAL where it
 * cannot go, now or later, with the first. */
static bool step_gains(const ThDistributionPair *x, const ThDistributionMove *best, double *gain,
                       ThError *err)
{
    size_t all = (size_t)x->n_symbols + 1;
    double *total TH_OWNED(free) = th_alloc((size_t)x->n[0] * all, sizeof *total, err);
    for (int a = 0; total && a <= x->n_symbols; a++)
        for (size_t i = x->first[0][a]; i < x->first[0][a + 1]; i++)
            total[(size_t)x->move[0][i].from * all + (size_t)a] += x->move[0][i].p;
    for (int i = 0; total && i < x->n[0]; i++)
        for (int j = 0; j < x->n[1]; j++)
            for (size_t a = 0; a < all; a++) {
                double p = total[(size_t)i * all + a], q = best[(size_t)j * all + a].p;
                gain[pair_of(x, i, j)] += p > 0 ? p * log2(p / q) : 0;
            }
    for (bool more = total != NULL; more;) {
        more = false;
        for (int a = 0; a < x->n_symbols; a++)
            for (size_t i = x->first[0][a]; i < x->first[0][a + 1]; i++)
                for (int j = 0; j < x->n[1]; j++) {
                    const ThDistributionMove *m = &x->move[0][i];
                    double *here = &gain[pair_of(x, m->from, j)];
                    const ThDistributionMove *to = &best[(size_t)j * all + (size_t)a];
                    if (!isinf(*here) && isinf(gain[pair_of(x, m->to, to->to)])) {
                        *here = HUGE_VAL;
                        more = true;
                    }
                }
    }
    return total != NULL;
}

/* The divergence along the second one's most probable moves: what it is where no word has two ways,
 * else more.  Fills gain with that of all pairs of states, if there are not too many; HUGE_VAL
 * where the second has not the words of the first. */
static bool along(const ThDistributionPair *x, const ThDistribution *p, double *gain,
                  ThDistributionSum *to, ThStop *stop, ThError *err)
{
    size_t pairs = pair_of(x, x->n[0], 0), all = (size_t)x->n_symbols + 1;
    ThDistributionMove *best TH_OWNED(free) = th_alloc((size_t)x->n[1] * all, sizeof *best, err);
    bool *never TH_OWNED(free) = best ? th_alloc(pairs, sizeof *never, err) : NULL;
    ThDistributionPair by TH_OWNED(th_distribution_free_pair) = {.n_symbols = x->n_symbols};
    bool ok = never && choose(x, best, &by, err) && th_distribution_pair(&by, 0, p, NULL, err) &&
              step_gains(x, best, gain, err);
    for (size_t i = 0; ok && i < pairs; i++) {
        never[i] = isinf(gain[i]);
        gain[i] = never[i] ? 0 : gain[i];
    }
    *to = (ThDistributionSum){HUGE_VAL, 0};
    ok = ok && (never[0] || add_up(&by, gain, to, stop, err));
    for (size_t i = 0; ok && i < pairs; i++)
        gain[i] = never[i] ? HUGE_VAL : gain[i];
    return ok;
}

/* ---- the divergence, of words with several ways ---------------------------------------------- */

/* Prefixes of a length: those are one behind which the states are as probable, in both. */
typedef struct {
    ThIntern key;
    double *v; /* (n, n[0] + n[1] + 1): the probabilities of states, of each side adding up to 1 */
    double *mass; /* (n): by the first */
    size_t v_cap, mass_cap;
} Level;

static void free_level(Level *l)
{
    th_intern_free(&l->key);
    TH_FREE(l->v, l->mass);
}
TH_RELEASES_VALUE(free_level, Level)

typedef struct {
    const ThDistributionPair *x;
    size_t width;
    const double *most; /* of pairs of states: no more comes behind them; NULL: not known */
    double *to;         /* (width): behind a symbol */
    int64_t *key;       /* (width) */
} Expansion;

/* Adds what a prefix weighs, behind which the vectors of e->to are; *fine = false: a number is
 * about to become 0. */
static bool add_prefix(Expansion *e, Level *l, double mass, const double *sum, bool *fine,
                       ThError *err)
{
    size_t index, known = l->key.n;
    for (size_t i = 0; i + 1 < e->width; i++) {
        double p = e->to[i] /= sum[i >= (size_t)e->x->n[0]];
        *fine = *fine && (p == 0 || p > 1e-290);
        e->key[i] = p > 0 ? llround(ldexp(log2(p), 44)) : INT64_MAX;
    }
    if (!th_intern(&l->key, e->key, e->width * sizeof *e->key, &index, err))
        return false;
    if (index == known && (!th_grow(&l->v, &l->v_cap, (known + 1) * e->width, sizeof *l->v, err) ||
                           !th_grow(&l->mass, &l->mass_cap, known + 1, sizeof *l->mass, err)))
        return false;
    if (index == known) {
        memcpy(l->v + index * e->width, e->to, e->width * sizeof *e->to);
        l->mass[index] = 0;
    }
    l->mass[index] += mass;
    return true;
}

/* From prefixes to those of one symbol more; *sum grows by what the symbol behind them tells. */
static bool expand(Expansion *e, const Level *from, Level *to, double *sum, bool *fine,
                   ThError *err)
{
    double p[2];
    bool ok = true;
    for (size_t i = 0; ok && i < from->key.n; i++)
        for (int a = 0; ok && a <= e->x->n_symbols; a++) {
            advance(e->x, from->v + i * e->width, a, e->to, p);
            if (p[0] == 0)
                continue;
            double mass = from->mass[i] * p[0];
            *sum += mass * log2(p[0] / p[1]);
            ok = a == e->x->n_symbols || p[1] == 0 || add_prefix(e, to, mass, p, fine, err);
        }
    return ok;
}

/* How much may come behind prefixes: the divergence is convex, and no more than of one state of the
 * second, and how improbable that is. */
static double still_to_come(const Expansion *e, const Level *l)
{
    double all = 0;
    for (size_t i = 0; i < l->key.n; i++) {
        const double *p = l->v + i * e->width, *q = p + e->x->n[0];
        double least = HUGE_VAL;
        for (int b = 0; e->most && b < e->x->n[1]; b++) {
            double sum = -log2(q[b]);
            for (int a = 0; q[b] > 0 && a < e->x->n[0]; a++)
                sum += p[a] > 0 ? p[a] * e->most[pair_of(e->x, a, b)] : 0;
            least = fmin(least, sum);
        }
        all += l->mass[i] * least;
    }
    return all;
}

/* By prefixes of more and more symbols, until what is left is little or the work is too much. */
static bool try_prefixes(Expansion *e, ThDistributionDistance *d, ThStop *stop, ThError *err)
{
    enum { MOST_NUMBERS = 2000000 }; /* of the states behind prefixes of a length */
    const double ONE[2] = {1, 1}, MOST_STEPS = 1e8, TOLERANCE = 1e-10;
    Level one TH_OWNED(free_level) = {.v = NULL}, two TH_OWNED(free_level) = {.v = NULL};
    Level *at = &one;
    double steps = 0, each = 0;
    bool fine = true, ok = true;
    memset(e->to, 0, e->width * sizeof *e->to);
    e->to[0] = e->to[e->x->n[0]] = 1;
    ok = add_prefix(e, at, 1, ONE, &fine, err);
    for (int side = 0; side < 2; side++)
        each += (double)e->x->first[side][e->x->n_symbols + 1] + e->x->n_symbols * e->x->n[side];
    d->divergence = 0;
    d->divergence_most = HUGE_VAL;
    for (d->prefixes = 0; ok; d->prefixes++) {
        Level *next = at == &one ? &two : &one;
        d->divergence_most = fmin(d->divergence_most, d->divergence + still_to_come(e, at));
        double left = d->divergence_most - d->divergence;
        if (!(left > TOLERANCE * d->divergence + 1e-15))
            d->divergence_most = d->divergence;
        steps += each * (double)at->key.n;
        if (d->divergence_most <= d->divergence || !fine ||
            at->key.n * e->width * (size_t)e->x->n_symbols > MOST_NUMBERS || steps > MOST_STEPS)
            break;
        th_intern_rewind(&next->key, 0);
        ok = !th_stopped(stop, err) && expand(e, at, next, &d->divergence, &fine, err);
        at = next;
    }
    d->divergence = fmax(d->divergence, 0);
    return ok;
}

static bool diverge(const ThDistribution *p, const ThDistribution *q, int n_symbols,
                    const int *symbol, ThDistributionDistance *d, ThStop *stop, ThError *err)
{
    ThDistributionPair x TH_OWNED(th_distribution_free_pair) = {.n_symbols = n_symbols};
    if (!th_distribution_pair(&x, 0, p, NULL, err) || !th_distribution_pair(&x, 1, q, symbol, err))
        return false;
    size_t pairs = pair_of(&x, p->n, 0), width = (size_t)p->n + (size_t)q->n + 1;
    ThDistributionSum one_way;
    double *gain TH_OWNED(free) = th_alloc(pairs, sizeof *gain, err);
    double *to TH_OWNED(free) = gain ? th_alloc(width, sizeof *to, err) : NULL;
    int64_t *key TH_OWNED(free) = to ? th_alloc(width, sizeof *key, err) : NULL;
    if (!key || !along(&x, p, gain, &one_way, stop, err))
        return false;
    if (th_distribution_one_way(p) && th_distribution_one_way(q)) {
        d->divergence = fmax(one_way.sum, 0);
        d->divergence_most = one_way.rest > 1e-19 ? HUGE_VAL : d->divergence;
        return true;
    }
    Expansion e = {&x, width, pairs <= MOST_SOLVED ? gain : NULL, to, key};
    return try_prefixes(&e, d, stop, err);
}

/* ---- what is asked --------------------------------------------------------------------------- */

/* symbol[b]: the number in p of the symbol b of q. */
static int *same_symbols(const ThLanguage *p, const ThLanguage *q, ThError *err)
{
    int *symbol = th_distribution_of(p, err) && th_distribution_of(q, err)
                      ? th_alloc((size_t)q->n_symbols + 1, sizeof *symbol, err)
                      : NULL;
    bool same = p->n_symbols == q->n_symbols;
    for (int i = 0; symbol && i < q->n_symbols; i++)
        same = (symbol[i] = th_symbols_find(p->symbol, p->n_symbols, q->symbol[i])) >= 0 && same;
    if (symbol && !same)
        th_fail(err, TH_EVALUE, "the two have different symbols");
    return TH_KEEP_IF(same, symbol, free);
}

bool th_distribution_distance(const ThLanguage *p, const ThLanguage *q, ThDistributionDistance *to,
                              ThStop *stop, ThError *err)
{
    enum { MOST_PAIRS = 4000000 };
    int *symbol TH_OWNED(free) = same_symbols(p, q, err);
    if (!symbol)
        return false;
    const ThDistribution *a = p->data, *b = q->data;
    double n = fmax(a->n, b->n); /* the pairs of each with itself are wanted, too */
    int most = a->weights || b->weights ? MOST_SOLVED : MOST_PAIRS;
    if (n * n > most)
        return th_fail(
            err, TH_ELIMIT,
            "there are more than %d pairs of states: one has %.0f states, and may have %d", most, n,
            (int)sqrt(most));
    ThDistributionSum aa, ab, bb;
    if (!inner(a, a, p->n_symbols, NULL, &aa, stop, err) ||
        !inner(a, b, p->n_symbols, symbol, &ab, stop, err) ||
        !inner(b, b, p->n_symbols, NULL, &bb, stop, err))
        return false;
    *to = (ThDistributionDistance){.squares = fmax(aa.sum - 2 * ab.sum + bb.sum, 0),
                                   .squares_error = aa.rest + 2 * ab.rest + bb.rest,
                                   .divergence = (double)NAN,
                                   .divergence_most = (double)NAN,
                                   .prefixes = -1};
    return a->weights || b->weights || diverge(a, b, p->n_symbols, symbol, to, stop, err);
}

static void add_variation(void *context, int length, const double *p)
{
    ((double *)context)[length] += fabs(p[0] - p[1]) / 2;
}

bool th_distribution_variation(const ThLanguage *p, const ThLanguage *q, int hi, double *variation,
                               ThStop *stop, ThError *err)
{
    const double MOST = 4e8; /* moves to be made */
    int *symbol TH_OWNED(free) = same_symbols(p, q, err);
    ThDistributionPair x TH_OWNED(th_distribution_free_pair) = {.n_symbols = p->n_symbols};
    if (!symbol || !th_distribution_pair(&x, 0, p->data, NULL, err) ||
        !th_distribution_pair(&x, 1, q->data, symbol, err))
        return false;
    bool weights =
        ((const ThDistribution *)p->data)->weights || ((const ThDistribution *)q->data)->weights;
    int longest = weights ? -1 : th_distribution_longest_tried(&x, hi, MOST);
    for (int k = 0; k <= hi; k++)
        variation[k] = k > longest ? (double)NAN : 0;
    return longest < 0 ||
           th_distribution_each_word(&x, longest, add_variation, variation, stop, err);
}
