#include "formats/models/safetensors.h"

#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "formats/models/arrays.h"
#include "formats/models/metadata.h"
#include "formats/format_table.h"
#include "models/ablation.h"

/* The blocks of numbers in a file, in their order: weights, moments, the best weights so far. */
enum { WEIGHTS = -1, BEST = TH_OPTIMIZER_SLOTS, BLOCKS_END };

static const char PULL[] = "training.pull"; /* numbers of 8 bytes, behind all blocks */

enum {
    LENGTH_BYTES = 8,
    MOST_HEADER = 64 << 20,
    MOST_STREAM = 256 << 20,
    ELEMENT = 4,
    WIDE_ELEMENT = 8,
    FIRST_MOMENTS = 2 /* that version 0.1 wrote for every rule, used or not */
};

typedef struct {
    char text[128];
} TensorName;

static TensorName tensor_name(const ThParam *p, int block)
{
    TensorName name;
    if (block == WEIGHTS)
        snprintf(name.text, sizeof name.text, "%s", p->name);
    else if (block == BEST)
        snprintf(name.text, sizeof name.text, "best.%s", p->name);
    else
        snprintf(name.text, sizeof name.text, "optimizer.moment%d.%s", block, p->name);
    return name;
}

/* A view; NULL where the model has no such block. */
static const float *block_of(const ThModel *m, int block)
{
    if (!m->bound)
        return NULL;
    return block == WEIGHTS ? m->params.value
           : block == BEST  ? m->training.best
                            : m->training.moment[block];
}

static size_t count(const ThParam *p)
{
    return (size_t)p->rows * (size_t)p->cols;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* One row is a vector where dims is 0 or 1; 3: (rows, 1, columns). */
static json_t *describe(const ThParam *p, int dims, size_t offset)
{
    json_t *shape = dims == 3                   ? json_pack("[i,i,i]", p->rows, 1, p->cols)
                    : p->rows == 1 && dims != 2 ? json_pack("[i]", p->cols)
                                                : json_pack("[i,i]", p->rows, p->cols);
    size_t end = offset + ELEMENT * count(p);
    return json_pack("{s:s, s:o, s:[I,I]}", "dtype", "F32", "shape", shape, "data_offsets",
                     (json_int_t)offset, (json_int_t)end);
}

static json_t *describe_wide(size_t n, size_t offset)
{
    size_t end = offset + WIDE_ELEMENT * n;
    return json_pack("{s:s, s:[I], s:[I,I]}", "dtype", "F64", "shape", (json_int_t)n,
                     "data_offsets", (json_int_t)offset, (json_int_t)end);
}

/* Returns new: a header, which is freed, as text, padded so that the tensors begin at a multiple of
 * eight; NULL where it is not ok. */
static char *write_header(json_t *header, bool ok, ThError *err)
{
    char *json = ok ? json_dumps(header, JSON_COMPACT) : NULL;
    json_decref(header);
    ThText text = {0};
    if (json)
        th_text_add(&text, json);
    free(json);
    while (json && text.size % LENGTH_BYTES != 0 && !text.failed)
        th_text_add(&text, " ");
    if (json)
        return th_text_take(&text, err);
    return th_null(th_fail(err, TH_ENOMEM, "out of memory for the header of a file"));
}

static char *write_model_header(const ThModel *m, ThError *err)
{
    json_t *header = json_object(), *metadata = th_metadata_write(m, err);
    bool ok = metadata && json_object_set_new(header, "__metadata__", metadata) == 0;
    size_t offset = 0;
    for (int block = WEIGHTS; ok && block < BLOCKS_END; block++) {
        for (int i = 0; ok && block_of(m, block) && i < m->params.n; i++) {
            const ThParam *p = &m->params.item[i];
            ok = json_object_set_new(header, tensor_name(p, block).text, describe(p, 0, offset)) ==
                 0;
            offset += ELEMENT * count(p);
        }
    }
    size_t n = m->bound ? m->training.n_pull : 0;
    if (ok && n > 0)
        ok = json_object_set_new(header, PULL, describe_wide(n, offset)) == 0;
    return write_header(header, ok, err);
}

static void put_little_endian(FILE *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 0xff), out);
}

static void put_values(FILE *out, const float *from, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, &from[k], sizeof bits);
        put_little_endian(out, bits, ELEMENT);
    }
}

static void put_wide_values(FILE *out, const double *from, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t bits;
        memcpy(&bits, &from[k], sizeof bits);
        put_little_endian(out, bits, WIDE_ELEMENT);
    }
}

static void put_header(FILE *out, const char *header)
{
    put_little_endian(out, strlen(header), LENGTH_BYTES);
    fputs(header, out);
}

bool th_safetensors_save(const ThModel *m, const char *path, ThError *err)
{
    ThFile file = {0};
    char *header TH_OWNED(free) =
        th_model_whole(m, "the file", err) ? write_model_header(m, err) : NULL;
    FILE *out = header ? th_file_begin(&file, path, err) : NULL;
    if (out) {
        put_header(out, header);
        for (int block = WEIGHTS; block < BLOCKS_END; block++)
            for (int i = 0; block_of(m, block) && i < m->params.n; i++)
                put_values(out, block_of(m, block) + m->params.item[i].offset,
                           count(&m->params.item[i]));
        if (m->bound)
            put_wide_values(out, m->training.pull, m->training.n_pull);
    }
    return out && th_file_commit(&file, err);
}

bool th_safetensors_write(const ThSafetensorsMatrix *matrix, size_t n, const ThModel *of,
                          const char *path, ThError *err)
{
    ThFile file = {0};
    json_t *all = json_object(), *metadata = of ? th_metadata_write(of, err) : NULL;
    size_t offset = 0;
    bool ok = all && (!of || metadata);
    if (metadata)
        ok = json_object_set_new(metadata, "format", json_string("pt")) == 0 &&
             json_object_set_new(all, "__metadata__", metadata) == 0 && ok;
    for (size_t i = 0; ok && i < n; i++) {
        ThParam p = {.rows = matrix[i].rows, .cols = matrix[i].cols};
        ok = json_object_set_new(all, matrix[i].name, describe(&p, matrix[i].dims, offset)) == 0;
        offset += ELEMENT * count(&p);
    }
    char *header TH_OWNED(free) = write_header(all, ok, err);
    FILE *out = header ? th_file_begin(&file, path, err) : NULL;
    if (out)
        put_header(out, header);
    for (size_t i = 0; out && i < n; i++)
        put_values(out, matrix[i].value, (size_t)matrix[i].rows * (size_t)matrix[i].cols);
    return out && th_file_commit(&file, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    json_t *header;
    const unsigned char *data;
    size_t size; /* of the data */
} Reader;

/* Where a tensor lies, as its header says. */
typedef struct {
    size_t begin, end;
    const char *type;
} Extent;

static bool damaged(ThError *err, const char *what)
{
    return th_fail(err, TH_EVALUE, "not a model file: %s", what);
}

static uint64_t get_little_endian(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static bool read_header(Reader *r, const unsigned char *bytes, size_t n, ThError *err)
{
    uint64_t length;
    if (n < LENGTH_BYTES)
        return damaged(err, "it is too short");
    length = get_little_endian(bytes, LENGTH_BYTES);
    if (length > n - LENGTH_BYTES)
        return damaged(err, "its header does not end within the file");
    if (length > MOST_HEADER)
        return damaged(err, "its header is too large");
    if (length == 0 || bytes[LENGTH_BYTES] != '{')
        return damaged(err, "it has no header");
    r->header = json_loadb((const char *)bytes + LENGTH_BYTES, (size_t)length,
                           JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(r->header))
        return damaged(err, "its header is not valid JSON");
    r->data = bytes + LENGTH_BYTES + length;
    r->size = n - LENGTH_BYTES - (size_t)length;
    return true;
}

static bool get_offset(const json_t *array, size_t i, size_t most, size_t *value)
{
    const json_t *item = json_array_get(array, i);
    json_int_t number = json_integer_value(item);
    *value = number < 0 ? 0 : (size_t)number;
    return json_is_integer(item) && number >= 0 && (uint64_t)number <= most;
}

/* Bytes of a shape of numbers of *bytes each, or false for one that no file can hold. */
static bool shape_bytes(const json_t *shape, size_t most, size_t *bytes)
{
    size_t n = json_array_size(shape), length;
    if (!json_is_array(shape) || n > 8)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!get_offset(shape, i, most, &length) || (length > 0 && *bytes > most / length))
            return false;
        *bytes *= length;
    }
    return true;
}

static bool read_extent(const Reader *r, const char *name, const json_t *tensor, Extent *e,
                        ThError *err)
{
    const json_t *offsets = json_object_get(tensor, "data_offsets");
    const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
    size_t bytes = dtype ? th_format_number_size(dtype) : 0;
    ThFormatShownName shown = th_format_shown_name(name);
    if (!json_is_object(tensor) || !dtype || json_array_size(offsets) != 2)
        return th_fail(err, TH_EVALUE, "the tensor '%s' is not described as it should be",
                       shown.text);
    if (bytes == 0)
        return th_fail(err, TH_EVALUE, "the tensor '%s' holds %s, which are not read", shown.text,
                       th_format_shown_name(dtype).text);
    *e = (Extent){.type = dtype};
    if (!get_offset(offsets, 0, r->size, &e->begin) || !get_offset(offsets, 1, r->size, &e->end) ||
        e->begin > e->end)
        return th_fail(err, TH_EVALUE, "the tensor '%s' does not lie within the file", shown.text);
    if (!shape_bytes(json_object_get(tensor, "shape"), r->size, &bytes) ||
        bytes != e->end - e->begin)
        return th_fail(err, TH_EVALUE, "the shape of the tensor '%s' does not fit its data",
                       shown.text);
    return true;
}

static int by_place(const void *a, const void *b)
{
    const Extent *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* Every byte of the data belongs to one tensor. */
static bool check_extents(const Reader *r, ThError *err)
{
    Extent *extent TH_OWNED(free) = th_alloc(json_object_size(r->header), sizeof *extent, err);
    size_t n = 0, at = 0;
    const char *name;
    json_t *tensor;
    bool ok = extent != NULL;
    json_object_foreach(r->header, name, tensor)
    {
        if (ok && strcmp(name, "__metadata__") != 0)
            ok = read_extent(r, name, tensor, &extent[n++], err);
    }
    if (ok)
        qsort(extent, n, sizeof *extent, by_place);
    for (size_t i = 0; ok && i < n; i++) {
        ok = extent[i].begin == at || damaged(err, "its tensors overlap or leave gaps");
        at = extent[i].end;
    }
    ok = ok && (at == r->size || damaged(err, "it does not end where its last tensor does"));
    return ok;
}

/* Where a tensor lies that this program has written, or an error. */
static bool read_own(const Reader *r, const char *name, const json_t *tensor, const char *type,
                     Extent *e, ThError *err)
{
    return read_extent(r, name, tensor, e, err) &&
           (strcmp(e->type, type) == 0 ||
            th_fail(err, TH_EVALUE, "the tensor '%s' holds %s, not %s",
                    th_format_shown_name(name).text, e->type, type));
}

/* Returns a view of a tensor's bytes if its shape is the parameter's. */
static const unsigned char *find_tensor(const Reader *r, const ThParam *p, int block, ThError *err)
{
    TensorName name = tensor_name(p, block);
    const json_t *tensor = json_object_get(r->header, name.text);
    const json_t *shape = json_object_get(tensor, "shape");
    size_t dims = json_array_size(shape);
    Extent e;
    if (!tensor)
        return th_null(th_fail(err, TH_EVALUE, "the tensor '%s' is missing", name.text));
    json_int_t rows = dims == 2 ? json_integer_value(json_array_get(shape, 0)) : 1;
    json_int_t cols = json_integer_value(json_array_get(shape, dims == 2 ? 1 : 0));
    if (dims != (p->rows == 1 ? 1u : 2u) || rows != p->rows || cols != p->cols)
        return th_null(th_fail(err, TH_EVALUE, "the tensor '%s' does not have the shape %d by %d",
                               name.text, p->rows, p->cols));
    return read_own(r, name.text, tensor, "F32", &e, err) ? r->data + e.begin : NULL;
}

static bool has_block(const Reader *r, const ThModel *m, int block)
{
    const ThParam *first = m->params.item;
    return m->params.n > 0 && json_object_get(r->header, tensor_name(first, block).text);
}

static bool check_tensors(const Reader *r, const ThModel *m, ThError *err)
{
    size_t expected = 1; /* the metadata */
    expected += json_object_get(r->header, PULL) != NULL;
    for (int block = WEIGHTS; block < BLOCKS_END; block++) {
        if (block != WEIGHTS && !has_block(r, m, block))
            continue;
        for (int i = 0; i < m->params.n; i++, expected++)
            if (!find_tensor(r, &m->params.item[i], block, err))
                return false;
    }
    if (json_object_size(r->header) == expected)
        return true;
    return th_fail(err, TH_EVALUE, "the file holds tensors that a model of kind %s does not have",
                   m->kind->name);
}

/* Returns new: the numbers of a block. */
static float *read_block(const Reader *r, const ThParams *params, int block, ThError *err)
{
    float *to = th_params_floats(params->total, err);
    for (int i = 0; to && i < params->n; i++) {
        const ThParam *p = &params->item[i];
        const unsigned char *from = find_tensor(r, p, block, err);
        for (size_t k = 0; to && k < count(p); k++, from += ELEMENT) {
            uint32_t bits = (uint32_t)get_little_endian(from, ELEMENT);
            memcpy(&to[p->offset + k], &bits, sizeof bits);
            if (isfinite(to[p->offset + k]))
                continue;
            th_fail(err, TH_EVALUE, "the tensor '%s' holds a value that is not finite",
                    tensor_name(p, block).text);
            free(to);
            to = NULL;
        }
    }
    return to;
}

static bool read_pull(const Reader *r, ThModelTraining *t, ThError *err)
{
    Extent e;
    const json_t *tensor = json_object_get(r->header, PULL);
    if (!tensor)
        return true;
    if (!read_own(r, PULL, tensor, "F64", &e, err))
        return false;
    t->n_pull = (e.end - e.begin) / WIDE_ELEMENT;
    t->pull = th_alloc(t->n_pull, sizeof *t->pull, err);
    for (size_t k = 0; t->pull && k < t->n_pull; k++) {
        uint64_t bits = get_little_endian(r->data + e.begin + k * WIDE_ELEMENT, WIDE_ELEMENT);
        memcpy(&t->pull[k], &bits, sizeof bits);
        if (!isfinite(t->pull[k]))
            return th_fail(err, TH_EVALUE, "the tensor '%s' holds a value that is not finite",
                           PULL);
    }
    return t->pull != NULL;
}

/* The moments that an update rule has use for are all there, or none is: then it starts afresh.
 * Others are looked at and left. */
static bool check_moments(const Reader *r, ThModel *m, int *slots, ThError *err)
{
    const char *name = m->training.optimizer;
    const ThOptimizer *rule = name ? th_optimizer_find(name) : NULL;
    if (name && !rule)
        return th_fail(err, TH_EVALUE, "unknown optimiser '%s'", th_format_shown_name(name).text);
    int needed = rule ? rule->slots : 0, most = needed < FIRST_MOMENTS ? FIRST_MOMENTS : needed;
    int found = 0, missing = 0;
    for (int k = 0; k < TH_OPTIMIZER_SLOTS; k++) {
        bool has = has_block(r, m, k);
        if (has && (!rule || k >= most))
            return th_fail(err, TH_EVALUE, "the file has unexpected moments of the optimiser");
        found += has;
        missing += !has && k < needed;
    }
    if (found && missing)
        return th_fail(err, TH_EVALUE, "the file has not all the moments of the optimiser");
    *slots = missing ? 0 : needed;
    if (missing) {
        free(m->training.optimizer);
        m->training.optimizer = NULL;
        m->training.updates = 0;
    }
    return true;
}

static bool fill(const Reader *r, ThModel *m, ThError *err)
{
    int slots = 0;
    if (!check_moments(r, m, &slots, err) || !check_tensors(r, m, err))
        return false;
    m->params.value = read_block(r, &m->params, WEIGHTS, err);
    bool ok = m->params.value != NULL;
    for (int k = 0; ok && k < TH_OPTIMIZER_SLOTS; k++) {
        if (!has_block(r, m, k))
            continue;
        float *moment = read_block(r, &m->params, k, err);
        ok = moment != NULL;
        if (k < slots)
            m->training.moment[k] = moment;
        else
            free(moment);
    }
    if (ok && has_block(r, m, BEST))
        ok = (m->training.best = read_block(r, &m->params, BEST, err)) != NULL;
    ok = ok && read_pull(r, &m->training, err);
    m->bound = ok;
    return ok;
}

static ThModel *build(const Reader *r, ThError *err)
{
    const json_t *metadata = json_object_get(r->header, "__metadata__");
    bool bound = false;
    if (!check_extents(r, err))
        return NULL;
    ThModel *m = th_metadata_model(metadata, &bound, err);
    if (!m)
        return NULL;
    bool ok = bound ? th_metadata_training(metadata, m, err) && fill(r, m, err)
                    : json_object_size(r->header) == 1 ||
                          damaged(err, "it holds tensors of a model without symbols");
    return TH_KEEP_IF(ok, m, th_model_free);
}

bool th_safetensors_arrays(const void *bytes, size_t n, ThFormatArrays *to, ThError *err)
{
    Reader r = {0};
    const char *name;
    json_t *tensor;
    bool ok = read_header(&r, bytes, n, err) && check_extents(&r, err);
    json_object_foreach(r.header, name, tensor)
    {
        const json_t *shape = json_object_get(tensor, "shape");
        ThFormatArray a = {.dims = json_array_size(shape)};
        Extent e;
        if (!ok || strcmp(name, "__metadata__") == 0)
            continue;
        for (size_t k = 0; k < a.dims; k++)
            a.shape[k] = (size_t)json_integer_value(json_array_get(shape, k));
        ok = read_extent(&r, name, tensor, &e, err) &&
             th_format_arrays_add(to, name, &a,
                                  &(ThFormatNumbers){.type = e.type,
                                                     .bytes = r.data + e.begin,
                                                     .size = e.end - e.begin},
                                  err);
    }
    json_decref(r.header);
    return ok;
}

ThModel *th_safetensors_parse(const void *bytes, size_t n, ThError *err)
{
    Reader r = {0};
    ThModel *m = read_header(&r, bytes, n, err) ? build(&r, err) : NULL;
    json_decref(r.header);
    return m;
}

ThModel *th_safetensors_load(const char *path, ThError *err)
{
    size_t n;
    struct stat st;
    ThError why = {0};
    bool regular = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    char *bytes TH_OWNED(free) =
        th_file_read(path, regular ? (size_t)st.st_size : MOST_STREAM, &n, err);
    if (!bytes)
        return NULL;
    ThModel *m = th_safetensors_parse(bytes, n, &why);
    if (m)
        return m;
    th_fail(err, why.code, "'%s': %s", path, why.msg);
    if (why.hint[0])
        th_hint(err, "%s", why.hint);
    return NULL;
}

const ThFormat th_format_safetensors = {
    .name = "safetensors",
    .title = "a model",
    .extension = ".safetensors",
    .summary = "a model: weights, options, alphabet and the state of its training",
    .load_model = th_safetensors_load,
    .save_model = th_safetensors_save,
};
