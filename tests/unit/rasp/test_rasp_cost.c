/* Layers and heads of RASP programs, as the authors' interpreter counts them; RASP-L. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rasp/graph/cost.h"
#include "rasp/interpret/rasp.h"

/* Programs over inputs whose first token is a mark to be ignored (BOS), and others. */
static const char programs[] =
    "def width_bos(sel) {"
    "  seen = sel or select(indices, 0, ==);"
    "  return round(1 / aggregate(seen, indicator(indices == 0))) - 1; }\n"
    "hist_nobos = selector_width(select(tokens, tokens, ==));\n"
    "hist_bos = width_bos(select(tokens, tokens, ==));\n"
    "reverse = aggregate(select(indices, length - 1 - indices, ==), tokens);\n"
    "earlier = select(indices, indices, <);\n"
    "copies = select(tokens, tokens, ==) and earlier;\n"
    "again = aggregate(copies, 1, 0) > 0;\n"
    "new = select(hist_bos, hist_bos, ==) and select(again, False, ==);\n"
    "hist2_bos = width_bos(new);\n"
    "def sort_bos(seq, key) {"
    "  less = select(key, key, <) or (select(key, key, ==) and select(indices, indices, <));"
    "  before = -1 if indices == 0 else width_bos(less);"
    "  return aggregate(select(before, indices - 1, ==), seq, \"\"); }\n"
    "sorted = sort_bos(tokens, tokens);\n"
    "most_freq = sort_bos(\"\" if again else tokens, 300 * indicator(again) - hist_bos);\n"
    "def balance(open, close, upto) {"
    "  up = indicator(tokens == open) - indicator(tokens == close);"
    "  return round((indices + 1) * aggregate(upto, up)); }\n"
    "upto = select(indices, indices, <=);\n"
    "b = balance(\"(\", \")\", upto);\n"
    "sunk = aggregate(upto, indicator(b < 0)) > 0;\n"
    "dyck1 = \"F\" if sunk else (\"T\" if b == 0 else \"P\");\n"
    "c1 = balance(\"(\", \")\", select(indices, indices, <=));\n"
    "c2 = balance(\"{\", \"}\", select(indices, indices, <=));\n"
    "bad = aggregate(full_s, indicator((c1 < 0) or (c2 < 0))) > 0;\n"
    "last = select(indices, length - 1, ==);\n"
    "ok = aggregate(last, indicator((c1 == 0) and (c2 == 0))) == 1;\n"
    "shuffle2 = ok and (not bad);\n"
    "d2 = balance(\"{\", \"}\", upto);\n"
    "bad2 = aggregate(full_s, indicator((b < 0) or (d2 < 0))) > 0;\n"
    "ok2 = aggregate(last, indicator((b == 0) and (d2 == 0))) == 1;\n"
    "shared2 = ok2 and (not bad2);\n"
    "opens = tokens in [\"(\", \"{\"];\n"
    "closes = tokens in [\")\", \"}\"];\n"
    "net = round((indices + 1) * aggregate(upto, indicator(opens) - indicator(closes)));\n"
    "late = net + indicator(closes);\n"
    "place = selector_width(select(late, late, ==) and upto);\n"
    "partner = select(opens, True, ==) and select(late, late, ==) and select(place, place - 1, "
    "==);\n"
    "pair = aggregate(partner, tokens, \"\") + tokens;\n"
    "wrong = closes and not (pair in [\"()\", \"{}\"]);\n"
    "failed = aggregate(upto, indicator(wrong or (net < 0))) > 0;\n"
    "dyck2 = \"F\" if failed else (\"T\" if net == 0 else \"P\");\n"
    "fraction = aggregate(upto, indicator(tokens == \"l\"));\n"
    "one = aggregate(upto, tokens == \"l\" and tokens == \"m\" and False, False) if False else"
    "  aggregate(upto, indices) + aggregate(upto, 0 - indices);\n"
    "twice = aggregate(select(indices, indices, <=), indices)"
    "  + aggregate(select(indices, indices, <=), 0 - indices);\n"
    "sort_library = sort(tokens, tokens);\n"
    "mark = mark_last_instance(tokens, \"l\");\n"
    "next = select_next_identical(tokens);\n"
    "shifted = shift(tokens, 1, \"-\");\n"
    "shifted2 = shift(shift(tokens, 1, \"-\"), 1, \"-\");\n"
    "counted = count(tokens, \"l\");\n"
    "contained = contains(tokens, \"l\");\n"
    "focus = has_focus(upto);\n"
    "second = tokens[1];\n"
    "mean = average(indices);\n"
    "more = indices + 1;\n"
    "causal_copies = sel_width(select(tokens, tokens, ==, causal));\n";

static ThRasp *interpreter(const char *source)
{
    ThError err = {0};
    ThRasp *r = th_rasp_new(NULL, &err);
    assert_non_null(r);
    if (!th_rasp_execute(r, source, false, true, NULL, &err))
        print_error("%d:%d: %s (%s)\n", err.line, err.col, err.msg, err.hint);
    assert_int_equal(err.code, TH_OK);
    return r;
}

static ThRaspSop named(ThRasp *r, const char *name)
{
    ThRaspValue v;
    assert_true(th_rasp_lookup(r, name, &v));
    assert_true(v.kind == TH_RASP_VALUE_SOP || v.kind == TH_RASP_VALUE_SELECTOR);
    return v.as.sop;
}

static void test_layers_and_heads(void **state)
{
    (void)state;
    static const struct {
        const char *name, *heads, *merged;
    } row[] = {
        {"hist_nobos", "2", "2"},
        {"hist_bos", "1", "1"},
        {"reverse", "1,1", "1,1"},
        {"sorted", "1,1", "1,1"},
        {"hist2_bos", "2,1", "2,1"},
        {"most_freq", "2,1,1", "2,1,1"},
        {"dyck1", "1,1", "1,1"},
        {"dyck2", "1,2,1,1", "1,2,1,1"},
        {"shuffle2", "3,2", "2,2"},
        {"shared2", "2,2", "2,2"},
        {"fraction", "1", "1"},
        {"one", "1", "1"},
        {"twice", "2", "1"},
        {"length", "1", "1"},
        {"sort_library", "2,1", "2,1"},
        {"mark", "1", "1"},
        {"shifted", "1", "1"},
        {"shifted2", "1,1", "1,1"},
        {"counted", "1", "1"},
        {"contained", "1", "1"},
        {"focus", "1", "1"},
        {"second", "1", "1"},
        {"mean", "1", "1"},
        {"more", "", ""},
        {"tokens", "", ""},
        {"indices", "", ""},
    };
    ThRasp *r = interpreter(programs);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        ThRaspCost c;
        ThText heads = {0}, merged = {0};
        th_text_add(&heads, "");
        th_text_add(&merged, "");
        assert_true(th_rasp_cost(th_rasp_graph(r), named(r, row[k].name), &c, NULL));
        for (uint32_t i = 0; i < c.layers; i++) {
            th_text_printf(&heads, "%s%zu", i ? "," : "", c.heads[i]);
            th_text_printf(&merged, "%s%zu", i ? "," : "", c.merged[i]);
        }
        if (strcmp(heads.data, row[k].heads) != 0 || strcmp(merged.data, row[k].merged) != 0)
            print_error("%s: %s heads, merged %s\n", row[k].name, heads.data, merged.data);
        assert_string_equal(heads.data, row[k].heads);
        assert_string_equal(merged.data, row[k].merged);
        th_text_free(&heads);
        th_text_free(&merged);
        th_rasp_cost_free(&c);
    }
    assert_int_equal(th_rasp_node(th_rasp_graph(r), named(r, "next"))->depth, 2);
    th_rasp_free(r);
}

/* Every layer has an aggregate of its depth that waits for something of the depth below. */
static void test_reasons(void **state)
{
    (void)state;
    static const char *const name[] = {"dyck2", "most_freq", "shuffle2", "sort_library", "next"};
    ThRasp *r = interpreter(programs);
    const ThRaspGraph *g = th_rasp_graph(r);
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        ThRaspCost c;
        assert_true(th_rasp_cost(g, named(r, name[k]), &c, NULL));
        for (uint32_t i = 0; i < c.layers; i++) {
            const ThRaspForce *f = &c.force[i];
            bool top = i + 1 == c.layers && th_rasp_is_selector(g, named(r, name[k]));
            assert_int_equal(f->aggregate == TH_RASP_NO_SOP, top);
            if (!top)
                assert_int_equal(th_rasp_node(g, f->aggregate)->depth, i + 1);
            assert_int_equal(f->waits_for == TH_RASP_NO_SOP, i == 0);
            if (i)
                assert_int_equal(th_rasp_node(g, f->waits_for)->depth, i);
        }
        th_rasp_cost_free(&c);
    }
    /* The library's own function is named. */
    ThRaspCost c;
    assert_true(th_rasp_cost(g, named(r, "sort_library"), &c, NULL));
    ThRaspOrigin o = th_rasp_origin(g, th_rasp_node(g, c.force[0].aggregate)->origin);
    assert_string_equal(o.label, "aggregate");
    o = th_rasp_origin(g, o.outer);
    assert_string_equal(o.label, "selector_width");
    assert_string_equal(th_rasp_origin(g, o.outer).label, "sort");
    th_rasp_cost_free(&c);
    th_rasp_free(r);
}

static const char *rules_of(ThRasp *r, const char *name, char *to)
{
    size_t n;
    ThRaspBreach *b = th_rasp_breaches(th_rasp_graph(r), named(r, name), &n, NULL);
    char *at = to;
    assert_non_null(b);
    for (size_t k = 0; k < n; k++)
        *at++ = "AIU"[b[k].what];
    *at = '\0';
    free(b);
    return to;
}

static void test_rasp_l(void **state)
{
    (void)state;
    char to[100];
    ThRasp *r = interpreter(programs);
    assert_string_equal(rules_of(r, "tokens", to), "");
    assert_string_equal(rules_of(r, "fraction", to), "");
    assert_string_equal(rules_of(r, "more", to), "");
    assert_string_equal(rules_of(r, "causal_copies", to), "");
    assert_string_equal(rules_of(r, "mean", to), "A");
    assert_string_equal(rules_of(r, "b", to), "I");
    assert_string_equal(rules_of(r, "hist_bos", to), "AU");
    assert_true(strchr(rules_of(r, "reverse", to), 'I') != NULL);
    th_rasp_free(r);
    /* A selector that looks ahead is told of once, however often it is used. */
    r = interpreter("ahead = select(tokens, tokens, !=);"
                    "both = aggregate(ahead, indicator(tokens == \"x\")) + "
                    "aggregate(ahead, indicator(tokens == \"y\"));");
    assert_string_equal(rules_of(r, "both", to), "A");
    th_rasp_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_and_heads),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_rasp_l),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
