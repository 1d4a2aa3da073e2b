#include "models/position.h"

#include <string.h>

#define POSITION(id) extern const ThPositionKind th_position_##id;
#include "models/positions.def"

static const ThPositionKind *const kinds[] = {
#define POSITION(id) &th_position_##id,
#include "models/positions.def"
};

const char th_position_list[] = ""
#define POSITION(id) "|" #id
#include "models/positions.def"
    ;

const ThPositionKind *const *th_position_kinds(size_t *n)
{
    *n = sizeof kinds / sizeof *kinds;
    return kinds;
}

const ThPositionKind *th_position_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

void th_position_init(ThPosition *p, const ThOptions *o, int dim, int heads, bool causal)
{
    *p = (ThPosition){.kind = th_position_kind(th_option_text(o, "position")),
                      .options = o,
                      .dim = dim,
                      .heads = heads,
                      .causal = causal};
}

bool th_position_check(const ThPosition *p, ThError *err)
{
    if (p->causal ? !p->kind->causal : !p->kind->full)
        return th_fail(err, TH_EUSAGE, "position=%s is defined for causal=%s only", p->kind->name,
                       p->causal ? "no" : "yes");
    return !p->kind->check || p->kind->check(p, err);
}

void th_position_bind(ThPosition *p, ThModelBuilder *b)
{
    if (p->kind->bind)
        p->kind->bind(p, b);
}

void th_position_bind_layer(ThPosition *p, ThModelBuilder *b)
{
    if (p->kind->bind_layer)
        p->kind->bind_layer(p, b);
}

ThVar th_position_at_input(const ThPosition *p, ThTape *t, ThVar x, const ThPositionRows *rows)
{
    return p->kind->at_input ? p->kind->at_input(p, t, x, rows) : x;
}

ThVar th_position_at_queries(const ThPosition *p, ThTape *t, ThVar q, const ThPositionRows *rows)
{
    return p->kind->at_queries ? p->kind->at_queries(p, t, q, rows) : q;
}

ThVar th_position_at_keys(const ThPosition *p, ThTape *t, ThVar kv, const ThPositionRows *rows)
{
    return p->kind->at_keys ? p->kind->at_keys(p, t, kv, rows) : kv;
}

ThVar th_position_prepare(const ThPosition *p, ThTape *t, int span)
{
    return p->kind->prepare ? p->kind->prepare(p, t, span) : -1;
}

void th_position_at_attention(const ThPosition *p, ThTape *t, int layer, ThVar prepared, int span,
                              ThOpAttention *how)
{
    if (p->kind->at_attention)
        p->kind->at_attention(p, t, layer, prepared, span, how);
}

static int position_of(const ThPositionRows *rows, int i)
{
    return rows->position ? rows->position[i] : rows->first + i % rows->T;
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

void th_position_keep(const ThPosition *p, ThTape *t, int layer, ThVar prepared, int span,
                      ThPositionModifiers *to, ThArena *arena)
{
    ThOpAttention how = {.u = -1, .v = -1, .xl = -1, .bias = -1};
    th_position_at_attention(p, t, layer, prepared, span, &how);
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
