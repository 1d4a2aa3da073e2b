/* plots.c - commands that draw: plot VIEW OBJECT … [> "file"]. */
#include "commands/plots.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands/inspect.h"
#include "plot/views.h"

/* Size of the terminal, or 79 by 24 where output is no terminal. */
static void measure_terminal(ThPlotTarget *to)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return;
    to->columns = size.ws_col > 20 ? size.ws_col - 1 : 0;
    to->rows = size.ws_row > 10 ? size.ws_row - 2 : 0;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

bool sh_finish_plot(ShSession *s, const ShCall *call, ThFigure *f, bool written, ThError *err)
{
    ThPlotTarget to = {.where = TH_PLOT_TEXT, .path = call->redirect, .stop = sh_stop(s)};
    if (call->redirect)
        to.where = TH_PLOT_FILE;
    else if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
        to.where = TH_PLOT_WINDOW;
    measure_terminal(&to);
    if (written && call->append)
        written = th_fail(err, TH_EUSAGE, "a figure cannot be appended to a file");
    bool ok = written && th_figure_render(f, &to, err);
    if (ok && to.text)
        fputs(to.text, sh_listing(s));
    free(to.text);
    th_figure_free(f);
    return ok;
}

/* Returns new: PREFIX NAME on TASK. */
static char *pair_title(const char *prefix, const ShCall *call, ThError *err)
{
    ThText t = {0};
    th_text_printf(&t, "%s%s on %s", prefix, call->operand[0].object->name,
                   call->operand[1].object->name);
    return th_text_take(&t, err);
}

/* Returns new: NAME, with the task of its training where there was one. */
static char *training_title(const char *prefix, const ShObject *model, ThError *err)
{
    const char *task = model->as.model->training.task;
    ThText t = {0};
    th_text_printf(&t, "%s%s%s%s", prefix, model->name, task ? " on " : "", task ? task : "");
    return th_text_take(&t, err);
}

SH_COMMAND(plot_automaton, .group = "plots", .summary = "draw an automaton",
           .detail = "States are circles, accepting states have two, an arrow without a tail marks "
                     "the start.  Symbols that lead from one state to the same other share an "
                     "arrow.  Graphviz's dot finds the places where it is installed; otherwise the "
                     "states stand on a circle.\n\n" SH_PLOT_WHERE,
           .example = "automaton p = parity\n"
                      "plot automaton p > \"parity.svg\"",
           .args = {{A_AUTOMATON, "AUTOMATON", 0}}, .flags = C_OWN_REDIRECT)
{
    const ShObject *o = call->operand[0].object;
    ThFigure f = {0};
    bool ok = th_plot_automaton(&f, o->name, o->as.automaton, sh_stop(s), err) ||
              sh_error_inside(err, &call->operand[0]);
    return sh_finish_plot(s, call, &f, ok, err);
}

SH_COMMAND(plot_attention, .group = "plots",
           .summary = "draw where a model looks when it reads an input",
           .detail = "For a RegularGPT: the routing path of the last position over positions and "
                     "levels, each edge as thick as its weight, and every head's weights below "
                     "it.  For a transformer: the weights of every layer and head, or only the "
                     "last position's where the input is long.  attention prints the "
                     "numbers.\n\n" SH_PLOT_WHERE,
           .example = "task p = parity\n"
                      "model m = regulargpt dim=16 heads=2\n"
                      "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
                      "plot attention m \"abbab\" > \"attention.svg\"",
           .args = {{A_MODEL, "MODEL", 0}, {A_INPUT, "INPUT", 0}}, .flags = C_OWN_REDIRECT)
{
    int *token;
    ThFigure f = {0};
    ThText title = {0};
    ThModelTrace *trace = sh_call_trace(call, &token, err);
    if (!trace)
        return false;
    sh_write_answer_line(&title, call, trace);
    const ThModel *m = call->operand[0].object->as.model;
    bool ok = th_plot_attention(&f, title.data ? title.data : "", trace, token, m->signature.symbol,
                                err) ||
              sh_error_inside(err, &call->operand[0]);
    th_text_free(&title);
    th_model_trace_free(trace);
    free(token);
    return sh_finish_plot(s, call, &f, ok, err);
}

SH_COMMAND(plot_clusters, .group = "plots",
           .summary = "draw a model's hidden vectors by their functions",
           .detail = "The vectors of all layers for one string on their first two principal "
                     "components, coloured by the function on states that their part of the input "
                     "induces; higher layers have larger points.  clusters prints the numbers "
                     "and explains them.\n\n" SH_PLOT_WHERE,
           .example = "task p = parity\n"
                      "model m = regulargpt dim=16 heads=2\n"
                      "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
                      "plot clusters m on p length=100 > \"clusters.svg\"",
           .results = "clusters purity variance functions gap spread",
           .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
           .options = sh_clusters_options, .flags = C_OWN_REDIRECT)
{
    ThFigure f = {0};
    ThClusters *c = sh_call_clusters(s, call, err);
    char *title = c ? pair_title("hidden vectors of ", call, err) : NULL;
    bool ok = title && th_plot_clusters(&f, title, c, err);
    free(title);
    th_clusters_free(c);
    return sh_finish_plot(s, call, &f, ok, err);
}

SH_COMMAND(plot_field, .group = "plots", .summary = "draw how far back a model's answer depends",
           .detail = "The share of the gradient at and after every position, beside the straight "
                     "line that means that all positions matter alike.  field prints the numbers "
                     "and explains them.\n\n" SH_PLOT_WHERE,
           .example = "task p = parity\n"
                      "model m = regulargpt dim=16 heads=2\n"
                      "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
                      "plot field m on p length=40 strings=2 > \"field.svg\"",
           .results = "reach deviation",
           .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
           .options = sh_field_options, .flags = C_OWN_REDIRECT)
{
    ThFigure f = {0};
    ThField *field = sh_call_field(s, call, err);
    char *title = field ? pair_title("receptive field of ", call, err) : NULL;
    int trained = call->operand[0].object->as.model->training.trained_hi;
    bool ok = title && th_plot_field(&f, title, field, trained, err);
    free(title);
    th_field_free(field);
    return sh_finish_plot(s, call, &f, ok, err);
}

SH_COMMAND(plot_loss, .group = "plots", .summary = "draw a model's training",
           .detail = "Loss, on a logarithmic scale, and accuracy by step, as training "
                     "recorded them.\n\n" SH_PLOT_WHERE,
           .example = "task p = parity\n"
                      "model m = regulargpt dim=16 heads=2\n"
                      "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
                      "plot loss m > \"loss.svg\"",
           .args = {{A_MODEL, "MODEL", 0}}, .flags = C_OWN_REDIRECT)
{
    const ShObject *o = call->operand[0].object;
    ThFigure f = {0};
    char *title = training_title("training of ", o, err);
    bool ok = title && (th_plot_loss(&f, title, &o->as.model->training, err) ||
                        sh_error_inside(err, &call->operand[0]));
    free(title);
    return sh_finish_plot(s, call, &f, ok, err);
}

SH_COMMAND(plot_accuracy, .group = "plots", .summary = "draw a model's last evaluation",
           .detail =
               "Accuracy by length with its 95 % interval and the chance level, the lengths "
               "of training shaded.  The figures are those of the last evaluate.\n\n" SH_PLOT_WHERE,
           .example = "task p = parity\n"
                      "model m = regulargpt dim=16 heads=2\n"
                      "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
                      "evaluate m on p length=11..21:5 samples=64 > \"scores.txt\"\n"
                      "plot accuracy m > \"accuracy.svg\"",
           .args = {{A_MODEL, "MODEL", 0}}, .flags = C_OWN_REDIRECT)
{
    const ShObject *o = call->operand[0].object;
    const ThModel *m = o->as.model;
    ThFigure f = {0};
    char *title = training_title("", o, err);
    bool ok = title && (th_plot_accuracy(&f, title, m->scores, m->n_scores, &m->training, err) ||
                        sh_error_inside(err, &call->operand[0]));
    free(title);
    return sh_finish_plot(s, call, &f, ok, err);
}
