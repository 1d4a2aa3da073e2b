/* test_shortcut.c - rules on last symbols and on factors, against all strings of a length. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/words/shortcut.h"
#include "given.h"

enum { LONGEST = 9, WINDOWS = 64, PREFIXES = 1024 };

/* What strings that are wanted, of up to LONGEST symbols, consist of. */
typedef struct {
    bool prefix[LONGEST + 1][PREFIXES], factor[WINDOWS], end[WINDOWS];
} Parts;

static int value(const int *word, int n, int m)
{
    int v = 0;
    for (int i = 0; i < n; i++)
        v = v * m + word[i];
    return v;
}

static void collect(const ThDfa *d, int k, int wanted, Parts *to)
{
    int word[MAX_WORD], n = 0, m = d->n_symbols;
    memset(to, 0, sizeof *to);
    do {
        if (th_dfa_class(d, word, (size_t)n) != wanted)
            continue;
        for (int i = 0; i <= n && i <= k; i++)
            to->prefix[i][value(word, i, m)] = true;
        for (int i = 0; i + k <= n; i++)
            to->factor[value(word + i, k, m)] = true;
        if (n >= k)
            to->end[value(word + n - k, k, m)] = true;
    } while (next_word(word, &n, m, LONGEST));
}

static bool passes(const Parts *p, const int *word, int n, int k, int m)
{
    bool ok = p->end[value(word + n - k, k, m)];
    for (int i = 0; i <= k; i++)
        ok = ok && p->prefix[i][value(word, i, m)];
    for (int i = 0; i + k <= n; i++)
        ok = ok && p->factor[value(word + i, k, m)];
    return ok;
}

static void check(const ThDfa *d, int n, int k)
{
    static Parts parts[2];
    double behind[2][WINDOWS] = {{0}}, count[2] = {0}, passed[2] = {0}, suffix = 0;
    int word[MAX_WORD] = {0}, length = n, m = d->n_symbols;
    for (int c = 0; c < 2; c++)
        collect(d, k, c, &parts[c]);
    do {
        int c = th_dfa_class(d, word, (size_t)n);
        count[c]++;
        behind[c][value(word + n - k, k, m)]++;
        passed[c] += passes(&parts[!c], word, n, k, m);
        assert_true(passes(&parts[c], word, n, k, m));
    } while (next_word(word, &length, m, n) && length == n);
    ThDfaShortcut s;
    assert_true(th_dfa_shortcut(d, n, k, &s, NULL, NULL));
    if (count[0] == 0 || count[1] == 0) {
        assert_true(s.suffix == 1 && s.factors == 1);
        return;
    }
    for (int w = 0; w < WINDOWS; w++)
        suffix += fmax(behind[0][w] / count[0], behind[1][w] / count[1]) / 2;
    double factors = 1 - fmin(passed[0] / count[0], passed[1] / count[1]) / 2;
    assert_true(fabs(s.suffix - suffix) < 1e-9);
    assert_true(fabs(s.factors - factors) < 1e-9);
}

static void against_all_strings(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400; i++) {
        ThRng r = th_rng(1, "shortcut", i);
        int m = 1 + below(&r, 3), states = 1 + below(&r, 3), k = 1 + below(&r, m == 3 ? 2 : 4);
        ThDfa *raw = th_dfa_new(states, m, 2, NULL);
        for (int e = 0; e < states * m; e++)
            raw->next[e] = below(&r, states);
        for (int q = 0; q < states; q++)
            raw->label[q] = below(&r, 2);
        ThDfa *d = th_dfa_reachable(raw, NULL);
        check(d, k + 1 + below(&r, 4), k);
        th_dfa_free(raw);
        th_dfa_free(d);
    }
}

/* Parity has no shortcut, whatever the length; that no b follows a b is told by factors of two, and
 * not by the last two symbols; where accepted strings are one of 2^200, too. */
static void known(void **state)
{
    (void)state;
    ThDfaShortcut s;
    ThDfa *d = th_dfa_new(3, 2, 2, NULL);
    memcpy(d->next, (int[]){0, 1, 1, 0, 2, 2}, 6 * sizeof *d->next);
    d->label[1] = 1;
    ThDfa *parity = th_dfa_reachable(d, NULL);
    assert_true(th_dfa_shortcut(parity, 101, 8, &s, NULL, NULL));
    assert_true(fabs(s.suffix - 0.5) < 1e-9 && fabs(s.factors - 0.5) < 1e-9);
    memcpy(d->next, (int[]){0, 1, 0, 2, 2, 2}, 6 * sizeof *d->next);
    d->label[0] = 1;
    assert_true(th_dfa_shortcut(d, 101, 2, &s, NULL, NULL));
    /* Of what is accepted 1 of φ² ends in b, and as much in aa; of the rest a quarter in ba, and in
     * bb. */
    assert_true(fabs(s.factors - 1) < 1e-9 && fabs(s.suffix - 0.25 - (3 - sqrt(5)) / 2) < 1e-9);
    memcpy(d->next, (int[]){0, 2, 2, 2, 2, 2}, 6 * sizeof *d->next);
    assert_true(th_dfa_shortcut(d, 200, 3, &s, NULL, NULL));
    assert_true(fabs(s.factors - 1) < 1e-9 && fabs(s.suffix - (1 - 1. / 16)) < 1e-9);
    ThError err = {0};
    assert_false(th_dfa_shortcut(d, 200, 13, &s, NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_dfa_free(parity);
    th_dfa_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_all_strings),
        cmocka_unit_test(known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
