#include "models/attention/routing.h"

#include <limits.h>

#include "base/hash.h"

int th_model_routing_depth(int T, int C)
{
    int depth = 1;
    for (long long reach = C; reach < T; reach *= C)
        depth++;
    return depth;
}

int th_model_routing_levels(const ThModelRoutingShape *shape, int T)
{
    int depth = th_model_routing_depth(T, shape->C);
    return depth > shape->levels ? depth : shape->levels;
}

long long th_model_routing_span(const ThModelRoutingShape *shape, const ThModelSchedule *s)
{
    long long reach = 0, stride = 1;
    for (int level = 0; level <= s->level && reach <= INT_MAX; level++) {
        int subs = level < s->level ? shape->K : s->sub + 1;
        reach += subs * (shape->C - 1) * stride;
        stride *= shape->C;
    }
    return reach;
}

/* ---- positions ---- */

static bool take_stage(ThArena *a, ThModelSchedule *s, int n, int C)
{
    s->n = n;
    s->position = th_arena_take(a, (size_t)n, sizeof(int));
    s->key = th_arena_take(a, (size_t)n * (size_t)C, sizeof(int));
    return s->position && s->key;
}

/* What is read at place `from` of a level with `pads` places in front of its vectors.  The first
 * sub-layer reads the vectors and the pad; the later ones what the sub-layer before has made of
 * both.  Where a missing child is masked nothing stands in front, for no sub-layer. */
static int collapse_key(const ThModelRoutingShape *shape, const ThModelSchedule *s, int from,
                        int pads)
{
    if (from < 0 || (from < pads && shape->mask))
        return TH_MODEL_ROUTE_MASKED;
    if (s->sub > 0 && !shape->mask)
        return from;
    return from < pads ? TH_MODEL_ROUTE_PAD : from - pads;
}

/* One stage of the collapse form.  The level has `n` vectors at `position` with `pads` pads in
 * front; the last sub-layer computes right ends only. */
static bool collapse_stage(ThArena *a, const ThModelRoutingShape *shape, ThModelSchedule *s,
                           const int *position, int n)
{
    int C = shape->C, pads = (C - n % C) % C, padded = n + pads;
    int first = shape->mask ? pads : 0; /* place of the first vector of a sub-layer but the last */
    if (!take_stage(a, s, s->ends_level ? padded / C : padded - first, C))
        return false;
    for (int i = 0; i < s->n; i++) {
        int at = s->ends_level ? (i + 1) * C - 1 : first + i;
        s->position[i] = at < pads ? -1 : position[at - pads];
        for (int k = 0; k < C; k++)
            s->key[(size_t)i * (size_t)C + (size_t)k] = collapse_key(shape, s, at - k, pads);
    }
    return true;
}

static ThModelSchedule *collapse_schedule(ThArena *a, const ThModelRoutingShape *shape, int T,
                                          int *n_stages)
{
    int K = shape->K;
    *n_stages = th_model_routing_levels(shape, T) * K;
    ThModelSchedule *stages = th_arena_take(a, (size_t)*n_stages, sizeof *stages);
    int *position = th_arena_take(a, (size_t)T, sizeof *position);
    if (!stages || !position)
        return NULL;
    for (int i = 0; i < T; i++)
        position[i] = i;
    int n = T;
    for (int i = 0; i < *n_stages; i++) {
        ThModelSchedule *s = &stages[i];
        *s = (ThModelSchedule){.level = i / K, .sub = i % K, .ends_level = i % K == K - 1};
        if (!collapse_stage(a, shape, s, position, n))
            return NULL;
        if (s->ends_level) {
            position = s->position;
            n = s->n;
        }
    }
    return stages;
}

/* The dilated form, before it is cut down to what is needed: all positions in every stage. */
static ThModelSchedule *dilated_schedule(ThArena *a, const ThModelRoutingShape *shape, int T,
                                         int *n_stages)
{
    int K = shape->K, C = shape->C;
    *n_stages = th_model_routing_levels(shape, T) * K;
    ThModelSchedule *stages = th_arena_take(a, (size_t)*n_stages, sizeof *stages);
    long long stride = 1;
    for (int i = 0; stages && i < *n_stages; i++) {
        ThModelSchedule *s = &stages[i];
        *s = (ThModelSchedule){.level = i / K, .sub = i % K, .ends_level = i % K == K - 1};
        if (!take_stage(a, s, T, C))
            return NULL;
        for (int m = 0; m < T; m++) {
            int *key = s->key + (size_t)m * (size_t)C;
            s->position[m] = m;
            for (int k = 0; k < C; k++) {
                long long from = stride > m && k > 0 ? -1 : m - k * stride;
                int missing = shape->mask ? TH_MODEL_ROUTE_MASKED : TH_MODEL_ROUTE_PAD;
                key[k] = from < 0 ? missing : (int)from;
            }
        }
        if (s->ends_level)
            stride = stride > T ? stride : stride * C;
    }
    return stages;
}

/* Keeps the rows of stage s marked in `need`; marks in `below` what they read and renumbers the
 * keys of the stage above, which is `above` (NULL at the top), to what is kept. */
static void keep_needed(ThModelSchedule *s, ThModelSchedule *above, const bool *need, int *renumber,
                        int C)
{
    int kept = 0;
    for (int i = 0; i < s->n; i++) {
        if (!need[i])
            continue;
        s->position[kept] = s->position[i];
        memmove(s->key + (size_t)kept * (size_t)C, s->key + (size_t)i * (size_t)C,
                (size_t)C * sizeof *s->key);
        renumber[i] = kept++;
    }
    s->n = kept;
    for (size_t i = 0; above && i < (size_t)above->n * (size_t)C; i++)
        if (above->key[i] >= 0)
            above->key[i] = renumber[above->key[i]];
}

static bool cut_to_last(ThArena *a, ThModelSchedule *stages, int n_stages, int T, int C)
{
    bool *need = th_arena_take(a, (size_t)T, sizeof *need);
    int *renumber = th_arena_take(a, (size_t)T, sizeof *renumber);
    if (!need || !renumber)
        return false;
    memset(need, 0, (size_t)T);
    need[T - 1] = true;
    for (int i = n_stages - 1; i >= 0; i--) {
        keep_needed(&stages[i], i + 1 < n_stages ? &stages[i + 1] : NULL, need, renumber, C);
        memset(need, 0, (size_t)T);
        for (size_t k = 0; k < (size_t)stages[i].n * (size_t)C; k++)
            if (stages[i].key[k] >= 0)
                need[stages[i].key[k]] = true;
    }
    return true;
}

ThModelSchedule *th_model_routing_schedule(ThArena *a, const ThModelRoutingShape *shape, int T,
                                           int *n)
{
    if (shape->collapse)
        return collapse_schedule(a, shape, T, n);
    ThModelSchedule *stages = dilated_schedule(a, shape, T, n);
    if (stages && !shape->every && !cut_to_last(a, stages, *n, T, shape->C))
        return NULL;
    return stages;
}

/* ---- distinct vectors ---- */

/* Finds tuples of C rows that have been seen. */
typedef struct {
    ThHashTable table;
    const int *key; /* (nodes, C) */
    int C;
} Seen;

static bool seen_init(Seen *s, ThArena *a, size_t most, const int *key, int C)
{
    size_t n_slots = th_hash_slots_for(most);
    *s = (Seen){{th_arena_take(a, n_slots, sizeof *s->table.slot), 0, n_slots}, key, C};
    if (s->table.slot)
        memset(s->table.slot, 0, n_slots * sizeof *s->table.slot);
    return s->table.slot != NULL;
}

/* Row numbers are small and distinct: a product spreads them, the shift brings it to the low bits.
 */
static uint64_t hash_rows(const int *row, int C)
{
    uint64_t h = 0;
    for (int k = 0; k < C; k++)
        h = (h ^ (uint32_t)row[k]) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
}

static bool same_rows(const int *a, const int *b, int C)
{
    for (int k = 0; k < C; k++)
        if (a[k] != b[k])
            return false;
    return true;
}

/* Number of the node with these rows; `fresh` becomes its number if there is none yet. */
static int seen_find(Seen *s, const int *row, int fresh)
{
    ThHashSeek seek = th_hash_seek(hash_rows(row, s->C));
    for (uint32_t i; (i = th_hash_next(&s->table, &seek)) != TH_HASH_END;)
        if (same_rows(s->key + (size_t)i * (size_t)s->C, row, s->C))
            return (int)i;
    th_hash_put(&s->table, &seek, (size_t)fresh);
    return fresh;
}

/* Lists which rows ask: n_self of them, in order of first use. */
static bool list_selves(ThArena *a, ThModelRoutingStage *s, int C)
{
    int *place = th_arena_take(a, (size_t)s->n_before + 1, sizeof *place);
    s->self = th_arena_take(a, (size_t)s->n, sizeof *s->self);
    s->query = th_arena_take(a, (size_t)s->n, sizeof *s->query);
    if (!place || !s->self || !s->query)
        return false;
    memset(place, 0xff, ((size_t)s->n_before + 1) * sizeof *place);
    s->identity = true;
    for (int i = 0; i < s->n; i++) {
        int row = s->key[(size_t)i * (size_t)C];
        if (place[row] < 0) {
            place[row] = s->n_self;
            s->self[s->n_self++] = row;
        }
        s->query[i] = place[row];
        s->identity &= s->query[i] == i;
    }
    return true;
}

/* The stages for strings of one length. */
typedef struct {
    const ThModelSchedule *stage; /* (n) */
    int n;
} Plan;

/* The strings of a batch while stages are built: their plans, and the row of every position that
 * the last stage had, those of string b from row[at[b]] on. */
typedef struct {
    int B;
    bool share;
    const Plan **plan; /* (B) */
    int *row;
    size_t *at; /* (B) */
} Front;

/* What a string has at a stage; NULL after its last. */
static const ThModelSchedule *schedule_at(const Front *f, int b, int stage)
{
    return stage < f->plan[b]->n ? &f->plan[b]->stage[stage] : NULL;
}

/* The rows that a position reads whose `key` is in the schedule; `front` has those of its string.
 */
static void read_rows(const int *front, const int *key, ThModelRoutingStage *s, int C)
{
    int *row = s->key + (size_t)s->n * (size_t)C;
    for (int k = 0; k < C; k++) {
        int from = key[k];
        if (from >= 0)
            row[k] = front[from];
        else
            row[k] = from == TH_MODEL_ROUTE_PAD ? s->n_before : -1;
        s->uses_pad |= from == TH_MODEL_ROUTE_PAD;
    }
}

/* The most vectors that a stage can have: one for every position, or for every tuple of rows. */
static size_t most_vectors(const ThModelRoutingStage *s, size_t positions, int C)
{
    size_t tuples = 1, choices = (size_t)s->n_before + 2; /* the pad, and nothing */
    for (int k = 0; k < C && tuples < positions; k++)
        tuples *= choices;
    return tuples < positions ? tuples : positions;
}

static size_t count_positions(const Front *f, int stage)
{
    size_t n = 0;
    for (int b = 0; b < f->B; b++) {
        const ThModelSchedule *sched = schedule_at(f, b, stage);
        n += sched ? (size_t)sched->n : 0;
    }
    return n;
}

/* Lists the vectors of a stage and moves the front on to it. */
static bool build_stage(ThArena *a, int C, Front *f, ThModelRoutingStage *s)
{
    size_t positions = count_positions(f, s->number), filled = 0;
    size_t most = f->share ? most_vectors(s, positions, C) : positions;
    Seen seen = {0};
    int *after = th_arena_take(a, positions, sizeof *after);
    s->key = th_arena_take(a, (most + 1) * (size_t)C, sizeof *s->key); /* one is being looked up */
    if (!after || !s->key || (f->share && !seen_init(&seen, a, most, s->key, C)))
        return false;
    for (int b = 0; b < f->B; b++) {
        const ThModelSchedule *sched = schedule_at(f, b, s->number);
        const int *front = f->row + f->at[b];
        f->at[b] = filled;
        for (int i = 0; sched && i < sched->n; i++) {
            read_rows(front, sched->key + (size_t)i * (size_t)C, s, C);
            const int *row = s->key + (size_t)s->n * (size_t)C;
            int node = f->share ? seen_find(&seen, row, s->n) : s->n;
            s->n += node == s->n;
            after[filled++] = node;
        }
    }
    f->row = after;
    return list_selves(a, s, C);
}

/* Input rows, and the row of every position. */
static bool list_inputs(ThArena *a, const ThBatch *b, int n_symbols, Front *f, ThModelRouting *r)
{
    int size = b->B * b->T;
    f->row = th_arena_take(a, (size_t)size, sizeof *f->row);
    f->at = th_arena_take(a, (size_t)b->B, sizeof *f->at);
    r->n_inputs = f->share ? n_symbols : size;
    r->input = th_arena_take(a, (size_t)r->n_inputs, sizeof *r->input);
    if (!f->row || !f->at || !r->input)
        return false;
    for (int i = 0; i < r->n_inputs; i++)
        r->input[i] = f->share ? i : b->token[i];
    for (int i = 0; i < size; i++)
        f->row[i] = f->share ? b->token[i] : i;
    for (int i = 0; i < b->B; i++)
        f->at[i] = (size_t)i * (size_t)b->T;
    return true;
}

/* Makes the plans, one for each length; those of the longest strings have all stages. */
static bool make_plans(ThArena *a, const ThModelRoutingShape *shape, const ThBatch *b, Front *f,
                       ThModelRouting *r)
{
    Plan *of_length = th_arena_take(a, (size_t)b->T + 1, sizeof *of_length);
    f->plan = th_arena_take(a, (size_t)b->B, sizeof *f->plan);
    if (!of_length || !f->plan)
        return false;
    memset(of_length, 0, ((size_t)b->T + 1) * sizeof *of_length);
    for (int i = 0; i < b->B; i++) {
        int T = th_batch_length(b, i);
        Plan *p = &of_length[T];
        f->plan[i] = p;
        if (!p->stage && !(p->stage = th_model_routing_schedule(a, shape, T, &p->n)))
            return false;
        if (p->n > r->n_stages) {
            r->n_stages = p->n;
            r->schedule = p->stage;
        }
    }
    return true;
}

/* Notes the answers of the strings whose last stage this was: they are kept in a heap of `kept`
 * rows, where r->output finds them. */
static bool keep_answers(ThArena *a, const ThBatch *b, const Front *f, ThModelRoutingStage *s,
                         int *kept, ThModelRouting *r)
{
    int per_string = r->n_outputs / b->B;
    s->done = th_arena_take(a, count_positions(f, s->number), sizeof *s->done);
    if (!s->done)
        return false;
    for (int i = 0; i < b->B; i++) {
        if (f->plan[i]->n != s->number + 1)
            continue;
        int width = f->plan[i]->stage[s->number].n;
        for (int k = 0; k < width; k++) {
            s->done[s->n_done++] = f->row[f->at[i] + (size_t)k];
            r->output[i * per_string + k] = (*kept)++;
        }
    }
    return true;
}

static bool take_outputs(ThArena *a, const ThModelRoutingShape *shape, const ThBatch *b,
                         ThModelRouting *r)
{
    r->n_outputs = shape->every ? b->B * b->T : b->B;
    r->output = th_arena_take(a, (size_t)r->n_outputs, sizeof *r->output);
    if (r->output)
        memset(r->output, 0xff, (size_t)r->n_outputs * sizeof *r->output);
    return r->output != NULL;
}

bool th_model_routing_build(ThArena *a, const ThModelRoutingShape *shape, const ThBatch *b,
                            int n_symbols, bool share, ThModelRouting *r)
{
    *r = (ThModelRouting){0};
    Front front = {.B = b->B, .share = share};
    int kept = 0;
    if (!make_plans(a, shape, b, &front, r) || !list_inputs(a, b, n_symbols, &front, r) ||
        (b->length && !take_outputs(a, shape, b, r)))
        return false;
    r->stage = th_arena_take(a, (size_t)r->n_stages, sizeof *r->stage);
    for (int i = 0; r->stage && i < r->n_stages; i++) {
        ThModelRoutingStage *s = &r->stage[i];
        *s = (ThModelRoutingStage){
            .number = i, .n_before = i ? r->stage[i - 1].n : r->n_inputs, .output = -1};
        if (!build_stage(a, shape->C, &front, s) ||
            (b->length && !keep_answers(a, b, &front, s, &kept, r)))
            return false;
    }
    if (!b->length) {
        r->output = front.row;
        r->n_outputs = b->B * r->schedule[r->n_stages - 1].n;
    }
    return r->stage != NULL;
}

/* ---- position by position ---- */

/* Rows are numbered as they are met; -1 has not been. */
typedef struct {
    int *number, *row, n;
} Met;

static int meet(Met *m, int row)
{
    if (m->number[row] < 0) {
        m->number[row] = m->n;
        m->row[m->n++] = row;
    }
    return m->number[row];
}

/* Own rows come first, so that row i asks for itself; keys are at distances 0, stride, 2·stride. */
static void route_next(const ThModelRoutingShape *shape, const ThModelRoutingSpan *span,
                       long long stride, ThModelRoutingStage *s, Met *met)
{
    int C = shape->C, B = span->B;
    for (int i = 0; i < s->n; i++)
        s->self[i] = s->query[i] = meet(met, span->first * B + i);
    for (int i = 0; i < s->n; i++) {
        int p = span->first + i / B;
        for (int c = 0; c < C; c++) {
            bool there = c * stride <= p;
            int row = there ? (int)(p - c * stride) * B + i % B : -1;
            s->key[i * C + c] = there ? meet(met, row) : -1;
            s->uses_pad |= !there && !shape->mask;
        }
    }
    for (int i = 0; s->uses_pad && i < s->n * C; i++)
        s->key[i] = s->key[i] < 0 ? met->n : s->key[i];
    s->n_before = met->n;
}

const int *th_model_routing_next(ThArena *a, const ThModelRoutingShape *shape,
                                 const ThModelRoutingSpan *span, int number, ThModelRoutingStage *s)
{
    int rows = (span->end - span->first) * span->B;
    size_t n = (size_t)rows, all = (size_t)span->end * (size_t)span->B;
    *s = (ThModelRoutingStage){.number = number,
                               .n = rows,
                               .n_self = rows,
                               .identity = true,
                               .self = th_arena_take(a, n, sizeof(int)),
                               .query = th_arena_take(a, n, sizeof(int)),
                               .key = th_arena_take(a, n * (size_t)shape->C, sizeof(int))};
    Met met = {.number = th_arena_take(a, all, sizeof(int)),
               .row = th_arena_take(a, all, sizeof(int))};
    if (!s->self || !s->query || !s->key || !met.number || !met.row)
        return NULL;
    memset(met.number, -1, all * sizeof *met.number);
    long long stride = 1;
    for (int level = number / shape->K; level > 0 && stride < span->end; level--)
        stride *= shape->C;
    route_next(shape, span, stride, s, &met);
    return met.row;
}
