/* general.c - commands about the session itself. */
#include <errno.h>
#include <unistd.h>

#include "language/condition.h"
#include "terminal/confirm.h"
#include "help/help.h"
#include "rasp.h"
#include "shell.h"

ShSheet sh_session_sheet(ShSession *s)
{
    bool terminal = s->interactive && s->out.stream == stdout && isatty(STDOUT_FILENO);
    return sh_sheet(sh_listing(s), terminal);
}

/* Returns new: the operands with blanks between them; NULL and TH_ENOMEM. */
static char *joined(const ShCall *call, ThError *err)
{
    ThText text = {0};
    for (int i = 0; i < call->n; i++)
        th_text_printf(&text, "%s%s", i ? " " : "", call->operand[i].text);
    return th_text_take(&text, err);
}

SH_COMMAND(
    help, .group = "general", .summary = "explain a command or a topic",
    .detail =
        "Without a topic, says how to start and lists the groups of commands; help all lists all "
        "commands, help GROUP those of a group.  ?run, run? and run --help are help run.  A topic "
        "is a command (help train, help plot loss), a kind of task or model (help parity, help "
        "regulargpt), a function (help shuffle), a setting, or one of tutorial, examples, syntax, "
        "tasks, models, automata, rasp, functions, settings, formats and results.",
    .example = "help drop", .args = {{A_COMMAND, "TOPIC", A_OPTIONAL | A_REPEATED}},
    .flags = C_PAGED | C_KEEPS_RESULT)
{
    char *text TH_OWNED(free) = joined(call, err);
    ShSheet to = sh_session_sheet(s);
    bool ok = text && sh_help(&to, text, err);
    if (!ok && call->n > 0)
        sh_error_inside(err, &call->operand[0]);
    return ok;
}

SH_COMMAND(apropos, .group = "general", .summary = "find commands and topics by a word",
           .detail = "Looks for words that begin with the text, in names, summaries, descriptions "
                     "and options, without regard to case.",
           .example = "apropos directory\n"
                      "#>   cd                  change the current directory\n"
                      "#>   pwd                 print the current directory",
           .args = {{A_TEXT, "TEXT", A_REPEATED}}, .flags = C_PAGED | C_KEEPS_RESULT)
{
    char *text TH_OWNED(free) = joined(call, err);
    ShSheet to = sh_session_sheet(s);
    return text && (sh_apropos(&to, text) || sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                                                             "nothing is about '%s'", text));
}

static bool list_settings(ShSession *s)
{
    sh_table(s, "settings", "setting:s value:s meaning:s");
    for (size_t i = 0; i < s->settings.n; i++) {
        const ThOption *o = &s->settings.item[i];
        sh_row(s, o->spec->name, o->text, o->spec->help);
    }
    sh_table_end(s);
    return true;
}

static bool show_setting(ShSession *s, const ShOperand *key, ThError *err)
{
    for (size_t i = 0; i < s->settings.n; i++) {
        const ThOption *o = &s->settings.item[i];
        if (strcmp(o->spec->name, key->text) == 0) {
            fprintf(sh_listing(s), "%s\n", o->text);
            return true;
        }
    }
    return sh_settings_set(s, key->text, "", err);
}

SH_COMMAND(set, .group = "general", .summary = "show or change settings",
           .detail = "Without operands, lists the settings; with a key, shows its value; with a "
                     "value, changes it.",
           .example = "set seed 7\nset seed\n#> 7", .flags = C_PAGED | C_KEEPS_RESULT,
           .args = {{A_SETTING, "KEY", A_OPTIONAL}, {A_TEXT, "VALUE", A_OPTIONAL}})
{
    if (call->n == 0)
        return list_settings(s);
    const ShOperand *key = &call->operand[0];
    if (call->n > 2)
        return sh_fail_operand(err, &call->operand[2], TH_EUSAGE, "one value is set at a time");
    if (call->n == 1)
        return show_setting(s, key, err) || sh_error_inside(err, key);
    if (sh_settings_set(s, key->text, call->operand[1].text, err)) {
        if (strcmp(key->text, "rasp-precedence") == 0)
            sh_say(s, "operators of RASP bind %s\n", sh_session_grammar(s)->example);
        return true;
    }
    bool unknown = strncmp(err->msg, "unknown", 7) == 0;
    return sh_error_inside(err, &call->operand[!unknown]);
}

/* ---- echo, assert ---------------------------------------------------------------------------- */

SH_COMMAND(echo, .group = "general", .summary = "print text and figures of the last result",
           .detail = "Operands are printed with a blank between them.  $name and ${name} are "
                     "replaced by the variable of that name, or else by the figure of the last "
                     "command that set any; $$ is a dollar sign.",
           .example = "automaton p = parity\necho \"two words\" and n=$states\n"
                      "#> two words and n=2",
           .args = {{A_TEXT, "TEXT", A_OPTIONAL | A_REPEATED}},
           .flags = C_KEEPS_RESULT | C_ANY_FILE)
{
    ThText line = {0};
    for (int i = 0; i < call->n; i++) {
        th_text_add(&line, i ? " " : "");
        th_text_add(&line, call->operand[i].text);
    }
    char *text TH_OWNED(free) = th_text_take(&line, err);
    if (text)
        fprintf(sh_listing(s), "%s\n", text);
    return text != NULL;
}

SH_COMMAND(assert, .group = "general", .summary = "fail unless a condition holds",
           .detail =
               "The condition compares variables and the figures of the last result, by name, with "
               "numbers and texts: == != < <= > >=, and, or, not, parentheses and arithmetic.  "
               "Those that are yes or no stand alone.  equivalent(A, B) tells whether two "
               "automata, or expressions, accept the same words; defined(NAME) whether there is a "
               "variable or figure of that name, as those that tapehead -D sets.\n\n"
               "When the condition is false the message shows what the figures were; a script "
               "stops there with status 1.",
           .example = "automaton p = parity\nassert states == 2 and symbols <= 3\nassert "
                      "equivalent(p, minimize(p))",
           .args = {{A_RAW, "CONDITION", 0}}, .flags = C_KEEPS_RESULT)
{
    const ShOperand *o = &call->operand[0];
    ThText values TH_OWNED(th_text_free) = {0};
    bool holds = false;
    bool ok = sh_condition(s, o->text, &holds, &values, err);
    if (!ok)
        sh_error_inside(err, o);
    else if (!holds)
        ok = sh_fail_operand(err, o, TH_EASSERT, "the assertion does not hold%s%s",
                             values.size ? ": " : "", values.size ? values.data : "");
    return ok;
}

/* ---- time, source ---------------------------------------------------------------------------- */

SH_COMMAND(time, .group = "general", .summary = "run a command and tell how long it took",
           .detail = "The time goes to standard error, so that results stay the same.",
           .example = "time echo done\n#> done", .args = {{A_RAW, "COMMAND", 0}},
           .flags = C_KEEPS_RESULT | C_PREFIX)
{
    if (s->depth >= SH_DEEPEST)
        return sh_fail_operand(err, &call->operand[0], TH_ELIMIT,
                               "commands run each other more than %d deep", SH_DEEPEST);
    ShStatement rest = {s->now.lexer, s->now.from + 1, s->now.to};
    double wall = sh_clock(), cpu = sh_processor_seconds();
    s->depth++;
    bool ok = sh_execute(s, &rest, err);
    s->depth--;
    fflush(stdout);
    sh_progress_erase(s);
    fprintf(stderr, "%.3f s, %.3f s of processor time\n", sh_clock() - wall,
            sh_processor_seconds() - cpu);
    return ok;
}

SH_COMMAND(
    source, .group = "general", .summary = "run the commands of a file",
    .detail =
        "Stops at the first command that fails.  A script can do whatever you can, run shell "
        "commands and write files; load takes definitions from a file and runs nothing.  A FILE "
        "that is not there is looked for beside the script that runs it.\n\n"
        "The file finds the arguments behind its name as $1, $2, ..., all of them as $args, and "
        "how many there are as $nargs; without any it finds those of the file that runs it.",
    .example = "echo \"echo hello $$1\" > hello.th\nsource hello.th Anna\n"
               "#> hello Anna",
    .args = {{A_FILE, "FILE", 0}, {A_TEXT, "ARG", A_OPTIONAL | A_REPEATED}},
    .flags = C_KEEPS_RESULT)
{
    const char **outer = s->args;
    size_t n_outer = s->n_args, n = (size_t)call->n - 1;
    const char **args = th_alloc(n, sizeof *args, err);
    char *path = args ? sh_beside_script(s, call->operand[0].text, err) : NULL;
    if (!path) {
        free(args);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        args[i] = call->operand[i + 1].text;
    if (n > 0) {
        s->args = args;
        s->n_args = n;
    }
    bool ok = sh_source(s, path, err) || sh_error_inside(err, &call->operand[0]);
    s->args = outer;
    s->n_args = n_outer;
    TH_FREE(args, path);
    return ok;
}

SH_COMMAND(log, .group = "general", .summary = "keep a transcript of the session in a file",
           .detail = "Commands, behind the prompt, and what they print are appended to the file, "
                     "as they come, until log off.  What is sent to files and shell commands, and "
                     "what shell commands print themselves, is not in it.",
           .example = "log \"session.txt\"\necho hello\nlog off\n#> hello\n!cat session.txt",
           .args = {{A_FILE, "FILE", 0}}, .flags = C_KEEPS_RESULT | C_WRITES)
{
    const ShOperand *file = &call->operand[0];
    if (strcmp(file->text, "off") == 0 && !file->quoted) {
        if (!s->out.log)
            return sh_fail_operand(err, file, TH_EUSAGE, "no log is kept");
        return sh_log_close(&s->out, err);
    }
    return sh_log_open(&s->out, file->text, err) || sh_error_inside(err, file);
}

SH_COMMAND(cd, .group = "general", .summary = "change the current directory",
           .detail = "Without a directory, goes home; ~ at the start is the home directory.",
           .example = "cd /tmp", .args = {{A_FILE, "DIRECTORY", A_OPTIONAL}},
           .flags = C_KEEPS_RESULT)
{
    (void)s;
    const char *to = call->n ? call->operand[0].text : "~", *home = getenv("HOME");
    ThText path = {0};
    if (to[0] == '~' && (to[1] == '/' || to[1] == '\0')) {
        if (!home)
            return th_fail(err, TH_EVALUE, "HOME is not set");
        th_text_add(&path, home);
        to++;
    }
    th_text_add(&path, to);
    char *text TH_OWNED(free) = th_text_take(&path, err);
    bool ok = text && chdir(text) == 0;
    if (text && !ok)
        th_fail(err, TH_EIO, "cannot go to '%s': %s", text, strerror(errno));
    if (!ok && call->n)
        sh_error_inside(err, &call->operand[0]);
    return ok;
}

SH_COMMAND(pwd, .group = "general", .summary = "print the current directory", .example = "pwd",
           .flags = C_KEEPS_RESULT)
{
    (void)call;
    char *path TH_OWNED(free) = getcwd(NULL, 0);
    if (!path)
        return th_fail(err, TH_EIO, "cannot find the current directory: %s", strerror(errno));
    fprintf(sh_listing(s), "%s\n", path);
    return true;
}

SH_COMMAND(quit, .alias = "exit", .group = "general", .summary = "leave tapehead",
           .detail = "exit is another name for it; Ctrl-D on an empty line does the same.  STATUS "
                     "is the program's exit status, from 0 to 255; without it that says whether "
                     "all commands of a batch succeeded.  At the prompt it asks before anything is "
                     "lost that is not in a file: models that "
                     "have been trained, automata, machines and tasks.",
           .example = "quit", .args = {{A_TEXT, "STATUS", A_OPTIONAL}}, .flags = C_KEEPS_RESULT)
{
    const char *text = call->n ? call->operand[0].text : "0";
    char *end;
    long status = strtol(text, &end, 10);
    if (end == text || *end || status < 0 || status > 255)
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                               "an exit status is a number from 0 to 255");
    s->leaving = sh_confirm_leave(s);
    s->status = call->n ? (int)status + 1 : 0;
    return true;
}
