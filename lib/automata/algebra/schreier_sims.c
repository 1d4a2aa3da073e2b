#include "automata/algebra/schreier_sims.h"

#include <gmp.h>

#include "base/text.h"

enum { MOST = 64 };

typedef struct {
    unsigned char at[MOST]; /* the image of every point */
} Permutation;

/* The permutations that leave 0 … k - 1 alone: generators, and for every point that k is taken to
 * one that takes it there. */
typedef struct {
    Permutation *generator;
    size_t n, cap;
    Permutation to[MOST];
    bool has[MOST];
} Level;

typedef struct {
    int points;
    Level *level; /* (points) */
    ThStop *stop;
    ThError *err;
} Chain;

static Permutation product(const Chain *c, const Permutation *x, const Permutation *y)
{
    Permutation z = {{0}};
    for (int i = 0; i < c->points; i++)
        z.at[i] = y->at[x->at[i]];
    return z;
}

/* x, then what takes the point back to k where x has taken it. */
static Permutation back(const Chain *c, const Permutation *x, const Permutation *y)
{
    Permutation inverse = {{0}};
    for (int i = 0; i < c->points; i++)
        inverse.at[y->at[i]] = (unsigned char)i;
    return product(c, x, &inverse);
}

/* Is x a product of what is known from level k on? */
static bool is_known(const Chain *c, int k, Permutation x)
{
    for (; k < c->points; k++) {
        int j = x.at[k];
        if (!c->level[k].has[j])
            return false;
        x = back(c, &x, &c->level[k].to[j]);
    }
    return true;
}

static bool add(Chain *c, int k, Permutation x);

/* Takes a permutation of level k into account: a new image of k, or one of the next level. */
static bool update(Chain *c, int k, Permutation x)
{
    Level *l = &c->level[k];
    int j = x.at[k];
    if (th_stopped(c->stop, c->err))
        return false;
    if (l->has[j]) {
        x = back(c, &x, &l->to[j]);
        return is_known(c, k + 1, x) || add(c, k + 1, x);
    }
    l->has[j] = true;
    l->to[j] = x;
    bool ok = true;
    for (size_t i = 0; ok && i < l->n; i++)
        ok = update(c, k, product(c, &x, &l->generator[i]));
    return ok;
}

/* One generator more of level k, behind everything that takes k somewhere. */
static bool add(Chain *c, int k, Permutation x)
{
    Level *l = &c->level[k];
    bool had[MOST], ok = TH_APPEND(l->generator, l->n, l->cap, c->err, x);
    memcpy(had, l->has, sizeof had);
    for (int j = 0; ok && j < c->points; j++)
        if (had[j])
            ok = update(c, k, product(c, &l->to[j], &x));
    return ok;
}

/* The permutation of a symbol; false where it is none. */
static bool read_symbol(const ThDfa *d, int a, Permutation *x)
{
    bool met[MOST] = {false};
    for (int q = 0; q < d->n_states; q++) {
        int to = d->next[q * d->n_symbols + a];
        if (met[to])
            return false;
        met[to] = true;
        x->at[q] = (unsigned char)to;
    }
    return true;
}

static unsigned long moved_points(const Chain *c)
{
    unsigned long moved = 0;
    for (int i = 0; i < c->points; i++) {
        bool moves = false;
        for (size_t g = 0; g < c->level[0].n; g++)
            moves = moves || c->level[0].generator[g].at[i] != i;
        moved += moves;
    }
    return moved;
}

/* Groups of n! and n!/2 elements are the only ones so large on n points. */
static char *describe(const Chain *c, ThError *err)
{
    ThText t = {0};
    unsigned long moved = moved_points(c);
    mpz_t order, all;
    mpz_init_set_ui(order, 1);
    mpz_init(all);
    mpz_fac_ui(all, moved);
    for (int k = 0; k < c->points; k++) {
        unsigned long images = 0;
        for (int j = 0; j < c->points; j++)
            images += c->level[k].has[j];
        mpz_mul_ui(order, order, images);
    }
    char *digits TH_OWNED(free) = mpz_get_str(NULL, 10, order);
    mpz_divexact(all, all, order);
    if (moved > 2 && mpz_cmp_ui(all, 2) <= 0)
        th_text_printf(&t, "%c_%lu, of order %s", mpz_cmp_ui(all, 1) == 0 ? 'S' : 'A', moved,
                       digits);
    else
        th_text_printf(&t, "a group of order %s", digits);
    mpz_clears(order, all, NULL);
    return th_text_take(&t, err);
}

bool th_group_schreier_sims(const ThDfa *d, char **text, ThStop *stop, ThError *err)
{
    Permutation x = {{0}};
    *text = NULL;
    if (d->n_states > MOST)
        return true;
    for (int a = 0; a < d->n_symbols; a++)
        if (!read_symbol(d, a, &x))
            return true;
    Level *level TH_OWNED(free) = th_alloc((size_t)d->n_states, sizeof *level, err);
    Chain c = {d->n_states, level, stop, err};
    bool ok = level != NULL;
    for (int k = 0; ok && k < c.points; k++) {
        for (int i = 0; i < c.points; i++)
            level[k].to[k].at[i] = (unsigned char)i;
        level[k].has[k] = true;
    }
    for (int a = 0; ok && a < d->n_symbols; a++)
        if (read_symbol(d, a, &x) && !is_known(&c, 0, x))
            ok = add(&c, 0, x);
    ok = ok && (*text = describe(&c, err));
    for (int k = 0; level && k < c.points; k++)
        free(level[k].generator);
    return ok;
}
