#include "turing/fast.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"

enum {
    MOST_CELLS = 32,       /* in a block */
    MOST_MEMORY = 1 << 20, /* moves that are kept */
    MOST_INSIDE = 1 << 16, /* steps inside a block that are worked out ahead */
    N_ENTRIES = 4          /* from the left or the right, of an inner or of the edge block */
};

enum { LEAVES_LEFT = -1, STOPS, LEAVES_RIGHT, STAYS_LONG, UNKNOWN };

/* What a block does to a head that enters it in a state. */
typedef struct {
    uint32_t out; /* the block afterwards */
    uint32_t steps;
    uint16_t state;
    int8_t how;      /* LEAVES_…, STOPS, STAYS_LONG, UNKNOWN */
    uint8_t verdict; /* STOPS */
    uint8_t at;      /* STOPS: offset of the head */
    uint8_t lo, hi;  /* offsets that the head stood on */
} Move;

typedef struct {
    uint32_t block;
    uint64_t count;
} Run;

typedef struct {
    Run *run;
    size_t n, cap;
} Stack;

struct ThFast {
    const ThTuring *m;
    int k;           /* cells in a block */
    ThIntern blocks; /* contents by number; 0 is blank */
    Move *move;      /* (blocks, states, N_ENTRIES) */
    size_t move_cap;
    Stack left, right; /* what lies beside the head's block, nearest last */
    uint32_t here;     /* the head's block */
    int at;            /* the head's offset in it */
    int64_t base;      /* position of the block's first cell */
    int64_t low, high; /* ends of where the head was */
    int state;
    uint64_t steps;
    ThVerdict verdict;
};

/* ---- blocks ---------------------------------------------------------------------------------- */

static const uint16_t *cells_of(const ThFast *f, uint32_t block)
{
    return th_intern_at(&f->blocks, block, NULL);
}

static size_t moves_per_block(const ThFast *f)
{
    return (size_t)f->m->n_states * N_ENTRIES;
}

/* The number of a block's content; a new one gets its moves, unknown as yet. */
static bool number_block(ThFast *f, const uint16_t *cell, uint32_t *block, ThError *err)
{
    size_t index, before = f->blocks.n, each = moves_per_block(f);
    if (!th_intern(&f->blocks, cell, (size_t)f->k * sizeof *cell, &index, err))
        return false;
    *block = (uint32_t)index;
    if (index < before)
        return true;
    if (!th_grow(&f->move, &f->move_cap, (index + 1) * each, sizeof *f->move, err))
        return false;
    for (size_t i = 0; i < each; i++)
        f->move[index * each + i] = (Move){.how = UNKNOWN};
    return true;
}

/* ---- one step at a time, inside a block ------------------------------------------------------ */

typedef struct {
    uint16_t cell[MOST_CELLS];
    int at, state, lo, hi;
    uint64_t steps;
    ThVerdict verdict; /* TH_GOES_ON while it does, and where the head has left */
} Inside;

/* The rule for where the head is, or NULL where the machine stops for want of one. */
static const ThRule *next_rule(const ThTuring *m, Inside *x)
{
    int read = x->cell[x->at], i = th_turing_rule(m, x->state, &read);
    if (i >= 0)
        return &m->rule[i];
    x->verdict = th_turing_missed(m, &x->steps);
    return NULL;
}

static void apply(const ThTuring *m, Inside *x, const ThRule *r, bool edge)
{
    if (r->write[0] != TH_ANY)
        x->cell[x->at] = (uint16_t)r->write[0];
    x->state = r->to == TH_ANY ? x->state : r->to;
    x->steps++;
    x->at += r->move[0];
    x->verdict = th_turing_entered(m, x->state);
    if (edge && x->at < 0) {
        x->at = 0;
        x->verdict = th_turing_over_edge(m, x->verdict);
    }
}

static bool within(const ThFast *f, const Inside *x)
{
    return x->at >= 0 && x->at < f->k;
}

/* Steps until the head leaves or the machine stops; at most `most`. */
static void go_inside(const ThFast *f, Inside *x, bool edge, uint64_t most)
{
    for (uint64_t i = 0; i < most && x->verdict == TH_GOES_ON && within(f, x); i++) {
        if (x->at < x->lo)
            x->lo = x->at;
        if (x->at > x->hi)
            x->hi = x->at;
        const ThRule *r = next_rule(f->m, x);
        if (r)
            apply(f->m, x, r, edge);
    }
    if (within(f, x) && x->at < x->lo)
        x->lo = x->at;
    if (within(f, x) && x->at > x->hi)
        x->hi = x->at;
}

/* Where a head is that has left, stopped by what it entered; the machine stops there, not here. */
static bool left_and_stopped(const ThFast *f, const Inside *x)
{
    return !within(f, x) && x->verdict != TH_GOES_ON;
}

/* Works a move out.  A head that leaves in a state that stops is left for single steps. */
static bool find_move(ThFast *f, Move *to, uint32_t block, int state, int entry, ThError *err)
{
    Inside x = {.at = entry & 1 ? f->k - 1 : 0, .state = state, .lo = MOST_CELLS, .hi = 0};
    memcpy(x.cell, cells_of(f, block), (size_t)f->k * sizeof *x.cell);
    go_inside(f, &x, entry & 2, MOST_INSIDE);
    Move v = {.steps = (uint32_t)x.steps, .state = (uint16_t)x.state, .how = STAYS_LONG};
    v.lo = (uint8_t)x.lo;
    v.hi = (uint8_t)x.hi;
    if (!left_and_stopped(f, &x) && x.verdict != TH_GOES_ON) {
        v.how = STOPS;
        v.verdict = (uint8_t)x.verdict;
        v.at = (uint8_t)x.at;
    } else if (!within(f, &x) && x.verdict == TH_GOES_ON) {
        v.how = x.at < 0 ? LEAVES_LEFT : LEAVES_RIGHT;
    }
    size_t index = (size_t)(to - f->move);
    if (v.how != STAYS_LONG && !number_block(f, x.cell, &v.out, err))
        return false;
    f->move[index] = v;
    return true;
}

/* ---- runs of blocks -------------------------------------------------------------------------- */

static bool push(Stack *s, uint32_t block, uint64_t count, ThError *err)
{
    if (s->n > 0 && s->run[s->n - 1].block == block) {
        s->run[s->n - 1].count += count;
        return true;
    }
    if (s->n == 0 && block == 0)
        return true; /* blanks up to the end */
    if (!th_grow(&s->run, &s->cap, s->n + 1, sizeof *s->run, err))
        return false;
    s->run[s->n++] = (Run){block, count};
    return true;
}

static uint32_t pop(Stack *s)
{
    if (s->n == 0)
        return 0;
    Run *top = &s->run[s->n - 1];
    uint32_t block = top->block;
    if (--top->count == 0)
        s->n--;
    return block;
}

/* Notes that the head stood on the cells from one position to another. */
static void stood(ThFast *f, int64_t from, int64_t to)
{
    f->low = from < f->low ? from : f->low;
    f->high = to > f->high ? to : f->high;
}

/* Moves the head over the block's left or right end, the block being `out` then. */
static bool cross(ThFast *f, uint32_t out, int way, ThError *err)
{
    Stack *behind = way > 0 ? &f->left : &f->right, *ahead = way > 0 ? &f->right : &f->left;
    if (!push(behind, out, 1, err))
        return false;
    f->here = pop(ahead);
    f->base += way * f->k;
    f->at = way > 0 ? 0 : f->k - 1;
    stood(f, f->base + f->at, f->base + f->at);
    return true;
}

static bool at_edge_block(const ThFast *f)
{
    return f->m->edge != TH_TWO_WAY && f->base == 0;
}

/* One rule, or the end of the run by a limit. */
static bool single_step(ThFast *f, ThRunLimits limits, ThError *err)
{
    Inside x = {.at = f->at, .state = f->state, .lo = MOST_CELLS};
    memcpy(x.cell, cells_of(f, f->here), (size_t)f->k * sizeof *x.cell);
    const ThRule *r = next_rule(f->m, &x);
    if ((r ? 1 : x.steps) > limits.steps - f->steps) {
        f->verdict = TH_OUT_OF_STEPS;
        return true;
    }
    if (r) {
        apply(f->m, &x, r, at_edge_block(f));
        int64_t at = f->base + x.at, low = at < f->low ? at : f->low;
        int64_t high = at > f->high ? at : f->high;
        if ((uint64_t)(high - low) + 1 > limits.cells) {
            f->verdict = TH_OUT_OF_CELLS;
            return true;
        }
        stood(f, at, at);
    }
    uint32_t block;
    if (!number_block(f, x.cell, &block, err))
        return false;
    f->here = block;
    f->steps += x.steps;
    f->state = x.state;
    f->verdict = x.verdict;
    f->at = x.at;
    return within(f, &x) || cross(f, block, x.at < 0 ? -1 : 1, err);
}

/* How many of the blocks ahead a move may cross at once within the limits; 0: not even one. */
static uint64_t fitting(const ThFast *f, const Move *v, uint64_t most, ThRunLimits limits)
{
    uint64_t n = (limits.steps - f->steps) / v->steps, room = UINT64_MAX;
    uint64_t seen = (uint64_t)(f->high - f->low) + 1, k = (uint64_t)f->k;
    if (limits.cells < seen + 2 * k)
        room = 0;
    else if (limits.cells < UINT64_MAX)
        room = (limits.cells - seen) / k - 1;
    n = n < most ? n : most;
    return n < room ? n : room;
}

/* Crosses the run of equal blocks ahead and the head's own. */
static bool cross_run(ThFast *f, const Move *v, ThRunLimits limits, bool *done, ThError *err)
{
    Stack *ahead = v->how > 0 ? &f->right : &f->left, *behind = v->how > 0 ? &f->left : &f->right;
    Run *top = ahead->n ? &ahead->run[ahead->n - 1] : NULL;
    uint64_t most = 1, n;
    if (!top && f->here == 0)
        most = INT64_MAX; /* blanks without end */
    else if (top && top->block == f->here)
        most += top->count;
    uint64_t inner = (uint64_t)(f->base / f->k); /* blocks that are not at the edge */
    if (f->m->edge != TH_TWO_WAY && v->how < 0 && most > inner)
        most = inner;
    n = fitting(f, v, most, limits);
    *done = n > 0;
    if (n == 0)
        return true;
    if (!push(behind, v->out, n, err))
        return false;
    if (top && n > 1 && (top->count -= n - 1) == 0)
        ahead->n--;
    int64_t way = v->how < 0 ? -1 : v->how > 0, from = f->base;
    f->steps += n * v->steps;
    f->base += way * (int64_t)(n - 1) * f->k;
    stood(f, from + v->lo, from + v->hi);
    stood(f, f->base + v->lo, f->base + v->hi);
    f->here = pop(ahead);
    f->base += way * f->k;
    f->at = way > 0 ? 0 : f->k - 1;
    stood(f, f->base + f->at, f->base + f->at);
    return true;
}

static bool stop_inside(ThFast *f, const Move *v)
{
    f->steps += v->steps;
    stood(f, f->base + v->lo, f->base + v->hi);
    f->at = v->at;
    f->here = v->out;
    f->state = v->state;
    f->verdict = (ThVerdict)v->verdict;
    return true;
}

static bool same_inside(const Inside *a, const Inside *b, int k)
{
    return a->state == b->state && a->at == b->at &&
           memcmp(a->cell, b->cell, (size_t)k * sizeof *a->cell) == 0;
}

/* Steps inside the block as long as the head stays in it, at most `most`.  Once a configuration
 * comes back, as many turns of that loop as fit are counted at once (Brent's search for cycles). */
static void roam(const ThFast *f, Inside *x, bool edge, uint64_t most)
{
    Inside mark = *x;
    uint64_t begun = x->steps, next_mark = 1;
    for (uint64_t i = 1; i <= MOST_INSIDE && x->steps - begun < most; i++) {
        Inside before = *x;
        go_inside(f, x, edge, 1);
        if (!within(f, x) || x->verdict != TH_GOES_ON) {
            *x = before;
            return;
        }
        if (same_inside(x, &mark, f->k)) {
            uint64_t turn = x->steps - mark.steps;
            x->steps += (most - (x->steps - begun)) / turn * turn;
            return;
        }
        if (i == next_mark) {
            mark = *x;
            next_mark *= 2;
        }
    }
}

/* A head that stays in its block for long, or leaves it in a state that stops. */
static bool stay(ThFast *f, ThRunLimits limits, ThError *err)
{
    Inside x = {.at = f->at, .state = f->state, .lo = f->at, .hi = f->at};
    uint64_t seen = (uint64_t)(f->high - f->low) + 1;
    memcpy(x.cell, cells_of(f, f->here), (size_t)f->k * sizeof *x.cell);
    if (seen + 2 * (uint64_t)f->k <= limits.cells)
        roam(f, &x, at_edge_block(f), limits.steps - f->steps);
    if (x.steps == 0)
        return single_step(f, limits, err);
    uint32_t block;
    if (!number_block(f, x.cell, &block, err))
        return false;
    stood(f, f->base + x.lo, f->base + x.hi);
    f->here = block;
    f->at = x.at;
    f->state = x.state;
    f->steps += x.steps;
    return true;
}

/* True if a move keeps within the limits wherever in the block it goes. */
static bool move_fits(const ThFast *f, const Move *v, ThRunLimits limits)
{
    uint64_t seen = (uint64_t)(f->high - f->low) + 1;
    return v->steps <= limits.steps - f->steps && seen + 2 * (uint64_t)f->k <= limits.cells;
}

/* One move of a block or of a run of blocks where that is possible, else one step. */
static bool advance(ThFast *f, ThRunLimits limits, ThError *err)
{
    bool left = f->at == 0, right = f->at == f->k - 1, done = false;
    if ((!left && !right) || f->steps >= limits.steps)
        return single_step(f, limits, err);
    int entry = (left ? 0 : 1) + (at_edge_block(f) ? 2 : 0);
    size_t index = (size_t)f->here * moves_per_block(f) + (size_t)f->state * N_ENTRIES;
    Move *v = &f->move[index + (size_t)entry];
    if (v->how == UNKNOWN) {
        if (!find_move(f, v, f->here, f->state, entry, err))
            return false;
        v = &f->move[index + (size_t)entry];
    }
    if (v->how == STAYS_LONG)
        return stay(f, limits, err);
    if (!move_fits(f, v, limits))
        return single_step(f, limits, err);
    if (v->how == STOPS)
        return stop_inside(f, v);
    Move copy = *v;
    bool ahead = f->k == 1 || copy.how == (left ? LEAVES_RIGHT : LEAVES_LEFT);
    bool through = ahead && copy.state == f->state && !(entry & 2);
    if (through && !cross_run(f, &copy, limits, &done, err))
        return false;
    if (done)
        return true;
    f->steps += copy.steps;
    stood(f, f->base + copy.lo, f->base + copy.hi);
    f->state = copy.state;
    return cross(f, copy.out, copy.how, err);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* Cuts cells (of positions from `first` on, which is a multiple of k) into blocks beside the head's
 * own. */
static bool place(ThFast *f, const uint16_t *cell, int64_t n, int64_t first, ThError *err)
{
    uint32_t block;
    for (int64_t i = 0; first + i < f->base; i += f->k)
        if (!number_block(f, cell + i, &block, err) || !push(&f->left, block, 1, err))
            return false;
    for (int64_t i = n - f->k; first + i > f->base; i -= f->k)
        if (!number_block(f, cell + i, &block, err) || !push(&f->right, block, 1, err))
            return false;
    return number_block(f, cell + (f->base - first), &f->here, err);
}

static bool set_block(ThFast *f, int k, ThError *err)
{
    uint16_t blank[MOST_CELLS];
    uint32_t number;
    th_intern_free(&f->blocks);
    f->left.n = f->right.n = 0;
    f->k = k;
    for (int i = 0; i < k; i++)
        blank[i] = (uint16_t)f->m->blank;
    return number_block(f, blank, &number, err);
}

static ThFast *start(const ThTuring *m, const int *word, int length, int k, ThError *err)
{
    ThFast *f = th_alloc(1, sizeof *f, err);
    int64_t n = ((int64_t)length / k + 1) * k;
    uint16_t *cell = th_alloc((size_t)n, sizeof *cell, err);
    if (!f || !cell) {
        free(f);
        free(cell);
        return NULL;
    }
    f->m = m;
    f->state = m->start;
    f->verdict = th_turing_entered(m, m->start);
    for (int64_t i = 0; i < n; i++)
        cell[i] = (uint16_t)(i < length ? word[i] : m->blank);
    bool ok = set_block(f, k, err) && place(f, cell, n, 0, err);
    free(cell);
    if (ok)
        return f;
    th_fast_free(f);
    return NULL;
}

void th_fast_free(ThFast *f)
{
    if (!f)
        return;
    th_intern_free(&f->blocks);
    free(f->move);
    free(f->left.run);
    free(f->right.run);
    free(f);
}

int th_fast_block(const ThFast *f)
{
    return f->k;
}

/* ---- smaller blocks -------------------------------------------------------------------------- */

/* Cuts every run of a stack of blocks into runs of blocks that are `parts` times shorter; of the
 * left stack the first part lies deepest. */
static bool split_stack(ThFast *f, const ThFast *old, bool left, ThError *err)
{
    const Stack *from = left ? &old->left : &old->right;
    Stack *to = left ? &f->left : &f->right;
    int parts = old->k / f->k;
    for (size_t i = 0; i < from->n; i++) {
        const uint16_t *cell = cells_of(old, from->run[i].block);
        uint64_t count = from->run[i].count;
        for (uint64_t j = 0; j < (parts == 1 ? 1 : count); j++) {
            for (int p = 0; p < parts; p++) {
                uint32_t block;
                const uint16_t *part = cell + (left ? p : parts - 1 - p) * f->k;
                if (!number_block(f, part, &block, err) ||
                    !push(to, block, parts == 1 ? count : 1, err))
                    return false;
            }
        }
    }
    return true;
}

/* The head's block likewise: of its parts one is the head's, the others lie beside it. */
static bool split_here(ThFast *f, const ThFast *old, ThError *err)
{
    const uint16_t *cell = cells_of(old, old->here);
    int parts = old->k / f->k, mine = old->at / f->k;
    uint32_t block;
    f->at = old->at % f->k;
    f->base = old->base + mine * f->k;
    for (int p = 0; p < mine; p++)
        if (!number_block(f, cell + p * f->k, &block, err) || !push(&f->left, block, 1, err))
            return false;
    for (int p = parts - 1; p > mine; p--)
        if (!number_block(f, cell + p * f->k, &block, err) || !push(&f->right, block, 1, err))
            return false;
    return number_block(f, cell + mine * f->k, &f->here, err);
}

/* Forgets all moves and all blocks that are not on the tape, and cuts that into blocks of k. */
static bool rebuild(ThFast *f, int k, ThError *err)
{
    ThFast old = *f;
    f->blocks = (ThIntern){0};
    f->move = NULL;
    f->move_cap = 0;
    f->left = f->right = (Stack){0};
    bool ok = set_block(f, k, err) && split_stack(f, &old, true, err) &&
              split_stack(f, &old, false, err) && split_here(f, &old, err);
    th_intern_free(&old.blocks);
    free(old.move);
    free(old.left.run);
    free(old.right.run);
    return ok;
}

static bool too_many(const ThFast *f, size_t most)
{
    return f->k > 1 && f->blocks.n * moves_per_block(f) > most;
}

/* Keeps memory bounded: where even the tape has too many kinds of blocks, these become shorter. */
static bool forget(ThFast *f, ThError *err)
{
    if (!rebuild(f, f->k, err))
        return false;
    while (too_many(f, MOST_MEMORY / 2))
        if (!rebuild(f, f->k % 2 == 0 ? f->k / 2 : 1, err))
            return false;
    return true;
}

bool th_fast_go(ThFast *f, uint64_t work, ThRunLimits limits, ThStop *stop, ThError *err)
{
    enum { LOOK = 4096 };
    if (limits.steps > TH_MOST_STEPS)
        limits.steps = TH_MOST_STEPS;
    if (limits.steps < f->steps)
        limits.steps = f->steps;
    if (!th_verdict_final(f->verdict))
        f->verdict = TH_GOES_ON;
    for (uint64_t i = 0; i < work && f->verdict == TH_GOES_ON; i++) {
        if (i % LOOK == 0 && th_stopped(stop, err))
            return false;
        if (!advance(f, limits, err))
            return false;
        if (too_many(f, MOST_MEMORY) && !forget(f, err))
            return false;
    }
    return true;
}

bool th_fast_possible(const ThTuring *m)
{
    return m->n_tapes == 1 && !m->branching &&
           (size_t)m->n_states * (size_t)m->n_symbols * N_ENTRIES <= MOST_MEMORY &&
           m->n_states <= UINT16_MAX;
}

/* Tries each length of blocks for a while: the one that gets farthest for what it costs. */
ThFast *th_fast_new(const ThTuring *m, const int *word, int length, int block, ThError *err)
{
    static const int lengths[] = {1, 2, 3, 4, 6, 8, 12, 16};
    enum { TRY = 4096 };
    ThFast *best = NULL;
    double most = -1;
    if (!th_fast_possible(m)) {
        th_fail(err, TH_EVALUE,
                "only deterministic machines with one tape and few states run in blocks");
        return NULL;
    }
    if (block)
        return start(m, word, length, block, err);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        ThFast *f = start(m, word, length, lengths[i], err);
        ThRunLimits none = {TH_MOST_STEPS, UINT64_MAX};
        if (!f || !th_fast_go(f, TRY, none, NULL, err)) {
            th_fast_free(f);
            th_fast_free(best);
            return NULL;
        }
        double gain = (double)f->steps / (TRY + 8.0 * (double)f->blocks.n);
        bool better = gain > most && f->k == lengths[i];
        most = better ? gain : most;
        th_fast_free(better ? best : f);
        best = better ? f : best;
    }
    int k = th_fast_block(best);
    th_fast_free(best);
    return start(m, word, length, k, err);
}

/* ---- what it looks like ---------------------------------------------------------------------- */

void th_fast_each(const ThFast *f, ThSeeCells *see, void *context)
{
    for (size_t i = 0; i < f->left.n; i++)
        see(context, cells_of(f, f->left.run[i].block), f->k, f->left.run[i].count);
    see(context, cells_of(f, f->here), f->k, 1);
    for (size_t i = f->right.n; i-- > 0;)
        see(context, cells_of(f, f->right.run[i].block), f->k, f->right.run[i].count);
}

typedef struct {
    int blank;
    uint64_t nonblank;
    int64_t at, first, last;
} Survey;

static void survey_cells(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Survey *s = context;
    uint64_t each = 0;
    int first = -1, last = -1;
    for (int i = 0; i < n; i++) {
        if (cell[i] == s->blank)
            continue;
        each++;
        first = first < 0 ? i : first;
        last = i;
    }
    int64_t size = (int64_t)count * n;
    if (each > 0 && s->nonblank == 0)
        s->first = s->at + first;
    if (each > 0)
        s->last = s->at + size - n + last;
    s->nonblank += each * count;
    s->at += size;
}

int64_t th_fast_left_end(const ThFast *f)
{
    int64_t at = f->base;
    for (size_t i = 0; i < f->left.n; i++)
        at -= (int64_t)f->left.run[i].count * f->k;
    return at;
}

ThFastFigures th_fast_figures(const ThFast *f)
{
    Survey s = {.blank = f->m->blank, .at = th_fast_left_end(f), .last = -1};
    th_fast_each(f, survey_cells, &s);
    ThFastFigures x = {.verdict = f->verdict, .state = f->state, .steps = f->steps};
    x.cells = (uint64_t)(f->high - f->low) + 1;
    x.nonblank = s.nonblank;
    x.head = f->base + f->at;
    x.first = s.first;
    x.last = s.last;
    return x;
}
