/* Recency: Hard-ALiBi's windows (Jelassi et al. 2024, section 3), and in the heads that see
 * everything -r ln(1 + distance): of two equal keys, one twice as far away, the nearer has 2^r
 * times the weight at any distance, where ALiBi's odds change with the length.  r halves from head
 * to head, from the last one down, and is 0 in the first: 0, 2, 4, 8. */
#include <math.h>

#include "models/position/position.h"

extern const ThPositionKind th_position_hard_alibi;

enum { USUAL = 8 };

static bool check(const ThPosition *p, ThError *err)
{
    return th_position_hard_alibi.check(p, err);
}

static void windows(const ThPosition *p, int *window)
{
    th_position_hard_alibi.windows(p, window);
}

/* Of a head, from 0, where `first` is the first without a window. */
static double rate(const ThPosition *p, int h, int first)
{
    double most = th_option_real_or(p->options, "recency", USUAL);
    if (h < first || (h == first && h < p->heads - 1))
        return 0;
    return ldexp(most, h + 1 - p->heads);
}

static ThVar bias(const ThPosition *p, ThTape *t, const int *param TH_UNUSED,
                  const ThPositionSpan *span)
{
    int columns = th_position_columns(p, span), first = 0;
    float *value = th_tape_take(t, (size_t)p->heads * (size_t)columns, sizeof *value);
    int *window = th_tape_take(t, (size_t)p->heads, sizeof *window);
    if (!value || !window)
        return -1;
    windows(p, window);
    while (first < p->heads && window[first])
        first++;
    for (int h = 0; h < p->heads; h++)
        for (int c = 0; c < columns; c++)
            value[(size_t)h * (size_t)columns + (size_t)c] =
                (float)(-rate(p, h, first) * log1p(abs(th_position_distance(span, c))));
    return th_tape_constant(t, p->heads, columns, value);
}

const ThPositionKind th_position_recency = {
    .name = "recency",
    .summary =
        "hard_alibi's windows; the other heads subtract r ln(1 + distance), r up to recency=",
    .source = "Jelassi et al. 2024, section 3; Chi et al. 2022 for the logarithm, learned there",
    .options = "window_heads|window_layers|recency|log_length",
    .causal = true,
    .check = check,
    .windows = windows,
    .biased = TH_TAPE_BIAS_DISTANCE,
    .bias = bias,
};
