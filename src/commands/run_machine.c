/* run_machine.c - how a Turing machine is run and traced. */
#include <stdlib.h>
#include <string.h>

#include "commands/kit.h"
#include "commands/machines.h"
#include "show.h"

const ThOptionSpec th_run_options[] = {
    TH_RUN_LIMITS,
    {"choose", TH_CHOICE, "search", 0, 0, "search|random",
     "what a machine does where it has the choice of rules: follow all, or one at random"},
    {"configurations", TH_INT, "1000000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random choices start"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

const ThOptionSpec th_trace_options[] = {
    {"steps", TH_INT, "1000", 0, 4e18, NULL, "steps of a machine that are shown"},
    {"from", TH_INT, "0", 0, 4e18, NULL, "steps of a machine that are made before"},
    {"every", TH_INT, "1", 1, 4e18, NULL, "show each so manieth step of a machine"},
    TH_CONFIGURATION_FORMS,
    {"choose", TH_CHOICE, "search", 0, 0, "search|random",
     "what a machine does where it has the choice of rules: follow all, or one at random"},
    {"configurations", TH_INT, "10000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {"seed", TH_INT, NULL, 0, 1e15, NULL, "where the random choices start"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* ---- what is said of a run ------------------------------------------------------------------- */

ThRunLimits th_machine_limits(const ThCall *call)
{
    ThRunLimits l = {(uint64_t)th_option_int(&call->options, "steps"), UINT64_MAX};
    long long cells = th_option_int(&call->options, "cells");
    if (cells > 0)
        l.cells = (uint64_t)cells;
    return l;
}

void th_machine_figures(ThSession *s, const ThTuring *m, const ThFastFigures *x, const char *tape)
{
    bool halted = x->verdict == TH_HALTED || x->verdict == TH_ACCEPTED || x->verdict == TH_REJECTED;
    th_result_text(s, "verdict", th_verdict_name(x->verdict));
    th_result_flag(s, "halted", halted);
    th_result_flag(s, "accepted", x->verdict == TH_ACCEPTED);
    th_result_int(s, "steps", (long long)x->steps);
    th_result_int(s, "nonblank", (long long)x->nonblank);
    th_result_int(s, "cells", (long long)x->cells);
    th_result_int(s, "head", x->head);
    th_result_text(s, "state", m->state[x->state]);
    th_result_text(s, "tape", tape);
}

void th_machine_say_verdict(ThSession *s, const ThFastFigures *x)
{
    unsigned long long n = x->steps;
    const char *plural = n == 1 ? "" : "s";
    if (x->verdict == TH_GOES_ON)
        th_say(s, "goes on after %llu step%s\n", n, plural);
    else if (x->verdict == TH_AT_EDGE)
        th_say(s, "moved over the edge of the tape after %llu step%s\n", n, plural);
    else if (th_verdict_final(x->verdict))
        th_say(s, "%s after %llu step%s\n", th_verdict_name(x->verdict), n, plural);
    else
        th_say(s, "not halted: the limit of %s was reached after %llu step%s\n",
               th_verdict_name(x->verdict), n, plural);
}

void th_machine_say_figures(ThSession *s, const ThTuring *m, const ThFastFigures *x,
                            const char *tape)
{
    th_say(s, "  state %s, %llu non-blank cell%s, head at %lld, %llu cell%s visited\n",
           m->state[x->state], (unsigned long long)x->nonblank, x->nonblank == 1 ? "" : "s",
           (long long)x->head, (unsigned long long)x->cells, x->cells == 1 ? "" : "s");
    th_say(s, "  tape %s\n", *tape ? tape : "blank");
}

bool th_machine_writer(ThConfigurationWriter *w, const ThTuring *m, const ThOptions *options,
                       ThError *err)
{
    static const char *const forms[] = {"head", "state", "caret", "runs"};
    int form = 0;
    while (strcmp(forms[form], th_option_text(options, "form")) != 0)
        form++;
    return th_configuration_writer(w, m, (ThConfigurationForm)form,
                                   (int)th_option_int(options, "width"), err);
}

/* ---- running --------------------------------------------------------------------------------- */

bool th_machine_go(ThSession *s, ThEngine *e, const ThOptions *options, ThRunLimits limits,
                   ThFastFigures *last, ThError *err)
{
    enum { WORK = 1 << 18 };
    double seconds = th_option_real(options, "seconds"), begun = th_clock();
    bool late = false;
    do {
        if (!th_engine_go(e, WORK, limits, th_stop(s), err))
            return false;
        late = seconds > 0 && th_clock() - begun >= seconds;
        th_progress(s, "%llu steps", (unsigned long long)th_engine_steps(e));
    } while (th_engine_verdict(e) == TH_GOES_ON && !late);
    *last = th_engine_figures(e);
    if (last->verdict == TH_GOES_ON)
        last->verdict = TH_OUT_OF_TIME;
    return true;
}

static bool is_random(const ThCall *call)
{
    return th_option_text(&call->options, "choose")[0] == 'r';
}

/* One run, in text format said, else a row of the table. */
static bool run_once(ThSession *s, const ThCall *call, const ThTuring *m, const ThTapeWords *words,
                     ThFastFigures *x, ThText *tape, ThError *err)
{
    ThEngine e = {0};
    ThText shown = {0};
    ThRng rng = th_rng((uint64_t)th_seed(s, &call->options), "machine.choice", 0);
    bool ok = th_engine_start(&e, m, words, err);
    if (ok && !e.fast && is_random(call))
        e.plain.choose = &rng;
    ok = ok && th_machine_go(s, &e, &call->options, th_machine_limits(call), x, err) &&
         th_engine_tape(tape, &e, TH_TAPE_LONGEST, err) &&
         th_engine_tape(&shown, &e, TH_TAPE_LINE, err);
    if (ok && th_out(s)) {
        th_machine_say_verdict(s, x);
        th_machine_say_figures(s, m, x, shown.data ? shown.data : "");
    }
    th_text_free(&shown);
    th_engine_free(&e);
    return ok;
}

static bool run_input(ThSession *s, const ThCall *call, const ThOperand *input, ThError *err)
{
    const ThTuring *m = call->operand[0].object->as.machine;
    ThTapeWords words;
    ThFastFigures x = {0};
    ThText tape = {0};
    if (!th_turing_tape_words_read(&words, m, input ? input->text : "", err))
        return th_error_inside(err, input);
    if (th_out(s) && call->n > 2)
        th_say(s, "%s: ", *input->text ? input->text : "\"\"");
    bool ok = m->branching && !is_random(call)
                  ? th_machine_search(s, call, m, &words, false, &x, &tape, err)
                  : run_once(s, call, m, &words, &x, &tape, err);
    if (ok) {
        const char *text = tape.data ? tape.data : "";
        th_machine_figures(s, m, &x, text);
        if (!th_out(s))
            th_row(s, input ? input->text : "", th_verdict_name(x.verdict), (long long)x.steps,
                   (long long)x.nonblank, (long long)x.cells, (long long)x.head, m->state[x.state],
                   text);
    }
    th_text_free(&tape);
    th_turing_tape_words_free(&words);
    return ok;
}

bool th_run_machine(ThSession *s, const ThCall *call, ThError *err)
{
    bool ok = true, table = !th_out(s);
    if (table)
        th_table(s, "runs", "input:s verdict:s steps:i nonblank:i cells:i head:i state:s tape:s");
    for (int i = 1; ok && i < call->n; i++)
        ok = run_input(s, call, &call->operand[i], err);
    if (call->n == 1)
        ok = run_input(s, call, NULL, err);
    if (table)
        th_table_end(s);
    return ok;
}

/* ---- tracing --------------------------------------------------------------------------------- */

typedef struct {
    ThSession *s;
    ThConfigurationWriter writer;
    ThText text; /* lines that have not been printed yet */
} Trace;

static void flush_lines(Trace *t)
{
    FILE *out = th_out(t->s);
    if (out && t->text.size > 0)
        fwrite(t->text.data, 1, t->text.size, out);
    t->text.size = 0;
}

static bool trace_row(Trace *t, const ThRunning *r, ThError *err)
{
    enum { BUFFER = 1 << 16 };
    if (th_out(t->s)) {
        th_configuration_line(&t->text, &t->writer, r);
        if (t->text.size > BUFFER)
            flush_lines(t);
    } else {
        t->text.size = 0;
        th_configuration_write(&t->text, &t->writer, r, 0);
        if (!t->text.failed)
            th_row(t->s, (long long)r->steps, r->machine->state[r->state], t->text.data);
    }
    return !t->text.failed || th_fail(err, TH_ENOMEM, "out of memory");
}

/* Shows the configuration after `from` steps, and every so manieth after it. */
static bool trace_steps(Trace *t, ThRunning *r, const ThOptions *options, ThError *err)
{
    uint64_t from = (uint64_t)th_option_int(options, "from"),
             steps = (uint64_t)th_option_int(options, "steps"),
             every = (uint64_t)th_option_int(options, "every");
    uint64_t end = steps < TH_MOST_STEPS - from ? from + steps : TH_MOST_STEPS;
    ThStop *stop = th_stop(t->s);
    bool ok =
        th_running_go(r, from, (ThRunLimits){end, UINT64_MAX}, stop, err) && trace_row(t, r, err);
    while (ok && !th_verdict_final(r->verdict)) {
        uint64_t before = r->steps;
        uint64_t next = every < end - before ? before + every : end;
        ok = th_running_go(r, next - before + 1, (ThRunLimits){next, UINT64_MAX}, stop, err);
        if (r->steps == before)
            break;
        ok = ok && trace_row(t, r, err);
    }
    return ok;
}

/* Of a machine that makes no choices, or random ones. */
static bool trace_once(ThSession *s, const ThCall *call, const ThTuring *m,
                       const ThTapeWords *words, ThError *err)
{
    Trace t = {.s = s};
    ThEngine e = {.machine = m};
    ThRng rng = th_rng((uint64_t)th_seed(s, &call->options), "machine.choice", 0);
    bool table = !th_out(s);
    if (table)
        th_table(s, "trace", "step:i state:s configuration:s");
    bool ok = th_machine_writer(&t.writer, m, &call->options, err) &&
              th_running_start_words(&e.plain, m, words, err);
    e.plain.choose = is_random(call) ? &rng : NULL;
    ok = ok && trace_steps(&t, &e.plain, &call->options, err);
    flush_lines(&t);
    if (table)
        th_table_end(s);
    ok = ok && th_engine_tape(&t.text, &e, TH_TAPE_LONGEST, err);
    if (ok) {
        ThFastFigures x = th_engine_figures(&e);
        th_machine_figures(s, m, &x, t.text.size ? t.text.data : "");
        th_machine_say_verdict(s, &x);
    }
    th_text_free(&t.text);
    th_configuration_writer_free(&t.writer);
    th_engine_free(&e);
    return ok;
}

bool th_trace_machine(ThSession *s, const ThCall *call, ThError *err)
{
    const ThTuring *m = call->operand[0].object->as.machine;
    const ThOperand *input = call->n > 1 ? &call->operand[1] : NULL;
    ThTapeWords words;
    if (!th_turing_tape_words_read(&words, m, input ? input->text : "", err))
        return th_error_inside(err, input);
    bool ok = m->branching && !is_random(call) ? th_machine_trace_tree(s, call, m, &words, err)
                                               : trace_once(s, call, m, &words, err);
    th_turing_tape_words_free(&words);
    return ok;
}
