/* training.c - training models. */

#include <inttypes.h>
#include <math.h>

#include "blas_kernels.h"
#include "commands/modelling.h"
#include "commands/training/training.h"
#include "language/operand.h"

typedef struct {
    ShSession *s;
    ThOptions options; /* of the call, and as its recipe says */
    ShObject *object;  /* the model's */
    ThTrainer *trainer;
    const char *checkpoint; /* a path, or NULL; rank 0 alone has one */
    ThTrainLoop loop;
    long long report; /* steps */
    long long first_step;
    double started;
    bool resumed; /* from the checkpoint */
    ThInspectTruth truth;
    ThInspectAgainst against; /* its model is NULL: nothing */
} Training;

/* The lengths that a curriculum has come to are of interest while they grow. */
static bool grows(const ThOptions *o)
{
    enum { ADAPTIVE = 2 };
    return th_option_choice(o, "curriculum") >= ADAPTIVE;
}

/* That of this training, or NULL. */
static const ThModelComparison *last_comparison(const Training *t)
{
    const ThModelTraining *done = &t->object->as.model->training;
    return t->against.model ? &done->comparison[done->n_comparisons - 1] : NULL;
}

static void print_comparison(const ThModelComparison *c, FILE *out)
{
    fprintf(out, "  wrong %lld of %lld words", c->wrong, c->words);
    if (c->states > 0)
        fprintf(out, "  %d state%s", c->states, sh_plural(c->states));
    else
        fprintf(out, "  more than %d states", TH_INSPECT_AGAINST_STATES);
}

/* What centre_loss=, auxiliary_loss= and contraction_loss= have come to, levels from the lowest up.
 */
static void print_levels(const Training *t, FILE *out)
{
    ThTrainLevels l;
    if (!th_trainer_levels(t->trainer, &l))
        return;
    if (l.pairs > 0)
        fprintf(out, "  %d pair%s  farthest %.3g  mean %.3g\n", l.pairs, sh_plural(l.pairs),
                l.farthest, l.far);
    if (l.n == 0)
        return;
    for (int i = 0; i < l.n; i++) {
        const ThTrainLevel *v = &l.level[i];
        fprintf(out, "  level %d  vectors %lld", i + 1, v->vectors);
        if (!isnan(v->wrong))
            fprintf(out, "  wrong %.3g %%", 100 * v->wrong);
        fprintf(out, "  distance %.3g  farthest %.3g\n", v->spread, v->reach);
    }
    fprintf(out, "  %d element%s  nearest centres %.3g  mean %.3g", l.functions,
            sh_plural(l.functions), l.nearest, l.mean);
    if (l.mean > 0)
        fprintf(out, "  distance by mean %.3g", l.level[l.n - 1].spread / l.mean);
    fprintf(out, "\n");
}

/* How often a model that halts by itself applies its block, in the mean by the masses, to what some
 * strings of the last batch's length have; NaN: it does not halt. */
static double mean_depth(const Training *t, int length)
{
    enum { STRINGS = 4 };
    const ThModel *m = t->object->as.model;
    double sum = 0, units = 0;
    ThRng r = th_rng(1, "train.depth", (uint64_t)length);
    bool chosen = th_option_known(&m->options, "halt");
    bool halts =
        m->kind->halted && (!chosen || strcmp(th_option_text(&m->options, "halt"), "none") != 0);
    int *token TH_OWNED(free) =
        halts && length > 0 ? th_alloc((size_t)length, sizeof *token, NULL) : NULL;
    for (int i = 0; token && i < STRINGS; i++) {
        for (int k = 0; k < length; k++)
            token[k] = (int)th_rng_below(&r, (uint64_t)m->signature.n_symbols);
        ThModelHalted *h TH_OWNED(th_model_halted_free) = th_model_halted(m, token, length, NULL);
        for (int u = 0; h && u < h->n; u++)
            sum += h->unit[u].ponder;
        units += h ? h->n : 0;
    }
    return units > 0 ? sum / units : (double)NAN;
}

static void print_figures(const Training *t)
{
    ThTrainerProgress p = th_trainer_progress(t->trainer);
    FILE *out = sh_out(t->s);
    double seconds = sh_clock() - t->started;
    double rate = seconds > 0 ? (double)(p.step - t->first_step) / seconds : 0;
    const ThModelComparison *c = last_comparison(t);
    if (!out && !c) {
        sh_row(t->s, p.step, p.loss, p.accuracy, (long long)p.longest, p.validation, rate, seconds);
        return;
    }
    if (!out) {
        sh_row(t->s, p.step, p.loss, p.accuracy, (long long)p.longest, p.validation, rate, seconds,
               c->words, c->wrong, (long long)c->states);
        return;
    }
    fprintf(out, "step %lld  loss %.4g  accuracy %.4g", p.step, p.loss, p.accuracy);
    if (grows(&t->options))
        fprintf(out, "  length ≤ %d", p.longest);
    if (!isnan(p.validation))
        fprintf(out, "  validation %.4g", p.validation);
    double depth = mean_depth(t, p.length);
    if (!isnan(depth))
        fprintf(out, "  depth %.3g  ponder cost %.3g", depth,
                depth * th_option_real(&t->object->as.model->options, "ponder"));
    if (c && c->step == p.step)
        print_comparison(c, out);
    fprintf(out, "\n");
    print_levels(t, out);
    fflush(out);
}

static void show_progress(const Training *t)
{
    ThTrainerProgress p = th_trainer_progress(t->trainer);
    double rate = (double)(p.step - t->first_step) / (sh_clock() - t->started);
    long left = lround((double)(p.last_step - p.step) / rate);
    sh_progress(
        t->s,
        "step %lld of %lld  %ld:%02ld left  loss %.4g  accuracy %.4g  length ≤ %d  %.4g steps/s",
        p.step, p.last_step, left / 60, left % 60, p.loss, p.accuracy, p.longest, rate);
}

static bool after_step(void *context, const ThTrainer *trainer, ThError *err)
{
    const Training *t = context;
    ThTrainerProgress p = th_trainer_progress(trainer);
    bool done = th_trainer_done(trainer);
    if (t->against.model && !th_inspect_against_stepped(&t->against, done, err))
        return false;
    const ThModelComparison *c = last_comparison(t);
    if (p.step % t->report == 0 || done || !isnan(p.validation) || (c && c->step == p.step))
        print_figures(t);
    show_progress(t);
    return true;
}

static bool save(void *context, ThError *err)
{
    const Training *t = context;
    return !t->checkpoint || th_safetensors_save(t->object->as.model, t->checkpoint, err);
}

/* How a task was written. */
static const char *written(const ShObject *task)
{
    return task->made_by ? task->made_by : task->name;
}

/* Returns new: another for every two automata that label strings; NULL: none does. */
static char *answers_of(const ThTask *t)
{
    const ThDfa *d = th_task_machine(t, NULL);
    if (!d)
        return NULL;
    size_t states = (size_t)d->n_states;
    int sizes[] = {d->n_states, d->n_symbols, d->start};
    uint64_t h = th_hash_bytes(sizes, sizeof sizes);
    h = th_hash_mix(h) ^ th_hash_bytes(d->next, states * (size_t)d->n_symbols * sizeof *d->next);
    h = th_hash_mix(h) ^ th_hash_bytes(d->label, states * sizeof *d->label);
    return th_printed(NULL, "#%016" PRIx64, h);
}

/* Was a checkpoint trained on the task?  Its name may be of another language by now; and where an
 * automaton says what is right, the name does not matter. */
static bool is_of_task(const ThModel *m, const ShObject *task, const char *path, ThError *err)
{
    const ThModelTraining *t = &m->training;
    char *answers TH_OWNED(free) = answers_of(task->as.task);
    bool same = answers && t->answers ? strcmp(answers, t->answers) == 0
                : t->task             ? strcmp(written(task), t->task) == 0
                                      : true;
    return same ||
           th_fail(err, TH_EVALUE, "the checkpoint %s was trained on another task: %s", path,
                   t->task ? t->task : "?") ||
           th_hint(err, "remove the file or name another; load takes its model");
}

bool sh_resume(ShSession *s, ShObject *object, const ShObject *task, const char *checkpoint,
               long long *steps, bool *resumed, ThError *err)
{
    ThModel *further;
    if (!th_format_resume(checkpoint, object->as.model, steps, &further, err))
        return false;
    *resumed = further != NULL;
    if (!further)
        return true;
    if (!is_of_task(further, task, checkpoint, err)) {
        th_model_free(further);
        return false;
    }
    further->bounds = object->as.model->bounds;
    th_model_free(object->as.model);
    object->as.model = further;
    sh_say(s, "continuing from %s at step %lld\n", checkpoint, further->training.step);
    return true;
}

/* What is not in the call: the recipe, and the session's seed for a new model. */
static bool complete_options(Training *t, const ThOptions *given, const ThTask *task, ThError *err)
{
    const ThModel *m = t->object->as.model;
    ThOptions *o = &t->options;
    if (!th_options_copy(o, given, err) || !th_train_follow_recipe(o, m, task, err))
        return false;
    bool fresh = !m->bound && !th_option_given(o, "seed");
    return !fresh || th_options_set_int(o, "seed", sh_setting_int(t->s, "seed"), err);
}

static void say_seed(const Training *t)
{
    if (th_option_given(&t->options, "seed") && t->object->as.model->training.step > 0 &&
        !t->resumed)
        sh_say(t->s, "note: %s keeps its parameters; seed=%lld draws the strings from here on\n",
               t->object->name, th_option_int(&t->options, "seed"));
}

bool sh_note_task(ThModel *m, const ShObject *task, ThError *err)
{
    char *text = th_strdup(written(task), err);
    char *on = th_strdup(sh_blas_kernels(), err);
    if (!text || !on) {
        TH_FREE(text, on);
        return false;
    }
    TH_FREE(m->training.task, m->training.answers, m->training.made_on);
    m->training.task = text;
    m->training.answers = answers_of(task->as.task);
    m->training.made_on = on;
    free(m->scores);
    m->scores = NULL;
    m->n_scores = 0;
    return true;
}

/* What a user should know who does not watch. */
static void say_what_was_left(const Training *t, const ThTrainerProgress *p)
{
    const ThModelTraining *done = &t->object->as.model->training;
    const ThModelValidation *best = th_train_best(done, done->began);
    if (p->longest < p->asked)
        sh_say(t->s,
               "note: the curriculum came to length %d; of longer strings, up to %d, it has used "
               "%s: more steps=, full_length= or curriculum=paced would\n",
               p->longest, p->asked,
               th_option_real(&t->options, "full_length") > 0 ? "few" : "none");
    if (mean_depth(t, p->length) < 0.01)
        sh_say(t->s, "note: the model halts before it applies its block once: then nothing in the "
                     "block has a gradient, and it will not go on again; halt_from=1, a smaller "
                     "ponder= or a smaller lr= keeps it from that\n");
    if (p->step < p->last_step)
        sh_say(t->s, "note: stopped at step %lld of %lld, out of patience\n", p->step,
               p->last_step);
    if (best && strcmp(th_option_text(&t->options, "keep"), "best") == 0)
        sh_say(t->s, "kept the parameters of step %lld: validation %.6g\n", best->step,
               best->accuracy);
}

static void set_results(const Training *t)
{
    ThTrainerProgress p = th_trainer_progress(t->trainer);
    double seconds = sh_clock() - t->started;
    long long steps = p.step - t->first_step;
    const ThModelTraining *done = &t->object->as.model->training;
    const ThModelValidation *best = th_train_best(done, done->began);
    sh_results(t->s, "loss:r accuracy:r steps:i seconds:r rate:r curriculum_length:i", p.loss,
               p.accuracy, (long long)steps, seconds, seconds > 0 ? (double)steps / seconds : 0,
               (long long)p.longest);
    if (best)
        sh_results(t->s, "validation:r best:i", best->accuracy, (long long)best->step);
    const ThModelComparison *c = last_comparison(t);
    if (c)
        sh_results(t->s, "words:i wrong:i states:i", (long long)c->words, (long long)c->wrong,
                   (long long)c->states);
    say_what_was_left(t, &p);
    if (sh_interactive(t->s))
        sh_say(t->s, "%lld steps in %.3g s, %.4g steps/s\n", steps, seconds,
               (double)steps / seconds);
}

/* The checkpoint had all the steps that were asked for. */
static bool finished_before(const Training *t, const ShObject *task)
{
    const ThModelTraining *done = &t->object->as.model->training;
    sh_about_model(t->s, t->object, task);
    sh_results(t->s, "steps:i seconds:r", 0LL, 0.0);
    if (done->n_history > 0)
        sh_results(t->s, "loss:r accuracy:r", done->history[done->n_history - 1].loss,
                   done->history[done->n_history - 1].accuracy);
    return true;
}

/* What the training of a large model takes, said before it takes it.  A number costs six operations
 * for each symbol: a product, and two in the gradient (Kaplan et al. 2020, section 2.1). */
static bool say_cost(const Training *t, const ThTask *task, ThError *err)
{
    enum { LARGE = 10000000, FORWARDS_AND_BACK = 6 };
    const double core = 1e10, mebibyte = 1 << 20;
    size_t numbers = 0;
    if (!th_model_size(t->object->as.model, &task->signature, &numbers, err))
        return false;
    double operations = FORWARDS_AND_BACK * (double)numbers;
    if (numbers >= LARGE)
        sh_say(t->s,
               "note: %zu parameters, %.0f MiB, and as much for the gradient of each thread and "
               "each moment; some %.2g operations a symbol, so at 10^10 a second %.3g symbols\n",
               numbers, (double)numbers * sizeof(float) / mebibyte, operations, core / operations);
    return true;
}

/* What the model is to be compared with, in the terms of the task. */
static bool find_truth(Training *t, const ThTask *task, ThError *err)
{
    const ThOptions *o = &t->options;
    ThRange length = th_option_range(o, "length");
    ShOperand against = {.kind = A_OBJECT, .text = th_option_text(o, "counterexamples")};
    if (!against.text)
        return true;
    bool ok =
        sh_operand_resolve(t->s, &against, false, err) &&
        sh_find_truth(&t->truth, &task->signature, &against, th_option_text(o, "accept"), err) &&
        th_inspect_against_fits(&t->truth, err);
    if (!ok)
        err->line = err->col = 0; /* not within the option's value: it does not know its place */
    sh_object_free(against.own);
    t->against = (ThInspectAgainst){.model = t->object->as.model,
                                    .truth = &t->truth,
                                    .length = th_option_given(o, "counterexample_length")
                                                  ? th_option_range(o, "counterexample_length")
                                                  : (ThRange){1, length.hi, 1},
                                    .every = th_option_int(o, "every"),
                                    .stop = sh_stop(t->s)};
    return ok;
}

static void begin_table(const Training *t)
{
    if (!sh_out(t->s))
        sh_table(
            t->s, "history",
            t->against.model
                ? "step:i loss:r accuracy:r curriculum_length:i validation:r rate:r seconds:r "
                  "words:i wrong:i states:i"
                : "step:i loss:r accuracy:r curriculum_length:i validation:r rate:r seconds:r");
}

/* Trains with all that is decided; steps ≥ 1. */
static bool train(Training *t, const ShObject *task, ThError *err)
{
    ThModel *m = t->object->as.model;
    int threads = sh_threads(t->s);
    if ((!m->bound && !say_cost(t, task->as.task, err)) || !find_truth(t, task->as.task, err))
        return false;
    t->trainer = th_trainer_new(m, task->as.task, &t->options, threads, err);
    if (!t->trainer)
        return false;
    say_seed(t);
    t->first_step = m->training.step;
    t->started = sh_clock();
    sh_about_model(t->s, t->object, task);
    if (t->resumed)
        th_trainer_resume(t->trainer);
    if (sh_session_is_silent(t->s))
        t->checkpoint = NULL;
    bool ok = !t->against.model || th_inspect_against_begin(&t->against, t->resumed, err);
    if (ok)
        begin_table(t);
    ok = ok && sh_note_task(m, task, err) && th_train_run(&t->loop, t->trainer, err);
    if (ok && !sh_out(t->s))
        sh_table_end(t->s);
    if (ok)
        set_results(t);
    th_trainer_free(t->trainer);
    return ok;
}

static long long report_interval(const ShSession *s, const ThOptions *o, long long steps)
{
    long long report = th_option_int_or(o, "report", sh_setting_int(s, "report"));
    if (report == 0)
        report = (steps + 9) / 10;
    return report;
}

/* Goes on from a checkpoint, where there is one, and trains for what is left to do. */
static bool run(Training *t, const ShOperand *task, ThError *err)
{
    const ThOptions *o = &t->options;
    t->checkpoint = th_option_text(o, "checkpoint");
    t->loop = (ThTrainLoop){sh_stop(t->s), t, after_step, save, th_option_int(o, "every")};
    long long steps = th_option_int(o, "steps");
    t->report = report_interval(t->s, o, steps);
    if (!sh_resume(t->s, t->object, task->object, t->checkpoint, &steps, &t->resumed, err))
        return false;
    if (steps == 0)
        return finished_before(t, task->object);
    if (!th_options_set_int(&t->options, "steps", steps, err))
        return false;
    return train(t, task->object, err) || sh_error_inside(err, task);
}

SH_COMMAND(
    train, .group = "training", .summary = "train a model on a task",
    .detail =
        "Every step draws one length, then a batch of fresh strings of that length, and moves the "
        "parameters once.  The strings and the first parameters depend on the seed alone: the same "
        "seed and number of threads give the same bits on the same kernels (`tapehead --version`). "
        " A model that "
        "was trained before goes on where it stopped.  Of a file's rows a step takes as many as "
        "batch= says, in epochs that are shuffled anew; length= chooses rows by their length.\n\n"
        "Figures are running means over the last hundred steps or so.  Of models that halt by "
        "themselves there are depth, how often a block is applied in the mean, and ponder cost, "
        "ponder= times that.  Ctrl-C stops at once, and the model is as after the last finished "
        "step.  A loss that is not a finite number stops the training with the model as before "
        "that step.\n\n"
        "With checkpoint=, the model is saved every= steps, at the end and on Ctrl-C; a training "
        "of the same model on the same task that finds the file goes on from there to as many "
        "steps as asked.\n\n"
        "Of processes started by mpirun each does the whole training, and rank 0 writes the "
        "checkpoint; within sweep they share the points.\n\n"
        "curriculum= says which lengths a step draws from, up to curriculum_length.  "
        "curriculum=adaptive stays where a model does not learn: full_length= and curriculum=paced "
        "do not.\n\n"
        "What is not given is as recipe= says: on tasks that an automaton labels some models get "
        "by themselves what they need there.  examples/slow/defaults.th has what comes of it.\n\n"
        "With validate=, the model is evaluated every so many steps (every=) on strings that "
        "depend on the seed alone and are neither those of training nor those of evaluate.  "
        "keep=best ends with the parameters of the best validation, patience= ends a training that "
        "finds no better ones; best is that step, validation its mean accuracy.\n\n"
        "centre_loss= and auxiliary_loss= (for logical_inference see there) are for models of "
        "trees (regulargpt with layers_per_level=1) and tasks with an automaton: every vector is "
        "drawn to the running centre of those with the same element of its monoid, and a further "
        "head has to tell the elements apart.  With noise=, this makes a model that certify can "
        "prove right.  Centres and head begin anew with every training.  The figures say, level by "
        "level of the tree, how many vectors the head takes for another element, how far they lie "
        "from their centres (distance: root mean square; farthest), and how far each centre is "
        "from its nearest other.  A distance that grows with the level against that distance says "
        "that strings longer than those of training will go wrong; one that is small and level "
        "says that they will not.\n\n"
        "contraction_loss= makes provable what centre_loss= has made nearly so.  Any two elements "
        "that can stand side by side (see certify) have a point each, in balls around their "
        "centres, which every step moves to where the model takes them farther from the centre of "
        "their product; the parameters go against it, most where it is farthest.  The figures say "
        "how many pairs there are, and how far they get, in radii, since the last line: the "
        "farthest, and the mean, which should come down to a half or less.  It wants a model that "
        "is right already, and no large rate, or all vectors become one.  Of rnn, gru and lstm "
        "it is about a state of the automaton, behind a symbol, and the next symbol.\n\n"
        "until=proved goes on until certify proves the model right on strings of every length, "
        "until=quantized the model that quantize makes of it: see help repair.\n\n"
        "With counterexamples=A, an automaton or a task (in quotes where it is more than a name), "
        "the model is compared with it before the first step, every so many steps (every=) and "
        "after the last, as compare does on 2000 words and 20 of each longer length.  The 16 first "
        "words on which they differ, and three neighbours of each (one symbol less, changed, or "
        "more), join every batch from then on, up to 128 of them; accuracy stays that of the "
        "strings that are drawn.  The automaton that the model is then is extracted by asking (see "
        "extract): states, 0 where there are more than 40.  plot states draws them by step.",
    .example = SH_EXAMPLE_TRAINED
    "assert steps == 20\n"
    "train m on p length=1..10 steps=60 validate=11..14 every=20 keep=best > \"train.txt\"\n"
    "assert best > 20 and validation <= 1 and curriculum_length <= 10\n"
    "sample p length=1..9 count=20 > \"rows.csv\"\n"
    "task mine = file \"rows.csv\" label=answer\n"
    "model n = gru dim=16\n"
    "train n on mine steps=20 > \"train.txt\"\n"
    "evaluate n on mine length=1..9:3 > \"scores.csv\"\n"
    "assert rows == 18\n"
    "model r = rnn dim=8\n"
    "train r on p length=1..8 steps=60 every=20 counterexamples=parity seed=1 > \"train.txt\"\n"
    "assert words == 510 and wrong <= words\n"
    "plot states r > \"states.svg\"\n"
    "model sure = regulargpt dim=16 heads=2\n"
    "train sure on p until=proved seed=1 certificate=\"p.cert\" > \"train.txt\"\n"
    "assert verdict == \"proved\" and tightest <= 1\n"
    "check certificate \"p.cert\" of sure on p > \"check.txt\"",
    .results = "model architecture task seed loss accuracy steps seconds rate curriculum_length "
               "validation best words wrong states verdict radius margin labels pairs farthest "
               "slope contraction float_error in_float in_double tolerance rounding word pair "
               "obstacle excess tightest gap entries different",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = th_train_options)
{
    Training t = {.s = s, .object = call->operand[0].object};
    bool ok = complete_options(&t, &call->options, call->operand[1].object->as.task, err);
    ok = ok && (th_option_choice(&t.options, "until") > 0
                    ? sh_train_until_proved(s, call, &t.options, err)
                    : run(&t, &call->operand[1], err));
    th_inspect_truth_free(&t.truth);
    th_options_free(&t.options);
    return ok;
}
