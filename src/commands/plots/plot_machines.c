/* plot_machines.c - commands that draw Turing machines and their runs. */
#include "commands/plots/plot_steps.h"

#define STEPS                                                                                      \
    {                                                                                              \
        "steps", TH_INT, NULL, 0, 4e18, NULL,                                                      \
            "steps that are drawn; without it, all, or a thousand of a machine that goes on and "  \
            "on"                                                                                   \
    }

static const ThOptionSpec run_options[] = {STEPS, SH_PLOT_WATCH, {NULL, 0, NULL, 0, 0, NULL, NULL}};

static const ThOptionSpec score_options[] = {STEPS,
                                             {"axes", TH_CHOICE, "auto", 0, 0, "auto|linear|log",
                                              "auto: logarithmic for more than 2000 steps"},
                                             {NULL, 0, NULL, 0, 0, NULL, NULL}};

typedef bool DrawRun(ThFigure *f, const char *title, const ThTmWork *run, const ShCall *call,
                     ThError *err);

/* Draws the run of a call. */
static bool draw_run(ThFigure *f, ShSession *s, const ShCall *call, const char *what, DrawRun *draw,
                     ThError *err)
{
    const ShObject *o = call->operand[0].object;
    const ShOperand *input = call->n > 1 ? &call->operand[1] : NULL;
    bool given = th_option_given(&call->options, "steps");
    uint64_t steps = given ? (uint64_t)th_option_int(&call->options, "steps") : TH_PLOT_TO_THE_END;
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    if (!th_tm_tape_words_read(&words, o->as.machine, input ? input->text : "", err))
        return input ? sh_error_inside(err, input) : false;
    char *title TH_OWNED(free) = th_printed(NULL, "%s of %s%s%.60s", what, o->name,
                                            input ? " on " : "", input ? input->text : "");
    ThTmWork run = {o->as.machine, &words, {steps, UINT64_MAX}, sh_stop(s)};
    bool ok = title ? draw(f, title, &run, call, err)
                    : th_fail(err, TH_ENOMEM, "out of memory for a title");
    return ok || sh_error_inside(err, &call->operand[0]);
}

static bool draw_spacetime(ThFigure *f, const char *title, const ThTmWork *run,
                           const ShCall *call TH_UNUSED, ThError *err)
{
    return th_plot_spacetime(f, title, run, err);
}

SH_COMMAND(
    plot_run, .group = "plots", .common = SH_PLOT_WHERE, .more_options = sh_plot_options,
    .flags = C_OWN_REDIRECT, .summary = "draw a run of a machine: cells by steps; of an automaton",
    .detail =
        "Of an automaton a figure for each prefix of the input, with the states where it may "
        "stand: > \"r.svg\" writes r-1.svg, r-2.svg and so on; without > they are printed.\n\n"
        "Of a machine one row for every step, or for 500 steps equally far apart where there are "
        "more; a colour for each symbol.  Of tapes with more than 800 cells, a column has the mean "
        "colour of several cells.  Several tapes stand side by side.  In runs of a few hundred "
        "steps the head is marked by a dot in the colour of its state, in shorter ones by the "
        "state's name, and the symbols stand in their cells.",
    .example = "machine bb4 = \"1RB1LB_1LA0LC_1RZ1LD_1RD0RA\"\n"
               "plot run bb4 > \"bb4.svg\"\n"
               "plot run parity abba > \"run.svg\"\n"
               "#> 5 figures: run-1.svg to run-5.svg",
    .args = {{A_MACHINE, "MACHINE", 0}, {A_INPUT, "INPUT", A_OPTIONAL}},
    .args2 = {{A_AUTOMATON, "AUTOMATON", 0}, {A_INPUT, "INPUT", 0}}, .options = run_options,
    .results = "figures")
{
    if (call->operand[0].object->kind == SH_AUTOMATON)
        return sh_plot_word(s, call, err);
    ThFigure f = {.title = sh_plot_title(call)};
    bool written = draw_run(&f, s, call, "run", draw_spacetime, err);
    return sh_finish_plot(s, call, &f, written, err);
}

static bool draw_score(ThFigure *f, const char *title, const ThTmWork *run, const ShCall *call,
                       ThError *err)
{
    ThPlotAxes a = (ThPlotAxes)th_option_choice(&call->options, "axes");
    return th_plot_run_score(f, title, run, a, err);
}

SH_PLOT(
    plot_score, .summary = "draw how many cells a Turing machine has visited and filled by step",
    .detail = "Cells that the heads have stood on, and cells that are not blank.  On logarithmic "
              "axes a straight line is a power of the number of steps, and its slope the exponent.",
    .example = "machine bb5 = \"1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA\"\n"
               "plot score bb5 > \"bb5.svg\"",
    .args = {{A_MACHINE, "MACHINE", 0}, {A_INPUT, "INPUT", A_OPTIONAL}}, .options = score_options)
{
    return draw_run(f, s, call, "score", draw_score, err);
}

SH_PLOT(plot_machine, .summary = "draw the states of a Turing machine",
        .detail =
            "States are circles and rules arrows.  A rule is written 0,1 → a,R: reading 0 or "
            "1, write a and move to the right; 0 → R writes nothing; the parts for several "
            "tapes are separated by |; a blank _ is shown as ␣.  States that stop the "
            "machine have two circles, and are grey unless they accept; rejecting ones have "
            "one and are reddish; an arrow without a tail marks the start.  Graphviz's dot "
            "finds the places where it is installed; otherwise the states stand on a circle.  "
            "The state of a run by hand (step) is yellow.",
        .example = "machine bb4 = \"1RB1LB_1LA0LC_1RZ1LD_1RD0RA\"\n"
                   "plot machine bb4 > \"bb4.svg\"",
        .args = {{A_MACHINE, "MACHINE", 0}})
{
    const ShObject *o = call->operand[0].object;
    const ThTmRunning *run = o->stepper ? th_tm_stepper_running(o->stepper) : NULL;
    return th_plot_machine(f, o->name, o->as.machine, run ? run->state : -1, sh_stop(s), err) ||
           sh_error_inside(err, &call->operand[0]);
}

/* How an object is drawn where no view is named; NULL: it has none. */
static const ShCommand *usual_view(ShKind kind)
{
    extern const ShCommand sh_command_plot_automaton, sh_command_plot_loss, sh_command_plot_flow,
        sh_command_plot_selector;
    return kind == SH_AUTOMATON  ? &sh_command_plot_automaton
           : kind == SH_MACHINE  ? &sh_command_plot_run
           : kind == SH_MODEL    ? &sh_command_plot_loss
           : kind == SH_S_OP     ? &sh_command_plot_flow
           : kind == SH_SELECTOR ? &sh_command_plot_selector
                                 : NULL;
}

SH_COMMAND(plot, .group = "plots", .summary = "draw an object in the usual way",
           .detail = "An automaton or an expression as plot automaton does, a machine as plot run, "
                     "a model as plot loss, an s-op as plot flow, a selector as plot selector.",
           .example = "plot parity > \"parity.txt\"",
           .args = {{A_OBJECT, "OBJECT", 0}, {A_INPUT, "INPUT", A_OPTIONAL}},
           .options = run_options, .more_options = sh_plot_options, .flags = C_OWN_REDIRECT)
{
    const ShOperand *o = &call->operand[0];
    ShKind kind = o->object->kind;
    const ShCommand *view = usual_view(kind);
    if (!view)
        return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is %s: nothing draws it", o->text,
                               sh_a_kind(kind));
    if (call->n > 1 && kind == SH_AUTOMATON)
        return sh_plot_word(s, call, err);
    if (call->n > 1 && kind == SH_MODEL)
        return sh_fail_operand(err, &call->operand[1], TH_EUSAGE, "%s is drawn without an input",
                               sh_a_kind(kind));
    if (th_option_given(&call->options, "steps") && kind != SH_MACHINE)
        return sh_fail_operand(err, o, TH_EUSAGE, "the option steps is for machines");
    return view->run(s, call, err);
}
