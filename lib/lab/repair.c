/* repair.c - a proof of a model that is nearly right, with as little change as is found. */
#include <math.h>

#include "lab/train_impl.h"
#include "lab/until_impl.h"

typedef struct {
    ThTrainRun run;
    ThTrainProving how; /* of a training */
    ThModel *was;       /* as it was */
    float *came;        /* the parameters that were proved */
    size_t n;
} Repair;

/* Is the model proved as it is? */
static bool ask(Repair *r, bool *proved, ThError *err)
{
    ThModelStage now = {.verdict = -1};
    bool ok = th_train_ask(&r->run, &now, err);
    *proved = ok && r->run.to->certificate;
    return ok;
}

/* Trains from where the model was, gently first. */
static bool train(Repair *r, long long steps, int *tries, bool *proved, ThError *err)
{
    static const double rates[] = {0.02, 0.1, 0.4, 1};
    ThModel *m = r->how.model;
    bool ok = true;
    for (size_t i = 0; ok && !*proved && i < sizeof rates / sizeof *rates; i++) {
        th_train_put_back(m, r->was->params.value);
        r->how.rate = rates[i];
        r->how.most = m->training.step + steps;
        ok = th_train_stages(&r->run, err);
        *proved = ok && r->run.to->certificate;
        ++*tries;
    }
    return ok;
}

/* The parameters at a part of the way. */
static void go(Repair *r, double part)
{
    float *value = r->how.model->params.value, *was = r->was->params.value;
    for (size_t i = 0; i < r->n; i++)
        value[i] = (float)((1 - part) * (double)was[i] + part * (double)r->came[i]);
}

/* As little of the way as is proved, halving by halving; ends with the proof of that. */
static bool shorten(Repair *r, double *part, ThError *err)
{
    enum { HALVINGS = 5 };
    double none = 0;
    bool proved = true, ok = true;
    memcpy(r->came, r->how.model->params.value, r->n * sizeof *r->came);
    *part = 1;
    for (int i = 0; ok && i < HALVINGS; i++) {
        double middle = (none + *part) / 2;
        go(r, middle);
        ok = ask(r, &proved, err);
        *(proved ? part : &none) = middle;
    }
    if (ok && !proved) {
        go(r, *part);
        ok = ask(r, &proved, err);
    }
    return ok;
}

static double length_of_way(const Repair *r)
{
    double way = 0, all = 0;
    for (size_t i = 0; i < r->n; i++) {
        double was = (double)r->was->params.value[i],
               off = (double)r->how.model->params.value[i] - was;
        way += off * off;
        all += was * was;
    }
    return sqrt(way / fmax(all, 1e-300));
}

static bool repair(Repair *r, long long steps, ThTrainRepaired *to, ThError *err)
{
    bool proved = false;
    if (!ask(r, &proved, err))
        return false;
    if (proved)
        return true;
    if (!train(r, steps, &to->tries, &proved, err) || (proved && !shorten(r, &to->part, err)))
        return false;
    if (!proved) {
        th_train_put_back(r->how.model, r->was->params.value);
        if (!ask(r, &proved, err)) /* what is said is of these */
            return false;
    }
    to->moved = length_of_way(r);
    return true;
}

/* What was trained counts for nothing: parameters, steps, what the optimizer remembers. */
static void leave_as_it_was(Repair *r)
{
    ThModel *m = r->how.model;
    ThModelTraining tried = m->training;
    th_train_put_back(m, r->was->params.value);
    m->training = r->was->training;
    r->was->training = tried;
}

bool th_train_repair(const ThTrainProving *how, long long steps, ThTrainProof *to,
                     ThTrainRepaired *repaired, ThError *err)
{
    Repair r = {.how = *how, .n = how->model->params.total};
    *repaired = (ThTrainRepaired){0};
    *to = (ThTrainProof){0};
    r.was = th_model_copy(how->model, err);
    r.came = th_params_floats(r.n, err);
    bool ok = r.was && r.came && th_train_run_open(&r.run, &r.how, to, err) &&
              repair(&r, steps, repaired, err);
    if (r.was && !(ok && to->certificate))
        leave_as_it_was(&r);
    th_train_claim_free(&r.run.claim);
    th_model_free(r.was);
    free(r.came);
    return ok;
}
