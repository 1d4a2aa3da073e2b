#include "formats/models/arrays.h"

#include <math.h>

#include "base/file.h"
#include "formats/models/metadata.h"
#include "formats/models/safetensors.h"

enum { MOST_BYTES = 1 << 30, MOST_INDEX = 1 << 24 };

typedef enum { FLOATING, BRAIN, SIGNED, UNSIGNED } Sort;

static const struct {
    const char *name;
    size_t size;
    Sort sort;
} types[] = {{"F32", 4, FLOATING}, {"F64", 8, FLOATING}, {"F16", 2, FLOATING}, {"BF16", 2, BRAIN},
             {"I64", 8, SIGNED},   {"I32", 4, SIGNED},   {"I16", 2, SIGNED},   {"I8", 1, SIGNED},
             {"U8", 1, UNSIGNED},  {"BOOL", 1, UNSIGNED}};
enum { TYPES = sizeof types / sizeof *types };

static size_t type_of(const char *name)
{
    size_t i = 0;
    while (i < TYPES && strcmp(types[i].name, name) != 0)
        i++;
    return i;
}

size_t th_format_number_size(const char *type)
{
    size_t i = type_of(type);
    return i < TYPES ? types[i].size : 0;
}

/* Of 16 bits: 1 sign, 5 exponent, 10 mantissa. */
static double half(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 1023);
    double x = exponent == 0    ? ldexp(mantissa, -24)
               : exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                                : ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 ? -x : x;
}

static double number(uint64_t bits, size_t type)
{
    uint32_t low = (uint32_t)bits;
    float single;
    double wide;
    size_t size = types[type].size;
    if (types[type].sort == UNSIGNED)
        return (double)bits;
    if (types[type].sort == SIGNED) {
        uint64_t sign = 0x80ULL << 8 * (size > 1 ? size - 1 : 0);
        return bits & sign ? -(double)(sign - (bits & (sign - 1))) : (double)bits;
    }
    if (size == 8) {
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    if (size == 2 && types[type].sort == FLOATING)
        return half(bits);
    low = size == 2 ? low << 16 : low;
    memcpy(&single, &low, sizeof single);
    return (double)single;
}

/* Where number i of the array, rows first, lies in the file. */
static size_t place(const ThFormatArray *a, bool columns, size_t i)
{
    size_t at = 0, stride = 1, index[TH_FORMAT_DIMS];
    if (!columns)
        return i;
    for (size_t k = a->dims; k-- > 0; i /= a->shape[k])
        index[k] = i % a->shape[k];
    for (size_t k = 0; k < a->dims; stride *= a->shape[k++])
        at += index[k] * stride;
    return at;
}

static bool fill(ThFormatArray *a, const ThFormatNumbers *x, size_t type, ThError *err)
{
    size_t size = types[type].size;
    for (size_t i = 0; i < a->n; i++) {
        const unsigned char *from = x->bytes + place(a, x->columns, i) * size;
        uint64_t bits = 0;
        for (size_t k = 0; k < size; k++)
            bits |= (uint64_t)from[x->swapped ? size - 1 - k : k] << 8 * k;
        a->value[i] = (float)number(bits, type);
        if (!isfinite(a->value[i]))
            return th_fail(err, TH_EVALUE, "the tensor '%s' holds a value that is not finite",
                           th_format_shown_name(a->known).text);
    }
    return true;
}

bool th_format_arrays_add(ThFormatArrays *to, const char *name, const ThFormatArray *a,
                          const ThFormatNumbers *x, ThError *err)
{
    size_t type = type_of(x->type), n = 1, most = SIZE_MAX / 16;
    ThFormatShownName shown = th_format_shown_name(name);
    if (type == TYPES)
        return th_fail(err, TH_EVALUE, "the tensor '%s' holds %s, which are not read", shown.text,
                       th_format_shown_name(x->type).text);
    for (size_t k = 0; k < a->dims; k++) {
        if (a->shape[k] > 0 && n > most / a->shape[k])
            return th_fail(err, TH_EVALUE, "the tensor '%s' is too large", shown.text);
        n *= a->shape[k];
    }
    if (n * types[type].size != x->size)
        return th_fail(err, TH_EVALUE, "the shape of the tensor '%s' does not fit its data",
                       shown.text);
    if (th_format_arrays_find(to, name))
        return th_fail(err, TH_EVALUE, "there are two tensors '%s'", shown.text);
    if (!th_grow(&to->item, &to->cap, to->n + 1, sizeof *to->item, err))
        return false;
    ThFormatArray own = *a;
    own.n = n;
    own.used = false;
    own.whole = types[type].sort == SIGNED || types[type].sort == UNSIGNED;
    own.name = th_strdup(name, err);
    own.known = th_strdup(name, err);
    own.value = own.name && own.known ? th_alloc(n + 1, sizeof *own.value, err) : NULL;
    if (own.value && fill(&own, x, type, err)) {
        to->item[to->n++] = own;
        return true;
    }
    TH_FREE(own.name, own.known, own.value);
    return false;
}

ThFormatArray *th_format_arrays_find(const ThFormatArrays *a, const char *name)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->item[i].name, name) == 0)
            return &a->item[i];
    return NULL;
}

void th_format_arrays_free(ThFormatArrays *a)
{
    for (size_t i = 0; i < a->n; i++) {
        TH_FREE(a->item[i].name, a->item[i].known, a->item[i].value);
    }
    free(a->item);
    *a = (ThFormatArrays){0};
}

ThFormatShape th_format_shape(const size_t *shape, size_t dims)
{
    ThFormatShape to = {"a number"};
    size_t n = 0;
    for (size_t k = 0; k < dims && n + 24 < sizeof to.text; k++)
        n += (size_t)snprintf(to.text + n, sizeof to.text - n, "%s%zu", k ? " x " : "", shape[k]);
    return to;
}

static bool read_file(const char *path, ThFormatArrays *to, ThError *err)
{
    size_t n;
    ThError why = {0};
    char *bytes TH_OWNED(free) = th_file_read(path, MOST_BYTES, &n, err);
    if (!bytes)
        return false;
    bool zip = n > 4 && memcmp(bytes, "PK\3\4", 4) == 0;
    if (zip ? th_format_npz_parse((const unsigned char *)bytes, n, to, &why)
            : th_safetensors_arrays(bytes, n, to, &why))
        return true;
    th_fail(err, why.code, "'%s': %s", path, why.msg);
    return why.hint[0] && th_hint(err, "%s", why.hint);
}

/* ---- files in parts -------------------------------------------------------------------------- */

/* Reads a part, once: seen has the names of those that were, with the number of their first array
 * and of the one behind their last.  A part lies beside its index: who wrote the index cannot have
 * other files read. */
static bool read_part(const char *index, const char *part, json_t *seen, ThFormatArrays *to,
                      ThError *err)
{
    ThText path TH_OWNED(th_text_free) = {0};
    const char *slash = strrchr(index, '/');
    size_t before = to->n;
    if (json_object_get(seen, part))
        return true;
    if (!*part || strchr(part, '/') || part[0] == '.')
        return th_fail(err, TH_EVALUE, "'%s': the part '%s' is no file beside the index", index,
                       th_format_shown_name(part).text);
    th_text_printf(&path, "%.*s%s", slash ? (int)(slash - index) + 1 : 0, index, part);
    if (!path.data)
        return th_fail(err, TH_ENOMEM, "out of memory for the name of a file");
    return read_file(path.data, to, err) &&
           (json_object_set_new(seen, part, json_pack("[ii]", (int)before, (int)to->n)) == 0 ||
            th_fail(err, TH_ENOMEM, "out of memory for the parts of a file"));
}

/* Is the tensor in the part that is to have it? */
static bool check_part(const char *index, const char *name, const char *part, const json_t *seen,
                       const ThFormatArrays *a, ThError *err)
{
    const json_t *range = json_object_get(seen, part);
    size_t i = (size_t)json_integer_value(json_array_get(range, 0));
    size_t end = (size_t)json_integer_value(json_array_get(range, 1));
    while (i < end && strcmp(a->item[i].known, name) != 0)
        i++;
    return i < end ||
           th_fail(err, TH_EVALUE, "'%s': the tensor '%s' is not in the part '%s'", index,
                   th_format_shown_name(name).text, th_format_shown_name(part).text);
}

/* Hugging Face's index of a file in parts: {"weight_map": {tensor: file, …}}. */
static bool read_index(const char *path, ThFormatArrays *to, ThError *err)
{
    size_t n;
    const char *name;
    json_t *part;
    char *text TH_OWNED(free) = th_file_read(path, MOST_INDEX, &n, err);
    if (!text)
        return false;
    json_t *all = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL), *seen = json_object();
    json_t *map = json_object_get(all, "weight_map");
    bool ok = json_object_size(map) > 0 ||
              th_fail(err, TH_EPARSE, "'%s' is no index of tensors: it has no weight_map", path);
    json_object_foreach(map, name, part)
    {
        ok = ok && (json_is_string(part) ||
                    th_fail(err, TH_EPARSE, "'%s': the part of the tensor '%s' is no name", path,
                            th_format_shown_name(name).text));
        ok = ok && read_part(path, json_string_value(part), seen, to, err) &&
             check_part(path, name, json_string_value(part), seen, to, err);
    }
    json_decref(all);
    json_decref(seen);
    return ok;
}

bool th_format_arrays_load(const char *path, ThFormatArrays *to, ThError *err)
{
    bool ok = th_ends_with(path, ".json") ? read_index(path, to, err) : read_file(path, to, err);
    if (!ok)
        th_format_arrays_free(to);
    return ok;
}
