#include "models/attention/encoder.h"

#include <math.h>

#include "models/attention/sentence_pairs.h"

enum { START, END, N_ENDS }; /* rows of the parameter `ends` */

bool th_model_encoder_check(const ThOptions *o, bool again, ThError *err)
{
    if (again && strcmp(th_option_text(o, "position"), "random") == 0)
        return th_fail(err, TH_EUSAGE, "position=random is not for a block that is applied again");
    return th_model_attention_check(o, err);
}

/* ---- parameters ---- */

int th_model_build_glorot(ThModelBuilder *b, const char *name, int rows, int cols, double gain)
{
    int index =
        th_model_build(b, name, rows, cols, TH_INIT_UNIFORM, gain * sqrt(6.0 / (rows + cols)));
    th_param_hidden(&b->m->params, index, 1);
    return index;
}

/* Uniform within 1/√in. */
static int even(ThModelBuilder *b, const char *name, const char *part, int rows, int cols, int in)
{
    return th_model_build(b, th_model_build_name(name, part).text, rows, cols, TH_INIT_UNIFORM,
                          1 / sqrt(in));
}

ThModelNetwork th_model_build_decision(ThModelBuilder *b, const char *name, int in, int dim,
                                       int out)
{
    ThModelNetwork n = {even(b, name, "up", in, dim, in), even(b, name, "up_bias", 1, dim, in),
                        even(b, name, "down", dim, out, dim),
                        even(b, name, "down_bias", 1, out, dim)};
    th_param_hidden(&b->m->params, n.up, 1);
    return n;
}

/* Queries, keys and values, and what becomes of them.  Keys and values are drawn as two matrices
 * side by side: the bound is that of (d, d). */
static void build_attention(ThModelBuilder *b, const char *name, int d, int *query, int *key_value,
                            int *output)
{
    *query = th_model_build_glorot(b, th_model_build_name(name, "query").text, d, d, sqrt(0.5));
    *key_value =
        th_model_build_glorot(b, th_model_build_name(name, "key_value").text, d, 2 * d, sqrt(0.75));
    th_param_hidden(&b->m->params, *key_value, 2);
    *output = th_model_build_glorot(b, th_model_build_name(name, "output").text, d, d, 1);
}

ThModelCross th_model_build_cross(ThModelBuilder *b, const char *name, int dim)
{
    ThModelCross c = {
        .asks = th_model_build_norm(b, th_model_build_name(name, "norm_query").text, dim),
        .asked = th_model_build_norm(b, th_model_build_name(name, "norm_key").text, dim)};
    build_attention(b, name, dim, &c.query, &c.key_value, &c.output);
    return c;
}

void th_model_encoder_begin(ThModelEncoder *e, ThModelBuilder *b, int blocks, double deviation)
{
    const ThOptions *o = &b->m->options;
    int d = (int)th_option_int(o, "dim");
    b->matrix = th_model_build_glorot;
    th_model_attention_init(&e->attention, o, blocks);
    e->dropout = th_option_real(o, "dropout");
    e->attention.embedding =
        th_model_build(b, "embedding", b->m->signature.n_symbols, d, TH_INIT_NORMAL, deviation);
    th_position_bind(&e->attention.position, b);
    e->ends = -1;
    if (b->m->signature.target == TH_TARGET_FINAL && th_option_flag(o, "ends"))
        e->ends = th_model_build(b, "ends", N_ENDS, d, TH_INIT_NORMAL, 1);
}

void th_model_encoder_block(ThModelEncoder *e, ThModelBuilder *b, bool reads_memory, bool gated)
{
    int number = b->layer < 0 ? 0 : b->layer, d = e->attention.dim;
    int wide = d * (int)th_option_int(&b->m->options, "mlp_ratio");
    ThModelAttentionLayer *a = &e->attention.layer[number];
    ThModelBlock *y = &e->block[number];
    *a = (ThModelAttentionLayer){.query_bias = -1, .key_value_bias = -1, .output_bias = -1};
    *y = (ThModelBlock){.reads_memory = reads_memory, .gated = gated};
    y->norm1 = th_model_build_norm(b, "norm1", d);
    build_attention(b, "attention", d, &a->query, &a->key_value, &a->output);
    th_position_bind_layer(&e->attention.position, b, number);
    if (reads_memory)
        y->memory = th_model_build_cross(b, "memory", d);
    y->norm2 = th_model_build_norm(b, "norm2", d);
    y->feed_forward = th_model_build_network(b, "feed_forward", d, wide, d);
    if (gated)
        y->gate = th_model_build_network(b, "gate", d, wide, d);
}

void th_model_encoder_end(ThModelEncoder *e, ThModelBuilder *b)
{
    const ThSignature *s = &b->m->signature;
    int d = e->attention.dim;
    e->last.gain = -1;
    if (th_option_flag(&b->m->options, "final_norm"))
        e->last = th_model_build_norm(b, "final_norm", d);
    e->answer = th_model_build_decision(b, "head", s->pairs ? 4 * d : d, d, s->n_classes);
}

/* ---- pieces ---- */

ThVar th_model_cross_keys(ThTape *t, const ThModelCross *c, ThVar memory)
{
    return th_op_linear(t, th_model_norm(t, &c->asked, memory), th_param(t, c->key_value), -1);
}

ThVar th_model_cross(ThTape *t, const ThModelCross *c, const ThModelCrossing *how, ThVar x,
                     ThVar key_value)
{
    ThVar q = th_op_linear(t, th_model_norm(t, &c->asks, x), th_param(t, c->query), -1);
    ThVar read = th_op_attention(t, q, key_value,
                                 &(ThOpAttention){.B = how->B,
                                                  .T = th_tape_rows(t, key_value) / how->B,
                                                  .heads = how->heads,
                                                  .across = true,
                                                  .u = -1,
                                                  .v = -1,
                                                  .xl = -1,
                                                  .tag = how->tag,
                                                  .length = how->length,
                                                  .dropout = how->attention_dropout,
                                                  .rng = how->rng});
    ThVar more = th_op_linear(t, read, th_param(t, c->output), -1);
    return th_op_add(t, x, th_op_dropout(t, more, how->dropout, how->rng));
}

/* ---- reading ---- */

/* For each row of the strings which of n rows, of the symbols (their tokens, or NULL where each has
 * a row of its own) it is, or n + START or END; -1 behind the end.  NULL where memory runs out. */
static int *put_ends(ThTape *t, const ThModelStrings *s, const int *token, int n)
{
    int rows = s->B * s->T, *from = th_tape_take(t, (size_t)rows, sizeof *from);
    for (int i = 0; from && i < rows; i++) {
        int at = i % s->T, last = s->length[i / s->T] - 1;
        int symbol = i / s->T * (s->T - N_ENDS) + at - 1;
        from[i] = at == 0      ? n + START
                  : at == last ? n + END
                  : at > last  ? -1
                  : token      ? token[symbol]
                               : symbol;
    }
    return from;
}

/* Where the symbols of drawn strings stand, which have ends in front and behind or none. */
static const int *places_of(ThTape *t, const ThModelStrings *s, int T)
{
    int n = s->B * T, first = s->T > T, *at = th_tape_take(t, (size_t)n, sizeof *at);
    for (int i = 0; at && i < n; i++)
        at[i] = s->place[i / T * s->T + i % T + first];
    return at;
}

/* Adds what the encoding adds to the embeddings of strings of T symbols. */
static ThVar place(const ThModelEncoder *e, ThTape *t, const ThModelStrings *s, int T, ThVar x)
{
    ThPositionRows rows = {.n = s->B * T, .T = T};
    if (s->place && e->attention.position.kind->at_input)
        rows.position = places_of(t, s, T);
    return th_position_at_input(&e->attention.position, t, x, &rows);
}

/* Whether a row depends on the symbol alone. */
static bool may_copy(const ThModelEncoder *e, const ThModelForward *how)
{
    return how->share && !th_position_adds(&e->attention.position) &&
           (e->dropout == 0 || !how->rng);
}

ThVar th_model_encoder_read(const ThModelEncoder *e, ThTape *t, const ThModel *m, const ThBatch *b,
                            const ThModelForward *how, ThModelStrings *strings, ThModelCopies *of)
{
    bool copies = of && may_copy(e, how);
    ThBatch sides;
    if (m->signature.pairs && !th_model_sides(t, m->signature.n_symbols - 1, b, &sides))
        return -1;
    b = m->signature.pairs ? &sides : b;
    int more = e->ends < 0 ? 0 : N_ENDS, n = b->B * b->T;
    int *length = th_tape_take(t, (size_t)b->B, sizeof *length);
    if (!length)
        return -1;
    for (int i = 0; i < b->B; i++)
        length[i] = th_batch_length(b, i) + more;
    ThPositionSpan span = {.B = b->B, .T = b->T + more};
    th_position_draw(&e->attention.position, t, length, how->rng, &span);
    *strings = (ThModelStrings){.B = b->B, .T = span.T, .length = length, .place = span.place};
    ThVar x = th_param(t, e->attention.embedding);
    const int *row = b->token;
    if (!copies) {
        x = th_tape_tag(t, th_op_rows(t, x, b->token, n, 1), "embedding", -1);
        x = th_op_dropout(t, x, e->dropout, how->rng);
        if (!e->anew)
            x = place(e, t, strings, b->T, x);
        ThPositionText text = {b->B, b->T, b->T, b->token, b->length};
        x = th_position_at_places(&e->attention.position, t, x, &text, how->rng);
    }
    if (e->ends >= 0) {
        row = put_ends(t, strings, copies ? row : NULL, th_tape_rows(t, x));
        x = th_op_stack(t, x, th_param(t, e->ends));
    }
    if (of)
        *of = (ThModelCopies){.table = copies ? x : -1, .row = row};
    bool whole = !copies && e->ends < 0;
    return !row ? -1 : whole ? x : th_op_rows(t, x, row, strings->B * strings->T, 1);
}

/* ---- blocks ---- */

static ThVar take(ThTape *t, const ThModelApplication *a, ThVar x)
{
    return a->own ? th_op_rows(t, x, a->own, a->n_own, 1) : x;
}

/* What the strings read from themselves. */
static ThVar attend(const ThModelEncoder *e, ThTape *t, int block, const ThModelApplication *a)
{
    const ThModelNorm *n = &e->block[block].norm1;
    const ThModelStrings *s = &a->strings;
    ThModelStream stream = {.B = s->B, .T = s->T, .length = s->length, .step = a->tag - block};
    stream.rng = a->rng;
    stream.span = (ThPositionSpan){.B = s->B, .T = s->T, .place = s->place};
    th_position_prepare(&e->attention.position, t, s->length, NULL, &stream.span);
    bool copies = a->of && a->of->table >= 0;
    stream.token = copies ? a->of->row : NULL;
    ThVar read = th_model_norm(t, n, copies ? a->of->table : a->h);
    ThVar from = a->from < 0 || copies ? read : th_model_norm(t, n, a->from);
    return th_model_attend_to(t, &e->attention, block, &stream, read, from);
}

ThVar th_model_encoder_apply(const ThModelEncoder *e, ThTape *t, int block,
                             const ThModelApplication *a)
{
    const ThModelBlock *y = &e->block[block];
    ThVar before = take(t, a, a->h), attended = take(t, a, attend(e, t, block, a));
    ThVar x = th_op_add(t, before, th_op_dropout(t, attended, e->dropout, a->rng));
    if (y->reads_memory)
        x = th_model_cross(t, &y->memory,
                           &(ThModelCrossing){.B = a->strings.B,
                                              .heads = e->attention.heads,
                                              .tag = a->memory_tag,
                                              .dropout = e->dropout,
                                              .attention_dropout = e->attention.dropout,
                                              .rng = a->rng},
                           x, a->memory);
    ThVar read = th_model_norm(t, &y->norm2, x);
    ThVar f = th_tape_note(t, th_model_network(t, &y->feed_forward, read), "feed_forward", a->tag);
    ThVar made = th_op_add(t, x, th_op_dropout(t, f, e->dropout, a->rng));
    if (!y->gated)
        return made;
    return th_op_gate(t, th_model_network(t, &y->gate, read), made, before);
}

/* ---- answers ---- */

ThVar th_model_encoder_finish(const ThModelEncoder *e, ThTape *t, ThVar x)
{
    return e->last.gain < 0 ? x : th_model_norm(t, &e->last, x);
}

int *th_model_encoder_last(ThTape *t, const ThModelStrings *s)
{
    int *row = th_tape_take(t, (size_t)s->B, sizeof *row);
    for (int b = 0; row && b < s->B; b++)
        row[b] = s->length[b] > 0 ? b * s->T + s->length[b] - 1 : -1;
    return row;
}

ThVar th_model_encoder_pool(ThTape *t, const ThModelStrings *s, ThVar x, int pool)
{
    int n = s->B * s->T, *to = th_tape_take(t, (size_t)n, sizeof *to);
    int *last = th_model_encoder_last(t, s);
    float *share = th_tape_take(t, (size_t)s->B, sizeof *share);
    if (!to || !last || !share)
        return -1;
    if (pool == TH_MODEL_POOL_END)
        return th_op_rows(t, x, last, s->B, 1);
    for (int b = 0; b < s->B; b++)
        share[b] = s->length[b] > 0 ? 1 / (float)s->length[b] : 0;
    for (int i = 0; i < n; i++)
        to[i] = i % s->T < s->length[i / s->T] ? i / s->T : -1;
    return th_op_times_column(t, th_op_scatter(t, x, to, s->B),
                              th_tape_constant(t, s->B, 1, share));
}

ThVar th_model_encoder_answer(const ThModelEncoder *e, ThTape *t, const ThModel *m, ThVar x)
{
    if (m->signature.pairs)
        x = th_model_compare(t, th_tape_tag(t, x, "sentence", -1));
    return th_model_network_relu(t, &e->answer, x);
}
