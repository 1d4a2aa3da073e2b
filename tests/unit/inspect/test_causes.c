/* Replaced vectors and probes, by hand, on small models of languages in which the order of symbols
 * matters: what an answer should be is read from the mixed string. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>

#include "compile/compile.h"
#include "given.h"
#include "inspect/patch.h"
#include "inspect/routing_path.h"
#include "inspect/probe.h"

/* Three states, the start not the first of them; a turns them around, b swaps two, c forgets. */
static const char *const turning =
    "start one; accept zero; zero a -> one; one a -> two; two a -> zero; zero b -> one; "
    "one b -> zero; two b -> two; zero c -> two; one c -> two; two c -> two";
static const char *const nested =
    "start q0; accept q0; q0 u -> q1; q1 d -> q0; q1 u -> q2; q2 d -> q1";
/* The same turns, and nothing to say of one of the states. */
static const char *const reticent =
    "start one; output zero x; output two y; zero a -> one; one a -> two; two a -> zero; "
    "zero b -> one; one b -> zero; two b -> two; zero c -> two; one c -> two; two c -> two";

/* ---- causes ---------------------------------------------------------------------------------- */

enum { LAYERS = 6, LENGTH = 6, PAIRS = 12 };

static int class_due(const ThTask *t, const int *word, int n)
{
    return t->machine->label[th_dfa_walk(t->machine, t->machine->start, word, n)];
}

/* Whether logits of the last position say what is due after a word; -1: nothing is. */
static int says_right(const ThTask *t, const int *word, const double *z)
{
    int n = t->signature.n_classes, best = 0, q = t->machine->start;
    if (t->bits) {
        q = th_dfa_walk(t->machine, q, word, LENGTH);
        for (int c = 0; c < n; c++)
            if ((z[c] > 0) != (t->bits[q * n + c] != 0))
                return 0;
        return 1;
    }
    for (int c = 1; c < n; c++)
        best = z[c] > z[best] ? c : best;
    return class_due(t, word, LENGTH) >= n ? -1 : best == class_due(t, word, LENGTH);
}

static bool same_function(const ThDfa *d, const int *a, const int *b, int n)
{
    for (int q = 0; q < d->n_states; q++)
        if (th_dfa_walk(d, q, a, n) != th_dfa_walk(d, q, b, n))
            return false;
    return true;
}

/* One vector of `from` in the place of that of `to`. */
static void count_one(const ThModel *m, const ThTask *t, const int *from, const int *to,
                      const ThInspectPatchWhich *w, ThInspectCause *c)
{
    int mixed[LENGTH], n = w->last - w->first + 1;
    ThTaskWord a = {from, LENGTH}, b = {to, LENGTH};
    ThInspectPatch *p = th_inspect_patch(m, &a, &b, w, NULL, NULL);
    assert_true(p && p->n_rows == 1);
    memcpy(mixed, to, sizeof mixed);
    memcpy(mixed + w->first, from + w->first, (size_t)n * sizeof *mixed);
    int right = says_right(t, mixed, p->row[0].logit);
    if (right >= 0 && same_function(t->machine, from + w->first, to + w->first, n)) {
        c->same++;
        c->same_right += right;
    } else if (right >= 0) {
        c->other++;
        c->other_right += right;
    }
    th_inspect_patch_free(p);
}

/* Of the pairs that th_inspect_causes draws. */
static void count_all(const ThModel *m, const ThTask *t, ThInspectCause *c)
{
    ThBatch from = {.B = 1}, to = {.B = 1};
    for (int i = 0; i < PAIRS; i++) {
        ThRng r = th_rng(3, "inspect.patch", (uint64_t)i);
        assert_true(th_task_sample(t, &r, LENGTH, &from, NULL) &&
                    th_task_sample(t, &r, LENGTH, &to, NULL) && from.T == LENGTH);
        ThModelTrace *trace = th_model_trace(m, from.token, LENGTH, NULL);
        ThPath *path = th_path_of_trace(trace, NULL);
        for (int l = 0; l < trace->n_layers; l++)
            for (int k = 0; k < trace->layer[l].n_rows; k++) {
                ThInspectPatchWhich w = {l, trace->layer[l].first[k], trace->layer[l].last[k], -1,
                                         -1};
                if (path->row[l][k])
                    count_one(m, t, from.token, to.token, &w, &c[l]);
            }
        th_path_free(path);
        th_model_trace_free(trace);
    }
    th_batch_free(&from);
    th_batch_free(&to);
}

/* Counts are those by hand; of an exact model every answer is that of the mixed string.  Returns
 * how many were counted. */
static long long check_causes(const ThModel *m, const ThTask *t, bool exact)
{
    ThInspectCause by_hand[LAYERS] = {{0}}, sum = {0};
    int n;
    ThInspectCause *c =
        th_inspect_causes(m, t, t->machine, &(ThInspectPairs){3, LENGTH, PAIRS}, NULL, &n, NULL);
    assert_true(c && n >= 3 && n <= LAYERS);
    count_all(m, t, by_hand);
    for (int l = 0; l < n; l++) {
        if (memcmp(&c[l], &by_hand[l], sizeof *c) != 0)
            fail_msg("%s level %d: %lld %lld %lld %lld, by hand %lld %lld %lld %lld", t->kind->name,
                     l, c[l].same, c[l].same_right, c[l].other, c[l].other_right, by_hand[l].same,
                     by_hand[l].same_right, by_hand[l].other, by_hand[l].other_right);
        sum.same += c[l].same;
        sum.other += c[l].other;
        sum.same_right += c[l].same_right;
        sum.other_right += c[l].other_right;
    }
    assert_true(sum.same > 0 && sum.other > 0);
    assert_true(sum.same_right <= sum.same && sum.other_right <= sum.other);
    assert_int_equal(exact, sum.same_right == sum.same && sum.other_right == sum.other);
    free(c);
    return sum.same + sum.other;
}

static ThModel *compiled(const ThTask *t)
{
    ThMonoid *monoid = th_monoid_new(t->machine, 0, NULL, NULL);
    ThModel *m =
        th_compile_regulargpt(t, monoid, &(ThCompileShape){.chunk = 2, .monoid = true}, NULL, NULL);
    th_monoid_free(monoid);
    assert_non_null(m);
    return m;
}

static void test_causes(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *automaton;
        bool all; /* of every mixed string something is asked */
    } tasks[] = {{"track", turning, true},
                 {"recognize", turning, true},
                 {"next_symbols", nested, true},
                 {"output", reticent, false}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        ThTask *t = made_task(tasks[i].kind, "", tasks[i].automaton);
        ThModel *exact = compiled(t), *m = made_model("regulargpt", "dim=6 heads=2");
        assert_true(th_model_bind(m, &t->signature, 4, NULL));
        /* Paths are trees of 6 + 3 + 2 + 1 vectors, of which some forms keep less. */
        long long counted = check_causes(exact, t, true);
        assert_int_equal(counted == check_causes(m, t, false), true);
        assert_true(tasks[i].all == (counted % PAIRS == 0));
        th_model_free(exact);
        th_model_free(m);
        th_task_free(t);
    }
}

/* ---- probes ---------------------------------------------------------------------------------- */

enum { DIM = 5, STRINGS = 24, FITTED = STRINGS / 2 };
static int drawn; /* strings since the probe began */

/* ab while the probe is fitted, then anything. */
static bool draw_two(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    (void)err;
    bool fitted = drawn++ < FITTED;
    for (int k = 0; k < length; k++)
        b->token[k] = fitted ? k : (int)th_rng_below(r, (uint64_t)t->signature.n_symbols);
    return true;
}

/* Two different vectors were fitted, a's and b's: their difference in units of its own deviations
 * is 2 or -2 in every coordinate, and the best weights are in proportion to it. */
static long long right_by_hand(const ThModel *m, const ThTask *t, long long *as)
{
    ThModelTrace *two = th_model_trace(m, (int[]){0, 1}, 2, NULL);
    const double *a = two->layer[0].state, *b = a + DIM;
    long long right = 0;
    *as = 0;
    for (int i = FITTED; i < STRINGS; i++) {
        ThRng r = th_rng(7, "inspect.probe", (uint64_t)i);
        int token[2];
        for (int k = 0; k < 2; k++)
            token[k] = (int)th_rng_below(&r, (uint64_t)t->signature.n_symbols);
        ThModelTrace *x = th_model_trace(m, token, 2, NULL);
        for (int k = 0; k < 2; k++) {
            double side = 0;
            for (int j = 0; j < DIM; j++)
                side += 2 * (x->layer[0].state[k * DIM + j] - (a[j] + b[j]) / 2) / (b[j] - a[j]);
            right += token[k] == (side > 0 ? 1 : 0);
            *as += token[k] == 0;
        }
        th_model_trace_free(x);
    }
    th_model_trace_free(two);
    return right;
}

/* What is held out has no part in the fit, nor in its scaling, and a symbol that was not fitted is
 * never right. */
static void test_probe(void **state)
{
    (void)state;
    int differ = 0;
    gsl_set_error_handler_off();
    ThTask *t = made_task("track", "", turning);
    ThTaskKind kind = *t->kind;
    kind.draw = draw_two;
    t->kind = &kind;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        ThModel *m = made_model("gru", "dim=5");
        long long as;
        int n;
        assert_true(th_model_bind(m, &t->signature, seed, NULL));
        ThInspectProbing how = {.label = TH_INSPECT_SYMBOL,
                                .machine = t->machine,
                                .length = 2,
                                .strings = STRINGS,
                                .seed = 7};
        drawn = 0;
        ThInspectProbed *p = th_inspect_probe(m, t, &how, &n, NULL);
        assert_true(p && n == 1 && p->dim == DIM && p->n_labels == 2);
        assert_true(p->fitted == 2 * FITTED && p->held == 2 * (STRINGS - FITTED));
        assert_int_equal(p->right, right_by_hand(m, t, &as));
        assert_true(fabs(p->chance - (double)as / (double)p->held) < 1e-12);
        assert_true(p->low <= (double)p->right / (double)p->held && p->right < p->held);
        differ += p->right != as;
        free(p);
        th_model_free(m);
    }
    assert_true(differ > 4); /* else it says little */
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_causes), cmocka_unit_test(test_probe)};
    return cmocka_run_group_tests_name("causes", tests, NULL, NULL);
}
