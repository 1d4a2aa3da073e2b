#include "turing/grams.h"

#include "base/hash.h"

static const uint64_t BASE = 0x9e3779b97f4a7c15u; /* odd: it has an inverse modulo 2^64 */

/* ---- runs ------------------------------------------------------------------------------------ */

bool th_tm_run_start(ThTmRunStart *s, const ThTm *m, const ThTmTapeWords *words, ThError *err)
{
    *s = (ThTmRunStart){.machine = m, .words = words, .state = m->start};
    if (m->n_tapes > 1)
        return th_fail(err, TH_EVALUE, "this is for machines with one tape; it has %d", m->n_tapes);
    if (m->branching)
        return th_fail(err, TH_EVALUE, "this is for machines without a choice of rules");
    return th_tm_tape_words_at_start(words, err);
}

bool th_tm_running_from(ThTmRunning *r, const ThTmRunStart *s, ThError *err)
{
    const int *word[TH_TM_MOST_TAPES] = {s->words->word[0]};
    if (!th_tm_running_start(r, s->machine, word, s->words->length, err))
        return false;
    r->state = s->state;
    r->verdict = th_tm_entered(s->machine, s->state);
    r->tape[0].head = r->tape[0].low = r->tape[0].high = s->head;
    return true;
}

static bool step(ThTmRunning *r, ThTmRunLimits limits, ThStop *stop, bool *moved, ThError *err)
{
    uint64_t before = r->steps;
    *moved = false;
    if (th_tm_verdict_final(r->verdict) || before >= limits.steps)
        return true;
    if (!th_tm_running_go(r, 1, limits, before % 4096 == 0 ? stop : NULL, err))
        return false;
    *moved = r->steps > before;
    return true;
}

bool th_tm_run_extent(ThTmRunExtent *x, const ThTmRunStart *s, ThTmRunLimits limits, ThStop *stop,
                      ThError *err)
{
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    int64_t end = s->words->length[0] > 0 ? s->words->length[0] - 1 : 0;
    *x = (ThTmRunExtent){.last = end};
    bool moved = true, ok = th_tm_running_from(&r, s, err);
    while (ok && moved) {
        ok = step(&r, limits, stop, &moved, err);
        if (!x->leaves && (r.tape[0].head < 0 || r.tape[0].head > end)) {
            x->leaves = true;
            x->leaves_after = r.steps;
        }
    }
    x->verdict = r.verdict == TH_TM_GOES_ON ? TH_TM_OUT_OF_STEPS : r.verdict;
    x->steps = r.steps;
    x->first = r.tape[0].low < 0 ? r.tape[0].low : 0;
    x->last = r.tape[0].high > end ? r.tape[0].high : end;
    return ok;
}

/* ---- sets of grams --------------------------------------------------------------------------- */

typedef struct {
    uint64_t hash;
    int64_t count; /* how many are there; 0: none any more */
} Gram;

typedef struct {
    Gram *gram;
    size_t n, cap;
    ThHashTable table;
} Grams;

/* A tape between two ends, with the head, and the hashes that give that of any gram on one side of
 * the head: Σ symbol · BASE^(distance from the gram's last cell). */
typedef struct {
    uint16_t *cell; /* (n) */
    int64_t n, head;
    uint64_t *power, *inverse; /* (n + 1): BASE^i, BASE^-i */
    uint64_t *left;            /* (n + 1): of cells 0 … i-1; right up to the head */
    uint64_t *right; /* (n + 1): Σ symbol · BASE^(n-1-position) of cells i …; right behind it */
    Grams grams;
    int size; /* cells in a gram */
} Board;

static uint64_t symbol_hash(uint16_t symbol)
{
    return th_hash_mix(symbol + UINT64_C(0x51ed270b));
}

static uint64_t inverse_of(uint64_t odd)
{
    uint64_t x = odd; /* right for 3 bits; each round doubles them */
    for (int i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

static void hash_left(Board *b, int64_t i)
{
    b->left[i + 1] = b->left[i] * BASE + symbol_hash(b->cell[i]);
}

static void hash_right(Board *b, int64_t i)
{
    b->right[i] = b->right[i + 1] + symbol_hash(b->cell[i]) * b->power[b->n - 1 - i];
}

/* The hash of a gram that lies on one side of the head. */
static uint64_t gram_hash(const Board *b, int64_t at)
{
    int64_t end = at + b->size;
    if (end <= b->head + 1)
        return b->left[end] - b->left[at] * b->power[b->size];
    return (b->right[at] - b->right[end]) * b->inverse[b->n - end];
}

/* Is there a gram from `at` on, with the state behind cell `head`? */
static bool present(const Board *b, int64_t at, int64_t head)
{
    int64_t end = at + b->size;
    return at >= 0 && end <= b->n && !(at <= head && end > head + 1);
}

static void clear(Grams *g)
{
    free(g->gram);
    th_hash_free(&g->table);
    *g = (Grams){0};
}

static ThHashSeek seek_gram(uint64_t hash)
{
    return th_hash_seek(th_hash_mix(hash));
}

/* The gram with a hash, or NULL: then the search stands where it belongs. */
static Gram *find(const Grams *g, ThHashSeek *s, uint64_t hash)
{
    for (uint32_t i; (i = th_hash_next(&g->table, s)) != TH_HASH_END;)
        if (g->gram[i].hash == hash)
            return &g->gram[i];
    return NULL;
}

/* Room for one more.  Where it is used up, grams that are none any more are forgotten. */
static bool make_room(Grams *g, ThError *err)
{
    if (g->n < g->cap)
        return th_hash_reserve(&g->table, err);
    size_t before = g->n;
    bool ok = true;
    g->n = 0;
    th_hash_clear(&g->table);
    for (size_t i = 0; ok && i < before; i++) {
        if (g->gram[i].count == 0)
            continue;
        g->gram[g->n] = g->gram[i];
        ok = th_hash_add(&g->table, th_hash_mix(g->gram[i].hash), g->n++, err);
    }
    return ok && th_grow(&g->gram, &g->cap, 2 * g->n + 1, sizeof *g->gram, err) &&
           th_hash_reserve(&g->table, err);
}

/* *count: how many grams with this hash there are now. */
static bool add(Grams *g, uint64_t hash, int64_t *count, ThError *err)
{
    if (!make_room(g, err))
        return false;
    ThHashSeek s = seek_gram(hash);
    Gram *gram = find(g, &s, hash);
    if (!gram) {
        th_hash_put(&g->table, &s, g->n);
        gram = &g->gram[g->n++];
        *gram = (Gram){hash, 0};
    }
    *count = ++gram->count;
    return true;
}

/* One of the grams with this hash is no more. */
static void take(Grams *g, uint64_t hash)
{
    ThHashSeek s = seek_gram(hash);
    find(g, &s, hash)->count--;
}

/* ---- one configuration ----------------------------------------------------------------------- */

static bool same_gram(const Board *b, int64_t one, int64_t other)
{
    return memcmp(b->cell + one, b->cell + other, (size_t)b->size * sizeof *b->cell) == 0;
}

/* Looks for a gram of b->size cells that is there twice; *one is -1 if there is none.  The numbers
 * in its table are positions. */
static bool find_twice(Board *b, int64_t *one, int64_t *other, ThError *err)
{
    ThHashTable t TH_OWNED(th_hash_free) = {0};
    bool ok = true;
    *one = *other = -1;
    for (int64_t at = 0; ok && *one < 0 && at + b->size <= b->n; at++) {
        if (!present(b, at, b->head))
            continue;
        ok = th_hash_reserve(&t, err);
        if (!ok)
            break;
        uint32_t before;
        ThHashSeek s = seek_gram(gram_hash(b, at));
        while ((before = th_hash_next(&t, &s)) != TH_HASH_END && !same_gram(b, before, at)) {
        }
        if (before == TH_HASH_END) {
            th_hash_put(&t, &s, (size_t)at);
        } else {
            *one = before;
            *other = at;
        }
    }
    return ok;
}

/* The longest repetition that is longer than `least`, by bisection: its parts are repeated too. */
static bool find_longest(Board *b, ThTmGrams *g, int least, ThError *err)
{
    int64_t low = least, high = b->n;
    while (low < high) {
        int64_t one, other;
        b->size = (int)(low + (high - low + 1) / 2);
        if (!find_twice(b, &one, &other, err))
            return false;
        if (one < 0) {
            high = b->size - 1;
            continue;
        }
        low = b->size;
        g->longest = b->size;
        g->one = one;
        g->other = other;
    }
    return true;
}

/* Counts all grams one longer than what is known to be there twice. */
static bool count_grams(Board *b, int size, ThError *err)
{
    int64_t count;
    clear(&b->grams);
    b->size = size;
    for (int64_t at = 0; at + size <= b->n; at++)
        if (present(b, at, b->head) && !add(&b->grams, gram_hash(b, at), &count, err))
            return false;
    return true;
}

/* Looks at a configuration anew. */
static bool renew(Board *b, ThTmGrams *g, uint64_t step, bool *found, ThError *err)
{
    int least = g->longest;
    if (!find_longest(b, g, least, err))
        return false;
    *found = g->longest > least;
    if (*found)
        g->step = step;
    return count_grams(b, g->longest + 1, err);
}

/* ---- from one configuration to the next ------------------------------------------------------ */

/* The grams that are touched begin in two stretches. */
static int touched(const Board *b, int64_t head, int64_t *at)
{
    int n = 0;
    for (int64_t s = head - b->size; s <= head - b->size + 2; s++)
        at[n++] = s;
    for (int64_t s = head; s <= head + 2; s++)
        if (s > head - b->size + 2)
            at[n++] = s;
    return n;
}

/* The head writes on its cell and moves by at most one.  *twice: a gram may be there twice now. */
static bool move(Board *b, uint16_t written, int64_t to, bool *twice, ThError *err)
{
    int64_t at[6], from = b->head, count;
    int n = touched(b, from, at);
    for (int i = 0; i < n; i++)
        if (present(b, at[i], from))
            take(&b->grams, gram_hash(b, at[i]));
    b->cell[from] = written;
    hash_left(b, from);
    if (to > from)
        hash_left(b, to);
    if (to < from)
        hash_right(b, from);
    b->head = to;
    *twice = false;
    for (int i = 0; i < n; i++) {
        if (!present(b, at[i], to))
            continue;
        if (!add(&b->grams, gram_hash(b, at[i]), &count, err))
            return false;
        *twice = *twice || count > 1;
    }
    return true;
}

static void free_board(Board *b)
{
    TH_FREE(b->cell, b->power, b->inverse, b->left, b->right);
    clear(&b->grams);
}

static bool make_board(Board *b, const ThTmRunning *r, const ThTmRunExtent *x, ThError *err)
{
    size_t n = (size_t)(x->last - x->first) + 1;
    *b = (Board){.n = (int64_t)n, .head = r->tape[0].head - x->first};
    b->cell = th_alloc(n, sizeof *b->cell, err);
    b->power = th_alloc(n + 1, sizeof *b->power, err);
    b->inverse = th_alloc(n + 1, sizeof *b->inverse, err);
    b->left = th_alloc(n + 1, sizeof *b->left, err);
    b->right = th_alloc(n + 1, sizeof *b->right, err);
    if (!b->cell || !b->power || !b->inverse || !b->left || !b->right)
        return false;
    uint64_t inverse = inverse_of(BASE);
    b->power[0] = b->inverse[0] = 1;
    for (size_t i = 0; i < n; i++) {
        b->power[i + 1] = b->power[i] * BASE;
        b->inverse[i + 1] = b->inverse[i] * inverse;
        b->cell[i] = (uint16_t)th_tm_tape_at(&r->tape[0], x->first + (int64_t)i, r->machine->blank);
    }
    for (int64_t i = 0; i < b->n; i++)
        hash_left(b, i);
    for (int64_t i = b->n - 1; i >= 0; i--)
        hash_right(b, i);
    return true;
}

bool th_tm_grams(ThTmGrams *g, const ThTmRunStart *s, const ThTmRunExtent *x,
                 const ThTmGramsWanted *how, ThStop *stop, ThError *err)
{
    uint64_t from = how->from;
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    Board b = {0};
    ThTmRunLimits to_start = {from, UINT64_MAX}, limits = {x->steps, UINT64_MAX};
    bool moved = x->steps >= from, found = false;
    *g = (ThTmGrams){.longest = how->least};
    bool ok = th_tm_running_from(&r, s, err) && th_tm_running_go(&r, from, to_start, stop, err) &&
              make_board(&b, &r, x, err);
    if (ok && moved)
        ok = renew(&b, g, r.steps, &found, err);
    while (ok && moved && !(how->first && found)) {
        int64_t at = r.tape[0].head;
        bool twice = false;
        ok = step(&r, limits, stop, &moved, err);
        if (!ok || !moved)
            break;
        uint16_t written = (uint16_t)th_tm_tape_at(&r.tape[0], at, s->machine->blank);
        ok = move(&b, written, r.tape[0].head - x->first, &twice, err);
        if (ok && twice)
            ok = renew(&b, g, r.steps, &found, err);
    }
    g->one += x->first;
    g->other += x->first;
    free_board(&b);
    return ok;
}
