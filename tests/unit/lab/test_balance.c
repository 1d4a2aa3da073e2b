/* Strings for trees: they are parts of what the task draws, and what the two or three children of
 * the root do to the automaton's states is evenly spread over all that can stand side by side. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "lab/balance.h"

enum { MOST_STATES = 64, MOST_MAPS = 600, LONG = 64 };

typedef struct {
    const ThTask *t;
    ThDfa *machine, *words; /* words: NULL for all strings */
    int n;                  /* maps that were met, of the states of both */
    int map[MOST_MAPS][MOST_STATES];
} Maps;

static Maps maps_of(const ThTask *t)
{
    ThError err = {0};
    Maps m = {.t = t};
    m.machine = th_dfa_minimize(th_task_machine(t, &err), NULL, &err);
    assert_true(th_task_words(t, &m.words, &err));
    assert_true(m.machine->n_states + (m.words ? m.words->n_states : 0) <= MOST_STATES);
    return m;
}

static void free_maps(Maps *m)
{
    th_dfa_free(m->machine);
    th_dfa_free(m->words);
}

/* The number of what a word does to all states. */
static int number_of(Maps *m, const int *word, int length)
{
    int map[MOST_STATES] = {0}, n = m->machine->n_states, more = m->words ? m->words->n_states : 0;
    for (int q = 0; q < n; q++)
        map[q] = th_dfa_walk(m->machine, q, word, (size_t)length);
    for (int q = 0; q < more; q++)
        map[n + q] = th_dfa_walk(m->words, q, word, (size_t)length);
    for (int i = 0; i < m->n; i++)
        if (memcmp(m->map[i], map, sizeof map) == 0)
            return i;
    assert_true(m->n < MOST_MAPS);
    memcpy(m->map[m->n], map, sizeof map);
    return m->n++;
}

/* Fills alive (states, chunk): after so many symbols and whole chunks a string may end. */
static void find_alive(const ThDfa *d, int chunk, bool *alive)
{
    memset(alive, 0, (size_t)(d->n_states * chunk) * sizeof *alive);
    for (int pass = 0; pass <= d->n_states * chunk; pass++)
        for (int q = 0; q < d->n_states; q++)
            for (int c = 0; c < chunk; c++) {
                bool *is = &alive[q * chunk + c];
                *is = *is || (c == 0 && d->label[q] == 1);
                for (int a = 0; a < d->n_symbols; a++)
                    *is = *is ||
                          alive[d->next[q * d->n_symbols + a] * chunk + (c + chunk - 1) % chunk];
            }
}

/* Can a word stand in a string that the task draws, with whole chunks from it to the end? */
static bool is_part(const Maps *m, int chunk, const int *word, int length)
{
    bool alive[MOST_STATES * 3];
    if (!m->words)
        return true;
    find_alive(m->words, chunk, alive);
    for (int q = 0; q < m->words->n_states; q++)
        if (alive[q * chunk + length % chunk] &&
            alive[th_dfa_walk(m->words, q, word, (size_t)length) * chunk])
            return true;
    return false;
}

/* Marks the pairs of what whole chunks before the last `last` symbols do and what these do, of all
 * words of `size` symbols that go on with this one. */
static void mark_pairs(Maps *m, int chunk, int *word, int length, int size, int last, bool *met)
{
    if (length % chunk == 0 && length > 0 && !is_part(m, chunk, word, length))
        return;
    if (length == size) {
        int before = number_of(m, word, size - last);
        met[before * MOST_MAPS + number_of(m, word + size - last, last)] = true;
        return;
    }
    for (int a = 0; a < m->machine->n_symbols; a++) {
        word[length] = a;
        mark_pairs(m, chunk, word, length + 1, size, last, met);
    }
}

/* In full trees of `size` symbols the last child of the root and what is before it have each pair
 * of functions that any words of `like` symbols have, and as often as others. */
static void check_even(const char *kind, const char *settings, int chunk, int size, int like)
{
    enum { EACH = 200 };
    ThError err = {0};
    ThTask *t = made_task(kind, settings, NULL);
    ThTrainBalance *b = th_train_balance_new(t, chunk, LONG, &err);
    assert_non_null(b);
    Maps m = maps_of(t);
    int *count = calloc((size_t)MOST_MAPS * MOST_MAPS, sizeof *count), word[LONG], pairs = 0;
    bool *met = calloc((size_t)MOST_MAPS * MOST_MAPS, sizeof *met);
    int last = size / chunk;
    mark_pairs(&m, chunk, word, 0, like, like / chunk, met);
    for (int i = 0; i < MOST_MAPS * MOST_MAPS; i++)
        pairs += met[i];
    assert_true(pairs > 1);
    ThRng r = th_rng(3, "balance", 0);
    for (int i = 0; i < EACH * pairs; i++) {
        th_train_balance_draw(b, &r, size, word);
        assert_true(is_part(&m, chunk, word, size));
        int before = number_of(&m, word, size - last);
        count[before * MOST_MAPS + number_of(&m, word + size - last, last)]++;
    }
    for (int i = 0; i < MOST_MAPS * MOST_MAPS; i++) {
        double wanted = met[i] ? EACH : 0;
        if (fabs(count[i] - wanted) > 5.5 * sqrt(wanted))
            fail_msg("%s: a pair is met %d times, not %g", settings, count[i], wanted);
    }
    free(count);
    free(met);
    free_maps(&m);
    th_train_balance_free(b);
    th_task_free(t);
}

static void test_pairs_are_even(void **state)
{
    (void)state;
    check_even("modular_arithmetic", "modulus=2", 2, 4, 4);
    check_even("modular_arithmetic", "modulus=2", 2, 8, 8);
    check_even("modular_arithmetic", "modulus=3 leading_plus=no", 2, 4, 4);
    check_even("modular_arithmetic", "modulus=2", 3, 9, 9);
    check_even("modular_arithmetic", "modulus=2 depth=1", 2, 4, 4);
    check_even("cycle_navigation", "", 2, 8, 8);
    check_even("cycle_navigation", "", 2, 32, 8);
    check_even("cycle_navigation", "", 3, 27, 9);
    check_even("dyck", "depth=2", 3, 9, 9);
    check_even("tomita", "number=5", 3, 27, 9);
    check_even("even_pairs", "", 3, 27, 9);
}

/* Shorter strings are the ends of such trees, and nothing else is written. */
static void test_ends(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("modular_arithmetic", "modulus=3", NULL);
    ThTrainBalance *b = th_train_balance_new(t, 2, LONG, &err);
    ThRng r = th_rng(1, "ends", 0);
    int operators = 0;
    for (int n = 1; n <= LONG; n++) {
        int word[LONG + 1];
        for (int i = 0; i <= LONG; i++)
            word[i] = -1;
        th_train_balance_draw(b, &r, n, word);
        for (int i = 0; i <= LONG; i++)
            assert_true(i >= n        ? word[i] == -1
                        : (n - i) % 2 ? word[i] < 3
                                      : word[i] >= 3 && word[i] < 6);
        operators += n > 1 && word[n - 2] == 5;
    }
    assert_true(operators > 5); /* products among the last operators */
    th_train_balance_free(b);
    th_task_free(t);
}

static void test_errors(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("modular_arithmetic", "modulus=30", NULL);
    assert_null(th_train_balance_new(t, 4, LONG, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_null(th_train_balance_new(t, 2, 1 << 28, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs_are_even),
                                       cmocka_unit_test(test_ends), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
