#include "lab/contract.h"

#include <math.h>

#include "lab/label_pairs.h"
#include "lab/slopes.h"
#include "proof/cell/cell_sample.h"
#include "proof/matrix.h"
#include "tensor/kernels/kernels.h"

enum {
    COPIES = 16,    /* of a cell's pairs, which are few: points in more directions */
    AT_ONCE = 2048, /* pairs of a step: of more, half are those that were farthest off, half drawn;
                       where F bends beside the centres of those left out, nothing holds it flat */
    MOST_KEPT =
        1 << 17 /* pairs; of more each is met too seldom for its direction to be worth room */
};
static const double FOLLOW = 0.05;  /* share of the way that a centre goes in a step */
static const double UNSEEN = 1e300; /* a distance; files hold finite numbers */
static const double WIDEST = 4;     /* balls have radius to WIDEST·radius: drawn anew each step, so
                                       that the centres' own errors count as well as bends of F */

typedef ThTrainPair Pair;

/* A shard's pairs, those of the present step, and what it adds up. */
typedef struct {
    int from, all;
    int row;         /* of directions that are not kept: its first one */
    int *pick, n;    /* (n): pairs of the step */
    int most;        /* n at most */
    ThVar input;     /* (2n, dim): points for x, then for y */
    double *radius;  /* (n): drawn */
    double *slope;   /* (2n, dim): of the loss by the points; n at most `most` */
    double *sum;     /* (labels, dim) of what F gave */
    double *count;   /* (labels): whole numbers */
    double farthest; /* of distances from where they should be, in radii, since the last report: */
    double far;      /* greatest, sum */
    double seen;     /* and how many */
} Shard;

struct ThTrainContract {
    ThTrainContractHow how;
    const ThModel *m;
    bool cell;                     /* not a tree: y of a pair is a symbol */
    int dim, labels, n_symbols, n; /* n: pairs */
    Pair *pair;
    ThProofLabels *l; /* of a tree */
    double *centre;   /* (labels, dim) */
    double *spread;   /* (symbols): of a cell's centres behind a symbol, which keep it: states that
                         become one are no way to contract */
    double *mean;     /* (dim): room */
    double *apart; /* (labels): of a tree's centres, how far from its nearest rival each began: two
                      rivals stay as far from each other as the less of theirs */
    int rows;      /* n, or where directions are drawn anew each step, for the pairs of a step */
    float *away;   /* (2, rows, dim): from the centres of x and y to the points; of length 1 */
    double *far;   /* (n): how far, in radii, F was from the product's centre the last time */
    Shard *shard;
};

/* ---- making ---- */

/* Of a tree: do two labels have to be told apart? */
static bool rivals(const ThTrainContract *c, int i, int j)
{
    return c->l->kind[i] == c->l->kind[j] && !th_proof_labels_same_map(c->l, i, j);
}

static double distance_between(const ThTrainContract *c, int i, int j)
{
    return th_proof_length_between(c->centre + i * c->dim, c->centre + j * c->dim, c->dim);
}

static void find_rivals(ThTrainContract *c)
{
    for (int i = 0; i < c->labels; i++) {
        c->apart[i] = UNSEEN;
        for (int j = 0; j < c->labels; j++)
            if (rivals(c, i, j))
                c->apart[i] = fmin(c->apart[i], distance_between(c, i, j));
    }
}

/* Where certify would begin. */
static bool find_centres(ThTrainContract *c, ThError *err)
{
    ThProofMap *f TH_OWNED(th_proof_map_free) = th_proof_map_new(c->m, err);
    c->dim = f ? f->dim : 0;
    c->centre = th_alloc((size_t)c->labels * (size_t)c->dim, sizeof *c->centre, err);
    c->apart = th_alloc((size_t)c->labels, sizeof *c->apart, err);
    if (!f || !c->centre || !c->apart || !th_train_sample_centres(f, c->l, c->centre, err))
        return false;
    find_rivals(c);
    return true;
}

static bool list_steps(ThTrainContract *c, const ThDfa *machine, ThError *err)
{
    c->n_symbols = machine->n_symbols;
    c->labels = machine->n_states * c->n_symbols;
    c->pair = th_train_steps(machine, COPIES, &c->n, err);
    return c->pair != NULL;
}

/* How many there are without the copies of a cell's, which follow them. */
static int different_pairs(const ThTrainContract *c)
{
    return c->cell ? c->n / COPIES : c->n;
}

/* Fills mean (dim) with that of the centres that steps by a symbol lead to.  Returns how far these
 * are spread about it. */
static double spread_of(const ThTrainContract *c, int symbol, double *mean)
{
    double squares = 0;
    int n = 0, pairs = different_pairs(c);
    memset(mean, 0, (size_t)c->dim * sizeof *mean);
    for (int i = 0; i < pairs; i++) {
        if (c->pair[i].y != symbol)
            continue;
        n++;
        for (int k = 0; k < c->dim; k++)
            mean[k] += (c->centre[c->pair[i].into * c->dim + k] - mean[k]) / n;
    }
    for (int i = 0; i < pairs; i++)
        for (int k = 0; c->pair[i].y == symbol && k < c->dim; k++)
            squares += pow(c->centre[c->pair[i].into * c->dim + k] - mean[k], 2);
    return sqrt(squares);
}

static bool find_states(ThTrainContract *c, const ThDfa *machine, ThError *err)
{
    ThProofCell *f TH_OWNED(th_proof_cell_free) = th_proof_cell_new(c->m, err);
    ThProofSample s TH_OWNED(th_proof_sample_free) = {0};
    c->dim = f ? f->dim : 0;
    c->centre = th_alloc((size_t)c->labels * (size_t)c->dim, sizeof *c->centre, err);
    c->mean = th_alloc((size_t)c->dim, sizeof *c->mean, err);
    c->spread = th_alloc((size_t)c->n_symbols, sizeof *c->spread, err);
    if (!f || !c->centre || !c->mean || !c->spread || !th_proof_cell_sample(f, machine, 1, &s, err))
        return false;
    th_proof_cell_behind(&s, c->n_symbols, c->n_symbols, 1);
    for (int i = 0; i < c->labels; i++)
        th_proof_sample_centre(&s, i, c->centre + i * c->dim, NULL);
    for (int a = 0; a < c->n_symbols; a++)
        c->spread[a] = spread_of(c, a, c->mean);
    return true;
}

static bool keeps_directions(const ThTrainContract *c)
{
    return c->n <= MOST_KEPT;
}

static void draw_direction(ThRng *r, float *v, int dim)
{
    for (int k = 0; k < dim; k++)
        v[k] = (float)th_rng_normal(r);
    th_kernel_scale(v, v, (float)(1 / sqrt(th_kernel_sum_squares(v, (size_t)dim))), (size_t)dim);
}

static bool draw_directions(ThTrainContract *c, ThError *err)
{
    ThRng r = th_rng(1, "train.contract", 0);
    c->rows = keeps_directions(c) ? c->n : AT_ONCE;
    size_t n = 2 * (size_t)c->rows, d = (size_t)c->dim;
    c->away = th_alloc(n * d, sizeof *c->away, err);
    c->far = th_alloc((size_t)c->n, sizeof *c->far, err);
    for (int i = 0; c->far && i < c->n; i++)
        c->far[i] = UNSEEN; /* each is seen once before others are seen twice */
    for (size_t i = 0; c->away && i < n; i++)
        draw_direction(&r, c->away + i * d, c->dim);
    return c->away && c->far;
}

static bool take_shards(ThTrainContract *c, ThError *err)
{
    int shards = c->how.shards;
    size_t d = (size_t)c->dim;
    c->shard = th_alloc((size_t)shards, sizeof *c->shard, err);
    for (int i = 0; c->shard && i < shards; i++) {
        Shard *s = &c->shard[i];
        s->from = (int)((long long)c->n * i / shards);
        s->all = (int)((long long)c->n * (i + 1) / shards) - s->from;
        s->most = s->all < AT_ONCE / shards ? s->all : AT_ONCE / shards;
        s->row = AT_ONCE / shards * i;
        s->pick = th_alloc((size_t)s->all + 1, sizeof *s->pick, err);
        s->radius = th_alloc((size_t)s->most + 1, sizeof *s->radius, err);
        s->slope = th_alloc(2 * ((size_t)s->most + 1) * d, sizeof *s->slope, err);
        s->sum = th_alloc((size_t)c->labels * d, sizeof *s->sum, err);
        s->count = th_alloc((size_t)c->labels, sizeof *s->count, err);
        if (!s->pick || !s->radius || !s->slope || !s->sum || !s->count)
            return false;
        for (int k = 0; k < s->all; k++)
            s->pick[k] = s->from + k;
    }
    return c->shard != NULL;
}

/* Lists what takes what into what, and finds the centres. */
static bool read_task(ThTrainContract *c, const ThTask *t, ThError *err)
{
    if (!c->cell) {
        c->l = th_train_labels(t, c->m->signature.n_classes, err);
        c->pair = c->l ? th_train_pairs(c->l, &c->n, err) : NULL;
        c->labels = c->l ? c->l->n : 0;
        c->n_symbols = c->l ? c->l->n_symbols : 0;
        return c->pair && find_centres(c, err);
    }
    const ThDfa *machine = th_task_machine(t, err);
    ThDfa *minimal TH_OWNED(th_dfa_free) = machine ? th_dfa_minimize(machine, NULL, err) : NULL;
    return minimal && list_steps(c, minimal, err) && find_states(c, minimal, err);
}

ThTrainContract *th_train_contract_new(const ThModel *m, const ThTask *t,
                                       const ThTrainContractHow *how, ThError *err)
{
    ThTrainContract *c = th_alloc(1, sizeof *c, err);
    bool ok = c != NULL;
    if (ok) {
        c->how = *how;
        c->m = m;
        c->cell = m->kind->advance != NULL;
        ok = read_task(c, t, err) && draw_directions(c, err) && take_shards(c, err);
    }
    return TH_KEEP_IF(ok, c, th_train_contract_free);
}

void th_train_contract_free(ThTrainContract *c)
{
    if (!c)
        return;
    for (int i = 0; c->shard && i < c->how.shards; i++) {
        Shard *s = &c->shard[i];
        TH_FREE(s->pick, s->radius, s->slope, s->sum, s->count);
    }
    th_proof_labels_free(c->l);
    TH_FREE(c->shard, c->pair, c->centre, c->mean, c->spread, c->apart, c->away, c->far, c);
}

/* ---- a shard's run ---- */

/* Chooses the pairs of the step: all, or the farthest and some of the others. */
static void choose_pairs(const ThTrainContract *c, Shard *s, ThRng *r)
{
    s->n = s->most;
    if (s->most == s->all)
        return;
    for (int k = 0; k < s->all; k++)
        s->pick[k] = s->from + k;
    th_train_choose_far(c->far, s->pick, s->all, s->most / 2, s->n, r);
}

/* The direction in which the point for the step's pair i lies: side 0 for x, 1 for y. */
static float *away_of(const ThTrainContract *c, const Shard *s, int side, int i)
{
    int own = keeps_directions(c) ? s->pick[i] : s->row + i;
    size_t row = (size_t)side * (size_t)c->rows + (size_t)own;
    return c->away + row * (size_t)c->dim;
}

/* The sides of a pair that are vectors. */
static int sides(const ThTrainContract *c)
{
    return c->cell ? 1 : 2;
}

/* Draws the radii, and on which side of the centres the points lie.  What a cell begins with is one
 * point, and what is next to it lies in the smallest ball. */
static void place_points(const ThTrainContract *c, const Shard *s, ThRng *r, float *to)
{
    int d = c->dim;
    for (int i = 0; i < s->n; i++) {
        const Pair *p = &c->pair[s->pick[i]];
        bool first = c->cell && p->x < 0;
        double by = s->radius[i] = c->how.radius * pow(WIDEST, first ? 0 : th_rng_uniform(r));
        by = th_rng_below(r, 2) ? by : -by;
        for (int side = 0; side < sides(c); side++) {
            int label = side == 0 ? p->x : p->y;
            float *away = away_of(c, s, side, i);
            if (!keeps_directions(c))
                draw_direction(r, away, d);
            float *z = to + (size_t)(side * s->n + i) * (size_t)d;
            if (label < 0)
                th_train_before(c->m, z, d);
            for (int k = 0; label >= 0 && k < d; k++)
                z[k] = (float)(c->centre[label * d + k] + by * (double)away[k]);
        }
    }
}

/* A vector that should be near the centre of `into`, and the slope of the loss by it. */
typedef struct {
    const float *z;
    float *slope;
    int into;
    double radius, far, weight; /* far: in radii */
} Row;

static double distance_of(const ThTrainContract *c, const Row *w)
{
    const double *centre = c->centre + w->into * c->dim;
    double squares = 0;
    for (int k = 0; k < c->dim; k++) {
        double off = (double)w->z[k] - centre[k];
        squares += off * off;
    }
    return sqrt(squares);
}

/* Fills the slopes: the loss is a mean of radius·far², in which those count more that are farther,
 * for one is enough to spoil a proof; beyond one radius all pull alike, so that what is not yet
 * learned does not drown the rest.  Of all weight that there is, `share` is these rows'. */
static void find_slopes(ThTrainContract *c, Shard *s, Row *row, int n, double share)
{
    double total = 0;
    for (int i = 0; i < n; i++) {
        Row *w = &row[i];
        w->far = distance_of(c, w) / w->radius;
        w->weight = 1e-3 + (w->far < 1 ? pow(w->far, 6) : 1 / w->far);
        total += w->weight;
        s->farthest = fmax(s->farthest, w->far);
        s->far += w->far;
    }
    s->seen += n;
    for (int i = 0; i < n; i++) {
        const Row *w = &row[i];
        const double *centre = c->centre + w->into * c->dim;
        double by = 2 * c->how.weight * share * w->weight / total / w->radius;
        s->count[w->into] += w->weight / w->radius;
        for (int k = 0; k < c->dim; k++) {
            w->slope[k] = (float)(by * ((double)w->z[k] - centre[k]));
            s->sum[w->into * c->dim + k] += w->weight / w->radius * (double)w->z[k];
        }
    }
}

/* Vectors on the tape and the slopes by them. */
typedef struct {
    ThVar z;
    int n;
    const float *value;
    float *slope;
} Block;

static Block block_of(ThTape *t, ThVar z, int n)
{
    size_t size = (size_t)n * (size_t)(z < 0 ? 0 : th_tape_cols(t, z));
    Block b = {.z = z, .n = n};
    b.value = z < 0 ? NULL : th_tape_floats(t, z);
    b.slope = z < 0 ? NULL : th_tape_take(t, size, sizeof *b.slope);
    if (b.slope)
        memset(b.slope, 0, size * sizeof *b.slope);
    return b;
}

/* What F makes of the points of the shard's pairs. */
static Block run_pairs(ThTrainContract *c, Shard *s, ThTape *t, ThRng *r)
{
    int rows = sides(c) * s->n, *child = th_tape_take(t, (size_t)rows, sizeof *child);
    float *point = th_tape_take(t, (size_t)rows * (size_t)c->dim, sizeof *point);
    if (!point || !child)
        return (Block){.z = -1};
    place_points(c, s, r, point);
    s->input = th_tape_constant(t, rows, c->dim, point);
    if (c->cell) {
        for (int i = 0; i < s->n; i++)
            child[i] = c->pair[s->pick[i]].y;
        return block_of(t, c->m->kind->advance(c->m, t, s->input, child, s->n), s->n);
    }
    for (int i = 0; i < s->n; i++) {
        child[2 * i] = s->n + i;
        child[2 * i + 1] = c->pair[s->pick[i]].x < 0 ? -1 : i;
    }
    return block_of(t, c->m->kind->combine(c->m, t, s->input, child, s->n), s->n);
}

static Row row_of(const ThTrainContract *c, const Block *b, int i, int into, double radius)
{
    size_t at = (size_t)i * (size_t)c->dim;
    return (Row){.z = b->value + at, .slope = b->slope + at, .into = into, .radius = radius};
}

ThVar th_train_contract_add(ThTrainContract *c, ThTape *t, const ThModelRouting *routing, int shard,
                            ThRng *r, ThVar loss)
{
    Shard *s = &c->shard[shard];
    memset(s->sum, 0, (size_t)c->labels * (size_t)c->dim * sizeof *s->sum);
    memset(s->count, 0, (size_t)c->labels * sizeof *s->count);
    if (loss < 0)
        return -1;
    choose_pairs(c, s, r);
    Block pairs = s->n > 0 ? run_pairs(c, s, t, r) : (Block){.z = -1};
    Block lowest = {0};
    if (!c->cell)
        lowest = block_of(t, routing->stage[0].output, routing->stage[0].n);
    Row *row = th_tape_take(t, (size_t)pairs.n + (size_t)lowest.n, sizeof *row);
    if ((s->n > 0 && !pairs.slope) || (!c->cell && !lowest.slope) || !row)
        return -1;
    int n = 0;
    for (int i = 0; i < pairs.n; i++)
        row[n++] = row_of(c, &pairs, i, c->pair[s->pick[i]].into, s->radius[i]);
    /* Those of the lowest level lie in the smallest ball. */
    for (int i = 0; i < lowest.n; i++) {
        int into = th_train_lowest(c->l, routing, i);
        if (into >= 0)
            row[n++] = row_of(c, &lowest, i, into, c->how.radius);
    }
    find_slopes(c, s, row, n, (double)s->all / c->n);
    for (int i = 0; i < pairs.n; i++)
        c->far[s->pick[i]] = row[i].far;
    loss = pairs.n > 0 ? th_train_add_slopes(t, loss, pairs.z, pairs.slope) : loss;
    return lowest.n > 0 ? th_train_add_slopes(t, loss, lowest.z, lowest.slope) : loss;
}

void th_train_contract_turn(ThTrainContract *c, const ThTape *t, int shard)
{
    Shard *s = &c->shard[shard];
    if (s->n == 0 || !keeps_directions(c))
        return;
    th_tape_read_gradient(t, s->input, s->slope);
    for (int i = 0; i < sides(c) * s->n; i++) {
        const double *slope = s->slope + (size_t)i * (size_t)c->dim;
        float *away = away_of(c, s, i / s->n, i % s->n);
        double length = th_proof_length(slope, c->dim);
        for (int k = 0; length > 0 && k < c->dim; k++)
            away[k] = (float)(slope[k] / length);
    }
}

/* ---- after a step ---- */

/* Adds up what the shards have, in their order, in the first one. */
static void add_up(ThTrainContract *c)
{
    Shard *all = &c->shard[0];
    size_t labels = (size_t)c->labels, size = labels * (size_t)c->dim;
    for (int i = 1; i < c->how.shards; i++) {
        for (size_t k = 0; k < size; k++)
            all->sum[k] += c->shard[i].sum[k];
        for (size_t k = 0; k < labels; k++)
            all->count[k] += c->shard[i].count[k];
    }
}

/* A cell's centres as far from each other as they were. */
static void keep_spread(ThTrainContract *c, int symbol)
{
    double now = spread_of(c, symbol, c->mean), by = now > 0 ? c->spread[symbol] / now : 1;
    for (int i = symbol * c->dim; i < c->labels * c->dim; i += c->n_symbols * c->dim)
        for (int k = 0; k < c->dim; k++)
            c->centre[i + k] = c->mean[k] + by * (c->centre[i + k] - c->mean[k]);
}

/* A tree's rivals as far from each other as they were: to become one is the shortest way to
 * contract. */
static void keep_apart(ThTrainContract *c, int i, int j)
{
    double least = fmin(c->apart[i], c->apart[j]), now = distance_between(c, i, j);
    if (now >= least || now == 0)
        return;
    double *a = c->centre + i * c->dim, *b = c->centre + j * c->dim, by = (least / now - 1) / 2;
    for (int k = 0; k < c->dim; k++) {
        double off = by * (a[k] - b[k]);
        a[k] += off;
        b[k] -= off;
    }
}

void th_train_contract_step(ThTrainContract *c)
{
    add_up(c);
    for (int label = 0; label < c->labels; label++) {
        double count = c->shard[0].count[label], *centre = c->centre + label * c->dim;
        const double *sum = c->shard[0].sum + label * c->dim;
        for (int k = 0; count > 0 && k < c->dim; k++)
            centre[k] += FOLLOW * (sum[k] / count - centre[k]);
    }
    for (int a = 0; c->cell && a < c->n_symbols; a++)
        keep_spread(c, a);
    for (int i = 0; !c->cell && i < c->labels; i++)
        for (int j = 0; j < i; j++)
            if (rivals(c, i, j))
                keep_apart(c, i, j);
}

/* ---- as numbers ---- */

/* Centres, directions and distances follow, and how far centres are kept from each other. */
enum { LABELS, PAIRS, DIM, FIRST };

static size_t n_kept(const ThTrainContract *c)
{
    return c->cell ? (size_t)c->n_symbols : (size_t)c->labels;
}

size_t th_train_contract_size(const ThTrainContract *c)
{
    return FIRST + ((size_t)c->labels + 2 * (size_t)c->rows) * (size_t)c->dim + (size_t)c->n +
           n_kept(c);
}

void th_train_contract_write(const ThTrainContract *c, double *to)
{
    size_t centres = (size_t)c->labels * (size_t)c->dim,
           away = 2 * (size_t)c->rows * (size_t)c->dim;
    to[LABELS] = c->labels;
    to[PAIRS] = c->n;
    to[DIM] = c->dim;
    memcpy(to + FIRST, c->centre, centres * sizeof *to);
    for (size_t k = 0; k < away; k++)
        to[FIRST + centres + k] = (double)c->away[k];
    for (int i = 0; i < c->n; i++)
        to[FIRST + centres + away + (size_t)i] = c->far[i];
    memcpy(to + FIRST + centres + away + c->n, c->cell ? c->spread : c->apart,
           n_kept(c) * sizeof *to);
}

bool th_train_contract_read(ThTrainContract *c, const double *from, size_t n)
{
    size_t centres = (size_t)c->labels * (size_t)c->dim,
           away = 2 * (size_t)c->rows * (size_t)c->dim;
    if (n != th_train_contract_size(c) || from[LABELS] != c->labels || from[PAIRS] != c->n ||
        from[DIM] != c->dim)
        return false;
    memcpy(c->centre, from + FIRST, centres * sizeof *from);
    for (size_t k = 0; k < away; k++)
        c->away[k] = (float)from[FIRST + centres + k];
    for (int i = 0; i < c->n; i++)
        c->far[i] = from[FIRST + centres + away + (size_t)i];
    memcpy(c->cell ? c->spread : c->apart, from + FIRST + centres + away + c->n,
           n_kept(c) * sizeof *from);
    return true;
}

/* ---- what has become of it ---- */

void th_train_contract_report(ThTrainContract *c, ThTrainLevels *to)
{
    double far = 0, seen = 0;
    to->pairs = different_pairs(c);
    to->farthest = 0;
    for (int i = 0; i < c->how.shards; i++) {
        Shard *s = &c->shard[i];
        to->farthest = fmax(to->farthest, s->farthest);
        far += s->far;
        seen += s->seen;
        s->farthest = s->far = s->seen = 0;
    }
    to->far = seen > 0 ? far / seen : 0;
}
