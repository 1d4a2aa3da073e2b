/* Which lines are RASP's and which are commands: the table of verdicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "language/statement_kind.h"
#include "shell.h"

static void check(const char *const *line, size_t n, bool rasp)
{
    for (size_t i = 0; i < n; i++)
        if (sh_shape_is_rasp(line[i], strlen(line[i])) != rasp)
            fail_msg("%s: taken for %s", line[i], rasp ? "a command" : "RASP");
}

#define CHECK(lines, rasp) check(lines, sizeof(lines) / sizeof *(lines), rasp)

static void assignments(void **state)
{
    (void)state;
    static const char *const rasp[] = {
        "x = 3",          "x=3",          "x\t= 3;",       "x =",           "x =\n  3;",
        "_a1 = [1, 2]",   "größe = 3",    "x = y = 3",     "a, b = 1, 2",   "a,b = b,a",
        "words = [1, 2]", "words=[1, 2]", "task = 3",      "automaton = 3", "exit = 1",
        "plot = 2",       "x = a == b",   "x = \"# ; {\"", "seed=3"};
    CHECK(rasp, true);
}

static void definitions_are_commands(void **state)
{
    (void)state;
    static const char *const commands[] = {"automaton a = regex \"x*\"",
                                           "automaton p {\n  start s\n}",
                                           "task t = parity",
                                           "model m = lstm dim=4",
                                           "machine m = \"1RB1LB_1LA1RZ\"",
                                           "automaton größe = parity",
                                           "scratchpad addition digits=2",
                                           "plot loss m",
                                           "train m on t steps=3",
                                           "set seed=3",
                                           "set seed 3",
                                           "set",
                                           "set examples 3",
                                           "show x",
                                           "show x;",
                                           "show examples",
                                           "show example2",
                                           "load \"x.rasp\"",
                                           "load \"x.rasp\";"};
    CHECK(commands, false);
}

static void literals_and_brackets(void **state)
{
    (void)state;
    static const char *const rasp[] = {"3",
                                       "1.5;",
                                       "\"a\" + \"b\"",
                                       "\"open",
                                       "(a+b)(\"hi\")",
                                       "(",
                                       "[1, 2][0]",
                                       "{\"a\": 1}[\"a\"]",
                                       "-1",
                                       "- x",
                                       "+x",
                                       "-2^2; not 1 == 2",
                                       "(\n1)"};
    CHECK(rasp, true);
    static const char *const commands[] = {
        "",  ".5", "!ls", "# a = 3", ")",  "= 3",           "> \"file\"",
        "*", "$x", "\\",  "'a' = 3", "~a", "\xe2\x88\x80 x"};
    CHECK(commands, false);
}

static void words_of_rasp(void **state)
{
    (void)state;
    static const char *const rasp[] = {"def f(x) { return x; }",
                                       "def f(x)\n{",
                                       "not a",
                                       "not(a)",
                                       "not",
                                       "lambda x: x",
                                       "set example \"x\"",
                                       "set  example [1, 2]",
                                       "set s-op example \"x\"",
                                       "set selector example \"x\"",
                                       "set example",
                                       "show example",
                                       "show example;",
                                       "show s-op example",
                                       "show selector example",
                                       "examples on",
                                       "examples off;",
                                       "s-op examples off",
                                       "selector examples on",
                                       "full seq display on",
                                       "draw(hist, \"abc\")",
                                       "draw (hist)"};
    CHECK(rasp, true);
    static const char *const commands[] = {
        "define x",  "forall x",   "iffy", "nothing",
        "notify me", "draw hist",  "draw", "for x in [1, 2] { y = x; }",
        "for",       "if x > 1 {", "if",   "if (x) > 1 {",
        "examples",  "examples 3", "full", "fuller seq",
        "return x;", "else x",     "and x"};
    CHECK(commands, false);
}

static void names_and_operators(void **state)
{
    (void)state;
    static const char *const rasp[] = {
        "x;",      "x ;",    "quit2;",        "hist(\"abaca\")", "hist (x)",
        "s[3]",    "s [3]",  "f(\n",          "x == y",          "x==y",
        "x != y",  "x!=y",   "x <= y",        "x > 3",           "x > \"file\"",
        "x >= 3;", "x + 1",  "x -1",          "x - 1",           "x-1",
        "x * y",   "x / y",  "x % 2",         "x ^ 2",           "a and b",
        "a or b",  "a in b", "a if b else c", "a and",           "a if",
        "a in\tb", "True;",  "größe;",        "größe + 1",       "p(3)"};
    CHECK(rasp, true);
    static const char *const commands[] = {
        "x",         "x  ",        "x # a comment;", "x\n= 3",  "x\r\n",
        "größe",     "x y",        "x y = 3",        "x \"y\"", "x {",
        "x.y = 3",   "x'",         "x ! y",          "x: 3",    "x 3",
        "x android", "x inside y", "x \\\n + 1",     "nonsense"};
    CHECK(commands, false);
}

static void words_of_commands(void **state)
{
    (void)state;
    static const char *const commands[] = {"quit",
                                           "quit;",
                                           "exit;",
                                           "list;",
                                           "list ; pwd",
                                           "words;",
                                           "words",
                                           "plot;",
                                           "trace;",
                                           "words p",
                                           "words > \"file\"",
                                           "list > x",
                                           "list>x",
                                           "list >> x",
                                           "help if",
                                           "help in",
                                           "help and",
                                           "echo - 1",
                                           "echo (a)",
                                           "echo [a]",
                                           "echo == x",
                                           "echo , a",
                                           "echo * a",
                                           "assert -1 < 2",
                                           "assert (x) > 1",
                                           "compare (a & b) c",
                                           "time 1 + 1",
                                           "echo\"x\"",
                                           "wordsmith"};
    CHECK(commands, false);
    static const char *const rasp[] = {
        "quit()",    "exit()",  "words[0]", "words[0] + 1", "count(tokens, \"l\")",
        "words+1",   "words-1", "words==x", "words!=x",     "count,b = 1, 2",
        "wordsmith;"};
    CHECK(rasp, true);
}

/* A text may go on behind its n bytes, as it does before a cursor. */
static void only_n_bytes_count(void **state)
{
    (void)state;
    assert_false(sh_shape_is_rasp("x = 3", 1));
    assert_false(sh_shape_is_rasp("x = 3", 2));
    assert_true(sh_shape_is_rasp("x = 3", 3));
    assert_true(sh_shape_is_rasp("x == 3", 4));
    assert_false(sh_shape_is_rasp("x != 3", 3));
    assert_false(sh_shape_is_rasp("words == 3", 8));
    assert_false(sh_shape_is_rasp("show example", 11));
    assert_false(sh_shape_is_rasp("x and y", 4));
    assert_false(sh_shape_is_rasp("x\0;", 3));
    assert_false(sh_shape_is_rasp("3", 0));
}

/* The shell reads all of it, and starts RASP for what is RASP's, or for a name that it looks up. */
static void commands_do_not_start_rasp(void **state)
{
    (void)state;
    ShSession *s = sh_session_new(NULL);
    s->out.stream = fopen("/dev/null", "w");
    s->keep_going = true;
    assert_true(
        sh_shell_text(s, "echo hi; automaton p = parity; run p abba\nset seed 3", "<test>"));
    assert_true(
        sh_shell_text(s, "automaton q {\nstart a\na x -> a\n}\ncount p length=2", "<test>"));
    assert_null(s->rasp);
    assert_true(sh_shell_text(s, "a = 1; a\ntokens", "<test>"));
    assert_non_null(s->rasp);
    fclose(s->out.stream);
    sh_session_free(s);
}

/* The lexer needs no session at all. */
static void statements_are_tokens_with_trees(void **state)
{
    (void)state;
    static const char first_line[] = "echo a; x = \"; #\"; time time f(2)\n";
    static const char second_line[] = "for i in l { y = i; }; x;";
    const ThRaspDialect dialect = {.lines = true, .prompt = true};
    ShLexer lx = {.rasp = &dialect};
    ThError err = {0};
    sh_lex_begin(&lx, 7);
    assert_true(sh_lex(&lx, first_line, strlen(first_line), &err));
    assert_true(sh_lex(&lx, second_line, strlen(second_line), &err));
    static const char types[] = {T_WORD, T_WORD, T_END,  T_RASP, T_END, T_WORD, T_WORD, T_RASP,
                                 T_END,  T_END,  T_RASP, T_END,  T_END, T_RASP, T_END};
    assert_int_equal(lx.n, sizeof types);
    for (size_t i = 0; i < lx.n; i++)
        assert_int_equal(lx.token[i].type, types[i]);
    assert_int_equal(lx.n_trees, 4);
    const ShToken *loop = &lx.token[10];
    assert_string_equal(lx.text.data + loop->end, "; x;");
    const ThRaspTree *tree = &lx.tree[loop->value];
    const ThRaspNode *first = &tree->node[tree->node[tree->root].first];
    assert_int_equal(first->kind, TH_RASP_R_FOR);
    assert_int_equal(first->line, 8);
    assert_int_equal(lx.token[13].col, 24);
    sh_lex_free(&lx);
}

static void open_statements_continue(void **state)
{
    (void)state;
    static const char *const line[] = {"echo a; x =\n", "  (1\n", " + 2)\n"};
    const ThRaspDialect dialect = {.lines = true, .prompt = true};
    ShLexer lx = {.rasp = &dialect};
    sh_lex_begin(&lx, 1);
    for (size_t i = 0; i < 3; i++) {
        ThError err = {0};
        assert_int_equal(sh_lex(&lx, line[i], strlen(line[i]), &err), i == 2);
        assert_int_equal(err.code, i == 2 ? TH_OK : TH_EINCOMPLETE);
    }
    assert_int_equal(lx.n_trees, 1);
    assert_int_equal(lx.token[3].type, T_RASP);
    assert_int_equal(lx.line, 4);
    sh_lex_free(&lx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assignments),
        cmocka_unit_test(definitions_are_commands),
        cmocka_unit_test(literals_and_brackets),
        cmocka_unit_test(words_of_rasp),
        cmocka_unit_test(names_and_operators),
        cmocka_unit_test(words_of_commands),
        cmocka_unit_test(only_n_bytes_count),
        cmocka_unit_test(commands_do_not_start_rasp),
        cmocka_unit_test(statements_are_tokens_with_trees),
        cmocka_unit_test(open_statements_continue),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
