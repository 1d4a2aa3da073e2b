/* Residuals against the minimal automata of random ones, and of a language that is not regular. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/random_automaton.h"
#include "language/residuals.h"

static int class_of(const ThLanguage *l, const int *word, int n, const int *ending, int n_ending)
{
    int all[32];
    ThLanguageAnswer answer;
    memcpy(all, word, (size_t)n * sizeof *word);
    memcpy(all + n, ending, (size_t)n_ending * sizeof *ending);
    assert_true(th_language_member(l, (ThLanguageWord){all, n + n_ending}, NULL, &answer, NULL));
    return answer;
}

/* Each ending tells its word from the one before, and no shorter one than that is empty. */
static void endings_tell(const ThLanguage *l, const ThLanguageResiduals *r, int length)
{
    for (int i = 1; i < r->n; i++) {
        const int *word = r->word + i * length, *ending = r->ending + i * length;
        assert_int_not_equal(class_of(l, word, r->size[i], ending, r->ending_size[i]),
                             class_of(l, word - length, r->size[i - 1], ending, r->ending_size[i]));
        if (r->ending_size[i] > 0)
            assert_int_equal(class_of(l, word, r->size[i], ending, 0),
                             class_of(l, word - length, r->size[i - 1], ending, 0));
    }
}

/* With words and endings as long as there are states every state is met, and told apart. */
static void test_of_random_automata(void **state)
{
    (void)state;
    char a_name[] = "a", b_name[] = "b";
    int sizes[8] = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        ThAutomatonDraw how = {
            .states = 5, .deterministic = true, .arcs = 1, .accepting = 0.4, .seed = seed};
        ThAutomaton *a TH_OWNED(th_automaton_free) =
            th_automaton_random(&how, (char *[]){a_name, b_name}, 2, NULL);
        ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, 0, NULL, NULL);
        ThDfa *least TH_OWNED(th_dfa_free) = th_dfa_minimize(d, NULL, NULL);
        ThLanguage *l = th_language_of_automaton(a, 0, NULL, NULL);
        ThLanguageResiduals r TH_OWNED(th_language_residuals_free) = {0};
        assert_true(th_language_residuals(l, 5, NULL, &r, NULL));
        assert_int_equal(r.n, least->n_states);
        assert_int_equal(r.up_to[5], r.n);
        assert_int_equal(r.up_to[4],
                         r.n); /* the states are met with fewer symbols than there are */
        endings_tell(l, &r, 5);
        sizes[r.n]++;
        th_language_free(l);
    }
    assert_true(sizes[5] > 10 && sizes[4] > 2);
}

static void test_of_a_grammar(void **state)
{
    (void)state;
    ThLanguage *l = th_language_parse("grammar", "S -> a S b | epsilon", NULL);
    for (int length = 1; length <= 6; length++) {
        ThLanguageResiduals r TH_OWNED(th_language_residuals_free) = {0};
        assert_true(th_language_residuals(l, length, NULL, &r, NULL));
        assert_int_equal(r.n, 2 * length + 1);
        for (int k = 1; k <= length; k++)
            assert_int_equal(r.up_to[k], 2 * k + 1);
        endings_tell(l, &r, length);
    }
    ThError err = {0};
    ThLanguageResiduals none;
    assert_false(th_language_residuals(l, 10, NULL, &none, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_language_residuals_free(&none);
    th_language_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_random_automata),
        cmocka_unit_test(test_of_a_grammar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
