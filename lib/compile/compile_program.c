/* The residual stream has a coordinate for each token, one for the symbol that begins a string, one
 * for each position, one for each value of a column that is needed, and one for each number that a
 * head averages (Lindner et al. 2023, whose categorical and numerical variables these are).
 *
 * A head scores 0 where a query does not select a key, `reach` where it does, and half of that at
 * the beginning, which so gets a row that selects nothing.  For a width the beginning scores the
 * full amount, and what a row gets from it is 1/(width + 1).  Units turn numbers into values by
 * steps halfway between those that occur, sums of them likewise, and tuples of values into one. */
#include "compile/compile_program.h"

#include <math.h>
#include <stdio.h>

#include "compile/compile_program_plan.h"
#include "compile/weights.h"
#include "lab/evaluate.h"

static const double reach = 100;  /* e^(-reach/2) is nothing beside 1 in single precision */
static const double rank_by = 30; /* from a value to the next, where the greatest is taken */

/* ---- weights --------------------------------------------------------------------------------- */

typedef struct {
    const ThCompilePlan *p;
    ThModel *m;
    int dim;
} Work;

static float *layer_weights(const Work *w, int layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "layer%d.%s", layer - 1, name);
    return th_compile_weights(w->m, full);
}

static void write_leaves(const Work *w)
{
    const ThCompilePlan *p = w->p;
    const ThCompileObserved *o = p->o;
    float *embedding = th_compile_weights(w->m, "embedding");
    float *position = th_compile_weights(w->m, "position");
    embedding[o->p->n_letters * w->dim + th_compile_plan_begin(p)] = 1;
    for (int row = 0; row < o->rows; row++) {
        float *token = embedding + o->token[row] * w->dim;
        float *index = position + (o->position[row] + 1) * w->dim;
        token[o->token[row]] = 1;
        index[th_compile_plan_index(p) + o->position[row]] = 1;
        for (size_t i = 0; i < o->n_columns; i++) {
            const ThCompileColumn *c = &o->column[i];
            bool by_index = c->n_bases == 1 && c->base[0] == TH_COMPILE_INDICES;
            if (p->ready[i] == 0)
                (by_index ? index : token)[p->block[i] + c->id[row]] = 1;
        }
    }
}

/* Queries and keys of a head, from column `col` on: as many as the fewer of the two have values. */
static int write_scores(const Work *w, const ThCompileHead *h, int col, double most)
{
    const ThCompileObserved *o = w->p->o;
    const ThCompileSelector *s = &o->selector[h->selector];
    int keys = o->column[s->key].values, queries = o->column[s->query].values;
    float *q = layer_weights(w, h->layer, "attention.query") + col;
    float *k = layer_weights(w, h->layer, "attention.key_value") + col;
    double root = sqrt(w->p->head_width);
    bool by_query = queries <= keys;
    for (int a = 0; a < keys; a++)
        for (int b = 0; b < queries; b++) {
            int r = by_query ? b : a;
            double score = s->selects[a * queries + b] > 0 ? most : 0;
            q[(w->p->block[s->query] + b) * w->dim + r] = (float)(root * (by_query ? 1 : score));
            if (by_query)
                k[(w->p->block[s->key] + a) * 2 * w->dim + r] = (float)score;
            else
                k[(w->p->block[s->key] + a) * 2 * w->dim + r] = 1;
        }
    return by_query ? queries : keys;
}

/* The place of a value among all by size, from 0. */
static int rank_of(const ThCompileGathered *g, int values, int value)
{
    int rank = 0;
    for (int i = 0; i < values; i++)
        rank += g->order * (g->number[value] - g->number[i]) > 0;
    return rank;
}

static double most_score(const ThCompilePlan *p, const ThCompileHead *h)
{
    if (h->ranked < 0)
        return reach;
    int values = p->o->column[p->o->gathered[h->ranked].column].values;
    return reach + 2 * rank_by * values;
}

static void write_head(const Work *w, const ThCompileHead *h, int first)
{
    const ThCompilePlan *p = w->p;
    double root = sqrt(p->head_width), most = most_score(p, h);
    int col = first + write_scores(w, h, first, most);
    float *bias = layer_weights(w, h->layer, "attention.query_bias");
    float *k = layer_weights(w, h->layer, "attention.key_value");
    bias[col] = (float)root;
    k[th_compile_plan_begin(p) * 2 * w->dim + col] =
        (float)(h->how == TH_COMPILE_WIDTH ? most : most / 2);
    if (h->ranked < 0)
        return;
    const ThCompileGathered *g = &p->o->gathered[h->ranked];
    int values = p->o->column[g->column].values;
    for (int v = 0; v < values; v++)
        k[(p->block[g->column] + v) * 2 * w->dim + col] = (float)(rank_by * rank_of(g, values, v));
}

/* What a head takes from where it looks, for one aggregate. */
static void write_values(const Work *w, int i, int first)
{
    const ThCompilePlan *p = w->p;
    const ThCompileGathered *g = &p->o->gathered[i];
    int layer = p->layer[i], from = first + p->within[i], d = w->dim;
    float *value = layer_weights(w, layer, "attention.key_value") + d + from;
    float *output = layer_weights(w, layer, "attention.output");
    float *begin = value + th_compile_plan_begin(p) * 2 * d;
    int values = g->column < 0 ? 0 : p->o->column[g->column].values;
    for (int v = 0; v < values; v++) {
        float *row = value + (p->block[g->column] + v) * 2 * d;
        if (g->how == TH_COMPILE_MEAN)
            *row = (float)g->number[v];
        else if (g->to[v] >= 0)
            row[g->to[v]] = 1;
    }
    if (g->how == TH_COMPILE_ONE && g->missing >= 0)
        begin[g->missing] = 1;
    else if (g->how != TH_COMPILE_ONE)
        *begin = (float)(g->how == TH_COMPILE_WIDTH ? 1 : g->missing_number);
    for (int k = 0; k < th_compile_plan_width(p, g); k++)
        output[(from + k) * d + p->raw[i] + k] = 1;
}

static void write_heads(const Work *w)
{
    const ThCompilePlan *p = w->p;
    int used[65] = {0}, first[1024];
    for (size_t i = 0; i < p->n_heads; i++) {
        first[i] = used[p->heads[i].layer]++ * p->head_width;
        write_head(w, &p->heads[i], first[i]);
    }
    for (size_t i = 0; i < p->o->n_gathered; i++)
        write_values(w, (int)i, first[p->head[i]]);
}

static void write_units(const Work *w)
{
    const ThCompilePlan *p = w->p;
    int used[65] = {0};
    for (size_t i = 0; i < p->n_units; i++) {
        const ThCompileUnit *u = &p->unit[i];
        int at = used[u->layer]++;
        const ThCompileEntry *e = p->entry + u->first;
        float *up = layer_weights(w, u->layer, "feed_forward.up");
        float *down = layer_weights(w, u->layer, "feed_forward.down");
        layer_weights(w, u->layer, "feed_forward.up_bias")[at] = (float)u->bias;
        for (int k = 0; k < u->inputs; k++, e++)
            up[e->at * p->hidden + at] += (float)e->weight;
        for (int k = 0; k < u->outputs; k++, e++)
            down[at * w->dim + e->at] += (float)e->weight;
    }
}

static void write_answers(const Work *w)
{
    const ThCompileObserved *o = w->p->o;
    int n = o->column[o->output].values;
    float *head = th_compile_weights(w->m, "head");
    for (int i = 0; i < n; i++)
        head[(w->p->block[o->output] + i) * n + i] = (float)TH_COMPILE_CERTAIN;
}

/* ---- the model ------------------------------------------------------------------------------- */

static bool set_sizes(const ThCompilePlan *p, ThOptions *o, ThError *err)
{
    int dim = p->most_heads * p->head_width;
    if (dim > 8192 || p->hidden > 1000000 || p->n_heads > 1024)
        return th_fail(err, TH_ELIMIT, "a model with dim=%d hidden=%d is too large", dim,
                       p->hidden);
    return th_options_set_int(o, "dim", dim, err) &&
           th_options_set_int(o, "heads", p->most_heads, err) &&
           th_options_set_int(o, "layers", p->layers, err) &&
           th_options_set_int(o, "hidden", p->hidden, err) &&
           th_options_set_int(o, "longest", p->o->p->length + 1, err) &&
           th_options_set(o, "causal", p->o->causal ? "yes" : "no", err);
}

/* Symbols are the letters, classes the values of the output as text; freed with th_signature_free.
 */
static bool sign(ThSignature *s, const ThCompileObserved *o, ThError *err)
{
    const ThCompileColumn *c = &o->column[o->output];
    s->target = TH_TARGET_EVERY;
    s->symbol = th_alloc((size_t)o->p->n_letters, sizeof *s->symbol, err);
    s->label = th_alloc((size_t)c->values, sizeof *s->label, err);
    if (!s->symbol || !s->label)
        return false;
    for (; s->n_symbols < o->p->n_letters; s->n_symbols++)
        if (!(s->symbol[s->n_symbols] = th_strdup(o->p->name[s->n_symbols], err)))
            return false;
    for (; s->n_classes < c->values; s->n_classes++) {
        ThText t = {0};
        th_text_add(&t, "");
        th_rasp_atom_write(th_rasp_atoms(o->p->graph), c->atom[s->n_classes], &t);
        if (!(s->label[s->n_classes] = th_text_take(&t, err)))
            return false;
    }
    return true;
}

static ThModel *build(const ThCompilePlan *p, const ThTapeBounds *bounds, ThError *err)
{
    ThOptions options TH_OWNED(th_options_free) = {0};
    ThSignature s TH_OWNED(th_signature_free) = {0};
    ThModel *m = NULL;
    if (th_options_init(&options, th_model_kind("bare")->options, err) &&
        set_sizes(p, &options, err) && sign(&s, p->o, err))
        m = th_compile_blank("bare", &options, &s, bounds, err);
    if (!m)
        return NULL;
    Work w = {p, m, (int)th_option_int(&m->options, "dim")};
    write_leaves(&w);
    write_heads(&w);
    write_units(&w);
    write_answers(&w);
    return m;
}

/* Runs every input through the model. */
static bool agrees(const ThCompileObserved *o, const ThModel *m, ThError *err)
{
    const int *due = o->column[o->output].id;
    int answer[64];
    for (int row = 0; row < o->rows; row += o->length[row]) {
        int n = o->length[row];
        if (th_stopped(o->p->stop, err) || !th_lab_predict(m, o->token + row, n, answer, err))
            return false;
        if (memcmp(answer, due + row, (size_t)n * sizeof *answer) == 0)
            continue;
        ThText word TH_OWNED(th_text_free) = {0};
        for (int i = 0; i < n; i++)
            th_text_printf(&word, "%s%s", i ? " " : "", o->p->name[o->token[row + i]]);
        return th_fail(err, TH_EVALUE, "the model and the program differ on the input %.200s",
                       word.data);
    }
    return true;
}

ThModel *th_compile_program(const ThCompileProgram *program, const ThTapeBounds *bounds,
                            ThCompileProgramSize *size, ThError *err)
{
    ThCompileObserved o TH_OWNED(th_compile_observed_free) = {0};
    ThCompilePlan p TH_OWNED(th_compile_plan_free) = {0};
    ThModel *m = NULL;
    if (th_compile_observe(&o, program, err) && th_compile_plan(&p, &o, err) &&
        th_compile_plan_units(&p, err))
        m = build(&p, bounds, err);
    bool ok = m && agrees(&o, m, err);
    if (ok) {
        *size = (ThCompileProgramSize){o.inputs, p.layers, (int)p.n_heads, 0, p.stream};
        for (int l = 1; l <= p.layers; l++)
            size->attending += p.heads_in[l] > 0;
    }
    return TH_KEEP_IF(ok, m, th_model_free);
}

ThCompileProgramHead *th_compile_program_heads(const ThCompileProgram *program, size_t *n,
                                               ThError *err)
{
    ThCompileObserved o TH_OWNED(th_compile_observed_free) = {0};
    ThCompilePlan p TH_OWNED(th_compile_plan_free) = {0};
    ThCompileProgramHead *to = NULL;
    int used[65] = {0};
    if (th_compile_observe(&o, program, err) && th_compile_plan(&p, &o, err))
        to = th_alloc(p.n_heads, sizeof *to, err);
    *n = to ? p.n_heads : 0;
    for (size_t i = 0; i < *n; i++) {
        const ThCompileHead *h = &p.heads[i];
        to[i] = (ThCompileProgramHead){h->layer - 1, used[h->layer]++, o.selector[h->selector].node,
                                       h->how == TH_COMPILE_WIDTH, h->ranked >= 0};
    }
    return to;
}
