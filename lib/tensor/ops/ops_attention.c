/* Attention of the positions of a string to each other: the operation; its fast version is in
 * ops_attention_fast.c, the plain one in ops_attention_reference.c. */
#include <math.h>

#include "tensor/ops/attention_impl.h"

/* ---- what both versions share ---- */

int th_tape_attend_length(const ThTapeAttend *f, int b)
{
    return f->how.length ? f->how.length[b] : f->how.T;
}

int th_tape_attend_first(const ThTapeAttend *f, int b)
{
    return f->how.across || f->queries == f->how.T ? 0 : th_tape_attend_length(f, b) - f->queries;
}

size_t th_tape_attend_bias_at(const ThTapeAttend *f, int b, int head, int i)
{
    size_t m = (size_t)f->bias_reach, row = (size_t)head;
    if (f->how.biased == TH_TAPE_BIAS_DISTANCE)
        return row * (f->how.causal ? m : 2 * m - 1) + m - 1 - (size_t)i;
    if (f->bias_each)
        row += (size_t)b * (size_t)f->how.heads;
    return (row * m + (size_t)i) * m;
}

/* Without memory for them backward finds the same again (the mixing is that of SplitMix64, Steele,
 * Lea and Flood 2014). */
double th_tape_attend_kept(const ThTapeAttend *f, size_t row, int j)
{
    if (f->dropout == 0)
        return 1;
    uint64_t x = f->seed + (row * (uint64_t)f->how.T + (uint64_t)j + 1) * 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return (double)(x >> 32) < f->dropout * 0x1p32 ? 0 : 1 / (1 - f->dropout);
}

void *th_tape_attend_publish(ThTape *t, const ThTapeAttend *f, size_t real)
{
    return th_tape_publish_weights(t, f->how.B * f->how.heads * f->queries, f->how.T, f->how.tag,
                                   real);
}

/* ---- does it fit? ---- */

/* Rows of kv that a string has. */
static int room_of(const ThOpAttention *how)
{
    return how->room > 0 ? how->room : how->T;
}

static bool fits_products(ThTape *t, ThVar q, ThVar kv, const ThOpAttention *how)
{
    int d = th_tape_cols(t, q), rows = th_tape_rows(t, q), parts = how->by_heads ? how->heads : 1;
    bool strings = how->B > 0 && how->T > 0 && rows > 0 && rows % how->B == 0 &&
                   (how->across || rows / how->B <= how->T) && room_of(how) >= how->T &&
                   th_tape_rows(t, kv) == how->B * parts * room_of(how);
    if (strings && how->heads > 0 && d % how->heads == 0 && th_tape_cols(t, kv) == 2 * d / parts &&
        !(how->by_heads && th_tape_records(t)))
        return true;
    th_tape_fail(t, TH_EVALUE,
                 "attention: queries (%d,%d), keys (%d,%d), %d heads, %d strings of %d do not fit",
                 rows, d, th_tape_rows(t, kv), th_tape_cols(t, kv), how->heads, how->B, how->T);
    return false;
}

static bool fits_relative(ThTape *t, int d, const ThOpAttention *how)
{
    int rows = th_tape_rows(t, how->xl);
    bool ok =
        how->xl < 0 || (rows % 2 == 1 && rows >= 2 * how->T - 1 && th_tape_cols(t, how->xl) == d &&
                        th_tape_rows(t, how->u) == 1 && th_tape_cols(t, how->u) == d &&
                        th_tape_rows(t, how->v) == 1 && th_tape_cols(t, how->v) == d);
    if (!ok)
        th_tape_fail(t, TH_EVALUE, "attention: relative positions (%d,%d) do not fit %d positions",
                     rows, th_tape_cols(t, how->xl), how->T);
    return ok;
}

static bool fits_bias(ThTape *t, const ThOpAttention *how)
{
    int rows = th_tape_rows(t, how->bias), cols = th_tape_cols(t, how->bias), m = cols;
    bool ok = true;
    if (how->biased == TH_TAPE_BIAS_DISTANCE) {
        m = how->causal ? cols : (cols + 1) / 2;
        ok = rows == how->heads && (how->causal || cols % 2 == 1);
    } else if (how->biased == TH_TAPE_BIAS_FULL) {
        ok = rows == how->heads * cols || rows == how->B * how->heads * cols;
    }
    if (how->biased == TH_TAPE_BIAS_NONE || (ok && m >= how->T))
        return true;
    th_tape_fail(t, TH_EVALUE, "attention: a bias (%d,%d) does not fit %d heads and %d positions",
                 rows, cols, how->heads, how->T);
    return false;
}

static bool fits_masks(ThTape *t, const ThOpAttention *how)
{
    if (how->across && (how->causal || how->window || how->segment || how->xl >= 0 ||
                        how->biased != TH_TAPE_BIAS_NONE)) {
        th_tape_fail(t, TH_EVALUE, "attention: queries from elsewhere have no distances to keys");
        return false;
    }
    if (how->hard && (how->across || how->window || how->segment || how->xl >= 0 ||
                      how->biased != TH_TAPE_BIAS_NONE || (how->rng && how->dropout > 0))) {
        th_tape_fail(t, TH_EVALUE, "attention: of the greatest logits nothing but masks is known");
        return false;
    }
    if (how->rng && !(how->dropout >= 0 && how->dropout < 1)) {
        th_tape_fail(t, TH_EVALUE, "attention: a dropout of %g is not in 0 … 1", how->dropout);
        return false;
    }
    for (int b = 0; how->length && b < how->B; b++) {
        if (how->length[b] < 0 || how->length[b] > how->T) {
            th_tape_fail(t, TH_EVALUE, "attention: a length of %d in strings of %d", how->length[b],
                         how->T);
            return false;
        }
    }
    for (int h = 0; how->window && h < how->heads; h++) {
        if (how->window[h] < 0) {
            th_tape_fail(t, TH_EVALUE, "attention: a window of %d keys", how->window[h]);
            return false;
        }
    }
    return true;
}

/* ---- the operation ---- */

static const ThOp op_attention = {"attention", th_tape_attend_forward, th_tape_attend_backward,
                                  th_tape_attend_forward_double, th_tape_attend_backward_double};
static const ThOp op_plain = {"attention", th_tape_attend_plain_forward,
                              th_tape_attend_plain_backward, th_tape_attend_forward_double,
                              th_tape_attend_backward_double};

/* Generation has a query a string, or a few where it guesses. */
static bool is_alone(ThTape *t, int queries, const ThOpAttention *how)
{
    enum { FEW = 8 };
    bool few = queries == 1 || (queries <= FEW && queries < how->T && how->B == 1);
    return few && !how->across && !(how->rng && how->dropout > 0) && !th_tape_records(t);
}

ThVar th_op_attention(ThTape *t, ThVar q, ThVar kv, const ThOpAttention *how)
{
    if (th_tape_failed(t) || !fits_products(t, q, kv, how) ||
        !fits_relative(t, th_tape_cols(t, q), how) || !fits_bias(t, how) || !fits_masks(t, how))
        return -1;
    ThTapeAttend f = {.how = *how, .queries = th_tape_rows(t, q) / how->B, .d = th_tape_cols(t, q)};
    f.alone = is_alone(t, f.queries, how);
    f.how.room = room_of(how);
    f.dropout = how->rng ? how->dropout : 0;
    f.seed = f.dropout > 0 ? th_rng_next(how->rng) : 0;
    bool relative = how->xl >= 0, biased = how->biased != TH_TAPE_BIAS_NONE;
    f.width = f.d / how->heads;
    f.scale = 1 / sqrt(f.width);
    f.value = how->by_heads ? f.width : f.d;
    f.kv_row = 2 * f.value;
    if (relative)
        f.reach = (th_tape_rows(t, how->xl) + 1) / 2;
    if (biased) {
        int cols = th_tape_cols(t, how->bias);
        bool folded = how->biased == TH_TAPE_BIAS_DISTANCE && !how->causal;
        f.bias_reach = folded ? (cols + 1) / 2 : cols;
        f.bias_each =
            how->biased == TH_TAPE_BIAS_FULL && th_tape_rows(t, how->bias) != how->heads * cols;
        f.bias_learns = !th_tape_is_constant(t, how->bias);
    }
    ThVar in[] = {q,
                  kv,
                  relative ? how->u : -1,
                  relative ? how->v : -1,
                  relative ? how->xl : -1,
                  biased ? how->bias : -1};
    const ThOp *op = how->hard                     ? &th_tape_attend_hard
                     : th_tape_attend_is_plain(&f) ? &op_plain
                                                   : &op_attention;
    return th_tape_op(t, op, th_tape_rows(t, q), f.d, in, 6, &f, sizeof f);
}
