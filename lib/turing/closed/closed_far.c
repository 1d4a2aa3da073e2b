/* closed_far.c - automata that keep apart the start and all that may stop. */

#include "turing/closed/closed.h"

enum { MOST_NODES = 30000, ALL = 63 /* the state from which everything is taken */ };

/* The nondeterministic automaton: states of the first one with the machine's, as bits. */
typedef struct {
    uint64_t to[TH_TM_TABLE_SYMBOLS][ALL + 1];
} Ways;

typedef struct {
    ThTmFar *f;
    const ThTmTable *t;
    int most, nodes;
    ThStop *stop;
    ThError *err;
} Search;

static int pair(const Search *s, int state, int q)
{
    return state * s->t->states + q;
}

/* What a case leads to by the entries that are known (-1: not yet); whether that is new. */
static bool follow(const Search *s, Ways *w, int i, int q, int read)
{
    const ThTmTable *t = s->t;
    const int *next = s->f->next + i * t->symbols;
    int write = t->at[q][read].write, to = t->at[q][read].to;
    uint64_t before = 0, after = 0;
    if (to < 0 || (t->at[q][read].move > 0) == s->f->forward) {
        uint64_t *is = &w->to[read][pair(s, i, q)];
        before = *is;
        *is |= to < 0             ? UINT64_C(1) << ALL
               : next[write] >= 0 ? UINT64_C(1) << pair(s, next[write], to)
                                  : 0;
        return *is != before;
    }
    for (int b = 0; b < t->symbols; b++) {
        uint64_t by = next[b] < 0 ? 0 : w->to[b][pair(s, i, to)], reached = 0;
        for (; by; by &= by - 1)
            reached |= w->to[write][__builtin_ctzll(by)];
        if (!reached)
            continue;
        uint64_t *is = &w->to[read][pair(s, next[b], q)];
        before |= *is ^ (*is | reached);
        *is |= reached;
    }
    return before != after;
}

/* Adds what follows for `states` states; whether the start is not among what may stop. */
static bool close(const Search *s, Ways *w, int states)
{
    const ThTmTable *t = s->t;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < states; i++)
            for (int q = 0; q < t->states; q++)
                for (int a = 0; a < t->symbols; a++)
                    more = follow(s, w, i, q, a) || more;
    }
    uint64_t stops = UINT64_C(1) << ALL;
    for (uint64_t before = 0; before != stops;) {
        before = stops;
        for (int x = 0; x < states * t->states; x++)
            stops |= w->to[0][x] & stops ? UINT64_C(1) << x : 0;
    }
    return !(stops & 1);
}

/* Fills the entries from `at` on, states in the order in which they come; true: found. */
static bool fill(Search *s, const Ways *before, int at, int states)
{
    int k = s->t->symbols;
    if (at == states * k) {
        s->f->states = states;
        return true;
    }
    for (int to = 0; to <= states && to < s->most && s->nodes < MOST_NODES; to++) {
        Ways w = *before;
        if ((at == 0 && to > 0) || (++s->nodes % 256 == 0 && th_stopped(s->stop, s->err)))
            break;
        s->f->next[at] = to;
        int n = to == states ? states + 1 : states;
        if (close(s, &w, n) && fill(s, &w, at + 1, n))
            return true;
    }
    s->f->next[at] = -1;
    return false;
}

bool th_tm_far(ThTmFar *f, const ThTmTable *t, int most, ThStop *stop, bool *proved, ThError *err)
{
    ThError own = {0};
    *proved = false;
    for (int n = 1; n <= most && n <= TH_TM_FAR_STATES && n * t->states < ALL; n++)
        for (int forward = 1; !*proved && forward >= 0; forward--) {
            Ways w = {0};
            Search s = {.f = f, .t = t, .most = n, .stop = stop, .err = &own};
            for (int a = 0; a < t->symbols; a++)
                w.to[a][ALL] = UINT64_C(1) << ALL;
            memset(f->next, -1, sizeof f->next);
            f->forward = forward;
            *proved = fill(&s, &w, 0, 1);
            if (own.code)
                return th_fail(err, own.code, "%s", own.msg);
        }
    return true;
}

bool th_tm_table(ThTmTable *t, const ThTm *m)
{
    int state[TH_TM_TABLE_STATES + 1], symbol[TH_TM_TABLE_SYMBOLS];
    *t = (ThTmTable){.symbols = m->n_symbols};
    if (m->n_tapes != 1 || m->edge != TH_TM_TWO_WAY || m->branching ||
        m->n_symbols > TH_TM_TABLE_SYMBOLS || m->n_states > TH_TM_TABLE_STATES + 1 ||
        m->role[m->start] != TH_TM_RUNS)
        return false;
    t->states = 1;
    for (int q = 0; q < m->n_states; q++)
        state[q] = q == m->start ? 0 : m->role[q] != TH_TM_RUNS ? -1 : t->states++;
    for (int a = 0, n = 1; a < m->n_symbols; a++)
        symbol[a] = a == m->blank ? 0 : n++;
    for (int q = 0; q < m->n_states; q++)
        for (int a = 0; state[q] >= 0 && a < m->n_symbols; a++) {
            int i = th_tm_rule(m, q, &a), p = state[q];
            const ThTmRule *r = i < 0 ? NULL : &m->rule[i];
            if (t->states > TH_TM_TABLE_STATES || (r && r->move[0] == 0))
                return false;
            t->at[p][symbol[a]].to = !r ? -1 : r->to == TH_TM_ANY ? p : state[r->to];
            t->at[p][symbol[a]].move = r ? r->move[0] : 1;
            t->at[p][symbol[a]].write = !r ? 0 : symbol[r->write[0] == TH_TM_ANY ? a : r->write[0]];
        }
    return t->states <= TH_TM_TABLE_STATES;
}
