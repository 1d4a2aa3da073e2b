/* Fewer tapes, and no choices. */
#include "turing/reductions.h"

#include <stdio.h>

#include "turing/making.h"

/* ---- one tape -------------------------------------------------------------------------------- */

/* What a cell holds: a symbol of each tape, and a bit for each head that stands there.  Numbers of
 * symbols are those of the machine, for cells whose other tapes are blank, and of the rest in the
 * order of find_cell. */
typedef struct {
    int symbol[TH_TM_MOST_TAPES], heads;
} Cell;

/* COLLECT: to the right, until all heads' symbols are held.  WORK: to the left with rule a, the
 * heads of b moved and those of c to be set here.  SET: the heads of held[0] here, and back, to
 * WORK. */
enum { COLLECT, WORK, SET };

typedef struct {
    ThTmMaking x;
    ThIntern cells;
    Cell *cell; /* (n_cells) */
    int n_cells;
} Taping;

static Cell raw_cell(const ThTm *m, int symbol)
{
    Cell c = {.heads = 0};
    for (int t = 0; t < m->n_tapes; t++)
        c.symbol[t] = t ? m->blank : symbol;
    return c;
}

static int cell_number(const Taping *z, const Cell *c)
{
    size_t i = th_intern_find(&z->cells, c, sizeof *c);
    return i == SIZE_MAX ? 0 : (int)i;
}

static bool name_cell(ThTmBuild *b, const ThTm *m, const Cell *c, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < m->n_tapes; i++)
        th_text_printf(&t, "%s%s%s", i ? "." : "", m->symbol[c->symbol[i]],
                       c->heads >> i & 1 ? "'" : "");
    if (t.failed)
        return th_fail(err, TH_ENOMEM, "out of memory for a machine");
    th_tm_new_symbol(b, t.data);
    return true;
}

static bool add_cells(Taping *z)
{
    const ThTm *m = z->x.m;
    double all = 1;
    for (int t = 0; t < m->n_tapes; t++)
        all *= 2 * m->n_symbols;
    if (all > TH_TM_MOST_SYMBOLS)
        return th_fail(z->x.err, TH_ELIMIT, "a tape would have %g symbols, more than %d", all,
                       TH_TM_MOST_SYMBOLS);
    z->cell = th_alloc((size_t)all, sizeof *z->cell, z->x.err);
    for (int i = 0; z->cell && i < (int)all + m->n_symbols; i++) {
        size_t number, before = z->cells.n;
        Cell c = raw_cell(m, i);
        for (int t = 0, rest = i - m->n_symbols; i >= m->n_symbols && t < m->n_tapes; t++) {
            c.symbol[t] = rest / 2 % m->n_symbols;
            c.heads |= (rest & 1) << t;
            rest /= 2 * m->n_symbols;
        }
        if (!th_intern(&z->cells, &c, sizeof c, &number, z->x.err))
            return false;
        if (number < before)
            continue;
        z->cell[z->n_cells++] = c;
        if (i < m->n_symbols)
            th_tm_symbol(&z->x.b, m->symbol[i]);
        else if (!name_cell(&z->x.b, m, &c, z->x.err))
            return false;
    }
    return z->cell != NULL;
}

static int tape_state(ThTmMaking *x, const ThTmKey *key)
{
    static const char *const mark[] = {"?", "<", ">"};
    ThTmRole role = key->does == COLLECT ? x->m->role[key->state] : TH_TM_RUNS;
    ThText t TH_OWNED(th_text_free) = {0};
    th_text_add(&t, x->m->state[key->state]);
    for (int i = 0; key->does == COLLECT && i < x->m->n_tapes; i++)
        if (key->held[i])
            th_text_printf(&t, ".%d%s", i + 1, x->m->symbol[key->held[i] - 1]);
    if (key->does != COLLECT)
        th_text_printf(&t, "%s%d", mark[key->does], key->a);
    return th_tm_making_state(x, key, role, t.failed ? NULL : t.data);
}

/* Rule k->a at a cell on the way to the left. */
static void work_at(Taping *z, int from, const ThTmKey *k, int number)
{
    ThTmMaking *x = &z->x;
    const ThTm *m = x->m;
    const ThTmRule *r = &m->rule[k->a];
    int all = (1 << m->n_tapes) - 1;
    Cell c = z->cell[number];
    ThTmKey next = {.does = WORK, .state = k->state, .a = k->a, .b = k->b}, set = next;
    for (int t = 0; t < m->n_tapes; t++) {
        int bit = 1 << t;
        if (!(c.heads & bit) || k->b & bit)
            continue;
        c.symbol[t] = th_tm_written(r, t, c.symbol[t]);
        next.b |= bit;
        if (r->move[t] != 0) {
            c.heads &= ~bit;
            *(r->move[t] < 0 ? &next.c : &set.held[0]) |= bit;
        }
    }
    c.heads |= k->c;
    bool done = next.b == all && next.c == 0;
    const ThTmKey again = {.does = COLLECT, .state = th_tm_target(r, k->state)};
    if (set.held[0]) {
        set.does = SET;
        set.b = next.b;
        set.c = next.c;
        th_tm_making_step(x, from, number, cell_number(z, &c), 1, tape_state(x, &set));
    } else
        th_tm_making_step(x, from, number, cell_number(z, &c), done ? 0 : -1,
                          tape_state(x, done ? &again : &next));
}

/* The heads on the right of a cell are set; what is left to do goes on behind it. */
static void set_at(Taping *z, int from, const ThTmKey *k, int number)
{
    const ThTmRule *r = &z->x.m->rule[k->a];
    Cell c = z->cell[number];
    ThTmKey back = {.does = WORK, .state = k->state, .a = k->a, .b = k->b, .c = k->c, .held = {1}};
    const ThTmKey again = {.does = COLLECT, .state = th_tm_target(r, k->state)};
    bool done = k->b == (1 << z->x.m->n_tapes) - 1 && k->c == 0;
    c.heads |= k->held[0];
    th_tm_making_step(&z->x, from, number, cell_number(z, &c), -1,
                      tape_state(&z->x, done ? &again : &back));
}

/* Where no rule applies. */
static int stop_state(ThTmMaking *x)
{
    const ThTmKey key = {.does = TH_TM_KEY_STOPS, .a = 1};
    bool rejects = x->m->missing == TH_TM_MISSING_REJECT;
    return th_tm_making_state(x, &key, rejects ? TH_TM_REJECTS : TH_TM_HALTS,
                              rejects ? "reject" : "halt");
}

static void collect_at(Taping *z, int from, const ThTmKey *k, int number)
{
    ThTmMaking *x = &z->x;
    const ThTm *m = x->m;
    const Cell *c = &z->cell[number];
    ThTmKey next = *k;
    int read[TH_TM_MOST_TAPES], missing = 0;
    for (int t = 0; t < m->n_tapes; t++) {
        if (c->heads >> t & 1) {
            if (k->held[t])
                return; /* a head stands in one place */
            next.held[t] = c->symbol[t] + 1;
        }
        missing += next.held[t] == 0;
        read[t] = next.held[t] - 1;
    }
    if (missing) {
        if (c->heads)
            th_tm_making_step(x, from, number, number, 1, tape_state(x, &next));
        return;
    }
    size_t n;
    const size_t *choice = th_tm_choices(m, k->state, read, &n);
    if (n == 0)
        th_tm_making_step(x, from, number, number, 0, stop_state(x));
    for (size_t i = 0; i < n && x->ok; i++) {
        const ThTmKey work = {.does = WORK, .state = k->state, .a = (int)choice[i]};
        work_at(z, from, &work, number);
    }
}

static void tape_rules(Taping *z, int from, const ThTmKey *k)
{
    ThTmMaking *x = &z->x;
    if (k->does == TH_TM_KEY_STOPS || (k->does == COLLECT && x->m->role[k->state] != TH_TM_RUNS))
        return;
    if (k->does == COLLECT)
        th_tm_making_step(x, from, TH_TM_ANY, TH_TM_ANY, 1, from);
    if (k->does == WORK && k->held[0]) { /* back from setting: the cell is done */
        ThTmKey on = *k;
        on.held[0] = 0;
        th_tm_making_step(x, from, TH_TM_ANY, TH_TM_ANY, -1, tape_state(x, &on));
        return;
    }
    if (k->does == WORK && k->c == 0)
        th_tm_making_step(x, from, TH_TM_ANY, TH_TM_ANY, -1, from);
    for (int i = 0; i < z->n_cells && x->ok; i++)
        if (k->does == COLLECT)
            collect_at(z, from, k, i);
        else if (k->does == SET)
            set_at(z, from, k, i);
        else if (k->c || z->cell[i].heads & ~k->b)
            work_at(z, from, k, i);
}

ThTm *th_tm_one_tape(const ThTm *m, size_t most, ThStop *stop, ThError *err)
{
    if (m->n_tapes < 2 || m->edge != TH_TM_TWO_WAY)
        return th_null(th_fail(err, TH_EVALUE, "that is for machines with several two-way tapes"));
    Taping z = {.x = th_tm_making(m, most, stop, err)};
    ThTmMaking *x = &z.x;
    const ThTmKey first = {.does = TH_TM_KEY_STOPS}, begins = {.does = COLLECT, .state = m->start};
    x->ok = add_cells(&z);
    x->b.m.blank = m->blank;
    x->b.m.start = th_tm_making_state(x, &first, TH_TM_RUNS, "begin");
    for (int s = 0; s < m->n_symbols && x->ok; s++) {
        Cell c = raw_cell(m, s);
        c.heads = (1 << m->n_tapes) - 1;
        th_tm_making_step(x, x->b.m.start, s, cell_number(&z, &c), 0, tape_state(x, &begins));
    }
    size_t i = 1;
    for (ThTmKey k; th_tm_making_next(x, &i, &k);)
        tape_rules(&z, (int)i - 1, &k);
    th_intern_free(&z.cells);
    free(z.cell);
    return th_tm_making_finish(x);
}

/* ---- no choice ------------------------------------------------------------------------------- */

/* The tapes.  What a run writes as a blank is a symbol of its own, so that the cells it has come to
 * have none between them that is blank. */
enum { INPUT, RUN, ADDRESS };

typedef struct {
    ThTmMaking x;
    int digit, n_digits; /* the first symbol of addresses, and how many there are */
    int trace;           /* a blank that was written */
    int yes, no;
    int copy[2], rewind[2], mark[2], leave[2], clear[2], last[2], next[2],
        first[2]; /* was one cut? */
} Trying;

static const ThTmRule still = {.read = {TH_TM_ANY, TH_TM_ANY, TH_TM_ANY},
                               .write = {TH_TM_ANY, TH_TM_ANY, TH_TM_ANY}};

/* from -> to, where a tape has a symbol: what is written there, and how the three heads move. */
static void trying_rule(Trying *z, int from, int to, int tape, int read, int write, const int *move)
{
    ThTmRule r = still;
    r.from = from;
    r.to = to;
    r.read[tape] = read;
    r.write[tape] = write;
    memcpy(r.move, move, 3 * sizeof *move);
    th_tm_making_rule(&z->x, &r);
}

static int most_choices(const ThTm *m)
{
    size_t most = 1;
    for (int q = 0; q < m->n_states; q++)
        for (int s = 0; m->role[q] == TH_TM_RUNS && s < m->n_symbols; s++) {
            size_t n;
            th_tm_choices(m, q, &s, &n);
            most = n > most ? n : most;
        }
    return (int)most;
}

/* What has ended without acceptance goes on with the next address. */
static int end_of(const Trying *z, ThTmRole role, int cut)
{
    return role == TH_TM_ACCEPTS || (role == TH_TM_HALTS && z->x.b.m.role[z->yes] == TH_TM_HALTS)
               ? z->yes
               : z->mark[cut];
}

/* The copies of the machine's states: where no run of this length was cut yet, and where one was.
 */
static int copy_of(const Trying *z, int q, int cut)
{
    return z->first[1] + 1 + 2 * q + cut;
}

static void run_rules(Trying *z, int q, int cut, int symbol, int read)
{
    const ThTm *m = z->x.m;
    size_t n;
    const size_t *choice = th_tm_choices(m, q, &symbol, &n);
    bool halts = m->missing != TH_TM_MISSING_REJECT;
    ThTmRule r = still;
    r.from = copy_of(z, q, cut);
    r.read[RUN] = read;
    if (n == 0) {
        r.to = end_of(z, halts ? TH_TM_HALTS : TH_TM_REJECTS, cut);
        th_tm_making_rule(&z->x, &r);
        return;
    }
    for (size_t i = 0; i < (size_t)z->n_digits; i++) {
        const ThTmRule *old = &m->rule[choice[i < n ? i : 0]];
        int to = th_tm_target(old, q), y = th_tm_written(old, 0, symbol);
        r.read[ADDRESS] = z->digit + (int)i;
        r.to = i >= n                      ? z->mark[cut]
               : m->role[to] == TH_TM_RUNS ? copy_of(z, to, cut)
                                           : end_of(z, m->role[to], cut);
        r.write[RUN] = i >= n ? TH_TM_ANY : y == m->blank ? z->trace : y;
        r.move[RUN] = i >= n ? 0 : old->move[0];
        r.move[ADDRESS] = i < n;
        th_tm_making_rule(&z->x, &r);
    }
    r.read[ADDRESS] = m->blank;
    r.write[RUN] = TH_TM_ANY;
    r.move[RUN] = r.move[ADDRESS] = 0;
    r.to = z->mark[1];
    th_tm_making_rule(&z->x, &r);
}

/* Between runs: the input is copied, the tape of a run cleared, and the next address made. */
static void between_rules(Trying *z, int cut)
{
    static const int go[] = {1, 1, 0}, back[] = {-1, -1, 0}, stay[] = {0, 0, 0};
    static const int right[] = {0, 1, 0}, left[] = {0, -1, 0}, on[] = {0, 0, 1}, off[] = {0, 0, -1};
    const ThTm *m = z->x.m;
    int blank = m->blank, top = z->digit + z->n_digits - 1, any = TH_TM_ANY;
    for (int s = 0; s < m->n_symbols; s++) {
        ThTmRule r = still;
        r.from = r.to = z->copy[cut];
        r.read[INPUT] = r.write[RUN] = s;
        r.move[INPUT] = r.move[RUN] = 1;
        if (s != blank)
            th_tm_making_rule(&z->x, &r);
    }
    trying_rule(z, z->copy[cut], z->rewind[cut], INPUT, blank, any, back);
    trying_rule(z, z->rewind[cut],
                m->role[m->start] == TH_TM_RUNS ? copy_of(z, m->start, cut)
                                                : end_of(z, m->role[m->start], cut),
                INPUT, blank, any, go);
    trying_rule(z, z->rewind[cut], z->rewind[cut], INPUT, any, any, back);
    trying_rule(z, z->mark[cut], z->leave[cut], RUN, blank, z->trace, stay);
    trying_rule(z, z->mark[cut], z->leave[cut], RUN, any, any, stay);
    trying_rule(z, z->leave[cut], z->clear[cut], RUN, blank, any, left);
    trying_rule(z, z->leave[cut], z->leave[cut], RUN, any, any, right);
    trying_rule(z, z->clear[cut], z->last[cut], RUN, blank, any, stay);
    trying_rule(z, z->clear[cut], z->clear[cut], RUN, any, blank, left);
    trying_rule(z, z->last[cut], z->next[cut], ADDRESS, blank, any, off);
    trying_rule(z, z->last[cut], z->last[cut], ADDRESS, any, any, on);
    for (int i = z->digit; i < top; i++)
        trying_rule(z, z->next[cut], z->first[cut], ADDRESS, i, i + 1, off);
    trying_rule(z, z->next[cut], z->next[cut], ADDRESS, top, z->digit, off);
    trying_rule(z, z->next[cut], cut ? z->copy[0] : z->no, ADDRESS, blank, cut ? z->digit : any,
                stay);
    trying_rule(z, z->first[cut], z->copy[cut], ADDRESS, blank, any, on);
    trying_rule(z, z->first[cut], z->first[cut], ADDRESS, any, any, off);
}

static void name_states(Trying *z)
{
    const ThTm *m = z->x.m;
    ThTmBuild *b = &z->x.b;
    bool accepts = false;
    for (int q = 0; q < m->n_states; q++)
        accepts = accepts || m->role[q] == TH_TM_ACCEPTS;
    z->yes = th_tm_new_state(b, accepts ? "accept" : "halt", accepts ? TH_TM_ACCEPTS : TH_TM_HALTS);
    z->no = th_tm_new_state(b, "reject", TH_TM_REJECTS);
    const struct {
        int *state;
        const char *name;
    } all[] = {{z->copy, "copy"},   {z->rewind, "rewind"}, {z->mark, "mark"}, {z->leave, "leave"},
               {z->clear, "clear"}, {z->last, "last"},     {z->next, "next"}, {z->first, "first"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int cut = 0; cut < 2; cut++)
            all[i].state[cut] = th_tm_new_state(b, all[i].name, TH_TM_RUNS);
    for (int q = 0; q < m->n_states; q++)
        for (int cut = 0; cut < 2; cut++)
            th_tm_new_state(b, m->state[q], TH_TM_RUNS);
}

ThTm *th_tm_deterministic(const ThTm *m, size_t most, ThStop *stop, ThError *err)
{
    if (!th_tm_single_tape(m, err))
        return NULL;
    Trying z = {.x = th_tm_making(m, most, stop, err)};
    ThTmMaking *x = &z.x;
    x->b.m.n_tapes = 3;
    x->b.m.nondeterministic = false;
    x->b.m.blank = m->blank;
    for (int s = 0; s < m->n_symbols; s++)
        th_tm_symbol(&x->b, m->symbol[s]);
    z.trace = th_tm_new_symbol(&x->b, "blank");
    z.n_digits = most_choices(m);
    z.digit = x->b.m.n_symbols;
    for (int i = 1; i <= z.n_digits; i++) {
        char name[24];
        snprintf(name, sizeof name, "d%d", i);
        th_tm_new_symbol(&x->b, name);
    }
    name_states(&z);
    for (int cut = 0; cut < 2; cut++) {
        between_rules(&z, cut);
        for (int q = 0; q < m->n_states; q++)
            for (int s = 0; m->role[q] == TH_TM_RUNS && s < m->n_symbols; s++) {
                run_rules(&z, q, cut, s, s);
                if (s == m->blank)
                    run_rules(&z, q, cut, s, z.trace);
            }
    }
    int begins = th_tm_new_state(&x->b, "begin", TH_TM_RUNS);
    trying_rule(&z, begins, z.copy[0], ADDRESS, TH_TM_ANY, z.digit, (int[]){0, 0, 0});
    x->b.m.start = begins;
    return th_tm_making_finish(x);
}
