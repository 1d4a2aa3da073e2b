/* Random expressions and automata against OpenFST: the same language, the same minimal size.
 *
 * A process for every expression would take minutes.  So thousands of automata are one: a start
 * with a symbol #i to the automaton of expression i.  OpenFST determinizes and minimizes the whole;
 * behind #i lies then the minimal automaton of expression i.  The intersection and the difference
 * of two such automata hold those of every pair.  PEERS=N in the environment asks for N of each
 * kind.  Without OpenFST the tests are skipped and say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "automata/core/build.h"
#include "automata/regex/regex.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"
#include "given.h"

enum { USUAL = 2000, DEPTH = 4, LINE = 256, COMMAND = 1000 };

static char *const letters[] = {(char[]){"a"}, (char[]){"b"}};

static int how_many(void)
{
    const char *asked = getenv("PEERS");
    int n = asked ? atoi(asked) : 0;
    return n > 0 ? n : USUAL;
}

static bool installed(void)
{
    if (system("command -v fstcompile >/dev/null 2>&1") == 0)
        return true;
    print_message("OpenFST is not installed: skipped\n");
    return false;
}

/* ---- files, in a folder that lives as long as a test ---- */

static void make_folder(char folder[64], int n)
{
    char path[80];
    snprintf(folder, 64, "/tmp/test_openfst.XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/symbols", folder);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("<eps> 0\na 1\nb 2\n", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "#%d %d\n", i, i + 3);
    fclose(out);
}

static FILE *open_text(const char *folder, const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    return out;
}

static void run(const char *folder, const char *command)
{
    char line[COMMAND];
    snprintf(line, sizeof line, "cd %s && { %s; }", folder, command);
    assert_int_equal(system(line), 0);
}

static void remove_folder(const char *folder)
{
    char line[100];
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
}

/* ---- expressions, as text and by Thompson's construction as arcs ---- */

typedef struct {
    FILE *out; /* "from to symbol" a line */
    int n_states;
} Net;

typedef struct {
    int from, to;
} Part;

static Part new_part(Net *n)
{
    n->n_states += 2;
    return (Part){n->n_states - 2, n->n_states - 1};
}

static void arc(Net *n, int from, int to, const char *symbol)
{
    fprintf(n->out, "%d %d %s\n", from, to, symbol);
}

static Part leaf(Net *n, ThRng *r, ThText *text)
{
    static const char *const pattern[] = {"a", "b", ".", "()", "[^a]", "a", "b"};
    static const int takes[] = {1, 2, 3, 0, 2, 1, 2};
    int i = below(r, 7);
    Part p = new_part(n);
    th_text_add(text, pattern[i]);
    if (takes[i] == 0)
        arc(n, p.from, p.to, "<eps>");
    if (takes[i] & 1)
        arc(n, p.from, p.to, "a");
    if (takes[i] & 2)
        arc(n, p.from, p.to, "b");
    return p;
}

static Part expression(Net *n, ThRng *r, ThText *text, int depth);

/* x* x+ x? x{2} x{1,3} behind brackets; x is made once more where it is repeated. */
static Part repeated(Net *n, ThRng *r, ThText *text, int depth)
{
    static const char *const sign[] = {"*", "+", "?", "{2}", "{1,3}"};
    int kind = below(r, 5), times = kind == 3 ? 2 : kind == 4 ? 3 : 1;
    ThRng same = *r;
    Part whole = new_part(n);
    int at = whole.from;
    for (int i = 0; i < times; i++) {
        ThText copy = {0};
        ThRng again = same;
        Part p = expression(n, i ? &again : r, i ? &copy : text, depth - 1);
        th_text_free(&copy);
        arc(n, at, p.from, "<eps>");
        if (kind <= 1)
            arc(n, p.to, p.from, "<eps>");
        if (kind == 4 && i > 0)
            arc(n, at, whole.to, "<eps>");
        at = p.to;
    }
    arc(n, at, whole.to, "<eps>");
    if (kind == 0 || kind == 2)
        arc(n, whole.from, whole.to, "<eps>");
    th_text_add(text, sign[kind]);
    return whole;
}

static Part expression(Net *n, ThRng *r, ThText *text, int depth)
{
    if (depth == 0 || below(r, 7) == 0)
        return leaf(n, r, text);
    int kind = below(r, 10);
    th_text_add(text, "(");
    Part whole, x, y;
    if (kind < 3) {
        whole = repeated(n, r, text, depth);
    } else if (kind < 6) {
        whole = new_part(n);
        x = expression(n, r, text, depth - 1);
        th_text_add(text, "|");
        y = expression(n, r, text, depth - 1);
        arc(n, whole.from, x.from, "<eps>");
        arc(n, whole.from, y.from, "<eps>");
        arc(n, x.to, whole.to, "<eps>");
        arc(n, y.to, whole.to, "<eps>");
    } else {
        x = expression(n, r, text, depth - 1);
        y = expression(n, r, text, depth - 1);
        arc(n, x.to, y.from, "<eps>");
        whole = (Part){x.from, y.to};
    }
    th_text_add(text, ")");
    return whole;
}

/* Writes expressions 0 … n - 1 of a stream as one net, and returns their texts. */
static ThText *write_expressions(const char *folder, const char *name, const char *stream, int n)
{
    ThText *text = th_alloc((size_t)n, sizeof *text, NULL);
    Net net = {open_text(folder, name), 1};
    assert_non_null(text);
    for (int i = 0; i < n; i++) {
        char tag[16];
        ThRng r = th_rng(2028, stream, (uint64_t)i);
        snprintf(tag, sizeof tag, "#%d", i);
        if (i == 0)
            arc(&net, 0, 0, "<eps>"); /* the first line's state is the start */
        Part p = expression(&net, &r, &text[i], DEPTH);
        arc(&net, 0, p.from, tag);
        fprintf(net.out, "%d\n", p.to);
    }
    fclose(net.out);
    return text;
}

static void free_texts(ThText *text, int n)
{
    for (int i = 0; i < n; i++)
        th_text_free(&text[i]);
    free(text);
}

/* ---- reading what OpenFST made of them ---- */

typedef struct {
    int *next;    /* (n_states, 2): -1 for none */
    bool *accept; /* (n_states) */
    int *behind;  /* (n): the state behind #i, -1: no word */
    int n_states;
} Minimal;

static void minimal_free(Minimal *m)
{
    free(m->next);
    free(m->accept);
    free(m->behind);
}

static void add_states(Minimal *m, int last, size_t cap[2])
{
    assert_true(th_grow(&m->next, &cap[0], 2 * ((size_t)last + 1), sizeof *m->next, NULL));
    assert_true(th_grow(&m->accept, &cap[1], (size_t)last + 1, sizeof *m->accept, NULL));
    for (; m->n_states <= last; m->n_states++) {
        m->next[2 * m->n_states] = m->next[2 * m->n_states + 1] = -1;
        m->accept[m->n_states] = false;
    }
}

static Minimal read_minimal(const char *folder, int n)
{
    Minimal m = {.behind = th_alloc((size_t)n, sizeof *m.behind, NULL)};
    size_t cap[2] = {0};
    char line[LINE], symbol[32];
    int from, to;
    assert_non_null(m.behind);
    memset(m.behind, -1, (size_t)n * sizeof *m.behind);
    snprintf(line, sizeof line, "cd %s && fstprint --acceptor --isymbols=symbols result", folder);
    FILE *in = popen(line, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        int fields = sscanf(line, "%d %d %31s", &from, &to, symbol);
        add_states(&m, fields == 3 && to > from ? to : from, cap);
        if (fields < 3)
            m.accept[from] = true;
        else if (*symbol == '#')
            m.behind[atoi(symbol + 1)] = to;
        else
            m.next[2 * from + (*symbol == 'b')] = to;
    }
    assert_int_equal(pclose(in), 0);
    return m;
}

/* Is the part of m behind #i a minimal automaton in our numbering, state by state?  Both are
 * followed side by side: two states that meet must agree, and each meets one only. */
static void assert_same(const Minimal *m, int i, const ThAutomaton *a, const char *what)
{
    int *theirs = th_alloc((size_t)a->n_states, sizeof *theirs, NULL);
    int *ours = th_alloc((size_t)m->n_states + 1, sizeof *ours, NULL);
    assert_true(theirs && ours);
    memset(ours, -1, (size_t)m->n_states * sizeof *ours);
    if (m->behind[i] < 0 && (a->n_arcs > 0 || a->n_states > 1 || a->accept[0]))
        fail_msg("%s: OpenFST has no word of it", what);
    int n = m->behind[i] < 0 ? 0 : 1;
    if (n > 0) {
        theirs[0] = m->behind[i];
        ours[theirs[0]] = 0;
    }
    for (int q = 0; q < n; q++) {
        int arcs = 0;
        if (a->accept[q] != m->accept[theirs[q]])
            fail_msg("%s: state %d accepts for one only", what, q);
        for (size_t k = a->first[q]; k < a->first[q + 1]; k++, arcs++) {
            int to = m->next[2 * theirs[q] + a->arc[k].symbol], mine = a->arc[k].to;
            if (to >= 0 && ours[to] < 0 && mine == n) {
                ours[to] = n;
                theirs[n++] = to;
            }
            if (to < 0 || ours[to] != mine)
                fail_msg("%s: they differ behind state %d", what, q);
        }
        if (arcs != (m->next[2 * theirs[q]] >= 0) + (m->next[2 * theirs[q] + 1] >= 0))
            fail_msg("%s: OpenFST has more transitions at state %d", what, q);
    }
    if (n > 0 && n != a->n_states)
        fail_msg("%s: %d states, OpenFST has %d", what, a->n_states, n);
    free(theirs);
    free(ours);
}

static void assert_same_minimal(const Minimal *m, int i, ThAutomaton *a, const char *what)
{
    assert_non_null(a);
    ThAutomaton *least = th_automaton_minimize(a, 0, NULL, NULL);
    assert_non_null(least);
    assert_same(m, i, least, what);
    th_automaton_free(least);
    th_automaton_free(a);
}

#define COMPILE       "fstcompile --acceptor --isymbols=symbols "
#define DETERMINISTIC " | fstrmepsilon | fstdeterminize | fstminimize "

/* ---- the tests ---- */

static void test_expressions(void **state)
{
    (void)state;
    char folder[64];
    int n = how_many();
    if (!installed())
        skip();
    make_folder(folder, n);
    ThText *text = write_expressions(folder, "x.txt", "expressions", n);
    run(folder, COMPILE "x.txt" DETERMINISTIC ">result");
    Minimal m = read_minimal(folder, n);
    for (int i = 0; i < n; i++)
        assert_same_minimal(&m, i, th_regex_automaton(text[i].data, letters, 2, 0, NULL, NULL),
                            text[i].data);
    minimal_free(&m);
    free_texts(text, n);
    remove_folder(folder);
}

/* (x)&(y), (x)-(y) and ~(x), the last as the difference to all words. */
static void check_operation(const char *folder, const char *sign, const ThText *x, const ThText *y,
                            int n)
{
    Minimal m = read_minimal(folder, n);
    for (int i = 0; i < n; i++) {
        ThText both = {0};
        if (y)
            th_text_printf(&both, "(%s)%s(%s)", x[i].data, sign, y[i].data);
        else
            th_text_printf(&both, "%s(%s)", sign, x[i].data);
        assert_same_minimal(&m, i, th_regex_automaton(both.data, letters, 2, 0, NULL, NULL),
                            both.data);
        th_text_free(&both);
    }
    minimal_free(&m);
}

static void test_operations(void **state)
{
    (void)state;
    char folder[64];
    int n = how_many();
    if (!installed())
        skip();
    make_folder(folder, n);
    ThText *x = write_expressions(folder, "x.txt", "left", n);
    ThText *y = write_expressions(folder, "y.txt", "right", n);
    FILE *all = open_text(folder, "all.txt");
    for (int i = 0; i < n; i++)
        fprintf(all, "0 1 #%d\n", i);
    fputs("1 1 a\n1 1 b\n1\n", all);
    fclose(all);
    run(folder, COMPILE "x.txt" DETERMINISTIC "| fstarcsort >x && " COMPILE "y.txt" DETERMINISTIC
                        "| fstarcsort >y && " COMPILE "all.txt | fstarcsort >all");
    run(folder, "fstintersect x y" DETERMINISTIC ">result");
    check_operation(folder, "&", x, y, n);
    run(folder, "fstdifference x y" DETERMINISTIC ">result");
    check_operation(folder, "-", x, y, n);
    run(folder, "fstdifference all x" DETERMINISTIC ">result");
    check_operation(folder, "~", x, NULL, n);
    free_texts(x, n);
    free_texts(y, n);
    remove_folder(folder);
}

/* A random nondeterministic automaton with empty moves, whose states follow state `at` of a net. */
static ThAutomaton *random_automaton(int i, Net *net)
{
    ThRng r = th_rng(2027, "peers", (uint64_t)i);
    ThAutomatonBuild b = {0};
    int n = 2 + below(&r, 10), at = net->n_states;
    th_automaton_build_symbol(&b, "a");
    th_automaton_build_symbol(&b, "b");
    net->n_states += n;
    for (int q = 0; q < n; q++) {
        char name[16];
        snprintf(name, sizeof name, "%d", q);
        th_automaton_build_state(&b, name);
        if (below(&r, 4) == 0 || q == n - 1) {
            th_automaton_build_accept(&b, q);
            fprintf(net->out, "%d\n", at + q);
        }
    }
    th_automaton_build_start(&b, 0);
    for (int k = 0; k < 2 * n; k++) {
        int symbol = below(&r, 7) ? below(&r, 2) : TH_AUTOMATON_EPSILON, from = below(&r, n);
        int to = below(&r, n);
        th_automaton_build_arc(&b, (ThAutomatonArc){from, symbol, to, TH_AUTOMATON_NO_OUTPUT});
        arc(net, at + from, at + to, symbol == TH_AUTOMATON_EPSILON ? "<eps>" : letters[symbol]);
    }
    return th_automaton_build_finish(&b, NULL);
}

static void test_automata(void **state)
{
    (void)state;
    char folder[64], what[32];
    int n = how_many();
    if (!installed())
        skip();
    make_folder(folder, n);
    ThAutomaton **a = th_alloc((size_t)n, sizeof *a, NULL);
    Net net = {open_text(folder, "x.txt"), 1};
    assert_non_null(a);
    arc(&net, 0, 0, "<eps>");
    for (int i = 0; i < n; i++) {
        snprintf(what, sizeof what, "#%d", i);
        arc(&net, 0, net.n_states, what);
        a[i] = random_automaton(i, &net);
    }
    fclose(net.out);
    run(folder, COMPILE "x.txt" DETERMINISTIC ">result");
    Minimal m = read_minimal(folder, n);
    for (int i = 0; i < n; i++) {
        snprintf(what, sizeof what, "automaton %d", i);
        assert_same_minimal(&m, i, a[i], what);
    }
    minimal_free(&m);
    free(a);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_expressions),
                                       cmocka_unit_test(test_operations),
                                       cmocka_unit_test(test_automata)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
