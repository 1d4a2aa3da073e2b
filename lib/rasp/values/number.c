#include "rasp/values/number.h"

#include <math.h>

enum { EXACT_BITS = 53, LOWEST = -1074, LIMB_BITS = 32, CARRY_AFTER = 1 << 29, FRACTION_LIMBS = 3 };

static int bits_of(ThRaspUWide q)
{
    uint64_t high = (uint64_t)(q >> 64), low = (uint64_t)q;
    if (high)
        return 128 - __builtin_clzll(high);
    return low ? 64 - __builtin_clzll(low) : 0;
}

/* The float nearest to q · 2^e, ties to even, also where that is subnormal: the only rounding. */
static double nearest(ThRaspUWide q, int e)
{
    int bits = bits_of(q), keep = bits + e - LOWEST;
    keep = keep > EXACT_BITS ? EXACT_BITS : keep;
    int drop = bits - keep;
    if (drop <= 0)
        return ldexp((double)q, e);
    if (keep < 0)
        return 0;
    ThRaspUWide one = 1, half = one << (drop - 1), rest = q & (half | (half - 1));
    q = drop < 128 ? q >> drop : 0;
    if (rest > half || (rest == half && (q & 1)))
        q++;
    return ldexp((double)q, e + drop);
}

double th_rasp_wide_ratio(ThRaspWide a, int e, uint64_t b)
{
    bool negative = a < 0;
    ThRaspUWide u = negative ? -(ThRaspUWide)a : (ThRaspUWide)a;
    if (!u)
        return 0;
    double result;
    if (u >> EXACT_BITS == 0 && b >> EXACT_BITS == 0 && e > -900) {
        result = ldexp((double)(uint64_t)u / (double)b, e);
    } else {
        int shift = 127 - bits_of(u);
        u <<= shift;
        ThRaspUWide q = u / b;
        q |= q * b != u; /* more than 53 bits before it: enough to break ties */
        result = nearest(q, e - shift);
    }
    return negative ? -result : result;
}

double th_rasp_ratio(int64_t a, int64_t b)
{
    const int64_t exact = (int64_t)1 << EXACT_BITS;
    if (a >= -exact && a <= exact && b >= -exact && b <= exact)
        return (double)a / (double)b;
    double result = th_rasp_wide_ratio(a, 0, b < 0 ? -(uint64_t)b : (uint64_t)b);
    return b < 0 ? -result : result;
}

/* x = *mantissa · 2^exponent with the mantissa odd; x is not 0. */
static int take_apart(double x, int64_t *mantissa)
{
    int exponent;
    int64_t m = (int64_t)ldexp(frexp(x, &exponent), EXACT_BITS);
    int zeros = __builtin_ctzll((uint64_t)m);
    *mantissa = m / ((int64_t)1 << zeros);
    return exponent - EXACT_BITS + zeros;
}

/* Passes on what does not fit into 32 bits; then all limbs but the last are in 0 … 2^32 - 1. */
static void carry(ThRaspSum *s)
{
    int64_t over = 0;
    for (int k = 0; k < TH_RASP_SUM_LIMBS; k++) {
        int64_t all = s->limb[k] + over;
        s->limb[k] = all & UINT32_MAX;
        over = (all - s->limb[k]) / ((int64_t)1 << LIMB_BITS);
    }
    s->limb[TH_RASP_SUM_LIMBS] += over;
    s->added = 0;
}

static void add_scaled(ThRaspSum *s, int64_t mantissa, int exponent)
{
    int at = exponent - LOWEST, k = at / LIMB_BITS;
    int64_t sign = mantissa < 0 ? -1 : 1;
    ThRaspUWide m = (ThRaspUWide)(mantissa < 0 ? -(uint64_t)mantissa : (uint64_t)mantissa)
                    << (at % LIMB_BITS);
    for (; m; m >>= LIMB_BITS, k++)
        s->limb[k] += sign * (int64_t)(uint32_t)m;
    if (++s->added == CARRY_AFTER)
        carry(s);
}

void th_rasp_sum_add(ThRaspSum *s, double x)
{
    if (x == 0)
        return;
    int64_t mantissa;
    int exponent = take_apart(x, &mantissa);
    add_scaled(s, mantissa, exponent);
}

void th_rasp_sum_add_int(ThRaspSum *s, int64_t i)
{
    add_scaled(s, i, 0);
}

double th_rasp_sum_mean(ThRaspSum *s, uint64_t count)
{
    carry(s);
    bool negative = s->limb[TH_RASP_SUM_LIMBS] < 0;
    if (negative) {
        for (int k = 0; k <= TH_RASP_SUM_LIMBS; k++)
            s->limb[k] = -s->limb[k];
        carry(s);
    }
    /* Long division from the top; the first 96 bits or more of the quotient and whether anything
     * follows decide the float. */
    ThRaspUWide q = 0;
    uint64_t rest = 0;
    int low = 0;
    bool more = false;
    for (int k = TH_RASP_SUM_LIMBS; k >= -FRACTION_LIMBS; k--) {
        uint64_t limb = k < 0 ? 0 : (uint64_t)s->limb[k];
        uint64_t part = (rest << LIMB_BITS) | limb, digit = part / count;
        rest = part % count;
        if (q >> (128 - LIMB_BITS)) {
            more |= digit != 0;
            continue;
        }
        q = (q << LIMB_BITS) | digit;
        low = k;
    }
    q |= more || rest;
    double result = nearest(q, low * LIMB_BITS + LOWEST);
    return negative ? -result : result;
}
