#include "lab/pull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "automata/algebra/monoid.h"
#include "base/memory.h"
#include "tensor/optimizer.h"

enum { MOST_FUNCTIONS = 1024 };
static const double FOLLOW = 0.1; /* share of the way that a centre goes in a step */

/* What one shard adds up. */
typedef struct {
    double *sum; /* (functions, dim) of vectors */
    long long *count;
    float *gradient; /* of the head */
    double *share;   /* (functions): probabilities, then their slopes */
    double loss;     /* of the head */
} Shard;

struct ThTrainPull {
    ThTrainPullHow how;
    int dim, chunk, n; /* n: functions */
    int *of_symbol, *product;
    double *centre; /* (n, dim) */
    bool *met;      /* (n) */
    bool open;      /* the last step's loss was below the gate */
    ThParams head;  /* (dim, n) and (1, n) */
    float *slot[TH_OPTIMIZER_SLOTS];
    long long updates;
    Shard *shard;
};

/* ---- making ---- */

static bool fill_products(ThTrainPull *p, const ThTask *t, ThError *err)
{
    const ThDfa *machine = th_task_machine(t, err);
    ThDfa *minimal = machine ? th_dfa_minimize(machine, NULL, err) : NULL;
    ThMonoid *m = minimal ? th_monoid_new(minimal, MOST_FUNCTIONS, NULL, err) : NULL;
    bool ok = m != NULL;
    if (ok) {
        p->n = m->size;
        p->of_symbol = th_copy(m->right, (size_t)m->n_symbols, sizeof *m->right, err);
        p->product = th_alloc((size_t)p->n * (size_t)p->n, sizeof *p->product, err);
        ok = p->of_symbol && p->product;
    }
    for (int i = 0; ok && i < p->n * p->n; i++)
        p->product[i] = th_monoid_product(m, i / p->n, i % p->n);
    th_monoid_free(m);
    th_dfa_free(minimal);
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
        s->share = th_alloc(n, sizeof *s->share, err);
        s->gradient = th_params_floats(p->head.total, err);
        if (!s->sum || !s->count || !s->share || !s->gradient)
            return false;
    }
    return p->shard != NULL;
}

static bool make_head(ThTrainPull *p, ThError *err)
{
    return th_params_add(&p->head, "head", p->dim, p->n, TH_INIT_ZERO, 0, err) >= 0 &&
           th_params_add(&p->head, "bias", 1, p->n, TH_INIT_ZERO, 0, err) >= 0 &&
           th_params_allocate(&p->head, 1, NULL, err) &&
           (p->slot[0] = th_params_floats(p->head.total, err)) &&
           (p->slot[1] = th_params_floats(p->head.total, err));
}

static bool fits(const ThModel *m, ThError *err)
{
    if (m->kind->trees && th_option_int(&m->options, "thickness") == 1)
        return true;
    th_fail(err, TH_EUSAGE, "pull= and aux= are about a tree of vectors, which this model has not");
    return th_hint(err, "regulargpt with thickness=1 has one");
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
    p->chunk = (int)th_option_int(&m->options, "chunk");
    p->open = how->gate == 0;
    bool ok = fill_products(p, t, err) && make_head(p, err) && take_shards(p, err);
    if (ok) {
        p->centre = th_alloc((size_t)p->n * (size_t)p->dim, sizeof *p->centre, err);
        p->met = th_alloc((size_t)p->n, sizeof *p->met, err);
        ok = p->centre && p->met;
    }
    if (ok)
        return p;
    th_train_pull_free(p);
    return NULL;
}

void th_train_pull_free(ThTrainPull *p)
{
    if (!p)
        return;
    for (int i = 0; p->shard && i < p->how.shards; i++) {
        free(p->shard[i].sum);
        free(p->shard[i].count);
        free(p->shard[i].share);
        free(p->shard[i].gradient);
    }
    free(p->shard);
    free(p->of_symbol);
    free(p->product);
    free(p->centre);
    free(p->met);
    th_params_free(&p->head);
    free(p->slot[0]);
    free(p->slot[1]);
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
    const ThTrainPullShard *how;
    double scale; /* one over the vectors of the level, the levels and the shards */
} Level;

static void add_pull(const Level *v, const float *z, int label, float *slope)
{
    const ThTrainPull *p = v->p;
    int d = p->dim;
    v->s->count[label]++;
    for (int k = 0; k < d; k++)
        v->s->sum[label * d + k] += (double)z[k];
    if (!p->open || !p->met[label])
        return;
    double by = 2 * p->how.pull * v->scale;
    for (int k = 0; k < d; k++)
        slope[k] += (float)(by * ((double)z[k] - p->centre[label * d + k]));
}

/* Shares of the head for a vector, in s->share; the loss. */
static double judge(const Level *v, const float *z, int label)
{
    const ThTrainPull *p = v->p;
    const float *w = th_params_at(&p->head, 0), *bias = th_params_at(&p->head, 1);
    double *share = v->s->share, most = -HUGE_VAL, sum = 0;
    for (int c = 0; c < p->n; c++)
        share[c] = (double)bias[c];
    for (int k = 0; k < p->dim; k++)
        for (int c = 0; c < p->n; c++)
            share[c] += (double)z[k] * (double)w[k * p->n + c];
    for (int c = 0; c < p->n; c++)
        most = fmax(most, share[c]);
    double right = share[label] - most;
    for (int c = 0; c < p->n; c++)
        sum += share[c] = exp(share[c] - most);
    for (int c = 0; c < p->n; c++)
        share[c] /= sum;
    return log(sum) - right;
}

static void add_auxiliary(const Level *v, const float *z, int label, float *noisy, float *slope)
{
    const ThTrainPull *p = v->p;
    const float *w = th_params_at(&p->head, 0);
    float *dw = v->s->gradient + p->head.item[0].offset,
          *db = v->s->gradient + p->head.item[1].offset;
    for (int k = 0; k < p->dim; k++)
        noisy[k] = z[k] + (float)(v->how->noise > 0 ? v->how->noise * th_rng_normal(v->how->r) : 0);
    v->s->loss += v->scale * judge(v, noisy, label);
    double *share = v->s->share;
    share[label] -= 1;
    for (int c = 0; c < p->n; c++) {
        share[c] *= p->how.auxiliary * v->scale;
        db[c] += (float)share[c];
    }
    for (int k = 0; k < p->dim; k++) {
        double sum = 0;
        for (int c = 0; c < p->n; c++) {
            sum += share[c] * (double)w[k * p->n + c];
            dw[k * p->n + c] += (float)share[c] * noisy[k];
        }
        slope[k] += (float)sum;
    }
}

/* Returns the slopes of both losses by the vectors of a stage, on the tape; fills their labels. */
static float *find_slopes(const Level *v, ThTape *t, const ThModelRoutingStage *s, const int *below,
                          int *label)
{
    int d = v->p->dim;
    const float *z = th_tape_floats(t, s->output);
    float *slope = th_tape_take(t, (size_t)s->n * (size_t)d, sizeof *slope);
    float *noisy = th_tape_take(t, (size_t)d, sizeof *noisy);
    if (!z || !slope || !noisy)
        return NULL;
    memset(slope, 0, (size_t)s->n * (size_t)d * sizeof *slope);
    for (int i = 0; i < s->n; i++) {
        label[i] = label_of(v->p, s, i, below);
        add_pull(v, z + i * d, label[i], slope + i * d);
        if (v->p->how.auxiliary > 0)
            add_auxiliary(v, z + i * d, label[i], noisy, slope + i * d);
    }
    return slope;
}

/* Adds Σ slope·vector to the loss, slopes held still: so much for their way backwards. */
static ThVar add_stage(const Level *v, ThTape *t, const ThModelRoutingStage *s, ThVar loss,
                       const int *below, int *label)
{
    const float *slope = find_slopes(v, t, s, below, label);
    if (!slope)
        return -1;
    ThVar held = th_tape_constant(t, s->n, v->p->dim, slope);
    return th_op_add(t, loss, th_op_sum(t, th_op_multiply(t, s->output, held)));
}

ThVar th_train_pull_add(ThTrainPull *p, ThTape *t, const ThModelRouting *routing, ThVar loss,
                        const ThTrainPullShard *how)
{
    Shard *s = &p->shard[how->shard];
    s->loss = 0;
    memset(s->gradient, 0, p->head.total * sizeof *s->gradient);
    memset(s->sum, 0, (size_t)p->n * (size_t)p->dim * sizeof *s->sum);
    memset(s->count, 0, (size_t)p->n * sizeof *s->count);
    int *below = th_tape_take(t, (size_t)routing->n_inputs, sizeof *below);
    for (int i = 0; below && i < routing->n_inputs; i++)
        below[i] = p->of_symbol[routing->input[i]];
    for (int i = 0; below && loss >= 0 && i < routing->n_stages; i++) {
        const ThModelRoutingStage *stage = &routing->stage[i];
        Level v = {p, s, how, 1.0 / stage->n / routing->n_stages / p->how.shards};
        int *label = th_tape_take(t, (size_t)stage->n, sizeof *label);
        loss = label ? add_stage(&v, t, stage, loss, below, label) : -1;
        below = label;
    }
    return below ? loss : -1;
}

/* ---- after a step ---- */

static void move_centre(ThTrainPull *p, int label)
{
    long long count = 0;
    for (int i = 0; i < p->how.shards; i++)
        count += p->shard[i].count[label];
    if (count == 0)
        return;
    for (int k = 0; k < p->dim; k++) {
        double sum = 0, *centre = &p->centre[label * p->dim + k];
        for (int i = 0; i < p->how.shards; i++)
            sum += p->shard[i].sum[label * p->dim + k];
        *centre += (p->met[label] ? FOLLOW : 1) * (sum / (double)count - *centre);
    }
    p->met[label] = true;
}

void th_train_pull_step(ThTrainPull *p, double loss, double rate)
{
    float *gradient = p->shard[0].gradient;
    for (int i = 0; i < p->how.shards; i++) {
        loss += p->shard[i].loss;
        for (size_t k = 0; i > 0 && k < p->head.total; k++)
            gradient[k] += p->shard[i].gradient[k];
    }
    for (int label = 0; label < p->n; label++)
        move_centre(p, label);
    p->open = p->how.gate == 0 || loss < p->how.gate;
    ThOptimizerUpdate update = {.rule = th_optimizer_find("adam"),
                                .rate = rate,
                                .beta1 = 0.9,
                                .beta2 = 0.999,
                                .eps = 1e-8,
                                .clip = 1,
                                .step = ++p->updates};
    ThOptimizerState state = {.params = &p->head, .slot = p->slot, .gradient = gradient};
    if (p->how.auxiliary > 0)
        th_optimizer_update(&update, &state, 0, 1);
}
