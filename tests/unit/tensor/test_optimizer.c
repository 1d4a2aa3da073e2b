/* The table of update rules: hand-made steps of each in double precision, what they leave alone,
 * and how they are cut into parts. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_linalg.h>

#include "base/rng.h"
#include "tensor/kernels/kernels.h"
#include "tensor/optimizers/optimizer_impl.h"

static void assert_near(double got, double wanted, double apart)
{
    if (!(fabs(got - wanted) <= apart))
        fail_msg("%.9g instead of %.9g", got, wanted);
}

/* ---- the table ---- */

static void test_table(void **state)
{
    (void)state;
    size_t n;
    const ThOptimizer *const *all = th_optimizer_all(&n);
    char names[200] = "";
    for (size_t i = 0; i < n; i++) {
        assert_true(all[i]->summary && all[i]->source && all[i]->update);
        assert_in_range(all[i]->slots, 0, TH_OPTIMIZER_SLOTS);
        assert_ptr_equal(th_optimizer_find(all[i]->name), all[i]);
        strcat(strcat(names, i ? "|" : ""), all[i]->name);
    }
    assert_string_equal(names, TH_OPTIMIZER_CHOICES);
    assert_null(th_optimizer_find("nadir"));
    assert_null(th_optimizer_find("ad"));
}

/* ---- parameters with their optimiser's memory ---- */

typedef struct {
    ThParams p;
    float *slot[TH_OPTIMIZER_SLOTS], *gradient, *scratch;
    size_t scratch_size;
    int parts;
} Memory;

static void allocate(Memory *m, const ThOptimizer *rule, int parts)
{
    assert_true(th_params_allocate(&m->p, 5, NULL, NULL));
    for (int k = 0; k < rule->slots; k++)
        m->slot[k] = th_params_floats(m->p.total, NULL);
    m->gradient = th_params_floats(m->p.total, NULL);
    m->scratch_size = th_optimizer_scratch(rule, &m->p);
    m->scratch = th_params_floats(m->scratch_size * (size_t)parts, NULL);
    m->parts = parts;
}

static void release(Memory *m)
{
    for (int k = 0; k < TH_OPTIMIZER_SLOTS; k++)
        free(m->slot[k]);
    free(m->gradient);
    free(m->scratch);
    th_params_free(&m->p);
}

/* Parts in the order that is least like the usual one. */
static void update(Memory *m, const ThOptimizerUpdate *u)
{
    for (int i = 2 * m->parts - 1; i >= 0; i--) {
        int part = i % m->parts;
        ThOptimizerState s = {&m->p, m->slot, m->gradient,
                              m->scratch + (size_t)part * m->scratch_size};
        (i < m->parts ? th_optimizer_update : th_optimizer_prepare)(u, &s, part, m->parts);
    }
}

/* ---- rules that treat every element by itself ---- */

/* Three steps of each rule on the first number of a matrix and of a vector, which does not decay,
 * computed by hand in double. */
static void test_hand_made(void **state)
{
    (void)state;
    static const char *const names[] = {"adam", "adamw", "sgd"};
    for (int k = 0; k < 6; k++) {
        const ThOptimizer *rule = th_optimizer_find(names[k / 2]);
        bool sgd = k / 2 == 2, beside = k / 2 == 1;
        double decay = k % 2 ? 0 : 0.05, w = 1, dm = 0, dv = 0;
        Memory m = {0};
        th_params_add(&m.p, "w", k % 2 ? 1 : 2, 1, TH_INIT_ONE, 0, NULL);
        allocate(&m, rule, 1);
        for (int i = 1; i <= 3; i++) {
            ThOptimizerUpdate u = {.rule = rule,
                                   .rate = 0.1,
                                   .beta1 = 0.9,
                                   .beta2 = 0.99,
                                   .eps = 1e-8,
                                   .momentum = 0.8,
                                   .decay = 0.05,
                                   .clip = 0.5,
                                   .step = i};
            m.gradient[0] = (float)(i - 1.7);
            double x = 0.5 * (i - 1.7) + (beside ? 0 : decay * w);
            dm = sgd ? 0.8 * dm + x : 0.9 * dm + 0.1 * x;
            dv = 0.99 * dv + 0.01 * x * x;
            double step = dm / (1 - pow(0.9, i)) / (sqrt(dv / (1 - pow(0.99, i))) + 1e-8);
            if (sgd)
                w -= 0.1 * dm;
            else
                w -= 0.1 * step + (beside ? 0.1 * decay * w : 0);
            update(&m, &u);
            assert_near((double)m.p.value[0], w, 1e-5);
        }
        release(&m);
    }
}

/* Every element is moved by every rule, to the same bits in any number of parts: also the last ones
 * of parameters that end within a block of 64, at the end of the list, too. */
static void test_every_element(void **state)
{
    (void)state;
    static const int sizes[] = {70, 64, 5, 130, 80};
    static const char *const names[] = {"adam", "adamw", "sgd"};
    for (int k = 0; k < 3; k++) {
        float first[400];
        for (int parts = 1; parts <= 7; parts++) {
            Memory m = {0};
            for (int i = 0; i < 5; i++)
                th_params_add(&m.p, (char[]){(char)('a' + i), 0}, 1, sizes[i], TH_INIT_ONE, 0,
                              NULL);
            allocate(&m, th_optimizer_find(names[k]), parts);
            assert_in_range(m.p.total, 349, 400);
            for (size_t i = 0; i < m.p.total; i++)
                m.gradient[i] = 1 + (float)i / 100;
            ThOptimizerUpdate u = {.rule = th_optimizer_find(names[k]),
                                   .rate = 0.1,
                                   .beta1 = 0.9,
                                   .beta2 = 0.99,
                                   .eps = 1e-8,
                                   .clip = 1,
                                   .step = 1};
            update(&m, &u);
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < sizes[i]; j++)
                    assert_true(th_params_at(&m.p, i)[j] < 0.95F);
            if (parts == 1)
                memcpy(first, m.p.value, m.p.total * sizeof *first);
            assert_memory_equal(m.p.value, first, m.p.total * sizeof *first);
            release(&m);
        }
    }
}

/* Moments without gradient end at zero instead of among the denormal numbers. */
static void test_moments_vanish(void **state)
{
    (void)state;
    ThKernelAdam a = {.rate = 1e-3f, .beta1 = 0.9f, .beta2 = 0.9f, .eps = 1e-8f, .clip = 1};
    a.correct1 = a.correct2 = 1;
    float w[40] = {0}, m[40], v[40], g[40] = {0};
    for (int i = 0; i < 40; i++)
        m[i] = v[i] = 1;
    for (int step = 0; step < 1000; step++)
        th_kernel_adam(&a, w, m, v, g, 40);
    for (int i = 0; i < 40; i++)
        assert_true(m[i] == 0 && v[i] == 0 && w[i] == w[0]);
}

/* ---- Muon ---- */

enum { MOST = 64 * 96 };

/* Singular values by GSL's Jacobi rotations, largest first. */
static void singular_values(const float *x, int rows, int cols, double *value)
{
    bool wide = cols > rows;
    size_t m = (size_t)(wide ? cols : rows), n = (size_t)(wide ? rows : cols);
    gsl_matrix *a = gsl_matrix_alloc(m, n), *v = gsl_matrix_alloc(n, n);
    gsl_vector *s = gsl_vector_alloc(n);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            gsl_matrix_set(a, (size_t)(wide ? j : i), (size_t)(wide ? i : j),
                           (double)x[i * cols + j]);
    assert_int_equal(gsl_linalg_SV_decomp_jacobi(a, v, s), 0);
    for (size_t i = 0; i < n; i++)
        value[i] = gsl_vector_get(s, i);
    gsl_matrix_free(a);
    gsl_matrix_free(v);
    gsl_vector_free(s);
}

/* y = x after five steps, as the source writes them: always from the smaller side, in double. */
static void plain_orthogonal(double *x, int rows, int cols)
{
    static double y[MOST], s[MOST], p[MOST], t[MOST];
    bool tall = rows > cols;
    int m = tall ? cols : rows, n = tall ? rows : cols;
    double size = 0;
    for (int i = 0; i < rows * cols; i++)
        size += x[i] * x[i];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[i * n + j] = x[tall ? j * cols + i : i * cols + j] / (sqrt(size) + 1e-7);
    for (int step = 0; step < 5; step++) {
        memset(s, 0, sizeof s);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < n; k++)
                    s[i * m + j] += y[i * n + k] * y[j * n + k];
        for (int i = 0; i < m * m; i++)
            p[i] = -4.775 * s[i];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                for (int k = 0; k < m; k++)
                    p[i * m + j] += 2.0315 * s[i * m + k] * s[k * m + j];
        for (int i = 0; i < m * n; i++)
            t[i] = 3.4445 * y[i];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < m; k++)
                    t[i * n + j] += p[i * m + k] * y[k * n + j];
        memcpy(y, t, sizeof y);
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            x[tall ? j * cols + i : i * cols + j] = y[i * n + j];
}

/* Whatever the shape and size of the matrix, the result is near an orthogonal one: singular values
 * in 0.7 … 1.2 (of those that were not tiny), and the same as computed plainly. */
static void test_orthogonal(void **state)
{
    (void)state;
    static const int shape[][2] = {{64, 96}, {96, 64}, {40, 64}, {1, 7}, {7, 1}, {1, 1}, {16, 64}};
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        static float x[MOST];
        static double plain[MOST];
        double value[96];
        int rows = shape[k][0], cols = shape[k][1], n = rows * cols;
        ThRng r = th_rng(1, "matrix", k);
        for (int i = 0; i < n; i++) {
            x[i] = (float)(th_rng_normal(&r) * (k % 2 ? 1e3 : 1e-3));
            plain[i] = (double)x[i];
        }
        float *scratch = th_params_floats(th_optimizer_orthogonal_scratch(rows, cols), NULL);
        const float *y = th_optimizer_orthogonal(x, rows, cols, scratch, NULL);
        singular_values(y, rows, cols, value);
        for (int i = 0; i < (rows < cols ? rows : cols); i++)
            if (!(value[i] > 0.68 && value[i] < 1.2))
                fail_msg("(%d,%d): singular value %d is %g", rows, cols, i, value[i]);
        plain_orthogonal(plain, rows, cols);
        for (int i = 0; i < n; i++)
            assert_near((double)y[i], plain[i], 2e-4);
        free(scratch);
    }
}

/* The parameters of a small model: a tall matrix, two side by side, an embedding, a bias and a wide
 * matrix. */
static void small_model(Memory *m, int parts)
{
    ThInit normal = TH_INIT_NORMAL;
    th_params_add(&m->p, "embedding", 5, 6, normal, 1, NULL);
    th_param_hidden(&m->p, th_params_add(&m->p, "down", 24, 6, normal, 1, NULL), 1);
    th_param_hidden(&m->p, th_params_add(&m->p, "key_value", 6, 12, normal, 1, NULL), 2);
    th_params_add(&m->p, "bias", 1, 6, normal, 1, NULL);
    th_param_hidden(&m->p, th_params_add(&m->p, "up", 5, 21, normal, 1, NULL), 1);
    allocate(m, &(ThOptimizer){.slots = 2, .scratch = th_optimizer_find("muon")->scratch}, parts);
}

static ThOptimizerUpdate muon_step(int step)
{
    return (ThOptimizerUpdate){.rule = th_optimizer_find("muon"),
                               .rate = 0.02,
                               .beta1 = 0.9,
                               .beta2 = 0.99,
                               .eps = 1e-8,
                               .momentum = 0.95,
                               .decay = 0.1,
                               .clip = 0.5 / step, /* what a step weighs beside those before it */
                               .step = step};
}

static void draw_gradient(Memory *m, int step)
{
    ThRng r = th_rng(2, "gradient", (uint64_t)step);
    for (int k = 0; k < m->p.n; k++)
        for (int i = 0; i < m->p.item[k].rows * m->p.item[k].cols; i++)
            m->gradient[m->p.item[k].offset + (size_t)i] = (float)th_rng_normal(&r);
}

/* One hidden matrix (rows, cols) within rows that are `stride` long, as the formula says. */
static void plain_muon(const ThOptimizerUpdate *u, const float *g, double *w, double *m, int rows,
                       int cols, int stride)
{
    static double x[MOST];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            double at = u->clip * (double)g[i * stride + j];
            m[i * stride + j] = u->momentum * m[i * stride + j] + at;
            x[i * cols + j] = at + u->momentum * m[i * stride + j];
        }
    }
    plain_orthogonal(x, rows, cols);
    double by = u->rate * 3 * 0.2 * sqrt(rows > cols ? rows : cols);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            w[i * stride + j] += -u->rate * u->decay * w[i * stride + j] - by * x[i * cols + j];
}

/* Three steps: hidden matrices by the formula, halves by themselves; the rest as AdamW moves it. */
static void test_muon(void **state)
{
    (void)state;
    Memory m = {0}, rest = {0};
    small_model(&m, 1);
    small_model(&rest, 1);
    static const int hidden[] = {1, 2, 4};
    static double w[3][144], moment[3][144];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < m.p.item[hidden[k]].rows * m.p.item[hidden[k]].cols; i++)
            w[k][i] = (double)th_params_at(&m.p, hidden[k])[i];
    for (int step = 1; step <= 3; step++) {
        ThOptimizerUpdate u = muon_step(step);
        draw_gradient(&m, step);
        draw_gradient(&rest, step);
        const float *down = m.gradient + m.p.item[1].offset;
        const float *halves = m.gradient + m.p.item[2].offset;
        plain_muon(&u, down, w[0], moment[0], 24, 6, 6);
        plain_muon(&u, halves, w[1], moment[1], 6, 6, 12);
        plain_muon(&u, halves + 6, w[1] + 6, moment[1] + 6, 6, 6, 12);
        plain_muon(&u, m.gradient + m.p.item[4].offset, w[2], moment[2], 5, 21, 21);
        update(&m, &u);
        u.rule = th_optimizer_find("adamw");
        update(&rest, &u);
    }
    for (int i = 0; i < 144; i++)
        assert_near((double)th_params_at(&m.p, 1)[i], w[0][i], 2e-5);
    for (int i = 0; i < 72; i++)
        assert_near((double)th_params_at(&m.p, 2)[i], w[1][i], 2e-5);
    for (int i = 0; i < 105; i++)
        assert_near((double)th_params_at(&m.p, 4)[i], w[2][i], 2e-5);
    assert_memory_equal(th_params_at(&m.p, 0), th_params_at(&rest.p, 0), 30 * sizeof(float));
    assert_memory_equal(th_params_at(&m.p, 3), th_params_at(&rest.p, 3), 6 * sizeof(float));
    release(&m);
    release(&rest);
}

/* A preparation that was stopped has changed nothing: after it a step is what it would have been.
 */
static void test_muon_stopped(void **state)
{
    (void)state;
    volatile sig_atomic_t now = 1;
    Memory whole = {0}, stopped = {0};
    small_model(&whole, 1);
    small_model(&stopped, 1);
    for (int step = 1; step <= 2; step++) {
        ThOptimizerUpdate u = muon_step(step);
        draw_gradient(&whole, step);
        draw_gradient(&stopped, step);
        update(&whole, &u);
        ThOptimizerState s = {&stopped.p, stopped.slot, stopped.gradient, stopped.scratch};
        u.stop = &now;
        th_optimizer_prepare(&u, &s, 0, 1);
        u.stop = NULL;
        if (step == 2)
            th_optimizer_prepare(&u, &s, 0, 1);
        update(&stopped, &u);
    }
    assert_memory_equal(whole.p.value, stopped.p.value, whole.p.total * sizeof(float));
    for (int k = 0; k < 2; k++)
        assert_memory_equal(whole.slot[k], stopped.slot[k], whole.p.total * sizeof(float));
    release(&whole);
    release(&stopped);
}

/* However many parts there are, every parameter is moved once, to the same bits. */
static void test_muon_parts(void **state)
{
    (void)state;
    Memory one = {0};
    small_model(&one, 1);
    for (int step = 1; step <= 2; step++) {
        ThOptimizerUpdate u = muon_step(step);
        draw_gradient(&one, step);
        update(&one, &u);
    }
    for (int parts = 2; parts <= 9; parts++) {
        Memory m = {0};
        small_model(&m, parts);
        for (int step = 1; step <= 2; step++) {
            ThOptimizerUpdate u = muon_step(step);
            draw_gradient(&m, step);
            update(&m, &u);
        }
        assert_memory_equal(m.p.value, one.p.value, m.p.total * sizeof(float));
        release(&m);
    }
    release(&one);
}

/* A gradient of zero moves nothing, and momentum that fades ends at zero. */
static void test_muon_at_rest(void **state)
{
    (void)state;
    Memory m = {0}, start = {0};
    small_model(&m, 1);
    small_model(&start, 1);
    ThOptimizerUpdate u = muon_step(1);
    u.decay = 0;
    update(&m, &u);
    assert_memory_equal(m.p.value, start.p.value, m.p.total * sizeof(float));
    draw_gradient(&m, 1);
    update(&m, &u);
    memset(m.gradient, 0, m.p.total * sizeof *m.gradient);
    for (int step = 0; step < 2000; step++)
        update(&m, &u);
    for (int i = 0; i < 144; i++)
        assert_true(m.slot[0][m.p.item[1].offset + (size_t)i] == 0);
    release(&m);
    release(&start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),         cmocka_unit_test(test_hand_made),
        cmocka_unit_test(test_orthogonal),    cmocka_unit_test(test_moments_vanish),
        cmocka_unit_test(test_every_element), cmocka_unit_test(test_muon),
        cmocka_unit_test(test_muon_stopped),  cmocka_unit_test(test_muon_parts),
        cmocka_unit_test(test_muon_at_rest),
    };
    return cmocka_run_group_tests_name("optimizer", tests, NULL, NULL);
}
