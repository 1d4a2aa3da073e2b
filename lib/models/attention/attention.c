/* Self-attention over the positions of a batch, and over those that generation has kept. */
#include "models/attention/attention.h"

#include <limits.h>

#include "models/state.h"

enum { MOST_LAYERS = TH_POSITION_LAYERS };

struct ThModelKept {
    const ThModel *m;
    ThTape *tape;
    int B;     /* strings */
    int *text; /* (span, B): the symbols at those positions, with places= */
    size_t cap_text;
    int n;                  /* positions whose keys and values are there */
    int span;               /* positions that there is room for, and that the modifiers know */
    float *kv[MOST_LAYERS]; /* (B, heads, span, 2 dim/heads) */
    ThPositionModifiers modifiers[MOST_LAYERS]; /* in the arena */
    ThArena *arena;
};

/* ---- sizes and parameters ---- */

void th_model_attention_init(ThModelAttention *a, const ThOptions *o, int layers)
{
    *a = (ThModelAttention){
        .scale = 1,
        .dim = (int)th_option_int(o, "dim"),
        .heads = (int)th_option_int(o, "heads"),
        .layers = layers,
        .dropout =
            th_option_known(o, "attention_dropout") ? th_option_real(o, "attention_dropout") : 0,
        .hard = th_option_known(o, "attention") ? (ThTapeHard)th_option_choice(o, "attention")
                                                : TH_TAPE_SOFT,
        .causal = !th_option_known(o, "causal") || th_option_flag(o, "causal")};
    th_position_init(&a->position, o, a->dim, a->heads, a->causal);
}

bool th_model_check_heads(const ThOptions *o, ThError *err)
{
    long long dim = th_option_int(o, "dim"), heads = th_option_int(o, "heads");
    if (dim % heads == 0)
        return true;
    return th_fail(err, TH_EUSAGE, "dim=%lld cannot be cut into heads=%lld equal parts", dim,
                   heads) ||
           th_hint(err, "heads must divide dim");
}

bool th_model_attention_check(const ThOptions *o, ThError *err)
{
    ThModelAttention a;
    if (!th_model_check_heads(o, err))
        return false;
    th_model_attention_init(&a, o, 0);
    if (a.hard && !(a.causal && strcmp(a.position.kind->name, "none") == 0))
        return th_fail(err, TH_EUSAGE, "attention=%s needs causal=yes position=none",
                       th_option_text(o, "attention"));
    return th_position_check(&a.position, err);
}

void th_model_attention_layer(ThModelAttention *a, ThModelBuilder *b, bool biased)
{
    ThModelAttentionLayer *y = &a->layer[b->layer];
    int d = a->dim;
    *y = (ThModelAttentionLayer){.query_bias = -1, .key_value_bias = -1, .output_bias = -1};
    y->query = th_model_build_hidden(b, "attention.query", d, d, false);
    if (biased)
        y->query_bias = th_model_build_vector(b, "attention.query_bias", d, TH_INIT_ZERO);
    y->key_value = th_model_build_hidden(b, "attention.key_value", d, 2 * d, false);
    th_param_hidden(&b->m->params, y->key_value, 2);
    if (biased)
        y->key_value_bias =
            th_model_build_vector(b, "attention.key_value_bias", 2 * d, TH_INIT_ZERO);
    y->output = th_model_build_hidden(b, "attention.output", d, d, true);
    if (biased)
        y->output_bias = th_model_build_vector(b, "attention.output_bias", d, TH_INIT_ZERO);
    th_position_bind_layer(&a->position, b, b->layer);
}

/* ---- the stream ---- */

static ThVar take(ThTape *t, ThVar v, const int *index, int n)
{
    return index ? th_op_rows(t, v, index, n, 1) : v;
}

static int first_of(const ThModelStream *s)
{
    return s->kept ? s->kept->n : 0;
}

static ThPositionRows rows_of(const ThModelStream *s)
{
    return (ThPositionRows){
        .n = s->B * s->T, .T = s->T, .first = first_of(s), .position = s->span.place};
}

/* What was read before, with the symbols of a batch behind it, (B, k->n + b->T). */
static int *whole_text(ThTape *t, ThModelKept *k, const ThBatch *b)
{
    int T = k->n + b->T, *token = th_tape_take(t, (size_t)b->B * (size_t)T, sizeof *token);
    for (int i = 0; token && i < b->B * T; i++) {
        int at = i % T, *kept = k->text + (size_t)at * (size_t)b->B + i / T;
        if (at >= k->n)
            *kept = b->token[i / T * b->T + at - k->n];
        token[i] = *kept;
    }
    return token;
}

/* The embedded symbols of a batch, plus what the positional encoding adds; in shared form (`token`)
 * where all equal symbols are equal rows. */
static ThModelStream embed(ThTape *t, const ThModelAttention *a, const ThBatch *b,
                           const ThModelForward *how, ThModelKept *kept)
{
    ThVar table = th_param(t, a->embedding);
    ThModelStream s = {.B = b->B, .T = b->T, .length = b->length, .kept = kept, .rng = how->rng};
    s.span = (ThPositionSpan){.B = b->B, .T = b->T};
    if (!kept)
        th_position_prepare(&a->position, t, b->length, how->rng, &s.span);
    if (how->share && !th_position_adds(&a->position)) {
        s.token = b->token;
        s.x = a->scale == 1 ? table : th_op_scale(t, table, a->scale);
        return s;
    }
    s.x = th_op_rows(t, table, b->token, b->B * b->T, a->scale);
    if (!how->share)
        s.x = th_tape_tag(t, s.x, "embedding", -1);
    ThPositionRows rows = rows_of(&s);
    s.x = th_position_at_input(&a->position, t, s.x, &rows);
    if (a->position.places) {
        ThPositionText text = {b->B, b->T + first_of(&s), b->T, b->token, b->length};
        text.token = kept ? whole_text(t, kept, b) : b->token;
        s.x = th_position_at_places(&a->position, t, s.x, &text, how->rng);
    }
    return s;
}

/* From here on only the ends of the strings matter. */
static void keep_ends(ThTape *t, ThModelStream *s)
{
    int *row = th_tape_take(t, 2 * (size_t)s->B, sizeof *row), *at = row ? row + s->B : NULL;
    for (int b = 0; row && b < s->B; b++) {
        int last = b * s->T + (s->length ? s->length[b] : s->T) - 1;
        row[b] = s->token ? s->token[last] : last;
        at[b] = s->span.place ? s->span.place[last] : last % s->T + first_of(s);
    }
    s->last = row;
    s->last_at = at;
}

ThVar th_model_stream_rows(ThTape *t, const ThModelStream *s, ThVar v)
{
    return s->last ? take(t, v, s->last, s->B) : take(t, v, s->token, s->B * s->T);
}

/* ---- attention ---- */

ThVar th_model_project(ThTape *t, ThVar x, int weight, int bias)
{
    return th_op_linear(t, x, th_param(t, weight), bias < 0 ? -1 : th_param(t, bias));
}

static ThVar queries(ThTape *t, const ThModelAttention *a, int layer, const ThModelStream *s,
                     ThVar x)
{
    const ThModelAttentionLayer *y = &a->layer[layer];
    ThPositionRows rows = rows_of(s);
    ThVar q = th_model_project(t, s->last ? take(t, x, s->last, s->B) : x, y->query, y->query_bias);
    if (s->last)
        rows = (ThPositionRows){.n = s->B, .T = 1, .position = s->last_at};
    else
        q = take(t, q, s->token, rows.n);
    return th_position_at_queries(&a->position, t, q, &rows);
}

static ThVar keys(ThTape *t, const ThModelAttention *a, int layer, const ThModelStream *s, ThVar x)
{
    const ThModelAttentionLayer *y = &a->layer[layer];
    ThPositionRows rows = rows_of(s);
    ThVar kv = th_model_project(t, x, y->key_value, y->key_value_bias);
    return th_position_at_keys(&a->position, t, take(t, kv, s->token, rows.n), &rows);
}

/* Puts new keys and values behind those that are kept; returns them all, with the room behind. */
static ThVar keep_keys(ThTape *t, ThModelKept *k, int layer, ThVar kv)
{
    const ThModelAttention *a = k->m->layout;
    size_t heads = (size_t)a->heads, width = (size_t)(a->dim / a->heads), d = (size_t)a->dim;
    size_t rows = kv < 0 ? 0 : (size_t)th_tape_rows(t, kv), n = rows / (size_t)k->B;
    const float *from = rows > 0 ? th_tape_floats(t, kv) : NULL;
    for (size_t i = 0; from && i < rows * heads; i++) {
        size_t row = i / heads, head = i % heads, string = row / n;
        size_t at = (string * heads + head) * (size_t)k->span + (size_t)k->n + row % n;
        float *to = k->kv[layer] + at * 2 * width;
        memcpy(to, from + row * 2 * d + head * width, width * sizeof *to);
        memcpy(to + width, from + row * 2 * d + d + head * width, width * sizeof *to);
    }
    return th_tape_view(t, k->B * a->heads * k->span, (int)(2 * width), k->kv[layer]);
}

void th_model_note_keys(ThTape *t, ThVar kv, int index)
{
    int d = th_tape_cols(t, kv) / 2;
    if (!th_tape_keeps_named(t))
        return;
    th_tape_tag(t, th_op_columns(t, kv, 0, d), "key", index);
    th_tape_tag(t, th_op_columns(t, kv, d, d), "value", index);
}

ThVar th_model_attend(ThTape *t, const ThModelAttention *a, int layer, const ThModelStream *s,
                      ThVar x)
{
    return th_model_attend_to(t, a, layer, s, x, x);
}

ThVar th_model_attend_to(ThTape *t, const ThModelAttention *a, int layer, const ThModelStream *s,
                         ThVar x, ThVar from)
{
    const ThModelAttentionLayer *y = &a->layer[layer];
    ThVar q = queries(t, a, layer, s, x), kv = keys(t, a, layer, s, from);
    ThOpAttention how = {.B = s->B,
                         .T = s->T,
                         .heads = a->heads,
                         .causal = a->causal,
                         .hard = a->hard,
                         .u = -1,
                         .v = -1,
                         .xl = -1,
                         .tag = layer + s->step,
                         .length = s->length,
                         .dropout = a->dropout,
                         .rng = s->rng};
    th_tape_note(t, q, "query", how.tag);
    th_model_note_keys(t, kv, how.tag);
    if (s->kept) {
        kv = keep_keys(t, s->kept, layer, kv);
        how.T += s->kept->n;
        how.room = s->kept->span;
        how.by_heads = true;
        th_position_reuse(&s->kept->modifiers[layer], t, &how);
    } else {
        th_position_at_attention(&a->position, t, layer, &s->span, &how);
    }
    ThVar heads = th_tape_note(t, th_op_attention(t, q, kv, &how), "heads", how.tag);
    return th_tape_note(t, th_model_project(t, heads, y->output, y->output_bias), "attended",
                        how.tag);
}

/* ---- the whole ---- */

/* Behind what was kept; kept is NULL for a whole batch. */
static ThVar run(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how,
                 ThModelKept *kept)
{
    const ThModelAttention *a = m->layout;
    ThModelStream s = embed(t, a, b, how, kept);
    for (int i = 0; i < a->layers; i++) {
        if (i == a->layers - 1 && m->signature.target == TH_TARGET_FINAL)
            keep_ends(t, &s);
        s.x = a->blocks->layer(t, m, i, &s, how->rng);
        s.token = NULL;
        if (how->noise > 0)
            s.x = th_op_noise(t, s.x, how->noise, how->rng);
        s.x = th_tape_tag(t, s.x, "state", i);
    }
    return a->blocks->answer(t, m, s.x);
}

ThVar th_model_attention_answer(const ThModel *m, ThTape *t, ThVar x)
{
    const ThModelAttention *a = m->layout;
    return a->blocks->answer(t, m, x);
}

ThVar th_model_attention_forward(const ThModel *m, ThTape *t, const ThBatch *b,
                                 const ThModelForward *how)
{
    return run(m, t, b, how, NULL);
}

/* ---- generation ---- */

void th_model_attention_close(void *state)
{
    ThModelKept *k TH_OWNED(free) = state;
    if (!k)
        return;
    for (int i = 0; i < MOST_LAYERS; i++)
        free(k->kv[i]);
    free(k->text);
    th_arena_free(k->arena);
    th_tape_free(k->tape);
}

bool th_model_attention_keeps(const ThModel *m)
{
    const ThModelAttention *a = m->layout;
    return th_position_stays(&a->position);
}

void *th_model_attention_open(const ThModel *m, int B, ThError *err)
{
    ThModelKept *k = th_alloc(1, sizeof *k, err);
    if (!k)
        return NULL;
    k->m = m;
    k->B = B;
    k->tape = th_model_tape(m, TH_TAPE_FLOAT, 1, err);
    k->arena = th_arena_new(err);
    if (k->tape && k->arena)
        return k;
    th_model_attention_close(k);
    return NULL;
}

/* What the encoding has to say about positions 0 … span-1, in all layers. */
static bool keep_modifiers(ThModelKept *k, int span, ThError *err)
{
    const ThModelAttention *a = k->m->layout;
    const ThPosition *p = &a->position;
    ThPositionSpan all = {.B = 1, .T = span};
    th_arena_reset(k->arena);
    th_tape_begin(k->tape, TH_TAPE_NO_GRADIENT);
    th_position_prepare(p, k->tape, NULL, NULL, &all);
    for (int i = 0; i < a->layers; i++)
        th_position_keep(p, k->tape, i, &all, &k->modifiers[i], k->arena);
    return th_tape_ok(k->tape, err);
}

/* Returns new: what a layer keeps, with room for more positions. */
static float *with_room(const ThModelKept *k, int layer, int span, ThError *err)
{
    const ThModelAttention *a = k->m->layout;
    size_t parts = (size_t)k->B * (size_t)a->heads, cols = 2 * (size_t)(a->dim / a->heads);
    float *to = malloc(parts * (size_t)span * cols * sizeof *to);
    if (!to)
        th_fail(err, TH_ENOMEM, "out of memory (keys and values of %d symbols)", span);
    for (size_t i = 0; to && k->n > 0 && i < parts; i++)
        memcpy(to + i * (size_t)span * cols, k->kv[layer] + i * (size_t)k->span * cols,
               (size_t)k->n * cols * sizeof *to);
    return to;
}

/* Makes room for n positions. */
static bool make_room(ThModelKept *k, int n, ThError *err)
{
    enum { FIRST = 64 };
    const ThModelAttention *a = k->m->layout;
    int span = k->span ? k->span : FIRST;
    while (span < n)
        span = span > INT_MAX / 2 ? n : 2 * span;
    if (span == k->span)
        return true;
    if (a->position.places &&
        !th_grow(&k->text, &k->cap_text, (size_t)span * (size_t)k->B, sizeof *k->text, err))
        return false;
    float *more[MOST_LAYERS];
    for (int i = 0; i < a->layers; i++) {
        more[i] = with_room(k, i, span, err);
        if (!more[i]) {
            while (i-- > 0)
                free(more[i]);
            return false;
        }
    }
    for (int i = 0; i < a->layers; i++) {
        free(k->kv[i]);
        k->kv[i] = more[i];
    }
    k->span = keep_modifiers(k, span, err) ? span : 0;
    return k->span > 0;
}

/* Where new symbols move what was read to other rows of the table of places, keys and values are
 * of no use: b becomes all that was read, and nothing is kept. */
static void begin_anew(ThModelKept *k, ThBatch *b)
{
    const ThModelAttention *a = k->m->layout;
    if (k->n == 0 || !th_position_draws_places(&a->position))
        return;
    int T = k->n + b->T, *token = whole_text(k->tape, k, b);
    ThPositionText text = {.B = b->B, .T = T, .last = T, .token = token};
    if (!token || !th_position_moves_places(&a->position, &text, k->n))
        return;
    *b = (ThBatch){.B = b->B, .T = T, .token = token};
    k->n = 0;
}

/* Reads n symbols more; logits <- those of the last rows.  More than one row a string are not to be
 * had where all is read anew, which is no error. */
static bool read_on(ThModelKept *k, const int *token, int n, int rows, float *logits, ThError *err)
{
    size_t size = (size_t)k->B * (size_t)n;
    int kept = k->n;
    if (n > INT_MAX - k->n || !make_room(k, k->n + n, err))
        return false;
    ThBatch b = {.B = k->B, .T = n};
    th_tape_begin(k->tape, TH_TAPE_NO_GRADIENT);
    b.token = th_tape_take(k->tape, size, sizeof *b.token);
    if (!b.token)
        return th_tape_ok(k->tape, err);
    memcpy(b.token, token, size * sizeof *token);
    begin_anew(k, &b);
    bool all_rows = b.T == n || rows == k->B;
    ThVar z = all_rows ? run(k->m, k->tape, &b, &(ThModelForward){.share = true}, k) : -1;
    if (!th_tape_ok(k->tape, err) || !all_rows) {
        k->n = kept;
        return false;
    }
    k->n += b.T;
    th_model_last_logits(k->tape, z, rows, logits);
    return true;
}

bool th_model_attention_feed(void *state, const int *token, int n, float *logits, ThError *err)
{
    ThModelKept *k = state;
    return read_on(k, token, n, k->B, logits, err);
}

bool th_model_attention_feed_each(void *state, const int *token, int n, float *logits, ThError *err)
{
    return read_on(state, token, n, n, logits, err);
}

void th_model_attention_cut(void *state, int n)
{
    ThModelKept *k = state;
    k->n = n;
}

void th_model_attention_reset(void *state)
{
    ThModelKept *k = state;
    k->n = 0;
}

/* ---- inspection ---- */

static bool trace_layer(const ThModelAttention *a, const ThTape *t, int length, int layer,
                        ThModelTraceLayer *to, ThError *err)
{
    ThVar state = th_tape_find(t, "state", layer);
    ThModelTraceLayer shape = {
        .n_rows = th_tape_rows(t, state), .dim = a->dim, .n_heads = a->heads, .n_keys = length};
    if (!th_model_trace_rows(to, &shape, err))
        return false;
    for (int i = 0; i < to->n_rows; i++) {
        int *key = to->key + (size_t)i * (size_t)length;
        to->last[i] = length - to->n_rows + i;
        for (int j = 0; j < length; j++)
            key[j] = a->causal && j > to->last[i] ? TH_MODEL_KEY_MASKED : j;
    }
    th_tape_read(t, state, to->state);
    th_tape_read(t, th_tape_find(t, "attention", layer), to->weight);
    return true;
}

bool th_model_attention_trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out,
                              ThError *err)
{
    const ThModelAttention *a = m->layout;
    bool ok = th_model_trace_layers(out, a->layers, err);
    for (int i = 0; ok && i < a->layers; i++)
        ok = trace_layer(a, t, length, i, &out->layer[i], err);
    return ok;
}
