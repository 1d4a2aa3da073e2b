#include <math.h>

#include <gsl/gsl_blas.h>

#include "base/symbols.h"
#include "language/distribution_impl.h"
#include "language/learn_distribution.h"

TH_RELEASES(gsl_matrix_free, gsl_matrix)
TH_RELEASES(gsl_vector_free, gsl_vector)
TH_RELEASES(gsl_permutation_free, gsl_permutation)

/* All words of up to `length` symbols, in order; the first one is empty. */
typedef struct {
    int n, length, k;
    int *word, *size; /* (n, length), (n) */
} Basis;

typedef struct {
    ThDistributionSpectral *s;
    Basis b;
    gsl_matrix *h, *y, *left, *ha, *hy; /* H; its right vectors; S^-1 X^T; H_a; H_a Y */
    gsl_matrix **a;                     /* (k): of the symbols, by states */
    gsl_vector *alpha, *beta, *tau;
    int r;
} Work;

static bool make_basis(Basis *b, int k, int length, ThError *err)
{
    enum { USUAL = 40, MOST = 500 };
    double n = 1, level = 1;
    b->k = k;
    while (length < 0 ? n + level * k <= USUAL : b->length < length) {
        n += level *= k;
        b->length++;
        if (n > MOST)
            return th_fail(err, TH_ELIMIT, "there are more than %d words of up to %d symbols", MOST,
                           length);
    }
    size_t width = (size_t)b->length + 1;
    b->size = th_alloc((size_t)n, sizeof *b->size, err);
    b->word = b->size ? th_alloc((size_t)n * width, sizeof *b->word, err) : NULL;
    int *word TH_OWNED(free) = b->word ? th_alloc(width, sizeof *word, err) : NULL;
    for (int m = 0; word && m <= b->length; m++) {
        memset(word, 0, width * sizeof *word);
        do {
            memcpy(b->word + (size_t)b->n * width, word, width * sizeof *word);
            b->size[b->n++] = m;
        } while (th_symbols_next(word, m, k));
    }
    return word != NULL;
}

/* h <- the probabilities of u a v, or, for a = -1, of u v. */
static bool fill(const Work *w, gsl_matrix *h, int a, ThError *err)
{
    const Basis *b = &w->b;
    size_t width = (size_t)b->length + 1;
    int *word TH_OWNED(free) = th_alloc(2 * width, sizeof *word, err);
    for (int u = 0; word && u < b->n; u++)
        for (int v = 0; v < b->n; v++) {
            int n = b->size[u] + (a >= 0);
            double p = 0;
            memcpy(word, b->word + (size_t)u * width, (size_t)b->size[u] * sizeof *word);
            word[b->size[u]] = a;
            memcpy(word + n, b->word + (size_t)v * width, (size_t)b->size[v] * sizeof *word);
            if (th_stopped(w->s->stop, err) ||
                !w->s->probability(w->s->context, (ThLanguageWord){word, n + b->size[v]}, &p, err))
                return false;
            gsl_matrix_set(h, (size_t)u, (size_t)v, p);
        }
    return word != NULL;
}

/* Decomposes H, and keeps as many singular values as count. */
static bool decompose(Work *w, ThError *err)
{
    ThDistributionSpectral *s = w->s;
    size_t n = (size_t)w->b.n;
    double sum = 0;
    for (size_t i = 0; i < n * n; i++)
        sum += w->h->data[i];
    gsl_matrix *x = gsl_matrix_alloc(n, n), *v = gsl_matrix_alloc(n, n);
    gsl_vector *value = gsl_vector_alloc(n), *room = gsl_vector_alloc(n);
    bool ok = x && v && value && room && gsl_matrix_memcpy(x, w->h) == 0 &&
              gsl_linalg_SV_decomp(x, v, value, room) == 0;
    double first = ok ? gsl_vector_get(value, 0) : 0;
    /* The entries are shares of words: their errors together are about as long as this. */
    double least = fmax(s->least * first, s->words > 0 ? sqrt(sum / s->words) : 0);
    while (ok && w->r < (int)n && (s->states ? w->r < s->states : 1) &&
           gsl_vector_get(value, (size_t)w->r) > (s->states ? 1e-15 * first : least))
        w->r++;
    for (size_t i = 0; ok && i < n && i < sizeof s->value / sizeof *s->value; i++)
        s->value[i] = gsl_vector_get(value, i);
    size_t r = (size_t)w->r;
    if (ok && r > 0) {
        w->y = gsl_matrix_alloc(n, r);
        w->left = gsl_matrix_alloc(r, n);
        for (size_t i = 0; w->y && w->left && i < n; i++)
            for (size_t j = 0; j < r; j++) {
                gsl_matrix_set(w->y, i, j, gsl_matrix_get(v, i, j));
                gsl_matrix_set(w->left, j, i, gsl_matrix_get(x, i, j) / gsl_vector_get(value, j));
            }
    }
    gsl_matrix_free(x);
    gsl_matrix_free(v);
    gsl_vector_free(value);
    gsl_vector_free(room);
    return (ok && r > 0) || th_fail(err, TH_EVALUE, "no singular value stands out of the noise");
}

/* A_a = S^-1 X^T H_a Y for every symbol, alpha and beta, and tau = (I - sum of A_a)^-1 beta, what
 * is still to come. */
static bool find_weights(Work *w, ThError *err)
{
    size_t n = (size_t)w->b.n, r = (size_t)w->r;
    gsl_vector_view row = gsl_matrix_row(w->h, 0), column = gsl_matrix_column(w->h, 0);
    ThDistributionFactors rest TH_OWNED(th_distribution_close_factors) = {NULL, NULL};
    w->hy = gsl_matrix_alloc(n, r);
    w->alpha = gsl_vector_alloc(r);
    w->beta = gsl_vector_alloc(r);
    w->tau = gsl_vector_alloc(r);
    if (!th_distribution_open_factors(&rest, r) || !w->hy || !w->alpha || !w->beta || !w->tau)
        return th_fail(err, TH_ENOMEM, "out of memory (%zu states)", r);
    gsl_blas_dgemv(CblasTrans, 1, w->y, &row.vector, 0, w->alpha);
    gsl_blas_dgemv(CblasNoTrans, 1, w->left, &column.vector, 0, w->beta);
    for (int a = 0; a < w->b.k; a++) {
        if (!(w->a[a] = gsl_matrix_alloc(r, r)) || !fill(w, w->ha, a, err))
            return false;
        gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, w->ha, w->y, 0, w->hy);
        gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, w->left, w->hy, 0, w->a[a]);
        gsl_matrix_sub(rest.a, w->a[a]);
    }
    gsl_vector_memcpy(w->tau, w->beta);
    if (th_distribution_factor(&rest) && th_distribution_apply_inverse(&rest, w->tau->data))
        gsl_blas_ddot(w->alpha, w->tau, &w->s->mass);
    return (isfinite(w->s->mass) && w->s->mass > 0) ||
           th_fail(err, TH_EVALUE, "the probabilities of all words add up to nothing") ||
           th_hint(err, "states= takes fewer singular values");
}

/* T with T 1 = tau and alpha T = (mass, 0, …): columns behind the first are a basis of what alpha
 * does not see, by a reflection that makes alpha its first axis. */
static bool make_base(const Work *w, gsl_matrix *t)
{
    size_t r = (size_t)w->r;
    gsl_vector *v TH_OWNED(gsl_vector_free) = gsl_vector_alloc(r);
    if (!v)
        return false;
    double scale = gsl_blas_dnrm2(w->tau) / sqrt((double)r), norm = gsl_blas_dnrm2(w->alpha);
    gsl_vector_memcpy(v, w->alpha);
    *gsl_vector_ptr(v, 0) += gsl_vector_get(v, 0) < 0 ? -norm : norm;
    double square = gsl_blas_dnrm2(v) * gsl_blas_dnrm2(v);
    for (size_t i = 0; i < r; i++) {
        double sum = 0;
        for (size_t j = 1; j < r; j++) {
            double x = (i == j) - 2 * gsl_vector_get(v, i) * gsl_vector_get(v, j) / square;
            gsl_matrix_set(t, i, j, scale * x);
            sum += scale * x;
        }
        gsl_matrix_set(t, i, 0, gsl_vector_get(w->tau, i) - sum);
    }
    return true;
}

/* The moves of a symbol's matrix in the new base, T^-1 A T, what is left of a row's 1 growing less
 * by them. */
static bool add_moves(const Work *w, const gsl_matrix *lu, const gsl_permutation *p,
                      const gsl_matrix *t, int a, double *left, ThDistribution *d, ThError *err)
{
    size_t r = (size_t)w->r;
    gsl_matrix *m TH_OWNED(gsl_matrix_free) = gsl_matrix_alloc(r, r);
    if (!m)
        return th_fail(err, TH_ENOMEM, "out of memory (%zu states)", r);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, w->a[a], t, 0, m);
    for (size_t j = 0; j < r; j++) {
        gsl_vector_view column = gsl_matrix_column(m, j);
        gsl_linalg_LU_svx(lu, p, &column.vector);
        for (size_t i = 0; i < r; i++) {
            double x = gsl_matrix_get(m, i, j);
            left[i] -= x;
            if (x != 0)
                d->move[d->moves++] = (ThDistributionMove){(int)i, a, (int)j, x, 0, 0};
        }
    }
    return true;
}

static ThLanguage *rebase(const Work *w, char *const *symbol, ThError *err)
{
    size_t r = (size_t)w->r;
    ThDistribution d = {.n = w->r, .weights = true};
    gsl_matrix *t TH_OWNED(gsl_matrix_free) = gsl_matrix_alloc(r, r),
                  *lu TH_OWNED(gsl_matrix_free) = gsl_matrix_alloc(r, r);
    gsl_permutation *p TH_OWNED(gsl_permutation_free) = gsl_permutation_alloc(r);
    double *left TH_OWNED(free) = th_alloc(r, sizeof *left, err);
    int sign;
    d.move = left ? th_alloc(r * (r * (size_t)w->b.k + 1), sizeof *d.move, err) : NULL;
    if (!d.move)
        return NULL;
    bool ok = t && lu && p && make_base(w, t) && gsl_matrix_memcpy(lu, t) == 0 &&
              gsl_linalg_LU_decomp(lu, p, &sign) == 0;
    for (size_t i = 0; ok && i < r; i++)
        left[i] = 1;
    for (int a = 0; ok && a < w->b.k; a++)
        ok = add_moves(w, lu, p, t, a, left, &d, err);
    for (size_t i = 0; ok && i < r; i++)
        if (left[i] != 0)
            d.move[d.moves++] = (ThDistributionMove){(int)i, -1, 0, left[i], 0, 0};
    ThLanguage *l = ok ? th_distribution_build(symbol, w->b.k, &d, err) : NULL;
    free(d.move);
    return l;
}

static void close_work(Work *w)
{
    for (int a = 0; w->a && a < w->b.k; a++)
        gsl_matrix_free(w->a[a]);
    gsl_matrix *const matrix[] = {w->h, w->y, w->left, w->ha, w->hy};
    for (size_t i = 0; i < sizeof matrix / sizeof *matrix; i++)
        gsl_matrix_free(matrix[i]);
    gsl_vector_free(w->alpha);
    gsl_vector_free(w->beta);
    gsl_vector_free(w->tau);
    TH_FREE(w->a, w->b.word, w->b.size);
}

ThLanguage *th_distribution_spectral(ThDistributionSpectral *s, char *const *symbol, int n_symbols,
                                     ThError *err)
{
    Work w = {.s = s};
    s->mass = 0;
    memset(s->value, 0, sizeof s->value);
    bool ok = make_basis(&w.b, n_symbols, s->length, err) &&
              (w.a = th_alloc((size_t)n_symbols + 1, sizeof *w.a, err));
    size_t n = (size_t)w.b.n;
    s->basis = w.b.n;
    ok = ok &&
         (((w.h = gsl_matrix_alloc(n, n)) && (w.ha = gsl_matrix_alloc(n, n))) ||
          th_fail(err, TH_ENOMEM, "out of memory (a basis of %zu words)", n)) &&
         fill(&w, w.h, -1, err) && decompose(&w, err) && find_weights(&w, err);
    ThLanguage *l = ok ? rebase(&w, symbol, err) : NULL;
    close_work(&w);
    return l;
}
