/* test_rasp.c - the language RASP: its values, what is printed, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "rasp/interpret/rasp.h"

/* ---- a host that keeps what is shown --------------------------------------------------------- */

typedef struct {
    ThRasp *rasp;
    ThText shown;
    int failed, defined;
    bool left;
    char refused[32];
} Host;

static bool keep(void *context, const ThRaspShown *shown, ThError *err)
{
    Host *h = context;
    return th_rasp_write(h->rasp, shown, &h->shown, NULL, err);
}

static bool may_define(void *context, const char *name, ThError *err)
{
    const Host *h = context;
    return strcmp(h->refused, name) != 0 || th_fail(err, TH_EVALUE, "taken");
}

static bool defined(void *context, const char *name, const ThRaspValue *v, ThError *err)
{
    Host *h = context;
    (void)name;
    (void)v;
    (void)err;
    h->defined++;
    return true;
}

static void failed(void *context, const char *path, const ThError *err)
{
    Host *h = context;
    (void)path;
    assert_int_not_equal(err->code, TH_OK);
    h->failed++;
}

static void leave(void *context)
{
    Host *h = context;
    h->left = true;
}

static int start(void **state)
{
    Host *h = calloc(1, sizeof *h);
    ThError err = {0};
    ThRaspHost host = {h, keep, may_define, defined, failed, NULL, leave, NULL, NULL};
    h->rasp = th_rasp_new(&host, &err);
    *state = h;
    return h->rasp ? 0 : -1;
}

static int stop(void **state)
{
    Host *h = *state;
    th_rasp_free(h->rasp);
    th_text_free(&h->shown);
    free(h);
    return 0;
}

/* What a text shows: a view until the next one. */
static const char *shown(Host *h, const char *text)
{
    ThError err = {0};
    h->shown.size = 0;
    th_text_add(&h->shown, "");
    if (!th_rasp_execute(h->rasp, text, true, true, NULL, &err))
        fail_msg("%s: %d:%d: %s", text, err.line, err.col, err.msg);
    return h->shown.data ? h->shown.data : "";
}

/* The value alone: what stands behind "= " in the last line. */
static const char *value(Host *h, const char *expression)
{
    char *text = (char *)(uintptr_t)shown(h, expression), *newline = strrchr(text, '\n');
    if (newline)
        *newline = '\0';
    const char *at = strstr(text, " = ");
    assert_non_null(at);
    at += 3;
    return at + strspn(at, " ");
}

static ThError refused(Host *h, const char *text)
{
    ThError err = {0};
    if (th_rasp_execute(h->rasp, text, true, true, NULL, &err))
        fail_msg("accepted: %s", text);
    assert_int_not_equal(err.code, TH_OK);
    assert_true(err.msg[0] && err.line > 0 && err.col > 0);
    return err;
}

typedef struct {
    const char *expression, *value;
} Case;

static void check(Host *h, const Case *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *got = value(h, c[i].expression);
        if (strcmp(got, c[i].value) != 0)
            fail_msg("%s gives %s, not %s", c[i].expression, got, c[i].value);
    }
}

#define CHECK(h, cases) check(h, cases, sizeof(cases) / sizeof *(cases))

/* ---- expressions ----------------------------------------------------------------------------- */

static void precedence_is_the_authors(void **state)
{
    static const Case cases[] = {
        {"2%3*2;", "2"},
        {"2^3^2;", "64"},
        {"-2^2;", "4"},
        {"1+2%2;", "1"},
        {"not 1==2;", "False"},
        {"True or False and False;", "False"},
        {"1 if True else 2 if False else 3;", "3"},
        {"1+2 in [3];", "True"},
        {"7%(0-3);", "-2"},
        {"round(2.5);", "2"},
        {"round(3.5);", "4"},
        {"6/3;", "2.0"},
        {"2^(0-1);", "0.5"},
        {"1 - 2 - 3;", "-4"},
        {"--3;", "3"},
        {"not not 1;", "True"},
        {"1 if 0 else 2;", "2"},
        {"0 or 5;", "5"},
        {"3 and 0;", "0"},
        {"\"ab\"*3;", "\"ababab\""},
        {"\"abc\"+\"d\";", "\"abcd\""},
        {"3 <= 3 == True;", "True"},
    };
    CHECK(*state, cases);
}

static void modern_precedence_is_conventional(void **state)
{
    static const Case cases[] = {
        {"2%3*2;", "4"},
        {"2^3^2;", "512"},
        {"-2^2;", "-4"},
        {"1+2%2;", "1"},
        {"not 1==2;", "True"},
        {"True or False and False;", "True"},
        {"1 if True else 2 if False else 3;", "1"},
        {"2^-1;", "0.5"},
        {"not 1 in [2];", "True"},
        {"-2+3;", "1"},
        {"not True or True;", "True"},
    };
    Host *h = *state;
    size_t n;
    const ThRaspGrammar *g = th_rasp_grammars(&n);
    assert_int_equal(n, 2);
    assert_string_equal(g[1].name, "modern");
    th_rasp_set_grammar(h->rasp, &g[1]);
    CHECK(*state, cases);
}

static void lists_and_dictionaries_are_values(void **state)
{
    static const Case cases[] = {
        {"[1,2]+[3];", "[1, 2, 3]"},
        {"[x*2 for x in range(4)];", "[0, 2, 4, 6]"},
        {"[x+y for x,y in zip([1,2],[3,4])];", "[4, 6]"},
        {"{x: x*x for x in range(3)};", "{0: 0, 1: 1, 2: 4}"},
        {"{\"1\": 1};", "{'1': 1}"},
        {"{1: 2, 1: 3};", "{1: 3}"},
        {"[[1,2],[\"a\",True]][1][0];", "\"a\""},
        {"[5,6,7][0-1];", "7"},
        {"len([1,2,3]);", "3"},
        {"range(2,10,3);", "[2, 5, 8]"},
        {"range(3,0,0-1);", "[3, 2, 1]"},
        {"\"hello\"[1];", "\"e\""},
        {"(1,\"a\");", "(1, 'a')"},
        {"(1,2) == (1,2);", "True"},
        {"2 in [1,2];", "True"},
        {"[];", "[]"},
    };
    CHECK(*state, cases);
}

static void sops_have_the_values_of_the_library(void **state)
{
    static const Case cases[] = {
        {"selector_width(select(tokens,tokens,==));", "[1, 1, 2, 2, 1] (ints)"},
        {"count(tokens,\"l\");", "[2]*5 (ints)"},
        {"max(indices,2);", "[2, 2, 2, 3, 4] (ints)"},
        {"min(indices,2);", "[0, 1, 2, 2, 2] (ints)"},
        {"average(indices);", "[2.0]*5 (floats)"},
        {"shift(tokens,1,\"-\");", "[-, h, e, l, l] (strings)"},
        {"shift(tokens,0-2,\"-\");", "[l, l, o, -, -] (strings)"},
        {"mark_last_instance(tokens,\"l\");", "[F, F, F, T, F] (bools)"},
        {"mark_first_instance(tokens,tokens);", "[T, T, T, F, T] (bools)"},
        {"sort(tokens,tokens);", "[e, h, l, l, o] (strings)"},
        {"sort(tokens,0-indices);", "[o, l, l, e, h] (strings)"},
        {"sort(indices,tokens);", "[1, 0, 2, 3, 4] (ints)"},
        {"tokens[1];", "[e]*5 (strings)"},
        {"tokens[0-1];", "[o]*5 (strings)"},
        {"aggregate(select(indices,indices,<=),indices);", "[0, 0.5, 1.0, 1.5, 2.0] (floats)"},
        {"aggregate(select(indices,indices,<),indices);", "[0, 0, 0.5, 1.0, 1.5] (floats)"},
        {"aggregate(select(indices,indices+1,==),tokens,\"-\");", "[e, l, l, o, -] (strings)"},
        {"aggregate(full_s,indicator(tokens==\"l\"));", "[0.4]*5 (floats)"},
        {"\"A\" if tokens==\"l\" else tokens;", "[h, e, A, A, o] (strings)"},
        {"indices in [0,4];", "[T, F, F, F, T] (bools)"},
        {"\"l\" in tokens;", "[T]*5 (bools)"},
        {"\"x\" in tokens;", "[F]*5 (bools)"},
        {"1/(indices+1);", "[1.0, 0.5, 0.333, 0.25, 0.2] (floats)"},
        {"contains(tokens,\"l\");", "[T]*5 (bools)"},
        {"has_focus(select(tokens,\"e\",==));", "[T]*5 (bools)"},
        {"load_from_location(tokens,length-1-indices);", "[o, l, l, e, h] (strings)"},
        {"aggregate(select_from_last(tokens,\"l\"),indices);", "[3]*5 (ints)"},
        {"aggregate(select_from_first(tokens,\"l\"),indices);", "[2]*5 (ints)"},
        {"{\"h\":1,\"e\":2,\"l\":3,\"o\":4}[tokens];", "[1, 2, 3, 3, 4] (ints)"},
        {"[5,6,7,8,9][indices];", "[5, 6, 7, 8, 9] (ints)"},
        {"tokens(\"αβ§\");", "[α, β, §] (strings)"},
        {"(tokens_int+1)(\"123\");", "[2, 3, 4] (ints)"},
        {"tokens_asis([1,2.5]);", "[1, 2.5] (floats)"},
    };
    CHECK(*state, cases);
}

static void the_causal_dialect_has_its_vectors(void **state)
{
    static const Case cases[] = {
        {"shift_right(x,2);", "[0, 0, 3, 1, 4, 1, 5, 9, 2, 6] (ints)"},
        {"cumsum(x>3);", "[0, 0, 1, 1, 2, 3, 3, 4, 5, 5] (ints)"},
        {"maximum(x);", "[3, 3, 4, 4, 5, 9, 9, 9, 9, 9] (ints)"},
        {"minimum(x);", "[3, 1, 1, 1, 1, 1, 1, 1, 1, 1] (ints)"},
        {"num_prev(x,1);", "[0, 1, 1, 2, 2, 2, 2, 2, 2, 2] (ints)"},
        {"has_seen(x,5);", "[0, 0, 0, 0, 1, 1, 1, 1, 1, 1] (ints)"},
        {"firsts(x,x);", "[0, 1, 2, 1, 4, 5, 6, 7, 4, 0] (ints)"},
        {"lasts(x,1);", "[-1, 1, 1, 3, 3, 3, 3, 3, 3, 3] (ints)"},
        {"sel_width(select(x,x,==,causal));", "[1, 1, 1, 2, 1, 1, 1, 1, 2, 2] (ints)"},
        {"aggr_mean(select(0,0,==,causal),x);", "[3, 2, 2, 2, 2, 3, 3, 3, 4, 3] (ints)"},
        {"aggr_mean(select(0,0,==,causal),0-x);",
         "[-3, -2, -2, -2, -2, -3, -3, -3, -4, -3] (ints)"},
        {"kqv(x,x,indices,equals);", "[0, 1, 2, 2, 4, 5, 6, 7, 6, 4] (ints)"},
        {"kqv(x,x,indices,lambda a, b: a == b);", "[0, 1, 2, 2, 4, 5, 6, 7, 6, 4] (ints)"},
        {"kqv((x,1),(x,1),indices,==);", "[0, 1, 2, 2, 4, 5, 6, 7, 6, 4] (ints)"},
        {"index_select(x,[0,0,1,2,9,4,4,0,8,9][indices]);",
         "[3, 3, 1, 4, 0, 5, 5, 3, 5, 3] (ints)"},
        {"first_true(x>4);", "[-1, -1, -1, -1, 4, 4, 4, 4, 4, 4] (ints)"},
        {"induct(x,x,1);", "[0, 0, 0, 4, 0, 0, 0, 0, 9, 1] (ints)"},
        {"induct(x,1,1);", "[0, 0, 4, 4, 4, 4, 4, 4, 4, 4] (ints)"},
        {"induct_prev(x,5,-1);", "[0, 0, 0, 0, 1, 1, 1, 1, 1, 1] (ints)"},
        {"prefix_fill(x,3,7);", "[7, 7, 7, 1, 5, 9, 2, 6, 5, 3] (ints)"},
        {"where(x>3,x,0);", "[0, 0, 4, 0, 5, 9, 0, 6, 5, 0] (ints)"},
        {"mask(x,x>3,7);", "[7, 7, 4, 7, 5, 9, 7, 6, 5, 7] (ints)"},
        {"where3([0,1,2,0,1,2,0,1,2,0][indices],x,0-x,100);",
         "[3, -1, 100, 1, -5, 100, 2, -6, 100, 3] (ints)"},
        {"argmax([1,3,1,3,2,5,5,0,0,0][indices]);", "[0, 1, 1, 3, 3, 5, 6, 6, 6, 6] (ints)"},
        {"argmin(0-[1,3,1,3,2,5,5,0,0,0][indices]);", "[0, 1, 1, 3, 3, 5, 6, 6, 6, 6] (ints)"},
        {"mode(x);", "[3, 3, 4, 1, 1, 1, 1, 1, 5, 5] (ints)"},
        {"map(lambda a, b: a*10+b, x, indices);",
         "[30, 11, 42, 13, 54, 95, 26, 67, 58, 39] (ints)"},
    };
    shown(*state, "load \"raspl\"; set example [3,1,4,1,5,9,2,6,5,3]\nx = tokens_asis;");
    CHECK(*state, cases);
}

/* ---- names, functions, statements ------------------------------------------------------------ */

static void functions_have_scopes_defaults_and_names(void **state)
{
    static const Case cases[] = {
        {"f(2);", "3"},        {"f(2, 5);", "7"},
        {"f(b=4, a=1);", "5"}, {"fac(20);", "2432902008176640000"},
        {"twice(f, 1);", "3"}, {"pair(1);", "[1, 2]"},
        {"add(3)(4);", "7"},   {"(lambda a, b: a*b)(3, 4);", "12"},
        {"a;", "100"},
    };
    shown(*state, "a = 100; def f(a, b=1) { c = a + b; return c; }"
                  "def fac(n) { return 1 if n == 0 else n*fac(n-1); }"
                  "def twice(g, x) { return g(g(x)); }"
                  "def pair(x) { return x, x+1; }"
                  "def add(x) { def inner(y) { return x + y; } return inner; }");
    CHECK(*state, cases);
    assert_string_equal(shown(*state, "p, q = pair(7);"), "    value: p =  7\n    value: q =  8\n");
    assert_string_equal(shown(*state, "for u, v in zip([1,2],[3,4]) { w = u*v; }"), "");
    assert_string_equal(shown(*state, "w; u;"), "    value: w =  8\n    value: u =  2\n");
}

static void printing_has_the_shapes_of_the_reference(void **state)
{
    Host *h = *state;
    assert_string_equal(shown(h, "length;"), "     s-op: length\n"
                                             " \t Example: length(\"hello\") = [5]*5 (ints)\n");
    assert_string_equal(shown(h, "s = select(tokens, tokens, ==);"),
                        "     selector: s\n \t Example:\n"
                        " \t\t\t     h e l l o\n"
                        " \t\t\t h | 1        \n"
                        " \t\t\t e |   1      \n"
                        " \t\t\t l |     1 1  \n"
                        " \t\t\t l |     1 1  \n"
                        " \t\t\t o |         1\n");
    assert_string_equal(shown(h, "a = 3;"), "    value: a =  3\n");
    assert_string_equal(shown(h, "b = [5, 8];"), "    list: b = [5, 8]\n");
    assert_string_equal(shown(h, "d = {\"1\": 1};"), "    dict: d = {'1': 1}\n");
    assert_string_equal(shown(h, "def f(a, b) { return a; }"), "     console function: f(a, b)\n");
    assert_string_equal(shown(h, "length(\"ab\");"), "\t =  [2]*2 (ints)\n");
    assert_string_equal(shown(h, "\"x\";"), "    value: out =  \"x\"\n");
    assert_string_equal(shown(h, "show example"),
                        "    s-op example: \"hello\"\n    selector example: \"hello\"\n");
    assert_string_equal(shown(h, "set selector example \"ab\"\nshow example"),
                        "    s-op example: \"hello\"\n    selector example: \"ab\"\n");
    assert_string_equal(shown(h, "examples off\nlength;"), "     s-op: length\n");
}

/* ---- values that share their parts ----------------------------------------------------------- */

/* A list of itself twice has, after n turns, 2^n elements to walk and few to keep. */
static void lists_that_share_parts_stay_short_enough_to_write(void **state)
{
    Host *h = *state;
    const char *text = shown(h, "x = [1]; for i in range(18) { x = [x, x]; } x;");
    assert_non_null(strstr(text, "… and "));
    shown(h, "x = [1]; for i in range(8) { x = [x, x]; } d = {\"a\": x};");
    assert_int_equal(refused(h, "for i in range(30) { x = [x, x]; }").code, TH_ELIMIT);
    assert_int_equal(refused(h, "for i in range(30) { d = {\"a\": d, \"b\": d}; }").code,
                     TH_ELIMIT);
    assert_int_equal(refused(h, "x = range(9000000); x = x + x;").code, TH_ELIMIT);
    text = shown(h, "y = [indices]; for i in range(17) { y = [y, y]; } y;");
    assert_non_null(strstr(text, "more elements"));
    assert_in_range(strlen(text), 1 << 20, 3 << 20);
}

static void tuples_that_share_parts_stay_short(void **state)
{
    Host *h = *state;
    shown(h, "t = (1, 1.0); for i in range(12) { t = (t, t); }");
    assert_int_equal(refused(h, "for i in range(30) { t = (t, t); }").code, TH_ELIMIT);
}

static void reading_can_be_stopped(void **state)
{
    volatile sig_atomic_t now = 1;
    const char *text = "x = [1, 2, 3];";
    ThRaspSource src = {.text = text, .n = strlen(text), .line = 1, .col = 1, .stop = &now};
    ThRaspTree t = {0};
    ThError err = {0};
    (void)state;
    assert_false(th_rasp_parse_one(&t, &src, (ThRaspDialect){0}, &err));
    assert_int_equal(err.code, TH_EINTERRUPTED);
    th_rasp_tree_free(&t);
}

/* ---- loading --------------------------------------------------------------------------------- */

static void put(const char *path, const char *text)
{
    ThFile f = {0};
    FILE *out = th_file_begin(&f, path, NULL);
    assert_non_null(out);
    fputs(text, out);
    assert_true(th_file_commit(&f, NULL));
}

static void loading_has_an_environment_of_its_own(void **state)
{
    Host *h = *state;
    put("rasp_test_a.rasp", "_hidden = 3; a = _hidden + 1; load \"rasp_test_b\"; a = a + b; a;\n"
                            "def g(x) { return x + _hidden; }");
    put("rasp_test_b.rasp", "b = 10;");
    shown(h, "a = 1; mine = 5;");
    assert_string_equal(shown(h, "load \"rasp_test_a\";"), "    value: a =  14\n"
                                                           "    value: b =  10\n"
                                                           "     rasp_test_a function: g(x)\n");
    assert_string_equal(value(h, "g(1);"), "4");
    refused(h, "_hidden;");
    put("rasp_test_b.rasp", "b = 11; c = mine; d = ; e = (1; f = 7;\n# nothing\ng = \"x\ni = 9;");
    ThError err = {0};
    h->failed = 0;
    assert_false(th_rasp_load(h->rasp, "rasp_test_b.rasp", NULL, &err));
    assert_int_equal(h->failed, 4);
    assert_string_equal(value(h, "b;"), "10");
    refused(h, "i;");
    put("rasp_test_b.rasp", "load \"rasp_test_b\";");
    err = (ThError){0};
    assert_false(th_rasp_load(h->rasp, "rasp_test_b", NULL, &err));
    remove("rasp_test_a.rasp");
    remove("rasp_test_b.rasp");
}

/* The statements of the prompt stand in files, too, where their lines end them. */
static void files_speak_to_the_prompt(void **state)
{
    static const Case cases[] = {
        {"res;", "[1, 2, 3, 4] (ints)"},
        {"keys;", "['a', 'b']"},
        {"sum;", "3"},
        {"counts;", "{'a': 2, 'b': 2}"},
        {"n;", "2"},
    };
    Host *h = *state;
    put("rasp_test_a.rasp", "set example \"abba\"\nexamples off\nfull seq display on\n"
                            "show example\nselector examples off\nexamples on\n"
                            "full seq display off\nres = indices + 1;\n"
                            "d = {\"a\": 1, \"b\": 2}; keys = [k for k in d]; sum = 0;\n"
                            "for k in d { sum = sum + d[k]; }\n"
                            "counts = {k: 2 for k in d}; n = len(d);\nquit\nneither this");
    ThError err = {0};
    h->shown.size = 0;
    h->failed = 0;
    assert_true(th_rasp_load(h->rasp, "rasp_test_a", NULL, &err));
    assert_non_null(strstr(h->shown.data, "s-op example: \"abba\"\n"));
    assert_int_equal(h->failed, 0);
    assert_false(h->left);
    CHECK(h, cases);
    remove("rasp_test_a.rasp");
}

/* What fails leaves the names, the example and how it is shown as they were. */
static void half_a_file_is_none(void **state)
{
    Host *h = *state;
    shown(h, "res = length;");
    put("rasp_test_a.rasp", "set example \"ab\"\nexamples off\nx = 1\nres = indices;\ny = 2 +;\n"
                            "full seq display on\nz = tokens(\"a\");");
    ThError err = {0};
    h->failed = 0;
    assert_false(th_rasp_load(h->rasp, "rasp_test_a", NULL, &err));
    assert_int_equal(h->failed, 2);
    assert_string_equal(shown(h, "res;"),
                        "     s-op: res\n \t Example: res(\"hello\") = [5]*5 (ints)\n");
    refused(h, "z;");
    err = (ThError){0};
    assert_false(th_rasp_execute(h->rasp, "load \"rasp_test_a\";", true, true, NULL, &err));
    refused(h, "z;");
    remove("rasp_test_a.rasp");
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void bad_statements_change_nothing(void **state)
{
    static const char *const bad[] = {
        "x = ;",
        "(",
        "[1,",
        "{1:}",
        "def f( { }",
        "def f(a) { a = 1; }",
        "for x in {",
        "\"abc",
        "x = 1 +;",
        "3a;",
        "$;",
        "'a';",
        "a ! b;",
        "f(,);",
        "x = 1 2;",
        "return 3;",
        "else;",
        "select(tokens, tokens, +);",
        "select(tokens, tokens);",
        "select(tokens, [1], ==);",
        "aggregate(tokens, tokens);",
        "aggregate(full_s, full_s);",
        "aggregate(full_s, tokens);",
        "tokens + 1;",
        "tokens and full_s;",
        "full_s + full_s;",
        "not [1];",
        "-\"a\";",
        "1 + \"a\";",
        "[1] + 1;",
        "{} + {};",
        "tokens < 1;",
        "indices[tokens];",
        "[1,2][5];",
        "{1:2}[3];",
        "{[1]: 2};",
        "3[0];",
        "3(1);",
        "length(3);",
        "length(\"\");",
        "length([]);",
        "tokens_int;",
        "nothing;",
        "max = 3;",
        "True = 1;",
        "out = 1;",
        "def length(x) { return x; }",
        "def f(max) { return max; }",
        "a, b = 1, 2, 3;",
        "a, b = [1];",
        "a, b = 3;",
        "for x in 3 { y = x; }",
        "for x in tokens { y = x; }",
        "[x for x in tokens];",
        "zip([1],[2,3]);",
        "zip(1);",
        "len(tokens);",
        "range(1,2,0);",
        "range(\"a\");",
        "range(1000000000000);",
        "\"a\"*1000000000000;",
        "2^1000;",
        "9223372036854775807+1;",
        "9223372036854775808;",
        "1/0;",
        "1%0;",
        "10.0^400;",
        "indicator(3);",
        "round(\"a\");",
        "load \"no such file\";",
        "set example 3",
        "set example \"\"",
        "set example [1,\"a\"]",
        "draw(3);",
        "draw(length, 3);",
        "full seq display maybe",
        "examples maybe",
        "map(3, tokens);",
        "map(len, 3);",
        "tok_map(tokens, lambda t: [t]);",
        "tok_map(tokens, lambda t: length);",
        "tok_map(indices, lambda t: 1/t);",
        "select(tokens, tokens, ==, 3);",
        "aggregate(full_s, indices, 0, median);",
        "def f(x) { return f(x); } f(1);",
        "(lambda x: x)(1, 2);",
        "(lambda x: x)(y=2);",
        "1 if full_s else 2;",
        "1 if tokens == \"l\" else \"a\";",
        "3 in 4;",
        "[1] in [2];",
        "for i in range(3) { x = 10 / (2 - i); }",
    };
    Host *h = *state;
    shown(h, "x = 1;");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refused(h, bad[i]);
        assert_string_equal(value(h, "x;"), "1");
    }
    strcpy(h->refused, "taken");
    refused(h, "taken = 3;");
    assert_string_equal(value(h, "length;"), "[5]*5 (ints)");
}

static void errors_say_where(void **state)
{
    ThError err = refused(*state, "a = 1;\n  b = a +\n    nothing;");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.col, 5);
    err = refused(*state, "x = tokens + indices;");
    assert_int_equal(err.col, 12);
    err = refused(*state, "lenght;");
    assert_string_equal(err.hint, "did you mean length?");
}

static void deep_and_large_programs_end(void **state)
{
    static const char *const open[] = {"(",   "[",     "-(",         "f(",          "1 if ",
                                       "{1:", "not (", "lambda x: ", "for i in x {"};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        ThText t = {0};
        for (int k = 0; k < 100000; k++)
            th_text_add(&t, open[i]);
        th_text_add(&t, ";");
        refused(*state, t.data);
        th_text_free(&t);
    }
    ThText t = {0};
    for (int k = 0; k < 20000; k++)
        th_text_add(&t, k ? "+1" : "y = indices");
    th_text_add(&t, ";");
    assert_true(strlen(shown(*state, t.data)) > 0);
    assert_string_equal(value(*state, "y;"), "[19999, 20000, 20001, 20002, 20003] (ints)");
    t.size = 0;
    for (int k = 0; k < 20000; k++)
        th_text_add(&t, k ? " if 1 else 3" : "z = 2");
    th_text_add(&t, ";");
    shown(*state, t.data);
    assert_string_equal(value(*state, "z;"), "2");
    t.size = 0;
    for (int k = 0; k < 20000; k++)
        th_text_add(&t, "-");
    th_text_add(&t, "1;");
    assert_string_equal(value(*state, t.data), "1");
    th_text_free(&t);
    shown(*state, "l = []; for i in range(50) { l = [l]; }");
    refused(*state, "for i in range(200) { l = [l]; }");
}

static void hosts_hear_of_names_and_of_leaving(void **state)
{
    Host *h = *state;
    h->defined = 0;
    shown(h, "a, b = 1, 2; def f(x) { return x; } 3;");
    assert_int_equal(h->defined, 3);
    shown(h, "quit()");
    assert_true(h->left);
}

/* The parser goes on after an error until it comes to its end: only the first error counts. */
static void the_first_error_of_a_text_is_told(void **state)
{
    static const struct {
        const char *text, *told;
    } bad[] = {
        {"def (x) { return x; }", "1:5: expected the name of a function before '('"},
        {"def f x", "1:7: expected '(' before 'x'"},
        {"def f(1) {}", "1:7: expected a name before '1'"},
        {"def f(a=1, b) { return a; }",
         "1:12: a parameter without a default cannot follow one that has one"},
        {"def f(a) { x = 1; }",
         "1:19: expected return before '}'; a function ends with return VALUE;"},
        {"def f(a) { return a }", "1:21: expected ';' before '}'"},
        {"def f(a) { return a; x", "1:22: expected '}' before 'x'"},
        {"for in y {}", "1:5: expected a name before 'in'"},
        {"for x of y {}", "1:7: expected in before 'of'"},
        {"for x, in y {}", "1:8: expected a name before 'in'"},
        {"a, 1 = 2;", "1:2: expected ';' before ','"},
        {"x = ;", "1:5: expected an expression before ';'"},
        {"load x;", "1:6: expected a file name in quotes before 'x'"},
        {"draw x;", "1:6: expected ';' before 'x'"},
        {"f(a,);", "1:5: expected an argument before ')'"},
        {"f(==, );", "1:7: expected an argument before ')'"},
        {"f(x=);", "1:5: expected an expression before ')'"},
        {"[1, 2", "1:6: expected ',' or ']' at the end"},
        {"[x for 1 in y];", "1:8: expected a name before '1'"},
        {"[x for x on y];", "1:10: expected in before 'on'"},
        {"{1};", "1:3: expected ':' before '}'"},
        {"{1: 2 3};", "1:7: expected ',' or '}' before '3'"},
        {"a[1;", "1:4: expected ']' before ';'"},
        {"(a, b;", "1:6: expected ')' before ';'"},
        {"a if b;", "1:7: expected else before ';'"},
        {"a if b else;", "1:12: expected an expression before ';'"},
        {"set s-op exampl 1", "1:10: expected example before 'exampl'"},
        {"s-op example on", "1:6: expected examples before 'example'"},
        {"full seq displa on", "1:10: expected display before 'displa'"},
        {"examples maybe", "1:10: expected on or off before 'maybe'"},
        {"quit(1)", "1:6: expected ')' before '1'"},
        {"lambda x x;", "1:10: expected ':' before 'x'"},
        {"not ;", "1:5: expected an expression before ';'"},
        {"1 + ;", "1:5: expected an expression before ';'"},
        {"\"a", "1:1: this string is not closed at the end of its line"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ThRaspTree t = {0};
        ThError err = {0};
        char told[800];
        assert_false(th_rasp_parse(&t, bad[i].text, strlen(bad[i].text),
                                   (ThRaspDialect){.prompt = true}, &err));
        snprintf(told, sizeof told, "%d:%d: %s%s%s", err.line, err.col, err.msg,
                 *err.hint ? "; " : "", err.hint);
        assert_string_equal(told, bad[i].told);
        th_rasp_tree_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(precedence_is_the_authors, start, stop),
        cmocka_unit_test_setup_teardown(modern_precedence_is_conventional, start, stop),
        cmocka_unit_test_setup_teardown(lists_and_dictionaries_are_values, start, stop),
        cmocka_unit_test_setup_teardown(lists_that_share_parts_stay_short_enough_to_write, start,
                                        stop),
        cmocka_unit_test_setup_teardown(tuples_that_share_parts_stay_short, start, stop),
        cmocka_unit_test(reading_can_be_stopped),
        cmocka_unit_test(the_first_error_of_a_text_is_told),
        cmocka_unit_test_setup_teardown(sops_have_the_values_of_the_library, start, stop),
        cmocka_unit_test_setup_teardown(the_causal_dialect_has_its_vectors, start, stop),
        cmocka_unit_test_setup_teardown(functions_have_scopes_defaults_and_names, start, stop),
        cmocka_unit_test_setup_teardown(printing_has_the_shapes_of_the_reference, start, stop),
        cmocka_unit_test_setup_teardown(loading_has_an_environment_of_its_own, start, stop),
        cmocka_unit_test_setup_teardown(files_speak_to_the_prompt, start, stop),
        cmocka_unit_test_setup_teardown(half_a_file_is_none, start, stop),
        cmocka_unit_test_setup_teardown(bad_statements_change_nothing, start, stop),
        cmocka_unit_test_setup_teardown(errors_say_where, start, stop),
        cmocka_unit_test_setup_teardown(deep_and_large_programs_end, start, stop),
        cmocka_unit_test_setup_teardown(hosts_hear_of_names_and_of_leaving, start, stop),
    };
    return cmocka_run_group_tests_name("rasp", tests, NULL, NULL);
}
