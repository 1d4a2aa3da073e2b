#include "models/halting/chunks.h"

void th_model_chunks_build(ThModelChunks *c, ThModelBuilder *b, int dim)
{
    const ThOptions *o = &b->m->options;
    b->layer = -1;
    int wide = dim * (int)th_option_int(o, "memory_mlp_ratio");
    double deviation = th_option_real(o, "memory_start");
    c->rows = (int)th_option_int(o, "chunk");
    c->slots = (int)th_option_int(o, "slots");
    c->equal = th_option_choice(o, "cut") == TH_MODEL_CUT_EQUAL;
    c->pool = th_option_choice(o, "pool");
    c->through = (int)th_option_int(o, "tbptt");
    c->updates = (int)th_option_int(o, "updates");
    c->memory = th_model_build(b, "slots", c->slots, dim,
                               deviation > 0 ? TH_INIT_NORMAL : TH_INIT_ZERO, deviation);
    for (b->layer = 0; b->layer < c->updates; b->layer++) {
        ThModelUpdate *u = &c->update[b->layer];
        u->reads = th_model_build_cross(b, "update", dim);
        u->norm = th_model_build_norm(b, "update.norm", dim);
        u->feed_forward = th_model_build_network(b, "update.feed_forward", dim, wide, dim);
    }
    b->layer = -1;
    c->norm = th_model_build_norm(b, "slots_norm", dim);
}

/* ---- cutting ---- */

bool th_model_chunks_check(const ThOptions *o, ThError *err)
{
    if (th_option_choice(o, "cut") != TH_MODEL_CUT_EQUAL || !th_option_flag(o, "causal"))
        return th_model_encoder_check(o, true, err);
    return th_fail(err, TH_EUSAGE,
                   "with cut=equal where a string is cut depends on all of its length") ||
           th_hint(err, "causal=yes goes with cut=fixed");
}

int th_model_chunk_length(const ThModelChunks *c, int n)
{
    int count = (n + c->rows - 1) / c->rows;
    return c->equal && count > 0 ? (n + count - 1) / count : c->rows;
}

int th_model_chunk_count(const ThModelChunks *c, int n)
{
    int length = th_model_chunk_length(c, n);
    return (n + length - 1) / length;
}

/* Lists the strings that have the chunk, and how much of it. */
static bool list_strings(const ThModelReading *r, ThModelChunk *k)
{
    size_t B = (size_t)r->strings.B;
    int *length = th_tape_take(r->t, B, sizeof *length);
    k->string = th_tape_take(r->t, B, sizeof *k->string);
    if (!length || !k->string)
        return false;
    k->strings = (ThModelStrings){.length = length};
    for (int b = 0; b < r->strings.B; b++) {
        int n = r->strings.length[b], long_one = th_model_chunk_length(r->c, n);
        int left = n - k->number * long_one;
        if (left <= 0)
            continue;
        left = left < long_one ? left : long_one;
        k->strings.T = left > k->strings.T ? left : k->strings.T;
        length[k->strings.B] = left;
        k->string[k->strings.B++] = b;
    }
    return k->strings.B > 0;
}

bool th_model_reading_next(const ThModelReading *r, int number, ThModelChunk *k)
{
    *k = (ThModelChunk){.number = number};
    if (!list_strings(r, k))
        return false;
    int rows = k->strings.B * k->strings.T;
    int *from = th_tape_take(r->t, (size_t)rows, sizeof *from);
    for (int i = 0; from && i < rows; i++) {
        int b = k->string[i / k->strings.T], at = i % k->strings.T;
        int first = number * th_model_chunk_length(r->c, r->strings.length[b]);
        from[i] = at < k->strings.length[i / k->strings.T] ? b * r->strings.T + first + at : -1;
        if (r->each && from[i] >= 0)
            r->place[from[i]] = r->n_made + i;
    }
    k->x = from ? th_op_rows(r->t, r->x, from, rows, 1) : -1;
    k->x = th_position_at_input(&r->e->attention.position, r->t, k->x,
                                &(ThPositionRows){.n = rows, .T = k->strings.T});
    return from != NULL;
}

/* ---- the memory ---- */

bool th_model_reading_begin(ThModelReading *r)
{
    int n = r->strings.B * r->c->slots, all = r->strings.B * r->strings.T;
    int *slot = th_tape_take(r->t, (size_t)n, sizeof *slot);
    r->place = th_tape_take(r->t, (size_t)all, sizeof *r->place);
    if (!slot || !r->place)
        return false;
    memset(r->place, 0xff, (size_t)all * sizeof *r->place);
    for (int i = 0; i < n; i++)
        slot[i] = i % r->c->slots;
    r->memory = th_op_rows(r->t, th_param(r->t, r->c->memory), slot, n, 1);
    r->made = -1;
    r->n_made = 0;
    r->each = r->m->signature.target != TH_TARGET_FINAL;
    return r->memory >= 0;
}

/* The memory of the chunk's strings. */
static ThVar memory_of(const ThModelReading *r, const ThModelChunk *k)
{
    int slots = r->c->slots, n = k->strings.B * slots;
    if (k->strings.B == r->strings.B)
        return r->memory;
    int *row = th_tape_take(r->t, (size_t)n, sizeof *row);
    for (int i = 0; row && i < n; i++)
        row[i] = k->string[i / slots] * slots + i % slots;
    return row ? th_op_rows(r->t, r->memory, row, n, 1) : -1;
}

ThVar th_model_reading_recall(const ThModelReading *r, const ThModelChunk *k)
{
    ThVar memory = memory_of(r, k);
    bool cut = r->c->through > 0 && k->number > 0 && k->number % r->c->through == 0;
    return cut ? th_op_detach(r->t, memory) : memory;
}

/* The memory of the chunk's strings after they have read it. */
static ThVar update(const ThModelReading *r, const ThModelChunk *k, int tag, ThVar memory,
                    ThVar made)
{
    ThTape *t = r->t;
    for (int i = 0; i < r->c->updates; i++) {
        const ThModelUpdate *u = &r->c->update[i];
        ThModelCrossing how = {.B = k->strings.B,
                               .heads = r->e->attention.heads,
                               .tag = tag + i,
                               .length = k->strings.length,
                               .dropout = r->e->dropout,
                               .attention_dropout = r->e->attention.dropout,
                               .rng = r->rng};
        ThVar x =
            th_model_cross(t, &u->reads, &how, memory, th_model_cross_keys(t, &u->reads, made));
        ThVar more = th_model_network(t, &u->feed_forward, th_model_norm(t, &u->norm, x));
        memory = th_op_add(t, x, th_op_dropout(t, more, r->e->dropout, r->rng));
        memory = th_tape_note(t, memory, "chunk", tag + i);
    }
    return memory;
}

/* Puts the memory of the chunk's strings among that of all. */
static bool remember(ThModelReading *r, const ThModelChunk *k, ThVar memory)
{
    int slots = r->c->slots, n = r->strings.B * slots;
    if (k->strings.B == r->strings.B) {
        r->memory = memory;
        return true;
    }
    int *row = th_tape_take(r->t, (size_t)n, sizeof *row);
    for (int i = 0; row && i < n; i++)
        row[i] = i;
    for (int i = 0; row && i < k->strings.B * slots; i++)
        row[k->string[i / slots] * slots + i % slots] = n + i;
    r->memory = row ? th_op_rows(r->t, th_op_stack(r->t, r->memory, memory), row, n, 1) : -1;
    return row != NULL;
}

static bool goes_on(const ThModelReading *r, const ThModelChunk *k)
{
    for (int i = 0; i < k->strings.B; i++)
        if (th_model_chunk_count(r->c, r->strings.length[k->string[i]]) > k->number + 1)
            return true;
    return false;
}

bool th_model_reading_store(ThModelReading *r, const ThModelChunk *k, int tag, ThVar before,
                            ThVar made)
{
    if (r->each) {
        ThVar rows = th_model_encoder_finish(r->e, r->t, made);
        ThVar z = th_model_encoder_answer(r->e, r->t, r->m, rows);
        r->made = r->made < 0 ? z : th_op_stack(r->t, r->made, z);
        r->n_made += k->strings.B * k->strings.T;
        if (!goes_on(r, k))
            return true;
    }
    return remember(r, k, update(r, k, tag, before, made));
}

ThVar th_model_reading_answer(const ThModelReading *r)
{
    ThTape *t = r->t;
    int B = r->strings.B, *length = th_tape_take(t, (size_t)B, sizeof *length);
    if (r->each)
        return th_op_rows(t, r->made, r->place, B * r->strings.T, 1);
    for (int b = 0; length && b < B; b++)
        length[b] = r->c->slots;
    if (!length)
        return -1;
    ThModelStrings memories = {.B = B, .T = r->c->slots, .length = length};
    ThVar x = th_model_norm(t, &r->c->norm, r->memory);
    x = th_tape_tag(t, x, "memory", -1);
    return th_model_encoder_answer(r->e, t, r->m,
                                   th_model_encoder_pool(t, &memories, x, r->c->pool));
}
