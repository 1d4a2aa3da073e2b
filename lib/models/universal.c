/* One block, applied again and again, and a small network that says when that is enough: the
 * Universal Transformer (Dehghani et al. 2019), and its gated form with one decision a string (Ray
 * Chowdhury and Caragea 2024, sections 2 and 3). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "models/attention.h"
#include "models/halting.h"
#include "models/sides.h"
#include "models/steps.h"

#define OPTIONS(halting, gated, moved, pooled)                                                     \
    {"dim", TH_INT, "64", 1, 65536, NULL, "width of the hidden vectors"},                          \
        {"heads", TH_INT, "4", 1, 1024, NULL, "attention heads; they divide dim"},                 \
        {"steps", TH_INT, "6", 1, 64, NULL, "how often the block is applied at most"},             \
        {"hidden",                                                                                 \
         TH_INT,                                                                                   \
         "2",                                                                                      \
         1,                                                                                        \
         64,                                                                                       \
         NULL,                                                                                     \
         "width of the feed-forward layers, in multiples of dim"},                                 \
        {"halt",                                                                                   \
         TH_CHOICE,                                                                                \
         halting,                                                                                  \
         0,                                                                                        \
         0,                                                                                        \
         "none|token|global",                                                                      \
         "what stops: nothing before steps=, every position by itself, or the string"},            \
        {"gate",                                                                                   \
         TH_FLAG,                                                                                  \
         gated,                                                                                    \
         0,                                                                                        \
         0,                                                                                        \
         NULL,                                                                                     \
         "whether a gate chooses between what the block makes and what it read"},                  \
        {"transition",                                                                             \
         TH_FLAG,                                                                                  \
         moved,                                                                                    \
         0,                                                                                        \
         0,                                                                                        \
         NULL,                                                                                     \
         "whether the decision to stop sees the state behind the block, too"},                     \
        {"pool",                                                                                   \
         TH_CHOICE,                                                                                \
         pooled,                                                                                   \
         0,                                                                                        \
         0,                                                                                        \
         "mean|end",                                                                               \
         "what one answer a string is read from: the mean, or the end symbol"},                    \
        {"threshold",                                                                              \
         TH_REAL,                                                                                  \
         "0.999",                                                                                  \
         0,                                                                                        \
         2,                                                                                        \
         NULL,                                                                                     \
         "stop where so much of the mass would have been given away; beyond 1 never"},             \
        {"ponder",                                                                                 \
         TH_REAL,                                                                                  \
         "0.01",                                                                                   \
         0,                                                                                        \
         1000,                                                                                     \
         NULL,                                                                                     \
         "weight in the loss of how often the block was applied"},                                 \
        {"halt_from",                                                                              \
         TH_INT,                                                                                   \
         "0",                                                                                      \
         0,                                                                                        \
         1,                                                                                        \
         NULL,                                                                                     \
         "first state that may get mass: 0 the embedded symbols, 1 what the block makes of them"}, \
        {"dropout",                                                                                \
         TH_REAL,                                                                                  \
         "0",                                                                                      \
         0,                                                                                        \
         0.9,                                                                                      \
         NULL,                                                                                     \
         "while training, share of what each part adds that is dropped"},                          \
        {"causal",                                                                                 \
         TH_FLAG,                                                                                  \
         "no",                                                                                     \
         0,                                                                                        \
         0,                                                                                        \
         NULL,                                                                                     \
         "positions see only those before them and themselves"},                                   \
    {                                                                                              \
        "position", TH_CHOICE, "xpos", 0, 0, TH_POSITION_CHOICES,                                  \
            "how positions enter: help models says what each is"                                   \
    }

enum { HALT_NONE, HALT_TOKEN, HALT_GLOBAL }; /* halt= */
enum { POOL_MEAN, POOL_END };                /* pool= */
enum { START, END, N_ENDS };                 /* rows of the parameter `ends` */

/* A linear map with GELU, and another: indices into the parameter table. */
typedef struct {
    int up, up_bias, down, down_bias;
} Network;

typedef struct {
    ThModelAttention attention;
    int norm1_gain, norm1_offset, norm2_gain, norm2_offset;
    Network feed_forward, gate, halting, answer;
    int ends; /* -1: strings are read as they are */
    int halt, pool, steps, halt_from;
    bool gated, transition;
    double threshold, ponder, dropout;
} Layout;

static bool check(const ThOptions *o, ThError *err)
{
    if (strcmp(th_option_text(o, "position"), "random") == 0)
        return th_fail(err, TH_EUSAGE, "position=random is not for a block that is applied again");
    return th_model_attention_check(o, (int)th_option_int(o, "dim"), (int)th_option_int(o, "heads"),
                                    th_option_flag(o, "causal"), err);
}

/* ---- one application ---- */

/* A pass through a batch.  Strings are B rows of T positions, with their ends if they have any. */
typedef struct {
    ThTape *t;
    const Layout *l;
    ThRng *rng;
    bool shown; /* attention is that of all strings, those that have stopped too */
    int B, T;
    int *length; /* (B) */
    ThModelHalting halting;
    int *row;  /* (B*T): of the rows that go on, in order, where they stand */
    int *pick; /* (B*T): for each row itself, or B*T + its place among those that go on */
    int *unit; /* (n): the units that go on */
    int n_row, n_unit;
    ThVar h, soft; /* states, and their mean by the masses */
} Run;

static bool is_padding(const Run *r, int row)
{
    return row % r->T >= r->length[row / r->T];
}

/* Strings are units where halting is global and nothing may be seen ahead. */
static bool by_string(const Layout *l)
{
    return l->halt != HALT_TOKEN && !l->attention.causal;
}

static int unit_of(const Run *r, int row)
{
    return is_padding(r, row) ? -1 : by_string(r->l) ? row / r->T : row;
}

static ThVar run_network(ThTape *t, const Network *n, ThVar x)
{
    ThVar f = th_op_linear_gelu(t, x, th_param(t, n->up), th_param(t, n->up_bias));
    return th_op_linear(t, f, th_param(t, n->down), th_param(t, n->down_bias));
}

static ThVar norm(ThTape *t, ThVar x, int gain, int offset)
{
    return th_op_layer_norm(t, x, -1, th_param(t, gain), th_param(t, offset));
}

/* Lists what goes on, in arrays of its own, for operations keep them. */
static bool list_active(Run *r)
{
    const ThModelHalting *h = &r->halting;
    int n = r->B * r->T;
    r->row = th_tape_take(r->t, (size_t)n, sizeof *r->row);
    r->pick = th_tape_take(r->t, (size_t)n, sizeof *r->pick);
    r->unit = th_tape_take(r->t, (size_t)h->n, sizeof *r->unit);
    if (!r->row || !r->pick || !r->unit)
        return false;
    r->n_row = r->n_unit = 0;
    for (int i = 0; i < h->n; i++)
        if (h->active[i])
            r->unit[r->n_unit++] = i;
    for (int i = 0; i < n; i++) {
        int u = unit_of(r, i);
        bool active = u >= 0 && h->active[u];
        r->pick[i] = active ? n + r->n_row : i;
        if (active)
            r->row[r->n_row++] = i;
    }
    return true;
}

/* Strings with rows that go on, each with all its rows. */
typedef struct {
    ThModelStream stream;
    int *all,
        *own; /* (B*T) of them: their rows among all; (n_row): those that go on among theirs */
} Part;

static bool take_part(const Run *r, int step, Part *p)
{
    ThTape *t = r->t;
    int n = r->B * r->T, strings = 0;
    int *all = th_tape_take(t, (size_t)n, sizeof *all);
    int *own = th_tape_take(t, (size_t)n, sizeof *own);
    int *length = th_tape_take(t, (size_t)r->B, sizeof *length);
    if (!all || !own || !length)
        return false;
    for (int b = 0, k = 0; b < r->B; b++) {
        int first = k;
        for (; k < r->n_row && r->row[k] / r->T == b; k++)
            own[k] = strings * r->T + r->row[k] % r->T;
        if (k == first && !r->shown)
            continue;
        for (int i = 0; i < r->T; i++)
            all[strings * r->T + i] = b * r->T + i;
        length[strings++] = r->length[b];
    }
    *p = (Part){.all = strings < r->B ? all : NULL, .own = own};
    p->stream = (ThModelStream){.B = strings, .T = r->T, .length = length, .step = step};
    p->stream.span = (ThPositionSpan){.B = strings, .T = r->T};
    th_position_prepare(&r->l->attention.position, t, length, NULL, &p->stream.span);
    return true;
}

static ThVar rows_of(const Run *r, const Part *p, ThVar x)
{
    return p->all ? th_op_rows(r->t, x, p->all, p->stream.B * r->T, 1) : x;
}

/* What the block makes of the rows that go on: (n_row, d). */
static ThVar apply_block(const Run *r, int step)
{
    ThTape *t = r->t;
    const Layout *l = r->l;
    Part p;
    if (!take_part(r, step, &p))
        return -1;
    bool soft = l->halt == HALT_TOKEN;
    ThVar h = rows_of(r, &p, r->h), read = norm(t, h, l->norm1_gain, l->norm1_offset);
    ThVar from = soft ? norm(t, rows_of(r, &p, r->soft), l->norm1_gain, l->norm1_offset) : read;
    ThVar attended = th_model_attend_to(t, &l->attention, 0, &p.stream, read, from);
    ThVar before = th_op_rows(t, h, p.own, r->n_row, 1);
    ThVar a = th_op_add(
        t, before,
        th_op_dropout(t, th_op_rows(t, attended, p.own, r->n_row, 1), l->dropout, r->rng));
    ThVar x = norm(t, a, l->norm2_gain, l->norm2_offset);
    ThVar f = th_tape_note(t, run_network(t, &l->feed_forward, x), "feed_forward", step);
    ThVar made = th_op_add(t, a, th_op_dropout(t, f, l->dropout, r->rng));
    if (!l->gated)
        return made;
    ThVar open = th_op_map(t, run_network(t, &l->gate, x), TH_MAP_SIGMOID);
    return th_op_add(t, before, th_op_multiply(t, open, th_op_subtract(t, made, before)));
}

/* ---- deciding ---- */

/* What is known of each unit: its state, or the mean of its rows, or of the rows up to it. */
static ThVar summary(const Run *r, ThVar h)
{
    ThTape *t = r->t;
    const Layout *l = r->l;
    int n = r->B * r->T;
    if (l->halt == HALT_TOKEN)
        return h;
    float *share = th_tape_take(t, (size_t)n, sizeof *share);
    if (!share)
        return -1;
    if (by_string(l)) {
        for (int b = 0; b < r->B; b++)
            share[b] = 1 / (float)r->length[b];
        return th_op_times_column(t, th_op_scatter(t, h, r->halting.unit, r->B),
                                  th_tape_constant(t, r->B, 1, share));
    }
    float *one = th_tape_take(t, (size_t)l->attention.dim, sizeof *one);
    if (!one)
        return -1;
    for (int k = 0; k < l->attention.dim; k++)
        one[k] = 1;
    for (int i = 0; i < n; i++)
        share[i] = 1 / (float)(i % r->T + 1);
    ThScan sums = {.B = r->B, .T = r->T, .length = r->length};
    ThVar sum = th_op_scan(t, th_tape_constant(t, 1, l->attention.dim, one), h, -1, &sums);
    return th_op_times_column(t, sum, th_tape_constant(t, n, 1, share));
}

/* The probabilities of stopping, of the units that go on: (n_unit, 1). */
static ThVar probabilities(const Run *r, ThVar after)
{
    ThTape *t = r->t;
    ThVar seen = th_op_rows(t, summary(r, r->h), r->unit, r->n_unit, 1);
    if (r->l->transition) {
        ThVar both[] = {seen, th_op_rows(t, summary(r, after), r->unit, r->n_unit, 1)};
        seen = th_op_beside(t, both, 2);
    }
    return th_op_map(t, run_network(t, &r->l->halting, seen), TH_MAP_SIGMOID);
}

/* Decides about the units that go on, of which `after` is what the block makes (not looked at
 * without transition); lists those that go on then. */
static bool decide(Run *r, int step, ThVar after)
{
    bool gives = r->l->halt != HALT_NONE && step >= r->l->halt_from;
    ThVar p = gives ? probabilities(r, after) : -1;
    return th_model_halting_step(&r->halting, p, r->unit, r->n_unit, r->h);
}

/* All rows, with those that went on as the block made them. */
static ThVar merge(const Run *r, ThVar made)
{
    return th_op_rows(r->t, th_op_stack(r->t, r->h, made), r->pick, r->B * r->T, 1);
}

/* Of the rows that the block was applied to, those whose units stopped keep what they were. */
static bool drop_stopped(Run *r, const int *steps_before)
{
    const ThModelHalting *h = &r->halting;
    size_t n = (size_t)h->rows;
    int *pick = th_tape_take(r->t, n, sizeof *pick);
    if (!pick)
        return false;
    memcpy(pick, r->pick, n * sizeof *pick);
    for (int k = 0; k < r->n_row; k++) {
        int row = r->row[k], u = unit_of(r, row);
        if (h->steps[u] == steps_before[u])
            pick[row] = row;
    }
    r->pick = pick;
    return true;
}

/* One application to everything that goes on. */
static bool advance(Run *r, int step)
{
    size_t n = (size_t)r->halting.n;
    int *before = th_tape_take(r->t, n, sizeof *before);
    if (!before || !list_active(r))
        return false;
    memcpy(before, r->halting.steps, n * sizeof *before);
    ThVar made = apply_block(r, step), all = r->l->transition ? merge(r, made) : -1;
    if (!decide(r, step, all) || !drop_stopped(r, before))
        return false;
    r->h = merge(r, made);
    r->h = th_tape_tag(r->t, r->h, "state", step);
    if (r->l->halt == HALT_TOKEN)
        r->soft = th_model_halting_mean(&r->halting, r->h);
    return true;
}

/* ---- the whole ---- */

static bool begin(Run *r, const ThBatch *b)
{
    ThTape *t = r->t;
    const Layout *l = r->l;
    int more = l->ends < 0 ? 0 : N_ENDS;
    r->B = b->B;
    r->T = b->T + more;
    size_t n = (size_t)r->B * (size_t)r->T;
    ThModelHalting *h = &r->halting;
    h->rows = (int)n;
    h->n = by_string(l) ? r->B : h->rows;
    h->threshold = l->threshold;
    r->length = th_tape_take(t, (size_t)r->B, sizeof *r->length);
    int *unit = th_tape_take(t, n, sizeof *unit), *most = th_tape_take(t, n, sizeof *most);
    if (!r->length || !unit || !most)
        return false;
    for (int i = 0; i < r->B; i++)
        r->length[i] = th_batch_length(b, i) + more;
    memset(most, 0, n * sizeof *most);
    for (int i = 0; i < (int)n; i++) {
        unit[i] = unit_of(r, i);
        int longest = r->length[i / r->T] + 1;
        if (unit[i] >= 0)
            most[unit[i]] = l->steps < longest ? l->steps : longest;
    }
    h->unit = unit;
    h->most = most;
    return th_model_halting_begin(h, t);
}

/* The embedded symbols, between the ends. */
static ThVar embed(const Run *r, const ThBatch *b)
{
    ThTape *t = r->t;
    const Layout *l = r->l;
    int n = b->B * b->T;
    ThVar x = th_op_rows(t, th_param(t, l->attention.embedding), b->token, n, 1);
    x = th_tape_tag(t, x, "embedding", -1);
    x = th_op_dropout(t, x, l->dropout, r->rng);
    ThPositionRows rows = {.n = n, .T = b->T};
    x = th_position_at_input(&l->attention.position, t, x, &rows);
    if (l->ends < 0)
        return x;
    int *from = th_tape_take(t, (size_t)r->B * (size_t)r->T, sizeof *from);
    if (!from)
        return -1;
    for (int i = 0; i < r->B * r->T; i++) {
        int at = i % r->T, last = r->length[i / r->T] - 1; /* at is 0 or last of an empty side */
        from[i] = at == 0     ? n + START
                  : at < last ? i / r->T * b->T + at - 1
                  : at > last ? -1
                              : n + END;
    }
    return th_op_rows(t, th_op_stack(t, x, th_param(t, l->ends)), from, r->B * r->T, 1);
}

/* What one answer a string is read from: (B, d). */
static ThVar pool(const Run *r, ThVar x)
{
    ThTape *t = r->t;
    int n = r->B * r->T, *to = th_tape_take(t, (size_t)n, sizeof *to);
    float *share = th_tape_take(t, (size_t)r->B, sizeof *share);
    if (!to || !share)
        return -1;
    for (int b = 0; b < r->B; b++) {
        to[b] = b * r->T + r->length[b] - 1;
        share[b] = 1 / (float)r->length[b];
    }
    if (r->l->pool == POOL_END)
        return th_op_rows(t, x, to, r->B, 1);
    for (int i = 0; i < n; i++)
        to[i] = is_padding(r, i) ? -1 : i / r->T;
    return th_op_times_column(t, th_op_scatter(t, x, to, r->B),
                              th_tape_constant(t, r->B, 1, share));
}

/* What is added to the loss, times `share`: the mean over a string's positions where they are
 * units. */
static void charge(const Run *r, double share)
{
    const ThModelHalting *h = &r->halting;
    float *weight = th_tape_take(r->t, (size_t)h->n, sizeof *weight);
    if (!weight || r->l->halt == HALT_NONE || r->l->ponder == 0)
        return;
    for (int i = 0; i < h->n; i++) {
        int b = by_string(r->l) ? i : i / r->T;
        bool padding = !by_string(r->l) && is_padding(r, i);
        weight[i] = padding ? 0 : (float)(share * r->l->ponder);
        if (!by_string(r->l))
            weight[i] /= (float)r->length[b];
    }
    th_tape_tag(r->t, th_model_halting_cost(h, weight), "cost", -1);
}

static ThVar read_out(ThTape *t, const Network *y, ThVar x)
{
    x = th_op_linear_relu(t, x, th_param(t, y->up), th_param(t, y->up_bias));
    return th_op_linear(t, x, th_param(t, y->down), th_param(t, y->down_bias));
}

/* Of the vectors of one string, ends included. */
static ThVar answer(const ThModel *m, ThTape *t, ThVar x)
{
    const Layout *l = m->layout;
    Run r = {.t = t, .l = l, .B = 1, .T = th_tape_rows(t, x), .length = &r.T};
    return read_out(t, &l->answer, m->signature.target == TH_TARGET_FINAL ? pool(&r, x) : x);
}

static ThVar forward(const ThModel *m, ThTape *t, const ThBatch *b, const ThModelForward *how)
{
    Run r = {.t = t, .l = m->layout, .rng = how->rng, .shown = th_tape_keeps_named(t)};
    ThBatch sides;
    if (m->signature.pairs) {
        if (!th_model_sides(t, m->signature.n_symbols - 1, b, &sides))
            return -1;
        b = &sides;
    }
    if (!begin(&r, b))
        return -1;
    r.h = r.soft = embed(&r, b);
    for (int step = 0; th_model_halting_goes_on(&r.halting) && th_tape_ok(t, NULL); step++)
        if (!advance(&r, step))
            return -1;
    charge(&r, m->signature.pairs ? 0.5 : 1);
    ThVar x = r.l->halt == HALT_NONE ? r.h : th_model_halting_mean(&r.halting, r.h);
    if (m->signature.target == TH_TARGET_FINAL)
        x = pool(&r, x);
    return read_out(t, &r.l->answer, m->signature.pairs ? th_model_compare(t, x) : x);
}

/* ---- parameters ---- */

/* Uniform within √(6/(rows + cols)), times gain (Glorot and Bengio 2010). */
static int matrix(ThModelBuilder *b, const char *name, int rows, int cols, double gain)
{
    int index =
        th_model_build(b, name, rows, cols, TH_INIT_UNIFORM, gain * sqrt(6.0 / (rows + cols)));
    th_param_hidden(&b->m->params, index, 1);
    return index;
}

static int zeros(ThModelBuilder *b, const char *name, int cols)
{
    return th_model_build_vector(b, name, cols, TH_INIT_ZERO);
}

static Network add_network(ThModelBuilder *b, const char *const name[4], int in, int wide, int out)
{
    return (Network){matrix(b, name[0], in, wide, 1), zeros(b, name[1], wide),
                     matrix(b, name[2], wide, out, 1), zeros(b, name[3], out)};
}

static void add_block(ThModelBuilder *b, Layout *l, int wide)
{
    static const char *const feed_forward[] = {"feed_forward.up", "feed_forward.up_bias",
                                               "feed_forward.down", "feed_forward.down_bias"};
    static const char *const gate[] = {"gate.up", "gate.up_bias", "gate.down", "gate.down_bias"};
    ThModelAttentionLayer *a = &l->attention.layer[0];
    int d = l->attention.dim;
    *a = (ThModelAttentionLayer){.query_bias = -1, .key_value_bias = -1, .output_bias = -1};
    l->norm1_gain = th_model_build_vector(b, "norm1.gain", d, TH_INIT_ONE);
    l->norm1_offset = zeros(b, "norm1.offset", d);
    a->query = matrix(b, "attention.query", d, d, sqrt(0.5));
    /* Drawn as two matrices side by side: the bound is that of (d, d). */
    a->key_value = matrix(b, "attention.key_value", d, 2 * d, sqrt(0.75));
    th_param_hidden(&b->m->params, a->key_value, 2);
    a->output = matrix(b, "attention.output", d, d, 1);
    th_position_bind_layer(&l->attention.position, b);
    l->norm2_gain = th_model_build_vector(b, "norm2.gain", d, TH_INIT_ONE);
    l->norm2_offset = zeros(b, "norm2.offset", d);
    l->feed_forward = add_network(b, feed_forward, d, wide, d);
    if (l->gated)
        l->gate = add_network(b, gate, d, wide, d);
}

static void read_options(Layout *l, const ThOptions *o)
{
    l->halt = th_option_choice(o, "halt");
    l->pool = th_option_choice(o, "pool");
    l->steps = (int)th_option_int(o, "steps");
    l->halt_from = (int)th_option_int(o, "halt_from");
    l->gated = th_option_flag(o, "gate");
    l->transition = l->halt != HALT_NONE && th_option_flag(o, "transition");
    l->threshold = th_option_real(o, "threshold");
    l->ponder = th_option_real(o, "ponder");
    l->dropout = th_option_real(o, "dropout");
}

static bool bind(ThModel *m, ThError *err)
{
    static const char *const halting[] = {"halting.up", "halting.up_bias", "halting.down",
                                          "halting.down_bias"};
    static const char *const head[] = {"head.up", "head.up_bias", "head.down", "head.down_bias"};
    const ThOptions *o = &m->options;
    Layout *l = m->layout = th_alloc(1, sizeof *l, err);
    if (!l)
        return false;
    read_options(l, o);
    int d = (int)th_option_int(o, "dim"), wide = d * (int)th_option_int(o, "hidden");
    th_model_attention_init(&l->attention, o,
                            &(ThModelAttention){.scale = 1,
                                                .dim = d,
                                                .heads = (int)th_option_int(o, "heads"),
                                                .layers = 1,
                                                .causal = th_option_flag(o, "causal")});
    ThModelBuilder b = {.m = m, .layer = -1, .err = err};
    l->attention.embedding =
        th_model_build(&b, "embedding", m->signature.n_symbols, d, TH_INIT_NORMAL, 0.02);
    th_position_bind(&l->attention.position, &b);
    l->ends = -1;
    if (m->signature.target == TH_TARGET_FINAL)
        l->ends = th_model_build(&b, "ends", N_ENDS, d, TH_INIT_NORMAL, 1);
    add_block(&b, l, wide);
    if (l->halt != HALT_NONE)
        l->halting = add_network(&b, halting, l->transition ? 2 * d : d, d, 1);
    l->answer = add_network(&b, head, m->signature.pairs ? 4 * d : d, d, m->signature.n_classes);
    th_param_hidden(&m->params, l->answer.down, 0);
    return !b.failed;
}

static bool trace(const ThModel *m, const ThTape *t, int length, ThModelTrace *out, ThError *err)
{
    const Layout *l = m->layout;
    return th_model_steps_trace(&l->attention, l->ends < 0 ? 0 : 1, t, length, out, err);
}

static bool halted(const ThModel *m, const ThTape *t, int length, ThModelHalted *to, ThError *err)
{
    const Layout *l = m->layout;
    bool one = by_string(l);
    int ends = l->ends < 0 ? 0 : 1, of[2], strings = th_model_sides_read(t, length, of);
    int longest = of[1] > of[0] ? of[1] : of[0], rows = longest + 2 * ends;
    if (!th_model_halted_begin(to, one ? strings : strings * rows, l->steps, err))
        return false;
    for (int i = 0; i < strings; i++) {
        int own = of[i] + 2 * ends;
        th_model_halted_add(to, t,
                            &(ThModelHaltedPart){.from = one ? i : i * rows,
                                                 .n = one ? 1 : own,
                                                 .position = i * (of[0] + 1) - ends,
                                                 .wide = one ? own : 1});
    }
    return true;
}

static const ThOptionSpec universal_options[] = {OPTIONS("token", "no", "no", "mean"),
#define POSITION_OPTION(...) {__VA_ARGS__},
#include "models/positions.def"
                                                 {NULL, 0, NULL, 0, 0, NULL, NULL}};

const ThModelKind th_model_universal = {
    .name = "universal",
    .summary = "Universal Transformer: one block again and again, each position halts by itself",
    .source = "Dehghani et al. 2019; Graves 2016; Ray Chowdhury and Caragea 2024, section 2",
    .detail =
        "A block of attention and a feed-forward layer, with layer norm before each, is applied "
        "to a string until a small network says stop, steps= times at most. Before each "
        "application a position gives some of a mass of 1 to its state; its result is the mean "
        "of its states by what they got. Others see the mean so far. Once it has given away "
        "threshold=, it stays as it is. ponder= times the mean number of applications is added to "
        "the loss, so that the model does not go on for nothing. halt=none applies the block "
        "steps= times.\n\n"
        "For one answer a string there is a start symbol before it and an end symbol behind it. "
        "The paper uses dim=512 heads=8 steps=10 ponder=0.1.",
    .options = universal_options,
    .ragged = true,
    .check = check,
    .bind = bind,
    .forward = forward,
    .answer = answer,
    .trace = trace,
    .halted = halted,
};

static const ThOptionSpec gated_options[] = {OPTIONS("global", "yes", "yes", "end"),
#define POSITION_OPTION(...) {__VA_ARGS__},
#include "models/positions.def"
                                             {NULL, 0, NULL, 0, 0, NULL, NULL}};

const ThModelKind th_model_gated_universal = {
    .name = "gated_universal",
    .summary = "Universal Transformer with a gate, which halts for the whole string at once",
    .source = "Ray Chowdhury and Caragea 2024, section 3",
    .detail =
        "As universal, but a gate chooses between what the block makes and what it read, the "
        "decision to stop is one for the string, by the means of its states before and behind the "
        "block, and the answer is read at the end symbol. halt=token, gate=no and transition=no "
        "take one of these away each. With causal=yes the means are those of the positions up to "
        "each, which then halts by itself.",
    .options = gated_options,
    .ragged = true,
    .check = check,
    .bind = bind,
    .forward = forward,
    .answer = answer,
    .trace = trace,
    .halted = halted,
};
