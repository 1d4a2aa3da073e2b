/* Models on disk: what is saved comes back bit for bit, and no damaged file does any harm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "formats/data/npy.h"
#include "formats/models/safetensors.h"
#include "lab/train.h"

static char folder[] = "/tmp/test_safetensors-XXXXXX";
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

static ThTask *make_task(void)
{
    ThOptions o = {0};
    const ThTaskKind *k = th_task_kind("parity");
    assert_true(th_options_init(&o, k->options, NULL));
    ThTask *t = th_task_new(k, &o, NULL, NULL);
    assert_non_null(t);
    th_options_free(&o);
    return t;
}

static ThModel *make_model(const char *kind)
{
    ThOptions o = {0};
    const ThModelKind *k = th_model_kind(kind);
    assert_true(th_options_init(&o, k->options, NULL));
    assert_true(th_options_set(&o, "dim", "8", NULL));
    ThModel *m = th_model_new(k, &o, NULL);
    assert_non_null(m);
    th_options_free(&o);
    return m;
}

static void train(ThModel *m, const ThTask *t, const char *steps, const char *optimizer)
{
    ThOptions o = {0};
    assert_true(th_options_init(&o, th_train_options, NULL));
    assert_true(th_options_set(&o, "length", "1..6", NULL));
    assert_true(th_options_set(&o, "batch", "8", NULL));
    assert_true(th_options_set(&o, "steps", steps, NULL));
    assert_true(th_options_set(&o, "optimizer", optimizer, NULL));
    ThTrainer *trainer = th_trainer_new(m, t, &o, 1, NULL);
    assert_non_null(trainer);
    while (!th_trainer_done(trainer))
        assert_true(th_trainer_step(trainer, NULL));
    th_trainer_free(trainer);
    th_options_free(&o);
}

static ThModel *trained_by(const char *kind, const char *steps, const char *optimizer)
{
    ThTask *t = make_task();
    ThModel *m = make_model(kind);
    train(m, t, steps, optimizer);
    th_task_free(t);
    return m;
}

static ThModel *trained(const char *kind, const char *steps)
{
    return trained_by(kind, steps, "adam");
}

static bool same_floats(const float *a, const float *b, size_t n)
{
    return (!a && !b) || (a && b && memcmp(a, b, n * sizeof *a) == 0);
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_string_equal(a, b);
}

static void assert_same(const ThModel *a, const ThModel *b)
{
    const ThModelTraining *x = &a->training, *y = &b->training;
    assert_ptr_equal(a->kind, b->kind);
    assert_int_equal(a->bound, b->bound);
    for (size_t i = 0; i < a->options.n; i++)
        assert_same_text(a->options.item[i].text, b->options.item[i].text);
    if (!a->bound)
        return;
    assert_true(th_signature_match(&a->signature, &b->signature, NULL));
    assert_int_equal(a->params.total, b->params.total);
    assert_true(same_floats(a->params.value, b->params.value, a->params.total));
    for (int k = 0; k < TH_OPTIMIZER_SLOTS; k++)
        assert_true(same_floats(x->moment[k], y->moment[k], a->params.total));
    assert_int_equal(x->step, y->step);
    assert_int_equal(x->updates, y->updates);
    assert_true(x->seed == y->seed);
    assert_same_text(x->optimizer, y->optimizer);
    assert_same_text(x->task, y->task);
    assert_memory_equal(&x->ema, &y->ema, sizeof x->ema);
    assert_memory_equal(&x->reach, &y->reach, sizeof x->reach);
    assert_int_equal(x->trained_lo, y->trained_lo);
    assert_int_equal(x->trained_hi, y->trained_hi);
    assert_int_equal(x->n_history, y->n_history);
    for (size_t i = 0; i < x->n_history; i++) {
        assert_int_equal(x->history[i].step, y->history[i].step);
        assert_memory_equal(&x->history[i].loss, &y->history[i].loss, sizeof(double));
        assert_memory_equal(&x->history[i].accuracy, &y->history[i].accuracy, sizeof(double));
    }
}

static void check_round_trip(const ThModel *m)
{
    ThError err = {0};
    assert_true(th_safetensors_save(m, path, &err));
    ThModel *back = th_safetensors_load(path, &err);
    if (!back)
        fail_msg("%s", err.msg);
    assert_same(m, back);
    th_model_free(back);
}

static void test_round_trip(void **state)
{
    (void)state;
    static const char *const kinds[] = {"regulargpt", "transformer", "rnn", "lstm", "gru"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ThModel *m = make_model(kinds[i]);
        check_round_trip(m); /* not bound yet */
        th_model_free(m);
        m = trained(kinds[i], "3");
        m->training.seed = UINT64_MAX;
        m->training.ema = 1.0 / 3;
        m->training.history[0].accuracy = (double)NAN;
        m->training.history[0].loss = 0.1 + 0.2;
        check_round_trip(m);
        th_model_free(m);
    }
}

/* A training that is saved, loaded and continued gives the bits of one that was not. */
static void test_training_goes_on(void **state)
{
    (void)state;
    ThTask *t = make_task();
    size_t n;
    const ThOptimizer *const *rules = th_optimizer_all(&n);
    for (size_t i = 0; i < n; i++) {
        const char *rule = rules[i]->name;
        ThModel *whole = trained_by("regulargpt", "4", rule);
        ThModel *part = trained_by("regulargpt", "4", rule);
        assert_true(th_safetensors_save(part, path, NULL));
        ThModel *back = th_safetensors_load(path, NULL);
        assert_non_null(back);
        assert_same(part, back);
        train(whole, t, "5", rule);
        train(back, t, "5", rule);
        assert_same(whole, back);
        th_model_free(whole);
        th_model_free(part);
        th_model_free(back);
    }
    th_task_free(t);
}

/* Version 0.1 kept two moments for every rule; what a rule has no use for is left. */
static void test_moments_without_use(void **state)
{
    (void)state;
    ThModel *m = trained_by("rnn", "3", "sgd");
    assert_null(m->training.moment[1]);
    m->training.moment[1] = th_params_floats(m->params.total, NULL);
    assert_true(th_safetensors_save(m, path, NULL));
    ThModel *back = th_safetensors_load(path, NULL);
    assert_non_null(back);
    assert_true(same_floats(m->training.moment[0], back->training.moment[0], m->params.total));
    assert_null(back->training.moment[1]);
    th_model_free(back);
    m->training.moment[2] = th_params_floats(m->params.total, NULL);
    assert_true(th_safetensors_save(m, path, NULL));
    ThError err = {0};
    assert_null(th_safetensors_load(path, &err));
    assert_non_null(strstr(err.msg, "unexpected moments"));
    strcpy(m->training.optimizer, "xyz");
    assert_true(th_safetensors_save(m, path, NULL));
    err = (ThError){0};
    assert_null(th_safetensors_load(path, &err));
    assert_non_null(strstr(err.msg, "unknown optimiser 'xyz'"));
    th_model_free(m);
}

static char *saved(size_t *n)
{
    ThModel *m = trained("rnn", "1");
    assert_true(th_safetensors_save(m, path, NULL));
    th_model_free(m);
    char *bytes = th_file_read(path, 1 << 24, n, NULL);
    assert_non_null(bytes);
    return bytes;
}

static size_t header_length(const char *bytes)
{
    size_t length = 0;
    for (int i = 0; i < 8; i++)
        length |= (size_t)(unsigned char)bytes[i] << 8 * i;
    return length;
}

/* The format as its description has it, read by a program that does not know ours. */
static void test_layout(void **state)
{
    (void)state;
    size_t n, covered = 0;
    char *bytes = saved(&n);
    size_t length = header_length(bytes);
    assert_int_equal(length % 8, 0);
    json_t *header = json_loadb(bytes + 8, length, 0, NULL);
    assert_true(json_is_object(header));
    const char *name;
    json_t *tensor, *value;
    json_object_foreach(json_object_get(header, "__metadata__"), name, value)
    {
        assert_true(json_is_string(value));
    }
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(header, "__metadata__"), "kind")), "rnn");
    json_object_foreach(header, name, tensor)
    {
        if (strcmp(name, "__metadata__") == 0)
            continue;
        json_int_t begin, end, size = 4;
        const char *dtype;
        assert_int_equal(
            json_unpack(tensor, "{s:s, s:[I,I]}", "dtype", &dtype, "data_offsets", &begin, &end),
            0);
        assert_string_equal(dtype, "F32");
        json_t *shape = json_object_get(tensor, "shape");
        for (size_t i = 0; i < json_array_size(shape); i++)
            size *= json_integer_value(json_array_get(shape, i));
        assert_int_equal(end - begin, size);
        assert_true(begin >= 0 && (size_t)end <= n - 8 - length);
        covered += (size_t)size;
    }
    assert_int_equal(covered, n - 8 - length);
    json_decref(header);
    free(bytes);
}

/* Every beginning of a file is refused, by one message. */
static void test_truncation(void **state)
{
    (void)state;
    size_t n;
    char *bytes = saved(&n);
    for (size_t k = 0; k < n; k++) {
        char *part = malloc(k ? k : 1); /* of its own, so that sanitizers see its end */
        memcpy(part, bytes, k);
        ThError err = {0};
        assert_null(th_safetensors_parse(part, k, &err));
        assert_int_equal(err.code, TH_EVALUE);
        assert_true(strlen(err.msg) > 10);
        free(part);
    }
    ThModel *m = th_safetensors_parse(bytes, n, NULL);
    assert_non_null(m);
    th_model_free(m);
    free(bytes);
}

/* Random damage is found, or does no harm: what is loaded can be saved again. */
static void test_random_damage(void **state)
{
    (void)state;
    size_t n;
    char *bytes = saved(&n), *copy = malloc(n);
    ThRng r = th_rng(1, "test.damage", 0);
    int refused = 0;
    for (int turn = 0; turn < 3000; turn++) {
        memcpy(copy, bytes, n);
        int flips = 1 + (int)th_rng_below(&r, 4);
        for (int i = 0; i < flips; i++) /* mostly in the header */
            copy[th_rng_below(&r, turn % 4 ? 8 + header_length(bytes) : n)] ^=
                (char)(1 << th_rng_below(&r, 8));
        ThError err = {0};
        ThModel *m = th_safetensors_parse(copy, n, &err);
        assert_int_equal(!m, err.code != TH_OK);
        if (m)
            check_round_trip(m);
        refused += !m;
        th_model_free(m);
    }
    assert_true(refused > 1500);
    free(bytes);
    free(copy);
}

/* ---- hostile headers --------------------------------------------------------------------------
 */

/* A file of the given header and `size` zero bytes of data; returns what loading it says. */
static ThError load_header(const char *header, size_t size)
{
    size_t length = strlen(header);
    char *bytes = calloc(8 + length + size, 1);
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(length >> 8 * i & 0xff);
    memcpy(bytes + 8, header, length);
    ThError err = {0};
    ThModel *m = th_safetensors_parse(bytes, 8 + length + size, &err);
    assert_null(m);
    free(bytes);
    return err;
}

static void refuse(const char *header, size_t size, const char *says)
{
    ThError err = load_header(header, size);
    if (err.code != TH_EVALUE && err.code != TH_EUSAGE)
        fail_msg("error %d for %s", err.code, header);
    if (!strstr(err.msg, says))
        fail_msg("'%s' does not say '%s'", err.msg, says);
}

#define TENSOR(shape, offsets)                                                                     \
    "{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void test_hostile_tensors(void **state)
{
    (void)state;
    refuse("", 0, "header");
    refuse("[]", 0, "header");
    refuse("{", 0, "JSON");
    refuse("{\"a\":1,\"a\":2}", 0, "JSON");
    refuse("{}", 0, "no model");
    refuse("{}", 4, "end");
    refuse("{\"a\":3}", 0, "described");
    refuse("{\"a\":" TENSOR("[1]", "[0,4]") "}", 0, "within");
    refuse("{\"a\":" TENSOR("[1]", "[-4,0]") "}", 8, "within");
    refuse("{\"a\":" TENSOR("[1]", "[4,0]") "}", 8, "within");
    refuse("{\"a\":" TENSOR("[2]", "[0,4]") "}", 4, "shape");
    refuse("{\"a\":" TENSOR("[-1]", "[0,4]") "}", 4, "shape");
    refuse("{\"a\":" TENSOR("[4611686018427387905,4]", "[0,4]") "}", 4, "shape");
    refuse("{\"a\":" TENSOR("[4294967296,4294967296]", "[0,0]") "}", 0, "shape");
    refuse("{\"a\":" TENSOR("[1.0]", "[0,4]") "}", 4, "shape");
    refuse("{\"a\":" TENSOR("[99999999999999999999]", "[0,4]") "}", 4, "JSON");
    refuse("{\"a\":" TENSOR("[1]", "[0,4]") ",\"b\":" TENSOR("[1]", "[0,4]") "}", 4, "overlap");
    refuse("{\"a\":" TENSOR("[1]", "[0,4]") ",\"b\":" TENSOR("[1]", "[8,12]") "}", 12, "overlap");
    refuse("{\"a\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "F4");
    refuse("{\"a\":{\"dtype\":\"F16\",\"shape\":[3],\"data_offsets\":[0,4]}}", 4, "shape");
    refuse("{\"a\":" TENSOR("[1]", "[0,4]") "}", 4, "no model");
    refuse("{\"\\u001b[2J\":3}", 0, "'?[2J'");
}

#define ABOUT(kind, options, rest)                                                                 \
    "{\"__metadata__\":{\"format\":\"tapehead\",\"version\":\"1\",\"kind\":\"" kind                \
    "\",\"options\":\"" options "\"" rest "}}"
#define SIGNATURE(target, symbols, classes)                                                        \
    ",\"signature\":\"{\\\"target\\\":\\\"" target "\\\",\\\"symbols\\\":[" symbols                \
    "],\\\"classes\\\":[" classes "]}\""
#define TWO "\\\"a\\\",\\\"b\\\""
#define TRAINING                                                                                   \
    ",\"training\":\"{\\\"step\\\":0,\\\"updates\\\":0,\\\"seed\\\":\\\"1\\\",\\\"ema\\\":0,"      \
    "\\\"reach\\\":0,\\\"mean_loss\\\":0,\\\"mean_accuracy\\\":0,\\\"mean_weight\\\":0,"           \
    "\\\"trained_lo\\\":0,\\\"trained_hi\\\":0}\",\"history\":\"[]\""

static void test_hostile_metadata(void **state)
{
    (void)state;
    refuse("{\"__metadata__\":[]}", 0, "no model");
    refuse("{\"__metadata__\":{\"format\":\"pt\"}}", 0, "no model");
    refuse(ABOUT("oracle", "{}", ""), 0, "oracle");
    refuse(ABOUT("rnn", "", ""), 0, "options");
    refuse(ABOUT("rnn", "[[[[", ""), 0, "options");
    refuse(ABOUT("rnn", "{\\\"dim\\\":5}", ""), 0, "options");
    refuse(ABOUT("rnn", "{\\\"dim\\\":\\\"many\\\"}", ""), 0, "dim");
    refuse(ABOUT("rnn", "{\\\"colour\\\":\\\"red\\\"}", ""), 0, "colour");
    refuse(ABOUT("rnn", "{}", SIGNATURE("final", TWO, TWO)), 0, "training");
    refuse(ABOUT("rnn", "{}", SIGNATURE("soon", TWO, TWO) TRAINING), 0, "answers");
    refuse(ABOUT("rnn", "{}", SIGNATURE("final", "", TWO) TRAINING), 0, "symbols");
    refuse(ABOUT("rnn", "{}", SIGNATURE("final", TWO "," TWO, TWO) TRAINING), 0, "symbols");
    refuse(ABOUT("rnn", "{}", SIGNATURE("final", "1", TWO) TRAINING), 0, "symbols");
    refuse(ABOUT("rnn", "{}", SIGNATURE("final", TWO, TWO) TRAINING), 0, "missing");
}

/* Options that ask for more memory than the file has bytes cost nothing. */
static void test_bounded_memory(void **state)
{
    (void)state;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    refuse(ABOUT("rnn", "{\\\"dim\\\":\\\"60000\\\"}", SIGNATURE("final", TWO, TWO) TRAINING), 0,
           "missing");
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
}

static void test_deep_header(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    ThText t = {0};
    th_text_add(&t, "{\"a\":");
    for (int i = 0; i < DEPTH; i++)
        th_text_add(&t, "[");
    refuse(t.data, 0, "JSON");
    th_text_free(&t);
}

static void test_values_that_are_no_numbers(void **state)
{
    (void)state;
    ThModel *m = trained("rnn", "1");
    m->params.value[m->params.item[0].offset] = NAN;
    assert_true(th_safetensors_save(m, path, NULL));
    ThError err = {0};
    assert_null(th_safetensors_load(path, &err));
    assert_int_equal(err.code, TH_EVALUE);
    assert_non_null(strstr(err.msg, m->params.item[0].name));
    th_model_free(m);
}

/* What another program has saved may have weights only: the optimiser starts afresh. */
static void test_no_moments(void **state)
{
    (void)state;
    ThTask *t = make_task();
    ThModel *m = trained("rnn", "3");
    for (int k = 0; k < TH_OPTIMIZER_SLOTS; k++) {
        free(m->training.moment[k]);
        m->training.moment[k] = NULL;
    }
    assert_true(th_safetensors_save(m, path, NULL));
    ThModel *back = th_safetensors_load(path, NULL);
    assert_non_null(back);
    assert_true(same_floats(m->params.value, back->params.value, m->params.total));
    assert_null(back->training.optimizer);
    assert_int_equal(back->training.updates, 0);
    assert_int_equal(back->training.step, 3);
    train(back, t, "2", "adam");
    assert_int_equal(back->training.updates, 2);
    th_model_free(m);
    th_model_free(back);
    th_task_free(t);
}

/* What a training has found on strings set aside, its best parameters, and an evaluation. */
static void test_findings(void **state)
{
    (void)state;
    ThModel *m = trained("rnn", "7");
    static const ThModelValidation found[] = {{3, 0.25, 1.5}, {6, 0.1, 2}};
    static const ThScore scores[] = {
        {.length = 9,
         .least = 9,
         .tokens = 9,
         .strings = 16,
         .exact = 4,
         .n = 16,
         .right = 4,
         .accuracy = 0.25,
         .lo = 0.0727,
         .hi = 0.5238,
         .chance = 0.5,
         .loss = 0.75},
        {.length = 12,
         .least = 10,
         .tokens = 11,
         .strings = 8,
         .exact = 8,
         .n = 24,
         .right = 24,
         .written = 5,
         .answered = 4,
         .whole = 3,
         .accuracy = 0.8,
         .lo = 0.7,
         .hi = 1,
         .chance = (double)NAN,
         .loss = 0.125},
    };
    m->training.began = 2;
    m->training.n_validations = m->n_scores = 2;
    m->training.validation = th_copy(found, 2, sizeof *found, NULL);
    m->scores = th_copy(scores, 2, sizeof *scores, NULL);
    m->training.best = th_params_floats(m->params.total, NULL);
    m->training.best[m->params.item[0].offset] = 7;
    assert_true(th_safetensors_save(m, path, NULL));
    ThModel *back = th_safetensors_load(path, NULL);
    assert_non_null(back);
    assert_same(m, back);
    assert_int_equal(back->training.began, 2);
    assert_int_equal(back->training.n_validations, 2);
    assert_memory_equal(back->training.validation, found, sizeof found);
    assert_true(same_floats(m->training.best, back->training.best, m->params.total));
    assert_int_equal(back->n_scores, 2);
    for (int i = 0; i < 2; i++) {
        const ThScore *a = &scores[i], *b = &back->scores[i];
        assert_true(a->length == b->length && a->least == b->least && a->tokens == b->tokens);
        assert_true(a->strings == b->strings && a->exact == b->exact && a->n == b->n);
        assert_true(a->right == b->right && a->accuracy == b->accuracy && a->lo == b->lo);
        assert_true(a->hi == b->hi && a->loss == b->loss && a->written == b->written);
        assert_true(a->answered == b->answered && a->whole == b->whole);
        assert_true(a->chance == b->chance || (isnan(a->chance) && isnan(b->chance)));
    }
    th_model_free(m);
    th_model_free(back);
}

/* Some moments without others are damage. */
static void test_missing_moments(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        ThModel *m = trained("rnn", "1");
        if (k < 2) {
            free(m->training.moment[k]);
            m->training.moment[k] = NULL;
        } else {
            free(m->training.optimizer);
            m->training.optimizer = NULL;
        }
        assert_true(th_safetensors_save(m, path, NULL));
        ThError err = {0};
        assert_null(th_safetensors_load(path, &err));
        assert_int_equal(err.code, TH_EVALUE);
        assert_non_null(strstr(err.msg, "moments"));
        th_model_free(m);
    }
}

/* ---- NumPy ------------------------------------------------------------------------------------
 */

static void test_npy(void **state)
{
    (void)state;
    static const double d[] = {1, -2.5, 0, 4, 5, 6};
    static const int i[] = {1, -2};
    size_t n;
    assert_true(th_npy_write(path, TH_NPY_FLOAT64, 2, 3, d, NULL));
    char *bytes = th_file_read(path, 4096, &n, NULL);
    size_t header = (unsigned char)bytes[8] | (size_t)(unsigned char)bytes[9] << 8;
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_int_equal((10 + header) % 64, 0);
    assert_non_null(strstr(bytes + 10, "{'descr': '<f8', 'fortran_order': False, "
                                       "'shape': (2, 3), }"));
    assert_int_equal(bytes[10 + header - 1], '\n');
    assert_int_equal(n, 10 + header + sizeof d);
    /* -2.5 is 0xc004000000000000 */
    assert_memory_equal(bytes + 10 + header + 8, "\0\0\0\0\0\0\x04\xc0", 8);
    free(bytes);
    assert_true(th_npy_write(path, TH_NPY_INT32, 1, 2, i, NULL));
    bytes = th_file_read(path, 4096, &n, NULL);
    assert_memory_equal(bytes + n - 8, "\1\0\0\0\xfe\xff\xff\xff", 8);
    free(bytes);
    ThError err = {0};
    assert_false(th_npy_write("/nonexistent/x.npy", TH_NPY_INT32, 1, 2, i, &err));
    assert_int_equal(err.code, TH_EIO);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void test_files(void **state)
{
    (void)state;
    ThError err = {0};
    assert_null(th_safetensors_load("/nonexistent/m.safetensors", &err));
    assert_int_equal(err.code, TH_EIO);
    err = (ThError){0};
    assert_null(th_safetensors_load(folder, &err));
    assert_int_equal(err.code, TH_EIO);
    ThModel *m = trained("rnn", "1");
    err = (ThError){0};
    assert_false(th_safetensors_save(m, "/nonexistent/m.safetensors", &err));
    assert_int_equal(err.code, TH_EIO);
    if (access("/dev/full", W_OK) == 0) {
        err = (ThError){0};
        assert_false(th_safetensors_save(m, "/dev/full", &err));
        assert_int_equal(err.code, TH_EIO);
        assert_non_null(strstr(err.msg, "space"));
    }
    th_model_free(m);
}

/* Where the disk is full the old file stays. */
static void test_full_disk(void **state)
{
    (void)state;
    ThModel *m = trained("rnn", "1"), *larger = trained("lstm", "1");
    struct stat before, after;
    struct rlimit old, small;
    assert_true(th_safetensors_save(m, path, NULL));
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){(rlim_t)before.st_size, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ThError err = {0};
    bool ok = th_safetensors_save(larger, path, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(ok);
    assert_int_equal(err.code, TH_EIO);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    ThModel *back = th_safetensors_load(path, NULL);
    assert_non_null(back);
    assert_same(m, back);
    th_model_free(back);
    th_model_free(m);
    th_model_free(larger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_training_goes_on),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_hostile_tensors),
        cmocka_unit_test(test_hostile_metadata),
        cmocka_unit_test(test_bounded_memory),
        cmocka_unit_test(test_deep_header),
        cmocka_unit_test(test_values_that_are_no_numbers),
        cmocka_unit_test(test_no_moments),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_missing_moments),
        cmocka_unit_test(test_moments_without_use),
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
