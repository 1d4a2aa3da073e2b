/* Tasks that are no automata: labelled data from files, and texts to be gone on with. */
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

#include "base/symbols.h"
#include "given.h"
#include "lab/evaluate.h"
#include "lab/train.h"
#include "tasks/epoch.h"
#include "tasks/task.h"

static char folder[] = "/tmp/tapehead-data-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void set_options(ThOptions *o, const ThOptionSpec *specs, const char *settings)
{
    char text[256], *rest = text;
    ThError err = {0};
    snprintf(text, sizeof text, "%s", settings);
    assert_true(th_options_init(o, specs, &err));
    for (char *w; (w = strtok_r(rest, " ", &rest));) {
        char *equals = strchr(w, '=');
        *equals = '\0';
        if (!th_options_set(o, w, equals + 1, &err))
            fail_msg("%s", err.msg);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The task of a file with some text; NULL and an error. */
static ThTask *try_text(const char *extension, const char *text, const char *settings, ThError *err)
{
    char path[128];
    snprintf(path, sizeof path, "%s/data.%s", folder, extension);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    ThOptions o = {0};
    const ThTaskKind *kind = th_task_kind("file");
    set_options(&o, kind->options, settings);
    ThTask *t = th_task_new(kind, &o, &(ThTaskSource){.file = path}, err);
    th_options_free(&o);
    unlink(path);
    return t;
}

static ThTask *from_text(const char *extension, const char *text, const char *settings)
{
    ThError err = {0};
    ThTask *t = try_text(extension, text, settings, &err);
    if (!t)
        fail_msg("%d:%d: %s", err.line, err.col, err.msg);
    return t;
}

/* Writes the rows of both parts, sorted by length, as `input>label` and a semicolon. */
static const char *rows_of(const ThTask *t)
{
    static char text[4096];
    const ThSignature *s = &t->signature;
    ThText to = {0};
    for (int part = TH_TASK_TRAIN; part <= TH_TASK_TEST; part++) {
        ThTaskRows all = {(ThTaskPart)part, 1, 1000000};
        ThBatch b = {.B = (int)th_task_count(t, &all)};
        if (b.B > 0)
            assert_true(th_task_take(t, &all, NULL, 0, &b, NULL));
        for (int i = 0; i < b.B; i++) {
            int n = th_batch_length(&b, i), *target = th_batch_target(s, &b, i);
            th_symbols_write(&to, s->symbol, s->n_symbols, th_batch_token(&b, i), n);
            th_text_add(&to, ">");
            for (int k = 0; k < (s->target == TH_TARGET_FINAL ? 1 : n); k++)
                th_text_printf(&to, "%s%s", k ? " " : "",
                               target[k] < 0 ? "-" : s->label[target[k]]);
            th_text_add(&to, ";");
        }
        th_batch_free(&b);
    }
    snprintf(text, sizeof text, "%s", to.data);
    th_text_free(&to);
    return text;
}

/* split=1 keeps all rows in one part, so their order is that of lengths, then of the file. */
static void test_formats(void **state)
{
    (void)state;
    static const struct {
        const char *extension, *text, *settings, *rows;
        ThTarget target;
    } rows[] = {
        {"tsv", "abba\teven\nb\todd\naab\todd\n", "", "b>odd;aab>odd;abba>even;", TH_TARGET_FINAL},
        {"txt", "input\tlabel\nab\tx\nb\ty", "", "b>y;ab>x;", TH_TARGET_FINAL},
        {"tsv", "\xef\xbb\xbfid\tlabel\tinput\r\n1\tx\tab\r\n\r\n2\ty\tb\r\n", "", "b>y;ab>x;",
         TH_TARGET_FINAL},
        {"tsv", "the cat\tno\nthe dog ran\tyes\n", "", "the cat>no;the dog ran>yes;",
         TH_TARGET_FINAL},
        {"tsv", "the cat\tno\ndog\tyes\n", "tokens=characters", "dog>yes;the cat>no;",
         TH_TARGET_FINAL},
        {"tsv", "red\tx\nblue\ty\n", "tokens=words", "red>x;blue>y;", TH_TARGET_FINAL},
        {"tsv", "ab\t01\nb\t1\n", "", "b>1;ab>0 1;", TH_TARGET_EVERY},
        {"tsv", "ab\t01\nb\t1\n", "labels=final", "b>1;ab>01;", TH_TARGET_FINAL},
        {"tsv", "ab\tx -\nb\tyes\n", "", "b>yes;ab>x -;", TH_TARGET_EVERY},
        {"tsv", "a\t0\nb\t1\n", "", "a>0;b>1;", TH_TARGET_FINAL},
        {"tsv", "a\t0\nb\t1\n", "labels=every", "a>0;b>1;", TH_TARGET_EVERY},
        {"tsv", "a\tnot ok\nb\tall right\n", "", "a>not ok;b>all right;", TH_TARGET_FINAL},
        {"tsv", "input\tlabel\nb\ty\n", "header=no labels=final", "b>y;input>label;",
         TH_TARGET_FINAL},
        {"tsv", "text\tclass\nab\tx\nb\ty\n", "input=text label=class", "b>y;ab>x;",
         TH_TARGET_FINAL},
        {"csv", "input,label\n\"a,\"\"b\"\"\",x\nab,\"y, z\"\n", "", "ab>y, z;a,\"b\">x;",
         TH_TARGET_FINAL},
        {"csv", "\"a\nb\",x\nc d e,y\n", "", "ab>x;cde>y;", TH_TARGET_FINAL},
        {"jsonl", "{\"input\": \"ab\", \"label\": \"x\"}\n\n{\"label\": 3, \"input\": \"b\"}", "",
         "b>3;ab>x;", TH_TARGET_FINAL},
        {"jsonl", "{\"input\": [\"a\", \"bc\"], \"label\": [true, 0.5]}\n", "", "a bc>true 0.5;",
         TH_TARGET_EVERY},
        {"tsv", "äö\tx\nß\ty\n", "", "ß>y;äö>x;", TH_TARGET_FINAL},
        {"tsv", "3\t( [MIN 4 ( 3\n4\t4\n", "first=label skip=(", "4>4;[MIN 4 3>3;",
         TH_TARGET_FINAL},
        {"tsv", "Source\tTarget\r\n( [MIN 4 ( 3\t3\r\n4\t4\r\n", "input=Source label=Target skip=(",
         "4>4;[MIN 4 3>3;", TH_TARGET_FINAL},
        {"tsv", "aba\txy\na\ty\n", "skip=b", "a>y;aa>x y;", TH_TARGET_EVERY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, "split=1 %s", rows[i].settings);
        ThTask *t = from_text(rows[i].extension, rows[i].text, settings);
        /* b sorts before longer rows: what is written is by length, then in the file's order. */
        assert_string_equal(rows_of(t), rows[i].rows);
        assert_int_equal(t->signature.target, rows[i].target);
        th_task_free(t);
    }
}

static void test_names_are_sorted(void **state)
{
    (void)state;
    ThTask *t = from_text("tsv", "cab\tz\nda\ty\nb\tx\n", "");
    static const char *const symbols[] = {"a", "b", "c", "d"}, *const classes[] = {"x", "y", "z"};
    assert_int_equal(t->signature.n_symbols, 4);
    assert_int_equal(t->signature.n_classes, 3);
    for (int i = 0; i < 4; i++)
        assert_string_equal(t->signature.symbol[i], symbols[i]);
    for (int i = 0; i < 3; i++)
        assert_string_equal(t->signature.label[i], classes[i]);
    th_task_free(t);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *extension, *text, *settings;
        int line, col;
        ThErrc code;
    } rows[] = {
        {"tsv", "", "", 0, 0, TH_EVALUE},
        {"tsv", "\n\n", "", 0, 0, TH_EVALUE},
        {"tsv", "input\tlabel\n", "", 0, 0, TH_EVALUE},
        {"tsv", "ab\tx\nab\n", "", 2, 1, TH_EVALUE},
        {"tsv", "ab\tx\nab\ty\tz\n", "header=no", 0, 0, TH_OK}, /* only the first row is asked */
        {"tsv", "ab\tx\ty\n", "", 1, 6, TH_EVALUE},
        {"tsv", "a\tx\nb\ty\n", "header=yes", 1, 1, TH_EVALUE},
        {"tsv", "ab\tx\n\ty\n", "", 2, 1, TH_EVALUE},
        {"tsv", "ab\tx\nä\t\n", "", 2, 3, TH_EVALUE},
        {"tsv", "ab\tx\nb\tx\n", "", 1, 4, TH_EVALUE},
        {"tsv", "ab\tx\nb\xff\ty\n", "", 2, 2, TH_EVALUE},
        {"tsv", "ab\tx\nb\x01\ty\n", "", 2, 2, TH_EVALUE},
        {"tsv", "ab\txy\nabc\tyx\n", "labels=every", 2, 5, TH_EVALUE},
        {"tsv", "a\rb\tx\n", "", 1, 2, TH_EVALUE},
        {"csv", "ab,\"x\nab,y\n", "", 1, 4, TH_EVALUE},
        {"csv", "ab,x\na\"b,y\n", "", 2, 2, TH_EVALUE},
        {"csv", "ab,x\n\"a\"b,y\n", "", 2, 4, TH_EVALUE},
        {"jsonl", "{\"input\": \"a\", \"label\": \"b\"}\n{\n", "", 2, 1, TH_EVALUE},
        {"jsonl", "{\"input\": \"a\"}\n", "", 1, 1, TH_EVALUE},
        {"jsonl", "{\"input\": \"a\", \"label\": {}}\n", "", 1, 1, TH_EVALUE},
        {"jsonl", "[]\n", "", 1, 1, TH_EVALUE},
        {"jsonl", "{\"input\": \"a\\u0001\", \"label\": 1}\n", "", 1, 1, TH_EVALUE},
        {"dat", "ab\tx\n", "", 0, 0, TH_EUSAGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThError err = {0};
        ThTask *t = try_text(rows[i].extension, rows[i].text, rows[i].settings, &err);
        if (err.code != rows[i].code || err.line != rows[i].line || err.col != rows[i].col)
            fail_msg("row %zu: %d:%d: %s", i, err.line, err.col, err.msg);
        assert_int_equal(t != NULL, rows[i].code == TH_OK);
        th_task_free(t);
    }
    ThError err = {0};
    const ThTaskKind *kind = th_task_kind("file");
    ThOptions o = {0};
    set_options(&o, kind->options, "");
    assert_null(th_task_new(kind, &o, NULL, &err));
    assert_int_equal(err.code, TH_EUSAGE);
    err = (ThError){0};
    assert_null(th_task_new(kind, &o, &(ThTaskSource){.file = "/nowhere/x.tsv"}, &err));
    assert_int_equal(err.code, TH_EIO);
    th_options_free(&o);
}

/* n rows of the letters that write their number, 1 to 7 of them, labelled by its parity. */
static ThTask *numbered(int n, const char *settings)
{
    ThText text = {0};
    for (int i = 0; i < n; i++) {
        for (int k = i; k > 0; k /= 2)
            th_text_add(&text, k % 2 ? "b" : "a");
        th_text_printf(&text, "%s\t%s\n", i ? "" : "c", i % 2 ? "odd" : "even");
    }
    ThTask *t = from_text("tsv", text.data, settings);
    th_text_free(&text);
    return t;
}

static long long count(const ThTask *t, ThTaskPart part, int lo, int hi)
{
    return th_task_count(t, &(ThTaskRows){part, lo, hi});
}

static void test_split(void **state)
{
    (void)state;
    static const struct {
        int n;
        const char *split;
        int train;
    } rows[] = {{100, "0.9", 90},  {100, "0", 0},   {100, "1", 100}, {100, "0.999", 99},
                {100, "0.001", 1}, {10, "0.75", 8}, {3, "0.9", 2},   {2, "0.5", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "split=%s", rows[i].split);
        ThTask *t = numbered(rows[i].n, settings);
        assert_true(th_task_finite(t));
        assert_int_equal(count(t, TH_TASK_TRAIN, 1, 1000), rows[i].train);
        assert_int_equal(count(t, TH_TASK_TEST, 1, 1000), rows[i].n - rows[i].train);
        th_task_free(t);
    }
}

/* The parts are the same for the same seed, others for another, and together they are the rows. */
static void test_split_by_seed(void **state)
{
    (void)state;
    ThTask *a = numbered(60, "seed=5"), *b = numbered(60, "seed=5"), *c = numbered(60, "seed=6");
    char first[4096];
    strcpy(first, rows_of(a));
    assert_string_equal(first, rows_of(b));
    assert_string_not_equal(first, rows_of(c));
    int seen = 0;
    for (int i = 1; i < 60; i++) {
        char row[32] = ";", *at = row + 1;
        for (int k = i; k > 0; k /= 2)
            *at++ = k % 2 ? 'b' : 'a';
        strcpy(at, i % 2 ? ">odd;" : ">even;");
        char with_start[4100] = ";";
        strcat(with_start, first);
        seen += strstr(with_start, row) != NULL;
    }
    assert_int_equal(seen, 59);
    th_task_free(a);
    th_task_free(b);
    th_task_free(c);
}

static void test_lengths(void **state)
{
    (void)state;
    ThTask *t = numbered(64, "split=1"); /* 2 rows of one letter, 2^(k-1) of k */
    assert_int_equal(count(t, TH_TASK_TRAIN, 1, 1), 2);
    assert_int_equal(count(t, TH_TASK_TRAIN, 2, 4), 2 + 4 + 8);
    assert_int_equal(count(t, TH_TASK_TRAIN, 7, 1000), 0);
    assert_int_equal(count(t, TH_TASK_TEST, 1, 1000), 0);
    assert_int_equal(th_task_length(t, 4), 4);
    assert_int_equal(th_task_length(t, 500), 6);
    int lo, hi;
    assert_true(th_task_extent(t, &(ThTaskRows){TH_TASK_TRAIN, 3, 100}, &lo, &hi, NULL));
    assert_int_equal(lo, 3);
    assert_int_equal(hi, 6);
    ThBatch b = {.B = 50};
    ThRng r = th_rng(1, "test", 0);
    assert_true(th_task_sample(t, &r, 5, &b, NULL));
    assert_int_equal(b.T, 5);
    assert_null(b.length);
    ThError err = {0};
    assert_false(th_task_take(t, &(ThTaskRows){TH_TASK_TRAIN, 8, 9}, NULL, 0, &b, &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_batch_free(&b);
    th_task_free(t);
}

static void test_majority(void **state)
{
    (void)state;
    ThTask *t = from_text("tsv", "a\tx\nb\tx\nc\ty\nab\ty\n", "split=1");
    ThTaskRows short_ones = {TH_TASK_TRAIN, 1, 1}, all = {TH_TASK_TRAIN, 1, 9},
               none = {TH_TASK_TEST, 1, 9};
    assert_true(fabs(th_task_majority(t, &short_ones) - 2.0 / 3) < 1e-12);
    assert_true(th_task_majority(t, &all) == 0.5);
    assert_true(isnan(th_task_majority(t, &none)));
    assert_true(isnan(th_task_chance(t, 1)));
    th_task_free(t);
}

/* Every epoch is a permutation; seeds and epochs give different ones. */
static void test_epochs(void **state)
{
    (void)state;
    static const long long sizes[] = {1, 2, 3, 16, 255, 256, 257, 1000, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        long long n = sizes[i], moved = 0, other = 0, next = 0;
        char *seen = calloc((size_t)n, 1);
        for (long long k = 0; k < n; k++) {
            long long at = th_task_epoch(9, n, 3 * n + k);
            assert_in_range(at, 0, n - 1);
            assert_int_equal(seen[at]++, 0);
            moved += at != k;
            other += at != th_task_epoch(10, n, 3 * n + k);
            next += at != th_task_epoch(9, n, 4 * n + k);
        }
        free(seen);
        if (n >= 255) /* one place in n stays by accident */
            assert_true(moved > n - 12 && other > n - 12 && next > n - 12);
    }
    /* All orders of three come up about equally often. */
    int order[6] = {0};
    for (int e = 0; e < 6000; e++) {
        int a = (int)th_task_epoch(1, 3, 3LL * e), b = (int)th_task_epoch(1, 3, 3LL * e + 1);
        order[2 * a + (b > (a == 0 ? 1 : 0) && b != a ? (b == 2 || (a == 2 && b == 1)) : 0)]++;
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(order[i], 850, 1150);
}

/* An epoch shows every row of the lengths once, however batches cut it. */
static void test_epochs_of_rows(void **state)
{
    (void)state;
    ThTask *t = numbered(64, "split=1");
    ThTaskRows rows = {TH_TASK_TRAIN, 3, 5};
    uint64_t seed = 4;
    long long n = th_task_count(t, &rows);
    assert_int_equal(n, 28);
    int seen[64] = {0};
    for (int step = 0; step < 28; step++) { /* three epochs in batches of three */
        ThBatch b = {.B = 3};
        assert_true(th_task_take(t, &rows, &seed, 3LL * step, &b, NULL));
        for (int i = 0; i < 3; i++) {
            int number = 0, length = th_batch_length(&b, i);
            assert_in_range(length, 3, 5);
            for (int k = length; k-- > 0;)
                number = 2 * number + th_batch_token(&b, i)[k];
            assert_int_equal(*th_batch_target(&t->signature, &b, i), number % 2);
            seen[number]++;
        }
        th_batch_free(&b);
        if (step == 8)
            for (int k = 0; k < 64; k++)
                assert_in_range(seen[k], 0, 1);
    }
    for (int i = 0; i < 64; i++)
        assert_int_equal(seen[i], i >= 4 && i < 32 ? 3 : 0);
    th_task_free(t);
}

static void test_no_automaton(void **state)
{
    (void)state;
    ThTask *t = numbered(8, "");
    ThError err = {0};
    assert_null(th_task_machine(t, &err));
    assert_int_equal(err.code, TH_EVALUE);
    ThTaskVerdict v;
    err = (ThError){0};
    assert_false(th_task_judge(t, (ThTaskWord){0}, (ThTaskWord){0}, &v, &err));
    assert_int_equal(err.code, TH_EVALUE);
    ThTask *c = th_task_copy(t, NULL);
    char rows[4096];
    strcpy(rows, rows_of(t));
    th_task_free(t);
    assert_string_equal(rows_of(c), rows);
    th_task_free(c);
}

/* ---- training on files ----------------------------------------------------------------------- */

static ThModel *new_model(const char *kind, const char *settings)
{
    ThOptions o = {0};
    set_options(&o, th_model_kind(kind)->options, settings);
    ThModel *m = th_model_new(th_model_kind(kind), &o, NULL);
    th_options_free(&o);
    return m;
}

static bool train(ThModel *m, const ThTask *t, const char *settings, int threads, ThError *err)
{
    ThOptions o = {0};
    set_options(&o, th_train_options, settings);
    ThTrainer *tr = th_trainer_new(m, t, &o, threads, err);
    bool ok = tr != NULL;
    while (ok && !th_trainer_done(tr))
        ok = th_trainer_step(tr, err);
    th_trainer_free(tr);
    th_options_free(&o);
    return ok;
}

/* Every model learns which letter comes first, by rows of one to six letters. */
static void test_models_learn_a_file(void **state)
{
    (void)state;
    static const char *const models[][3] = {
        {"rnn", "dim=16", "steps=150 batch=32 lr=1e-2"},
        {"lstm", "dim=16", "steps=150 batch=32 lr=1e-2"},
        {"gru", "dim=16", "steps=150 batch=32 lr=1e-2"},
        {"regulargpt", "dim=16 heads=2 init=wide", "steps=150 batch=32 lr=5e-3"},
        {"transformer", "dim=16 heads=2 layers=2", "steps=150 batch=32 lr=5e-3"}};
    ThTask *t = numbered(64, "split=0.8 seed=3");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        ThModel *m = new_model(models[i][0], models[i][1]);
        ThError err = {0};
        if (!train(m, t, models[i][2], 2, &err))
            fail_msg("%s: %s", models[i][0], err.msg);
        assert_int_equal(m->training.trained_lo, 1);
        assert_int_equal(m->training.trained_hi, 6);
        ThEvaluator *e = th_evaluator_new(m, t, 1, 2, &err);
        ThScore score;
        assert_true(th_evaluator_rows(e, 1, 1000, 1000, &score, &err));
        assert_int_equal(score.strings, 13);
        if (score.accuracy < 0.9)
            fail_msg("%s: accuracy %g", models[i][0], score.accuracy);
        th_evaluator_free(e);
        th_model_free(m);
    }
    th_task_free(t);
}

/* The score of all rows is that of each row by itself, and does not depend on threads. */
static void test_scores_of_rows(void **state)
{
    (void)state;
    ThTask *t = numbered(200, "split=0.3 seed=3");
    ThModel *m = new_model("gru", "dim=8");
    assert_true(train(m, t, "steps=40 batch=16 lr=1e-2", 1, NULL));
    ThScore score[3];
    int right = 0, rows = (int)count(t, TH_TASK_TEST, 2, 6);
    for (int threads = 1; threads <= 2; threads++) {
        ThEvaluator *e = th_evaluator_new(m, t, 1, threads, NULL);
        assert_true(th_evaluator_rows(e, 2, 6, 1000, &score[threads], NULL));
        th_evaluator_free(e);
    }
    ThTaskRows which = {TH_TASK_TEST, 2, 6};
    for (int i = 0; i < rows; i++) {
        ThBatch b = {.B = 1};
        int answer;
        assert_true(th_task_take(t, &which, NULL, i, &b, NULL));
        assert_true(th_lab_predict(m, b.token, b.T, &answer, NULL));
        right += answer == *b.target;
        th_batch_free(&b);
    }
    assert_int_equal(score[1].n, rows);
    assert_int_equal(score[1].right, right);
    assert_int_equal(score[2].right, right);
    assert_true(score[1].loss == score[2].loss);
    assert_int_equal(score[1].least, 2);
    assert_int_equal(score[1].length, 6);
    assert_true(score[1].chance == th_task_majority(t, &which));
    ThEvaluator *e = th_evaluator_new(m, t, 1, 1, NULL);
    assert_true(th_evaluator_rows(e, 2, 6, 10, &score[0], NULL));
    assert_int_equal(score[0].n, 10);
    assert_false(th_evaluator_rows(e, 20, 60, 10, &score[0], NULL));
    th_evaluator_free(e);
    th_model_free(m);
    th_task_free(t);
}

/* A training in two parts sees the same rows as one: the epoch's place comes from the step. */
static void test_training_goes_on(void **state)
{
    (void)state;
    ThTask *t = numbered(50, "");
    ThModel *whole = new_model("lstm", "dim=8"), *parts = new_model("lstm", "dim=8");
    assert_true(train(whole, t, "steps=23 batch=7", 2, NULL));
    assert_true(train(parts, t, "steps=9 batch=7", 2, NULL));
    ThModel *copy = th_model_copy(parts, NULL);
    assert_true(train(copy, t, "steps=14 batch=7", 2, NULL));
    assert_memory_equal(whole->params.value, copy->params.value,
                        whole->params.total * sizeof(float));
    th_model_free(whole);
    th_model_free(parts);
    th_model_free(copy);
    th_task_free(t);
}

static void test_training_refuses(void **state)
{
    (void)state;
    ThTask *t = numbered(50, "");
    static const struct {
        const char *settings;
        ThErrc code;
    } rows[] = {{"length=20..30", TH_EVALUE}, {"length=1..5:2", TH_EUSAGE}};
    for (size_t i = 0; i < 2; i++) {
        ThModel *m = new_model("rnn", "dim=4");
        ThError err = {0};
        assert_false(train(m, t, rows[i].settings, 1, &err));
        assert_int_equal(err.code, rows[i].code);
        assert_false(m->bound);
        th_model_free(m);
    }
    th_task_free(t);
}

/* Validations are on rows to test on; that there are rows to train on is not enough. */
static void test_validation_wants_rows(void **state)
{
    (void)state;
    ThTask *t = numbered(50, "split=1");
    ThModel *m = new_model("rnn", "dim=4");
    ThError err = {0};
    assert_false(train(m, t, "steps=1 batch=4 validate=1..100", 1, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_non_null(strstr(err.msg, "to test on"));
    assert_false(m->bound); /* it was seen before the first step */
    th_model_free(m);
    th_task_free(t);
}

/* The curricula choose rows by length. */
static void test_curricula_of_rows(void **state)
{
    (void)state;
    ThTask *t = numbered(64, "split=1");
    ThModel *m = new_model("rnn", "dim=4");
    assert_true(train(m, t, "steps=3 batch=5 length=2..4 curriculum=fixed", 1, NULL));
    assert_int_equal(m->training.trained_lo, 4);
    assert_int_equal(m->training.trained_hi, 4);
    th_model_free(m);
    m = new_model("rnn", "dim=4");
    assert_true(train(m, t, "steps=3 batch=40 curriculum=adaptive lr=0", 1, NULL));
    assert_int_equal(m->training.trained_lo, 1);
    assert_int_equal(m->training.trained_hi, 3);
    th_model_free(m);
    th_task_free(t);
}

/* ---- texts to be gone on with ---------------------------------------------------------------- */

static ThTask *text_task(const char *kind, const char *settings)
{
    ThOptions o = {0};
    ThError err = {0};
    const ThTaskKind *k = th_task_kind(kind);
    set_options(&o, k->options, settings);
    ThTask *t = th_task_new(k, &o, NULL, &err);
    th_options_free(&o);
    if (!t)
        fail_msg("%s", err.msg);
    return t;
}

/* What should follow a prompt, by the text of the task's definition. */
static void expected(const char *kind, const char *settings, const char *prompt, char *to)
{
    char first[256] = "", second[256] = "", *bar = strchr(prompt, '|');
    int answer = 0, ngram = 3;
    if (strstr(settings, "ngram="))
        ngram = atoi(strstr(settings, "ngram=") + 6);
    if (strstr(settings, "answer="))
        answer = atoi(strstr(settings, "answer=") + 7);
    snprintf(first, sizeof first, "%.*s", (int)(bar - prompt - 1), prompt + 1);
    snprintf(second, sizeof second, "%s", bar + 1);
    strcpy(to, first);
    if (strcmp(kind, "reverse") == 0)
        for (size_t i = 0, n = strlen(first); i < n; i++)
            to[i] = first[n - 1 - i];
    if (strcmp(kind, "ngram") == 0) {
        bool suffix = strstr(settings, "suffix");
        const char *text = suffix ? first : second, *key = suffix ? second : first;
        const char *at = strstr(text, key);
        assert_int_equal(strlen(key), ngram);
        assert_non_null(at);
        assert_null(strstr(at + 1, key)); /* it stands there once only */
        snprintf(to, 256, "%s", at + ngram);
        if (!suffix)
            to[strlen(to) - 1] = '\0'; /* the bar */
        assert_true(*to);
        if (answer > 0) {
            assert_true((int)strlen(to) >= answer);
            to[answer] = '\0';
        }
    }
    strcat(to, ".");
}

static void check_text(const ThTask *t, const char *settings, const ThBatch *b, int i)
{
    const ThSignature *s = &t->signature;
    char text[512] = "", wanted[512];
    int n = th_batch_length(b, i), size = prompt_of(s, b, i);
    const int *token = th_batch_token(b, i), *target = th_batch_target(s, b, i);
    for (int k = 0; k < n; k++)
        strcat(text, s->symbol[token[k]]);
    char prompt[512];
    snprintf(prompt, sizeof prompt, "%.*s", size, text);
    expected(t->kind->name, settings, prompt, wanted);
    assert_int_equal(n, size + (int)strlen(wanted) - 1);
    for (int k = 0; k < n; k++) {
        if (k < size - 1)
            assert_int_equal(target[k], -1);
        else
            assert_int_equal(*s->symbol[target[k]], wanted[k - size + 1]);
        if (k >= size)
            assert_int_equal(token[k], target[k - 1]); /* the true answer is read */
    }
}

static void test_texts(void **state)
{
    (void)state;
    static const char *const tasks[][2] = {{"copy", ""},
                                           {"copy", "symbols=2"},
                                           {"reverse", "symbols=5"},
                                           {"duplicate", "symbols=26 ngram=3"},
                                           {"ngram", ""},
                                           {"ngram", "symbols=2 ngram=1"},
                                           {"ngram", "symbols=3 ngram=2 answer=2"},
                                           {"ngram", "symbols=4 ngram=2 key=suffix"},
                                           {"ngram", "symbols=2 ngram=4 key=suffix answer=3"}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        ThTask *t = text_task(tasks[i][0], tasks[i][1]);
        assert_true(t->signature.next);
        assert_int_equal(t->signature.target, TH_TARGET_EVERY);
        for (int length = 1; length < 24; length += 3) {
            ThBatch b = {.B = 40};
            ThRng r = th_rng(3, "test.texts", (uint64_t)length);
            assert_true(th_task_sample(t, &r, length, &b, NULL));
            assert_true(b.T <= th_task_tokens(t, length));
            for (int k = 0; k < b.B; k++)
                check_text(t, tasks[i][1], &b, k);
            th_batch_free(&b);
        }
        th_task_free(t);
    }
}

/* In a duplicate some n-gram stands twice. */
/* Where strings with a unique gram are too rare for drawing, no letter before it is its first, and
 * none behind it its last. */
static void test_forced_grams(void **state)
{
    (void)state;
    enum { LONG = 150, N = 3, ROWS = 20 };
    ThTask *t = text_task("ngram", "symbols=2 ngram=3");
    ThBatch b = {.B = ROWS};
    ThRng r = th_rng(3, "test.texts", 1);
    assert_true(th_task_sample(t, &r, LONG, &b, NULL));
    for (int i = 0; i < ROWS; i++) {
        const int *gram = th_batch_token(&b, i) + 1, *text = gram + N + 1; /* $gram|text| */
        int at = 0;
        while (memcmp(text + at, gram, N * sizeof *gram) != 0)
            assert_true(text[at++] != gram[0]);
        for (int k = at + N; k < LONG; k++)
            assert_true(text[k] != gram[N - 1]);
    }
    th_batch_free(&b);
    th_task_free(t);
}

static void test_duplicates(void **state)
{
    (void)state;
    ThTask *t = text_task("duplicate", "ngram=3");
    assert_int_equal(th_task_length(t, 2), 6);
    ThBatch b = {.B = 200};
    ThRng r = th_rng(3, "test.texts", 0);
    assert_true(th_task_sample(t, &r, 12, &b, NULL));
    for (int i = 0; i < b.B; i++) {
        const int *text = th_batch_token(&b, i) + 1;
        int found = 0;
        for (int p = 0; p + 6 <= 12; p++)
            for (int q = p + 3; q + 3 <= 12; q++)
                found += memcmp(text + p, text + q, 3 * sizeof *text) == 0;
        assert_true(found >= 1);
    }
    th_batch_free(&b);
    th_task_free(t);
}

/* The chance is the share of the best constant answer; exact where lengths do not vary. */
static void test_chance_of_texts(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *settings;
        int length;
        double chance;
    } rows[] = {
        {"copy", "symbols=4", 2, 1.0 / 3},       {"copy", "symbols=4", 12, 3.0 / 13},
        {"reverse", "symbols=26", 10, 1.0 / 11}, {"duplicate", "symbols=2", 3, 2.0 / 5},
        {"ngram", "ngram=2", 9, 1.0 / 5},        {"ngram", "symbols=2 ngram=2", 21, 5.0 / 11},
        {"ngram", "answer=4", 3, 1.0 / 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThTask *t = text_task(rows[i].kind, rows[i].settings);
        double chance = th_task_chance(t, rows[i].length);
        assert_true(fabs(chance - rows[i].chance) < 1e-12);
        ThBatch b = {.B = 4000};
        ThRng r = th_rng(3, "test.texts", 1);
        assert_true(th_task_sample(t, &r, rows[i].length, &b, NULL));
        double count[32] = {0}, all = 0, most = 0;
        for (int k = 0; k < b.B * b.T; k++) {
            if (b.target[k] >= 0) {
                count[b.target[k]]++;
                all++;
            }
        }
        for (int c = 0; c < t->signature.n_classes; c++)
            most = fmax(most, count[c]);
        assert_true(fabs(most / all - chance) < 0.02);
        th_batch_free(&b);
        th_task_free(t);
    }
}

static int read_word(const ThTask *t, const char *text, int *token)
{
    int n = 0;
    for (; *text; text++) {
        char name[2] = {*text};
        token[n++] = th_symbols_find(t->signature.symbol, t->signature.n_symbols, name);
    }
    return n;
}

static void test_judge(void **state)
{
    (void)state;
    static const struct {
        const char *task, *settings, *prompt, *said;
        int at; /* -1: right */
        const char *kind;
    } rows[] = {{"copy", "", "$abc|", "abc.", -1, ""},
                {"copy", "", "$abc|", "abd.", 2, "copy"},
                {"copy", "", "$abc|", "ab.", 2, "early end"},
                {"copy", "", "$abc|", "abcc.", 3, "late end"},
                {"copy", "", "$abc|", "abc", 3, "breaks off"},
                {"copy", "", "$abc|", "", 0, "breaks off"},
                {"reverse", "", "$abc|", "cba.", -1, ""},
                {"reverse", "", "$abc|", "abc.", 0, "copy"},
                {"ngram", "ngram=2", "$bc|abcde|", "de.", -1, ""},
                {"ngram", "ngram=2 answer=1", "$bc|abcde|", "de.", 1, "late end"},
                {"ngram", "ngram=2 key=suffix", "$abcde|bc", "de.", -1, ""},
                {"ngram", "ngram=2 key=suffix", "$abcde|bc", "dde.", 1, "copy"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ThTask *t = text_task(rows[i].task, rows[i].settings);
        int prompt[16], said[16];
        ThTaskWord p = {prompt, read_word(t, rows[i].prompt, prompt)};
        ThTaskWord s = {said, read_word(t, rows[i].said, said)};
        ThTaskVerdict v;
        assert_true(th_task_judge(t, p, s, &v, NULL));
        assert_int_equal(v.right, rows[i].at < 0);
        assert_string_equal(v.kind, rows[i].kind);
        assert_int_equal(v.at, rows[i].at < 0 ? s.n : rows[i].at);
        ThError err = {0};
        p.n--;
        assert_false(th_task_judge(t, p, s, &v, &err));
        assert_int_equal(err.code, TH_EVALUE);
        th_task_free(t);
    }
}

/* A model that can only look back learns to copy strings of two letters. */
static void test_learn_to_copy(void **state)
{
    (void)state;
    static const char *const models[][2] = {{"gru", "dim=32"},
                                            {"transformer", "dim=16 heads=2 layers=2 causal=yes"}};
    for (size_t i = 0; i < 2; i++) {
        ThTask *t = text_task("copy", "symbols=2");
        ThModel *m = new_model(models[i][0], models[i][1]);
        ThError err = {0};
        if (!train(m, t, "steps=250 batch=32 lr=1e-2 length=1..2", 2, &err))
            fail_msg("%s", err.msg);
        assert_int_equal(m->training.trained_hi, 2);
        ThEvaluator *e = th_evaluator_new(m, t, 1, 1, NULL);
        ThScore score;
        assert_true(th_evaluator_length(e, 2, 64, &score, NULL));
        assert_int_equal(score.n, 3 * 64);
        assert_int_equal(score.strings, 64);
        assert_int_equal(score.exact, 64);
        assert_int_equal(score.right, score.n);
        th_evaluator_free(e);
        th_model_free(m);
        th_task_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_names_are_sorted),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_by_seed),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_majority),
        cmocka_unit_test(test_epochs),
        cmocka_unit_test(test_epochs_of_rows),
        cmocka_unit_test(test_no_automaton),
        cmocka_unit_test(test_models_learn_a_file),
        cmocka_unit_test(test_scores_of_rows),
        cmocka_unit_test(test_training_goes_on),
        cmocka_unit_test(test_training_refuses),
        cmocka_unit_test(test_validation_wants_rows),
        cmocka_unit_test(test_curricula_of_rows),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_forced_grams),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_chance_of_texts),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_learn_to_copy),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
