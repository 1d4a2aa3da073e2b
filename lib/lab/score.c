#include "lab/score.h"

static int n_rows(const ThSignature *s, const ThBatch *b)
{
    return s->target == TH_TARGET_FINAL ? b->B : b->B * b->T;
}

long long th_score_answers(const ThSignature *s, const ThBatch *b)
{
    int rows = n_rows(s, b);
    if (s->target == TH_TARGET_BITS)
        return rows;
    long long n = 0;
    for (int i = 0; i < rows; i++)
        n += b->target[i] >= 0;
    return n;
}

static bool row_right(const ThSignature *s, const float *z, const int *target)
{
    int best = 0;
    for (int c = 0; c < s->n_classes; c++) {
        if (s->target == TH_TARGET_BITS && (z[c] > 0) != (target[c] == 1))
            return false;
        if (z[c] > z[best])
            best = c;
    }
    return s->target == TH_TARGET_BITS || best == *target;
}

long long th_score_right(const ThTape *t, ThVar v, const ThSignature *s, const ThBatch *b)
{
    const float *z = th_tape_floats(t, v);
    int rows = n_rows(s, b), n = s->n_classes, step = s->target == TH_TARGET_BITS ? n : 1;
    long long right = 0;
    for (int i = 0; i < rows; i++)
        right += row_right(s, z + (size_t)i * (size_t)n, b->target + (size_t)i * (size_t)step);
    return right;
}

ThVar th_loss_of_batch(ThTape *t, ThVar z, const ThSignature *s, const ThBatch *b, double scale)
{
    if (s->target == TH_TARGET_BITS)
        return th_op_binary_cross_entropy(t, z, b->target, scale / s->n_classes);
    return th_op_cross_entropy(t, z, b->target, n_rows(s, b), scale);
}
