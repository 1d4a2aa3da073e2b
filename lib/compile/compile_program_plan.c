#include "compile/compile_program_plan.h"

#include <math.h>

#include "compile/numeric.h"

static const double off = 1e9; /* what keeps units at rest at the beginning of a string */

int th_compile_plan_begin(const ThCompilePlan *p)
{
    return p->o->p->n_letters;
}

int th_compile_plan_index(const ThCompilePlan *p)
{
    return p->o->p->n_letters + 1;
}

void th_compile_plan_free(ThCompilePlan *p)
{
    TH_FREE(p->ready, p->weight, p->heads, p->unit, p->entry);
}

/* ---- when ------------------------------------------------------------------------------------ */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static const ThCompileGathered *gathered(const ThCompilePlan *p, int base)
{
    return &p->o->gathered[base - TH_COMPILE_GATHERED];
}

/* Is it known from the symbol alone, or from the position alone? */
static bool is_embedded(const ThCompileColumn *c)
{
    return c->n_bases == 0 || (c->n_bases == 1 && c->base[0] < TH_COMPILE_GATHERED);
}

static double *weights_of(const ThCompilePlan *p, int column)
{
    return p->weight + (size_t)column * (TH_COMPILE_GATHERED + p->o->n_gathered);
}

/* Is a column told from a sum of numbers? */
static bool is_sum(const ThCompilePlan *p, int column)
{
    bool some = false;
    for (int i = 0; i < p->o->column[column].n_bases; i++)
        some = some || weights_of(p, column)[i] != 0;
    return some;
}

/* Notes that a column is needed; the layer after which it is there. */
static int need(ThCompilePlan *p, int column)
{
    const ThCompileColumn *c = &p->o->column[column];
    if (p->ready[column] >= 0)
        return p->ready[column];
    int ready = is_embedded(c) ? 0 : 1;
    for (int i = 0; !is_embedded(c) && i < c->n_bases; i++) {
        if (c->base[i] < TH_COMPILE_GATHERED)
            continue;
        const ThCompileGathered *g = gathered(p, c->base[i]);
        int layer = p->layer[c->base[i] - TH_COMPILE_GATHERED];
        if (g->how != TH_COMPILE_ONE && !is_sum(p, column))
            layer = need(p, g->self) + 1;
        ready = larger(ready, layer);
    }
    return p->ready[column] = ready;
}

static int head_of(ThCompilePlan *p, const ThCompileGathered *g, int layer, int number,
                   ThError *err)
{
    ThCompileGathering how = g->how == TH_COMPILE_WIDTH ? TH_COMPILE_WIDTH : TH_COMPILE_ONE;
    for (size_t i = 0; i < p->n_heads; i++) {
        const ThCompileHead *h = &p->heads[i];
        if (h->layer == layer && h->selector == g->selector && h->how == how && h->ranked < 0 &&
            g->order == 0)
            return (int)i;
    }
    if (!th_grow(&p->heads, &p->cap_heads, p->n_heads + 1, sizeof *p->heads, err))
        return -1;
    p->heads[p->n_heads] = (ThCompileHead){layer, g->selector, how, g->order != 0 ? number : -1, 0};
    p->heads_in[layer]++;
    return (int)p->n_heads++;
}

int th_compile_plan_width(const ThCompilePlan *p, const ThCompileGathered *g)
{
    return g->how == TH_COMPILE_ONE ? p->o->column[g->self].values : 1;
}

static bool schedule_gathered(ThCompilePlan *p, int i, ThError *err)
{
    const ThCompileGathered *g = &p->o->gathered[i];
    const ThCompileSelector *s = &p->o->selector[g->selector];
    int layer = larger(need(p, s->key), need(p, s->query));
    if (g->column >= 0)
        layer = larger(layer, need(p, g->column));
    if (++layer > 64)
        return th_fail(err, TH_ELIMIT, "the program needs more than 64 layers");
    p->layer[i] = layer;
    p->head[i] = head_of(p, g, layer, i, err);
    if (p->head[i] < 0)
        return false;
    p->within[i] = p->heads[p->head[i]].width;
    p->heads[p->head[i]].width += th_compile_plan_width(p, g);
    return true;
}

static void place_all(ThCompilePlan *p)
{
    const ThCompileObserved *o = p->o;
    p->stream = th_compile_plan_index(p) + o->p->length;
    for (size_t i = 0; i < o->n_columns; i++) {
        p->block[i] = p->stream;
        p->stream += p->ready[i] < 0 ? 0 : o->column[i].values;
        p->layers = larger(p->layers, p->ready[i]);
    }
    for (size_t i = 0; i < o->n_gathered; i++) {
        p->raw[i] = p->stream;
        p->stream += th_compile_plan_width(p, &o->gathered[i]);
        p->layers = larger(p->layers, p->layer[i]);
    }
    p->layers = larger(p->layers, 1);
}

/* Heads as wide as the widest, and wide enough that they cover the stream. */
static void size_heads(ThCompilePlan *p)
{
    p->most_heads = 1;
    for (size_t i = 0; i < p->n_heads; i++) {
        const ThCompileHead *h = &p->heads[i];
        const ThCompileSelector *s = &p->o->selector[h->selector];
        int keys = p->o->column[s->key].values, queries = p->o->column[s->query].values;
        p->head_width =
            larger(p->head_width, larger(h->width, 1 + (keys < queries ? keys : queries)));
        p->most_heads = larger(p->most_heads, p->heads_in[h->layer]);
    }
    p->head_width = larger(p->head_width, (p->stream + p->most_heads - 1) / p->most_heads);
}

/* Which columns are sums: those of one number that a head gives are that. */
static bool find_sums(ThCompilePlan *p, ThError *err)
{
    const ThCompileObserved *o = p->o;
    p->weight =
        th_alloc(o->n_columns * (TH_COMPILE_GATHERED + o->n_gathered), sizeof *p->weight, err);
    bool ok = p->weight != NULL;
    for (int i = 0; ok && i < (int)o->n_columns; i++) {
        const ThCompileColumn *c = &o->column[i];
        if (is_embedded(c))
            continue;
        if (c->n_bases > 1)
            ok = th_compile_numeric(o, c, weights_of(p, i), err);
        else
            *weights_of(p, i) = gathered(p, c->base[0])->how != TH_COMPILE_ONE;
    }
    return ok;
}

bool th_compile_plan(ThCompilePlan *p, const ThCompileObserved *o, ThError *err)
{
    size_t columns = o->n_columns, n = o->n_gathered;
    p->o = o;
    p->ready = th_alloc(2 * columns + 4 * n, sizeof *p->ready, err);
    if (!p->ready)
        return false;
    p->block = p->ready + columns;
    p->layer = p->block + columns;
    p->raw = p->layer + n;
    p->head = p->raw + n;
    p->within = p->head + n;
    if (!find_sums(p, err))
        return false;
    for (size_t i = 0; i < columns; i++)
        p->ready[i] = -1;
    for (size_t i = 0; i < n; i++)
        if (!schedule_gathered(p, (int)i, err))
            return false;
    need(p, o->output);
    place_all(p);
    size_heads(p);
    return true;
}

/* ---- units ----------------------------------------------------------------------------------- */

static bool add_entry(ThCompilePlan *p, int at, double weight, ThError *err)
{
    if (!th_grow(&p->entry, &p->cap_entries, p->n_entries + 1, sizeof *p->entry, err))
        return false;
    p->entry[p->n_entries++] = (ThCompileEntry){at, weight};
    return true;
}

/* A unit that is at rest at the beginning of a string; its inputs, then its outputs are to follow.
 */
static ThCompileUnit *add_unit(ThCompilePlan *p, int layer, double bias, ThError *err)
{
    if (!th_grow(&p->unit, &p->cap_units, p->n_units + 1, sizeof *p->unit, err))
        return NULL;
    ThCompileUnit *u = &p->unit[p->n_units];
    *u = (ThCompileUnit){layer, (int)p->n_entries, 1, 0, bias};
    if (!add_entry(p, th_compile_plan_begin(p), -off, err))
        return NULL;
    p->n_units++;
    return u;
}

static bool reads(ThCompilePlan *p, ThCompileUnit *u, int at, double weight, ThError *err)
{
    u->inputs++;
    return add_entry(p, at, weight, err);
}

static bool writes(ThCompilePlan *p, ThCompileUnit *u, int at, double weight, ThError *err)
{
    u->outputs++;
    return add_entry(p, at, weight, err);
}

/* Where the value that a base has in a row is said, before the layer's units. */
static int said_at(const ThCompilePlan *p, int base, int row)
{
    int block = base == TH_COMPILE_INDICES ? th_compile_plan_index(p) : 0;
    if (base >= TH_COMPILE_GATHERED) {
        const ThCompileGathered *g = gathered(p, base);
        block = g->how == TH_COMPILE_ONE ? p->raw[base - TH_COMPILE_GATHERED] : p->block[g->self];
    }
    return block + th_compile_value(p->o, base, row);
}

/* One unit for every tuple of values that occurs. */
static bool join(ThCompilePlan *p, int column, ThError *err)
{
    const ThCompileColumn *c = &p->o->column[column];
    ThIntern seen TH_OWNED(th_intern_free) = {0};
    int *at TH_OWNED(free) = th_alloc((size_t)c->n_bases, sizeof *at, err);
    bool ok = at != NULL;
    for (int row = 0; ok && row < p->o->rows; row++) {
        size_t before = seen.n, number;
        for (int i = 0; i < c->n_bases; i++)
            at[i] = said_at(p, c->base[i], row);
        ok = th_intern(&seen, at, (size_t)c->n_bases * sizeof *at, &number, err);
        if (!ok || number < before)
            continue;
        ThCompileUnit *u = add_unit(p, p->ready[column], 1 - 2 * c->n_bases, err);
        ok = u != NULL;
        for (int i = 0; ok && i < c->n_bases; i++)
            ok = reads(p, u, at[i], 2, err);
        ok = ok && writes(p, u, p->block[column] + c->id[row], 1, err);
    }
    return ok;
}

/* A sum of numbers, and the value that it stands for. */
typedef struct {
    double raw;
    int value;
} Level;

static int by_raw(const void *a, const void *b)
{
    const Level *x = a, *y = b;
    return (x->raw > y->raw) - (x->raw < y->raw);
}

/* What a column is told from: coordinates, and what each counts in the sum. */
typedef struct {
    int column;
    ThCompileEntry *entry;
    size_t n, room;
} Sum;

static bool add_to_sum(Sum *s, int at, double weight, ThError *err)
{
    if (!th_grow(&s->entry, &s->room, s->n + 1, sizeof *s->entry, err))
        return false;
    s->entry[s->n++] = (ThCompileEntry){at, weight};
    return true;
}

static bool find_sum(const ThCompilePlan *p, Sum *s, ThError *err)
{
    const ThCompileObserved *o = p->o;
    const ThCompileColumn *c = &o->column[s->column];
    ThIntern seen TH_OWNED(th_intern_free) = {0};
    for (int i = 0; i < c->n_bases; i++) {
        double weight = weights_of(p, s->column)[i];
        int base = c->base[i], number = base - TH_COMPILE_GATHERED;
        bool raw = number >= 0 && gathered(p, base)->how != TH_COMPILE_ONE;
        if (weight != 0 && raw && !add_to_sum(s, p->raw[number], weight, err))
            return false;
        for (int row = 0; weight != 0 && !raw && row < o->rows; row++) {
            int at = said_at(p, base, row);
            size_t before = seen.n, id;
            if (!th_intern(&seen, &at, sizeof at, &id, err) ||
                (seen.n > before &&
                 !add_to_sum(s, at, weight * th_compile_number(o, base, row), err)))
                return false;
        }
    }
    return true;
}

static bool reads_sum(ThCompilePlan *p, ThCompileUnit *u, const Sum *s, double by, ThError *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->n; i++)
        ok = reads(p, u, s->entry[i].at, by * s->entry[i].weight, err);
    return ok;
}

/* From value `from` to value `to` as the sum passes the middle between two levels. */
static bool add_step(ThCompilePlan *p, const Sum *s, const Level *a, const Level *b, ThError *err)
{
    double middle = (a->raw + b->raw) / 2, slope = 4 / (b->raw - a->raw);
    for (int end = 0; end < 2; end++) {
        double sign = end ? -1 : 1;
        ThCompileUnit *u = add_unit(p, p->ready[s->column], -slope * middle + sign / 2, err);
        if (!u || !reads_sum(p, u, s, slope, err) ||
            !writes(p, u, p->block[s->column] + b->value, sign, err) ||
            !writes(p, u, p->block[s->column] + a->value, -sign, err))
            return false;
    }
    return true;
}

static bool add_steps(ThCompilePlan *p, const Sum *s, const Level *level, int n, ThError *err)
{
    const double same = 1e-9;
    ThCompileUnit *u = add_unit(p, p->ready[s->column], 1, err);
    if (!u || !writes(p, u, p->block[s->column] + level[0].value, 1, err))
        return false;
    for (int i = 1; i < n; i++) {
        const Level *a = &level[i - 1], *b = &level[i];
        if (a->value == b->value)
            continue;
        if (b->raw - a->raw < same * fmax(1, fabs(b->raw)))
            return th_fail(err, TH_EVALUE,
                           "a value depends on more than the average that it is computed from");
        if (!add_step(p, s, a, b, err))
            return false;
    }
    return true;
}

/* Steps between the sums that occur. */
static bool step(ThCompilePlan *p, int column, ThError *err)
{
    const ThCompileColumn *c = &p->o->column[column];
    const double *weight = weights_of(p, column);
    Level *level TH_OWNED(free) = th_alloc((size_t)p->o->rows, sizeof *level, err);
    for (int row = 0; level && row < p->o->rows; row++) {
        level[row].value = c->id[row];
        for (int i = 0; i < c->n_bases; i++)
            level[row].raw +=
                weight[i] == 0 ? 0 : weight[i] * th_compile_number(p->o, c->base[i], row);
    }
    if (level)
        qsort(level, (size_t)p->o->rows, sizeof *level, by_raw);
    Sum s = {.column = column};
    bool ok = level && find_sum(p, &s, err) && add_steps(p, &s, level, p->o->rows, err);
    free(s.entry);
    return ok;
}

bool th_compile_plan_units(ThCompilePlan *p, ThError *err)
{
    int units[65] = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < p->o->n_columns; i++)
        if (p->ready[i] > 0)
            ok = is_sum(p, (int)i) ? step(p, (int)i, err) : join(p, (int)i, err);
    for (size_t i = 0; i < p->n_units; i++)
        p->hidden = larger(p->hidden, ++units[p->unit[i].layer]);
    p->hidden = larger(p->hidden, 1);
    return ok;
}
