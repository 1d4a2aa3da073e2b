#include "point_records.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

enum { LONGEST_ID = 120 };

/* ---- names ----------------------------------------------------------------------------------- */

json_t *sh_point_variables(ShSession *s, const ShLoopNames *names)
{
    json_t *all = json_object();
    for (size_t i = 0; all && i < names->n; i++) {
        ShFigureValue v = sh_variable(s, names->name[i]);
        json_object_set_new(all, names->name[i], sh_json_value(&v));
    }
    return all;
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261U;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619U;
    return h;
}

char *sh_point_id(ShSession *s, const ShLoopNames *names, ThError *err)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=,.";
    ThText exact = {0};
    for (size_t i = 0; i < names->n; i++) {
        ShFigureValue v = sh_variable(s, names->name[i]);
        th_text_printf(&exact, "%s%s=", i ? "," : "", names->name[i]);
        sh_variable_write(&exact, &v);
    }
    char *id = th_text_take(&exact, err);
    if (!id || (strlen(id) <= LONGEST_ID && id[strspn(id, plain)] == '\0'))
        return id;
    ThText short_one = {0};
    uint32_t h = hash(id);
    for (size_t i = 0; i < LONGEST_ID && id[i]; i++)
        th_text_add_bytes(&short_one, strchr(plain, id[i]) ? &id[i] : "_", 1);
    th_text_printf(&short_one, "~%08" PRIx32, h);
    free(id);
    return th_text_take(&short_one, err);
}

char *sh_point_path(const char *dir, const char *folder, const char *name, const char *more,
                    ThError *err)
{
    return th_printed(err, "%s/%s/%s%s", dir, folder, name, more);
}

/* Returns new: DIR/NAME. */
static char *folder_file(const char *dir, const char *name, ThError *err)
{
    return th_printed(err, "%s/%s", dir, name);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool write_json(const char *path, json_t *value, ThError *err)
{
    ThFile f = {0};
    FILE *out = value ? th_file_begin(&f, path, err) : NULL;
    if (!value)
        th_fail(err, TH_ENOMEM, "out of memory");
    bool ok = out && json_dumpf(value, out, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0 &&
              fputc('\n', out) != EOF;
    json_decref(value);
    if (ok)
        return th_file_commit(&f, err);
    th_file_abort(&f);
    if (out)
        th_fail(err, TH_EIO, "cannot write '%s'", path);
    return false;
}

static bool read_json(const char *path, json_t **value, ThError *err)
{
    json_error_t e;
    size_t size;
    *value = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    char *text = th_file_read(path, (size_t)1 << 30, &size, err);
    if (!text)
        return false;
    *value = json_loadb(text, size, 0, &e);
    free(text);
    if (!*value)
        return th_fail(err, TH_EPARSE, "%s:%d:%d: no record of a sweep: %s", path, e.line, e.column,
                       e.text);
    return true;
}

static bool fail_without_inputs(const char *dir, ThError *err)
{
    return th_fail(err, TH_EUSAGE,
                   "'%s' has the records of an older tapehead, which do not say what they were "
                   "computed from",
                   dir) ||
           th_hint(err, "keep=stale uses them as they are; another folder, or none of this name, "
                        "computes them again");
}

bool sh_points_begin(const char *dir, bool keep_stale, ThError *err)
{
    static const char *const folders[] = {"points", "kept", "claims"};
    json_t *before TH_OWNED(json_decref) = NULL;
    char *path;
    bool ok = th_file_folder(dir, err);
    for (size_t i = 0; ok && i < sizeof folders / sizeof *folders; i++) {
        path = folder_file(dir, folders[i], err);
        ok = path && th_file_folder(path, err);
        free(path);
    }
    path = ok ? folder_file(dir, "sweep.json", err) : NULL;
    ok = path && read_json(path, &before, err);
    free(path);
    return ok && (!before || json_object_get(before, "body") || keep_stale ||
                  fail_without_inputs(dir, err));
}

bool sh_point_retire(const char *dir, const char *id, ThError *err)
{
    char *folder TH_OWNED(free) = folder_file(dir, "stale", err);
    char *from TH_OWNED(free) = folder ? sh_point_path(dir, "points", id, ".json", err) : NULL;
    char *to TH_OWNED(free) = from ? sh_point_path(dir, "stale", id, ".json", err) : NULL;
    bool ok = to && th_file_folder(folder, err);
    if (ok && rename(from, to) != 0 && errno != ENOENT)
        ok = th_fail(err, TH_EIO, "cannot move '%s' to '%s': %s", from, to, strerror(errno));
    return ok;
}

bool sh_point_write(const char *dir, const char *id, json_t *record, ThError *err)
{
    char *path TH_OWNED(free) = sh_point_path(dir, "points", id, ".json", err);
    if (!path) {
        json_decref(record);
        return false;
    }
    return write_json(path, record, err);
}

static bool is_record(const json_t *record)
{
    return json_is_object(json_object_get(record, "point")) &&
           json_is_string(json_object_get(record, "status"));
}

bool sh_point_read(const char *dir, const char *id, json_t **record, ThError *err)
{
    char *path TH_OWNED(free) = sh_point_path(dir, "points", id, ".json", err);
    bool ok = path && read_json(path, record, err);
    if (ok && *record && !is_record(*record)) {
        json_decref(*record);
        *record = NULL;
        ok = th_fail(err, TH_EPARSE, "%s:1:1: no record of a sweep: it lacks its point or status",
                     path);
    }
    if (!ok && path)
        th_hint(err, "without this file, sweep runs the point again");
    return ok;
}

bool sh_point_is_done(const json_t *record)
{
    const char *status = json_string_value(json_object_get(record, "status"));
    return status && strcmp(status, "done") == 0;
}

/* ---- all of a folder ------------------------------------------------------------------------- */

typedef struct {
    long long index;
    char *id;
    json_t *record;
} Entry;

typedef struct {
    Entry *item;
    size_t n, cap;
} Entries;

static int by_place(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return strcmp(x->id, y->id);
}

static bool add_entry(Entries *all, const char *dir, const char *file, ThError *err)
{
    size_t n = strlen(file);
    Entry e = {0};
    if (n <= 5 || file[0] == '.' || strcmp(file + n - 5, ".json") != 0)
        return true;
    e.id = th_strndup(file, n - 5, err);
    bool ok = e.id && th_grow(&all->item, &all->cap, all->n + 1, sizeof e, err) &&
              sh_point_read(dir, e.id, &e.record, err);
    if (!ok || !e.record) {
        free(e.id);
        return ok;
    }
    e.index = json_integer_value(json_object_get(e.record, "index"));
    all->item[all->n++] = e;
    return true;
}

static bool read_entries(Entries *all, const char *dir, ThError *err)
{
    ThText path TH_OWNED(th_text_free) = {0};
    th_text_printf(&path, "%s/points", dir);
    DIR *d = path.failed ? NULL : opendir(path.data);
    if (!d)
        return th_fail(err, TH_EUSAGE, "'%s' is no folder of a sweep: %s", dir, strerror(errno));
    bool ok = true;
    for (const struct dirent *f = readdir(d); ok && f; f = readdir(d))
        ok = add_entry(all, dir, f->d_name, err);
    closedir(d);
    return ok;
}

json_t *sh_points_read(const char *dir, ThError *err)
{
    Entries all = {0};
    bool ok = read_entries(&all, dir, err);
    json_t *list = ok ? json_array() : NULL;
    if (all.n > 0)
        qsort(all.item, all.n, sizeof *all.item, by_place);
    for (size_t i = 0; i < all.n; i++) {
        free(all.item[i].id);
        if (list)
            json_array_append_new(list, all.item[i].record);
        else
            json_decref(all.item[i].record);
    }
    free(all.item);
    if (ok && !list)
        th_fail(err, TH_ENOMEM, "out of memory");
    return list;
}

/* Is something of a name another in two objects of settings, variables and definitions? */
static bool contradicts(const json_t *inputs, const json_t *now)
{
    static const char *const sections[] = {"settings", "variables", "definitions"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const char *name;
        json_t *own = json_object_get(inputs, sections[i]), *v;
        const json_t *others = json_object_get(now, sections[i]);
        json_object_foreach(own, name, v)
        {
            const json_t *other = json_object_get(others, name);
            if (other && !json_equal(v, other))
                return true;
        }
    }
    return false;
}

bool sh_points_settle(const char *dir, const char *commands, const char *body, const json_t *now,
                      long long *moved, ThError *err)
{
    Entries all = {0};
    bool ok = read_entries(&all, dir, err);
    *moved = 0;
    for (size_t i = 0; i < all.n; i++) {
        const json_t *inputs = json_object_get(all.item[i].record, "inputs");
        const char *own = json_string_value(json_object_get(inputs, "body"));
        if (ok && (!own || strcmp(own, body) != 0 || contradicts(inputs, now))) {
            ok = sh_point_retire(dir, all.item[i].id, err);
            ++*moved;
        }
        free(all.item[i].id);
        json_decref(all.item[i].record);
    }
    free(all.item);
    char *path TH_OWNED(free) = ok ? folder_file(dir, "sweep.json", err) : NULL;
    return path &&
           write_json(path, json_pack("{s:s, s:s}", "commands", commands, "body", body), err);
}

/* ---- options --------------------------------------------------------------------------------- */

static json_t *range_json(ThRange r)
{
    if (r.lo == r.hi)
        return json_integer(r.lo);
    ThText t TH_OWNED(th_text_free) = {0};
    th_text_printf(&t, "%lld..%lld", r.lo, r.hi);
    if (r.step != 1)
        th_text_printf(&t, ":%lld", r.step);
    return json_string(th_text_string(&t));
}

json_t *sh_option_json(const ThOption *o)
{
    if (!o->text)
        return json_null();
    switch (o->spec->type) {
    case TH_INT:
        return json_integer(o->integer);
    case TH_REAL:
        return sh_json_number(o->real);
    case TH_FLAG:
        return json_boolean(o->integer);
    case TH_RANGE:
        return range_json(o->range);
    default:
        return json_string(o->text);
    }
}

/* What a command was asked: its operands as they were typed, and its options. */
static json_t *call_json(const ShCall *call)
{
    ThText words TH_OWNED(th_text_free) = {0};
    json_t *all = json_object();
    for (int i = 0; i < call->n; i++)
        th_text_printf(&words, "%s%s", i ? " " : "",
                       call->operand[i].text ? call->operand[i].text : "");
    json_object_set_new(all, "operands", json_string(th_text_string(&words)));
    for (size_t i = 0; i < call->options.n; i++)
        json_object_set_new(all, call->options.item[i].spec->name,
                            sh_option_json(&call->options.item[i]));
    return all;
}

void sh_point_note(struct ShPoint *p, const ShCall *call)
{
    char typed[SH_COMMAND_NAME], key[SH_COMMAND_NAME + 16];
    json_t *now = call->options.n > 0 ? call_json(call) : NULL, *before;
    if (strcmp(call->command->name, "train") == 0 && call->n > 0) {
        free(p->trained);
        p->trained = th_strdup(call->operand[0].text, NULL);
    }
    if (!now)
        return;
    snprintf(key, sizeof key, "%s", sh_command_typed(call->command, typed));
    for (int i = 2; (before = json_object_get(p->options, key)) && !json_equal(before, now); i++)
        snprintf(key, sizeof key, "%s %d", typed, i);
    json_object_set_new(p->options, key, now);
}
