/* turing.c - commands about Turing machines: defining, showing, drawing and counting them. */

#include "terminal/confirm.h"
#include "commands/modelling.h"
#include "formats.h"
#include "object_kinds.h"

/* ---- defining -------------------------------------------------------------------------------- */

void sh_machine_size_figures(ShSession *s, const ThTm *m)
{
    sh_results(s, "states:i symbols:i rules:i tapes:i", (long long)m->n_states,
               (long long)m->n_symbols, (long long)m->n_rules, (long long)m->n_tapes);
}

static const ThOptionSpec machine_options[] = {
    {"states", TH_INT, "5", 1, 10000, NULL, "states of a random machine"},
    {"symbols", TH_INT, "15", 1, 10000, NULL, "symbols of a random machine"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random numbers start"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* The machine after the `=`. */
static ThTm *machine_value(ShSession *s, const ShCall *call, ThError *err)
{
    const ShOperand *o = &call->operand[1];
    if (strcmp(o->text, "universal") == 0)
        return th_tm_universal(err);
    if (strcmp(o->text, "random") != 0) {
        ThTm *m = sh_machine_of_text(s, o->text, err);
        if (!m)
            sh_error_inside(err, o);
        return m;
    }
    ThRng g = th_rng((uint64_t)sh_seed(s, &call->options), "machine.random", 0);
    return th_tm_random((int)th_option_int(&call->options, "states"),
                        (int)th_option_int(&call->options, "symbols"), &g, err);
}

SH_COMMAND(
    machine, .group = "machines", .summary = "define a Turing machine",
    .detail = "In a block, one statement a line:\n\n"
              "  blank B: the symbol of empty cells; without it, _\n"
              "  start Q: without it, the state that is named first\n"
              "  halt Q ..., accept Q ..., reject Q ...: the states that stop the machine\n"
              "  tape two-way, or tape one-way [edge=stay|reject|error]: what a move to the left "
              "of the first cell does\n"
              "  Q A -> B R P: in state Q reading A, write B, move to the right, go to P\n"
              "  Q A,B -> L P: for several symbols; without a symbol to write, the cell stays\n"
              "  tapes N: up to 5; then each side of a rule has a part for each tape: Q 0 | _ -> R "
              "| 0 R P\n"
              "  missing halt|reject|step: what happens where no rule applies; step makes one more "
              "step that changes nothing, and halts.  Without it, reject where there is an "
              "accepting state, else halt\n"
              "  nondeterministic: there may be several rules for the same state and symbols, of "
              "which the machine has the choice; else that is an error\n"
              "  alphabet A ... and states Q ...: all there are, in order; seldom needed\n\n"
              "Moves are L, R and S (stay).  A * reads any symbol or stands for any state; a * "
              "written or as the next state changes nothing.  A rule for a state of its own goes "
              "before one for any state, and of those one for a symbol of its own before one for "
              "any symbol.  A ! behind a rule makes it a breakpoint.\n\n"
              "After = stands a string in the format of bbchallenge: rows of cells, separated by "
              "_, each cell the symbol written, the move and the next state; an undefined cell, "
              "--- or ..., writes 1, moves to the right and halts, in one step.  The one letter "
              "without a row is the state that halts: Z, H or the next one.  Also the text of a "
              "file in another format that load knows, with \\n for the ends of its lines.  Or "
              "random: every rule is drawn uniformly, no state stops; universal: it runs any other "
              "(encode).",
    .example = "machine increment {\n"
               "  blank _ ; start right ; halt done ; tape two-way\n"
               "  right 0,1 -> R right\n"
               "  right _   -> L carry\n"
               "  carry 1   -> 0 L carry\n"
               "  carry 0,_ -> 1 L done\n"
               "}\n"
               "run increment 1011\n"
               "#> halted after 8 steps\n"
               "#>   state done, 4 non-blank cells, head at 0, 5 cells visited\n"
               "#>   tape 1100\n"
               "machine bb4 = \"1RB1LB_1LA0LC_1RZ1LD_1RD0RA\"\n"
               "run bb4\n"
               "echo $steps steps, $nonblank ones\n"
               "#> halted after 107 steps\n"
               "#>   state Z, 13 non-blank cells, head at -9, 14 cells visited\n"
               "#>   tape 10111111111111\n"
               "#> 107 steps, 13 ones",
    .results = "states symbols rules tapes", .args = {{A_NEW, "NAME", 0}, {A_BLOCK, "...", 0}},
    .args2 = {{A_NEW, "NAME", 0}, {A_KEYWORD, "=", 0}, {A_TEXT, "STRING", 0}},
    .options = machine_options, .flags = C_DEFINES)
{
    const ShOperand *body = &call->operand[1];
    for (size_t i = 0; i < call->options.n; i++)
        if (call->options.item[i].given && (call->form == 1 || strcmp(body->text, "random") != 0))
            return sh_fail_operand(err, body, TH_EUSAGE, "the option %s is for random machines",
                                   call->options.item[i].spec->name);
    ThTm *m = call->form == 1 ? th_tm_parse(body->text, err) : machine_value(s, call, err);
    if (!m)
        return call->form == 1 ? sh_error_inside(err, body) : false;
    if (!sh_define(s, call->operand[0].text, SH_MACHINE, m, NULL, err))
        return sh_error_inside(err, &call->operand[0]);
    sh_machine_size_figures(s, m);
    sh_say_defined(s, call->operand[0].text);
    return true;
}

bool sh_show_machine(ShSession *s, const ShObject *o, ThError *err)
{
    ThText t = {0};
    th_tm_write(&t, o->as.machine, sh_shown_name(o));
    char *text TH_OWNED(free) = th_text_take(&t, err);
    if (!text)
        return false;
    sh_machine_size_figures(s, o->as.machine);
    fputs(text, sh_listing(s));
    return true;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static const ThOptionSpec census_options[] = {
    {"states", TH_INT, "2", 1, 20, NULL, "states of the machines"},
    {"symbols", TH_INT, "2", 2, 20, NULL, "symbols of the machines"},
    {"steps", TH_INT, "100", 1, 100000, NULL, "steps that each may make"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

typedef struct {
    ShSession *s;
    double begun;
} Watching;

/* Machines that are counted in one go are no measure of the time: the share is of all of them. */
static void show_progress(void *context, const ThTmCensus *c)
{
    Watching *w = context;
    double share = (double)c->counted / (double)c->machines;
    long left = share > 0 ? (long)((sh_clock() - w->begun) * (1 - share) / share) : 0;
    sh_progress(w->s, "%.1f %% of the machines  %ld:%02ld left", 100 * share, left / 60, left % 60);
}

SH_COMMAND(
    enumerate_count, .alias = "census", .group = "machines",
    .summary = "count the machines of a size by the steps after which they halt",
    .detail =
        "Each entry of a table is one of 2 x symbols x states actions, or undefined, which writes "
        "1 and halts in one step; the tape is blank.  longest is the greatest number of steps "
        "among those that halt within the limit, ones the greatest number of cells that are not 0.",
    .example = "enumerate count states=2 steps=10\n"
               "#> steps  machines\n"
               "#>     1       729\n"
               "#>     2       324\n"
               "#>     3        72\n"
               "#>     4        26\n"
               "#>     5         4\n"
               "#>     6        10\n"
               "#> 1165 of 6561 machines halt within 10 steps; at most 6 steps, 4 ones",
    .results = "machines halting longest ones", .options = census_options)
{
    ThTmCensus c;
    int limit = (int)th_option_int(&call->options, "steps"), longest = 0, ones = 0;
    Watching watching = {s, sh_clock()};
    ThTmCensusWork work = {.states = (int)th_option_int(&call->options, "states"),
                           .symbols = (int)th_option_int(&call->options, "symbols"),
                           .limit = limit,
                           .stop = sh_stop(s),
                           .see = show_progress,
                           .context = &watching};
    if (!th_tm_census(&c, &work, err))
        return false;
    sh_table(s, "counts", "steps:i machines:i");
    for (int i = 0; i <= limit; i++) {
        longest = c.by_steps[i] ? i : longest;
        ones = c.by_ones[i] ? i : ones;
        if (c.by_steps[i])
            sh_row(s, (long long)i, (long long)c.by_steps[i]);
    }
    sh_table_end(s);
    sh_results(s, "machines:i halting:i longest:i ones:i", (long long)c.machines,
               (long long)c.halting, (long long)longest, (long long)ones);
    sh_say(s, "%llu of %llu machines halt within %d steps; at most %d steps, %d ones\n",
           (unsigned long long)c.halting, (unsigned long long)c.machines, limit, longest, ones);
    th_tm_census_free(&c);
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static const ThOptionSpec enumerate_options[] = {
    {"states", TH_INT, "2", 1, 20, NULL, "states of the machines"},
    {"symbols", TH_INT, "2", 2, 10, NULL, "symbols of the machines"},
    {"steps", TH_INT, "100", 1, 100000, NULL, "steps that each may make"},
    {"only", TH_CHOICE, "all", 0, 0, "all|halted|open",
     "those that halt within the limit, or those that do not"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { ONLY_ALL, ONLY_HALTED, ONLY_OPEN };

typedef struct {
    ShSession *s;
    int only;
    long long shown;
} Enumeration;

static bool list_machine(void *context, const ThTmCensusMachine *m)
{
    Enumeration *e = context;
    FILE *out = sh_out(e->s);
    if (e->only != ONLY_ALL && m->halted != (e->only == ONLY_HALTED))
        return true;
    e->shown++;
    if (!out)
        sh_row(e->s, m->text, m->halted ? "halted" : "open", (long long)m->steps);
    else
        fprintf(out, "%s\n", m->text);
    return !*sh_stop(e->s);
}

SH_COMMAND(
    enumerate, .group = "machines", .summary = "list the machines of a size in tree normal form",
    .detail = "A bbchallenge string a line: a list that run and analyze take from a file, and that "
              "load makes a variable.  Machines that differ only in names, in directions or in "
              "entries that they do not come to are listed once: the first rule is 1RB, new states "
              "and symbols come in order, and what a run has not come to is undefined, ---.  A "
              "machine that comes to an undefined entry halts there; those that follow it in the "
              "tree have that entry defined, but one is always left to halt by.  In csv and json "
              "there are columns for verdict and steps.",
    .example = "enumerate states=2 steps=10 only=halted > \"two.bb\"\n"
               "echo $machines machines, $shown halt\n"
               "load \"two.bb\" as many\n"
               "run many > \"two.csv\"\n"
               "#> 42 machines, 16 halt\n"
               "#> note: many is a list of 16 machines: for m in many { run $m }, run many\n"
               "#> 16 machines: 16 halted",
    .results = "machines shown halting", .options = enumerate_options, .flags = C_PAGED)
{
    ThTmCensus c;
    Enumeration e = {s, th_option_choice(&call->options, "only"), 0};
    ThTmCensusWork work = {.states = (int)th_option_int(&call->options, "states"),
                           .symbols = (int)th_option_int(&call->options, "symbols"),
                           .limit = (int)th_option_int(&call->options, "steps"),
                           .stop = sh_stop(s),
                           .each = list_machine,
                           .context = &e};
    sh_table(s, "machines", "machine:s verdict:s steps:i");
    bool ok = th_tm_census(&c, &work, err);
    sh_table_end(s);
    if (!ok && err->code == TH_OK)
        th_stopped(sh_stop(s), err);
    if (!ok)
        return false;
    sh_results(s, "machines:i shown:i halting:i", (long long)c.machines, (long long)e.shown,
               (long long)c.halting);
    th_tm_census_free(&c);
    return true;
}
