/* training.c - commands that train and evaluate models. */
#include "lab/train.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command.h"
#include "commands/modelling.h"
#include "commands/writing.h"
#include "formats/checkpoint.h"
#include "lab/evaluate.h"

/* ---- train ------------------------------------------------------------------------------------
 */

typedef struct {
    ShSession *s;
    ThOptions options; /* of the call, and as its recipe says */
    ShObject *object;  /* the model's */
    ThTrainer *trainer;
    ThFormatCheckpoint checkpoint;
    long long report; /* steps */
    long long first_step;
    double started;
    bool resumed; /* from the checkpoint */
} Training;

/* The lengths that a curriculum has come to are of interest while they grow. */
static bool grows(const ThOptions *o)
{
    enum { ADAPTIVE = 2 };
    return th_option_choice(o, "curriculum") >= ADAPTIVE;
}

static void print_figures(const Training *t)
{
    ThTrainerProgress p = th_trainer_progress(t->trainer);
    FILE *out = sh_out(t->s);
    double seconds = sh_clock() - t->started;
    double rate = seconds > 0 ? (double)(p.step - t->first_step) / seconds : 0;
    if (!out) {
        sh_row(t->s, p.step, p.loss, p.accuracy, (long long)p.longest, p.validation, rate, seconds);
        return;
    }
    fprintf(out, "step %lld  loss %.4g  accuracy %.4g", p.step, p.loss, p.accuracy);
    if (grows(&t->options))
        fprintf(out, "  length ≤ %d", p.longest);
    if (!isnan(p.validation))
        fprintf(out, "  validation %.4g", p.validation);
    fprintf(out, "\n");
    fflush(out);
}

static void show_progress(const Training *t)
{
    ThTrainerProgress p = th_trainer_progress(t->trainer);
    double rate = (double)(p.step - t->first_step) / (sh_clock() - t->started);
    long left = lround((double)(p.last_step - p.step) / rate);
    sh_progress(t->s,
                "step %lld of %lld  %ld:%02ld left  loss %.4g  accuracy %.4g  length ≤ %d  "
                "%.4g steps/s",
                p.step, p.last_step, left / 60, left % 60, p.loss, p.accuracy, p.longest, rate);
}

static void after_step(void *context, const ThTrainer *trainer)
{
    const Training *t = context;
    ThTrainerProgress p = th_trainer_progress(trainer);
    if (p.step % t->report == 0 || th_trainer_done(trainer) || !isnan(p.validation))
        print_figures(t);
    show_progress(t);
}

/* Continues from the checkpoint if there is one that is further than the model; *steps is what
 * remains to be done. */
static bool resume(Training *t, long long *steps, ThError *err)
{
    ThModel *further;
    if (!th_format_resume(&t->checkpoint, t->object->as.model, steps, &further, err))
        return false;
    if (!further)
        return true;
    further->bounds = t->object->as.model->bounds;
    th_model_free(t->object->as.model);
    t->object->as.model = further;
    t->resumed = true;
    sh_say(t->s, "continuing from %s at step %lld\n", t->checkpoint.path, further->training.step);
    return true;
}

static bool set_number(ThOptions *o, const char *name, long long value, ThError *err)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    return th_options_set(o, name, text, err);
}

/* What is not in the call: the recipe, and the session's seed for a new model. */
static bool complete_options(Training *t, const ThOptions *given, ThError *err)
{
    const ThModel *m = t->object->as.model;
    ThOptions *o = &t->options;
    if (!th_options_copy(o, given, err) || !th_train_follow_recipe(o, m->kind, err))
        return false;
    bool fresh = !m->bound && !th_option_given(o, "seed");
    return !fresh || set_number(o, "seed", sh_setting_int(t->s, "seed"), err);
}

static void say_seed(const Training *t)
{
    if (th_option_given(&t->options, "seed") && t->object->as.model->training.step > 0 &&
        !t->resumed)
        sh_say(t->s, "note: %s keeps its parameters; seed=%lld draws the strings from here on\n",
               t->object->name, th_option_int(&t->options, "seed"));
}

static bool note_task(ThModel *m, const ShObject *task, ThError *err)
{
    char *text = th_strdup(task->made_by ? task->made_by : task->name, err);
    if (!text)
        return false;
    free(m->training.task);
    m->training.task = text;
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
               "%s: more steps=, full= or curriculum=paced would\n",
               p->longest, p->asked, th_option_real(&t->options, "full") > 0 ? "few" : "none");
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
    sh_result_real(t->s, "loss", p.loss);
    sh_result_real(t->s, "accuracy", p.accuracy);
    sh_result_int(t->s, "steps", steps);
    sh_result_real(t->s, "seconds", seconds);
    sh_result_real(t->s, "rate", seconds > 0 ? (double)steps / seconds : 0);
    sh_result_int(t->s, "bound", p.longest);
    if (best) {
        sh_result_real(t->s, "validation", best->accuracy);
        sh_result_int(t->s, "best", best->step);
    }
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
    sh_result_int(t->s, "steps", 0);
    sh_result_real(t->s, "seconds", 0);
    if (done->n_history > 0) {
        sh_result_real(t->s, "loss", done->history[done->n_history - 1].loss);
        sh_result_real(t->s, "accuracy", done->history[done->n_history - 1].accuracy);
    }
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

/* Trains with all that is decided; steps ≥ 1. */
static bool train(Training *t, const ShObject *task, ThError *err)
{
    ThModel *m = t->object->as.model;
    int threads = sh_threads(t->s);
    if (!m->bound && !say_cost(t, task->as.task, err))
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
    if (!sh_out(t->s))
        sh_table(t->s, "history", "step:i loss:r accuracy:r bound:i validation:r rate:r seconds:r");
    bool ok = note_task(m, task, err) && th_format_train(&t->checkpoint, t->trainer, m, err);
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
    t->checkpoint = (ThFormatCheckpoint){.path = th_option_text(o, "checkpoint"),
                                         .every = th_option_int(o, "every"),
                                         .stop = sh_stop(t->s),
                                         .context = t,
                                         .stepped = after_step};
    long long steps = th_option_int(o, "steps");
    t->report = report_interval(t->s, o, steps);
    if (!resume(t, &steps, err))
        return false;
    if (steps == 0)
        return finished_before(t, task->object);
    if (!set_number(&t->options, "steps", steps, err))
        return false;
    return train(t, task->object, err) || sh_error_inside(err, task);
}

SH_COMMAND(
    train, .group = "training", .summary = "train a model on a task",
    .detail =
        "Every step draws one length, then a batch of fresh strings of that length, and "
        "moves the parameters once.  The strings and the first parameters depend on the "
        "seed alone: the same seed and number of threads give the same bits.  A model that "
        "was trained before goes on where it stopped.  Of a file's rows a step takes as many as "
        "batch= says, in epochs that are shuffled anew; length= chooses rows by their length.\n\n"
        "Figures are running means over the last hundred steps or so.  Ctrl-C stops "
        "at once, and the model is as after the last finished step.  A loss that is "
        "not a finite number stops the training with the model as before that step.\n\n"
        "With checkpoint=, the model is saved every so many steps (every=), at the end and on "
        "Ctrl-C, and a training that finds the file goes on from there until it has done "
        "as many steps as asked.\n\n"
        "curriculum= says which lengths a step draws from; bound is the greatest of them.  "
        "curriculum=adaptive stays where a model does not learn: full= and curriculum=paced "
        "do not.  recipe=small sets all of this as small models of regular languages need it.\n\n"
        "With validate=, the model is evaluated every so many steps (every=) on strings that "
        "depend on the seed alone and are neither those of training nor those of evaluate.  "
        "keep=best ends with the parameters of the best validation, patience= ends a training "
        "that finds no better ones; best is that step, validation its mean accuracy.\n\n"
        "pull= and aux= are for models of trees (regulargpt with thickness=1) and tasks with an "
        "automaton: every vector is drawn to the running centre of those whose symbols induce the "
        "same function on its states, and a further head has to tell the functions apart.  With "
        "noise=, this makes a model that certify can prove right.  Centres and head begin anew "
        "with every training.",
    .example = "task p = parity\n"
               "model m = regulargpt dim=16 heads=2\n"
               "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
               "assert steps == 20\n"
               "train m on p recipe=small length=1..10 steps=60 validate=11..14 every=20 keep=best "
               "> \"train.txt\"\n"
               "assert best > 20 and validation <= 1 and bound <= 10\n"
               "sample p length=1..9 count=20 > \"rows.csv\"\n"
               "task mine = file \"rows.csv\" label=answer\n"
               "model n = gru dim=16\n"
               "train n on mine steps=20 > \"train.txt\"\n"
               "evaluate n on mine length=1..9:3 > \"scores.csv\"\n"
               "assert rows == 18",
    .results =
        "model architecture task seed loss accuracy steps seconds rate bound validation best",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = th_train_options)
{
    Training t = {.s = s, .object = call->operand[0].object};
    bool ok = complete_options(&t, &call->options, err) && run(&t, &call->operand[1], err);
    th_options_free(&t.options);
    return ok;
}

/* ---- evaluate ---------------------------------------------------------------------------------
 */

static const ThOptionSpec evaluate_options[] = {
    {"length", TH_RANGE, "41..500", 1, 1000000, NULL,
     "lengths of the strings; default for the rows of a file: all"},
    {"samples", TH_INT, "512", 1, 1e9, NULL,
     "strings of each length; default for the rows of a file: all"},
    {"slice", TH_CHOICE, "paper", 0, 0, "paper|authors",
     "authors: leave the first length out, as the released code does"},
    {"answers", TH_CHOICE, "written", 0, 0, "written|forced|both",
     "of a task that asks for texts: those that the model writes by itself, or what it says where "
     "the true text stands before"},
    SH_WRITING_OPTIONS,
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the strings; default: set seed"},
    {0},
};

enum { SLICE_PAPER, SLICE_AUTHORS };                    /* the option slice */
enum { ANSWERS_WRITTEN, ANSWERS_FORCED, ANSWERS_BOTH }; /* the option answers */

typedef struct {
    ThScore *item;
    size_t n, cap;
    bool rows, bands; /* of a data set; in bands of lengths */
    bool exact;       /* whole strings count too; of no data set yet */
    bool written;     /* the model writes by itself, */
    bool forced;      /* and says what comes next behind the true text */
    bool perplexity;
} Scores;

/* What is evaluated: lengths, or bands of lengths, and how many strings of each. */
typedef struct {
    ShSession *s;
    ThEvaluator *evaluator;
    ThLabTrialsPlan trials; /* where the model writes; its length is each of those */
    ThRange lengths;
    int samples;
} Evaluation;

static bool add_score(const Evaluation *e, long long lo, long long hi, Scores *to, ThError *err)
{
    if (th_stopped(sh_stop(e->s), err) ||
        !th_grow(&to->item, &to->cap, to->n + 1, sizeof *to->item, err))
        return false;
    ThScore *x = &to->item[to->n];
    bool ok = to->rows     ? th_evaluator_rows(e->evaluator, (int)lo, (int)hi, e->samples, x, err)
              : to->forced ? th_evaluator_length(e->evaluator, (int)lo, e->samples, x, err)
                           : true;
    if (!ok || (to->written && !sh_score_written(&e->trials, (int)lo, to->forced, x, err)))
        return false;
    to->n++;
    double sum = 0;
    for (size_t i = 0; i < to->n; i++)
        sum += to->item[i].accuracy;
    sh_progress(e->s, "length %lld of %lld  mean accuracy %.4g", lo, e->lengths.hi,
                sum / (double)to->n);
    return true;
}

static bool score_lengths(const Evaluation *e, Scores *to, ThError *err)
{
    ThRange l = e->lengths;
    for (long long length = l.lo; length <= l.hi; length += l.step)
        if (!add_score(e, length, length, to, err))
            return false;
    return true;
}

/* The rows of a data set to test on: a score for every band that has any. */
static bool score_rows(const Evaluation *e, const ThTask *t, Scores *to, ThError *err)
{
    ThRange l = e->lengths;
    ThTaskRows rows = {TH_TASK_TEST, (int)l.lo, (int)l.hi};
    int shortest, longest;
    if (!th_task_need_rows(t, &rows, err) || !th_task_extent(t, &rows, &shortest, &longest, err))
        return false;
    for (long long lo = l.lo; lo <= longest; lo += l.step) {
        long long hi = lo + l.step - 1 < longest ? lo + l.step - 1 : longest;
        ThTaskRows band = {TH_TASK_TEST, (int)lo, (int)hi};
        if (th_task_count(t, &band) > 0 && !add_score(e, lo, hi, to, err))
            return false;
    }
    return true;
}

static void print_scores(ShSession *s, const Scores *scores)
{
    if (scores->written) {
        sh_print_written(s, scores->item, scores->n, scores->forced);
        return;
    }
    sh_table(s, "scores",
             scores->rows    ? "least:i length:i rows:i accuracy:r low:r high:r chance:r loss:r"
             : scores->exact ? "length:i accuracy:r low:r high:r chance:r loss:r exact:r"
             : scores->perplexity ? "length:i accuracy:r low:r high:r chance:r loss:r perplexity:r"
                                  : "length:i accuracy:r low:r high:r chance:r loss:r");
    for (size_t i = 0; i < scores->n; i++) {
        const ThScore *x = &scores->item[i];
        if (scores->rows)
            sh_row(s, (long long)x->least, (long long)x->length, x->strings, x->accuracy, x->lo,
                   x->hi, x->chance, x->loss);
        else
            sh_row(s, (long long)x->length, x->accuracy, x->lo, x->hi, x->chance, x->loss,
                   scores->perplexity ? exp(x->loss) : (double)x->exact / (double)x->strings);
    }
    sh_table_end(s);
}

/* Means over the lengths, or over the answers of a data set. */
typedef struct {
    double accuracy, chance, exact;
    long long rows;
    size_t lowest;
} Summary;

static Summary summary_of(const Scores *scores, const ThTask *task)
{
    Summary y = {0};
    double all = 0, strings = 0;
    for (size_t i = 0; i < scores->n; i++) {
        const ThScore *x = &scores->item[i];
        double weight = scores->rows ? (double)x->n : 1;
        double share = scores->rows ? (double)x->strings : 1;
        y.accuracy += weight * x->accuracy;
        y.chance += weight * x->chance;
        y.exact += share * (double)x->exact / (double)x->strings;
        y.rows += x->strings;
        all += weight;
        strings += share;
        if (x->accuracy < scores->item[y.lowest].accuracy)
            y.lowest = i;
    }
    y.accuracy /= all;
    y.chance /= all;
    y.exact /= strings;
    if (scores->rows)
        y.chance = th_task_majority(task, &(ThTaskRows){TH_TASK_TEST, scores->item[0].least,
                                                        scores->item[scores->n - 1].length});
    return y;
}

static void summarize(ShSession *s, const Scores *scores, const ThTask *task)
{
    if (!scores->item)
        return;
    if (scores->written) {
        sh_summarize_written(s, scores->item, scores->n, scores->forced);
        return;
    }
    Summary y = summary_of(scores, task);
    const ThScore *lowest = &scores->item[y.lowest];
    sh_say(s, "%s %.6g", scores->rows ? "accuracy" : "mean accuracy", y.accuracy);
    double random = 1.0 / task->signature.n_classes;
    if (scores->rows)
        sh_say(s, " (chance %.6g, at random %.6g) on %lld row%s", y.chance, random, y.rows,
               y.rows == 1 ? "" : "s");
    else if (!isnan(y.chance))
        sh_say(s, " (chance %.6g)", y.chance);
    sh_say(s, scores->bands ? " in %zu band%s" : " over %zu length%s", scores->n,
           scores->n == 1 ? "" : "s");
    sh_say(s, ", lowest %.6g at %d", lowest->accuracy, lowest->length);
    if (scores->exact)
        sh_say(s, "; whole strings %.6g", y.exact);
    sh_say(s, "\n");
    sh_result_real(s, "accuracy", y.accuracy);
    sh_result_real(s, "lowest", lowest->accuracy);
    sh_result_int(s, "longest", scores->item[scores->n - 1].length);
    sh_result_real(s, "chance", y.chance);
    if (scores->rows) {
        sh_result_int(s, "rows", y.rows);
        sh_result_real(s, "random", random);
    }
    if (scores->exact)
        sh_result_real(s, "exact", y.exact);
    if (scores->perplexity)
        sh_result_real(s, "perplexity", exp(scores->item[scores->n - 1].loss));
}

/* The model keeps the scores, for plot accuracy. */
static void keep_scores(ThModel *m, Scores *scores)
{
    free(m->scores);
    m->scores = scores->item;
    m->n_scores = scores->n;
    *scores = (Scores){0};
}

/* Reads the lengths and the number of strings. */
static bool plan(Evaluation *e, Scores *scores, const ThOptions *o, ThError *err)
{
    bool authors = th_option_choice(o, "slice") == SLICE_AUTHORS;
    e->lengths = th_option_range(o, "length");
    e->samples = (int)th_option_int(o, "samples");
    if (scores->rows && authors)
        return th_fail(err, TH_EUSAGE, "slice= is for strings that are drawn");
    if (scores->rows && !th_option_given(o, "length"))
        e->lengths = (ThRange){1, INT_MAX, 1};
    if (scores->rows && !th_option_given(o, "samples"))
        e->samples = INT_MAX;
    scores->bands = scores->rows && e->lengths.step > 1;
    e->lengths.lo += authors ? e->lengths.step : 0;
    return e->lengths.lo <= e->lengths.hi ||
           th_fail(err, TH_EUSAGE, "slice=authors leaves no length");
}

/* A model whose depth grows with the length may come to levels that training on a text never had,
 * which needs no test to be known. */
static void note_levels(ShSession *s, const ShCall *call, ThRange lengths)
{
    const ThModel *m = call->operand[0].object->as.model;
    const ThTask *task = call->operand[1].object->as.task;
    if (!m->kind->levels || !task->kind->perplexity || m->training.trained_hi == 0)
        return;
    int had = m->kind->levels(m, th_task_tokens(task, m->training.trained_hi));
    int needs = m->kind->levels(m, th_task_tokens(task, (int)lengths.hi));
    if (needs > had)
        sh_say(s, "note: %s had up to %d level%s in training, and runs %d at length %lld\n",
               call->operand[0].object->name, had, had == 1 ? "" : "s", needs, lengths.hi);
}

SH_COMMAND(
    evaluate, .group = "training", .summary = "measure a model's accuracy by length",
    .detail =
        "Draws fresh strings of every length, which depend on the seed and the length "
        "alone, and prints a row a length: the share of right answers with its 95 % "
        "interval (Clopper and Pearson), what the best answer that does not read the "
        "string would reach, and the loss.  The last line has the mean over the lengths; "
        "plot accuracy draws the rows.\n\n"
        "Where a string has an answer at every position all of them count; answers within "
        "a string depend on each other, so the interval is that of as many answers as "
        "there are strings.\n\n"
        "Of a task that asks for texts (copies, scratchpads) the model writes by itself "
        "behind the prompt of every string, up to the end symbol or twice as much as is "
        "true, and the task judges: answer is the share of strings with the right answer, "
        "however it was reached, exact that of those right throughout.  answers=forced "
        "counts the symbols that it says right where the true ones stand before, and its "
        "exact is the share of strings with all of these right; answers=both has that "
        "accuracy beside what is written.  generate shows some texts, diagnose where they "
        "go wrong.  Of a text, perplexity is e to the power of the loss, and as a figure that of "
        "the greatest length.\n\nOf a file the rows to test on are taken, all that have "
        "the lengths; a line of the table stands for the lengths from least to length, "
        "which are apart by the step of length=A..B:STEP, and accuracy is that of all "
        "answers; chance is the share of the most frequent class, and random what one of the "
        "classes at random would reach.\n\n"
        "Papers average over all lengths beyond those of training, 41..500; the code that "
        "came with RegularGPT leaves out the first of them (slice=authors).",
    .example = "task p = parity\n"
               "model m = regulargpt dim=16 heads=2\n"
               "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
               "evaluate m on p length=11..13 samples=64\n"
               "assert longest == 13 and accuracy > 0.2",
    .results = "model architecture task seed accuracy lowest longest chance rows "
               "random answer exact perplexity",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = evaluate_options, .flags = C_PAGED)
{
    ThModel *m = call->operand[0].object->as.model;
    const ThTask *task = call->operand[1].object->as.task;
    const ThOptions *o = &call->options;
    Evaluation e = {.s = s};
    int answers = th_option_choice(o, "answers");
    Scores scores = {.rows = th_task_finite(task),
                     .exact = task->signature.next && !task->kind->perplexity,
                     .perplexity = task->kind->perplexity};
    scores.written = th_lab_can_try(task) && answers != ANSWERS_FORCED;
    scores.forced = !scores.written || answers == ANSWERS_BOTH;
    if (!plan(&e, &scores, o, err))
        return false;
    e.trials = (ThLabTrialsPlan){.model = m,
                                 .task = task,
                                 .how = sh_writing_settings(s, o),
                                 .seed = (uint64_t)sh_seed(s, o),
                                 .samples = e.samples,
                                 .threads = sh_threads(s),
                                 .stop = sh_stop(s)};
    e.evaluator = th_evaluator_new(m, task, sh_seed(s, o), sh_threads(s), err);
    if (!e.evaluator)
        return sh_error_inside(err, &call->operand[0]);
    note_levels(s, call, e.lengths);
    bool ok = scores.rows ? score_rows(&e, task, &scores, err) : score_lengths(&e, &scores, err);
    th_evaluator_free(e.evaluator);
    if (ok) {
        sh_about_model(s, call->operand[0].object, call->operand[1].object);
        print_scores(s, &scores);
        summarize(s, &scores, task);
        keep_scores(m, &scores);
    }
    free(scores.item);
    return ok;
}
