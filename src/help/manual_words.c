/* manual_words.c - what shells and editors want to know: the words. */
#include <string.h>

#include "automata/expression/builtins.h"
#include "automata/expression/functions.h"
#include "family.h"
#include "help/manual.h"

/* The first words of all commands, with blanks between. */
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
        fprintf(out, "%s%.*s", i ? " " : "", (int)k, commands[i]->name);
        last = commands[i]->name;
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

void sh_emit_bash(FILE *out)
{
    fputs("# bash completion of tapehead, made by `tapehead --emit=bash`\n\n"
          "_tapehead()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    if [[ $word == = ]]; then\n        word=\n"
          "    elif [[ $before == = ]]; then\n        before=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n"
          "    case $before in\n"
          "    -e | --execute)\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          out);
    put_commands(out);
    fputs("' -- \"$word\")\n        return ;;\n"
          "    -f | --format)\n"
          "        mapfile -t COMPREPLY < <(compgen -W 'text json csv' -- \"$word\")\n"
          "        return ;;\n"
          "    --seed | --threads)\n"
          "        return ;;\n"
          "    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '--execute --define --keep-going "
          "--interactive --quiet --no-init --serve --format --seed --threads --help --version' -- "
          "\"$word\")\n"
          "    else\n"
          "        mapfile -t COMPREPLY < <(compgen -f -X '!*.th' -- \"$word\"; compgen -d -- "
          "\"$word\")\n"
          "    fi\n}\n\n"
          "complete -o filenames -F _tapehead tapehead\n",
          out);
}

/* ---- vim ------------------------------------------------------------------------------------- */

/* Kinds of tasks, models and the like, and the automata and functions that are built in. */
static void put_names(FILE *out)
{
    size_t n;
    const ShFamily *f = sh_families(&n);
    fputs("syn keyword tapeheadKind", out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < f[i].count(); k++)
            fprintf(out, " %s", f[i].row(k).name);
    const ThAutomatonBuiltin *b = th_automaton_builtins(&n);
    fputs("\nsyn keyword tapeheadFunction", out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %s", b[i].name);
    const ThAutomatonFunction *function = th_automaton_functions(&n);
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %s", function[i].name);
    fputs("\n", out);
}

void sh_emit_vim(FILE *out)
{
    fputs("\" Vim syntax of tapehead, made by `tapehead --emit=vim`\n\n"
          "if exists('b:current_syntax')\n  finish\nendif\n"
          "syn case match\n"
          "syn keyword tapeheadCommand else ",
          out);
    put_commands(out);
    fputs("\nsyn keyword tapeheadOperator in on as and or not\n", out);
    put_names(out);
    fputs("syn match tapeheadOption '\\<\\h\\w*=\\@='\n"
          "syn match tapeheadNumber '\\<\\d\\+\\%(\\.\\d\\+\\)\\=\\%([eE][-+]\\=\\d\\+\\)\\=\\>'\n"
          "syn match tapeheadVariable '\\$\\%(\\h\\w*\\|{\\h\\w*}\\)'\n"
          "syn region tapeheadString start='\"' skip='\\\\.' end='\"' contains=tapeheadVariable\n"
          "syn match tapeheadShell '^\\s*!.*'\n"
          "syn match tapeheadComment '#.*'\n\n"
          "hi def link tapeheadCommand Statement\n"
          "hi def link tapeheadOperator Operator\n"
          "hi def link tapeheadKind Type\n"
          "hi def link tapeheadFunction Function\n"
          "hi def link tapeheadOption Identifier\n"
          "hi def link tapeheadNumber Number\n"
          "hi def link tapeheadVariable PreProc\n"
          "hi def link tapeheadString String\n"
          "hi def link tapeheadShell Special\n"
          "hi def link tapeheadComment Comment\n"
          "let b:current_syntax = 'tapehead'\n",
          out);
}
