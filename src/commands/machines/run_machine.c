/* run_machine.c - how a Turing machine is run and traced. */

#include "commands/machines/machine_lists.h"
#include "commands/machines/machines.h"
#include "rasp.h"
#include "object_kinds.h"

const ThOptionSpec sh_run_options[] = {
    SH_RUN_LIMITS,
    SH_LIST_OPTIONS,
    {"choose", TH_CHOICE, "search", 0, 0, "search|random",
     "what a machine does where it has the choice of rules: follow all, or one at random"},
    {"configurations", TH_INT, "1000000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random choices start"},
    SH_RASP_TOKENS,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
enum { CHOOSE_SEARCH, CHOOSE_RANDOM }; /* choose=, in both tables */

const ThOptionSpec sh_trace_options[] = {
    {"steps", TH_INT, "1000", 0, 4e18, NULL, "steps of a machine that are shown"},
    {"from", TH_INT, "0", 0, 4e18, NULL, "steps of a machine that are made before"},
    {"every", TH_INT, "1", 1, 4e18, NULL, "show every so many steps of a machine"},
    SH_CONFIGURATION_FORMS,
    {"choose", TH_CHOICE, "search", 0, 0, "search|random",
     "what a machine does where it has the choice of rules: follow all, or one at random"},
    {"configurations", TH_INT, "10000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random choices start"},
    SH_RASP_TOKENS,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* ---- what is said of a run ------------------------------------------------------------------- */

ThTmRunLimits sh_machine_limits(const ShCall *call)
{
    ThTmRunLimits l = {(uint64_t)th_option_int(&call->options, "steps"), UINT64_MAX};
    long long cells = th_option_int(&call->options, "cells");
    if (cells > 0)
        l.cells = (uint64_t)cells;
    return l;
}

void sh_machine_figures(ShSession *s, const ThTm *m, const ThTmFastFigures *x, const char *tape)
{
    bool halted =
        x->verdict == TH_TM_HALTED || x->verdict == TH_TM_ACCEPTED || x->verdict == TH_TM_REJECTED;
    sh_results(s, "verdict:s halted:b accepted:b steps:i nonblank:i cells:i head:i state:s tape:s",
               th_tm_verdict_name(x->verdict), halted, x->verdict == TH_TM_ACCEPTED,
               (long long)x->steps, (long long)x->nonblank, (long long)x->cells, (long long)x->head,
               m->state[x->state], tape);
}

void sh_machine_say_verdict(ShSession *s, const ThTmFastFigures *x)
{
    unsigned long long n = x->steps;
    const char *plural = sh_plural(n);
    if (x->verdict == TH_TM_GOES_ON)
        sh_say(s, "goes on after %llu step%s\n", n, plural);
    else if (x->verdict == TH_TM_AT_EDGE)
        sh_say(s, "moved over the edge of the tape after %llu step%s\n", n, plural);
    else if (th_tm_verdict_final(x->verdict))
        sh_say(s, "%s after %llu step%s\n", th_tm_verdict_name(x->verdict), n, plural);
    else
        sh_say(s, "not halted: the limit of %s was reached after %llu step%s\n",
               th_tm_verdict_name(x->verdict), n, plural);
}

void sh_machine_say_figures(ShSession *s, const ThTm *m, const ThTmFastFigures *x, const char *tape)
{
    sh_say(s, "  state %s, %llu non-blank cell%s, head at %lld, %llu cell%s visited\n",
           m->state[x->state], (unsigned long long)x->nonblank, sh_plural(x->nonblank),
           (long long)x->head, (unsigned long long)x->cells, sh_plural(x->cells));
    sh_say(s, "  tape %s\n", *tape ? tape : "blank");
}

bool sh_machine_writer(ThTmConfigurationWriter *w, const ThTm *m, const ThOptions *options,
                       ThError *err)
{
    ThTmConfigurationForm form = (ThTmConfigurationForm)th_option_choice(options, "form");
    return th_tm_configuration_writer(w, m, form, (int)th_option_int(options, "width"), err);
}

/* ---- running --------------------------------------------------------------------------------- */

bool sh_machine_go(ShSession *s, ThTmEngine *e, const ThOptions *options, ThTmRunLimits limits,
                   ThTmFastFigures *last, ThError *err)
{
    enum { WORK = 1 << 18 };
    double seconds = th_option_real(options, "seconds"), begun = sh_clock();
    bool late = false;
    do {
        if (!th_tm_engine_go(e, WORK, limits, sh_stop(s), err))
            return false;
        late = seconds > 0 && sh_clock() - begun >= seconds;
        sh_progress(s, "%llu steps", (unsigned long long)th_tm_engine_steps(e));
    } while (th_tm_engine_verdict(e) == TH_TM_GOES_ON && !late);
    *last = th_tm_engine_figures(e);
    if (last->verdict == TH_TM_GOES_ON)
        last->verdict = TH_TM_OUT_OF_TIME;
    return true;
}

static bool is_random(const ShCall *call)
{
    return th_option_choice(&call->options, "choose") == CHOOSE_RANDOM;
}

/* The figures of a run, and its row of the table. */
static void tell_end(ShSession *s, const ThTm *m, const char *input, const ShMachineEnd *end)
{
    const char *tape = th_text_string(&end->tape);
    ThTmFastFigures x = end->figures;
    sh_machine_figures(s, m, &x, tape);
    if (!sh_out(s))
        sh_row(s, input, th_tm_verdict_name(x.verdict), (long long)x.steps, (long long)x.nonblank,
               (long long)x.cells, (long long)x.head, m->state[x.state], tape);
}

/* Tells of an interrupted run that it is not lost.  Returns false, always. */
static bool stopped_at(const ShObject *o, ThError *err)
{
    if (err->code != TH_EINTERRUPTED)
        return false;
    *err = (ThError){0};
    return th_fail(err, TH_EINTERRUPTED, "interrupted after %llu steps; continue %.60s goes on",
                   (unsigned long long)th_tm_engine_steps(o->engine), o->name);
}

/* Goes on with a run and tells how it ended: in text format says it, else adds a row of the table.
 * The run is kept if it was only stopped, by a limit or Ctrl-C, and else forgotten. */
static bool go_on(ShSession *s, const ShCall *call, ShObject *o, const char *input, ThError *err)
{
    ThTmRunLimits limits = sh_machine_limits(call);
    uint64_t made = th_tm_engine_steps(o->engine);
    ShMachineEnd end = {0};
    ThText shown TH_OWNED(th_text_free) = {0};
    limits.steps = limits.steps < TH_TM_MOST_STEPS - made ? made + limits.steps : TH_TM_MOST_STEPS;
    bool ok = sh_machine_go(s, o->engine, &call->options, limits, &end.figures, err) ||
              stopped_at(o, err);
    ok = ok && th_tm_engine_tape(&end.tape, o->engine, SH_TAPE_LONGEST, err) &&
         th_tm_engine_tape(&shown, o->engine, SH_TAPE_LINE, err);
    if (ok && sh_out(s)) {
        sh_machine_say_verdict(s, &end.figures);
        sh_machine_say_figures(s, o->as.machine, &end.figures, th_text_string(&shown));
    }
    if (ok)
        tell_end(s, o->as.machine, input, &end);
    if (th_tm_verdict_final(th_tm_engine_verdict(o->engine)))
        sh_drop_run(o);
    th_text_free(&end.tape);
    return ok;
}

/* Starts a run, which replaces one that was stopped. */
static bool start_run(ShSession *s, const ShCall *call, ShObject *o, const ThTmTapeWords *words,
                      ThError *err)
{
    sh_drop_run(o);
    o->engine = th_alloc(1, sizeof *o->engine, err);
    if (!o->engine || !th_tm_engine_start(o->engine, o->as.machine, words, err)) {
        sh_drop_run(o);
        return false;
    }
    o->engine->rng = th_rng((uint64_t)sh_seed(s, &call->options), "machine.choice", 0);
    if (!o->engine->fast && is_random(call))
        o->engine->plain.choose = &o->engine->rng;
    return true;
}

static bool run_all(ShSession *s, const ShCall *call, const ShOperand *input,
                    const ThTmTapeWords *words, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    ShMachineEnd end = {0};
    bool ok = sh_machine_search(s, call, words, false, &end, err);
    if (ok)
        tell_end(s, m, input ? input->text : "", &end);
    th_text_free(&end.tape);
    return ok;
}

static bool run_input(ShSession *s, const ShCall *call, const ShOperand *input, ThError *err)
{
    ShObject *o = call->operand[0].object;
    const ThTm *m = o->as.machine;
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    if (!th_tm_tape_words_read(&words, m, input ? input->text : "", err)) {
        if (input && strcmp(input->text, "continue") == 0)
            snprintf(err->hint, sizeof err->hint,
                     "continue %.60s goes on with a run that was stopped", o->name);
        return sh_error_inside(err, input ? input : &call->operand[0]);
    }
    if (sh_out(s) && call->n > 2)
        sh_say(s, "%s: ", *input->text ? input->text : "\"\"");
    return m->branching && !is_random(call) ? run_all(s, call, input, &words, err)
                                            : start_run(s, call, o, &words, err) &&
                                                  go_on(s, call, o, input ? input->text : "", err);
}

static const char columns[] = "input:s verdict:s steps:i nonblank:i cells:i head:i state:s tape:s";

bool sh_run_machine(ShSession *s, const ShCall *call, ThError *err)
{
    bool ok = true;
    sh_table(s, "runs", columns);
    for (int i = 1; ok && i < call->n; i++)
        ok = run_input(s, call, &call->operand[i], err);
    if (call->n == 1)
        ok = run_input(s, call, NULL, err);
    sh_table_end(s);
    return ok;
}

static bool run_listed(ShSession *s, const ShCall *call, const ThTm *m, ShListRow *row,
                       ThError *err)
{
    ThTmTapeWords words = {0};
    ThTmEngine e TH_OWNED(th_tm_engine_free) = {0};
    ThTmFastFigures x;
    if (!th_tm_engine_start(&e, m, &words, err))
        return false;
    bool ok = sh_machine_go(s, &e, &call->options, sh_machine_limits(call), &x, err);
    if (ok)
        *row =
            (ShListRow){th_tm_verdict_name(x.verdict), NULL, {x.steps, x.nonblank, x.cells}, {0}};
    return ok;
}

bool sh_run_list(ShSession *s, const ShCall *call, ThError *err)
{
    return sh_each_machine(s, call, "machine:s verdict:s steps:i nonblank:i cells:i", run_listed,
                           err);
}

/* ---- going on -------------------------------------------------------------------------------- */

static const ThOptionSpec continue_options[] = {
    SH_RUN_LIMITS, SH_CONFIGURATION_FORMS, {NULL, 0, NULL, 0, 0, NULL, NULL}};

SH_COMMAND(
    continue, .group = "machines",
    .summary = "take up a Turing machine's run that a limit, a breakpoint or Ctrl-C stopped",
    .detail = "A run that was stopped by a limit or by Ctrl-C is kept, and goes on from there: "
              "steps= and seconds= count from now on.  step goes on with it, too, by hand.  A run "
              "by hand goes on to its end or to the next breakpoint.",
    .example = "machine bb5 = \"1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA\"\n"
               "run bb5 steps=1000000\n"
               "continue bb5\n"
               "#> not halted: the limit of steps was reached after 1000000 steps\n"
               "#>   state B, 1355 non-blank cells, head at -1444, 2001 cells visited\n"
               "#>   tape 1^1031 (0 0 1 0 0 1)^161 0^2 1^2\n"
               "#> halted after 47176870 steps\n"
               "#>   state Z, 4098 non-blank cells, head at -12242, 12289 cells visited\n"
               "#>   tape 1 0 1 (0 0 1 0 0 1)^2047 0^2 1^2",
    .results = "verdict halted accepted steps nonblank cells head state tape breakpoint undo",
    .args = {{A_MACHINE, "MACHINE", 0}}, .options = continue_options)
{
    ShObject *o = call->operand[0].object;
    if (!o->engine && o->stepper && th_tm_stepper_running(o->stepper))
        return sh_step_on(s, call, (uint64_t)th_option_int(&call->options, "steps"), err);
    if (!o->engine)
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE, "no run of %s was stopped",
                               o->name) ||
               th_hint(err, "run %s starts one", o->name);
    sh_table(s, "runs", columns);
    bool ok = go_on(s, call, o, "", err);
    sh_table_end(s);
    return ok;
}

/* ---- tracing --------------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    ThTmConfigurationWriter writer;
    ThText text; /* lines that have not been printed yet */
} Trace;

static void flush_lines(Trace *t)
{
    FILE *out = sh_out(t->s);
    if (out && t->text.size > 0)
        fwrite(t->text.data, 1, t->text.size, out);
    t->text.size = 0;
}

static bool trace_row(Trace *t, const ThTmRunning *r, ThError *err)
{
    enum { BUFFER = 1 << 16 };
    if (sh_out(t->s)) {
        th_tm_configuration_line(&t->text, &t->writer, r);
        if (t->text.size > BUFFER)
            flush_lines(t);
    } else {
        t->text.size = 0;
        th_tm_configuration_write(&t->text, &t->writer, r, 0);
        if (!t->text.failed)
            sh_row(t->s, (long long)r->steps, r->machine->state[r->state], t->text.data);
    }
    return !t->text.failed || th_fail(err, TH_ENOMEM, "out of memory");
}

/* Shows the configuration after `from` steps, and every so manieth after it. */
static bool trace_steps(Trace *t, ThTmRunning *r, const ThOptions *options, ThError *err)
{
    uint64_t from = (uint64_t)th_option_int(options, "from"),
             steps = (uint64_t)th_option_int(options, "steps"),
             every = (uint64_t)th_option_int(options, "every");
    uint64_t end = steps < TH_TM_MOST_STEPS - from ? from + steps : TH_TM_MOST_STEPS;
    ThStop *stop = sh_stop(t->s);
    bool ok = th_tm_running_go(r, from, (ThTmRunLimits){end, UINT64_MAX}, stop, err) &&
              trace_row(t, r, err);
    while (ok && !th_tm_verdict_final(r->verdict)) {
        uint64_t before = r->steps;
        uint64_t next = every < end - before ? before + every : end;
        ok = th_tm_running_go(r, next - before + 1, (ThTmRunLimits){next, UINT64_MAX}, stop, err);
        if (r->steps == before)
            break;
        ok = ok && trace_row(t, r, err);
    }
    return ok;
}

/* Of a machine that makes no choices, or random ones. */
static bool trace_once(ShSession *s, const ShCall *call, const ThTm *m, const ThTmTapeWords *words,
                       ThError *err)
{
    Trace t = {.s = s};
    ThTmEngine e TH_OWNED(th_tm_engine_free) = {.machine = m};
    ThRng rng = th_rng((uint64_t)sh_seed(s, &call->options), "machine.choice", 0);
    sh_table(s, "trace", "step:i state:s configuration:s");
    bool ok = sh_machine_writer(&t.writer, m, &call->options, err) &&
              th_tm_running_start_words(&e.plain, m, words, err);
    e.plain.choose = is_random(call) ? &rng : NULL;
    ok = ok && trace_steps(&t, &e.plain, &call->options, err);
    flush_lines(&t);
    sh_table_end(s);
    ok = ok && th_tm_engine_tape(&t.text, &e, SH_TAPE_LONGEST, err);
    if (ok) {
        ThTmFastFigures x = th_tm_engine_figures(&e);
        sh_machine_figures(s, m, &x, t.text.size ? t.text.data : "");
        sh_machine_say_verdict(s, &x);
    }
    th_text_free(&t.text);
    th_tm_configuration_writer_free(&t.writer);
    return ok;
}

bool sh_trace_machine(ShSession *s, const ShCall *call, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    const ShOperand *input = call->n > 1 ? &call->operand[1] : NULL;
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    if (!th_tm_tape_words_read(&words, m, input ? input->text : "", err))
        return sh_error_inside(err, input ? input : &call->operand[0]);
    return m->branching && !is_random(call) ? sh_machine_trace_tree(s, call, m, &words, err)
                                            : trace_once(s, call, m, &words, err);
}
