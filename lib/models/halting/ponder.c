#include "models/halting/ponder.h"

#include "models/halting/halting.h"

void th_model_thinker_build(ThModelThinker *k, ThModelBuilder *b, int halt, int dim)
{
    const ThOptions *o = &b->m->options;
    k->halt = halt;
    k->steps = (int)th_option_int(o, "steps");
    k->from = (int)th_option_int(o, "halt_from");
    k->transition = halt != TH_MODEL_HALT_NONE && th_option_flag(o, "transition");
    k->threshold = th_option_real(o, "threshold");
    k->ponder = th_option_real(o, "ponder");
    if (halt != TH_MODEL_HALT_NONE)
        k->network = th_model_build_decision(b, "halting", k->transition ? 2 * dim : dim, dim, 1);
}

bool th_model_thinks_by_string(const ThModelThinker *k, const ThModelEncoder *e)
{
    return k->halt != TH_MODEL_HALT_TOKEN && !e->attention.causal;
}

/* Rows of the states, those of the units of a list. */
typedef struct {
    int *row, n; /* in order, where they stand */
    int *pick;   /* (B*T): for each row itself, or B*T + its place in the list */
} Rows;

typedef struct {
    ThTape *t;
    const ThModelThinker *k;
    const ThModelEncoder *e;
    const ThModelThought *about;
    int B, T;
    bool by_string;
    ThModelHalting halting;
    int *of;                /* (B*T): the unit of each row; -1: padding */
    int *before;            /* (n) steps of each unit before the present one */
    int *unit, n_unit;      /* those that are asked */
    ThVar h, soft, summary; /* states; their mean by the masses; what is known of strings, or -1 */
} Run;

static bool is_padding(const Run *r, int row)
{
    return row % r->T >= r->about->strings.length[row / r->T];
}

static int unit_of(const Run *r, int row)
{
    return is_padding(r, row) ? -1 : r->by_string ? row / r->T : row;
}

/* ---- which rows ---- */

/* Of all rows, those whose mean is asked for. */
static ThVar wanted(const Run *r, ThVar h)
{
    const int *row = r->about->wanted;
    return row ? th_op_rows(r->t, h, row, r->B, 1) : h;
}

/* The units that go on, in an array of its own, for operations keep it. */
static bool list_units(Run *r)
{
    const ThModelHalting *h = &r->halting;
    r->unit = th_tape_take(r->t, (size_t)h->n, sizeof *r->unit);
    r->before = th_tape_take(r->t, (size_t)h->n, sizeof *r->before);
    r->n_unit = 0;
    if (!r->unit || !r->before)
        return false;
    for (int i = 0; i < h->n; i++) {
        r->before[i] = h->steps[i];
        if (h->active[i])
            r->unit[r->n_unit++] = i;
    }
    return true;
}

/* Whether this step has counted for a unit, or will. */
static bool counts(const Run *r, int unit, bool decided)
{
    const ThModelHalting *h = &r->halting;
    return unit >= 0 && (decided ? h->steps[unit] > r->before[unit] : h->active[unit]);
}

static bool list_rows(const Run *r, bool decided, Rows *to)
{
    int n = r->B * r->T;
    to->n = 0;
    to->row = th_tape_take(r->t, (size_t)n, sizeof *to->row);
    to->pick = th_tape_take(r->t, (size_t)n, sizeof *to->pick);
    for (int i = 0; to->row && to->pick && i < n; i++) {
        bool goes = counts(r, unit_of(r, i), decided);
        to->pick[i] = goes ? n + to->n : i;
        if (goes)
            to->row[to->n++] = i;
    }
    return to->row && to->pick;
}

/* All rows, those of the list being as the block made them. */
static ThVar merge(const Run *r, const Rows *rows, ThVar made)
{
    int n = r->B * r->T;
    return rows->n == n ? made : th_op_rows(r->t, th_op_stack(r->t, r->h, made), rows->pick, n, 1);
}

/* Of the rows that the block was applied to, those whose units stopped keep what they were; `all`
 * is all rows as they would be otherwise. */
static ThVar drop_stopped(const Run *r, const Rows *rows, ThVar made, ThVar all)
{
    int n = r->B * r->T, stopped = 0, *pick = th_tape_take(r->t, (size_t)n, sizeof *pick);
    for (int i = 0; pick && i < n; i++) {
        bool stops = rows->pick[i] >= n && !counts(r, unit_of(r, i), true);
        pick[i] = stops ? i : rows->pick[i];
        stopped += stops;
    }
    if (!pick || stopped == 0)
        return all;
    return th_op_rows(r->t, th_op_stack(r->t, r->h, made), pick, n, 1);
}

/* ---- one application ---- */

/* The strings with rows of a list, each with all its rows. */
typedef struct {
    ThModelStrings strings;
    int *string, *all, *own; /* which strings, and rows; those of the list among them */
} Part;

static bool take_part(const Run *r, const Rows *rows, Part *p)
{
    size_t n = (size_t)r->B * (size_t)r->T, B = (size_t)r->B;
    int *length = th_tape_take(r->t, B, sizeof *length), strings = 0;
    p->string = th_tape_take(r->t, B, sizeof *p->string);
    p->all = th_tape_take(r->t, n, sizeof *p->all);
    p->own = th_tape_take(r->t, n, sizeof *p->own);
    if (!length || !p->string || !p->all || !p->own)
        return false;
    for (int b = 0, k = 0; b < r->B; b++) {
        int first = k;
        for (; k < rows->n && rows->row[k] / r->T == b; k++)
            p->own[k] = strings * r->T + rows->row[k] % r->T;
        if (k == first && !th_tape_keeps_named(r->t)) /* to be seen all attend */
            continue;
        for (int i = 0; i < r->T; i++)
            p->all[strings * r->T + i] = b * r->T + i;
        length[strings] = r->about->strings.length[b];
        p->string[strings++] = b;
    }
    p->strings = (ThModelStrings){.B = strings, .T = r->T, .length = length};
    return true;
}

static ThVar rows_of(const Run *r, const Part *p, ThVar x)
{
    return p->strings.B < r->B ? th_op_rows(r->t, x, p->all, p->strings.B * r->T, 1) : x;
}

/* The keys and values of the strings' memories. */
static ThVar memory_of(const Run *r, const Part *p)
{
    ThVar memory = r->about->memory;
    if (memory < 0 || p->strings.B == r->B)
        return memory;
    int slots = th_tape_rows(r->t, memory) / r->B, n = p->strings.B * slots;
    int *row = th_tape_take(r->t, (size_t)n, sizeof *row);
    for (int i = 0; row && i < n; i++)
        row[i] = p->string[i / slots] * slots + i % slots;
    return row ? th_op_rows(r->t, memory, row, n, 1) : -1;
}

/* What the block makes of the rows of a list. */
static ThVar apply_block(const Run *r, int step, const Rows *rows)
{
    Part p;
    if (!take_part(r, rows, &p))
        return -1;
    bool soft = r->k->halt == TH_MODEL_HALT_TOKEN, reads = r->about->memory >= 0;
    bool first = step == 0 && p.strings.B == r->B;
    int tag = r->about->number + step;
    int *own = rows->n < p.strings.B * r->T ? p.own : NULL;
    ThVar made =
        th_model_encoder_apply(r->e, r->t, 0,
                               &(ThModelApplication){.strings = p.strings,
                                                     .h = rows_of(r, &p, r->h),
                                                     .of = first ? r->about->of : NULL,
                                                     .from = soft ? rows_of(r, &p, r->soft) : -1,
                                                     .memory = memory_of(r, &p),
                                                     .own = reads ? NULL : own,
                                                     .n_own = rows->n,
                                                     .tag = tag,
                                                     .memory_tag = tag + r->k->steps,
                                                     .rng = r->about->rng});
    return reads && own ? th_op_rows(r->t, made, own, rows->n, 1) : made;
}

/* ---- deciding ---- */

/* The means of the rows of each string. */
static ThVar string_means(const Run *r, ThVar h)
{
    float *share = th_tape_take(r->t, (size_t)r->B, sizeof *share);
    for (int b = 0; share && b < r->B; b++)
        share[b] = 1 / (float)(r->about->strings.length[b] + (r->about->strings.length[b] == 0));
    return share ? th_op_times_column(r->t, th_op_scatter(r->t, h, r->of, r->B),
                                      th_tape_constant(r->t, r->B, 1, share))
                 : -1;
}

/* The means of the rows up to each. */
static ThVar means_so_far(const Run *r, ThVar h)
{
    int n = r->B * r->T, d = r->e->attention.dim;
    float *share = th_tape_take(r->t, (size_t)n, sizeof *share);
    float *one = th_tape_take(r->t, (size_t)d, sizeof *one);
    if (!share || !one)
        return -1;
    for (int k = 0; k < d; k++)
        one[k] = 1;
    for (int i = 0; i < n; i++)
        share[i] = 1 / (float)(i % r->T + 1);
    ThScan sums = {.B = r->B, .T = r->T, .length = r->about->strings.length};
    ThVar sum = th_op_scan(r->t, th_tape_constant(r->t, 1, d, one), h, -1, &sums);
    return th_op_times_column(r->t, sum, th_tape_constant(r->t, n, 1, share));
}

/* What is known of each unit: its state, or the mean of its rows, or of the rows up to it. */
static ThVar summary(const Run *r, ThVar h)
{
    if (r->k->halt == TH_MODEL_HALT_TOKEN)
        return h;
    return r->by_string ? string_means(r, h) : means_so_far(r, h);
}

/* The probabilities of stopping, of the units that go on: (n_unit, 1). */
static ThVar probabilities(Run *r, ThVar after)
{
    ThTape *t = r->t;
    ThVar now = r->summary < 0 ? summary(r, r->h) : r->summary;
    ThVar seen = th_op_rows(t, now, r->unit, r->n_unit, 1);
    if (r->k->transition) {
        ThVar then = summary(r, after);
        ThVar both[] = {seen, th_op_rows(t, then, r->unit, r->n_unit, 1)};
        seen = th_op_beside(t, both, 2);
        /* Of a string that goes on this is what will be known. */
        r->summary = r->by_string ? then : -1;
    }
    return th_op_map(t, th_model_network(t, &r->k->network, seen), TH_MAP_SIGMOID);
}

/* Decides about the units that go on, whose wanted rows are `state`, and of which `after` is what
 * the block makes (not looked at without transition). */
static bool decide(Run *r, int step, ThVar state, ThVar after)
{
    bool gives = r->k->halt != TH_MODEL_HALT_NONE && step >= r->k->from;
    return th_model_halting_step(&r->halting, gives ? probabilities(r, after) : -1, r->unit,
                                 r->n_unit, state);
}

/* One application to everything that goes on, and the decision that sees what it makes. */
static bool apply_first(Run *r, int step)
{
    Rows rows;
    ThVar state = wanted(r, r->h);
    if (!list_rows(r, false, &rows))
        return false;
    ThVar made = apply_block(r, step, &rows), all = merge(r, &rows, made);
    if (!decide(r, step, state, all))
        return false;
    r->h = drop_stopped(r, &rows, made, all);
    return true;
}

/* The decision first, so that the block is not applied to what stops. */
static bool decide_first(Run *r, int step)
{
    Rows rows;
    if (!decide(r, step, wanted(r, r->h), -1) || !list_rows(r, true, &rows))
        return false;
    if (rows.n > 0)
        r->h = merge(r, &rows, apply_block(r, step, &rows));
    return true;
}

static bool advance(Run *r, int step)
{
    if (!list_units(r) || !(r->k->transition ? apply_first(r, step) : decide_first(r, step)))
        return false;
    int number = r->about->number + step;
    if (!th_tape_keeps_named(r->t) || th_tape_find(r->t, "attention", number) >= 0)
        r->h = th_tape_note(r->t, r->h, r->about->name, number);
    if (r->k->halt == TH_MODEL_HALT_TOKEN)
        r->soft = th_model_halting_mean(&r->halting, r->h);
    return true;
}

/* ---- the whole ---- */

/* How often the block may be applied to a row: with halting once more than there are positions to
 * read, those up to its own in a causal model, of which the rest of the string must not be known.
 */
static int most_steps(const Run *r, int row)
{
    if (r->k->halt == TH_MODEL_HALT_NONE)
        return r->k->steps;
    int longest =
        r->e->attention.causal ? row % r->T + 2 : r->about->strings.length[row / r->T] + 1;
    return r->k->steps < longest ? r->k->steps : longest;
}

static bool begin(Run *r)
{
    ThModelHalting *h = &r->halting;
    int n = r->B * r->T, *unit = th_tape_take(r->t, (size_t)n, sizeof *unit);
    int *most = th_tape_take(r->t, (size_t)n, sizeof *most);
    if (!unit || !most)
        return false;
    memset(most, 0, (size_t)n * sizeof *most);
    for (int i = 0; i < n; i++) {
        unit[i] = unit_of(r, i);
        if (unit[i] >= 0)
            most[unit[i]] = most_steps(r, i);
    }
    r->of = unit;
    *h = (ThModelHalting){.n = r->by_string ? r->B : n,
                          .rows = r->about->wanted ? r->B : n,
                          .unit = r->about->wanted ? NULL : unit,
                          .most = most,
                          .threshold = r->k->threshold,
                          .number = r->about->number};
    return th_model_halting_begin(h, r->t,
                                  r->k->halt == TH_MODEL_HALT_NONE ? 0 : r->e->attention.dim);
}

/* The price of a string is shared by its positions where they are units. */
static void charge(const Run *r, ThVar *cost)
{
    int n = r->halting.rows, T = n / r->B; /* of each string */
    float *weight = th_tape_take(r->t, (size_t)n, sizeof *weight);
    if (!weight || r->k->halt == TH_MODEL_HALT_NONE || r->k->ponder == 0)
        return;
    for (int i = 0; i < n; i++) {
        float price = (float)r->k->ponder * r->about->price[i / T];
        int length = r->about->strings.length[i / T], sharers = r->by_string ? 1 : length;
        bool free = i % T >= length || (r->by_string && i % T > 0);
        weight[i] = free ? 0 : price / (float)sharers;
    }
    ThVar more = th_model_halting_cost(&r->halting, weight);
    *cost = *cost < 0 ? more : th_op_add(r->t, *cost, more);
}

ThVar th_model_think(const ThModelThinker *k, const ThModelEncoder *e, ThTape *t,
                     const ThModelThought *about, ThVar *cost)
{
    Run r = {.t = t,
             .k = k,
             .e = e,
             .about = about,
             .B = about->strings.B,
             .T = about->strings.T,
             .by_string = th_model_thinks_by_string(k, e),
             .h = about->x,
             .soft = about->x,
             .summary = -1};
    if (!begin(&r))
        return -1;
    for (int step = 0; th_model_halting_goes_on(&r.halting) && th_tape_ok(t, NULL); step++)
        if (!advance(&r, step))
            return -1;
    charge(&r, cost);
    ThVar h = wanted(&r, r.h);
    return k->halt == TH_MODEL_HALT_NONE ? h : th_model_halting_mean(&r.halting, h);
}
