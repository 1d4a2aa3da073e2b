#include "inspect/probe.h"

#include <math.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_multimin.h>

#include "inspect/state_functions.h"
#include "stats/intervals.h"

/* Vectors of one level, those of fitted strings first. */
typedef struct {
    size_t n, cap_x, cap_label, fitted;
    int dim;
    double *x;  /* (n, dim) */
    int *label; /* (n) */
} Level;

typedef struct {
    const ThModel *m;
    const ThInspectProbing *how;
    ThFunctions *function;
    Level *level;
    int n;
    bool held; /* strings that come now are held out */
} Probe;

/* ---- vectors and labels ---- */

static int label_of(Probe *p, const int *token, int first, int last, ThError *err)
{
    const ThDfa *d = p->how->machine;
    if (p->how->label == TH_INSPECT_SYMBOL)
        return token[last];
    if (p->how->label == TH_INSPECT_FUNCTION)
        return th_functions_index(p->function, token + first, last - first + 1, err);
    int q = d->start;
    for (int i = 0; i <= last; i++)
        q = d->next[(size_t)q * (size_t)d->n_symbols + (size_t)token[i]];
    return q;
}

static bool add_vector(Level *v, const double *x, int label, ThError *err)
{
    size_t dim = (size_t)v->dim;
    if (label < 0 || !th_grow(&v->x, &v->cap_x, (v->n + 1) * dim, sizeof *v->x, err) ||
        !th_grow(&v->label, &v->cap_label, v->n + 1, sizeof *v->label, err))
        return false;
    memcpy(v->x + v->n * dim, x, dim * sizeof *x);
    v->label[v->n++] = label;
    return true;
}

static bool add_string(Probe *p, const ThBatch *b, ThError *err)
{
    ThModelTrace *t TH_OWNED(th_model_trace_free) =
        th_model_trace(p->m, b->token, th_batch_length(b, 0), err);
    bool ok = t != NULL;
    if (ok && !p->level) {
        p->level = th_alloc((size_t)t->n_layers, sizeof *p->level, err);
        p->n = t->n_layers;
        ok = p->level != NULL;
    }
    for (int l = 0; ok && l < p->n && l < t->n_layers; l++) {
        const ThModelTraceLayer *from = &t->layer[l];
        p->level[l].dim = from->dim;
        for (int i = 0; ok && i < from->n_rows; i++)
            ok = add_vector(&p->level[l], from->state + (size_t)i * (size_t)from->dim,
                            label_of(p, b->token, from->first[i], from->last[i], err), err);
        if (!p->held)
            p->level[l].fitted = p->level[l].n;
    }
    return ok;
}

static bool collect(Probe *p, const ThTask *t, ThError *err)
{
    ThBatch b TH_OWNED(th_batch_free) = {.B = 1};
    bool ok = true;
    for (int i = 0; ok && i < p->how->strings; i++) {
        ThRng r = th_rng(p->how->seed, "inspect.probe", (uint64_t)i);
        p->held = i >= p->how->strings / 2;
        ok = !th_stopped(p->how->stop, err) && th_task_sample(t, &r, p->how->length, &b, err) &&
             add_string(p, &b, err);
    }
    return ok;
}

/* ---- logistic regression ---- */

/* Weights are (dim + 1, classes), the last row being the bias; columns of x have mean 0 and
 * deviation 1 among the fitted rows. */
typedef struct {
    gsl_matrix_const_view x;
    const int *label;
    size_t n, dim, classes;
    gsl_matrix *p; /* (n, classes) */
    double decay;
} Fit;

static void standardise(Level *v)
{
    size_t d = (size_t)v->dim;
    for (size_t j = 0; j < d; j++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < v->fitted; i++)
            mean += v->x[i * d + j] / (double)v->fitted;
        for (size_t i = 0; i < v->fitted; i++)
            square += pow(v->x[i * d + j] - mean, 2) / (double)v->fitted;
        double scale = square > 1e-12 ? 1 / sqrt(square) : 0;
        for (size_t i = 0; i < v->n; i++)
            v->x[i * d + j] = (v->x[i * d + j] - mean) * scale;
    }
}

/* Labels become 0 … classes-1 in order of appearance; one that the fitted rows lack -1. */
static int number_labels(Level *v, ThError *err)
{
    int most = 0, n = 0;
    for (size_t i = 0; i < v->n; i++)
        most = v->label[i] > most ? v->label[i] : most;
    int *number TH_OWNED(free) = th_alloc((size_t)most + 1, sizeof *number, err);
    for (size_t i = 0; number && i < v->n; i++) {
        int *to = &number[v->label[i]];
        if (*to == 0 && i < v->fitted)
            *to = ++n;
        v->label[i] = *to - 1;
    }
    return number ? n : -1;
}

static void multiply(const Fit *f, const gsl_vector *w)
{
    gsl_matrix_const_view all = gsl_matrix_const_view_vector(w, f->dim + 1, f->classes);
    gsl_matrix_const_view weight =
        gsl_matrix_const_submatrix(&all.matrix, 0, 0, f->dim, f->classes);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, &f->x.matrix, &weight.matrix, 0, f->p);
    for (size_t i = 0; i < f->n; i++)
        for (size_t c = 0; c < f->classes; c++)
            *gsl_matrix_ptr(f->p, i, c) += gsl_matrix_get(&all.matrix, f->dim, c);
}

/* Turns logits into probabilities and returns the mean loss. */
static double soften(const Fit *f)
{
    double loss = 0;
    for (size_t i = 0; i < f->n; i++) {
        double *p = gsl_matrix_ptr(f->p, i, 0), top = p[0], sum = 0;
        for (size_t c = 1; c < f->classes; c++)
            top = fmax(top, p[c]);
        for (size_t c = 0; c < f->classes; c++)
            sum += p[c] = exp(p[c] - top);
        for (size_t c = 0; c < f->classes; c++)
            p[c] /= sum;
        loss -= log(fmax(p[f->label[i]], 1e-300)) / (double)f->n;
    }
    return loss;
}

static double value(const gsl_vector *w, void *fit)
{
    const Fit *f = fit;
    multiply(f, w);
    return soften(f) + f->decay / 2 * pow(gsl_blas_dnrm2(w), 2);
}

/* The gradient; f->p holds the probabilities. */
static void slope(const Fit *f, const gsl_vector *w, gsl_vector *g)
{
    gsl_matrix_view all = gsl_matrix_view_vector(g, f->dim + 1, f->classes);
    gsl_matrix_view weight = gsl_matrix_submatrix(&all.matrix, 0, 0, f->dim, f->classes);
    for (size_t i = 0; i < f->n; i++)
        *gsl_matrix_ptr(f->p, i, (size_t)f->label[i]) -= 1;
    gsl_vector_set_zero(g);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1 / (double)f->n, &f->x.matrix, f->p, 0,
                   &weight.matrix);
    for (size_t i = 0; i < f->n; i++)
        for (size_t c = 0; c < f->classes; c++)
            *gsl_matrix_ptr(&all.matrix, f->dim, c) += gsl_matrix_get(f->p, i, c) / (double)f->n;
    gsl_blas_daxpy(f->decay, w, g);
}

static void value_and_slope(const gsl_vector *w, void *fit, double *v, gsl_vector *g)
{
    *v = value(w, fit);
    slope(fit, w, g);
}

static void only_slope(const gsl_vector *w, void *fit, gsl_vector *g)
{
    double v;
    value_and_slope(w, fit, &v, g);
}

static bool minimise(Fit *f, gsl_vector *w, ThStop *stop, ThError *err)
{
    enum { STEPS = 300 };
    gsl_multimin_function_fdf all = {value, only_slope, value_and_slope, w->size, f};
    gsl_multimin_fdfminimizer *z =
        gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, w->size);
    if (!z)
        return th_fail(err, TH_ENOMEM, "out of memory for a probe");
    bool ok = true;
    gsl_multimin_fdfminimizer_set(z, &all, w, 0.1, 0.1);
    for (int i = 0; ok && i < STEPS; i++) {
        if (gsl_multimin_fdfminimizer_iterate(z) || gsl_blas_dnrm2(z->gradient) < 1e-5)
            break;
        ok = !th_stopped(stop, err);
    }
    if (ok)
        gsl_vector_memcpy(w, z->x);
    gsl_multimin_fdfminimizer_free(z);
    return ok;
}

/* ---- the whole ---- */

static void judge(const Level *v, const gsl_vector *w, int classes, ThInspectProbed *to)
{
    size_t d = (size_t)v->dim, k = (size_t)classes;
    for (size_t i = v->fitted; i < v->n; i++) {
        int best = 0;
        double top = -HUGE_VAL;
        for (int c = 0; c < classes; c++) {
            double z = gsl_vector_get(w, d * k + (size_t)c);
            for (size_t j = 0; j < d; j++)
                z += v->x[i * d + j] * gsl_vector_get(w, j * k + (size_t)c);
            best = z > top ? c : best;
            top = fmax(top, z);
        }
        to->right += best == v->label[i];
    }
}

static void find_chance(const Level *v, int classes, ThInspectProbed *to)
{
    long long most = -1, held = 0;
    for (int c = 0; c < classes; c++) {
        long long count = 0, here = 0;
        for (size_t i = 0; i < v->n; i++) {
            count += i < v->fitted && v->label[i] == c;
            here += i >= v->fitted && v->label[i] == c;
        }
        if (count > most) {
            most = count;
            held = here;
        }
    }
    to->chance = (double)held / (double)to->held;
}

static bool probe_level(Level *v, ThStop *stop, ThInspectProbed *to, ThError *err)
{
    int classes = number_labels(v, err);
    *to = (ThInspectProbed){.dim = v->dim,
                            .n_labels = classes,
                            .fitted = (long long)v->fitted,
                            .held = (long long)(v->n - v->fitted)};
    if (classes < 0)
        return false;
    standardise(v);
    Fit f = {.x = gsl_matrix_const_view_array(v->x, v->fitted, (size_t)v->dim),
             .label = v->label,
             .n = v->fitted,
             .dim = (size_t)v->dim,
             .classes = (size_t)classes,
             .p = gsl_matrix_alloc(v->fitted, (size_t)classes),
             .decay = 1e-4};
    gsl_vector *w = gsl_vector_calloc((f.dim + 1) * f.classes);
    bool ok = f.p && w;
    if (!ok)
        th_fail(err, TH_ENOMEM, "out of memory for a probe");
    ok = ok && minimise(&f, w, stop, err);
    if (ok) {
        judge(v, w, classes, to);
        find_chance(v, classes, to);
        ThStatsInterval share = th_stats_share((double)to->right, (double)to->held);
        to->low = share.low;
        to->high = share.high;
    }
    if (f.p)
        gsl_matrix_free(f.p);
    if (w)
        gsl_vector_free(w);
    return ok;
}

static bool probe_all(Probe *p, const ThTask *t, ThInspectProbed **to, ThError *err)
{
    p->function = th_functions_new(p->how->machine, err);
    bool ok = p->function && collect(p, t, err);
    if (ok && p->n == 0)
        ok = th_fail(err, TH_EVALUE, "the model has no vectors to show");
    *to = ok ? th_alloc((size_t)p->n, sizeof **to, err) : NULL;
    ok = *to != NULL;
    for (int l = 0; ok && l < p->n; l++)
        ok = probe_level(&p->level[l], p->how->stop, &(*to)[l], err);
    return ok;
}

ThInspectProbed *th_inspect_probe(const ThModel *m, const ThTask *t, const ThInspectProbing *how,
                                  int *n, ThError *err)
{
    Probe p = {.m = m, .how = how};
    ThInspectProbed *to = NULL;
    bool ok = probe_all(&p, t, &to, err);
    for (int l = 0; l < p.n; l++)
        TH_FREE(p.level[l].x, p.level[l].label);
    free(p.level);
    th_functions_free(p.function);
    *n = p.n;
    return TH_KEEP_IF(ok, to, free);
}
