/* Automata and machines against plain re-implementations: simulation of sets of states,
 * Brzozowski's double reversal, all words up to a length, naive closure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "automata/core/automaton.h"
#include "automata/core/build.h"
#include "automata/core/automaton_run.h"
#include "automata/operations/shortest_difference.h"
#include "base/rng.h"
#include "base/symbols.h"

/* ---- random automata ---- */

typedef struct {
    int states, symbols, arcs;
    int empty; /* one arc in `empty` is an empty move; 0: none */
    int outputs;
    bool mealy, moore, deterministic;
} Recipe;

static void random_arcs(ThAutomatonBuild *b, ThRng *r, const Recipe *p)
{
    for (int i = 0; i < p->arcs && !p->deterministic; i++) {
        int symbol =
            p->empty && below(r, p->empty) == 0 ? TH_AUTOMATON_EPSILON : below(r, p->symbols);
        int output = p->mealy ? below(r, p->outputs + 1) - 1 : TH_AUTOMATON_NO_OUTPUT;
        th_automaton_build_arc(
            b, (ThAutomatonArc){below(r, p->states), symbol, below(r, p->states), output});
    }
    for (int q = 0; q < p->states && p->deterministic; q++) {
        for (int a = 0; a < p->symbols; a++) {
            int output = p->mealy ? below(r, p->outputs + 1) - 1 : TH_AUTOMATON_NO_OUTPUT;
            if (below(r, 5) > 0)
                th_automaton_build_arc(b, (ThAutomatonArc){q, a, below(r, p->states), output});
        }
    }
}

static ThAutomaton *random_automaton(ThRng *r, const Recipe *p)
{
    static const char *const symbols[] = {"a", "b", "c", "d"};
    ThAutomatonBuild b = {0};
    char name[16];
    for (int a = 0; a < p->symbols; a++)
        th_automaton_build_symbol(&b, symbols[a]);
    for (int o = 0; o < p->outputs; o++) {
        snprintf(name, sizeof name, "x%d", o);
        th_automaton_build_output(&b, name);
    }
    for (int q = 0; q < p->states; q++) {
        snprintf(name, sizeof name, "s%d", q);
        th_automaton_build_state(&b, name);
        if (below(r, 3) == 0)
            th_automaton_build_accept(&b, q);
        if (p->moore && below(r, 4) > 0)
            th_automaton_build_moore(&b, q, below(r, p->outputs));
    }
    th_automaton_build_start(&b, below(r, p->states));
    if (!p->deterministic && below(r, 2))
        th_automaton_build_start(&b, below(r, p->states));
    random_arcs(&b, r, p);
    ThError err = {0};
    ThAutomaton *a = th_automaton_build_finish(&b, &err);
    assert_non_null(a);
    return a;
}

static ThDfa *random_dfa(ThRng *r, int states, int symbols, int classes)
{
    ThDfa *d = th_dfa_new(states, symbols, classes, NULL);
    assert_non_null(d);
    d->start = below(r, states);
    for (int i = 0; i < states * symbols; i++)
        d->next[i] = below(r, states);
    for (int q = 0; q < states; q++)
        d->label[q] = below(r, classes);
    return d;
}

/* ---- oracles: sets of states as bits ---- */

static uint64_t close_bits(const ThAutomaton *a, uint64_t set)
{
    for (uint64_t before = 0; before != set;) {
        before = set;
        for (size_t i = 0; i < a->n_arcs; i++) {
            if (a->arc[i].symbol == TH_AUTOMATON_EPSILON && (set >> a->arc[i].from & 1))
                set |= (uint64_t)1 << a->arc[i].to;
        }
    }
    return set;
}

static uint64_t start_bits(const ThAutomaton *a)
{
    uint64_t set = 0;
    for (int q = 0; q < a->n_states; q++)
        set |= (uint64_t)a->start[q] << q;
    return close_bits(a, set);
}

static uint64_t step_bits(const ThAutomaton *a, uint64_t set, int symbol)
{
    uint64_t to = 0;
    for (size_t i = 0; i < a->n_arcs; i++) {
        if (a->arc[i].symbol == symbol && (set >> a->arc[i].from & 1))
            to |= (uint64_t)1 << a->arc[i].to;
    }
    return close_bits(a, to);
}

static bool accepts_bits(const ThAutomaton *a, uint64_t set)
{
    for (int q = 0; q < a->n_states; q++) {
        if (a->accept[q] && (set >> q & 1))
            return true;
    }
    return false;
}

static bool simulate(const ThAutomaton *a, const int *word, int length)
{
    uint64_t set = start_bits(a);
    for (int i = 0; i < length; i++)
        set = step_bits(a, set, word[i]);
    return accepts_bits(a, set);
}

/* A deterministic machine by the subset construction on bits; rows of reached sets. */
typedef struct {
    int n, k;
    uint64_t set[4096];
    int next[4096][4];
} BitMachine;

static int find_set(BitMachine *m, uint64_t set)
{
    int i = 0;
    while (i < m->n && m->set[i] != set)
        i++;
    if (i == m->n) {
        assert_true(m->n < 4096);
        m->set[m->n++] = set;
    }
    return i;
}

/* Determinizes the reverse of an automaton with empty moves. */
static void reverse_automaton(BitMachine *m, const ThAutomaton *a)
{
    m->n = 0;
    m->k = a->n_symbols;
    uint64_t start = 0;
    for (int q = 0; q < a->n_states; q++) {
        if (accepts_bits(a, close_bits(a, (uint64_t)1 << q)))
            start |= (uint64_t)1 << q;
    }
    find_set(m, start);
    for (int i = 0; i < m->n; i++) {
        for (int c = 0; c < m->k; c++) {
            uint64_t before = 0;
            for (int q = 0; q < a->n_states; q++) {
                uint64_t to = step_bits(a, close_bits(a, (uint64_t)1 << q), c);
                if (to & m->set[i])
                    before |= (uint64_t)1 << q;
            }
            m->next[i][c] = find_set(m, before);
        }
    }
}

/* The number of states of the determinized reverse of m, in which the states that hold a start of
 * the automaton behind m accept. */
static int reverse_again(const BitMachine *m, uint64_t start_of_automaton)
{
    static BitMachine r;
    r.n = 0;
    uint64_t start = 0;
    assert_true(m->n <= 64);
    for (int i = 0; i < m->n; i++) {
        if (m->set[i] & start_of_automaton)
            start |= (uint64_t)1 << i;
    }
    find_set(&r, start);
    for (int i = 0; i < r.n; i++) {
        for (int c = 0; c < m->k; c++) {
            uint64_t before = 0;
            for (int q = 0; q < m->n; q++)
                before |= (r.set[i] >> m->next[q][c] & 1) << q;
            find_set(&r, before);
        }
    }
    return r.n;
}

/* Brzozowski: the minimal complete deterministic machine has this many states. */
static int minimal_size(const ThAutomaton *a)
{
    static BitMachine m;
    reverse_automaton(&m, a);
    return reverse_again(&m, start_bits(a));
}

/* ---- determinizing and minimizing ---- */

static void assert_same_language(const ThAutomaton *a, const ThDfa *d, int most)
{
    int word[MAX_WORD] = {0}, length = 0;
    do
        assert_int_equal(simulate(a, word, length), th_dfa_class(d, word, (size_t)length));
    while (next_word(word, &length, a->n_symbols, most));
}

static void test_subsets_and_minimal_machines(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 600; i++) {
        ThRng r = th_rng(1, "test.automata.subset", i);
        Recipe p = {.states = 1 + below(&r, 6), .symbols = 1 + below(&r, 2), .arcs = below(&r, 18)};
        p.empty = below(&r, 2) * 5;
        ThAutomaton *a = random_automaton(&r, &p);
        ThDfa *d = th_automaton_dfa(a, 0, NULL, NULL), *m = th_dfa_minimize(d, NULL, NULL);
        assert_non_null(m);
        assert_same_language(a, d, 8);
        assert_same_language(a, m, 8);
        assert_int_equal(m->n_states, minimal_size(a));
        th_dfa_free(d);
        th_dfa_free(m);
        th_automaton_free(a);
    }
}

/* The same automaton behind so many idle states that sets are kept as lists. */
static void test_large_automata_take_the_same_way(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60; i++) {
        ThRng r = th_rng(2, "test.automata.sparse", i);
        Recipe p = {.states = 6, .symbols = 2, .arcs = 16, .empty = below(&r, 2) * 5};
        ThAutomaton *small = random_automaton(&r, &p);
        ThAutomatonBuild b = {0};
        char name[16];
        th_automaton_build_symbol(&b, "a");
        th_automaton_build_symbol(&b, "b");
        for (int q = 0; q < 1000; q++) {
            snprintf(name, sizeof name, "s%d", q);
            th_automaton_build_state(&b, name);
        }
        for (int q = 0; q < 6; q++) {
            if (small->start[q])
                th_automaton_build_start(&b, 990 - 7 * q);
            if (small->accept[q])
                th_automaton_build_accept(&b, 990 - 7 * q);
        }
        for (size_t j = 0; j < small->n_arcs; j++) {
            ThAutomatonArc arc = small->arc[j];
            th_automaton_build_arc(
                &b, (ThAutomatonArc){990 - 7 * arc.from, arc.symbol, 990 - 7 * arc.to, -1});
        }
        ThAutomaton *large = th_automaton_build_finish(&b, NULL);
        ThDfa *d = th_automaton_dfa(large, 0, NULL, NULL),
              *e = th_automaton_dfa(small, 0, NULL, NULL);
        int length = 0;
        assert_int_equal(d->n_states, e->n_states);
        assert_null(th_dfa_distinguish(d, e, &length, NULL, NULL));
        assert_int_equal(length, -1);
        th_dfa_free(d);
        th_dfa_free(e);
        th_automaton_free(large);
        th_automaton_free(small);
    }
}

/* Moore's table-filling: the number of classes of reachable states. */
static int naive_classes(const ThDfa *d)
{
    bool reached[32] = {false}, differ[32][32] = {{false}};
    reached[d->start] = true;
    for (int turn = 0; turn < d->n_states; turn++) {
        for (int i = 0; i < d->n_states * d->n_symbols; i++) {
            if (reached[i / d->n_symbols])
                reached[d->next[i]] = true;
        }
    }
    for (int p = 0; p < d->n_states; p++) {
        for (int q = 0; q < d->n_states; q++)
            differ[p][q] = d->label[p] != d->label[q];
    }
    for (int turn = 0; turn < d->n_states; turn++) {
        for (int p = 0; p < d->n_states; p++) {
            for (int q = 0; q < d->n_states; q++) {
                for (int a = 0; a < d->n_symbols; a++)
                    differ[p][q] |=
                        differ[d->next[p * d->n_symbols + a]][d->next[q * d->n_symbols + a]];
            }
        }
    }
    int n = 0;
    for (int q = 0; q < d->n_states; q++) {
        bool fresh = reached[q];
        for (int p = 0; p < q; p++)
            fresh = fresh && !(reached[p] && !differ[p][q]);
        n += fresh;
    }
    return n;
}

/* The same machine under other state numbers. */
static ThDfa *shuffled(const ThDfa *d, ThRng *r)
{
    int to[32];
    for (int q = 0; q < d->n_states; q++) {
        int j = below(r, q + 1);
        to[q] = to[j];
        to[j] = q;
    }
    ThDfa *s = th_dfa_copy(d, NULL);
    s->start = to[d->start];
    for (int q = 0; q < d->n_states; q++) {
        s->label[to[q]] = d->label[q];
        for (int a = 0; a < d->n_symbols; a++)
            s->next[to[q] * d->n_symbols + a] = to[d->next[q * d->n_symbols + a]];
    }
    return s;
}

static void test_minimal_machines_of_many_classes(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        ThRng r = th_rng(3, "test.automata.minimize", i);
        ThDfa *d = random_dfa(&r, 1 + below(&r, 24), below(&r, 4), 1 + below(&r, 3));
        ThDfa *s = shuffled(d, &r);
        ThDfa *m = th_dfa_minimize(d, NULL, NULL), *n = th_dfa_minimize(s, NULL, NULL);
        assert_int_equal(m->n_states, naive_classes(d));
        int length = 0;
        assert_null(th_dfa_distinguish(d, m, &length, NULL, NULL));
        assert_int_equal(length, -1);
        assert_int_equal(m->n_states, n->n_states);
        assert_int_equal(m->start, 0);
        assert_memory_equal(m->next, n->next,
                            sizeof *m->next * (size_t)m->n_states * (size_t)m->n_symbols);
        assert_memory_equal(m->label, n->label, sizeof *m->label * (size_t)m->n_states);
        th_dfa_free(d);
        th_dfa_free(s);
        th_dfa_free(m);
        th_dfa_free(n);
    }
}

/* ---- comparing ---- */

static void test_witness_is_shortest_and_first(void **state)
{
    (void)state;
    int different = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        ThRng r = th_rng(4, "test.automata.compare", i);
        int k = 1 + below(&r, 3), classes = 1 + below(&r, 3);
        ThDfa *a = random_dfa(&r, 1 + below(&r, 5), k, classes);
        ThDfa *b = below(&r, 3) ? random_dfa(&r, 1 + below(&r, 4), k, classes) : shuffled(a, &r);
        b->label[below(&r, b->n_states)] = below(&r, classes);
        int word[MAX_WORD] = {0}, length = 0, found_length = 0;
        bool differs = false; /* at length n_a + n_b - 2 at the latest */
        do
            differs =
                th_dfa_class(a, word, (size_t)length) != th_dfa_class(b, word, (size_t)length);
        while (!differs && next_word(word, &length, k, a->n_states + b->n_states - 2));
        int *found = th_dfa_distinguish(a, b, &found_length, NULL, NULL);
        assert_int_equal(found_length, differs ? length : -1);
        if (differs && length)
            assert_memory_equal(found, word, sizeof *word * (size_t)length);
        different += differs;
        free(found);
        th_dfa_free(a);
        th_dfa_free(b);
    }
    assert_in_range(different, 1000, 3500);
}

/* Reading a word in symbols 0 … 3 named a … d: what a deterministic transducer puts out last. */
static int naive_output(const ThAutomaton *a, const ThAutomaton *t, const int *word, int length,
                        bool *accepted)
{
    int q = -1, output = TH_AUTOMATON_NO_OUTPUT;
    for (int p = 0; p < t->n_states; p++)
        q = t->start[p] ? p : q;
    for (int i = 0; i < length && q >= 0; i++) {
        const char *name = a->symbol[word[i]];
        int from = q;
        q = -1;
        for (size_t j = 0; j < t->n_arcs; j++) {
            if (t->arc[j].from == from && strcmp(t->symbol[t->arc[j].symbol], name) == 0) {
                q = t->arc[j].to;
                output = t->arc[j].output;
            }
        }
    }
    *accepted = q >= 0 && t->accept[q];
    if (q < 0)
        return TH_AUTOMATON_NO_OUTPUT;
    return t->moore[q] != TH_AUTOMATON_NO_OUTPUT ? t->moore[q] : output;
}

/* The first word on which two automata over the same symbols do not do the same; false: none. */
static bool naive_difference(const ThAutomaton *a, const ThAutomaton *b, int *word, int *length,
                             int most)
{
    *length = 0;
    do {
        bool x, y;
        int of_a = naive_output(a, a, word, *length, &x),
            of_b = naive_output(a, b, word, *length, &y);
        if (of_a != of_b || x != y)
            return true;
    } while (next_word(word, length, a->n_symbols, most));
    return false;
}

static bool is_transducer(const ThAutomaton *a)
{
    return th_automaton_moore(a) || th_automaton_mealy(a);
}

static void test_transducers(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1500; i++) {
        ThRng r = th_rng(5, "test.automata.transducer", i);
        Recipe p = {.states = 1 + below(&r, 5), .symbols = 1 + below(&r, 2), .outputs = 2};
        p.deterministic = true;
        p.mealy = below(&r, 2);
        p.moore = !p.mealy;
        ThAutomaton *a = random_automaton(&r, &p), *b = random_automaton(&r, &p);
        ThAutomaton *t = th_automaton_trim(a, NULL), *u = th_automaton_trim(b, NULL);
        ThAutomaton *m = th_automaton_minimize(a, 0, NULL, NULL);
        ThAutomaton *again = th_automaton_minimize(m, 0, NULL, NULL);
        int word[MAX_WORD] = {0}, length;
        assert_false(naive_difference(t, m, word, &length, 8));
        memset(word, 0, sizeof word);
        bool differ = naive_difference(t, u, word, &length, 8);
        ThAutomatonDifference d;
        assert_true(th_automaton_compare(a, b, 0, NULL, &d, NULL));
        assert_int_equal(d.by_output, is_transducer(a) && is_transducer(b));
        if (d.by_output) {
            ThText text = {0};
            th_symbols_write(&text, a->symbol, a->n_symbols, word, length);
            assert_int_equal(d.equivalent, !differ);
            assert_string_equal(d.word ? d.word : "", differ && text.data ? text.data : "");
            th_text_free(&text);
        }
        free(d.word);
        assert_true(th_automaton_compare(a, m, 0, NULL, &d, NULL));
        assert_true(d.equivalent);
        assert_int_equal(again->n_states, m->n_states);
        assert_int_equal(again->n_arcs, m->n_arcs);
        assert_memory_equal(again->arc, m->arc, m->n_arcs * sizeof *m->arc);
        ThAutomaton *const all[] = {a, b, t, u, m, again};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            th_automaton_free(all[j]);
    }
}

static void test_alphabets_are_united(void **state)
{
    (void)state;
    ThAutomaton *a = parse("alphabet b a; start q; accept q; q a,b -> q");
    ThAutomaton *b = parse("alphabet c b; start q; accept q; q c,b -> q");
    ThAutomatonDifference d;
    assert_true(th_automaton_compare(a, b, 0, NULL, &d, NULL));
    assert_string_equal(d.word, "a"); /* b a c: b is in both */
    assert_true(d.accepted[0]);
    assert_false(d.accepted[1]);
    free(d.word);
    assert_true(th_automaton_compare(b, a, 0, NULL, &d, NULL));
    assert_string_equal(d.word, "c");
    free(d.word);
    th_automaton_free(a);
    th_automaton_free(b);
}

static void test_interrupted(void **state)
{
    (void)state;
    volatile sig_atomic_t stop = 1;
    ThRng r = th_rng(6, "test.automata.stop", 0);
    ThDfa *d = th_dfa_new(100000, 2, 2, NULL);
    for (int i = 0; i < 200000; i++)
        d->next[i] = below(&r, 100000);
    for (int q = 0; q < 100000; q++)
        d->label[q] = below(&r, 2);
    ThDfa *e = th_dfa_copy(d, NULL);
    ThError err = {0};
    int length = 7;
    assert_null(th_dfa_distinguish(d, e, &length, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_int_equal(length, 0);
    err = (ThError){0};
    assert_null(th_dfa_minimize(d, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    err = (ThError){0};
    const bool both[4] = {false, false, false, true};
    assert_null(th_dfa_product(d, e, both, 0, &stop, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    err = (ThError){0};
    assert_null(th_dfa_product(d, e, both, 1000, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_dfa_free(d);
    th_dfa_free(e);
}

/* The third symbol from the end is a: 8 sets. */
static void test_state_limit(void **state)
{
    (void)state;
    ThAutomaton *a = parse("start q; accept t; q a,b -> q; q a -> r; r a,b -> s; s a,b -> t");
    ThError err = {0};
    ThDfa *d = th_automaton_dfa(a, 8, NULL, &err);
    assert_non_null(d);
    assert_int_equal(d->n_states, 8);
    th_dfa_free(d);
    assert_null(th_automaton_dfa(a, 7, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_non_null(strstr(err.msg, "more than 7 states"));
    th_automaton_free(a);
}

/* ---- the transition monoid ---- */

enum { MOST_MAPS = 4000, MAP = 5 };

/* All maps that words induce, by repeated multiplication of everything with everything. */
static int naive_monoid(const ThDfa *d, bool *aperiodic)
{
    static int map[MOST_MAPS][MAP];
    int n = 1;
    for (int q = 0; q < d->n_states; q++)
        map[0][q] = q;
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < d->n_symbols; a++) {
            int to[MAP], j = 0;
            for (int q = 0; q < d->n_states; q++)
                to[q] = d->next[map[i][q] * d->n_symbols + a];
            while (j < n && memcmp(map[j], to, sizeof *to * (size_t)d->n_states) != 0)
                j++;
            if (j == n)
                memcpy(map[n++], to, sizeof *to * (size_t)d->n_states);
        }
    }
    *aperiodic = true;
    for (int i = 0; i < n; i++) { /* m^n = m^(n+1) for n states? */
        for (int q = 0; q < d->n_states; q++) {
            int p = q;
            for (int turn = 0; turn < d->n_states; turn++)
                p = map[i][p];
            *aperiodic = *aperiodic && map[i][p] == p;
        }
    }
    return n;
}

static void test_monoid(void **state)
{
    (void)state;
    int n_aperiodic = 0;
    for (uint64_t i = 0; i < 300; i++) {
        ThRng r = th_rng(7, "test.automata.monoid", i);
        ThDfa *d = random_dfa(&r, 1 + below(&r, MAP), below(&r, 3), 2);
        bool want, got;
        int size = naive_monoid(d, &want);
        assert_int_equal(monoid_size(d, MOST_MAPS, &got, NULL), size);
        assert_int_equal(got, want);
        n_aperiodic += got;
        if (size > 1) {
            ThError err = {0};
            assert_int_equal(monoid_size(d, (size_t)size - 1, &got, &err), 0);
            assert_int_equal(err.code, TH_ELIMIT);
        }
        th_dfa_free(d);
    }
    assert_in_range(n_aperiodic, 50, 250);
}

/* Three maps generate all maps of six states: 6^6. */
static void test_full_transformation_monoid(void **state)
{
    (void)state;
    ThDfa *d = th_dfa_new(6, 3, 2, NULL);
    for (int q = 0; q < 6; q++) {
        d->next[q * 3] = (q + 1) % 6;
        d->next[q * 3 + 1] = q < 2 ? 1 - q : q;
        d->next[q * 3 + 2] = q == 1 ? 0 : q;
    }
    bool aperiodic;
    assert_int_equal(monoid_size(d, 100000, &aperiodic, NULL), 46656);
    assert_false(aperiodic);
    th_dfa_free(d);
}

/* ---- operations on languages ---- */

static void test_operators(void **state)
{
    (void)state;
    ThAutomaton *p = evaluate("parity"), *e = evaluate("even_pairs");
    static const char *const text[] = {"parity & even_pairs",
                                       "parity | even_pairs",
                                       "parity - even_pairs",
                                       "~parity",
                                       "~(parity | ~even_pairs)",
                                       "minimize(parity & even_pairs)",
                                       "~~parity",
                                       "parity - even_pairs - parity",
                                       "parity & even_pairs | ~parity & ~even_pairs",
                                       "determinize(trim(parity - even_pairs))"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        ThAutomaton *a = evaluate(text[i]);
        int word[MAX_WORD] = {0}, length = 0;
        do {
            bool x = simulate(p, word, length), y = simulate(e, word, length);
            const bool want[] = {
                x && y, x || y, x && !y, !x, !x && y, x && y, x, false, (x && y) || (!x && !y),
                x && !y};
            assert_int_equal(simulate(a, word, length), want[i]);
        } while (next_word(word, &length, 2, 7));
        th_automaton_free(a);
    }
    th_automaton_free(p);
    th_automaton_free(e);
}

static void complement(ThDfa *d)
{
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = !d->label[q];
}

/* ~(A | B) = ~A & ~B */
static void test_de_morgan(void **state)
{
    (void)state;
    const bool either[4] = {false, true, true, true}, both[4] = {false, false, false, true};
    for (uint64_t i = 0; i < 200; i++) {
        ThRng r = th_rng(9, "test.automata.morgan", i);
        ThDfa *a = random_dfa(&r, 1 + below(&r, 6), 2, 2),
              *b = random_dfa(&r, 1 + below(&r, 6), 2, 2);
        ThDfa *x = th_dfa_product(a, b, either, 0, NULL, NULL);
        complement(x);
        complement(a);
        complement(b);
        ThDfa *y = th_dfa_product(a, b, both, 0, NULL, NULL);
        int length;
        assert_null(th_dfa_distinguish(x, y, &length, NULL, NULL));
        assert_int_equal(length, -1);
        ThDfa *const all[] = {a, b, x, y};
        for (size_t j = 0; j < 4; j++)
            th_dfa_free(all[j]);
    }
}

/* ---- runs ---- */

static void test_runs(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        ThRng r = th_rng(10, "test.automata.run", i);
        Recipe p = {.states = 1 + below(&r, 6), .symbols = 2, .arcs = below(&r, 18), .empty = 4};
        ThAutomaton *a = random_automaton(&r, &p);
        int word[MAX_WORD], length = below(&r, 10);
        for (int j = 0; j < length; j++)
            word[j] = below(&r, 2);
        ThAutomatonRun run;
        assert_true(th_automaton_run_word(&run, a, word, length, NULL, NULL));
        assert_int_equal(run.accepted, simulate(a, word, length));
        uint64_t set = start_bits(a);
        for (int j = 0; j <= run.read; j++) {
            uint64_t seen = 0;
            for (size_t k = run.layer[j]; k < run.layer[j + 1]; k++)
                seen |= (uint64_t)1 << run.node[k].state;
            assert_int_equal(seen, set);
            set = j < length ? step_bits(a, set, word[j]) : set;
        }
        assert_true(run.read == length || set == 0);
        size_t n, *path = th_automaton_run_path(&run, &n, NULL);
        int read = 0;
        for (size_t j = 0; j < n; j++) { /* every step of the path is an arc */
            const ThAutomatonRunNode *node = &run.node[path[j]];
            bool found = j == 0 && a->start[node->state] && node->symbol == TH_AUTOMATON_RUN_START;
            for (size_t k = 0; k < a->n_arcs && j > 0; k++)
                found = found || (a->arc[k].from == run.node[path[j - 1]].state &&
                                  a->arc[k].to == node->state && a->arc[k].symbol == node->symbol);
            assert_true(found);
            if (node->symbol >= 0)
                assert_int_equal(node->symbol, word[read++]);
        }
        assert_int_equal(read, run.read);
        assert_true(!run.accepted || a->accept[run.node[run.last].state]);
        free(path);
        th_automaton_run_free(&run);
        th_automaton_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subsets_and_minimal_machines),
        cmocka_unit_test(test_large_automata_take_the_same_way),
        cmocka_unit_test(test_minimal_machines_of_many_classes),
        cmocka_unit_test(test_witness_is_shortest_and_first),
        cmocka_unit_test(test_transducers),
        cmocka_unit_test(test_alphabets_are_united),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_state_limit),
        cmocka_unit_test(test_monoid),
        cmocka_unit_test(test_full_transformation_monoid),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_de_morgan),
        cmocka_unit_test(test_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
