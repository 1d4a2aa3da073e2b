#include "compile/compile_formula.h"

#include <stdio.h>

#include "automata/logic/cascade.h"
#include "automata/logic/counts.h"
#include "compile/weights.h"

enum { MOST_STREAM = 4096, MOST_LAYERS = 64 };

/* Of soft attention: numbers of a head, whose scores are divided by the root of that; and how much
 * a position, and a key beyond all positions, counts in a score. */
enum { SOFT_WIDTH = 4, SOFT_ROOT = 2, STEEP = 4 };

/* A value as a sum of coordinates. */
typedef struct {
    double constant;
    double weight[]; /* (stream) */
} Sum;

/* A unit, or a head, of a layer: what it is for. */
typedef struct {
    int part, layer, number;
    bool gathers; /* of COUNTS: the head that takes the mean */
} Job;

typedef struct {
    ThAutomatonFormula *f;
    ThModel *m;
    bool average;      /* heads take means */
    int soft;          /* the longest string, of soft attention; 0: it is hard */
    int begin, stream; /* coordinates: the letters, the beginning, of soft attention a position's
                          number and 1 or -1 by turns, and then those of parts */
    int *place;        /* (f->n): a part's own coordinate; of COUNTS that of its mean, and of soft
                          attention that of what a head sees, which the part is behind; -1 */
    int *key;          /* (f->n): of SINCE, the part that says that it is decided here; -1 */
    int *time;         /* (f->n): when it is there: 2 l - 1 by the heads of layer l, 2 l by its
                          units; 0 from the start; -1 not known yet */
    bool *at_begin;    /* (f->n): its value at the beginning */
    Job *head, *unit;
    size_t heads, head_cap, units, unit_cap;
    int layers, most_heads, most_units, width;
    Sum *sum;
    ThError *err;
} Work;

static ThAutomatonPart part(const Work *w, int i)
{
    return w->f->part[i];
}

/* ---- what is needed ---- */

/* `x S y` is y, or x where it was so before; before, it was so if the latest position where x was
 * false or y true had y. */
static bool add_keys(Work *w, size_t parts)
{
    ThAutomatonFormula *f = w->f;
    w->key = th_alloc(parts, sizeof *w->key, w->err);
    for (size_t i = 0; w->key && i < parts; i++) {
        ThAutomatonPart p = f->part[i];
        w->key[i] =
            p.is == TH_AUTOMATON_SINCE
                ? th_automaton_formula_or(f, th_automaton_formula_not(f, p.x, w->err), p.y, w->err)
                : -1;
        if (p.is == TH_AUTOMATON_SINCE && w->key[i] < 0)
            return false;
    }
    return w->key != NULL;
}

static bool is_letters(const Work *w, int i)
{
    uint64_t set;
    return th_automaton_formula_letters_of(w->f, i, &set);
}

/* The operands of an `and` of several parts, letters together; calls each with one. */
typedef bool Each(Work *w, int operand, void *context);
static bool for_each_operand(Work *w, int i, Each *each, void *context)
{
    ThAutomatonPart p = part(w, i);
    bool opens = p.is == TH_AUTOMATON_AND && !is_letters(w, i);
    if (!opens)
        return each(w, i, context);
    return for_each_operand(w, p.x, each, context) && for_each_operand(w, p.y, each, context);
}

static int ready(Work *w, int i);

static bool wait_for(Work *w, int i, void *latest)
{
    int *most = latest, at = ready(w, i);
    *most = at > *most ? at : *most;
    return at >= 0;
}

static int next_with(int time, bool heads)
{
    return time + 1 + ((time + 1) % 2 != heads);
}

static bool add_job(Work *w, int i, int time, bool gathers)
{
    bool head = time % 2 == 1;
    Job **list = head ? &w->head : &w->unit;
    size_t *n = head ? &w->heads : &w->units, *cap = head ? &w->head_cap : &w->unit_cap;
    int layer = (time - 1) / 2, number = 0;
    if (layer >= MOST_LAYERS)
        return th_fail(w->err, TH_ELIMIT, "more than %d layers would be needed", MOST_LAYERS);
    if (!th_grow(list, cap, *n + 1, sizeof **list, w->err))
        return false;
    for (size_t j = 0; j < *n; j++)
        number += (*list)[j].layer == layer;
    (*list)[(*n)++] = (Job){i, layer, number, gathers};
    int *most = head ? &w->most_heads : &w->most_units;
    *most = number + 1 > *most ? number + 1 : *most;
    w->layers = layer + 1 > w->layers ? layer + 1 : w->layers;
    return true;
}

static int take(Work *w, int i, int coordinates)
{
    w->place[i] = w->stream;
    w->stream += coordinates;
    return w->stream <= MOST_STREAM ||
                   th_fail(w->err, TH_ELIMIT, "more than %d coordinates would be needed",
                           MOST_STREAM)
               ? 0
               : -1;
}

/* A head, and two units that make what it sees true or false. */
static int plan_soft(Work *w, int i, int time)
{
    time = next_with(time, true);
    return take(w, i, 2) == 0 && add_job(w, i, time, true) && add_job(w, i, time + 1, true) &&
                   add_job(w, i, time + 1, false)
               ? time + 1
               : -1;
}

/* A head for what was so before, and a unit for x with it; soft attention sees the present, too. */
static int plan_since(Work *w, int i)
{
    ThAutomatonPart p = part(w, i);
    int before = 0, now = 0;
    if (w->soft)
        return wait_for(w, w->key[i], &before) && wait_for(w, p.y, &before)
                   ? plan_soft(w, i, before)
                   : -1;
    if (!wait_for(w, w->key[i], &before) || !wait_for(w, p.y, &before) || !wait_for(w, p.x, &now) ||
        take(w, i, 2) < 0)
        return -1;
    before = next_with(before, true);
    now = next_with(now > before ? now : before, false);
    return add_job(w, i, before, true) && add_job(w, i, now, false) ? now : -1;
}

static int plan_counts(Work *w, int i)
{
    ThAutomatonPart p = part(w, i);
    int time = 0;
    for (int k = p.x; k < p.x + p.y; k++)
        if (!wait_for(w, w->f->term[k].part, &time))
            return -1;
    time = next_with(time, true);
    if (take(w, i, 2) < 0 || !add_job(w, i, time, true))
        return -1;
    time = next_with(time, true);
    return add_job(w, i, time, false) ? time : -1;
}

/* Of what was so before a head is enough, and `since` has it anyway. */
static int plan_previous(Work *w, int i)
{
    ThAutomatonPart p = part(w, i);
    int time = 0;
    if (!wait_for(w, p.x, &time))
        return -1;
    if (w->soft)
        return plan_soft(w, i, time);
    if (part(w, p.x).is == TH_AUTOMATON_SINCE) {
        w->place[i] = w->place[p.x];
        for (size_t j = 0; j < w->heads; j++)
            if (w->head[j].part == p.x)
                return 2 * w->head[j].layer + 1;
    }
    time = next_with(time, true);
    return take(w, i, 1) == 0 && add_job(w, i, time, true) ? time : -1;
}

static int plan_and(Work *w, int i)
{
    int time = 0;
    if (is_letters(w, i))
        return 0;
    if (!for_each_operand(w, i, wait_for, &time) || take(w, i, 1) < 0)
        return -1;
    time = next_with(time, false);
    return add_job(w, i, time, false) ? time : -1;
}

/* When a part is there; -1. */
static int ready(Work *w, int i)
{
    if (w->time[i] >= 0)
        return w->time[i];
    switch (part(w, i).is) {
    case TH_AUTOMATON_NOT:
        return w->time[i] = ready(w, part(w, i).x);
    case TH_AUTOMATON_AND:
        return w->time[i] = plan_and(w, i);
    case TH_AUTOMATON_SINCE:
        return w->time[i] = plan_since(w, i);
    case TH_AUTOMATON_PREVIOUS:
        return w->time[i] = plan_previous(w, i);
    case TH_AUTOMATON_COUNTS:
        return w->time[i] = plan_counts(w, i);
    default:
        return w->time[i] = 0;
    }
}

/* ---- sums ---- */

/* What is true at the beginning, where no letter is and nothing was before; a count of nothing is
 * 0, but the head that tells sees the beginning there. */
static void find_beginning(Work *w)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < w->f->n; i++) {
            ThAutomatonPart p = w->f->part[i];
            bool is = p.is == TH_AUTOMATON_TRUE || p.is == TH_AUTOMATON_COUNTS ||
                      (p.is == TH_AUTOMATON_NOT && !w->at_begin[p.x]) ||
                      (p.is == TH_AUTOMATON_AND && w->at_begin[p.x] && w->at_begin[p.y]) ||
                      (p.is == TH_AUTOMATON_SINCE && w->at_begin[p.y] && !w->soft);
            changed = changed || is != w->at_begin[i];
            w->at_begin[i] = is;
        }
    }
}

/* Adds a part, times a factor, to the sum at hand. */
static void add_part(Work *w, int i, double factor)
{
    ThAutomatonPart p = part(w, i);
    switch (p.is) {
    case TH_AUTOMATON_TRUE:
        w->sum->constant += factor;
        break;
    case TH_AUTOMATON_LETTER:
        w->sum->weight[p.x] += factor;
        break;
    case TH_AUTOMATON_NOT:
        w->sum->constant += factor;
        add_part(w, p.x, -factor);
        break;
    case TH_AUTOMATON_SINCE:
        if (!w->soft)
            add_part(w, p.y, factor);
        w->sum->weight[w->place[i] + 1] += factor;
        break;
    case TH_AUTOMATON_PREVIOUS:
        w->sum->weight[w->place[i] + (w->soft > 0)] += factor;
        break;
    case TH_AUTOMATON_COUNTS:
        w->sum->weight[w->place[i] + 1] += factor;
        break;
    default:
        if (p.is == TH_AUTOMATON_AND && is_letters(w, i)) { /* of none of some letters */
            add_part(w, p.x, factor);
            add_part(w, p.y, factor);
            w->sum->constant -= factor;
        } else
            w->sum->weight[w->place[i]] += factor;
    }
}

static void clear(Work *w)
{
    memset(w->sum, 0, sizeof *w->sum + (size_t)w->stream * sizeof *w->sum->weight);
}

/* Makes the sum, which is `is` at the beginning now, `wanted` there. */
static void set_beginning(Work *w, double is, double wanted)
{
    w->sum->weight[w->begin] += wanted - is;
}

static void sum_of(Work *w, int i)
{
    clear(w);
    add_part(w, i, 1);
}

/* ---- weights ---- */

static float *layer_weights(const Work *w, int layer, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "layer%d.%s", layer, name);
    return th_compile_weights(w->m, full);
}

static int dim_of(const Work *w)
{
    return w->most_heads * w->width;
}

/* Writes the sum as a column of a matrix with a bias. */
static void write_sum(const Work *w, float *matrix, float *bias, int cols, int column)
{
    for (int c = 0; c < w->stream; c++)
        matrix[c * cols + column] = (float)w->sum->weight[c];
    bias[column] = (float)w->sum->constant;
}

/* A number of a head's keys, and the first of its values; where its value goes to. */
static void write_key(const Work *w, const Job *j, int number)
{
    int d = dim_of(w);
    write_sum(w, layer_weights(w, j->layer, "attention.key_value"),
              layer_weights(w, j->layer, "attention.key_value_bias"), 2 * d,
              j->number * w->width + number);
}

static void write_value(const Work *w, const Job *j, int to)
{
    int d = dim_of(w), first = j->number * w->width;
    write_sum(w, layer_weights(w, j->layer, "attention.key_value"),
              layer_weights(w, j->layer, "attention.key_value_bias"), 2 * d, d + first);
    layer_weights(w, j->layer, "attention.output")[first * d + to] = 1;
}

/* The present sum counts for as much as all positions do, and of equal ones a later position for
 * e^STEEP times as much as the one before.  So the first one holds its own against all others
 * without a key, by e^STEEP; and the beginning, where there is none, has what these have: nothing.
 */
static void sharpen(Work *w)
{
    double by = (double)STEEP * w->soft;
    w->sum->constant *= by;
    for (int c = 0; c < w->stream; c++)
        w->sum->weight[c] *= by;
    w->sum->weight[w->begin + 1] += STEEP;
}

/* Soft attention to the position before: of the two latest the one that has the other sign. */
static void write_before(Work *w, const Job *j)
{
    int d = dim_of(w), first = j->number * w->width, sign = w->begin + 2;
    clear(w);
    w->sum->weight[sign] = -STEEP;
    write_key(w, j, 1);
    clear(w);
    w->sum->weight[w->begin + 1] = STEEP;
    write_key(w, j, 0);
    layer_weights(w, j->layer, "attention.query")[sign * d + first + 1] = SOFT_ROOT;
}

/* Looks at the latest position (but for soft attention, an earlier one) with a key of 1, or at the
 * beginning, which has ½; key -1: at the one before. */
static void write_latest(Work *w, const Job *j, int key, int value)
{
    if (key >= 0) {
        sum_of(w, key);
        set_beginning(w, w->at_begin[key], 0.5);
        if (w->soft)
            sharpen(w);
        write_key(w, j, 0);
    } else
        write_before(w, j);
    sum_of(w, value);
    set_beginning(w, w->at_begin[value], 0);
    write_value(w, j, w->place[j->part]);
    layer_weights(w, j->layer, "attention.query_bias")[j->number * w->width] =
        w->soft ? SOFT_ROOT : 1;
}

/* The mean of bound + ½ at the beginning, and of what is taken off it. */
static void write_mean(Work *w, const Job *j)
{
    ThAutomatonPart p = part(w, j->part);
    double at_begin = 0;
    clear(w);
    for (int k = p.x; k < p.x + p.y; k++) {
        add_part(w, w->f->term[k].part, -w->f->term[k].by);
        at_begin -= w->at_begin[w->f->term[k].part] ? w->f->term[k].by : 0;
    }
    set_beginning(w, at_begin, p.by + 0.5);
    write_value(w, j, w->place[j->part]);
}

/* Sees the beginning, which has the only key, if the mean is positive, and else all others. */
static void write_sign(Work *w, const Job *j)
{
    int d = dim_of(w);
    clear(w);
    w->sum->weight[w->begin] = 1;
    write_key(w, j, 0);
    write_value(w, j, w->place[j->part] + 1);
    layer_weights(w, j->layer, "attention.query")[w->place[j->part] * d + j->number * w->width] = 1;
}

static void write_head(Work *w, const Job *j)
{
    ThAutomatonPart p = part(w, j->part);
    if (p.is == TH_AUTOMATON_COUNTS)
        (j->gathers ? write_mean : write_sign)(w, j);
    else if (p.is == TH_AUTOMATON_SINCE)
        write_latest(w, j, w->key[j->part], p.y);
    else
        write_latest(w, j, w->soft ? -1 : th_automaton_formula_truth(w->f, w->err), p.x);
}

static bool add_operand(Work *w, int i, void *count)
{
    add_part(w, i, 1);
    ++*(int *)count;
    return true;
}

/* A unit that is 1 where all of its operands are; or one of two, which differ by 1 where what soft
 * attention sees is 3/4 or more, and not at all where it is 1/4 or less. */
static void write_unit(Work *w, const Job *j)
{
    ThAutomatonPart p = part(w, j->part);
    bool rounds = w->soft && p.is != TH_AUTOMATON_AND;
    int n = 0, to = w->place[j->part], wide = w->most_units;
    clear(w);
    if (rounds) {
        w->sum->weight[to++] = 2;
        w->sum->constant = j->gathers ? 0.5 : -0.5;
        n = 2;
    } else if (p.is == TH_AUTOMATON_SINCE) { /* x, so before, and not y, which counts by itself */
        add_part(w, p.x, 1);
        add_part(w, p.y, -1);
        w->sum->weight[to++] += 1;
        n = 2;
    } else
        for_each_operand(w, j->part, add_operand, &n);
    w->sum->constant -= n - 1;
    write_sum(w, layer_weights(w, j->layer, "feed_forward.up"),
              layer_weights(w, j->layer, "feed_forward.up_bias"), wide, j->number);
    layer_weights(w, j->layer, "feed_forward.down")[j->number * dim_of(w) + to] =
        rounds && !j->gathers ? -1 : 1;
}

static void write_answers(Work *w, const ThTask *t)
{
    float *head = th_compile_weights(w->m, "head"), *bias = th_compile_weights(w->m, "head_bias");
    int classes = t->signature.n_classes;
    sum_of(w, w->f->whole);
    for (int c = 0; c < classes; c++) {
        double sign = c == 1 ? TH_COMPILE_CERTAIN : c == 0 ? -TH_COMPILE_CERTAIN : 0;
        for (int k = 0; k < w->stream; k++)
            head[k * classes + c] = (float)(sign * w->sum->weight[k]);
        bias[c] = (float)(sign * (w->sum->constant - 0.5));
    }
}

static void write_all(Work *w, const ThTask *t)
{
    float *row = th_compile_weights(w->m, "embedding");
    for (int i = 0; w->soft && i <= w->soft; i++) {
        float *at = th_compile_weights(w->m, "position") + (size_t)i * (size_t)dim_of(w) + w->begin;
        at[1] = (float)i;
        at[2] = i % 2 ? 1 : -1;
    }
    for (int a = 0; a <= t->signature.n_symbols; a++)
        row[a * dim_of(w) + a] = 1;
    for (size_t i = 0; i < w->heads; i++)
        write_head(w, &w->head[i]);
    for (size_t i = 0; i < w->units; i++)
        write_unit(w, &w->unit[i]);
    write_answers(w, t);
}

/* ---- the model ---- */

static bool has_counts(const ThAutomatonFormula *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->part[i].is == TH_AUTOMATON_COUNTS)
            return true;
    return false;
}

static ThModel *new_model(Work *w, const ThTask *t, const ThTapeBounds *bounds)
{
    ThOptions o TH_OWNED(th_options_free) = {0};
    w->most_heads = w->most_heads ? w->most_heads : 1;
    w->most_units = w->most_units ? w->most_units : 1;
    w->layers = w->layers ? w->layers : 1;
    w->width = (w->stream + w->most_heads - 1) / w->most_heads;
    if (w->soft) { /* whose root is whole: idle heads make the room */
        int least = (w->stream + SOFT_WIDTH - 1) / SOFT_WIDTH;
        w->width = SOFT_WIDTH;
        w->most_heads = w->most_heads > least ? w->most_heads : least;
    }
    bool ok = th_options_init(&o, th_model_kind("bare")->options, w->err) &&
              th_options_set_int(&o, "dim", dim_of(w), w->err) &&
              th_options_set_int(&o, "heads", w->most_heads, w->err) &&
              th_options_set_int(&o, "layers", w->layers, w->err) &&
              th_options_set_int(&o, "hidden", w->most_units, w->err) &&
              th_options_set(&o, "causal", "yes", w->err) &&
              th_options_set(&o, "position", w->soft ? "learned" : "none", w->err) &&
              (!w->soft || th_options_set_int(&o, "longest", w->soft + 1, w->err)) &&
              th_options_set(&o, "attention",
                             w->soft      ? "soft"
                             : w->average ? "average"
                                          : "rightmost",
                             w->err);
    return ok ? th_compile_blank("bare", &o, &t->signature, bounds, w->err) : NULL;
}

static bool prepare(Work *w, size_t parts)
{
    if (!add_keys(w, parts))
        return false;
    th_automaton_formula_truth(w->f, w->err);
    size_t n = w->f->n;
    w->place = th_alloc(n, sizeof *w->place, w->err);
    w->time = th_alloc(n, sizeof *w->time, w->err);
    w->at_begin = th_alloc(n, sizeof *w->at_begin, w->err);
    for (size_t i = 0; w->place && w->time && i < n; i++)
        w->place[i] = w->time[i] = -1;
    return w->place && w->time && w->at_begin && ready(w, w->f->whole) >= 0;
}

/* Returns new: the model of a formula, which gets parts. */
static ThModel *write_model(ThAutomatonFormula *f, const ThTask *t, const ThCompileFormulaHow *how,
                            ThCompileFormulaSize *size, ThError *err)
{
    int letters = (int)f->letters, before = letters + (how->soft > 0 ? 3 : 1);
    Work w = {.f = f,
              .average = !t->machine || has_counts(f),
              .soft = how->soft,
              .begin = letters,
              .stream = before,
              .err = err};
    bool ok = prepare(&w, f->n);
    if (ok)
        find_beginning(&w);
    w.sum = ok ? th_alloc(1, sizeof *w.sum + (size_t)w.stream * sizeof *w.sum->weight, err) : NULL;
    w.m = w.sum ? new_model(&w, t, how->bounds) : NULL;
    if (w.m)
        write_all(&w, t);
    *size = (ThCompileFormulaSize){.layers = w.layers,
                                   .heads = (int)w.heads,
                                   .units = (int)w.units,
                                   .stream = w.stream,
                                   .lines = w.stream - before,
                                   .counts = has_counts(f)};
    TH_FREE(w.place, w.key, w.time, w.at_begin, w.head, w.unit, w.sum);
    return w.m;
}

/* The formula of a machine's language, with counts or without. */
static bool formula_of(ThAutomatonFormula *f, const ThDfa *d, char *const *symbol,
                       const ThCompileFormulaHow *how, ThError *err)
{
    ThError own = {0};
    if (how->counting)
        return th_automaton_formula_counting(f, d, symbol, how->stop, err);
    if (th_automaton_formula_of(f, d, symbol, how->limit, how->stop, &own))
        return true;
    return th_fail(err, own.code, "%s", own.msg);
}

ThModel *th_compile_counting(const char *formula, const ThTask *t, const ThTapeBounds *bounds,
                             ThCompileFormulaSize *size, ThError *err)
{
    ThAutomatonFormula f TH_OWNED(th_automaton_formula_free) = {0};
    ThCompileFormulaHow how = {.counting = true, .bounds = bounds};
    return th_automaton_formula_counted(&f, formula, t->signature.symbol, t->signature.n_symbols,
                                        err)
               ? write_model(&f, t, &how, size, err)
               : NULL;
}

ThModel *th_compile_formula(const ThTask *t, const ThCompileFormulaHow *how,
                            ThCompileFormulaSize *size, ThError *err)
{
    ThAutomatonFormula f TH_OWNED(th_automaton_formula_free) = {0};
    if (!t->machine || t->bits || t->signature.n_classes != 2)
        return th_null(
            th_fail(err, TH_EVALUE, "a formula says yes or no: the task has other answers"));
    for (int q = 0; q < t->machine->n_states; q++)
        if (t->machine->label[q] > 1)
            return th_null(th_fail(err, TH_EVALUE,
                                   "a formula says yes or no: in some states nothing is asked"));
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_minimize(t->machine, how->stop, err);
    return d && formula_of(&f, d, t->signature.symbol, how, err)
               ? write_model(&f, t, how, size, err)
               : NULL;
}
