/* plots.c - commands that draw: plot VIEW OBJECT … [> "file"]. */
#include "commands/plots/plots.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "commands/inspection/inspect.h"
#include "commands/modelling.h"
#include "commands/plots/curves.h"
#include "commands/plots/selecting.h"
#include "terminal/graphics.h"

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

/* The setting plot, in its order. */
enum { AUTO, WINDOW, TEXT, SIXEL, KITTY };

static bool wants_window(const ShSession *s)
{
    int setting = sh_setting_choice(s, "plot");
    return setting == WINDOW ||
           (setting == AUTO && (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")));
}

/* Characters, unless a picture is wanted and the terminal says that it shows it. */
static ThPlotWhere in_terminal(ShSession *s)
{
    int setting = sh_setting_choice(s, "plot");
    if (setting < SIXEL || !sh_on_terminal(s))
        return TH_PLOT_TEXT;
    unsigned shows = sh_terminal_graphics();
    return setting == SIXEL && (shows & SH_GRAPHICS_SIXEL)   ? TH_PLOT_SIXEL
           : setting == KITTY && (shows & SH_GRAPHICS_KITTY) ? TH_PLOT_KITTY
                                                             : TH_PLOT_TEXT;
}

const ThOptionSpec *sh_plot_options(size_t i)
{
    static const ThOptionSpec options[] = {
        {"title", TH_STRING, NULL, 0, 0, NULL, "of the figure; none or \"\": no title"},
        {"size", TH_STRING, NULL, 0, 0, NULL, "width and height of the picture in cm, as 16x10"},
        {"font", TH_STRING, NULL, 0, 0, NULL,
         "of its texts: a name, a size in points, or both, as \"Latin Modern Roman,12\"; in .tex "
         "the size only"},
        {NULL, 0, NULL, 0, 0, NULL, NULL}};
    return i == 0 ? options : NULL;
}

/* NULL where the option is not given, or the call has none, as from within RASP. */
static const char *given(const ShCall *call, const char *name)
{
    bool known = th_option_known(&call->options, name) && th_option_given(&call->options, name);
    return known ? th_option_text(&call->options, name) : NULL;
}

const char *sh_plot_title(const ShCall *call)
{
    const char *title = given(call, "title");
    return title && strcmp(title, "none") == 0 ? "" : title;
}

static bool read_size(const char *text, ThPlotTarget *to, ThError *err)
{
    const double least = 2, most = 150;
    char rest;
    if (!text ||
        (sscanf(text, "%lfx%lf%c", &to->width, &to->height, &rest) == 2 && to->width >= least &&
         to->width <= most && to->height >= least && to->height <= most))
        return true;
    return th_fail(err, TH_EUSAGE, "'%s' does not fit the option size", text) ||
           th_hint(err, "size=16x10 is 16 cm wide and 10 cm high; both are from %g to %g", least,
                   most);
}

/* NAME, NAME,SIZE or SIZE; name has room for the name. */
static bool read_font(const char *text, ThPlotTarget *to, char name[64], ThError *err)
{
    static const char *const letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -";
    const double least = 2, most = 100;
    const char *comma = text ? strchr(text, ',') : NULL;
    char *end;
    if (!text)
        return true;
    double size = strtod(comma ? comma + 1 : text, &end);
    bool sized = end[0] == '\0' && end > (comma ? comma + 1 : text);
    size_t n = sized && !comma ? 0 : strcspn(text, ",");
    bool ok = n < 64 && strspn(text, letters) >= n && (sized || !comma) &&
              (!sized || (size >= least && size <= most)) && (n > 0 || sized);
    if (!ok)
        return th_fail(err, TH_EUSAGE, "'%s' does not fit the option font", text) ||
               th_hint(err, "font=12, font=Helvetica and font=\"Latin Modern Roman,12\" do");
    snprintf(name, 64, "%.*s", (int)n, text);
    to->font = n > 0 ? name : NULL;
    to->font_size = sized ? size : 0;
    return true;
}

static bool render(ShSession *s, const ShCall *call, ThFigure *f, ThPlotTarget to, bool written,
                   ThError *err)
{
    to.stop = sh_stop(s);
    measure_terminal(&to);
    char font[64];
    written = written && read_size(given(call, "size"), &to, err) &&
              read_font(given(call, "font"), &to, font, err);
    if (written && call->append)
        written = th_fail(err, TH_EUSAGE, "a figure cannot be appended to a file");
    bool ok = written && th_figure_render(f, &to, err);
    if (ok && (to.where == TH_PLOT_SIXEL || to.where == TH_PLOT_KITTY))
        sh_obey(s, to.text);
    else if (ok && to.text)
        fputs(to.text, sh_listing(s));
    free(to.text);
    th_figure_free(f);
    return ok;
}

bool sh_put_figure(ShSession *s, const ShCall *call, ThFigure *f, const char *path, bool written,
                   ThError *err)
{
    ThPlotTarget to = {.where = path ? TH_PLOT_FILE : in_terminal(s), .path = path};
    return render(s, call, f, to, written, err);
}

bool sh_finish_plot(ShSession *s, const ShCall *call, ThFigure *f, bool written, ThError *err)
{
    if (call->redirect || !wants_window(s))
        return sh_put_figure(s, call, f, call->redirect, written, err);
    return render(s, call, f, (ThPlotTarget){.where = TH_PLOT_WINDOW}, written, err);
}

bool sh_plot(ShSession *s, const ShCall *call, ShDraw *draw, ThError *err)
{
    ThFigure f = {.title = sh_plot_title(call)};
    bool written = sh_read_axes(&call->options, &f.axes, err) && draw(&f, s, call, err);
    return sh_finish_plot(s, call, &f, written, err);
}

/* Returns new: PREFIX NAME on TASK. */
static char *pair_title(const char *prefix, const ShCall *call, ThError *err)
{
    return th_printed(err, "%s%s on %s", prefix, call->operand[0].object->name,
                      call->operand[1].object->name);
}

/* Returns new: NAME, with the task of its training where there was one. */
static char *training_title(const char *prefix, const ShObject *model, ThError *err)
{
    const char *task = sh_trained_on(model->as.model);
    return th_printed(err, "%s%s%s%s", prefix, model->name, task ? " on " : "", task ? task : "");
}

/* Where an automaton stands that reads a word by hand. */
static bool draw_walk(ThFigure *f, ShSession *s, const ShObject *o, ThError *err)
{
    ThPlotBoard *run TH_OWNED(th_plot_board_free) =
        th_plot_board_run(o->as.automaton, o->word, o->word_length, sh_stop(s), err);
    return run && th_plot_board_draw(f, o->name, run, o->word_read, sh_stop(s), err);
}

SH_PLOT(
    plot_automaton, .summary = "draw an automaton",
    .detail =
        "States are circles, accepting states have two, an arrow without a tail marks the start.  "
        "Symbols that lead from one state to the same other share an arrow.  Graphviz's dot finds "
        "the places where it is installed; otherwise the states stand on a circle.  Of machines "
        "with counters or a stack an arrow says what is read, what is found, and behind / what it "
        "becomes; of a right-linear grammar the automaton is drawn, of another one the pushdown "
        "automaton that expands and reads.  While an input is read by "
        "hand (step), the states where the run stands are yellow; plot run draws all steps.",
    .example = "automaton p = parity\n"
               "plot automaton p > \"parity.svg\"",
    .args = {{A_LANGUAGE, "AUTOMATON", 0}})
{
    const ShObject *o = call->operand[0].object;
    ThAutomaton *own TH_OWNED(th_automaton_free) = NULL;
    bool ok = true;
    if (o->word)
        return draw_walk(f, s, o, err) || sh_error_inside(err, &call->operand[0]);
    if (o->kind == SH_LANGUAGE) {
        own = th_language_picture(o->as.language, err);
        ok = own ||
             (err->code == TH_OK && th_language_automaton(o->as.language, &own, sh_stop(s), err));
    }
    const ThAutomaton *a = o->kind == SH_AUTOMATON ? o->as.automaton : own;
    if (ok && !a) {
        const char *view = o->kind == SH_MACHINE ? "machine" : o->kind == SH_S_OP ? "flow" : NULL;
        sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                        "'%s' is %s, and has no states to be drawn", call->operand[0].text,
                        sh_a_kind(o->kind));
        return view && th_hint(err, "plot %s %.60s draws it", view, o->name);
    }
    return (ok && th_plot_automaton(f, o->name, a, sh_stop(s), err)) ||
           sh_error_inside(err, &call->operand[0]);
}

SH_PLOT(
    plot_attention, .summary = "draw where a model looks when it reads an input",
    .detail =
        "For a RegularGPT: the routing path of the last position over positions and levels, each "
        "edge as thick as its weight, and every head's weights below it.  For a transformer: the "
        "weights of every layer and head on one scale, a row for each position, or only the last "
        "position's where the input is long; what a position does not see is grey, and so are rows "
        "that the answer did not need, which are not computed.  attention prints the numbers.  "
        "Beside the s-op that the model was compiled from, each selector stands beside its head.",
    .example = SH_EXAMPLE_TRAINED "plot attention m \"abbab\" > \"attention.svg\"",
    .args = {{A_MODEL, "MODEL", 0}, {A_INPUT, "INPUT", 0}},
    .args2 = {{A_MODEL, "MODEL", 0},
              {A_INPUT, "INPUT", 0},
              {A_KEYWORD, "beside", 0},
              {A_OBJECT, "SOP", 0}})
{
    if (call->form == 2)
        return sh_plot_selecting(f, s, call, err);
    int *token TH_OWNED(free) = NULL;
    ThText title TH_OWNED(th_text_free) = {0};
    ThModelTrace *trace TH_OWNED(th_model_trace_free) = sh_call_trace(call, &token, err);
    if (!trace)
        return false;
    sh_write_answer_line(&title, call, trace, token);
    const ThModel *m = call->operand[0].object->as.model;
    return th_plot_attention(f, th_text_string(&title), trace, token, m->signature.symbol, err) ||
           sh_error_inside(err, &call->operand[0]);
}

SH_PLOT(plot_clusters, .summary = "draw a model's hidden vectors by their functions",
        .detail =
            "The vectors of all layers for one string on their first two principal components, "
            "coloured by the function on states that their part of the input induces; higher "
            "layers have larger points.  clusters prints the numbers and explains them.",
        .example = SH_EXAMPLE_TRAINED "plot clusters m on p length=100 > \"clusters.svg\"",
        .results = "string clusters purity variance functions gap spread",
        .args = {{A_MODEL, "MODEL", 0},
                 {A_KEYWORD, "on", 0},
                 {A_TASK, "TASK", 0},
                 {A_INPUT, "STRING", A_OPTIONAL}},
        .options = sh_clusters_options)
{
    ThClusters *c TH_OWNED(th_clusters_free) = sh_call_clusters(s, call, err);
    char *title TH_OWNED(free) = c ? pair_title("hidden vectors of ", call, err) : NULL;
    return title && th_plot_clusters(f, title, c, err);
}

SH_PLOT(plot_receptive_field, .alias = "plot_field",
        .summary = "draw how far back a model's answer depends",
        .detail = "The share of the gradient at and after every position, beside the straight line "
                  "that means that all positions matter alike.  receptive field prints the numbers "
                  "and explains them.",
        .example = SH_EXAMPLE_TRAINED
        "plot receptive field m on p length=40 strings=2 > \"field.svg\"",
        .results = "string extent deviation",
        .args = {{A_MODEL, "MODEL", 0},
                 {A_KEYWORD, "on", 0},
                 {A_TASK, "TASK", 0},
                 {A_INPUT, "STRING", A_OPTIONAL | A_REPEATED}},
        .options = sh_field_options)
{
    ThField *field TH_OWNED(th_field_free) = sh_call_field(s, call, err);
    char *title TH_OWNED(free) = field ? pair_title("receptive field of ", call, err) : NULL;
    int trained = call->operand[0].object->as.model->training.trained_hi;
    return title && th_plot_field(f, title, field, trained, err);
}

static const ThOptionSpec positions_options[] = {
    {"length", TH_INT, "32", 1, 128, NULL, "positions"},
    {"layer", TH_INT, "1", 1, 64, NULL, "whose encoding, where the layers have their own"},
    {0},
};

/* Returns new: the model, or as it would begin on two symbols. */
static ThModel *with_parameters(const ThModel *m, ThError *err)
{
    char a[] = "a", b[] = "b", *name[] = {a, b};
    const ThSignature two = {
        .target = TH_TARGET_EVERY, .n_symbols = 2, .n_classes = 2, .symbol = name, .label = name};
    ThModel *copy = th_model_copy(m, err);
    return TH_KEEP_IF(!copy || copy->bound || th_model_bind(copy, &two, 1, err), copy,
                      th_model_free);
}

SH_PLOT(plot_positions, .summary = "draw what a model's positional encoding says",
        .detail = "For every head what its positional encoding adds to the logit of each query and "
                  "key, blue where it takes away; what is masked is grey.  Of encodings that turn "
                  "queries and keys (rope, xpos) the logit of two vectors of ones, of those that "
                  "add vectors to the symbols (sinusoidal, learned) the products of these vectors, "
                  "of xl the part that does not depend on the query.  A model that has not been "
                  "trained is drawn as it would begin; show says what a position costs.",
        .example = "model m = gpt position=hard_alibi window_heads=6\n"
                   "plot positions m length=16 > \"windows.svg\"\n"
                   "model r = transformer position=rope\n"
                   "plot positions r > \"turns.svg\"",
        .args = {{A_MODEL, "MODEL", 0}}, .options = positions_options)
{
    const ShObject *o = call->operand[0].object;
    int layer = (int)th_option_int(&call->options, "layer") - 1;
    int n = (int)th_option_int(&call->options, "length");
    char *title TH_OWNED(free) = th_printed(NULL, "positions of %s: %s", o->name,
                                            th_option_known(&o->as.model->options, "position")
                                                ? th_option_text(&o->as.model->options, "position")
                                                : "none");
    ThModel *m TH_OWNED(th_model_free) = with_parameters(o->as.model, err);
    ThInspectPositions *p TH_OWNED(th_inspect_positions_free) =
        m ? th_inspect_positions(m, layer, n, err) : NULL;
    if (p)
        th_plot_positions(f, title ? title : "", p);
    return p || sh_error_inside(err, &call->operand[0]);
}

typedef bool DrawModels(ThFigure *f, const char *title, const ThPlotModel *model, size_t n,
                        ThError *err);

ThPlotModel *sh_models_drawn(const ShCall *call, const char *prefix, const char *what, char **title,
                             ThError *err)
{
    ThPlotModel *model = th_alloc((size_t)call->n, sizeof *model, err);
    *title =
        call->n == 1 ? training_title(prefix, call->operand[0].object, err) : th_strdup(what, err);
    for (int i = 0; model && i < call->n; i++) {
        const ShObject *o = call->operand[i].object;
        model[i] = (ThPlotModel){.name = o->name,
                                 .training = &o->as.model->training,
                                 .score = o->as.model->scores,
                                 .n_scores = o->as.model->n_scores};
    }
    return TH_KEEP_IF(*title, model, free);
}

static bool draw_models(ThFigure *f, const ShCall *call, const char *prefix, const char *what,
                        DrawModels *view, ThError *err)
{
    char *title TH_OWNED(free) = NULL;
    ThPlotModel *model TH_OWNED(free) = sh_models_drawn(call, prefix, what, &title, err);
    return model &&
           (view(f, title, model, (size_t)call->n, err) || sh_error_inside(err, &call->operand[0]));
}

SH_PLOT(plot_loss, .summary = "draw the training of models",
        .detail = "Loss, on a logarithmic scale, and accuracy by step, as training recorded them, "
                  "and as validations found it; of several models their losses.",
        .example = SH_EXAMPLE_TRAINED "plot loss m > \"loss.svg\"\n"
                                      "model n = gru dim=16\n"
                                      "train n on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"
                                      "plot loss m n > \"losses.svg\"",
        .args = {{A_MODEL, "MODEL", A_REPEATED}})
{
    return draw_models(f, call, "training of ", "loss by step", th_plot_loss, err);
}

SH_PLOT(plot_stages, .summary = "draw how a training until proved went",
        .detail = "Of a model that was trained with until=proved, stage by stage: the mean "
                  "distance of the centres of vectors from their nearest others, how far the "
                  "farthest vector is from its own centre, and how far the worst pair of sets gets "
                  "beside its room, which a proof wants below 1.  Where vectors were taken for "
                  "others the last was not asked, and its line is broken.",
        .example = "model m = regulargpt dim=16 heads=2\n"
                   "train m on parity until=proved seed=1 > \"train.txt\"\n"
                   "plot stages m > \"stages.svg\"",
        .args = {{A_MODEL, "MODEL", 0}})
{
    return draw_models(f, call, "stages of ", "stages by step", th_plot_stages, err);
}

SH_PLOT(
    plot_states, .summary = "draw how many states models had while they were trained",
    .detail = "The states of the automaton that the model was at every comparison of a training "
              "with counterexamples=, see train, and of one model the share of words that it got "
              "wrong.  Where no automaton was found the line is broken.",
    .example =
        "task p = parity\n"
        "model m = rnn dim=8\n"
        "train m on p length=1..8 steps=40 every=20 counterexamples=parity seed=1 > \"train.txt\"\n"
        "plot states m > \"states.svg\"",
    .args = {{A_MODEL, "MODEL", A_REPEATED}})
{
    return draw_models(f, call, "states of ", "states by step", th_plot_states, err);
}
