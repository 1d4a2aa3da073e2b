/* All minimal acceptors of a size, against published counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/atlas.h"

typedef struct {
    int machines, languages;
    int first[64]; /* the tables of two states, to be told apart */
    int stop_at;
} Seen;

static bool count(void *context, const ThDfa *d, int languages, ThError *err)
{
    Seen *s = context;
    int code = 0, forms;
    for (int i = 0; i < 4 && d->n_states == 2 && d->n_symbols == 2; i++)
        code = 2 * code + d->next[i];
    for (int q = 0; q < d->n_states; q++)
        code = 2 * code + d->label[q];
    for (int i = 0; d->n_states == 2 && d->n_symbols == 2 && i < s->machines; i++)
        assert_int_not_equal(s->first[i], code);
    if (s->machines < 64)
        s->first[s->machines] = code;
    ThDfa *least = th_dfa_least_form(d, &forms, err);
    assert_int_equal(forms, languages);
    assert_memory_equal(least->next, d->next, (size_t)(d->n_states * d->n_symbols) * sizeof(int));
    th_dfa_free(least);
    s->machines++;
    s->languages += languages;
    return s->machines != s->stop_at;
}

static Seen walk(int states, int symbols)
{
    ThError err = {0};
    Seen s = {0};
    ThDfaAtlas a = {.states = states, .symbols = symbols, .visit = count, .context = &s};
    assert_true(th_dfa_atlas(&a, &err));
    return s;
}

/* Languages whose minimal complete acceptor has n states over k symbols: Domaratzki, Kisman and
 * Shallit 2002, "On the number of distinct languages accepted by finite automata with n states",
 * section 3. */
static void test_published(void **state)
{
    static const struct {
        int symbols, states, languages;
    } published[] = {{1, 1, 2},    {1, 2, 4}, {1, 3, 12},    {1, 4, 30},  {2, 1, 2},  {2, 2, 24},
                     {2, 3, 1028}, {3, 1, 2}, {2, 4, 56014}, {3, 2, 112}, {4, 2, 480}};
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        assert_int_equal(walk(published[i].states, published[i].symbols).languages,
                         published[i].languages);
    assert_int_equal(walk(3, 2).machines, 524);
}

/* Numbers go on from size to size, and by whom a walk is ended. */
static void test_numbers(void **state)
{
    static const int xor [] = {0, 1, 1, 0};
    ThError err = {0};
    (void)state;
    ThDfa *d = th_dfa_atlas_machine(7, 2, &err);
    assert_int_equal(d->n_states, 2);
    assert_memory_equal(d->next, xor, sizeof xor);
    th_dfa_free(d);
    d = th_dfa_atlas_machine(540, 2, &err);
    assert_int_equal(d->n_states, 3);
    th_dfa_free(d);
    d = th_dfa_atlas_machine(541, 2, &err);
    assert_int_equal(d->n_states, 4);
    th_dfa_free(d);
    assert_null(th_dfa_atlas_machine(40000, 2, &err));
    assert_int_equal(err.code, TH_ELIMIT);
}

static void test_stop(void **state)
{
    sig_atomic_t stop = 1;
    ThError err = {0};
    Seen s = {0};
    ThDfaAtlas a = {.states = 3, .symbols = 2, .visit = count, .context = &s, .stop = &stop};
    (void)state;
    assert_false(th_dfa_atlas(&a, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    err = (ThError){0};
    stop = 0;
    s.stop_at = 5;
    assert_false(th_dfa_atlas(&a, &err));
    assert_int_equal(err.code, TH_OK);
    assert_int_equal(s.machines, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
