#include "language/probability.h"

#include <float.h>
#include <math.h>

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

bool th_distribution_one_way(const ThDistribution *d)
{
    if (d->weights)
        return false;
    for (size_t i = 0; i < d->moves; i++)
        for (size_t k = 0; k < i; k++)
            if (d->move[i].from == d->move[k].from && d->move[i].symbol == d->move[k].symbol)
                return false;
    return true;
}

void th_distribution_close_factors(ThDistributionFactors *f)
{
    gsl_matrix_free(f->a);
    gsl_permutation_free(f->p);
}

bool th_distribution_open_factors(ThDistributionFactors *f, size_t n)
{
    *f = (ThDistributionFactors){gsl_matrix_alloc(n, n), gsl_permutation_alloc(n)};
    if (!f->a || !f->p)
        return false;
    gsl_matrix_set_identity(f->a);
    return true;
}

bool th_distribution_factor(const ThDistributionFactors *f)
{
    int sign;
    return gsl_linalg_LU_decomp(f->a, f->p, &sign) == 0;
}

bool th_distribution_apply_inverse(const ThDistributionFactors *f, double *v)
{
    gsl_vector_view of = gsl_vector_view_array(v, f->a->size1);
    return gsl_linalg_LU_svx(f->a, f->p, &of.vector) == 0;
}

/* Factors of the transposed matrix: rows are what moves lead to. */
static bool factor_moves(const ThDistribution *d, ThDistributionFactors *f)
{
    if (!th_distribution_open_factors(f, (size_t)d->n))
        return false;
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *m = &d->move[i];
        if (m->symbol >= 0)
            *gsl_matrix_ptr(f->a, (size_t)m->to, (size_t)m->from) -= m->p;
    }
    return th_distribution_factor(f);
}

bool th_distribution_moments(const ThLanguage *l, ThDistributionMoments *m, ThError *err)
{
    const ThDistribution *d = th_distribution_of(l, err);
    ThDistributionFactors f TH_OWNED(th_distribution_close_factors) = {NULL, NULL};
    double *v TH_OWNED(free) = d ? th_alloc((size_t)d->n * 2, sizeof *v, err) : NULL;
    if (!v)
        return false;
    double *x = v + d->n;
    v[0] = 1; /* becomes the number of visits of each state: the start's row of (I - A)^-1 */
    bool ok = factor_moves(d, &f) && th_distribution_apply_inverse(&f, v);
    double visits = 0, pairs = 0, entropy = 0;
    for (size_t i = 0; i < d->moves; i++) {
        const ThDistributionMove *k = &d->move[i];
        entropy -= k->p > 0 ? v[k->from] * k->p * log2(k->p) : 0;
        x[k->to] += k->symbol >= 0 ? v[k->from] * k->p : 0;
    }
    /* Each visit but the first, and the visits from there on: pairs of positions. */
    ok = ok && th_distribution_apply_inverse(&f, x);
    for (int q = 0; q < d->n; q++) {
        visits += v[q];
        pairs += x[q];
    }
    double mean = visits - 1;
    *m = (ThDistributionMoments){.states = d->n, .mean = mean, .entropy = entropy};
    m->variance = 2 * pairs - mean - mean * mean;
    m->entropy = th_distribution_one_way(d) ? entropy : (double)NAN;
    return ok || th_fail(err, TH_ENOMEM, "out of memory (%d states)", d->n);
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

/* -p log2 p of all words of each length. */
static void add_entropy(void *context, int length, const double *p)
{
    ((double *)context)[length] -= p[0] > 0 ? p[0] * log2(p[0]) : 0;
}

/* Words of several ways, one by one. */
static bool try_all(const ThLanguage *l, int hi, const double *p, double *entropy, ThStop *stop,
                    ThError *err)
{
    const double MOST = 4e6; /* moves to be made */
    ThDistributionPair x TH_OWNED(th_distribution_free_pair) = {.n_symbols = l->n_symbols};
    if (!th_distribution_pair(&x, 0, l->data, NULL, err))
        return false;
    int longest = th_distribution_longest_tried(&x, hi, MOST);
    memset(entropy, 0, ((size_t)longest + 1) * sizeof *entropy);
    if (longest >= 0 && !th_distribution_each_word(&x, longest, add_entropy, entropy, stop, err))
        return false;
    for (int k = 0; k <= longest; k++)
        entropy[k] = p[k] > 0 ? entropy_within(entropy[k], p[k]) : (double)NAN;
    return true;
}

bool th_distribution_lengths(const ThLanguage *l, int hi, double *p, double *entropy, ThStop *stop,
                             ThError *err)
{
    const ThDistribution *d = th_distribution_of(l, err);
    size_t n = d ? 2 * (size_t)d->n : 0;
    double *v TH_OWNED(free) = d ? th_alloc(n * 3, sizeof *v, err) : NULL;
    if (!v)
        return false;
    double *from = v, *to = v + n, *end = v + 2 * n;
    bool known = th_distribution_one_way(d);
    from[0] = 1;
    for (int k = 0; k <= hi; k++) {
        if (th_stopped_at(stop, (size_t)k, "lengths", err))
            return false;
        advance_all(d, from, true, end); /* all in state 0 */
        p[k] = end[0];
        if (entropy)
            entropy[k] = known && p[k] > 0 ? entropy_within(end[d->n], p[k]) : (double)NAN;
        advance_all(d, from, false, to);
        double *other = from;
        from = to;
        to = other;
    }
    return known || d->weights || !entropy || try_all(l, hi, p, entropy, stop, err);
}
