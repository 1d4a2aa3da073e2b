/* The residual stream has a coordinate for each token, one for the symbol that begins a string, one
 * for each position, one for each value of a column that is needed, and one for each number that a
 * head averages (Lindner et al. 2023, whose categorical and numerical variables these are).
 *
 * A head scores 0 where a query does not select a key, `reach` where it does, and half of that at
 * the beginning, which so gets a row that selects nothing.  For a width the beginning scores the
 * full amount, and what a row gets from it is 1/(width + 1).  Units turn numbers into values by
 * steps halfway between those that occur, and tuples of values into one. */
#include "compile/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compile/observe.h"
#include "compile/weights.h"
#include "lab/evaluate.h"

static const double reach = 100;  /* e^(-reach/2) is nothing beside 1 in single precision */
static const double rank_by = 30; /* from a value to the next, where the greatest is taken */
static const double off = 1e9;    /* what keeps units at rest at the beginning of a string */

/* A unit of a layer: what it reads and writes, in the list of entries. */
typedef struct {
    int layer, first, inputs, outputs;
    double bias;
} Unit;

typedef struct {
    int at; /* coordinate */
    double weight;
} Entry;

typedef struct {
    int layer, selector;
    ThCompileGathering how; /* WIDTH: the beginning counts as selected; else ONE */
    int ranked;             /* an aggregate that takes the greatest or least; -1 */
    int width;              /* columns of values */
} Head;

typedef struct {
    const ThCompileObserved *o;
    int *ready;         /* (columns): the layer after which it is there; -1: not needed */
    int *block;         /* (columns): first coordinate */
    int *layer, *raw;   /* (gathered): its layer, and first coordinate */
    int *head, *within; /* (gathered): its head, and first column of values there */
    Head *heads;
    size_t n_heads, cap_heads;
    Unit *unit;
    size_t n_units, cap_units;
    Entry *entry;
    size_t n_entries, cap_entries;
    int stream, layers, most_heads, hidden, head_width;
    int heads_in[65];
} Plan;

static int begin_place(const Plan *p)
{
    return p->o->p->n_letters;
}

static int index_place(const Plan *p)
{
    return p->o->p->n_letters + 1;
}

static void free_plan(Plan *p)
{
    free(p->ready);
    free(p->heads);
    free(p->unit);
    free(p->entry);
}

/* ---- when ------------------------------------------------------------------------------------ */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static const ThCompileGathered *gathered(const Plan *p, int base)
{
    return &p->o->gathered[base - TH_COMPILE_GATHERED];
}

/* Is it known from the symbol alone, or from the position alone? */
static bool is_embedded(const ThCompileColumn *c)
{
    return c->n_bases == 0 || (c->n_bases == 1 && c->base[0] < TH_COMPILE_GATHERED);
}

/* Notes that a column is needed; the layer after which it is there. */
static int need(Plan *p, int column)
{
    const ThCompileColumn *c = &p->o->column[column];
    if (p->ready[column] >= 0)
        return p->ready[column];
    int ready = is_embedded(c) ? 0 : 1;
    for (int i = 0; !is_embedded(c) && i < c->n_bases; i++) {
        if (c->base[i] < TH_COMPILE_GATHERED)
            continue;
        const ThCompileGathered *g = gathered(p, c->base[i]);
        int layer = p->layer[c->base[i] - TH_COMPILE_GATHERED];
        if (g->how != TH_COMPILE_ONE && c->n_bases > 1)
            layer = need(p, g->self) + 1;
        ready = larger(ready, layer);
    }
    return p->ready[column] = ready;
}

static int head_of(Plan *p, const ThCompileGathered *g, int layer, int number, ThError *err)
{
    ThCompileGathering how = g->how == TH_COMPILE_WIDTH ? TH_COMPILE_WIDTH : TH_COMPILE_ONE;
    for (size_t i = 0; i < p->n_heads; i++) {
        const Head *h = &p->heads[i];
        if (h->layer == layer && h->selector == g->selector && h->how == how && h->ranked < 0 &&
            g->order == 0)
            return (int)i;
    }
    if (!th_grow(&p->heads, &p->cap_heads, p->n_heads + 1, sizeof *p->heads, err))
        return -1;
    p->heads[p->n_heads] = (Head){layer, g->selector, how, g->order != 0 ? number : -1, 0};
    p->heads_in[layer]++;
    return (int)p->n_heads++;
}

static int raw_width(const Plan *p, const ThCompileGathered *g)
{
    return g->how == TH_COMPILE_ONE ? p->o->column[g->self].values : 1;
}

static bool schedule_gathered(Plan *p, int i, ThError *err)
{
    const ThCompileGathered *g = &p->o->gathered[i];
    const ThCompileSelector *s = &p->o->selector[g->selector];
    int layer = larger(need(p, s->key), need(p, s->query));
    if (g->column >= 0)
        layer = larger(layer, need(p, g->column));
    if (++layer > 64)
        return th_fail(err, TH_ELIMIT, "the program needs more than 64 layers");
    p->layer[i] = layer;
    p->head[i] = head_of(p, g, layer, i, err);
    if (p->head[i] < 0)
        return false;
    p->within[i] = p->heads[p->head[i]].width;
    p->heads[p->head[i]].width += raw_width(p, g);
    return true;
}

static void place_all(Plan *p)
{
    const ThCompileObserved *o = p->o;
    p->stream = index_place(p) + o->p->length;
    for (size_t i = 0; i < o->n_columns; i++) {
        p->block[i] = p->stream;
        p->stream += p->ready[i] < 0 ? 0 : o->column[i].values;
        p->layers = larger(p->layers, p->ready[i]);
    }
    for (size_t i = 0; i < o->n_gathered; i++) {
        p->raw[i] = p->stream;
        p->stream += raw_width(p, &o->gathered[i]);
        p->layers = larger(p->layers, p->layer[i]);
    }
    p->layers = larger(p->layers, 1);
}

static bool schedule(Plan *p, const ThCompileObserved *o, ThError *err)
{
    size_t columns = o->n_columns, n = o->n_gathered;
    p->o = o;
    p->ready = th_alloc(2 * columns + 4 * n, sizeof *p->ready, err);
    if (!p->ready)
        return false;
    p->block = p->ready + columns;
    p->layer = p->block + columns;
    p->raw = p->layer + n;
    p->head = p->raw + n;
    p->within = p->head + n;
    for (size_t i = 0; i < columns; i++)
        p->ready[i] = -1;
    for (size_t i = 0; i < n; i++)
        if (!schedule_gathered(p, (int)i, err))
            return false;
    need(p, o->output);
    place_all(p);
    return true;
}

/* ---- units ----------------------------------------------------------------------------------- */

static bool add_entry(Plan *p, int at, double weight, ThError *err)
{
    if (!th_grow(&p->entry, &p->cap_entries, p->n_entries + 1, sizeof *p->entry, err))
        return false;
    p->entry[p->n_entries++] = (Entry){at, weight};
    return true;
}

/* A unit that is at rest at the beginning of a string; its inputs, then its outputs are to follow.
 */
static Unit *add_unit(Plan *p, int layer, double bias, ThError *err)
{
    if (!th_grow(&p->unit, &p->cap_units, p->n_units + 1, sizeof *p->unit, err))
        return NULL;
    Unit *u = &p->unit[p->n_units];
    *u = (Unit){layer, (int)p->n_entries, 1, 0, bias};
    if (!add_entry(p, begin_place(p), -off, err))
        return NULL;
    p->n_units++;
    return u;
}

static bool reads(Plan *p, Unit *u, int at, double weight, ThError *err)
{
    u->inputs++;
    return add_entry(p, at, weight, err);
}

static bool writes(Plan *p, Unit *u, int at, double weight, ThError *err)
{
    u->outputs++;
    return add_entry(p, at, weight, err);
}

/* Where the value that a base has in a row is said, before the layer's units. */
static int said_at(const Plan *p, int base, int row)
{
    const ThCompileObserved *o = p->o;
    if (base == TH_COMPILE_TOKENS)
        return o->token[row];
    if (base == TH_COMPILE_INDICES)
        return index_place(p) + o->position[row];
    const ThCompileGathered *g = gathered(p, base);
    int value = o->column[g->self].id[row];
    return value +
           (g->how == TH_COMPILE_ONE ? p->raw[base - TH_COMPILE_GATHERED] : p->block[g->self]);
}

/* One unit for every tuple of values that occurs. */
static bool join(Plan *p, int column, ThError *err)
{
    const ThCompileColumn *c = &p->o->column[column];
    ThIntern seen = {0};
    int *at = th_alloc((size_t)c->n_bases, sizeof *at, err);
    bool ok = at != NULL;
    for (int row = 0; ok && row < p->o->rows; row++) {
        size_t before = seen.n, number;
        for (int i = 0; i < c->n_bases; i++)
            at[i] = said_at(p, c->base[i], row);
        ok = th_intern(&seen, at, (size_t)c->n_bases * sizeof *at, &number, err);
        if (!ok || number < before)
            continue;
        Unit *u = add_unit(p, p->ready[column], 1 - 2 * c->n_bases, err);
        ok = u != NULL;
        for (int i = 0; ok && i < c->n_bases; i++)
            ok = reads(p, u, at[i], 2, err);
        ok = ok && writes(p, u, p->block[column] + c->id[row], 1, err);
    }
    th_intern_free(&seen);
    free(at);
    return ok;
}

/* A number that a head gives, and the value that it stands for. */
typedef struct {
    double raw;
    int value;
} Level;

static int by_raw(const void *a, const void *b)
{
    const Level *x = a, *y = b;
    return (x->raw > y->raw) - (x->raw < y->raw);
}

/* From value `from` to value `to` as the number passes the middle between two levels. */
static bool add_step(Plan *p, int column, int raw, const Level *a, const Level *b, ThError *err)
{
    double middle = (a->raw + b->raw) / 2, slope = 4 / (b->raw - a->raw);
    for (int end = 0; end < 2; end++) {
        double sign = end ? -1 : 1;
        Unit *u = add_unit(p, p->ready[column], -slope * middle + sign / 2, err);
        if (!u || !reads(p, u, raw, slope, err) ||
            !writes(p, u, p->block[column] + b->value, sign, err) ||
            !writes(p, u, p->block[column] + a->value, -sign, err))
            return false;
    }
    return true;
}

static bool add_steps(Plan *p, int column, int raw, const Level *level, int n, ThError *err)
{
    const double same = 1e-9;
    Unit *u = add_unit(p, p->ready[column], 1, err);
    if (!u || !writes(p, u, p->block[column] + level[0].value, 1, err))
        return false;
    for (int i = 1; i < n; i++) {
        const Level *a = &level[i - 1], *b = &level[i];
        if (a->value == b->value)
            continue;
        if (b->raw - a->raw < same * fmax(1, fabs(b->raw)))
            return th_fail(err, TH_EVALUE,
                           "a value depends on more than the average that it is "
                           "computed from");
        if (!add_step(p, column, raw, a, b, err))
            return false;
    }
    return true;
}

/* Steps between the numbers that a head gives. */
static bool step(Plan *p, int column, ThError *err)
{
    const ThCompileColumn *c = &p->o->column[column];
    const ThCompileGathered *g = gathered(p, c->base[0]);
    Level *level = th_alloc((size_t)p->o->rows, sizeof *level, err);
    bool ok = level != NULL;
    for (int row = 0; ok && row < p->o->rows; row++)
        level[row] = (Level){g->raw[row], c->id[row]};
    if (ok) {
        qsort(level, (size_t)p->o->rows, sizeof *level, by_raw);
        ok = add_steps(p, column, p->raw[c->base[0] - TH_COMPILE_GATHERED], level, p->o->rows, err);
    }
    free(level);
    return ok;
}

static bool add_units(Plan *p, ThError *err)
{
    int units[65] = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < p->o->n_columns; i++) {
        const ThCompileColumn *c = &p->o->column[i];
        if (p->ready[i] <= 0)
            continue;
        bool steps = c->n_bases == 1 && gathered(p, c->base[0])->how != TH_COMPILE_ONE;
        ok = steps ? step(p, (int)i, err) : join(p, (int)i, err);
    }
    for (size_t i = 0; i < p->n_units; i++)
        p->hidden = larger(p->hidden, ++units[p->unit[i].layer]);
    p->hidden = larger(p->hidden, 1);
    return ok;
}

/* ---- weights --------------------------------------------------------------------------------- */

typedef struct {
    const Plan *p;
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
    const Plan *p = w->p;
    const ThCompileObserved *o = p->o;
    float *embedding = th_compile_weights(w->m, "embedding");
    float *position = th_compile_weights(w->m, "position");
    embedding[o->p->n_letters * w->dim + begin_place(p)] = 1;
    for (int row = 0; row < o->rows; row++) {
        float *token = embedding + o->token[row] * w->dim;
        float *index = position + (o->position[row] + 1) * w->dim;
        token[o->token[row]] = 1;
        index[index_place(p) + o->position[row]] = 1;
        for (size_t i = 0; i < o->n_columns; i++) {
            const ThCompileColumn *c = &o->column[i];
            bool by_index = c->n_bases == 1 && c->base[0] == TH_COMPILE_INDICES;
            if (p->ready[i] == 0)
                (by_index ? index : token)[p->block[i] + c->id[row]] = 1;
        }
    }
}

/* Queries and keys of a head, from column `col` on: as many as the fewer of the two have values. */
static int write_scores(const Work *w, const Head *h, int col, double most)
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

static double most_score(const Plan *p, const Head *h)
{
    if (h->ranked < 0)
        return reach;
    int values = p->o->column[p->o->gathered[h->ranked].column].values;
    return reach + 2 * rank_by * values;
}

static void write_head(const Work *w, const Head *h, int first)
{
    const Plan *p = w->p;
    double root = sqrt(p->head_width), most = most_score(p, h);
    int col = first + write_scores(w, h, first, most);
    float *bias = layer_weights(w, h->layer, "attention.query_bias");
    float *k = layer_weights(w, h->layer, "attention.key_value");
    bias[col] = (float)root;
    k[begin_place(p) * 2 * w->dim + col] = (float)(h->how == TH_COMPILE_WIDTH ? most : most / 2);
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
    const Plan *p = w->p;
    const ThCompileGathered *g = &p->o->gathered[i];
    int layer = p->layer[i], from = first + p->within[i], d = w->dim;
    float *value = layer_weights(w, layer, "attention.key_value") + d + from;
    float *output = layer_weights(w, layer, "attention.output");
    float *begin = value + begin_place(p) * 2 * d;
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
    for (int k = 0; k < raw_width(p, g); k++)
        output[(from + k) * d + p->raw[i] + k] = 1;
}

static void write_heads(const Work *w)
{
    const Plan *p = w->p;
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
    const Plan *p = w->p;
    int used[65] = {0};
    for (size_t i = 0; i < p->n_units; i++) {
        const Unit *u = &p->unit[i];
        int at = used[u->layer]++;
        const Entry *e = p->entry + u->first;
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

static bool set_sizes(Plan *p, ThOptions *o, ThError *err)
{
    int heads = 1;
    for (size_t i = 0; i < p->n_heads; i++) {
        const Head *h = &p->heads[i];
        const ThCompileSelector *s = &p->o->selector[h->selector];
        int keys = p->o->column[s->key].values, queries = p->o->column[s->query].values;
        p->head_width =
            larger(p->head_width, larger(h->width, 1 + (keys < queries ? keys : queries)));
        heads = larger(heads, p->heads_in[h->layer]);
    }
    p->head_width = larger(p->head_width, (p->stream + heads - 1) / heads);
    int dim = heads * p->head_width;
    if (dim > 8192 || p->hidden > 1000000 || p->n_heads > 1024)
        return th_fail(err, TH_ELIMIT, "a model with dim=%d hidden=%d is too large", dim,
                       p->hidden);
    return th_compile_set(o, "dim", dim, err) && th_compile_set(o, "heads", heads, err) &&
           th_compile_set(o, "layers", p->layers, err) &&
           th_compile_set(o, "hidden", p->hidden, err) &&
           th_compile_set(o, "longest", p->o->p->length + 1, err) &&
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

static ThModel *build(Plan *p, const ThTapeBounds *bounds, ThError *err)
{
    ThOptions options = {0};
    ThSignature s = {0};
    ThModel *m = NULL;
    if (th_options_init(&options, th_model_kind("bare")->options, err) &&
        set_sizes(p, &options, err) && sign(&s, p->o, err))
        m = th_compile_blank("bare", &options, &s, bounds, err);
    th_options_free(&options);
    th_signature_free(&s);
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
        ThText word = {0};
        for (int i = 0; i < n; i++)
            th_text_printf(&word, "%s%s", i ? " " : "", o->p->name[o->token[row + i]]);
        th_fail(err, TH_EVALUE, "the model and the program differ on the input %.200s", word.data);
        th_text_free(&word);
        return false;
    }
    return true;
}

ThModel *th_compile_program(const ThCompileProgram *program, const ThTapeBounds *bounds,
                            ThCompileProgramSize *size, ThError *err)
{
    ThCompileObserved o = {0};
    Plan p = {0};
    ThModel *m = NULL;
    if (th_compile_observe(&o, program, err) && schedule(&p, &o, err) && add_units(&p, err))
        m = build(&p, bounds, err);
    bool ok = m && agrees(&o, m, err);
    if (ok) {
        *size = (ThCompileProgramSize){o.inputs, p.layers, (int)p.n_heads, 0, p.stream};
        for (int l = 1; l <= p.layers; l++)
            size->attending += p.heads_in[l] > 0;
    }
    free_plan(&p);
    th_compile_observed_free(&o);
    if (ok)
        return m;
    th_model_free(m);
    return NULL;
}

ThCompileProgramHead *th_compile_program_heads(const ThCompileProgram *program, size_t *n,
                                               ThError *err)
{
    ThCompileObserved o = {0};
    Plan p = {0};
    ThCompileProgramHead *to = NULL;
    int used[65] = {0};
    if (th_compile_observe(&o, program, err) && schedule(&p, &o, err))
        to = th_alloc(p.n_heads, sizeof *to, err);
    *n = to ? p.n_heads : 0;
    for (size_t i = 0; i < *n; i++) {
        const Head *h = &p.heads[i];
        to[i] = (ThCompileProgramHead){h->layer - 1, used[h->layer]++, o.selector[h->selector].node,
                                       h->how == TH_COMPILE_WIDTH, h->ranked >= 0};
    }
    free_plan(&p);
    th_compile_observed_free(&o);
    return to;
}
