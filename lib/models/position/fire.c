/* Functional interpolation for relative positions (Li et al. 2024, section 3): a small network of
 * one number, ψ(i-j) / ψ(max(i, L)) with ψ(x) = ln(1 + |c| x), says what is added to the logit of
 * query i and key j in each head.  c and L = |512 μ| are learned. */
#include <math.h>

#include "models/position/position.h"

enum { RATE, THRESHOLD, UP, UP_BIAS, DOWN, DOWN_BIAS };
enum { WIDTH = 32, FIRST_THRESHOLD = 512 };

static void bind(const ThPosition *p, int *param, ThModelBuilder *b)
{
    double root = 1 / sqrt(WIDTH);
    param[RATE] = th_model_build(b, "position.rate", 1, 1, TH_INIT_CONSTANT, 0.1);
    param[THRESHOLD] = th_model_build(b, "position.threshold", 1, 1, TH_INIT_CONSTANT, 1);
    param[UP] = th_model_build(b, "position.up", 1, WIDTH, TH_INIT_UNIFORM, 1);
    param[UP_BIAS] = th_model_build(b, "position.up_bias", 1, WIDTH, TH_INIT_UNIFORM, 1);
    param[DOWN] = th_model_build(b, "position.down", WIDTH, p->heads, TH_INIT_UNIFORM, root);
    param[DOWN_BIAS] = th_model_build(b, "position.down_bias", 1, p->heads, TH_INIT_UNIFORM, root);
}

/* The pairs of queries and keys that see each other: for each string's query i, keys 0 … i. */
typedef struct {
    int strings, T, n;
    float *distance; /* (n,1) */
    float *place;    /* (strings*T,1) of the queries */
    int *query;      /* (n): row of place */
} Pairs;

static bool list_pairs(ThTape *t, const ThPositionSpan *span, Pairs *to)
{
    int T = span->T, strings = span->place ? span->B : 1, rows = strings * T, n = 0;
    *to = (Pairs){.strings = strings, .T = T};
    size_t size = (size_t)strings * ((size_t)T * ((size_t)T + 1) / 2);
    to->distance = th_tape_take(t, size, sizeof *to->distance);
    to->place = th_tape_take(t, (size_t)rows, sizeof *to->place);
    to->query = th_tape_take(t, size, sizeof *to->query);
    if (!to->distance || !to->place || !to->query)
        return false;
    for (int i = 0; i < rows; i++) {
        int at = span->place ? span->place[i] : i;
        to->place[i] = (float)at;
        for (int j = i - i % T; j <= i; j++) {
            to->distance[n] = (float)(at - (span->place ? span->place[j] : j));
            to->query[n++] = i;
        }
    }
    to->n = n;
    return true;
}

/* ln(1 + |c| x), of a column x. */
static ThVar psi(ThTape *t, ThVar x, ThVar rate)
{
    return th_op_map(t, th_op_affine(t, th_op_linear(t, x, rate, -1), 1, 1), TH_MAP_LOG);
}

/* What the network reads, (n,1). */
static ThVar arguments(ThTape *t, const int *param, const Pairs *pairs)
{
    int rows = pairs->strings * pairs->T;
    float *one = th_tape_take(t, (size_t)rows, sizeof *one);
    for (int i = 0; one && i < rows; i++)
        one[i] = 1;
    if (!one)
        return -1;
    ThVar rate = th_op_map(t, th_param(t, param[RATE]), TH_MAP_ABS);
    ThVar threshold = th_op_map(t, th_param(t, param[THRESHOLD]), TH_MAP_ABS);
    ThVar L = th_op_linear(t, th_tape_constant(t, rows, 1, one),
                           th_op_scale(t, threshold, FIRST_THRESHOLD), -1);
    ThVar place = th_tape_constant(t, rows, 1, pairs->place);
    ThVar far = th_op_add(t, place, th_op_relu(t, th_op_subtract(t, L, place)));
    ThVar below = th_op_map(t, th_op_affine(t, psi(t, far, rate), 1, 1e-6), TH_MAP_RECIPROCAL);
    ThVar above = psi(t, th_tape_constant(t, pairs->n, 1, pairs->distance), rate);
    return th_op_multiply(t, above, th_op_rows(t, below, pairs->query, pairs->n, 1));
}

/* Where each element of a bias (strings*heads*T, T) comes from among values (pairs*heads, 1). */
static int *places_of(const ThPosition *p, ThTape *t, const Pairs *pairs)
{
    size_t T = (size_t)pairs->T, heads = (size_t)p->heads;
    int *index = th_tape_take(t, (size_t)pairs->strings * heads * T * T, sizeof *index),
        *to = index;
    for (int b = 0; index && b < pairs->strings; b++)
        for (int h = 0; h < p->heads; h++)
            for (int i = 0; i < pairs->T; i++)
                for (int j = 0; j < pairs->T; j++)
                    *to++ =
                        j > i ? -1
                              : (b * (pairs->n / pairs->strings) + i * (i + 1) / 2 + j) * p->heads +
                                    h;
    return index;
}

static ThVar bias(const ThPosition *p, ThTape *t, const int *param, const ThPositionSpan *span)
{
    Pairs pairs;
    if (!list_pairs(t, span, &pairs))
        return -1;
    ThVar up = th_op_linear_relu(t, arguments(t, param, &pairs), th_param(t, param[UP]),
                                 th_param(t, param[UP_BIAS]));
    ThVar value = th_op_linear(t, up, th_param(t, param[DOWN]), th_param(t, param[DOWN_BIAS]));
    int *index = places_of(p, t, &pairs), rows = pairs.strings * p->heads * pairs.T;
    if (!index)
        return -1;
    value = th_op_reshape(t, value, pairs.n * p->heads, 1);
    return th_op_reshape(t, th_op_rows(t, value, index, rows * pairs.T, 1), rows, pairs.T);
}

static int pair(const ThPosition *p)
{
    return WIDTH * (1 + p->heads);
}

const ThPositionKind th_position_fire = {
    .name = "fire",
    .summary = "FIRE: a small network of the distance, relative to the query's own position",
    .source = "Li et al. 2024, section 3",
    .options = "tied",
    .causal = true,
    .biased = TH_TAPE_BIAS_FULL,
    .bias = bias,
    .bind_bias = bind,
    .pair = pair,
};
