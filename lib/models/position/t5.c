/* A learned number for each head and bucket of distances, added to the logit (Raffel et al. 2020,
 * section 2.1; T5).  Near distances have a bucket of their own, farther ones share buckets that
 * grow geometrically.  Unlike T5, logits are divided by the root of the head's width as in all
 * other encodings. */
#include <math.h>

#include "models/position/position.h"

enum { TABLE };
enum { BUCKETS = 32, FARTHEST = 128 };

static int buckets_of(const ThPosition *p)
{
    return (int)th_option_int_or(p->options, "buckets", BUCKETS);
}

static int farthest_of(const ThPosition *p)
{
    return (int)th_option_int_or(p->options, "farthest", FARTHEST);
}

static bool check(const ThPosition *p, ThError *err)
{
    int buckets = buckets_of(p), farthest = farthest_of(p);
    int near = (p->causal ? buckets : buckets / 2) / 2;
    if (!p->causal && buckets % 2)
        return th_fail(err, TH_EUSAGE,
                       "buckets=%d: without a causal mask half of them are for the "
                       "keys behind, so it must be even",
                       buckets);
    return (near >= 1 && farthest > near) ||
           th_fail(err, TH_EUSAGE,
                   "buckets=%d farthest=%d: %d distances have a bucket of their own, and farthest "
                   "must be greater",
                   buckets, farthest, near);
}

/* The first half of n buckets is for the distances 0, 1, …; the others reach to `farthest`. */
static int bucket_of(int distance, int n, int farthest)
{
    int near = n / 2;
    if (distance < near)
        return distance;
    double share = log((double)distance / near) / log((double)farthest / near);
    double far = floor(near + share * (n - near) + 1e-9);
    return far < n - 1 ? (int)far : n - 1;
}

/* Without a causal mask one half of the buckets is for each direction. */
static int bucket(const ThPosition *p, int distance)
{
    int n = buckets_of(p), farthest = farthest_of(p);
    if (p->causal)
        return bucket_of(distance, n, farthest);
    return distance < 0 ? n / 2 + bucket_of(-distance, n / 2, farthest)
                        : bucket_of(distance, n / 2, farthest);
}

static void bind(const ThPosition *p, int *param, ThModelBuilder *b)
{
    param[TABLE] =
        th_model_build(b, "position.bucket", p->heads, buckets_of(p), TH_INIT_NORMAL, 0.02);
}

static ThVar bias(const ThPosition *p, ThTape *t, const int *param, const ThPositionSpan *span)
{
    int columns = th_position_columns(p, span), buckets = buckets_of(p);
    int *index = th_tape_take(t, (size_t)p->heads * (size_t)columns, sizeof *index);
    for (int c = 0; index && c < columns; c++) {
        int at = bucket(p, th_position_distance(span, c));
        for (int h = 0; h < p->heads; h++)
            index[(size_t)h * (size_t)columns + (size_t)c] = h * buckets + at;
    }
    if (!index)
        return -1;
    ThVar table = th_op_reshape(t, th_param(t, param[TABLE]), p->heads * buckets, 1);
    return th_op_reshape(t, th_op_rows(t, table, index, p->heads * columns, 1), p->heads, columns);
}

const ThPositionKind th_position_t5 = {
    .name = "t5",
    .summary = "T5's bias: a learned number for each head and bucket of distances",
    .source = "Raffel et al. 2020, section 2.1",
    .options = "buckets|farthest|tied",
    .causal = true,
    .full = true,
    .check = check,
    .biased = TH_TAPE_BIAS_DISTANCE,
    .bias = bias,
    .bind_bias = bind,
};
