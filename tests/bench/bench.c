/* bench.c - times the library, a round at a time: training steps, evaluations of BATCH strings, or
 * BATCH strings written by the model, symbol by symbol, up to a length.  `halt` evaluates with
 * weights by which a gated_universal that reads two symbols stops at once where the second is more
 * frequent, and never elsewhere; what its block makes costs the same and changes nothing.
 *
 *     bench step|evaluate|halt|write MODEL TASK LENGTHS BATCH THREADS [key=value]...
 *
 * The options are the model's, or else the training's.  For every line SECONDS on standard input
 * one round is measured and a line printed: "median mean least count", in milliseconds.  At the end
 * of the input comes "bytes TAPES RESIDENT": the memory of the trainer's tapes, and the most that
 * the process ever held.  tests/bench/peers/measure.py speaks the same way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/memory.h"
#include "lab/evaluate.h"
#include "lab/train.h"
#include "models/state.h"

typedef enum { STEP, EVALUATE, HALT, WRITE } Work;
static const char *const works[] = {
    [STEP] = "step", [EVALUATE] = "evaluate", [HALT] = "halt", [WRITE] = "write"};
enum { MOST_TIMES = 1 << 20 };

typedef struct {
    Work work;
    int length, batch, threads;
    ThModel *model;
    ThTask *task;
    ThOptions training;
    ThTrainer *trainer;
    ThEvaluator *evaluator;
    double *times;
} Bench;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static bool has_option(const ThOptionSpec *spec, const char *name)
{
    for (; spec && spec->name; spec++)
        if (strcmp(spec->name, name) == 0)
            return true;
    return false;
}

/* "key=value" goes to the model if that knows the key. */
static bool set_option(Bench *b, ThOptions *model, const ThModelKind *kind, const char *pair,
                       ThError *err)
{
    char name[64] = "";
    const char *equals = strchr(pair, '=');
    if (!equals || (size_t)(equals - pair) >= sizeof name)
        return th_fail(err, TH_EUSAGE, "expected key=value, found %s", pair);
    memcpy(name, pair, (size_t)(equals - pair));
    ThOptions *to = has_option(kind->options, name) ? model : &b->training;
    return th_options_set(to, name, equals + 1, err);
}

static bool set_training(Bench *b, const char *lengths, const char *batch, ThError *err)
{
    return th_options_init(&b->training, th_train_options, err) &&
           th_options_set(&b->training, "length", lengths, err) &&
           th_options_set(&b->training, "batch", batch, err) &&
           th_options_set(&b->training, "steps", "1000000", err);
}

static bool make_model(Bench *b, const char *name, int n, char **pair, ThError *err)
{
    const ThModelKind *kind = th_model_kind(name);
    if (!kind)
        return th_fail(err, TH_EUSAGE, "no model %s", name);
    ThOptions o = {0};
    bool ok = th_options_init(&o, kind->options, err);
    for (int i = 0; ok && i < n; i++)
        ok = set_option(b, &o, kind, pair[i], err);
    if (ok)
        b->model = th_model_new(kind, &o, err);
    th_options_free(&o);
    return b->model != NULL;
}

static bool make_task(Bench *b, const char *name, ThError *err)
{
    const ThTaskKind *kind = th_task_kind(name);
    if (!kind)
        return th_fail(err, TH_EUSAGE, "no task %s", name);
    ThOptions o = {0};
    if (th_options_init(&o, kind->options, err))
        b->task = th_task_new(kind, &o, NULL, err);
    th_options_free(&o);
    return b->task != NULL;
}

/* The numbers of a parameter, all of them `value`; NULL: there is none of this name. */
static float *fill(Bench *b, const char *name, float value)
{
    const ThParams *all = &b->model->params;
    for (int i = 0; i < all->n; i++) {
        const ThParam *p = &all->item[i];
        for (int k = 0; k < p->rows * p->cols && strcmp(p->name, name) == 0; k++)
            all->value[p->offset + (size_t)k] = value;
        if (strcmp(p->name, name) == 0)
            return all->value + p->offset;
    }
    return NULL;
}

/* The first number of a state is -1 or 1, by the symbol; the network that decides looks at its mean
 * in the states before the block, and the block adds nothing. */
static bool make_halting(Bench *b, ThError *err)
{
    enum { SURE = 1000, GAIN = 20 };
    float *embedding = fill(b, "embedding", 0), *ends = fill(b, "ends", 0);
    float *up = fill(b, "halting.up", 0), *up_bias = fill(b, "halting.up_bias", 0);
    float *down = fill(b, "halting.down", 0), *down_bias = fill(b, "halting.down_bias", -GAIN / 2);
    bool ok = fill(b, "attention.output", 0) && fill(b, "feed_forward.down", 0) && embedding &&
              ends && up && up_bias && down && down_bias;
    if (!ok)
        return th_fail(err, TH_EUSAGE, "halt is for a gated_universal with a string's answer");
    embedding[0] = -1;
    embedding[th_option_int(&b->model->options, "dim")] = 1;
    up[0] = SURE;
    down[0] = GAIN;
    return true;
}

/* Every kind of work begins with a few steps: they bind the model and size the arenas. */
static bool warm_up(Bench *b, ThError *err)
{
    b->trainer = th_trainer_new(b->model, b->task, &b->training, b->threads, err);
    for (int i = 0; b->trainer && i < 5; i++)
        if (!th_trainer_step(b->trainer, err))
            return false;
    if (!b->trainer || (b->work != EVALUATE && b->work != HALT))
        return b->trainer != NULL;
    if (b->work == HALT && !make_halting(b, err))
        return false;
    ThScore score;
    b->evaluator = th_evaluator_new(b->model, b->task, 1, b->threads, err);
    return b->evaluator && th_evaluator_length(b->evaluator, b->length, b->batch, &score, err);
}

/* Every string begins with symbol 0 and goes on with the likeliest. */
static bool write_strings(const Bench *b, ThError *err)
{
    int classes = b->model->signature.n_classes;
    float *logits = th_alloc((size_t)b->batch * (size_t)classes, sizeof *logits, err);
    int *token = th_alloc((size_t)b->batch, sizeof *token, err);
    ThModelState *s = th_model_open(b->model, TH_MODEL_CACHED, b->batch, err);
    bool ok = logits && token && s;
    for (int n = 0; ok && n < b->length; n++) {
        ok = th_model_feed(s, token, 1, logits, err);
        for (int i = 0; ok && i < b->batch; i++) {
            const float *row = logits + (size_t)i * (size_t)classes;
            token[i] = 0;
            for (int k = 1; k < classes; k++)
                token[i] = row[k] > row[token[i]] ? k : token[i];
        }
    }
    th_model_close(s);
    free(token);
    free(logits);
    return ok;
}

static bool once(Bench *b, ThError *err)
{
    ThScore score;
    if (b->work == STEP)
        return th_trainer_step(b->trainer, err);
    if (b->work == WRITE)
        return write_strings(b, err);
    return th_evaluator_length(b->evaluator, b->length, b->batch, &score, err);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool round_of(Bench *b, double seconds, ThError *err)
{
    int n = 0;
    double start = now(), sum = 0;
    do {
        double begin = now();
        if (!once(b, err))
            return false;
        b->times[n] = now() - begin;
        sum += b->times[n++];
    } while (n < MOST_TIMES && now() - start < 1e3 * seconds);
    qsort(b->times, (size_t)n, sizeof *b->times, ascending);
    printf("%.5f %.5f %.5f %d\n", b->times[n / 2], sum / n, b->times[0], n);
    fflush(stdout);
    return true;
}

static bool run(Bench *b, int argc, char **argv, ThError *err)
{
    while (b->work < WRITE && strcmp(argv[1], works[b->work]) != 0)
        b->work++;
    b->length = atoi(argv[4]);
    b->batch = atoi(argv[5]);
    b->threads = atoi(argv[6]);
    b->times = th_alloc(MOST_TIMES, sizeof *b->times, err);
    if (!b->times || !set_training(b, argv[4], argv[5], err) ||
        !make_model(b, argv[2], argc - 7, argv + 7, err) || !make_task(b, argv[3], err) ||
        !warm_up(b, err))
        return false;
    printf("ready\n");
    fflush(stdout);
    char line[64];
    while (fgets(line, sizeof line, stdin))
        if (!round_of(b, strtod(line, NULL), err))
            return false;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("bytes %zu %ld\n", th_trainer_bytes(b->trainer), use.ru_maxrss * 1024);
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr, "usage: bench step|evaluate|halt|write MODEL TASK LENGTHS BATCH THREADS "
                        "[key=value]...\n");
        return 2;
    }
    Bench b = {0};
    ThError err = {0};
    bool ok = run(&b, argc, argv, &err);
    if (!ok)
        fprintf(stderr, "bench: %s\n", err.msg);
    th_evaluator_free(b.evaluator);
    th_trainer_free(b.trainer);
    th_task_free(b.task);
    th_model_free(b.model);
    th_options_free(&b.training);
    free(b.times);
    return ok ? 0 : 1;
}
