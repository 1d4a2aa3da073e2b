#include "terminal/confirm.h"

#include <unistd.h>

#include "rasp.h"
#include "object_kinds.h"

static bool at_prompt(const ShSession *s)
{
    return s->interactive && !s->script;
}

void sh_say_defined(ShSession *s, const char *name)
{
    const ShObject *o = sh_find(s, name);
    char *size TH_OWNED(free) =
        at_prompt(s) && s->bodies == 0 && o ? sh_object_size_text(s, o) : NULL;
    if (size)
        sh_say(s, "%s\n", size);
}

/* The first letter of a line that is typed; 0 for Ctrl-C, and `end` for the end of the input. */
static char typed_letter(char end)
{
    char line[256];
    ssize_t n = read(STDIN_FILENO, line, sizeof line);
    return n > 0 ? line[0] : n == 0 ? end : '\0';
}

static bool is_yes(char c)
{
    return c == 'y' || c == 'Y';
}

static long long steps_of(const ShObject *o)
{
    return o->kind == SH_MODEL ? o->as.model->training.step : 0;
}

void sh_note_saved(ShObject *o)
{
    o->saved = true;
    o->saved_step = steps_of(o);
}

/* RASP's names are assigned to as in any language, and ask nothing. */
static bool is_unsaved(const ShObject *o)
{
    return !sh_is_rasp(o->kind) && !(o->saved && o->saved_step == steps_of(o));
}

static bool fail_kept(const ShObject *o, ThError *err)
{
    return th_fail(err, TH_EUSAGE, "%s stays as it is", o->name) ||
           th_hint(err, "copy %s NAME keeps it under another name, save %s \"FILE%s\" in a file",
                   o->name, o->name, o->kind == SH_MODEL ? ".safetensors" : ".th");
}

bool sh_confirm_loss(ShSession *s, const ShObject *o, ThError *err)
{
    long long steps = steps_of(o);
    const char *plural = sh_plural(steps);
    if (!is_unsaved(o))
        return true;
    if (!at_prompt(s) || o->statement == s->statements) {
        if (steps > 0)
            sh_say(s, "note: %s loses its training of %lld step%s\n", o->name, steps, plural);
        return true;
    }
    if (steps > 0)
        fprintf(stderr, "%s will lose its training of %lld step%s.  Go on? [y/N] ", o->name, steps,
                plural);
    else
        fprintf(stderr, "%s, %s, is not saved and will be lost.  Go on? [y/N] ", o->name,
                sh_a_kind(o->kind));
    return is_yes(typed_letter('\0')) || fail_kept(o, err);
}

bool sh_confirm_leave(ShSession *s)
{
    enum { MOST = 5 };
    size_t n = 0;
    const ShObject *o;
    if (!at_prompt(s) || !isatty(STDIN_FILENO))
        return true;
    for (size_t i = 0; (o = sh_object_at(s, i)); i++) {
        if (!is_unsaved(o) || n++ >= MOST)
            continue;
        fprintf(stderr, "%s%s", n > 1 ? ", " : "", o->name);
        if (steps_of(o) > 0)
            fprintf(stderr, " (trained for %lld steps)", steps_of(o));
    }
    if (n == 0)
        return true;
    fprintf(stderr, "%s %s not saved; save all \"FILE.th\" does.  Leave? [y/N] ",
            n > MOST ? " and others" : "", n > 1 ? "are" : "is");
    return is_yes(typed_letter('y'));
}
