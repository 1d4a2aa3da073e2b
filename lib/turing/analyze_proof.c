/* analyze_proof.c - proofs of analyze.h as text. */

#include "base/symbols.h"
#include "turing/analyze.h"
#include "turing/configuration.h"

enum { LONGEST = 120 /* cells of a tape that are written one by one */ };

typedef struct {
    ThText *t;
    const ThTmAnalysis *a;
    const ThTm *m;
    const ThTmTapeWords *words;
    const char *gap; /* between symbols */
    size_t most, lines;
    ThStop *stop;
    ThError *err;
} Writer;

/* True as long as lines of a long proof are still written. */
static bool more(Writer *w)
{
    w->lines++;
    return w->most == 0 || w->lines <= w->most;
}

static void write_left_out(Writer *w)
{
    if (w->most > 0 && w->lines > w->most)
        th_text_printf(w->t, "  ... and %zu more lines\n", w->lines - w->most);
}

static const char *steps_word(uint64_t n)
{
    return n == 1 ? "step" : "steps";
}

static void write_names(Writer *w, const char *label, char *const *name, const bool *in, int n)
{
    th_text_printf(w->t, "  %s:", label);
    for (int i = 0; i < n; i++)
        if (in[i])
            th_text_printf(w->t, " %s", name[i]);
    th_text_add(w->t, "\n");
}

static void write_symbol(Writer *w, const char *gap, const char *symbol, bool scanned)
{
    th_text_printf(w->t, "%s%s%s%s", gap, scanned ? "[" : "", symbol, scanned ? "]" : "");
}

static void write_reach(Writer *w)
{
    const ThTm *m = w->m;
    th_text_add(w->t,
                "no way to stop can be reached: rules lead to these states and symbols only,\n"
                "and for all of them there is a rule, and none that stops\n");
    write_names(w, "states", m->state, w->a->here.state, m->n_states);
    for (int t = 0; t < m->n_tapes; t++)
        write_names(w,
                    m->n_tapes == 1 ? "symbols"
                    : t             ? "symbols of the next tape"
                                    : "symbols of the first tape",
                    m->symbol, w->a->here.symbol[t], m->n_symbols);
}

/* ---- recurrences ----------------------------------------------------------------------------- */

static void write_run(Writer *w, int symbol, int64_t count)
{
    th_text_printf(w->t, " %s", w->m->symbol[symbol]);
    if (count > 1)
        th_text_printf(w->t, "^%lld", (long long)count);
}

/* Cells first … last in runs: "1^12 0 1^3", the scanned one in brackets. */
static void write_runs(Writer *w, const ThTmTape *t, int64_t first, int64_t last)
{
    int symbol = -1;
    int64_t count = 0;
    for (int64_t i = first; i <= last; i++) {
        int x = th_tm_tape_at(t, i, w->m->blank);
        bool apart = i == t->head || x != symbol;
        if (apart && count > 0)
            write_run(w, symbol, count);
        count = apart ? 0 : count;
        if (i == t->head)
            th_text_printf(w->t, " [%s]", w->m->symbol[x]);
        else
            count++;
        symbol = i == t->head ? -1 : x;
    }
    if (count > 0)
        write_run(w, symbol, count);
}

static void write_segment(Writer *w, const ThTmTape *t, int64_t first, int64_t last)
{
    th_text_printf(w->t, "cells %lld to %lld: ", (long long)first, (long long)last);
    if (last - first >= LONGEST) {
        write_runs(w, t, first, last);
        return;
    }
    for (int64_t i = first; i <= last; i++) {
        const char *symbol = w->m->symbol[th_tm_tape_at(t, i, w->m->blank)];
        write_symbol(w, i > first ? w->gap : "", symbol, i == t->head);
    }
}

/* The configuration after a number of steps: the cells that count, or all that was visited. */
static bool write_configuration(Writer *w, uint64_t step, int64_t shift)
{
    const ThTmRecurrence *a = &w->a->again;
    ThTmRunning r TH_OWNED(th_tm_running_free) = {0};
    bool ok = th_tm_running_start_words(&r, w->m, w->words, w->err) &&
              th_tm_running_go(&r, step, (ThTmRunLimits){step, UINT64_MAX}, w->stop, w->err);
    if (ok) {
        th_text_printf(w->t, "  %llu  %s  ", (unsigned long long)step, w->m->state[r.state]);
        if (w->a->proof == TH_TM_PROOF_TRANSLATION)
            write_segment(w, &r.tape[0], a->first + shift, a->last + shift);
        else if (r.cells < LONGEST)
            th_tm_running_write(w->t, &r, TH_TM_SHOW_HEAD, 0);
        else
            write_segment(w, &r.tape[0], r.tape[0].low, r.tape[0].high);
        th_text_add(w->t, "\n");
    }
    return ok;
}

static bool write_recurrence(Writer *w)
{
    const ThTmRecurrence *a = &w->a->again;
    unsigned long long from = a->step, to = a->step + a->period;
    bool moved = a->shift != 0;
    const char *side = a->shift > 0 ? "right" : "left";
    if (moved)
        th_text_printf(
            w->t,
            "after %llu %s the head is farther to the %s than ever before,\n"
            "and again after %llu, in the same state; the cells that it stood on in between\n"
            "hold the same symbols then, %lld to the %s; and so on every %llu %s\n",
            from, steps_word(from), side, to, (long long)(a->shift > 0 ? a->shift : -a->shift),
            side, (unsigned long long)a->period, steps_word(a->period));
    else
        th_text_printf(
            w->t,
            "the configuration after %llu %s comes back after %llu, and so on every %llu %s\n",
            from, steps_word(from), to, (unsigned long long)a->period, steps_word(a->period));
    return write_configuration(w, from, 0) && write_configuration(w, to, a->shift);
}

/* ---- the tree of steps back ------------------------------------------------------------------ */

static void write_rule(Writer *w, int state, int read, int rule)
{
    static const char *const move[] = {"L", "S", "R"};
    const ThTm *m = w->m;
    const ThTmRule *r = &m->rule[rule];
    th_text_printf(w->t, "%s %s -> %s %s %s", m->state[state], m->symbol[read],
                   m->symbol[r->write[0] == TH_TM_ANY ? read : r->write[0]], move[r->move[0] + 1],
                   m->state[r->to == TH_TM_ANY ? state : r->to]);
}

static void write_node(Writer *w, const ThTmBackNode *x)
{
    const ThTmBackward *b = &w->a->backward;
    th_text_printf(w->t, "  %d  %s  %s", x->depth, w->m->state[x->state],
                   x->edge == TH_TM_NO_EDGE ? "" : "(edge) ");
    for (int p = x->low; p <= x->high; p++) {
        int cell = b->cell[x->cells + (size_t)(p - x->low)];
        write_symbol(w, p > x->low ? w->gap : "", cell == TH_TM_ANY ? "?" : w->m->symbol[cell],
                     p == x->head);
    }
}

typedef struct {
    Writer *w;
    const ThTmBackNode *x;
    bool any;
} Refusals;

/* One rule that enters a node's state and did not lead to it. */
static bool write_refusal(void *context, const ThTmBackStep *s)
{
    Refusals *f = context;
    Writer *w = f->w;
    f->any = f->any || s->fits;
    if (s->fits || !more(w))
        return true;
    f->any = true;
    th_text_add(w->t, "       not by ");
    write_rule(w, s->state, s->read, s->rule);
    if (s->written == TH_TM_ANY) {
        th_text_add(w->t, s->bounces ? " at the edge: there are cells to the left\n"
                                     : ": it came from outside the tape\n");
        return true;
    }
    const ThTmBackward *b = &w->a->backward;
    int stands = b->cell[f->x->cells + (size_t)(s->clash - f->x->low)];
    th_text_printf(w->t, ": it leaves %s where %s stands\n", w->m->symbol[s->written],
                   w->m->symbol[stands]);
    return true;
}

static void write_way_to_stop(Writer *w, const ThTmBackNode *x)
{
    const ThTmBackward *b = &w->a->backward;
    int read = b->cell[x->cells + (size_t)(x->head - x->low)];
    size_t n;
    const size_t *choice = th_tm_choices(w->m, x->state, &read, &n);
    th_text_add(w->t, n == 0 ? "  stops: no rule" : "  stops: ");
    for (size_t i = 0; i < n; i++) {
        th_text_add(w->t, i ? ", " : "");
        write_rule(w, x->state, read, (int)choice[i]);
    }
}

static void write_tree_node(Writer *w, size_t i)
{
    const ThTmBackward *b = &w->a->backward;
    const ThTmBackNode *x = &b->node[i];
    if (more(w)) {
        write_node(w, x);
        if (x->parent < 0) {
            write_way_to_stop(w, x);
        } else {
            int read = b->cell[x->cells + (size_t)(x->head - x->low)];
            th_text_add(w->t, "  by ");
            write_rule(w, x->state, read, x->rule);
        }
        th_text_add(w->t, "\n");
    }
    Refusals f = {.w = w, .x = x};
    th_tm_backward_each(b, i, w->m, &w->a->here, write_refusal, &f);
    if (!f.any && more(w))
        th_text_add(w->t, "       no rule leads to this state\n");
}

/* Depth first: below each node those before it, which follow one another in the array. */
static bool write_tree(Writer *w)
{
    const ThTmBackward *b = &w->a->backward;
    int *first TH_OWNED(free) = th_alloc(b->n + 1, sizeof *first, w->err);
    int *stack TH_OWNED(free) = th_alloc(b->n + 1, sizeof *stack, w->err);
    size_t n = 0;
    if (first && stack) {
        th_text_printf(w->t,
                       "all ways to stop, followed backwards, end in contradictions within %d %s,\n"
                       "and the start is none of these configurations (? is any symbol)\n",
                       b->depth, steps_word((uint64_t)b->depth));
        for (size_t i = b->n; i-- > 0;)
            if (b->node[i].parent >= 0)
                first[b->node[i].parent] = (int)i;
            else
                stack[n++] = (int)i;
    }
    while (first && stack && n > 0) {
        int i = stack[--n];
        write_tree_node(w, (size_t)i);
        int end = first[i];
        while (end > 0 && (size_t)end < b->n && b->node[end].parent == i)
            end++;
        for (int j = end; first[i] > 0 && j-- > first[i];)
            stack[n++] = j;
    }
    bool ok = first && stack;
    write_left_out(w);
    return ok;
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* "1", or "1:B0A1" where a rule wrote it in state B reading 0, and before that in A reading 1. */
static void write_cell(Writer *w, int cell)
{
    const ThTm *m = w->m;
    size_t size;
    const uint16_t *x = th_intern_at(&w->a->contexts.cell, (size_t)cell, &size);
    th_text_add(w->t, cell == m->n_symbols ? "|" : m->symbol[x[0]]);
    for (size_t i = 1; i + 1 < size / sizeof *x; i += 2)
        th_text_printf(w->t, "%s%s%s", i == 1 ? ":" : "", m->state[x[i]], m->symbol[x[i + 1]]);
}

/* Cells as they lie on the tape; those on the left are listed the other way round. */
static void write_cells(Writer *w, const uint16_t *cell, int n, bool left)
{
    for (int i = 0; i < n; i++) {
        th_text_add(w->t, i ? w->gap : "");
        write_cell(w, cell[left ? n - 1 - i : i]);
    }
}

static void write_groups(Writer *w, const char *label, const ThIntern *groups, bool left)
{
    th_text_printf(w->t, "  %s:", label);
    for (size_t i = 0; i < groups->n; i++) {
        if (!more(w)) {
            th_text_add(w->t, " ...");
            break;
        }
        th_text_add(w->t, " ");
        th_text_add(w->t, *w->gap && i ? " " : "");
        write_cells(w, th_intern_at(groups, i, NULL), w->a->contexts.width, left);
    }
    w->lines = 0;
    th_text_add(w->t, "\n");
}

static void write_contexts(Writer *w)
{
    const ThTmContexts *c = &w->a->contexts;
    int n = c->width;
    const char *one = n == 1 ? "cell" : "cells";
    th_text_printf(w->t,
                   "state, scanned cell and the %d %s on either side are always one of %zu "
                   "context%s,\nand all groups of %d %s on a side one of those listed:\nrules lead "
                   "from these to these, and none stops%s\n",
                   n, one, c->context.n, c->context.n == 1 ? "" : "s", n, one,
                   w->m->edge == TH_TM_TWO_WAY ? "" : " (| is beyond the edge)");
    if (c->history > 0) {
        w->gap = " ";
        th_text_printf(w->t,
                       "behind a symbol: the state and the symbol read in the last %d %s in which "
                       "it was written\n",
                       c->history, c->history == 1 ? "case" : "cases");
    }
    write_groups(w, "left groups", &c->left, true);
    write_groups(w, "right groups", &c->right, false);
    for (size_t i = 0; i < c->context.n; i++) {
        if (!more(w))
            continue;
        const uint16_t *x = th_intern_at(&c->context, i, NULL);
        th_text_printf(w->t, "  %s  ", w->m->state[x[0]]);
        write_cells(w, x + 2, n, true);
        th_text_printf(w->t, "%s[", w->gap);
        write_cell(w, x[1]);
        th_text_printf(w->t, "]%s", w->gap);
        write_cells(w, x + 2 + n, n, false);
        th_text_add(w->t, "\n");
    }
    write_left_out(w);
}

static void write_far(Writer *w)
{
    const ThTmFar *f = &w->a->far;
    const ThTm *m = w->m;
    th_text_printf(
        w->t,
        "an automaton of %d %s reads the tape from the %s up to the head, and the least\n"
        "one with choices goes on from there (%d states and one from which all stops):\n"
        "it takes all configurations that may stop, and not the start\n",
        f->states, f->states == 1 ? "state" : "states", f->forward ? "left" : "right",
        f->states * (m->n_states - (m->role[m->n_states - 1] != TH_TM_RUNS)));
    for (int i = 0; i < f->states; i++) {
        th_text_printf(w->t, "  %d", i);
        for (int a = 0; a < m->n_symbols; a++)
            th_text_printf(w->t, "  -%s-> %d", m->symbol[a], f->next[i * m->n_symbols + a]);
        th_text_add(w->t, "\n");
    }
}

bool th_tm_proof_write(ThText *t, const ThTmAnalysis *a, const ThTmWork *work, size_t most,
                       ThError *err)
{
    const ThTm *m = work->machine;
    Writer w = {.t = t, .a = a, .m = m, .most = most, .err = err};
    w.words = work->words;
    w.stop = work->stop;
    w.gap = th_symbols_single(m->symbol, m->n_symbols) ? "" : " ";
    switch (a->proof) {
    case TH_TM_PROOF_NONE:
    case TH_TM_PROOF_STOPS:
        break;
    case TH_TM_PROOF_REACH:
        write_reach(&w);
        break;
    case TH_TM_PROOF_CYCLE:
    case TH_TM_PROOF_TRANSLATION:
        return write_recurrence(&w);
    case TH_TM_PROOF_BACKWARD:
        return write_tree(&w);
    case TH_TM_PROOF_CONTEXTS:
        write_contexts(&w);
        break;
    case TH_TM_PROOF_RULES:
        th_text_printf(t,
                       "the tape as words of %d %s, by %llu moves, %llu of them by rules that were "
                       "proved on the way%s\n",
                       a->ruled.length, a->ruled.length == 1 ? "cell" : "cells",
                       (unsigned long long)a->ruled.moves, (unsigned long long)a->ruled.rules,
                       a->ruled.never ? ";\nby the last one no number of words ever shrinks" : "");
        break;
    case TH_TM_PROOF_FAR:
        write_far(&w);
        break;
    case TH_TM_PROOF_BOUNCER:
        th_text_printf(
            t,
            "after %llu steps the head is at the %s end of the tape, in state %d, and what is "
            "behind it,\nfrom the far end, is\n  %s\nwhere words in brackets may be there any "
            "number of times; after %d moves it is that\nwith more, a word in brackets being "
            "gone through in one move\n",
            (unsigned long long)a->bouncer.step, a->bouncer.side ? "right" : "left",
            a->bouncer.state + 1, a->bouncer.formula, a->bouncer.moves);
        break;
    case TH_TM_PROOF_WORDS:
        th_text_printf(t,
                       "both sides of the head as words of %d %s, of %d and more equal ones not "
                       "how many:\n%zu configurations lead to these only, and none stops\n",
                       a->repeated.length, a->repeated.length == 1 ? "cell" : "cells",
                       a->repeated.most, a->repeated.configurations);
        break;
    case TH_TM_PROOF_CHOICES:
        th_text_printf(t,
                       "all configurations that its choices lead to are these %zu, the last of "
                       "them after %llu %s, and it goes on from each\n",
                       a->configurations, (unsigned long long)a->end.steps,
                       steps_word(a->end.steps));
        break;
    }
    return true;
}

/* Words and words in brackets by turns: how many digits, and they, 15 in a number. */
static void write_formula(ThText *t, const ThTmBouncer *b)
{
    th_text_printf(t, "%llu %d %d", (unsigned long long)b->step, b->side, b->moves);
    for (const char *s = b->formula;; s += *s == '(' || *s == ')') {
        int n = (int)strcspn(s, "()");
        th_text_printf(t, " %d", n);
        for (int i = 0; i < n; i += 15)
            th_text_printf(t, " %.*s", n - i < 15 ? n - i : 15, s + i);
        s += n;
        if (!*s)
            return;
    }
}

void th_tm_certificate(ThText *t, const ThTmAnalysis *a)
{
    const ThTmRecurrence *r = &a->again;
    if (a->proof == TH_TM_PROOF_STOPS)
        th_text_printf(t, "%llu", (unsigned long long)a->end.steps);
    else if (a->proof == TH_TM_PROOF_CYCLE || a->proof == TH_TM_PROOF_TRANSLATION)
        th_text_printf(t, "%llu %llu %lld", (unsigned long long)r->step,
                       (unsigned long long)r->period, (long long)r->shift);
    else if (a->proof == TH_TM_PROOF_BACKWARD)
        th_text_printf(t, "%d", a->backward.depth);
    else if (a->proof == TH_TM_PROOF_CONTEXTS)
        th_text_printf(t, "%d %d", a->contexts.width, a->contexts.history);
    else if (a->proof == TH_TM_PROOF_BOUNCER)
        write_formula(t, &a->bouncer);
    else if (a->proof == TH_TM_PROOF_WORDS)
        th_text_printf(t, "%d %d", a->repeated.length, a->repeated.most);
    else if (a->proof == TH_TM_PROOF_FAR) {
        th_text_printf(t, "%d", a->far.forward);
        for (int i = 0; i < TH_TM_FAR_STATES * TH_TM_TABLE_SYMBOLS && a->far.next[i] >= 0; i++)
            th_text_printf(t, " %d", a->far.next[i]);
    } else if (a->ruled.stops) {
        th_tm_big_write(t, a->ruled.steps);
        th_text_add(t, " ");
        th_tm_big_write(t, a->ruled.nonblank);
    }
}
