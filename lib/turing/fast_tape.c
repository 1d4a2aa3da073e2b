/* fast_tape.c - the tape of the fast engine: cutting it anew, and what it looks like. */

#include "turing/fast_blocks.h"

/* ---- smaller blocks -------------------------------------------------------------------------- */

/* Cuts every run of a stack of blocks into runs of blocks that are `parts` times shorter; of the
 * left stack the first part lies deepest. */
static bool split_stack(ThTmFast *f, const ThTmFast *old, bool left, ThError *err)
{
    const ThTmBlockStack *from = left ? &old->left : &old->right;
    ThTmBlockStack *to = left ? &f->left : &f->right;
    int parts = old->k / f->k;
    for (size_t i = 0; i < from->n; i++) {
        const uint16_t *cell = th_tm_block_cells(old, from->run[i].block);
        uint64_t count = from->run[i].count;
        for (uint64_t j = 0; j < (parts == 1 ? 1 : count); j++) {
            for (int p = 0; p < parts; p++) {
                uint32_t block;
                const uint16_t *part = cell + (left ? p : parts - 1 - p) * f->k;
                if (!th_tm_block_number(f, part, &block, err) ||
                    !th_tm_runs_push(to, block, parts == 1 ? count : 1, err))
                    return false;
            }
        }
    }
    return true;
}

/* The head's block likewise: of its parts one is the head's, the others lie beside it. */
static bool split_here(ThTmFast *f, const ThTmFast *old, ThError *err)
{
    const uint16_t *cell = th_tm_block_cells(old, old->here);
    int parts = old->k / f->k, mine = old->at / f->k;
    uint32_t block;
    f->at = old->at % f->k;
    f->base = old->base + mine * f->k;
    for (int p = 0; p < mine; p++)
        if (!th_tm_block_number(f, cell + p * f->k, &block, err) ||
            !th_tm_runs_push(&f->left, block, 1, err))
            return false;
    for (int p = parts - 1; p > mine; p--)
        if (!th_tm_block_number(f, cell + p * f->k, &block, err) ||
            !th_tm_runs_push(&f->right, block, 1, err))
            return false;
    return th_tm_block_number(f, cell + mine * f->k, &f->here, err);
}

/* Forgets all moves and all blocks that are not on the tape, and cuts that into blocks of k. */
static bool rebuild(ThTmFast *f, int k, ThError *err)
{
    ThTmFast old = *f;
    f->blocks = (ThIntern){0};
    f->move = NULL;
    f->move_cap = 0;
    f->left = f->right = (ThTmBlockStack){0};
    bool ok = th_tm_block_restart(f, k, err) && split_stack(f, &old, true, err) &&
              split_stack(f, &old, false, err) && split_here(f, &old, err);
    th_intern_free(&old.blocks);
    TH_FREE(old.move, old.left.run, old.right.run);
    return ok;
}

bool th_tm_fast_too_many(const ThTmFast *f, size_t most)
{
    return f->k > 1 && f->blocks.n * th_tm_block_moves(f) > most;
}

bool th_tm_fast_forget(ThTmFast *f, size_t most, ThError *err)
{
    if (!rebuild(f, f->k, err))
        return false;
    while (th_tm_fast_too_many(f, most))
        if (!rebuild(f, f->k % 2 == 0 ? f->k / 2 : 1, err))
            return false;
    return true;
}

/* ---- what it looks like ---------------------------------------------------------------------- */

void th_tm_fast_each(const ThTmFast *f, ThTmSeeCells *see, void *context)
{
    for (size_t i = 0; i < f->left.n; i++)
        see(context, th_tm_block_cells(f, f->left.run[i].block), f->k, f->left.run[i].count);
    see(context, th_tm_block_cells(f, f->here), f->k, 1);
    for (size_t i = f->right.n; i-- > 0;)
        see(context, th_tm_block_cells(f, f->right.run[i].block), f->k, f->right.run[i].count);
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

int64_t th_tm_fast_left_end(const ThTmFast *f)
{
    int64_t at = f->base;
    for (size_t i = 0; i < f->left.n; i++)
        at -= (int64_t)f->left.run[i].count * f->k;
    return at;
}

ThTmFastFigures th_tm_fast_figures(const ThTmFast *f)
{
    Survey s = {.blank = f->m->blank, .at = th_tm_fast_left_end(f), .last = -1};
    th_tm_fast_each(f, survey_cells, &s);
    ThTmFastFigures x = {.verdict = f->verdict, .state = f->state, .steps = f->steps};
    x.cells = (uint64_t)(f->high - f->low) + 1;
    x.nonblank = s.nonblank;
    x.head = f->base + f->at;
    x.first = s.first;
    x.last = s.last;
    return x;
}

/* ---- as a run of single rules ---------------------------------------------------------------- */

typedef struct {
    ThTmTape *tape;
    int64_t at;
} Copying;

static void copy_cells(void *context, const uint16_t *cell, int n, uint64_t count)
{
    Copying *c = context;
    for (; count > 0; count--)
        for (int i = 0; i < n; i++)
            c->tape->cell[c->at++ - c->tape->base] = cell[i];
}

bool th_tm_fast_running(const ThTmFast *f, ThTmRunning *r, ThError *err)
{
    enum { MOST = 1 << 30 };
    ThTmTape *t = &r->tape[0];
    int64_t left = th_tm_fast_left_end(f), right = f->base + f->k;
    for (size_t i = 0; i < f->right.n; i++)
        right += (int64_t)f->right.run[i].count * f->k;
    int64_t low = left < f->low ? left : f->low, high = right > f->high ? right : f->high;
    if (high - low >= MOST)
        return th_fail(err, TH_ELIMIT, "a tape of %lld cells is too long for single steps",
                       (long long)(high - low));
    *r = (ThTmRunning){.machine = f->m, .state = f->state, .steps = f->steps, .rule = -1};
    r->verdict = f->verdict;
    r->cells = (uint64_t)(f->high - f->low) + 1;
    *t = (ThTmTape){.base = low, .head = f->base + f->at, .low = f->low, .high = f->high};
    t->size = (size_t)(high - low) + 1;
    t->cell = th_alloc(t->size, sizeof *t->cell, err);
    if (!t->cell)
        return false;
    for (size_t i = 0; i < t->size; i++)
        t->cell[i] = (uint16_t)f->m->blank;
    th_tm_fast_each(f, copy_cells, &(Copying){t, left});
    for (size_t i = 0; i < t->size; i++) {
        bool nonblank = t->cell[i] != f->m->blank;
        t->left += nonblank && low + (int64_t)i < t->head;
        t->right += nonblank && low + (int64_t)i > t->head;
    }
    return true;
}
