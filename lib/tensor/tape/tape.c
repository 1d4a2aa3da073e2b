#include "tensor/tape/tape.h"

#include <stdarg.h>
#include <stdio.h>

#include "tensor/tape/tape_impl.h"

/* Gradient memory whose node has passed its gradient on; the next node of its size takes it. */
typedef struct {
    void *memory;
    size_t size; /* in elements */
} Spare;

struct ThTape {
    ThTapePrecision precision;
    ThTapeMode mode;
    const ThParams *params;
    ThArena *arena;
    ThTapeNode **node; /* tape memory, so that pointers stay valid while nodes are added */
    size_t n_nodes, cap_nodes;
    ThTapeTag *tag;
    size_t n_tags, cap_tags;
    Spare *spare;
    size_t n_spare, cap_spare;
    ThTapeProducts products;
    ThVar *param_var;      /* (params->n): the value of a parameter since begin, or -1 */
    bool *param_touched;   /* (params->n): its gradient has been written since begin */
    void *gradient;        /* (params->total) in the tape's precision; NULL until first needed */
    double *params_double; /* (params->total); TH_TAPE_DOUBLE only */
    bool keep_named;
    const ThTapeWatch *watch;
    ThStop *stop;
    size_t memory; /* bytes that the arena may hold; 0: no limit */
    ThError err;
};

size_t th_tape_real(const ThTape *t)
{
    return t->precision == TH_TAPE_FLOAT ? sizeof(float) : sizeof(double);
}

static bool copy_params(ThTape *t, ThError *err)
{
    t->params_double = th_alloc(t->params->total, sizeof(double), err);
    if (!t->params_double)
        return false;
    for (size_t i = 0; i < t->params->total; i++)
        t->params_double[i] = (double)t->params->value[i];
    return true;
}

ThTape *th_tape_new(ThTapePrecision precision, const ThParams *params, ThError *err)
{
    ThTape *t = th_alloc(1, sizeof *t, err);
    if (!t)
        return NULL;
    t->precision = precision;
    t->params = params;
    t->arena = th_arena_new(err);
    t->param_var = th_alloc((size_t)params->n, sizeof *t->param_var, err);
    t->param_touched = th_alloc((size_t)params->n, sizeof *t->param_touched, err);
    bool ok = t->arena && t->param_var && t->param_touched;
    if (!ok || (precision == TH_TAPE_DOUBLE && !copy_params(t, err))) {
        th_tape_free(t);
        return NULL;
    }
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    return t;
}

void th_tape_free(ThTape *t)
{
    if (!t)
        return;
    th_arena_free(t->arena);
    TH_FREE(t->node, t->tag, t->spare, t->products.item, t->param_var, t->param_touched,
            t->gradient, t->params_double, t);
}

void th_tape_bound(ThTape *t, const ThTapeBounds *bounds, int tapes)
{
    t->stop = bounds ? bounds->stop : NULL;
    t->memory = bounds ? bounds->memory / (size_t)tapes : 0;
    th_arena_limit(t->arena, t->memory);
}

void th_tape_begin(ThTape *t, ThTapeMode mode)
{
    th_arena_reset(t->arena);
    t->mode = mode;
    t->n_nodes = t->n_tags = t->n_spare = t->products.n = 0;
    t->err = (ThError){0};
    for (int i = 0; i < t->params->n; i++) {
        t->param_var[i] = -1;
        t->param_touched[i] = false;
    }
    if (mode == TH_TAPE_GRADIENT && !t->gradient) {
        size_t floats = t->params->total * th_tape_real(t) / sizeof(float);
        t->gradient = th_params_floats(floats, &t->err);
    }
}

bool th_tape_ok(const ThTape *t, ThError *err)
{
    if (t->err.code == TH_OK)
        return true;
    if (err && err->code == TH_OK)
        *err = t->err;
    return false;
}

bool th_tape_failed(const ThTape *t)
{
    return t->err.code != TH_OK;
}

ThVar th_tape_fail(ThTape *t, ThErrc code, const char *format, ...)
{
    char text[sizeof t->err.msg];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    th_fail(&t->err, code, "%s", text);
    return -1;
}

bool th_tape_goes_on(ThTape *t)
{
    th_stopped(t->stop, &t->err);
    return !th_tape_failed(t);
}

ThStop *th_tape_stop(const ThTape *t)
{
    return t->stop;
}

void *th_tape_take(ThTape *t, size_t n, size_t size)
{
    void *p = th_arena_take(t->arena, n, size);
    size_t held = th_arena_bytes(t->arena);
    if (!p && t->memory && (held >= t->memory || n > (t->memory - held) / size)) {
        th_tape_fail(t, TH_ELIMIT, "a step needs more memory than there may be (%zu MiB)",
                     t->memory >> 20);
        th_hint(&t->err, "shorter strings, fewer at a time, or a smaller model need less");
    } else if (!p) {
        th_tape_fail(t, TH_ENOMEM, "out of memory (%zu bytes on the tape)", held);
    }
    return p;
}

ThArena *th_tape_arena(ThTape *t)
{
    return t->arena;
}

size_t th_tape_bytes(const ThTape *t)
{
    size_t blocks = (t->gradient ? 1u : 0u) * th_tape_real(t) + (t->params_double ? 8u : 0u);
    return th_arena_bytes(t->arena) + t->cap_nodes * sizeof *t->node + t->params->total * blocks;
}

bool th_tape_records(const ThTape *t)
{
    return t->mode == TH_TAPE_GRADIENT;
}

bool th_tape_keeps_named(const ThTape *t)
{
    return t->keep_named;
}

void th_tape_keep_named(ThTape *t, bool keep)
{
    t->keep_named = keep;
}

int th_tape_rows(const ThTape *t, ThVar v)
{
    return v < 0 ? 0 : t->node[v]->rows;
}

int th_tape_cols(const ThTape *t, ThVar v)
{
    return v < 0 ? 0 : t->node[v]->cols;
}

/* ---- nodes ---- */

static ThTapeNode *add_node(ThTape *t, int rows, int cols)
{
    if (th_tape_failed(t) ||
        !th_grow(&t->node, &t->cap_nodes, t->n_nodes + 1, sizeof *t->node, &t->err))
        return NULL;
    ThTapeNode *n = th_tape_take(t, 1, sizeof *n);
    if (!n)
        return NULL;
    *n = (ThTapeNode){.rows = rows, .cols = cols, .id = (ThVar)t->n_nodes};
    t->node[t->n_nodes++] = n;
    return n;
}

ThTapeNode *th_tape_node(ThTape *t, const ThOp *op, int rows, int cols, const ThVar *in, int n_in)
{
    ThTapeNode *n = add_node(t, rows, cols);
    if (!n)
        return NULL;
    n->op = op;
    n->n_in = n_in;
    for (int i = 0; i < n_in; i++)
        n->in[i] = in[i];
    n->value = th_tape_take(t, (size_t)rows * (size_t)cols, th_tape_real(t));
    return n->value ? n : NULL;
}

ThVar th_tape_node_run(ThTape *t, ThTapeNode *n)
{
    if (!th_tape_goes_on(t))
        return -1;
    if (t->precision == TH_TAPE_FLOAT)
        n->op->forward_float(t, n);
    else
        n->op->forward_double(t, n);
    return th_tape_goes_on(t) ? n->id : -1; /* what was stopped is unfinished */
}

ThVar th_tape_op(ThTape *t, const ThOp *op, int rows, int cols, const ThVar *in, int n_in,
                 const void *args, size_t size)
{
    ThTapeNode *n = th_tape_node(t, op, rows, cols, in, n_in);
    void *copy = n && args ? th_tape_take(t, 1, size) : NULL;
    if (copy)
        n->args = memcpy(copy, args, size);
    return n ? th_tape_node_run(t, n) : -1;
}

ThVar th_param(ThTape *t, int index)
{
    if (th_tape_failed(t))
        return -1;
    if (t->param_var[index] >= 0)
        return t->param_var[index];
    const ThParam *p = &t->params->item[index];
    ThTapeNode *n = add_node(t, p->rows, p->cols);
    if (!n)
        return -1;
    if (t->precision == TH_TAPE_FLOAT) {
        n->value = t->params->value + p->offset;
        n->grad = t->gradient ? (float *)t->gradient + p->offset : NULL;
    } else {
        n->value = t->params_double + p->offset;
        n->grad = t->gradient ? (double *)t->gradient + p->offset : NULL;
    }
    n->n_in = index; /* a leaf has no inputs: the field names its parameter */
    t->param_var[index] = n->id;
    return t->param_var[index];
}

ThVar th_tape_constant(ThTape *t, int rows, int cols, const float *from)
{
    ThTapeNode *n = th_tape_node(t, NULL, rows, cols, NULL, 0);
    if (!n)
        return -1;
    size_t size = (size_t)rows * (size_t)cols;
    n->n_in = -1;
    for (size_t i = 0; i < size; i++)
        if (t->precision == TH_TAPE_FLOAT)
            ((float *)n->value)[i] = from[i];
        else
            ((double *)n->value)[i] = (double)from[i];
    return n->id;
}

ThVar th_tape_view(ThTape *t, int rows, int cols, const float *from)
{
    ThTapeNode *n = add_node(t, rows, cols);
    if (!n)
        return -1;
    n->n_in = -1;
    memcpy(&n->value, &from, sizeof from);
    return n->id;
}

bool th_tape_is_constant(const ThTape *t, ThVar v)
{
    return v >= 0 && !t->node[v]->op && t->node[v]->n_in < 0;
}

ThTapeNode *th_tape_in(ThTape *t, const ThTapeNode *n, int i)
{
    return n->in[i] < 0 ? NULL : t->node[n->in[i]];
}

const float *th_tape_in_float(ThTape *t, const ThTapeNode *n, int i)
{
    ThTapeNode *in = th_tape_in(t, n, i);
    return in ? in->value : NULL;
}

const double *th_tape_in_double(ThTape *t, const ThTapeNode *n, int i)
{
    ThTapeNode *in = th_tape_in(t, n, i);
    return in ? in->value : NULL;
}

static void *take_gradient(ThTape *t, const ThTapeNode *n)
{
    size_t size = th_tape_size(n);
    for (size_t i = t->n_spare; i-- > 0;) {
        if (t->spare[i].size == size) {
            void *memory = t->spare[i].memory;
            t->spare[i] = t->spare[--t->n_spare];
            return memory;
        }
    }
    return th_tape_take(t, size, th_tape_real(t));
}

/* Nobody asks for the gradient of a value that has neither a name nor a parameter behind it once it
 * has been passed on. */
static void give_gradient(ThTape *t, ThTapeNode *n)
{
    if (!n->grad || n->tagged ||
        !th_grow(&t->spare, &t->cap_spare, t->n_spare + 1, sizeof *t->spare, NULL))
        return;
    t->spare[t->n_spare++] = (Spare){n->grad, th_tape_size(n)};
    n->grad = NULL;
}

ThTapeProducts *th_tape_products(ThTape *t)
{
    return &t->products;
}

const ThParams *th_tape_params(const ThTape *t)
{
    return t->params;
}

bool th_tape_touched(const ThTape *t, int param)
{
    return t->param_touched[param];
}

bool th_tape_pass_gradient(ThTape *t, ThTapeNode *n, int i)
{
    ThTapeNode *in = th_tape_in(t, n, i);
    bool parameter = !in->op && in->n_in >= 0;
    if (n->tagged || parameter || in->grad || in->rows != n->rows || in->cols != n->cols)
        return false;
    in->grad = n->grad;
    n->grad = NULL;
    return true;
}

/* The gradient memory of an input; *fresh tells that nothing has been written to it yet. */
static void *grad_memory(ThTape *t, ThTapeNode *in, bool *fresh)
{
    if (!in->op && in->n_in >= 0 && in->grad) {
        *fresh = !t->param_touched[in->n_in] && !th_tape_settle_product(t, in->n_in);
        t->param_touched[in->n_in] = true;
        return in->grad;
    }
    *fresh = !in->grad;
    if (!in->grad)
        in->grad = take_gradient(t, in);
    return in->grad;
}

void *th_tape_grad(ThTape *t, const ThTapeNode *n, int i, float *beta)
{
    ThTapeNode *in = th_tape_in(t, n, i);
    bool fresh = false;
    void *g = in ? grad_memory(t, in, &fresh) : NULL;
    *beta = fresh ? 0.0f : 1.0f;
    return g;
}

float *th_tape_grad_float(ThTape *t, const ThTapeNode *n, int i, float *beta)
{
    return th_tape_grad(t, n, i, beta);
}

float *th_tape_grad_float_zeroed(ThTape *t, const ThTapeNode *n, int i)
{
    float beta, *g = th_tape_grad_float(t, n, i, &beta);
    const ThTapeNode *in = th_tape_in(t, n, i);
    if (g && beta == 0)
        memset(g, 0, th_tape_size(in) * sizeof *g);
    return g;
}

double *th_tape_grad_double(ThTape *t, const ThTapeNode *n, int i)
{
    ThTapeNode *in = th_tape_in(t, n, i);
    bool fresh = false;
    double *g = in ? grad_memory(t, in, &fresh) : NULL;
    if (g && fresh)
        memset(g, 0, th_tape_size(in) * sizeof *g);
    return g;
}

/* ---- backward ---- */

static bool seed_gradient(ThTape *t, ThVar v, const double *seed)
{
    ThTapeNode *n = t->node[v];
    size_t size = th_tape_size(n);
    if (!seed && size != 1) {
        th_tape_fail(t, TH_EVALUE, "a gradient needs one number to start from, not (%d,%d)",
                     n->rows, n->cols);
        return false;
    }
    bool fresh;
    void *g = grad_memory(t, n, &fresh);
    if (!g)
        return false;
    for (size_t i = 0; i < size; i++) {
        double s = seed ? seed[i] : 1.0;
        if (t->precision == TH_TAPE_FLOAT)
            ((float *)g)[i] = (float)s;
        else
            ((double *)g)[i] = s;
    }
    return true;
}

/* Parameters that took no part have garbage from an earlier step in the block. */
static void zero_untouched(ThTape *t)
{
    for (int i = 0; i < t->params->n; i++) {
        const ThParam *p = &t->params->item[i];
        if (!t->param_touched[i] && !th_tape_product_of(t, i))
            memset((char *)t->gradient + p->offset * th_tape_real(t), 0,
                   (size_t)p->rows * (size_t)p->cols * th_tape_real(t));
    }
}

/* Reference operations need not look whether memory for their gradients was left. */
static bool take_double_gradients(ThTape *t, const ThTapeNode *n)
{
    for (int i = 0; i < n->n_in; i++)
        th_tape_grad_double(t, n, i);
    return !th_tape_failed(t);
}

bool th_tape_backward(ThTape *t, ThVar v, const double *seed, ThError *err)
{
    if (v < 0 || t->mode != TH_TAPE_GRADIENT)
        th_tape_fail(t, TH_EVALUE, "there is no record to take a gradient of");
    if (th_tape_failed(t))
        return th_tape_ok(t, err);
    if (!seed_gradient(t, v, seed))
        return th_tape_ok(t, err);
    for (ThVar i = v; i >= 0 && th_tape_goes_on(t); i--) {
        ThTapeNode *n = t->node[i];
        if (!n->op || !n->grad)
            continue;
        if (t->precision == TH_TAPE_FLOAT)
            n->op->backward_float(t, n);
        else if (take_double_gradients(t, n))
            n->op->backward_double(t, n);
        give_gradient(t, n);
    }
    zero_untouched(t);
    th_tape_goes_on(t); /* what was stopped is unfinished */
    return th_tape_ok(t, err);
}

float *th_tape_gradient(ThTape *t)
{
    return t->gradient;
}

double *th_tape_gradient_double(ThTape *t)
{
    return t->gradient;
}

double *th_tape_params_double(ThTape *t)
{
    return t->params_double;
}

/* ---- tags and reading ---- */

static void add_tag(ThTape *t, const ThTapeTag *tag)
{
    if (!th_tape_failed(t) &&
        th_grow(&t->tag, &t->cap_tags, t->n_tags + 1, sizeof *t->tag, &t->err))
        t->tag[t->n_tags++] = *tag;
}

ThVar th_tape_tag(ThTape *t, ThVar v, const char *name, int index)
{
    if (v >= 0 && t->watch)
        v = t->watch->see(t->watch->context, t, v, name, index);
    if (v >= 0)
        t->node[v]->tagged = true;
    add_tag(t, &(ThTapeTag){.name = name, .index = index, .var = v});
    return v;
}

ThVar th_tape_note(ThTape *t, ThVar v, const char *name, int index)
{
    return t->keep_named || t->watch ? th_tape_tag(t, v, name, index) : v;
}

const ThTapeTag *th_tape_tags(const ThTape *t, size_t *n)
{
    *n = t->n_tags;
    return t->tag;
}

const ThTapeWatch *th_tape_watch(ThTape *t, const ThTapeWatch *w)
{
    const ThTapeWatch *before = t->watch;
    t->watch = w;
    return before;
}

void th_tape_publish(ThTape *t, const void *value, int rows, int cols, const char *tag, int index)
{
    /* A leaf node holds the view, so that it is read like any other value. */
    ThTapeNode *n = add_node(t, rows, cols);
    if (!n)
        return;
    n->n_in = -1;
    memcpy(&n->value, &value, sizeof value);
    add_tag(t, &(ThTapeTag){.name = tag, .index = index, .var = n->id});
}

void *th_tape_publish_weights(ThTape *t, int rows, int cols, int index, size_t real)
{
    size_t size = (size_t)rows * (size_t)cols;
    void *memory = th_tape_keeps_named(t) ? th_tape_take(t, size, real) : NULL;
    if (!memory)
        return NULL;
    memset(memory, 0, size * real);
    th_tape_publish(t, memory, rows, cols, "attention", index);
    return memory;
}

ThVar th_tape_find(const ThTape *t, const char *name, int index)
{
    for (size_t i = 0; i < t->n_tags; i++)
        if (t->tag[i].index == index && strcmp(t->tag[i].name, name) == 0)
            return t->tag[i].var;
    return -1;
}

static void read_reals(const ThTape *t, const void *from, size_t size, double *to)
{
    for (size_t i = 0; i < size; i++)
        to[i] = t->precision == TH_TAPE_FLOAT ? (double)((const float *)from)[i]
                                              : ((const double *)from)[i];
}

void th_tape_read(const ThTape *t, ThVar v, double *to)
{
    const ThTapeNode *n = t->node[v];
    read_reals(t, n->value, th_tape_size(n), to);
}

double th_tape_at(const ThTape *t, ThVar v, size_t i)
{
    const void *value = t->node[v]->value;
    return t->precision == TH_TAPE_DOUBLE ? ((const double *)value)[i]
                                          : (double)((const float *)value)[i];
}

const float *th_tape_floats(const ThTape *t, ThVar v)
{
    return t->node[v]->value;
}

void th_tape_read_gradient(const ThTape *t, ThVar v, double *to)
{
    const ThTapeNode *n = t->node[v];
    size_t size = th_tape_size(n);
    if (n->grad)
        read_reals(t, n->grad, size, to);
    else
        memset(to, 0, size * sizeof *to);
}
