/* The vanilla Transformer encoder (Vaswani et al. 2017) with the relative positions of
 * Transformer-XL (Dai et al. 2019), the baseline of Chi et al. 2023: layers with weights of their
 * own, layer norm after each residual sum, ReLU, attention without biases. */
#include <math.h>

#include "base/memory.h"
#include "models/attention.h"

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

/* Indices into the parameter table, beside those of attention. */
typedef struct {
    int norm1_gain, norm1_offset, norm2_gain, norm2_offset;
    int up, up_bias, down, down_bias;
} Layer;

typedef struct {
    ThModelAttention attention;
    int head, head_bias;
    Layer layer[TH_POSITION_LAYERS];
} Layout;

static bool check(const ThOptions *o, ThError *err)
{
    return th_model_attention_check(o, (int)th_option_int(o, "dim"), (int)th_option_int(o, "heads"),
                                    th_option_flag(o, "causal"), err);
}

/* ---- forward ---- */

static ThVar run_layer(ThTape *t, const ThModel *m, int layer, const ThModelStream *s, ThRng *rng)
{
    (void)rng;
    const Layout *l = m->layout;
    const Layer *y = &l->layer[layer];
    ThVar own = th_model_stream_rows(t, s, s->x);
    ThVar u = th_op_layer_norm(t, th_model_attend(t, &l->attention, layer, s, s->x), own,
                               th_param(t, y->norm1_gain), th_param(t, y->norm1_offset));
    ThVar f = th_op_linear_relu(t, u, th_param(t, y->up), th_param(t, y->up_bias));
    f = th_op_linear(t, f, th_param(t, y->down), th_param(t, y->down_bias));
    f = th_tape_note(t, f, "feed_forward", layer);
    return th_op_layer_norm(t, f, u, th_param(t, y->norm2_gain), th_param(t, y->norm2_offset));
}

static ThVar answer(ThTape *t, const ThModel *m, ThVar x)
{
    const Layout *l = m->layout;
    return th_op_linear(t, x, th_param(t, l->head), th_param(t, l->head_bias));
}

static const ThModelBlocks blocks = {run_layer, answer};

/* ---- parameters ---- */

static void add_layer(ThModelBuilder *b, Layout *l, int hidden)
{
    ThModelAttentionLayer *a = &l->attention.layer[b->layer];
    Layer *y = &l->layer[b->layer];
    int d = l->attention.dim;
    *a = (ThModelAttentionLayer){.query_bias = -1, .key_value_bias = -1, .output_bias = -1};
    a->query = th_model_build_matrix(b, "attention.query", d, d);
    a->key_value = th_model_build_matrix(b, "attention.key_value", d, 2 * d);
    th_param_hidden(&b->m->params, a->key_value, 2);
    a->output = th_model_build_matrix(b, "attention.output", d, d);
    th_position_bind_layer(&l->attention.position, b);
    y->norm1_gain = th_model_build_vector(b, "norm1.gain", d, TH_INIT_ONE);
    y->norm1_offset = th_model_build_vector(b, "norm1.offset", d, TH_INIT_ZERO);
    y->up = th_model_build_matrix(b, "feed_forward.up", d, hidden * d);
    y->up_bias = th_model_build_vector(b, "feed_forward.up_bias", hidden * d, TH_INIT_ZERO);
    y->down = th_model_build_matrix(b, "feed_forward.down", hidden * d, d);
    y->down_bias = th_model_build_vector(b, "feed_forward.down_bias", d, TH_INIT_ZERO);
    y->norm2_gain = th_model_build_vector(b, "norm2.gain", d, TH_INIT_ONE);
    y->norm2_offset = th_model_build_vector(b, "norm2.offset", d, TH_INIT_ZERO);
}

static bool bind(ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelAttention *a = &l->attention;
    th_model_attention_init(a, o,
                            &(ThModelAttention){.blocks = &blocks,
                                                .scale = sqrt((double)th_option_int(o, "dim")),
                                                .dim = (int)th_option_int(o, "dim"),
                                                .heads = (int)th_option_int(o, "heads"),
                                                .layers = (int)th_option_int(o, "layers"),
                                                .causal = th_option_flag(o, "causal")});
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    /* One row more than symbols, as in the released code; it is never read. */
    a->embedding = th_model_build(&b, "embedding", m->signature.n_symbols + 1, a->dim,
                                  TH_INIT_TRUNCATED, 0.02);
    th_position_bind(&a->position, &b);
    for (b.layer = 0; b.layer < a->layers; b.layer++)
        add_layer(&b, l, (int)th_option_int(o, "hidden"));
    b.layer = -1;
    l->head = th_model_build_matrix(&b, "head", a->dim, m->signature.n_classes);
    th_param_hidden(&m->params, l->head, 0);
    l->head_bias = th_model_build_vector(&b, "head_bias", m->signature.n_classes, TH_INIT_ZERO);
    return !b.failed;
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
    .forward = th_model_attention_forward,
    .answer = th_model_attention_answer,
    .trace = th_model_attention_trace,
    .keeps = th_model_attention_keeps,
    .open = th_model_attention_open,
    .feed = th_model_attention_feed,
    .feed_each = th_model_attention_feed_each,
    .cut = th_model_attention_cut,
    .reset = th_model_attention_reset,
    .close = th_model_attention_close,
};
