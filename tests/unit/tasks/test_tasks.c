#include <ctype.h>
#include <gsl/gsl_cdf.h>
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
#include "base/symbols.h"
#include "given.h"
#include "tasks/task.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* cmocka compares floats only. */
static void near(double a, double b, double apart)
{
    if (!(fabs(a - b) <= apart))
        fail_msg("%.17g is not %.17g", a, b);
}

/* ---- making tasks --------------------------------------------------------------------------- */

/* spec: "kind option=value …"; automaton: the inside of a block, or NULL. */
static ThTask *try_task(const char *spec, const char *automaton, ThError *err)
{
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", spec);
    const ThTaskKind *kind = th_task_kind(strtok_r(rest, " ", &rest));
    assert_non_null(kind);
    ThOptions o;
    assert_true(th_options_init(&o, kind->options, err));
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (!th_options_set(&o, word, value, err)) {
            th_options_free(&o);
            return NULL;
        }
    }
    ThAutomaton *a = automaton ? th_automaton_parse(automaton, err) : NULL;
    assert_true(!automaton || a);
    ThTask *t = th_task_new(kind, &o, &(ThTaskSource){.automaton = a}, err);
    th_automaton_free(a);
    th_options_free(&o);
    return t;
}

static ThTask *make(const char *spec, const char *automaton)
{
    ThError err = {0};
    ThTask *t = try_task(spec, automaton, &err);
    if (!t)
        fail_msg("%s: %s", spec, err.msg);
    return t;
}

static void sample(const ThTask *t, uint64_t seed, int B, int length, ThBatch *b)
{
    ThError err = {0};
    ThRng r = th_rng(seed, "test", (uint64_t)length);
    b->B = B;
    if (!th_task_sample(t, &r, length, b, &err))
        fail_msg("%s", err.msg);
}

/* The string as the characters of its symbols, all of which are single. */
static void as_text(const ThTask *t, const int *word, int length, char *to)
{
    for (int i = 0; i < length; i++)
        to[i] = t->signature.symbol[word[i]][0];
    to[length] = '\0';
}

/* The name of the label of a string, by the task; "" for none. */
static const char *label_of(const ThTask *t, const char *text)
{
    ThError err = {0};
    ThBatch b = {.B = 1};
    b.token = th_symbols_read(t->signature.symbol, t->signature.n_symbols, text, &b.T, &err);
    assert_non_null(b.token);
    b.target = calloc((size_t)b.T + 1, sizeof *b.target);
    th_task_label(t, &b);
    int c = t->signature.target == TH_TARGET_FINAL ? b.target[0] : b.target[b.T - 1];
    th_batch_free(&b);
    return c < 0 ? "" : t->signature.label[c];
}

/* ---- what labels should be, from the text alone ---------------------------------------------- */

static int modulo(int x, int m)
{
    return ((x % m) + m) % m;
}

static int occurrences(const char *s, const char *what)
{
    int n = 0;
    for (; (s = strstr(s, what)); s++)
        n++;
    return n;
}

static int count_char(const char *s, char c)
{
    int n = 0;
    for (; *s; s++)
        n += *s == c;
    return n;
}

static int want_parity(const char *s)
{
    return count_char(s, 'b') % 2;
}

static int want_even_pairs(const char *s)
{
    return (occurrences(s, "ab") + occurrences(s, "ba")) % 2;
}

static int want_cycle(const char *s)
{
    return modulo(count_char(s, '1') - count_char(s, '2'), 5);
}

static int want_cycle_deepmind(const char *s)
{
    return modulo(count_char(s, '2') - count_char(s, '0'), 5);
}

static int term(const char **s)
{
    int product = *(*s)++ - '0';
    while (**s == '*') {
        ++*s;
        product = product * (*(*s)++ - '0') % 5;
    }
    return product;
}

/* Value of an expression of digits modulo 5, or -1 where it is none. */
static int want_value(const char *s)
{
    for (size_t i = 0; s[i]; i++)
        if ((i % 2 == 0) != (isdigit((unsigned char)s[i]) != 0))
            return -1;
    if (strlen(s) % 2 == 0)
        return -1;
    int sum = term(&s);
    while (*s) {
        char sign = *s++;
        sum += sign == '+' ? term(&s) : -term(&s);
    }
    return modulo(sum, 5);
}

static int want_signed_value(const char *s)
{
    return *s == '+' ? want_value(s + 1) : -1;
}

static int bracket_depth(const char *s)
{
    int depth = 0, deepest = 0;
    for (; *s; s++) {
        depth += *s == '(' ? 1 : -1;
        if (depth < 0)
            return -1;
        deepest = depth > deepest ? depth : deepest;
    }
    return depth == 0 ? deepest : -1;
}

/* An expression with brackets so deep, by putting values in the place of innermost ones. */
static int want_nested(const char *s, int most, int (*want)(const char *))
{
    char text[256];
    int depth = 0;
    for (size_t i = 0; s[i]; i++) {
        depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
        if (depth < 0 || depth > most)
            return -1;
    }
    snprintf(text, sizeof text, "%s", s);
    for (char *close; (close = strchr(text, ')')) != NULL;) {
        *close = '\0';
        char *open = strrchr(text, '(');
        int value = open ? want_value(open + 1) : -1;
        if (value < 0)
            return -1;
        *open = (char)('0' + value);
        memmove(open + 1, close + 1, strlen(close + 1) + 1);
    }
    return want(text);
}

static int want_bracketed(const char *s)
{
    return want_nested(s, 2, want_signed_value);
}

static int want_bracketed_3(const char *s)
{
    return want_nested(s, 3, want_signed_value);
}

static int want_bracketed_8(const char *s)
{
    return want_nested(s, 8, want_value);
}

static int want_dyck_3(const char *s)
{
    int depth = bracket_depth(s);
    return depth >= 0 && depth <= 3;
}

static int want_tomita_1(const char *s)
{
    return s[strspn(s, "1")] == '\0';
}

static int want_tomita_2(const char *s)
{
    while (strncmp(s, "10", 2) == 0)
        s += 2;
    return *s == '\0';
}

static int want_tomita_3(const char *s)
{
    while (*s) {
        s += strspn(s, "0");
        size_t ones = strspn(s, "1"), zeros = strspn(s + ones, "0");
        if (ones % 2 && zeros % 2)
            return 0;
        s += ones + zeros;
    }
    return 1;
}

static int want_tomita_4(const char *s)
{
    return !strstr(s, "000");
}

static int want_tomita_5(const char *s)
{
    return count_char(s, '0') % 2 == 0 && count_char(s, '1') % 2 == 0;
}

static int want_tomita_6(const char *s)
{
    return (count_char(s, '0') - count_char(s, '1')) % 3 == 0;
}

static int want_tomita_7(const char *s)
{
    for (int i = 0; i < 4; i++)
        s += strspn(s, i % 2 ? "1" : "0");
    return *s == '\0';
}

static int want_sum(const char *s)
{
    int sum = 0;
    for (; *s; s++)
        sum += *s - '0';
    return sum % 5;
}

static int want_even_pair(const char *s)
{
    return s[0] == s[strlen(s) - 1];
}

/* Contains two b in a row. */
static int want_double_b(const char *s)
{
    return strstr(s, "bb") != NULL;
}

#define DOUBLE_B "alphabet a b; start n; accept y; n a,b -> n; n b -> m; m b -> y; y a,b -> y"

static const struct {
    const char *spec, *automaton;
    int (*want)(const char *);
} cases[] = {
    {"parity", NULL, want_parity},
    {"parity probability=0.9", NULL, want_parity},
    {"even_pairs", NULL, want_even_pairs},
    {"modular_arithmetic", NULL, want_signed_value},
    {"modular_arithmetic products=0.9", NULL, want_signed_value},
    {"modular_arithmetic leading_plus=no", NULL, want_value},
    {"modular_arithmetic depth=2", NULL, want_bracketed},
    {"modular_arithmetic depth=2 products=0.7", NULL, want_bracketed},
    {"modular_arithmetic depth=3", NULL, want_bracketed_3}, /* without a machine */
    {"modular_arithmetic depth=8 leading_plus=no", NULL, want_bracketed_8},
    {"cycle_navigation", NULL, want_cycle},
    {"cycle_navigation encoding=deepmind", NULL, want_cycle_deepmind},
    {"dyck depth=3", NULL, want_dyck_3},
    {"tomita number=1", NULL, want_tomita_1},
    {"tomita number=2", NULL, want_tomita_2},
    {"tomita number=3", NULL, want_tomita_3},
    {"tomita number=4", NULL, want_tomita_4},
    {"tomita number=5", NULL, want_tomita_5},
    {"tomita number=6", NULL, want_tomita_6},
    {"tomita number=7", NULL, want_tomita_7},
    {"sum", NULL, want_sum},
    {"sum labels=final", NULL, want_sum},
    {"sum labels=last", NULL, want_sum},
    {"even_pair", NULL, want_even_pair},
    {"even_pair labels=final", NULL, want_even_pair},
    {"mod_arith", NULL, want_value},
    {"mod_arith labels=final", NULL, want_value},
    {"mod_arith labels=final products=0.6", NULL, want_value},
    {"mod_arith labels=last", NULL, want_value},
    {"recognize", DOUBLE_B, want_double_b},
};

/* ---- labels ---------------------------------------------------------------------------------- */

static void check_labels(const ThTask *t, const ThBatch *b, int (*want)(const char *))
{
    char text[256];
    for (int i = 0; i < b->B; i++) {
        const int *word = b->token + i * b->T;
        int first = t->signature.target == TH_TARGET_FINAL ? b->T : 1;
        for (int k = first; k <= b->T; k++) {
            as_text(t, word, k, text);
            int got = b->target[first == 1 ? i * b->T + k - 1 : i];
            if (got != (t->last_only && k < b->T ? -1 : want(text)))
                fail_msg("%s: label %d", text, got);
        }
    }
}

static void test_labels_of_samples(void **state)
{
    (void)state;
    for (size_t c = 0; c < LENGTH(cases); c++) {
        ThTask *t = make(cases[c].spec, cases[c].automaton);
        ThBatch b = {0};
        for (int length = 1; length <= 61; length += length < 12 ? 1 : 7) {
            sample(t, 1, 100, length, &b);
            assert_int_equal(b.T, th_task_length(t, length));
            check_labels(t, &b, cases[c].want);
        }
        th_batch_free(&b);
        th_task_free(t);
    }
}

/* All strings over the alphabet, not just those that the sampler draws. */
static void test_labels_of_all_strings(void **state)
{
    (void)state;
    for (size_t c = 0; c < LENGTH(cases); c++) {
        ThTask *t = make(cases[c].spec, cases[c].automaton);
        int n = t->signature.n_symbols;
        if (n > 3) { /* expressions: the reading of a + where none belongs is left open */
            th_task_free(t);
            continue;
        }
        int most = n == 2 ? 10 : 7;
        ThBatch b = {.B = 1, .token = calloc(16, sizeof(int)), .target = calloc(16, sizeof(int))};
        for (b.T = 1; b.T <= most; b.T++) {
            int all = (int)lround(pow(n, b.T));
            for (int i = 0; i < all; i++) {
                for (int k = 0, x = i; k < b.T; k++, x /= n)
                    b.token[k] = x % n;
                th_task_label(t, &b);
                check_labels(t, &b, cases[c].want);
            }
        }
        th_batch_free(&b);
        th_task_free(t);
    }
}

static void test_examples_of_the_papers(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"cycle_navigation", "010211", "2"},
        {"cycle_navigation encoding=deepmind", "121022", "2"},
        {"even_pairs", "aabba", "even"},
        {"parity", "aaabba", "even"},
        {"even_pair", "0320", "equal"},
        {"sum", "0324", "4"},
        {"modular_arithmetic", "+1+2*3", "2"},
        {"modular_arithmetic leading_plus=no", "1-1-1", "4"},
        {"modular_arithmetic leading_plus=no", "0*1+4*3-2", "0"},
        {"modular_arithmetic depth=2", "+2*(3-(4)*2)-1", "4"},
        {"modular_arithmetic depth=1", "+2*((3))", ""},
        {"modular_arithmetic depth=3", "+2*(3-((4)*2-3))-1", "0"},
        {"modular_arithmetic depth=3", "+2*(((3)))", "1"},
        {"modular_arithmetic depth=3", "+2*((((3))))", ""},
        {"modular_arithmetic depth=3", "-3*(1+1)", "4"},
        {"modular_arithmetic depth=3", "+3*(1+1", ""},
        {"modular_arithmetic depth=3", "+3*1)", ""},
        {"modular_arithmetic depth=3", "+(-3)", ""},
        {"modular_arithmetic depth=3", "+3_4", ""},
        {"modular_arithmetic depth=3", "3", ""},
        {"modular_arithmetic depth=3 leading_plus=no", "3-4*(2-3)", "2"},
        {"mod_arith", "1+2-4", "4"},
        {"mod_arith", "1+2-3*4", "1"},
        {"mod_arith", "1+2-", ""},
        {"sum modulus=3", "222", "0"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        ThTask *t = make(rows[i][0], NULL);
        assert_string_equal(label_of(t, rows[i][1]), rows[i][2]);
        th_task_free(t);
    }
}

/* Alphabets and classes as the parameter counts of the papers need them. */
static void test_signatures(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        ThTarget target;
        int n_symbols, n_classes, n_states;
    } rows[] = {
        {"parity", TH_TARGET_FINAL, 2, 2, 2},
        {"even_pairs", TH_TARGET_FINAL, 2, 2, 5},
        {"modular_arithmetic", TH_TARGET_FINAL, 9, 5, 51},
        {"cycle_navigation", TH_TARGET_FINAL, 3, 5, 5},
        {"dyck depth=12", TH_TARGET_FINAL, 2, 2, 14},
        {"tomita number=1", TH_TARGET_FINAL, 2, 2, 2},
        {"tomita number=2", TH_TARGET_FINAL, 2, 2, 3},
        {"tomita number=3", TH_TARGET_FINAL, 2, 2, 5},
        {"tomita number=4", TH_TARGET_FINAL, 2, 2, 4},
        {"tomita number=5", TH_TARGET_FINAL, 2, 2, 4},
        {"tomita number=6", TH_TARGET_FINAL, 2, 2, 3},
        {"tomita number=7", TH_TARGET_FINAL, 2, 2, 5},
        {"sum", TH_TARGET_EVERY, 5, 5, 5},
        {"even_pair", TH_TARGET_EVERY, 5, 2, 11},
        {"mod_arith", TH_TARGET_EVERY, 8, 5, 51},
        {"mod_arith modulus=2", TH_TARGET_EVERY, 5, 2, 9},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        ThTask *t = make(rows[i].spec, NULL);
        assert_int_equal(t->signature.target, rows[i].target);
        assert_int_equal(t->signature.n_symbols, rows[i].n_symbols);
        assert_int_equal(t->signature.n_classes, rows[i].n_classes);
        ThDfa *minimal = th_dfa_minimize(t->machine, NULL, NULL);
        assert_int_equal(minimal->n_states, rows[i].n_states);
        assert_int_equal(t->machine->n_states, rows[i].n_states);
        th_dfa_free(minimal);
        th_task_free(t);
    }
}

/* The built-in automata, which were written down independently, accept the same languages. */
static void test_machines_against_built_in_automata(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"tomita number=1", "tomita(1)"}, {"tomita number=2", "tomita(2)"},
        {"tomita number=3", "tomita(3)"}, {"tomita number=4", "tomita(4)"},
        {"tomita number=5", "tomita(5)"}, {"tomita number=6", "tomita(6)"},
        {"tomita number=7", "tomita(7)"}, {"dyck depth=2", "dyck(1, 2)"},
        {"dyck depth=12", "dyck(1, 12)"}, {"even_pair modulus=4", "even_pair(4)"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        ThTask *t = make(rows[i][0], NULL);
        ThAutomaton *a = evaluate(rows[i][1]);
        ThDfa *d = th_automaton_acceptor(a, 0, NULL, NULL);
        assert_int_equal(a->n_symbols, t->signature.n_symbols);
        for (int k = 0; k < a->n_symbols; k++)
            assert_string_equal(a->symbol[k], t->signature.symbol[k]);
        t->machine->label[t->machine->start] =
            d->label[d->start]; /* no task asks about no symbol */
        int length;
        int *word = th_dfa_distinguish(t->machine, d, &length, NULL, NULL);
        if (word)
            fail_msg("%s differs from %s at length %d", rows[i][0], rows[i][1], length);
        th_dfa_free(d);
        th_automaton_free(a);
        th_task_free(t);
    }
}

/* ---- samplers -------------------------------------------------------------------------------- */

static int count_class(const ThBatch *b, int label)
{
    int n = 0;
    for (int i = 0; i < b->B; i++)
        n += b->target[i] == label;
    return n;
}

static void test_lengths(void **state)
{
    (void)state;
    ThTask *sign = make("modular_arithmetic", NULL);
    ThTask *plain = make("modular_arithmetic leading_plus=no", NULL);
    assert_int_equal(th_task_length(sign, 1), 2);
    assert_int_equal(th_task_length(sign, 40), 40);
    assert_int_equal(th_task_length(sign, 41), 42);
    assert_int_equal(th_task_length(plain, 1), 1);
    assert_int_equal(th_task_length(plain, 40), 39);
    assert_int_equal(th_task_length(plain, 41), 41);
    th_task_free(sign);
    th_task_free(plain);
}

static void test_balance(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int length, members; /* of 100 */
    } rows[] = {
        {"dyck depth=2", 50, 50},    {"dyck depth=12", 100, 50},  {"dyck depth=4", 7, 0},
        {"dyck depth=1", 2, 50},     {"tomita number=2", 6, 50},  {"tomita number=2", 5, 0},
        {"tomita number=3", 50, 50}, {"tomita number=3", 1, 100}, {"tomita number=3", 2, 50},
        {"tomita number=4", 50, 50}, {"tomita number=4", 2, 100}, {"tomita number=4", 3, 50},
        {"tomita number=5", 10, 50}, {"tomita number=5", 9, 0},   {"tomita number=6", 1, 0},
        {"tomita number=6", 2, 50},  {"tomita number=6", 51, 50}, {"tomita number=7", 4, 100},
        {"tomita number=7", 5, 50},  {"tomita number=7", 50, 50},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        ThTask *t = make(rows[i].spec, NULL);
        ThBatch b = {0};
        sample(t, 3, 100, rows[i].length, &b);
        if (count_class(&b, 1) != rows[i].members)
            fail_msg("%s at %d: %d members", rows[i].spec, rows[i].length, count_class(&b, 1));
        double chance = rows[i].members == 50 ? 0.5 : 1;
        assert_true(th_task_chance(t, rows[i].length) == chance);
        th_batch_free(&b);
        th_task_free(t);
    }
}

/* Of an odd number of strings the one in the middle is a member every other time. */
static void test_balance_of_odd_batches(void **state)
{
    (void)state;
    static const char *const specs[] = {"dyck depth=2", "tomita number=5", "recognize"};
    for (size_t i = 0; i < LENGTH(specs); i++) {
        ThTask *t = make(specs[i], i == 2 ? DOUBLE_B : NULL);
        ThBatch b = {0};
        int members = 0;
        for (uint64_t seed = 0; seed < 600; seed++) {
            int n = seed % 2 ? 1 : 3;
            sample(t, seed, n, 10, &b);
            members += count_class(&b, 1) - n / 2;
            assert_in_range(count_class(&b, 1), n / 2, n / 2 + 1);
        }
        assert_in_range(members, 240, 360);
        th_batch_free(&b);
        th_task_free(t);
    }
}

/* The generator's words have the depth that makes them hard, and never more than n. */
static void test_dyck_depths(void **state)
{
    (void)state;
    static const int rows[][3] = {{2, 50, 2}, {3, 50, 3}, {4, 50, 4}, {12, 50, 8}, {12, 100, 10}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char spec[32], text[128];
        snprintf(spec, sizeof spec, "dyck depth=%d", rows[i][0]);
        ThTask *t = make(spec, NULL);
        ThBatch b = {0};
        sample(t, 11, 400, rows[i][1], &b);
        int deepest = 0;
        for (int k = 0; k < b.B; k++) {
            as_text(t, b.token + k * b.T, b.T, text);
            int depth = b.target[k] ? bracket_depth(text) : 0;
            assert_true(depth >= 0);
            deepest = depth > deepest ? depth : deepest;
        }
        assert_true(deepest <= rows[i][0]);
        assert_true(rows[i][0] < 12 ? deepest == rows[i][2]
                                    : deepest <= rows[i][2] && deepest >= 6);
        th_batch_free(&b);
        th_task_free(t);
    }
}

static void test_probability(void **state)
{
    (void)state;
    ThTask *t = make("parity probability=0.3", NULL);
    ThBatch b = {0};
    sample(t, 5, 500, 200, &b);
    double ones = 0;
    for (int i = 0; i < b.B * b.T; i++)
        ones += b.token[i];
    double n = b.B * b.T;
    assert_true(fabs(ones / n - 0.3) < 5 * sqrt(0.3 * 0.7 / n));
    th_batch_free(&b);
    th_task_free(t);
}

static void test_streams(void **state)
{
    (void)state;
    ThTask *t = make("recognize", DOUBLE_B);
    ThBatch a = {0}, b = {0};
    sample(t, 7, 32, 20, &a);
    sample(t, 7, 32, 20, &b);
    assert_memory_equal(a.token, b.token, sizeof(int) * 32 * 20);
    sample(t, 8, 32, 20, &b);
    assert_true(memcmp(a.token, b.token, sizeof(int) * 32 * 20) != 0);
    th_batch_free(&a);
    th_batch_free(&b);
    th_task_free(t);
}

/* ---- chance ---------------------------------------------------------------------------------- */

static double mean_chance(const char *spec, int from, int to)
{
    ThTask *t = make(spec, NULL);
    double sum = 0;
    for (int length = from; length <= to; length++)
        sum += th_task_chance(t, length);
    th_task_free(t);
    return sum / (to - from + 1);
}

static void test_chance_of_the_papers(void **state)
{
    (void)state;
    near(mean_chance("tomita number=5", 51, 100), 0.75, 1e-12);
    near(mean_chance("tomita number=5", 52, 100), 0.7449, 5e-5);
    near(mean_chance("dyck depth=2", 51, 100), 0.75, 1e-12);
    near(mean_chance("parity", 41, 500), 0.5, 1e-12);
    near(mean_chance("cycle_navigation", 41, 60), 0.2, 1e-3);
    near(mean_chance("mod_arith labels=final", 3, 3), 0.253, 5e-4);
    near(mean_chance("mod_arith labels=final", 5, 5), 0.232, 5e-4);
    near(mean_chance("modular_arithmetic", 20, 20), 0.2, 5e-4);
    near(mean_chance("even_pair labels=final", 500, 500), 0.8, 1e-12);
    near(mean_chance("even_pair labels=last", 500, 500), 0.8, 1e-12);
    near(mean_chance("sum", 40, 40), 0.2, 1e-12);
    near(mean_chance("parity probability=0.1", 1, 1), 0.9, 1e-12);
    near(mean_chance("tomita number=1", 1, 1), 0.75, 1e-12);
}

/* Against sums over all expressions, made elsewhere. */
static void test_chance_with_brackets(void **state)
{
    (void)state;
    const char *two = "modular_arithmetic modulus=2 depth=1 leading_plus=no";
    const char *three = "modular_arithmetic modulus=3 depth=2 leading_plus=no products=0.1";
    near(mean_chance(two, 5, 5), 0.5648148148, 1e-9);
    near(mean_chance(two, 7, 7), 0.5507544582, 1e-9);
    near(mean_chance(three, 7, 7), 0.3424398720, 1e-9);
    near(mean_chance("modular_arithmetic modulus=2 depth=1", 6, 6), 0.5648148148, 1e-9);
}

/* Against the most frequent answer among many samples. */
static void test_chance_is_what_samples_show(void **state)
{
    (void)state;
    for (size_t c = 0; c < LENGTH(cases); c++) {
        ThTask *t = make(cases[c].spec, cases[c].automaton);
        ThBatch b = {0};
        for (int length = 2; length <= 9; length += 3) {
            sample(t, 13, 4000, length, &b);
            int n = t->signature.target == TH_TARGET_FINAL ? b.B : b.B * b.T;
            double count[8] = {0}, total = 0, most = 0;
            for (int i = 0; i < n; i++)
                if (b.target[i] >= 0)
                    count[b.target[i]]++;
            for (int k = 0; k < 8; k++) {
                total += count[k];
                most = fmax(most, count[k]);
            }
            double chance = th_task_chance(t, length);
            if (fabs(most / total - chance) > 5 * 0.5 / sqrt(b.B))
                fail_msg("%s at %d: chance %g, samples %g", cases[c].spec, length, chance,
                         most / total);
        }
        th_batch_free(&b);
        th_task_free(t);
    }
}

/* ---- the user's own automata ------------------------------------------------------------------
 */

/* Every word of each sort equally often, by the chi-square test over all words of length 7. */
static void test_recognize_is_uniform(void **state)
{
    (void)state;
    enum { LENGTH_OF_WORDS = 7, WORDS = 1 << LENGTH_OF_WORDS, DRAWS = 64000 };
    ThTask *t = make("recognize", DOUBLE_B);
    ThBatch b = {0};
    sample(t, 17, DRAWS, LENGTH_OF_WORDS, &b);
    double seen[2][WORDS] = {{0}}, words[2] = {0}, chi[2] = {0};
    for (int i = 0; i < DRAWS; i++) {
        int x = 0;
        for (int k = 0; k < b.T; k++)
            x = 2 * x + b.token[i * b.T + k];
        seen[b.target[i]][x]++;
    }
    bool sort_of[WORDS];
    for (int x = 0; x < WORDS; x++) {
        char text[LENGTH_OF_WORDS + 1] = "";
        for (int k = 0; k < LENGTH_OF_WORDS; k++)
            text[k] = x >> (LENGTH_OF_WORDS - 1 - k) & 1 ? 'b' : 'a';
        sort_of[x] = want_double_b(text);
        words[sort_of[x]]++;
        assert_true(seen[1 - sort_of[x]][x] == 0);
    }
    for (int x = 0; x < WORDS; x++) {
        double expected = DRAWS / 2.0 / words[sort_of[x]];
        chi[sort_of[x]] += pow(seen[sort_of[x]][x] - expected, 2) / expected;
    }
    for (int sort = 0; sort < 2; sort++) {
        double p = gsl_cdf_chisq_Q(chi[sort], words[sort] - 1);
        assert_true(p > 1e-3 && p < 1 - 1e-3);
    }
    th_batch_free(&b);
    th_task_free(t);
}

/* Even lengths: anything.  Odd lengths: a's only, one word among 2^2001. */
static void test_recognize_finds_the_rare_word(void **state)
{
    (void)state;
    ThTask *t = make("recognize", "alphabet a b; start e; accept e o ep; e a -> o; e b -> op; "
                                  "o a -> e; o b -> ep; op a,b -> ep; ep a,b -> op");
    ThBatch b = {0};
    sample(t, 19, 10, 2001, &b);
    assert_int_equal(count_class(&b, 1), 5);
    for (int i = 0; i < b.B; i++) {
        int bs = 0;
        for (int k = 0; k < b.T; k++)
            bs += b.token[i * b.T + k];
        assert_int_equal(b.target[i], bs == 0);
    }
    sample(t, 19, 10, 2000, &b);
    assert_int_equal(count_class(&b, 1), 10);
    assert_true(th_task_chance(t, 2000) == 1 && th_task_chance(t, 2001) == 0.5);
    th_batch_free(&b);
    th_task_free(t);
}

/* Where a length has members only, or none, its words are still drawn uniformly. */
static void test_recognize_draws_the_only_sort(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    static const char *const only[] = {"alphabet a b; start e; accept e; e a,b -> e",
                                       "alphabet a b; start e; e a,b -> e"};
    ThBatch b = {0};
    for (int i = 0; i < 2; i++) {
        ThTask *t = make("recognize", only[i]);
        sample(t, 23, DRAWS, 1, &b);
        int bs = 0;
        for (int k = 0; k < DRAWS; k++)
            bs += b.token[k];
        assert_in_range(bs, DRAWS * 45 / 100, DRAWS * 55 / 100);
        assert_int_equal(count_class(&b, 1), i == 0 ? DRAWS : 0);
        th_task_free(t);
    }
    th_batch_free(&b);
}

static void test_track(void **state)
{
    (void)state;
    ThTask *t = make("track", "alphabet x y; start sink; accept far; unreachable x -> far; "
                              "sink x -> near; near y -> far; far x,y -> far");
    static const char *const names[] = {"sink", "near", "far", "sink'"};
    assert_int_equal(t->signature.target, TH_TARGET_EVERY);
    assert_int_equal(t->signature.n_classes, 4);
    for (int c = 0; c < 4; c++) {
        bool found = false;
        for (int k = 0; k < 4; k++)
            found |= strcmp(t->signature.label[c], names[k]) == 0;
        assert_true(found);
    }
    static const char *const rows[][2] = {{"x", "near"},  {"xy", "far"},    {"xyyx", "far"},
                                          {"y", "sink'"}, {"yxy", "sink'"}, {"xx", "sink'"}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_string_equal(label_of(t, rows[i][0]), rows[i][1]);
    th_task_free(t);
    t = make("track", DOUBLE_B); /* nondeterministic: three states of the minimal machine */
    assert_int_equal(t->signature.n_classes, 3);
    assert_string_equal(label_of(t, "a"), "q0");
    assert_string_equal(label_of(t, "ab"), "q1");
    assert_string_equal(label_of(t, "abba"), "q2");
    th_task_free(t);
}

/* (ab|ba)*: which symbols may follow, by trying all words of up to two more symbols. */
static int is_pairs(const char *s)
{
    while (strncmp(s, "ab", 2) == 0 || strncmp(s, "ba", 2) == 0)
        s += 2;
    return *s == '\0';
}

static void check_next(const ThTask *t, const ThBatch *b, int i)
{
    char text[64];
    for (int k = 1; k <= b->T; k++) {
        const int *bits = b->target + (i * b->T + k - 1) * 3;
        as_text(t, b->token + i * b->T, k, text);
        assert_int_equal(bits[2], is_pairs(text));
        for (int c = 0; c < 2; c++) {
            static const char *const more[] = {"", "a", "b"};
            int may = 0;
            for (size_t m = 0; m < LENGTH(more); m++) {
                snprintf(text + k, sizeof text - (size_t)k, "%c%s", "ab"[c], more[m]);
                may |= is_pairs(text);
            }
            assert_int_equal(bits[c], may);
        }
    }
}

static void test_next_symbols(void **state)
{
    (void)state;
    ThTask *t = make("next_symbols", "alphabet a b; start s; accept s; s a -> p; s b -> q; "
                                     "p b -> s; q a -> s");
    assert_int_equal(t->signature.target, TH_TARGET_BITS);
    assert_int_equal(t->signature.n_classes, 3);
    assert_string_equal(t->signature.label[2], "end");
    assert_int_equal(th_task_length(t, 7), 6);
    assert_int_equal(th_task_length(t, 1), 2);
    assert_int_equal(th_task_length(t, 8), 8);
    ThBatch b = {0};
    for (int length = 1; length <= 20; length++) {
        sample(t, 23, 20, length, &b);
        for (int i = 0; i < b.B; i++) {
            char text[64];
            as_text(t, b.token + i * b.T, b.T, text);
            assert_true(is_pairs(text));
            check_next(t, &b, i);
        }
    }
    /* After an even number of symbols all may come; after an odd one a or b, equally often. */
    near(th_task_chance(t, 10), 0.5, 1e-12);
    th_batch_free(&b);
    th_task_free(t);
}

/* Behind two b's everything is accepted: a state that is never left is no dead one. */
static void test_next_symbols_of_a_sink(void **state)
{
    (void)state;
    ThTask *t = make("next_symbols", DOUBLE_B);
    ThBatch b = {0};
    for (int length = 2; length <= 12; length++) {
        sample(t, 29, 20, length, &b);
        for (int i = 0; i < b.B; i++) {
            for (int k = 1; k <= b.T; k++) {
                const int *bits = b.target + (i * b.T + k - 1) * 3;
                char text[64];
                as_text(t, b.token + i * b.T, k, text);
                assert_true(bits[0] && bits[1]);
                assert_int_equal(bits[2], want_double_b(text));
            }
        }
    }
    th_batch_free(&b);
    th_task_free(t);
    t = make("next_symbols", "alphabet a b; start s; accept t; s a -> t; t b -> t");
    sample(t, 29, 4, 5, &b); /* abbbb, and anything else is dead */
    for (int i = 0; i < b.B * b.T; i++) {
        const int *bits = b.target + i * 3;
        assert_true(!bits[0] && bits[1] && bits[2]);
    }
    th_batch_free(&b);
    th_task_free(t);
}

/* Every word of a language is drawn as a member, and no other. */
static void test_tomita_members(void **state)
{
    (void)state;
    enum { LONGEST = 6, DRAWS = 60000 };
    static int (*const want[])(const char *) = {want_tomita_1, want_tomita_2, want_tomita_3,
                                                want_tomita_4, want_tomita_5, want_tomita_6,
                                                want_tomita_7};
    for (int number = 1; number <= 7; number++) {
        char spec[32], text[LONGEST + 1] = "";
        snprintf(spec, sizeof spec, "tomita number=%d", number);
        ThTask *t = make(spec, NULL);
        for (int length = 1; length <= LONGEST; length++) {
            bool seen[1 << LONGEST] = {false};
            ThBatch b = {0};
            sample(t, 31, DRAWS, length, &b);
            for (int i = 0; i < b.B; i++) {
                int x = 0;
                for (int k = 0; k < length; k++)
                    x = 2 * x + b.token[i * length + k];
                assert_true(b.target[i] || !seen[x]);
                seen[x] = b.target[i];
            }
            for (int x = 0; x < 1 << length; x++) {
                for (int k = 0; k < length; k++)
                    text[k] = x >> (length - 1 - k) & 1 ? '1' : '0';
                text[length] = '\0';
                if (seen[x] != want[number - 1](text))
                    fail_msg("%s: %s is %s", spec, text, seen[x] ? "drawn" : "never drawn");
            }
            th_batch_free(&b);
        }
        th_task_free(t);
    }
}

/* Of two words, of 4 and of 6 symbols, near misses of 5 come from both: the shares are those of a
 * simulation of FLaRe's edits in Python, of 300,000 strings, half of all being any strings. */
/* The least number of edits that make a word of LENGTH symbols n times the symbol: those that are
 * missing, or too many, and those that are others. */
static int edits_from(int x, int length, int n, int symbol)
{
    int same = 0;
    for (int k = 0; k < length; k++)
        same += (x >> k & 1) == symbol;
    return n > length ? n - same : length - (same < n ? same : n);
}

static void test_edited(void **state)
{
    (void)state;
    enum { DRAWS = 20000, LENGTH = 5 };
    static const struct {
        int word;
        double share;
    } want[] = {{31, 0.1831}, {0, 0.1008}, {4, 0.0393}, {29, 0.0287}};
    ThTask *t = make("recognize outside=edited",
                     "start s; accept y; s a -> 1; 1 a -> 2; 2 a -> 3; 3 a -> y\n"
                     "s b -> 4; 4 b -> 5; 5 b -> 6; 6 b -> 7; 7 b -> 8; 8 b -> y");
    ThBatch b = {0};
    int seen[1 << LENGTH] = {0}, near = 0;
    static int edits[DRAWS];
    b.edits = edits;
    sample(t, 5, DRAWS, LENGTH, &b);
    for (int i = 0; i < b.B; i++) {
        int x = 0;
        for (int k = 0; k < LENGTH; k++)
            x = 2 * x + b.token[i * LENGTH + k];
        assert_int_equal(b.target[i], 0);
        seen[x]++;
        near += edits[i] > 0;
        if (edits[i] && edits[i] < edits_from(x, LENGTH, 4, 0))
            assert_true(edits[i] >= edits_from(x, LENGTH, 6, 1));
    }
    assert_in_range(near, DRAWS * 0.48, DRAWS * 0.52); /* the others are uniform */
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        double share = seen[want[i].word] / (double)DRAWS, p = want[i].share;
        if (fabs(share - p) > 5 * sqrt(p * (1 - p) / DRAWS))
            fail_msg("word %d: %g, not %g", want[i].word, share, p);
    }
    th_batch_free(&b);
    th_task_free(t);
}

/* ---- errors -----------------------------------------------------------------------------------
 */

static void expect_error(const char *spec, const char *automaton, ThErrc code, const char *words)
{
    ThError err = {0};
    assert_null(try_task(spec, automaton, &err));
    assert_int_equal(err.code, code);
    if (!strstr(err.msg, words))
        fail_msg("'%s' is not about '%s'", err.msg, words);
}

static void test_errors(void **state)
{
    (void)state;
    expect_error("tomita", NULL, TH_EUSAGE, "number");
    expect_error("tomita number=8", NULL, TH_EUSAGE, "number");
    expect_error("parity probabilty=0.5", NULL, TH_EUSAGE, "probabilty");
    expect_error("recognize", NULL, TH_EUSAGE, "automaton");
    expect_error("next_symbols", "alphabet a; start s; s a -> s", TH_EVALUE, "no word");
    expect_error("next_symbols", "alphabet a; start s; accept s", TH_EVALUE, "no word");
    ThTask *t = make("parity", NULL);
    ThBatch b = {.B = 4};
    ThError err = {0};
    ThRng r = th_rng(1, "test", 0);
    assert_false(th_task_sample(t, &r, 0, &b, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_batch_free(&b);
    th_task_free(t);
    th_task_free(NULL);
    assert_null(th_task_kind("parities"));
}

static void test_registry(void **state)
{
    (void)state;
    size_t n;
    const ThTaskKind *const *kinds = th_task_kinds(&n);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(th_task_kind(kinds[i]->name), kinds[i]);
        assert_non_null(kinds[i]->summary);
        assert_non_null(kinds[i]->detail);
        assert_non_null(kinds[i]->source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_of_samples),
        cmocka_unit_test(test_labels_of_all_strings),
        cmocka_unit_test(test_examples_of_the_papers),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_machines_against_built_in_automata),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_balance_of_odd_batches),
        cmocka_unit_test(test_dyck_depths),
        cmocka_unit_test(test_probability),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_chance_of_the_papers),
        cmocka_unit_test(test_chance_with_brackets),
        cmocka_unit_test(test_chance_is_what_samples_show),
        cmocka_unit_test(test_recognize_is_uniform),
        cmocka_unit_test(test_recognize_finds_the_rare_word),
        cmocka_unit_test(test_recognize_draws_the_only_sort),
        cmocka_unit_test(test_track),
        cmocka_unit_test(test_next_symbols),
        cmocka_unit_test(test_next_symbols_of_a_sink),
        cmocka_unit_test(test_tomita_members),
        cmocka_unit_test(test_edited),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
