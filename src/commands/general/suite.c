/* suite.c - the tasks of a paper as one sweep: a script is written from a table, and run. */
#include <dirent.h>
#include <errno.h>

#include "shell.h"

/* Kinds of models of which papers have figures here. */
enum { RNN, LSTM, TRANSFORMER, REGULARGPT, N_KINDS };
static const char *const kinds[N_KINDS] = {"rnn", "lstm", "transformer", "regulargpt"};

typedef struct {
    const char *task;
    double chance, published[N_KINDS]; /* in per cent; 0: not in the paper, or not known for sure */
} Row;

typedef struct {
    const char *name, *source, *note; /* note: what differs, for the head of the script */
    const char *before;               /* definitions */
    const char *train, *test;         /* lengths */
    const char *figure, *statistic;
    const Row *row;
    int n;
} Suite;

static const Row deletang[] = {
    {"even_pairs", 0, {0}},
    {"modular_arithmetic", 20, {100, 100, 24.2, 0}},
    {"parity", 50, {100, 100, 52.0, 0}},
    {"cycle_navigation", 20, {0, 0, 61.9, 0}},
    {"stack_manipulation", 50, {56.0, 59.1, 57.5, 0}},
    {"reverse_string", 50, {62.0, 60.9, 62.3, 0}},
    {"brackets", 0, {0}},
    {"solve_equation", 0, {0}},
    {"duplicate_string", 50, {50.3, 57.6, 52.8, 0}},
    {"missing_duplicate", 0, {0}},
    {"odds_first", 50, {51.0, 55.6, 52.8, 0}},
    {"binary_addition", 0, {0}},
    {"binary_multiplication", 0, {0}},
    {"compute_sqrt", 0, {0}},
    {"bucket_sort", 0, {0}},
};

static const Row flare[] = {
    {"recognize(pairs, outside=edited)", 0, {0}},
    {"recognize(repeat_01, outside=edited)", 0, {0}},
    {"recognize(ones, outside=edited)", 0, {0}},
    {"recognize(cycle_answer, outside=edited)", 0, {0}},
    {"recognize(arithmetic_answer, outside=edited)", 0, {0}},
    {"recognize(nested, outside=edited)", 0, {0}},
    {"recognize(first, outside=edited)", 0, {0}},
    {"recognize(majority, outside=edited)", 0, {0}},
    {"recognize(stack_manipulation, outside=edited)", 0, {0}},
    {"recognize(marked_reversal, outside=edited)", 0, {0}},
    {"recognize(unmarked_reversal, outside=edited)", 0, {0}},
    {"recognize(marked_copy, outside=edited)", 0, {0}},
    {"recognize(missing_duplicate, outside=edited)", 0, {0}},
    {"recognize(odds_first, outside=edited)", 0, {0}},
    {"recognize(binary_addition, outside=edited)", 0, {0}},
    {"recognize(binary_multiplication, outside=edited)", 0, {0}},
    {"recognize(compute_sqrt, outside=edited)", 0, {0}},
    {"recognize(bucket_sort, outside=edited)", 0, {0}},
};

static const Row bhattamishra[] = {
    {"next_symbols(dyck_1)", 0, {0}},      {"next_symbols(shuffle_2)", 0, {0}},
    {"next_symbols(shuffle_4)", 0, {0}},   {"next_symbols(shuffle_6)", 0, {0}},
    {"next_symbols(boolean_3)", 0, {0}},   {"next_symbols(boolean_5)", 0, {0}},
    {"next_symbols(anbn)", 0, {0}},        {"next_symbols(anbncn)", 0, {0}},
    {"next_symbols(anbncndn)", 0, {0}},    {"next_symbols(tomita(1))", 0, {0}},
    {"next_symbols(tomita(2))", 0, {0}},   {"next_symbols(tomita(3))", 0, {0}},
    {"next_symbols(tomita(4))", 0, {0}},   {"next_symbols(tomita(5))", 0, {0}},
    {"next_symbols(tomita(6))", 0, {0}},   {"next_symbols(tomita(7))", 0, {0}},
    {"next_symbols(parity)", 0, {0}},      {"next_symbols(aa)", 0, {0}},
    {"next_symbols(aaaa)", 0, {0}},        {"next_symbols(abab)", 0, {0}},
    {"next_symbols(abcde)", 0, {0}},       {"next_symbols(abdbc)", 0, {0}},
    {"next_symbols(zero_two)", 0, {0}},    {"next_symbols(dyck(1, 2))", 0, {0}},
    {"next_symbols(dyck(1, 3))", 0, {0}},  {"next_symbols(dyck(1, 4))", 0, {0}},
    {"next_symbols(dyck(1, 12))", 0, {0}},
};

static const Row regular[] = {
    {"even_pairs", 50, {100, 0, 73.2, 89.3}},
    {"modular_arithmetic", 20, {100, 0, 20.3, 82.6}},
    {"parity", 50, {98.9, 0, 50.1, 100}},
    {"cycle_navigation", 20, {100, 0, 20.6, 100}},
    {"dyck(depth=2)", 74.5, {100, 0, 80.1, 100}},
    {"dyck(depth=3)", 74.5, {100, 0, 77.8, 99.7}},
    {"dyck(depth=4)", 74.5, {100, 0, 82.6, 98.7}},
    {"dyck(depth=12)", 74.5, {100, 0, 80.3, 99.8}},
    {"tomita(3)", 50, {100, 0, 94.4, 99.7}},
    {"tomita(4)", 50, {100, 0, 70.0, 99.8}},
    {"tomita(5)", 74.5, {100, 0, 74.5, 99.8}},
    {"tomita(6)", 50, {100, 0, 50.0, 98.5}},
    {"tomita(1)", 0, {0}},
    {"tomita(7)", 0, {0}},
};

#define ROWS(table) table, sizeof table / sizeof *table

static const Suite suites[] = {
    {"deletang", "Delétang et al. 2023, 15 tasks",
     "Published is the best of ten runs with three rates, of 256 units (transformer: 5 layers of "
     "64), 1,000,000 steps, 512 strings of each length from 41 to 500; of rows without one the "
     "figure was not to be confirmed.  Their stack and tape machines have no kind here.",
     "", "1..40", "41..500", "accuracy", "max", ROWS(deletang)},
    {"flare", "Butoi et al. 2025 (FLaRe), 18 languages",
     "Words and strings outside are of one length, which tells nothing where there are words of "
     "it: of (01)* and others half of the lengths have none, and always to reject is right three "
     "times in four.  The paper tests lengths from 0 to 500.  Its figures could not be read; a "
     "caption says that only regular languages and majority are generalized perfectly, those of "
     "the transformer being a part of those of RNN and LSTM.",
     "automaton pairs = even_pairs(2)\n"
     "automaton repeat_01 = regex \"(01)*\"\n"
     "automaton ones { start e; accept o; e 0 -> e; e 1 -> o; o 0 -> o; o 1 -> e }\n"
     "automaton nested = dyck(2, 3)\n"
     "automaton first = regex \"1(0|1)*\"\n",
     "1..40", "41..500", "accuracy", "max", ROWS(flare)},
    {"bhattamishra", "Bhattamishra et al. 2020, 27 languages",
     "A string counts if the sets behind all its symbols are right.  Words are uniform, theirs "
     "come from generators of their own; of shuffles theirs are nested.  Figures could not be "
     "confirmed.",
     "automaton aa = regex \"(aa)*\"\n"
     "automaton aaaa = regex \"(aaaa)*\"\n"
     "automaton abab = regex \"(abab)*\"\n"
     "automaton abcde = regex \"aa*bb*cc*dd*ee*\"\n"
     "automaton abdbc = regex \"(a|b)*d(b|c)*\"\n"
     "automaton zero_two = regex \"(0|1|2)*02*\"\n",
     "2..50", "52..150", "exact", "mean", ROWS(bhattamishra)},
    {"regular", "Chi et al. 2023 (RegularGPT), the languages of Table 1 and Tomita 1 and 7",
     "Published is the mean over seeds.  The brackets and Tomita's were trained up to 50 and "
     "tested on 51 to 100 there.",
     "", "1..40", "41..500", "accuracy", "mean", ROWS(regular)},
};

/* ---- what is asked for ----------------------------------------------------------------------- */

static const ThOptionSpec suite_options[] = {
    {"models", TH_STRING, "rnn lstm transformer lrnn mamba", 0, 0, NULL, "kinds of models"},
    {"into", TH_STRING, NULL, 0, 0, NULL,
     "folder of the script, the published figures and the points; default: suite-NAME"},
    {"tasks", TH_STRING, NULL, 0, 0, NULL, "only those in whose name one of these words is"},
    {"seeds", TH_INT, "3", 1, 1000, NULL, "how many of each"},
    {"dim", TH_INT, "32", 1, 65536, NULL, "width of the models"},
    {"steps", TH_INT, "1000", 1, 1e12, NULL, "of training"},
    {"lr", TH_REAL, "1e-3", 0, 1000, NULL, "rate of learning"},
    {"model", TH_STRING, "", 0, 0, NULL, "more options of the models, such as position=alibi"},
    {"train", TH_STRING, "", 0, 0, NULL, "more options of train, such as batch=32"},
    {"apart", TH_INT, "51", 1, 1e6, NULL, "between the lengths that are tested"},
    {"samples", TH_INT, "32", 1, 1e9, NULL, "strings of each length"},
    {"jobs", TH_INT, NULL, 1, 1024, NULL, "as of sweep"},
    {"dry", TH_FLAG, "no", 0, 0, NULL, "as of sweep"},
    {0}};

typedef struct {
    const ThOptions *options;
    const char *into, *data; /* data: of mlregtest */
    char **model, **task;    /* tasks: words that are looked for */
    int n_models, n_tasks;
} Plan;

static bool is_wanted(const Plan *p, const char *task)
{
    bool wanted = p->n_tasks == 0;
    for (int i = 0; i < p->n_tasks && !wanted; i++)
        wanted = strstr(task, p->task[i]) != NULL;
    return wanted;
}

/* ---- the script ------------------------------------------------------------------------------ */

static void begin_sweep(ThText *t, const Plan *p, const char *lists)
{
    th_text_add(t, "sweep ");
    th_text_quoted(t, p->into);
    if (th_option_given(p->options, "jobs"))
        th_text_printf(t, " jobs=%lld", th_option_int(p->options, "jobs"));
    th_text_printf(t, "%s for %s, kind in [", th_option_flag(p->options, "dry") ? " dry=yes" : "",
                   lists);
    for (int i = 0; i < p->n_models; i++)
        th_text_printf(t, "%s%s", i ? ", " : "", p->model[i]);
    th_text_printf(t, "], seed in 1..%lld {\n  model m = $kind dim=%lld %s\n",
                   th_option_int(p->options, "seeds"), th_option_int(p->options, "dim"),
                   th_option_text(p->options, "model"));
}

static void put_training(ThText *t, const Plan *p, const char *task, const char *lengths)
{
    th_text_printf(t, "  train m on %s%s%s steps=%lld lr=%g seed=$seed %s\n", task,
                   *lengths ? " length=" : "", lengths, th_option_int(p->options, "steps"),
                   th_option_real(p->options, "lr"), th_option_text(p->options, "train"));
}

static void put_results(ThText *t, const Plan *p, const Suite *suite, const char *by, int published)
{
    if (th_option_flag(p->options, "dry"))
        return;
    const char *of = suite ? suite->figure : "accuracy";
    th_text_add(t, "results ");
    th_text_quoted(t, p->into);
    th_text_printf(t, " by %s kind across=kind show=mean of=%s share=yes scale=100 digits=1%s\n",
                   by, of, published > 0 ? " failures=no" : "");
    if (published == 0)
        return;
    th_text_add(t, "results ");
    th_text_quoted(t, p->into);
    th_text_printf(t, " published=\"%s/published.csv\" of=%s share=yes scale=100 near=3\n", p->into,
                   of);
}

/* The figures of the models that are asked for; returns how many. */
static int put_published(ThText *t, const Plan *p, const Suite *suite)
{
    int n = 0;
    th_text_add(t, "task,kind,published,paper_chance,statistic\n");
    for (int i = 0; i < suite->n; i++)
        for (int k = 0; k < N_KINDS; k++) {
            const Row *row = &suite->row[i];
            if (row->published[k] == 0 || th_symbols_find(p->model, p->n_models, kinds[k]) < 0 ||
                !is_wanted(p, row->task))
                continue;
            th_text_printf(t, "\"%s\",%s,%g,%g,%s\n", row->task, kinds[k], row->published[k],
                           row->chance, suite->statistic);
            n++;
        }
    return n;
}

static bool put_suite(ThText *t, const Plan *p, const Suite *suite, int published, ThError *err)
{
    ThText lists TH_OWNED(th_text_free) = {0};
    int n = 0;
    th_text_printf(t, "# %s\n# %s\n%s", suite->source, suite->note, suite->before);
    th_text_add(&lists, "task in [");
    for (int i = 0; i < suite->n; i++) {
        if (!is_wanted(p, suite->row[i].task))
            continue;
        th_text_add(&lists, n++ ? ", " : "");
        th_text_quoted(&lists, suite->row[i].task);
    }
    th_text_add(&lists, "]");
    begin_sweep(t, p, th_text_string(&lists));
    put_training(t, p, "$task", suite->train);
    th_text_printf(t, "  evaluate m on $task length=%s:%lld samples=%lld%s\n}\n", suite->test,
                   th_option_int(p->options, "apart"), th_option_int(p->options, "samples"),
                   strcmp(suite->figure, "exact") == 0 ? " whole=yes" : "");
    put_results(t, p, suite, "task", published);
    return n > 0 || th_fail(err, TH_EUSAGE, "no task of the suite has such a name");
}

/* ---- MLRegTest ------------------------------------------------------------------------------- */

/* The parts of Σ.τ.CLASS.k.t.i, in the text that is changed; false where it is no such name. */
static bool split_name(char *name, char *part[6])
{
    char *rest = NULL;
    int n = 0;
    for (char *p = strtok_r(name, ".", &rest); p && n < 6; p = strtok_r(NULL, ".", &rest))
        part[n++] = p;
    return n == 6 && !*rest && strlen(part[0]) == 2 && strlen(part[1]) == 2 && *part[2];
}

static int is_train(const struct dirent *file)
{
    static const char end[] = "_Train.txt";
    size_t n = strlen(file->d_name);
    return n >= sizeof end && strcmp(file->d_name + n + 1 - sizeof end, end) == 0;
}

/* A list of [language, class, alphabet, tier, k] for the files of the folder. */
static bool list_languages(ThText *t, const Plan *p, ThError *err)
{
    struct dirent **file = NULL;
    int n = scandir(p->data, &file, is_train, alphasort), found = 0;
    if (n < 0)
        return th_fail(err, TH_EIO, "cannot read the folder '%s': %s", p->data, strerror(errno));
    th_text_add(t, "language, class, alphabet, tier, k in [");
    for (int i = 0; i < n; i++) {
        char *name = file[i]->d_name, copy[sizeof file[i]->d_name], *part[6];
        name[strlen(name) - strlen("_Train.txt")] = '\0';
        memcpy(copy, name, strlen(name) + 1);
        if (is_wanted(p, name) && split_name(copy, part))
            th_text_printf(t, "%s\n  [\"%s\", \"%s\", \"%s\", \"%s\", \"%s\"]", found++ ? "," : "",
                           name, part[2], part[0], part[1], part[3]);
        free(file[i]);
    }
    free(file);
    th_text_add(t, "]");
    return found ||
           th_fail(err, TH_EVALUE, "'%s' has no files NAME_Train.txt of MLRegTest", p->data) ||
           th_hint(err, "such as 04.03.TLT.2.1.0_Train.txt");
}

static bool put_mlregtest(ThText *t, const Plan *p, ThError *err)
{
    ThText lists TH_OWNED(th_text_free) = {0};
    th_text_add(t,
                "# MLRegTest, van der Poel et al. 2024: the published strings; test sets are short "
                "and long,\n# random and adversarial.  Published accuracies could not be read.\n");
    if (!list_languages(&lists, p, err))
        return false;
    th_text_add(&lists, ", test in [SR, SA, LR, LA]");
    begin_sweep(t, p, th_text_string(&lists));
    th_text_printf(t,
                   "  task t = file \"%s/${language}_Train.txt\" header=no split=1 "
                   "tokens=characters labels=final\n",
                   p->data);
    put_training(t, p, "t", "");
    th_text_printf(t,
                   "  task u = file \"%s/${language}_Test${test}.txt\" header=no split=0 "
                   "tokens=characters labels=final\n  evaluate m on u\n}\n",
                   p->data);
    put_results(t, p, NULL, "class test", 0);
    return true;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool write_file(const char *folder, const char *name, const ThText *t, ThError *err)
{
    char *path TH_OWNED(free) = th_printed(err, "%s/%s", folder, name);
    return path && th_file_write(path, th_text_string(t), err);
}

static bool run_suite(ShSession *s, const Plan *p, const Suite *suite, ThError *err)
{
    ThText script TH_OWNED(th_text_free) = {0}, figures TH_OWNED(th_text_free) = {0};
    int published = suite ? put_published(&figures, p, suite) : 0;
    bool ok = suite ? put_suite(&script, p, suite, published, err) : put_mlregtest(&script, p, err);
    if (!ok)
        return false;
    if (!th_file_folder(p->into, err))
        return false;
    char *path TH_OWNED(free) = th_printed(err, "%s/suite.th", p->into);
    return path && (published == 0 || write_file(p->into, "published.csv", &figures, err)) &&
           write_file(p->into, "suite.th", &script, err) && sh_source(s, path, err);
}

static char **words(const char *text, int *n, ThError *err)
{
    return th_symbols_list(text, strchr(text, ' ') == NULL, n, err);
}

SH_COMMAND(suite, .group = "general", .summary = "train and test models on all tasks of a paper",
           .detail =
               "A suite is a table of tasks with the lengths, the metric and the published figures "
               "of its paper, those that could be confirmed:\n\n"
               "  deletang: the 15 tasks of Delétang et al. 2023\n"
               "  flare: the 18 languages of Butoi et al. 2025\n"
               "  bhattamishra: the 27 languages of Bhattamishra et al. 2020, by the next symbols\n"
               "  regular: the languages of Chi et al. 2023\n"
               "  mlregtest DIR: the languages of van der Poel et al. 2024 whose files are in DIR, "
               "with class, alphabet, tier and k from their names\n\n"
               "It writes a script, suite.th, to the folder into= and runs it: a sweep of every "
               "model on every task, which goes on where it was stopped, and results: what was "
               "measured, and beside it what is published, with verdicts by the rules of results.  "
               "The sizes are small ones; the script can be changed and run again by source.",
           .example = "suite regular models=\"rnn\" tasks=\"parity tomita(3)\" seeds=2 steps=20 "
                      "dim=8 samples=8 into=\"small\" > \"out.txt\"\n"
                      "results \"small\" by task\n"
                      "assert failed == 0",
           .args = {{A_TEXT, "deletang|flare|bhattamishra|regular|mlregtest", 0},
                    {A_FILE, "DIR", A_OPTIONAL}},
           .options = suite_options, .flags = C_KEEPS_RESULT)
{
    const char *name = call->operand[0].text;
    const Suite *suite = NULL;
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        if (strcmp(suites[i].name, name) == 0)
            suite = &suites[i];
    bool mlregtest = strcmp(name, "mlregtest") == 0;
    if (!suite && !mlregtest)
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE, "no suite is named '%s'", name) ||
               th_hint(err, "deletang, flare, bhattamishra, regular or mlregtest");
    if (mlregtest != (call->n > 1))
        return th_fail(err, TH_EUSAGE,
                       mlregtest ? "mlregtest needs the folder with its files"
                                 : "only mlregtest has a folder");
    char *into TH_OWNED(free) = th_option_given(&call->options, "into")
                                    ? th_strdup(th_option_text(&call->options, "into"), err)
                                    : th_printed(err, "suite-%s", name);
    Plan p = {.options = &call->options,
              .into = into,
              .data = call->n > 1 ? call->operand[1].text : NULL};
    char **models TH_OWNED(free) =
        words(th_option_text(&call->options, "models"), &p.n_models, err);
    const char *only = th_option_text_or(&call->options, "tasks", NULL);
    char **tasks TH_OWNED(free) = only ? words(only, &p.n_tasks, err) : NULL;
    p.model = models;
    p.task = tasks;
    return into && models && (!only || tasks) && run_suite(s, &p, suite, err);
}
