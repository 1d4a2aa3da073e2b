#include "session.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "blas_kernels.h"
#include "terminal/confirm.h"
#include "rasp.h"
#include "ranks.h"
#include "terminal/signals.h"

static const char *const kind_names[SH_N_KINDS] = {
    "automaton", "task", "model", "machine", "language", "s-op", "selector", "function", "value"};

const char *sh_kind_name(ShKind kind)
{
    return kind_names[kind];
}

const char *sh_a_kind(ShKind kind)
{
    static const char *const names[SH_N_KINDS] = {"an automaton", "a task",     "a model",
                                                  "a machine",    "a language", "an s-op",
                                                  "a selector",   "a function", "a value"};
    return names[kind];
}

ShSession *sh_session_new(ThError *err)
{
    ShSession *s = th_alloc(1, sizeof *s, err);
    if (s && !th_options_init(&s->settings, sh_settings, err)) {
        free(s);
        return NULL;
    }
    if (!s)
        return NULL;
    s->out.stream = stdout;
    sh_settings_bound(s);
    return s;
}

static void free_value(ShKind kind, void *value)
{
    if (kind == SH_AUTOMATON)
        th_automaton_free(value);
    else if (kind == SH_TASK)
        th_task_free(value);
    else if (kind == SH_MACHINE)
        th_tm_free(value);
    else if (kind == SH_LANGUAGE)
        th_language_free(value);
    else if (!sh_is_rasp(kind))
        th_model_free(value);
}

static void *value_of(const ShObject *o)
{
    if (o->kind == SH_AUTOMATON)
        return o->as.automaton;
    if (o->kind == SH_MACHINE)
        return o->as.machine;
    if (o->kind == SH_LANGUAGE)
        return o->as.language;
    if (sh_is_rasp(o->kind))
        return NULL;
    return o->kind == SH_TASK ? (void *)o->as.task : (void *)o->as.model;
}

void sh_drop_run(ShObject *o)
{
    if (o->engine)
        th_tm_engine_free(o->engine);
    free(o->engine);
    o->engine = NULL;
}

void sh_drop_stepping(ShObject *o)
{
    th_tm_stepper_free(o->stepper);
    free(o->word);
    o->stepper = NULL;
    o->word = NULL;
}

static void free_object(ShSession *s, ShObject *o)
{
    if (sh_is_rasp(o->kind) && s->rasp)
        th_rasp_undefine(s->rasp, o->name);
    sh_object_free(o);
}

void sh_object_free(ShObject *o)
{
    if (!o)
        return;
    sh_drop_run(o);
    sh_drop_stepping(o);
    free_value(o->kind, value_of(o));
    TH_FREE(o->name, o->made_by, o);
}

static void free_library(ShSession *s)
{
    if (s->library)
        TH_FREE(s->library->name, s->library);
    s->library = NULL;
}

void sh_session_free(ShSession *s)
{
    if (!s)
        return;
    free_library(s);
    for (size_t i = 0; i < s->n; i++)
        free_object(s, s->object[i]);
    th_rasp_free(s->rasp);
    th_options_free(&s->settings);
    sh_output_free(&s->out);
    th_text_free(&s->value);
    TH_FREE(s->object, s);
}

int sh_threads(const ShSession *s)
{
    enum { MOST = 16 };
    long long set = sh_setting_int(s, "threads");
    if (set > 0)
        return (int)set;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > MOST ? MOST : (int)processors;
}

double sh_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double sh_processor_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

ShObject *sh_find(ShSession *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->object[i]->name, name) == 0)
            return s->object[i];
    return NULL;
}

const char *sh_shown_name(const ShObject *o)
{
    return th_is_word(o->name) ? o->name : "it";
}

ShObject *sh_object_at(ShSession *s, size_t i)
{
    return i < s->n ? s->object[i] : NULL;
}

bool sh_name_ok(const char *name, ThError *err)
{
    if (!th_is_word(name))
        return th_fail(err, TH_EUSAGE, "'%s' cannot be a name", name) ||
               th_hint(err, "names are made of letters, digits, _ - . and '");
    if (sh_command_begins(name, strlen(name)))
        return th_fail(err, TH_EUSAGE, "'%s' is a command and cannot be a name", name);
    return true;
}

static ShObject *new_object(const char *name, const char *made_by, ThError *err)
{
    ShObject *o = th_alloc(1, sizeof *o, err);
    if (!o)
        return NULL;
    o->name = th_strdup(name, err);
    o->made_by = made_by ? th_strdup(made_by, err) : NULL;
    if (!o->name || (made_by && !o->made_by)) {
        TH_FREE(o->name, o->made_by, o);
        return NULL;
    }
    return o;
}

static void set_value(const ShSession *s, ShObject *o, ShKind kind, void *value)
{
    o->kind = kind;
    if (kind == SH_AUTOMATON)
        o->as.automaton = value;
    else if (kind == SH_TASK)
        o->as.task = value;
    else if (kind == SH_MACHINE)
        o->as.machine = value;
    else if (kind == SH_LANGUAGE)
        o->as.language = value;
    else
        o->as.model = value;
    if (kind == SH_MODEL)
        o->as.model->bounds = &s->bounds;
}

ShObject *sh_object_of(const ShSession *s, ShKind kind, const char *name, void *value, ThError *err)
{
    ShObject *o = new_object(name, NULL, err);
    if (!o) {
        free_value(kind, value);
        return NULL;
    }
    set_value(s, o, kind, value);
    return o;
}

bool sh_define(ShSession *s, const char *name, ShKind kind, void *object, const char *made_by,
               ThError *err)
{
    const ShObject *old = sh_find(s, name);
    bool ready = kind != SH_MODEL || sh_blas_ready(sh_threads(s)) ||
                 th_fail(err, TH_ENOMEM, "out of memory for matrix products");
    bool wanted = ready && sh_name_ok(name, err) && (!old || sh_confirm_loss(s, old, err));
    ShObject *o = wanted ? new_object(name, made_by, err) : NULL;
    if (!o || !th_grow(&s->object, &s->cap, s->n + 1, sizeof *s->object, err)) {
        free_value(kind, object);
        if (o)
            TH_FREE(o->name, o->made_by, o);
        return false;
    }
    set_value(s, o, kind, object);
    if (s->out.format == SH_FORMAT_JSON)
        sh_output_member(s, "name", json_string(name));
    o->statement = s->statements;
    if (s->loading)
        sh_note_saved(o);
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(s->object[i]->name, name) == 0) {
            free_object(s, s->object[i]);
            s->object[i] = o;
            return true;
        }
    }
    s->object[s->n++] = o;
    return true;
}

bool sh_define_rasp(ShSession *s, const char *name, ShKind kind, ThError *err)
{
    ShObject *o = sh_find(s, name);
    if (!o) {
        o = th_grow(&s->object, &s->cap, s->n + 1, sizeof *s->object, err)
                ? new_object(name, NULL, err)
                : NULL;
        if (!o)
            return false;
        s->object[s->n++] = o;
    }
    o->kind = kind;
    return true;
}

void sh_undefine(ShSession *s, ShObject *o)
{
    size_t i = 0;
    while (i < s->n && s->object[i] != o)
        i++;
    if (i == s->n)
        return;
    memmove(&s->object[i], &s->object[i + 1], (s->n - i - 1) * sizeof *s->object);
    s->n--;
    free_object(s, o);
}

bool sh_rename(ShSession *s, ShObject *o, const char *name, ThError *err)
{
    if (o == s->library)
        return th_fail(err, TH_EUSAGE, "'%s' belongs to RASP's library", o->name);
    if (!sh_name_ok(name, err))
        return false;
    ShObject *other = sh_find(s, name);
    if (other && other != o)
        return th_fail(err, TH_EUSAGE, "there is already %s named '%s'", sh_a_kind(other->kind),
                       name);
    ThRaspValue v;
    if (sh_is_rasp(o->kind) &&
        !(sh_rasp_value_of(s, o, &v, err) && th_rasp_define(s->rasp, name, &v, err)))
        return false;
    char *fresh = th_strdup(name, err);
    if (!fresh)
        return false;
    if (sh_is_rasp(o->kind) && !other)
        th_rasp_undefine(s->rasp, o->name);
    free(o->name);
    o->name = fresh;
    return true;
}

/* Says that no object of the kind has the name, with the nearest that has. */
static bool no_such(ShSession *s, const char *name, int kind, ThError *err)
{
    const char *what = kind < 0 ? "object" : kind_names[kind];
    const char **names TH_OWNED(free) = th_alloc(s->n, sizeof *names, err);
    if (!names)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (kind < 0 || (int)s->object[i]->kind == kind)
            names[n++] = s->object[i]->name;
    const char *near = th_nearest(name, names, n);
    th_fail(err, TH_EUSAGE, "no %s is named '%s'", what, name);
    if (near)
        th_hint(err, "did you mean %s?", near);
    else if ((kind < 0 || kind == SH_AUTOMATON || kind == SH_MACHINE) && th_automaton_builtin(name))
        th_hint(err, "automaton NAME = %s%s defines the built-in one", name,
                th_automaton_builtin(name)->n_arguments > 0 ? "(...)" : "");
    else if (n == 0 && kind >= 0)
        th_hint(err, "there is no %s yet; see help %s", what, what);
    else
        th_hint(err, "%s", n > 0 ? "list shows what there is" : "nothing has been defined yet");
    return false;
}

/* A name of RASP's library, which is no object until somebody asks for it by that name. */
static ShObject *library_object(ShSession *s, const char *name)
{
    ThRaspValue v;
    ThRasp *r = sh_session_rasp(s, NULL);
    if (!r || !th_rasp_lookup(r, name, &v))
        return NULL;
    ShObject *o = new_object(name, NULL, NULL);
    if (!o)
        return NULL;
    o->kind = sh_rasp_object_kind(&v);
    free_library(s);
    s->library = o;
    return o;
}

ShObject *sh_need_object(ShSession *s, const char *name, int kind, ThError *err)
{
    ShObject *o = sh_find(s, name);
    if (!o && (kind < 0 || sh_is_rasp((ShKind)kind)))
        o = library_object(s, name);
    if (!o) {
        no_such(s, name, kind, err);
        return NULL;
    }
    if (kind >= 0 && (int)o->kind != kind)
        return th_null(th_fail(err, TH_EUSAGE, "'%s' is %s, not %s", name, sh_a_kind(o->kind),
                               sh_a_kind((ShKind)kind)));
    return o;
}

ThAutomaton *sh_need_automaton(ShSession *s, const char *name, ThError *err)
{
    ShObject *o = sh_need_object(s, name, SH_AUTOMATON, err);
    return o ? o->as.automaton : NULL;
}

ThStop *sh_stop(const ShSession *s TH_UNUSED)
{
    return sh_stop_flag();
}

bool sh_session_is_silent(const ShSession *s)
{
    return sh_rank_is_silent(s->ranks) && !s->point;
}

bool sh_interactive(const ShSession *s)
{
    return s->interactive;
}
