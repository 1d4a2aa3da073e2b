/* Figures of clusters, paths and fields on vectors whose places are known. */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "inspect/clusters.h"
#include "inspect/receptive_field.h"
#include "inspect/state_functions.h"
#include "inspect/linkage.h"
#include "inspect/routing_path.h"

static char *symbols[] = {(char[]){"a"}, (char[]){"b"}, (char[]){"c"}};

static void assert_near(double got, double wanted, double apart)
{
    if (!(fabs(got - wanted) <= apart))
        fail_msg("%.12g is not %.12g", got, wanted);
}

/* The integers modulo n: a adds nothing, b one, c takes one away. */
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

/* One layer of a vector for each symbol. */
static ThModelTrace *one_layer(int n, int dim)
{
    ThModelTrace *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->length = n;
    assert_true(th_model_trace_layers(t, 1, NULL));
    ThModelTraceLayer shape = {.n_rows = n, .dim = dim, .n_heads = 2, .n_keys = 1};
    assert_true(th_model_trace_rows(&t->layer[0], &shape, NULL));
    for (int i = 0; i < n; i++)
        t->layer[0].first[i] = t->layer[0].last[i] = i;
    return t;
}

enum { N = 96 };

/* Symbols a, b and c stand at 0, 3 and 10 on an axis, a tenth above or below it. */
static void test_gap_and_spread(void **state)
{
    (void)state;
    ThModelTrace *t = one_layer(N, 2);
    ThDfa *d = cycle(3);
    int token[N];
    for (int i = 0; i < N; i++) {
        token[i] = i % 3;
        t->layer[0].state[2 * i] = (double[]){0, 3, 10}[i % 3];
        t->layer[0].state[2 * i + 1] = i / 3 % 2 ? 0.1 : -0.1;
    }
    ThClusters *c = th_clusters(t, d, token, symbols, NULL, NULL);
    assert_non_null(c);
    th_model_trace_free(t);
    th_dfa_free(d);
    assert_int_equal(c->n_clusters, 3);
    assert_near(c->purity, 1, 0);
    assert_near(c->gap, 3, 1e-9); /* the least of 3, 7 and 10 */
    assert_near(c->spread, 0.1, 1e-9);
    double first = (pow(13.0 / 3, 2) + pow(4.0 / 3, 2) + pow(17.0 / 3, 2)) / 3;
    assert_near(c->variance[0], first / (first + 0.01), 1e-9);
    assert_near(c->variance[1], 0.01 / (first + 0.01), 1e-9);
    th_clusters_free(c);
}

/* A component points to where its largest entry is positive: figures do not turn over by chance.
 * Symbols a and c stand ten apart in some direction of a space, with a little noise. */
static void test_signs(void **state)
{
    (void)state;
    enum { D = 6 };
    ThDfa *d = cycle(3);
    for (uint64_t k = 0; k < 20; k++) {
        ThRng r = th_rng(k, "test.direction", 0);
        ThModelTrace *t = one_layer(N, D);
        double u[D], size = 0, greatest = 0;
        int token[N];
        for (int j = 0; j < D; j++) {
            u[j] = th_rng_normal(&r);
            size += u[j] * u[j];
            greatest = fabs(u[j]) > fabs(greatest) ? u[j] : greatest;
        }
        for (int i = 0; i < N; i++) {
            token[i] = i % 2 ? 2 : 0;
            for (int j = 0; j < D; j++)
                t->layer[0].state[i * D + j] =
                    (i % 2 ? 10 * u[j] / sqrt(size) : 0) + 0.01 * th_rng_normal(&r);
        }
        ThClusters *c = th_clusters(t, d, token, symbols, NULL, NULL);
        assert_non_null(c);
        assert_near(c->point[1].x - c->point[0].x, copysign(10, greatest), 0.2);
        th_clusters_free(c);
        th_model_trace_free(t);
    }
    th_dfa_free(d);
}

/* Eight corners of a box; along the third axis there is 3 % of the variance, and half of the
 * clusters. */
static void test_small_components_count(void **state)
{
    (void)state;
    ThModelTrace *t = one_layer(N, 3);
    ThDfa *d = cycle(3);
    int token[N] = {0};
    for (int i = 0; i < N; i++) {
        double *v = t->layer[0].state + 3 * i;
        v[0] = i % 2 * 100;
        v[1] = i / 2 % 2 * 60;
        v[2] = i / 4 % 2 * 20;
    }
    ThClusters *c = th_clusters(t, d, token, symbols, NULL, NULL);
    assert_non_null(c);
    assert_int_equal(c->n_clusters, 8);
    assert_near(c->gap, 20, 1e-9);
    assert_near(c->spread, 0, 1e-9);
    th_clusters_free(c);
    th_model_trace_free(t);
    th_dfa_free(d);
}

/* The majority of a cluster is that of all layers together. */
static void test_purity(void **state)
{
    (void)state;
    ThModelTrace *t = calloc(1, sizeof *t);
    assert_true(th_model_trace_layers(t, 2, NULL));
    static const int rows[] = {30, 10};
    for (int l = 0; l < 2; l++) {
        ThModelTraceLayer shape = {.n_rows = rows[l], .dim = 1, .n_heads = 1, .n_keys = 1};
        assert_true(th_model_trace_rows(&t->layer[l], &shape, NULL));
        for (int i = 0; i < rows[l]; i++)
            t->layer[l].first[i] = t->layer[l].last[i] = l; /* symbol 0, then symbol 1 */
    }
    t->length = 2;
    t->layer[0].state[0] = 1e-12;
    ThDfa *d = cycle(2);
    ThClusters *c = th_clusters(t, d, (int[]){0, 1}, symbols, NULL, NULL);
    assert_non_null(c);
    assert_int_equal(c->n_clusters, 1);
    assert_int_equal(c->n_functions, 2);
    assert_near(c->layer[0].purity, 1, 0);
    assert_near(c->layer[1].purity, 0, 0);
    assert_near(c->purity, 0.75, 1e-12);
    assert_int_equal(c->layer[0].clusters, 1);
    assert_int_equal(c->layer[1].clusters, 1);
    th_clusters_free(c);
    th_model_trace_free(t);
    th_dfa_free(d);
}

/* Points that stand further off than the clusters from each other join the nearer one. */
static void test_far_strays(void **state)
{
    (void)state;
    double x[N];
    int found[N], n;
    for (int i = 0; i < N; i++)
        x[i] = i % 2 * 10 + 0.1 * (i % 5);
    x[4] = -30;
    x[5] = 50;
    assert_true(th_linkage(x, N, 1, found, &n, NULL, NULL));
    assert_int_equal(n, 2);
    for (int i = 0; i < N; i++)
        assert_int_equal(found[i], i % 2);
}

/* Words that are too long to show end in an ellipsis. */
static void test_long_words(void **state)
{
    (void)state;
    ThDfa *d = cycle(80);
    ThFunctions *f = th_functions_new(d, NULL);
    int word[30];
    for (int i = 0; i < 30; i++)
        word[i] = 1;
    assert_int_equal(th_functions_index(f, word, 30, NULL), 0);
    assert_int_equal(th_functions_index(f, word, 24, NULL), 1);
    char **words = th_functions_words(f, symbols, NULL, NULL);
    assert_non_null(words);
    assert_string_equal(words[0], "bbbbbbbbbbbbbbbbbbbbbbbb…");
    assert_string_equal(words[1], "bbbbbbbbbbbbbbbbbbbbbbbb");
    TH_FREE_EACH(words, 2);
    th_functions_free(f);
    th_dfa_free(d);
}

static void test_weights(void **state)
{
    (void)state;
    ThModelTraceLayer l = {0};
    ThModelTraceLayer shape = {.n_rows = 2, .dim = 1, .n_heads = 3, .n_keys = 2};
    assert_true(th_model_trace_rows(&l, &shape, NULL));
    for (int i = 0; i < 12; i++)
        l.weight[i] = i; /* (heads, rows, keys) */
    assert_near(th_path_weight(&l, 2, 1, 0), 10, 0);
    assert_near(th_path_mean_weight(&l, 1, 0), 6, 0);
    assert_near(th_path_mean_weight(&l, 0, 1), 5, 0);
    free(l.first);
    free(l.last);
    free(l.state);
    free(l.key);
    free(l.weight);
}

/* Where rows attend to all positions, masked ones among them, there is nothing to follow: the path
 * is the last row of every layer. */
static void test_path_of_full_attention(void **state)
{
    (void)state;
    enum { LENGTH = 3, LAYERS = 2 };
    for (int causal = 0; causal < 2; causal++) {
        ThModelTrace *t = calloc(1, sizeof *t);
        assert_non_null(t);
        t->length = LENGTH;
        assert_true(th_model_trace_layers(t, LAYERS, NULL));
        for (int l = 0; l < LAYERS; l++) {
            ThModelTraceLayer shape = {.n_rows = LENGTH, .dim = 1, .n_heads = 1, .n_keys = LENGTH};
            assert_true(th_model_trace_rows(&t->layer[l], &shape, NULL));
            for (int i = 0; i < LENGTH * LENGTH; i++) {
                int row = i / LENGTH, key = i % LENGTH;
                t->layer[l].last[row] = row;
                t->layer[l].key[i] = causal && key > row ? TH_MODEL_KEY_MASKED : key;
            }
        }
        ThPath *p = th_path_of_trace(t, NULL);
        assert_non_null(p);
        assert_false(p->routed);
        for (int l = 0; l < LAYERS; l++)
            for (int i = 0; i < LENGTH; i++)
                assert_int_equal(p->row[l][i], i == LENGTH - 1);
        th_path_free(p);
        th_model_trace_free(t);
    }
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Where every position answers it is the last answer that counts, which has read all. */
static void test_field_of_the_last_answer(void **state)
{
    (void)state;
    ThTask *t = made_task("sum", "", NULL);
    ThModel *m = made_model("lstm", "dim=8");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    ThField *f = th_field(m, t, 6, 4, 1, NULL, NULL);
    assert_non_null(f);
    for (int i = 0; i < 6; i++)
        assert_true(f->cumulative[i] > 0 && (i == 0 || f->cumulative[i] < f->cumulative[i - 1]));
    th_field_free(f);
    th_model_free(m);
    th_task_free(t);
}

/* The mean of two strings is not what one of them gives. */
static void test_field_of_many_strings(void **state)
{
    (void)state;
    ThTask *t = made_task("cycle_navigation", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=16");
    assert_true(th_model_bind(m, &t->signature, 1, NULL));
    ThField *one = th_field(m, t, 9, 1, 1, NULL, NULL), *two = th_field(m, t, 9, 2, 1, NULL, NULL);
    ThField *other = th_field(m, t, 9, 1, 2, NULL, NULL);
    double strings = 0, seeds = 0;
    for (int i = 0; i < 9; i++) {
        strings += fabs(one->cumulative[i] - two->cumulative[i]);
        seeds += fabs(one->cumulative[i] - other->cumulative[i]);
    }
    assert_true(strings > 1e-6 && seeds > 1e-6);
    ThField *own = th_field_of(m, &one->token, 1, 9, NULL, NULL);
    for (int i = 0; i < 9; i++)
        assert_true(own->cumulative[i] == one->cumulative[i]);
    th_field_free(own);
    assert_near(two->cumulative[0], 1, 1e-12);
    th_field_free(one);
    th_field_free(two);
    th_field_free(other);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap_and_spread),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_small_components_count),
        cmocka_unit_test(test_purity),
        cmocka_unit_test(test_far_strays),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_path_of_full_attention),
        cmocka_unit_test(test_field_of_the_last_answer),
        cmocka_unit_test(test_field_of_many_strings),
    };
    return cmocka_run_group_tests_name("clusters", tests, NULL, NULL);
}
