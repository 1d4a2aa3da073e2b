#include "formats/models/metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "tasks/scratchpad_places.h"

enum { VERSION = 1, MOST_NAMES = 1 << 16, LONGEST_NAME = 4096 };

#define MOST_STEPS (1LL << 53)

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

/* ---- what is kept of a training -------------------------------------------------------------- */

/* SEED: JSON has no unsigned 64-bit integers; RARE: a whole number that is in files unless it is 0
 */
typedef enum { INT, RARE, LONG, REAL, SEED, TEXT } Type;

/* A member of a structure: `at` bytes from its beginning; integers are least to most. */
typedef struct {
    const char *key;
    Type type;
    size_t at;
    json_int_t least, most;
} Field;

#define AT(member) offsetof(ThModelTraining, member)
static const Field training_fields[] = {{"step", LONG, AT(step), 0, MOST_STEPS},
                                        {"began", LONG, AT(began), 0, MOST_STEPS},
                                        {"updates", LONG, AT(updates), 0, MOST_STEPS},
                                        {"seed", SEED, AT(seed), 0, 0},
                                        {"optimizer", TEXT, AT(optimizer), 0, 0},
                                        {"ema", REAL, AT(ema), 0, 0},
                                        {"reach", REAL, AT(reach), 0, 0},
                                        {"mean_loss", REAL, AT(mean_loss), 0, 0},
                                        {"mean_accuracy", REAL, AT(mean_accuracy), 0, 0},
                                        {"mean_weight", REAL, AT(mean_weight), 0, 0},
                                        {"trained_lo", INT, AT(trained_lo), 0, INT_MAX},
                                        {"trained_hi", INT, AT(trained_hi), 0, INT_MAX},
                                        {"task", TEXT, AT(task), 0, 0},
                                        {"answers", TEXT, AT(answers), 0, 0},
                                        {"made_on", TEXT, AT(made_on), 0, 0},
                                        {"centres", RARE, AT(n_centres), 1, INT_MAX},
                                        {0}};
#undef AT

/* Of rows, whose members have no names in a file but their places. */
#define ROW(type, kind, member, least, most)                                                       \
    {                                                                                              \
#member, kind, offsetof(type, member), least, most                                         \
    }
#define HISTORY(kind, member) ROW(ThModelHistoryPoint, kind, member, LLONG_MIN, LLONG_MAX)
static const Field history_fields[] = {
    HISTORY(LONG, step), HISTORY(REAL, loss), HISTORY(REAL, accuracy), {0}};
#define VALIDATION(kind, member) ROW(ThModelValidation, kind, member, 0, LLONG_MAX)
static const Field validation_fields[] = {
    VALIDATION(LONG, step), VALIDATION(REAL, accuracy), VALIDATION(REAL, loss), {0}};
#define COMPARISON(kind, member, most) ROW(ThModelComparison, kind, member, 0, most)
static const Field comparison_fields[] = {COMPARISON(LONG, step, LLONG_MAX),
                                          COMPARISON(LONG, words, LLONG_MAX),
                                          COMPARISON(LONG, wrong, LLONG_MAX),
                                          COMPARISON(INT, states, INT_MAX),
                                          {0}};
#define STAGE(kind, member, least, most) ROW(ThModelStage, kind, member, least, most)
static const Field stage_fields[] = {
    STAGE(LONG, step, 0, LLONG_MAX), STAGE(INT, stage, 0, 9),   STAGE(INT, undone, 0, 1),
    STAGE(INT, verdict, -1, 2),      STAGE(REAL, mixed, 0, 0),  STAGE(REAL, reach, 0, 0),
    STAGE(REAL, gap, 0, 0),          STAGE(REAL, excess, 0, 0), {0}};
#define SCORE(kind, member, most) ROW(ThScore, kind, member, 0, most)
static const Field score_fields[] = {SCORE(INT, length, INT_MAX),
                                     SCORE(INT, least, INT_MAX),
                                     SCORE(INT, tokens, INT_MAX),
                                     SCORE(LONG, strings, LLONG_MAX),
                                     SCORE(LONG, exact, LLONG_MAX),
                                     SCORE(LONG, n, LLONG_MAX),
                                     SCORE(LONG, right, LLONG_MAX),
                                     SCORE(LONG, written, LLONG_MAX),
                                     SCORE(LONG, answered, LLONG_MAX),
                                     SCORE(LONG, whole, LLONG_MAX),
                                     SCORE(REAL, accuracy, 0),
                                     SCORE(REAL, lo, 0),
                                     SCORE(REAL, hi, 0),
                                     SCORE(REAL, chance, 0),
                                     SCORE(REAL, loss, 0),
                                     {0}};
#undef ROW
#undef HISTORY
#undef VALIDATION
#undef COMPARISON
#undef STAGE
#undef SCORE

/* A list of a model: where its rows and their number are.  The first member of rows `by_step` is
 * a step, none smaller than that before it or greater than the training's. */
typedef struct {
    const char *key;
    const Field *field;
    size_t rows, n, size;
    bool by_step;
} List;
static const List lists[] = {
    {"history", history_fields, offsetof(ThModel, training.history),
     offsetof(ThModel, training.n_history), sizeof(ThModelHistoryPoint), false},
    {"validations", validation_fields, offsetof(ThModel, training.validation),
     offsetof(ThModel, training.n_validations), sizeof(ThModelValidation), true},
    {"scores", score_fields, offsetof(ThModel, scores), offsetof(ThModel, n_scores),
     sizeof(ThScore), false},
    {"comparisons", comparison_fields, offsetof(ThModel, training.comparison),
     offsetof(ThModel, training.n_comparisons), sizeof(ThModelComparison), true},
    {"stages", stage_fields, offsetof(ThModel, training.stage),
     offsetof(ThModel, training.n_stages), sizeof(ThModelStage), true}};
enum { HISTORY, VALIDATIONS, SCORES, COMPARISONS, STAGES, LISTS };

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

/* Adds a document as a string: metadata holds nothing but strings. */
static void put_text(json_t *metadata, const char *key, json_t *document, bool *ok)
{
    char *text TH_OWNED(free) =
        document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    if (text)
        put(metadata, key, json_string(text), ok);
    *ok = *ok && text;
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
    if (s->places.kind) {
        ThText places TH_OWNED(th_text_free) = {0};
        th_task_places_write(&s->places, &places);
        *ok = *ok && !places.failed;
        put(object, "places", json_string(places.data ? places.data : ""), ok);
    }
    put(object, "symbols", write_names(s->symbol, s->n_symbols, ok), ok);
    put(object, "classes", write_names(s->label, s->n_classes, ok), ok);
    return object;
}

/* NULL: there is none. */
static json_t *write_field(const Field *f, const void *at)
{
    char seed[24];
    switch (f->type) {
    case INT:
    case RARE:
        return json_integer(*(const int *)at);
    case LONG:
        return json_integer(*(const long long *)at);
    case REAL: /* null stands for what is not a number */
        return isfinite(*(const double *)at) ? json_real(*(const double *)at) : json_null();
    case SEED:
        snprintf(seed, sizeof seed, "%" PRIu64, *(const uint64_t *)at);
        return json_string(seed);
    default:
        return *(char *const *)at ? json_string(*(char *const *)at) : NULL;
    }
}

static json_t *write_training(const ThModelTraining *t, bool *ok)
{
    json_t *object = json_object();
    for (const Field *f = training_fields; f->key; f++) {
        const char *at = (const char *)t + f->at;
        bool none = f->type == TEXT ? !*(char *const *)(const void *)at
                                    : f->type == RARE && *(const int *)(const void *)at == 0;
        if (!none)
            put(object, f->key, write_field(f, at), ok);
    }
    return object;
}

static json_t *write_list(const ThModel *m, const List *l, bool *ok)
{
    const char *row = *(char *const *)(const void *)((const char *)m + l->rows);
    size_t n = *(const size_t *)(const void *)((const char *)m + l->n);
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++, row += l->size) {
        json_t *members = json_array();
        append(array, members, ok);
        for (const Field *f = l->field; f->key; f++)
            append(members, write_field(f, row + f->at), ok);
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
        for (const List *l = lists; l < lists + COMPARISONS; l++)
            put_text(metadata, l->key, write_list(m, l, &ok), &ok);
    }
    bool compared = m->bound && m->training.n_comparisons > 0;
    bool staged = m->bound && m->training.n_stages > 0;
    if (compared)
        put_text(metadata, "comparisons", write_list(m, &lists[COMPARISONS], &ok), &ok);
    if (staged)
        put_text(metadata, "stages", write_list(m, &lists[STAGES], &ok), &ok);
    if (compared || staged)
        put_text(metadata, "joined", write_batch(&m->training.joined, &m->signature, &ok), &ok);
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
    ThIntern seen TH_OWNED(th_intern_free) = {0};
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
    const char *places = get_string(object, "places");
    if (places && !th_task_places_read(&s->places, places))
        return wrong(err, "places");
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
    if (!format || strcmp(format, "tapehead") != 0 || !version || !name)
        return th_null(
            th_fail(err, TH_EVALUE, "the file holds tensors, but no model of tapehead's") ||
            th_hint(err, "kind= says whose they are, as kind=lstm symbols=\"ab\" "
                         "classes=\"reject accept\": help load"));
    if (strtol(version, NULL, 10) != VERSION)
        return th_null(th_fail(err, TH_EVALUE,
                               "the model is of version %s of the format; this is %d",
                               th_format_shown_name(version).text, VERSION));
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
    ThOptions options TH_OWNED(th_options_free) = {0};
    ThModel *m = NULL;
    if (read_options(metadata, kind, &options, err) && is_present(metadata, kind, &options, err))
        m = th_model_new(kind, &options, err);
    if (!m)
        return NULL;
    ThError local = {0};
    json_t *signature = get_document(metadata, "signature", &local);
    bool ok = !local.code || th_fail(err, local.code, "%s", local.msg);
    *bound = signature != NULL;
    if (signature)
        ok = read_signature(signature, &m->signature, err) && kind->bind(m, err);
    json_decref(signature);
    return TH_KEEP_IF(ok, m, th_model_free);
}

static bool read_seed(const json_t *value, uint64_t *seed)
{
    const char *text = json_string_value(value);
    char *end;
    if (!text || strlen(text) > 20 || strspn(text, "0123456789") != strlen(text) || !*text)
        return false;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* A text that is not there stays as it is. */
static bool read_text(const json_t *value, char **to, ThError *err)
{
    if (!value)
        return true;
    *to = is_name(value) ? th_strdup(json_string_value(value), err) : NULL;
    return *to != NULL;
}

static bool read_field(const Field *f, const json_t *value, void *to, ThError *err)
{
    json_int_t x = json_integer_value(value);
    bool whole = json_is_integer(value) && x >= f->least && x <= f->most;
    switch (f->type) {
    case INT:
    case RARE:
        *(int *)to = whole ? (int)x : 0;
        return whole;
    case LONG:
        *(long long *)to = x;
        return whole;
    case REAL:
        *(double *)to = json_is_null(value) ? (double)NAN : json_number_value(value);
        return json_is_number(value) || json_is_null(value);
    case SEED:
        return read_seed(value, to);
    default:
        return read_text(value, to, err);
    }
}

/* Files of before there was `began` have none, and few have centres.  Lengths and levels of the
 * curriculum are converted to int by the trainer. */
static bool read_progress(const json_t *object, ThModelTraining *t, ThError *err)
{
    bool ok = json_is_object(object);
    for (const Field *f = training_fields; ok && f->key; f++) {
        const json_t *value = json_object_get(object, f->key);
        ok = (!value && (f->type == RARE || f->at == offsetof(ThModelTraining, began))) ||
             read_field(f, value, (char *)t + f->at, err);
    }
    return ok && t->began <= t->step && t->trained_lo <= t->trained_hi && fabs(t->ema) <= 1e9 &&
           fabs(t->reach) <= 1e9 && t->mean_weight >= 0;
}

static bool read_row(const json_t *members, const List *l, char *row, ThError *err)
{
    size_t n = 0;
    bool ok = json_is_array(members);
    for (const Field *f = l->field; ok && f->key; f++)
        ok = read_field(f, json_array_get(members, n++), row + f->at, err);
    return ok && json_array_size(members) == n;
}

/* Files of before there was a list have none; all have a history. */
static bool read_list(const json_t *metadata, const List *l, ThModel *m, ThError *err)
{
    json_t *array = get_document(metadata, l->key, err);
    size_t n = json_array_size(array), *count = (size_t *)(void *)((char *)m + l->n);
    char *row = th_alloc(n, l->size, err);
    *(char **)(void *)((char *)m + l->rows) = row;
    bool missing = !get_string(metadata, l->key) && l != &lists[HISTORY];
    bool ok = row && (array ? json_is_array(array) : missing);
    for (long long step = 0; ok && *count < n; row += l->size) {
        ok = read_row(json_array_get(array, (*count)++), l, row, err);
        long long before = step;
        step = l->by_step ? *(const long long *)(void *)row : 0;
        ok = ok && step >= before && (!l->by_step || step <= m->training.step);
    }
    json_decref(array);
    return ok;
}

static bool read_lists(const json_t *metadata, ThModel *m, ThError *err)
{
    bool ok = true;
    for (const List *l = lists; ok && l < lists + LISTS; l++)
        ok = read_list(metadata, l, m, err);
    for (size_t i = 0; ok && i < m->training.n_comparisons; i++)
        ok = m->training.comparison[i].wrong <= m->training.comparison[i].words;
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

bool th_metadata_training(const json_t *metadata, ThModel *m, ThError *err)
{
    json_t *training = get_document(metadata, "training", err);
    json_t *joined = get_document(metadata, "joined", err);
    bool ok = read_progress(training, &m->training, err) && read_lists(metadata, m, err) &&
              (joined || !get_string(metadata, "joined")) &&
              read_batch(joined, &m->signature, &m->training.joined, err);
    json_decref(training);
    json_decref(joined);
    return ok || wrong(err, "training figures");
}
