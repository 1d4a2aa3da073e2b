#include "proof/check/algebra.h"

#include <stdio.h>

#include "models/ablation.h"
#include "proof/check/check_impl.h"
#include "proof/check/chunk.h"

typedef struct {
    ThProofChunk f;
    const ThProofTruth *truth;
    const ThMonoid *monoid;
    const ThProofAlgebraHow *how;
    ThProofAlgebra *proof;
    double reach; /* how far what an answer is read off can be from a centre */
} Check;

static double *centre_of(const Check *c, int x)
{
    return c->f.centre + (size_t)x * (size_t)c->f.dim;
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static void read_symbol(const Check *c, int a, double *to)
{
    const float *row = th_proof_chunk_weights(c->f.m, "embedding") + (size_t)a * (size_t)c->f.dim;
    double scale = sqrt(c->f.dim);
    for (int i = 0; i < c->f.dim; i++)
        to[i] = scale * (double)row[i];
}

/* Puts the element `x` at a child's place. */
static void put(const Check *c, int child, int x)
{
    memcpy(c->f.x + (size_t)child * (size_t)c->f.dim, centre_of(c, x),
           (size_t)c->f.dim * sizeof *c->f.x);
}

/* The pad, the first symbol of each function, and what is made of a prefix and a symbol.  Of many
 * functions a vector takes seconds. */
static bool find_centres(Check *c, ThError *err)
{
    const ThMonoid *m = c->monoid;
    const float *pad = th_proof_chunk_weights(c->f.m, "pad");
    for (int i = 0; i < c->f.dim; i++)
        c->f.centre[i] = (double)pad[i];
    for (int x = 1; x < m->size; x++) {
        if (m->length[x] == 1) {
            read_symbol(c, m->last[x], centre_of(c, x));
            continue;
        }
        for (int k = 0; k < c->f.chunk; k++)
            put(c, k, k == 0 ? m->right[m->last[x]] : k == 1 ? m->prefix[x] : 0);
        th_proof_chunk_combine(&c->f, 0);
        memcpy(centre_of(c, x), c->f.v, (size_t)c->f.dim * sizeof *c->f.v);
        if (th_stopped(c->how->stop, err))
            return false;
    }
    return true;
}

static bool fault(Check *c, const char *what, int x)
{
    ThText word TH_OWNED(th_text_free) = {0};
    int n = c->monoid->length[x],
        *symbol TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *symbol, NULL);
    if (symbol) {
        th_monoid_word(c->monoid, x, symbol);
        for (int i = 0; i < n && word.size < 60; i++)
            th_text_printf(&word, "%s%s", i ? " " : "", c->f.m->signature.symbol[symbol[i]]);
    }
    if (c->proof->right)
        snprintf(c->proof->why, sizeof c->proof->why, "%s of %s", what,
                 n == 0 || !word.data ? "the empty word" : word.data);
    c->proof->right = false;
    return false;
}

/* Embedded symbols lie at the centres of their functions. */
static void check_leaves(Check *c)
{
    for (int a = 0; a < c->f.m->signature.n_symbols; a++) {
        int x = c->monoid->right[a];
        read_symbol(c, a, c->f.u);
        double far = distance(c->f.u, centre_of(c, x), c->f.dim) * TH_PROOF_WIDER;
        c->proof->error = fmax(c->proof->error, far);
        for (int i = 0; i < c->f.dim; i++) /* a product with a root that is rounded */
            far += 3 * c->f.unit * fabs(c->f.u[i]);
        c->proof->spread = fmax(c->proof->spread, far);
        if (!(far <= c->how->radius))
            fault(c, "the embedded symbol is not the vector", x);
    }
}

static void check_product(Check *c, const int *factor)
{
    ThProofAlgebra *p = c->proof;
    int product = factor[0];
    for (int k = 0; k < c->f.chunk; k++) {
        put(c, c->f.chunk - 1 - k, factor[k]);
        product = k ? th_monoid_product(c->monoid, product, factor[k]) : product;
    }
    double radius = th_proof_chunk_combine(&c->f, c->how->radius);
    double off = distance(c->f.v, centre_of(c, product), c->f.dim) * TH_PROOF_WIDER;
    p->error = fmax(p->error, off);
    p->stretch = fmax(p->stretch, radius / c->how->radius);
    c->proof->spread = off + radius < HUGE_VAL ? fmax(c->proof->spread, off + radius) : HUGE_VAL;
    if (!(off + c->how->slack <= c->how->radius))
        fault(c, "the vector is not that", product);
}

static bool check_products(Check *c, ThError *err)
{
    int factor[TH_PROOF_CHILDREN] = {0}, k;
    do {
        check_product(c, factor); /* of a large model one takes milliseconds */
        if (th_stopped_at(c->how->stop, (size_t)++c->proof->products, "products", err))
            return false;
        for (k = c->f.chunk - 1; k >= 0 && ++factor[k] == c->monoid->size; k--)
            factor[k] = 0;
    } while (k >= 0);
    return true;
}

/* The distance of a centre from where class b begins to win over class a; or, b = -1, from where
 * the bit a, which is `sign`, changes.  Negative: it is wrong.  Both logits may be off by the slack
 * and by their rounding. */
static double margin_of(const Check *c, const double *x, int a, int b, int sign)
{
    const float *head = th_proof_chunk_weights(c->f.m, "head"),
                *bias = th_proof_chunk_weights(c->f.m, "head_bias");
    int n = c->f.classes;
    double ahead = (double)bias[a] - (b < 0 ? 0 : (double)bias[b]), square = 0;
    double size = fabs((double)bias[a]) + (b < 0 ? 0 : fabs((double)bias[b]));
    for (int i = 0; i < c->f.dim; i++) {
        double first = (double)head[i * n + a], second = b < 0 ? 0 : (double)head[i * n + b];
        double w = first - second;
        ahead += w * x[i];
        square += w * w;
        size += (fabs(first) + fabs(second)) * (fabs(x[i]) + c->reach);
    }
    double lead = sign * ahead - 2 * c->how->slack - th_proof_gamma(c->f.unit, c->f.dim + 4) * size;
    return square > 0 && lead > 0 ? lead / (sqrt(square) * TH_PROOF_WIDER) : -HUGE_VAL;
}

static double answer_margin(const Check *c, const double *x, int q)
{
    const ThProofTruth *t = c->truth;
    int label = t->machine->label[q], n = c->f.classes;
    double least = HUGE_VAL;
    for (int i = 0; t->bits && i < n; i++)
        least = fmin(least, margin_of(c, x, i, -1, t->bits[q * n + i] ? 1 : -1));
    for (int i = 0; !t->bits && label < n && i < n; i++)
        if (i != label)
            least = fmin(least, margin_of(c, x, label, i, 1));
    return least;
}

static void check_answers(Check *c)
{
    ThProofAlgebra *p = c->proof;
    p->margin = HUGE_VAL;
    for (int e = 0; e < c->monoid->size; e++) {
        double *x = c->f.u;
        double radius = c->how->radius + c->f.noise[TH_PROOF_IN_MEAN];
        memcpy(x, centre_of(c, e), (size_t)c->f.dim * sizeof *x);
        if (c->f.pre) {
            th_proof_chunk_normalise(&c->f, x, "final_norm.gain", "final_norm.offset", &radius);
            radius += c->f.noise[TH_PROOF_OUT];
        }
        c->reach = radius;
        int q = th_monoid_image(c->monoid, e, c->truth->machine->start);
        double margin = answer_margin(c, x, q);
        p->margin = fmin(p->margin, margin);
        if (!(margin > radius))
            fault(c, "the answer is not that", e);
    }
}

/* Up to which level vectors stay within the radius: to all if what lies within it stays there. */
static void count_levels(const Check *c)
{
    enum { MOST = 62 };
    ThProofAlgebra *p = c->proof;
    double within = p->error + c->how->slack, step = within;
    p->closed = p->right && c->proof->spread + c->how->slack <= c->how->radius;
    for (p->levels = -1; within <= c->how->radius && p->levels < MOST; p->levels++)
        within = p->stretch * within + step;
}

/* What is zero times a number is zero, and no sum overflows: keys are not looked at otherwise. */
static bool tame(const ThParams *p, ThError *err)
{
    const double largest = 1e9;
    for (size_t i = 0; i < p->total; i++)
        if (!(fabs((double)p->value[i]) <= largest))
            return th_fail(err, TH_ENUMERIC, "a weight is larger than %g", largest);
    return true;
}

static bool fits(const ThModel *m, const ThProofTruth *t, ThError *err)
{
    bool bits = m->signature.target == TH_TARGET_BITS;
    int classes = m->signature.n_classes;
    return (t->machine->n_symbols == m->signature.n_symbols && (t->bits != NULL) == bits &&
            (bits || t->machine->n_classes == classes || t->machine->n_classes == classes + 1)) ||
           th_fail(err, TH_EVALUE, "the machine and the model differ in their symbols or classes");
}

bool th_proof_algebra(const ThModel *model, const ThProofTruth *truth, const ThProofAlgebraHow *how,
                      ThProofAlgebra *proof, ThError *err)
{
    const ThMonoid *m = truth->monoid;
    Check c = {.monoid = m, .truth = truth, .how = how, .proof = proof};
    *proof = (ThProofAlgebra){.elements = m->size, .right = true};
    bool ok = th_model_whole(model, "a proof", err) && tame(&model->params, err) &&
              th_proof_chunk_read(&c.f, model, m->size, err) && fits(model, truth, err) &&
              find_centres(&c, err);
    if (ok) {
        double unit = how->in_float ? TH_PROOF_FLOAT_UNIT * TH_PROOF_WIDER : TH_PROOF_DOUBLE_UNIT;
        ok = th_proof_chunk_round(&c.f, unit, m->size, how->radius, err);
    }
    if (ok) {
        check_leaves(&c);
        ok = check_products(&c, err);
    }
    if (ok) {
        check_answers(&c);
        count_levels(&c);
    }
    th_proof_chunk_free(&c.f);
    return ok;
}
