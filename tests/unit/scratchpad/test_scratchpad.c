/* test_scratchpad.c - what scratchpads are written: the published examples character by character,
 * and random ones against big-number arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <gmp.h>

#include "base/file.h"
#include "formats/data/dataset.h"
#include "given.h"
#include "scratchpad/scratchpad.h"
#include "scratchpad/write_sgd.h"

static void written(const ThPad *p, const char *x, const char *y, ThPadExample *e)
{
    ThError err = {0};
    ThRng r = th_rng(1, "test", 0);
    const char *operand[2] = {x, y};
    ThPadOperands o = {operand, y ? 2 : 1, 0};
    if (!th_pad_write(p, &o, &r, e, &err))
        print_error("%s\n", err.msg);
    assert_int_equal(err.code, TH_OK);
}

/* ---- published examples ---------------------------------------------------------------------- */

typedef struct {
    const char *kind, *settings, *x, *y, *text;
} Published;

static const Published published[] = {
    {"addition", "", "4324", "139",
     "4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^(0,4463)|4463"},
    {"addition", "", "99", "1", "99+1|9j+b(1,0)|j+^(1,00)|^+^(0,100)|100"},
    {"addition", "", "5", "5", "5+5|f+f(1,0)|^+^(0,10)|10"},
    {"addition", "", "07", "3", "07+3|0h+d(1,0)|a+^(0,10)|10"},
    {"addition", "", "12", "3456", "12+3456|1c+345g(0,8)|b+34f(0,68)|^+3e(0,468)|^+d(0,3468)|3468"},
    {"addition", "", "999", "999", "999+999|99j+99j(1,8)|9j+9j(1,98)|j+j(1,998)|^+^(0,1998)|1998"},
    {"addition", "", "1234567", "89",
     "1234567+89|123456h+8j(1,6)|12345g+i(1,56)|1234f+^(0,656)|123e+^(0,4656)|12d+^(0,34656)|"
     "1c+^(0,234656)|b+^(0,1234656)|1234656"},
    {"addition", "", "0", "0", "0+0|a+a(0,0)|0"},
    {"addition", "final-carry=fold", "99", "1", "99+1|9j+b(1,0)|j+^(1,00)|100"},
    {"addition", "style=plain", "576", "361", "576+361=937"},
    {"addition", "style=reversed", "576", "361", "675+163=739"},
    {"addition", "style=hints", "576", "361", "a5b7c6+a3b6c1=a9b3c7"},
    {"addition", "style=reversed-hints", "576", "361", "a6b7c5+a1b6c3=a7b3c9"},
    {"addition", "style=hints", "76", "461", "a0b7c6+a4b6c1=a5b3c7"},
    {"addition", "style=blanks blanks=0", "576", "361", "675+163=739"},
    {"addition", "style=blanks blanks=1", "576", "361", "6 7 5+1 6 3=739"},
    {"addition", "style=verbose comments=no", "5", "5",
     "Input:\n5 + 5\nTarget:\n<scratch>\n5 + 5\nf + f ( 1 , 0 )\n^ + ^ ( 0 , 1 0 )\n"
     "</scratch>\n1 0"},
    {"multiplication", "", "4324", "135",
     "4324*135|432e*135(0540~054,0)|43c*135(0270~032,40)|4d*135(0405~043,740)|"
     "e*135(0540~058,3740)|^*135(0000~005,83740)|^*135(0000~000,583740)|583740"},
    {"multiplication", "flush=once", "4324", "135",
     "4324*135|432e*135(0540~054,0)|43c*135(0270~032,40)|4d*135(0405~043,740)|"
     "e*135(0540~058,3740)|^*135(0000~000,583740)|583740"},
    {"multiplication", "", "99", "9", "99*9|9j*9(81~8,1)|j*9(81~8,91)|^*9(00~0,891)|891"},
    {"multiplication", "", "25", "4", "25*4|2f*4(20~2,0)|c*4(08~1,00)|^*4(00~0,100)|100"},
    {"multiplication", "", "10", "1", "10*1|1a*1(00~0,0)|b*1(01~0,10)|10"},
    {"multiplication", "", "00", "123", "00*123|0a*123(0000~000,0)|a*123(0000~000,00)|00"},
    {"multiplication", "", "999", "999",
     "999*999|99j*999(8991~899,1)|9j*999(8991~989,01)|j*999(8991~998,001)|"
     "^*999(0000~099,8001)|^*999(0000~009,98001)|^*999(0000~000,998001)|998001"},
    {"multiplication", "style=verbose", "25", "4",
     "Input:\n2 5 * 4\nTarget:\n<scratch>\n2 5 * 4\n"
     "2 f * 4 ( 2 0 ~ 2 , 0 )   # 5 * 4 = 20 carry 2\n"
     "c * 4 ( 0 8 ~ 1 , 0 0 )   # 2 * 4 = 08 carry 1\n"
     "^ * 4 ( 0 0 ~ 0 , 1 0 0 )   # 0 * 4 = 00 carry 0\n</scratch>\n1 0 0"},
    {"multiplication", "style=plain", "00", "123", "00*123=00"},
    {"copy", "", "abca", NULL, "$abca|abca."},
};

static void published_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const Published *c = &published[i];
        ThPad *p = made(c->kind, c->settings, NULL);
        ThPadExample e = {0};
        written(p, c->x, c->y, &e);
        assert_string_equal(e.text.data, c->text);
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

static size_t token_count(const ThPad *p, const ThPadExample *e)
{
    int *id = NULL;
    size_t cap = 0, n, question;
    assert_true(th_pad_encode(p, e, &id, &cap, &n, &question, NULL));
    free(id);
    return n - 2;
}

/* ---- against big numbers --------------------------------------------------------------------- */

static void expect_result(const char *text, size_t answer, char sign)
{
    mpz_t x, y, z;
    char *copy = strdup(text), *middle = strchr(copy, sign), *bar = strchr(copy, '|');
    *middle = *bar = '\0';
    copy[strcspn(copy, ".")] = '\0'; /* style=columns: zeros behind it */
    mpz_init_set_str(x, copy, 10);
    mpz_init_set_str(y, middle + 1, 10);
    mpz_init_set_str(z, text + answer, 10);
    if (sign == '+')
        mpz_add(x, x, y);
    else
        mpz_mul(x, x, y);
    assert_int_equal(mpz_cmp(x, z), 0);
    size_t nx = strlen(copy), ny = strlen(middle + 1), n = strlen(text + answer);
    size_t least = sign == '+' && ny > nx ? ny : nx;
    assert_in_range(n, least, least + (sign == '+' ? 1 : ny));
    mpz_clears(x, y, z, NULL);
    free(copy);
}

static void random_cases(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        char settings[64];
        snprintf(settings, sizeof settings, k == 0 ? "digits=1..60" : "digits=1..60 multiplier=%d",
                 2 * k - 1);
        ThPad *p = made(k ? "multiplication" : "addition", settings, NULL);
        ThPadExample e = {0};
        for (uint64_t i = 0; i < 1000; i++) {
            ThRng r = th_rng(7, "cases", i);
            assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
            expect_result(e.text.data, e.answer, k ? '*' : '+');
        }
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

/* The text up to one of the marks; *rest: what follows it, "" at the end. */
static char *cut(char **rest, const char *marks)
{
    char *from = *rest, *end = from + strcspn(from, marks);
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return from;
}

/* A line X*M(P~C,R) behind `done` digits of the first operand: P is the head's digit times M, and C
 * and R are the upper and the lower digits of what those digits, the head's included, make with M.
 */
static void expect_line(const char *line, const char *operand, size_t done)
{
    size_t nx = strlen(operand), digits = done < nx ? done + 1 : nx;
    char *copy = strdup(line), *rest = copy, *part[5];
    for (int i = 0; i < 5; i++)
        part[i] = cut(&rest, "*(~,)");
    int head = *part[0] == '^' ? 0 : part[0][strlen(part[0]) - 1] - 'a';
    mpz_t m, product, upper, lower, all, power;
    mpz_inits(product, all, power, NULL);
    mpz_init_set_str(m, part[1], 10);
    mpz_init_set_str(upper, part[3], 10);
    mpz_init_set_str(lower, part[4], 10);
    mpz_set_str(product, part[2], 10);
    mpz_set_str(all, operand + nx - digits, 10);
    mpz_mul(all, all, m);
    mpz_mul_si(m, m, head);
    assert_int_equal(mpz_cmp(product, m), 0);
    mpz_ui_pow_ui(power, 10, strlen(part[4]));
    mpz_addmul(lower, upper, power);
    assert_int_equal(mpz_cmp(lower, all), 0);
    mpz_clears(m, product, upper, lower, all, power, NULL);
    free(copy);
}

static void lines_of_products(void **state)
{
    (void)state;
    ThPad *p = made("multiplication", "digits=1..20 multiplier=3", NULL);
    ThPadExample e = {0};
    for (uint64_t i = 0; i < 200; i++) {
        ThRng r = th_rng(8, "lines", i);
        assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
        char *text = strndup(e.text.data, e.answer), *rest = text;
        char *question = cut(&rest, "|"), *operand = cut(&question, "*");
        size_t done = 0;
        for (char *line; *(line = cut(&rest, "|")); done++)
            expect_line(line, operand, done);
        assert_in_range(done, strlen(operand), strlen(operand) + 3);
        free(text);
    }
    th_pad_example_free(&e);
    th_pad_free(p);
}

/* A number written from its last digit on, up to a mark behind which *text then is. */
static long reversed(const char **text, char mark)
{
    long value = 0, power = 1;
    for (; **text != mark; ++*text, power *= 10) {
        assert_in_range(**text, '0', '9');
        value += power * (**text - '0');
    }
    ++*text;
    return value;
}

/* Columns of X.*Y from the last on: factors are the digits of X and Y whose places add up to the
 * column's, X's in front of the point first; sums begin with a tenth of the last one before. */
static void columns_of(const char *text, const char *answer)
{
    const char *point = strchr(text, '.'), *sign = strchr(text, '*'), *c = strchr(text, '|') + 1;
    long sum = 0, k = c - 1 - (sign + 1), places = point - text;
    for (long column = 0; column < places; column++, sum /= 10) {
        for (long j = k - 1; j >= 0; j--) {
            long x = reversed(&c, '*'), y = reversed(&c, '(');
            const char *digit = point - 1 - (column - j);
            assert_int_equal(x, (column < j ? *(digit + 1) : *digit) - '0');
            assert_int_equal(y, sign[k - j] - '0');
            assert_int_equal(reversed(&c, '~'), x * y);
            sum += x * y;
            assert_int_equal(reversed(&c, ')'), sum);
        }
        assert_int_equal(answer[places - 1 - column], *c);
        assert_int_equal(reversed(&c, '|'), sum % 10);
    }
    assert_int_equal(sum, 0);
    assert_ptr_equal(c, answer);
    assert_int_equal(strlen(answer), places);
}

static void products_in_columns(void **state)
{
    (void)state;
    for (int k = 1; k <= 13; k += 4) {
        char settings[64];
        snprintf(settings, sizeof settings, "digits=1..30 style=columns multiplier=%d", k);
        ThPad *p = made("multiplication", settings, NULL);
        ThPadExample e = {0};
        for (uint64_t i = 0; i < 200; i++) {
            ThRng r = th_rng(9, "columns", i);
            int n = 1 + (int)i % 30;
            assert_true(th_pad_draw(p, &(ThRange){n, n, 1}, &r, &e, NULL));
            expect_result(e.text.data, e.answer, '*');
            columns_of(e.text.data, e.text.data + e.answer);
            assert_int_equal(token_count(p, &e) + 2, th_pad_most(p, n));
        }
        th_pad_example_free(&e);
        th_pad_free(p);
    }
    /* Twelve nines by twelve: a column with the ten before adds up to more than 999. */
    ThPad *p = made("multiplication", "style=columns", NULL);
    ThPadExample e = {0};
    written(p, "9999999999999", "999999999999", &e);
    expect_result(e.text.data, e.answer, '*');
    columns_of(e.text.data, e.text.data + e.answer);
    th_pad_example_free(&e);
    th_pad_free(p);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Longest line, and longest two behind one another, with the separator between them. */
static size_t longest(const char *text, int lines)
{
    size_t most = 0, before = 0;
    for (const char *c = text;; c += strcspn(c, "|") + 1) {
        size_t n = strcspn(c, "|");
        size_t sum = lines == 1 ? n : n + before + 1;
        most = sum > most ? sum : most;
        before = n;
        if (!c[n])
            return most;
    }
}

static void sizes(void **state)
{
    (void)state;
    ThPad *p = made("addition", "", NULL), *q = made("multiplication", "", NULL);
    ThPadExample e = {0};
    char x[201];
    static const size_t plain[][2] = {{50, 4277}, {100, 16052}};
    for (size_t i = 0; i < 2; i++) {
        size_t n = plain[i][0];
        memset(x, '1', n);
        x[n] = '\0';
        written(p, x, x, &e);
        assert_int_equal(e.text.size, plain[i][1]);
        size_t from = 0, at, size;
        for (size_t k = 1; th_pad_example_line(p, &e, &from, &at, &size); k++)
            assert_int_equal(size, 2 * n + 7 - k);
        assert_int_equal(longest(e.text.data, 1), 2 * n + 6);
        memset(x, '9', n);
        written(p, x, x, &e);
        assert_int_equal(e.text.size, n == 50 ? 4337 : 16162);
    }
    assert_int_equal(longest(e.text.data, 1), 206);
    assert_int_equal(longest(e.text.data, 2), 412);
    memset(x, '1', 120);
    x[120] = '\0';
    written(p, x, x, &e);
    assert_int_equal(longest(e.text.data, 2), 492);
    for (size_t n = 50; n <= 100; n += 50) {
        memset(x, '9', n); /* the last carry has three digits */
        x[n] = '\0';
        written(q, x, "999", &e);
        assert_int_equal(e.text.size, n == 50 ? 3665 : 12265);
        assert_int_equal(longest(e.text.data, 1), n == 50 ? 69 : 119);
    }
    assert_int_equal(longest(e.text.data, 2), 238);
    th_pad_example_free(&e);
    th_pad_free(p);
    th_pad_free(q);
}

static void vocabularies(void **state)
{
    (void)state;
    ThRng r = th_rng(3, "machine", 0);
    ThTm *m = th_tm_random(5, 15, &r, NULL);
    static const struct {
        const char *kind, *settings;
        int tokens;
    } sizes_of[] = {{"addition", "", 28},
                    {"multiplication", "", 29},
                    {"sgd", "", 209},
                    {"machine", "", 44},
                    {"copy", "letters=10", 14},
                    {"addition", "style=plain", 14},
                    {"addition", "style=hints", 40},
                    {"machine", "hints=7", 51}};
    for (size_t i = 0; i < sizeof sizes_of / sizeof *sizes_of; i++) {
        ThPad *p = made(sizes_of[i].kind, sizes_of[i].settings, m);
        assert_int_equal(th_pad_tokens(p), sizes_of[i].tokens);
        th_pad_free(p);
    }
    th_tm_free(m);
}

/* What is drawn can be written in the tokens of its vocabulary, and comes back. */
static void tokens(void **state)
{
    (void)state;
    static const char *const styles[] = {"compact", "verbose", "plain",         "reversed",
                                         "blanks",  "hints",   "reversed-hints"};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "style=%s digits=2..40", styles[i]);
        ThPad *p = made("addition", settings, NULL);
        ThPadExample e = {0};
        ThText t = {0};
        int *id = NULL;
        size_t cap = 0, n, question;
        ThRng r = th_rng(5, styles[i], 0);
        assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
        assert_true(th_pad_encode(p, &e, &id, &cap, &n, &question, NULL));
        assert_int_equal(id[0], p->bos);
        assert_int_equal(id[n - 1], p->eos);
        th_pad_decode(p, id + 1, n - 2, &t);
        if (strcmp(styles[i], "verbose") != 0) {
            assert_string_equal(t.data, e.text.data);
            assert_int_equal(question, e.question + 1);
        }
        th_text_free(&t);
        free(id);
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

/* ---- stochastic gradient descent ------------------------------------------------------------- */

#define SGD_DATA "$ d a179 a166 , a76 d a80 a145 , a102 d a77 a139 , a103 |"

static const char sgd_published[] =
    SGD_DATA " d a179 a166 , a76 d a80 a145 , a102 d a77 a139 , a103 yp a100 g a101 a99 cur a99 "
             "a101 | d a179 a166 , a76 d a80 a145 , a102 yp a101 g a100 a99 cur a99 a102 | d a179 "
             "a166 , a76 yp a100 g a120 a117 cur a79 a85 |";

static void sgd_examples(void **state)
{
    (void)state;
    ThPad *p = made("sgd", "", NULL);
    ThPadExample e = {0};
    written(p, "0.7880 0.6628 -0.2445; -0.2002 0.4533 0.0227; -0.2288, 0.3877, 0.0342", NULL, &e);
    assert_string_equal(e.text.data, sgd_published);
    assert_string_equal(e.text.data + e.answer, "cur a79 a85 |");
    assert_int_equal(token_count(p, &e), 74);
    written(p, SGD_DATA, NULL, &e);
    assert_non_null(strstr(e.text.data, " g a119 a116 cur a80 a86 |"));
    for (size_t n = 50; n <= 80; n += 30) {
        ThRng r = th_rng(1, "sgd", n);
        size_t from = 0, at, size, first = SIZE_MAX;
        assert_true(th_pad_draw(p, &(ThRange){(int)n, (int)n, 1}, &r, &e, NULL));
        assert_int_equal(token_count(p, &e), n == 50 ? 7077 : 17322);
        assert_true(th_pad_example_line(p, &e, &from, &at, &size));
        first = 1;
        for (size_t i = at; i < at + size; i++)
            first += e.text.data[i] == ' ';
        assert_int_equal(first + 1, 5 * n + 9); /* with the bar behind it */
    }
    th_pad_example_free(&e);
    th_pad_free(p);
    for (int i = 0; i < TH_PAD_SGD_TOKENS; i++) {
        assert_int_equal(th_pad_sgd_token(th_pad_sgd_value(i, 100), 100), i);
        assert_int_equal(th_pad_sgd_token(th_pad_sgd_value(i, 99.5), 99.5), i);
    }
    assert_int_equal(th_pad_sgd_token(0.005, 100), 101);
    assert_int_equal(th_pad_sgd_token(-0.0051, 100), 99);
    assert_int_equal(th_pad_sgd_token(1, 100), 199);
    assert_int_equal(th_pad_sgd_token(-7, 100), 0);
}

/* What the lines say where numbers are rounded before they are used, and where they are not;
 * computed by a program of its own, away from ties.  In the second the last point's step of -1.62
 * and the weight 1 that it leads to are cut to -1 and 0.99. */
static void sgd_rounds_what_it_uses(void **state)
{
    (void)state;
    static const char three[] = "-0.364 0.183 0.989; -0.051 -0.228 0.087; -0.526 0.05 0.099";
    static const char cut[] = "0.9 0 -0.9; 0.9 0 0.9";
    static const struct {
        const char *strict, *points, *last, *middle;
    } rows[] = {
        {"requantise", three, "yp a104 g a168 a66 cur a20 a131 |", "g a101 a104 cur a88 a97 |"},
        {"from-tokens", three, "yp a104 g a169 a66 cur a20 a131 |", "g a101 a104 cur a89 a97 |"},
        {"hidden", three, "yp a104 g a169 a65 cur a19 a132 |", "g a101 a104 cur a89 a97 |"},
        {"requantise", cut, "yp a189 g a199 a100 cur a100 a100 |", "g a0 a100 cur a199 a100 |"},
        {"from-tokens", cut, "yp a199 g a199 a100 cur a0 a100 |", "g a0 a100 cur a199 a100 |"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "rate=1 strict=%s", rows[i].strict);
        ThPad *p = made("sgd", settings, NULL);
        ThPadExample e = {0};
        written(p, rows[i].points, NULL, &e);
        size_t n = strlen(rows[i].last);
        assert_string_equal(e.text.data + e.text.size - n, rows[i].last);
        assert_non_null(strstr(e.text.data, rows[i].middle));
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

static void sgd_words(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        int token;
    } words[] = {{"a0", 0},   {"a5", 5},   {"a10", 10},  {"a199", 199},
                 {"a05", -1}, {"a00", -1}, {"a007", -1}, {"a200", -1},
                 {"a", -1},   {"b5", -1},  {"a5x", -1},  {"a1999", -1}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(th_pad_sgd_word(words[i].word, strlen(words[i].word)), words[i].token);
}

/* The parts of a line are each within half a token of what the numbers before make, but for what
 * the tokens themselves are rounded by; requantised they are that exactly. */
static void sgd_parts(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        ThPad *p =
            made("sgd", exact ? "style=steps rate=0.25 strict=requantise" : "style=steps rate=0.25",
                 NULL);
        ThPadExample e = {0};
        for (uint64_t i = 0; i < 200; i++) {
            ThRng r = th_rng(3, "sgd", i);
            assert_true(th_pad_draw(p, &(ThRange){20, 20, 1}, &r, &e, NULL));
            assert_int_equal(token_count(p, &e) + 2, th_pad_most(p, 20));
            double w[2] = {0, 0}, slack = exact ? 0.005 : 0.025;
            const char *line = strchr(e.text.data, '|') + 1;
            for (int k = 0; k < 20; k++, line = strchr(line, '|') + 1) {
                int t[11];
                double v[11];
                assert_int_equal(
                    sscanf(line, " d a%d a%d , a%d yp a%d a%d a%d g a%d a%d a%d cur a%d a%d", &t[0],
                           &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7], &t[8], &t[9], &t[10]),
                    11);
                for (int j = 0; j < 11; j++)
                    v[j] = (t[j] - 100) / 100.0;
                assert_true(fabs(v[3] - w[0] * v[0]) <= slack + 1e-9);
                assert_true(fabs(v[4] - w[1] * v[1]) <= slack + 1e-9);
                assert_true(fabs(v[5] - (v[3] + v[4])) <= slack + 1e-9);
                assert_true(fabs(v[6] - 0.5 * (v[5] - v[2])) <= slack + 1e-9);
                assert_true(fabs(v[7] - v[6] * v[0]) <= slack + 1e-9);
                assert_true(fabs(v[8] - v[6] * v[1]) <= slack + 1e-9);
                for (int j = 0; j < 2; j++) {
                    assert_true(fabs(v[9 + j] - (w[j] - v[7 + j])) <= slack + 1e-9);
                    w[j] = v[9 + j];
                }
            }
        }
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

/* Without noise the error of the weights, at first at most 1/2, never grows: no step is longer than
 * half of the root of 2. */
static void sgd_steps_are_short(void **state)
{
    (void)state;
    ThPad *p = made("sgd", "", NULL);
    ThPadExample e = {0};
    for (uint64_t i = 0; i < 300; i++) {
        ThRng r = th_rng(2, "sgd", i);
        assert_true(th_pad_draw(p, &(ThRange){30, 30, 1}, &r, &e, NULL));
        const char *steps = strchr(e.text.data, '|');
        for (const char *c = strstr(steps, "yp a"); c; c = strstr(c + 1, "yp a")) {
            int value[5];
            assert_int_equal(sscanf(c, "yp a%d g a%d a%d cur a%d a%d", &value[0], &value[1],
                                    &value[2], &value[3], &value[4]),
                             5);
            assert_in_range(value[1], 29, 171);
            assert_in_range(value[2], 29, 171);
        }
    }
    th_pad_example_free(&e);
    th_pad_free(p);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* $PART|STRING|REST. or $STRING|PARTREST. : the part stands in the string once, and what follows it
 * there is the rest, or as many letters of it as are asked for. */
static void check_part(const char *text, bool prefix, size_t ngram, size_t answer)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    assert_int_equal(copy[0], '$');
    char *one = copy + 1, *two = strchr(one, '|') + 1, *part = prefix ? one : two;
    two[-1] = '\0';
    char *string = prefix ? two : one, *rest = prefix ? strchr(two, '|') + 1 : two + ngram;
    if (prefix)
        rest[-1] = '\0';
    size_t n = strlen(rest);
    assert_int_equal(rest[n - 1], '.');
    char found[256];
    snprintf(found, sizeof found, "%.*s", (int)ngram, part);
    assert_true(!prefix || strlen(part) == ngram);
    char *at = strstr(string, found);
    assert_non_null(at);
    assert_null(strstr(at + 1, found));
    size_t left = strlen(at + ngram);
    assert_int_equal(n - 1, answer ? answer : left);
    assert_memory_equal(rest, at + ngram, n - 1);
}

static void parts_of_copies(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        bool prefix = k % 2;
        size_t answer = k / 2 % 2 ? 3 : 0, ngram = k / 4 ? 4 : 2;
        char settings[96];
        snprintf(settings, sizeof settings,
                 "variant=%s ngram=%zu answer=%zu letters=4 length=9..30",
                 prefix ? "prefix" : "suffix", ngram, answer);
        ThPad *p = made("copy", settings, NULL);
        ThPadExample e = {0};
        int drawn = 0;
        for (uint64_t i = 0; i < 300; i++) {
            ThRng r = th_rng(6, "copy", i);
            if (!th_pad_draw(p, NULL, &r, &e, NULL))
                continue; /* no part of the string stands there once */
            check_part(e.text.data, prefix, ngram, answer);
            assert_int_equal(e.answer, e.question);
            drawn++;
        }
        assert_true(drawn > 200);
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

/* ---- machines -------------------------------------------------------------------------------- */

static void worked_step(void **state)
{
    (void)state;
    ThError err = {0};
    ThTm *m = th_tm_parse("alphabet a1 a2 a3 a4 a5 a6 a7; states s1 s2 s3; start s2; blank "
                          "a1; tape two-way; s2 a5 -> R s2; s2 a2 -> R s3; "
                          "s3 a7 -> a6 L s1",
                          &err);
    if (!m)
        print_error("%s\n", err.msg);
    assert_non_null(m);
    ThPad *p = made("machine", "steps=3", m);
    ThPadExample e = {0};
    static const char step[] = "s3 | a5 a2 b7 a1 <|SEP|> ( s1 ~ a6 ~ L ) <|SEP|> s1 | a5 b2 a6 a1";
    written(p, "a5 a2 a7 a1", NULL, &e);
    assert_non_null(strstr(e.text.data, step));
    th_pad_example_free(&e);
    th_pad_free(p);
    th_tm_free(m);
}

static void drawn_steps(void **state)
{
    (void)state;
    ThRng g = th_rng(3, "machine", 0);
    ThTm *m = th_tm_random(5, 15, &g, NULL);
    ThPad *p = made("machine", "", m), *avoid = made("machine", "edge=avoid", m);
    ThPadExample e = {0};
    for (int length = 2; length <= 150; length += 37) {
        ThRng r = th_rng(4, "step", (uint64_t)length);
        assert_true(th_pad_draw(p, &(ThRange){length, length, 1}, &r, &e, NULL));
        assert_int_equal(token_count(p, &e) + 2, 2 * (size_t)length + 15);
    }
    for (uint64_t i = 0; i < 200; i++) { /* the first and the last cell can be left */
        ThRng r = th_rng(5, "step", i);
        assert_true(th_pad_draw(avoid, &(ThRange){2, 2, 1}, &r, &e, NULL));
        bool first = e.text.data[5] == 'b', right = strstr(e.text.data, "R )") != NULL;
        assert_int_equal(first, right);
    }
    th_pad_example_free(&e);
    th_pad_free(p);
    th_pad_free(avoid);
    th_tm_free(m);
}

/* ---- data sets ------------------------------------------------------------------------------- */

static char *read_whole(const char *folder, const char *name, size_t *n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = th_file_read(path, 1 << 24, n, NULL);
    assert_non_null(text);
    unlink(path);
    return text;
}

/* A stream of contexts is the examples one after another. */
static void packed_matrix(void **state)
{
    (void)state;
    enum { HEADER = 128, ROWS = 9, WIDTH = 50 };
    char folder[] = "/tmp/test_scratchpad_XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npy", folder);
    ThPad *p = made("addition", "digits=2..9", NULL);
    ThDataset d = {.pad = p, .seed = 11, .count = ROWS, .packing = TH_PAD_PACK_STREAM};
    d.context = WIDTH;
    ThDatasetFigures f;
    assert_true(th_dataset_write(&d, path, &f, NULL));
    assert_int_equal(f.rows, ROWS);
    size_t size, mask_size, words;
    char *ids = read_whole(folder, "a.npy", &size),
         *mask = read_whole(folder, "a.mask.npy", &mask_size);
    char *vocabulary = read_whole(folder, "a.vocab.json", &words);
    assert_int_equal(size, HEADER + 4 * ROWS * WIDTH);
    assert_int_equal(mask_size, HEADER + ROWS * WIDTH);
    assert_non_null(strstr(vocabulary, "\"tokens\":[\"0\",\"1\""));
    ThPadExample e = {0};
    int *id = NULL;
    size_t cap = 0, n = 0, question = 0, at = 0;
    uint64_t index = 0;
    for (size_t i = 0; i < ROWS * WIDTH; i++, at++) {
        if (at == n) {
            ThRng r = th_rng(11, "scratchpad", index++);
            assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
            assert_true(th_pad_encode(p, &e, &id, &cap, &n, &question, NULL));
            at = 0;
        }
        int32_t value;
        memcpy(&value, ids + HEADER + 4 * i, sizeof value);
        assert_int_equal(value, id[at]);
        assert_int_equal(mask[HEADER + i], at >= question);
    }
    free(id);
    free(ids);
    free(mask);
    free(vocabulary);
    th_pad_example_free(&e);
    th_pad_free(p);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(random_cases),
        cmocka_unit_test(lines_of_products),
        cmocka_unit_test(products_in_columns),
        cmocka_unit_test(sizes),
        cmocka_unit_test(vocabularies),
        cmocka_unit_test(tokens),
        cmocka_unit_test(sgd_examples),
        cmocka_unit_test(sgd_rounds_what_it_uses),
        cmocka_unit_test(sgd_words),
        cmocka_unit_test(sgd_parts),
        cmocka_unit_test(sgd_steps_are_short),
        cmocka_unit_test(parts_of_copies),
        cmocka_unit_test(worked_step),
        cmocka_unit_test(drawn_steps),
        cmocka_unit_test(packed_matrix),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
