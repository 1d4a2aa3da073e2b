#include "formats/models/metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"

enum { VERSION = 1, MOST_NAMES = 1 << 16, LONGEST_NAME = 4096 };

static const json_int_t MOST_STEPS = 1LL << 53;

static const char *const target_names[] = {
    [TH_TARGET_FINAL] = "final", [TH_TARGET_EVERY] = "every", [TH_TARGET_BITS] = "bits"};

static bool out_of_memory(ThError *err)
{
    return th_fail(err, TH_ENOMEM, "out of memory for the description of a model");
}

ThFormatShownName th_format_shown_name(const char *name)
{
    ThFormatShownName shown;
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof shown.text; n++)
        shown.text[n] = (unsigned char)name[n] < 0x20 || name[n] == 0x7f ? '?' : name[n];
    shown.text[n] = '\0';
    return shown;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Adds a member; *ok turns false where memory runs out. */
static void put(json_t *object, const char *key, json_t *value, bool *ok)
{
    *ok = json_object_set_new(object, key, value) == 0 && *ok;
}

static void append(json_t *array, json_t *value, bool *ok)
{
    *ok = json_array_append_new(array, value) == 0 && *ok;
}

/* null stands for what is not a number. */
static json_t *real_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* Adds a document as a string: metadata holds nothing but strings. */
static void put_text(json_t *metadata, const char *key, json_t *document, bool *ok)
{
    char *text = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    if (text)
        put(metadata, key, json_string(text), ok);
    *ok = *ok && text;
    free(text);
    json_decref(document);
}

static json_t *write_options(const ThOptions *o, bool *ok)
{
    json_t *object = json_object();
    for (size_t i = 0; i < o->n; i++)
        if (o->item[i].text)
            put(object, o->item[i].spec->name, json_string(o->item[i].text), ok);
    return object;
}

static json_t *write_names(char *const *name, int n, bool *ok)
{
    json_t *array = json_array();
    for (int i = 0; i < n; i++)
        append(array, json_string(name[i]), ok);
    return array;
}

static json_t *write_signature(const ThSignature *s, bool *ok)
{
    json_t *object = json_object();
    put(object, "target", json_string(target_names[s->target]), ok);
    if (s->next)
        put(object, "next", json_true(), ok);
    if (s->pairs)
        put(object, "pairs", json_true(), ok);
    put(object, "symbols", write_names(s->symbol, s->n_symbols, ok), ok);
    put(object, "classes", write_names(s->label, s->n_classes, ok), ok);
    return object;
}

static json_t *write_training(const ThModelTraining *t, bool *ok)
{
    json_t *object = json_object();
    char seed[24]; /* JSON has no unsigned 64-bit integers */
    snprintf(seed, sizeof seed, "%" PRIu64, t->seed);
    put(object, "step", json_integer(t->step), ok);
    put(object, "began", json_integer(t->began), ok);
    put(object, "updates", json_integer(t->updates), ok);
    put(object, "seed", json_string(seed), ok);
    if (t->optimizer)
        put(object, "optimizer", json_string(t->optimizer), ok);
    put(object, "ema", real_or_null(t->ema), ok);
    put(object, "reach", real_or_null(t->reach), ok);
    put(object, "mean_loss", real_or_null(t->mean_loss), ok);
    put(object, "mean_accuracy", real_or_null(t->mean_accuracy), ok);
    put(object, "mean_weight", real_or_null(t->mean_weight), ok);
    put(object, "trained_lo", json_integer(t->trained_lo), ok);
    put(object, "trained_hi", json_integer(t->trained_hi), ok);
    if (t->task)
        put(object, "task", json_string(t->task), ok);
    return object;
}

static json_t *write_history(const ThModelTraining *t, bool *ok)
{
    json_t *array = json_array();
    for (size_t i = 0; i < t->n_history; i++) {
        json_t *row = json_array();
        append(row, json_integer(t->history[i].step), ok);
        append(row, real_or_null(t->history[i].loss), ok);
        append(row, real_or_null(t->history[i].accuracy), ok);
        append(array, row, ok);
    }
    return array;
}

static json_t *write_validations(const ThModelTraining *t, bool *ok)
{
    json_t *array = json_array();
    for (size_t i = 0; i < t->n_validations; i++) {
        const ThModelValidation *v = &t->validation[i];
        append(array,
               json_pack("[I,o,o]", (json_int_t)v->step, real_or_null(v->accuracy),
                         real_or_null(v->loss)),
               ok);
    }
    return array;
}

static json_t *write_comparisons(const ThModelTraining *t, bool *ok)
{
    json_t *array = json_array();
    for (size_t i = 0; i < t->n_comparisons; i++) {
        const ThModelComparison *c = &t->comparison[i];
        append(array,
               json_pack("[I,I,I,i]", (json_int_t)c->step, (json_int_t)c->words,
                         (json_int_t)c->wrong, c->states),
               ok);
    }
    return array;
}

static json_t *write_numbers(const int *x, size_t n, bool *ok)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        append(array, json_integer(x[i]), ok);
    return array;
}

/* The rows of a batch: their symbols and what is due; of padding nothing is. */
static json_t *write_batch(const ThBatch *b, const ThSignature *s, bool *ok)
{
    json_t *array = json_array();
    for (int i = 0; i < b->B; i++) {
        ThBatch row = th_batch_slice(b, s, i, 1);
        row.T = th_batch_length(b, i);
        append(array,
               json_pack("[o,o]", write_numbers(row.token, (size_t)row.T, ok),
                         write_numbers(row.target, th_batch_answers(s, &row), ok)),
               ok);
    }
    return array;
}

static json_t *write_scores(const ThModel *m, bool *ok)
{
    json_t *array = json_array();
    for (size_t i = 0; i < m->n_scores; i++) {
        const ThScore *x = &m->scores[i];
        const long long count[] = {x->length, x->least, x->tokens,  x->strings,  x->exact,
                                   x->n,      x->right, x->written, x->answered, x->whole};
        const double real[] = {x->accuracy, x->lo, x->hi, x->chance, x->loss};
        json_t *row = json_array();
        append(array, row, ok);
        for (size_t k = 0; k < sizeof count / sizeof *count; k++)
            append(row, json_integer(count[k]), ok);
        for (size_t k = 0; k < sizeof real / sizeof *real; k++)
            append(row, real_or_null(real[k]), ok);
    }
    return array;
}

json_t *th_metadata_write(const ThModel *m, ThError *err)
{
    bool ok = true;
    char version[16];
    snprintf(version, sizeof version, "%d", VERSION);
    json_t *metadata = json_object();
    put(metadata, "format", json_string("tapehead"), &ok);
    put(metadata, "version", json_string(version), &ok);
    put(metadata, "kind", json_string(m->kind->name), &ok);
    if (m->kind->changed)
        put(metadata, "revision", json_string("2"), &ok);
    put_text(metadata, "options", write_options(&m->options, &ok), &ok);
    if (m->bound) {
        put_text(metadata, "signature", write_signature(&m->signature, &ok), &ok);
        put_text(metadata, "training", write_training(&m->training, &ok), &ok);
        put_text(metadata, "history", write_history(&m->training, &ok), &ok);
        put_text(metadata, "validations", write_validations(&m->training, &ok), &ok);
        put_text(metadata, "scores", write_scores(m, &ok), &ok);
    }
    if (m->bound && m->training.n_comparisons > 0) {
        put_text(metadata, "comparisons", write_comparisons(&m->training, &ok), &ok);
        put_text(metadata, "joined", write_batch(&m->training.joined, &m->signature, &ok), &ok);
    }
    if (ok)
        return metadata;
    json_decref(metadata);
    out_of_memory(err);
    return NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool wrong(ThError *err, const char *what)
{
    return th_fail(err, TH_EVALUE, "the model's %s are not as tapehead writes them", what);
}

/* Returns a view of a string member, or NULL. */
static const char *get_string(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Returns new: the document within a string member.  NULL and no error where there is none. */
static json_t *get_document(const json_t *metadata, const char *key, ThError *err)
{
    const char *text = get_string(metadata, key);
    json_t *document = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (text && !document)
        th_fail(err, TH_EVALUE, "the model's %s are not valid JSON", key);
    return document;
}

static bool get_integer(const json_t *object, const char *key, json_int_t least, json_int_t most,
                        json_int_t *value)
{
    const json_t *member = json_object_get(object, key);
    *value = json_integer_value(member);
    return json_is_integer(member) && *value >= least && *value <= most;
}

/* A number, or null for what is none. */
static bool real_of(const json_t *member, double *value)
{
    *value = json_is_null(member) ? (double)NAN : json_number_value(member);
    return json_is_number(member) || json_is_null(member);
}

static bool read_options(const json_t *metadata, const ThModelKind *kind, ThOptions *o,
                         ThError *err)
{
    json_t *object = get_document(metadata, "options", err);
    bool ok = json_is_object(object) || wrong(err, "options");
    ok = ok && th_options_init(o, kind->options, err);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!ok)
            break;
        if (!json_is_string(value) || strlen(key) > 64)
            ok = wrong(err, "options");
        else
            ok = th_options_set(o, th_format_shown_name(key).text, json_string_value(value), err);
    }
    json_decref(object);
    return ok;
}

static bool is_name(const json_t *value)
{
    size_t n = json_string_length(value);
    return json_is_string(value) && n <= LONGEST_NAME;
}

/* Symbols are told apart by their names, so no name may occur twice. */
static bool read_names(const json_t *array, int *n, char ***names, ThError *err)
{
    ThIntern seen = {0};
    size_t count = json_array_size(array), index = 0;
    bool ok = json_is_array(array) && count <= MOST_NAMES;
    *names = ok ? th_alloc(count, sizeof **names, err) : NULL;
    ok = ok && *names;
    for (size_t i = 0; ok && i < count; i++) {
        const json_t *value = json_array_get(array, i);
        ok = is_name(value) &&
             th_intern(&seen, json_string_value(value), json_string_length(value), &index, err) &&
             index == i;
        if (ok)
            (*names)[(*n)++] = th_strdup(json_string_value(value), err);
        ok = ok && (*names)[i];
    }
    th_intern_free(&seen);
    return ok || wrong(err, "symbols or classes");
}

static bool read_signature(const json_t *object, ThSignature *s, ThError *err)
{
    const char *target = get_string(object, "target");
    size_t kind = 0, n_kinds = sizeof target_names / sizeof *target_names;
    while (target && kind < n_kinds && strcmp(target, target_names[kind]) != 0)
        kind++;
    if (!target || kind == n_kinds)
        return wrong(err, "answers");
    s->target = (ThTarget)kind;
    s->next = json_is_true(json_object_get(object, "next"));
    s->pairs = json_is_true(json_object_get(object, "pairs"));
    if (!read_names(json_object_get(object, "symbols"), &s->n_symbols, &s->symbol, err) ||
        !read_names(json_object_get(object, "classes"), &s->n_classes, &s->label, err))
        return false;
    return (s->n_symbols > 0 && s->n_classes > 0) || wrong(err, "symbols or classes");
}

/* Returns a view; NULL if the metadata is not of a model that this program knows. */
static const ThModelKind *read_kind(const json_t *metadata, ThError *err)
{
    const char *format = get_string(metadata, "format"), *version = get_string(metadata, "version");
    const char *name = get_string(metadata, "kind");
    if (!format || strcmp(format, "tapehead") != 0 || !version || !name) {
        th_fail(err, TH_EVALUE, "the file holds tensors, but no model of tapehead's");
        return NULL;
    }
    if (strtol(version, NULL, 10) != VERSION) {
        th_fail(err, TH_EVALUE, "the model is of version %s of the format; this is %d",
                th_format_shown_name(version).text, VERSION);
        return NULL;
    }
    const ThModelKind *kind = th_model_kind(name);
    if (!kind)
        th_fail(err, TH_EVALUE, "unknown kind of model '%s'", th_format_shown_name(name).text);
    return kind;
}

/* False for a file of before an architecture was mended, which would answer otherwise now. */
static bool is_present(const json_t *metadata, const ThModelKind *kind, const ThOptions *o,
                       ThError *err)
{
    const char *what = kind->changed ? kind->changed(o) : NULL;
    if (!what || get_string(metadata, "revision"))
        return true;
    th_fail(err, TH_EVALUE, "the %s is of a version that computed it otherwise: %s", kind->name,
            what);
    return th_hint(err, "it has to be trained again");
}

ThModel *th_metadata_model(const json_t *metadata, bool *bound, ThError *err)
{
    const ThModelKind *kind = read_kind(metadata, err);
    if (!kind)
        return NULL;
    ThOptions options = {0};
    ThModel *m = NULL;
    if (read_options(metadata, kind, &options, err) && is_present(metadata, kind, &options, err))
        m = th_model_new(kind, &options, err);
    th_options_free(&options);
    if (!m)
        return NULL;
    ThError local = {0};
    json_t *signature = get_document(metadata, "signature", &local);
    bool ok = !local.code || th_fail(err, local.code, "%s", local.msg);
    *bound = signature != NULL;
    if (signature)
        ok = read_signature(signature, &m->signature, err) && kind->bind(m, err);
    json_decref(signature);
    if (ok)
        return m;
    th_model_free(m);
    return NULL;
}

static bool read_seed(const json_t *object, uint64_t *seed)
{
    const char *text = get_string(object, "seed");
    char *end;
    if (!text || strlen(text) > 20 || strspn(text, "0123456789") != strlen(text) || !*text)
        return false;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static bool read_text(const json_t *object, const char *key, char **to, ThError *err)
{
    const json_t *member = json_object_get(object, key);
    if (!member)
        return true;
    *to = is_name(member) ? th_strdup(json_string_value(member), err) : NULL;
    return *to != NULL;
}

/* Lengths and levels of the curriculum are converted to int by the trainer. */
static bool read_progress(const json_t *object, ThModelTraining *t)
{
    json_int_t step, updates, lo, hi, began = 0;
    bool ok =
        get_integer(object, "step", 0, MOST_STEPS, &step) &&
        (!json_object_get(object, "began") || get_integer(object, "began", 0, step, &began)) &&
        get_integer(object, "updates", 0, MOST_STEPS, &updates) &&
        get_integer(object, "trained_lo", 0, INT_MAX, &lo) &&
        get_integer(object, "trained_hi", lo, INT_MAX, &hi) && read_seed(object, &t->seed) &&
        real_of(json_object_get(object, "ema"), &t->ema) &&
        real_of(json_object_get(object, "reach"), &t->reach) &&
        real_of(json_object_get(object, "mean_loss"), &t->mean_loss) &&
        real_of(json_object_get(object, "mean_accuracy"), &t->mean_accuracy) &&
        real_of(json_object_get(object, "mean_weight"), &t->mean_weight) && fabs(t->ema) <= 1e9 &&
        fabs(t->reach) <= 1e9 && t->mean_weight >= 0;
    if (!ok)
        return false;
    t->step = step;
    t->began = began;
    t->updates = updates;
    t->trained_lo = (int)lo;
    t->trained_hi = (int)hi;
    return true;
}

static bool read_history(const json_t *array, ThModelTraining *t, ThError *err)
{
    size_t n = json_array_size(array);
    t->history = json_is_array(array) ? th_alloc(n, sizeof *t->history, err) : NULL;
    if (!t->history)
        return false;
    t->cap_history = n;
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(array, i);
        const json_t *step = json_array_get(row, 0);
        ThModelHistoryPoint *p = &t->history[t->n_history++];
        p->step = json_integer_value(step);
        if (json_array_size(row) != 3 || !json_is_integer(step) ||
            !real_of(json_array_get(row, 1), &p->loss) ||
            !real_of(json_array_get(row, 2), &p->accuracy))
            return false;
    }
    return true;
}

static bool read_validations(const json_t *array, ThModelTraining *t, ThError *err)
{
    size_t n = json_array_size(array);
    t->validation = th_alloc(n, sizeof *t->validation, err);
    t->cap_validations = n;
    bool ok = t->validation && (!array || json_is_array(array));
    for (size_t i = 0; ok && i < n; i++) {
        const json_t *row = json_array_get(array, i);
        ThModelValidation *v = &t->validation[t->n_validations++];
        json_int_t step = json_integer_value(json_array_get(row, 0));
        ok = json_array_size(row) == 3 && json_is_integer(json_array_get(row, 0)) &&
             step >= (i ? v[-1].step : 0) && step <= t->step &&
             real_of(json_array_get(row, 1), &v->accuracy) &&
             real_of(json_array_get(row, 2), &v->loss);
        v->step = step;
    }
    return ok;
}

static bool read_comparisons(const json_t *array, ThModelTraining *t, ThError *err)
{
    size_t n = json_array_size(array);
    t->comparison = th_alloc(n, sizeof *t->comparison, err);
    t->cap_comparisons = n;
    bool ok = t->comparison && (!array || json_is_array(array));
    for (size_t i = 0; ok && i < n; i++) {
        ThModelComparison *c = &t->comparison[t->n_comparisons++];
        json_int_t x[4];
        json_t *row = json_array_get(array, i);
        ok = json_array_size(row) == 4 &&
             json_unpack(row, "[I,I,I,I]", &x[0], &x[1], &x[2], &x[3]) == 0 &&
             x[0] >= (i ? c[-1].step : 0) && x[0] <= t->step && x[2] >= 0 && x[1] >= x[2] &&
             x[3] >= 0 && x[3] <= INT_MAX;
        if (ok)
            *c = (ThModelComparison){x[0], x[1], x[2], (int)x[3]};
    }
    return ok;
}

static bool read_numbers(const json_t *array, int least, int most, int *to, size_t n)
{
    bool ok = json_array_size(array) == n;
    for (size_t i = 0; ok && i < n; i++) {
        const json_t *x = json_array_get(array, i);
        ok = json_is_integer(x) && json_integer_value(x) >= least && json_integer_value(x) <= most;
        to[i] = (int)json_integer_value(x);
    }
    return ok;
}

static bool read_batch(const json_t *array, const ThSignature *s, ThBatch *b, ThError *err)
{
    enum { MOST_ROWS = 256, LONGEST_ROW = 100000 };
    size_t n = json_array_size(array);
    int most = s->target == TH_TARGET_BITS ? 1 : s->n_classes - 1;
    bool ok = (!array || json_is_array(array)) && n <= MOST_ROWS;
    b->B = (int)n;
    b->T = 0;
    for (size_t i = 0; ok && i < n; i++) {
        size_t length = json_array_size(json_array_get(json_array_get(array, i), 0));
        ok = length > 0 && length <= LONGEST_ROW;
        b->T = (int)length > b->T ? (int)length : b->T;
    }
    ok = ok && th_batch_reserve(b, s, true, err);
    for (int i = 0; ok && i < b->B; i++) {
        const json_t *row = json_array_get(array, (size_t)i), *word = json_array_get(row, 0);
        ThBatch own = th_batch_slice(b, s, i, 1);
        own.T = *own.length = (int)json_array_size(word);
        ok = json_array_size(row) == 2 &&
             read_numbers(word, 0, s->n_symbols - 1, own.token, (size_t)own.T) &&
             read_numbers(json_array_get(row, 1), -1, most, own.target, th_batch_answers(s, &own));
    }
    if (ok)
        th_batch_pad(b, s);
    return ok;
}

static bool read_score(const json_t *row, ThScore *x)
{
    enum { COUNTS = 10, REALS = 5 };
    json_int_t count[COUNTS];
    double real[REALS];
    bool ok = json_array_size(row) == COUNTS + REALS;
    for (size_t i = 0; ok && i < COUNTS; i++) {
        const json_t *member = json_array_get(row, i);
        count[i] = json_integer_value(member);
        ok = json_is_integer(member) && count[i] >= 0 && (i >= 3 || count[i] <= INT_MAX);
    }
    for (size_t i = 0; ok && i < REALS; i++)
        ok = real_of(json_array_get(row, COUNTS + i), &real[i]);
    if (!ok)
        return false;
    *x = (ThScore){.length = (int)count[0],
                   .least = (int)count[1],
                   .tokens = (int)count[2],
                   .strings = count[3],
                   .exact = count[4],
                   .n = count[5],
                   .right = count[6],
                   .written = count[7],
                   .answered = count[8],
                   .whole = count[9],
                   .accuracy = real[0],
                   .lo = real[1],
                   .hi = real[2],
                   .chance = real[3],
                   .loss = real[4]};
    return true;
}

static bool read_scores(const json_t *array, ThModel *m, ThError *err)
{
    size_t n = json_array_size(array);
    m->scores = th_alloc(n, sizeof *m->scores, err);
    bool ok = m->scores && (!array || json_is_array(array));
    for (size_t i = 0; ok && i < n; i++)
        ok = read_score(json_array_get(array, i), &m->scores[m->n_scores++]);
    return ok;
}

bool th_metadata_training(const json_t *metadata, ThModel *m, ThError *err)
{
    json_t *training = get_document(metadata, "training", err);
    json_t *history = get_document(metadata, "history", err);
    json_t *validations = get_document(metadata, "validations", err);
    json_t *scores = get_document(metadata, "scores", err);
    json_t *comparisons = get_document(metadata, "comparisons", err);
    json_t *joined = get_document(metadata, "joined", err);
    ThModelTraining *t = &m->training;
    bool ok = json_is_object(training) && read_progress(training, t) &&
              read_text(training, "optimizer", &t->optimizer, err) &&
              read_text(training, "task", &t->task, err) && read_history(history, t, err) &&
              read_validations(validations, t, err) && read_scores(scores, m, err) &&
              read_comparisons(comparisons, t, err) &&
              read_batch(joined, &m->signature, &t->joined, err);
    json_decref(training);
    json_decref(history);
    json_decref(validations);
    json_decref(scores);
    json_decref(comparisons);
    json_decref(joined);
    return ok || wrong(err, "training figures");
}
