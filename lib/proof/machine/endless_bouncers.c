/* endless_bouncers.c - formulas of tapes: that moves lead from all that one stands for to itself.
 *
 * A half of the tape is cells from its far end to the head: symbols, and numbers of blocks, each a
 * word any number of times. */
#include "proof/machine/endless_impl.h"

enum { CELLS = 4000, BLOCKS = 4000, INSIDE = 1 << 20, MOVES = 1 << 20, DIGITS = 15 };
enum { BLOCK = ENDLESS_SYMBOLS }; /* of which the first has this number */

typedef struct {
    short cell[CELLS];
    int n;
} Half;

typedef struct {
    Endless *e;
    unsigned char *letters; /* of all words */
    struct {
        int at, size;
    } * block;
    int blocks, used;
    Half half[2];
    int state, right; /* the head looks to the right */
    bool full;
} Formula;

static bool add(Formula *f, Half *h, int cell)
{
    f->full = f->full || h->n == CELLS;
    if (!f->full)
        h->cell[h->n++] = (short)cell;
    return !f->full;
}

/* The number of a block of this word, letters of which go by `step` from the first. */
static int block_of(Formula *f, const unsigned char *first, int size, int step)
{
    if (f->blocks == BLOCKS || f->used + size > INSIDE) {
        f->full = true;
        return BLOCK;
    }
    f->block[f->blocks].at = f->used;
    f->block[f->blocks].size = size;
    for (int i = 0; i < size; i++)
        f->letters[f->used++] = first[i * step];
    for (int k = 0; k < f->blocks; k++)
        if (f->block[k].size == size &&
            memcmp(f->letters + f->block[k].at, f->letters + f->used - size, (size_t)size) == 0) {
            f->used -= size;
            return BLOCK + k;
        }
    return BLOCK + f->blocks++;
}

static const unsigned char *word_of(const Formula *f, int cell, int *size)
{
    *size = f->block[cell - BLOCK].size;
    return f->letters + f->block[cell - BLOCK].at;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* Runs the machine in n cells, from `at` on; *out: where it leaves them, -1 or n; -2: it does not.
 */
static int inside(const Formula *f, unsigned char *cell, int n, int at, int *out)
{
    int q = f->state;
    *out = -2;
    for (int k = 0; k < INSIDE && q != ENDLESS_STOP; k++) {
        const EndlessRule *x = &f->e->rule[q][cell[at]];
        cell[at] = (unsigned char)x->write;
        at += x->move;
        q = x->to;
        if (at < 0 || at == n) {
            *out = q == ENDLESS_STOP ? -2 : at;
            break;
        }
    }
    return q;
}

/* Through a block, where the head takes `tail` symbols behind it along and leaves the word before
 * them in its state: 1; 0: no; -1: it needs more of them. */
static int try_tail(Formula *f, Half *to, const unsigned char *word, int size, int tail,
                    unsigned char *cell)
{
    const int n = tail + size, right = f->right;
    int out;
    for (int i = 0; i < n; i++) { /* cells from the left */
        int from_tail = right ? i : n - 1 - i;
        cell[i] = from_tail < tail ? (unsigned char)to->cell[to->n - tail + from_tail]
                                   : word[size - 1 - (from_tail - tail)];
    }
    int state = inside(f, cell, n, right ? tail : size - 1, &out);
    if (out == (right ? -1 : n))
        return -1;
    bool through = out == (right ? n : -1) && state == f->state;
    for (int i = 0; through && i < tail; i++) {
        int at = right ? size + i : tail - 1 - i;
        through = cell[at] == to->cell[to->n - tail + i];
    }
    return through;
}

static bool pass(Formula *f, unsigned char *cell)
{
    Half *from = &f->half[f->right], *to = &f->half[!f->right];
    int size, done = -1;
    const unsigned char *word = word_of(f, from->cell[from->n - 1], &size);
    for (int tail = 0; done < 0; tail++) {
        if (tail > to->n || (tail > 0 && to->cell[to->n - tail] >= BLOCK) || tail + size > CELLS)
            return false;
        done = try_tail(f, to, word, size, tail, cell);
        if (done == 1) {
            int block =
                block_of(f, f->right ? cell : cell + tail + size - 1, size, f->right ? 1 : -1);
            from->n--;
            if (!add(f, to, 0))
                return false;
            for (int i = 0; i < tail; i++)
                to->cell[to->n - 1 - i] = to->cell[to->n - 2 - i];
            to->cell[to->n - 1 - tail] = (short)block;
        }
    }
    return done == 1 && !f->full;
}

static bool make_move(Formula *f, unsigned char *cell)
{
    Half *from = &f->half[f->right];
    int a = from->n ? from->cell[from->n - 1] : 0;
    if (a >= BLOCK)
        return pass(f, cell);
    from->n -= from->n > 0;
    const EndlessRule *x = &f->e->rule[f->state][a];
    f->right = x->move > 0;
    f->state = x->to;
    return x->to != ENDLESS_STOP && add(f, &f->half[!f->right], x->write);
}

/* ---- what formulas stand for ----------------------------------------------------------------- */

/* Blocks go as far from the head as they can: a (ba) is (ab) a. */
static void settle(Formula *f, Half *h)
{
    unsigned char turned[CELLS];
    for (int i = 1; i < h->n; i++)
        for (int k = i; k > 0 && h->cell[k] >= BLOCK && h->cell[k - 1] < BLOCK && !f->full; k--) {
            int size;
            const unsigned char *word = word_of(f, h->cell[k], &size);
            if (size > CELLS || word[size - 1] != h->cell[k - 1])
                break;
            turned[0] = word[size - 1];
            memcpy(turned + 1, word, (size_t)size - 1);
            h->cell[k] = h->cell[k - 1];
            h->cell[k - 1] = (short)block_of(f, turned, size, 1);
        }
}

/* All is blank behind the far end, so that a half begins with any of its first zeros. */
static bool begins(const bool *fits, int zeros, int wide, int blank)
{
    for (int i = 0; i <= zeros; i++)
        if (fits[i * wide + blank])
            return true;
    return false;
}

/* to <- whether cells i … of a half, and what is behind them up to the head, are cells j … of the
 * formula, perhaps with more of a block's word beside the block.  One table, from the head's end.
 */
static bool is_within(const Formula *f, const Half *now, const Half *was)
{
    const int wide = was->n + 1;
    bool *fits TH_OWNED(free) =
        th_alloc((size_t)(now->n + 1) * (size_t)wide, sizeof *fits, f->e->err);
    if (!fits)
        return false;
    int blank = 0, first = 0;
    while (first < now->n && now->cell[first] == 0)
        first++;
    while (blank < was->n && was->cell[blank] == 0)
        blank++;
    fits[now->n * wide + was->n] = true;
    for (int i = now->n; i >= 0; i--)
        for (int j = was->n; j >= blank; j--) {
            bool is = fits[i * wide + j];
            if (i < now->n && j < was->n && now->cell[i] == was->cell[j])
                is = is || fits[(i + 1) * wide + j + 1];
            /* copies of the word before its block, and behind it */
            for (int k = j - 1; k <= j && !is; k++) {
                int size, c = 0;
                if (k < 0 || k >= was->n || was->cell[k] < BLOCK)
                    continue;
                const unsigned char *word = word_of(f, was->cell[k], &size);
                while (c < size && i + c < now->n && now->cell[i + c] == word[c])
                    c++;
                is = c == size && fits[(i + size) * wide + j];
            }
            fits[i * wide + j] = is;
        }
    return begins(fits, first, wide, blank);
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* The formula, from the far end to the head: words and blocks by turns, each its size and digits,
 * some in a number. */
static bool read_formula(Formula *f, Half *h)
{
    Endless *e = f->e;
    bool block = false;
    for (int at = 3; at < e->n; block = !block) {
        unsigned char word[CELLS];
        long long size = e->number[at++], left;
        if (size < block || size > CELLS)
            return false;
        for (int i = 0; i < size; i += DIGITS, at++) {
            int last = (int)(size < i + DIGITS ? size : i + DIGITS) - 1;
            if (at == e->n || e->number[at] < 0)
                return false;
            left = e->number[at];
            for (int k = last; k >= i; k--, left /= 10)
                word[k] = (unsigned char)(left % 10);
            for (int k = i; k <= last; k++)
                if (word[k] >= e->symbols || left)
                    return false;
        }
        if (block)
            add(f, h, block_of(f, word, (int)size, 1));
        for (int i = 0; !block && i < size; i++)
            add(f, h, word[i]);
    }
    return block && !f->full;
}

/* Is the tape that the steps lead to one of the formula's?  far … near: its cells, as far as any
 * are not blank. */
static bool stands_for(const Formula *f, const Half *h, const unsigned char *tape, int n)
{
    Half real = {.n = 0};
    if (n + h->n > CELLS)
        return false;
    for (int i = 0; i < h->n; i++) /* as many blanks as the formula can begin with */
        real.cell[real.n++] = 0;
    for (int i = 0; i < n; i++)
        real.cell[real.n++] = tape[i];
    n = real.n;
    /* blocks may be there no times: what is within the formula with none of them */
    const int wide = h->n + 1;
    int blank = 0, first = 0;
    while (first < n && real.cell[first] == 0)
        first++;
    while (blank < h->n && h->cell[blank] == 0)
        blank++;
    bool *fits TH_OWNED(free) = th_alloc((size_t)(n + 1) * (size_t)wide, sizeof *fits, f->e->err);
    if (!fits)
        return false;
    fits[n * wide + h->n] = true;
    for (int i = n; i >= 0; i--)
        for (int j = h->n - 1; j >= blank; j--) {
            int size = 1, c = 0;
            if (h->cell[j] < BLOCK) {
                fits[i * wide + j] =
                    i < n && real.cell[i] == h->cell[j] && fits[(i + 1) * wide + j + 1];
                continue;
            }
            const unsigned char *word = word_of(f, h->cell[j], &size);
            while (c < size && i + c < n && real.cell[i + c] == word[c])
                c++;
            fits[i * wide + j] =
                fits[i * wide + j + 1] || (c == size && fits[(i + size) * wide + j]);
        }
    return begins(fits, first, wide, blank);
}

static bool check(Formula *f, const EndlessTape *tape)
{
    Endless *e = f->e;
    unsigned char cell[CELLS];
    const int right = f->right = (int)e->number[1], state = f->state = tape->state;
    Half *own = &f->half[!right], *was TH_OWNED(free) = NULL;
    if (!read_formula(f, own) || tape->ahead || !stands_for(f, own, tape->cell, tape->n))
        return false;
    settle(f, own);
    was = th_copy(own, 1, sizeof *own, e->err);
    for (long long i = 0; was && i < e->number[2]; i++) /* of which the first is a step */
        if (!make_move(f, cell) || (i % 1024 == 0 && th_stopped(e->stop, e->err)))
            return false;
    if (!was || f->state != state || f->right != right || f->half[right].n > 0)
        return false;
    settle(f, own);
    return !f->full && is_within(f, own, was);
}

bool th_proof_endless_bouncers(Endless *e, const EndlessTape *tape)
{
    Formula *f TH_OWNED(free) = th_alloc(1, sizeof *f, e->err);
    unsigned char *letters TH_OWNED(free) = th_alloc(INSIDE, 1, e->err);
    void *block TH_OWNED(free) = f ? th_alloc(BLOCKS, sizeof *f->block, e->err) : NULL;
    if (!f || !letters || !block)
        return false;
    f->e = e;
    f->letters = letters;
    f->block = block;
    return e->number[1] >= 0 && e->number[1] <= 1 && e->number[2] > 0 && e->number[2] <= MOVES &&
           check(f, tape);
}
