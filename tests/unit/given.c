#include "automata/expression/expression.h"
#include "given.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/monoid.h"
#include "base/memory.h"
#include "tensor/kernels/level.h"

/* Every program of tests runs on the kernels that its caller names, as the program does. */
__attribute__((constructor)) static void choose_kernels(void)
{
    const char *level = getenv("TAPEHEAD_KERNELS");
    ThError err = {0};
    if (level && *level && !th_kernel_choose(level, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        exit(2);
    }
}

int below(ThRng *r, int n)
{
    return (int)th_rng_below(r, (uint64_t)n);
}

bool next_word(int *word, int *length, int k, int most)
{
    int i = *length - 1;
    while (i >= 0 && word[i] == k - 1)
        word[i--] = 0;
    if (i >= 0) {
        word[i]++;
        return true;
    }
    for (i = 0; i <= *length && i < MAX_WORD; i++)
        word[i] = 0;
    ++*length;
    return k > 0 && *length <= most;
}

ThAutomaton *parse(const char *text)
{
    ThError err = {0};
    ThAutomaton *a = th_automaton_parse(text, &err);
    if (!a)
        fail_msg("%d:%d: %s", err.line, err.col, err.msg);
    return a;
}

ThAutomaton *evaluate(const char *text)
{
    ThError err = {0};
    ThAutomatonScope scope = {0};
    ThAutomaton *a = th_automaton_expression(text, &scope, NULL, &err);
    if (!a)
        fail_msg("%s: %d:%d: %s", text, err.line, err.col, err.msg);
    return a;
}

ThTmTapeWords any_words(ThRng *g, const ThTm *m, int shorter)
{
    ThTmTapeWords w = {0};
    for (int k = 0; k < m->n_tapes; k++) {
        w.length[k] = (int)th_rng_below(g, (uint64_t)shorter);
        w.word[k] = th_alloc((size_t)w.length[k], sizeof(int), NULL);
        for (int i = 0; i < w.length[k]; i++)
            w.word[k][i] = (int)th_rng_below(g, (uint64_t)m->n_symbols);
    }
    return w;
}

static void set_each(ThOptions *o, const char *settings)
{
    ThError err = {0};
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        if (!th_options_set(o, word, equals + 1, &err))
            fail_msg("%s: %s", word, err.msg);
    }
}

void set_all(ThOptions *o, const ThOptionSpec *specs, const char *settings)
{
    ThError err = {0};
    *o = (ThOptions){0};
    assert_true(th_options_init(o, specs, &err));
    set_each(o, settings);
}

ThPad *made(const char *kind, const char *settings, const ThTm *m)
{
    const ThPadKind *k = th_pad_kind(kind);
    ThOptions o = {0};
    ThError err = {0};
    assert_non_null(k);
    set_all(&o, k->options, settings);
    ThPad *p = th_pad_new(k, &o, m, &err);
    if (!p)
        print_error("%s\n", err.msg);
    assert_non_null(p);
    th_options_free(&o);
    return p;
}

ThTask *made_task(const char *kind, const char *settings, const char *automaton)
{
    const ThTaskKind *k = th_task_kind(kind);
    ThOptions o;
    ThError err = {0};
    set_all(&o, k->options, settings);
    ThAutomaton *a = automaton ? parse(automaton) : NULL;
    ThTask *t = th_task_new(k, &o, &(ThTaskSource){.automaton = a}, &err);
    if (!t)
        fail_msg("%s: %s", kind, err.msg);
    th_automaton_free(a);
    th_options_free(&o);
    return t;
}

ThTask *made_pad_task(const char *pad, const char *settings, const ThTm *m)
{
    const ThTaskKind *k = th_task_kind("scratchpad");
    ThOptions o = {0};
    ThError err = {0};
    assert_true(th_options_init(&o, k->options, &err));
    assert_true(th_options_add(&o, th_pad_kind(pad)->options, &err));
    set_each(&o, settings);
    ThTask *t = th_task_new(k, &o, &(ThTaskSource){.pad = pad, .machine = m}, &err);
    if (!t)
        fail_msg("%s %s: %s", pad, settings, err.msg);
    th_options_free(&o);
    return t;
}

ThModel *made_model(const char *kind, const char *settings)
{
    const ThModelKind *k = th_model_kind(kind);
    ThOptions o;
    ThError err = {0};
    set_all(&o, k->options, settings);
    ThModel *m = th_model_new(k, &o, &err);
    if (!m)
        fail_msg("%s: %s", kind, err.msg);
    th_options_free(&o);
    return m;
}

ThTrainer *made_trainer(ThModel *m, const ThTask *t, const char *settings, int threads)
{
    ThOptions o;
    ThError err = {0};
    set_all(&o, th_train_options, settings);
    ThTrainer *tr = th_trainer_new(m, t, &o, threads, &err);
    if (!tr)
        fail_msg("%s: %s", settings, err.msg);
    th_options_free(&o);
    return tr;
}

void train_on(ThModel *m, const ThTask *t, const char *settings)
{
    ThTrainer *tr = made_trainer(m, t, settings, 1);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    th_trainer_free(tr);
}

size_t monoid_size(const ThDfa *d, size_t limit, bool *aperiodic, ThError *err)
{
    ThMonoid *m = th_monoid_new(d, limit, NULL, err);
    size_t size = m ? (size_t)m->size : 0;
    *aperiodic = true;
    for (int x = 0; m && x < m->size; x++) {
        int power = x;
        for (int i = 1; i < d->n_states; i++)
            power = th_monoid_product(m, power, x);
        *aperiodic = *aperiodic && th_monoid_product(m, power, x) == power;
    }
    th_monoid_free(m);
    return size;
}

int prompt_of(const ThSignature *s, const ThBatch *b, int i)
{
    int length = th_batch_length(b, i), at = 0,
        width = s->target == TH_TARGET_BITS ? s->n_classes : 1;
    const int *target = th_batch_target(s, b, i);
    while (s->target != TH_TARGET_FINAL && at < length && target[at * width] < 0)
        at++;
    return s->target != TH_TARGET_FINAL && at < length ? at + 1 : length;
}

/* How far b's parameters are from a's; way (total): the direction, of length 1. */
static double way_from(const ThModel *b, const ThModel *a, double *way)
{
    double squares = 0;
    for (size_t i = 0; i < a->params.total; i++) {
        way[i] = (double)a->params.value[i] - (double)b->params.value[i];
        squares += way[i] * way[i];
    }
    for (size_t i = 0; i < a->params.total; i++)
        way[i] /= sqrt(squares);
    return sqrt(squares);
}

static void move_by(ThModel *m, const float *before, const double *way, double by)
{
    for (size_t i = 0; i < m->params.total; i++)
        m->params.value[i] = (float)((double)before[i] + by * way[i]);
}

void check_step_slope(ThModel *a, const ThModel *b, const float *before, const StepLoss *of)
{
    double *way = malloc(a->params.total * sizeof *way), sides[2];
    double length = way_from(b, a, way);
    for (int side = 0; side < 2; side++) {
        move_by(a, before, way, side ? of->h : -of->h);
        sides[side] = of->loss(a, of->x);
    }
    double slope = (sides[1] - sides[0]) / (2 * of->h), wanted = -length / of->rate;
    if (!(fabs(slope / wanted - 1) < 0.02))
        fail_msg("%s: the slope is %g, and the step says %g", of->what, slope, wanted);
    memcpy(a->params.value, before, a->params.total * sizeof *before);
    free(way);
}
