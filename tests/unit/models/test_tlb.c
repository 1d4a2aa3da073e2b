/* Strings in chunks with a memory between: by plain loops, what must hold for any model, and what
 * the models come down to. */
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
#include "plain.h"
#include "price.h"

static const char *const forms[][2] = {
    {"tlb", "chunk=3 slots=2"},
    {"tlb", "chunk=4 slots=3 updates=2 memory_hidden=2 pool=last"},
    {"tlb", "chunk=4 slots=1 cut=equal ends=yes final_norm=yes"},
    {"tlb", "chunk=20 slots=2"},
    {"gutlb", "chunk=3 slots=2 steps=3 ponder=1"},
    {"gutlb", "chunk=4 slots=3 steps=2 transition=no position=rope ponder=1"},
    {"gutlb", "chunk=5 slots=2 steps=4 threshold=0.6 ponder=1"},
    {"gutlb", "chunk=3 slots=3 steps=3 threshold=0.6 halt_from=1 ponder=1"},
};

static void each(EachModel *check)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int kind = 0; kind < 4; kind++) {
            char settings[200];
            ThTarget target = kind < 2 ? TH_TARGET_EVERY : TH_TARGET_FINAL;
            if (kind == 1 && strstr(forms[i][1], "equal"))
                continue; /* refused: where it cuts depends on all of the string */
            snprintf(settings, sizeof settings, "dim=4 heads=2 hidden=2 causal=%s %s",
                     kind == 1 ? "yes" : "no", forms[i][1]);
            ThModel *m = bound_to(forms[i][0], settings, target, SYMBOLS, kind == 3);
            check(m, settings);
            th_model_free(m);
        }
}

static void rows_say_what_they_say_alone(void **state)
{
    (void)state;
    each(check_ragged);
}

static void check_price_of_chunks(ThModel *m, const char *settings)
{
    check_price(m, settings, 4);
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    each(check_gradient);
}

/* Of applications to chunks, whatever the target and whether strings are pairs. */
static void the_price_has_a_gradient(void **state)
{
    (void)state;
    each(check_price_of_chunks);
}

/* The symbol that is changed is the first of its chunk, in the middle, and the last. */
static void nothing_looks_ahead(void **state)
{
    (void)state;
    static const char *const kinds[] = {"tlb", "gutlb"};
    for (int kind = 0; kind < 2; kind++)
        for (int chunk = 1; chunk <= LENGTH + 1; chunk++)
            for (int from = 0; from <= kind; from++) {
                char settings[160];
                snprintf(settings, sizeof settings,
                         "dim=4 heads=2 causal=yes chunk=%d slots=4 %s%s", chunk,
                         kind ? "steps=3 threshold=0.7 halt_from=" : "layers=2",
                         kind ? from ? "1" : "0" : "");
                ThModel *m = bound(kinds[kind], settings, TH_TARGET_EVERY, SYMBOLS);
                check_leaks(m, settings);
                th_model_free(m);
            }
}

/* Every chunk begins with position 0: three learned positions do for any number of chunks of three,
 * and not for one of four. */
static void positions_begin_anew(void **state)
{
    (void)state;
    static const char *const kinds[] = {"tlb", "gutlb"};
    for (int i = 0; i < 4; i++) {
        char settings[160];
        double z[LENGTH * SYMBOLS];
        int token[LENGTH] = {0, 2, 3, 2, 3, 2, 2, 1, 3};
        snprintf(settings, sizeof settings,
                 "dim=4 heads=2 slots=2 position=learned longest=3 chunk=%d", i < 2 ? 3 : 4);
        ThModel *m = bound(kinds[i % 2], settings, TH_TARGET_EVERY, SYMBOLS);
        ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, NULL);
        ThBatch b = {.B = 1, .T = LENGTH, .token = token};
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        ThVar v = m->kind->forward(m, t, &b, &(ThModelForward){0});
        assert_true(th_tape_ok(t, NULL) == (i < 2));
        if (i < 2)
            th_tape_read(t, v, z);
        th_tape_free(t);
        th_model_free(m);
    }
}

/* How much the answer depends on symbol 0, which only stands in the first of three chunks, and on
 * symbol 1, which only stands in the last: the norms of their gradients. */
static void slopes_of_ends(const char *settings, double slope[2])
{
    ThError err = {0};
    const double seed[SYMBOLS] = {1};
    ThModel *m = bound("tlb", settings, TH_TARGET_FINAL, SYMBOLS);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThBatch b = {.B = 1, .T = LENGTH, .token = (int[LENGTH]){0, 2, 3, 2, 3, 2, 2, 1, 3}};
    ThVar z = m->kind->forward(m, t, &b, &(ThModelForward){0});
    assert_true(th_tape_backward(t, z, seed, &err));
    const ThParam *e = &m->params.item[th_params_find(&m->params, "embedding")];
    for (int symbol = 0; symbol < 2; symbol++) {
        slope[symbol] = 0;
        for (int k = 0; k < e->cols; k++)
            slope[symbol] +=
                fabs(th_tape_gradient_double(t)[e->offset + (size_t)(symbol * e->cols + k)]);
    }
    th_tape_free(t);
    th_model_free(m);
}

static void gradients_go_through_as_many_chunks_as_asked(void **state)
{
    (void)state;
    double all[2], slope[2];
    slopes_of_ends("dim=4 heads=2 chunk=3 slots=2", all);
    assert_true(all[0] > 0 && all[1] > 0);
    slopes_of_ends("dim=4 heads=2 chunk=3 slots=2 tbptt=1", slope);
    assert_true(slope[0] == 0 && slope[1] == all[1]);
    slopes_of_ends("dim=4 heads=2 chunk=3 slots=2 tbptt=2", slope);
    assert_true(slope[0] == 0 && slope[1] == all[1]);
    slopes_of_ends("dim=4 heads=2 chunk=3 slots=2 tbptt=3", slope);
    assert_true(slope[0] == all[0] && slope[1] == all[1]);
}

/* Whether two passes that train differ where only one kind of part still writes anything. */
static bool drops_in(const char *part, ThTarget target)
{
    static const char *const parts[] = {"attention.output", "memory.output", "update.output"};
    ThError err = {0};
    double z[2][LENGTH * SYMBOLS] = {{0}};
    ThModel *m =
        bound("tlb", "dim=4 heads=2 chunk=3 slots=2 attention_dropout=0.5", target, SYMBOLS);
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *q = &m->params.item[i];
        for (int k = 0; k < 3; k++)
            if (strstr(q->name, parts[k]) && strcmp(parts[k], part) != 0)
                memset(th_params_at(&m->params, i), 0,
                       (size_t)q->rows * (size_t)q->cols * sizeof(float));
    }
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    ThBatch b = {.B = 1, .T = LENGTH, .token = (int[LENGTH]){0, 2, 3, 2, 3, 2, 2, 1, 3}};
    ThRng r = th_rng(1, "dropout", 0);
    for (int i = 0; i < 2; i++) {
        th_tape_begin(t, TH_TAPE_NO_GRADIENT);
        th_tape_read(t, m->kind->forward(m, t, &b, &(ThModelForward){.rng = &r}), z[i]);
        assert_true(th_tape_ok(t, &err));
    }
    th_tape_free(t);
    th_model_free(m);
    return memcmp(z[0], z[1], sizeof z[0]) != 0;
}

static void weights_are_dropped_wherever_something_attends(void **state)
{
    (void)state;
    assert_true(drops_in("attention.output", TH_TARGET_EVERY));
    assert_true(drops_in("memory.output", TH_TARGET_EVERY));
    assert_true(drops_in("update.output", TH_TARGET_FINAL)); /* which reads the slots alone */
    assert_false(drops_in("nothing", TH_TARGET_EVERY));
}

/* ---- by plain loops -------------------------------------------------------------------------- */

enum { DIM = 4, HEADS = 2, WIDTH = DIM / HEADS, WIDE = 2 * DIM, SLOTS = 4, MOST = 8 };

static const int word[LENGTH] = {2, 0, 1, 3, 3, 0, 2, 2, 1};

static void times(const ThModel *m, const char *layer, const char *name, const double *x, int out,
                  double *y)
{
    const float *w = find(m, layer, name);
    for (int j = 0; j < out; j++) {
        y[j] = 0;
        for (int k = 0; k < DIM; k++)
            y[j] += x[k] * (double)w[k * out + j];
    }
}

/* The names of one attention: its matrices, and the norms of what asks and what is asked. */
typedef struct {
    const char *query, *key_value, *output, *asks, *asked;
} Names;

static const Names own = {"attention.query", "attention.key_value", "attention.output", "norm1",
                          "norm1"};
static const Names memory = {"memory.query", "memory.key_value", "memory.output",
                             "memory.norm_query", "memory.norm_key"};
static const Names update = {"update.query", "update.key_value", "update.output",
                             "update.norm_query", "update.norm_key"};

/* h += what it reads from n rows of `from`. */
static void attend(const ThModel *m, const char *layer, const Names *names, double *h,
                   double from[][DIM], int n)
{
    double x[DIM], q[DIM], kv[MOST][2 * DIM], o[DIM] = {0}, more[DIM];
    normalise(m, layer, names->asks, h, DIM, x);
    times(m, layer, names->query, x, DIM, q);
    for (int j = 0; j < n; j++) {
        normalise(m, layer, names->asked, from[j], DIM, x);
        times(m, layer, names->key_value, x, 2 * DIM, kv[j]);
    }
    for (int c = 0; c < DIM; c++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            double logit = 0;
            for (int k = c / WIDTH * WIDTH; k < (c / WIDTH + 1) * WIDTH; k++)
                logit += q[k] * kv[j][k];
            double e = exp(logit / sqrt(WIDTH));
            sum += e;
            o[c] += e * kv[j][DIM + c];
        }
        o[c] /= sum;
    }
    times(m, layer, names->output, o, DIM, more);
    for (int k = 0; k < DIM; k++)
        h[k] += more[k];
}

static void feed_forward(const ThModel *m, const char *layer, const char *norm, const char *name,
                         int wide, double *h)
{
    double x[DIM], f[WIDE], more[DIM];
    char up[64], down[64];
    snprintf(up, sizeof up, "%s.up", name);
    snprintf(down, sizeof down, "%s.down", name);
    normalise(m, layer, norm, h, DIM, x);
    affine(m, layer, up, x, DIM, wide, f);
    for (int k = 0; k < wide; k++)
        f[k] *= 0.5 * (1 + erf(f[k] / sqrt(2)));
    affine(m, layer, down, f, wide, DIM, more);
    for (int k = 0; k < DIM; k++)
        h[k] += more[k];
}

static void plain_chunk(const ThModel *m, double h[][DIM], int n, double slot[][DIM])
{
    double before[MOST][DIM];
    for (int l = 0; l < 2; l++) {
        const char *layer = l ? "layer1." : "layer0.";
        memcpy(before, h, (size_t)n * sizeof *before);
        for (int i = 0; i < n; i++) {
            attend(m, layer, &own, h[i], before, n);
            attend(m, layer, &memory, h[i], slot, SLOTS);
            feed_forward(m, layer, "norm2", "feed_forward", WIDE, h[i]);
        }
    }
    for (int i = 0; i < SLOTS; i++) {
        attend(m, "layer0.", &update, slot[i], h, n);
        feed_forward(m, "layer0.", "update.norm", "update.feed_forward", DIM, slot[i]);
    }
}

static void answers_are_those_of_the_algorithm(void **state)
{
    (void)state;
    ThModel *m =
        bound("tlb", "dim=4 heads=2 chunk=4 slots=4 position=none", TH_TARGET_FINAL, SYMBOLS);
    double slot[SLOTS][DIM], h[MOST][DIM], x[DIM] = {0}, f[DIM], expected[SYMBOLS], z[SYMBOLS];
    for (int i = 0; i < SLOTS * DIM; i++)
        slot[i / DIM][i % DIM] = (double)find(m, "", "slots")[i];
    for (int first = 0; first < LENGTH; first += 4) {
        int n = LENGTH - first < 4 ? LENGTH - first : 4;
        for (int i = 0; i < n * DIM; i++)
            h[i / DIM][i % DIM] =
                (double)find(m, "", "embedding")[word[first + i / DIM] * DIM + i % DIM];
        plain_chunk(m, h, n, slot);
    }
    for (int i = 0; i < SLOTS; i++) {
        double y[DIM];
        normalise(m, "", "slots_norm", slot[i], DIM, y);
        for (int k = 0; k < DIM; k++)
            x[k] += y[k] / SLOTS;
    }
    affine(m, "", "head.up", x, DIM, DIM, f);
    for (int k = 0; k < DIM; k++)
        f[k] = fmax(0, f[k]);
    affine(m, "", "head.down", f, DIM, SYMBOLS, expected);
    ThError err = {0};
    int token[LENGTH];
    memcpy(token, word, sizeof token);
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    ThBatch b = {.B = 1, .T = LENGTH, .token = token};
    logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, false, z, NULL);
    for (int i = 0; i < SYMBOLS; i++)
        if (!(fabs(z[i] - expected[i]) < 1e-9))
            fail_msg("%.12g is not %.12g", z[i], expected[i]);
    th_tape_free(t);
    th_model_free(m);
}

/* ---- what they come down to ------------------------------------------------------------------ */

/* Gives every parameter of `to` the values of that of `from` with the same name, or, for one of a
 * layer, of that without it. */
static void share_parameters(ThModel *to, const ThModel *from)
{
    for (int i = 0; i < to->params.n; i++) {
        const ThParam *p = &to->params.item[i];
        int index = th_params_find(&from->params, p->name);
        if (index < 0 && strncmp(p->name, "layer", 5) == 0)
            index = th_params_find(&from->params, strchr(p->name, '.') + 1);
        if (index < 0)
            fail_msg("no %s", p->name);
        memcpy(to->params.value + p->offset, th_params_at(&from->params, index),
               (size_t)p->rows * (size_t)p->cols * sizeof(float));
    }
}

static void set(ThModel *m, const char *name, float value)
{
    int index = th_params_find(&m->params, name);
    assert_true(index >= 0);
    const ThParam *p = &m->params.item[index];
    for (int k = 0; k < p->rows * p->cols; k++)
        m->params.value[p->offset + (size_t)k] = value;
}

static int read_logits(const ThModel *m, double *z, double *cost)
{
    ThError err = {0};
    int token[ROWS * LENGTH];
    draw_tokens(token);
    ThBatch b = {.B = ROWS, .T = LENGTH, .token = token, .length = lengths};
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    int n = logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, false, z, NULL);
    if (th_tape_find(t, "cost", -1) >= 0)
        th_tape_read(t, th_tape_find(t, "cost", -1), cost);
    th_tape_free(t);
    return n;
}

static void check_same(const ThModel *m, const ThModel *n)
{
    double a[ROWS * LENGTH * SYMBOLS], b[ROWS * LENGTH * SYMBOLS], cost;
    int rows = read_logits(m, a, &cost);
    assert_int_equal(read_logits(n, b, &cost), rows);
    for (int i = 0; i < rows * SYMBOLS; i++)
        if (rows == ROWS || i / SYMBOLS % LENGTH < lengths[i / SYMBOLS / LENGTH])
            if (a[i] - b[i] != 0)
                fail_msg("number %d: %.17g is not %.17g", i, a[i], b[i]);
}

/* Blocks that never halt, with open gates, are layers with the same weights, and are paid for as
 * they are counted. */
static void never_halting_is_layers(void **state)
{
    (void)state;
    for (ThTarget target = TH_TARGET_FINAL; target <= TH_TARGET_EVERY; target++) {
        ThModel *m =
            bound("gutlb", "dim=4 heads=2 steps=2 chunk=4 slots=3 threshold=2 ponder=1 causal=yes",
                  target, SYMBOLS);
        ThModel *n =
            bound("tlb", "dim=4 heads=2 layers=2 chunk=4 slots=3 causal=yes", target, SYMBOLS);
        set(m, "halting.down", 0);
        set(m, "halting.down_bias", -800);
        set(m, "gate.down", 0);
        set(m, "gate.down_bias", 800);
        share_parameters(n, m);
        check_same(m, n);
        double z[ROWS * LENGTH * SYMBOLS], cost;
        read_logits(m, z, &cost);
        assert_true(fabs(cost - 2.0 * ROWS) < 1e-6);
        th_model_free(m);
        th_model_free(n);
    }
}

/* One chunk whose memory says nothing is an encoder. */
static void one_chunk_is_an_encoder(void **state)
{
    (void)state;
    ThModel *m =
        bound("tlb", "dim=4 heads=2 layers=2 chunk=9 causal=yes", TH_TARGET_EVERY, SYMBOLS);
    ThModel *n = bound("encoder", "dim=4 heads=2 layers=2 causal=yes", TH_TARGET_EVERY, SYMBOLS);
    set(m, "layer0.memory.output", 0);
    set(m, "layer1.memory.output", 0);
    share_parameters(n, m);
    check_same(m, n);
    th_model_free(m);
    th_model_free(n);
}

/* A gate that is shut keeps what was: any number of applications, with all mass on the last. */
static void a_shut_gate_changes_nothing(void **state)
{
    (void)state;
    ThModel *model[2];
    for (int i = 0; i < 2; i++) {
        char settings[100];
        snprintf(settings, sizeof settings, "dim=4 heads=2 chunk=4 slots=2 threshold=2 steps=%d",
                 1 + 3 * i);
        model[i] = bound("gutlb", settings, TH_TARGET_FINAL, SYMBOLS);
        set(model[i], "halting.down", 0);
        set(model[i], "halting.down_bias", -800);
        set(model[i], "gate.down", 0);
        set(model[i], "gate.down_bias", -800);
    }
    check_same(model[0], model[1]);
    th_model_free(model[0]);
    th_model_free(model[1]);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* How far apart the slots are after some steps of training. */
static double apart(const char *start)
{
    ThError err = {0};
    char settings[100];
    double most = 0, size = 0;
    snprintf(settings, sizeof settings, "dim=8 heads=2 chunk=3 slots=3 memory_start=%s", start);
    ThModel *m = made_model("tlb", settings);
    ThTask *task = made_task("parity", "", NULL);
    ThOptions o = {0};
    set_all(&o, th_train_options, "length=1..9 steps=20 batch=16 lr=0.01 seed=3");
    ThTrainer *tr = th_trainer_new(m, task, &o, 1, &err);
    assert_non_null(tr);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, &err));
    const float *slot = find(m, "", "slots");
    for (int i = 0; i < 3 * 8; i++) {
        most = fmax(most, fabs((double)(slot[i] - slot[i % 8])));
        size = fmax(size, fabs((double)slot[i]));
    }
    assert_true(size > 0.05);
    th_trainer_free(tr);
    th_options_free(&o);
    th_task_free(task);
    th_model_free(m);
    return most;
}

/* Nothing tells slots apart that begin alike. */
static void equal_slots_stay_equal(void **state)
{
    (void)state;
    assert_true(apart("0") < 1e-6);
    assert_true(apart("0.5") > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_what_they_say_alone),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(the_price_has_a_gradient),
        cmocka_unit_test(nothing_looks_ahead),
        cmocka_unit_test(positions_begin_anew),
        cmocka_unit_test(answers_are_those_of_the_algorithm),
        cmocka_unit_test(never_halting_is_layers),
        cmocka_unit_test(one_chunk_is_an_encoder),
        cmocka_unit_test(a_shut_gate_changes_nothing),
        cmocka_unit_test(equal_slots_stay_equal),
        cmocka_unit_test(weights_are_dropped_wherever_something_attends),
        cmocka_unit_test(gradients_go_through_as_many_chunks_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
