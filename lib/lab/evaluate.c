#include "lab/evaluate.h"

#include <math.h>

#include "base/pool.h"
#include "stats/intervals.h"

/* Strings are drawn in blocks, each from a stream of its own and with half members where the task
 * balances two sorts, so that they do not depend on how blocks are put together.  As many blocks
 * make a shard as keep matrix products large and a tape below a few hundred megabytes; of a block
 * of long strings a tape takes so many at once that it has a gigabyte, and stops within a second.
 */
enum {
    BLOCK = TH_LAB_BLOCK,
    SHARD_BLOCKS = 8,
    SHARD_TOKENS = 1 << 15,
    SHARD_FLOATS = 1 << 26,
    TAPE_FLOATS = 1 << 28
};

/* What one shard of a length found. */
typedef struct {
    long long n, right, strings, exact;
    double loss;
    ThError err;
} Shard;

struct ThEvaluator {
    const ThModel *model;
    const ThTask *task;
    uint64_t seed;
    ThPool *pool;
    int threads;
    ThTape **tape;  /* (threads) */
    ThBatch *batch; /* (threads) */
    Shard *shard;
    size_t cap_shards;
    int length, tokens, samples, shard_blocks; /* of the length being scored */
    ThTaskRows rows;                           /* of a data set */
    bool shuffle;                              /* not all of them */
};

ThEvaluator *th_evaluator_new(const ThModel *m, const ThTask *t, long long seed, int threads,
                              ThError *err)
{
    if (!m->bound)
        return th_null(th_fail(err, TH_EVALUE, "the model has not been trained on any task yet"));
    if (!th_signature_match(&m->signature, &t->signature, err))
        return NULL;
    ThEvaluator *e = th_alloc(1, sizeof *e, err);
    if (!e)
        return NULL;
    *e = (ThEvaluator){.model = m, .task = t, .seed = (uint64_t)seed, .threads = threads};
    size_t n = (size_t)threads;
    bool ok = (e->tape = th_alloc(n, sizeof *e->tape, err)) &&
              (e->batch = th_alloc(n, sizeof *e->batch, err)) &&
              (e->pool = th_pool_new(threads, err));
    for (size_t i = 0; ok && i < n; i++)
        ok = (e->tape[i] = th_model_run_tape(m, threads, err)) != NULL;
    return TH_KEEP_IF(ok, e, th_evaluator_free);
}

void th_evaluator_free(ThEvaluator *e)
{
    if (!e)
        return;
    th_pool_free(e->pool);
    for (int i = 0; i < e->threads; i++) {
        if (e->tape)
            th_tape_free(e->tape[i]);
        if (e->batch)
            th_batch_free(&e->batch[i]);
    }
    TH_FREE(e->tape, e->batch, e->shard, e);
}

void th_lab_probabilities(ThTarget target, double *z, int n)
{
    if (target == TH_TARGET_BITS) {
        for (int c = 0; c < n; c++)
            z[c] = 1 / (1 + exp(-z[c]));
        return;
    }
    double top = z[th_score_class(z, n)], sum = 0;
    for (int c = 0; c < n; c++)
        sum += z[c] = exp(z[c] - top);
    for (int c = 0; c < n; c++)
        z[c] /= sum;
}

/* Runs the model on a batch; returns its outputs on the tape. */
static ThVar forward(const ThModel *m, ThTape *tape, const ThBatch *b)
{
    ThModelForward how = {.share = true};
    th_tape_begin(tape, TH_TAPE_NO_GRADIENT);
    return th_model_forward(m, tape, b, &how);
}

bool th_lab_draw(const ThTask *t, const ThLabStrings *which, ThBatch *b, ThError *err)
{
    const ThSignature *s = &t->signature;
    ThBatch block TH_OWNED(th_batch_free) = {0};
    b->T = th_task_tokens(t, which->length);
    bool ok = th_batch_reserve(b, s, true, err);
    uint64_t stream = t->kind->perplexity ? 0 : (uint64_t)which->length << 32;
    for (int i = 0; ok && i < b->B; i += BLOCK) {
        block.B = b->B - i < BLOCK ? b->B - i : BLOCK;
        uint64_t index = stream | (uint64_t)((which->first + i) / BLOCK);
        ThRng r = th_rng(which->seed, "evaluate", index);
        ok = th_task_sample(t, &r, which->length, &block, err);
        if (ok)
            th_batch_put(b, s, i, &block);
    }
    if (!ok)
        return false;
    th_batch_pad(b, s);
    th_batch_trim(b, s);
    return true;
}

/* *there <- whether there is a string where a walk is, which goes into a batch of one. */
static bool draw_at(const ThTask *t, ThLabWalk *w, ThBatch *one, bool *there, ThError *err)
{
    ThRng r = th_rng_walk(&w->choices);
    ThError own = {0};
    one->B = 1;
    bool drawn = th_task_sample(t, &r, w->length, one, &own), rejected = w->choices.rejected;
    if (w->choices.failed)
        return th_fail(err, TH_ENOMEM, "out of memory");
    if (w->choices.uncountable)
        return th_fail(err, TH_EVALUE, "what a task of kind %s can draw cannot be counted",
                       t->kind->name);
    *there = drawn && !rejected;
    return drawn || rejected || th_fail_as(err, &own);
}

bool th_lab_draw_next(const ThTask *t, ThLabWalk *w, ThBatch *b, ThStop *stop, ThError *err)
{
    const ThSignature *s = &t->signature;
    ThBatch one TH_OWNED(th_batch_free) = {0};
    int most = b->B, n = 0;
    b->T = th_task_tokens(t, w->length);
    if (!th_batch_reserve(b, s, true, err))
        return false;
    for (; n < most && !w->done; w->done = !th_rng_walk_next(&w->choices)) {
        bool there;
        if (w->left-- <= 0)
            return th_fail(err, TH_ELIMIT, "there are too many strings of length %d", w->length);
        if (th_stopped(stop, err) || !draw_at(t, w, &one, &there, err))
            return false;
        if (there)
            th_batch_put(b, s, n++, &one);
    }
    b->B = n;
    th_batch_pad(b, s);
    th_batch_trim(b, s);
    return true;
}

void th_lab_walk_free(ThLabWalk *w)
{
    th_rng_walk_free(&w->choices);
}

static bool draw_shard(const ThEvaluator *e, int number, int thread, ThError *err)
{
    ThBatch *b = &e->batch[thread];
    int first = number * e->shard_blocks * BLOCK, most = e->shard_blocks * BLOCK;
    b->B = e->samples - first < most ? e->samples - first : most;
    return th_task_finite(e->task)
               ? th_task_take(e->task, &e->rows, e->shuffle ? &e->seed : NULL, first, b, err)
               : th_lab_draw(e->task, &(ThLabStrings){e->seed, e->length, first}, b, err);
}

/* Every matrix of the model makes a row of its width for every token, more or less. */
static long long width_of(const ThModel *m)
{
    long long width = 1;
    for (int i = 0; i < m->params.n; i++)
        width += m->params.item[i].rows > 1 ? m->params.item[i].cols : 0;
    return width;
}

static bool is_stopped(const ThEvaluator *e, Shard *to)
{
    return th_stopped(e->model->bounds ? e->model->bounds->stop : NULL, &to->err);
}

/* Adds what the model makes of a batch. */
static bool score_batch(const ThEvaluator *e, ThTape *tape, const ThBatch *b, Shard *to)
{
    const ThSignature *s = &e->task->signature;
    double loss = 0;
    long long strings = 0;
    if (is_stopped(e, to))
        return false;
    ThVar z = forward(e->model, tape, b), sum = th_loss_of_batch(tape, z, s, b, 1);
    if (!th_tape_ok(tape, &to->err))
        return false;
    th_tape_read(tape, sum, &loss);
    to->loss += loss;
    to->n += th_score_answers(s, b);
    to->right += th_score_right(tape, z, s, b);
    to->exact += th_score_exact(tape, z, s, b, &strings);
    to->strings += strings;
    return isfinite(loss) || th_model_fail_infinite(e->model, &to->err);
}

static bool run_shard(ThEvaluator *e, int number, int thread, Shard *to)
{
    const ThBatch *b = &e->batch[thread];
    if (is_stopped(e, to) || !draw_shard(e, number, thread, &to->err))
        return false;
    long long rows = TAPE_FLOATS / width_of(e->model) / b->T + 1;
    int most = b->B <= BLOCK && rows < b->B ? (int)rows : b->B;
    for (int i = 0; i < b->B; i += most) {
        ThBatch some = th_batch_slice(b, &e->task->signature, i, b->B - i < most ? b->B - i : most);
        if (!score_batch(e, e->tape[thread], &some, to))
            return false;
    }
    return true;
}

static void shard_job(void *context, int number)
{
    ThEvaluator *e = context;
    run_shard(e, number, number % e->threads, &e->shard[number]);
}

static int shard_blocks(const ThModel *m, int tokens)
{
    long long most = SHARD_FLOATS / width_of(m);
    long long blocks = (most < SHARD_TOKENS ? most : SHARD_TOKENS) / ((long long)tokens * BLOCK);
    return blocks < 1 ? 1 : blocks > SHARD_BLOCKS ? SHARD_BLOCKS : (int)blocks;
}

static bool add_up(const ThEvaluator *e, int n_shards, ThScore *score, ThError *err)
{
    double loss = 0;
    for (int i = 0; i < n_shards; i++) {
        const Shard *s = &e->shard[i];
        if (s->err.code != TH_OK)
            return th_fail_as(err, &s->err);
        score->n += s->n;
        score->right += s->right;
        score->strings += s->strings;
        score->exact += s->exact;
        loss += s->loss;
    }
    if (score->n == 0)
        return th_fail(err, TH_EVALUE, "no string of length %d has an answer", e->length);
    score->accuracy = (double)score->right / (double)score->n;
    score->loss = loss / (double)score->n;
    double strings = e->samples < score->n ? e->samples : (double)score->n;
    ThStatsInterval share = th_stats_share(score->accuracy * strings, strings);
    score->lo = share.low;
    score->hi = share.high;
    return true;
}

/* Scores the strings that the evaluator has been set to. */
static bool run_shards(ThEvaluator *e, ThScore *score, ThError *err)
{
    e->shard_blocks = shard_blocks(e->model, e->tokens);
    int n = (e->samples - 1) / (e->shard_blocks * BLOCK) + 1;
    if (!th_grow(&e->shard, &e->cap_shards, (size_t)n, sizeof *e->shard, err))
        return false;
    for (int i = 0; i < n; i++)
        e->shard[i] = (Shard){0};
    th_pool_run(e->pool, shard_job, e, n);
    return add_up(e, n, score, err);
}

bool th_evaluator_length(ThEvaluator *e, int length, int samples, ThScore *score, ThError *err)
{
    if (length < 1 || samples < 1)
        return th_fail(err, TH_EVALUE, "a length and a number of samples of at least 1 are needed");
    if (th_task_finite(e->task))
        return th_evaluator_rows(e, length, length, samples, score, err);
    e->tokens = th_task_tokens(e->task, length);
    *score = (ThScore){.length = length, .least = length, .tokens = e->tokens};
    e->length = length;
    e->samples = samples;
    score->chance = th_task_chance(e->task, length);
    return run_shards(e, score, err);
}

bool th_evaluator_rows(ThEvaluator *e, int lo, int hi, int samples, ThScore *score, ThError *err)
{
    e->rows = (ThTaskRows){TH_TASK_TEST, lo, hi};
    long long n = th_task_count(e->task, &e->rows);
    *score = (ThScore){0};
    if (!th_task_need_rows(e->task, &e->rows, err) ||
        !th_task_extent(e->task, &e->rows, &score->least, &score->length, err))
        return false;
    e->length = e->tokens = score->tokens = score->length;
    e->shuffle = samples < n;
    e->samples = e->shuffle ? samples : (int)n;
    score->chance = th_task_majority(e->task, &e->rows);
    return run_shards(e, score, err);
}

bool th_lab_logits(const ThModel *m, const int *token, int length, double *logits, ThError *err)
{
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the model has not been trained on any task yet");
    if (length < 1)
        return th_fail(err, TH_EVALUE, "a model reads at least one symbol");
    ThTape *tape TH_OWNED(th_tape_free) = th_model_run_tape(m, 1, err);
    int *copy TH_OWNED(free) = tape ? th_copy(token, (size_t)length, sizeof *token, err) : NULL;
    bool ok = copy != NULL;
    if (ok) {
        ThVar z = forward(m, tape, &(ThBatch){.B = 1, .T = length, .token = copy});
        ok = th_tape_ok(tape, err);
        if (ok)
            th_tape_read(tape, z, logits);
    }
    return ok;
}

/* What rows of logits say. */
static void decide(const ThSignature *s, const double *z, size_t rows, int *answer)
{
    size_t n = (size_t)s->n_classes;
    for (size_t i = 0; i < rows; i++) {
        if (s->target != TH_TARGET_BITS)
            answer[i] = th_score_class(z + i * n, s->n_classes);
        for (size_t c = 0; s->target == TH_TARGET_BITS && c < n; c++)
            answer[i * n + c] = z[i * n + c] > 0;
    }
}

bool th_lab_answer(const ThModel *m, ThTape *tape, const ThBatch *b, int *answer, ThError *err)
{
    const ThSignature *s = &m->signature;
    size_t rows = (size_t)th_batch_outputs(s, b);
    double *z TH_OWNED(free) = th_alloc(rows * (size_t)s->n_classes, sizeof *z, err);
    ThVar out = z ? forward(m, tape, b) : -1;
    bool ok = z && th_tape_ok(tape, err);
    if (ok) {
        th_tape_read(tape, out, z);
        decide(s, z, rows, answer);
    }
    return ok;
}

bool th_lab_predict(const ThModel *m, const int *token, int length, int *answer, ThError *err)
{
    const ThSignature *s = &m->signature;
    size_t rows = s->target == TH_TARGET_FINAL || length < 1 ? 1 : (size_t)length;
    double *z TH_OWNED(free) = th_alloc(rows * (size_t)s->n_classes, sizeof *z, err);
    bool ok = z && th_lab_logits(m, token, length, z, err);
    if (ok)
        decide(s, z, rows, answer);
    return ok;
}

void th_lab_write_set(const ThSignature *s, const int *bit, ThText *to)
{
    const char *before = "{";
    for (int c = 0; c < s->n_classes; c++) {
        if (bit[c])
            th_text_printf(to, "%s%s", before, s->label[c]);
        before = bit[c] ? "," : before;
    }
    th_text_add(to, *before == '{' ? "{}" : "}");
}
