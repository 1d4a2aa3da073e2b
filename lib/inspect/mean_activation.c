#include "inspect/mean_activation.h"

typedef struct {
    const ThModel *m;
    const ThModelAblation *a;
    double *sum; /* (a->cols) */
    long long n;
} Sums;

static ThVar see(void *context, ThTape *t, ThVar v, const char *name, int index)
{
    Sums *s = context;
    if (!th_model_ablation_meets(s->m, s->a, name, index))
        return v;
    int rows = th_tape_rows(t, v), cols = th_tape_cols(t, v);
    const float *x = th_tape_floats(t, v);
    for (int i = 0; i < rows; i++, x += cols)
        for (int j = 0; j < s->a->cols; j++)
            s->sum[j] += (double)x[s->a->first + j];
    s->n += rows;
    return v;
}

static bool add_strings(Sums *s, ThTape *t, const ThInspectStrings *of, ThStop *stop, ThError *err)
{
    ThBatch b TH_OWNED(th_batch_free) = {.B = 1};
    bool ok = true;
    th_tape_watch(t, &(ThTapeWatch){see, s});
    for (int i = 0; ok && i < of->strings; i++) {
        ThRng r = th_rng(of->seed, "inspect.mean", (uint64_t)i);
        ok = !th_stopped(stop, err) && th_task_sample(of->task, &r, of->length, &b, err);
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        if (ok)
            th_model_forward(s->m, t, &b, &(ThModelForward){.share = false});
        ok = ok && th_tape_ok(t, err);
    }
    th_tape_watch(t, NULL);
    return ok;
}

bool th_inspect_mean(const ThModel *m, ThModelAblation *a, const ThInspectStrings *strings,
                     ThStop *stop, ThError *err)
{
    Sums s = {.m = m, .a = a, .sum = th_alloc((size_t)a->cols, sizeof *s.sum, err)};
    float *mean = th_alloc((size_t)a->cols, sizeof *mean, err);
    ThTape *t TH_OWNED(th_tape_free) =
        s.sum && mean ? th_model_tape(m, TH_TAPE_FLOAT, 1, err) : NULL;
    bool ok = t && add_strings(&s, t, strings, stop, err);
    if (ok && s.n == 0)
        ok = th_fail(err, TH_EVALUE, "strings of %d symbols do not reach level %d", strings->length,
                     a->layer + 1);
    for (int j = 0; ok && j < a->cols; j++)
        mean[j] = (float)(s.sum[j] / (double)s.n);
    free(s.sum);
    if (ok)
        a->mean = mean;
    else
        free(mean);
    return ok;
}
