/* test_program_formula.c - programs of RASP as formulas: drawn programs beside their formulas'
 * automata on all short words; what is said of counts; automata as programs, run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "automata/algebra/classes.h"
#include "automata/logic/ltl.h"
#include "automata/logic/star_free.h"
#include "automata/regex/regex.h"
#include "base/memory.h"
#include "base/rng.h"
#include "given.h"
#include "language/any_language.h"
#include "language/language_counting.h"
#include "language/program_formula.h"
#include "rasp/evaluate/language.h"
#include "rasp/interpret/rasp.h"

enum { LENGTH = 6 };

static char letter[][2] = {"a", "b", "c"};
static char *letters[] = {letter[0], letter[1], letter[2]};

/* ---- drawn programs ---- */

static int die(ThRng *r, int n)
{
    return (int)th_rng_below(r, (uint64_t)n);
}

static void draw(ThRng *r, ThText *t, int depth);

static void draw_selector(ThRng *r, ThText *t, int depth)
{
    static const char *const place[] = {
        "select(indices, indices, <)",      "select(indices, indices, <=)",
        "select(indices, indices, >)",      "select(indices, indices - 1, ==)",
        "select(indices, indices, !=)",     "select(indices + 2, indices, <)",
        "select(indices, indices + 1, ==)", "select(1, 1, ==, causal)"};
    th_text_add(t, "(");
    if (die(r, 4) == 0)
        th_text_add(t, "not ");
    th_text_add(t, "select(");
    draw(r, t, depth - 1);
    th_text_add(t, ", ");
    if (die(r, 2))
        th_text_add(t, "True");
    else
        draw(r, t, depth - 1);
    th_text_printf(t, ", %s) %s %s)", die(r, 3) ? "==" : "<=", die(r, 4) ? "and" : "or",
                   place[die(r, 8)]);
}

/* A truth value. */
static void draw(ThRng *r, ThText *t, int depth)
{
    static const char *const leaf[] = {"(tokens == \"a\")", "(tokens == \"b\")", "(indices == 0)",
                                       "(tokens in [\"b\", \"a\"])"};
    static const char *const how[] = {"rightmost", "leftmost", "max", "min"};
    int kind = depth > 0 ? die(r, 6) : 0;
    if (kind == 0) {
        th_text_add(t, leaf[die(r, 4)]);
    } else if (kind == 1) {
        th_text_add(t, "(not ");
        draw(r, t, depth - 1);
        th_text_add(t, ")");
    } else if (kind == 2) {
        th_text_add(t, "(");
        draw(r, t, depth - 1);
        th_text_add(t, die(r, 2) ? " and " : " or ");
        draw(r, t, depth - 1);
        th_text_add(t, ")");
    } else {
        th_text_add(t, "(aggregate(");
        draw_selector(r, t, depth);
        th_text_add(t, ", ");
        draw(r, t, depth - 1);
        int op = die(r, 4); /* the greatest of truth values is an int */
        th_text_printf(t, ", %s, %s) == True)",
                       op < 2      ? die(r, 2) ? "True" : "False"
                       : die(r, 2) ? "1"
                                   : "0",
                       how[op]);
    }
}

static ThRaspSop program(ThRasp *r, const char *text)
{
    ThError err = {0};
    ThRaspValue v;
    ThText t = {0};
    th_text_printf(&t, "p = %s;", text);
    if (!th_rasp_execute(r, t.data, false, false, NULL, &err))
        fail_msg("%s in\n%s", err.msg, t.data);
    assert_true(th_rasp_lookup(r, "p", &v));
    th_text_free(&t);
    return v.as.sop;
}

/* Words on which an s-op is not the automaton, in text; -1 where the formula has no automaton. */
static int wrong_words(ThRaspGraph *g, ThRaspSop sop, const char *formula)
{
    ThError err = {0};
    int wrong = 0, n = 0, word[LENGTH + 1] = {0};
    ThAutomaton *a = th_automaton_ltl(formula, letters, 2, 2000, NULL, &err);
    ThDfa *d = a ? th_automaton_acceptor(a, 2000, NULL, &err) : NULL;
    ThRaspAtom *atom = th_rasp_letters(g, letters, 2, &err);
    ThRaspWords w = {g, sop, atom, NULL};
    while (d && next_word(word, &n, 2, LENGTH)) {
        bool accepts = false;
        if (n == 0)
            continue;
        assert_true(th_rasp_accepts(&w, word, n, &accepts, &err));
        wrong += accepts != (th_dfa_class(d, word, (size_t)n) == 1);
    }
    assert_true(d || err.code == TH_ELIMIT);
    th_automaton_free(a);
    free(atom);
    wrong = d ? wrong : -1;
    th_dfa_free(d);
    return wrong;
}

static void test_drawn(void **state)
{
    (void)state;
    enum { PROGRAMS = 120 };
    ThRaspHost host = {0};
    ThError err = {0};
    ThRng rng = th_rng(7, "programs", 0);
    int checked = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        ThText t = {0};
        ThLanguageProgram p = {0};
        ThRasp *r = th_rasp_new(&host, &err);
        draw(&rng, &t, 2 + i % 2);
        ThRaspSop sop = program(r, t.data);
        if (!th_language_program(&p, th_rasp_graph(r), sop, letters, 2, &err))
            fail_msg("%s in\n%s", err.msg, t.data);
        assert_true(p.counts == TH_RASP_NO_SOP);
        int wrong = wrong_words(th_rasp_graph(r), sop, p.formula);
        if (wrong > 0)
            fail_msg("%d words are wrong of\n%s\n%s", wrong, t.data, p.formula);
        checked += wrong == 0;
        th_language_program_free(&p);
        th_text_free(&t);
        th_rasp_free(r);
    }
    assert_true(checked > PROGRAMS * 4 / 5);
}

/* ---- what is said ---- */

static void expect(const char *text, const char *formula, const char *needs)
{
    ThRaspHost host = {0};
    ThError err = {0};
    ThLanguageProgram p = {0};
    ThRasp *r = th_rasp_new(&host, &err);
    ThRaspSop sop = program(r, text);
    char found[8] = "", *at = found;
    bool known = th_language_program(&p, th_rasp_graph(r), sop, NULL, 0, &err);
    if (known) {
        const ThRaspSop flag[] = {p.counts, p.picks, p.ahead, p.near};
        for (int k = 0; k < 4; k++)
            if (flag[k] != TH_RASP_NO_SOP)
                *at++ = "cpan"[k];
        assert_string_equal(found, needs);
        assert_string_equal(p.formula ? p.formula : "", formula);
    } else {
        assert_string_equal(err.msg, formula);
        assert_true(p.refused != TH_RASP_NO_SOP);
        err = (ThError){0};
    }
    th_language_program_free(&p);
    th_rasp_free(r);
}

#define A        "tokens == \"a\""
#define COUNT(x) "sel_width(select(" x ", True, ==, causal))"

static void test_said(void **state)
{
    (void)state;
    expect("2 * " COUNT(A) " <= indices + 1", "F (last & (2*#a - #true <= 0))", "c");
    expect(COUNT(A) " == " COUNT("tokens == \"b\""),
           "F (last & (#a - #!a <= 0) & (-#a + #!a <= 0))", "c");
    expect("indices > 1", "F (last & Y Y true)", "");
    expect("aggregate(select(indices, indices - 1, ==), " A ", False)", "F (last & Y a)", "n");
    expect("aggregate(select(" A ", True, ==), 1, 0) > 0", "F (last & (a | X F a | Y P a))", "a");
    expect("aggregate(select(indices, indices, <), " A ", False, leftmost)",
           "F (last & Y P (a & Z false))", "p");
    expect("sel_width(select(" A ", True, ==, causal) and select(indices, indices, <)) > 1",
           "F (last & (a & (-#a <= -3) | !a & (-#a <= -2)))", "c");
    expect(COUNT(A) " * " COUNT(A) " > 4", "a product of counts", "");
    expect("aggregate(select(1, 1, ==, causal), indicator(" A ")) > 0.5",
           "a mean of several values", "");
    expect("aggregate(select(indices, indices - 5, ==), " A ", False)",
           "a position that is more than 4 away", "");
    expect("aggregate(select(1, 1, ==, causal), indices, 0, max) > 1",
           "what another position has counted", "");
    expect("sel_width(select(" A ", True, ==)) > 1", "a count of later positions", "");
    expect("tokens", "", "");
    expect("indices < 0", "false", "");
    expect("3 * indices < -1", "false", "");
    expect("3 * indices + 1 > 3", "F (last & Y true)", "");
    expect("0 - 2 * indices < -3", "F (last & Y Y true)", "");
    expect("sel_width(select(" A ", True, ==, causal) or select(indices, indices, ==)) > 1",
           "F (last & (!a & (-#a <= -1) | a & (-#a <= -2)))", "c");
    expect("aggregate(not select(" A ", True, ==, causal), 1, 0) > 0", "F (last & (!a | Y P !a))",
           "");
    expect("aggregate(select(indices, indices, >), " A ", False, rightmost)",
           "F (last & X F (a & N G false))", "pa");
    expect("aggregate(select(indices, indices, >), " A ", False, leftmost)", "F (last & X a)",
           "pa");
}

/* ---- the other way ---- */

static int programs_of(const ThDfa *d, bool counting)
{
    ThRaspHost host = {0};
    ThError err = {0};
    ThRaspValue v;
    int n = 0, word[LENGTH + 1] = {0};
    char *text = th_automaton_program(d, letters, counting, "p", 0, NULL, &err);
    assert_true(text || err.code == TH_EVALUE);
    if (!text)
        return 0;
    ThRasp *r = th_rasp_new(&host, &err);
    if (!th_rasp_execute(r, text, false, false, NULL, &err))
        fail_msg("%s in\n%s", err.msg, text);
    assert_true(th_rasp_lookup(r, "p", &v));
    ThRaspGraph *g = th_rasp_graph(r);
    ThRaspAtom *atom = th_rasp_letters(g, letters, d->n_symbols, &err);
    ThRaspWords w = {g, v.as.sop, atom, NULL};
    while (next_word(word, &n, d->n_symbols, LENGTH)) {
        bool accepts = false;
        if (n > 0 && !th_rasp_accepts(&w, word, n, &accepts, &err))
            fail_msg("%s in\n%s", err.msg, text);
        if (n > 0 && accepts != (th_dfa_class(d, word, (size_t)n) == 1))
            fail_msg("wrong on a word of %d letters:\n%s", n, text);
    }
    if (!counting) { /* and its formula is the automaton again */
        ThLanguageProgram p = {0};
        assert_true(th_language_program(&p, g, v.as.sop, letters, d->n_symbols, &err));
        assert_true(p.counts == TH_RASP_NO_SOP);
        assert_true(d->n_symbols > 2 || wrong_words(g, v.as.sop, p.formula) <= 0);
        th_language_program_free(&p);
    }
    free(atom);
    free(text);
    th_rasp_free(r);
    return 1;
}

/* A counting formula of a machine, read again, is the machine; so is the program made of it. */
static void formulas_of(const ThDfa *d)
{
    ThRaspHost host = {0};
    ThError err = {0};
    ThText t = {0};
    ThRaspValue v;
    int n = 0, word[LENGTH + 1] = {0};
    char *formula = th_automaton_program(d, letters, true, NULL, 0, NULL, &err);
    if (!formula)
        return;
    th_text_printf(&t, "alphabet a b%s\nformula ", d->n_symbols > 2 ? " c" : "");
    th_text_quoted(&t, formula);
    ThLanguage *l = th_language_parse("counting", t.data, &err);
    char *text = l ? th_language_counting_program(l, "p", &err) : NULL;
    if (!text)
        fail_msg("%s in\n%s", err.msg, t.data);
    ThRasp *r = th_rasp_new(&host, &err);
    assert_true(th_rasp_execute(r, text, false, false, NULL, &err));
    assert_true(th_rasp_lookup(r, "p", &v));
    ThRaspAtom *atom = th_rasp_letters(th_rasp_graph(r), letters, d->n_symbols, &err);
    ThRaspWords w = {th_rasp_graph(r), v.as.sop, atom, NULL};
    while (next_word(word, &n, d->n_symbols, LENGTH)) {
        ThLanguageAnswer answer;
        bool accepts = th_dfa_class(d, word, (size_t)n) == 1, by_program = accepts;
        assert_true(th_language_member(l, (ThLanguageWord){word, n}, NULL, &answer, &err));
        assert_true(n == 0 || th_rasp_accepts(&w, word, n, &by_program, &err));
        if (accepts != (answer == TH_LANGUAGE_YES) || accepts != by_program)
            fail_msg("wrong on a word of %d letters:\n%s\n%s", n, formula, text);
    }
    free(atom);
    free(text);
    free(formula);
    th_text_free(&t);
    th_rasp_free(r);
    th_language_free(l);
}

static void test_automata(void **state)
{
    (void)state;
    static const char *const regex[] = {"(ab)*",     "a*b*",       "(a|b)*ab(a|b)*", "b(a|b)*",
                                        "(a|b)*aa",  "((a|b)ba)*", "(a(ab)*b)*",     "a",
                                        "(a|b|c)*c", "(abc)*",     "(aa)*",          "(a|b)*"};
    int star_free = 0, counting = 0, n = (int)(sizeof regex / sizeof *regex);
    for (int i = 0; i < n; i++) {
        ThError err = {0};
        ThAutomaton *a =
            th_regex_automaton(regex[i], letters, strchr(regex[i], 'c') ? 3 : 2, 0, NULL, &err);
        ThDfa *any = th_automaton_acceptor(a, 1000, NULL, &err);
        ThDfa *d = th_dfa_minimize(any, NULL, &err);
        star_free += programs_of(d, false);
        counting += programs_of(d, true);
        formulas_of(d);
        th_dfa_free(d);
        th_dfa_free(any);
        th_automaton_free(a);
    }
    assert_int_equal(star_free, n - 1);
    assert_int_equal(counting, n - 4); /* not aa, ((a|b)ba)*, (aa)*, nor (a|b|c)*c */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_said),
        cmocka_unit_test(test_automata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
