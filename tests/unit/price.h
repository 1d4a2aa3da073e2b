/* price.h - what models pay for applying their blocks must be what each row pays alone, and have
 * the gradient that it says.  After bound.h. */
#ifndef TEST_UNIT_PRICE_H
#define TEST_UNIT_PRICE_H

#include "whole.h"

/* What the applications of a block to some rows of a batch cost; -1: nothing is said. */
static double price(const ThModel *m, ThTape *t, ThTapeMode mode, const ThBatch *b, ThVar *v)
{
    double cost = -1;
    th_tape_begin(t, mode);
    m->kind->forward(m, t, b, &(ThModelForward){0});
    *v = th_tape_find(t, "cost", -1);
    if (*v >= 0)
        th_tape_read(t, *v, &cost);
    return cost;
}

/* A model that says so has at most `most` to pay for a row, what the row costs alone, and the
 * gradient is a slope in every parameter. */
static void check_price(ThModel *m, const char *settings, double most)
{
    ThError err = {0};
    ThVar v;
    int token[ROWS * LENGTH];
    draw_tokens(token);
    ThBatch b = {.B = ROWS, .T = LENGTH, .token = token, .length = lengths};
    ThTape *t = th_tape_new(TH_TAPE_DOUBLE, &m->params, &err);
    double cost = price(m, t, TH_TAPE_GRADIENT, &b, &v), alone = 0;
    bool ok = v < 0 || (cost > 0 && cost <= most * ROWS && th_tape_backward(t, v, NULL, &err));
    double *g = th_copy(th_tape_gradient_double(t), m->params.total, sizeof *g, NULL);
    ThRng r = th_rng(3, "price", 0);
    for (int k = 0; v >= 0 && k < m->params.n; k++) {
        const ThParam *p = &m->params.item[k];
        size_t at = p->offset + th_rng_below(&r, (size_t)p->rows * (size_t)p->cols);
        double *w = th_tape_params_double(t) + at, kept = *w;
        *w = kept + 1e-6;
        double up = price(m, t, TH_TAPE_NO_GRADIENT, &b, &v);
        *w = kept - 1e-6;
        double slope = (up - price(m, t, TH_TAPE_NO_GRADIENT, &b, &v)) / 2e-6;
        *w = kept;
        if (!(fabs(slope - g[at]) < 1e-6 * (1 + fabs(slope))))
            fail_msg("%s %s %s: %g is not %g", m->kind->name, settings, p->name, g[at], slope);
    }
    for (int i = 0; v >= 0 && i < ROWS; i++)
        alone += price(m, t, TH_TAPE_NO_GRADIENT,
                       &(ThBatch){.B = 1, .T = lengths[i], .token = token + i * LENGTH}, &v);
    if (!ok || (v >= 0 && !(fabs(alone - cost) < 1e-12)))
        fail_msg("%s %s: %.15g, or alone %.15g", m->kind->name, settings, cost, alone);
    free(g);
    th_tape_free(t);
}

#endif
