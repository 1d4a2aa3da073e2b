/* Memory that runs out: every allocation of a piece of work fails in turn.  The work must say so,
 * with nothing leaked (the sanitizer looks), and succeed once enough is there.
 *
 * The linker puts the functions here in place of calloc and realloc (see the Makefile). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/automaton.h"
#include "automata/run.h"
#include "base/symbols.h"

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static long left = -1; /* allocations that still succeed; -1: all */

static bool runs_out(void)
{
    if (left == 0)
        return true;
    if (left > 0)
        left--;
    return false;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return runs_out() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return runs_out() ? NULL : __real_realloc(p, size);
}

typedef bool Work(ThError *err);

/* Lets the work run out of memory at every allocation, up to the one where it has enough. */
static void sweep(Work *work)
{
    bool done = false;
    for (long i = 0; !done; i++) {
        ThError err = {0};
        left = i;
        done = work(&err);
        left = -1;
        assert_int_equal(err.code, done ? TH_OK : TH_ENOMEM);
    }
}

static ThAutomaton *parse(ThError *err)
{
    return th_automaton_parse("alphabet a b c\nstart q r; q a,eps -> r; r b -> q; r c -> s\n"
                              "accept s",
                              err);
}

static bool read_and_write(ThError *err)
{
    ThText t = {0};
    ThAutomaton *a = parse(err);
    ThAutomaton *copy = a ? th_automaton_copy(a, err) : NULL;
    if (copy)
        th_automaton_write(&t, copy, "name");
    char *text = copy ? th_text_take(&t, err) : NULL;
    bool done = text != NULL;
    free(text);
    th_automaton_free(a);
    th_automaton_free(copy);
    return done;
}

static bool evaluate(ThError *err)
{
    ThAutomatonScope scope = {0};
    ThAutomaton *a = th_automaton_expression(
        "minimize(parity & ~even_pairs | dyck(2, 2) - minimize(sum(3)))", &scope, NULL, err);
    ThAutomaton *b = a ? th_automaton_expression(
                             "determinize(tomita(3) | minimize(trim(cycle(5))))", &scope, NULL, err)
                       : NULL;
    th_automaton_free(a);
    th_automaton_free(b);
    return b != NULL;
}

static bool compare_with_minimal(ThError *err)
{
    ThDifference same = {0}, other = {0};
    ThAutomaton *a = parse(err), *m = a ? th_automaton_minimize(a, 0, NULL, err) : NULL;
    ThAutomaton *t = m ? th_automaton_parse("start q; q a -> q / x; q b -> r / y", err) : NULL;
    ThAutomaton *u = t ? th_automaton_minimize(t, 0, NULL, err) : NULL;
    bool done = u && th_automaton_compare(a, m, 0, NULL, &same, err) &&
                th_automaton_compare(t, u, 0, NULL, &same, err) &&
                th_automaton_compare(a, t, 0, NULL, &other, err);
    assert_true(!done || (same.equivalent && !other.equivalent && other.word));
    free(other.word);
    th_automaton_free(a);
    th_automaton_free(m);
    th_automaton_free(t);
    th_automaton_free(u);
    return done;
}

static bool monoid_and_run(ThError *err)
{
    ThRun r = {0};
    ThAutomaton *a = parse(err);
    ThDfa *d = a ? th_automaton_dfa(a, 0, NULL, err) : NULL;
    bool aperiodic, done = d && th_dfa_monoid(d, 1000, &aperiodic, NULL, err) > 0;
    int n, *word = done ? th_symbols_read(a->symbol, a->n_symbols, "abc", &n, err) : NULL;
    size_t *path =
        word && th_run_word(&r, a, word, n, NULL, err) ? th_run_path(&r, &(size_t){0}, err) : NULL;
    done = path != NULL;
    free(path);
    free(word);
    th_run_free(&r);
    th_dfa_free(d);
    th_automaton_free(a);
    return done;
}

static void test_read_and_write(void **state)
{
    (void)state;
    sweep(read_and_write);
}

static void test_evaluate(void **state)
{
    (void)state;
    sweep(evaluate);
}

static void test_compare(void **state)
{
    (void)state;
    sweep(compare_with_minimal);
}

static void test_monoid_and_run(void **state)
{
    (void)state;
    sweep(monoid_and_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_and_write),
        cmocka_unit_test(test_evaluate),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_monoid_and_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
