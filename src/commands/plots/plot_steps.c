/* plot_steps.c - commands that draw a figure a step: runs of automata and constructions. */

#include "commands/machines/machines.h"
#include "commands/plots/plot_steps.h"

/* Returns new: the file of step i of n, whose number stands before the extension, as long as that
 * of the last. */
static char *numbered(const char *path, int i, int n, ThError *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
    int digits = snprintf(NULL, 0, "%d", n);
    return th_printed(err, "%.*s-%0*d%s", stem, path, digits, i, path + stem);
}

static bool draw_step(ShSession *s, const ShCall *call, const char *title, const ThPlotBoard *b,
                      int i, ThError *err)
{
    ThFigure f = {.title = sh_plot_title(call)};
    int n = th_plot_board_steps(b);
    char *path TH_OWNED(free) = call->redirect ? numbered(call->redirect, i + 1, n, err) : NULL;
    bool ok = !call->redirect || path;
    ok = ok && th_plot_board_draw(&f, title, b, i, sh_stop(s), err);
    return sh_put_figure(s, call, &f, path, ok, err);
}

/* Draws all steps of a board, into numbered files where the call names one, and says which. */
static bool plot_board(ShSession *s, const ShCall *call, const char *title, const ThPlotBoard *b,
                       ThError *err)
{
    int n = th_plot_board_steps(b);
    double seconds =
        th_option_given(&call->options, "watch") ? th_option_real(&call->options, "watch") : 0;
    bool ok = true;
    for (int i = 0; ok && i < n && !th_stopped(sh_stop(s), err); i++) {
        ok = draw_step(s, call, title, b, i, err);
        if (ok && seconds > 0 && i + 1 < n) {
            fflush(sh_out(s));
            sh_wait_seconds(seconds, sh_stop(s));
        }
    }
    if (ok && call->redirect) {
        char *first TH_OWNED(free) = numbered(call->redirect, 1, n, err);
        char *last TH_OWNED(free) = numbered(call->redirect, n, n, err);
        if (first && last)
            sh_say(s, n > 1 ? "%d figures: %s to %s\n" : "%d figure: %s\n", n, first, last);
    }
    sh_result_int(s, "figures", n);
    return ok && !th_stopped(sh_stop(s), err);
}

typedef ThPlotBoard *Construct(const ThAutomaton *a, ThStop *stop, ThError *err);

static bool plot_construction(ShSession *s, const ShCall *call, const char *what,
                              Construct *construct, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    ThPlotBoard *b TH_OWNED(th_plot_board_free) = construct(o->as.automaton, sh_stop(s), err);
    char *title TH_OWNED(free) =
        b ? th_printed(err, "%s %.60s", what, call->operand[0].text) : NULL;
    if (b && title)
        return plot_board(s, call, title, b, err);
    return sh_error_inside(err, &call->operand[0]);
}

bool sh_plot_word(ShSession *s, const ShCall *call, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    const ThAutomaton *a = o->as.automaton;
    const ShOperand *input = &call->operand[1];
    int length,
        *word TH_OWNED(free) = th_symbols_read(a->symbol, a->n_symbols, input->text, &length, err);
    if (!word)
        return sh_error_inside(err, input);
    ThPlotBoard *b TH_OWNED(th_plot_board_free) =
        th_plot_board_run(a, word, length, sh_stop(s), err);
    char *title TH_OWNED(free) = th_printed(err, "%.60s on %.60s", call->operand[0].text,
                                            *input->text ? input->text : "\"\"");
    return b && title ? plot_board(s, call, title, b, err)
                      : sh_error_inside(err, &call->operand[0]);
}

#define STEPS_ARE                                                                                  \
    "A figure a step, with what is new and a sentence; states keep their places.  > \"d.svg\" "    \
    "writes d-1.svg, d-2.svg and so on, of any kind, as slides want them; without > they are "     \
    "printed, with watch=1 one a second."

static const ThOptionSpec board_options[] = {SH_PLOT_WATCH, {NULL, 0, NULL, 0, 0, NULL, NULL}};

#define BOARD(id, ...)                                                                             \
    SH_COMMAND(id, .group = "plots", .common = SH_PLOT_WHERE, .more_options = sh_plot_options,     \
               .flags = C_OWN_REDIRECT, .results = "figures", .options = board_options,            \
               __VA_ARGS__)

BOARD(plot_determinize, .summary = "draw the subset construction step by step",
      .detail = STEPS_ARE "  Arrow by arrow; trace determinize prints the same.",
      .example = "automaton ends = regex \"(a|b)*ab\"\n"
                 "plot determinize ends > \"d.svg\"\n"
                 "#> 9 figures: d-1.svg to d-9.svg",
      .args = {{A_AUTOMATON, "A", 0}})
{
    return plot_construction(s, call, "determinize", th_plot_board_determinize, err);
}

BOARD(plot_minimize, .summary = "draw the minimization round by round",
      .detail = STEPS_ARE "  Moore's algorithm: states of one colour are in one block; trace "
                          "minimize prints the same.",
      .example = "automaton p = tomita(5)\n"
                 "plot minimize p > \"m.svg\"\n"
                 "#> 2 figures: m-1.svg to m-2.svg",
      .args = {{A_AUTOMATON, "A", 0}})
{
    return plot_construction(s, call, "minimize", th_plot_board_minimize, err);
}

BOARD(plot_eliminate, .summary = "draw the elimination of states, to a regular expression",
      .detail = STEPS_ARE
      "  A new start and a new end stand around the automaton; with every state "
      "that goes the arrows carry longer expressions, until one is left.  show "
      "A as regex makes a short one of the minimal automaton.",
      .example = "automaton p = parity\n"
                 "plot eliminate p > \"e.tex\"\n"
                 "#> 3 figures: e-1.tex to e-3.tex",
      .args = {{A_AUTOMATON, "A", 0}})
{
    return plot_construction(s, call, "eliminate states of", th_plot_board_eliminate, err);
}

BOARD(plot_thompson, .summary = "draw an automaton of a regular expression part by part",
      .detail = STEPS_ARE "  Thompson's construction: two new states and empty moves for every "
                          "symbol, choice and repetition.  Counts are written out; & - and ~ have "
                          "no part in it.",
      .example = "plot thompson \"(a|b)*b\" > \"t.svg\"\n"
                 "#> 7 figures: t-1.svg to t-7.svg",
      .args = {{A_KEYWORD, "regex", A_OPTIONAL | A_SILENT}, {A_TEXT, "REGEX", 0}})
{
    const ShOperand *o = &call->operand[0];
    const ShObject *named = o->quoted ? NULL : sh_find(s, o->text);
    if (named && named->kind == SH_AUTOMATON)
        return sh_fail_operand(err, o, TH_EUSAGE, "%s is an automaton, no regular expression",
                               o->text) ||
               th_hint(err, "show %s as regex prints one of its language", o->text);
    ThPlotBoard *b TH_OWNED(th_plot_board_free) = th_plot_board_thompson(o->text, sh_stop(s), err);
    char *title TH_OWNED(free) = b ? th_printed(err, "Thompson: %.60s", o->text) : NULL;
    return b && title ? plot_board(s, call, title, b, err) : sh_error_inside(err, o);
}
