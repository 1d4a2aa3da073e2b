#include "automata/algebra/holonomy.h"

#include "automata/core/components.h"

/* What a symbol does to one coordinate. */
typedef struct {
    int constant;     /* the new value; NONE or PERMUTED */
    int *permutation; /* (n_tiles) */
    int n_tiles;
} Action;

enum { NONE = -1, PERMUTED = -2 };

/* ---- sets ------------------------------------------------------------------------------------ */

static const uint64_t *bits_of(const ThHolonomy *h, int set)
{
    return th_intern_at(&h->set, (size_t)set, NULL);
}

static bool has(const uint64_t *bits, int q)
{
    return bits[q / 64] >> (q % 64) & 1;
}

static void insert(uint64_t *bits, int q)
{
    bits[q / 64] |= (uint64_t)1 << (q % 64);
}

bool th_holonomy_contains(const ThHolonomy *h, int set, int q)
{
    return has(bits_of(h, set), q);
}

static bool is_subset(const ThHolonomy *h, const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < h->words; i++)
        if (a[i] & ~b[i])
            return false;
    return true;
}

static bool intern_bits(ThHolonomy *h, size_t limit, size_t *index, ThError *err)
{
    if (!th_intern(&h->set, h->bits, h->words * sizeof *h->bits, index, err))
        return false;
    if (limit && h->set.n > limit)
        return th_fail(err, TH_ELIMIT, "the decomposition has more than %zu image sets", limit);
    return true;
}

/* The states that a map, (n_states), takes a set to, in h->bits. */
static void map_bits(const ThHolonomy *h, int set, const int *map)
{
    const uint64_t *from = bits_of(h, set);
    memset(h->bits, 0, h->words * sizeof *h->bits);
    for (int q = 0; q < h->n_states; q++)
        if (has(from, q))
            insert(h->bits, map[q]);
}

static bool seed_sets(ThHolonomy *h, size_t limit, ThError *err)
{
    size_t index;
    for (int q = 0; q < h->n_states; q++)
        insert(h->bits, q);
    bool ok = intern_bits(h, 0, &index, err);
    for (int q = 0; ok && q < h->n_states; q++) {
        memset(h->bits, 0, h->words * sizeof *h->bits);
        insert(h->bits, q);
        ok = intern_bits(h, limit, &index, err);
    }
    return ok;
}

/* Closes the whole set and the single states under symbols. */
static bool find_sets(ThHolonomy *h, size_t limit, ThStop *stop, ThError *err)
{
    size_t cap = 0, k = (size_t)h->n_symbols, index;
    if (!seed_sets(h, limit, err))
        return false;
    for (size_t i = 0; i < h->set.n; i++) {
        if (i % 1024 == 1023 && th_stopped_at(stop, h->set.n, "image sets", err))
            return false;
        if (!th_grow(&h->image, &cap, (i + 1) * k, sizeof *h->image, err))
            return false;
        for (size_t a = 0; a < k; a++) {
            for (int q = 0; q < h->n_states; q++)
                h->scratch[q] = h->d->next[(size_t)q * k + a];
            map_bits(h, (int)i, h->scratch);
            if (!intern_bits(h, limit, &index, err))
                return false;
            h->image[i * k + a] = (int)index;
        }
    }
    h->n_sets = (int)h->set.n;
    return true;
}

static void count_points(ThHolonomy *h)
{
    for (int i = 0; i < h->n_sets; i++)
        for (int q = 0; q < h->n_states; q++)
            h->points[i] += th_holonomy_contains(h, i, q);
}

/* ---- families -------------------------------------------------------------------------------- */

static int *row(int *table, int i, int n)
{
    return table + (size_t)i * (size_t)n;
}

/* Maps between the representative and the other sets of its family, along a breadth-first tree. */
static void connect_family(ThHolonomy *h, int f, int *queue, bool *met)
{
    int n = 0, r = h->families[f].representative, k = h->n_symbols, states = h->n_states;
    for (int q = 0; q < states; q++)
        if (th_holonomy_contains(h, r, q))
            row(h->carry, r, states)[q] = row(h->back, r, states)[q] = q;
    met[r] = true;
    queue[n++] = r;
    for (int i = 0; i < n; i++)
        for (int a = 0; a < k; a++) {
            int from = queue[i], to = row(h->image, from, k)[a];
            if (met[to] || h->family[to] != f)
                continue;
            met[to] = true;
            queue[n++] = to;
            for (int q = 0; q < states; q++) {
                int p = row(h->carry, from, states)[q];
                if (p < 0)
                    continue;
                int image = h->d->next[(size_t)p * (size_t)k + (size_t)a];
                row(h->carry, to, states)[q] = image;
                row(h->back, to, states)[image] = q;
            }
        }
    h->families[f].n_sets = n;
}

static bool connect(ThHolonomy *h, ThError *err)
{
    int *queue TH_OWNED(free) = th_alloc((size_t)h->n_sets, sizeof *queue, err);
    bool *met TH_OWNED(free) = th_alloc((size_t)h->n_sets, sizeof *met, err);
    bool ok = queue && met;
    for (size_t i = 0; ok && i < (size_t)h->n_sets * (size_t)h->n_states; i++)
        h->carry[i] = h->back[i] = -1;
    for (int f = 0; ok && f < h->n_families; f++)
        connect_family(h, f, queue, met);
    return ok;
}

/* True if no image set lies strictly between two of them. */
static bool is_greatest(const ThHolonomy *h, const int *inside, int n, int i)
{
    for (int j = 0; j < n; j++)
        if (h->points[inside[j]] > h->points[inside[i]] &&
            is_subset(h, bits_of(h, inside[i]), bits_of(h, inside[j])))
            return false;
    return true;
}

static bool find_tiles(ThHolonomy *h, ThAutomatonFamily *f, int *inside, ThError *err)
{
    int n = 0;
    const uint64_t *whole = bits_of(h, f->representative);
    for (int i = 0; i < h->n_sets; i++)
        if (h->points[i] < f->n_points && is_subset(h, bits_of(h, i), whole))
            inside[n++] = i;
    f->tile = th_alloc((size_t)n, sizeof *f->tile, err);
    for (int i = 0; f->tile && i < n; i++)
        if (is_greatest(h, inside, n, i))
            f->tile[f->n_tiles++] = inside[i];
    return f->tile != NULL;
}

static bool find_all_tiles(ThHolonomy *h, ThStop *stop, ThError *err)
{
    int *inside TH_OWNED(free) = th_alloc((size_t)h->n_sets, sizeof *inside, err);
    bool ok = inside != NULL;
    for (int f = 0; ok && f < h->n_families; f++)
        if (h->families[f].n_points > 1)
            ok = !th_stopped_at(stop, (size_t)f, "components", err) &&
                 find_tiles(h, &h->families[f], inside, err);
    return ok;
}

/* Raises a family above another; level holds heights until all are known. */
static bool raise_above(ThHolonomy *h, int f, int other)
{
    if (other == f || h->families[f].n_points == 1 ||
        h->families[f].level > h->families[other].level)
        return false;
    h->families[f].level = h->families[other].level + 1;
    return true;
}

/* Heights: single states have 0, other families one more than the highest below them, which their
 * images and their tiles lead to.  Levels count from the whole set's downwards. */
static void find_levels(ThHolonomy *h)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = h->n_sets - 1; i >= 0; i--)
            for (int a = 0; a < h->n_symbols; a++)
                changed |=
                    raise_above(h, h->family[i], h->family[row(h->image, i, h->n_symbols)[a]]);
        for (int f = h->n_families - 1; f >= 0; f--)
            for (int t = 0; t < h->families[f].n_tiles; t++)
                changed |= raise_above(h, f, h->family[h->families[f].tile[t]]);
    }
    h->n_levels = h->families[h->family[0]].level;
    for (int f = 0; f < h->n_families; f++)
        h->families[f].level = h->n_levels - h->families[f].level;
}

/* ---- holonomy groups ------------------------------------------------------------------------- */

/* The tile of a family's representative that has these bits, or -1. */
static int tile_with(const ThHolonomy *h, const ThAutomatonFamily *f)
{
    size_t index = th_intern_find(&h->set, h->bits, h->words * sizeof *h->bits);
    for (int t = 0; t < f->n_tiles; t++)
        if ((size_t)f->tile[t] == index)
            return t;
    return -1;
}

/* The permutation of tiles by: from the representative to the set, a symbol, and back from there.
 * Both sets are of one family. */
static void tile_permutation(const ThHolonomy *h, int set, int symbol, int *permutation)
{
    size_t k = (size_t)h->n_symbols;
    const ThAutomatonFamily *f = &h->families[h->family[set]];
    const int *carry = row(h->carry, set, h->n_states);
    const int *back = row(h->back, row(h->image, set, h->n_symbols)[symbol], h->n_states);
    for (int q = 0; q < h->n_states; q++)
        h->scratch[q] = carry[q] < 0 ? 0 : back[h->d->next[(size_t)carry[q] * k + (size_t)symbol]];
    for (int t = 0; t < f->n_tiles; t++) {
        map_bits(h, f->tile[t], h->scratch);
        permutation[t] = tile_with(h, f);
    }
}

static bool find_group(ThHolonomy *h, int f, size_t limit, ThStop *stop, ThError *err)
{
    ThAutomatonFamily *family = &h->families[f];
    int *permutation TH_OWNED(free) = th_alloc((size_t)family->n_tiles, sizeof *permutation, err);
    family->group = permutation ? th_group_new(family->n_tiles, err) : NULL;
    bool ok = family->group != NULL;
    for (int i = 0; ok && i < h->n_sets; i++)
        for (int a = 0; ok && h->family[i] == f && a < h->n_symbols; a++) {
            if (h->family[row(h->image, i, h->n_symbols)[a]] != f)
                continue;
            tile_permutation(h, i, a, permutation);
            ok = th_group_add(family->group, permutation, limit, stop, err);
        }
    return ok && th_group_facts(family->group, &family->facts, stop, err);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int compare_families(const void *a, const void *b)
{
    const ThAutomatonFamily *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return (x->representative > y->representative) - (x->representative < y->representative);
}

/* Families in their final order; h->family is renumbered. */
static bool sort_families(ThHolonomy *h, ThError *err)
{
    int *number TH_OWNED(free) = th_alloc((size_t)h->n_families, sizeof *number, err);
    if (!number)
        return false;
    for (int f = 0; f < h->n_families; f++) /* for a moment: the number of before */
        h->families[f].facts.order = (size_t)f;
    qsort(h->families, (size_t)h->n_families, sizeof *h->families, compare_families);
    for (int f = 0; f < h->n_families; f++)
        number[h->families[f].facts.order] = f;
    for (int f = 0; f < h->n_families; f++)
        h->families[f].facts.order = 0;
    for (int i = 0; i < h->n_sets; i++)
        h->family[i] = number[h->family[i]];
    return true;
}

static bool find_families(ThHolonomy *h, size_t limit, ThStop *stop, ThError *err)
{
    size_t n = (size_t)h->n_sets, states = (size_t)h->n_states;
    h->points = th_alloc(n, sizeof *h->points, err);
    h->family = th_alloc(n, sizeof *h->family, err);
    h->carry = th_alloc(n * states, sizeof *h->carry, err);
    h->back = th_alloc(n * states, sizeof *h->back, err);
    if (!h->points || !h->family || !h->carry || !h->back)
        return false;
    h->n_families = th_automaton_components(h->image, h->n_sets, h->n_symbols, h->family, err);
    h->families =
        h->n_families < 0 ? NULL : th_alloc((size_t)h->n_families, sizeof *h->families, err);
    if (!h->families)
        return false;
    count_points(h);
    for (int i = h->n_sets - 1; i >= 0; i--) {
        h->families[h->family[i]].representative = i;
        h->families[h->family[i]].n_points = h->points[i];
    }
    if (!find_all_tiles(h, stop, err))
        return false;
    find_levels(h);
    if (!sort_families(h, err) || !connect(h, err))
        return false;
    for (int f = 0; f < h->n_families; f++)
        if (h->families[f].n_points > 1 && !find_group(h, f, limit, stop, err))
            return false;
    return true;
}

ThHolonomy *th_holonomy_new(const ThDfa *d, size_t limit, ThStop *stop, ThError *err)
{
    ThHolonomy *h = th_alloc(1, sizeof *h, err);
    if (!h)
        return NULL;
    h->d = d;
    h->n_states = d->n_states;
    h->n_symbols = d->n_symbols;
    h->words = ((size_t)d->n_states + 63) / 64;
    h->scratch = th_alloc((size_t)d->n_states, sizeof *h->scratch, err);
    h->bits = th_alloc(h->words, sizeof *h->bits, err);
    return TH_KEEP_IF(h->scratch && h->bits && find_sets(h, limit, stop, err) &&
                          find_families(h, limit, stop, err),
                      h, th_holonomy_free);
}

void th_holonomy_free(ThHolonomy *h)
{
    if (!h)
        return;
    for (int f = 0; h->families && f < h->n_families; f++) {
        free(h->families[f].tile);
        th_group_free(h->families[f].group);
    }
    th_intern_free(&h->set);
    TH_FREE(h->points, h->image, h->family, h->carry, h->back, h->families, h->scratch, h->bits, h);
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* Tile t of any set of a family. */
static int tile_of(const ThHolonomy *h, int set, int t)
{
    const ThAutomatonFamily *f = &h->families[h->family[set]];
    map_bits(h, f->tile[t], row(h->carry, set, h->n_states));
    return (int)th_intern_find(&h->set, h->bits, h->words * sizeof *h->bits);
}

/* The first tile of a set that holds all of another one. */
static int tile_around(const ThHolonomy *h, int set, int inner)
{
    const ThAutomatonFamily *f = &h->families[h->family[set]];
    map_bits(h, inner, row(h->back, set, h->n_states));
    int t = 0;
    while (!is_subset(h, h->bits, bits_of(h, f->tile[t])))
        t++;
    return t;
}

static bool on_level(const ThHolonomy *h, int set, int level)
{
    return h->families[h->family[set]].level == level;
}

void th_holonomy_lift(const ThHolonomy *h, int q, int *coordinate)
{
    for (int level = 0, set = 0; level < h->n_levels; level++) {
        coordinate[level] = NONE;
        if (!on_level(h, set, level))
            continue;
        coordinate[level] = tile_around(h, set, q + (h->n_states > 1));
        set = tile_of(h, set, coordinate[level]);
    }
}

int th_holonomy_state(const ThHolonomy *h, const int *coordinate)
{
    int set = 0, q = 0;
    for (int level = 0; level < h->n_levels; level++)
        if (on_level(h, set, level))
            set = tile_of(h, set, coordinate[level]);
    while (!th_holonomy_contains(h, set, q))
        q++;
    return q;
}

static int apply(const Action *action, int coordinate)
{
    return action->constant == PERMUTED ? action->permutation[coordinate] : action->constant;
}

/* The actions of a symbol on all levels.  source and target are the sets chosen by the coordinates
 * above, before and after the symbol, and the symbol takes the one into the other: onto it, then
 * tiles are permuted; or into one of its tiles, which is then chosen whatever the coordinate was.
 */
static void find_actions(const ThHolonomy *h, const int *coordinate, int symbol, Action *action)
{
    for (int level = 0, source = 0, target = 0; level < h->n_levels; level++) {
        int image = row(h->image, source, h->n_symbols)[symbol];
        Action *a = &action[level];
        a->n_tiles = h->families[h->family[target]].n_tiles;
        a->constant = NONE;
        if (on_level(h, target, level) && image == target) {
            tile_permutation(h, source, symbol, a->permutation);
            a->constant = PERMUTED;
        } else if (on_level(h, target, level)) {
            a->constant = tile_around(h, target, image);
        }
        if (on_level(h, target, level))
            target = tile_of(h, target, apply(a, coordinate[level]));
        if (on_level(h, source, level))
            source = tile_of(h, source, coordinate[level]);
    }
}

static Action *new_actions(const ThHolonomy *h, ThError *err)
{
    size_t levels = (size_t)h->n_levels, width = 1;
    for (int f = 0; f < h->n_families; f++)
        if ((size_t)h->families[f].n_tiles > width)
            width = (size_t)h->families[f].n_tiles;
    Action *action = th_alloc(levels + 1, sizeof *action, err);
    int *room = th_alloc(levels * width, sizeof *room, err);
    if (!action || !room) {
        TH_FREE(action, room);
        return NULL;
    }
    action[levels].permutation = room; /* the block, to be freed */
    for (size_t i = 0; i < levels; i++)
        action[i].permutation = room + i * width;
    return action;
}

static void free_actions(const ThHolonomy *h, Action *action)
{
    if (action)
        free(action[h->n_levels].permutation);
    free(action);
}

bool th_holonomy_step(const ThHolonomy *h, const int *from, int symbol, int *to, ThError *err)
{
    Action *action = new_actions(h, err);
    if (!action)
        return false;
    find_actions(h, from, symbol, action);
    for (int level = 0; level < h->n_levels; level++)
        to[level] = apply(&action[level], from[level]);
    free_actions(h, action);
    return true;
}

/* ---- verification ---------------------------------------------------------------------------- */

/* The cascade as it is found: what each (level, coordinates above, symbol) does. */
typedef struct {
    const ThHolonomy *h;
    ThIntern tuple, key, effect;
    int *effect_of; /* (keys) */
    size_t effect_cap;
    int *now, *next; /* (n_levels), and a zero, so that no tuple is empty */
    int *text;       /* key or effect being looked up */
    Action *action;
} Verification;

/* An action must be what was recorded for the same coordinates above. */
static bool record(Verification *v, int level, int symbol, ThError *err)
{
    const Action *a = &v->action[level];
    size_t key, effect, before = v->key.n, n = 2;
    v->text[0] = level;
    v->text[1] = symbol;
    memcpy(v->text + 2, v->now, (size_t)level * sizeof *v->text);
    if (!th_intern(&v->key, v->text, ((size_t)level + 2) * sizeof *v->text, &key, err))
        return false;
    v->text[0] = a->constant;
    v->text[1] = a->n_tiles;
    for (int t = 0; a->constant == PERMUTED && t < a->n_tiles; t++)
        v->text[n++] = a->permutation[t];
    if (!th_intern(&v->effect, v->text, n * sizeof *v->text, &effect, err) ||
        !th_grow(&v->effect_of, &v->effect_cap, key + 1, sizeof *v->effect_of, err))
        return false;
    if (key == before)
        v->effect_of[key] = (int)effect;
    if (v->effect_of[key] != (int)effect)
        return th_fail(err, TH_EVALUE, "level %d depends on more than the levels above", level + 1);
    return true;
}

/* A permutation must come from the group of the family on its level that has so many tiles. */
static bool in_some_group(const ThHolonomy *h, int level, const Action *a)
{
    if (a->constant != PERMUTED)
        return true;
    for (int f = 0; f < h->n_families; f++)
        if (h->families[f].level == level && h->families[f].n_tiles == a->n_tiles &&
            th_group_find(h->families[f].group, a->permutation) != SIZE_MAX)
            return true;
    return false;
}

static bool try_symbol(Verification *v, int symbol, ThError *err)
{
    const ThHolonomy *h = v->h;
    size_t index;
    find_actions(h, v->now, symbol, v->action);
    for (int level = 0; level < h->n_levels; level++) {
        if (!record(v, level, symbol, err))
            return false;
        if (!in_some_group(h, level, &v->action[level]))
            return th_fail(err, TH_EVALUE, "level %d is permuted from outside its group",
                           level + 1);
        v->next[level] = apply(&v->action[level], v->now[level]);
    }
    int q = th_holonomy_state(h, v->now), to = th_holonomy_state(h, v->next);
    if (to != h->d->next[(size_t)q * (size_t)h->n_symbols + (size_t)symbol])
        return th_fail(err, TH_EVALUE, "the cascade does not follow the machine from state %d", q);
    return th_intern(&v->tuple, v->next, ((size_t)h->n_levels + 1) * sizeof *v->next, &index, err);
}

static bool follow(Verification *v, size_t limit, ThStop *stop, size_t *tuples, ThError *err)
{
    const ThHolonomy *h = v->h;
    size_t bytes = ((size_t)h->n_levels + 1) * sizeof *v->now, index, done = 0;
    for (int q = 0; q < h->n_states; q++) {
        th_holonomy_lift(h, q, v->now);
        if (th_holonomy_state(h, v->now) != q)
            return th_fail(err, TH_EVALUE, "the coordinates of state %d are another's", q);
        if (!th_intern(&v->tuple, v->now, bytes, &index, err))
            return false;
    }
    for (; done < v->tuple.n && (done < limit || done < (size_t)h->n_states); done++) {
        if (th_stopped(stop, err))
            return false;
        for (int a = 0; a < h->n_symbols; a++) {
            memcpy(v->now, th_intern_at(&v->tuple, done, NULL), bytes);
            if (!try_symbol(v, a, err))
                return false;
        }
    }
    *tuples = done;
    return true;
}

bool th_holonomy_verify(const ThHolonomy *h, size_t limit, ThHolonomyCheck *check, ThStop *stop,
                        ThError *err)
{
    Verification v = {.h = h};
    size_t levels = (size_t)h->n_levels, widest = levels;
    for (int f = 0; f < h->n_families; f++)
        if ((size_t)h->families[f].n_tiles > widest)
            widest = (size_t)h->families[f].n_tiles;
    v.now = th_alloc(levels + 1, sizeof *v.now, err);
    v.next = th_alloc(levels + 1, sizeof *v.next, err);
    v.text = th_alloc(widest + 2, sizeof *v.text, err);
    v.action = new_actions(h, err);
    *check = (ThHolonomyCheck){0};
    bool ok = v.now && v.next && v.text && v.action &&
              follow(&v, limit ? limit : SIZE_MAX, stop, &check->tuples, err);
    check->dependencies = v.key.n;
    check->closed = ok && check->tuples == v.tuple.n;
    th_intern_free(&v.tuple);
    th_intern_free(&v.key);
    th_intern_free(&v.effect);
    TH_FREE(v.effect_of, v.now, v.next, v.text);
    free_actions(h, v.action);
    return ok;
}
