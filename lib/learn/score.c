#include "learn/score.h"

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

static bool row_right(const ThSignature *s, const float *z, const int *target)
{
    int best = 0;
    float most = z[0];
    if (*target < 0)
        return false;
    if (s->target == TH_TARGET_BITS) {
        for (int c = 0; c < s->n_classes; c++)
            if ((z[c] > 0) != (target[c] == 1))
                return false;
        return true;
    }
    for (int c = 1; c < s->n_classes; c++) {
        best = z[c] > most ? c : best;
        most = z[c] > most ? z[c] : most;
    }
    return best == *target;
}

long long th_score_right(const ThTape *t, ThVar v, const ThSignature *s, const ThBatch *b)
{
    const float *z = th_tape_floats(t, v);
    int rows = th_batch_outputs(s, b), n = s->n_classes;
    long long right = 0;
    for (int i = 0; i < rows; i++)
        right += row_right(s, z + (size_t)i * (size_t)n, b->target + (size_t)i * step(s));
    return right;
}

long long th_score_exact(const ThTape *t, ThVar v, const ThSignature *s, const ThBatch *b,
                         long long *strings)
{
    const float *z = th_tape_floats(t, v);
    int outputs = s->target == TH_TARGET_FINAL ? 1 : b->T;
    long long exact = 0;
    *strings = 0;
    for (int i = 0; i < b->B; i++) {
        const int *target = th_batch_target(s, b, i);
        bool any = false, all = true;
        for (int k = 0; k < outputs; k++, z += s->n_classes, target += step(s)) {
            any = any || *target >= 0;
            all = all && (*target < 0 || row_right(s, z, target));
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
