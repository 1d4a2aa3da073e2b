/* whole.h - what must hold for a model of any architecture: a row of a ragged batch says what it
 * says alone, gradients are slopes, and nothing looks ahead where it must not.  After bound.h. */
#ifndef TEST_UNIT_WHOLE_H
#define TEST_UNIT_WHOLE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

enum { SYMBOLS = 4, LENGTH = 9, ROWS = 4 };

typedef void EachModel(ThModel *m, const char *settings);

static int lengths[ROWS] = {5, LENGTH, 1, 8};

static void draw_tokens(int *token)
{
    ThRng r = th_rng(4, "batch", 0);
    for (int i = 0; i < ROWS * LENGTH; i++)
        token[i] = (int)th_rng_below(&r, SYMBOLS);
}

/* Reads the logits of a batch. */
static int logits_of(const ThModel *m, ThTape *t, ThTapeMode mode, const ThBatch *b, bool share,
                     double *z, ThVar *out)
{
    ThError err = {0};
    th_tape_begin(t, mode);
    ThVar v = m->kind->forward(m, t, b, &(ThModelForward){.share = share});
    if (!th_tape_ok(t, &err))
        fail_msg("%s", err.msg);
    th_tape_read(t, v, z);
    if (out)
        *out = v;
    return th_tape_rows(t, v);
}

/* A row of a ragged batch, shared or not, says what it says alone and not shared, in both
 * precisions.
 */
static void check_ragged(ThModel *m, const char *settings)
{
    ThError err = {0};
    int token[ROWS * LENGTH];
    double z[ROWS * LENGTH * SYMBOLS], alone[LENGTH * SYMBOLS];
    draw_tokens(token);
    for (int mode = 0; mode < 4; mode++) {
        double bound_of = mode & 1 ? 1e-12 : 1e-4;
        ThTape *t = th_tape_new(mode & 1 ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT, &m->params, &err);
        ThBatch b = {.B = ROWS, .T = LENGTH, .token = token, .length = lengths};
        logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, mode & 2, z, NULL);
        for (int i = 0; i < ROWS; i++) {
            ThBatch one = {.B = 1, .T = lengths[i], .token = token + i * LENGTH};
            int n = logits_of(m, t, TH_TAPE_NO_GRADIENT, &one, false, alone, NULL);
            const double *row =
                z + (n == 1 && m->signature.target == TH_TARGET_FINAL ? i * SYMBOLS
                                                                      : i * LENGTH * SYMBOLS);
            for (int k = 0; k < n * SYMBOLS; k++)
                if (!(fabs(row[k] - alone[k]) <= bound_of))
                    fail_msg("%s, row %d: %g is not %g", settings, i, row[k], alone[k]);
        }
        th_tape_free(t);
    }
}

static double weighed(const ThModel *m, ThTape *t, const ThBatch *b, const double *seed)
{
    double z[ROWS * LENGTH * SYMBOLS], sum = 0;
    int n = logits_of(m, t, TH_TAPE_NO_GRADIENT, b, true, z, NULL);
    for (int i = 0; i < n * SYMBOLS; i++)
        sum += seed[i] * z[i];
    return sum;
}

/* The smaller step where the larger one steps over a kink. */
static void check_slope(const ThModel *m, ThTape *t, const ThBatch *b, const double *seed,
                        size_t at, double gradient)
{
    double *w = th_tape_params_double(t) + at, kept = *w, error = 1;
    for (double h = 1e-5; h > 1e-8 && error > 1e-6; h /= 100) {
        *w = kept + h;
        double up = weighed(m, t, b, seed);
        *w = kept - h;
        double slope = (up - weighed(m, t, b, seed)) / (2 * h);
        error = fabs(slope - gradient) / (1 + fabs(slope));
    }
    *w = kept;
    assert_true(error <= 1e-6);
}

/* The gradient of a ragged batch: finite differences, but for pd_ssm, whose gradient is no slope,
 * and float against double. */
static void check_gradient(ThModel *m, const char *settings)
{
    const int samples = strcmp(m->kind->name, "pd_ssm") == 0 ? 0 : 6;
    ThError err = {0};
    int token[ROWS * LENGTH];
    double z[ROWS * LENGTH * SYMBOLS], seed[ROWS * LENGTH * SYMBOLS];
    (void)settings;
    draw_tokens(token);
    ThRng r = th_rng(5, "seed", 0);
    ThBatch b = {.B = ROWS, .T = LENGTH, .token = token, .length = lengths};
    bool final = m->signature.target == TH_TARGET_FINAL;
    for (int i = 0; i < ROWS * LENGTH * SYMBOLS; i++) {
        bool padded = !final && i / SYMBOLS % LENGTH >= lengths[i / SYMBOLS / LENGTH];
        seed[i] = padded ? 0 : th_rng_normal(&r);
    }
    ThTape *exact = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    ThTape *fast = th_tape_new(TH_TAPE_FLOAT, &m->params, &err);
    ThVar v;
    logits_of(m, exact, TH_TAPE_GRADIENT, &b, true, z, &v);
    assert_true(th_tape_backward(exact, v, seed, &err));
    double *g = th_copy(th_tape_gradient_double(exact), m->params.total, sizeof *g, NULL);
    logits_of(m, fast, TH_TAPE_GRADIENT, &b, true, z, &v);
    assert_true(th_tape_backward(fast, v, seed, &err));
    double apart = 0, size = 0;
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        size_t n = (size_t)p->rows * (size_t)p->cols;
        for (size_t k = p->offset; k < p->offset + n; k++) {
            apart += pow((double)th_tape_gradient(fast)[k] - g[k], 2);
            size += g[k] * g[k];
        }
        for (int k = 0; k < samples; k++) {
            size_t at = p->offset + th_rng_below(&r, n);
            check_slope(m, exact, &b, seed, at, g[at]);
        }
    }
    assert_true(sqrt(apart / size) < 1e-4);
    free(g);
    th_tape_free(exact);
    th_tape_free(fast);
}

/* ---- leaks ---- */

/* Takes symbols away behind every position: a causal model says of the rest what it said. */
static void check_prefixes(ThModel *m, const char *settings, int *token)
{
    ThError err = {0};
    double whole[LENGTH * SYMBOLS], part[LENGTH * SYMBOLS];
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    ThBatch b = {.B = 1, .T = LENGTH, .token = token};
    logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, true, whole, NULL);
    for (b.T = 1; b.T < LENGTH; b.T++) {
        logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, true, part, NULL);
        for (int k = 0; k < b.T * SYMBOLS; k++)
            if (!(fabs(whole[k] - part[k]) < 1e-12))
                fail_msg("%s %s: %d symbols more move answer %d by %g", m->kind->name, settings,
                         LENGTH - b.T, k / SYMBOLS, whole[k] - part[k]);
    }
    th_tape_free(t);
}

/* Changes one symbol: no logit before it moves if the model does not look ahead, and some behind it
 * do. */
static void check_leaks(ThModel *m, const char *settings)
{
    ThError err = {0};
    int token[ROWS * LENGTH];
    double before[LENGTH * SYMBOLS], after[LENGTH * SYMBOLS];
    bool ahead = !th_model_causal(m);
    if (m->signature.target == TH_TARGET_FINAL)
        return;
    draw_tokens(token);
    /* Random positions are drawn anew for every length, and a longer string has more levels. */
    bool by_length = m->kind->levels && m->kind->levels(m, 1) != m->kind->levels(m, LENGTH);
    if (!ahead && !by_length && !strstr(settings, "position=random"))
        check_prefixes(m, settings, token);
    for (ThTapePrecision precision = TH_TAPE_FLOAT; precision <= TH_TAPE_DOUBLE; precision++) {
        ThTape *t = th_tape_new(precision, &m->params, &err);
        ThBatch b = {.B = 1, .T = LENGTH, .token = token};
        double all = 0;
        for (int at = 0; at < LENGTH; at++) {
            logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, true, before, NULL);
            token[at] = (token[at] + 1) % SYMBOLS;
            logits_of(m, t, TH_TAPE_NO_GRADIENT, &b, true, after, NULL);
            double moved = 0, here = 0;
            for (int k = 0; k < LENGTH * SYMBOLS; k++)
                *(k < at * SYMBOLS ? &moved : &here) += fabs(after[k] - before[k]);
            all += here;
            if (at > 0 && (moved > 1e-3) != ahead)
                fail_msg("%s %s: position %d moves what is before it by %g", m->kind->name,
                         settings, at, moved);
            assert_true(ahead || moved < (precision == TH_TAPE_FLOAT ? 1e-4 : 1e-12));
        }
        if (!(all > 0.01))
            fail_msg("%s %s: answers move by %g", m->kind->name, settings, all);
        th_tape_free(t);
    }
}

#endif
