#include "repl.h"

#include "shell.h"

void th_repl(ThSession *s, bool init)
{
    (void)init;
    s->interactive = true;
    th_shell_file(s, stdin, "<stdin>");
}
