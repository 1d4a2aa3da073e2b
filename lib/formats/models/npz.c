/* .npz, NumPy's archives: ZIP files whose members NAME.npy are arrays, each with a header, a
 * literal of Python's (numpy.org, numpy.lib.format).  What is stored is read, what is compressed
 * refused. */
#include <stdio.h>

#include "formats/format_table.h"
#include "formats/models/arrays.h"
#include "formats/models/metadata.h"

enum { END_SIZE = 22, CENTRAL_SIZE = 46, LOCAL_SIZE = 30, COMMENT = 65535, MOST_HEADER = 4096 };

static size_t little(const unsigned char *from, int bytes)
{
    size_t x = 0;
    for (int i = 0; i < bytes; i++)
        x |= (size_t)from[i] << 8 * i;
    return x;
}

static bool damaged(ThError *err, const char *why)
{
    return th_fail(err, TH_EVALUE, "the archive is damaged: %s", why);
}

/* ---- one array ------------------------------------------------------------------------------- */

/* What stands behind a key of the header's literal; NULL: the key is not there. */
static const char *behind(const char *header, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(header, quoted);
    return at ? at + strlen(quoted) + strspn(at + strlen(quoted), " ") : NULL;
}

/* '<f4' and the like, as safetensors calls it. */
static bool read_type(const char *descr, ThFormatNumbers *x)
{
    static const char *const names[][2] = {{"f4", "F32"}, {"f8", "F64"}, {"f2", "F16"},
                                           {"i8", "I64"}, {"i4", "I32"}, {"i2", "I16"},
                                           {"i1", "I8"},  {"u1", "U8"},  {"b1", "BOOL"}};
    if (!descr || descr[0] != '\'' || !strchr("<>|=", descr[1]) || strlen(descr) < 5 ||
        descr[4] != '\'')
        return false;
    x->swapped = descr[1] == '>';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(descr + 2, names[i][0], 2) == 0)
            x->type = names[i][1];
    return x->type != NULL;
}

static bool read_shape(const char *at, ThFormatArray *a)
{
    if (!at || *at++ != '(')
        return false;
    while (*at && *at != ')' && a->dims < TH_FORMAT_DIMS) {
        char *end;
        unsigned long long size = strtoull(at, &end, 10);
        if (end == at || *at == '-')
            return false;
        a->shape[a->dims++] = (size_t)size;
        at = end + strspn(end, ", ");
    }
    return *at == ')';
}

static bool add_array(const unsigned char *bytes, size_t n, const char *name, ThFormatArrays *to,
                      ThError *err)
{
    char header[MOST_HEADER];
    ThFormatArray a = {0};
    ThFormatNumbers x = {0};
    int wide = n > 12 && bytes[6] > 1 ? 4 : 2;
    size_t from = 8 + (size_t)wide, size = n > 12 ? little(bytes + 8, wide) : 0;
    if (n < 13 || memcmp(bytes, "\x93NUMPY", 6) != 0 || size >= MOST_HEADER || size > n - from)
        return damaged(err, "a member is no array of NumPy's");
    memcpy(header, bytes + from, size);
    header[size] = '\0';
    const char *order = behind(header, "fortran_order");
    if (!read_type(behind(header, "descr"), &x))
        return th_fail(err, TH_EVALUE, "the array '%s' does not hold numbers that are read",
                       th_format_shown_name(name).text) ||
               th_hint(err, "x.astype(\"float32\") in NumPy, x.float() in PyTorch");
    if (!order || !read_shape(behind(header, "shape"), &a))
        return damaged(err, "the header of an array is not as NumPy writes it");
    x.columns = strncmp(order, "True", 4) == 0;
    x.bytes = bytes + from + size;
    x.size = n - from - size;
    return th_format_arrays_add(to, name, &a, &x, err);
}

/* ---- the archive ----------------------------------------------------------------------------- */

/* One entry of the directory at `entry`, of which all bytes are within the file. */
static bool add_member(const unsigned char *bytes, size_t n, const unsigned char *entry,
                       ThFormatArrays *to, ThError *err)
{
    char name[512];
    size_t length = little(entry + 28, 2), size = little(entry + 20, 4);
    size_t local = little(entry + 42, 4), method = little(entry + 10, 2);
    snprintf(name, sizeof name, "%.*s", (int)length, (const char *)entry + CENTRAL_SIZE);
    if (th_ends_with(name, "data.pkl"))
        return th_fail(err, TH_EVALUE,
                       "the file is a pickle of PyTorch's, which could run anything") ||
               th_hint(err, "in Python: numpy.savez(\"m.npz\", **{k: v.numpy() for k, v in "
                            "torch.load(\"m.pt\").items()})");
    if (!th_ends_with(name, ".npy"))
        return damaged(err, "a member is no array of NumPy's");
    if (method != 0)
        return th_fail(err, TH_EVALUE, "the archive is compressed") ||
               th_hint(err, "numpy.savez writes one that is not");
    if (local > n || n - local < LOCAL_SIZE || memcmp(bytes + local, "PK\3\4", 4) != 0)
        return damaged(err, "a member is not where its directory says");
    size_t from =
        local + LOCAL_SIZE + little(bytes + local + 26, 2) + little(bytes + local + 28, 2);
    if (from > n || size > n - from)
        return damaged(err, "a member ends behind the file");
    name[strlen(name) - strlen(".npy")] = '\0';
    return add_array(bytes + from, size, name, to, err);
}

bool th_format_npz_parse(const unsigned char *bytes, size_t n, ThFormatArrays *to, ThError *err)
{
    size_t end = n < END_SIZE ? 0 : n - END_SIZE, least = end > COMMENT ? end - COMMENT : 0;
    while (end > least && memcmp(bytes + end, "PK\5\6", 4) != 0)
        end--;
    if (n < END_SIZE || memcmp(bytes + end, "PK\5\6", 4) != 0)
        return damaged(err, "it has no directory");
    size_t members = little(bytes + end + 10, 2), at = little(bytes + end + 16, 4);
    for (size_t i = 0; i < members; i++) {
        if (at > end || end - at < CENTRAL_SIZE || memcmp(bytes + at, "PK\1\2", 4) != 0)
            return damaged(err, "its directory ends too early");
        const unsigned char *entry = bytes + at;
        size_t size =
            CENTRAL_SIZE + little(entry + 28, 2) + little(entry + 30, 2) + little(entry + 32, 2);
        if (size > end - at)
            return damaged(err, "its directory ends too early");
        if (!add_member(bytes, n, entry, to, err))
            return false;
        at += size;
    }
    return true;
}

static ThModel *load(const char *path, ThError *err)
{
    th_fail(err, TH_EUSAGE, "'%s' holds arrays: what they are the weights of has to be said", path);
    th_hint(err, "kind= says it, as kind=lstm symbols=\"ab\" classes=\"reject accept\"");
    return NULL;
}

const ThFormat th_format_npz = {
    .name = "npz",
    .title = "arrays of NumPy's",
    .extension = ".npz",
    .summary = "weights of a network of another program, with kind=",
    .load_model = load,
};
