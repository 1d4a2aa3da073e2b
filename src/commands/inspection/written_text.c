/* written_text.c - what a model writes by itself behind the prompts of a task: counted for
 * evaluate, explained by diagnose. */
#include <math.h>

#include "commands/plots/plots.h"
#include "commands/inspection/writing_options.h"

/* ---- evaluate -------------------------------------------------------------------------------- */

bool sh_score_written(const ThLabTrialsPlan *trials, int length, bool forced, ThScore *x,
                      ThError *err)
{
    ThLabTrials t TH_OWNED(th_lab_trials_free) = {0};
    ThLabTrialsPlan plan = *trials;
    plan.length = length;
    if (!th_lab_trials(&plan, &t, err))
        return false;
    if (!forced)
        *x = (ThScore){
            .length = length, .least = length, .chance = (double)NAN, .loss = (double)NAN};
    x->tokens = th_task_tokens(plan.task, length);
    x->written = t.n;
    for (int i = 0; i < t.n; i++) {
        x->answered += t.item[i].answer;
        x->whole += t.item[i].verdict.right;
    }
    if (forced)
        return true;
    x->strings = x->n = x->written;
    x->right = x->answered;
    x->exact = x->whole;
    x->accuracy = (double)x->answered / (double)x->n;
    ThStatsInterval share = th_stats_share((double)x->answered, (double)x->n);
    x->lo = share.low;
    x->hi = share.high;
    return true;
}

void sh_print_written(ShSession *s, const ThScore *score, size_t n, bool forced)
{
    sh_table(s, "scores",
             forced
                 ? "length:i answer:r answer_low:r answer_high:r exact:r exact_low:r exact_high:r "
                   "accuracy:r loss:r"
                 : "length:i answer:r answer_low:r answer_high:r exact:r exact_low:r exact_high:r");
    for (size_t i = 0; i < n; i++) {
        const ThScore *x = &score[i];
        double all = (double)x->written, answered = (double)x->answered, whole = (double)x->whole;
        ThStatsInterval answer = th_stats_share(answered, all), text = th_stats_share(whole, all);
        sh_row(s, (long long)x->length, answered / all, answer.low, answer.high, whole / all,
               text.low, text.high, x->accuracy, x->loss);
    }
    sh_table_end(s);
}

void sh_summarize_written(ShSession *s, const ThScore *score, size_t n, bool forced)
{
    double answer = 0, exact = 0, accuracy = 0, all = (double)n;
    long long strings = 0;
    const ThScore *lowest = score;
    for (size_t i = 0; i < n; i++) {
        const ThScore *x = &score[i];
        answer += (double)x->answered / (double)x->written / all;
        exact += (double)x->whole / (double)x->written / all;
        accuracy += x->accuracy / all;
        strings += x->written;
        lowest = x->answered < lowest->answered ? x : lowest;
    }
    sh_say(s, "mean over %zu length%s: answers %.6g, whole texts %.6g; lowest answers %.6g at %d\n",
           n, sh_plural(n), answer, exact, (double)lowest->answered / (double)lowest->written,
           lowest->length);
    sh_results(s, "answer:r exact:r lowest:r longest:i strings:i", answer, exact,
               (double)lowest->answered / (double)lowest->written, (long long)(score[n - 1].length),
               (long long)strings);
    if (forced)
        sh_result_real(s, "accuracy", accuracy);
}

/* ---- diagnose -------------------------------------------------------------------------------- */

static const ThOptionSpec diagnose_options[] = {
    {"length", TH_RANGE, "10..20:5", 1, 1000000, NULL, "lengths of the strings"},
    {"samples", TH_INT, "96", 1, 1e9, NULL, "strings of each length"},
    {"n", TH_INT, "3", 1, 1000, NULL,
     "symbols before an error that are looked for again in its line"},
    {"each", TH_FLAG, "no", 0, 0, NULL, "a row for every first error"},
    SH_WRITING_OPTIONS,
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the strings; default: set seed"},
    {0},
};

/* Slips of strings, by length. */
typedef struct {
    ThInspectSlip *item;
    size_t n, cap;
    int gram;
    double *usual; /* by length: the share of all places with repeated symbols before them */
    size_t n_lengths, cap_usual;
} Slips;

static bool add_slips(const ThTask *t, int length, const ThLabTrials *trials, Slips *to,
                      ThError *err)
{
    long long repeats = 0, places = 0;
    if (!th_grow(&to->item, &to->cap, to->n + (size_t)trials->n, sizeof *to->item, err) ||
        !th_grow(&to->usual, &to->cap_usual, to->n_lengths + 1, sizeof *to->usual, err))
        return false;
    for (int i = 0; i < trials->n; i++) {
        to->item[to->n++] = th_inspect_slip(t, length, &trials->item[i]);
        repeats += th_inspect_repeats(t, &trials->item[i], to->gram);
        places += trials->item[i].truth.n;
    }
    to->usual[to->n_lengths++] = (double)repeats / (double)places;
    return true;
}

/* Has the model write, and looks where it slips. */
static bool find_slips(ShSession *s, const ShCall *call, Slips *to, ThError *err)
{
    const ThOptions *o = &call->options;
    ThRange l = th_option_range(o, "length");
    ThLabTrialsPlan plan = {.model = call->operand[0].object->as.model,
                            .task = call->operand[1].object->as.task,
                            .how = sh_writing_settings(s, o),
                            .seed = (uint64_t)sh_seed(s, o),
                            .samples = (int)th_option_int(o, "samples"),
                            .threads = sh_threads(s),
                            .stop = sh_stop(s)};
    *to = (Slips){.gram = (int)th_option_int(o, "n")};
    if (!plan.model->bound)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                               "the model has no alphabet before it is trained");
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    for (long long length = l.lo; length <= l.hi; length += l.step) {
        ThLabTrials trials TH_OWNED(th_lab_trials_free) = {0};
        plan.length = (int)length;
        if (!th_lab_trials(&plan, &trials, err))
            return sh_error_inside(err, &call->operand[1]);
        if (!add_slips(plan.task, plan.length, &trials, to, err))
            return false;
        sh_progress(s, "length %lld of %lld", length, l.hi);
    }
    return true;
}

static void free_slips(Slips *y)
{
    TH_FREE(y->item, y->usual);
}

static bool is_kind(const ThInspectSlip *y, const char *kind)
{
    return strcmp(y->kind, kind) == 0;
}

static int by_number(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Of the numbers as they are sorted; reorders them. */
static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_number);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Slips of one kind at one length. */
static void print_kind(ShSession *s, const ThInspectSlip *y, size_t n, const Slips *all,
                       const char *kind, double usual, double *room)
{
    double *line = room, *column = room + n, *place = room + 2 * n;
    size_t count = 0, repeated = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_kind(&y[i], kind))
            continue;
        line[count] = y[i].line;
        column[count] = y[i].column;
        place[count++] = (double)y[i].at / (double)y[i].places;
        repeated += y[i].repeated >= all->gram;
    }
    bool slip = strcmp(kind, "right") != 0;
    double none = (double)NAN;
    sh_row(s, (long long)y->length, kind, (long long)count, (double)count / (double)n,
           slip ? median(line, count) : none, slip ? median(column, count) : none,
           slip ? median(place, count) : none, slip ? (double)repeated / (double)count : none,
           usual);
}

enum { MOST_KINDS = 16 };

/* The kinds of some slips, in the order in which they come, "right" first; returns how many. */
static size_t kinds_of(const ThInspectSlip *y, size_t n, const char *kind[MOST_KINDS])
{
    size_t kinds = 0;
    for (int right = 1; right >= 0; right--) {
        for (size_t i = 0; i < n; i++) {
            size_t k = 0;
            while (k < kinds && !is_kind(&y[i], kind[k]))
                k++;
            if (k == kinds && kinds < MOST_KINDS && is_kind(&y[i], "right") == right)
                kind[kinds++] = y[i].kind;
        }
    }
    return kinds;
}

static bool print_slips(ShSession *s, const Slips *y, ThError *err)
{
    size_t each = y->n / y->n_lengths;
    double *room TH_OWNED(free) = th_alloc(3 * each, sizeof *room, err);
    sh_table(s, "errors",
             "length:i error:s strings:i share:r line:r column:r place:r repeated:r usual:r");
    for (size_t i = 0; room && i < y->n_lengths; i++) {
        const char *kind[MOST_KINDS];
        size_t kinds = kinds_of(y->item + i * each, each, kind);
        for (size_t k = 0; k < kinds; k++)
            print_kind(s, y->item + i * each, each, y, kind[k], y->usual[i], room);
    }
    sh_table_end(s);
    return room != NULL;
}

static void print_each(ShSession *s, const Slips *y, const ThSignature *sig)
{
    sh_table(s, "errors",
             "length:i string:i error:s line:i column:i at:i repeated:i expected:s found:s");
    size_t each = y->n / y->n_lengths;
    for (size_t i = 0; i < y->n; i++) {
        const ThInspectSlip *x = &y->item[i];
        if (!is_kind(x, "right"))
            sh_row(s, (long long)x->length, (long long)(i % each) + 1, x->kind, (long long)x->line,
                   (long long)x->column, (long long)x->at, (long long)x->repeated,
                   sig->symbol[x->expected], x->found < 0 ? "" : sig->symbol[x->found]);
    }
    sh_table_end(s);
}

/* What there is to say of all lengths. */
typedef struct {
    size_t right, slips, repeated; /* repeated: of the slips */
    const char *kind;              /* the commonest slip; "right": there is none */
    size_t of_kind;
    double usual;
} Summary;

static Summary sum_up(const Slips *y)
{
    Summary z = {.kind = "right"};
    const char *kind[MOST_KINDS];
    for (size_t i = 0; i < y->n_lengths; i++)
        z.usual += y->usual[i] / (double)y->n_lengths;
    for (size_t k = kinds_of(y->item, y->n, kind); k-- > 0;) {
        size_t count = 0;
        for (size_t i = 0; i < y->n; i++)
            count += is_kind(&y->item[i], kind[k]);
        if (strcmp(kind[k], "right") == 0) {
            z.right = count;
        } else if (count >= z.of_kind) {
            z.of_kind = count;
            z.kind = kind[k];
        }
    }
    z.slips = y->n - z.right;
    for (size_t i = 0; i < y->n; i++)
        z.repeated += !is_kind(&y->item[i], "right") && y->item[i].repeated >= y->gram;
    return z;
}

static void set_figures(ShSession *s, const Slips *y)
{
    Summary z = sum_up(y);
    double share = z.slips > 0 ? (double)z.repeated / (double)z.slips : (double)NAN;
    sh_results(s, "strings:i right:i first_error:s repeated:r usual:r", (long long)y->n,
               (long long)z.right, z.kind, share, z.usual);
}

static void say_summary(ShSession *s, const Slips *y)
{
    Summary z = sum_up(y);
    sh_say(s, "%zu of %zu right", z.right, y->n);
    if (z.slips > 0)
        sh_say(s,
               "; first errors: %s %zu of %zu; before %.3g %% of them the last %d symbol%s in the "
               "line again, before %.3g %% of all places",
               z.kind, z.of_kind, z.slips, 100 * (double)z.repeated / (double)z.slips, y->gram,
               y->gram == 1 ? " stands" : "s stand", 100 * z.usual);
    sh_say(s, "\n");
}

#define EXAMPLE_MODEL                                                                              \
    "task c = copy symbols=4\n"                                                                    \
    "model m = gpt dim=16 heads=4 layers=1\n"                                                      \
    "train m on c length=2..4 steps=20 seed=1 > \"train.txt\"\n"

SH_COMMAND(
    diagnose, .group = "inspection", .summary = "show where what a model writes first goes wrong",
    .detail =
        "The model writes behind prompts of a task, as evaluate has it do, and the task finds the "
        "first error in each text.  A row is about those of one kind at one length: how many, and "
        "in the middle of them (medians) on which line and in which column, counted in symbols, "
        "and behind which share of the answer.  Kinds are what check calls them: copy, digit, "
        "carry, write, move, state, format; separator, where a line ends too soon or goes on; "
        "early end and late end of the whole.  Strings without an error are right.\n\n"
        "What is copied can be found by the symbols before it, if these do not stand in the line "
        "twice (the condition of the theorem on Turing Programs, which ngrams looks at).  repeated "
        "is the share of the errors before which the last n= symbols stand in the line again, "
        "usual that of all places of the true answers: where repeated is much the greater, "
        "repetitions explain the errors.\n\n"
        "each=yes has a row for every first error, at being the symbols of the answer before it "
        "and repeated how many symbols right before it stand in the line again.  plot diagnose "
        "draws the errors.",
    .example = EXAMPLE_MODEL "diagnose m on c length=4..8:4 samples=32 > \"errors.csv\"\n"
                             "assert strings == 64",
    .results = "model architecture task seed strings right first_error repeated usual",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
    .options = diagnose_options, .flags = C_PAGED)
{
    Slips y = {0};
    bool ok = find_slips(s, call, &y, err);
    if (ok && th_option_flag(&call->options, "each"))
        print_each(s, &y, &call->operand[0].object->as.model->signature);
    else if (ok)
        ok = print_slips(s, &y, err);
    if (ok) {
        say_summary(s, &y);
        set_figures(s, &y);
    }
    free_slips(&y);
    return ok;
}

SH_PLOT(plot_diagnose, .summary = "draw where what a model writes first goes wrong",
        .detail = "Left, the share of the strings of each length with a first error of each kind; "
                  "right, where the errors are: by line and column, or where all are on one line "
                  "by column and length, filled where the n= symbols before stand in the line "
                  "again.  diagnose prints the numbers and explains them.",
        .example = EXAMPLE_MODEL "plot diagnose m on c length=4..8 samples=32 > \"errors.svg\"",
        .results = "model architecture task seed strings right first_error repeated usual",
        .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
        .options = diagnose_options)
{
    Slips y = {0};
    char *text TH_OWNED(free) =
        th_printed(err, "first errors of %s on %s", call->operand[0].object->name,
                   call->operand[1].object->name);
    bool ok =
        text && find_slips(s, call, &y, err) && th_plot_slips(f, text, y.item, y.n, y.gram, err);
    if (ok)
        set_figures(s, &y);
    free_slips(&y);
    return ok;
}
