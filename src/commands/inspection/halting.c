/* halting.c - how long a model that halts by itself thinks, and about what. */
#include <limits.h>

#include "commands/inspection/inspect.h"
#include "commands/modelling.h"
#include "commands/plots/plots.h"

static const ThOptionSpec halting_options[] = {
    {"length", TH_RANGE, "10..100:10", 1, 1000000, NULL,
     "lengths of the task's strings; default for the rows of a data set: all"},
    {"samples", TH_INT, "500", 4, 1000000, NULL, "how many of them"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the strings; default: set seed"},
    {0},
};

enum { ON_TASK = 1, ON_INPUT }; /* forms of the call */

/* What was decided about one input, whose symbols these are. */
typedef struct {
    ThModelHalted *halted;
    int *token, length;
    char *title;
} Thought;

static void free_thought(Thought *t)
{
    th_model_halted_free(t->halted);
    TH_FREE(t->token, t->title);
}

/* ---- one input ------------------------------------------------------------------------------- */

/* The options are for strings of a task. */
static bool refuse_options(const ShCall *call, ThError *err)
{
    for (const ThOptionSpec *o = halting_options; o->name; o++)
        if (th_option_given(&call->options, o->name))
            return sh_fail_operand(err, &call->operand[1], TH_EUSAGE,
                                   "an input has no use for %s=", o->name);
    return true;
}

static bool think(const ShCall *call, Thought *t, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    if (!refuse_options(call, err))
        return false;
    ThModelTrace *trace TH_OWNED(th_model_trace_free) = sh_call_trace(call, &t->token, err);
    if (!trace)
        return false;
    ThText title = {0};
    t->length = trace->length;
    sh_write_answer_line(&title, call, trace, t->token);
    t->title = th_text_take(&title, err);
    t->halted = t->title ? th_model_halted(m, t->token, t->length, err) : NULL;
    return t->halted || sh_error_inside(err, &call->operand[0]);
}

static const char *symbol_name(const ThModel *m, const Thought *t, const ThModelHaltedUnit *u)
{
    return u->first < u->last      ? ""
           : u->first < 0          ? "start"
           : u->first >= t->length ? "end"
                                   : m->signature.symbol[t->token[u->first]];
}

static void print_thought(ShSession *s, const ShCall *call, const Thought *t)
{
    const ThModel *m = call->operand[0].object->as.model;
    const ThModelHalted *h = t->halted;
    sh_about_model(s, call->operand[0].object, NULL);
    sh_say(s, "%s\n", t->title);
    sh_table(s, "halting", "first:i last:i symbol:s state:i probability:r mass:r depth:i ponder:r");
    for (int i = 0; i < h->n; i++) {
        const ThModelHaltedUnit *u = &h->unit[i];
        const size_t at = (size_t)i * ((size_t)h->most + 1);
        for (int l = 0; l <= u->steps; l++)
            sh_row(s, (long long)u->first, (long long)u->last, symbol_name(m, t, u), (long long)l,
                   h->p[at + (size_t)l], h->mass[at + (size_t)l], (long long)u->steps, u->ponder);
    }
    sh_table_end(s);
    double depth = th_inspect_mean_depth(h), ponder = th_inspect_mean_ponder(h);
    sh_say(s, "depth %.6g of at most %d, ponder %.6g\n", depth, h->most, ponder);
    sh_results(s, "depth:r ponder:r", depth, ponder);
}

/* ---- a task ---------------------------------------------------------------------------------- */

static ThInspectHalting *think_about_task(ShSession *s, const ShCall *call, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    const ThTask *t = call->operand[1].object->as.task;
    ThInspectHaltingPlan plan = {.lengths = th_option_range(&call->options, "length"),
                                 .samples = (int)th_option_int(&call->options, "samples"),
                                 .seed = (uint64_t)sh_seed(s, &call->options),
                                 .stop = sh_stop(s)};
    if (th_task_finite(t) && !th_option_given(&call->options, "length"))
        plan.lengths = (ThRange){1, INT_MAX, 1};
    if (!sh_check_pair(call, err))
        return NULL;
    ThInspectHalting *h = th_inspect_halting(m, t, &plan, err);
    if (!h)
        sh_error_inside(err, &call->operand[0]);
    return h;
}

/* The correlations of how long the model thought with what is known of the strings; each is a
 * figure, too: depth_nesting, ponder_length, … */
static bool print_ranks(ShSession *s, const ThInspectHalting *h, int work, ThError *err)
{
    for (int k = 0; k < TH_INSPECT_DEPTH; k++) {
        ThInspectRank rank;
        char name[40];
        if (!th_inspect_rank(h->value[k], h->value[work], h->n, &rank, err))
            return false;
        sh_row(s, th_inspect_thought[work], th_inspect_thought[k], rank.r, rank.lo, rank.hi);
        snprintf(name, sizeof name, "%s_%s", th_inspect_thought[work], th_inspect_thought[k]);
        sh_result_real(s, name, rank.r);
    }
    return true;
}

/* Sums over the strings of one nesting. */
typedef struct {
    long long n;
    double depth, ponder;
} Sums;

static Sums sums_of(const ThInspectHalting *h, double nesting)
{
    Sums y = {0};
    for (int i = 0; i < h->n; i++) {
        if (h->value[TH_INSPECT_NESTING][i] != nesting)
            continue;
        y.n++;
        y.depth += h->value[TH_INSPECT_DEPTH][i];
        y.ponder += h->value[TH_INSPECT_PONDER][i];
    }
    return y;
}

static void print_by_nesting(ShSession *s, const ThInspectHalting *h)
{
    Sums all = {0};
    sh_table(s, "nesting", "nesting:i strings:i depth:r ponder:r");
    for (int nesting = 0; all.n < h->n; nesting++) {
        Sums y = sums_of(h, nesting);
        if (y.n > 0)
            sh_row(s, (long long)nesting, y.n, y.depth / (double)y.n, y.ponder / (double)y.n);
        all = (Sums){all.n + y.n, all.depth + y.depth, all.ponder + y.ponder};
    }
    sh_table_end(s);
    sh_results(s, "strings:i depth:r ponder:r", (long long)all.n, all.depth / (double)all.n,
               all.ponder / (double)all.n);
}

static bool show_task(ShSession *s, const ShCall *call, ThError *err)
{
    ThInspectHalting *h TH_OWNED(th_inspect_halting_free) = think_about_task(s, call, err);
    if (!h)
        return false;
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    sh_table(s, "ranks", "of:s with:s rank:r low:r high:r");
    bool ok = print_ranks(s, h, TH_INSPECT_DEPTH, err) && print_ranks(s, h, TH_INSPECT_PONDER, err);
    sh_table_end(s);
    sh_say(s, "\n");
    print_by_nesting(s, h);
    return ok;
}

static bool show_input(ShSession *s, const ShCall *call, ThError *err)
{
    Thought t = {0};
    bool ok = think(call, &t, err);
    if (ok)
        print_thought(s, call, &t);
    free_thought(&t);
    return ok;
}

SH_COMMAND(
    halting, .group = "inspection", .summary = "show how long a model that halts thinks, and when",
    .detail =
        "Of one input: for each unit that stops by itself (a position, a chunk, or the whole) the "
        "states that the applications of the block made, 0 the input; the probability of stopping "
        "said at each, the mass that it got, how many applications counted (depth), and the mean "
        "number of them by the masses, which training pays for (ponder).  A probability beside the "
        "last state is the one that made it stop.  Positions are those of the symbols; -1 is the "
        "symbol that the model puts before the string, and one more than the last is the one "
        "behind it.\n\n"
        "On a task: does it think longer where there is more to think about?  For each string "
        "depth and ponder, means over its units, are compared with the nesting (the most brackets "
        "in which a symbol stands: symbols whose names begin with ( [ or { open one), the length "
        "and the number of operators (those that the task says, or else the opening brackets) by "
        "Spearman's rank correlation, equal values sharing their rank, with the 95 % interval of "
        "Fisher's z and the variance of Bonett and Wright 2000.  Of a data set the rows to test on "
        "are taken.  The second table has means by nesting; plot halting draws both.",
    .example = "task p = parity\n"
               "model m = universal dim=8 heads=2 steps=4\n"
               "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
               "halting m \"abbab\" > \"halting.csv\"\n"
               "assert depth <= 4 and ponder <= depth\n"
               "halting m on p length=5..20:5 samples=20 > \"ranks.txt\"\n"
               "assert strings == 20",
    .results = "model architecture task seed depth ponder strings depth_nesting depth_length "
               "depth_operators ponder_nesting ponder_length ponder_operators",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .args2 = {{A_MODEL, "MODEL", 0}, {A_INPUT, "INPUT", 0}}, .options = halting_options,
    .flags = C_PAGED)
{
    return call->form == ON_TASK ? show_task(s, call, err) : show_input(s, call, err);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static bool draw_input(ThFigure *f, const ShCall *call, ThError *err)
{
    Thought t = {0};
    const ThModel *m = call->operand[0].object->as.model;
    bool ok = think(call, &t, err) &&
              th_plot_halting(f, t.title, t.halted,
                              &(ThPlotInput){t.token, t.length, m->signature.symbol}, err);
    free_thought(&t);
    return ok;
}

static bool draw_task(ThFigure *f, ShSession *s, const ShCall *call, ThError *err)
{
    ThInspectHalting *h TH_OWNED(th_inspect_halting_free) = think_about_task(s, call, err);
    if (!h)
        return false;
    char *title TH_OWNED(free) =
        th_printed(NULL, "how long %s thinks on %s", call->operand[0].object->name,
                   call->operand[1].object->name);
    return th_plot_thoughts(f, title ? title : "", h, err);
}

SH_PLOT(
    plot_halting, .summary = "draw how long a model that halts thinks",
    .detail =
        "Of one input: the mass that each state of each position got, from the input (0) upwards, "
        "and below it how many brackets each symbol stands in.  On a task: applications that "
        "counted and those paid for, by nesting, length and operators of the strings, with the "
        "rank correlations; the line joins means.  halting prints the numbers and explains them.",
    .example = "task p = parity\n"
               "model m = universal dim=8 heads=2 steps=4\n"
               "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
               "plot halting m \"abbab\" > \"halting.svg\"\n"
               "plot halting m on p length=5..20:5 samples=20 > \"thoughts.svg\"",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .args2 = {{A_MODEL, "MODEL", 0}, {A_INPUT, "INPUT", 0}}, .options = halting_options)
{
    return call->form == ON_TASK ? draw_task(f, s, call, err) : draw_input(f, call, err);
}
