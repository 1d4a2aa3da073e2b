/* The Neural Data Router (Csordás, Irie and Schmidhuber 2022, section 3): one block, applied again
 * and again, whose attention stops at the nearest key that matches, and whose gate copies what is
 * not yet to be worked on. */
#include <math.h>

#include "models/attention/sentence_pairs.h"
#include "models/halting/shared_block_trace.h"

static const ThOptionSpec options[] = {
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the hidden vectors"},
    {"heads", TH_INT, "4", 1, 1024, NULL, "attention heads; they divide dim"},
    {"steps", TH_INT, "10", 1, TH_POSITION_LAYERS, NULL, "how often the block is applied"},
    {"mlp_ratio", TH_INT, "2", 1, 64, NULL,
     "width of the feed-forward layer, in multiples of dim; the gate's is dim"},
    {"geometric", TH_FLAG, "yes", 0, 0, NULL,
     "attention goes outward from the query up to the first key that matches; no: a softmax, with "
     "what position= adds"},
    {"dropout", TH_REAL, "0", 0, 0.9, NULL,
     "while training, share of what attention and the feed-forward layer make that is dropped"},
    {"attention_dropout", TH_REAL, "0", 0, 0.9, NULL,
     "geometric=no: while training, share of the attention's weights that is dropped"},
    {"gate_dropout", TH_REAL, "0.05", 0, 0.9, NULL,
     "while training, share of positions whose gate stays shut in an application"},
    {"causal", TH_FLAG, "no", 0, 0, NULL,
     "positions see only those before them: stick-breaking attention, where it is geometric; with "
     "geometric=no themselves, too"},
    {"ends", TH_FLAG, "yes", 0, 0, NULL,
     "for one answer a string, a start symbol before it and an end symbol behind it"},
    {"pool", TH_CHOICE, "start", 0, 0, "start|mean|end",
     "what one answer a string is read from: the first position, the mean, the last one; with "
     "causal=yes the first has seen nothing"},
    {"position", TH_CHOICE, "none", 0, 0, TH_POSITION_CHOICES,
     "geometric=no: how positions enter; help models says what each is"},
#include "models/position/position_options.def"
};
enum { START, MEAN, LAST }; /* pool= */

typedef struct {
    ThModelEncoder encoder; /* of which reading, attention's matrices and the norms are used */
    /* Indices into the parameter table, of geometric attention: what is added to queries; what
     * products and sides are multiplied by, and what is added to all logits. */
    int query_bias, by_product, by_side, base;
    int side, side_bias;
    ThModelNorm norm1, norm2;
    ThModelNetwork feed_forward, gate;
    ThModelHead head;
    bool geometric;
    int pool, steps;
    double gate_dropout;
} Layout;

/* ---- forward ---- */

/* A learned number for each of n rows. */
static ThVar as_column(ThTape *t, int param, int n)
{
    int *zero = th_tape_take(t, (size_t)n, sizeof *zero);
    if (!zero)
        return -1;
    memset(zero, 0, (size_t)n * sizeof *zero);
    return th_op_rows(t, th_param(t, param), zero, n, 1);
}

/* What a position adds to its logits for keys behind it, and for those ahead. */
static ThVar sides(ThTape *t, const Layout *l, ThVar x)
{
    int n = th_tape_rows(t, x), columns = 2 * l->encoder.attention.heads;
    ThVar d = th_op_linear(t, x, th_param(t, l->side), th_param(t, l->side_bias));
    d = th_op_times_column(t, d, as_column(t, l->by_side, n));
    ThVar base = th_op_reshape(t, as_column(t, l->base, columns), 1, columns);
    return th_op_add_row(t, d, base);
}

static ThVar attend_outward(ThTape *t, const Layout *l, const ThModelStrings *s, ThVar x, int step)
{
    const ThModelAttentionLayer *y = &l->encoder.attention.layer[0];
    ThVar q = th_op_add_row(t, th_model_project(t, x, y->query, -1), th_param(t, l->query_bias));
    q = th_op_times_column(t, q, as_column(t, l->by_product, th_tape_rows(t, x)));
    ThVar kv = th_model_project(t, x, y->key_value, -1);
    th_tape_note(t, q, "query", step);
    th_model_note_keys(t, kv, step);
    ThOpGeometric how = {.B = s->B,
                         .T = s->T,
                         .heads = l->encoder.attention.heads,
                         .causal = l->encoder.attention.causal,
                         .length = s->length,
                         .tag = step};
    ThVar mixed = th_op_geometric_attention(t, q, kv, sides(t, l, x), &how);
    th_tape_note(t, mixed, "heads", step);
    return th_tape_note(t, th_model_project(t, mixed, y->output, -1), "attended", step);
}

static ThVar attend(ThTape *t, const Layout *l, const ThModelStrings *s, ThVar x, int step,
                    ThRng *rng)
{
    if (l->geometric)
        return attend_outward(t, l, s, x, step);
    const ThModelAttention *a = &l->encoder.attention;
    ThModelStream stream = {.x = x, .B = s->B, .T = s->T, .length = s->length, .step = step};
    stream.rng = rng;
    stream.span = (ThPositionSpan){.B = s->B, .T = s->T, .place = s->place};
    th_position_prepare(&a->position, t, s->length, NULL, &stream.span);
    return th_model_attend(t, a, 0, &stream, x);
}

/* While training some rows stay as they were. */
static ThVar hold(ThTape *t, const Layout *l, ThVar before, ThVar x, ThRng *rng)
{
    int n = th_tape_rows(t, x);
    float *open = rng && l->gate_dropout > 0 ? th_tape_take(t, 2 * (size_t)n, sizeof *open) : NULL;
    if (!open)
        return x;
    for (int i = 0; i < n; i++) {
        open[i] = th_rng_uniform(rng) >= l->gate_dropout;
        open[n + i] = 1 - open[i];
    }
    return th_op_add(t, th_op_times_column(t, x, th_tape_constant(t, n, 1, open)),
                     th_op_times_column(t, before, th_tape_constant(t, n, 1, open + n)));
}

static ThVar apply(ThTape *t, const Layout *l, const ThModelStrings *s, ThVar x, int step,
                   ThRng *rng)
{
    double dropout = l->encoder.dropout;
    ThVar attended = th_op_dropout(t, attend(t, l, s, x, step, rng), dropout, rng);
    ThVar u = th_model_norm_sum(t, &l->norm1, attended, x);
    ThVar f = th_tape_note(t, th_model_network_relu(t, &l->feed_forward, u), "feed_forward", step);
    ThVar made = th_model_norm(t, &l->norm2, th_op_dropout(t, f, dropout, rng));
    ThVar gate = th_model_network_relu(t, &l->gate, u);
    return hold(t, l, x, th_op_gate(t, gate, made, x), rng);
}

static ThVar pool(ThTape *t, const Layout *l, const ThModelStrings *s, ThVar x)
{
    if (l->pool != START)
        return th_model_encoder_pool(t, s, x,
                                     l->pool == MEAN ? TH_MODEL_POOL_MEAN : TH_MODEL_POOL_END);
    int *first = th_tape_take(t, (size_t)s->B, sizeof *first);
    for (int b = 0; first && b < s->B; b++)
        first[b] = s->length[b] > 0 ? b * s->T : -1;
    return first ? th_op_rows(t, x, first, s->B, 1) : -1;
}

/* From all rows of strings. */
static ThVar answer(const Layout *l, const ThModel *m, ThTape *t, const ThModelStrings *s, ThVar x)
{
    if (m->signature.target == TH_TARGET_FINAL)
        x = pool(t, l, s, x);
    if (m->signature.pairs)
        x = th_model_compare(t, th_tape_tag(t, x, "sentence", -1));
    return th_model_head(t, &l->head, x);
}

/* Of the vectors of one string, ends included. */
static ThVar answer_string(const ThModel *m, ThTape *t, ThVar x)
{
    int rows = th_tape_rows(t, x);
    return answer(m->layout, m, t, &(ThModelStrings){.B = 1, .T = rows, .length = &rows}, x);
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    const Layout *l = m->layout;
    ThModelStrings s;
    ThVar x = th_model_encoder_read(&l->encoder, t, m, b, how, &s, NULL);
    for (int i = 0; x >= 0 && i < l->steps; i++) {
        x = apply(t, l, &s, x, i, how->rng);
        if (how->noise > 0)
            x = th_op_noise(t, x, how->noise, how->rng);
        x = th_tape_tag(t, x, "state", i);
    }
    return x < 0 ? -1 : answer(l, m, t, &s, x);
}

/* ---- parameters ---- */

/* base: what its answers begin at. */
static ThModelNetwork network(ThModelBuilder *b, const char *name, int d, int wide, double gain,
                              double base)
{
    return (ThModelNetwork){
        th_model_build_glorot(b, th_model_build_name(name, "up").text, d, wide, sqrt(2)),
        th_model_build_vector(b, th_model_build_name(name, "up_bias").text, wide, TH_INIT_ZERO),
        th_model_build_glorot(b, th_model_build_name(name, "down").text, wide, d, gain),
        th_model_build(b, th_model_build_name(name, "down_bias").text, 1, d, TH_INIT_CONSTANT,
                       base)};
}

/* A learned number. */
static int number(ThModelBuilder *b, const char *name, double begins)
{
    return th_model_build(b, name, 1, 1, TH_INIT_CONSTANT, begins);
}

/* A head's matrices are drawn as (d, d/heads), so that its sides do not count those of others. */
static void build_attention(Layout *l, ThModelBuilder *b)
{
    ThModelAttention *a = &l->encoder.attention;
    int d = a->dim, width = d / a->heads;
    double of_head = sqrt(2.0 * d / (d + width));
    a->layer[0] = (ThModelAttentionLayer){
        .query = th_model_build_glorot(b, "attention.query", d, d, of_head),
        .key_value = th_model_build_glorot(b, "attention.key_value", d, 2 * d, of_head * sqrt(1.5)),
        .output = th_model_build_glorot(b, "attention.output", d, d, of_head),
        .query_bias = -1,
        .key_value_bias = -1,
        .output_bias = -1};
    th_param_hidden(&b->m->params, a->layer[0].key_value, 2);
    th_position_bind_layer(&a->position, b, 0);
    if (!l->geometric)
        return;
    l->query_bias = th_model_build_vector(b, "attention.query_bias", d, TH_INIT_ZERO);
    l->by_product = number(b, "attention.by_product", 1 / sqrt(width));
    l->by_side = number(b, "attention.by_side", 1);
    l->base = number(b, "attention.base", 0);
    l->side = th_model_build_glorot(b, "attention.side", d, 2 * a->heads, 1);
    l->side_bias = th_model_build_vector(b, "attention.side_bias", 2 * a->heads, TH_INIT_ZERO);
}

static bool bind(ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    const ThSignature *s = &m->signature;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    th_model_encoder_begin(&l->encoder, &b, 1, 1);
    b.matrix = NULL; /* the head begins as heads do */
    int d = l->encoder.attention.dim;
    l->geometric = th_option_flag(o, "geometric");
    l->pool = th_option_choice(o, "pool");
    l->steps = (int)th_option_int(o, "steps");
    l->gate_dropout = th_option_real(o, "gate_dropout");
    build_attention(l, &b);
    l->norm1 = th_model_build_norm(&b, "norm1", d);
    l->feed_forward =
        network(&b, "feed_forward", d, d * (int)th_option_int(o, "mlp_ratio"), 5.0 / 3, 0);
    l->norm2 = th_model_build_norm(&b, "norm2", d);
    l->gate = network(&b, "gate", d, d, 1, -3); /* nearly shut */
    l->head = th_model_build_head(&b, s->pairs ? 4 * d : d);
    return !b.failed;
}

static bool check(const ThOptions *o, ThError *err)
{
    bool geometric = th_option_flag(o, "geometric");
    if (geometric && strcmp(th_option_text(o, "position"), "none") != 0)
        return th_fail(err, TH_EUSAGE,
                       "geometric attention has no positions: position= goes with geometric=no");
    if (geometric && th_option_real(o, "attention_dropout") > 0)
        return th_fail(err, TH_EUSAGE, "attention_dropout= goes with geometric=no");
    return th_model_encoder_check(o, true, err);
}

const ThModelKind th_model_ndr = {
    .name = "ndr",
    .summary = "Neural Data Router: a shared block with geometric attention and a gate that copies",
    .source = "Csordás, Irie and Schmidhuber 2022, section 3; Tan et al. 2024 for causal=yes",
    .detail =
        "One block is applied steps= times. Its attention goes from a position outward, ahead "
        "before behind, and takes each key with a probability of its own, times that of not having "
        "taken a nearer one; a position adds a number of its own to its logits on each side, and "
        "no positions enter. What the feed-forward layer makes of it, through layer norm, replaces "
        "the vector where a gate opens, which begins nearly shut; elsewhere it is copied, so that "
        "an operation waits until its arguments are there. The paper: steps= at least the depth "
        "of the strings, and some more; it uses dim=512 heads=16 steps=20 for lists and reads the "
        "answer at the start symbol.",
    .options = options,
    .takes_noise = true,
    .check = check,
    .bind = bind,
    .reads_pairs = true,
    .forward = forward,
    .answer = answer_string,
    .trace = th_model_steps_trace,
};
