#include "turing/census.h"

typedef struct {
    int state, head, steps, ones;
    int states, symbols; /* that its entries name, so far */
    uint8_t *tape;       /* (2 * limit + 3), the start in the middle */
} Point;

typedef struct {
    ThTmCensus *c;
    int states, symbols, size, actions;
    int *entry; /* (states * symbols): write + symbols * (right + 2 * next); -1: not come to */
    uint64_t *weight; /* (entries + 1): machines that differ in so many entries */
    uint8_t *tapes;   /* a tape for each level */
    char *text;       /* of the machine that is given to work->each */
    const ThTmCensusWork *work;
    ThError *err;
} Search;

static void act(const Search *s, Point *x, int action)
{
    uint8_t write = (uint8_t)(action % s->symbols);
    x->ones += (write != 0) - (x->tape[x->head] != 0);
    x->tape[x->head] = write;
    x->head += action / s->symbols % 2 ? 1 : -1;
    x->state = action / s->symbols / 2;
    x->steps++;
}

/* The run goes on until it comes to an entry that is not settled, or to the limit. */
static void run_on(const Search *s, Point *x)
{
    while (x->steps < s->c->limit) {
        int action = s->entry[x->state * s->symbols + x->tape[x->head]];
        if (action < 0)
            return;
        act(s, x, action);
    }
}

static void count_halt(Search *s, const Point *x, int open)
{
    int ones = x->ones + (x->tape[x->head] == 0);
    s->c->halting += s->weight[open];
    s->c->counted += s->weight[open];
    s->c->by_steps[x->steps + 1] += s->weight[open];
    s->c->by_ones[ones] += s->weight[open];
}

static void write_machine(const Search *s)
{
    char *to = s->text;
    for (int i = 0; i < s->states * s->symbols; i++) {
        int action = s->entry[i];
        if (i > 0 && i % s->symbols == 0)
            *to++ = '_';
        *to++ = (char)(action < 0 ? '-' : '0' + action % s->symbols);
        *to++ = action < 0 ? '-' : action / s->symbols % 2 ? 'R' : 'L';
        *to++ = (char)(action < 0 ? '-' : 'A' + action / s->symbols / 2);
    }
    *to = '\0';
}

static bool give(const Search *s, const Point *x, bool halted)
{
    ThTmCensusMachine m = {s->text, halted, x->steps + halted};
    if (!s->work->each)
        return true;
    write_machine(s);
    return s->work->each(s->work->context, &m);
}

/* Is an action one of the normal form at this point? */
static bool is_normal(const Search *s, const Point *x, int action)
{
    int write = action % s->symbols, next = action / s->symbols / 2;
    bool right = action / s->symbols % 2;
    if (!s->work->each)
        return true;
    if (x->steps == 0)
        return write == 1 && right && next == 1;
    return write <= x->symbols && next <= x->states;
}

/* The point behind an action that has just been settled. */
static Point branch(const Search *s, const Point *x, int action, int open)
{
    Point y = *x;
    int write = action % s->symbols, next = action / s->symbols / 2;
    y.tape = s->tapes + (size_t)open * (size_t)s->size;
    memcpy(y.tape, x->tape, (size_t)s->size);
    y.symbols = write >= y.symbols ? write + 1 : y.symbols;
    y.states = next >= y.states ? next + 1 : y.states;
    act(s, &y, action);
    return y;
}

/* open: entries not settled, of which the run is about to come to one. */
static bool explore(Search *s, Point x, int open)
{
    run_on(s, &x);
    s->c->runs++;
    if (s->c->runs % 1024 == 0) {
        if (th_stopped(s->work->stop, s->err))
            return false;
        if (s->work->see)
            s->work->see(s->work->context, s->c);
    }
    if (x.steps >= s->c->limit) {
        s->c->counted += s->weight[open];
        return give(s, &x, false);
    }
    int *entry = &s->entry[x.state * s->symbols + x.tape[x.head]];
    count_halt(s, &x, open - 1);
    if (!give(s, &x, true))
        return false;
    bool last = s->work->each && open == 1;
    for (int action = 0; action < s->actions && !last; action++) {
        if (!is_normal(s, &x, action))
            continue;
        *entry = action;
        if (!explore(s, branch(s, &x, action, open), open - 1))
            return false;
    }
    *entry = -1;
    return true;
}

/* Machines that are listed count as one each. */
static bool count_machines(Search *s, int entries)
{
    enum { MOST_DIGITS = 10 };
    for (int i = 0; i <= entries; i++)
        s->weight[i] = 1;
    if (s->work->each)
        return s->symbols <= MOST_DIGITS ||
               th_fail(s->err, TH_EVALUE, "machines of more than %d symbols have no string",
                       MOST_DIGITS);
    for (int i = 1; i <= entries; i++)
        if (__builtin_mul_overflow(s->weight[i - 1], (uint64_t)s->actions + 1, &s->weight[i]))
            return th_fail(s->err, TH_ELIMIT, "2^64 machines or more are too many");
    s->c->machines = s->weight[entries];
    return true;
}

bool th_tm_census(ThTmCensus *c, const ThTmCensusWork *w, ThError *err)
{
    int entries = w->states * w->symbols, limit = w->limit;
    Search s = {.c = c, .states = w->states, .symbols = w->symbols, .size = 2 * limit + 3};
    s.actions = 2 * w->symbols * w->states;
    s.work = w;
    s.err = err;
    *c = (ThTmCensus){.limit = limit};
    c->by_steps = th_alloc((size_t)limit + 1, sizeof *c->by_steps, err);
    c->by_ones = th_alloc((size_t)limit + 2, sizeof *c->by_ones, err);
    s.entry = th_alloc((size_t)entries, sizeof *s.entry, err);
    s.weight = th_alloc((size_t)entries + 1, sizeof *s.weight, err);
    s.tapes = th_alloc((size_t)entries + 2, (size_t)s.size, err);
    s.text = th_alloc((size_t)entries + 1, 4, err);
    bool ok = c->by_steps && c->by_ones && s.entry && s.weight && s.tapes && s.text;
    ok = ok && count_machines(&s, entries);
    for (int i = 0; ok && i < entries; i++)
        s.entry[i] = -1;
    if (ok)
        ok = explore(&s, (Point){.head = limit + 1, .states = 1, .symbols = 1, .tape = s.tapes},
                     entries);
    if (w->each)
        c->machines = c->counted;
    TH_FREE(s.entry, s.weight, s.tapes, s.text);
    if (!ok)
        th_tm_census_free(c);
    return ok;
}

void th_tm_census_free(ThTmCensus *c)
{
    TH_FREE(c->by_steps, c->by_ones);
    *c = (ThTmCensus){0};
}
