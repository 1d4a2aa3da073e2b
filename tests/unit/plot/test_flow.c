/* test_flow.c - what pictures of RASP contain, and what nodes are called in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plot/flow.h"
#include "rasp/graph/describe.h"

static ThRasp *program(const char *text)
{
    ThError err = {0};
    ThRaspHost host = {0};
    ThRasp *r = th_rasp_new(&host, &err);
    assert_non_null(r);
    if (!th_rasp_execute(r, text, false, false, NULL, &err))
        fail_msg("%d:%d: %s", err.line, err.col, err.msg);
    return r;
}

static ThRaspSop node(ThRasp *r, const char *name)
{
    ThRaspValue v;
    assert_true(th_rasp_lookup(r, name, &v));
    assert_true(v.kind == TH_RASP_VALUE_SOP || v.kind == TH_RASP_VALUE_SELECTOR);
    return v.as.sop;
}

/* Rows of a data block, without the first, which is out of sight. */
static int rows(const ThFigure *f, const char *block)
{
    const char *from = strstr(f->script.data, block);
    assert_non_null(from);
    const char *to = strstr(from, "TH_EOD\n$");
    to = to ? to : strstr(from, "\nTH_EOD\n");
    int n = -2;
    for (const char *c = from; c < to; c++)
        n += *c == '\n' && c[1] != '\n';
    return n;
}

static bool has(const ThFigure *f, const char *text)
{
    return strstr(f->script.data, text) != NULL;
}

static void flow(ThFigure *f, ThRasp *r, const char *name, const char *input)
{
    ThError err = {0};
    ThRaspRun *run = th_rasp_run_on_text(r, input, &err);
    assert_non_null(run);
    ThRaspSop sop = node(r, name);
    bool selector = th_rasp_is_selector(th_rasp_graph(r), sop);
    if (!(selector ? th_plot_selector : th_plot_flow)(f, "t", r, run, sop, NULL, &err))
        fail_msg("%s", err.msg);
    th_rasp_run_free(run);
}

/* hist has two heads in one layer: 5 equal pairs and what column 0 adds, and the one of column 0.
 */
static void heads_and_cells(void **state)
{
    (void)state;
    ThFigure f = {0};
    ThRasp *r = program("same = select(tokens, tokens, ==); hist = selector_width(same);");
    flow(&f, r, "hist", "hello");
    assert_true(has(&f, "\"head 1: same or _first\""));
    assert_true(has(&f, "\"head 2: same and _first\""));
    assert_false(has(&f, "head 3"));
    assert_true(has(&f, "\"layer 1\""));
    assert_false(has(&f, "layer 2"));
    assert_int_equal(rows(&f, "$CELLS"), 7 + 4 + 1);
    assert_int_equal(rows(&f, "$LINES"), 2 * (7 + 4 + 1));
    assert_true(has(&f, "\"0.333\""));
    th_figure_free(&f);
    flow(&f, r, "same", "hello");
    assert_int_equal(rows(&f, "$CELLS"), 7);
    th_figure_free(&f);
    th_rasp_free(r);
}

static void a_selector_is_a_head_of_each_layer_that_uses_it(void **state)
{
    (void)state;
    ThFigure f = {0};
    ThRasp *r = program("up = select(indices, indices, <=); a = aggregate(up, indices);"
                        "b = aggregate(up, a); c = a + b;");
    flow(&f, r, "c", "abc");
    assert_int_equal(rows(&f, "$CELLS"), 2 * 6);
    assert_true(has(&f, "\"layer 2\""));
    assert_true(has(&f, "\"c = a + b\""));
    th_figure_free(&f);
    th_rasp_free(r);
}

static void inputs_and_quotes(void **state)
{
    (void)state;
    ThFigure f = {0};
    ThRasp *r = program("q = tokens + \"`rm`\"; z = q;");
    flow(&f, r, "z", "\"'\\");
    assert_true(has(&f, "\"\\042`rm`\""));
    assert_true(has(&f, "\"\\\\`rm`\""));
    th_figure_free(&f);
    flow(&f, r, "tokens", "ab");
    assert_false(has(&f, "layer 1"));
    assert_true(has(&f, "\"tokens\""));
    th_figure_free(&f);
    th_rasp_free(r);
}

static void too_much(void **state)
{
    (void)state;
    ThFigure f = {0};
    ThError err = {0};
    char text[TH_PLOT_FLOW_INPUT + 2] = {0};
    ThRasp *r = program("");
    memset(text, 'a', TH_PLOT_FLOW_INPUT + 1);
    ThRaspRun *run = th_rasp_run_on_text(r, text, &err);
    assert_false(th_plot_flow(&f, "t", r, run, node(r, "length"), NULL, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_null(f.script.data);
    th_rasp_run_free(run);
    th_rasp_free(r);
}

static void described(ThRasp *r, const char *name, size_t most, const char *wanted)
{
    ThText t = {0};
    th_rasp_describe(th_rasp_graph(r), node(r, name), NULL, most, &t);
    assert_string_equal(t.data, wanted);
    th_text_free(&t);
}

static void expressions(void **state)
{
    (void)state;
    ThRasp *r = program("a = indices + 1; b = (a * 2) % (9 - a);"
                        "c = \"x\" if not (tokens == \"y\") else tokens;"
                        "d = tokens in [\"p\", \"q\"]; e = {\"h\": 1, \"e\": 2, \"l\": 3, \"o\": "
                        "4}[tokens]; f = select(a, 0 - b, <) and not select(tokens, \"ä\", ==);"
                        "g = aggregate(f, round(1 / a), 0); deep = -(-(-(-(a))));");
    described(r, "a", 40, "indices + 1");
    described(r, "b", 40, "(a * 2) % (9 - a)");
    described(r, "c", 60, "\"x\" if (not (tokens == \"y\")) else tokens");
    described(r, "d", 40, "tokens in [\"p\", \"q\"]");
    described(r, "e", 60, "{\"h\": 1, \"e\": 2, \"l\": 3, \"o\": 4}[tokens]");
    described(r, "f", 70, "select(a, 0 - b, <) and (not select(tokens, \"ä\", ==))");
    described(r, "f", 46, "select(a, 0 - b, <) and (not select(tokens, \"…");
    described(r, "g", 40, "aggregate(f, round(1 / a))");
    described(r, "deep", 40, "-(-(-(-a)))");
    described(r, "deep", 3, "-(-…");
    th_rasp_free(r);
}

/* A chain of thousands of operators is cut, not followed to its end. */
static void long_chains(void **state)
{
    (void)state;
    ThRasp *r = program("x = indices; for i in range(5000) { x = (x + 1) - 1; }");
    ThText t = {0};
    ThRaspGraph *g = th_rasp_graph(r);
    ThRaspSop n = th_rasp_nodes(g) - 1;
    th_rasp_describe(g, n, NULL, 30, &t);
    assert_true(t.size <= 30 + strlen("…"));
    th_text_free(&t);
    th_rasp_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_and_cells),
        cmocka_unit_test(a_selector_is_a_head_of_each_layer_that_uses_it),
        cmocka_unit_test(inputs_and_quotes),
        cmocka_unit_test(too_much),
        cmocka_unit_test(expressions),
        cmocka_unit_test(long_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
