#include "language/probability.h"

#include <float.h>
#include <math.h>

#include <gsl/gsl_linalg.h>

#include "base/symbols.h"
#include "language/distribution_impl.h"

bool th_distribution_path(const ThLanguage *l, ThLanguageWord word, const char **state, double *to,
                          ThError *err)
{
    const ThDistribution *d = th_distribution_of(l, err);
    size_t n = d ? (size_t)d->n : 0, rows = (size_t)word.n + 2;
    double *best TH_OWNED(free) = d ? th_alloc(rows * n, sizeof *best, err) : NULL;
    int *from TH_OWNED(free) = best ? th_alloc(rows * n, sizeof *from, err) : NULL;
    if (from && d->weights)
        return th_fail(err, TH_EUSAGE, "of weights there is no most probable way");
    if (!from)
        return false;
    for (size_t i = 1; i < rows * n; i++)
        best[i] = -HUGE_VAL;
    for (size_t k = 1; k < rows; k++)
        for (size_t i = 0; i < d->moves; i++) {
            const ThDistributionMove *m = &d->move[i];
            size_t at = k * n + (size_t)m->to; /* of a stop: state 0 */
            double p = best[(k - 1) * n + (size_t)m->from] + log(m->p);
            bool reads = m->symbol == (k + 1 < rows ? word.symbol[k - 1] : -1);
            if (reads && p > -HUGE_VAL && (p > best[at] || (p == best[at] && m->from < from[at]))) {
                best[at] = p;
                from[at] = m->from;
            }
        }
    *to = best[(rows - 1) * n];
    int q = 0;
    for (size_t k = rows - 1; k-- > 0;) {
        q = from[(k + 1) * n + (size_t)q];
        state[k] = *to > -HUGE_VAL ? th_distribution_name(d, q) : NULL;
    }
    return true;
}

/* Does every word have one way?  Of weights, none is said to. */
static bool one_way(const ThDistribution *d)
{
    if (d->weights)
        return false;
    for (size_t i = 0; i < d->moves; i++)
        for (size_t k = 0; k < i; k++)
            if (d->move[i].from == d->move[k].from && d->move[i].symbol == d->move[k].symbol)
                return false;
    return true;
}

/* I - A of so many rows, from its entries to its factors. */
typedef struct {
    gsl_matrix *a;
    gsl_permutation *p;
} Factored;

static void close_factors(Factored *f)
{
    gsl_matrix_free(f->a);
    gsl_permutation_free(f->p);
}
TH_RELEASES_VALUE(close_factors, Factored)

/* The identity, of which A is to be taken away. */
static bool open_factors(Factored *f, size_t n)
{
    *f = (Factored){gsl_matrix_alloc(n, n), gsl_permutation_alloc(n)};
    if (!f->a || !f->p)
        return false;
    gsl_matrix_set_identity(f->a);
    return true;
}

static bool factor(const Factored *f)
{
    int sign;
    return gsl_linalg_LU_decomp(f->a, f->p, &sign) == 0;
}

/* v <- (I - A)^-1 v */
static bool apply_inverse(const Factored *f, double *v)
{
    gsl_vector_view of = gsl_vector_view_array(v, f->a->size1);
    return gsl_linalg_LU_svx(f->a, f->p, &of.vector) == 0;
}

/* Factors of the transposed matrix: rows are what moves lead to. */
static bool factor_moves(const ThDistribution *d, Factored *f)
{
    if (!open_factors(f, (size_t)d->n))
        return false;
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *m = &d->move[i];
        if (m->symbol >= 0)
            *gsl_matrix_ptr(f->a, (size_t)m->to, (size_t)m->from) -= m->p;
    }
    return factor(f);
}

bool th_distribution_moments(const ThLanguage *l, ThDistributionMoments *m, ThError *err)
{
    const ThDistribution *d = th_distribution_of(l, err);
    Factored f TH_OWNED(close_factors) = {NULL, NULL};
    double *v TH_OWNED(free) = d ? th_alloc((size_t)d->n * 2, sizeof *v, err) : NULL;
    if (!v)
        return false;
    double *x = v + d->n;
    v[0] = 1; /* becomes the number of visits of each state: the start's row of (I - A)^-1 */
    bool ok = factor_moves(d, &f) && apply_inverse(&f, v);
    double visits = 0, pairs = 0, entropy = 0;
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *k = &d->move[i];
        entropy -= k->p > 0 ? v[k->from] * k->p * log2(k->p) : 0;
        x[k->to] += k->symbol >= 0 ? v[k->from] * k->p : 0;
    }
    /* Each visit but the first, and the visits from there on: pairs of positions. */
    ok = ok && apply_inverse(&f, x);
    for (int q = 0; q < d->n; q++) {
        visits += v[q];
        pairs += x[q];
    }
    double mean = visits - 1;
    *m = (ThDistributionMoments){.states = d->n, .mean = mean, .entropy = entropy};
    m->variance = 2 * pairs - mean - mean * mean;
    m->entropy = one_way(d) ? entropy : (double)NAN;
    return ok || th_fail(err, TH_ENOMEM, "out of memory (%d states)", d->n);
}

/* ---- two ------------------------------------------------------------------------------------- */

/* Two distributions, whose moves are paired where their symbols are the same. */
typedef struct {
    const ThDistribution *of[2];
    const int *symbol; /* of the second: its number in the first */
} Pair;

static bool paired(const Pair *x, const ThDistributionMove *a, const ThDistributionMove *b)
{
    return a->symbol < 0 ? b->symbol < 0 : b->symbol >= 0 && a->symbol == x->symbol[b->symbol];
}

/* The number of a pair of states. */
static size_t pair_of(const Pair *x, int a, int b)
{
    return (size_t)a * (size_t)x->of[1]->n + (size_t)b;
}

/* v = (I - T)^-1 v, for T the moves of pairs of states that read, with the probabilities of the
 * first, or of both. */
static bool solve(const Pair *x, bool both, double *v, ThError *err)
{
    size_t n = pair_of(x, x->of[0]->n, 0);
    Factored f TH_OWNED(close_factors) = {NULL, NULL};
    bool ok = open_factors(&f, n);
    for (size_t i = 0; ok && i < x->of[0]->moves; i++)
        for (size_t k = 0; k < x->of[1]->moves; k++) {
            const ThDistributionMove *a = &x->of[0]->move[i], *b = &x->of[1]->move[k];
            if (a->symbol >= 0 && paired(x, a, b))
                *gsl_matrix_ptr(f.a, pair_of(x, a->from, b->from), pair_of(x, a->to, b->to)) -=
                    a->p * (both ? b->p : 1);
        }
    ok = ok && factor(&f) && apply_inverse(&f, v);
    return ok || th_fail(err, TH_ENOMEM, "out of memory (%zu pairs of states)", n);
}

/* The sum over all words of the product of their probabilities. */
static bool inner(const Pair *x, double *sum, ThError *err)
{
    double *v TH_OWNED(free) = th_alloc(pair_of(x, x->of[0]->n, 0), sizeof *v, err);
    for (size_t i = 0; v && i < x->of[0]->moves; i++)
        for (size_t k = 0; k < x->of[1]->moves; k++) {
            const ThDistributionMove *a = &x->of[0]->move[i], *b = &x->of[1]->move[k];
            if (a->symbol < 0 && b->symbol < 0)
                v[pair_of(x, a->from, b->from)] += a->p * b->p;
        }
    bool ok = v && solve(x, true, v, err);
    *sum = ok ? v[0] : 0;
    return ok;
}

/* The move of the second from a state that reads what one of the first does; NULL: none. */
static const ThDistributionMove *beside(const Pair *x, const ThDistributionMove *a, int state)
{
    const ThDistribution *q = x->of[1];
    for (size_t k = 0; k < q->moves; k++)
        if (q->move[k].from == state && paired(x, a, &q->move[k]))
            return &q->move[k];
    return NULL;
}

/* Of two that read every word in one way. */
static bool diverge(const Pair *x, double *sum, ThError *err)
{
    const ThDistribution *p = x->of[0], *q = x->of[1];
    size_t n = pair_of(x, p->n, 0);
    double *v TH_OWNED(free) = th_alloc(n, sizeof *v, err);
    bool *reached TH_OWNED(free) = v ? th_alloc(n, sizeof *reached, err) : NULL;
    if (!reached)
        return false;
    reached[0] = true;
    *sum = HUGE_VAL;
    for (bool more = true; more;) {
        more = false;
        memset(v, 0, n * sizeof *v);
        for (size_t i = 0; i < p->moves; i++)
            for (int state = 0; state < q->n; state++) {
                const ThDistributionMove *a = &p->move[i];
                size_t at = pair_of(x, a->from, state);
                if (!reached[at])
                    continue;
                const ThDistributionMove *b = beside(x, a, state);
                if (!b)
                    return true; /* words that end behind it are impossible in q */
                v[at] += a->p * log2(a->p / b->p);
                size_t to = pair_of(x, a->to, b->to);
                more = more || (a->symbol >= 0 && !reached[to]);
                reached[to] = reached[to] || a->symbol >= 0;
            }
    }
    bool ok = solve(x, false, v, err);
    *sum = fmax(v[0], 0);
    return ok;
}

bool th_distribution_distance(const ThLanguage *p, const ThLanguage *q, ThDistributionDistance *to,
                              ThError *err)
{
    enum { MOST_PAIRS = 2000 };
    const ThDistribution *a = th_distribution_of(p, err),
                         *b = a ? th_distribution_of(q, err) : NULL;
    int *symbol TH_OWNED(free) = b ? th_alloc((size_t)q->n_symbols + 1, sizeof *symbol, err) : NULL;
    if (!symbol)
        return false;
    for (int i = 0; i < q->n_symbols; i++)
        symbol[i] = th_symbols_find(p->symbol, p->n_symbols, q->symbol[i]);
    for (int i = 0; i < q->n_symbols; i++)
        if (p->n_symbols != q->n_symbols || symbol[i] < 0)
            return th_fail(err, TH_EVALUE, "the two have different symbols");
    double n = fmax(a->n, b->n); /* the pairs of each with itself are wanted, too */
    if (n * n > MOST_PAIRS)
        return th_fail(
            err, TH_ELIMIT,
            "there are more than %d pairs of states: one has %.0f states, and may have %d",
            MOST_PAIRS, n, (int)sqrt(MOST_PAIRS));
    int *same TH_OWNED(free) = th_alloc((size_t)q->n_symbols + 1, sizeof *same, err);
    for (int i = 0; same && i < q->n_symbols; i++)
        same[i] = i;
    double aa, ab, bb;
    bool ok = same && inner(&(Pair){{a, a}, same}, &aa, err) &&
              inner(&(Pair){{a, b}, symbol}, &ab, err) && inner(&(Pair){{b, b}, same}, &bb, err);
    *to = (ThDistributionDistance){ok ? fmax(aa - 2 * ab + bb, 0) : 0, (double)NAN};
    return ok &&
           (!one_way(a) || !one_way(b) || diverge(&(Pair){{a, b}, symbol}, &to->divergence, err));
}

/* One symbol more (or, with no `to`, the end) behind every state: to[q] is the probability of
 * having come to q, to[n + q] the sum of -p log2 p over the words that lead there. */
static void advance_all(const ThDistribution *d, const double *from, bool end, double *to)
{
    size_t n = (size_t)d->n;
    memset(to, 0, 2 * n * sizeof *to);
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *m = &d->move[i];
        double p = from[m->from] * m->p;
        if ((m->symbol < 0) != end)
            continue;
        to[m->to] += p;
        to[n + (size_t)m->to] += from[n + (size_t)m->from] * m->p - (m->p > 0 ? p * log2(m->p) : 0);
    }
}

/* -w log w summed over words, for their probability p altogether: the entropy given that it is one
 * of these, without what is rounding only. */
static double entropy_within(double sum, double p)
{
    double h = sum / p + log2(p);
    return h > 8 * DBL_EPSILON * fabs(log2(p)) ? h : 0;
}

/* Words of several ways, one by one: v (depth + 2, n) has the probabilities of having come to the
 * states by a prefix, and, of the end, that of the word. */
typedef struct {
    const ThDistribution *d;
    int n_symbols, depth;
    double *v;
    int *next; /* (depth + 1): the symbol that is to be tried behind a prefix */
} Every;

/* One symbol more, or the end; false: nothing leads there. */
static bool advance(const Every *e, int k, int symbol)
{
    size_t n = (size_t)e->d->n;
    const double *from = e->v + (size_t)k * n;
    double *to = e->v + (size_t)(k + 1) * n, all = 0;
    memset(to, 0, n * sizeof *to);
    for (size_t i = 0; i < e->d->moves; i++) {
        const ThDistributionMove *m = &e->d->move[i];
        double p = m->symbol == symbol ? from[m->from] * m->p : 0;
        to[m->to] += p;
        all += p;
    }
    return all > 0;
}

/* How long all words can be tried: of so many symbols there are no more than this work is for. */
static int longest_tried(const ThDistribution *d, int n_symbols, int hi)
{
    const double MOST = 4e6;
    double words = 1, work = (double)d->moves * (n_symbols + 1);
    int k = 0;
    for (; k <= hi && work <= MOST; k++) {
        words *= n_symbols;
        work += words * (double)d->moves * (n_symbols + 1);
    }
    return k - 1;
}

/* sum[0 … depth] -= p log2 p of all words of each length. */
static void add_entropies(Every *e, double *sum)
{
    e->v[0] = 1;
    for (int k = 0; k >= 0;) {
        if (e->next[k] == 0 && advance(e, k, -1)) {
            double p = e->v[(size_t)(k + 1) * (size_t)e->d->n];
            sum[k] -= p * log2(p);
        }
        if (k == e->depth || e->next[k] == e->n_symbols)
            e->next[k--] = 0;
        else if (advance(e, k, e->next[k]++))
            k++;
    }
}

static bool try_all(const ThLanguage *l, int hi, const double *p, double *entropy, ThError *err)
{
    const ThDistribution *d = l->data;
    Every e = {d, l->n_symbols, longest_tried(d, l->n_symbols, hi), NULL, NULL};
    size_t rows = (size_t)e.depth + 2;
    double *v TH_OWNED(free) = e.v = th_alloc(rows * (size_t)d->n, sizeof *v, err);
    int *next TH_OWNED(free) = e.next = th_alloc(rows, sizeof *next, err);
    if (!v || !next || e.depth < 0)
        return v && next;
    memset(entropy, 0, ((size_t)e.depth + 1) * sizeof *entropy);
    add_entropies(&e, entropy);
    for (int k = 0; k <= e.depth; k++)
        entropy[k] = p[k] > 0 ? entropy_within(entropy[k], p[k]) : (double)NAN;
    return true;
}

bool th_distribution_lengths(const ThLanguage *l, int hi, double *p, double *entropy, ThError *err)
{
    const ThDistribution *d = th_distribution_of(l, err);
    size_t n = d ? 2 * (size_t)d->n : 0;
    double *v TH_OWNED(free) = d ? th_alloc(n * 3, sizeof *v, err) : NULL;
    if (!v)
        return false;
    double *from = v, *to = v + n, *end = v + 2 * n;
    bool known = one_way(d);
    from[0] = 1;
    for (int k = 0; k <= hi; k++) {
        advance_all(d, from, true, end); /* all in state 0 */
        p[k] = end[0];
        if (entropy)
            entropy[k] = known && p[k] > 0 ? entropy_within(end[d->n], p[k]) : (double)NAN;
        advance_all(d, from, false, to);
        double *other = from;
        from = to;
        to = other;
    }
    return known || d->weights || !entropy || try_all(l, hi, p, entropy, err);
}
