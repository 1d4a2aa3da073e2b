/* Automata as PD-SSM (Terzić et al. 2025), x' = D P x + B u, in two ways.
 *
 * By maps: a state is a one-hot that P moves, in one layer: any automaton.
 *
 * By phases: P is the identity, so that the layers are complex diagonals, and the automaton's
 * symbols permute its states as a solvable group G does (Shakerinava, Khavari, Ravanbakhsh and
 * Chandar 2026).  Of the derived series G = G_0, G_1, … a layer has the coset of G_j in G_(j-1) as
 * numbers that go round the unit circle, one for every cyclic factor; how far a symbol turns them
 * depends on what the layers before say.  g = h r, where r stands for a coset of G_1 and h is in
 * G_1; r s = t r' makes h t what the next layer sees.  States begin at (1, 0, 0, …): numbers of the
 * first layer are 1 less than they should be, and those of others are taken from the first by a P
 * for the first position, which a number tells that is halved with every symbol.  One layer more
 * takes all its numbers from the first, which stays 1, and so has what D says: a one-hot of the
 * state. */
#include <math.h>
#include <stdio.h>

#include "compile/compile.h"
#include "compile/weights.h"

enum { MOST_ORDER = 720, MOST_LEVELS = 12, MOST_FACTORS = 16 };
static const double pi = 3.14159265358979323846;
static const double CERTAIN = 800, AWAKE = 32, FIRST = 0.01;

/* Elements of the group, by their numbers in the monoid. */
typedef struct {
    const ThMonoid *m;
    int n, *product, *inverse; /* (n, n), (n) */
    int levels, factors;
    int first[MOST_LEVELS + 1]; /* factors of level l begin here */
    int order[MOST_FACTORS];
    int *count; /* (n, MOST_FACTORS): of an element of a level's group, what its factors are */
    int *rest;  /* (levels, n): of an element of its group, what is left in the next */
} Series;

typedef struct {
    const ThTask *task;
    const Series *s;
    ThModel *m;
    int dim, state, layer;
} Work;

/* ---- the derived series ---------------------------------------------------------------------- */

static int times(const Series *s, int x, int y)
{
    return s->product[x * s->n + y];
}

static bool multiply_all(Series *s, ThError *err)
{
    size_t n = (size_t)s->n;
    s->product = th_alloc(n * n, sizeof *s->product, err);
    s->inverse = th_alloc(n, sizeof *s->inverse, err);
    s->count = th_alloc(n, MOST_FACTORS * sizeof *s->count, err);
    s->rest = th_alloc(n, MOST_LEVELS * sizeof *s->rest, err);
    if (!s->product || !s->inverse || !s->count || !s->rest)
        return false;
    for (int x = 0; x < s->n; x++)
        for (int y = 0; y < s->n; y++) {
            s->product[x * s->n + y] = th_monoid_product(s->m, x, y);
            if (times(s, x, y) == 0)
                s->inverse[x] = y;
        }
    for (int x = 0; x < s->n; x++)
        if (times(s, x, s->inverse[x]) != 0)
            return th_fail(err, TH_EVALUE, "phases are for groups: a symbol joins two states");
    return true;
}

/* Closes the list of what is inside, (n) with room for all, under products; returns its length. */
static int close(const Series *s, bool *inside, int *list, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < 2; k++) {
                int z = k ? times(s, list[i], list[j]) : times(s, list[j], list[i]);
                if (!inside[z]) {
                    inside[z] = true;
                    list[n++] = z;
                }
            }
    return n;
}

/* What the commutators of a group's elements make; returns how many there are. */
static int derive(const Series *s, const bool *of, bool *inside, int *list)
{
    int n = 0;
    memset(inside, 0, (size_t)s->n * sizeof *inside);
    for (int x = 0; x < s->n; x++)
        for (int y = 0; of[x] && y < s->n; y++) {
            int xy = times(s, s->inverse[x], s->inverse[y]), z = times(s, xy, times(s, x, y));
            if (of[y] && !inside[z]) {
                inside[z] = true;
                list[n++] = z;
            }
        }
    return close(s, inside, list, n);
}

/* How many powers of x are not yet inside; 0 where they come inside beside the kernel. */
static int order_beside(const Series *s, int x, const bool *kernel, const bool *inside)
{
    int k = 1, z = x;
    for (; !inside[z]; z = times(s, z, x))
        k++;
    return kernel[z] ? k : 0;
}

/* The next cyclic factor of a group by its kernel: an element of the greatest order that meets what
 * is inside in the kernel only; what is left has a complement.  Adds its powers to what is inside,
 * n elements in `list`, and returns how many they are then; 0: there are too many factors. */
static int add_factor(Series *s, const bool *of, const bool *kernel, bool *inside, int *list, int n)
{
    int best = 0, order = 1, f = s->factors;
    for (int x = 0; x < s->n; x++) {
        int k = of[x] ? order_beside(s, x, kernel, inside) : 0;
        best = k > order ? x : best;
        order = k > order ? k : order;
    }
    if (f == MOST_FACTORS || order == 1)
        return 0;
    s->order[s->factors++] = order;
    for (int i = 0; i < n * (order - 1); i++) {
        int from = list[i], x = times(s, from, best);
        memcpy(s->count + x * MOST_FACTORS, s->count + from * MOST_FACTORS,
               MOST_FACTORS * sizeof *s->count);
        s->count[x * MOST_FACTORS + f]++;
        inside[x] = true;
        list[n + i] = x;
    }
    return n * order;
}

/* What an element of a group is beside the kernel: h = x r, where r, the first element with the
 * same factors, stands for the coset. */
static void find_rests(Series *s, const bool *of)
{
    int first = s->first[s->levels];
    size_t bytes = (size_t)(s->factors - first) * sizeof *s->count;
    for (int x = 0; x < s->n; x++)
        for (int r = 0; of[x] && r < s->n; r++)
            if (of[r] && memcmp(s->count + r * MOST_FACTORS + first,
                                s->count + x * MOST_FACTORS + first, bytes) == 0) {
                s->rest[s->levels * s->n + x] = times(s, x, s->inverse[r]);
                break;
            }
}

static bool add_level(Series *s, bool *of, bool *kernel, bool *inside, int *list, ThError *err)
{
    size_t bytes = (size_t)s->n * sizeof *of;
    int all = 0, n = derive(s, of, kernel, list);
    for (int x = 0; x < s->n; x++)
        all += of[x];
    if (n == all)
        return th_fail(
            err, TH_EVALUE,
            "the group is not solvable: %d of its elements are what their commutators make", n);
    memcpy(inside, kernel, bytes);
    s->first[s->levels] = s->factors;
    while (n && n < all)
        n = add_factor(s, of, kernel, inside, list, n);
    if (!n || s->levels == MOST_LEVELS)
        return th_fail(err, TH_ELIMIT, "more than %d cyclic factors", MOST_FACTORS);
    find_rests(s, of);
    s->first[++s->levels] = s->factors;
    memcpy(of, kernel, bytes);
    return true;
}

static bool find_series(Series *s, ThError *err)
{
    size_t n = (size_t)s->n;
    bool *of TH_OWNED(free) = th_alloc(3 * n, sizeof *of, err);
    int *list TH_OWNED(free) = th_alloc(n, sizeof *list, err);
    bool ok = of && list && multiply_all(s, err);
    for (size_t x = 0; ok && x < n; x++)
        of[x] = true;
    for (size_t left = n; ok && left > 1;) {
        ok = add_level(s, of, of + n, of + 2 * n, list, err);
        left = 0;
        for (size_t x = 0; x < n; x++)
            left += of[x];
    }
    return ok;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Of the vectors between layers: symbols, four numbers for every factor (its cosine and sine, and
 * their negatives, so that means and squares stay), and two that tell the first position; of the
 * last layer states. */
static int factor_place(const Work *w, int f)
{
    return w->task->machine->n_symbols + 4 * f;
}

static int first_place(const Work *w)
{
    return factor_place(w, w->s->factors);
}

static float *weights(const Work *w, const char *name)
{
    char full[96];
    snprintf(full, sizeof full, "layer%d.%s", w->layer, name);
    return th_compile_weights(w->m, full);
}

/* A sum of `ones` squares, `mean` of them not cancelled, comes back from the layer norm as it is.
 */
static void write_norm(const Work *w, int squares, int ones)
{
    double mean = (double)ones / w->dim, square = (double)squares / w->dim;
    float *gain = weights(w, "norm.gain"), *offset = weights(w, "norm.offset");
    for (int i = 0; i < w->dim; i++) {
        gain[i] = (float)sqrt(square - mean * mean + 1e-5);
        offset[i] = (float)mean;
    }
}

/* Sizes 1 and phases 0, but for what is added to them. */
static void write_still(const Work *w)
{
    float *size = weights(w, "size.down_bias"), *phase = weights(w, "phase.down_bias");
    for (int i = 0; i < w->state; i++) {
        size[i] = (float)CERTAIN;
        phase[i] = (float)-CERTAIN;
    }
}

/* ---- maps ------------------------------------------------------------------------------------ */

static void write_maps(const Work *w)
{
    const ThDfa *d = w->task->machine;
    int n = w->state, k = d->n_symbols, classes = w->task->signature.n_classes;
    float *embedding = th_compile_weights(w->m, "embedding"), *select = weights(w, "select");
    float *maps = weights(w, "dictionary"), *output = weights(w, "output");
    float *answer = th_compile_weights(w->m, "answer");
    write_still(w);
    write_norm(w, 1, 1);
    for (int a = 0; a < k; a++) {
        embedding[a * w->dim + a] = 1;
        select[a * k + a] = (float)CERTAIN;
        for (int q = 0; q < n; q++) { /* the start and state 0 change places */
            int to = d->next[q * k + a], i = q == 0 ? d->start : q == d->start ? 0 : q;
            int j = to == 0 ? d->start : to == d->start ? 0 : to;
            maps[((size_t)a * (size_t)n + (size_t)j) * (size_t)n + (size_t)i] = 1;
        }
    }
    for (int q = 0; q < n; q++) {
        int i = q == 0 ? d->start : q == d->start ? 0 : q;
        output[i * w->dim + q] = 1;
        th_compile_answer(w->task, q, answer + q * classes);
    }
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* Adds to a unit that it wants factor f to be at k turns of its order. */
static void want_factor(const Work *w, float *up, int units, int unit, int f, int k, double *least)
{
    int m = w->s->order[f], at = factor_place(w, f);
    double next = cos(2 * pi / m), by = 2 * AWAKE / (1 - next), angle = 2 * pi * k / m;
    up[at * units + unit] = (float)(by * cos(angle));
    up[(at + 2) * units + unit] = (float)(by * sin(angle));
    *least += 2 * AWAKE + by * next;
}

/* A unit that is AWAKE where the vector has a symbol (-1: any) and the factors of an element that
 * the levels before say. */
static void write_unit(const Work *w, const char *net, int unit, int symbol, const int *count)
{
    char name[64];
    int units = 2 * w->state, known = w->layer ? w->s->first[w->layer] : 0;
    double least = -AWAKE;
    snprintf(name, sizeof name, "%s.up", net);
    float *up = weights(w, name);
    if (symbol >= 0) {
        up[symbol * units + unit] = (float)(2 * AWAKE);
        least += 2 * AWAKE;
    }
    for (int f = 0; f < known; f++)
        want_factor(w, up, units, unit, f, count[f], &least);
    snprintf(name, sizeof name, "%s.up_bias", net);
    weights(w, name)[unit] = (float)-least;
}

/* The numbers of an element's factors, level by level. */
static void count_factors(const Series *s, int g, int *count)
{
    for (int l = 0; l < s->levels; l++) {
        for (int f = s->first[l]; f < s->first[l + 1]; f++)
            count[f] = s->count[g * MOST_FACTORS + f];
        g = s->rest[l * s->n + g];
    }
}

/* A unit turns the factors of a level by as much as a symbol does that led to `count`. */
static void write_turns(const Work *w, int unit, const int *before, const int *count)
{
    float *down = weights(w, "phase.down");
    for (int f = w->s->first[w->layer]; f < w->s->first[w->layer + 1]; f++) {
        int m = w->s->order[f], i = 1 + f - w->s->first[w->layer];
        double share = (double)((count[f] - before[f] + m) % m) / m;
        down[unit * w->state + i] =
            (float)((share > 0 ? log(share / (1 - share)) : -CERTAIN) / AWAKE);
    }
}

/* Units for all that a layer knows of: a symbol, and the factors above, after it. */
static bool write_keys(const Work *w, ThError *err)
{
    const Series *s = w->s;
    const ThDfa *d = w->task->machine;
    ThIntern seen TH_OWNED(th_intern_free) = {0};
    for (int g = 0; g < s->n; g++)
        for (int a = 0; a < d->n_symbols; a++) {
            int before[MOST_FACTORS] = {0}, key[MOST_FACTORS + 1] = {a};
            int h = times(s, g, s->m->right[a]);
            size_t unit, n = seen.n;
            count_factors(s, g, before);
            count_factors(s, h, key + 1);
            if (!th_intern(&seen, key, (size_t)(1 + s->first[w->layer]) * sizeof *key, &unit, err))
                return false;
            if (seen.n == n)
                continue;
            if ((int)unit >= 2 * w->state)
                return th_fail(err, TH_ELIMIT, "layer %d distinguishes too many cases",
                               w->layer + 1);
            write_unit(w, "phase", (int)unit, a, key + 1);
            write_turns(w, (int)unit, before, key + 1);
        }
    return true;
}

/* In the first layer, numbers are 1 too small: their input is what the turn makes of 1, less 1. */
static void write_beginning(const Work *w)
{
    const ThDfa *d = w->task->machine;
    int n = w->state;
    float *input = weights(w, "input"), *bias = weights(w, "output_bias");
    float *output = weights(w, "output");
    weights(w, "size.down_bias")[0] = 0;
    for (int k = 0; k < 2; k++)
        output[first_place(w) + k] = (float)(k ? -2 * FIRST : 2 * FIRST);
    for (int f = 0; f < w->s->first[1]; f++) {
        bias[factor_place(w, f)] = 1;
        bias[factor_place(w, f) + 1] = -1;
        for (int a = 0; a < d->n_symbols; a++) {
            int count[MOST_FACTORS] = {0};
            count_factors(w->s, w->s->m->right[a], count);
            double angle = 2 * pi * count[f] / w->s->order[f];
            input[a * 2 * n + 1 + f] = (float)(cos(angle) - 1);
            input[a * 2 * n + n + 1 + f] = (float)sin(angle);
        }
    }
}

/* Matrix 0 keeps all numbers, matrix 1 takes all from the first, at the first position, or, in the
 * last layer, ever. */
static void write_dictionary(const Work *w, bool last)
{
    float *matrices = weights(w, "dictionary"), *select = weights(w, "select");
    size_t n = (size_t)w->state;
    for (size_t i = 0; i < n; i++) {
        matrices[i * n + (last ? 0 : i)] = 1;
        matrices[n * n + i * n + (last || w->layer > 0 ? 0 : i)] = 1;
    }
    for (int a = 0; a < w->task->machine->n_symbols; a++)
        select[a * 2 + 1] = (float)(-0.75 * CERTAIN);
    select[first_place(w) * 2 + 1] = (float)(CERTAIN / FIRST);
}

static bool write_level(const Work *w, ThError *err)
{
    int n = w->state, first = w->s->first[w->layer], end = w->s->first[w->layer + 1];
    float *output = weights(w, "output"), *skip = weights(w, "skip");
    write_still(w);
    write_dictionary(w, false);
    for (int i = 1; i <= end - first; i++)
        weights(w, "phase.down_bias")[i] = 0;
    for (int f = first; f < end; f++)
        for (int k = 0; k < 4; k++)
            output[(1 + f - first + (k / 2) * n) * w->dim + factor_place(w, f) + k] =
                k % 2 ? -1 : 1;
    for (int i = 0; i < w->task->machine->n_symbols; i++)
        skip[i] = 1;
    for (int i = factor_place(w, 0); w->layer > 0 && i < first_place(w) + 2; i++)
        skip[i] = i < factor_place(w, first) || i >= first_place(w);
    if (w->layer == 0)
        write_beginning(w);
    write_norm(w, 1 + 2 * end, 1);
    return write_keys(w, err);
}

/* The last layer: D is a one-hot of the state, behind a 1. */
static void write_states(const Work *w)
{
    const Series *s = w->s;
    const ThDfa *d = w->task->machine;
    float *down = weights(w, "size.down"), *output = weights(w, "output");
    float *bias = weights(w, "size.down_bias"), *answer = th_compile_weights(w->m, "answer");
    write_still(w);
    write_dictionary(w, true);
    write_norm(w, 1, 1);
    for (int g = 0; g < s->n; g++) {
        int count[MOST_FACTORS] = {0};
        count_factors(s, g, count);
        write_unit(w, "size", g, -1, count);
        down[g * w->state + 1 + th_monoid_image(s->m, g, d->start)] = (float)(2 * CERTAIN / AWAKE);
    }
    for (int q = 0; q < d->n_states; q++) {
        bias[1 + q] = (float)-CERTAIN;
        output[(1 + q) * w->dim + q] = 1;
        th_compile_answer(w->task, q, answer + q * w->task->signature.n_classes);
    }
}

static bool write_phases(Work *w, ThError *err)
{
    float *embedding = th_compile_weights(w->m, "embedding");
    for (int a = 0; a < w->task->machine->n_symbols; a++)
        embedding[a * w->dim + a] = 1;
    for (; w->layer < w->s->levels; w->layer++)
        if (!write_level(w, err))
            return false;
    write_states(w);
    return true;
}

/* ---- the model ------------------------------------------------------------------------------- */

static bool set_sizes(Work *w, ThOptions *o, ThError *err)
{
    const ThDfa *d = w->task->machine;
    int n = d->n_states, wide = d->n_symbols > n ? d->n_symbols : n;
    w->state = n;
    w->dim = wide;
    if (w->s) {
        int keys = w->s->n * d->n_symbols; /* at most, of a layer; the last one has a unit each */
        w->state = (keys + 1) / 2 > n + 1 ? (keys + 1) / 2 : n + 1;
        w->state = w->s->factors + 1 > w->state ? w->s->factors + 1 : w->state;
        w->dim = first_place(w) + 2 > wide ? first_place(w) + 2 : wide;
    }
    if (w->state > 1024)
        return th_fail(err, TH_ELIMIT, "a model of state=%d is too large", w->state);
    return th_options_set_int(o, "dim", w->dim, err) &&
           th_options_set_int(o, "state", w->state, err) &&
           th_options_set_int(o, "layers", w->s ? w->s->levels + 1 : 1, err) &&
           th_options_set_int(o, "dictionary", w->s ? 2 : d->n_symbols, err) &&
           th_options_set(o, "one_hot", w->s ? "row" : "column", err);
}

static ThModel *compile(const ThTask *t, const Series *s, const ThTapeBounds *bounds, ThError *err)
{
    Work w = {.task = t, .s = s};
    ThOptions o TH_OWNED(th_options_free) = {0};
    if (th_options_init(&o, th_model_kind("pd_ssm")->options, err) && set_sizes(&w, &o, err))
        w.m = th_compile_blank("pd_ssm", &o, &t->signature, bounds, err);
    bool ok = w.m != NULL;
    if (ok && s)
        ok = write_phases(&w, err);
    else if (ok)
        write_maps(&w);
    return TH_KEEP_IF(ok, w.m, th_model_free);
}

ThModel *th_compile_pd_ssm(const ThTask *t, const ThMonoid *monoid, bool phases,
                           const ThTapeBounds *bounds, ThError *err)
{
    Series s = {.m = monoid, .n = monoid ? monoid->size : 0};
    if (!th_task_machine(t, err))
        return NULL;
    if (!phases)
        return compile(t, NULL, bounds, err);
    if (!monoid || s.n > MOST_ORDER)
        return th_null(th_fail(err, TH_ELIMIT, "the monoid has more than %d elements", MOST_ORDER));
    ThModel *m = find_series(&s, err) ? compile(t, &s, bounds, err) : NULL;
    TH_FREE(s.product, s.inverse, s.count, s.rest);
    return m;
}
