/* command.h - one description of a command, beside its handler.
 *
 * The dispatcher, the parser of operands and options, help, apropos, completion, the man page, the
 * shell completion and the tests of the examples are all read from these structs.  To add a
 * command, write in a file of src/commands/GROUP
 *
 *     static const ThOptionSpec minimize_options[] = {…, {0}};
 *     SH_COMMAND(minimize, .group = "automata", .summary = "…", .args = {{A_AUTOMATON, "A"}}, …)
 *     {
 *         … s, call, err …
 *     }
 *
 * and the line `COMMAND(minimize)` in src/commands.def.  A command of two words (plot loss) is
 * SH_COMMAND(plot_loss, …): the underscore is a blank when it is typed.
 */
#pragma once

#include "session.h"

typedef enum {
    A_NONE,
    A_KEYWORD,   /* the literal word in .name, e.g. "on", "as" or "="; it becomes no operand:
                    operand[] holds the others only */
    A_NEW,       /* a name to be defined */
    A_OBJECT,    /* any object; unless A_NAMED, also what stands for the next two, and an
                    expression of RASP */
    A_AUTOMATON, /* unless A_NAMED, also an expression */
    A_LANGUAGE,  /* what says which words belong to a language: a grammar and the like, an
                    automaton or its expression, a machine, an s-op */
    A_MACHINE,   /* unless A_NAMED, also a text in a format of machines */
    A_TASK,      /* unless A_NAMED, also a kind with its options in parentheses, or an automaton to
                    be recognized */
    A_MODEL,
    A_PROGRAM, /* the text of an expression of RASP: a string, a word or in brackets */
    A_INPUT,   /* a word over an alphabet: one string or word */
    A_TEXT,    /* a string or word without further meaning */
    A_FILE,    /* a file name */
    A_LIST,    /* a list of machines: the name of a variable, or of a file, with a dot in it */
    A_COMMAND, /* name of a command or help topic */
    A_SETTING, /* name of a setting */
    A_KIND,    /* a kind of object */
    A_AUTOMATON_EXPRESSION, /* raw text up to the first option or the end: sh_automaton_value */
    A_TASK_KIND,  /* a task kind; its options are the call's; if the kind takes an automaton, one
                     A_AUTOMATON_EXPRESSION operand follows it */
    A_MODEL_KIND, /* a model kind; its options are the call's */
    A_PAD_KIND,   /* a scratchpad kind; its options come before the call's, its operands follow */
    A_RAW,        /* everything up to the end of the command, as typed */
    A_BLOCK       /* the inside of { … } as typed */
} ShArgKind;

enum {
    A_OPTIONAL = 1,
    A_REPEATED = 2,
    A_SILENT = 4, /* of optional keywords: the synopsis does not show it */
    A_NAMED = 8   /* of the operands that name objects: no expression may stand for it */
};

typedef struct {
    ShArgKind kind;
    const char *name; /* as shown in the synopsis */
    unsigned flags;
} ShArg;

/* A parsed operand: its text (escapes resolved), and where it stands for error messages. */
typedef struct {
    ShArgKind kind;
    const char *text;
    bool quoted;
    int line, col;
    ShObject *object; /* of the operands that are objects; NULL otherwise */
    ShObject *own;    /* the same where it is the value of an expression; else NULL */
} ShOperand;

typedef struct {
    int n;
    ShOperand *operand;
    ThOptions options;    /* from the command's table, or from the task or model kind's */
    const char *redirect; /* file after > or >>; NULL: none.  Only `plot` and `save` look at it:
                             the shell redirects the text of the others */
    const char *pipe;     /* shell command after |, which gets the output; NULL: none */
    bool append;          /* it was >> */
    int form;             /* 1 or 2: whether the operands followed args or args2 */
    const struct ShCommand *command;
} ShCall;

typedef bool ShHandler(ShSession *s, const ShCall *call, ThError *err);

typedef struct ShCommand {
    const char *name;  /* as in C; blanks for underscores when typed */
    const char *alias; /* another name for it, or one of before: known, but never shown; or NULL */
    const char *group; /* the name of one of sh_command_groups */
    const char *summary; /* one line, no full stop */
    const char *detail;  /* paragraphs separated by an empty line; may be NULL */
    const char *common;  /* a last paragraph that those who draw share, with more_options; NULL */
    const char *example; /* commands; lines "#> …" are what must be printed by those before */
    const char *results; /* names of the figures it sets, separated by blanks; NULL: none */
    ShArg args[8];
    ShArg args2[8]; /* another form, tried when the operands do not fit the first; see `form` */
    const ThOptionSpec *options;
    /* Further tables of options, i = 0, 1, … until it returns NULL; NULL: none. */
    const ThOptionSpec *(*more_options)(size_t i);
    unsigned flags;
    ShHandler *run;
} ShCommand;

enum {
    C_OWN_REDIRECT = 1, /* the handler looks at call->redirect itself */
    C_SLOW_EXAMPLE = 2, /* the example is not run by the quick tests */
    C_KEEPS_RESULT = 4, /* does not clear the figures of the command before (echo, assert, …) */
    C_PAGED = 8,        /* long output goes through the pager on a terminal */
    C_PREFIX = 16,      /* what follows it is a statement of its own (time) */
    C_DEFINES = 32,     /* does nothing but define objects: files that are loaded may hold it */
    C_CONTROL = 64,     /* a { in it opens a body of statements, which it runs itself (for, if) */
    C_LISTS = 128,      /* its second form takes a list, and looks at call->redirect itself; it is
                           tried first where a variable is named that holds one */
    C_ANY_FILE = 256,   /* its output may be sent to a file with any ending (echo) */
    C_ARRAYS = 512,     /* the handler writes a .npy or .safetensors file that its output is sent to
                           (sh_redirect_is_array) */
    C_BY_KIND = 4096, /* a second word that may be left out, where the first operand names an object
                         of the kind that its operands begin with (compare models) */
    C_LATEX = 2048,   /* its tables can be LaTeX, for .tex files */
    C_WRITES = 1024   /* it does nothing but write files */
};

#define SH_COMMAND(id, ...)                                                                        \
    static ShHandler do_##id;                                                                      \
    extern const ShCommand sh_command_##id;                                                        \
    const ShCommand sh_command_##id = {.name = #id, .run = do_##id, __VA_ARGS__};                  \
    static bool do_##id(ShSession *s, const ShCall *call, ThError *err)

/* Fails at an operand: the error's position is where it was typed.  Returns false, always. */
bool sh_fail_operand(ThError *err, const ShOperand *o, ThErrc code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Makes an error whose position counts inside an operand's text (a block, an expression, an input)
 * count from where the operand was typed; an error without a position gets the operand's.  Returns
 * false, always:  return sh_error_inside(err, o);  */
bool sh_error_inside(ThError *err, const ShOperand *o);

/* Can the file be written that an option names, if it is given?  For what takes long before it
 * writes; leaves nothing.  TH_EIO, at the option's place. */
bool sh_try_file(const ShSession *s, const ThOptions *o, const char *option, ThError *err);

/* Makes an error inside a file one about the file: its place, if it has one, is told before it, and
 * its hint goes along.  Returns false, always. */
bool sh_error_in_file(ThError *err, const char *path, const ThError *own);

/* Returns new: the value of an operand that is an automaton expression over the session's automata,
 * or NULL and an error with its position. */
ThAutomaton *sh_automaton_value(ShSession *s, const ShOperand *o, ThError *err);

/* The table, in manual order. */
const ShCommand *const *sh_commands(size_t *n);
const ShCommand *sh_command(const char *name); /* by C name or alias; view, or NULL */

/* Groups of commands, in manual order: *n of them. */
typedef struct {
    const char *name, *summary;
} ShCommandGroup;
const ShCommandGroup *sh_command_groups(size_t *n);

/* Is a word of n bytes the first word of a command's name, or its alias? */
bool sh_command_begins(const char *word, size_t n);

/* Is it the name of a command with this flag? */
bool sh_command_flagged(const char *word, size_t n, unsigned flag);

/* The name as it is typed, in to; returns to. */
enum { SH_COMMAND_NAME = 64 };
const char *sh_command_typed(const ShCommand *c, char to[SH_COMMAND_NAME]);
