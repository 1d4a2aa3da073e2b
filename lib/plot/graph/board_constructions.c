/* board_constructions.c - what lectures show of automata, on a board. */
#include <stdio.h>

#include "automata/core/automaton_run.h"
#include "automata/core/construction_steps.h"
#include "automata/core/state_classes.h"
#include "automata/regex/regex.h"
#include "base/symbols.h"
#include "plot/graph/board_impl.h"

static void put_states(ThPlotBoard *b, const ThAutomaton *a)
{
    for (int q = 0; q < a->n_states; q++)
        th_plot_board_node(b, a->state[q], a->accept[q] ? TH_PLOT_NODE_DOUBLE : TH_PLOT_NODE_PLAIN,
                           a->start[q]);
}

static const char *symbol_name(char *const *symbol, int a)
{
    return a == TH_AUTOMATON_EPSILON ? "ε" : symbol[a];
}

static void put_arcs(ThPlotBoard *b, const ThAutomaton *a)
{
    for (size_t i = 0; i < a->n_arcs; i++) {
        ThText label TH_OWNED(th_text_free) = {0};
        const ThAutomatonArc *x = &a->arc[i];
        th_text_add(&label, symbol_name(a->symbol, x->symbol));
        if (x->output != TH_AUTOMATON_NO_OUTPUT)
            th_text_printf(&label, "/%s", a->output[x->output]);
        th_plot_board_arc(b, x->from, x->to, th_text_string(&label));
    }
}

/* {q0, q1}. */
static void write_set(ThText *t, char *const *state, const int *q, size_t n)
{
    th_text_add(t, "{");
    for (size_t i = 0; i < n; i++)
        th_text_printf(t, "%s%s", i ? ", " : "", state[q[i]]);
    th_text_add(t, "}");
}

/* ---- a run ----------------------------------------------------------------------------------- */

static bool run_step(ThPlotBoard *b, const ThAutomaton *a, const int *word, const ThAutomatonRun *r,
                     int i, ThError *err)
{
    ThText caption = {0};
    for (size_t k = i <= r->read ? r->layer[i] : 0; i <= r->read && k < r->layer[i + 1]; k++)
        th_plot_board_mark(b, r->node[k].state, TH_PLOT_MARK_HERE);
    th_symbols_write_at(&caption, a->symbol, a->n_symbols, word, r->length, i);
    if (i > r->read)
        th_text_printf(&caption, "   nowhere");
    if (i == r->length || i > r->read)
        th_text_printf(&caption, "   %s", r->accepted ? "accept" : "reject");
    return th_plot_board_step(b, &caption, err);
}

ThPlotBoard *th_plot_board_run(const ThAutomaton *a, const int *word, int length, ThStop *stop,
                               ThError *err)
{
    ThAutomatonRun r TH_OWNED(th_automaton_run_free) = {0};
    ThPlotBoard *b = th_plot_board_new(err);
    bool ok = b && th_automaton_run_word(&r, a, word, length, stop, err);
    if (ok) {
        put_states(b, a);
        put_arcs(b, a);
    }
    int steps = r.read < length ? r.read + 1 : length;
    for (int i = 0; ok && i <= steps; i++)
        ok = run_step(b, a, word, &r, i, err);
    return th_plot_board_finish(b, ok, err);
}

/* ---- determinize ----------------------------------------------------------------------------- */

typedef struct {
    ThPlotBoard *b;
    const ThAutomaton *a;
} Subsets;

static bool subset_step(void *context, const ThAutomatonSubsetStep *x, ThError *err)
{
    Subsets *s = context;
    ThText caption = {0};
    char name[24];
    snprintf(name, sizeof name, "s%d", x->to_number);
    if (x->fresh || x->symbol < 0)
        th_plot_board_node(s->b, name, x->accepts ? TH_PLOT_NODE_DOUBLE : TH_PLOT_NODE_PLAIN,
                           x->symbol < 0);
    if (x->symbol >= 0) {
        th_plot_board_arc(s->b, x->from_number, x->to_number, s->a->symbol[x->symbol]);
        th_plot_board_mark(s->b, x->from_number, TH_PLOT_MARK_HERE);
        th_text_printf(&caption, "s%d = ", x->from_number);
        write_set(&caption, s->a->state, x->from, x->n_from);
        th_text_printf(&caption, " by %s: ", s->a->symbol[x->symbol]);
    }
    th_text_printf(&caption, "%s%s = ", x->symbol >= 0 && x->fresh ? "new, " : "", name);
    write_set(&caption, s->a->state, x->to, x->n_to);
    return th_plot_board_step(s->b, &caption, err);
}

ThPlotBoard *th_plot_board_determinize(const ThAutomaton *a, ThStop *stop, ThError *err)
{
    enum { MOST_STATES = 300 };
    Subsets s = {th_plot_board_new(err), a};
    int n;
    bool ok = s.b && th_automaton_subset_steps(a, MOST_STATES, subset_step, &s, &n, stop, err);
    return th_plot_board_finish(s.b, ok, err);
}

/* ---- minimize -------------------------------------------------------------------------------- */

static bool partition_step(void *context, const ThAutomatonPartitionStep *x, ThError *err)
{
    ThPlotBoard *b = context;
    ThText caption = {0};
    for (int q = 0; q < x->d->n_states; q++)
        if (x->reachable[q])
            th_plot_board_mark(b, q, TH_PLOT_MARK_GROUP + x->block[q]);
    th_text_printf(
        &caption, "round %d: %d block%s; no word of up to %d symbol%s tells those of one apart",
        x->round, x->n_blocks, x->n_blocks == 1 ? "" : "s", x->round, x->round == 1 ? "" : "s");
    return th_plot_board_step(b, &caption, err);
}

/* Names are those of a deterministic automaton; what is made deterministic has numbers. */
static void put_machine(ThPlotBoard *b, const ThAutomaton *a, const ThDfa *d, bool outputs)
{
    bool named = th_automaton_deterministic(a);
    for (int q = 0; q < d->n_states; q++) {
        char number[24];
        snprintf(number, sizeof number, "s%d", q);
        th_plot_board_node(b,
                           !named            ? number
                           : q < a->n_states ? a->state[q]
                                             : "(sink)",
                           d->label[q] && !outputs ? TH_PLOT_NODE_DOUBLE : TH_PLOT_NODE_PLAIN,
                           q == d->start);
    }
    for (int q = 0; q < d->n_states; q++)
        for (int s = 0; s < d->n_symbols; s++)
            th_plot_board_arc(b, q, d->next[(size_t)q * (size_t)d->n_symbols + (size_t)s],
                              a->symbol[s]);
}

ThPlotBoard *th_plot_board_minimize(const ThAutomaton *a, ThStop *stop, ThError *err)
{
    enum { MOST_STATES = 300 };
    ThAutomatonClasses classes TH_OWNED(th_automaton_classes_free) = {0};
    bool outputs = th_automaton_transducer(a);
    ThDfa *d TH_OWNED(th_dfa_free) = NULL;
    if (!outputs)
        d = th_automaton_acceptor(a, MOST_STATES, stop, err);
    else if (th_automaton_classes_of(&classes, a, err))
        d = th_automaton_classes_dfa(a, classes.of_state, classes.n_classes, err);
    ThPlotBoard *b = d ? th_plot_board_new(err) : NULL;
    int rounds, blocks;
    if (b)
        put_machine(b, a, d, outputs);
    bool ok = b && th_automaton_partition_steps(d, partition_step, b, &rounds, &blocks, stop, err);
    return th_plot_board_finish(b, ok, err);
}

/* ---- eliminate ------------------------------------------------------------------------------- */

/* The arrows as they are now, where they are not so on the board: what a state that goes had is
 * wiped off with it, and what led through it stands at others. */
typedef struct {
    ThPlotBoard *b;
    const ThAutomaton *a;
    ThText *label; /* (nodes, nodes): what stands on the board */
} Elimination;

static void renew_arc(Elimination *e, const ThRegexEliminationStep *x, int from, int to)
{
    ThText now = {0};
    size_t n = (size_t)e->a->n_states + 2;
    ThText *old = &e->label[(size_t)from * n + (size_t)to];
    bool is = x->edge(x->graph, from, to, &now);
    const char *text = th_text_string(&now), *was = th_text_string(old);
    if (strcmp(text, was) != 0) {
        th_plot_board_wipe_arcs(e->b, from, to);
        if (is)
            th_plot_board_arc(e->b, from, to, text);
    }
    th_text_free(old);
    *old = now;
}

static bool elimination_step(void *context, const ThRegexEliminationStep *x, ThError *err)
{
    Elimination *e = context;
    ThText caption = {0};
    int n = e->a->n_states + 2;
    if (x->gone < 0) {
        for (int q = 0; q + 2 < n; q++)
            th_plot_board_node(e->b, e->a->state[q], TH_PLOT_NODE_PLAIN, false);
        th_plot_board_node(e->b, "start", TH_PLOT_NODE_PLAIN, true);
        th_plot_board_node(e->b, "end", TH_PLOT_NODE_DOUBLE, false);
        th_text_add(&caption, "a new start and a new end; states between them go one by one");
    } else {
        th_plot_board_wipe_node(e->b, x->gone);
        th_text_printf(&caption, "%s is gone: its ways stand at the arrows", e->a->state[x->gone]);
    }
    for (int i = 0; i < n * n; i++)
        renew_arc(e, x, i / n, i % n);
    return th_plot_board_step(e->b, &caption, err);
}

ThPlotBoard *th_plot_board_eliminate(const ThAutomaton *a, ThStop *stop, ThError *err)
{
    enum { MOST_STATES = 60 };
    size_t n = (size_t)a->n_states + 2;
    if (a->n_states > MOST_STATES)
        return th_null(
            th_fail(err, TH_ELIMIT, "more than %d states are too many to draw", MOST_STATES));
    Elimination e = {th_plot_board_new(err), a, th_alloc(n * n, sizeof *e.label, err)};
    bool ok = e.b && e.label && th_regex_elimination(a, elimination_step, &e, stop, err);
    for (size_t i = 0; e.label && i < n * n; i++)
        th_text_free(&e.label[i]);
    free(e.label);
    return th_plot_board_finish(e.b, ok, err);
}

/* ---- Thompson -------------------------------------------------------------------------------- */

typedef struct {
    ThPlotBoard *b;
    size_t states, arcs; /* on the board */
} Thompson;

static bool thompson_step(void *context, const ThRegexThompsonStep *x, ThError *err)
{
    Thompson *t = context;
    ThText caption = {0};
    for (; t->states < x->so_far->n_states; t->states++) {
        char name[24];
        snprintf(name, sizeof name, "q%zu", t->states);
        th_plot_board_node(t->b, name, TH_PLOT_NODE_PLAIN, false);
    }
    for (; t->arcs < x->so_far->n_arcs; t->arcs++) {
        const ThAutomatonArc *arc = &x->so_far->arc[t->arcs];
        th_plot_board_arc(t->b, arc->from, arc->to, symbol_name(x->symbol, arc->symbol));
    }
    if (x->what) {
        th_plot_board_mark(t->b, x->from, TH_PLOT_MARK_HERE);
        th_plot_board_mark(t->b, x->to, TH_PLOT_MARK_HERE);
        th_text_printf(&caption, "%s: from q%d to q%d", x->what, x->from, x->to);
    } else {
        th_plot_board_look(t->b, x->from, TH_PLOT_NODE_PLAIN, true);
        th_plot_board_look(t->b, x->to, TH_PLOT_NODE_DOUBLE, false);
        th_text_printf(&caption, "the whole: q%d starts, q%d accepts", x->from, x->to);
    }
    return th_plot_board_step(t->b, &caption, err);
}

ThPlotBoard *th_plot_board_thompson(const char *pattern, ThStop *stop, ThError *err)
{
    enum { MOST_STATES = 300 };
    Thompson t = {.b = th_plot_board_new(err)};
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        t.b ? th_regex_thompson(pattern, MOST_STATES, thompson_step, &t, stop, err) : NULL;
    return th_plot_board_finish(t.b, a != NULL, err);
}
