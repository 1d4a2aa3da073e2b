#include "automata/operations/operations.h"

#include "automata/core/alphabets.h"
#include "automata/core/build.h"
#include "automata/core/nfa.h"

static ThNfaNames names_of(const ThAutomaton *a)
{
    return (ThNfaNames){.symbol = a->symbol, .n_symbols = a->n_symbols};
}

/* Gives state `to` the arcs that the start states of an automaton have; its states are numbered
 * from `offset` on, its symbols by `symbol` (NULL: as they are). */
static bool copy_start_arcs(ThNfa *n, int to, const ThAutomaton *a, int offset, const int *symbol,
                            ThError *err)
{
    for (size_t i = 0; i < a->n_arcs; i++) {
        ThAutomatonArc arc = a->arc[i];
        if (!a->start[arc.from])
            continue;
        if (arc.symbol != TH_AUTOMATON_EPSILON && symbol)
            arc.symbol = symbol[arc.symbol];
        if (!th_nfa_arc(
                n, (ThAutomatonArc){to, arc.symbol, arc.to + offset, TH_AUTOMATON_NO_OUTPUT}, err))
            return false;
    }
    return true;
}

/* Does a start state accept? */
static bool start_accepts(const ThAutomaton *a)
{
    for (int q = 0; q < a->n_states; q++)
        if (a->start[q] && a->accept[q])
            return true;
    return false;
}

ThAutomaton *th_automaton_concat(const ThAutomaton *a, const ThAutomaton *b, ThAutomatonWork w,
                                 ThError *err)
{
    ThNfa n = {.max_states = w.max_states};
    ThAutomatonAlphabets u TH_OWNED(th_automaton_alphabets_free) = {0};
    int first = 0, second = 0;
    bool empty = start_accepts(b);
    bool good = th_automaton_alphabets(&u, a->symbol, a->n_symbols, b->symbol, b->n_symbols, err) &&
                th_nfa_add(&n, a, u.of[0], &first, err) && th_nfa_add(&n, b, u.of[1], &second, err);
    for (int q = 0; good && q < b->n_states; q++)
        n.mark[q + second] &= TH_NFA_ACCEPT;
    for (int q = 0; good && q < a->n_states; q++) {
        if (!a->accept[q])
            continue;
        if (!empty)
            n.mark[q] &= TH_NFA_START;
        good = copy_start_arcs(&n, q, b, second, u.of[1], err) && !th_stopped(w.stop, err);
    }
    ThNfaNames names = {.symbol = u.name, .n_symbols = u.n};
    return th_nfa_finish(&n, &names, good, err);
}

ThAutomaton *th_automaton_star(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    ThNfa n = {.max_states = w.max_states};
    ThNfaNames names = names_of(a);
    int offset = 0, start = th_nfa_state(&n, TH_NFA_START | TH_NFA_ACCEPT, err);
    bool good = start >= 0 && th_nfa_add(&n, a, NULL, &offset, err) &&
                copy_start_arcs(&n, start, a, offset, NULL, err);
    for (int q = 0; good && q < a->n_states; q++) {
        n.mark[q + offset] &= TH_NFA_ACCEPT;
        if (a->accept[q])
            good =
                copy_start_arcs(&n, q + offset, a, offset, NULL, err) && !th_stopped(w.stop, err);
    }
    return th_nfa_finish(&n, &names, good, err);
}

ThAutomaton *th_automaton_reverse(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    ThNfa n = {.max_states = w.max_states};
    ThNfaNames names = names_of(a);
    bool good = true;
    for (int q = 0; good && q < a->n_states; q++)
        good =
            th_nfa_state(&n, (a->accept[q] ? TH_NFA_START : 0) | (a->start[q] ? TH_NFA_ACCEPT : 0),
                         err) >= 0;
    for (size_t i = 0; good && i < a->n_arcs; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        good = th_nfa_arc(
            &n, (ThAutomatonArc){arc->to, arc->symbol, arc->from, TH_AUTOMATON_NO_OUTPUT}, err);
    }
    return th_nfa_finish(&n, &names, good, err);
}

/* The automaton with one more mark on all useful states. */
static ThAutomaton *mark_all(const ThAutomaton *a, int mark, ThAutomatonWork w, ThError *err)
{
    ThNfa n = {.max_states = w.max_states};
    ThAutomaton *t TH_OWNED(th_automaton_free) = th_automaton_trim(a, err);
    ThAutomaton *result = NULL;
    int offset;
    if (t) {
        ThNfaNames names = names_of(t);
        bool some = t->n_states > 0;
        bool good = th_nfa_add(&n, t, NULL, &offset, err);
        /* trim keeps start states that lead nowhere */
        for (int q = 0; good && some && q < t->n_states; q++) {
            bool useless = !t->accept[q] && t->first[q] == t->first[q + 1];
            n.mark[q] |= (unsigned char)(useless ? 0 : mark);
        }
        result = th_nfa_finish(&n, &names, good, err);
    }
    return result;
}

ThAutomaton *th_automaton_prefixes(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    return mark_all(a, TH_NFA_ACCEPT, w, err);
}

ThAutomaton *th_automaton_suffixes(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    return mark_all(a, TH_NFA_START, w, err);
}

/* ---- pairs of states ---- */

typedef struct {
    const ThAutomaton *a, *b;
    size_t n_b;
    unsigned char *seen; /* (n_a, n_b) */
    size_t *queue;
    size_t n, cap;
} Pairs;

static bool visit(Pairs *p, size_t pair, ThError *err)
{
    if (p->seen[pair])
        return true;
    if (!th_grow(&p->queue, &p->cap, p->n + 1, sizeof *p->queue, err))
        return false;
    p->seen[pair] = 1;
    p->queue[p->n++] = pair;
    return true;
}

/* The pairs that one step leads to: both by the same symbol, or either by an empty move. */
static bool step(Pairs *p, size_t pair, const int *to_a, ThError *err)
{
    size_t x = pair / p->n_b, y = pair % p->n_b;
    const ThAutomaton *a = p->a, *b = p->b;
    for (size_t i = a->first[x]; i < a->first[x + 1]; i++)
        if (a->arc[i].symbol == TH_AUTOMATON_EPSILON &&
            !visit(p, (size_t)a->arc[i].to * p->n_b + y, err))
            return false;
    for (size_t j = b->first[y]; j < b->first[y + 1]; j++) {
        int symbol = b->arc[j].symbol;
        size_t q = (size_t)b->arc[j].to;
        if (symbol == TH_AUTOMATON_EPSILON && !visit(p, x * p->n_b + q, err))
            return false;
        for (size_t i = a->first[x]; symbol != TH_AUTOMATON_EPSILON && i < a->first[x + 1]; i++)
            if (a->arc[i].symbol == to_a[symbol] && to_a[symbol] >= 0 &&
                !visit(p, (size_t)a->arc[i].to * p->n_b + q, err))
                return false;
    }
    return true;
}

/* Fills p->queue with the pairs that a common word reaches. */
static bool explore(Pairs *p, ThAutomatonWork w, ThError *err)
{
    ThAutomatonAlphabets u TH_OWNED(th_automaton_alphabets_free) = {0};
    const ThAutomaton *a = p->a, *b = p->b;
    p->n_b = (size_t)b->n_states;
    size_t size = (size_t)a->n_states * p->n_b;
    if (w.max_states && size / 64 > w.max_states)
        return th_fail(err, TH_ELIMIT, "there are more than %zu pairs of states", size);
    p->seen = th_alloc(size, 1, err);
    bool good = p->seen &&
                th_automaton_alphabets(&u, a->symbol, a->n_symbols, b->symbol, b->n_symbols, err);
    for (int i = 0; good && i < b->n_symbols; i++)
        u.of[1][i] = u.of[1][i] < a->n_symbols ? u.of[1][i] : -1;
    for (size_t i = 0; good && i < size; i++)
        if (a->start[i / p->n_b] && b->start[i % p->n_b])
            good = visit(p, i, err);
    for (size_t i = 0; good && i < p->n; i++)
        good = step(p, p->queue[i], u.of[1], err) &&
               (i % 4096 || !th_stopped_at(w.stop, p->n, "pairs of states", err));
    return good;
}

/* Returns new: the same states with the arcs turned round; unlike the reverse, none is dropped. */
static ThAutomaton *mirrored(const ThAutomaton *a, ThError *err)
{
    ThAutomaton *m = th_automaton_copy(a, err);
    if (!m)
        return NULL;
    for (size_t i = 0; i < m->n_arcs; i++) {
        m->arc[i].from = a->arc[i].to;
        m->arc[i].to = a->arc[i].from;
    }
    bool *start = m->start;
    m->start = m->accept;
    m->accept = start;
    return TH_KEEP_IF(th_automaton_sort(m, err), m, th_automaton_free);
}

ThAutomaton *th_automaton_quotient(const ThAutomaton *a, const ThAutomaton *b, bool front,
                                   ThAutomatonWork w, ThError *err)
{
    ThNfa n = {.max_states = w.max_states};
    ThAutomatonAlphabets u TH_OWNED(th_automaton_alphabets_free) = {0};
    ThAutomaton *x TH_OWNED(th_automaton_free) = front ? NULL : mirrored(a, err),
                   *y TH_OWNED(th_automaton_free) = front ? NULL : mirrored(b, err);
    Pairs p = {.a = front ? a : x, .b = front ? b : y};
    int offset = 0, mark = front ? TH_NFA_START : TH_NFA_ACCEPT;
    bool good = p.a && p.b &&
                th_automaton_alphabets(&u, a->symbol, a->n_symbols, b->symbol, b->n_symbols, err) &&
                th_nfa_add(&n, a, u.of[0], &offset, err);
    for (size_t q = 0; good && q < n.n_states; q++)
        n.mark[q] &= (unsigned char)~mark;
    good = good && explore(&p, w, err);
    for (size_t i = 0; good && i < p.n; i++)
        if (p.b->accept[p.queue[i] % p.n_b])
            n.mark[p.queue[i] / p.n_b] |= (unsigned char)mark;
    ThNfaNames names = {.symbol = u.name, .n_symbols = u.n};
    ThAutomaton *result = th_nfa_finish(&n, &names, good, err);
    TH_FREE(p.seen, p.queue);
    return result;
}

/* ---- shuffle ---- */

/* One side, the other standing still: how far apart its states and those of the other are. */
typedef struct {
    const ThAutomaton *a;
    const int *symbol; /* of its symbols in the union */
    int stride, other;
    int others; /* states of the other */
} Side;

static bool shuffle_side(ThNfa *n, const Side *s, ThAutomatonWork w, ThError *err)
{
    const ThAutomaton *a = s->a;
    for (size_t i = 0; i < a->n_arcs; i++) {
        ThAutomatonArc arc = a->arc[i];
        int c = arc.symbol == TH_AUTOMATON_EPSILON ? TH_AUTOMATON_EPSILON : s->symbol[arc.symbol];
        for (int q = 0; q < s->others; q++) {
            ThAutomatonArc moved = {arc.from * s->stride + q * s->other, c,
                                    arc.to * s->stride + q * s->other, TH_AUTOMATON_NO_OUTPUT};
            if (!th_nfa_arc(n, moved, err))
                return false;
        }
        if (th_stopped_at(w.stop, n->n_arcs, "transitions", err))
            return false;
    }
    return true;
}

ThAutomaton *th_automaton_shuffle(const ThAutomaton *first, const ThAutomaton *second,
                                  ThAutomatonWork w, ThError *err)
{
    ThNfa n = {.max_states = w.max_states};
    ThAutomatonAlphabets u TH_OWNED(th_automaton_alphabets_free) = {0};
    ThAutomaton *a TH_OWNED(th_automaton_free) = th_automaton_trim(first, err),
                   *b TH_OWNED(th_automaton_free) = th_automaton_trim(second, err);
    bool good =
        a && b && th_automaton_alphabets(&u, a->symbol, a->n_symbols, b->symbol, b->n_symbols, err);
    for (int p = 0; good && p < a->n_states; p++) {
        good = !th_stopped_at(w.stop, n.n_states, "states", err);
        for (int q = 0; good && q < b->n_states; q++)
            good = th_nfa_state(&n,
                                (a->start[p] && b->start[q] ? TH_NFA_START : 0) |
                                    (a->accept[p] && b->accept[q] ? TH_NFA_ACCEPT : 0),
                                err) >= 0;
    }
    for (int i = 0; good && i < 2; i++) {
        Side s = i == 0 ? (Side){a, u.of[0], b->n_states, 1, b->n_states}
                        : (Side){b, u.of[1], 1, b->n_states, a->n_states};
        good = shuffle_side(&n, &s, w, err);
    }
    ThNfaNames names = {.symbol = u.name, .n_symbols = u.n};
    return th_nfa_finish(&n, &names, good, err);
}
