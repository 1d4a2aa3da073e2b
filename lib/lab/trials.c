#include "lab/trials.h"

#include "base/pool.h"
#include "lab/evaluate.h"

/* Strings that are gone on with at the same time. */
enum { SHARD = 2 * TH_LAB_BLOCK };

/* Strings drawn together, and what was written behind each. */
typedef struct {
    ThBatch batch;           /* empty where strings are given */
    int n;                   /* strings */
    ThLabTrial trial[SHARD]; /* (n); words: views into batch and said */
    int *said;               /* (n, most) */
    int most;
    ThError err;
} Shard;

typedef struct {
    const ThLabTrialsPlan *plan;
    Shard *shard;
} Work;

bool th_lab_can_try(const ThTask *t)
{
    return t->kind->judge && t->signature.next;
}

void th_lab_split(const ThTask *t, const ThBatch *b, int row, ThTaskWord *prompt, ThTaskWord *truth)
{
    const int *target = th_batch_target(&t->signature, b, row);
    int from = 0, to = th_batch_length(b, row);
    while (from < to - 1 && target[from] < 0)
        from++;
    while (to > from + 1 && target[to - 1] < 0)
        to--;
    *prompt = (ThTaskWord){th_batch_token(b, row), from + 1};
    *truth = (ThTaskWord){target + from, to - from};
}

/* ---- writing ---- */

/* Strings of a shard whose prompts are as long as each other. */
typedef struct {
    int row[SHARD], n, size;
    int *prompt; /* (n, size) */
} Group;

/* Takes the rows that have no text yet and a prompt as long as the first of them has; false: there
 * are none. */
static bool next_group(const Shard *s, Group *g)
{
    g->n = 0;
    for (int i = 0; i < s->n; i++) {
        const ThLabTrial *y = &s->trial[i];
        if (y->said.token || (g->n > 0 && y->prompt.n != g->size))
            continue;
        g->size = y->prompt.n;
        memcpy(g->prompt + g->n * g->size, y->prompt.token, (size_t)g->size * sizeof *g->prompt);
        g->row[g->n++] = i;
    }
    return g->n > 0;
}

/* Symbols to be written behind a prompt at most. */
static int most_of(const ThLabTrialsPlan *p, const ThLabTrial *y)
{
    return p->how.most > 0 ? (int)p->how.most : 2 * y->truth.n;
}

static bool write_steps(const ThLabTrialsPlan *p, Shard *s, const Group *g, ThLabGenerator *w,
                        ThError *err)
{
    int symbol[SHARD];
    while (!th_generate_done(w)) {
        if (th_stopped(p->stop, err) || !th_generate_step(w, symbol, err))
            return false;
        for (int i = 0; i < g->n; i++) {
            ThLabTrial *y = &s->trial[g->row[i]];
            if (symbol[i] >= 0 && y->said.n < most_of(p, y))
                s->said[g->row[i] * s->most + y->said.n++] = symbol[i];
        }
    }
    return true;
}

/* Writes behind the prompts of a group; number: that of the shard's first string. */
static bool write_group(const ThLabTrialsPlan *p, Shard *s, const Group *g, int number,
                        ThError *err)
{
    const ThTaskWord *truth = &s->trial[g->row[0]].truth;
    ThGenerateSettings how = p->how;
    how.end = truth->token[truth->n - 1];
    how.most = s->most;
    int own[SHARD]; /* what is drawn for a string is its own, whatever group it is in */
    how.number = own;
    for (int i = 0; i < g->n; i++) {
        own[i] = number + g->row[i];
        s->trial[g->row[i]].said.token = s->said + g->row[i] * s->most;
    }
    ThGeneratePrompts prompts = {g->prompt, g->n, g->size};
    ThLabGenerator *w TH_OWNED(th_generate_free) = th_generate_open(p->model, &prompts, &how, err);
    return w && write_steps(p, s, g, w, err);
}

static bool judge(const ThTask *t, ThLabTrial *y, ThError *err)
{
    y->answer = th_task_same_answer(t, y->said, y->truth);
    return th_task_judge(t, y->prompt, y->said, &y->verdict, err);
}

static bool run_shard(const ThLabTrialsPlan *p, Shard *s, int number, ThError *err)
{
    const ThBatch *b = p->given ? p->given : &s->batch;
    int first = number * SHARD, longest = 0;
    s->n = p->samples - first < SHARD ? p->samples - first : SHARD;
    s->batch.B = s->n;
    if (!p->given &&
        !th_lab_draw(p->task, &(ThLabStrings){p->seed, p->length, first}, &s->batch, err))
        return false;
    for (int i = 0; i < s->n; i++) {
        ThLabTrial *y = &s->trial[i];
        th_lab_split(p->task, b, p->given ? first + i : i, &y->prompt, &y->truth);
        s->most = most_of(p, y) > s->most ? most_of(p, y) : s->most;
        longest = y->prompt.n > longest ? y->prompt.n : longest;
    }
    Group g = {.prompt = th_alloc((size_t)s->n * (size_t)longest, sizeof *g.prompt, err)};
    s->said = g.prompt ? th_alloc((size_t)s->n * (size_t)s->most, sizeof *s->said, err) : NULL;
    bool ok = s->said != NULL;
    while (ok && next_group(s, &g))
        ok = write_group(p, s, &g, first, err);
    for (int i = 0; ok && i < s->n; i++)
        ok = judge(p->task, &s->trial[i], err);
    free(g.prompt);
    return ok;
}

static void shard_job(void *context, int number)
{
    Work *w = context;
    Shard *s = &w->shard[number];
    run_shard(w->plan, s, number, &s->err);
}

/* ---- all ---- */

static ThTaskWord put_word(int **to, ThTaskWord w)
{
    memcpy(*to, w.token, (size_t)w.n * sizeof **to);
    *to += w.n;
    return (ThTaskWord){*to - w.n, w.n};
}

/* Moves the shards' trials together. */
static bool gather(const Work *w, int n_shards, ThLabTrials *to, ThError *err)
{
    size_t size = 0;
    for (int i = 0; i < n_shards; i++) {
        const Shard *s = &w->shard[i];
        if (s->err.code != TH_OK)
            return th_fail_as(err, &s->err);
        for (int k = 0; k < s->n; k++)
            size += (size_t)s->trial[k].prompt.n + (size_t)s->trial[k].truth.n +
                    (size_t)s->trial[k].said.n;
    }
    to->item = th_alloc((size_t)w->plan->samples, sizeof *to->item, err);
    int *end = to->memory = to->item ? th_alloc(size, sizeof *end, err) : NULL;
    for (int i = 0; end && i < n_shards; i++) {
        for (int k = 0; k < w->shard[i].n; k++) {
            ThLabTrial *y = &to->item[to->n++];
            *y = w->shard[i].trial[k];
            y->prompt = put_word(&end, y->prompt);
            y->truth = put_word(&end, y->truth);
            y->said = put_word(&end, y->said);
        }
    }
    return end != NULL;
}

bool th_lab_trials(const ThLabTrialsPlan *plan, ThLabTrials *to, ThError *err)
{
    int n = (plan->samples - 1) / SHARD + 1;
    *to = (ThLabTrials){0};
    if (!th_lab_can_try(plan->task))
        return th_fail(err, TH_EVALUE, "a task of kind %s has nothing to judge",
                       plan->task->kind->name);
    if (!th_signature_match(&plan->model->signature, &plan->task->signature, err))
        return false;
    Work w = {plan, th_alloc((size_t)n, sizeof *w.shard, err)};
    ThPool *pool = w.shard ? th_pool_new(plan->threads, err) : NULL;
    if (pool)
        th_pool_run(pool, shard_job, &w, n);
    bool ok = pool && gather(&w, n, to, err);
    for (int i = 0; w.shard && i < n; i++) {
        th_batch_free(&w.shard[i].batch);
        free(w.shard[i].said);
    }
    free(w.shard);
    th_pool_free(pool);
    if (!ok)
        th_lab_trials_free(to);
    return ok;
}

void th_lab_trials_free(ThLabTrials *t)
{
    TH_FREE(t->item, t->memory);
    *t = (ThLabTrials){0};
}
