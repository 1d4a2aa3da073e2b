#include "lab/product_table.h"

#include <math.h>

#include "lab/label_pairs.h"
#include "proof/cell/cell.h"
#include "tensor/kernels/blas.h"
#include "tensor/kernels/kernels.h"

enum {
    AT_ONCE = 2048, /* pairs of a step */
    ANEW = 100,     /* steps after which the distances of centres are measured again */
    COPIES = 16     /* of a cell's pairs, which are few: noise in more directions */
};
static const double HARD = 0.25;       /* the share of a step's pairs that were farthest off */
static const double SHARPNESS = 4;     /* of the softmax, where a mean gap between centres is 1 */
static const double FASTER = 5;        /* the centres' learning rate beside the parameters' */
static const double UNSEEN = 1e300;    /* a distance; files hold finite numbers */
static const float NEVER = -1e30F;     /* the logit of what is no choice */
static const double OTHER_BETA = 0.99; /* of Adam's second moments */
static const double REST = 0.01;       /* what a cell's row counts beside those that are far off */
static const float MOST = 0.9F;        /* of a cell's numbers: what it can come to in one step */

/* A shard's pairs, those of the present step, and what it adds up. */
typedef struct {
    int from, all;
    int *pick, n;    /* (all), of the step */
    int most;        /* n at most */
    ThVar input;     /* (2n, dim): centres of x, then of y */
    ThVar centre;    /* (labels, dim), of the first shard: centres whose answers are asked for */
    double *slope;   /* (2 most, dim), or (labels, dim) */
    float *gradient; /* (labels, dim) of the centres */
    double farthest, far, seen; /* since the last report: greatest, sum, how many */
} Shard;

struct ThTrainTable {
    const ThModel *m;
    double weight;
    int shards;
    ThProofLabels *l;   /* of a tree; NULL: of a cell, whose pairs' y are symbols */
    int labels, dim, n; /* n: pairs */
    int seen, n_seen;   /* the part of a vector that answers are read off */
    ThTrainPair *pair;
    int *kind;   /* (labels): ThProofKind; those of a cell are of one; -1: no vector has it */
    int *first;  /* (labels): of those that share a centre, which stands for them all */
    int *asked;  /* (n_asked): labels of which an answer is asked for */
    int *answer; /* (n_asked) */
    int n_asked;
    double *far; /* (n): how far a pair was from being right the last time; 0 and less: it was */
    ThParams centre; /* (labels, dim) */
    double *began;   /* (labels, dim): the centres before the first step */
    float *moment[2];
    long long updates;
    double sharp;   /* what the softmax has squares of distances multiplied by */
    float *scaled;  /* (labels, dim): centres times twice that, */
    float *bias[2]; /* (labels) each, by kind: and minus their squares, or NEVER */
    Shard *shard;
};

/* ---- centres ---- */

static float *centre_of(const ThTrainTable *p, int label)
{
    return p->centre.value + (size_t)p->first[label] * (size_t)p->dim;
}

static double square_distance(const float *a, const float *b, int dim)
{
    double squares = 0;
    for (int k = 0; k < dim; k++)
        squares += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return squares;
}

/* The mean distance of a centre from the nearest other one of its kind; 1: there are none. */
static double mean_gap(const ThTrainTable *p)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < p->labels; i++) {
        double least = HUGE_VAL;
        for (int j = 0; p->kind[i] >= 0 && p->first[i] == i && j < p->labels; j++)
            if (j != i && p->first[j] == j && p->kind[j] == p->kind[i])
                least = fmin(least, square_distance(centre_of(p, i), centre_of(p, j), p->dim));
        sum += isfinite(least) ? sqrt(least) : 0;
        n += isfinite(least);
    }
    return n > 0 && sum > 0 ? sum / n : 1;
}

/* What a step's softmax takes of the centres.  Those of a cell begin next to each other, and that
 * is nothing to go by. */
static void scale_centres(ThTrainTable *p)
{
    size_t d = (size_t)p->dim;
    if (!p->l || p->updates % ANEW == 0)
        p->sharp = SHARPNESS / pow(fmax(mean_gap(p), p->l ? 0 : 1), 2);
    th_kernel_scale(p->scaled, p->centre.value, (float)(2 * p->sharp), (size_t)p->labels * d);
    for (int i = 0; i < p->labels; i++) {
        double squares = th_kernel_sum_squares(p->centre.value + (size_t)i * d, d);
        for (int kind = 0; kind < 2; kind++)
            p->bias[kind][i] =
                p->first[i] == i && p->kind[i] == kind ? (float)(-p->sharp * squares) : NEVER;
    }
}

/* A cell's: what each symbol makes of some state, so that its numbers go together. */
static bool draw_centres(ThTrainTable *p, const ThProofCell *g, ThError *err)
{
    ThRng r = th_rng(p->m->training.seed, "train.table", 0);
    double *state TH_OWNED(free) = th_alloc((size_t)p->dim, sizeof *state, err);
    double *room TH_OWNED(free) = th_alloc(th_proof_cell_room(g), sizeof *room, err);
    for (int i = 0; state && room && i < p->labels; i++) {
        for (int k = 0; k < p->dim; k++)
            state[k] = (double)MOST * tanh(th_rng_normal(&r));
        th_proof_cell_apply(g, state, i % g->n_symbols, room, p->began + i * p->dim);
    }
    return state && room;
}

/* Those that the last training left; else of samples, or drawn. */
static bool find_centres(ThTrainTable *p, ThError *err)
{
    ThProofMap *f TH_OWNED(th_proof_map_free) = p->l ? th_proof_map_new(p->m, err) : NULL;
    ThProofCell *g TH_OWNED(th_proof_cell_free) = p->l ? NULL : th_proof_cell_new(p->m, err);
    p->dim = f ? f->dim : g ? g->dim : 0;
    p->seen = g ? g->dim - g->own : 0;
    p->n_seen = g ? g->width : p->dim;
    size_t size = (size_t)p->labels * (size_t)p->dim;
    if ((!f && !g) ||
        th_params_add(&p->centre, "centre", p->labels, p->dim, TH_INIT_ZERO, 0, err) < 0 ||
        !th_params_allocate(&p->centre, 1, NULL, err))
        return false;
    p->moment[0] = th_params_floats(p->centre.total, err);
    p->moment[1] = th_params_floats(p->centre.total, err);
    p->began = th_alloc(size, sizeof *p->began, err);
    if (!p->moment[0] || !p->moment[1] || !p->began)
        return false;
    const double *left = th_model_centres(p->m, p->labels, p->dim);
    if (left)
        memcpy(p->began, left, size * sizeof *left);
    else if (!(f ? th_train_sample_centres(f, p->l, p->began, err) : draw_centres(p, g, err)))
        return false;
    for (size_t k = 0; k < size; k++)
        p->centre.value[k] = (float)p->began[k];
    return true;
}

/* ---- making ---- */

static bool take_labels(ThTrainTable *p, int n, ThError *err)
{
    p->labels = n;
    p->kind = th_alloc((size_t)n, sizeof *p->kind, err);
    p->first = th_alloc((size_t)n, sizeof *p->first, err);
    p->asked = th_alloc((size_t)n, sizeof *p->asked, err);
    p->answer = th_alloc((size_t)n, sizeof *p->answer, err);
    return p->kind && p->first && p->asked && p->answer;
}

static void add_label(ThTrainTable *p, int i, int kind, int first, int answer)
{
    p->kind[i] = kind;
    p->first[i] = first;
    if (kind < 0 || answer < 0)
        return;
    p->asked[p->n_asked] = first;
    p->answer[p->n_asked++] = answer;
}

static bool list_products(ThTrainTable *p, const ThTask *t, ThError *err)
{
    ThProofLabels *l = p->l = th_train_labels(t, p->m->signature.n_classes, err);
    if (!l || !(p->pair = th_train_pairs(l, &p->n, err)) || !take_labels(p, l->n, err))
        return false;
    for (int i = 0; i < l->n; i++)
        add_label(p, i, (int)l->kind[i], th_proof_labels_first(l, i), l->answer[i]);
    return true;
}

static bool list_steps(ThTrainTable *p, const ThTask *t, ThError *err)
{
    const ThDfa *machine = th_task_machine(t, err);
    ThDfa *minimal TH_OWNED(th_dfa_free) = machine ? th_dfa_minimize(machine, NULL, err) : NULL;
    if (!minimal || !(p->pair = th_train_steps(minimal, COPIES, &p->n, err)))
        return false;
    int k = minimal->n_symbols, classes = p->m->signature.n_classes;
    if (!take_labels(p, minimal->n_states * k, err))
        return false;
    memset(p->kind, -1, (size_t)p->labels * sizeof *p->kind);
    for (int i = 0; i < p->n; i++)
        p->kind[p->pair[i].into] = TH_PROOF_COMPLETE;
    for (int i = 0; i < p->labels; i++) {
        int class = minimal->label[i / k];
        add_label(p, i, p->kind[i], i, class < classes ? class : -1);
    }
    return true;
}

static bool take_shards(ThTrainTable *p, ThError *err)
{
    size_t d = (size_t)p->dim, labels = (size_t)p->labels;
    p->shard = th_alloc((size_t)p->shards, sizeof *p->shard, err);
    for (int i = 0; p->shard && i < p->shards; i++) {
        Shard *s = &p->shard[i];
        s->from = (int)((long long)p->n * i / p->shards);
        s->all = (int)((long long)p->n * (i + 1) / p->shards) - s->from;
        s->most = s->all < AT_ONCE / p->shards ? s->all : AT_ONCE / p->shards;
        size_t rows = 2 * (size_t)s->most > labels ? 2 * (size_t)s->most : labels;
        s->farthest = -UNSEEN;
        s->pick = th_alloc((size_t)s->all + 1, sizeof *s->pick, err);
        s->slope = th_alloc(rows * d, sizeof *s->slope, err);
        s->gradient = th_params_floats(labels * d, err);
        if (!s->pick || !s->slope || !s->gradient)
            return false;
    }
    return p->shard != NULL;
}

static bool take_room(ThTrainTable *p, ThError *err)
{
    size_t n = (size_t)p->labels;
    p->far = th_alloc((size_t)p->n, sizeof *p->far, err);
    p->scaled = th_params_floats(n * (size_t)p->dim, err);
    p->bias[0] = th_params_floats(n, err);
    p->bias[1] = th_params_floats(n, err);
    for (int i = 0; p->far && i < p->n; i++)
        p->far[i] = UNSEEN; /* each is seen once before others are seen twice */
    return p->far && p->scaled && p->bias[0] && p->bias[1];
}

ThTrainTable *th_train_table_new(const ThModel *m, const ThTask *t, double weight, int shards,
                                 ThError *err)
{
    ThTrainTable *p = th_alloc(1, sizeof *p, err);
    if (!p)
        return NULL;
    p->m = m;
    p->weight = weight;
    p->shards = shards;
    bool ok = (m->kind->advance ? list_steps : list_products)(p, t, err) && find_centres(p, err) &&
              take_room(p, err) && take_shards(p, err);
    if (ok)
        scale_centres(p);
    return TH_KEEP_IF(ok, p, th_train_table_free);
}

void th_train_table_free(ThTrainTable *p)
{
    if (!p)
        return;
    for (int i = 0; p->shard && i < p->shards; i++)
        TH_FREE(p->shard[i].pick, p->shard[i].slope, p->shard[i].gradient);
    th_proof_labels_free(p->l);
    th_params_free(&p->centre);
    TH_FREE(p->shard, p->pair, p->kind, p->first, p->asked, p->answer, p->far, p->began,
            p->moment[0], p->moment[1], p->scaled, p->bias[0], p->bias[1], p);
}

/* ---- a shard's run ---- */

/* Chooses the pairs of the step: those that were farthest off, and some of the others. */
static void choose_pairs(const ThTrainTable *p, Shard *s, ThRng *r)
{
    s->n = s->most;
    for (int k = 0; k < s->all; k++)
        s->pick[k] = s->from + k;
    if (s->most == s->all)
        return;
    th_train_choose_far(p->far, s->pick, s->all, (int)(HARD * s->most), s->n, r);
}

/* What F makes of points near the centres of the shard's pairs. */
static ThVar run_pairs(const ThTrainTable *p, Shard *s, ThTape *t, const ThTrainShard *how)
{
    size_t d = (size_t)p->dim, n = (size_t)s->n, rows = p->l ? 2 * n : n;
    int *child = th_tape_take(t, 2 * n, sizeof *child);
    float *input = th_tape_take(t, rows * d, sizeof *input);
    if (!child || !input)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const ThTrainPair *pair = &p->pair[s->pick[i]];
        if (pair->x < 0)
            th_train_before(p->m, input + i * d, p->dim);
        else
            memcpy(input + i * d, centre_of(p, pair->x), d * sizeof *input);
        if (!p->l) {
            child[i] = pair->y;
            continue;
        }
        memcpy(input + (n + i) * d, centre_of(p, pair->y), d * sizeof *input);
        child[2 * i] = (int)(n + i);
        child[2 * i + 1] = pair->x < 0 ? -1 : (int)i;
    }
    for (size_t k = 0; how->noise > 0 && k < rows * d; k++)
        if (p->l || p->pair[s->pick[k / d]].x >= 0)
            input[k] += (float)(how->noise * th_rng_normal(how->r));
    s->input = th_tape_constant(t, (int)rows, p->dim, input);
    return (p->l ? p->m->kind->combine : p->m->kind->advance)(p->m, t, s->input, child, s->n);
}

/* Vectors that should be the centres of labels. */
typedef struct {
    ThVar z;
    int n, *label; /* -1: of no label */
    double weight; /* of each in the loss */
    double *far;   /* (n), or NULL: how far each is from being right */
} Rows;

/* Of a row of logits, the greatest beside that of the right label less that one. */
static double lead(const float *logit, int n, int right)
{
    float most = NEVER;
    for (int k = 0; k < n; k++)
        if (k != right && logit[k] > most)
            most = logit[k];
    return (double)most - (double)logit[right];
}

/* Logits become the slopes of the loss by them.  Of a cell a row counts the more the greater its
 * loss is: one that is wrong is enough to be wrong, and there are few. */
static void judge(const ThTrainTable *p, Shard *s, const Rows *rows, float *logit, double *count)
{
    int L = p->labels;
    double total = 0;
    for (int i = 0; i < rows->n; i++) {
        float *row = logit + (size_t)i * (size_t)L;
        int label = rows->label[i];
        if (label < 0) {
            memset(row, 0, (size_t)L * sizeof *row);
            continue;
        }
        int right = p->first[label];
        th_kernel_bias(row, p->bias[p->kind[label]], 1, L);
        if (rows->far) {
            rows->far[i] = lead(row, L, right);
            s->farthest = fmax(s->farthest, rows->far[i]);
            s->far += rows->far[i];
            s->seen++;
        }
        th_kernel_softmax(row, L);
        if (!p->l)
            total += count[i] = REST - log(fmax((double)row[right], 1e-30));
        row[right] -= 1;
    }
    for (int i = 0; i < rows->n; i++) {
        float *row = logit + (size_t)i * (size_t)L;
        double by = p->l ? rows->weight : rows->weight * rows->n * count[i] / total;
        th_kernel_scale(row, row, (float)by, (size_t)L);
    }
}

/* The centres' part as products: the slope of a logit by its centre is twice the sharpness, which
 * `by` has already, times what lies between. */
static void add_gradient(const ThTrainTable *p, Shard *s, const float *z, const float *by, int n,
                         float *column)
{
    int L = p->labels, d = p->dim;
    th_blas_gemm_tn(&(ThBlasGemm){L, d, n, L, d, d, 1}, by, z, s->gradient);
    th_kernel_column_sums(column, by, n, L, 0);
    for (int k = 0; k < L; k++)
        th_kernel_add_scaled(s->gradient + (size_t)k * (size_t)d,
                             p->centre.value + (size_t)k * (size_t)d, -column[k], (size_t)d);
}

/* A cell's vectors also come to their centres, and these to them, so that a run stays near them:
 * the square of the distance, in gaps, of which again those count most that are far. */
static void draw_near(const ThTrainTable *p, Shard *s, const Rows *rows, const float *z,
                      float *slope, double *count)
{
    const double by_gap = p->sharp / SHARPNESS, half = 0.25; /* of a gap, squared */
    double total = 0;
    for (int i = 0; i < rows->n; i++) {
        double square = square_distance(z + i * p->dim, centre_of(p, rows->label[i]), p->dim);
        total += count[i] = REST + fmin(1, square * by_gap / half);
    }
    for (int i = 0; i < rows->n; i++) {
        const float *centre = centre_of(p, rows->label[i]);
        float *to = s->gradient + rows->label[i] * p->dim;
        float by = (float)(rows->weight * rows->n * count[i] / total * 2 * by_gap);
        for (int k = 0; k < p->dim; k++) {
            float off = by * (z[i * p->dim + k] - centre[k]);
            slope[i * p->dim + k] += off;
            to[k] -= off;
        }
    }
}

/* Adds what rows have of the loss, and the gradient of the centres as products. */
static ThVar add_rows(const ThTrainTable *p, Shard *s, ThTape *t, const Rows *rows, ThVar loss)
{
    int L = p->labels, d = p->dim, n = rows->n;
    const float *z = rows->z < 0 ? NULL : th_tape_floats(t, rows->z);
    float *logit = th_tape_take(t, (size_t)n * (size_t)L, sizeof *logit);
    float *slope = th_tape_take(t, (size_t)n * (size_t)d, sizeof *slope);
    float *column = th_tape_take(t, (size_t)L, sizeof *column);
    double *count = th_tape_take(t, (size_t)n, sizeof *count);
    if (!z || !logit || !slope || !column || !count)
        return -1;
    th_blas_gemm_nt(&(ThBlasGemm){n, L, d, d, d, L, 0}, z, p->scaled, logit);
    judge(p, s, rows, logit, count);
    th_blas_gemm_nn(&(ThBlasGemm){n, d, L, L, d, d, 0}, logit, p->scaled, slope);
    th_kernel_scale(logit, logit, (float)(2 * p->sharp), (size_t)n * (size_t)L);
    if (p->l)
        add_gradient(p, s, z, logit, n, column);
    else
        draw_near(p, s, rows, z, slope, count);
    return th_train_add_slopes(t, loss, rows->z, slope);
}

static ThVar add_pairs(ThTrainTable *p, Shard *s, ThTape *t, const ThTrainShard *how, double weight,
                       ThVar loss)
{
    size_t n = (size_t)s->n;
    Rows rows = {run_pairs(p, s, t, how), s->n, th_tape_take(t, n, sizeof *rows.label), weight,
                 th_tape_take(t, n, sizeof *rows.far)};
    if (!rows.label || !rows.far)
        return -1;
    for (int i = 0; i < s->n; i++)
        rows.label[i] = p->pair[s->pick[i]].into;
    loss = add_rows(p, s, t, &rows, loss);
    for (int i = 0; loss >= 0 && i < s->n; i++)
        p->far[s->pick[i]] = rows.far[i];
    return loss;
}

static ThVar add_lowest(const ThTrainTable *p, Shard *s, ThTape *t, const ThModelRouting *routing,
                        double weight, ThVar loss)
{
    const ThModelRoutingStage *stage = &routing->stage[0];
    int n = stage->n;
    Rows rows = {stage->output, n, th_tape_take(t, (size_t)n, sizeof *rows.label), weight, NULL};
    if (!rows.label)
        return -1;
    for (int i = 0; i < n; i++)
        rows.label[i] = th_train_lowest(p->l, routing, i);
    return add_rows(p, s, t, &rows, loss);
}

/* Of the centres themselves: the answers that are read off them. */
static ThVar add_answers(const ThTrainTable *p, Shard *s, ThTape *t, ThVar loss)
{
    if (p->n_asked == 0)
        return loss;
    s->centre = th_tape_constant(t, p->labels, p->dim, p->centre.value);
    ThVar asked = th_op_rows(t, s->centre, p->asked, p->n_asked, 1);
    ThVar said = p->m->kind->answer(p->m, t, th_op_columns(t, asked, p->seen, p->n_seen));
    double scale = p->weight / p->n_asked;
    return th_op_add(t, loss, th_op_cross_entropy(t, said, p->answer, p->n_asked, scale));
}

ThVar th_train_table_add(ThTrainTable *p, ThTape *t, const ThModelRouting *routing,
                         const ThTrainShard *how, ThVar loss)
{
    Shard *s = &p->shard[how->shard];
    memset(s->gradient, 0, p->centre.total * sizeof *s->gradient);
    s->centre = -1;
    if (loss < 0)
        return -1;
    choose_pairs(p, s, how->r);
    /* The lowest level's are few and met every time: each counts as a pair of the step does. */
    double weight = p->weight / (p->n < AT_ONCE ? p->n : AT_ONCE);
    loss = s->n > 0 ? add_pairs(p, s, t, how, weight, loss) : loss;
    loss = p->l && loss >= 0 ? add_lowest(p, s, t, routing, weight, loss) : loss;
    return how->shard == 0 && loss >= 0 ? add_answers(p, s, t, loss) : loss;
}

static void add_slope(const ThTrainTable *p, Shard *s, int label, const double *slope)
{
    float *to = s->gradient + (size_t)p->first[label] * (size_t)p->dim;
    for (int k = 0; k < p->dim; k++)
        to[k] += (float)slope[k];
}

void th_train_table_turn(ThTrainTable *p, const ThTape *t, int shard)
{
    Shard *s = &p->shard[shard];
    size_t d = (size_t)p->dim;
    if (s->n > 0)
        th_tape_read_gradient(t, s->input, s->slope);
    for (int i = 0; i < s->n; i++) {
        const ThTrainPair *pair = &p->pair[s->pick[i]];
        if (pair->x >= 0)
            add_slope(p, s, pair->x, s->slope + (size_t)i * d);
        if (p->l)
            add_slope(p, s, pair->y, s->slope + (size_t)(s->n + i) * d);
    }
    if (s->centre < 0)
        return;
    th_tape_read_gradient(t, s->centre, s->slope);
    for (int i = 0; i < p->labels; i++)
        add_slope(p, s, i, s->slope + (size_t)i * d);
}

/* ---- after a step ---- */

void th_train_table_step(ThTrainTable *p, double rate)
{
    Shard *all = &p->shard[0];
    for (int i = 1; i < p->shards; i++)
        th_kernel_add(all->gradient, p->shard[i].gradient, p->centre.total);
    ThOptimizerUpdate update = {.rule = th_optimizer_find("adam"),
                                .rate = FASTER * rate,
                                .beta1 = 0.9,
                                .beta2 = OTHER_BETA,
                                .eps = 1e-8,
                                .clip = 1,
                                .step = ++p->updates};
    ThOptimizerState state = {.params = &p->centre, .slot = p->moment, .gradient = all->gradient};
    th_optimizer_update(&update, &state, 0, 1);
    for (size_t k = 0; !p->l && k < p->centre.total; k++)
        p->centre.value[k] = fmaxf(-MOST, fminf(p->centre.value[k], MOST));
    scale_centres(p);
}

/* ---- as numbers ---- */

/* Distances, moments, the centres before the first step and those of now follow. */
enum { LABELS, PAIRS, DIM, UPDATES, SHARP, FIRST };

/* Of all centres; their block of parameters can be longer. */
static size_t n_numbers(const ThTrainTable *p)
{
    return (size_t)p->labels * (size_t)p->dim;
}

size_t th_train_table_size(const ThTrainTable *p)
{
    return FIRST + (size_t)p->n + 2 * p->centre.total + 2 * n_numbers(p);
}

int th_train_table_centres(const ThTrainTable *p)
{
    return p->labels;
}

void th_train_table_write(const ThTrainTable *p, double *to)
{
    to[LABELS] = p->labels;
    to[PAIRS] = p->n;
    to[DIM] = p->dim;
    to[UPDATES] = (double)p->updates;
    to[SHARP] = p->sharp;
    memcpy(to + FIRST, p->far, (size_t)p->n * sizeof *to);
    to += FIRST + p->n;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < p->centre.total; k++)
            *to++ = (double)p->moment[i][k];
    memcpy(to, p->began, n_numbers(p) * sizeof *to);
    to += n_numbers(p);
    for (int i = 0; i < p->labels; i++)
        for (int k = 0; k < p->dim; k++)
            *to++ = (double)centre_of(p, i)[k];
}

bool th_train_table_read(ThTrainTable *p, const double *from, size_t n)
{
    if (n != th_train_table_size(p) || from[LABELS] != p->labels || from[PAIRS] != p->n ||
        from[DIM] != p->dim || !(from[UPDATES] >= 0 && from[UPDATES] <= 1e15))
        return false;
    p->updates = (long long)from[UPDATES];
    p->sharp = from[SHARP];
    memcpy(p->far, from + FIRST, (size_t)p->n * sizeof *from);
    from += FIRST + p->n;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < p->centre.total; k++)
            p->moment[i][k] = (float)*from++;
    memcpy(p->began, from, n_numbers(p) * sizeof *from);
    from += n_numbers(p);
    for (size_t k = 0; k < n_numbers(p); k++)
        p->centre.value[k] = (float)*from++;
    scale_centres(p);
    return true;
}

void th_train_table_undo(ThModelTraining *t, int n, int dim)
{
    size_t size = (size_t)n * (size_t)dim;
    if (t->n_pull < 2 * size)
        return;
    double *now = t->pull + t->n_pull - size;
    memcpy(now, now - size, size * sizeof *now);
    t->n_centres = n;
}

/* ---- what has become of it ---- */

void th_train_table_report(ThTrainTable *p, ThTrainLevels *to)
{
    double far = 0, seen = 0;
    to->pairs = p->l ? p->n : p->n / COPIES;
    to->farthest = -UNSEEN;
    for (int i = 0; i < p->shards; i++) {
        Shard *s = &p->shard[i];
        to->farthest = fmax(to->farthest, s->farthest);
        far += s->far;
        seen += s->seen;
        s->farthest = -UNSEEN;
        s->far = s->seen = 0;
    }
    to->far = seen > 0 ? far / seen : 0;
}
