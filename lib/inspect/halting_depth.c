#include "inspect/halting_depth.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

const char *const th_inspect_thought[] = {"nesting", "length", "operators", "depth", "ponder"};

static bool opens(const char *symbol)
{
    return *symbol && strchr("([{", *symbol);
}

int th_inspect_nesting(char *const *symbol, const int *token, int length, int *level)
{
    int open = 0, most = 0;
    for (int i = 0; i < length; i++) {
        const char *name = symbol[token[i]];
        open += opens(name);
        level[i] = open;
        most = open > most ? open : most;
        open -= open > 0 && *name && strchr(")]}", *name);
    }
    return most;
}

double th_inspect_mean_depth(const ThModelHalted *h)
{
    double sum = 0;
    for (int i = 0; i < h->n; i++)
        sum += h->unit[i].steps;
    return sum / h->n;
}

double th_inspect_mean_ponder(const ThModelHalted *h)
{
    double sum = 0;
    for (int i = 0; i < h->n; i++)
        sum += h->unit[i].ponder;
    return sum / h->n;
}

/* ---- rank correlation ------------------------------------------------------------------------ */

static bool all_equal(const double *x, int n)
{
    for (int i = 1; i < n; i++)
        if (x[i] != x[0])
            return false;
    return true;
}

bool th_inspect_rank(const double *x, const double *y, int n, ThInspectRank *to, ThError *err)
{
    const double quantile = 1.959963984540054; /* of the normal distribution, 97.5 % */
    *to = (ThInspectRank){(double)NAN, (double)NAN, (double)NAN};
    if (all_equal(x, n) || all_equal(y, n))
        return true;
    double *work TH_OWNED(free) = th_alloc(2 * (size_t)n, sizeof *work, err);
    if (!work)
        return false;
    to->r = gsl_stats_spearman(x, 1, y, 1, (size_t)n, work);
    to->r = fmax(-1, fmin(1, to->r));
    if (n < 4)
        return true;
    double z = atanh(to->r), deviation = quantile * sqrt((1 + to->r * to->r / 2) / (n - 3));
    to->lo = tanh(z - deviation);
    to->hi = tanh(z + deviation);
    return true;
}

/* ---- strings of a task ----------------------------------------------------------------------- */

void th_inspect_halting_free(ThInspectHalting *h)
{
    if (!h)
        return;
    for (int k = 0; k < TH_INSPECT_THOUGHTS; k++)
        free(h->value[k]);
    free(h);
}

typedef struct {
    const ThModel *model;
    const ThTask *task;
    const ThInspectHaltingPlan *plan;
    ThTaskRows rows; /* of a data set */
    ThBatch batch;
    int *level;
    size_t cap_level;
    ThInspectHalting *found;
} Study;

static bool draw(Study *y, int number, ThError *err)
{
    const ThInspectHaltingPlan *p = y->plan;
    if (th_task_finite(y->task))
        return th_task_take(y->task, &y->rows, &p->seed, number, &y->batch, err);
    long long lengths = (long long)th_range_count(p->lengths);
    int length = (int)(p->lengths.lo + number % lengths * p->lengths.step);
    ThRng r = th_rng(p->seed, "inspect.halting", (uint64_t)number);
    return th_task_sample(y->task, &r, length, &y->batch, err);
}

/* What the kind says is one, or else what opens a bracket. */
static bool is_operator(const ThTask *t, int token)
{
    const char *name = t->signature.symbol[token], *list = t->kind->operators;
    size_t size = strlen(name);
    for (; list && *list; list += strspn(list, " ")) {
        size_t n = strcspn(list, " ");
        if (n == size && memcmp(list, name, n) == 0)
            return true;
        list += n;
    }
    return !t->kind->operators && opens(name);
}

static bool think(Study *y, int number, ThError *err)
{
    const ThBatch *b = &y->batch;
    const ThSignature *s = &y->task->signature;
    if (!draw(y, number, err))
        return false;
    int length = th_batch_length(b, 0), operators = 0;
    if (!th_grow(&y->level, &y->cap_level, (size_t)length, sizeof *y->level, err))
        return false;
    for (int i = 0; i < length; i++)
        operators += is_operator(y->task, b->token[i]);
    ThModelHalted *h TH_OWNED(th_model_halted_free) =
        th_model_halted(y->model, b->token, length, err);
    if (!h)
        return false;
    double **value = y->found->value;
    value[TH_INSPECT_NESTING][number] = th_inspect_nesting(s->symbol, b->token, length, y->level);
    value[TH_INSPECT_LENGTH][number] = length;
    value[TH_INSPECT_OPERATORS][number] = operators;
    value[TH_INSPECT_DEPTH][number] = th_inspect_mean_depth(h);
    value[TH_INSPECT_PONDER][number] = th_inspect_mean_ponder(h);
    return true;
}

static bool count_strings(Study *y, int *n, ThError *err)
{
    *n = y->plan->samples;
    if (!th_task_finite(y->task))
        return true;
    y->rows = (ThTaskRows){TH_TASK_TEST, (int)y->plan->lengths.lo, (int)y->plan->lengths.hi};
    long long rows = th_task_count(y->task, &y->rows);
    *n = rows < *n ? (int)rows : *n;
    return th_task_need_rows(y->task, &y->rows, err);
}

static bool study(Study *y, ThError *err)
{
    int n;
    if (!th_signature_match(&y->model->signature, &y->task->signature, err) ||
        !count_strings(y, &n, err))
        return false;
    bool ok = true;
    for (int k = 0; ok && k < TH_INSPECT_THOUGHTS; k++)
        ok = (y->found->value[k] = th_alloc((size_t)n, sizeof(double), err)) != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = !th_stopped_at(y->plan->stop, (size_t)i, "strings", err) && think(y, i, err);
    y->found->n = n;
    return ok;
}

ThInspectHalting *th_inspect_halting(const ThModel *m, const ThTask *t,
                                     const ThInspectHaltingPlan *plan, ThError *err)
{
    Study y = {.model = m, .task = t, .plan = plan, .batch = {.B = 1}};
    y.found = th_alloc(1, sizeof *y.found, err);
    bool ok = y.found && study(&y, err);
    th_batch_free(&y.batch);
    free(y.level);
    if (ok)
        return y.found;
    th_inspect_halting_free(y.found);
    return NULL;
}
