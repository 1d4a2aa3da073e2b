#include "automata/ambiguity.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "automata/build.h"
#include "automata/nfa.h"
#include "base/memory.h"
#include "base/symbols.h"

enum { MOST_NODES = 1 << 24 };

/* ---- without empty moves ---- */

/* The states that empty moves reach from q, in reach[0 … n - 1]; mark is all false, and again so.
 */
static int closure(const ThAutomaton *a, int q, int *reach, bool *mark)
{
    int n = 0;
    reach[n++] = q;
    mark[q] = true;
    for (int i = 0; i < n; i++) {
        for (size_t j = a->first[reach[i]]; j < a->first[reach[i] + 1]; j++) {
            const ThArc *arc = &a->arc[j];
            if (arc->symbol == TH_EPSILON && !mark[arc->to]) {
                mark[arc->to] = true;
                reach[n++] = arc->to;
            }
        }
    }
    for (int i = 0; i < n; i++)
        mark[reach[i]] = false;
    return n;
}

static bool close_state(ThNfa *n, const ThAutomaton *a, int q, int *reach, bool *mark, ThError *err)
{
    int count = closure(a, q, reach, mark);
    for (int i = 0; i < count; i++) {
        if (a->accept[reach[i]])
            n->mark[q] |= TH_NFA_ACCEPT;
        for (size_t j = a->first[reach[i]]; j < a->first[reach[i] + 1]; j++) {
            ThArc arc = {q, a->arc[j].symbol, a->arc[j].to, TH_NO_OUTPUT};
            if (arc.symbol != TH_EPSILON && !th_nfa_arc(n, arc, err))
                return false;
        }
    }
    return true;
}

/* Returns new: the same without empty moves and useless states. */
static ThAutomaton *without_empty_moves(const ThAutomaton *a, ThError *err)
{
    ThNfa n = {0};
    size_t size = (size_t)a->n_states;
    int *reach = th_alloc(size, sizeof *reach, err);
    bool *mark = th_alloc(size, sizeof *mark, err);
    bool good = reach && mark;
    for (int q = 0; good && q < a->n_states; q++)
        good = th_nfa_state(&n, a->start[q] ? TH_NFA_START : 0, err) >= 0;
    for (int q = 0; good && q < a->n_states; q++)
        good = close_state(&n, a, q, reach, mark, err);
    free(reach);
    free(mark);
    ThNfaNames names = {.symbol = a->symbol, .n_symbols = a->n_symbols};
    if (good)
        return th_nfa_finish(&n, &names, err);
    th_nfa_free(&n);
    return NULL;
}

/* ---- tuples of states that read the same symbols ---- */

typedef struct {
    const ThAutomaton *a;
    int k; /* states in a tuple: 2 or 3 */
    size_t n, nodes;
    ThStop *stop;
} Tuples;

typedef bool Neighbour(void *context, size_t node, int symbol);

static void unpack(const Tuples *t, size_t node, int state[3])
{
    for (int i = t->k < 3 ? t->k : 3; i-- > 0;) {
        state[i] = (int)(node % t->n);
        node /= t->n;
    }
}

static size_t pack(const Tuples *t, const int state[3])
{
    size_t node = 0;
    for (int i = 0; i < t->k && i < 3; i++)
        node = node * t->n + (size_t)state[i];
    return node;
}

/* The arcs of q by a symbol: [*from, *to) of a->arc, which are sorted. */
static void arcs_by(const ThAutomaton *a, int q, int symbol, size_t *from, size_t *to)
{
    *from = a->first[q];
    while (*from < a->first[q + 1] && a->arc[*from].symbol < symbol)
        ++*from;
    *to = *from;
    while (*to < a->first[q + 1] && a->arc[*to].symbol == symbol)
        ++*to;
}

/* Combines the arcs by one symbol of all states of a tuple. */
static bool combine(const Tuples *t, const int state[3], int symbol, int i, int to[3],
                    Neighbour *seen, void *context)
{
    if (i == t->k)
        return seen(context, pack(t, to), symbol);
    size_t from, end;
    arcs_by(t->a, state[i], symbol, &from, &end);
    for (size_t j = from; j < end; j++) {
        to[i] = t->a->arc[j].to;
        if (!combine(t, state, symbol, i + 1, to, seen, context))
            return false;
    }
    return true;
}

static bool neighbours(const Tuples *t, size_t node, Neighbour *seen, void *context)
{
    int state[3] = {0}, to[3] = {0};
    unpack(t, node, state);
    for (int c = 0; c < t->a->n_symbols; c++) {
        if (!combine(t, state, c, 0, to, seen, context))
            return false;
    }
    return true;
}

/* ---- a word with two ways ---- */

typedef struct {
    const Tuples *t;
    uint32_t *parent; /* (2 · nodes): place of the tuple before + 2, 1 for a start, 0: not seen */
    int *by;
    uint32_t *queue;
    size_t n, from;
    bool apart; /* the tuple at hand has been two different states before */
} Search;

static void enter(Search *s, size_t node, bool apart, uint32_t parent, int symbol)
{
    int state[3] = {0};
    unpack(s->t, node, state);
    size_t place = 2 * node + (apart || state[0] != state[1]);
    if (s->parent[place])
        return;
    s->parent[place] = parent;
    s->by[place] = symbol;
    s->queue[s->n++] = (uint32_t)place;
}

static bool enter_neighbour(void *context, size_t node, int symbol)
{
    Search *s = context;
    enter(s, node, s->apart, (uint32_t)s->from + 2, symbol);
    return true;
}

static char *spell(const Search *s, size_t place, ThError *err)
{
    int length = 0;
    for (size_t p = place; s->parent[p] > 1; p = s->parent[p] - 2)
        length++;
    int *word = th_alloc((size_t)length, sizeof *word, err), at = length;
    if (!word)
        return NULL;
    for (size_t p = place; s->parent[p] > 1; p = s->parent[p] - 2)
        word[--at] = s->by[p];
    ThText t = {0};
    th_symbols_write(&t, s->t->a->symbol, s->t->a->n_symbols, word, length);
    free(word);
    return th_text_take(&t, err);
}

/* Breadth first over pairs, each with whether the two ways have parted. */
static bool find_word(const Tuples *t, char **word, ThError *err)
{
    Search s = {.t = t};
    s.parent = th_alloc(2 * t->nodes, sizeof *s.parent, err);
    s.by = th_alloc(2 * t->nodes, sizeof *s.by, err);
    s.queue = th_alloc(2 * t->nodes, sizeof *s.queue, err);
    bool good = s.parent && s.by && s.queue, found = false;
    for (size_t node = 0; good && node < t->nodes; node++) {
        int state[3] = {0};
        unpack(t, node, state);
        if (t->a->start[state[0]] && t->a->start[state[1]])
            enter(&s, node, false, 1, -1);
    }
    for (size_t i = 0; good && !found && i < s.n; i++) {
        int state[3] = {0};
        s.from = s.queue[i];
        unpack(t, s.from / 2, state);
        s.apart = s.from % 2;
        found = s.apart && t->a->accept[state[0]] && t->a->accept[state[1]];
        if (found) {
            *word = spell(&s, s.from, err);
            good = *word != NULL;
        } else {
            neighbours(t, s.from / 2, enter_neighbour, &s);
        }
        good = good && (i % 4096 || !th_stopped(t->stop, err));
    }
    free(s.parent);
    free(s.by);
    free(s.queue);
    return good;
}

/* ---- does a tuple lead to another, and back? ---- */

typedef struct {
    unsigned char *seen;
    uint32_t *queue;
    size_t n;
} Reach;

static bool reach_neighbour(void *context, size_t node, int symbol)
{
    Reach *r = context;
    (void)symbol;
    if (!r->seen[node]) {
        r->seen[node] = 1;
        r->queue[r->n++] = (uint32_t)node;
    }
    return true;
}

/* Is there a way from one tuple to another? */
static bool leads(const Tuples *t, Reach *r, size_t from, size_t to)
{
    for (size_t i = 0; i < r->n; i++)
        r->seen[r->queue[i]] = 0;
    r->n = 0;
    reach_neighbour(r, from, 0);
    for (size_t i = 0; i < r->n && !r->seen[to]; i++)
        neighbours(t, r->queue[i], reach_neighbour, r);
    return r->seen[to];
}

static bool tuples_begin(Tuples *t, const ThAutomaton *a, int k, ThStop *stop, Reach *r,
                         ThError *err)
{
    *t = (Tuples){.a = a, .k = k, .n = (size_t)a->n_states, .nodes = 1, .stop = stop};
    for (int i = 0; i < k; i++)
        t->nodes *= t->n;
    if (t->n > 4096 || t->nodes > MOST_NODES) {
        th_fail(err, TH_ELIMIT, "%d states are too many to tell how ambiguous they are",
                a->n_states);
        return false;
    }
    r->seen = th_alloc(t->nodes + 1, 1, err);
    r->queue = th_alloc(t->nodes + 1, sizeof *r->queue, err);
    return r->seen && r->queue;
}

/* Returns new: the same states with the arcs turned round. */
static ThAutomaton *mirrored(const ThAutomaton *a, ThError *err)
{
    ThAutomaton *m = th_automaton_copy(a, err);
    for (size_t i = 0; m && i < m->n_arcs; i++) {
        m->arc[i].from = a->arc[i].to;
        m->arc[i].to = a->arc[i].from;
    }
    if (m && !th_automaton_sort(m, err)) {
        th_automaton_free(m);
        m = NULL;
    }
    return m;
}

/* Exponential: for some q, two different ways from q to q by the same word, that is, a pair of
 * different states between (q, q) and (q, q). */
static bool is_exponential(const Tuples *t, Reach *r, bool *answer, ThError *err)
{
    *answer = false;
    Tuples back = *t;
    ThAutomaton *mirror = mirrored(t->a, err);
    unsigned char *ahead = mirror ? th_alloc(t->nodes, 1, err) : NULL;
    back.a = mirror;
    bool good = ahead != NULL;
    for (size_t q = 0; good && q < t->n && !*answer; q++) {
        int same[3] = {(int)q, (int)q, 0}, state[3] = {0};
        leads(t, r, pack(t, same), t->nodes); /* everything that can be reached */
        memcpy(ahead, r->seen, t->nodes);
        leads(&back, r, pack(t, same), t->nodes);
        for (size_t i = 0; i < r->n && !*answer; i++) {
            unpack(t, r->queue[i], state);
            *answer = ahead[r->queue[i]] && state[0] != state[1];
        }
        good = !th_stopped(t->stop, err);
    }
    free(ahead);
    th_automaton_free(mirror);
    return good;
}

/* Polynomial: p and q, different, and a word that leads p to p, p to q and q to q.  The pairs tell
 * where there may be one. */
static bool is_polynomial(const ThAutomaton *a, ThStop *stop, bool *answer, ThError *err)
{
    Tuples two, three;
    Reach r = {0}, s = {0};
    bool good =
        tuples_begin(&two, a, 2, stop, &r, err) && tuples_begin(&three, a, 3, stop, &s, err);
    *answer = false;
    for (int p = 0; good && p < a->n_states && !*answer; p++) {
        for (int q = 0; good && q < a->n_states && !*answer; q++) {
            int same[3] = {p, p, 0}, pair[3] = {p, q, 0}, from[3] = {p, p, q}, to[3] = {p, q, q};
            *answer = p != q && leads(&two, &r, pack(&two, same), pack(&two, pair)) &&
                      leads(&three, &s, pack(&three, from), pack(&three, to));
            good = !th_stopped(stop, err);
        }
    }
    free(r.seen);
    free(r.queue);
    free(s.seen);
    free(s.queue);
    return good;
}

static bool classify(const ThAutomaton *a, ThStop *stop, ThAmbiguity *out, ThError *err)
{
    Tuples t;
    Reach r = {0};
    bool yes = false;
    bool good = tuples_begin(&t, a, 2, stop, &r, err) && find_word(&t, &out->word, err);
    if (good && out->word) {
        out->kind = TH_FINITELY_AMBIGUOUS;
        good = is_exponential(&t, &r, &yes, err);
        if (yes)
            out->kind = TH_EXPONENTIALLY_AMBIGUOUS;
        bool exponential = yes;
        if (good && !exponential)
            good = is_polynomial(a, stop, &yes, err);
        if (good && yes && !exponential)
            out->kind = TH_POLYNOMIALLY_AMBIGUOUS;
    }
    free(r.seen);
    free(r.queue);
    return good;
}

bool th_automaton_ambiguity(const ThAutomaton *a, ThStop *stop, ThAmbiguity *out, ThError *err)
{
    *out = (ThAmbiguity){0};
    ThAutomaton *plain = without_empty_moves(a, err);
    bool good = plain && classify(plain, stop, out, err);
    th_automaton_free(plain);
    if (good)
        return true;
    free(out->word);
    out->word = NULL;
    return false;
}
