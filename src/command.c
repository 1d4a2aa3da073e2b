#include "command.h"

#include <stdio.h>
#include <string.h>

#define COMMAND(id) extern const ThCommand th_command_##id;
#include "commands.def"
#undef COMMAND

static const ThCommand *const commands[] = {
#define COMMAND(id) &th_command_##id,
#include "commands.def"
#undef COMMAND
};

const ThCommand *const *th_commands(size_t *n)
{
    *n = sizeof commands / sizeof *commands;
    return commands;
}

const ThCommand *th_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const ThCommand *c = commands[i];
        if (strcmp(c->name, name) == 0 || (c->alias && strcmp(c->alias, name) == 0))
            return c;
    }
    return NULL;
}

const char *th_command_typed(const ThCommand *c, char to[TH_COMMAND_NAME])
{
    snprintf(to, TH_COMMAND_NAME, "%s", c->name);
    for (char *p = to; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    return to;
}
