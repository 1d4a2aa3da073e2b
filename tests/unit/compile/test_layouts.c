/* Automata compiled in every layout, against direct simulation: those that are built in, the groups
 * S5 and A5, and random ones.  A seeded sample of layouts and lengths; LAYOUTS=N in the environment
 * asks for all layouts, N random automata, and the lengths 1 … 64, 500, 777 and 16384; PART=2/8
 * beside it for every eighth automaton, beginning with the second: eight processes do all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "compile/compile.h"
#include "given.h"
#include "lab/evaluate.h"

enum { LAYOUTS = 80, LONGEST = 16384 };

typedef struct {
    int automata, models, too_large;
    long long words, wrong;
    double worst; /* of robust units in post-norm: how far a 1 or 0 is off */
} Tally;

static int asked(void)
{
    const char *text = getenv("LAYOUTS");
    return text ? atoi(text) : 0;
}

static bool in_part(int i)
{
    const char *text = getenv("PART");
    int part = 1, parts = 1;
    if (text && sscanf(text, "%d/%d", &part, &parts) != 2)
        fail_msg("PART is not like 2/8");
    return i % parts == part - 1;
}

/* Numbers of a model; those with more are left out. */
static double largest(void)
{
    return asked() ? 1e8 : 2e5;
}

/* The last ones are in pairs, which know no layout A and no plain units. */
static ThCompileShape shape_of(int i)
{
    bool pairs = i >= 64;
    return (ThCompileShape){.monoid = i & 1,
                            .pre = i & 2,
                            .gelu = i & 4,
                            .plain = !pairs && i & 8,
                            .split = !pairs && i & 16,
                            .chunk = pairs    ? (i & 8 ? 4 : 3)
                                     : i & 32 ? 3
                                              : 2,
                            .pairs = pairs};
}

/* A word that ends another one: of all such words of a batch, equal ends are computed once. */
static void add_end(ThBatch *b, const int *word, int length)
{
    b->length[b->B] = length;
    memcpy(b->token + (size_t)b->B++ * (size_t)b->T, word + b->T - length,
           (size_t)length * sizeof *word);
}

static void draw_words(int n_symbols, ThRng *r, ThBatch *b)
{
    static int word[LONGEST];
    static const int some[] = {1, 2, 3, 5, 8, 13, 27, 64, 500, 0};
    static const int beyond[] = {500, 777, LONGEST, 0};
    for (int i = 0; i < b->T; i++)
        word[i] = below(r, n_symbols);
    for (int n = 1; asked() && n <= 64; n++)
        add_end(b, word, n);
    for (const int *n = asked() ? beyond : some; *n; n++)
        add_end(b, word, *n);
}

/* Compares the answers for words, and how far their logits are from 10 and 0. */
static void check_logits(const ThDfa *d, const ThBatch *b, const double *z, bool exact, Tally *sum)
{
    for (int i = 0; i < b->B; i++, z += 2) {
        int q = d->start;
        for (int k = 0; k < b->length[i]; k++)
            q = d->next[q * d->n_symbols + b->token[(size_t)i * (size_t)b->T + (size_t)k]];
        int right = d->label[q];
        sum->words++;
        sum->wrong += !(z[right] > z[!right]);
        if (exact)
            sum->worst = fmax(sum->worst, fmax(fabs(z[right] / 10 - 1), fabs(z[!right] / 10)));
    }
}

static void try_words(const ThModel *m, const ThDfa *d, bool exact, ThRng *r, Tally *sum)
{
    enum { MOST = 67 };
    ThError err = {0};
    double z[2 * MOST];
    ThBatch b = {.B = MOST, .T = asked() ? LONGEST : 500};
    assert_true(th_batch_reserve(&b, &m->signature, true, &err));
    b.B = 0;
    draw_words(d->n_symbols, r, &b);
    th_batch_pad(&b, &m->signature);
    ThTape *tape = th_model_tape(m, TH_TAPE_FLOAT, 1, &err);
    assert_non_null(tape);
    th_tape_begin(tape, TH_TAPE_NO_GRADIENT);
    ThVar out = th_model_forward(m, tape, &b, &(ThModelForward){.share = true});
    assert_true(th_tape_ok(tape, &err));
    th_tape_read(tape, out, z);
    check_logits(d, &b, z, exact, sum);
    th_tape_free(tape);
    th_batch_free(&b);
}

static void try_layout(const ThTask *t, const ThMonoid *monoid, int layout, ThRng *r, Tally *sum)
{
    ThError err = {0};
    ThCompileShape shape = shape_of(layout);
    shape.sparse = th_compile_size(t, monoid, &shape).parameters > 1e6 || layout % 3 == 0;
    if (th_compile_size(t, monoid, &shape).parameters > largest()) {
        sum->too_large++;
        return;
    }
    ThModel *m = th_compile_regulargpt(t, monoid, &shape, NULL, &err);
    if (!m)
        fail_msg("layout %d: %s", layout, err.msg);
    long long before = sum->wrong;
    try_words(m, t->machine, !shape.plain && !shape.pre, r, sum);
    if (sum->wrong > before)
        print_error("layout %d of a machine of %d states is wrong\n", layout, t->machine->n_states);
    th_model_free(m);
    sum->models++;
}

/* In all layouts, or in so many drawn. */
static void try_automaton(const ThAutomaton *a, int layouts, ThRng *r, Tally *sum)
{
    ThError err = {0};
    ThOptions o;
    set_all(&o, th_task_kind("recognize")->options, "");
    ThTask *t = th_task_new(th_task_kind("recognize"), &o, &(ThTaskSource){.automaton = a}, &err);
    th_options_free(&o);
    ThMonoid *monoid = t ? th_monoid_new(t->machine, 4096, NULL, &err) : NULL;
    if (!monoid)
        fail_msg("%s", err.msg);
    for (int i = 0; i < (asked() ? LAYOUTS : layouts); i++)
        try_layout(t, monoid, asked() ? i : below(r, LAYOUTS), r, sum);
    th_monoid_free(monoid);
    th_task_free(t);
    sum->automata++;
}

static void check_tally(const char *what, const Tally *sum)
{
    print_message("%s: %d automata, %d models (%d would be too large), %lld words, %lld wrong; "
                  "robust ones off by %.2g\n",
                  what, sum->automata, sum->models, sum->too_large, sum->words, sum->wrong,
                  sum->worst);
    assert_int_equal(sum->wrong, 0);
    /* Where the compiler does not add up in several lanes, sums are less exact. */
    assert_true(sum->worst < (asked() ? 1e-6 : 1e-5));
}

static void test_built_in(void **state)
{
    (void)state;
    static const char *const names[] = {"parity",
                                        "even_pairs",
                                        "even_pair(2)",
                                        "even_pair(5)",
                                        "cycle(2)",
                                        "cycle(5)",
                                        "cycle(7)",
                                        "sum(2)",
                                        "sum(5)",
                                        "sum(7)",
                                        "flip_flop",
                                        "mod_arithmetic(2)",
                                        "mod_arithmetic(3)",
                                        "tomita(1)",
                                        "tomita(2)",
                                        "tomita(3)",
                                        "tomita(4)",
                                        "tomita(5)",
                                        "tomita(6)",
                                        "tomita(7)",
                                        "dyck(1,1)",
                                        "dyck(1,2)",
                                        "dyck(1,4)",
                                        "dyck(2,2)",
                                        "dyck(3,1)",
                                        "dyck(1,12)",
                                        "dyck(4,1)",
                                        "mod_arithmetic(5)",
                                        NULL};
    Tally sum = {0};
    for (int i = 0; names[i]; i++) {
        ThRng r = th_rng(7, "built-in", i);
        if (!in_part(i))
            continue;
        ThAutomaton *a = evaluate(names[i]);
        try_automaton(a, 2, &r, &sum);
        th_automaton_free(a);
    }
    check_tally("built in", &sum);
}

static void test_groups(void **state)
{
    (void)state;
    static const char *const groups[] = {"1 a -> 2 ; 2 a -> 1 ; 3 a -> 3 ; 4 a -> 4 ; 5 a -> 5",
                                         "1 a -> 2 ; 2 a -> 3 ; 3 a -> 1 ; 4 a -> 4 ; 5 a -> 5"};
    static const int orders[] = {120, 60};
    Tally sum = {0};
    for (int i = 0; i < 2; i++) {
        ThRng r = th_rng(7, "groups", i);
        if (!in_part(i))
            continue;
        char text[200];
        ThError err = {0};
        snprintf(text, sizeof text,
                 "start 1 ; accept 1\n%s\n1 b -> 2 ; 2 b -> 3 ; 3 b -> 4 ; 4 b -> 5 ; 5 b -> 1",
                 groups[i]);
        ThAutomaton *a = parse(text);
        ThDfa *d = th_automaton_dfa(a, 0, NULL, &err);
        ThMonoid *monoid = th_monoid_new(d, 0, NULL, &err);
        assert_int_equal(monoid->size, orders[i]);
        th_monoid_free(monoid);
        th_dfa_free(d);
        try_automaton(a, 14, &r, &sum);
        th_automaton_free(a);
    }
    check_tally("S5 and A5", &sum);
}

/* Total, of 2 … 4 states over 2 or 3 symbols. */
static ThAutomaton *any_automaton(ThRng *r)
{
    char text[600];
    int n = 2 + below(r, 3), k = 2 + below(r, 2), at = 0;
    at += snprintf(text, sizeof text, "start q0 ; accept q%d", below(r, n));
    for (int q = 0; q < n; q++)
        for (int a = 0; a < k; a++)
            at += snprintf(text + at, sizeof text - (size_t)at, "\nq%d %c -> q%d", q, 'a' + a,
                           below(r, n));
    return parse(text);
}

static void test_random(void **state)
{
    (void)state;
    enum { USUAL = 12 };
    Tally sum = {0};
    for (int i = 0; i < (asked() ? asked() : USUAL); i++) {
        ThRng r = th_rng(7, "random", i);
        if (!in_part(i))
            continue;
        ThAutomaton *a = any_automaton(&r);
        try_automaton(a, 3, &r, &sum);
        th_automaton_free(a);
    }
    check_tally("random", &sum);
}

/* An argument chooses among the tests: test_random. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_random),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
