/* The weights of a RegularGPT by the product of functions (Chi et al. 2023, sections 4.1 and 4.2).
 *
 * A vector has slots of `width` numbers.  The state of a node is in the slot of its latest child
 * (layout B), or in one before all children (layout A).  Each head copies one child into its slot:
 * its relative scalars leave no weight to any other.  The feed-forward layer subtracts all that it
 * reads, by units that are never at rest, and adds the product.
 *
 * In pairs, layer k of a level multiplies what the position before has from layer k-1 by the
 * position's own vector as it was at the start, which the first layer puts into a third slot and
 * the last one takes away.  So the right end of a chunk has the product of all C after C-1 layers;
 * what would come from before the first position never gets there. */
#include <math.h>
#include <stdio.h>

#include "compile/coding.h"
#include "compile/compile.h"
#include "compile/weights.h"

static const double far = 100;  /* e^(-2 far) is 0 in single precision */
static const double steep = 20; /* GELU(x) is x or 0 in single precision from |x| = 20 on */

/* ---- sizes ---- */

static bool in_pairs(const ThCompileShape *s)
{
    return s->pairs && s->chunk > 2;
}

static int layers_of(const ThCompileShape *s)
{
    return in_pairs(s) ? s->chunk - 1 : 1;
}

static int factors_of(const ThCompileShape *s)
{
    return in_pairs(s) ? 2 : s->chunk;
}

static int slots_of(const ThCompileShape *s)
{
    return in_pairs(s) ? 3 : s->split ? s->chunk + 1 : s->chunk;
}

ThCompileSize th_compile_size(const ThTask *t, const ThMonoid *monoid, const ThCompileShape *s)
{
    int factors = factors_of(s), layers = layers_of(s);
    ThCompileCoding c = th_compile_coding(t->machine, s->monoid ? monoid : NULL, factors);
    int heads = s->split ? s->chunk : factors - 1;
    double head = ceil((double)slots_of(s) * c.width / heads), d = head * heads;
    ThCompileSize z = {.terms = th_compile_terms(&c), .dim = d, .heads = heads};
    double units = (s->plain ? 1 : 2) * z.terms + d;
    z.hidden = ceil(units / d) * d;
    double embeddings = d * (t->signature.n_symbols + 2),
           attention = 4 * d * d + heads * s->chunk + (s->pre ? 4 * d : 0),
           reads = s->sparse ? 2 * factors + 2 : 2 * d, feed = (reads + 1) * z.hidden + d,
           head_size = (d + 1) * t->signature.n_classes, keys = in_pairs(s) ? 1 : s->chunk;
    z.parameters =
        embeddings + layers * (attention + feed + 4 * d) + (s->pre ? 2 * d : 0) + head_size;
    z.operations = ((layers - 1.0) * s->chunk + 1) *
                   ((2 + 2 * keys) * d * d + (s->sparse ? factors + 1.0 : 2 * d) * z.hidden);
    return z;
}

static bool set_options(ThOptions *o, const ThCompileShape *s, const ThCompileSize *z, ThError *err)
{
    const double most = 65536;
    if (z->dim > most || z->hidden / z->dim > most)
        return th_fail(err, TH_ELIMIT, "a model with dim=%.0f and %.0f hidden units is too large",
                       z->dim, z->hidden);
    return th_options_set_real(o, "dim", z->dim, err) &&
           th_options_set_real(o, "heads", z->heads, err) &&
           th_options_set_int(o, "arity", s->chunk, err) &&
           th_options_set_int(o, "layers_per_level", layers_of(s), err) &&
           th_options_set_real(o, "mlp_ratio", z->hidden / z->dim, err) &&
           th_options_set_int(o, "fan_in", s->sparse ? factors_of(s) : 0, err) &&
           th_options_set(o, "norm", s->pre ? "pre" : "post", err) &&
           th_options_set(o, "activation", s->gelu ? "gelu" : "relu", err) &&
           (!s->dilated || th_options_set(o, "form", "dilated", err));
}

/* ---- weights ---- */

typedef struct {
    const ThTask *task;
    ThModel *m;
    const ThCompileShape *shape;
    ThCompileCoding coding;
    int dim, heads, hidden;
    int layer; /* of a level, the one that is being written */
} Work;

static float *weights(const Work *w, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "layer%d.%s", w->layer, name);
    return th_compile_weights(w->m, full);
}

/* In pairs: the slot of the position's own vector. */
static int own_slot(const Work *w)
{
    return 2 * w->coding.width;
}

/* Where a child's vector is when it is multiplied; child 0 is the latest. */
static int slot_of(const Work *w, int child)
{
    if (child == 0 && w->layer > 0)
        return own_slot(w);
    return (w->shape->split ? child + 1 : child) * w->coding.width;
}

static void write_leaves(const Work *w)
{
    float *row = th_compile_weights(w->m, "embedding");
    for (int a = 0; a < w->task->signature.n_symbols; a++, row += w->dim)
        th_compile_encode(&w->coding, a, (float)(1 / sqrt(w->dim)), row);
    th_compile_encode(&w->coding, -1, 1, th_compile_weights(w->m, "pad"));
}

/* Head h hands on the state of one child. */
static void write_heads(const Work *w)
{
    float *relative = weights(w, "attention.relative");
    float *value = weights(w, "attention.key_value");
    float *output = weights(w, "attention.output");
    int head = w->dim / w->heads, C = w->shape->chunk;
    for (int h = 0; h < w->heads; h++) {
        int child = w->shape->split ? h : h + 1;
        for (int k = 0; k < C; k++)
            relative[h * C + k] = (float)(k == child ? far : -far);
        for (int i = 0; i < w->coding.width; i++) {
            value[i * 2 * w->dim + w->dim + h * head + i] = 1;
            output[(h * head + i) * w->dim + slot_of(w, child) + i] = 1;
        }
    }
}

static void write_norm(const Work *w, const char *name, int states)
{
    char gain[64], offset[64];
    snprintf(gain, sizeof gain, "%s.gain", name);
    snprintf(offset, sizeof offset, "%s.offset", name);
    th_compile_norm(w->m, gain, offset, states * w->coding.ones);
}

/* How many slots are full before the layer, within it and after it. */
static void write_norms(const Work *w)
{
    int before = w->layer > 0 ? 2 : 1, last = layers_of(w->shape) - 1;
    int within = in_pairs(w->shape) ? before + 1 : slots_of(w->shape);
    int after = w->layer < last ? 2 : 1;
    char first[32], second[32];
    snprintf(first, sizeof first, "layer%d.norm1", w->layer);
    snprintf(second, sizeof second, "layer%d.norm2", w->layer);
    write_norm(w, first, w->shape->pre ? before : within);
    write_norm(w, second, w->shape->pre ? within : after);
    if (w->shape->pre && w->layer == last)
        write_norm(w, "final_norm", 1);
}

/* A hidden unit: value · ReLU(slope · (sum of inputs) + bias), where GELU stands for ReLU by being
 * far from its bend. */
typedef struct {
    double slope, bias, value;
} Unit;

typedef struct {
    float *up, *up_bias, *down, *from, *to;
    int dim, hidden, fan, used;
    double scale;
} Units;

static void add_unit(Units *u, const Unit *unit, const int *in, int n, int out)
{
    size_t h = (size_t)u->used++;
    float up = (float)(unit->slope * u->scale), down = (float)(unit->value / u->scale);
    u->up_bias[h] = (float)(unit->bias * u->scale);
    for (int i = 0; i < n; i++) {
        u->up[u->fan ? h * (size_t)u->fan + (size_t)i : (size_t)in[i] * (size_t)u->hidden + h] = up;
        if (u->fan)
            u->from[h * (size_t)u->fan + (size_t)i] = (float)in[i];
    }
    u->down[u->fan ? h : h * (size_t)u->dim + (size_t)out] = down;
    if (u->fan)
        u->to[h] = (float)out;
}

static void write_products(const Work *w, Units *u)
{
    int factors = w->coding.factors;
    double C = factors;
    Unit lemma = {1, 1 - C, 1}, smooth = {2, 1 - 2 * C, 1};
    Unit rise = {4, 1.5 - 4 * C, 1}, level = {4, 0.5 - 4 * C, -1};
    int index[TH_COMPILE_FACTORS + 1] = {0};
    do {
        ThCompileTerm t = th_compile_term(&w->coding, index);
        for (int f = 0; f < factors; f++)
            t.in[f] += slot_of(w, factors - 1 - f);
        if (w->shape->plain) {
            add_unit(u, w->shape->gelu ? &smooth : &lemma, t.in, factors, t.out);
            continue;
        }
        add_unit(u, &rise, t.in, factors, t.out);
        add_unit(u, &level, t.in, factors, t.out);
    } while (th_compile_next(&w->coding, index));
}

/* All slots are emptied; but in pairs the first layer fills the third from the first, which stays
 * until the last one. */
static void write_rests(const Work *w, Units *u, float *bias)
{
    for (int i = 0; i < w->dim; i++) {
        int from = i - own_slot(w);
        bool keeps = w->layer < layers_of(w->shape) - 1 && from >= 0;
        if (keeps && w->layer > 0)
            continue;
        add_unit(u, &(Unit){1, 1, keeps ? 1 : -1}, keeps ? &from : &i, 1, i);
        bias[i] = keeps ? -1 : 1;
    }
}

static void write_feed_forward(const Work *w)
{
    Units u = {.up = weights(w, "feed_forward.up"),
               .up_bias = weights(w, "feed_forward.up_bias"),
               .down = weights(w, "feed_forward.down"),
               .from = weights(w, "feed_forward.from"),
               .to = weights(w, "feed_forward.to"),
               .dim = w->dim,
               .hidden = w->hidden,
               .fan = w->shape->sparse ? w->coding.factors : 0,
               .scale = w->shape->gelu ? steep : 1};
    write_products(w, &u);
    write_rests(w, &u, weights(w, "feed_forward.down_bias"));
}

static void write_answer(const Work *w)
{
    int classes = w->task->signature.n_classes;
    float *head = th_compile_weights(w->m, "head");
    for (int x = 0; x < w->coding.width; x++, head += classes) {
        int q = th_compile_state(&w->coding, x);
        if (q >= 0)
            th_compile_answer(w->task, q, head);
    }
}

ThModel *th_compile_regulargpt(const ThTask *t, const ThMonoid *monoid, const ThCompileShape *shape,
                               const ThTapeBounds *bounds, ThError *err)
{
    if (!th_task_machine(t, err))
        return NULL;
    ThCompileSize z = th_compile_size(t, monoid, shape);
    ThOptions o TH_OWNED(th_options_free) = {0};
    bool ok = th_options_init(&o, th_model_kind("regulargpt")->options, err) &&
              set_options(&o, shape, &z, err);
    ThModel *m = ok ? th_compile_blank("regulargpt", &o, &t->signature, bounds, err) : NULL;
    if (!m)
        return NULL;
    Work w = {t,
              m,
              shape,
              th_compile_coding(t->machine, shape->monoid ? monoid : NULL, factors_of(shape)),
              (int)z.dim,
              (int)z.heads,
              (int)z.hidden,
              0};
    write_leaves(&w);
    for (; w.layer < layers_of(shape); w.layer++) {
        write_heads(&w);
        write_norms(&w);
        write_feed_forward(&w);
    }
    write_answer(&w);
    return m;
}
