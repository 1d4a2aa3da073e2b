/* Clusters, routing paths and receptive fields against answers known in advance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>

#include "base/rng.h"
#include "inspect/clusters.h"
#include "inspect/receptive_field.h"
#include "inspect/state_functions.h"
#include "inspect/linkage.h"
#include "inspect/routing_path.h"
#include "lab/train.h"

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.9g is not within %.3g of %.9g", a, tolerance, b);
}

/* ---- the number of clusters ------------------------------------------------------------------ */

typedef struct {
    int clusters; /* 0: a uniform cube */
    size_t n, d;
    double distance;    /* of neighbouring centres from the origin */
    double least, most; /* radius of points of the tightest and of the widest level */
} Cloud;

/* Centres on the axes, at growing distances; every point belongs to one of nine levels, half as
 * many to each as to the one before, which are wider and wider. */
static double *make_cloud(const Cloud *c, int *truth, uint64_t seed)
{
    double *p = malloc(c->n * c->d * sizeof *p);
    ThRng r = th_rng(seed, "test.cloud", 0);
    for (size_t i = 0; i < c->n; i++) {
        int k = c->clusters ? (int)(i % (size_t)c->clusters) : 0, level = 0;
        while (level < 8 && th_rng_below(&r, 2))
            level++;
        double radius = c->least + (c->most - c->least) * level / 8;
        for (size_t j = 0; j < c->d; j++) {
            double at = j == (size_t)k % c->d ? c->distance * (1 + (double)k / (double)c->d) : 0;
            p[i * c->d + j] = c->clusters ? at + radius * th_rng_normal(&r) / sqrt((double)c->d)
                                          : th_rng_uniform(&r);
        }
        truth[i] = k;
    }
    return p;
}

static void check_cloud(const Cloud *c, uint64_t seed)
{
    int *truth = malloc(c->n * sizeof *truth), *found = malloc(c->n * sizeof *found), n;
    double *p = make_cloud(c, truth, seed);
    assert_true(th_linkage(p, c->n, c->d, found, &n, NULL, NULL));
    assert_int_equal(n, c->clusters ? c->clusters : 1);
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < i && j < 50; j++)
            assert_int_equal(truth[i] == truth[j], found[i] == found[j]);
    free(truth);
    free(found);
    free(p);
}

static void test_number_of_clusters(void **state)
{
    (void)state;
    static const Cloud clouds[] = {
        {2, 501, 32, 9, 0.05, 0.1}, {2, 501, 32, 9, 0.1, 2.4},  {5, 501, 32, 8, 0.2, 0.2},
        {5, 501, 32, 10, 0.1, 2.4}, {5, 2000, 8, 10, 0.3, 1.5}, {2, 63, 16, 9, 0.5, 2},
        {2, 1000, 256, 9, 0.5, 2},  {15, 900, 20, 9, 0.1, 1.5}, {0, 501, 2, 0, 0, 0},
        {0, 1500, 3, 0, 0, 0},      {0, 501, 32, 0, 0, 0},      {1, 501, 2, 0, 1, 1},
        {1, 501, 16, 0, 1, 1},
    };
    for (size_t i = 0; i < sizeof clouds / sizeof *clouds; i++)
        for (uint64_t seed = 1; seed <= 5; seed++)
            check_cloud(&clouds[i], seed);
}

/* A few stray points are no clusters of their own. */
static void test_strays(void **state)
{
    (void)state;
    enum { N = 400, D = 4 };
    double *p = calloc((size_t)N * D, sizeof *p);
    int found[N], n;
    ThRng r = th_rng(7, "test.strays", 0);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < D; j++)
            p[i * D + j] = 0.3 * th_rng_normal(&r);
        p[i * D] += i % 2 ? 10 : 0;
    }
    p[1] = 3;      /* off the first cloud */
    p[D + 2] = -3; /* off the second */
    assert_true(th_linkage(p, N, D, found, &n, NULL, NULL));
    assert_int_equal(n, 2);
    for (int i = 0; i < N; i++)
        assert_int_equal(found[i], i % 2);
    free(p);
}

static void test_degenerate_points(void **state)
{
    (void)state;
    double same[20] = {0}, bad[4] = {1, 2, (double)NAN, 4};
    int found[10], n;
    ThError err = {0};
    assert_true(th_linkage(same, 10, 2, found, &n, NULL, NULL));
    assert_int_equal(n, 1);
    assert_true(th_linkage(same, 1, 2, found, &n, NULL, NULL));
    assert_int_equal(n, 1);
    assert_false(th_linkage(same, 0, 2, found, &n, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    assert_false(th_linkage(bad, 2, 2, found, &n, NULL, &err));
    assert_int_equal(err.code, TH_ENUMERIC);
    static volatile sig_atomic_t stop = 1;
    err = (ThError){0};
    assert_false(th_linkage(same, 10, 2, found, &n, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
}

/* ---- functions of words ---------------------------------------------------------------------- */

static char letters[3][2] = {"a", "b", "c"};
static char *symbols[3] = {letters[0], letters[1], letters[2]};

/* Counts letters modulo n: a adds 0, b adds 1, c takes 1 away. */
static ThDfa *cycle(int n)
{
    ThDfa *d = th_dfa_new(n, 3, n, NULL);
    assert_non_null(d);
    for (int q = 0; q < n; q++) {
        d->label[q] = q;
        for (int a = 0; a < 3; a++)
            d->next[q * 3 + a] = (q + (a == 2 ? n - 1 : a)) % n;
    }
    return d;
}

static void test_functions(void **state)
{
    (void)state;
    ThDfa *d = cycle(5);
    ThFunctions *f = th_functions_new(d, NULL);
    int word[6] = {1, 1, 0, 1, 1, 2}; /* sums 1 2 2 3 4 3 */
    assert_int_equal(th_functions_index(f, word, 2, NULL), 0);
    assert_int_equal(th_functions_index(f, word, 3, NULL), 0);
    assert_int_equal(th_functions_index(f, word, 1, NULL), 1);
    assert_int_equal(th_functions_index(f, word, 6, NULL), 2);
    assert_int_equal(th_functions_index(f, word, 5, NULL), 3);
    assert_int_equal(th_functions_index(f, word + 2, 1, NULL), 4);
    char **words = th_functions_words(f, symbols, NULL, NULL);
    assert_non_null(words);
    static const char *const expected[] = {"bb", "b", "cc", "c", "a"};
    for (int i = 0; i < 5; i++)
        assert_string_equal(words[i], expected[i]);
    TH_FREE_EACH(words, 5);
    th_functions_free(f);
    th_dfa_free(d);
}

/* ---- traces made by hand ----------------------------------------------------------------------
 */

/* The collapse of `length` positions by chunks of C, as RegularGPT runs it. */
static ThModelTrace *make_trace(int length, int C, int heads, int dim)
{
    ThModelTrace *t = calloc(1, sizeof *t);
    int n = length, *end = malloc((size_t)length * sizeof *end),
        *begin = malloc((size_t)length * sizeof *begin);
    for (int i = 0; i < length; i++)
        end[i] = begin[i] = i;
    t->length = length;
    t->layer = calloc(40, sizeof *t->layer);
    do {
        ThModelTraceLayer *l = &t->layer[t->n_layers++];
        int pads = (C - n % C) % C, rows = (n + pads) / C;
        assert_true(th_model_trace_rows(
            l, &(ThModelTraceLayer){.n_rows = rows, .dim = dim, .n_heads = heads, .n_keys = C},
            NULL));
        for (int i = 0; i < rows; i++) {
            int right = (i + 1) * C - 1 - pads, left = right - C + 1;
            l->last[i] = end[right];
            l->first[i] = begin[left < 0 ? 0 : left];
            for (int k = 0; k < C; k++)
                l->key[i * C + k] = right - k < 0 ? TH_MODEL_KEY_PAD : end[right - k];
        }
        memcpy(end, l->last, (size_t)rows * sizeof *end);
        memcpy(begin, l->first, (size_t)rows * sizeof *begin);
        n = rows;
    } while (n > 1);
    free(end);
    free(begin);
    return t;
}

/* Vectors at the centre of their function, and a little beside it. */
static void place_vectors(ThModelTrace *t, const int *token, int modulus, int mixed_up)
{
    ThRng r = th_rng(3, "test.vectors", 0);
    for (int l = 0; l < t->n_layers; l++) {
        ThModelTraceLayer *y = &t->layer[l];
        for (int i = 0; i < y->n_rows; i++) {
            int sum = 0;
            for (int p = y->first[i]; p <= y->last[i]; p++)
                sum += token[p] == 2 ? modulus - 1 : token[p];
            if (l == 0 && i < mixed_up)
                sum++;
            for (int j = 0; j < y->dim; j++)
                y->state[i * y->dim + j] =
                    (j == sum % modulus ? 10 : 0) + 0.1 * (l + 1) * th_rng_normal(&r);
        }
    }
}

static void check_clusters(int length, int modulus, int mixed_up)
{
    ThModelTrace *t = make_trace(length, 2, 2, 8);
    ThDfa *d = cycle(modulus);
    ThRng r = th_rng(1, "test.tokens", 0);
    ThError err = {0};
    int *token = malloc((size_t)length * sizeof *token), points = 0;
    for (int i = 0; i < length; i++)
        token[i] = (int)th_rng_below(&r, 3);
    place_vectors(t, token, modulus, mixed_up);
    ThClusters *c = th_clusters(t, d, token, symbols, NULL, &err);
    assert_non_null(c);
    assert_int_equal(c->n_clusters, modulus);
    assert_int_equal(c->n_functions, modulus);
    for (int l = 0; l < t->n_layers; l++) {
        points += t->layer[l].n_rows;
        assert_int_equal(c->layer[l].points, t->layer[l].n_rows);
        double wrong = l == 0 ? mixed_up : 0;
        assert_near(c->layer[l].purity, 1 - wrong / t->layer[l].n_rows, 1e-12);
    }
    assert_int_equal(c->n_points, points);
    assert_near(c->purity, 1 - (double)mixed_up / points, 1e-12);
    /* The centres are the corners of a regular simplex with edges of 10 √2. */
    assert_near(c->gap, 10 * sqrt(2), 0.5);
    assert_true(c->spread > 0.3 && c->spread < 1.5);
    assert_string_equal(c->function[0], "a");
    th_clusters_free(c);
    th_model_trace_free(t);
    th_dfa_free(d);
    free(token);
}

static void test_clusters(void **state)
{
    (void)state;
    check_clusters(500, 2, 0);
    check_clusters(500, 5, 0);
    check_clusters(497, 5, 7);
    check_clusters(40, 2, 3);
}

/* Three functions at 0, 6 and 20 on a line: the gap is the least distance, not another. */
static void test_gap(void **state)
{
    (void)state;
    static const double at[3] = {0, 6, 20};
    ThModelTrace *t = make_trace(300, 2, 1, 4);
    ThDfa *d = cycle(3);
    ThRng r = th_rng(2, "test.gap", 0);
    int token[300];
    for (int i = 0; i < 300; i++)
        token[i] = (int)th_rng_below(&r, 3);
    for (int l = 0; l < t->n_layers; l++) {
        ThModelTraceLayer *y = &t->layer[l];
        for (int i = 0; i < y->n_rows; i++) {
            int sum = 0;
            for (int p = y->first[i]; p <= y->last[i]; p++)
                sum += token[p];
            for (int j = 0; j < y->dim; j++)
                y->state[i * y->dim + j] = (j == 1 ? at[sum % 3] : 0) + 0.1 * th_rng_normal(&r);
        }
    }
    ThClusters *c = th_clusters(t, d, token, symbols, NULL, NULL);
    assert_non_null(c);
    assert_int_equal(c->n_clusters, 3);
    assert_near(c->gap, 6, 0.1);
    assert_near(c->spread, 0.2, 0.05);
    th_clusters_free(c);
    th_model_trace_free(t);
    th_dfa_free(d);
}

/* Both components against a plane that is known: one direction carries nine times the other. */
static void test_components(void **state)
{
    (void)state;
    ThModelTrace *t = make_trace(500, 2, 1, 3);
    int token[500] = {0};
    ThDfa *d = cycle(2);
    for (int l = 0, n = 0; l < t->n_layers; l++) {
        for (int i = 0; i < t->layer[l].n_rows; i++, n++) {
            double *v = t->layer[l].state + i * 3, a = n % 2 ? 3 : -3, b = n / 2 % 2 ? 1 : -1;
            v[0] = 7 + (a + b) / sqrt(2);
            v[1] = -2 + (a - b) / sqrt(2);
            v[2] = 5;
        }
    }
    ThClusters *c = th_clusters(t, d, token, symbols, NULL, NULL);
    assert_non_null(c);
    assert_near(c->variance[0], 0.9, 0.01);
    assert_near(c->variance[1], 0.1, 0.01);
    for (int i = 0; i < c->n_points; i++) {
        assert_near(fabs(c->point[i].x), 3, 0.05);
        assert_near(fabs(c->point[i].y), 1, 0.05);
    }
    assert_int_equal(c->n_functions, 1);
    assert_near(c->purity, 1, 0);
    th_clusters_free(c);
    th_model_trace_free(t);
    th_dfa_free(d);
}

static void test_cluster_errors(void **state)
{
    (void)state;
    ThModelTrace empty = {.length = 3};
    int token[3] = {0};
    ThDfa *d = cycle(2);
    ThError err = {0};
    assert_null(th_clusters(&empty, d, token, symbols, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    ThModelTrace *t = make_trace(8, 2, 1, 2);
    int word[8] = {0};
    t->layer[1].state[1] = HUGE_VAL;
    err = (ThError){0};
    assert_null(th_clusters(t, d, word, symbols, NULL, &err));
    assert_int_equal(err.code, TH_ENUMERIC);
    th_model_trace_free(t);
    th_dfa_free(d);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void test_path_of_collapse(void **state)
{
    (void)state;
    ThModelTrace *t = make_trace(11, 3, 2, 2);
    ThPath *p = th_path_of_trace(t, NULL);
    assert_non_null(p);
    assert_true(p->routed);
    for (int l = 0; l < t->n_layers; l++)
        for (int i = 0; i < t->layer[l].n_rows; i++)
            assert_true(p->row[l][i]); /* nothing is computed in vain */
    th_path_free(p);
    th_model_trace_free(t);
}

/* In the dilated form every position has a row, and only the tree below the last one counts. */
static void test_path_of_dilated_form(void **state)
{
    (void)state;
    enum { T = 8, LEVELS = 3 };
    ThModelTrace t = {.length = T};
    assert_true(th_model_trace_layers(&t, LEVELS, NULL));
    for (int l = 0, step = 1; l < LEVELS; l++, step *= 2) {
        ThModelTraceLayer *y = &t.layer[l];
        assert_true(th_model_trace_rows(
            y, &(ThModelTraceLayer){.n_rows = T, .dim = 1, .n_heads = 1, .n_keys = 2}, NULL));
        for (int i = 0; i < T; i++) {
            y->last[i] = y->key[2 * i] = i;
            y->key[2 * i + 1] = i - step < 0 ? TH_MODEL_KEY_PAD : i - step;
        }
    }
    ThPath *p = th_path_of_trace(&t, NULL);
    assert_non_null(p);
    for (int i = 0; i < T; i++) {
        assert_int_equal(p->row[2][i], i == 7);
        assert_int_equal(p->row[1][i], i == 7 || i == 3);
        assert_int_equal(p->row[0][i], i % 2 == 1);
    }
    th_path_free(p);
    for (int l = 0; l < LEVELS; l++) {
        free(t.layer[l].first);
        free(t.layer[l].last);
        free(t.layer[l].state);
        free(t.layer[l].key);
        free(t.layer[l].weight);
    }
    free(t.layer);
}

static void test_path_needs_attention(void **state)
{
    (void)state;
    ThModelTraceLayer layer = {.n_rows = 2};
    ThModelTrace t = {.length = 2, .n_layers = 1, .layer = &layer}, none = {.length = 2};
    ThError err = {0};
    assert_null(th_path_of_trace(&t, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    assert_null(th_path_of_trace(&none, &err));
    assert_int_equal(err.code, TH_EVALUE);
}

/* ---- receptive fields -------------------------------------------------------------------------
 */

static ThTask *make_task(const char *kind)
{
    ThOptions o = {0};
    const ThTaskKind *k = th_task_kind(kind);
    assert_true(th_options_init(&o, k->options, NULL));
    ThTask *t = th_task_new(k, &o, NULL, NULL);
    assert_non_null(t);
    th_options_free(&o);
    return t;
}

static ThModel *make_model(const char *kind, const char *option, const char *value, const ThTask *t)
{
    ThOptions o = {0};
    const ThModelKind *k = th_model_kind(kind);
    assert_true(th_options_init(&o, k->options, NULL));
    assert_true(th_options_set(&o, option, value, NULL));
    ThModel *m = th_model_new(k, &o, NULL);
    assert_non_null(m);
    assert_true(th_model_bind(m, &t->signature, 5, NULL));
    th_options_free(&o);
    return m;
}

static void check_field(const char *kind, const char *option, const char *value)
{
    ThTask *t = make_task("parity");
    ThModel *m = make_model(kind, option, value, t);
    ThError err = {0};
    ThField *f = th_field(m, t, 33, 3, 11, NULL, &err);
    if (!f)
        fail_msg("%s: %s", kind, err.msg);
    assert_int_equal(f->length, 33);
    assert_near(f->cumulative[0], 1, 1e-12);
    for (int i = 1; i < 33; i++)
        assert_true(f->cumulative[i] >= 0 && f->cumulative[i] <= f->cumulative[i - 1] + 1e-15);
    int from = (int)lround(33 * (1 - f->reach));
    assert_true(f->cumulative[from] >= 0.99);
    assert_true(from == 32 || f->cumulative[from + 1] < 0.99);
    th_field_free(f);
    th_model_free(m);
    th_task_free(t);
}

static void test_field(void **state)
{
    (void)state;
    check_field("regulargpt", "dim", "16");
    check_field("transformer", "dim", "16");
    check_field("lstm", "dim", "16");
}

/* A gradient by finite differences of nothing but the model's own answers. */
static void test_field_agrees_with_differences(void **state)
{
    (void)state;
    ThTask *t = make_task("parity");
    ThModel *m = make_model("regulargpt", "dim", "16", t);
    enum { T = 6 };
    ThField *f = th_field(m, t, T, 1, 11, NULL, NULL);
    assert_non_null(f);
    ThBatch b = {.B = 1};
    ThRng r = th_rng(11, "inspect.field", 0);
    assert_true(th_task_sample(t, &r, T, &b, NULL));
    /* Every position gets a symbol of its own, so that its embedding can be moved alone: a model
     * with an alphabet of T symbols whose first rows are those of the string. */
    ThSignature wide = {
        .target = TH_TARGET_FINAL, .n_symbols = T, .n_classes = m->signature.n_classes};
    char names[T][2], *name[T];
    int word[T];
    for (int i = 0; i < T; i++) {
        names[i][0] = (char)('a' + i);
        names[i][1] = '\0';
        name[i] = names[i];
        word[i] = i;
    }
    wide.symbol = name;
    wide.label = m->signature.label;
    ThModel *w = th_model_new(m->kind, &m->options, NULL);
    assert_true(th_model_bind(w, &wide, 5, NULL));
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *from = &m->params.item[i], *to = &w->params.item[i];
        bool table = from->rows != to->rows;
        for (int row = 0; row < (table ? T : from->rows); row++)
            memcpy(w->params.value + to->offset + (size_t)row * to->cols,
                   m->params.value + from->offset +
                       (size_t)(table ? b.token[row] : row) * from->cols,
                   (size_t)from->cols * sizeof(float));
    }
    int embedding = -1;
    for (int i = 0; i < m->params.n; i++)
        if (m->params.item[i].rows != w->params.item[i].rows)
            embedding = i;
    assert_true(embedding >= 0);
    ThTape *tape = th_tape_new(TH_TAPE_DOUBLE, &w->params, NULL);
    double *value = th_tape_params_double(tape), norm[T] = {0}, total = 0, z[8];
    const ThParam *e = &w->params.item[embedding];
    int best = 0;
    for (int position = 0; position < T; position++) {
        for (int j = 0; j < e->cols; j++) {
            double *x = &value[e->offset + (size_t)position * e->cols + j], at = *x, side[2];
            for (int s = 0; s < 2; s++) {
                *x = at + (s ? 1e-5 : -1e-5);
                th_tape_begin(tape, TH_TAPE_NO_GRADIENT);
                ThVar answer = w->kind->forward(w, tape, &(ThBatch){.B = 1, .T = T, .token = word},
                                                &(ThModelForward){.share = false});
                th_tape_read(tape, answer, z);
                best = z[1] > z[0];
                side[s] = z[best];
            }
            *x = at;
            norm[position] += pow((side[1] - side[0]) / 2e-5, 2);
        }
        norm[position] = sqrt(norm[position]);
        total += norm[position];
    }
    double carried = 0;
    for (int position = T - 1; position >= 0; position--) {
        carried += norm[position] / total;
        assert_near(f->cumulative[position], carried, 1e-4);
    }
    th_tape_free(tape);
    th_model_free(w);
    th_batch_free(&b);
    th_field_free(f);
    th_model_free(m);
    th_task_free(t);
}

static void test_field_errors(void **state)
{
    (void)state;
    ThTask *t = make_task("parity"), *other = make_task("cycle_navigation");
    ThModel *m = make_model("regulargpt", "dim", "16", t);
    ThError err = {0};
    assert_null(th_field(m, other, 10, 1, 1, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
    static volatile sig_atomic_t stop = 1;
    err = (ThError){0};
    assert_null(th_field(m, t, 10, 1, 1, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    memset(m->params.value, 0, m->params.total * sizeof *m->params.value);
    err = (ThError){0};
    assert_null(th_field(m, t, 10, 1, 1, NULL, &err));
    assert_int_equal(err.code, TH_ENUMERIC);
    th_model_free(m);
    th_task_free(t);
    th_task_free(other);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_of_clusters),
        cmocka_unit_test(test_strays),
        cmocka_unit_test(test_degenerate_points),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_cluster_errors),
        cmocka_unit_test(test_path_of_collapse),
        cmocka_unit_test(test_path_of_dilated_form),
        cmocka_unit_test(test_path_needs_attention),
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_field_agrees_with_differences),
        cmocka_unit_test(test_field_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
