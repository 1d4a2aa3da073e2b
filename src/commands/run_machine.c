/* run_machine.c - how a Turing machine is run and traced. */
#include <stdlib.h>
#include <string.h>

#include "commands/machines.h"
#include "commands/modelling.h"
#include "show.h"

const ThOptionSpec sh_run_options[] = {
    SH_RUN_LIMITS,
    {"choose", TH_CHOICE, "search", 0, 0, "search|random",
     "what a machine does where it has the choice of rules: follow all, or one at random"},
    {"configurations", TH_INT, "1000000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random choices start"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
enum { CHOOSE_SEARCH, CHOOSE_RANDOM }; /* choose=, in both tables */

const ThOptionSpec sh_trace_options[] = {
    {"steps", TH_INT, "1000", 0, 4e18, NULL, "steps of a machine that are shown"},
    {"from", TH_INT, "0", 0, 4e18, NULL, "steps of a machine that are made before"},
    {"every", TH_INT, "1", 1, 4e18, NULL, "show each so manieth step of a machine"},
    SH_CONFIGURATION_FORMS,
    {"choose", TH_CHOICE, "search", 0, 0, "search|random",
     "what a machine does where it has the choice of rules: follow all, or one at random"},
    {"configurations", TH_INT, "10000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random choices start"},
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
    sh_result_text(s, "verdict", th_tm_verdict_name(x->verdict));
    sh_result_flag(s, "halted", halted);
    sh_result_flag(s, "accepted", x->verdict == TH_TM_ACCEPTED);
    sh_result_int(s, "steps", (long long)x->steps);
    sh_result_int(s, "nonblank", (long long)x->nonblank);
    sh_result_int(s, "cells", (long long)x->cells);
    sh_result_int(s, "head", x->head);
    sh_result_text(s, "state", m->state[x->state]);
    sh_result_text(s, "tape", tape);
}

void sh_machine_say_verdict(ShSession *s, const ThTmFastFigures *x)
{
    unsigned long long n = x->steps;
    const char *plural = n == 1 ? "" : "s";
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
           m->state[x->state], (unsigned long long)x->nonblank, x->nonblank == 1 ? "" : "s",
           (long long)x->head, (unsigned long long)x->cells, x->cells == 1 ? "" : "s");
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

/* One run, in text format said, else a row of the table. */
static bool run_once(ShSession *s, const ShCall *call, const ThTmTapeWords *words,
                     ShMachineEnd *end, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    ThTmFastFigures *x = &end->figures;
    ThTmEngine e = {0};
    ThText shown = {0};
    ThRng rng = th_rng((uint64_t)sh_seed(s, &call->options), "machine.choice", 0);
    bool ok = th_tm_engine_start(&e, m, words, err);
    if (ok && !e.fast && is_random(call))
        e.plain.choose = &rng;
    ok = ok && sh_machine_go(s, &e, &call->options, sh_machine_limits(call), x, err) &&
         th_tm_engine_tape(&end->tape, &e, SH_TAPE_LONGEST, err) &&
         th_tm_engine_tape(&shown, &e, SH_TAPE_LINE, err);
    if (ok && sh_out(s)) {
        sh_machine_say_verdict(s, x);
        sh_machine_say_figures(s, m, x, shown.data ? shown.data : "");
    }
    th_text_free(&shown);
    th_tm_engine_free(&e);
    return ok;
}

static bool run_input(ShSession *s, const ShCall *call, const ShOperand *input, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    ThTmTapeWords words;
    ShMachineEnd end = {0};
    if (!th_tm_tape_words_read(&words, m, input ? input->text : "", err))
        return sh_error_inside(err, input);
    if (sh_out(s) && call->n > 2)
        sh_say(s, "%s: ", *input->text ? input->text : "\"\"");
    bool ok = m->branching && !is_random(call)
                  ? sh_machine_search(s, call, &words, false, &end, err)
                  : run_once(s, call, &words, &end, err);
    if (ok) {
        const char *text = end.tape.data ? end.tape.data : "";
        ThTmFastFigures x = end.figures;
        sh_machine_figures(s, m, &x, text);
        if (!sh_out(s))
            sh_row(s, input ? input->text : "", th_tm_verdict_name(x.verdict), (long long)x.steps,
                   (long long)x.nonblank, (long long)x.cells, (long long)x.head, m->state[x.state],
                   text);
    }
    th_text_free(&end.tape);
    th_tm_tape_words_free(&words);
    return ok;
}

bool sh_run_machine(ShSession *s, const ShCall *call, ThError *err)
{
    bool ok = true, table = !sh_out(s);
    if (table)
        sh_table(s, "runs", "input:s verdict:s steps:i nonblank:i cells:i head:i state:s tape:s");
    for (int i = 1; ok && i < call->n; i++)
        ok = run_input(s, call, &call->operand[i], err);
    if (call->n == 1)
        ok = run_input(s, call, NULL, err);
    if (table)
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
    ThTmEngine e = {.machine = m};
    ThRng rng = th_rng((uint64_t)sh_seed(s, &call->options), "machine.choice", 0);
    bool table = !sh_out(s);
    if (table)
        sh_table(s, "trace", "step:i state:s configuration:s");
    bool ok = sh_machine_writer(&t.writer, m, &call->options, err) &&
              th_tm_running_start_words(&e.plain, m, words, err);
    e.plain.choose = is_random(call) ? &rng : NULL;
    ok = ok && trace_steps(&t, &e.plain, &call->options, err);
    flush_lines(&t);
    if (table)
        sh_table_end(s);
    ok = ok && th_tm_engine_tape(&t.text, &e, SH_TAPE_LONGEST, err);
    if (ok) {
        ThTmFastFigures x = th_tm_engine_figures(&e);
        sh_machine_figures(s, m, &x, t.text.size ? t.text.data : "");
        sh_machine_say_verdict(s, &x);
    }
    th_text_free(&t.text);
    th_tm_configuration_writer_free(&t.writer);
    th_tm_engine_free(&e);
    return ok;
}

bool sh_trace_machine(ShSession *s, const ShCall *call, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    const ShOperand *input = call->n > 1 ? &call->operand[1] : NULL;
    ThTmTapeWords words;
    if (!th_tm_tape_words_read(&words, m, input ? input->text : "", err))
        return sh_error_inside(err, input);
    bool ok = m->branching && !is_random(call) ? sh_machine_trace_tree(s, call, m, &words, err)
                                               : trace_once(s, call, m, &words, err);
    th_tm_tape_words_free(&words);
    return ok;
}
