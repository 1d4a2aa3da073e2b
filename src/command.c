#include "command.h"

#define COMMAND(id) extern const ShCommand sh_command_##id;
#include "commands.def"
#undef COMMAND

static const ShCommand *const commands[] = {
#define COMMAND(id) &sh_command_##id,
#include "commands.def"
#undef COMMAND
};

const ShCommand *const *sh_commands(size_t *n)
{
    *n = sizeof commands / sizeof *commands;
    return commands;
}

const ShCommandGroup *sh_command_groups(size_t *n)
{
    static const ShCommandGroup groups[] = {
        {"objects", "list, show, run, trace, save, load what has a name"},
        {"automata", "define, compare, minimize, list words, learn; monoids"},
        {"languages", "grammars and other languages that need not be regular"},
        {"machines", "run Turing machines, step by step or fast; prove them endless"},
        {"rasp", "programs for a transformer, and the layers they need"},
        {"tasks", "labelled strings, and computations written out as text"},
        {"models", "RegularGPT, transformers, recurrent networks; let them write on"},
        {"training", "train a model, measure it by length"},
        {"inspection", "look inside: attention, clusters, receptive field"},
        {"plots", "pictures of all of these, in a window or a file"},
        {"general", "help, settings, scripts, sweeps, checks"},
    };
    *n = sizeof groups / sizeof *groups;
    return groups;
}

const ShCommand *sh_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const ShCommand *c = commands[i];
        if (strcmp(c->name, name) == 0 || (c->alias && strcmp(c->alias, name) == 0))
            return c;
    }
    return NULL;
}

static bool is_first_word(const char *word, size_t n, const char *name)
{
    return name && strncmp(name, word, n) == 0 && (name[n] == '\0' || name[n] == '_');
}

bool sh_command_begins(const char *word, size_t n)
{
    for (size_t i = 0; n > 0 && i < sizeof commands / sizeof *commands; i++)
        if (is_first_word(word, n, commands[i]->name) || is_first_word(word, n, commands[i]->alias))
            return true;
    return false;
}

bool sh_command_flagged(const char *word, size_t n, unsigned flag)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if ((commands[i]->flags & flag) && strlen(commands[i]->name) == n &&
            memcmp(commands[i]->name, word, n) == 0)
            return true;
    return false;
}

const char *sh_command_typed(const ShCommand *c, char to[SH_COMMAND_NAME])
{
    snprintf(to, SH_COMMAND_NAME, "%s", c->name);
    for (char *p = to; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    return to;
}
