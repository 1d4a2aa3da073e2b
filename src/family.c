#include "family.h"

static size_t former_tasks(void)
{
    size_t n, former = 0;
    const ThTaskKind *const *kind = th_task_kinds(&n);
    while (former < n && kind[n - 1 - former]->former)
        former++;
    return former;
}

static size_t count_tasks(void)
{
    size_t n;
    th_task_kinds(&n);
    return n - former_tasks();
}

/* How many kinds a table of the library has. */
#define COUNT(name, all)                                                                           \
    static size_t count_##name(void)                                                               \
    {                                                                                              \
        size_t n;                                                                                  \
        all(&n);                                                                                   \
        return n;                                                                                  \
    }
COUNT(models, th_model_kinds)
COUNT(pads, th_pad_kinds)
COUNT(positions, th_position_kinds)
COUNT(optimizers, th_optimizer_all)

static ShKindRow task_row(size_t i)
{
    static const ShArg automaton = {A_AUTOMATON_EXPRESSION, "AUTOMATON", 0};
    static const ShArg file = {A_FILE, "FILE", 0}, nothing = {A_NONE, "", 0};
    static const ShArg program = {A_RAW, "SOP", 0}, pad = {A_PAD_KIND, "SCRATCHPAD", 0};
    static const ShArg language = {A_RAW, "LANGUAGE", 0};
    size_t n;
    const ThTaskKind *k = th_task_kinds(&n)[i];
    return (ShKindRow){.name = k->name,
                       .summary = k->summary,
                       .detail = k->detail,
                       .source = k->source,
                       .options = k->options,
                       .takes = k->takes_automaton  ? automaton
                                : k->takes_file     ? file
                                : k->takes_program  ? program
                                : k->takes_pad      ? pad
                                : k->takes_language ? language
                                                    : nothing};
}

static ShKindRow model_row(size_t i)
{
    size_t n;
    const ThModelKind *k = th_model_kinds(&n)[i];
    return (ShKindRow){.name = k->name,
                       .summary = k->summary,
                       .detail = k->detail,
                       .source = k->source,
                       .options = k->options};
}

static ShKindRow pad_row(size_t i)
{
    size_t n;
    const ThPadKind *k = th_pad_kinds(&n)[i];
    ShKindRow row = {.name = k->name,
                     .summary = k->summary,
                     .detail = k->detail,
                     .source = k->source,
                     .example = k->example,
                     .options = k->options,
                     .context = k->context};
    int at = 0;
    if (k->takes_machine)
        row.args[at++] = (ShArg){A_MACHINE, "MACHINE", 0};
    for (int j = 0; j < 2 && k->operand[j]; j++)
        row.args[at++] = (ShArg){A_TEXT, k->operand[j], A_OPTIONAL};
    return row;
}

static ShKindRow position_row(size_t i)
{
    size_t n;
    const ThPositionKind *k = th_position_kinds(&n)[i];
    return (ShKindRow){.name = k->name, .summary = k->summary, .source = k->source};
}

static ShKindRow optimizer_row(size_t i)
{
    size_t n;
    const ThOptimizer *k = th_optimizer_all(&n)[i];
    return (ShKindRow){.name = k->name, .summary = k->summary, .source = k->source};
}

static const ShFamily families[] = {
    {"task", "tasks", "task NAME = ", count_tasks, former_tasks, task_row, A_TASK_KIND, false},
    {"model", "models", "model NAME = ", count_models, NULL, model_row, A_MODEL_KIND, false},
    {"positional encoding", "positions", "position=", count_positions, NULL, position_row, A_NONE,
     false},
    {"update rule", "optimizers", "optimizer=", count_optimizers, NULL, optimizer_row, A_NONE,
     false},
    {"scratchpad", "scratchpad", "scratchpad ", count_pads, NULL, pad_row, A_PAD_KIND, true},
};

const ShFamily *sh_families(size_t *n)
{
    *n = sizeof families / sizeof *families;
    return families;
}

const ShFamily *sh_family_of(ShArgKind arg)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (arg != A_NONE && families[i].arg == arg)
            return &families[i];
    return NULL;
}

const ShFamily *sh_family_of_command(const ShCommand *c)
{
    const ShFamily *f = c ? sh_family_of(c->args[0].kind) : NULL;
    return f && f->second_word ? f : NULL;
}

static const char *nearest(const ShFamily *f, const char *word)
{
    const char *names[256];
    size_t n = 0;
    for (; n < 256 && n < f->count(); n++)
        names[n] = f->row(n).name;
    return th_nearest(word, names, n);
}

bool sh_family_not_followed(const ShFamily *f, ThError *err)
{
    ThText list TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; i < f->count(); i++)
        th_text_printf(&list, "%s%s", i ? ", " : "", f->row(i).name);
    return th_fail(err, TH_EUSAGE, "%s is followed by one of %s", f->word, th_text_string(&list)) ||
           th_hint(err, "see help %s", f->topic);
}

bool sh_family_unknown(const ShFamily *f, const char *word, ThError *err)
{
    const char *near = nearest(f, word);
    if (f->second_word)
        return sh_family_not_followed(f, err);
    th_fail(err, TH_EUSAGE, "unknown %s kind '%s'", f->word, word);
    if (near)
        return th_hint(err, "did you mean %s?", near);
    return th_hint(err, "help %s lists the kinds", f->topic);
}

bool sh_family_find(const ShFamily *f, const char *name, ShKindRow *row)
{
    size_t n = f->count() + (f->former ? f->former() : 0);
    for (size_t i = 0; i < n; i++) {
        *row = f->row(i);
        if (strcmp(row->name, name) == 0)
            return true;
    }
    return false;
}

const ThOptionSpec *sh_command_options(const ShCommand *c, const ShKindRow *kind, size_t i)
{
    const ThOptionSpec *own[] = {kind ? kind->options : NULL, kind ? kind->outer : NULL,
                                 c->options};
    for (size_t k = 0; k < 3; k++)
        if (own[k] && i-- == 0)
            return own[k];
    return c->more_options ? c->more_options(i) : NULL;
}
