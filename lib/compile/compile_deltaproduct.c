/* Automata as products of reflections (Siems et al. 2025): a row of a matrix is a state.
 *
 * A permutation is a product of transpositions, n less the number of its cycles, and a correction
 * with β = 2 along (e_i + e_j)/√2 changes the places of two numbers, and their signs.  So a state
 * is one number that is 1 or -1 among zeros.  Keys have no negative numbers because SiLU leaves
 * none, and are large because a small number is added to their squares.
 *
 * A matrix begins as zero, but a state does not: what is kept is t (x - start), and a reflection
 * of x is one of that with what is written added.  With t negative all that is written is positive.
 * A symbol that leads all states to one writes each number anew, with β = 1.  What keeps states
 * apart and joins others has a greater norm than any product of these.
 *
 * A query with a number of its own for each state reads one number, which says which it is and with
 * which sign; a second row, which is constant, keeps it from the RMS norm. */
#include <math.h>

#include "compile/compile.h"
#include "compile/weights.h"

enum { MOST_STEPS = 16, MOST_STATES = 16 };
static const double CERTAIN = 45, LARGE = 1e6, WRITTEN = 10, ASKED = 100;

/* What a symbol does in one step: reflects along i and j, or (j -1) writes number i anew. */
typedef struct {
    int i, j;
    double writes; /* to the state, beside the reflection */
} Step;

typedef struct {
    const ThTask *task;
    ThModel *m;
    int dim, heads, size, steps; /* the last of which writes what is constant */
    double unit;                 /* |t| */
} Work;

/* What a number is read as. */
typedef struct {
    double at;
    int state;
} Reading;

static double silu(double x)
{
    return x / (1 + exp(-x));
}

/* x > 1 of which SiLU is y. */
static double before_silu(double y)
{
    double x = y;
    for (int i = 0; i < 60; i++)
        x = y * (1 + exp(-x));
    return x;
}

/* ---- what symbols do ------------------------------------------------------------------------- */

static int target(const ThDfa *d, int q, int symbol)
{
    return d->next[q * d->n_symbols + symbol];
}

/* Reflections for all cycles: (c0 c1), (c0 c2), …; returns how many, or -1: it joins states. */
static int reflect(const Work *w, int symbol, Step *step)
{
    const ThDfa *d = w->task->machine;
    bool seen[MOST_STATES] = {false}, hit[MOST_STATES] = {false};
    int n = 0;
    for (int q = 0; q < d->n_states; q++) {
        if (hit[target(d, q, symbol)])
            return -1;
        hit[target(d, q, symbol)] = true;
    }
    for (int q = 0; q < d->n_states; q++) {
        for (int to = target(d, q, symbol); !seen[q] && to != q; to = target(d, to, symbol)) {
            bool start = q == d->start || to == d->start;
            step[n++] = (Step){q, to, start ? silu(WRITTEN) : 0};
            seen[to] = true;
        }
        seen[q] = true;
    }
    return n;
}

/* All states go to one, which gets -1. */
static int reset(const Work *w, int symbol, Step *step)
{
    const ThDfa *d = w->task->machine;
    int to = target(d, 0, symbol);
    for (int q = 0; q < d->n_states; q++) {
        if (target(d, q, symbol) != to)
            return -1;
        step[q] = (Step){q, -1, w->unit * ((q == to) + (q == d->start))};
    }
    return d->n_states;
}

static bool find_steps(const Work *w, int symbol, Step *step, int *n, ThError *err)
{
    *n = reflect(w, symbol, step);
    if (*n < 0)
        *n = reset(w, symbol, step);
    if (*n >= 0)
        return true;
    th_fail(err, TH_EVALUE,
            "symbol %s joins some states and keeps others apart, which no product "
            "of reflections does",
            w->task->signature.symbol[symbol]);
    return th_hint(err, "into=pd_ssm and into=lrnn take every automaton");
}

/* ---- weights --------------------------------------------------------------------------------- */

static void write_step(const Work *w, int symbol, int s, const Step *step)
{
    float *key = th_compile_weights(w->m, "layer0.key"),
          *value = th_compile_weights(w->m, "layer0.value"),
          *rate = th_compile_weights(w->m, "layer0.rate");
    int row = symbol * w->steps;
    key[(row + s) * w->dim + 1 + step->i] = (float)LARGE;
    if (step->j >= 0) {
        key[(row + s) * w->dim + 1 + step->j] = (float)LARGE;
        rate[(row + s) * w->heads] = (float)CERTAIN;
    }
    if (step->writes > 0)
        value[(row + s) * w->dim] = (float)before_silu(step->writes);
}

static bool write_symbols(const Work *w, ThError *err)
{
    const ThDfa *d = w->task->machine;
    float *embedding = th_compile_weights(w->m, "embedding"),
          *query = th_compile_weights(w->m, "layer0.query"),
          *key = th_compile_weights(w->m, "layer0.key"),
          *value = th_compile_weights(w->m, "layer0.value");
    for (int a = 0; a < d->n_symbols; a++) {
        Step step[MOST_STATES];
        int n;
        if (!find_steps(w, a, step, &n, err))
            return false;
        for (int s = 0; s < n; s++)
            write_step(w, a, s, &step[s]);
        for (int s = n; s < w->steps; s++) { /* no key may be zero, which norms make large */
            key[(a * w->steps + s) * w->dim] = (float)LARGE;
            value[(a * w->steps + s) * w->dim + 1] = (float)WRITTEN;
        }
        embedding[a * w->dim + a] = 1;
        query[a * w->dim] = (float)(ASKED * d->n_states);
        for (int q = 0; q < d->n_states; q++)
            query[a * w->dim + 1 + q] = (float)(ASKED * (1 + q));
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    double x = ((const Reading *)a)->at, y = ((const Reading *)b)->at;
    return (x > y) - (x < y);
}

/* What is read where the state is one, with a sign, behind RMS norm, projection and layer norm. */
static double reading(const Work *w, int state, int sign)
{
    const double eps = 1e-5;
    const ThDfa *d = w->task->machine;
    double square = ASKED * ASKED * d->n_states * d->n_states;
    for (int q = 0; q < d->n_states; q++)
        square += ASKED * ASKED * (1 + q) * (1 + q);
    double share = ASKED / sqrt(square * w->size);
    double y = share * w->unit * (1 + d->start - sign * (1 + state));
    double constant = share * silu(WRITTEN) * d->n_states;
    double rms = sqrt((y * y + constant * constant) / w->size + eps);
    double mean = 2 * (y * y + constant * constant) / (rms * rms * w->dim);
    return y / rms / sqrt(mean + eps);
}

/* Logits are linear between what the states, with both signs, are read as. */
static bool write_answers(const Work *w, ThError *err)
{
    const int n = 2 * w->task->machine->n_states, classes = w->task->signature.n_classes;
    float *output = th_compile_weights(w->m, "layer0.output"),
          *gain = th_compile_weights(w->m, "layer0.read.gain"),
          *norm = th_compile_weights(w->m, "final_norm.gain"),
          *head = th_compile_weights(w->m, "head"), *bias = th_compile_weights(w->m, "head_bias"),
          *answer = th_compile_weights(w->m, "answer"),
          *first = th_compile_weights(w->m, "answer_bias");
    float *logit TH_OWNED(free) = th_alloc((size_t)n * (size_t)classes, sizeof *logit, err);
    Reading at[2 * MOST_STATES];
    if (!logit)
        return false;
    for (int i = 0; i < n; i++)
        at[i] = (Reading){reading(w, i / 2, i % 2 ? 1 : -1), i / 2};
    qsort(at, (size_t)n, sizeof *at, by_place);
    for (int i = 0; i < 4; i++)
        output[i / 2 * w->dim + i] = i % 2 ? -1 : 1;
    for (int i = 0; i < w->size; i++)
        gain[i] = 1;
    for (int i = 0; i < w->dim; i++)
        norm[i] = 1;
    for (int i = 0; i < n; i++)
        th_compile_answer(w->task, at[i].state, logit + i * classes);
    for (int c = 0; c < classes; c++) {
        double slope = 0;
        first[c] = logit[c];
        for (int i = 0; i + 1 < n; i++) {
            double next = (double)(logit[(i + 1) * classes + c] - logit[i * classes + c]) /
                          (at[i + 1].at - at[i].at);
            answer[i * classes + c] = (float)(next - slope);
            slope = next;
        }
    }
    for (int i = 0; i + 1 < n; i++) {
        head[i] = 1;
        bias[i] = (float)-at[i].at;
    }
    return true;
}

/* ---- the model ------------------------------------------------------------------------------- */

static bool set_sizes(Work *w, ThOptions *o, ThError *err)
{
    const ThDfa *d = w->task->machine;
    if (d->n_states > MOST_STATES)
        return th_fail(err, TH_ELIMIT, "%d states are more than the %d of a row of reflections",
                       d->n_states, MOST_STATES) ||
               th_hint(err, "into=pd_ssm and into=lrnn take them");
    for (int a = 0; a < d->n_symbols; a++) {
        Step step[MOST_STATES];
        int n;
        if (!find_steps(w, a, step, &n, err))
            return false;
        w->steps = n + 1 > w->steps ? n + 1 : w->steps;
    }
    if (w->steps > MOST_STEPS)
        return th_fail(err, TH_ELIMIT, "a symbol takes %d steps, and a model has %d", w->steps,
                       MOST_STEPS);
    int least = 2 * d->n_states > 4 ? 2 * d->n_states : 4;
    least = d->n_symbols > least ? d->n_symbols : least;
    w->size = d->n_states + 1;
    w->heads = (least + w->size - 1) / w->size;
    w->dim = w->heads * w->size;
    return th_options_set_int(o, "dim", w->dim, err) &&
           th_options_set_int(o, "heads", w->heads, err) &&
           th_options_set_int(o, "steps", w->steps, err) &&
           th_options_set_int(o, "layers", 1, err) && th_options_set(o, "convolution", "no", err);
}

ThModel *th_compile_deltaproduct(const ThTask *t, const ThTapeBounds *bounds, ThError *err)
{
    if (!th_task_machine(t, err))
        return NULL;
    Work w = {.task = t, .unit = silu(WRITTEN) * sqrt(2)};
    ThOptions o TH_OWNED(th_options_free) = {0};
    if (th_options_init(&o, th_model_kind("deltaproduct")->options, err) && set_sizes(&w, &o, err))
        w.m = th_compile_blank("deltaproduct", &o, &t->signature, bounds, err);
    if (!w.m)
        return NULL;
    th_compile_norm(w.m, "layer0.norm.gain", "layer0.norm.offset", 1);
    bool ok = write_symbols(&w, err) && write_answers(&w, err);
    return TH_KEEP_IF(ok, w.m, th_model_free);
}
