#include "lab/train.h"

#include <limits.h>
#include <math.h>

#include "lab/train_impl.h"
#include "models/ablation.h"
#include "tensor/kernels/kernels.h"

/* ---- making ---- */

static void read_options(ThTrainer *tr, const ThOptions *o)
{
    tr->lengths = th_option_range(o, "length");
    tr->batch_size = (int)th_option_int(o, "batch");
    tr->curriculum = th_option_choice(o, "curriculum");
    tr->full = th_option_real(o, "full_length");
    tr->threshold = th_option_real(o, "threshold");
    tr->growth = th_option_real(o, "growth");
    tr->first = tr->model->training.step;
    tr->last_step = tr->first + th_option_int(o, "steps");
    tr->rate = th_option_real(o, "lr");
    tr->schedule = th_option_choice(o, "schedule");
    tr->warmup = th_option_int(o, "warmup");
    tr->max_norm = th_option_real(o, "clip");
    tr->noise = th_option_real(o, "noise");
    tr->joins = th_option_given(o, "counterexamples") || th_option_choice(o, "until") > 0;
    tr->ramp = th_option_real(o, "ramp");
    const ThOptimizer *rule = th_optimizer_find(th_option_text(o, "optimizer"));
    bool given = th_option_given(o, "momentum");
    tr->update =
        (ThOptimizerUpdate){.rule = rule,
                            .beta1 = th_option_real(o, "beta1"),
                            .beta2 = th_option_real(o, "beta2"),
                            .eps = 1e-8,
                            .momentum = given ? th_option_real(o, "momentum") : rule->momentum,
                            .decay = th_option_real(o, "decay")};
}

/* The optimiser's memory; another rule than last time starts afresh. */
static bool prepare_moments(ThModel *m, const ThOptimizer *rule, ThError *err)
{
    ThModelTraining *t = &m->training;
    if (t->optimizer && strcmp(t->optimizer, rule->name) == 0)
        return true;
    char *name = th_strdup(rule->name, err);
    float *moment[TH_OPTIMIZER_SLOTS] = {0};
    bool ok = name != NULL;
    for (int i = 0; ok && i < rule->slots; i++)
        ok = (moment[i] = th_params_floats(m->params.total, err)) != NULL;
    if (!ok) {
        free(name);
        for (int i = 0; i < TH_OPTIMIZER_SLOTS; i++)
            free(moment[i]);
        return false;
    }
    free(t->optimizer);
    t->optimizer = name;
    t->updates = 0;
    for (int i = 0; i < TH_OPTIMIZER_SLOTS; i++) {
        free(t->moment[i]);
        t->moment[i] = moment[i];
    }
    return true;
}

static bool prepare_scratch(ThTrainer *tr, ThError *err)
{
    tr->scratch_size = th_optimizer_scratch(tr->update.rule, &tr->model->params);
    tr->scratch = th_params_floats(tr->scratch_size * (size_t)tr->n_shards, err);
    return tr->scratch != NULL;
}

/* What every step takes at least: the parameters with their gradients and moments, and the symbols
 * of the longest batch. */
static bool affords(const ThTrainer *tr, int tapes, ThError *err)
{
    double longest = (double)tr->lengths.lo +
                     (double)tr->lengths.step * ((double)th_range_count(tr->lengths) - 1);
    double blocks = 1 + tapes + tr->update.rule->slots;
    return th_model_affords(tr->model,
                            (double)tr->model->params.total * sizeof(float) * blocks +
                                (double)tr->batch_size * longest * sizeof(int),
                            "this training", err);
}

static bool prepare_shards(ThTrainer *tr, int threads, ThError *err)
{
    int n = threads < tr->batch_size ? threads : tr->batch_size;
    if (!affords(tr, n, err))
        return false;
    tr->pool = th_pool_new(n, err);
    tr->shard = th_alloc((size_t)n, sizeof *tr->shard, err);
    tr->tape = th_alloc((size_t)n, sizeof *tr->tape, err);
    if (!tr->pool || !tr->shard || !tr->tape)
        return false;
    tr->n_shards = n;
    for (int i = 0; i < n; i++) {
        tr->shard[i].tape = tr->tape[i] = th_model_tape(tr->model, TH_TAPE_FLOAT, n, err);
        if (!tr->tape[i])
            return false;
        th_tape_keep_products(tr->tape[i], true);
    }
    return true;
}

/* Binds the model with the seed asked for. */
static bool prepare_model(ThTrainer *tr, const ThOptions *o, ThError *err)
{
    ThModel *m = tr->model;
    bool given = th_option_given(o, "seed"), fresh = !m->bound;
    bool to_table = m->kind->advance && th_option_real(o, "table_loss") > 0;
    if (tr->noise > 0 && !m->kind->takes_noise && !to_table)
        return th_fail(err, TH_EUSAGE, "noise is added to the levels of a model, and %s has none",
                       m->kind->name);
    if (!th_model_bind(m, &tr->task->signature, given ? (uint64_t)th_option_int(o, "seed") : 1,
                       err))
        return false;
    tr->fresh = fresh;
    return true;
}

/* What changes in a model once its trainer is sure to start; one that has been trained keeps its
 * own stream of strings unless told otherwise. */
static void adopt_options(ThModel *m, const ThOptions *o)
{
    if (th_option_given(o, "seed"))
        m->training.seed = (uint64_t)th_option_int(o, "seed");
    if (m->training.reach < 3)
        m->training.reach = 3;
}

/* Of a data set all rows are meant unless lengths are given, and there must be some. */
static bool choose_rows(ThTrainer *tr, const ThOptions *o, ThError *err)
{
    ThTaskRows rows = {TH_TASK_TRAIN, 1, INT_MAX};
    if (!th_option_given(o, "length"))
        tr->lengths = th_task_lengths(tr->task, tr->lengths);
    if (!th_task_finite(tr->task))
        return true;
    if (th_option_given(o, "length")) {
        rows.lo = (int)tr->lengths.lo;
        rows.hi = (int)tr->lengths.hi;
    }
    if (tr->lengths.step != 1)
        return th_fail(err, TH_EUSAGE, "rows are chosen by length=A..B; there is no step");
    int shortest, longest;
    if (!th_task_need_rows(tr->task, &rows, err) ||
        !th_task_extent(tr->task, &rows, &shortest, &longest, err))
        return false;
    tr->lengths = (ThRange){shortest, longest, 1};
    return true;
}

/* False, where there are too many functions with a hint. */
static bool note_functions(ThError *err)
{
    return err && err->code == TH_ELIMIT &&
           th_hint(err, "auxiliary_loss=, centre_loss=, contraction_loss=, table_loss= and "
                        "segments=balanced know each function on the automaton's states that "
                        "strings have");
}

/* The parts that a tree is made of end where its chunks do. */
static bool choose_parts(ThTrainer *tr, const ThOptions *o, ThError *err)
{
    const ThTask *t = tr->task;
    const ThModel *m = tr->model;
    int how = th_option_choice(o, "segments");
    if (how == SEGMENTS_NONE)
        return true;
    if (!t->machine || t->kind->ragged || t->kind->tokens || t->kind->study || th_task_finite(t))
        return th_fail(err, TH_EUSAGE,
                       "segments= wants strings that an automaton labels, and those of %s are not",
                       t->kind->name);
    tr->part = m->kind->combine ? (int)th_option_int(&m->options, "arity") : 1;
    if (how == SEGMENTS_DRAWN)
        return true;
    if (!m->kind->combine)
        return th_fail(err, TH_EUSAGE,
                       "segments=balanced is about trees, which this model has not");
    int longest = th_task_length(t, (int)tr->lengths.hi);
    tr->balance = th_train_balance_new(t, tr->part, longest, err);
    return tr->balance || note_functions(err);
}

static bool prepare_pull(ThTrainer *tr, const ThOptions *o, ThError *err)
{
    ThTrainPullHow how = {.pull = th_option_real(o, "centre_loss"),
                          .auxiliary = th_option_real(o, "auxiliary_loss"),
                          .gate = th_option_real(o, "loss_threshold"),
                          .shards = tr->n_shards};
    if (how.auxiliary > 0 && how.pull == 0 && tr->task->kind->meaning) {
        tr->meaning = th_train_meaning_new(tr->model, tr->task, how.auxiliary, how.shards, err);
        return tr->meaning != NULL;
    }
    if (how.pull == 0 && how.auxiliary == 0)
        return true;
    tr->pull = th_train_pull_new(tr->model, tr->task, &how, err);
    return tr->pull || note_functions(err);
}

static bool prepare_contract(ThTrainer *tr, const ThOptions *o, ThError *err)
{
    ThTrainContractHow how = {.weight = th_option_real(o, "contraction_loss"),
                              .radius = th_option_real(o, "radius"),
                              .shards = tr->n_shards};
    if (how.weight == 0)
        return true;
    tr->contract = th_train_contract_new(tr->model, tr->task, &how, err);
    return tr->contract || note_functions(err);
}

static bool prepare_table(ThTrainer *tr, const ThOptions *o, ThError *err)
{
    double weight = th_option_real(o, "table_loss");
    if (weight == 0)
        return true;
    tr->table = th_train_table_new(tr->model, tr->task, weight, tr->n_shards, err);
    return tr->table || note_functions(err);
}

ThTrainer *th_trainer_new(ThModel *m, const ThTask *t, const ThOptions *options, int threads,
                          ThError *err)
{
    ThTrainer *tr = th_model_whole(m, "training", err) ? th_alloc(1, sizeof *tr, err) : NULL;
    if (!tr)
        return NULL;
    tr->model = m;
    tr->task = t;
    read_options(tr, options);
    if (!choose_rows(tr, options, err) || !choose_parts(tr, options, err) ||
        !prepare_model(tr, options, err) || !prepare_shards(tr, threads, err) ||
        !prepare_scratch(tr, err) || !prepare_pull(tr, options, err) ||
        !prepare_contract(tr, options, err) || !prepare_table(tr, options, err) ||
        !th_train_validation_new(&tr->validation, m, t, options, threads, err) ||
        !prepare_moments(m, tr->update.rule, err)) {
        th_trainer_free(tr);
        return NULL;
    }
    adopt_options(m, options);
    return tr;
}

void th_trainer_free(ThTrainer *tr)
{
    if (!tr)
        return;
    th_pool_free(tr->pool);
    th_train_validation_free(tr->validation);
    for (int i = 0; i < tr->n_shards; i++)
        th_tape_free(tr->tape[i]);
    TH_FREE(tr->shard, tr->tape, tr->scratch);
    th_train_pull_free(tr->pull);
    th_train_meaning_free(tr->meaning);
    th_train_contract_free(tr->contract);
    th_train_table_free(tr->table);
    th_train_balance_free(tr->balance);
    th_batch_free(&tr->drawn);
    th_batch_free(&tr->both);
    if (tr->fresh)
        th_model_unbind(tr->model);
    free(tr);
}

/* ---- a step ---- */

static double present_noise(const ThTrainer *tr)
{
    return tr->ramp > 0 ? tr->noise * fmin(1, th_train_share_done(tr) / tr->ramp) : tr->noise;
}

/* The loss that the parameters move by, given that of the answers. */
static ThVar whole_loss(ThTrainer *tr, int i, const ThModelRouting *routing, ThVar loss)
{
    Shard *s = &tr->shard[i];
    loss = th_model_priced(s->tape, loss, 1.0 / tr->batch.B);
    if (tr->contract)
        loss = th_train_contract_add(tr->contract, s->tape, routing, i, &s->noise, loss);
    const ThTrainShard how = {i, present_noise(tr), &s->noise};
    if (tr->table)
        loss = th_train_table_add(tr->table, s->tape, routing, &how, loss);
    if (tr->meaning && loss >= 0)
        loss = th_train_meaning_add(tr->meaning, s->tape, &s->batch, i, loss);
    if (!tr->pull || loss < 0)
        return loss;
    return th_train_pull_add(tr->pull, s->tape, routing, loss, &how);
}

static void run_shard(void *context, int i)
{
    ThTrainer *tr = context;
    Shard *s = &tr->shard[i];
    const ThModel *m = tr->model;
    s->noise =
        th_rng(m->training.seed, "train.noise", (uint64_t)m->training.step * 1024u + (uint64_t)i);
    ThModelRouting routing;
    ThModelForward how = {
        .share = true, .noise = present_noise(tr), .rng = &s->noise, .routing = &routing};
    s->err = (ThError){0};
    th_tape_begin(s->tape, TH_TAPE_GRADIENT);
    ThVar z = th_model_forward(m, s->tape, &s->batch, &how);
    ThVar loss =
        th_loss_of_batch(s->tape, z, &m->signature, &s->batch, 1.0 / fmax(1, (double)tr->answers));
    if (!th_tape_backward(s->tape, whole_loss(tr, i, &routing, loss), NULL, &s->err))
        return;
    if (tr->contract)
        th_train_contract_turn(tr->contract, s->tape, i);
    if (tr->table)
        th_train_table_turn(tr->table, s->tape, i);
    th_tape_read(s->tape, loss, &s->loss);
    ThBatch drawn = th_batch_slice(&s->batch, &m->signature, 0, s->drawn);
    s->right = th_score_right(s->tape, z, &m->signature, &drawn);
}

/* Each thread adds up and measures a part. */
static void sum_slice(void *context, int i)
{
    ThTrainer *tr = context;
    size_t total = tr->model->params.total, size = total / (size_t)tr->n_shards;
    size_t from = size * (size_t)i, to = i + 1 == tr->n_shards ? total : from + size;
    tr->shard[i].squares = th_tape_sum_gradients(tr->tape, tr->n_shards, i, tr->n_shards);
    tr->shard[i].size = th_kernel_sum_squares(tr->model->params.value + from, to - from);
}

static ThOptimizerState optimizer_state(const ThTrainer *tr, int i)
{
    return (ThOptimizerState){.params = &tr->model->params,
                              .slot = tr->model->training.moment,
                              .gradient = th_tape_gradient(tr->tape[0]),
                              .scratch = tr->scratch + (size_t)i * tr->scratch_size};
}

static void prepare_part(void *context, int i)
{
    ThTrainer *tr = context;
    ThOptimizerState s = optimizer_state(tr, i);
    th_optimizer_prepare(&tr->update, &s, i, tr->n_shards);
}

static void update_part(void *context, int i)
{
    ThTrainer *tr = context;
    ThOptimizerState s = optimizer_state(tr, i);
    th_optimizer_update(&tr->update, &s, i, tr->n_shards);
}

static double scheduled_rate(const ThTrainer *tr)
{
    double step = (double)(tr->model->training.step - tr->first), rate = tr->rate;
    double part = th_train_share_done(tr);
    double warmup = (double)tr->warmup, steps = (double)(tr->last_step - tr->first);
    if (tr->warmup > 0)
        rate *= fmin(1, (step + 1) / warmup);
    if (tr->schedule == SCHEDULE_LINEAR && step >= warmup)
        rate *= (steps - step) / (steps - warmup); /* from lr, which the warm-up has come to */
    if (tr->schedule == SCHEDULE_COSINE)
        rate *= 0.02 + 0.98 * 0.5 * (1 + cos(M_PI * part));
    if (tr->schedule == SCHEDULE_ROOT)
        rate /= sqrt(fmax(step + 1, (double)tr->warmup));
    return rate;
}

/* The loss and the right answers of all parts; a failure of one is that of all. */
static bool add_scores(ThTrainer *tr, ThError *err)
{
    double loss = 0, right = 0;
    for (int i = 0; i < tr->n_shards; i++) {
        const Shard *s = &tr->shard[i];
        if (s->err.code != TH_OK)
            return th_fail_as(err, &s->err);
        loss += s->loss;
        right += (double)s->right;
    }
    tr->step_loss = loss;
    tr->step_accuracy = right / fmax(1, (double)tr->scored);
    return true;
}

static bool collect(ThTrainer *tr, double *norm, ThError *err)
{
    if (!add_scores(tr, err))
        return false;
    th_pool_run(tr->pool, sum_slice, tr, tr->n_shards);
    double squares = 0, size = 0;
    for (int i = 0; i < tr->n_shards; i++) {
        squares += tr->shard[i].squares;
        size += tr->shard[i].size;
    }
    *norm = sqrt(squares);
    /* Of parameters the square overflows first: one more step cannot make them infinite. */
    const char *what = !isfinite(tr->step_loss) ? "loss"
                       : !isfinite(*norm)       ? "gradient"
                       : !isfinite(size)        ? "size of the parameters"
                                                : NULL;
    if (!what)
        return true;
    return th_fail(err, TH_ENUMERIC,
                   "the %s is not a finite number in step %lld; the model is as after step %lld",
                   what, tr->model->training.step + 1, tr->model->training.step) ||
           th_hint(err, "a smaller learning rate (lr=) or clip= may help");
}

/* Running accuracy above the threshold lets the longest strings grow, at least by 2. */
static void adapt(ThTrainer *tr)
{
    ThModelTraining *t = &tr->model->training;
    t->ema = 0.95 * t->ema + 0.05 * tr->step_accuracy;
    if (t->ema > tr->threshold && t->reach < (double)tr->lengths.hi) {
        t->reach = fmin(fmax(t->reach + 2, floor(t->reach * tr->growth)), (double)tr->lengths.hi);
        t->ema = 0.6;
    }
}

static bool record(ThTrainer *tr, ThError *err)
{
    ThModelTraining *t = &tr->model->training;
    enum { EVERY_STEP = 50, STRIDE = 10 };
    double keep = 0.98;
    t->mean_weight = keep * t->mean_weight + 1 - keep;
    double share = (1 - keep) / t->mean_weight;
    t->mean_loss += share * (tr->step_loss - t->mean_loss);
    t->mean_accuracy += share * (tr->step_accuracy - t->mean_accuracy);
    if (t->trained_hi < tr->length)
        t->trained_hi = tr->length;
    if (t->trained_lo == 0 || t->trained_lo > tr->least)
        t->trained_lo = tr->least;
    if (t->step > EVERY_STEP && t->step % STRIDE != 0)
        return true;
    return TH_APPEND(t->history, t->n_history, t->cap_history, err,
                     (ThModelHistoryPoint){t->step, t->mean_loss, t->mean_accuracy});
}

static bool move(ThTrainer *tr, ThError *err)
{
    ThModelTraining *t = &tr->model->training;
    if (!th_train_draw(tr, err) || !th_train_reserve_kept(tr, err))
        return false;
    th_pool_run(tr->pool, run_shard, tr, tr->n_shards);
    double norm = 0;
    if (!collect(tr, &norm, err))
        return false;
    tr->update.rate = scheduled_rate(tr);
    tr->update.clip = tr->max_norm > 0 && norm > tr->max_norm ? tr->max_norm / norm : 1;
    tr->update.step = t->updates + 1;
    tr->update.stop = tr->model->bounds ? tr->model->bounds->stop : NULL;
    if (tr->update.rule->prepare)
        th_pool_run(tr->pool, prepare_part, tr, tr->n_shards);
    if (th_stopped(tr->update.stop, err))
        return false;
    th_pool_run(tr->pool, update_part, tr, tr->n_shards);
    th_params_hold(&tr->model->params);
    t->updates++;
    th_train_move_kept(tr);
    t->step++;
    tr->fresh = false;
    if (tr->curriculum == CURRICULUM_ADAPTIVE && !tr->whole)
        adapt(tr);
    return record(tr, err);
}

/* What an earlier training has kept is not compared with what this one finds. */
static void begin(ThTrainer *tr)
{
    ThModelTraining *t = &tr->model->training;
    if (t->began == tr->first)
        return;
    t->began = tr->first;
    free(t->best);
    t->best = NULL;
}

static bool all_moved(const ThTrainer *tr)
{
    return tr->model->training.step >= tr->last_step;
}

/* A training that was stopped within a validation goes on with it. */
static bool validation_due(const ThTrainer *tr)
{
    return tr->validation && tr->model->training.step > tr->first &&
           th_train_validation_due(tr->validation, all_moved(tr));
}

void th_train_put_back(ThModel *m, const float *value)
{
    ThModelTraining *t = &m->training;
    size_t size = m->params.total * sizeof *value;
    memcpy(m->params.value, value, size);
    t->n_centres = 0; /* they are of what was there */
    for (int i = 0; i < TH_OPTIMIZER_SLOTS; i++)
        if (t->moment[i])
            memset(t->moment[i], 0, size);
    t->updates = 0;
}

/* The model becomes what it was at the best validation. */
static void restore_best(ThTrainer *tr)
{
    ThModelTraining *t = &tr->model->training;
    if (t->best && th_train_best(t, tr->first)->step != t->step)
        th_train_put_back(tr->model, t->best);
    free(t->best);
    t->best = NULL;
}

bool th_trainer_step(ThTrainer *tr, ThError *err)
{
    if (!validation_due(tr)) {
        begin(tr);
        if (!move(tr, err))
            return false;
    }
    if (validation_due(tr) && !th_train_validate(tr->validation, tr->first, err))
        return false;
    if (tr->validation && th_trainer_done(tr))
        restore_best(tr);
    return true;
}

bool th_trainer_done(const ThTrainer *tr)
{
    bool patient = !tr->validation || !th_train_out_of_patience(tr->validation, tr->first);
    return !patient || (all_moved(tr) && !validation_due(tr));
}

void th_trainer_resume(ThTrainer *tr)
{
    const ThModelTraining *t = &tr->model->training;
    tr->first = t->began;
    th_train_recall_kept(tr);
}

static double last_validation(const ThModelTraining *t)
{
    const ThModelValidation *v = t->n_validations ? &t->validation[t->n_validations - 1] : NULL;
    return v && v->step == t->step ? v->accuracy : (double)NAN;
}

ThTrainerProgress th_trainer_progress(const ThTrainer *tr)
{
    const ThModelTraining *t = &tr->model->training;
    ThRange l = tr->lengths;
    return (ThTrainerProgress){.step = t->step,
                               .last_step = tr->last_step,
                               .loss = t->mean_loss,
                               .accuracy = t->mean_accuracy,
                               .length = tr->length,
                               .longest = (int)th_train_lengths(tr).hi,
                               .asked = (int)l.hi,
                               .validation = last_validation(t)};
}

bool th_trainer_levels(ThTrainer *tr, ThTrainLevels *to)
{
    *to = (ThTrainLevels){0};
    if (tr->pull)
        th_train_pull_report(tr->pull, to);
    if (tr->contract)
        th_train_contract_report(tr->contract, to);
    if (tr->table)
        th_train_table_report(tr->table, to);
    return tr->pull || tr->contract || tr->table;
}

size_t th_trainer_bytes(const ThTrainer *tr)
{
    size_t blocks = 1 + (size_t)tr->update.rule->slots;
    size_t bytes = tr->model->params.total * blocks * sizeof(float);
    bytes += tr->scratch_size * (size_t)tr->n_shards * sizeof(float);
    for (int i = 0; i < tr->n_shards; i++)
        bytes += th_tape_bytes(tr->tape[i]);
    return bytes;
}
