/* Figures: what users type stays text, and gnuplot's failures leave nothing behind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "plot/child.h"
#include "plot/graph/layout.h"
#include "plot/tex.h"
#include "plot/views.h"

static char folder[] = "/tmp/test_figure-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

static bool have(const char *program)
{
    const char *const argv[] = {program, "--version", NULL};
    ThPlotChild c = {.argv = argv, .input = ""};
    bool missing;
    bool ok = th_plot_child_run(&c, &missing, NULL);
    th_text_free(&c.output);
    th_text_free(&c.messages);
    return ok;
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* Everything that gnuplot, a shell or dot would act upon; `marks` are the files that would appear.
 */
#define TOUCH(name) "touch " name
static const char evil[] = "a'; system(\"" TOUCH("one") "\") # `" TOUCH("two") "` $(" TOUCH(
    "three") ") @four \\n \"\nsystem('" TOUCH("five") "')\n! " TOUCH("six") "\nTH_EOD\n"
                                                                            "%s%"
                                                                            "n\t\x01\x7f\xff"
                                                                            "\xc3( |" TOUCH(
                                                                                "se"
                                                                                "ve"
                                                                                "n") " <" TOUCH("ei"
                                                                                                "gh"
                                                                                                "t") "> "
                                                                                                     "{/"
                                                                                                     "=99 "
                                                                                                     "x_1^"
                                                                                                     "2} "
                                                                                                     "&amp;"
                                                                                                     " \"] "
                                                                                                     "-> [";
static const char *const marks[] = {"one", "two", "three", "five", "six", "seven", "eight"};

static void assert_nothing_ran(void)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (exists(marks[i]))
            fail_msg("the text of a user's made the file '%s'", marks[i]);
}

/* ---- script text ------------------------------------------------------------------------------
 */

static void test_string_literals(void **state)
{
    (void)state;
    ThFigure f = {0};
    th_figure_string(&f, "it's \"q\" `x` $(y) \\n @m");
    th_figure_string(&f, "a\nb\tc\x7f"
                         "d\xff"
                         "e ε");
    th_figure_string(&f, "");
    assert_string_equal(f.script.data, "'it''s \"q\" `x` $(y) \\n @m''a b c d e ε'''");
    th_figure_free(&f);
}

/* gnuplot reads two quotes at the beginning as a whole string. */
static void test_leading_quotes(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    static const char *const text[] = {"'", "''a", "';system('>run')#", "'''", "'a'b'"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        ThFigure f = {0};
        th_figure_begin(&f, text[i], NULL);
        th_figure_printf(&f, "set xtics (");
        th_figure_tic(&f, text[i]);
        th_figure_printf(&f, " 0)\nplot [-1:1] 0 title ");
        th_figure_string(&f, text[i]);
        th_figure_printf(&f, ", keyentry with points title ");
        th_figure_string(&f, text[i]);
        th_figure_printf(&f, "\n");
        ThPlotTarget to = {.where = TH_PLOT_TEXT};
        ThError err = {0};
        if (!th_figure_render(&f, &to, &err))
            print_error("%s: %s\n", text[i], err.msg);
        assert_non_null(to.text);
        assert_non_null(strstr(to.text, text[i]));
        free(to.text);
        th_figure_free(&f);
    }
    assert_nothing_ran();
}

static void test_cells(void **state)
{
    (void)state;
    ThFigure f = {0};
    th_figure_block(&f, "D");
    th_figure_cell(&f, "say \"x\\y\"\n#");
    th_figure_printf(&f, "%d\n", 7);
    th_figure_end_block(&f);
    assert_string_equal(f.script.data, "$D << TH_EOD\n\"say \\042x\\\\y\\042 #\" 7\nTH_EOD\n");
    th_figure_free(&f);
}

static void test_title_is_one_line(void **state)
{
    (void)state;
    ThFigure f = {0};
    th_figure_begin(&f, "x\ny", "'z", NULL);
    assert_non_null(strstr(f.script.data, "set title 'x y''z' noenhanced"));
    th_figure_free(&f);
}

/* ---- for TeX ---- */

/* TeX must read every text as text. */
static void test_tex(void **state)
{
    (void)state;
    ThText t = {0};
    th_plot_tex(&t, "\\begin{tikzpicture}\n%% Sun Nov 22\n"
                    "\\node[gp node center,font={\\fontsize{9pt}{9pt}}] at (1,2) "
                    "{} at (0) {\\input{x};} $x_1^2$ #%&~|\"<>};\n"
                    "\\node[gp node right] at (1,2) {-5·10⁶};\n"
                    "\\node[gp node right] at (1,2) {--- ``?` '',,};\n"
                    "\\end{tikzpicture}\n%% end\n");
    const char *first = strstr(t.data, "\\begin");
    assert_non_null(first);
    assert_string_equal(
        first, "\\begin{tikzpicture}\n"
               "\\node[gp node center,font={\\fontsize{9pt}{9pt}}] at (1,2) "
               "{\\} at (0) \\{\\textbackslash{}input\\{x\\};\\} \\$x\\_1\\textasciicircum{}2"
               "\\$ \\#\\%\\&\\textasciitilde{}\\textbar{}\\char34{}\\textless{}\\textgreater{}};\n"
               "\\node[gp node right] at (1,2) {$-$5$\\cdot$10$^6$};\n"
               "\\node[gp node right] at (1,2) {-{}-{}- `{}`?{}` '{}',{},};\n"
               "\\end{tikzpicture}\n");
    th_text_free(&t);
}

/* What gnuplot-lua-tikz and TikZ define, and what stands for single characters. */
static const char tex_words[] =
    " begin end tikzset path node draw clip fontsize selectfont def pgfpoint gp gpcolor "
    "gpsetlinetype gpsetdashtype gpsetlinewidth gpsetpointsize gpfill gppoint gprawimage "
    "gprawrgbimagedata gpdefrectangularnode textbackslash textasciicircum textasciitilde char "
    "textless textgreater textbar cdot times rightarrow leq geq varepsilon lambda emptyset "
    "textvisiblespace ldots ";

/* Returns what follows a control sequence that TeX knows. */
static const char *after_control(const char *c)
{
    char word[40];
    size_t n = strspn(c + 1, "abcdefghijklmnopqrstuvwxyz");
    if (n == 0) {
        assert_true(c[1] && strchr("\\{}$&#%_", c[1]));
        return c + 2;
    }
    snprintf(word, sizeof word, " %.*s ", (int)n, c + 1);
    if (!strstr(tex_words, word))
        fail_msg("TeX does not know\\%s", word);
    return c + 1 + n;
}

/* As there is no TeX to ask: groups and formulas end, and what TeX acts upon stands nowhere else.
 */
static void check_tex(const char *tex)
{
    int depth = 0;
    bool math = false;
    assert_non_null(strstr(tex, "\n\\begin{tikzpicture}[gnuplot]\n"));
    for (const char *c = tex; *c;) {
        depth += (*c == '{') - (*c == '}');
        assert_true(depth >= 0);
        math = math != (*c == '$');
        assert_false(math && *c == '\n');
        if (strchr("_&#~\"|<>", *c) || (*c == '^' && !math))
            fail_msg("TeX acts upon this: %.60s", c);
        c = *c == '%' ? strchr(c, '\n') : *c == '\\' ? after_control(c) : c + 1;
        assert_non_null(c);
    }
    assert_int_equal(depth, 0);
    assert_string_equal(tex + strlen(tex) - 18, "\\end{tikzpicture}\n");
}

/* ---- numbers on axes ---- */

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *text;
    } of[] = {{0, "0"},         {1, "1"},
              {-2.5, "-2.5"},   {99999, "99999"},
              {1e5, "10⁵"},     {5e6, "5·10⁶"},
              {-5e6, "-5·10⁶"}, {47176870, "4.718·10⁷"},
              {1e-5, "10⁻⁵"},   {2.5e-12, "2.5·10⁻¹²"},
              {1e100, "10¹⁰⁰"}, {0.001, "0.001"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ThText t = {0};
        th_figure_number(&t, of[i].x);
        assert_string_equal(t.data, of[i].text);
        th_text_free(&t);
    }
    ThText t = {0};
    th_figure_power(&t, 400, 400);
    th_figure_power(&t, 3, 4);
    th_figure_power(&t, 2, 5);
    th_figure_power(&t, 3, 5);
    assert_string_equal(t.data, "10⁴⁰⁰100010010³");
    th_text_free(&t);
}

static void test_axes(void **state)
{
    (void)state;
    ThFigure f = {0};
    th_figure_printf(&f, "#");
    th_figure_axis(&f, "x", 0, 50000);
    assert_string_equal(f.script.data, "#"); /* gnuplot's own tics */
    th_figure_axis(&f, "x", 0, 2e6);
    assert_non_null(strstr(f.script.data, "set xtics add ('0' 0)"));
    assert_non_null(strstr(f.script.data, "set xtics add ('1.5·10⁶' 1500000)"));
    assert_non_null(strstr(f.script.data, "set xtics add ('2·10⁶' 2000000)"));
    th_figure_log_axis(&f, "y", 3, 3e7);
    assert_non_null(strstr(f.script.data, "set logscale y"));
    assert_non_null(strstr(f.script.data, "set ytics add ('10' 10)"));
    assert_non_null(strstr(f.script.data, "set ytics add ('10⁷' 10000000)"));
    assert_non_null(strstr(f.script.data, "set ytics add ('10⁴' 10000)"));
    th_figure_log_axis(&f, "x2", 3, 3e4);
    assert_non_null(strstr(f.script.data, "set x2tics add ('10000' 10000)"));
    th_figure_log_axis(&f, "y2", 11, 36); /* less than a power of ten: even steps */
    assert_non_null(strstr(f.script.data, "set y2tics add ('15' 15)"));
    assert_non_null(strstr(f.script.data, "set y2tics add ('35' 35)"));
    th_figure_free(&f);
}

/* ---- drawing ----------------------------------------------------------------------------------
 */

static void write_simple(ThFigure *f, const char *command)
{
    th_figure_begin(f, "title", NULL);
    th_figure_printf(f, "%s\n", command);
}

static char *draw(ThFigure *f, const char *path, ThError *err)
{
    ThPlotTarget to = {.where = TH_PLOT_FILE, .path = path};
    size_t n;
    if (!th_figure_render(f, &to, err))
        return NULL;
    char *bytes = th_file_read(path, 1 << 24, &n, err);
    unlink(path);
    return bytes;
}

static void test_formats(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    static const char *const starts[][2] = {
        {"x.png", "\x89PNG"}, {"x.svg", "<?xml"}, {"x.pdf", "%PDF"}, {"x.gp", "# "}, {"x.txt", ""}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        ThFigure f = {0};
        ThError err = {0};
        write_simple(&f, "plot x");
        char *bytes = draw(&f, starts[i][0], &err);
        if (!bytes)
            fail_msg("%s: %s", starts[i][0], err.msg);
        assert_int_equal(strncmp(bytes, starts[i][1], strlen(starts[i][1])), 0);
        free(bytes);
        th_figure_free(&f);
    }
}

static void test_text(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    ThFigure f = {0};
    ThError err = {0};
    ThPlotTarget to = {.where = TH_PLOT_TEXT, .columns = 60, .rows = 20};
    write_simple(&f, "plot [0:10] -x title 'line'");
    assert_true(th_figure_render(&f, &to, &err));
    assert_non_null(strstr(to.text, "title"));
    assert_non_null(strstr(to.text, "line"));
    assert_null(strchr(to.text, '\f'));
    assert_true(to.text[0] != '\n');
    size_t lines = 0;
    for (const char *line = to.text; *line; line = strchr(line, '\n') + 1, lines++) {
        size_t width = strcspn(line, "\n");
        assert_true(width <= 60);
        assert_true(width == 0 || line[width - 1] != ' ');
    }
    assert_true(lines > 10 && lines <= 20);
    free(to.text);
    th_figure_free(&f);
}

/* The script with its data is all that gnuplot needs to draw the figure. */
static void test_script_is_complete(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    ThFigure f = {0};
    ThPlotTarget to = {.where = TH_PLOT_FILE, .path = "x.gp"};
    th_figure_begin(&f, "self-contained", NULL);
    th_figure_block(&f, "D");
    th_figure_printf(&f, "1 2\n3 4\n");
    th_figure_end_block(&f);
    th_figure_printf(&f, "plot $D with lines\n");
    assert_true(th_figure_render(&f, &to, NULL));
    const char *const argv[] = {"gnuplot", "-d", "x.gp", NULL};
    ThPlotChild c = {.argv = argv, .input = ""};
    bool missing;
    assert_true(th_plot_child_run(&c, &missing, NULL));
    assert_int_equal(c.status, 0);
    assert_non_null(strstr(c.output.data, "self-contained"));
    th_text_free(&c.output);
    th_text_free(&c.messages);
    th_figure_free(&f);
    unlink("x.gp");
}

static void test_evil_text(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    static const char *const paths[] = {"x.png", "x.svg", "x.txt", "x.pdf", "x.tex"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ThFigure f = {0};
        ThError err = {0};
        th_figure_begin(&f, evil, evil, NULL);
        th_figure_block(&f, "D");
        th_figure_printf(&f, "1 2 ");
        th_figure_cell(&f, evil);
        th_figure_printf(&f, "\n");
        th_figure_end_block(&f);
        th_figure_subtitle(&f, "%s", evil);
        th_figure_printf(&f, "set xtics (");
        th_figure_tic(&f, evil);
        th_figure_printf(&f, " 1)\nplot $D using 1:2:3 with labels title ");
        th_figure_string(&f, evil);
        th_figure_printf(&f, "\n");
        char *bytes = draw(&f, paths[i], &err);
        if (!bytes)
            fail_msg("%s: %s", paths[i], err.msg);
        assert_nothing_ran();
        free(bytes);
        th_figure_free(&f);
    }
}

/* File names are text too: a pipe, an option, an expansion. */
static void test_evil_paths(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    static const char *const paths[] = {"|touch one;.png", "-e.png", "$(touch two).svg",
                                        "`touch three`.svg", "a'b\"c\n.png"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ThFigure f = {0};
        ThError err = {0};
        write_simple(&f, "plot x");
        char *bytes = draw(&f, paths[i], &err);
        if (!bytes)
            fail_msg("%s: %s", paths[i], err.msg);
        free(bytes);
        th_figure_free(&f);
    }
    assert_nothing_ran();
}

static void check_failure(const char *command, const char *path, ThErrc code, const char *says)
{
    ThFigure f = {0};
    ThError err = {0};
    write_simple(&f, command);
    assert_null(draw(&f, path, &err));
    assert_int_equal(err.code, code);
    if (!strstr(err.msg, says))
        fail_msg("'%s' does not say '%s'", err.msg, says);
    assert_false(exists(path));
    th_figure_free(&f);
}

static void test_failing_gnuplot(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    check_failure("plot nonsense(x)", "x.png", TH_EIO, "undefined function: nonsense");
    check_failure("exit status 9", "x.svg", TH_EIO, "status 9");
    check_failure("exit status 127", "x.svg", TH_EIO, "gnuplot was not found");
    check_failure("a = 1", "x.png", TH_EIO, "incomplete");
    check_failure("plot x", "x.gif", TH_EUSAGE, "extension");
    check_failure("plot x", "png", TH_EUSAGE, "extension");
    check_failure("plot x", "/nonexistent/x.png", TH_EIO, "/nonexistent/x.png");
}

static void test_old_file_stays(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    ThFigure f = {0};
    ThError err = {0};
    ThFile file;
    fputs("old", th_file_begin(&file, "x.png", NULL));
    assert_true(th_file_commit(&file, NULL));
    write_simple(&f, "plot nonsense(x)");
    ThPlotTarget to = {.where = TH_PLOT_FILE, .path = "x.png"};
    assert_false(th_figure_render(&f, &to, &err));
    size_t n;
    char *bytes = th_file_read("x.png", 100, &n, NULL);
    assert_string_equal(bytes, "old");
    free(bytes);
    unlink("x.png");
    th_figure_free(&f);
}

static void test_missing_gnuplot(void **state)
{
    (void)state;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    ThFigure f = {0};
    ThError err = {0};
    write_simple(&f, "plot x");
    char *bytes = draw(&f, "x.png", &err);
    ThPlotTarget to = {.where = TH_PLOT_FILE, .path = "x.gp"};
    bool script = th_figure_render(&f, &to, NULL);
    setenv("PATH", path, 1);
    free(path);
    assert_null(bytes);
    assert_int_equal(err.code, TH_EIO);
    assert_non_null(strstr(err.msg, "gnuplot was not found"));
    assert_true(err.hint[0] != '\0');
    assert_false(exists("x.png"));
    assert_true(script); /* needs no gnuplot */
    unlink("x.gp");
    th_figure_free(&f);
}

static void test_stop(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    static volatile sig_atomic_t stop = 1;
    ThFigure f = {0};
    ThError err = {0};
    ThPlotTarget to = {.where = TH_PLOT_FILE, .path = "x.png", .stop = &stop};
    write_simple(&f, "plot x");
    assert_false(th_figure_render(&f, &to, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    assert_false(exists("x.png"));
    th_figure_free(&f);
}

/* ---- automata ---------------------------------------------------------------------------------
 */

static ThAutomaton *make_automaton(const char *text)
{
    ThError err = {0};
    ThAutomaton *a = th_automaton_parse(text, &err);
    if (!a)
        fail_msg("%s", err.msg);
    return a;
}

static const char three_states[] = "alphabet a b\nstart p\naccept q\np a,b -> q\nq a -> q\n"
                                   "q b -> r\nr a -> p\nr b -> q";

/* States do not overlap, and every arc runs from rim to rim. */
static void check_layout(bool use_dot)
{
    enum { STATES = 4 };
    static const int arcs[][2] = {{-1, 0}, {0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 3}, {3, 0}, {0, 2}};
    enum { ARCS = sizeof arcs / sizeof *arcs };
    double radius = 0.3;
    ThLayout *l = th_layout_new(STATES, ARCS, radius, NULL);
    assert_non_null(l);
    for (int i = 0; i < ARCS; i++) {
        l->arc[i].from = arcs[i][0];
        l->arc[i].to = arcs[i][1];
        l->arc[i].label_width = i > 0 ? 3 : 0;
    }
    assert_true(th_layout_place(l, use_dot, NULL, NULL));
    for (int a = 0; a < STATES; a++)
        for (int b = 0; b < a; b++) {
            double dx = l->node[a].x - l->node[b].x, dy = l->node[a].y - l->node[b].y;
            assert_true(dx * dx + dy * dy > 4 * radius * radius);
        }
    for (int i = 0; i < ARCS; i++) {
        const ThLayoutArc *a = &l->arc[i];
        assert_true(a->n_path >= 2);
        ThPlotPoint end = a->path[a->n_path - 1], to = l->node[a->to];
        double dx = end.x - to.x, dy = end.y - to.y, squared = dx * dx + dy * dy;
        assert_true(squared > 0.8 * radius * radius && squared < 1.3 * radius * radius);
        assert_true(end.x >= l->low.x && end.x <= l->high.x);
        assert_true(end.y >= l->low.y && end.y <= l->high.y);
    }
    th_layout_free(l);
}

static void test_layout(void **state)
{
    (void)state;
    check_layout(false);
    check_layout(true); /* by dot where there is one */
}

static char *script_of(const ThAutomaton *a)
{
    ThFigure f = {0};
    ThError err = {0};
    if (!th_plot_automaton(&f, "A", a, NULL, &err))
        fail_msg("%s", err.msg);
    char *text = th_text_take(&f.script, NULL);
    th_figure_free(&f);
    return text;
}

static void test_automaton_script(void **state)
{
    (void)state;
    ThAutomaton *a = make_automaton(three_states);
    char *text = script_of(a);
    assert_non_null(strstr(text, "\"a, b\"")); /* one arrow for both symbols */
    for (const char *name = "pqr"; *name; name++) {
        char cell[4] = {'"', *name, '"', '\0'};
        assert_non_null(strstr(text, cell));
    }
    const char *accepting = strstr(text, "$ACCEPTING");
    assert_non_null(accepting);
    int lines = 0;
    for (const char *line = strchr(accepting, '\n') + 1; strncmp(line, "TH_EOD", 6) != 0;
         line = strchr(line, '\n') + 1)
        lines++;
    assert_int_equal(lines, 1);
    free(text);
    th_automaton_free(a);
}

/* Names never reach dot, and only as labels gnuplot. */
static void test_evil_names(void **state)
{
    (void)state;
    if (!have("gnuplot"))
        skip();
    ThAutomaton *a = make_automaton("alphabet x y\nstart p\np x -> q\nq y -> p");
    char name[sizeof evil], *names[] = {name, name}, **state_names = a->state,
                            **symbol_names = a->symbol;
    memcpy(name, evil, sizeof evil);
    a->state = a->symbol = names;
    ThFigure f = {0};
    ThError err = {0};
    bool ok = th_plot_automaton(&f, evil, a, NULL, &err);
    a->state = state_names;
    a->symbol = symbol_names;
    assert_true(ok);
    char *bytes = draw(&f, "x.svg", &err);
    if (!bytes)
        fail_msg("%s", err.msg);
    assert_nothing_ran();
    free(bytes);
    th_figure_free(&f);
    th_automaton_free(a);
}

/* ---- the other views ---------------------------------------------------------------------------
 */

static void check_drawn(ThFigure *f, bool written, const ThError *err, const char *says)
{
    if (!written)
        fail_msg("%s", err->msg);
    assert_non_null(strstr(f->script.data, says));
    if (have("gnuplot")) {
        ThError why = {0};
        char *bytes = draw(f, "x.svg", &why);
        if (!bytes)
            fail_msg("%s", why.msg);
        free(bytes);
        bytes = draw(f, "x.tex", &why);
        if (!bytes)
            fail_msg("%s", why.msg);
        check_tex(bytes);
        free(bytes);
        ThPlotTarget to = {.where = TH_PLOT_TEXT};
        if (!th_figure_render(f, &to, &why))
            fail_msg("%s", why.msg);
        free(to.text);
    }
    th_figure_free(f);
}

static void test_loss_view(void **state)
{
    (void)state;
    ThModelHistoryPoint history[] = {{10, 0.7, 0.5}, {20, 0.01, 0.9}, {30, 0, 1}};
    ThModelTraining t = {.history = history}, other = {.history = history, .n_history = 3};
    ThPlotModel model[] = {{.name = evil, .training = &t}, {.name = evil, .training = &other}};
    ThFigure f = {0};
    ThError err = {0};
    assert_false(th_plot_loss(&f, evil, model, 1, &err));
    assert_int_equal(err.code, TH_EVALUE);
    for (size_t n = 1; n <= 3; n++) {
        t.n_history = n;
        check_drawn(&f, th_plot_loss(&f, evil, model, 1, &err), &err, "set logscale");
    }
    check_drawn(&f, th_plot_loss(&f, evil, model, 2, &err), &err, "$HISTORY1 using 1:2");
    t.n_history = 0;
    assert_false(th_plot_loss(&f, evil, model, 2, &err));
    err = (ThError){0};
    t.history = history + 2;
    t.n_history = 1;
    check_drawn(&f, th_plot_loss(&f, evil, model, 1, &err), &err, "$HISTORY");
    assert_nothing_ran();
}

static void test_states_view(void **state)
{
    (void)state;
    ThModelComparison points[] = {{0, 10, 5, 3}, {10, 10, 2, 0}, {20, 10, 0, 2}};
    ThModelTraining t = {.comparison = points}, other = {.comparison = points, .n_comparisons = 1};
    ThPlotModel model[] = {{.name = evil, .training = &other}, {.name = evil, .training = &t}};
    ThFigure f = {0};
    ThError err = {0};
    assert_false(th_plot_states(&f, evil, model, 2, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    t.n_comparisons = 3;
    check_drawn(&f, th_plot_states(&f, evil, model, 2, &err), &err, "$STATES1 using 1:2");
    check_drawn(&f, th_plot_states(&f, evil, model + 1, 1, &err), &err, "0 3\n\n20 2\n");
    check_drawn(&f, th_plot_states(&f, evil, model + 1, 1, &err), &err, "0 0.5\n10 0.2\n20 0\n");
    assert_nothing_ran();
}

static void test_stages_view(void **state)
{
    (void)state;
    ThModelStage stages[] = {{.step = 0, .mixed = 1},
                             {.step = 10, .gap = 8, .reach = 0.5},
                             {.step = 30, .gap = 5, .reach = 0.02, .excess = 3}};
    ThModelTraining t = {.stage = stages, .n_stages = 1};
    ThPlotModel model[] = {{.name = evil, .training = &t}, {.name = evil, .training = &t}};
    ThFigure f = {0};
    ThError err = {0};
    assert_false(th_plot_stages(&f, evil, model, 1, &err));
    assert_int_equal(err.code, TH_EVALUE);
    err = (ThError){0};
    t.n_stages = 3;
    assert_false(th_plot_stages(&f, evil, model, 2, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    err = (ThError){0};
    check_drawn(&f, th_plot_stages(&f, evil, model, 1, &err), &err, "\n\n10 8\n30 5\n");
    check_drawn(&f, th_plot_stages(&f, evil, model, 1, &err), &err, "10 4\n30 0.1\n");
    check_drawn(&f, th_plot_stages(&f, evil, model, 1, &err), &err, "\n\n\n30 3\n");
    t.n_stages = 2; /* the prover was not asked: nothing is drawn of that */
    check_drawn(&f, th_plot_stages(&f, evil, model, 1, &err), &err, "$SPREAD using 1:2");
    assert_nothing_ran();
}

static void test_closure_view(void **state)
{
    (void)state;
    ThProofClosureLevel level[] = {{.radius = 0.5, .gap = HUGE_VAL, .at = 0.25, .clusters = 4},
                                   {.radius = 1, .gap = 3, .at = 2, .between = 4, .wrong = 7}};
    ThProofClosure c = {.level = level, .levels = 2, .first = -1};
    ThFigure f = {0};
    ThError err = {0};
    for (c.first = -1; c.first < 2; c.first++) {
        th_plot_closure(&f, evil, &c);
        check_drawn(&f, true, &err, "1 0.5 NaN 0.25 0 4 0\n2 1 3 2 4 0 7\n");
    }
    assert_nothing_ran();
}

static void test_selecting_view(void **state)
{
    (void)state;
    char name[200], *symbol[] = {name};
    snprintf(name, sizeof name, "%.199s", evil);
    uint8_t selected[] = {1};
    double weight[] = {0.25, 0.75};
    ThPlotSelecting head[] = {{0, 0, name, selected, weight}, {1, 0, name, selected, weight}};
    ThFigure f = {0};
    ThError err = {0};
    th_plot_selecting(&f, evil, head, 2, &(ThPlotInput){(int[]){0}, 1, symbol});
    check_drawn(&f, true, &err, "0 0 1\n3 0 0.25\n4 0 0.75\n0 5 1\n");
    assert_nothing_ran();
}

static void test_accuracy_view(void **state)
{
    (void)state;
    ThScore score[] = {
        {.length = 41, .tokens = 41, .accuracy = 1, .lo = 0.99, .hi = 1, .chance = 0.5},
        {.length = 42, .tokens = 42, .accuracy = 0.9, .lo = 0.8, .hi = 0.95, .chance = (double)NAN},
        {.length = 50, .tokens = 50, .accuracy = 0.5, .lo = 0.4, .hi = 0.6, .chance = 0.5}};
    ThModelTraining t = {.trained_lo = 1, .trained_hi = 40}, other = t;
    ThPlotModel model[] = {{.name = evil, .training = &t, .score = score},
                           {.name = evil, .training = &other, .score = score, .n_scores = 3}};
    ThFigure f = {0};
    ThError err = {0};
    assert_false(th_plot_accuracy(&f, evil, model, 1, &err));
    assert_int_equal(err.code, TH_EVALUE);
    for (model->n_scores = 1; model->n_scores <= 3; model->n_scores++)
        check_drawn(&f, th_plot_accuracy(&f, evil, model, 1, &err), &err, "trained on 1 to 40");
    model->n_scores = 3;
    check_drawn(&f, th_plot_accuracy(&f, evil, model, 2, &err), &err, "trained on 1 to 40");
    other.trained_hi = 45;
    check_drawn(&f, th_plot_accuracy(&f, evil, model, 2, &err), &err, "set arrow 2 from first 45");
    t.trained_hi = 0;
    model->score = score + 1;
    model->n_scores = 1;
    check_drawn(&f, th_plot_accuracy(&f, evil, model, 1, &err), &err, "$SCORES");
    assert_nothing_ran();
}

/* Limits and scales that are asked for, and what lies outside of them. */
static void test_accuracy_axes(void **state)
{
    (void)state;
    ThScore score[] = {{.length = 10, .accuracy = 1, .lo = 1, .hi = 1, .chance = 0.5},
                       {.length = 500, .accuracy = 0.25, .lo = 0, .hi = 0.6, .chance = 0.5}};
    ThModelTraining t = {.trained_lo = 5, .trained_hi = 40},
                    other = {.trained_lo = 1, .trained_hi = 700};
    ThPlotModel model[] = {
        {.name = "a", .training = &t, .score = score, .n_scores = 2, .band = ""},
        {.name = "b", .label = evil, .training = &t, .score = score, .n_scores = 2}};
    ThError err = {0};
    ThFigure f = {.axes = {.x = {20, 30.5}, .y = {0.25, 0.75}, .legend = "bottom left"}};
    assert_true(th_plot_accuracy(&f, "t", model, 2, &err));
    assert_non_null(strstr(f.script.data, "set xrange [20:30.5]"));
    assert_non_null(strstr(f.script.data, "set yrange [0.25:0.75]"));
    assert_non_null(strstr(f.script.data, "rectangle from first 20, graph 0 to first 30.5, graph"));
    assert_non_null(strstr(f.script.data, "set key bottom left Left reverse"));
    assert_null(strstr(f.script.data, "set ytics 0,0.2,1"));
    assert_null(strstr(f.script.data, "$SCORES0 using 1:(plain"));
    assert_non_null(strstr(f.script.data, "$SCORES1 using 1:(plain"));
    check_drawn(&f, true, &err, "title 'a'");
    f.axes = (ThFigureAxes){.log_x = true, .log_y = true};
    assert_true(th_plot_accuracy(&f, "t", model, 1, &err));
    assert_non_null(strstr(f.script.data, "set logscale x"));
    assert_non_null(strstr(f.script.data, "set logscale y"));
    check_drawn(&f, true, &err, "set xrange [10:500]\n");
    f.axes = (ThFigureAxes){.log_y = true};
    check_drawn(&f, th_plot_accuracy(&f, "t", model, 1, &err), &err, "set yrange [0.2:1]");
    /* The training beyond the limits is not marked. */
    model[1].training = &other;
    f.axes = (ThFigureAxes){.x = {30, 100}};
    assert_true(th_plot_accuracy(&f, "t", model, 2, &err));
    assert_null(strstr(f.script.data, "set arrow 2"));
    check_drawn(&f, true, &err, "set arrow 1 from first 40");
    f.axes = (ThFigureAxes){.x = {50, 100}};
    assert_true(th_plot_accuracy(&f, "t", model, 1, &err));
    assert_null(strstr(f.script.data, "trained on"));
    check_drawn(&f, true, &err, "set xrange [50:100]");
    assert_nothing_ran();
}

static void test_field_view(void **state)
{
    (void)state;
    double cumulative[] = {1, 0.7, 0.4, 0.2};
    ThField field = {.length = 4, .strings = 1, .cumulative = cumulative, .reach = 1};
    ThFigure f = {0};
    ThError err = {0};
    check_drawn(&f, th_plot_field(&f, evil, &field, 2, &err), &err, "last 100 %");
    check_drawn(&f, th_plot_field(&f, evil, &field, 40, &err), &err, "$FIELD");
    field.length = 1;
    assert_false(th_plot_field(&f, evil, &field, 40, &err));
    assert_nothing_ran();
}

static void test_clusters_view(void **state)
{
    (void)state;
    enum { N = 40 };
    ThClustersPoint point[N];
    char name[N][400], *function[N];
    for (int i = 0; i < N; i++) {
        point[i] = (ThClustersPoint){.layer = i % 3, .x = i, .y = i * i % 7, .function = i / 2};
        snprintf(name[i], sizeof name[i], "%s%d", evil, i);
        function[i] = name[i];
    }
    ThClusters c = {.n_points = N,
                    .n_layers = 3,
                    .n_functions = N / 2,
                    .n_clusters = 2,
                    .point = point,
                    .function = function};
    ThFigure f = {0};
    ThError err = {0};
    check_drawn(&f, th_plot_clusters(&f, evil, &c, &err), &err, "and 8 more");
    c = (ThClusters){
        .n_points = 1, .n_layers = 1, .n_functions = 1, .point = point, .function = function};
    check_drawn(&f, th_plot_clusters(&f, evil, &c, &err), &err, "$F0");
    assert_nothing_ran();
}

/* A layer that attends from every one of `length` positions to the `keys` before it. */
static ThModelTrace *make_trace(int length, int layers, int heads, int keys)
{
    ThModelTrace *t = calloc(1, sizeof *t);
    t->length = length;
    assert_true(th_model_trace_layers(t, layers, NULL));
    for (int l = 0; l < layers; l++) {
        ThModelTraceLayer *y = &t->layer[l];
        assert_true(th_model_trace_rows(
            y, &(ThModelTraceLayer){.n_rows = length, .dim = 1, .n_heads = heads, .n_keys = keys},
            NULL));
        for (int i = 0; i < length; i++) {
            y->last[i] = i;
            for (int k = 0; k < keys; k++) {
                y->key[i * keys + k] = keys == length ? k : (i - k < 0 ? TH_MODEL_KEY_PAD : i - k);
                for (int h = 0; h < heads; h++)
                    y->weight[(h * length + i) * keys + k] = 1.0 / keys;
            }
        }
    }
    return t;
}

static void test_attention_view(void **state)
{
    (void)state;
    static const int shapes[][4] = {{1, 1, 1, 2}, {5, 3, 2, 2},   {5, 3, 2, 5},   {90, 2, 2, 3},
                                    {3, 5, 8, 3}, {70, 2, 4, 70}, {12, 4, 16, 12}};
    char evil_symbol[sizeof evil], plain[] = "b", *symbol[] = {evil_symbol, plain};
    memcpy(evil_symbol, evil, sizeof evil);
    int token[90];
    for (int i = 0; i < 90; i++)
        token[i] = i % 2;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int *s = shapes[i];
        ThModelTrace *t = make_trace(s[0], s[1], s[2], s[3]);
        ThFigure f = {0};
        ThError err = {0};
        check_drawn(&f, th_plot_attention(&f, evil, t, token, symbol, &err), &err, "plot");
        th_model_trace_free(t);
    }
    ThModelTrace none = {.length = 1};
    ThFigure f = {0};
    ThError err = {0};
    assert_false(th_plot_attention(&f, evil, &none, token, symbol, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_figure_free(&f);
    assert_nothing_ran();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_string_literals),
        cmocka_unit_test(test_leading_quotes),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_title_is_one_line),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_tex),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_script_is_complete),
        cmocka_unit_test(test_evil_text),
        cmocka_unit_test(test_evil_paths),
        cmocka_unit_test(test_failing_gnuplot),
        cmocka_unit_test(test_old_file_stays),
        cmocka_unit_test(test_missing_gnuplot),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_automaton_script),
        cmocka_unit_test(test_evil_names),
        cmocka_unit_test(test_loss_view),
        cmocka_unit_test(test_states_view),
        cmocka_unit_test(test_stages_view),
        cmocka_unit_test(test_closure_view),
        cmocka_unit_test(test_selecting_view),
        cmocka_unit_test(test_accuracy_view),
        cmocka_unit_test(test_accuracy_axes),
        cmocka_unit_test(test_field_view),
        cmocka_unit_test(test_clusters_view),
        cmocka_unit_test(test_attention_view),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
