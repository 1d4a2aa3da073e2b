/* A Transformer without layer norms, in the sense of Elhage et al. 2021: all that a layer does is
 * to add to the residual stream.  Programs are compiled into it (Lindner et al. 2023). */
#include <limits.h>

#include "models/attention/attention.h"

static const ThOptionSpec options[] = {
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the residual stream"},
    {"heads", TH_INT, "4", 1, 1024, NULL, "attention heads; they divide dim"},
    {"layers", TH_INT, "2", 1, 64, NULL, "layers, each with weights of its own"},
    {"hidden", TH_INT, "256", 1, 1e6, NULL, "units of each feed-forward layer"},
    {"causal", TH_FLAG, "no", 0, 0, NULL, "positions see only those before them and themselves"},
    {"attention", TH_CHOICE, "soft", 0, 0, "soft|rightmost|average",
     "a softmax of scores; or, with causal=yes position=none: the latest of the greatest scores of "
     "earlier positions, or the mean of all with the greatest score; what a head looks at has no "
     "slope then"},
    {"position", TH_CHOICE, "learned", 0, 0, TH_POSITION_CHOICES,
     "how positions enter: help models says what each is"},
#include "models/position/position_options.def"
};

typedef struct {
    ThModelAttention attention;
    ThModelHead head;
    ThModelNetwork feed_forward[TH_POSITION_LAYERS];
} Layout;

/* ---- layers ---- */

static ThVar run_layer(ThTape *t, const ThModel *m, int layer, const ThModelStream *s,
                       ThRng *rng TH_UNUSED)
{
    const Layout *l = m->layout;
    ThVar own = th_model_stream_rows(t, s, s->x);
    ThVar u = th_op_add(t, own, th_model_attend(t, &l->attention, layer, s, s->x));
    ThVar f = th_model_network_relu(t, &l->feed_forward[layer], u);
    return th_op_add(t, u, th_tape_note(t, f, "feed_forward", layer));
}

static ThVar answer(ThTape *t, const ThModel *m, ThVar x)
{
    const Layout *l = m->layout;
    return th_model_head(t, &l->head, x);
}

static const ThModelBlocks blocks = {run_layer, answer};

static bool bind(ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelAttention *a = &l->attention;
    th_model_attention_init(a, o, (int)th_option_int(o, "layers"));
    a->blocks = &blocks;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    /* The last row is the symbol that every string begins with. */
    a->embedding =
        th_model_build(&b, "embedding", m->signature.n_symbols + 1, a->dim, TH_INIT_NORMAL, 0.5);
    th_position_bind(&a->position, &b);
    for (b.layer = 0; b.layer < a->layers; b.layer++) {
        th_model_attention_layer(a, &b, true);
        l->feed_forward[b.layer] = th_model_build_network(&b, "feed_forward", a->dim,
                                                          (int)th_option_int(o, "hidden"), a->dim);
    }
    b.layer = -1;
    l->head = th_model_build_head(&b, a->dim);
    return !b.failed;
}

/* ---- the symbol at the beginning ---- */

/* Copies B strings of T symbols behind the first symbol. */
static void begin_strings(const ThModel *m, const int *token, int B, int T, int *to)
{
    for (int b = 0; b < B; b++) {
        *to++ = m->signature.n_symbols;
        memcpy(to, token + (size_t)b * (size_t)T, (size_t)T * sizeof *to);
        to += T;
    }
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    int T = b->T + 1, every = m->signature.target != TH_TARGET_FINAL;
    size_t rows = (size_t)b->B * (size_t)b->T;
    ThBatch begun = {.B = b->B, .T = T};
    int *row = th_tape_take(t, rows, sizeof *row);
    begun.token = th_tape_take(t, rows + (size_t)b->B, sizeof *begun.token);
    begun.length = th_tape_take(t, (size_t)b->B, sizeof *begun.length);
    if (!row || !begun.token || !begun.length)
        return -1;
    begin_strings(m, b->token, b->B, b->T, begun.token);
    for (int i = 0; i < b->B; i++)
        begun.length[i] = th_batch_length(b, i) + 1;
    for (size_t i = 0; i < rows; i++)
        row[i] = (int)i / b->T * T + (int)i % b->T + 1;
    ThVar z = th_model_attention_forward(m, t, &begun, how);
    return every ? th_op_rows(t, z, row, (int)rows, 1) : z;
}

typedef struct {
    const ThModel *m;
    void *kept;
    int B;
    bool begun;
} State;

static void close_state(void *state)
{
    State *s TH_OWNED(free) = state;
    if (s)
        th_model_attention_close(s->kept);
}

static void *open_state(const ThModel *m, int B, ThError *err)
{
    State *s = th_alloc(1, sizeof *s, err);
    if (!s)
        return NULL;
    *s = (State){.m = m, .B = B, .kept = th_model_attention_open(m, B, err)};
    return TH_KEEP_IF(s->kept, s, free);
}

static bool feed(void *state, const int *token, int n, float *logits, ThError *err)
{
    State *s = state;
    if (s->begun)
        return th_model_attention_feed(s->kept, token, n, logits, err);
    if (n == INT_MAX)
        return th_fail(err, TH_EVALUE, "the string is too long");
    int *begun TH_OWNED(free) = th_alloc((size_t)s->B * ((size_t)n + 1), sizeof *begun, err);
    if (!begun)
        return false;
    begin_strings(s->m, token, s->B, n, begun);
    s->begun = th_model_attention_feed(s->kept, begun, n + 1, logits, err);
    return s->begun;
}

static void reset(void *state)
{
    State *s = state;
    s->begun = false;
    th_model_attention_reset(s->kept);
}

/* ---- inspection ---- */

/* Leaves out what is about the first symbol itself; as a key it is called the pad. */
static void drop_first(ThModelTraceLayer *l, bool all)
{
    size_t n = (size_t)l->n_rows, keys = (size_t)l->n_keys, skip = all ? 1 : 0, left = n - skip;
    for (int h = 0; h < l->n_heads; h++)
        memmove(l->weight + (size_t)h * left * keys, l->weight + ((size_t)h * n + skip) * keys,
                left * keys * sizeof *l->weight);
    memmove(l->state, l->state + skip * (size_t)l->dim, left * (size_t)l->dim * sizeof *l->state);
    memmove(l->key, l->key + skip * keys, left * keys * sizeof *l->key);
    memmove(l->last, l->last + skip, left * sizeof *l->last);
    l->n_rows = (int)left;
    l->before = (int)skip;
    for (size_t i = 0; i < left; i++)
        l->last[i]--;
    for (size_t i = 0; i < left * keys; i++)
        l->key[i] = l->key[i] == TH_MODEL_KEY_MASKED ? TH_MODEL_KEY_MASKED
                    : l->key[i] == 0                 ? TH_MODEL_KEY_PAD
                                                     : l->key[i] - 1;
}

static bool trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out, ThError *err)
{
    if (!th_model_attention_trace(m, t, length + 1, out, err))
        return false;
    for (int i = 0; i < out->n_layers; i++)
        drop_first(&out->layer[i], out->layer[i].n_rows > 1);
    return true;
}

const ThModelKind th_model_bare = {
    .name = "bare",
    .summary = "Transformer without layer norms, whose layers only add to the residual stream",
    .source = "Elhage et al. 2021 (A Mathematical Framework for Transformer Circuits); Lindner et "
              "al. 2023 (Tracr)",
    .detail = "Every string begins with a symbol of its own, which other positions can attend to "
              "where nothing else is to be found; it is called the pad where attention is shown, "
              "and takes the first position.  ReLU; biases everywhere.  compile writes programs "
              "into it.",
    .options = options,
    .takes_noise = true,
    .check = th_model_attention_check,
    .bind = bind,
    .forward = forward,
    .answer = th_model_attention_answer,
    .trace = trace,
    .keeps = th_model_attention_keeps,
    .open = open_state,
    .feed = feed,
    .reset = reset,
    .close = close_state,
};
