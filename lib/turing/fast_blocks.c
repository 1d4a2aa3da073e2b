#include "turing/fast_blocks.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

const uint16_t *th_tm_block_cells(const ThTmFast *f, uint32_t block)
{
    return th_intern_at(&f->blocks, block, NULL);
}

bool th_tm_block_number(ThTmFast *f, const uint16_t *cell, uint32_t *block, ThError *err)
{
    size_t index, before = f->blocks.n, each = th_tm_block_moves(f);
    if (!th_intern(&f->blocks, cell, (size_t)f->k * sizeof *cell, &index, err))
        return false;
    *block = (uint32_t)index;
    if (index < before)
        return true;
    if (!th_grow(&f->move, &f->move_cap, (index + 1) * each, sizeof *f->move, err))
        return false;
    f->effort += TH_TM_EFFORT_BLOCK;
    f->spent += TH_TM_EFFORT_BLOCK;
    for (size_t i = 0; i < each; i++)
        f->move[index * each + i] = (ThTmBlockMove){.how = TH_TM_UNKNOWN};
    return true;
}

bool th_tm_block_restart(ThTmFast *f, int k, ThError *err)
{
    uint16_t blank[TH_TM_BLOCK_CELLS];
    uint32_t number;
    th_intern_free(&f->blocks);
    f->left.n = f->right.n = 0;
    f->k = k;
    for (int i = 0; i < k; i++)
        blank[i] = (uint16_t)f->m->blank;
    return th_tm_block_number(f, blank, &number, err);
}

/* ---- one step at a time, inside a block ------------------------------------------------------ */

const ThTmRule *th_tm_inside_rule(const ThTm *m, ThTmInside *x)
{
    int read = x->cell[x->at], i = th_tm_rule(m, x->state, &read);
    if (i >= 0)
        return &m->rule[i];
    x->verdict = th_tm_missed(m, &x->steps);
    return NULL;
}

void th_tm_inside_apply(const ThTm *m, ThTmInside *x, const ThTmRule *r, bool edge)
{
    if (r->write[0] != TH_TM_ANY)
        x->cell[x->at] = (uint16_t)r->write[0];
    x->state = r->to == TH_TM_ANY ? x->state : r->to;
    x->steps++;
    x->at += r->move[0];
    x->verdict = th_tm_entered(m, x->state);
    if (edge && x->at < 0) {
        x->at = 0;
        x->verdict = th_tm_over_edge(m, x->verdict);
    }
}

bool th_tm_inside(const ThTmFast *f, const ThTmInside *x)
{
    return x->at >= 0 && x->at < f->k;
}

/* Steps until the head leaves or the machine stops; at most `most`. */
static void go_inside(const ThTmFast *f, ThTmInside *x, bool edge, uint64_t most)
{
    for (uint64_t i = 0; i < most && x->verdict == TH_TM_GOES_ON && th_tm_inside(f, x); i++) {
        if (x->at < x->lo)
            x->lo = x->at;
        if (x->at > x->hi)
            x->hi = x->at;
        const ThTmRule *r = th_tm_inside_rule(f->m, x);
        if (r)
            th_tm_inside_apply(f->m, x, r, edge);
    }
    if (th_tm_inside(f, x) && x->at < x->lo)
        x->lo = x->at;
    if (th_tm_inside(f, x) && x->at > x->hi)
        x->hi = x->at;
}

/* Where a head is that has left, stopped by what it entered; the machine stops there, not here. */
static bool left_and_stopped(const ThTmFast *f, const ThTmInside *x)
{
    return !th_tm_inside(f, x) && x->verdict != TH_TM_GOES_ON;
}

bool th_tm_block_move(ThTmFast *f, ThTmBlockMove *to, uint32_t block, int state, int entry,
                      ThError *err)
{
    ThTmInside x = {
        .at = entry & 1 ? f->k - 1 : 0, .state = state, .lo = TH_TM_BLOCK_CELLS, .hi = 0};
    memcpy(x.cell, th_tm_block_cells(f, block), (size_t)f->k * sizeof *x.cell);
    go_inside(f, &x, entry & 2, TH_TM_BLOCK_INSIDE);
    f->spent += x.steps;
    ThTmBlockMove v = {
        .steps = (uint32_t)x.steps, .state = (uint16_t)x.state, .how = TH_TM_STAYS_LONG};
    v.lo = (uint8_t)x.lo;
    v.hi = (uint8_t)x.hi;
    if (!left_and_stopped(f, &x) && x.verdict != TH_TM_GOES_ON) {
        v.how = TH_TM_STOPS;
        v.verdict = (uint8_t)x.verdict;
        v.at = (uint8_t)x.at;
    } else if (!th_tm_inside(f, &x) && x.verdict == TH_TM_GOES_ON) {
        v.how = x.at < 0 ? TH_TM_LEAVES_LEFT : TH_TM_LEAVES_RIGHT;
    }
    size_t index = (size_t)(to - f->move);
    if (v.how != TH_TM_STAYS_LONG && !th_tm_block_number(f, x.cell, &v.out, err))
        return false;
    f->move[index] = v;
    return true;
}

static bool same_inside(const ThTmInside *a, const ThTmInside *b, int k)
{
    return a->state == b->state && a->at == b->at &&
           memcmp(a->cell, b->cell, (size_t)k * sizeof *a->cell) == 0;
}

/* Makes one step, unless it would leave the block or stop: then nothing changes. */
static bool step_inside(const ThTmFast *f, ThTmInside *x, bool edge)
{
    int at = x->at, state = x->state, lo = x->lo, hi = x->hi;
    uint16_t symbol = x->cell[at];
    uint64_t steps = x->steps;
    go_inside(f, x, edge, 1);
    if (th_tm_inside(f, x) && x->verdict == TH_TM_GOES_ON)
        return true;
    x->cell[at] = symbol;
    x->at = at;
    x->state = state;
    x->lo = lo;
    x->hi = hi;
    x->steps = steps;
    x->verdict = TH_TM_GOES_ON;
    return false;
}

uint64_t th_tm_inside_roam(const ThTmFast *f, ThTmInside *x, bool edge, uint64_t most)
{
    ThTmInside mark = *x;
    uint64_t begun = x->steps, next_mark = 1, i;
    for (i = 1; i <= TH_TM_BLOCK_INSIDE && x->steps - begun < most; i++) {
        if (!step_inside(f, x, edge))
            break;
        if (same_inside(x, &mark, f->k)) {
            uint64_t turn = x->steps - mark.steps;
            x->steps += (most - (x->steps - begun)) / turn * turn;
            break;
        }
        if (i == next_mark) {
            mark = *x;
            next_mark *= 2;
        }
    }
    return i;
}
