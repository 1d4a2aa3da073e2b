#include "automata/core/construction_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"

/* ---- subsets ---- */

typedef struct {
    const ThAutomaton *a;
    ThIntern set; /* ascending lists of states */
    bool *in;     /* (n_states): the set in the making */
    int *stack, *list, *from;
} Subsets;

/* Adds a state and what empty moves reach. */
static void add_closure(Subsets *s, int q)
{
    int n = 0;
    if (s->in[q])
        return;
    s->in[q] = true;
    s->stack[n++] = q;
    while (n > 0) {
        int p = s->stack[--n];
        for (size_t i = s->a->first[p]; i < s->a->first[p + 1]; i++) {
            const ThAutomatonArc *arc = &s->a->arc[i];
            if (arc->symbol == TH_AUTOMATON_EPSILON && !s->in[arc->to]) {
                s->in[arc->to] = true;
                s->stack[n++] = arc->to;
            }
        }
    }
}

/* Lists the set in the making, interns it and tells the step. */
static bool finish_step(Subsets *s, ThAutomatonSubsetStep *step, ThAutomatonSubsetWatch *watch,
                        void *context, ThError *err)
{
    size_t n = 0, before = s->set.n, index;
    step->accepts = false;
    for (int q = 0; q < s->a->n_states; q++) {
        if (s->in[q])
            s->list[n++] = q;
        step->accepts = step->accepts || (s->in[q] && s->a->accept[q]);
    }
    if (!th_intern(&s->set, s->list, n * sizeof *s->list, &index, err))
        return false;
    step->to = s->list;
    step->n_to = n;
    step->to_number = (int)index;
    step->fresh = s->set.n > before;
    return watch(context, step, err);
}

static bool step_by(Subsets *s, ThAutomatonSubsetStep *step, ThAutomatonSubsetWatch *watch,
                    void *context, ThError *err)
{
    memset(s->in, 0, (size_t)s->a->n_states * sizeof *s->in);
    for (size_t j = 0; j < step->n_from; j++) {
        int q = step->from[j];
        for (size_t i = s->a->first[q]; i < s->a->first[q + 1]; i++) {
            if (s->a->arc[i].symbol == step->symbol)
                add_closure(s, s->a->arc[i].to);
        }
    }
    return finish_step(s, step, watch, context, err);
}

static bool explore(Subsets *s, size_t max_states, ThAutomatonSubsetWatch *watch, void *context,
                    ThStop *stop, ThError *err)
{
    ThAutomatonSubsetStep start = {.symbol = -1};
    for (int q = 0; q < s->a->n_states; q++) {
        if (s->a->start[q])
            add_closure(s, q);
    }
    if (!finish_step(s, &start, watch, context, err))
        return false;
    for (size_t i = 0; i < s->set.n; i++) {
        size_t bytes;
        const int *from = th_intern_at(&s->set, i, &bytes);
        if (bytes)
            memcpy(s->from, from, bytes);
        for (int a = 0; a < s->a->n_symbols; a++) {
            ThAutomatonSubsetStep step = {.from = s->from,
                                          .n_from = bytes / sizeof *from,
                                          .from_number = (int)i,
                                          .symbol = a};
            if (th_stopped_at(stop, s->set.n, "sets", err) ||
                !step_by(s, &step, watch, context, err))
                return false;
        }
        if (max_states && s->set.n > max_states)
            return th_fail(err, TH_ELIMIT, "more than %zu states", max_states);
    }
    return true;
}

bool th_automaton_subset_steps(const ThAutomaton *a, size_t max_states,
                               ThAutomatonSubsetWatch *watch, void *context, int *n, ThStop *stop,
                               ThError *err)
{
    size_t states = (size_t)a->n_states;
    Subsets s = {.a = a};
    s.in = th_alloc(states, sizeof *s.in, err);
    s.stack = th_alloc(states, sizeof *s.stack, err);
    s.list = th_alloc(states, sizeof *s.list, err);
    s.from = th_alloc(states, sizeof *s.from, err);
    bool ok =
        s.in && s.stack && s.list && s.from && explore(&s, max_states, watch, context, stop, err);
    *n = (int)s.set.n;
    free(s.in);
    free(s.stack);
    free(s.list);
    free(s.from);
    th_intern_free(&s.set);
    return ok;
}

/* ---- partitions ---- */

typedef struct {
    const ThDfa *d;
    bool *reachable;
    int *block, *before; /* (n_states) */
    int *first, *split_from, *by;
    int *queue;
    int n_blocks;
} Partition;

static int successor(const ThDfa *d, int q, int a)
{
    return d->next[(size_t)q * (size_t)d->n_symbols + (size_t)a];
}

static void find_reachable(Partition *p)
{
    int head = 0, tail = 0;
    p->reachable[p->d->start] = true;
    p->queue[tail++] = p->d->start;
    while (head < tail) {
        int q = p->queue[head++];
        for (int a = 0; a < p->d->n_symbols; a++) {
            int to = successor(p->d, q, a);
            if (!p->reachable[to]) {
                p->reachable[to] = true;
                p->queue[tail++] = to;
            }
        }
    }
}

/* The first symbol that leads two states into different old blocks, or -1. */
static int apart(const Partition *p, int x, int y)
{
    for (int a = 0; a < p->d->n_symbols; a++) {
        if (p->before[successor(p->d, x, a)] != p->before[successor(p->d, y, a)])
            return a;
    }
    return -1;
}

static bool start_blocks(Partition *p, ThError *err)
{
    int *of_class = th_alloc((size_t)p->d->n_classes, sizeof *of_class, err);
    if (!of_class)
        return false;
    for (int q = 0; q < p->d->n_states; q++) {
        if (!p->reachable[q])
            continue;
        int *block = &of_class[p->d->label[q]];
        if (*block == 0) {
            p->first[p->n_blocks] = q;
            p->split_from[p->n_blocks] = -1;
            *block = ++p->n_blocks;
        }
        p->block[q] = *block - 1;
    }
    free(of_class);
    return true;
}

/* Splits the blocks by where their states go.  The rows of old blocks that the successors are in
 * are interned, so that a round is linear. */
static bool refine(Partition *p, ThStop *stop, ThError *err)
{
    size_t n = (size_t)p->d->n_states, k = (size_t)p->d->n_symbols, index;
    ThIntern rows = {0};
    int old = p->n_blocks, *row = th_alloc(k + 1, sizeof *row, err);
    int *block_of_row = th_alloc(n, sizeof *block_of_row, err);
    bool ok = row && block_of_row;
    memcpy(p->before, p->block, n * sizeof *p->block);
    for (int b = 0; b < old; b++)
        p->split_from[b] = -1;
    for (int i = 0; ok && i < (int)n + old; i++) {
        /* The first state of every old block goes first: its row keeps the number. */
        int q = i < old ? p->first[i] : i - old;
        if (!p->reachable[q])
            continue;
        row[0] = p->before[q];
        for (int a = 0; a < p->d->n_symbols; a++)
            row[1 + a] = p->before[successor(p->d, q, a)];
        size_t known = rows.n;
        ok = !th_stopped_at(stop, (size_t)p->n_blocks, "blocks", err) &&
             th_intern(&rows, row, (k + 1) * sizeof *row, &index, err);
        if (ok && rows.n > known) {
            int b = i < old ? i : p->n_blocks++;
            block_of_row[index] = b;
            p->first[b] = q;
            if (i >= old) {
                p->split_from[b] = p->first[p->before[q]];
                p->by[b] = apart(p, p->split_from[b], q);
            }
        }
        if (ok)
            p->block[q] = block_of_row[index];
    }
    th_intern_free(&rows);
    free(row);
    free(block_of_row);
    return ok;
}

static bool run_rounds(Partition *p, ThAutomatonPartitionWatch *watch, void *context, int *rounds,
                       ThStop *stop, ThError *err)
{
    find_reachable(p);
    if (!start_blocks(p, err))
        return false;
    for (*rounds = 0;; ++*rounds) {
        ThAutomatonPartitionStep step = {.d = p->d,
                                         .round = *rounds,
                                         .n_blocks = p->n_blocks,
                                         .reachable = p->reachable,
                                         .block = p->block,
                                         .before = *rounds ? p->before : NULL,
                                         .first = p->first,
                                         .split_from = p->split_from,
                                         .by = p->by};
        int before = p->n_blocks;
        if (!watch(context, &step, err) || !refine(p, stop, err))
            return false;
        if (p->n_blocks == before) {
            ++*rounds;
            return true;
        }
    }
}

bool th_automaton_partition_steps(const ThDfa *d, ThAutomatonPartitionWatch *watch, void *context,
                                  int *rounds, int *blocks, ThStop *stop, ThError *err)
{
    size_t n = (size_t)d->n_states;
    Partition p = {.d = d};
    int **const array[] = {&p.block, &p.before, &p.first, &p.split_from, &p.by, &p.queue};
    p.reachable = th_alloc(n, sizeof *p.reachable, err);
    bool ok = p.reachable != NULL;
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = th_alloc(n, sizeof(int), err);
        ok = ok && *array[i];
    }
    ok = ok && run_rounds(&p, watch, context, rounds, stop, err);
    *blocks = p.n_blocks;
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        free(*array[i]);
    free(p.reachable);
    return ok;
}
