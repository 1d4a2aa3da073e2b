/* manual_words.c - what shells and editors want to know: the words.  scripts/editors has the rest.
 */

#include "family.h"
#include "help/manual.h"

/* The first words of all commands. */
static void put_commands(FILE *out)
{
    size_t n;
    const ShCommand *const *commands = sh_commands(&n);
    const char *last = "";
    for (size_t i = 0; i < n; i++) {
        size_t k = strcspn(commands[i]->name, "_");
        if (strlen(last) >= k && strncmp(last, commands[i]->name, k) == 0 &&
            (last[k] == '_' || last[k] == '\0'))
            continue;
        fprintf(out, " %.*s", (int)k, commands[i]->name);
        last = commands[i]->name;
    }
}

/* Kinds of tasks, models and the like. */
static void put_kinds(FILE *out)
{
    size_t n;
    const ShFamily *f = sh_families(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < f[i].count(); k++)
            fprintf(out, " %s", f[i].row(k).name);
}

/* The automata and functions that are built in. */
static void put_functions(FILE *out)
{
    size_t n;
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %s", b[i].name);
    const ThAutomatonFunction *function = th_automaton_functions(&n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %s", function[i].name);
}

void sh_emit_words(FILE *out)
{
    fputs("commands", out);
    put_commands(out);
    fputs("\nkinds", out);
    put_kinds(out);
    fputs("\nfunctions", out);
    put_functions(out);
    fputs("\n", out);
}
