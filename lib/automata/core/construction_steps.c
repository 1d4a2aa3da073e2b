/* The refinement of partitions, round by round. */
#include "automata/core/construction_steps.h"

#include "base/intern.h"

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
    for (int a = 0; a < p->d->n_symbols; a++)
        if (p->before[successor(p->d, x, a)] != p->before[successor(p->d, y, a)])
            return a;
    return -1;
}

static bool start_blocks(Partition *p, ThError *err)
{
    int *of_class TH_OWNED(free) = th_alloc((size_t)p->d->n_classes, sizeof *of_class, err);
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
    return true;
}

/* Splits the blocks by where their states go.  The rows of old blocks that the successors are in
 * are interned, so that a round is linear. */
static bool refine(Partition *p, ThStop *stop, ThError *err)
{
    size_t n = (size_t)p->d->n_states, k = (size_t)p->d->n_symbols, index;
    ThIntern rows TH_OWNED(th_intern_free) = {0};
    int old = p->n_blocks;
    int *row TH_OWNED(free) = th_alloc(k + 1, sizeof *row, err);
    int *block_of_row TH_OWNED(free) = th_alloc(n, sizeof *block_of_row, err);
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
