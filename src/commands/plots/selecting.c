/* selecting.c - where the heads of a compiled program look, beside what its selectors select. */
#include "commands/plots/selecting.h"

#include <math.h>

#include "commands/inspection/inspect.h"
#include "commands/modelling.h"
#include "rasp.h"

typedef struct {
    ShSession *s;
    const ShCall *call;
    ThCompileProgram program;
    int *token, n; /* the input */
    ThModelTrace *trace;
    ThRaspRun *run;
    ThCompileProgramHead *head;
    ThPlotSelecting *shown; /* (n_heads) */
    size_t n_heads;
    double outside; /* the greatest weight that is not selected */
} Selecting;

/* ---- finding --------------------------------------------------------------------------------- */

static bool find_program(Selecting *x, ThRaspAtom **letter, ThError *err)
{
    const ThModel *m = x->call->operand[0].object->as.model;
    const ShOperand *sop = &x->call->operand[2];
    ThRaspValue v = {0};
    if (!sh_is_rasp(sop->object->kind) || !sh_rasp_value_of(x->s, sop->object, &v, err) ||
        v.kind != TH_RASP_VALUE_SOP)
        return sh_fail_operand(err, sop, TH_EUSAGE, "'%s' is no s-op", sop->text);
    if (strcmp(m->kind->name, "bare") != 0 || !m->bound)
        return sh_fail_operand(err, &x->call->operand[0], TH_EVALUE,
                               "the model was not compiled from an s-op");
    ThRaspGraph *g = th_rasp_graph(x->s->rasp);
    *letter = th_rasp_letters(g, m->signature.symbol, m->signature.n_symbols, err);
    x->program = (ThCompileProgram){.graph = g,
                                    .sop = v.as.sop,
                                    .letter = *letter,
                                    .name = m->signature.symbol,
                                    .n_letters = m->signature.n_symbols,
                                    .length = (int)th_option_int(&m->options, "longest") - 1,
                                    .stop = sh_stop(x->s)};
    return *letter && (x->head = th_compile_program_heads(&x->program, &x->n_heads, err));
}

/* The model has a head for each of the program's. */
static bool has_heads(const Selecting *x)
{
    bool fits = true;
    for (size_t i = 0; i < x->n_heads; i++)
        fits = fits && x->head[i].layer < x->trace->n_layers &&
               x->head[i].head < x->trace->layer[x->head[i].layer].n_heads;
    return fits;
}

static bool run_program(Selecting *x, ThError *err)
{
    ThRaspSeq input TH_OWNED(th_rasp_seq_free) = {0};
    ThRaspAtom *atom TH_OWNED(free) = th_alloc((size_t)x->n, sizeof *atom, err);
    for (int i = 0; atom && i < x->n; i++)
        atom[i] = x->program.letter[x->token[i]];
    if (atom && th_rasp_seq_of(atom, (size_t)x->n, &input, err))
        x->run = th_rasp_run_new(x->program.graph, &input, 0, err);
    return x->run != NULL;
}

static void take_weights(Selecting *x, const ThCompileProgramHead *h, ThPlotSelecting *to)
{
    const ThModelTraceLayer *l = &x->trace->layer[h->layer];
    for (int i = 0; i < l->n_rows; i++)
        for (int k = 0; k < l->n_keys; k++) {
            int key = l->key[i * l->n_keys + k];
            double weight = l->weight[(h->head * l->n_rows + i) * l->n_keys + k];
            if (key == TH_MODEL_KEY_MASKED)
                continue;
            to->weight[l->last[i] * (x->n + 1) + key + 1] = weight; /* a pad is -1: the beginning */
            if (key >= 0 && !to->selected[l->last[i] * x->n + key])
                x->outside = fmax(x->outside, weight);
        }
}

static bool find_head(Selecting *x, const ThCompileProgramHead *h, ThPlotSelecting *to,
                      ThError *err)
{
    enum { LONGEST = 60 };
    ThText name = {0};
    th_rasp_describe(x->program.graph, h->selector, NULL, LONGEST, &name);
    th_text_add(&name, h->width ? " (width)" : h->ranked ? " (greatest or least)" : "");
    to->layer = h->layer;
    to->head = h->head;
    to->selector = th_text_take(&name, err);
    to->selected = th_rasp_run_grid(x->run, h->selector, sh_stop(x->s), err);
    to->weight = th_alloc((size_t)x->n * ((size_t)x->n + 1), sizeof *to->weight, err);
    if (!to->selector || !to->selected || !to->weight)
        return false;
    take_weights(x, h, to);
    return true;
}

static bool find_all(Selecting *x, ThError *err)
{
    ThRaspAtom *letter TH_OWNED(free) = NULL;
    x->trace = sh_call_trace(x->call, &x->token, err);
    bool ok = x->trace && find_program(x, &letter, err);
    x->n = x->trace ? x->trace->length : 0;
    if (ok && !has_heads(x))
        ok = sh_fail_operand(err, &x->call->operand[2], TH_EVALUE,
                             "the model was compiled from another s-op");
    ok = ok && run_program(x, err) && (x->shown = th_alloc(x->n_heads, sizeof *x->shown, err));
    for (size_t i = 0; ok && i < x->n_heads; i++)
        ok = find_head(x, &x->head[i], &x->shown[i], err);
    return ok;
}

static void free_all(Selecting *x)
{
    for (size_t i = 0; x->shown && i < x->n_heads; i++)
        TH_FREE(x->shown[i].selector, x->shown[i].selected, x->shown[i].weight);
    TH_FREE(x->shown, x->head, x->token);
    th_rasp_run_free(x->run);
    th_model_trace_free(x->trace);
}

/* ---- showing --------------------------------------------------------------------------------- */

static void list_cells(const Selecting *x)
{
    sh_table(x->s, "cells", "layer:i head:i selector:s query:i key:i selected:b weight:r");
    for (size_t h = 0; h < x->n_heads; h++)
        for (int i = 0; i < x->n; i++)
            for (int k = -1; k < x->n; k++)
                sh_row(x->s, (long long)x->head[h].layer + 1, (long long)x->head[h].head + 1,
                       x->shown[h].selector, (long long)i, (long long)k,
                       k < 0 ? (int)x->head[h].width : (int)x->shown[h].selected[i * x->n + k],
                       x->shown[h].weight[i * (x->n + 1) + k + 1]);
    sh_table_end(x->s);
}

static void print_head(const Selecting *x, const ThPlotSelecting *h, FILE *out)
{
    char *const *symbol = x->call->operand[0].object->as.model->signature.symbol;
    fprintf(out, "\nlayer %d, head %d: %s\n  %-4s", h->layer + 1, h->head + 1, h->selector, "");
    for (int k = 0; k < x->n; k++)
        fprintf(out, " %-2s", symbol[x->token[k]]);
    fprintf(out, "   begin");
    for (int k = 0; k < x->n; k++)
        fprintf(out, " %5s", symbol[x->token[k]]);
    for (int i = 0; i < x->n; i++) {
        fprintf(out, "\n  %-4s", symbol[x->token[i]]);
        for (int k = 0; k < x->n; k++)
            fprintf(out, " %-2s", h->selected[i * x->n + k] ? "1" : ".");
        fprintf(out, "  ");
        for (int k = 0; k <= x->n; k++)
            fprintf(out, " %5.3f", h->weight[i * (x->n + 1) + k]);
    }
    fprintf(out, "\n");
}

bool sh_show_selecting(ShSession *s, const ShCall *call, ThError *err)
{
    Selecting x = {.s = s, .call = call};
    bool ok = find_all(&x, err);
    FILE *out = sh_out(s);
    if (ok) {
        sh_about_model(s, call->operand[0].object, NULL);
        for (size_t i = 0; out && i < x.n_heads; i++)
            print_head(&x, &x.shown[i], out);
        if (!out)
            list_cells(&x);
        sh_say(s, "\nbeside what is selected the heads look with a weight of %.2g at most\n",
               x.outside);
        sh_results(s, "heads:i outside:r", (long long)x.n_heads, x.outside);
    }
    free_all(&x);
    return ok;
}

bool sh_plot_selecting(ThFigure *f, ShSession *s, const ShCall *call, ThError *err)
{
    Selecting x = {.s = s, .call = call};
    ThText title TH_OWNED(th_text_free) = {0};
    bool ok = find_all(&x, err);
    if (ok) {
        const ThModel *m = call->operand[0].object->as.model;
        ThPlotInput in = {x.token, x.n, m->signature.symbol};
        th_text_printf(&title, "heads of %s beside the selectors of %s",
                       call->operand[0].object->name, call->operand[2].text);
        th_plot_selecting(f, th_text_string(&title), x.shown, x.n_heads, &in);
    }
    free_all(&x);
    return ok;
}
