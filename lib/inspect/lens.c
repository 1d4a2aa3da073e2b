#include "inspect/lens.h"

/* Room for the rows of one more layer. */
static bool make_room(ThInspectLens *l, int more, ThError *err)
{
    size_t rows = (size_t)l->n_rows + (size_t)more, have_rows = (size_t)l->n_rows;
    size_t cells = rows * (size_t)l->n_classes, have = (size_t)l->n_rows * (size_t)l->n_classes;
    return th_grow(&l->row, &have_rows, rows, sizeof *l->row, err) &&
           th_grow(&l->logits, &have, cells, sizeof *l->logits, err);
}

/* Where a model pools its vectors there is one answer for all of them. */
static bool add_layer(ThInspectLens *l, const ThModel *m, ThTape *t, const ThModelTrace *trace,
                      int layer, ThError *err)
{
    const ThModelTraceLayer *of = &trace->layer[layer];
    ThVar z = m->kind->answer(m, t, th_model_level(m, t, layer));
    if (!th_tape_ok(t, err))
        return false;
    int n = th_tape_rows(t, z), before = n > 1 ? of->before : 0, rows = n > 1 ? of->n_rows : 1;
    size_t width = (size_t)l->n_classes, from = (size_t)before * width;
    double *all TH_OWNED(free) = th_alloc((size_t)n * width, sizeof *all, err);
    bool ok = all && make_room(l, rows, err);
    if (ok)
        th_tape_read(t, z, all);
    for (int i = 0; ok && i < rows; i++) {
        bool whole = rows < of->n_rows;
        l->row[l->n_rows] = (ThInspectLensRow){.layer = layer,
                                               .first = whole ? 0 : of->first[i],
                                               .last = whole ? trace->length - 1 : of->last[i]};
        for (size_t c = 0; c < width; c++)
            l->logits[(size_t)l->n_rows * width + c] = all[from + (size_t)i * width + c];
        l->n_rows++;
    }
    return ok;
}

static bool fill(ThInspectLens *l, const ThModel *m, ThTape *t, int *token, int length,
                 ThError *err)
{
    ThModelTrace *trace TH_OWNED(th_model_trace_free) = th_model_trace_on(m, t, token, length, err);
    bool ok = trace != NULL;
    l->n_classes = m->signature.n_classes;
    l->n_layers = ok ? trace->n_layers : 0;
    for (int i = 0; ok && i < l->n_layers; i++)
        ok = add_layer(l, m, t, trace, i, err);
    for (int i = 0; i < l->n_rows; i++)
        l->row[i].logit = l->logits + (size_t)i * (size_t)l->n_classes;
    return ok;
}

ThInspectLens *th_inspect_lens(const ThModel *m, const int *token, int length, ThError *err)
{
    if (!m->bound || length < 1)
        return th_null(th_fail(err, TH_EVALUE,
                               m->bound ? "a model reads at least one symbol"
                                        : "the model has not been trained yet"));
    if (m->signature.pairs)
        return th_null(th_fail(err, TH_EVALUE,
                               "the model answers about pairs, and no vector is about both sides"));
    if (!th_model_need_levels(m, err))
        return NULL;
    ThInspectLens *l = th_alloc(1, sizeof *l, err);
    ThTape *t TH_OWNED(th_tape_free) = th_model_run_tape(m, 1, err);
    int *copy TH_OWNED(free) = th_copy(token, (size_t)length, sizeof *token, err);
    return TH_KEEP_IF(l && t && copy && fill(l, m, t, copy, length, err), l, th_inspect_lens_free);
}

void th_inspect_lens_free(ThInspectLens *l)
{
    if (!l)
        return;
    TH_FREE(l->row, l->logits, l);
}
