#include "automata/operations/sequential.h"

#include <limits.h>

#include "automata/core/components.h"
#include "automata/core/nfa.h"
#include "automata/operations/transducer.h"
#include "base/intern.h"
#include "base/symbols.h"

/* Returns new: with outputs on transitions only, and without what leads nowhere. */
static ThAutomaton *tidy(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    if (a->n_outputs == 0)
        return th_null(th_fail(err, TH_EVALUE, "the automaton has no outputs"));
    ThAutomaton *there TH_OWNED(th_automaton_free) = th_automaton_invert(a, w, err);
    ThAutomaton *back TH_OWNED(th_automaton_free) =
        there ? th_automaton_invert(there, w, err) : NULL;
    return back ? th_automaton_trim(back, err) : NULL;
}

/* ---- pairs of states ---- */

/* A pair of states, and what one side has written more; `apart`: neither is a beginning of the
 * other. */
enum { P, Q, SIDE, HEAD }; /* of what is interned; what is written more follows */
enum { APART = 2 };

typedef struct {
    size_t from;
    int arc[2]; /* -1: that side stood still */
} Step;

typedef struct {
    const ThAutomaton *t[2];
    size_t longest;    /* that one side may be ahead */
    bool *useful;      /* (pairs): acceptance of both can be reached; or, of twins, what grows */
    signed char *seen; /* (pairs): delays, two at most */
    bool *apart;       /* (pairs): met with words that differ already */
    bool twins;        /* what is asked: whether delays are lasting, not whether words differ */
    size_t differs;    /* the first node that twins do not have; 0: none */
    ThIntern node, shape;
    Step *step;
    size_t cap, limit;
    ThStop *stop;
    ThError *err;
} Pairs;

static size_t pair(const Pairs *x, int p, int q)
{
    return (size_t)p * (size_t)x->t[1]->n_states + (size_t)q;
}

static size_t target(const Pairs *x, int p, int q, const ThAutomatonArc *a, const ThAutomatonArc *b)
{
    return pair(x, a ? a->to : p, b ? b->to : q);
}

/* Whether two transitions read the same, or one reads nothing while the other stands still. */
static bool meet(const ThAutomatonArc *a, const ThAutomatonArc *b)
{
    if (!a || !b)
        return (a ? a : b)->symbol == TH_AUTOMATON_EPSILON;
    return a->symbol == b->symbol && a->symbol != TH_AUTOMATON_EPSILON;
}

/* Calls with every step of a pair; NULL: that side stands still. */
typedef bool Each(Pairs *x, int p, int q, const ThAutomatonArc *a, const ThAutomatonArc *b,
                  void *context);
static bool for_each_step(Pairs *x, int p, int q, Each *each, void *context)
{
    const ThAutomaton *t = x->t[0], *u = x->t[1];
    for (size_t i = t->first[p]; i <= t->first[p + 1]; i++)
        for (size_t j = u->first[q]; j <= u->first[q + 1]; j++) {
            const ThAutomatonArc *a = i < t->first[p + 1] ? &t->arc[i] : NULL,
                                 *b = j < u->first[q + 1] ? &u->arc[j] : NULL;
            if ((a || b) && meet(a, b) && !each(x, p, q, a, b, context))
                return false;
        }
    return true;
}

static void for_each_pair(Pairs *x, Each *each, void *context)
{
    for (int p = 0; p < x->t[0]->n_states; p++)
        for (int q = 0; q < x->t[1]->n_states; q++)
            for_each_step(x, p, q, each, context);
}

static bool mark(Pairs *x, int p, int q, const ThAutomatonArc *a, const ThAutomatonArc *b,
                 void *changed)
{
    bool *useful = &x->useful[pair(x, p, q)];
    if (!*useful && x->useful[target(x, p, q, a, b)])
        *useful = *(bool *)changed = true;
    return true;
}

/* What leads to useful pairs is useful. */
static bool spread(Pairs *x)
{
    for (bool changed = true; changed;) {
        changed = false;
        for_each_pair(x, mark, &changed);
        if (th_stopped(x->stop, x->err))
            return false;
    }
    return true;
}

static bool find_useful(Pairs *x)
{
    for (int p = 0; p < x->t[0]->n_states; p++)
        for (int q = 0; q < x->t[1]->n_states; q++)
            x->useful[pair(x, p, q)] = x->t[0]->accept[p] && x->t[1]->accept[q];
    return spread(x);
}

/* Twins have one delay of each length on each side in a pair that grows, and no delay that is no
 * word.  Nodes and shapes have the same numbers until that fails. */
static bool note_twin(Pairs *x, const int *node, size_t n, size_t index)
{
    size_t shape;
    if (!th_intern(&x->shape, (int[]){node[P], node[Q], node[SIDE], (int)n}, 4 * sizeof *node,
                   &shape, x->err))
        return false;
    if (!x->differs && (node[SIDE] == APART || shape < index))
        x->differs = index;
    return true;
}

/* Adds a pair with a delay, unless there are enough of it. */
static bool add_node(Pairs *x, const int *node, size_t n, Step s)
{
    size_t index, at = pair(x, node[P], node[Q]);
    bool apart = node[SIDE] == APART;
    if (!x->useful[at] || (!x->twins && (apart ? x->apart[at] : x->seen[at] >= 2)))
        return true;
    size_t before = x->node.n;
    if (!th_intern(&x->node, node, n * sizeof *node, &index, x->err) ||
        !th_grow(&x->step, &x->cap, x->node.n, sizeof *x->step, x->err))
        return false;
    if (index < before)
        return true;
    if (x->limit && x->node.n > x->limit)
        return th_fail(x->err, TH_ELIMIT, "more than %zu pairs of states", x->limit);
    x->step[index] = s;
    if (x->twins)
        return note_twin(x, node, n, index);
    x->apart[at] = x->apart[at] || apart;
    x->seen[at] += !apart;
    return true;
}

/* Writes one more symbol on a side of a delay, n numbers in all. */
static void write_more(int *node, size_t *n, int side, int output, size_t longest)
{
    if (output == TH_AUTOMATON_NO_OUTPUT || node[SIDE] == APART)
        return;
    if (*n == HEAD || node[SIDE] == side) {
        node[SIDE] = side;
        node[(*n)++] = output;
    } else if (node[HEAD] == output) {
        memmove(node + HEAD, node + HEAD + 1, (--*n - HEAD) * sizeof *node);
        node[SIDE] = *n == HEAD ? 0 : node[SIDE];
    } else
        node[SIDE] = APART;
    if (*n - HEAD > longest)
        node[SIDE] = APART;
    *n = node[SIDE] == APART ? HEAD : *n;
}

static bool follow(Pairs *x, int p, int q, const ThAutomatonArc *a, const ThAutomatonArc *b,
                   void *from)
{
    size_t size;
    const int *at = th_intern_at(&x->node, *(size_t *)from, &size);
    int *node TH_OWNED(free) = th_alloc(size / sizeof *at + 2, sizeof *node, x->err);
    size_t n = size / sizeof *at;
    if (!node)
        return false;
    memcpy(node, at, size);
    node[P] = a ? a->to : p;
    node[Q] = b ? b->to : q;
    if (a)
        write_more(node, &n, 0, a->output, x->longest);
    if (b)
        write_more(node, &n, 1, b->output, x->longest);
    return add_node(x, node, n,
                    (Step){*(size_t *)from,
                           {a ? (int)(a - x->t[0]->arc) : -1, b ? (int)(b - x->t[1]->arc) : -1}});
}

/* The way to a node backwards, then turned round. */
static bool tell(const Pairs *x, size_t at, ThAutomatonTwofold *two, ThError *err)
{
    size_t steps = 0;
    for (size_t i = at; x->step[i].from != SIZE_MAX; i = x->step[i].from)
        steps++;
    two->word = th_alloc(steps + 1, sizeof *two->word, err);
    for (int k = 0; k < 2; k++)
        two->out[k] = th_alloc(steps + 1, sizeof *two->out[k], err);
    if (!two->word || !two->out[0] || !two->out[1])
        return false;
    size_t *way TH_OWNED(free) = th_alloc(steps + 1, sizeof *way, err);
    for (size_t i = at, k = steps; way && k > 0; i = x->step[i].from)
        way[--k] = i;
    for (size_t k = 0; way && k < steps; k++)
        for (int side = 0; side < 2; side++) {
            int arc = x->step[way[k]].arc[side];
            const ThAutomatonArc *a = arc < 0 ? NULL : &x->t[side]->arc[arc];
            if (a && side == 0 && a->symbol != TH_AUTOMATON_EPSILON)
                two->word[two->n++] = a->symbol;
            if (a && a->output != TH_AUTOMATON_NO_OUTPUT)
                two->out[side][two->n_out[side]++] = a->output;
        }
    two->found = true;
    return way != NULL;
}

static bool search(Pairs *x, ThAutomatonTwofold *two)
{
    for (int p = 0; p < x->t[0]->n_states; p++)
        for (int q = 0; q < x->t[1]->n_states; q++)
            if (x->t[0]->start[p] && x->t[1]->start[q] &&
                !add_node(x, (int[]){p, q, 0}, HEAD, (Step){SIZE_MAX, {-1, -1}}))
                return false;
    for (size_t i = 0; i < x->node.n; i++) {
        size_t size;
        const int *node = th_intern_at(&x->node, i, &size);
        int p = node[P], q = node[Q];
        bool same = size == HEAD * sizeof *node && node[SIDE] != APART;
        if (x->differs)
            return true;
        if (!x->twins && !same && x->t[0]->accept[p] && x->t[1]->accept[q])
            return tell(x, i, two, x->err);
        if (th_stopped(x->stop, x->err) || !for_each_step(x, p, q, follow, &i))
            return false;
    }
    return true;
}

static bool begin(Pairs *x)
{
    x->longest = (size_t)x->t[0]->n_states * (size_t)x->t[1]->n_states;
    x->useful = th_alloc(x->longest + 1, sizeof *x->useful, x->err);
    x->seen = th_alloc(x->longest + 1, sizeof *x->seen, x->err);
    x->apart = th_alloc(x->longest + 1, sizeof *x->apart, x->err);
    return x->useful && x->seen && x->apart;
}

static void end(Pairs *x)
{
    TH_FREE(x->useful, x->seen, x->apart, x->step);
    th_intern_free(&x->node);
    th_intern_free(&x->shape);
}

/* ---- two words for one ---- */

bool th_automaton_twofold(const ThAutomaton *t, const ThAutomaton *u, ThAutomatonWork w,
                          ThAutomatonTwofold *two, ThError *err)
{
    *two = (ThAutomatonTwofold){0};
    ThAutomaton *a TH_OWNED(th_automaton_free) = tidy(t, w, err);
    ThAutomaton *b TH_OWNED(th_automaton_free) = u && a ? tidy(u, w, err) : NULL;
    if (!a || (u && !b))
        return false;
    Pairs x = {.t = {a, u ? b : a}, .limit = w.max_states, .stop = w.stop, .err = err};
    bool ok = begin(&x) && find_useful(&x) && search(&x, two);
    end(&x);
    return ok;
}

void th_automaton_twofold_free(ThAutomatonTwofold *two)
{
    TH_FREE(two->word, two->out[0], two->out[1]);
    *two = (ThAutomatonTwofold){0};
}

/* ---- twins ---- */

typedef struct {
    int *next; /* (pairs, most): -1 behind the last */
    int *component, most;
} Graph;

static bool count(Pairs *x, int p, int q, const ThAutomatonArc *a TH_UNUSED,
                  const ThAutomatonArc *b TH_UNUSED, void *graph)
{
    Graph *g = graph;
    int n = ++g->component[pair(x, p, q)];
    g->most = n > g->most ? n : g->most;
    return true;
}

static bool join(Pairs *x, int p, int q, const ThAutomatonArc *a, const ThAutomatonArc *b,
                 void *graph)
{
    const Graph *g = graph;
    int *row = g->next + pair(x, p, q) * (size_t)g->most;
    while (*row >= 0)
        row++;
    *row = (int)target(x, p, q, a, b);
    return true;
}

/* A pair grows where a loop goes through it that its first state writes on; the second is the first
 * of the pair turned round. */
static bool grow(Pairs *x, int p, int q, const ThAutomatonArc *a, const ThAutomatonArc *b,
                 void *graph)
{
    const Graph *g = graph;
    bool writes = a && a->output != TH_AUTOMATON_NO_OUTPUT;
    size_t at = pair(x, p, q);
    x->useful[at] =
        x->useful[at] || (writes && g->component[at] == g->component[target(x, p, q, a, b)]);
    return true;
}

/* The pairs that grow, and those that lead to them. */
static bool find_growing(Pairs *x)
{
    size_t pairs = x->longest;
    if (pairs >= INT_MAX)
        return th_fail(x->err, TH_ELIMIT, "more than %d pairs of states", INT_MAX);
    int *component TH_OWNED(free) = th_alloc(pairs + 1, sizeof *component, x->err);
    Graph g = {.component = component};
    if (component)
        for_each_pair(x, count, &g);
    size_t places = pairs * (size_t)g.most;
    int *next TH_OWNED(free) = component ? th_alloc(places + 1, sizeof *next, x->err) : NULL;
    if (!next)
        return false;
    memset(next, -1, places * sizeof *next);
    g.next = next;
    for_each_pair(x, join, &g);
    if (th_automaton_components(next, (int)pairs, g.most, component, x->err) < 0)
        return false;
    for_each_pair(x, grow, &g);
    return spread(x);
}

/* Writes the word that leads to a node. */
static bool write_way(const Pairs *x, size_t node, ThText *text, ThError *err)
{
    ThAutomatonTwofold way TH_OWNED(th_automaton_twofold_free) = {0};
    if (!tell(x, node, &way, err))
        return false;
    if (way.n == 0)
        th_text_add(text, "the empty word");
    th_symbols_write(text, x->t[0]->symbol, x->t[0]->n_symbols, way.word, way.n);
    return true;
}

static bool say_differing(const Pairs *x, ThError *err)
{
    ThText text TH_OWNED(th_text_free) = {0};
    size_t size, shape;
    const int *node = th_intern_at(&x->node, x->differs, &size);
    if (node[SIDE] != APART) {
        shape = th_intern_find(&x->shape,
                               (int[]){node[P], node[Q], node[SIDE], (int)(size / sizeof *node)},
                               4 * sizeof *node);
        if (!write_way(x, shape, &text, err))
            return false;
        th_text_add(&text, " or after ");
    }
    return write_way(x, x->differs, &text, err) &&
           th_fail(err, TH_EVALUE,
                   "not sequential: after %.200s what is to be written depends on more of what "
                   "follows than can be remembered",
                   th_text_string(&text));
}

/* A function is sequential if and only if it has twins (Choffrut 1977): no loop of two states that
 * are reached together, reading the same, changes by how much the one has written more.  Then loops
 * can be left out of a way, and as each step writes one symbol at most no delay is longer than
 * there are pairs.  A loop that writes keeps a delay only if it is the beginning of what the loop
 * writes again and again, which is one word of each length; and different delays stay different
 * on the way to such a loop.  So a second delay of one length is enough to tell. */
static bool has_twins(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    Pairs x = {.t = {a, a}, .twins = true, .limit = w.max_states, .stop = w.stop, .err = err};
    bool ok =
        begin(&x) && find_growing(&x) && search(&x, NULL) && (!x.differs || say_differing(&x, err));
    end(&x);
    return ok;
}

/* ---- writing while reading ---- */

/* A set of states, each with what is still to be written in it: state, length, outputs, and so on,
 * by states. */
typedef struct {
    const ThAutomaton *t;
    ThIntern set;
    ThNfa n;
    int *state; /* (sets): of n */
    size_t cap;
    int **rest; /* (t->n_states): of the set being made: its length first; NULL: not in it */
    ThStop *stop;
    ThError *err;
} Sets;

static void forget(Sets *s)
{
    for (int q = 0; q < s->t->n_states; q++) {
        free(s->rest[q]);
        s->rest[q] = NULL;
    }
}

/* Puts a state into the set, with a word and perhaps an output behind it, and those that empty
 * moves lead to.  t is a function, so a state that is there has the same word. */
static bool put(Sets *s, int q, const int *word, int n, int output)
{
    if (s->rest[q])
        return true;
    int *rest = th_alloc((size_t)n + 2, sizeof *rest, s->err);
    if (!rest)
        return false;
    if (n)
        memcpy(rest + 1, word, (size_t)n * sizeof *rest);
    rest[0] = n;
    if (output != TH_AUTOMATON_NO_OUTPUT)
        rest[++rest[0]] = output;
    s->rest[q] = rest;
    for (size_t i = s->t->first[q]; i < s->t->first[q + 1]; i++)
        if (s->t->arc[i].symbol == TH_AUTOMATON_EPSILON &&
            !put(s, s->t->arc[i].to, rest + 1, rest[0], s->t->arc[i].output))
            return false;
    return true;
}

/* How long the words begin alike; -1: the set is empty. */
static int common(const Sets *s)
{
    const int *first = NULL;
    int n = -1;
    for (int q = 0; q < s->t->n_states; q++) {
        const int *rest = s->rest[q];
        if (!rest)
            continue;
        first = first ? first : rest;
        n = n < 0 || rest[0] < n ? rest[0] : n;
        for (int i = 0; i < n; i++)
            n = rest[1 + i] == first[1 + i] ? n : i;
    }
    return n;
}

/* Writes a word on the way from one state to another, the first symbol while `symbol` is read; to
 * -1: to a new one, with a mark.  Returns where it ends; -1. */
static int spell(Sets *s, int from, int symbol, const int *word, int n, int to, int mark)
{
    for (int i = 0; i < n || i == 0; i++) {
        int next = i < n - 1 ? th_nfa_state(&s->n, 0, s->err)
                   : to < 0  ? th_nfa_state(&s->n, mark, s->err)
                             : to;
        ThAutomatonArc arc = {from, i ? TH_AUTOMATON_EPSILON : symbol, next,
                              n && word ? word[i] : TH_AUTOMATON_NO_OUTPUT};
        if (next < 0 || !th_nfa_arc(&s->n, arc, s->err))
            return -1;
        from = next;
    }
    return from;
}

/* The set without its common beginning, which is written on the way there from a state of n; -1:
 * from the start. */
static bool close(Sets *s, int from, int symbol)
{
    int n = common(s), *list TH_OWNED(free) = NULL;
    size_t size = 0, had = s->set.n, index;
    const int *word = NULL;
    for (int q = 0; q < s->t->n_states; q++)
        size += s->rest[q] ? (size_t)(s->rest[q][0] - n) + 2 : 0;
    if (n < 0 || !(list = th_alloc(size + 1, sizeof *list, s->err)))
        return n < 0;
    size = 0;
    for (int q = 0; q < s->t->n_states; q++)
        if (s->rest[q]) {
            word = s->rest[q] + 1;
            list[size++] = q;
            list[size++] = s->rest[q][0] - n;
            memcpy(list + size, word + n, (size_t)(s->rest[q][0] - n) * sizeof *list);
            size += (size_t)(s->rest[q][0] - n);
        }
    if (!th_intern(&s->set, list, size * sizeof *list, &index, s->err) ||
        !th_grow(&s->state, &s->cap, s->set.n, sizeof *s->state, s->err))
        return false;
    if (index == had && (s->state[index] = th_nfa_state(&s->n, 0, s->err)) < 0)
        return false;
    if (from < 0 && n == 0) {
        s->n.mark[s->state[index]] |= TH_NFA_START;
        return true;
    }
    from = from < 0 ? th_nfa_state(&s->n, TH_NFA_START, s->err) : from;
    return from >= 0 && spell(s, from, symbol, word, n, s->state[index], 0) >= 0;
}

/* What an accepting state of the set has still to write is written at the end. */
static bool finish(Sets *s, size_t set)
{
    size_t size;
    const int *list = th_intern_at(&s->set, set, &size);
    for (size_t i = 0; i < size / sizeof *list; i += 2 + (size_t)list[i + 1]) {
        if (!s->t->accept[list[i]])
            continue;
        if (list[i + 1] == 0)
            s->n.mark[s->state[set]] |= TH_NFA_ACCEPT;
        else if (spell(s, s->state[set], TH_AUTOMATON_EPSILON, list + i + 2, list[i + 1], -1,
                       TH_NFA_ACCEPT) < 0)
            return false;
        break;
    }
    return true;
}

/* The sets that a symbol leads to. */
static bool read_symbol(Sets *s, size_t set, int symbol)
{
    size_t size;
    const int *at = th_intern_at(&s->set, set, &size);
    int *list TH_OWNED(free) = th_copy(at, size / sizeof *at, sizeof *list, s->err);
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < size / sizeof *list; i += 2 + (size_t)list[i + 1])
        for (size_t k = s->t->first[list[i]]; ok && k < s->t->first[list[i] + 1]; k++)
            if (s->t->arc[k].symbol == symbol)
                ok = put(s, s->t->arc[k].to, list + i + 2, list[i + 1], s->t->arc[k].output);
    ok = ok && close(s, s->state[set], symbol);
    forget(s);
    return ok;
}

static bool determinize(Sets *s)
{
    bool ok = true;
    for (int q = 0; ok && q < s->t->n_states; q++)
        ok = !s->t->start[q] || put(s, q, NULL, 0, TH_AUTOMATON_NO_OUTPUT);
    ok = ok && close(s, -1, TH_AUTOMATON_EPSILON);
    forget(s);
    for (size_t i = 0; ok && i < s->set.n; i++) {
        ok = finish(s, i) && !th_stopped(s->stop, s->err);
        for (int a = 0; ok && a < s->t->n_symbols; a++)
            ok = read_symbol(s, i, a);
    }
    return ok;
}

ThAutomaton *th_automaton_sequential(const ThAutomaton *t, ThAutomatonWork w, ThError *err)
{
    ThAutomatonTwofold two TH_OWNED(th_automaton_twofold_free) = {0};
    ThAutomaton *a TH_OWNED(th_automaton_free) = tidy(t, w, err);
    if (!a || !th_automaton_twofold(t, NULL, w, &two, err))
        return NULL;
    if (two.found) {
        ThText word TH_OWNED(th_text_free) = {0};
        th_symbols_write(&word, t->symbol, t->n_symbols, two.word, two.n);
        th_fail(err, TH_EVALUE, "no function: it writes two words for %.200s",
                two.n && word.data ? word.data : "the empty word");
        return NULL;
    }
    if (!has_twins(a, w, err))
        return NULL;
    Sets s = {.t = a, .n.max_states = w.max_states, .stop = w.stop, .err = err};
    s.rest = th_alloc((size_t)a->n_states + 1, sizeof *s.rest, err);
    bool ok = s.rest && determinize(&s);
    ThNfaNames names = {a->symbol, a->output, a->n_symbols, a->n_outputs};
    ThAutomaton *result = th_nfa_finish(&s.n, &names, ok, err);
    th_intern_free(&s.set);
    TH_FREE(s.state, s.rest);
    return result;
}
