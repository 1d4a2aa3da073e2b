/* Models of every kind, whose options are drawn from its table: what a string is answered depends
 * on no other string of its batch; where the model is causal, on nothing that follows, by not a
 * bit; and not on whether it is read at once or symbol by symbol. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "bound.h"
#include "models/state.h"
#include "sanitized.h"

enum {
    SYMBOLS = 3,
    T = 14,
    ROWS = 4,
    BEFORE = 9,
    MODELS = SANITIZED ? 8 : 20,
    ALL = ROWS * T * SYMBOLS
};

static int lengths[ROWS] = {T, 10, 2, 12};

/* Sizes that others must divide or that cost time; an option without a value stays as it is. */
static const char *const fixed[][2] = {{"dim", "12"},   {"heads", "3"},    {"block", "3"},
                                       {"layers", "2"}, {"init", NULL},    {"fan", NULL},
                                       {"size", NULL},  {"longest", "30"}, {"base", "50"},
                                       {"decay", "20"}, {"ponder", NULL}};

static const char *word_of(ThRng *r, const char *choices, char *to, size_t size)
{
    int n = 1;
    for (const char *c = choices; *c; c++)
        n += *c == '|';
    for (int at = (int)th_rng_below(r, (uint64_t)n); at > 0; at--)
        choices = strchr(choices, '|') + 1;
    snprintf(to, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return to;
}

/* A value near the least, where chunks end and heads are few. */
static const char *value_of(ThRng *r, const ThOptionSpec *o, char *to, size_t size)
{
    double span = fmin(o->max - o->min, 3);
    if (o->type == TH_FLAG)
        return th_rng_below(r, 2) ? "yes" : "no";
    if (o->type == TH_CHOICE)
        return word_of(r, o->choices, to, size);
    if (o->type == TH_INT)
        snprintf(to, size, "%.0f", o->min + floor(th_rng_uniform(r) * (span + 0.999)));
    else if (o->type == TH_REAL)
        snprintf(to, size, "%.3g", o->min + (0.05 + 0.9 * th_rng_uniform(r)) * span);
    else
        return NULL;
    return to;
}

static const char *drawn_value(ThRng *r, const ThOptionSpec *o, char *to, size_t size)
{
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(o->name, fixed[i][0]) == 0)
            return fixed[i][1];
    bool stays = strcmp(o->name, "position") && strcmp(o->name, "causal") && th_rng_below(r, 2);
    return stays ? NULL : value_of(r, o, to, size);
}

/* Returns new, or NULL where the options do not go together. */
static ThModel *made(const ThModelKind *k, const ThOptions *o, ThTarget target)
{
    ThError err = {0};
    ThModel *m = th_model_new(k, o, &err);
    if (m && bind_letters(m, target, SYMBOLS, false, &err))
        return m;
    th_model_free(m);
    return NULL;
}

/* Takes a value where the others allow it. */
static void try_value(const ThModelKind *k, ThOptions *o, ThTarget target, const char *name,
                      const char *value)
{
    ThError err = {0};
    ThOptions with = {0};
    assert_true(th_options_copy(&with, o, &err));
    ThModel *m = th_options_set(&with, name, value, &err) ? made(k, &with, target) : NULL;
    if (m) {
        ThOptions kept = *o;
        *o = with;
        with = kept;
    }
    th_model_free(m);
    th_options_free(&with);
}

/* Returns new: a model whose options are drawn in the table's order, twice, for some need others
 * that stand behind them. */
static ThModel *drawn(const ThModelKind *k, ThTarget target, int number)
{
    ThError err = {0};
    ThOptions o = {0};
    ThRng r = th_rng((uint64_t)number, k->name, 0);
    char text[64];
    assert_true(th_options_init(&o, k->options, &err));
    for (size_t i = 0; i < 2; i++) /* these two divide each other */
        if (th_option_known(&o, fixed[i][0]))
            assert_true(th_options_set(&o, fixed[i][0], fixed[i][1], &err));
    for (int round = 0; round < 2; round++)
        for (const ThOptionSpec *s = k->options; s->name; s++) {
            const char *value = drawn_value(&r, s, text, sizeof text);
            if (value)
                try_value(k, &o, target, s->name, value);
        }
    ThModel *m = made(k, &o, target);
    assert_non_null(m);
    th_options_free(&o);
    return m;
}

static void say(const ThModel *m, ThTape *t, const ThBatch *b, double *z)
{
    ThError err = {0};
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    ThVar v = m->kind->forward(m, t, b, &(ThModelForward){.share = true});
    if (!th_tape_ok(t, &err))
        fail_msg("%s", err.msg);
    assert_true(th_tape_rows(t, v) * SYMBOLS <= ALL);
    th_tape_read(t, v, z);
}

static void complain(const ThModel *m, const char *what, int row, int symbol, double by)
{
    ThError err = {0};
    char *settings = th_options_format(&m->options, &err);
    fail_msg("%s %s: %s moves answer %d of row %d by %g", m->kind->name, settings, what, symbol,
             row, by);
}

/* The first n answers of row i. */
static void compare(const ThModel *m, const char *what, int i, int n, const double *z,
                    const double *w, double bound_of)
{
    for (int k = 0; k < n * SYMBOLS; k++)
        if (!(fabs(z[k] - w[k]) <= bound_of))
            complain(m, what, i, k / SYMBOLS, z[k] - w[k]);
}

static void check_alone(const ThModel *m, ThTape *t, int *token)
{
    double z[ALL], alone[ALL];
    bool final = m->signature.target == TH_TARGET_FINAL;
    say(m, t, &(ThBatch){.B = ROWS, .T = T, .token = token, .length = lengths}, z);
    for (int i = 0; i < ROWS; i++) {
        say(m, t, &(ThBatch){.B = 1, .T = lengths[i], .token = token + i * T}, alone);
        compare(m, "the batch", i, final ? 1 : lengths[i], z + i * (final ? 1 : T) * SYMBOLS, alone,
                1e-12);
    }
}

/* Random positions are drawn for a length, and a longer string has more levels. */
static bool by_length(const ThModel *m)
{
    bool places = th_option_known(&m->options, "position") &&
                  strcmp(th_option_text(&m->options, "position"), "random") == 0;
    return places || (m->kind->levels && m->kind->levels(m, 1) != m->kind->levels(m, T));
}

/* What follows the first symbols of each row is changed, then shorter, then longer than it was. */
static void check_ahead(const ThModel *m, ThTape *t, int *token, double bound_of)
{
    double z[ALL], w[ALL];
    int other[ROWS * T], shorter[ROWS] = {BEFORE + 1, BEFORE, 1, T};
    ThBatch b = {.B = ROWS, .T = T, .token = token, .length = lengths};
    say(m, t, &b, z);
    for (int k = 0; k < ROWS * T; k++)
        other[k] = k % T < BEFORE ? token[k] : (token[k] + 1) % SYMBOLS;
    b.token = other;
    say(m, t, &b, w);
    for (int i = 0; i < ROWS; i++)
        compare(m, "what follows", i, lengths[i] < BEFORE ? lengths[i] : BEFORE,
                z + i * T * SYMBOLS, w + i * T * SYMBOLS, bound_of);
    if (by_length(m))
        return;
    b.length = shorter;
    say(m, t, &b, w);
    for (int i = 0; i < ROWS; i++)
        compare(m, "the length", i, i == 2 ? 1 : BEFORE, z + i * T * SYMBOLS, w + i * T * SYMBOLS,
                bound_of);
}

/* Reads rows in pieces of 1, 2, 3, … symbols. */
static void check_pieces(const ThModel *m, const int *token)
{
    ThError err = {0};
    float z[SYMBOLS], w[SYMBOLS];
    ThModelState *s = th_model_open(m, TH_MODEL_CACHED, 1, &err);
    assert_non_null(s);
    for (int to = 0, n = 1; to + n <= T; to += n, n = n % 3 + 1) {
        ThModelState *plain = th_model_open(m, TH_MODEL_UNCACHED, 1, &err);
        assert_true(th_model_feed(s, token + to, n, z, &err));
        assert_true(th_model_feed(plain, token, to + n, w, &err));
        for (int c = 0; c < SYMBOLS; c++)
            if (!(fabsf(z[c] - w[c]) <= 1e-4f * (1 + fabsf(w[c]))))
                complain(m, "reading in pieces", 0, to + n - 1, (double)(z[c] - w[c]));
        th_model_close(plain);
    }
    th_model_close(s);
}

static void check(const ThModelKind *k, ThTarget target, int number, int *causal)
{
    ThError err = {0};
    int token[ROWS * T];
    ThModel *m = drawn(k, target, number);
    ThRng r = th_rng((uint64_t)number, "tokens", 0);
    for (int i = 0; i < ROWS * T; i++)
        token[i] = (int)th_rng_below(&r, SYMBOLS);
    for (ThTapePrecision p = TH_TAPE_FLOAT; p <= TH_TAPE_DOUBLE; p++) {
        ThTape *t = th_tape_new(p, &m->params, &err);
        assert_non_null(t);
        if (p == TH_TAPE_DOUBLE)
            check_alone(m, t, token);
        if (th_model_causal(m) && target == TH_TARGET_EVERY)
            check_ahead(m, t, token, p == TH_TAPE_DOUBLE ? 0 : 1e-3);
        th_tape_free(t);
    }
    if (th_model_causal(m))
        check_pieces(m, token);
    *causal += th_model_causal(m);
    th_model_free(m);
}

static void each_string_by_itself(void **state)
{
    (void)state;
    size_t n;
    const ThModelKind *const *kinds = th_model_kinds(&n);
    for (size_t i = 0; i < n; i++) {
        int causal = 0;
        for (int number = 0; number < MODELS; number++)
            check(kinds[i], number % 4 ? TH_TARGET_EVERY : TH_TARGET_FINAL, number, &causal);
        if (causal < MODELS / 8)
            fail_msg("%s: %d of %d models are causal", kinds[i]->name, causal, MODELS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_string_by_itself)};
    return cmocka_run_group_tests_name("every_option", tests, NULL, NULL);
}
