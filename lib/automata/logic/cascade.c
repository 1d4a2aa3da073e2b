#include "automata/logic/cascade.h"

#include "automata/algebra/holonomy.h"

/* Coordinates are tuples of tiles; -1, a level that is skipped, is one more tile. */
typedef struct {
    ThAutomatonFormula *f;
    const ThDfa *d;
    const ThHolonomy *h;
    int levels;
    ThIntern tuple; /* those that words lead to from the start, which is 0 */
    int *next;      /* (tuples, n_symbols) */
    size_t next_cap;
    bool *entered; /* (tuples): some non-empty word leads there */
    int tiles;     /* on a level at the most, with the one more */
    int *after;    /* (levels, tiles): part: the level is in the tile behind this position; -1 */
    int *before;   /* the same, before this position */
    ThStop *stop;
    ThError *err;
} Cascade;

static const int *tuple(const Cascade *c, size_t i)
{
    return th_intern_at(&c->tuple, i, NULL);
}

/* Follows all words from the start. */
static bool find_tuples(Cascade *c, size_t limit)
{
    size_t bytes = (size_t)c->levels * sizeof(int), k = (size_t)c->d->n_symbols, index;
    int *to TH_OWNED(free) = th_alloc((size_t)c->levels + 1, sizeof *to, c->err);
    if (!to)
        return false;
    th_holonomy_lift(c->h, c->d->start, to);
    bool ok = th_intern(&c->tuple, to, bytes, &index, c->err);
    for (size_t i = 0; ok && i < c->tuple.n; i++) {
        if (limit && c->tuple.n > limit)
            return th_fail(c->err, TH_ELIMIT, "the cascade has more than %zu tuples of coordinates",
                           limit);
        ok = th_grow(&c->next, &c->next_cap, (i + 1) * k, sizeof *c->next, c->err) &&
             !th_stopped(c->stop, c->err);
        for (size_t a = 0; ok && a < k; a++) {
            ok = th_holonomy_step(c->h, tuple(c, i), (int)a, to, c->err) &&
                 th_intern(&c->tuple, to, bytes, &index, c->err);
            c->next[i * k + a] = (int)index;
        }
    }
    return ok;
}

static int *at(const Cascade *c, int *table, int level, int tile)
{
    return &table[level * c->tiles + tile + 1];
}

/* ---- what a level does ----------------------------------------------------------------------- */

enum { KEEPS = -2, UNSEEN = -3, MIXED = -4 };

/* What the symbol does to the level in all tuples that agree with i above it: KEEPS, or a tile. */
static int action(const Cascade *c, size_t i, int level, int symbol)
{
    size_t above = (size_t)level * sizeof(int), k = (size_t)c->d->n_symbols;
    int reset = UNSEEN;
    bool keeps = true, constant = true;
    for (size_t j = 0; j < c->tuple.n; j++) {
        if (memcmp(tuple(c, i), tuple(c, j), above) != 0)
            continue;
        int from = tuple(c, j)[level],
            to = tuple(c, (size_t)c->next[j * k + (size_t)symbol])[level];
        keeps = keeps && from == to;
        constant = constant && (reset == UNSEEN || reset == to);
        reset = to;
    }
    return keeps ? KEEPS : constant ? reset : MIXED;
}

/* Of one level: what each symbol does in each tuple. */
static int *actions(const Cascade *c, int level)
{
    size_t k = (size_t)c->d->n_symbols;
    int *does = th_alloc(c->tuple.n * k + 1, sizeof *does, c->err);
    for (size_t i = 0; does && i < c->tuple.n; i++) {
        size_t same = 0; /* the first with the same tiles above has done the work */
        while (memcmp(tuple(c, i), tuple(c, same), (size_t)level * sizeof(int)) != 0)
            same++;
        for (size_t a = 0; a < k; a++)
            does[i * k + a] = same < i ? does[same * k + a] : action(c, i, level, (int)a);
        for (size_t a = 0; a < k; a++)
            if (does[i * k + a] == MIXED) {
                free(does);
                return th_null(th_fail(c->err, TH_EVALUE, "the language is not star-free"));
            }
        if (th_stopped(c->stop, c->err)) {
            free(does);
            return NULL;
        }
    }
    return does;
}

/* ---- decisions ------------------------------------------------------------------------------- */

/* A question about tuples: which of `value` is wanted; and the parts that say which tile a level is
 * in. */
typedef struct {
    const int *value; /* (tuples * stride) */
    size_t stride, offset;
    int wanted;
    int *parts;   /* before or after */
    bool entered; /* only tuples behind a symbol are meant */
} Question;

/* The tuples that agree with i on the levels before this one: true, false, or a choice. */
static int decide(Cascade *c, const Question *q, size_t i, int level)
{
    bool some = false, all = true;
    size_t above = (size_t)level * sizeof(int);
    if (th_stopped(c->stop, c->err))
        return -1;
    for (size_t j = 0; j < c->tuple.n; j++) {
        if (memcmp(tuple(c, i), tuple(c, j), above) != 0 || (q->entered && !c->entered[j]))
            continue;
        bool is = q->value[j * q->stride + q->offset] == q->wanted;
        some = some || is;
        all = all && is;
    }
    if (all || !some)
        return all && some ? th_automaton_formula_truth(c->f, c->err)
                           : th_automaton_formula_false(c->f, c->err);
    int result = -1, first = -1;
    bool same = true;
    for (int tile = -1; tile < c->tiles - 1; tile++) {
        size_t j = 0; /* a tuple that goes on with the tile */
        while (j < c->tuple.n && (memcmp(tuple(c, i), tuple(c, j), above) != 0 ||
                                  tuple(c, j)[level] != tile || (q->entered && !c->entered[j])))
            j++;
        if (j == c->tuple.n)
            continue;
        int rest = decide(c, q, j, level + 1), in = *at(c, q->parts, level, tile);
        int one = th_automaton_formula_and(c->f, in, rest, c->err);
        if (one < 0 || rest < 0)
            return -1;
        same = same && (first < 0 || first == rest);
        first = first < 0 ? rest : first;
        result = result < 0 ? one : th_automaton_formula_or(c->f, result, one, c->err);
    }
    return same ? first : result;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* This position's letter puts the tile there: letters of which the same is asked stand together. */
static int resets(Cascade *c, const int *does, int tile)
{
    ThAutomatonFormula *f = c->f;
    int k = c->d->n_symbols, sum = th_automaton_formula_false(f, c->err);
    int *asked TH_OWNED(free) = th_alloc((size_t)k + 1, sizeof *asked, c->err);
    for (int a = 0; asked && a < k; a++) {
        Question q = {does, (size_t)k, (size_t)a, tile, c->before, false};
        if ((asked[a] = decide(c, &q, 0, 0)) < 0)
            return -1;
    }
    for (int a = 0; asked && a < k; a++) {
        int letters = th_automaton_formula_false(f, c->err);
        bool first = true;
        for (int b = 0; b < k; b++) {
            first = first && (b >= a || asked[b] != asked[a]);
            if (asked[b] == asked[a])
                letters = th_automaton_formula_or(f, letters, th_automaton_formula_is(f, b, c->err),
                                                  c->err);
        }
        if (first)
            sum = th_automaton_formula_or(
                f, sum, th_automaton_formula_and(f, letters, asked[a], c->err), c->err);
    }
    return asked ? sum : -1;
}

/* In which tile the level was before this position. */
static bool look_back(Cascade *c, int level, int tile)
{
    ThAutomatonFormula *f = c->f;
    int after = *at(c, c->after, level, tile);
    bool first = tuple(c, 0)[level] == tile;
    int other = first ? th_automaton_formula_not(f, after, c->err) : after;
    int before = th_automaton_formula_previous(f, other, c->err);
    before = first ? th_automaton_formula_not(f, before, c->err) : before;
    *at(c, c->before, level, tile) = before;
    return before >= 0;
}

static bool write_level(Cascade *c, int level)
{
    ThAutomatonFormula *f = c->f;
    int *does TH_OWNED(free) = actions(c, level);
    int *reset TH_OWNED(free) = does ? th_alloc((size_t)c->tiles, sizeof *reset, c->err) : NULL;
    int start = tuple(c, 0)[level];
    if (!reset)
        return false;
    int any = th_automaton_formula_false(f, c->err), others = any;
    for (int tile = -1; tile < c->tiles - 1; tile++) {
        reset[tile + 1] = resets(c, does, tile);
        any = reset[tile + 1] < 0 ? -1 : th_automaton_formula_or(f, any, reset[tile + 1], c->err);
        if (any < 0)
            return false;
    }
    int none = th_automaton_formula_not(f, any, c->err);
    for (int tile = -1; tile < c->tiles - 1; tile++) {
        int is = th_automaton_formula_since(f, none, reset[tile + 1], c->err);
        *at(c, c->after, level, tile) = is;
        if (tile != start)
            others = is < 0 ? -1 : th_automaton_formula_or(f, others, is, c->err);
        if (is < 0 || others < 0)
            return false;
    }
    *at(c, c->after, level, start) = th_automaton_formula_not(f, others, c->err);
    for (int tile = -1; tile < c->tiles - 1; tile++)
        if (!look_back(c, level, tile))
            return false;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool write_whole(Cascade *c)
{
    int *accepts TH_OWNED(free) = th_alloc(c->tuple.n, sizeof *accepts, c->err);
    bool ok = accepts != NULL;
    for (size_t i = 0; ok && i < c->tuple.n; i++)
        accepts[i] = c->d->label[th_holonomy_state(c->h, tuple(c, i))] == 1;
    for (int level = 0; ok && level < c->levels; level++)
        ok = write_level(c, level);
    Question q = {.value = accepts, .stride = 1, .wanted = 1, .parts = c->after, .entered = true};
    c->f->whole = ok ? decide(c, &q, 0, 0) : -1;
    return c->f->whole >= 0;
}

static bool prepare(Cascade *c)
{
    size_t k = (size_t)c->d->n_symbols;
    for (int i = 0; i < c->h->n_families; i++)
        if (c->h->families[i].n_tiles + 1 > c->tiles)
            c->tiles = c->h->families[i].n_tiles + 1;
    c->after = th_alloc((size_t)(c->levels * c->tiles) + 1, sizeof *c->after, c->err);
    c->before = th_alloc((size_t)(c->levels * c->tiles) + 1, sizeof *c->before, c->err);
    c->entered = th_alloc(c->tuple.n, sizeof *c->entered, c->err);
    for (size_t i = 0; c->entered && i < c->tuple.n * k; i++)
        c->entered[c->next[i]] = true;
    return c->after && c->before && c->entered;
}

bool th_automaton_formula_cascade(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                                  size_t limit, ThStop *stop, ThError *err)
{
    ThHolonomy *h TH_OWNED(th_holonomy_free) = th_holonomy_new(d, limit, stop, err);
    Cascade c = {.f = f, .d = d, .h = h, .stop = stop, .err = err};
    bool ok = h && th_automaton_formula_letters(f, symbol, d->n_symbols, err);
    c.levels = h ? h->n_levels : 0;
    ok = ok && find_tuples(&c, limit) && prepare(&c) && write_whole(&c);
    TH_FREE(c.next, c.after, c.before, c.entered);
    th_intern_free(&c.tuple);
    return ok;
}
