#include "models/linear/linear.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LAYERS = TH_MODEL_LINEAR_LAYERS };

typedef struct {
    const ThModelLinearLayer *layer;
    int dim, layers, state;
    int embedding;
    int head[2], answer[2];
    double epsilon;
    ThModelNorm norm[MOST_LAYERS], norm2[MOST_LAYERS], last; /* without offsets: RMS norm */
    ThModelGated feed_forward[MOST_LAYERS];
    bool decoder, fed; /* has the option, has feed-forward layers */
    int param[MOST_LAYERS][TH_MODEL_LINEAR_PARAMS];
} Layout;

/* ---- parameters ---- */

void th_model_linear_map(ThModelBuilder *b, const char *name, int rows, int cols, int *param)
{
    char bias[64];
    double bound = 1 / sqrt(rows);
    snprintf(bias, sizeof bias, "%s_bias", name);
    param[0] = th_model_build(b, name, rows, cols, TH_INIT_UNIFORM, bound);
    th_param_hidden(&b->m->params, param[0], 1);
    param[1] = th_model_build(b, bias, 1, cols, TH_INIT_UNIFORM, bound);
}

ThVar th_model_linear_apply(ThTape *t, ThVar x, const int *param)
{
    return th_op_linear(t, x, th_param(t, param[0]), th_param(t, param[1]));
}

bool th_model_linear_check(const ThOptions *o, ThError *err)
{
    static const char *const needs[] = {"mlp_width", "norm_epsilon"};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (th_option_given(o, needs[i]) && !th_option_flag(o, "decoder"))
            return th_fail(err, TH_EUSAGE, "%s= is for decoder=yes", needs[i]);
    return true;
}

static ThModelNorm add_norm(ThModelBuilder *b, const Layout *l, const char *name)
{
    return l->decoder ? th_model_build_rms_norm(b, name, l->dim)
                      : th_model_build_norm(b, name, l->dim);
}

static ThVar norm(ThTape *t, const Layout *l, const ThModelNorm *n, ThVar x)
{
    return l->decoder ? th_model_rms_norm(t, x, n->gain, l->epsilon) : th_model_norm(t, n, x);
}

/* What the options say of what stands around the layers. */
static void read_decoder(Layout *l, const ThOptions *o)
{
    l->decoder = th_option_known(o, "decoder") && th_option_flag(o, "decoder");
    l->epsilon = l->decoder ? th_option_real_or(o, "norm_epsilon", 1e-5) : 0;
    l->fed = l->decoder && th_option_given(o, "mlp_width");
}

static void add_layer(ThModelBuilder *b, Layout *l)
{
    int i = b->layer;
    l->norm[i] = add_norm(b, l, "norm");
    l->layer->add(b, l->param[i]);
    if (!l->fed)
        return;
    l->norm2[i] = add_norm(b, l, "norm2");
    l->feed_forward[i] = th_model_build_gated(b, "feed_forward", l->dim,
                                              (int)th_option_int(&b->m->options, "mlp_width"));
}

bool th_model_linear_bind(ThModel *m, ThError *err)
{
    const ThModelLinearLayer *layer = m->kind->part;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    *l = (Layout){.layer = layer,
                  .dim = (int)th_option_int(&m->options, "dim"),
                  .layers = (int)th_option_int(&m->options, "layers"),
                  .state = layer->state(&m->options)};
    read_decoder(l, &m->options);
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    l->embedding =
        th_model_build(&b, "embedding", m->signature.n_symbols, l->dim, TH_INIT_NORMAL, 1);
    for (b.layer = 0; b.layer < l->layers; b.layer++)
        add_layer(&b, l);
    b.layer = -1;
    if (!layer->norm_after)
        l->last = add_norm(&b, l, "final_norm");
    if (!layer->norm_after && !l->decoder)
        th_model_linear_map(&b, "head", l->dim, l->dim, l->head);
    th_model_linear_map(&b, "answer", l->dim, m->signature.n_classes, l->answer);
    th_param_hidden(&m->params, l->answer[0], 0);
    return !b.failed;
}

/* ---- forward ---- */

/* The states that generation keeps: those of a layer after the last symbols. */
typedef struct {
    const ThModel *m;
    ThTape *tape;
    int B;
    float *state; /* (layers, B, state) */
    bool begun;
} Kept;

ThVar th_model_linear_rows(ThTape *t, const ThModelLinearInput *in, ThVar x)
{
    return in->index ? th_op_rows(t, x, in->index, in->B * in->T, 1) : x;
}

/* The rows before a string stand in front of it. */
static ThVar extended(ThTape *t, const ThModelLinearInput *in, ThVar u, ThVar before, int n)
{
    int E = n + in->T, rows = th_tape_rows(t, before);
    int *index = th_tape_take(t, (size_t)in->B * (size_t)E, sizeof *index);
    for (int p = 0; index && p < in->B * E; p++) {
        int i = p % E, string = p / E;
        if (i >= n)
            index[p] = rows * n + string * in->T + i - n;
        else
            index[p] = rows > 0 ? (rows > 1 ? string * n : 0) + i : -1;
    }
    if (rows > 0)
        u = th_op_stack(t, th_op_reshape(t, before, rows * n, th_tape_cols(t, u)), u);
    return index ? th_op_rows(t, u, index, in->B * E, 1) : -1;
}

/* Of extended strings the rows `first` … first + T - 1. */
static ThVar part_of(ThTape *t, const ThModelLinearInput *in, ThVar x, int n, int first)
{
    int *index = th_tape_take(t, (size_t)in->B * (size_t)in->T, sizeof *index);
    for (int p = 0; index && p < in->B * in->T; p++)
        index[p] = p / in->T * (n + in->T) + p % in->T + first;
    return index ? th_op_rows(t, x, index, in->B * in->T, 1) : -1;
}

ThModelLinearConvolved th_model_linear_convolve(ThTape *t, const ThModelLinearInput *in, ThVar u,
                                                ThVar kernel, ThVar before)
{
    int n = th_tape_rows(t, kernel) - 1;
    if (!in->states || n < 1)
        return (ThModelLinearConvolved){th_op_convolve(t, u, kernel, in->B, in->T), -1};
    u = extended(t, in, u, before, n);
    ThVar recent = part_of(t, in, u, n, 1);
    for (int k = 2; k <= n; k++)
        recent = th_op_beside(t, (ThVar[]){recent, part_of(t, in, u, n, k)}, 2);
    ThVar y = th_op_convolve(t, u, kernel, in->B, n + in->T);
    return (ThModelLinearConvolved){part_of(t, in, y, n, n), recent};
}

static ThVar start_of(ThTape *t, const Layout *l, int layer, const Kept *kept)
{
    if (kept && kept->begun)
        return th_tape_view(t, kept->B, l->state,
                            kept->state + (size_t)layer * (size_t)kept->B * (size_t)l->state);
    return l->layer->start ? l->layer->start(t, l->param[layer]) : -1;
}

/* Rows at the ends of the strings. */
static ThVar ends(ThTape *t, ThVar x, const ThBatch *b)
{
    int *last = th_tape_take(t, (size_t)b->B, sizeof *last);
    for (int i = 0; last && i < b->B; i++)
        last[i] = i * b->T + th_batch_length(b, i) - 1;
    return last ? th_op_rows(t, x, last, b->B, 1) : -1;
}

/* What goes around layer i, which has read x and made y. */
static ThVar put_around(ThTape *t, const Layout *l, int i, const ThModelLinearInput *in, ThVar x,
                        ThVar y)
{
    if (l->layer->norm_after)
        return th_model_norm(t, &l->norm[i], y);
    if (l->decoder)
        y = th_op_add(t, th_model_linear_rows(t, in, x), y);
    if (l->fed)
        y = th_op_add(t, y, th_model_gated(t, &l->feed_forward[i], norm(t, l, &l->norm2[i], y)));
    if (l->decoder)
        return y;
    return i < l->layers - 1 ? th_op_add(t, th_model_linear_rows(t, in, x), y) : y;
}

static ThVar run_layers(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how,
                        const Kept *kept)
{
    const Layout *l = m->layout;
    ThModelLinearInput in = {.B = b->B,
                             .T = b->T,
                             .index = b->token,
                             .length = b->length,
                             .states = kept || !how->share};
    ThVar x = th_param(t, l->embedding);
    if (!how->share) {
        x = th_op_rows(t, x, b->token, b->B * b->T, 1);
        x = th_tape_tag(t, x, "embedding", -1);
        in.index = NULL;
    }
    for (int i = 0; i < l->layers; i++) {
        in.x = l->layer->norm_after ? x : norm(t, l, &l->norm[i], x);
        in.start = start_of(t, l, i, kept);
        if (!how->share)
            th_tape_tag(t, in.x, "input", i);
        ThModelLinearOutput out = l->layer->run(t, &m->options, l->param[i], &in);
        if (in.states)
            th_tape_tag(t, out.state, "state", i);
        x = put_around(t, l, i, &in, x, out.output);
        if (how->noise > 0)
            x = th_op_noise(t, x, how->noise, how->rng);
        x = th_tape_note(t, x, "output", i);
        in.index = NULL;
    }
    return x;
}

ThVar th_model_linear_advance(const ThModel *m, ThTape *t, ThVar state, const int *symbol, int n)
{
    const Layout *l = m->layout;
    ThVar x = norm(t, l, &l->norm[0], th_param(t, l->embedding));
    const ThModelLinearInput in = {
        .x = x, .start = state, .B = n, .T = 1, .index = symbol, .states = true};
    return l->layer->run(t, &m->options, l->param[0], &in).state;
}

ThVar th_model_linear_answer(const ThModel *m, ThTape *t, ThVar x)
{
    const Layout *l = m->layout;
    if (l->layer->norm_after)
        return th_model_linear_apply(t, x, l->answer);
    ThVar y = norm(t, l, &l->last, x);
    if (l->decoder)
        return th_model_linear_apply(t, y, l->answer);
    y = th_op_linear_relu(t, y, th_param(t, l->head[0]), th_param(t, l->head[1]));
    return th_model_linear_apply(t, y, l->answer);
}

ThVar th_model_linear_forward(const ThModel *m, ThTape *t, const ThBatch *b,
                              const ThModelForward *how)
{
    ThVar x = run_layers(m, t, b, how, NULL);
    return th_model_linear_answer(m, t, m->signature.target == TH_TARGET_FINAL ? ends(t, x, b) : x);
}

bool th_model_linear_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *trace,
                           ThError *err)
{
    const Layout *l = m->layout;
    bool ok = th_model_trace_layers(trace, l->layers, err);
    for (int i = 0; ok && i < l->layers; i++) {
        ThModelTraceLayer shape = {.n_rows = length, .dim = l->state};
        ok = th_model_trace_rows(&trace->layer[i], &shape, err);
        for (int k = 0; ok && k < length; k++)
            trace->layer[i].last[k] = k;
        if (ok)
            th_tape_read(t, th_tape_find(t, "state", i), trace->layer[i].state);
    }
    return ok;
}

/* ---- transitions ---- */

static int place_of(const ThModelLinearBlocks *b, int block, int i)
{
    int part = i / b->size;
    return b->first + (part * b->blocks + block) * b->size + i % b->size;
}

static int numbers_of(const ThModelLinearBlocks *b)
{
    return b->complex ? 2 * b->size : b->size;
}

/* What a layer makes of every symbol of a string by itself, once for each start: its own state
 * before the symbol with the blocks' numbers set to zero, and then with number 1, 2, … of each
 * block set to one.  Differences of the results are the columns of the blocks. */
typedef struct {
    int T, tries, state;
    ThModelLinearBlocks blocks;
} Probe;

static ThVar probe_starts(ThTape *t, const Probe *p, ThVar before)
{
    int n = p->T * p->tries, size = p->state;
    float *keep = th_tape_take(t, (size_t)size, sizeof *keep);
    float *unit = th_tape_take(t, (size_t)n * (size_t)size, sizeof *unit);
    int *row = th_tape_take(t, (size_t)n, sizeof *row);
    if (!keep || !unit || !row)
        return -1;
    memset(unit, 0, (size_t)n * (size_t)size * sizeof *unit);
    for (int i = 0; i < size; i++)
        keep[i] = 1;
    for (int k = 0; k < p->blocks.blocks; k++) {
        for (int i = 0; i < p->tries - 1; i++) {
            int at = place_of(&p->blocks, k, i);
            keep[at] = 0;
            for (int s = 0; s < p->T; s++)
                unit[(size_t)(s * p->tries + 1 + i) * (size_t)size + (size_t)at] = 1;
        }
    }
    for (int i = 0; i < n; i++)
        row[i] = i / p->tries;
    ThVar rest = th_op_times_row(t, before, th_tape_constant(t, 1, size, keep));
    return th_op_add(t, th_op_rows(t, rest, row, n, 1), th_tape_constant(t, n, size, unit));
}

static ThVar probe(ThTape *t, const ThModel *m, const int *param, const Probe *p, ThVar x,
                   ThVar before)
{
    const Layout *l = m->layout;
    int n = p->T * p->tries, *index = th_tape_take(t, (size_t)n, sizeof *index);
    for (int i = 0; index && i < n; i++)
        index[i] = i / p->tries;
    ThModelLinearInput in = {.x = x,
                             .start = probe_starts(t, p, before),
                             .B = n,
                             .T = 1,
                             .index = index,
                             .states = true};
    return index && in.start >= 0 ? l->layer->run(t, &m->options, param, &in).state : -1;
}

static void take_transitions(const Probe *p, const double *start, const double *state,
                             const double *tried, ThModelTransitions *to)
{
    size_t width = (size_t)p->state;
    int n = to->size;
    for (int s = 0; s < p->T; s++) {
        const double *row = tried + (size_t)(s * p->tries) * width;
        for (int k = 0; k < to->blocks; k++) {
            size_t at = (size_t)(s * to->blocks + k) * (size_t)n;
            for (int i = 0; i < n; i++) {
                size_t from = (size_t)place_of(&p->blocks, k, i);
                to->start[k * n + i] = start[from];
                to->state[at + (size_t)i] = state[(size_t)s * width + from];
                to->v[at + (size_t)i] = row[from];
                for (int j = 0; j < n; j++)
                    to->a[(at + (size_t)i) * (size_t)n + (size_t)j] =
                        row[(size_t)(1 + j) * width + from] - row[from];
            }
        }
    }
}

static ThVar start_row(ThTape *t, const Layout *l, int layer)
{
    ThVar start = start_of(t, l, layer, NULL);
    float *zeros = start < 0 ? th_tape_take(t, (size_t)l->state, sizeof *zeros) : NULL;
    if (!zeros)
        return start;
    memset(zeros, 0, (size_t)l->state * sizeof *zeros);
    return th_tape_constant(t, 1, l->state, zeros);
}

/* Returns new: a value in double precision, or NULL. */
static double *numbers(const ThTape *t, ThVar v, ThError *err)
{
    size_t n = (size_t)th_tape_rows(t, v) * (size_t)th_tape_cols(t, v);
    double *to = th_alloc(n, sizeof *to, err);
    if (to)
        th_tape_read(t, v, to);
    return to;
}

static bool read_transitions(const Probe *p, const ThTape *t, const ThVar from[3],
                             ThModelTransitions *to, ThError *err)
{
    double *start TH_OWNED(free) = numbers(t, from[0], err),
                  *state TH_OWNED(free) = numbers(t, from[1], err);
    double *tried TH_OWNED(free) = numbers(t, from[2], err);
    bool ok = start && state && tried;
    if (ok)
        take_transitions(p, start, state, tried, to);
    return ok;
}

static bool find_transitions(const ThModel *m, ThTape *t, int layer, ThBatch *b,
                             ThModelTransitions *to, ThError *err)
{
    const Layout *l = m->layout;
    Probe p = {b->T, to->size + 1, l->state, l->layer->blocks(&m->options)};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    run_layers(m, t, b, &(ThModelForward){.share = false}, NULL);
    ThVar state = th_tape_find(t, "state", layer), start = start_row(t, l, layer);
    ThVar before = th_op_stack(t, start, state);
    ThVar tried = probe(t, m, l->param[layer], &p, th_tape_find(t, "input", layer), before);
    return th_tape_ok(t, err) && read_transitions(&p, t, (ThVar[]){start, state, tried}, to, err);
}

ThModelTransitions *th_model_linear_transitions(const ThModel *m, int layer, const int *token,
                                                int length, ThError *err)
{
    const Layout *l = m->layout;
    if (layer < 0 || layer >= l->layers)
        return th_null(
            th_fail(err, TH_EVALUE, "there is no layer %d among %d", layer + 1, l->layers));
    ThModelLinearBlocks shape = l->layer->blocks(&m->options);
    ThBatch b = {.B = 1, .T = length, .token = th_copy(token, (size_t)length, sizeof *token, err)};
    ThModelTransitions *to =
        b.token ? th_model_transitions_new(length, shape.blocks, numbers_of(&shape), err) : NULL;
    ThTape *t TH_OWNED(th_tape_free) = to ? th_model_tape(m, TH_TAPE_DOUBLE, 1, err) : NULL;
    bool ok = t && find_transitions(m, t, layer, &b, to, err);
    free(b.token);
    return TH_KEEP_IF(ok, to, th_model_transitions_free);
}

/* ---- symbol by symbol ---- */

void th_model_linear_close(void *state)
{
    Kept *k TH_OWNED(free) = state;
    if (!k)
        return;
    th_tape_free(k->tape);
    free(k->state);
}

void *th_model_linear_open(const ThModel *m, int B, ThError *err)
{
    const Layout *l = m->layout;
    Kept *k = th_alloc(1, sizeof *k, err);
    if (!k)
        return NULL;
    k->m = m;
    k->B = B;
    k->tape = th_model_tape(m, TH_TAPE_FLOAT, 1, err);
    k->state = th_alloc((size_t)l->layers * (size_t)B * (size_t)l->state, sizeof *k->state, err);
    if (k->tape && k->state)
        return k;
    th_model_linear_close(k);
    return NULL;
}

static void keep_states(Kept *k, int n)
{
    const Layout *l = k->m->layout;
    size_t size = (size_t)l->state;
    float *to = k->state;
    for (int i = 0; i < l->layers; i++) {
        const float *states = th_tape_floats(k->tape, th_tape_find(k->tape, "state", i));
        for (int b = 1; b <= k->B; b++, to += size)
            memcpy(to, states + (size_t)(b * n - 1) * size, size * sizeof(float));
    }
    k->begun = true;
}

bool th_model_linear_feed(void *state, const int *token, int n, float *logits, ThError *err)
{
    Kept *k = state;
    ThTape *t = k->tape;
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    size_t size = (size_t)k->B * (size_t)n, classes = (size_t)k->m->signature.n_classes;
    ThBatch b = {.B = k->B, .T = n, .token = th_tape_take(t, size, sizeof *b.token)};
    if (!b.token)
        return th_tape_ok(t, err);
    memcpy(b.token, token, size * sizeof *token);
    ThVar z = th_model_linear_answer(
        k->m, t, ends(t, run_layers(k->m, t, &b, &(ThModelForward){.share = true}, k), &b));
    if (!th_tape_ok(t, err))
        return false;
    memcpy(logits, th_tape_floats(t, z), (size_t)k->B * classes * sizeof *logits);
    keep_states(k, n);
    return true;
}

void th_model_linear_reset(void *state)
{
    Kept *k = state;
    k->begun = false;
}
