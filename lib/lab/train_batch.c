/* train_batch.c - the strings of a step: their lengths, the draw, what joins them. */
#include <limits.h>
#include <math.h>

#include "lab/train_impl.h"

enum { FIRST_BOUND = 3 }; /* of lengths that grow */

double th_train_share_done(const ThTrainer *tr)
{
    return (double)(tr->model->training.step - tr->first) / (double)(tr->last_step - tr->first);
}

/* In equal times the lengths grow by equal factors. */
static double paced_bound(const ThTrainer *tr)
{
    double last = (double)tr->lengths.hi, growth = fmax(1, last / FIRST_BOUND);
    return FIRST_BOUND * pow(growth, 2 * th_train_share_done(tr)) + 1e-9;
}

ThRange th_train_lengths(const ThTrainer *tr)
{
    ThRange l = tr->lengths;
    if (tr->curriculum == CURRICULUM_FIXED)
        l.lo += l.step * ((long long)th_range_count(l) - 1);
    if (tr->curriculum == CURRICULUM_ADAPTIVE || tr->curriculum == CURRICULUM_PACED) {
        double bound = tr->curriculum == CURRICULUM_PACED ? fmin(paced_bound(tr), (double)l.hi)
                                                          : tr->model->training.reach;
        long long hi = (long long)fmax(bound, (double)l.lo);
        l.hi = hi < l.hi ? hi : l.hi;
    }
    return l;
}

/* Those of the present step: some steps draw from all. */
static ThRange lengths_of_step(ThTrainer *tr, ThRng *r)
{
    tr->whole = tr->full > 0 && th_rng_uniform(r) < tr->full;
    return tr->whole ? tr->lengths : th_train_lengths(tr);
}

/* Strings of twice the length, of which a part stays. */
static bool draw_parts(ThTrainer *tr, ThRng *r, int n, ThError *err)
{
    ThBatch *b = &tr->drawn;
    if (n > INT_MAX / 2)
        return th_fail(err, TH_EVALUE, "parts of %d symbols are too long", n);
    if (!th_task_sample(tr->task, r, 2 * n, b, err))
        return false;
    int T = b->T;
    uint64_t places = (uint64_t)((T - n) / tr->part) + 1;
    b->T = n;
    for (int i = 0; i < b->B; i++) {
        int first = T - n - tr->part * (int)th_rng_below(r, places);
        memmove(th_batch_token(b, i), b->token + (size_t)i * (size_t)T + first,
                (size_t)n * sizeof *b->token);
    }
    th_task_label(tr->task, b);
    return true;
}

static bool draw_balanced(ThTrainer *tr, ThRng *r, int n, ThError *err)
{
    ThBatch *b = &tr->drawn;
    b->T = n;
    if (!th_batch_reserve(b, &tr->task->signature, false, err))
        return false;
    for (int i = 0; i < b->B; i++)
        th_train_balance_draw(tr->balance, r, n, th_batch_token(b, i));
    th_task_label(tr->task, b);
    return true;
}

static bool draw_batch(ThTrainer *tr, ThError *err)
{
    ThRng r = th_rng(tr->model->training.seed, "train.batch", (uint64_t)tr->model->training.step);
    const ThTask *t = tr->task;
    ThRange l = lengths_of_step(tr, &r);
    if (!t->kind->study && tr->curriculum != CURRICULUM_FIXED)
        l.lo += l.step * (long long)th_rng_below(&r, th_range_count(l));
    tr->least = th_task_length(t, (int)l.lo);
    tr->length = t->kind->study ? th_task_length(t, (int)l.hi) : tr->least;
    if (tr->balance)
        return draw_balanced(tr, &r, tr->least, err);
    if (tr->part)
        return draw_parts(tr, &r, tr->least, err);
    return t->kind->study ? t->kind->study(t, &r, &l, &tr->drawn, err)
                          : th_task_sample(t, &r, (int)l.lo, &tr->drawn, err);
}

/* A step's longest and shortest strings, of which some are known. */
static void note_lengths(ThTrainer *tr, const ThBatch *b)
{
    for (int i = 0; i < b->B; i++) {
        int n = th_batch_length(b, i);
        tr->length = n > tr->length ? n : tr->length;
        tr->least = n < tr->least ? n : tr->least;
    }
}

/* The step says which rows are next: epochs go on where another training stopped. */
static bool take_batch(ThTrainer *tr, ThError *err)
{
    const ThModelTraining *t = &tr->model->training;
    ThRng r = th_rng(t->seed, "train.rows", (uint64_t)t->step);
    ThRange l = lengths_of_step(tr, &r);
    ThTaskRows rows = {TH_TASK_TRAIN, (int)l.lo, (int)l.hi};
    ThBatch *b = &tr->drawn;
    if (!th_task_take(tr->task, &rows, &t->seed, t->step * b->B, b, err))
        return false;
    tr->length = tr->least = th_batch_length(b, 0);
    note_lengths(tr, b);
    return true;
}

/* The strings of the task, and behind them the words that join them. */
static bool join(ThTrainer *tr, ThError *err)
{
    const ThSignature *s = &tr->model->signature;
    const ThBatch *words = &tr->model->training.joined, *b = &tr->drawn;
    if (tr->joins && words->B > 0) {
        if (!th_batch_join(&tr->both, s, &tr->drawn, words, err))
            return false;
        note_lengths(tr, words);
        b = &tr->both;
    }
    tr->batch = th_batch_slice(b, s, 0, b->B);
    tr->scored = th_score_answers(s, &tr->drawn);
    tr->answers = b == &tr->drawn ? tr->scored : th_score_answers(s, b);
    return true;
}

/* Part i of n has the strings i·B/n … (i+1)·B/n - 1. */
static void cut_batch(ThTrainer *tr)
{
    long long B = tr->batch.B;
    for (int i = 0; i < tr->n_shards; i++) {
        int first = (int)(B * i / tr->n_shards), end = (int)(B * (i + 1) / tr->n_shards);
        int drawn = (end < tr->drawn.B ? end : tr->drawn.B) - first;
        tr->shard[i].batch = th_batch_slice(&tr->batch, &tr->model->signature, first, end - first);
        tr->shard[i].drawn = drawn > 0 ? drawn : 0;
    }
}

bool th_train_draw(ThTrainer *tr, ThError *err)
{
    tr->drawn.B = tr->batch_size;
    if (!(th_task_finite(tr->task) ? take_batch : draw_batch)(tr, err) || !join(tr, err))
        return false;
    cut_batch(tr);
    return true;
}
