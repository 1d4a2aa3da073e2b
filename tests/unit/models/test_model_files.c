/* What stands where in the files of models and arrays, read by their names: a file must mean the
 * same to the program that wrote it and to the next one. */
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
#include <jansson.h>

#include "base/file.h"
#include "formats/data/npy.h"
#include "formats/models/safetensors.h"
#include "given.h"
#include "lab/train.h"
#include "models/position/position.h"

static char folder[] = "/tmp/test_model_files-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/m.safetensors", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void train(ThModel *m, const ThTask *t)
{
    ThOptions o;
    set_all(&o, th_train_options, "steps=3 batch=4 length=2..5");
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, NULL);
    assert_non_null(tr);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, NULL));
    th_trainer_free(tr);
    th_options_free(&o);
}

static ThModel *trained(const ThTask *t)
{
    ThModel *m = made_model("lstm", "dim=3");
    train(m, t);
    return m;
}

/* ---- safetensors ----------------------------------------------------------------------------- */

typedef struct {
    char *bytes;
    size_t n, length; /* of the header */
    json_t *header;
} Saved;

static Saved save(const ThModel *m)
{
    Saved s = {0};
    ThError err = {0};
    if (!th_safetensors_save(m, path, &err))
        fail_msg("%s", err.msg);
    s.bytes = th_file_read(path, 1 << 24, &s.n, &err);
    assert_non_null(s.bytes);
    for (int i = 0; i < 8; i++)
        s.length |= (size_t)(unsigned char)s.bytes[i] << 8 * i;
    s.header = json_loadb(s.bytes + 8, s.length, 0, NULL);
    assert_true(json_is_object(s.header));
    return s;
}

static void drop(Saved *s)
{
    free(s->bytes);
    json_decref(s->header);
}

/* The tensor of a name holds these numbers, as little-endian floats. */
static void check_tensor(const Saved *s, const char *prefix, const ThParam *p, const float *value)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", prefix, p->name);
    const json_t *tensor = json_object_get(s->header, name);
    if (!tensor)
        fail_msg("there is no %s", name);
    const json_t *shape = json_object_get(tensor, "shape");
    assert_int_equal(json_array_size(shape), p->rows == 1 ? 1 : 2);
    assert_int_equal(json_integer_value(json_array_get(shape, 0)),
                     p->rows == 1 ? p->cols : p->rows);
    json_int_t begin =
        json_integer_value(json_array_get(json_object_get(tensor, "data_offsets"), 0));
    const char *data = s->bytes + 8 + s->length + begin;
    for (int i = 0; i < p->rows * p->cols; i++) {
        uint32_t bits = 0;
        float x;
        for (int k = 0; k < 4; k++)
            bits |= (uint32_t)(unsigned char)data[4 * i + k] << 8 * k;
        memcpy(&x, &bits, sizeof x);
        assert_true(x == value[p->offset + (size_t)i]);
    }
}

static void test_tensors_by_name(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t);
    Saved s = save(m);
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        check_tensor(&s, "", p, m->params.value);
        check_tensor(&s, "optimizer.moment0.", p, m->training.moment[0]);
        check_tensor(&s, "optimizer.moment1.", p, m->training.moment[1]);
    }
    drop(&s);
    th_model_free(m);
    th_task_free(t);
}

/* A document within the metadata; the caller drops it. */
static json_t *document(const Saved *s, const char *key)
{
    const json_t *metadata = json_object_get(s->header, "__metadata__");
    const char *text = json_string_value(json_object_get(metadata, key));
    assert_non_null(text);
    json_t *d = json_loads(text, 0, NULL);
    assert_non_null(d);
    return d;
}

static void check_number(const json_t *object, const char *key, double expected)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value) || json_number_value(value) != expected)
        fail_msg("%s is not %.17g", key, expected);
}

static void test_metadata_by_name(void **state)
{
    (void)state;
    ThTask *t = made_task("next_symbols", "",
                          "alphabet a b; start e; accept e; e a -> e; e b -> o; o b -> e");
    ThModel *m = trained(t);
    ThModelTraining *x = &m->training;
    x->trained_lo = 2;
    x->trained_hi = 5;
    x->updates = 7;
    x->ema = 0.25;
    x->reach = 11;
    Saved s = save(m);
    json_t *training = document(&s, "training"), *signature = document(&s, "signature");
    check_number(training, "step", 3);
    check_number(training, "updates", 7);
    check_number(training, "ema", 0.25);
    check_number(training, "reach", 11);
    check_number(training, "mean_loss", x->mean_loss);
    check_number(training, "mean_accuracy", x->mean_accuracy);
    check_number(training, "mean_weight", x->mean_weight);
    check_number(training, "trained_lo", 2);
    check_number(training, "trained_hi", 5);
    assert_string_equal(json_string_value(json_object_get(training, "seed")), "1");
    assert_string_equal(json_string_value(json_object_get(training, "optimizer")), "adam");
    assert_string_equal(json_string_value(json_object_get(signature, "target")), "bits");
    assert_int_equal(json_array_size(json_object_get(signature, "symbols")), 2);
    assert_int_equal(json_array_size(json_object_get(signature, "classes")), 3);
    json_decref(training);
    json_decref(signature);
    json_t *history = document(&s, "history");
    assert_int_equal(json_array_size(history), 3);
    const json_t *row = json_array_get(history, 2);
    assert_int_equal(json_integer_value(json_array_get(row, 0)), 3);
    assert_true(json_number_value(json_array_get(row, 1)) == x->history[2].loss);
    assert_true(json_number_value(json_array_get(row, 2)) == x->history[2].accuracy);
    json_decref(history);
    drop(&s);
    th_model_free(m);
    th_task_free(t);
}

static void check_text(const Saved *s, const char *key, const char *expected)
{
    const json_t *metadata = json_object_get(s->header, "__metadata__");
    assert_string_equal(json_string_value(json_object_get(metadata, key)), expected);
}

/* Rows have no names in a file: their members stand where they always stood. */
static void test_rows_by_place(void **state)
{
    (void)state;
    ThModelHistoryPoint history = {2, 0.5, 0.25};
    ThModelValidation validation[] = {{1, 0.125, 0.75}, {3, 0.25, (double)NAN}};
    ThModelComparison comparison = {3, 9, 2, 4};
    ThScore score = {.length = 1, .least = 2, .tokens = 3, .strings = 4, .exact = 5, .n = 6};
    score.right = 7;
    score.written = 8;
    score.answered = 9;
    score.whole = 10;
    score.accuracy = 0.5;
    score.lo = 1.5;
    score.hi = 2.5;
    score.chance = 3.5;
    score.loss = 4.5;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t);
    ThModelTraining kept = m->training, *x = &m->training;
    x->history = &history;
    x->n_history = x->n_comparisons = m->n_scores = 1;
    x->validation = validation;
    x->n_validations = 2;
    x->comparison = &comparison;
    m->scores = &score;
    Saved s = save(m);
    check_text(&s, "history", "[[2,0.5,0.25]]");
    check_text(&s, "validations", "[[1,0.125,0.75],[3,0.25,null]]");
    check_text(&s, "comparisons", "[[3,9,2,4]]");
    check_text(&s, "scores", "[[1,2,3,4,5,6,7,8,9,10,0.5,1.5,2.5,3.5,4.5]]");
    ThError err = {0};
    ThModel *again = th_safetensors_parse(s.bytes, s.n, &err);
    if (!again)
        fail_msg("%s", err.msg);
    assert_memory_equal(again->scores, &score, sizeof score);
    assert_int_equal(again->training.comparison[0].wrong, 2);
    th_model_free(again);
    drop(&s);
    m->training = kept;
    m->scores = NULL;
    m->n_scores = 0;
    th_model_free(m);
    th_task_free(t);
}

/* Replaces a text of the file by one of the same length; returns what loading it says. */
static ThError with(const Saved *s, const char *old, const char *fresh)
{
    ThError err = {0};
    char *copy = malloc(s->n), *at = NULL;
    assert_non_null(copy);
    memcpy(copy, s->bytes, s->n);
    for (size_t i = 0; !at && i + strlen(old) <= s->n; i++)
        if (memcmp(copy + i, old, strlen(old)) == 0)
            at = copy + i;
    if (!at)
        fail_msg("the file does not have %s", old);
    memcpy(at, fresh, strlen(fresh));
    ThModel *m = th_safetensors_parse(copy, s->n, &err);
    assert_int_equal(m != NULL, err.code == TH_OK);
    th_model_free(m);
    free(copy);
    return err;
}

static void refuse(const Saved *s, const char *old, const char *fresh, const char *says)
{
    ThError err = with(s, old, fresh);
    if (err.code != TH_EVALUE || !strstr(err.msg, says))
        fail_msg("%s for %s: '%s' does not say '%s'", fresh, old, err.msg, says);
}

/* Figures that no training can have come to. */
static void test_impossible_figures(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t);
    m->training.trained_lo = 2;
    m->training.trained_hi = 5;
    m->training.updates = 3;
    Saved s = save(m);
    assert_int_equal(with(&s, "\"version\":\"1\"", "\"version\":\"1\"").code, TH_OK);
    refuse(&s, "\"version\":\"1\"", "\"version\":\"2\"", "version 2");
    refuse(&s, "\\\"updates\\\":3", "\\\"updates\\\":-", "");
    refuse(&s, "\\\"trained_hi\\\":5", "\\\"trained_hi\\\":1", "training");
    refuse(&s, "\\\"seed\\\":\\\"1\\\"", "\\\"seed\\\":\\\"x\\\"", "training");
    refuse(&s, "\\\"step\\\":3", "\\\"stop\\\":3", "training");
    drop(&s);
    th_model_free(m);
    th_task_free(t);
}

/* What loading the same data says when the header is another. */
static void refuse_header(const Saved *s, json_t *header, const char *says)
{
    char *text = json_dumps(header, JSON_COMPACT);
    assert_non_null(text);
    size_t length = strlen(text), data = s->n - 8 - s->length;
    char *bytes = malloc(8 + length + data);
    assert_non_null(bytes);
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(length >> 8 * i & 0xff);
    memcpy(bytes + 8, text, length);
    memcpy(bytes + 8 + length, s->bytes + 8 + s->length, data);
    ThError err = {0};
    assert_null(th_safetensors_parse(bytes, 8 + length + data, &err));
    if (err.code != TH_EVALUE || !strstr(err.msg, says))
        fail_msg("'%s' does not say '%s'", err.msg, says);
    free(bytes);
    free(text);
    json_decref(header);
}

/* Tensors that a model does not have, or has in another shape. */
static void test_foreign_tensors(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t);
    Saved s = save(m);
    json_t *header = json_deep_copy(s.header);
    json_int_t end = (json_int_t)(s.n - 8 - s.length);
    json_object_set_new(
        header, "extra",
        json_pack("{s:s, s:[i], s:[I,I]}", "dtype", "F32", "shape", 0, "data_offsets", end, end));
    refuse_header(&s, header, "does not have");
    header = json_deep_copy(s.header);
    json_t *shape = json_object_get(json_object_get(header, "recurrent"), "shape");
    assert_int_equal(json_array_size(shape), 2);
    json_array_insert_new(shape, 0, json_incref(json_array_get(shape, 1)));
    json_array_remove(shape, 2);
    refuse_header(&s, header, "shape");
    drop(&s);
    th_model_free(m);
    th_task_free(t);
}

static void test_infinite_weights(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t);
    float *values[] = {m->params.value, m->training.moment[0], m->training.moment[1]};
    for (int i = 0; i < 3; i++) {
        ThError err = {0};
        float kept = *values[i];
        *values[i] = INFINITY;
        assert_true(th_safetensors_save(m, path, NULL));
        assert_null(th_safetensors_load(path, &err));
        assert_non_null(strstr(err.msg, "not finite"));
        *values[i] = kept;
    }
    th_model_free(m);
    th_task_free(t);
}

/* Whatever the header says, tensors begin at a multiple of eight. */
static void test_alignment(void **state)
{
    (void)state;
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = trained(t);
    for (size_t i = 1; i <= 8; i++) {
        free(m->training.task);
        m->training.task = calloc(i + 1, 1);
        assert_non_null(m->training.task);
        memset(m->training.task, 't', i);
        Saved s = save(m);
        assert_int_equal(s.length % 8, 0);
        drop(&s);
    }
    th_model_free(m);
    th_task_free(t);
}

/* ---- NumPy ----------------------------------------------------------------------------------- */

static void check_array(ThNpyType type, const void *data, size_t size, const char *says,
                        const char *end, size_t n_end)
{
    size_t n;
    assert_true(th_npy_write(path, type, 3, 1, data, NULL));
    char *bytes = th_file_read(path, 4096, &n, NULL);
    assert_non_null(bytes);
    size_t header = (unsigned char)bytes[8] | (size_t)(unsigned char)bytes[9] << 8;
    assert_int_equal(n, 10 + header + 3 * size);
    assert_int_equal((10 + header) % 64, 0);
    bytes[10 + header - 1] = '\0';
    assert_non_null(strstr(bytes + 10, says));
    assert_non_null(strstr(bytes + 10, "'shape': (3, 1), "));
    assert_memory_equal(bytes + n - n_end, end, n_end);
    free(bytes);
}

static void test_types_of_arrays(void **state)
{
    (void)state;
    /* 1.5 is 0x3fc00000, or 0x3ff8 and zeros. */
    check_array(TH_NPY_FLOAT32, (const float[]){0, -1, 1.5f}, 4, "'descr': '<f4'", "\0\0\xc0\x3f",
                4);
    check_array(TH_NPY_FLOAT64, (const double[]){0, -1, 1.5}, 8, "'descr': '<f8'",
                "\0\0\0\0\0\0\xf8\x3f", 8);
    check_array(TH_NPY_INT32, (const int[]){0, -1, 258}, 4, "'descr': '<i4'", "\2\1\0\0", 4);
    check_array(TH_NPY_UINT8, (const unsigned char[]){0, 255, 7}, 1, "'descr': '|u1'", "\xff\7", 2);
}

/* ---- every kind ------------------------------------------------------------------------------ */

static void assert_same_numbers(const ThModel *a, const ThModel *b)
{
    assert_int_equal(a->params.n, b->params.n);
    const ThParam *last = &a->params.item[a->params.n - 1];
    size_t n = last->offset + (size_t)last->rows * (size_t)last->cols;
    for (size_t i = 0; i < n; i++)
        if (a->params.value[i] != b->params.value[i])
            fail_msg("%s: number %zu is %g and was %g", a->kind->name, i,
                     (double)b->params.value[i], (double)a->params.value[i]);
}

/* What is read back is the model that was written, and learns on as it does. */
static void check_round_trip(const ThTask *t, const char *kind, const char *settings)
{
    ThError err = {0};
    ThModel *m = made_model(kind, settings);
    train(m, t);
    assert_true(th_safetensors_save(m, path, &err));
    ThModel *read = th_safetensors_load(path, &err);
    if (!read)
        fail_msg("%s %s: %s", kind, settings, err.msg);
    assert_ptr_equal(read->kind, m->kind);
    assert_same_numbers(m, read);
    train(m, t);
    train(read, t);
    assert_same_numbers(m, read);
    th_model_free(read);
    th_model_free(m);
}

static void test_every_kind(void **state)
{
    (void)state;
    size_t n, positions;
    ThTask *t = made_task("sum", "", NULL);
    const ThModelKind *const *kind = th_model_kinds(&n);
    const ThPositionKind *const *position = th_position_kinds(&positions);
    for (size_t i = 0; i < n; i++)
        check_round_trip(t, kind[i]->name, "dim=16");
    for (size_t i = 0; i < positions; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "dim=8 heads=2 position=%s", position[i]->name);
        if (position[i]->causal)
            check_round_trip(t, "gpt", settings);
    }
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_by_place),    cmocka_unit_test(test_tensors_by_name),
        cmocka_unit_test(test_metadata_by_name), cmocka_unit_test(test_impossible_figures),
        cmocka_unit_test(test_foreign_tensors),  cmocka_unit_test(test_infinite_weights),
        cmocka_unit_test(test_alignment),        cmocka_unit_test(test_types_of_arrays),
        cmocka_unit_test(test_every_kind),
    };
    return cmocka_run_group_tests_name("model files", tests, make_folder, remove_folder);
}
