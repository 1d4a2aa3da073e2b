/* The weights of a RegularGPT by the product of functions (Chi et al. 2023, sections 4.1 and 4.2).
 *
 * A vector has slots of `width` numbers.  The state of a node is in the slot of its latest child
 * (layout B), or in one before all children (layout A).  Each head copies one child into its slot:
 * its relative scalars leave no weight to any other.  The feed-forward layer subtracts all that it
 * reads, by units that are never at rest, and adds the product. */
#include <math.h>

#include "compile/coding.h"
#include "compile/compile.h"
#include "compile/weights.h"

static const double far = 100;  /* e^(-2 far) is 0 in single precision */
static const double steep = 20; /* GELU(x) is x or 0 in single precision from |x| = 20 on */

/* ---- sizes ---- */

static int slots_of(const ThCompileShape *s)
{
    return s->split ? s->chunk + 1 : s->chunk;
}

ThCompileSize th_compile_size(const ThTask *t, const ThMonoid *monoid, const ThCompileShape *s)
{
    ThCompileCoding c = th_compile_coding(t->machine, s->monoid ? monoid : NULL, s->chunk);
    int heads = s->split ? s->chunk : s->chunk - 1;
    double head = ceil((double)slots_of(s) * c.width / heads), d = head * heads;
    ThCompileSize z = {.terms = th_compile_terms(&c), .dim = d, .heads = heads};
    double units = (s->plain ? 1 : 2) * z.terms + d, norms = s->pre ? 6 : 4;
    z.hidden = ceil(units / d) * d;
    double embeddings = d * (t->signature.n_symbols + 2),
           attention = 4 * d * d + heads * s->chunk + (s->pre ? 4 * d : 0),
           reads = s->sparse ? 2 * s->chunk + 2 : 2 * d, feed = (reads + 1) * z.hidden + d,
           head_size = (d + 1) * t->signature.n_classes;
    z.parameters = embeddings + attention + feed + norms * d + head_size;
    z.operations = (2 + 2.0 * s->chunk) * d * d + (s->sparse ? s->chunk + 1.0 : 2 * d) * z.hidden;
    return z;
}

static bool set_options(ThOptions *o, const ThCompileShape *s, const ThCompileSize *z, ThError *err)
{
    const double most = 65536;
    if (z->dim > most || z->hidden / z->dim > most)
        return th_fail(err, TH_ELIMIT, "a model with dim=%.0f and %.0f hidden units is too large",
                       z->dim, z->hidden);
    return th_compile_set(o, "dim", z->dim, err) && th_compile_set(o, "heads", z->heads, err) &&
           th_compile_set(o, "chunk", s->chunk, err) &&
           th_compile_set(o, "hidden", z->hidden / z->dim, err) &&
           th_compile_set(o, "fan", s->sparse ? s->chunk : 0, err) &&
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
} Work;

static float *weights(const Work *w, const char *name)
{
    return th_compile_weights(w->m, name);
}

/* Where a child's vector is when it is multiplied; child 0 is the latest. */
static int slot_of(const Work *w, int child)
{
    return (w->shape->split ? child + 1 : child) * w->coding.width;
}

static void write_leaves(const Work *w)
{
    float *row = weights(w, "embedding");
    for (int a = 0; a < w->task->signature.n_symbols; a++, row += w->dim)
        th_compile_encode(&w->coding, a, (float)(1 / sqrt(w->dim)), row);
    th_compile_encode(&w->coding, -1, 1, weights(w, "pad"));
}

/* Head h hands on the state of one child. */
static void write_heads(const Work *w)
{
    float *relative = weights(w, "layer0.attention.relative");
    float *value = weights(w, "layer0.attention.key_value");
    float *output = weights(w, "layer0.attention.output");
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

static void write_norms(const Work *w)
{
    int state = w->coding.ones, all = state * slots_of(w->shape);
    th_compile_norm(w->m, "layer0.norm1.gain", "layer0.norm1.offset", w->shape->pre ? state : all);
    th_compile_norm(w->m, "layer0.norm2.gain", "layer0.norm2.offset", w->shape->pre ? all : state);
    if (w->shape->pre)
        th_compile_norm(w->m, "final_norm.gain", "final_norm.offset", state);
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
    double C = w->shape->chunk;
    Unit lemma = {1, 1 - C, 1}, smooth = {2, 1 - 2 * C, 1};
    Unit rise = {4, 1.5 - 4 * C, 1}, level = {4, 0.5 - 4 * C, -1};
    int index[TH_COMPILE_FACTORS + 1] = {0};
    do {
        ThCompileTerm t = th_compile_term(&w->coding, index);
        for (int f = 0; f < w->shape->chunk; f++)
            t.in[f] += slot_of(w, w->shape->chunk - 1 - f);
        if (w->shape->plain) {
            add_unit(u, w->shape->gelu ? &smooth : &lemma, t.in, w->shape->chunk, t.out);
            continue;
        }
        add_unit(u, &rise, t.in, w->shape->chunk, t.out);
        add_unit(u, &level, t.in, w->shape->chunk, t.out);
    } while (th_compile_next(&w->coding, index));
}

static void write_feed_forward(const Work *w)
{
    Units u = {.up = weights(w, "layer0.feed_forward.up"),
               .up_bias = weights(w, "layer0.feed_forward.up_bias"),
               .down = weights(w, "layer0.feed_forward.down"),
               .from = weights(w, "layer0.feed_forward.from"),
               .to = weights(w, "layer0.feed_forward.to"),
               .dim = w->dim,
               .hidden = w->hidden,
               .fan = w->shape->sparse ? w->shape->chunk : 0,
               .scale = w->shape->gelu ? steep : 1};
    float *bias = weights(w, "layer0.feed_forward.down_bias");
    write_products(w, &u);
    for (int i = 0; i < w->dim; i++) {
        add_unit(&u, &(Unit){1, 1, -1}, &i, 1, i);
        bias[i] = 1;
    }
}

static void write_answer(const Work *w)
{
    int classes = w->task->signature.n_classes;
    float *head = weights(w, "head");
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
    ThOptions o = {0};
    bool ok = th_options_init(&o, th_model_kind("regulargpt")->options, err) &&
              set_options(&o, shape, &z, err);
    ThModel *m = ok ? th_compile_blank("regulargpt", &o, &t->signature, bounds, err) : NULL;
    th_options_free(&o);
    if (!m)
        return NULL;
    Work w = {t,
              m,
              shape,
              th_compile_coding(t->machine, shape->monoid ? monoid : NULL, shape->chunk),
              (int)z.dim,
              (int)z.heads,
              (int)z.hidden};
    write_leaves(&w);
    write_heads(&w);
    write_norms(&w);
    write_feed_forward(&w);
    write_answer(&w);
    return m;
}
