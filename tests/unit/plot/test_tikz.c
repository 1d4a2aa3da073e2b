/* Drawings of graphs for LaTeX: every state and arrow on a line of its own, names that stay text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plot/graph/draw_graph.h"
#include "plot/tex.h"

static char folder[] = "/tmp/test_tikz_XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    remove("scaled.tex");
    return chdir("/") || rmdir(folder);
}

/* Two states side by side, 2 inches apart: there and back (TikZ's curve of 43.2 degrees goes half
 * an inch up: \pgfgetlastxy said so in its middle), a loop below, and a start from above. */
static void test_graph(void **state)
{
    (void)state;
    ThPlotPoint node[] = {{1, 1}, {3, 1}}, start[] = {{1, 2}, {1, 1.25}};
    ThPlotPoint there[] = {{1.2, 1}, {2, 1.5}, {2.8, 1}},
                loop[] = {{3, 0.75}, {3, 0.2}, {3.1, 0.8}};
    ThPlotPoint back[] = {{2.75, 1}, {2, 1.01}, {1.25, 1}};
    ThLayoutArc arc[] = {
        {.from = -1, .to = 0, .path = start, .n_path = 2},
        {.from = 0, .to = 1, .path = there, .n_path = 3, .label = {2, 1.7}},
        {.from = 1, .to = 0, .path = back, .n_path = 3, .label = {2, 1.2}},
        {.from = 1, .to = 1, .path = loop, .n_path = 3, .label = {3, 0}},
    };
    ThLayout l = {.n_nodes = 2,
                  .n_arcs = 4,
                  .radius = 0.25,
                  .node = node,
                  .arc = arc,
                  .low = {0.5, 0},
                  .high = {3.5, 2}};
    ThError err = {0};
    ThPlotGraph *g = th_plot_graph_new(2, &err);
    assert_non_null(g);
    th_text_add(&g->node[0].name, "q10");
    th_text_add(&g->node[1].name, "a_b%");
    g->node[0].start = true;
    g->node[1].look = TH_PLOT_NODE_DOUBLE;
    th_text_add(th_plot_graph_arc(g, 0, 1, &err), "{");
    th_text_add(th_plot_graph_arc(g, 1, 0, &err), "x\n[y\n*");
    th_text_add(th_plot_graph_arc(g, 1, 1, &err), "\\");
    ThFigure f = {0};
    th_plot_graph_tikz(&f, g, &l);
    const char *nodes = strstr(f.tikz.data, "  \\node");
    assert_non_null(nodes);
    assert_string_equal(nodes, "  \\node[state, initial above] (s0) at (1.27,2.54) {$q_{10}$};\n"
                               "  \\node[state, accepting] (s1) at (6.35,2.54) {a\\_b\\%};\n"
                               "  \\path[->]\n"
                               "    (s0) edge[bend left=43] node {\\{} (s1)\n"
                               "    (s1) edge[] node[swap] {x \\\\{} [y \\\\{} *} (s0)\n"
                               "    (s1) edge[loop below] node {\\textbackslash{}} (s1)\n"
                               "    ;\n\\end{tikzpicture}\n");
    assert_true(f.tikz_width > 7.6 && f.tikz_width < 7.63 && f.tikz_height > 5.07);
    th_figure_free(&f);
    th_plot_graph_free(g);
}

/* Only what is too large for a slide is made smaller, unless a width is asked for. */
static void test_scale(void **state)
{
    (void)state;
    static const struct {
        double width, height, asked;
        const char *option;
    } of[] = {{11, 4, 0, "picture}[\n"},
              {22, 4, 0, "scale=0.50"},
              {5, 16, 0, "scale=0.50"},
              {5, 4, 10, "scale=2.00"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ThFigure f = {.tikz_width = of[i].width, .tikz_height = of[i].height};
        th_text_add(&f.tikz, "]\n\\end{tikzpicture}\n");
        ThError err = {0};
        ThPlotTarget to = {.path = "scaled.tex", .width = of[i].asked, .height = of[i].asked};
        assert_true(th_figure_render(&f, &to, &err));
        FILE *in = fopen("scaled.tex", "r");
        assert_non_null(in);
        char text[500] = {0};
        assert_true(fread(text, 1, sizeof text - 1, in) > 0);
        fclose(in);
        if (!strstr(text, of[i].option))
            fail_msg("%s is not in %s", of[i].option, text);
        th_figure_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graph), cmocka_unit_test(test_scale)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
