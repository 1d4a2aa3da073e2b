/* test_hints.c - marks that announce places: where they stand, what is drawn, what is found wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "given.h"
#include "scratchpad/check_text.h"

/* With as many marks as places the only subset is all of them. */
static const struct {
    const char *kind, *settings, *x, *y, *text, *answer;
} known[] = {
    {"addition", "style=reversed hints=4", "576", "61",
     "@1 6 @2 7 @3 5 @4 0 + @1 1 @2 6 @3 0 @4 0 = @1 7 @2 3 @3 6 @4 0", "@1 7 @2 3 @3 6 @4 0"},
    {"addition", "style=plain hints=3", "57", "61",
     "@1 0 @2 5 @3 7 + @1 0 @2 6 @3 1 = @1 1 @2 1 @3 8", "@1 1 @2 1 @3 8"},
    {"addition", "hints=2", "5", "8",
     "@1 0 @2 5 + @1 0 @2 8 | @1 0 @2 f + @1 0 @2 i ( @1 1 , @2 3 ) | @1 a + @1 a ( 0 , @1 1 @2 3 "
     ") "
     "| @1 1 @2 3",
     "@1 1 @2 3"},
    {"addition", "style=plain fill=yes", "576", "61", "0576+0061=0637", "0637"},
    {"addition", "fill=yes", "9", "8", "09+08|0j+0i(1,7)|a+a(0,17)|17", "17"},
    {"multiplication", "hints=3", "9", "87",
     "@1 0 @2 0 @3 9 * 8 7 | @1 0 @2 0 @3 j * 8 7 ( 7 8 3 ~ @2 7 8 , @3 3 ) | @1 0 @2 a * 8 7 ( 0 "
     "0 0 "
     "~ @1 0 7 , @2 8 @3 3 ) | @1 a * 8 7 ( 0 0 0 ~ 0 0 , @1 7 @2 8 @3 3 ) | @1 7 @2 8 @3 3",
     "@1 7 @2 8 @3 3"},
    {"multiplication", "style=reversed hints=3", "9", "87", "@1 9 @2 0 @3 0 * 7 8 = @1 3 @2 8 @3 7",
     "@1 3 @2 8 @3 7"},
    {"multiplication", "fill=yes style=plain", "9", "87", "009*87=783", "783"},
    {"multiplication", "style=columns hints=6", "9", "87",
     "@1 0 @2 0 @3 9 . @4 0 * @5 8 @6 7 | @4 0 * @5 8 ( 0 0 ~ 0 0 0 ) @3 9 * @6 7 ( 3 6 ~ 3 6 0 ) "
     "@3 3 | @3 9 * @5 8 ( 2 7 ~ 8 7 0 ) @2 0 * @6 7 ( 0 0 ~ 8 7 0 ) @2 8 | @2 0 * @5 8 ( 0 0 ~ 7 "
     "0 0 ) @1 0 * @6 7 ( 0 0 ~ 7 0 0 ) @1 7 | @1 7 @2 8 @3 3",
     "@1 7 @2 8 @3 3"},
    {"copy", "hints=3", "cab", NULL, "$ @1 c @2 a @3 b | @1 c @2 a @3 b .", "@1 c @2 a @3 b ."},
    {"sgd", "hints=2", "0.5 -0.5 0.2; 0 0 0", NULL,
     "$ @1 d a150 a50 , a120 @2 d a100 a100 , a100 | @1 d a150 a50 , a120 @2 d a100 a100 , a100 yp "
     "a100 "
     "g a100 a100 cur a100 a100 | @1 d a150 a50 , a120 yp a100 g a90 a110 cur a110 a90 |",
     "cur a110 a90 |"},
    {"sgd", "style=steps hints=2", "0.5 -0.5 0.2; 0 0 0", NULL,
     "$ @1 d a150 a50 , a120 @2 d a100 a100 , a100 | @2 d a100 a100 , a100 yp a100 a100 a100 g "
     "a100 "
     "a100 a100 cur a100 a100 | @1 d a150 a50 , a120 yp a100 a100 a100 g a80 a90 a110 cur a110 a90 "
     "|",
     "cur a110 a90 |"},
};

static bool write_out(const ThPad *p, const char *x, const char *y, ThPadExample *e, ThError *err)
{
    const char *operand[2] = {x, y};
    ThPadOperands o = {operand, y ? 2 : 1, 0};
    ThRng r = th_rng(1, "test", 0);
    return th_pad_write(p, &o, &r, e, err);
}

static void places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ThPad *p = made(known[i].kind, known[i].settings, NULL);
        ThPadExample e = {0};
        assert_true(write_out(p, known[i].x, known[i].y, &e, NULL));
        assert_string_equal(e.text.data, known[i].text);
        assert_string_equal(e.text.data + e.answer, known[i].answer);
        /* The question ends with the sign that lines or the answer follow. */
        size_t end = e.question;
        while (e.text.data[end - 1] == ' ')
            end--;
        assert_true(strchr("=|", e.text.data[end - 1]));
        assert_int_equal(strcspn(e.text.data, "=|"), end - 1);
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

static ThTm *machine(void)
{
    ThRng g = th_rng(1, "machine", 0);
    return th_tm_random(3, 4, &g, NULL);
}

/* ---- what is drawn --------------------------------------------------------------------------- */

static const struct {
    const char *kind, *hints, *plain;
} drawn[] = {
    {"addition", "digits=1..12 hints=20", "digits=1..12 fill=yes"},
    {"addition", "style=plain digits=1..12 hints=13", "style=plain digits=1..12 fill=yes"},
    {"addition", "style=reversed digits=1..40 hints=64", "style=reversed digits=1..40 fill=yes"},
    {"multiplication", "digits=1..7 hints=20", "digits=1..7 fill=yes"},
    {"multiplication", "digits=1..7 flush=once multiplier=1 hints=9",
     "digits=1..7 flush=once multiplier=1 fill=yes"},
    {"multiplication", "style=reversed digits=1..7 hints=11",
     "style=reversed digits=1..7 fill=yes"},
    {"multiplication", "style=columns digits=1..7 hints=20", "style=columns digits=1..7"},
    {"multiplication", "style=columns digits=1..7 multiplier=1 hints=9",
     "style=columns digits=1..7 multiplier=1"},
    {"copy", "length=1..20 hints=26", "length=1..20"},
    {"copy", "length=6..20 variant=duplicate hints=26", "length=6..20 variant=duplicate"},
    {"machine", "length=2..9 hints=12", "length=2..9"},
    {"machine", "length=2..9 edge=avoid comma=no hints=12", "length=2..9 edge=avoid comma=no"},
    {"sgd", "examples=1..8 hints=9", "examples=1..8"},
    {"sgd", "examples=1..8 style=steps hints=9", "examples=1..8 style=steps"}};

/* The text without its marks and blanks, in the same order as `to` without its blanks. */
static void without_marks(const char *text, char *to)
{
    while (*text) {
        bool mark = *text == '@';
        size_t n = strcspn(text, " ");
        memcpy(to, text, mark ? 0 : n);
        to += mark ? 0 : n;
        text += n + strspn(text + n, " ");
    }
    *to = '\0';
}

/* As many marks as a question has, growing or each once, and none behind it that it has not. */
static void expect_question_has_all(const ThPadExample *e, bool growing)
{
    int mark[64], n = 0;
    bool first = true;
    for (const char *c = strchr(e->text.data, '@'); c; c = strchr(c + 1, '@')) {
        size_t at = (size_t)(c - e->text.data);
        int number = atoi(c + 1);
        bool found = false;
        for (int i = 0; i < n; i++)
            found = found || mark[i] == number;
        first = first && at < e->question && (growing ? n == 0 || number > mark[n - 1] : !found);
        if (first)
            mark[n++] = number;
        found = found || first;
        assert_true(found);
        assert_true(n < 64);
    }
}

static void drawn_as_without(void **state)
{
    (void)state;
    ThTm *m = machine();
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        ThPad *p = made(drawn[i].kind, drawn[i].hints, m),
              *q = made(drawn[i].kind, drawn[i].plain, m);
        ThPadExample e = {0}, f = {0};
        for (uint64_t k = 0; k < 200; k++) {
            ThRng r = th_rng(i, "hints", k), s = r;
            assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
            assert_true(th_pad_draw(q, NULL, &s, &f, NULL));
            char *a = calloc(e.text.size + 1, 1), *b = calloc(f.text.size + 1, 1);
            without_marks(e.text.data, a);
            without_marks(f.text.data, b);
            assert_string_equal(a, b);
            without_marks(e.text.data + e.question, a);
            without_marks(f.text.data + f.question, b);
            assert_string_equal(a, b);
            expect_question_has_all(&e, true);
            ThPadCheckRules rules = {.kind = k % 2 ? p->kind : NULL, .machine = k % 4 ? m : NULL};
            ThPadChecked c;
            assert_true(th_pad_check(e.text.data, e.text.size, &rules, &c, NULL));
            if (c.slip || c.kind != p->kind)
                fail_msg("%s\n%s at %zu: %s for %s", e.text.data, th_pad_slip_name(c.slip),
                         c.column, c.found, c.expected);
            free(a);
            free(b);
        }
        th_pad_example_free(&e);
        th_pad_example_free(&f);
        th_pad_free(p);
        th_pad_free(q);
    }
    th_tm_free(m);
}

/* The places that a kind gives where it is told the layout are those that the text tells; and
 * behind the question they do not change with what follows. */
static void places_stay(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    ThTm *m = machine();
    ThPadPiece piece[MOST];
    int told[MOST], plain[MOST], part[MOST], *id = NULL;
    size_t cap = 0, n, question;
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        ThPad *p = made(drawn[i].kind, drawn[i].plain, m);
        int layout = th_option_choice(&p->options, p->kind->layout);
        ThPadExample e = {0};
        for (uint64_t k = 0; k < 20; k++) {
            ThRng r = th_rng(i, "places", k);
            assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
            assert_true(th_pad_encode(p, &e, &id, &cap, &n, &question, NULL) && n <= MOST);
            size_t first = p->bos >= 0;
            n -= first + (p->eos >= 0);
            question -= first;
            for (size_t j = 0; j < n; j++)
                piece[j].s = th_pad_token(p, id[j + first], &piece[j].n);
            p->kind->places(layout, piece, n, told);
            p->kind->places(-1, piece, n, plain);
            assert_memory_equal(told, plain, n * sizeof *told);
            for (size_t end = question; end < n; end++) {
                p->kind->places(layout, piece, end, part);
                if (memcmp(told, part, end * sizeof *part) != 0)
                    fail_msg("%s: %zu of %zu tokens", e.text.data, end, n);
            }
        }
        th_pad_example_free(&e);
        th_pad_free(p);
    }
    free(id);
    th_tm_free(m);
}

/* All ten subsets of three of five are as likely. */
static void subsets_are_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    ThPad *p = made("copy", "length=3 hints=5", NULL);
    ThPadExample e = {0};
    int count[1000] = {0}, subsets = 0;
    for (uint64_t k = 0; k < DRAWS; k++) {
        ThRng r = th_rng(7, "subsets", k);
        int a, b, c;
        assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
        assert_int_equal(sscanf(e.text.data, "$ @%d %*c @%d %*c @%d", &a, &b, &c), 3);
        count[100 * a + 10 * b + c]++;
    }
    for (int i = 0; i < 1000; i++) {
        if (count[i] == 0)
            continue;
        subsets++;
        assert_true(i / 100 < i / 10 % 10 && i / 10 % 10 < i % 10 && i % 10 <= 5);
        assert_true(abs(count[i] - DRAWS / 10) < 200); /* 4.7 standard deviations */
    }
    assert_int_equal(subsets, 10);
    th_pad_example_free(&e);
    th_pad_free(p);
}

static ThPadChecked checked(const char *text, const ThOptions *o)
{
    ThPadCheckRules rules = {.options = o};
    ThPadChecked c;
    assert_true(th_pad_check(text, strlen(text), &rules, &c, NULL));
    return c;
}

/* marks=any: all twelve ways to put two of four in front of two letters are as likely, and a text
 * is right for who is told so, or where they happen to grow. */
static void any_order(void **state)
{
    (void)state;
    enum { DRAWS = 24000 };
    ThPad *p = made("copy", "length=2 hints=4 marks=any", NULL),
          *q = made("copy", "length=2 hints=4", NULL);
    ThPadExample e = {0}, f = {0};
    ThOptions any;
    int count[100] = {0};
    assert_true(th_pad_check_options(&any, NULL) && th_options_set(&any, "marks", "any", NULL));
    for (uint64_t k = 0; k < DRAWS; k++) {
        ThRng r = th_rng(8, "any", k), s = r;
        int a, b, c, d;
        assert_true(th_pad_draw(p, NULL, &r, &e, NULL) && th_pad_draw(q, NULL, &s, &f, NULL));
        assert_int_equal(sscanf(e.text.data, "$ @%d %*c @%d", &a, &b), 2);
        assert_int_equal(sscanf(f.text.data, "$ @%d %*c @%d", &c, &d), 2);
        assert_true((a == c && b == d) || (a == d && b == c)); /* the subset is the same one */
        count[10 * a + b]++;
        expect_question_has_all(&e, false);
        assert_int_equal(checked(e.text.data, &any).slip, TH_PAD_SLIP_NONE);
        assert_int_equal(checked(e.text.data, NULL).slip,
                         a < b ? TH_PAD_SLIP_NONE : TH_PAD_SLIP_MOVE);
    }
    for (int a = 1; a <= 4; a++)
        for (int b = 1; b <= 4; b++)
            assert_in_range(count[10 * a + b], a == b ? 0 : 1800, a == b ? 0 : 2200);
    assert_int_equal(checked("$ @7 a @2 b @5 c | @7 a @2 b @5 c .", &any).slip, TH_PAD_SLIP_NONE);
    assert_int_equal(checked("$ @7 a @2 b @7 c | @7 a @2 b @7 c .", &any).column, 13);
    assert_int_equal(checked("$ @7 a @2 b @5 c | @7 a @5 b @5 c .", &any).column, 6);
    assert_int_equal(checked("$ @7 a @2 b c | @7 a @2 b c .", &any).slip, TH_PAD_SLIP_MOVE);
    /* a mark that comes again, before a letter that is wrong */
    ThPadChecked c = checked("$ @1 a @2 b @2 c | @1 x @2 b @2 c .", &any);
    assert_int_equal(c.slip, TH_PAD_SLIP_MOVE);
    assert_int_equal(c.column, 13);
    th_options_free(&any);
    th_pad_example_free(&e);
    th_pad_example_free(&f);
    th_pad_free(p);
    th_pad_free(q);
}

/* Tokens are the words of the text, and come back. */
static void tokens(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings;
        int tokens;
    } all[] = {{"addition", "style=reversed hints=64", 78},
               {"addition", "hints=9", 37},
               {"copy", "hints=9", 39},
               {"sgd", "hints=2", 211}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ThPad *p = made(all[i].kind, all[i].settings, NULL);
        ThPadExample e = {0};
        ThText t = {0};
        int *id = NULL;
        size_t cap = 0, n, question;
        ThRange sizes = {2, 2, 1};
        ThRng r = th_rng(5, "tokens", 0);
        assert_int_equal(th_pad_tokens(p), all[i].tokens);
        assert_true(th_pad_draw(p, &sizes, &r, &e, NULL));
        assert_true(th_pad_encode(p, &e, &id, &cap, &n, &question, NULL));
        assert_true(n <= th_pad_most(p, 2));
        size_t marks = p->bos >= 0;
        th_pad_decode(p, id + marks, n - 2 * marks, &t);
        assert_string_equal(t.data, e.text.data);
        t.size = 0;
        th_pad_decode(p, id + marks, question - marks, &t);
        assert_int_equal(t.size + 1, e.question);
        th_text_free(&t);
        free(id);
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

/* ---- slips ----------------------------------------------------------------------------------- */

typedef struct {
    const char *text;
    ThPadSlip slip;
    size_t line, column;
    const char *expected, *found;
} Slip;

static const Slip slips[] = {
    {"@2 7 @5 0 + @2 1 @5 0 = @2 8 @5 0", TH_PAD_SLIP_NONE, 0, 0, "", ""},
    {"@2 7 @5 0 + @3 1 @5 0 = @2 8 @5 0", TH_PAD_SLIP_MOVE, 1, 13, "@2", "@3"},
    {"@2 7 @5 0 + @2 1 @5 0 = @2 8 @6 0", TH_PAD_SLIP_MOVE, 1, 30, "@5", "@6"},
    {"@2 7 @5 0 + @2 1 @5 0 = 8 @5 0", TH_PAD_SLIP_MOVE, 1, 25, "@2", "8"},
    {"7 @5 0 + @2 1 @5 0 = @2 8 @5 0", TH_PAD_SLIP_MOVE, 1, 1, "a mark", "7"},
    {"@2 7 @2 0 + @2 1 @2 0 = @2 8 @2 0", TH_PAD_SLIP_MOVE, 1, 6, "a mark", "@2"},
    {"@2 7 @1 0 + @2 1 @1 0 = @2 8 @1 0", TH_PAD_SLIP_MOVE, 1, 6, "a mark", "@1"},
    {"@2 7 @5 0 @9 + @2 1 @5 0 = @2 8 @5 0", TH_PAD_SLIP_MOVE, 1, 11, "+", "@9"},
    {"@2 7 @5 0 + @2 1 @5 0 = @2 9 @5 0", TH_PAD_SLIP_CARRY, 1, 28, "8", "9"},
    {"@2 7 @5 0 + @2 1 @5 0 = @2 8", TH_PAD_SLIP_EARLY_END, 1, 29, "0", ""},
    {"@2 7 @5 0 + @2 1 @5 0 = @2 8 @5", TH_PAD_SLIP_EARLY_END, 1, 32, "0", ""},
    {"@2 7 @5 0 + @2 1 @5 0 = @2 8 @5 0 @6", TH_PAD_SLIP_FORMAT, 1, 35, "", "@6"},
    {"@2 7 @5 0 + @2 1 @5 0 = @2 @2 8 @5 0", TH_PAD_SLIP_FORMAT, 1, 25, "", "@2"},
    {"@2 7 @5 0 + @2 1 @5 0 = @2 8 @05 0", TH_PAD_SLIP_FORMAT, 1, 30, "0", "@"},
    {"$ @2 a @4 b | @2 a @3 b .", TH_PAD_SLIP_MOVE, 2, 6, "@4", "@3"},
    {"$ @2 a @4 b | @2 a @4 a .", TH_PAD_SLIP_COPY, 2, 9, "b", "a"},
    {"$ @2 a @4 b | @2 a @4 b @5 .", TH_PAD_SLIP_MOVE, 2, 11, ".", "@5"},
    {"@1", TH_PAD_SLIP_EARLY_END, 1, 3, "a question", ""},
};

static void slips_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        const Slip *s = &slips[i];
        ThPadCheckRules any = {0};
        ThPadChecked c;
        assert_true(th_pad_check(s->text, strlen(s->text), &any, &c, NULL));
        if (c.slip != s->slip || (c.slip && (c.line != s->line || c.column != s->column)) ||
            strcmp(c.expected, s->expected) != 0 || strcmp(c.found, s->found) != 0)
            fail_msg("%s\n%s at %zu,%zu: '%s' for '%s'", s->text, th_pad_slip_name(c.slip), c.line,
                     c.column, c.found, c.expected);
    }
}

/* Any mark behind the question that is another one, or is gone, is found where it stood. */
static void every_mark_counts(void **state)
{
    (void)state;
    ThTm *m = machine();
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        ThPad *p = made(drawn[i].kind, drawn[i].hints, m);
        ThPadExample e = {0};
        ThRange sizes = {6, 6, 1};
        ThRng r = th_rng(i, "every mark", 0);
        assert_true(th_pad_draw(p, &sizes, &r, &e, NULL));
        char *text = calloc(e.text.size + 2, 1);
        for (size_t at = e.question; at < e.text.size; at++) {
            if (e.text.data[at] != '@')
                continue;
            size_t n = strcspn(e.text.data + at, " ") + 1, gone = at + n;
            for (int way = 0; way < 2; way++) {
                ThPadCheckRules rules = {.kind = p->kind};
                ThPadChecked c;
                memcpy(text, e.text.data, e.text.size + 1);
                if (way == 0)
                    text[at + n - 2] = text[at + n - 2] == '9' ? '8' : (char)(text[at + n - 2] + 1);
                else
                    memmove(text + at, text + gone, e.text.size + 1 - gone);
                assert_true(th_pad_check(text, strlen(text), &rules, &c, NULL));
                assert_int_equal(c.slip, TH_PAD_SLIP_MOVE);
                assert_int_equal(c.offset, at);
            }
        }
        free(text);
        th_pad_example_free(&e);
        th_pad_free(p);
    }
    th_tm_free(m);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *option, *value, *text;
    } all[] = {{"addition", "style", "verbose", "does not go with style=verbose"},
               {"addition", "style", "reversed-hints", "does not go with style=reversed-hints"},
               {"addition", "fill", "no", "fill=yes"},
               {"multiplication", "fill", "no", "fill=yes"},
               {"multiplication", "style", "verbose", "does not go with style=verbose"},
               {"copy", "variant", "prefix", "whole copies"},
               {"copy", "variant", "suffix", "whole copies"},
               {"machine", "steps", "2", "single steps"},
               {"machine", "edge", "extend", "single steps"},
               {"machine", "state", "head", "single steps"},
               {"machine", "style", "verbose", "single steps"}};
    ThTm *m = machine();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const ThPadKind *kind = th_pad_kind(all[i].kind);
        ThOptions o;
        ThError err = {0};
        assert_true(th_options_init(&o, kind->options, NULL));
        assert_true(th_options_set(&o, all[i].option, all[i].value, NULL));
        ThPad *p = th_pad_new(kind, &o, kind->takes_machine ? m : NULL, &err);
        if (!p)
            fail_msg("%s %s: %s", all[i].kind, all[i].option, err.msg);
        /* Without marks it is fine. */
        th_pad_free(p);
        err = (ThError){0};
        assert_true(th_options_set(&o, "hints", "9", NULL));
        assert_null(th_pad_new(kind, &o, kind->takes_machine ? m : NULL, &err));
        assert_int_equal(err.code, TH_EUSAGE);
        assert_non_null(strstr(err.msg, all[i].text));
        th_options_free(&o);
    }
    th_tm_free(m);
}

static void too_few_marks(void **state)
{
    (void)state;
    ThPad *p = made("copy", "hints=3", NULL);
    ThPadExample e = {0};
    ThError err = {0};
    assert_true(write_out(p, "abc", NULL, &e, &err));
    assert_false(write_out(p, "abcd", NULL, &e, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_string_equal(err.msg, "the scratchpad has 4 places, and hints=3 has no more marks");
    th_pad_example_free(&e);
    th_pad_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),          cmocka_unit_test(drawn_as_without),
        cmocka_unit_test(places_stay),     cmocka_unit_test(subsets_are_uniform),
        cmocka_unit_test(any_order),       cmocka_unit_test(tokens),
        cmocka_unit_test(slips_are_found), cmocka_unit_test(every_mark_counts),
        cmocka_unit_test(refused),         cmocka_unit_test(too_few_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
