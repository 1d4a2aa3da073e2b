#include "lab/pull.h"

#include <math.h>

#include "automata/algebra/monoid.h"
#include "lab/head.h"
#include "tensor/kernels/kernels.h"

/* The products of all pairs take 64 MiB. */
enum { MOST_FUNCTIONS = 4096 };
static const double FOLLOW = 0.1; /* share of the way that a centre goes in a step */

/* What is counted of a level: distances from the centres of those that have one. */
typedef struct {
    long long vectors, wrong, near;
    double squares, reach;
} Tally;

/* What one shard adds up. */
typedef struct {
    double *sum;   /* (functions, dim) of vectors */
    double *count; /* whole numbers */
    double loss;   /* of the head */
    Tally level[TH_TRAIN_LEVELS];
} Shard;

struct ThTrainPull {
    ThTrainPullHow how;
    int dim, chunk, n; /* n: functions */
    int *of_symbol, *product;
    double *centre;   /* (n, dim) */
    int *column;      /* (n): of the head; -1: no vector has had this function yet */
    int columns;      /* in use: in the order in which functions were met */
    bool open;        /* the last step's loss was below the gate */
    ThTrainHead head; /* (dim, n) */
    Shard *shard;
};

/* ---- making ---- */

static bool fill_products(ThTrainPull *p, const ThTask *t, ThError *err)
{
    const ThDfa *machine = th_task_machine(t, err);
    ThDfa *minimal TH_OWNED(th_dfa_free) = machine ? th_dfa_minimize(machine, NULL, err) : NULL;
    ThMonoid *m TH_OWNED(th_monoid_free) =
        minimal ? th_monoid_new(minimal, MOST_FUNCTIONS, NULL, err) : NULL;
    bool ok = m != NULL;
    if (ok) {
        p->n = m->size;
        p->of_symbol = th_copy(m->right, (size_t)m->n_symbols, sizeof *m->right, err);
        p->product = th_alloc((size_t)p->n * (size_t)p->n, sizeof *p->product, err);
        ok = p->of_symbol && p->product;
    }
    for (int i = 0; ok && i < p->n * p->n; i++)
        p->product[i] = th_monoid_product(m, i / p->n, i % p->n);
    return ok;
}

static bool take_shards(ThTrainPull *p, ThError *err)
{
    size_t n = (size_t)p->n, dim = (size_t)p->dim;
    p->shard = th_alloc((size_t)p->how.shards, sizeof *p->shard, err);
    for (int i = 0; p->shard && i < p->how.shards; i++) {
        Shard *s = &p->shard[i];
        s->sum = th_alloc(n * dim, sizeof *s->sum, err);
        s->count = th_alloc(n, sizeof *s->count, err);
        if (!s->sum || !s->count)
            return false;
    }
    return p->shard != NULL;
}

static bool fits(const ThModel *m, ThError *err)
{
    if (m->kind->combine && th_option_int(&m->options, "layers_per_level") == 1)
        return true;
    return th_fail(err, TH_EUSAGE,
                   "centre_loss= and auxiliary_loss= are about a tree of vectors, which this model "
                   "has not") ||
           th_hint(err, "regulargpt with layers_per_level=1 has one");
}

ThTrainPull *th_train_pull_new(const ThModel *m, const ThTask *t, const ThTrainPullHow *how,
                               ThError *err)
{
    if (!fits(m, err))
        return NULL;
    ThTrainPull *p = th_alloc(1, sizeof *p, err);
    if (!p)
        return NULL;
    p->how = *how;
    p->dim = (int)th_option_int(&m->options, "dim");
    p->chunk = (int)th_option_int(&m->options, "arity");
    p->open = how->gate == 0;
    bool ok = fill_products(p, t, err) &&
              th_train_head_init(&p->head, p->dim, p->n, how->shards, err) && take_shards(p, err);
    if (ok) {
        p->centre = th_alloc((size_t)p->n * (size_t)p->dim, sizeof *p->centre, err);
        p->column = th_alloc((size_t)p->n, sizeof *p->column, err);
        ok = p->centre && p->column;
    }
    for (int i = 0; ok && i < p->n; i++)
        p->column[i] = -1;
    return TH_KEEP_IF(ok, p, th_train_pull_free);
}

void th_train_pull_free(ThTrainPull *p)
{
    if (!p)
        return;
    for (int i = 0; p->shard && i < p->how.shards; i++) {
        TH_FREE(p->shard[i].sum, p->shard[i].count);
    }
    TH_FREE(p->shard, p->of_symbol, p->product, p->centre, p->column);
    th_train_head_free(&p->head);
    free(p);
}

/* ---- a shard's run ---- */

/* The function of a node: that of its children, the earliest first; those that are missing or pads
 * do nothing. */
static int label_of(const ThTrainPull *p, const ThModelRoutingStage *s, int i, const int *below)
{
    int label = -1, C = p->chunk;
    for (int k = C - 1; k >= 0; k--) {
        int row = s->key[i * C + k];
        if (row < 0 || row == s->n_before)
            continue;
        label = label < 0 ? below[row] : p->product[label * p->n + below[row]];
    }
    return label;
}

/* What stands still while the vectors of a level are gone through. */
typedef struct {
    ThTrainPull *p;
    Shard *s;
    const ThTrainShard *how;
    Tally *tally;
    double scale; /* one over the vectors of the level, the levels and the shards */
} Level;

static void add_pull(const Level *v, const float *z, int label, float *slope)
{
    const ThTrainPull *p = v->p;
    int d = p->dim;
    v->s->count[label]++;
    for (int k = 0; k < d; k++)
        v->s->sum[label * d + k] += (double)z[k];
    if (p->column[label] < 0)
        return;
    double by = p->open ? 2 * p->how.pull * v->scale : 0, squares = 0;
    for (int k = 0; k < d; k++) {
        double far = (double)z[k] - p->centre[label * d + k];
        squares += far * far;
        slope[k] += (float)(by * far);
    }
    v->tally->near++;
    v->tally->squares += squares;
    v->tally->reach = fmax(v->tally->reach, squares);
}

static int largest(const float *x, int n)
{
    int at = 0;
    for (int k = 1; k < n; k++)
        if (x[k] > x[at])
            at = k;
    return at;
}

/* Shares of the head for every vector less one for the right function: slopes by what the head
 * says, into `share`, which holds what it says.  Functions that were not met before wait. */
static void judge(const Level *v, float *share, int n, const int *label)
{
    size_t F = (size_t)v->p->columns;
    for (int i = 0; i < n; i++) {
        float *row = share + (size_t)i * F;
        int right = v->p->column[label[i]];
        v->tally->wrong += right < 0 || largest(row, (int)F) != right;
        if (right < 0) {
            memset(row, 0, F * sizeof *row);
            continue;
        }
        double said = (double)row[right];
        v->s->loss += v->scale * ((double)th_kernel_softmax(row, (int)F) - said);
        row[right] -= 1;
    }
    th_kernel_scale(share, share, (float)(v->p->how.auxiliary * v->scale), (size_t)n * F);
}

/* The head on vectors with noise: its gradient, and the slopes by the vectors. */
static bool add_auxiliary(const Level *v, ThTape *t, const ThModelRoutingStage *s, const int *label,
                          float *slope)
{
    ThTrainPull *p = v->p;
    int d = p->dim, F = p->columns;
    size_t size = (size_t)s->n * (size_t)d;
    const float *z = th_tape_floats(t, s->output);
    float *noisy = th_tape_take(t, size, sizeof *noisy);
    float *share = th_tape_take(t, (size_t)s->n * (size_t)F, sizeof *share);
    if (!noisy || !share)
        return false;
    for (size_t k = 0; k < size; k++)
        noisy[k] = z[k] + (float)(v->how->noise > 0 ? v->how->noise * th_rng_normal(v->how->r) : 0);
    th_train_head_say(&p->head, noisy, s->n, F, share);
    judge(v, share, s->n, label);
    th_train_head_back(&p->head, v->how->shard, noisy, share, s->n, F, slope);
    return true;
}

/* Returns the slopes of both losses by the vectors of a stage, on the tape; fills their labels. */
static float *find_slopes(const Level *v, ThTape *t, const ThModelRoutingStage *s, const int *below,
                          int *label)
{
    int d = v->p->dim;
    const float *z = th_tape_floats(t, s->output);
    float *slope = th_tape_take(t, (size_t)s->n * (size_t)d, sizeof *slope);
    if (!z || !slope)
        return NULL;
    memset(slope, 0, (size_t)s->n * (size_t)d * sizeof *slope);
    for (int i = 0; i < s->n; i++) {
        label[i] = label_of(v->p, s, i, below);
        add_pull(v, z + i * d, label[i], slope + i * d);
    }
    if (v->p->how.auxiliary > 0 && v->p->columns > 0 && !add_auxiliary(v, t, s, label, slope))
        return NULL;
    return slope;
}

/* Adds a level's losses, and fills its labels. */
static ThVar add_stage(const Level *v, ThTape *t, const ThModelRoutingStage *s, ThVar loss,
                       const int *below, int *label)
{
    const float *slope = find_slopes(v, t, s, below, label);
    return slope ? th_train_add_slopes(t, loss, s->output, slope) : -1;
}

ThVar th_train_pull_add(ThTrainPull *p, ThTape *t, const ThModelRouting *routing, ThVar loss,
                        const ThTrainShard *how)
{
    Shard *s = &p->shard[how->shard];
    s->loss = 0;
    th_train_head_begin(&p->head, how->shard);
    memset(s->sum, 0, (size_t)p->n * (size_t)p->dim * sizeof *s->sum);
    memset(s->count, 0, (size_t)p->n * sizeof *s->count);
    int *below = th_tape_take(t, (size_t)routing->n_inputs, sizeof *below);
    for (int i = 0; below && i < routing->n_inputs; i++)
        below[i] = p->of_symbol[routing->input[i]];
    for (int i = 0; below && loss >= 0 && i < routing->n_stages; i++) {
        const ThModelRoutingStage *stage = &routing->stage[i];
        Tally *tally = &s->level[i < TH_TRAIN_LEVELS ? i : TH_TRAIN_LEVELS - 1];
        tally->vectors += stage->n;
        Level v = {p, s, how, tally, 1.0 / stage->n / routing->n_stages / p->how.shards};
        int *label = th_tape_take(t, (size_t)stage->n, sizeof *label);
        loss = label ? add_stage(&v, t, stage, loss, below, label) : -1;
        below = label;
    }
    return below ? loss : -1;
}

/* ---- after a step ---- */

static void move_centre(ThTrainPull *p, int label)
{
    double count = p->shard[0].count[label], *centre = &p->centre[label * p->dim];
    const double *sum = p->shard[0].sum + label * p->dim;
    if (count == 0)
        return;
    for (int k = 0; k < p->dim; k++)
        centre[k] += (p->column[label] >= 0 ? FOLLOW : 1) * (sum[k] / count - centre[k]);
    if (p->column[label] < 0)
        p->column[label] = p->columns++;
}

/* Adds up what the shards have, in their order, in the first one. */
static void add_up(ThTrainPull *p)
{
    Shard *all = &p->shard[0];
    size_t n = (size_t)p->n, size = n * (size_t)p->dim;
    for (int i = 1; i < p->how.shards; i++) {
        const Shard *s = &p->shard[i];
        all->loss += s->loss;
        for (size_t k = 0; k < n; k++)
            all->count[k] += s->count[k];
        for (size_t k = 0; k < size; k++)
            all->sum[k] += s->sum[k];
    }
}

void th_train_pull_step(ThTrainPull *p, double loss, double rate)
{
    add_up(p);
    loss += p->shard[0].loss;
    for (int label = 0; label < p->n; label++)
        move_centre(p, label);
    p->open = p->how.gate == 0 || loss < p->how.gate;
    if (p->how.auxiliary > 0)
        th_train_head_step(&p->head, rate);
}

/* ---- as numbers ---- */

/* Centres, columns and the head follow. */
enum { FUNCTIONS, DIM, COLUMNS, OPEN, UPDATES, FIRST };

size_t th_train_pull_size(const ThTrainPull *p)
{
    return FIRST + (size_t)p->n * (size_t)(p->dim + 1) + th_train_head_size(&p->head);
}

void th_train_pull_write(const ThTrainPull *p, double *to)
{
    size_t centres = (size_t)p->n * (size_t)p->dim;
    to[FUNCTIONS] = p->n;
    to[DIM] = p->dim;
    to[COLUMNS] = p->columns;
    to[OPEN] = p->open;
    to[UPDATES] = (double)p->head.updates;
    memcpy(to + FIRST, p->centre, centres * sizeof *to);
    to += FIRST + centres;
    for (int i = 0; i < p->n; i++)
        *to++ = p->column[i];
    th_train_head_write(&p->head, to);
}

static bool is_between(double x, double least, double most)
{
    return x >= least && x <= most && x == floor(x);
}

bool th_train_pull_read(ThTrainPull *p, const double *from, size_t n)
{
    size_t centres = (size_t)p->n * (size_t)p->dim;
    const double *column = from + FIRST + centres;
    bool fits = n == th_train_pull_size(p) && from[FUNCTIONS] == p->n && from[DIM] == p->dim &&
                is_between(from[COLUMNS], 0, p->n) && is_between(from[UPDATES], 0, 1e15);
    for (int i = 0; fits && i < p->n; i++)
        fits = is_between(column[i], -1, from[COLUMNS] - 1);
    if (!fits)
        return false;
    p->columns = (int)from[COLUMNS];
    p->open = from[OPEN] != 0;
    p->head.updates = (long long)from[UPDATES];
    memcpy(p->centre, from + FIRST, centres * sizeof *from);
    for (int i = 0; i < p->n; i++)
        p->column[i] = (int)column[i];
    th_train_head_read(&p->head, column + p->n);
    return true;
}

/* ---- what has become of it ---- */

static ThTrainLevel level_of(const ThTrainPull *p, int level)
{
    Tally all = {0};
    for (int i = 0; i < p->how.shards; i++) {
        const Tally *t = &p->shard[i].level[level];
        all.vectors += t->vectors;
        all.wrong += t->wrong;
        all.near += t->near;
        all.squares += t->squares;
        all.reach = fmax(all.reach, t->reach);
    }
    return (ThTrainLevel){.vectors = all.vectors,
                          .wrong = p->how.auxiliary > 0 ? (double)all.wrong / (double)all.vectors
                                                        : (double)NAN,
                          .spread = all.near > 0 ? sqrt(all.squares / (double)all.near) : 0,
                          .reach = sqrt(all.reach)};
}

/* Square of the distance of a centre from the nearest other one; infinite: there is no other. */
static double nearest_other(const ThTrainPull *p, int label)
{
    double least = HUGE_VAL;
    const double *a = p->centre + label * p->dim;
    for (int other = 0; other < p->n; other++) {
        const double *b = p->centre + other * p->dim;
        double squares = 0;
        for (int k = 0; k < p->dim; k++)
            squares += (a[k] - b[k]) * (a[k] - b[k]);
        if (other != label && p->column[other] >= 0)
            least = fmin(least, squares);
    }
    return least;
}

void th_train_pull_report(ThTrainPull *p, ThTrainLevels *to)
{
    to->functions = p->columns;
    to->nearest = HUGE_VAL;
    while (to->n < TH_TRAIN_LEVELS && level_of(p, to->n).vectors > 0) {
        to->level[to->n] = level_of(p, to->n);
        to->n++;
    }
    for (int label = 0; label < p->n; label++) {
        bool met = p->column[label] >= 0;
        double distance = met ? sqrt(nearest_other(p, label)) : 0;
        to->mean += distance;
        if (met)
            to->nearest = fmin(to->nearest, distance);
    }
    bool several = to->functions > 1;
    to->mean = several ? to->mean / to->functions : 0;
    to->nearest = several ? to->nearest : 0;
    for (int i = 0; i < p->how.shards; i++)
        memset(p->shard[i].level, 0, sizeof p->shard[i].level);
}
