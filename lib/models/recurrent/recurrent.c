#include "models/recurrent/recurrent.h"

#include <math.h>

const ThOptionSpec th_model_recurrent_options[] = {TH_MODEL_RECURRENT_OPTIONS,
                                                   {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* ---- parameters ---- */

/* Drawn as Haiku does. */
static int matrix(ThModelBuilder *b, const char *name, int rows, int cols, int fan_in)
{
    return th_model_build(b, name, rows, cols, TH_INIT_TRUNCATED, 1 / sqrt(fan_in));
}

static int bias(ThModelBuilder *b, const char *name, int cols)
{
    return name ? th_model_build_vector(b, name, cols, TH_INIT_ZERO) : -1;
}

/* The first layer's parameters have the names alone, those of the others layer1.NAME, … */
static void build_layer(ThModelBuilder *b, ThModelRecurrent *r, int number)
{
    const ThModelRecurrentCell *cell = r->cell;
    ThModelRecurrentLayer *l = &r->layer[number];
    /* A row more than symbols, as in the papers' baselines, which reserve it. */
    int inputs = number == 0 ? b->m->signature.n_symbols + 1 : r->dim, H = r->dim;
    int width = cell->gates * H;
    b->layer = number > 0 ? number : -1;
    l->table = matrix(b, "input", inputs, width, cell->joined ? inputs + H : inputs);
    if (number > 0)
        th_param_hidden(&b->m->params, l->table, cell->gates);
    l->bias[0] = bias(b, cell->bias[0], width);
    l->recurrent = matrix(b, "recurrent", H, width, cell->joined ? inputs + H : H);
    th_param_hidden(&b->m->params, l->recurrent, cell->gates);
    l->bias[1] = bias(b, cell->bias[1], cell->candidate ? H : width);
    b->layer = -1;
}

static void build_head(ThModelBuilder *b, ThModelRecurrent *r)
{
    static const ThOpMap reads[] = {TH_MAP_RELU, TH_TAPE_MAPS, TH_MAP_TANH}; /* head= */
    static const ThOpMap maps[] = {TH_MAP_RELU, TH_MAP_TANH, TH_MAP_GELU};   /* head_activation= */
    const ThOptions *o = &b->m->options;
    ThModelRecurrentHead *h = &r->head;
    int units = (int)th_option_int(o, "head_hidden");
    *h = (ThModelRecurrentHead){.reads = reads[th_option_choice(o, "head")],
                                .activation = maps[th_option_choice(o, "head_activation")],
                                .hidden = -1,
                                .hidden_bias = -1};
    if (units > 0) {
        h->hidden = th_model_build_matrix(b, "head_hidden", r->dim, units);
        h->hidden_bias = bias(b, "head_hidden_bias", units);
    }
    h->last = th_model_build_head(b, units > 0 ? units : r->dim);
}

bool th_model_recurrent_bind(ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    ThModelRecurrent *r = m->layout = th_alloc(1, sizeof *r, err);
    if (!r)
        return false;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    r->cell = m->kind->part;
    if (th_option_known(o, "activation") && th_option_choice(o, "activation") == 1)
        r->cell = r->cell->tanh;
    r->layers = (int)th_option_int(o, "layers");
    r->dim = (int)th_option_int(o, "dim");
    r->forget = th_option_known(o, "forget") ? th_option_real(o, "forget") : 0;
    for (int i = 0; i < r->layers; i++)
        build_layer(&b, r, i);
    build_head(&b, r);
    return !b.failed;
}

/* ---- forward ---- */

static ThVar add_biases(ThTape *t, const ThModelRecurrent *r, const ThModelRecurrentLayer *l,
                        ThVar x)
{
    for (int i = 0; i < 2 - r->cell->candidate; i++)
        if (l->bias[i] >= 0)
            x = th_op_add_row(t, x, th_param(t, l->bias[i]));
    return x;
}

/* What the symbols add to the gates: the table itself with s->index set to the tokens, or, where
 * each position is inspected, its row at every position. */
static ThVar read_symbols(const ThModelRecurrent *r, ThTape *t, const ThBatch *b, bool share,
                          ThOpSequence *s)
{
    ThVar table = add_biases(t, r, &r->layer[0], th_param(t, r->layer[0].table));
    if (share) {
        s->index = b->token;
        return table;
    }
    ThVar x = th_op_rows(t, table, b->token, b->B * b->T, 1);
    return th_tape_tag(t, x, "embedding", -1);
}

ThVar th_model_recurrent_advance(const ThModel *m, ThTape *t, ThVar state, const int *symbol, int n)
{
    const ThModelRecurrent *r = m->layout;
    ThVar table = add_biases(t, r, &r->layer[0], th_param(t, r->layer[0].table));
    ThVar x = th_op_rows(t, table, symbol, n, 1), next[TH_MODEL_RECURRENT_LAYERS];
    if (r->layers == 1)
        return r->cell->step(r, t, &r->layer[0], x, state);
    for (int i = 0, own = th_tape_cols(t, state) / r->layers; i < r->layers; i++) {
        const ThModelRecurrentLayer *l = &r->layer[i];
        if (i > 0) {
            ThVar h = th_op_columns(t, next[i - 1], 0, r->dim);
            x = add_biases(t, r, l, th_op_linear(t, h, th_param(t, l->table), -1));
        }
        next[i] = r->cell->step(r, t, l, x, th_op_columns(t, state, i * own, own));
    }
    return th_op_beside(t, next, r->layers);
}

static ThVar last_rows(ThTape *t, ThVar h, const ThOpSequence *s)
{
    int *last = th_tape_take(t, (size_t)s->B, sizeof *last);
    for (int b = 0; last && b < s->B; b++)
        last[b] = b * s->T + (s->length ? s->length[b] : s->T) - 1;
    return last ? th_op_rows(t, h, last, s->B, 1) : -1;
}

static ThVar map(ThTape *t, ThVar x, ThOpMap f)
{
    return f == TH_TAPE_MAPS ? x : f == TH_MAP_RELU ? th_op_relu(t, x) : th_op_map(t, x, f);
}

ThVar th_model_recurrent_answer(const ThModel *m, ThTape *t, ThVar h)
{
    const ThModelRecurrentHead *head = &((const ThModelRecurrent *)m->layout)->head;
    ThVar x = map(t, h, head->reads);
    if (head->hidden >= 0) {
        x = th_op_linear(t, x, th_param(t, head->hidden), th_param(t, head->hidden_bias));
        x = map(t, x, head->activation);
    }
    return th_model_head(t, &head->last, x);
}

ThVar th_model_recurrent_forward(const ThModel *m, ThTape *t, const ThBatch *b,
                                 const ThModelForward *how)
{
    const ThModelRecurrent *r = m->layout;
    bool final = m->signature.target == TH_TARGET_FINAL;
    ThOpSequence s = {.B = b->B, .T = b->T, .length = b->length};
    ThVar h = read_symbols(r, t, b, how->share, &s);
    for (int i = 0; i < r->layers; i++) {
        const ThModelRecurrentLayer *l = &r->layer[i];
        if (i > 0) {
            h = add_biases(t, r, l, th_op_linear(t, h, th_param(t, l->table), -1));
            s.index = NULL;
        }
        s.every = !final || !how->share || i + 1 < r->layers;
        h = th_tape_tag(t, r->cell->layer(t, l, h, &s, r->forget), "state", i);
    }
    if (s.every && final)
        h = last_rows(t, h, &s);
    return th_model_recurrent_answer(m, t, h);
}

bool th_model_recurrent_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *trace,
                              ThError *err)
{
    const ThModelRecurrent *r = m->layout;
    ThModelTraceLayer shape = {.n_rows = length, .dim = r->dim};
    if (!th_model_trace_layers(trace, r->layers, err))
        return false;
    for (int k = 0; k < r->layers; k++) {
        ThModelTraceLayer *l = &trace->layer[k];
        if (!th_model_trace_rows(l, &shape, err))
            return false;
        for (int i = 0; i < length; i++)
            l->last[i] = i; /* from 0: the state knows the whole prefix */
        th_tape_read(t, th_tape_find(t, "state", k), l->state);
    }
    return true;
}
