/* The same thing said otherwise has the same answer: states and symbols in another order, classes
 * exchanged, words backwards, strings one by one instead of many at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/varieties.h"
#include "automata/operations/shortest_difference.h"
#include "automata/operations/operations.h"
#include "given.h"
#include "inspect/extract.h"
#include "lab/evaluate.h"

enum { SYMBOLS = 3, STATES = 5, TRIES = 400 };
static char letter[SYMBOLS][2] = {"a", "b", "c"};

/* ---- random machines ------------------------------------------------------------------------- */

static ThDfa *random_machine(ThRng *r, int classes)
{
    ThDfa *d = th_dfa_new(2 + below(r, STATES - 1), SYMBOLS, classes, NULL);
    d->start = below(r, d->n_states);
    for (int i = 0; i < d->n_states * SYMBOLS; i++)
        d->next[i] = below(r, d->n_states);
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = below(r, classes);
    return d;
}

static void shuffle(ThRng *r, int *order, int n)
{
    for (int i = 0; i < n; i++) {
        int j = below(r, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* Returns new: state q is state[q] now, symbol a symbol[a], and class c class[c]. */
static ThDfa *renamed(const ThDfa *d, const int *state, const int *symbol, const int *class)
{
    ThDfa *to = th_dfa_new(d->n_states, d->n_symbols, d->n_classes, NULL);
    to->start = state[d->start];
    for (int q = 0; q < d->n_states; q++) {
        to->label[state[q]] = class[d->label[q]];
        for (int a = 0; a < d->n_symbols; a++)
            to->next[state[q] * d->n_symbols + symbol[a]] = state[d->next[q * d->n_symbols + a]];
    }
    return to;
}

/* ---- algebra --------------------------------------------------------------------------------- */

/* What the monoid of a minimal machine says, in the order of its fields; and what it says of the
 * words backwards. */
typedef struct {
    size_t states, size, period, exponent;
    bool same[9], side[4];
} Facts;

static Facts facts_of(const ThDfa *d)
{
    ThDfa *least = th_dfa_minimize(d, NULL, NULL);
    ThMonoid *m = th_monoid_new(least, 0, NULL, NULL);
    ThGreen *g = th_green_new(m, NULL, NULL);
    ThVarieties v;
    assert_true(th_varieties_of(&v, m, g, NULL, NULL));
    Facts f = {(size_t)least->n_states,
               (size_t)m->size,
               v.period,
               v.exponent,
               {v.aperiodic, v.group, v.solvable, v.commutative, v.idempotent, v.j_trivial, v.da,
                v.generalized_definite, v.locally_testable},
               {v.r_trivial, v.l_trivial, v.reverse_definite, v.definite}};
    th_varieties_free(&v);
    th_green_free(g);
    th_monoid_free(m);
    th_dfa_free(least);
    return f;
}

static void assert_same_facts(const Facts *a, const Facts *b, bool backwards)
{
    assert_int_equal(a->size, b->size);
    assert_true(a->period == b->period && a->exponent == b->exponent);
    assert_true(backwards || a->states == b->states);
    for (size_t i = 0; i < sizeof a->same; i++)
        if (a->same[i] != b->same[i])
            fail_msg("fact %zu", i);
    for (size_t i = 0; i < sizeof a->side; i++)
        if (a->side[i] != b->side[backwards ? i ^ 1 : i])
            fail_msg("fact %zu of a side", i);
}

/* The language backwards. */
static ThDfa *reversed(const ThDfa *d)
{
    char *names[] = {letter[0], letter[1], letter[2]};
    ThDfa *least = th_dfa_minimize(d, NULL, NULL);
    ThAutomaton *a = th_automaton_from_dfa(least, names, NULL);
    ThAutomaton *back = th_automaton_reverse(a, (ThAutomatonWork){0}, NULL);
    ThDfa *to = th_automaton_acceptor(back, 0, NULL, NULL);
    assert_non_null(to);
    th_automaton_free(back);
    th_automaton_free(a);
    th_dfa_free(least);
    return to;
}

/* Names, an exchange of accepting and rejecting, and reading backwards change nothing but which
 * side is which. */
static void test_algebra(void **state)
{
    (void)state;
    int one_sided = 0, groups = 0;
    ThRng r = th_rng(1, "test.metamorphic", 0);
    for (int i = 0; i < TRIES; i++) {
        int order[STATES], symbol[SYMBOLS];
        ThDfa *d = random_machine(&r, 2);
        shuffle(&r, order, d->n_states);
        shuffle(&r, symbol, SYMBOLS);
        ThDfa *other = renamed(d, order, symbol, (int[]){1, 0}), *back = reversed(d);
        Facts a = facts_of(d), b = facts_of(other), c = facts_of(back);
        assert_same_facts(&a, &b, false);
        assert_same_facts(&a, &c, true);
        one_sided += a.side[0] != a.side[1] || a.side[2] != a.side[3];
        groups += a.same[1] && a.states > 1;
        th_dfa_free(d);
        th_dfa_free(other);
        th_dfa_free(back);
    }
    assert_true(one_sided > 10 && groups > 2);
}

/* ---- comparing and learning ------------------------------------------------------------------ */

static ThAutomaton *automaton_of(const ThDfa *d, const int *symbol)
{
    char *names[SYMBOLS];
    ThDfa *least = th_dfa_minimize(d, NULL, NULL);
    for (int a = 0; a < SYMBOLS; a++)
        names[symbol[a]] = letter[a];
    ThAutomaton *to = th_automaton_from_dfa(least, names, NULL);
    th_dfa_free(least);
    assert_non_null(to);
    return to;
}

static bool equivalent(const ThAutomaton *a, const ThAutomaton *b, int *length, bool accepted[2])
{
    ThAutomatonDifference d;
    assert_true(th_automaton_compare(a, b, 0, NULL, &d, NULL));
    *length = d.word ? (int)strlen(d.word) : -1;
    memcpy(accepted, d.accepted, 2 * sizeof *accepted);
    free(d.word);
    return d.equivalent;
}

static int learned_states(const ThAutomaton *a)
{
    ThInspectTeacher t = {0};
    ThInspectExtracted x;
    const ThInspectTeaching how = {
        .length = {0, 30, 1}, .error = 0.01, .confidence = 0.95, .seed = 1, .most_states = 1000};
    assert_true(th_inspect_teach_automaton(&t, a, &how, NULL));
    assert_true(
        th_inspect_extract(&t, &(ThInspectExtraction){.states = 100, .samples = 100}, &x, NULL));
    int n = x.automaton->n_states;
    ThAutomatonDifference d;
    assert_true(th_automaton_compare(a, x.automaton, 0, NULL, &d, NULL) && d.equivalent);
    th_automaton_free(x.automaton);
    th_inspect_teacher_free(&t);
    return n;
}

/* An automaton with its states in another order, and its alphabet too, is the same; two that differ
 * do so on words as long from either side, and backwards as well. */
static void test_compare(void **state)
{
    (void)state;
    const int usual[] = {0, 1, 2};
    int differ = 0;
    ThRng r = th_rng(2, "test.metamorphic", 0);
    for (int i = 0; i < TRIES / 4; i++) {
        int order[STATES], symbol[SYMBOLS], n[4];
        bool said[2], other[2];
        ThDfa *x = random_machine(&r, 2), *y = random_machine(&r, 2);
        shuffle(&r, order, x->n_states);
        shuffle(&r, symbol, SYMBOLS);
        ThDfa *z = renamed(x, order, symbol, (int[]){0, 1});
        ThDfa *back_x = reversed(x), *back_y = reversed(y);
        ThAutomaton *a = automaton_of(x, usual), *b = automaton_of(y, usual),
                    *c = automaton_of(z, symbol), *d = automaton_of(back_x, usual),
                    *e = automaton_of(back_y, usual);
        assert_true(equivalent(a, c, &n[0], said));
        bool same = equivalent(a, b, &n[0], said);
        assert_int_equal(equivalent(b, a, &n[1], other), same);
        assert_true(n[0] == n[1] &&
                    (same || (said[0] == other[1] && said[1] == other[0] && said[0] != said[1])));
        assert_int_equal(equivalent(c, b, &n[2], other), same);
        assert_int_equal(equivalent(d, e, &n[3], other), same);
        assert_true(n[2] == n[0] && n[3] == n[0]);
        assert_int_equal(learned_states(a), learned_states(c));
        differ += !same;
        ThAutomaton *all[] = {a, b, c, d, e};
        for (int k = 0; k < 5; k++)
            th_automaton_free(all[k]);
        ThDfa *machine[] = {x, y, z, back_x, back_y};
        for (int k = 0; k < 5; k++)
            th_dfa_free(machine[k]);
    }
    assert_true(differ > TRIES / 8);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* A task of an automaton whose states and symbols stand in another order labels every word as
 * before. */
static void test_tasks(void **state)
{
    (void)state;
    static const char *const text[] = {
        "start one; accept zero; zero a -> one; one a -> two; two a -> zero; zero b -> one; "
        "one b -> zero; two b -> two; zero c -> two; one c -> two; two c -> two",
        "alphabet c a b; states two zero one; start one; accept zero; two c -> two; one c -> two; "
        "zero c -> two; two b -> two; one b -> zero; zero b -> one; two a -> zero; one a -> two; "
        "zero a -> one"};
    static const char *const kinds[] = {"recognize", "track"};
    for (int k = 0; k < 2; k++) {
        ThTask *t[] = {made_task(kinds[k], "", text[0]), made_task(kinds[k], "", text[1])};
        int word[2][8], n = 0, found[SYMBOLS];
        for (int a = 0; a < SYMBOLS; a++)
            for (int b = 0; b < SYMBOLS; b++)
                if (strcmp(t[0]->signature.symbol[a], t[1]->signature.symbol[b]) == 0)
                    found[a] = b;
        while (next_word(word[0], &n, SYMBOLS, 6)) {
            const char *said[2];
            for (int i = 0; i < n; i++)
                word[1][i] = found[word[0][i]];
            for (int i = 0; i < 2; i++)
                said[i] = t[i]->signature.label[th_dfa_class(t[i]->machine, word[i], (size_t)n)];
            assert_string_equal(said[0], said[1]);
        }
        th_task_free(t[0]);
        th_task_free(t[1]);
    }
}

/* ---- one by one ------------------------------------------------------------------------------ */

/* Scores of many strings at a time are those of each alone. */
static void test_one_by_one(void **state)
{
    (void)state;
    enum { LENGTH = 11, MANY = 37 };
    static const char *const models[][2] = {{"regulargpt", "dim=8 heads=2"},
                                            {"transformer", "dim=8 heads=2 layers=2"},
                                            {"gpt", "dim=8 heads=2 layers=2"},
                                            {"rnn", "dim=8"},
                                            {"lstm", "dim=8"},
                                            {"gru", "dim=8"},
                                            {"lrnn", "dim=8"},
                                            {"deltanet", "dim=8"}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        ThTask *t = made_task("cycle_navigation", "", NULL);
        ThModel *m = made_model(models[i][0], models[i][1]);
        assert_true(th_model_bind(m, &t->signature, 5, NULL));
        ThRng r = th_rng(9, "test.parameters", i);
        for (size_t k = 0; k < m->params.total; k++)
            m->params.value[k] = (float)(0.4 * th_rng_normal(&r));
        ThEvaluator *e = th_evaluator_new(m, t, 6, 2, NULL);
        ThScore all;
        assert_true(th_evaluator_length(e, LENGTH, MANY, &all, NULL));
        ThBatch b = {.B = MANY};
        assert_true(th_lab_draw(t, &(ThLabStrings){6, LENGTH, 0}, &b, NULL));
        int right = 0;
        double loss = 0;
        for (int k = 0; k < MANY; k++) {
            int said, due = *th_batch_target(&t->signature, &b, k);
            double z[16];
            assert_true(th_lab_predict(m, th_batch_token(&b, k), LENGTH, &said, NULL) &&
                        th_lab_logits(m, th_batch_token(&b, k), LENGTH, z, NULL));
            th_lab_probabilities(TH_TARGET_FINAL, z, t->signature.n_classes);
            right += said == due;
            loss -= log(z[due]) / MANY;
        }
        assert_true(fabs(all.accuracy - (double)right / MANY) < 1e-9);
        assert_true(fabs(all.loss - loss) < 1e-4 * (1 + loss));
        th_batch_free(&b);
        th_evaluator_free(e);
        th_model_free(m);
        th_task_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_algebra),
                                       cmocka_unit_test(test_compare), cmocka_unit_test(test_tasks),
                                       cmocka_unit_test(test_one_by_one)};
    return cmocka_run_group_tests_name("metamorphic", tests, NULL, NULL);
}
