#include "lab/validation.h"

#include <limits.h>

#include "lab/evaluate.h"
#include "lab/train.h"

struct ThTrainValidation {
    ThModel *model;
    const ThTask *task;
    ThEvaluator *evaluator;
    ThRange lengths;
    int samples;
    long long every, patience;
    bool keep;
};

enum { KEEP_LAST, KEEP_BEST }; /* keep= */

static bool check(const ThOptions *o, ThError *err)
{
    static const char *const needy[] = {"samples", "keep", "patience"};
    for (size_t i = 0; i < sizeof needy / sizeof *needy; i++)
        if (th_option_given(o, needy[i]))
            return th_fail(err, TH_EUSAGE,
                           "%s= is about validations: validate= says on which lengths they are",
                           needy[i]);
    return true;
}

bool th_train_validation_new(ThTrainValidation **to, ThModel *m, const ThTask *t,
                             const ThOptions *o, int threads, ThError *err)
{
    *to = NULL;
    if (!th_option_given(o, "validate"))
        return check(o, err);
    ThTrainValidation *v = th_alloc(1, sizeof *v, err);
    if (!v)
        return false;
    *v = (ThTrainValidation){.model = m,
                             .task = t,
                             .lengths = th_option_range(o, "validate"),
                             .samples = (int)th_option_int(o, "samples"),
                             .every = th_option_int(o, "every"),
                             .patience = th_option_int_or(o, "patience", LLONG_MAX),
                             .keep = th_option_choice(o, "keep") == KEEP_BEST};
    ThTaskRows rows = {TH_TASK_TEST, (int)v->lengths.lo, (int)v->lengths.hi};
    bool given = th_option_given(o, "seed"); /* the model takes it when training begins */
    uint64_t seed = given ? (uint64_t)th_option_int(o, "seed") : m->training.seed;
    ThRng own = th_rng(seed, "train.validate", 0);
    *to = v;
    if (th_task_finite(t) && !th_task_need_rows(t, &rows, err))
        return false;
    v->evaluator = th_evaluator_new(m, t, (long long)th_rng_next(&own), threads, err);
    return v->evaluator != NULL;
}

void th_train_validation_free(ThTrainValidation *v)
{
    if (!v)
        return;
    th_evaluator_free(v->evaluator);
    free(v);
}

bool th_train_validation_due(const ThTrainValidation *v, bool last)
{
    const ThModelTraining *t = &v->model->training;
    long long done = t->n_validations ? t->validation[t->n_validations - 1].step : 0;
    return t->step > done && (last || t->step % v->every == 0);
}

/* Means over the lengths; of a data set over its rows. */
static bool measure(ThTrainValidation *v, ThModelValidation *to, ThError *err)
{
    ThScore x;
    ThRange l = v->lengths;
    if (th_task_finite(v->task)) {
        if (!th_evaluator_rows(v->evaluator, (int)l.lo, (int)l.hi, v->samples, &x, err))
            return false;
        to->accuracy = x.accuracy;
        to->loss = x.loss;
        return true;
    }
    double n = (double)th_range_count(l);
    for (long long length = l.lo; length <= l.hi; length += l.step) {
        if (!th_evaluator_length(v->evaluator, (int)length, v->samples, &x, err))
            return false;
        to->accuracy += x.accuracy / n;
        to->loss += x.loss / n;
    }
    return true;
}

const ThModelValidation *th_train_best(const ThModelTraining *t, long long first)
{
    const ThModelValidation *best = NULL;
    for (size_t i = 0; i < t->n_validations; i++) {
        const ThModelValidation *v = &t->validation[i];
        if (v->step > first && (!best || v->accuracy > best->accuracy ||
                                (v->accuracy == best->accuracy && v->loss < best->loss)))
            best = v;
    }
    return best;
}

bool th_train_validate(ThTrainValidation *v, long long first, ThError *err)
{
    ThModelTraining *t = &v->model->training;
    const ThParams *p = &v->model->params;
    ThModelValidation found = {.step = t->step};
    if (!measure(v, &found, err) ||
        !th_grow(&t->validation, &t->cap_validations, t->n_validations + 1, sizeof *t->validation,
                 err) ||
        (v->keep && !t->best && !(t->best = th_params_floats(p->total, err))))
        return false;
    t->validation[t->n_validations++] = found;
    if (v->keep && th_train_best(t, first)->step == t->step)
        memcpy(t->best, p->value, p->total * sizeof *t->best);
    return true;
}

bool th_train_out_of_patience(const ThTrainValidation *v, long long first)
{
    const ThModelTraining *t = &v->model->training;
    const ThModelValidation *best = th_train_best(t, first);
    return best && t->validation + t->n_validations - 1 - best >= v->patience;
}
