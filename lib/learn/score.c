#include "learn/score.h"

int th_score_class(const double *logit, int n)
{
    int best = 0;
    for (int c = 1; c < n; c++)
        if (logit[c] > logit[best])
            best = c;
    return best;
}

/* The first number in the target of an answer says whether it is scored. */
static size_t step(const ThSignature *s)
{
    return s->target == TH_TARGET_BITS ? (size_t)s->n_classes : 1;
}

long long th_score_answers(const ThSignature *s, const ThBatch *b)
{
    int rows = th_batch_outputs(s, b);
    long long n = 0;
    for (int i = 0; i < rows; i++)
        n += b->target[(size_t)i * step(s)] >= 0;
    return n;
}

/* Is row `row` of the logits right? */
static bool row_right(const ThTape *t, ThVar z, const ThSignature *s, size_t row, const int *target)
{
    size_t n = (size_t)s->n_classes, at = row * n, best = 0;
    if (*target < 0)
        return false;
    for (size_t c = 0; s->target == TH_TARGET_BITS && c < n; c++)
        if ((th_tape_at(t, z, at + c) > 0) != (target[c] == 1))
            return false;
    for (size_t c = 1; s->target != TH_TARGET_BITS && c < n; c++)
        if (th_tape_at(t, z, at + c) > th_tape_at(t, z, at + best))
            best = c;
    return s->target == TH_TARGET_BITS || (int)best == *target;
}

long long th_score_right(const ThTape *t, ThVar v, const ThSignature *s, const ThBatch *b)
{
    size_t rows = (size_t)th_batch_outputs(s, b);
    long long right = 0;
    for (size_t i = 0; i < rows; i++)
        right += row_right(t, v, s, i, b->target + i * (size_t)step(s));
    return right;
}

long long th_score_exact(const ThTape *t, ThVar v, const ThSignature *s, const ThBatch *b,
                         long long *strings)
{
    int outputs = s->target == TH_TARGET_FINAL ? 1 : b->T;
    long long exact = 0;
    size_t row = 0;
    *strings = 0;
    for (int i = 0; i < b->B; i++) {
        const int *target = th_batch_target(s, b, i);
        bool any = false, all = true;
        for (int k = 0; k < outputs; k++, row++, target += step(s)) {
            any = any || *target >= 0;
            all = all && (*target < 0 || row_right(t, v, s, row, target));
        }
        *strings += any;
        exact += any && all;
    }
    return exact;
}

ThVar th_loss_of_batch(ThTape *t, ThVar z, const ThSignature *s, const ThBatch *b, double scale)
{
    int n = th_batch_outputs(s, b);
    if (s->target != TH_TARGET_BITS)
        return th_op_cross_entropy(t, z, b->target, n, scale);
    return th_op_binary_cross_entropy(t, z, b->target, n, scale / s->n_classes);
}
