#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <unistd.h>

#include <gsl/gsl_errno.h>

#include "blas_kernels.h"
#include "terminal/diagnostics.h"
#include "help/manual.h"
#include "ranks.h"
#include "terminal/repl.h"
#include "serve.h"
#include "terminal/signals.h"
#include "language/variables.h"
#include "help/wrapped_text.h"

enum { KEY_SEED = 0x100, KEY_THREADS, KEY_EMIT, KEY_SERVE, KEY_SAFE, KEY_SHELL };

static const struct argp_option options[] = {
    {"execute", 'e', "COMMANDS", 0, "Run COMMANDS, before the FILEs; may be repeated", 1},
    {"keep-going", 'k', NULL, 0, "In batch, go on after a failed command", 1},
    {"interactive", 'i', NULL, 0, "Prompt after the FILEs and -e are done", 1},
    {"quiet", 'q', NULL, 0, "No banner, no progress", 2},
    {"no-init", 'n', NULL, 0, "Do not read the init file", 2},
    {"define", 'D', "NAME=VALUE", 0, "Set the variable NAME before anything is run", 1},
    {"format", 'f', "text|json|csv", 0, "How tables and results are printed", 2},
    {"seed", KEY_SEED, "N", 0, "As `set seed N'", 2},
    {"threads", KEY_THREADS, "N", 0, "As `set threads N'", 2},
    {"serve", KEY_SERVE, NULL, 0, "Answer another program, in lines of JSON", 1},
    {"allow-shell", KEY_SHELL, NULL, 0, "With --serve, ! and | run the shell", 1},
    {"safe", KEY_SAFE, NULL, 0, "No shell, no writing outside this folder", 1},
    {"emit", KEY_EMIT, "man|markdown|words|json|examples", OPTION_HIDDEN, NULL, 3},
    {"help", 'h', NULL, 0, "Give this help list", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {NULL, 0, NULL, 0, NULL, 0}};

/* What the command line asks for. */
typedef struct {
    ShSession *session;
    const char **command, **file, **variable, **arg;
    size_t n_commands, cap_commands, n_files, cap_files, n_variables, cap_variables;
    size_t n_args, cap_args; /* behind --, of the script */
    bool interactive, quiet, no_init, serve, safe, allow_shell;
    const char *emit;
} Arguments;

static void print_version(void)
{
    printf("tapehead %s\nkernels: %s\n"
           "Licence GPL-3.0-or-later; there is no warranty, to the extent permitted by law.\n",
           TH_VERSION, sh_blas_kernels());
}

static void set(struct argp_state *state, const char *key, const char *value)
{
    Arguments *a = state->input;
    ThError err = {0};
    if (!sh_settings_set(a->session, key, value, &err))
        argp_error(state, "%s", err.hint[0] ? err.hint : err.msg);
}

static error_t keep(const char ***list, size_t *n, size_t *cap, const char *value)
{
    if (!th_grow(list, cap, *n + 1, sizeof **list, NULL))
        return ENOMEM;
    (*list)[(*n)++] = value;
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    Arguments *a = state->input;
    switch (key) {
    case 'e':
        return keep(&a->command, &a->n_commands, &a->cap_commands, arg);
    case 'D':
        return keep(&a->variable, &a->n_variables, &a->cap_variables, arg);
    case ARGP_KEY_ARG:
        if (state->quoted && state->next > state->quoted && a->n_files + a->n_commands > 0)
            return keep(&a->arg, &a->n_args, &a->cap_args, arg);
        return keep(&a->file, &a->n_files, &a->cap_files, arg);
    case 'k':
        a->session->keep_going = true;
        return 0;
    case 'i':
        a->interactive = true;
        return 0;
    case 'q':
        a->quiet = true;
        set(state, "progress", "no");
        return 0;
    case 'n':
        a->no_init = true;
        return 0;
    case 'f':
        set(state, "format", arg);
        return 0;
    case KEY_SEED:
        set(state, "seed", arg);
        return 0;
    case KEY_THREADS:
        set(state, "threads", arg);
        return 0;
    case KEY_SERVE:
        a->serve = true;
        set(state, "format", "json");
        return 0;
    case KEY_SAFE:
        a->safe = true;
        return 0;
    case KEY_SHELL:
        a->allow_shell = true;
        return 0;
    case KEY_EMIT:
        a->emit = arg;
        return 0;
    case 'h':
    case 'V':
        if (key == 'h')
            argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
        else
            print_version();
        exit(fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse_option,
    "[FILE]... [-- ARG...]",
    "A laboratory for automata and the small sequence models that learn them.\vWithout FILE and "
    "-e, and with a terminal on standard input, commands are read from a prompt; otherwise from "
    "standard input.  The FILE - is standard input.  Scripts find each ARG as $1, $2, ..., and all "
    "as $args.",
    NULL,
    NULL,
    NULL};

/* A closed standard stream would be taken by the next file that is opened.  What stands in for it
 * fails on use, as a closed one does. */
static void occupy_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_FAILURE);
}

static bool run_file(ShSession *s, const char *name)
{
    if (strcmp(name, "-") == 0)
        return sh_shell_file(s, stdin, "<stdin>");
    FILE *in = fopen(name, "r");
    if (!in) {
        ThError err = {0};
        th_fail(&err, TH_EIO, "cannot read '%s': %s", name, strerror(errno));
        sh_print_error(s, &err);
        return false;
    }
    bool ok = sh_shell_file(s, in, name);
    fclose(in);
    return ok;
}

/* Runs -e and FILEs; false if one failed and the rest was left out, or kept going. */
static bool run_batch(ShSession *s, const Arguments *a)
{
    bool ok = true;
    for (size_t i = 0; i < a->n_commands + a->n_files; i++) {
        if ((!ok && !s->keep_going) || s->leaving || s->broken_pipe || sh_interrupted() ||
            sh_terminated())
            break;
        ok = (i < a->n_commands ? sh_shell_text(s, a->command[i], "<command>")
                                : run_file(s, a->file[i - a->n_commands])) &&
             ok;
    }
    return ok;
}

/* -D NAME=VALUE */
static bool define_variables(ShSession *s, const Arguments *a, ThError *err)
{
    for (size_t i = 0; i < a->n_variables; i++) {
        const char *text = a->variable[i], *equals = strchr(text, '=');
        char *name TH_OWNED(free) = equals ? th_strndup(text, (size_t)(equals - text), err) : NULL;
        bool ok = name && sh_variable_read(s, name, equals + 1, err);
        if (!equals)
            th_fail(err, TH_EUSAGE, "-D needs NAME=VALUE, not '%s'", text);
        if (!ok)
            return false;
    }
    return true;
}

/* What --safe and --serve forbid.  Scripts that stand before them have not run yet. */
static bool forbid(ShSession *s, const Arguments *a, ThError *err)
{
    s->no_shell = a->safe || (a->serve && !a->allow_shell);
    return !a->safe || th_file_confine(".", err);
}

static void say_hello(void)
{
    ShSheet to = sh_sheet(stdout, isatty(STDOUT_FILENO));
    sh_wrap(&to, 0,
            "tapehead " TH_VERSION
            ".  help says how to start, tutorial 1 shows it, help examples lists scripts; Tab "
            "completes, Meta-h explains the word at the cursor; quit leaves.");
}

static int run(ShSession *s, const Arguments *a)
{
    ThError err = {0};
    if (!forbid(s, a, &err) || !define_variables(s, a, &err)) {
        sh_print_error(s, &err);
        return 2;
    }
    bool given = a->n_commands + a->n_files > 0, terminal = isatty(STDIN_FILENO);
    if (!given && s->ranks) {
        th_fail(&err, TH_EUSAGE, "several processes need their commands from a FILE or -e");
        sh_print_error(s, &err);
        return 2;
    }
    bool ok = run_batch(s, a);
    bool stopped = sh_interrupted() || sh_terminated() || s->broken_pipe;
    if (a->serve && !stopped && !s->leaving)
        sh_serve(s);
    else if (!given && !terminal)
        ok = sh_shell_file(s, stdin, "<stdin>");
    else if ((!given || a->interactive) && !stopped && !s->leaving && terminal) {
        if (!a->quiet)
            say_hello();
        sh_repl(s, !a->no_init);
        ok = true;
    }
    if (sh_terminated())
        return 128 + sh_terminated();
    if (sh_interrupted())
        return 130;
    if (s->leaving && s->status)
        return s->status - 1;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    sh_blas_choose_kernels(argv);
    occupy_standard_streams();
    gsl_set_error_handler_off();
    setlocale(LC_CTYPE, "");
    ThError err = {0};
    Arguments a = {.session = sh_blas_choose_own(&err) ? sh_session_new(&err) : NULL};
    if (!a.session) {
        fprintf(stderr, "tapehead: %s\n", err.msg);
        return EXIT_FAILURE;
    }
    argp_err_exit_status = 2;
    int status = argp_parse(&argp, argc, argv, ARGP_NO_HELP | ARGP_IN_ORDER, NULL, &a) == 0
                     ? EXIT_SUCCESS
                     : 2;
    if (status == EXIT_SUCCESS && a.emit) {
        status = sh_emit(stdout, a.emit) ? EXIT_SUCCESS : 2;
    } else if (status == EXIT_SUCCESS && !sh_ranks_begin(&a.session->ranks, &err)) {
        sh_print_error(a.session, &err);
        status = 2;
    } else if (status == EXIT_SUCCESS) {
        sh_signals_install();
        a.session->args = a.arg;
        a.session->n_args = a.n_args;
        status = run(a.session, &a);
    }
    if (fflush(stdout) != 0 && !a.session->broken_pipe)
        status = EXIT_FAILURE;
    if (a.session->ranks)
        a.session->ranks->end(status);
    sh_session_free(a.session);
    TH_FREE(a.command, a.file, a.variable, a.arg);
    return status;
}
