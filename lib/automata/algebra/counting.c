#include "automata/algebra/counting.h"

#include <inttypes.h>

#include "automata/core/components.h"
#include "base/arithmetic.h"

/* A rational vector: entries over one denominator, in lowest terms. */
typedef struct {
    int64_t *entry, over;
} Vector;

typedef struct {
    const ThDfa *d;
    const int *component;
    int *state, n;      /* the states of the component */
    int *place;         /* (n_states): of a state among them */
    bool *used;         /* (n_symbols): leads from one of them to one */
    int *label, labels; /* (n, n_symbols): of the arcs by used symbols */
    Vector *potential;  /* (n): what a way from the first state met, reduced */
    Vector *basis;      /* (rank): of what cycles meet, every pivot 1 and alone in its column */
    int *pivot, rank;
    int *class; /* (n): states of one class have one potential */
    bool overflow;
    ThDfaCountingVisit *visit; /* NULL: nobody wants to see the rounds */
    void *context;
    ThStop *stop;
    ThError *err;
} Count;

/* ---- vectors --------------------------------------------------------------------------------- */

static uint64_t size_of(int64_t x)
{
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

/* v - factor/over · b, for `factor` an entry of v. */
static void subtract(Count *c, Vector *v, int64_t factor, const Vector *b)
{
    uint64_t g = 0;
    int64_t over;
    bool bad = __builtin_mul_overflow(v->over, b->over, &over);
    for (int i = 0; i < c->labels && !bad; i++) {
        int64_t x, y;
        bad = __builtin_mul_overflow(v->entry[i], b->over, &x) ||
              __builtin_mul_overflow(factor, b->entry[i], &y) ||
              __builtin_sub_overflow(x, y, &v->entry[i]) || v->entry[i] == INT64_MIN;
        g = g == 1 ? 1 : th_common_divisor(g, size_of(v->entry[i]));
    }
    g = th_common_divisor(g, size_of(over));
    for (int i = 0; i < c->labels && !bad && g > 1; i++)
        v->entry[i] /= (int64_t)g;
    v->over = g > 1 ? over / (int64_t)g : over;
    c->overflow = c->overflow || bad;
}

static void reduce(Count *c, Vector *v)
{
    for (int i = 0; i < c->rank && !c->overflow; i++)
        if (v->entry[c->pivot[i]])
            subtract(c, v, v->entry[c->pivot[i]], &c->basis[i]);
}

static Vector vector(Count *c)
{
    return (Vector){th_alloc((size_t)c->labels, sizeof(int64_t), c->err), 1};
}

/* Adds a vector, which is consumed, to the basis. */
static bool add_to_basis(Count *c, Vector v)
{
    reduce(c, &v);
    int at = 0;
    while (at < c->labels && v.entry[at] == 0)
        at++;
    if (at == c->labels || c->overflow) {
        free(v.entry);
        return true;
    }
    int64_t lead = v.entry[at]; /* in lowest terms already, but for `over` */
    uint64_t g = 0;
    for (int i = 0; i < c->labels; i++)
        g = th_common_divisor(g, size_of(v.entry[i]));
    for (int i = 0; i < c->labels; i++)
        v.entry[i] = v.entry[i] / (int64_t)g * (lead < 0 ? -1 : 1);
    v.over = v.entry[at];
    c->basis[c->rank] = v;
    c->pivot[c->rank] = at;
    for (int i = 0; i < c->rank && !c->overflow; i++)
        if (c->basis[i].entry[at])
            subtract(c, &c->basis[i], c->basis[i].entry[at], &v);
    c->rank++;
    return true;
}

/* ---- one round ------------------------------------------------------------------------------- */

static int to_of(const Count *c, int i, int a)
{
    int to = c->d->next[(size_t)c->state[i] * (size_t)c->d->n_symbols + (size_t)a];
    return c->component[to] == c->component[c->state[i]] ? c->place[to] : -1;
}

/* What the way to place i meets, and the arc a. */
static Vector along(Count *c, int i, int a)
{
    Vector v = vector(c);
    if (v.entry) {
        memcpy(v.entry, c->potential[i].entry, (size_t)c->labels * sizeof *v.entry);
        v.entry[c->label[i * c->d->n_symbols + a]]++;
    }
    return v;
}

/* Follows a tree breadth first; whole numbers, as nothing is reduced yet. */
static bool find_potentials(Count *c)
{
    int n = 1, *queue TH_OWNED(free) = th_alloc((size_t)c->n, sizeof *queue, c->err);
    c->potential[0] = vector(c);
    bool ok = queue && c->potential[0].entry;
    for (int i = 0; ok && i < n; i++)
        for (int a = 0; ok && a < c->d->n_symbols; a++) {
            int to = to_of(c, queue[i], a);
            if (to < 0 || c->potential[to].entry)
                continue;
            c->potential[to] = along(c, queue[i], a);
            ok = c->potential[to].entry != NULL;
            queue[n++] = to;
        }
    return ok;
}

static bool find_basis(Count *c)
{
    bool ok = true;
    for (int i = 0; ok && i < c->n && !c->overflow; i++)
        for (int a = 0; ok && a < c->d->n_symbols; a++) {
            int to = to_of(c, i, a);
            if (to < 0 || c->rank == c->labels)
                continue;
            Vector v = along(c, i, a);
            for (int l = 0; v.entry && l < c->labels; l++)
                v.entry[l] -= c->potential[to].entry[l];
            ok = v.entry && !th_stopped(c->stop, c->err) && add_to_basis(c, v);
        }
    return ok;
}

/* Returns how many classes there are. */
static int find_classes(Count *c)
{
    int classes = 0;
    for (int i = 0; i < c->n && !c->overflow; i++) {
        const Vector *v = &c->potential[i];
        reduce(c, &c->potential[i]);
        c->class[i] = -1;
        for (int j = 0; j < i && c->class[i] < 0; j++) {
            const Vector *u = &c->potential[j];
            if (u->over == v->over &&
                memcmp(u->entry, v->entry, (size_t)c->labels * sizeof *v->entry) == 0)
                c->class[i] = c->class[j];
        }
        if (c->class[i] < 0)
            c->class[i] = classes++;
    }
    return classes;
}

/* A label becomes one for every class whose arcs have it.  Returns how many there are. */
static int split_labels(Count *c, int classes)
{
    int n = 0, k = c->d->n_symbols;
    int *number = th_alloc((size_t)classes * (size_t)c->labels, sizeof *number, c->err);
    for (int i = 0; number && i < c->n; i++)
        for (int a = 0; a < k; a++) {
            int *of = &number[c->class[i] * c -> labels + c -> label[i * k + a]];
            if (c->used[a] && *of == 0)
                *of = ++n;
            c->label[i * k + a] = c->used[a] ? *of - 1 : 0;
        }
    free(number);
    return number ? n : -1;
}

static void clear_round(Count *c)
{
    for (int i = 0; i < c->n; i++) {
        free(c->potential[i].entry);
        c->potential[i].entry = NULL;
    }
    while (c->rank > 0)
        free(c->basis[--c->rank].entry);
}

/* Entry l of the sum that a free column stands for, times the common denominator `over`. */
static int64_t weight_of(const Count *c, int l, int free_column, int64_t over)
{
    for (int i = 0; i < c->rank; i++)
        if (c->pivot[i] == l)
            return -c->basis[i].entry[free_column] * (over / c->basis[i].over);
    return l == free_column ? over : 0;
}

/* Appends one sum, its first sign a plus. */
static void write_sum(const Count *c, char *const *symbol, int free_column, int64_t over, ThText *t)
{
    int sign = 0;
    for (int l = 0, a = 0; l < c->labels; l++, a++) {
        int64_t x = weight_of(c, l, free_column, over);
        while (!c->used[a])
            a++;
        if (x == 0)
            continue;
        th_text_add(t, sign == 0 ? "" : (x < 0) == (sign < 0) ? " + " : " - ");
        sign = sign ? sign : x < 0 ? -1 : 1;
        if (x != 1 && x != -1)
            th_text_printf(t, "%" PRIu64 "·", size_of(x));
        th_text_printf(t, "#%s", symbol[a]);
    }
}

/* What all entries of the basis are over. */
static int64_t common_over(const Count *c)
{
    int64_t over = 1;
    for (int i = 0; i < c->rank; i++) {
        int64_t shared = (int64_t)th_common_divisor((uint64_t)over, (uint64_t)c->basis[i].over);
        over = shared > 0 ? over / shared * c->basis[i].over : over;
    }
    return over;
}

static bool is_pivot(const Count *c, int column)
{
    for (int i = 0; i < c->rank; i++)
        if (c->pivot[i] == column)
            return true;
    return false;
}

/* The sums that are 0 along every cycle, as far as there are few. */
static void write_sums(const Count *c, char *const *symbol, ThText *t)
{
    enum { MOST = 4 };
    int written = 0;
    int64_t over = common_over(c);
    for (int column = 0; column < c->labels && written < MOST; column++) {
        if (is_pivot(c, column))
            continue;
        th_text_add(t, written++ ? "; " : "");
        write_sum(c, symbol, column, over, t);
    }
}

/* One sum, in lowest terms, and what it is on the way to each state; false: the numbers are large.
 */
static bool find_sum(const Count *c, int column, int64_t over, int64_t *weight, int64_t *value)
{
    uint64_t g = 0;
    bool bad = false;
    for (int l = 0; l < c->labels; l++) {
        weight[l] = weight_of(c, l, column, over);
        g = th_common_divisor(g, size_of(weight[l]));
    }
    for (int l = 0; l < c->labels; l++)
        weight[l] /= (int64_t)g;
    for (int i = 0; i < c->n && !bad; i++) { /* but for the free columns it is reduced to 0 */
        const Vector *v = &c->potential[i];
        bad = __builtin_mul_overflow(weight[column], v->entry[column], &value[i]);
        value[i] /= v->over;
    }
    return !bad;
}

static bool show_round(Count *c)
{
    size_t labels = (size_t)c->labels, n = (size_t)c->n, sums = 0, most = labels - (size_t)c->rank;
    int64_t over = common_over(c);
    int64_t *weight TH_OWNED(free) = th_alloc(most * labels + 1, sizeof *weight, c->err);
    int64_t *value TH_OWNED(free) = th_alloc(most * n + 1, sizeof *value, c->err);
    if (!weight || !value)
        return false;
    for (int column = 0; column < c->labels && !c->overflow; column++) {
        if (is_pivot(c, column))
            continue;
        if (!find_sum(c, column, over, weight + sums * labels, value + sums * n))
            c->overflow = true;
        sums++;
    }
    ThDfaCountingRound r = {c->n, c->labels, (int)sums, c->state, c->label, c->used, weight, value};
    return c->overflow || c->visit(c->context, &r, c->err);
}

/* ---- one component --------------------------------------------------------------------------- */

static bool begin(Count *c, int root)
{
    const ThDfa *d = c->d;
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols;
    c->n = c->rank = 0;
    for (int q = root; q < d->n_states; q++)
        if (c->component[q] == c->component[root]) {
            c->place[q] = c->n;
            c->state[c->n++] = q;
        }
    memset(c->used, 0, k * sizeof *c->used);
    for (int i = 0; i < c->n; i++)
        for (size_t a = 0; a < k; a++)
            c->used[a] = c->used[a] || to_of(c, i, (int)a) >= 0;
    c->labels = 0;
    for (size_t a = 0; a < k; a++) {
        for (int i = 0; i < c->n; i++)
            c->label[(size_t)i * k + a] = c->labels;
        c->labels += c->used[a];
    }
    memset(c->potential, 0, n * sizeof *c->potential);
    return true;
}

/* Rounds until the states are apart or nothing changes any more; 1, 0 or -1: an error. */
static int decide(Count *c, ThDfaCounting *to, char *const *symbol, ThText *sums)
{
    for (int round = 1;; round++) {
        int classes = 0, labels;
        bool ok = find_potentials(c) && find_basis(c);
        if (ok)
            classes = find_classes(c);
        if (ok && sums && round == 1 && classes == c->n && sums->size == 0)
            write_sums(c, symbol, sums);
        ok = ok && (!c->visit || c->overflow || show_round(c));
        clear_round(c);
        if (!ok)
            return -1;
        to->rounds = round > to->rounds ? round : to->rounds;
        if (c->overflow || classes == c->n)
            return 1;
        if ((labels = split_labels(c, classes)) < 0)
            return -1;
        if (labels == c->labels)
            return 0;
        c->labels = labels;
    }
}

static void find_pair(const Count *c, ThDfaCounting *to)
{
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < i; j++)
            if (c->class[i] == c->class[j]) {
                to->p = c->state[j];
                to->q = c->state[i];
                return;
            }
}

static bool count_all(Count c, char *const *symbol, ThDfaCounting *to, ThText *sums)
{
    const ThDfa *d = c.d;
    ThError *err = c.err;
    size_t n = (size_t)d->n_states, k = (size_t)d->n_symbols;
    int *component TH_OWNED(free) = th_alloc(n, sizeof *component, err);
    c.component = component;
    c.state = th_alloc(n, sizeof *c.state, err);
    c.place = th_alloc(n, sizeof *c.place, err);
    c.used = th_alloc(k, sizeof *c.used, err);
    c.label = th_alloc(n * k, sizeof *c.label, err);
    c.potential = th_alloc(n, sizeof *c.potential, err);
    c.basis = th_alloc(n * k, sizeof *c.basis, err);
    c.pivot = th_alloc(n * k, sizeof *c.pivot, err);
    c.class = th_alloc(n, sizeof *c.class, err);
    bool ok = component && c.state && c.place && c.used && c.label && c.potential && c.basis &&
              c.pivot && c.class &&
              th_automaton_components(d->next, d->n_states, d->n_symbols, component, err) >= 0;
    *to = (ThDfaCounting){.decided = 1};
    for (int q = 0, next = 0; ok && q < d->n_states && to->decided == 1; q++) {
        if (component[q] != next) /* numbered by their first states */
            continue;
        next++;
        int found = begin(&c, q) && c.n > 1 ? decide(&c, to, symbol, sums) : 1;
        ok = found >= 0;
        to->decided = c.overflow ? -1 : found;
        if (found == 0)
            find_pair(&c, to);
    }
    TH_FREE(c.state, c.place, c.used, c.label, c.potential, c.basis, c.pivot, c.class);
    return ok;
}

bool th_dfa_counting(const ThDfa *d, char *const *symbol, ThDfaCounting *to, ThText *sums,
                     ThStop *stop, ThError *err)
{
    return count_all((Count){.d = d, .stop = stop, .err = err}, symbol, to, sums);
}

bool th_dfa_counting_rounds(const ThDfa *d, ThDfaCountingVisit *visit, void *context,
                            ThDfaCounting *to, ThStop *stop, ThError *err)
{
    Count c = {.d = d, .visit = visit, .context = context, .stop = stop, .err = err};
    return count_all(c, NULL, to, NULL);
}
