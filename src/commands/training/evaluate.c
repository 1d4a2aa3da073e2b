/* evaluate.c - how right a model is, by length. */

#include <limits.h>
#include <math.h>

#include "commands/inspection/writing_options.h"
#include "commands/training/training.h"

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
    {"whole", TH_FLAG, "no", 0, 0, NULL,
     "also the share of strings that are right at every position"},
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
               sh_plural(y.rows));
    else if (!isnan(y.chance))
        sh_say(s, " (chance %.6g)", y.chance);
    sh_say(s, scores->bands ? " in %zu band%s" : " over %zu length%s", scores->n,
           sh_plural(scores->n));
    sh_say(s, ", lowest %.6g at %d", lowest->accuracy, lowest->length);
    if (scores->exact)
        sh_say(s, "; whole strings %.6g", y.exact);
    sh_say(s, "\n");
    sh_results(s, "accuracy:r lowest:r longest:i chance:r strings:i", y.accuracy, lowest->accuracy,
               (long long)(scores->item[scores->n - 1].length), y.chance, (long long)y.rows);
    if (scores->rows)
        sh_results(s, "rows:i random:r", (long long)y.rows, random);
    if (scores->exact)
        sh_result_real(s, "exact", y.exact);
    if (scores->perplexity)
        sh_results(s, "loss:r perplexity:r", scores->item[scores->n - 1].loss,
                   exp(scores->item[scores->n - 1].loss));
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
               call->operand[0].object->name, had, sh_plural(had), needs, lengths.hi);
}

SH_COMMAND(
    evaluate, .group = "training", .summary = "measure a model's accuracy by length",
    .detail =
        "Draws fresh strings of every length, which depend on the seed and the length alone, and "
        "prints a row a length: the share of right answers with its 95 % interval (Clopper and "
        "Pearson), what the best answer that does not read the string would reach, and the loss.  "
        "The last line has the mean over the lengths; plot accuracy draws the rows.\n\n"
        "Where a string has an answer at every position all of them count; answers within a string "
        "depend on each other, so the interval is that of as many answers as there are strings.\n\n"
        "Of a task that asks for texts (copies, scratchpads) the model writes by itself behind the "
        "prompt of every string, up to the end symbol or twice as much as is true, and the task "
        "judges: answer is the share of strings with the right answer, however it was reached, "
        "exact that of those right throughout.  answers=forced counts the symbols that it says "
        "right where the true ones stand before, and its exact is the share of strings with all of "
        "these right; answers=both has that accuracy beside what is written.  generate shows some "
        "texts, diagnose where they go wrong.  Of a text, perplexity is e to the power of the "
        "loss, and as a figure that of the greatest length.  With whole=yes exact is there for any "
        "task: the share of strings that are right at every position.\n\nOf a file the rows to "
        "test on are taken, all that have the lengths; a line of the table stands for the lengths "
        "from least to length, which are apart by the step of length=A..B:STEP, and accuracy is "
        "that of all answers; chance is the share of the most frequent class, and random what one "
        "of the classes at random would reach.\n\n"
        "Of a distribution, what the model expects of words is compared with what is true, a row a "
        "length: in bits a word its cross-entropy, the entropy, and the difference, which is the "
        "divergence of Kullback and Leibler; what words of the length add to total variation; and "
        "accuracy is the share of symbols where what the model expects most is possible at all.  "
        "Where there are no more strings of a length than samples= all of them are read, and the "
        "figures are exact.  The last lines are about all the lengths, each with its "
        "probability.  help in_context says how its figures differ.\n\n"
        "Papers average over all lengths beyond those of training, 41..500; the code that came "
        "with RegularGPT leaves out the first of them (slice=authors).",
    .example = SH_EXAMPLE_TRAINED "evaluate m on p length=11..13 samples=64\n"
                                  "assert longest == 13 and accuracy > 0.2",
    .results = "model architecture task seed accuracy lowest longest chance strings rows random "
               "answer exact loss perplexity cross_entropy entropy divergence variation mass",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = evaluate_options, .flags = C_PAGED)
{
    ThModel *m = call->operand[0].object->as.model;
    const ThTask *task = call->operand[1].object->as.task;
    const ThOptions *o = &call->options;
    Evaluation e = {.s = s};
    if (task->kind->foretell)
        return sh_evaluate_foretold(s, call, err);
    int answers = th_option_choice(o, "answers");
    Scores scores = {.rows = th_task_finite(task),
                     .exact = th_option_flag(o, "whole") ||
                              (task->signature.next && !task->kind->perplexity),
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
