#include "compile/numeric.h"

#include <math.h>

/* A base counts, is taken off, or decides before all others that are not so large. */
static const double factors[] = {0, 1, -1, 64, -64};
enum { FACTORS = sizeof factors / sizeof *factors, MOST_BASES = 4 };

int th_compile_value(const ThCompileObserved *o, int base, int row)
{
    return base == TH_COMPILE_TOKENS ? o->token[row]
           : base == TH_COMPILE_INDICES
               ? o->position[row]
               : o->column[o->gathered[base - TH_COMPILE_GATHERED].self].id[row];
}

double th_compile_number(const ThCompileObserved *o, int base, int row)
{
    if (base == TH_COMPILE_INDICES)
        return o->position[row];
    const ThCompileGathered *g =
        base == TH_COMPILE_TOKENS ? NULL : &o->gathered[base - TH_COMPILE_GATHERED];
    if (g && g->how != TH_COMPILE_ONE)
        return g->raw[row];
    ThRaspAtom a =
        g ? o->column[g->self].atom[o->column[g->self].id[row]] : o->p->letter[o->token[row]];
    if (a.kind == TH_RASP_ATOM_FLOAT)
        return a.cell.x;
    bool whole = a.kind == TH_RASP_ATOM_INT || a.kind == TH_RASP_ATOM_BOOL;
    return whole ? (double)a.cell.i : (double)NAN;
}

/* Tuples of values that occur. */
typedef struct {
    const ThCompileColumn *c;
    size_t n;
    double *number; /* (n, bases) */
    int *value;     /* (n): of the column */
} Tuples;

typedef struct {
    double sum;
    int value;
} Told;

static bool find_tuples(const ThCompileObserved *o, Tuples *t, ThError *err)
{
    const ThCompileColumn *c = t->c;
    ThIntern seen TH_OWNED(th_intern_free) = {0};
    size_t room[2] = {0};
    for (int row = 0; row < o->rows; row++) {
        int at[MOST_BASES] = {0};
        size_t before = seen.n, number;
        for (int i = 0; i < c->n_bases; i++)
            at[i] = th_compile_value(o, c->base[i], row);
        if (!th_intern(&seen, at, sizeof at, &number, err))
            return false;
        if (number < before)
            continue;
        size_t n = seen.n, bases = (size_t)c->n_bases;
        if (!th_grow(&t->number, &room[0], n * bases, sizeof *t->number, err) ||
            !th_grow(&t->value, &room[1], n, sizeof *t->value, err))
            return false;
        for (int i = 0; i < c->n_bases; i++)
            t->number[number * bases + (size_t)i] = th_compile_number(o, c->base[i], row);
        t->value[number] = c->id[row];
        t->n = n;
    }
    return true;
}

static int by_sum(const void *a, const void *b)
{
    const Told *x = a, *y = b;
    return (x->sum > y->sum) - (x->sum < y->sum);
}

/* How often the value changes as the sum grows; -1: it is no function of the sum, or a float could
 * not tell. */
static int changes(const Tuples *t, const double *weight, Told *told)
{
    const double apart = 1e-4;
    int n = 0, bases = t->c->n_bases;
    double most = 1;
    for (size_t k = 0; k < t->n; k++) {
        told[k] = (Told){0, t->value[k]};
        for (int i = 0; i < bases; i++)
            told[k].sum +=
                weight[i] == 0 ? 0 : weight[i] * t->number[k * (size_t)bases + (size_t)i];
        most = fmax(most, fabs(told[k].sum));
        if (isnan(told[k].sum))
            return -1;
    }
    qsort(told, t->n, sizeof *told, by_sum);
    for (size_t k = 1; k < t->n; k++) {
        bool same = told[k].value == told[k - 1].value;
        if (!same && told[k].sum - told[k - 1].sum < apart * most)
            return -1;
        n += !same;
    }
    return n;
}

bool th_compile_numeric(const ThCompileObserved *o, const ThCompileColumn *c, double *weight,
                        ThError *err)
{
    Tuples t = {.c = c};
    int bases = c->n_bases, tries = 1;
    memset(weight, 0, (size_t)bases * sizeof *weight);
    if (bases < 2 || bases > MOST_BASES)
        return true;
    bool ok = find_tuples(o, &t, err);
    Told *told TH_OWNED(free) = ok ? th_alloc(t.n, sizeof *told, err) : NULL;
    size_t least = t.n; /* units */
    for (int i = 0; i < bases; i++)
        tries *= FACTORS;
    for (int k = 1; told && k < tries; k++) {
        double tried[MOST_BASES] = {0};
        for (int i = 0, rest = k; i < bases; i++, rest /= FACTORS)
            tried[i] = factors[rest % FACTORS];
        int n = changes(&t, tried, told);
        if (n >= 0 && 1 + 2 * (size_t)n < least) {
            least = 1 + 2 * (size_t)n;
            memcpy(weight, tried, (size_t)bases * sizeof *weight);
        }
    }
    TH_FREE(t.number, t.value);
    return told != NULL;
}
