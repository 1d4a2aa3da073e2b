/* pull= and aux= against a calculation by hand, on a language in which the order of symbols
 * matters: what a node stands for is read from the string, its function by walking the automaton.
 */
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
#include "inspect/routing_path.h"
#include "lab/train_impl.h"

/* Three states, the start not the first of them; a turns them around, b swaps two, c forgets. */
static const char *const turning =
    "start one; accept zero; zero a -> one; one a -> two; two a -> zero; zero b -> one; "
    "one b -> zero; two b -> two; zero c -> two; one c -> two; two c -> two";

enum { DIM = 6, STATES = 3, LENGTH = 7, MOST = 32, KEY = 5, CENTRES = 5 };
static const double FOLLOW = 0.1;

typedef struct {
    ThTask *t;
    ThModel *m;
    ThTrainer *tr;
} Given;

static Given given(const char *settings)
{
    Given g = {made_task("recognize", "", turning), made_model("regulargpt", "dim=6 heads=2"),
               NULL};
    ThOptions o;
    set_all(&o, th_train_options, settings);
    assert_non_null(g.tr = th_trainer_new(g.m, g.t, &o, 1, NULL));
    th_options_free(&o);
    return g;
}

static void release(Given *g)
{
    th_trainer_free(g->tr);
    th_model_free(g->m);
    th_task_free(g->t);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* A function of the states, as a number, or that of a word. */
static int function_of(const ThDfa *d, const int *word, int n)
{
    int number = 0;
    assert_int_equal(d->n_states, STATES);
    for (int q = 0; q < STATES; q++)
        number = STATES * number + th_dfa_walk(d, q, word, n);
    return number;
}

/* The different vectors of a batch, by level: those about equal words are one. */
typedef struct {
    int level, n, word[LENGTH], function;
    double z[DIM];
} Node;
typedef struct {
    int n, levels, of_level[MOST];
    Node node[2000];
} Nodes;

static bool same_node(const Node *a, const Node *b)
{
    return a->level == b->level && a->n == b->n &&
           memcmp(a->word, b->word, (size_t)a->n * sizeof *a->word) == 0;
}

static void add_node(Nodes *to, const Node *x)
{
    for (int i = 0; i < to->n; i++)
        if (same_node(&to->node[i], x))
            return;
    assert_true(to->n < 2000);
    to->of_level[x->level]++;
    to->node[to->n++] = *x;
}

static void find_nodes(const Given *g, Nodes *to)
{
    const ThBatch *b = &g->tr->batch;
    memset(to, 0, sizeof *to);
    for (int i = 0; i < b->B; i++) {
        const int *token = th_batch_token(b, i);
        ThModelTrace *t = th_model_trace(g->m, token, b->T, NULL);
        ThPath *path = th_path_of_trace(t, NULL);
        to->levels = t->n_layers;
        for (int l = 0; l < t->n_layers; l++)
            for (int k = 0; k < t->layer[l].n_rows; k++) {
                int first = t->layer[l].first[k], n = t->layer[l].last[k] - first + 1;
                Node x = {.level = l, .n = n};
                if (!path->row[l][k])
                    continue;
                memcpy(x.word, token + first, (size_t)n * sizeof *x.word);
                memcpy(x.z, t->layer[l].state + k * DIM, sizeof x.z);
                x.function = function_of(g->t->machine, x.word, n);
                add_node(to, &x);
            }
        th_path_free(path);
        th_model_trace_free(t);
    }
}

/* Running centres by function; met: a vector had it. */
typedef struct {
    double z[MOST][DIM];
    bool met[MOST];
} Sets;

static void follow(Sets *s, const Nodes *v)
{
    for (int f = 0; f < MOST; f++) {
        double sum[DIM] = {0}, count = 0;
        for (int i = 0; i < v->n; i++)
            for (int k = 0; v->node[i].function == f && k < DIM; k++) {
                sum[k] += v->node[i].z[k];
                count += k == 0;
            }
        for (int k = 0; count > 0 && k < DIM; k++)
            s->z[f][k] += (s->met[f] ? FOLLOW : 1) * (sum[k] / count - s->z[f][k]);
        s->met[f] = s->met[f] || count > 0;
    }
}

/* The mean over levels of the mean over vectors of the squared distance from the centres. */
static double pulled(const Sets *s, const Nodes *v)
{
    double loss = 0;
    for (int i = 0; i < v->n; i++) {
        const Node *x = &v->node[i];
        for (int k = 0; s->met[x->function] && k < DIM; k++)
            loss += pow(x->z[k] - s->z[x->function][k], 2) / v->of_level[x->level] / v->levels;
    }
    return loss;
}

/* ---- centres --------------------------------------------------------------------------------- */

/* Each centre that was worked out is one of those that the trainer wrote down, and there are as
 * many. */
static void assert_written(const ThModel *m, const Sets *s)
{
    const double *known = m->training.pull;
    int n = (int)known[0], met = 0;
    assert_true(known[1] == DIM);
    for (int f = 0; f < MOST; f++) {
        bool found = false;
        met += s->met[f];
        for (int i = 0; s->met[f] && i < n; i++) {
            double far = 0;
            for (int k = 0; k < DIM; k++)
                far = fmax(far, fabs(known[CENTRES + i * DIM + k] - s->z[f][k]));
            found = found || far < 1e-5;
        }
        if (s->met[f] && !found)
            fail_msg("nobody has the centre of function %d", f);
    }
    assert_true(known[2] == met);
}

/* Distances of the centres from their nearest others: those that were met. */
static void assert_reported(Given *g, const Sets *s, int least_unmet)
{
    ThTrainLevels l;
    double nearest = HUGE_VAL, mean = 0;
    int met = 0;
    for (int f = 0; f < MOST; f++) {
        double least = HUGE_VAL;
        for (int h = 0; s->met[f] && h < MOST; h++) {
            double squares = 0;
            for (int k = 0; k < DIM; k++)
                squares += pow(s->z[f][k] - s->z[h][k], 2);
            least = h != f && s->met[h] ? fmin(least, sqrt(squares)) : least;
        }
        nearest = s->met[f] ? fmin(nearest, least) : nearest;
        mean += s->met[f] ? least : 0;
        met += s->met[f];
    }
    assert_true(th_trainer_levels(g->tr, &l));
    assert_int_equal(l.functions, met);
    assert_true((int)g->m->training.pull[0] - met >= least_unmet);
    assert_true(fabs(l.nearest - nearest) < 1e-5 && fabs(l.mean - mean / met) < 1e-5);
}

static void check_centres(const char *settings, int least_unmet)
{
    static Nodes v;
    Sets s = {0};
    Given g = given(settings);
    while (!th_trainer_done(g.tr)) {
        assert_true(th_train_draw(g.tr, NULL));
        find_nodes(&g, &v);
        follow(&s, &v);
        assert_true(th_trainer_step(g.tr, NULL));
        assert_written(g.m, &s);
    }
    assert_reported(&g, &s, least_unmet);
    release(&g);
}

static void test_centres(void **state)
{
    (void)state;
    check_centres("steps=6 batch=9 length=7 lr=3e-2 pull=0.5 seed=3", 0);
    check_centres("steps=2 batch=2 length=2 lr=3e-2 pull=0.5 seed=3", 3);
}

/* ---- the slope ------------------------------------------------------------------------------- */

/* What pull= adds to a step by plain gradient descent is its own slope: along this way its loss
 * falls as fast as the way is long. */
static void test_slope(void **state)
{
    (void)state;
    static Nodes v;
    const double rate = 0.05, weight = 0.3, h = 0.05;
    char with[200], without[200];
    const char *rest = "steps=2 batch=9 length=7 optimizer=sgd momentum=0 clip=0 seed=3 lr=0.05";
    snprintf(with, sizeof with, "%s pull=0.3", rest);
    snprintf(without, sizeof without, "%s", rest);
    Given a = given(with), b = given(without);
    Sets s = {0};
    size_t n = a.m->params.total;
    double *way = calloc(n, sizeof *way), length = 0, loss[2];
    float *before = malloc(n * sizeof *before);
    assert_true(th_train_draw(a.tr, NULL));
    find_nodes(&a, &v);
    follow(&s, &v);
    assert_true(th_trainer_step(a.tr, NULL) && th_trainer_step(b.tr, NULL));
    assert_memory_equal(a.m->params.value, b.m->params.value, n * sizeof *before);
    memcpy(before, a.m->params.value, n * sizeof *before);
    assert_true(th_train_draw(a.tr, NULL));
    assert_true(th_trainer_step(a.tr, NULL) && th_trainer_step(b.tr, NULL));
    for (size_t i = 0; i < n; i++) {
        way[i] = (double)a.m->params.value[i] - (double)b.m->params.value[i];
        length += way[i] * way[i];
    }
    assert_true(length > 1e-8);
    for (int side = 0; side < 2; side++) {
        double by = (side ? h : -h) / sqrt(length);
        for (size_t i = 0; i < n; i++)
            a.m->params.value[i] = (float)((double)before[i] + by * way[i]);
        find_nodes(&a, &v);
        loss[side] = weight * pulled(&s, &v);
    }
    double slope = (loss[1] - loss[0]) / (2 * h), wanted = -sqrt(length) / rate;
    if (!(fabs(slope / wanted - 1) < 0.02))
        fail_msg("the slope is %g, and the step says %g", slope, wanted);
    free(way);
    free(before);
    release(&a);
    release(&b);
}

/* ---- the gate -------------------------------------------------------------------------------- */

/* The gate is about the loss with that of the head.  In the first step there is no head yet, and
 * the loss is that of two answers; in the second it tells nothing of several functions. */
static void test_gate(void **state)
{
    (void)state;
    enum { OPEN = 3 };
    Given g = given("steps=2 batch=9 length=7 lr=1e-4 pull=0.3 aux=1 gate=2.5 seed=3");
    assert_true(th_trainer_step(g.tr, NULL));
    assert_true(g.tr->step_loss < 2 && g.m->training.pull[OPEN] == 1);
    assert_true(th_trainer_step(g.tr, NULL));
    assert_true(g.tr->step_loss < 2 && g.m->training.pull[OPEN] == 0);
    release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_centres), cmocka_unit_test(test_slope),
                                       cmocka_unit_test(test_gate)};
    return cmocka_run_group_tests_name("pull", tests, NULL, NULL);
}
