#include "models/position/position.h"

#include <math.h>

#include "base/registry.h"
#include "models/position/place_vectors.h"

#define POSITION(id) extern const ThPositionKind th_position_##id;
#include "models/position/positions.def"

static const ThPositionKind *const kinds[] = {
#define POSITION(id) &th_position_##id,
#include "models/position/positions.def"
};

const char th_position_list[] = ""
#define POSITION(id) "|" #id
#include "models/position/positions.def"
    ;

TH_REGISTRY(ThPositionKind, kinds, th_position_kinds, th_position_kind)

extern const ThPositionKind th_position_random;

static bool is_among(const char *options, const char *option)
{
    return options && th_choice_index(options, option, strlen(option)) >= 0;
}

static bool reads(const ThPositionKind *kind, const char *option)
{
    static const char beside_all[] = "places|longest_place|place_lines|place_parts|place_draw";
    return is_among(beside_all, option) || is_among(kind->options, option);
}

void th_position_init(ThPosition *p, const ThOptions *o, int dim, int heads, bool causal)
{
    enum { LONGEST = 2048 };
    *p = (ThPosition){.kind = th_position_kind(th_option_text(o, "position")),
                      .options = o,
                      .dim = dim,
                      .heads = heads,
                      .causal = causal,
                      .tied = !th_option_given(o, "tied") || th_option_flag(o, "tied"),
                      .log_length = (int)th_option_int_or(o, "log_length", 0)};
    if (th_position_has_places(o))
        p->places = th_option_choice(o, "places");
    if (p->kind != &th_position_random)
        return;
    p->kind = th_position_kind(th_option_text_or(o, "base_position", "none"));
    p->longest = (int)th_option_int_or(o, "longest", LONGEST);
}

/* An option of another encoding would be taken without effect. */
static bool check_options(const ThPosition *p, ThError *err)
{
    static const char *const names[] = {
#define POSITION_OPTION(name, ...) name,
#include "models/position/positions.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!th_option_given(p->options, names[i]) || reads(p->kind, names[i]) ||
            (p->longest && reads(&th_position_random, names[i])))
            continue;
        ThText t TH_OWNED(th_text_free) = {0};
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (reads(kinds[k], names[i]))
                th_text_printf(&t, "%s%s", t.size ? ", " : "", kinds[k]->name);
        return th_fail(err, TH_EUSAGE, "%s= says nothing to position=%s", names[i],
                       p->kind->name) ||
               th_hint(err, "it is for %s", t.data ? t.data : "others");
    }
    return true;
}

bool th_position_check(const ThPosition *p, ThError *err)
{
    if (p->causal ? !p->kind->causal : !p->kind->full)
        return th_fail(err, TH_EUSAGE, "position=%s is defined for causal=%s only", p->kind->name,
                       p->causal ? "no" : "yes");
    bool masked =
        p->kind->windows && p->kind->bias; /* a mask is a bias where positions are drawn */
    if (p->longest && (p->kind == &th_position_random || p->kind->at_attention || masked))
        return th_fail(err, TH_EUSAGE, "position=random draws no positions base_position=%s",
                       p->kind->name);
    if (p->longest && p->log_length)
        return th_fail(err, TH_EUSAGE,
                       "log_length= counts symbols, and position=random draws them");
    return check_options(p, err) && th_position_places_check(p, err) &&
           (!p->kind->check || p->kind->check(p, err));
}

void th_position_bind(ThPosition *p, ThModelBuilder *b)
{
    size_t before = th_params_count(&b->m->params);
    if (p->kind->bind)
        p->kind->bind(p, b);
    if (p->kind->bind_bias && p->tied)
        p->kind->bind_bias(p, p->param, b);
    th_position_places_bind(p, b);
    p->numbers += (long long)(th_params_count(&b->m->params) - before);
}

void th_position_bind_layer(ThPosition *p, ThModelBuilder *b, int layer)
{
    size_t before = th_params_count(&b->m->params);
    if (p->kind->bind_layer)
        p->kind->bind_layer(p, p->layer[layer], b);
    if (p->kind->bind_bias && !p->tied)
        p->kind->bind_bias(p, p->layer[layer], b);
    p->numbers += (long long)(th_params_count(&b->m->params) - before);
}

ThVar th_position_at_input(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows)
{
    return p->kind->at_input ? p->kind->at_input(p, t, x, rows) : x;
}

bool th_position_adds(const ThPosition *p)
{
    return p->kind->at_input || p->places != TH_POSITION_UNPLACED;
}

static int position_of(const ThPositionRows *rows, int i)
{
    return rows->position ? rows->position[i] : rows->first + i % rows->T;
}

/* Queries times ln(1 + n) over what that is for log_length, where n symbols are seen (Nakanishi
 * 2025; Chiang and Cholak 2022): a lead of one key over n - 1 others has to grow so. */
static ThVar grown(const ThPosition *p, ThTape *t, ThVar q, const ThPositionRows *rows)
{
    float *factor = th_tape_take(t, (size_t)rows->n, sizeof *factor);
    for (int i = 0; factor && i < rows->n; i++)
        factor[i] = (float)(log1p(position_of(rows, i) + 1) / log1p(p->log_length));
    return factor ? th_op_times_column(t, q, th_tape_constant(t, rows->n, 1, factor)) : -1;
}

ThVar th_position_at_queries(const ThPosition *p, ThTape *t, ThVar q, const ThPositionRows *rows)
{
    q = p->kind->at_queries ? p->kind->at_queries(p, t, q, rows) : q;
    return p->log_length ? grown(p, t, q, rows) : q;
}

ThVar th_position_at_keys(const ThPosition *p, ThTape *t, ThVar kv, const ThPositionRows *rows)
{
    return p->kind->at_keys ? p->kind->at_keys(p, t, kv, rows) : kv;
}

/* ---- attention ---- */

int th_position_columns(const ThPosition *p, const ThPositionSpan *span)
{
    return p->causal ? span->T : 2 * span->T - 1;
}

int th_position_distance(const ThPositionSpan *span, int column)
{
    return span->T - 1 - column;
}

/* n numbers of 0 … longest-1 without repetition, in order. */
static void draw(ThRng *r, int longest, int n, int *to)
{
    for (int k = 0, found = 0; found < n; k++)
        if (th_rng_below(r, (size_t)(longest - k)) < (size_t)(n - found))
            to[found++] = k;
}

/* Behind the end of a string its last position is repeated: nothing reads it. */
void th_position_draw(const ThPosition *p, ThTape *t, const int *length, ThRng *r,
                      ThPositionSpan *span)
{
    if (p->longest == 0)
        return;
    if (span->T > p->longest) {
        th_tape_fail(t, TH_EVALUE,
                     "position=random draws from %d positions, and the input has %d: a model with "
                     "longest=%d reads it",
                     p->longest, span->T, span->T);
        return;
    }
    int *place = th_tape_take(t, (size_t)span->B * (size_t)span->T, sizeof *place);
    for (int b = 0; place && b < span->B; b++) {
        int n = length ? length[b] : span->T, *to = place + (size_t)b * (size_t)span->T;
        ThRng own = th_rng(0, "positions", (uint64_t)n);
        draw(r ? r : &own, p->longest, n, to);
        for (int i = n; i < span->T; i++)
            to[i] = to[n - 1];
    }
    span->place = place;
}

/* Calls `each` for every pair of positions of every head of every string, in the order of a full
 * bias (B*heads*T, T), with the distance between them. */
typedef struct {
    const ThPosition *p;
    int head, distance;
    bool seen; /* not masked by the causal order */
} Pair;

typedef void EachPair(void *to, size_t at, Pair pair);

static void for_each_pair(const ThPosition *p, const ThPositionSpan *span, EachPair *each, void *to)
{
    size_t at = 0;
    for (int b = 0; b < span->B; b++) {
        const int *place = span->place + (size_t)b * (size_t)span->T;
        for (int h = 0; h < p->heads; h++)
            for (int i = 0; i < span->T; i++)
                for (int j = 0; j < span->T; j++)
                    each(to, at++, (Pair){p, h, place[i] - place[j], !p->causal || j <= i});
    }
}

static size_t full_size(const ThPosition *p, const ThPositionSpan *span)
{
    return (size_t)span->B * (size_t)p->heads * (size_t)span->T * (size_t)span->T;
}

static void set_column(void *to, size_t at, Pair pair)
{
    ThPositionSpan whole = {.T = pair.p->longest};
    int column = pair.p->longest - 1 - pair.distance;
    ((int *)to)[at] = pair.seen ? pair.head * th_position_columns(pair.p, &whole) + column : -1;
}

/* A bias by distance, for pairs of drawn positions. */
static ThVar spread(const ThPosition *p, ThTape *t, ThVar bias, const ThPositionSpan *span)
{
    int *index = th_tape_take(t, full_size(p, span), sizeof *index);
    if (!index)
        return -1;
    for_each_pair(p, span, set_column, index);
    int rows = span->B * p->heads * span->T;
    bias = th_op_reshape(t, bias, p->heads * th_tape_cols(t, bias), 1);
    return th_op_reshape(t, th_op_rows(t, bias, index, rows * span->T, 1), rows, span->T);
}

typedef struct {
    float *value;
    const int *window;
} Masks;

static void set_mask(void *to, size_t at, Pair pair)
{
    Masks *m = to;
    int window = m->window[pair.head];
    m->value[at] = window && pair.distance >= window ? -1e30f : 0;
}

/* Windows of drawn positions are masks. */
static ThVar mask(const ThPosition *p, ThTape *t, const int *window, const ThPositionSpan *span)
{
    Masks m = {th_tape_take(t, full_size(p, span), sizeof *m.value), window};
    if (!m.value)
        return -1;
    for_each_pair(p, span, set_mask, &m);
    return th_tape_constant(t, span->B * p->heads * span->T, span->T, m.value);
}

/* The bias from the weights of the model or of a layer; where positions are drawn, from what it is
 * by distance for all of them. */
static ThVar bias_of(const ThPosition *p, ThTape *t, const int *param, const ThPositionSpan *span)
{
    ThPositionSpan whole = {.B = 1, .T = p->longest};
    if (!span->place || p->kind->biased == TH_TAPE_BIAS_FULL)
        return p->kind->bias(p, t, param, span);
    return spread(p, t, p->kind->bias(p, t, param, &whole), span);
}

static const int *windows_of(const ThPosition *p, ThTape *t)
{
    int *window = th_tape_take(t, (size_t)p->heads, sizeof *window);
    if (window)
        p->kind->windows(p, window);
    return window;
}

void th_position_prepare(const ThPosition *p, ThTape *t, const int *length, ThRng *r,
                         ThPositionSpan *span)
{
    span->bias = span->distance = -1;
    if (!span->place)
        th_position_draw(p, t, length, r, span);
    if (p->kind->windows)
        span->window = windows_of(p, t);
    if (!th_tape_ok(t, NULL))
        return;
    if (span->window && span->place)
        span->bias = mask(p, t, span->window, span);
    if (p->kind->bias && p->tied)
        span->bias = bias_of(p, t, p->param, span);
    if (p->kind->prepare)
        span->distance = p->kind->prepare(p, t, span->T);
}

void th_position_at_attention(const ThPosition *p, ThTape *t, int layer, const ThPositionSpan *span,
                              ThOpAttention *how)
{
    if (!th_tape_ok(t, NULL))
        return;
    bool drawn = span->place && (p->kind->bias || p->kind->windows);
    how->window = span->place ? NULL : span->window;
    how->bias = p->kind->bias && !p->tied ? bias_of(p, t, p->layer[layer], span) : span->bias;
    how->biased = drawn ? TH_TAPE_BIAS_FULL : p->kind->biased;
    if (layer >= th_position_windowed(p)) {
        how->window = NULL;
        how->biased = p->kind->bias ? how->biased : TH_TAPE_BIAS_NONE;
    }
    if (p->kind->at_attention)
        p->kind->at_attention(p, t, layer, span->distance, how);
}

int th_position_windowed(const ThPosition *p)
{
    return (int)th_option_int_or(p->options, "window_layers", TH_POSITION_LAYERS);
}

bool th_position_stays(const ThPosition *p)
{
    return p->longest == 0;
}

/* ---- for the encodings ---- */

static const double least = 0.01;

/* A rounding inside the bounds, where a step has a slope. */
int th_position_build(const ThPosition *p, ThModelBuilder *b, const char *name, double begins,
                      double most)
{
    const double inside = 1e-5;
    int index = th_model_build(b, name, p->heads, 1, TH_INIT_UNIFORM, begins);
    th_param_held(&b->m->params, index, (float)(least * (1 + inside)),
                  (float)(most * (1 - inside)));
    return index;
}

ThVar th_position_positive(ThTape *t, ThVar weight)
{
    ThVar size = th_op_map(t, weight, TH_MAP_ABS);
    return th_op_affine(t, th_op_relu(t, th_op_affine(t, size, 1, -least)), 1, least);
}

static int turned(const ThPosition *p)
{
    double share = th_option_real_or(p->options, "rotary_fraction", 1);
    int width = p->dim / p->heads;
    return 2 * (int)floor(share * width / 2 + 1e-9);
}

bool th_position_turns(const ThPosition *p, ThError *err)
{
    return (p->dim / p->heads % 2 == 0 && turned(p) > 0) ||
           th_fail(err, TH_EUSAGE,
                   "position=%s turns pairs of columns: dim/heads=%d must be even, and "
                   "rotary_fraction= must leave a pair",
                   p->kind->name, p->dim / p->heads);
}

ThVar th_position_turn(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows,
                       double growth)
{
    enum { HALVES, NEIGHBOURS };
    bool given = th_option_given(p->options, "rotary_pairs");
    int pairs = given         ? th_option_choice(p->options, "rotary_pairs")
                : growth != 0 ? NEIGHBOURS
                              : HALVES;
    double base = th_option_real_or(p->options, "base", 10000);
    return th_op_rotate(t, x,
                        &(ThOpRotation){.columns = p->dim,
                                        .heads = p->heads,
                                        .turned = turned(p),
                                        .neighbours = pairs == NEIGHBOURS,
                                        .base = base,
                                        .decay = growth,
                                        .position = rows->position,
                                        .T = rows->T,
                                        .first = rows->first});
}

int th_position_last(const ThPositionRows *rows)
{
    int last = rows->position ? 0 : rows->first + rows->T - 1;
    for (int i = 0; rows->position && i < rows->n; i++)
        last = rows->position[i] > last ? rows->position[i] : last;
    return last;
}

ThVar th_position_add(ThTape *t, ThVar x, ThVar table, int from, const ThPositionRows *rows)
{
    int *index = th_tape_take(t, (size_t)rows->n, sizeof *index);
    for (int i = 0; index && i < rows->n; i++)
        index[i] = position_of(rows, i) - from;
    return index ? th_op_add(t, x, th_op_rows(t, table, index, rows->n, 1)) : -1;
}

/* ---- modifiers as numbers ---- */

static void *copy_to(ThTape *t, ThArena *arena, const void *from, size_t n, size_t size)
{
    void *to = th_arena_take(arena, n, size);
    if (to)
        memcpy(to, from, n * size);
    else
        th_tape_fail(t, TH_ENOMEM, "out of memory (attention to more positions)");
    return to;
}

static const float *copy_value(ThTape *t, ThArena *arena, ThVar v)
{
    if (v < 0)
        return NULL;
    size_t n = (size_t)th_tape_rows(t, v) * (size_t)th_tape_cols(t, v);
    return copy_to(t, arena, th_tape_floats(t, v), n, sizeof(float));
}

void th_position_keep(const ThPosition *p, ThTape *t, int layer, const ThPositionSpan *span,
                      ThPositionModifiers *to, ThArena *arena)
{
    ThOpAttention how = {.u = -1, .v = -1, .xl = -1, .bias = -1};
    th_position_at_attention(p, t, layer, span, &how);
    if (!th_tape_ok(t, NULL))
        return;
    ThVar bias = how.biased == TH_TAPE_BIAS_NONE ? -1 : how.bias;
    *to = (ThPositionModifiers){.dim = p->dim,
                                .heads = p->heads,
                                .biased = how.biased,
                                .xl_rows = th_tape_rows(t, how.xl),
                                .bias_rows = th_tape_rows(t, bias),
                                .bias_cols = th_tape_cols(t, bias),
                                .u = copy_value(t, arena, how.u),
                                .v = copy_value(t, arena, how.v),
                                .xl = copy_value(t, arena, how.xl),
                                .bias = copy_value(t, arena, bias)};
    if (how.window)
        to->window = copy_to(t, arena, how.window, (size_t)p->heads, sizeof *how.window);
}

static ThVar view(ThTape *t, int rows, int cols, const float *from)
{
    return from ? th_tape_view(t, rows, cols, from) : -1;
}

void th_position_reuse(const ThPositionModifiers *from, ThTape *t, ThOpAttention *how)
{
    how->u = view(t, 1, from->dim, from->u);
    how->v = view(t, 1, from->dim, from->v);
    how->xl = view(t, from->xl_rows, from->dim, from->xl);
    how->bias = view(t, from->bias_rows, from->bias_cols, from->bias);
    how->biased = from->biased;
    how->window = from->window;
}
