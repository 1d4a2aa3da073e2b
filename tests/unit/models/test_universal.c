/* Blocks that are applied until a network says stop: masses by a table, what must hold for any
 * model, and architectures that they come down to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "given.h"
#include "lab/train.h"
#include "models/halting/halting.h"
#include "plain.h"
#include "price.h"

static float *parameter(const ThModel *m, const char *name)
{
    int index = th_params_find(&m->params, name);
    assert_true(index >= 0);
    return th_params_at(&m->params, index);
}

/* ---- masses ---------------------------------------------------------------------------------- */

typedef struct {
    int steps;
    double left, cost, mean;
} Halted;

/* A unit that says p[l], of p[4] on, before application l; its state is 1 + l. */
static Halted halt(const float *p, int most, double threshold)
{
    ThError err = {0};
    ThParams none = {0};
    assert_true(th_params_add(&none, "none", 1, 1, TH_INIT_ZERO, 0, &err) >= 0);
    assert_true(th_params_allocate(&none, 1, NULL, &err));
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &none, &err);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThModelHalting h = {.n = 1, .rows = 1, .threshold = threshold, .most = &most};
    assert_true(th_model_halting_begin(&h, t, 1));
    int which = 0, step = 0;
    float state = 1, weight = 1;
    for (; th_model_halting_goes_on(&h); step++) {
        ThVar says = th_tape_constant(t, 1, 1, &p[step < 4 ? step : 4]);
        ThVar is = th_tape_constant(t, 1, 1, &state);
        assert_true(th_model_halting_step(&h, says, &which, 1, is));
        state = 1 + (float)h.steps[0];
    }
    Halted found = {.steps = h.steps[0], .left = h.left[0]};
    th_tape_read(t, th_model_halting_cost(&h, &weight), &found.cost);
    th_tape_read(t, th_model_halting_mean(&h, th_tape_constant(t, 1, 1, &state)), &found.mean);
    assert_true(th_tape_ok(t, &err));
    th_tape_free(t);
    th_params_free(&none);
    return found;
}

static void close_to(double found, double wanted, double apart)
{
    if (!(fabs(found - wanted) <= apart))
        fail_msg("%.15g is not %.15g", found, wanted);
}

/* p = 1/2 and at most ten: nine count, for the tenth would give away 0.99902. */
static void masses_are_those_of_the_table(void **state)
{
    (void)state;
    const float half[] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    Halted h = halt(half, 10, 0.999);
    assert_int_equal(h.steps, 9);
    close_to(h.left, pow(2, -9), 1e-12);
    double cost = 9 * pow(2, -9), mean = 10 * pow(2, -9);
    for (int l = 0; l < 9; l++) {
        cost += (l + 1) * pow(2, -l - 1);
        mean += (l + 1) * pow(2, -l - 1);
    }
    close_to(h.cost, cost, 1e-12);
    close_to(h.mean, mean, 1e-12);
    h = halt(half, 4, 0.999);
    assert_int_equal(h.steps, 4);
    close_to(h.left, 0.0625, 1e-12);
    close_to(h.cost, 0.5 + 2 * 0.25 + 3 * 0.125 + 4 * 0.0625 + 4 * 0.0625, 1e-12);
    const float sure[] = {0.25f, 1, 0, 0, 0};
    h = halt(sure, 10, 0.999);
    assert_int_equal(h.steps, 1);
    close_to(h.left, 0.75, 1e-12);
    close_to(h.mean, 0.25 * 1 + 0.75 * 2, 1e-12);
    close_to(h.cost, 0.25 * 1 + 0.75 * 1, 1e-12);
    const float at_once[] = {1, 1, 1, 1, 1};
    h = halt(at_once, 10, 0.999);
    assert_int_equal(h.steps, 0);
    close_to(h.mean, 1, 1e-12);
    close_to(h.cost, 0, 1e-12);
    h = halt(half, 12, 2);
    assert_int_equal(h.steps, 12);
    const float rising[] = {0.2f, 0.5f, 0.9f};
    h = halt(rising, 3, 2);
    assert_int_equal(h.steps, 3);
    close_to(h.left, 0.04, 1e-7);
    close_to(h.cost, 2.2, 1e-7);
    close_to(h.mean, 0.2 + 2 * 0.4 + 3 * 0.36 + 4 * 0.04, 1e-7);
    const float high[] = {0.9f, 0.9f, 0.95f, 0.95f, 0.95f};
    h = halt(high, 10, 0.999);
    assert_int_equal(h.steps, 2);
    close_to(h.left, 0.01, 1e-7);
    close_to(h.cost, 1.1, 1e-7);
    close_to(h.mean, 0.9 + 2 * 0.09 + 3 * 0.01, 1e-7);
    const float never[] = {0, 0, 0, 0, 0};
    h = halt(never, 7, 0.999);
    assert_int_equal(h.steps, 7);
    close_to(h.left, 1, 0);
    close_to(h.cost, 7, 0);
    close_to(h.mean, 8, 0);
}

/* ---- their gradient -------------------------------------------------------------------------- */

enum { MOST = 4, ACROSS = 3 };

/* One unit that says p[l] of state h[l], and a loss of kappa times its price and g[l] times its
 * mean after step l; what that is to p and h. */
typedef struct {
    double p[MOST], h[MOST + 1][ACROSS], g[MOST + 1][ACROSS], kappa, threshold;
    double dp[MOST], dh[MOST + 1][ACROSS];
    float weight, seed[MOST + 1][ACROSS]; /* kappa and g, which the tape reads */
} Unit;

static double product(const double *x, const double *y)
{
    double sum = 0;
    for (int c = 0; c < ACROSS; c++)
        sum += x[c] * y[c];
    return sum;
}

/* Returns the steps that count.  By the product rule of masses, backwards: the value of mass that
 * is left is what it would bring if it were given away now or later. */
static int derive(Unit *u)
{
    double left[MOST + 1] = {1}, later[ACROSS] = {0};
    int n = 0;
    while (n < MOST && 1 - left[n] * (1 - u->p[n]) < u->threshold) {
        left[n + 1] = left[n] * (1 - u->p[n]);
        n++;
    }
    memset(u->dp, 0, sizeof u->dp);
    memset(u->dh, 0, sizeof u->dh);
    for (int l = n + 1; l <= MOST; l++) /* the mean stays what it is when the unit has stopped */
        for (int c = 0; c < ACROSS; c++)
            u->g[n][c] += u->g[l][c];
    double value = product(u->g[n], u->h[n]) + u->kappa * n;
    for (int c = 0; c < ACROSS; c++)
        u->dh[n][c] = left[n] * u->g[n][c];
    for (int l = n - 1; l >= 0; l--) {
        for (int c = 0; c < ACROSS; c++)
            later[c] += u->g[l + 1][c];
        double given = product(later, u->h[l]) + u->kappa * (l + 1);
        u->dp[l] = left[l] * (given - value);
        value = (l > 0 ? product(u->g[l], u->h[l]) : 0) + u->p[l] * given + (1 - u->p[l]) * value;
        for (int c = 0; c < ACROSS; c++)
            u->dh[l][c] = left[l] * u->p[l] * later[c] + (l > 0 ? left[l] : 0) * u->g[l][c];
    }
    return n;
}

/* The loss, on a tape whose parameters are p and h. */
static ThVar loss_of(const Unit *u, ThTape *t, int *steps)
{
    static const int number[] = {0, 1, 2, 3, 4}, most = MOST;
    int which = 0;
    ThModelHalting h = {.t = t, .n = 1, .rows = 1, .threshold = u->threshold, .most = &most};
    assert_true(th_model_halting_begin(&h, t, ACROSS));
    ThVar loss = -1;
    for (int l = 0, last = 0; l < MOST; l++) {
        if (th_model_halting_goes_on(&h))
            assert_true(th_model_halting_step(&h, th_op_rows(t, th_param(t, 0), number + l, 1, 1),
                                              &which, 1,
                                              th_op_rows(t, th_param(t, 1), number + l, 1, 1)));
        last = h.steps[0];
        ThVar mean = th_model_halting_mean(&h, th_op_rows(t, th_param(t, 1), number + last, 1, 1));
        ThVar part =
            th_op_sum(t, th_op_multiply(t, mean, th_tape_constant(t, 1, ACROSS, u->seed[l + 1])));
        loss = loss < 0 ? part : th_op_add(t, loss, part);
    }
    *steps = h.steps[0];
    return th_op_add(t, loss, th_model_halting_cost(&h, &u->weight));
}

static void fill(Unit *u, ThParams *params, uint64_t seed)
{
    ThError err = {0};
    ThRng r = th_rng(seed, "unit", 0);
    assert_int_equal(th_params_add(params, "p", MOST, 1, TH_INIT_ZERO, 0, &err), 0);
    assert_int_equal(th_params_add(params, "h", MOST + 1, ACROSS, TH_INIT_NORMAL, 1, &err), 1);
    assert_true(th_params_allocate(params, seed, NULL, &err));
    for (int l = 0; l < MOST; l++) {
        params->value[l] = (float)th_rng_uniform(&r);
        u->p[l] = (double)params->value[l];
    }
    for (int i = 0; i < (MOST + 1) * ACROSS; i++) {
        u->h[i / ACROSS][i % ACROSS] = (double)th_params_at(params, 1)[i];
        u->seed[i / ACROSS][i % ACROSS] = i < ACROSS ? 0 : (float)th_rng_normal(&r);
        u->g[i / ACROSS][i % ACROSS] = (double)u->seed[i / ACROSS][i % ACROSS];
    }
}

/* The gradient that the tape finds is that of the formula, with means that are used at every step,
 * whether the unit stops early or not. */
static void masses_have_the_gradient_of_the_formula(void **state)
{
    (void)state;
    int early = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ThError err = {0};
        ThParams params = {0};
        Unit u = {.kappa = 0.75, .weight = 0.75f, .threshold = seed % 2 ? 2 : 0.6};
        fill(&u, &params, seed);
        ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &params, &err);
        int steps;
        th_tape_begin(t, TH_TAPE_GRADIENT);
        ThVar loss = loss_of(&u, t, &steps);
        assert_true(th_tape_backward(t, loss, NULL, &err));
        assert_int_equal(derive(&u), steps);
        early += steps < MOST;
        const double *g = th_tape_gradient_double(t);
        for (int l = 0; l < MOST; l++)
            close_to(g[l], u.dp[l], 1e-13);
        for (int i = 0; i < (MOST + 1) * ACROSS; i++)
            close_to(g[params.item[1].offset + (size_t)i], u.dh[i / ACROSS][i % ACROSS], 1e-13);
        th_tape_free(t);
        th_params_free(&params);
    }
    assert_int_equal(early, 10);
}

/* ---- what holds for any model ---------------------------------------------------------------- */

static const char *const forms[][2] = {
    {"universal", ""},
    {"universal", "causal=yes"},
    {"universal", "halt=none"},
    {"universal", "halt_from=1 pool=end"},
    {"universal", "gate=yes transition=yes causal=yes"},
    {"universal", "threshold=0.6"},
    {"gated_universal", ""},
    {"gated_universal", "causal=yes"},
    {"gated_universal", "gate=no"},
    {"gated_universal", "transition=no pool=mean"},
    {"gated_universal", "transition=no causal=yes"},
    {"gated_universal", "halt=token"},
    {"gated_universal", "threshold=0.6"},
    {"gated_universal", "threshold=0.7 causal=yes position=rope"},
    {"gated_universal", "ends=no pool=mean"},
    {"encoder", "final_norm=yes"},
    {"encoder", "causal=yes pool=end position=alibi"},
    {"encoder", "position=sinusoidal"},
    {"universal", "position=learned"},
    {"universal", "halt=none causal=yes"},
    {"universal", "position=xl"},
    {"universal", "position=xl causal=yes halt=none"},
    {"gated_universal", "position=t5 tied=no causal=yes"},
    {"gated_universal", "position=kerple tied=no causal=yes"},
};

static void settings_of(size_t form, const char *price, char to[160])
{
    bool halts = strcmp(forms[form][0], "encoder") != 0;
    snprintf(to, 160, "dim=4 heads=2 hidden=2 %s%s%s%s", halts ? "steps=3 " : "", forms[form][1],
             *forms[form][1] ? " " : "", halts ? price : "layers=2");
}

static void each(EachModel *check)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (ThTarget target = TH_TARGET_FINAL; target <= TH_TARGET_EVERY; target++) {
            char settings[160];
            settings_of(i, "ponder=0", settings);
            ThModel *m = bound(forms[i][0], settings, target, SYMBOLS);
            check(m, settings);
            th_model_free(m);
            if (target != TH_TARGET_FINAL)
                continue;
            m = bound_to(forms[i][0], settings, target, SYMBOLS, true);
            check(m, settings);
            th_model_free(m);
        }
}

static void rows_say_what_they_say_alone(void **state)
{
    (void)state;
    each(check_ragged);
}

/* What is dropped of the symbols is dropped where equal ones could be shared, too. */
static void symbols_are_dropped_one_by_one(void **state)
{
    (void)state;
    ThError err = {0};
    double z[2][SYMBOLS];
    ThModel *m = bound("encoder", "dim=4 heads=2 layers=2 dropout=0.5", TH_TARGET_FINAL, SYMBOLS);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    int token[] = {0, 0, 1, 0};
    ThBatch b = {.B = 1, .T = 4, .token = token};
    for (int share = 0; share < 2; share++) {
        ThRng r = th_rng(1, "dropped", 0);
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        th_tape_read(t, m->kind->forward(m, t, &b, &(ThModelForward){.share = share, .rng = &r}),
                     z[share]);
        assert_true(th_tape_ok(t, &err));
    }
    assert_memory_equal(z[0], z[1], sizeof z[0]);
    th_tape_free(t);
    th_model_free(m);
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    each(check_gradient);
}

static void nothing_looks_ahead(void **state)
{
    (void)state;
    each(check_leaks);
}

/* ---- by plain loops -------------------------------------------------------------------------- */

enum { DIM = 4, HEADS = 2, WIDTH = DIM / HEADS, WIDE = 2 * DIM, LETTERS = 6, ALL = LETTERS + 2 };

typedef double States[ALL][DIM];

/* The last symbol stands between those of a pair. */
static int word[LETTERS] = {2, 0, 1, 3, 3, 0};
static int pair[2 * LETTERS + 1] = {2, 0, 1, 1, 2, 0, 3, 0, 0, 1, 2, 1, 1};

typedef struct {
    const ThModel *m;
    bool by_position, gated, transition, end;
    double threshold;
    int steps;
} Plain;

static void times(const ThModel *m, const char *name, const double *x, int out, double *y)
{
    const float *w = find(m, "", name);
    for (int j = 0; j < out; j++) {
        y[j] = 0;
        for (int k = 0; k < DIM; k++)
            y[j] += x[k] * (double)w[k * out + j];
    }
}

static void network(const ThModel *m, const char *name, const double *x, int in, int wide, int out,
                    double *y)
{
    double f[WIDE];
    char up[32], down[32];
    snprintf(up, sizeof up, "%s.up", name);
    snprintf(down, sizeof down, "%s.down", name);
    affine(m, "", up, x, in, wide, f);
    for (int k = 0; k < wide; k++)
        f[k] *= 0.5 * (1 + erf(f[k] / sqrt(2)));
    affine(m, "", down, f, wide, out, y);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void attend(const Plain *p, const double *h, States seen, double *y)
{
    double x[DIM], q[DIM], kv[ALL][2 * DIM], o[DIM];
    normalise(p->m, "", "norm1", h, DIM, x);
    times(p->m, "attention.query", x, DIM, q);
    for (int j = 0; j < ALL; j++) {
        normalise(p->m, "", "norm1", seen[j], DIM, x);
        times(p->m, "attention.key_value", x, 2 * DIM, kv[j]);
    }
    for (int c = 0; c < DIM; c++) {
        double sum = o[c] = 0;
        for (int j = 0; j < ALL; j++) {
            double logit = 0;
            for (int k = c / WIDTH * WIDTH; k < (c / WIDTH + 1) * WIDTH; k++)
                logit += q[k] * kv[j][k];
            double e = exp(logit / sqrt(WIDTH));
            sum += e;
            o[c] += e * kv[j][DIM + c];
        }
        o[c] /= sum;
    }
    times(p->m, "attention.output", o, DIM, y);
}

static void block(const Plain *p, States h, States seen, States made)
{
    for (int i = 0; i < ALL; i++) {
        double a[DIM], x[DIM], f[DIM], g[DIM];
        attend(p, h[i], seen, a);
        for (int k = 0; k < DIM; k++)
            a[k] += h[i][k];
        normalise(p->m, "", "norm2", a, DIM, x);
        network(p->m, "feed_forward", x, DIM, WIDE, DIM, f);
        if (p->gated)
            network(p->m, "gate", x, DIM, WIDE, DIM, g);
        for (int k = 0; k < DIM; k++) {
            double open = p->gated ? sigmoid(g[k]) : 1;
            made[i][k] = open * (f[k] + a[k]) + (1 - open) * h[i][k];
        }
    }
}

/* What the decision about row i sees. */
static void summary(const Plain *p, States h, int i, double *y)
{
    for (int k = 0; k < DIM; k++) {
        y[k] = p->by_position ? h[i][k] : 0;
        for (int j = 0; !p->by_position && j < ALL; j++)
            y[k] += h[j][k] / ALL;
    }
}

/* The whole, in the words of the paper's algorithm; returns how many rows stopped early. */
static int think(const Plain *p, States h, States soft)
{
    double left[ALL], given[ALL][DIM] = {0};
    bool active[ALL];
    int stopped = 0;
    for (int i = 0; i < ALL; i++) {
        left[i] = 1;
        active[i] = true;
    }
    memcpy(soft, h, sizeof(States));
    for (int l = 0; l < p->steps; l++) {
        States made, before, next;
        memcpy(before, h, sizeof before);
        memcpy(next, h, sizeof next);
        block(p, before, p->by_position ? soft : before, made);
        for (int i = 0; i < ALL; i++) /* what has stopped makes nothing new */
            if (!active[i])
                memcpy(made[i], before[i], sizeof made[i]);
        for (int i = 0; i < ALL; i++) {
            double x[2 * DIM], z;
            if (!active[i])
                continue;
            summary(p, before, i, x);
            summary(p, made, i, x + DIM);
            network(p->m, "halting", x, p->transition ? 2 * DIM : DIM, DIM, 1, &z);
            double rest = left[i] * (1 - sigmoid(z));
            if (1 - rest >= p->threshold) {
                active[i] = false;
                stopped++;
                continue;
            }
            for (int k = 0; k < DIM; k++) {
                given[i][k] += (left[i] - rest) * before[i][k];
                soft[i][k] = given[i][k] + rest * made[i][k];
            }
            left[i] = rest;
            memcpy(next[i], made[i], sizeof next[i]);
        }
        memcpy(h, next, sizeof next);
    }
    return stopped;
}

/* What a string comes to; returns how many rows stopped early. */
static int read_plain(const Plain *p, const int *letter, double *pooled)
{
    States h, soft;
    const float *table = find(p->m, "", "embedding"), *ends = find(p->m, "", "ends");
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < DIM; k++)
            h[i][k] = (double)(i == 0         ? ends[k]
                               : i == ALL - 1 ? ends[DIM + k]
                                              : table[letter[i - 1] * DIM + k]);
    int stopped = think(p, h, soft);
    for (int k = 0; k < DIM; k++) {
        pooled[k] = p->end ? soft[ALL - 1][k] : 0;
        for (int i = 0; !p->end && i < ALL; i++)
            pooled[k] += soft[i][k] / ALL;
    }
    return stopped;
}

static int check_plain(const Plain *p)
{
    double x[4 * DIM], f[DIM], expected[SYMBOLS], z[SYMBOLS], *u = x, *v = x + DIM;
    ThError err = {0};
    bool two = p->m->signature.pairs;
    int stopped = read_plain(p, two ? pair : word, u);
    if (two)
        read_plain(p, pair + LETTERS + 1, v);
    for (int k = 0; two && k < DIM; k++) {
        x[2 * DIM + k] = u[k] * v[k];
        x[3 * DIM + k] = fabs(u[k] - v[k]);
    }
    affine(p->m, "", "head.up", x, two ? 4 * DIM : DIM, DIM, f);
    for (int k = 0; k < DIM; k++)
        f[k] = fmax(0, f[k]);
    affine(p->m, "", "head.down", f, DIM, SYMBOLS, expected);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &p->m->params, &err);
    ThBatch b = {.B = 1, .T = two ? 2 * LETTERS + 1 : LETTERS, .token = two ? pair : word};
    logits_of(p->m, t, TH_TAPE_NO_GRADIENT, &b, false, z, NULL);
    th_tape_free(t);
    for (int i = 0; i < SYMBOLS; i++)
        if (!(fabs(z[i] - expected[i]) < 1e-9))
            fail_msg("%.12g is not %.12g", z[i], expected[i]);
    return stopped;
}

/* With thresholds at which some positions stop early and others go on. */
static void answers_are_those_of_the_algorithm(void **state)
{
    (void)state;
    int some = 0, all = 0;
    for (int form = 0; form < 64; form++) {
        Plain p = {.by_position = form & 1,
                   .gated = form & 2,
                   .transition = form & 4,
                   .end = form & 8,
                   .threshold = form & 16 ? 0.97 : 0.8,
                   .steps = 4};
        char settings[200];
        snprintf(settings, sizeof settings,
                 "dim=4 heads=2 steps=4 hidden=2 position=none halt=%s gate=%s transition=%s "
                 "pool=%s threshold=%g",
                 p.by_position ? "token" : "global", p.gated ? "yes" : "no",
                 p.transition ? "yes" : "no", p.end ? "end" : "mean", p.threshold);
        ThModel *m = bound_to("universal", settings, TH_TARGET_FINAL, SYMBOLS, form & 32);
        scatter(m, 0.8);
        parameter(m, "halting.down_bias")[0] = -1;
        p.m = m;
        int stopped = check_plain(&p);
        some += p.by_position && stopped > 0 && stopped < ALL;
        all += !p.by_position && stopped == ALL;
        th_model_free(m);
    }
    assert_true(some > 3);
    assert_true(all > 1);
}

/* ---- the price ------------------------------------------------------------------------------- */

/* What the applications cost, with answers for strings and for positions. */
static void the_price_has_a_gradient(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (ThTarget target = TH_TARGET_FINAL; target <= TH_TARGET_EVERY; target++) {
            char settings[160];
            settings_of(i, "ponder=0.7", settings);
            ThModel *m = bound(forms[i][0], settings, target, SYMBOLS);
            check_price(m, settings, 0.7 * 3);
            th_model_free(m);
        }
}

/* Applications a string that a model counts after some training. */
static double steps_learned(const char *kind, const char *ponder)
{
    char settings[160];
    ThError err = {0};
    ThVar v;
    snprintf(settings, sizeof settings, "dim=8 heads=2 steps=6 hidden=2 ponder=%s", ponder);
    ThModel *m = made_model(kind, settings);
    ThTask *task = made_task("parity", "", NULL);
    ThOptions o = {0};
    set_all(&o, th_train_options, "length=1..8 steps=60 batch=16 lr=0.01 seed=3");
    ThTrainer *tr = th_trainer_new(m, task, &o, 2, &err);
    assert_non_null(tr);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, &err));
    th_trainer_free(tr);
    th_options_free(&o);
    th_task_free(task);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    int token[4 * 8] = {0, 1, 1, 0, 0, 1};
    ThBatch b = {.B = 4, .T = 8, .token = token};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    th_model_forward(m, t, &b, &(ThModelForward){0});
    v = th_tape_find(t, "cost", -1);
    double cost;
    th_tape_read(t, v, &cost);
    th_tape_free(t);
    th_model_free(m);
    return cost / (4 * atof(ponder));
}

/* A step of training draws what the price says: fewer applications where they are dear. */
static void dear_applications_become_few(void **state)
{
    (void)state;
    static const char *const kinds[] = {"universal", "gated_universal"};
    for (int i = 0; i < 2; i++) {
        double cheap = steps_learned(kinds[i], "0.00001"), dear = steps_learned(kinds[i], "3");
        if (!(dear < 1.3 && cheap > dear + 0.5))
            fail_msg("%s: %g applications at a low price, %g at a high one", kinds[i], cheap, dear);
    }
}

/* ---- what they come down to ------------------------------------------------------------------ */

static void logits(const ThModel *m, double *z)
{
    ThError err = {0};
    int token[ROWS * LENGTH];
    draw_tokens(token);
    ThBatch b = {.B = ROWS, .T = LENGTH, .token = token, .length = lengths};
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, false, z, NULL);
    th_tape_free(t);
}

/* Parameters of one name get the values that they have in another model. */
static void share_parameters(ThModel *to, const ThModel *from)
{
    for (int i = 0; i < to->params.n; i++) {
        const ThParam *p = &to->params.item[i];
        int index = th_params_find(&from->params, p->name);
        if (index >= 0 && from->params.item[index].rows == p->rows)
            memcpy(to->params.value + p->offset, th_params_at(&from->params, index),
                   (size_t)p->rows * (size_t)p->cols * sizeof(float));
    }
}

static void check_same(const char *one, const char *settings, const char *other,
                       const char *other_settings, float stop, float gate)
{
    double a[ROWS * SYMBOLS], b[ROWS * SYMBOLS];
    ThModel *m = bound(one, settings, TH_TARGET_FINAL, SYMBOLS);
    ThModel *n = bound(other, other_settings, TH_TARGET_FINAL, SYMBOLS);
    share_parameters(n, m);
    if (stop != 0) {
        *parameter(m, "halting.down_bias") = stop;
        memset(parameter(m, "halting.down"), 0, 4 * sizeof(float));
    }
    if (gate != 0) {
        memset(parameter(m, "gate.down"), 0, 8 * 4 * sizeof(float));
        for (int k = 0; k < 4; k++)
            parameter(m, "gate.down_bias")[k] = gate;
    }
    logits(m, a);
    logits(n, b);
    for (int i = 0; i < ROWS * SYMBOLS; i++)
        if (a[i] - b[i] != 0)
            fail_msg("%s %s: %.17g is not %.17g", one, settings, a[i], b[i]);
    th_model_free(m);
    th_model_free(n);
}

/* Never stopping is no halting; a gate that is open lets all through; stopping at once leaves the
 * embedded symbols, however often it may go on. */
static void special_cases_are_the_same(void **state)
{
    (void)state;
    const char *plain = "dim=4 heads=2 steps=3 hidden=2 halt=none pool=mean gate=no";
    check_same("universal", "dim=4 heads=2 steps=3 hidden=2 threshold=2", "universal", plain, -800,
               0);
    check_same("gated_universal", "dim=4 heads=2 steps=3 hidden=2 threshold=2 pool=mean gate=no",
               "universal", plain, -800, 0);
    check_same("gated_universal", "dim=4 heads=2 steps=3 hidden=2 halt=none pool=mean", "universal",
               plain, 0, 800);
    check_same("gated_universal", "dim=4 heads=2 steps=3 hidden=2 threshold=2", "universal",
               "dim=4 heads=2 steps=3 hidden=2 halt=none pool=end", -800, 800);
    check_same("universal", "dim=4 heads=2 steps=3 hidden=2", "universal",
               "dim=4 heads=2 steps=1 hidden=2 threshold=0", 800, 0);
    check_same("universal", "dim=4 heads=2 steps=3 hidden=2 gate=yes transition=yes pool=end",
               "gated_universal", "dim=4 heads=2 steps=3 hidden=2 halt=token", 0, 0);
}

/* Without halting the block is applied as often as is said, to a single symbol, too. */
static void nothing_is_taken_from_short_strings(void **state)
{
    (void)state;
    static const char *const kinds[] = {"universal", "gated_universal"};
    for (int i = 0; i < 8; i++) {
        double z[2][SYMBOLS];
        for (int more = 0; more < 2; more++) {
            char settings[160];
            snprintf(settings, sizeof settings,
                     "dim=4 heads=2 halt=none ends=no causal=%s steps=%d", i & 2 ? "yes" : "no",
                     i & 4 ? 5 + more : 2 + more);
            ThModel *m = bound(kinds[i % 2], settings, TH_TARGET_EVERY, SYMBOLS);
            ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
            ThBatch b = {.B = 1, .T = 1, .token = (int[]){2}};
            assert_int_equal(logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, true, z[more], NULL), 1);
            th_tape_free(t);
            th_model_free(m);
        }
        assert_true(fabs(z[0][0] - z[1][0]) > 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_are_those_of_the_table),
        cmocka_unit_test(masses_have_the_gradient_of_the_formula),
        cmocka_unit_test(rows_say_what_they_say_alone),
        cmocka_unit_test(symbols_are_dropped_one_by_one),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(nothing_looks_ahead),
        cmocka_unit_test(answers_are_those_of_the_algorithm),
        cmocka_unit_test(the_price_has_a_gradient),
        cmocka_unit_test(dear_applications_become_few),
        cmocka_unit_test(special_cases_are_the_same),
        cmocka_unit_test(nothing_is_taken_from_short_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
