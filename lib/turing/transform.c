#include "turing/transform.h"

#include "turing/making.h"

/* A machine with the states and symbols of m, to which rules are added. */
static ThTmMaking begin(const ThTm *m, size_t most, ThError *err)
{
    ThTmMaking x = th_tm_making(m, most, NULL, err);
    th_tm_like(&x.b, m);
    return x;
}

static ThTm *finish(ThTmMaking *x, bool ok)
{
    x->ok = x->ok && ok;
    return th_tm_making_finish(x);
}

/* A name that nothing has yet: the given one, or with a number behind it. */
static void fresh_name(ThText *t, const ThTmBuild *b, const char *name, bool state)
{
    int first = state ? b->m.n_states : b->m.n_symbols;
    for (int i = first;; i++) {
        t->size = 0;
        th_text_add(t, name);
        if (i > first)
            th_text_printf(t, "%d", i);
        if (t->failed)
            return;
        if ((state ? th_tm_find_state(b, t->data) : th_tm_find_symbol(b, t->data)) < 0)
            return;
    }
}

int th_tm_new_state(ThTmBuild *b, const char *name, ThTmRole role)
{
    ThText t TH_OWNED(th_text_free) = {0};
    fresh_name(&t, b, name, true);
    int q = t.failed ? 0 : th_tm_state(b, t.data);
    b->failed = b->failed || t.failed;
    if (!b->failed)
        b->m.role[q] = role;
    return q;
}

int th_tm_new_symbol(ThTmBuild *b, const char *name)
{
    ThText t TH_OWNED(th_text_free) = {0};
    fresh_name(&t, b, name, false);
    b->failed = b->failed || t.failed;
    return b->failed ? 0 : th_tm_symbol(b, t.data);
}

/* The number of cases, states times combinations of symbols, is within bounds. */
static bool few_cases(const ThTm *m)
{
    enum { MOST_CASES = 1 << 24 };
    size_t n = (size_t)m->n_states;
    for (int t = 0; t < m->n_tapes && n <= MOST_CASES; t++)
        n *= (size_t)m->n_symbols;
    return n <= MOST_CASES;
}

static bool check_cases(const ThTm *m, ThError *err)
{
    return few_cases(m) || th_fail(err, TH_ELIMIT,
                                   "the machine has too many combinations of "
                                   "symbols to name them all");
}

/* The next combination of symbols; false behind the last. */
static bool next_reading(const ThTm *m, int *read)
{
    int t = m->n_tapes - 1;
    while (t >= 0 && ++read[t] == m->n_symbols)
        read[t--] = 0;
    return t >= 0;
}

/* ---- wildcards ------------------------------------------------------------------------------- */

static bool has_wildcard(const ThTm *m, const ThTmRule *r)
{
    bool any = r->from == TH_TM_ANY;
    for (int t = 0; t < m->n_tapes; t++)
        any = any || r->read[t] == TH_TM_ANY;
    return any;
}

/* What a rule does for one case, named in full. */
static ThTmRule named(const ThTm *m, const ThTmRule *r, int q, const int *read)
{
    ThTmRule n = *r;
    n.from = q;
    n.to = r->to == TH_TM_ANY ? q : r->to;
    for (int t = 0; t < m->n_tapes; t++) {
        n.read[t] = read[t];
        n.write[t] = r->write[t] == TH_TM_ANY ? read[t] : r->write[t];
    }
    return n;
}

static bool expand_state(ThTmMaking *x, int q)
{
    const ThTm *m = x->m;
    int read[TH_TM_MOST_TAPES] = {0};
    do {
        size_t n;
        const size_t *choice = th_tm_choices(m, q, read, &n);
        for (size_t i = 0; i < n; i++) {
            ThTmRule r = named(m, &m->rule[choice[i]], q, read);
            if (!th_tm_making_rule(x, &r))
                return false;
        }
    } while (next_reading(m, read));
    return true;
}

/* The rules of a state that name all symbols, in their order. */
static bool copy_state(ThTmMaking *x, int q)
{
    const ThTm *m = x->m;
    for (size_t i = m->order_end[q]; i < m->order_end[q + 1]; i++) {
        const ThTmRule *r = &m->rule[m->order[i]];
        ThTmRule n = named(m, r, q, r->read);
        if (!th_tm_making_rule(x, &n))
            return false;
    }
    return true;
}

ThTm *th_tm_expand(const ThTm *m, size_t most, ThError *err)
{
    ThTmMaking x = begin(m, most, err);
    bool *wild TH_OWNED(free) = th_alloc((size_t)m->n_states, sizeof *wild, err);
    bool any = false, some = false;
    bool ok = wild != NULL;
    for (size_t i = 0; ok && i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        any = any || r->from == TH_TM_ANY;
        if (r->from != TH_TM_ANY && has_wildcard(m, r))
            some = wild[r->from] = true;
    }
    ok = ok && (!(any || some) || check_cases(m, err));
    for (int q = 0; ok && q < m->n_states; q++)
        if (m->role[q] == TH_TM_RUNS)
            ok = any || wild[q] ? expand_state(&x, q) : copy_state(&x, q);
    return finish(&x, ok);
}

/* ---- missing rules --------------------------------------------------------------------------- */

bool th_tm_misses(const ThTm *m)
{
    if (!few_cases(m))
        return true;
    for (int q = 0; q < m->n_states; q++) {
        int read[TH_TM_MOST_TAPES] = {0};
        if (m->role[q] != TH_TM_RUNS)
            continue;
        do {
            if (th_tm_rule(m, q, read) < 0)
                return true;
        } while (next_reading(m, read));
    }
    return false;
}

static int goal_of(ThTmMaking *x, ThTmRole role, const char *name)
{
    const ThTm *m = x->m;
    int first = -1;
    for (int q = m->n_states - 1; q >= 0; q--) {
        if (m->role[q] == role)
            first = q;
        if (m->role[q] == role && strcmp(m->state[q], name) == 0)
            return q;
    }
    return first >= 0 ? first : th_tm_new_state(&x->b, name, role);
}

ThTm *th_tm_total(const ThTm *m, ThTmRole role, const char *name, size_t most, ThError *err)
{
    ThTmMaking x = begin(m, most, err);
    int goal = goal_of(&x, role, name);
    bool ok = check_cases(m, err);
    for (size_t i = 0; ok && i < m->n_rules; i++)
        ok = th_tm_making_rule(&x, &m->rule[i]);
    for (int q = 0; ok && q < m->n_states; q++) {
        ThTmRule r = {.from = q, .to = goal};
        if (m->role[q] != TH_TM_RUNS)
            continue;
        memset(r.write, 0xff, sizeof r.write); /* TH_TM_ANY */
        do {
            if (th_tm_rule(m, q, r.read) < 0)
                ok = th_tm_making_rule(&x, &r);
        } while (ok && next_reading(m, r.read));
    }
    return finish(&x, ok);
}

/* ---- standing still -------------------------------------------------------------------------- */

/* The state that goes one cell back and on to q; steps[q] remembers it. */
static int step_back(ThTmMaking *x, int *steps, int q)
{
    if (steps[q] >= 0)
        return steps[q];
    ThText t TH_OWNED(th_text_free) = {0};
    th_text_printf(&t, "%s'", x->m->state[q]);
    steps[q] = t.failed ? 0 : th_tm_new_state(&x->b, t.data, TH_TM_RUNS);
    x->b.failed = x->b.failed || t.failed;
    return steps[q];
}

static bool add_steps_back(ThTmMaking *x, const int *steps)
{
    for (int q = 0; q < x->m->n_states; q++) {
        for (int s = 0; steps[q] >= 0 && s < x->m->n_symbols; s++) {
            ThTmRule r = {.from = steps[q], .to = q, .read = {s}, .write = {s}, .move = {-1}};
            if (!th_tm_making_rule(x, &r))
                return false;
        }
    }
    return true;
}

ThTm *th_tm_moving(const ThTm *m, size_t most, ThError *err)
{
    ThTm *plain TH_OWNED(th_tm_free) = th_tm_expand(m, most, err);
    int *steps TH_OWNED(free) =
        plain ? th_alloc((size_t)plain->n_states, sizeof *steps, err) : NULL;
    if (!steps)
        return NULL;
    memset(steps, 0xff, (size_t)plain->n_states * sizeof *steps);
    ThTmMaking x = begin(plain, most, err);
    bool ok = true;
    for (size_t i = 0; ok && i < plain->n_rules; i++) {
        ThTmRule r = plain->rule[i];
        if (r.move[0] == 0) {
            r.move[0] = 1;
            r.to = step_back(&x, steps, r.to);
        }
        ok = th_tm_making_rule(&x, &r);
    }
    return finish(&x, ok && add_steps_back(&x, steps));
}

/* ---- the edge -------------------------------------------------------------------------------- */

/* A symbol of its own for the cell to the left of the first. */
static int edge_mark(ThTmBuild *b)
{
    static const char *const marks[] = {"⊢", "$", "#", ">", "@"};
    const char *mark = marks[0];
    for (size_t i = sizeof marks / sizeof *marks; i > 0; i--)
        if (th_tm_find_symbol(b, marks[i - 1]) < 0)
            mark = marks[i - 1];
    return th_tm_new_symbol(b, mark);
}

/* Two steps that write the mark, before the run begins. */
static void add_prologue(ThTmBuild *b, int mark)
{
    ThTmRule left = {.from = th_tm_new_state(b, "edge", TH_TM_RUNS)}, right;
    for (int t = 0; t < b->m.n_tapes; t++) {
        left.read[t] = left.write[t] = TH_TM_ANY;
        left.move[t] = -1;
    }
    right = left;
    left.to = right.from = th_tm_new_state(b, "edge", TH_TM_RUNS);
    right.to = b->m.start;
    for (int t = 0; t < b->m.n_tapes; t++) {
        right.write[t] = mark;
        right.move[t] = 1;
    }
    th_tm_add(b, &left);
    th_tm_add(b, &right);
    b->m.start = left.from;
}

/* What is done in a state at the mark of a tape, whatever the others show: back, or to `refuse`. */
static void add_marked(ThTmBuild *b, int from, int mark, int refuse)
{
    for (int t = 0; t < b->m.n_tapes; t++) {
        ThTmRule r = {.from = from, .to = refuse < 0 ? from : refuse};
        for (int i = 0; i < b->m.n_tapes; i++)
            r.read[i] = r.write[i] = TH_TM_ANY;
        r.read[t] = mark;
        r.move[t] = refuse < 0;
        th_tm_add(b, &r);
    }
}

/* A rule that always applies, from a state to another. */
static void add_always(ThTmBuild *b, int from, int to)
{
    ThTmRule r = {.from = from, .to = to};
    for (int i = 0; i < b->m.n_tapes; i++)
        r.read[i] = r.write[i] = TH_TM_ANY;
    th_tm_add(b, &r);
}

ThTm *th_tm_unbounded(const ThTm *one, size_t most, ThError *err)
{
    ThTm *plain TH_OWNED(th_tm_free) = one->n_tapes > 1 ? th_tm_expand(one, most, err) : NULL;
    const ThTm *m = plain ? plain : one;
    if (one->n_tapes > 1 && !plain)
        return NULL;
    ThTmMaking x = begin(m, most, err);
    int mark = edge_mark(&x.b), refuse = -1;
    if (m->edge == TH_TM_EDGE_REJECT)
        refuse = th_tm_new_state(&x.b, "reject", TH_TM_REJECTS);
    if (m->edge == TH_TM_EDGE_ERROR) {
        refuse = th_tm_new_state(&x.b, "error", TH_TM_RUNS);
        add_always(&x.b, refuse, refuse);
    }
    x.b.m.edge = TH_TM_TWO_WAY;
    for (size_t i = 0; i < m->n_rules; i++) {
        ThTmRule r = m->rule[i];
        int stop = r.to;
        /* Over an edge that rejects a state which stops is not reached. */
        bool late = refuse >= 0 && stop != TH_TM_ANY && m->role[stop] != TH_TM_RUNS, left = false;
        for (int t = 0; t < m->n_tapes; t++)
            left = left || r.move[t] < 0;
        if (late && left) {
            r.to = th_tm_new_state(&x.b, "edge", TH_TM_RUNS);
            add_always(&x.b, r.to, stop);
            add_marked(&x.b, r.to, mark, refuse);
        }
        th_tm_making_rule(&x, &r);
    }
    for (int q = 0; q < m->n_states; q++)
        if (m->role[q] == TH_TM_RUNS)
            add_marked(&x.b, q, mark, refuse);
    add_prologue(&x.b, mark);
    return finish(&x, true);
}
