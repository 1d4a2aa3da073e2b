/* test_pumping.c - the least pumping length beside all words up to a length, cut in all ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/words/pumping.h"
#include "base/rng.h"
#include "given.h"

enum { LENGTH = 9 };

/* Whether the piece i … j - 1 of a word can be repeated, and left out. */
static bool repeats(const ThDfa *d, const int *word, int n, int i, int j)
{
    int q = th_dfa_walk(d, d->start, word, (size_t)i);
    for (int k = 0; k <= d->n_states; k++) {
        if (d->label[th_dfa_walk(d, q, word + j, (size_t)(n - j))] != 1)
            return false;
        q = th_dfa_walk(d, q, word + i, (size_t)(j - i));
    }
    return true;
}

static bool can_be_pumped(const ThDfa *d, const int *word, int n, int p)
{
    for (int j = 1; j <= p && j <= n; j++)
        for (int i = 0; i < j; i++)
            if (repeats(d, word, n, i, j))
                return true;
    return false;
}

/* The least p that is right for all words up to LENGTH. */
static int least(const ThDfa *d)
{
    int p = 1, n = 0, word[LENGTH + 1] = {0};
    do {
        bool in = d->label[th_dfa_walk(d, d->start, word, (size_t)n)] == 1;
        while (in && n >= p && !can_be_pumped(d, word, n, p))
            p++;
    } while (next_word(word, &n, d->n_symbols, LENGTH));
    return p;
}

static void test_drawn(void **state)
{
    (void)state;
    ThRng r = th_rng(11, "pumping", 0);
    int many[8] = {0};
    for (int i = 0; i < 2000; i++) {
        ThError err = {0};
        int states = 2 + (int)th_rng_below(&r, 4);
        ThDfa *any = th_dfa_new(states, 2, 2, &err);
        for (int k = 0; k < 2 * states; k++)
            any->next[k] = (int)th_rng_below(&r, (uint64_t)states);
        for (int q = 0; q < states; q++)
            any->label[q] = th_rng_below(&r, 3) == 0;
        ThDfa *d = th_dfa_minimize(any, NULL, &err);
        ThDfaPumping p;
        assert_true(th_dfa_pumping(d, 0, NULL, &p, &err));
        assert_true(p.n > LENGTH ? least(d) <= p.length : least(d) == p.length);
        assert_true(p.length <= d->n_states || p.length == 1);
        assert_true((p.word != NULL) == (p.length > 1));
        if (p.word) {
            assert_true(p.n >= p.length - 1);
            assert_int_equal(d->label[th_dfa_walk(d, d->start, p.word, (size_t)p.n)], 1);
            assert_false(can_be_pumped(d, p.word, p.n, p.length - 1));
        }
        many[p.length]++;
        free(p.word);
        th_dfa_free(d);
        th_dfa_free(any);
    }
    assert_true(many[1] > 20 && many[2] > 20 && many[3] > 20 && many[4] > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
