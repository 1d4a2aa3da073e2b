#include "automata/infer/pac.h"

#include <math.h>

#include "automata/core/word_tree.h"
#include "base/symbols.h"

int th_pac_draw(ThPac *s, int *word)
{
    int length = s->lo + (int)th_rng_below(&s->rng, (uint64_t)(s->hi - s->lo) + 1);
    if (s->n_symbols == 0)
        return 0;
    for (int i = 0; i < length; i++)
        word[i] = (int)th_rng_below(&s->rng, (uint64_t)s->n_symbols);
    return length;
}

/* ---- words in blocks ------------------------------------------------------------------------- */

/* A source of words: writes the next one, or returns false at their end. */
typedef bool NextWord(void *context, ThPac *s, int *word, int *length);

/* What the test of such words found. */
typedef struct {
    bool all; /* go on after the first that is wrong */
    long long tested, wrong;
    int *kept, length; /* the shortest wrong one; NULL: not wanted */
} Found;

/* Words that are classified together.  Drawing ahead of a word that ends the test must not show,
 * so the state of the generator after each is remembered. */
enum { BLOCK = 128, BLOCK_SYMBOLS = 1 << 16 };
typedef struct {
    int room, n;
    int *symbol;
    size_t start[BLOCK + 1];
    int label[BLOCK];
    ThRng after[BLOCK];
} Block;

static void fill(Block *b, ThPac *s, NextWord *next, void *context)
{
    int length;
    for (b->n = 0; b->n < b->room && next(context, s, b->symbol + b->start[b->n], &length);
         b->n++) {
        b->start[b->n + 1] = b->start[b->n] + (size_t)length;
        b->after[b->n] = s->rng;
    }
}

static bool classify(Block *b, const ThPac *s, ThError *err)
{
    ThLstarWords words = {(size_t)b->n, b->symbol, b->start};
    if (th_stopped(s->stop, err))
        return false;
    return s->members ? s->members(s->context, &words, b->label, err)
                      : s->member(s->context, b->symbol, (int)b->start[1], b->label, err);
}

/* Counts word i of a block; returns false where the test ends. */
static bool count(const Block *b, int i, const ThDfa *guess, Found *f)
{
    const int *word = b->symbol + b->start[i];
    size_t n = b->start[i + 1] - b->start[i];
    f->tested++;
    if (b->label[i] == th_dfa_class(guess, word, n))
        return true;
    if (f->kept && (f->wrong == 0 || (int)n < f->length)) {
        f->length = (int)n;
        memcpy(f->kept, word, n * sizeof *word);
    }
    f->wrong++;
    return f->all;
}

/* Tests a guess on all words of a source, or up to the first that it is wrong about. */
static bool test(ThPac *s, const ThDfa *guess, NextWord *next, void *context, Found *f,
                 ThError *err)
{
    size_t longest = (size_t)s->hi + 1, room = s->members ? BLOCK_SYMBOLS / longest + 1 : 1;
    Block *b TH_OWNED(free) = th_alloc(1, sizeof *b, err);
    bool ok = b != NULL, on = true;
    if (ok) {
        b->room = room < BLOCK ? (int)room : BLOCK;
        ok = (b->symbol = th_alloc((size_t)b->room * longest, sizeof *b->symbol, err)) != NULL;
    }
    while (ok && on) {
        fill(b, s, next, context);
        ok = b->n == 0 || classify(b, s, err);
        for (int i = 0; ok && on && i < b->n; i++)
            if (!(on = count(b, i, guess, f)))
                s->rng = b->after[i];
        on = on && b->n == b->room;
    }
    if (b)
        free(b->symbol);
    return ok;
}

/* ---- short words ----------------------------------------------------------------------------- */

enum { MOST_SHORT = 1000 };

typedef struct {
    int *word, length;
    double n; /* words of this length */
    bool begun;
} Short;

/* All words, the shortest first, as long as there are at most a thousand of a length. */
static bool next_short(void *context, ThPac *s, int *word, int *length)
{
    Short *x = context;
    if (x->begun && !th_symbols_next(x->word, x->length, s->n_symbols)) {
        x->length++;
        x->n *= s->n_symbols;
        if (x->length > s->hi || x->length > MOST_SHORT || x->n > MOST_SHORT || s->n_symbols == 0)
            return false;
        memset(x->word, 0, (size_t)x->length * sizeof *word);
    }
    x->begun = true;
    *length = x->length;
    if (x->length)
        memcpy(word, x->word, (size_t)x->length * sizeof *word);
    return true;
}

static bool try_short(ThPac *s, const ThDfa *guess, Found *f, ThError *err)
{
    Short x = {.n = 1, .word = th_alloc((size_t)s->hi + 1, sizeof *x.word, err)};
    bool ok = x.word && test(s, guess, next_short, &x, f, err);
    free(x.word);
    return ok;
}

/* ---- words through states -------------------------------------------------------------------- */

typedef struct {
    ThWordTree state; /* those that can be reached */
    int n;
    long long turn, turns;
} Ways;

static bool next_way(void *context, ThPac *s, int *word, int *length)
{
    Ways *w = context;
    if (w->turn >= w->turns)
        return false;
    int q = (int)(w->turn++ % w->n), used = 0;
    size_t at = th_intern_find(&w->state.met, &q, sizeof q);
    int *way TH_OWNED(free) = at == SIZE_MAX ? NULL : th_word_tree_word(&w->state, at, &used, NULL);
    used = used < s->hi ? used : s->hi;
    if (way)
        memcpy(word, way, (size_t)used * sizeof *word);
    int more = (int)th_rng_below(&s->rng, (uint64_t)(s->hi - used) + 1);
    for (int j = 0; j < more; j++)
        word[used + j] = (int)th_rng_below(&s->rng, (uint64_t)s->n_symbols);
    *length = used + more;
    return true;
}

/* Words through every state of the guess. */
static bool try_states(ThPac *s, const ThDfa *guess, Found *f, ThError *err)
{
    enum { TURNS = 4, LEAST = 200 };
    long long turns = (long long)guess->n_states * s->n_symbols * TURNS;
    Ways w = {.n = guess->n_states, .turns = turns && turns < LEAST ? LEAST : turns};
    bool ok = th_word_tree_states(&w.state, guess, err) && test(s, guess, next_way, &w, f, err);
    th_word_tree_free(&w.state);
    return ok;
}

/* ---- drawn words ----------------------------------------------------------------------------- */

static bool next_drawn(void *context, ThPac *s, int *word, int *length)
{
    long long *left = context;
    if (*left <= 0)
        return false;
    --*left;
    *length = th_pac_draw(s, word);
    return true;
}

/* A sample that is large enough for this round; the shortest word that refutes the guess is kept.
 */
static bool try_random(ThPac *s, const ThDfa *guess, Found *f, bool *refuted, ThError *err)
{
    double wanted = (log(1 / (1 - s->confidence)) + (double)s->round * log(2)) / s->error;
    long long n = (long long)ceil(wanted), left = n;
    f->all = s->noise > 0;
    f->tested = 0;
    bool ok = test(s, guess, next_drawn, &left, f, err);
    s->drawn += f->tested;
    *refuted = (double)f->wrong > s->noise * (double)n;
    return ok;
}

bool th_pac_equivalent(void *sampling, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ThPac *s = sampling;
    bool refuted = false;
    Found f = {.kept = th_alloc((size_t)s->hi + 1, sizeof *f.kept, err)};
    s->round++;
    bool ok = f.kept != NULL;
    if (ok && s->noise <= 0)
        ok = try_short(s, guess, &f, err) && (f.wrong || try_states(s, guess, &f, err));
    refuted = f.wrong > 0;
    if (ok && !refuted)
        ok = try_random(s, guess, &f, &refuted, err);
    if (ok && refuted) {
        *word = f.kept;
        *length = f.length;
        return true;
    }
    free(f.kept);
    return ok;
}

bool th_pac_disagreement(ThPac *s, const ThDfa *guess, long long n, long long *wrong, ThError *err)
{
    Found f = {.all = true};
    bool ok = test(s, guess, next_drawn, &n, &f, err);
    *wrong = f.wrong;
    return ok;
}
