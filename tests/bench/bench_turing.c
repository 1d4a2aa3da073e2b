/* bench_turing.c - runs of busy beavers by the engine of blocks, beside a plain loop over a table.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "turing/fast.h"

enum { ROOM = 1 << 16 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    uint8_t write, next;
    int8_t move;
} Action;

/* The plain loop: a table of actions, bytes for cells.  Returns the steps. */
static uint64_t plain(const ThTuring *m, uint64_t *ones)
{
    static Action table[64][16];
    static uint8_t tape[ROOM];
    int state = m->start;
    uint64_t steps = 0;
    uint8_t *head = tape + ROOM / 2;
    memset(tape, 0, sizeof tape);
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThRule *r = &m->rule[i];
        table[r->from][r->read[0]] =
            (Action){(uint8_t)r->write[0], (uint8_t)r->to, (int8_t)r->move[0]};
    }
    while (m->role[state] == TH_RUNS) {
        const Action *a = &table[state][*head];
        *head = a->write;
        head += a->move;
        state = a->next;
        steps++;
    }
    *ones = 0;
    for (int i = 0; i < ROOM; i++)
        *ones += tape[i] != 0;
    return steps;
}

static int compare(const char *name, const char *text)
{
    enum { TIMES = 20 };
    ThTuring *m = th_turing_read_bb(text, NULL);
    if (!m)
        return 1;
    ThRunLimits limits = {TH_MOST_STEPS, UINT64_MAX};
    ThFastFigures x = {0};
    uint64_t ones = 0;
    double begun = now();
    uint64_t steps = plain(m, &ones);
    double slow = now() - begun;
    begun = now();
    for (int i = 0; i < TIMES; i++) {
        ThFast *f = th_fast_new(m, NULL, 0, 0, NULL);
        if (!f || !th_fast_go(f, UINT64_MAX, limits, NULL, NULL))
            return 1;
        x = th_fast_figures(f);
        th_fast_free(f);
    }
    double fast = (now() - begun) / TIMES;
    bool same = x.steps == steps && x.nonblank == ones;
    printf("%-8s %" PRIu64 " steps  plain %.2f ms  blocks %.3f ms  %.0f times%s\n", name, steps,
           1e3 * slow, 1e3 * fast, slow / fast, same ? "" : "  DIFFERENT COUNTS");
    th_turing_free(m);
    return same ? 0 : 1;
}

int main(void)
{
    return compare("BB(5)", "1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA") |
           compare("BB(2,4)", "1RB2LA1RA1RA_1LB1LA3RB1RZ");
}
