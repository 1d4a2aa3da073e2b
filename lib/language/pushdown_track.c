/* The state of a deterministic pushdown automaton and what is on top of its stack, after every
 * prefix, as the symbol has been read. */
#include "language/pushdown_impl.h"

/* ---- deterministic? -------------------------------------------------------------------------- */

/* Is there a configuration in which both rules apply? */
static bool both(const ThPushdown *p, const ThPushdownRule *a, const ThPushdownRule *b)
{
    int n = a->pop.n < b->pop.n ? a->pop.n : b->pop.n;
    bool ok = a->from == b->from && (a->symbol < 0 || b->symbol < 0 || a->symbol == b->symbol);
    for (int i = 0; ok && i < n; i++)
        ok = p->stack[a->pop.from + i] == p->stack[b->pop.from + i];
    return ok;
}

static bool deterministic(const ThPushdown *p, ThError *err)
{
    for (size_t i = 0; i < p->n_rules; i++)
        for (size_t k = 0; k < i; k++)
            if (both(p, &p->rule[i], &p->rule[k]))
                return th_fail(err, TH_EVALUE,
                               "the automaton has the choice of two rules in state %s, and may be "
                               "in several states behind a prefix",
                               th_pushdown_state(p, p->rule[i].from));
    return true;
}

bool th_pushdown_states(const ThLanguage *l, char ***name, int *n, ThError *err)
{
    const ThPushdown *p = l->data;
    int symbols = (int)p->on_stack.n;
    bool ok = deterministic(p, err);
    for (int q = 0; ok && q < (int)p->state.n; q++)
        for (int x = 0; ok && x <= symbols; x++)
            ok = th_language_add_state(name, n, th_pushdown_state(p, q),
                                       x < symbols ? th_pushdown_symbol(p, x) : "empty", err);
    return ok;
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct {
    const ThPushdown *p;
    int state; /* -1: stuck */
    int *stack, n;
    size_t cap;
} Run;

static bool applies(const Run *r, const ThPushdownRule *rule, int symbol)
{
    bool ok = rule->from == r->state && rule->pop.n <= r->n &&
              (rule->symbol < 0 || rule->symbol == symbol);
    for (int i = 0; ok && i < rule->pop.n; i++)
        ok = r->stack[r->n - 1 - i] == r->p->stack[rule->pop.from + i];
    return ok;
}

/* The one move that there is, or none; *read: whether it read the symbol. */
static bool move(Run *r, int symbol, bool *read, ThError *err)
{
    const ThPushdownRule *rule = r->p->rule, *end = rule + r->p->n_rules;
    while (rule < end && !applies(r, rule, symbol))
        rule++;
    if (rule == end) {
        r->state = -1;
        return true;
    }
    r->n -= rule->pop.n;
    if (!th_grow(&r->stack, &r->cap, (size_t)r->n + (size_t)rule->push.n, sizeof *r->stack, err))
        return false;
    for (int i = rule->push.n - 1; i >= 0; i--)
        r->stack[r->n++] = r->p->stack[rule->push.from + i];
    r->state = rule->to;
    *read = rule->symbol >= 0;
    return true;
}

/* Moves that read nothing may go on for ever: more than MOST behind a symbol are too many. */
static bool read_symbol(Run *r, int symbol, bool *open, ThStop *stop, ThError *err)
{
    enum { MOST = 1000000 };
    bool read = false, ok = true;
    int i = 0;
    for (; ok && !read && r->state >= 0 && i < MOST; i++)
        ok = move(r, symbol, &read, err) && !th_stopped(stop, err);
    *open = !read && i == MOST;
    return ok;
}

static int number_of(const Run *r)
{
    int symbols = (int)r->p->on_stack.n, q = r->state < 0 ? (int)r->p->state.n : r->state;
    return q * (symbols + 1) + (r->state < 0 ? 0 : r->n ? r->stack[r->n - 1] : symbols);
}

bool th_pushdown_track(const ThLanguage *l, ThLanguageWord word, int *state, ThStop *stop,
                       ThError *err)
{
    Run r = {.p = l->data};
    bool open = false;
    bool ok = TH_APPEND(r.stack, r.n, r.cap, err, 0); /* the bottom */
    for (int i = 0; ok && i < word.n; i++) {
        ok = open || read_symbol(&r, word.symbol[i], &open, stop, err);
        state[i] = open ? -1 : number_of(&r);
    }
    free(r.stack);
    return ok;
}
