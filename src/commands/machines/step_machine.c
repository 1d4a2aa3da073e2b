/* step_machine.c - a run of a Turing machine by hand: step, back, break. */
#include <time.h>

#include "commands/automata/runs.h"
#include "commands/machines/machines.h"
#include "terminal/repl.h"

/* The machine's stepper, which is made where there is none. */
static ThTmStepper *stepper_of(ShObject *o, ThError *err)
{
    if (!o->stepper)
        o->stepper = th_tm_stepper_new(o->as.machine, err);
    return o->stepper;
}

/* The number of steps that was typed, or 1. */
static bool read_count(const ShCall *call, uint64_t *n, ThError *err)
{
    ThRange r;
    *n = 1;
    if (call->n < 2)
        return true;
    const ShOperand *o = &call->operand[1];
    if (!th_range_parse(&r, o->text, NULL) || r.lo != r.hi || r.lo < 0)
        return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is no number of steps", o->text);
    *n = (uint64_t)r.lo;
    return true;
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* Appends a breakpoint as it was asked for: state=q symbol=0 rule="q 0 -> 1 R p". */
static void write_breakpoint(ThText *t, const ThTm *m, const ThTmBreakpoint *b)
{
    const char *gap = "";
    if (b->state >= 0) {
        th_text_printf(t, "state ");
        th_text_symbol(t, m->state[b->state]);
        gap = ", ";
    }
    if (b->symbol >= 0) {
        th_text_printf(t, "%ssymbol ", gap);
        th_text_symbol(t, m->symbol[b->symbol]);
        gap = ", ";
    }
    if (b->rule >= 0) {
        th_text_printf(t, "%srule ", gap);
        th_tm_write_rule(t, m, (size_t)b->rule);
    }
}

static void say_choices(ShSession *s, const ThTmRunning *r)
{
    size_t n;
    const size_t *rule = th_tm_running_choices(r, &n);
    ThText t TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; n > 1 && i < n; i++) {
        th_text_printf(&t, "  choice %zu: ", i + 1);
        th_tm_write_rule(&t, r->machine, rule[i]);
        th_text_add(&t, "\n");
    }
    sh_say(s, "%s", th_text_string(&t));
}

/* Shows where the run stands and sets the figures; `at` is the breakpoint it came to, if any. */
static bool show(ShSession *s, const ShCall *call, const ThTmStepper *p, size_t at, ThError *err)
{
    const ThTmRunning *r = th_tm_stepper_running(p);
    ThTmConfigurationWriter w TH_OWNED(th_tm_configuration_writer_free) = {0};
    ThText line TH_OWNED(th_text_free) = {0}, point TH_OWNED(th_text_free) = {0},
                tape TH_OWNED(th_text_free) = {0};
    ThTmEngine e = {.machine = r->machine, .plain = *r};
    bool ok = sh_machine_writer(&w, r->machine, &call->options, err);
    if (ok) {
        th_tm_configuration_line(&line, &w, r);
        if (at != SIZE_MAX) {
            ThTmBreakpoint b = th_tm_stepper_breakpoint(p, at);
            write_breakpoint(&point, r->machine, &b);
        }
        ok = (!line.failed && !point.failed) || th_fail(err, TH_ENOMEM, "out of memory");
    }
    ok = ok && th_tm_engine_tape(&tape, &e, SH_TAPE_LONGEST, err);
    if (ok) {
        ThTmFastFigures x = th_tm_engine_figures(&e);
        sh_say(s, "%s", line.data);
        if (at != SIZE_MAX)
            sh_say(s, "breakpoint %zu: %s\n", at + 1, point.data);
        if (x.verdict != TH_TM_GOES_ON)
            sh_machine_say_verdict(s, &x);
        else
            say_choices(s, r);
        sh_machine_figures(s, r->machine, &x, th_text_string(&tape));
        sh_results(s, "breakpoint:s undo:i", th_text_string(&point),
                   (long long)th_tm_stepper_undo(p));
    }
    return ok;
}

bool sh_step_on(ShSession *s, const ShCall *call, uint64_t n, ThError *err)
{
    ThTmStepper *p = call->operand[0].object->stepper;
    size_t at;
    return (th_tm_stepper_go(p, n, 0, &at, sh_stop(s), err) && show(s, call, p, at, err)) ||
           sh_error_inside(err, &call->operand[0]);
}

/* ---- step and back --------------------------------------------------------------------------- */

static const ThOptionSpec step_options[] = {
    {"steps", TH_INT, "1", 0, 4e18, NULL,
     "steps to make; without it one, and none where a run starts"},
    {"watch", TH_REAL, NULL, 0, 3600, NULL,
     "show every step, and wait so many seconds after each; without steps=, to the end"},
    {"choice", TH_INT, "0", 0, 2e9, NULL,
     "which of the rules that apply the first step takes; 0: one at random"},
    {"undo", TH_INT, "1000000", 0, 1e9, NULL, "steps of a new run that can be taken back"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random choices of a new run start"},
    SH_CONFIGURATION_FORMS,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static bool start_run(ShSession *s, const ShCall *call, ThTmStepper *p, int choice, ThError *err)
{
    const ShOperand *machine = &call->operand[0], *input = call->n > 1 ? &call->operand[1] : NULL;
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    if (!th_tm_tape_words_read(&words, machine->object->as.machine, input ? input->text : "", err))
        return sh_error_inside(err, input ? input : machine);
    bool ok = th_tm_stepper_start(p, &words, (size_t)th_option_int(&call->options, "undo"),
                                  (uint64_t)sh_seed(s, &call->options), choice, err);
    return ok || sh_error_inside(err, machine);
}

/* Begins where an input says so, where another run was stopped, or on a blank tape. */
static bool begin(ShSession *s, const ShCall *call, ThTmStepper *p, int choice, ThError *err)
{
    ShObject *o = call->operand[0].object;
    ThTmRunning r;
    if (call->n > 1 || (!o->engine && !th_tm_stepper_running(p))) {
        sh_drop_run(o);
        return start_run(s, call, p, choice, err);
    }
    if (!o->engine)
        return true;
    if (!th_tm_engine_take(o->engine, &r, err))
        return sh_error_inside(err, &call->operand[0]);
    sh_drop_run(o);
    th_tm_stepper_take(p, &r, (size_t)th_option_int(&call->options, "undo"),
                       (uint64_t)sh_seed(s, &call->options));
    return true;
}

void sh_wait_seconds(double seconds, ThStop *stop)
{
    const double slice = 0.05;
    for (double end = sh_clock() + seconds, left; (left = end - sh_clock()) > 0 && !*stop;) {
        struct timespec t = {.tv_nsec = (long)(1e9 * (left < slice ? left : slice))};
        nanosleep(&t, NULL);
    }
}

/* Makes up to n steps and shows each configuration but the last for so many seconds.  Ctrl-C ends
 * it where it is. */
static bool watch_run(ShSession *s, const ShCall *call, ThTmStepper *p, uint64_t n, int choice,
                      size_t *at, ThError *err)
{
    double seconds = th_option_real(&call->options, "watch");
    const ThTmRunning *r = th_tm_stepper_running(p);
    ThTmConfigurationWriter w TH_OWNED(th_tm_configuration_writer_free) = {0};
    ThText line TH_OWNED(th_text_free) = {0};
    ThStop *stop = sh_stop(s);
    bool ok = sh_machine_writer(&w, r->machine, &call->options, err);
    *at = SIZE_MAX;
    for (; ok && n > 0 && r->verdict == TH_TM_GOES_ON && *at == SIZE_MAX && !*stop; n--) {
        line.size = 0;
        th_tm_configuration_line(&line, &w, r);
        sh_say(s, "%s", th_text_string(&line));
        fflush(sh_out(s));
        sh_wait_seconds(seconds, stop);
        ok = *stop || th_tm_stepper_go(p, 1, choice, at, NULL, err);
        choice = 0;
    }
    return ok;
}

/* Where an empty line at the prompt makes the step again: without the input, which would start the
 * run again, and without a choice. */
static void offer_again(ShSession *s, const ShCall *call, uint64_t n)
{
    ThText t = {0};
    th_text_printf(&t, "step %s", call->operand[0].text);
    if (th_option_given(&call->options, "steps"))
        th_text_printf(&t, " steps=%llu", (unsigned long long)n);
    for (size_t i = 0; i < call->options.n; i++) {
        const ThOption *o = &call->options.item[i];
        static const char *const kept[] = {"watch", "form", "width"};
        for (size_t k = 0; o->given && k < sizeof kept / sizeof *kept; k++)
            if (strcmp(o->spec->name, kept[k]) == 0)
                th_text_printf(&t, " %s=%s", o->spec->name, o->text);
    }
    sh_offer_again(s, th_text_take(&t, NULL));
}

SH_COMMAND(
    step, .group = "machines",
    .summary = "make steps of a run by hand, of a machine or an automaton",
    .detail = "Of an automaton INPUT starts a run, and every step reads a symbol: shown are the "
              "state, or the set of states, and the input with the next symbol in brackets.  plot "
              "automaton draws where it stands.\n\n"
              "The run of a machine by hand is kept until another one is started, the machine is "
              "defined anew or dropped.  INPUT starts one, and makes no step unless steps= says "
              "how many (\"\" is the blank tape); without it the run goes on by one step or so "
              "many: that by hand, or one that a limit or Ctrl-C stopped, and where there is none, "
              "one on a blank tape.  It stops before where the machine does, or after a step that "
              "comes to a breakpoint (see break).  Shown is the configuration that is reached; "
              "where it leaves a choice of rules, these too: choice= takes one of them.\n\n"
              "At the prompt, Enter on an empty line makes the last step again.  With watch=0.3 a "
              "run plays by itself, until it stops or Ctrl-C is pressed.",
    .example = SH_EXAMPLE_MACHINE "step increment 1011\n"
                                  "step increment steps=5\n"
                                  "back increment 2\n"
                                  "step increment watch=0.1\n"
                                  "#> 0  right  [1]011\n"
                                  "#> 5  carry  101[1]\n"
                                  "#> 3  right  101[1]\n"
                                  "#> 3  right  101[1]\n"
                                  "#> 4  right  1011[_]\n"
                                  "#> 5  carry  101[1]\n"
                                  "#> 6  carry  10[1]0\n"
                                  "#> 7  carry  1[0]00\n"
                                  "#> 8  done  [1]100\n"
                                  "#> halted after 8 steps\n"
                                  "automaton ends = regex \"(a|b)*ab\"\n"
                                  "step ends aab steps=2\n"
                                  "step ends\n"
                                  "#> 2  {q1, q3}  aa[b]\n"
                                  "#> 3  {q2, q4}  aab\n"
                                  "#> accept",
    .results = "verdict halted accepted steps nonblank cells head state tape breakpoint undo",
    .args = {{A_MACHINE, "MACHINE", A_NAMED}, {A_INPUT, "INPUT", A_OPTIONAL}},
    .args2 = {{A_AUTOMATON, "AUTOMATON", A_NAMED}, {A_INPUT, "INPUT", A_OPTIONAL}},
    .options = step_options)
{
    ShObject *o = call->operand[0].object;
    bool watch = th_option_given(&call->options, "watch");
    int choice = (int)th_option_int(&call->options, "choice");
    uint64_t n = (uint64_t)th_option_int(&call->options, "steps");
    size_t at;
    if (!th_option_given(&call->options, "steps"))
        n = watch ? TH_TM_MOST_STEPS : call->n < 2 || choice > 0;
    if (o->kind == SH_AUTOMATON) {
        if (!sh_step_automaton(s, call, n, err))
            return false;
        offer_again(s, call, n);
        return true;
    }
    ThTmStepper *p = stepper_of(o, err);
    if (!p || !begin(s, call, p, choice, err))
        return false;
    if (!(watch && sh_out(s) ? watch_run(s, call, p, n, choice, &at, err)
                             : th_tm_stepper_go(p, n, choice, &at, sh_stop(s), err)))
        return sh_error_inside(err, &call->operand[0]);
    offer_again(s, call, n);
    return show(s, call, p, at, err);
}

static const ThOptionSpec back_options[] = {SH_CONFIGURATION_FORMS,
                                            {NULL, 0, NULL, 0, 0, NULL, NULL}};

SH_COMMAND(
    back, .group = "machines", .summary = "take back steps of a run by hand",
    .detail = "Takes back N steps, or one, of the run that step goes on with.  As many can be "
              "taken back as its option undo says; what was forgotten is said.",
    .example = "machine bb3 = \"1RB1RZ_1LB0RC_1LC1LA\"\n"
               "step bb3 steps=100\n"
               "back bb3 20\n"
               "#> 21  Z  11[1]11\n"
               "#> halted after 21 steps\n"
               "#> 1  B  1[0]",
    .results = "verdict halted accepted steps nonblank cells head state tape breakpoint undo",
    .args = {{A_MACHINE, "MACHINE", A_NAMED}, {A_TEXT, "N", A_OPTIONAL}},
    .args2 = {{A_AUTOMATON, "AUTOMATON", A_NAMED}, {A_TEXT, "N", A_OPTIONAL}},
    .options = back_options)
{
    ShObject *o = call->operand[0].object;
    ThTmStepper *p = o->stepper;
    uint64_t n;
    if (!read_count(call, &n, err))
        return false;
    if (o->kind == SH_AUTOMATON)
        return sh_back_automaton(s, call, n, err);
    if (!p || !th_tm_stepper_running(p))
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE, "there is no run of %s by hand",
                               o->name) ||
               th_hint(err, "step %s INPUT starts one", o->name);
    uint64_t made = th_tm_stepper_back(p, n);
    if (made < n && th_tm_stepper_running(p)->steps == 0)
        sh_say(s, "only %llu step%s had been made\n", (unsigned long long)made, sh_plural(made));
    else if (made < n)
        sh_say(s, "only %llu step%s back: those before are forgotten\n", (unsigned long long)made,
               sh_plural(made));
    return show(s, call, p, SIZE_MAX, err);
}

/* ---- break ----------------------------------------------------------------------------------- */

static const ThOptionSpec break_options[] = {
    {"state", TH_STRING, NULL, 0, 0, NULL, "stop when this state is entered"},
    {"symbol", TH_STRING, NULL, 0, 0, NULL, "stop when a head scans this symbol"},
    {"rule", TH_STRING, NULL, 0, 0, NULL,
     "stop after a rule, given by its state and what it reads: \"q 0\""},
    {"clear", TH_STRING, NULL, 0, 0, NULL, "forget the breakpoint of a number, or all"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static bool read_name(const ShCall *call, const char *option, char *const *name, int n, int *number,
                      ThError *err)
{
    const ShOperand *o = &call->operand[0];
    const char *text = th_option_text(&call->options, option);
    *number = text ? th_symbols_find(name, n, text) : -1;
    if (!text || *number >= 0)
        return true;
    const char *near = th_nearest(text, (const char *const *)name, (size_t)n);
    sh_fail_operand(err, o, TH_EVALUE, "%s has no %s '%s'", o->text, option, text);
    return near ? th_hint(err, "did you mean %s?", near) : false;
}

/* Sets the breakpoint of the options; several, where several rules are for the case. */
static bool set_breakpoints(const ShCall *call, ThTmStepper *p, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    const char *text = th_option_text(&call->options, "rule");
    ThTmBreakpoint b = {-1, -1, -1};
    size_t n = 1;
    if (!read_name(call, "state", m->state, m->n_states, &b.state, err) ||
        !read_name(call, "symbol", m->symbol, m->n_symbols, &b.symbol, err))
        return false;
    int *rule TH_OWNED(free) = text ? th_tm_rules_for(m, text, &n, err) : NULL;
    if (text && !rule) {
        err->line = err->col = 0;
        return sh_error_inside(err, &call->operand[0]);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        b.rule = rule ? rule[i] : -1;
        ok = th_tm_stepper_break(p, b, err);
    }
    return ok;
}

static bool clear_breakpoints(const ShCall *call, ThTmStepper *p, ThError *err)
{
    const char *which = th_option_text(&call->options, "clear");
    ThRange r = {1, (long long)th_tm_stepper_breaks(p), 1};
    bool all = strcmp(which, "all") == 0;
    if (!all && (!th_range_parse(&r, which, NULL) || r.lo < 1 || r.step != 1 ||
                 r.hi > (long long)th_tm_stepper_breaks(p)))
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                               "there is no breakpoint '%s' to clear", which);
    for (long long i = r.hi; i >= r.lo; i--)
        th_tm_stepper_clear(p, (size_t)i - 1);
    return true;
}

static bool list_breakpoints(ShSession *s, const ThTm *m, const ThTmStepper *p, ThError *err)
{
    bool ok = true;
    sh_table(s, "breakpoints", "number:i at:s");
    for (size_t i = 0; ok && i < th_tm_stepper_breaks(p); i++) {
        ThTmBreakpoint b = th_tm_stepper_breakpoint(p, i);
        ThText t = {0};
        write_breakpoint(&t, m, &b);
        char *text TH_OWNED(free) = th_text_take(&t, err);
        ok = text != NULL;
        if (ok)
            sh_row(s, (long long)i + 1, text);
    }
    sh_table_end(s);
    sh_result_int(s, "breakpoints", (long long)th_tm_stepper_breaks(p));
    return ok;
}

SH_COMMAND(
    break, .group = "machines", .summary = "set, list and clear breakpoints of a machine",
    .detail =
        "A breakpoint stops step after the first step for which all that it names holds: the state "
        "that is entered, the symbol that is scanned then (by some head), the rule that was used.  "
        "Rules that end with ! in the machine's definition are breakpoints from the start.  What "
        "there is is listed.  run and trace do not stop at breakpoints.",
    .example = SH_EXAMPLE_MACHINE "break increment state=carry symbol=0\n"
                                  "break increment rule=\"right _\"\n"
                                  "step increment 1011 steps=1000\n"
                                  "step increment steps=1000\n"
                                  "#> number  at\n"
                                  "#>      1  state carry, symbol 0\n"
                                  "#> number  at\n"
                                  "#>      1  state carry, symbol 0\n"
                                  "#>      2  rule right _ -> L carry\n"
                                  "#> 5  carry  101[1]\n"
                                  "#> breakpoint 2: rule right _ -> L carry\n"
                                  "#> 7  carry  1[0]00\n"
                                  "#> breakpoint 1: state carry, symbol 0",
    .results = "breakpoints", .args = {{A_MACHINE, "MACHINE", A_NAMED}}, .options = break_options)
{
    ShObject *o = call->operand[0].object;
    ThTmStepper *p = stepper_of(o, err);
    bool clear = th_option_given(&call->options, "clear");
    bool set = th_option_given(&call->options, "state") ||
               th_option_given(&call->options, "symbol") || th_option_given(&call->options, "rule");
    if (!p)
        return false;
    if (clear && set)
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                               "clear does not go together with state, symbol and rule");
    if ((set && !set_breakpoints(call, p, err)) || (clear && !clear_breakpoints(call, p, err)))
        return false;
    return list_breakpoints(s, o->as.machine, p, err);
}
