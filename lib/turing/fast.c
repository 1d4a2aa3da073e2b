#include "turing/fast.h"

#include "turing/fast_blocks.h"

enum { MOST_MEMORY = 1 << 20 /* moves that are kept */ };

/* ---- runs of blocks -------------------------------------------------------------------------- */

bool th_tm_runs_push(ThTmBlockStack *s, uint32_t block, uint64_t count, ThError *err)
{
    if (s->n > 0 && s->run[s->n - 1].block == block) {
        s->run[s->n - 1].count += count;
        return true;
    }
    if (s->n == 0 && block == 0)
        return true; /* blanks up to the end */
    return TH_APPEND(s->run, s->n, s->cap, err, (ThTmBlockRun){block, count});
}

static uint32_t pop(ThTmBlockStack *s)
{
    if (s->n == 0)
        return 0;
    ThTmBlockRun *top = &s->run[s->n - 1];
    uint32_t block = top->block;
    if (--top->count == 0)
        s->n--;
    return block;
}

/* Notes that the head stood on the cells from one position to another. */
static void stood(ThTmFast *f, int64_t from, int64_t to)
{
    f->low = from < f->low ? from : f->low;
    f->high = to > f->high ? to : f->high;
}

/* Moves the head over the block's left or right end, the block being `out` then. */
static bool cross(ThTmFast *f, uint32_t out, int way, ThError *err)
{
    ThTmBlockStack *behind = way > 0 ? &f->left : &f->right,
                   *ahead = way > 0 ? &f->right : &f->left;
    if (!th_tm_runs_push(behind, out, 1, err))
        return false;
    f->here = pop(ahead);
    f->base += way * f->k;
    f->at = way > 0 ? 0 : f->k - 1;
    stood(f, f->base + f->at, f->base + f->at);
    return true;
}

static bool at_edge_block(const ThTmFast *f)
{
    return f->m->edge != TH_TM_TWO_WAY && f->base == 0;
}

/* One rule, or the end of the run by a limit. */
static bool single_step(ThTmFast *f, ThTmRunLimits limits, ThError *err)
{
    ThTmInside x = {.at = f->at, .state = f->state, .lo = TH_TM_BLOCK_CELLS};
    memcpy(x.cell, th_tm_block_cells(f, f->here), (size_t)f->k * sizeof *x.cell);
    const ThTmRule *r = th_tm_inside_rule(f->m, &x);
    if ((r ? 1 : x.steps) > limits.steps - f->steps) {
        f->verdict = TH_TM_OUT_OF_STEPS;
        return true;
    }
    if (r) {
        th_tm_inside_apply(f->m, &x, r, at_edge_block(f));
        int64_t at = f->base + x.at, low = at < f->low ? at : f->low;
        int64_t high = at > f->high ? at : f->high;
        if ((uint64_t)(high - low) + 1 > limits.cells) {
            f->verdict = TH_TM_OUT_OF_CELLS;
            return true;
        }
        stood(f, at, at);
    }
    uint32_t block;
    if (!th_tm_block_number(f, x.cell, &block, err))
        return false;
    f->here = block;
    f->steps += x.steps;
    f->state = x.state;
    f->verdict = x.verdict;
    f->at = x.at;
    return th_tm_inside(f, &x) || cross(f, block, x.at < 0 ? -1 : 1, err);
}

/* How many of the blocks ahead a move may cross at once th_tm_inside the limits; 0: not even one.
 */
static uint64_t fitting(const ThTmFast *f, const ThTmBlockMove *v, uint64_t most,
                        ThTmRunLimits limits)
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
static bool cross_run(ThTmFast *f, const ThTmBlockMove *v, ThTmRunLimits limits, bool *done,
                      ThError *err)
{
    ThTmBlockStack *ahead = v->how > 0 ? &f->right : &f->left,
                   *behind = v->how > 0 ? &f->left : &f->right;
    ThTmBlockRun *top = ahead->n ? &ahead->run[ahead->n - 1] : NULL;
    uint64_t most = 1, n;
    if (!top && f->here == 0)
        most = INT64_MAX; /* blanks without end */
    else if (top && top->block == f->here)
        most += top->count;
    uint64_t inner = (uint64_t)(f->base / f->k); /* blocks that are not at the edge */
    if (f->m->edge != TH_TM_TWO_WAY && v->how < 0 && most > inner)
        most = inner;
    n = fitting(f, v, most, limits);
    *done = n > 0;
    if (n == 0)
        return true;
    if (!th_tm_runs_push(behind, v->out, n, err))
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

static bool stop_inside(ThTmFast *f, const ThTmBlockMove *v)
{
    f->steps += v->steps;
    stood(f, f->base + v->lo, f->base + v->hi);
    f->at = v->at;
    f->here = v->out;
    f->state = v->state;
    f->verdict = (ThTmVerdict)v->verdict;
    return true;
}

/* A head that stays in its block for long, or leaves it in a state that stops. */
static bool stay(ThTmFast *f, ThTmRunLimits limits, ThError *err)
{
    ThTmInside x = {.at = f->at, .state = f->state, .lo = f->at, .hi = f->at};
    uint64_t seen = (uint64_t)(f->high - f->low) + 1;
    memcpy(x.cell, th_tm_block_cells(f, f->here), (size_t)f->k * sizeof *x.cell);
    if (seen + 2 * (uint64_t)f->k <= limits.cells) {
        uint64_t made = th_tm_inside_roam(f, &x, at_edge_block(f), limits.steps - f->steps);
        f->effort += made;
        f->spent += made;
    }
    if (x.steps == 0)
        return single_step(f, limits, err);
    uint32_t block;
    if (!th_tm_block_number(f, x.cell, &block, err))
        return false;
    stood(f, f->base + x.lo, f->base + x.hi);
    f->here = block;
    f->at = x.at;
    f->state = x.state;
    f->steps += x.steps;
    return true;
}

/* True if a move keeps within the limits wherever in the block it goes. */
static bool move_fits(const ThTmFast *f, const ThTmBlockMove *v, ThTmRunLimits limits)
{
    uint64_t seen = (uint64_t)(f->high - f->low) + 1;
    return v->steps <= limits.steps - f->steps && seen + 2 * (uint64_t)f->k <= limits.cells;
}

/* One move of a block or of a run of blocks where that is possible, else one step. */
static bool advance(ThTmFast *f, ThTmRunLimits limits, ThError *err)
{
    bool left = f->at == 0, right = f->at == f->k - 1, done = false;
    if ((!left && !right) || f->steps >= limits.steps)
        return single_step(f, limits, err);
    int entry = (left ? 0 : 1) + (at_edge_block(f) ? 2 : 0);
    size_t index = (size_t)f->here * th_tm_block_moves(f) + (size_t)f->state * TH_TM_BLOCK_ENTRIES;
    ThTmBlockMove *v = &f->move[index + (size_t)entry];
    if (v->how == TH_TM_UNKNOWN) {
        if (!th_tm_block_move(f, v, f->here, f->state, entry, err))
            return false;
        v = &f->move[index + (size_t)entry];
    }
    if (v->how == TH_TM_STAYS_LONG)
        return stay(f, limits, err);
    if (!move_fits(f, v, limits))
        return single_step(f, limits, err);
    if (v->how == TH_TM_STOPS)
        return stop_inside(f, v);
    ThTmBlockMove copy = *v;
    bool ahead = f->k == 1 || copy.how == (left ? TH_TM_LEAVES_RIGHT : TH_TM_LEAVES_LEFT);
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

bool th_tm_fast_go(ThTmFast *f, uint64_t work, ThTmRunLimits limits, ThStop *stop, ThError *err)
{
    enum { LOOK = 1 << 14 };
    uint64_t look = f->spent, end = UINT64_MAX;
    if (work < (UINT64_MAX - f->spent) / TH_TM_EFFORT_MOVE)
        end = f->spent + work * TH_TM_EFFORT_MOVE;
    if (limits.steps > TH_TM_MOST_STEPS)
        limits.steps = TH_TM_MOST_STEPS;
    if (limits.steps < f->steps)
        limits.steps = f->steps;
    if (!th_tm_verdict_final(f->verdict))
        f->verdict = TH_TM_GOES_ON;
    while (f->verdict == TH_TM_GOES_ON && f->spent < end) {
        if (f->spent >= look) {
            if (th_stopped(stop, err))
                return false;
            look = f->spent + LOOK;
        }
        if (!advance(f, limits, err))
            return false;
        if (th_tm_fast_too_many(f, MOST_MEMORY) && !th_tm_fast_forget(f, MOST_MEMORY / 2, err))
            return false;
        f->effort += TH_TM_EFFORT_MOVE;
        f->spent += TH_TM_EFFORT_MOVE;
    }
    return true;
}

/* ---- starting -------------------------------------------------------------------------------- */

/* Cuts cells (of positions from `first` on, which is a multiple of k) into blocks beside the head's
 * own. */
static bool place(ThTmFast *f, const uint16_t *cell, int64_t n, int64_t first, ThError *err)
{
    uint32_t block;
    for (int64_t i = 0; first + i < f->base; i += f->k)
        if (!th_tm_block_number(f, cell + i, &block, err) ||
            !th_tm_runs_push(&f->left, block, 1, err))
            return false;
    for (int64_t i = n - f->k; first + i > f->base; i -= f->k)
        if (!th_tm_block_number(f, cell + i, &block, err) ||
            !th_tm_runs_push(&f->right, block, 1, err))
            return false;
    return th_tm_block_number(f, cell + (f->base - first), &f->here, err);
}

static ThTmFast *start(const ThTm *m, const int *word, int length, int k, ThError *err)
{
    int64_t n = ((int64_t)length / k + 1) * k;
    uint16_t *cell TH_OWNED(free) = th_alloc((size_t)n, sizeof *cell, err);
    ThTmFast *f = cell ? th_alloc(1, sizeof *f, err) : NULL;
    if (!f)
        return NULL;
    f->m = m;
    f->state = m->start;
    f->verdict = th_tm_entered(m, m->start);
    for (int64_t i = 0; i < n; i++)
        cell[i] = (uint16_t)(i < length ? word[i] : m->blank);
    bool ok = th_tm_block_restart(f, k, err) && place(f, cell, n, 0, err);
    return TH_KEEP_IF(ok, f, th_tm_fast_free);
}

void th_tm_fast_free(ThTmFast *f)
{
    if (!f)
        return;
    th_intern_free(&f->blocks);
    TH_FREE(f->move, f->left.run, f->right.run, f);
}

int th_tm_fast_block(const ThTmFast *f)
{
    return f->k;
}

ThTmVerdict th_tm_fast_verdict(const ThTmFast *f)
{
    return f->verdict;
}

uint64_t th_tm_fast_steps(const ThTmFast *f)
{
    return f->steps;
}

size_t th_tm_fast_bytes(const ThTmFast *f)
{
    const ThIntern *b = &f->blocks;
    return f->move_cap * sizeof *f->move + b->cap + b->end_cap * sizeof *b->end +
           b->table.n_slots * sizeof *b->table.slot;
}

bool th_tm_fast_possible(const ThTm *m)
{
    return m->n_tapes == 1 && !m->branching &&
           (size_t)m->n_states * (size_t)m->n_symbols * TH_TM_BLOCK_ENTRIES <= MOST_MEMORY &&
           m->n_states <= UINT16_MAX;
}

/* Tries each length of blocks for a while: the one that gets farthest for what it costs. */
ThTmFast *th_tm_fast_new(const ThTm *m, const int *word, int length, int block, ThError *err)
{
    static const int lengths[] = {1, 2, 3, 4, 6, 8, 12, 16};
    enum { TRY = 2048 };
    ThTmFast *best = NULL;
    double most = -1;
    if (!th_tm_fast_possible(m))
        return th_null(
            th_fail(err, TH_EVALUE,
                    "only deterministic machines with one tape and few states run in blocks"));
    if (block)
        return start(m, word, length, block, err);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        ThTmFast *f = start(m, word, length, lengths[i], err);
        ThTmRunLimits none = {TH_TM_MOST_STEPS, UINT64_MAX};
        if (!f || !th_tm_fast_go(f, TRY, none, NULL, err)) {
            th_tm_fast_free(f);
            th_tm_fast_free(best);
            return NULL;
        }
        double gain = (double)f->steps / (double)(f->effort + 1);
        bool better = gain > most && f->k == lengths[i];
        most = better ? gain : most;
        th_tm_fast_free(better ? best : f);
        best = better ? f : best;
    }
    int k = best->k;
    th_tm_fast_free(best);
    return start(m, word, length, k, err);
}
