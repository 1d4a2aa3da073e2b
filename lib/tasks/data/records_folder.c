/* A folder of texts: its folders are the classes, their files the strings. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "tasks/data/records.h"

bool th_task_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What is in a folder, sorted. */
typedef struct {
    char **name;
    size_t n, cap;
} Names;

static void free_names(Names *l)
{
    TH_FREE_EACH(l->name, l->n);
}

/* False with errno 0 where memory ran out, which the error says. */
static bool add_names(Names *l, DIR *d, ThError *err)
{
    errno = 0;
    for (const struct dirent *e; (e = readdir(d)); errno = 0) {
        if (e->d_name[0] == '.')
            continue;
        if (!th_grow(&l->name, &l->cap, l->n + 1, sizeof *l->name, err) ||
            !(l->name[l->n] = th_strdup(e->d_name, err)))
            return false;
        l->n++;
    }
    return errno == 0;
}

static bool list_names(const char *path, Names *l, ThError *err)
{
    DIR *d = opendir(path);
    bool ok = d && add_names(l, d, err);
    if (!ok)
        th_fail(err, TH_EIO, "cannot read '%s': %s", path, strerror(errno));
    if (d)
        closedir(d);
    if (ok && l->n > 0)
        qsort(l->name, l->n, sizeof *l->name, th_compare_names);
    return ok;
}

/* Returns new: a path of two; NULL and TH_ENOMEM. */
static char *join(const char *folder, const char *name, ThError *err)
{
    ThText path = {0};
    th_text_printf(&path, "%s/%s", folder, name);
    return th_text_take(&path, err);
}

static bool add_file(ThTaskRecords *r, const char *path, const char *label, size_t *left,
                     ThError *err)
{
    size_t n = 0;
    ThTaskRecord record = {.input = th_file_read(path, *left, &n, err)};
    bool bad = record.input && (n == 0 || memchr(record.input, 0, n));
    if (bad)
        th_fail(err, TH_EVALUE, "'%s' %s", path, n == 0 ? "is empty" : "has a zero byte");
    *left -= n;
    record.label = record.input && !bad ? th_strdup(label, err) : NULL;
    if (record.label && th_grow(&r->item, &r->cap, r->n + 1, sizeof *r->item, err)) {
        r->item[r->n++] = record;
        return true;
    }
    TH_FREE(record.input, record.label);
    return false;
}

static bool add_class(ThTaskRecords *r, const char *path, const char *label, size_t *left,
                      ThError *err)
{
    Names files = {0};
    bool ok = list_names(path, &files, err);
    for (size_t i = 0; ok && i < files.n; i++) {
        char *file TH_OWNED(free) = join(path, files.name[i], err);
        ok = file && (th_task_is_folder(file) || add_file(r, file, label, left, err));
    }
    free_names(&files);
    return ok;
}

/* Whether a name is among words with blanks between. */
static bool is_listed(const char *name, const char *words)
{
    size_t size = strlen(name), n;
    for (; *words; words += n + strspn(words + n, " ")) {
        n = strcspn(words, " ");
        if (n == size && memcmp(words, name, n) == 0)
            return true;
    }
    return false;
}

bool th_task_records_folder(ThTaskRecords *r, const ThTaskRecordShape *shape, size_t most,
                            ThError *err)
{
    Names classes = {0};
    if (!shape->bytes)
        return th_fail(err, TH_EUSAGE, "a folder of texts is read with tokens=bytes");
    bool ok = list_names(shape->path, &classes, err);
    for (size_t i = 0; ok && i < classes.n; i++) {
        char *path TH_OWNED(free) = join(shape->path, classes.name[i], err);
        ok = path && (!th_task_is_folder(path) || is_listed(classes.name[i], shape->skip) ||
                      add_class(r, path, classes.name[i], &most, err));
    }
    free_names(&classes);
    return ok;
}
