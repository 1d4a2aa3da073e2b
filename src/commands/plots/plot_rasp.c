/* plot_rasp.c - pictures of RASP: how an s-op is computed, and what a selector selects. */

#include "commands/plots/plots.h"
#include "rasp.h"

/* An input of characters, as one string; false if it is none. */
static bool write_string(const ThRasp *r, const ThRaspSeq *input, ThText *t)
{
    ThText all TH_OWNED(th_text_free) = {0};
    bool characters = input->kind == TH_RASP_ATOM_STRING;
    for (size_t i = 0; characters && i < input->n; i++) {
        size_t before = all.size;
        th_rasp_write_element(r, th_rasp_seq_at(input, i), &all);
        characters = !all.failed && th_utf8_length(all.data + before) == 1;
    }
    if (characters)
        th_text_printf(t, "\"%s\"", th_text_string(&all));
    return characters;
}

/* NAME(INPUT), as it would be typed. */
static char *title_of(ShSession *s, const char *name, const ThRaspRun *run, ThError *err)
{
    const ThRaspSeq *input = th_rasp_run_input(run);
    ThText t = {0};
    th_text_printf(&t, "%s(", name);
    if (!write_string(s->rasp, input, &t)) {
        th_text_add(&t, "[");
        th_rasp_write_elements(s->rasp, input, &t);
        th_text_add(&t, "]");
    }
    th_text_add(&t, ")");
    return th_text_take(&t, err);
}

static bool draw(ShSession *s, ThFigure *f, const char *name, ThRaspSop node, ThRaspRun *run,
                 ThError *err)
{
    char *title TH_OWNED(free) = title_of(s, name, run, err);
    bool selector = th_rasp_is_selector(th_rasp_graph(s->rasp), node);
    return title && (selector ? th_plot_selector(f, title, s->rasp, run, node, sh_stop(s), err)
                              : th_plot_flow(f, title, s->rasp, run, node, sh_stop(s), err));
}

/* The first operand as an s-op or selector, the second as its input; without one, the example. */
static bool draw_call(ShSession *s, const ShCall *call, ThRaspValueKind kind, ThFigure *f,
                      ThError *err)
{
    const ShOperand *o = &call->operand[0], *input = call->n > 1 ? &call->operand[1] : NULL;
    ThRaspValue v;
    bool selector = kind == TH_RASP_VALUE_SELECTOR;
    if (!sh_is_rasp(o->object->kind) || !sh_rasp_value_of(s, o->object, &v, err) || v.kind != kind)
        return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is no %s", o->text,
                               selector ? "selector" : "s-op");
    int which = selector ? TH_RASP_FOR_SELECTORS : TH_RASP_FOR_SOPS;
    ThRaspRun *run = input ? th_rasp_run_on_text(s->rasp, input->text, err)
                           : th_rasp_example_run(s->rasp, which);
    bool ok = run && draw(s, f, o->text, v.as.sop, run, err);
    if (input)
        th_rasp_run_free(run);
    return ok || sh_error_inside(err, input ? input : o);
}

bool sh_draw_rasp(ShSession *s, ThRaspSop sop, const ThRaspSeq *input, ThError *err)
{
    const char *name = th_rasp_name_of(th_rasp_graph(s->rasp), sop);
    ThRaspRun *run TH_OWNED(th_rasp_run_free) =
        th_rasp_run_new(th_rasp_graph(s->rasp), input, 0, err);
    ThFigure f = {0};
    bool ok = run && draw(s, &f, name ? name : "s-op", sop, run, err);
    return sh_finish_plot(s, &(ShCall){0}, &f, ok, err);
}

SH_PLOT(plot_flow, .summary = "draw how an s-op is computed",
        .detail =
            "The transformer that would compute an s-op of RASP, from top to bottom: the input, "
            "then a box for each layer.  In a layer stand its heads, one for each selector: the "
            "keys above, the queries at the left, and what each query selects; below, the values "
            "that come in, where they go, and the mean that comes out.  Under the heads are the "
            "element-wise s-ops of the layer.  Those without a name have a number.\n\n"
            "Without an input the current example is taken (set example); the input's characters "
            "are the tokens, 64 at most.  draw(SOP, INPUT) does the same among statements of RASP.",
        .example = "examples off\n"
                   "same = select(tokens, tokens, ==);\n"
                   "#>      selector: same\n"
                   "hist = selector_width(same);\n"
                   "#>      s-op: hist\n"
                   "plot flow hist banana > \"hist.svg\"",
        .args = {{A_OBJECT, "SOP", 0}, {A_INPUT, "INPUT", A_OPTIONAL}})
{
    return draw_call(s, call, TH_RASP_VALUE_SOP, f, err);
}

SH_PLOT(plot_selector, .summary = "draw what a selector selects",
        .detail = "The matrix of a selector of RASP: the keys above, the queries at the left, a "
                  "row for each query.  Without an input the current example is taken (set "
                  "example); the input's characters are the tokens, 64 at most.",
        .example = "examples off\n"
                   "before = select(indices, indices, <);\n"
                   "#>      selector: before\n"
                   "plot selector before abcde > \"before.svg\"",
        .args = {{A_OBJECT, "SELECTOR", 0}, {A_INPUT, "INPUT", A_OPTIONAL}})
{
    return draw_call(s, call, TH_RASP_VALUE_SELECTOR, f, err);
}
