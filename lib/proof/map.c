#include "proof/map.h"

#include <math.h>

#include "base/hash.h"
#include "models/ablation.h"
#include "proof/map_impl.h"
#include "proof/matrix.h"

/* ---- reading ---- */

/* Returns new: columns from … from+cols-1 of a parameter. */
static double *read_columns(ThProofReader *r, const char *name, int from, int cols)
{
    int index = th_params_find(&r->m->params, name);
    if (index < 0) {
        th_fail(r->err, TH_EVALUE, "the model has no parameter %s", name);
        r->failed = true;
        return NULL;
    }
    const ThParam *p = &r->m->params.item[index];
    const float *value = th_params_at(&r->m->params, index);
    double *to = th_alloc((size_t)p->rows * (size_t)cols, sizeof *to, r->err);
    r->failed |= !to;
    for (int i = 0; to && i < p->rows; i++)
        for (int j = 0; j < cols; j++)
            to[i * cols + j] = (double)value[i * p->cols + from + j];
    return to;
}

double *th_proof_read_whole(ThProofReader *r, const char *name)
{
    int index = th_params_find(&r->m->params, name);
    return read_columns(r, name, 0, index < 0 ? 0 : r->m->params.item[index].cols);
}

bool th_proof_finite(const ThParams *p, ThError *err)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->item[i].rows * p->item[i].cols; k++)
            if (!isfinite(th_params_at(p, i)[k]))
                return th_fail(err, TH_ENUMERIC, "a weight in %s is not a finite number",
                               p->item[i].name);
    return true;
}

bool th_proof_moderate(const ThParams *p, ThError *err)
{
    enum { LARGEST = 1000 };
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->item[i].rows * p->item[i].cols; k++)
            if (!(fabs((double)th_params_at(p, i)[k]) <= LARGEST))
                return th_fail(err, TH_ENUMERIC, "a weight in %s is larger than %d",
                               p->item[i].name, LARGEST);
    return true;
}

static void read_attention(ThProofReader *r, ThProofMap *f)
{
    f->query = th_proof_read_whole(r, "layer0.attention.query");
    f->key = read_columns(r, "layer0.attention.key_value", 0, f->dim);
    f->value = read_columns(r, "layer0.attention.key_value", f->dim, f->dim);
    f->output = th_proof_read_whole(r, "layer0.attention.output");
    double *both =
        th_proof_read_whole(r, "layer0.attention.relative"); /* (heads, 2), by distance */
    f->relative = th_alloc((size_t)f->heads, sizeof *f->relative, r->err);
    f->relative_size = th_alloc((size_t)f->heads, sizeof *f->relative_size, r->err);
    r->failed |= !f->relative || !f->relative_size;
    for (int h = 0; !r->failed && h < f->heads; h++) {
        f->relative[h] = both[2 * h + 1] - both[2 * h];
        f->relative_size[h] = fmax(fabs(both[2 * h]), fabs(both[2 * h + 1]));
    }
    free(both);
}

static void read_rest(ThProofReader *r, ThProofMap *f)
{
    f->gain1 = th_proof_read_whole(r, "layer0.norm1.gain");
    f->offset1 = th_proof_read_whole(r, "layer0.norm1.offset");
    f->gain2 = th_proof_read_whole(r, "layer0.norm2.gain");
    f->offset2 = th_proof_read_whole(r, "layer0.norm2.offset");
    f->up = th_proof_read_whole(r, "layer0.feed_forward.up");
    f->up_bias = th_proof_read_whole(r, "layer0.feed_forward.up_bias");
    f->down = th_proof_read_whole(r, "layer0.feed_forward.down");
    f->down_bias = th_proof_read_whole(r, "layer0.feed_forward.down_bias");
    f->pad = th_proof_read_whole(r, "pad");
    f->head = th_proof_read_whole(r, "head");
    f->head_bias = th_proof_read_whole(r, "head_bias");
    f->snap = f->n_snap > 0 ? th_proof_read_whole(r, "centres") : NULL;
    f->leaf =
        th_proof_read_whole(r, "embedding"); /* one row more than symbols, which nothing reads */
    for (int i = 0; f->leaf && i < f->n_symbols * f->dim; i++)
        f->leaf[i] *= sqrt(f->dim);
}

uint64_t th_proof_digest(const ThParams *p)
{
    uint64_t digest = 0;
    for (int i = 0; i < p->n; i++) {
        const ThParam *q = &p->item[i];
        size_t n = (size_t)q->rows * (size_t)q->cols;
        digest = th_hash_mix(digest ^ th_hash_text(q->name));
        digest = th_hash_mix(digest ^ th_hash_bytes(th_params_at(p, i), n * sizeof(float)));
    }
    return digest;
}

static bool fits(const ThModel *m, ThError *err)
{
    const ThOptions *o = &m->options;
    const char *why = NULL;
    if (strcmp(m->kind->name, "regulargpt") != 0)
        return th_fail(err, TH_EVALUE, "%s is no regulargpt: its map of two vectors is not known",
                       m->kind->name);
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the model has not been trained");
    if (th_option_int(o, "arity") != 2)
        why = "arity=2";
    else if (th_option_int(o, "layers_per_level") != 1)
        why = "layers_per_level=1";
    else if (strcmp(th_option_text(o, "norm"), "post") != 0)
        why = "norm=post";
    else if (strcmp(th_option_text(o, "activation"), "gelu") == 0)
        why = "activation=relu";
    else if (th_option_int(o, "fan_in") > 0)
        why = "fan_in=0";
    if (!why)
        return true;
    return th_fail(err, TH_EVALUE, "the bounds are for models with %s", why) ||
           th_hint(err, "they take regulargpt with arity=2, layers_per_level=1, norm=post and "
                        "ReLU; help certify says what other models are proved by");
}

ThProofMap *th_proof_map_of_snapping(const ThModel *m, ThError *err)
{
    if (!th_model_whole(m, "a proof", err) || !fits(m, err) || !th_proof_moderate(&m->params, err))
        return NULL;
    ThProofMap *f = th_alloc(1, sizeof *f, err);
    if (!f)
        return NULL;
    const ThOptions *o = &m->options;
    f->dim = (int)th_option_int(o, "dim");
    f->heads = (int)th_option_int(o, "heads");
    f->hidden = f->dim * (int)th_option_int(o, "mlp_ratio");
    f->mask = strcmp(th_option_text(o, "missing"), "mask") == 0;
    f->n_symbols = m->signature.n_symbols;
    f->n_classes = m->signature.n_classes;
    f->digest = th_proof_digest(&m->params);
    f->n_snap = (int)th_option_int(o, "codebook");
    f->n_edge = (int)th_option_int(o, "edge_codebook");
    ThProofReader r = {.m = m, .err = err};
    read_attention(&r, f);
    read_rest(&r, f);
    return TH_KEEP_IF(!r.failed, f, th_proof_map_free);
}

ThProofMap *th_proof_map_new(const ThModel *m, ThError *err)
{
    ThProofMap *f = th_proof_map_of_snapping(m, err);
    if (!f || f->n_snap == 0)
        return f;
    th_proof_map_free(f);
    return th_null(
        th_fail(err, TH_EVALUE, "the model's vectors snap to centres: there is nothing to bound") ||
        th_hint(err, "quantize decides such models"));
}

void th_proof_map_free(ThProofMap *f)
{
    if (!f)
        return;
    TH_FREE(f->query, f->key, f->value, f->output, f->relative, f->relative_size, f->gain1,
            f->offset1, f->gain2, f->offset2, f->up, f->up_bias, f->down, f->down_bias, f->leaf,
            f->pad, f->head, f->head_bias, f->snap, f);
}

/* ---- applying ---- */

/* Buffers for n rows. */
typedef struct {
    double *query, *key, *value; /* of the later children */
    double *earlier_key, *earlier_value;
    double *mixed, *hidden;
} Rows;

static void free_rows(Rows *r)
{
    TH_FREE(r->query, r->key, r->value, r->earlier_key, r->earlier_value, r->mixed, r->hidden);
}

static bool take_rows(Rows *r, const ThProofMap *f, int n, ThError *err)
{
    size_t size = (size_t)n * (size_t)f->dim;
    double **each[] = {&r->query,       &r->key,           &r->value,
                       &r->earlier_key, &r->earlier_value, &r->mixed};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof each / sizeof *each; i++)
        ok = (*each[i] = th_alloc(size, sizeof(double), err)) != NULL;
    return ok && (r->hidden = th_alloc((size_t)n * (size_t)f->hidden, sizeof(double), err));
}

/* The weight of the earlier child in head h of row i. */
static double weight(const ThProofMap *f, const Rows *r, int i, int h)
{
    int size = f->dim / f->heads;
    size_t at = (size_t)i * (size_t)f->dim + (size_t)(h * size);
    double s = 0;
    for (int e = 0; e < size; e++)
        s += r->query[at + e] * (r->earlier_key[at + e] - r->key[at + e]);
    return 1 / (1 + exp(-s / sqrt(size) - f->relative[h]));
}

static void mix(const ThProofMap *f, Rows *r, int n, bool masked)
{
    int size = f->dim / f->heads;
    for (int i = 0; i < n; i++)
        for (int h = 0; h < f->heads; h++) {
            double a = masked ? 0 : weight(f, r, i, h);
            size_t at = (size_t)i * (size_t)f->dim + (size_t)(h * size);
            for (int e = 0; e < size; e++)
                r->mixed[at + e] =
                    r->value[at + e] + a * (r->earlier_value[at + e] - r->value[at + e]);
        }
}

static void normalise(double *z, int n, int dim, const double *gain, const double *offset)
{
    for (int i = 0; i < n; i++, z += dim) {
        double mean = 0, square = 0;
        for (int k = 0; k < dim; k++)
            mean += z[k] / dim;
        for (int k = 0; k < dim; k++)
            square += (z[k] - mean) * (z[k] - mean) / dim;
        for (int k = 0; k < dim; k++)
            z[k] = (z[k] - mean) / sqrt(square + TH_PROOF_EPSILON) * gain[k] + offset[k];
    }
}

static void feed_forward(const ThProofMap *f, double *hidden, double *z, int n)
{
    int wide = f->hidden;
    th_proof_multiply(z, f->up, hidden, (ThProofSizes){n, f->dim, wide});
    for (int i = 0; i < n; i++)
        for (int k = 0; k < wide; k++)
            hidden[i * wide + k] = fmax(0, hidden[i * wide + k] + f->up_bias[k]);
    th_proof_multiply_add(hidden, f->down, z, (ThProofSizes){n, wide, f->dim});
    for (int i = 0; i < n; i++)
        for (int k = 0; k < f->dim; k++)
            z[i * f->dim + k] += f->down_bias[k];
}

bool th_proof_map_apply(const ThProofMap *f, const double *x, const double *y, int n, double *out,
                        ThError *err)
{
    int d = f->dim;
    ThProofSizes square = {n, d, d};
    Rows r = {0};
    if (!take_rows(&r, f, n, err)) {
        free_rows(&r);
        return false;
    }
    th_proof_multiply(y, f->query, r.query, square);
    th_proof_multiply(y, f->key, r.key, square);
    th_proof_multiply(y, f->value, r.value, square);
    if (x) {
        th_proof_multiply(x, f->key, r.earlier_key, square);
        th_proof_multiply(x, f->value, r.earlier_value, square);
    } else {
        for (int i = 0; i < n; i++) {
            th_proof_multiply(f->pad, f->key, r.earlier_key + i * d, (ThProofSizes){1, d, d});
            th_proof_multiply(f->pad, f->value, r.earlier_value + i * d, (ThProofSizes){1, d, d});
        }
    }
    mix(f, &r, n, !x && f->mask);
    memmove(out, y, (size_t)n * (size_t)d * sizeof *out);
    th_proof_multiply_add(r.mixed, f->output, out, square);
    normalise(out, n, d, f->gain1, f->offset1);
    feed_forward(f, r.hidden, out, n);
    normalise(out, n, d, f->gain2, f->offset2);
    free_rows(&r);
    return true;
}

void th_proof_map_logits(const ThProofMap *f, const double *z, double *logits)
{
    for (int c = 0; c < f->n_classes; c++) {
        logits[c] = f->head_bias[c];
        for (int k = 0; k < f->dim; k++)
            logits[c] += z[k] * f->head[k * f->n_classes + c];
    }
}
