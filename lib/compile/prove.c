#include "compile/prove.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "compile/map.h"
#include "models/ablation.h"

static const double widen = 1 + 1e-9; /* rounding of double sums */

typedef struct {
    ThCompileMap f;
    const ThCompileTruth *truth;
    const ThMonoid *monoid;
    const ThCompileClaim *claim;
    ThCompileProof *proof;
    double spread; /* greatest distance from a centre of what lies within the radius of others */
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
    const float *row = th_compile_weights(c->f.m, "embedding") + (size_t)a * (size_t)c->f.dim;
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

/* The pad, the first symbol of each function, and what is made of a prefix and a symbol. */
static void find_centres(Check *c)
{
    const ThMonoid *m = c->monoid;
    const float *pad = th_compile_weights(c->f.m, "pad");
    for (int i = 0; i < c->f.dim; i++)
        c->f.centre[i] = (double)pad[i];
    for (int x = 1; x < m->size; x++) {
        if (m->length[x] == 1) {
            read_symbol(c, m->last[x], centre_of(c, x));
            continue;
        }
        for (int k = 0; k < c->f.chunk; k++)
            put(c, k, k == 0 ? m->right[m->last[x]] : k == 1 ? m->prefix[x] : 0);
        th_compile_combine(&c->f, 0);
        memcpy(centre_of(c, x), c->f.v, (size_t)c->f.dim * sizeof *c->f.v);
    }
}

static bool fault(Check *c, const char *what, int x)
{
    ThText word = {0};
    int n = c->monoid->length[x], *symbol = th_alloc((size_t)n + 1, sizeof *symbol, NULL);
    if (symbol) {
        th_monoid_word(c->monoid, x, symbol);
        for (int i = 0; i < n && word.size < 60; i++)
            th_text_printf(&word, "%s%s", i ? " " : "", c->f.m->signature.symbol[symbol[i]]);
    }
    if (c->proof->right)
        snprintf(c->proof->why, sizeof c->proof->why, "%s of %s", what,
                 n == 0 || !word.data ? "the empty word" : word.data);
    c->proof->right = false;
    th_text_free(&word);
    free(symbol);
    return false;
}

/* Embedded symbols lie at the centres of their functions. */
static void check_leaves(Check *c)
{
    for (int a = 0; a < c->f.m->signature.n_symbols; a++) {
        int x = c->monoid->right[a];
        read_symbol(c, a, c->f.u);
        double far = distance(c->f.u, centre_of(c, x), c->f.dim) * widen;
        c->proof->error = fmax(c->proof->error, far);
        c->spread = fmax(c->spread, far);
        if (!(far <= c->claim->radius))
            fault(c, "the embedded symbol is not the vector", x);
    }
}

static void check_product(Check *c, const int *factor)
{
    ThCompileProof *p = c->proof;
    int product = factor[0];
    for (int k = 0; k < c->f.chunk; k++) {
        put(c, c->f.chunk - 1 - k, factor[k]);
        product = k ? th_monoid_product(c->monoid, product, factor[k]) : product;
    }
    double radius = th_compile_combine(&c->f, c->claim->radius);
    double off = distance(c->f.v, centre_of(c, product), c->f.dim) * widen;
    p->error = fmax(p->error, off);
    p->stretch = fmax(p->stretch, radius / c->claim->radius);
    c->spread = fmax(c->spread, off + radius);
    if (!(off + c->claim->slack <= c->claim->radius))
        fault(c, "the vector is not that", product);
}

static bool check_products(Check *c, ThError *err)
{
    enum { OFTEN = 1024 };
    int factor[TH_COMPILE_CHILDREN] = {0}, k;
    do {
        check_product(c, factor);
        if (++c->proof->products % OFTEN == 0) {
            if (th_stopped_at(c->claim->stop, (size_t)c->proof->products, "products", err))
                return false;
            if (c->claim->done)
                c->claim->done(c->claim->context, c->proof->products);
        }
        for (k = c->f.chunk - 1; k >= 0 && ++factor[k] == c->monoid->size; k--)
            factor[k] = 0;
    } while (k >= 0);
    return true;
}

/* The distance of a centre from where class b begins to win over class a; or from where the bit a
 * changes (b = -1).  Negative: it is wrong. */
static double margin_of(const Check *c, const double *x, int a, int b)
{
    const float *head = th_compile_weights(c->f.m, "head"),
                *bias = th_compile_weights(c->f.m, "head_bias");
    int n = c->f.classes;
    double ahead = (double)bias[a] - (b < 0 ? 0 : (double)bias[b]), square = 0;
    for (int i = 0; i < c->f.dim; i++) {
        double w = (double)head[i * n + a] - (b < 0 ? 0 : (double)head[i * n + b]);
        ahead += w * x[i];
        square += w * w;
    }
    return square > 0 ? ahead / (sqrt(square) * widen) : -HUGE_VAL;
}

static double answer_margin(const Check *c, const double *x, int q)
{
    const ThCompileTruth *t = c->truth;
    int label = t->machine->label[q], n = c->f.classes;
    double least = HUGE_VAL;
    for (int i = 0; t->bits && i < n; i++) {
        double m = margin_of(c, x, i, -1);
        least = fmin(least, t->bits[q * n + i] ? m : -m);
    }
    for (int i = 0; !t->bits && label < n && i < n; i++)
        if (i != label)
            least = fmin(least, margin_of(c, x, label, i));
    return least;
}

static void check_answers(Check *c)
{
    ThCompileProof *p = c->proof;
    p->margin = HUGE_VAL;
    for (int e = 0; e < c->monoid->size; e++) {
        double *x = c->f.u;
        double radius = c->claim->radius;
        memcpy(x, centre_of(c, e), (size_t)c->f.dim * sizeof *x);
        if (c->f.pre)
            th_compile_normalise(&c->f, x, "final_norm.gain", "final_norm.offset", &radius);
        int q = th_monoid_image(c->monoid, e, c->truth->machine->start);
        double margin = answer_margin(c, x, q);
        p->margin = fmin(p->margin, margin);
        if (margin <= radius)
            fault(c, "the answer is not that", e);
    }
}

/* Up to which level vectors stay within the radius: to all if what lies within it stays there. */
static void count_levels(const Check *c)
{
    enum { MOST = 62 };
    ThCompileProof *p = c->proof;
    double within = p->error + c->claim->slack, step = within;
    p->closed = p->right && c->spread + c->claim->slack <= c->claim->radius;
    for (p->levels = -1; within <= c->claim->radius && p->levels < MOST; p->levels++)
        within = p->stretch * within + step;
}

static bool fits(const ThModel *m, const ThCompileTruth *t, ThError *err)
{
    bool bits = m->signature.target == TH_TARGET_BITS;
    int classes = m->signature.n_classes;
    return (t->machine->n_symbols == m->signature.n_symbols && (t->bits != NULL) == bits &&
            (bits || t->machine->n_classes == classes || t->machine->n_classes == classes + 1)) ||
           th_fail(err, TH_EVALUE, "the machine and the model differ in their symbols or classes");
}

bool th_compile_prove(const ThModel *model, const ThCompileTruth *truth,
                      const ThCompileClaim *claim, ThCompileProof *proof, ThError *err)
{
    const ThMonoid *m = truth->monoid;
    Check c = {.monoid = m, .truth = truth, .claim = claim, .proof = proof};
    *proof = (ThCompileProof){.elements = m->size, .right = true};
    bool ok = th_model_whole(model, "a proof", err) &&
              th_compile_map_read(&c.f, model, m->size, err) && fits(model, truth, err);
    double products = pow(m->size, c.f.chunk);
    if (ok && claim->products > 0 && products > claim->products)
        ok = th_fail(err, TH_ELIMIT, "%.0f products are more than the %.0f that may be checked",
                     products, claim->products);
    if (ok) {
        find_centres(&c);
        check_leaves(&c);
        ok = check_products(&c, err);
    }
    if (ok) {
        check_answers(&c);
        count_levels(&c);
    }
    th_compile_map_free(&c.f);
    return ok;
}

uint64_t th_compile_fingerprint(const ThModel *model)
{
    const ThParams *p = &model->params;
    uint64_t sum = 0;
    for (int i = 0; i < p->n; i++) {
        size_t n = (size_t)p->item[i].rows * (size_t)p->item[i].cols;
        sum = th_hash_mix(sum ^ th_hash_bytes(th_params_at(p, i), n * sizeof *p->value));
    }
    return sum;
}
