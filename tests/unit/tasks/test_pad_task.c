/* Scratchpads as tasks: what is drawn, cut into windows, scored, judged, and learnt from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/symbols.h"
#include "given.h"
#include "lab/train.h"
#include "turing/tm_machine.h"

static ThTask *pad_task(const char *pad, const char *settings)
{
    ThTm *m = th_tm_read_bb("1RB1LB_1LA1RZ", NULL);
    ThTask *t = made_pad_task(pad, settings, m);
    th_tm_free(m);
    return t;
}

static ThBatch studied(const ThTask *t, uint64_t seed, int B, ThRange sizes)
{
    ThBatch b = {.B = B};
    ThRng r = th_rng(seed, "test", 0);
    assert_true(t->kind->study(t, &r, &sizes, &b, NULL));
    return b;
}

static int token_of(const ThTask *t, const char *name)
{
    return th_symbols_find(t->signature.symbol, t->signature.n_symbols, name);
}

/* The tokens of a row and the last target: a whole scratchpad. */
static ThTaskWord whole(const ThTask *t, const ThBatch *b, int row, int *to)
{
    int n = th_batch_length(b, row);
    memcpy(to, th_batch_token(b, row), (size_t)n * sizeof *to);
    to[n] = th_batch_target(&t->signature, b, row)[n - 1];
    return (ThTaskWord){to, n + 1};
}

static const struct {
    const char *pad, *settings;
    int tokens;
} kinds[] = {{"addition", "digits=1..4", 28},
             {"addition", "style=verbose digits=1..3", 32},
             {"addition", "style=plain", 14},
             {"addition", "style=blanks blanks=1", 15},
             {"addition", "style=reversed-hints", 40},
             {"addition", "style=reversed hints=40", 54},
             {"addition", "hints=64", 92},
             {"multiplication", "hints=33", 62},
             {"machine", "hints=30", 46},
             {"sgd", "hints=30", 239},
             {"copy", "hints=30", 60},
             {"addition", "second=3..5 final-carry=fold", 28},
             {"multiplication", "", 29},
             {"multiplication", "multiplier=1 flush=once", 29},
             {"multiplication", "style=verbose", 33},
             {"sgd", "", 209},
             {"sgd", "style=plain strict=requantise", 209},
             {"machine", "", 16},
             {"machine", "steps=4 edge=extend", 16},
             {"machine", "transitions=no state=head", 16},
             {"machine", "inputs=01", 16},
             {"machine", "style=verbose comma=no", 16},
             {"copy", "", 30},
             {"copy", "variant=prefix ngram=2", 30},
             {"copy", "variant=suffix ngram=2 answer=1", 30},
             {"copy", "variant=duplicate ngram=2", 30}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What is drawn has no more tokens than was said, and the checker finds it right: prompt and answer
 * apart, at every length. */
static void test_drawn_is_right(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        ThTask *t = pad_task(kinds[k].pad, kinds[k].settings);
        assert_int_equal(t->signature.n_symbols, kinds[k].tokens);
        for (int length = 4; length < 30; length += 5) {
            ThRng r = th_rng(1, "drawn", (uint64_t)length);
            ThBatch b = {.B = 20};
            int most = th_task_tokens(t, length), *to = calloc((size_t)most + 1, sizeof *to);
            assert_non_null(to);
            assert_true(th_task_sample(t, &r, length, &b, NULL));
            assert_true(b.T <= most);
            for (int i = 0; i < b.B; i++) {
                ThTaskWord w = whole(t, &b, i, to);
                int prompt = prompt_of(&t->signature, &b, i);
                ThTaskWord asked = {to, prompt}, said = {to + prompt, w.n - prompt};
                ThTaskVerdict v;
                ThError err = {0};
                if (!th_task_judge(t, asked, said, &v, &err))
                    fail_msg("%s %s: %s", kinds[k].pad, kinds[k].settings, err.msg);
                if (!v.right)
                    fail_msg("%s %s, %d: %s %s", kinds[k].pad, kinds[k].settings, length, v.kind,
                             v.what);
                assert_int_equal(v.at, said.n);
                assert_true(th_task_same_answer(t, said, said));
            }
            free(to);
            th_batch_free(&b);
        }
        th_task_free(t);
    }
}

/* The bound is reached by what it says it is for. */
static void test_bound_is_tight(void **state)
{
    (void)state;
    static const struct {
        const char *pad, *settings;
        int length, tokens;
    } rows[] = {
        {"addition", "", 50, 4338}, {"multiplication", "", 50, 3666},  {"sgd", "", 3, 75},
        {"sgd", "", 50, 7078},      {"machine", "edge=stay", 50, 114}, {"copy", "", 16, 34}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThTask *t = pad_task(rows[i].pad, rows[i].settings);
        /* <|BOS|> is one more than the texts have, and the last token is not read. */
        assert_int_equal(th_task_tokens(t, rows[i].length), rows[i].tokens);
        th_task_free(t);
    }
}

/* A user's program runs on drawn inputs to its end, and what it leaves is judged: binary numbers
 * are counted on. */
static void test_drawn_inputs(void **state)
{
    (void)state;
    ThTm *m = th_tm_parse("blank _; start a; halt z\n"
                          "a 0 -> R a; a 1 -> R a; a _ -> L b\n"
                          "b 1 -> 0 L b; b 0 -> 1 L z; b _ -> 1 L z",
                          NULL);
    ThTask *t = made_pad_task("machine", "inputs=01", m);
    ThBatch b = {.B = 40};
    ThRng r = th_rng(1, "inputs", 0);
    int separator = token_of(t, "<|SEP|>");
    assert_true(th_task_sample(t, &r, 5, &b, NULL));
    for (int i = 0; i < b.B; i++) {
        const int *row = th_batch_token(&b, i);
        int n = th_batch_length(&b, i), before = 0, after = 0, from = n;
        for (int k = 3; k < 8; k++) /* behind <|BOS|> a | */
            before = 2 * before + (strchr(t->signature.symbol[row[k]], '1') != NULL);
        while (row[from - 1] != separator)
            from--;
        for (int k = from; k < n; k++)
            after = 2 * after + (*t->signature.symbol[row[k]] == '1');
        assert_int_equal(after, before + 1);
    }
    th_batch_free(&b);
    th_task_free(t);
    t = made_pad_task("machine", "inputs=01 steps=3", m);
    ThError err = {0};
    b.B = 1;
    assert_false(th_task_sample(t, &r, 5, &b, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_batch_free(&b);
    th_task_free(t);
    th_tm_free(m);
}

/* ---- judging --------------------------------------------------------------------------------- */

static int read_word(const ThTask *t, const char *text, int *to)
{
    const ThSignature *s = &t->signature;
    int n = 0, *word = th_symbols_read(s->symbol, s->n_symbols, text, &n, NULL);
    assert_non_null(word);
    memcpy(to, word, (size_t)n * sizeof *to);
    free(word);
    return n;
}

static void test_judge(void **state)
{
    (void)state;
    static const struct {
        const char *pad, *settings, *prompt, *said;
        int at; /* -1: right */
        const char *kind;
        bool answer; /* is as in the first row of the kind */
    } rows[] = {
        {"addition", "", "$99+1|", "9j+b(1,0)|j+^(1,00)|^+^(0,100)|100.", -1, "", true},
        {"addition", "", "$99+1|", "8j+b(1,0)|j+^(1,00)|^+^(0,100)|100.", 0, "copy", true},
        {"addition", "", "$99+1|", "9j+b(0,0)|j+^(1,00)|^+^(0,100)|100.", 5, "carry", true},
        {"addition", "", "$99+1|", "9j+b(1,0)|j+^(1,00)|100.", 20, "early end", true},
        {"addition", "", "$99+1|", "9j+b(1,0)|j+^(1,00)|^+^(0,100)|101.", 33, "copy", false},
        {"addition", "", "$99+1|", "9j+b(1,0)|j+^(1,00)|^+^(0,100)|100", 34, "late end", false},
        {"addition", "", "$99+1|", "9j+b(1,0)|j+^(1,00)|^+^(0,100)|1000.", 34, "late end", false},
        {"addition", "", "$99+1|", "", 0, "early end", false},
        {"addition", "", "$31+4|", "3b+e(0,5)|5.", 10, "early end", false},
        {"addition", "", "$31+4|", "313131.", 1, "move", false},
        {"addition", "", "$6163+0|", "616d+a(0,3)|61g+^(0,63)|63.", 24, "early end", false},
        {"addition", "", "$321+4|", "3333.", 1, "copy", false},
        {"addition", "final-carry=fold", "$99+1|", "9j+b(1,0)|j+^(1,00)|100.", -1, "", true},
        {"copy", "", "$abc|", "abd.", 2, "copy", false},
        {"sgd", "", "<|BOS|> $ d a150 a50 , a120 |",
         "d a150 a50 , a120 yp a100 g a90 a110 cur a110 a90 | <|EOS|>", -1, "", true},
        {"sgd", "", "<|BOS|> $ d a150 a50 , a120 |",
         "d a150 a50 , a120 yp a100 g a90 a110 cur a112 a88 | <|EOS|>", -1, "", true},
        {"sgd", "", "<|BOS|> $ d a150 a50 , a120 |",
         "d a150 a50 , a120 yp a100 g a90 a110 cur a113 a90 | <|EOS|>", 11, "state", false},
        {"machine", "names=own", "<|BOS|> A | 0 [0] <|SEP|>",
         "( B ~ 1 ~ R ) <|SEP|> B | 0 [1] <|EOS|>", -1, "", true},
        {"machine", "inputs=01 names=own transitions=no", "<|BOS|> B | [1] <|SEP|>",
         "Z | 1 [0] <|SEP|> 1 <|EOS|>", -1, "", false},
        {"machine", "inputs=01 names=own transitions=no", "<|BOS|> B | [1] <|SEP|>",
         "Z | 1 [0] <|EOS|>", 4, "early end", false},
        {"machine", "names=own", "<|BOS|> A | 0 [0] <|SEP|>",
         "( B ~ 0 ~ R ) <|SEP|> B | 0 [1] <|EOS|>", 3, "write", true},
    };
    const char *pad = "", *right = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThTask *t = pad_task(rows[i].pad, rows[i].settings);
        int prompt[128], said[128], truth[128];
        ThTaskWord p = {prompt, read_word(t, rows[i].prompt, prompt)};
        ThTaskWord s = {said, read_word(t, rows[i].said, said)};
        if (strcmp(pad, rows[i].pad) != 0)
            right = rows[i].said;
        pad = rows[i].pad;
        ThTaskVerdict v;
        assert_true(th_task_judge(t, p, s, &v, NULL));
        if (strcmp(v.kind, rows[i].kind) != 0)
            fail_msg("%s: %s (%s)", rows[i].said, v.kind, v.what);
        assert_int_equal(v.right, rows[i].at < 0);
        assert_int_equal(v.at, rows[i].at < 0 ? s.n : rows[i].at);
        if (strcmp(pad, "copy") != 0)
            assert_int_equal(
                th_task_same_answer(t, s, (ThTaskWord){truth, read_word(t, right, truth)}),
                rows[i].answer);
        th_task_free(t);
    }
}

static void test_no_prompt(void **state)
{
    (void)state;
    ThTask *t = pad_task("addition", "");
    int prompt[8];
    ThTaskVerdict v;
    ThError err = {0};
    ThTaskWord p = {prompt, read_word(t, "$4++", prompt)};
    assert_false(th_task_judge(t, p, (ThTaskWord){0}, &v, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_task_free(t);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* By the definition: of every token of the stream where its line begins, and its source's. */
static bool has_source(const int *id, int at, int window, const ThTask *t, int source)
{
    int separator = token_of(t, "|"), mark = token_of(t, "<|SEP|>"), line[1000], n = 0, begin = at;
    int bos = token_of(t, "$") >= 0 ? token_of(t, "$") : token_of(t, "<|BOS|>");
    if (mark >= 0)
        separator = mark;
    while (id[begin] != bos)
        begin--;
    line[n++] = begin;
    for (int i = begin; i < at; i++)
        if (id[i] == separator)
            line[n++] = i + 1;
    int from = n - 1 - source;
    return line[from < 0 ? 0 : from] >= window;
}

/* Rows of pack=stream follow each other: put together they are scratchpads, and the loss leaves out
 * what it should. */
static void test_stream(void **state)
{
    (void)state;
    enum { B = 12, CONTEXT = 37 };
    static const struct {
        const char *pad, *settings;
        int source;
    } rows[] = {
        {"addition", "pack=stream context=37 cut-off=skip", 1},
        {"machine", "pack=stream context=37 cut-off=skip steps=3", 2},
        {"machine", "pack=stream context=37 cut-off=skip steps=3 transitions=no", 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ThTask *t = pad_task(rows[k].pad, rows[k].settings);
        ThBatch b = studied(t, 7, B, (ThRange){2, 6, 1});
        int id[B * CONTEXT + 1], unscored = 0;
        assert_int_equal(b.T, CONTEXT);
        assert_null(b.length);
        memcpy(id, b.token, B * CONTEXT * sizeof *id);
        id[B * CONTEXT] = b.target[B * CONTEXT - 1];
        for (int i = 0; i < B * CONTEXT; i++) {
            int window = i / CONTEXT * CONTEXT;
            bool scored = has_source(id, i + 1, window, t, rows[k].source);
            assert_int_equal(b.target[i], scored ? id[i + 1] : -1);
            unscored += !scored;
        }
        assert_in_range(unscored, B, B * CONTEXT - B);
        th_batch_free(&b);
        th_task_free(t);
    }
}

/* The scratchpads that lie within a window are right, and of the sizes that training asked for. */
static void test_offsets(void **state)
{
    (void)state;
    ThTask *t = pad_task("addition", "context=120");
    ThBatch b = studied(t, 3, 50, (ThRange){2, 4, 1});
    int bos = token_of(t, "$"), eos = token_of(t, "."), bar = token_of(t, "|"), found = 0, cut = 0;
    for (int i = 0; i < b.B; i++) {
        const int *row = th_batch_token(&b, i);
        cut += row[0] != bos;
        for (int at = 0, end; at < b.T; at++) {
            if (row[at] != bos)
                continue;
            int question = at;
            while (question < b.T && row[question] != bar)
                question++;
            for (end = at; end < b.T && row[end] != eos;)
                end++;
            if (end == b.T)
                break;
            ThTaskVerdict v;
            assert_in_range(question - at, 2 + 1 + 2 + 1, 4 + 1 + 4 + 1);
            assert_true(th_task_judge(t, (ThTaskWord){row + at, question + 1 - at},
                                      (ThTaskWord){row + question + 1, end - question}, &v, NULL));
            assert_true(v.right);
            found++;
        }
    }
    assert_in_range(found, 30, 200);
    assert_in_range(cut, 30, 50);
    th_batch_free(&b);
    th_task_free(t);
}

/* Loss on all, on what follows the question, and on nothing that a window cuts off at its end. */
static void test_loss(void **state)
{
    (void)state;
    ThTask *all = pad_task("addition", ""), *answer = pad_task("addition", "loss=answer");
    ThTask *fill = pad_task("addition", "pack=fill context=100");
    ThRange two = {2, 2, 1};
    ThBatch a = studied(all, 5, 8, two), b = studied(answer, 5, 8, two),
            c = studied(fill, 5, 8, two);
    for (int i = 0; i < 8; i++) {
        const int *x = th_batch_target(&all->signature, &a, i),
                  *y = th_batch_target(&all->signature, &b, i);
        for (int j = 0; j < th_batch_length(&a, i); j++) {
            assert_true(x[j] >= 0);
            assert_int_equal(y[j], j < 6 ? -1 : x[j]);
        }
        assert_int_equal(th_batch_token(&c, i)[0], token_of(all, "$"));
        assert_int_equal(th_batch_target(&all->signature, &c, i)[c.T - 1], -1);
    }
    th_batch_free(&a);
    th_batch_free(&b);
    th_batch_free(&c);
    th_task_free(all);
    th_task_free(answer);
    th_task_free(fill);
}

/* Whole texts with questions of several lengths in one batch: of each its own question is not
 * scored, up to the bar behind it. */
static void test_loss_of_uneven_questions(void **state)
{
    (void)state;
    enum { ROWS = 12 };
    ThTask *t = pad_task("addition", "loss=answer");
    ThBatch b = studied(t, 5, ROWS, (ThRange){1, 4, 1});
    int bar = token_of(t, "|"), lengths = 0;
    for (int i = 0; i < ROWS; i++) {
        const int *token = th_batch_token(&b, i), *y = th_batch_target(&t->signature, &b, i);
        int question = 0;
        while (token[question] != bar)
            question++;
        lengths |= 1 << question;
        for (int j = 0; j < th_batch_length(&b, i); j++)
            assert_int_equal(y[j] >= 0, j >= question);
    }
    assert_true(lengths & (lengths - 1));
    th_batch_free(&b);
    th_task_free(t);
}

/* ---- training -------------------------------------------------------------------------------- */

/* Two trainings in a row are one, on a copy of the task as well. */
static void test_training_goes_on(void **state)
{
    (void)state;
    static const char *const settings[] = {"digits=1..2", "digits=1..2 context=20 cut-off=skip"};
    for (int i = 0; i < 2; i++) {
        ThTask *t = pad_task("addition", settings[i]), *copy = th_task_copy(t, NULL);
        ThModel *one = made_model("gpt", "dim=8 heads=2 layers=1");
        ThModel *two = made_model("gpt", "dim=8 heads=2 layers=1");
        assert_non_null(copy);
        train_on(one, t, "steps=4 batch=3");
        train_on(two, t, "steps=2 batch=3");
        train_on(two, copy, "steps=2 batch=3");
        assert_memory_equal(one->params.value, two->params.value,
                            one->params.total * sizeof *one->params.value);
        assert_int_equal(one->training.trained_lo, 1);
        assert_int_equal(one->training.trained_hi, 2);
        th_model_free(one);
        th_model_free(two);
        th_task_free(t);
        th_task_free(copy);
    }
}

static void test_options_that_do_not_fit(void **state)
{
    (void)state;
    const ThTaskKind *kind = th_task_kind("scratchpad");
    static const char *const settings[] = {"pack=none context=10", "cut-off=skip"};
    for (int i = 0; i < 2; i++) {
        ThOptions o;
        ThError err = {0};
        set_all(&o, kind->options, settings[i]);
        assert_null(th_task_new(kind, &o, &(ThTaskSource){.pad = "addition"}, &err));
        assert_int_equal(err.code, TH_EUSAGE);
        err = (ThError){0};
        assert_null(th_task_new(kind, &o, &(ThTaskSource){.pad = "machine"}, &err));
        assert_int_equal(err.code, TH_EUSAGE);
        th_options_free(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_is_right),
        cmocka_unit_test(test_bound_is_tight),
        cmocka_unit_test(test_drawn_inputs),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_no_prompt),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_loss_of_uneven_questions),
        cmocka_unit_test(test_training_goes_on),
        cmocka_unit_test(test_options_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
