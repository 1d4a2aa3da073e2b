/* Sums as the linear recurrence whose blocks lose the mean of their columns and are divided by the
 * norm of the greatest (norm=code of lrnn).
 *
 * A one-hot has a mean, so that states cannot be one-hots.  Where the symbols add in a cyclic
 * group, the state can be a phase: cos(φ_i - 2πk/M) at seven points φ_i = 2πi/7, which a symbol
 * turns.  The columns of a rotation have sum 0 and a norm below 1; an eighth column of norm 1,
 * which meets a coordinate that stays 0, keeps the block from being made larger. */
#include <math.h>

#include "compile/compile.h"
#include "compile/weights.h"

enum { POINTS = 7, BLOCK = 8 };
static const double pi = 3.14159265358979323846;
static const double power = POINTS / 2.0; /* Σ cos² over the points */

/* States and symbols as numbers modulo n. */
typedef struct {
    int n;
    int *state, *symbol; /* (n), (symbols) */
} Phases;

/* Numbers the states by the powers of an element; false: it does not reach all, or symbols do not
 * add. */
static bool number_states(Phases *p, const ThDfa *d, const ThMonoid *m, int element)
{
    for (int q = 0; q < p->n; q++)
        p->state[q] = -1;
    for (int k = 0, q = d->start; k < p->n; k++, q = th_monoid_image(m, element, q)) {
        if (p->state[q] >= 0)
            return false;
        p->state[q] = k;
    }
    for (int a = 0; a < d->n_symbols; a++) {
        p->symbol[a] = p->state[d->next[d->start * d->n_symbols + a]];
        for (int q = 0; q < p->n; q++)
            if (p->state[d->next[q * d->n_symbols + a]] != (p->state[q] + p->symbol[a]) % p->n)
                return false;
    }
    return true;
}

static bool find_phases(Phases *p, const ThDfa *d, const ThMonoid *m)
{
    for (int element = 0; m && m->size == p->n && element < m->size; element++)
        if (number_states(p, d, m, element))
            return true;
    return false;
}

static double wave(int point, double turns)
{
    return cos(2 * pi * ((double)point / POINTS - turns));
}

/* The blocks of a symbol's unit: the first turns, the others have nothing to turn. */
static void write_blocks(float *row, int dim, double turns)
{
    const double half = pow(2, -1 / 1.2);
    for (int block = 0; block < dim / BLOCK; block++, row += BLOCK * BLOCK) {
        for (int i = 0; block == 0 && i < POINTS; i++)
            for (int j = 0; j < POINTS; j++)
                row[i * BLOCK + j] =
                    (float)(2.0 / POINTS * cos(2 * pi * ((double)(i - j) / POINTS - turns)));
        row[POINTS] = (float)half;
        row[BLOCK + POINTS] = (float)-half;
    }
}

static void write_symbols(const ThModel *m, const Phases *p, int symbols, int dim)
{
    float *embedding = th_compile_weights(m, "embedding");
    float *up = th_compile_weights(m, "layer0.transition.up");
    float *blocks = th_compile_weights(m, "layer0.transition.blocks");
    size_t wide = (size_t)dim * BLOCK;
    for (int a = 0; a < symbols; a++) {
        embedding[a * dim + BLOCK + a] = 1;
        up[(size_t)(BLOCK + a) * wide + (size_t)a] = 1;
        write_blocks(blocks + (size_t)a * wide, dim, (double)p->symbol[a] / p->n);
    }
    th_compile_norm(m, "layer0.norm.gain", "layer0.norm.offset", 1);
}

/* A unit for each state, which only its own phase wakes. */
static void write_answers(const ThModel *m, const ThTask *t, const Phases *p, int dim)
{
    const double eps = 1e-5, next = p->n > 1 ? cos(2 * pi / p->n) : -1;
    float *start = th_compile_weights(m, "layer0.start");
    float *gain = th_compile_weights(m, "final_norm.gain");
    float *head = th_compile_weights(m, "head"), *bias = th_compile_weights(m, "head_bias");
    float *answer = th_compile_weights(m, "answer");
    for (int i = 0; i < POINTS; i++)
        start[i] = (float)wave(i, 0);
    for (int i = 0; i < dim; i++)
        gain[i] = (float)sqrt(power / dim + eps);
    for (int q = 0; q < p->n; q++) {
        for (int i = 0; i < POINTS; i++)
            head[i * dim + q] = (float)(wave(i, (double)p->state[q] / p->n) / (power * (1 - next)));
        bias[q] = (float)(-next / (1 - next));
        th_compile_answer(t, q, answer + q * t->signature.n_classes);
    }
}

static ThModel *blank(const ThTask *t, const ThTapeBounds *bounds, ThError *err)
{
    int least = BLOCK + t->machine->n_symbols;
    least = t->machine->n_states > least ? t->machine->n_states : least;
    int padded = (least + BLOCK - 1) / BLOCK * BLOCK;
    ThOptions o TH_OWNED(th_options_free) = {0};
    ThModel *m = NULL;
    if (th_options_init(&o, th_model_kind("lrnn")->options, err) &&
        th_options_set_int(&o, "dim", padded, err) && th_options_set_int(&o, "block", BLOCK, err) &&
        th_options_set_int(&o, "layers", 1, err))
        m = th_compile_blank("lrnn", &o, &t->signature, bounds, err);
    return m;
}

ThModel *th_compile_lrnn_sum(const ThTask *t, const ThMonoid *monoid, const ThTapeBounds *bounds,
                             ThError *err)
{
    if (!th_task_machine(t, err))
        return NULL;
    const ThDfa *d = t->machine;
    Phases p = {.n = d->n_states};
    p.state = th_alloc((size_t)d->n_states, sizeof *p.state, err);
    p.symbol = th_alloc((size_t)d->n_symbols, sizeof *p.symbol, err);
    ThModel *m = NULL;
    if (p.state && p.symbol && !find_phases(&p, d, monoid))
        th_fail(err, TH_EVALUE, "norm=code is for sums: symbols that add in a cyclic group");
    else if (p.state && p.symbol)
        m = blank(t, bounds, err);
    if (m) {
        int dim = (int)th_option_int(&m->options, "dim");
        write_symbols(m, &p, d->n_symbols, dim);
        write_answers(m, t, &p, dim);
    }
    TH_FREE(p.state, p.symbol);
    return m;
}
