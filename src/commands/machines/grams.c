/* grams.c - commands about machines and the program that predicts their next token. */

#include "commands/machines/machines.h"

/* The input that stands after the machine, blank without one. */
static bool start_of_call(const ShCall *call, ThTmTapeWords *words, ThTmRunStart *s, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    const ShOperand *input = call->n > 1 ? &call->operand[1] : NULL;
    *s = (ThTmRunStart){0};
    if (!th_tm_tape_words_read(words, m, input ? input->text : "", err)) {
        if (input)
            sh_error_inside(err, input);
        return false;
    }
    if (th_tm_run_start(s, m, words, err))
        return true;
    th_tm_tape_words_free(words);
    return sh_error_inside(err, &call->operand[0]);
}

static void say_extent(ShSession *s, const ThTmRunExtent *x, int64_t input)
{
    unsigned long long n = x->steps;
    if (th_tm_verdict_final(x->verdict))
        sh_say(s, "%s after %llu step%s, on cells %lld to %lld\n", th_tm_verdict_name(x->verdict),
               n, sh_plural(n), (long long)x->first, (long long)x->last);
    else
        sh_say(s, "not halted: the first %llu step%s, on cells %lld to %lld\n", n, sh_plural(n),
               (long long)x->first, (long long)x->last);
    long long left = -x->first, right = x->last - (input > 0 ? input - 1 : 0);
    if (!x->leaves)
        sh_say(s, "in memory: the head stays on the input\n");
    else
        sh_say(s,
               "not in memory: the head leaves the input after %llu step%s; taken here with %lld "
               "more cell%s on the left and %lld on the right\n",
               (unsigned long long)x->leaves_after, sh_plural(x->leaves_after), left,
               sh_plural(left), right);
}

/* ---- grams ----------------------------------------------------------------------------------- */

static const ThOptionSpec grams_options[] = {
    {"steps", TH_INT, "1000000", 0, 4e18, NULL, "steps that are looked at, at most"},
    {"cells", TH_INT, "0", 0, 4e18, NULL, "cells that the head may stand on; 0: no limit"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* The symbols that are there twice. */
static bool write_repeated(ThText *t, const ThTmRunStart *s, const ThTmGrams *g, ThStop *stop,
                           ThError *err)
{
    enum { MOST = 24 };
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    bool ok = th_tm_running_from(&r, s, err) &&
              th_tm_running_go(&r, g->step, (ThTmRunLimits){g->step, UINT64_MAX}, stop, err);
    int n = g->longest < MOST ? g->longest : MOST;
    if (ok)
        th_tm_tape_write(t, s->machine, &r.tape[0], g->one, g->one + n - 1);
    th_text_add(t, g->longest > n ? ".." : "");
    return ok;
}

static void set_grams(ShSession *s, const ThTmRunExtent *x, const ThTmGrams *g)
{
    sh_results(s, "steps:i halted:b memory:b cells:i least:i n:i", (long long)x->steps,
               th_tm_verdict_final(x->verdict), !x->leaves, (long long)x->last - x->first + 1,
               (long long)(g->longest + 1LL), (long long)g->longest);
    if (g->longest > 0)
        sh_result_int(s, "step", (long long)g->step);
}

static bool say_grams(ShSession *s, const ThTmRunStart *start, const ThTmRunExtent *x,
                      const ThTmGrams *g, ThError *err)
{
    ThText repeated TH_OWNED(th_text_free) = {0};
    if (g->longest > 0 && !write_repeated(&repeated, start, g, sh_stop(s), err))
        return false;
    set_grams(s, x, g);
    say_extent(s, x, start->words->length[0]);
    if (g->longest > 0)
        sh_say(s,
               "no configuration contains %d neighbouring symbols twice on one side of the head\n",
               g->longest + 1);
    else
        sh_say(s, "no configuration contains a symbol twice on one side of the head\n");
    if (g->longest > 0)
        sh_say(s, "after %llu step%s, \"%s\" is there twice, in cells %lld and %lld\n",
               (unsigned long long)g->step, sh_plural(g->step), th_text_string(&repeated),
               (long long)g->one, (long long)g->other);
    sh_say(s, "the next-token program is exact from n=%d on%s, where it compares %d token%s\n",
           g->longest, th_tm_verdict_final(x->verdict) ? "" : " for these steps", g->longest + 1,
           sh_plural(g->longest + 1));
    return true;
}

SH_COMMAND(
    ngrams, .alias = "grams", .group = "machines",
    .summary = "can the next-token program carry out a run exactly?",
    .detail =
        "Whether a transformer can learn to carry a machine out step by step, for inputs much "
        "longer than those that it was trained on, depends on the run more than on the training.  "
        "The theorem of the paper on Turing Programs asks for two things: that the head never "
        "leaves the input (the run is \"in memory\"), and that no configuration contains the same "
        "n symbols twice.  Then a short program finds every next token by looking for the last n "
        "tokens in the line before.\n\n"
        "ngrams tells the least such n for a run, and where it is needed.  A configuration is "
        "taken with a mark at either end and the state behind the scanned cell, so that only "
        "symbols on one side of the head can be there twice.  Where the run leaves the input, it "
        "is taken with as many more cells as it needs; as these are blank, they repeat each other, "
        "and other symbols there would do better.  simulate carries the program out.",
    .example = SH_EXAMPLE_MACHINE
    "ngrams increment 10111\n"
    "#> halted after 10 steps, on cells 0 to 5\n"
    "#> not in memory: the head leaves the input after 5 steps; taken here with 0 more cells on "
    "the left and 1 on the right\n"
    "#> no configuration contains 3 neighbouring symbols twice on one side of the head\n"
    "#> after 0 steps, \"11\" is there twice, in cells 2 and 3\n"
    "#> the next-token program is exact from n=2 on, where it compares 3 tokens\n",
    .results = "steps halted memory cells least n step",
    .args = {{A_MACHINE, "MACHINE", 0}, {A_INPUT, "INPUT", A_OPTIONAL}}, .options = grams_options)
{
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    ThTmRunStart start;
    ThTmRunExtent x;
    ThTmGrams g;
    ThTmGramsWanted any = {0};
    if (!start_of_call(call, &words, &start, err))
        return false;
    return th_tm_run_extent(&x, &start, sh_machine_limits(call), sh_stop(s), err) &&
           th_tm_grams(&g, &start, &x, &any, sh_stop(s), err) && say_grams(s, &start, &x, &g, err);
}

/* ---- simulate -------------------------------------------------------------------------------- */

#define KEYS                                                                                       \
    {                                                                                              \
        "keys", TH_CHOICE, "tuple", 0, 0, "tuple|integer",                                         \
            "how tokens are compared: as they are, or packed into 64 bits as the paper does"       \
    }

static const ThOptionSpec simulate_options[] = {
    {"n", TH_INT, "4", 0, 1000, NULL, "tokens compared, besides the last one"},
    {"steps", TH_INT, "1000", 0, 4e18, NULL, "steps that are carried out, at most"},
    {"cells", TH_INT, "0", 0, 4e18, NULL, "cells that the head may stand on; 0: no limit"},
    KEYS,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static ThTmKeys keys_of(const ShCall *call)
{
    return (ThTmKeys)th_option_choice(&call->options, "keys");
}

static void set_simulation(ShSession *s, const ThTmSimulation *x, const char *stands,
                           const char *predicted)
{
    bool exact = x->exact && th_tm_verdict_final(x->extent.verdict);
    sh_results(s, "exact:b unique:b memory:b steps:i tokens:i right:i", exact, x->unique,
               !x->extent.leaves, (long long)x->extent.steps, (long long)x->tokens,
               (long long)x->right);
    if (x->exact)
        return;
    sh_results(s, "step:i token:i stands:s predicted:s", (long long)x->step,
               (long long)x->place + 1, stands, predicted);
}

static void say_difference(ShSession *s, const ThTmSimulation *x, int n, const char *stands,
                           const char *predicted)
{
    sh_say(s,
           "%llu of %llu tokens are right; the first wrong one is token %d of the configuration "
           "after %llu step%s: %s, where %s stands\n",
           (unsigned long long)x->right, (unsigned long long)x->tokens, x->place + 1,
           (unsigned long long)x->step, sh_plural(x->step), predicted, stands);
    if (x->again >= 0)
        sh_say(s, "the %d token%s before it %s there again, up to token %d\n", n + 1,
               sh_plural(n + 1), n == 0 ? "is" : "are", x->again + 1);
    else
        sh_say(s, "the %d token%s before it %s there once only: the keys are too narrow\n", n + 1,
               sh_plural(n + 1), n == 0 ? "is" : "are");
}

SH_COMMAND(
    simulate, .group = "machines",
    .summary = "carry a machine out by looking its next token up, and tell where that errs",
    .detail = "Carries out the program of the paper on Turing Programs: the run is a text, one "
              "configuration after the other, and every token is predicted from the text before "
              "it, by looking for the last n+1 tokens in what the line before turns into.  Tells "
              "whether all predictions agree with the machine's own run, and if not, where the "
              "first one differs and whether the same tokens being there twice explains it.  "
              "$exact is yes of a run that ends within steps= and cells=.\n\n"
              "ngrams tells beforehand for which n that is right, and runs nothing; simulate does "
              "it; rasp writes it as a program of RASP, whose layers and heads cost counts; "
              "generate lets that program, or a model that was trained or compiled, write on.\n\n"
              "A configuration has the tokens (begin), the cells, (end), with the state behind the "
              "scanned cell, and (end of line).  The paper packs the tokens and the number of the "
              "line into one integer; keys=integer does so too, and fails where that overflows: "
              "after 32^n lines, and at once where n is 7 or more.",
    .example = SH_EXAMPLE_MACHINE "simulate increment 10111 n=1\n"
                                  "#> halted after 10 steps, on cells 0 to 5\n"
                                  "#> not in memory: the head leaves the input after 5 steps; "
                                  "taken here with 0 more cells on the left and 1 on the right\n"
                                  "#> 94 of 100 tokens are right; the first wrong one is token 8 "
                                  "of the configuration after 1 step: 1, where _ stands\n"
                                  "#> the 2 tokens before it are there again, up to token 6\n"
                                  "simulate increment 10111 n=2\n"
                                  "#> halted after 10 steps, on cells 0 to 5\n"
                                  "#> not in memory: the head leaves the input after 5 steps; "
                                  "taken here with 0 more cells on the left and 1 on the right\n"
                                  "#> exact: all 100 tokens are right\n",
    .results = "exact unique memory steps tokens right step token stands predicted",
    .args = {{A_MACHINE, "MACHINE", 0}, {A_INPUT, "INPUT", A_OPTIONAL}},
    .options = simulate_options)
{
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    ThTmRunStart start;
    ThTmSimulation x;
    ThText stands TH_OWNED(th_text_free) = {0}, predicted TH_OWNED(th_text_free) = {0};
    int n = (int)th_option_int(&call->options, "n");
    if (!start_of_call(call, &words, &start, err))
        return false;
    ThTmSimulationRules how = {false, n, keys_of(call), sh_machine_limits(call)};
    bool ok = th_tm_simulate(&x, &start, &how, sh_stop(s), err);
    if (ok && !x.exact) {
        ThTmTokens tokens = {start.machine, false};
        th_tm_token_write(&stands, &tokens, x.stands);
        th_tm_token_write(&predicted, &tokens, x.predicted);
    }
    if (ok) {
        set_simulation(s, &x, th_text_string(&stands), th_text_string(&predicted));
        say_extent(s, &x.extent, words.length[0]);
        if (x.exact)
            sh_say(s, "%sall %llu tokens are right\n",
                   th_tm_verdict_final(x.extent.verdict) ? "exact: " : "so far ",
                   (unsigned long long)x.tokens);
        else
            say_difference(s, &x, n, stands.data, predicted.data);
    }
    return ok;
}

/* ---- the experiment -------------------------------------------------------------------------- */

static const ThOptionSpec random_options[] = {
    {"length", TH_INT, "50", 1, 1e6, NULL, "cells between the walls"},
    {"n", TH_RANGE, "1..5", 0, 1000, NULL, "tokens compared, besides the last one"},
    {"runs", TH_INT, "200", 1, 1e9, NULL, "machines, each with a tape"},
    {"steps", TH_INT, "10", 1, 1e9, NULL, "steps of every run"},
    {"states", TH_INT, "16", 1, 10000, NULL, "states of the machines"},
    {"symbols", TH_INT, "12", 1, 10000, NULL, "symbols of the machines, besides the walls"},
    KEYS,
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random numbers start"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

typedef struct {
    int exact, unique, agree;
    uint64_t tokens, right;
} Row;

/* The same machines and tapes for every n. */
static bool run_trials(ShSession *s, const ShCall *call, const ThTmNextTrial *t, Row *row,
                       ThError *err)
{
    int runs = (int)th_option_int(&call->options, "runs");
    uint64_t seed = (uint64_t)sh_seed(s, &call->options);
    *row = (Row){0};
    for (int i = 0; i < runs; i++) {
        ThTmSimulation x;
        ThRng g = th_rng(seed, "simulate.random", (uint64_t)i);
        if (th_stopped(sh_stop(s), err) || !th_tm_next_trial(&x, t, &g, sh_stop(s), err))
            return false;
        row->exact += x.exact;
        row->unique += x.unique;
        row->agree += x.exact == x.unique;
        row->tokens += x.tokens;
        row->right += x.right;
        sh_progress(s, "n=%d: %d of %d runs", t->n, i + 1, runs);
    }
    return true;
}

SH_COMMAND(
    simulate_random, .group = "machines",
    .summary = "how often the next-token program is exact on random machines",
    .detail = "The experiment behind the theorem on Turing Programs: machines, tapes, states and "
              "places of the head are drawn uniformly, the head bouncing off walls at both ends of "
              "the tape, and the next-token program (see simulate) carries them out.  exact is the "
              "share of runs in which all tokens are right, unique that of runs in which no n+1 "
              "neighbouring tokens are there twice in a configuration, tokens the share of single "
              "tokens that are right.  agree tells whether in all runs exact and unique were the "
              "same: that is so with keys=tuple.  The figures are those of the last line.",
    .example = "simulate random length=16 n=1..3 runs=100 seed=1\n"
               "#> length  n  exact  unique   tokens\n"
               "#>     16  1   0.26    0.26  0.97080\n"
               "#>     16  2   0.87    0.87  0.99715\n"
               "#>     16  3   1.00    1.00  1.00000\n",
    .results = "exact unique tokens agree", .options = random_options)
{
    ThRange n = th_option_range(&call->options, "n");
    double runs = (double)th_option_int(&call->options, "runs");
    ThTmNextTrial t = {.length = (int)th_option_int(&call->options, "length")};
    t.states = (int)th_option_int(&call->options, "states");
    t.symbols = (int)th_option_int(&call->options, "symbols");
    t.steps = (uint64_t)th_option_int(&call->options, "steps");
    t.keys = keys_of(call);
    Row row = {0};
    bool agree = true, ok = true;
    sh_table(s, "trials", "length:i n:i exact:r unique:r tokens:r");
    for (long long i = n.lo; ok && i <= n.hi; i += n.step) {
        t.n = (int)i;
        ok = run_trials(s, call, &t, &row, err);
        agree = agree && row.agree == (int)runs;
        if (ok)
            sh_row(s, (long long)t.length, i, row.exact / runs, row.unique / runs,
                   (double)row.right / (double)row.tokens);
    }
    sh_table_end(s);
    if (!ok)
        return false;
    sh_results(s, "exact:r unique:r tokens:r agree:b", row.exact / runs, row.unique / runs,
               (double)row.right / (double)row.tokens, agree);
    return true;
}
