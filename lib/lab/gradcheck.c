/* The gradient of a whole model against finite differences. */
#include <math.h>

#include "lab/train.h"

typedef struct {
    const ThModel *model;
    ThTape *exact, *fast; /* double and float */
    ThBatch batch;
    double scale;
    double *analytic; /* (total): the double gradient */
    ThError *err;
} Check;

static bool run(const Check *c, ThTape *t, ThTapeMode mode, double *loss)
{
    const ThModel *m = c->model;
    th_tape_begin(t, mode);
    ThVar z = th_model_forward(m, t, &c->batch, &(ThModelForward){.share = true});
    ThVar v = th_loss_of_batch(t, z, &m->signature, &c->batch, c->scale);
    if (!th_tape_ok(t, c->err))
        return false;
    if (loss)
        th_tape_read(t, v, loss);
    return mode == TH_TAPE_NO_GRADIENT || th_tape_backward(t, v, NULL, c->err);
}

static bool central_difference(const Check *c, size_t at, double h, double *slope)
{
    double *w = th_tape_params_double(c->exact) + at, kept = *w, up = 0, down = 0;
    *w = kept + h;
    bool ok = run(c, c->exact, TH_TAPE_NO_GRADIENT, &up);
    *w = kept - h;
    ok = ok && run(c, c->exact, TH_TAPE_NO_GRADIENT, &down);
    *w = kept;
    *slope = (up - down) / (2 * h);
    return ok;
}

/* The greater of two, or the one that is not a number: fmax would drop it. */
static double worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* A smaller step where the first disagrees: a kink of ReLU may lie inside it; and then a larger
 * one: of a slope that is small beside the loss, short steps see the rounding only. */
static bool check_coordinate(const Check *c, size_t at, double floor, double *error)
{
    static const double step[] = {1e-5, 1e-7, 1e-3};
    *error = HUGE_VAL;
    for (int i = 0; i < 3 && !(*error < 1e-6); i++) {
        double slope, a = c->analytic[at];
        if (!central_difference(c, at, step[i], &slope))
            return false;
        *error = fmin(*error, fabs(a - slope) / (fabs(a) + fabs(slope) + floor));
    }
    return true;
}

static void compare_fast(const Check *c, const ThParam *p, ThGradcheckRow *row, double floor)
{
    const float *g = th_tape_gradient(c->fast) + p->offset;
    double apart = 0, size = 0;
    for (size_t i = 0; i < (size_t)p->rows * (size_t)p->cols; i++) {
        double exact = c->analytic[p->offset + i];
        apart += ((double)g[i] - exact) * ((double)g[i] - exact);
        size += exact * exact;
    }
    row->fast_error = sqrt(apart) / (sqrt(size) + floor);
}

static bool check_param(const Check *c, int index, int coordinates, ThRng *r, ThGradcheckRow *row)
{
    const ThParam *p = &c->model->params.item[index];
    size_t size = (size_t)p->rows * (size_t)p->cols;
    double most = 0;
    for (size_t i = 0; i < size; i++)
        most = fmax(most, fabs(c->analytic[p->offset + i]));
    /* Differences of a loss of order one carry an error of 1e-11 or so. */
    double floor = 1e-3 * most + 1e-6;
    memcpy(row->name, p->name, sizeof row->name);
    row->checked = (size_t)coordinates < size ? coordinates : (int)size;
    for (int i = 0; i < row->checked; i++) {
        size_t at = (size_t)row->checked == size ? (size_t)i : th_rng_below(r, size);
        double error;
        if (!check_coordinate(c, p->offset + at, floor, &error))
            return false;
        row->analytic_error = worse(error, row->analytic_error);
    }
    compare_fast(c, p, row, 1e-6 * sqrt((double)size));
    return true;
}

static bool prepare(Check *c, const ThTask *t, int length, uint64_t seed)
{
    const ThParams *p = &c->model->params;
    ThRng r = th_rng(seed, "gradcheck.batch", 0);
    if (!th_task_sample(t, &r, length, &c->batch, c->err))
        return false;
    long long answers = th_score_answers(&c->model->signature, &c->batch);
    c->scale = 1.0 / (double)(answers ? answers : 1);
    c->exact = th_model_tape(c->model, TH_TAPE_DOUBLE, 2, c->err);
    c->fast = th_model_tape(c->model, TH_TAPE_FLOAT, 2, c->err);
    if (!c->exact || !c->fast || !run(c, c->exact, TH_TAPE_GRADIENT, NULL) ||
        !run(c, c->fast, TH_TAPE_GRADIENT, NULL))
        return false;
    c->analytic = th_copy(th_tape_gradient_double(c->exact), p->total, sizeof(double), c->err);
    return c->analytic != NULL;
}

ThGradcheck *th_gradcheck(ThModel *m, const ThTask *t, const ThGradcheckShape *shape, ThError *err)
{
    bool fresh = !m->bound;
    if (!th_model_bind(m, &t->signature, shape->seed, err))
        return NULL;
    ThGradcheck *g = th_alloc(1, sizeof *g, err);
    Check c = {.model = m, .batch.B = shape->batch, .err = err};
    bool ok = g && (g->row = th_alloc((size_t)m->params.n, sizeof *g->row, err)) &&
              prepare(&c, t, shape->length, shape->seed);
    ThRng r = th_rng(shape->seed, "gradcheck.coordinates", 0);
    for (int i = 0; ok && i < m->params.n; i++) {
        ok = check_param(&c, i, shape->coordinates, &r, &g->row[i]);
        g->n = i + 1;
        g->worst = worse(g->row[i].analytic_error, g->worst);
        g->worst_fast = worse(g->row[i].fast_error, g->worst_fast);
    }
    th_tape_free(c.exact);
    th_tape_free(c.fast);
    th_batch_free(&c.batch);
    free(c.analytic);
    if (ok)
        return g;
    if (fresh)
        th_model_unbind(m);
    th_gradcheck_free(g);
    return NULL;
}

void th_gradcheck_free(ThGradcheck *g)
{
    if (!g)
        return;
    TH_FREE(g->row, g);
}
