/* RegularGPT (Chi, Fan, Rudnicky, Ramadge 2023): one Transformer layer, shared over all levels, and
 * sliding dilated attention, so that a string is combined like the leaves of a tree and the depth
 * grows with its length.  Names follow the paper: C chunk, K thickness, r relative scalars. */
#include <math.h>

#include "models/attention/attention.h"
#include "models/attention/routing.h"
#include "models/state.h"

static const ThOptionSpec options[] = {
    {"size", TH_CHOICE, "small", 0, 0, "small|paper|text",
     "where they are not given, paper: dim=256 heads=8, its size for regular languages (0.8 "
     "million parameters, at most 3e10 operations a step of 128 strings of 40 symbols); text: "
     "dim=768 heads=12 layers_per_level=6 arity=128 norm=pre missing=mask head=tied, its language "
     "model (43 million and 768 for each symbol, 3e11 operations for 512 symbols)"},
    {"dim", TH_INT, "64", 2, 65536, NULL, "width of the hidden vectors"},
    {"heads", TH_INT, "4", 1, 1024, NULL, "attention heads; they divide dim"},
    {"arity", TH_INT, "2", 2, 4096, NULL,
     "C: children of a node, vectors that are combined at a time; the paper's chunk size"},
    {"layers_per_level", TH_INT, "1", 1, 64, NULL,
     "K: layers of each level, with weights of their own; the paper's thickness"},
    {"mlp_ratio", TH_INT, "4", 1, 65536, NULL,
     "width of the feed-forward layer, in widths of the model: up to 64, more where compiled"},
    {"fan_in", TH_INT, "0", 0, 64, NULL,
     "sparse: numbers that a hidden unit reads, of which it then writes one, drawn at the start; "
     "0: all"},
    {"levels", TH_INT, "1", 1, 64, NULL,
     "levels at least, however short the string: with as many as training had, what was learnt on "
     "long windows is used from the first symbol on"},
    {"form", TH_CHOICE, "auto", 0, 0, "auto|collapse|dilated",
     "collapse keeps the chunks' ends only, dilated every position; auto: what the task needs"},
    {"missing", TH_CHOICE, "pad", 0, 0, "pad|mask",
     "what stands before the string: a learned vector, or nothing"},
    {"norm", TH_CHOICE, "post", 0, 0, "post|pre",
     "post: layer norm after each residual sum, ReLU; pre: the GPT-2 block with GELU and biases"},
    {"head", TH_CHOICE, "own", 0, 0, "own|tied",
     "the last matrix: one of its own, or the embeddings again, where the answers are symbols"},
    {"activation", TH_CHOICE, "auto", 0, 0, "auto|relu|gelu", "of the feed-forward layer"},
    {"init", TH_CHOICE, "paper", 0, 0, "paper|wide",
     "paper: embeddings of deviation 0.02; wide: embeddings and pad of deviation 1, which learns "
     "in fewer steps"},
    {"codebook", TH_INT, "0", 0, 65536, NULL,
     "vectors to the nearest of which every level's output is quantised, as quantize makes them; "
     "0: none"},
    {"edge_codebook", TH_INT, "0", 0, 65536, NULL,
     "how many of them, the last, serve subtrees that lack symbols, and no others"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
static const ThModelPreset presets[] = {
    {"paper", "dim=256 heads=8"},
    {"text", "dim=768 heads=12 layers_per_level=6 arity=128 norm=pre missing=mask head=tied"},
    {NULL, NULL}};
enum { FORM_AUTO, FORM_COLLAPSE, FORM_DILATED };            /* form= */
enum { MISSING_PAD, MISSING_MASK };                         /* missing= */
enum { NORM_POST, NORM_PRE };                               /* norm= */
enum { HEAD_OWN, HEAD_TIED };                               /* head= */
enum { ACTIVATION_AUTO, ACTIVATION_RELU, ACTIVATION_GELU }; /* activation= */
enum { INIT_PAPER, INIT_WIDE };                             /* init= */

enum { MOST_LAYERS = 64 };

/* Indices into the parameter table. */
typedef struct {
    ThModelAttentionLayer attention; /* biases with norm=pre only */
    int relative;
    ThModelNorm norm1, norm2;
    ThModelNetwork feed_forward;
    int from, to; /* coordinates that units read and write, where fan is not 0 */
} Layer;

typedef struct {
    int dim, heads, fan;
    bool pre, wide, gelu; /* norm=pre, init=wide */
    ThModelRoutingShape shape;
    int embedding, pad;
    ThModelNorm last;         /* norm=pre only */
    ThModelHead head;         /* its weight is -1: tied */
    int centres;              /* -1: none */
    int n_centres, n_edge;    /* the last n_edge serve subtrees that lack symbols */
    Layer layer[MOST_LAYERS]; /* (K) */
} Layout;

static bool check(const ThOptions *o, ThError *err)
{
    long long centres = th_option_int(o, "codebook"), edge = th_option_int(o, "edge_codebook");
    if (edge > 0 && edge >= centres)
        return th_fail(err, TH_EUSAGE, "edge_codebook=%lld leaves none of codebook=%lld for others",
                       edge, centres);
    return th_model_check_heads(o, err);
}

/* ---- parameters ---- */

/* How wide weights start: Haiku's truncated normal by fan-in as released, GPT-2's 0.02 for the
 * pre-norm reading, a plain normal by fan-in for init=wide. */
static int weight(ThModelBuilder *b, const char *name, int rows, int cols, double by)
{
    const Layout *l = b->m->layout;
    if (!l->wide && !l->pre)
        return th_model_build_matrix(b, name, rows, cols);
    double deviation = (l->wide ? 1 / sqrt(rows) : 0.02) * by;
    int index = th_model_build(b, name, rows, cols, TH_INIT_NORMAL, deviation);
    th_param_hidden(&b->m->params, index, 1);
    return index;
}

static int bias(ThModelBuilder *b, const char *name, int cols)
{
    return th_model_build_vector(b, name, cols, TH_INIT_ZERO);
}

/* Units that read some coordinates: which, is drawn, and no training changes it. */
static int wires(ThModelBuilder *b, const char *name, int rows, int cols, int dim)
{
    int index = th_model_build(b, name, rows, cols, TH_INIT_PLACE, dim);
    if (index >= 0)
        b->m->params.item[index].decays = false;
    return index;
}

static void add_wired(ThModelBuilder *b, const Layout *l, int units, Layer *y)
{
    ThModelNetwork *n = &y->feed_forward;
    int d = l->dim;
    n->up = th_model_build(b, "feed_forward.up", units, l->fan, TH_INIT_NORMAL, 1 / sqrt(l->fan));
    y->from = wires(b, "feed_forward.from", units, l->fan, d);
    n->up_bias = bias(b, "feed_forward.up_bias", units);
    n->down = th_model_build(b, "feed_forward.down", 1, units, TH_INIT_NORMAL,
                             sqrt((double)d / units) * (b->shrink > 0 ? b->shrink : 1));
    y->to = wires(b, "feed_forward.to", 1, units, d);
    n->down_bias = bias(b, "feed_forward.down_bias", d);
}

static void add_layer(ThModelBuilder *b, const Layout *l, int units, Layer *y)
{
    int d = l->dim;
    ThModelAttentionLayer *a = &y->attention;
    a->query = th_model_build_hidden(b, "attention.query", d, d, false);
    a->key_value = th_model_build_hidden(b, "attention.key_value", d, 2 * d, false);
    th_param_hidden(&b->m->params, a->key_value, 2);
    a->output = th_model_build_hidden(b, "attention.output", d, d, true);
    a->query_bias = l->pre ? bias(b, "attention.query_bias", d) : -1;
    a->key_value_bias = l->pre ? bias(b, "attention.key_value_bias", 2 * d) : -1;
    a->output_bias = l->pre ? bias(b, "attention.output_bias", d) : -1;
    y->relative = th_model_build(b, "attention.relative", l->heads, l->shape.C, TH_INIT_NORMAL,
                                 l->wide ? 0 : 0.02);
    y->norm1 = th_model_build_norm(b, "norm1", d);
    if (l->fan > 0)
        add_wired(b, l, units, y);
    else
        y->feed_forward = th_model_build_network(b, "feed_forward", d, units, d);
    y->norm2 = th_model_build_norm(b, "norm2", d);
}

static bool read_shape(const ThModel *m, Layout *l, ThError *err)
{
    const ThOptions *o = &m->options;
    bool every = m->signature.target != TH_TARGET_FINAL;
    l->dim = (int)th_option_int(o, "dim");
    l->heads = (int)th_option_int(o, "heads");
    l->fan = (int)th_option_int(o, "fan_in");
    int form = th_option_choice(o, "form"), activation = th_option_choice(o, "activation");
    l->pre = th_option_choice(o, "norm") == NORM_PRE;
    l->wide = th_option_choice(o, "init") == INIT_WIDE;
    l->gelu = activation == ACTIVATION_AUTO ? l->pre : activation == ACTIVATION_GELU;
    l->shape = (ThModelRoutingShape){.C = (int)th_option_int(o, "arity"),
                                     .K = (int)th_option_int(o, "layers_per_level"),
                                     .levels = (int)th_option_int(o, "levels"),
                                     .collapse = form == FORM_AUTO ? !every : form == FORM_COLLAPSE,
                                     .mask = th_option_choice(o, "missing") == MISSING_MASK,
                                     .every = every};
    if (!every || !l->shape.collapse)
        return true;
    return th_fail(err, TH_EUSAGE,
                   "form=collapse answers for the whole string only, and this task asks at every "
                   "position") ||
           th_hint(err, "make the model with form=dilated, or leave form out");
}

static bool bind(ThModel *m, ThError *err)
{
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l || !read_shape(m, l, err))
        return false;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err, .matrix = weight};
    int d = l->dim, units = d * (int)th_option_int(&m->options, "mlp_ratio");
    bool tied = th_option_choice(&m->options, "head") == HEAD_TIED;
    if (tied && !m->signature.next)
        return th_fail(err, TH_EUSAGE, "head=tied: the task's answers are not symbols");
    /* GPT-2 shrinks what is added to the residual stream by 1/√(2·layers); six levels is what a
     * string of 40 symbols needs. */
    b.shrink = l->pre || l->wide ? 1 / sqrt(2.0 * 6 * l->shape.K) : 0;
    /* One row more than symbols, as in the released code, which is never read; but where rows are
     * answers, too. */
    l->embedding = th_model_build(&b, "embedding", m->signature.n_symbols + !tied, d,
                                  l->wide || l->pre ? TH_INIT_NORMAL : TH_INIT_TRUNCATED,
                                  l->wide ? 1 / sqrt(d) : 0.02);
    l->pad = th_model_build(&b, "pad", 1, d, TH_INIT_NORMAL, l->wide ? 1 : 0.02);
    for (b.layer = 0; b.layer < l->shape.K; b.layer++)
        add_layer(&b, l, units, &l->layer[b.layer]);
    b.layer = -1;
    if (l->pre)
        l->last = th_model_build_norm(&b, "final_norm", d);
    l->n_centres = (int)th_option_int(&m->options, "codebook");
    l->n_edge = (int)th_option_int(&m->options, "edge_codebook");
    l->centres =
        l->n_centres == 0 ? -1 : th_model_build(&b, "centres", l->n_centres, d, TH_INIT_NORMAL, 1);
    l->head.weight = -1;
    if (!tied)
        l->head = th_model_build_head(&b, d);
    return !b.failed;
}

/* ---- forward ---- */

static ThVar feed_forward(ThTape *t, const Layout *l, const Layer *y, ThVar u, int stage)
{
    const ThModelNetwork *n = &y->feed_forward;
    if (l->fan == 0)
        return th_tape_note(t, l->gelu ? th_model_network(t, n, u) : th_model_network_relu(t, n, u),
                            "feed_forward", stage);
    ThVar f = th_op_wired(t, &(ThOpWired){u, th_param(t, n->up), th_param(t, y->from),
                                          th_param(t, n->up_bias), th_param(t, n->down),
                                          th_param(t, y->to), l->gelu});
    return th_op_add_row(t, f, th_param(t, n->down_bias));
}

/* Attention of the stage's vectors: x holds the rows of the stage before and the pad's, own those
 * of them that ask. */
static ThVar attend(ThTape *t, const Layout *l, const Layer *y, const ThModelRoutingStage *s,
                    ThVar x, ThVar own)
{
    const ThModelAttentionLayer *a = &y->attention;
    ThVar q = th_model_project(t, own, a->query, a->query_bias);
    ThVar kv = th_model_project(t, x, a->key_value, a->key_value_bias);
    th_tape_note(t, q, "query", s->number);
    th_model_note_keys(t, kv, s->number);
    ThVar o = th_op_window_attention(t, q, kv, th_param(t, y->relative),
                                     &(ThOpWindowShape){.query = s->query,
                                                        .key = s->key,
                                                        .n = s->n,
                                                        .C = l->shape.C,
                                                        .heads = l->heads,
                                                        .tag = s->number});
    o = th_tape_note(t, o, "heads", s->number);
    o = th_model_project(t, o, a->output, a->output_bias);
    return th_tape_note(t, o, "attended", s->number);
}

static ThVar run_stage(ThTape *t, const Layout *l, const Layer *y, const ThModelRoutingStage *s,
                       ThVar x)
{
    if (s->uses_pad)
        x = th_op_stack(t, x, th_param(t, l->pad));
    ThVar own = th_op_rows(t, x, s->self, s->n_self, 1);
    ThVar residual = s->identity ? own : th_op_rows(t, own, s->query, s->n, 1);
    if (l->pre) {
        ThVar z = th_model_norm(t, &y->norm1, x);
        ThVar z_own = th_op_rows(t, z, s->self, s->n_self, 1);
        ThVar u = th_op_add(t, residual, attend(t, l, y, s, z, z_own));
        ThVar v = th_model_norm(t, &y->norm2, u);
        return th_op_add(t, u, feed_forward(t, l, y, v, s->number));
    }
    ThVar u = th_model_norm_sum(t, &y->norm1, attend(t, l, y, s, x, own), residual);
    return th_model_norm_sum(t, &y->norm2, feed_forward(t, l, y, u, s->number), u);
}

static ThVar combine(const ThModel *m, ThTape *t, ThVar x, const int *child, int n)
{
    const Layout *l = m->layout;
    int C = l->shape.C, before = th_tape_rows(t, x);
    int *self = th_tape_take(t, (size_t)n, sizeof *self);
    int *query = th_tape_take(t, (size_t)n, sizeof *query);
    int *key = th_tape_take(t, (size_t)n * (size_t)C, sizeof *key);
    if (x < 0 || !self || !query || !key)
        return -1;
    for (int i = 0; i < n * C; i++)
        key[i] = child[i] >= 0 ? child[i] : l->shape.mask ? -1 : before;
    for (int i = 0; i < n; i++) {
        self[i] = child[i * C];
        query[i] = i;
    }
    ThModelRoutingStage s = {.n = n,
                             .n_before = before,
                             .uses_pad = !l->shape.mask,
                             .n_self = n,
                             .self = self,
                             .query = query,
                             .key = key,
                             .identity = true};
    return run_stage(t, l, &l->layer[0], &s, x);
}

static ThVar answer(const ThModel *m, ThTape *t, ThVar x)
{
    const Layout *l = m->layout;
    if (l->pre)
        x = th_model_norm(t, &l->last, x);
    return l->head.weight < 0 ? th_op_linear_transposed(t, x, th_param(t, l->embedding))
                              : th_model_head(t, &l->head, x);
}

/* ---- snapping ---- */

/* Returns which vectors of a stage lack symbols: a child of theirs is missing, or lacks some. */
static bool *find_edges(ThTape *t, const ThModelRoutingStage *s, int C, const bool *below)
{
    bool *edge = th_tape_take(t, (size_t)s->n, sizeof *edge);
    for (int i = 0; edge && i < s->n; i++) {
        edge[i] = false;
        for (int k = 0; k < C; k++) {
            int row = s->key[i * C + k];
            edge[i] |= row < 0 || row == s->n_before || (below && below[row]);
        }
    }
    return edge;
}

/* The first of n centres that is nearest to z. */
static int nearest(const double *z, const double *centre, int n, int d)
{
    int near = 0;
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        double square = 0;
        for (int k = 0; k < d; k++)
            square += (z[k] - centre[i * d + k]) * (z[k] - centre[i * d + k]);
        if (square < least) {
            least = square;
            near = i;
        }
    }
    return near;
}

/* The rows of x become the nearest centres of their kind. */
static ThVar snap(ThTape *t, const Layout *l, ThVar x, const bool *edge)
{
    ThVar centres = th_param(t, l->centres);
    int n = th_tape_rows(t, x), d = l->dim, others = l->n_centres - l->n_edge;
    double *z = th_tape_take(t, (size_t)n * (size_t)d, sizeof *z);
    double *c = th_tape_take(t, (size_t)l->n_centres * (size_t)d, sizeof *c);
    int *index = th_tape_take(t, (size_t)n, sizeof *index);
    if (x < 0 || !edge || !z || !c || !index)
        return -1;
    th_tape_read(t, x, z);
    th_tape_read(t, centres, c);
    for (int i = 0; i < n * d; i++)
        if (!isfinite(z[i])) /* the nearest centre would hide it */
            return th_tape_fail(t, TH_ENUMERIC, "a vector that should snap is not finite");
    for (int i = 0; i < n; i++) {
        int from = l->n_edge > 0 && edge[i] ? others : 0;
        int among = from > 0 ? l->n_edge : others;
        index[i] =
            from + nearest(z + (size_t)i * (size_t)d, c + (size_t)from * (size_t)d, among, d);
    }
    return th_op_rows(t, centres, index, n, 1);
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    const Layout *l = m->layout;
    ThModelRouting r;
    if (!th_model_routing_build(th_tape_arena(t), &l->shape, b, m->signature.n_symbols, how->share,
                                &r))
        return th_tape_fail(t, TH_ENOMEM, "out of memory for strings of length %d", b->T);
    ThVar x = th_op_rows(t, th_param(t, l->embedding), r.input, r.n_inputs, sqrt(l->dim));
    if (!how->share)
        x = th_tape_tag(t, x, "embedding", -1);
    const bool *edge = NULL;
    ThVar done = -1; /* answers of strings that are shorter than others */
    for (int i = 0; i < r.n_stages; i++) {
        x = r.stage[i].output = run_stage(t, l, &l->layer[r.schedule[i].sub], &r.stage[i], x);
        if (how->noise > 0 && r.schedule[i].ends_level)
            x = th_op_noise(t, x, how->noise, how->rng);
        if (l->centres >= 0) {
            edge = find_edges(t, &r.stage[i], l->shape.C, edge);
            x = r.schedule[i].ends_level ? snap(t, l, x, edge) : x;
        }
        x = th_tape_tag(t, x, "state", i);
        if (r.stage[i].n_done > 0) {
            ThVar y = th_op_rows(t, x, r.stage[i].done, r.stage[i].n_done, 1);
            done = done < 0 ? y : th_op_stack(t, done, y);
        }
    }
    if (how->routing)
        *how->routing = r;
    return th_op_rows(t, answer(m, t, done < 0 ? x : done), r.output, r.n_outputs, 1);
}

/* ---- inspection ---- */

/* Key k of a stage's row as a position of the string; `before` is the stage before, or NULL. */
static int key_position(const ThModelSchedule *before, int key)
{
    if (key < 0)
        return key == TH_MODEL_ROUTE_MASKED ? TH_MODEL_KEY_MASKED : TH_MODEL_KEY_PAD;
    int position = before ? before->position[key] : key;
    return position < 0 ? TH_MODEL_KEY_PAD : position;
}

static bool trace_stage(const Layout *l, const ThTape *t, const ThModelSchedule *s, int stage,
                        ThModelTraceLayer *layer, ThError *err)
{
    int C = l->shape.C;
    ThModelTraceLayer shape = {.n_rows = s->n, .dim = l->dim, .n_heads = l->heads, .n_keys = C};
    if (!th_model_trace_rows(layer, &shape, err))
        return false;
    long long reach = th_model_routing_span(&l->shape, s);
    for (int i = 0; i < s->n; i++) {
        long long first = s->position[i] - reach;
        const int *key = s->key + (size_t)i * (size_t)C;
        layer->last[i] = s->position[i];
        layer->first[i] = first < 0 ? 0 : (int)first;
        for (int k = 0; k < C; k++)
            layer->key[(size_t)i * (size_t)C + (size_t)k] =
                key_position(stage ? s - 1 : NULL, key[k]);
    }
    th_tape_read(t, th_tape_find(t, "state", stage), layer->state);
    size_t size = (size_t)s->n * (size_t)(l->heads * C);
    double *weights TH_OWNED(free) = th_alloc(size, sizeof *weights, err);
    if (!weights)
        return false;
    th_tape_read(t, th_tape_find(t, "attention", stage), weights);
    for (int i = 0; i < s->n; i++)
        for (int h = 0; h < l->heads; h++)
            memcpy(layer->weight + ((size_t)h * (size_t)s->n + (size_t)i) * (size_t)C,
                   weights + ((size_t)i * (size_t)l->heads + (size_t)h) * (size_t)C,
                   (size_t)C * sizeof *weights);
    return true;
}

static bool trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out, ThError *err)
{
    const Layout *l = m->layout;
    ThArena *a = th_arena_new(err);
    int n = 0;
    ThModelSchedule *s = a ? th_model_routing_schedule(a, &l->shape, length, &n) : NULL;
    bool ok = s && th_model_trace_layers(out, n, err);
    for (int i = 0; ok && i < n; i++)
        ok = trace_stage(l, t, &s[i], i, &out->layer[i], err);
    if (!s)
        th_fail(err, TH_ENOMEM, "out of memory for strings of length %d", length);
    th_arena_free(a);
    return ok;
}

static int levels(const ThModel *m, int length)
{
    const Layout *l = m->layout;
    return th_model_routing_levels(&l->shape, length);
}

/* ---- symbol by symbol ---- */

/* The vectors that a stage has computed: of position p those of all strings, (B, dim), from p*B on.
 * A stage that a longer string needs for the first time computes those of all positions. */
typedef struct {
    float *row;
    size_t cap;
    int n; /* positions */
} Computed;

/* Stage 0 is the embeddings, stage i + 1 application i of a layer.  Only the dilated form keeps
 * anything: where the chunks of the other one end depends on the string's length.  What snaps to
 * centres keeps nothing either. */
typedef struct {
    const ThModel *m;
    ThTape *tape;
    int B, n; /* strings; symbols of each */
    int n_stages;
    Computed *stage; /* (n_stages) */
    size_t cap;
} Kept;

static bool keeps(const ThModel *m)
{
    const Layout *l = m->layout;
    return !l->shape.collapse && l->n_centres == 0;
}

static void close_kept(void *state)
{
    Kept *k TH_OWNED(free) = state;
    if (!k)
        return;
    for (int i = 0; i < k->n_stages; i++)
        free(k->stage[i].row);
    free(k->stage);
    th_tape_free(k->tape);
}

static void *open_kept(const ThModel *m, int B, ThError *err)
{
    Kept *k = th_alloc(1, sizeof *k, err);
    if (!k)
        return NULL;
    *k = (Kept){.m = m, .B = B, .tape = th_model_tape(m, TH_TAPE_FLOAT, 1, err)};
    if (k->tape)
        return k;
    close_kept(k);
    return NULL;
}

static void reset_kept(void *state)
{
    Kept *k = state;
    for (int i = 0; i < k->n_stages; i++)
        k->stage[i].n = 0;
    k->n = 0;
}

static bool add_stages(Kept *k, int stages, ThError *err)
{
    if (!th_grow(&k->stage, &k->cap, (size_t)stages, sizeof *k->stage, err))
        return false;
    for (; k->n_stages < stages; k->n_stages++)
        k->stage[k->n_stages] = (Computed){0};
    return true;
}

/* The vectors of the stage after `before`, at all positions that `to` has not. */
static ThVar run_kept(const Kept *k, const Computed *before, const Computed *to, int number)
{
    const Layout *l = k->m->layout;
    ThTape *t = k->tape;
    ThModelRoutingStage s;
    ThModelRoutingSpan span = {.B = k->B, .first = to->n, .end = k->n};
    const int *row = th_model_routing_next(th_tape_arena(t), &l->shape, &span, number, &s);
    if (!row)
        return th_tape_fail(t, TH_ENOMEM, "out of memory for strings of length %d", k->n);
    ThVar x = th_tape_view(t, k->n * k->B, l->dim, before->row);
    x = th_op_rows(t, x, row, s.n_before, 1);
    return run_stage(t, l, &l->layer[number % l->shape.K], &s, x);
}

static bool store(const Kept *k, Computed *to, ThVar x, ThError *err)
{
    const Layout *l = k->m->layout;
    size_t d = (size_t)l->dim, had = (size_t)to->n * (size_t)k->B * d;
    size_t size = (size_t)(k->n - to->n) * (size_t)k->B * d;
    if (!th_tape_ok(k->tape, err) || !th_grow(&to->row, &to->cap, had + size, sizeof *to->row, err))
        return false;
    memcpy(to->row + had, th_tape_floats(k->tape, x), size * sizeof *to->row);
    return true;
}

/* All stages read k->n symbols; their counts move at the end only, as a failure changes nothing. */
static bool read_on(Kept *k, const int *token, int n, int stages, ThVar *x, ThError *err)
{
    const Layout *l = k->m->layout;
    ThTape *t = k->tape;
    int *index = th_tape_take(t, (size_t)n * (size_t)k->B, sizeof *index);
    for (int i = 0; index && i < n * k->B; i++)
        index[i] = token[i % k->B * n + i / k->B];
    *x = index ? th_op_rows(t, th_param(t, l->embedding), index, n * k->B, sqrt(l->dim)) : -1;
    bool ok = store(k, &k->stage[0], *x, err);
    for (int i = 0; ok && i < stages; i++) {
        *x = run_kept(k, &k->stage[i], &k->stage[i + 1], i);
        ok = store(k, &k->stage[i + 1], *x, err);
    }
    return ok;
}

static bool feed(void *state, const int *token, int n, float *logits, ThError *err)
{
    Kept *k = state;
    const Layout *l = k->m->layout;
    int stages = th_model_routing_levels(&l->shape, k->n + n) * l->shape.K;
    ThVar x;
    th_tape_begin(k->tape, TH_TAPE_NO_GRADIENT);
    k->n += n;
    bool ok = add_stages(k, stages + 1, err) && read_on(k, token, n, stages, &x, err);
    if (ok) {
        int *last = th_tape_take(k->tape, (size_t)k->B, sizeof *last);
        for (int b = 0; last && b < k->B; b++)
            last[b] = th_tape_rows(k->tape, x) - k->B + b;
        ThVar z = last ? answer(k->m, k->tape, th_op_rows(k->tape, x, last, k->B, 1)) : -1;
        ok = th_tape_ok(k->tape, err);
        if (ok)
            th_model_last_logits(k->tape, z, k->B, logits);
    }
    for (int i = 0; ok && i <= stages; i++)
        k->stage[i].n = k->n;
    k->n -= ok ? 0 : n;
    return ok;
}

static const char *changed(const ThOptions *o)
{
    bool mask = th_option_choice(o, "missing") == MISSING_MASK;
    return mask && th_option_int(o, "layers_per_level") > 1 &&
                   th_option_choice(o, "form") != FORM_DILATED
               ? "layers after the first of a level read what is before the string"
               : NULL;
}

const ThModelKind th_model_regulargpt = {
    .name = "regulargpt",
    .summary = "weight-shared Transformer with sliding dilated attention and adaptive depth",
    .source = "Chi, Fan, Rudnicky and Ramadge 2023, sections 3 and 4",
    .detail =
        "Level l attends to the positions at distances 0, Cˡ, 2Cˡ, … (C-1)Cˡ, so that after ⌈log_C "
        "T⌉ levels the last position has read the whole string as a tree of chunks. All levels "
        "share the weights of K layers; in front of the string stands a learned pad.\n\n"
        "Only the vectors that an answer depends on are computed, and those with equal symbols "
        "below them only once in a batch, which changes no result. Noise while training (train … "
        "noise=0.3) is drawn once per distinct vector.\n\n"
        "On tasks that ask at every position it has form=dilated, and is a language model there "
        "(section 6): size=text is the paper's, layers_per_level= K and arity= C (K 6 or 12, C 32 "
        "to 256 in its Table 3). A string longer than Cˡ needs more than l levels, and what "
        "training has not had is no good in general: evaluate says so.  With an answer at every "
        "position all positions go through the levels of the whole string, so that an answer can "
        "move with the length of what follows, though not with its symbols; levels= for the "
        "longest string keeps it.\n\n"
        "With codebook= every level's output snaps to the nearest of so many vectors: a finite "
        "algebra, as quantize makes of a trained model.  Training moves the centres and what is "
        "read off them, for nothing else has a slope.",
    .changed = changed,
    .options = options,
    .presets = presets,
    .takes_noise = true,
    .recipe = "noise=0.3",
    .combine = combine,
    .causal = true,
    .levels = levels,
    .check = check,
    .bind = bind,
    .forward = forward,
    .answer = answer,
    .trace = trace,
    .keeps = keeps,
    .open = open_kept,
    .feed = feed,
    .reset = reset_kept,
    .close = close_kept,
};
