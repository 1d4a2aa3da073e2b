/* test_predict.c - what is said of architectures follows from the algebra of a language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "inspect/predict.h"
#include "models/model.h"

typedef struct {
    ThDfa *d;
    ThMonoid *m;
    ThGreen *g;
    ThVarieties v;
    ThInspectLanguage l;
} Given;

static void give(Given *g, const char *expression)
{
    ThAutomaton *a = evaluate(expression);
    ThDfa *d = th_automaton_acceptor(a, 0, NULL, NULL);
    g->d = th_dfa_minimize(d, NULL, NULL);
    g->m = th_monoid_new(g->d, 0, NULL, NULL);
    g->g = th_green_new(g->m, NULL, NULL);
    assert_true(th_varieties_of(&g->v, g->m, g->g, NULL, NULL));
    g->l = (ThInspectLanguage){g->d->n_states, g->m->size, &g->v};
    th_dfa_free(d);
    th_automaton_free(a);
}

static void drop(Given *g)
{
    th_varieties_free(&g->v);
    th_green_free(g->g);
    th_monoid_free(g->m);
    th_dfa_free(g->d);
}

static ThInspectVerdict extends(const Given *g, const char *kind)
{
    for (size_t i = 0; i < th_inspect_predictions(); i++) {
        ThInspectPrediction p = th_inspect_predict(i, &g->l);
        if (strcmp(p.kind, kind) == 0)
            return p.extends;
    }
    fail();
    return TH_INSPECT_UNKNOWN;
}

static void follows_from_algebra(void **state)
{
    (void)state;
    static const struct {
        const char *language;
        ThInspectVerdict transformer, s4, deltanet, counting;
    } due[] = {
        {"parity", TH_INSPECT_NO, TH_INSPECT_NO, TH_INSPECT_YES, TH_INSPECT_UNKNOWN},
        {"cycle(5)", TH_INSPECT_NO, TH_INSPECT_NO, TH_INSPECT_NO, TH_INSPECT_UNKNOWN},
        {"tomita(5)", TH_INSPECT_NO, TH_INSPECT_NO, TH_INSPECT_UNKNOWN, TH_INSPECT_UNKNOWN},
        {"even_pairs", TH_INSPECT_YES, TH_INSPECT_NO, TH_INSPECT_YES, TH_INSPECT_UNKNOWN},
        {"regex \"(a|b)*a\"", TH_INSPECT_YES, TH_INSPECT_UNKNOWN, TH_INSPECT_YES,
         TH_INSPECT_UNKNOWN},
        {"regex \"(a|b)*a(a|b)*b(a|b)*\"", TH_INSPECT_YES, TH_INSPECT_NO, TH_INSPECT_YES,
         TH_INSPECT_YES},
        {"regex \"b*ab*ab*\"", TH_INSPECT_YES, TH_INSPECT_NO, TH_INSPECT_YES, TH_INSPECT_YES}};
    for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
        Given g;
        give(&g, due[i].language);
        assert_int_equal(extends(&g, "transformer"), due[i].transformer);
        assert_int_equal(extends(&g, "s4"), due[i].s4);
        assert_int_equal(extends(&g, "deltanet"), due[i].deltanet);
        assert_int_equal(extends(&g, "rnn"), TH_INSPECT_YES);
        assert_int_equal(extends(&g, "gru"), TH_INSPECT_UNKNOWN);
        assert_int_equal(th_inspect_counting(&g.l), due[i].counting);
        drop(&g);
    }
}

/* What is known has a source; every kind is one of the house. */
static void sources_are_named(void **state)
{
    (void)state;
    Given g;
    give(&g, "parity");
    for (size_t i = 0; i < th_inspect_predictions(); i++) {
        ThInspectPrediction p = th_inspect_predict(i, &g.l);
        assert_non_null(th_model_kind(p.kind));
        bool known = p.learns != TH_INSPECT_UNKNOWN || p.extends != TH_INSPECT_UNKNOWN;
        assert_true(!known || (*p.why && *p.source));
    }
    drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_from_algebra),
        cmocka_unit_test(sources_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
