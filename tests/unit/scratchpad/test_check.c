/* test_check.c - scratchpads read back: what is written is right, and a slip of each kind is found
 * where it was put. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "given.h"
#include "scratchpad/check_text.h"

static ThPadChecked checked(const char *text, const ThPadCheckRules *rules)
{
    ThPadChecked c;
    ThPadCheckRules any = {0};
    assert_true(th_pad_check(text, strlen(text), rules ? rules : &any, &c, NULL));
    return c;
}

/* Rules with settings "strict=hidden rate=0.1"; the options are freed by the caller. */
static ThPadCheckRules rules_with(ThOptions *o, const char *settings)
{
    char text[128];
    snprintf(text, sizeof text, "%s", settings);
    assert_true(th_pad_check_options(o, NULL));
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_true(th_options_set(o, word, value, NULL));
    }
    return (ThPadCheckRules){.options = o};
}

static void expect_right(const char *text, const char *kind, const char *style,
                         const ThPadCheckRules *rules)
{
    ThPadChecked c = checked(text, rules);
    if (c.slip || !c.kind || strcmp(c.kind->name, kind) != 0 || (style && strcmp(c.style, style)))
        print_error("%s\n%s %s: %s at %zu,%zu, '%s' for '%s'\n", text, c.kind ? c.kind->name : "?",
                    c.style, th_pad_slip_name(c.slip), c.line, c.column, c.found, c.expected);
    assert_int_equal(c.slip, TH_PAD_SLIP_NONE);
    assert_string_equal(c.kind->name, kind);
    if (style)
        assert_string_equal(c.style, style);
}

static void expect_slip(const char *text, ThPadSlip slip, size_t line, size_t column,
                        const ThPadCheckRules *rules)
{
    ThPadChecked c = checked(text, rules);
    if (c.slip != slip || c.line != line || c.column != column)
        print_error("%s\n%s at %zu,%zu, not %s at %zu,%zu\n", text, th_pad_slip_name(c.slip),
                    c.line, c.column, th_pad_slip_name(slip), line, column);
    assert_int_equal(c.slip, slip);
    assert_int_equal(c.line, line);
    assert_int_equal(c.column, column);
}

/* ---- what is written is right ---------------------------------------------------------------- */

static const struct {
    const char *kind, *settings, *style;
} all[] = {
    {"addition", "digits=1..30", "compact"},
    {"addition", "digits=1..30 final-carry=fold", "compact"},
    {"addition", "digits=1..30 style=verbose", "verbose"},
    {"addition", "digits=1..30 style=verbose comments=no", "verbose"},
    {"addition", "digits=1..30 style=plain", NULL}, /* 11+11=22 is plain and reversed */
    {"addition", "digits=1..30 style=reversed", NULL},
    {"addition", "digits=10..30 style=blanks blanks=0.9", "blanks"},
    {"addition", "digits=1..60 style=hints", NULL},
    {"addition", "digits=1..60 style=reversed-hints", NULL},
    {"multiplication", "digits=1..30 multiplier=3", "compact"},
    {"multiplication", "digits=1..30 multiplier=1", "compact"},
    {"multiplication", "digits=1..9 multiplier=20", "compact"},
    {"multiplication", "digits=1..30 flush=once", "compact"},
    {"multiplication", "digits=1..30 style=verbose", "verbose"},
    {"multiplication", "digits=1..30 style=plain", NULL},
    {"multiplication", "digits=1..30 style=reversed", NULL},
    {"multiplication", "digits=1..30 style=columns", "columns"},
    {"multiplication", "digits=1..30 style=columns multiplier=1", "columns"},
    {"multiplication", "digits=1..30 style=columns multiplier=14", "columns"},
    {"sgd", "", "turing"},
    {"sgd", "style=plain", "plain"},
    {"sgd", "style=steps", "steps"},
    {"machine", "", "compact"},
    {"machine", "steps=20", "compact"},
    {"machine", "steps=20 edge=extend transitions=no", "compact"},
    {"machine", "steps=20 transitions=no", "compact"},
    {"machine", "steps=5 edge=avoid state=head", "compact"},
    {"machine", "steps=5 state=head comma=no style=verbose", "verbose"},
    {"machine", "steps=5 names=own", "compact"},
    {"machine", "steps=5 names=own state=head edge=extend", "compact"},
    {"copy", "", "copy"},
    {"copy", "variant=prefix", "prefix"},
    {"copy", "variant=suffix length=20..50", NULL}, /* a part at the beginning asks for a copy */
    {"copy", "variant=duplicate", "copy"},
};

static void written_is_right(void **state)
{
    (void)state;
    ThRng g = th_rng(1, "machine", 0);
    ThTm *m = th_tm_random(5, 15, &g, NULL);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ThPad *p = made(all[i].kind, all[i].settings, m);
        ThPadCheckRules known = {.machine = m};
        ThPadExample e = {0};
        for (uint64_t k = 0; k < 200; k++) {
            ThRng r = th_rng(i, "right", k);
            assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
            expect_right(e.text.data, all[i].kind, all[i].style, NULL);
            expect_right(e.text.data, all[i].kind, all[i].style, &known);
        }
        th_pad_example_free(&e);
        th_pad_free(p);
    }
    th_tm_free(m);
}

/* The strict modes are right to the token. */
static void strict_sgd(void **state)
{
    (void)state;
    static const struct {
        const char *mode, *style;
    } modes[] = {{"from-tokens", "turing"},
                 {"requantise", "turing"},
                 {"from-tokens quantiser=points", "turing"},
                 {"from-tokens", "steps"},
                 {"requantise", "steps"}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char settings[64], written[80];
        snprintf(settings, sizeof settings, "strict=%s", modes[i].mode);
        snprintf(written, sizeof written, "%s style=%s", settings, modes[i].style);
        ThPad *p = made("sgd", written, NULL);
        ThOptions o;
        ThPadCheckRules rules = rules_with(&o, settings); /* none but hidden numbers may differ */
        ThPadExample e = {0};
        for (uint64_t k = 0; k < 300; k++) {
            ThRng r = th_rng(i, "strict", k);
            assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
            expect_right(e.text.data, "sgd", modes[i].style, &rules);
        }
        th_options_free(&o);
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

/* What hidden numbers show is within two tokens of what the tokens give, as the paper's tolerance
 * has it. */
static void hidden_sgd(void **state)
{
    (void)state;
    static const char *const styles[] = {"turing", "steps"};
    for (int way = 0; way < 2; way++) {
        char settings[64];
        snprintf(settings, sizeof settings, "examples=1..80 style=%s", styles[way]);
        ThPad *p = made("sgd", settings, NULL);
        ThOptions o;
        ThPadCheckRules exact = rules_with(&o, "tolerance=0");
        ThPadExample e = {0};
        int differ = 0;
        for (uint64_t k = 0; k < 2000; k++) {
            ThRng r = th_rng(3, "hidden", k);
            assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
            expect_right(e.text.data, "sgd", styles[way], NULL);
            differ += checked(e.text.data, &exact).slip != TH_PAD_SLIP_NONE;
        }
        assert_true(differ > 1000);
        th_options_free(&o);
        th_pad_example_free(&e);
        th_pad_free(p);
    }
}

static void marks_around(void **state)
{
    (void)state;
    expect_right("<|BOS|>5+5|f+f(1,0)|^+^(0,10)|10<|EOS|>", "addition", "compact", NULL);
    expect_right("  5+5<|SEP|>f+f(1,0)<|SEP|>^+^(0,10)<|SEP|>10\n", "addition", "compact", NULL);
    expect_slip("5+5|f+f(1,0)|^+^(0,10)|10<|EOS|>x", TH_PAD_SLIP_FORMAT, 4, 10, NULL);
    expect_slip("5+5|f+f(1,0)<|EOS|>|^+^(0,10)|10", TH_PAD_SLIP_EARLY_END, 2, 9, NULL);
    expect_slip("5+5<|SEP|>f+f(0,0)<|SEP|>^+^(0,10)<|SEP|>10", TH_PAD_SLIP_CARRY, 2, 5, NULL);
}

static void misprints(void **state)
{
    (void)state;
    ThPadChecked c =
        checked("4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^(0,463)|4463", NULL);
    assert_true(c.misprint && c.slip == TH_PAD_SLIP_NONE);
    c = checked("4324*135|432e*135(0540~054,0)|43c*135(0270~032,40)|4d*135(0405~043,740)|"
                "e*135(0540~058,3740)|^**135(0000~000,583740)|583740",
                NULL);
    assert_true(c.misprint && c.slip == TH_PAD_SLIP_NONE);
    /* The same slip in another sum is one. */
    expect_slip("4325+139|432f+13j(1,4)|43c+1d(0,64)|4d+b(0,464)|e+^(0,464)|4464", TH_PAD_SLIP_COPY,
                5, 8, NULL);
}

/* ---- slips of sums and products -------------------------------------------------------------- */

static void published_sgd(void **state)
{
    (void)state;
    static const char text[] =
        "$ d a179 a166 , a76 d a80 a145 , a102 d a77 a139 , a103 | d a179 a166 , a76 d a80 a145 , "
        "a102 d a77 a139 , a103 yp a100 g a101 a99 cur a99 a101 | d a179 a166 , a76 d a80 a145 , "
        "a102 yp a101 g a100 a99 cur a99 a102 | d a179 a166 , a76 yp a100 g a120 a117 cur a79 a85 "
        "|";
    expect_right(text, "sgd", "turing", NULL);
    ThOptions o;
    ThPadCheckRules rules = rules_with(&o, "tolerance=0");
    expect_slip(text, TH_PAD_SLIP_DIGIT, 4, 29, &rules);
    ThPadChecked c = checked(text, &rules);
    assert_string_equal(c.expected, "a119");
    assert_string_equal(c.found, "a120");
    th_options_free(&o);
}

static const struct {
    const char *text;
    ThPadSlip slip;
    size_t line, column;
} slips[] = {
    /* addition; right is 4324+139|432e+13j(1,3)|43c+1d(0,63)|4d+b(0,463)|e+^(0,4463)|4463 */
    {"4324+139|452e+13j(1,3)", TH_PAD_SLIP_COPY, 2, 2},
    {"4324+139|42e+13j(1,3)", TH_PAD_SLIP_COPY, 2, 2},
    {"4324+139|4332e+13j(1,3)", TH_PAD_SLIP_COPY, 2, 3},
    {"4324+139|432e+14j(1,3)", TH_PAD_SLIP_COPY, 2, 7},
    {"4324+139|432f+13j(1,3)", TH_PAD_SLIP_DIGIT, 2, 4},
    {"4324+139|4324+13j(1,3)", TH_PAD_SLIP_MOVE, 2, 4},
    {"4324+139|43c4+13j(1,3)", TH_PAD_SLIP_MOVE, 2, 3},
    {"4324+139|432e+139(1,3)", TH_PAD_SLIP_MOVE, 2, 8},
    {"4324+139|432e+13j(0,3)", TH_PAD_SLIP_CARRY, 2, 10},
    {"4324+139|432e+13j(1,4)", TH_PAD_SLIP_DIGIT, 2, 12},
    {"4324+139|432e+13j(1,3|43c", TH_PAD_SLIP_FORMAT, 2, 13},
    {"4324+139|432e-13j(1,3)", TH_PAD_SLIP_FORMAT, 2, 5},
    {"4324+139|432e+13j(1,3)|43c+1d(0,62)", TH_PAD_SLIP_COPY, 3, 11},
    {"4324+139|432e+13j(1,3)|43c+1d(0,6)", TH_PAD_SLIP_COPY, 3, 11},
    {"4324+139|432e+13j(1,3)|43c+1d(0,633)", TH_PAD_SLIP_COPY, 3, 12},
    {"4324+139|432e+13j(1,3)|63", TH_PAD_SLIP_EARLY_END, 3, 1},
    {"4324+139|432e+13j(1,3)|43", TH_PAD_SLIP_EARLY_END, 3, 3},
    {"4324+139|432e+13j(1,3)", TH_PAD_SLIP_EARLY_END, 2, 14},
    {"4324+139|432e+13j(1,3)|", TH_PAD_SLIP_EARLY_END, 3, 1},
    {"4324+139", TH_PAD_SLIP_EARLY_END, 1, 9},
    {"4324+|", TH_PAD_SLIP_FORMAT, 1, 6},
    {"", TH_PAD_SLIP_EARLY_END, 1, 1},
    {"5+5|f+f(1,0)|^+^(0,10)|11", TH_PAD_SLIP_COPY, 4, 2},
    {"5+5|f+f(1,0)|^+^(0,10)|1", TH_PAD_SLIP_EARLY_END, 4, 2},
    {"5+5|f+f(1,0)|^+^(0,10)|100", TH_PAD_SLIP_COPY, 4, 3},
    {"5+5|f+f(1,0)|^+^(0,10)|10|", TH_PAD_SLIP_FORMAT, 4, 3},
    {"5+5|f+f(1,0)|^+^(0,10)|^+^(0,010)|010", TH_PAD_SLIP_FORMAT, 4, 1},
    {"5+5|f+f(1,0)|0", TH_PAD_SLIP_EARLY_END, 3, 1},
    {"07+3|0h+d(1,0)|0h+^(0,10)|10", TH_PAD_SLIP_MOVE, 3, 1},
    /* multiplication; right is 25*4|2f*4(20~2,0)|c*4(08~1,00)|^*4(00~0,100)|100 */
    {"25*4|2f*4(21~2,0)|", TH_PAD_SLIP_DIGIT, 2, 7},
    {"25*4|2f*4(20~3,0)|", TH_PAD_SLIP_CARRY, 2, 9},
    {"25*4|2f*4(20~2,1)|", TH_PAD_SLIP_DIGIT, 2, 11},
    {"25*4|2f*5(20~2,0)|", TH_PAD_SLIP_COPY, 2, 4},
    {"25*4|2e*4(20~2,0)|", TH_PAD_SLIP_DIGIT, 2, 2},
    {"25*4|25*4(20~2,0)|", TH_PAD_SLIP_MOVE, 2, 2},
    {"25*4|2f*4(20~2,0)|c*4(08~1,01)|", TH_PAD_SLIP_COPY, 3, 11},
    {"25*4|2f*4(20~2,0)|c*4(08~1,00)|00", TH_PAD_SLIP_EARLY_END, 4, 1},
    {"25*4|2f*4(20~2,0)|c*4(08~1,00)|^*4(00~0,200)|200", TH_PAD_SLIP_DIGIT, 4, 10},
    {"25*4|2f*4(20~2,0)|c*4(08~1,00)|a*4(00~0,100)|100", TH_PAD_SLIP_COPY, 4, 1},
    /* in columns; right is 07.*4|7*4(82~82)8|0*4(00~20)2|28 */
    {"07.*4|7*4(83~82)8|", TH_PAD_SLIP_DIGIT, 2, 6},
    {"07.*4|7*4(82~83)8|", TH_PAD_SLIP_CARRY, 2, 9},
    {"07.*4|7*4(82~92)8|", TH_PAD_SLIP_CARRY, 2, 8},
    {"07.*4|6*4(82~82)8|", TH_PAD_SLIP_COPY, 2, 1},
    {"07.*4|7*5(82~82)8|", TH_PAD_SLIP_COPY, 2, 3},
    {"07.*4|7*4(82~82)2|", TH_PAD_SLIP_COPY, 2, 11},
    {"07.*4|7*4(82~82|8|", TH_PAD_SLIP_FORMAT, 2, 10},
    {"07.*4|7*4(82~8)28|", TH_PAD_SLIP_FORMAT, 2, 9},
    {"07.*4|7*4(82~82)8|28", TH_PAD_SLIP_EARLY_END, 3, 1},
    {"07.*4|7*4(82~82)8|0*4(00~20)2|29", TH_PAD_SLIP_COPY, 4, 2},
    {"07.*4|7*4(82~82)8|0*4(00~20)2|2", TH_PAD_SLIP_EARLY_END, 4, 2},
    {"07.*4|7*4(82~82)8|0*4(00~20)2|280", TH_PAD_SLIP_FORMAT, 4, 3},
    {"07.*4|7*4(82~82)8|0*4(00~20)2|28|", TH_PAD_SLIP_FORMAT, 4, 3},
    {"17.*4|7*4(82~82)8|", TH_PAD_SLIP_FORMAT, 1, 1},
    {"7.*4|", TH_PAD_SLIP_FORMAT, 1, 1},
    {"07.0*4|", TH_PAD_SLIP_FORMAT, 1, 4},
    {"007.1*42|", TH_PAD_SLIP_FORMAT, 1, 5},
    {"07.*", TH_PAD_SLIP_EARLY_END, 1, 5},
    {"07.*4", TH_PAD_SLIP_EARLY_END, 1, 6},
    {"07.*4|", TH_PAD_SLIP_EARLY_END, 2, 1},
    /* without steps */
    {"576+361=938", TH_PAD_SLIP_CARRY, 1, 11},
    {"576+361=997", TH_PAD_SLIP_DIGIT, 1, 10},
    {"576+361=93", TH_PAD_SLIP_EARLY_END, 1, 11},
    {"576+361=9377", TH_PAD_SLIP_FORMAT, 1, 12},
    {"a5b7c6+a3b6c1=a9b3c8", TH_PAD_SLIP_CARRY, 1, 20},
    {"a5b7c6+a3b6c1=a9c3c7", TH_PAD_SLIP_MOVE, 1, 17},
    {"12*12=145", TH_PAD_SLIP_DIGIT, 1, 9},
    /* copies */
    {"$abc|abd.", TH_PAD_SLIP_COPY, 2, 3},
    {"$abc|ab.", TH_PAD_SLIP_EARLY_END, 2, 3},
    {"$abc|ab", TH_PAD_SLIP_EARLY_END, 2, 3},
    {"$abc|abc", TH_PAD_SLIP_EARLY_END, 2, 4},
    {"$abc|abcc.", TH_PAD_SLIP_COPY, 2, 4},
    {"$abc|ab?", TH_PAD_SLIP_FORMAT, 2, 3},
    {"$ab|tapehabead|eax.", TH_PAD_SLIP_COPY, 3, 3},
    /* sgd */
    {"$ d a150 a50 , a120 | d a150 a51 , a120 yp a100 g a90 a110 cur a110 a90 |", TH_PAD_SLIP_COPY,
     2, 8},
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a103 g a90 a110 cur a110 a90 |", TH_PAD_SLIP_DIGIT,
     2, 22},
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a100 g a80 a110 cur a110 a90 |", TH_PAD_SLIP_DIGIT,
     2, 29},
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a100 g a90 a110 cur a110 a94 |", TH_PAD_SLIP_STATE,
     2, 47},
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a100 g a90 a110 cur a110", TH_PAD_SLIP_EARLY_END,
     2, 46},
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a100 g a90 a110 cur a110 x |", TH_PAD_SLIP_FORMAT,
     2, 47},
    /* by steps; right is yp a100 a100 a100 g a80 a90 a110 cur a110 a90 */
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a103 a100 a100 g a80", TH_PAD_SLIP_DIGIT, 2, 22},
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a100 a97 a100 g a80", TH_PAD_SLIP_DIGIT, 2, 27},
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a100 a100 a103 g a80", TH_PAD_SLIP_DIGIT, 2, 32},
    {"$ d a150 a50 , a120 | d a150 a50 , a120 yp a100 a100 a100 g a77 a90 a110", TH_PAD_SLIP_DIGIT,
     2, 39},
    {"$ d a100 a100 , a100 d a150 a50 , a120 | d a100 a100 , a100 yp", TH_PAD_SLIP_COPY, 2, 3},
    {"$ d a150 a50 a120 |", TH_PAD_SLIP_FORMAT, 1, 14},
    {"$ d a150 a250 , a120 |", TH_PAD_SLIP_FORMAT, 1, 10},
    /* nothing of the kind */
    {"hello", TH_PAD_SLIP_FORMAT, 1, 1},
};

static void slips_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
        expect_slip(slips[i].text, slips[i].slip, slips[i].line, slips[i].column, NULL);
}

static void options_decide(void **state)
{
    (void)state;
    ThOptions o;
    ThPadCheckRules rules = rules_with(&o, "final-carry=line flush=digit");
    expect_slip("5+5|f+f(1,0)|10", TH_PAD_SLIP_EARLY_END, 3, 1, &rules);
    assert_true(th_options_set(&o, "final-carry", "fold", NULL));
    expect_slip("5+5|f+f(1,0)|^+^(0,10)|10", TH_PAD_SLIP_CARRY, 3, 1, &rules);
    expect_right("5+5|f+f(1,0)|10", "addition", "compact", &rules);
    expect_slip("99*99|9j*99(891~89,1)|j*99(891~98,01)|^*99(000~00,9801)|9801", TH_PAD_SLIP_CARRY,
                4, 11, &rules);
    assert_true(th_options_set(&o, "flush", "once", NULL));
    expect_right("99*99|9j*99(891~89,1)|j*99(891~98,01)|^*99(000~00,9801)|9801", "multiplication",
                 "compact", &rules);
    rules.style = "reversed";
    expect_slip("576+361=939", TH_PAD_SLIP_CARRY, 1, 9,
                &rules); /* 838 backwards, but for a carry */
    rules.kind = th_pad_kind("copy");
    rules.style = "suffix";
    assert_true(th_options_set(&o, "ngram", "1", NULL));
    expect_right("$abc|bc.", "copy", "suffix", &rules);
    assert_true(th_options_set(&o, "answer", "1", NULL));
    expect_slip("$abc|ac.", TH_PAD_SLIP_COPY, 2, 2, &rules);
    expect_right("$abc|ab.", "copy", "suffix", &rules);
    th_options_free(&o);
}

/* As many letters as are asked for, or what there is. */
static void answers_of_copies(void **state)
{
    (void)state;
    ThOptions o = {0};
    ThPadCheckRules rules = rules_with(&o, "answer=2");
    expect_right("$tapehead|tapeh.", "copy", "suffix", &rules);
    rules.style = "suffix";
    expect_slip("$tapehead|tapehe.", TH_PAD_SLIP_COPY, 2, 6, &rules);
    expect_slip("$tapehead|tape.", TH_PAD_SLIP_EARLY_END, 2, 5, &rules);
    rules.style = NULL;
    expect_right("$pe|tapehead|he.", "copy", "prefix", &rules);
    assert_true(th_options_set(&o, "answer", "5", NULL));
    expect_right("$tapehead|head.", "copy", "suffix", &rules);
    expect_right("$hea|tapehead|d.", "copy", "prefix", &rules);
    assert_true(th_options_set(&o, "answer", "0", NULL));
    expect_right("$pe|tapehead|head.", "copy", "prefix", &rules);
    th_options_free(&o);
}

/* Each place of random additions in turn: what is wrong there is of the kind of that place. */
static ThPadSlip kind_of_place(const char *line, size_t i)
{
    const char *open = strchr(line, '('), *comma = strchr(line, ',');
    if (line[i] >= 'a' && line[i] <= 'j')
        return TH_PAD_SLIP_DIGIT;
    if (line + i < open)
        return TH_PAD_SLIP_COPY;
    return line + i < comma        ? TH_PAD_SLIP_CARRY
           : line + i == comma + 1 ? TH_PAD_SLIP_DIGIT
                                   : TH_PAD_SLIP_COPY;
}

static void mutations(void **state)
{
    (void)state;
    ThPad *p = made("addition", "digits=3..12", NULL);
    ThOptions o;
    ThPadCheckRules rules = rules_with(&o, "final-carry=line");
    ThPadExample e = {0};
    for (uint64_t k = 0; k < 60; k++) {
        ThRng r = th_rng(9, "mutation", k);
        size_t from = 0, at, size, line = 2;
        assert_true(th_pad_draw(p, NULL, &r, &e, NULL));
        for (; th_pad_example_line(p, &e, &from, &at, &size); line++) {
            for (size_t i = 0; i < size; i++) {
                char *c = &e.text.data[at + i], was = *c;
                bool letter = was >= 'a' && was <= 'j';
                if (letter || (was >= '0' && was <= '9')) {
                    char zero = letter ? 'a' : '0';
                    *c = (char)(zero + (was - zero + 1 + (int)th_rng_below(&r, 9)) % 10);
                    expect_slip(e.text.data, kind_of_place(e.text.data + at, i), line, i + 1,
                                &rules);
                }
                *c = '#';
                expect_slip(e.text.data, TH_PAD_SLIP_FORMAT, line, i + 1, &rules);
                *c = '\0';
                expect_slip(e.text.data, TH_PAD_SLIP_EARLY_END, line, i + 1, &rules);
                *c = was;
            }
        }
    }
    th_options_free(&o);
    th_pad_example_free(&e);
    th_pad_free(p);
}

/* ---- machines -------------------------------------------------------------------------------- */

static const char increment[] = "blank _ ; start right ; halt done ; tape two-way\n"
                                "right 0,1 -> R right\nright _ -> L carry\ncarry 1 -> 0 L carry\n"
                                "carry 0,_ -> 1 L done";

#define RUN_1                                                                                      \
    "right | [1] <|SEP|> ( right ~ 1 ~ R ) <|SEP|> right | 1 [_] <|SEP|> ( carry ~ _ ~ L ) "       \
    "<|SEP|> carry | [1] _ <|SEP|> ( carry ~ 0 ~ L ) <|SEP|> carry | [_] 0 _ <|SEP|> "
#define RUN_2 "( done ~ 1 ~ L ) <|SEP|> done | [_] 1 0 _"

static const struct {
    const char *text;
    ThPadSlip slip;
    size_t line, column;
} machine_slips[] = {
    {RUN_1 RUN_2 " <|SEP|> 1 0", TH_PAD_SLIP_NONE, 0, 0},
    {RUN_1 RUN_2, TH_PAD_SLIP_EARLY_END, 9, 17},
    {RUN_1 RUN_2 " <|SEP|> 1", TH_PAD_SLIP_EARLY_END, 10, 2},
    {RUN_1 RUN_2 " <|SEP|> 1 1", TH_PAD_SLIP_COPY, 10, 3},
    {RUN_1 "1 0", TH_PAD_SLIP_EARLY_END, 8, 1},
    {RUN_1 "( carry ~ 1 ~ L )", TH_PAD_SLIP_STATE, 8, 3},
    {RUN_1 "( done ~ 0 ~ L )", TH_PAD_SLIP_WRITE, 8, 10},
    {RUN_1 "( done ~ 1 ~ R )", TH_PAD_SLIP_MOVE, 8, 14},
    {RUN_1 "( done ~ 1 ~ L ) <|SEP|> carry | [_] 1 0 _", TH_PAD_SLIP_STATE, 9, 1},
    {RUN_1 "( done ~ 1 ~ L ) <|SEP|> done | [_] 0 0 _", TH_PAD_SLIP_WRITE, 9, 12},
    {RUN_1 "( done ~ 1 ~ L ) <|SEP|> done | [_] 1 1 _", TH_PAD_SLIP_COPY, 9, 14},
    {RUN_1 "( done ~ 1 ~ L ) <|SEP|> done | _ [1] 0 _", TH_PAD_SLIP_MOVE, 9, 8},
    {RUN_1 "( done ~ 1 ~ L ) <|SEP|> done | [_] 1 0 [_]", TH_PAD_SLIP_MOVE, 9, 16},
    {RUN_1 "( done ~ 1 ~ L )", TH_PAD_SLIP_EARLY_END, 8, 17},
    {RUN_1 "( done 1 L )", TH_PAD_SLIP_FORMAT, 8, 8},
    {RUN_1 "( nowhere ~ 1 ~ L )", TH_PAD_SLIP_FORMAT, 8, 3},
    {RUN_1 RUN_2 " <|SEP|> ( done ~ 1 ~ L )", TH_PAD_SLIP_FORMAT, 10, 1},
    {"right | 1 <|SEP|> ( right ~ 1 ~ R )", TH_PAD_SLIP_FORMAT, 1, 11},
};

static void machine_slips_are_found(void **state)
{
    (void)state;
    ThTm *m = th_tm_parse(increment, NULL);
    ThPadCheckRules rules = {.machine = m};
    for (size_t i = 0; i < sizeof machine_slips / sizeof *machine_slips; i++)
        expect_slip(machine_slips[i].text, machine_slips[i].slip, machine_slips[i].line,
                    machine_slips[i].column, &rules);
    th_tm_free(m);
}

/* Without the machine, what it did once it has to do again. */
static void consistent_runs(void **state)
{
    (void)state;
    expect_right("s1 | b1 a1 <|SEP|> ( s1 ~ a2 ~ R ) <|SEP|> s1 | a2 b1 <|SEP|> ( s1 ~ a2 ~ R ) "
                 "<|SEP|> s1 | a2 a2 b1",
                 "machine", "compact", NULL);
    expect_slip("s1 | b1 a1 <|SEP|> ( s1 ~ a2 ~ R ) <|SEP|> s1 | a2 b1 <|SEP|> ( s1 ~ a3 ~ R ) "
                "<|SEP|> s1 | a2 a2 b1",
                TH_PAD_SLIP_WRITE, 4, 8, NULL);
    expect_slip("s1 | b1 a1 <|SEP|> s1 | a2 b1 <|SEP|> s1 | a2 a3 b1", TH_PAD_SLIP_WRITE, 3, 9,
                NULL);
    expect_slip("s1 | b1 a1 <|SEP|> ( s1 ~ a2 ~ R ) <|SEP|> s1 | a2 b1 <|SEP|> a2 a1",
                TH_PAD_SLIP_EARLY_END, 4, 1, NULL);
}

/* Full runs of machines that stop, on inputs, are right as a whole; cut off they end early. */
static void full_runs(void **state)
{
    (void)state;
    static const char *const inputs[] = {"1011", "111", "0", "1", ""};
    static const char *const settings[] = {"", "names=paper", "transitions=no",
                                           "state=head style=verbose"};
    ThTm *m = th_tm_parse(increment, NULL);
    ThPadCheckRules rules = {.machine = m};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
            ThPad *p = made("machine", settings[k], m);
            ThPadExample e = {0};
            ThRng r = th_rng(1, "run", 0);
            ThPadOperands input = {&inputs[i], 1, 0};
            assert_true(th_pad_write(p, &input, &r, &e, NULL));
            expect_right(e.text.data, "machine", k == 3 ? "verbose" : "compact", &rules);
            expect_right(e.text.data, "machine", k == 3 ? "verbose" : "compact", NULL);
            e.text.data[e.answer - 1] = '\0';
            assert_int_equal(checked(e.text.data, &rules).slip, TH_PAD_SLIP_EARLY_END);
            th_pad_example_free(&e);
            th_pad_free(p);
        }
    }
    th_tm_free(m);
}

/* ---- any bytes ------------------------------------------------------------------------------- */

static void any_bytes(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789+*abj^(),~|=$.<> sLR[]@\n\xc3\xa9";
    char text[201];
    ThRng r = th_rng(1, "bytes", 0);
    for (int i = 0; i < 20000; i++) {
        size_t n = th_rng_below(&r, 200);
        for (size_t k = 0; k < n; k++)
            text[k] = alphabet[th_rng_below(&r, sizeof alphabet)];
        for (size_t k = 0; i % 2 && k + 4 < n; k += 5) { /* marks and single characters */
            text[k] = '@';
            text[k + 1] = (char)('1' + k % 9);
            text[k + 2] = text[k + 4] = ' ';
        }
        ThPadChecked c;
        ThPadCheckRules rules = {0};
        assert_true(th_pad_check(text, n, &rules, &c, NULL));
        assert_true(c.offset <= n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_right),
        cmocka_unit_test(strict_sgd),
        cmocka_unit_test(hidden_sgd),
        cmocka_unit_test(marks_around),
        cmocka_unit_test(misprints),
        cmocka_unit_test(published_sgd),
        cmocka_unit_test(slips_are_found),
        cmocka_unit_test(options_decide),
        cmocka_unit_test(answers_of_copies),
        cmocka_unit_test(mutations),
        cmocka_unit_test(machine_slips_are_found),
        cmocka_unit_test(consistent_runs),
        cmocka_unit_test(full_runs),
        cmocka_unit_test(any_bytes),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
