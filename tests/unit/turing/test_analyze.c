/* test_analyze.c - proofs that machines do not stop, checked by a stepper and checkers of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "turing/analyze.h"
#include "sanitized.h"

static const ThTmAnalysisLimits usual = {.run = {100000, UINT64_MAX},
                                         .configurations = 20000,
                                         .depth = 100,
                                         .width = 8,
                                         .history = 4,
                                         .reach = true,
                                         .run_it = true,
                                         .backward = true,
                                         .contexts = true};
static const ThTmTapeWords blank_words;

/* ---- a stepper for strings of bbchallenge with two symbols ----------------------------------- */

enum { HALF = 6000, MOST = 5000 };

typedef struct {
    const char *text;
    uint8_t tape[2 * HALF];
    int state, head; /* HALF is cell 0 */
    int steps;
    bool halted;
} Naive;

/* "1RB" or "---" of a state and a symbol. */
static const char *entry(const char *text, int state, int symbol)
{
    return text + 7 * state + 3 * symbol;
}

static char *entry_of(char *text, int state, int symbol)
{
    return text + 7 * state + 3 * symbol;
}

static int n_states(const char *text)
{
    return ((int)strlen(text) + 1) / 7;
}

static bool stopping(const char *text, const char *e)
{
    return *e == '-' || e[2] - 'A' >= n_states(text);
}

static void naive_step(Naive *x)
{
    const char *e = entry(x->text, x->state, x->tape[x->head]);
    x->steps++;
    x->halted = stopping(x->text, e);
    x->tape[x->head] = *e == '-' ? 1 : (uint8_t)(*e - '0');
    x->head += *e == '-' || e[1] == 'R' ? 1 : -1;
    x->state = x->halted ? -1 : e[2] - 'A';
    assert_in_range(x->head, 1, 2 * HALF - 2);
}

static void naive_start(Naive *x, const char *text)
{
    *x = (Naive){.text = text, .head = HALF};
}

static void naive_go(Naive *x, uint64_t steps)
{
    while (!x->halted && (uint64_t)x->steps < steps)
        naive_step(x);
}

/* ---- checkers of the proofs ------------------------------------------------------------------ */

/* Closed under the rules, and no way to stop in it. */
static void check_reach(const char *text, const ThTmReach *r)
{
    assert_true(r->state[0] && r->symbol[0][0]);
    for (int q = 0; q < n_states(text); q++) {
        for (int a = 0; r->state[q] && a < 2; a++) {
            const char *e = entry(text, q, a);
            if (!r->symbol[0][a])
                continue;
            assert_false(stopping(text, e));
            assert_true(r->state[e[2] - 'A'] && r->symbol[0][e[0] - '0']);
        }
    }
}

static void check_cycle(const char *text, const ThTmRecurrence *a)
{
    static Naive x, y;
    naive_start(&x, text);
    naive_start(&y, text);
    naive_go(&x, a->step);
    naive_go(&y, a->step + a->period);
    assert_true(a->period > 0);
    assert_false(y.halted);
    assert_int_equal(x.state, y.state);
    assert_int_equal(x.head, y.head);
    assert_memory_equal(x.tape, y.tape, sizeof x.tape);
}

static void check_translation(const char *text, const ThTmRecurrence *a)
{
    static Naive x, y;
    int way = a->shift > 0 ? 1 : -1, farthest = INT32_MIN;
    naive_start(&x, text);
    for (naive_go(&x, 0); x.steps < (int)a->step; naive_step(&x))
        farthest = way * x.head > farthest ? way * x.head : farthest;
    assert_true(way * x.head > farthest);
    y = x;
    int64_t first = HALF + a->first, last = HALF + a->last;
    while (y.steps < (int)(a->step + a->period)) {
        naive_step(&y);
        assert_false(y.halted);
        assert_true(way > 0 ? y.head >= first : y.head <= last);
        if (y.steps < (int)(a->step + a->period))
            farthest = way * y.head > farthest ? way * y.head : farthest;
    }
    assert_true(way * y.head > farthest);
    assert_int_equal(x.state, y.state);
    assert_int_equal(x.head, HALF + a->head);
    assert_int_equal(y.head - x.head, a->shift);
    assert_true(x.head >= first && x.head <= last);
    for (int64_t i = first; i <= last; i++)
        assert_int_equal(x.tape[i], y.tape[i + a->shift]);
}

enum { BACK = 128 };

typedef struct {
    const char *text;
    const ThTmReach *r;
    char cell[2 * BACK]; /* '0', '1' or '?' */
    long nodes;
} Back;

/* The greatest number of steps that can come before a configuration, over all entries. */
static int steps_before(Back *b, int state, int head, int depth)
{
    int most = depth;
    assert_true(depth < BACK - 1);
    b->nodes++;
    bool start = state == 0;
    for (int i = 0; i < 2 * BACK; i++)
        start = start && b->cell[i] != '1';
    assert_false(start);
    for (int q = 0; q < n_states(b->text); q++) {
        for (int a = 0; a < 2; a++) {
            const char *e = entry(b->text, q, a);
            if (stopping(b->text, e) || e[2] - 'A' != state || !b->r->state[q] ||
                !b->r->symbol[0][a])
                continue;
            int from = head + (e[1] == 'R' ? -1 : 1);
            char was = b->cell[from];
            if (was != '?' && was != e[0])
                continue;
            b->cell[from] = (char)('0' + a);
            int n = steps_before(b, q, from, depth + 1);
            most = n > most ? n : most;
            b->cell[from] = was;
        }
    }
    return most;
}

static void check_backward(const char *text, const ThTmBackward *tree, const ThTmReach *r)
{
    static Back b;
    int most = 0;
    b = (Back){.text = text, .r = r};
    memset(b.cell, '?', sizeof b.cell);
    for (int q = 0; q < n_states(text); q++) {
        for (int a = 0; a < 2; a++) {
            if (!r->state[q] || !r->symbol[0][a] || !stopping(text, entry(text, q, a)))
                continue;
            b.cell[BACK] = (char)('0' + a);
            int n = steps_before(&b, q, BACK, 0);
            most = n > most ? n : most;
            b.cell[BACK] = '?';
        }
    }
    assert_int_equal(most, tree->depth);
    assert_int_equal(b.nodes, tree->n);
}

static bool has_group(const ThIntern *set, const uint16_t *cell, int n)
{
    return th_intern_find(set, cell, (size_t)n * sizeof *cell) != SIZE_MAX;
}

/* The number of a cell after a symbol was written there in a case. */
static uint16_t written_cell(const ThTmContexts *c, uint16_t cell, int state, int symbol)
{
    uint16_t x[64];
    size_t size, most = 1 + 2 * (size_t)c->history;
    const uint16_t *old = th_intern_at(&c->cell, cell, &size);
    x[0] = (uint16_t)symbol;
    x[1] = (uint16_t)state;
    x[2] = old[0];
    memcpy(x + 3, old + 1, size - sizeof *x);
    size_t n = size / sizeof *x + 2;
    size_t index = th_intern_find(&c->cell, x, (n < most ? n : most) * sizeof *x);
    assert_true(index < c->cell.n);
    return (uint16_t)index;
}

/* Every context that may follow one by its rule must be there. */
static void check_context(const char *text, const ThTmContexts *c, const uint16_t *x)
{
    int n = c->width, q = x[0], a = *(const uint16_t *)th_intern_at(&c->cell, x[1], NULL);
    const char *e = entry(text, q, a);
    assert_false(stopping(text, e));
    bool right = e[1] == 'R';
    const uint16_t *ahead = right ? x + 2 + n : x + 2, *behind = right ? x + 2 : x + 2 + n;
    uint16_t y[64], *to_ahead = right ? y + 2 + n : y + 2, *to_behind = right ? y + 2 : y + 2 + n;
    assert_true(has_group(&c->left, x + 2, n) && has_group(&c->right, x + 2 + n, n));
    y[0] = (uint16_t)(e[2] - 'A');
    y[1] = ahead[0];
    to_behind[0] = written_cell(c, x[1], q, e[0] - '0');
    memcpy(to_behind + 1, behind, (size_t)(n - 1) * sizeof *y);
    memcpy(to_ahead, ahead + 1, (size_t)(n - 1) * sizeof *y);
    assert_true(has_group(right ? &c->left : &c->right, to_behind, n));
    for (size_t last = 0; last < c->cell.n; last++) {
        to_ahead[n - 1] = (uint16_t)last;
        if (has_group(right ? &c->right : &c->left, to_ahead, n))
            assert_true(has_group(&c->context, y, 2 + 2 * n));
    }
}

static void check_contexts(const char *text, const ThTmContexts *c)
{
    uint16_t zero[64] = {0};
    assert_true(has_group(&c->context, zero, 2 + 2 * c->width));
    for (size_t i = 0; i < c->context.n; i++)
        check_context(text, c, th_intern_at(&c->context, i, NULL));
}

static void check_proof(const char *text, const ThTmAnalysis *a)
{
    if (a->proof == TH_TM_PROOF_REACH)
        check_reach(text, &a->here);
    if (a->proof == TH_TM_PROOF_CYCLE)
        check_cycle(text, &a->again);
    if (a->proof == TH_TM_PROOF_TRANSLATION)
        check_translation(text, &a->again);
    if (a->proof == TH_TM_PROOF_BACKWARD)
        check_backward(text, &a->backward, &a->here);
    if (a->proof == TH_TM_PROOF_CONTEXTS)
        check_contexts(text, &a->contexts);
}

/* Analyses a machine, checks the proof, and tells what was proved. */
static ThTmProof analyze(const char *text, ThTmAnalysisLimits limits)
{
    ThError err = {0};
    ThTmAnalysis a;
    ThTm *m = th_tm_read_bb(text, &err);
    assert_non_null(m);
    assert_true(th_tm_analyze(&a, m, &blank_words, limits, NULL, &err));
    static Naive x;
    naive_start(&x, text);
    naive_go(&x, a.proof == TH_TM_PROOF_STOPS ? a.end.steps : MOST);
    assert_int_equal(x.halted, a.proof == TH_TM_PROOF_STOPS);
    assert_true(a.proof != TH_TM_PROOF_STOPS || (uint64_t)x.steps == a.end.steps);
    check_proof(text, &a);
    ThTmProof proof = a.proof;
    th_tm_analysis_free(&a, m);
    th_tm_free(m);
    return proof;
}

/* ---- all machines of a size ------------------------------------------------------------------ */

/* Entry number `i` of 4n + 1: undefined, or symbol, move and state. */
static void put_entry(char *to, int i, int states)
{
    if (i == 4 * states) {
        memcpy(to, "---", 3);
        return;
    }
    to[0] = (char)('0' + i % 2);
    to[1] = i / 2 % 2 ? 'R' : 'L';
    to[2] = (char)('A' + i / 4);
}

static void all_two_states(void **state)
{
    (void)state;
    int count[TH_TM_PROOF_CHOICES + 1] = {0};
    for (int i = 0; i < 6561; i++) {
        char text[] = "---------------";
        text[6] = '_';
        text[13] = '\0';
        for (int k = 0, rest = i; k < 4; k++, rest /= 9)
            put_entry(entry_of(text, k / 2, k % 2), rest % 9, 2);
        count[analyze(text, usual)]++;
    }
    print_message(
        "2 states: run %d, reach %d, cycle %d, translation %d, backward %d, contexts %d\n",
        count[1], count[2], count[3], count[4], count[5], count[6]);
    assert_int_equal(count[TH_TM_PROOF_STOPS], 1165);
    assert_int_equal(count[TH_TM_PROOF_NONE], 0);
}

typedef struct {
    char text[64];
    int states;
    uint64_t weight[16]; /* of so many open entries */
    uint64_t count[TH_TM_PROOF_CONTEXTS + 1];
    uint64_t halting;
    long leaves;
} Tree;

/* Machines whose entries are settled when a run comes to them; '-' is open.  A run of `most` steps
 * that has come to no open entry stands for all machines that differ in open entries only. */
static void explore(Tree *t, Naive x, int open, int most)
{
    while (x.steps < most && *entry(t->text, x.state, x.tape[x.head]) != '-')
        naive_step(&x);
    x.text = t->text;
    if (x.steps >= most) {
        t->leaves++;
        ThTmProof proof = analyze(t->text, usual);
        assert_true(proof != TH_TM_PROOF_STOPS);
        t->count[proof] += t->weight[open];
        return;
    }
    t->halting += t->weight[open - 1];
    char *e = entry_of(t->text, x.state, x.tape[x.head]);
    for (int i = 0; i < 4 * t->states; i++) {
        put_entry(e, i, t->states);
        explore(t, x, open - 1, most);
    }
    memcpy(e, "---", 3);
}

static void explore_all(Tree *t, int states, int most)
{
    static Naive x;
    *t = (Tree){.states = states, .weight = {1}};
    for (int i = 1; i <= 2 * states; i++)
        t->weight[i] = t->weight[i - 1] * (uint64_t)(4 * states + 1);
    for (int q = 0; q < states; q++)
        strcat(t->text, q ? "_------" : "------");
    naive_start(&x, t->text);
    explore(t, x, 2 * states, most);
}

/* All machines of a size, and how many of them halt.  Three states are 4.8 million machines, which
 * would take a minute under a sanitizer: there it is two. */
#ifdef __SANITIZE_ADDRESS__
enum { LESS = 10 };
enum { TREE_STATES = 2, TREE_STEPS = 6, TREE_HALTING = 1165, TREE_MACHINES = 6561 };
#else
enum { LESS = 1 };
enum { TREE_STATES = 3, TREE_STEPS = 21, TREE_HALTING = 790025, TREE_MACHINES = 4826809 };
#endif

static void all_of_a_size(void **state)
{
    (void)state;
    Tree *t = calloc(1, sizeof *t);
    assert_non_null(t);
    explore_all(t, TREE_STATES, TREE_STEPS);
    uint64_t never = 0;
    for (int i = TH_TM_PROOF_REACH; i <= TH_TM_PROOF_CONTEXTS; i++)
        never += t->count[i];
    print_message("%d states, %ld runs: reach %lu, cycle %lu, translation %lu, backward %lu, "
                  "contexts %lu, unknown %lu\n",
                  TREE_STATES, t->leaves, (unsigned long)t->count[2], (unsigned long)t->count[3],
                  (unsigned long)t->count[4], (unsigned long)t->count[5],
                  (unsigned long)t->count[6], (unsigned long)t->count[0]);
    assert_int_equal(t->halting, TREE_HALTING);
    assert_int_equal(t->halting + never, TREE_MACHINES);
    free(t);
}

/* ---- each method by itself ------------------------------------------------------------------- */

static ThTmAnalysisLimits only(ThTmProof method)
{
    ThTmAnalysisLimits l = usual;
    l.reach = method == TH_TM_PROOF_REACH;
    l.run_it = method == TH_TM_PROOF_CYCLE;
    l.backward = method == TH_TM_PROOF_BACKWARD;
    l.contexts = method == TH_TM_PROOF_CONTEXTS;
    l.run.steps = 2000;
    l.width = 4;
    l.history = 1;
    return l;
}

/* A random machine of a number of states; a tenth of the entries is undefined. */
static void random_machine(char *to, int states, ThRng *g)
{
    for (int i = 0; i < 2 * states; i++) {
        int e = th_rng_below(g, 10) == 0 ? 4 * states : (int)th_rng_below(g, 4 * (uint64_t)states);
        put_entry(entry_of(to, i / 2, i % 2), e, states);
        if (i % 2)
            *entry_of(to, i / 2, 2) = i + 1 < 2 * states ? '_' : '\0';
    }
}

/* Checks every proof that a method finds for thousands of machines, and that it finds no fewer than
 * it did: a method that has lost its strength is not wrong, and would go unnoticed. */
static void methods_alone(void **state)
{
    (void)state;
    static const ThTmProof method[] = {TH_TM_PROOF_REACH, TH_TM_PROOF_CYCLE, TH_TM_PROOF_BACKWARD,
                                       TH_TM_PROOF_CONTEXTS};
    static const int least[] = {1872, 2292, 1926, 2306};
    for (int k = 0; k < 4; k++) {
        ThRng g = th_rng(5, "analyze", (uint64_t)k);
        int proved = 0;
        for (int i = 0; i < 3000 / LESS; i++) {
            char text[64];
            random_machine(text, 3 + i % 2, &g);
            ThTmAnalysisLimits limits = only(method[k]);
            ThError err = {0};
            ThTmAnalysis a;
            ThTm *m = th_tm_read_bb(text, &err);
            static Naive x;
            assert_true(th_tm_analyze(&a, m, &blank_words, limits, NULL, &err));
            naive_start(&x, text);
            naive_go(&x, MOST);
            assert_true(!x.halted || a.proof == TH_TM_PROOF_NONE || a.proof == TH_TM_PROOF_STOPS);
            check_proof(text, &a);
            proved += a.proof > TH_TM_PROOF_STOPS;
            th_tm_analysis_free(&a, m);
            th_tm_free(m);
        }
        print_message("%s alone: %d of %d\n", th_tm_proof_name(method[k]), proved, 3000 / LESS);
        assert_true(SANITIZED || proved >= least[k]);
    }
}

/* The same for a tape with an edge where the head stays: what bounced stood on the first cell, and
 * nothing that came before is to the left of it. */
static void backward_to_the_edge(void **state)
{
    (void)state;
    enum { LEAST = 2767 };
    ThRng g = th_rng(11, "edges", 0);
    int proved = 0;
    for (int i = 0; i < 4000 / LESS; i++) {
        char text[64];
        random_machine(text, 3, &g);
        ThError err = {0};
        ThTmAnalysis a;
        ThTm *m = th_tm_read_bb(text, &err);
        m->edge = TH_TM_EDGE_STAY;
        assert_true(th_tm_analyze(&a, m, &blank_words, only(TH_TM_PROOF_BACKWARD), NULL, &err));
        int head = 0, q = m->start, tape[64] = {0};
        for (int n = 0; a.proof == TH_TM_PROOF_BACKWARD && n < 60; n++) {
            const ThTmRule *r = &m->rule[th_tm_rule(m, q, &tape[head])];
            tape[head] = r->write[0];
            head += head + r->move[0] < 0 ? 0 : r->move[0];
            q = r->to;
            assert_int_equal(m->role[q], TH_TM_RUNS);
        }
        proved += a.proof == TH_TM_PROOF_BACKWARD;
        for (size_t k = 0; k < a.backward.n; k++) {
            const ThTmBackNode *x = &a.backward.node[k];
            assert_true(x->edge == TH_TM_NO_EDGE || (x->low >= x->edge && x->head >= x->edge));
        }
        th_tm_analysis_free(&a, m);
        th_tm_free(m);
    }
    assert_true(SANITIZED || proved >= LEAST);
}

/* ---- machines of all kinds: never called never-ending where a run stops ---------------------- */

enum { CHOICES = 1, ONE_WAY = 2, TAPES = 4 };

static int random_part(ThRng *g, int n, bool any)
{
    return any && th_rng_below(g, 6) == 0 ? TH_TM_ANY : (int)th_rng_below(g, (uint64_t)n);
}

/* States 0 to 2 run, 3 halts; symbols 0 to 2.  Some cases have no rule, some rules are wild. */
static ThTm *random_kind(unsigned kind, ThRng *g)
{
    ThTmBuild b = {0};
    b.m.n_tapes = kind & TAPES ? 2 : 1;
    b.m.nondeterministic = kind & CHOICES;
    b.m.edge = kind & ONE_WAY ? (ThTmEdge)(1 + th_rng_below(g, 3)) : TH_TM_TWO_WAY;
    const char *names[] = {"p", "q", "r", "z"}, *symbols[] = {"_", "a", "b"};
    for (int i = 0; i < 4; i++)
        th_tm_state(&b, names[i]);
    for (int i = 0; i < 3; i++)
        th_tm_symbol(&b, symbols[i]);
    b.m.role[3] = TH_TM_HALTS;
    for (int q = 0; q < 3; q++) {
        for (int i = 0; i < (kind & TAPES ? 9 : 3); i++) {
            ThTmRule r = {.from = q, .read = {i % 3, i / 3}};
            int n = (kind & CHOICES) && th_rng_below(g, 3) == 0 ? 2 : th_rng_below(g, 12) > 0;
            for (int j = 0; j < n; j++) {
                r.to = th_rng_below(g, 20) == 0 ? 3 : random_part(g, 3, true);
                for (int t = 0; t < 2; t++) {
                    r.write[t] = random_part(g, 3, true);
                    r.move[t] = (int)th_rng_below(g, 3) - 1;
                }
                th_tm_add(&b, &r);
            }
        }
    }
    ThTmRule wild = {.from = TH_TM_ANY,
                     .to = 0,
                     .read = {TH_TM_ANY, TH_TM_ANY},
                     .write = {1, TH_TM_ANY},
                     .move = {1, -1}};
    if (th_rng_below(g, 3) == 0)
        th_tm_add(&b, &wild);
    ThError err = {0};
    ThTm *m = th_tm_finish(&b, &err);
    if (!m)
        print_error("%s\n", err.msg);
    assert_non_null(m);
    return m;
}

enum { CELLS = 160 };

/* Can it stop within so many steps, by any choice?  head, tape: of at most two tapes. */
static bool can_stop(const ThTm *m, int state, int *head, int (*tape)[CELLS], int steps)
{
    if (m->role[state] != TH_TM_RUNS)
        return true;
    if (steps == 0)
        return false;
    int read[TH_TM_MOST_TAPES] = {tape[0][head[0]], tape[1][head[1]]};
    bool any = false;
    for (size_t i = 0; i < m->n_rules; i++) {
        int first = th_tm_rule(m, state, read);
        const ThTmRule *r = &m->rule[i], *f = first < 0 ? NULL : &m->rule[first];
        if (!f || r->from != f->from || memcmp(r->read, f->read, sizeof(int) * (size_t)m->n_tapes))
            continue;
        any = true;
        int before[2] = {head[0], head[1]};
        bool over = false, stops;
        for (int t = 0; t < m->n_tapes; t++) {
            tape[t][head[t]] = r->write[t] == TH_TM_ANY ? read[t] : r->write[t];
            head[t] += r->move[t];
            if (m->edge != TH_TM_TWO_WAY && head[t] < CELLS / 2) {
                head[t] = CELLS / 2;
                over = true;
            }
        }
        stops = (over && m->edge != TH_TM_EDGE_STAY) ||
                can_stop(m, r->to == TH_TM_ANY ? state : r->to, head, tape, steps - 1);
        for (int t = 0; t < m->n_tapes; t++) {
            head[t] = before[t];
            tape[t][head[t]] = read[t];
        }
        if (stops)
            return true;
    }
    return !any;
}

static void all_kinds(void **state)
{
    (void)state;
    /* Machines with choices that stop do so by some run within 14 steps, which is found. */
    static const int least[] = {529, 478, 399, 294, 146, 99, 88, 36};
    ThRng g = th_rng(1, "kinds", 0);
    int proved[8] = {0}, stopping_runs[8] = {0}, by[TH_TM_PROOF_CHOICES + 1] = {0};
    for (int i = 0; i < 6000 / LESS; i++) {
        unsigned kind = (unsigned)i % 8;
        ThTm *m = random_kind(kind, &g);
        int word[] = {1, 2, 1}, tape[2][CELLS] = {{0}}, head[2] = {CELLS / 2, CELLS / 2};
        ThTmTapeWords words = {.word = {word}, .length = {(int)th_rng_below(&g, 4)}};
        for (int k = 0; k < words.length[0]; k++)
            tape[0][CELLS / 2 + k] = word[k];
        ThError err = {0};
        ThTmAnalysis a;
        ThTmAnalysisLimits limits = usual;
        limits.width = 3;
        limits.history = 1;
        limits.run.steps = 3000;
        assert_true(th_tm_analyze(&a, m, &words, limits, NULL, &err));
        bool stops = can_stop(m, m->start, head, tape, kind & CHOICES ? 14 : 70);
        assert_false(stops && a.proof > TH_TM_PROOF_STOPS);
        assert_true(!stops || !(kind & CHOICES) || a.proof == TH_TM_PROOF_STOPS);
        proved[kind] += a.proof > TH_TM_PROOF_STOPS;
        stopping_runs[kind] += stops;
        by[a.proof]++;
        ThText t = {0};
        assert_true(th_tm_proof_write(&t, &a, &(ThTmWork){.machine = m, .words = &words}, 0, &err));
        assert_true((t.data != NULL) == (a.proof > TH_TM_PROOF_STOPS));
        th_text_free(&t);
        th_tm_analysis_free(&a, m);
        th_tm_free(m);
    }
    for (int k = 0; k < 8; k++) {
        print_message("kind %d: %d proved, %d stop, of %d\n", k, proved[k], stopping_runs[k],
                      750 / LESS);
        assert_true(SANITIZED || (proved[k] >= least[k] && stopping_runs[k] > 5));
    }
    for (int p = 0; p <= TH_TM_PROOF_CHOICES; p++)
        print_message("%s: %d\n", th_tm_proof_name((ThTmProof)p), by[p]);
}

/* ---- known machines -------------------------------------------------------------------------- */

/* Five tapes of 25 symbols are too many cases to be looked at one by one: the rules that fit are
 * followed, and the machine may find none, as it does on most words. */
static void many_symbols(void **state)
{
    (void)state;
    enum { SYMBOLS = 25, MANY = 5 };
    ThTmBuild b = {.m = {.n_tapes = MANY}};
    ThTmReach r;
    th_tm_state(&b, "p");
    th_tm_state(&b, "q");
    th_tm_state(&b, "r");
    for (int i = 0; i < SYMBOLS; i++)
        th_tm_symbol(&b, (char[]){(char)('a' + i), '\0'});
    ThTmRule on = {.from = 0, .to = 1, .read = {1, 2, 3, 4, 5}, .write = {6, 7, 8, 9, 10}};
    ThTmRule back = {.from = 1, .to = 0, .read = {6, 7, 8, 9, 10}, .write = {1, 2, 3, 4, 5}};
    th_tm_add(&b, &on);
    th_tm_add(&b, &back);
    ThTm *m = th_tm_finish(&b, NULL);
    assert_non_null(m);
    assert_true(th_tm_reach(&r, m, NULL, NULL, NULL));
    assert_true(r.state[0] && r.state[1] && !r.state[2] && r.rule[0] && r.rule[1]);
    assert_true(r.stops);
    th_tm_reach_free(&r, m);
    th_tm_free(m);
}

static void known_machines(void **state)
{
    (void)state;
    assert_int_equal(analyze("1RB1LA_0LA0RB", usual), TH_TM_PROOF_REACH);
    assert_int_equal(analyze("1RB1LA_0LA0RB", only(TH_TM_PROOF_CONTEXTS)), TH_TM_PROOF_CONTEXTS);
    assert_int_equal(analyze("1RB---_0LC1LC_0RD0LB_1RA0RE_1RD1RZ", usual), TH_TM_PROOF_CONTEXTS);
    assert_int_equal(analyze("1RB1LB_1LA0LC_1RZ1LD_1RD0RA", usual), TH_TM_PROOF_STOPS);
}

/* The busy beaver of five states halts after 47176870 steps; long before there are more contexts
 * than are looked at, which proves nothing. */
static void too_many_contexts(void **state)
{
    (void)state;
    ThError err = {0};
    ThTm *m = th_tm_read_bb("1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", &err);
    ThTmContexts c;
    bool proved;
    ThTmWork w = {.machine = m, .words = &blank_words};
    assert_true(th_tm_contexts(&w, 64, 4, &c, &proved, &err));
    assert_true(c.context.n > 30000);
    assert_false(proved);
    th_tm_contexts_free(&c);
    th_tm_free(m);
}

/* A tree is a proof only if its deepest configurations have been looked at, too. */
static void depth_of_trees(void **state)
{
    (void)state;
    ThRng g = th_rng(9, "depth", 0);
    int deep = 0;
    for (int i = 0; i < 1000 / LESS; i++) {
        char text[64];
        random_machine(text, 3, &g);
        ThError err = {0};
        ThTm *m = th_tm_read_bb(text, &err);
        ThTmReach r;
        ThTmBackward whole, cut;
        bool proved, same;
        assert_true(th_tm_reach(&r, m, &blank_words, NULL, &err));
        ThTmWork w = {.machine = m, .words = &blank_words};
        assert_true(th_tm_backward(&w, &r, 60, &whole, &proved, &err));
        for (int d = whole.depth; proved && d <= whole.depth + 1; d++) {
            assert_true(th_tm_backward(&w, &r, d, &cut, &same, &err));
            assert_int_equal(same, d > whole.depth || whole.n == 0);
            th_tm_backward_free(&cut);
        }
        deep += proved && whole.depth > 0;
        th_tm_backward_free(&whole);
        th_tm_reach_free(&r, m);
        th_tm_free(m);
    }
    assert_true(SANITIZED || deep > 5);
}

/* Analyses a machine written as in a block on an input of 1s; what was proved. */
static ThTmProof analyze_block(const char *text, int ones, ThTmAnalysisLimits limits,
                               ThTmAnalysis *a)
{
    ThError err = {0};
    ThTm *m = th_tm_parse(text, &err);
    int word[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    ThTmTapeWords words = {.word = {word}, .length = {ones}};
    if (!m)
        fail_msg("%s", err.msg);
    assert_true(th_tm_analyze(a, m, &words, limits, NULL, &err));
    ThTmProof proof = a->proof;
    th_tm_analysis_free(a, m);
    th_tm_free(m);
    return proof;
}

/* The edge takes part: what lies before it moves on with the head, but the edge does not.  The
 * machine goes back to the edge, which it knows by standing there twice, and halts the next time.
 */
static void bouncing_is_no_translation(void **state)
{
    (void)state;
    static const char halts[] =
        "alphabet _ 1 m y; start r; halt z; tape one-way; r 1 -> R r; r y -> R r; r _ -> 1 L l;  "
        "l 1 -> m L l; l m -> y R r; l y -> y S z";
    ThTmAnalysis a;
    assert_int_equal(analyze_block(halts, 1, usual, &a), TH_TM_PROOF_STOPS);
    assert_int_equal(analyze_block(halts, 1, only(TH_TM_PROOF_CYCLE), &a), TH_TM_PROOF_STOPS);
    /* On its input no record counts: behind the 1s there is something else. */
    assert_int_equal(analyze_block("alphabet _ 1; start r; halt z; r 1 -> R r; r _ -> S z", 8,
                                   only(TH_TM_PROOF_CYCLE), &a),
                     TH_TM_PROOF_STOPS);
    /* One that bounced before the first record goes on to the right for ever all the same. */
    static const char once[] = "alphabet _ 1; start l; tape one-way; l _ -> 1 L r; l 1 -> S r; "
                               "r 1 -> R r; r _ -> 1 R r";
    assert_int_equal(analyze_block(once, 0, only(TH_TM_PROOF_CYCLE), &a), TH_TM_PROOF_TRANSLATION);
}

/* Each method by itself can be interrupted, and leaves nothing behind. */
static void stops_when_asked(void **state)
{
    (void)state;
    static const volatile sig_atomic_t now = 1;
    ThError err = {0};
    ThTm *m = th_tm_read_bb("1RB1RA_0LC1LE_1LD1LC_1LA0LB_1LF1RE_---0RA", &err);
    ThTmReach r;
    ThTmProof found;
    ThTmRecurrence again;
    ThTmFastFigures end;
    ThTmBackward b;
    ThTmContexts c;
    ThTmAnalysis a;
    bool proved;
    ThTmRunLimits limits = {100000, UINT64_MAX};
    assert_non_null(m);
    assert_true(th_tm_reach(&r, m, &blank_words, NULL, &err));
    ThTmWork w = {m, &blank_words, limits, &now};
    assert_false(th_tm_recur(&w, &again, &found, &end, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    err = (ThError){0};
    assert_false(th_tm_backward(&w, &r, 50, &b, &proved, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    err = (ThError){0};
    assert_false(th_tm_contexts(&w, 4, 1, &c, &proved, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    err = (ThError){0};
    assert_false(th_tm_analyze(&a, m, &blank_words, usual, &now, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    th_tm_reach_free(&r, m);
    th_tm_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_two_states),    cmocka_unit_test(all_of_a_size),
        cmocka_unit_test(methods_alone),     cmocka_unit_test(backward_to_the_edge),
        cmocka_unit_test(all_kinds),         cmocka_unit_test(known_machines),
        cmocka_unit_test(many_symbols),      cmocka_unit_test(depth_of_trees),
        cmocka_unit_test(too_many_contexts), cmocka_unit_test(bouncing_is_no_translation),
        cmocka_unit_test(stops_when_asked),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
