#include <math.h>
#include <string.h>

#include "proof/check_impl.h"

void th_proof_check_times(const double *a, const double *b, double *out, int n, int k, int m)
{
    memset(out, 0, (size_t)n * (size_t)m * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            const double by = a[(size_t)i * (size_t)k + (size_t)j];
            const double *restrict row = b + (size_t)j * (size_t)m;
            double *restrict to = out + (size_t)i * (size_t)m;
            if (by == 0)
                continue;
            for (int l = 0; l < m; l++)
                to[l] += by * row[l];
        }
}

double th_proof_check_inner(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

double th_proof_check_size(const double *a, int n)
{
    return sqrt(th_proof_check_inner(a, a, n));
}

double th_proof_check_diagonal(const double *k, int d)
{
    double sum = 0;
    for (int i = 0; i < d; i++)
        sum += k[i * d + i];
    return sum;
}

void th_proof_check_outer(const double *rows, int n, int d, double by, double *out)
{
    for (int r = 0; r < n; r++)
        for (int i = 0; i < d; i++) {
            const double *restrict row = rows + (size_t)r * (size_t)d;
            double *restrict to = out + (size_t)i * (size_t)d;
            double scale = by * row[i];
            for (int j = 0; j < d; j++)
                to[j] += scale * row[j];
        }
}

void th_proof_check_centre(double *rows, int n, int d)
{
    for (int r = 0; r < n; r++, rows += d) {
        double mean = 0;
        for (int i = 0; i < d; i++)
            mean += rows[i] / d;
        for (int i = 0; i < d; i++)
            rows[i] -= mean;
    }
}

/* Has t·1 - k a Cholesky factor? */
static bool below(ThProofBounds *b, const double *k, double t)
{
    int d = b->d;
    double *l = b->factor;
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++) {
            double rest =
                (i == j ? t : 0) - k[i * d + j] - th_proof_check_inner(l + i * d, l + j * d, j);
            if (i == j && !(rest > 0))
                return false;
            l[i * d + j] = i == j ? sqrt(rest) : rest / l[j * d + j];
        }
    return true;
}

double th_proof_check_top(ThProofBounds *b, const double *k, double shift)
{
    enum { POWERS = 40, TRIES = 60 };
    int d = b->d;
    double guess = 0, sum = 0, step = 1e-4;
    for (int i = 0; i < d * d; i++)
        sum += fabs(k[i]);
    if (!isfinite(sum))
        return HUGE_VAL;
    for (int i = 0; i < d; i++)
        b->v[i] = 1 + 0.3 * sin(i + 1.0);
    for (int p = 0; p < POWERS; p++) {
        double length = th_proof_check_size(b->v, d);
        for (int i = 0; i < d; i++)
            b->v[i] /= length > 0 ? length : 1;
        for (int i = 0; i < d; i++)
            b->w[i] = th_proof_check_inner(k + i * d, b->v, d) + shift * b->v[i];
        guess = fmax(guess, th_proof_check_inner(b->w, b->v, d));
        memcpy(b->v, b->w, (size_t)d * sizeof *b->v);
    }
    double scale = guess + 1e-30;
    for (int i = 0; i < TRIES; i++, step *= 1.3) {
        double t = guess - shift + scale * step;
        if (below(b, k, t))
            return t + 1e-12 * (sum + shift);
    }
    return sum; /* no eigenvalue is above the sum of all elements */
}

double th_proof_check_norm(ThProofBounds *b, const double *k)
{
    return sqrt(fmax(0, th_proof_check_top(b, k, 0)));
}

void th_proof_check_flip(double *k, int d)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j < i; j++) {
            double held = k[i * d + j];
            k[i * d + j] = k[j * d + i];
            k[j * d + i] = held;
        }
}
