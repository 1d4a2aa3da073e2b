/* test_rasp_save.c - what is saved is what there is: random programs, saved under one grammar and
 * loaded under another, have the same values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rasp/interpret/rasp.h"

#include "rasp_random.h"

enum { MOST_NAMES = 64 };

typedef struct {
    ThRasp *rasp;
    char name[MOST_NAMES][16]; /* in order of definition */
    size_t n;
} Session;

static bool defined(void *context, const char *name, const ThRaspValue *v, ThError *err)
{
    Session *s = context;
    (void)v;
    (void)err;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->name[i], name) == 0)
            return true;
    assert_true(s->n < MOST_NAMES && strlen(name) < sizeof s->name[0]);
    strcpy(s->name[s->n++], name);
    return true;
}

static void failed(void *context, const char *path, const ThError *err)
{
    (void)context;
    print_error("%s:%d:%d: %s\n", path, err->line, err->col, err->msg);
}

static void begin(Session *s, size_t grammar)
{
    size_t n;
    ThError err = {0};
    ThRaspHost host = {.context = s, .defined = defined, .failed = failed};
    *s = (Session){0};
    s->rasp = th_rasp_new(&host, &err);
    assert_non_null(s->rasp);
    const ThRaspGrammar *grammars = th_rasp_grammars(&n);
    th_rasp_set_grammar(s->rasp, &grammars[grammar % n]);
}

static char *saved(Session *s, const char *only)
{
    const char *name[MOST_NAMES];
    ThText t = {0};
    ThError err = {0};
    for (size_t i = 0; i < s->n; i++)
        name[i] = s->name[i];
    if (!th_rasp_save(s->rasp, only ? &only : name, only ? 1 : s->n, &t, &err))
        fail_msg("%s", err.msg);
    th_text_add(&t, "");
    return th_text_take(&t, NULL);
}

static void load(Session *s, const char *text)
{
    ThError err = {0};
    if (!th_rasp_load_text(s->rasp, "saved", text, NULL, &err))
        fail_msg("%s\n%s", err.msg, text);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* What an s-op or selector gives on an input, or its error. */
static void write_run(ThRasp *r, const ThRaspValue *v, const char *input, ThText *t)
{
    ThError err = {0};
    ThRaspRun *run = th_rasp_run_on_text(r, input, &err);
    const ThRaspSeq *q = NULL;
    if (v->kind == TH_RASP_VALUE_SELECTOR)
        th_rasp_write_grid(r, run, v->as.sop, t, NULL, &err);
    else if ((q = th_rasp_run_value(run, v->as.sop, NULL, &err)) != NULL)
        th_rasp_write_sequence(r, q, t);
    th_text_printf(t, "%s\n", err.msg);
    th_rasp_run_free(run);
}

static void write_call(ThRasp *r, const char *name, const char *arguments, ThText *t)
{
    char text[64];
    ThRaspValue v;
    ThError err = {0};
    snprintf(text, sizeof text, "%s%s", name, arguments);
    if (!th_rasp_evaluate(r, text, &v, NULL, &err))
        th_text_add(t, "no value\n");
    else if (v.kind == TH_RASP_VALUE_SOP || v.kind == TH_RASP_VALUE_SELECTOR)
        write_run(r, &v, "abca", t);
    else if (v.kind == TH_RASP_VALUE_ATOM)
        th_rasp_write_value(r, &v, t);
}

static void write_value(ThRasp *r, const char *name, const ThRaspValue *v, ThText *t)
{
    th_text_printf(t, "%s: %s\n", name, th_rasp_kind_name(v));
    if (v->kind == TH_RASP_VALUE_SOP || v->kind == TH_RASP_VALUE_SELECTOR) {
        write_run(r, v, "hello", t);
        write_run(r, v, "abbacab", t);
        write_run(r, v, "b", t);
    } else if (v->kind == TH_RASP_VALUE_FUNCTION) {
        write_call(r, name, "(2)", t);
        write_call(r, name, "(0-3, 2)", t);
        write_call(r, name, "(indices)", t);
    } else if (v->kind == TH_RASP_VALUE_LIST) {
        char element[48];
        for (size_t i = 0; i < th_rasp_length(v); i++) {
            snprintf(element, sizeof element, "%.16s[%zu]", name, i);
            write_call(r, element, "", t);
        }
    } else {
        th_rasp_write_value(r, v, t);
    }
}

static void compare(const Session *a, const Session *b, const char *name, const char *text)
{
    ThText x = {0}, y = {0};
    ThRaspValue v, w;
    assert_true(th_rasp_lookup(a->rasp, name, &v));
    if (!th_rasp_lookup(b->rasp, name, &w))
        fail_msg("%s is missing:\n%s", name, text);
    write_value(a->rasp, name, &v, &x);
    assert_true(th_rasp_lookup(b->rasp, name, &w));
    write_value(b->rasp, name, &w, &y);
    if (strcmp(x.data, y.data) != 0)
        fail_msg("%s\nis not\n%s\n%s", y.data, x.data, text);
    th_text_free(&x);
    th_text_free(&y);
}

/* All names together, then each by itself, go through a file into another session. */
static void comes_back(Session *s, size_t grammar)
{
    for (size_t k = 0; k <= s->n; k++) {
        Session other;
        const char *only = k < s->n ? s->name[k] : NULL;
        begin(&other, grammar);
        char *text = saved(s, only);
        load(&other, text);
        for (size_t i = 0; i < s->n; i++)
            if (!only || i == k)
                compare(s, &other, s->name[i], text);
        free(text);
        th_rasp_free(other.rasp);
    }
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static void random_graphs_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        Session s;
        ThError err = {0};
        begin(&s, 0);
        Fight f = {.g = th_rasp_graph(s.rasp), .rng = th_rng(seed, "graph", 0), .tables = true};
        for (int k = 0; k < 40; k++) {
            char name[8];
            ThRaspSop node = random_node(&f);
            ThRaspRun *run = th_rasp_example_run(s.rasp, TH_RASP_FOR_SOPS);
            if (node != TH_RASP_NO_SOP && !th_rasp_run_check(run, node, NULL, NULL))
                th_rasp_rewind(f.g, node);
            else if (node != TH_RASP_NO_SOP && k % 4 == 3) {
                bool selector = th_rasp_is_selector(f.g, node);
                ThRaspValue v = {selector ? TH_RASP_VALUE_SELECTOR : TH_RASP_VALUE_SOP,
                                 {.sop = node}};
                snprintf(name, sizeof name, "v%d", k);
                assert_true(th_rasp_define(s.rasp, name, &v, &err) && defined(&s, name, &v, &err));
            }
        }
        comes_back(&s, seed);
        th_rasp_free(s.rasp);
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

typedef struct {
    ThRng rng;
    ThText t;
} Author;

static size_t roll(Author *a, size_t n)
{
    return (size_t)th_rng_below(&a->rng, n);
}

static void say(Author *a, const char *words)
{
    size_t n = 1;
    for (const char *c = words; *c; c++)
        n += *c == '|';
    for (size_t i = roll(a, n); i > 0; i--)
        words = strchr(words, '|') + 1;
    th_text_add_bytes(&a->t, words, strcspn(words, "|"));
}

static void expression(Author *a, int depth);

static void selection(Author *a, int depth)
{
    size_t what = depth > 0 ? roll(a, 6) : 5;
    if (what == 5) {
        say(a, "s|select(tokens, tokens, ==)|full_s");
    } else if (what == 4) {
        th_text_add(&a->t, "not ");
        selection(a, depth - 1);
    } else if (what == 3) {
        th_text_add(&a->t, "(");
        selection(a, depth - 1);
        say(a, " and | or ");
        selection(a, depth - 1);
        th_text_add(&a->t, ")");
    } else {
        th_text_add(&a->t, "select(");
        expression(a, depth - 1);
        th_text_add(&a->t, ", ");
        expression(a, depth - 1);
        say(a, ", ==)|, <)|, >=, causal)|, lambda x, y: x == y + m)");
    }
}

static void call(Author *a, int depth)
{
    say(a, "f(|g(|h(|round(|-|not |map(lambda p: p*2-m^2, |map(h, |map(f, |indicator(0 < |"
           "[3, 1, 2][1 if 2 > ");
    bool open = a->t.data[a->t.size - 1] != '-' && a->t.data[a->t.size - 1] != ' ';
    size_t list = a->t.size >= 9 && strcmp(a->t.data + a->t.size - 9, "1 if 2 > ") == 0;
    bool more = strcmp(a->t.data + a->t.size - 2, ", ") == 0 ||
                (a->t.size > 4 && strcmp(a->t.data + a->t.size - 4, "0 < ") == 0);
    expression(a, depth - 1);
    if (list)
        th_text_add(&a->t, " else 0]");
    else if (open || more)
        th_text_add(&a->t, ")");
}

static void expression(Author *a, int depth)
{
    size_t what = depth > 0 ? roll(a, 8) : 7;
    if (what == 7) {
        say(a, "0|1|2|a|b|c|m|indices|length|tokens|a|b|l[0]|1.5|\"a\"");
    } else if (what == 6) {
        call(a, depth);
    } else if (what == 5) {
        say(a, "aggregate(|aggregate(|selector_width(");
        bool width = a->t.data[a->t.size - 2] == 'h';
        selection(a, depth - 1);
        if (!width) {
            th_text_add(&a->t, ", ");
            expression(a, depth - 1);
            say(a, "|, 7|, 0, max|, (-1), min");
        }
        th_text_add(&a->t, ")");
    } else if (what == 4) {
        expression(a, depth - 1);
        th_text_add(&a->t, " if ");
        expression(a, depth - 1);
        th_text_add(&a->t, " else ");
        expression(a, depth - 1);
    } else {
        bool bracket = roll(a, 2);
        th_text_add(&a->t, bracket ? "(" : "");
        expression(a, depth - 1);
        say(a, " + | + | - | * | == | < | and | or | % | ^ ");
        expression(a, depth - 1);
        th_text_add(&a->t, bracket ? ")" : "");
    }
}

static void statement(Author *a)
{
    say(a, "a = |b = |c = |a = a + |m = |m = |s = |for i in range(3) { b = b + i * |"
           "def f(x, y=2) { z = x - |def g(x) { for j in [1, 2] { x = x + j * |l = [3, f, s, |"
           "h = |h = make(|d, a = b, ");
    const char *tail = strrchr(a->t.data, '\n');
    const char *line = tail ? tail + 1 : a->t.data;
    if (strncmp(line, "m =", 3) == 0)
        say(a, "1|2|3");
    else if (strncmp(line, "s =", 3) == 0)
        selection(a, 2);
    else if (strcmp(line, "h = ") == 0)
        say(a, "lambda p: p + m|lambda p, q=m: p * q - 1|f|make(m)|sort|lambda p: not p == 1");
    else
        expression(a, 3);
    line = (tail = strrchr(a->t.data, '\n')) ? tail + 1 : a->t.data;
    if (strncmp(line, "for", 3) == 0)
        th_text_add(&a->t, "; }");
    else if (strncmp(line, "def f", 5) == 0)
        th_text_add(&a->t, "; return z * y; }");
    else if (strncmp(line, "def g", 5) == 0)
        th_text_add(&a->t, "; } return x; }");
    else
        th_text_add(&a->t, *line == 'l' ? "];" : strncmp(line, "h = make(", 9) ? ";" : ");");
    th_text_add(&a->t, "\n");
}

static const char beginning[] =
    "a = indices; b = indices * 2; c = tokens == \"a\"; m = 1; s = select(indices, a, <);\n"
    "def make(n) { k = n * 2; def add(x) { return x + k if x > 0 else add(x + 1); } return add; }\n"
    "def f(x) { return x; } def g(x) { return f(x) + m; } h = make(3); l = [1];\n";

static size_t random_program(uint64_t seed)
{
    Session s;
    ThError err = {0};
    Author a = {.rng = th_rng(seed, "program", 0)};
    size_t good = 0;
    begin(&s, seed);
    assert_true(th_rasp_execute(s.rasp, beginning, true, true, NULL, &err));
    for (int i = 0; i < 30; i++) {
        err = (ThError){0};
        a.t.size = 0;
        th_text_add(&a.t, "");
        statement(&a);
        good += th_rasp_execute(s.rasp, a.t.data, true, true, NULL, &err);
    }
    comes_back(&s, seed / 2);
    th_text_free(&a.t);
    th_rasp_free(s.rasp);
    return good;
}

static void random_programs_come_back(void **state)
{
    (void)state;
    size_t good = 0;
    for (uint64_t seed = 1; seed <= 24; seed++)
        good += random_program(seed);
    assert_true(good > 200);
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void programs_come_back(void **state)
{
    static const char *const programs[] = {
        "x = indices; x = x + 1;",
        "x = 0; for i in range(5) { x = x + indices * i; }",
        "m = 3; x = indices + m; m = 4;",
        "def f(q) { return q + 1; } x = f(indices); def f(q) { return q + 2; }",
        "tokens = tokens_str; x = tokens + \"!\";",
        "x = full(tokens, 3); y = x + full(tokens, 1); z = [x, 1 if full(tokens, True) else 2];",
        "x = 9223372036854775807; y = 0 - x - 1; z = 0.1 + 0.2; w = 0.0 * (0-1); v = 2.0^(0-1070);",
        "x = (1, (2, \"a\")); y = {\"a\": [1, indices], 2: {}}; z = []; w = [True, 1.0];",
        "x = tokens(\"abca\"); y = select(tokens, tokens, ==)(\"aba\"); z = indices([1, 2.5]);",
        ("def make(n) { def even(x) { return True if x == 0 else odd(x - 1); }"
         " def odd(x) { return n == 5 if x == 0 else even(x - 1); } return [even, odd]; }"
         "x, y = make(5); f = y; z = map(x, indices);"),
        ("def twice(f) { return lambda x: f(f(x)); } x = twice(twice(lambda x: x * 3));"
         " y = map(x, indices);"),
        "x = indices * 2; y = [x, x + 1, lambda q: q, select(x, x, <)]; z = [y, y];",
        "load \"raspl\"; x = cumsum(tokens == \"l\"); y = cumsum; z = where;",
        "f = sort; x = f(tokens, indices); y = equals; z = map(round, indices / 2);",
        "x = tokens == \"a\"; for i in range(300) { x = not x == True; }",
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof programs / sizeof *programs; i++) {
        Session s;
        ThError err = {0};
        begin(&s, i);
        if (!th_rasp_execute(s.rasp, programs[i / 2], true, true, NULL, &err))
            fail_msg("%s: %s", programs[i / 2], err.msg);
        comes_back(&s, i + 1);
        th_rasp_free(s.rasp);
    }
}

static void examples_come_with_what_needs_them(void **state)
{
    Session s, other;
    ThError err = {0};
    (void)state;
    begin(&s, 0);
    assert_true(th_rasp_execute(s.rasp, "set example \"123\"\nx = tokens_int + 1;", true, true,
                                NULL, &err));
    char *text = saved(&s, NULL);
    begin(&other, 0);
    assert_string_equal(text, "set s-op example \"123\"\nx = tokens_int + 1;\n");
    load(&other, text);
    compare(&s, &other, "x", text);
    free(text);
    th_rasp_free(s.rasp);
    th_rasp_free(other.rasp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_come_back),
        cmocka_unit_test(random_programs_come_back),
        cmocka_unit_test(programs_come_back),
        cmocka_unit_test(examples_come_with_what_needs_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
