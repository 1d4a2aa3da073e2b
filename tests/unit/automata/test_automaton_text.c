/* Automata as text: blocks read and written, expressions, words; and every error with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/automaton.h"
#include "automata/core/build.h"
#include "automata/expression/expression.h"
#include "automata/operations/shortest_difference.h"
#include "base/rng.h"
#include "base/symbols.h"
#include "given.h"

/* ---- blocks ---- */

static void test_block(void **state)
{
    (void)state;
    ThAutomaton *a = parse("# even number of b\n"
                           "  alphabet a b\n"
                           "  start  even   # here\n"
                           "  accept even\n"
                           "  even a -> even; even b -> odd\n"
                           "\n"
                           "  odd  a -> odd\r\n"
                           "  odd  b->even");
    assert_int_equal(a->n_states, 2);
    assert_int_equal(a->n_symbols, 2);
    assert_int_equal(a->n_outputs, 0);
    assert_string_equal(a->state[0], "even");
    assert_string_equal(a->state[1], "odd");
    assert_string_equal(a->symbol[1], "b");
    assert_true(a->start[0] && !a->start[1] && a->accept[0] && !a->accept[1]);
    static const ThAutomatonArc want[] = {
        {0, 0, 0, -1}, {0, 1, 1, -1}, {1, 0, 1, -1}, {1, 1, 0, -1}};
    assert_int_equal(a->n_arcs, 4);
    assert_memory_equal(a->arc, want, sizeof want);
    assert_int_equal(a->first[1], 2);
    assert_int_equal(a->first[2], 4);
    assert_true(th_automaton_deterministic(a));
    th_automaton_free(a);
}

static void test_alphabet_by_appearance(void **state)
{
    (void)state;
    ThAutomaton *a = parse("start q r; accept r; q z,x,eps -> r; q y -> q; q z -> q; q z -> q");
    assert_int_equal(a->n_symbols, 3);
    assert_string_equal(a->symbol[0], "z");
    assert_string_equal(a->symbol[1], "x");
    assert_string_equal(a->symbol[2], "y");
    assert_int_equal(a->n_arcs, 5); /* the last one is there twice */
    assert_int_equal(a->arc[0].symbol, TH_AUTOMATON_EPSILON);
    assert_true(a->start[0] && a->start[1]);
    assert_false(th_automaton_deterministic(a));
    th_automaton_free(a);
}

/* Keywords are names where a transition says so; quotes make names of anything. */
static void test_names(void **state)
{
    (void)state;
    ThAutomaton *a = parse("start \"start\"; accept \"accept\"; start output -> accept\n"
                           "accept \"->\", \"eps\" -> \"a b;\\n\\u{e9}\"\n"
                           "\"a b;\\n\\u{e9}\" \"#\",\"\\\"\" -> start; s-1 a'.b -> start");
    assert_int_equal(a->n_states, 4);
    assert_string_equal(a->state[0], "start");
    assert_string_equal(a->state[1], "accept");
    assert_string_equal(a->state[2], "a b;\n\xc3\xa9");
    assert_string_equal(a->state[3], "s-1");
    assert_int_equal(a->n_symbols, 6);
    assert_string_equal(a->symbol[1], "->");
    assert_string_equal(a->symbol[2], "eps");
    assert_string_equal(a->symbol[4], "\"");
    assert_true(th_automaton_deterministic(a));
    th_automaton_free(a);
}

static void test_outputs(void **state)
{
    (void)state;
    ThAutomaton *a = parse("start p; p 0 -> p / no; p 1 -> q / yes; q 0,1 -> p / eps");
    assert_true(th_automaton_mealy(a) && !th_automaton_moore(a));
    assert_true(a->accept[0] && a->accept[1]);
    assert_int_equal(a->n_outputs, 2);
    assert_int_equal(a->arc[1].output, 1);
    assert_int_equal(a->arc[2].output, TH_AUTOMATON_NO_OUTPUT);
    th_automaton_free(a);
    a = parse("start p; accept q; output q yes; output p no; p 0 -> q");
    assert_true(th_automaton_moore(a) && !th_automaton_mealy(a));
    assert_false(a->accept[0]);
    assert_int_equal(a->moore[0], 1);
    assert_int_equal(a->moore[1], 0);
    ThDfa *d = th_automaton_dfa(a, 0, NULL, NULL), *e = th_automaton_acceptor(a, 0, NULL, NULL);
    assert_int_equal(d->n_classes, 3);
    assert_int_equal(th_dfa_class(d, NULL, 0), 2);
    assert_int_equal(th_dfa_class(d, (const int[]){0}, 1), 1);
    assert_int_equal(th_dfa_class(d, (const int[]){0, 0}, 2), 0);
    assert_int_equal(e->n_classes, 2);
    assert_int_equal(th_dfa_class(e, (const int[]){0}, 1), 1);
    th_dfa_free(d);
    th_dfa_free(e);
    th_automaton_free(a);
}

static void test_sizes_and_trim(void **state)
{
    (void)state;
    ThAutomaton *a =
        parse("start q; accept r; q a -> q; q b -> r; q c -> sink; sink a,b,c -> sink\n"
              "lost a -> r");
    size_t states, transitions;
    th_automaton_size(a, &states, &transitions);
    assert_int_equal(states, 2);
    assert_int_equal(transitions, 2);
    ThAutomaton *t = th_automaton_trim(a, NULL);
    assert_int_equal(t->n_states, 2);
    assert_int_equal(t->n_arcs, 2);
    assert_string_equal(t->state[1], "r");
    th_automaton_free(t);
    th_automaton_free(a);
    a = parse("start q; accept q; states q r; q a -> r");
    th_automaton_size(a, &states, &transitions);
    assert_int_equal(states, 1);
    assert_int_equal(transitions, 0);
    th_automaton_free(a);
}

/* ---- errors of blocks ---- */

static void test_block_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, col;
        const char *message, *hint;
    } bad[] = {
        {"", 1, 1, "no start state", ""},
        {"q a -> q\n", 2, 1, "no start state", ""},
        {"start", 1, 6, "no start state", ""},
        {"start q\nstart r", 2, 1, "start is given twice", ""},
        {"accept q\naccept r\n", 2, 1, "accept is given twice", ""},
        {"alphabet a; alphabet b", 1, 13, "alphabet is given twice", ""},
        {"states a; states b", 1, 11, "states is given twice", ""},
        {"outputs a; outputs b", 1, 12, "outputs is given twice", ""},
        {"alphabet a b a", 1, 14, "symbol a is listed twice", ""},
        {"states q r q", 1, 12, "state q is listed twice", ""},
        {"start q q", 1, 9, "state q is listed twice", ""},
        {"accept q r q", 1, 12, "state q is listed twice", ""},
        {"outputs x x", 1, 11, "output x is listed twice", ""},
        {"alphabet a eps", 1, 12, "eps is the empty move, not a symbol", ""},
        {"alphabet a ,", 1, 12, "expected a name before ,", ""},
        {"alphabet \"a b\"", 1, 10, "symbol \"a b\" contains a blank", ""},
        {"alphabet \" \" ab; start q", 1, 10, "a blank symbol and one of several", ""},
        {"alphabet \"\"", 1, 10, "a name cannot be empty", ""},
        {"start \"\"", 1, 7, "a name cannot be empty", ""},
        {"start q\nq c -> q\nalphabet a b", 2, 3, "symbol c is not in the alphabet", "alphabet"},
        {"alphabet left right\nq lef -> q", 2, 3, "symbol lef is not in the alphabet",
         "did you mean left?"},
        {"states q; start r", 1, 17, "state r is not among the states", "add it to `states`"},
        {"outputs yes no; q a -> q / yess", 1, 28, "output yess is not among the outputs",
         "did you mean yes?"},
        {"q a", 1, 4, "expected '->' at the end", "FROM SYMBOL -> TO"},
        {"even a even\n", 1, 8, "expected '->' before even", "FROM SYMBOL -> TO"},
        {"even a,b odd\n", 1, 10, "expected '->' before odd", ""},
        {"stat q\n", 1, 1, "unknown statement stat", "did you mean start?"},
        {"-> q", 1, 1, "expected a state before ->", ""},
        {"q -> q", 1, 3, "expected a symbol before ->", ""},
        {"q a, -> q", 1, 6, "expected a symbol before ->", ""},
        {"q a b -> q", 1, 5, "expected '->' before b", ""},
        {"q a ->", 1, 7, "expected a state at the end", ""},
        {"q a ->\nr a -> q", 1, 7, "expected a state before the end of the line", ""},
        {"q a -> ; r a -> q", 1, 8, "expected a state before ;", ""},
        {"q a -> r s", 1, 10, "expected the end of the transition before s", ""},
        {"q a -> r / ", 1, 12, "expected an output at the end", ""},
        {"q a -> r / x y", 1, 14, "expected the end of the transition before y", ""},
        {"q a -> r / eps y", 1, 16, "expected the end of the transition before y", ""},
        {"q a -> r -> s", 1, 10, "expected the end of the transition before ->", ""},
        {"q ( -> r", 1, 3, "expected a symbol before (", ""},
        {"q + -> r", 1, 3, "expected a symbol before +", "quotes: \"+\""},
        {"output", 1, 7, "expected a state at the end", ""},
        {"output q", 1, 9, "expected an output at the end", ""},
        {"output q eps", 1, 10, "expected an output before eps", ""},
        {"output q x y", 1, 12, "expected the end of the statement before y", ""},
        {"output q x; output q y", 1, 20, "the output of state q is given twice", ""},
        {"output q x; q a -> q / y", 1, 1, "outputs are of states or of transitions", ""},
        {"q a -> q / y\noutput q x", 2, 1, "outputs are of states or of transitions", ""},
        {"start even\naccept evn\neven a -> even", 2, 8, "no transition leads to or from state evn",
         "states"},
        {"start q; q a -> q\noutput r x", 2, 8, "no transition leads to or from state r", ""},
        {", a", 1, 1, "expected a statement before ,", ""},
        {"start \"q", 1, 7, "string without an end", ""},
        {"start \"q\nr\"", 1, 7, "string without an end", ""},
        {"start \"a\\", 1, 10, "unknown escape", ""},
        {"start \"a\\x\"", 1, 10, "unknown escape", ""},
        {"start \"\\u{}\"", 1, 9, "\\u must be followed by {HEXADECIMAL}", ""},
        {"start \"\\u{0}\"", 1, 9, "\\u must be followed by {HEXADECIMAL}", ""},
        {"start \"\\u{d800}\"", 1, 9, "\\u must be followed by {HEXADECIMAL}", ""},
        {"start \"\\u{110000}\"", 1, 9, "\\u must be followed by {HEXADECIMAL}", ""},
        {"start \"\\u{fffffffff}\"", 1, 9, "\\u must be followed by {HEXADECIMAL}", ""},
        {"start \"\\u41\"", 1, 9, "\\u must be followed by {HEXADECIMAL}", ""},
        {"start q \xff", 1, 9, "not valid UTF-8", ""},
        {"start q\xc3", 1, 8, "not valid UTF-8", ""},
        {"start \"\xc3\"", 1, 8, "not valid UTF-8", ""},
        {"start \xc3\xa9\xc3\xa9 \x01", 1, 10, "control character", ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        assert_null(th_automaton_parse(bad[i].text, &err));
        if (err.code != TH_EPARSE || err.line != bad[i].line || err.col != bad[i].col ||
            strncmp(err.msg, bad[i].message, strlen(bad[i].message)) != 0 ||
            !strstr(err.hint, bad[i].hint))
            fail_msg("%s\ngives %d:%d: %s (%s)", bad[i].text, err.line, err.col, err.msg, err.hint);
    }
}

static char *repeated(const char *before, const char *part, int n, const char *after)
{
    ThText t = {0};
    th_text_add(&t, before);
    for (int i = 0; i < n; i++)
        th_text_add(&t, part);
    th_text_add(&t, after);
    return th_text_take(&t, NULL);
}

/* Messages stay one short line whatever the names are. */
static void test_long_names(void **state)
{
    (void)state;
    char *text = repeated("start q; accept \"\xc3\xa9\\n", "\xc3\xa9", 1000000, "\"");
    ThError err = {0};
    assert_null(th_automaton_parse(text, &err));
    assert_true(strlen(err.msg) < 200);
    assert_null(strchr(err.msg, '\n'));
    assert_true(th_utf8_valid(err.msg, strlen(err.msg)));
    free(text);
    text = repeated("start q; q ", "x", 1000000, " -> q");
    ThAutomaton *a = parse(text);
    assert_int_equal(strlen(a->symbol[0]), 1000000);
    th_automaton_free(a);
    free(text);
}

/* Every prefix and every one-byte change of a good text is read or refused, never worse. */
static void test_damaged_text(void **state)
{
    (void)state;
    const char *good = "alphabet a \"\\u{e9}\"; outputs x y\nstates q r\nstart q r; accept q\n"
                       "q a,\"\xc3\xa9\" -> r / x; r eps -> q / y # end";
    size_t n = strlen(good), n_read = 0;
    ThAutomaton *whole = parse(good);
    th_automaton_free(whole);
    for (size_t i = 0; i < n; i++) {
        for (int c = 0; c < 256; c++) {
            char *text = strdup(good);
            ThError err = {0};
            text[i] = (char)c;
            ThAutomaton *a = th_automaton_parse(text, &err);
            assert_true(a || (err.code == TH_EPARSE && err.line >= 1 && err.col >= 1));
            n_read += a != NULL;
            th_automaton_free(a);
            free(text);
        }
    }
    assert_true(n_read > 1000);
}

/* ---- writing and reading back ---- */

static const char *const odd_names[] = {"q",  "start",    "eps",    "ε",   "->", "a b",  "\"",
                                        "\\", "\n",       "#",      "x;y", "é",  "日本", "-1",
                                        "{",  "alphabet", "output", "/",   ",",  "\x01", "states"};

static const char *odd_symbol(ThRng *r)
{
    const char *name;
    do
        name = odd_names[below(r, 21)];
    while (strpbrk(name, " \n"));
    return name;
}

static ThAutomaton *odd_automaton(ThRng *r)
{
    ThAutomatonBuild b = {0};
    int kind = below(r, 3), n_states, n_symbols, n_outputs;
    for (int i = below(r, 8); i >= 0; i--)
        th_automaton_build_state(&b, odd_names[below(r, 21)]);
    for (int i = below(r, 5); i > 0; i--)
        th_automaton_build_symbol(&b, odd_symbol(r));
    for (int i = kind ? 1 + below(r, 4) : 0; i > 0; i--)
        th_automaton_build_output(&b, odd_names[below(r, 21)]);
    n_states = (int)b.state.n;
    n_symbols = (int)b.symbol.n;
    n_outputs = (int)b.output.n;
    th_automaton_build_start(&b, below(r, n_states));
    for (int q = 0; q < n_states; q++) {
        if (below(r, 2))
            th_automaton_build_accept(&b, q);
        if (below(r, 4) == 0)
            th_automaton_build_start(&b, q);
        if (kind == 1 && below(r, 2))
            th_automaton_build_moore(&b, q, below(r, n_outputs));
    }
    for (int i = below(r, 12); i > 0; i--) {
        ThAutomatonArc arc = {below(r, n_states), below(r, n_symbols + 1) - 1, below(r, n_states),
                              -1};
        arc.output = kind == 2 && below(r, 2) ? below(r, n_outputs) : TH_AUTOMATON_NO_OUTPUT;
        th_automaton_build_arc(&b, arc);
    }
    ThAutomaton *a = th_automaton_build_finish(&b, NULL);
    assert_non_null(a);
    return a;
}

static void assert_same_names(char *const *a, char *const *b, int n)
{
    for (int i = 0; i < n; i++)
        assert_string_equal(a[i], b[i]);
}

static void assert_same(const ThAutomaton *a, const ThAutomaton *b)
{
    size_t n = (size_t)a->n_states;
    assert_int_equal(a->n_states, b->n_states);
    assert_int_equal(a->n_symbols, b->n_symbols);
    assert_int_equal(a->n_outputs, b->n_outputs);
    assert_int_equal(a->n_arcs, b->n_arcs);
    assert_same_names(a->state, b->state, a->n_states);
    assert_same_names(a->symbol, b->symbol, a->n_symbols);
    assert_same_names(a->output, b->output, a->n_outputs);
    assert_memory_equal(a->start, b->start, n * sizeof *a->start);
    assert_memory_equal(a->accept, b->accept, n * sizeof *a->accept);
    assert_memory_equal(a->moore, b->moore, n * sizeof *a->moore);
    assert_memory_equal(a->arc, b->arc, a->n_arcs * sizeof *a->arc);
    assert_memory_equal(a->first, b->first, (n + 1) * sizeof *a->first);
}

/* The inside of the block in a text: it is cut off in place. */
static char *inside(ThText *t)
{
    char *open = strstr(t->data, "{\n");
    t->data[t->size - 2] = '\0';
    assert_string_equal(t->data + t->size - 1, "\n");
    return open + 2;
}

static void test_write_and_read_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3000; i++) {
        ThRng r = th_rng(1, "test.automata.write", i);
        ThAutomaton *a = odd_automaton(&r);
        ThText t = {0};
        th_automaton_write(&t, a, "A");
        assert_int_equal(strncmp(t.data, "automaton A {\n", 14), 0);
        ThAutomaton *b = parse(inside(&t));
        ThAutomaton *c = th_automaton_copy(b, NULL);
        assert_same(a, b);
        assert_same(a, c);
        th_text_free(&t);
        th_automaton_free(a);
        th_automaton_free(b);
        th_automaton_free(c);
    }
}

static void test_written_form(void **state)
{
    (void)state;
    ThAutomaton *a = parse("alphabet a b; start even; accept even; even a -> even; even b -> odd\n"
                           "odd a -> odd; odd b -> even");
    ThText t = {0};
    th_automaton_write(&t, a, "parity");
    assert_string_equal(t.data, "automaton parity {\n"
                                "  alphabet a b\n"
                                "  start even\n"
                                "  accept even\n"
                                "  even a -> even\n"
                                "  even b -> odd\n"
                                "  odd a -> odd\n"
                                "  odd b -> even\n"
                                "}\n");
    th_text_free(&t);
    th_automaton_free(a);
    a = parse("start q; q 0,1 -> r / x; r 0 -> q / \"eps\"");
    th_automaton_write(&t, a, "m");
    assert_string_equal(t.data, "automaton m {\n"
                                "  alphabet 0 1\n"
                                "  start q\n"
                                "  q 0,1 -> r / x\n"
                                "  r 0 -> q / \"eps\"\n"
                                "}\n");
    th_text_free(&t);
    th_automaton_free(a);
}

/* ---- expressions ---- */

static const ThAutomaton *find(void *context, const char *name)
{
    return strcmp(name, "mine") == 0 || strcmp(name, "tomita") == 0 ? context : NULL;
}

static void test_expression_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, col;
        ThErrc code;
        const char *message, *hint;
    } bad[] = {
        {"", 1, 1, TH_EPARSE, "expected an automaton at the end", ""},
        {"parity &", 1, 9, TH_EPARSE, "expected an automaton at the end", ""},
        {"parity & & mine", 1, 10, TH_EPARSE, "expected an automaton before &", ""},
        {"| mine", 1, 1, TH_EPARSE, "expected an automaton before |", ""},
        {"(mine", 1, 6, TH_EPARSE, "expected ')' at the end", ""},
        {"mine)", 1, 5, TH_EPARSE, "expected an operator before )", ""},
        {"mine mine", 1, 6, TH_EPARSE, "expected an operator before mine", ""},
        {"mine(3)", 1, 5, TH_EPARSE, "expected an operator before (", ""},
        {"\"mine\"", 1, 1, TH_EPARSE, "expected an automaton before mine", ""},
        {"party", 1, 1, TH_EVALUE, "there is no automaton party", "did you mean parity?"},
        {"mine &\n  elsewhere", 2, 3, TH_EVALUE, "there is no automaton elsewhere", ""},
        {"mine-parity", 1, 1, TH_EVALUE, "there is no automaton mine-parity", "A - B"},
        {"minimise(mine)", 1, 1, TH_EVALUE, "there is no automaton minimise", "minimize"},
        {"minimize mine", 1, 1, TH_EVALUE, "there is no automaton minimize", ""},
        {"minimize()", 1, 10, TH_EPARSE, "expected an automaton before )", ""},
        {"minimize(mine, mine)", 1, 14, TH_EPARSE, "expected ')' before ,", ""},
        {"cycle(", 1, 7, TH_EPARSE, "expected a number at the end", ""},
        {"cycle(5", 1, 8, TH_EPARSE, "expected ',' or ')' at the end", ""},
        {"cycle(5,)", 1, 9, TH_EPARSE, "expected a number before )", ""},
        {"cycle(mine)", 1, 7, TH_EPARSE, "expected a number before mine", ""},
        {"cycle(-3)", 1, 1, TH_EVALUE, "n of cycle is 2 to 10000, not -3", ""},
        {"cycle(1 2)", 1, 7, TH_EPARSE, "expected a number before 1", ""},
        {"cycle(5x)", 1, 7, TH_EPARSE, "expected a number before 5x", ""},
        {"cycle(99999999999999999999)", 1, 7, TH_EPARSE, "the number is too large", ""},
        {"cycle(1)", 1, 1, TH_EVALUE, "n of cycle is 2 to 10000, not 1", ""},
        {"mine & cycle(5, 6)", 1, 8, TH_EVALUE, "cycle takes 1 argument, not 2", ""},
        {"parity(1)", 1, 1, TH_EVALUE, "parity takes 0 arguments, not 1", ""},
        {"dyck(1)", 1, 1, TH_EVALUE, "dyck needs the argument depth, 1 to 10000", ""},
        {"dyck(1,2,3,4,5,6,7,8,9)", 1, 22, TH_EPARSE, "expected ')' before 9", ""},
        {"dyck(4, 100)", 1, 1, TH_ELIMIT, "dyck(4, 100) has more than 100000 states", ""},
        {"sum(200) & sum(199)", 1, 10, TH_ELIMIT, "the product has more than 1000 states", ""},
        {"regex \"a(b*\"", 1, 9, TH_EPARSE, "'(' without its ')'", ""},
        {"regex", 1, 6, TH_EPARSE, "expected a regular expression in quotes at the end", ""},
        {"star(parity, parity)", 1, 12, TH_EPARSE, "expected ')'", ""},
        {"concat(parity", 1, 14, TH_EPARSE, "expected ',' or ')' at the end", ""},
        {"quotient(parity)", 1, 16, TH_EPARSE, "expected ','", ""},
        {"project(parity, sideways)", 1, 17, TH_EPARSE, "expected input or output", ""},
        {"homomorphism(parity)", 1, 20, TH_EPARSE, "expected ','", ""},
        {"homomorphism(parity, c -> a)", 1, 1, TH_EVALUE, "c is not in the alphabet", ""},
        {"mine & \xff", 1, 8, TH_EPARSE, "not valid UTF-8", ""},
        {"mine & \"a", 1, 8, TH_EPARSE, "string without an end", ""},
        {"mine ? mine", 1, 6, TH_EPARSE, "expected an operator before ?", ""},
    };
    ThAutomaton *mine = parse("start q; q 0,1 -> q; accept q");
    ThAutomatonScope scope = {find, mine, 1000};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        assert_null(th_automaton_expression(bad[i].text, &scope, NULL, &err));
        if (err.code != bad[i].code || err.line != bad[i].line || err.col != bad[i].col ||
            strncmp(err.msg, bad[i].message, strlen(bad[i].message)) != 0 ||
            !strstr(err.hint, bad[i].hint))
            fail_msg("%s\ngives %d:%d: %s (%s)", bad[i].text, err.line, err.col, err.msg, err.hint);
    }
    th_automaton_free(mine);
}

static size_t states_of(const char *text, const ThAutomatonScope *scope)
{
    ThError err = {0};
    ThAutomaton *a = th_automaton_expression(text, scope, NULL, &err);
    if (!a)
        fail_msg("%s: %s", text, err.msg);
    size_t n = (size_t)a->n_states;
    th_automaton_free(a);
    return n;
}

/* & binds tighter than | and -, which group from the left; user's names go before built-in ones. */
static void test_precedence(void **state)
{
    (void)state;
    ThAutomaton *mine = parse("start q; q 0,1 -> q; accept q");
    ThAutomatonScope scope = {find, mine, 0};
    static const char *const same[][2] = {
        {"tomita(1) | tomita(2) & tomita(3)", "tomita(1) | (tomita(2) & tomita(3))"},
        {"tomita(1) - tomita(2) - tomita(3)", "(tomita(1) - tomita(2)) - tomita(3)"},
        {"tomita(1) - tomita(2) | tomita(3)", "(tomita(1) - tomita(2)) | tomita(3)"},
        {"~tomita(4) & tomita(7)", "(~tomita(4)) & tomita(7)"},
        {"tomita & tomita(5)", "tomita(5)"},
        {"~ ~\n~\ntomita(4) # comment", "~tomita(4)"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        ThAutomaton *a = th_automaton_expression(same[i][0], &scope, NULL, NULL);
        ThAutomaton *b = th_automaton_expression(same[i][1], &scope, NULL, NULL);
        ThAutomatonDifference d;
        assert_true(th_automaton_compare(a, b, 0, NULL, &d, NULL));
        assert_true(d.equivalent);
        th_automaton_free(a);
        th_automaton_free(b);
    }
    assert_int_equal(states_of("tomita", &scope), 1);
    assert_int_equal(states_of("minimize(cycle(6))", &scope), 6); /* outputs stay */
    assert_int_equal(states_of("minimize(~cycle(6))", &scope), 6);
    assert_int_equal(states_of("minimize(tomita(1) & tomita(2))", &scope), 1);
    th_automaton_free(mine);
}

static void test_deep_expressions(void **state)
{
    (void)state;
    ThAutomatonScope scope = {0};
    ThError err = {0};
    char *text = repeated("", "(", 1000000, "");
    assert_null(th_automaton_expression(text, &scope, NULL, &err));
    assert_int_equal(err.code, TH_EPARSE);
    assert_int_equal(err.col, 201);
    free(text);
    text = repeated("", "minimize(", 1000000, "");
    err = (ThError){0};
    assert_null(th_automaton_expression(text, &scope, NULL, &err));
    assert_int_equal(err.code, TH_EPARSE);
    free(text);
    text = repeated("", "~", 1000001, "parity");
    assert_int_equal(states_of(text, &scope), 2);
    free(text);
    text = repeated("parity", " & parity", 3000, "");
    assert_int_equal(states_of(text, &scope), 2);
    free(text);
}

/* ---- words ---- */

static void test_words(void **state)
{
    (void)state;
    char a[] = "a", e[] = "\xc3\xa9", blank[] = " ", s1[] = "s1", move[] = "L";
    char *single[] = {a, e, blank}, *wide[] = {s1, a, move};
    int n = -1, *w = th_symbols_read(single, 3, "a\xc3\xa9 a", &n, NULL);
    assert_int_equal(n, 4);
    assert_memory_equal(w, ((const int[]){0, 1, 2, 0}), 4 * sizeof *w);
    ThText t = {0};
    th_symbols_write(&t, single, 3, w, n);
    assert_string_equal(t.data, "a\xc3\xa9 a");
    th_text_free(&t);
    free(w);
    w = th_symbols_read(wide, 3, "  s1 a\tL  s1 ", &n, NULL);
    assert_int_equal(n, 4);
    assert_memory_equal(w, ((const int[]){0, 1, 2, 0}), 4 * sizeof *w);
    th_symbols_write(&t, wide, 3, w, n);
    assert_string_equal(t.data, "s1 a L s1");
    th_text_free(&t);
    free(w);
    w = th_symbols_read(single, 3, "", &n, NULL);
    assert_non_null(w);
    assert_int_equal(n, 0);
    free(w);
    assert_true(th_symbols_single(single, 3));
    assert_false(th_symbols_single(wide, 3));
    assert_int_equal(th_symbols_find(wide, 3, "L"), 2);
    assert_int_equal(th_symbols_find(wide, 3, "s"), -1);
}

static void test_word_errors(void **state)
{
    (void)state;
    char a[] = "a", e[] = "\xc3\xa9", s1[] = "s1";
    char *single[] = {a, e}, *wide[] = {s1, a};
    static const struct {
        bool wide;
        const char *word;
        int col;
        const char *message;
    } bad[] = {
        {false, "ab", 2, "symbol \"b\" is not in the alphabet"},
        {false, "\xc3\xa9\xc3\xa9\xe2\x82\xac", 3, "symbol \"\xe2\x82\xac\" is not"},
        {false, "a a", 2, "symbol \" \" is not"},
        {true, "s1 a s2", 6, "symbol \"s2\" is not"},
        {true, "s1a", 1, "symbol \"s1a\" is not"},
        {true, "a\xff", 0, "the input is not valid UTF-8"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThError err = {0};
        int n;
        assert_null(th_symbols_read(bad[i].wide ? wide : single, 2, bad[i].word, &n, &err));
        assert_int_equal(err.code, TH_EVALUE);
        assert_int_equal(err.col, bad[i].col);
        assert_int_equal(strncmp(err.msg, bad[i].message, strlen(bad[i].message)), 0);
    }
    ThError err = {0};
    int n;
    assert_null(th_symbols_read(wide, 2, "x", &n, &err));
    assert_string_equal(err.hint, "the alphabet is s1 a");
    char *text = repeated("", "\xc3\xa9", 100000, "");
    err = (ThError){0};
    assert_null(th_symbols_read(wide, 2, text, &n, &err));
    assert_true(th_utf8_valid(err.msg, strlen(err.msg)));
    assert_true(strlen(err.msg) < 200);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_alphabet_by_appearance),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_sizes_and_trim),
        cmocka_unit_test(test_block_errors),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_damaged_text),
        cmocka_unit_test(test_write_and_read_back),
        cmocka_unit_test(test_written_form),
        cmocka_unit_test(test_expression_errors),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_deep_expressions),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_word_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
