/* extract.c - the automaton of a model, found in three ways. */

#include "commands/modelling.h"

static const ThOptionSpec options[] = {
    {"by", TH_CHOICE, "all", 0, 0, "all|queries|clusters|algebra", "the methods to try"},
    {"length", TH_RANGE, "1..40", 1, 100000, NULL, "lengths of the strings"},
    {"samples", TH_INT, "2000", 1, 1e8, NULL, "strings that the disagreement is measured on"},
    {"states", TH_INT, "100", 1, 10000, NULL, "of any automaton, at most"},
    {"elements", TH_INT, "60", 1, 10000, NULL,
     "of the semigroup of the task's automaton, at most: of the algebra"},
    {"error", TH_REAL, "0.01", 1e-6, 0.5, NULL,
     "share of uniform words that queries may be wrong on"},
    {"confidence", TH_REAL, "0.95", 0, 0.999999, NULL, "with which that is asserted"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL,
     "of strings, words and vectors; default: set seed"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { ALL }; /* by=, before the ways in their order */

static const char *const names[] = {"queries", "clusters", "algebra", "task"};

typedef struct {
    ShSession *s;
    const ShCall *call;
    const ThModel *model;
    ThInspectTruth truth;
    ThInspectTeacher teacher;
    ThDfa *due; /* what the task asks, as a machine; NULL: no automaton labels it */
    ThInspectWays ways;
    int best; /* -1: none */
} Extraction;

static void show_asked(void *context, long long words)
{
    sh_progress(context, "%lld words asked for", words);
}

static bool find(Extraction *x, ThError *err)
{
    const ThOptions *o = &x->call->options;
    const ThTask *task = x->call->operand[2].object->as.task;
    uint64_t seed = (uint64_t)sh_seed(x->s, o);
    ThRange length = th_option_range(o, "length");
    int by = th_option_choice(o, "by"), states = (int)th_option_int(o, "states");
    bool wanted[TH_INSPECT_WAYS];
    for (int k = 0; k < TH_INSPECT_WAYS; k++)
        wanted[k] = by == ALL || by == k + 1;
    bool labelled = th_task_machine(task, NULL) != NULL;
    ThInspectTeaching teaching = {.truth = labelled ? &x->truth : NULL,
                                  .length = {0, length.hi, 1},
                                  .error = th_option_real(o, "error"),
                                  .confidence = th_option_real(o, "confidence"),
                                  .seed = seed,
                                  .stop = sh_stop(x->s),
                                  .context = x->s,
                                  .asked = show_asked};
    ThInspectExtraction asking = {.states = states, .samples = 1, .stop = sh_stop(x->s)};
    ThInspectWaysPlan plan = {.model = x->model,
                              .task = task,
                              .length = length,
                              .samples = (int)th_option_int(o, "samples"),
                              .states = states,
                              .elements = (size_t)th_option_int(o, "elements"),
                              .seed = seed,
                              .stop = sh_stop(x->s)};
    return (labelled ? th_inspect_truth_of_task(&x->truth, &x->model->signature, task, err)
                     : th_signature_match(&x->model->signature, &task->signature, err)) &&
           th_inspect_teach_model(&x->teacher, x->model, &teaching, err) &&
           th_inspect_ways(&x->teacher, &asking, &plan, wanted, &x->ways, err) &&
           (!labelled || (x->due = th_inspect_due(&x->teacher, err)));
}

/* The automaton that is wrong least; of equals the smallest, then the first. */
static void choose(Extraction *x)
{
    x->best = -1;
    for (int k = 0; k < TH_INSPECT_WAYS; k++) {
        const ThInspectWay *w = &x->ways.way[k], *best = &x->ways.way[x->best < 0 ? 0 : x->best];
        if (w->machine &&
            (x->best < 0 || w->wrong < best->wrong ||
             (w->wrong == best->wrong && w->machine->n_states < best->machine->n_states)))
            x->best = k;
    }
}

/* ---- what was found -------------------------------------------------------------------------- */

static const ThDfa *machine_of(const Extraction *x, int k)
{
    return k < TH_INSPECT_WAYS ? x->ways.way[k].machine : x->due;
}

/* Returns new: the first word that two machines put into different classes; *same where there is
 * none, and then it is empty. */
static char *difference(const Extraction *x, int i, int j, bool *same, ThError *err)
{
    int length = 0;
    ThError own = {0};
    int *word TH_OWNED(free) =
        th_dfa_distinguish(machine_of(x, i), machine_of(x, j), &length, sh_stop(x->s), &own);
    *same = length < 0;
    if (own.code != TH_OK) {
        *err = own;
        return NULL;
    }
    return th_symbols_text(x->teacher.symbol, x->teacher.n_symbols, word, word ? length : 0, err);
}

static void show_ways(const Extraction *x)
{
    sh_table(x->s, "methods", "method:s states:i wrong:i disagreement:r low:r high:r");
    for (int k = 0; k < TH_INSPECT_WAYS; k++) {
        const ThInspectWay *w = &x->ways.way[k];
        if (w->machine)
            sh_row(x->s, names[k], (long long)w->machine->n_states, w->wrong,
                   (double)w->wrong / (double)x->ways.samples, w->low, w->high);
    }
    sh_table_end(x->s);
    for (int k = 0; k < TH_INSPECT_WAYS; k++)
        if (*x->ways.way[k].why)
            sh_say(x->s, "no automaton by %s: %s\n", names[k], x->ways.way[k].why);
}

/* What the ways, and the task, say of each other. */
static bool show_pairs(const Extraction *x, ThError *err)
{
    bool ok = true;
    sh_table(x->s, "pairs", "one:s other:s equivalent:b word:s");
    for (int i = 0; ok && i < TH_INSPECT_WAYS; i++)
        for (int j = i + 1; ok && j <= TH_INSPECT_WAYS; j++) {
            bool same;
            if (!machine_of(x, i) || !machine_of(x, j))
                continue;
            char *word TH_OWNED(free) = difference(x, i, j, &same, err);
            ok = word != NULL;
            if (ok)
                sh_row(x->s, names[i], names[j], (int)same, same || *word ? word : "\"\"");
        }
    sh_table_end(x->s);
    return ok;
}

static bool set_figures(const Extraction *x, const ThAutomaton *a, ThError *err)
{
    const ThInspectWay *w = &x->ways.way[x->best];
    bool same;
    sh_results(x->s, "method:s states:i symbols:i disagreement:r low:r high:r", names[x->best],
               (long long)w->machine->n_states, (long long)a->n_symbols,
               (double)w->wrong / (double)x->ways.samples, w->low, w->high);
    if (!x->due)
        return true;
    char *word TH_OWNED(free) = difference(x, x->best, TH_INSPECT_WAYS, &same, err);
    if (word)
        sh_results(x->s, "equivalent:b word:s", same, word);
    return word != NULL;
}

static bool report(const Extraction *x, const ThAutomaton *a, ThError *err)
{
    const ShOperand *name = &x->call->operand[0];
    ThRange length = th_option_range(&x->call->options, "length");
    show_ways(x);
    sh_say(x->s, "\n");
    if (!show_pairs(x, err) || !set_figures(x, a, err))
        return false;
    sh_say(x->s, "\n%s: %d state%s, by %s\n", name->text, x->ways.way[x->best].machine->n_states,
           sh_plural(x->ways.way[x->best].machine->n_states), names[x->best]);
    sh_say(x->s,
           "disagreement on %lld strings of the task of %lld to %lld symbols; low and high: 95 %% "
           "interval\nof Clopper and Pearson\n",
           x->ways.samples, length.lo, length.hi);
    if (x->ways.way[TH_INSPECT_QUERIES].machine)
        sh_say(x->s,
               "queries: with confidence %g wrong on a share below %g of uniform words of 0 to "
               "%lld symbols\n",
               th_option_real(&x->call->options, "confidence"),
               th_option_real(&x->call->options, "error"), length.hi);
    return true;
}

/* Why not, by the first way, and by the next one that was tried. */
static bool none_found(const Extraction *x, ThError *err)
{
    int said = 0;
    for (int k = 0; k < TH_INSPECT_WAYS && said < 2; k++) {
        const char *why = x->ways.way[k].why;
        if (*why && said++ == 0)
            th_fail(err, TH_EVALUE, "no automaton by %s: %s", names[k], why);
        else if (*why)
            th_hint(err, "nor by %s: %s", names[k], why);
    }
    return false;
}

/* Defines the best automaton, and says what was found. */
static bool finish(Extraction *x, ThError *err)
{
    const ShOperand *name = &x->call->operand[0];
    choose(x);
    if (x->best < 0)
        return none_found(x, err);
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        th_inspect_automaton(&x->teacher, x->ways.way[x->best].machine, err);
    ThAutomaton *kept = a ? th_automaton_copy(a, err) : NULL;
    return kept &&
           (sh_define(x->s, name->text, SH_AUTOMATON, kept, NULL, err) ||
            sh_error_inside(err, name)) &&
           report(x, a, err);
}

SH_COMMAND(
    extract, .group = "inspection",
    .summary = "find the automaton that a model is, by three methods that check each other",
    .detail = "queries asks the model about words, as learn does (L*).  clusters takes the "
              "vectors that the last layer ends with after some words and all their prefixes, and "
              "makes clusters their states; a symbol leads where most vectors of a cluster go, "
              "and a cluster of which some differ, in class or in where a symbol leads, is split; "
              "where that makes too many, one in a hundred, or in twenty, may differ.  algebra "
              "takes the table of products that quantize finds, of models that it is for.\n\n"
              "Each automaton is minimal.  All are measured on the same strings, drawn as the "
              "task draws them: how many of the model's answers they get wrong.  The second table "
              "says of every two, and of the task's own automaton, whether they are equivalent, "
              "and else the shortest word on which they differ.  A becomes the one that is wrong "
              "least, of equals the smallest.\n\n"
              "The answer to a word is what the model says after its last symbol.  About the "
              "empty word a model says nothing: it is answered as the task does, and so are words "
              "about which the task asks nothing.\n\n"
              "A task on a grammar, counters, a machine or an s-op has no automaton: there is none "
              "to be compared with, and the empty word gets the first class.  compare A G says up "
              "to which length the automaton is right.",
    .example = "task t = parity\n"
               "model m = regulargpt dim=16 heads=2\n"
               "train m on t length=1..40 steps=400 batch=32 lr=3e-3 curriculum=adaptive "
               "noise=0.3 seed=1 > \"train.txt\"\n"
               "extract a from m on t > \"methods.txt\"\n"
               "assert states == 2 and disagreement < 0.2",
    .results = "method states symbols disagreement low high equivalent word",
    .args = {{A_NEW, "A", 0},
             {A_KEYWORD, "from", 0},
             {A_MODEL, "MODEL", 0},
             {A_KEYWORD, "on", 0},
             {A_TASK, "TASK", 0}},
    .options = options, .flags = C_PAGED)
{
    Extraction x = {.s = s, .call = call, .model = call->operand[1].object->as.model};
    bool ok = (find(&x, err) || sh_error_inside(err, &call->operand[1])) && finish(&x, err);
    th_inspect_ways_free(&x.ways);
    th_inspect_teacher_free(&x.teacher);
    th_inspect_truth_free(&x.truth);
    th_dfa_free(x.due);
    return ok;
}
