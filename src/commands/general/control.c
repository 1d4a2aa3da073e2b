/* control.c - commands that run others: loops and conditions. */

#include "language/condition.h"
#include "language/loop.h"
#include "shell.h"

/* ---- for ------------------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    const ShLexer *lx;
    size_t open, close;
} Body;

static bool run_turn(void *context, const ShLoopNames *names TH_UNUSED, ThError *err)
{
    const Body *b = context;
    return sh_run_body(b->s, b->lx, b->open, b->close, err);
}

SH_COMMAND(
    for, .group = "general", .summary = "run commands for every number of a range or element of a list",
    .detail =
        "LIST is a range, 1..5 or 41..500:20, or a list: [32, 64], [lstm, gru] (bare words in it are strings), an expression of RASP, or $args.  NAME is a variable, which $NAME inserts and which keeps its last value; several names take a list's elements apart.  Further names and lists behind a comma make loops inside the loop.  The body holds commands and statements of RASP, one a line or between semicolons, and may hold loops and conditions.  Values of RASP are not shown in it.  Behind the } may stand where the output of all turns goes, > FILE or | COMMAND.  What fails ends the loop; so does Ctrl-C.",
    .example = "for n in 2..3 {\n"
               "  automaton a = cycle_navigation($n)\n"
               "  echo \"cycle_navigation($n): $states states\"\n"
               "}\n"
               "#> cycle_navigation(2): 2 states\n"
               "#> cycle_navigation(3): 3 states\n"
               "for kind in [parity, sum], seed in 1..2 { echo $kind $seed }\n"
               "#> parity 1\n"
               "#> parity 2\n"
               "#> sum 1\n"
               "#> sum 2",
    .args = {{A_RAW, "NAME in LIST, ... { COMMANDS }", 0}}, .flags = C_CONTROL)
{
    const ShStatement *st = &s->now;
    ShOperand o;
    size_t open = sh_find_body(st, st->from + 1), end = sh_find_option(st, st->from + 1, open);
    ShStatement header = {st->lexer, st->from, open};
    (void)call;
    if (open < st->to && (!sh_nothing_left(&header, end, "for", err) ||
                          !sh_nothing_left(st, st->lexer->token[open].match + 1, "for", err)))
        return false;
    char *text TH_OWNED(free) = sh_body_header(st, st->from + 1, open, &o, err);
    if (!text)
        return false;
    Body b = {s, st->lexer, open, st->lexer->token[open].match};
    return sh_loop(s, &(ShLoop){&o, run_turn, &b}, err);
}

/* ---- if -------------------------------------------------------------------------------------- */

static bool condition(ShSession *s, size_t from, size_t open, bool *holds, ThError *err)
{
    ShOperand o;
    ThText values TH_OWNED(th_text_free) = {0};
    char *text TH_OWNED(free) = sh_body_header(&s->now, from, open, &o, err);
    return text && (sh_condition(s, text, holds, &values, err) || sh_error_inside(err, &o));
}

SH_COMMAND(if, .group = "general", .summary = "run commands where a condition holds",
           .detail = "The conditions are those of assert.  The else stands on the line of the } "
                     "before it; else if asks further.",
           .example = "automaton p = parity\n"
                      "if states > 2 {\n"
                      "  echo large\n"
                      "} else if states == 2 {\n"
                      "  echo two states\n"
                      "} else {\n"
                      "  echo small\n"
                      "}\n"
                      "#> two states",
           .args = {{A_RAW, "CONDITION { COMMANDS } [else { COMMANDS }]", 0}}, .flags = C_CONTROL)
{
    const ShStatement st = s->now;
    const ShToken *t = st.lexer->token;
    bool holds = false;
    (void)call;
    if (!sh_nothing_left(&st, sh_behind_bodies(&st, st.from), "if", err))
        return false;
    for (size_t at = st.from; at < st.to;) {
        size_t open = sh_find_body(&st, at + 1);
        if (open != at + 1 || !sh_lexeme_is(st.lexer, &t[at], "else")) {
            at += sh_lexeme_is(st.lexer, &t[at], "else");
            if (!sh_lexeme_is(st.lexer, &t[at], "if"))
                return th_fail_at(err, TH_EUSAGE, t[at].line, t[at].col, "expected '{' or 'if'");
            if (!condition(s, at + 1, open, &holds, err))
                return false;
        } else {
            holds = true;
        }
        if (holds)
            return sh_run_body(s, st.lexer, open, t[open].match, err);
        at = t[open].match + 1;
    }
    return true;
}
