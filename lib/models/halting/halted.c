/* What a model that halts by itself decided about one string. */
#include <math.h>

#include "models/halting/halting.h"

void th_model_halted_free(ThModelHalted *h)
{
    if (!h)
        return;
    TH_FREE(h->unit, h->p, h->mass, h);
}

bool th_model_halted_begin(ThModelHalted *to, int n, int most, ThError *err)
{
    size_t cells = (size_t)n * ((size_t)most + 1);
    to->most = most;
    to->unit = th_alloc((size_t)n, sizeof *to->unit, err);
    to->p = th_alloc(cells, sizeof *to->p, err);
    to->mass = th_alloc(cells, sizeof *to->mass, err);
    for (size_t i = 0; to->p && i < cells; i++)
        to->p[i] = (double)NAN;
    return to->unit && to->p && to->mass;
}

/* What the last n units were asked and gave at a state; seen: (n, 2), NaN for neither. */
static void add_state(ThModelHalted *to, int n, int state, const float *seen)
{
    for (int i = 0; i < n; i++) {
        ThModelHaltedUnit *u = &to->unit[to->n - n + i];
        size_t at = (size_t)(to->n - n + i) * ((size_t)to->most + 1) + (size_t)state;
        double mass = (double)seen[2 * i + 1];
        to->p[at] = (double)seen[2 * i];
        if (isnan(mass))
            continue;
        to->mass[at] = mass;
        u->steps = state + 1;
        u->ponder += mass * u->steps;
    }
}

/* The last state gets what is left. */
static void close_unit(ThModelHalted *to, int i)
{
    ThModelHaltedUnit *u = &to->unit[i];
    double *mass = to->mass + (size_t)i * ((size_t)to->most + 1), left = 1;
    for (int l = 0; l < u->steps; l++)
        left -= mass[l];
    mass[u->steps] = left;
    u->ponder += left * u->steps;
}

void th_model_halted_add(ThModelHalted *to, const ThTape *t, const ThModelHaltedPart *part)
{
    ThVar x;
    to->n += part->n;
    for (int state = 0; (x = th_tape_find(t, "halting", part->number + state)) >= 0; state++)
        add_state(to, part->n, state, th_tape_floats(t, x) + 2 * part->from);
    for (int i = 0; i < part->n; i++) {
        ThModelHaltedUnit *u = &to->unit[to->n - part->n + i];
        u->first = part->position + i * part->wide;
        u->last = u->first + part->wide - 1;
        close_unit(to, to->n - part->n + i);
    }
}

static bool run(const ThModel *m, ThTape *t, const ThBatch *b, ThModelHalted *to, ThError *err)
{
    th_tape_begin(t, TH_TAPE_NO_GRADIENT);
    th_model_forward(m, t, b, &(ThModelForward){0});
    return th_tape_ok(t, err) && m->kind->halted(m, t, b->T, to, err);
}

ThModelHalted *th_model_halted(const ThModel *m, const int *token, int length, ThError *err)
{
    if (!m->kind->halted)
        th_fail(err, TH_EVALUE, "a model of kind %s does not halt by itself", m->kind->name);
    else if (!m->bound)
        th_fail(err, TH_EVALUE, "the model has not been trained yet, so it has no alphabet");
    else if (length < 1)
        th_fail(err, TH_EVALUE, "a model reads at least one symbol");
    if (!m->kind->halted || !m->bound || length < 1)
        return NULL;
    ThModelHalted *h = th_alloc(1, sizeof *h, err);
    ThTape *t TH_OWNED(th_tape_free) = th_model_tape(m, TH_TAPE_FLOAT, 1, err);
    int *copy TH_OWNED(free) = th_copy(token, (size_t)length, sizeof *token, err);
    ThBatch b = {.B = 1, .T = length, .token = copy};
    return TH_KEEP_IF(h && t && copy && run(m, t, &b, h, err), h, th_model_halted_free);
}
