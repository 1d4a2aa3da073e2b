/* Memory that runs out under a command: every allocation that the program makes for it fails in
 * turn.  Nothing may crash, what fails must say so, and the session must be usable afterwards.
 *
 * The linker puts the functions here in place of those that allocate (see the Makefile). */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell.h"

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);

static long left = -1; /* allocations that still succeed; -1: all */
static bool refused;   /* one did not */

static bool runs_out(void)
{
    if (left == 0)
        return refused = true;
    if (left > 0)
        left--;
    return false;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return runs_out() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return runs_out() ? NULL : __real_realloc(p, size);
}

void *__wrap_malloc(size_t size)
{
    return runs_out() ? NULL : __real_malloc(size);
}

/* A session that has said what it was told to; its answers and errors go nowhere. */
static ShSession *session(const char *given)
{
    static FILE *nowhere;
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    ShSession *s = sh_session_new(NULL);
    assert_true(s && nowhere);
    s->out.stream = nowhere;
    s->keep_going = true;
    assert_true(sh_shell_text(s, given, "<given>"));
    return s;
}

/* Runs a command that has memory for so many allocations.  True if the session has lived on, and
 * what had enough has succeeded. */
static bool lives_on(const char *given, const char *command, long allocations)
{
    ShSession *s = session(given);
    refused = false;
    left = allocations;
    bool ok = sh_shell_text(s, command, "<command>");
    left = -1;
    bool usable = sh_shell_text(s, "assert 1 == 1", "<afterwards>");
    sh_session_free(s);
    return usable && (ok || refused);
}

/* Each of the first allocations fails, then one in ever more: what reads RASP's library makes
 * thousands, alike. */
static void sweep(const char *given, const char *command)
{
    enum { FIRST = 200, FEWER = 40 };
    int terminal = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    long i = 0;
    bool ok = true;
    for (refused = true; ok && refused; i += i < FIRST ? 1 : i / FEWER)
        ok = lives_on(given, command, i);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    close(nowhere);
    if (!ok)
        fail_msg("%s: with %ld allocations", command, i - 1);
}

static const char *const machine = "machine M = \"1RB1LB_1LA1RZ\"\n"
                                   "machine N = \"1RB0LA_0RA---\"\n";

static void running_a_machine(void **state)
{
    (void)state;
    sweep(machine, "run M");
    sweep(machine, "run M \"11\"");
    sweep(machine, "step M");
}

static void tracing_a_machine(void **state)
{
    (void)state;
    sweep(machine, "trace M");
    sweep(machine, "trace M \"1\"");
}

static void the_first_statement_of_rasp(void **state)
{
    (void)state;
    sweep("", "x = 1");
    sweep("", "a = length - indices; a");
    sweep("", "compare \"tokens\" \"indices\"");
}

static void automata(void **state)
{
    const char *p = "automaton p = parity";
    (void)state;
    sweep("", p);
    sweep(p, "run p \"abba\"");
    sweep(p, "trace p \"abba\"");
    sweep(p, "show p");
    sweep(p, "words p length=0..3");
    sweep(p, "for i in 1..2 { echo $i }");
    sweep(p, "list");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_a_machine),
        cmocka_unit_test(tracing_a_machine),
        cmocka_unit_test(the_first_statement_of_rasp),
        cmocka_unit_test(automata),
    };
    return cmocka_run_group_tests_name("commands_memory", tests, NULL, NULL);
}
