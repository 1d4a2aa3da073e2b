#include "inspect/receptive_field.h"

#include <math.h>

static const double CARRIED = 0.99;

/* Buffers of the loop over strings. */
typedef struct {
    ThTape *tape;
    ThBatch batch;
    double *logits, *seed; /* of all positions that answer */
    double *gradient;      /* (length, width of the embedding) */
    size_t n_logits, n_gradient;
} Probe;

static bool make_room(double **buffer, size_t *have, size_t need, ThError *err)
{
    return th_grow(buffer, have, need, sizeof **buffer, err);
}

/* Sets the seed of the backward pass: one at the greatest logit of the last answer. */
static bool choose_winner(Probe *p, ThVar answer, ThError *err)
{
    int rows = th_tape_rows(p->tape, answer), cols = th_tape_cols(p->tape, answer);
    size_t n = (size_t)rows * cols, have = p->n_logits;
    if (!make_room(&p->logits, &have, n, err) || !make_room(&p->seed, &p->n_logits, n, err))
        return false;
    th_tape_read(p->tape, answer, p->logits);
    size_t best = (size_t)(rows - 1) * cols;
    for (size_t i = 0; i < n; i++) {
        p->seed[i] = 0;
        if (i > best && p->logits[i] > p->logits[best])
            best = i;
    }
    p->seed[best] = 1;
    return true;
}

/* Adds the cumulated shares of one string to sum. */
static bool add_shares(Probe *p, ThVar embedding, int length, double *sum, ThError *err)
{
    int cols = th_tape_cols(p->tape, embedding);
    if (th_tape_rows(p->tape, embedding) != length)
        return th_fail(err, TH_EVALUE, "the model does not show the embedding of every position");
    if (!make_room(&p->gradient, &p->n_gradient, (size_t)length * cols, err))
        return false;
    th_tape_read_gradient(p->tape, embedding, p->gradient);
    double total = 0;
    for (int m = 0; m < length; m++) {
        double square = 0;
        for (int j = 0; j < cols; j++)
            square += pow(p->gradient[(size_t)m * cols + j], 2);
        p->gradient[m] = sqrt(square); /* m <= m * cols: not needed any more */
        total += p->gradient[m];
    }
    if (!isfinite(total) || total <= 0)
        return th_fail(err, TH_ENUMERIC,
                       "the gradient of an answer is %s: there is no receptive field to show",
                       total == 0 ? "zero everywhere" : "not finite");
    double carried = 0;
    for (int m = length - 1; m >= 0; m--) {
        carried += p->gradient[m] / total;
        sum[m] += carried;
    }
    return true;
}

static bool probe(Probe *p, const ThModel *m, double *sum, ThError *err)
{
    ThModelForward how = {.share = false};
    th_tape_begin(p->tape, TH_TAPE_GRADIENT);
    ThVar answer = th_model_forward(m, p->tape, &p->batch, &how);
    ThVar embedding = th_tape_find(p->tape, "embedding", -1);
    if (!th_tape_ok(p->tape, err))
        return false;
    if (embedding < 0)
        return th_fail(err, TH_EVALUE, "a model of kind %s has no embedding to look at",
                       m->kind->name);
    return choose_winner(p, answer, err) && th_tape_backward(p->tape, answer, p->seed, err) &&
           add_shares(p, embedding, p->batch.T, sum, err);
}

/* Where strings come from: a task, or words. */
typedef struct {
    const ThTask *task;
    uint64_t seed;
    int *const *word;
    int length; /* that is asked for; a task's strings may have more symbols */
} Source;

static bool take_string(const Source *from, int s, ThBatch *b, ThError *err)
{
    ThRng r = th_rng(from->seed, "inspect.field", (uint64_t)s);
    if (from->task)
        return th_task_sample(from->task, &r, from->length, b, err);
    free(b->token);
    b->token = th_copy(from->word[s], (size_t)from->length, sizeof *b->token, err);
    b->T = from->length;
    return b->token != NULL;
}

static bool measure(Probe *p, ThField *f, const ThModel *m, const Source *from, ThStop *stop,
                    ThError *err)
{
    p->tape = th_model_tape(m, TH_TAPE_FLOAT, 1, err);
    bool ok = p->tape && (f->token = th_alloc((size_t)f->length, sizeof *f->token, err));
    int longest = 0;
    p->batch.B = 1;
    for (int s = 0; ok && s < f->strings; s++) {
        ok = !th_stopped(stop, err) && take_string(from, s, &p->batch, err) &&
             probe(p, m, f->cumulative, err);
        if (ok && s == 0)
            memcpy(f->token, p->batch.token, (size_t)p->batch.T * sizeof *f->token);
        longest = p->batch.T > longest ? p->batch.T : longest;
    }
    f->length = longest;
    return ok;
}

static void finish(ThField *f)
{
    for (int m = 0; m < f->length; m++)
        f->cumulative[m] /= f->strings;
    int from = f->length - 1;
    while (from > 0 && f->cumulative[from] < CARRIED)
        from--;
    f->reach = (double)(f->length - from) / f->length;
}

static ThField *field_of(const ThModel *m, const Source *from, int strings, ThStop *stop,
                         ThError *err)
{
    Probe p = {0};
    ThField *f = th_alloc(1, sizeof *f, err);
    if (!f)
        return NULL;
    f->length = from->task ? th_task_tokens(from->task, from->length) : from->length;
    f->strings = strings;
    f->cumulative = th_alloc((size_t)f->length, sizeof *f->cumulative, err);
    bool ok = f->cumulative && measure(&p, f, m, from, stop, err);
    if (ok)
        finish(f);
    th_tape_free(p.tape);
    th_batch_free(&p.batch);
    TH_FREE(p.logits, p.seed, p.gradient);
    return TH_KEEP_IF(ok, f, th_field_free);
}

ThField *th_field(const ThModel *m, const ThTask *t, int length, int strings, uint64_t seed,
                  ThStop *stop, ThError *err)
{
    if (!m->bound)
        return th_null(th_fail(err, TH_EVALUE, "the model has not been trained on anything yet"));
    if (!th_signature_match(&m->signature, &t->signature, err))
        return NULL;
    return field_of(m, &(Source){.task = t, .seed = seed, .length = length}, strings, stop, err);
}

ThField *th_field_of(const ThModel *m, int *const *word, int n, int length, ThStop *stop,
                     ThError *err)
{
    return field_of(m, &(Source){.word = word, .length = length}, n, stop, err);
}

void th_field_free(ThField *f)
{
    if (!f)
        return;
    TH_FREE(f->cumulative, f->token, f);
}
