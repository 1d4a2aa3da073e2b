/* Files of other programs: random automata come back as they were, texts written by those programs
 * are read as they mean, and harmful ones are refused with their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/core/build.h"
#include "automata/operations/shortest_difference.h"
#include "base/rng.h"
#include "exchange.h"
#include "given.h"

typedef enum { ACCEPTOR, MEALY, MOORE } Kind;

/* Symbols with meaning in some format are among the names. */
static ThAutomaton *random_automaton(ThRng *r, Kind kind, bool plain)
{
    static const char *const odd[] = {"a", "/", ",", "\"", "\\", "<", "&", "|"};
    static const char *const wide[] = {"s1", "eps", "a,b", "x/y", "ε", "]]>", "}", "\\n"};
    const char *const *name = below(r, 2) ? odd : wide;
    ThAutomatonBuild b = {0};
    int n = 1 + below(r, 6), k = plain ? 2 : 1 + below(r, 8);
    for (int a = 0; a < k; a++)
        th_automaton_build_symbol(&b, plain ? a ? "b" : "a" : name[a]);
    for (int q = 0; q < n; q++) {
        char state[24];
        snprintf(state, sizeof state, below(r, 2) ? "q %d\"" : "q|{%d}", q);
        th_automaton_build_state(&b, state);
        if (kind == MOORE)
            th_automaton_build_moore(&b, q, th_automaton_build_output(&b, odd[below(r, 8)]));
        if (kind != ACCEPTOR || below(r, 2))
            th_automaton_build_accept(&b, q);
    }
    th_automaton_build_start(&b, below(r, n));
    if (kind == ACCEPTOR && below(r, 2))
        th_automaton_build_start(&b, below(r, n));
    for (int i = below(r, 3 * n + 1); i >= 0; i--) {
        ThAutomatonArc arc = {below(r, n), below(r, k), below(r, n), TH_AUTOMATON_NO_OUTPUT};
        if (kind == ACCEPTOR && below(r, 8) == 0)
            arc.symbol = TH_AUTOMATON_EPSILON;
        if (kind == MEALY)
            arc.output = th_automaton_build_output(&b, odd[below(r, 8)]);
        th_automaton_build_arc(&b, arc);
    }
    return th_automaton_build_finish(&b, NULL);
}

static char *shown(const ThAutomaton *a)
{
    ThText t = {0};
    th_automaton_write(&t, a, "A");
    return th_text_take(&t, NULL);
}

static bool same_language(const ThAutomaton *a, const ThAutomaton *b)
{
    ThAutomatonDifference d = {0};
    bool same = th_automaton_compare(a, b, 0, NULL, &d, NULL) && d.equivalent;
    free(d.word);
    return same;
}

static void free_texts(ThText *x, ThText *y, ThText *z)
{
    th_text_free(x);
    th_text_free(y);
    th_text_free(z);
}

/* Only the order of outputs may change. */
static void check_dot(const ThAutomaton *a)
{
    ThText text = {0}, notes = {0}, none = {0};
    ThError err = {0};
    assert_true(write_text(&th_format_dot, &text, NULL, a, "A \"quoted\"", NULL, &err));
    ThAutomaton *b = read_text(&th_format_dot, text.data, NULL, &notes, &err);
    if (!b)
        fail_msg("%d:%d: %s\n%s", err.line, err.col, err.msg, text.data);
    assert_int_equal(a->n_states, b->n_states);
    assert_int_equal(a->n_arcs, b->n_arcs);
    assert_int_equal(a->n_symbols, b->n_symbols);
    for (int q = 0; q < a->n_states; q++)
        assert_string_equal(a->state[q], b->state[q]);
    for (int i = 0; i < a->n_symbols; i++)
        assert_string_equal(a->symbol[i], b->symbol[i]);
    if (a->n_outputs == 0) {
        char *x = shown(a), *y = shown(b);
        assert_string_equal(x, y);
        free(x);
        free(y);
    } else if (th_automaton_deterministic(a)) {
        assert_true(same_language(a, b));
    }
    th_automaton_free(b);
    free_texts(&text, &notes, &none);
}

static void check_jff(const ThAutomaton *a)
{
    ThText text = {0}, notes = {0}, none = {0};
    ThError err = {0};
    assert_true(write_text(&th_format_jflap, &text, NULL, a, "A", NULL, &err));
    ThAutomaton *b = read_text(&th_format_jflap, text.data, NULL, &notes, &err);
    if (!b)
        fail_msg("%d:%d: %s\n%s", err.line, err.col, err.msg, text.data);
    if (a->n_outputs == 0 || th_automaton_deterministic(a))
        assert_true(same_language(a, b));
    th_automaton_free(b);
    free_texts(&text, &notes, &none);
}

static void check_att(const ThAutomaton *a)
{
    ThText text = {0}, symbols = {0}, notes = {0};
    ThError err = {0};
    if (th_automaton_moore(a)) {
        assert_false(write_text(&th_format_att, &text, &symbols, a, "A", &notes, &err));
        free_texts(&text, &symbols, &notes);
        return;
    }
    assert_true(write_text(&th_format_att, &text, &symbols, a, "A", &notes, &err));
    ThAutomaton *b =
        read_text(&th_format_att, text.data ? text.data : "", symbols.data, &notes, &err);
    if (!b)
        fail_msg("%d:%d: %s\n%s", err.line, err.col, err.msg, text.data);
    if (a->n_outputs == 0)
        assert_true(same_language(a, b));
    else
        assert_true(b->n_arcs <= a->n_arcs);
    th_automaton_free(b);
    free_texts(&text, &symbols, &notes);
}

static void test_round_trips(void **state)
{
    (void)state;
    ThRng r = th_rng(11, "exchange", 0);
    for (int i = 0; i < 2000; i++) {
        ThAutomaton *a = random_automaton(&r, (Kind)(i % 3), i % 2);
        check_dot(a);
        check_jff(a);
        check_att(a);
        th_automaton_free(a);
    }
}

/* ---- as others write ---- */

static void check(ThAutomaton *a, const ThError *err, const char *block, ThText *notes,
                  const char *note)
{
    if (!a)
        fail_msg("%d:%d: %s", err->line, err->col, err->msg);
    char *text = shown(a);
    assert_string_equal(text, block);
    assert_string_equal(notes->data ? notes->data : "", note);
    free(text);
    th_text_free(notes);
    th_automaton_free(a);
}

static void test_others(void **state)
{
    (void)state;
    ThText notes = {0};
    ThError err = {0};
    /* foma: four columns, @0@; OpenFST: numbers and a table, weights. */
    check(read_text(&th_format_att, "0\t1\ta\ta\n1\t0\t@0@\t@0@\n1\n", NULL, &notes, &err), &err,
          "automaton A {\n  alphabet a\n  start 0\n  accept 1\n  0 a -> 1\n  1 eps -> 0\n}\n",
          &notes, "");
    check(read_text(&th_format_att, "0 1 1 2 0.5\n1 1.5\n", "<eps> 0\na 1\nb 2\n", &notes, &err),
          &err, "automaton A {\n  alphabet a b\n  start 0\n  accept 1\n  0 a -> 1 / b\n}\n", &notes,
          "weights were left out\n");
    /* What has number 0 in the table is the empty word, whatever its name, and nothing else is. */
    check(read_text(&th_format_att, "0 1 none\n1 2 b\n2 3 0\n3 4 2\n4\n", "none 0\na 1\nb 2\n",
                    &notes, &err),
          &err,
          "automaton A {\n  alphabet a b\n  start 0\n  accept 4\n  0 eps -> 1\n  1 b -> 2\n"
          "  2 eps -> 3\n  3 b -> 4\n}\n",
          &notes, "");
    check(read_text(&th_format_att, "0 1 none\n1\n", "a 1\nnone 10\nb 2\n", &notes, &err), &err,
          "automaton A {\n  alphabet a none b\n  start 0\n  accept 1\n  0 none -> 1\n}\n", &notes,
          "");
    /* What has infinite weight is not there. */
    check(read_text(&th_format_att, "0 1 a\n0 2 b Infinity\n2 0 a 0\n1\n2 Infinity\n", NULL, &notes,
                    &err),
          &err,
          "automaton A {\n  alphabet a\n  start 0\n  accept 1\n  0 a -> 1\n"
          "  2 a -> 0\n}\n",
          &notes, "weights were left out\n");
    /* Without a line of three fields the fourth is an output, be it a number. */
    check(read_text(&th_format_att, "0 1 a 1\n1 0 b 2 0.5\n1\n", NULL, &notes, &err), &err,
          "automaton A {\n  alphabet a b\n  start 0\n  accept 1\n  0 a -> 1 / 1\n"
          "  1 b -> 0 / 2\n}\n",
          &notes, "weights were left out\n");
    check(read_text(&th_format_dot,
                    "digraph g {\n__start0 [label=\"\" shape=\"none\"];\n"
                    "s0 [shape=\"circle\" label=\"s0\"];\ns0 -> s0 [label=\"COIN / ok\"];\n"
                    "__start0 -> s0;\n}\n",
                    NULL, &notes, &err),
          &err, "automaton A {\n  alphabet COIN\n  start s0\n  s0 COIN -> s0 / ok\n}\n", &notes,
          "");
    check(read_text(&th_format_dot,
                    "digraph { q [shape=doublecircle]; q -> p -> q [label=\"a, b\"] }", NULL,
                    &notes, &err),
          &err,
          "automaton A {\n  alphabet a b\n  start q\n  accept q\n  q a,b -> p\n  p a,b -> q\n}\n",
          &notes, "no edge marks a start: the first state is it\n");
    /* A slash alone is a symbol; two peripheries accept; names are the ids where labels repeat. */
    check(read_text(&th_format_dot,
                    "digraph { __start0 -> x; __start0 [shape=none]; x [label=same]; "
                    "y [label=same, peripheries=2]; x -> y [label=\"/\"]; y -> x [label=\"//b\"] }",
                    NULL, &notes, &err),
          &err,
          "automaton A {\n  alphabet \"/\"\n  start x\n  accept y\n  x \"/\" -> y\n"
          "  y eps -> x / \"/b\"\n}\n",
          &notes, "");
    /* Only commas outside of brackets part symbols, where a bracket holds several things. */
    check(read_text(&th_format_dot,
                    "digraph { p [shape=point]; q [shape=doublecircle]; p -> q; "
                    "q -> q [label=\"(0,1), (1,0),[1,1]\"]; q -> r [label=\"(,)\"] }",
                    NULL, &notes, &err),
          &err,
          "automaton A {\n  alphabet \"(0,1)\" \"(1,0)\" \"[1,1]\" \"(\" \")\"\n  start q\n"
          "  accept q\n  q \"(0,1)\",\"(1,0)\",\"[1,1]\" -> q\n  q \"(\",\")\" -> r\n}\n",
          &notes, "");
    /* Vcsn: an edge to a point accepts, \\e is the empty word, | is between tapes. */
    check(read_text(&th_format_dot,
                    "digraph { vcsn_context = \"letterset<char_letters(ab)>, b\"\n"
                    "{ node [shape=point] I0 F1 } { node [shape=circle] 0 1 }\n"
                    "I0 -> 0; 0 -> 1 [label=\"a, \\\\e\"]; 1 -> F1; 1 -> 0 [label=b] }",
                    NULL, &notes, &err),
          &err,
          "automaton A {\n  alphabet a b\n  start 0\n  accept 1\n  0 eps,a -> 1\n  1 b -> 0\n}\n",
          &notes, "");
    check(read_text(&th_format_dot,
                    "digraph { vcsn_context = \"lat<lal_char(ab), lal_char(xy)>_b\"\n"
                    "{ node [style=invis, shape=none] I F1 } I -> 0; 0 -> 1 [label=\"a|x\"]; "
                    "1 -> F1 }",
                    NULL, &notes, &err),
          &err, "automaton A {\n  alphabet a\n  start 0\n  accept 1\n  0 a -> 1 / x\n}\n", &notes,
          "");
    /* Moore machines, as LearnLib writes them and as AALpy does. */
    check(
        read_text(&th_format_dot,
                  "digraph { s0 [shape=circle label=\"0 / a\"]; s1 [shape=circle label=\"1 / b\"];"
                  " s0 -> s1 [label=1]; s1 -> s0 [label=2]; __start0 [shape=none]; "
                  "__start0 -> s0 }",
                  NULL, &notes, &err),
        &err,
        "automaton A {\n  alphabet 1 2\n  start 0\n  output 0 a\n  output 1 b\n  0 1 -> 1\n"
        "  1 2 -> 0\n}\n",
        &notes, "");
    check(read_text(&th_format_dot,
                    "digraph { s0 [label=N]; s1 [label=A]; s2 [label=N]; s0 -> s1 [label=d]; "
                    "s1 -> s2 [label=l]; __start0 [shape=none]; __start0 -> s0 }",
                    NULL, &notes, &err),
          &err,
          "automaton A {\n  alphabet d l\n  start s0\n  output s0 N\n  output s1 A\n  output s2 "
          "N\n  s0 d -> s1\n"
          "  s1 l -> s2\n}\n",
          &notes,
          "the labels of states repeat: they are taken for the outputs of a Moore machine\n");
    /* Labels of two forms say nothing for sure, unless states are marked. */
    assert_null(read_text(&th_format_dot,
                          "digraph {\n s0 [label=\"0 / a\"];\n s1 [label=\"N\"];\n"
                          " s0 -> s1 [label=d] }",
                          NULL, &notes, &err));
    assert_int_equal(err.line, 3);
    assert_non_null(strstr(err.msg, "the state s1 has no label of the form 'name / output'"));
    err = (ThError){0};
    check(read_text(&th_format_dot,
                    "digraph { s0 [label=\"0 / a\"]; s1 [label=\"N\" shape=doublecircle];"
                    " s0 -> s1 [label=d] }",
                    NULL, &notes, &err),
          &err,
          "automaton A {\n  alphabet d\n  start \"0 / a\"\n  accept N\n  \"0 / a\" d -> N\n}\n",
          &notes, "no edge marks a start: the first state is it\n");
    /* An empty output, and a transition system, of which every state accepts. */
    check(read_text(&th_format_dot,
                    "digraph { q [shape=doublecircle]; s [shape=point]; s -> q; "
                    "q -> q [label=\"a / ε\"]; q -> q [label=\"b / x\"] }",
                    NULL, &notes, &err),
          &err, "automaton A {\n  alphabet a b\n  start q\n  q a -> q\n  q b -> q / x\n}\n", &notes,
          "");
    check(read_text(&th_format_dot,
                    "digraph { s [shape=none]; s -> q; q -> r [label=a]; r -> q [label=b] }", NULL,
                    &notes, &err),
          &err,
          "automaton A {\n  alphabet a b\n  start q\n  accept q r\n  q a -> r\n  r b -> q\n}\n",
          &notes,
          "no state is marked as accepting: every state accepts, as in a labelled transition "
          "system\n");
    check(read_text(&th_format_dot,
                    "digraph { comment=\"alphabet a\"; s [shape=none]; s -> q; q -> q [label=a] }",
                    NULL, &notes, &err),
          &err, "automaton A {\n  alphabet a\n  start q\n  accept\n  q a -> q\n}\n", &notes,
          "no state accepts\n");
    static const char jff[] =
        "<?xml version=\"1.0\"?><structure>&#13;\n<type>fa</type>&#13;\n<automaton>"
        "<transition><from>0</from><to>1</to><read>ab</read></transition>"
        "<state id=\"0\" name=\"q\"><x>1.0</x><initial/></state>"
        "<state id=\"1\" name=\"q\"><final/></state></automaton></structure>";
    check(read_text(&th_format_jflap, jff, NULL, &notes, &err), &err,
          "automaton A {\n  alphabet a b\n  states q q_1 between1\n  start q\n  accept q_1\n"
          "  q a -> between1\n  between1 b -> q_1\n}\n",
          &notes,
          "labels of several characters became paths through 1 new state\n"
          "states with the same name got numbers\n");
}

/* ---- harm ---- */

static void refuse(ThAutomaton *a, const ThError *err, int line, int col)
{
    assert_null(a);
    assert_int_not_equal(err->code, TH_OK);
    assert_true(err->msg[0]);
    assert_int_equal(err->line, line);
    assert_int_equal(err->col, col);
}

static void refuse_jff(const char *text, int line, int col)
{
    ThText notes = {0};
    ThError err = {0};
    refuse(read_text(&th_format_jflap, text, NULL, &notes, &err), &err, line, col);
    th_text_free(&notes);
}

static void test_refused(void **state)
{
    (void)state;
    ThText notes = {0};
    static const char *const att[] = {"0\t1\ta\ta\tx\n", "0 1 2 3 4 5\n", "0 x\n", "0\t1\t\ta\n",
                                      "0\t1\ta\xff\n"};
    for (size_t i = 0; i < sizeof att / sizeof *att; i++) {
        ThError err = {0};
        refuse(read_text(&th_format_att, att[i], NULL, &notes, &err), &err, 1, 1);
    }
    static const char *const tables[] = {"a 1\nb 1\n", "a 1\na 2\n", "a\n", "a b\n", "a\xff 1\n"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        ThError err = {0};
        assert_null(read_text(&th_format_att, "0 1 a\n1\n", tables[i], &notes, &err));
        assert_non_null(strstr(err.msg, i < 2 ? "line 2 of the symbol table" : "line 1 of the"));
    }
    static const struct {
        const char *text;
        int line, col;
    } dot[] = {
        {"graph {}", 1, 1},
        {"digraph {\n a -- b }", 2, 4},
        {"digraph { a", 1, 12},
        {"digraph {\n\"a", 2, 1},
        {"digraph { a -> {b} }", 1, 16},
        {"digraph { a [label=<b>] }", 1, 20},
        {"digraph { a -> b [label=\"x:0.5\"]\n a -> a [label=\"x:0.5\"] }", 1, 1},
        {"digraph { a -> b [label=\"x (0.5)\"]\n a -> a [label=\"x (0.5)\"] }", 1, 1},
        {"digraph { a -> b [label=\"x/0:0.25\"]\n a -> a [label=\"x/1:0.75\"] }", 1, 1},
        {"digraph { a -> b [label=0.25]\n a -> a [label=0.75] b -> a [label=1] }", 1, 1},
        {"digraph { p [shape=point]\n a -> p [label=x]\n p -> a [label=0.5] }", 3, 1},
        {"digraph { a -> b [label=x]\n a -> a [label=\"( / push(x)\"] }", 2, 1},
        {"digraph { a -> a [label=\") / ('a', '(')\"] }", 1, 1},
        {"digraph { a -> a [label=\"x, Z -> XZ\"] }", 1, 1},
        {"digraph { a -> b [label=x]\n a -> a [label=y modality=MAY style=dashed] }", 2, 1},
        {"digraph { a -> b [label=x]\n a -> a [label=y style=\"dashed,bold\"] }", 2, 1},
        {"digraph { a [shape=box] b [shape=diamond] a -> b; b -> a }", 1, 1},
        {"digraph { n [shape=point] m [shape=point] n -> a; m -> b;\n"
         "a -> b [style=bold label=F] }",
         1, 1},
        {"digraph { f [shape=point] a -> f [label=\"<2>\"] }", 1, 1},
        {"digraph { f [shape=point] a -> f;\n a -> a [label=\"<2>a, b\"] }", 2, 1},
        {"digraph { vcsn_context = \"letterset<char_letters(a)>, z\"\n a -> a [label=a] }", 2, 1}};
    for (size_t i = 0; i < sizeof dot / sizeof *dot; i++) {
        ThError err = {0};
        refuse(read_text(&th_format_dot, dot[i].text, NULL, &notes, &err), &err, dot[i].line,
               dot[i].col);
    }
    refuse_jff("<structure>", 1, 12);
    refuse_jff("<html/>", 1, 1);
    refuse_jff(
        "<structure type=\"editor_panel\"><structure type=\"transition_graph\"/></structure>", 1,
        1);
    refuse_jff("<structure><type>turing</type></structure>", 1, 1);
    refuse_jff("<!DOCTYPE s [<!ENTITY a \"b\">]><structure><type>fa</type></structure>", 0, 0);
    refuse_jff("<structure>\n<state name=\"q\"/></structure>", 2, 1);
    refuse_jff("<structure><type>fa</type><automaton>\n<block id=\"0\"/></automaton></structure>",
               2, 1);
    th_text_free(&notes);
}

/* Elements inside each other, far deeper than any file means. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    ThText t = {0};
    for (int i = 0; i < DEEP; i++)
        th_text_add(&t, "<automaton>");
    /* The parser's own limit: libxml2 goes 256 deep, later versions 2048. */
    ThText notes = {0};
    ThError err = {0};
    assert_null(read_text(&th_format_jflap, t.data, NULL, &notes, &err));
    assert_int_equal(err.line, 1);
    assert_true(err.col > 2816 && err.col < 30000);
    th_text_free(&t);
    for (int i = 0; i < DEEP; i++)
        th_text_add(&t, i ? "{" : "digraph {");
    err = (ThError){0};
    assert_null(read_text(&th_format_dot, t.data, NULL, &notes, &err));
    assert_int_equal(err.code, TH_EPARSE);
    th_text_free(&t);
    th_text_free(&notes);
}

/* ---- Grail and GAP ---- */

static void test_records(void **state)
{
    (void)state;
    ThError err = {0};
    ThAutomaton *a = th_automaton_parse("start p\naccept q\np a -> q\np b -> p\nq b -> q\n", &err);
    ThText t = {0};
    assert_true(write_text(&th_format_grail, &t, NULL, a, "A", NULL, &err));
    assert_string_equal(t.data, "(START) |- 0\n0 a 1\n0 b 0\n1 b 1\n1 -| (FINAL)\n");
    th_text_free(&t);
    assert_true(write_text(&th_format_gap, &t, NULL, a, "A", NULL, &err));
    assert_string_equal(t.data,
                        "# A; needs the package Automata\n"
                        "Automaton(\"det\", 2, \"ab\", [\n  [2, 0],\n  [1, 2]], [1], [2]);\n");
    th_text_free(&t);
    th_automaton_free(a);
    /* There @ is the empty move, so that a symbol of that name gets a letter. */
    a = th_automaton_parse("start p\naccept q\np \"@\" -> q\nq eps -> p\n", &err);
    assert_true(write_text(&th_format_grail, &t, NULL, a, "A", NULL, &err));
    assert_string_equal(t.data, "(START) |- 0\n0 @ 1\n1 @epsilon 0\n1 -| (FINAL)\n");
    th_text_free(&t);
    assert_true(write_text(&th_format_gap, &t, NULL, a, "A", NULL, &err));
    assert_string_equal(t.data, "# A; needs the package Automata\n# a: \"@\"\n"
                                "Automaton(\"epsilon\", 2, \"a@\", [\n  [[2], []],\n"
                                "  [[], [1]]], [1], [2]);\n");
    th_text_free(&t);
    th_automaton_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_others),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_deep),
        cmocka_unit_test(test_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
