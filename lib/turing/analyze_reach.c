
#include "turing/analyze.h"

enum { MOST_CASES = 1 << 22 }; /* of a state that are looked at one by one */

typedef struct {
    ThTmReach *r;
    const ThTm *m;
    int *stack; /* (n_states): entered, rules not yet looked at */
    int n;
    bool fresh; /* a symbol was added since the states were looked at */
    uint64_t looked;
    ThStop *stop;
    ThError *err;
} Search;

void th_tm_reach_free(ThTmReach *r, const ThTm *m)
{
    for (int t = 0; t < m->n_tapes; t++)
        free(r->symbol[t]);
    TH_FREE(r->state, r->rule);
    *r = (ThTmReach){0};
}

static void enter(Search *s, int state)
{
    if (s->r->state[state])
        return;
    s->r->state[state] = true;
    if (s->m->role[state] == TH_TM_RUNS)
        s->stack[s->n++] = state;
    else
        s->r->stops = true;
}

static void use_rule(Search *s, int state, int rule)
{
    const ThTm *m = s->m;
    const ThTmRule *x = &m->rule[rule];
    s->r->rule[rule] = true;
    enter(s, x->to == TH_TM_ANY ? state : x->to);
    for (int t = 0; t < m->n_tapes; t++) {
        if (x->write[t] != TH_TM_ANY && !s->r->symbol[t][x->write[t]])
            s->r->symbol[t][x->write[t]] = s->fresh = true;
        if (x->move[t] < 0 && (m->edge == TH_TM_EDGE_REJECT || m->edge == TH_TM_EDGE_ERROR))
            s->r->stops = true;
    }
}

/* The rules for one case, or that there is none. */
static bool look_at(Search *s, int state, const int *read)
{
    size_t n;
    const size_t *choice = th_tm_choices(s->m, state, read, &n);
    for (size_t i = 0; i < n; i++)
        use_rule(s, state, (int)choice[i]);
    if (n == 0)
        s->r->stops = true;
    return ++s->looked % 4096 != 0 || !th_stopped(s->stop, s->err);
}

/* Sets read[t] to the first symbol from `from` on that can stand on tape t. */
static bool next_symbol(const Search *s, int t, int from, int *read)
{
    for (read[t] = from; read[t] < s->m->n_symbols; read[t]++)
        if (s->r->symbol[t][read[t]])
            return true;
    return false;
}

/* Looks at every combination of symbols that can stand under the heads. */
static bool look_at_cases(Search *s, int state)
{
    const ThTm *m = s->m;
    int read[TH_TM_MOST_TAPES] = {0};
    for (int t = 0; t < m->n_tapes; t++)
        next_symbol(s, t, 0, read);
    for (;;) {
        if (!look_at(s, state, read))
            return false;
        int t = m->n_tapes - 1;
        while (t >= 0 && !next_symbol(s, t, read[t] + 1, read))
            t--;
        if (t < 0)
            return true;
        for (t++; t < m->n_tapes; t++)
            next_symbol(s, t, 0, read);
    }
}

/* Where there are too many combinations: every rule that reads symbols that can stand there,
 * whether others go before it or not, and the machine may find no rule. */
static bool look_at_rules(Search *s, int state)
{
    for (size_t i = 0; i < s->m->n_rules; i++) {
        const ThTmRule *x = &s->m->rule[i];
        bool fits = x->from == TH_TM_ANY || x->from == state;
        for (int t = 0; fits && t < s->m->n_tapes; t++)
            fits = x->read[t] == TH_TM_ANY || s->r->symbol[t][x->read[t]];
        if (fits)
            use_rule(s, state, (int)i);
    }
    s->r->stops = true;
    return !th_stopped(s->stop, s->err);
}

static bool few_cases(const Search *s)
{
    uint64_t cases = 1;
    for (int t = 0; t < s->m->n_tapes && cases <= MOST_CASES; t++) {
        uint64_t n = 0;
        for (int i = 0; i < s->m->n_symbols; i++)
            n += s->r->symbol[t][i];
        cases *= n;
    }
    return cases <= MOST_CASES;
}

/* Until nothing is added.  Each round but the first follows a symbol that is new. */
static bool close_all(Search *s)
{
    const ThTm *m = s->m;
    do {
        s->fresh = false;
        s->n = 0;
        for (int q = 0; q < m->n_states; q++)
            if (s->r->state[q] && m->role[q] == TH_TM_RUNS)
                s->stack[s->n++] = q;
        while (s->n > 0) {
            int q = s->stack[--s->n];
            if (!(few_cases(s) ? look_at_cases(s, q) : look_at_rules(s, q)))
                return false;
        }
    } while (s->fresh);
    return true;
}

bool th_tm_reach(ThTmReach *r, const ThTm *m, const ThTmTapeWords *words, ThStop *stop,
                 ThError *err)
{
    Search s = {.r = r, .m = m, .stop = stop, .err = err};
    *r = (ThTmReach){0};
    r->state = th_alloc((size_t)m->n_states, sizeof *r->state, err);
    r->rule = th_alloc(m->n_rules, sizeof *r->rule, err);
    s.stack = th_alloc((size_t)m->n_states, sizeof *s.stack, err);
    bool ok = r->state && r->rule && s.stack;
    for (int t = 0; ok && t < m->n_tapes; t++) {
        r->symbol[t] = th_alloc((size_t)m->n_symbols, sizeof *r->symbol[t], err);
        ok = r->symbol[t] != NULL;
        if (!ok)
            break;
        memset(r->symbol[t], !words, (size_t)m->n_symbols * sizeof *r->symbol[t]);
        r->symbol[t][m->blank] = true;
        for (int i = 0; words && words->word[t] && i < words->length[t]; i++)
            r->symbol[t][words->word[t][i]] = true;
    }
    if (ok) {
        enter(&s, m->start);
        ok = close_all(&s);
    }
    free(s.stack);
    if (!ok)
        th_tm_reach_free(r, m);
    return ok;
}
