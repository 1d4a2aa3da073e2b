/* plot_levels.c - drawing an answer for every vector of a model: lens and patch. */

#include "commands/inspection/ablation.h"
#include "commands/inspection/inspect.h"
#include "commands/plots/plots.h"
#include "plot/views.h"

/* The cells of a figure, whose texts are its own. */
typedef struct {
    ThPlotLevelCell *cell;
    char **text;
    int n;
} Cells;

static bool start_cells(Cells *c, int most, ThError *err)
{
    c->cell = th_alloc((size_t)most, sizeof *c->cell, err);
    c->text = th_alloc((size_t)most, sizeof *c->text, err);
    return c->cell && c->text;
}

static bool add_cell(Cells *c, const ThSignature *g, ThPlotLevelCell cell, const double *logit,
                     ThError *err)
{
    ThText t = {0};
    sh_write_logits(&t, g, logit);
    c->text[c->n] = th_text_take(&t, err);
    cell.text = c->text[c->n];
    c->cell[c->n] = cell;
    return c->text[c->n++] != NULL;
}

static void free_cells(Cells *c)
{
    for (int i = 0; i < c->n; i++)
        free(c->text[i]);
    TH_FREE(c->text, c->cell);
}

static ThPlotLevels view_of(const ShCall *call, const Cells *c, const int *token)
{
    const ThModel *m = call->operand[0].object->as.model;
    return (ThPlotLevels){.cell = c->cell,
                          .n = c->n,
                          .n_classes = m->signature.n_classes,
                          .segments = m->kind->combine != NULL,
                          .label = m->signature.label,
                          .symbol = m->signature.symbol,
                          .token = token};
}

static bool draw_lens(ThFigure *f, const ShCall *call, const ThInspectLens *l, const int *token,
                      int length, ThError *err)
{
    const ThSignature *g = &call->operand[0].object->as.model->signature;
    Cells c = {0};
    bool ok = start_cells(&c, l->n_rows, err);
    for (int i = 0; ok && i < l->n_rows; i++) {
        const ThInspectLensRow *r = &l->row[i];
        ThPlotLevelCell cell = {r->layer, r->first, r->last, NULL,
                                th_inspect_probability(g, r->logit, r->logit)};
        ok = add_cell(&c, g, cell, r->logit, err);
    }
    ThPlotLevels v = view_of(call, &c, token);
    v.n_layers = l->n_layers;
    v.length = length;
    v.what = "what the read-out makes of every vector; stronger: more probable";
    char *title TH_OWNED(free) = th_printed(NULL, "lens of %s", call->operand[0].object->name);
    ok = ok && th_plot_levels(f, title ? title : "", &v, err);
    free_cells(&c);
    return ok;
}

SH_PLOT(plot_lens, .summary = "draw what a model would answer after each level",
        .detail = "A box for every vector, over the symbols that it has read (of a Transformer at "
                  "its position), with the answer of the read-out as its colour, the stronger the "
                  "more probable.  lens prints the numbers and explains them.",
        .example = "task p = parity\n"
                   "compile p as m > \"proof.txt\"\n"
                   "plot lens m \"abbabbba\" > \"lens.svg\"",
        .args = {{A_MODEL, "MODEL", 0}, {A_INPUT, "INPUT", 0}})
{
    int *token TH_OWNED(free) = NULL, length;
    ThInspectLens *l TH_OWNED(th_inspect_lens_free) = sh_call_lens(call, &token, &length, err);
    return l && draw_lens(f, call, l, token, length, err);
}

static bool draw_patch(ThFigure *f, const ShCall *call, const ThInspectPatch *p, const int *token,
                       ThError *err)
{
    const ThSignature *g = &call->operand[0].object->as.model->signature;
    Cells c = {0};
    bool ok = start_cells(&c, p->n_rows, err);
    for (int i = 0; ok && i < p->n_rows; i++) {
        const ThInspectPatchRow *r = &p->row[i];
        ThPlotLevelCell cell = {r->layer, r->first, r->last, NULL,
                                th_inspect_probability(g, r->logit, p->source)};
        ok = add_cell(&c, g, cell, r->logit, err);
    }
    ThPlotLevels v = view_of(call, &c, token);
    v.n_layers = p->n_layers;
    v.length = p->length;
    v.what = "the answer with this vector replaced; stronger: nearer to that of the other string";
    char *title TH_OWNED(free) =
        th_printed(NULL, "%s with vectors of another string", call->operand[0].object->name);
    ok = ok && th_plot_levels(f, title ? title : "", &v, err);
    free_cells(&c);
    return ok;
}

SH_PLOT(
    plot_patch, .summary = "draw what is answered when a vector is replaced",
    .detail =
        "A box for every vector of the model while it reads the second WORD, with the answer that "
        "it gives when this vector is replaced by that of the first; the stronger the colour, the "
        "more probable is the answer to the first.  patch prints the numbers and explains them.",
    .example = "task p = parity\n"
               "compile p as m > \"proof.txt\"\n"
               "plot patch m from \"abababab\" to \"abbbbaba\" > \"patch.svg\"",
    .args = {{A_MODEL, "MODEL", 0},
             {A_KEYWORD, "from", 0},
             {A_INPUT, "WORD", 0},
             {A_KEYWORD, "to", 0},
             {A_INPUT, "WORD", 0}},
    .options = sh_patch_options)
{
    int *word[2] = {0};
    ThInspectPatch *p TH_OWNED(th_inspect_patch_free) = sh_call_patch(s, call, word, err);
    bool ok = p && draw_patch(f, call, p, word[1], err);
    TH_FREE(word[0], word[1]);
    return ok;
}
