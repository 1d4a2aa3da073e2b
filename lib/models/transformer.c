/* The vanilla Transformer encoder (Vaswani et al. 2017) with the relative positions of
 * Transformer-XL (Dai et al. 2019), the baseline of Chi et al. 2023: layers with weights of their
 * own, layer norm after each residual sum, ReLU, attention without biases. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "models/builder.h"
#include "models/position.h"

static const ThOptionSpec options[] = {
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the hidden vectors"},
    {"heads", TH_INT, "4", 1, 1024, NULL, "attention heads; they divide dim"},
    {"layers", TH_INT, "5", 1, 64, NULL, "layers, each with weights of its own"},
    {"hidden", TH_INT, "4", 1, 64, NULL, "width of the feed-forward layer, in multiples of dim"},
    {"position", TH_CHOICE, "xl", 0, 0, TH_POSITION_CHOICES,
     "how positions enter: help models says what each is"},
    {"causal", TH_FLAG, "no", 0, 0, NULL, "positions see only those before them and themselves"},
#define POSITION_OPTION(...) {__VA_ARGS__},
#include "models/positions.def"
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { MOST_LAYERS = TH_POSITION_LAYERS };

/* Indices into the parameter table. */
typedef struct {
    int query, key_value, output;
    int norm1_gain, norm1_offset, norm2_gain, norm2_offset;
    int up, up_bias, down, down_bias;
} Layer;

typedef struct {
    int dim, heads, layers;
    bool causal;
    int embedding, head, head_bias;
    ThPosition position;
    Layer layer[MOST_LAYERS];
} Layout;

static bool check(const ThOptions *o, ThError *err)
{
    long long dim = th_option_int(o, "dim"), heads = th_option_int(o, "heads");
    if (dim % heads != 0) {
        th_fail(err, TH_EUSAGE, "dim=%lld cannot be cut into heads=%lld equal parts", dim, heads);
        return th_hint(err, "heads must divide dim");
    }
    ThPosition p;
    th_position_init(&p, o, (int)dim, (int)heads, th_option_flag(o, "causal"));
    return th_position_check(&p, err);
}

/* ---- parameters ---- */

static Layer add_layer(ThModelBuilder *b, Layout *l, int hidden)
{
    int d = l->dim;
    Layer y;
    y.query = th_model_build_matrix(b, "attention.query", d, d);
    y.key_value = th_model_build_matrix(b, "attention.key_value", d, 2 * d);
    th_param_hidden(&b->m->params, y.key_value, 2);
    y.output = th_model_build_matrix(b, "attention.output", d, d);
    th_position_bind_layer(&l->position, b);
    y.norm1_gain = th_model_build_vector(b, "norm1.gain", d, TH_INIT_ONE);
    y.norm1_offset = th_model_build_vector(b, "norm1.offset", d, TH_INIT_ZERO);
    y.up = th_model_build_matrix(b, "feed_forward.up", d, hidden * d);
    y.up_bias = th_model_build_vector(b, "feed_forward.up_bias", hidden * d, TH_INIT_ZERO);
    y.down = th_model_build_matrix(b, "feed_forward.down", hidden * d, d);
    y.down_bias = th_model_build_vector(b, "feed_forward.down_bias", d, TH_INIT_ZERO);
    y.norm2_gain = th_model_build_vector(b, "norm2.gain", d, TH_INIT_ONE);
    y.norm2_offset = th_model_build_vector(b, "norm2.offset", d, TH_INIT_ZERO);
    return y;
}

static bool bind(ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    l->dim = (int)th_option_int(o, "dim");
    l->heads = (int)th_option_int(o, "heads");
    l->layers = (int)th_option_int(o, "layers");
    l->causal = th_option_flag(o, "causal");
    th_position_init(&l->position, o, l->dim, l->heads, l->causal);
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    /* One row more than symbols, as in the released code; it is never read. */
    l->embedding = th_model_build(&b, "embedding", m->signature.n_symbols + 1, l->dim,
                                  TH_INIT_TRUNCATED, 0.02);
    th_position_bind(&l->position, &b);
    for (int i = 0; i < l->layers; i++) {
        b.layer = i;
        l->layer[i] = add_layer(&b, l, (int)th_option_int(o, "hidden"));
    }
    b.layer = -1;
    l->head = th_model_build_matrix(&b, "head", l->dim, m->signature.n_classes);
    th_param_hidden(&m->params, l->head, 0);
    l->head_bias = th_model_build_vector(&b, "head_bias", m->signature.n_classes, TH_INIT_ZERO);
    return !b.failed;
}

/* ---- forward ---- */

/* Keys, values and the modifiers of attention that generation keeps from token to token. */
typedef struct {
    int n;                  /* positions whose keys and values are there */
    int span;               /* positions that there is room for, and that the modifiers know */
    float *kv[MOST_LAYERS]; /* (span, 2 dim) */
    ThPositionModifiers modifiers[MOST_LAYERS]; /* in the arena */
    ThArena *arena;
} Kept;

/* The input of a layer: x holds a row for every position of every string, or, before the first
 * layer, one for every symbol, which `token` places.  `last` lists the rows of x that stand at the
 * ends of the strings where only those go on, else NULL; last_at their positions. */
typedef struct {
    ThVar x;
    int B, T;
    const int *token, *length, *last, *last_at;
    ThPositionSpan span;
    Kept *kept; /* generation: what came before; else NULL */
} Input;

static ThVar take(ThTape *t, ThVar v, const int *index, int n)
{
    return index ? th_op_rows(t, v, index, n, 1) : v;
}

static ThPositionRows rows_of(const Input *in)
{
    return (ThPositionRows){.n = in->B * in->T,
                            .T = in->T,
                            .first = in->kept ? in->kept->n : 0,
                            .position = in->span.place};
}

static ThVar queries(ThTape *t, const Layout *l, int layer, const Input *in)
{
    ThPositionRows rows = rows_of(in);
    ThVar q = in->last ? take(t, in->x, in->last, in->B) : in->x;
    q = th_op_linear(t, q, th_param(t, l->layer[layer].query), -1);
    if (in->last)
        rows = (ThPositionRows){.n = in->B, .T = 1, .position = in->last_at};
    else
        q = take(t, q, in->token, rows.n);
    return th_position_at_queries(&l->position, t, q, &rows);
}

static ThVar keys(ThTape *t, const Layout *l, int layer, const Input *in)
{
    ThPositionRows rows = rows_of(in);
    ThVar kv = th_op_linear(t, in->x, th_param(t, l->layer[layer].key_value), -1);
    return th_position_at_keys(&l->position, t, take(t, kv, in->token, rows.n), &rows);
}

/* Puts new keys and values behind those that are kept; returns them all. */
static ThVar keep_keys(ThTape *t, Kept *k, int layer, ThVar kv)
{
    size_t cols = (size_t)th_tape_cols(t, kv), rows = (size_t)th_tape_rows(t, kv);
    if (kv < 0)
        return -1;
    memcpy(k->kv[layer] + (size_t)k->n * cols, th_tape_floats(t, kv),
           rows * cols * sizeof *k->kv[layer]);
    return th_tape_view(t, k->n + (int)rows, (int)cols, k->kv[layer]);
}

static ThVar attend(ThTape *t, const Layout *l, int layer, const Input *in)
{
    ThVar q = queries(t, l, layer, in), kv = keys(t, l, layer, in);
    ThOpAttention how = {.B = in->B,
                         .T = in->T,
                         .heads = l->heads,
                         .causal = l->causal,
                         .u = -1,
                         .v = -1,
                         .xl = -1,
                         .tag = layer,
                         .length = in->length};
    if (in->kept) {
        kv = keep_keys(t, in->kept, layer, kv);
        how.T += in->kept->n;
        th_position_reuse(&in->kept->modifiers[layer], t, &how);
    } else {
        th_position_at_attention(&l->position, t, layer, &in->span, &how);
    }
    return th_op_linear(t, th_op_attention(t, q, kv, &how), th_param(t, l->layer[layer].output),
                        -1);
}

static ThVar run_layer(ThTape *t, const Layout *l, int layer, const Input *in)
{
    const Layer *y = &l->layer[layer];
    ThVar own =
        in->last ? take(t, in->x, in->last, in->B) : take(t, in->x, in->token, in->B * in->T);
    ThVar u = th_op_layer_norm(t, attend(t, l, layer, in), own, th_param(t, y->norm1_gain),
                               th_param(t, y->norm1_offset));
    ThVar f = th_op_linear_relu(t, u, th_param(t, y->up), th_param(t, y->up_bias));
    f = th_op_linear(t, f, th_param(t, y->down), th_param(t, y->down_bias));
    return th_op_layer_norm(t, f, u, th_param(t, y->norm2_gain), th_param(t, y->norm2_offset));
}

/* From here on only the ends of the strings matter. */
static void keep_ends(ThTape *t, Input *in)
{
    int *row = th_tape_take(t, 2 * (size_t)in->B, sizeof *row), *at = row ? row + in->B : NULL;
    for (int b = 0; row && b < in->B; b++) {
        int last = (in->length ? in->length[b] : in->T) - 1;
        row[b] = in->token ? in->token[b * in->T + last] : b * in->T + last;
        at[b] = last + (in->kept ? in->kept->n : 0);
        if (in->span.place)
            at[b] = in->span.place[b * in->T + last];
    }
    in->last = row;
    in->last_at = at;
}

/* √d times the embeddings of the symbols, which `token` places, or of every position. */
static Input embed(ThTape *t, const ThModel *m, const ThBatch *b, const ThModelForward *how,
                   Kept *kept)
{
    const Layout *l = m->layout;
    ThVar table = th_param(t, l->embedding);
    Input in = {.B = b->B, .T = b->T, .length = b->length, .kept = kept};
    in.span = (ThPositionSpan){.B = b->B, .T = b->T};
    if (!kept)
        th_position_prepare(&l->position, t, b->length, how->rng, &in.span);
    if (how->share && !l->position.kind->at_input) {
        in.token = b->token;
        in.x = th_op_scale(t, table, sqrt(l->dim));
        return in;
    }
    in.x = th_op_rows(t, table, b->token, b->B * b->T, sqrt(l->dim));
    if (!how->share)
        th_tape_tag(t, in.x, "embedding", 0);
    ThPositionRows rows = rows_of(&in);
    in.x = th_position_at_input(&l->position, t, in.x, &rows);
    return in;
}

static ThVar run(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how,
                 Kept *kept)
{
    const Layout *l = m->layout;
    Input in = embed(t, m, b, how, kept);
    for (int i = 0; i < l->layers; i++) {
        if (i == l->layers - 1 && m->signature.target == TH_TARGET_FINAL)
            keep_ends(t, &in);
        in.x = run_layer(t, l, i, &in);
        in.token = NULL;
        if (how->noise > 0)
            in.x = th_op_noise(t, in.x, how->noise, how->rng);
        th_tape_tag(t, in.x, "state", i);
    }
    return th_op_linear(t, in.x, th_param(t, l->head), th_param(t, l->head_bias));
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    return run(m, t, b, how, NULL);
}

/* ---- generation ---- */

typedef struct {
    const ThModel *m;
    ThTape *tape;
    Kept kept;
} Generation;

static void close_generation(void *state)
{
    Generation *g = state;
    if (!g)
        return;
    for (int i = 0; i < MOST_LAYERS; i++)
        free(g->kept.kv[i]);
    th_arena_free(g->kept.arena);
    th_tape_free(g->tape);
    free(g);
}

static bool keeps(const ThModel *m)
{
    const Layout *l = m->layout;
    return th_position_stays(&l->position);
}

static void *open_generation(const ThModel *m, ThError *err)
{
    Generation *g = th_alloc(1, sizeof *g, err);
    if (!g)
        return NULL;
    g->m = m;
    g->tape = th_model_tape(m, TH_TAPE_FLOAT, 1, err);
    g->kept.arena = th_arena_new(err);
    if (g->tape && g->kept.arena)
        return g;
    close_generation(g);
    return NULL;
}

/* What the encoding has to say about positions 0 … span-1, in all layers. */
static bool keep_modifiers(Generation *g, int span, ThError *err)
{
    const Layout *l = g->m->layout;
    ThTape *t = g->tape;
    th_arena_reset(g->kept.arena);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThPositionSpan all = {.B = 1, .T = span};
    th_position_prepare(&l->position, t, NULL, NULL, &all);
    for (int i = 0; i < l->layers; i++)
        th_position_keep(&l->position, t, i, &all, &g->kept.modifiers[i], g->kept.arena);
    return th_tape_ok(t, err);
}

/* Makes room for n positions. */
static bool make_room(Generation *g, int n, ThError *err)
{
    enum { FIRST = 64 };
    const Layout *l = g->m->layout;
    Kept *k = &g->kept;
    int span = k->span ? k->span : FIRST;
    while (span < n)
        span = span > INT_MAX / 2 ? n : 2 * span;
    if (span == k->span)
        return true;
    size_t size = 2 * (size_t)span * (size_t)l->dim;
    k->span = 0; /* the modifiers are of no use until all has been done */
    for (int i = 0; i < l->layers; i++) {
        float *more = realloc(k->kv[i], size * sizeof *more);
        if (!more)
            return th_fail(err, TH_ENOMEM, "out of memory (keys and values of %d symbols)", span);
        k->kv[i] = more;
    }
    if (!keep_modifiers(g, span, err))
        return false;
    k->span = span;
    return true;
}

static bool feed(void *state, const int *token, int n, float *logits, ThError *err)
{
    Generation *g = state;
    size_t classes = (size_t)g->m->signature.n_classes;
    if (n > INT_MAX - g->kept.n || !make_room(g, g->kept.n + n, err))
        return false;
    ThBatch b = {.B = 1, .T = n};
    th_tape_begin(g->tape, TH_TAPE_NO_GRADIENT);
    b.token = th_tape_take(g->tape, (size_t)n, sizeof *b.token);
    if (!b.token)
        return th_tape_ok(g->tape, err);
    memcpy(b.token, token, (size_t)n * sizeof *token);
    ThVar z = run(g->m, g->tape, &b, &(ThModelForward){.share = true}, &g->kept);
    if (!th_tape_ok(g->tape, err))
        return false;
    size_t last = (size_t)th_tape_rows(g->tape, z) - 1;
    memcpy(logits, th_tape_floats(g->tape, z) + last * classes, classes * sizeof *logits);
    g->kept.n += n;
    return true;
}

static void reset(void *state)
{
    Generation *g = state;
    g->kept.n = 0;
}

/* ---- inspection ---- */

static bool trace_layer(const Layout *l, const ThTape *t, int length, int layer,
                        ThModelTraceLayer *to, ThError *err)
{
    ThVar state = th_tape_find(t, "state", layer);
    ThModelTraceLayer shape = {
        .n_rows = th_tape_rows(t, state), .dim = l->dim, .n_heads = l->heads, .n_keys = length};
    if (!th_model_trace_rows(to, &shape, err))
        return false;
    for (int i = 0; i < to->n_rows; i++) {
        int *key = to->key + (size_t)i * (size_t)length;
        to->last[i] = length - to->n_rows + i;
        for (int j = 0; j < length; j++)
            key[j] = l->causal && j > to->last[i] ? TH_MODEL_KEY_MASKED : j;
    }
    th_tape_read(t, state, to->state);
    th_tape_read(t, th_tape_find(t, "attention", layer), to->weight);
    return true;
}

static bool trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out, ThError *err)
{
    const Layout *l = m->layout;
    bool ok = th_model_trace_layers(out, l->layers, err);
    for (int i = 0; ok && i < l->layers; i++)
        ok = trace_layer(l, t, length, i, &out->layer[i], err);
    return ok;
}

const ThModelKind th_model_transformer = {
    .name = "transformer",
    .summary = "vanilla Transformer encoder with full attention",
    .source = "Vaswani et al. 2017, section 3, with the relative positions of Dai et al. 2019, "
              "section 3.3; the baseline of Chi et al. 2023, section 5",
    .detail =
        "Every position attends to every position of the string (causal=yes: to those up to "
        "itself). Layer norm follows each residual sum. With position=xl the logit of query i "
        "and key j is ((q_i + u)·k_j + (q_i + v)·R(i-j) W_R)/√d_h, where R holds sines and "
        "cosines of the distance; help positions lists the other ways to tell positions apart. For "
        "one answer a string the last layer is computed at the "
        "last position only. The papers use dim=256 heads=8 layers=5.",
    .options = options,
    .takes_noise = true,
    .ragged = true,
    .check = check,
    .bind = bind,
    .forward = forward,
    .trace = trace,
    .keeps = keeps,
    .open = open_generation,
    .feed = feed,
    .reset = reset,
    .close = close_generation,
};
