#include "tensor/kernels/kernels_impl.h"

#include "tensor/kernels/kernels_one_hot.h"

TH_KERNEL(void, th_kernel_one_hot)(const float *m, int n, bool by_columns, int *map, float *best)
{
    for (int j = 0; j < n; j++) {
        best[j] = m[by_columns ? j : j * n];
        map[j] = 0;
    }
    for (int i = 1; by_columns && i < n; i++) {
        for (int j = 0; j < n; j++) {
            bool more = m[i * n + j] > best[j];
            best[j] = more ? m[i * n + j] : best[j];
            map[j] = more ? i : map[j];
        }
    }
    for (int i = 0; !by_columns && i < n; i++) {
        for (int j = 1; j < n; j++) {
            if (m[i * n + j] > best[i]) {
                best[i] = m[i * n + j];
                map[i] = j;
            }
        }
    }
}

static inline void rows_back(float *m, const float *dp, int n)
{
    float most = m[0], sum = 0, mean = 0;
    for (int j = 1; j < n; j++)
        most = fmaxf(most, m[j]);
    for (int j = 0; j < n; j++) {
        m[j] = expf(m[j] - most);
        sum += m[j];
    }
    for (int j = 0; j < n; j++)
        mean += m[j] * dp[j];
    mean /= sum;
    for (int j = 0; j < n; j++)
        m[j] *= (dp[j] - mean) / sum;
}

TH_KERNEL(void, th_kernel_one_hot_back)
(float *m, const float *dp, int n, bool by_columns, float *scratch)
{
    float *most = scratch, *sum = most + n, *mean = sum + n;
    for (int i = 0; !by_columns && i < n; i++)
        rows_back(m + i * n, dp + i * n, n);
    if (!by_columns)
        return;
    for (int j = 0; j < n; j++) {
        most[j] = m[j];
        sum[j] = mean[j] = 0;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            most[j] = fmaxf(most[j], m[i * n + j]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float e = expf(m[i * n + j] - most[j]);
            m[i * n + j] = e;
            sum[j] += e;
            mean[j] += e * dp[i * n + j];
        }
    }
    for (int j = 0; j < n; j++) {
        sum[j] = 1 / sum[j];
        mean[j] *= sum[j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            m[i * n + j] *= (dp[i * n + j] - mean[j]) * sum[j];
}

TH_KERNEL(void, th_kernel_two_outer)(float *p, const float *const x[4], int n)
{
    const float *a = x[0], *b = x[1], *c = x[2], *d = x[3];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            p[i * n + j] += a[i] * b[j] + c[i] * d[j];
}
