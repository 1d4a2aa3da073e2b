/* The vanilla Transformer encoder (Vaswani et al. 2017) with the relative positions of
 * Transformer-XL (Dai et al. 2019), the baseline of Chi et al. 2023: layers with weights of their
 * own, layer norm after each residual sum, ReLU, attention without biases. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "models/builder.h"

static const ThOptionSpec options[] = {
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the hidden vectors"},
    {"heads", TH_INT, "4", 1, 1024, NULL, "attention heads; they divide dim"},
    {"layers", TH_INT, "5", 1, 64, NULL, "layers, each with weights of its own"},
    {"hidden", TH_INT, "4", 1, 64, NULL, "width of the feed-forward layer, in multiples of dim"},
    {"position", TH_CHOICE, "xl", 0, 0, "none|xl",
     "how positions enter: not at all, or as Transformer-XL's relative ones"},
    {"causal", TH_FLAG, "no", 0, 0, NULL, "positions see only those before them and themselves"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

enum { MOST_LAYERS = 64 };

/* Indices into the parameter table. */
typedef struct {
    int query, key_value, output;
    int relative, u, v; /* position=xl only */
    int norm1_gain, norm1_offset, norm2_gain, norm2_offset;
    int up, up_bias, down, down_bias;
} Layer;

typedef struct {
    int dim, heads, layers;
    bool causal, relative;
    int embedding, head, head_bias;
    Layer layer[MOST_LAYERS];
} Layout;

static bool check(const ThOptions *o, ThError *err)
{
    long long dim = th_option_int(o, "dim"), heads = th_option_int(o, "heads");
    if (dim % heads != 0) {
        th_fail(err, TH_EUSAGE, "dim=%lld cannot be cut into heads=%lld equal parts", dim, heads);
        return th_hint(err, "heads must divide dim");
    }
    if (dim % 2 == 0 || strcmp(th_option_text(o, "position"), "xl") != 0)
        return true;
    return th_fail(err, TH_EUSAGE, "position=xl pairs sines with cosines: dim=%lld must be even",
                   dim);
}

/* ---- parameters ---- */

static Layer add_layer(ThModelBuilder *b, const Layout *l, int hidden)
{
    int d = l->dim;
    Layer y = {.relative = -1, .u = -1, .v = -1};
    y.query = th_model_build_matrix(b, "attention.query", d, d);
    y.key_value = th_model_build_matrix(b, "attention.key_value", d, 2 * d);
    y.output = th_model_build_matrix(b, "attention.output", d, d);
    if (l->relative) {
        y.relative = th_model_build_matrix(b, "attention.relative", d, d);
        y.u = th_model_build(b, "attention.content_bias", 1, d, TH_INIT_NORMAL, 0.02);
        y.v = th_model_build(b, "attention.position_bias", 1, d, TH_INIT_NORMAL, 0.02);
    }
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
    l->relative = strcmp(th_option_text(o, "position"), "xl") == 0;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    /* One row more than symbols, as in the released code; it is never read. */
    l->embedding = th_model_build(&b, "embedding", m->signature.n_symbols + 1, l->dim,
                                  TH_INIT_TRUNCATED, 0.02);
    for (int i = 0; i < l->layers; i++) {
        b.layer = i;
        l->layer[i] = add_layer(&b, l, (int)th_option_int(o, "hidden"));
    }
    b.layer = -1;
    l->head = th_model_build_matrix(&b, "head", l->dim, m->signature.n_classes);
    l->head_bias = th_model_build_vector(&b, "head_bias", m->signature.n_classes, TH_INIT_ZERO);
    return !b.failed;
}

/* ---- forward ---- */

/* The input of a layer: x holds a row for every position of every string, or, before the first
 * layer, one for every symbol, which `token` places.  `last` lists the rows of x that stand at the
 * ends of the strings where only those go on, else NULL. */
typedef struct {
    ThVar x;
    int B, T;
    const int *token, *last;
} Input;

static ThVar take(ThTape *t, ThVar v, const int *index, int n)
{
    return index ? th_op_rows(t, v, index, n, 1) : v;
}

/* R (2T-1, d): row T-1+j-i holds the sines, then the cosines, of the distance i-j at frequencies
 * that fall geometrically from 1 to 1/10000. */
static ThVar distances(ThTape *t, int T, int d)
{
    int half = d / 2;
    size_t rows = 2 * (size_t)T - 1, width = (size_t)d;
    float *r = th_tape_take(t, rows * width, sizeof *r);
    for (int k = 0; r && k < half; k++) {
        double frequency = pow(10000, -2.0 * k / d);
        for (int delta = 0; delta < T; delta++) {
            float sine = (float)sin(delta * frequency), cosine = (float)cos(delta * frequency);
            float *after = r + (size_t)(T - 1 - delta) * width + k;
            float *before = r + (size_t)(T - 1 + delta) * width + k;
            before[0] = -sine;
            after[0] = sine;
            before[half] = after[half] = cosine;
        }
    }
    return r ? th_tape_constant(t, (int)rows, d, r) : -1;
}

static ThVar attend(ThTape *t, const Layout *l, int layer, const Input *in, ThVar distance)
{
    const Layer *y = &l->layer[layer];
    int positions = in->B * in->T;
    ThVar q = in->last ? take(t, in->x, in->last, in->B) : in->x;
    q = th_op_linear(t, q, th_param(t, y->query), -1);
    if (!in->last)
        q = take(t, q, in->token, positions);
    ThVar kv = th_op_linear(t, in->x, th_param(t, y->key_value), -1);
    kv = take(t, kv, in->token, positions);
    ThOpAttention how = {.B = in->B,
                         .T = in->T,
                         .heads = l->heads,
                         .causal = l->causal,
                         .u = -1,
                         .v = -1,
                         .xl = -1,
                         .tag = layer};
    if (l->relative) {
        how.u = th_param(t, y->u);
        how.v = th_param(t, y->v);
        how.xl = th_op_linear(t, distance, th_param(t, y->relative), -1);
    }
    return th_op_linear(t, th_op_attention(t, q, kv, &how), th_param(t, y->output), -1);
}

static ThVar run_layer(ThTape *t, const Layout *l, int layer, const Input *in, ThVar distance)
{
    const Layer *y = &l->layer[layer];
    ThVar own =
        in->last ? take(t, in->x, in->last, in->B) : take(t, in->x, in->token, in->B * in->T);
    ThVar u = th_op_layer_norm(t, attend(t, l, layer, in, distance), own,
                               th_param(t, y->norm1_gain), th_param(t, y->norm1_offset));
    ThVar f = th_op_linear_relu(t, u, th_param(t, y->up), th_param(t, y->up_bias));
    f = th_op_linear(t, f, th_param(t, y->down), th_param(t, y->down_bias));
    return th_op_layer_norm(t, f, u, th_param(t, y->norm2_gain), th_param(t, y->norm2_offset));
}

/* The rows of the layer's input that stand at the ends of the strings. */
static const int *ends(ThTape *t, const ThBatch *b, const int *token)
{
    int *row = th_tape_take(t, (size_t)b->B, sizeof *row);
    for (int i = 0; row && i < b->B; i++) {
        int at = i * b->T + b->T - 1;
        row[i] = token ? token[at] : at;
    }
    return row;
}

/* √d times the embeddings of the symbols, which `token` places, or of every position. */
static Input embed(ThTape *t, const ThModel *m, const ThBatch *b, bool share)
{
    const Layout *l = m->layout;
    ThVar table = th_param(t, l->embedding);
    Input in = {.B = b->B, .T = b->T, .token = share ? b->token : NULL};
    if (share) {
        in.x = th_op_scale(t, table, sqrt(l->dim));
    } else {
        in.x = th_op_rows(t, table, b->token, b->B * b->T, sqrt(l->dim));
        th_tape_tag(t, in.x, "embedding", 0);
    }
    return in;
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    const Layout *l = m->layout;
    ThVar distance = l->relative ? distances(t, b->T, l->dim) : -1;
    Input in = embed(t, m, b, how->share);
    for (int i = 0; i < l->layers; i++) {
        if (i == l->layers - 1 && m->signature.target == TH_TARGET_FINAL)
            in.last = ends(t, b, in.token);
        in.x = run_layer(t, l, i, &in, distance);
        in.token = NULL;
        if (how->noise > 0)
            in.x = th_op_noise(t, in.x, how->noise, how->rng);
        th_tape_tag(t, in.x, "state", i);
    }
    return th_op_linear(t, in.x, th_param(t, l->head), th_param(t, l->head_bias));
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
        "cosines of the distance. For one answer a string the last layer is computed at the "
        "last position only. The papers use dim=256 heads=8 layers=5.",
    .options = options,
    .takes_noise = true,
    .check = check,
    .bind = bind,
    .forward = forward,
    .trace = trace,
};
