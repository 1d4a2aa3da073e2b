#include "inspect/scans.h"

#include <math.h>

/* ---- plans ---- */

static void add(ThInspectScanPlan *p, int round, int left, int right)
{
    p->step[p->n_steps++] = (ThInspectScanStep){round, left, right};
    p->rounds = round > p->rounds ? round : p->rounds;
}

static void sequential(ThInspectScanPlan *p, int n)
{
    for (int i = 1; i < n; i++)
        add(p, i, i - 1, i);
}

/* Neighbours from the right end; what has none waits. */
static void tree(ThInspectScanPlan *p, int n)
{
    for (int apart = 1, round = 1; apart < n; apart *= 2, round++)
        for (int i = n - 1; i - apart >= 0; i -= 2 * apart)
            add(p, round, i - apart, i);
}

/* From the right, so that the left ones are as they were before the round. */
static void dilated(ThInspectScanPlan *p, int n)
{
    for (int apart = 1, round = 1; apart < n; apart *= 2, round++)
        for (int i = n - 1; i - apart >= 0; i--)
            add(p, round, i - apart, i);
}

/* Of groups of two halves all of the right half follow the last of the left one. */
static void sklansky(ThInspectScanPlan *p, int n)
{
    for (int half = 1, round = 1; half < n; half *= 2, round++)
        for (int i = half; i < n; i++)
            if (i / half % 2 == 1)
                add(p, round, i / half * half - 1, i);
}

/* Chunks by themselves, their ends one after the other, then what is within them. */
static void chunked(ThInspectScanPlan *p, int n)
{
    int size = (int)ceil(sqrt(n)), chunks = (n + size - 1) / size, round = 0;
    for (int i = 1; i < size; i++, round++)
        for (int c = 0; c < chunks; c++)
            if (c * size + i < n)
                add(p, round + 1, c * size + i - 1, c * size + i);
    for (int c = 1; c < chunks; c++, round++)
        add(p, round + 1, c * size - 1, c == chunks - 1 ? n - 1 : (c + 1) * size - 1);
    for (int c = 1; c < chunks; c++)
        for (int i = c * size; i < n - 1 && i < (c + 1) * size - 1; i++)
            add(p, round + 1, c * size - 1, i);
}

static const struct {
    const char *name;
    bool all;
    void (*plan)(ThInspectScanPlan *p, int n);
} kinds[TH_INSPECT_SCANS] = {{"sequential", true, sequential},
                             {"tree", false, tree},
                             {"dilated", true, dilated},
                             {"sklansky", true, sklansky},
                             {"chunked", true, chunked}};

bool th_inspect_scan_plan(int which, int length, ThInspectScanPlan *to, ThError *err)
{
    size_t rounds = 2;
    while (1 << rounds < length && rounds < 30)
        rounds++;
    *to = (ThInspectScanPlan){
        .name = kinds[which].name, .all = kinds[which].all, .direct = which == 0};
    to->step = th_alloc((size_t)length * rounds, sizeof *to->step, err);
    if (!to->step)
        return false;
    kinds[which].plan(to, length);
    return true;
}

void th_inspect_scan_plan_free(ThInspectScanPlan *p)
{
    free(p->step);
    p->step = NULL;
}

/* ---- combining ---- */

/* y = a x + y0, or without y0 where that is NULL; x has `cols` columns. */
static void multiply(const double *a, const double *x, const double *y0, int n, int cols, double *y)
{
    for (int i = 0; i < n; i++)
        for (int c = 0; c < cols; c++) {
            double sum = y0 ? y0[i * cols + c] : 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * x[k * cols + c];
            y[i * cols + c] = sum;
        }
}

/* The pairs of all positions, and room for a matrix and a vector. */
typedef struct {
    const ThModelTransitions *t;
    double *a, *v, *matrix, *vector;
} Pairs;

static void combine(const Pairs *p, int left, int right)
{
    size_t n = (size_t)p->t->size, blocks = (size_t)p->t->blocks;
    for (size_t k = 0; k < blocks; k++) {
        size_t from = (size_t)left * blocks + k, to = (size_t)right * blocks + k;
        double *a = p->a + to * n * n, *v = p->v + to * n;
        multiply(a, p->v + from * n, v, (int)n, 1, p->vector);
        multiply(a, p->a + from * n * n, NULL, (int)n, (int)n, p->matrix);
        memcpy(v, p->vector, n * sizeof *v);
        memcpy(a, p->matrix, n * n * sizeof *a);
    }
}

/* The states that the pairs make of the first. */
static void apply(const Pairs *p, bool all, double *state)
{
    size_t n = (size_t)p->t->size, blocks = (size_t)p->t->blocks, length = (size_t)p->t->length;
    for (size_t at = 0; at < length * blocks; at++) {
        bool known = all || at / blocks == length - 1;
        multiply(p->a + at * n * n, p->t->start + at % blocks * n, p->v + at * n, (int)n, 1,
                 state + at * n);
        for (size_t i = 0; i < n && !known; i++)
            state[at * n + i] = (double)NAN;
    }
}

static void follow(const ThModelTransitions *t, double *state)
{
    size_t n = (size_t)t->size, width = (size_t)t->blocks * n;
    for (size_t at = 0; at < (size_t)t->length * (size_t)t->blocks; at++) {
        const double *before = at * n < width ? t->start + at * n : state + at * n - width;
        multiply(t->a + at * n * n, before, t->v + at * n, (int)n, 1, state + at * n);
    }
}

static bool run(const ThInspectScanPlan *plan, const Pairs *p, double *state, ThStop *stop,
                ThError *err)
{
    for (size_t i = 0; i < plan->n_steps && !plan->direct; i++) {
        if (th_stopped(stop, err))
            return false;
        combine(p, plan->step[i].left, plan->step[i].right);
    }
    if (plan->direct)
        follow(p->t, state);
    else
        apply(p, plan->all, state);
    return true;
}

double *th_inspect_scan(const ThInspectScanPlan *plan, const ThModelTransitions *t, ThStop *stop,
                        ThError *err)
{
    size_t n = (size_t)t->size, all = (size_t)t->length * (size_t)t->blocks * n;
    double *state = th_alloc(all, sizeof *state, err);
    Pairs p = {.t = t,
               .a = th_copy(t->a, all * n, sizeof *t->a, err),
               .v = th_copy(t->v, all, sizeof *t->v, err),
               .matrix = th_alloc(n * n, sizeof *p.matrix, err),
               .vector = th_alloc(n, sizeof *p.vector, err)};
    bool ok = state && p.a && p.v && p.matrix && p.vector && run(plan, &p, state, stop, err);
    TH_FREE(p.a, p.v, p.matrix, p.vector);
    return TH_KEEP_IF(ok, state, free);
}

/* ---- powers ---- */

bool th_inspect_constant(const ThModelTransitions *t)
{
    size_t n = (size_t)t->blocks * (size_t)t->size * (size_t)t->size;
    for (size_t i = n; i < n * (size_t)t->length; i++)
        if (!(fabs(t->a[i] - t->a[i - n]) <= 1e-12 * fmax(1, fabs(t->a[i]))))
            return false;
    return true;
}

static double greatest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* A level: from the right, so that what is read is as it was before; then A becomes A A. */
static void power_level(const Pairs *p, int apart, double *state)
{
    size_t n = (size_t)p->t->size, blocks = (size_t)p->t->blocks, width = n * blocks;
    for (int i = p->t->length - 1; i >= apart; i--) {
        for (size_t k = 0; k < blocks; k++) {
            double *x = state + (size_t)i * width + k * n;
            multiply(p->a + k * n * n, x - (size_t)apart * width, x, (int)n, 1, p->vector);
            memcpy(x, p->vector, n * sizeof *x);
        }
    }
    for (size_t k = 0; k < blocks; k++) {
        double *a = p->a + k * n * n;
        multiply(a, a, NULL, (int)n, (int)n, p->matrix);
        memcpy(a, p->matrix, n * n * sizeof *a);
    }
}

static bool run_powers(const Pairs *p, ThInspectPowers *to, ThStop *stop, ThError *err)
{
    size_t n = (size_t)p->t->size, blocks = (size_t)p->t->blocks;
    for (size_t k = 0; k < blocks; k++)
        multiply(p->a + k * n * n, p->t->start + k * n, p->t->v + k * n, (int)n, 1,
                 to->state + k * n);
    for (int apart = 1; apart < p->t->length; apart *= 2) {
        if (th_stopped(stop, err))
            return false;
        to->greatest[to->levels++] = greatest(p->a, blocks * n * n);
        power_level(p, apart, to->state);
    }
    return true;
}

bool th_inspect_powers(const ThModelTransitions *t, ThInspectPowers *to, ThStop *stop, ThError *err)
{
    enum { MOST_LEVELS = 32 };
    size_t n = (size_t)t->size, blocks = (size_t)t->blocks;
    *to = (ThInspectPowers){.greatest = th_alloc(MOST_LEVELS, sizeof *to->greatest, err)};
    to->state = th_copy(t->v, (size_t)t->length * blocks * n, sizeof *t->v, err);
    Pairs p = {.t = t,
               .a = th_copy(t->a, blocks * n * n, sizeof *t->a, err),
               .matrix = th_alloc(n * n, sizeof *p.matrix, err),
               .vector = th_alloc(n, sizeof *p.vector, err)};
    bool ok =
        to->greatest && to->state && p.a && p.matrix && p.vector && run_powers(&p, to, stop, err);
    TH_FREE(p.a, p.matrix, p.vector);
    if (!ok)
        th_inspect_powers_free(to);
    return ok;
}

void th_inspect_powers_free(ThInspectPowers *p)
{
    TH_FREE(p->greatest, p->state);
    *p = (ThInspectPowers){0};
}

/* ---- automata ---- */

/* Arcs with the word's symbol become ones; the state is followed beside it. */
static void fill(const ThAutomaton *a, const int *word, ThModelTransitions *t)
{
    size_t n = (size_t)a->n_states;
    const double *before = t->start;
    for (size_t q = 0; q < n; q++)
        t->start[q] = a->start[q];
    for (int i = 0; i < t->length; i++) {
        double *m = t->a + (size_t)i * n * n, *state = t->state + (size_t)i * n;
        for (size_t k = 0; k < a->n_arcs; k++)
            if (a->arc[k].symbol == word[i])
                m[(size_t)a->arc[k].to * n + (size_t)a->arc[k].from] = 1;
        multiply(m, before, NULL, (int)n, 1, state);
        before = state;
    }
}

ThModelTransitions *th_inspect_automaton_transitions(const ThAutomaton *a, const int *word,
                                                     int length, ThError *err)
{
    enum { MOST = 256 };
    bool empty_moves = false;
    for (size_t k = 0; k < a->n_arcs; k++)
        empty_moves = empty_moves || a->arc[k].symbol == TH_AUTOMATON_EPSILON;
    if (length < 1)
        return th_null(th_fail(err, TH_EVALUE, "there is nothing to scan in the empty word"));
    if (empty_moves)
        return th_null(th_fail(err, TH_EVALUE, "empty moves have no matrix") ||
                       th_hint(err, "determinize(…) is an automaton without them"));
    if (a->n_states > MOST)
        return th_null(th_fail(err, TH_ELIMIT, "%d states are more than the %d that make matrices",
                               a->n_states, MOST));
    ThModelTransitions *t = th_model_transitions_new(length, 1, a->n_states, err);
    if (t)
        fill(a, word, t);
    return t;
}
