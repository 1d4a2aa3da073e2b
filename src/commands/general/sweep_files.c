/* sweep_files.c - what a file or a folder is, and what a shell command sees, in a line that is
 * another as soon as it is. */
#include <dirent.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/general/sweep.h"
#include "shell.h"

const char sh_folder_changed[] = "#/changed";

void sh_mix(uint64_t *h, const void *bytes, size_t n)
{
    *h = th_hash_mix(*h + n) ^ th_hash_bytes(n ? bytes : "", n);
}

void sh_mix_text(uint64_t *h, const char *text)
{
    sh_mix(h, text ? text : "", text ? strlen(text) : 0);
}

char *sh_file_hash(const char *path, ThError *err)
{
    enum { CHUNK = 1 << 16 };
    uint64_t h = 0;
    char *bytes TH_OWNED(free) = th_alloc(CHUNK, 1, err);
    FILE *in = bytes ? fopen(path, "rb") : NULL;
    for (size_t n; in && (n = fread(bytes, 1, CHUNK, in)) > 0;)
        sh_mix(&h, bytes, n);
    bool ok = in && !ferror(in);
    if (in)
        fclose(in);
    if (!ok)
        return th_null(th_fail(err, TH_EIO, "cannot read '%s'", path));
    return th_printed(err, "#%016" PRIx64, h);
}

/* Returns new: the hash of a file, which is read once unless it changes.  One that has just been
 * written may change without being seen to. */
static char *read_hash(json_t *hashes, const char *path, const struct stat *file)
{
    enum { FRESH = 2 };
    char *state TH_OWNED(free) = th_printed(
        NULL, "%s %lld %lld.%09ld %llu", path, (long long)file->st_size,
        (long long)file->st_mtim.tv_sec, file->st_mtim.tv_nsec, (unsigned long long)file->st_ino);
    const char *known = state ? json_string_value(json_object_get(hashes, state)) : NULL;
    char *hash = known ? th_strdup(known, NULL) : sh_file_hash(path, NULL);
    if (hash && !known && hashes && time(NULL) - file->st_mtim.tv_sec > FRESH)
        json_object_set_new(hashes, state, json_string(hash));
    return hash;
}

/* ---- folders --------------------------------------------------------------------------------- */

enum { MOST_FILES = 10000, DEEPEST = 16 };

typedef struct {
    json_t *hashes;
    uint64_t h;
    int files, depth;
} Walk;

static int is_shown(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* Not as the language of the environment would sort them. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool walk(Walk *w, const char *folder);

/* False where there are too many. */
static bool walk_entry(Walk *w, const char *folder, const char *name)
{
    struct stat file;
    char *path TH_OWNED(free) = th_printed(NULL, "%s/%s", folder, name),
               *hash TH_OWNED(free) = NULL;
    bool there = path && stat(path, &file) == 0, ok = ++w->files <= MOST_FILES;
    sh_mix_text(&w->h, name);
    if (ok && there && S_ISREG(file.st_mode))
        sh_mix_text(&w->h, hash = read_hash(w->hashes, path, &file));
    return ok && (!there || !S_ISDIR(file.st_mode) || walk(w, path));
}

static bool walk(Walk *w, const char *folder)
{
    struct dirent **entry = NULL;
    int n = ++w->depth <= DEEPEST ? scandir(folder, &entry, is_shown, by_bytes) : -1;
    bool ok = w->depth <= DEEPEST;
    sh_mix(&w->h, &n, sizeof n);
    for (int i = 0; i < n; i++) {
        ok = ok && walk_entry(w, folder, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    w->depth--;
    return ok;
}

/* Returns new: of the names and contents of the files in it that are not hidden, however deep. */
static char *folder_hash(json_t *hashes, const char *folder)
{
    Walk w = {.hashes = hashes};
    return walk(&w, folder) ? th_printed(NULL, "#/%016" PRIx64, w.h)
                            : th_printed(NULL, "more than %d files", MOST_FILES);
}

/* While many points are looked at, a folder is gone through once a second. */
static char *known_folder_hash(json_t *hashes, const char *folder)
{
    char *key TH_OWNED(free) = th_printed(NULL, "%s/", folder);
    json_t *known = key ? json_object_get(hashes, key) : NULL;
    if (known && sh_clock() - json_real_value(json_array_get(known, 0)) < 1)
        return th_strdup(json_string_value(json_array_get(known, 1)), NULL);
    char *hash = folder_hash(hashes, folder);
    if (hash && key)
        json_object_set_new(hashes, key, json_pack("[f, s]", sh_clock(), hash));
    return hash;
}

bool sh_is_folder_hash(const char *hash)
{
    return hash && strncmp(hash, "#/", 2) == 0;
}

/* ---- what a name stands for ------------------------------------------------------------------ */

char *sh_hash_of_file(const ShSweep *w, const char *name, char **path)
{
    struct stat file;
    char *there = sh_beside_script(w->s, name, NULL);
    bool is = there && stat(there, &file) == 0 && S_ISREG(file.st_mode);
    char *hash = is ? read_hash(w->hashes, there, &file) : NULL;
    if (path && hash)
        *path = there;
    else
        free(there);
    return hash;
}

char *sh_hash_of_path(const ShSweep *w, const char *name)
{
    struct stat file;
    char *there TH_OWNED(free) = sh_beside_script(w->s, name, NULL);
    if (there && stat(there, &file) == 0 && S_ISDIR(file.st_mode))
        return known_folder_hash(w->hashes, there);
    return sh_hash_of_file(w, name, NULL);
}

/* ---- what a point reads ---------------------------------------------------------------------- */

/* Was it there before the point began?  Times of files lag a few milliseconds behind the clock. */
static bool is_older(const struct stat *file, const struct timespec *began)
{
    double age = (double)(began->tv_sec - file->st_mtim.tv_sec) +
                 1e-9 * (double)(began->tv_nsec - file->st_mtim.tv_nsec);
    return age > 0.02;
}

/* Returns new: what a file is called in the record; where the point has gone to another folder,
 * from the root on. */
static char *key_of(const struct ShPoint *p, const char *name, const char *path)
{
    char *here TH_OWNED(free) = getcwd(NULL, 0);
    return here && strcmp(here, p->home) != 0 ? realpath(path, NULL) : th_strdup(name, NULL);
}

static void note_file(ShSession *s, const char *name, bool folders)
{
    struct stat file;
    char *path TH_OWNED(free) = name && *name ? sh_beside_script(s, name, NULL) : NULL;
    bool there = path && stat(path, &file) == 0, folder = there && S_ISDIR(file.st_mode);
    char *key TH_OWNED(free) = there ? key_of(s->point, name, path) : NULL,
              *hash TH_OWNED(free) = NULL;
    if (!key || json_object_get(s->point->files, key))
        return;
    if (folder && folders)
        hash = folder_hash(NULL, path);
    else if (S_ISREG(file.st_mode) && is_older(&file, &s->point->began))
        hash = sh_file_hash(path, NULL);
    if (hash)
        json_object_set_new(s->point->files, key, json_string(hash));
}

/* Of a command that only writes, or goes somewhere, a folder is no input. */
void sh_point_note_files(ShSession *s, const ShCall *call)
{
    bool reads = !(call->command->flags & C_WRITES) && strcmp(call->command->name, "cd") != 0;
    for (int i = 0; i < call->n; i++)
        note_file(s, call->operand[i].text, reads && call->operand[i].kind == A_FILE);
    for (size_t i = 0; i < call->options.n; i++)
        if (call->options.item[i].spec->type == TH_STRING)
            note_file(s, call->options.item[i].text, reads);
}

/* ---- shell commands -------------------------------------------------------------------------- */

static void note_environment(struct ShPoint *p, const char *name)
{
    const char *value = getenv(name);
    json_object_set_new(p->shell, name, value ? json_string(value) : json_null());
}

/* A program is searched for as the shell does; words that are none are not found. */
static void note_program(ShSession *s, const char *word, size_t n)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t size = strcspn(path, ":");
        char *file TH_OWNED(free) = th_printed(NULL, "%.*s/%.*s", (int)size, path, (int)n, word);
        if (file && size > 0 && access(file, X_OK) == 0) {
            note_file(s, file, false);
            return;
        }
        path += size + (path[size] == ':');
    }
}

void sh_point_note_shell(ShSession *s, const char *command)
{
    enum { LONGEST = 200 };
    static const char *const always[] = {"PATH", "LANG", "LC_ALL"};
    static const char ends[] = " \t\n;|&()<>'\"`$={}";
    struct ShPoint *p = s->point;
    if (!p->shell)
        p->shell = json_object();
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        note_environment(p, always[i]);
    for (const char *at = command; *at;) {
        size_t n = strcspn(at, ends);
        char *word TH_OWNED(free) = n > 0 && n < LONGEST ? th_strndup(at, n, NULL) : NULL;
        bool variable =
            at > command && (at[-1] == '$' || (at[-1] == '{' && at > command + 1 && at[-2] == '$'));
        if (word && variable) {
            word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")] =
                '\0';
            note_environment(p, word);
        } else if (word && !strchr(word, '/')) {
            note_program(s, word, n);
        }
        at += n > 0 ? n : 1;
    }
}
