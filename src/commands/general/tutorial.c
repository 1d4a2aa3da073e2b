/* tutorial.c - short pages that run as they are read. */

#include "help/help.h"
#include "help/help_start.h"
#include "help/sections.h"
#include "shell.h"

void sh_help_tutorial(const ShSheet *to)
{
    char title[SH_SECTION_NAME];
    fputs("pages of the tutorial, for tutorial N:\n", to->out);
    for (int i = 0; sh_section_name(sh_tutorial, (size_t)i, title); i++)
        fprintf(to->out, "  %2d  %s\n", i + 1, title);
}

static void say(ShSession *s, const char *text)
{
    if (!sh_out(s))
        return;
    ShSheet to = sh_session_sheet(s);
    sh_wrap(&to, 0, text);
}

/* Shows a command as it is typed, and runs it. */
static bool type(ShSession *s, const char *command, size_t n, ThError *err)
{
    char *line TH_OWNED(free) = strndup(command, n);
    if (!line)
        return th_fail(err, TH_ENOMEM, "out of memory");
    sh_say(s, "tapehead> %s\n", line);
    bool ok = sh_shell_text(s, line, "tutorial");
    err->code = ok ? TH_OK : TH_EUSAGE; /* told already */
    return ok;
}

/* What is said, and what is typed behind a prompt, paragraph by paragraph. */
static bool run_page(ShSession *s, const char *text, ThError *err)
{
    static const char prompt[] = "  tapehead> ";
    for (const char *first = text; *text;) {
        size_t n = strcspn(text, "\n");
        bool typed = strncmp(text, prompt, strlen(prompt)) == 0;
        char *said TH_OWNED(free) = typed ? NULL : th_strndup(text, n, err);
        if (said) {
            sh_say(s, text > first ? "\n" : "");
            say(s, said);
        }
        if (typed ? !type(s, text + strlen(prompt), n - strlen(prompt), err) : !said)
            return false;
        text += n + strspn(text + n, "\n");
    }
    return true;
}

SH_COMMAND(tutorial, .group = "general", .summary = "thirteen short pages to start with",
           .detail = "Each page says a few things and runs the commands that show them; what it "
                     "defines stays.  Without a number, lists the pages.",
           .example = "tutorial 9", .args = {{A_TEXT, "N", A_OPTIONAL}}, .flags = C_KEEPS_RESULT)
{
    if (call->n == 0) {
        ShSheet to = sh_session_sheet(s);
        sh_help_tutorial(&to);
        return true;
    }
    char title[SH_SECTION_NAME];
    size_t n_pages = 0;
    ThText text TH_OWNED(th_text_free) = {0};
    while (sh_section_name(sh_tutorial, n_pages, title))
        n_pages++;
    int page = atoi(call->operand[0].text);
    if (page < 1 || !sh_section_name(sh_tutorial, (size_t)page - 1, title))
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE, "the pages are 1 to %zu",
                               n_pages);
    sh_section_text(sh_tutorial, title, &text);
    if (s->depth >= SH_DEEPEST)
        return th_fail(err, TH_ELIMIT, "files run each other more than %d deep", SH_DEEPEST);
    const char *outer = s->script;
    s->script = "tutorial"; /* nobody is asked */
    s->depth++;
    sh_say(s, "%d: %s\n\n", page, title);
    bool ok = run_page(s, th_text_string(&text), err);
    s->depth--;
    s->script = outer;
    if (ok && sh_section_name(sh_tutorial, (size_t)page, title))
        sh_say(s, "\ntutorial %d: %s\n", page + 1, title);
    return ok;
}
