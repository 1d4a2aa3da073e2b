/* plot_levels.c - drawing an answer for every vector of a model: lens and patch. */

#include "commands/inspection/ablation.h"
#include "commands/inspection/inspect.h"
#include "commands/plots/plots.h"

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

static void free_cells(Cells *c)
{
    TH_FREE_EACH(c->text, c->n);
    free(c->cell);
}

/* A box for a vector, with the answer that these logits give. */
static bool add_cell(Cells *c, const ThSignature *g, const ThInspectLensRow *r, const double *of,
                     ThError *err)
{
    char *text = c->text[c->n] = sh_logits_text(g, r->logit, err);
    double share = th_inspect_probability(g, r->logit, of ? of : r->logit);
    c->cell[c->n++] = (ThPlotLevelCell){r->layer, r->first, r->last, text, share};
    return text != NULL;
}

/* The rows of a lens or of a patch; `of`: the logits whose answer the shares are of, or NULL: each
 * row's own. */
typedef struct {
    const ThInspectLensRow *row;
    int n_rows, n_layers, length;
    const int *token;
    const double *of;
    const char *what, *before, *behind; /* in the title, the name of the model */
} Drawn;

static bool draw(ThFigure *f, const ShCall *call, const Drawn *d, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    const ThModel *m = o->as.model;
    Cells c = {0};
    bool ok = start_cells(&c, d->n_rows, err);
    for (int i = 0; ok && i < d->n_rows; i++)
        ok = add_cell(&c, &m->signature, &d->row[i], d->of, err);
    ThPlotLevels v = {.cell = c.cell,
                      .n = c.n,
                      .n_layers = d->n_layers,
                      .length = d->length,
                      .n_classes = m->signature.n_classes,
                      .segments = m->kind->combine != NULL,
                      .label = m->signature.label,
                      .symbol = m->signature.symbol,
                      .token = d->token,
                      .what = d->what};
    char *title TH_OWNED(free) = th_printed(NULL, "%s%s%s", d->before, o->name, d->behind);
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
    return l && draw(f, call,
                     &(Drawn){.row = l->row,
                              .n_rows = l->n_rows,
                              .n_layers = l->n_layers,
                              .length = length,
                              .token = token,
                              .what = "what the read-out makes of every vector; stronger: more "
                                      "probable",
                              .before = "lens of ",
                              .behind = ""},
                     err);
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
    bool ok = p && draw(f, call,
                        &(Drawn){.row = p->row,
                                 .n_rows = p->n_rows,
                                 .n_layers = p->n_layers,
                                 .length = p->length,
                                 .token = word[1],
                                 .of = p->source,
                                 .what = "the answer with this vector replaced; stronger: nearer "
                                         "to that of the other string",
                                 .before = "",
                                 .behind = " with vectors of another string"},
                        err);
    TH_FREE(word[0], word[1]);
    return ok;
}
