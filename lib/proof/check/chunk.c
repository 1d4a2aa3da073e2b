#include "proof/check/chunk.h"

#include "proof/check/check_impl.h"
#include "proof/map_impl.h"

enum { RESTING, AWAKE, ACTIVE }; /* states of units; active: above the bend, all over the ball */

static const double eps = 1e-5;         /* of layer norm */
static const double quiet = 0.05;       /* what resting units read at most */
static const double far = 1e-4;         /* … of one coordinate, else it wakes them */
static const double gelu_bend = 8;      /* from here on GELU is ReLU to within gelu_error … */
static const double gelu_error = 5e-15; /* … for |x| Φ(-|x|) at 8 is 4.98e-15 */

static void free_sparse(ThProofSparse *s)
{
    TH_FREE(s->first, s->col, s->value);
}

float *th_proof_chunk_weights(const ThModel *m, const char *name)
{
    int i = th_params_find(&m->params, name);
    return i < 0 ? NULL : th_params_at(&m->params, i);
}

void th_proof_chunk_free(ThProofChunk *f)
{
    for (int k = 0; k < f->chunk; k++)
        free_sparse(&f->child[k]);
    free_sparse(&f->up);
    free_sparse(&f->down);
    free_sparse(&f->readers);
    TH_FREE(f->constant, f->size, f->slope, f->touched, f->awake, f->state, f->x, f->centre);
}

/* Reads entry (row, col) of some matrix. */
typedef double Entry(const void *matrix, int row, int col, int cols);

static bool make_sparse(ThProofSparse *s, const void *from, Entry *entry, int rows, int cols,
                        ThError *err)
{
    size_t n = 0, cap_col = 0, cap_value = 0;
    s->rows = rows;
    s->first = th_alloc((size_t)rows + 1, sizeof *s->first, err);
    if (!s->first)
        return false;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            double value = entry(from, i, j, cols);
            if (value == 0)
                continue;
            if (!th_grow(&s->col, &cap_col, n + 1, sizeof *s->col, err) ||
                !th_grow(&s->value, &cap_value, n + 1, sizeof *s->value, err))
                return false;
            s->col[n] = j;
            s->value[n++] = value;
        }
        s->first[i + 1] = (int)n;
    }
    return true;
}

static double of_doubles(const void *matrix, int row, int col, int cols)
{
    return ((const double *)matrix)[(size_t)row * (size_t)cols + (size_t)col];
}

static double of_floats(const void *matrix, int row, int col, int cols)
{
    return (double)((const float *)matrix)[(size_t)row * (size_t)cols + (size_t)col];
}

typedef struct {
    const float *value;
    int rows;
} Transposed;

static double of_transposed(const void *matrix, int row, int col, int cols)
{
    const Transposed *t = matrix;
    (void)cols;
    return (double)t->value[(size_t)col * (size_t)t->rows + (size_t)row];
}

/* ---- hidden units ---- */

/* Of units that have `fan` numbers and say which they are of. */
static bool make_wired(ThProofSparse *s, const float *value, const float *at, const ThProofChunk *f,
                       int fan, ThError *err)
{
    size_t n = 0, room = (size_t)f->hidden * (size_t)fan;
    s->rows = f->hidden;
    s->first = th_alloc((size_t)s->rows + 1, sizeof *s->first, err);
    s->col = th_alloc(room, sizeof *s->col, err);
    s->value = th_alloc(room, sizeof *s->value, err);
    if (!s->first || !s->col || !s->value)
        return false;
    for (int h = 0; h < s->rows; h++) {
        for (int i = h * fan; i < (h + 1) * fan; i++) {
            size_t k = (size_t)s->first[h];
            int col = th_op_wired_coordinate((double)at[i], f->dim);
            while (k < n && s->col[k] != col)
                k++;
            if (value[i] == 0)
                continue;
            s->col[k] = col;
            s->value[k] = (double)value[i] + (k < n ? s->value[k] : 0);
            n = k < n ? n : n + 1;
        }
        s->first[h + 1] = (int)n;
    }
    return true;
}

static bool read_units(ThProofChunk *f, ThError *err)
{
    const float *up = th_proof_chunk_weights(f->m, "layer0.feed_forward.up");
    const float *down = th_proof_chunk_weights(f->m, "layer0.feed_forward.down");
    int fan = (int)th_option_int(&f->m->options, "fan_in");
    f->up_bias = th_proof_chunk_weights(f->m, "layer0.feed_forward.up_bias");
    if (fan > 0)
        return make_wired(&f->up, up, th_proof_chunk_weights(f->m, "layer0.feed_forward.from"), f,
                          fan, err) &&
               make_wired(&f->down, down, th_proof_chunk_weights(f->m, "layer0.feed_forward.to"), f,
                          1, err);
    Transposed columns = {up, f->hidden};
    return up && down && make_sparse(&f->up, &columns, of_transposed, f->hidden, f->dim, err) &&
           make_sparse(&f->down, down, of_floats, f->hidden, f->dim, err);
}

static bool rests(const ThProofChunk *f, int h)
{
    return (double)f->up_bias[h] + f->slope[h] * quiet < -(f->gelu ? gelu_bend : 0);
}

/* Lists who reads a coordinate, of the units that rest while it is next to zero. */
static bool find_readers(ThProofChunk *f, ThError *err)
{
    ThProofSparse *r = &f->readers;
    r->rows = f->dim;
    r->first = th_alloc((size_t)f->dim + 2, sizeof *r->first, err);
    r->col = th_alloc((size_t)f->up.first[f->hidden] + 1, sizeof *r->col, err);
    if (!r->first || !r->col)
        return false;
    for (int h = 0; h < f->hidden; h++) {
        if (!rests(f, h)) {
            f->awake[f->n_always++] = h;
            continue;
        }
        for (int i = f->up.first[h]; i < f->up.first[h + 1]; i++)
            r->first[f->up.col[i] + 2]++;
        for (int j = f->down.first[h]; f->gelu && j < f->down.first[h + 1]; j++)
            f->murmur += gelu_error * fabs(f->down.value[j]);
    }
    for (int i = 0; i < f->dim; i++)
        r->first[i + 2] += r->first[i + 1];
    for (int h = 0; h < f->hidden; h++)
        for (int i = f->up.first[h]; rests(f, h) && i < f->up.first[h + 1]; i++)
            r->col[r->first[f->up.col[i] + 1]++] = h;
    return true;
}

/* ---- attention: numbers instead of a softmax ---- */

static bool queries_are_zero(const ThModel *m, int dim)
{
    const float *q = th_proof_chunk_weights(m, "layer0.attention.query");
    const float *bias = th_proof_chunk_weights(m, "layer0.attention.query_bias");
    for (size_t i = 0; i < (size_t)dim * (size_t)dim; i++)
        if (q[i] != 0)
            return false;
    for (int i = 0; bias && i < dim; i++)
        if (bias[i] != 0)
            return false;
    return true;
}

/* The weight of child k in head h, from its relative scalars. */
static double weight_of(const ThProofChunk *f, int h, int k)
{
    const float *r = th_proof_chunk_weights(f->m, "layer0.attention.relative") + h * f->chunk;
    double sum = 0;
    for (int j = 0; j < f->chunk; j++)
        sum += exp((double)r[j] - (double)r[k]);
    return 1 / sum;
}

/* At least the spectral norm: √(greatest row sum · greatest column sum). */
static double norm_bound(const double *a, int d)
{
    double row = 0, col = 0;
    for (int i = 0; i < d; i++) {
        double r = 0, c = 0;
        for (int j = 0; j < d; j++) {
            r += fabs(a[(size_t)i * (size_t)d + (size_t)j]);
            c += fabs(a[(size_t)j * (size_t)d + (size_t)i]);
        }
        row = fmax(row, r);
        col = fmax(col, c);
    }
    return sqrt(row * col) * TH_PROOF_WIDER;
}

/* a (dim, dim) += what child k adds by head h; constant += what its biases do; and the same of
 * their magnitudes, where a weight that underflows is not nothing. */
static void add_head(const ThProofChunk *f, int h, int k, double *a)
{
    const float *value = th_proof_chunk_weights(f->m, "layer0.attention.key_value");
    const float *bias = th_proof_chunk_weights(f->m, "layer0.attention.key_value_bias");
    const float *output = th_proof_chunk_weights(f->m, "layer0.attention.output");
    int d = f->dim, head = d / f->heads;
    double weight = weight_of(f, h, k);
    for (int j = h * head; j < (h + 1) * head; j++) {
        const float *out = output + (size_t)j * (size_t)d;
        for (int i = 0; i <= d; i++) {
            double *to = i < d ? a + (size_t)i * (size_t)d : f->constant;
            double v = i < d  ? (double)value[(size_t)i * 2 * (size_t)d + (size_t)(d + j)]
                       : bias ? (double)bias[d + j]
                              : 0;
            double *size = f->size + (size_t)i * (size_t)d;
            for (int c = 0; v != 0 && c < d; c++) {
                to[c] += weight * v * (double)out[c];
                size[c] += fmax(weight, TH_PROOF_UNDERFLOW) * fabs(v * (double)out[c]);
            }
        }
    }
}

/* By how much a child's distance from its centre counts in the sum, where layer norm does not come
 * between. */
static double spread_of(const ThProofChunk *f, double *a, bool residual)
{
    for (int i = 0; residual && i < f->dim; i++)
        a[(size_t)i * (size_t)f->dim + (size_t)i] += 1;
    return norm_bound(a, f->dim);
}

static bool read_children(ThProofChunk *f, ThError *err)
{
    size_t d = (size_t)f->dim;
    const float *bias = th_proof_chunk_weights(f->m, "layer0.attention.output_bias");
    double *a TH_OWNED(free) = th_alloc(d * d, sizeof *a, err);
    bool ok = a != NULL;
    for (int i = 0; ok && bias && i < f->dim; i++) {
        f->constant[i] = (double)bias[i];
        f->size[d * d + (size_t)i] = fabs((double)bias[i]);
    }
    for (int k = 0; ok && k < f->chunk; k++) {
        memset(a, 0, d * d * sizeof *a);
        for (int h = 0; h < f->heads; h++)
            add_head(f, h, k, a);
        ok = make_sparse(&f->child[k], a, of_doubles, f->dim, f->dim, err);
        f->spread[k] = spread_of(f, a, k == 0 && !f->pre);
    }
    return ok;
}

/* ---- reading the model ---- */

static bool check_kind(const ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    if (strcmp(m->kind->name, "regulargpt") != 0 || !m->bound)
        return th_fail(err, TH_EVALUE,
                       "only models of the kind regulargpt that have an alphabet "
                       "can be proved right in this way");
    return (th_option_int(o, "layers_per_level") == 1 &&
            th_option_int(o, "arity") <= TH_PROOF_CHILDREN &&
            strcmp(th_option_text(o, "missing"), "pad") == 0 && th_option_int(o, "codebook") == 0 &&
            strcmp(th_option_text(o, "head"), "own") == 0) ||
           th_fail(err, TH_EVALUE,
                   "the proof is for layers_per_level=1, missing=pad, head=own, no centres, and "
                   "chunk of "
                   "%d at most",
                   TH_PROOF_CHILDREN);
}

bool th_proof_chunk_fits(const ThModel *m)
{
    return check_kind(m, NULL) && queries_are_zero(m, (int)th_option_int(&m->options, "dim"));
}

bool th_proof_chunk_read(ThProofChunk *f, const ThModel *m, int elements, ThError *err)
{
    *f = (ThProofChunk){0};
    if (!check_kind(m, err) || !th_proof_finite(&m->params, err))
        return false;
    const ThOptions *o = &m->options;
    const char *activation = th_option_text(o, "activation");
    size_t d = (size_t)th_option_int(o, "dim");
    *f = (ThProofChunk){.m = m,
                        .dim = (int)d,
                        .heads = (int)th_option_int(o, "heads"),
                        .chunk = (int)th_option_int(o, "arity"),
                        .hidden = (int)(d * (size_t)th_option_int(o, "mlp_ratio")),
                        .classes = m->signature.n_classes,
                        .pre = strcmp(th_option_text(o, "norm"), "pre") == 0};
    f->gelu = strcmp(activation, "auto") == 0 ? f->pre : strcmp(activation, "gelu") == 0;
    if (!queries_are_zero(m, f->dim))
        return th_fail(err, TH_EVALUE, "the model attends by content: its queries are not zero") ||
               th_hint(err, "this proof is for compiled models");
    size_t hidden = (size_t)f->hidden, rows = (size_t)f->chunk + 2;
    f->constant = th_alloc(d, sizeof *f->constant, err);
    f->size = th_alloc((d + 1) * d, sizeof *f->size, err);
    f->slope = th_alloc(hidden, sizeof *f->slope, err);
    f->touched = th_alloc(d * d, sizeof *f->touched, err);
    f->x = th_alloc(rows * d, sizeof *f->x, err);
    f->awake = th_alloc(hidden, sizeof *f->awake, err);
    f->state = th_alloc(hidden, sizeof *f->state, err);
    f->centre = th_alloc((size_t)elements * d, sizeof *f->centre, err);
    if (!f->constant || !f->size || !f->slope || !f->touched || !f->x || !f->awake || !f->state ||
        !f->centre)
        return false;
    f->u = f->x + (rows - 2) * d;
    f->v = f->u + d;
    if (!read_children(f, err) || !read_units(f, err))
        return false;
    for (int u = 0; u < f->hidden; u++) {
        for (int i = f->up.first[u]; i < f->up.first[u + 1]; i++)
            f->slope[u] += f->up.value[i] * f->up.value[i];
        f->slope[u] = sqrt(f->slope[u]) * TH_PROOF_WIDER;
    }
    return find_readers(f, err);
}

/* ---- one combination ---- */

void th_proof_chunk_normalise(const ThProofChunk *f, double *x, const char *gain_name,
                              const char *offset_name, double *radius)
{
    const float *gain = th_proof_chunk_weights(f->m, gain_name),
                *offset = th_proof_chunk_weights(f->m, offset_name);
    double mean = 0, square = 0, greatest = 0;
    for (int i = 0; i < f->dim; i++)
        mean += x[i] / f->dim;
    for (int i = 0; i < f->dim; i++)
        square += (x[i] - mean) * (x[i] - mean) / f->dim;
    double deviation = sqrt(square + eps);
    for (int i = 0; i < f->dim; i++) {
        x[i] = (double)gain[i] * (x[i] - mean) / deviation + (double)offset[i];
        greatest = fmax(greatest, fabs((double)gain[i]));
    }
    /* The slope of t/√(|t|²/d + ε) is at most one through the root, which is least where |t| is. */
    double least = sqrt(fmax(0, sqrt(square) - *radius / sqrt(f->dim)) *
                            fmax(0, sqrt(square) - *radius / sqrt(f->dim)) +
                        eps);
    *radius *= greatest / least * TH_PROOF_WIDER;
}

static double activation(const ThProofChunk *f, double x)
{
    return f->gelu ? x * 0.5 * erfc(-x * M_SQRT1_2) : fmax(0, x);
}

/* Adds the slope of an active unit to f->touched. */
static void touch(const ThProofChunk *f, int h)
{
    for (int j = f->down.first[h]; j < f->down.first[h + 1]; j++)
        for (int i = f->up.first[h]; i < f->up.first[h + 1]; i++)
            f->touched[(size_t)f->up.col[i] * (size_t)f->dim + (size_t)f->down.col[j]] +=
                f->up.value[i] * f->down.value[j];
}

/* The squares of what unit h has touched, each cell of which becomes zero again. */
static double take_squares(const ThProofChunk *f, int h)
{
    double sum = 0;
    for (int j = f->down.first[h]; j < f->down.first[h + 1]; j++)
        for (int i = f->up.first[h]; i < f->up.first[h + 1]; i++) {
            double *cell =
                &f->touched[(size_t)f->up.col[i] * (size_t)f->dim + (size_t)f->down.col[j]];
            sum += *cell * *cell;
            *cell = 0;
        }
    return sum;
}

/* At least the norm of the slope that the layer has by its active units, in post-norm with the
 * residual. */
static double slope_norm(const ThProofChunk *f)
{
    double square = 1e-12 * f->dim; /* more than what the sums below lose */
    size_t d = (size_t)f->dim;
    for (size_t i = 0; !f->pre && i < d; i++)
        f->touched[i * d + i] = 1;
    for (int k = 0; k < f->n_awake; k++)
        if (f->state[f->awake[k]] == ACTIVE)
            touch(f, f->awake[k]);
    for (int k = 0; k < f->n_awake; k++)
        if (f->state[f->awake[k]] == ACTIVE)
            square += take_squares(f, f->awake[k]);
    for (size_t i = 0; !f->pre && i < d; i++) {
        square += f->touched[i * d + i];
        f->touched[i * d + i] = 0;
    }
    return sqrt(square) * TH_PROOF_WIDER;
}

/* How much of a unit's output is unknown, which reads what lies within a radius: its rounding where
 * it keeps away from its bend; else all that it may change. */
static double unknown(ThProofChunk *f, int h, double p, double radius)
{
    const double steepest = 1.13; /* GELU's greatest slope */
    double reach = f->slope[h] * radius;
    bool bent = fabs(p) - reach <= (f->gelu ? gelu_bend : 0) && f->slope[h] > 0;
    f->state[h] = !bent && p > 0 ? ACTIVE : AWAKE;
    if (bent)
        return steepest * reach;
    return f->gelu ? 2 * gelu_error : 0;
}

static void wake(ThProofChunk *f, int h)
{
    if (f->state[h] == RESTING)
        f->awake[f->n_awake++] = h;
    f->state[h] = AWAKE;
}

/* Finds the units that matter for what lies within a radius of u: where all that a resting one
 * reads is next to zero, it is far below its bend. */
static void find_awake(ThProofChunk *f, const double *u, double radius)
{
    double square = 0;
    for (int k = f->n_always; k < f->n_awake; k++)
        f->state[f->awake[k]] = RESTING;
    f->n_awake = f->n_always;
    for (int i = 0; i < f->dim; i++) {
        bool near = fabs(u[i]) <= far;
        square += near ? u[i] * u[i] : 0;
        for (int k = f->readers.first[i]; !near && k < f->readers.first[i + 1]; k++)
            wake(f, f->readers.col[k]);
    }
    for (int h = 0; !(sqrt(square) + radius < quiet) && h < f->hidden; h++)
        if (rests(f, h))
            wake(f, h);
}

/* y += the feed-forward layer of u, which is known to within *radius, as y is afterwards. */
static void feed_forward(ThProofChunk *f, const double *u, double *y, double *radius)
{
    const float *down_bias = th_proof_chunk_weights(f->m, "layer0.feed_forward.down_bias");
    double loose = f->murmur;
    for (int i = 0; i < f->dim; i++)
        y[i] += (double)down_bias[i];
    find_awake(f, u, *radius);
    for (int k = 0; k < f->n_awake; k++) {
        int h = f->awake[k];
        double p = (double)f->up_bias[h];
        for (int i = f->up.first[h]; i < f->up.first[h + 1]; i++)
            p += f->up.value[i] * u[f->up.col[i]];
        double a = activation(f, p), open = unknown(f, h, p, *radius);
        for (int j = f->down.first[h]; j < f->down.first[h + 1]; j++) {
            y[f->down.col[j]] += a * f->down.value[j];
            loose += fabs(f->down.value[j]) * open;
        }
    }
    *radius = (*radius * slope_norm(f) + loose) * TH_PROOF_WIDER;
}

double th_proof_chunk_combine(ThProofChunk *f, double each)
{
    size_t d = (size_t)f->dim;
    double sum = f->pre ? each : 0;
    memcpy(f->u, f->x, d * sizeof *f->u);
    for (int i = 0; i < f->dim; i++)
        f->u[i] += f->constant[i];
    for (int k = 0; k < f->chunk; k++) {
        double *x = f->x + (size_t)k * d, radius = each + f->noise[TH_PROOF_IN_MEAN];
        if (f->pre)
            th_proof_chunk_normalise(f, x, "layer0.norm1.gain", "layer0.norm1.offset", &radius);
        radius += f->noise[TH_PROOF_IN];
        for (int i = 0; i < f->dim; i++)
            for (int j = f->child[k].first[i]; x[i] != 0 && j < f->child[k].first[i + 1]; j++)
                f->u[f->child[k].col[j]] += x[i] * f->child[k].value[j];
        sum += f->spread[k] * radius;
    }
    sum += f->noise[TH_PROOF_SUM];
    double radius = sum + f->noise[TH_PROOF_BETWEEN_MEAN];
    if (!f->pre)
        th_proof_chunk_normalise(f, f->u, "layer0.norm1.gain", "layer0.norm1.offset", &radius);
    memcpy(f->v, f->u, d * sizeof *f->v);
    if (f->pre)
        th_proof_chunk_normalise(f, f->u, "layer0.norm2.gain", "layer0.norm2.offset", &radius);
    radius += f->noise[TH_PROOF_BETWEEN];
    feed_forward(f, f->u, f->v, &radius);
    radius += f->noise[TH_PROOF_UNITS];
    if (f->pre)
        return radius + sum;
    radius += f->noise[TH_PROOF_OUT_MEAN];
    th_proof_chunk_normalise(f, f->v, "layer0.norm2.gain", "layer0.norm2.offset", &radius);
    return radius + f->noise[TH_PROOF_OUT];
}
