#include "models/attention/sentence_pairs.h"

static int find_between(const ThBatch *b, int i, int between)
{
    int n = th_batch_length(b, i), at = 0;
    while (at < n && th_batch_token(b, i)[at] != between)
        at++;
    return at;
}

/* Lengths as numbers on the tape, a row a pair. */
static void tag_lengths(ThTape *t, const ThBatch *sides)
{
    int B = sides->B / 2;
    float *row = th_tape_take(t, 2 * (size_t)B, sizeof *row);
    for (int i = 0; row && i < B; i++) {
        row[2 * i] = (float)sides->length[i];
        row[2 * i + 1] = (float)sides->length[B + i];
    }
    if (row)
        th_tape_tag(t, th_tape_constant(t, B, 2, row), "sides", 0);
}

bool th_model_sides(ThTape *t, int between, const ThBatch *b, ThBatch *sides)
{
    size_t B = (size_t)b->B;
    *sides = (ThBatch){.B = 2 * b->B, .T = 1};
    sides->length = th_tape_take(t, 2 * B, sizeof *sides->length);
    if (!sides->length)
        return false;
    for (int i = 0; i < b->B; i++) {
        int n = th_batch_length(b, i), left = find_between(b, i, between);
        int right = left < n ? n - left - 1 : 0, longer = left > right ? left : right;
        sides->length[i] = left;
        sides->length[b->B + i] = right;
        sides->T = longer > sides->T ? longer : sides->T;
    }
    size_t size = 2 * B * (size_t)sides->T;
    sides->token = th_tape_take(t, size, sizeof *sides->token);
    if (!sides->token)
        return false;
    memset(sides->token, 0, size * sizeof *sides->token);
    for (int i = 0; i < sides->B; i++) {
        const int *from = th_batch_token(b, i % b->B);
        int n = sides->length[i], first = i < b->B || n == 0 ? 0 : sides->length[i - b->B] + 1;
        memcpy(th_batch_token(sides, i), from + first, (size_t)n * sizeof *from);
    }
    tag_lengths(t, sides);
    return true;
}

int th_model_sides_read(const ThTape *t, int length, int of[2])
{
    ThVar sides = th_tape_find(t, "sides", 0);
    of[0] = length;
    of[1] = 0;
    if (sides < 0)
        return 1;
    double n[2];
    th_tape_read(t, sides, n);
    of[0] = (int)n[0];
    of[1] = (int)n[1];
    return 2;
}

ThVar th_model_compare(ThTape *t, ThVar x)
{
    int n = th_tape_rows(t, x) / 2, *side = th_tape_take(t, 2 * (size_t)n, sizeof *side);
    for (int i = 0; side && i < 2 * n; i++)
        side[i] = i;
    if (!side)
        return -1;
    ThVar u = th_op_rows(t, x, side, n, 1), v = th_op_rows(t, x, side + n, n, 1);
    ThVar in[] = {u, v, th_op_multiply(t, u, v), th_op_map(t, th_op_subtract(t, u, v), TH_MAP_ABS)};
    return th_op_beside(t, in, 4);
}
