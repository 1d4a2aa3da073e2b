/* The decoder of language models: GPT-2's block (Radford et al. 2019, section 2.3: layer norm
 * before each part, GELU, biases), GPT-NeoX's (Black et al. 2022, section 2.2: attention and
 * feed-forward layer beside each other) or LLaMA's (Touvron et al. 2023, section 2.2: RMS norm, a
 * feed-forward layer gated by SiLU, no biases).  The models of Hou et al. 2024 that run Turing
 * Programs are of the second kind. */
#include <math.h>

#include "models/attention/attention.h"

static const ThOptionSpec options[] = {
    {"size", TH_CHOICE, "small", 0, 0, "small|paper",
     "paper: dim=1024 heads=16 layers=12, where they are not given (about 150 million parameters, "
     "7e12 operations a step of 16 strings of 500 symbols)"},
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the hidden vectors"},
    {"heads", TH_INT, "8", 1, 1024, NULL, "attention heads; they divide dim"},
    {"layers", TH_INT, "2", 1, 64, NULL, "layers, each with weights of its own"},
    {"mlp_ratio", TH_INT, "4", 1, 64, NULL,
     "width of the feed-forward layer, in widths of the model"},
    {"mlp_width", TH_INT, NULL, 1, 1 << 20, NULL,
     "the same as a number; as mlp_ratio says if not given"},
    {"block", TH_CHOICE, "gpt2", 0, 0, "gpt2|neox|llama",
     "gpt2: the feed-forward layer reads what attention made; neox: both read the same; llama: as "
     "gpt2, with RMS norm, a gated feed-forward layer with SiLU, and no biases"},
    {"activation", TH_CHOICE, NULL, 0, 0, "gelu|gelu_tanh|relu",
     "block=gpt2, neox: of the feed-forward layer, gelu if not given; gelu_tanh: by a hyperbolic "
     "tangent, as OpenAI's GPT-2"},
    {"norm_epsilon", TH_REAL, NULL, 0, 1, NULL,
     "block=llama: what is added to the mean square before its root, 1e-5 if not given"},
    {"norm", TH_CHOICE, "before", 0, 0, "before|after",
     "where layer norm stands: before each part, or after what it adds (block=gpt2)"},
    {"final_norm", TH_FLAG, "yes", 0, 0, NULL, "layer norm of what the answer is read from"},
    {"causal", TH_FLAG, "yes", 0, 0, NULL, "positions see only those before them and themselves"},
    {"scale", TH_FLAG, "no", 0, 0, NULL, "embeddings are multiplied by √dim"},
    {"head_bias", TH_FLAG, "no", 0, 0, NULL, "a bias behind the last matrix"},
    {"head", TH_CHOICE, "own", 0, 0, "own|tied",
     "the last matrix: one of its own, or the embeddings again, where the answers are symbols"},
    {"init", TH_CHOICE, "wide", 0, 0, "wide|gpt2",
     "gpt2: normal of deviation 0.02; wide: embeddings of deviation 0.5, matrices uniform within "
     "1/√rows, which learns small tasks in fewer steps"},
    {"dropout", TH_REAL, "0", 0, 0.9, NULL,
     "while training, share of what each part adds that is dropped"},
    {"attention_dropout", TH_REAL, "0", 0, 0.9, NULL,
     "while training, share of the attention's weights that is dropped"},
    {"position", TH_CHOICE, "rope", 0, 0, TH_POSITION_CHOICES,
     "how positions enter: help models says what each is"},
#include "models/position/position_options.def"
};
static const ThModelPreset presets[] = {{"paper", "dim=1024 heads=16 layers=12"}, {NULL, NULL}};
enum { BLOCK_GPT2, BLOCK_NEOX, BLOCK_LLAMA }; /* block= */
enum { HEAD_OWN, HEAD_TIED };                 /* head= */
enum { NORM_BEFORE, NORM_AFTER };             /* norm= */
enum { INIT_WIDE, INIT_GPT2 };                /* init= */

/* Indices into the parameter table, beside those of attention. */
typedef struct {
    ThModelNorm norm1, norm2;
    ThModelNetwork feed_forward;
    ThModelGated gated; /* block=llama */
} Layer;

typedef struct {
    ThModelAttention attention;
    bool beside, after, gated; /* block=neox, norm=after, block=llama */
    double epsilon;
    int activation;
    double dropout;
    ThModelNorm last;    /* gain -1: none */
    int head, head_bias; /* -1: tied; none */
    Layer layer[TH_POSITION_LAYERS];
} Layout;

/* ---- forward ---- */

/* By activation=. */
static ThVar (*const networks[])(ThTape *, const ThModelNetwork *, ThVar) = {
    th_model_network, th_model_network_gelu_tanh, th_model_network_relu};

static ThVar norm(ThTape *t, const Layout *l, const ThModelNorm *n, ThVar x)
{
    return l->gated ? th_model_rms_norm(t, x, n->gain, l->epsilon) : th_model_norm(t, n, x);
}

static ThVar feed_forward(ThTape *t, const Layout *l, const Layer *y, ThVar x)
{
    return l->gated ? th_model_gated(t, &y->gated, x)
                    : networks[l->activation](t, &y->feed_forward, x);
}

static ThVar run_layer(ThTape *t, const ThModel *m, int layer, const ThModelStream *s, ThRng *rng)
{
    const Layout *l = m->layout;
    const Layer *y = &l->layer[layer];
    ThVar own = th_model_stream_rows(t, s, s->x);
    ThVar read = l->after ? s->x : norm(t, l, &y->norm1, s->x);
    ThVar attended = th_model_attend(t, &l->attention, layer, s, read);
    attended = th_op_dropout(t, attended, l->dropout, rng);
    ThVar u =
        l->after ? th_model_norm_sum(t, &y->norm1, attended, own) : th_op_add(t, own, attended);
    ThVar in = l->after ? u : norm(t, l, &y->norm2, l->beside ? own : u);
    ThVar f = th_tape_note(t, feed_forward(t, l, y, in), "feed_forward", layer);
    f = th_op_dropout(t, f, l->dropout, rng);
    return l->after ? th_model_norm_sum(t, &y->norm2, f, u) : th_op_add(t, u, f);
}

static ThVar answer(ThTape *t, const ThModel *m, ThVar x)
{
    const Layout *l = m->layout;
    ThVar y = l->last.gain < 0 ? x : norm(t, l, &l->last, x);
    if (l->head >= 0)
        return th_model_project(t, y, l->head, l->head_bias);
    y = th_op_linear_transposed(t, y, th_param(t, l->attention.embedding));
    return l->head_bias < 0 ? y : th_op_add_row(t, y, th_param(t, l->head_bias));
}

static const ThModelBlocks blocks = {run_layer, answer};

/* ---- parameters ---- */

static int matrix(ThModelBuilder *b, const char *name, int rows, int cols, double by)
{
    bool wide = th_option_choice(&b->m->options, "init") == INIT_WIDE;
    int index = wide ? th_model_build(b, name, rows, cols, TH_INIT_UNIFORM, by / sqrt(rows))
                     : th_model_build(b, name, rows, cols, TH_INIT_NORMAL, 0.02 * by);
    th_param_hidden(&b->m->params, index, 1);
    return index;
}

static ThModelNorm add_norm(ThModelBuilder *b, const Layout *l, const char *name)
{
    int d = l->attention.dim;
    return l->gated ? th_model_build_rms_norm(b, name, d) : th_model_build_norm(b, name, d);
}

static void add_layer(ThModelBuilder *b, Layout *l, int wide)
{
    Layer *y = &l->layer[b->layer];
    int d = l->attention.dim;
    y->norm1 = add_norm(b, l, "norm1");
    th_model_attention_layer(&l->attention, b, !l->gated);
    y->norm2 = add_norm(b, l, "norm2");
    if (l->gated)
        y->gated = th_model_build_gated(b, "feed_forward", d, wide);
    else
        y->feed_forward = th_model_build_network(b, "feed_forward", d, wide, d);
}

/* What does not go with a block. */
static bool check_block(const ThOptions *o, const Layout *l, ThError *err)
{
    if (l->beside && l->after)
        return th_fail(err, TH_EUSAGE, "block=neox has norm=before");
    if (l->gated && l->after)
        return th_fail(err, TH_EUSAGE, "block=llama has norm=before");
    if (l->gated && th_option_given(o, "activation"))
        return th_fail(err, TH_EUSAGE, "block=llama has SiLU, and no activation=");
    if (!l->gated && th_option_given(o, "norm_epsilon"))
        return th_fail(err, TH_EUSAGE, "norm_epsilon= is for block=llama");
    return true;
}

/* Only where the classes are the symbols, in their order, can a head be the embeddings. */
static bool bind_head(ThModelBuilder *b, Layout *l, ThError *err)
{
    const ThSignature *s = &b->m->signature;
    bool tied = th_option_choice(&b->m->options, "head") == HEAD_TIED;
    l->head = tied ? -1 : matrix(b, "head", l->attention.dim, s->n_classes, 1);
    th_param_hidden(&b->m->params, l->head, 0);
    l->head_bias = th_option_flag(&b->m->options, "head_bias")
                       ? th_model_build_vector(b, "head_bias", s->n_classes, TH_INIT_ZERO)
                       : -1;
    return !tied || s->next ||
           th_fail(err, TH_EUSAGE, "head=tied: the task's answers are not symbols");
}

static bool bind(ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelAttention *a = &l->attention;
    th_model_attention_init(a, o, (int)th_option_int(o, "layers"));
    a->blocks = &blocks;
    l->beside = th_option_choice(o, "block") == BLOCK_NEOX;
    l->after = th_option_choice(o, "norm") == NORM_AFTER;
    l->gated = th_option_choice(o, "block") == BLOCK_LLAMA;
    l->epsilon = th_option_given(o, "norm_epsilon") ? th_option_real(o, "norm_epsilon") : 1e-5;
    if (!check_block(o, l, err))
        return false;
    long long wide = th_option_given(o, "mlp_width") ? th_option_int(o, "mlp_width")
                                                     : a->dim * th_option_int(o, "mlp_ratio");
    l->activation = th_option_given(o, "activation") ? th_option_choice(o, "activation") : 0;
    a->scale = th_option_flag(o, "scale") ? sqrt(a->dim) : a->scale;
    l->dropout = th_option_real(o, "dropout");
    /* What is added to the residual stream is smaller by the number of such sums. */
    ThModelBuilder b = {
        .m = m, .layer = -1, .err = err, .matrix = matrix, .shrink = 1 / sqrt(2.0 * a->layers)};
    double deviation = th_option_choice(o, "init") == INIT_WIDE ? 0.5 : 0.02;
    a->embedding =
        th_model_build(&b, "embedding", m->signature.n_symbols, a->dim, TH_INIT_NORMAL, deviation);
    th_position_bind(&a->position, &b);
    for (b.layer = 0; b.layer < a->layers; b.layer++)
        add_layer(&b, l, (int)wide);
    b.layer = -1;
    l->last.gain = -1;
    if (th_option_flag(o, "final_norm"))
        l->last = add_norm(&b, l, "final_norm");
    return bind_head(&b, l, err) && !b.failed;
}

const ThModelKind th_model_gpt = {
    .name = "gpt",
    .summary =
        "decoder language model: blocks of GPT-2, GPT-NeoX or LLaMA, any positional encoding",
    .source =
        "Radford et al. 2019; Black et al. 2022; Touvron et al. 2023; Hou et al. 2024, section 4",
    .detail =
        "Every position attends to those up to itself, or, with causal=no, to all. Layer norm "
        "stands before attention and before the feed-forward layer, which has GELU, and once more "
        "at the end. With block=neox both parts of a layer read the same vectors, and their "
        "results are added; block=llama has RMS norm, SwiGLU and no biases. For what continues "
        "beyond the lengths of training, position= matters most: hard_alibi goes farthest in "
        "copying.\n\n"
        "size=paper takes the sizes of the paper on Turing Programs, which goes with block=neox "
        "position=hard_alibi window_heads=6 (7 for multiplication and sgd) and train "
        "optimizer=adamw lr=7e-5 (3e-4 for multiplication) decay=0.1 warmup=100 schedule=linear "
        "steps=200000 batch=16 on scratchpads with context=500. train says what a large model "
        "takes before it takes it; set limit-memory refuses what would not fit.",
    .options = options,
    .presets = presets,
    .causal = true,
    .bind = bind,
    TH_MODEL_ATTENTION_KIND,
};
