/* The vanilla Transformer encoder (Vaswani et al. 2017) with the relative positions of
 * Transformer-XL (Dai et al. 2019), the baseline of Chi et al. 2023: layers with weights of their
 * own, layer norm after each residual sum, ReLU, attention without biases. */
#include <math.h>

#include "models/attention/attention.h"

static const ThOptionSpec options[] = {
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the hidden vectors"},
    {"heads", TH_INT, "4", 1, 1024, NULL, "attention heads; they divide dim"},
    {"layers", TH_INT, "5", 1, 64, NULL, "layers, each with weights of its own"},
    {"mlp_ratio", TH_INT, "4", 1, 64, NULL,
     "width of the feed-forward layer, in widths of the model"},
    {"position", TH_CHOICE, "xl", 0, 0, TH_POSITION_CHOICES,
     "how positions enter: help models says what each is"},
    {"causal", TH_FLAG, "no", 0, 0, NULL, "positions see only those before them and themselves"},
#include "models/position/position_options.def"
};

/* Indices into the parameter table, beside those of attention. */
typedef struct {
    ThModelNorm norm1, norm2;
    ThModelNetwork feed_forward;
} Layer;

typedef struct {
    ThModelAttention attention;
    ThModelHead head;
    Layer layer[TH_POSITION_LAYERS];
} Layout;

/* ---- forward ---- */

static ThVar run_layer(ThTape *t, const ThModel *m, int layer, const ThModelStream *s,
                       ThRng *rng TH_UNUSED)
{
    const Layout *l = m->layout;
    const Layer *y = &l->layer[layer];
    ThVar own = th_model_stream_rows(t, s, s->x);
    ThVar attended = th_model_attend(t, &l->attention, layer, s, s->x);
    ThVar u = th_model_norm_sum(t, &y->norm1, attended, own);
    ThVar f = th_model_network_relu(t, &y->feed_forward, u);
    return th_model_norm_sum(t, &y->norm2, th_tape_note(t, f, "feed_forward", layer), u);
}

static ThVar answer(ThTape *t, const ThModel *m, ThVar x)
{
    const Layout *l = m->layout;
    return th_model_head(t, &l->head, x);
}

static const ThModelBlocks blocks = {run_layer, answer};

/* ---- parameters ---- */

static bool bind(ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelAttention *a = &l->attention;
    th_model_attention_init(a, o, (int)th_option_int(o, "layers"));
    a->blocks = &blocks;
    a->scale = sqrt(a->dim);
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    /* One row more than symbols, as in the released code; it is never read. */
    a->embedding = th_model_build(&b, "embedding", m->signature.n_symbols + 1, a->dim,
                                  TH_INIT_TRUNCATED, 0.02);
    th_position_bind(&a->position, &b);
    int d = a->dim, wide = d * (int)th_option_int(o, "mlp_ratio");
    for (b.layer = 0; b.layer < a->layers; b.layer++) {
        Layer *y = &l->layer[b.layer];
        th_model_attention_layer(a, &b, false);
        y->norm1 = th_model_build_norm(&b, "norm1", d);
        y->feed_forward = th_model_build_network(&b, "feed_forward", d, wide, d);
        y->norm2 = th_model_build_norm(&b, "norm2", d);
    }
    b.layer = -1;
    l->head = th_model_build_head(&b, d);
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
    .bind = bind,
    TH_MODEL_ATTENTION_KIND,
};
