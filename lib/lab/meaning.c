#include "lab/meaning.h"

#include <math.h>

#include "lab/head.h"
#include "lab/slopes.h"

struct ThTrainMeaning {
    const ThTask *task;
    double weight;
    int dim, n; /* n: numbers a side */
    ThTrainHead head;
};

ThTrainMeaning *th_train_meaning_new(const ThModel *m, const ThTask *t, double weight, int shards,
                                     ThError *err)
{
    if (!m->kind->reads_pairs)
        return th_null(th_fail(err, TH_EUSAGE,
                               "auxiliary_loss= asks what each side of a pair says, and %s does "
                               "not read them apart",
                               m->kind->name) ||
                       th_hint(err, "help %s says which models do", t->kind->name));
    ThTrainMeaning *x = th_alloc(1, sizeof *x, err);
    if (!x)
        return NULL;
    *x = (ThTrainMeaning){.task = t, .weight = weight, .n = t->kind->n_meaning};
    x->dim = (int)th_option_int(&m->options, "dim");
    bool ok = th_train_head_init(&x->head, x->dim, x->n, shards, err);
    return TH_KEEP_IF(ok, x, th_train_meaning_free);
}

void th_train_meaning_free(ThTrainMeaning *x)
{
    if (!x)
        return;
    th_train_head_free(&x->head);
    free(x);
}

enum { UNKNOWN = -1 }; /* what no pair of the kind's says */

/* What the sides of a batch say, left ones first: (2B, n), on the tape. */
static float *find_meanings(const ThTrainMeaning *x, ThTape *t, const ThBatch *b)
{
    size_t n = (size_t)x->n, B = (size_t)b->B;
    float *says = th_tape_take(t, 2 * B * n, sizeof *says);
    for (size_t i = 0; says && i < B; i++) {
        ThTaskWord pair = {th_batch_token(b, (int)i), th_batch_length(b, (int)i)};
        float *left = says + i * n, *right = says + (B + i) * n;
        bool known = x->task->kind->meaning(x->task, pair, left, right);
        for (size_t k = 0; !known && k < n; k++)
            left[k] = right[k] = UNKNOWN;
    }
    return says;
}

/* Slopes of the mean cross-entropy by what the head says, in its place. */
static void judge(float *said, const float *right, size_t n, double scale)
{
    for (size_t k = 0; k < n; k++) {
        double far = 1 / (1 + exp(-(double)said[k])) - (double)right[k];
        said[k] = right[k] < 0 ? 0 : (float)(scale * far);
    }
}

ThVar th_train_meaning_add(ThTrainMeaning *x, ThTape *t, const ThBatch *b, int shard, ThVar loss)
{
    ThVar read = th_tape_find(t, "sentence", -1);
    int rows = 2 * b->B;
    size_t size = (size_t)rows * (size_t)x->n, width = (size_t)rows * (size_t)x->dim;
    const float *right = find_meanings(x, t, b), *z = read < 0 ? NULL : th_tape_floats(t, read);
    float *said = th_tape_take(t, size, sizeof *said),
          *slope = th_tape_take(t, width, sizeof *slope);
    if (!right || !z || !said || !slope)
        return -1;
    th_train_head_begin(&x->head, shard);
    th_train_head_say(&x->head, z, rows, x->n, said);
    judge(said, right, size, x->weight / (double)size / x->head.shards);
    memset(slope, 0, width * sizeof *slope);
    th_train_head_back(&x->head, shard, z, said, rows, x->n, slope);
    return th_train_add_slopes(t, loss, read, slope);
}

void th_train_meaning_step(ThTrainMeaning *x, double rate)
{
    th_train_head_step(&x->head, rate);
}

/* ---- as numbers ---- */

enum { NUMBERS, DIM, UPDATES, FIRST };

size_t th_train_meaning_size(const ThTrainMeaning *x)
{
    return FIRST + th_train_head_size(&x->head);
}

void th_train_meaning_write(const ThTrainMeaning *x, double *to)
{
    to[NUMBERS] = x->n;
    to[DIM] = x->dim;
    to[UPDATES] = (double)x->head.updates;
    th_train_head_write(&x->head, to + FIRST);
}

bool th_train_meaning_read(ThTrainMeaning *x, const double *from, size_t n)
{
    if (n != th_train_meaning_size(x) || from[NUMBERS] != x->n || from[DIM] != x->dim ||
        !(from[UPDATES] >= 0 && from[UPDATES] < 1e15))
        return false;
    x->head.updates = (long long)from[UPDATES];
    th_train_head_read(&x->head, from + FIRST);
    return true;
}
