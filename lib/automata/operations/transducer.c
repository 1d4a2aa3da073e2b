
#include "automata/core/nfa.h"
#include "automata/operations/transducer.h"
#include "base/intern.h"
#include "base/symbols.h"

/* ---- substitutions ---- */

static int *number_word(const ThAutomatonSubstitution *s, char *const *symbol, int n_symbols,
                        ThError *err)
{
    int *word = th_alloc((size_t)s->n, sizeof *word, err);
    for (int i = 0; word && i < s->n; i++)
        word[i] = th_symbols_find(symbol, n_symbols, s->word[i]);
    return word;
}

/* Fills of[symbol] with the number of its substitution, or -1. */
static bool check_map(const ThAutomaton *a, const ThAutomatonSubstitution *map, int n, int *of,
                      ThError *err)
{
    for (int c = 0; c < a->n_symbols; c++)
        of[c] = -1;
    for (int i = 0; i < n; i++) {
        int c = th_symbols_find(a->symbol, a->n_symbols, map[i].symbol);
        if (c < 0)
            return th_fail(err, TH_EVALUE, "%.100s is not in the alphabet", map[i].symbol);
        if (of[c] >= 0)
            return th_fail(err, TH_EVALUE, "%.100s is replaced twice", map[i].symbol);
        of[c] = i;
    }
    return true;
}

static bool add_name(ThIntern *names, const char *name, ThError *err)
{
    size_t index;
    return th_intern(names, name, strlen(name) + 1, &index, err);
}

/* Returns new: pointers to the names in a table, which they borrow. */
static char **name_list(const ThIntern *names, ThError *err)
{
    char **list = th_alloc(names->n, sizeof *list, err);
    for (size_t i = 0; list && i < names->n; i++)
        list[i] = (char *)names->bytes + (i ? names->end[i - 1] : 0);
    return list;
}

/* The symbols that an image has, in the order of the symbols that they come from. */
static bool image_symbols(ThIntern *names, const ThAutomaton *a, const ThAutomatonSubstitution *map,
                          const int *of, ThError *err)
{
    bool good = true;
    for (int c = 0; good && c < a->n_symbols; c++) {
        if (of[c] < 0)
            good = add_name(names, a->symbol[c], err);
        for (int i = 0; of[c] >= 0 && good && i < map[of[c]].n; i++)
            good = add_name(names, map[of[c]].word[i], err);
    }
    return good;
}

/* A chain of arcs that spells the image of one arc. */
static bool spell(ThNfa *n, const ThAutomatonArc *arc, const ThAutomatonSubstitution *s,
                  const ThIntern *names, ThError *err)
{
    int at = arc->from;
    if (s->n == 0)
        return th_nfa_arc(
            n, (ThAutomatonArc){at, TH_AUTOMATON_EPSILON, arc->to, TH_AUTOMATON_NO_OUTPUT}, err);
    for (int i = 0; i < s->n; i++) {
        int to = i == s->n - 1 ? arc->to : th_nfa_state(n, 0, err);
        size_t c = th_intern_find(names, s->word[i], strlen(s->word[i]) + 1);
        if (to < 0 || !th_nfa_arc(n, (ThAutomatonArc){at, (int)c, to, TH_AUTOMATON_NO_OUTPUT}, err))
            return false;
        at = to;
    }
    return true;
}

static bool substitute(ThNfa *n, const ThAutomaton *a, const ThAutomatonSubstitution *map,
                       const int *of, const ThIntern *names, ThAutomatonWork w, ThError *err)
{
    bool good = true;
    for (int q = 0; good && q < a->n_states; q++)
        good =
            th_nfa_state(n, (a->start[q] ? TH_NFA_START : 0) | (a->accept[q] ? TH_NFA_ACCEPT : 0),
                         err) >= 0;
    for (size_t i = 0; good && i < a->n_arcs; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        char *self = arc->symbol == TH_AUTOMATON_EPSILON ? NULL : a->symbol[arc->symbol];
        ThAutomatonSubstitution same = {.word = &self, .n = self ? 1 : 0};
        good = spell(n, arc, self && of[arc->symbol] >= 0 ? &map[of[arc->symbol]] : &same, names,
                     err) &&
               (i % 4096 || !th_stopped(w.stop, err));
    }
    return good;
}

ThAutomaton *th_automaton_homomorphism(const ThAutomaton *a, const ThAutomatonSubstitution *map,
                                       int n, ThAutomatonWork w, ThError *err)
{
    ThNfa nfa = {.max_states = w.max_states};
    ThIntern names TH_OWNED(th_intern_free) = {0};
    ThAutomaton *result = NULL;
    int *of TH_OWNED(free) = th_alloc((size_t)a->n_symbols, sizeof *of, err);
    bool good = of && check_map(a, map, n, of, err) && image_symbols(&names, a, map, of, err) &&
                substitute(&nfa, a, map, of, &names, w, err);
    char **list TH_OWNED(free) = good ? name_list(&names, err) : NULL;
    result = th_nfa_finish(&nfa, &(ThNfaNames){.symbol = list, .n_symbols = (int)names.n},
                           list != NULL, err);
    return result;
}

/* The machine over the symbols of the map; the state n_states of the result is a sink. */
static ThDfa *preimage(const ThAutomaton *a, const ThDfa *d, const ThAutomatonSubstitution *map,
                       int n, ThError *err)
{
    size_t states = (size_t)d->n_states, k = (size_t)n;
    ThDfa *p = th_dfa_new(d->n_states + 1, n, 2, err);
    bool good = p != NULL;
    for (size_t i = 0; good && i < k; i++) {
        int *word TH_OWNED(free) = number_word(&map[i], a->symbol, a->n_symbols, err);
        good = word != NULL;
        bool known = true;
        for (int j = 0; good && j < map[i].n; j++)
            known = known && word[j] >= 0;
        for (size_t q = 0; good && q < states; q++)
            p->next[q * k + i] =
                known ? th_dfa_walk(d, (int)q, word, (size_t)map[i].n) : (int)states;
        if (p)
            p->next[states * k + i] = (int)states;
    }
    if (good) {
        p->start = d->start;
        memcpy(p->label, d->label, states * sizeof *p->label);
        return p;
    }
    th_dfa_free(p);
    return NULL;
}

ThAutomaton *th_automaton_inverse(const ThAutomaton *a, const ThAutomatonSubstitution *map, int n,
                                  ThAutomatonWork w, ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = NULL, *p TH_OWNED(th_dfa_free) = NULL;
    ThAutomaton *result = NULL;
    char **symbol TH_OWNED(free) = th_alloc((size_t)n, sizeof *symbol, err);
    bool good = symbol != NULL;
    for (int i = 0; good && i < n; i++) {
        for (int j = 0; good && j < i; j++)
            if (strcmp(map[i].symbol, map[j].symbol) == 0)
                good = th_fail(err, TH_EVALUE, "%.100s is replaced twice", map[i].symbol);
        if (good && !(symbol[i] = th_strdup(map[i].symbol, err)))
            good = false;
    }
    d = good ? th_automaton_acceptor(a, w.max_states, w.stop, err) : NULL;
    p = d ? preimage(a, d, map, n, err) : NULL;
    if (p)
        result = th_automaton_from_dfa(p, symbol, err);
    for (int i = 0; symbol && i < n; i++)
        free(symbol[i]);
    return result;
}

/* ---- relations ---- */

/* An arc of a relation: what is read and what is written, or -1. */
typedef struct {
    int in, out;
} Label;

static bool is_transducer(const ThAutomaton *a)
{
    return a->n_outputs > 0;
}

/* What an arc writes: its output, the output of the state it leads to, or, in an automaton without
 * outputs, what it reads. */
static Label label_of(const ThAutomaton *a, const ThAutomatonArc *arc, bool transducer)
{
    int out = arc->symbol;
    if (transducer)
        out = arc->output != TH_AUTOMATON_NO_OUTPUT ? arc->output : a->moore[arc->to];
    return (Label){arc->symbol, out};
}

/* The names of what an automaton writes. */
static char *const *written(const ThAutomaton *a, bool transducer, int *n)
{
    *n = transducer ? a->n_outputs : a->n_symbols;
    return transducer ? a->output : a->symbol;
}

/* Returns new: the automaton with its outputs on arcs only, and the start's own output, if it has
 * one, written on the way to it. */
static ThAutomaton *to_mealy(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    if (!th_automaton_moore(a))
        return th_automaton_copy(a, err);
    ThNfa n = {.max_states = w.max_states};
    ThNfaNames names = {a->symbol, a->output, a->n_symbols, a->n_outputs};
    bool good = true;
    for (int q = 0; good && q < a->n_states; q++)
        good = th_nfa_state(&n, a->accept[q] ? TH_NFA_ACCEPT : 0, err) >= 0;
    int start = good ? th_nfa_state(&n, TH_NFA_START, err) : -1;
    good = start >= 0;
    for (int q = 0; good && q < a->n_states; q++) {
        if (a->start[q])
            good =
                th_nfa_arc(&n, (ThAutomatonArc){start, TH_AUTOMATON_EPSILON, q, a->moore[q]}, err);
    }
    for (size_t i = 0; good && i < a->n_arcs; i++) {
        ThAutomatonArc arc = a->arc[i];
        arc.output = label_of(a, &a->arc[i], true).out;
        good = th_nfa_arc(&n, arc, err);
    }
    return th_nfa_finish(&n, &names, good, err);
}

/* Returns new: the automaton with other labels: in and out of every arc, by number. */
static ThAutomaton *relabel(const ThAutomaton *a, const Label *label, const ThNfaNames *names,
                            ThAutomatonWork w, ThError *err)
{
    ThNfa n = {.max_states = w.max_states};
    int offset;
    bool good = th_nfa_add(&n, a, NULL, &offset, err);
    for (size_t i = 0; good && i < a->n_arcs; i++) {
        n.arc[i].symbol = label[i].in;
        n.arc[i].output = label[i].out;
    }
    return th_nfa_finish(&n, names, good, err);
}

ThAutomaton *th_automaton_invert(const ThAutomaton *a, ThAutomatonWork w, ThError *err)
{
    if (!is_transducer(a))
        return th_automaton_copy(a, err);
    ThAutomaton *m TH_OWNED(th_automaton_free) = to_mealy(a, w, err);
    ThAutomaton *result = NULL;
    Label *label TH_OWNED(free) = m ? th_alloc(m->n_arcs, sizeof *label, err) : NULL;
    for (size_t i = 0; label && i < m->n_arcs; i++)
        label[i] = (Label){m->arc[i].output, m->arc[i].symbol};
    if (label) {
        ThNfaNames names = {m->output, m->symbol, m->n_outputs, m->n_symbols};
        result = relabel(m, label, &names, w, err);
    }
    return result;
}

ThAutomaton *th_automaton_project(const ThAutomaton *a, bool out, ThAutomatonWork w, ThError *err)
{
    bool transducer = is_transducer(a);
    ThAutomaton *m TH_OWNED(th_automaton_free) =
        transducer && out ? to_mealy(a, w, err) : th_automaton_copy(a, err);
    ThAutomaton *result = NULL;
    Label *label TH_OWNED(free) = m ? th_alloc(m->n_arcs, sizeof *label, err) : NULL;
    for (size_t i = 0; label && i < m->n_arcs; i++) {
        Label both = label_of(m, &m->arc[i], transducer);
        label[i] = (Label){out ? both.out : both.in, TH_AUTOMATON_NO_OUTPUT};
    }
    if (label) {
        ThNfaNames names = {.symbol = m->symbol, .n_symbols = m->n_symbols};
        if (out)
            names.symbol = written(m, transducer, &names.n_symbols);
        result = relabel(m, label, &names, w, err);
    }
    return result;
}

typedef struct {
    const ThAutomaton *a, *b;
    bool a_writes, b_writes;
    const int *meet; /* of b's symbols: what a writes for it, or -1 */
    ThIntern pair;
    ThNfa n;
    ThError *err;
} Composition;

typedef struct {
    int p, q;
} Pair;

static int pair_state(Composition *c, int p, int q)
{
    Pair pair = {p, q};
    size_t index;
    if (!th_intern(&c->pair, &pair, sizeof pair, &index, c->err))
        return -1;
    if (index < c->n.n_states)
        return (int)index;
    bool accept = c->a->accept[p] && c->b->accept[q];
    bool start = c->a->start[p] && c->b->start[q];
    return th_nfa_state(&c->n, (start ? TH_NFA_START : 0) | (accept ? TH_NFA_ACCEPT : 0), c->err);
}

static bool add_arc(Composition *c, int from, Label label, int p, int q)
{
    int to = pair_state(c, p, q);
    return to >= 0 && th_nfa_arc(&c->n, (ThAutomatonArc){from, label.in, to, label.out}, c->err);
}

/* The arcs of a pair: a writes nothing, or b reads nothing, or b reads what a writes. */
static bool compose_pair(Composition *c, int from, Pair at)
{
    const ThAutomaton *a = c->a, *b = c->b;
    for (size_t i = a->first[at.p]; i < a->first[at.p + 1]; i++) {
        Label x = label_of(a, &a->arc[i], c->a_writes);
        if (x.out < 0 &&
            !add_arc(c, from, (Label){x.in, TH_AUTOMATON_NO_OUTPUT}, a->arc[i].to, at.q))
            return false;
        for (size_t j = b->first[at.q]; x.out >= 0 && j < b->first[at.q + 1]; j++) {
            Label y = label_of(b, &b->arc[j], c->b_writes);
            if (y.in != TH_AUTOMATON_EPSILON && c->meet[y.in] == x.out &&
                !add_arc(c, from, (Label){x.in, y.out}, a->arc[i].to, b->arc[j].to))
                return false;
        }
    }
    for (size_t j = b->first[at.q]; j < b->first[at.q + 1]; j++) {
        Label y = label_of(b, &b->arc[j], c->b_writes);
        if (y.in == TH_AUTOMATON_EPSILON &&
            !add_arc(c, from, (Label){TH_AUTOMATON_EPSILON, y.out}, at.p, b->arc[j].to))
            return false;
    }
    return true;
}

static bool compose_all(Composition *c, ThAutomatonWork w)
{
    for (int p = 0; p < c->a->n_states; p++) {
        for (int q = 0; c->a->start[p] && q < c->b->n_states; q++)
            if (c->b->start[q] && pair_state(c, p, q) < 0)
                return false;
    }
    for (size_t i = 0; i < c->pair.n; i++) {
        Pair at;
        memcpy(&at, th_intern_at(&c->pair, i, NULL), sizeof at);
        if (!compose_pair(c, (int)i, at) ||
            (i % 1024 == 1023 && th_stopped_at(w.stop, c->pair.n, "pairs of states", c->err)))
            return false;
    }
    return true;
}

ThAutomaton *th_automaton_compose(const ThAutomaton *first, const ThAutomaton *second,
                                  ThAutomatonWork w, ThError *err)
{
    ThAutomaton *a TH_OWNED(th_automaton_free) = to_mealy(first, w, err),
                   *b TH_OWNED(th_automaton_free) = to_mealy(second, w, err);
    ThAutomaton *result = NULL;
    Composition c = {.a = a, .b = b, .n = {.max_states = w.max_states}, .err = err};
    int n_met = 0, n_out = 0;
    int *meet TH_OWNED(free) = b ? th_alloc((size_t)b->n_symbols, sizeof *meet, err) : NULL;
    if (a && meet) {
        c.a_writes = is_transducer(a);
        c.b_writes = is_transducer(b);
        c.meet = meet;
        char *const *met = written(a, c.a_writes, &n_met);
        char *const *out = written(b, c.b_writes, &n_out);
        for (int i = 0; i < b->n_symbols; i++)
            meet[i] = th_symbols_find(met, n_met, b->symbol[i]);
        ThNfaNames names = {a->symbol, out, a->n_symbols, n_out};
        bool plain = !c.a_writes && !c.b_writes;
        bool good = compose_all(&c, w);
        for (size_t i = 0; good && plain && i < c.n.n_arcs; i++)
            c.n.arc[i].output = TH_AUTOMATON_NO_OUTPUT;
        if (plain)
            names.n_outputs = 0;
        result = th_nfa_finish(&c.n, &names, good, err);
    }
    th_intern_free(&c.pair);
    return result;
}
