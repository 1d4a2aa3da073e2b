/* Positional encodings: the values of the papers, gradients, rows of different lengths, and that
 * nothing looks ahead where it must not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "bound.h"
#include "whole.h"
#include "models/position/position.h"

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

/* ---- the table ---- */

static void test_table(void **state)
{
    (void)state;
    size_t n;
    char list[256] = "";
    const ThPositionKind *const *kinds = th_position_kinds(&n);
    assert_true(n >= 5);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(th_position_kind(kinds[i]->name), kinds[i]);
        assert_true(kinds[i]->causal || kinds[i]->full);
        strcat(strcat(list, i ? "|" : ""), kinds[i]->name);
    }
    assert_string_equal(list, TH_POSITION_CHOICES);
    assert_null(th_position_kind("nowhere"));
}

/* ---- values ---- */

static void test_slopes(void **state)
{
    (void)state;
    static const double twelve[] = {0.5,       0.25,       0.125,    0.0625,   0.03125,  0.015625,
                                    0.0078125, 0.00390625, 0.707107, 0.353553, 0.176777, 0.088388};
    double slope[16];
    th_position_slopes(12, slope);
    for (int h = 0; h < 12; h++)
        assert_close(slope[h], twelve[h], 1e-6);
    th_position_slopes(8, slope);
    for (int h = 0; h < 8; h++)
        assert_close(slope[h], twelve[h], 0);
    th_position_slopes(16, slope);
    assert_close(slope[0], 0.707107, 1e-6);
    assert_close(slope[1], 0.5, 0);
    assert_close(slope[2], 0.353553, 1e-6);
    th_position_slopes(1, slope);
    assert_close(slope[0], 1.0 / 256, 0);
}

/* The encoding of a model, and a tape on its parameters. */
static const ThPosition *encoding(const char *settings, ThModel **m, ThPosition *p, ThTape **t)
{
    ThError err = {0};
    *m = bound("transformer", settings, TH_TARGET_EVERY, SYMBOLS);
    th_position_init(p, &(*m)->options, (int)th_option_int(&(*m)->options, "dim"),
                     (int)th_option_int(&(*m)->options, "heads"),
                     th_option_flag(&(*m)->options, "causal"));
    p->param[0] = th_params_find(&(*m)->params, "position");
    *t = th_tape_new(TH_TAPE_FLOAT, &(*m)->params, &err);
    return p;
}

static void test_sinusoidal_values(void **state)
{
    (void)state;
    static const double three[] = {0.14112, -0.989992, 0.029996, 0.99955};
    ThModel *m;
    ThTape *t;
    ThPosition place;
    const ThPosition *p = encoding("dim=4 heads=1 position=sinusoidal", &m, &place, &t);
    float zero[16] = {0};
    double y[16];
    /* Two strings of two columns from position 2 on; then rows wherever they are said to stand. */
    ThPositionRows rows = {.n = 4, .T = 2, .first = 2};
    th_tape_read(t, th_position_at_input(p, t, th_tape_constant(t, 4, 4, zero), &rows), y);
    for (int j = 0; j < 4; j++) {
        assert_close(y[4 + j], three[j], 1e-6);
        assert_close(y[12 + j], three[j], 1e-6);
        assert_true(fabs(y[j] - three[j]) > 1e-6);
    }
    rows = (ThPositionRows){.n = 4, .T = 1, .position = (const int[]){7, 3, 0, 1}};
    th_tape_read(t, th_position_at_input(p, t, th_tape_constant(t, 4, 4, zero), &rows), y);
    for (int j = 0; j < 4; j++) {
        assert_close(y[4 + j], three[j], 1e-6);
        assert_close(y[8 + j], j % 2, 1e-6);
    }
    th_tape_free(t);
    th_model_free(m);
}

static void test_learned_values(void **state)
{
    (void)state;
    ThModel *m;
    ThTape *t;
    ThPosition place;
    ThError err = {0};
    const ThPosition *p = encoding("dim=4 heads=1 position=learned longest=5", &m, &place, &t);
    const float *table = th_params_at(&m->params, p->param[0]);
    assert_int_equal(m->params.item[p->param[0]].rows, 5);
    float zero[16] = {0};
    double y[16];
    ThPositionRows rows = {.n = 4, .T = 2, .first = 3};
    th_tape_read(t, th_position_at_input(p, t, th_tape_constant(t, 4, 4, zero), &rows), y);
    for (int j = 0; j < 8; j++) {
        assert_close(y[j], (double)table[12 + j], 0);
        assert_close(y[8 + j], (double)table[12 + j], 0);
    }
    /* A position more than the table has. */
    rows.first = 4;
    assert_int_equal(th_position_at_input(p, t, th_tape_constant(t, 4, 4, zero), &rows), -1);
    assert_false(th_tape_ok(t, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_tape_free(t);
    th_model_free(m);
}

/* The bias of layer 0 in an attention over SPAN positions, or of `place`: (heads, columns), or
 * (heads*SPAN, SPAN).  Weights are set by name first. */
enum { SPAN = 200 };
typedef struct {
    const char *name;
    float value;
} Weight;

static ThOpAttention modifiers(const ThPosition *p, ThTape *t, int T)
{
    ThPositionSpan span = {.B = 1, .T = T};
    ThOpAttention how = {.bias = -1, .xl = -1, .u = -1, .v = -1};
    th_position_prepare(p, t, NULL, NULL, &span);
    th_position_at_attention(p, t, 0, &span, &how);
    return how;
}

static double *bias_of(const char *settings, const Weight *weight, int T, int *columns)
{
    ThModel *m;
    ThTape *t;
    ThPosition place;
    ThError err = {0};
    char text[200];
    snprintf(text, sizeof text, "heads=3 dim=12 layers=1 %s", settings);
    const ThPosition *p = encoding(text, &m, &place, &t);
    th_tape_free(t);
    for (; weight && weight->name; weight++) {
        int i = th_params_find(&m->params, weight->name);
        assert_true(i >= 0);
        for (int k = 0; k < m->params.item[i].rows * m->params.item[i].cols; k++)
            m->params.value[m->params.item[i].offset + (size_t)k] = weight->value + (float)k;
    }
    /* The weights of a layer's bias lie behind each other, in the order of the encoding's list. */
    for (int i = m->params.n - 1; i >= 0; i--)
        if (strncmp(m->params.item[i].name, "layer0.position.", 16) == 0)
            for (int k = 0; k < TH_POSITION_PARAMS; k++)
                place.layer[0][k] = i + k;
    t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThOpAttention how = modifiers(p, t, T);
    if (!th_tape_ok(t, &err))
        fail_msg("%s: %s", settings, err.msg);
    *columns = th_tape_cols(t, how.bias);
    double *value = malloc((size_t)th_tape_rows(t, how.bias) * (size_t)*columns * sizeof *value);
    th_tape_read(t, how.bias, value);
    th_tape_free(t);
    th_model_free(m);
    return value;
}

static void test_alibi_values(void **state)
{
    (void)state;
    double slope[3];
    th_position_slopes(3, slope);
    for (int causal = 0; causal < 2; causal++) {
        int columns;
        double *bias =
            bias_of(causal ? "position=alibi causal=yes" : "position=alibi", NULL, SPAN, &columns);
        assert_int_equal(columns, causal ? SPAN : 2 * SPAN - 1);
        for (int h = 0; h < 3; h++) {
            const double *row = bias + h * columns + SPAN - 1;
            assert_true(row[0] == 0);
            for (int distance = 1; distance < SPAN; distance++) {
                assert_close(row[-distance], -slope[h] * distance, 1e-4);
                if (!causal)
                    assert_close(row[distance], -slope[h] * distance, 1e-4);
            }
        }
        free(bias);
    }
}

/* The first distances of buckets 16 … 31, of 32 with the farthest at 128. */
static void test_t5_values(void **state)
{
    (void)state;
    static const int first[] = {16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113};
    const Weight weight[] = {{"layer0.position.bucket", 0}, {NULL, 0}};
    int columns;
    double *bias = bias_of("tied=no position=t5 causal=yes", weight, SPAN, &columns);
    for (int h = 0; h < 3; h++) {
        for (int distance = 0, far = 0; distance < SPAN; distance++) {
            while (far < 16 && first[far] <= distance)
                far++;
            int bucket = distance < 16 ? distance : 15 + far;
            assert_close(bias[h * columns + SPAN - 1 - distance], 32 * h + bucket, 0);
        }
    }
    free(bias);
    /* Without a causal mask 16 are for each direction, and the first 8 distances have their own. */
    bias = bias_of("tied=no position=t5", weight, SPAN, &columns);
    assert_close(bias[SPAN - 1], 0, 0);
    assert_close(bias[SPAN - 1 - 7], 7, 0);
    assert_close(bias[SPAN - 1 + 7], 16 + 7, 0);
    assert_close(bias[SPAN - 1 - 190], 15, 0);
    assert_close(bias[SPAN - 1 + 190], 31, 0);
    free(bias);
}

static void test_kerple_values(void **state)
{
    (void)state;
    int columns;
    double *bias = bias_of(
        "tied=no position=kerple causal=yes",
        (const Weight[]){{"layer0.position.scale", 1}, {"layer0.position.rate", 2}, {NULL, 0}},
        SPAN, &columns);
    assert_close(bias[SPAN - 1], 0, 0);
    assert_close(bias[SPAN - 1 - 5], -2.397895, 1e-6);
    assert_close(bias[columns + SPAN - 1 - 5], -2 * log(1 + 3 * 5.0), 1e-6);
    free(bias);
    bias = bias_of("tied=no position=kerple_power causal=yes",
                   (const Weight[]){
                       {"layer0.position.scale", 0.5F}, {"layer0.position.power", 1.5F}, {NULL, 0}},
                   SPAN, &columns);
    assert_close(bias[SPAN - 1], 0, 0);
    assert_close(bias[SPAN - 1 - 5], -5.590170, 1e-6);
    assert_close(bias[columns + SPAN - 1 - 5], -1.5 * 25, 1e-5); /* 2.5 counts as 2 */
    free(bias);
    /* Sizes count, not signs, and none is below 0.01. */
    bias = bias_of(
        "tied=no position=kerple causal=yes",
        (const Weight[]){{"layer0.position.scale", -1}, {"layer0.position.rate", -2}, {NULL, 0}},
        SPAN, &columns);
    assert_close(bias[SPAN - 1 - 5], -2.397895, 1e-6);
    assert_close(bias[columns + SPAN - 1 - 5], -0.01 * log(1 + 5.0), 1e-6);
    free(bias);
}

/* A network that lets the argument through: its first unit is x, of which the heads take 0, 1 and 2
 * times as much, each with its number added. */
static void test_fire_values(void **state)
{
    (void)state;
    enum { LONG = 601 };
    static const int at[][2] = {{10, 4}, {600, 4}, {600, 599}};
    static const double expected[] = {0.118835, 0.998400, 0.023185};
    int columns;
    double *bias = bias_of("tied=no position=fire causal=yes heads=1 dim=2",
                           (const Weight[]){{"layer0.position.rate", 0.1F},
                                            {"layer0.position.threshold", 1},
                                            {"layer0.position.up", 1},
                                            {"layer0.position.up_bias", 0},
                                            {"layer0.position.down", 1},
                                            {"layer0.position.down_bias", 0},
                                            {NULL, 0}},
                           LONG, &columns);
    assert_int_equal(columns, LONG);
    /* Unit k is (1+k)x + k and counts 1+k times. */
    double slope = 0, offset = 0;
    for (int k = 0; k < 32; k++) {
        slope += (1 + k) * (1 + k);
        offset += k * (1 + k);
    }
    for (int i = 0; i < 3; i++)
        assert_close((bias[at[i][0] * LONG + at[i][1]] - offset) / slope, expected[i], 1e-6);
    assert_close(bias[10 * LONG + 11], 0, 0);
    free(bias);
}

static void test_hard_alibi_windows(void **state)
{
    (void)state;
    ThModel *m;
    ThTape *t;
    ThPosition place;
    const ThPosition *p =
        encoding("heads=4 dim=8 position=hard_alibi causal=yes masked=3", &m, &place, &t);
    ThOpAttention how = modifiers(p, t, 5);
    for (int h = 0; h < 4; h++)
        assert_int_equal(how.window[h], h < 3 ? h + 1 : 0);
    th_tape_free(t);
    th_model_free(m);
}

/* Four heads that see everything: r is 0, 1, 2 and 4; one that sees everything has all. */
static void test_recency_values(void **state)
{
    (void)state;
    static const double r[] = {0, 0, 1, 2, 4};
    int columns;
    double *bias = bias_of("heads=5 dim=10 position=recency causal=yes masked=1 recency=4",
                           (const Weight[]){{NULL, 0}}, SPAN, &columns);
    for (int h = 0; h < 5; h++)
        for (int distance = 0; distance < SPAN; distance++)
            assert_close(bias[h * columns + SPAN - 1 - distance], -r[h] * log(1 + distance), 1e-5);
    free(bias);
    bias = bias_of("heads=3 dim=6 position=recency causal=yes masked=2",
                   (const Weight[]){{NULL, 0}}, SPAN, &columns);
    assert_close(bias[columns + SPAN - 1 - 9], 0, 0);
    assert_close(bias[2 * columns + SPAN - 1 - 9], -18.420681, 1e-5);
    free(bias);
    ThModel *m;
    ThTape *t;
    ThPosition place;
    const ThPosition *p = encoding(
        "heads=4 dim=8 layers=2 position=recency causal=yes masked=3 windowed=1", &m, &place, &t);
    ThPositionSpan span = {.B = 1, .T = 5};
    th_position_prepare(p, t, NULL, NULL, &span);
    for (int layer = 0; layer < 2; layer++) { /* windows are in the first, the bias in both */
        ThOpAttention how = {.bias = -1};
        th_position_at_attention(p, t, layer, &span, &how);
        assert_int_equal(how.window != NULL, layer == 0);
        assert_int_equal(how.biased, TH_TAPE_BIAS_DISTANCE);
    }
    th_tape_free(t);
    th_model_free(m);
}

/* x at a position, turned as a query. */
static void turned(const char *settings, const float *x, int position, bool key, double *y)
{
    ThModel *m;
    ThTape *t;
    ThPosition place;
    const ThPosition *p = encoding(settings, &m, &place, &t);
    ThPositionRows rows = {.n = 1, .T = 1, .first = position};
    ThVar v = th_tape_constant(t, 1, 4, x);
    v = key ? th_position_at_keys(p, t, v, &rows) : th_position_at_queries(p, t, v, &rows);
    th_tape_read(t, v, y);
    th_tape_free(t);
    th_model_free(m);
}

/* At position 6 seven symbols are seen, ln 8 / ln 4 = 1.5 times log_length=3; keys stay. */
static void test_log_length(void **state)
{
    (void)state;
    static const float x[] = {1, -2, 3, 4};
    const char *settings = "dim=4 heads=1 causal=yes position=hard_alibi masked=0 log_length=3";
    double y[4];
    turned(settings, x, 6, false, y);
    for (int i = 0; i < 4; i++)
        assert_close(y[i], 1.5 * (double)x[i], 1e-6);
    turned(settings, x, 0, false, y);
    assert_close(y[1], -1, 1e-6);
    turned(settings, x, 6, true, y);
    assert_close(y[1], -2, 0);
}

static double turned_product(const char *settings, int i, int j)
{
    static const float q[] = {0.3F, -0.2F, 0.5F, 0.1F}, k[] = {-0.4F, 0.6F, 0.2F, 0.7F};
    double a[4], b[4], sum = 0;
    turned(settings, q, i, false, a);
    turned(settings, k, j, true, b);
    for (int c = 0; c < 4; c++)
        sum += a[c] * b[c];
    return sum;
}

static void test_rotary_values(void **state)
{
    (void)state;
    static const float x[] = {1, 2, 3, 4};
    static const double neox[] = {-3.144039, 1.919605, -0.339143, 4.039197};
    static const double gptj[] = {-2.234742, 0.077004, 2.919405, 4.059196};
    const char *plain = "dim=4 heads=1 causal=yes position=rope";
    const char *neighbours = "dim=4 heads=1 causal=yes position=rope pairs=neighbours";
    const char *decaying = "dim=4 heads=1 causal=yes position=xpos";
    double y[4];
    turned(plain, x, 2, false, y);
    for (int c = 0; c < 4; c++)
        assert_close(y[c], neox[c], 1e-5);
    turned(neighbours, x, 2, true, y);
    for (int c = 0; c < 4; c++)
        assert_close(y[c], gptj[c], 1e-5);
    turned("dim=4 heads=1 causal=yes position=rope turned=0.5", x, 2, false, y);
    assert_true(y[0] != 1 && y[2] == 3 && y[3] == 4);
    assert_close(turned_product(plain, 7, 3), -0.241654, 1e-6);
    assert_close(turned_product(plain, 14, 10), -0.241654, 1e-6);
    assert_close(turned_product(decaying, 7, 3), 0.262833, 1e-6);
    assert_close(turned_product(decaying, 14, 10), 0.262833, 1e-6);
}

/* Rows by the formula of the paper, pairs of neighbours: queries grow with their position, keys
 * shrink, and products depend on the distance alone, and on its sign. */
static void test_xpos_rows(void **state)
{
    (void)state;
    static const struct {
        int position;
        bool key;
        double row[4];
    } known[] = {{1, false, {-1.139847, 1.917378, 2.957298, 4.026323}},
                 {1, true, {-1.145439, 1.926784, 2.962406, 4.033279}},
                 {3, false, {-1.262928, -1.825416, 2.871225, 4.077617}},
                 {100, true, {2.394838, 1.555993, -1.902249, 5.107930}}};
    static const float query[] = {1, 2, 3, 4}, key[] = {0.5F, -1, 2, 1};
    const char *settings = "dim=4 heads=1 position=xpos";
    double q[4], k[4];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        turned(settings, query, known[i].position, known[i].key, q);
        for (int c = 0; c < 4; c++)
            assert_close(q[c], known[i].row[c], 2e-6);
    }
    for (int shift = 0; shift <= 100; shift += 100)
        for (int swap = 0; swap < 2; swap++) {
            double sum = 0;
            turned(settings, query, shift + (swap ? 4 : 7), false, q);
            turned(settings, key, shift + (swap ? 7 : 4), true, k);
            for (int c = 0; c < 4; c++)
                sum += q[c] * k[c];
            assert_close(sum, swap ? 11.952026 : 11.014019, 2e-5);
        }
}

static void test_drawn_positions(void **state)
{
    (void)state;
    enum { STRINGS = 40, T = 6, LONGEST = 9 };
    ThModel *m;
    ThTape *t;
    ThPosition place;
    const ThPosition *p =
        encoding("dim=4 heads=1 position=random over=alibi longest=9", &m, &place, &t);
    assert_false(th_position_stays(p));
    ThRng r = th_rng(3, "draws", 0);
    int length[STRINGS], seen[LONGEST] = {0};
    for (int b = 0; b < STRINGS; b++)
        length[b] = 1 + b % T;
    ThPositionSpan span = {.B = STRINGS, .T = T};
    th_position_prepare(p, t, length, &r, &span);
    for (int b = 0; b < STRINGS; b++) {
        for (int i = 0; i < length[b]; i++) {
            int at = span.place[b * T + i];
            assert_in_range(at, i ? span.place[b * T + i - 1] + 1 : 0, LONGEST - 1);
            seen[at]++;
        }
    }
    for (int k = 0; k < LONGEST; k++)
        assert_true(seen[k] > 0);
    /* The bias of two positions is that of their distance. */
    ThOpAttention how = {.bias = -1};
    double bias[STRINGS * T * T];
    th_position_at_attention(p, t, 0, &span, &how);
    assert_int_equal(how.biased, TH_TAPE_BIAS_FULL);
    th_tape_read(t, how.bias, bias);
    const int *last = span.place + (STRINGS - 1) * T;
    for (int i = 0; i < length[STRINGS - 1]; i++)
        for (int j = 0; j < length[STRINGS - 1]; j++)
            assert_close(bias[((STRINGS - 1) * T + i) * T + j], -abs(last[i] - last[j]) / 256.0,
                         1e-6);
    /* More positions than can be drawn. */
    span = (ThPositionSpan){.B = 1, .T = LONGEST + 1};
    th_position_prepare(p, t, NULL, &r, &span);
    assert_false(th_tape_ok(t, NULL));
    th_tape_free(t);
    th_model_free(m);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[] = {"position=hard_alibi",
                                      "position=fire",
                                      "position=hard_alibi causal=yes masked=5",
                                      "position=rope dim=12 heads=4",
                                      "position=rope turned=0.1",
                                      "position=random over=random",
                                      "position=random over=xl",
                                      "position=recency",
                                      "position=random over=recency causal=yes",
                                      "position=random over=hard_alibi causal=yes log_length=5",
                                      "position=alibi log_length=5",
                                      "position=hard_alibi recency=2 causal=yes",
                                      "position=t5 buckets=7",
                                      "position=t5 buckets=32 farthest=8",
                                      "position=random over=fire",
                                      "position=alibi tied=no",
                                      "position=alibi masked=2",
                                      "position=random over=rope masked=2",
                                      "position=rope decay=100",
                                      "longest=7"};
    const ThModelKind *kind = th_model_kind("transformer");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        ThOptions o = {0};
        char text[128], *rest = text;
        assert_true(th_options_init(&o, kind->options, &err));
        snprintf(text, sizeof text, "%s", bad[i]);
        for (char *pair; (pair = strtok_r(rest, " ", &rest));) {
            char *value = strchr(pair, '=');
            *value++ = 0;
            assert_true(th_options_set(&o, pair, value, &err));
        }
        ThModel *m = th_model_new(kind, &o, &err);
        if (m)
            fail_msg("%s was taken", bad[i]);
        assert_int_equal(err.code, TH_EUSAGE);
        th_options_free(&o);
    }
}

/* ---- whole models ---- */

/* Calls `each` with every encoding, causal or not as it is defined for, and every target. */

/* Settings of models, with the targets first … last; causal or not as the encoding is defined. */
typedef struct {
    const char *model, *position;
    ThTarget first, last;
} Settings;

static void for_settings(const ThPositionKind *kind, const Settings *s, EachModel *each)
{
    bool decoder = strcmp(s->model, "gpt") == 0;
    for (int causal = decoder; causal < 2; causal++) {
        if (causal ? !kind->causal : !kind->full)
            continue;
        char all[160];
        snprintf(all, sizeof all, "dim=12 heads=3 layers=2 hidden=2 position=%s%s", s->position,
                 causal && !decoder ? " causal=yes" : "");
        for (ThTarget target = s->first; target <= s->last; target++) {
            ThModel *m = bound(s->model, all, target, SYMBOLS);
            each(m, all);
            th_model_free(m);
        }
    }
}

static void for_each_model(EachModel *each)
{
    static const char *const tied[] = {"t5", "kerple", "kerple_power", "fire"};
    static const char *const drawn[] = {"none", "sinusoidal", "learned", "t5",     "alibi",
                                        "rope", "hard_alibi", "xpos",    "kerple", "fire"};
    size_t n;
    const ThPositionKind *const *kinds = th_position_kinds(&n);
    char settings[96];
    for (size_t i = 0; i < n; i++)
        for_settings(kinds[i],
                     &(Settings){"transformer", kinds[i]->name, TH_TARGET_FINAL, TH_TARGET_BITS},
                     each);
    for (size_t i = 0; i < sizeof tied / sizeof *tied; i++) {
        snprintf(settings, sizeof settings, "%s tied=no", tied[i]);
        for_settings(th_position_kind(tied[i]),
                     &(Settings){"gpt", settings, TH_TARGET_EVERY, TH_TARGET_EVERY}, each);
    }
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        snprintf(settings, sizeof settings, "random longest=20 over=%s", drawn[i]);
        for_settings(th_position_kind(drawn[i]),
                     &(Settings){"transformer", settings, TH_TARGET_EVERY, TH_TARGET_EVERY}, each);
    }
    for_settings(th_position_kind("recency"),
                 &(Settings){"gpt", "recency log_length=3", TH_TARGET_FINAL, TH_TARGET_EVERY},
                 each);
    const ThPositionKind *none = th_position_kind("none");
    for_settings(none, &(Settings){"gpt", "none", TH_TARGET_FINAL, TH_TARGET_BITS}, each);
    for_settings(none, &(Settings){"gpt", "none block=neox", TH_TARGET_EVERY, TH_TARGET_BITS},
                 each);
    for_settings(none, &(Settings){"gpt", "none block=llama", TH_TARGET_EVERY, TH_TARGET_BITS},
                 each);
}

static void test_ragged(void **state)
{
    (void)state;
    for_each_model(check_ragged);
}

static void test_gradients(void **state)
{
    (void)state;
    for_each_model(check_gradient);
}

/* Every encoding, and every architecture as it begins, where it can be made not to look ahead. */
static void test_leaks(void **state)
{
    (void)state;
    size_t n;
    const ThModelKind *const *kinds = th_model_kinds(&n);
    for_each_model(check_leaks);
    for (size_t i = 0; i < n; i++) {
        ThOptions o = {0};
        ThError err = {0};
        assert_true(th_options_init(&o, kinds[i]->options, &err));
        const char *settings = th_option_known(&o, "causal") ? "dim=16 causal=yes" : "dim=16";
        ThModel *m = bound(kinds[i]->name, settings, TH_TARGET_EVERY, SYMBOLS);
        check_leaks(m, settings);
        th_options_free(&o);
        th_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_sinusoidal_values),
        cmocka_unit_test(test_learned_values),
        cmocka_unit_test(test_alibi_values),
        cmocka_unit_test(test_t5_values),
        cmocka_unit_test(test_kerple_values),
        cmocka_unit_test(test_fire_values),
        cmocka_unit_test(test_hard_alibi_windows),
        cmocka_unit_test(test_recency_values),
        cmocka_unit_test(test_log_length),
        cmocka_unit_test(test_rotary_values),
        cmocka_unit_test(test_xpos_rows),
        cmocka_unit_test(test_drawn_positions),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ragged),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
