/* Automata as linear recurrences whose matrices depend on the input (Fan, Chi, Rudnicky and Ramadge
 * 2024): a state is a one-hot, a symbol chooses the matrix that moves it.
 *
 * With norm=paper a column that is longer than 1 is divided by its length, so that columns with one
 * entry above 1 become one-hots, and the state keeps its length.
 *
 * In one layer the states are those of the machine.  A cascade (Krohn and Rhodes 1965) has a layer
 * for each level: what a symbol does to a coordinate depends on the coordinates above, and since a
 * layer sees those after the symbol, each layer but the last keeps the coordinate before it, too.
 */
#include <stdio.h>

#include "compile/compile.h"
#include "compile/weights.h"

enum { MOST_TUPLES = 1 << 14 };

/* The coordinates that the machine goes through, level by level, and what symbols do to them. */
typedef struct {
    int levels, n; /* n tuples */
    int start;
    int *value;     /* (n, levels): from 0 */
    int *next;      /* (n, symbols): tuples */
    int *state;     /* (n): of the machine */
    int values[64]; /* (levels): how many a level has */
    int symbols;
} Cascade;

static void free_cascade(Cascade *c)
{
    TH_FREE(c->value, c->next, c->state);
}

/* A machine as it is: one level. */
static bool one_level(Cascade *c, const ThDfa *d, ThError *err)
{
    *c = (Cascade){.levels = 1, .n = d->n_states, .start = d->start, .symbols = d->n_symbols};
    size_t n = (size_t)d->n_states;
    c->value = th_alloc(n, sizeof *c->value, err);
    c->state = th_alloc(n, sizeof *c->state, err);
    c->next = th_copy(d->next, n * (size_t)d->n_symbols, sizeof *c->next, err);
    c->values[0] = d->n_states;
    for (int q = 0; c->value && c->state && q < d->n_states; q++)
        c->value[q] = c->state[q] = q;
    return c->value && c->state && c->next;
}

static void take_tuple(Cascade *c, const ThHolonomy *h, const int *coordinate, int i)
{
    c->state[i] = th_holonomy_state(h, coordinate);
    for (int l = 0; l < c->levels; l++) {
        int value = coordinate[l] + 1;
        c->value[i * c->levels + l] = value;
        c->values[l] = value >= c->values[l] ? value + 1 : c->values[l];
    }
}

/* Follows the coordinates of the start by all symbols. */
static bool follow(Cascade *c, const ThHolonomy *h, ThIntern *seen, int *to, ThError *err)
{
    size_t bytes = (size_t)c->levels * sizeof *to, i;
    th_holonomy_lift(h, h->d->start, to);
    if (!th_intern(seen, to, bytes, &i, err))
        return false;
    for (size_t at = 0; at < seen->n; at++) {
        int *from = to + c->levels;
        memcpy(from, th_intern_at(seen, at, NULL), bytes);
        take_tuple(c, h, from, (int)at);
        for (int a = 0; a < c->symbols; a++) {
            if (!th_holonomy_step(h, from, a, to, err) || !th_intern(seen, to, bytes, &i, err))
                return false;
            if (seen->n > MOST_TUPLES)
                return th_fail(err, TH_ELIMIT, "the cascade has more than %d coordinates",
                               MOST_TUPLES);
            c->next[at * (size_t)c->symbols + (size_t)a] = (int)i;
        }
    }
    c->n = (int)seen->n;
    return true;
}

static bool cascade_of(Cascade *c, const ThHolonomy *h, ThError *err)
{
    *c = (Cascade){.levels = h->n_levels, .symbols = h->n_symbols};
    if (h->n_levels > 64)
        return th_fail(err, TH_ELIMIT, "%d levels are more than a model has layers", h->n_levels);
    size_t most = MOST_TUPLES + 1;
    c->value = th_alloc(most, (size_t)c->levels * sizeof *c->value, err);
    c->next = th_alloc(most, (size_t)c->symbols * sizeof *c->next, err);
    c->state = th_alloc(most, sizeof *c->state, err);
    int *room TH_OWNED(free) = th_alloc(2 * (size_t)c->levels, sizeof *room, err);
    ThIntern seen TH_OWNED(th_intern_free) = {0};
    return c->value && c->next && c->state && room && follow(c, h, &seen, room, err);
}

/* ---- places ---- */

/* Coordinates of the model's vectors: a block of numbers for each level, then the symbols. */
typedef struct {
    const ThTask *task;
    const Cascade *c;
    ThModel *m;
    int block, dim;
    ThIntern key; /* of the layer being written: symbol and coordinates above */
} Work;

/* Numbers that a level's state takes: of the last, values; of others pairs of the value before and
 * the value now. */
static int states_of(const Cascade *c, int level)
{
    return c->values[level] * (level < c->levels - 1 ? c->values[level] : 1);
}

static int place(const Work *w, int level, int before, int now)
{
    int pair = level < w->c->levels - 1 ? before * w->c->values[level] + now : now;
    return level * w->block + pair;
}

static int symbol_place(const Work *w, int a)
{
    return w->c->levels * w->block + a;
}

static int value_of(const Cascade *c, int tuple, int level)
{
    return c->value[tuple * c->levels + level];
}

/* ---- weights ---- */

static float *layer_weights(const Work *w, int layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "layer%d.%s", layer, name);
    return th_compile_weights(w->m, full);
}

static void write_symbols(const Work *w)
{
    float *embedding = th_compile_weights(w->m, "embedding");
    for (int a = 0; a < w->c->symbols; a++)
        embedding[a * w->dim + symbol_place(w, a)] = 1;
}

/* A unit that is `height` where n coordinates are 1, and 0 where they are not all. */
static void write_unit(float *up, float *bias, int width, int unit, const int *at, int n)
{
    const double height = 1.5;
    for (int i = 0; i < n; i++)
        up[(size_t)at[i] * (size_t)width + (size_t)unit] += (float)(2 * height);
    bias[unit] = (float)(-2 * height * (n - 0.5));
}

/* The unit of a layer that knows a symbol and the coordinates above, before it. */
static void write_key(const Work *w, int layer, const int *key, int unit)
{
    float *up = layer_weights(w, layer, "transition.up");
    float *bias = layer_weights(w, layer, "transition.up_bias");
    int width = w->dim * w->block, at = symbol_place(w, key[0]);
    write_unit(up, bias, width, unit, &at, 1);
    for (int l = 0; l < layer; l++) {
        for (int now = 0; now < w->c->values[l]; now++)
            up[(size_t)place(w, l, key[1 + l], now) * (size_t)width + (size_t)unit] = 3;
        bias[unit] -= 3;
    }
}

/* The matrix that a unit stands for moves a level's value from one tuple to the next. */
static void write_move(const Work *w, int layer, int unit, int from, int to)
{
    const Cascade *c = w->c;
    float *blocks = layer_weights(w, layer, "transition.blocks");
    int b = w->block, now = value_of(c, from, layer), then = value_of(c, to, layer);
    float *row = blocks + (size_t)unit * (size_t)(w->dim * b);
    int n_before = layer < c->levels - 1 ? c->values[layer] : 1;
    for (int before = 0; before < n_before; before++) {
        int i = place(w, layer, now, then) - layer * b,
            j = place(w, layer, before, now) - layer * b;
        row[layer * b * b + i * b + j] = 1;
    }
}

static bool write_layer(Work *w, int layer, ThError *err)
{
    const Cascade *c = w->c;
    int key[65] = {0};
    th_intern_free(&w->key);
    for (int i = 0; i < c->n; i++) {
        for (int a = 0; a < c->symbols; a++) {
            size_t unit, before = w->key.n;
            key[0] = a;
            memcpy(key + 1, c->value + i * c->levels, (size_t)layer * sizeof *key);
            if (!th_intern(&w->key, key, ((size_t)layer + 1) * sizeof *key, &unit, err))
                return false;
            if (w->key.n > (size_t)w->dim * (size_t)w->block)
                return th_fail(err, TH_ELIMIT, "layer %d distinguishes more than %d cases",
                               layer + 1, w->dim * w->block);
            if (w->key.n > before)
                write_key(w, layer, key, (int)unit);
            write_move(w, layer, (int)unit, i, c->next[i * c->symbols + a]);
        }
    }
    int first = value_of(c, c->start, layer);
    layer_weights(w, layer, "start")[place(w, layer, first, first)] = 1;
    return true;
}

/* The last layer, which has no residual, hands on the coordinates above. */
static void hand_on(const Work *w)
{
    int last = w->c->levels - 1, d = w->dim;
    float *up = layer_weights(w, last, "value.up"), *down = layer_weights(w, last, "value.down");
    float *start = layer_weights(w, last, "start");
    for (int i = 0; i < last * w->block; i++)
        up[i * d + i] = down[i * d + i] = 1;
    for (int l = 0; l < last; l++)
        start[place(w, l, value_of(w->c, w->c->start, l), value_of(w->c, w->c->start, l))] = 1;
}

static void write_norms(const Work *w)
{
    char gain[64], offset[64];
    for (int l = 0; l < w->c->levels; l++) {
        snprintf(gain, sizeof gain, "layer%d.norm.gain", l);
        snprintf(offset, sizeof offset, "layer%d.norm.offset", l);
        th_compile_norm(w->m, gain, offset, l + 1);
    }
    th_compile_norm(w->m, "final_norm.gain", "final_norm.offset", w->c->levels);
}

/* A unit for each tuple, and its answer. */
static void write_answers(const Work *w)
{
    const Cascade *c = w->c;
    float *head = th_compile_weights(w->m, "head"), *bias = th_compile_weights(w->m, "head_bias");
    float *answer = th_compile_weights(w->m, "answer");
    for (int i = 0; i < c->n; i++) {
        for (int l = 0; l < c->levels; l++) {
            int n_before = l < c->levels - 1 ? c->values[l] : 1;
            for (int before = 0; before < n_before; before++)
                head[place(w, l, before, value_of(c, i, l)) * w->dim + i] = 2;
        }
        bias[i] = (float)(1 - 2 * c->levels);
        th_compile_answer(w->task, c->state[i], answer + i * w->task->signature.n_classes);
    }
}

/* ---- the model ---- */

static bool set_sizes(Work *w, ThOptions *o, ThError *err)
{
    const Cascade *c = w->c;
    const int most = 4096;
    w->block = 1;
    for (int l = 0; l < c->levels; l++)
        w->block = states_of(c, l) > w->block ? states_of(c, l) : w->block;
    int least = c->levels * w->block + c->symbols;
    least = c->n > least ? c->n : least;
    w->dim = (least + w->block - 1) / w->block * w->block;
    if (w->dim > most || w->block > 1024)
        return th_fail(err, TH_ELIMIT, "a model of dim=%d block=%d is too large", w->dim, w->block);
    return th_options_set_int(o, "dim", w->dim, err) &&
           th_options_set_int(o, "block", w->block, err) &&
           th_options_set_int(o, "layers", c->levels, err) &&
           th_options_set(o, "norm", "paper", err);
}

static bool write_all(Work *w, ThError *err)
{
    write_symbols(w);
    write_norms(w);
    for (int l = 0; l < w->c->levels; l++)
        if (!write_layer(w, l, err))
            return false;
    hand_on(w);
    write_answers(w);
    return true;
}

static ThModel *compile(const ThTask *t, const Cascade *c, const ThTapeBounds *bounds, ThError *err)
{
    Work w = {.task = t, .c = c};
    ThOptions o TH_OWNED(th_options_free) = {0};
    if (th_options_init(&o, th_model_kind("lrnn")->options, err) && set_sizes(&w, &o, err))
        w.m = th_compile_blank("lrnn", &o, &t->signature, bounds, err);
    bool ok = w.m && write_all(&w, err);
    th_intern_free(&w.key);
    if (ok)
        return w.m;
    th_model_free(w.m);
    return NULL;
}

ThModel *th_compile_lrnn(const ThTask *t, const ThHolonomy *h, const ThTapeBounds *bounds,
                         ThError *err)
{
    Cascade c;
    if (!th_task_machine(t, err))
        return NULL;
    bool ok = h && h->n_levels > 0 ? cascade_of(&c, h, err) : one_level(&c, t->machine, err);
    ThModel *m = ok ? compile(t, &c, bounds, err) : NULL;
    free_cascade(&c);
    return m;
}
