#include "inspect/clusters.h"

#include <math.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_matrix.h>

#include "inspect/state_functions.h"
#include "inspect/linkage.h"

/* Components that carry less than this share of the variance are left out of distances. */
static const double NEGLIGIBLE = 1e-9;

/* The vectors of all layers on their principal components. */
typedef struct {
    size_t n, d, kept;
    gsl_matrix *row;   /* (n,d), centred */
    gsl_matrix *axis;  /* (d,d): columns are the components, by falling variance */
    gsl_vector *power; /* (d): their variances */
    double *at;        /* (n,kept): coordinates */
} Projection;

static void free_projection(Projection *p)
{
    if (p->row)
        gsl_matrix_free(p->row);
    if (p->axis)
        gsl_matrix_free(p->axis);
    if (p->power)
        gsl_vector_free(p->power);
    free(p->at);
}

static bool stack_rows(Projection *p, const ThModelTrace *trace, ThError *err)
{
    size_t i = 0;
    p->row = gsl_matrix_alloc(p->n, p->d);
    if (!p->row)
        return th_fail(err, TH_ENOMEM, "out of memory for %zu vectors", p->n);
    for (int l = 0; l < trace->n_layers; l++)
        for (int r = 0; r < trace->layer[l].n_rows; r++, i++)
            memcpy(gsl_matrix_ptr(p->row, i, 0), trace->layer[l].state + (size_t)r * p->d,
                   p->d * sizeof(double));
    for (size_t j = 0; j < p->d; j++) {
        double mean = 0;
        for (size_t k = 0; k < p->n; k++)
            mean += gsl_matrix_get(p->row, k, j) / (double)p->n;
        if (!isfinite(mean))
            return th_fail(err, TH_ENUMERIC, "a hidden vector is not finite");
        for (size_t k = 0; k < p->n; k++)
            *gsl_matrix_ptr(p->row, k, j) -= mean;
    }
    return true;
}

/* A component's sign is arbitrary: its largest entry is made positive. */
static void orient(gsl_matrix *axis)
{
    for (size_t j = 0; j < axis->size2; j++) {
        gsl_vector_view column = gsl_matrix_column(axis, j);
        size_t at = 0;
        for (size_t i = 1; i < axis->size1; i++)
            if (fabs(gsl_vector_get(&column.vector, i)) >
                1.0000001 * fabs(gsl_vector_get(&column.vector, at)))
                at = i;
        if (gsl_vector_get(&column.vector, at) < 0)
            gsl_vector_scale(&column.vector, -1);
    }
}

static bool find_axes(Projection *p, ThError *err)
{
    gsl_matrix *covariance = gsl_matrix_calloc(p->d, p->d);
    gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(p->d);
    p->axis = gsl_matrix_alloc(p->d, p->d);
    p->power = gsl_vector_alloc(p->d);
    bool ok = covariance && work && p->axis && p->power;
    if (!ok) {
        th_fail(err, TH_ENOMEM, "out of memory for a covariance of %zu by %zu", p->d, p->d);
    } else {
        gsl_blas_dsyrk(CblasLower, CblasTrans, 1 / (double)p->n, p->row, 0, covariance);
        ok = gsl_eigen_symmv(covariance, p->power, p->axis, work) == 0;
        if (!ok)
            th_fail(err, TH_ENUMERIC, "the principal components do not converge");
    }
    if (ok) {
        gsl_eigen_symmv_sort(p->power, p->axis, GSL_EIGEN_SORT_VAL_DESC);
        orient(p->axis);
    }
    if (covariance)
        gsl_matrix_free(covariance);
    if (work)
        gsl_eigen_symmv_free(work);
    return ok;
}

static double total_power(const Projection *p)
{
    double total = 0;
    for (size_t j = 0; j < p->d; j++)
        total += fmax(0, gsl_vector_get(p->power, j));
    return total;
}

static bool project(Projection *p, ThError *err)
{
    double least = NEGLIGIBLE * total_power(p);
    p->kept = p->d < 2 ? p->d : 2;
    while (p->kept < p->d && gsl_vector_get(p->power, p->kept) > least)
        p->kept++;
    p->at = th_alloc(p->n * p->kept, sizeof *p->at, err);
    if (!p->at)
        return false;
    gsl_matrix_view to = gsl_matrix_view_array(p->at, p->n, p->kept);
    gsl_matrix_view axes = gsl_matrix_submatrix(p->axis, 0, 0, p->d, p->kept);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, p->row, &axes.matrix, 0, &to.matrix);
    return true;
}

static bool start(Projection *p, ThClusters *c, const ThModelTrace *trace, ThError *err)
{
    if (trace->n_layers == 0)
        return th_fail(err, TH_EVALUE, "the model has no layers to show");
    p->d = (size_t)trace->layer[0].dim;
    for (int l = 0; l < trace->n_layers; l++) {
        if ((size_t)trace->layer[l].dim != p->d || p->d == 0)
            return th_fail(err, TH_EVALUE, "the layers' vectors differ in width");
        p->n += (size_t)trace->layer[l].n_rows;
    }
    if (p->n < 2)
        return th_fail(err, TH_EVALUE, "%s",
                       trace->length < 2
                           ? "one vector forms no clusters; take a longer string"
                           : "one vector forms no clusters: of the last layer it has only the one "
                             "that answers, and there is no layer before");
    c->length = trace->length;
    c->n_points = (int)p->n;
    c->n_layers = trace->n_layers;
    c->point = th_alloc(p->n, sizeof *c->point, err);
    c->layer = th_alloc((size_t)c->n_layers, sizeof *c->layer, err);
    return c->point && c->layer;
}

static void place(ThClusters *c, const Projection *p, const ThModelTrace *trace)
{
    double total = total_power(p);
    for (size_t j = 0; j < 2 && j < p->d && total > 0; j++)
        c->variance[j] = fmax(0, gsl_vector_get(p->power, j)) / total;
    size_t i = 0;
    for (int l = 0; l < trace->n_layers; l++) {
        const ThModelTraceLayer *layer = &trace->layer[l];
        c->layer[l].layer = l;
        c->layer[l].points = layer->n_rows;
        for (int r = 0; r < layer->n_rows; r++, i++)
            c->point[i] = (ThClustersPoint){.layer = l,
                                            .first = layer->first[r],
                                            .last = layer->last[r],
                                            .x = p->at[i * p->kept],
                                            .y = p->kept > 1 ? p->at[i * p->kept + 1] : 0};
    }
}

typedef struct {
    char *word;
    int index;
} NamedFunction;

static int by_word(const void *a, const void *b)
{
    const NamedFunction *x = a, *y = b;
    size_t n = th_utf8_length(x->word), m = th_utf8_length(y->word);
    return n != m ? (n < m ? -1 : 1) : strcmp(x->word, y->word);
}

/* Numbers the functions by their words, short ones first. */
static bool sort_functions(ThClusters *c, ThError *err)
{
    size_t n = (size_t)c->n_functions;
    NamedFunction *named TH_OWNED(free) = th_alloc(n, sizeof *named, err);
    int *place TH_OWNED(free) = th_alloc(n, sizeof *place, err);
    bool ok = named && place;
    for (size_t f = 0; ok && f < n; f++)
        named[f] = (NamedFunction){c->function[f], (int)f};
    if (ok)
        qsort(named, n, sizeof *named, by_word);
    for (size_t f = 0; ok && f < n; f++) {
        c->function[f] = named[f].word;
        place[named[f].index] = (int)f;
    }
    for (int i = 0; ok && i < c->n_points; i++)
        c->point[i].function = place[c->point[i].function];
    return ok;
}

/* Pads act as the identity, so a vector's function is that of the positions that it covers. */
static bool find_functions(ThClusters *c, const ThDfa *machine, const int *token,
                           char *const *symbol, ThStop *stop, ThError *err)
{
    ThFunctions *f TH_OWNED(th_functions_free) = th_functions_new(machine, err);
    bool ok = f != NULL;
    for (int i = 0; ok && i < c->n_points; i++) {
        ThClustersPoint *p = &c->point[i];
        p->function = th_functions_index(f, token + p->first, p->last - p->first + 1, err);
        ok = p->function >= 0 && !th_stopped(stop, err);
    }
    if (ok) {
        c->function = th_functions_words(f, symbol, stop, err);
        c->n_functions = c->function ? th_functions_count(f) : 0;
    }
    return ok && c->function && sort_functions(c, err);
}

static bool find_clusters(ThClusters *c, const Projection *p, ThStop *stop, ThError *err)
{
    int *cluster TH_OWNED(free) = th_alloc(p->n, sizeof *cluster, err);
    bool ok = cluster && th_linkage(p->at, p->n, p->kept, cluster, &c->n_clusters, stop, err);
    for (size_t i = 0; ok && i < p->n; i++)
        c->point[i].cluster = cluster[i];
    return ok;
}

static bool measure_purity(ThClusters *c, ThError *err)
{
    size_t nf = (size_t)c->n_functions, nc = (size_t)c->n_clusters;
    int *count TH_OWNED(free) = th_alloc(nc * nf, sizeof *count, err);
    int *majority TH_OWNED(free) = th_alloc(nc, sizeof *majority, err);
    bool *seen TH_OWNED(free) = th_alloc((size_t)c->n_layers * nc, sizeof *seen, err);
    bool ok = count && majority && seen;
    for (int i = 0; ok && i < c->n_points; i++) {
        const ThClustersPoint *p = &c->point[i];
        int *row = count + (size_t)p->cluster * nf;
        if (++row[p->function] > row[majority[p->cluster]])
            majority[p->cluster] = p->function;
    }
    for (int i = 0; ok && i < c->n_points; i++) {
        const ThClustersPoint *p = &c->point[i];
        ThClustersLayer *layer = &c->layer[p->layer];
        /* Counts first: a share of all must be 1 exactly. */
        layer->purity += majority[p->cluster] == p->function;
        c->purity += majority[p->cluster] == p->function;
        bool *mark = &seen[(size_t)p->layer * nc + (size_t)p->cluster];
        layer->clusters += !*mark;
        *mark = true;
    }
    for (int l = 0; ok && l < c->n_layers; l++)
        c->layer[l].purity /= c->layer[l].points;
    c->purity /= c->n_points;
    return ok;
}

/* gap and spread. */
static bool measure_separation(ThClusters *c, const Projection *p, ThError *err)
{
    size_t nc = (size_t)c->n_clusters, d = p->kept;
    double *centre TH_OWNED(free) = th_alloc(nc * d, sizeof *centre, err);
    double *size TH_OWNED(free) = th_alloc(nc, sizeof *size, err);
    bool ok = centre && size;
    for (size_t i = 0; ok && i < p->n; i++)
        size[c->point[i].cluster]++;
    for (size_t i = 0; ok && i < p->n * d; i++) {
        size_t k = (size_t)c->point[i / d].cluster;
        centre[k * d + i % d] += p->at[i] / size[k];
    }
    double squares = 0, gap = HUGE_VAL;
    for (size_t i = 0; ok && i < p->n * d; i++)
        squares += pow(p->at[i] - centre[(size_t)c->point[i / d].cluster * d + i % d], 2);
    for (size_t a = 0; ok && a < nc; a++) {
        for (size_t b = 0; b < a; b++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++)
                sum += pow(centre[a * d + j] - centre[b * d + j], 2);
            gap = fmin(gap, sqrt(sum));
        }
    }
    c->spread = sqrt(squares / (double)p->n);
    c->gap = nc > 1 ? gap : 0;
    return ok;
}

ThClusters *th_clusters(const ThModelTrace *trace, const ThDfa *machine, const int *token,
                        char *const *symbol, ThStop *stop, ThError *err)
{
    Projection p = {0};
    ThClusters *c = th_alloc(1, sizeof *c, err);
    bool ok = c && start(&p, c, trace, err) && stack_rows(&p, trace, err) && find_axes(&p, err) &&
              project(&p, err);
    if (ok)
        place(c, &p, trace);
    if (ok)
        c->token = th_copy(token, (size_t)c->length, sizeof *c->token, err);
    ok = ok && c->token && find_functions(c, machine, token, symbol, stop, err) &&
         find_clusters(c, &p, stop, err) && measure_purity(c, err) &&
         measure_separation(c, &p, err);
    free_projection(&p);
    return TH_KEEP_IF(ok, c, th_clusters_free);
}

void th_clusters_free(ThClusters *c)
{
    if (!c)
        return;
    TH_FREE_EACH(c->function, c->n_functions);
    TH_FREE(c->token, c->point, c->layer, c);
}
