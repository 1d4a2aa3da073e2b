/* plain.h - pieces of models as plain loops over numbers, to check answers against.  After bound.h.
 */
#ifndef TEST_UNIT_PLAIN_H
#define TEST_UNIT_PLAIN_H

#include <math.h>
#include <stdio.h>

/* A parameter by name, in a layer ("layer0.") or in none (""). */
static const float *find(const ThModel *m, const char *layer, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "%s%s", layer, name);
    int index = th_params_find(&m->params, full);
    if (index < 0)
        fail_msg("no parameter %s", full);
    return th_params_at(&m->params, index);
}

/* y = x w + b, w having this name and b the same with _bias. */
static void affine(const ThModel *m, const char *layer, const char *name, const double *x, int in,
                   int out, double *y)
{
    char bias[64];
    snprintf(bias, sizeof bias, "%s_bias", name);
    const float *w = find(m, layer, name), *b = find(m, layer, bias);
    for (int j = 0; j < out; j++) {
        y[j] = (double)b[j];
        for (int k = 0; k < in; k++)
            y[j] += x[k] * (double)w[k * out + j];
    }
}

/* Layer norm of n numbers, with gain and offset of this name. */
static void normalise(const ThModel *m, const char *layer, const char *name, const double *x, int n,
                      double *y)
{
    char gain[64], offset[64];
    double mean = 0, variance = 0;
    snprintf(gain, sizeof gain, "%s.gain", name);
    snprintf(offset, sizeof offset, "%s.offset", name);
    for (int k = 0; k < n; k++)
        mean += x[k] / n;
    for (int k = 0; k < n; k++)
        variance += (x[k] - mean) * (x[k] - mean) / n;
    for (int k = 0; k < n; k++)
        y[k] = (x[k] - mean) / sqrt(variance + 1e-5) * (double)find(m, layer, gain)[k] +
               (double)find(m, layer, offset)[k];
}

#endif
