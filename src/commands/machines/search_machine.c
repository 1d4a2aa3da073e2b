/* search_machine.c - all runs of a nondeterministic machine: the verdict, and their tree. */
#include <inttypes.h>

#include "commands/machines/machines.h"

static ThTmSearchLimits limits_of(const ShCall *call)
{
    ThTmSearchLimits l = {.cells = UINT64_MAX};
    l.steps = (uint64_t)th_option_int(&call->options, "steps");
    l.configurations = (uint64_t)th_option_int(&call->options, "configurations");
    return l;
}

static void set_counts(ShSession *s, const ThTmSearch *x)
{
    sh_results(s, "configurations:i merged:i", (long long)x->n, (long long)x->again);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool search(ShSession *s, const ShCall *call, ThTmSearch *x, ThError *err)
{
    enum { WORK = 1 << 12 };
    double seconds = th_option_real(&call->options, "seconds"), begun = sh_clock();
    while (x->verdict == TH_TM_GOES_ON) {
        if (!th_tm_search_go(x, WORK, sh_stop(s), err))
            return false;
        if (x->verdict == TH_TM_GOES_ON && seconds > 0 && sh_clock() - begun >= seconds)
            x->verdict = TH_TM_OUT_OF_TIME;
        sh_progress(s, "%zu configurations, %" PRIu64 " steps", x->n, th_tm_search_depth(x));
    }
    return true;
}

/* What the verdict says of the runs. */
static void say_verdict(ShSession *s, const ThTmSearch *x, uint64_t steps)
{
    switch (x->verdict) {
    case TH_TM_ACCEPTED:
    case TH_TM_HALTED:
        sh_say(s, "%s after %" PRIu64 " step%s, which no run does sooner\n",
               th_tm_verdict_name(x->verdict), steps, sh_plural(steps));
        break;
    case TH_TM_REJECTED:
        sh_say(s, "rejected: every run ends so, within %" PRIu64 " step%s\n", steps,
               sh_plural(steps));
        break;
    case TH_TM_AT_EDGE:
        sh_say(s, "moved over the edge of the tape after %" PRIu64 " step%s, and no run accepts\n",
               steps, sh_plural(steps));
        break;
    case TH_TM_ENDLESS:
        sh_say(s, "endless: no run accepts, and some run comes back to where it was\n");
        break;
    default:
        sh_say(s, "open: the limit of %s was reached after %" PRIu64 " step%s\n",
               th_tm_verdict_name(x->verdict), steps, sh_plural(steps));
    }
    sh_say(s, "  %zu configuration%s", x->n, sh_plural(x->n));
    if (x->again > 0)
        sh_say(s, ", met again %" PRIu64 " time%s", x->again, sh_plural(x->again));
    sh_say(s, "\n");
}

/* Repeats a run by given rules and writes its configurations, of very many the first and the last
 * ones. */
static bool repeat(ThTmRunning *r, const int *path, uint64_t n, ThText *t, ThError *err)
{
    enum { WIDTH = 60, MOST = 24, ENDS = 10 };
    ThTmRunLimits none = {TH_TM_MOST_STEPS, UINT64_MAX};
    ThTmConfigurationWriter w TH_OWNED(th_tm_configuration_writer_free) = {0};
    bool ok = th_tm_configuration_writer(&w, r->machine, TH_TM_SHOW_HEAD, WIDTH, err);
    for (uint64_t i = 0; ok && i <= n; i++) {
        bool shown = n < MOST || i < ENDS || i + ENDS > n;
        if (shown)
            th_text_add(t, "  ");
        if (shown)
            th_tm_configuration_line(t, &w, r);
        else if (i == ENDS)
            th_text_add(t, "  ...\n");
        ok = i == n || th_tm_running_apply(r, path[i], none, err);
    }
    return ok;
}

/* Repeats the run that decides, and says what it comes to unless that is not wanted. */
static bool follow_goal(ShSession *s, const ThTmSearch *x, const ThTmTapeWords *words, bool quiet,
                        ShMachineEnd *end, ThError *err)
{
    int *path TH_OWNED(free) = th_tm_search_path(x, x->goal, err);
    ThTmEngine e TH_OWNED(th_tm_engine_free) = {.machine = x->machine};
    ThText lines TH_OWNED(th_text_free) = {0}, shown TH_OWNED(th_text_free) = {0};
    bool ok = path && th_tm_running_start_words(&e.plain, x->machine, words, err) &&
              repeat(&e.plain, path, x->node[x->goal].depth, &lines, err) &&
              th_tm_engine_tape(&end->tape, &e, SH_TAPE_LONGEST, err) &&
              th_tm_engine_tape(&shown, &e, SH_TAPE_LINE, err);
    if (ok) {
        end->figures = th_tm_engine_figures(&e);
        end->figures.verdict = x->verdict;
    }
    if (ok && !quiet) {
        sh_say(s, "%s", th_text_string(&lines));
        sh_machine_say_figures(s, x->machine, &end->figures, th_text_string(&shown));
    }
    return ok;
}

bool sh_machine_search(ShSession *s, const ShCall *call, const ThTmTapeWords *words, bool quiet,
                       ShMachineEnd *end, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    ThTmFastFigures *last = &end->figures;
    ThTmSearchLimits limits = limits_of(call);
    ThTmSearch x TH_OWNED(th_tm_search_free) = {0};
    if (th_option_int(&call->options, "cells") > 0)
        limits.cells = (uint64_t)th_option_int(&call->options, "cells");
    if (!th_tm_search_start(&x, m, words, limits, false, err))
        return false;
    bool ok = search(s, call, &x, err);
    if (ok) {
        bool decided = x.goal != TH_TM_NO_NODE;
        *last = (ThTmFastFigures){.verdict = x.verdict, .state = m->start};
        last->steps = decided ? x.node[x.goal].depth : th_tm_search_depth(&x);
        if (!quiet)
            say_verdict(s, &x, last->steps);
        if (!quiet)
            set_counts(s, &x);
        ok = !decided || follow_goal(s, &x, words, quiet, end, err);
    }
    return ok;
}

/* ---- the tree of runs ------------------------------------------------------------------------ */

/* A node that is still to be printed. */
typedef struct {
    uint32_t node;
    int branches; /* choices on the way to it */
    bool again, choice;
} Pending;

typedef struct {
    ShSession *s;
    ThTmSearch *x;
    ThTmConfigurationWriter w;
    Pending *stack;
    size_t n, cap;
    size_t *line; /* (nodes): where a node was printed, from 1 on */
    size_t lines;
    ThText text;
} Tree;

/* What is known about a node, behind its configuration. */
static const char *note_of(const Tree *t, uint32_t node)
{
    ThTmVerdict v = t->x->node[node].verdict;
    size_t edges;
    th_tm_search_edges(t->x, node, &edges);
    if (v != TH_TM_GOES_ON)
        return th_tm_verdict_name(v);
    return edges == 0 ? "not followed" : "";
}

static bool print_node(Tree *t, const Pending *p, ThError *err)
{
    const ThTmRunning *r = th_tm_search_configuration(t->x, p->node, err);
    ThText note TH_OWNED(th_text_free) = {0};
    if (!r)
        return false;
    if (p->again)
        th_text_printf(&note, "= line %zu", t->line[p->node]);
    else
        th_text_add(&note, note_of(t, p->node));
    t->text.size = 0;
    if (sh_out(t->s)) {
        th_text_printf(&t->text, "%4zu  ", t->lines);
        for (int i = 0; i + p->choice < p->branches; i++)
            th_text_add(&t->text, "| ");
        th_text_add(&t->text, p->choice ? "+ " : "");
        th_text_printf(&t->text, "%" PRIu64 "  %s  ", r->steps, r->machine->state[r->state]);
    }
    th_tm_configuration_write(&t->text, &t->w, r, t->text.size ? th_utf8_width(t->text.data) : 0);
    if (t->text.failed || note.failed)
        th_fail(err, TH_ENOMEM, "out of memory");
    else if (sh_out(t->s))
        sh_say(t->s, "%s%s%s\n", t->text.data, note.size ? "  " : "", th_text_string(&note));
    else
        sh_row(t->s, (long long)t->lines, (long long)p->branches, (long long)r->steps,
               r->machine->state[r->state], t->text.data, th_text_string(&note));
    return !t->text.failed && !note.failed;
}

/* Puts what follows a node on the stack, the first choice on top. */
static bool push_edges(Tree *t, const Pending *p, ThError *err)
{
    size_t n;
    const ThTmSearchEdge *e = th_tm_search_edges(t->x, p->node, &n);
    if (!th_grow(&t->stack, &t->cap, t->n + n, sizeof *t->stack, err))
        return false;
    for (size_t i = n; i-- > 0;)
        t->stack[t->n++] = (Pending){e[i].to, p->branches + (n > 1), e[i].again, n > 1};
    return true;
}

/* Goes through the tree, a branch after the other: once to number the lines, once to print them. */
static bool print_tree(Tree *t, bool print, ThError *err)
{
    t->lines = 0;
    if (!th_grow(&t->stack, &t->cap, 1, sizeof *t->stack, err))
        return false;
    t->stack[t->n++] = (Pending){0};
    while (t->n > 0) {
        Pending p = t->stack[--t->n];
        t->lines++;
        if (!p.again)
            t->line[p.node] = t->lines;
        if (th_stopped(sh_stop(t->s), err) || (print && !print_node(t, &p, err)))
            return false;
        if (!p.again && !push_edges(t, &p, err))
            return false;
    }
    return true;
}

bool sh_machine_trace_tree(ShSession *s, const ShCall *call, const ThTm *m,
                           const ThTmTapeWords *words, ThError *err)
{
    ThTmSearch x TH_OWNED(th_tm_search_free) = {0};
    if (!th_tm_search_start(&x, m, words, limits_of(call), true, err))
        return false;
    Tree t = {.s = s, .x = &x};
    bool ok = sh_machine_writer(&t.w, m, &call->options, err);
    while (ok && x.verdict == TH_TM_GOES_ON)
        ok = th_tm_search_go(&x, 1 << 12, sh_stop(s), err);
    t.line = ok ? th_alloc(x.n, sizeof *t.line, err) : NULL;
    sh_table(s, "tree", "line:i branches:i step:i state:s configuration:s note:s");
    ok = ok && t.line && print_tree(&t, false, err) && print_tree(&t, true, err);
    sh_table_end(s);
    if (ok) {
        uint64_t steps = x.goal != TH_TM_NO_NODE ? x.node[x.goal].depth : th_tm_search_depth(&x);
        say_verdict(s, &x, steps);
        sh_results(s, "verdict:s accepted:b steps:i", th_tm_verdict_name(x.verdict),
                   x.verdict == TH_TM_ACCEPTED, (long long)steps);
        set_counts(s, &x);
    }
    TH_FREE(t.line, t.stack);
    th_text_free(&t.text);
    th_tm_configuration_writer_free(&t.w);
    return ok;
}
