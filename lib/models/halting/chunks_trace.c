#include "models/halting/chunks_trace.h"

#include "models/attention/sentence_pairs.h"

int th_model_chunk_steps(const ThModelChunks *c, int most)
{
    return 2 * most + c->updates;
}

/* The one string that was run, or the two sides of it. */
typedef struct {
    const ThModelChunks *c;
    const ThModelEncoder *e;
    const ThTape *t;
    int most, steps; /* applications of a chunk; what a chunk has of steps */
    int length, n_sides, side[2];
} Traced;

/* One chunk of a side. */
typedef struct {
    int number, string; /* of the strings that have it, which this is */
    int first, rows;    /* its positions */
} Chunk;

static int first_of(const Traced *x, int side)
{
    return side ? x->side[0] + 1 : 0;
}

static Chunk chunk_of(const Traced *x, int side, int number)
{
    int n = x->side[side], rows = th_model_chunk_length(x->c, n), left = n - number * rows;
    return (Chunk){.number = number,
                   .string = side && th_model_chunk_count(x->c, x->side[0]) > number,
                   .first = first_of(x, side) + number * rows,
                   .rows = left < rows ? left : rows};
}

static ThVar tagged(const Traced *x, const Chunk *k, const char *name, int step)
{
    return th_tape_find(x->t, name, k->number * x->steps + step);
}

/* Sides that have the chunk. */
static int strings_of(const Traced *x, const Chunk *k)
{
    int n = 0;
    for (int side = 0; side < x->n_sides; side++)
        n += th_model_chunk_count(x->c, x->side[side]) > k->number;
    return n > 0 ? n : 1; /* the chunk is one of them */
}

/* n rows of a layer that are about a chunk, and what they show. */
typedef struct {
    ThModelTraceLayer *layer;
    int at, n;
    int weights, state; /* steps of the chunk */
} Slice;

/* Returns new: a value as numbers; NULL and no error where there is none. */
static double *numbers(const Traced *x, ThVar v, ThError *err)
{
    size_t size = v < 0 ? 0 : (size_t)th_tape_rows(x->t, v) * (size_t)th_tape_cols(x->t, v);
    double *to = size > 0 ? th_alloc(size, sizeof *to, err) : NULL;
    if (to)
        th_tape_read(x->t, v, to);
    return to;
}

static bool put_weights(const Traced *x, const Chunk *k, const Slice *s, ThError *err)
{
    ThVar v = tagged(x, k, "attention", s->weights);
    double *w TH_OWNED(free) = numbers(x, v, err);
    if (!w)
        return v < 0;
    int heads = x->e->attention.heads, keys = th_tape_cols(x->t, v);
    int queries = th_tape_rows(x->t, v) / (strings_of(x, k) * heads);
    for (int head = 0; head < heads; head++)
        for (int i = 0; i < s->n; i++) {
            size_t from =
                ((size_t)k->string * (size_t)heads + (size_t)head) * (size_t)queries + (size_t)i;
            size_t to = (size_t)head * (size_t)s->layer->n_rows + (size_t)(s->at + i);
            memcpy(s->layer->weight + to * (size_t)s->layer->n_keys, w + from * (size_t)keys,
                   (size_t)keys * sizeof *w);
        }
    return true;
}

static bool put_states(const Traced *x, const Chunk *k, const Slice *s, ThError *err)
{
    ThVar v = tagged(x, k, "chunk", s->state);
    double *state TH_OWNED(free) = numbers(x, v, err);
    if (!state)
        return v < 0;
    size_t d = (size_t)x->e->attention.dim;
    int rows = th_tape_rows(x->t, v) / strings_of(x, k);
    memcpy(s->layer->state + (size_t)s->at * d, state + (size_t)(k->string * rows) * d,
           (size_t)s->n * d * sizeof *state);
    return true;
}

/* ---- layers ---- */

static bool begin_layer(const Traced *x, ThModelTraceLayer *to, int rows, int keys, ThError *err)
{
    ThModelTraceLayer shape = {.n_rows = rows,
                               .dim = x->e->attention.dim,
                               .n_heads = x->e->attention.heads,
                               .n_keys = keys};
    return th_model_trace_rows(to, &shape, err);
}

/* The keys of row i of a slice: of its chunk those up to `seen`, or the slots. */
static void put_keys(const Chunk *k, const Slice *s, int i, bool slots, int seen)
{
    int *key = s->layer->key + (size_t)(s->at + i) * (size_t)s->layer->n_keys;
    for (int j = 0; j < s->layer->n_keys; j++)
        key[j] = slots ? TH_MODEL_KEY_PAD : j < seen ? k->first + j : TH_MODEL_KEY_MASKED;
}

/* What positions read at an application, of their chunk or of the slots. */
static bool trace_positions(const Traced *x, int step, bool slots, ThModelTraceLayer *to,
                            ThError *err)
{
    int keys = slots ? x->c->slots : x->c->rows < x->length ? x->c->rows : x->length;
    bool ok = begin_layer(x, to, x->length, keys, err);
    for (int i = 0; ok && i < x->length; i++) {
        to->last[i] = i;
        put_keys(&(Chunk){0}, &(Slice){.layer = to}, i, false, 0); /* also what stands between */
    }
    for (int side = 0; side < x->n_sides; side++) {
        int n = th_model_chunk_count(x->c, x->side[side]);
        for (int c = 0; ok && c < n; c++) {
            Chunk k = chunk_of(x, side, c);
            Slice s = {to, k.first, k.rows, step + (slots ? x->most : 0), step};
            for (int i = 0; i < k.rows; i++)
                put_keys(&k, &s, i, slots, x->e->attention.causal ? i + 1 : k.rows);
            ok = put_weights(x, &k, &s, err) && put_states(x, &k, &s, err);
        }
    }
    return ok;
}

/* What the slots read of each chunk that they read. */
static bool trace_slots(const Traced *x, int update, ThModelTraceLayer *to, int chunks,
                        ThError *err)
{
    int slots = x->c->slots, step = 2 * x->most + update, at = 0;
    bool ok =
        begin_layer(x, to, chunks * slots, x->c->rows < x->length ? x->c->rows : x->length, err);
    for (int side = 0; side < x->n_sides; side++) {
        int n = th_model_chunk_count(x->c, x->side[side]);
        for (int c = 0; ok && c < n; c++) {
            Chunk k = chunk_of(x, side, c);
            Slice s = {to, at, slots, step, step};
            if (tagged(x, &k, "attention", step) < 0)
                continue;
            for (int i = 0; i < slots; i++) {
                to->first[at + i] = k.first;
                to->last[at + i] = k.first + k.rows - 1;
                put_keys(&k, &s, i, false, k.rows);
            }
            at += slots;
            ok = put_weights(x, &k, &s, err) && put_states(x, &k, &s, err);
        }
    }
    return ok;
}

/* ---- the whole ---- */

static Traced find_sides(const ThModelChunks *c, const ThModelEncoder *e, int most, const ThTape *t,
                         int length)
{
    Traced x = {c, e, t, most, th_model_chunk_steps(c, most), length, 1, {length, 0}};
    x.n_sides = th_model_sides_read(t, length, x.side);
    return x;
}

/* Applications that some chunk has had, and chunks that the memory has read. */
static void count_layers(const Traced *x, int *applied, int *read)
{
    *applied = *read = 0;
    for (int side = 0; side < x->n_sides; side++) {
        int n = th_model_chunk_count(x->c, x->side[side]);
        for (int c = 0; c < n; c++) {
            Chunk k = chunk_of(x, side, c);
            while (*applied < x->most && tagged(x, &k, "attention", *applied) >= 0)
                ++*applied;
            *read += tagged(x, &k, "attention", 2 * x->most) >= 0;
        }
    }
}

bool th_model_chunks_trace(const ThModelChunks *c, const ThModelEncoder *e, int most,
                           const ThTape *t, int length, ThModelTrace *out, ThError *err)
{
    Traced x = find_sides(c, e, most, t, length);
    int applied, read, at = 0;
    count_layers(&x, &applied, &read);
    bool ok = th_model_trace_layers(out, 2 * applied + (read > 0 ? c->updates : 0), err);
    /* The memory last where the answer is read from it. */
    if (ok && th_tape_find(t, "memory", -1) < 0)
        at = out->n_layers - 2 * applied;
    for (int u = 0; ok && read > 0 && u < c->updates; u++)
        ok = trace_slots(&x, u, &out->layer[at > 0 ? u : 2 * applied + u], read, err);
    for (int i = 0; ok && i < 2 * applied; i++)
        ok = trace_positions(&x, i / 2, i % 2, &out->layer[at + i], err);
    return ok;
}

/* A unit for every chunk, or for every position. */
bool th_model_chunks_halted(const ThModelChunks *c, const ThModelEncoder *e,
                            const ThModelThinker *k, const ThTape *t, int length, ThModelHalted *to,
                            ThError *err)
{
    Traced x = find_sides(c, e, k->steps, t, length);
    bool one = th_model_thinks_by_string(k, e);
    if (!th_model_halted_begin(to, length + 1, k->steps, err))
        return false;
    for (int side = 0; side < x.n_sides; side++) {
        int n = th_model_chunk_count(c, x.side[side]);
        for (int i = 0; i < n; i++) {
            Chunk own = chunk_of(&x, side, i);
            int before = own.string ? chunk_of(&x, 0, i).rows : 0;
            int T = before > own.rows ? before : own.rows;
            th_model_halted_add(to, t,
                                &(ThModelHaltedPart){.number = i * x.steps,
                                                     .from = own.string * (one ? 1 : T),
                                                     .n = one ? 1 : own.rows,
                                                     .position = own.first,
                                                     .wide = one ? own.rows : 1});
        }
    }
    return true;
}
