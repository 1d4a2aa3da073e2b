#include "confirm.h"

#include <stdlib.h>
#include <unistd.h>

#include "session_impl.h"
#include "show.h"

static bool at_prompt(const ShSession *s)
{
    return s->interactive && !s->script;
}

void sh_say_defined(ShSession *s, const char *name)
{
    const ShObject *o = sh_find(s, name);
    char *size = at_prompt(s) && s->bodies == 0 && o ? sh_object_size_text(s, o) : NULL;
    if (size)
        sh_say(s, "%s\n", size);
    free(size);
}

/* The first letter of a line that is typed; Ctrl-C and the end of the input are none. */
static char typed_letter(void)
{
    char line[256];
    ssize_t n = read(STDIN_FILENO, line, sizeof line);
    return n > 0 ? line[0] : '\0';
}

bool sh_confirm_loss(ShSession *s, const ShObject *o, ThError *err)
{
    if (o->kind != SH_MODEL || o->as.model->training.step == 0)
        return true;
    long long steps = o->as.model->training.step;
    const char *plural = sh_plural(steps);
    if (!at_prompt(s) || o->statement == s->statements) {
        sh_say(s, "note: %s loses its training of %lld step%s\n", o->name, steps, plural);
        return true;
    }
    fprintf(stderr, "%s will lose its training of %lld step%s.  Go on? [y/N] ", o->name, steps,
            plural);
    char c = typed_letter();
    if (c == 'y' || c == 'Y')
        return true;
    th_fail(err, TH_EUSAGE, "%s stays as it is", o->name);
    return th_hint(err,
                   "copy %s NAME keeps it under another name, save %s \"FILE.safetensors\" in "
                   "a file",
                   o->name, o->name);
}
