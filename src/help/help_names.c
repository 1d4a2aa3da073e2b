/* help_names.c - all that there is help on. */

#include "help/glossary.h"
#include "help/help.h"
#include "session_impl.h"
#include "help/synonyms.h"

static void name_commands(ShHelpName *with, void *context)
{
    size_t n;
    char typed[SH_COMMAND_NAME];
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++)
        with(context, sh_command_typed(commands[i], typed));
}

static void name_kinds(ShHelpName *with, void *context)
{
    size_t n;
    const ShFamily *f = sh_families(&n);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < f[k].count(); i++) {
            char *name TH_OWNED(free) =
                th_printed(NULL, "%s%s", f[k].second_word ? f[k].before : "", f[k].row(i).name);
            with(context, name ? name : "");
        }
    }
}

static void name_functions(ShHelpName *with, void *context)
{
    size_t n;
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    for (size_t i = 0; i < n; i++)
        with(context, b[i].name);
    const ThAutomatonFunction *f = th_automaton_functions(&n);
    for (size_t i = 0; i < n; i++)
        with(context, f[i].name);
    ShRaspTopic t;
    for (const char *at = NULL; sh_rasp_topic_next(&at, &t);)
        with(context, t.name);
}

void sh_help_names(ShHelpName *with, void *context)
{
    size_t n;
    name_commands(with, context);
    for (size_t i = 0; sh_help_topics[i]; i++)
        with(context, sh_help_topics[i]);
    const ShCommandGroup *group = sh_command_groups(&n);
    for (size_t i = 0; i < n; i++)
        with(context, group[i].name);
    name_kinds(with, context);
    name_functions(with, context);
    for (const ThOptionSpec *s = sh_settings; s->name; s++)
        with(context, s->name);
}

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct {
    const char *topic;
    bool known;
} Asked;

static void ask(void *context, const char *name)
{
    Asked *a = context;
    a->known = a->known || strcmp(name, a->topic) == 0;
}

bool sh_help_knows(const char *topic)
{
    ShTerm term;
    ShSynonym synonym;
    Asked a = {topic, *topic == '\0'};
    sh_help_names(ask, &a);
    char name[128];
    snprintf(name, sizeof name, "%s", topic);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    return a.known || sh_command(name) || sh_synonym(topic, &synonym) || sh_term(topic, &term) ||
           sh_help_option(NULL, name);
}

/* ---- a topic that is none -------------------------------------------------------------------- */

typedef struct {
    char **name;
    size_t n, cap;
} Names;

static void collect(void *context, const char *name)
{
    Names *x = context;
    char *copy = th_strdup(name, NULL);
    if (copy && th_grow(&x->name, &x->cap, x->n + 1, sizeof *x->name, NULL))
        x->name[x->n++] = copy;
    else
        free(copy);
}

bool sh_help_unknown(const char *topic, ThError *err)
{
    Names x = {0};
    sh_help_names(collect, &x);
    const char *near = th_nearest(topic, (const char *const *)x.name, x.n);
    th_fail(err, TH_EVALUE, "there is no help on '%s'", topic);
    if (near)
        th_hint(err, "did you mean %s?", near);
    else
        th_hint(err, "help lists the topics; apropos %s searches them",
                strchr(topic, ' ') ? "WORD" : topic);
    while (x.n > 0)
        free(x.name[--x.n]);
    free(x.name);
    return false;
}
