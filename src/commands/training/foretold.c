/* foretold.c - evaluate, where it is known what is true: how far what a model expects is from it.
 */

#include <math.h>

#include "commands/modelling.h"
#include "commands/training/training.h"

/* Sums over the lengths, each with its probability; where that is unknown all count alike. */
typedef struct {
    ThLabForetold sum;
    double mass, weight;
    int lengths;
} Total;

static void add(Total *t, const ThLabForetold *x)
{
    double w = isnan(x->probability) ? 1 : x->probability;
    t->sum.cross += w * x->cross;
    t->sum.entropy += w * x->entropy;
    t->sum.accuracy += w * x->accuracy;
    t->sum.variation += x->variation;
    t->sum.strings += x->strings;
    t->mass += x->probability;
    t->weight += w;
    t->lengths++;
}

static void summarize(ShSession *s, const Total *t)
{
    double cross = t->sum.cross / t->weight, entropy = t->sum.entropy / t->weight;
    double accuracy = t->sum.accuracy / t->weight;
    double variation = t->sum.variation / (isnan(t->mass) ? t->lengths : 1);
    sh_say(s, "cross-entropy %.6g bits a %s, entropy %.6g, divergence %.6g\n", cross,
           isnan(t->mass) ? "symbol" : "word", entropy, cross - entropy);
    sh_say(s, "total variation %.6g, accuracy %.6g over %d length%s", variation, accuracy,
           t->lengths, sh_plural(t->lengths));
    if (isnan(t->mass))
        sh_say(s, "\n");
    else
        sh_say(s, " with %.6g of all words\n", t->mass);
    sh_results(s, "accuracy:r cross_entropy:r entropy:r divergence:r variation:r mass:r strings:i",
               accuracy, cross, entropy, cross - entropy, variation, t->mass, t->sum.strings);
}

bool sh_evaluate_foretold(ShSession *s, const ShCall *call, ThError *err)
{
    static const char *const others[] = {"slice", "answers", "whole"};
    const ThModel *m = call->operand[0].object->as.model;
    const ThTask *task = call->operand[1].object->as.task;
    const ThOptions *o = &call->options;
    ThRange l = th_option_range(o, "length");
    if (!th_option_given(o, "length"))
        l = th_task_lengths(task, l);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (th_option_given(o, others[i]))
            return th_fail(err, TH_EUSAGE, "%s= is not for tasks of kind %s", others[i],
                           task->kind->name);
    Total t = {0};
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    sh_table(s, "lengths",
             "length:i strings:i probability:r cross_entropy:r entropy:r divergence:r variation:r "
             "accuracy:r");
    int before = 0;
    for (long long k = l.lo; k <= l.hi; k += l.step) {
        ThLabForetold x;
        ThTaskForetold which = {.length = th_task_length(task, (int)k),
                                .most = th_option_int(o, "samples")};
        if (which.length == before)
            continue; /* there are no words of every length */
        if (!th_lab_foretell(m, task, which, (uint64_t)sh_seed(s, o), &x, sh_stop(s), err))
            return sh_error_inside(err, &call->operand[0]);
        before = which.length;
        sh_row(s, (long long)which.length, x.strings, x.probability, x.cross, x.entropy,
               x.cross - x.entropy, x.variation, x.accuracy);
        add(&t, &x);
    }
    sh_table_end(s);
    summarize(s, &t);
    return true;
}
