/* verify_texts.c - verify.h for tasks that ask for texts: prompts take the place of words. */
#include "inspect/verify.h"

#include <stdio.h>

#include "lab/evaluate.h"

enum { AT_ONCE = 256 };

typedef struct {
    ThLabTrialsPlan plan;
    const ThInspectVerification *how;
    ThInspectVerified *v;
    ThBatch batch;
} Verify;

/* *n <- how many prompts there are of a length; -1: more than may still be read, or no end of them.
 */
static bool count(const Verify *x, int length, long long *n, ThError *err)
{
    ThBatch b TH_OWNED(th_batch_free) = {0};
    ThLabWalk w TH_OWNED(th_lab_walk_free) = {.length = length,
                                              .left = x->how->words - x->v->words};
    ThError own = {0};
    for (*n = 0; !w.done && own.code == TH_OK; *n += b.B) {
        b.B = AT_ONCE;
        if (!th_lab_draw_next(x->plan.task, &w, &b, x->how->stop, &own))
            break;
    }
    if (own.code == TH_OK)
        return true;
    *n = -1;
    return own.code == TH_ELIMIT || w.choices.uncountable || th_fail_as(err, &own);
}

static int *copy(ThTaskWord w, int *n, ThError *err)
{
    *n = w.n;
    return th_copy(w.token, (size_t)w.n, sizeof *w.token, err);
}

static bool keep(ThInspectVerified *v, const ThLabTrial *y, ThError *err)
{
    v->at = y->verdict.at;
    snprintf(v->what, sizeof v->what, "%s", y->verdict.what);
    v->word = copy(y->prompt, &v->n_word, err);
    v->due = copy(y->truth, &v->n_due, err);
    v->said = copy(y->said, &v->n_said, err);
    return v->word && v->due && v->said;
}

/* Has the model write behind prompts, those of x->batch or drawn ones. */
static bool read_texts(Verify *x, bool given, int n, ThError *err)
{
    ThInspectVerified *v = x->v;
    ThInspectVerifiedLength *l = &v->length[v->n - 1];
    ThLabTrials trials TH_OWNED(th_lab_trials_free) = {0};
    x->plan.length = l->length;
    x->plan.samples = n;
    x->plan.given = given ? &x->batch : NULL;
    bool ok = th_lab_trials(&x->plan, &trials, err);
    for (int i = 0; ok && i < trials.n; i++) {
        l->words++;
        l->wrong += !trials.item[i].verdict.right;
        if (!trials.item[i].verdict.right && !v->word) {
            v->shortest = l->all && x->how->length.lo == 1 && x->how->length.step == 1;
            ok = keep(v, &trials.item[i], err);
        }
    }
    return ok;
}

static bool read_all(Verify *x, int length, ThError *err)
{
    ThLabWalk w TH_OWNED(th_lab_walk_free) = {.length = length, .left = x->how->words};
    while (!w.done) {
        x->batch.B = AT_ONCE;
        if (!th_lab_draw_next(x->plan.task, &w, &x->batch, x->how->stop, err) ||
            (x->batch.B > 0 && !read_texts(x, true, x->batch.B, err)))
            return false;
        if (x->how->progress)
            x->how->progress(x->how->context, x->v->words + x->v->length[x->v->n - 1].words,
                             length);
    }
    return true;
}

static bool read_length(Verify *x, int length, bool *whole, ThError *err)
{
    ThInspectVerified *v = x->v;
    long long n = -1;
    if (th_task_length(x->plan.task, length) != length)
        return true; /* strings of another length are meant, whose turn is another */
    if (*whole && !count(x, length, &n, err))
        return false;
    *whole = n >= 0;
    if (*whole ? n == 0 : x->how->samples == 0)
        return true;
    ThInspectVerifiedLength *l = &v->length[v->n++];
    *l = (ThInspectVerifiedLength){.length = length, .all = *whole};
    if (!(*whole ? read_all(x, length, err) : read_texts(x, false, x->how->samples, err)))
        return false;
    if (*whole)
        v->all = length;
    *(*whole ? &v->words : &v->drawn) += l->words;
    *(*whole ? &v->wrong : &v->drawn_wrong) += l->wrong;
    return true;
}

bool th_inspect_verify_texts(const ThLabTrialsPlan *plan, const ThInspectVerification *how,
                             ThInspectVerified *v, ThError *err)
{
    ThRange l = how->length;
    *v = (ThInspectVerified){.step = (int)l.step, .texts = true};
    Verify x = {.plan = *plan, .how = how, .v = v};
    x.plan.seed = how->seed;
    x.plan.stop = how->stop;
    v->length = th_alloc(th_range_count(l), sizeof *v->length, err);
    bool whole = true, ok = v->length != NULL;
    for (long long n = l.lo; ok && n <= l.hi; n += l.step)
        ok = read_length(&x, (int)n, &whole, err);
    if (ok && v->n == 0)
        ok = th_fail(err, TH_EVALUE, "words= and samples= are too few to read any prompt");
    th_batch_free(&x.batch);
    return ok;
}
